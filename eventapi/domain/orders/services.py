"""Services: creating, changing and deleting what an organiser sells besides space, and the events
it is offered at.

Rows hold prices in minor units and tax rates in hundredths of a percent. API objects (see
`represent`) hold major units and percent. Every function that writes is called inside a write
transaction and journals the change.
"""

import json

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.orders import offers
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.amounts import check_exemption, whole
from eventapi.domain.records.references import SERVICE_CATEGORY
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("services")


# Reading


def get(db, id):
    """Return the service with its offers, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    """Turn a row into the API object, in place, and return it."""
    currency = db.config.currency
    row["base_price"] = money.major(row["base_price"], currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    row["requires_specification"] = bool(row["requires_specification"])
    row["is_active"] = bool(row["is_active"])
    if "events" in row:
        row["events"] = [offers.represent(offer, currency) for offer in json.loads(row["events"])]
    return row


# Writing


def create(db, fields):
    """Create a service with its offers and return it. `fields` is a complete validated body.

    A missing `service_key` is made from the name. Raise 422 for unknown records, too many decimals,
    or a maximum below the minimum quantity; 409 `duplicate` for a taken key.
    """
    values, rows = _checked(db, fields, fields)
    values["service_key"] = slugs.new_key(
        db, sql.key_taken, "service", "service_key", fields["service_key"], fields["service_name"]
    )
    id = db.insert(sql.add, **values, now=db.now)
    offers.replace(db, id, rows)
    service = get(db, id)
    journal.created(db, entities.SERVICE, service)
    return service


def update(db, old, fields):
    """Change a service and return it.

    `fields` holds the changed fields; its `events` replace all offers.

    Raise 422 and 409 as `create` does, and 409 `in_use` or `out_of_stock` if orders prevent the
    change of an offer.
    """
    id = old["id"]
    values, rows = _checked(db, {**old, **fields}, fields)
    slugs.claim_key(db, sql.key_taken, "service", "service_key", values["service_key"], but=id)
    if rows is not None:
        offers.replace(db, id, rows)
    if values != _columns(db, old, Faults()) or get(db, id) != old:
        db.run(sql.change, **values, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.SERVICE, old, new)
    return new


def delete(db, service):
    """Delete a service with its offers, documents and tasks.

    Raise 409 `in_use` if it was ever ordered.
    """
    id = service["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The service cannot be deleted because it is part of {}. Set `is_active` to false instead.",
    )
    cascade.delete_with(db, "service", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.SERVICE, service)


def delete_offers_at(db, event_id):
    """Remove all offers of an event that is about to be deleted.

    The caller has checked that nothing is ordered there.
    """
    for id in db.values(sql.at_event, event_id=event_id):
        old = get(db, id)
        db.run(sql.delete_offer, id=id, event_id=event_id)
        db.run(sql.touch, id=id, now=db.now)
        journal.updated(db, entities.SERVICE, old, get(db, id))


def _checked(db, service, fields):
    """Return the service as columns, and the rows of the offers in `fields` (None if it has no
    `events`).

    Raise 422 with every fault found.
    """
    faults = Faults()
    service = {**service, **references.named(db, fields, faults, SERVICE_CATEGORY)}
    rows = None if fields.get("events") is None else offers.read(db, fields["events"], faults)
    values = _columns(db, service, faults)
    check_exemption(service, fields, faults)
    faults.raise_any()
    return values, rows


def _columns(db, service, faults):
    """Return the service without its offers, its price in minor units and its tax rate in
    hundredths of a percent.
    """
    if service["max_quantity"] is not None and service["max_quantity"] < service["min_quantity"]:
        faults.add("/max_quantity", "below_minimum", "must not be less than `min_quantity`")
    places = money.decimals(db.config.currency)
    return {
        **{name: value for name, value in service.items() if name != "events"},
        "tax_rate": whole(service, "tax_rate", 2, faults),
        "base_price": whole(service, "base_price", places, faults),
    }
