"""Open a link, ask for a new one, and sign out.

Whoever opens the address of a link sees a button: mail scanners open every link, and must neither
use it up nor see what is behind it.
"""

from eventapi import times
from eventapi.domain.access import link_secrets, links, reach, sessions
from eventapi.domain.access.links import masked
from eventapi.domain.mail import queue as mails
from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import settings as pages_of_events
from eventapi.errors import Problem
from eventapi.pages.office import links as office
from eventapi.pages.show import forms
from eventapi.validation.formats import CHECKS
from eventapi.web.html import cookies, form_bodies, page_requests, shell, tokens
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("entry", root="", public=True, page=True, forms=("text/html",))
ASKING = "link/new"  # where the form on the page of a dead link is sent
ENTRY = {"participant": "my", "application": "apply"}  # kind of link -> first part of its addresses
NEW_LINK = "new link"


# The address of a link


@routes.get("/link/<secret>")
def get_link_page(db, secret):
    """Return the page with the button that opens a link. It changes nothing."""
    if home := shell.elsewhere():
        return home
    row = link_secrets.find(db, secret)
    if row and row["draft_id"]:
        return forms.confirming(db, drafted(db, row))
    if row and row["admin_id"]:
        return office.opening(db, row)
    link = row and links.get(db, row["link_id"])
    if link is None or link["status"] != "active":
        return invalid(db, link)
    if not link_secrets.is_live(row, times.now()):
        return expired(db, link)
    return redirected(db, link, row) or opening(link)


@routes.post("/link/<secret>", before=form_bodies.before_link)
def open_link(db, secret, before):
    """Open the session of a link or of a person at the desk, or confirm the draft of an application.

    Mail a new secret if this one has expired.
    """
    if isinstance(before, Problem):
        raise before
    row = link_secrets.find(db, secret)
    if row and row["draft_id"]:
        draft = drafted(db, row)
        page, link, is_new = forms.confirmed(db, draft, row["way"])
        done = None if is_new else f"known_{draft['form']}"
        return page or signed_in(db, link, link_secrets.find(db, secret), done=done)
    if row and row["admin_id"]:
        return office.opened(db, row, before)
    link = row and links.get(db, row["link_id"])
    if link is None or link["status"] != "active":
        return invalid(db, link)
    if not link_secrets.is_live(row, db.now):
        if link["email"] and mails.is_configured(db.config):
            links.ask_for_mail(db, link["email"], mail_base_url())
            return message_page("asked", link)
        return invalid(db, link)
    return signed_in(db, link, row, own_device=bool(before.get("own_device")))


def drafted(db, row):
    return drafts.get(db, row["draft_id"])


def signed_in(db, link, row, *, own_device=False, done=None):
    """Open a session of a link and return the redirection to its first page, which shows the
    sentence `done_WORD`.
    """
    cookie = session_cookie(db, link, row, own_device=own_device)
    if cookie is None:
        return message_page("full", link, 409, devices=link["devices"])
    address = shell.up() + page_requests.path_of(link) + (f"?done={done}" if done else "")
    return page_requests.redirect(address, {"Set-Cookie": cookie})


def session_cookie(db, link, row, *, own_device=False):
    """Open a session of a link by the row of its secret, and return its cookie.

    It ends the session of the same cookie.

    The secret of a door opens one session. Return None if the door has no place for
    a further device.
    """
    ref = page_requests.cookie_ref(link)
    old = cookies.get(ref)
    old = old and sessions.find(db, old)
    others = [each for each in sessions.of_link(db, link) if not old or each["id"] != old["id"]]
    if link["kind"] == "door" and len(others) >= link["devices"]:
        return None
    if old:
        sessions.end(db, old)
    if link["kind"] == "door":
        link_secrets.drop(db, row)
    days = (
        cookies.DAYS_OF_DOOR
        if link["kind"] == "door"
        else cookies.DAYS_OF_OWN_DEVICE
        if own_device
        else 0
    )
    secret = sessions.add(
        db, link_id=link["id"], way=row["way"], mailed_to=row["mailed_to"], own_device=days > 0
    )
    links.record_use(db, link)
    reach.confirm_address(db, link, row)
    if any(sessions.is_open(each, link["kind"]) for each in others):
        reach.tell_of_device(db, link)
    return cookies.header(ref, secret, days=days)


