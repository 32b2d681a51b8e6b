"""The tax point: when the tax of invoices counts, compared with the rules of the contract (section
8, Tax point).
"""

import random
from decimal import ROUND_HALF_UP, Decimal

import pytest

from eventapi import times
from eventapi.domain.books import taxes
from eventapi.domain.datev import comparing
from eventapi.domain.upkeep import checks
from eventapi.money import RATE_PLACES
from eventapi.storage import database, migrations
from eventapi.validation.identifiers.bookkeeping import Account, revenue_accounts
from eventapi.validation.options import tax_basis
from tests.support import extf

BUYER = {
    "company_name": "Muster GmbH",
    "address": "Weg 1",
    "city": "Leipzig",
    "postal_code": "04109",
    "country": "DE",
}
OPTIONS = {
    "datev_adviser": 29098,
    "datev_client": 55003,
    "datev_chart": "03",
    "datev_debtor_base": 10000,
    "datev_bank": Account("1200"),
    "datev_revenue": revenue_accounts("S19=8400 S7=8300 K=8125 AE=8337"),
    "datev_write_offs": revenue_accounts("S19=2406 S7=2401"),
    "datev_deposits": Account("1593"),
}


@pytest.fixture
def clock(monkeypatch, db):
    """Set the time of the program. It is 15 January 2026 at first."""
    now = {"now": "2026-01-15T10:00:00Z"}
    monkeypatch.setattr(times, "now", lambda: now["now"])
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    return lambda day: now.update(now=f"{day}T10:00:00Z")


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def office(organiser, clock, settings, monkeypatch):
    return Office(organiser, clock, settings, monkeypatch)


class Office:
    """What an office does with invoices of the show from 8 to 10 May 2026."""

    def __init__(self, client, clock, settings, monkeypatch):
        self.client, self.clock, self.settings = client, clock, settings
        for name, value in OPTIONS.items():
            monkeypatch.setattr(settings, name, value)
        self.buyer = client.make("/contacts", BUYER)

    def basis(self, text):
        self.settings.tax_basis = tax_basis(text)

    def invoice(self, *items, **fields):
        items = items or ({"unit_price": 500, "tax_rate": 19},)
        lines = [{"description": "Stand", "quantity": 1, **item} for item in items]
        body = {
            "contact_id": self.buyer["id"],
            "items": lines,
            "service_date": "2026-05-08",
            "service_date_to": "2026-05-10",
            **fields,
        }
        draft = self.client.make("/invoices", body)
        return self.client.post(f"/invoices/{draft['id']}/send", status=200).json["data"]

    def pay(self, invoice, amount, **fields):
        return self.client.make(
            "/payments", {"invoice_number": invoice["invoice_number"], "amount": amount, **fields}
        )

    def credit(self, invoice, amount, rate=19):
        return self.client.post(
            f"/invoices/{invoice['id']}/credit",
            {
                "items": [
                    {"description": "Credit", "quantity": 1, "unit_price": amount, "tax_rate": rate}
                ]
            },
            status=201,
        ).json["data"]

    def write_off(self, invoice, amount):
        body = {"amount": amount, "reason": "Insolvent"}
        return self.client.post(f"/invoices/{invoice['id']}/write-offs", body, status=201).json[
            "data"
        ]

    def rows(self, query=""):
        return self.client.data(f"/reports/tax{query}")["data"]["rows"]

    def months(self, *names):
        """Return [(month, *figures)] of all rows that are not 0."""
        names = names or ("net", "tax")
        found = [(row["period"], *(row[name] for name in names)) for row in self.rows()]
        return [row for row in found if any(row[1:])]

    def datev(self, month):
        return extf.Batch(
            self.client.get(f"/reports/datev?year=2026&month={month}", status=200).body
        ).bookings


# Finding 1 of the second review: a show in May, invoiced in January, paid in February


def test_tax_counts_in_the_month_of_the_supply(office):
    invoice = office.invoice()
    assert (invoice["tax_date"], invoice["tax_basis"]) == ("2026-05-10", "supply")
    assert office.months() == [("2026-05", 500, 95)]


def test_a_show_in_may_that_is_paid_in_february_is_declared_in_february(office):
    invoice = office.invoice()
    office.clock("2026-02-10")
    office.pay(invoice, 595)
    assert office.months() == [("2026-02", 500, 95)]
    assert [row["invoices"] for row in office.rows()] == [
        1,  # February
        1,  # May, in which nothing is left
    ]


