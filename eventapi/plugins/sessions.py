"""Third plugin: finds the session of a page by its cookie, and refuses forms that its own pages
have not made.

A page route names the kind of its link with the option `session`. The handler gets the visit, and
for a form `body` and `upload`. All that follows, also the transaction, runs inside of
`Visited.__call__`, so a form that is refused leaves nothing behind, and its page is shown again
with what was typed.
"""

import inspect
import json
import logging
import time
from collections import Counter
from collections.abc import Callable
from threading import Lock

from bottle import Route, request

from eventapi.domain.access import link_secrets, links, sessions
from eventapi.domain.events import events
from eventapi.errors import Problem, invalid_at, not_found
from eventapi.plugins.authentication import Who
from eventapi.plugins.validation import body_of
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError
from eventapi.storage.statements import statements
from eventapi.validation.schema_files import body_schema
from eventapi.web import client
from eventapi.web.html import (
    cookies,
    form_bodies,
    forms,
    page_requests,
    shell,
    tokens,
    typed_fields,
)
from eventapi.web.html.page_requests import Visit
from eventapi.web.json_bodies import parse, read_body
from eventapi.web.rest import Response
from eventapi.web.routes import JSON, Options

sql = statements("sessions")
log = logging.getLogger("eventapi.sessions")
SHOWN_AGAIN = (409, 412, 422, 429)
PER_MINUTE = 60  # forms of a session, in each process
MOST_JSON = 512 * 1024
LARGEST_ID = 2**63 - 1  # of SQLite


