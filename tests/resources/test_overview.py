"""GET /events/{id}/overview: figures, what waits, what is missing, and the next dates.

The records are written to the database, so that each time and amount stands here. It is noon on the
first of January, a Friday: the week began in December.
"""

import random

import pytest

from eventapi import times
from tests.domain.test_billing import Fair
from tests.domain.test_readiness import act_randomly
from tests.support.prepared import prepared

NOW = "2027-01-01T12:00:00Z"
BEFORE = "2026-12-01T10:00:00Z"


@prepared
def fair(organiser, db):
    return Fair(organiser, db)


@pytest.fixture
def two_events(organiser, db, monkeypatch):
    """Write two events with the same records, so that those of the second would be seen."""
    monkeypatch.setattr(times, "now", lambda: NOW)
    with db.write():
        put(db, "dunning_levels", id=1, level=1, name="First", days=7, deadline_days=7)
        put(db, "booth_types", id=1, booth_type_key="row", booth_type_name="Row", open_sides=1)
        fill_event(db, 1)
        fill_event(db, 2)
        fill_bank_and_mails(db)
    return organiser


# Columns that records need and that make no difference here
USUAL = {
    "booth_types": {"price_model": "fixed", "price": 0, "sort_order": 1},
    "contacts": {"country": "DE", "rating": 3, "account_access_enabled": 0},
    "categories": {"is_visible": 1, "account_access_enabled": 1, "sort_order": 1},
    "plans": {"width": 1, "height": 1, "grid_size": 1, "scale_factor": 1, "is_active": 1},
    "booths": {"rotation": 0},
    "applications": {"country": "DE", "rating": 3, "late": 0},
    "services": {"unit": "piece", "base_price": 100, "min_quantity": 1, "quantity_step": 1},
    "service_orders": {"currency": "EUR", "subtotal": 0, "tax_total": 0, "total": 0},
    "submission_types": {"input": "file", "allowed_extensions": "[]", "needs_approval": 1},
    "invoice_items": {"description": "Fee", "quantity": 1000, "unit_price": 0, "net": 7563},
    "tasks": {"priority": "normal", "created_by": 1},
}


def put(db, table, **columns):
    """Insert a row, with the usual values of its other columns."""
    known = {row[1] for row in db.connection.execute(f"PRAGMA table_info({table})")}
    values = {**USUAL.get(table, {}), **columns}
    for name in ("created_at", "updated_at"):
        if name in known:
            values.setdefault(name, BEFORE)
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    db.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)


def fill_event(db, event):
    """Write an event abroad, and for each code of `waiting` a record. Their ids begin with 10 or 20."""
    put(
        db,
        "events",
        id=event,
        event_key=f"fair-{event}",
        title=f"Fair {event}",
        country="AT",
        timezone="Europe/Berlin",
        is_visible=1,
        date_from="2027-03-13",
        date_from_at="2027-03-12T23:00:00Z",
        date_to="2027-03-14",
        date_to_at="2027-03-14T22:59:59Z",
        over_at="2027-03-14T22:59:59Z",
        application_deadline="2027-01-31",
        application_deadline_at="2027-01-31T22:59:59Z",
    )
    put(
        db,
        "event_pages",
        event_id=event,
        is_public=1,
        my_is_open=1,
        apply_is_open=1,
        booth_from="2027-01-10",
        booth_until="2027-01-24",
        visit_until="2027-03-12",
    )
    first = event * 10
    fill_people(db, event, first)
    fill_hall(db, event, first)
    fill_services(db, event, first)
    fill_invoices(db, event, first)
    put(db, "tasks", id=first, title="Order flags", status="pending", event_id=event)
    put(
        db,
        "tasks",
        id=first + 1,
        title="Done",
        status="completed",
        completed_at=BEFORE,
        event_id=event,
    )


