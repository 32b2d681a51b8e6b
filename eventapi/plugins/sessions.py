"""The plugin that finds the session of a page by its cookie, and refuses forms that its own pages
have not made.

A page route names the kind of its link with the option `session`. The handler gets the page request, and
for a form `body` and `upload`. All that follows, also the transaction, runs inside of
`PageHandler.__call__`, so a form that is refused leaves nothing behind, and its page is shown again
with what was typed.

A form that comes after the end of its session gets a page with all that was typed
(web/html/ended.py), which sends it again once somebody has signed in.
"""

import inspect
import json
import logging
import time
from collections import Counter
from collections.abc import Callable
from threading import Lock

from bottle import Route, request

from eventapi import times
from eventapi.domain.access import api_keys, attempts, link_secrets, links, sessions, signing_in
from eventapi.domain.events import events
from eventapi.errors import Problem, damaged, invalid_at, not_found
from eventapi.languages import formats
from eventapi.plugins.authentication import Who
from eventapi.plugins.request import problem_of
from eventapi.plugins.settings import follow
from eventapi.plugins.validation import body_of
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError, damage
from eventapi.validation.schema_files import body_schema
from eventapi.web import client
from eventapi.web.html import (
    cookies,
    ended,
    following,
    form_bodies,
    page_requests,
    shell,
    tokens,
    typed_fields,
    visitors,
)
from eventapi.web.html.page_requests import PageRequest
from eventapi.web.json_bodies import parse, read_body
from eventapi.web.rest import Response
from eventapi.web.router import MAX_ID
from eventapi.web.routes import JSON, Options

SHOWN_AGAIN = (409, 412, 422, 429)  # statuses of a refused form whose page is shown again
PER_MINUTE = 60  # forms of a session, in each process
MOST_JSON = 512 * 1024
# kind of link -> address that the page about an ended session leads to
HOMES = {"participant": "my/", "application": "apply/", "admin": "desk/sign-in"}

log = logging.getLogger("eventapi.sessions")


