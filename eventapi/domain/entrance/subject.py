"""Entrance: what it adds to what the service does with all records."""

from eventapi.domain.entrance import admission
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("check_ins")

ENTRANCE = Subject(
    name="entrance",
    checks={"check-ins": admission.check},
    erases=(
        sql.blank,
        sql.blank_scans,
    ),
    merges_participants=(admission.hand_over,),
)
