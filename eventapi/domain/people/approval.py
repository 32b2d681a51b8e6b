"""Approval of applications: the applicant becomes a contact and a participant of each event."""
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import custom_fields
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("applications")


def admit(db, application, event_ids, contact_id=None):
    """Link or create the contact, assign its categories, and add it to the events. Return `(contact id, skipped)`.

    Existing contacts and participants are used again. If the application has exactly one category, the participants
    get it. Contact and participants take over the custom fields that they lack; `skipped` lists the values that are
    not valid there as {target, id, field_key, code}. Call this inside a write transaction. Raise 409
    `ambiguous_contact` or `anonymized`.
    """
    category_ids = db.values(sql.category_ids, id=application["id"])
    contact_id = contact_id or application["contact_id"] or _id_by_email(db, application)
    contact_id, skipped = _contact(db, application, contact_id, category_ids)
    found = _skipped("contact", contact_id, skipped)
    for event_id in event_ids:
        participant, skipped = participants.ensure(
            db, event_id=event_id, contact_id=contact_id, application_id=application["id"],
            category_id=category_ids[0] if len(category_ids) == 1 else None, values=application["custom_fields"])
        found += _skipped("event_participant", participant["id"], skipped)
    return contact_id, found


def _contact(db, application, contact_id, category_ids):
    """Change the contact, or create one if `contact_id` is None. Return its id and the custom fields left out."""
    known = contact_id and contacts.get(db, contact_id)
    fields, skipped = custom_fields.carried_over(db, "contact", application["custom_fields"],
                                                 known["custom_fields"] if known else {})
    if known:
        contacts.assign_categories(db, contact_id, category_ids, fields=fields)
    else:
        contact_id = contacts.add(db, application, category_ids, fields)["id"]
    return contact_id, skipped


def _id_by_email(db, application):
    """Return the id of the contact with the applicant's e-mail address, or None.

    Raise 409 `ambiguous_contact` if several have it.
    """
    known = contacts.ids_by_email(db, application["email"]) if application["email"] else []
    if len(known) > 1:
        raise Problem("ambiguous_contact",
                      f"The contacts {', '.join(map(str, known))} have the e-mail address {application['email']}. "
                      "Send the id of one of them as `contact_id`.", candidates=known)
    return known[0] if known else None


def _skipped(target, id, skipped):
    return [{"target": target, "id": id, "field_key": key, "code": code} for key, code in skipped]
