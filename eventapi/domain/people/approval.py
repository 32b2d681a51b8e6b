"""Approval of applications: the applicant becomes a contact and a participant of each event."""
from eventapi.domain.people import contacts, participants
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("applications")


def admit(db, application, event_ids, contact_id=None):
    """Link or create the contact, assign its categories, add it to the events, and return its id.

    Existing contacts and participants are used again. If the application has exactly one category, the participants
    get it. Call this inside a write transaction. Raise 409 `ambiguous_contact` or `anonymized`.
    """
    category_ids = db.values(sql.category_ids, id=application["id"])
    contact_id = contact_id or application["contact_id"] or contact_of(db, application, category_ids)
    contacts.assign_categories(db, contact_id, category_ids)
    for event_id in event_ids:
        participants.ensure(db, event_id=event_id, contact_id=contact_id, application_id=application["id"],
                             category_id=category_ids[0] if len(category_ids) == 1 else None)
    return contact_id


def contact_of(db, application, category_ids):
    """Return the id of the contact with the applicant's e-mail, or of a new one.

    Raise 409 `ambiguous_contact` if several have it.
    """
    known = contacts.ids_by_email(db, application["email"]) if application["email"] else []
    if len(known) > 1:
        raise Problem("ambiguous_contact",
                      f"The contacts {', '.join(map(str, known))} have the e-mail address {application['email']}. "
                      "Send the id of one of them as `contact_id`.", candidates=known)
    return known[0] if known else contacts.add(db, application, category_ids)["id"]
