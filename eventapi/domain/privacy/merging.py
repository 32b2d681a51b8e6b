"""Merge two contacts: move everything of a duplicate to the other contact, and delete the
duplicate.

Every function that writes is called inside a write transaction and journals the change of each
record.
"""

from eventapi import journal
from eventapi.domain.access import links, reach
from eventapi.domain.attachments import document_rows, notes, tasks
from eventapi.domain.billing import invoices
from eventapi.domain.entrance import admission, check_ins
from eventapi.domain.events import schedules
from eventapi.domain.halls import booking, reservation_rows
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.orders import orders
from eventapi.domain.people import applications, contacts, participants
from eventapi.domain.records import anonymity, custom_fields, entities
from eventapi.domain.submissions import submissions
from eventapi.errors import Faults
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("merging")


def attach_contacts(db, pairs):
    """Replace the ids in each pair of duplicates by `contacts`, the two contacts in short form, the
    older one first.
    """
    ids = {id for pair in pairs for id in (pair["first_id"], pair["id"])}
    known = {contact["id"]: contact for contact in db.all(sql.in_short, ids=as_json(sorted(ids)))}
    for pair in pairs:
        pair["contacts"] = [known[pair.pop("first_id")], known[pair["id"]]]


def prepared(db, contact, body):
    """Return (the duplicate, the links to keep) that the body of a merge names.

    Raise 422 for an unknown duplicate or the contact itself, and for a link that is none of theirs
    or the second one of an address; 409 `link_revoked` for an address that the office has closed,
    and `anonymized`.
    """
    duplicate = _duplicate(db, contact, body["duplicate_id"])
    anonymity.refuse_anonymized(contact)
    anonymity.refuse_anonymized(duplicate)
    found, faults = [], Faults()
    for place, id in enumerate(body["keep_links"]):
        link = reach.link_to_keep(db, id, contact["id"], duplicate["id"])
        if link is None:
            faults.add(
                f"/keep_links/{place}",
                "unknown",
                f"is no live link of a participation of theirs: {id}",
            )
        elif any(_is_twin(link, other) for other in found):
            faults.add(
                f"/keep_links/{place}",
                "duplicate",
                "is the second link of the same address. Name one of them",
            )
        else:
            found.append(link)
    faults.raise_any()
    return duplicate, found


def _is_twin(link, other):
    """Return whether two links are of the same address, and of participations that become one."""
    return link["sides"] == other["sides"] and reach.same(link["email"], other["email"])


def merge(db, contact, duplicate, keep=()):
    """Merge the contact `duplicate` into `contact`.

    Return (the contact, the ids of the links that have ended).

    `keep` are links of participations that become one with another; they go on with their rights
    (reach.py, R8). Call this inside a write transaction.
    """
    id, duplicate_id, before = contact["id"], duplicate["id"], contacts.state(db, contact["id"])
    was_doubted = reach.is_doubted(db, duplicate_id)
    moved, ended = _move_participants(db, id, duplicate_id, {link["id"] for link in keep})
    for invoice_id in db.values(sql.invoices, contact_id=duplicate_id):
        _change_invoice(db, sql.move_invoice, invoice_id, contact_id=id)
    _move_applications(db, id, duplicate_id)
    _move_subscribers(db, id, duplicate_id)
    _move_attached(db, "contact", duplicate_id, id)
    db.run(sql.move_categories, contact_id=id, duplicate_id=duplicate_id)
    db.run(sql.move_tags, contact_id=id, duplicate_id=duplicate_id)
    custom_fields.store(
        db,
        "contact",
        id,
        contact["custom_fields"],
        {**duplicate["custom_fields"], **contact["custom_fields"]},
    )
    contacts.remove(db, duplicate)
    db.run(sql.follow, contact_id=id, duplicate_id=duplicate_id)
    db.run(sql.remember, contact_id=id, duplicate_id=duplicate_id, now=db.now)
    contacts.write(db, {**contact, **_missing(contact, duplicate)})
    reach.readdress_merged(db, contact, duplicate, moved=moved, was_doubted=was_doubted)
    after = contacts.state(db, id)
    journal.updated(
        db,
        entities.CONTACT,
        {**before, "merged_contact_id": None},
        {**after, "merged_contact_id": duplicate_id},
        action="merged",
    )
    return contacts.get(db, id), ended


