"""Dunning: what is due, letters, their history, and disputes."""

import json
from datetime import date
from itertools import count
from threading import Thread

import pytest

from eventapi import times, working_days
from eventapi.domain.billing import balance
from eventapi.domain.dunning import letters, sending
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail.contents import Gone
from eventapi.languages import formats
from eventapi.validation import schema_files
from eventapi.worker.mail import message as mail_message
from tests.pictures.test_invoice_pdf import texts
from tests.support import camt
from tests.support.client import Client, add_key

STAND = {"description": "Row stand", "quantity": 1, "unit_price": 1000, "tax_rate": 19}
LEVELS = "/invoices/dunning-levels"


def day(days):
    """Return the date so many days after today."""
    return times.add_days(times.today("Europe/Berlin"), days)


@pytest.fixture(autouse=True)
def no_weekends(monkeypatch):
    """Let every day be a working day, so that the tests do not depend on today.

    Some tests set the weekend again.
    """
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books and the history of dunning fit together."""
    yield
    assert balance.check(db) == [] and list(sending.check(db)) == []


@pytest.fixture
def buyer(organiser):
    return organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
            "address": "Weg 1",
            "city": "Wien",
            "email": "office@muster.example",
            "language": "de",
        },
    )


@pytest.fixture
def overdue(organiser, buyer):
    """Return a function that sends an invoice over 1190.00 that was due so many days ago."""
    numbers = count(1)

    def make(days, **fields):
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": buyer["id"],
                "items": [STAND],
                "invoice_number": f"OLD-{next(numbers)}",
                "issue_date": day(-days - 30),
                "due_date": day(-days),
                **fields,
            },
        )
        return organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]

    return make


@pytest.fixture
def levels(organiser):
    """Two levels: a reminder after 7 days, and a letter with costs and 10.27 % interest after 21
    days.
    """
    return [
        organiser.make(LEVELS, {"name": "Reminder", "days": 7, "deadline_days": 7}),
        organiser.make(
            LEVELS,
            {
                "name": "First notice",
                "days": 21,
                "deadline_days": 10,
                "fee": 5,
                "interest": "fixed",
                "interest_rate": 10.27,
            },
        ),
    ]


def due(organiser, query=""):
    return organiser.data(f"/invoices/dunning{query}")


def send(organiser, **body):
    return organiser.post("/invoices/dunning/send", body, status=200).json["data"]


def pass_deadline(db):
    """Let the deadlines of all letters pass, which were posted if they had to be printed."""
    db.connection.execute(
        "UPDATE dunnings SET deadline = '2020-01-01', posted_on = iif(for_post = 1, sent_on, NULL)"
    )
    db.connection.execute(
        "UPDATE invoices SET dunning_deadline = '2020-01-01' WHERE dunning_level IS NOT NULL"
    )


def pay(organiser, invoice, amount, **more):
    return organiser.make(
        "/payments", {"invoice_number": invoice["invoice_number"], "amount": amount, **more}
    )


def transfer(organiser, entry):
    """Import a bank transaction without booking it, and return it."""
    organiser(
        "POST",
        "/payments/import",
        headers={"Content-Type": "application/xml"},
        status=201,
        raw=camt.document(
            [camt.statement("DE02120300000000202051", [{"bank_reference": "B1", **entry}])]
        ),
    )
    (found,) = organiser.data("/payments/unmatched")
    return found


# What is due


def test_an_invoice_is_due_from_the_day_of_the_level_on(organiser, overdue, levels):
    overdue(6)
    first, second = overdue(7), overdue(100)
    assert [(row["id"], row["level"], row["days_overdue"]) for row in due(organiser)] == [
        (second["id"], 1, 100),
        (first["id"], 1, 7),
    ]


def test_the_list_says_what_would_be_claimed(organiser, overdue, buyer, db):
    organiser.make(
        LEVELS,
        {
            "name": "Notice",
            "days": 1,
            "deadline_days": 10,
            "fee": 5,
            "interest": "fixed",
            "interest_rate": 10.27,
        },
    )
    invoice = overdue(61)
    (row,) = due(organiser)
    # 1190.00 x 10.27 % x 61 / 365 = 20.42
    assert row == {
        "id": invoice["id"],
        "invoice_number": "OLD-1",
        "contact_id": buyer["id"],
        "customer_number": "C-00001",
        "buyer_name": "Muster AG",
        "event_id": None,
        "event_key": None,
        "currency": "EUR",
        "total": 1190,
        "credited": 0,
        "written_off": 0,
        "payments": [],
        "claims_paid": 0,
        "claimed": 25.42,
        "interest_periods": [
            {
                "date_from": day(-60),
                "date_to": day(0),
                "days": 61,
                "amount": 1190,
                "rate": 10.27,
                "base_rate": None,
                "interest": 20.42,
            }
        ],
        "issue_date": day(-91),
        "due_date": day(-61),
        "overdue_from": day(-60),
        "days_overdue": 61,
        "language": "de",
        "last_level": None,
        "last_deadline": None,
        "level": 1,
        "level_name": "Notice",
        "open_amount": 1190,
        "fee": 5,
        "lump_sum": 0,
        "costs": 5,
        "interest": 20.42,
        "total_claim": 1215.42,
        "deadline": day(10),
        "held_back": None,
        "credit": 0,
        "pending_amount": None,
        "pending_date": None,
        "updated_at": invoice["updated_at"],
    }


def test_paid_cancelled_and_future_invoices_are_not_due(organiser, overdue, levels):
    paid, cancelled, part = overdue(30), overdue(30), overdue(30)
    pay(organiser, paid, 1190)
    organiser.post(f"/invoices/{cancelled['id']}/cancel", status=200)
    pay(organiser, part, 190)
    assert [(row["id"], row["open_amount"]) for row in due(organiser)] == [(part["id"], 1000)]


def test_filters(organiser, overdue, levels, db):
    other = organiser.make("/contacts", {"last_name": "King", "address": "Way 1", "city": "Bath"})
    first, second = overdue(30), overdue(31, contact_id=other["id"])
    third = overdue(32, currency="CHF")
    for query, found in (
        ("level=1", [third, second, first]),
        ("level=2", []),
        ("currency=CHF", [third]),
        (f"contact_id={other['id']}", [second]),
        ("customer_number=C-00002", [second]),
        ("held_back=0", [third, second, first]),
        ("held_back=1", []),
        ("order=desc", [first, second, third]),
        (f"ids={first['id']}", [first]),
        ("event_id=99", []),
    ):
        assert [row["id"] for row in due(organiser, f"?{query}")] == [
            invoice["id"] for invoice in found
        ], query


def test_the_list_is_read_by_cursor(organiser, overdue, levels):
    ids = [overdue(days)["id"] for days in (50, 40, 40, 30)]
    found, after = [], ""
    while after is not None:
        page = organiser.get(f"/invoices/dunning?per_page=1&after={after}", status=200).json
        found += [row["id"] for row in page["data"]]
        after = page["meta"]["next"]
    assert found == ids


@pytest.mark.parametrize(
    "reason", ["disputed", "credit_note_draft", "payment_pending", "no_base_rate", "anonymized"]
)
def test_an_invoice_is_held_back(organiser, overdue, db, buyer, reason):
    level = organiser.make(
        LEVELS,
        {
            "name": "Reminder",
            "days": 7,
            "interest": "consumer" if reason == "no_base_rate" else "none",
        },
    )
    invoice = overdue(30)
    if reason == "disputed":
        organiser.post(f"/invoices/{invoice['id']}/dispute", {"reason": "Too loud"}, status=200)
    elif reason == "credit_note_draft":
        db.connection.execute(
            "INSERT INTO invoices (invoice_number, invoice_type, related_invoice_id, contact_id, "
            "currency, created_at, updated_at) "
            "VALUES ('DRAFT-X', 'credit_note', ?, ?, 'EUR', '', '')",
            (invoice["id"], buyer["id"]),
        )
    elif reason == "payment_pending":
        pay(organiser, invoice, 1190, status="pending")
    elif reason == "anonymized":
        organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
    assert [(row["level"], row["held_back"]) for row in due(organiser)] == [
        (level["level"], reason)
    ]
    assert due(organiser, "?held_back=0") == [] and len(due(organiser, "?held_back=1")) == 1
    result = send(organiser)
    assert result == {
        "sent": [],
        "left": 0,
        "dry_run": False,
        "skipped": [{"invoice_id": invoice["id"], "invoice_number": "OLD-1", "reason": reason}],
        "counts": {"queued": 0, "to_print": 0, "none": 0, "held_back": 1},
    }
    db.connection.execute("DELETE FROM invoices WHERE invoice_number = 'DRAFT-X'")


@pytest.mark.parametrize("days, held_back", [(31, None), (32, "no_base_rate")])
def test_the_first_base_rate_is_that_of_the_first_day_of_interest_at_the_latest(
    organiser, overdue, app, days, held_back
):
    """Interest runs from the day after the due date."""
    app.app.settings.base_rates = ((day(-30), 127),)
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "consumer"})
    overdue(days)
    assert [row["held_back"] for row in due(organiser)] == [held_back]


def test_interest_ends_when_the_bank_booked_the_money_although_its_month_was_closed(
    organiser, overdue
):
    organiser.make(
        LEVELS, {"name": "Notice", "days": 1, "interest": "fixed", "interest_rate": 10.27}
    )
    invoice = overdue(61)
    organiser.post(f"/reports/periods/{day(-50)[:7]}/close", status=200)
    transaction = transfer(organiser, {"amount": 100000, "day": day(-50), "text": "partly"})
    organiser.post(
        f"/payments/unmatched/{transaction['id']}/assign",
        {"invoices": [{"invoice_number": invoice["invoice_number"]}]},
        status=200,
    )
    assert organiser.data("/payments")[0]["payment_date"][:10] >= day(-1)  # the books are closed
    # 1190.00 x 10.27 % x 11 / 365 + 190.00 x 10.27 % x 50 / 365 = 3.683 + 2.673
    (row,) = due(organiser)
    assert (row["open_amount"], row["interest"]) == (190, 6.36)


@pytest.mark.parametrize("amount", [119000, 121542])  # the invoice, and with costs and interest
def test_no_letter_is_sent_while_a_transfer_that_pays_waits_to_be_booked(
    organiser, overdue, levels, amount
):
    waiting, other = overdue(30), overdue(29)
    found = transfer(
        organiser, {"amount": amount, "day": day(-1), "text": waiting["invoice_number"]}
    )
    skipped = [{"invoice_id": waiting["id"], "invoice_number": "OLD-1", "reason": "transfer_open"}]
    for body in (
        {"dry_run": True},
        {"invoice_ids": [waiting["id"], other["id"]], "dry_run": True},
        {},
    ):
        result = send(organiser, **body)
        assert [entry["invoice_id"] for entry in result["sent"]] == [other["id"]]
        assert (result["skipped"], result["left"]) == (skipped, 0)
    organiser.post(f"/payments/unmatched/{found['id']}/ignore", {"reason": "Sent back"}, status=200)
    result = send(organiser)
    assert [entry["invoice_id"] for entry in result["sent"]] == [waiting["id"]] and result[
        "skipped"
    ] == []


@pytest.mark.parametrize(
    "entry",
    [
        {"amount": 118999},
        {"amount": 121542, "text": "Danke"},
        {"amount": 121542, "text": "OLD-1 OLD-2"},
    ],
)
def test_a_transfer_that_may_pay_something_else_delays_no_letter(organiser, overdue, levels, entry):
    late, _ = overdue(30), overdue(1)
    transfer(organiser, {"text": "OLD-1", "day": day(-1), **entry})
    assert [sent["invoice_id"] for sent in send(organiser)["sent"]] == [late["id"]]


# Letters


def test_a_dry_run_waits_for_no_writer_and_keeps_none_waiting(organiser, overdue, levels, db):
    overdue(30)
    with db.write():
        result = send(organiser, dry_run=True)
        again = organiser.post(
            "/invoices/dunning/send",
            {"dry_run": True},
            status=200,
            headers={"Idempotency-Key": "one"},
        ).json["data"]
    assert result == again and [entry["level"] for entry in result["sent"]] == [1]


def test_a_level_follows_the_one_before_it_once_its_deadline_has_passed(
    organiser, overdue, levels, db
):
    invoice = overdue(61)
    (first,) = send(organiser)["sent"]
    assert (
        first["level"],
        first["costs"],
        first["interest"],
        first["total_claim"],
        first["deadline"],
    ) == (1, 0, 0, 1190, day(7))
    assert due(organiser) == [] and send(organiser)["sent"] == []
    assert send(organiser, invoice_ids=[invoice["id"]])["skipped"] == [
        {"invoice_id": invoice["id"], "invoice_number": "OLD-1", "reason": "deadline_running"}
    ]
    db.connection.execute("UPDATE invoices SET dunning_deadline = ?", (day(0),))
    assert due(organiser) == []  # the deadline is today
    pass_deadline(db)
    (second,) = send(organiser)["sent"]
    assert (
        second["level"],
        second["fee"],
        second["costs"],
        second["interest"],
        second["total_claim"],
    ) == (2, 5, 5, 20.42, 1215.42)
    assert organiser.data(f"/invoices/{invoice['id']}?include=dunning")["dunning"] == [
        {**first, "deadline": "2020-01-01", "delivery": "posted", "posted_on": day(0)},
        second,
    ]
    pass_deadline(db)
    assert due(organiser) == []


def test_a_letter_is_counted_as_a_reminder_and_announced(organiser, overdue, levels, db):
    invoice = overdue(30)
    send(organiser)
    now = organiser.data(f"/invoices/{invoice['id']}")
    assert (now["dunning_level"], now["dunning_deadline"], now["reminder_count"]) == (1, day(7), 1)
    assert now["reminder_sent_at"] and now["open_amount"] == 1190 and now["total"] == 1190
    event = db.connection.execute(
        "SELECT name, data FROM outgoing_events ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert event[0] == "invoice.dunned" and json.loads(event[1])["dunning_level"] == 1
    entry = organiser.data("/audit-log?per_page=1&sort=id&order=desc")[0]
    assert (entry["action"], entry["entity_id"], entry["new_values"]["dunning_level"]) == (
        "dunned",
        invoice["id"],
        1,
    )


def test_a_dry_run_changes_nothing_and_says_the_same(organiser, overdue, levels):
    overdue(30)
    planned = send(organiser, dry_run=True)
    assert len(due(organiser)) == 1 and planned["dry_run"]
    sent = send(organiser)["sent"][0]
    assert planned["sent"] == [
        {**sent, "id": None, "created_at": None, "mail": None, "mail_reason": None}
    ]


def test_some_invoices_and_one_level_can_be_sent(organiser, overdue, levels, db):
    first, second, early = overdue(60), overdue(50), overdue(3)
    pay(organiser, paid := overdue(40), 1190)
    result = send(organiser, invoice_ids=[second["id"], early["id"], paid["id"], 4711])
    assert [entry["invoice_id"] for entry in result["sent"]] == [second["id"]]
    assert [(entry["invoice_id"], entry["reason"]) for entry in result["skipped"]] == [
        (early["id"], "not_due"),
        (paid["id"], "not_open"),
        (4711, "unknown"),
    ]
    pass_deadline(db)
    assert [entry["invoice_id"] for entry in send(organiser, level=2)["sent"]] == [second["id"]]
    assert [entry["invoice_id"] for entry in send(organiser, level=1)["sent"]] == [first["id"]]


def test_what_is_left_is_counted(organiser, overdue, levels, monkeypatch):
    monkeypatch.setattr(sending, "BATCH", 2)
    ids = [overdue(days)["id"] for days in (50, 40, 30)]
    result = send(organiser, invoice_ids=ids, dry_run=True)
    assert (
        [entry["invoice_id"] for entry in result["sent"]],
        result["left"],
        result["skipped"],
    ) == (ids[:2], 1, [])
    result = send(organiser)
    assert ([entry["invoice_id"] for entry in result["sent"]], result["left"]) == (ids[:2], 1)
    result = send(organiser)
    assert ([entry["invoice_id"] for entry in result["sent"]], result["left"]) == (ids[2:], 0)


def test_callers_at_once_send_each_letter_once(organiser, overdue, levels, app):
    ids = {overdue(30)["id"] for _ in range(10)}
    found = []
    threads = [Thread(target=lambda: found.extend(send(organiser)["sent"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entry["invoice_id"] for entry in found) == sorted(ids)


def test_the_lump_sum_is_claimed_from_companies_and_includes_the_fees(organiser, overdue, db):
    organiser.make(LEVELS, {"name": "One", "days": 1, "fee": 5})
    organiser.make(LEVELS, {"name": "Two", "days": 2, "fee": 10, "has_lump_sum": True})
    organiser.make(LEVELS, {"name": "Three", "days": 3, "fee": 30})
    person = organiser.make("/contacts", {"last_name": "King", "address": "Way 1", "city": "Bath"})
    company = overdue(30)
    private = overdue(30, contact_id=person["id"])
    abroad = overdue(30, currency="CHF")
    costs = []
    for _ in range(3):
        found = {entry["invoice_id"]: entry for entry in send(organiser)["sent"]}
        costs.append(
            [
                (found[invoice["id"]]["lump_sum"], found[invoice["id"]]["costs"])
                for invoice in (company, private, abroad)
            ]
        )
        pass_deadline(db)
    assert costs == [
        [(0, 5), (0, 5), (0, 0)],
        [(40, 40), (0, 15), (0, 0)],
        [(40, 45), (0, 45), (0, 0)],
    ]


def test_whether_a_buyer_is_a_consumer_is_that_of_the_invoice_else_by_its_company_name(
    organiser, overdue, db
):
    """§ 288 (5) BGB: 40 EUR from businesses only. Invoices that an earlier version sent do not say it."""
    organiser.make(LEVELS, {"name": "One", "days": 1, "fee": 5, "has_lump_sum": True})
    address = {"address": "Way 1", "city": "Bath"}
    people = [
        {"company_name": "Chess Club", "is_business": False},
        {"last_name": "King", "is_business": True},
        {"company_name": "King AG"},
        {"last_name": "King"},
    ]
    invoices = [
        overdue(30, contact_id=organiser.make("/contacts", {**address, **person})["id"])
        for person in people
    ]

    def lump_sums():
        found = {entry["id"]: entry["lump_sum"] for entry in due(organiser)}
        return [found[invoice["id"]] for invoice in invoices]

    assert lump_sums() == [0, 40, 40, 0]
    db.connection.execute("UPDATE invoices SET buyer = json_remove(buyer, '$.is_business')")
    assert organiser.data(f"/invoices/{invoices[0]['id']}")["buyer"]["is_business"] is None
    assert lump_sums() == [40, 0, 40, 0]


def test_a_consumer_is_in_default_from_the_first_letter_on(organiser, overdue, app, db):
    """§ 286 (1) BGB: without the sentence on the invoice, a date on the invoice alone does not
    suffice.
    """
    app.app.settings.base_rates = (("2020-01-01", 127),)
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "business"})
    organiser.make(LEVELS, {"name": "Second", "days": 2, "interest": "business"})
    person = organiser.make("/contacts", {"last_name": "King", "address": "Way 1", "city": "Bath"})
    overdue(61), overdue(61, contact_id=person["id"])
    # 1190.00 x 10.27 % x 61 / 365 = 20.42
    assert [entry["interest"] for entry in send(organiser)["sent"]] == [20.42, 0]
    pass_deadline(db)
    db.connection.execute("UPDATE dunnings SET sent_on = ?", (day(-30),))
    company, consumer = due(organiser)
    # 1190.00 x 6.27 % x 30 / 365 = 6.1325…
    assert (company["interest"], consumer["interest"]) == (20.42, 6.13)
    assert consumer["interest_periods"] == [
        {
            "date_from": day(-29),
            "date_to": day(0),
            "days": 30,
            "amount": 1190,
            "rate": 6.27,
            "base_rate": 1.27,
            "interest": 6.13,
        }
    ]


def test_with_the_sentence_on_the_invoice_a_consumer_is_in_default_after_30_days(organiser, app):
    """§ 286 (3) BGB. An invoice that was sent without it, and one to a company, have no such
    sentence.
    """
    app.app.settings.base_rates = (("2020-01-01", 127),)
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "business"})
    company = organiser.make(
        "/contacts", {"company_name": "Muster AG", "address": "Weg 1", "city": "Wien"}
    )
    person = organiser.make(
        "/contacts", {"last_name": "King", "address": "Way 1", "city": "Bath", "language": "de"}
    )

    def sent(contact, setting):
        app.app.settings.interest_notice = setting
        draft = organiser.make(
            "/invoices", {"contact_id": contact["id"], "items": [STAND], "due_date": day(61)}
        )
        return organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]

    without, private, other = sent(person, "no"), sent(person, "yes"), sent(company, "yes")
    assert [invoice["interest_notice"] for invoice in (without, private, other)] == [
        False,
        True,
        False,
    ]
    pages = [
        " ".join(
            " ".join(
                texts(organiser.get(f"/invoices/{invoice['id']}/pdf", status=200).body)
            ).split()
        )
        for invoice in (without, private, other)
    ]
    assert [
        "Verbraucher kommen spätestens 30 Tage nach Fälligkeit und Zugang dieser Rechnung auch ohne Mahnung in "
        "Verzug" in page
        for page in pages
    ] == [False, True, False]
    for invoice in (without, private, other):
        organiser.patch(f"/invoices/{invoice['id']}", {"due_date": day(0)}, status=200)


@pytest.mark.parametrize(
    "fields, has_notice",
    [
        ({"company_name": "Chess Club", "is_business": False}, True),
        ({"last_name": "King", "is_business": True}, False),
        ({"last_name": "King", "tax_id": "ATU13585627"}, False),
    ],
)
def test_the_sentence_is_on_invoices_to_those_who_are_no_business(
    organiser, app, fields, has_notice
):
    app.app.settings.interest_notice = "yes"
    contact = organiser.make("/contacts", {"address": "Way 1", "city": "Bath", **fields})
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    assert sent["interest_notice"] is has_notice


def test_the_sentence_makes_interest_begin_30_days_after_the_due_date(organiser, overdue, app, db):
    app.app.settings.base_rates = (("2020-01-01", 127),)
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "consumer"})
    person = organiser.make("/contacts", {"last_name": "King", "address": "Way 1", "city": "Bath"})
    overdue(61, contact_id=person["id"])
    db.connection.execute("UPDATE invoices SET interest_notice = 1")
    (row,) = due(organiser)
    # Days 31 to 61 after the due date: 1190.00 x 6.27 % x 31 / 365 = 6.3370…
    assert (row["interest_periods"][0]["date_from"], row["interest"]) == (day(-30), 6.34)


@pytest.mark.parametrize(
    "option, expected", [("due_date", 20.42), ("thirty_days", 10.38), ("first_letter", 0)]
)
def test_the_option_says_when_interest_begins(organiser, overdue, app, option, expected):
    app.app.settings.base_rates, app.app.settings.interest_begins = (("2020-01-01", 127),), option
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "business"})
    overdue(61)
    # thirty_days: 1190.00 x 10.27 % x 31 / 365 = 10.3797…
    assert [row["interest"] for row in due(organiser)] == [expected]


def test_a_credited_amount_bears_no_interest_from_the_beginning(organiser, overdue):
    organiser.make(
        LEVELS, {"name": "Notice", "days": 1, "interest": "fixed", "interest_rate": 10.27}
    )
    invoice = overdue(61)
    organiser.post(
        f"/invoices/{invoice['id']}/credit", {"items": [{**STAND, "unit_price": 200}]}, status=201
    )
    (row,) = due(organiser)
    # 952.00 x 10.27 % x 61 / 365 = 16.3395…
    assert (row["open_amount"], row["credited"], row["interest"]) == (952, 238, 16.34)


# The day from which on an invoice is overdue


def test_an_invoice_due_on_saturday_is_overdue_on_tuesday(
    organiser, overdue, levels, monkeypatch, app
):
    """§ 193 BGB, for the status, the lists, dunning and interest."""
    organiser.make(LEVELS, {"name": "Third", "days": 30, "interest": "none"})
    monkeypatch.undo()
    saturday = next(
        day(-days) for days in range(8, 15) if date.fromisoformat(day(-days)).weekday() == 5
    )
    app.app.settings.public_holidays = working_days.holidays("")
    age = times.days_between(saturday, day(0))
    invoice = overdue(age)
    assert (invoice["due_date"], invoice["overdue_from"]) == (saturday, times.add_days(saturday, 3))
    # The last day to pay was Monday, so that 7 days have passed if today is the next Monday or
    # later.
    assert [row["days_overdue"] for row in due(organiser)] == ([age - 2] if age - 2 >= 7 else [])


def test_the_status_and_the_lists_know_the_day(organiser, overdue, monkeypatch):
    free = {day(-1)}
    monkeypatch.setattr(
        working_days, "is_working_day", lambda checked, known: checked.isoformat() not in free
    )
    late, held = overdue(2), overdue(1)  # yesterday was no working day, so today is the day to pay
    assert (late["status"], held["status"], held["overdue_from"]) == ("overdue", "sent", day(1))
    assert [found["id"] for found in organiser.data("/invoices?status=overdue")] == [late["id"]]
    assert [found["id"] for found in organiser.data("/invoices?overdue=1")] == [late["id"]]
    assert [found["id"] for found in organiser.data("/invoices?status=sent")] == [held["id"]]
    free.clear()
    organiser.patch(f"/invoices/{held['id']}", {"due_date": day(-5)}, status=200)
    changed = organiser.patch(f"/invoices/{held['id']}", {"due_date": day(-1)}, status=200).json[
        "data"
    ]
    assert (changed["status"], changed["overdue_from"]) == ("overdue", day(0))


def test_a_draft_and_a_credit_note_are_never_overdue(organiser, overdue, buyer):
    draft = organiser.make(
        "/invoices", {"contact_id": buyer["id"], "items": [STAND], "due_date": day(-9)}
    )
    note = organiser.post(
        f"/invoices/{overdue(30)['id']}/credit", {"items": [STAND]}, status=201
    ).json["data"]
    assert (draft["overdue_from"], note["overdue_from"]) == (None, None)


# The smallest amount


@pytest.mark.parametrize(
    "open_amount, currency, rate, reason",
    [
        (5, "EUR", None, None),
        (4.99, "EUR", None, "below_minimum"),
        (0.01, "EUR", None, "below_minimum"),
        (5, "CHF", 0.99, "below_minimum"),
        (5, "CHF", 1, None),
        (4.70, "CHF", 1.06, "below_minimum"),
        (4.72, "CHF", 1.06, None),
        (800, "JPY", 0.006, "below_minimum"),
        (834, "JPY", 0.006, None),
        (1.5, "KWD", 3, "below_minimum"),
        (2, "KWD", 3, None),
    ],
)
def test_less_than_the_minimum_is_not_dunned(
    organiser, overdue, levels, open_amount, currency, rate, reason
):
    line = {**STAND, "unit_price": open_amount, "tax_rate": 0, "tax_category": "Z"}
    invoice = overdue(
        30, items=[line], currency=currency, **({"exchange_rate": rate} if rate else {})
    )
    assert [row["held_back"] for row in due(organiser)] == [reason]
    assert (
        len(due(organiser, "?held_back=1"))
        == (1 if reason else 0)
        == 1 - len(due(organiser, "?held_back=0"))
    )
    result = send(organiser)
    assert [entry["reason"] for entry in result["skipped"]] == ([reason] if reason else [])
    assert [entry["invoice_id"] for entry in result["sent"]] == ([] if reason else [invoice["id"]])


# What letters claim, and withdrawn letters


@pytest.fixture
def three(organiser):
    """Three levels with fees and interest of 10 %."""
    interest = {"interest": "fixed", "interest_rate": 10}
    return [
        organiser.make(
            LEVELS, {"name": name, "days": days, "deadline_days": 5, "fee": fee, **interest}
        )
        for name, days, fee in (("One", 1, 0), ("Two", 2, 5), ("Three", 3, 10))
    ]


def claims_of(organiser, invoice):
    now = organiser.data(f"/invoices/{invoice['id']}")
    return now["claims_total"], now["claims_open"], now["dunning_level"]


def test_each_letter_claims_what_it_adds(organiser, overdue, three, db):
    invoice = overdue(73)  # 1190.00 x 10 % x 73 / 365 = 23.80
    (first,) = send(organiser)["sent"]
    assert (first["claimed"], claims_of(organiser, invoice)) == (23.8, (23.8, 23.8, 1))
    pass_deadline(db)
    (second,) = send(organiser)["sent"]
    assert (second["costs"], second["interest"], second["total_claim"]) == (5, 23.8, 1218.8)
    assert (second["claimed"], claims_of(organiser, invoice)) == (5, (28.8, 28.8, 2))
    pass_deadline(db)
    (third,) = send(organiser)["sent"]
    assert (third["claimed"], claims_of(organiser, invoice)) == (10, (38.8, 38.8, 3))
    now = organiser.data(f"/invoices/{invoice['id']}")
    assert (now["total"], now["open_amount"], now["status"]) == (1190, 1190, "overdue")


def test_a_letter_claims_nothing_if_the_claim_became_smaller(organiser, overdue, three, db):
    invoice = overdue(73)
    send(organiser)
    organiser.post(
        f"/invoices/{invoice['id']}/credit", {"items": [{**STAND, "unit_price": 500}]}, status=201
    )
    pass_deadline(db)
    (second,) = send(organiser)["sent"]  # 595.00 x 10 % x 73 / 365 = 11.90, and 5.00
    assert (second["costs"], second["interest"], second["claimed"]) == (5, 11.9, 0)
    assert claims_of(organiser, invoice) == (23.8, 23.8, 2)


def withdraw(organiser, invoice, letter, status=200):
    path = f"/invoices/{invoice['id']}/dunning/{letter['id']}/withdraw"
    return organiser.post(path, {"reason": "Paid in cash"}, status=status).json


def test_a_withdrawn_letter_claims_nothing_and_its_level_can_be_sent_again(
    organiser, overdue, three, db
):
    invoice = overdue(73)
    (first,) = send(organiser)["sent"]
    pass_deadline(db)
    (second,) = send(organiser)["sent"]
    changed = withdraw(organiser, invoice, second)["data"]
    assert (
        changed["claims_total"],
        changed["claims_open"],
        changed["dunning_level"],
        changed["dunning_deadline"],
    ) == (23.8, 23.8, 1, "2020-01-01")
    assert organiser.data(f"/invoices/{invoice['id']}?include=dunning")["dunning"][1] == {
        **second,
        "delivery": "none",
        "withdrawn_on": day(0),
        "withdrawn_reason": "Paid in cash",
    }
    last_event = db.connection.execute(
        "SELECT name FROM outgoing_events ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert last_event[0] == "invoice.dunning_withdrawn"
    (again,) = send(organiser)["sent"]
    # its fee is not added twice
    assert (again["level"], again["costs"], again["claimed"]) == (
        2,
        5,
        5,
    )
    assert claims_of(organiser, invoice) == (28.8, 28.8, 2)
    withdraw(organiser, invoice, again)
    withdraw(organiser, invoice, first)
    assert claims_of(organiser, invoice) == (0, 0, None)
    movements = db.connection.execute(
        "SELECT day, amount < 0, sum(amount) FROM claim_movements GROUP BY day, 2"
    )
    assert [tuple(row) for row in movements] == [(day(0), 0, 3380), (day(0), 1, -3380)]


def test_only_the_last_letter_that_stands_can_be_withdrawn(organiser, overdue, three, db):
    invoice = overdue(73)
    (first,) = send(organiser)["sent"]
    pass_deadline(db)
    (second,) = send(organiser)["sent"]
    assert withdraw(organiser, invoice, first, 409)["code"] == "invalid_transition"
    withdraw(organiser, invoice, second)
    assert withdraw(organiser, invoice, second, 409)["code"] == "invalid_transition"
    withdraw(organiser, invoice, {"id": 99}, 404)
    pay(organiser, invoice, 1190)
    assert withdraw(organiser, invoice, first)["data"]["claims_total"] == 0  # also once it is paid
    assert organiser.post(
        f"/invoices/{invoice['id']}/dunning/{first['id']}/withdraw", {}, status=422
    )


def test_a_reason_is_not_stored_after_erasure(organiser, overdue, three, buyer, db):
    invoice = overdue(73)
    (first,) = send(organiser)["sent"]
    withdraw(organiser, invoice, first)
    (second,) = send(organiser)["sent"]
    organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
    assert db.connection.execute("SELECT max(withdrawn_reason) FROM dunnings").fetchone()[0] is None
    assert withdraw(organiser, invoice, second, 409)["code"] == "anonymized"


def test_what_was_paid_of_the_claims_is_not_claimed_again(organiser, overdue, three, db):
    invoice = overdue(73)
    send(organiser)
    pay(organiser, invoice, 20, claim_amount=20)
    pass_deadline(db)
    (second,) = send(organiser)["sent"]
    assert (
        second["costs"],
        second["interest"],
        second["claims_paid"],
        second["total_claim"],
        second["claimed"],
    ) == (5, 23.8, 20, 1198.8, 5)
    assert claims_of(organiser, invoice) == (28.8, 8.8, 2)


def test_the_check_finds_claims_that_do_not_fit_the_letters(organiser, overdue, three, db):
    overdue(73)
    send(organiser)
    db.connection.execute("UPDATE invoices SET claims_total = 1")
    assert list(sending.check(db)) == ["OLD-1: claims_total is 0.01, but its letters claim 23.8"]
    db.connection.execute("UPDATE invoices SET claims_total = 2380")


def test_interest_follows_payments_refunds_and_credit_notes(organiser, overdue):
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "fixed", "interest_rate": 10})
    invoice = overdue(20)
    pay(organiser, invoice, 690, payment_date=day(-10))
    # (1190 x 10 + 500 x 10) x 10 % / 365 = 4.6301…
    (row,) = due(organiser)
    assert (row["open_amount"], row["interest"], row["total_claim"]) == (500, 4.63, 504.63)


def test_a_payment_that_was_refunded_in_full_bears_interest_again(organiser, overdue):
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "fixed", "interest_rate": 10})
    payment = pay(organiser, overdue(60), 1190, payment_date=day(-40))
    organiser.post(f"/payments/{payment['id']}/refund", {"refunded_at": day(-20)}, status=200)
    # 20 days until the payment, and 20 since the refund: 1190 x 40 x 10 % / 365 = 13.0410…
    (row,) = due(organiser)
    assert (row["open_amount"], row["interest"]) == (1190, 13.04)


# Texts, mails and the letter


def test_texts_are_filled_in_the_language_of_the_buyer(organiser, overdue, db):
    organiser.make(
        LEVELS,
        {
            "name": "Notice",
            "days": 1,
            "fee": 5,
            "deadline_days": 10,
            "title_de": "Mahnung bis {{deadline}}",
            "text_de": "{{number}} von {{ issue_date }}, fällig {{due_date}}: {{open_amount}} + {{costs}} = "
            "{{total_claim}} bis {{deadline}}, {{days_overdue}} Tage {x}",
            "text_en": "never",
        },
    )
    overdue(30)
    db.connection.execute("UPDATE invoices SET issue_date = '2026-01-02', due_date = '2026-02-01'")
    (entry,) = send(organiser, dry_run=True)["sent"]
    assert (entry["title"], entry["language"]) == (
        f"Mahnung bis {formats.day(day(10), 'de')}",
        "de",
    )
    assert entry["text"].startswith(
        "OLD-1 von 02.01.2026, fällig 01.02.2026: 1.190,00 EUR + 5,00 EUR = 1.195,00 EUR bis "
    ) and entry["text"].endswith(" Tage {x}")


def test_the_title_of_a_letter_is_that_of_its_level_and_without_one_its_name(
    organiser, overdue, app, db
):
    organiser.make(LEVELS, {"name": "Mahnung {{x}}", "days": 1})
    organiser.make(LEVELS, {"name": "Letzte Mahnung", "days": 2, "title_en": "Final notice"})
    german, english = overdue(30), overdue(30, language="en")
    app.app.settings.language = "de"
    titles = []
    for _ in range(2):
        found = {entry["invoice_id"]: entry["title"] for entry in send(organiser)["sent"]}
        titles.append((found[german["id"]], found[english["id"]]))
        pass_deadline(db)
    assert titles == [("Mahnung {{x}}", "Payment reminder"), ("Letzte Mahnung", "Final notice")]


@pytest.mark.parametrize(
    "language, fee, rate, sentence",
    [
        (
            "de",
            0,
            None,
            "Nach unseren Unterlagen sind noch 1.190,00 EUR offen.\n\nBitte zahlen Sie 1.190,00 EUR bis",
        ),
        (
            "de",
            5,
            None,
            "noch 1.190,00 EUR offen. Hinzu kommen Kosten von 5,00 EUR.\n\n"
            "Bitte zahlen Sie insgesamt 1.195,00 EUR bis",
        ),
        (
            "de",
            5,
            10.27,
            "noch 1.190,00 EUR offen. Hinzu kommen Kosten von 5,00 EUR und Verzugszinsen von 20,42 EUR.\n\n"
            "Bitte zahlen Sie insgesamt 1.215,42 EUR bis",
        ),
        (
            "en",
            0,
            10.27,
            "EUR 1,190.00 is still outstanding. Interest on arrears of EUR 20.42 is added.\n\n"
            "Please pay a total of EUR 1,210.42 by",
        ),
        (
            "en",
            5,
            10.27,
            "Costs of EUR 5.00 and interest on arrears of EUR 20.42 are added.\n\n"
            "Please pay a total of EUR 1,215.42 by",
        ),
    ],
)
def test_the_default_text_names_every_part_of_the_total(
    organiser, overdue, language, fee, rate, sentence
):
    organiser.make(
        LEVELS,
        {
            "name": "Notice",
            "days": 1,
            "fee": fee,
            "interest_rate": rate,
            "interest": "fixed" if rate else "none",
        },
    )
    overdue(61, language=language)
    (entry,) = send(organiser)["sent"]
    assert sentence in entry["text"]


@pytest.mark.parametrize(
    "title, name",
    [
        ("2. Mahnung", "A_77-2-Mahnung.pdf"),
        ("…", "A_77.pdf"),
        ('Verzögerung / \u00c9 "x"', "A_77-Verzoegerung-E-x.pdf"),
    ],
)
def test_the_file_of_a_letter_is_named_by_its_title(title, name):
    assert letters.file_name({"invoice_number": "A/77"}, {"title": title}) == name


def test_without_a_level_the_requests_say_so(organiser, overdue):
    overdue(30)
    warning = [
        {
            "code": "no_dunning_levels",
            "detail": "No dunning level is defined, so no overdue invoice gets a "
            "letter. Create the levels with POST /invoices/dunning-levels.",
        }
    ]
    for answer in (
        organiser.get("/invoices/dunning", status=200),
        organiser.post("/invoices/dunning/send", {}, status=200),
        organiser.post("/invoices/dunning/send", {"dry_run": True}, status=200),
    ):
        assert answer.json["meta"]["warnings"] == warning
    organiser.make(LEVELS, {"name": "Reminder", "days": 7})
    for answer in (
        organiser.get("/invoices/dunning", status=200),
        organiser.post("/invoices/dunning/send", {}, status=200),
    ):
        assert "warnings" not in answer.json["meta"]


def test_the_mail_has_the_letter_and_the_invoice(organiser, overdue, levels, app, db):
    app.app.settings.smtp_host = "mail.example.org"
    app.app.settings.smtp_sender = "books@messe.test"
    db.config.smtp_sender = "books@messe.test"
    invoice = overdue(30)
    (entry,) = send(organiser, mail=True)["sent"]
    assert entry["mail"] == "queued"
    mail = mails.next_due(db, "9999-01-01T00:00:00Z")
    assert (mail["kind"], mail["recipient"], mail["subject"]) == (
        "dunning",
        "office@muster.example",
        "Zahlungserinnerung: OLD-1",
    )
    recipient, message = mail_message.build(db, mail)
    assert recipient == "office@muster.example"
    assert (
        b'filename="OLD-1-Zahlungserinnerung.pdf"' in message and b'filename="OLD-1.pdf"' in message
    )
    db.connection.execute("UPDATE mails SET state = 'failed'")
    assert (
        organiser.data(f"/invoices/{invoice['id']}?include=dunning")["dunning"][0]["mail"]
        == "failed"
    )
    pay(organiser, invoice, 1190)
    with pytest.raises(Gone):
        mail_message.build(db, mail)


@pytest.mark.parametrize(
    "mail, outcome", [(False, (None, None)), (None, ("skipped", "smtp_not_configured"))]
)
def test_without_a_mail_server_no_mail_is_sent(organiser, overdue, levels, mail, outcome):
    overdue(30)
    assert (
        organiser.post("/invoices/dunning/send", {"mail": True}, status=409).json["code"]
        == "mail_not_configured"
    )
    (entry,) = send(organiser, mail=mail)["sent"]
    assert (entry["mail"], entry["mail_reason"]) == outcome


def test_a_buyer_without_an_address_is_named(organiser, overdue, levels, app):
    app.app.settings.smtp_host = "mail.example.org"
    app.app.settings.smtp_sender = "books@messe.test"
    person = organiser.make("/contacts", {"last_name": "King", "address": "Way 1", "city": "Bath"})
    overdue(30, contact_id=person["id"])
    (entry,) = send(organiser, mail=True)["sent"]
    assert (entry["mail"], entry["mail_reason"]) == ("skipped", "no_address")


def test_the_letter_shows_the_claim(organiser, overdue, db):
    organiser.make(
        LEVELS, {"name": "Notice", "days": 1, "fee": 5, "interest": "fixed", "interest_rate": 10.27}
    )
    invoice = overdue(61)
    (entry,) = send(organiser)["sent"]
    answer = organiser.get(f"/invoices/{invoice['id']}/dunning/{entry['id']}/pdf", status=200)
    assert (
        answer.headers["Content-Disposition"]
        == 'attachment; filename="OLD-1-Zahlungserinnerung.pdf"'
    )
    (page,) = texts(answer.body)
    assert (
        "unsere Rechnung OLD-1 vom " in page
        and "Eine Kopie der Rechnung liegt bei." in page.replace("\n", " ")
    )
    assert {
        "Zahlungserinnerung: Rechnung OLD-1",
        "Offener Betrag der Rechnung OLD-1",
        "1.190,00 EUR",
        "Mahngebühren",
        "5,00 EUR",
        "20,42 EUR",
        "1.215,42 EUR",
        "Muster AG",
    } <= set(page.split("\n"))
    pay(organiser, invoice, 1190)
    assert (
        organiser.get(f"/invoices/{invoice['id']}/dunning/{entry['id']}/pdf", status=200).body
        == answer.body
    )
    organiser.get(f"/invoices/{invoice['id']}/dunning/99/pdf", status=404)


@pytest.mark.parametrize(
    "language, expected",
    [
        (
            "de",
            [
                "Gesamtbetrag der Rechnung OLD-1",
                "abzüglich Gutschriften",
                "-190,00 EUR",
                "abzüglich Zahlung vom {paid}",
                "-300,00 EUR",
                "Rückzahlung vom {refunded}",
                "50,00 EUR",
                "750,00 EUR",
                "Verzugszinsen bis {today}",
                "{first} bis {paid}: 11 Tage zu 6,27 % (Basiszinssatz 1,27 %) auf 1.000,00 EUR = 1,89 EUR",
                "{next} bis {refunded}: 10 Tage zu 6,27 % (Basiszinssatz 1,27 %) auf 700,00 EUR = 1,20 EUR",
                "{last}: 1 Tag zu 6,27 % (Basiszinssatz 1,27 %) auf 750,00 EUR = 0,13 EUR",
            ],
        ),
        (
            "en",
            [
                "Less credit notes",
                "EUR -190.00",
                "Less payment on {paid}",
                "EUR -300.00",
                "Refund on {refunded}",
                "{first} to {paid}: 11 days at 6.27% (base rate 1.27%) on EUR 1,000.00 = EUR 1.89",
            ],
        ),
    ],
)
def test_the_letter_shows_earlier_payments_and_how_its_interest_is_computed(
    organiser, overdue, app, language, expected
):
    app.app.settings.base_rates = (("2020-01-01", 127),)
    organiser.make(LEVELS, {"name": "Notice", "days": 1, "interest": "consumer"})
    invoice = overdue(22, language=language)
    organiser.post(
        f"/invoices/{invoice['id']}/credit",
        {"items": [{**STAND, "unit_price": 159.6639}]},
        status=201,
    )
    payment = pay(organiser, invoice, 300, payment_date=day(-11))
    organiser.post(
        f"/payments/{payment['id']}/refund", {"amount": 50, "refunded_at": day(-1)}, status=200
    )
    (entry,) = send(organiser)["sent"]
    assert entry["payments"] == [
        {"date": day(-11), "amount": 300},
        {"date": day(-1), "amount": -50},
    ]
    # 1000.00 x 6.27 % x 11 / 365 = 1.8896…; + 700.00 x 10 = 3.0921…; + 750.00 x 1 = 3.2209…
    assert (entry["credited"], entry["open_amount"], entry["interest"]) == (190, 750, 3.22)
    days = {"first": -21, "paid": -11, "next": -10, "refunded": -1, "last": 0, "today": 0}
    shown = {name: formats.day(day(number), language) for name, number in days.items()}
    (page,) = texts(
        organiser.get(f"/invoices/{invoice['id']}/dunning/{entry['id']}/pdf", status=200).body
    )
    lines = [line.replace("\xa0", " ") for line in page.split("\n")]
    assert [text.format(**shown) for text in expected if text.format(**shown) not in lines] == []


def test_what_was_written_off_is_not_claimed(organiser, overdue, levels):
    invoice = overdue(30)
    organiser.post(
        f"/invoices/{invoice['id']}/write-offs", {"amount": 190, "reason": "Waived"}, status=201
    )
    (entry,) = send(organiser)["sent"]
    assert (entry["written_off"], entry["open_amount"], entry["total_claim"]) == (190, 1000, 1000)
    (page,) = texts(
        organiser.get(f"/invoices/{invoice['id']}/dunning/{entry['id']}/pdf", status=200).body
    )
    assert "Nicht geltend gemacht" in page and "-190,00 EUR" in page


def test_many_payments_are_one_row(organiser, overdue, levels):
    invoice = overdue(30)
    for days in range(20, 29):
        pay(organiser, invoice, 10, payment_date=day(-days))
    (entry,) = send(organiser)["sent"]
    (page,) = texts(
        organiser.get(f"/invoices/{invoice['id']}/dunning/{entry['id']}/pdf", status=200).body
    )
    first, last = formats.day(day(-28), "de"), formats.day(day(-20), "de")
    assert f"abzüglich Zahlungen vom {first} bis {last}" in page and "-90,00 EUR" in page


def test_invoice_letter_and_badge_show_where_the_event_is(organiser, buyer, levels):
    organiser.make(
        "/events",
        {
            "event_key": "fair",
            "title": "Garden Fair",
            "venue": "Halle Nord",
            "city": "Leipzig",
            "address": "Messe-Allee 1",
            "postal_code": "04356",
        },
    )
    exhibitor = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": buyer["id"], "role": "exhibitor"}
    )
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": buyer["id"],
            "event_participant_id": exhibitor["id"],
            "items": [STAND],
            "invoice_number": "OLD-1",
            "issue_date": day(-60),
            "due_date": day(-30),
        },
    )
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    (letter,) = send(organiser)["sent"]
    for path in ("pdf", f"dunning/{letter['id']}/pdf"):
        page = texts(organiser.get(f"/invoices/{draft['id']}/{path}", status=200).body)[0].split(
            "\n"
        )
        assert page[page.index("Garden Fair") + 1] == "Halle Nord, Messe-Allee 1, 04356 Leipzig"
    badge = organiser(
        "GET",
        f"/participants/{exhibitor['id']}/badge",
        headers={"Accept": "image/svg+xml"},
        status=200,
    )
    assert "Halle Nord · Leipzig" in badge.text


# Disputes


def test_a_disputed_invoice_gets_no_reminder_until_it_is_settled(organiser, overdue, levels):
    invoice = overdue(30)
    path = f"/invoices/{invoice['id']}"
    disputed = organiser.post(f"{path}/dispute", {"reason": "No power"}, status=200).json["data"]
    assert (disputed["is_disputed"], disputed["dispute_reason"]) == (True, "No power") and disputed[
        "disputed_at"
    ]
    assert (
        organiser.post(f"{path}/dispute", {"reason": "No power"}, status=200).json["data"]
        == disputed
    )
    assert organiser.post(f"{path}/remind", status=409).json["code"] == "disputed"
    actions = organiser.data(f"{path}?include=allowed_actions")["allowed_actions"]
    assert "settle" in actions and "remind" not in actions
    assert [found["id"] for found in organiser.data("/invoices?disputed=1")] == [invoice["id"]]
    settled = organiser.post(f"{path}/settle", status=200).json["data"]
    assert (settled["is_disputed"], settled["dispute_reason"], settled["disputed_at"]) == (
        False,
        None,
        None,
    )
    assert organiser.post(f"{path}/settle", status=200).json["data"] == settled
    assert organiser.data("/invoices?disputed=1") == []
    organiser.post(f"{path}/remind", status=200)
    assert len(send(organiser)["sent"]) == 1


def test_drafts_paid_invoices_and_credit_notes_cannot_be_disputed(organiser, overdue, buyer):
    draft = organiser.make("/invoices", {"contact_id": buyer["id"], "items": [STAND]})
    pay(organiser, paid := overdue(30), 1190)
    note = organiser.post(
        f"/invoices/{overdue(30)['id']}/credit", {"items": [STAND]}, status=201
    ).json["data"]
    for invoice in (draft, paid, note):
        problem = organiser.post(
            f"/invoices/{invoice['id']}/dispute", {"reason": "x"}, status=409
        ).json
        assert problem["code"] == "invalid_transition"


def test_no_reason_is_stored_after_erasure(organiser, overdue, buyer):
    path = f"/invoices/{overdue(30)['id']}"
    organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
    assert (
        organiser.post(f"{path}/dispute", {"reason": "My illness"}, status=409).json["code"]
        == "anonymized"
    )
    assert organiser.data(path)["dispute_reason"] is None


def test_erasure_removes_the_reason_and_later_the_text(organiser, overdue, levels, buyer, db, app):
    invoice = overdue(30)
    send(organiser)
    organiser.post(f"/invoices/{invoice['id']}/dispute", {"reason": "My illness"}, status=200)
    organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
    now = organiser.data(f"/invoices/{invoice['id']}?include=dunning")
    (exported,) = organiser.data(f"/contacts/{buyer['id']}/export")["invoices"]
    assert exported["dunning"] == now["dunning"]
    assert (now["is_disputed"], now["dispute_reason"]) == (True, None)
    assert now["dunning"][0]["text"]  # kept as long as the invoice


def test_after_the_retention_period_an_erased_invoice_has_no_letter(
    organiser, overdue, levels, buyer
):
    invoice = overdue(6000)
    (entry,) = send(organiser)["sent"]
    organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
    (found,) = organiser.data(f"/invoices/{invoice['id']}?include=dunning")["dunning"]
    assert found == {**entry, "text": None, "delivery": "none"}  # it can no longer be printed
    letter = organiser.get(f"/invoices/{invoice['id']}/dunning/{entry['id']}/pdf", status=409)
    assert letter.json["code"] == "anonymized"


# Access


def test_reading_needs_no_right_to_write(overdue, levels, organiser, db, app):
    reader = Client(app, add_key(db, "invoices:read"))
    overdue(30)
    assert len(due(reader)) == 1
    reader.post("/invoices/dunning/send", {}, status=403)
    reader.post(LEVELS, {"name": "x", "days": 1}, status=403)


def test_the_check_finds_a_level_that_does_not_fit_the_history(organiser, overdue, levels, db):
    overdue(30)
    send(organiser)
    db.connection.execute("UPDATE invoices SET dunning_level = 2")
    assert list(sending.check(db)) == [
        "OLD-1: the dunning level is 2, but its last letter is of level 1, or the deadline differs"
    ]
    db.connection.execute("UPDATE invoices SET dunning_level = 1")


def test_a_letter_has_the_same_schema_in_its_invoice_in_the_list_and_in_the_response_of_sending():
    dunning = schema_files.document("dunning")["$defs"]
    invoice = schema_files.document("invoice")["$defs"]
    sent = {
        name: dunning[field["$ref"].rpartition("/")[2]] if "$ref" in field else field
        for name, field in dunning["entry"]["properties"].items()
    }
    sent = {
        name: {key: value for key, value in field.items() if key != "readOnly"}
        for name, field in sent.items()
    }
    assert {**dunning["entry"], "properties": sent} == invoice["letter"]
    listed = schema_files.document("dunning_letter")["properties"]
    listed = {
        name: {key: value for key, value in listed[name].items() if key != "readOnly"}
        for name in sent
    }
    only_sent = ("id", "created_at")  # null in a dry run
    assert {name: field for name, field in listed.items() if name not in only_sent} == {
        name: field for name, field in sent.items() if name not in only_sent
    }
