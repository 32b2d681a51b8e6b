"""What really happened in the year, in exact arithmetic of its own: no code of the service is used
here.

Amounts are integers in hundredths of a currency (EUR, CHF, USD). Days are texts such as 2025-03-04.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

RATES = {"CHF": Decimal("1.06"), "USD": Decimal("0.92")}  # the option exchange_rates


def rounded(number):
    """Return a Decimal in units as an integer in hundredths, rounded half away from zero."""
    return int((number * 100).quantize(Decimal(1), ROUND_HALF_UP))


def net_of(item):
    """Return the net amount of a line: quantity times price less its discount, rounded once (EN
    16931, BT-131).
    """
    quantity, price = Decimal(str(item["quantity"])), Decimal(str(item["unit_price"]))
    return rounded(quantity * price * (100 - Decimal(str(item.get("discount_percent") or 0))) / 100)


def groups_of(items, is_reverse_charge=False):
    """Return {(category, rate): (net, tax)} of lines.

    The tax is computed on the sum of a group (BT-117).
    """
    nets = defaultdict(int)
    for item in items:
        rate = Decimal(str(item.get("tax_rate", 19)))
        category = item.get("tax_category") or ("S" if rate else "Z")
        nets[
            "AE" if is_reverse_charge else category, Decimal(0) if is_reverse_charge else rate
        ] += net_of(item)
    return {
        (category, rate): (net, rounded(Decimal(net) * rate / 10000))
        for (category, rate), net in nets.items()
    }


@dataclass(eq=False)
class Bill:
    """An invoice, or a credit note, whose groups are negative. credits: the credit notes of an
    invoice.
    """

    id: int
    number: str
    customer: dict
    currency: str
    day: str
    groups: dict
    due: str | None = None
    of: object = None
    reference: str | None = None
    credits: list = field(default_factory=list)
    kind: str = ""
    supplied: str = ""
    disputed: bool = False
    is_deposit: bool = False
    items: list = field(default_factory=list)

    @property
    def net(self):
        return sum(net for net, _ in self.groups.values())

    @property
    def tax(self):
        return sum(tax for _, tax in self.groups.values())

    @property
    def total(self):
        return self.net + self.tax


def divided(amount, weights):
    """Divide an amount by {group: weight}, rounded; the last group in the order of the invoice gets
    the rest.
    """
    order = [group for group in sorted(weights) if weights[group]]
    shares = {
        group: rounded(Decimal(amount) * weights[group] / sum(weights.values()) / 100)
        for group in order
    }
    if order:
        shares[order[-1]] += amount - sum(shares.values())
    return {**dict.fromkeys(weights, 0), **shares}


@dataclass(frozen=True)
class Movement:
    """Money for an invoice: positive if it was received, negative if it was given back. fee: of the
    gateway.

    claim: the part that pays costs and interest of letters, or returns them. came: what a transfer in euros brought for
    an invoice in another currency, whose amount is in that currency.
    """

    day: str
    bill: Bill
    amount: int
    gateway: str
    fee: int = 0
    claim: int = 0
    came: int = 0


@dataclass(frozen=True)
class WriteOff:
    """What is not expected any more.

    A negative amount came after all; is_stated: it is known from a statement.
    """

    day: str
    bill: Bill
    amount: int
    is_stated: bool = False


@dataclass(frozen=True)
class Claim:
    """What a letter claims on a day or, as a negative amount, takes back."""

    day: str
    bill: Bill
    amount: int


class Books:
    """All bills and movements of a year."""

    def __init__(self, year=2025):
        self.year = year
        self.bills = []
        self.movements = []
        self.dunned = set()
        self.claims = []
        self.write_offs = []

    def move(self, day, bill, amount, gateway="bank", fee=0, claim=0, came=0):
        """Record money for an invoice."""
        self.movements.append(Movement(day, bill, amount, gateway, fee, claim, came))

    def write_off(self, day, bill, amount, *, is_stated=False):
        """Record what is written off."""
        self.write_offs.append(WriteOff(day, bill, amount, is_stated))

    def claim(self, day, bill, amount):
        """Record what a letter claims."""
        self.claims.append(Claim(day, bill, amount))

    def claimed(self, bill, until="9999"):
        """Return what letters have claimed and not taken back until a day."""
        return sum(one.amount for one in self.claims if one.bill is bill and one.day <= until)

    def claims_open(self, bill, until="9999", stated="9999"):
        """Return what is open of the claims of letters, negative if it was paid and then taken
        back.
        """
        return self.claimed(bill, until) - sum(
            one.claim for one in self._known(bill, until, stated)
        )

    def _known(self, bill, until, stated):
        return [
            one
            for one in self.movements
            if one.bill is bill
            and one.day <= until
            and (one.gateway != "bank" or one.day <= stated)
        ]

    def paid(self, bill, until="9999", stated="9999"):
        """Return what was paid for an invoice, without claims of letters, and not given back until
        a day.

        `stated` is the last day of the bank statements that are known: the office does not know of
        later transfers.
        """
        return sum(one.amount - one.claim for one in self._known(bill, until, stated))

    def written_off(self, bill, until="9999", stated="9999"):
        """Return what is written off until a day, less what came after all."""
        return sum(
            one.amount
            for one in self.write_offs
            if one.bill is bill and one.day <= until and (not one.is_stated or one.day <= stated)
        )

    def open(self, bill, until="9999", stated="9999"):
        """Return what is open of an invoice at the end of a day, negative if it is overpaid."""
        credited = sum(note.total for note in bill.credits if note.day <= until)
        return (
            bill.total
            + credited
            - self.paid(bill, until, stated)
            - self.written_off(bill, until, stated)
        )

    def credit(self, bill, until="9999", stated="9999"):
        """Return the credit that the customer of a bill has in its currency: letters wait for it."""
        others = [
            other
            for other in self.bills
            if other.of is None
            and other.customer is bill.customer
            and other.currency == bill.currency
            and other.day <= until
        ]
        return sum(max(0, -self.open(other, until, stated)) for other in others)

    def taxes(self, rates=None):
        """Return {(month of the year, currency, category, rate): (net, tax)} by the months in which the
        tax counts.

        With `rates`, {currency: price}, the sums of each invoice at the ends of two months are
        converted, and the difference counts.
        """
        found = defaultdict(lambda: (0, 0))
        for bill in (bill for bill in self.bills if bill.of is None):
            price = rates.get(bill.currency, 1) if rates else 1
            for group in bill.groups:
                before = (0, 0)
                for month in range(1, 13):
                    sums = self._counted(bill, group, f"{self.year}-{month:02}-31")
                    now = tuple(rounded(Decimal(amount) / 100 * price) for amount in sums)
                    key = f"{self.year}-{month:02}", bill.currency, *group
                    found[key] = tuple(
                        old + new - last
                        for old, new, last in zip(found[key], now, before, strict=True)
                    )
                    before = now
        return {key: amounts for key, amounts in found.items() if any(amounts)}

    def taxed_in(self, bill, group):
        """Return {month of the year: net} in which a group of an invoice counts for the taxes."""
        found, before = {}, 0
        for month in range(1, 13):
            name = f"{self.year}-{month:02}"
            now, _ = self._counted(bill, group, f"{name}-31")
            found[name] = now - before
            before = now
        return {month: net for month, net in found.items() if net}

    def _counted(self, bill, group, until):
        """Return (net, tax) of a group that counts until a day, credit notes included (§ 13 (1)
        UStG).

        It counts with the supply; money that comes before, when it comes. Without tax, money counts
        for nothing, and goods to the EU count when they are invoiced, at the latest at the end of
        the month after the supply. Of a deposit, only money counts, but what is not taxed counts with
        the supply as well. A write-off takes its share of net and tax (§ 17 (2) no. 1 UStG).
        """
        notes = [note for note in bill.credits if note.day <= until]
        net, tax = (
            sum(one.groups.get(group, (0, 0))[place] for one in (bill, *notes)) for place in (0, 1)
        )
        # invoiced within a month
        begins = max(bill.day, bill.supplied) if group[0] == "K" else bill.supplied
        is_taxed = bool(group[1])
        if until >= begins and not (bill.is_deposit and is_taxed):
            for one in self.write_offs:
                if one.bill is bill and one.day <= until:
                    gone = self.write_off_shares(one)[group]
                    own_tax = self._tax_of(bill, group, gone)
                    net, tax = net - gone + own_tax, tax - own_tax
            return net, tax
        if not is_taxed:
            return 0, 0
        money = min(max(self.paid(bill, until), 0), bill.total)
        left = {
            one: sum(sum(part.groups.get(one, (0, 0))) for part in (bill, *notes))
            for one in bill.groups
        }
        gone = {one: sum(bill.groups[one]) - left[one] for one in bill.groups}
        first = min(money, sum(left.values()))
        share = divided(first, left)[group] + divided(money - first, gone)[group]
        own_tax = self._tax_of(bill, group, share)
        return share - own_tax, own_tax

    @staticmethod
    def _tax_of(bill, group, gross):
        whole = sum(bill.groups[group])
        return rounded(Decimal(gross) * bill.groups[group][1] / whole / 100) if whole else 0

    @staticmethod
    def write_off_shares(one):
        """Return {group: amount} of a write-off: divided by what the credit notes so far have left."""
        notes = [note for note in one.bill.credits if note.day <= one.day]
        left = {
            group: sum(sum(part.groups.get(group, (0, 0))) for part in (one.bill, *notes))
            for group in one.bill.groups
        }
        return divided(one.amount, left)

    def deducting(self, deposit):
        """Return the items that deduct a deposit: what its credit notes have left of each group (§
        14 (5) UStG).
        """
        left = {
            group: sum(one.groups.get(group, (0, 0))[0] for one in (deposit, *deposit.credits))
            for group in deposit.groups
        }
        return [
            {
                "quantity": -1,
                "unit_price": Decimal(net) / 100,
                "tax_category": category,
                "tax_rate": rate,
            }
            for (category, rate), net in left.items()
        ]

    def money_of_deposits(self):
        """Return {(month of the year, currency, category, rate): gross amount} of deposits that becomes
        revenue: by their money or, without tax, by their supply.
        """
        found = defaultdict(int)
        for bill in (bill for bill in self.bills if bill.is_deposit):
            for group in bill.groups:
                before = 0
                for month in range(1, 13):
                    now = sum(self._counted(bill, group, f"{self.year}-{month:02}-31"))
                    found[f"{self.year}-{month:02}", bill.currency, *group] += now - before
                    before = now
        return found

    def received(self):
        """Return {(month, currency, gateway): (received, refunded, fees)}."""
        found = defaultdict(lambda: (0, 0, 0))
        for one in self.movements:
            key = one.day[:7], one.bill.currency, one.gateway
            received, refunded, fees = found[key]
            found[key] = (
                received + max(one.amount, 0),
                refunded + max(-one.amount, 0),
                fees + one.fee,
            )
        return dict(found)

    def receivables(self, day):
        """Return {currency: sum of the open amounts} at the end of a day."""
        found = defaultdict(int)
        for bill in self.bills:
            if bill.of is None and bill.day <= day:
                found[bill.currency] += self.open(bill, day)
        return {currency: amount for currency, amount in found.items() if amount}

    def balances(self, day):
        """Return {currency: what customers owe} at the end of a day, with the claims of letters."""
        found = defaultdict(int, self.receivables(day))
        for bill in self.bills:
            if bill.of is None and bill.day <= day:
                found[bill.currency] += self.claims_open(bill, day)
        return {currency: amount for currency, amount in found.items() if amount}

    def accounts(self, until="9999"):
        """Return {(customer number, currency): amounts} until a day.

        They are what was invoiced, credited, received, refunded, claimed and written off.
        """
        found = defaultdict(lambda: [0, 0, 0, 0, 0, 0])
        for bill in self.bills:
            if bill.day <= until:
                found[bill.customer["customer_number"], bill.currency][
                    0 if bill.of is None else 1
                ] += abs(bill.total)
        for one in self.movements:
            if one.day <= until:
                place = 2 if one.amount > 0 else 3
                found[one.bill.customer["customer_number"], one.bill.currency][place] += abs(
                    one.amount
                )
        for one in self.claims:
            if one.day <= until:
                found[one.bill.customer["customer_number"], one.bill.currency][4] += one.amount
        for one in self.write_offs:
            if one.day <= until:
                found[one.bill.customer["customer_number"], one.bill.currency][5] += one.amount
        return {key: tuple(values) for key, values in found.items() if any(values)}

    def days_late(self, bill, day):
        """Return the number of days since the last day for payment."""
        return (date.fromisoformat(day) - last_day_to_pay(bill.due)).days

    def interest(self, bill, day, stated):
        """Return the interest of a company until a day: 9 points over the base rate (§ 288 (2)
        BGB), day by day.

        The day of a payment still bears interest; a credited amount bears none from the beginning.
        The base rate was 2.27 % until June 2025, and 1.27 % from July on.
        """
        owed = bill.total + sum(note.total for note in bill.credits if note.day <= day)
        sum_of_days = Decimal(0)
        present = last_day_to_pay(bill.due) + timedelta(1)
        last = date.fromisoformat(day)
        while present <= last:
            rate = Decimal("11.27") if present < date(2025, 7, 1) else Decimal("10.27")
            before = (present - timedelta(1)).isoformat()
            left = owed - self.paid(bill, before, stated) - self.written_off(bill, before, stated)
            sum_of_days += max(left, 0) * rate
            present += timedelta(1)
        return int((sum_of_days / 36500).quantize(Decimal(1), ROUND_HALF_UP))


# The public holidays of the whole of Germany in 2025 and 2026, from a calendar
HOLIDAYS = set(
    """2025-01-01 2025-04-18 2025-04-21 2025-05-01 2025-05-29 2025-06-09 2025-10-03 2025-12-25 2025-12-26
                  2026-01-01 2026-04-03 2026-04-06 2026-05-01 2026-05-14 2026-05-25 2026-10-03 2026-12-25
                  2026-12-26""".split()
)


def last_day_to_pay(due):
    """Return the due date as a date, or the next working day if it is none (§ 193 BGB)."""
    day = date.fromisoformat(due)
    while day.strftime("%a") in ("Sat", "Sun") or day.isoformat() in HOLIDAYS:
        day += timedelta(1)
    return day
