"""Merging: invoices of a contact or a participant go to the one that it is merged into.

Both functions are called inside a write transaction, and journal the change of each invoice.
"""

from eventapi import journal
from eventapi.domain.billing import invoices
from eventapi.domain.records import entities
from eventapi.storage.statements import statements

sql = statements("invoicing")


def of_contact(db, contact_id, duplicate_id):
    """Move the invoices of the duplicate to the contact."""
    for id in db.values(sql.of_contact, contact_id=duplicate_id):
        old = invoices.get(db, id)
        db.run(sql.hand_over_to_contact, id=id, contact_id=contact_id, now=db.now)
        journal.updated(db, entities.INVOICE, old, invoices.get(db, id))


def of_participant(db, kept_id, other_id):
    """Move the invoices of the participant `other_id` to `kept_id`, and the line with its fee."""
    for id in db.values(sql.of_participant, id=other_id):
        old = invoices.get(db, id)
        db.run(sql.hand_over_to_participant, id=id, participant_id=kept_id, now=db.now)
        journal.updated(db, entities.INVOICE, old, invoices.get(db, id))
    db.run(sql.hand_over_fee, id=other_id, participant_id=kept_id)
