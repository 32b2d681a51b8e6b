"""Random months that are closed, and then attacked: no report of a closed month ever changes."""

import json
from collections import defaultdict
from datetime import timedelta
from decimal import Decimal

import pytest

from eventapi.domain.upkeep import checks
from tests.domain.test_books import CSV, Year, months
from tests.support.all_tests import ALL_TESTS

ATTACKS = 120  # requests against the closed months in each later month


class Attacker(Year):
    """An organiser who books at random, and then tries to change what was booked."""

    def reports(self, first, last):
        """Return all reports about money of a month, with the ledger and the account of each
        customer.

        The overview shows the same money, and participants, which merging and deleting change.
        """
        found = {
            path: report
            for path, report in super().reports(first, last).items()
            if "overview" not in path
        }
        span = f"date_from={first}&date_to={last}"
        paths = [f"ledger?{span}", *(f"ledger/{number}?{span}" for number in self.customers())]
        return {**found, **{path: self.money_of(path) for path in paths}}

    def money_of(self, path):
        """Return a report of the ledger without names, which erasing a contact removes."""
        response = self.client.get(f"/reports/{path}", headers=CSV)
        data = self.client.get(f"/reports/{path}").json.get("data", {}).get("data")
        if data and "rows" in data:
            assert data["proof"]["agrees"], (path, data["proof"])
            data = [data["totals"], [{**row, "customer_name": None} for row in data["rows"]]]
            return json.dumps(data), len(response.body.splitlines())
        if data is None or not data["accounts"]:
            # a customer without an invoice so far, who is not known yet
            return "[]", b""
        return json.dumps(data["accounts"]), response.body

    def customers(self):
        return sorted({person["customer_number"] for person in self.people})

    def some(self, path):
        """Return a random record of a list, or None."""
        found = self.client.data(f"{path}{'&' if '?' in path else '?'}per_page=100")
        return self.chance.choice(found) if found else None

    def day(self):
        """Return a random day of the year so far, as a date or a timestamp."""
        day = self.now - timedelta(days=self.chance.randint(0, self.now.timetuple().tm_yday))
        return self.chance.choice((day.date().isoformat(), day.isoformat(timespec="seconds")))

    def set_rates(self):
        """Change the option `exchange_rates`."""
        self.client.app.app.settings.exchange_rates.update(
            (currency, Decimal(self.chance.randint(1, 900)) / 100) for currency in ("JPY", "KWD")
        )

    def attack(self):
        """Send a request that would change the books, whatever the response is. Return its status."""
        payment = self.some("/payments")
        invoice = self.some("/invoices?type=invoice")
        contact = self.some("/contacts")
        if not (payment and invoice):
            return None
        number = invoice["invoice_number"]
        paid, issued = f"/payments/{payment['id']}", f"/invoices/{invoice['id']}"
        refunds = self.client.data(paid)["refunds"]
        method, path, body = self.chance.choice(
            (
                ("DELETE", paid, None),
                ("DELETE", f"{paid}/refunds/{refunds[0]['id'] if refunds else 1}", None),
                ("PATCH", paid, {"amount": self.chance.randint(1, 5000)}),
                (
                    "PATCH",
                    paid,
                    {"payment_date": self.chance.choice((None, payment["created_at"], self.day()))},
                ),
                ("PATCH", paid, {"gateway_key": self.chance.choice((None, "card"))}),
                ("PATCH", paid, {"invoice_number": number}),
                (
                    "PATCH",
                    paid,
                    {"invoice_number": number, "currency": invoice["currency"], "amount": 1},
                ),
                (
                    "PATCH",
                    paid,
                    {"status": self.chance.choice(("failed", "pending", "refunded", "cancelled"))},
                ),
                (
                    "PATCH",
                    paid,
                    {"notes": "Called", "transaction_id": f"tx-{self.chance.random()}"},
                ),
                ("POST", f"{paid}/refund", {"refunded_at": self.day()}),
                ("POST", f"{paid}/refund", None),
                ("POST", f"{paid}/complete", None),
                (
                    "POST",
                    "/payments",
                    {
                        "invoice_number": number,
                        "amount": 7,
                        "payment_date": self.day(),
                        "status": self.chance.choice(("completed", "pending")),
                    },
                ),
                ("PATCH", issued, {"due_date": self.day()[:10]}),
                ("DELETE", issued, None),
                ("POST", f"{issued}/cancel", None),
                (
                    "POST",
                    f"{issued}/write-offs",
                    {"amount": 1, "reason": "Lost", "written_off_at": self.day()[:10]},
                ),
                ("DELETE", f"{issued}/write-offs/{self.chance.randint(1, 9)}", None),
                ("PATCH", paid, {"claim_amount": 1}),
                (
                    "POST",
                    f"{issued}/credit",
                    {"items": [{"description": "Late", "quantity": 1, "unit_price": 1}]},
                ),
                (
                    "TAKE OVER",
                    "/invoices",
                    {
                        "contact_id": contact["id"],
                        "invoice_number": f"OLD-{self.chance.random()}",
                        "issue_date": self.day()[:10],
                        "items": [{"description": "Old", "quantity": 1, "unit_price": 9}],
                    },
                ),
                (
                    "POST",
                    f"/contacts/{contact['id']}/merge",
                    {"duplicate_id": self.some("/contacts")["id"]},
                ),
                ("POST", f"/contacts/{contact['id']}/anonymize", {"force": True})
                if self.chance.random() < 0.05
                else ("POST", paid, None),
                ("DELETE", f"/events/{self.chance.randint(1, 2)}", None),
                ("DELETE", f"/participants/{self.chance.randint(1, 4)}", None),
            )
        )
        if method == "TAKE OVER":
            draft = self.client.post(path, body)
            path = f"/invoices/{draft.json['data']['id']}/send" if draft.status_int == 201 else paid
            method, body = "POST", None
        response = self.client(method, path, body)
        assert response.status_int < 500, response.text
        problem = response.json if response.status_int == 409 else {}
        return problem.get("code") or response.status_int