def fill_people(db, event, first):
    """Write exhibitors 0 (has done everything), 1 (a person), 2 and 3 (has cancelled), a visitor 4,
    and their applications.
    """
    people = (
        ("Keramik Wolf", "Wolf", "exhibitor", "confirmed"),
        (None, "Sommer", "exhibitor", "registered"),
        ("Papier & Farbe", "Lang", "exhibitor", "confirmed"),
        ("Abgesagt AG", "Ab", "exhibitor", "cancelled"),
        (None, "Gast", "visitor", "confirmed"),
    )
    put(
        db,
        "categories",
        id=first,
        category_key=f"guests-{event}",
        title="Guests",
        applicant_visibility="selectable",
        approval="automatic",
        role="visitor",
    )
    put(db, "category_events", category_id=first, event_id=event)
    for number, (company, last_name, role, status) in enumerate(people):
        put(
            db,
            "contacts",
            id=first + number,
            customer_number=f"C-{first + number}",
            company_name=company,
            first_name="Mia",
            last_name=last_name,
            email=f"{last_name}@example.org",
        )
        put(
            db,
            "participants",
            id=first + number,
            event_id=event,
            contact_id=first + number,
            role=role,
            status=status,
            badge_number=f"B-{first + number}",
        )
    put(db, "links", ref=f"r{first}", kind="participant", event_id=event, participant_id=first)
    applications = (
        # half past midnight on Monday, and half past eleven on Sunday before
        ("new", "2026-12-27T23:30:00Z", None, 0),
        ("waitlisted", "2026-12-27T22:30:00Z", None, 0),
        # the first second of the twelve weeks, and the last one before
        ("approved", "2026-10-11T22:00:00Z", first + 2, 0),
        ("approved", "2026-10-11T21:59:59Z", first + 4, 1),
    )
    for number, (status, created_at, contact_id, may_lack_badge) in enumerate(applications):
        put(
            db,
            "applications",
            id=first + number,
            status=status,
            company_name=f"Applicant {number}",
            email=f"other-{first + number}@example.org",
            contact_id=contact_id,
            may_lack_badge=may_lack_badge,
            created_at=created_at,
        )
        put(db, "application_events", application_id=first + number, event_id=event)
    put(db, "application_categories", application_id=first + 3, category_id=first)


def fill_hall(db, event, first):
    """Write six booths, of which the hold of the last one has run out."""
    put(db, "plans", id=first, event_id=event, plan_key="hall", plan_name="Hall", sort_order=1)
    booths = (
        ("sold", None, "confirmed", first),
        ("reserved", "2027-01-02T12:00:00Z", "pending", first + 1),
        ("sold", None, "confirmed", first + 2),
        ("available", None, None, None),
        ("blocked", None, None, None),
        ("reserved", "2026-12-31T12:00:00Z", None, None),
    )
    for number, (status, held_until, reservation, participant) in enumerate(booths):
        id = first + number
        put(
            db,
            "booths",
            id=id,
            plan_id=first,
            event_id=event,
            booth_number=f"A{number}",
            width=3000,
            depth=2500,
            status=status,
            held_until=held_until,
        )
        if reservation:
            put(
                db,
                "booth_reservations",
                id=id,
                booth_id=id,
                event_id=event,
                event_participant_id=participant,
                status=reservation,
                booth_number=f"A{number}",
                expires_at=held_until,
            )


def fill_services(db, event, first):
    """Write a submitted order, a type of submissions that one of three has not sent, and an offer
    whose lead time ends before its deadline.
    """
    put(
        db,
        "service_orders",
        id=first,
        event_id=event,
        event_participant_id=first + 2,
        status="submitted",
        created_at="2026-12-29T10:00:00Z",
    )
    put(
        db,
        "services",
        id=first,
        service_key=f"power-{event}",
        service_name="Power",
        requires_specification=0,
        lead_time_days=14,
        is_active=1,
        sort_order=1,
    )
    put(
        db,
        "service_events",
        service_id=first,
        event_id=event,
        early_bird_price=80,
        early_bird_until="2027-01-15",
        order_deadline="2027-03-01",
        is_active=1,
    )
    put(
        db,
        "submission_types",
        id=first,
        event_id=event,
        key="logo",
        title="Logo",
        due_at="2027-02-15T22:59:59Z",
        is_required=1,
        roles='["exhibitor"]',
        is_active=1,
        sort_order=1,
    )
    for number, status, created_at in (
        (0, "approved", BEFORE),
        (2, "submitted", "2026-12-30T09:00:00Z"),
    ):
        put(
            db,
            "submissions",
            id=first + number,
            event_id=event,
            event_participant_id=first + number,
            type_id=first,
            status=status,
            revision=1,
            created_at=created_at,
        )


