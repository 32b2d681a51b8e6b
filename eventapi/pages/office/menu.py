"""The pages below "Set up": their list in three groups, and the page around each of their templates."""

from collections import Counter

from eventapi.config import SETTINGS
from eventapi.config.option import PAGES
from eventapi.domain.organiser import missing
from eventapi.pages.desk import api, events
from eventapi.pages.desk.page import render_page as render_desk_page
from eventapi.web.html import page_requests

PACKAGE = "eventapi.pages.office"


def render_page(db, request, name, *, page, current=None, title=None, **values):
    """Return a page below "Set up" of the template `name`, as desk.page.render_page does.

    `page` is its entry of the list: `setup`, `website`, a page of config.option.PAGES, `team` or
    `account`. Its word `office_PAGE` is the title without another one. Templates have, besides what
    the desk provides, `office_page` and `office_groups`, which the piece `office_menu` shows.
    """
    event = current or events.current(db)
    texts = page_requests.words(PACKAGE, request.language)
    return render_desk_page(
        db,
        request,
        name,
        package=PACKAGE,
        menu="setup",
        current=event,
        title=title or texts[f"office_{page}"],
        office_page=page,
        office_groups=groups(request, db.config, event),
        **values,
    )


def groups(request, config, event):
    """Return (group, entries) of the pages that the person may open, without empty groups.

    Each entry is (page, address, number of things that are missing there).
    """
    found = (
        ("show", of_show(request, event)),
        ("organiser", of_organiser(request, config)),
        ("access", of_access(request)),
    )
    return [(group, entries) for group, entries in found if entries]


def of_show(request, event):
    if not api.may(request, "events"):
        return []
    entries = [("setup", "setup", 0)]
    if event:
        entries.append(("website", f"settings/{event['id']}", 0))
    return entries


def of_organiser(request, config):
    if not api.may(request, "settings"):
        return []
    counts = lacking(config)
    return [(page, f"company/{page}", counts[page]) for page in PAGES]


def of_access(request):
    entries = []
    if "team" in request.who.scopes:
        entries.append(("team", "team", 0))
    if is_person(request):
        entries.append(("account", "account", 0))
    return entries


def is_person(request):
    """Return whether the session is that of a person, and not of an API key."""
    return not request.session["api_key_id"]


def lacking(config):
    """Return how many things are missing on each page of the organiser, as a Counter."""
    counts = Counter()
    for gap in missing.of(config):
        counts.update({SETTINGS[name].page for name in gap.settings if name in SETTINGS})
    return counts
