"""People of the office: who may give which rights, the last owner, addresses, and what ends with
what.
"""

import json
import threading
from datetime import datetime, timedelta

import pytest

from eventapi import times
from eventapi.domain.access import api_keys, link_secrets, people, roles, sessions
from eventapi.errors import Problem
from eventapi.plugins.authentication import Who
from eventapi.storage.database import Database, Nobody

ROLES = ("owner", "office", "finance", "door", "reader")
# Role whose scopes somebody has -> roles that these cover. With `team`, it gives and takes them.
COVERED = {
    "owner": "owner office finance door reader",
    "office": "office door reader",
    "finance": "finance",
    "door": "door",
    "reader": "reader",
}
# scope -> what the roles may do with it, in the order of ROLES: x reads and writes, r reads
MATRIX = """
events              x x r r r
contacts            x x x r r
participants        x x r r r
applications        x x r - r
categories          x x r - r
invoices            x x x - r
payments            x r x - r
booths              x x r - r
plans               x x r - r
services            x x r - r
service_orders      x x r - r
documents           x x x - r
submissions         x x r - r
tasks               x x x - r
checkins            x x r x r
schedules           x x r r r
calendar-feed       x x r - r
custom_fields       x x r - r
newsletter          x x - - r
webhooks            x - - - -
reports             x r x - r
audit               x r r - r
links               x x - x r
settings            x r r - r
team                x - - - -
"""


@pytest.fixture
def person(db):
    """Return a function that makes a person who has signed in, and returns the id."""

    def make(role, name=None, *, has_signed_in=True, scopes=None):
        count = len(people.all_people(db))
        actor, db.actor = db.actor, Nobody
        with db.write():
            email = f"p{count}@messe.example"
            id = people.invite(db, name or f"Person {count}", email, role, scopes)
            if has_signed_in:
                people.record_sign_in(db, id)
        db.actor = actor
        return id

    return make


@pytest.fixture
def acting(db, person):
    """Return a function that lets somebody with these scopes act, and returns the id.

    It is no owner, so that the last one is another.
    """

    def act(scopes, id=None, key_id=None):
        id = id or person("custom", scopes=["events:read"])
        db.actor = Who(
            key_id, id, "Acting", frozenset(scopes), "Business+", frozenset(), "req", None, None
        )
        return id

    yield act
    db.actor = Nobody


def refused(db, act, *given, **more):
    """Return the Problem of a function that is refused, or None. What it has done is undone."""
    try:
        with db.write():
            act(db, *given, **more)
            raise ZeroDivisionError
    except ZeroDivisionError:
        return None
    except Problem as problem:
        return problem


def entries(db, since=0):
    """Return (action, old, new) of the audit entries about people."""
    rows = db.connection.execute(
        "SELECT action, old_values, new_values FROM audit_log WHERE entity_type = 'admin' AND id > ? ORDER BY id",
        (since,),
    )
    return [(action, *(text and json.loads(text) for text in texts)) for action, *texts in rows]


def last_entry(db):
    return db.connection.execute("SELECT max(id) FROM audit_log").fetchone()[0]


# Roles


def test_the_roles_have_the_scopes_of_the_table():
    table = {}
    for line in MATRIX.split("\n")[1:-1]:
        scope, *marks = line.split()
        for role, mark in zip(ROLES, marks, strict=True):
            if mark != "-":
                table.setdefault(role, set()).add(scope if mark == "x" else f"{scope}:read")
    assert {role: set(scopes) for role, scopes in roles.ROLES.items()} == table
    assert list(roles.ROLES) == list(ROLES) and roles.ORDER == (*ROLES, "custom")


def test_a_scope_covers_reading():
    assert roles.covers(["events"], "events:read") and roles.covers(["events"], "events")
    assert roles.covers(["events:read"], "events:read")
    assert not roles.covers(["events:read"], "events") and not roles.covers([], "team")


def test_a_set_of_ones_own_has_each_scope_once_and_in_order():
    given = ["team", "payments:read", "events:read", "events", "payments:read"]
    assert roles.scopes_of("custom", given) == ["events", "team", "payments:read"]