class Sessions:
    name, api = "sessions", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler as Visited. Routes without the option `session` stay as they are."""
        return Visited(callback, route) if route.config["options"].session else callback


class Visited:
    """The handler of one page, called with the visit."""

    def __init__(self, callback: Callable, route: Route):
        self.callback, self.options = callback, route.config["options"]
        self.takes = inspect.signature(route.callback).parameters
        self.sends_form = route.method == "POST" and JSON not in self.options.forms
        self.sends_json = route.method == "POST" and JSON in self.options.forms
        # of the pages with their words
        self.package = ".".join(route.callback.__module__.split(".")[:3])

    def __call__(self, ref: str | None = None, **ids: object) -> object:
        """Check session and form, and call the handler. Raise 403, 404 or what the handler raises."""
        environ = request.environ
        db = environ["eventapi.connections"].reader()
        if self.sends_form or self.sends_json:
            form_bodies.refuse_foreign(environ)
        elif home := shell.elsewhere():
            return home
        ref = ref or page_requests.ONE_COOKIE[self.options.session]
        visit = found(db, self.options, ref)
        if visit is None:
            return self.without_session(db, ref)
        environ["eventapi.who"], environ["eventapi.language"] = visit.who, visit.language
        if self.options.right and self.options.right not in visit.link["rights"]:
            raise not_found("page", shell.address())
        if any(isinstance(id, int) and id > LARGEST_ID for id in ids.values()):
            raise not_found("page", shell.address())
        values = {**ids, **({"visit": visit} if "visit" in self.takes else {})}
        if self.sends_json:
            raw = environ["eventapi.raw_body"] = read_body(environ, MOST_JSON)
            body = body_of(self.options.schema, "POST", environ["eventapi.config"].timezone)(
                parse(raw)
            )
            return self.callback(**values, body=body)
        if not self.sends_form:
            return self.callback(**values)
        return self.sent(visit, values, ids)

    def sent(self, visit: Visit, values: dict, ids: dict) -> object:
        """Call the handler of a form. Show the page of the form again if it is refused."""
        environ, options = request.environ, self.options
        try:
            if options.file is None:
                accept(visit, form_bodies.form(environ))
                return self.callback(**values, **self.body(visit))
            config = environ["eventapi.config"]
            with form_bodies.file_form(
                environ, config, options.file(config), lambda fields: accept(visit, fields)
            ) as (_, upload):
                if upload is None:
                    raise invalid_at("/file", "required", "choose a file")
                return self.callback(**values, **self.body(visit), upload=upload)
        except Problem as problem:
            if options.shows is None or problem.status not in SHOWN_AGAIN:
                raise
            visit.problem = problem
        db = environ["eventapi.connections"].reader()
        takes = inspect.signature(options.shows).parameters
        given = {"db": db, "visit": visit, **ids}
        return options.shows(**{name: given[name] for name in takes if name in given})

    def body(self, visit: Visit) -> dict:
        """Return `body`, the fields of the form by the schema of the route, if the handler takes
        it.
        """
        if "body" not in self.takes:
            return {}
        zone = request.environ["eventapi.config"].timezone
        values = forms.values(
            body_schema(self.options.schema, "POST"), visit.fields, visit.language
        )
        return {"body": body_of(self.options.schema, "POST", zone)(values)}

    def without_session(self, db: Database, ref: str) -> Response:
        """Return the page that asks to open the link again.

        It shows what was typed to those who can prove the link.
        """
        kind = self.options.session
        if kind == "door" and (secret := cookies.get(ref)) and sessions.find(db, secret):
            raise links.ended()
        if JSON in self.options.forms or kind == "door":
            raise Problem(
                "session_ended",
                "The page needs a session, and yours has ended or never began. Open your "
                "link again.",
            )
        if kind == "admin" and not self.sends_form:
            return page_requests.redirect(f"{shell.up()}desk/sign-in")
        kept, link = None, former_link(db, ref)
        if self.sends_form and self.options.file is None:
            fields = form_bodies.form(request.environ)
            named = links.by_ref(db, ref) if kind != "admin" else None
            # forms of /apply and /my differ
            sender = named if named and named["kind"] == kind else None
            owner = (
                owner_of(sender) if sender else former_owner(db, ref) if kind == "admin" else None
            )
            if owner and tokens.form_id(
                link_secrets.form_key(db), owner, fields.pop("form_token", [""])[0]
            ):
                kept, link = fields, sender or link
        language = page_requests.language_of(link and link["language"])
        return page_requests.told(
            "ended",
            status=403,
            kind=kind,
            language=language,
            is_kept=kept is not None,
            kept=self.typed(db, link, language, kept) if kept else [],
            home=shell.up()
            + (
                "desk/sign-in"
                if kind == "admin"
                else {"participant": "my/", "application": "apply/"}[kind]
            ),
        )

    def typed(
        self, db: Database, link: dict | None, language: str, fields: dict
    ) -> list[tuple[str, str]]:
        """Return (label, text) of what was typed into a form."""
        if self.options.typed:
            return self.options.typed(db, link, language, fields)
        schema = self.options.schema and body_schema(self.options.schema, "POST")
        return typed_fields.labelled(fields, page_requests.words(self.package, language), schema)


def former_session(db: Database, ref: str) -> dict | None:
    """Return the row of the session, open or not, whose cookie the browser still has, or None."""
    secret = cookies.get(ref)
    return secret and sessions.find(db, secret)


def former_link(db: Database, ref: str) -> dict | None:
    """Return the link of the session whose cookie the browser still has, or None."""
    session = former_session(db, ref)
    link = session and session["link_id"] and links.get(db, session["link_id"])
    return link if link and page_requests.cookie_ref(link) == ref else None


def former_owner(db: Database, ref: str) -> str | None:
    """Return whom the forms of a session at the desk were for that has ended, or None."""
    session, link = former_session(db, ref), former_link(db, ref)
    admin_id = link["admin_id"] if link else session and session["admin_id"]
    return admin_id and f"admin {admin_id}"


class Pace:
    """How many forms each session has sent in this minute, counted in this process."""

    def __init__(self):
        self.minute, self.sent, self.lock = 0, Counter(), Lock()

    def check(self, session: int) -> None:
        """Count a form.

        Raise 429 for more than PER_MINUTE of a session: that is a program, or a key that is stuck.
        """
        minute, second = divmod(int(time.monotonic()), 60)
        with self.lock:
            if minute != self.minute:
                self.minute, self.sent = minute, Counter()
            self.sent[session] += 1
            if self.sent[session] > PER_MINUTE:
                raise Problem(
                    "rate_limited",
                    f"A session sends at most {PER_MINUTE} forms in a minute. Wait for the "
                    "seconds in Retry-After.",
                    headers={"Retry-After": str(60 - second)},
                )


PACE = Pace()


def accept(visit: Visit, fields: dict) -> None:
    """Take the texts of a form. Raise 403 if its token is not that of the visitor."""
    visit.form_id = tokens.form_id(visit.key, visit.owner, fields.pop("form_token", [""])[0])
    if visit.form_id is None:
        raise Problem(
            "session_ended",
            "The form was not made for this session. Open the page again, and send it from there.",
        )
    visit.fields = fields
    PACE.check(hash(cookies.get(visit.ref)))
    request.environ["eventapi.form_id"], request.environ["eventapi.form_owner"] = (
        visit.form_id,
        visit.owner,
    )
    request.environ["eventapi.raw_body"] = json.dumps(
        [sorted(fields.items()), request.environ.get("CONTENT_LENGTH")]
    ).encode()


def owner_of(link: dict) -> str:
    """Return whom the tokens of a link's forms are for. At the desk, that is the admin."""
    return f"admin {link['admin_id']}" if link["kind"] == "admin" else f"link {link['id']}"


