"""Anonymity: about a contact whose personal data was taken away nothing is written down again."""
from eventapi.domain.people import contacts
from eventapi.storage.statements import statements

sql = statements("anonymity")

# What leads to a contact; nothing personal is behind an event, a booth or a service.
ABOUT_PEOPLE = frozenset(("contact", "application", "event_participant", "invoice", "payment", "submission", "booth_reservation", "service_order",
                          "check_in", "note", "document", "task"))


def refuse(db, entity_type, entity_id):
    """409 when the record is one of a contact that was anonymised, or is about one."""
    contact = entity_type in ABOUT_PEOPLE and db.one(sql.contact_behind, entity_type=entity_type, entity_id=entity_id)
    if contact:
        contacts.refuse_anonymized(contact)


def refuse_text(db, entity_type, record, body, *names):
    """The same when a body gives the record other text in one of these members; taking text away is always allowed."""
    if any(body.get(name) and body[name] != record[name] for name in names):
        refuse(db, entity_type, record["id"])
