"""Signing in to the desk: with address and password, a link to the address, or an API key.

Whatever is wrong with an address or a password, the answer is the same. The handlers open their
transactions themselves, since a password is hashed between two of them.
"""

from eventapi import times
from eventapi.domain.access import (
    api_keys,
    invitations,
    link_secrets,
    notices,
    people,
    sessions,
    signing_in,
)
from eventapi.errors import Problem, damaged
from eventapi.languages import formats
from eventapi.plugins.settings import follow
from eventapi.storage.errors import damage
from eventapi.validation.formats import CHECKS
from eventapi.web import client
from eventapi.web.html import (
    cookies,
    following,
    form_bodies,
    page_requests,
    shell,
    tokens,
    visitors,
)
from eventapi.web.routes import Routes

routes = Routes(
    "desk-entry", root="/desk", public=True, page=True, flag="desk", forms=("text/html",)
)
PACKAGE = "eventapi.pages.office"
PURPOSE = "desk sign-in"
WELCOME = "account?done=welcome"  # after the first sign-in of a person
# reason of a refusal -> its sentence, and the status of the page
REFUSALS = {
    "empty": ("enter_empty", 422),
    "wrong": ("enter_wrong", 401),
    "ended": ("enter_ended", 401),
    "old": ("enter_old", 403),
    "key_wrong": ("enter_key_wrong", 401),
    "key_narrow": ("enter_key_narrow", 403),
}
OF_KEYS = ("key_wrong", "key_narrow")


# Address and password, or an API key


@routes.get("/sign-in")
def get_desk_sign_in(db):
    """Return the form that asks for address and password."""
    if home := shell.elsewhere():
        return home
    if is_signed_in(db):
        return page_requests.redirect(f"{shell.up()}desk/")
    return form(db, next=following.asked())


@routes.post("/sign-in", batch=True)
def sign_in_desk(connections):
    """Open a session for address and password, or for an API key, or ask for a code."""
    db, fields = received(connections, form_bodies.before)
    if not has_good_token(db, fields):
        return refused_form(db, fields, "old")
    refuse_impossible(db)
    writer = connections.writer()

    if "key" in fields:
        key = text_of(fields, "key").strip()
        return answer(db, fields, signing_in.by_key(writer, key=key, visitor=visitors.visitor()))

    email = text_of(fields, "email").strip()
    password = text_of(fields, "password")
    if not email or not password:
        return refused_form(db, fields, "empty")
    outcome = signing_in.by_password(
        writer,
        email=email,
        password=password,
        visitor=visitors.visitor(),
        stay="stay" in fields,
        next=following.checked(text_of(fields, "next")),
    )
    return answer(db, fields, outcome)


def received(connections, before):
    """Return (reading connection, fields of the form) of a handler that opens its transactions
    itself, with the settings of this moment.

    `before` is a function of form_bodies. Raise what it refuses, and 503 if the database is damaged.
    """
    db = connections.reader()
    follow(db, None, {})
    fields = before(db)
    if isinstance(fields, Problem):
        raise fields
    if damage(db.config.database):
        raise damaged()
    return db, fields


def text_of(fields, name):
    """Return the text of a field, "" without one."""
    return fields.get(name, [""])[0]


def has_good_token(db, fields):
    """Return whether the form was made by this server, within a day."""
    state, _ = tokens.checked(link_secrets.form_key(db), PURPOSE, text_of(fields, "token"))
    return state not in ("wrong", "old")


def refuse_impossible(db):
    """Raise 403 if the desk is switched off, and 409 by http: then no session can be opened."""
    api_keys.require_flag(db, "desk")
    cookies.refuse_impossible()


def is_signed_in(db):
    """Return whether the browser has an open session at the desk."""
    secret = cookies.get(visitors.DESK)
    session = sessions.find(db, secret) if secret else None
    if session is None or "desk" in (session["disabled_flags"] or "").split():
        return False
    return sessions.is_open(session, "admin")


# What follows


def answer(db, fields, outcome):
    """Return the page that follows the outcome of a sign-in."""
    if isinstance(outcome, signing_in.Entered):
        return entered(outcome)
    if isinstance(outcome, signing_in.Pending):
        return code_page(db, outcome.secret)
    if outcome.reason == "limit":
        return too_many(db, fields, outcome.until)
    return refused_form(db, fields, outcome.reason)


def entered(outcome):
    """Return the redirection into the desk, with the cookies of the session."""
    address = WELCOME if outcome.is_first else outcome.next
    return page_requests.redirect(
        f"{shell.up()}desk/{address}", {"Set-Cookie": visitors.cookies_of(outcome)}
    )


def refused_form(db, fields, reason):
    """Return the form again, with why it was refused. What was typed stays, but no secret."""
    word, status = REFUSALS[reason]
    return form(
        db,
        email=text_of(fields, "email"),
        stay="stay" in fields,
        next=following.checked(text_of(fields, "next")),
        refusal=page_texts()[word],
        is_about_key=reason in OF_KEYS,
        status=status,
    )


