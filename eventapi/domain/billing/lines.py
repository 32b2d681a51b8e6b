"""Lines of an invoice and their taxes, computed as EN 16931 says and rounded half away from zero.

The row of a line holds its numbers as integers with the decimals in `invoices.PLACES`, and `net` in
minor units. Where the tax treatment of the invoice gives a line another tax (see `treatments`), its
columns `usual_…` hold the tax that it has without it, or None. The row of a tax group has category,
rate (hundredths of a percent), net, tax (minor units), reason and reason_code.
"""

from decimal import Decimal

from eventapi import money
from eventapi.domain.billing.invoices import PLACES
from eventapi.domain.einvoices import exemptions
from eventapi.pictures.words import REASONS
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("invoicing")

BILLED = {
    "booth_reservation_id": sql.billed_reservations,
    "service_order_id": sql.billed_orders,
    "service_order_item_id": sql.billed_order_items,
}
TEXTS = ("description", "unit", "place_of_supply", *BILLED, "fee_of_participant_id")
REFERENCES = (*BILLED, "fee_of_participant_id")
AMOUNTS = ("quantity", "unit_price", "discount_percent")
TAX = ("tax_category", "tax_rate", "exemption_reason", "exemption_code")
NO_USUAL_TAX = {f"usual_{name}": None for name in TAX}
# columns of a new line
NEW = {"booth_id": None, "is_generated": 0, "is_tax_typed": 0, **NO_USUAL_TAX}


def lines(items, currency, tax_rate, faults):
    """Return the items of a body as rows of lines, with their usual tax. Add what is wrong with them
    to `faults`.

    `tax_rate` (hundredths of a percent) is the default rate of the tenant.
    """
    return [_line(item, place, currency, tax_rate, faults) for place, item in enumerate(items)]


def check_mixed(rows, faults):
    """Add a fault if lines that are not subject to VAT stand beside others (EN 16931 BR-O-11)."""
    categories = {row["tax_category"] for row in rows}
    if "O" in categories and len(categories) > 1:
        faults.add(
            "/items",
            "mixed_taxes",
            "must not contain category O (not subject to VAT) together with other categories. Write two invoices, "
            "or set `tax_treatment`. POST /invoices/{id}/refresh divides a draft whose tax the rule has decided",
        )


def check_discounts(rows, faults, *, is_credit_note=False):
    """Add a fault for each discount on the whole invoice that is none: it has a negative quantity,
    on a credit note a positive one. An invoice with nothing but discounts is at fault as well (EN
    16931 BR-16).
    """
    sign, word = (1, "positive") if is_credit_note else (-1, "negative")
    for row in rows:
        if not row["is_discount"]:
            continue
        at = f"/items/{row['position'] - 1}"
        if row["quantity"] * sign <= 0:
            faults.add(
                f"{at}/quantity", "discount", f"must be {word} for an item with `is_discount`"
            )
        if row["discount_percent"]:
            faults.add(
                f"{at}/discount_percent", "discount", "must be 0 for an item with `is_discount`"
            )
    if all(row["is_discount"] for row in rows):
        faults.add("/items", "discount", "must contain an item that is not a discount")


def _line(item, place, currency, tax_rate, faults):
    """Return the item at the index `place` as the row of a line."""
    at = f"/items/{place}"
    row = {**NEW, "position": place + 1}
    for name in TEXTS:
        row[name] = item.get(name)
    row.update(numbers(item, at, faults))
    row["is_generated"] = int(item.get("is_generated", False))  # never part of a request
    row["is_tax_typed"] = int(is_tax_typed(item))
    row["is_discount"] = int(bool(item.get("is_discount")))
    row["deposit_id"] = None
    row.update(_tax(item, row["tax_rate"], tax_rate, at, faults))
    row["net"] = net(row, currency)
    if abs(row["net"]) >= money.LIMIT * 10 ** money.decimals(currency):
        faults.add(at, "maximum", "must have a net amount of less than 10^12")
    return row


def numbers(item, at, faults):
    """Return the numbers of an item as integers with the decimals in PLACES. `tax_rate` is None if
    it is not sent.
    """
    found = {}
    for name, places in PLACES.items():
        number = item.get(name)
        if number is None:
            found[name] = None
            continue
        found[name] = money.scaled(Decimal(str(number)), places)
        if found[name] is None:
            faults.add(
                f"{at}/{name}", "decimals", f"must have at most {places} decimals, but is {number}"
            )
    for name in AMOUNTS:
        found[name] = found[name] or 0
    return found


