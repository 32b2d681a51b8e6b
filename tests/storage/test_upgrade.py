"""An upgrade converts the rows that an older database has."""

import json
from contextlib import closing
from datetime import datetime, timedelta, timezone
from hashlib import sha256

import webtest

from eventapi import times
from eventapi.app import App
from eventapi.domain.access import link_secrets, people, sessions
from eventapi.domain.mail import deliveries
from eventapi.storage import migrations, schema, versions
from eventapi.storage.database import Database, as_json, connect
from eventapi.storage.statements import statements
from tests.support.client import make_settings

NOW = "2026-11-22T09:00:00Z"


def at_schema(path, number):
    """Create a database with the schema version `number`, and return a connection to it."""
    path.touch()
    connection = connect(path)
    connection.execute("PRAGMA foreign_keys = OFF")
    migrations.define_functions(connection)
    for version, file in versions.migration_files():
        if version <= number:
            connection.executescript(
                f"{file.read_text(encoding='utf-8')}\nPRAGMA user_version = {version};"
            )
    return connection


def upgraded(path, connection, last=None):
    """Upgrade the database to the schema version `last`, or the newest, and return a new connection
    to it.
    """
    connection.close()
    migrations.migrate(path, last=last)
    return connect(path)


def insert(connection, table, **values):
    """Insert a row with these columns, and both timestamps where the caller gives none.

    Return its id.
    """
    values = {"created_at": NOW, "updated_at": NOW, **values}
    marks = ", ".join("?" * len(values))
    return connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values())
    ).lastrowid


def submission_type(connection):
    """Insert an event and a submission type. Return the ids of both."""
    event_id = insert(
        connection,
        "events",
        event_key="fair",
        title="Fair",
        country="DE",
        timezone="UTC",
        is_visible=1,
    )
    return event_id, insert(
        connection,
        "submission_types",
        event_id=event_id,
        type_key="logo",
        title="Logo",
        input="text",
        allowed_extensions="[]",
        needs_approval=1,
        is_required=1,
        roles='["exhibitor"]',
        is_active=1,
        sort_order=0,
    )


