"""Anonymity: nothing may be written about a contact after its personal data was erased."""
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("anonymity")


def refuse_anonymized(contact):
    """Raise 409 `anonymized` if the contact, a dict with id and anonymized_at, was anonymised."""
    if contact["anonymized_at"]:
        raise Problem("anonymized", f"The contact {contact['id']} was anonymised. It cannot change.")


def refuse(db, entity_type, entity_id):
    """Raise 409 `anonymized` if the record belongs to an anonymised contact, or is about one."""
    if not entities.KINDS[entity_type].about_people:
        return
    contact = db.one(sql.contact_behind, entity_type=entity_type, entity_id=entity_id)
    if contact:
        refuse_anonymized(contact)


def refuse_text(db, entity_type, record, body, *names):
    """Do the same if the body changes the text of one of these fields. Removing text is always allowed."""
    if any(body.get(name) and body[name] != record[name] for name in names):
        refuse(db, entity_type, record["id"])
