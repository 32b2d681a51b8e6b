"""What an office does with invoices, each noted in the books of its own."""

from tests.books import checks
from tests.books.truth import Bill, Books, groups_of


class Desk:
    """Send, pay, credit and offset invoices. `books` is what really happened."""

    def __init__(self, office, year):
        self.office, self.books = office, Books(year)

    def note(self, sent, customer, items, supplied=None, of=None, is_deposit=False):
        """Note an invoice that was sent, or a credit note for the Bill `of`, and return its Bill.

        `items` are what it must contain, with quantity, unit_price, tax_category and tax_rate.
        """
        sign = -1 if of else 1
        groups = {group: (sign * net, sign * tax) for group, (net, tax) in groups_of(items).items()}
        bill = Bill(
            sent["id"],
            sent["invoice_number"],
            customer,
            sent["currency"],
            self.office.day,
            groups,
            sent["due_date"],
            of,
            supplied=supplied or self.office.day,
            is_deposit=is_deposit,
            items=items,
        )
        self.books.bills.append(bill)
        if of:
            of.credits.append(bill)
        return bill

    def send(self, draft, **body):
        """Send a draft. Return the invoice."""
        return self.office("POST", f"/invoices/{draft['id']}/send", {"mail": False, **body}, 200)

    def pay(self, bill, amount=None):
        """Record a transfer that pays an invoice, or `amount` of it in cents."""
        amount = amount or self.books.open(bill)
        body = {
            "invoice_number": bill.number,
            "amount": amount / 100,
            "payment_date": self.office.day,
            "gateway_key": "bank",
        }
        self.office("POST", "/payments", body, 201)
        self.books.move(self.office.day, bill, amount)

    def credit(self, bill, item, expected):
        """Credit an item of an invoice. `expected` is the item with the tax that it must have."""
        body = {"mail": False, "items": [item]}
        note = self.office("POST", f"/invoices/{bill.id}/credit", body, 201)
        return self.note(note, bill.customer, [expected], of=bill)

    def offset(self, old, new, amount):
        """Note that credit of an invoice has paid another one."""
        self.books.move(self.office.day, old, -amount, "offset")
        self.books.move(self.office.day, new, amount, "offset")


def compared(report, desk, folder, accounts=None):
    """Compare invoices, payments, reports, exports and stored data of a desk with its books.

    `accounts` are the revenue accounts in DATEV; without them, DATEV is left out. Return the e-invoices.
    """
    office, books = desk.office, desk.books
    for name in ("xml", "pdf", "datev"):
        (folder / name).mkdir(parents=True)
    checks.invoices(report, office, books)
    checks.payments(report, office, books)
    checks.numbers(report, office, books)
    checks.taxes(report, office, books)
    checks.money(report, office, books)
    checks.receivables(report, office, books, checks.last_day(books))
    checks.ledger(report, office, books)
    if accounts:
        checks.datev(report, office, books, folder / "datev", accounts)
    checks.audit(report, office, books, folder)
    checks.stored(report, office)
    files = checks.e_invoices(report, office, books, folder / "xml")
    return files + checks.pdfs(report, office, books, folder / "pdf")


def reasons(office, bill):
    """Return {category: reason for no tax (BT-120)} of an invoice, from its e-invoice in CII."""
    data = office.file(f"/invoices/{bill.id}/xml?profile=en16931&syntax=cii")
    return checks.documents.reasons(data)


def regions(report, office, books, expected):
    """Compare the regions of the report on taxes.

    `expected`: {(month, category, region): net}.
    """
    rows = office("GET", f"/reports/tax?{checks.days_of(books)}")["data"]["rows"]
    found = {}
    for row in rows:
        key = row["period"], row["tax_category"], row["region"]
        found[key] = found.get(key, 0) + checks.units(row["net"])
    found = {key: net for key, net in found.items() if net}
    report.equal("report on taxes: regions", found, expected)


def recapitulative(report, office, books, expected):
    """Compare the recapitulative statement of each month. `expected`: {(month, VAT id): services}."""
    found = {}
    for month in range(1, 13):
        path = f"/reports/recapitulative?year={books.year}&month={month}"
        for row in office("GET", path)["data"]["rows"]:
            found[f"{books.year}-{month:02}", row["vat_id"]] = checks.units(row["services"])
    report.equal("recapitulative statement of each month", found, expected)
