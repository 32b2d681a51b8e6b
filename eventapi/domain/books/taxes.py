"""The tax point: on which days the tax of an invoice counts, and with what amounts.

The option `tax_basis` decides for each invoice when it is sent, and the invoice keeps it:

- supply: in the month of the supply (§ 13 (1) no. 1a UStG); money that comes before, when it comes (sentence 4).
- payment: when money comes (§ 20 UStG).
- issue_date: at the issue date, as earlier versions did, and for invoices of other systems.

The taxed groups of a deposit follow the money for ever, and those with rate 0 count with its
supply. A final invoice counts with the groups that its deposits have left.

Which rules an invoice has is stored when it is sent (`tax_rules`), so that no figure of an older
one changes.

The result is stored in `tax_entries`, from which the report on taxes and DATEV are read. Each
change of an invoice, its credit notes, payments and write-offs computes it again; what counts in a
closed month stays the same, because none of these can be dated there. Amounts are in minor units.
Call `update` inside a write transaction.
"""

import json
from collections import defaultdict
from dataclasses import dataclass

from eventapi import money, times
from eventapi.domain.books import periods, regions
from eventapi.domain.reports.ranges import FIRST_DAY, next_first_day, selected
from eventapi.storage.statements import statements
from eventapi.validation.options import value_on

sql = statements("taxes")

KEY = ("day", "document_id", "kind", "category", "rate")
VALUES = ("net", "tax", "base_net", "base_tax", "region")
LAST_DAY = "9999-12-31"
RULES = 2  # of invoices that are sent now; those with 1 were sent before migration 0080


def terms(db, row, issue_date, service_date):
    """Return the columns of a document that is sent: `tax_date`, `tax_basis`, `tax_rules` and
    `untaxed_date`.

    All but the rules are None for a credit note, which counts by those of its invoice.

    `service_date` is the last day of the supply. If its month is closed, the tax counts at the
    issue date. A deposit has no tax date: its tax follows the money, whatever the option says (§ 13
    (1) no. 1a sentence 4 UStG). What is not taxed has a day all the same: services to other
    countries of the EU are declared when they are performed (§ 18a (8) sentence 2 UStG).
    """
    columns = {"tax_date": None, "tax_basis": None, "tax_rules": RULES, "untaxed_date": None}
    if row["invoice_type"] != "invoice":
        return columns
    if row["taken_over"]:
        return {**columns, "tax_date": issue_date, "tax_basis": "issue_date"}
    day = issue_date if periods.closed_month(db, service_date) else service_date
    if row["is_deposit"]:
        return {**columns, "untaxed_date": day, "tax_basis": "payment"}
    return {**columns, "tax_date": day, "tax_basis": value_on(db.config.tax_basis, day)}


def begins(basis, tax_date, issue_date, category, rate):
    """Return the first day on which a tax group can count; None for one that follows the money
    alone.

    Groups without `tax_date` follow the money: of a deposit the taxed ones, and all by the rules 1.
    A supply of goods to the EU (K) counts at the issue date, but not before the supply and not after
    the end of the month that follows it (§ 13 (1) no. 6 UStG).
    """
    if basis == "issue_date":
        return FIRST_DAY
    if tax_date is None or (basis == "payment" and rate):
        return None
    if category != "K":
        return tax_date
    after = next_first_day(next_first_day(tax_date, "month"), "month")
    return min(max(issue_date, tax_date), times.add_days(after, -1))


def counts_at(first, day, *, is_invoice):
    """Return the day on which what is dated `day` counts. `first` is the result of `begins`.

    The invoice itself counts on that day, also if it is issued later; credit notes and write-offs
    never before it.
    """
    if is_invoice and first != FIRST_DAY:
        return first
    return max(day, first)


def shares(amount, weights):
    """Divide an amount by weights and return a list of shares.

    Each is rounded, and the last weight gets the rest.
    """
    whole = sum(weights)
    left = amount
    last = max((place for place, weight in enumerate(weights) if weight), default=None)
    parts = []
    for place, weight in enumerate(weights):
        part = 0
        if place == last:
            part = left
        elif weight and whole:
            part = money.divided(amount * weight, whole)
        parts.append(part)
        left -= part
    return parts


