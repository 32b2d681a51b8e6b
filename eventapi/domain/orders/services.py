"""Services as they are answered: what their resource and the copy of an event show and journal."""
import json

from eventapi import journal, money
from eventapi.domain.orders import offers
from eventapi.domain.records import entities
from eventapi.storage.statements import statements

sql = statements("services")


def get(db, id):
    """The service with its offers, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    currency = db.config.currency
    row["base_price"] = money.major(row["base_price"], currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    row["requires_specification"] = bool(row["requires_specification"])
    row["is_active"] = bool(row["is_active"])
    if "events" in row:
        row["events"] = [offers.represent(offer, currency) for offer in json.loads(row["events"])]
    return row


def leave_event(db, event_id):
    """Takes away what is offered at an event that is about to be deleted; nothing of it is ordered."""
    for id in db.values(sql.at_event, event_id=event_id):
        old = get(db, id)
        db.run(sql.leave_event, id=id, event_id=event_id)
        db.run(sql.touch, id=id, now=db.now)
        journal.updated(db, entities.SERVICE, old, get(db, id))