def test_a_part_that_is_paid_before_and_one_after_the_supply(office):
    invoice = office.invoice()
    office.clock("2026-02-10")
    office.pay(invoice, 119)
    office.clock("2026-06-01")
    office.pay(invoice, 476)
    assert office.months() == [("2026-02", 100, 19), ("2026-05", 400, 76)]


def test_money_that_was_given_back_before_the_supply_takes_its_tax_back(office):
    invoice = office.invoice()
    office.clock("2026-02-10")
    payment = office.pay(invoice, 119)
    office.clock("2026-03-10")
    office.client.post(f"/payments/{payment['id']}/refund", {"amount": 59.5}, status=200)
    assert office.months() == [("2026-02", 100, 19), ("2026-03", -50, -9.5), ("2026-05", 450, 85.5)]


def test_money_above_the_total_is_not_taxed(office):
    invoice = office.invoice()
    office.clock("2026-02-10")
    office.pay(invoice, 700)
    assert office.months() == [("2026-02", 500, 95)]


def test_a_payment_that_moves_takes_its_tax_along(office, db):
    first, second = office.invoice(), office.invoice()
    office.clock("2026-02-10")
    payment = office.pay(first, 595)
    office.clock("2026-03-10")
    office.client.patch(
        f"/payments/{payment['id']}", {"invoice_number": second["invoice_number"]}, status=200
    )
    assert office.months() == [("2026-02", 500, 95), ("2026-05", 500, 95)]
    days = [
        row["day"]
        for row in db.all(taxes.sql.stored, id=first["id"], open_from="0001-01-01")
        if row["kind"] == "payment"
    ]
    assert days == ["2026-02-10", "2026-03-10"]
    office.client.delete(f"/payments/{payment['id']}", status=204)
    assert office.months() == [("2026-05", 1000, 190)]


# Credit notes and write-offs


def test_a_credit_note_before_the_supply_counts_on_the_day_of_the_supply(office):
    invoice = office.invoice()
    office.clock("2026-02-20")
    office.credit(invoice, 100)
    assert office.months() == [("2026-05", 400, 76)]


def test_a_credit_note_and_a_write_off_after_the_supply_count_on_their_days(office):
    invoice = office.invoice()
    office.clock("2026-06-20")
    office.credit(invoice, 100)
    office.clock("2026-07-20")
    office.write_off(invoice, 119)
    assert office.months() == [("2026-05", 500, 95), ("2026-06", -100, -19), ("2026-07", -100, -19)]
    office.clock("2026-08-01")
    office.pay(invoice, 476)  # 119 more than is open: they are recovered
    assert office.months()[3:] == [("2026-08", 100, 19)]


def test_a_write_off_before_the_supply_counts_on_the_day_of_the_supply(office):
    invoice = office.invoice()
    office.write_off(invoice, 119)
    assert office.months() == [("2026-05", 400, 76)]


def test_credit_notes_of_paid_invoices_are_named_until_the_money_was_given_back(office):
    invoice = office.invoice()
    office.clock("2026-02-10")
    payment = office.pay(invoice, 595)
    note = office.credit(invoice, 100)
    [entry] = office.client.data("/reports/tax?date_from=2026-02-01&date_to=2026-02-28")["data"][
        "unrefunded"
    ]
    assert entry == {
        "invoice_id": note["id"],
        "invoice_number": note["invoice_number"],
        "amount": 119,
        "related_invoice_number": invoice["invoice_number"],
        "tax_date": "2026-05-10",
    }
    office.client.post(f"/payments/{payment['id']}/refund", {"amount": 119}, status=200)
    assert office.client.data("/reports/tax")["data"]["unrefunded"] == []
    assert office.months() == [("2026-02", 400, 76)]


# The other bases


def test_by_payment_the_tax_follows_the_money_for_ever(office):
    office.basis("payment")
    invoice = office.invoice()
    assert office.months() == []
    office.clock("2026-07-01")
    office.pay(invoice, 119)
    office.clock("2026-08-01")
    office.credit(invoice, 100)
    office.write_off(invoice, 119)
    assert office.months() == [("2026-07", 100, 19)]
    office.clock("2026-09-01")
    office.pay(invoice, 238)
    assert office.months() == [("2026-07", 100, 19), ("2026-09", 200, 38)]


def test_by_payment_what_is_not_taxed_does_not_follow_the_money(office):
    office.basis("payment")
    office.invoice({"unit_price": 100, "tax_rate": 0, "tax_category": "Z"})
    assert office.months() == [("2026-05", 100, 0)]


