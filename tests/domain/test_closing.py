"""Bookings that are made while a month is closed: its figures are those of what is in it when it is
closed.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi import times
from eventapi.domain.books import periods
from eventapi.domain.upkeep import checks
from tests.domain.test_periods import ADDRESS, JUNE, MAY, sent


class Office:
    """An organiser with bookings in May and June, and changes of them by name. It is June."""

    def __init__(self, client, monkeypatch):
        self.client, now = client, [MAY]
        monkeypatch.setattr(times, "now", lambda: now[0])
        self.contact = client.make("/contacts", ADDRESS)["id"]
        self.invoice = sent(client, self.contact)
        self.may = self.pay("2026-05-12")
        self.undated = self.pay(None)
        self.refunded = self.pay("2026-05-12")
        self.pending = self.pay("2026-05-12", status="pending")
        client.post(f"/payments/{self.refunded}/refund", {"amount": 1}, status=200)
        self.refund = client.data(f"/payments/{self.refunded}")["refunds"][0]["id"]
        now[0] = JUNE
        self.june = self.pay("2026-06-02")
        self.old = self.draft(invoice_number="OLD-1", issue_date="2026-05-11")
        self.new = self.draft()

    def pay(self, date, **fields):
        return self.client.make(
            "/payments",
            {
                "invoice_number": self.invoice["invoice_number"],
                "amount": 5,
                "payment_date": date,
                **fields,
            },
        )["id"]

    def draft(self, **fields):
        return self.client.make(
            "/invoices",
            {
                "contact_id": self.contact,
                **fields,
                "items": [
                    {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
                ],
            },
        )["id"]

    def patch(self, payment, **fields):
        return self.client.patch(f"/payments/{payment}", fields, status=200)


BOOKED_IN_MAY = {
    "a payment is dated back": lambda office: office.pay("2026-05-31"),
    "another amount": lambda office: office.patch(office.may, amount=6),
    "another gateway": lambda office: office.patch(office.may, gateway_key="card"),
    "a payment of May is dated later": lambda office: office.patch(
        office.may, payment_date="2026-06-01"
    ),
    "a payment without a date is dated later": lambda office: office.patch(
        office.undated, payment_date="2026-06-01"
    ),
    "a payment of June is dated back": lambda office: office.patch(
        office.june, payment_date="2026-05-31"
    ),
    "a payment is deleted": lambda office: office.client.delete(
        f"/payments/{office.may}", status=204
    ),
    "a payment is completed": lambda office: office.client.post(
        f"/payments/{office.pending}/complete", status=200
    ),
    "a refund is dated back": lambda office: office.client.post(
        f"/payments/{office.may}/refund", {"amount": 1, "refunded_at": "2026-05-20"}, status=200
    ),
    "a refund is deleted": lambda office: office.client.delete(
        f"/payments/{office.refunded}/refunds/{office.refund}", status=204
    ),
    "an invoice is taken over": lambda office: office.client.post(
        f"/invoices/{office.old}/send", status=200
    ),
    "a payment is dated later and erased": lambda office: [
        office.patch(office.may, payment_date="2026-06-01"),
        office.client.post(f"/contacts/{office.contact}/anonymize", {"force": True}, status=200),
    ],
}
BOOKED_IN_JUNE = {
    "a payment of today": lambda office: office.pay("2026-06-03"),
    "a payment without a date": lambda office: office.pay(None),
    "another amount": lambda office: office.patch(office.june, amount=6),
    "an invoice is sent": lambda office: office.client.post(
        f"/invoices/{office.new}/send", status=200
    ),
    "a credit note": lambda office: office.client.post(
        f"/invoices/{office.invoice['id']}/credit",
        {"items": [{"description": "Credit", "quantity": 1, "unit_price": 10}]},
        status=201,
    ),
    "a new contact": lambda office: office.client.make("/contacts", ADDRESS),
}


@pytest.fixture
def office(organiser, db, monkeypatch):
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    return Office(organiser, monkeypatch)


@pytest.fixture
def meanwhile(monkeypatch):
    """Return a function that lets another client act while figures are computed without the write
    lock.

    It returns a list that gets, for each computation, whether the write lock was held.
    """

    def install(*acts):
        figures_of, left, found = periods.figures_of, list(acts), []

        def computed(db, wanted):
            result, locked = figures_of(db, wanted), db.now is not None
            found.append(locked)
            if left and not locked:
                with ThreadPoolExecutor(1) as other:
                    other.submit(left.pop(0)).result()
            return result

        monkeypatch.setattr(periods, "figures_of", computed)
        return found

    return install


@pytest.mark.parametrize("name", BOOKED_IN_MAY)
def test_what_is_booked_in_the_month_while_it_is_closed_is_in_its_figures(
    office, db, meanwhile, name
):
    computed = meanwhile(lambda: BOOKED_IN_MAY[name](office))
    office.client.post("/reports/periods/2026-05/close", status=200)
    assert computed[:2] == [False, False]
    assert list(periods.check(db)) == [] == checks.findings(db)


@pytest.mark.parametrize("name", BOOKED_IN_JUNE)
def test_what_is_booked_in_a_later_month_does_not_delay_the_closing(office, db, meanwhile, name):
    computed = meanwhile(lambda: BOOKED_IN_JUNE[name](office))
    office.client.post("/reports/periods/2026-05/close", status=200)
    assert computed == [False, True]  # the second one is of no month
    assert list(periods.check(db)) == [] == checks.findings(db)


def test_a_month_that_is_booked_in_again_and_again_is_closed_with_the_write_lock_held(
    office, db, meanwhile
):
    computed = meanwhile(*[lambda: office.pay("2026-05-31")] * periods.ATTEMPTS)
    office.client.post("/reports/periods/2026-05/close", status=200)
    assert computed == [*[False] * periods.ATTEMPTS, True]
    assert list(periods.check(db)) == [] == checks.findings(db)


def test_two_clients_may_close_different_months_at_once(office, db, meanwhile):
    office.client.make(
        "/payments",
        {
            "invoice_number": office.invoice["invoice_number"],
            "amount": 1,
            "payment_date": "2026-04-30",
        },
    )
    meanwhile(lambda: office.client.post("/reports/periods/2026-04/close", status=200))
    office.client.post("/reports/periods/2026-05/close", status=200)
    assert [
        (month["month"], month["state"]) for month in office.client.data("/reports/periods")
    ] == [("2026-04", "closed"), ("2026-05", "closed"), ("2026-06", "open")]
    assert list(periods.check(db)) == [] == checks.findings(db)
