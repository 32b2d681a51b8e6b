"""The page around the templates below "Set up" and "Settings", and around those of the own access."""

from eventapi.pages.desk import events
from eventapi.pages.desk.page import render_page as render_desk_page
from eventapi.pages.office.menu import PACKAGE, SETUP
from eventapi.web.html import page_requests

OF_SETUP = {page for page, *_ in SETUP}
OWN = "account"


def render_page(db, request, name, *, page, current=None, title=None, **values):
    """Return a page of the template `name`, as desk.page.render_page does.

    `page` is its entry of menu.SETUP or menu.SETTINGS, or `account` or `start`. Its word
    `office_PAGE` is the title without another one.
    """
    event = current or events.current(db)
    texts = page_requests.words(PACKAGE, request.language)
    return render_desk_page(
        db,
        request,
        name,
        package=PACKAGE,
        menu=part_of(page),
        page=page,
        current=event,
        title=title or texts[f"office_{page}"],
        **values,
    )


def part_of(page):
    """Return the part of the menu that a page belongs to."""
    if page == OWN:
        return OWN
    return "setup" if page in OF_SETUP else "settings"
