"""How far a key or a session gets by links, mails and pages: no further than the table of
tests/support/reach says.

The walk tries every step of tests/support/reach/steps.py, opens all that comes by mail, and reads
every page that it can open. `make test` walks each scope alone and each session, one step deep;
`make reach` also walks two steps, each pair of scopes, and all scopes but one. A failure reads as
the attack that was found.
"""

import ast
import os
import re
from itertools import combinations
from pathlib import Path

import pytest

from eventapi import paths
from eventapi.app import routes
from eventapi.domain.access import roles
from eventapi.domain.access.api_keys import SCOPES
from eventapi.domain.subjects import MAILS
from eventapi.validation.schema_files import document, query_schema, resolved
from tests.support.client import add_key
from tests.support.reach import sessions
from tests.support.reach.steps import EDGES, LEFT_OUT, OPEN
from tests.support.reach.table import DOOR, GIVES, MAILED, READS, ROLES, SESSIONS, allowed, pairs
from tests.support.reach.walk import Finding, Walk
from tests.support.reach.world import KINDS, OWNERS

ALL = bool(os.environ.get("REACH"))
# Scopes that the steps need, or the rights of a link. No step asks for another one.
ACTIVE = ("contacts", "applications", "participants", "links")
PAIRS = ["links applications", "contacts applications"]  # rows of the table
if ALL:
    PAIRS = [" ".join(pair) for pair in combinations(READS, 2)]
BUT_ONE = [f"all but {scope}" for scope in READS] if ALL else []
STARTS = ["", *READS, *PAIRS, *BUT_ONE]
# The parameters that lists require.
ASKED = {"event_key": "fair", "year": "2027", "entity_type": "contact", "entity_id": "1"}
ROOT = Path(paths.__file__).parent


@pytest.fixture(autouse=True)
def events_are_documented():
    """Leave out the check of events, of which a walk causes thousands: the tests of the rules make
    it.
    """


# Keys


def test_the_table_has_every_scope():
    assert tuple(READS) == SCOPES


@pytest.mark.parametrize("scope", READS)
def test_a_key_reads_with_get_what_the_table_says(bench, scope):
    """So the table is not wider than the API: what it allows, a key need not get by a link."""
    person = sessions.begin(bench, [])
    person.key = add_key(bench.db, scope)
    for route in routes():
        if route.method == "GET" and route.path.startswith("/api/v1/"):
            for path in addresses(route):
                if person.api("GET", path).status == 403:
                    break
    assert {kind for _, kind in person.reached} == {*READS[scope].split()}


def addresses(route):
    """Yield the paths of a GET route below /api/v1: with everything that `include` adds, and with
    the first ids.
    """
    options = route.options
    names = (
        query_schema(options.query, listing=options.listing).get("properties", {})
        if options.query
        else {}
    )
    query = [
        f"{name}={value}" for name, value in ASKED.items() if name in query_required(route, names)
    ]
    if "include" in names:
        values = resolved(names["include"], document(options.singular))["items"]["enum"]
        query.append(f"include={','.join(values)}")
    if options.listing:
        query.append("per_page=100")
    path = route.path.removeprefix("/api/v1").replace("<entity_type>", "contact")
    for id in range(1, 8) if "<" in path else [0]:
        yield re.sub("<[^>]+>", str(id), path) + ("?" + "&".join(query) if query else "")


def query_required(route, names):
    """Return the parameters of ASKED that a route cannot do without."""
    ends = ("/schedules", "/badges", "/roster", "/stats", "/notes", "/datev", "/recapitulative")
    return names if route.path.endswith(ends) else ()


@pytest.mark.parametrize("start", STARTS)
def test_a_key_reaches_no_more_than_it_may_read(bench, start):
    """By links, mails, public forms, and changes of whose a record is."""
    but = start.removeprefix("all but ")
    scopes = [scope for scope in SCOPES if scope != but] if but != start else start.split()
    if allowed(scopes) >= {(owner, kind) for owner in OWNERS for kind in KINDS}:
        return  # nothing is hidden from such a key
    depth = 2 if ALL and len(scopes) == 1 else 1
    findings = Walk(
        bench, f"key {start or 'none'}", bench.with_key(scopes), allowed(scopes), depth
    ).run()
    assert not findings, told(findings)


def told(findings):
    """Return the attacks that were found, the shortest first."""
    found = sorted(map(str, findings), key=len)
    return "\n".join([f"{len(found)} chains lead too far:", *found[:40]])


