"""What a booth costs: its fixed price, else its formula, else its type. Net, in minor units, told with how it came about.

A formula gives an amount in the tenant's currency (`currency`, `number`), or percents of what the booth's type asks (`percentage`).
What a formula needs and nobody knows leaves the price open: the days of an event without dates, the open sides of a booth without
a type, the participant's category fee and custom fields as long as there is no participant (of one without a fee it is 0).
"""
from fractions import Fraction

from eventapi import money, times
from eventapi.domain.halls import booth_rows, formulas
from eventapi.domain.halls.formulas import FormulaError, Missing
from eventapi.domain.records import custom_fields
from eventapi.errors import Faults
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("booths")

MISSING = {"category_price": "the category of the participant", "days": "the dates of the event, which has none",
           "open_sides": "the type of the booth, which has none"}


def quote(db, booth, participant=None):
    """{"price", "breakdown", "tax_rate"} of a booth, for a participant where one is given. The price is None while it is open.

    422 at /booth_id where the formula gives no price.
    """
    faults = Faults()
    quoted = _quoted(db, booth, participant, "/booth_id", faults)
    faults.raise_any()
    return quoted


def settle(db, booth, at, faults):
    """Stores what the booth costs now; where there can be no price, a fault at the pointer says why. Gives whether it changed."""
    quoted = _quoted(db, booth, None, at, faults)
    if quoted is None:
        return False
    new = {"price": quoted["price"], "price_breakdown": as_json(quoted["breakdown"])}
    if all(booth[name] == value for name, value in new.items()):
        return False
    db.run(sql.set_price, id=booth["id"], **new, now=db.now)
    return True


def reprice(db, booth_ids, at=""):
    """Computes the prices of booths anew, after what they depend on has changed; 422 at the pointer names all that can have none."""
    faults = Faults()
    for booth in booth_rows.rows(db, booth_ids):
        if settle(db, booth, at, faults):
            booth_rows.journal_update(db, booth)
    faults.raise_any()


def _quoted(db, booth, participant, at, faults):
    try:
        price, breakdown = _price(db, booth, participant)
        if price is not None and not 0 <= price < money.LIMIT * 10 ** money.decimals(db.config.currency):
            raise _Impossible("the price would be negative" if price < 0 else "the price would be 10^12 or more")
    except (FormulaError, _Impossible) as error:
        faults.add(at, "impossible_price", f"booth {booth['booth_number']} would have no price: {error}")
        return None
    return {"price": price, "breakdown": {**breakdown, "total": money.major(price, db.config.currency)},
            "tax_rate": booth_rows.tax_rate(db, booth)}


class _Impossible(Exception):
    """A price that cannot be asked, and why."""


def _price(db, booth, participant):
    """(minor units or None, how they came about)."""
    if booth["fixed_price"] is not None:
        return booth["fixed_price"], {"model": "fixed_price"}
    if booth["formula_id"] is not None:
        return _by_formula(db, booth, participant)
    if booth["booth_type_id"] is not None:
        return _by_type(db, booth)
    return None, {"model": "none", "note": "The booth has no fixed price, no formula and no type."}


def _by_type(db, booth):
    told = {"model": booth["price_model"], "unit_price": money.major(booth["type_price"], db.config.currency)}
    if booth["price_model"] == "per_m2":
        return money.divided(booth["type_price"] * booth["area"], 10 ** 6), {**told, "area": money.unscaled(booth["area"], 6)}
    if booth["price_model"] == "per_front_m":
        price = money.divided(booth["type_price"] * booth["width"], 10 ** 3)
        return price, {**told, "front": booth_rows.metres(booth["width"])}
    return booth["type_price"], told


def _by_formula(db, booth, participant):
    variables = formulas.variables(formulas.parse(booth["expression"]))
    values = {**_values(db, booth, participant), **_fields(db, participant, variables)}
    used = sorted(variables & values.keys())
    told = {"model": "formula", "formula": booth["formula_name"], "expression": booth["expression"],
            "result_type": booth["result_type"], "values": {name: as_number(values[name]) for name in used}}
    try:
        result = formulas.evaluate(booth["expression"], values)
    except Missing as missing:
        needed = MISSING.get(missing.name, f"{{{missing.name}}}, which is not known")
        return None, {**told, "note": f"The price depends on {needed}."}
    if booth["result_type"] == "percentage" and booth["booth_type_id"] is None:
        return None, {**told, "note": "The formula gives percents of what the type of the booth asks, and it has none."}
    if booth["result_type"] == "percentage":
        base, by_type = _by_type(db, booth)
        told, amount = {**told, "percent": as_number(result), "of": by_type}, result * base / 100
    else:
        amount = result * 10 ** money.decimals(db.config.currency)
    return int(formulas.rounded(amount, 0)), told


def as_number(fraction):
    """As JSON has it."""
    return int(fraction) if fraction == int(fraction) else float(fraction)


def _values(db, booth, participant):
    """What the variables of a formula stand for, as far as it is known."""
    values = {"booth_size": Fraction(booth["area"], 10 ** 6), "booth_width": Fraction(booth["width"], 1000),
              "booth_depth": Fraction(booth["depth"], 1000), "quantity": 1, "open_sides": booth["open_sides"],
              "days": _days(booth), "category_price": participant and _category_price(db, participant)}
    return {name: value for name, value in values.items() if value is not None}


def _fields(db, participant, variables):
    """The custom fields that a formula asks for, {field:KEY}: of the participant, else of its contact."""
    keys = [name.removeprefix("field:") for name in variables if name.startswith("field:")]
    if not (participant and keys):
        return {}
    entities = [["event_participant", participant["id"]], ["contact", participant["contact_id"]]]
    return {f"field:{key}": value for key, value in custom_fields.for_formulas(db, entities, keys).items()}


def _days(booth):
    """How many days the event has in its own zone; None without dates."""
    first = times.local_day(booth["date_from"], booth["timezone"])
    last = times.local_day(booth["date_to"] or booth["date_from"], booth["timezone"])
    return first and times.days_between(first, last) + 1


def _category_price(db, participant):
    price = participant["category_id"] and db.value(sql.category_price, id=participant["category_id"])
    return Fraction(price or 0, 10 ** money.decimals(db.config.currency))
