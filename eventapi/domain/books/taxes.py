"""The tax point: on which days the tax of an invoice counts, and with what amounts.

The option `tax_basis` decides for each invoice when it is sent, and the invoice keeps it:

- supply: in the month of the supply (§ 13 (1) no. 1a UStG); money that comes before, when it comes (sentence 4).
- payment: when money comes (§ 20 UStG).
- issue_date: at the issue date, as earlier versions did, and for invoices of other systems.

Deposits follow the money for ever, and a final invoice counts with the groups that its deposits
have left.

The result is stored in `tax_entries`, from which the report on taxes and DATEV are read. Each
change of an invoice, its credit notes, payments and write-offs computes it again; what counts in a
closed month stays the same, because none of these can be dated there. Amounts are in minor units.
Call `update` inside a write transaction.
"""

import json
from collections import defaultdict

from eventapi import money, times
from eventapi.domain.books import periods, regions
from eventapi.domain.reports.ranges import FIRST_DAY, next_first_day, selected
from eventapi.errors import invalid_parameter
from eventapi.storage.statements import statements

sql = statements("taxes")

KEY = ("day", "document_id", "kind", "category", "rate")
RECAPITULATIVE = ("vat_id", "goods", "services")
VALUES = ("net", "tax", "base_net", "base_tax", "region")


def terms(db, row, issue_date, service_date):
    """Return the columns of a document that is sent: `tax_date` and `tax_basis`.

    Both are None for a credit note.

    `service_date` is the last day of the supply. If its month is closed, the tax counts at the
    issue date. A deposit has no tax date: its tax follows the money, whatever the option says (§ 13
    (1) no. 1a sentence 4 UStG).
    """
    if row["invoice_type"] != "invoice":
        return {"tax_date": None, "tax_basis": None}
    if row["taken_over"]:
        return {"tax_date": issue_date, "tax_basis": "issue_date"}
    if row["is_deposit"]:
        return {"tax_date": None, "tax_basis": "payment"}
    day = issue_date if periods.closed_month(db, service_date) else service_date
    return {"tax_date": day, "tax_basis": basis_on(db.config.tax_basis, day)}


def basis_on(option, day):
    """Return the basis on a day. `option` is a tuple of (first day, basis), oldest first."""
    return [basis for since, basis in option if since <= day][-1]


