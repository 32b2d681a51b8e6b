"""Newcomers: participants whose contact is created together with them."""

from eventapi.domain.people import contacts, participants
from eventapi.errors import Faults, Problem, listed


def create(db, fields):
    """Create a contact and its participant, and return the participant.

    `fields` is a complete validated body with `contact`, the fields of a new contact. This is called
    inside a write transaction, and every refusal ends it.

    Raise 422 and 409 as `contacts.create` and `participants.create` do, and 409 `duplicate_contact`
    if a contact has the same e-mail address already.
    """
    email = fields["contact"].get("email")
    known = contacts.ids_by_email(db, email) if email else []
    contact = _contact(db, fields["contact"])
    participant = participants.create(db, {**fields, "contact_id": contact["id"]})
    # faults of the body come first, as in every request
    if known:
        raise Problem(
            "duplicate_contact",
            f"{email} is the e-mail address of {'contact' if len(known) == 1 else 'the contacts'} "
            f"{listed(known)} already. Send `contact_id` in place of `contact`, or create another contact "
            "with POST /contacts first.",
            contact_ids=known,
        )
    return participant


def _contact(db, fields):
    """Create the contact. Its faults are reported below /contact."""
    faults = Faults()
    try:
        return contacts.create(db, fields)
    except Problem as problem:
        faults.below("/contact", problem.errors or ())
        faults.raise_any()
        raise
