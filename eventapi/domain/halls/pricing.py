"""Prices of booths: the fixed price, else the formula, else the price of the type.

Prices are net, in minor units of the tenant's currency. A breakdown explains each price: a dict
with `model`, `total` and what the model needs.

The result of a formula is an amount in the tenant's currency (result type `currency` or `number`),
or a percentage of the price of the booth's type (`percentage`). The price is None while the formula
depends on an unknown value: the days of an event without dates, the open sides of a booth without a
type, or the category fee and custom fields of a participant while there is no participant. The fee
of a participant without one is 0.
"""

import json
from fractions import Fraction

from eventapi import money, times
from eventapi.domain.halls import booth_rows, formulas
from eventapi.domain.halls.formulas import FormulaError, Missing
from eventapi.domain.records import custom_fields
from eventapi.errors import Faults, Problem, invalid_at
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("booths")

# variable -> what a note says that the price depends on
MISSING = {
    "category_price": "the category of the participant",
    "days": "the dates of the event, which has none",
    "open_sides": "the type of the booth, which has none",
}

UNPRICED = {"final_price": None, "is_negotiated": 0, "tax_rate": None, "price_breakdown": None}


def quote(db, booth, participant=None):
    """Return {"price", "breakdown", "tax_rate"} of the row of a booth, for the row of a participant
    or for none.

    The price is None while it depends on an unknown value, and if the booth has no price. Raise 422
    at `/booth_id` if the formula fails.
    """
    faults = Faults()
    quoted = _quoted(db, booth, participant, "/booth_id", faults)
    faults.raise_any()
    return quoted


def store_price(db, booth, at, faults):
    """Compute and store the price of a booth, and return whether it changed.

    If the formula fails, add a fault at the JSON pointer `at`. Call this inside a write
    transaction.
    """
    quoted = _quoted(db, booth, None, at, faults)
    if quoted is None:
        return False
    new = {"price": quoted["price"], "price_breakdown": as_json(quoted["breakdown"])}
    if all(booth[name] == value for name, value in new.items()):
        return False
    db.run(sql.set_price, id=booth["id"], **new, now=db.now)
    return True


def reprice(db, booth_ids, at=""):
    """Recompute the prices of booths after something that they depend on has changed, and journal
    the changes.

    Raise 422 at the JSON pointer `at`, with all booths whose formula fails. Call this inside a
    write transaction.
    """
    faults = Faults()
    for booth in booth_rows.rows(db, booth_ids):
        if store_price(db, booth, at, faults):
            booth_rows.journal_update(db, booth)
    faults.raise_any()


def follow(db, booth_ids, old, new, names):
    """Recompute the prices of booths if one of these fields of their type or formula has changed.

    Raise 422 at the first of these fields.
    """
    changed = [name for name in names if new[name] != old[name]]
    if changed:
        reprice(db, booth_ids, f"/{changed[0]}")


# Prices of reservations


def priced(db, booth, participant, negotiated=None):
    """Return the columns of the price of a reservation.

    They do not change when the price of the booth changes later.

    `negotiated` is in minor units; if it is None, compute the price. Raise 422 if no price can be
    computed.
    """
    if negotiated is None:
        price = _as_columns(quote(db, booth, participant))
        refuse_unpriced(price, booth["booth_number"])
        return price
    breakdown = {"model": "negotiated", "total": money.major(negotiated, db.config.currency)}
    return {
        "final_price": negotiated,
        "is_negotiated": 1,
        "tax_rate": booth_rows.tax_rate(db, booth),
        "price_breakdown": as_json(breakdown),
    }


def _as_columns(quoted):
    """Return the result of `quote` as columns of a reservation."""
    return {
        "final_price": quoted["price"],
        "is_negotiated": 0,
        "tax_rate": quoted["tax_rate"],
        "price_breakdown": as_json(quoted["breakdown"]),
    }


def refuse_unpriced(price, booth_number, remedy="Set a price on the booth, or send `final_price`"):
    """Raise 422 if `price`, columns of a reservation, holds no price.

    The error names the reason and the remedy.
    """
    if price["final_price"] is None:
        note = json.loads(price["price_breakdown"] or "{}").get("note") or "It must be negotiated."
        raise invalid_at(
            "/final_price",
            "required",
            f"is required: booth {booth_number} has no price. {note.rstrip('.')}. {remedy}",
        )


def offered(db, booth, participant):
    """Return the columns of the computed price of a booth that is offered to its waiting list.

    If the formula fails, return columns without a price instead of raising: the end of the previous
    hold must not fail because of it.
    """
    try:
        return _as_columns(quote(db, booth, participant))
    except Problem as problem:
        note = problem.errors[0]["detail"]
        return {**UNPRICED, "price_breakdown": as_json({"model": "none", "note": note})}


# Computation