def fill_invoices(db, event, first):
    """Write invoices of exhibitors 0 to 3. Amounts are in cents: type, status, exhibitor, currency,
    total, paid, credited, due date.
    """
    invoices = (
        ("invoice", "draft", 2, "EUR", 11900, 0, 0, None),
        ("invoice", "paid", 0, "EUR", 30000, 23800, 6200, "2026-12-10"),
        ("credit_note", "sent", 0, "EUR", -6200, 0, 0, None),
        ("invoice", "partially_paid", 1, "EUR", 10000, 2600, 0, "2026-12-10"),
        ("invoice", "paid", 2, "EUR", 25000, 30000, 0, "2026-12-10"),
        ("invoice", "paid", 3, "EUR", 9000, 9000, 0, "2026-12-10"),
        ("invoice", "sent", 2, "EUR", 6000, 0, 0, "2027-01-20"),
        ("invoice", "sent", 1, "CHF", 4000, 0, 0, "2027-01-20"),
    )
    for number, (kind, status, exhibitor, currency, total, paid, credited, due) in enumerate(
        invoices
    ):
        put(
            db,
            "invoices",
            id=first + number,
            invoice_number=f"R-{first + number}",
            invoice_type=kind,
            related_invoice_id=first + 1 if kind == "credit_note" else None,
            status=status,
            contact_id=first + exhibitor,
            event_participant_id=first + exhibitor,
            event_id=event,
            currency=currency,
            total=total,
            paid_amount=paid,
            credited=credited,
            due_date=due,
            overdue_from=due and times.add_days(due, 1),
            buyer='{"name": "Buyer"}',
            locked_at=None if status == "draft" else BEFORE,
            for_post=1 if number == 6 else None,
        )
    put(
        db,
        "invoice_items",
        invoice_id=first + 5,
        position=1,
        tax_rate=1900,
        tax_category="S",
        fee_of_participant_id=first + 3,
    )


def fill_bank_and_mails(db):
    """Write two open bank transactions, two mails that failed, of which one is to a colleague, one
    that waits, and a confirmation that waits for its turn.
    """
    put(
        db,
        "bank_statements",
        id=1,
        sha256="0",
        position=1,
        format="camt.053",
        account="DE1",
        currency="EUR",
        entries=2,
        imported=2,
        total=2,
        skipped_pending=0,
    )
    for number, (amount, assigned) in enumerate(((10000, 2000), (-3050, 0))):
        put(
            db,
            "bank_transactions",
            id=number + 1,
            statement_id=1,
            account="DE1",
            currency="EUR",
            identity=str(number),
            booked_on="2026-12-30",
            amount=amount,
            assigned_amount=assigned,
            party="Payer",
        )
    for id, entity_type, recipient, state, next_at in (
        (1, "invoice", "mia@example.org", "failed", None),
        (2, "admin", "colleague@example.org", "failed", None),
        (3, "invoice", "late@example.org", "queued", "2027-01-01T11:54:00Z"),
        (4, "invoice", "soon@example.org", "queued", "2027-01-01T11:56:00Z"),
    ):
        put(
            db,
            "mails",
            id=id,
            kind="invoice",
            entity_type=entity_type,
            entity_id=1,
            recipient=recipient,
            subject="Mail",
            base_url="",
            state=state,
            next_at=next_at,
            message_id=str(id),
        )
    for event in (1, 2):
        put(
            db,
            "application_drafts",
            event_id=event,
            nonce=str(event),
            language="de",
            mail_base_url="https://fair.example",
        )