@dataclass(frozen=True, slots=True)
class Group:
    """A tax group of an invoice, or of one of its credit notes."""

    document_id: int
    kind: str
    day: str
    category: str
    rate: int
    net: int
    tax: int

    @property
    def key(self):
        return self.category, self.rate


@dataclass(frozen=True, slots=True)
class Movement:
    """What an invoice, a credit note or a write-off changes in a tax group.

    id: of the document, or of the write-off. document_id: the invoice is that of a write-off. net,
    tax: negative if they reduce what was invoiced.
    """

    kind: str
    id: int
    document_id: int
    day: str
    category: str
    rate: int
    net: int
    tax: int

    @property
    def key(self):
        return self.category, self.rate


def groups_of(invoice):
    """Return the Groups of a row of `taxes.invoice`: its own ones first."""
    return [Group(*values) for values in json.loads(invoice["groups"])]


def computed(invoice, zone):
    """Return {(day, document id, kind, category, rate): [net, tax]} of a row of `taxes.invoice`."""
    return _Invoice(invoice, zone).computed()


def movements(invoice, zone):
    """Return the Movements of a row of `taxes.invoice`, in the order in which they are booked."""
    return _Invoice(invoice, zone).movements()


class _Invoice:
    """The tax entries of an invoice, while they are computed.

    Attributes:
        groups: the Groups of the invoice and of its credit notes.
        own: {(category, rate): Group} of the invoice itself.
        write_offs: [day, amount, id] of each, by day.
        money: what came in less what was given back, by day.
        entries: {(day, document id, kind, category, rate): [net, tax]}.
    """

    def __init__(self, row, zone):
        self.row = row
        self.groups = groups_of(row)
        self.own = {group.key: group for group in self.groups if group.document_id == row["id"]}
        self.write_offs = sorted(json.loads(row["write_offs"]))
        self.money = defaultdict(int)
        for at, amount in json.loads(row["money"]):
            self.money[times.local_date(at, zone)] += amount
        self.entries = defaultdict(lambda: [0, 0])

    def computed(self):
        """Compute all entries and return those that are not 0."""
        for one in self.movements():
            first = self._begins(one.key)
            if first is not None:
                day = counts_at(first, one.day, is_invoice=one.kind == "invoice")
                self._count(day, one.document_id, one.kind, one.key, (one.net, one.tax))

        if self.row["tax_basis"] != "issue_date":
            self._follow_money()
        return {key: figures for key, figures in self.entries.items() if any(figures)}

    def movements(self):
        """Return the Movements in the order in which they are booked: the invoice first."""
        found = [
            Movement(
                one.kind, one.document_id, one.document_id, one.day, *one.key, one.net, one.tax
            )
            for one in self.groups
        ]
        for day, amount, id in self.write_offs:
            found += self._write_off(day, amount, id)
        return sorted(found, key=lambda one: (one.kind != "invoice", one.day, one.kind, one.id))

    def _begins(self, key):
        """Return the first day on which a group can count, or None, see `begins`."""
        _, rate = key
        day = self.row["tax_date"]
        if day is None and not rate:
            day = self.row["untaxed_date"]
        return begins(self.row["tax_basis"], day, self.row["issue_date"], *key)

    def _count(self, day, document_id, kind, key, figures):
        """Add (net, tax) to an entry."""
        net, tax = figures
        entry = self.entries[(day, document_id, kind, *key)]
        entry[0] += net
        entry[1] += tax

    def _write_off(self, day, amount, id):
        """Yield the Movements of a write-off, divided by what credit notes have left of the groups."""
        weights = self._gross(until=day)
        if not sum(weights):
            weights = self._gross()
        for key, share in zip(self.own, shares(amount, weights), strict=True):
            net, tax = self._divided(key, share)
            yield Movement("write_off", id, self.row["id"], day, *key, -net, -tax)

    def _gross(self, until=None):
        """Return the gross amounts of the groups: of the invoice, or what its credit notes until a
        day have left.
        """
        sums = dict.fromkeys(self.own, 0)
        for group in self.groups:
            if group.document_id == self.row["id"] or (until and group.day <= until):
                sums[group.key] += group.net + group.tax
        return list(sums.values())

    def _divided(self, key, share):
        """Return (net, tax) of a gross share of a group."""
        group = self.own[key]
        gross = group.net + group.tax
        if not gross:
            return share, 0
        sign = 1 if gross > 0 else -1
        tax = money.divided(share * group.tax * sign, abs(gross))
        return share - tax, tax

    def _follow_money(self):
        """Count the money as it comes, for the groups with a rate above 0 and those without a first
        day.

        With the basis supply, it is taken back on the day of the supply.
        """
        is_by_supply = self.row["tax_basis"] == "supply"
        end = self.row["tax_date"] if is_by_supply else LAST_DAY
        credited = {group.day for group in self.groups if group.kind == "credit_note"}

        counted = {}  # (net, tax) of each group until the day before
        paid = 0
        for day in sorted({*self.money, *credited}):
            if day >= end:
                break
            paid += self.money.get(day, 0)
            for key, share in zip(self.own, self._shares_of_money(day, paid), strict=True):
                _, rate = key
                if not rate and self._begins(key) is not None:
                    continue
                net, tax = self._divided(key, share)
                net_before, tax_before = counted.get(key, (0, 0))
                added = net - net_before, tax - tax_before
                self._count(day, self.row["id"], "payment", key, added)
                counted[key] = net, tax

        if is_by_supply:
            for key, (net, tax) in counted.items():
                self._count(end, self.row["id"], "payment", key, (-net, -tax))

    def _shares_of_money(self, day, paid):
        """Return the gross shares of the groups in the money up to a day, at most the total of the
        invoice.

        The money pays first what the credit notes up to that day have left.
        """
        amount = min(max(paid, 0), self.row["total"])
        whole = self._gross()
        left = self._gross(until=day)
        credited = [full - rest for full, rest in zip(whole, left, strict=True)]

        first = min(amount, max(sum(left), 0))
        shares_of_left = shares(first, left)
        shares_of_credited = shares(amount - first, credited)
        return [one + other for one, other in zip(shares_of_left, shares_of_credited, strict=True)]


