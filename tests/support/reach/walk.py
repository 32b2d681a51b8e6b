"""The walk: breadth first over the steps of an attacker, until records are reached that the start
may not reach.
"""

import json
import re
import sqlite3
from dataclasses import dataclass, field
from hashlib import sha256

from tests.support.client import add_key
from tests.support.reach.person import Person, service_of
from tests.support.reach.steps import EDGES, MAILBOXES, Scene, application_body
from tests.support.reach.world import BEGINS, OWNERS, World, address_of, mark

# Tables that decide what a person reaches. Two states whose rows are equal here are one state.
DECIDING = (
    "contacts",
    "applications",
    "application_categories",
    "participants",
    "badge_aliases",
    "invoices",
    "links",
    "link_secrets",
    "sessions",
    "link_requests",
    "mails",
)
RANDOM = re.compile(r"ref|badge_number|message_id|lease|.*_hash|.*sha256|.*_at|e_invoice_.*")
ADDRESSES = tuple(MAILBOXES.values())
TIMES = re.compile(r"(created|email_\w+|decided)_at")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass
class State:
    """A copy of everything, to which a walk returns."""

    rows: sqlite3.Connection
    person: tuple
    clock: str
    chain: tuple = ()


@dataclass
class Finding:
    """Records that a start must not reach, and the steps that lead to them."""

    start: str
    chain: tuple
    records: dict = field(default_factory=dict)

    def __str__(self):
        steps = [
            f"{method} {path}" + (f" {json.dumps(body)}" if body else "")
            for method, path, body in self.chain
        ]
        shown = {}
        for (owner, kind), place in self.records.items():
            shown.setdefault(place, []).append(f"{mark(owner, kind)}")
        ends = [f"{place} shows {', '.join(found)}" for place, found in shown.items()]
        return f"{self.start}: " + " -> ".join([*steps, "; ".join(ends)])


class Bench:
    """The world with its attacker, as every walk begins with it."""

    def __init__(self, app, clock):
        self.app, self.db, self.clock = app, app.db, clock
        self.service = service_of(app.app.app)
        self.world = World(app.organiser, app.db, clock)
        clock.now = BEGINS
        self.register_victim()
        self.attacker = Person(self.service, self.world, ADDRESSES)
        self.settle()
        self.attacker.look()
        self.begin = self.save(self.attacker)
        self.ended = {}  # fingerprint of a state -> what its pages and its harvest reach
        self.followed = {}  # fingerprint after a step -> that after its links were opened

    def register_victim(self):
        """Let the visitor R register with the public form."""
        visitor = Person(self.service, self.world, [address_of("R")])
        visitor.fill_in("visit", address_of("R"), company_name=mark("R", "application"))
        visitor.open_all()
        self.world.registered("R")

    def settle(self):
        """Let the attacker get honestly what everybody gets: a booth of its own, and a badge of a
        visitor.
        """
        for form, owner, letter in (("apply", "M", "m"), ("visit", "W", "w")):
            address = MAILBOXES[letter]
            self.attacker.fill_in(form, address)
            self.attacker.open_all()
            self.approve_all()
            self.attacker.open_all()
            application = self.world.office.read("/applications?sort=id&order=desc")[0]
            self.world.contacts[owner] = application["contact_id"]
            self.world.applications[owner] = application["id"]
            rows = self.world.office.read(f"/participants?contact_id={application['contact_id']}")
            self.world.participants[owner] = rows[0]["id"]
        self.attacker.cross()
        self.world.links["M"] = [
            link["id"] for link in self.world.office.read(f"/links?email={MAILBOXES['m']}")
        ]
        self.attacker.open_all()

    def approve_all(self, addresses=ADDRESSES):
        """Let the office approve all applications of some addresses, as it does with those of
        strangers.
        """
        office = Person(self.service, self.world, [], self.world.office.client.key)
        for application in office.api("GET", "/applications?status=new&per_page=100").data:
            if application["email"] in addresses:
                office.api("POST", f"/applications/{application['id']}/approve", {"mail": True})

    # States

    def save(self, person, chain=()):
        rows = sqlite3.connect(":memory:")
        self.db.connection.backup(rows)
        return State(rows, person.state(), self.clock.now, chain)

    def restore(self, state, person):
        state.rows.backup(self.db.connection)
        self.clock.now = state.clock
        person.restore(state.person)

    def fingerprint(self):
        """Return what decides how far a person gets: rows without random values, and times in their
        order.
        """
        rows, times = [], set()
        for table in DECIDING:
            cursor = self.db.connection.execute(f"SELECT * FROM {table} ORDER BY 1")
            names = [column[0] for column in cursor.description]
            rows += [(table, dict(zip(names, values, strict=True))) for values in cursor.fetchall()]
        times = sorted(
            {
                value
                for _, row in rows
                for name, value in row.items()
                if TIMES.fullmatch(name) and value and value > BEGINS
            }
        )
        rank = {value: place for place, value in enumerate(times)}
        deciding = [
            (
                table,
                *(
                    value
                    if not RANDOM.fullmatch(name)
                    else rank.get(value, -1)
                    if TIMES.fullmatch(name) and table in DECIDING[:4]
                    else value is not None
                    for name, value in row.items()
                ),
            )
            for table, row in rows
        ]
        return sha256(repr(deciding).encode()).digest()

    # Starts

    def with_key(self, scopes):
        """Return the attacker with a key, and the contact and the applications that it has made
        with it.
        """
        person = Person(self.service, self.world, ADDRESSES)
        self.restore(self.begin, person)
        person.key = add_key(self.db, " ".join(scopes)) if scopes else None
        if person.key:
            person.api("POST", "/contacts", {"company_name": "Own Ltd", "email": MAILBOXES["n"]})
            person.api("POST", "/applications", application_body("guests", MAILBOXES["v"]))
            person.api("POST", "/applications", application_body("gold", MAILBOXES["y"]))
        return person