def test_by_issue_date_everything_counts_at_its_day(office):
    office.basis("issue_date")
    invoice = office.invoice()
    office.clock("2026-02-10")
    office.pay(invoice, 119)
    office.write_off(invoice, 119)
    assert office.months() == [("2026-01", 500, 95), ("2026-02", -100, -19)]


def test_a_change_of_the_basis_counts_for_supplies_from_its_day_on(office):
    office.basis("payment, 2026-05-10 supply")
    assert office.invoice(service_date_to="2026-05-09")["tax_basis"] == "payment"
    assert office.invoice()["tax_basis"] == "supply"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "supply, payment",
        "supply, 2028-13-01 payment",
        "cash",
        "supply, 2028-01-01 payment, 2028-01-01 supply",
        "2028-01-01 payment",
    ],
)
def test_the_option_is_refused_unless_each_change_has_a_date(text):
    with pytest.raises(ValueError, match="supply, payment or issue_date"):
        tax_basis(text)


# Days


@pytest.mark.parametrize(
    "issued, supplied, counts",
    [
        ("2026-01-15", "2026-05-10", "2026-05"),
        ("2026-01-15", "2026-01-10", "2026-01"),
        ("2026-03-20", "2026-01-31", "2026-02"),
        ("2026-02-20", "2026-01-31", "2026-02"),
        ("2027-03-20", "2026-12-10", "2027-01"),
    ],
)
def test_goods_to_the_eu_count_when_issued_within_the_month_after_the_supply(
    office, issued, supplied, counts
):
    """§ 13 (1) no. 6 UStG."""
    office.clock(issued)
    buyer = office.client.make(
        "/contacts", {**BUYER, "country": "AT", "city": "Wien", "tax_id": "ATU13585627"}
    )
    office.invoice(
        {"unit_price": 100, "tax_rate": 0, "tax_category": "K"},
        contact_id=buyer["id"],
        service_date=supplied,
        service_date_to=None,
    )
    assert office.months("net", "region") == [(counts, 100, "eu")]


def test_an_invoice_for_a_closed_month_counts_at_its_issue_date_and_is_named(office):
    office.invoice(service_date="2026-01-02", service_date_to=None)
    office.clock("2026-02-03")
    office.client.post("/reports/periods/2026-01/close", status=200)
    late = office.invoice(service_date="2026-01-02", service_date_to=None)
    assert late["tax_date"] == "2026-02-03" and office.months() == [
        ("2026-01", 500, 95),
        ("2026-02", 500, 95),
    ]
    assert office.client.data("/reports/tax")["data"]["late"] == [
        {
            "invoice_id": late["id"],
            "invoice_number": late["invoice_number"],
            "related_invoice_number": None,
            "tax_date": "2026-02-03",
            "amount": 595,
        }
    ]


def test_a_closed_month_stays_when_more_happens_to_its_invoices(office):
    invoice = office.invoice()
    office.clock("2026-02-10")
    office.pay(invoice, 119)
    office.clock("2026-06-03")
    office.client.post("/reports/periods/2026-05/close", status=200)
    before = office.rows("?date_to=2026-05-31")
    office.pay(invoice, 238)
    office.credit(invoice, 50)
    office.write_off(invoice, 119)
    assert office.rows("?date_to=2026-05-31") == before
    assert office.months()[2:] == [("2026-06", -150, -28.5)]


def test_an_invoice_that_was_taken_over_counts_at_its_issue_date(office):
    office.clock("2026-04-01")
    invoice = office.invoice(invoice_number="ALT-1", issue_date="2026-01-15")
    assert (invoice["tax_date"], invoice["tax_basis"]) == ("2026-01-15", "issue_date")
    assert office.months() == [("2026-01", 500, 95)]


# Another currency


def test_another_currency_is_converted_as_a_sum_so_that_parts_add_up_to_the_invoice(office):
    invoice = office.invoice(currency="CHF", exchange_rate=1.0637)
    office.clock("2026-02-10")
    for _ in range(7):
        office.pay(invoice, 33.33)
    office.clock("2026-06-10")
    found = office.months("base_net", "base_tax")
    assert sum(Decimal(str(row[1])) for row in found) == Decimal("531.85")  # 500 × 1.0637
    assert sum(Decimal(str(row[2])) for row in found) == Decimal("101.05")  # 95 × 1.0637 = 101.0515
    assert RATE_PLACES == 10


def francs(office, net, rate, price):
    """Send an invoice in francs with one line."""
    return office.invoice(
        {"unit_price": net, "tax_rate": rate}, currency="CHF", exchange_rate=price
    )


