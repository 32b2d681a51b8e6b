"""Anonymity: about a contact whose personal data was taken away nothing is written down again."""
from eventapi.domain.people import contacts
from eventapi.domain.records import entities
from eventapi.storage.statements import statements

sql = statements("anonymity")


def refuse(db, entity_type, entity_id):
    """409 when the record is one of a contact that was anonymised, or is about one."""
    contact = entities.KINDS[entity_type].about_people and db.one(sql.contact_behind, entity_type=entity_type, entity_id=entity_id)
    if contact:
        contacts.refuse_anonymized(contact)


def refuse_text(db, entity_type, record, body, *names):
    """The same when a body gives the record other text in one of these members; taking text away is always allowed."""
    if any(body.get(name) and body[name] != record[name] for name in names):
        refuse(db, entity_type, record["id"])