class Walk:
    """One walk of a person from a start to everything within a number of steps."""

    def __init__(self, bench, name, person, allowed, depth):
        self.bench = bench
        self.name = name
        self.person = person
        self.allowed = allowed
        self.depth = depth
        self.findings, self.refused, self.states, self.tried = [], set(), 0, 0

    def run(self, victims=OWNERS):
        """Walk for each victim, and return the findings."""
        begin = self.bench.save(self.person)
        self.judge((), "xnvy")
        for victim in victims:
            self.bench.restore(begin, self.person)
            self.walk(begin, Scene(self.bench.world, self.person, victim))
        return self.findings

    def walk(self, begin, scene):
        seen, states = {self.bench.fingerprint()}, [begin]
        for _ in range(self.depth):
            following = []
            for state in states:
                following += self.expand(state, scene, seen)
            states = following

    def expand(self, state, scene, seen):
        """Try all steps of a state. Return the new states that are worth going on from."""
        following, is_dirty = [], True
        self.bench.restore(state, self.person)
        for step in list(steps(scene)):
            if as_key(step) in self.refused or (
                state.chain and is_same_change(state.chain[-1], step)
            ):
                continue
            if is_dirty:
                self.bench.restore(state, self.person)
            is_dirty = self.take(step)
            if is_dirty and (new := self.arrive((*state.chain, step), scene, seen)):
                following.append(new)
        return following

    def arrive(self, chain, scene, seen):
        """Judge the state after a step. Return it if it is new and worth going on from."""
        first = self.bench.fingerprint()
        if first in self.bench.followed and len(chain) == self.depth:
            mark_of_state = self.bench.followed[first]
        else:
            self.follow()
            mark_of_state = self.bench.followed[first] = self.bench.fingerprint()
        if mark_of_state in seen:
            return None
        seen.add(mark_of_state)
        self.states += 1
        new = self.bench.save(self.person, chain) if len(chain) < self.depth else None
        is_wrong = self.judge(chain, scene.involved(chain), mark_of_state)
        return None if is_wrong else new

    def take(self, step):
        """Send the request of a step.

        Return whether it was accepted. A step that gets 403 is not tried again.
        """
        self.tried += 1
        answer = self.person.api(*step)
        if answer.status == 403:
            self.refused.add(as_key(step))
        return answer.status < 300

    def follow(self):
        """Open all links that came, and go from the pages of applications to those of exhibitors."""
        self.person.open_all()
        self.person.cross()
        self.person.open_all()

    def judge(self, chain, letters, mark_of_state=None):
        """Look at all pages, then use the public forms.

        Return whether something was reached that must not be.

        `letters` are those of the own mailboxes that the steps have to do with.
        """
        mark_of_state = mark_of_state or self.bench.fingerprint()
        if mark_of_state not in self.bench.ended:
            before, self.person.reached = self.person.reached, {}
            self.person.look()
            if letters:
                self.harvest(letters)
            self.bench.ended[mark_of_state], self.person.reached = self.person.reached, before
        reached = {**self.bench.ended[mark_of_state], **self.person.reached}
        records = {record: place for record, place in reached.items() if record not in self.allowed}
        if records:
            self.findings.append(Finding(self.name, chain, records))
        return bool(records)

    def harvest(self, letters):
        """Register and apply with own addresses, let the office approve, ask for new links, and
        look at what is new.
        """
        person, known = self.person, list(self.person.homes)
        for letter in sorted({"x", "n"} & set(letters)):
            for form in ("visit", "apply"):
                person.fill_in(form, MAILBOXES[letter])
                person.phase += f"form {form} with {letter} -> "
        person.open_all()
        person.look([home for home in person.homes if home not in known])
        person.phase += "the office approves -> "
        self.bench.approve_all()
        self.follow()
        for letter in sorted(letters):
            person.phase += f"new link for {letter} -> "
            person.ask_for_link(MAILBOXES[letter])
        self.follow()
        person.look([home for home in person.homes if home not in known])
        person.phase = ""


def steps(scene):
    """Yield (method, path, body) of all requests of EDGES."""
    for route, requests in EDGES.items():
        for path, body in requests(scene):
            yield route.partition(" ")[0], path, body


def is_same_change(one, other):
    """Return whether two steps change the same record, one after the other: one request could
    change both.
    """
    return one[1] == other[1] and {one[0], other[0]} <= {"PATCH", "PUT"}


def as_key(step):
    return json.dumps(step)
