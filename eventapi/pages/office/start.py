"""The assistant of the first steps: what an owner sets up before the first show.

It has no state of its own: a step is done when its data is there.
"""

from dataclasses import dataclass

from eventapi.config.live import read, stored_logo
from eventapi.config.option import BANK, COMPANY, TAXES
from eventapi.config.options import SETTINGS
from eventapi.domain.organiser import missing
from eventapi.web.html import shell

OF_SETTINGS = (COMPANY, TAXES, BANK)  # steps that are pages of settings


@dataclass(frozen=True)
class Step:
    """A step that counts.

    gaps: what the settings of its page lack.
    """

    name: str
    address: str
    is_done: bool
    gaps: tuple = ()


def next_step(db, request):
    """Return the address within the desk of the open step that follows the page of the request.

    That is the overview `start` if none follows. In a write transaction, `db` is its connection:
    what it has changed counts.
    """
    found = steps(db, request)
    page = shell.address().partition("/desk/")[2]
    places = [number for number, step in enumerate(found) if step.address.partition("?")[0] == page]
    following = found[places[0] + 1 :] if places else found
    return next((step.address for step in following if not step.is_done), "start")


def steps(db, request):
    """Return the Steps that count, in their order."""
    gaps = missing.of(current_config(db))
    return [step_of_settings(page, gaps) for page in OF_SETTINGS]


def step_of_settings(page, gaps):
    """Return the Step of a page of settings. It is done when its settings lack nothing."""
    own = tuple(
        gap
        for gap in gaps
        if page in [SETTINGS[name].page for name in gap.settings if name in SETTINGS]
    )
    return Step(page, f"company/{page}?from=start", not own, own)


def current_config(db):
    """Return the Config with the settings as they are in the transaction of `db`."""
    stored, revision = read(db)
    if revision == db.config.revision:
        return db.config
    config, _ = db.config.live.config_of(stored, revision, stored_logo(db))
    return config
