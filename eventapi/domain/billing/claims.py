"""Billing: what a participant agreed to pay for is invoiced once, and credited when it is cancelled.

The views `claims` and `billings` say what is owed and what is billed, drafts included: a deleted draft, or an invoice that was
cancelled or wholly credited, bills nothing. A fee stays billed while the participation stands, whatever its category becomes. A
reservation that moved to another booth is credited and billed anew. Prices are net, in minor units of the tenant's currency.
"""
from collections import Counter
from decimal import Decimal
from itertools import groupby

from eventapi import journal, money, times
from eventapi.domain.billing import drafts, invoices, issuing
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults, Problem
from eventapi.pictures.words import WORDS, number
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("billing")

MOST_ITEMS = 1000           # that an invoice takes; the next one has the rest
MOST_LETTERS = 1000         # of a description
REFERENCES = ("booth_reservation_id", "service_order_id", "service_order_item_id", "fee_of_participant_id")


def bill(db, participant):
    """The drafts that bill what is new and credit what was cancelled, as they are answered: the invoice first, where there is one."""
    party = db.one(sql.party, id=participant["id"])
    anonymity.refuse_anonymized(party)
    unclaimed = db.all(sql.unclaimed, id=participant["id"])
    unbilled = [claim for claim in claims(db, participant["id"]) if not claim["is_billed"]][:MOST_ITEMS]
    refuse_outdated(db, participant["id"], unclaimed, unbilled)
    items = [item(db, claim, party["language"]) for claim in unbilled]
    made = [draft_invoice(db, participant, party, items)] if items else []
    made += [draft_credit_note(db, id, lines) for id, _, lines in credits_due(db, unclaimed)]
    if not made:
        raise Problem("nothing_to_bill", "All that the participant ordered is billed, and all that was cancelled is credited.")
    return made


def refuse_outdated(db, participant_id, unclaimed, unbilled):
    """409 naming the drafts that bill what was cancelled since, or credit what stands again: the organiser may have worked on them."""
    crediting = db.all(sql.crediting_drafts, id=participant_id, bills=as_json([claim["bills"] for claim in unbilled]))
    outdated = {row["invoice_id"]: row["invoice_number"] for row in (*unclaimed, *crediting)
                if row.get("status", "draft") == "draft"}
    if outdated:
        raise Problem("draft_outdated", f"{', '.join(outdated.values())} bills what was cancelled since, or credits what stands again: "
                      "change or delete it, and ask again.", invoice_ids=list(outdated))


def draft_invoice(db, participant, party, items):
    day = times.local_date(party["date_from"], party["timezone"])
    return drafts.create(db, {"event_participant_id": participant["id"], "service_date": day, "items": items})


def draft_credit_note(db, invoice_id, lines):
    note = invoices.represent(issuing.draft_credit_note(db, invoices.row(db, invoice_id), lines))
    journal.created(db, entities.INVOICE, note)
    return note


# What is owed

def claims(db, participant_id):
    """What the participant owes in the tenant's currency; an order in another is invoiced by hand."""
    return [claim for claim in db.all(sql.claims, id=participant_id) if claim["currency"] in (None, db.config.currency)]


def item(db, claim, language=None):
    """A claim as an item of an invoice, as in a request."""
    rate = db.config.tax_rate if claim["tax_rate"] is None else claim["tax_rate"]
    return {"description": description(claim, WORDS.get((language or "")[:2].lower(), WORDS["en"]))[:MOST_LETTERS],
            "quantity": claim["quantity"], "unit": claim["unit"], "tax_rate": Decimal(rate).scaleb(-2),
            "unit_price": Decimal(claim["unit_price"]).scaleb(-money.decimals(db.config.currency)),
            **{name: claim[name] for name in REFERENCES}}