def is_tax_typed(item):
    """Return whether a request contains the tax of an item.

    Billing says `is_tax_typed` of the items that it writes, and of the lines that stay as they are.
    """
    if "is_tax_typed" in item:
        return item["is_tax_typed"]
    return item.get("tax_category") is not None or item.get("tax_rate") is not None


def _tax(item, rate, default, at, faults):
    """Return category, rate, reason and code of an item.

    Without a category, it is Z if the rate is 0, otherwise S.
    """
    category = item.get("tax_category")
    reason = item.get("exemption_reason")
    code = item.get("exemption_code")
    if not category:
        category = "Z" if rate == 0 else "S"
    is_rate_sent = rate is not None
    if category == "S" and not is_rate_sent:
        rate = default
    if category == "S" and not rate and not is_rate_sent:
        faults.add(
            f"{at}/tax_rate",
            "required",
            "is required, because the option `tax_rate` has no rate for it: organiser_country has no standard rate "
            "here, or the option is 0. Send the rate of the item; for an item without tax, category Z, E, AE, G, K or "
            "O; or set the option in the settings",
        )
    elif category == "S" and not rate:
        faults.add(
            f"{at}/tax_rate",
            "tax_category",
            "must be more than 0 in category S. For an item without tax, send category Z, E, AE, G, K or O",
        )
    if category != "S" and rate:
        faults.add(
            f"{at}/tax_rate",
            "tax_category",
            f"must be 0 in category {category}. Send 0, or category S",
        )

    if category in ("S", "Z") and reason:
        faults.add(f"{at}/exemption_reason", "tax_category", f"must be null in category {category}")
    if category == "E" and not reason:
        faults.add(
            f"{at}/exemption_reason",
            "required",
            "is required in category E: an invoice must state why it has no tax",
        )
    if code and exemptions.category_of(code) != category:
        faults.add(
            f"{at}/exemption_code",
            "tax_category",
            f"must be null or a VATEX code of category {category}, but is {code}",
        )
    return taxed(category, rate or 0, reason, code)


def taxed(category, rate=0, reason=None, code=None):
    """Return the columns TAX of a line. What is None of reason and code is that of the category."""
    return {
        "tax_category": category,
        "tax_rate": rate,
        "exemption_reason": reason or REASONS.get(category),
        "exemption_code": code or exemptions.code(category),
    }


def usual_tax(line):
    """Return [category, rate, reason, code] of a line as they are without the treatment of its
    invoice.
    """
    prefix = "usual_" if line["usual_tax_category"] else ""
    return [line[f"{prefix}{name}"] for name in TAX]


def with_tax(line, category, reason=None, code=None):
    """Return a line that has its usual tax, with this category and the rate 0 instead.

    A line that has the category already keeps its own reason.
    """
    if line["tax_category"] == category:
        reason = line["exemption_reason"]
        code = line["exemption_code"]
    usual = {f"usual_{name}": line[name] for name in TAX}
    return {**line, **usual, **taxed(category, 0, reason, code)}


def without_treatment(line):
    """Return a stored line with its usual tax."""
    if line["usual_tax_category"] is None:
        return line
    usual = dict(zip(TAX, usual_tax(line), strict=True))
    return {**line, **usual, **NO_USUAL_TAX}


def check_billed_records(db, lines, participant_id, faults, old=None):
    """Add a fault for each line that bills an unknown record, or one of another participant than
    the invoice.

    Otherwise the record would count as billed although its participant never gets the invoice. The
    row `old` of the stored invoice may bill the fee of a participant that was merged into its own:
    such a fee may stay.
    """
    for name, statement in BILLED.items():
        ids = sorted({line[name] for line in lines if line[name] is not None})
        if not ids:
            continue
        records = {row["id"]: row for row in db.all(statement, ids=as_json(ids))}
        for line in lines:
            if line[name] is not None:
                _check_billed_record(line, name, records.get(line[name]), participant_id, faults)

    allowed = {None, participant_id}
    if old and old["event_participant_id"] == participant_id:
        allowed.update(line["fee_of_participant_id"] for line in old["items"])
    for line in lines:
        if line["fee_of_participant_id"] not in allowed:
            faults.add(
                f"/items/{line['position'] - 1}/fee_of_participant_id",
                "disagrees",
                "must be the participant of the invoice",
            )