@pytest.mark.parametrize(
    "role, scopes, name, code",
    [
        ("custom", None, "scope", "required"),
        ("custom", [], "scope", "required"),
        ("custom", ["evnts"], "scope", "unknown"),
        ("custom", ["team:read"], "scope", "unknown"),
        ("custom", ["public"], "scope", "unknown"),
        ("ownr", None, "role", "unknown"),
        ("door", ["events"], "scope", "not_allowed"),
    ],
)
def test_a_set_that_is_none_is_refused(role, scopes, name, code):
    with pytest.raises(Problem) as error:
        roles.scopes_of(role, scopes)
    (fault,) = error.value.errors
    assert (fault["parameter"], fault["code"]) == (name, code)


# Who gives and takes rights


@pytest.mark.parametrize("has_team", [True, False])
@pytest.mark.parametrize("giver", ROLES)
def test_who_changes_a_person_needs_team_and_all_that_the_person_has_and_gets(
    db, person, acting, giver, has_team
):
    person("owner")
    targets = {role: person(role) for role in ROLES}
    scopes = [scope for scope in roles.ROLES[giver] if scope != "team"]
    acting([*scopes, "team"] if has_team else scopes)
    covered = COVERED[giver].split() if has_team else []
    for role, id in targets.items():
        reach = role in covered
        for new in ROLES:
            if new == role:
                continue
            allowed = reach and new in covered
            assert (refused(db, people.change_rights, id, new) is None) == allowed, (role, new)
        for act, *given in (
            (people.rename, "Ada"),
            (people.change_email, "ada@messe.example"),
            (people.set_language, "en"),
            (people.disable,),
            (people.reset,),
            (people.end_sessions,),
            (people.record_invitation, "shown"),
        ):
            problem = refused(db, act, id, *given)
            assert (problem is None) == reach, (role, act)
            assert reach or problem.code == "insufficient_scope"
        secret = refused(db, people.make_secret, id, way="shown", lasts=timedelta(minutes=1))
        assert (secret is None) == reach
        invited = refused(db, people.invite, "Ada", "ada@messe.example", role)
        assert (invited is None) == reach


def test_a_refusal_names_all_that_is_missing(db, person, acting):
    person("owner")
    id = person("door")
    acting(["events", "checkins", "team"])
    problem = refused(db, people.change_rights, id, "custom", ["events", "payments", "tasks:read"])
    missing = "payments, links, contacts:read, participants:read, tasks:read, schedules:read"
    assert problem.members["scope"] == missing
    assert problem.status == 403 and "schedules:read" in problem.detail


def test_the_command_line_may_do_everything_but_with_the_last_owner(db, person):
    id = person("owner")
    other = person("reader")
    assert people.lacking(db, people.get(db, id), ["team"]) == []
    assert refused(db, people.change_rights, other, "owner") is None
    assert refused(db, people.change_rights, id, "reader").code == "last_owner"


def test_somebody_with_a_key_of_more_rights_is_left_alone(db, person, acting):
    id = person("door")
    with db.write():
        key, _ = api_keys.create_key(db, "shop", ["payments"], admin_id=id)
    acting([*roles.ROLES["door"], "team"])
    assert refused(db, people.disable, id).members["scope"] == "payments"
    db.actor = Nobody
    with db.write():
        api_keys.revoke_key(db, key)
    acting([*roles.ROLES["door"], "team"])
    assert refused(db, people.disable, id) is None


def test_people_name_themselves_but_not_with_an_api_key(db, person, acting):
    id = person("door")
    for act, given in ((people.rename, "Ada"), (people.set_language, "en")):
        acting(roles.ROLES["door"], id)
        assert refused(db, act, id, given) is None
        acting(roles.ROLES["door"], id, key_id=1)
        assert refused(db, act, id, given).code == "insufficient_scope"
    acting(roles.ROLES["door"], id)
    assert refused(db, people.end_sessions, id) is None
    assert refused(db, people.change_email, id, "x@messe.example").code == "insufficient_scope"
    assert refused(db, people.change_rights, id, "reader").code == "insufficient_scope"


# The last owner


def test_the_last_owner_stays(db, person):
    id = person("owner")
    for act, *given in ((people.disable,), (people.change_rights, "office")):
        problem = refused(db, act, id, *given)
        assert (problem.code, problem.status) == ("last_owner", 409)
        assert "Make another person owner first." in problem.detail
    person("owner", has_signed_in=False)  # an invitation is no owner
    assert refused(db, people.disable, id).code == "last_owner"
    second = person("owner")
    assert refused(db, people.disable, id) is None
    with db.write():
        people.disable(db, second)
    assert refused(db, people.disable, id).code == "last_owner"


