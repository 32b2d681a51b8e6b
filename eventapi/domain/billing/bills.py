"""Bills: drafts that invoice what a participant owes, and drafts that credit what was invoiced and
then cancelled. The balance of a participant is the sums of its account, by currency.

Drafts count as billed. A deleted draft bills nothing, and neither does an invoice that was
cancelled or credited in full. A fee stays billed until the participation is cancelled, even if the
category changes. A reservation that moved to another booth is credited and billed again, unless it
costs the same.
"""

from collections import Counter
from decimal import Decimal
from itertools import groupby

from eventapi import journal, money
from eventapi.domain.billing import balance as invoice_balance
from eventapi.domain.billing import (
    claims,
    drafts,
    invoices,
    issuing,
    service_days,
    tax_terms,
    treatments,
)
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults, Problem, listed
from eventapi.languages import choice
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("billing")

MAX_ITEMS = 1000  # of an invoice; the next invoice bills the rest
# roles that pay the fee of their category, see `fee_claims`
PAYING = (
    "exhibitor",
    "co_exhibitor",
    "sponsor",
)


def bill(db, participant):
    """Create drafts that bill new claims and credit cancelled ones.

    Return their API objects, invoices first. Lines that are not subject to VAT have an invoice of
    their own.

    `participant` is a row. Call this inside a write transaction. Raise 409 `nothing_to_bill`,
    `draft_outdated` or `anonymized`.
    """
    party = db.one(sql.party, id=participant["id"])
    anonymity.refuse_anonymized(party)
    unclaimed = db.all(sql.unclaimed, id=participant["id"])
    owed = claims.in_all_currencies(db, participant["id"])
    unbilled = [
        claim
        for claim in owed
        if claim["currency"] == db.config.currency and not claim["is_billed"]
    ]
    unbilled = unbilled[:MAX_ITEMS]
    refuse_outdated(db, participant["id"], unclaimed, unbilled)
    language = choice.choose(db.config, party["language"])
    items = [claims.item(db, claim, language) for claim in unbilled]
    made = [
        draft_invoice(db, participant, party, part) for part in parts(db, participant, party, items)
    ]
    made += [draft_credit_note(db, id, lines) for id, _, lines in credits_due(db, unclaimed)]
    if not made:
        raise nothing_to_bill(db, participant, owed)
    return made


def warnings(config, made):
    """Return a warning if drafts were made of prices without a rate, and there is no usual one."""
    if config.is_tax_rate_known or all(one["invoice_type"] == "credit_note" for one in made):
        return []
    return [
        {
            "code": "no_tax_rate",
            "detail": f"The option `tax_rate` is not set, and {config.organiser_country} has no standard rate here. "
            "Prices without a rate of their own are drafted without tax, and the draft cannot be sent. Set the option "
            "in the settings, 0 if you charge no tax, then refresh the draft.",
        }
    ]


def nothing_to_bill(db, participant, owed):
    """Return the Problem that says why nothing can be billed.

    `owed`: all claims of the participant.

    Its `reason` is `drafted` (with `invoice_ids`) if a draft bills or credits something, `billed`
    if invoices that were sent do, and otherwise `no_claims`.
    """
    invoices_of = db.all(sql.billing_invoices, id=participant["id"])
    drafts_of = [row for row in invoices_of if row["status"] == "draft"]
    foreign = sorted(
        {claim["currency"] for claim in owed if not claim["is_billed"]} - {db.config.currency}
    )
    more = (
        f" What is owed in {listed(foreign)} is not billed here: write an invoice with POST /invoices."
        if foreign
        else ""
    )
    if drafts_of:
        numbers = listed([row["invoice_number"] for row in drafts_of])
        return Problem(
            "nothing_to_bill",
            f"These drafts bill or credit what is not on sent invoices yet: {numbers}. "
            f"Send, change or delete them.{more}",
            reason="drafted",
            invoice_ids=[row["id"] for row in drafts_of],
        )
    if invoices_of:
        return Problem(
            "nothing_to_bill",
            "Sent invoices bill everything that the participant owes, and credit notes "
            f"credit everything that was cancelled.{more}",
            reason="billed",
        )
    is_free = participant["role"] not in PAYING
    fee = (
        f"the role {participant['role']} pays no fee"
        if is_free
        else "the participant has no category with a fee"
    )
    return Problem(
        "nothing_to_bill",
        f"Nothing is owed, and nothing was billed: {fee}, no confirmed booth reservation "
        "and no confirmed service order with a price. Set a category, or confirm what was booked, then try "
        f"again.{more}",
        reason="no_claims",
    )


