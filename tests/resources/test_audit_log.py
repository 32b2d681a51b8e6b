"""The audit log: filters, access, and the protection of entries."""

from types import SimpleNamespace

import pytest

from eventapi import journal
from eventapi.domain.records import entities
from tests.support.client import SCOPES

GUARDED = [
    "UPDATE audit_log SET action = 'x'",
    "UPDATE audit_log SET created_at = '2001-01-01T00:00:00Z'",
    "UPDATE audit_log SET hash = 'x'",
    "UPDATE audit_log SET new_values = '{}'",
    "UPDATE audit_log SET new_values = NULL",
    "UPDATE audit_log SET salt = NULL",
    "UPDATE OR REPLACE audit_log SET id = 1 WHERE id = 2",
    "DELETE FROM audit_log",
    "DELETE FROM audit_log WHERE id = 2",
    "REPLACE INTO audit_log SELECT * FROM audit_log WHERE id = 2",
    "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log",
    "INSERT INTO audit_log SELECT * FROM audit_log WHERE id = 1 ON CONFLICT DO UPDATE SET action = 'x'",
]


@pytest.fixture
def history(organiser, person):
    """Create and change an event as one person, and delete another event as a second one."""
    event = organiser.post(
        "/events",
        {"title": "Garden Fair", "city": "Leipzig"},
        status=201,
        headers={"X-Request-ID": "made-it", "User-Agent": "curl/8.5.0"},
    ).json["data"]
    organiser.patch(f"/events/{event['id']}", {"city": "Halle"}, status=200)
    other = person(SCOPES, name="Grace Hopper")
    boats = other.make("/events", {"title": "100% Boats_and\\more"})
    other.delete(f"/events/{boats['id']}", status=204)
    return event, boats


def found(client, query):
    """Return (action, title) of the entries that match the query, oldest first."""
    return [
        (entry["action"], entry["entity_title"])
        for entry in client.data(f"/audit-log?{query}&order=ASC")
    ]


BOATS = [("created", "100% Boats_and\\more"), ("deleted", "100% Boats_and\\more")]
GARDEN = [("created", "Garden Fair"), ("updated", "Garden Fair")]


def test_an_entry_shows_the_author_and_the_changed_values(organiser, db, history):
    event, _ = history
    updated, created = organiser.data("/audit-log?entity_type=event&search=garden")
    assert (
        created["entity_type"],
        created["entity_id"],
        created["old_values"],
        created["new_values"],
    ) == ("event", event["id"], None, event)
    assert (created["admin_name"], created["request_id"], created["user_agent"]) == (
        "Ada Lovelace",
        "made-it",
        "curl/8.5.0",
    )
    assert (
        created["api_key_id"] == created["admin_id"] == 1
        and created["updated_at"] == created["created_at"]
    )
    assert (updated["old_values"], updated["new_values"]) == (
        {"city": "Leipzig"},
        {"city": "Halle"},
    )
    assert updated["previous_hash"] == created["hash"] and created["previous_hash"] == "0" * 64
    assert organiser.data(f"/audit-log/{created['id']}") == created
    assert not {"salt", "digest"} & created.keys()


@pytest.mark.parametrize(
    "query, expected",
    [
        ("action=updated", GARDEN[1:]),
        ("action=nothing", []),
        ("entity_type=event", GARDEN + BOATS),
        ("entity_type=contact", []),
        ("entity_type=event&entity_id=2", BOATS),
        ("entity_id=2", BOATS),
        ("entity_type=contact&entity_id=2", []),
        ("entity_id=7", []),
        ("admin_id=1", GARDEN),
        ("admin_id=2&action=deleted", BOATS[1:]),
        ("api_key_id=2", BOATS),
        ("request_id=made-it", GARDEN[:1]),
        ("search=GARDEN", GARDEN),
        ("search=den%20f", GARDEN),
        ("search=100%25%20b", BOATS),
        ("search=_", BOATS),
        ("search=%5C", BOATS),
        ("search=%25", BOATS),
        ("search=fair&action=created", GARDEN[:1]),
        ("date_from=2020-01-01&date_to=2999-12-31", GARDEN + BOATS),
        ("date_to=2020-01-01", []),
        ("date_from=2999-01-01", []),
        ("updated_since=2020-01-01T00:00:00Z&ids=1,4", GARDEN[:1] + BOATS[1:]),
    ],
)
def test_each_filter_finds_the_matching_entries(organiser, history, query, expected):
    assert found(organiser, query) == expected


