"""Dunning of fourteen months, day by day: each letter is computed a second time, from the requests
alone.

Companies and consumers, part payments, refunds, credit notes, withdrawn letters, due dates on
weekends and holidays, a new base rate, and for each value of the option interest_begins a run of
its own. Amounts are integers in cents.
"""

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from tests.books.office import Office
from tests.books.truth import last_day_to_pay

LEVELS = (
    {"name": "Reminder", "days": 7, "deadline_days": 7, "fee": 2, "interest": "business"},
    {
        "name": "Notice",
        "days": 14,
        "deadline_days": 5,
        "fee": 5,
        "interest": "business",
        "has_lump_sum": True,
    },
    {"name": "Last notice", "days": 30, "deadline_days": 10, "fee": 36, "interest": "business"},
)
DAY, FIRST, DAYS = timedelta(1), date(2025, 1, 7), 420


@dataclass(eq=False)
class Debt:
    """An invoice with everything that happened to it. letters: those that stand. money: (date,
    amount).
    """

    id: int
    number: str
    total: int
    due: str
    is_business: bool
    has_notice: bool
    credited: int = 0
    money: list = field(default_factory=list)
    payments: list = field(default_factory=list)
    letters: list = field(default_factory=list)
    history: list = field(default_factory=list)

    def open(self, before=date.max):
        """Return what is open without the money that came on the day `before` or later."""
        return (
            self.total - self.credited - sum(amount for day, amount in self.money if day < before)
        )