def redirected(db, link, row):
    """Return the redirection to the pages of a link for a browser that has a session of it already,
    or None.

    A mailed secret may take binding steps, so it is no use to lead it to the session of a shown
    one.
    """
    secret = cookies.get(page_requests.cookie_ref(link))
    session = secret and sessions.find(db, secret)
    if (
        session
        and session["link_id"] == link["id"]
        and sessions.is_open(session, link["kind"])
        and (row["way"] in ("shown", session["way"]))
    ):
        return page_requests.redirect(shell.up() + page_requests.path_of(link))
    return None


def opening(link):
    if link["kind"] == "door":
        return message_page("open_door", link)
    return message_page("open", link)


def expired(db, link):
    """Return the page of a secret that has expired: one button mails a new one."""
    if not (link["email"] and mails.is_configured(db.config)):
        return invalid(db, link)
    return message_page("expired", link, 404, address=masked(link["email"]))


def invalid(db, link):
    """Return the page of a link that does not open. Unknown and revoked links get the same one."""
    address = link and link["status"] == "expired" and link["email"]
    return message_page(
        "invalid", None, 404, address=address and masked(address), **asking(db, ASKING)
    )


def message_page(name, link, status=200, **values):
    language = page_requests.language_of(link and link["language"])
    return page_requests.message_page(
        name,
        status=status,
        language=language,
        referrer="no-referrer",
        event=link and {"title": link["event_title"]},
        **values,
    )


# Asking for a new link


@routes.get("/my")
@routes.get("/apply")
def get_entry(db):
    """Return the form with which people ask for a new link."""
    return entry(db)


@routes.post("/link/new", before=form_bodies.before_asking)
def ask_for_another_link(db, before):
    """Mail the links of an address, for the form on the page of a link that has ended."""
    return ask_for_link(db, before)


@routes.post("/my", before=form_bodies.before)
@routes.post("/apply", before=form_bodies.before)
def ask_for_link(db, before):
    """Mail the links of an address. The answer is the same for every address."""
    if isinstance(before, Problem):
        raise before
    email = before.get("email", [""])[0].strip()
    state, _ = tokens.checked(link_secrets.form_key(db), NEW_LINK, before.get("token", [""])[0])
    if state in ("wrong", "old"):
        return entry(db, email=email, fault="fault_old", status=403)
    if not CHECKS["email"](email):
        return entry(db, email=email, fault="fault_email", status=422)
    if mails.is_configured(db.config) and mail_base_url():
        links.ask_for_mail(db, email, mail_base_url())
    return page_requests.message_page("asked")


def entry(db, *, email="", fault=None, status=200):
    return page_requests.message_page(
        "entry", status=status, email=email, fault=fault, **asking(db)
    )


def asking(db, target="my"):
    """Return the values of ask.html: the form that asks for a new link, and the contacts of the
    shows.

    `target` is where the form is sent.
    """
    return {
        "can_mail": mails.is_configured(db.config),
        "shows": pages_of_events.open_for_exhibitors(db),
        "token": tokens.form_token(link_secrets.form_key(db), NEW_LINK),
        "target": target,
    }


def asking_for(db, link):
    """Return the values of a button that asks for the links of the address of a link."""
    return {
        "can_mail": bool(link["email"]) and mails.is_configured(db.config),
        "ask_for": link["email"],
        "token": tokens.form_token(link_secrets.form_key(db), NEW_LINK),
    }


# Signing out


def signed_out(db, request):
    """End the session of a request, and return the page that says so."""
    sessions.end(db, request.session)
    return page_requests.message_page(
        "signed_out", language=request.language, headers={"Set-Cookie": cookies.gone(request.ref)}
    )


my = Routes(
    "my-session",
    root="/my/<ref>",
    public=True,
    page=True,
    session="participant",
    forms=("text/html",),
)
application = Routes(
    "apply-session",
    root="/apply/<ref>",
    public=True,
    page=True,
    session="application",
    forms=("text/html",),
)


@my.post("/sign-out")
def sign_out_exhibitor(db, request):
    """Sign out from the exhibitor's own page."""
    return signed_out(db, request)


@application.post("/sign-out")
def sign_out_applicant(db, request):
    """Sign out from the applicant's page."""
    return signed_out(db, request)


routes.routes += [*my.routes, *application.routes]
