"""Random years of bookkeeping over the API, compared with a ledger that knows only what was sent.

For each customer, opening balance and movements add up to the closing balance. The reports of a
month stay the same, byte for byte, whatever is booked later.
"""

import json
import random
from collections import defaultdict
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from eventapi import times
from eventapi.domain.upkeep import checks
from tests.support.all_tests import ALL_TESTS

BERLIN = ZoneInfo("Europe/Berlin")
PLACES = {"EUR": 2, "JPY": 0, "KWD": 3}
RATES = {"JPY": 0.0061, "KWD": 2.87}
ADDRESS = {"address": "Weg 1", "city": "Leipzig", "country": "DE"}
STEPS = 22  # bookings in a month
CSV = {"Accept": "text/csv"}


class Ledger:
    """What was sent, as entries (day, kind, invoice, amount).

    A positive amount is owed by the customer.
    """

    def __init__(self):
        self.entries, self.invoices = [], {}

    def add(self, day, kind, invoice, amount):
        self.entries.append((day, kind, invoice, amount))

    def open(self, until):
        """Return what is open of each invoice at the end of a day."""
        sums = defaultdict(Decimal)
        for day, _, invoice, amount in self.entries:
            sums[invoice] += amount if day <= until else 0
        return sums

    def balances(self, until):
        """Return the balance of each customer and currency at the end of a day."""
        sums = defaultdict(Decimal)
        for number, amount in self.open(until).items():
            sums[self.invoices[number]["contact_id"], self.invoices[number]["currency"]] += amount
        return {key: amount for key, amount in sums.items() if amount}

    def movements(self, first, last):
        """Return the movements of each customer and currency in a period."""
        sums = defaultdict(Decimal)
        for day, _, number, amount in self.entries:
            if first <= day <= last:
                sums[self.invoices[number]["contact_id"], self.invoices[number]["currency"]] += (
                    amount
                )
        return sums

    def sums(self, first, last, *kinds):
        """Return {currency: sum} of the entries of these kinds in a period."""
        sums = defaultdict(Decimal)
        for day, kind, number, amount in self.entries:
            if first <= day <= last and kind in kinds:
                sums[self.invoices[number]["currency"]] += amount
        return {currency: amount for currency, amount in sums.items() if amount}