def description(claim, words):
    if claim["booth_reservation_id"]:
        width, depth = (number(Decimal(claim[name]).scaleb(-3), 0, words) for name in ("width", "depth"))
        parts = words["booth"].format(number=claim["booth_number"]), claim["booth_type_name"], f"{width} × {depth} m"
        return ", ".join(filter(None, parts))
    if claim["service_order_id"]:
        return f"{claim['service_name']} ({claim['order_number']})"
    return words["fee"].format(category=claim["title"])


# What is to be given back

def credits_due(db, unclaimed):
    """(invoice id, currency, lines of its credit note) of what was billed, sent and then cancelled."""
    sent = (row for row in unclaimed if row["status"] != "draft")
    for (id, currency), rows in groupby(sent, lambda row: (row["invoice_id"], row["currency"])):
        lines = lines_to_credit(db.all(sql.lines, id=id), [row["bills"] for row in rows], currency)
        if lines:
            yield id, currency, invoice_lines.reversed_(lines)


def lines_to_credit(lines, cancelled, currency):
    """What is left of the cancelled, of the lines of an invoice and its credit notes. Never more than is left of their tax group:
    a credit note may not have said what it was for."""
    left, chosen = Counter(), []
    for line in lines:
        left[group_of(line)] += line["net"]
    for bills in cancelled:
        own = [line for line in lines if line["bills"] == bills]
        for group in dict.fromkeys(group_of(line) for line in own):
            amount = min(sum(line["net"] for line in own if group_of(line) == group), left[group])
            if amount > 0:
                left[group] -= amount
                chosen += part([line for line in own if group_of(line) == group and line["invoice_type"] == "invoice"], amount, currency)
    return chosen


def group_of(line):
    return line["tax_category"], line["tax_rate"]


def part(lines, amount, currency):
    """The lines as they are, where the amount is all of them; else one line over the amount."""
    if amount == sum(line["net"] for line in lines):
        return lines
    price = amount * 10 ** (invoices.PLACES["unit_price"] - money.decimals(currency))
    return [{**lines[0], "quantity": 1000, "unit": None, "unit_price": price, "discount_percent": 0, "net": amount}]


# The account of a participant

def balance(db, participant):
    """What was ordered, billed and paid, with tax, in the tenant's currency."""
    with db.snapshot():
        found = claims(db, participant["id"])
        sums = db.one(sql.sums, id=participant["id"], currency=db.config.currency)
        unclaimed = db.all(sql.unclaimed, id=participant["id"])
        to_credit = sum(-issuing.totals_of_credit(db, id, lines)["total"] for id, currency, lines in credits_due(db, unclaimed)
                        if currency == db.config.currency)
    amounts = {"ordered": gross(db, found), "unbilled": gross(db, [claim for claim in found if not claim["is_billed"]]),
               "to_credit": to_credit, **sums}
    return {"currency": db.config.currency, **{name: money.major(amount, db.config.currency) for name, amount in amounts.items()}}


def gross(db, claims):
    """What one invoice over the claims would come to."""
    lines = invoice_lines.lines([item(db, claim) for claim in claims], db.config.currency, db.config.tax_rate, Faults())
    return invoice_lines.totals(invoice_lines.taxes(lines))["total"]


# What `eventapi check` asks

def check(db):
    """What was billed twice, and what counters and booths say that orders and reservations do not, as sentences."""
    for wrong in db.all(sql.billed_twice):
        yield (f"{wrong['numbers']}: {wrong['bills']} is billed at {wrong['billed']}, but costs {wrong['price']} "
               "(minor units)")
    for wrong in db.all(sql.wrong_stock):
        yield (f"service {wrong['service_key']} at {wrong['event_key']}: the ordered quantity is {wrong['stored']}, "
               f"but its orders add up to {wrong['computed']}")
    for wrong in db.all(sql.wrong_booths):
        yield (f"booth {wrong['booth_number']} of {wrong['event_key']} is {wrong['stored']}, but "
               + (f"its reservation is {wrong['reservation']}" if wrong["reservation"] else "has no reservation"))
