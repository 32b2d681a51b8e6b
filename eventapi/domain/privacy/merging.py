"""Merge two contacts: move everything of a duplicate to the other contact, and delete the
duplicate.

The records of a participant and of a contact are moved by functions that their subjects declare
(`merges_participants` and `merges_contacts` in `domain/SUBJECT/subject.py`), in the order of
SUBJECTS. What depends on an order stands here.

Every function that writes is called inside a write transaction and journals the change of each
record.
"""

from eventapi import journal
from eventapi.domain.access import reach
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import anonymity, custom_fields, entities
from eventapi.domain.subjects import SUBJECTS
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
    found = []
    faults = Faults()
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

    Participants come first. The duplicate is deleted before the contact takes over its fields,
    since an external id belongs to one contact.
    """
    id = contact["id"]
    duplicate_id = duplicate["id"]
    before = contacts.state(db, id)
    was_doubted = reach.is_doubted(db, duplicate_id)

    moved, ended = _move_participants(db, id, duplicate_id, {link["id"] for link in keep})
    for subject in SUBJECTS:
        for hand_over in subject.merges_contacts:
            hand_over(db, id, duplicate_id)

    db.run(sql.move_categories, contact_id=id, duplicate_id=duplicate_id)
    db.run(sql.move_tags, contact_id=id, duplicate_id=duplicate_id)
    fields = {**duplicate["custom_fields"], **contact["custom_fields"]}
    custom_fields.store(db, "contact", id, contact["custom_fields"], fields)

    contacts.remove(db, duplicate)
    db.run(sql.follow, contact_id=id, duplicate_id=duplicate_id)
    db.run(sql.remember, contact_id=id, duplicate_id=duplicate_id, now=db.now)

    contacts.write(db, {**contact, **_missing(contact, duplicate)})
    reach.readdress_merged(db, contact, duplicate, moved=moved, was_doubted=was_doubted)
    journal.updated(
        db,
        entities.CONTACT,
        {**before, "merged_contact_id": None},
        {**contacts.state(db, id), "merged_contact_id": duplicate_id},
        action="merged",
    )
    return contacts.get(db, id), ended


def _duplicate(db, contact, duplicate_id):
    """Return the duplicate. Raise 422 if it is unknown or the contact itself."""
    faults = Faults()
    duplicate = contacts.get(db, duplicate_id)
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
    ended = []
    rows = db.all(sql.participants, contact_id=id, duplicate_id=duplicate_id)
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

    The links come first: which of them go on depends on what moves. `other` is deleted last, when
    nothing refers to it any more. Return the ids of the links that have ended.
    """
    kept_id = kept["id"]
    other_id = other["id"]
    ended = reach.merge_links(db, kept_id, other_id, keep)

    for subject in SUBJECTS:
        for hand_over in subject.merges_participants:
            hand_over(db, kept_id, other_id)

    _fill(db, kept, other)

    # The badge of the duplicate may be printed already.
    db.run(sql.hand_over_aliases, id=other_id, participant_id=kept_id, now=db.now)
    db.run(sql.hand_over_profile, id=other_id, participant_id=kept_id, now=db.now)
    db.run(sql.hand_over_choice, id=other_id, participant_id=kept_id)

    participants.delete(db, other_id)
    db.run(sql.add_alias, badge_number=other["badge_number"], participant_id=kept_id, now=db.now)
    return ended


def _fill(db, kept, other):
    """Fill the empty fields of the participant `kept` from `other`, and give it the status that is
    further: a participation that one of the two has confirmed or not cancelled stays so.
    """
    filled = dict(kept)
    for name in ("category_id", "application_id", "badge_name", "host_participant_id"):
        filled[name] = kept[name] or other[name]
    filled["custom_fields"] = {**other["custom_fields"], **kept["custom_fields"]}
    kept = participants.change(db, kept, filled)
    if kept["status"] == "cancelled" and other["status"] != "cancelled":
        kept = participants.move(db, kept, "reinstate")
    if kept["status"] == "registered" and other["status"] == "confirmed":
        participants.move(db, kept, "confirm")