def in_euros(line):
    """Return the amount of a booking in euros, negative in credit."""
    amount = Decimal((line[5] or line[1]).replace(",", "."))
    return amount if line[2] == "S" else -amount


def declared(office, *months):
    """Return {month of the tax: sum in euros} of the bookings that declare tax.

    Without a day, a write-off declares it in its own month.
    """
    found = {}
    for month in months:
        for line in office.datev(month):
            is_write_off = line[7] in ("2406", "2401")
            key = f"{line[116][4:]}-{line[116][2:4]}"
            if not line[116] and is_write_off:
                key = f"2026-{month:02}"
            if line[116] or is_write_off:
                sign = -1 if is_write_off else 1
                found[key] = found.get(key, 0) + sign * in_euros(line)
    return {month: amount for month, amount in found.items() if amount}


def reported(office):
    """Return {month: net and tax in euros} of the report."""
    found = {}
    for row in office.rows():
        amount = Decimal(str(row["base_net"])) + Decimal(str(row["base_tax"]))
        found[row["period"]] = found.get(row["period"], 0) + amount
    return {month: amount for month, amount in found.items() if amount}


def older(db):
    """Let all invoices be sent by an earlier version."""
    db.connection.execute("UPDATE invoices SET tax_rules = 1, untaxed_date = NULL")


def test_an_invoice_in_francs_that_is_paid_before_the_supply_is_the_same_in_datev(office):
    """10.05 CHF at 1.0643 are 10.70 EUR, 7 % of it 0.75: together 11.45, and not 10.75 × 1.0643."""
    invoice = francs(office, 10.05, 7, 1.0643)
    assert [in_euros(line) for line in office.datev(1)] == [Decimal("11.45")]
    office.clock("2026-02-10")
    office.pay(invoice, 10.75)
    assert office.months("base_net", "base_tax") == [("2026-02", 10.7, 0.75)]
    assert declared(office, 1, 2) == reported(office) == {"2026-02": Decimal("11.45")}


def test_parts_that_are_paid_before_the_supply_are_the_same_in_datev(office):
    """39.27 CHF at 1.05, paid in three parts: a cent of rounding is not left for the supply."""
    invoice = francs(office, 33, 19, 1.05)
    for month, amount in ((2, 11.90), (3, 11.90), (4, 15.47)):
        office.clock(f"2026-{month:02}-10")
        office.pay(invoice, amount)
    expected = {
        "2026-02": Decimal("12.50"),
        "2026-03": Decimal("12.49"),
        "2026-04": Decimal("16.24"),
    }
    assert reported(office) == expected
    assert declared(office, *range(1, 6)) == expected


def test_by_issue_date_credit_notes_in_francs_are_converted_with_their_invoice(office):
    """33.34 less 10.07 CHF are 23.27 CHF, and at 1.05 24.43 EUR."""
    office.basis("issue_date")
    invoice = francs(office, 33.34, 0, 1.05)
    office.credit(invoice, 10.07, rate=0)
    assert office.months("net", "base_net") == [("2026-01", 23.27, 24.43)]
    account = revenue_accounts("S19=8400 S7=8300 K=8125 AE=8337 Z=8400")
    office.settings.datev_revenue = account
    assert sum(map(in_euros, office.datev(1))) == Decimal("24.43")


def test_invoices_of_an_earlier_version_convert_each_document_and_booking_by_itself(office, db):
    office.basis("issue_date, 2026-05-10 supply")
    office.settings.datev_revenue = revenue_accounts("S19=8400 Z=8400")
    first = office.invoice(
        {"unit_price": 33.34, "tax_rate": 0},
        currency="CHF",
        exchange_rate=1.05,
        service_date="2026-01-10",
        service_date_to=None,
    )
    second = francs(office, 33, 19, 1.05)
    older(db)
    office.credit(first, 10.07, rate=0)
    for month, amount in ((2, 11.90), (3, 11.90), (4, 15.47)):
        office.clock(f"2026-{month:02}-10")
        office.pay(second, amount)
    assert office.months("base_net", "base_tax") == [
        ("2026-01", 24.44, 0),
        ("2026-02", 10.5, 2.0),
        ("2026-03", 10.5, 1.99),
        ("2026-04", 13.65, 2.59),
    ]
    assert declared(office, 2, 3, 4) == {
        "2026-02": Decimal("12.50"),
        "2026-03": Decimal("12.50"),
        "2026-04": Decimal("16.24"),
        "2026-05": Decimal("-41.24"),
    }


