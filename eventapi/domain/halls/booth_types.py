"""Booth types: creating, changing and deleting the kinds of booths with their prices.

Rows hold the price in minor units, the tax rate in hundredths of a percent and lengths in
millimetres. API objects (see `represent`) hold major units, percent and metres.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import booth_rows, pricing
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.amounts import check_exemption, whole
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("booth_types")

PRICING = ("price", "price_model", "open_sides")  # the prices of booths depend on these


# Reading


def get(db, id):
    """Return the booth type, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    """Turn a row into the API object, in place, and return it."""
    row["price"] = money.major(row["price"], db.config.currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    row["usual_width"] = booth_rows.metres(row["usual_width"])
    row["usual_depth"] = booth_rows.metres(row["usual_depth"])
    return row


# Writing


def create(db, fields):
    """Create a booth type and return it. `fields` is a complete validated body.

    A missing `booth_type_key` is made from the name. Raise 422 for too many decimals; 409
    `duplicate` for a taken key.
    """
    values = _columns(db, fields, fields)
    values["booth_type_key"] = slugs.new_key(
        db,
        sql.key_taken,
        "booth type",
        "booth_type_key",
        fields["booth_type_key"],
        fields["booth_type_name"],
    )
    booth_type = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.BOOTH_TYPE, booth_type)
    return booth_type


def update(db, old, fields):
    """Change a booth type, recompute the prices of its booths, and return it.

    `fields` holds the changed fields.

    Raise 422 for too many decimals, or if a booth would have no price; 409 `duplicate` for a taken
    key.
    """
    id, values = old["id"], _columns(db, {**old, **fields}, fields)
    slugs.claim_key(
        db, sql.key_taken, "booth type", "booth_type_key", values["booth_type_key"], but=id
    )
    if values != _columns(db, old, {}):
        db.run(sql.change, **values, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.BOOTH_TYPE, old, new)
    pricing.follow(db, db.values(sql.booths, id=id), old, new, PRICING)
    return new


def delete(db, booth_type):
    """Delete a booth type with its documents and tasks.

    Raise 409 `in_use` while it has booths, or while applications wish it.
    """
    id = booth_type["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The booth type cannot be deleted because it is used by {}. "
        "Change the `booth_type_id` of each booth and application first.",
    )
    cascade.delete_with(db, "booth_type", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.BOOTH_TYPE, booth_type)


def _columns(db, booth_type, sent):
    """Return the type with its price in minor units, its tax rate in hundredths of a percent and its
    lengths in millimetres. `sent` are the fields of the request.

    Raise 422 for too many decimals, half a size, and for an exempt type with a tax rate.
    """
    faults = Faults()
    values = {
        **booth_type,
        "price": whole(booth_type, "price", money.decimals(db.config.currency), faults),
        "tax_rate": whole(booth_type, "tax_rate", 2, faults),
        "usual_width": whole(booth_type, "usual_width", 3, faults),
        "usual_depth": whole(booth_type, "usual_depth", 3, faults),
    }
    if (booth_type["usual_width"] is None) != (booth_type["usual_depth"] is None):
        lacking = "usual_width" if booth_type["usual_width"] is None else "usual_depth"
        faults.add(
            f"/{lacking}",
            "required",
            "is required: a usual size has a width and a depth. Send both, or both as null",
        )
    check_exemption(booth_type, sent, faults)
    faults.raise_any()
    return values