def test_the_walk_reports_what_the_table_does_not_allow(bench):
    """The walk of a key that may not even see what it changes finds the steps that show it."""
    findings = Walk(bench, "key contacts", bench.with_key(["contacts"]), set(), 1).run("I")
    said = told(findings)
    assert 'key contacts: PATCH /contacts/3 {"email": "x@evil.example"} -> ' in said
    assert "PATCH /api/v1/contacts/3 shows ZqIcontactx" in said


# Sessions


@pytest.mark.parametrize("start", SESSIONS)
def test_a_session_reaches_what_the_table_says(bench, start):
    """All of it, and nothing else, whatever the person sends with the public forms and asks for."""
    name, arguments, may = SESSIONS[start]
    person = getattr(sessions, name)(bench, *arguments)
    sessions.exhaust(bench, person)
    too_far = {
        record: place for record, place in person.reached.items() if record not in pairs(may)
    }
    assert not too_far, str(Finding(f"session {start}", (), too_far))
    assert set(person.reached) == pairs(may)


@pytest.mark.parametrize("scope", READS)
def test_the_desk_shows_what_the_scope_of_its_key_reads(bench, scope):
    person = sessions.desk(bench, scope)
    assert person.homes == ["/desk/"] and person.get("/desk/").status == 200
    person.look()
    kinds = {kind for _, kind in person.reached}
    assert kinds <= {*READS[scope].split()}
    assert kinds or scope not in (
        "contacts",
        "applications",
        "invoices",
        "participants",
        "submissions",
    )


@pytest.mark.parametrize("role", ROLES)
def test_a_person_of_a_role_sees_what_the_table_says(bench, role):
    """All of it, and nothing else, also with the public forms and the mails to the own address."""
    person = sessions.colleague(bench, role)
    assert person.homes == ["/desk/"] and person.get("/desk/").status == 200
    sessions.exhaust(bench, person)
    assert {kind for _, kind in person.reached} == {*ROLES[role].split()}


def test_a_person_at_the_door_reaches_no_more_by_links_and_mails(bench):
    """Of all roles, only this one does not read all kinds of records."""
    scopes = roles.ROLES["door"]
    assert {scope.removesuffix(":read") for scope in scopes} == {*DOOR.split()}
    findings = Walk(bench, "role door", bench.with_key(scopes), allowed(DOOR.split()), 1).run()
    assert not findings, told(findings)


# The lists


def test_every_route_that_could_lead_somewhere_is_a_step_or_left_out_with_a_reason():
    known = {*(route.replace(" /", " /api/v1/", 1) for route in EDGES), *OPEN, *LEFT_OUT}
    parts = "contacts applications participants links bulk-import link my apply e desk door".split()
    found = set()
    for route in routes():
        first = route.path.removeprefix("/api/v1").split("/")[1]
        if route.method != "GET" and first in parts:
            found.add(f"{route.method} {route.path}")
    assert found == known, (
        "add a new route to EDGES of tests/support/reach/steps.py, or say why it leads nowhere"
    )
    assert all(LEFT_OUT.values())


def test_links_secrets_and_sessions_are_made_by_the_modules_of_the_list():
    """A new module among them is a new way to reach something: it needs a step of the walk."""
    found = {function: set() for function in GIVES}
    for file in ROOT.rglob("*.py"):
        text = file.read_text()
        for function in [function for function in GIVES if f"{function.split('.')[1]}(" in text]:
            if calls(file, text, *function.split(".")):
                found[function].add(str(file.relative_to(ROOT)))
    assert found == {function: {*modules.split()} for function, modules in GIVES.items()}


def test_mails_with_a_secret_are_the_kinds_of_the_list():
    """A new kind that leads to another link needs a step of the walk."""
    found = {}
    for kind, mail in MAILS.items():
        finds = mail.link_of or mail.prepare
        if finds and finds.__name__ in ("link_of", "with_secret"):
            found.setdefault(finds.__module__.removeprefix("eventapi.domain."), set()).add(kind)
    assert found == {module: {*kinds.split()} for module, kinds in MAILED.items()}


def calls(file, text, module, name):
    """Return whether a file uses a function of a module, which it may have imported under another
    name.
    """
    nodes = list(ast.walk(ast.parse(text)))
    imports = [
        (node.module or "", alias)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    modules = {alias.asname or module for _, alias in imports if alias.name == module}
    functions = {
        alias.asname or name
        for source, alias in imports
        if alias.name == name and source.endswith(f".{module}")
    }
    if file.stem == module:
        functions |= {
            node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name
        }
    for node in nodes:
        if (
            isinstance(node, ast.Attribute)
            and node.attr == name
            and isinstance(node.value, ast.Name)
        ):
            if node.value.id in modules:
                return True
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in functions
        ):
            return True
    return False
