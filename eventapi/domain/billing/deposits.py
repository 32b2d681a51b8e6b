"""Deposits and final invoices.

A deposit (`is_deposit`) asks for money before the supply. A final invoice bills the whole supply
and names its deposits in `deposit_ids`. Sending it adds lines that deduct them: one for each
deposit and tax group, over what credit notes have left of it, with its number and tax (§ 14 (5)
UStG). From then on, the deposit can be neither credited nor cancelled.

Rows are those of `invoices`. Amounts are in minor units.
"""

import json

from eventapi import money
from eventapi.domain.billing import invoices
from eventapi.domain.billing import lines as invoice_lines
from eventapi.errors import Problem, listed
from eventapi.languages import choice, formats
from eventapi.pictures.words import of_seller
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("deposits")

SAME = {"contact_id": "buyer", "currency": "currency", "event_id": "event"}


# Drafts


def check(db, wanted, draft, lines, faults, old=None):
    """Return the column of `deposit_ids` of a draft: its ids, sorted, as JSON. Add what is wrong to
    `faults`.

    `wanted` holds the fields of the request, `draft` the columns so far, `old` the row of a changed
    draft.
    """
    ids, number = sorted(wanted.get("deposit_ids") or []), old and old["id"]
    if draft["invoice_type"] == "credit_note":
        for name in ("is_deposit", "deposit_ids"):
            if wanted.get(name):
                faults.add(f"/{name}", "not_allowed", "must not be set for a credit note")
    elif ids and draft["is_deposit"]:
        faults.add(
            "/deposit_ids",
            "not_allowed",
            "must be empty for a deposit: only a final invoice deducts deposits",
        )
    for line in lines if draft["is_deposit"] else ():
        for name in invoice_lines.REFERENCES:
            if line[name] is not None:
                faults.add(
                    f"/items/{line['position'] - 1}/{name}",
                    "not_allowed",
                    "must be null in a deposit, which "
                    "bills nothing: the final invoice bills it, and deducts the deposit",
                )
    known = {row["id"]: row for row in db.all(sql.named, ids=as_json(ids))} if ids else {}
    for place, id in enumerate(wanted.get("deposit_ids") or []):
        _check(known.get(id), id, f"/deposit_ids/{place}", draft, number, faults)
    if not faults:
        before = json.loads(old["deposit_ids"]) if old else []
        refuse_open(row for row in known.values() if row["id"] not in before)
    return as_json(ids)


def _check(deposit, id, at, draft, number, faults):
    """Add what is wrong with a deposit of a draft.

    `number` is the id of the draft, None for a new one.
    """
    if deposit is None:
        faults.add(at, "unknown", f"is unknown: no invoice has the id {id}")
    elif not deposit["is_deposit"]:
        faults.add(
            at,
            "disagrees",
            f"must be a deposit, but {deposit['invoice_number']} has `is_deposit` false",
        )
    elif not deposit["locked_at"]:
        faults.add(
            at,
            "not_sent",
            f"must be a deposit that was sent, but {deposit['invoice_number']} is a draft",
        )
    elif deposit["final_id"] not in (None, number):
        faults.add(
            at,
            "duplicate",
            f"is deducted by {deposit['final_number']} already. A deposit is deducted once",
        )
    else:
        for name, noun in SAME.items():
            if deposit[name] != draft[name]:
                faults.add(
                    at,
                    "disagrees",
                    f"must have the {noun} of the invoice, but {deposit['invoice_number']} has "
                    "another one",
                )


def refuse_open(deposits):
    """Raise 409 `deposit_open` if one of the deposits is not paid: only money that came can be
    deducted.
    """
    unpaid = [row for row in deposits if row["open_amount"] > 0 or row["status"] == "written_off"]
    if unpaid:
        numbers = listed([row["invoice_number"] for row in unpaid])
        raise Problem(
            "deposit_open",
            f"{numbers} cannot be deducted, because only what was paid can be. Record the "
            "payment, credit what will not be paid, or leave the deposit out of `deposit_ids`.",
            deposit_ids=[row["id"] for row in unpaid],
        )


def store(db, id, ids):
    """Replace the deposits of a draft. `ids` is a JSON array."""
    db.run(sql.clear, id=id)
    db.run(sql.add, id=id, ids=ids)


# Sending a final invoice


