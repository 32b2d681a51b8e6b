"""The lines of an invoice and their taxes: checked and rounded as EN 16931 says, half away from zero."""
from decimal import Decimal

from eventapi import money
from eventapi.domain.billing.invoices import PLACES
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("invoicing")

# What stands on the invoice where the category says enough by itself.
REASONS = {"AE": "Reverse charge", "G": "Export outside the EU", "O": "Not subject to VAT"}
BILLED = {"booth_reservation_id": sql.named_reservations, "service_order_id": sql.named_orders,
          "service_order_item_id": sql.named_order_items}
TEXTS = ("description", "unit", *BILLED, "fee_of_participant_id")


def lines(items, currency, tax_rate, faults, *, reverse_charge=False):
    """Items of a body as rows; what is wrong with them goes to `faults`. `tax_rate` (hundredths of a percent) is the
    tenant's, for items that name none; with `reverse_charge` all become AE, whatever they say."""
    rows = [_line(item, place, currency, tax_rate, faults, reverse_charge) for place, item in enumerate(items)]
    if any(row["tax_category"] == "O" for row in rows) and any(row["tax_category"] != "O" for row in rows):
        faults.add("/items", "mixed_taxes", "holds category O beside others: what is not subject to VAT stands alone")
    return rows


def _line(item, place, currency, tax_rate, faults, reverse_charge):
    at = f"/items/{place}"
    row = {"position": place + 1, **{name: item.get(name) for name in TEXTS}, **_numbers(item, at, faults)}
    row.update(_tax(item, row["tax_rate"], tax_rate, at, faults, reverse_charge))
    row["net"] = net(row, currency)
    if abs(row["net"]) >= money.LIMIT * 10 ** money.decimals(currency):
        faults.add(at, "maximum", "comes to 10^12 or more")
    return row


def _numbers(item, at, faults):
    """The numbers of an item as whole units of their last decimal; tax_rate is None where it is not said."""
    numbers = {}
    for name, places in PLACES.items():
        number = item.get(name)
        numbers[name] = None if number is None else money.scaled(Decimal(str(number)), places)
        if number is not None and numbers[name] is None:
            faults.add(f"{at}/{name}", "decimals", f"must have at most {places} decimals")
    return {**numbers, **{name: numbers[name] or 0 for name in ("quantity", "unit_price", "discount_percent")}}


def _tax(item, rate, default, at, faults, reverse_charge):
    """Category, rate and reason of an item: S where nothing is said, Z where only the rate 0 is."""
    category, reason = item.get("tax_category"), item.get("exemption_reason")
    if reverse_charge:
        of_another = category not in (None, "AE")
        return {"tax_category": "AE", "tax_rate": 0, "exemption_reason": REASONS["AE"] if of_another or not reason else reason}
    category = category or ("Z" if rate == 0 else "S")
    if category == "S":
        rate = default if rate is None else rate
        if not rate:
            faults.add(f"{at}/tax_rate", "tax_category", "must be more than 0 in category S; without tax it is Z, E, AE, G or O")
    elif rate:
        faults.add(f"{at}/tax_rate", "tax_category", f"must be 0 in category {category}")
    if category in ("S", "Z") and reason:
        faults.add(f"{at}/exemption_reason", "tax_category", f"is not for category {category}")
    if category == "E" and not reason:
        faults.add(f"{at}/exemption_reason", "required", "is required in category E: the law says why there is no tax")
    return {"tax_category": category, "tax_rate": rate or 0, "exemption_reason": reason or REASONS.get(category)}


def refuse_foreign(db, lines, participant_id, faults):
    """What lines bill must be there and be the participant's own: else it would count as billed, and nobody would pay for it."""
    for name, statement in BILLED.items():
        ids = sorted({line[name] for line in lines if line[name] is not None})
        known = {row["id"]: row for row in db.all(statement, ids=as_json(ids))} if ids else {}
        for line in lines:
            if line[name] is not None:
                _refuse_foreign(line, name, known.get(line[name]), participant_id, faults)
    for line in lines:
        if line["fee_of_participant_id"] not in (None, participant_id):
            faults.add(f"/items/{line['position'] - 1}/fee_of_participant_id", "disagrees", "is not the participant of the invoice")


def _refuse_foreign(line, name, record, participant_id, faults):
    at = f"/items/{line['position'] - 1}/{name}"
    if record is None:
        faults.add(at, "unknown", "names no record")
    elif record["event_participant_id"] != participant_id:
        faults.add(at, "disagrees", "is of another participant than the invoice" if participant_id else
                   "is of a participant: name that as event_participant_id of the invoice")
    elif record.get("service_order_id", line["service_order_id"]) != line["service_order_id"]:
        faults.add(at, "disagrees", f"is an item of the order {record['service_order_id']}: name that as service_order_id")


def net(line, currency):
    """What a line comes to, in minor units."""
    product = line["quantity"] * line["unit_price"] * (10000 - line["discount_percent"])
    return money.divided(product, 10 ** (11 - money.decimals(currency)))        # 3 + 4 + 4 decimals


def reversed_(lines):
    """The same lines the other way round, for a credit note."""
    return [{**line, "position": place, "quantity": -line["quantity"], "net": -line["net"]}
            for place, line in enumerate(lines, 1)]


def taxes(lines):
    """Tax per category and rate, on the sum of its lines."""
    groups = {}
    for line in lines:
        group = groups.setdefault((line["tax_category"], line["tax_rate"]), {"net": 0, "reasons": {}})
        group["net"] += line["net"]
        if line["exemption_reason"]:
            group["reasons"][line["exemption_reason"]] = True
    return [{"category": category, "rate": rate, "net": group["net"], "tax": money.divided(group["net"] * rate, 10000),
             "reason": "; ".join(group["reasons"]) or None} for (category, rate), group in sorted(groups.items())]


def totals(taxes):
    """subtotal, tax_total and total of an invoice with these taxes."""
    subtotal, tax_total = sum(group["net"] for group in taxes), sum(group["tax"] for group in taxes)
    return {"subtotal": subtotal, "tax_total": tax_total, "total": subtotal + tax_total}


def credited_taxes(taxes, rest):
    """Taxes of a credit note against what is left of its invoice, {(category, rate): (net, tax)}; None where it is more.

    Rounding never credits more tax than is left, and what uses up a group uses up its tax, so that the books come to zero.
    """
    credited = []
    for group in taxes:
        net_left, tax_left = rest.get((group["category"], group["rate"]), (0, 0))
        if not _is_part(-group["net"], net_left):
            return None
        tax = -tax_left if -group["net"] == net_left else -_smaller(-group["tax"], tax_left)
        credited.append({**group, "tax": tax})
    return credited


def _is_part(number, whole):
    return number == 0 or (number > 0) == (whole > 0) and abs(number) <= abs(whole)


def _smaller(number, limit):
    return number if _is_part(number, limit) else limit
