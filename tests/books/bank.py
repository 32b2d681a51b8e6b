"""The bank of the organiser: three accounts, what is booked there, and the statements that it hands
out.
"""

import io
import random
import zipfile

from tests.support import camt

ACCOUNTS = {
    "EUR": "DE02120300000000202051",
    "USD": "DE27100777770209299700",
    "CHF": "DE75512108001245126199",
}


def iban(number):
    """Return the IBAN of an invented account at an invented bank, with its check digits (ISO
    13616).
    """
    digits = f"50010517{number:010}"
    return f"DE{98 - int(digits + '131400') % 97:02}{digits}"


class Bank:
    """The accounts.

    Each entry is a dict for tests.support.camt with `truth`: [(Bill, amount)], or a reason as text.
    """

    def __init__(self):
        self.entries = {currency: [] for currency in ACCOUNTS}
        self.opening = {"EUR": 1000000, "USD": 0, "CHF": 50000}
        self.count, self.known = 0, {}

    def book(self, currency, day, amount, truth, **texts):
        """Book an entry.

        Every entry of a payer has an end-to-end id, by which this program finds it again.
        """
        self.count += 1
        entry = {
            "amount": amount,
            "day": day,
            "truth": truth,
            "end_to_end_id": f"E{self.count:05}",
            "bank_reference": None
            if self.count % 4 == 0
            else f"{day.replace('-', '')}{self.count:08}",
            **texts,
        }
        self.entries[currency].append(entry)
        for part in entry.get("parts", [entry]):
            self.known[self.key(ACCOUNTS[currency], day, part["amount"], part["end_to_end_id"])] = (
                part
            )
        return entry

    def key(self, account, day, amount, end_to_end_id):
        return account, day, amount, end_to_end_id

    def part(self, amount, truth, **texts):
        """Return a part of a batch."""
        self.count += 1
        return {"amount": amount, "truth": truth, "end_to_end_id": f"E{self.count:05}", **texts}

    def statement(self, currency, first, last, version="02", seed=None):
        """Return the <Stmt> of an account for these days.

        A seed shuffles the entries of a day among all others.
        """
        entries = [entry for entry in self.entries[currency] if first <= entry["day"] <= last]
        if seed is not None:
            entries = random.Random(seed).sample(entries, len(entries))
        before = sum(
            entry["amount"]
            for entry in self.entries[currency]
            if entry["day"] < first and entry.get("status", "BOOK") == "BOOK"
        )
        return camt.statement(
            ACCOUNTS[currency],
            entries,
            currency,
            self.opening[currency] + before,
            number=int(first[5:7]),
            version=version,
        )

    def month(self, month, version):
        """Return a file with the statements of all accounts in a month."""
        return camt.document(
            [
                self.statement(currency, f"{month}-01", f"{month}-31", version)
                for currency in ACCOUNTS
            ],
            version,
        )

    def year(self):
        """Return a ZIP with one shuffled file for each month."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for month in range(1, 13):
                days = f"2025-{month:02}-01", f"2025-{month:02}-31"
                found = [self.statement(currency, *days, "08", month) for currency in ACCOUNTS]
                archive.writestr(f"{month:02}.xml", camt.document(found, "08"))
        return target.getvalue()

    def total(self, currency):
        """Return what was booked on an account in the year."""
        return sum(
            entry["amount"]
            for entry in self.entries[currency]
            if entry.get("status", "BOOK") == "BOOK"
        )