def test_an_event_that_does_not_exist_has_no_overview(organiser):
    organiser.get("/events/99/overview", status=404)


def test_figures_count_only_the_records_of_the_event(two_events):
    found = two_events.data("/events/1/overview")
    assert found["booths"] == {
        "total": 6,
        "available": 2,
        "reserved": 1,
        "sold": 2,
        "blocked": 1,
        "area_sold": 15.0,
    }
    assert found["applications"] == {
        "by_status": {
            "new": 1,
            "in_review": 0,
            "info_requested": 0,
            "waitlisted": 1,
            "approved": 2,
            "rejected": 0,
            "withdrawn": 0,
        },
        "by_week": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1],
    }
    assert found["participants"] == {
        "total": 3,
        "ready": 1,
        "lacks": {
            "contract": 0,
            "submissions": 2,
            "booth": 1,
            "services": 1,
            "invoice": 2,
            "payment": 2,
            "badge": 1,
        },
    }
    assert found["money"] == {
        "currency": "EUR",
        "invoiced": 738.0,
        "paid": 654.0,
        "open": 134.0,
        "overdue": 74.0,
        "credit": 50.0,
        "others": [
            {
                "currency": "CHF",
                "invoiced": 40.0,
                "paid": 0.0,
                "open": 40.0,
                "overdue": 0.0,
                "credit": 0.0,
            }
        ],
    }


# code -> count, amount, oldest_at, examples as (id, name)
WAITING = {
    "applications_new": (1, None, "2026-12-27T23:30:00Z", [(10, "Applicant 0")]),
    "holds_ending": (1, None, "2027-01-02T12:00:00Z", [(11, "A1")]),
    "submissions": (1, None, "2026-12-30T09:00:00Z", [(12, "Papier & Farbe")]),
    "orders": (1, None, "2026-12-29T10:00:00Z", [(10, "Papier & Farbe")]),
    "drafts": (1, 119.0, None, [(10, "Papier & Farbe")]),
    "overdue": (1, 74.0, "2026-12-10", [(13, "Mia Sommer")]),
    "letters_due": (1, None, None, [(13, "Mia Sommer")]),
    "unmatched": (2, 110.5, None, [(1, "Payer"), (2, "Payer")]),
    "credit": (1, 50.0, None, [(12, "Papier & Farbe")]),
    "cancelled_paid": (1, 90.0, None, [(13, "Abgesagt AG")]),
    "nameless": (1, None, None, [(11, "Mia Sommer")]),
    "mails_failed": (2, None, None, [(1, "mia@example.org")]),
    "no_link": (2, None, None, [(11, "Mia Sommer"), (12, "Papier & Farbe")]),
    "without_page": (1, None, None, [(12, "Applicant 2")]),
    "without_badge": (1, None, None, [(13, "Applicant 3")]),
    "to_print": (1, None, None, [(16, "Papier & Farbe")]),
    "place_undecided": (1, None, None, [(1, "Fair 1")]),
    "mails_waiting": (2, None, None, [(3, "late@example.org")]),
    "tasks": (1, None, None, [(10, "Order flags")]),
}


def test_every_code_waits_once(two_events):
    found = {
        row["code"]: (
            row["count"],
            row["amount"],
            row["oldest_at"],
            [(example["id"], example["name"]) for example in row["examples"]],
        )
        for row in two_events.data("/events/1/overview")["waiting"]
    }
    assert found == WAITING
    assert list(found) == list(WAITING)


def test_invoices_of_no_event_wait_with_those_of_each_event(two_events, db):
    with db.write():
        db.connection.execute("UPDATE invoices SET event_id = NULL WHERE event_id = 2")
    for event, count in ((1, 2), (2, 1)):
        waiting = two_events.data(f"/events/{event}/overview")["waiting"]
        found = {row["code"]: row["count"] for row in waiting}
        codes = ("drafts", "overdue", "letters_due", "to_print")
        assert [found[code] for code in codes] == [count] * 4