def _check_billed_record(line, name, record, participant_id, faults):
    """Add a fault to the field `name` unless `record` belongs to the participant and the order of
    the line.
    """
    at = f"/items/{line['position'] - 1}/{name}"
    if record is None:
        noun = name.removesuffix("_id").replace("_", " ")
        faults.add(at, "unknown", f"is unknown: no {noun} has the id {line[name]}")
    elif not participant_id:
        faults.add(
            at,
            "disagrees",
            "belongs to a participant: send `event_participant_id` with the invoice",
        )
    elif record["event_participant_id"] != participant_id:
        faults.add(at, "disagrees", "must belong to the participant of the invoice")
    elif record.get("service_order_id", line["service_order_id"]) != line["service_order_id"]:
        order_id = record["service_order_id"]
        faults.add(
            at,
            "disagrees",
            f"is an item of the order {order_id}: send this id as `service_order_id`",
        )


def net(line, currency):
    """Return the net amount of a line in minor units."""
    product = line["quantity"] * line["unit_price"] * (10000 - line["discount_percent"])
    # 3 + 4 + 4 decimals of the factors
    return money.divided(product, 10 ** (11 - money.decimals(currency)))


def negated(lines):
    """Return the lines with negative quantities and amounts, for a credit note."""
    return [
        {**line, "position": place, "quantity": -line["quantity"], "net": -line["net"]}
        for place, line in enumerate(lines, 1)
    ]


def taxes(lines):
    """Return the tax groups: one for each category and rate, with the tax on the sum of its lines."""
    groups = {}
    for line in lines:
        key = line["tax_category"], line["tax_rate"]
        group = groups.setdefault(key, {"net": 0, "reasons": {}, "codes": set()})
        group["net"] += line["net"]
        group["codes"].add(line["exemption_code"])
        if line["exemption_reason"]:
            group["reasons"][line["exemption_reason"]] = True
    return [
        {
            "category": category,
            "rate": rate,
            "net": group["net"],
            "tax": money.tax(group["net"], rate),
            "reason": "; ".join(group["reasons"]) or None,
            "reason_code": _only(group["codes"], category),
        }
        for (category, rate), group in sorted(groups.items())
    ]


def _only(codes, category):
    """Return the code that all lines of a tax group have.

    If they differ, that of the category, or None.
    """
    if len(codes) > 1:
        return exemptions.code(category)
    (code,) = codes
    return code


def totals(taxes):
    """Return subtotal, tax_total and total of an invoice with these tax groups, in minor units."""
    subtotal = sum(group["net"] for group in taxes)
    tax_total = sum(group["tax"] for group in taxes)
    return {"subtotal": subtotal, "tax_total": tax_total, "total": subtotal + tax_total}


def credited_taxes(taxes, rest, *, is_exact_at_rest=False):
    """Return the tax groups of a credit note, fitted to what is left of its invoice, or None if
    they exceed it.

    `rest` is {(category, rate): (net, tax)}. Rounding never credits more tax than is left. A credit
    note for the whole rest of a group also credits the whole rest of its tax, so that nothing
    remains.

    With `is_exact_at_rest`, the tax that is left is that of the net amount that is left. In a
    currency without decimals, the tax of the last of several credit notes would otherwise differ by
    more than 1 from its net amount, which EN 16931 forbids (BR-S-09).
    """
    credited = []
    for group in taxes:
        net_left, tax_left = rest.get((group["category"], group["rate"]), (0, 0))
        if not _is_part(-group["net"], net_left):
            return None

        tax = -group["tax"]
        if is_exact_at_rest:
            tax = tax_left - money.tax(net_left + group["net"], group["rate"])
        if -group["net"] == net_left:
            tax = tax_left
        else:
            tax = _smaller(tax, tax_left)
        credited.append({**group, "tax": -tax})
    return credited


def _is_part(number, whole):
    """Return whether `number` lies between 0 and `whole`, which may be negative."""
    return number == 0 or ((number > 0) == (whole > 0) and abs(number) <= abs(whole))


def _smaller(number, limit):
    return number if _is_part(number, limit) else limit