def test_the_key_of_a_submission_type_is_kept(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    submission_type(old)
    new = upgraded(path, old)
    assert new.execute("SELECT key, title FROM submission_types").fetchall() == [("logo", "Logo")]


def test_texts_are_folded(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    event_id, _ = submission_type(old)
    contacts = {
        name: insert(
            old,
            "contacts",
            customer_number=f"C-{number}",
            company_name=name,
            country="DE",
            rating=3,
            postal_code="04109",
            folded_name="old",
            account_access_enabled=0,
        )
        for number, name in enumerate(["Zebra", "Ärzte", "Asche", "STRASSE", "Arzt"], start=8)
    }
    category = insert(
        old,
        "categories",
        category_key="k",
        title="K",
        is_visible=1,
        applicant_visibility="selectable",
        account_access_enabled=0,
        sort_order=0,
    )
    old.execute(
        "INSERT INTO contact_categories (contact_id, category_id) SELECT id, ? FROM contacts",
        (category,),
    )
    plan = insert(
        old,
        "plans",
        event_id=event_id,
        plan_key="hall",
        plan_name="Hall 10",
        width=1,
        height=1,
        grid_size=1,
        scale_factor=1,
        is_active=1,
        sort_order=0,
    )
    booths = [
        insert(
            old,
            "booths",
            plan_id=plan,
            event_id=event_id,
            booth_number=number,
            width=1,
            depth=1,
            rotation=0,
            status="available",
        )
        for number in ("A10", "A2")
    ]
    person = insert(
        old,
        "participants",
        event_id=event_id,
        contact_id=contacts["Arzt"],
        role="exhibitor",
        badge_number="X",
    )
    for booth in booths:
        insert(
            old,
            "booth_reservations",
            booth_id=booth,
            event_id=event_id,
            event_participant_id=person,
            status="confirmed",
        )
    old.execute(
        "INSERT INTO audit_log (id, action, entity_title, created_at, digest, previous_hash, hash) "
        "VALUES (1, 'created', 'Ärzte', ?, 'd', 'p', 'h')",
        (NOW,),
    )
    new = upgraded(path, old)

    def column(text):
        return [value for (value,) in new.execute(text)]

    assert column("SELECT company_name FROM contacts ORDER BY company_name_folded") == [
        "Arzt",
        "Ärzte",
        "Asche",
        "STRASSE",
        "Zebra",
    ]
    assert column("SELECT count(*) FROM contact_categories") == [5]
    assert column("SELECT customer_number FROM contacts ORDER BY customer_number_natural")[:3] == [
        "C-8",
        "C-9",
        "C-10",
    ]
    assert column("SELECT folded_name FROM contacts ORDER BY id")[:2] == [
        "zebra 04109",
        "arzte 04109",
    ]
    assert column("SELECT rowid FROM contacts_search WHERE contacts_search MATCH 'arzte'") == [
        contacts["Ärzte"]
    ]
    assert column("SELECT booth_number FROM booths ORDER BY booth_number_natural") == ["A2", "A10"]
    assert column("SELECT booth_number FROM booth_reservations ORDER BY booth_number_natural") == [
        "A2",
        "A10",
    ]
    assert column("SELECT title_folded FROM submission_types") == ["logo"]
    assert column("SELECT title_folded || event_key_folded FROM events") == ["fairfair"]
    assert column("SELECT search_text FROM audit_log") == ["arzte\n"]
    new.execute(
        "UPDATE booths SET booth_number = 'A3', booth_number_natural = natural_key('A3') WHERE id = ?",
        booths[:1],
    )
    assert column("SELECT booth_number FROM booth_reservations ORDER BY booth_number_natural") == [
        "A2",
        "A3",
    ]


def participants(connection, count, **event):
    """Insert an event and participants of it.

    Return their ids, which are also the ids of their contacts.
    """
    event_id = insert(
        connection,
        "events",
        **{
            "event_key": "fair",
            "title": "Fair",
            "country": "DE",
            "timezone": "UTC",
            "is_visible": 1,
            **event,
        },
    )
    for number in range(1, count + 1):
        insert(
            connection,
            "contacts",
            id=number,
            customer_number=f"C-{number}",
            country="DE",
            rating=3,
            account_access_enabled=0,
            email=f"{number}@roses.example",
        )
        insert(
            connection,
            "participants",
            id=number,
            event_id=event_id,
            contact_id=number,
            role="visitor",
            status="registered",
            badge_number=f"BADGE{number}",
        )
    return list(range(1, count + 1))


def visit(connection, participant_id, checked_in_at, ends_at, closed_by=None, zone="UTC"):
    """Insert a visit of the event 1. Return its id."""
    return insert(
        connection,
        "check_ins",
        event_id=1,
        event_participant_id=participant_id,
        check_in_type="scan",
        day=times.local_date(checked_in_at, zone),
        checked_in_at=checked_in_at,
        ends_at=ends_at,
        closed_by=closed_by,
        station="North",
    )


def test_visits_of_the_current_day_end_with_it_and_earlier_ones_stay(tmp_path):
    now = datetime.now(timezone.utc)
    # A zone where it is shortly after midnight: the day of the evening before has not ended.
    zone = next(
        f"Etc/GMT{-hours:+}" for hours in range(-12, 15) if (now + timedelta(hours=hours)).hour == 1
    )
    local = now.astimezone(times.zone(zone))
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    evening, night, six = (times.text(midnight + timedelta(hours=hours)) for hours in (-2, 0.5, 6))
    last_second = times.text(midnight - timedelta(seconds=1))
    this_midnight = times.text(midnight + timedelta(hours=24))
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    participants(old, 4, timezone=zone)
    visit(old, 1, evening, last_second, zone=zone)  # still inside
    visit(old, 2, evening, last_second, zone=zone)  # scanned again after midnight
    visit(old, 2, night, this_midnight, zone=zone)
    visit(old, 3, "2026-01-02T18:00:00Z", "2026-01-02T23:59:59Z", zone=zone)  # long ago
    visit(old, 4, evening, night, "check_out", zone=zone)
    new = upgraded(path, old)
    assert new.execute("SELECT day_ends_at FROM events").fetchall() == [("06:00",)]
    rows = new.execute(
        "SELECT event_participant_id, ends_at, closed_by, latest_end_at FROM check_ins ORDER BY id"
    )
    long_ago = times.day_around("2026-01-02T18:00:00Z", "06:00", zone)[1]
    assert rows.fetchall() == [
        (1, six, None, six),
        (2, night, "force", six),
        (2, six, None, six),
        (3, "2026-01-02T23:59:59Z", None, long_ago),
        (4, night, "check_out", six),
    ]
    sql = statements("admission")
    assert (
        new.execute(sql.wrong_counts.plain()).fetchall()
        == new.execute(sql.wrong_visitors.plain()).fetchall()
        == []
    )
    assert new.execute(
        "SELECT sum(check_ins), sum(check_outs), sum(ends) FROM check_in_counts"
    ).fetchone() == (5, 1, 2)


def test_the_first_revision_decides_whether_a_submission_was_late(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    event_id, type_id = submission_type(old)
    participants(old, 4, event_key="other")
    due, before, after = "2026-10-01T21:59:59Z", "2026-09-30T12:00:00Z", "2026-10-02T12:00:00Z"
    histories = {
        "late": [(due, after), ("2027-01-01T22:59:59Z", after)],
        "in time": [(due, before), (due, after)],
        "without due date": [(None, after)],
        "draft": [],
    }
    for number, revisions in enumerate(histories.values(), 1):
        id = insert(
            old,
            "submissions",
            event_id=event_id,
            event_participant_id=number,
            type_id=type_id,
            status="submitted" if revisions else "pending",
            due_at=due,
            revision=len(revisions),
        )
        for revision, (due_at, submitted_at) in enumerate(revisions, 1):
            insert(
                old,
                "submission_revisions",
                submission_id=id,
                revision=revision,
                status="submitted",
                due_at=due_at,
                submitted_at=submitted_at,
            )
    new = upgraded(path, old)
    found = [is_late for (is_late,) in new.execute("SELECT is_late FROM submissions ORDER BY id")]
    assert dict(zip(histories, found, strict=True)) == {
        "late": 1,
        "in time": 0,
        "without due date": 0,
        "draft": None,
    }


def test_deliveries_keep_their_last_attempt_and_their_place_in_the_schedule(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    shared = {
        "webhook_id": 1,
        "event_name": "event.created",
        "entity_type": "event",
        "entity_id": 1,
        "event_at": NOW,
    }
    insert(
        old,
        "webhook_deliveries",
        **shared,
        outgoing_id=1,
        status="delivered",
        attempts=2,
        response_status=200,
        duration_ms=40,
        delivered_at="2026-11-21T10:00:00Z",
    )
    insert(
        old,
        "webhook_deliveries",
        **shared,
        outgoing_id=2,
        status="pending",
        attempts=3,
        error="no answer",
    )
    insert(old, "webhook_deliveries", **shared, outgoing_id=3, status="pending")
    new = upgraded(path, old)
    rows = new.execute(
        "SELECT attempt_count, failures, attempts FROM webhook_deliveries ORDER BY id"
    ).fetchall()
    assert [(count, failures, json.loads(attempts)) for count, failures, attempts in rows] == [
        (
            2,
            2,
            [
                {
                    "attempted_at": "2026-11-21T10:00:00Z",
                    "response_status": 200,
                    "error": None,
                    "duration_ms": 40,
                }
            ],
        ),
        (
            3,
            3,
            [
                {
                    "attempted_at": NOW,
                    "response_status": None,
                    "error": "no answer",
                    "duration_ms": None,
                }
            ],
        ),
        (0, 0, []),
    ]


def audit(connection, request_id, entity_type, entity_id, action, old=None, new=None, at=NOW):
    """Insert an audit entry. `old` and `new` are the JSON texts of its values."""
    connection.execute(
        """
        INSERT INTO audit_log (id, request_id, entity_type, entity_id, action, old_values, new_values, digest, hash,
          previous_hash, created_at)
        VALUES ((SELECT coalesce(max(id), 0) + 1 FROM audit_log), ?, ?, ?, ?, ?, ?, '', '', '', ?)""",
        (request_id, entity_type, entity_id, action, old, new, at),
    )


def test_badges_that_a_merge_dropped_are_valid_again(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    participants(old, 2)
    for number, (request_id, contact_id) in enumerate(
        (("merge", 8), ("deletion", 8), ("merge", 2)), 3
    ):
        audit(
            old,
            request_id,
            "event_participant",
            number,
            "deleted",
            old=as_json(
                {
                    "badge_number": f"BADGE{number}",
                    "contact_id": contact_id,
                    "event_id": 1,
                    "role": "visitor",
                }
            ),
        )
    audit(old, "cancellation", "event_participant", 2, "cancelled")
    old.execute(
        "UPDATE participants SET status = 'cancelled', updated_at = '2026-11-22T12:00:00Z' WHERE id = 2"
    )
    audit(old, "merge", "contact", 7, "merged", new='{"merged_contact_id": 8}')
    # Contact 8 was merged into contact 7, which was merged into contact 1.
    old.execute(
        "INSERT INTO merged_contacts (duplicate_id, contact_id, merged_at) VALUES (8, 1, ?), (7, 1, ?)",
        (NOW, NOW),
    )
    new = upgraded(path, old)
    assert new.execute(
        "SELECT badge_number, event_participant_id, replaced_at FROM badge_aliases"
    ).fetchall() == [("BADGE3", 1, None)]
    assert new.execute("SELECT id, cancelled_at FROM participants").fetchall() == [
        (1, None),
        (2, NOW),
    ]


def contact_and_invoices(connection, buyers):
    """Insert a contact, a draft, and an invoice that was sent to each of the buyers (JSON or None)."""
    contact_id = insert(
        connection,
        "contacts",
        customer_number="C-1",
        country="DE",
        rating=3,
        account_access_enabled=0,
    )
    insert(connection, "invoices", invoice_number="DRAFT-1", contact_id=contact_id, currency="EUR")
    for number, buyer in enumerate(buyers):
        insert(
            connection,
            "invoices",
            invoice_number=f"INV-{number}",
            contact_id=contact_id,
            currency="EUR",
            status="sent",
            buyer=buyer,
            locked_at=NOW,
            pdf_source='{"id": 1}' if number == 0 else None,
        )


def test_a_sent_invoice_keeps_the_language_of_its_pdf(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    contact_and_invoices(
        old,
        [
            '{"language": "de-AT"}',
            '{"language": "DE"}',
            '{"language": "fr"}',
            '{"language": "den"}',
            '{"language": null}',
            None,
        ],
    )
    insert(old, "newsletter_subscribers", email="a@example.org", status="confirmed")
    insert(old, "documents", entity_type="contact", entity_id=1, is_contract=0)
    new = upgraded(path, old)
    languages = [
        language for (language,) in new.execute("SELECT language FROM invoices ORDER BY id")
    ]
    assert languages == [None, "de", "de", "en", "en", "en", "en"]
    sources = new.execute("SELECT pdf_source FROM invoices WHERE pdf_source IS NOT NULL").fetchall()
    assert sources == [('{"id":1,"language":"de"}',)]
    for table in ("newsletter_subscribers", "documents"):
        assert new.execute(f"SELECT language FROM {table}").fetchall() == [(None,)]


def test_refunded_amounts_become_refunds(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    participants(old, 1)
    for number, status in enumerate(("paid", "refunded", "refunded"), 1):
        insert(
            old,
            "invoices",
            invoice_number=f"INV-{number}",
            status=status,
            contact_id=1,
            currency="EUR",
            total=11900,
            credited=0 if status == "paid" else 11900,
        )
    refunded = {
        "invoice_id": 1,
        "amount": 11900,
        "currency": "EUR",
        "status": "completed",
        "gateway_key": "bank",
    }
    insert(old, "payments", **refunded, refunded_amount=1900, payment_date="2025-06-02T10:00:00Z")
    # its entry is pruned
    insert(
        old,
        "payments",
        **{**refunded, "invoice_id": 2, "status": "refunded"},
        refunded_amount=11900,
        payment_date="2025-06-02T10:00:00Z",
        updated_at="2026-02-03T08:00:00Z",
    )
    insert(old, "payments", **refunded, refunded_amount=5, payment_date="2030-01-01T00:00:00Z")
    insert(old, "payments", **refunded, payment_date=None)
    for action, at in (
        ("refunded", "2025-07-01T08:00:00Z"),
        ("refunded", "2026-01-09T08:00:00Z"),
        ("updated", "2026-05-01T08:00:00Z"),
    ):
        audit(old, at, "payment", 1, action, at=at)
    new = upgraded(path, old)
    found = new.execute(
        "SELECT payment_id, amount, currency, gateway_key, refunded_at, counts_at FROM refunds"
    )
    assert found.fetchall() == [
        (1, 1900, "EUR", "bank", "2026-01-09T08:00:00Z", "2026-01-09T08:00:00Z"),
        (2, 11900, "EUR", "bank", "2026-02-03T08:00:00Z", "2026-02-03T08:00:00Z"),
        (3, 5, "EUR", "bank", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"),
    ]
    assert new.execute(
        "SELECT payment_date, payment_date_at FROM payments WHERE id IN (1, 4)"
    ).fetchall() == [("2025-06-02T10:00:00Z", "2025-06-02T10:00:00Z"), (None, None)]
    assert new.execute("SELECT status FROM invoices ORDER BY id").fetchall() == [
        ("paid",),
        ("refunded",),
        ("cancelled",),
    ]
    assert new.execute(statements("refunds").wrong_sums.plain()).fetchall() == []


def draft_with_lines(connection):
    """Insert a draft for a fee (150) and a booth (1,200), and a draft of a credit note."""
    event_id, _ = submission_type(connection)
    contact_id = insert(
        connection,
        "contacts",
        customer_number="C-1",
        company_name="Muster AG",
        country="DE",
        rating=3,
        account_access_enabled=0,
    )
    category_id = insert(
        connection,
        "categories",
        category_key="gold",
        title="Gold",
        base_price=15000,
        is_visible=1,
        applicant_visibility="admin_only",
        account_access_enabled=0,
        sort_order=0,
    )
    participant_id = insert(
        connection,
        "participants",
        event_id=event_id,
        contact_id=contact_id,
        category_id=category_id,
        role="exhibitor",
        status="registered",
        badge_number="B-1",
    )
    plan_id = insert(
        connection,
        "plans",
        event_id=event_id,
        plan_key="hall",
        plan_name="Hall",
        width=1,
        height=1,
        grid_size=1,
        scale_factor=1,
        is_active=1,
        sort_order=0,
    )
    booths = [
        insert(
            connection,
            "booths",
            plan_id=plan_id,
            event_id=event_id,
            booth_number=number,
            width=1,
            depth=1,
            rotation=0,
            status="available",
        )
        for number in ("A1", "A2")
    ]
    reservation_id = insert(
        connection,
        "booth_reservations",
        event_id=event_id,
        booth_id=booths[0],
        event_participant_id=participant_id,
        status="confirmed",
        final_price=120000,
    )
    draft, note = (
        insert(
            connection,
            "invoices",
            invoice_number=f"DRAFT-{kind}",
            invoice_type=kind,
            currency="EUR",
            contact_id=contact_id,
            related_invoice_id=related,
            event_participant_id=participant_id,
        )
        for kind, related in (("invoice", None), ("credit_note", 1))
    )
    return draft, note, participant_id, reservation_id, booths


def test_lines_of_drafts_are_taken_for_generated_if_their_amount_is_that_of_their_record(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    draft, note, participant_id, reservation_id, (booth, other) = draft_with_lines(old)
    fee, stand = {"fee_of_participant_id": participant_id}, {"booth_reservation_id": reservation_id}
    written = [  # (columns of the line, expected is_generated)
        ({"net": 15000, **fee}, 1),
        ({"net": 14000, **fee}, 0),
        ({"net": 120000, **stand, "booth_id": booth}, 1),
        ({"net": 110000, **stand, "booth_id": booth}, 0),
        ({"net": 90000, **stand, "booth_id": other}, 1),
        ({"net": 15000, "discount_percent": 10, **fee}, 0),
        ({"net": 15000}, 0),
    ]
    for position, (columns, _) in enumerate(written):
        line(old, draft, position, **columns)
    line(old, note, 1, net=-15000, **fee)
    new = upgraded(path, old)
    query = "SELECT is_generated FROM invoice_items WHERE invoice_id = ? ORDER BY position"
    assert [value for (value,) in new.execute(query, (draft,))] == [
        expected for _, expected in written
    ]
    assert new.execute(query, (note,)).fetchall() == [(1,)]


def test_lines_and_claims_survive_the_new_table_of_lines(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    draft, _, participant_id, reservation_id, (booth, _) = draft_with_lines(old)
    old = upgraded(path, old, 26)
    line(old, draft, 1, net=15000, fee_of_participant_id=participant_id, is_generated=1)
    line(
        old,
        draft,
        2,
        net=100,
        tax_category="AE",
        tax_rate=0,
        usual_tax_category="S",
        usual_tax_rate=700,
        booth_reservation_id=reservation_id,
        booth_id=booth,
    )
    shown = (
        "SELECT id, net, tax_category, usual_tax_rate, is_generated, bills FROM invoice_items ORDER BY id",
        "SELECT * FROM claims",
        "SELECT * FROM billings",
        "SELECT * FROM readiness",
    )
    before = [sorted(old.execute(query).fetchall(), key=repr) for query in shown]
    new = upgraded(path, old)
    assert [sorted(new.execute(query).fetchall(), key=repr) for query in shown] == before
    line(new, draft, 3, net=100, tax_category="K", tax_rate=0)
    assert schema.changed(new) == schema.foreign(new) == []
    new.execute("DELETE FROM invoices")
    assert new.execute("SELECT count(*) FROM invoice_items").fetchone() == (0,)


def test_sent_invoices_get_the_number_of_their_debtor(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    draft_with_lines(old)
    old = upgraded(path, old, 26)
    sent = {"status": "sent", "contact_id": 1, "currency": "EUR", "locked_at": NOW}
    insert(old, "invoices", invoice_number="INV-1", buyer='{"customer_number": "C-00007"}', **sent)
    insert(old, "invoices", invoice_number="INV-2", buyer=None, **sent)  # its buyer was anonymised
    new = upgraded(path, old)
    assert new.execute(
        "SELECT invoice_number, debtor_number, xml_sha256 FROM invoices ORDER BY id"
    ).fetchall() == [
        ("DRAFT-invoice", None, None),
        ("DRAFT-credit_note", None, None),
        ("INV-1", "C-00007", None),
        ("INV-2", "C-1", None),
    ]
    assert new.execute("SELECT e_invoice_profile, leitweg_id FROM contacts").fetchall() == [
        ("en16931", None)
    ]


def line(connection, invoice_id, position, **columns):
    values = {
        "invoice_id": invoice_id,
        "position": position,
        "description": "x",
        "quantity": 1000,
        "unit_price": 1,
        "tax_rate": 1900,
        "tax_category": "S",
        **columns,
    }
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT INTO invoice_items ({', '.join(values)}) VALUES ({marks})", list(values.values())
    )


def test_mails_are_kept_when_letters_become_a_kind_of_mail(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 26)
    admin = insert(old, "admins", name="Ada")
    for number in (1, 2, 3):
        insert(
            old,
            "mails",
            kind="invoice",
            entity_type="invoice",
            entity_id=number,
            admin_id=admin,
            subject="Invoice",
            recipient="a@example.org",
            base_url="",
            state="queued",
            message_id=f"<{number}@example.org>",
            text="Hello",
            language="de",
        )
    old.execute("DELETE FROM mails WHERE id = 3")
    new = upgraded(path, old)
    assert new.execute(
        "SELECT id, entity_id, recipient, text, language, state FROM mails"
    ).fetchall() == [
        (1, 1, "a@example.org", "Hello", "de", "queued"),
        (2, 2, "a@example.org", "Hello", "de", "queued"),
    ]
    assert (
        insert(
            new,
            "mails",
            kind="dunning",
            entity_type="invoice",
            entity_id=1,
            admin_id=admin,
            subject="x",
            recipient="b@example.org",
            base_url="",
            state="queued",
            message_id="<4@example.org>",
        )
        == 4
    )


def test_queued_mails_get_their_priority_and_postponed_confirmations_wait_as_new_ones_do(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 66)
    event_id = insert(
        old,
        "events",
        event_key="fair",
        title="Fair",
        title_folded="fair",
        country="DE",
        timezone="UTC",
        is_visible=1,
    )
    admin = insert(old, "admins", name="Ada")
    later = "2026-11-22T12:00:00Z"
    # (kind, admin, state, attempts, next_at); those without a kind belong to drafts with the ids 1
    # to 5.
    for number, (kind, admin_id, state, attempts, next_at) in enumerate(
        (
            (None, None, "queued", 0, NOW),
            (None, None, "queued", 0, later),
            (None, None, "queued", 1, later),
            (None, None, "sent", 1, None),
            (None, None, "queued", 0, later),
            ("link", None, "queued", 0, NOW),
            ("link", admin, "queued", 0, NOW),
            ("badge", None, "queued", 0, later),
            ("invoice", admin, "queued", 0, later),
            ("todos", admin, "failed", 1, None),
        ),
        1,
    ):
        insert(
            old,
            "mails",
            kind=kind or "application_confirmation",
            entity_id=number,
            admin_id=admin_id,
            subject="x",
            entity_type="other" if kind else "application_draft",
            recipient=f"{number}@mail.example",
            base_url="https://x",
            state=state,
            attempts=attempts,
            next_at=next_at,
            message_id=f"<{number}@example>",
        )
    for number in range(1, 5):  # the fifth was deleted
        old.execute(
            "INSERT INTO application_drafts (id, event_id, nonce, fields, email, network, language, "
            "created_at) VALUES (?, ?, ?, '{}', ?, 'network', 'en', ?)",
            (number, event_id, f"nonce-{number}", f"{number}@mail.example", NOW),
        )
    new = upgraded(path, old)
    assert new.execute(
        "SELECT entity_id, priority, turn, next_at FROM mails ORDER BY id"
    ).fetchall() == [
        (1, 0, 0, NOW),
        (3, 0, 0, later),
        (4, 0, 0, None),
        (6, 0, 0, NOW),
        (7, 1, 0, NOW),
        (8, 1, 0, later),
        (9, 2, 0, later),
        (10, 2, 0, None),
    ]
    assert new.execute(
        "SELECT id, mail_base_url, mail_at, domain_hash FROM application_drafts"
    ).fetchall() == [
        (1, None, None, None),
        (2, "https://x", None, None),
        (3, None, None, None),
        (4, None, None, None),
    ]


def test_duplicates_and_participants_that_exist_are_counted(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 33)
    participants(old, 5)
    old.execute(
        "UPDATE contacts SET email = 'a@roses.example', folded_phone = '1' WHERE id IN (2, 4)"
    )
    old.execute("UPDATE contacts SET folded_name = 'rose' WHERE id IN (3, 4, 5)")
    new = upgraded(path, old)
    assert new.execute("SELECT * FROM contact_duplicates").fetchall() == [
        (4, 1, 1, 1),
        (5, 0, 0, 1),
    ]
    assert new.execute("SELECT * FROM participant_counts").fetchall() == [
        (1, "visitor", "registered", 0, 5)
    ]
    for statement in (
        statements("contacts").wrong_duplicates,
        statements("participants").wrong_counts,
    ):
        assert new.execute(statement.plain()).fetchall() == []


def approved_application(connection, email_of_contact, email):
    """Insert an event, a contact and an application that was approved. Return the ids of the three."""
    event_id = insert(
        connection,
        "events",
        event_key="fair",
        title="Fair",
        country="DE",
        timezone="UTC",
        is_visible=1,
    )
    contact_id = insert(
        connection,
        "contacts",
        customer_number="C-1",
        country="DE",
        last_name="R",
        email=email_of_contact,
        rating=3,
        account_access_enabled=0,
        has_account=0,
    )
    application_id = insert(
        connection,
        "applications",
        status="approved",
        country="DE",
        email=email,
        decided_at=NOW,
        rating=3,
        late=0,
    )
    return event_id, contact_id, application_id


def test_who_made_a_participation_and_which_addresses_are_closed_is_found_in_older_rows(
    tmp_path, caplog
):
    path = tmp_path / "old.db"
    old = at_schema(path, 65)
    event_id, contact_id, applied = approved_application(old, "a@x.example", "a@x.example")
    part = {"event_id": event_id, "contact_id": contact_id, "status": "registered"}
    for role, values in (
        ("exhibitor", {"application_id": applied}),
        ("sponsor", {"application_id": applied, "created_at": "2026-01-01T00:00:00Z"}),
        ("visitor", {}),
    ):
        insert(old, "participants", **part, badge_number=role, role=role, **values)

    def link(ref, **values):
        return insert(
            old, "links", kind="participant", ref=ref, event_id=event_id, participant_id=1, **values
        )

    link("revoked1", email="a@x.example", email_hash="A", revoked_at=NOW)
    link("revoked2", email="b@x.example", email_hash="B", revoked_at=NOW)
    link("live", email="b@x.example", email_hash="B")
    link("erased", revoked_at=NOW)
    new = upgraded(path, old)
    assert new.execute("SELECT role, made_by FROM participants ORDER BY id").fetchall() == [
        ("exhibitor", applied),
        ("sponsor", None),
        ("visitor", None),
    ]
    assert new.execute(
        "SELECT ref, ended_by, closes_address FROM links ORDER BY id"
    ).fetchall() == [
        ("revoked1", "office", 1),
        ("revoked2", "office", 0),
        ("live", None, 0),
        ("erased", "office", 0),
    ]
    assert "1 revoked links were erased by an earlier version" in caplog.text


def test_no_application_has_made_the_participation_of_a_contact_with_another_address(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 65)
    event_id, contact_id, applied = approved_application(old, "victim@x.example", "eve@x.example")
    insert(
        old,
        "participants",
        event_id=event_id,
        contact_id=contact_id,
        application_id=applied,
        role="visitor",
        status="registered",
        badge_number="B",
    )
    new = upgraded(path, old)
    assert new.execute("SELECT application_id, made_by FROM participants").fetchall() == [
        (applied, None)
    ]


def test_queued_mails_stay_as_they_are(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 65)
    insert(
        old,
        "mails",
        kind="link",
        entity_type="link",
        entity_id=1,
        recipient="a@x.example",
        subject="Your page",
        base_url="https://x.example",
        state="queued",
        next_at=NOW,
        message_id="<1@x>",
    )
    old.execute("UPDATE sqlite_sequence SET seq = 7 WHERE name = 'mails'")
    new = upgraded(path, old)
    assert new.execute(
        "SELECT id, kind, recipient, state, next_at, details FROM mails"
    ).fetchall() == [(1, "link", "a@x.example", "queued", NOW, None)]
    assert new.execute("SELECT seq FROM sqlite_sequence WHERE name = 'mails'").fetchone() == (7,)


def test_what_was_sent_before_has_no_delivery_whatever_became_of_its_mail(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 78)
    contact_and_invoices(old, ['{"name": "Rosen KG"}'])
    letter = {
        "deadline": "2026-11-30",
        "language": "de",
        "title": "Mahnung",
        "due_date": "2026-11-01",
    }
    amounts = dict.fromkeys(
        ("open_amount", "fee", "lump_sum", "costs", "interest", "total_claim"), 0
    )
    old.execute("PRAGMA foreign_keys = OFF")
    for kind in ("invoice", "dunning"):
        insert(
            old,
            "mails",
            kind=kind,
            entity_type="invoice",
            entity_id=2,
            subject="Invoice",
            recipient="a@example.org",
            base_url="",
            state="failed",
            message_id=f"<{kind}@example.org>",
        )
    old.execute(
        "INSERT INTO dunnings (invoice_id, level, level_name, sent_on, days_overdue, mail, mail_id, "
        f"created_at, {', '.join([*letter, *amounts])}) "
        f"VALUES (2, 1, 'First', '2026-11-20', 5, 'queued', 2, '', {', '.join('?' * 10)})",
        [*letter.values(), *amounts.values()],
    )
    new = upgraded(path, old)
    for table in ("invoices", "dunnings"):
        rows = new.execute(f"SELECT for_post, posted_on FROM {table}").fetchall()
        assert set(rows) == {(None, None)}
    new.execute("DELETE FROM mails")
    assert new.execute("SELECT for_post, mail_outcome FROM dunnings").fetchall() == [
        (None, "failed")
    ]
    assert deliveries.of({"for_post": None, "posted_on": None, "mail_state": "failed"}) == "none"


def test_links_of_the_desk_become_sessions_and_secrets_of_their_admin(tmp_path, template):
    settings = make_settings(tmp_path, template)
    settings.database.unlink()
    old = at_schema(settings.database, 84)
    ada = insert(old, "admins", name="Ada")
    eve = insert(old, "admins", name="Eve", email="eve@messe.example")
    event = insert(
        old,
        "events",
        event_key="fair",
        title="Fair",
        title_folded="fair",
        country="DE",
        timezone="UTC",
        is_visible=1,
    )
    key = old.execute(
        "INSERT INTO api_keys (admin_id, name, key_hash, scopes, created_at) VALUES (?, 'till', 'x', 'checkins', ?)",
        (eve, NOW),
    ).lastrowid

    def link(kind, rights, **values):
        ref = f"ref{old.execute('SELECT count(*) FROM links').fetchone()[0]}"
        return insert(old, "links", ref=ref, kind=kind, rights=as_json(rights), **values)

    live = link("admin", ["events", "invoices:read"], admin_id=ada)
    revoked = link("admin", ["events"], admin_id=eve, revoked_at=NOW)
    door = link("door", ["search"], event_id=event, devices=5)
    sessions_before = {  # secret -> its session
        "evs_live": {"link_id": live, "own_device": 1},
        "evs_ended": {"link_id": live, "ended_at": NOW},
        "evs_revoked": {"link_id": revoked},
        "evs_door": {"link_id": door},
        "evs_key": {"api_key_id": key},
    }
    for secret, values in sessions_before.items():
        names = {"session_hash": sha256(secret.encode()).hexdigest(), "last_used_at": NOW, **values}
        old.execute(
            f"INSERT INTO sessions (created_at, way, {', '.join(names)}) VALUES (?, 'shown'{', ?' * len(names)})",
            (NOW, *names.values()),
        )
    opens = {name: f"evl_{name * 32}" for name in "lrd"}
    for name, link_id in (("l", live), ("r", revoked), ("d", door)):
        old.execute(
            "INSERT INTO link_secrets (secret_hash, link_id, way, created_at, expires_at) VALUES (?, ?, 'shown', ?, ?)",
            (link_secrets.hash_of(opens[name]), link_id, NOW, "2026-11-22T09:15:00Z"),
        )
    upgraded(settings.database, old).close()

    with closing(Database(settings)) as db:
        found = {secret: sessions.find(db, secret) for secret in sessions_before}
        seen = {
            secret: (
                row["link_id"],
                row["admin_id"],
                row["scopes"],
                row["ended_at"],
                row["own_device"],
            )
            for secret, row in found.items()
        }
        assert seen == {
            "evs_live": (None, ada, "events invoices:read", None, 0),
            "evs_ended": (None, ada, "events invoices:read", NOW, 0),
            "evs_revoked": (None, eve, "events", NOW, 0),
            "evs_door": (door, None, None, None, 0),
            "evs_key": (None, eve, "checkins", None, 0),
        }
        secret = link_secrets.find(db, opens["l"])
        assert (secret["link_id"], secret["admin_id"], secret["scopes"], secret["way"]) == (
            None,
            ada,
            "events invoices:read",
            "shown",
        )
        assert link_secrets.is_live(secret, NOW)
        assert link_secrets.find(db, opens["r"]) is None
        assert link_secrets.find(db, opens["d"])["link_id"] == door
        assert db.connection.execute("SELECT id FROM links").fetchall() == [(door,)]
        people_now = people.all_people(db)
        assert [(one["role"], one["scopes"], one["has_password"]) for one in people_now] == [
            (None, [], False),
            (None, [], False),
        ]
        assert db.connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_an_open_session_of_the_desk_stays_open_after_the_upgrade(tmp_path, template, monkeypatch):
    monkeypatch.setattr(times, "now", lambda: "2026-11-22T12:00:00Z")
    settings = make_settings(tmp_path, template)
    settings.database.unlink()
    old = at_schema(settings.database, 84)
    admin = insert(old, "admins", name="Ada")
    rights = as_json(["events:read"])
    link = insert(old, "links", ref="abcdefgh", kind="admin", rights=rights, admin_id=admin)
    old.execute(
        "INSERT INTO sessions (session_hash, link_id, way, created_at, last_used_at) VALUES (?, ?, 'shown', ?, ?)",
        (sha256(b"evs_x").hexdigest(), link, NOW, NOW),
    )
    secret = f"evl_{'x' * 32}"
    old.execute(
        "INSERT INTO link_secrets (secret_hash, link_id, way, created_at, expires_at) VALUES (?, ?, 'shown', ?, ?)",
        (link_secrets.hash_of(secret), link, NOW, "2026-11-22T12:15:00Z"),
    )
    upgraded(settings.database, old).close()
    app = webtest.TestApp(App(settings))
    headers = {"Accept": "text/html", "Accept-Language": "en"}
    page = app.get("/desk/", headers={**headers, "Cookie": "evs-desk=evs_x"}, status=200)
    assert "Ada" in page or "To do" in page
    app.post(f"/link/{secret}", headers=headers, status=303)
    assert "To do" in app.get("/desk/", headers=headers, status=200)
    app.get("/desk/edit/events", headers=headers, status=403)


def test_forms_of_exhibitors_ask_after_the_upgrade_what_they_asked_before(tmp_path):
    path = tmp_path / "form.db"
    old = at_schema(path, 86)
    for event_id, shows_prices in ((1, 1), (2, 0)):
        insert(
            old,
            "events",
            id=event_id,
            event_key=f"fair-{event_id}",
            title="Fair",
            country="DE",
            timezone="UTC",
            is_visible=1,
        )
        insert(old, "event_pages", event_id=event_id, show_prices=shows_prices)
    # key -> (entity type, visibility, is it active, is it required, display order)
    fields = {
        "second": ("application", "editable", 1, 1, 20),
        "first": ("application", "editable", 1, 0, 10),
        "hidden": ("application", "hidden", 1, 0, 0),
        "off": ("application", "editable", 0, 0, 0),
        "of_contact": ("contact", "editable", 1, 0, 0),
    }
    for key, (entity_type, visibility, is_active, is_required, place) in fields.items():
        insert(
            old,
            "custom_field_definitions",
            entity_type=entity_type,
            field_key=key,
            field_label=key,
            field_type="text",
            field_options="[]",
            validation_rules="{}",
            is_required=is_required,
            is_searchable=0,
            applicant_visibility=visibility,
            is_active=is_active,
            display_order=place,
        )
    with closing(upgraded(path, old, 87)) as new:
        rows = new.execute("SELECT apply_form, price_display FROM event_pages ORDER BY event_id")
        (form, shown), (_, hidden) = rows.fetchall()
    asked = [(each["field"], each["ask"]) for each in json.loads(form)]
    assert asked == [
        ("company_name", "optional"),
        ("person", "optional"),
        ("phone", "optional"),
        ("address", "optional"),
        ("website", "optional"),
        ("tax_id", "optional"),
        ("categories", "required"),
        ("requested_area", "optional"),
        ("custom.first", "optional"),
        ("custom.second", "required"),
        ("message", "optional"),
    ]
    assert (shown, hidden) == (None, "gross")