def test_each_kind_of_actor_is_found_alone(organiser, db):
    named = {"ada (command line)": "command_line", "link 12": "link", None: "server"}
    for name in named:
        with db.write():
            db.actor = SimpleNamespace(
                key_id=None,
                admin_id=None,
                admin_name=name,
                request_id=None,
                address=None,
                agent=None,
            )
            journal.administered(db, entities.TENANT, "tested", title=name or "worker")
    with db.write():  # an admin whose name is that of no admin
        db.actor = SimpleNamespace(
            key_id=None, admin_id=1, admin_name="link 12", request_id=None, address=None, agent=None
        )
        journal.administered(db, entities.TENANT, "tested", title="admin")
    titles = {
        actor: [
            entry["entity_title"]
            for entry in organiser.data(f"/audit-log?actor={actor}&action=tested")
        ]
        for actor in ("admin", "link", "command_line", "server")
    }
    assert titles == {
        "admin": ["admin"],
        "link": ["link 12"],
        "command_line": ["ada (command line)"],
        "server": ["worker"],
    }
    organiser.get("/audit-log?actor=worker", status=422)


def test_dates_are_whole_days_in_the_time_zone_of_the_organiser(organiser, db):
    """In Berlin a day begins at 22:00 UTC in summer."""
    for timestamp in (
        "2026-06-30T21:59:59Z",
        "2026-06-30T22:00:00Z",
        "2026-07-01T21:59:59Z",
        "2026-07-01T22:00:00Z",
    ):
        with db.write():
            db.now = timestamp
            journal.administered(db, entities.TENANT, "tested", title=timestamp)
    assert [
        entry["created_at"]
        for entry in organiser.data(
            "/audit-log?date_from=2026-07-01&date_to=2026-07-01&sort=created_at&order=asc"
        )
    ] == ["2026-06-30T22:00:00Z", "2026-07-01T21:59:59Z"]


def test_the_audit_log_is_read_only(organiser, history):
    before = organiser.data("/audit-log")
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path in ("/audit-log", "/audit-log/1"):
            organiser(method, path, {}, status=405)
    organiser.get("/audit-log", headers={"Accept": "text/csv"}, status=200)
    assert organiser.data("/audit-log") == before, "reading changes nothing"


def test_reading_the_audit_log_needs_its_scope(person, history):
    assert person("events").get("/audit-log", status=403).json["scope"] == "audit:read"
    person("audit:read").get("/audit-log/1", status=200)


@pytest.mark.parametrize("change", GUARDED)
def test_database_triggers_refuse_changes_of_entries(organiser, db, history, change):
    before = organiser.data("/audit-log")
    with pytest.raises(Exception, match="append-only"):
        db.connection.execute(change)
    assert organiser.data("/audit-log") == before and journal.verify(db) == []


def test_anonymising_removes_values_and_keeps_the_hash_chain(organiser, db, history):
    contact = organiser.make(
        "/contacts", {"company_name": "Rosen Tantau KG", "email": "anna@rosen.example"}
    )
    organiser.patch(f"/contacts/{contact['id']}", {"phone": "+49 4122 7084"}, status=200)
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    entries = organiser.data(f"/audit-log?entity_type=contact&entity_id={contact['id']}&order=ASC")
    assert [entry["action"] for entry in entries][:2] == ["created", "updated"]
    for entry in entries[:2]:
        assert {entry[name] for name in journal.ERASABLE} == {None}
        assert entry["hash"] and entry["api_key_id"] == 1 and entry["created_at"]
    assert organiser.data("/audit-log?search=rosen") == [] and journal.verify(db) == []
    text = organiser.get("/audit-log?per_page=100").text
    assert not any(part in text for part in ("Tantau", "anna@", "7084"))
    whole = organiser.data("/audit-log?order=ASC&per_page=100")
    assert [entry["previous_hash"] for entry in whole[1:]] == [
        entry["hash"] for entry in whole[:-1]
    ]


def test_an_anchor_without_a_pruning_entry_is_reported(db, history):
    """An anchor allows the oldest entries to be deleted.

    Pruning writes an entry about it; a forged anchor has none.
    """
    db.connection.execute(
        "INSERT INTO audit_anchors SELECT id, hash, created_at FROM audit_log WHERE id = 2"
    )
    db.connection.execute("DELETE FROM audit_log WHERE id <= 2")
    assert journal.verify(db) == [
        "the audit log begins after entry 2, but no entry records that older entries were pruned"
    ]


@pytest.mark.parametrize(
    "given", [{"search"}, {"search", "entity_type"}, {"search", "entity_type", "action"}]
)
def test_a_search_reads_the_text_index_and_no_other_entries(db, given):
    """The query plan reads the index of folded texts and kinds and only those entries that match."""
    from eventapi.resources.audit_log import sql

    text = sql.list.ids(frozenset(given), "id", "DESC")
    values = {
        "search": "%x%",
        "entity_type": "contact",
        "action": "updated",
        "limit": 1,
        "offset": 0,
    }
    plan = " ".join(row[3] for row in db.connection.execute(f"EXPLAIN QUERY PLAN {text}", values))
    assert "SCAN l USING COVERING INDEX audit_log_by_text" in plan
