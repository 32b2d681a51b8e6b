"""Applications: requests to take part in events, and the decisions on them.

On approval, the applicant becomes a contact and a participant of each event.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal, money
from eventapi.domain.access import reach
from eventapi.domain.attachments import cascade
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import anonymity, custom_fields, entities, references
from eventapi.domain.records.references import BOOTH_TYPE, CONTACT
from eventapi.errors import Faults, Problem, listed, quoted
from eventapi.names import full_name
from eventapi.states import Transitions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("applications")

OPEN = ("new", "in_review", "waitlisted", "info_requested")
TRANSITIONS = Transitions(
    "application",
    {
        "review": (("new", "info_requested"), "in_review"),
        "approve": (("new", "in_review", "waitlisted"), "approved"),
        "reject": (("new", "in_review", "waitlisted"), "rejected"),
        "waitlist": (("new", "in_review"), "waitlisted"),
        "request-info": (("in_review",), "info_requested"),
        "answer": (("info_requested",), "in_review"),
        "withdraw": (OPEN, "withdrawn"),
    },
    {"review": "reviewed", "answer": "answered"},
)
# the booth type that a form names: one that it offers
FORM_TYPE = (
    "booth_type_id",
    (("booth_type_id", sql.offered_type_by_id), ("booth_type_key", sql.offered_type_by_key)),
)
INTERNAL = {"notes": None, "rating": 3}  # fields that a form may not send -> their defaults
PEOPLE = ("visitor", "press", "staff", "speaker")  # roles of a person, not of a company
# an application has at least one of them
NAMES = (
    "company_name",
    "first_name",
    "last_name",
    "email",
)


# Reading


def get(db, id):
    """Return the application, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it.

    The requested area is in square metres.
    """
    row["late"] = bool(row["late"])
    row["is_business"] = None if row["is_business"] is None else bool(row["is_business"])
    row["requested_area"] = money.unscaled(row["requested_area"], 3)
    for member in {"event_keys", "category_keys", "custom_fields"} & row.keys():
        row[member] = json.loads(row[member])
    return row


# Writing


def create(db, fields, *, by_form=False, asked=None):
    """Create an application and return it.

    `fields` is a complete validated body. With `by_form`, the key is that of a form on a web page,
    which everybody can
    read: internal fields, and custom fields and categories that applicants cannot choose, do not exist for it. `asked`
    are the keys of the custom fields that the form asks for, None for all.

    Raise 422 for faults in the fields or unknown events, categories and custom fields; 409
    `deadline_passed`, or `duplicate` for an open application with the same e-mail and event.
    """
    fields = {**fields, "country": fields["country"] or db.config.organiser_country}
    event_ids, category_ids, values = _check(
        db, fields, {**fields, "custom_fields": {}}, {"tax_id": None}, by_form, asked
    )
    fields["booth_type_id"] = _booth_type_id(db, fields)
    _refuse_late(db, fields, event_ids)
    _refuse_second(db, fields, event_ids)
    id = db.insert(sql.add, **_columns(fields), now=db.now)
    _assign(db, id, event_ids, category_ids)
    custom_fields.store(db, "application", id, {}, values)
    application = get(db, id)
    journal.created(db, entities.APPLICATION, application)
    return application


def check_form(db, fields, asked=None):
    """Raise 422 or 409 as `create` does with `by_form`, but for `duplicate`: a form must not tell
    who has applied.
    """
    event_ids, _, _ = _check(
        db, fields, {**fields, "custom_fields": {}}, {"tax_id": None}, True, asked
    )
    _refuse_late(db, fields, event_ids)


def update(db, old, fields):
    """Change an application and return it.

    `fields` holds the changed fields. Another e-mail address ends the links to the old one
    (reach.py, R6). Raise 422 and 409 as `create` does, and 409 `anonymized`.
    """
    id = old["id"]
    merged = {**old, **fields, "custom_fields": old["custom_fields"]}
    event_ids, category_ids, values = _check(db, fields, merged, old)
    if {"booth_type_id", "booth_type_key"} & fields.keys():
        merged["booth_type_id"] = _booth_type_id(db, fields)
    known = db.values(sql.event_ids, id=id)
    _refuse_late(db, merged, set(event_ids or ()).difference(known))
    if old["status"] in OPEN:
        _refuse_second(db, merged, event_ids or known)
    if merged != old or values != old["custom_fields"]:
        anonymity.refuse(db, "application", id)
        db.run(sql.change, **_columns(merged))
        if reach.is_another(old["email"], merged["email"]):
            reach.readdress_application(db, old, merged["email"])
    _assign(db, id, event_ids, category_ids)
    custom_fields.store(db, "application", id, old["custom_fields"], values)
    if get(db, id) != old:
        db.run(sql.touch, id=id, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.APPLICATION, old, new)
    return new


def delete(db, application):
    """Delete an application with its documents, notes and tasks.

    Raise 409 `in_use` if it is approved.
    """
    if application["status"] == "approved":
        used_by = [
            "contacts",
            *(["participants"] if db.value(sql.has_participants, id=application["id"]) else []),
        ]
        raise Problem(
            "in_use",
            f"The application {application['id']} is approved, so it stays with the contact "
            f"{application['contact_id']}. To remove its personal data, anonymise the contact.",
            used_by=used_by,
        )
    cascade.delete_with(db, "application", application["id"])
    db.run(sql.remove, id=application["id"])
    journal.deleted(db, entities.APPLICATION, application)


def hand_over(db, contact_id, duplicate_id):
    """Move the applications of the duplicate to the contact."""
    for id in db.values(sql.of_contact, contact_id=duplicate_id):
        old = get(db, id)
        db.run(sql.hand_over, id=id, contact_id=contact_id, now=db.now)
        journal.updated(db, entities.APPLICATION, old, get(db, id))


# Decisions


def move(db, old, action, **values):
    """Apply an action of TRANSITIONS and return the application.

    `values` are the columns that the action sets besides the status.

    An application that is in the target state already stays as it is. Raise 409
    `invalid_transition`, and `anonymized` if there are `values` for an anonymised applicant.
    """
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    if values:
        anonymity.refuse(db, "application", old["id"])
    db.run(sql.move, **{**old, **values, "status": status}, now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.APPLICATION, old, new, action=TRANSITIONS.past(action))
    return new


def approve(db, application, fields, admin_id):
    """Approve an application: link or create the contact, and add a participant to each event.

    Return `(application, {skipped, warnings})`; see `admit`. `fields` may name the contact
    (`contact_id`, `customer_number`), narrow the events (`event_keys`), replace the categories
    (`category_keys`) and confirm the participants (`confirm`). An application that was approved in
    the same way stays as it is. Raise 422 for events that were not applied for, and unknown
    categories; 409 `invalid_transition`, also for an application that was approved in another way,
    or `ambiguous_contact`.
    """
    faults = Faults()
    contact_id = references.resolve(db, fields, CONTACT, faults)
    event_keys = fields["event_keys"] or application["event_keys"]
    for place, key in enumerate(event_keys):
        if key not in application["event_keys"]:
            faults.add(
                f"/event_keys/{place}",
                "unknown",
                f"is not one of the events applied for: {', '.join(application['event_keys'])}",
            )
    category_ids = references.category_ids(db, fields, faults)
    faults.raise_any()
    if TRANSITIONS.move("approve", application["status"]) is None:
        _refuse_other_terms(db, application, fields, contact_id, category_ids)
        return application, {"skipped": [], "warnings": []}
    event_ids = references.event_ids(db, {"event_keys": event_keys}, faults)
    _assign(db, application["id"], None, category_ids)
    contact_id, found, skipped = admit(db, application, event_ids, contact_id)
    for participant in found if fields["confirm"] else ():
        if participant["status"] == "registered":
            participants.move(db, participant, "confirm")
    approved = move(
        db, application, "approve", contact_id=contact_id, decided_at=db.now, decided_by=admin_id
    )
    return approved, {"skipped": skipped, "warnings": _without_fee(db, found)}


def _refuse_other_terms(db, application, fields, contact_id, category_ids):
    """Raise 409 `invalid_transition` if an approved application was approved with other fields than
    these.
    """
    found = db.all(
        sql.admitted,
        id=application["id"],
        contact_id=application["contact_id"],
        role=role_of(db, application),
    )
    statuses = {row["event_key"]: row["status"] for row in found}
    others = [
        name
        for name, differs in (
            ("contact_id", contact_id not in (None, application["contact_id"])),
            ("event_keys", any(key not in statuses for key in fields["event_keys"] or ())),
            (
                "category_keys",
                category_ids is not None
                and {*category_ids} != {*db.values(sql.category_ids, id=application["id"])},
            ),
            ("confirm", fields["confirm"] and "registered" in statuses.values()),
        )
        if differs
    ]
    if others:
        raise TRANSITIONS.refused(
            f"The application {application['id']} is approved already, and {quoted(others)} would change nothing. "
            "Change its participants: PATCH /participants/{id}, POST /participants/{id}/confirm, or POST /participants "
            "for another event.",
            "approved",
            TRANSITIONS.table["approve"][0],
        )


def reject(db, application, reason, admin_id):
    """Reject an application and return it."""
    return move(
        db, application, "reject", decision_reason=reason, decided_at=db.now, decided_by=admin_id
    )


def ask(db, application, question):
    """Store a question to the applicant and return the application.

    The answer to an earlier question goes.
    """
    return move(db, application, "request-info", question=question, answer=None, answered_at=None)


def answer(db, application, text):
    """Store the applicant's answer to the question and return the application.

    The same answer again changes nothing.

    Raise 409 `invalid_transition` unless there is a question that waits for an answer.
    """
    if application["status"] == "in_review":
        if application["answer"] == text:
            return application
        raise TRANSITIONS.refused(
            f"The application {application['id']} has no question that waits for an answer. Ask "
            "one with `request-info` first.",
            "in_review",
            TRANSITIONS.table["answer"][0],
        )
    return move(db, application, "answer", answer=text, answered_at=db.now)


def confirm_email(db, id):
    """Note that the applicant has confirmed the e-mail address."""
    db.run(sql.confirm_email, id=id, now=db.now)


def _booth_type_id(db, fields):
    """Return the id of the booth type that checked fields name, or None."""
    return references.resolve(db, fields, BOOTH_TYPE, Faults())


def _columns(application):
    """Return the application with the requested area in thousandths of a square metre: None if it
    has more decimals.
    """
    # The area may be a float. Its shortest text has the decimals that were sent.
    area = application["requested_area"]
    return {**application, "requested_area": area if area is None else money.scaled(str(area), 3)}


def _check(db, fields, application, stored, by_form=False, asked=None):
    """Return `(event ids, category ids, custom field values)`.

    The ids are None if `fields` does not name any.

    `application` is the complete application with these fields, `stored` the present one. For the
    rest see `create`. Raise 422 for everything that the schema cannot express.
    """
    faults = Faults()
    for name in [name for name, default in INTERNAL.items() if by_form and fields[name] != default]:
        faults.add(f"/{name}", "unknown", "is unknown")
    contacts.check_tax_id(fields, stored, faults)
    if not any(application[name] for name in NAMES):
        faults.add("", "any_of", "must have at least one of: " + ", ".join(NAMES))
    if (
        _columns(application)["requested_area"] is None
        and application["requested_area"] is not None
    ):
        faults.add("/requested_area", "decimals", "must have at most 3 decimals")
    event_ids = references.event_ids(db, fields, faults)
    references.resolve(db, fields, FORM_TYPE if by_form else BOOTH_TYPE, faults)
    if by_form:
        category_ids = references.resolve_keys(
            db, fields, "category_keys", sql.selectable_category, faults
        )
    else:
        category_ids = references.category_ids(db, fields, faults)
    # Whoever fills in a form must fill in its required fields. An office may leave all custom
    # fields for later.
    sent = {**fields, "custom_fields": fields["custom_fields"] or {}} if by_form else fields
    values = custom_fields.checked(
        db, "application", sent, application["custom_fields"], faults, editable=by_form, asked=asked
    )
    faults.raise_any()
    return event_ids, category_ids, values


def _refuse_late(db, application, event_ids):
    """Raise 409 `deadline_passed` if an application that is not `late` names an event whose
    deadline has passed.
    """
    closed = (
        []
        if application["late"]
        else db.values(sql.closed_events, event_ids=as_json([*event_ids]), now=db.now)
    )
    if closed:
        raise Problem(
            "deadline_passed",
            f"The application deadline of {listed(closed)} has passed. Send `late` as true to accept the "
            "application nevertheless.",
            event_keys=closed,
        )


def _refuse_second(db, application, event_ids):
    """Raise 409 `duplicate` if another open application has the same e-mail address and one of the
    events.
    """
    other = application["email"] and db.value(
        sql.second,
        email=application["email"],
        event_ids=as_json(event_ids),
        id=application.get("id", 0),
    )
    if other:
        raise Problem(
            "duplicate",
            f"The open application {other} has the same `email`, {application['email']}, and event. "
            "Change or withdraw that application.",
            member="email",
            application_id=other,
        )


def _assign(db, id, event_ids, category_ids):
    """Replace the events and the categories of an application. None keeps them."""
    if event_ids is not None:
        db.run(sql.clear_events, id=id)
        db.run(sql.add_events, id=id, event_ids=as_json(event_ids))
    if category_ids is not None:
        db.run(sql.clear_categories, id=id)
        db.run(sql.add_categories, id=id, category_ids=as_json(category_ids))


def admit(db, application, event_ids, contact_id=None):
    """Link or create the contact, assign its categories, and add it to the events.

    Return `(contact id, participants, skipped)`.

    Existing contacts and participants are used again. The participants have the role of the first
    category of the application. If it has exactly one category, the participants get it. Contact
    and participants take over the custom fields that they lack; `skipped` lists the values that are
    not valid there as {target, id, field_key, code}. Call this inside a write transaction. Raise
    409 `ambiguous_contact` or `anonymized`.
    """
    role = role_of(db, application)
    category_ids = db.values(sql.category_ids, id=application["id"])
    contact_id = contact_id or application["contact_id"] or _id_by_email(db, application)
    badge_name = _badge_name(db, application, contact_id, role)
    made_by = reach.maker(db, application, contacts.get(db, contact_id) if contact_id else None)
    contact_id, skipped = _contact(db, application, contact_id, category_ids)
    found, left_out = [], _skipped("contact", contact_id, skipped)
    for event_id in event_ids:
        participant, skipped = participants.ensure(
            db,
            event_id=event_id,
            contact_id=contact_id,
            role=role,
            application_id=application["id"],
            made_by=made_by,
            category_id=category_ids[0] if len(category_ids) == 1 else None,
            badge_name=badge_name,
            values=application["custom_fields"],
        )
        found.append(participant)
        left_out += _skipped("event_participant", participant["id"], skipped)
    return contact_id, found, left_out


def role_of(db, application):
    """Return the role of the participants that the approval of an application adds."""
    return db.value(sql.role, id=application["id"]) or "exhibitor"


def _badge_name(db, application, contact_id, role):
    """Return the name for the badge of a person whose address is that of a contact with another
    name, or None.
    """
    name = full_name(application)
    known = contacts.get(db, contact_id) if contact_id and name and role in PEOPLE else None
    return name if known and full_name(known) != name else None


def _without_fee(db, found):
    """Return a warning for each participant without a category at an event whose categories have
    prices.
    """
    return [
        {
            "code": "no_category",
            "event_participant_id": participant["id"],
            "detail": f"The participant has no category at {participant['event_key']}, so no fee is billed. Set "
            "`category_key` of the participant, or approve with `category_keys`.",
        }
        for participant in found
        if participant["category_id"] is None
        and db.value(sql.has_fees, event_id=participant["event_id"])
    ]


def _contact(db, application, contact_id, category_ids):
    """Change the contact, or create one if `contact_id` is None.

    Return its id and the custom fields left out.
    """
    known = contact_id and contacts.get(db, contact_id)
    fields, skipped = custom_fields.carried_over(
        db, "contact", application["custom_fields"], known["custom_fields"] if known else {}
    )
    if known:
        is_business = application["is_business"]
        contacts.assign_categories(
            db, contact_id, category_ids, fields=fields, is_business=is_business
        )
    else:
        contact_id = contacts.add(db, application, category_ids, fields)["id"]
    return contact_id, skipped


def _id_by_email(db, application):
    """Return the id of the contact with the applicant's e-mail address, or None.

    Raise 409 `ambiguous_contact` if several have it.
    """
    known = contacts.ids_by_email(db, application["email"]) if application["email"] else []
    if len(known) > 1:
        raise Problem(
            "ambiguous_contact",
            f"The contacts {', '.join(map(str, known))} have the e-mail address {application['email']}. "
            "Send the id of one of them as `contact_id`.",
            candidates=known,
        )
    return known[0] if known else None


def _skipped(target, id, skipped):
    return [{"target": target, "id": id, "field_key": key, "code": code} for key, code in skipped]
