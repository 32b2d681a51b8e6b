"""The sessions of the exhibitor."""

from itertools import groupby

from eventapi.domain.portal import records
from eventapi.pages.my import frame
from eventapi.web.routes import Routes

routes = Routes("my-programme", root="/my/<ref>", **frame.PAGE)


@routes.get("/programme")
def get_my_programme(db, visit):
    """Return the sessions in which the exhibitor speaks, hosts or takes part, by day."""
    mine = frame.opened(db, visit)
    days = [
        (date, list(slots))
        for date, slots in groupby(records.slots(db, mine.participant), lambda slot: slot["date"])
    ]
    return frame.shown(db, visit, mine, "programme", days=days)
