"""A year of a small business, in Germany and in Austria: no invoice has VAT.

§ 19 UStG and § 6 (1) no. 27 UStG 1994: supplies at home are exempt. A business in another country of the
EU owes the tax itself all the same. Germany wants no recapitulative statement of a small business (§ 18a
(4) UStG), Austria does.
"""

import random
from collections import defaultdict

from tests.books import checks, documents, plan
from tests.books.abroad import REVERSE_CHARGE, company
from tests.books.desk import Desk, compared, reasons, recapitulative, regions
from tests.books.office import Office

YEAR = 2026
NOTES = {
    "DE": "Steuerfrei nach § 19 UStG (Kleinunternehmer)",
    "AT": "Umsatzsteuerfrei nach § 6 Abs. 1 Z 27 UStG 1994 (Kleinunternehmer)",
}
ACCOUNTS = {**checks.REVENUE, "E": "8195", "AE": "8336", "O": "8338"}
OPTIONS = {
    # E=8150 is wrong on the days of a small business
    "datev_revenue": "S19=8400 S7=8300 AE_EU=8336 E=8150 E_SMALL=8195 O_THIRD=8338",
    "datev_gateways": "bank=1200 card=1361 offset=1590",
}
HOMES = {
    "DE": {"small_business": f"no, {YEAR}-01-01 yes"},
    "AT": {
        "small_business": "yes",
        "organiser_country": "AT",
        "organiser_city": "Wien",
        "organiser_postal_code": "1010",
        "organiser_vat_id": "ATU64727905",
        "organiser_tax_number": "12 345/6789",
        "organiser_register_number": "FN 36280 f",
    },
}
STEPS = {"DE": 2, "AT": 3}  # of 20 half months, from one invoice to the next
BUYERS = {
    "DE": company("DE", "Ulm", "89073"),
    "AT": company("AT", "Wien", "1010", "ATU13585627"),
    "CH": company("CH", "Bern", "3011", is_business=True),
}
BUYERS_OF = {
    "DE": BUYERS,
    "AT": {"AT": company("AT", "Graz", "8010"), "DE": company("DE", "Ulm", "89073", "DE136695976")},
}