def refuse_outdated(db, participant_id, unclaimed, unbilled):
    """Raise 409 `draft_outdated` if a draft bills a cancelled claim, or credits a claim that is
    owed again.

    The organiser may have edited these drafts, so they are neither changed nor deleted here.
    """
    crediting = db.all(
        sql.crediting_drafts,
        id=participant_id,
        bills=as_json([claim["bills"] for claim in unbilled]),
    )
    outdated = {
        row["invoice_id"]: row["invoice_number"]
        for row in (*unclaimed, *crediting)
        if row.get("status", "draft") == "draft"
    }
    if outdated:
        raise Problem(
            "draft_outdated",
            f"Outdated drafts: {listed(outdated.values())}. An outdated draft bills "
            "something that was cancelled, or credits something that was reinstated. Refresh, change or "
            "delete it, then try again.",
            invoice_ids=list(outdated),
        )


def draft_invoice(db, participant, party, items):
    """Create a draft with these items and return its API object.

    Its service period is that of the event.
    """
    body = {"event_participant_id": participant["id"], "items": items, **days(party)}
    return drafts.create(db, body)


def days(party):
    """Return the service period of an event, as fields of an invoice."""
    first, last = service_days.of_dates(party)
    return {"service_date": first, "service_date_to": last}


def parts(db, participant, party, items):
    """Return the items of each invoice. `party` is the row of the participant's contact and event."""
    found = tax_terms.of_invoice(
        db, contact_id=party["id"], event_id=participant["event_id"], **days(party)
    )
    lines = invoice_lines.lines(items, db.config.currency, db.config.tax_rate, Faults())
    treated = treatments.by_rule(found, lines)
    of_parts = treatments.parts(treated)
    if not of_parts[1]:
        return [items] if items else []
    categories = [{line["tax_category"] for line in part} for part in of_parts]
    return [
        [item for item, line in zip(items, treated, strict=True) if line["tax_category"] in own]
        for own in categories
    ]


def draft_credit_note(db, invoice_id, lines):
    """Create a draft of a credit note with these lines, journal it, and return its API object."""
    lines = [{**line, "is_generated": 1} for line in lines]
    note = invoices.represent(issuing.draft_credit_note(db, invoices.row(db, invoice_id), lines))
    journal.created(db, entities.INVOICE, note)
    return note


def credit_cancelled(db, participant):
    """Draft credit notes of what was billed to a participant and is owed no longer.

    Return their API objects. Drafts of invoices stay as they are: `outdated` finds them. Raise 409
    `anonymized`.
    """
    anonymity.refuse_anonymized(db.one(sql.party, id=participant["id"]))
    unclaimed = db.all(sql.unclaimed, id=participant["id"])
    return [draft_credit_note(db, id, lines) for id, _, lines in credits_due(db, unclaimed)]


def standing(db, participant_id):
    """Return the rows of the invoices of a participant that were sent, and not cancelled or credited
    in full.

    Each has id, invoice_number, total, open_amount and currency; amounts are minor units. is_credited:
    whether a credit note for it is drafted.
    """
    return db.all(sql.standing, id=participant_id)


# What must be credited


def credits_due(db, unclaimed):
    """Yield (invoice id, currency, lines of its credit note) for cancelled claims on sent invoices.

    `unclaimed` holds the rows of what is billed and no longer owed, ordered by invoice.
    """
    sent = (row for row in unclaimed if row["status"] != "draft")
    for (id, currency), rows in groupby(sent, lambda row: (row["invoice_id"], row["currency"])):
        lines = lines_to_credit(db.all(sql.lines, id=id), [row["bills"] for row in rows], currency)
        if lines:
            yield id, currency, invoice_lines.negated(lines)


def lines_to_credit(lines, cancelled, currency):
    """Return the lines to credit for cancelled claims.

    `lines` are those of an invoice and its credit notes; `cancelled` are the references (`bills`)
    of the claims. The result never exceeds what is left of a tax group, because an earlier credit
    note may have credited the claim without a reference.
    """
    left, chosen = Counter(), []
    for line in lines:
        left[group_of(line)] += line["net"]
    for bills in cancelled:
        own = [line for line in lines if line["bills"] == bills]
        for group in dict.fromkeys(group_of(line) for line in own):
            amount = min(sum(line["net"] for line in own if group_of(line) == group), left[group])
            if amount > 0:
                left[group] -= amount
                billed = [
                    line
                    for line in own
                    if group_of(line) == group and line["invoice_type"] == "invoice"
                ]
                chosen += part(billed, amount, currency)
    return chosen


def group_of(line):
    """Return the tax group of a line: category and rate."""
    return line["tax_category"], line["tax_rate"]