def test_an_owner_who_has_not_signed_in_can_be_taken_back(db, person):
    person("owner")
    invited = person("owner", has_signed_in=False)
    assert refused(db, people.disable, invited) is None
    assert refused(db, people.change_rights, invited, "reader") is None


def test_an_account_that_is_opened_again_counts_after_signing_in(db, person):
    first = person("owner")
    with db.write():
        admin = api_keys.add_admin(db, "Grace")
        people.record_sign_in(db, admin)  # as by `desk link`: no account, so nothing is recorded
        people.open_account(db, admin, "owner", email="grace@messe.example")
    assert [owner["id"] for owner in people.owners(db)] == [first]
    assert refused(db, people.disable, first).code == "last_owner"


def test_of_two_owners_who_take_the_role_from_each_other_one_stays(db, settings, person):
    ids = [person("owner"), person("owner")]
    start, results = threading.Barrier(2), []

    def demote(actor, target):
        own = Database(settings)
        scopes = frozenset(roles.ROLES["owner"])
        own.actor = Who(None, actor, "x", scopes, "Business+", frozenset(), "req", None, None)
        start.wait()
        try:
            with own.write(wait=10):
                people.change_rights(own, target, "reader")
            results.append("changed")
        except Problem as problem:
            results.append(problem.code)
        own.close()

    threads = [threading.Thread(target=demote, args=pair) for pair in (ids, ids[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["changed", "last_owner"] and len(people.owners(db)) == 1


# Addresses


@pytest.mark.parametrize(
    "email", [None, "", " ", "x", "x@", "a b@messe.example", "x" * 250 + "@a.de"]
)
def test_an_account_needs_an_address(db, email):
    problem = refused(db, people.invite, "Ada", email, "door")
    assert [fault["parameter"] for fault in problem.errors] == ["email"]


@pytest.mark.parametrize("other", ["BÜRO@messe.example", "büro@MESSE.example"])
def test_the_case_of_an_umlaut_makes_no_other_address(db, person, other):
    with db.write():
        first = people.invite(db, "Ada", "büro@messe.example", "door")
        grace = people.invite(db, "Grace", "grace@messe.example", "door")
    for act, *given in (
        (people.invite, "Eve", other, "door"),
        (people.change_email, grace, other),
    ):
        (fault,) = refused(db, act, *given).errors
        assert (fault["parameter"], fault["code"]) == ("email", "unique")
    assert people.by_address(db, other)["id"] == first


def test_an_address_has_one_active_account_in_any_case(db, person):
    person("owner")
    with db.write():
        first = people.invite(db, "Ada", " ada@messe.example ", "door")
        other = people.invite(db, "Grace", "grace@messe.example", "door")
        record = api_keys.add_admin(db, "Record", "ada@messe.example")  # without an account
    for act, *given in (
        (people.invite, "Eve", "ADA@messe.example", "door"),
        (people.change_email, other, "Ada@messe.example"),
        (people.open_account, record, "door"),
    ):
        (fault,) = refused(db, act, *given).errors
        assert (fault["parameter"], fault["code"]) == ("email", "unique")
    assert people.by_address(db, "ADA@MESSE.example ")["id"] == first
    with db.write():
        people.disable(db, first)
        people.open_account(db, record, "door")
    assert people.by_address(db, "ada@messe.example")["id"] == record
    (fault,) = refused(db, people.enable, first).errors
    assert fault["code"] == "unique"
    with db.write():
        people.change_email(db, first, "ada@messe.example")  # it is disabled
        people.change_email(db, record, "record@messe.example")
        people.enable(db, first)
    assert people.by_address(db, "ada@messe.example")["id"] == first


# What ends


def opened(db, admin_id=None, *, api_key_id=None, scopes=None, own_device=False):
    """Open a session at the desk, and return its secret."""
    with db.write():
        return sessions.add(
            db,
            admin_id=admin_id,
            api_key_id=api_key_id,
            scopes=scopes,
            way=None if api_key_id else "password",
            own_device=own_device,
        )


def is_open(db, secret):
    return sessions.is_open(sessions.find(db, secret), "admin")


def scopes_of(db, secret):
    return sessions.find(db, secret)["scopes"].split()


def test_rights_are_read_at_each_request_and_rights_of_a_session_end_with_a_change(db, person):
    person("owner")
    id = person("office")
    usual, limited = opened(db, id), opened(db, id, scopes=["events"])
    assert scopes_of(db, usual) == list(roles.ROLES["office"])
    assert scopes_of(db, limited) == ["events"]
    with db.write():
        link = people.make_secret(db, id, way="mailed", lasts=timedelta(days=1))
        other = people.make_link(db, id, ["events"])
        people.change_rights(db, id, "door")
    assert scopes_of(db, usual) == list(roles.ROLES["door"]) and is_open(db, usual)
    assert not is_open(db, limited)
    assert link_secrets.find(db, link) and not link_secrets.find(db, other)


def test_disabling_ends_all_and_enabling_brings_no_session_back(db, person):
    person("owner")
    id = person("door")
    with db.write():
        key, _ = api_keys.create_key(db, "till", ["checkins"], admin_id=id)
        link = people.make_secret(db, id, way="shown", lasts=timedelta(days=1))
    own, of_key = opened(db, id), opened(db, api_key_id=key)
    with db.write():
        people.disable(db, id)
        people.disable(db, id)
    assert not is_open(db, own) and not is_open(db, of_key) and not link_secrets.find(db, link)
    with pytest.raises(Problem, match="disabled"), db.write():
        people.make_link(db, id)
    with db.write():
        people.enable(db, id)
    assert not is_open(db, own) and not is_open(db, of_key)


def test_a_reset_removes_what_it_says(db, person):
    id = person("owner")
    with db.write():
        codes = [("a",), ("b",)]
        db.connection.execute(
            "UPDATE admins SET password_hash = 'scrypt$', totp_secret = 'AAAA', totp_step = 7"
        )
        for (code,) in codes:
            db.connection.execute("INSERT INTO recovery_codes VALUES (?, ?, NULL)", (id, code))
    session, since = opened(db, id), last_entry(db)
    with db.write():
        people.reset(db, id, factor=False)
    person_now = people.get(db, id)
    assert (person_now["has_password"], person_now["has_factor"]) == (False, True)
    assert not is_open(db, session)
    with db.write():
        people.reset(db, id, password=False)
    assert not people.get(db, id)["has_factor"]
    assert db.connection.execute("SELECT count(*) FROM recovery_codes").fetchone() == (0,)
    assert db.connection.execute("SELECT totp_step FROM admins").fetchone() == (7,)
    assert [action for action, *_ in entries(db, since)] == ["password_removed", "factor_removed"]


def test_sessions_of_a_person_end_but_one(db, person):
    id, other = person("owner"), person("door")
    first, second, foreign = opened(db, id), opened(db, id), opened(db, other)
    with db.write():
        key, _ = api_keys.create_key(db, "till", ["checkins"], admin_id=id)
    of_key = opened(db, api_key_id=key)
    kept = sessions.find(db, second)["id"]
    with db.write():
        assert people.end_sessions(db, id, but=kept) == 2
    assert [is_open(db, one) for one in (first, second, foreign, of_key)] == [
        False,
        True,
        True,
        False,
    ]
    assert [row["id"] for row in sessions.of_admin(db, id)] == [kept]


def test_another_address_ends_links_to_the_old_one(db, person):
    id = person("owner")
    with db.write():
        lasts = timedelta(days=1)
        secret = people.make_secret(db, id, way="mailed", lasts=lasts, mailed_to="a@messe.example")
        people.change_email(db, id, "new@messe.example")
    assert link_secrets.find(db, secret) is None


def test_a_person_has_twenty_links_at_most(db, person):
    id = person("owner")
    with db.write():
        links = [people.make_link(db, id) for _ in range(21)]
    assert link_secrets.find(db, links[0]) is None and link_secrets.find(db, links[1])


# How long sessions last


def later(monkeypatch, **age):
    now = times.text(datetime.fromisoformat(times.now()) + timedelta(**age))
    monkeypatch.setattr(times, "now", lambda: now)


def test_a_session_on_the_own_device_lasts_thirty_days(db, person, monkeypatch):
    id = person("owner")
    unused, used, elsewhere = (opened(db, id, own_device=is_own) for is_own in (True, True, False))
    later(monkeypatch, hours=13)
    assert is_open(db, unused) and not is_open(db, elsewhere)
    later(monkeypatch, days=29, hours=10)
    assert is_open(db, unused)
    with db.write():
        sessions.touch(db, sessions.find(db, used))
    later(monkeypatch, hours=2)
    assert not is_open(db, unused) and not is_open(db, used)


def test_a_session_elsewhere_lasts_a_week_of_use(db, person, monkeypatch):
    secret = opened(db, person("owner"))
    for _ in range(7 * 3):
        later(monkeypatch, hours=8)
        assert is_open(db, secret)
        with db.write():
            sessions.touch(db, sessions.find(db, secret))
    later(monkeypatch, minutes=1)
    assert not is_open(db, secret)


def test_sessions_and_their_browsers_are_forgotten_a_week_after_their_end(db, person, monkeypatch):
    id = person("owner")
    opened(db, id)
    opened(db, id, own_device=True)

    def left():
        sessions.delete_old(db, 100)
        return db.connection.execute("SELECT count(*) FROM sessions").fetchone()[0]

    later(monkeypatch, days=13)
    assert left() == 2
    later(monkeypatch, days=2)
    assert left() == 1
    later(monkeypatch, days=21)
    assert left() == 1
    later(monkeypatch, days=2)
    assert left() == 0


# The audit log


def test_what_happens_to_a_person_is_in_the_audit_log(db):
    with db.write():
        id = people.invite(db, "Ada", "ada@messe.example", "custom", ["team", "events"], "de")
        people.record_invitation(db, id, "shown")
        people.make_secret(db, id, way="shown", lasts=timedelta(days=7))
        people.make_secret(db, id, way="mailed", lasts=timedelta(days=7))  # the worker sends it
        people.change_rights(db, id, "door")
        people.change_rights(db, id, "door")
        people.rename(db, id, "Ada L.")
        people.change_email(db, id, "ada.l@messe.example")
        people.disable(db, id)
        ends = times.after(db.now, timedelta(days=7))
    found = entries(db)
    assert found[0] == (
        "created",
        None,
        {
            "name": "Ada",
            "email": "ada@messe.example",
            "role": "custom",
            "scopes": ["events", "team"],
            "language": "de",
        },
    )
    assert found[1][0] == "invited" and found[1][2]["way"] == "shown"
    assert found[2] == ("shown", None, {"scopes": None, "expires_at": ends})
    assert found[3:] == [
        (
            "updated",
            {"role": "custom", "scopes": ["events", "team"]},
            {"role": "door", "scopes": list(roles.ROLES["door"])},
        ),
        ("updated", {"name": "Ada"}, {"name": "Ada L."}),
        ("updated", {"email": "ada@messe.example"}, {"email": "ada.l@messe.example"}),
        ("updated", {"is_active": True}, {"is_active": False}),
    ]
    texts = "".join(str(row) for row in db.connection.execute("SELECT * FROM audit_log").fetchall())
    assert "evl_" not in texts and "hash" not in "".join(map(str, found))


def test_no_api_key_has_the_scope_of_people(db):
    for scope in ("team", "team:read"):
        problem = refused(db, api_keys.create_key, "x", [scope])
        assert [fault["parameter"] for fault in problem.errors] == ["scope"]
    assert "team" not in api_keys.SCOPES and "team" not in api_keys.ALL_SCOPES


def test_a_link_that_somebody_has_seen_gets_no_further_rights(db):
    """Who has invited a person without mail knows the link."""
    with db.write():
        id = people.invite(db, "Bob", "bob@messe.example", "reader")
        seen = people.make_secret(db, id, way="shown", lasts=timedelta(days=7))
        mailed = people.make_secret(
            db, id, way="mailed", lasts=timedelta(days=7), mailed_to="bob@messe.example"
        )
        people.change_rights(db, id, "owner")
    assert link_secrets.find(db, seen) is None
    assert link_secrets.find(db, mailed)["admin_id"] == id
    assert people.get(db, id)["invited_at"] is None
