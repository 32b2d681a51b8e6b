"""The command `eventapi check` finds each kind of damage."""

import json

import pytest

from eventapi import journal
from eventapi.domain.upkeep import checks
from eventapi.storage import database, files, migrations, schema, versions
from tests.support import processes


@pytest.fixture
def history(organiser, db):
    """Make some changes."""
    event = organiser.make("/events", {"title": "Garden Fair"})
    for city in ("Leipzig", "Halle", "Gera", "Jena"):
        organiser.patch(f"/events/{event['id']}", {"city": city}, status=200)
    assert checks.findings(db) == []
    return db


def by_hand(db, change):
    """Change the database without its triggers, as an attacker with the database file could, and
    create them again.
    """
    triggers = db.connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    ).fetchall()
    db.connection.executescript(
        "; ".join(
            [
                *[f"DROP TRIGGER {name}" for name, _ in triggers],
                change,
                *[text for _, text in triggers],
                "",
            ]
        )
    )


def found(db, check):
    """Return what the check found, and nothing but it."""
    findings = checks.findings(db)
    assert {name for name, _ in findings} == {check}, findings
    return " ".join(text for name, text in findings if name == check)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_log SET action = 'deleted' WHERE id = 3",
        "UPDATE audit_log SET new_values = '{}' WHERE id = 3",
        "UPDATE audit_log SET admin_name = 'Somebody Else' WHERE id = 3",
        "UPDATE audit_log SET created_at = '2001-01-01T00:00:00Z' WHERE id = 3",
        "UPDATE audit_log SET salt = NULL WHERE id = 3",
        "UPDATE audit_log SET entity_id = 77 WHERE id = 3",
        "DELETE FROM audit_log WHERE id = 3",
        "DELETE FROM audit_log WHERE id = 1",
        "DELETE FROM audit_log WHERE id = 5",
        "UPDATE audit_log SET id = -1 WHERE id = 2; UPDATE audit_log SET id = 2 WHERE id = 3; UPDATE audit_log SET id "
        "= 3 WHERE id = -1",
        "INSERT INTO audit_log SELECT 99, action, entity_type, entity_id, entity_title, description, old_values, "
        "new_values, admin_id,"
        " admin_name, api_key_id, request_id, ip_address, user_agent, created_at, salt, digest, previous_hash, hash, "
        "search_text FROM audit_log WHERE id = 5",
    ],
)
def test_a_changed_removed_swapped_or_added_audit_entry_is_found(history, change):
    by_hand(history, change)
    assert "audit" in found(history, "audit log")


def test_triggers_keep_the_audit_log_append_only(organiser, db):
    organiser.make("/events", {"title": "Garden Fair"})
    for change in (
        "DELETE FROM audit_log",
        "UPDATE audit_log SET new_values = '{}'",
        "UPDATE audit_log SET id = 7",
        "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log",
    ):
        with pytest.raises(Exception, match="append-only"):
            db.connection.execute(change)
    assert journal.verify(db) == []


def test_a_broken_foreign_key_is_found(organiser, db):
    db.connection.execute("PRAGMA foreign_keys = OFF")
    db.connection.execute("DELETE FROM admins")
    assert "api_keys" in found(db, "foreign keys")


@pytest.fixture
def invoice(organiser, db):
    """Return an invoice that was sent and partly paid."""
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Blumen Krause GmbH",
            "address": "Am Ring 2",
            "city": "Halle",
            "postal_code": "06108",
            "email": "office@krause.test",
        },
    )
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [
                {"description": "Booth A1", "quantity": 12, "unit_price": 145, "tax_rate": 19}
            ],
        },
    )
    sent = organiser.post(f"/invoices/{invoice['id']}/send", status=200).json["data"]
    paid = organiser.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 100})
    organiser.post(f"/payments/{paid['id']}/refund", {"amount": 1}, status=200)
    organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [{"description": "Booth A2", "quantity": 1, "unit_price": 1, "tax_rate": 19}],
        },
    )
    assert checks.findings(db) == []
    return sent


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE payments SET amount = amount + 1",
        "UPDATE invoices SET paid_amount = paid_amount + 1",
        "UPDATE invoices SET total = total + 1 WHERE status = 'draft'",
        "UPDATE invoice_items SET net = net + 1",
        "DELETE FROM payments",
        "UPDATE refunds SET amount = amount + 1",
        "DELETE FROM refunds",
        "UPDATE refunds SET currency = 'USD'",
        "UPDATE refunds SET gateway_key = 'card'",
        "UPDATE payments SET status = 'refunded'",
        "INSERT INTO payment_moves (payment_id, from_invoice_id, to_invoice_id, moved_at) VALUES "
        "(1, 1, 2, '2026-01-01')",
    ],
)
def test_a_broken_sum_is_found(invoice, db, change):
    by_hand(db, change)
    found(db, "money")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            "CREATE TRIGGER taxes AFTER INSERT ON payments BEGIN UPDATE payments SET amount = 1; END",
            "the trigger taxes on the table payments is not part of eventapi",
        ),
        (
            "CREATE VIEW names AS SELECT last_name FROM contacts",
            "the view names is not part of eventapi",
        ),
        ("CREATE TABLE bookmarks (url TEXT)", "the table bookmarks is not part of eventapi"),
        (
            "CREATE INDEX by_city ON events (city)",
            "the index by_city on the table events is not part of eventapi",
        ),
        ("DROP INDEX contacts_by_update", "the index contacts_by_update is missing"),
        (
            "DROP TRIGGER audit_log_is_append_only",
            "the trigger audit_log_is_append_only is missing",
        ),
        ("DROP VIEW claims; CREATE VIEW claims AS SELECT 1", "the view claims differs"),
        ("ALTER TABLE notes ADD COLUMN colour TEXT", "the table notes differs"),
    ],
)
def test_a_schema_that_the_migrations_did_not_make_is_found(db, change, told):
    assert checks.findings(db) == []
    db.connection.executescript(change)
    assert told in found(db, "schema")