def test_a_booking_that_is_worth_no_cent_has_no_line(office):
    """DATEV refuses 0.00. What is left of the invoice is converted with it."""
    invoice = francs(office, 100, 19, 0.4)
    office.clock("2026-06-10")
    office.write_off(invoice, 0.01)
    assert office.datev(6) == []
    office.write_off(invoice, 0.01)
    office.write_off(invoice, 0.01)
    assert [(line[1], line[5]) for line in office.datev(6)] == [("0,01", "0,01")]
    assert reported(office) == {"2026-05": Decimal("47.60"), "2026-06": Decimal("-0.01")}


# The file for DATEV


def test_datev_declares_the_tax_on_the_days_of_the_report(office):
    invoice = office.invoice()
    assert [(line[1], line[2], line[116]) for line in office.datev(1)] == [
        ("595,00", "S", "10052026")
    ]
    office.clock("2026-02-10")
    office.pay(invoice, 119)
    found = [(line[1], line[2], line[7], line[8], line[116]) for line in office.datev(2)]
    debtor = "10001"
    assert sorted(found) == sorted(
        [
            ("119,00", "S", "1200", debtor, ""),
            ("119,00", "S", debtor, "8400", "10022026"),
            ("119,00", "H", debtor, "8400", "10052026"),
        ]
    )


def test_datev_has_no_tax_period_if_the_tax_follows_the_money(office):
    office.basis("payment")
    office.invoice()
    assert [(line[115], line[116]) for line in office.datev(1)] == [("", "")]


@pytest.mark.parametrize("basis", ["supply", "issue_date"])
@pytest.mark.parametrize("seed", range(3))
def test_all_files_are_the_report_in_euros_for_invoices_in_francs(office, basis, seed, db):
    office.basis(basis)
    history = walk(office, random.Random(seed), 10, currency="CHF", exchange_rate=1.0643)
    assert len(history) > 9
    assert declared(office, *range(1, 13)) == reported(office)
    assert comparing.differences(db, [one["invoice"]["id"] for one in history]) == []


def test_a_difference_between_report_and_datev_is_named(office, db):
    def differences():
        answer = office.client.get(
            "/reports/datev?year=2026&month=1", headers={"Accept": "application/json"}, status=200
        )
        return answer.json["data"]["tax_differences"]

    invoice = francs(office, 100, 19, 1.05)
    office.invoice()
    assert differences() == []
    change = "UPDATE tax_entries SET base_tax = base_tax + ? WHERE currency = 'CHF'"
    db.connection.execute(change, (1,))
    assert differences() == [
        {
            "invoice_number": invoice["invoice_number"],
            "month": "2026-05",
            "report": 124.96,
            "datev": 124.95,
        }
    ]
    assert checks.findings(db) == [
        (
            "datev",
            f"{invoice['invoice_number']}: in 2026-05 its amounts with tax are 124.96 in the report on taxes, "
            "and 124.95 in the files for DATEV (EUR)",
        )
    ]
    db.connection.execute(change, (-1,))


def test_the_tax_periods_of_all_files_add_up_to_the_report(office):
    """Rule 11: for each month and rate, the lines with that month in column 116 are the gross
    amounts of the report.
    """
    history = walk(office, random.Random(11), 12)
    assert sum(bool(one.get("is_deducted")) for one in history) > 2
    found, expected = {}, {}
    for month in range(1, 13):
        for line in office.datev(month):
            if line[116] and line[8] in ("8400", "8300"):
                add(found, (line[116][2:4], {"8400": 19, "8300": 7}[line[8]]), line, "S")
            elif "1593" in (line[7], line[8]):
                assert not line[116]
            elif line[116]:
                add(found, (line[116][2:4], {"2406": 19, "2401": 7}[line[7]]), line, "H")
    for row in office.rows():
        key = row["period"][5:], int(row["tax_rate"])
        expected[key] = expected.get(key, 0) + Decimal(str(row["net"])) + Decimal(str(row["tax"]))
    assert {key: value for key, value in found.items() if value} == {
        key: value for key, value in expected.items() if value
    }


def add(sums, key, line, positive):
    amount = Decimal(line[1].replace(",", "."))
    sums[key] = sums.get(key, 0) + (amount if line[2] == positive else -amount)


# A random year against the rules, computed a second time