class Year:
    """An organiser who books at random. Every booking goes through the API and into the ledger."""

    def __init__(self, client, monkeypatch, seed):
        self.client, self.chance, self.ledger = client, random.Random(seed), Ledger()
        self.payments, self.now = {}, datetime(2026, 1, 1, 8, tzinfo=BERLIN)
        monkeypatch.setattr(times, "now", lambda: times.text(self.now))
        events = [
            client.make("/events", {"title": f"Fair {number}"})["event_key"] for number in range(2)
        ]
        self.events, self.people = events, []
        for number in range(4):
            contact = client.make("/contacts", {**ADDRESS, "company_name": f"Muster {number} GmbH"})
            self.people.append(
                client.make(
                    "/participants",
                    {
                        "event_key": events[number % 2],
                        "contact_id": contact["id"],
                        "role": "exhibitor",
                    },
                )
            )

    def at(self, day):
        """Set the clock to a random time on a day."""
        seconds = self.chance.choice((0, 1800, 43200, 86399))
        self.now = datetime.combine(day, datetime.min.time(), BERLIN) + timedelta(seconds=seconds)

    def today(self):
        return self.now.astimezone(BERLIN).date().isoformat()

    # Amounts

    def amount(self, limit, currency):
        """Return a random amount of at most `limit`, with the decimals of the currency."""
        units = int(limit.scaleb(PLACES[currency]))
        return (
            Decimal(self.chance.randint(1, units)).scaleb(-PLACES[currency]) if units > 0 else None
        )

    @staticmethod
    def taxed(net, rate, currency):
        """Return a net amount with tax, rounded half away from zero to the decimals of the
        currency.
        """
        return net + (net * rate / 100).quantize(
            Decimal(1).scaleb(-PLACES[currency]), ROUND_HALF_UP
        )

    # Dates

    def moment(self, earliest):
        """Return a date of this month, from `earliest` to now: (what is sent, its day, its time).

        What is sent is a date, or a timestamp in one of three forms.
        """
        first = max(
            earliest, self.now.astimezone(BERLIN).replace(day=1, hour=0, minute=0, second=0)
        )
        at = first + timedelta(
            seconds=self.chance.randint(0, int((self.now - first).total_seconds()))
        )
        local = at.astimezone(BERLIN)
        sent = self.chance.choice(
            (
                local.date().isoformat(),
                times.text(at),
                local.isoformat(timespec="seconds"),
                at.astimezone(timezone(timedelta(hours=9))).isoformat(timespec="seconds"),
            )
        )
        return (
            sent,
            local.date().isoformat(),
            datetime.fromisoformat(sent).replace(tzinfo=BERLIN) if len(sent) == 10 else at,
        )

    # Bookings

    def send_invoice(self):
        person, currency = self.chance.choice(self.people), self.chance.choice(list(PLACES))
        lines = [
            (rate, self.amount(Decimal(3000), currency), self.chance.randint(1, 3))
            for rate in self.chance.sample((19, 7), self.chance.randint(1, 2))
        ]
        items = [
            {"description": "Stand", "quantity": quantity, "unit_price": price, "tax_rate": rate}
            for rate, price, quantity in lines
        ]
        draft = self.client.make(
            "/invoices",
            {
                "event_participant_id": person["id"],
                "currency": currency,
                "items": items,
                "exchange_rate": RATES.get(currency),
            },
        )
        sent = self.client.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
        number = sent["invoice_number"]
        nets = {rate: price * quantity for rate, price, quantity in lines}
        self.ledger.invoices[number] = {
            "id": sent["id"],
            "contact_id": person["contact_id"],
            "currency": currency,
            "event": person["event_key"],
            "nets": nets,
            "state": "open",
        }
        self.book_taxed("invoice", number, nets)

    def book_taxed(self, kind, number, nets, sign=1, wholes=None):
        """Book net and tax of an invoice or credit note.

        `wholes`: what a credit note credits a part of. In a currency without decimals, the tax that
        is left of it is the tax of the net amount that is left.
        """
        currency = self.ledger.invoices[number]["currency"]
        for rate, net in nets.items():
            tax = self.taxed(net, rate, currency) - net
            if wholes and not PLACES[currency]:
                whole, rest = wholes[rate], wholes[rate] - net
                tax = self.taxed(whole, rate, currency) - self.taxed(rest, rate, currency) - net
            self.ledger.add(self.today(), f"{kind} net", number, sign * net)
            self.ledger.add(self.today(), f"{kind} tax", number, sign * tax)

    def choose(self, *states):
        """Return the number of an invoice in one of the states, or None."""
        found = [
            number for number, invoice in self.ledger.invoices.items() if invoice["state"] in states
        ]
        return self.chance.choice(found) if found else None

    def credit(self):
        """Credit one tax group of an invoice: a part of it, or all."""
        number = self.choose("open")
        if number:
            invoice = self.ledger.invoices[number]
            rate = self.chance.choice(list(invoice["nets"]))
            whole = invoice["nets"][rate]
            net = self.chance.choice((whole, self.amount(whole, invoice["currency"])))
            item = {"description": "Credit", "quantity": 1, "unit_price": net, "tax_rate": rate}
            self.client.post(f"/invoices/{invoice['id']}/credit", {"items": [item]}, status=201)
            invoice["state"] = (
                "cancelled" if len(invoice["nets"]) == 1 and net == whole else "credited"
            )
            self.book_taxed("credit", number, {rate: net}, -1, {rate: whole})

    def cancel(self):
        number = self.choose("open")
        if number and not any(payment["invoice"] == number for payment in self.payments.values()):
            self.client.post(f"/invoices/{self.ledger.invoices[number]['id']}/cancel", status=200)
            self.ledger.invoices[number]["state"] = "cancelled"
            self.book_taxed("credit", number, self.ledger.invoices[number]["nets"], -1)

    def pay(self):
        number = self.choose("open", "credited")
        if number:
            currency = self.ledger.invoices[number]["currency"]
            amount = self.amount(Decimal(4000), currency)
            sent, day, at = self.moment(self.now - timedelta(days=40))
            made = self.client.make(
                "/payments",
                {
                    "invoice_number": number,
                    "amount": amount,
                    "payment_date": sent,
                    "gateway_key": self.chance.choice((None, "card")),
                },
            )
            self.payments[made["id"]] = {
                "invoice": number,
                "amount": amount,
                "left": amount,
                "at": at,
                "refunds": {},
            }
            self.ledger.add(day, "payment", number, -amount)

    def payment(self):
        """Return a payment of which something is left, or (None, None)."""
        found = [(id, payment) for id, payment in self.payments.items() if payment["left"]]
        return self.chance.choice(found) if found else (None, None)

    def refund(self):
        id, payment = self.payment()
        if id:
            amount = self.chance.choice(
                (
                    payment["left"],
                    self.amount(
                        payment["left"], self.ledger.invoices[payment["invoice"]]["currency"]
                    ),
                )
            )
            earliest = max(payment["at"], payment.get("moved", payment["at"]))
            sent, day, _ = self.moment(earliest)
            body = {
                "refunded_at": sent,
                **({} if amount == payment["left"] else {"amount": amount}),
            }
            kept = self.client.post(f"/payments/{id}/refund", body, status=200).json["data"][
                "refunds"
            ]
            payment["left"] -= amount
            payment["refunds"][kept[-1]["id"]] = day, amount
            self.ledger.add(day, "refund", payment["invoice"], amount)

    def take_refund_back(self):
        """Delete a refund of this month, which is a correction."""
        found = [
            (id, payment, refund)
            for id, payment in self.payments.items()
            for refund, (day, _) in payment["refunds"].items()
            if day[:7] == self.today()[:7] and "moved" not in payment
        ]
        if found:
            id, payment, refund = self.chance.choice(found)
            day, amount = payment["refunds"].pop(refund)
            self.client.delete(f"/payments/{id}/refunds/{refund}", status=204)
            payment["left"] += amount
            self.ledger.entries.remove((day, "refund", payment["invoice"], amount))

    def move(self):
        """Move a payment to another invoice, perhaps of another customer and event."""
        id, payment = self.payment()
        target = self.choose("open", "credited")
        if id and target and target != payment["invoice"]:
            if (
                self.ledger.invoices[target]["currency"]
                == self.ledger.invoices[payment["invoice"]]["currency"]
            ):
                self.client.patch(f"/payments/{id}", {"invoice_number": target}, status=200)
                self.ledger.add(self.today(), "move", payment["invoice"], payment["left"])
                self.ledger.add(self.today(), "move", target, -payment["left"])
                payment.update(invoice=target, moved=self.now)

    def postpone(self):
        """Give a sent invoice another due date."""
        number = self.choose("open", "credited")
        if number:
            day = (self.now + timedelta(days=self.chance.randint(0, 60))).date().isoformat()
            self.client.patch(
                f"/invoices/{self.ledger.invoices[number]['id']}", {"due_date": day}, status=200
            )

    def month(self, first, last):
        """Book at random on the days of a month."""
        days = sorted(self.chance.randint(0, (last - first).days) for _ in range(STEPS))
        for number in days:
            self.at(first + timedelta(days=number))
            step = self.chance.choice(
                (
                    self.send_invoice,
                    self.send_invoice,
                    self.pay,
                    self.pay,
                    self.pay,
                    self.refund,
                    self.refund,
                    self.move,
                    self.credit,
                    self.cancel,
                    self.postpone,
                    self.take_refund_back,
                )
            )
            step()

    # Reports

    def reports(self, first, last):
        """Return {path: (data as JSON text, CSV as bytes)} of all reports about money of a month."""
        span = f"date_from={first}&date_to={last}"
        paths = [f"{name}?{span}" for name in ("revenue", "tax", "payments", "overview")]
        paths += [f"receivables?as_of={last}"]
        paths += [
            f"{path}&event_key={self.events[0]}"
            for path in (f"payments?{span}", f"receivables?as_of={last}")
        ]
        return {path: self.report(path) for path in paths}

    def report(self, path):
        data = self.client.data(f"/reports/{path}")["data"]
        return json.dumps(data), self.client.get(f"/reports/{path}", headers=CSV, status=200).body

    def closing(self):
        """Return what is open of each customer and currency, as the list of invoices shows it."""
        sums, after = defaultdict(Decimal), ""
        while after is not None:
            page = self.client.get(
                f"/invoices?type=invoice&per_page=100&after={after}", status=200
            ).json
            for invoice in page["data"]:
                sums[invoice["contact_id"], invoice["currency"]] += Decimal(
                    str(invoice["open_amount"])
                )
            after = page["meta"]["next"]
        return {key: amount for key, amount in sums.items() if amount}


