"""Contacts: the companies and people an organiser deals with.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal
from eventapi.domain.access import reach
from eventapi.domain.attachments import cascade
from eventapi.domain.people import participants
from eventapi.domain.records import anonymity, custom_fields, entities, normalising, references
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.folding import fold
from eventapi.storage.statements import columns, statements
from eventapi.validation import identifiers
from eventapi.validation.messages import actual
from eventapi.validation.schema_files import document

sql = statements("contacts")

FIELDS, PERSONAL = columns("contacts")["fields"], columns("contacts")["personal"]
# The fields that the table and contact_tags hold, and their defaults.
BLANK = {
    name: document("contact")["properties"].get(name, {}).get("default")
    for name in (*FIELDS, "tags", "account_access_enabled")
}


# Reading


def get(db, id):
    """Return the contact, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["account_access_enabled"] = bool(row["account_access_enabled"])
    row["has_account"] = bool(row["has_account"])
    row["is_business"] = None if row["is_business"] is None else bool(row["is_business"])
    row["vat_check"] = row["vat_check"] and json.loads(row["vat_check"])
    row["tags"] = sorted(json.loads(row["tags"]), key=fold)
    if "custom_fields" in row:
        row["custom_fields"] = json.loads(row["custom_fields"])
    return row


def state(db, id):
    """Return the contact as the journal keeps it, or None: with its categories, which the API
    object lacks.
    """
    contact = get(db, id)
    return contact and {**contact, "category_keys": category_keys(db, id)}


def states(db, ids):
    """Return the `state` of several contacts, in the order of their ids."""
    return [
        {**represent(row), "category_keys": json.loads(row["category_keys"])}
        for row in db.all(sql.states, ids=as_json(ids))
    ]


def category_keys(db, id):
    """Return the keys of the categories of a contact."""
    return db.values(sql.category_keys, contact_id=id)


def check(db):
    """Return a sentence for each contact whose entry in the list of duplicates is missing or wrong."""
    return [
        f"contact {id}: its entry in the list of duplicates is missing, wrong or too much"
        for id in db.values(sql.wrong_duplicates)
    ]


def ids_by_email(db, email):
    """Return the ids of the contacts with this e-mail address in any case, oldest first."""
    return db.values(sql.ids_by_email, email=email)


def language(db, id):
    """Return the language of a contact. Return None if it has none, or if `id` is None."""
    return id and db.value(sql.language, id=id)


# Writing


def create(db, fields):
    """Create a contact and a participant for each of its events, and return the contact.

    `fields` is a complete validated body. Raise 422 for unknown categories and events, and for
    faults in custom fields; 409 `duplicate` for a taken customer number or external id.
    """
    category_ids, event_ids, values = _assignments(
        db, fields, {"tax_id": None, "custom_fields": {}}
    )
    contact = add(db, fields, category_ids or (), values)
    participants.set_events(db, contact["id"], event_ids)
    return contact


def update(db, old, fields):
    """Change a contact and return it.

    `fields` holds the changed fields; its `event_keys` replace all events.

    Raise 422 and 409 as `create` does, 409 `anonymized`, and 409 `in_use` if other records refer to
    a participant that would be removed.
    """
    category_ids, event_ids, values = _assignments(db, fields, old)
    contact = change(db, old, fields, category_ids, values)
    participants.set_events(db, old["id"], event_ids)
    return contact


def delete(db, contact):
    """Delete a contact with its documents, notes and tasks.

    Raise 409 `in_use` while other records refer to it.
    """
    id = contact["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The contact has {}, so it cannot be deleted. To erase its personal "
        f"data, use POST /contacts/{id}/anonymize.",
    )
    remove(db, contact)


def add(db, contact, category_ids=(), fields=None):
    """Add a contact and return it. Fields that `contact` lacks get their defaults.

    `fields` are its checked custom fields. Raise 409 `duplicate` for a taken customer number or
    external id.
    """
    contact = {**BLANK, **{name: contact[name] for name in BLANK.keys() & contact.keys()}}
    _refuse_duplicate(db, contact)
    contact["customer_number"] = contact["customer_number"] or _next_number(db)
    contact["country"] = contact["country"] or db.config.organiser_country
    id = db.insert(sql.add, **_columns(contact), now=db.now)
    _tag(db, id, contact["tags"])
    _categorize(db, id, category_ids)
    custom_fields.store(db, "contact", id, {}, fields or {})
    journal.created(db, entities.CONTACT, state(db, id))
    return get(db, id)


def add_many(db, additions):
    """Add contacts whose customer numbers and external ids are free, in few statements.

    Each of `additions` is (id, fields, category ids, custom fields); the first id is that of
    `next_id`.
    """
    contacts = [
        {**BLANK, **{name: sent[name] for name in BLANK.keys() & sent.keys()}, "id": id}
        for id, sent, _, _ in additions
    ]
    unnumbered = [contact for contact in contacts if contact["customer_number"] is None]
    for contact, number in zip(unnumbered, _next_numbers(db, len(unnumbered)), strict=True):
        contact["customer_number"] = number
    for contact in contacts:
        contact["country"] = contact["country"] or db.config.organiser_country
    db.run_many(
        sql.add_with_id,
        [{**_columns(contact), "now": db.now, "stamp": db.stamp} for contact in contacts],
    )
    db.run_many(
        sql.tag,
        [
            {"contact_id": contact["id"], "tags": as_json(contact["tags"])}
            for contact in contacts
            if contact["tags"]
        ],
    )
    for id, _, category_ids, fields in additions:
        if category_ids:
            _categorize(db, id, category_ids)
        custom_fields.store(db, "contact", id, {}, fields or {})
    journal.created_many(db, entities.CONTACT, states(db, [contact["id"] for contact in contacts]))