def compare_ledger(year, first, last):
    """Compare the ledger of a month with what was sent."""
    numbers = {person["contact_id"]: person["customer_number"] for person in year.people}
    rows = year.client.data(f"/reports/ledger?date_from={first}&date_to={last}")["data"]["rows"]
    for day, name in ((first - timedelta(days=1), "opening_balance"), (last, "closing_balance")):
        balances = {
            (numbers[id], currency): amount
            for (id, currency), amount in year.ledger.balances(day.isoformat()).items()
        }
        assert {
            (row["customer_number"], row["currency"]): Decimal(str(row[name]))
            for row in rows
            if row[name]
        } == balances
    for number in year.customers():
        accounts = year.client.get(
            f"/reports/ledger/{number}?date_from={first}&date_to={last}"
        ).json.get("data")
        shown = {
            account["currency"]: account
            for account in (accounts["data"]["accounts"] if accounts else ())
        }
        for row in rows:
            if row["customer_number"] == number:
                account = shown[row["currency"]]
                assert [account[name] for name in ("opening_balance", "closing_balance")] == [
                    row[name] for name in ("opening_balance", "closing_balance")
                ]
                moved = sum(Decimal(str(entry["amount"])) for entry in account["movements"])
                assert Decimal(str(account["opening_balance"])) + moved == Decimal(
                    str(account["closing_balance"])
                )


@pytest.mark.parametrize("seed", [1, 2] if ALL_TESTS else [1])
def test_no_request_changes_a_report_of_a_closed_month(organiser, db, monkeypatch, seed):
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2025-12-31T00:00:00Z'")
    year, closed, outcomes = Attacker(organiser, monkeypatch, seed), {}, defaultdict(int)
    year.set_rates()
    for first, last in months()[:4]:
        year.month(first, last)
        year.at(last + timedelta(days=1))
        compare_ledger(year, first, last)
        organiser.post(f"/reports/periods/{first:%Y-%m}/close", status=200)
        closed[first, last] = year.reports(first, last)
    for first, last in months()[4:6]:
        for number in range(ATTACKS):
            year.at(first + timedelta(days=number * 28 // ATTACKS))
            outcomes[year.attack()] += 1
            if number % 20 == 19:
                year.set_rates()
                for month, reports in closed.items():
                    found = year.reports(*month)
                    assert found == reports, [
                        path for path in found if found[path] != reports[path]
                    ]
        year.at(last + timedelta(days=1))
        organiser.post(f"/reports/periods/{first:%Y-%m}/close", status=200)
        closed[first, last] = year.reports(first, last)
    assert checks.findings(db) == []
    assert outcomes["period_closed"] > 20 and outcomes[200] > 20, dict(outcomes)