def test_the_next_dates_come_in_their_order(two_events):
    found = two_events.data("/events/1/overview")["dates"]
    assert [(row["date"], row["code"], row["count"]) for row in found] == [
        ("2027-01-02", "hold_ends", 1),
        ("2027-01-10", "booth_choice_begins", 1),
        ("2027-01-15", "early_bird_ends", 1),
        ("2027-01-20", "invoice_due", 2),
        ("2027-01-24", "booth_choice_ends", 1),
        ("2027-01-31", "application_deadline", 4),
        ("2027-02-15", "submission_due", 1),
        ("2027-02-27", "order_deadline", 1),
        ("2027-03-12", "visit_until", 1),
        ("2027-03-13", "event_begins", 3),
        ("2027-03-14", "event_ends", 3),
    ]


def steps(client):
    return {
        row["step"]: (row["state"], row["codes"])
        for row in client.data("/events/1/overview")["setup"]
    }


def test_setup_says_what_is_public_and_lacks_something(two_events, db):
    assert steps(two_events) == {
        "details": ("done", []),
        "website": ("needed", ["privacy", "image", "intro"]),
        "apply": ("needed", ["apply_terms"]),
        "categories": ("done", []),
        "portal": ("done", []),
        "stands": ("done", []),
        "halls": ("done", []),
        "services": ("done", []),
        "submissions": ("done", []),
        "visitors": ("open", ["visit_is_open"]),
        "programme": ("open", []),
        "dunning": ("done", []),
        "company": ("needed", ["no_mail_server"]),
    }
    with db.write():
        db.connection.execute("UPDATE event_pages SET visit_is_open = 1, is_public = 0")
        db.connection.execute("UPDATE events SET date_from = NULL")
        db.connection.execute("DELETE FROM category_events")
    found = steps(two_events)
    assert found["details"] == ("needed", ["date_from"])
    assert found["website"] == ("open", ["privacy", "is_public", "image", "intro", "visit"])
    assert found["categories"] == ("open", [])
    assert found["visitors"] == ("needed", ["automatic_category"])


# scopes of a key -> parts that it reads, codes of `waiting`, and steps beside those of the event
OF_EVENT = {"details", "website", "apply", "portal", "visitors", "company"}
NARROW = {
    "events:read": (set(), set(), set()),
    "events:read booths:read": ({"booths"}, {"holds_ending"}, {"stands"}),
    "events:read applications:read": (
        {"applications"},
        {"applications_new", "without_page", "without_badge"},
        set(),
    ),
    "events:read participants:read": ({"participants"}, {"nameless"}, set()),
    "events:read participants:read links:read": ({"participants"}, {"nameless", "no_link"}, set()),
    "events:read invoices:read": (
        {"money"},
        {"drafts", "overdue", "letters_due", "credit", "to_print"},
        {"dunning"},
    ),
    "events:read payments:read": (set(), {"unmatched"}, set()),
    "events:read submissions:read": (set(), {"submissions"}, {"submissions"}),
    "events:read service_orders:read": (set(), {"orders"}, set()),
    "events:read tasks:read": (set(), {"tasks"}, set()),
}
OF_ALL = {"mails_failed", "mails_waiting", "place_undecided"}


def test_a_key_sees_what_its_scopes_allow(two_events, person):
    for scopes, (parts, codes, further) in NARROW.items():
        found = person(scopes).data("/events/1/overview")
        read = {name for name, part in found.items() if part is not None}
        assert read == {"waiting", "setup", "dates"} | parts, scopes
        assert {row["code"] for row in found["waiting"]} == OF_ALL | codes, scopes
        assert {row["step"] for row in found["setup"]} == OF_EVENT | further, scopes
    person("booths applications participants").get("/events/1/overview", status=403)


def test_names_of_contacts_need_their_scope(two_events, person):
    scopes = (
        "events applications booths submissions service_orders invoices payments participants "
        "links tasks"
    )
    found = person(scopes).data("/events/1/overview")["waiting"]
    assert [row["code"] for row in found] == list(WAITING)
    assert {row["code"] for row in found if row["examples"]} == {
        "applications_new",
        "holds_ending",
        "unmatched",
        "without_page",
        "without_badge",
        "place_undecided",
        "tasks",
    }


