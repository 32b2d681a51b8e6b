"""The page of a person about itself: name, language, password, second factor and sessions.

Only a session with the person's own rights changes them. Handlers that take a password or a code open
their transactions themselves, so that nothing of these is kept: the plugin idempotency stores a hash
of other forms.
"""

from eventapi import times
from eventapi.domain.access import (
    browsers,
    notices,
    own_account,
    people,
    sessions,
    signing_in,
    totp,
)
from eventapi.domain.access.own_account import Changed
from eventapi.errors import Problem, not_found
from eventapi.languages import choice
from eventapi.pages.desk.links import drawn
from eventapi.pages.office import menu, sign_in, start
from eventapi.pages.office.page import render_page
from eventapi.web.html import cookies, page_requests, visitors
from eventapi.web.routes import Routes

routes = Routes(
    "desk-account",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
# reason of a refusal -> word of its sentence
SENTENCES = {"wrong": "fault_old_password", "code_wrong": "code_wrong"}
LIMITS = {"password": "enter_wait_only", "factor": "code_wait"}


@routes.get("/account")
def get_desk_account(db, request):
    """Return what a person may see and change of its own account."""
    return account_page(db, request)


@routes.post("/account", shows=get_desk_account)
def save_desk_account(db, request):
    """Change the name and the language of the person."""
    own_account.require_own(db, request.session)
    id = request.session["admin_id"]
    language = text_of(request, "language") or None
    people.rename(db, id, text_of(request, "name"))
    people.set_language(db, id, language)
    response = page_requests.see_other(request, "account?done=account_saved")
    if language:
        response.headers["Set-Cookie"] = cookies.keep_language(language)
    return response


@routes.get("/account/password")
@routes.get("/account/codes")
@routes.get("/account/factor/remove")
@routes.get("/account/sessions")
def get_desk_account_part(request):
    """Lead to the whole page, from the address of one of its forms."""
    return page_requests.see_other(request, "account")


def text_of(request, name):
    """Return the text of a field of the form that was sent, "" without one."""
    return sign_in.text_of(request.fields, name)


def account_page(db, request, *, part=None, fault=None, status=None):
    """Return the page. `fault` is the sentence beside the form `part`: password or factor."""
    person = people.get(db, request.session["admin_id"])
    is_own = own_account.is_own(db, request.session)
    return render_page(
        db,
        request,
        "account",
        page="account",
        status=status,
        person=person,
        is_own=is_own,
        part_refused=part,
        refusal=fault,
        codes_left=own_account.recovery_codes_left(db, person["id"]),
        asks_old=own_account.needs_old_password(request.session, person, times.now()),
        can_mail=notices.can_mail(db.config),
        languages=choice.AVAILABLE,
        sessions=sessions_of(db, request) if is_own else [],
        has_first_steps=start.progress(db, request) is not None,
    )


def sessions_of(db, request):
    """Return the open sessions of the person, the one of this request first."""
    own = request.session["id"]
    rows = sessions.at_desk(db, request.session["admin_id"])
    found = [
        {**row, "browser": browsers.named(row["agent"]), "is_here": row["id"] == own}
        for row in rows
    ]
    return sorted(found, key=lambda row: (not row["is_here"], -row["id"]))


def refused(connections, request, part, outcome):
    """Return the page with the sentence about a Refused beside the form `part`."""
    db = connections.reader()
    texts = page_requests.words(menu.PACKAGE, request.language)
    if outcome.reason != "limit":
        sentence = texts[SENTENCES.get(outcome.reason, f"fault_{outcome.reason}")]
        return account_page(db, request, part=part, fault=sentence, status=422)
    time = sign_in.time_text(db, outcome.until, request.language)
    sentence = texts[LIMITS[part]].format(time=time)
    page = account_page(db, request, part=part, fault=sentence, status=429)
    return sign_in.with_retry(page, outcome.until)


# The password


@routes.post("/account/password", batch=True, shows=get_desk_account)
def set_desk_password(request, connections):
    """Set, change or remove the password of the person. Its other sessions end."""
    values = {
        "session": request.session,
        "old": text_of(request, "old_password"),
        "visitor": visitors.visitor(),
    }
    is_removed = "remove" in request.fields
    if is_removed:
        outcome = own_account.remove_password(connections.writer(), **values)
    else:
        new = text_of(request, "new_password")
        outcome = own_account.set_password(connections.writer(), new=new, **values)
    if not isinstance(outcome, Changed):
        return refused(connections, request, "password", outcome)
    done = "password_removed" if is_removed else "password_set"
    response = page_requests.see_other(request, f"account?done={done}")
    known = visitors.known_cookie(request.session["admin_id"], outcome.known)
    response.headers["Set-Cookie"] = known
    return response


# The second factor


@routes.get("/account/factor")
def get_desk_factor(db, request):
    """Return the page with the secret for an authenticator, as a QR code and as text.

    It is stored once a code of it has proved that the authenticator has it.
    """
    own_account.require_own(db, request.session)
    if people.get(db, request.session["admin_id"])["has_factor"]:
        return page_requests.see_other(request, "account")
    return factor_page(db, request, totp.new_secret())


def factor_page(db, request, secret, *, fault=None, status=None):
    person = people.get(db, request.session["admin_id"])
    address = totp.address(secret, person["email"], db.config.organiser_name)
    return render_page(
        db,
        request,
        "factor",
        page="account",
        status=status,
        secret=secret,
        grouped=totp.grouped(secret),
        code=qr_code(address),
        refusal=fault,
    )


def qr_code(address):
    """Return a QR code as an SVG element, or None without reportlab."""
    try:
        return drawn(address)
    except Problem:  # not_installed
        return None


@routes.post("/account/factor", batch=True, shows=get_desk_account)
def add_desk_factor(request, connections):
    """Add the second factor that a code confirms, and show the recovery codes, once."""
    secret = text_of(request, "secret")
    if not totp.is_secret(secret):
        return page_requests.see_other(request, "account/factor")
    with signing_in.transaction(connections.writer()) as db:
        outcome = own_account.add_factor(
            db,
            session=request.session,
            secret=secret,
            code=text_of(request, "code"),
            visitor=visitors.visitor(),
        )
    if isinstance(outcome, Changed):
        return codes_page(connections.reader(), request, outcome.codes, "factor_added")
    texts = page_requests.words(menu.PACKAGE, request.language)
    fault = texts["code_wrong"]
    return factor_page(connections.reader(), request, secret, fault=fault, status=422)


def codes_page(db, request, codes, done):
    """Return the page with recovery codes, which nothing shows again."""
    grouped = [totp.grouped(code) for code in codes]
    return render_page(db, request, "recovery_codes", page="account", codes=grouped, done_word=done)


@routes.post("/account/codes", batch=True, shows=get_desk_account)
def renew_desk_codes(request, connections):
    """Make new recovery codes for a code, and show them, once."""
    outcome = proved(request, connections, own_account.renew_recovery_codes)
    if isinstance(outcome, Changed):
        return codes_page(connections.reader(), request, outcome.codes, "codes_made")
    return refused(connections, request, "factor", outcome)


@routes.post("/account/factor/remove", batch=True, shows=get_desk_account)
def remove_desk_factor(request, connections):
    """Remove the second factor for a code."""
    outcome = proved(request, connections, own_account.remove_factor)
    if isinstance(outcome, Changed):
        return page_requests.see_other(request, "account?done=factor_removed")
    return refused(connections, request, "factor", outcome)


def proved(request, connections, change):
    """Return what a change returns that needs a code of the second factor."""
    with signing_in.transaction(connections.writer()) as db:
        return change(
            db,
            session=request.session,
            code=text_of(request, "code"),
            visitor=visitors.visitor(),
        )


# Sessions


@routes.post("/account/sessions", shows=get_desk_account)
def end_desk_sessions(db, request):
    """End another session of the person, or all others."""
    own_account.require_own(db, request.session)
    id = request.session["admin_id"]
    if "others" in request.fields:
        people.end_sessions(db, id, but=request.session["id"])
        return page_requests.see_other(request, "account?done=sessions_ended")
    for row in sessions.at_desk(db, id):
        if str(row["id"]) == text_of(request, "id"):
            sessions.end_at_desk(db, row)
            return page_requests.see_other(request, "account?done=session_ended")
    raise not_found("session", text_of(request, "id")[:20])
