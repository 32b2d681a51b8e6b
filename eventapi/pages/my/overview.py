"""The first page of an exhibitor: what to do next."""

from eventapi.domain.access import links
from eventapi.domain.portal import todos
from eventapi.pages.my import page
from eventapi.web.html import page_requests
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("my-overview", root="/my/<ref>", **page.PAGE)


@routes.get("")
def get_my_overview(db, request):
    """Return the to-dos: late, open, waiting for the office and done."""
    with db.snapshot():
        exhibitor = page.open_page(db, request)
        found = todos.of(
            db, exhibitor.participant, exhibitor.event, exhibitor.pages, exhibitor.rights
        )
        told = [
            {**todo, **todos.said(todo, request.language, exhibitor.event["timezone"])}
            for todo in found
        ]
        return page.render_page(
            db,
            request,
            exhibitor,
            "overview",
            todos=told,
            soon=todos.soon(db, exhibitor.participant),
            done_count=sum(todo["state"] == "done" for todo in found),
        )


@routes.post("/language", schema="portal_forms.language")
def set_my_language(db, request, body):
    """Choose the language of the page and of its mails."""
    links.update(db, request.link, {"language": body["language"]})
    return page_requests.see_other(request, "")


@routes.post("/mail-me")
def mail_my_link(db, request):
    """Mail the link to its address, so that a session can be opened that may take binding steps."""
    exhibitor = page.open_page(db, request)
    if request.link["email"]:
        links.ask_for_mail(db, request.link["email"], mail_base_url())
    return page.render_page(db, request, exhibitor, "mailed")