class SmallBusiness(Desk):
    """An organiser in a country, and its customers."""

    def __init__(self, folder, home, seed):
        super().__init__(Office(folder / "data", **OPTIONS, **HOMES[home]), YEAR)
        self.home, self.dice = home, random.Random(f"small {home} {seed}")
        self.office.day = f"{YEAR}-01-02"
        self.customers, self.wrong = {}, []
        for country, body in BUYERS_OF[home].items():
            made = self.office("POST", "/contacts", body, 201)
            self.customers[country] = {
                "id": made["id"],
                "customer_number": made["customer_number"],
                "body": body,
                "country": country,
            }

    def taxed(self, items, country):
        """Return items with the tax that the law says."""
        category = {self.home: "E", "CH": "O"}.get(country, "AE")
        return [{**item, "tax_category": category, "tax_rate": 0} for item in items]

    def items(self):
        """Return some lines that say nothing of tax, a large one first."""
        found = [plan.big(), *plan.many(self.dice, 3)]
        return [{name: line[name] for name in line if name != "tax_rate"} for line in found]

    def abroad(self, country):
        """Return the fields of an invoice by hand, whose lines say that they are supplied abroad."""
        return {} if country == self.home else {"place_of_supply": "recipient"}

    def invoice(self, country, items=None, ahead=0, **fields):
        """Draft and send an invoice, and compare it with the law. Return (Bill, answer of sending)."""
        customer, items = self.customers[country], items or self.items()
        offset, number = fields.pop("offset", False), fields.pop("number", 0)
        supplied = fields.pop("supplied", None) or self.office.day
        body = {
            "contact_id": customer["id"],
            "items": [{**item, **self.abroad(country)} for item in items],
            "service_date": supplied,
            "buyer_reference": f"PO {number}",
            **fields,
        }
        draft = self.office("POST", "/invoices", body, 201)
        path, wish = f"/invoices/{draft['id']}/send", {"mail": False, "offset": offset}
        answer = self.office.client("POST", path, wish, status=200).json
        sent, expected = answer["data"], self.taxed(items, country)
        if fields.get("deposit_ids"):
            for bill in self.books.bills:
                if bill.id in fields["deposit_ids"]:
                    expected += self.books.deducting(bill)
        is_deposit = fields.get("is_deposit", False)
        bill = self.note(sent, customer, expected, supplied, is_deposit=is_deposit)
        self.look(bill, sent)
        return bill, answer

    def look(self, bill, sent):
        """Compare treatment, tax and note of an invoice with the law."""
        country = bill.customer["country"]
        note = NOTES[self.home] if country == self.home else None
        if country in ("AT", "DE") and note is None:
            language = bill.customer["body"]["language"]
            note = REVERSE_CHARGE[language]
            if self.home == "AT":
                note = "Übergang der Steuerschuld auf den Leistungsempfänger (Reverse Charge)"
        if country == "CH":
            note = "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (§ 3a Abs. 2 UStG)"
        treatment = {self.home: "small_business", "CH": "not_taxable"}.get(
            country, "reverse_charge"
        )
        found = (sent["tax_treatment"], sent["tax_total"], set(reasons(self.office, bill).values()))
        if found != (treatment, 0, {note}):
            self.wrong.append(f"{bill.number} to {country}: {found}")

    def run(self):
        """Do what a year has."""
        self.before()
        self.months()
        self.offsets()
        self.deposit()
        self.cancelled()
        self.office.day = f"{YEAR + 1}-01-04"
        return self

    def before(self):
        """Send an invoice for a supply on the last day that has tax, which the books of the year leave out."""
        if self.home != "DE":
            return
        body = {
            "contact_id": self.customers["DE"]["id"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100}],
            "service_date": f"{YEAR - 1}-12-31",
        }
        trial = self.office("POST", "/invoices", body, 201)
        if (trial["tax_treatment"], trial["tax_total"]) != ("standard", 19):
            self.wrong.append(f"the day before: {trial['tax_treatment']}, {trial['tax_total']}")
        self.office.client("DELETE", f"/invoices/{trial['id']}", status=204)

    def months(self):
        """Send invoices until October; some are paid, credited or written off."""
        for number in range(0, 20, STEPS[self.home]):
            month = 1 + number // 2
            self.office.day = f"{YEAR}-{month:02}-05"
            country = self.dice.choice([*self.customers, self.home])
            ahead = {"supplied": f"{YEAR}-{min(month + 2, 12):02}-20"} if number % 5 == 2 else {}
            bill, _ = self.invoice(country, number=number, **ahead)
            self.office.day = f"{YEAR}-{month:02}-19"
            what = self.dice.choice(["paid", "part", "credited", "written off", "open"])
            if what == "credited":
                item = {"description": "Nachlass", "quantity": 1, "unit_price": 99.99}
                self.credit(bill, item, *self.taxed([item], country))
            if what == "written off":
                body = {"reason": "Insolvenz", "amount": 50.01}
                self.office("POST", f"/invoices/{bill.id}/write-offs", body, 201)
                self.books.write_off(self.office.day, bill, 5001)
            if what in ("paid", "credited"):
                self.pay(bill)
            if what == "part":
                self.pay(bill, bill.total // 3)

    def offsets(self):
        """Credit a paid invoice, and offset the credit while the next one is sent."""
        self.office.day = f"{YEAR}-11-02"
        old, _ = self.invoice(self.home)
        self.pay(old)
        self.office.day = f"{YEAR}-11-03"
        item = {"description": "Ohne Strom", "quantity": 1, "unit_price": 128.6}
        self.credit(old, item, *self.taxed([item], self.home))
        self.office.day = f"{YEAR}-11-04"
        new, answer = self.invoice(self.home, offset=True)
        self.offset(old, new, 12860)
        data = self.office.file(f"/invoices/{new.id}/xml?profile=en16931&syntax=cii")
        shown = documents.e_invoice(data)
        found = (answer["data"]["prepaid_amount"], shown["prepaid"], shown["payable"])
        if found != (128.6, 12860, new.total - 12860):
            self.wrong.append(f"offset: {found} of {new.total}")

    def deposit(self):
        """Send a deposit, and the final invoice once it is paid."""
        self.office.day = f"{YEAR}-11-05"
        deposit, _ = self.invoice(self.home, is_deposit=True)
        self.office.day = f"{YEAR}-11-10"
        self.pay(deposit)
        self.office.day = f"{YEAR}-12-02"
        items = [{**item, "quantity": item["quantity"] * 2} for item in deposit.items]
        plain = [
            {name: item[name] for name in item if name not in ("tax_category", "tax_rate")}
            for item in items
        ]
        self.invoice(self.home, plain, deposit_ids=[deposit.id])

    def cancelled(self):
        """Cancel an invoice of which nothing is paid."""
        self.office.day = f"{YEAR}-12-03"
        bill, _ = self.invoice(self.home)
        body = {"reason": "Doppelt", "mail": False}
        self.office("POST", f"/invoices/{bill.id}/cancel", body, 200)
        now = self.office("GET", f"/invoices/{bill.id}")
        note = self.office("GET", f"/invoices/{now['related_invoice_id']}")
        self.note(note, bill.customer, bill.items, of=bill)


def check(report, folder, seed):
    """Run both years, and compare all figures. Return the e-invoices."""
    files = []
    for home in HOMES:
        report.part = f"small business, {home}: "
        year = SmallBusiness(folder / home, home, seed).run()
        books = year.books
        report.line(not year.wrong, "treatment, tax, notes, offset", len(books.bills))
        for text in year.wrong:
            print(f"       {text}", flush=True)
        of_region, services = defaultdict(int), defaultdict(int)
        for bill in (bill for bill in books.bills if bill.of is None):
            for group in bill.groups:
                region = {"AE": "eu", "O": "third"}.get(group[0])
                for month, net in books.taxed_in(bill, group).items():
                    of_region[month, group[0], region] += net
                    if group[0] == "AE" and home == "AT":
                        services[month, bill.customer["body"]["tax_id"]] += net
        of_region = {key: net for key, net in of_region.items() if net}
        regions(report, year.office, books, of_region)
        recapitulative(report, year.office, books, services)
        files += compared(report, year, folder / home, ACCOUNTS if home == "DE" else None)
    report.part = ""
    return files
