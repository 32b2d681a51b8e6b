"""The sessions of the exhibitor."""

from itertools import groupby

from eventapi.domain.portal import reading
from eventapi.pages.my import page
from eventapi.web.routes import Routes

routes = Routes("my-programme", root="/my/<ref>", **page.PAGE)


@routes.get("/programme")
def get_my_programme(db, request):
    """Return the sessions in which the exhibitor speaks, hosts or takes part, by day."""
    exhibitor = page.open_page(db, request)
    days = [
        (date, list(slots))
        for date, slots in groupby(
            reading.slots(db, exhibitor.participant), lambda slot: slot["date"]
        )
    ]
    return page.render_page(db, request, exhibitor, "programme", days=days)
