"""DATEV: what it adds to what the service does with all records."""

from eventapi.domain.datev import comparing, keeping
from eventapi.domain.records.subject import Kept, Subject

DATEV = Subject(
    name="datev",
    checks={"datev": comparing.check},
    keeps=(
        Kept(
            title="The files for DATEV",
            names=keeping.NAMES,
            write=keeping.write,
            incomplete="datev_incomplete",
        ),
    ),
)