def walk(office, chance, number, **fields):
    """Send invoices and deposits in two rates, and let money, credit notes and write-offs follow.

    Final invoices deduct deposits that are paid. Now and then the month before is closed, and its
    report stays as it is. Return what happened to each.
    """
    history, day, closed = [], 15, {}
    for step in range(number * 5):
        day += chance.randint(0, 9)
        date = times.add_days("2026-01-01", day)
        office.clock(date)
        last = times.add_days(f"{date[:7]}-01", -1)
        if step % 9 == 8 and last not in closed and last > "2026":
            office.client.post(f"/reports/periods/{last[:7]}/close", status=200)
            closed[last] = office.rows(f"?date_to={last}")
        if step < number or not history:
            items = [
                {"unit_price": chance.randint(100, 99999) / 100, "tax_rate": rate}
                for rate in (7, 19)
            ]
            supply = times.add_days(date, chance.choice((0, 20, 90, 150)))
            history.append(
                record(
                    office.invoice(
                        *items,
                        service_date=supply,
                        service_date_to=None,
                        is_deposit=chance.random() < 0.4,
                        **fields,
                    )
                )
            )
            continue
        settled = deductible(office, history)
        if settled and chance.random() < 0.3:
            items = [
                {"unit_price": 1500 + chance.randint(0, 999) / 100, "tax_rate": rate}
                for rate in (7, 19)
            ]
            supply = times.add_days(date, chance.choice((0, 20)))
            final = office.invoice(
                *items,
                service_date=supply,
                service_date_to=None,
                deposit_ids=[settled["invoice"]["id"]],
                **fields,
            )
            history.append(deducted(record(final), items, settled))
            continue
        one = chance.choice(history)
        number_of = one["invoice"]["id"]
        left = office.client.data(f"/invoices/{one['invoice']['id']}")
        amount = chance.randint(1, max(1, cents(left["total"]) // 2))
        act = chance.choice(("pay", "pay", "credit", "write_off"))
        if (
            one["invoice"]["is_deposit"]
            and cents(left["open_amount"]) > 0
            and chance.random() < 0.5
        ):
            act, amount = "pay", cents(left["open_amount"])
        if act == "pay":
            one["money"].append((date, amount))
            office.pay(one["invoice"], amount / 100)
        elif act == "credit" and not left["written_off"] and not one.get("is_deducted"):
            rate = chance.choice((7, 19))
            answer = office.client.post(
                f"/invoices/{number_of}/credit",
                {
                    "items": [
                        {
                            "description": "C",
                            "quantity": 1,
                            "unit_price": amount // 3 / 100,
                            "tax_rate": rate,
                        }
                    ]
                },
                status=None,
            )
            if answer.status_int == 201:
                [tax] = answer.json["data"]["taxes"]
                one["notes"].append((date, rate, cents(tax["net"]), cents(tax["tax"])))
        elif act == "write_off" and cents(left["open_amount"]) > amount:
            office.write_off(one["invoice"], amount / 100)
    assert len(closed) > 2 and {last: office.rows(f"?date_to={last}") for last in closed} == closed
    for one in history:  # with what later payments recovered
        entries = office.client.data(f"/invoices/{one['invoice']['id']}")["write_offs"]
        one["gone"] = [(entry["written_off_at"], cents(entry["amount"])) for entry in entries]
    return history


def record(invoice):
    """Return what happens to an invoice. Its groups are those that it was sent with."""
    groups = [(int(tax["rate"]), cents(tax["net"]), cents(tax["tax"])) for tax in invoice["taxes"]]
    return {"invoice": invoice, "groups": groups, "money": [], "notes": []}


def deductible(office, history):
    """Return a deposit that is paid and that no final invoice deducts yet, or None."""
    for one in history:
        if one["invoice"]["is_deposit"] and not one.get("is_deducted"):
            found = office.client.data(f"/invoices/{one['invoice']['id']}")
            if found["open_amount"] <= 0 and found["status"] in ("paid", "overdue"):
                return one
    return None


def deducted(final, items, deposit):
    """Note that a deposit is deducted, and return the final invoice with the groups that § 14 (5)
    UStG leaves of it.
    """
    deposit["is_deducted"], groups = True, []
    for item, (rate, net, _) in zip(items, deposit["groups"], strict=True):
        rest = (
            cents(item["unit_price"])
            - net
            - sum(part for _, own, part, _ in deposit["notes"] if own == rate)
        )
        if rest:
            groups.append((rate, rest, rounded(Decimal(rest) * rate / 100)))
    assert final["groups"] == groups
    return final


def cents(amount):
    return int((Decimal(str(amount)) * 100).to_integral_value(ROUND_HALF_UP))


def rounded(number):
    return int(number.to_integral_value(ROUND_HALF_UP))


def divide(amount, weights):
    """Rule 5: rounded half away from zero, the rest in the last group that takes part."""
    part, whole = [place for place, weight in enumerate(weights) if weight], sum(weights)
    found = [rounded(Decimal(amount) * weight / whole) if whole else 0 for weight in weights]
    if part:
        found[part[-1]] += amount - sum(found)
    return found


def state(one, day, basis):
    """Return {rate: (net, tax)} of an invoice at the end of a day, by the rules 2, 3 and 5."""
    gross = [net + tax for _, net, tax in one["groups"]]

    def left(until):
        return [
            full
            + sum(net + tax for at, rate, net, tax in one["notes"] if at <= until and rate == own)
            for full, (own, _, _) in zip(gross, one["groups"], strict=True)
        ]

    def share(amounts):
        taxes_of = [
            rounded(Decimal(amount) * tax / full)
            for amount, full, (_, _, tax) in zip(amounts, gross, one["groups"], strict=True)
        ]
        return [(amount - tax, tax) for amount, tax in zip(amounts, taxes_of, strict=True)]

    if basis == "supply" and not one["invoice"]["is_deposit"] and day >= one["invoice"]["tax_date"]:
        found = [[net, tax] for _, net, tax in one["groups"]]
        for at, rate, net, tax in one["notes"]:
            for place, (own, _, _) in enumerate(one["groups"]):
                if at <= day and own == rate:
                    found[place][0] += net
                    found[place][1] += tax
        for at, amount in one["gone"]:
            for place, (net, tax) in (
                enumerate(share(divide(amount, left(at)))) if at <= day else ()
            ):
                found[place][0] -= net
                found[place][1] -= tax
    else:
        money = min(sum(amount for at, amount in one["money"] if at <= day), sum(gross))
        rest = left(day)
        first = min(money, sum(rest))
        credited = [full - now for full, now in zip(gross, rest, strict=True)]
        found = share(
            [
                a + b
                for a, b in zip(divide(first, rest), divide(money - first, credited), strict=True)
            ]
        )
    return {
        rate: tuple(figures) for (rate, _, _), figures in zip(one["groups"], found, strict=True)
    }


@pytest.mark.parametrize("basis", ["supply", "payment"])
@pytest.mark.parametrize("seed", range(3))
def test_a_random_year_is_what_the_rules_say_on_each_day(office, basis, seed):
    office.basis(basis)
    history = walk(office, random.Random(seed), 6)
    for day in (
        "2026-01-31",
        "2026-02-28",
        "2026-03-31",
        "2026-04-30",
        "2026-05-31",
        "2026-07-31",
        "2026-12-31",
    ):
        expected = {7: [0, 0], 19: [0, 0]}
        for one in history:
            for rate, figures in state(one, day, basis).items():
                expected[rate] = [a + b for a, b in zip(expected[rate], figures, strict=True)]
        found = {7: [0, 0], 19: [0, 0]}
        for row in office.rows(f"?date_to={day}"):
            for place, name in enumerate(("net", "tax")):
                found[int(row["tax_rate"])][place] += cents(row[name])
        assert found == expected, day


# The recapitulative statement


def test_the_recapitulative_statement_has_goods_and_services_by_vat_id(office):
    austrian = office.client.make(
        "/contacts", {**BUYER, "country": "AT", "city": "Wien", "tax_id": "ATU 13585627"}
    )
    french = office.client.make(
        "/contacts", {**BUYER, "country": "FR", "city": "Lyon", "tax_id": "FR40303265045"}
    )
    american = office.client.make(
        "/contacts", {**BUYER, "country": "US", "city": "Portland", "tax_id": "US-1"}
    )
    goods = {"unit_price": 100, "tax_rate": 0, "tax_category": "K"}
    for buyer, fields in (
        (austrian, {}),
        (austrian, {"currency": "CHF", "exchange_rate": 1.05}),
        (french, {}),
        (american, {}),
    ):
        office.invoice(
            {"unit_price": 200}, contact_id=buyer["id"], is_reverse_charge=True, **fields
        )
    office.invoice(
        goods, contact_id=austrian["id"], service_date="2026-04-01", service_date_to=None
    )
    office.invoice()
    found = office.client.data("/reports/recapitulative?year=2026&month=5")["data"]["rows"]
    assert found == [
        {"vat_id": "ATU13585627", "goods": 0, "services": 410},
        {"vat_id": "FR40303265045", "goods": 0, "services": 200},
    ]
    found_of_quarter = office.client.data("/reports/recapitulative?year=2026&quarter=2")["data"][
        "rows"
    ]
    assert found_of_quarter[0] == {"vat_id": "ATU13585627", "goods": 100, "services": 410}
    rows = office.client.get(
        "/reports/recapitulative?year=2026&quarter=2", headers={"Accept": "text/csv"}
    ).text
    assert [line.split(",")[0] for line in rows.splitlines()] == [
        "vat_id",
        "ATU13585627",
        "FR40303265045",
    ]
    assert (
        office.client.data("/reports/recapitulative?year=2026")["data"]["rows"] == found_of_quarter
    )
    assert office.client.get("/reports/recapitulative?year=2026&month=1&quarter=1", status=422)
    where = {(row["tax_category"], row["region"]) for row in office.rows()}
    assert where == {("AE", "eu"), ("AE", "third"), ("K", "eu"), ("S", None)}


@pytest.mark.parametrize("category, region", [("K", "eu"), ("G", "third"), ("O", "third")])
def test_goods_to_northern_ireland_are_supplied_within_the_eu(office, category, region):
    """Protocol on Ireland and Northern Ireland, article 8: for goods, not for services."""
    fields = {"country": "GB", "city": "Belfast", "tax_id": "XI980780684"}
    buyer = office.client.make("/contacts", {**BUYER, **fields})
    item = {"unit_price": 100, "tax_rate": 0, "tax_category": category}
    office.invoice(item, contact_id=buyer["id"])
    assert office.months("net", "region") == [("2026-05", 100, region)]
    found = office.client.data("/reports/recapitulative?year=2026&month=5")["data"]["rows"]
    is_reported = region == "eu"
    goods = [{"vat_id": "XI980780684", "goods": 100, "services": 0}]
    assert found == (goods if is_reported else [])


def test_goods_to_northern_ireland_stay_where_an_earlier_version_put_them(office, db):
    fields = {"country": "GB", "city": "Belfast", "tax_id": "XI980780684"}
    buyer = office.client.make("/contacts", {**BUYER, **fields})
    item = {"unit_price": 100, "tax_rate": 0, "tax_category": "K"}
    invoice = office.invoice(item, contact_id=buyer["id"])
    older(db)
    db.connection.execute("DELETE FROM tax_entries")
    office.write_off(invoice, 40)
    assert office.months("net", "region") == [("2026-05", 60, "third")]


# Documents of earlier versions


def insert(connection, table, **values):
    """Insert a row. What a column requires beside the values is 0 or a text."""
    for _, name, kind, required, default, _ in connection.execute(f"PRAGMA table_info({table})"):
        if required and default is None:
            values.setdefault(name, 0 if kind == "INTEGER" else "x")
    names = ", ".join(values)
    connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({', '.join(':' + name for name in values)})", values
    )


def test_documents_that_were_sent_before_keep_their_issue_date(tmp_path):
    path = tmp_path / "older.db"
    migrations.migrate(path, last=52)
    connection = database.connect(path)
    insert(connection, "contacts", id=1, customer_number="C-1", country="DE", rating=3)
    for id, kind, related, service in (
        (1, "invoice", None, "2026-05-08"),
        (2, "credit_note", 1, None),
    ):
        insert(
            connection,
            "invoices",
            id=id,
            invoice_number=f"N-{id}",
            invoice_type=kind,
            related_invoice_id=related,
            status="sent",
            contact_id=1,
            currency="EUR",
            subtotal=100,
            tax_total=19,
            total=119,
            issue_date="2026-01-15",
            service_date=service,
            locked_at="2026-01-15T10:00:00Z",
        )
        insert(connection, "invoice_taxes", invoice_id=id, category="S", rate=1900, net=100, tax=19)
    connection.commit()
    connection.close()
    migrations.migrate(path)
    connection = database.connect(path)
    assert connection.execute("SELECT tax_date, tax_basis FROM invoices").fetchall() == [
        ("2026-05-08", "issue_date"),
        ("2026-01-15", "issue_date"),
    ]
    found = connection.execute(
        "SELECT invoice_id, document_id, day, kind, net, tax FROM tax_entries ORDER BY 2"
    )
    assert found.fetchall() == [
        (1, 1, "2026-01-15", "invoice", 100, 19),
        (1, 2, "2026-01-15", "credit_note", 100, 19),
    ]
    connection.close()