def _quoted(db, booth, participant, at, faults):
    """Return what `quote` does.

    If the formula fails, add a fault at the JSON pointer `at` and return None.
    """
    try:
        price, breakdown = _price(db, booth, participant)
        if price is not None and not 0 <= price < money.LIMIT * 10 ** money.decimals(
            db.config.currency
        ):
            raise _Impossible(
                "the price would be negative" if price < 0 else "the price would be 10^12 or more"
            )
    except (FormulaError, _Impossible) as error:
        faults.add(
            at, "impossible_price", f"booth {booth['booth_number']} would have no price: {error}"
        )
        return None
    return {
        "price": price,
        "breakdown": {**breakdown, "total": money.major(price, db.config.currency)},
        "tax_rate": booth_rows.tax_rate(db, booth),
    }


class _Impossible(Exception):
    """The computed price is out of range. The text says why."""


def _price(db, booth, participant):
    """Return (minor units or None, breakdown without `total`)."""
    if booth["fixed_price"] is not None:
        return booth["fixed_price"], {"model": "fixed_price"}
    if booth["formula_id"] is not None:
        return _by_formula(db, booth, participant)
    if booth["booth_type_id"] is not None:
        return _by_type(db, booth)
    return None, {"model": "none", "note": "The booth has no fixed price, no formula and no type."}


def _by_type(db, booth):
    """Return the price of the booth's type in minor units, and its breakdown."""
    breakdown = {
        "model": booth["price_model"],
        "unit_price": money.major(booth["type_price"], db.config.currency),
    }
    price = price_of(booth["price_model"], booth["type_price"], booth["width"], booth["area"])
    if booth["price_model"] == "per_m2":
        return price, {**breakdown, "area": money.unscaled(booth["area"], 6)}
    if booth["price_model"] == "per_front_m":
        return price, {**breakdown, "front": booth_rows.metres(booth["width"])}
    return price, breakdown


def price_of(model, unit_price, width, area):
    """Return the price of a booth by the model of its type, in minor units.

    `width` is in millimetres, `area` in square millimetres.
    """
    if model == "per_m2":
        return money.divided(unit_price * area, 10**6)
    if model == "per_front_m":
        return money.divided(unit_price * width, 10**3)
    return unit_price


def _by_formula(db, booth, participant):
    """Return the price by the booth's formula in minor units or None, and its breakdown.

    Raise FormulaError.
    """
    variables = formulas.variables(formulas.parse(booth["expression"]))
    values = {**_values(db, booth, participant), **_fields(db, participant, variables)}
    used = sorted(variables & values.keys())
    breakdown = {
        "model": "formula",
        "formula": booth["formula_name"],
        "expression": booth["expression"],
        "result_type": booth["result_type"],
        "values": {name: as_number(values[name]) for name in used},
    }
    try:
        result = formulas.evaluate(booth["expression"], values)
    except Missing as missing:
        needed = MISSING.get(missing.name, f"{{{missing.name}}}, which is not known")
        return None, {**breakdown, "note": f"The price depends on {needed}."}
    if booth["result_type"] == "percentage" and booth["booth_type_id"] is None:
        return None, {
            **breakdown,
            "note": "The formula computes a percentage of the price of the booth's type. "
            "The booth has no type.",
        }
    if booth["result_type"] == "percentage":
        base, by_type = _by_type(db, booth)
        breakdown = {**breakdown, "percent": as_number(result), "of": by_type}
        amount = result * base / 100
    else:
        amount = result * 10 ** money.decimals(db.config.currency)
    return int(formulas.rounded(amount, 0)), breakdown


def as_number(fraction):
    """Return the fraction as a number for JSON."""
    return int(fraction) if fraction == int(fraction) else float(fraction)


def _values(db, booth, participant):
    """Return {variable: value} for the known variables of a formula."""
    values = {
        "booth_size": Fraction(booth["area"], 10**6),
        "booth_width": Fraction(booth["width"], 1000),
        "booth_depth": Fraction(booth["depth"], 1000),
        "quantity": 1,
        "open_sides": booth["open_sides"],
        "days": _days(booth),
        "category_price": participant and _category_price(db, participant),
    }
    return {name: value for name, value in values.items() if value is not None}


def _fields(db, participant, variables):
    """Return {`field:KEY`: value} for the custom fields of the participant, or else of its contact."""
    keys = [name.removeprefix("field:") for name in variables if name.startswith("field:")]
    if not (participant and keys):
        return {}
    entities = [["event_participant", participant["id"]], ["contact", participant["contact_id"]]]
    return {
        f"field:{key}": value
        for key, value in custom_fields.for_formulas(db, entities, keys).items()
    }


def _days(booth):
    """Return the number of days of the event in its own time zone, or None if it has no dates."""
    first = times.local_date(booth["date_from"], booth["timezone"])
    last = times.local_date(booth["date_to"] or booth["date_from"], booth["timezone"])
    return first and times.days_between(first, last) + 1


def _category_price(db, participant):
    """Return the fee of the participant's category in major units, or 0."""
    price = participant["category_id"] and db.value(
        sql.category_price, id=participant["category_id"]
    )
    return Fraction(price or 0, 10 ** money.decimals(db.config.currency))