def too_many(db, fields, until):
    """Return the page with status 429, which says how long to wait."""
    can_mail = notices.can_mail(db.config)
    word = "enter_wait" if can_mail and "key" not in fields else "enter_wait_only"
    page = form(
        db,
        email=text_of(fields, "email"),
        stay="stay" in fields,
        next=following.checked(text_of(fields, "next")),
        refusal=page_texts()[word].format(time=time_text(db, until)),
        is_about_key="key" in fields,
        status=429,
    )
    return with_retry(page, until)


def with_retry(page, until):
    """Return a page with the header Retry-After for a timestamp."""
    seconds = times.unix(until) - times.unix(times.now())
    page.headers["Retry-After"] = str(max(1, seconds))
    return page


def time_text(db, until, language=None):
    """Return a timestamp in words, rounded up to a minute, and without a date if that is today."""
    language = language or page_requests.language_of()
    zone = db.config.timezone
    minute = times.after(until, times.timedelta(seconds=59))
    text = formats.moment(minute, zone, language)
    is_today = times.local_date(minute, zone) == times.today(zone)
    return text.partition(", ")[2] if is_today else text


def page_texts():
    """Return the texts of a page without a session."""
    return page_requests.words(PACKAGE, page_requests.language_of())


def form(db, *, email="", stay=False, next="", refusal=None, is_about_key=False, status=200):
    """Return the page that asks for address and password. `refusal` is the sentence at its top."""
    return page(
        db,
        "sign_in",
        status=status,
        asked={"next": next} if next else {},
        email=email,
        stay=stay,
        next=next,
        refusal=refusal,
        is_about_key=is_about_key,
    )


def page(db, name, *, status=200, referrer="same-origin", **values):
    """Return a page without a session, with the values that the forms of this module need."""
    language = page_requests.language_of()
    text = page_requests.render_html(
        PACKAGE,
        name,
        language,
        token=tokens.form_token(link_secrets.form_key(db), PURPOSE),
        can_mail=notices.can_mail(db.config),
        owners=[owner["name"] for owner in people.owners(db)],
        organiser=db.config.organiser_name,
        **values,
    )
    response = shell.private(text, language, status, referrer)
    if shell.asked("language").get("language") == language:
        response.headers["Set-Cookie"] = cookies.keep_language(language)
    return response


# Signing out


def signed_out(db, request):
    """End the session of a request, and return the page that says so."""
    signing_in.sign_out(db, request.session)
    response = page(db, "desk_signed_out")
    response.headers["Set-Cookie"] = cookies.gone(request.ref)
    return response


# A link to the address


@routes.get("/sign-in/link")
def get_desk_sign_in_link(db):
    """Return the form that asks for a link."""
    return shell.elsewhere() or page(db, "sign_in_link", email="", fault=None)


@routes.post("/sign-in/link", before=form_bodies.before_asking)
def send_desk_sign_in_link(db, before):
    """Let the worker mail a link. The answer is the same for every address."""
    if isinstance(before, Problem):
        raise before
    email = text_of(before, "email").strip()
    if not has_good_token(db, before):
        return page(db, "sign_in_link", email=email, fault="enter_old", status=403)
    if not CHECKS["email"](email):
        return page(db, "sign_in_link", email=email, fault="fault_email", status=422)
    if not notices.can_mail(db.config):
        return page(db, "sign_in_link", email=email, fault=None, status=409)
    invitations.ask_for_link(db, email, client.address())
    return page(db, "sign_in_sent")


# The code of a second factor


@routes.get("/sign-in/code")
def get_desk_sign_in_code(db):
    """Lead to the sign-in page: what was shown before a code is in no address."""
    return shell.elsewhere() or page_requests.redirect(f"{shell.up()}desk/sign-in")


@routes.post("/sign-in/code", batch=True)
def send_desk_sign_in_code(connections):
    """Open a session for a code, after the password or the link.

    The page of a link has no referrer, so its form has the Origin `null`.
    """
    db, fields = received(connections, form_bodies.before_asking)
    if not has_good_token(db, fields):
        return refused_form(db, {}, "old")
    refuse_impossible(db)
    secret = text_of(fields, "pending")
    outcome = signing_in.by_code(
        connections.writer(),
        secret=secret,
        code=text_of(fields, "code"),
        visitor=visitors.visitor(),
    )
    if isinstance(outcome, signing_in.Entered):
        return entered(outcome)
    if outcome.reason == "code_wrong":
        return code_page(db, secret, refusal=page_texts()["code_wrong"], status=401)
    if outcome.reason == "limit":
        refusal = page_texts()["code_wait"].format(time=time_text(db, outcome.until))
        return with_retry(code_page(db, secret, refusal=refusal, status=429), outcome.until)
    return refused_form(db, {}, outcome.reason)


def code_page(db, secret, *, refusal=None, status=200):
    """Return the page that asks for a code. `secret` names what was shown already."""
    referrer = "no-referrer" if shell.address().startswith("/link/") else "same-origin"
    return page(
        db, "sign_in_code", status=status, referrer=referrer, pending=secret, refusal=refusal
    )
