"""The checks at the end of the year and of each month: what the service says against what really
happened.
"""

import os
import subprocess
import sys
import zipfile
from collections import defaultdict
from decimal import Decimal

from tests.books import documents
from tests.books.bank import ACCOUNTS
from tests.books.truth import RATES, rounded

# Tax category -> revenue account; that of S depends on the rate
REVENUE = {"AE": "8337", "K": "8125", "G": "8120", "E": "8150", "Z": "8100", "O": "8200"}
# Account -> the rate whose tax its bookings change; 0 without tax
TAXED = {"8400": 19, "2406": 19, "8300": 7, "2401": 7, "2400": 0}
MONEY = {"bank": "1200", "card": "1361", "offset": "1590"}
WRITE_OFFS = {Decimal(19): "2406", Decimal(7): "2401"}  # of groups without tax: 2400
LARGEST = 10  # differences that are shown for a check


def units(number):
    """Return a JSON number as hundredths."""
    return rounded(Decimal(str(number)))


class Report:
    """The lines of the report, and the number of faults. `part` is what the names begin with."""

    def __init__(self):
        self.faults = self.checks = 0
        self.part = ""

    def equal(self, name, found, expected, figures=""):
        """Print whether two dicts of figures are the same."""
        wrong = {
            key: (found.get(key), expected.get(key))
            for key in {**found, **expected}
            if found.get(key) != expected.get(key)
        }
        self.line(not wrong, name, figures or f"{len(expected)} figures")
        for key in sorted(wrong, key=str)[:LARGEST]:
            print(f"       {key}: found {wrong[key][0]}, expected {wrong[key][1]}", flush=True)

    def line(self, is_right, name, figures=""):
        self.checks += 1
        self.faults += not is_right
        print(f"{'ok   ' if is_right else 'FAULT'}  {self.part}{name}: {figures}", flush=True)


def kinds(report, books):
    """Check that the year has what is rare: a check of what did not happen proves nothing."""
    ahead = {
        bill.number for bill in books.bills if bill.of is None and bill.supplied[:7] > bill.day[:7]
    }
    report.line(len(ahead) > 10, "kinds: invoices for later months", len(ahead))
    claims = [one.amount for one in books.claims if one.day <= last_day(books)]
    report.line(
        len(claims) > 20 and min(claims) < 0,
        "kinds: claims of letters",
        f"{len(claims)}, {sum(claims)} cents",
    )
    found = (
        len({one.came > 0 for one in books.movements}),
        len({one.amount > 0 for one in books.write_offs}),
    )
    report.line(found == (2, 2), "kinds: exchange differences, write-offs and recoveries", found)


def invoices(report, office, books):
    """Compare every invoice with the amounts that were computed from its lines."""
    found, expected = {}, {}
    rows = {row["id"]: row for row in office.every("/invoices?include=items")}
    for bill in books.bills:
        row = rows[bill.id]
        taxes = {
            (tax["category"], Decimal(str(tax["rate"]))): (units(tax["net"]), units(tax["tax"]))
            for tax in row["taxes"]
        }
        found[bill.number] = (
            taxes,
            units(row["total"]),
            units(row["paid_amount"]),
            units(row["open_amount"]),
            units(row["claims_total"]),
            units(row["claims_open"]),
            units(row["written_off"]),
        )
        paid, owed = (books.paid(bill), books.open(bill)) if bill.of is None else (0, 0)
        expected[bill.number] = (
            bill.groups,
            bill.total,
            paid,
            owed,
            books.claimed(bill),
            books.claims_open(bill),
            books.written_off(bill),
        )
    report.equal(
        "invoices: amounts, taxes, paid and open, claims, write-offs",
        found,
        expected,
        f"{len(rows)} of {len(books.bills)}",
    )
    report.line(len(rows) == len(books.bills), "invoices: number", len(rows))