class Sessions:
    name = "sessions"
    api = 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler as PageHandler. Routes without the option `session` stay as they are."""
        return PageHandler(callback, route) if route.config["options"].session else callback


class PageHandler:
    """The handler of one page, called with the page request."""

    def __init__(self, callback: Callable, route: Route):
        self.callback = callback
        self.options = route.config["options"]
        is_json = JSON in self.options.forms
        self.sends_form = route.method == "POST" and not is_json
        self.sends_json = route.method == "POST" and is_json
        takes = inspect.signature(route.callback).parameters
        self.takes_request = "request" in takes
        self.takes_body = "body" in takes
        # of the pages with their words
        self.package = ".".join(route.callback.__module__.split(".")[:3])

    def __call__(self, ref: str | None = None, **ids: object) -> object:
        """Check session and form, and call the handler. Raise 403, 404 or what the handler raises."""
        environ = request.environ
        options = self.options
        db = environ["eventapi.connections"].reader()
        if self.sends_form or self.sends_json:
            form_bodies.refuse_foreign(environ)
        elif home := shell.elsewhere():
            return home

        ref = ref or page_requests.ONE_COOKIE[options.session]
        secret = cookies.get(ref)
        session = sessions.find(db, secret) if secret else None
        follow(db, session["settings_revision"] if session else None, ids)
        page_request = find_page_request(db, options, ref, session)
        if page_request is None:
            return self.without_session(db, ref, ids)
        return self.handle(page_request, ids)

    def handle(self, page_request: PageRequest, ids: dict, fields: dict | None = None) -> object:
        """Return what the handler of the page returns. `fields` are those of a form that was read.

        Raise 404, or what the handler raises.
        """
        environ = request.environ
        options = self.options
        environ["eventapi.who"] = page_request.who
        environ["eventapi.language"] = page_request.language
        if options.right and options.right not in page_request.link["rights"]:
            raise not_found("page", shell.address())
        if any(isinstance(id, int) and id > MAX_ID for id in ids.values()):
            raise not_found("page", shell.address())

        values = dict(ids)
        if self.takes_request:
            values["request"] = page_request
        if self.sends_form:
            return self.send_form(page_request, values, ids, fields)
        if self.sends_json:
            values["body"] = self.json_body(environ)
        return self.callback(**values)

    def json_body(self, environ: dict) -> dict:
        """Return the JSON body by the schema of the route. Raise 400, 413, 415 or 422."""
        raw = read_body(environ, MOST_JSON)
        environ["eventapi.raw_body"] = raw
        check = body_of(self.options.schema, "POST", environ["eventapi.config"].timezone)
        return check(parse(raw))

    def send_form(
        self, page_request: PageRequest, values: dict, ids: dict, fields: dict | None = None
    ) -> object:
        """Call the handler of a form with `values`. Show the page of the form again if it is
        refused.

        Raise a refusal whose page is not shown again.
        """
        environ = request.environ
        options = self.options
        try:
            if options.file is None:
                accept(page_request, form_bodies.form(environ) if fields is None else fields)
                return self.callback(**values, **self.form_body(page_request))
            if form_bodies.is_without_file(environ):
                # the page about an ended session sends the texts, and the file is chosen again
                accept(page_request, form_bodies.form(environ))
                raise invalid_at("/file", "required", "choose a file")

            config = environ["eventapi.config"]
            with form_bodies.file_form(
                environ, config, options.file(config), lambda fields: accept(page_request, fields)
            ) as (_, upload):
                if upload is None:
                    raise invalid_at("/file", "required", "choose a file")
                return self.callback(**values, **self.form_body(page_request), upload=upload)
        except Foreign as form:
            return self.page_of_others(page_request, form.fields)
        except Problem as problem:
            if options.shows is None or not is_shown_again(problem, options):
                raise
            page_request.problem = problem

        values = {"db": environ["eventapi.connections"].reader(), "request": page_request, **ids}
        takes = inspect.signature(options.shows).parameters
        return options.shows(**{name: values[name] for name in takes if name in values})

    def form_body(self, page_request: PageRequest) -> dict:
        """Return {"body": the fields of the form by the schema of the route}, or {} if the handler
        takes no body.

        Raise 422 if a field is not valid, or if the schema does not know it.
        """
        if not self.takes_body:
            return {}
        schema = self.options.schema
        page_request.form = page_requests.form_of(self.package, schema, page_request.language)
        body = page_request.form.body(page_request.fields)
        known = [each.name for each in page_request.form.fields]
        others = {
            name: texts[0] for name, texts in page_request.fields.items() if name not in known
        }
        check = body_of(schema, "POST", request.environ["eventapi.config"].timezone)
        return {"body": check({**others, **body})}

    def without_session(self, db: Database, ref: str, ids: dict) -> object:
        """Return the page that asks to open the link again, or to sign in. It keeps the form that
        was sent, unless that signs in.

        Raise 403 at the door and for JSON.
        """
        kind = self.options.session
        if kind == "door" and former_session(db, ref):
            raise links.ended()
        if kind == "door" or JSON in self.options.forms:
            raise Problem(
                "session_ended",
                "The page needs a session, and yours has ended or never began. Open your "
                "link again.",
            )
        if kind == "admin" and not self.sends_form:
            return page_requests.redirect(f"{shell.up()}desk/sign-in{following.query()}")
        if self.sends_form and not is_leaving():
            return self.lost_form(db, ref, ids)
        link = former_link(db, ref)
        language = page_requests.language_of(link["language"] if link else None)
        return ended.page(None, kind=kind, language=language, home=shell.up() + HOMES[kind])

    # A form without a session, or with that of somebody else

    def lost_form(self, db: Database, ref: str, ids: dict) -> object:
        """Return the page that keeps a form which was sent without a session, or the response to the
        form if somebody has signed in with it.

        Its token says whose it is. At the desk, it is read after somebody has signed in.
        """
        environ = request.environ
        has_file = self.options.file is not None and not form_bodies.is_without_file(environ)
        fields = form_bodies.texts_before_file(environ) if has_file else form_bodies.form(environ)
        sign_in = ended.take_sign_in(fields)
        if sign_in is None or not (sign_in.is_tried and self.can_sign_in()):
            note = "ended_nobody" if sign_in else None
            return self.page_of_lost(db, ref, fields, note=note)

        try:
            result = signed_in(db, sign_in)
        except (Problem, StorageError) as error:
            return self.page_of_lost(db, ref, fields, sign_in, refusal=problem_of(error))
        if isinstance(result, signing_in.Entered):
            return self.saved(db, ref, ids, fields, result)
        if isinstance(result, signing_in.Pending):
            return self.page_of_lost(db, ref, fields, sign_in, pending=result.secret)
        return self.page_of_refused(db, ref, fields, sign_in, result)

    def can_sign_in(self) -> bool:
        """Return whether the form can be saved with an address and a password."""
        is_form = self.options.session == "admin" and self.options.file is None
        return is_form and self.options.signs_in and cookies.is_possible()

    def saved(
        self, db: Database, ref: str, ids: dict, fields: dict, entered: signing_in.Entered
    ) -> Response:
        """Return the response to the form of somebody who has just signed in. The cookies go with it,
        or with its refusal.
        """
        session = sessions.find(db, entered.session)
        page_request = find_page_request(db, self.options, ref, session)
        if page_request is None:  # it was ended in this moment
            return self.page_of_lost(db, ref, fields, note="ended_nobody")

        cookie = visitors.cookies_of(entered)
        try:
            response = self.handle(page_request, ids, fields)
        except Exception as error:
            problem = problem_of(error)
            problem.headers = {**problem.headers, "Set-Cookie": cookie}
            raise problem from error
        more = response.headers.get("Set-Cookie")
        response.headers["Set-Cookie"] = f"{cookie}\n{more}" if more else cookie
        return response

    def page_of_refused(
        self,
        db: Database,
        ref: str,
        fields: dict,
        sign_in: ended.SignIn,
        refused: signing_in.Refused,
    ) -> Response:
        """Return the page that keeps the form of somebody who was not let in."""
        if refused.reason == "limit":
            problem = attempts.refusal(refused.until, times.now())
            return self.page_of_lost(db, ref, fields, sign_in, refusal=problem)
        is_asked_again = refused.reason == "code_wrong" and sign_in.has_pending
        return self.page_of_lost(
            db,
            ref,
            fields,
            sign_in,
            note=f"ended_{refused.reason}",
            status=403 if refused.reason == "old" else 401,
            pending=sign_in.token if is_asked_again else None,
        )

    def page_of_lost(
        self,
        db: Database,
        ref: str,
        fields: dict,
        sign_in: ended.SignIn | None = None,
        *,
        note: str | None = None,
        refusal: Problem | None = None,
        status: int = 403,
        pending: str | None = None,
    ) -> Response:
        """Return the page that keeps a form, and sends it once more.

        `sign_in` is what somebody has typed in vain, `note` the word of the sentence about it,
        `refusal` a problem with it. `pending` names what was shown before the code that is missing.
        """
        kind = self.options.session
        link = self.sender(db, ref, fields)
        known = link or former_link(db, ref)
        language = page_requests.language_of(known["language"] if known else None)
        texts = page_requests.words(page_requests.COMMON, language)
        hidden = ended.repeated(fields)
        if link is None and kind != "admin":
            state = "unproved"
        else:
            state = "large" if hidden is None else "over"

        asks = None
        if state == "over" and self.can_sign_in():
            asks = {
                "email": sign_in.email if sign_in else "",
                "token": pending or tokens.form_token(link_secrets.form_key(db), ended.PURPOSE),
                "is_code": pending is not None,
            }
            if pending and note is None:
                note = "ended_code_missing"
        sentence = texts[note] if note else None
        if refusal:
            status = refusal.status
            sentence = refusal_of_sign_in(refusal, texts, language)
        return ended.page(
            state,
            kind=kind,
            language=language,
            home=shell.up() + HOMES[kind],
            place=link["event_title"] if link else None,
            status=status,
            hidden=hidden if state == "over" else None,
            kept=self.typed(db, link, language, fields),
            has_file=self.options.file is not None,
            asks=asks,
            note=sentence,
            headers=refusal.headers if refusal else None,
        )

    def sender(self, db: Database, ref: str, fields: dict) -> dict | None:
        """Return the link that the token of a form belongs to, if it is that of the address and of
        this kind of page. None at the desk.
        """
        if self.options.session == "admin":
            return None
        link = links.by_ref(db, ref)
        if link is None or link["kind"] != self.options.session:
            return None  # forms of /apply and /my differ
        token = fields.get("form_token", [""])[0]
        return link if tokens.form_id(link_secrets.form_key(db), owner_of(link), token) else None

    def page_of_others(self, page_request: PageRequest, fields: dict) -> Response:
        """Return the page with the texts of a form that somebody else has begun."""
        db = request.environ["eventapi.connections"].reader()
        language = page_request.language
        return ended.page(
            "others",
            kind=page_request.kind,
            language=language,
            home=page_request.home(),
            place=page_request.event["title"] if page_request.event else None,
            kept=self.typed(db, page_request.link, language, fields),
            has_file=self.options.file is not None,
        )

    def typed(
        self, db: Database, link: dict | None, language: str, fields: dict
    ) -> list[tuple[str, str]]:
        """Return (label, text) of what was typed into a form, but for passwords and codes."""
        options = self.options
        fields = ended.without_secrets(fields)
        if options.typed:
            return options.typed(db, link, language, fields) if link else []
        schema = body_schema(options.schema, "POST") if options.schema else None
        return typed_fields.labelled(fields, page_requests.words(self.package, language), schema)


# Signing in with a form that is saved


def signed_in(
    db: Database, sign_in: ended.SignIn
) -> signing_in.Entered | signing_in.Pending | signing_in.Refused:
    """Sign somebody in with what a form contains beside its fields.

    Raise 403 if the desk is switched off, 503 while others sign in.
    """
    api_keys.require_flag(db, "desk")
    environ = request.environ
    if damage(environ["eventapi.config"].database):
        raise damaged()
    writer = environ["eventapi.connections"].writer()
    visitor = visitors.visitor()
    if sign_in.has_pending and not sign_in.code:
        return signing_in.Pending(secret=sign_in.token)
    if sign_in.has_pending:
        return signing_in.by_code(writer, secret=sign_in.token, code=sign_in.code, visitor=visitor)
    state, _ = tokens.checked(link_secrets.form_key(db), ended.PURPOSE, sign_in.token)
    if state in ("wrong", "old"):
        return signing_in.Refused(reason="old")
    return signing_in.by_password(
        writer,
        email=sign_in.email,
        password=sign_in.password,
        visitor=visitor,
        code=sign_in.code or None,
    )


def refusal_of_sign_in(problem: Problem, texts: dict[str, str], language: str) -> str:
    """Return the sentence about a problem while somebody signs in."""
    if problem.code != "rate_limited":
        return page_requests.sentence(problem, texts)
    zone = request.environ["eventapi.config"].timezone
    until = formats.moment(problem.members["until"], zone, language)
    return texts["ended_limit"].format(until=until)


# The session of a request


def find_page_request(
    db: Database, options: Options, ref: str, session: dict | None
) -> PageRequest | None:
    """Return the page request, or None without a session that is open.

    Raise 404 if the feature of the page is disabled.
    """
    if session is None or not sessions.is_open(session, options.session):
        return None
    if options.flag in (session["disabled_flags"] or "").split():
        raise not_found("page", shell.address())

    if session["link_id"] is None:
        return page_request_at_desk(db, session) if options.session == "admin" else None
    link = links.get(db, session["link_id"])
    return page_request_of_link(db, session, link, ref) if is_usable(link, options, ref) else None


def is_usable(link: dict, options: Options, ref: str) -> bool:
    """Return whether a session of the link opens pages with these options and this cookie."""
    if link["kind"] != options.session or page_requests.cookie_ref(link) != ref:
        return False
    # at the door, a session also works with a link that has expired
    return link["status"] == "active" or (link["status"] == "expired" and link["kind"] == "door")


def page_request_of_link(db: Database, session: dict, link: dict, ref: str) -> PageRequest:
    """Return the page request of a session that a link has opened."""
    touch(db, session)
    return PageRequest(
        kind=link["kind"],
        ref=ref,
        link=link,
        session=session,
        event=events.get(db, link["event_id"]),
        who=caller(session, name=f"link {link['id']}"),
        owner=owner_of(link),
        key=link_secrets.form_key(db),
        language=page_requests.language_of(link["language"]),
    )


def page_request_at_desk(db: Database, session: dict) -> PageRequest:
    """Return the page request of a session at the desk, which a person or an API key has opened."""
    touch(db, session)
    return PageRequest(
        kind="admin",
        ref="desk",
        link=None,
        session=session,
        event=None,
        who=caller(
            session,
            key_id=session["api_key_id"],
            admin_id=session["admin_id"],
            name=session["admin_name"],
            scopes=frozenset(session["scopes"].split()),
        ),
        owner=f"admin {session['admin_id']}",
        key=link_secrets.form_key(db),
        language=page_requests.language_of(session["admin_language"]),
    )


def caller(
    session: dict,
    *,
    name: str,
    key_id: int | None = None,
    admin_id: int | None = None,
    scopes: frozenset = frozenset(),
) -> Who:
    """Return the caller of the request, as the journal records it."""
    return Who(
        key_id=key_id,
        admin_id=admin_id,
        admin_name=name,
        scopes=scopes,
        tier=session["tier"],
        disabled_flags=frozenset((session["disabled_flags"] or "").split()),
        request_id=request.environ["eventapi.request_id"],
        address=client.address(),
        agent=client.agent(),
    )


def touch(db: Database, session: dict) -> None:
    """Record the use of a session if that is due, unless the database is busy: the request must
    neither wait nor fail for it.
    """
    if not sessions.needs_touch(session):
        return
    try:
        with db.write(wait=0):
            sessions.touch(db, session)
    except StorageError as error:
        log.debug("the use of session %s was not recorded: %s", session["id"], error)


def owner_of(link: dict) -> str:
    """Return the owner of the tokens of a link's forms."""
    return f"link {link['id']}"