def begins(basis, tax_date, issue_date, category, rate):
    """Return the first day on which a tax group can count; None for one that follows the money
    alone.

    All groups of a deposit, which has no `tax_date`, follow the money. A supply of goods to the EU
    (K) counts at the issue date, but not before the supply and not after the end of the month that
    follows it (§ 13 (1) no. 6 UStG).
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
    return first if is_invoice and first != FIRST_DAY else max(day, first)


def shares(amount, weights):
    """Divide an amount by weights and return a list of shares.

    Each is rounded, and the last weight gets the rest.
    """
    whole, left = sum(weights), amount
    last = max((place for place, weight in enumerate(weights) if weight), default=None)
    found = []
    for place, weight in enumerate(weights):
        share = (
            left
            if place == last
            else money.divided(amount * weight, whole)
            if weight and whole
            else 0
        )
        found.append(share)
        left -= share
    return found


def computed(invoice, zone):
    """Return {(day, document id, kind, category, rate): [net, tax]} of a row of `taxes.invoice`."""
    return _Invoice(invoice, zone).entries()


class _Invoice:
    def __init__(self, row, zone):
        self.row, self.found = row, defaultdict(lambda: [0, 0])
        self.documents = json.loads(row["groups"])
        own = [group for group in self.documents if group[0] == row["id"]]
        self.groups = [tuple(group[3:5]) for group in own]  # (category, rate)
        self.figures = {tuple(group[3:5]): group[5:] for group in own}  # net, tax
        self.write_offs = sorted(json.loads(row["write_offs"]))
        self.money = defaultdict(int)  # what came in less what was given back, by day
        for at, amount in json.loads(row["money"]):
            self.money[times.local_date(at, zone)] += amount

    def entries(self):
        for id, kind, day, category, rate, net, tax in self.documents:
            self._add(day, id, kind, (category, rate), net, tax)
        for day, amount in self.write_offs:
            left = self._gross(until=day)
            for group, share in zip(
                self.groups, shares(amount, left if sum(left) else self._gross()), strict=True
            ):
                net, tax = self._divided(group, share)
                self._add(day, self.row["id"], "write_off", group, -net, -tax)
        if self.row["tax_basis"] != "issue_date":
            self._follow_money()
        return {key: figures for key, figures in self.found.items() if any(figures)}

    def _add(self, day, document, kind, group, net, tax):
        first = begins(self.row["tax_basis"], self.row["tax_date"], self.row["issue_date"], *group)
        if first is not None:
            self._count(
                counts_at(first, day, is_invoice=kind == "invoice"), document, kind, group, net, tax
            )

    def _count(self, day, document, kind, group, net, tax):
        entry = self.found[(day, document, kind, *group)]
        entry[0] += net
        entry[1] += tax

    def _gross(self, until=None):
        """Return the gross amounts of the groups: of the invoice, or what its credit notes until a
        day have left.
        """
        sums = dict.fromkeys(self.groups, 0)
        for id, _, day, category, rate, net, tax in self.documents:
            if id == self.row["id"] or (until and day <= until):
                sums[category, rate] += net + tax
        return [sums[group] for group in self.groups]

    def _divided(self, group, share):
        """Return (net, tax) of a gross share of a group."""
        net, tax = self.figures[group]
        part = (
            money.divided(share * tax * (1 if net + tax > 0 else -1), abs(net + tax))
            if net + tax
            else 0
        )
        return share - part, part

    def _follow_money(self):
        """Count the money as it comes: that of a deposit for all groups, otherwise for those with a
        rate above 0.

        With the basis supply, it is taken back on the day of the supply.
        """
        end = self.row["tax_date"] if self.row["tax_basis"] == "supply" else "9999-12-31"
        is_deposit = self.row["tax_date"] is None
        credited = {day for _, kind, day, *_ in self.documents if kind == "credit_note"}
        days = sorted({*self.money, *credited})
        last = {}
        taxed = [place for place, (_, rate) in enumerate(self.groups) if rate or is_deposit]
        paid = 0
        for day in [day for day in days if day < end]:
            paid += self.money.get(day, 0)
            divided = self._divided_by(day, paid)
            for place in taxed:
                group = self.groups[place]
                now = self._divided(group, divided[place])
                before = last.get(group, (0, 0))
                self._count(
                    day, self.row["id"], "payment", group, now[0] - before[0], now[1] - before[1]
                )
                last[group] = now
        if self.row["tax_basis"] == "supply":
            for group, (net, tax) in last.items():
                self._count(end, self.row["id"], "payment", group, -net, -tax)

    def _divided_by(self, day, paid):
        """Return the gross shares of the groups in the money up to a day, at most the total of the
        invoice.
        """
        amount = min(max(paid, 0), self.row["total"])
        whole, left = self._gross(), self._gross(until=day)
        first = min(amount, max(sum(left), 0))
        credited = [full - rest for full, rest in zip(whole, left, strict=True)]
        return [
            one + other
            for one, other in zip(
                shares(first, left), shares(amount - first, credited), strict=True
            )
        ]


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
    invoice, since = db.one(sql.invoice, id=id), periods.first_open_day(db) or FIRST_DAY
    if invoice is None:
        return
    stored = db.all(sql.stored, id=id, open_from=since)
    found = _with_base(invoice, computed(invoice, db.config.timezone), db.config.currency)
    # the buyer may have been erased since
    where = {row["category"]: row["region"] for row in stored}
    for category in regions.SPLIT:
        if category not in where:
            where[category] = regions.region(
                invoice["vat_id"], invoice["country"], db.config.organiser_country
            )
    new = {key: [*numbers, where.get(key[3])] for key, numbers in found.items() if key[0] >= since}
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
    difference counts. With the basis issue_date, without a rate, and in the organiser's currency,
    the last two are None: the report converts each document by itself, as earlier versions did.
    """
    rate, currency = invoice["exchange_rate"], invoice["currency"]
    if invoice["tax_basis"] == "issue_date" or currency == base or not rate:
        return {key: [*figures, None, None] for key, figures in entries.items()}
    sums, found = defaultdict(lambda: [0, 0]), {}
    for key in sorted(entries):
        before = sums[key[3:]]
        after = [one + other for one, other in zip(before, entries[key], strict=True)]
        bases = [
            money.converted(new, currency, rate, base) - money.converted(old, currency, rate, base)
            for old, new in zip(before, after, strict=True)
        ]
        sums[key[3:]], found[key] = after, [*entries[key], *bases]
    return found