def test_the_address_of_an_applicant_needs_the_scope_of_applications(two_events, person, db):
    with db.write():
        db.connection.execute("UPDATE mails SET entity_type = 'application' WHERE id = 1")
    named = {"events contacts": [], "events contacts applications": ["mia@example.org"]}
    for scopes, names in named.items():
        found = person(scopes).data("/events/1/overview")["waiting"]
        [failed] = [row for row in found if row["code"] == "mails_failed"]
        assert [each["name"] for each in failed["examples"]] == names, scopes


def test_a_date_has_no_count_without_the_scope_of_its_records(two_events, person):
    found = person("events:read").data("/events/1/overview")["dates"]
    assert [(row["code"], row["count"]) for row in found] == [
        ("booth_choice_begins", None),
        ("booth_choice_ends", None),
        ("application_deadline", None),
        ("visit_until", None),
        ("event_begins", None),
        ("event_ends", None),
    ]


def test_a_disabled_feature_is_absent(two_events, db):
    with db.write():
        for name in ("booths", "pages", "invoices"):
            db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = ?", (name,))
    found = two_events.data("/events/1/overview")
    assert found["booths"] is None and found["money"] is None
    shown = {row["step"] for row in found["setup"]}
    assert not shown & {"website", "apply", "portal", "visitors", "stands", "dunning"}
    assert not {row["code"] for row in found["waiting"]} & {"drafts", "unmatched", "holds_ending"}


# Participants whose `has_unbilled` is not what their claims and the lines of their invoices say.
UNBILLED = """
SELECT f.id, f.has_unbilled FROM readiness f WHERE f.has_unbilled <> (
  EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = f.id AND NOT c.is_billed)
  OR EXISTS (SELECT 1 FROM booth_claims c WHERE c.event_participant_id = f.id AND NOT c.is_billed)
  OR EXISTS (SELECT 1 FROM item_claims c WHERE c.event_participant_id = f.id AND NOT c.is_billed)
  OR EXISTS (SELECT 1 FROM billings b WHERE b.event_participant_id = f.id AND NOT b.is_claimed))
"""


def lacks(fair):
    """Return the parts that exhibitors lack, and compare with the checklist of each."""
    address = f"/events/{fair.event['id']}/overview"
    found = fair.organiser.data(address)["participants"]
    counted = dict.fromkeys(found["lacks"], 0)
    ready = total = 0
    for participant in fair.organiser.data("/participants?include=readiness&per_page=100"):
        if participant["status"] == "cancelled":
            continue
        if participant["role"] not in ("exhibitor", "co_exhibitor", "sponsor"):
            continue
        total += 1
        ready += participant["readiness"]["ready"]
        for item in participant["readiness"]["items"]:
            if item["status"] in ("open", "blocked"):
                counted[item["item"]] += 1
    assert found == {"total": total, "ready": ready, "lacks": counted}
    assert fair.db.connection.execute(UNBILLED).fetchall() == []
    return {part: number for part, number in found["lacks"].items() if number}


def test_what_is_not_billed_is_lacking(fair):
    """A fee, a booth, an order, what was cancelled after it was billed, and a booth that moved."""
    assert lacks(fair) == {"booth": 1, "invoice": 1, "payment": 1, "badge": 1}
    reservation = fair.reserve("A1")
    order = fair.order((fair.power, 2))
    assert lacks(fair) == {"invoice": 1, "payment": 1, "badge": 1}
    invoice, _ = fair.bill()
    assert lacks(fair) == {"invoice": 1, "payment": 1, "badge": 1}
    fair.send(invoice)
    assert lacks(fair) == {"payment": 1, "badge": 1}
    fair.organiser.make(
        "/payments", {"invoice_number": fair.invoice(invoice["id"])["invoice_number"], "amount": 1}
    )
    further = fair.order((fair.book, 1))
    assert lacks(fair) == {"invoice": 1, "payment": 1, "badge": 1}
    fair.send(fair.bill()[0])
    assert lacks(fair) == {"payment": 1, "badge": 1}
    fair.cancel("service-orders", further)
    assert lacks(fair) == {"invoice": 1, "payment": 1, "badge": 1}
    _, notes = fair.bill()
    for id in notes:
        fair.send({"id": id})
    assert lacks(fair) == {"payment": 1, "badge": 1}
    fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("A2", 8)["id"]})
    assert lacks(fair) == {"invoice": 1, "payment": 1, "badge": 1}
    fair.cancel("service-orders", order)
    assert lacks(fair) == {"invoice": 1, "payment": 1, "badge": 1}