# The form of a request


def is_shown_again(problem: Problem, options: Options) -> bool:
    """Return whether the page of a form that was refused is shown again, with what was typed."""
    if problem.code == "insufficient_scope":
        return options.shows_missing_scopes
    return problem.status in SHOWN_AGAIN


class Foreign(Exception):
    """A form that was not made for the visitor. `fields` are its texts."""

    def __init__(self, fields: dict):
        super().__init__()
        self.fields = fields


def is_leaving() -> bool:
    """Return whether the form only signs out, so that nobody wants it back."""
    return shell.address().endswith("/sign-out")


def accept(page_request: PageRequest, fields: dict) -> None:
    """Take the texts of a form. What somebody has typed to sign in is no part of them.

    Raise Foreign if its token is not that of the visitor, 403 if it signs out with such a token, and
    429 if the session sends too many.
    """
    ended.take_sign_in(fields)
    token = fields.pop("form_token", [""])[0]
    page_request.form_id = tokens.form_id(page_request.key, page_request.owner, token)
    if page_request.form_id is None and is_leaving():
        raise Problem(
            "session_ended",
            "The form was not made for this session. Open the page again, and send it from there.",
        )
    if page_request.form_id is None:
        raise Foreign(fields)
    page_request.fields = fields
    PACE.check(hash(cookies.get(page_request.ref) or page_request.session["id"]))

    # the plugin idempotency compares these with a form that was sent before
    environ = request.environ
    environ["eventapi.form_id"] = page_request.form_id
    environ["eventapi.form_owner"] = page_request.owner
    content = [sorted(fields.items())]
    if not form_bodies.is_without_file(environ):
        # the length of other forms depends on what was typed to sign in
        content.append(environ.get("CONTENT_LENGTH"))
    environ["eventapi.raw_body"] = json.dumps(content).encode()