def follows_money(invoice, day):
    """Return whether money of a day changes the tax entries of an invoice: itself, or what it
    recovers of write-offs.

    `invoice` is a row of `balance.by_id`.
    """
    if invoice["written_off"]:
        return True
    basis = invoice["tax_basis"]
    return basis == "payment" or (basis == "supply" and day < invoice["tax_date"])


def update(db, id):
    """Compute the tax entries of an invoice again, and store what changed.

    Entries of closed months stay.
    """
    invoice = db.one(sql.invoice, id=id)
    since = periods.first_open_day(db) or FIRST_DAY
    if invoice is None:
        return

    stored = db.all(sql.stored, id=id, open_from=since)
    entries = _with_base(invoice, computed(invoice, db.config.timezone), db.config.currency)
    # the buyer may have been erased since
    region_of = {row["category"]: row["region"] for row in stored}
    for category in regions.SPLIT:
        if category not in region_of:
            region_of[category] = regions.region(
                invoice["vat_id"],
                invoice["country"],
                db.config.organiser_country,
                are_goods=category == "K" and invoice["tax_rules"] > 1,
            )

    new = {}
    for key, figures in entries.items():
        day, _, _, category, _ = key
        if day >= since:
            new[key] = [*figures, region_of.get(category)]

    for row in stored:
        key = tuple(row[name] for name in KEY)
        if new.get(key) == [row[name] for name in VALUES]:
            del new[key]
        else:
            db.run(sql.remove, id=id, **dict(zip(KEY, key, strict=True)))
    for key, values in new.items():
        db.run(
            sql.add,
            id=id,
            currency=invoice["currency"],
            **dict(zip(KEY, key, strict=True)),
            **dict(zip(VALUES, values, strict=True)),
        )


def _with_base(invoice, entries, base):
    """Return the entries with [net, tax, base_net, base_tax].

    The sum of each tax group up to a day is converted at the rate of the invoice, and the
    difference counts. Without a rate, in the organiser's currency, and by the rules 1 with the basis
    issue_date, the last two are None: the report converts each document by itself.
    """
    is_by_document = invoice["tax_basis"] == "issue_date" and invoice["tax_rules"] == 1
    if is_by_document or invoice["currency"] == base or not invoice["exchange_rate"]:
        return {key: [*figures, None, None] for key, figures in entries.items()}

    days = sorted(entries)
    amounts = [(key[3:], *entries[key]) for key in days]  # by category and rate
    bases = _cumulated(amounts, invoice, base)
    return {key: [*entries[key], *found] for key, found in zip(days, bases, strict=True)}


