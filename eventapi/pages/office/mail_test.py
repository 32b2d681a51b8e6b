"""The test mail at the desk: it proves that mails arrive, to the person who has asked for it."""

from eventapi.domain.access import notices
from eventapi.pages.desk import actions, api
from eventapi.pages.desk.writing import Writer
from eventapi.pages.office.menu import PACKAGE
from eventapi.pages.office.page import render_page
from eventapi.plugins.access import require_scope
from eventapi.web.html import page_requests
from eventapi.web.routes import Routes

routes = Routes(
    "desk-mail-test",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

PAGE = "company/mails"


@routes.get("/company/mails/test")
def get_desk_mail_test(db, request):
    """Return the last test mail of the person, and the button for the next one."""
    api.require(request, "settings")
    until = request.problem.members.get("until") if request.problem else None
    return render_page(
        db, request, "mail_test", page="mails", test=of(db, request), limited_until=until
    )


@routes.post("/company/mails/test", shows=get_desk_mail_test)
def send_desk_mail_test(db, request):
    """Queue a test mail to the person."""
    require_scope(request.who, "settings", writes=True)
    notices.send_test(db, request.who.admin_id)
    return page_requests.see_other(request, actions.with_message(PAGE, "mail_test"))


def of(db, request):
    """Return {address, state, sentence, may_send} of the test mail of the person, or None if it has
    no account with an address.
    """
    person = notices.addressee(db, request.who.admin_id)
    if person is None or not person["email"]:
        return None
    last = notices.test_state(db, request.who.admin_id)
    may_send = notices.can_mail(db.config) and api.may(request, "settings", writes=True)
    return {
        "address": person["email"],
        "state": last and last["state"],
        "sentence": last and _sentence(request, db.config.timezone, last),
        "may_send": may_send,
    }


def _sentence(request, timezone, last):
    texts = page_requests.words(PACKAGE, request.language)
    moment = Writer(request.language, timezone).moment(last["at"])
    return texts[f"mail_test_{last['state']}"].format(moment=moment, answer=last["answer"] or "–")