def months():
    """Return the first and the last day of each month of 2026."""
    firsts = [date(2026, month, 1) for month in range(1, 13)] + [date(2027, 1, 1)]
    return [(first, following - timedelta(days=1)) for first, following in pairwise(firsts)]


def by_currency(rows, *names):
    """Return {currency: sum of these columns} without zeros."""
    sums = defaultdict(Decimal)
    for row in rows:
        sums[row["currency"]] += sum(Decimal(str(row[name])) for name in names)
    return {currency: amount for currency, amount in sums.items() if amount}


def compare(year, reports, first, last):
    """Compare the reports of a month with the ledger."""
    ledger, days = year.ledger, (first.isoformat(), last.isoformat())
    span = f"date_from={first}&date_to={last}"
    rows = {path: json.loads(data)["rows"] for path, (data, _) in reports.items()}
    assert by_currency(rows[f"revenue?{span}"], "net") == ledger.sums(
        *days, "invoice net", "credit net"
    )
    assert by_currency(rows[f"tax?{span}"], "tax") == ledger.sums(
        *days, "invoice tax", "credit tax"
    )
    paid = rows[f"payments?{span}"]
    assert by_currency(paid, "received") == {
        currency: -amount for currency, amount in ledger.sums(*days, "payment").items()
    }
    assert by_currency(paid, "refunded") == ledger.sums(*days, "refund")
    now = json.loads(year.report("receivables")[0])["rows"]
    for event, found in (
        (None, now),
        (None, rows[f"receivables?as_of={last}"]),
        (year.events[0], rows[f"receivables?as_of={last}&event_key={year.events[0]}"]),
    ):
        owed, overpaid = [], []
        for number, amount in ledger.open(days[1]).items():
            if event in (None, ledger.invoices[number]["event"]):
                entry = {"currency": ledger.invoices[number]["currency"], "amount": abs(amount)}
                (owed if amount > 0 else overpaid).append(entry)
        for is_overpaid, expected in ((False, owed), (True, overpaid)):
            shown = [row for row in found if (row["bucket"] == "overpaid") == is_overpaid]
            assert by_currency(shown, "amount") == by_currency(expected, "amount")


