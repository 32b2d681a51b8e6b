"""The totals of lists: each equals the number of records, whatever the filters are.

And the times of the audit log.
"""

import itertools

import pytest

from eventapi import journal
from eventapi.domain.records import entities
from tests.web.test_routes import each

DAYS = ["2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01", "2026-03-15", None]
PERIODS = [
    {},
    {"date_from": "2026-01-01"},
    {"date_to": "2026-01-31"},
    {"date_from": "2026-01-01", "date_to": "2026-01-01"},
    {"date_from": "2025-12-31", "date_to": "2026-02-28"},
    {"date_from": "2026-02-02", "date_to": "2026-01-01"},
    {"date_from": "2027-01-01"},
    {"date_to": "2020-01-01"},
]


def total(client, path, **query):
    """Return the total of a list by pages, after comparing it with the number of records of the
    list as CSV.
    """
    query = "&".join(f"{name}={value}" for name, value in query.items())
    whole = client.get(
        f"{path}?{query}", headers={"Accept": "text/csv"}, status=200
    ).text.splitlines()[1:]
    found = client.get(f"{path}?{query}&per_page=1", status=200).json["meta"]["total"]
    assert found == sum(line.split(",")[0].isdigit() for line in whole), query
    return found


@pytest.fixture
def records(db):
    """Insert contacts, invoices and payments of several countries, states, types and days.

    Return `execute`.
    """
    execute = db.connection.execute
    execute("PRAGMA foreign_keys = OFF")
    for number, (status, day) in enumerate(
        itertools.product(("draft", "sent", "paid", "partially_paid"), DAYS), 1
    ):
        kind = "invoice" if number % 5 else "credit_note"
        execute(
            "INSERT INTO contacts (customer_number, company_name, country, rating, account_access_enabled, "
            "created_at, updated_at) VALUES (?, 'Rose', ?, 1, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')",
            (f"C-{number}", "FR" if number % 3 else "DE"),
        )
        execute(
            "INSERT INTO invoices (invoice_number, invoice_number_natural, invoice_type, related_invoice_id, "
            "contact_id, status, currency, issue_date, due_date, overdue_from, created_at, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, 'EUR', ?, ?, date(?, '+1 day'), '2026-01-01T00:00:00Z', "
            "'2026-01-01T00:00:00Z')",
            (
                f"R-{number}",
                f"R-{number}",
                kind,
                None if kind == "invoice" else 1,
                number,
                status,
                day,
                *("2020-01-01" if number % 2 else "2999-01-01",) * 2,
            ),
        )
    for number, (status, day) in enumerate(
        itertools.product(("pending", "completed", "failed"), DAYS), 1
    ):
        execute(
            "INSERT INTO payments (invoice_id, amount, currency, status, payment_date, payment_date_at, "
            "created_at, updated_at) "
            "VALUES (?, 100, 'EUR', ?, ?, ?, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')",
            (number, status, day, day and f"{day}T11:00:00Z"),
        )
    execute("PRAGMA foreign_keys = ON")
    return execute


def compare(organiser):
    for period, status in itertools.product(
        PERIODS, ("", "pending", "completed", "failed", "refunded")
    ):
        total(organiser, "/payments", **period, **({"status": status} if status else {}))
    for period, status, kind in itertools.product(
        PERIODS[:5], ("", "draft", "sent", "paid", "overdue"), ("", "invoice", "credit_note")
    ):
        total(
            organiser,
            "/invoices",
            **period,
            **({"status": status} if status else {}),
            **({"type": kind} if kind else {}),
        )
    for query in ({}, {"country": "DE"}, {"country": "FR"}, {"country": "AT"}):
        total(organiser, "/contacts", **query)


def test_totals_are_exact_with_each_filter(organiser, db, records):
    assert (
        total(organiser, "/payments") == 18 and total(organiser, "/payments", status="failed") == 6
    )
    assert total(organiser, "/payments", date_from="2026-01-01", date_to="2026-01-31") == 6
    assert (
        total(organiser, "/invoices", status="paid") == 6
        and total(organiser, "/contacts", country="DE") == 8
    )
    compare(organiser)


# The audit log

TIMES = [
    "2026-03-01T10:00:00Z",
    "2026-03-02T10:00:00Z",
    "2030-01-01T10:00:00Z",
    "2026-03-03T10:00:00Z",
    "2026-03-04T10:00:00Z",
    "2026-03-04T09:00:00Z",
    "2026-03-05T10:00:00Z",
]


@pytest.fixture
def entries(organiser, db):
    """Write entries of the audit log at TIMES: the clock was years ahead once, and an hour another
    time.
    """
    for at in TIMES:
        with db.write():
            db.now = at
            journal.administered(db, entities.TENANT, "tested", title=at)
    return db


@each(
    "query, expected",
    [
        ("", [0, 1, 2, 3, 4, 5, 6]),
        ("date_from=2026-03-02", [1, 2, 3, 4, 5, 6]),
        ("date_to=2026-03-03", [0, 1, 3]),
        ("date_from=2026-03-02&date_to=2026-03-03", [1, 3]),
        ("date_from=2026-03-04T09:30:00Z", [2, 4, 6]),
        ("date_to=2026-03-04T09:30:00Z", [0, 1, 3, 5]),
        ("date_from=2026-03-06", [2]),
        ("date_from=2031-01-01", []),
        ("date_to=2025-01-01", []),
        ("updated_since=2026-03-02T00:00:00Z", [1, 2, 3, 4, 5, 6]),
        ("updated_since=2026-03-04T00:00:00Z", [2, 3, 4, 5, 6]),
        ("updated_since=2031-01-01T00:00:00Z", []),
        ("date_from=2026-03-01&updated_since=2026-03-02T00:00:00Z&date_to=2026-03-02", [1]),
    ],
)
def test_a_period_of_the_audit_log_contains_what_the_clock_said(
    organiser, entries, query, expected
):
    found = organiser.get(f"/audit-log?{query}&action=tested&order=ASC", status=200).json
    assert [entry["entity_title"] for entry in found["data"]] == [
        TIMES[number] for number in expected
    ]
    one = organiser.get(f"/audit-log?{query}&action=tested&per_page=1", status=200).json
    assert one["meta"]["total"] == len(expected)
