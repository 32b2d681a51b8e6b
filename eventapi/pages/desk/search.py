"""The search of the desk: contacts, participants, applications, invoices, booths and badges."""

from eventapi.pages.desk import api, events
from eventapi.pages.desk.page import render_page
from eventapi.web.html import shell
from eventapi.web.routes import Routes

routes = Routes(
    "desk-search",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

FOUND = 8  # records of each kind
LONGEST_NUMBER = 50  # characters of the number of a booth
# Kind of record -> scope, handler of its list, what the list shall include.
KINDS = {
    "contacts": ("contacts", "list_contacts", ()),
    "participants": ("participants", "list_participants", ("contact", "event")),
    "applications": ("applications", "list_applications", ()),
    "invoices": ("invoices", "list_invoices", ("contact",)),
}


@routes.get("/search")
def get_desk_search(db, request):
    """Return what a search finds: contacts, participants, applications, invoices and booths."""
    event, asked = events.current(db), shell.asked("q", "event")
    found, words = {}, asked.get("q")
    for kind, (scope, name, include) in KINDS.items() if words else ():
        if api.may(request, scope) and api.may_call(request, name):
            found[kind] = api.rows(name, include=include, search=words, per_page=FOUND)
    if words and api.may(request, "participants") and (badge := badge_number(words)):
        found["badges"] = api.rows(
            "list_participants", include=("contact", "event"), badge_number=badge, per_page=1
        )
    number = words.upper() if words else ""
    may_find = event and api.may_call(request, "list_booths")
    if 0 < len(number) <= LONGEST_NUMBER and may_find:
        found["booths"] = api.rows(
            "list_booths", event_id=event["id"], booth_number=number, per_page=FOUND
        )
    return render_page(
        db,
        request,
        "search",
        menu="search",
        current=event,
        asked=asked,
        found=found,
        total=sum(total for _, total in found.values()),
    )


def badge_number(text):
    """Return the badge number that a text may be, without spaces and hyphens, or None."""
    plain = text.upper().replace(" ", "").replace("-", "")
    return plain if len(plain) == 12 and plain.isalnum() else None
