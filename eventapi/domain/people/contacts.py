"""The contact book: adding, changing and finding contacts, for everyone who needs one."""
import json

from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.records import anonymity, custom_fields, entities, normalising
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("contacts")

# What a contact has when nothing else is said.
BLANK = {**dict.fromkeys((
    "customer_number", "external_id", "company_name", "first_name", "last_name", "email", "invoice_email", "phone", "fax",
    "mobile", "address", "postal_code", "city", "state", "website", "notes", "tax_id", "language")),
    "country": "DE", "rating": 3, "tags": [], "account_access_enabled": False}


def get(db, id):
    """The contact as it is answered, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    row["account_access_enabled"] = bool(row["account_access_enabled"])
    row["has_account"] = bool(row["has_account"])
    for member in {"tags", "custom_fields"} & row.keys():
        row[member] = json.loads(row[member])
    return row


def add(db, contact, category_ids=(), fields=None):
    """Adds and journals a contact; what is not sent has its default. `fields`: its custom fields, checked. Gives it as it is answered."""
    contact = {**BLANK, **{name: contact[name] for name in BLANK.keys() & contact.keys()}}
    claim(db, contact)
    contact["customer_number"] = contact["customer_number"] or _next_number(db)
    id = db.insert(sql.add, **columns(contact), now=db.now)
    _tag(db, id, contact["tags"])
    _categorize(db, id, category_ids)
    custom_fields.store(db, "contact", id, {}, fields or {})
    journal.created(db, entities.CONTACT, state(db, id))
    return get(db, id)


def add_many(db, additions):
    """Adds and journals contacts whose customer numbers and external ids are free, in few statements. Each of `additions` is the
    id that it gets (see `next_id`), what is sent, its category ids and its custom fields."""
    contacts = [{**BLANK, **{name: sent[name] for name in BLANK.keys() & sent.keys()}, "id": id} for id, sent, _, _ in additions]
    unnumbered = [contact for contact in contacts if contact["customer_number"] is None]
    for contact, number in zip(unnumbered, _next_numbers(db, len(unnumbered))):
        contact["customer_number"] = number
    db.run_many(sql.add_with_id, [{**columns(contact), "now": db.now} for contact in contacts])
    db.run_many(sql.tag, [{"contact_id": contact["id"], "tags": as_json(contact["tags"])} for contact in contacts if contact["tags"]])
    for id, _, category_ids, fields in additions:
        if category_ids:
            _categorize(db, id, category_ids)
        custom_fields.store(db, "contact", id, {}, fields or {})
    journal.created_many(db, entities.CONTACT, states(db, [contact["id"] for contact in contacts]))


def next_id(db):
    """The id that the next new contact gets; it is sure inside a write only."""
    return db.value(sql.last_id) + 1


def change(db, old, body, category_ids=None, fields=None):
    """Changes and journals a contact; `category_ids` and `fields`, its custom fields, replace those it has. Gives it as it is answered."""
    anonymity.refuse_anonymized(old)
    id, before = old["id"], state(db, old["id"])
    merged = {**old, **{name: value for name, value in body.items() if name in BLANK}}
    claim(db, merged, but=id)
    if category_ids is not None:
        db.run(sql.clear_categories, contact_id=id)
        _categorize(db, id, category_ids)
    if merged["tags"] != old["tags"]:
        db.run(sql.clear_tags, contact_id=id)
        _tag(db, id, merged["tags"])
    if merged != old:
        db.run(sql.change, **columns(merged))
    if fields is not None:
        custom_fields.store(db, "contact", id, old["custom_fields"], fields)
    if state(db, id) != before:
        db.run(sql.touch, id=id, now=db.now)
        journal.updated(db, entities.CONTACT, before, state(db, id))
    return get(db, id)


def write(db, contact):
    """Stores the members, with what is derived from them; checks and journal are the caller's."""
    db.run(sql.change, **columns(contact))
    db.run(sql.touch, id=contact["id"], now=db.now)


def remove(db, contact):
    """Deletes a contact, with its notes and tasks. Nothing else may hang on it."""
    cascade.delete_with(db, "contact", contact["id"])
    before = state(db, contact["id"])
    db.run(sql.remove, id=contact["id"])
    journal.deleted(db, entities.CONTACT, before)


def state(db, id):
    """A contact as the journal tells it, or None: with its categories, which are not part of the answer."""
    contact = get(db, id)
    return contact and {**contact, "category_keys": category_keys(db, id)}


def states(db, ids):
    """`state` of several contacts, in the order of their ids."""
    return [{**represent(row), "category_keys": json.loads(row["category_keys"])} for row in db.all(sql.states, ids=as_json(ids))]


def category_keys(db, id):
    return db.values(sql.category_keys, contact_id=id)


def assign_categories(db, contact_id, category_ids, replace=False):
    """Gives a contact categories, besides those it has or in their place."""
    ids = category_ids if replace else [*db.values(sql.category_ids, contact_id=contact_id), *category_ids]
    change(db, get(db, contact_id), {}, ids)


def ids_by_email(db, email):
    """Contacts with this e-mail address, any case; the oldest first."""
    return db.values(sql.ids_by_email, email=email)


def language(db, id):
    """The language of a contact, or None; also where there is no contact."""
    return id and db.value(sql.language, id=id)


def columns(contact):
    return {**contact, "folded_name": normalising.name(contact["company_name"], contact["postal_code"]),
            "folded_phone": normalising.phone(contact["phone"], contact["country"])}


def claim(db, contact, but=None):
    """409 when another contact has the customer number or the external id."""
    for member in ("customer_number", "external_id"):
        other = contact[member] is not None and db.value(getattr(sql, f"{member}_taken"), value=contact[member])
        if other and other != but:
            raise Problem("duplicate", f"The contact {other} has this {member.replace('_', ' ')}.", member=member,
                          contact_id=other)


def _next_number(db):
    """The next customer number that nobody took by hand."""
    while True:
        number = f"C-{db.value(sql.next_number):05}"
        if not db.value(sql.customer_number_taken, value=number):
            return number


def _next_numbers(db, size):
    """So many of them."""
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