def deducted(db, row):
    """Return the row of a draft with the lines that deduct its deposits, and the taxes and totals
    with them.
    """
    ids = json.loads(row["deposit_ids"])
    if row["locked_at"] or not ids:
        return row
    seller, buyer = invoices.parties(db, row)
    language = choice.available(row["language"] or choice.choose(db.config, buyer["language"]))
    words, items = of_seller(language, seller), list(row["items"])
    for deposit in db.all(sql.named, ids=row["deposit_ids"]):
        for group in db.all(sql.left, id=deposit["id"]):
            if group["net"]:
                items.append(
                    _line(deposit, group, len(items) + 1, row["currency"], words, language)
                )
    taxes = invoice_lines.taxes(items)
    totals = invoice_lines.totals(taxes)
    return {**row, "items": items, "taxes": taxes, **totals, "open_amount": totals["total"]}


def _line(deposit, group, position, currency, words, language):
    """Return the line that deducts what is left of a tax group of a deposit.

    Its description has number and tax.
    """
    price = abs(group["net"]) * 10 ** (invoices.PLACES["unit_price"] - money.decimals(currency))
    net, tax = (
        formats.money(money.major(group[name], currency), currency, language)
        for name in ("net", "tax")
    )
    text = words["deducted"].format(
        number=deposit["invoice_number"],
        date=formats.day(deposit["issue_date"], language),
        net=net,
        vat=words["tax_rate"],
        rate=formats.percent(group["rate"] / 100, language),
        tax=tax,
    )
    shown = dict.fromkeys((*invoice_lines.TEXTS, "exemption_reason", "exemption_code"))
    return {
        **shown,
        "position": position,
        "description": text,
        "quantity": -1000 if group["net"] > 0 else 1000,
        "unit_price": price,
        "discount_percent": 0,
        "is_discount": 0,
        "tax_rate": group["rate"],
        "tax_category": group["category"],
        "exemption_reason": group["reason"],
        "exemption_code": group["reason_code"],
        "net": -group["net"],
        "deposit_id": deposit["id"],
        "place_of_supply": None,
    }


def refuse(db, row):
    """Raise 409 `deposit_open`, or `exceeds_invoice` if its deposits exceed an invoice, a row of
    `deducted`.
    """
    refuse_open(db.all(sql.named, ids=row["deposit_ids"]))
    if row["total"] < 0 and json.loads(row["deposit_ids"]):
        excess = formats.money(money.major(-row["total"], row["currency"]), row["currency"], "en")
        raise Problem(
            "exceeds_invoice",
            f"The deposits exceed the total of {row['invoice_number']} by {excess}. "
            "Credit a part of a deposit and refund it, then send the invoice.",
        )


def contradictions(db, row):
    """Yield a sentence if deposits of an invoice are not subject to VAT and the rest of it is, or the
    other way round: its tax treatment has changed since they were sent (EN 16931 BR-O-11).

    `row` is a row of `deducted`.
    """
    own = {item["tax_category"] == "O" for item in row["items"] if not item["deposit_id"]}
    other = [
        item
        for item in row["items"]
        if item["deposit_id"] and (item["tax_category"] == "O") not in own
    ]
    if other:
        numbers = listed([number for number, _ in named_in(db, {**row, "items": other})])
        yield (
            f"`deposit_ids`: {numbers} cannot be deducted from {row['invoice_number']}, because lines that are not "
            "subject to VAT (category O) cannot stand beside others, and only one of the two has them. Credit the "
            "deposit and ask for a new one, or set `tax_treatment` to that of the deposit."
        )


def named_in(db, row):
    """Return (number, date) of each deposit that lines of an invoice deduct, in their order."""
    ids = list(dict.fromkeys(item["deposit_id"] for item in row["items"] if item["deposit_id"]))
    found = db.all(sql.named, ids=as_json(ids)) if ids else []
    return [(deposit["invoice_number"], deposit["issue_date"]) for deposit in found]


# Afterwards


def deducted_ones(db, ids):
    """Return {id: number of the sent invoice that deducts it} for the deposits of a list of ids
    that are deducted.
    """
    return {
        row["deposit_id"]: row["invoice_number"]
        for row in db.all(sql.deducted_by, ids=as_json(ids))
    }


def refuse_deducted(db, id, number):
    """Raise 409 `in_use` for a credit note of a deposit that a final invoice has deducted."""
    final = deducted_ones(db, [id]).get(id)
    if final:
        raise Problem(
            "in_use",
            f"{number} cannot be credited or cancelled, because {final} deducts it. Credit "
            f"{final} instead.",
            used_by=["invoices"],
        )


def release(db, id):
    """Release the deposits of a final invoice that was credited in full, so that another one can
    deduct them.
    """
    db.run(sql.clear, id=id)


def check_deductions(db):
    """Yield a sentence for each final invoice that deducts another amount than is left of a
    deposit.
    """
    for row in db.all(sql.wrong):
        yield (
            f"{row['invoice_number']}: it deducts {row['deducted']} of {row['deposit_number']}, of which "
            f"{row['left']} is left (minor units, without tax)"
        )
