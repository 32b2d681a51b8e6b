"""The first page of an exhibitor: what to do next."""

from eventapi.domain.access import links
from eventapi.domain.portal import todos
from eventapi.pages.my import page
from eventapi.web.html import page_requests
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("my-overview", root="/my/<ref>", **page.PAGE)


@routes.get("")
def get_my_overview(db, visit):
    """Return the to-dos: late, open, waiting for the office and done."""
    with db.snapshot():
        mine = page.open_page(db, visit)
        found = todos.of(db, mine.participant, mine.event, mine.pages, mine.rights)
        told = [
            {**todo, **todos.said(todo, visit.language, mine.event["timezone"])} for todo in found
        ]
        return page.render_page(
            db,
            visit,
            mine,
            "overview",
            todos=told,
            soon=todos.soon(db, mine.participant),
            done_count=sum(todo["state"] == "done" for todo in found),
        )


@routes.post("/language", schema="portal_forms.language")
def set_my_language(db, visit, body):
    """Choose the language of the page and of its mails."""
    links.update(db, visit.link, {"language": body["language"]})
    return page_requests.see_other(visit, "")


@routes.post("/mail-me")
def mail_my_link(db, visit):
    """Mail the link to its address, so that a session can be opened that may take binding steps."""
    mine = page.open_page(db, visit)
    if visit.link["email"]:
        links.ask_for_mail(db, visit.link["email"], mail_base_url())
    return page.render_page(db, visit, mine, "mailed")