def test_a_database_that_was_upgraded_step_by_step_has_the_same_schema(tmp_path):
    for last, _ in versions.migration_files():
        migrations.migrate(tmp_path / "eventapi.db", last=last)
    connection = database.connect(tmp_path / "eventapi.db")
    connection.executescript("VACUUM; ANALYZE")
    assert schema.changed(connection) + schema.foreign(connection) == []
    connection.close()


def stored_for(db, invoice, data=b"%PDF-1.7"):
    sha256 = files.store(db.config, data)
    db.connection.execute(
        "UPDATE invoices SET pdf_sha256 = ? WHERE id = ?", (sha256, invoice["id"])
    )
    assert checks.findings(db) == []
    return sha256


def test_a_missing_file_is_found(invoice, db):
    sha256 = stored_for(db, invoice)
    files.path(db.config, sha256).unlink()
    assert f"{sha256} is missing" in found(db, "files")


def test_a_changed_file_is_found(invoice, db):
    sha256 = stored_for(db, invoice)
    files.path(db.config, sha256).write_bytes(b"%PDF-1.8")
    assert f"{sha256} was changed" in found(db, "files")


def test_a_damaged_page_is_found(db):
    damage(db)
    found(db, "integrity")


def damage(db):
    """Assign two tables to one page, as a faulty disk may do."""
    db.connection.executescript("""
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'tenant') WHERE name =
        'counters';
        PRAGMA writable_schema = RESET;""")


@pytest.mark.processes
def test_the_commands_report_damage_by_their_exit_code(tmp_path, history):
    assert processes.eventapi(tmp_path, "check").stdout == "ok\n"
    assert processes.eventapi(
        tmp_path, "audit", "verify"
    ).stdout == "ok\nlast entry: {}:{}\n".format(*journal.last(history))
    by_hand(history, "UPDATE audit_log SET entity_id = 77 WHERE id = 3")
    last = "last entry: {}:{}\n".format(*journal.last(history))
    for command, rest in ((("check",), ""), (("audit", "verify"), last)):
        done = processes.eventapi(tmp_path, *command)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (
            1,
            f"audit log: audit entry 3 was changed\n{rest}",
            1,
        )
        found = json.loads(processes.eventapi(tmp_path, *command, "--json").stdout)
        assert found == (
            {"faults": ["audit entry 3 was changed"], "last_entry": last.split()[-1]}
            if rest
            else [
                {"check": "audit log", "detail": "audit entry 3 was changed", "severity": "fault"}
            ]
        )


@pytest.mark.processes
def test_a_noted_audit_entry_reveals_a_truncated_or_rewritten_audit_log(tmp_path, history):
    def verify(noted):
        done = processes.eventapi(tmp_path, "audit", "verify", "--noted", noted)
        return done.returncode, done.stdout.splitlines()[0] if done.stdout else done.stderr

    id, hash = journal.last(history)
    assert verify(f"{id}:{hash}") == (0, "ok")
    assert verify(f"{id}:{'0' * 64}") == (
        1,
        f"audit log: audit entry {id} differs from the entry that was noted",
    )
    assert "is not ID:HASH" in verify(f"{id}:x")[1]
    by_hand(history, f"DELETE FROM audit_log WHERE id = {id}")
    history.connection.execute(
        "UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit_log'", (id - 1,)
    )
    assert journal.verify(history) == [], "the chain alone does not show it"
    assert verify(f"{id}:{hash}") == (
        1,
        f"audit log: audit entry {id}, which was noted, no longer exists",
    )


def test_an_event_abroad_whose_place_of_supply_is_not_decided_is_a_warning(organiser, db):
    for country, place in (("AT", None), ("DE", None), ("CH", "event")):
        show = {"title": f"Fair {country}", "country": country, "place_of_supply": place}
        organiser.make("/events", show)
    findings = checks.findings(db)
    assert findings == [
        (
            "events abroad",
            "event 1 (fair-at) takes place in AT, organiser_country is DE, and its place_of_supply is not decided: "
            "set it to recipient or event",
        )
    ]
    assert checks.faults(findings) == []