def _duplicate(db, contact, duplicate_id):
    """Return the duplicate. Raise 422 if it is unknown or the contact itself."""
    duplicate, faults = contacts.get(db, duplicate_id), Faults()
    if duplicate is None:
        faults.add("/duplicate_id", "unknown", f"is unknown: no contact has the id {duplicate_id}")
    elif duplicate_id == contact["id"]:
        faults.add(
            "/duplicate_id", "same", "must be the id of another contact than the one in the path"
        )
    faults.raise_any()
    return duplicate


def _missing(contact, duplicate):
    """Return the fields that the contact takes over from the duplicate, because its own are empty."""
    taken = {name: duplicate[name] for name in contacts.PERSONAL if contact[name] is None}
    if contact["e_invoice_profile"] == "en16931":  # the default; another profile demands more
        taken["e_invoice_profile"] = duplicate["e_invoice_profile"]
    return taken


def _move_participants(db, id, duplicate_id, keep):
    """Move the participants of the duplicate to the contact.

    If both contacts take part in an event in the same role, merge the two participants. `keep` are
    ids of links that go on then. Return (whether there were any, the ids of the links that have
    ended).
    """
    rows, ended = db.all(sql.participants, contact_id=id, duplicate_id=duplicate_id), []
    for row in rows:
        old = participants.get(db, row["id"])
        if row["counterpart_id"]:
            ended += _merge_participant(db, participants.get(db, row["counterpart_id"]), old, keep)
        else:
            db.run(sql.move_participant, id=old["id"], contact_id=id, now=db.now)
            new = participants.get(db, old["id"])
            journal.updated(db, entities.EVENT_PARTICIPANT, old, new)
    return bool(rows), ended


def _merge_participant(db, kept, other, keep):
    """Move everything that refers to the participant `other` to `kept`, and delete `other`.

    The links come first: which of them go on depends on what moves. Return the ids of those that
    have ended.
    """
    ended = reach.merge_links(db, kept["id"], other["id"], keep)
    for invoice_id in db.values(sql.invoices_of_participant, id=other["id"]):
        _change_invoice(db, sql.hand_over_invoice, invoice_id, participant_id=kept["id"])
    db.run(sql.hand_over_fee, id=other["id"], participant_id=kept["id"])
    _move_reservations(db, kept["id"], other["id"])
    _move_orders(db, kept["id"], other["id"])
    _move_check_ins(db, kept["id"], other["id"])
    _move_assignments(db, kept["id"], other["id"])
    _move_submissions(db, kept["id"], other["id"])
    _move_hosted(db, kept["id"], other["id"])
    _move_links(db, kept["id"], other["id"])
    _move_attached(db, "event_participant", other["id"], kept["id"])
    filled = {
        name: kept[name] or other[name]
        for name in ("category_id", "application_id", "badge_name", "host_participant_id")
    }
    filled["custom_fields"] = {**other["custom_fields"], **kept["custom_fields"]}
    kept = participants.change(db, kept, {**kept, **filled})
    if kept["status"] == "cancelled" and other["status"] != "cancelled":
        kept = participants.move(db, kept, "reinstate")
    if kept["status"] == "registered" and other["status"] == "confirmed":
        participants.move(db, kept, "confirm")
    # The badge of the duplicate may be printed already.
    db.run(sql.hand_over_aliases, id=other["id"], participant_id=kept["id"], now=db.now)
    db.run(sql.hand_over_profile, id=other["id"], participant_id=kept["id"], now=db.now)
    db.run(sql.hand_over_choice, id=other["id"], participant_id=kept["id"])
    participants.delete(db, other["id"])
    db.run(sql.add_alias, badge_number=other["badge_number"], participant_id=kept["id"], now=db.now)
    return ended


def _move_reservations(db, kept_id, other_id):
    """Move the booth reservations.

    Cancel one on a waiting list if `kept` holds or awaits the same booth.
    """
    for found in db.all(sql.reservations, id=other_id, participant_id=kept_id):
        row = reservation_rows.row(db, found["id"])
        if found["is_second_place"]:
            row = booking.cancel(db, row, "The contacts were merged.")
        db.run(sql.hand_over_reservation, id=row["id"], participant_id=kept_id, now=db.now)
        new = reservation_rows.row(db, row["id"])
        journal.updated(
            db,
            entities.BOOTH_RESERVATION,
            reservation_rows.as_stored(db, row),
            reservation_rows.as_stored(db, new),
        )


