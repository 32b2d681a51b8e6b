"""Dunning levels: after how many days, with which fee, interest and text an overdue invoice is
dunned.

Every function that writes is called inside a write transaction and journals the change.
"""

from decimal import Decimal

from eventapi import journal, money
from eventapi.domain.dunning import letters
from eventapi.domain.records import entities
from eventapi.errors import Faults, Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("dunning_levels")


def get(db, id):
    """Return the level, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    """Return the API object of a row: the fee in major units, the interest rate in percent."""
    return {
        **row,
        "fee": money.major(row["fee"], db.config.currency),
        "has_lump_sum": bool(row["has_lump_sum"]),
        "interest_rate": money.unscaled(row["interest_rate"], 2),
    }


def warnings(db):
    """Return the warnings of `meta`: without a level, no invoice is ever due for a letter."""
    if db.value(sql.next_level) > 1:
        return {}
    return {
        "warnings": [
            {
                "code": "no_dunning_levels",
                "detail": "No dunning level is defined, so no overdue invoice "
                "gets a letter. Create the levels with POST /invoices/dunning-levels.",
            }
        ]
    }


def create(db, fields):
    """Create a level and return it.

    `fields` is a complete validated body; a missing `level` is the next number.

    Raise 422, or 409 `duplicate`.
    """
    values = _columns(db, {**fields, "level": fields["level"] or db.value(sql.next_level)})
    _refuse_duplicate(db, values["level"])
    _check_days(db, values)
    new = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.DUNNING_LEVEL, new)
    return new


def update(db, old, fields):
    """Change a level and return it.

    `fields` holds the changed fields. Letters that were sent do not change.

    Raise as `create`.
    """
    values = _columns(db, {**old, **fields})
    if values == _columns(db, old):
        return old
    _refuse_duplicate(db, values["level"], but=old["id"])
    _check_days(db, values, but=old["id"])
    db.run(sql.change, **values, id=old["id"], now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.DUNNING_LEVEL, old, new)
    return new


def delete(db, level):
    """Delete a level. What was sent stays in the history."""
    db.run(sql.remove, id=level["id"])
    journal.deleted(db, entities.DUNNING_LEVEL, level)


def _columns(db, level):
    """Return a level as columns.

    Raise 422 for amounts with too many decimals, missing rates, unknown placeholders.
    """
    faults = Faults()
    fee = money.minor(Decimal(str(level["fee"])), db.config.currency)
    if fee is None:
        faults.add(
            "/fee",
            "decimals",
            f"must have at most {money.decimals(db.config.currency)} decimals, as "
            f"{db.config.currency} has, but is {level['fee']}",
        )
    rate = level["interest_rate"]
    scaled = rate if rate is None else money.scaled(Decimal(str(rate)), 2)
    if rate is not None and scaled is None:
        faults.add("/interest_rate", "decimals", f"must have at most 2 decimals, but is {rate}")
    elif level["interest"] == "fixed" and rate is None:
        faults.add("/interest_rate", "required", "is required if `interest` is fixed")
    elif level["interest"] != "fixed" and rate is not None:
        faults.add(
            "/interest_rate",
            "excluded",
            f"must be null if `interest` is {level['interest']}: only fixed has a rate of its own",
        )
    for name in letters.FIELDS:
        letters.check(f"/{name}", level[name], faults)
    faults.raise_any()
    plain = ("level", "name", "days", "deadline_days", "interest", *letters.FIELDS)
    return {
        **{name: level[name] for name in plain},
        "fee": fee,
        "interest_rate": scaled,
        "has_lump_sum": int(level["has_lump_sum"]),
    }


def _refuse_duplicate(db, level, but=None):
    other = db.value(sql.level_taken, level=level)
    if other and other != but:
        raise Problem(
            "duplicate",
            f"The dunning level {other} has the `level` {level} already. Send another number, "
            "or change that level.",
            member="level",
            dunning_level_id=other,
        )


def _check_days(db, values, but=None):
    """Raise 422 if the days are fewer than those of the level before it, or more than those of the
    level after it.
    """
    before, after = db.one(sql.days_beside, level=values["level"], but=but).values()
    if before and values["days"] < before:
        raise invalid_at(
            "/days",
            "order",
            f"must be at least {before}, the days of the level before it, but is {values['days']}",
        )
    if after and values["days"] > after:
        raise invalid_at(
            "/days",
            "order",
            f"must be at most {after}, the days of the level after it, but is {values['days']}",
        )
