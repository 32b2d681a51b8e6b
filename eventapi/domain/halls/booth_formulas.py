"""Booth formulas: creating, changing and deleting the formulas that compute prices of booths.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import formulas, pricing
from eventapi.domain.records import entities, references
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("booth_formulas")

# the prices of booths, or their breakdowns, depend on these
PRICING = (
    "expression",
    "result_type",
    "name",
)


def get(db, id):
    """Return the formula, or None."""
    return db.one(sql.get, id=id)


def create(db, fields):
    """Create a formula and return it. `fields` is a complete validated body.

    Raise 422 for an expression that cannot be parsed; 409 `duplicate` for a taken name.
    """
    _check(fields["expression"])
    _claim_name(db, fields["name"])
    formula = get(db, db.insert(sql.add, **fields, now=db.now))
    journal.created(db, entities.BOOTH_FORMULA, formula)
    return formula


def update(db, old, fields):
    """Change a formula, recompute the prices of its booths, and return it.

    `fields` holds the changed fields.

    Raise 422 for an expression that cannot be parsed, or if a booth would have no price; 409
    `duplicate` for a taken name.
    """
    id, merged = old["id"], {**old, **fields}
    _check(merged["expression"])
    _claim_name(db, merged["name"], but=id)
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.BOOTH_FORMULA, old, new)
    pricing.follow(db, db.values(sql.booths, id=id), old, new, PRICING)
    return new


def delete(db, formula):
    """Delete a formula with its documents and tasks. Raise 409 `in_use` while booths use it."""
    id = formula["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The formula cannot be deleted because it is used by {}. "
        "Change the `formula_id` of each booth first.",
    )
    cascade.delete_with(db, "booth_formula", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.BOOTH_FORMULA, formula)


def _check(expression):
    """Raise 422 for an expression that cannot be parsed."""
    try:
        formulas.parse(expression)
    except formulas.FormulaError as error:
        raise invalid_at("/expression", "formula", str(error)) from None


def _claim_name(db, name, but=None):
    """Raise 409 `duplicate` if a formula other than that with the id `but` has the name."""
    if db.value(sql.name_taken, name=name) not in (None, but):
        raise Problem(
            "duplicate", f"Another formula has the name {name}. Send another `name`.", member="name"
        )