def part(lines, amount, currency):
    """Return the lines if `amount` (minor units) is their sum.

    Otherwise return one line for the amount.
    """
    if amount == sum(line["net"] for line in lines):
        return lines
    price = amount * 10 ** (invoices.PLACES["unit_price"] - money.decimals(currency))
    return [
        {
            **lines[0],
            "quantity": 1000,
            "unit": None,
            "unit_price": price,
            "discount_percent": 0,
            "is_discount": 0,
            "net": amount,
        }
    ]


# Checks of `eventapi check`


def check(db):
    """Yield a sentence for each claim that is billed twice, and each stock or booth that contradicts the orders and
    reservations."""
    for wrong in db.all(sql.billed_twice):
        yield (
            f"{wrong['numbers']}: {wrong['bills']} is billed at {wrong['billed']}, but costs {wrong['price']} "
            "(minor units)"
        )
    for wrong in db.all(sql.wrong_stock):
        yield (
            f"service {wrong['service_key']} at {wrong['event_key']}: the ordered quantity is {wrong['stored']}, "
            f"but its orders add up to {wrong['computed']}"
        )
    for wrong in db.all(sql.wrong_booths):
        yield (
            f"booth {wrong['booth_number']} of {wrong['event_key']} is {wrong['stored']}, but "
            + (
                f"its reservation is {wrong['reservation']}"
                if wrong["reservation"]
                else "has no reservation"
            )
        )


NOTHING = {"invoiced": 0, "paid": 0, "open": 0, "claims_open": 0}


def balance(db, participant):
    """Return the account of a participant: what was ordered, billed and paid, with tax.

    The fields are those of the tenant's currency; `balances` has the same fields for each currency,
    that of the tenant first. Amounts are in major units.
    """
    with db.snapshot():
        found = claims.in_all_currencies(db, participant["id"])
        sums = {row.pop("currency"): row for row in db.all(sql.sums, id=participant["id"])}
        to_credit = _to_credit(db, db.all(sql.unclaimed, id=participant["id"]))
        terms = tax_terms.of_participant(db, participant["id"])
    own = db.config.currency
    others = {claim["currency"] for claim in found} | sums.keys() | to_credit.keys()
    balances = [
        _in_currency(db, terms, currency, found, to_credit[currency], sums.get(currency, NOTHING))
        for currency in (own, *sorted(others - {own}))
    ]
    return {**balances[0], "balances": balances}


def due(db, participant_id):
    """Return what a participant has still to pay, in major units of the tenant's currency.

    It is what would be open if everything was billed and credited at once: drafts do not count,
    what they bill and credit does. It is negative if money is owed to the participant.
    """
    currency = db.config.currency
    sums = {row["currency"]: row for row in db.all(sql.sums, id=participant_id)}
    drafted = {claims.source(line) for line in db.all(sql.drafted, id=participant_id)}
    unbilled = [
        claim
        for claim in claims.claims(db, participant_id)
        if not claim["is_billed"] or claims.source(claim) in drafted
    ]
    to_credit = _to_credit(db, db.all(sql.unclaimed, id=participant_id))
    terms = tax_terms.of_participant(db, participant_id)
    amount = sums.get(currency, NOTHING)["open"] + gross(db, terms, unbilled, currency)
    amount -= to_credit[currency]
    amount += db.value(sql.drafted_credit, id=participant_id, currency=currency)
    return money.major(amount, currency)


def _in_currency(db, terms, currency, found, to_credit, sums):
    """Return the balance in one currency.

    `terms`: what the tax depends on. `found`: all claims. `to_credit` and `sums` are in minor units.
    """
    owed = [claim for claim in found if claim["currency"] == currency]
    unbilled = [claim for claim in owed if not claim["is_billed"]]
    amounts = {
        "ordered": gross(db, terms, owed, currency),
        "unbilled": gross(db, terms, unbilled, currency),
        "to_credit": to_credit,
        **sums,
    }
    return {
        "currency": currency,
        **{name: money.major(amount, currency) for name, amount in amounts.items()},
    }


def _to_credit(db, unclaimed):
    """Return {currency: minor units to credit}.

    `unclaimed`: rows of what is billed and no longer owed.
    """
    sums = Counter()
    for id, currency, lines in credits_due(db, unclaimed):
        sums[currency] -= invoice_balance.totals_of_credit(db, id, lines, currency)["total"]
    return sums


def gross(db, terms, owed, currency):
    """Return the total of one invoice for the claims `owed`, with the tax that the rule gives it, in
    minor units of their currency.
    """
    items = [
        {
            "quantity": claim["quantity"],
            "unit_price": Decimal(claim["unit_price"]).scaleb(-money.decimals(currency)),
            **claims.tax(db, claim),
        }
        for claim in owed
    ]
    lines = invoice_lines.lines(items, currency, db.config.tax_rate, Faults())
    treated = treatments.by_rule(terms, lines)
    return invoice_lines.totals(invoice_lines.taxes(treated))["total"]
