"""Run a year of accounting and check every figure: python -m tests.books FOLDER [SEED] (`make
books`). A show with exhibitors from abroad, and a year of a small business, are small ones of their own.

FOLDER receives the data directory, all e-invoices, PDFs, statements and exports; what is there is
replaced. If EINVOICE_VALIDATOR names a program that judges e-invoices given as arguments, it judges
all of them. One line is printed for each check. The exit status is 1 if a check fails.
"""

import os
import shutil
import sys
from pathlib import Path

from tests.books import abroad, checks, letters, small
from tests.books.checks import Report
from tests.books.office import Office
from tests.books.year import Year


def main(folder, seed=1):
    """Run the year; another seed makes another year. Return the exit status."""
    folder, report = Path(folder), Report()
    for left in folder.glob("letters-*"):
        shutil.rmtree(left)
    for name in ("abroad", "small"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("data", "xml", "pdf", "datev", "statements"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    office = Office(folder / "data")
    for level in checks.LEVELS:
        office("POST", "/invoices/dunning-levels", level, 201)
    year = Year(office, int(seed))
    year.run(lambda month: close(report, year, month))
    for name, number in sorted(year.log.items()):
        print(f"       {number:4} {name}")
    books = year.books
    checks.kinds(report, books)
    checks.invoices(report, office, books)
    checks.payments(report, office, books)
    checks.numbers(report, office, books)
    checks.taxes(report, office, books)
    checks.money(report, office, books)
    for month in range(1, 13):
        checks.receivables(report, office, books, last_day(f"2025-{month:02}"))
    checks.ledger(report, office, books)
    checks.datev(report, office, books, folder / "datev")
    checks.statements(report, office, books, year.bank)
    again(report, year, folder / "statements")
    checks.audit(report, office, books, folder / "statements")
    checks.stored(report, office)
    files = checks.e_invoices(report, office, books, folder / "xml") + checks.pdfs(
        report, office, books, folder / "pdf"
    )
    letters.check(report, folder, int(seed))
    files += abroad.check(report, folder / "abroad", seed)
    files += small.check(report, folder / "small", seed)
    if os.environ.get("EINVOICE_VALIDATOR"):
        checks.validated(report, os.environ["EINVOICE_VALIDATOR"], files)
    print(f"{report.checks} checks, {report.faults} faults")
    return int(report.faults > 0)


def last_day(month):
    """Return the last day of a month of 2025."""
    return f"{month}-{28 if month.endswith('02') else 30 if month[-2:] in ('04', '06', '09', '11') else 31}"


def close(report, year, month):
    """Dun, check the receivables at the end of a month, and close it.

    Then nothing can be booked in it.
    """
    letters, claiming = checks.dun(report, year.office, year.books, last_day(month))
    year.count("dunning letters", letters)
    year.answer(claiming)
    checks.receivables(report, year.office, year.books, last_day(month))
    closed = year.office("POST", f"/reports/periods/{month}/close", None, 200)
    found = {
        row["currency"]: round(row["closing_balance"] * 100)
        for row in closed["figures"]["balances"]
    }
    report.equal(
        f"closing of {month}: balances",
        {currency: amount for currency, amount in found.items() if amount},
        year.books.balances(last_day(month)),
    )
    bill = next(
        bill for bill in year.books.bills if bill.of is None and "cancelled" not in bill.kind
    )
    refused = year.office.client(
        "POST",
        "/payments",
        {"invoice_number": bill.number, "amount": 1, "payment_date": last_day(month)},
    )
    report.line(
        refused.status_int == 409 and refused.json["code"] == "period_closed",
        f"{month} is closed",
        refused.json["code"] if refused.status_int >= 400 else refused.status_int,
    )


def again(report, year, folder):
    """Send all statements again, shuffled and as a ZIP: nothing is new."""
    data = year.bank.year()
    (folder / "2025.zip").write_bytes(data)
    result = year.import_file(data)
    report.line(
        result["imported"] == result["booked"] == 0,
        "statements: sent again, shuffled, nothing is new",
        f"{result['known']} known, {result['imported']} imported, {result['booked']} booked",
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