def e_invoices(report, office, books, folder):
    """Store every e-invoice in each profile and syntax, and compare their amounts.

    Return the names of the files.
    """
    files, found, expected, refused = [], {}, {}, defaultdict(int)
    for bill in books.bills:
        for profile, syntax in (
            ("en16931", "cii"),
            ("en16931", "ubl"),
            ("xrechnung", "cii"),
            ("xrechnung", "ubl"),
            ("peppol", "ubl"),
        ):
            response = office.client(
                "GET", f"/invoices/{bill.id}/xml?profile={profile}&syntax={syntax}"
            )
            if response.status_int != 200:
                refused[profile, syntax, response.json["code"]] += 1
                continue
            name = folder / f"{bill.number}-{profile}-{syntax}.xml"
            name.write_bytes(response.body)
            files.append(name)
            sign = 1 if bill.of is None else -1
            shown = documents.e_invoice(response.body)
            groups = {key: (sign * net, sign * tax) for key, (net, tax) in bill.groups.items()}
            own_tax = (
                {}
                if bill.currency == "EUR"
                else {"EUR": rounded(Decimal(sign * bill.tax) * RATES[bill.currency] / 100)}
            )
            taxes = {
                currency: amount
                for currency, amount in shown["taxes"].items()
                if currency != bill.currency
            }
            found[name.name] = (
                shown["number"],
                shown["type"],
                shown["groups"],
                shown["lines"],
                shown["net"],
                shown["tax"],
                shown["total"],
                shown["total"] - shown["prepaid"] - shown["payable"],
                taxes,
            )
            is_german = profile == "peppol" and bill.customer["body"]["country"] == "DE"
            kind = "386" if bill.is_deposit and profile != "xrechnung" and not is_german else "380"
            expected[name.name] = (
                bill.number,
                kind if bill.of is None else "381",
                groups,
                sign * bill.net,
                sign * bill.net,
                sign * bill.tax,
                sign * bill.total,
                0,
                taxes and own_tax,
            )
    report.equal("e-invoices: amounts, taxes, lines, type", found, expected, f"{len(files)} files")
    for (profile, syntax, code), number in sorted(refused.items()):
        print(f"       {profile} in {syntax}: {number} refused with {code}")
    report.line(
        sum(1 for name in files if name.name.endswith("en16931-cii.xml")) == len(books.bills),
        "e-invoices: one for each invoice and credit note",
        len(books.bills),
    )
    return files


def pdfs(report, office, books, folder):
    """Store the PDF of every invoice. Return the names of the files."""
    files = []
    for bill in books.bills:
        files.append(folder / f"{bill.number}.pdf")
        files[-1].write_bytes(office.file(f"/invoices/{bill.id}/pdf"))
    report.line(
        all(b"factur-x.xml" in file.read_bytes() for file in files),
        "PDFs: each contains its e-invoice",
        f"{len(files)} files",
    )
    return files


