"""Claims: what a participant owes for fees, booths and services.

Each is invoiced once, and credited if cancelled.

The database views `claims` and `billings` hold what is owed and what is billed. Prices are net, in
minor units of the tenant's currency.
"""

from decimal import Decimal

from eventapi import money
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing.invoices import PLACES
from eventapi.errors import Faults
from eventapi.languages import choice, formats, names
from eventapi.pictures.words import WORDS
from eventapi.storage.statements import statements

sql = statements("billing")

MAX_DESCRIPTION = 1000  # characters
# one of these is set
SOURCE = (
    "fee_of_participant_id",
    "booth_reservation_id",
    "service_order_item_id",
)
NOUNS = dict(zip(SOURCE, ("participation", "booth reservation", "order item"), strict=True))


def claims(db, participant_id):
    """Return the rows of what the participant owes in the tenant's currency.

    The organiser invoices orders in another currency by hand.
    """
    return [
        claim
        for claim in in_all_currencies(db, participant_id)
        if claim["currency"] == db.config.currency
    ]


def in_all_currencies(db, participant_id):
    """Return the rows of everything that the participant owes, each with its currency."""
    return [
        {**claim, "currency": claim["currency"] or db.config.currency}
        for claim in db.all(sql.claims, id=participant_id)
    ]


def item(db, claim, language):
    """Return a claim as an item of an invoice, as a request contains it: in major units and
    percent.
    """
    unit = names.unit_of_service(claim["unit"], claim["unit_label"], language, db.config.language)
    return {
        "description": description(db, claim, language)[:MAX_DESCRIPTION],
        "quantity": claim["quantity"],
        "unit": unit,
        **tax(db, claim),
        "unit_price": Decimal(claim["unit_price"]).scaleb(-money.decimals(db.config.currency)),
        "is_generated": True,
        **{name: claim[name] for name in invoice_lines.REFERENCES},
    }


def tax(db, claim):
    """Return the tax fields of a claim as an item of an invoice has them, and its place of supply.

    What was ordered or reserved with a rate keeps it, even if its price is exempt since.
    """
    rate = db.config.tax_rate if claim["tax_rate"] is None else claim["tax_rate"]
    fields = {"tax_rate": Decimal(rate).scaleb(-2)}
    if claim["exemption_reason"] and not claim["tax_rate"]:
        fields = {
            "tax_rate": 0,
            "tax_category": "E",
            "exemption_reason": claim["exemption_reason"],
        }
    return {**fields, "place_of_supply": claim["place_of_supply"], "is_tax_typed": False}


def description(db, claim, language):
    """Return the description of an item.

    It names the event, and how the price of a booth was computed.
    """
    parts = what(claim, language), _price_of_area(db, claim, language), claim["event_title"]
    return ", ".join(filter(None, parts))


def _price_of_area(db, claim, language):
    """Return area and price per square metre of a booth if their product is what the booth costs,
    else None.
    """
    # from square millimetres
    area = Decimal((claim["width"] or 0) * (claim["depth"] or 0)).scaleb(-6)
    if not claim["price_per_m2"] or area * claim["price_per_m2"] != claim["unit_price"]:
        return None
    price = formats.money(
        money.major(claim["price_per_m2"], db.config.currency), db.config.currency, language
    )
    return WORDS[language]["area_price"].format(
        area=formats.number(area.normalize(), language), price=price
    )


def what(claim, language):
    """Return what the item is: a fee, a booth or a service."""
    words = WORDS[language]
    if claim["booth_reservation_id"]:
        width, depth = (
            formats.number(Decimal(claim[name]).scaleb(-3), language) for name in ("width", "depth")
        )
        parts = (
            words["booth"].format(number=claim["booth_number"]),
            claim["booth_type_name"],
            f"{width} × {depth} m",
        )
        return ", ".join(filter(None, parts))
    if claim["service_order_id"]:
        return f"{claim['service_name']} ({claim['order_number']})"
    return words["fee"].format(category=claim["title"])


# Drafts that no longer fit. A line is generated if billing has written it and nobody has edited it
# since.


def outdated(db, draft):
    """Return what is outdated on a draft: a dict with position, reason (a code) and detail for each
    generated line that bills another amount than its claim, or credits what is owed again. `draft`
    is a row.
    """
    generated = db.all(sql.generated_lines, id=draft["id"])
    owed = generated and by_source(db, draft)
    judge = _why_not_credited if draft["invoice_type"] == "credit_note" else _why_outdated
    found = ((line, judge(db, draft, line, owed.get(source(line)))) for line in generated)
    return [
        {"position": line["position"], "reason": why[0], "detail": why[1]}
        for line, why in found
        if why
    ]