def invoices_of(db, payment):
    """Return the ids of the invoices that a payment belongs to, or belonged to before it moved.

    `payment` is a row.
    """
    found = db.all(
        sql.invoices_of_payment, payment_id=payment["id"], invoice_id=payment["invoice_id"]
    )
    return {row["id"] for row in found}


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
    values = {"first": first or FIRST_DAY, "last": last or "9999-12-31"}
    given = frozenset({"event_id"} & query.keys())
    if given:
        values["event_id"] = query["event_id"]
    with db.snapshot():
        late = db.all(sql.late, given, **values)
        kept = [
            {**row, "total": _not_refunded(db, row)}
            for row in db.all(sql.credited, given, **values)
        ]
    return {
        "late": [_named(row) for row in late],
        "unrefunded": [_named(row) for row in kept if row["total"] > 0],
    }


def _not_refunded(db, note):
    """Return what a credit note has left overpaid at the end of its month."""
    invoice = db.one(sql.invoice, id=note["related_id"])
    end, zone = f"{note['issue_date'][:7]}-31", db.config.timezone
    paid = sum(
        amount for at, amount in json.loads(invoice["money"]) if times.local_date(at, zone) <= end
    )
    billed = sum(
        net + tax for *_, day, _, _, net, tax in json.loads(invoice["groups"]) if day <= end
    )
    gone = sum(amount for day, amount in json.loads(invoice["write_offs"]) if day <= end)
    return min(note["total"], paid - billed + gone)


def _named(row):
    names = ("invoice_id", "invoice_number", "related_invoice_number", "tax_date")
    return {
        **{name: row[name] for name in names},
        "amount": money.major(row["total"], row["currency"]),
    }


# The recapitulative statement


def recapitulative(db, query):
    """Return goods (K) and services (AE) to other countries of the EU by VAT id, as API object (§
    18a UStG).

    `query` has `year`, and `month`, `quarter` or neither; raise 422 for both. Supplies count on the
    same days as in the report on taxes.
    """
    if "month" in query and "quarter" in query:
        raise invalid_parameter(
            "month", "disagrees", "must not be sent together with `quarter`. Send one of them"
        )
    last = query.get("month") or 3 * query.get("quarter", 4)
    first = last if "month" in query else last - 2 if "quarter" in query else 1
    after = next_first_day(f"{query['year']:04}-{last:02}-01", "month")
    rows = db.all(
        sql.recapitulative,
        first=f"{query['year']:04}-{first:02}-01",
        last=times.add_days(after, -1),
    )
    base = db.config.currency
    sums = {}
    for row in rows:
        own = db.config.organiser_country
        if (
            row["category"] == "AE"
            and regions.region(row["vat_id"], row["country"], own) != regions.EU
        ):
            continue
        vat_id = regions.eu_vat_id(row["vat_id"], own) or row["vat_id"]
        entry = sums.setdefault(vat_id, {"K": 0, "AE": 0})
        amount = _in_base(db.config, row)
        known = amount is not None and entry[row["category"]] is not None
        entry[row["category"]] = entry[row["category"]] + amount if known else None
    shown = [
        {
            "vat_id": vat_id,
            "goods": money.major(entry["K"], base),
            "services": money.major(entry["AE"], base),
        }
        for vat_id, entry in sorted(sums.items(), key=str)
        if entry != {"K": 0, "AE": 0}
    ]
    return {
        "report_type": "recapitulative",
        "filters": dict(query),
        "data": {"rows": shown},
        "generated_at": times.now(),
    }


def _in_base(config, row):
    """Return the net amount of a row in the organiser's currency, or None without an exchange rate."""
    if row["currency"] == config.currency or row["base_net"] is not None:
        return row["net"] if row["base_net"] is None else row["base_net"]
    rate = row["exchange_rate"] or money.usual_rate(config, row["currency"])
    return rate and money.converted(row["net"], row["currency"], rate, config.currency)


def check(db):
    """Yield a sentence for each invoice whose tax entries do not add up. For `eventapi check`."""
    for row in db.all(sql.wrong):
        yield (
            f"{row['invoice_number']}: its tax entries add up to {row['stored']}, but the invoice less credit notes "
            f"and write-offs is {row['computed']} (minor units)"
        )