def test_the_fee_of_a_merged_participant_is_lacking(fair):
    """Its line stays on the invoice, and bills somebody who is gone."""
    other = fair.exhibitor("Muster GmbH")
    for participant in (fair.participant, other):
        fair.act("participants", participant, "confirm")
        fair.reserve(f"A{participant['id']}", participant=participant)
        fair.send(fair.bill(participant)[0])
    assert lacks(fair) == {"payment": 2}
    fair.organiser.post(
        f"/contacts/{fair.participant['contact_id']}/merge",
        {"duplicate_id": other["contact_id"]},
        status=200,
    )
    assert lacks(fair) == {"invoice": 1, "payment": 1}


def test_the_checklist_is_counted_as_each_participant_has_it(fair):
    """Random exhibitors, with what is cancelled, credited and moved after it was billed."""
    chance = random.Random(48)
    for key, roles in (("logo", ["exhibitor"]), ("text", ["exhibitor", "sponsor"])):
        fair.organiser.make(
            "/submissions/types",
            {
                "event_key": "fair",
                "key": key,
                "title": key,
                "input": "url",
                "roles": roles,
                "needs_approval": key == "logo",
            },
        )
    form = fair.organiser.make(
        "/documents/templates", {"name": "Contract", "body": "<p>Contract</p>", "is_contract": True}
    )
    people = []
    for number in range(30):
        role = chance.choice(("exhibitor", "exhibitor", "exhibitor", "sponsor", "visitor"))
        category = chance.choice(("gold", "gold", None))
        participant = fair.exhibitor(f"E{number}", role=role, category_key=category)
        people.append(participant)
        act_randomly(fair, chance, participant, number)
        if role != "visitor" and chance.random() < 0.8:
            text = {"event_participant_id": participant["id"], "type_key": "text"}
            fair.organiser.post("/submissions", {**text, "value": "https://roses.example/a"})
        if chance.random() < 0.2:
            entity = {"entity_type": "event_participant", "entity_id": participant["id"]}
            fair.organiser.make("/documents", {**entity, "template_id": form["id"]})
    assert len(lacks(fair)) == 7
    for number, reservation in enumerate(
        fair.organiser.data("/booth-reservations?status=confirmed&per_page=100")
    ):
        if chance.random() < 0.4:
            booth = fair.booth(f"C{number}", chance.choice((4, 8)))
            fair.act("booth-reservations", reservation, "move", {"booth_id": booth["id"]})
    assert len(lacks(fair)) == 7
    for order in fair.organiser.data("/service-orders?status=confirmed&per_page=100"):
        if chance.random() < 0.4:
            fair.cancel("service-orders", order)
    assert len(lacks(fair)) == 7
    for participant in people:
        if chance.random() < 0.5:
            fair.organiser.post(f"/participants/{participant['id']}/invoice")
    for invoice in fair.organiser.data("/invoices?status=draft&per_page=100"):
        if chance.random() < 0.7:
            fair.organiser.post(f"/invoices/{invoice['id']}/send")
    assert len(lacks(fair)) == 7
    for invoice in fair.organiser.data("/invoices?status=sent&per_page=100"):
        if chance.random() < 0.4:
            fair.organiser.post(f"/invoices/{invoice['id']}/cancel", {"reason": "error"})
    assert len(lacks(fair)) == 7
    assert fair.organiser.data(f"/events/{fair.event['id']}/overview")["participants"]["ready"]