def by_source(db, draft):
    """Return {source: claim} for what the participant of a draft owes."""
    find = claims if is_in_own_currency(db, draft) else in_all_currencies
    return {source(claim): claim for claim in find(db, draft["event_participant_id"])}


def is_in_own_currency(db, draft):
    """Return whether a draft is in the tenant's currency.

    Otherwise the organiser has converted its amounts by hand.
    """
    return draft["currency"] == db.config.currency


def source(record):
    """Return the ids of what a claim or a line bills."""
    return tuple(record[name] for name in SOURCE)


def _why_outdated(db, draft, line, claim):
    """Return (code, sentence) if a generated line no longer bills its claim, or None.

    `claim` is None if it is gone.
    """
    if claim is None:
        noun = next(NOUNS[name] for name in SOURCE if line[name] is not None)
        return (
            ("cancelled", f"The {noun} was cancelled.")
            if line["is_cancelled"]
            else ("not_owed", f"Nothing is owed for the {noun} any more.")
        )
    if line["billed_on"]:
        return "billed", f"{line['billed_on']} bills it already."
    if not is_in_own_currency(db, draft):
        return None
    if claim["booth_id"] != line["booth_id"]:
        return "moved", f"The booth reservation was moved to booth {claim['booth_number']}."
    currency, new = db.config.currency, _generated(db, claim, db.config.language)
    if new["quantity"] != line["quantity"]:
        return "quantity_changed", f"The quantity is now {formats.number(claim['quantity'], 'en')}."
    if new["unit_price"] != line["unit_price"]:
        price = money.major(claim["unit_price"], currency)
        return "repriced", f"The price is now {formats.money(price, currency, 'en')}."
    _, rate, reason, _ = invoice_lines.usual_tax(line)
    if new["tax_rate"] != rate:
        now = money.unscaled(new["tax_rate"], PLACES["tax_rate"])
        return "tax_changed", f"The tax rate is now {formats.percent(now, 'en')}."
    if draft["tax_decided_by"] == "office":
        return None
    if new["exemption_reason"] != reason:
        return "tax_changed", f"The exemption reason is now {new['exemption_reason'] or 'none'}."
    if new["place_of_supply"] != line["place_of_supply"]:
        return (
            "tax_changed",
            f"The place of supply is now {new['place_of_supply'] or 'that of the event'}.",
        )
    return None


def _why_not_credited(_db, _draft, line, claim):
    """Return (code, sentence) if a generated line credits what is owed and not billed otherwise, or
    None.
    """
    if claim and claim["booth_id"] == line["booth_id"] and not claim["is_billed"]:
        return "reinstated", "It is owed again, and must not be credited."
    return None


def refreshed(db, draft, stored):
    """Return the rows of the lines of a draft as its claims are now: rebuild the generated ones,
    and keep the others.

    `draft` is its row, `stored` are the rows of its lines. Lines that are no longer owed, or that
    another invoice bills, are left out, and so are lines that credit what is owed again. Amounts in
    another currency than the tenant's stay as they are.
    """
    if not any(line["is_generated"] for line in stored):
        return stored
    owed, party = by_source(db, draft), db.one(sql.party, id=draft["event_participant_id"])
    language = choice.choose(db.config, draft["language"], party["language"])
    generated = db.all(sql.generated_lines, id=draft["id"])
    billed = {line["position"] for line in generated if line["billed_on"]}
    same = {line["position"] for line in generated if line["costs_the_same"]}
    found = []
    for line in stored:
        claim = owed.get(source(line))
        if not line["is_generated"]:
            found.append(line)
        elif draft["invoice_type"] == "credit_note":
            found += [] if _why_not_credited(db, draft, line, claim) else [line]
        elif claim is None or line["position"] in billed:
            continue
        elif not is_in_own_currency(db, draft):
            found.append(line)
        elif (
            claim["booth_id"] == line["booth_id"]
            or line["position"] in same
            or not claim["is_billed"]
        ):
            found.append(_generated(db, claim, language))
    return [{**line, "position": place} for place, line in enumerate(found, 1)]


def _generated(db, claim, language):
    """Return the row of the line that bills a claim."""
    (line,) = invoice_lines.lines(
        [item(db, claim, language)], db.config.currency, db.config.tax_rate, Faults()
    )
    return {**line, "booth_id": claim["booth_id"]}