class Pace:
    """How many forms each session has sent in this minute, counted in this process."""

    def __init__(self):
        self.minute = 0
        self.sent = Counter()
        self.lock = Lock()

    def check(self, session: int) -> None:
        """Count a form.

        Raise 429 for more than PER_MINUTE of a session: that is a program, or a key that is stuck.
        """
        minute, second = divmod(int(time.monotonic()), 60)
        with self.lock:
            if minute != self.minute:
                self.minute = minute
                self.sent = Counter()
            self.sent[session] += 1
            if self.sent[session] > PER_MINUTE:
                raise Problem(
                    "rate_limited",
                    f"A session sends at most {PER_MINUTE} forms in a minute. Wait for the "
                    "seconds in Retry-After.",
                    headers={"Retry-After": str(60 - second)},
                )


PACE = Pace()


# The session that the browser had


def former_session(db: Database, ref: str) -> dict | None:
    """Return the row of the session, open or not, whose cookie the browser still has, or None."""
    secret = cookies.get(ref)
    return sessions.find(db, secret) if secret else None


def former_link(db: Database, ref: str) -> dict | None:
    """Return the link of the session whose cookie the browser still has, or None."""
    session = former_session(db, ref)
    if session is None or session["link_id"] is None:
        return None
    link = links.get(db, session["link_id"])
    return link if link and page_requests.cookie_ref(link) == ref else None
