"""Checks of VAT ids: answers of VIES or of a tax office, as the office has written them down.

A check never changes, because it is evidence (§ 18e UStG). It is erased with its contact. Every function
that writes is called inside a write transaction.
"""

import json

from eventapi import journal, times
from eventapi.domain.people import contacts
from eventapi.domain.records import anonymity, entities
from eventapi.domain.vat.buyers import MEMBERS, NORTHERN_IRELAND
from eventapi.errors import Problem, invalid_at
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.identifiers import companies

sql = statements("vat_checks")
sql_of_contacts = statements("contacts")


def of_contact(db, contact_id):
    """Return all checks of a contact, oldest first."""
    return [
        {**row, "confirmed": json.loads(row["confirmed"])}
        for row in db.all(sql.of_contact, contact_id=contact_id)
    ]


def create(db, contact, fields, admin_id):
    """Keep the answer about the present VAT id of a contact, and return the contact.

    `fields` is a complete validated body. Raise 422 for a day in the future; 409 `anonymized`, and
    `no_vat_id` if the contact has no VAT id of the EU.
    """
    today = times.today(db.config.timezone, db.now)
    day = fields["checked_on"] or today
    if day > today:
        raise invalid_at(
            "/checked_on", "future", f"must not be in the future, but is {day}; today is {today}"
        )
    anonymity.refuse_anonymized(contact)
    number = vat_id(contact)
    if number is None:
        raise Problem(
            "no_vat_id",
            f"The contact {contact['id']} has no VAT id of the EU: its `tax_id` is {contact['tax_id'] or 'empty'}. "
            "Set `tax_id` first.",
        )

    before = contacts.state(db, contact["id"])
    db.insert(
        sql.add,
        **{name: fields[name] for name in ("result", "reference", "notes")},
        confirmed=as_json(fields["confirmed"]),
        contact_id=contact["id"],
        vat_id=number,
        checked_on=day,
        admin_id=admin_id,
        now=db.now,
    )
    db.run(sql_of_contacts.touch, id=contact["id"], now=db.now)
    _journal(db, before, contacts.state(db, contact["id"]))
    return contacts.get(db, contact["id"])


def _journal(db, before, after):
    """Journal a new check. One of an earlier day changes no field of the contact."""
    if after["vat_check"] == before["vat_check"]:
        journal.acted(db, entities.CONTACT, "vat_id_checked", after)
    else:
        journal.updated(db, entities.CONTACT, before, after, action="vat_id_checked")


def vat_id(contact):
    """Return the VAT id of a contact in its canonical form if it is one of the EU, else None."""
    number = companies.vat_id_by_format(contact["tax_id"])
    is_of_eu = number is not None and number[:2] in {*MEMBERS, NORTHERN_IRELAND}
    return number if is_of_eu else None


def hand_over(db, contact_id, duplicate_id):
    """Move the checks of the duplicate to the contact. Merging journals the contact."""
    db.run(sql.hand_over, contact_id=contact_id, duplicate_id=duplicate_id)
