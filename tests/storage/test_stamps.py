"""`updated_since` under a clock that is wrong: no client misses a change, and no date follows a
wrong stamp.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from eventapi import paths, times
from eventapi.storage.connections import Connections
from eventapi.storage.database import Database
from eventapi.worker import housekeeping
from tests.support.processes import until

REAL_NOW = times.now
COMPANY = {
    "company_name": "Muster AG",
    "address": "Weg 1",
    "postal_code": "1010",
    "city": "Wien",
    "country": "AT",
    "email": "office@muster.example",
    "tax_id": "ATU13585627",
}
# Tables whose updated_at no list of the API filters: the real time decides there when rows are
# deleted.
BY_THE_CLOCK = {"mails.sql", "api_keys.sql"}


@pytest.fixture
def clock(monkeypatch):
    """Return a function that sets the clock to a timestamp."""
    return lambda timestamp: monkeypatch.setattr(times, "now", lambda: timestamp)


def write(db):
    """Change a row and return the stamp of the transaction."""
    with db.write():
        db.connection.execute(
            "INSERT INTO counters VALUES ('test', 1) ON CONFLICT DO UPDATE SET value = value + 1"
        )
        return db.stamp


def test_a_stamp_is_never_behind_an_earlier_commit_of_any_connection(settings, clock):
    with closing(Database(settings)) as worker:
        server = Connections(settings)
        clock("2026-11-20T10:00:00Z")
        assert write(server.writer()) == "2026-11-20T10:00:00Z"
        clock("2026-11-18T10:00:00Z")
        assert write(worker) == write(server.writer()) == "2026-11-20T10:00:00Z"
        clock("2026-11-20T10:00:01Z")
        assert write(worker) == "2026-11-20T10:00:01Z"
        server.close()
    clock("2026-11-19T10:00:00Z")
    with closing(Database(settings)) as restarted:
        assert write(restarted) == "2026-11-20T10:00:01Z"
        with restarted.write():
            assert restarted.now == "2026-11-19T10:00:00Z", "dates follow the clock"


def test_a_stamp_counts_once_it_is_committed(settings, clock):
    with closing(Database(settings)) as db, closing(Database(settings)) as other:
        clock("2026-11-20T10:00:00Z")
        with pytest.raises(ZeroDivisionError), db.write():
            db.connection.execute("INSERT INTO counters VALUES ('test', 1)")
            raise ZeroDivisionError
        before = other.data_version()
        with db.write():
            assert db.stamp == "2026-11-20T10:00:00Z"
        assert other.data_version() == before, "a transaction that changes nothing writes nothing"
        clock("2026-11-19T10:00:00Z")
        assert write(db) == "2026-11-19T10:00:00Z"


def test_writes_that_share_a_transaction_have_stamps_in_their_order(settings, clock, monkeypatch):
    writer, stamps, shared = Connections(settings).writer(), [], set()
    moments = iter(
        [
            f"2026-11-20T{time}Z"
            for time in ("10:00:01", "09:00:02", "10:00:03", "09:00:04", "10:00:05", "09:00:06")
        ]
    )
    monkeypatch.setattr(times, "now", lambda: next(moments))

    def write_next():
        with suppress(ZeroDivisionError), writer.write():
            writer.connection.execute("INSERT INTO counters VALUES (?, 1)", [writer.now])
            stamps.append(writer.stamp)
            shared.add(writer.transaction)
            if writer.now.endswith("03Z"):
                raise ZeroDivisionError

    writer.write_lock.acquire()
    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(write_next) for _ in range(6)]
        until(lambda: len(writer.write_lock.waiting) == 6)
        writer.write_lock.release()
        assert [write.result(10) for write in done] == [None] * 6
    assert len(shared) == 1
    clock("2026-11-20T09:00:07Z")
    assert [stamp[17:19] for stamp in stamps] == ["01", "01", "03", "03", "05", "05"]
    with closing(Database(settings)) as db:
        assert write(db) == "2026-11-20T10:00:05Z"


def changes(client):
    """Yield (path of the list, id) after each kind of change: by request, in bulk, of parts and by
    a scan.
    """
    event = client.make("/events", {"title": "Fair", "city": "Halle"})
    yield "/events", event["id"]
    client.patch(f"/events/{event['id']}", {"city": "Gera"}, status=200)
    yield "/events", event["id"]
    done = client.post(
        "/bulk-import/contacts", {"records": [{"last_name": "Imported"}]}, status=201
    )
    yield "/bulk-import", done.json["data"]["id"]
    yield "/contacts", client.data("/contacts?search=Imported")[0]["id"]
    contact = client.make("/contacts", COMPANY)["id"]
    client.put(f"/contacts/{contact}", {**COMPANY, "tags": ["press"]}, status=200)
    yield "/contacts", contact
    participant = client.make(
        "/participants", {"event_id": event["id"], "contact_id": contact, "role": "exhibitor"}
    )
    yield "/participants", participant["id"]
    note = client.make(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "called"}
    )
    yield f"/notes?entity_type=event&entity_id={event['id']}", note["id"]
    invoice = client.make(
        "/invoices",
        {
            "contact_id": contact,
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 5, "tax_rate": 0}],
        },
    )
    sent = client.post(f"/invoices/{invoice['id']}/send", status=200).json["data"]
    yield "/invoices", invoice["id"]
    payment = client.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 5})
    assert payment == client.data(f"/payments/{payment['id']}")
    yield "/payments", payment["id"]
    yield "/invoices", invoice["id"]
    yield "/audit-log", client.data("/audit-log?sort=id&order=desc&per_page=1")[0]["id"]


def test_a_client_that_asks_for_updates_since_the_newest_one_misses_nothing(organiser, clock):
    clock("2099-11-20T10:00:00Z")
    newest = {}
    for path, _ in changes(organiser):
        newest[path.partition("?")[0]] = max(
            record["updated_at"] for record in organiser.data(path)
        )
    clock("2099-11-18T10:00:00Z")
    for path, id in changes(organiser):
        since = f"{'&' if '?' in path else '?'}updated_since={newest[path.partition('?')[0]]}"
        listed = {record["id"] for record in organiser.data(path + since)}
        assert id in listed, path


def test_dates_deadlines_and_numbers_follow_the_clock_after_it_was_years_ahead(organiser, clock):
    clock("2036-01-01T00:00:00Z")
    organiser.make("/events", {"title": "Fair"})
    now = REAL_NOW()
    clock(now)
    contact = organiser.make("/contacts", COMPANY)
    assert (contact["created_at"], contact["updated_at"]) == (now, "2036-01-01T00:00:00Z")
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 5, "tax_rate": 0}],
        },
    )
    sent = organiser.post(f"/invoices/{invoice['id']}/send", status=200).json["data"]
    assert (
        sent["issue_date"][:4] == now[:4]
        and now[:4] in sent["invoice_number"]
        and sent["due_date"] < "2036"
    )
    payment = organiser.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 5})
    assert (
        payment["payment_date"] == payment["created_at"] == now and payment["updated_at"] > "2036"
    )
    entry = organiser.data("/audit-log?sort=id&order=desc&per_page=1")[0]
    assert entry["created_at"] == now


def test_a_clock_that_is_behind_is_warned_of_once(settings, clock, caplog):
    with closing(Database(settings)) as db:
        clock("2026-11-20T10:00:00Z")
        write(db)
        clock("2026-11-20T09:59:30Z")
        write(db)
        assert caplog.text == "", "a step of some seconds is usual"
        clock("2026-11-18T10:00:00Z")
        for _ in range(3):
            write(db)
    assert caplog.text.count("172800 s behind the last change") == 1


def deleting(db):
    """Run housekeeping. Return whether it has deleted an outgoing event that is years old."""
    db.connection.execute("DELETE FROM outgoing_events")
    db.connection.execute(
        "INSERT INTO outgoing_events (name, entity_type, entity_id, scope, data, created_at) "
        "VALUES ('event.created', 'event', 1, 'events', '{}', '2001-01-01T00:00:00Z')"
    )
    housekeeping.run(db, lambda: False)
    return not db.connection.execute("SELECT 1 FROM outgoing_events").fetchone()


def test_housekeeping_deletes_nothing_on_the_day_after_the_clock_jumped_ahead(db, clock, caplog):
    clock("2026-11-20T10:00:00Z")
    assert deleting(db), "a first start is no jump"
    clock("2026-11-28T10:00:00Z")
    assert deleting(db), "the machine was switched off for a week"
    clock("2036-01-01T00:00:00Z")
    assert not deleting(db) and "the clock went ahead" in caplog.text
    clock("2036-01-01T23:00:00Z")
    assert not deleting(db)
    clock("2026-11-28T11:00:00Z")
    assert deleting(db), "the clock was corrected"
    clock("2036-01-01T00:00:00Z")
    assert not deleting(db)
    clock("2036-01-02T00:00:01Z")
    assert deleting(db), "it is 2036 indeed"


def test_retries_that_were_scheduled_while_the_clock_was_ahead_are_made(organiser, db, clock):
    clock("2026-11-20T10:00:00Z")
    hook = organiser.make("/webhooks", {"url": "https://hook.example.org/", "events": ["*"]})["id"]
    for id, at in enumerate(("2036-01-01T00:00:00Z", "2026-11-21T10:00:00Z"), 1):
        db.connection.execute(
            "INSERT INTO mails (id, admin_id, kind, entity_type, entity_id, recipient, subject, base_url, state, "
            "next_at, message_id, created_at, updated_at) "
            "VALUES (?, 1, 'invoice', 'invoice', 1, 'a@messe.test', '', '', 'queued', ?, ?, ?, ?)",
            (id, at, str(id), at, at),
        )
        db.connection.execute(
            "INSERT INTO webhook_deliveries (webhook_id, outgoing_id, event_name, entity_type, entity_id, event_at, "
            "status, next_attempt_at, created_at, updated_at) VALUES (?, ?, '', 'event', ?, ?, 'pending', ?, ?, ?)",
            (hook, id, id, at, at, at, at),
        )
    housekeeping.run(db, lambda: False)
    for table, column in (("mails", "next_at"), ("webhook_deliveries", "next_attempt_at")):
        found = [at for (at,) in db.connection.execute(f"SELECT {column} FROM {table} ORDER BY id")]
        assert found == ["2026-11-20T10:00:00Z", "2026-11-21T10:00:00Z"], table


@pytest.mark.parametrize("file", sorted(file.name for file in paths.folder("sql").glob("*.sql")))
def test_every_statement_stamps_updated_at(file):
    if file in BY_THE_CLOCK:
        return
    for statement in (
        (paths.folder("sql") / file).read_text(encoding="utf-8").split("-- name: ")[1:]
    ):
        assert not re.search(r"updated_at = :now", statement), (
            f"{file}: use :stamp in {statement[:40]}"
        )
        if re.search(r"INSERT INTO \w+ \([^)]*\bupdated_at\b", statement):
            assert re.search(
                r"created_at,\s+updated_at\)\s.*:now, :stamp\)?\s*(;|FROM|ON|RETURN)",
                statement,
                re.S,
            ), f"{file}: end with created_at (:now) and updated_at (:stamp) in {statement[:40]}"
