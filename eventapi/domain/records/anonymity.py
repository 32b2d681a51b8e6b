"""Anonymity: nothing may be written about a contact after its personal data was erased."""

from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("anonymity")


def refuse_anonymized(contact):
    """Raise 409 `anonymized` if the contact, a dict with id and anonymized_at, was anonymised."""
    if contact["anonymized_at"]:
        raise Problem(
            "anonymized",
            f"The contact {contact['id']} was anonymised, so its data cannot change. "
            "Create a new contact instead.",
        )


def refuse_gone(participant):
    """Raise 409 for a participant that accepts nothing new: `anonymized` or
    `participant_cancelled`.

    `participant` is a dict with id, status, contact_id and anonymized_at.
    """
    refuse_anonymized(
        {"id": participant["contact_id"], "anonymized_at": participant["anonymized_at"]}
    )
    if participant["status"] == "cancelled":
        raise cancelled(participant["id"])


def cancelled(participant_id, **members):
    """Return the 409 Problem `participant_cancelled`. `members` are further fields of it."""
    return Problem(
        "participant_cancelled",
        f"Participant {participant_id} has cancelled. Reinstate the participation first with POST "
        f"/participants/{participant_id}/reinstate.",
        **members,
    )


def refuse(db, entity_type, entity_id):
    """Raise 409 `anonymized` if the record belongs to an anonymised contact, or is about one."""
    if not entities.KINDS[entity_type].about_people:
        return
    contact = db.one(sql.contact_behind, entity_type=entity_type, entity_id=entity_id)
    if contact:
        refuse_anonymized(contact)


def refuse_text(db, kind, record, body):
    """Raise 409 `anonymized` if the body changes the text of a personal column of an anonymised
    contact.

    Removing text is always allowed.
    """
    if any(body.get(name) and body[name] != record[name] for name in kind.personal):
        refuse(db, kind.entity_type, record["id"])