def _move_hosted(db, kept_id, other_id):
    """Move the participants whose host `other` is."""
    for id in db.values(sql.hosted, id=other_id):
        old = participants.get(db, id)
        db.run(sql.hand_over_hosted, id=id, participant_id=kept_id, now=db.now)
        journal.updated(db, entities.EVENT_PARTICIPANT, old, participants.get(db, id))


def _move_links(db, kept_id, other_id):
    """Move the links. Those that the merge has ended stay in the history of the participant."""
    for id in db.values(sql.links, id=other_id):
        link = links.get(db, id)
        db.run(sql.hand_over_link, id=id, participant_id=kept_id, now=db.now)
        links.updated(db, link)


def _move_orders(db, kept_id, other_id):
    """Move the service orders."""
    for id in db.values(sql.orders, id=other_id):
        old = orders.represent(orders.row(db, id))
        db.run(sql.hand_over_order, id=id, participant_id=kept_id, now=db.now)
        journal.updated(db, entities.SERVICE_ORDER, old, orders.represent(orders.row(db, id)))


def _move_assignments(db, kept_id, other_id):
    """Move the assignments to sessions. Delete one if `kept` has the same role in the session."""
    slots = [schedules.get(db, id) for id in db.values(sql.slots, id=other_id)]
    for statement in (sql.drop_second_assignments, sql.hand_over_assignments):
        db.run(statement, id=other_id, participant_id=kept_id)
    for slot in slots:
        schedules.touch(db, slot)


def _move_check_ins(db, kept_id, other_id):
    """Move visits and scans, and compute the visits of each day again from the scans of both
    participants.
    """
    days = admission.days_of_scans(db, other_id)
    for id in db.values(sql.visits, id=other_id):
        old = check_ins.get(db, id)
        db.run(sql.hand_over_visit, id=id, participant_id=kept_id, now=db.now)
        new = check_ins.get(db, id)
        journal.updated(
            db,
            entities.CHECK_IN,
            check_ins.stored(old),
            check_ins.stored(new),
            title=check_ins.title(new),
        )
    db.run(sql.hand_over_scans, id=other_id, participant_id=kept_id)
    for day in days:
        admission.recompute_day(db, kept_id, *day)


def _move_submissions(db, kept_id, other_id):
    """Move the submissions.

    Of two submissions of one type, keep the one that `submissions.more_advanced` returns. It takes
    over the revisions, tasks, documents and notes of the other.
    """
    for found in db.all(sql.submissions, id=other_id, participant_id=kept_id):
        submission = submissions.get(db, found["id"])
        other = found["counterpart_id"] and submissions.get(db, found["counterpart_id"])
        stays = submissions.more_advanced(submission, other) if other else submission
        if other:
            goes = other if stays is submission else submission
            _move_attached(db, "submission", goes["id"], stays["id"])
            submissions.absorb(db, stays, goes)
        if stays is submission:
            db.run(
                sql.hand_over_submission, id=submission["id"], participant_id=kept_id, now=db.now
            )
        submissions.journal_update(db, stays, "updated")


def _change_invoice(db, statement, id, **values):
    """Run a statement that changes an invoice, and journal the change."""
    old = invoices.get(db, id)
    db.run(statement, id=id, now=db.now, **values)
    journal.updated(db, entities.INVOICE, old, invoices.get(db, id))


def _move_applications(db, id, duplicate_id):
    for application_id in db.values(sql.applications, contact_id=duplicate_id):
        old = applications.get(db, application_id)
        db.run(sql.move_application, id=application_id, contact_id=id, now=db.now)
        journal.updated(db, entities.APPLICATION, old, applications.get(db, application_id))


def _move_subscribers(db, id, duplicate_id):
    """Assign the newsletter subscribers of the duplicate to the contact, which may have another
    address.
    """
    for subscriber_id in db.values(sql.subscribers, duplicate_id=duplicate_id):
        old = newsletter.get(db, subscriber_id)
        db.run(sql.move_subscriber, id=subscriber_id, contact_id=id, now=db.now)
        journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, newsletter.get(db, subscriber_id))


def _move_attached(db, entity_type, old_id, new_id):
    """Move tasks, documents and notes from one record to another of the same kind."""
    tasks.move_to(db, entity_type, old_id, new_id)
    document_rows.move_to(db, entity_type, old_id, new_id)
    notes.move_to(db, entity_type, old_id, new_id)