class Walk:
    """A run with one value of interest_begins."""

    def __init__(self, folder, option, seed):
        self.office = Office(folder)
        self.option = option
        self.dice = random.Random(f"{option} {seed}")
        self.office.config.interest_begins = option
        self.debts, self.wrong, self.letters = [], [], 0
        self.today = FIRST
        self.office.day = FIRST.isoformat()
        for level in LEVELS:
            self.office("POST", "/invoices/dunning-levels", level, 201)
        address = {"address": "Weg 1", "postal_code": "04109", "city": "Leipzig", "country": "DE"}
        self.contacts = [
            (
                self.office("POST", "/contacts", {**name, **address}, 201)["id"],
                "company_name" in name,
            )
            for name in (
                {"company_name": "Rosen KG"},
                {"company_name": "Farn GmbH"},
                {"last_name": "Klee"},
                {"last_name": "Mohn"},
            )
        ]

    def run(self):
        """Run all days.

        `interest_notice` is set after five months, so that some invoices lack the sentence.
        """
        for number in range(DAYS):
            self.today = FIRST + number * DAY
            self.office.day = self.today.isoformat()
            self.office.config.interest_notice = "yes" if number > 150 else "no"
            for action, chance in (
                (self.send, 0.3),
                (self.pay, 0.15),
                (self.refund, 0.04),
                (self.credit, 0.06),
                (self.write_off, 0.04),
                (self.withdraw, 0.08),
                (self.dun, 0.4),
            ):
                if self.dice.random() < chance and (action == self.dun or number < DAYS - 60):
                    action()
        return self

    def pick(self, fitting):
        """Return a random invoice that fits, or None."""
        found = [debt for debt in self.debts if fitting(debt)]
        return self.dice.choice(found) if found else None

    def send(self):
        """Send an invoice.

        Some are so small that they may fall below the smallest amount that is dunned.
        """
        contact, is_business = self.dice.choice(self.contacts)
        total = self.dice.choice([900, 50_000, 119_099, 2_000_033])
        due = self.today + self.dice.randrange(25) * DAY
        draft = self.office(
            "POST",
            "/invoices",
            {
                "contact_id": contact,
                "due_date": due.isoformat(),
                "items": [
                    {
                        "description": "Stand",
                        "quantity": 1,
                        "unit_price": total / 100,
                        "tax_rate": 0,
                    }
                ],
            },
            201,
        )
        sent = self.office("POST", f"/invoices/{draft['id']}/send", {"mail": False}, 200)
        has_notice = self.office.config.interest_notice == "yes" and not is_business
        self.debts.append(
            Debt(
                sent["id"], sent["invoice_number"], total, due.isoformat(), is_business, has_notice
            )
        )
        overdue_from = (last_day_to_pay(due.isoformat()) + DAY).isoformat()
        self.compare(
            "overdue_from",
            (sent["overdue_from"], sent["interest_notice"]),
            (overdue_from, has_notice),
        )

    def pay(self):
        """Pay an invoice, in full or in part."""
        if debt := self.pick(lambda debt: debt.open() > 0):
            amount = self.dice.choice(
                [debt.open(), max(1, debt.open() // 3), max(1, debt.open() - 300)]
            )
            body = {
                "invoice_number": debt.number,
                "amount": amount / 100,
                "payment_date": self.today.isoformat(),
            }
            debt.payments.append((self.office("POST", "/payments", body, 201)["id"], amount))
            debt.money.append((self.today, amount))

    def refund(self):
        """Refund a payment."""
        if debt := self.pick(lambda debt: debt.payments and debt.open() >= 0):
            id, amount = debt.payments.pop()
            self.office(
                "POST", f"/payments/{id}/refund", {"refunded_at": self.today.isoformat()}, 200
            )
            debt.money.append((self.today, -amount))

    def credit(self):
        """Credit a part of what is open."""
        if debt := self.pick(lambda debt: debt.open() > 1000):
            amount = debt.open() // 4
            self.office(
                "POST",
                f"/invoices/{debt.id}/credit",
                {
                    "items": [
                        {
                            "description": "Less",
                            "quantity": 1,
                            "unit_price": amount / 100,
                            "tax_rate": 0,
                        }
                    ],
                    "mail": False,
                },
                201,
            )
            debt.credited += amount

    def write_off(self):
        """Write off a part of what is open: it bears interest until that day, like what was paid."""
        if debt := self.pick(lambda debt: debt.open() > 1000):
            amount = debt.open() // 5
            self.office(
                "POST",
                f"/invoices/{debt.id}/write-offs",
                {"amount": amount / 100, "reason": "Waived"},
                201,
            )
            debt.money.append((self.today, amount))

    def withdraw(self):
        """Withdraw the last letter of an invoice."""
        if debt := self.pick(lambda debt: debt.letters):
            letter = debt.letters.pop()
            path = f"/invoices/{debt.id}/dunning/{letter['id']}/withdraw"
            found = self.office("POST", path, {"reason": "By mistake"}, 200)
            self.compare(
                "claims after a withdrawal", round(found["claims_total"] * 100), self.claims(debt)
            )

    def dun(self):
        """Send all letters that are due, and compare them with those that must be sent."""
        expected = {
            debt.id: self.claim(debt, level) for debt in self.debts if (level := self.due(debt))
        }
        found = {}
        while True:
            answer = self.office("POST", "/invoices/dunning/send", {"mail": False}, 200)
            found.update({letter["invoice_id"]: letter for letter in answer["sent"]})
            if not answer["left"]:
                break
        names = ("open_amount", "costs", "interest", "claimed", "total_claim")
        self.compare(
            f"letters of {self.today}",
            {
                id: (letter["level"], *(round(letter[name] * 100) for name in names))
                for id, letter in found.items()
            },
            expected,
        )
        for debt in self.debts:
            if debt.id in found:
                self.letters += 1
                debt.letters.append({**found[debt.id], "day": self.today})
                debt.history.append(debt.letters[-1])

    def due(self, debt):
        """Return the level (from 1) that is due, or None."""
        level = len(debt.letters) + 1
        if debt.open() < 500 or level > len(LEVELS):  # 5.00 is the default of dunning_minimum
            return None
        if debt.letters and debt.letters[-1]["deadline"] >= self.today.isoformat():
            return None
        return (
            level
            if (self.today - last_day_to_pay(debt.due)).days >= LEVELS[level - 1]["days"]
            else None
        )

    def claim(self, debt, level):
        """Return (level, open amount, costs, interest, claimed, total) of a letter of today."""
        fees = sum(one["fee"] * 100 for one in LEVELS[:level])
        costs = max(fees, 4000) if level >= 2 and debt.is_business else fees
        interest, before = self.interest(debt), self.claims(debt)
        return (
            level,
            debt.open(),
            costs,
            interest,
            max(0, costs + interest - before),
            debt.open() + costs + interest,
        )

    @staticmethod
    def claims(debt):
        """Return what the letters that stand have claimed."""
        return sum(round(letter["claimed"] * 100) for letter in debt.letters)

    def interest(self, debt):
        """Return the interest until today, day by day (§§ 286 to 288, 247 BGB)."""
        overdue = last_day_to_pay(debt.due) + DAY
        letter = (debt.letters[0]["day"] if debt.letters else self.today) + DAY
        thirty = last_day_to_pay((overdue + 29 * DAY).isoformat()) + DAY
        day = {"due_date": overdue, "first_letter": letter, "thirty_days": thirty}[self.option]
        if not debt.is_business:
            day = max(day, min(letter, thirty) if debt.has_notice else letter)
        sum_of_days = Decimal(0)
        while day <= self.today:
            base = Decimal("2.27") if day < date(2025, 7, 1) else Decimal("1.27")
            sum_of_days += max(debt.open(day), 0) * (base + (9 if debt.is_business else 5))
            day += DAY
        return int((sum_of_days / 36500).quantize(Decimal(1), ROUND_HALF_UP))

    def compare(self, what, found, expected):
        if found != expected:
            self.wrong.append(f"{what}: {found} instead of {expected}")

    def check_claims(self):
        """Compare the claims of all invoices with the letters that stand."""
        for debt in self.debts:
            found = self.office("GET", f"/invoices/{debt.id}?include=dunning")
            self.compare(debt.number, round(found["claims_total"] * 100), self.claims(debt))
            self.compare(
                f"history of {debt.number}",
                [(letter["id"], letter["withdrawn_on"] is None) for letter in found["dunning"]],
                [(letter["id"], letter in debt.letters) for letter in debt.history],
            )


def check(report, folder, seed):
    """Run a walk for each value of interest_begins, and report what differs."""
    for option in ("due_date", "first_letter", "thirty_days"):
        walk = Walk(folder / f"letters-{option}", option, seed).run()
        walk.check_claims()
        report.line(
            not walk.wrong,
            f"letters, interest_begins = {option}: open amounts, costs, interest, claims",
            walk.wrong[0] if walk.wrong else f"{walk.letters} letters, {len(walk.debts)} invoices",
        )
