"""Anonymity: about a contact whose personal data was taken away nothing is written down again."""
from eventapi.services import contact_book
from eventapi.statements import statements

sql = statements("anonymity")


def refuse(db, entity_type, entity_id):
    """409 when the record is one of a contact that was anonymised, or is about one."""
    contact = db.one(sql.contact_behind, entity_type=entity_type, entity_id=entity_id)
    if contact:
        contact_book.refuse_anonymized(contact)


def refuse_text(db, entity_type, record, body, *names):
    """The same when a body gives the record other text in one of these members; taking text away is always allowed."""
    if any(body.get(name) and body[name] != record[name] for name in names):
        refuse(db, entity_type, record["id"])