def compare_event(year):
    """Compare the report on the payments of an event with the payments that its invoices have in
    the end.
    """
    event = year.events[0]
    found = json.loads(year.report(f"payments?event_key={event}&period=year")[0])["rows"]
    kept = [
        {
            "currency": invoice["currency"],
            "received": payment["amount"],
            "refunded": payment["amount"] - payment["left"],
        }
        for payment in year.payments.values()
        if (invoice := year.ledger.invoices[payment["invoice"]])["event"] == event
    ]
    for name in ("received", "refunded"):
        assert by_currency(found, name) == by_currency(kept, name)
    assert sum(row["payments"] for row in found) == len(kept)


@pytest.mark.parametrize("seed", [1, 2, 3] if ALL_TESTS else [1])
def test_balances_add_up_and_closed_months_never_change(organiser, db, monkeypatch, seed):
    year, closed, opening = Year(organiser, monkeypatch, seed), {}, {}
    for first, last in months():
        year.month(first, last)
        closing = year.closing()
        moved = year.ledger.movements(first.isoformat(), last.isoformat())
        sums = {key: opening.get(key, 0) + moved.get(key, 0) for key in {*opening, *moved}}
        assert closing == {key: amount for key, amount in sums.items() if amount}, (
            f"seed {seed}, {first:%B}"
        )
        assert closing == year.ledger.balances(last.isoformat())
        year.at(last + timedelta(days=1))
        closed[first, last] = reports = year.reports(first, last)
        compare(year, reports, first, last)
        opening = closing
        past = year.chance.choice(list(closed))
        assert year.reports(*past) == closed[past], (
            f"seed {seed}: {past[0]:%B} changed in {first:%B}"
        )
    for past, reports in closed.items():
        assert year.reports(*past) == reports, f"seed {seed}: {past[0]:%B} changed"
    compare_event(year)
    kinds = {kind for _, kind, _, _ in year.ledger.entries}
    assert {"payment", "refund", "move", "credit net"} <= kinds and len(year.ledger.invoices) > 30
    assert checks.findings(db) == []