def validated(report, validator, files):
    """Run an independent validator over all files, except those of Peppol, whose BT-24 it does not
    know.
    """
    known = [str(file) for file in files if "-peppol-" not in file.name]
    done = subprocess.run([validator, *known], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    for line in [line for line in lines if "FAIL" in line][:20]:
        print(f"       {line}")
    report.line(done.returncode == 0, "validator", (lines or [done.stderr[-300:]])[-1])


def taxes(report, office, books):
    """Compare the report on taxes, and the one on revenue."""
    rows = office("GET", f"/reports/tax?{days_of(books)}")["data"]["rows"]
    report.equal(
        "report on taxes, by month, currency, category and rate",
        by_group(rows, "net", "tax"),
        books.taxes(),
    )
    report.equal(
        "report on taxes: the same in euros",
        by_group(rows, "base_net", "base_tax"),
        books.taxes(RATES),
    )
    rows = office("GET", f"/reports/revenue?{days_of(books)}")["data"]["rows"]
    expected = defaultdict(int)
    for bill in books.bills:
        expected[bill.day[:7], bill.currency] += bill.total
    report.equal(
        "report on revenue",
        {(row["period"], row["currency"]): units(row["total"]) for row in rows},
        expected,
    )


def days_of(books):
    """Return the query of the reports of the year."""
    return f"date_from={books.year}-01-01&date_to={last_day(books)}"


def last_day(books):
    """Return the last day of the year."""
    return f"{books.year}-12-31"


def by_group(rows, *names):
    """Add up the rows of all regions: {(month, currency, category, rate): amounts}."""
    found = defaultdict(lambda: [0] * len(names))
    for row in rows:
        amounts = found[
            row["period"], row["currency"], row["tax_category"], Decimal(str(row["tax_rate"]))
        ]
        for place, name in enumerate(names):
            amounts[place] += units(row[name])
    return {key: tuple(amounts) for key, amounts in found.items() if any(amounts)}


def money(report, office, books):
    """Compare the report on payments."""
    rows = office("GET", f"/reports/payments?{days_of(books)}")["data"]["rows"]
    found = {
        (row["period"], row["currency"], row["gateway_key"]): (
            units(row["received"]),
            units(row["refunded"]),
            units(row["fees"]),
        )
        for row in rows
    }
    report.equal("report on payments, by month, currency and gateway", found, books.received())


def receivables(report, office, books, day):
    """Compare the report on receivables as at the end of a day."""
    found = defaultdict(int)
    for row in office("GET", f"/reports/receivables?as_of={day}")["data"]["rows"]:
        found[row["currency"]] += units(row["amount"]) * (-1 if row["bucket"] == "overpaid" else 1)
    found = {currency: amount for currency, amount in found.items() if amount}
    report.equal(f"receivables of {day}", found, books.receivables(day), found)


def ledger(report, office, books):
    """Compare the ledger of every customer, and its totals."""
    data = office("GET", f"/reports/ledger?year={books.year}")["data"]
    found = {
        (row["customer_number"], row["currency"]): tuple(
            units(row[name])
            for name in ("invoiced", "credited", "received", "refunded", "claimed", "written_off")
        )
        for row in data["rows"]
    }
    report.equal(
        "ledger: movements by customer and currency", found, books.accounts(last_day(books))
    )
    closing = {
        row["currency"]: units(row["closing_balance"])
        for row in data["totals"]
        if row["closing_balance"]
    }
    report.equal(
        "ledger: closing balances are the receivables and open claims",
        closing,
        books.balances(last_day(books)),
        closing,
    )
    opening = {row["customer_number"] for row in data["rows"] if row["opening_balance"]}
    report.line(not opening, "ledger: opening balances are 0", len(data["rows"]))
    wrong = [name for name, rows in data["proof"].items() if not agrees(rows)]
    report.line(not wrong, "ledger: its own proof agrees", wrong or sorted(data["proof"]))


def agrees(part):
    """Return whether nothing in a proof disagrees."""
    if isinstance(part, dict):
        return part.get("agrees", True) and all(agrees(value) for value in part.values())
    return all(agrees(value) for value in part) if isinstance(part, list) else True


def datev(report, office, books, folder, accounts=REVENUE):
    """Compare the booking batch of each month, account by account and currency by currency.

    `accounts` is as REVENUE.
    """
    taxed = TAXED | dict.fromkeys(accounts.values(), 0)
    found, expected, rates, periods = {}, defaultdict(int), {}, defaultdict(lambda: (0, 0))
    differences = {}
    for month in range(1, 13):
        name = f"{books.year}-{month:02}"
        data = office.file(
            f"/reports/datev?year={books.year}&month={month}", headers={"Accept": "text/csv"}
        )
        (folder / f"EXTF_{name}.csv").write_bytes(data)
        balances, foreign = documents.datev(data)
        for key, amounts in documents.tax_periods(data, taxed).items():
            periods[key] = tuple(map(sum, zip(periods[key], amounts, strict=True)))
        summary = office(
            "GET",
            f"/reports/datev?year={books.year}&month={month}",
            headers={"Accept": "application/json"},
        )
        differences[name] = summary["tax_differences"]
        found |= {(name, *key): amount for key, amount in balances.items() if amount}
        for account, contra, currency, amount, base in foreign:
            if account in MONEY.values() or contra in ("4970", "2700"):
                exact = rounded(Decimal(amount) * RATES[currency] / 100)
                rates[name, account, contra, currency, amount] = base - exact
    for bill in books.bills:
        for (category, rate), (net, tax) in bill.groups.items():
            account = "1593" if (bill.of or bill).is_deposit else revenue(accounts, category, rate)
            expected[bill.day[:7], account, bill.currency] -= net + tax
            expected[bill.day[:7], debtor(bill), bill.currency] += net + tax
    for (month, currency, category, rate), amount in books.money_of_deposits().items():
        expected[month, "1593", currency] += amount
        expected[month, revenue(accounts, category, rate), currency] -= amount
    for one in books.movements:
        month, amount, currency = one.day[:7], one.amount, one.bill.currency
        if one.came:  # the debtor is credited at the rate of the invoice
            amount, currency = rounded(Decimal(amount) / 100 * RATES[currency]), "EUR"
            expected[month, "2660" if one.came > amount else "2150", "EUR"] += amount - one.came
        expected[month, MONEY[one.gateway], currency] += one.came or amount
        expected[month, debtor(one.bill), currency] -= amount
    for one in books.write_offs:
        for (_, rate), share in books.write_off_shares(one).items():
            account = "1593" if one.bill.is_deposit else WRITE_OFFS.get(rate, "2400")
            expected[one.day[:7], account, one.bill.currency] += share
            expected[one.day[:7], debtor(one.bill), one.bill.currency] -= share
    for one in books.claims:
        if one.day <= last_day(books):
            expected[one.day[:7], "2700", one.bill.currency] -= one.amount
            expected[one.day[:7], debtor(one.bill), one.bill.currency] += one.amount
    report.equal(
        "DATEV: balance of every account by month and currency",
        found,
        {key: amount for key, amount in expected.items() if amount},
    )
    report.equal(
        "DATEV: amounts in euros of money and claims in other currencies",
        rates,
        dict.fromkeys(rates, 0),
    )
    report.equal(
        "DATEV: the control sums name no difference",
        differences,
        {name: [] for name in differences},
    )
    rows = office("GET", f"/reports/tax?date_from={books.year}-01-01")["data"]["rows"]
    expected = defaultdict(int)
    for (month, currency, category, rate), (net, tax) in by_group(rows, "net", "tax").items():
        expected[month, currency, rate if category == "S" else 0] += net + tax
    report.equal(
        "DATEV: tax periods (column 116) of all files are the report on taxes",
        {key: amount for key, (amount, _) in periods.items() if amount},
        {key: amount for key, amount in expected.items() if amount},
    )
    expected = defaultdict(int)
    for (month, currency, category, rate), (net, tax) in books.taxes(RATES).items():
        expected[month, currency, rate if category == "S" else 0] += net + tax
    report.equal(
        "DATEV: tax periods of the year in euros are what the tax point says, to the cent",
        {key: worth for key, (_, worth) in periods.items() if worth and key[0] <= last_day(books)},
        {key: amount for key, amount in expected.items() if amount},
    )


def revenue(accounts, category, rate):
    """Return the revenue account of a tax category and its rate."""
    return accounts.get(category) or {Decimal(19): "8400", Decimal(7): "8300"}[rate]


def debtor(bill):
    """Return the account of a customer: 10000 and the digits of the customer number."""
    return str(10000 + int("".join(filter(str.isdecimal, bill.customer["customer_number"]))))


def statements(report, office, books, bank):
    """Compare the transactions of the statements with the payments, and send everything again."""
    rows = [
        row
        for status in ("open", "assigned", "ignored")
        for row in office.every(f"/payments/unmatched?status={status}")
    ]
    found, settled = defaultdict(int), defaultdict(int)
    for row in rows:
        found[row["account"]] += units(row["amount"])
        sign = 1 if row["amount"] > 0 else -1
        settled[row["currency"]] += sign * units(row["assigned_amount"])
    report.equal(
        "statements: sum of the transactions of each account",
        found,
        {ACCOUNTS[currency]: bank.total(currency) for currency in ACCOUNTS},
        dict(found),
    )
    expected = defaultdict(int)
    for one in books.movements:
        if one.gateway == "bank":
            expected["EUR" if one.came else one.bill.currency] += one.came or one.amount
    report.equal("statements: what is assigned is what was paid", settled, expected, dict(settled))
    report.line(
        not [row for row in rows if row["status"] == "open"],
        "statements: the work list is empty",
        len(rows),
    )


def payments(report, office, books):
    """Compare the payments and refunds of each invoice, with their days."""
    found, expected = defaultdict(list), defaultdict(list)
    for payment in office.every("/payments?include=refunds"):
        if payment["status"] in ("completed", "refunded"):
            found[payment["invoice_number"]].append(
                (
                    payment["payment_date"][:10],
                    units(payment["amount"]),
                    units(payment["claim_amount"]),
                )
            )
            for refund in payment["refunds"]:
                found[payment["invoice_number"]].append(
                    (
                        refund["refunded_at"][:10],
                        -units(refund["amount"]),
                        -units(refund["claim_amount"]),
                    )
                )
    for one in books.movements:
        expected[one.bill.number].append((one.day, one.amount, one.claim))
    report.equal(
        "payments: every payment and refund of every invoice, by day",
        {number: sorted(rows) for number, rows in found.items()},
        {number: sorted(rows) for number, rows in expected.items()},
    )


def numbers(report, office, books):
    """Check that no number is missing."""
    rows = office("GET", "/invoices/numbering")
    rows = rows["series"] if isinstance(rows, dict) else rows
    report.line(
        not any(row["gaps"] for row in rows)
        and sum(row["count"] for row in rows) == len(books.bills),
        "numbers without gaps",
        [f"{row['first']} to {row['last']}" for row in rows],
    )


def audit(report, office, books, folder):
    """Compare the export for a tax audit with the bills and the money."""
    name = folder / f"audit-export-{books.year}.zip"
    name.write_bytes(office.file(f"/reports/audit-export?year={books.year}"))

    def amount(row, name):
        return rounded(Decimal(row[name].replace(",", ".")))

    with zipfile.ZipFile(name) as archive:
        invoices, taxes, payments, refunds = (
            documents.audit_table(archive, table)
            for table in ("invoices", "invoice_taxes", "payments", "refunds")
        )
        xml = [part for part in archive.namelist() if part.startswith("e_invoices/")]
        damaged = archive.testzip()
    report.equal(
        "audit export: invoices",
        {row["invoice_number"]: amount(row, "total") for row in invoices},
        {bill.number: bill.total for bill in books.bills},
    )
    report.equal(
        "audit export: taxes",
        {
            (
                row["invoice_number"],
                row["tax_category"],
                Decimal(row["tax_rate"].replace(",", ".")),
            ): (amount(row, "net"), amount(row, "tax"))
            for row in taxes
        },
        {
            (bill.number, *group): figures
            for bill in books.bills
            for group, figures in bill.groups.items()
        },
    )
    found, expected = defaultdict(int), defaultdict(int)
    for sign, rows in ((1, payments), (-1, refunds)):
        for row in rows:
            found[row["invoice_number"], sign] += sign * amount(row, "amount")
    for one in books.movements:
        expected[one.bill.number, 1 if one.amount > 0 else -1] += one.amount
    report.equal("audit export: payments and refunds of each invoice", found, expected)
    report.line(
        damaged is None and len(xml) == len(books.bills), "audit export: the e-invoices", len(xml)
    )


def stored(report, office):
    """Run `eventapi check`, which finds damage in the database and in closed months."""
    done = subprocess.run(
        [sys.executable, "-m", "eventapi", "--config", str(office.config_file), "check"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "EVENTAPI_DATA_DIR": str(office.config.data_dir)},
    )
    report.line(
        done.returncode == 0,
        "eventapi check",
        (done.stdout + done.stderr).strip().splitlines()[-1:],
    )


# Dunning

SMALLEST = 500  # the default of the option dunning_minimum, in cents
LEVELS = (
    {"name": "Reminder", "days": 7, "deadline_days": 7, "fee": 0},
    {
        "name": "Notice",
        "days": 21,
        "deadline_days": 7,
        "fee": 5,
        "interest": "business",
        "has_lump_sum": True,
    },
)


def dun(report, office, books, stated):
    """Send what is due, and compare open amounts, interest and claims of each letter.

    Return the number of letters, and [(bill, id of the letter)] of those that claim something.

    `stated` is the last day of the statements that are imported.
    """
    found, expected, sent, count, month = {}, {}, [], 0, stated[:7]
    by_id = {bill.id: bill for bill in books.bills}
    while True:
        answer = office("POST", "/invoices/dunning/send", {"mail": False}, 200)
        for letter in answer["sent"]:
            bill = by_id[letter["invoice_id"]]
            key = (by_id[letter["invoice_id"]].number, letter["level"])
            found[key] = tuple(
                units(letter[name])
                for name in ("open_amount", "interest", "claimed", "total_claim")
            )
            is_second = letter["level"] == 2
            interest = books.interest(bill, office.day, stated) if is_second else 0
            owed = books.open(bill, office.day, stated) if not bill.disputed else None
            costs = 4000 if is_second and bill.currency == "EUR" else 0  # § 288 (5) BGB
            expected[key] = (
                owed,
                interest,
                costs + interest - books.claimed(bill),
                owed + costs + interest,
            )
            if is_second:
                books.claim(office.day, bill, costs + interest)
                sent.append((bill, letter["id"]))
        count += len(answer["sent"])
        if not answer["left"] or not answer["sent"]:
            break
    report.equal(
        f"dunning after {month}: open amounts, interest, claims",
        found,
        expected,
        f"{count} letters",
    )
    late = {
        bill.number
        for bill in books.bills
        if bill.of is None
        and not bill.disputed
        and books.credit(bill, office.day, stated) * RATES.get(bill.currency, 1) <= SMALLEST
        and books.open(bill, office.day, stated) * RATES.get(bill.currency, 1) >= SMALLEST
        and books.days_late(bill, office.day) >= LEVELS[0]["days"]
    }
    without = {number for number in late if (number, 1) not in books.dunned}
    books.dunned.update(found)
    report.line(
        not without - {number for number, _ in found},
        f"dunning after {month}: all late ones have a letter",
        f"{len(late)} late",
    )
    return count, sent