def _cumulated(amounts, invoice, base):
    """Return (net, tax) in the currency `base` for each (group, net, tax), in their order.

    The sum of a group so far is converted, less what was converted before: so that many parts are as
    much as the whole.
    """
    sums = defaultdict(lambda: (0, 0))
    found = []
    for group, net, tax in amounts:
        net_before, tax_before = sums[group]
        sums[group] = net_before + net, tax_before + tax
        found.append(
            (
                _in_base(net_before + net, invoice, base) - _in_base(net_before, invoice, base),
                _in_base(tax_before + tax, invoice, base) - _in_base(tax_before, invoice, base),
            )
        )
    return found


def _in_base(units, invoice, base):
    """Return an amount of an invoice in the currency `base`, at the rate of the invoice."""
    return money.converted(units, invoice["currency"], invoice["exchange_rate"], base)


def booked(db, id):
    """Return what DATEV books of an invoice, its credit notes and its write-offs: (Movement, amount
    with tax in the organiser's currency) in the order of booking.

    The amounts are those of the report on taxes: up to each day, both have converted the same sums.
    The amount is None where a booking is converted by itself: without a rate, in the organiser's
    currency, and by the rules 1.
    """
    invoice = db.one(sql.invoice, id=id)
    base = db.config.currency
    found = movements(invoice, db.config.timezone)
    if invoice["tax_rules"] == 1 or invoice["currency"] == base or not invoice["exchange_rate"]:
        return [(one, None) for one in found]
    bases = _cumulated([(one.key, one.net, one.tax) for one in found], invoice, base)
    return [(one, net + tax) for one, (net, tax) in zip(found, bases, strict=True)]


def invoices_of(db, payment):
    """Return the ids of the invoices that a payment belongs to, or belonged to before it moved.

    `payment` is a row.
    """
    ids = db.values(
        sql.invoices_of_payment, payment_id=payment["id"], invoice_id=payment["invoice_id"]
    )
    return set(ids)


def update_all(db, ids):
    """Compute the tax entries of several invoices again."""
    for id in sorted(ids):
        update(db, id)


# Beside the report on taxes


def beside(db, query):
    """Return what the report on taxes shows beside its rows, `late` and `unrefunded`, as lists of
    API objects.

    late: invoices whose tax counts at the issue date, because the month of the supply was closed. unrefunded: credit
    notes of paid invoices, with what was not given back until the end of their month. § 17 (1) UStG
    corrects the tax of an advance when the money is given back.
    """
    first, last = selected(query, db.config.timezone)
    values = {"first": first or FIRST_DAY, "last": last or LAST_DAY}
    filters = frozenset({"event_id"} & query.keys())
    if filters:
        values["event_id"] = query["event_id"]

    with db.snapshot():
        late = db.all(sql.late, filters, **values)
        credit_notes = db.all(sql.credited, filters, **values)
        for row in credit_notes:
            row["total"] = _not_refunded(db, row)
    return {
        "late": [_named(row) for row in late],
        "unrefunded": [_named(row) for row in credit_notes if row["total"] > 0],
    }


def _not_refunded(db, note):
    """Return what a credit note has left overpaid at the end of its month."""
    invoice = db.one(sql.invoice, id=note["related_id"])
    end = f"{note['issue_date'][:7]}-31"
    zone = db.config.timezone
    paid = sum(
        amount for at, amount in json.loads(invoice["money"]) if times.local_date(at, zone) <= end
    )
    billed = sum(group.net + group.tax for group in groups_of(invoice) if group.day <= end)
    written_off = sum(amount for day, amount, _ in json.loads(invoice["write_offs"]) if day <= end)
    return min(note["total"], paid - billed + written_off)


def _named(row):
    """Return the API object of a row of `beside`."""
    names = ("invoice_id", "invoice_number", "related_invoice_number", "tax_date")
    record = {name: row[name] for name in names}
    record["amount"] = money.major(row["total"], row["currency"])
    return record


def check(db):
    """Yield a sentence for each invoice whose tax entries do not add up. For `eventapi check`."""
    for row in db.all(sql.wrong):
        yield (
            f"{row['invoice_number']}: its tax entries add up to {row['stored']}, but the invoice less credit notes "
            f"and write-offs is {row['computed']} (minor units)"
        )