def found(db: Database, options: Options, ref: str) -> Visit | None:
    """Return the visit of the request, or None without a session that is open.

    Raise 404 if the feature of the page is disabled.
    """
    secret = cookies.get(ref)
    session = secret and sessions.find(db, secret)
    if not session or not sessions.is_open(session, options.session):
        return None
    if options.flag in (session["disabled_flags"] or "").split():
        raise not_found("page", shell.address())
    link = session["link_id"] and links.get(db, session["link_id"])
    if link is None:
        return at_desk(db, session) if options.session == "admin" else None
    if (
        link["kind"] != options.session
        or page_requests.cookie_ref(link) != ref
        or link["status"] == "revoked"
        or (link["status"] == "expired" and link["kind"] != "door")
    ):
        return None
    if sessions.needs_touch(session):
        touch(db, session)
    admin = link["admin_id"] and db.one(statements("api_keys").admin, id=link["admin_id"])
    if admin and not admin["is_active"]:
        return None
    who = actor(
        session,
        None,
        admin and admin["id"],
        admin["name"] if admin else f"link {link['id']}",
        frozenset(link["rights"]) if admin else frozenset(),
    )
    event = link["event_id"] and events.get(db, link["event_id"])
    return Visit(
        options.session,
        ref,
        link,
        session,
        event,
        who,
        owner_of(link),
        link_secrets.form_key(db),
        page_requests.language_of(link["language"]),
    )


def at_desk(db: Database, session: dict) -> Visit:
    """Return the visit of a session that an API key has opened."""
    if sessions.needs_touch(session):
        touch(db, session)
    who = actor(
        session,
        session["api_key_id"],
        session["admin_id"],
        session["admin_name"],
        frozenset(session["scopes"].split()),
    )
    return Visit(
        "admin",
        "desk",
        None,
        session,
        None,
        who,
        f"admin {session['admin_id']}",
        link_secrets.form_key(db),
        page_requests.language_of(),
    )


def actor(
    session: dict, key_id: int | None, admin_id: int | None, name: str, scopes: frozenset
) -> Who:
    """Return the caller of the request, as the journal records it."""
    return Who(
        key_id,
        admin_id,
        name,
        scopes,
        session["tier"],
        frozenset((session["disabled_flags"] or "").split()),
        request.environ["eventapi.request_id"],
        client.address(),
        client.agent(),
    )


def touch(db: Database, session: dict) -> None:
    """Record the use of a session, unless the database is busy: the request must neither wait nor
    fail for it.
    """
    try:
        with db.write(wait=0):
            sessions.touch(db, session)
    except StorageError as error:
        log.debug("the use of session %s was not recorded: %s", session["id"], error)