def next_id(db):
    """Return the id that the next new contact gets.

    Call this inside a write transaction, or it may change.
    """
    return db.value(sql.last_id) + 1


def change(db, old, body, category_ids=None, fields=None):
    """Change a contact and return it.

    `category_ids` and `fields`, its custom fields, replace the present ones.

    Raise 409 `anonymized`, or `duplicate` for a taken customer number or external id.
    """
    anonymity.refuse_anonymized(old)
    id, before = old["id"], state(db, old["id"])
    merged = {**old, **{name: value for name, value in body.items() if name in BLANK}}
    _refuse_duplicate(db, merged, but=id)
    if category_ids is not None:
        db.run(sql.clear_categories, contact_id=id)
        _categorize(db, id, category_ids)
    if merged["tags"] != old["tags"]:
        db.run(sql.clear_tags, id=id)
        _tag(db, id, merged["tags"])
    if merged != old:
        db.run(sql.change, **_columns(merged))
        if reach.is_another(old["email"], merged["email"]):
            reach.readdress_contact(db, id, old["email"])
    if fields is not None:
        custom_fields.store(db, "contact", id, old["custom_fields"], fields)
    if state(db, id) != before:
        db.run(sql.touch, id=id, now=db.now)
        journal.updated(db, entities.CONTACT, before, state(db, id))
    return get(db, id)


def write(db, contact):
    """Store the fields and the columns derived from them.

    The caller checks and journals the change.

    It also notes another e-mail address (reach.readdress_merged).
    """
    db.run(sql.change, **_columns(contact))
    db.run(sql.touch, id=contact["id"], now=db.now)


def blank(db, id, customer_number):
    """Erase the fields of a contact, for erasing.anonymize. The contact keeps this customer number."""
    db.run(sql.blank, id=id, customer_number=customer_number, now=db.now)


def remove(db, contact):
    """Delete a contact with its documents, notes and tasks.

    The caller has checked that nothing else refers to it.
    """
    cascade.delete_with(db, "contact", contact["id"])
    before = state(db, contact["id"])
    db.run(sql.remove, id=contact["id"])
    journal.deleted(db, entities.CONTACT, before)


def assign_categories(db, contact_id, category_ids, replace=False, fields=None, is_business=None):
    """Add categories to a contact, or replace its categories.

    `fields`, its custom fields, replace the present ones. `is_business` is stored if nobody has said
    it before.
    """
    contact = get(db, contact_id)
    learned = {}
    if contact["is_business"] is None and is_business is not None:
        learned["is_business"] = is_business
    ids = (
        category_ids
        if replace
        else [*db.values(sql.category_ids, contact_id=contact_id), *category_ids]
    )
    change(db, contact, learned, ids, fields)


def _columns(contact):
    """Return the contact with the normalised phone number, by which duplicates are found.

    The statements add the normalised name and the folded texts.
    """
    return {**contact, "folded_phone": normalising.phone(contact["phone"], contact["country"])}


def _refuse_duplicate(db, contact, but=None):
    """Raise 409 `duplicate` if a contact other than `but` has the customer number or the external
    id.
    """
    for member, statement in (
        ("customer_number", sql.customer_number_taken),
        ("external_id", sql.external_id_taken),
    ):
        other = contact[member] is not None and db.value(statement, value=contact[member])
        if other and other != but:
            raise Problem(
                "duplicate",
                f"The contact {other} has the `{member}` {contact[member]} already. "
                "Send another one, or change that contact.",
                member=member,
                contact_id=other,
            )


def _assignments(db, fields, stored):
    """Return (category ids, event ids, custom fields) of a body.

    The ids are None if they were not sent.

    `stored` is the present contact. Raise 422 with every fault found.
    """
    faults = Faults()
    check_tax_id(fields, stored, faults)
    ids = references.category_ids(db, fields, faults), references.event_ids(db, fields, faults)
    values = custom_fields.checked(db, "contact", fields, stored["custom_fields"], faults)
    faults.raise_any()
    return *ids, values


def check_tax_id(fields, stored, faults):
    """Add a fault if the tax id begins as a VAT id of the EU does and is none.

    The stored one may be sent again: version 1.0 accepted any text, and programs send back what
    they have read.
    """
    text = fields.get("tax_id")
    if not text or text == stored["tax_id"]:
        return
    try:
        identifiers.tax_id(text)
    except ValueError as error:
        faults.add("/tax_id", "format", f"must be {error}{actual(text)}")


def _next_number(db):
    """Return the next customer number that is free."""
    while True:
        number = f"C-{db.value(sql.next_number):05}"
        if not db.values(sql.numbers_taken, numbers=as_json([number])):
            return number


def _next_numbers(db, size):
    """Return the next `size` customer numbers that are free."""
    numbers = []
    while missing := size - len(numbers):
        last = db.value(sql.next_numbers, size=missing)
        drawn = [f"C-{number:05}" for number in range(last - missing + 1, last + 1)]
        taken = set(db.values(sql.numbers_taken, numbers=as_json(drawn)))
        numbers += [number for number in drawn if number not in taken]
    return numbers


def _tag(db, id, tags):
    db.run(sql.tag, contact_id=id, tags=as_json(tags))


def _categorize(db, id, category_ids):
    db.run(sql.categorize, contact_id=id, ids=as_json(list(category_ids)))
