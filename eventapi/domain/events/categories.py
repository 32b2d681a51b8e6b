"""Categories: the tree of labels that contacts, applications and participants refer to.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.amounts import check_exemption, whole
from eventapi.errors import Faults, listed
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("categories")

WITHOUT_OFFICE = ("visitor", "press", "staff")  # roles that may be admitted automatically
DEEPEST = 100  # levels below the root. This bounds the depth of nested responses


# Reading


def get(db, id):
    """Return the category, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    """Turn a row into the API object, in place, and return it.

    The price is in major units, the tax rate in percent.
    """
    row["is_visible"] = bool(row["is_visible"])
    row["account_access_enabled"] = bool(row["account_access_enabled"])
    row["base_price"] = money.major(row["base_price"], db.config.currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    if "event_keys" in row:
        row["event_keys"] = json.loads(row["event_keys"])
    return row


def for_applicants(db, row):
    """Return a row of the statement `selectable_categories` as applicants read it.

    `price` (major units) and `tax_rate` (percent) are left out unless the pages of the event show
    prices.
    """
    offered = dict(row)
    shows_prices, price, rate = (offered.pop(name) for name in ("show_prices", "price", "tax_rate"))
    if shows_prices:
        offered["price"] = money.major(price, db.config.currency)
        offered["tax_rate"] = money.unscaled(rate, 2)
    return offered


# Writing


def create(db, fields):
    """Create a category and return it.

    `fields` is a complete validated body; a missing `category_key` is made from the title.

    Raise 422 for an unknown parent or event, a tree that becomes too deep, too many decimals, and
    an automatic category with another role or with a price; 409 `duplicate` for a taken key.
    """
    parent_id, event_ids = _parent_and_events(db, fields)
    values = _columns(db, {**fields, "parent_category_id": parent_id}, fields)
    values["category_key"] = slugs.new_key(
        db, sql.key_taken, "category", "category_key", fields["category_key"], fields["title"]
    )
    id = db.insert(sql.add, **values, now=db.now)
    db.run(sql.add_events, category_id=id, event_ids=as_json(event_ids))
    category = get(db, id)
    journal.created(db, entities.CATEGORY, category)
    return category


def update(db, old, fields):
    """Change a category and return it.

    `fields` holds the changed fields. Raise 422 and 409 as `create` does.
    """
    id = old["id"]
    parent_id, event_ids = _parent_and_events(db, fields, id, old["parent_category_id"])
    merged = {**old, **fields, "parent_category_id": parent_id}
    values = _columns(db, merged, fields)
    slugs.claim_key(db, sql.key_taken, "category", "category_key", merged["category_key"], but=id)
    if values != _columns(db, old, {}) or set(fields.get("event_keys", old["event_keys"])) != {
        *old["event_keys"]
    }:
        db.run(sql.change, **values, now=db.now)
    if event_ids is not None:
        db.run(sql.clear_events, category_id=id)
        db.run(sql.add_events, category_id=id, event_ids=as_json(event_ids))
    new = get(db, id)
    journal.updated(db, entities.CATEGORY, old, new)
    return new


def delete(db, category):
    """Delete a category; its children move up one level.

    Raise 409 `in_use` while other records refer to it.
    """
    id = category["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The category is assigned to {}, so it cannot be deleted. "
        "Assign another category to them first.",
    )
    for child in [get(db, child) for child in db.values(sql.children, id=id)]:
        db.run(
            sql.move_up,
            id=child["id"],
            parent_category_id=category["parent_category_id"],
            now=db.now,
        )
        journal.updated(db, entities.CATEGORY, child, get(db, child["id"]))
    cascade.delete_with(db, "category", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.CATEGORY, category)


def _columns(db, category, sent):
    """Return the category with its price in minor units and its tax rate in hundredths of a
    percent. `sent` are the fields of the request.

    Raise 422 for too many decimals, for an exempt category with a tax rate, and for an automatic
    category that needs the office.
    """
    faults, places = Faults(), money.decimals(db.config.currency)
    values = {
        **category,
        "base_price": whole(category, "base_price", places, faults),
        "tax_rate": whole(category, "tax_rate", 2, faults),
    }
    check_exemption(category, sent, faults)
    if category["approval"] == "automatic":
        if category["role"] not in WITHOUT_OFFICE:
            faults.add(
                "/role",
                "role",
                f"must be {listed(WITHOUT_OFFICE, 'or')}, because `approval` is automatic",
            )
        if category["base_price"] is not None:
            faults.add(
                "/base_price",
                "not_allowed",
                "must be null, because `approval` is automatic and nobody would bill the fee",
            )
    faults.raise_any()
    return values


def _parent_and_events(db, fields, id=None, parent_id=None):
    """Return the ids of the parent (`parent_id` if none is sent) and of the events (None if not
    sent).

    Raise 422 for unknown ones.
    """
    faults = Faults()
    event_ids = references.event_ids(db, fields, faults)
    if any(member in fields for member, _ in references.PARENT_CATEGORY[1]):
        parent_id = references.resolve(db, fields, references.PARENT_CATEGORY, faults)
        if parent_id is not None:
            member = (
                "parent_category_id" if fields.get("parent_category_id") else "parent_category_key"
            )
            _check_place(db, id, parent_id, member, faults)
    faults.raise_any()
    return parent_id, event_ids


def _check_place(db, id, parent_id, member, faults):
    """Add a fault at `member` if the parent is the category itself or below it, or if the tree
    becomes too deep.
    """
    above = db.values(sql.ancestors, id=parent_id)
    if id in above:
        faults.add(f"/{member}", "cycle", "must not be the category itself or one below it")
    elif len(above) + (db.value(sql.height, id=id) if id else 0) > DEEPEST:
        faults.add(f"/{member}", "too_deep", f"would make the tree deeper than {DEEPEST} levels")
