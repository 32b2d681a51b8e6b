"""How far a link leads: which pages and badges it opens, when an address is closed, and whom a
further access is told.

Each rule is one function. Keys, sessions and links reach nothing else, through any chain of
requests and mails: merging contacts, approving with `contact_id`, and changing an e-mail address
ask these rules, too (docs/threat-model.md).

Addresses are compared in any case. Every function that writes is called inside a write transaction.
"""

import json
from datetime import timedelta

from eventapi import times
from eventapi.domain.access import link_secrets, links
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.languages import choice
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("reach")

NOTICE = "link_notice"  # kind of the mails that tell of a change of somebody's access
# What a notice tells -> name of the text of its subject.
SUBJECTS = {
    "further_link": "link_notice_subject",
    "further_device": "link_notice_subject",
    "address_changed": "link_changed_subject",
    "merged": "link_changed_subject",
}
OCCASIONS = 5  # notices of a kind about a record in a day
MOST_BEFORE = 20  # former addresses of a contact that are told
DAY, MONTH = timedelta(days=1), timedelta(days=30)
PARTICIPANT, APPLICATION = entities.EVENT_PARTICIPANT.entity_type, entities.APPLICATION.entity_type


def has_scope(db, scope):
    """Return whether the API key or session that acts has a scope for writing.

    The command line has none.
    """
    return scope in getattr(db.actor, "scopes", ())


def same(one, other):
    """Return whether two e-mail addresses are the same, as the database compares them: in any case
    of ASCII letters.

    None is the same as nothing.
    """
    return one is not None and other is not None and one.encode().lower() == other.encode().lower()


def is_another(old, new):
    """Return whether a change of an e-mail address makes it another one, also from or to None."""
    return old != new and not same(old, new)


# R1: from an application to the page of the exhibitor


def exhibitor(db, application_id, event_id):
    """Return the id of the participant whose own page an approved application is about, or None."""
    return db.value(sql.exhibitor, application_id=application_id, event_id=event_id)


def opens_own_page(db, application, participant_id, session=None):
    """R1: return whether the session of an application opens the page of a participant.

    It does if all of this holds: the participation was made by approving this application, or
    another one with the same address; the secret of the session was mailed to that address; the
    contact has that address; it was never changed at the application; and the office has not closed
    it for the participant or its applications (R2).

    Without `session`, return whether a session could open it.
    """
    address = application["email"]
    if address is None or not mails.is_configured(db.config):
        return False
    if session is not None and (
        session["way"] != "mailed" or not same(session["mailed_to"], address)
    ):
        return False
    if is_closed(db, address, participant_id=participant_id, application_id=application["id"]):
        return False
    return (
        db.value(
            sql.opens_own_page,
            application_id=application["id"],
            participant_id=participant_id,
            address=address,
        )
        is not None
    )


def maker(db, application, contact):
    """Return the id of an application if a participation that its approval adds is its own, else
    None.

    `contact` is None if the approval makes the contact. Otherwise the contact must have the address
    of the application, or the key the scope `participants`.
    """
    if (
        contact is None
        or same(contact["email"], application["email"])
        or has_scope(db, "participants")
    ):
        return application["id"]
    return None


# R1b: from an application to badges


def badges(db, application, role, address, *, rights=(), event_id=None):
    """R1b: return the ids of the participants whose badges a link of an application to an address
    gives.

    They take part in the role of the application, and have not cancelled. One of this must hold:

    1. The application made the participation, the link has its address, and that was not changed since.
    2. The link, the application and its contact have the same address, which the applicant has confirmed, and no key
       without the scope `participants` has changed it at the contact since the participation was made.
    3. The link has the right `badges`, which the office gives with the scope `participants`.

    `address` is where the mail goes, or went with which the link was opened; None: the link was
    shown, so that only the third one can hold. An address that is closed for the application gives
    none (R2). `event_id` leaves out other events.
    """
    if is_closed(db, address, application_id=application["id"]):
        return []
    given = frozenset() if event_id is None else frozenset({"event_id"})
    return db.values(
        sql.badges,
        given,
        application_id=application["id"],
        role=role,
        address=address,
        has_right=int("badges" in rights),
        event_id=event_id,
    )


# R2: a person whose link was revoked stays out


def is_closed(db, address, *, participant_id=None, application_id=None):
    """Return whether the office has revoked a link of an address for a participant or an
    application, see `closed_at`.
    """
    return (
        closed_at(db, address, participant_id=participant_id, application_id=application_id)
        is not None
    )


def closed_at(db, address, *, participant_id=None, application_id=None):
    """Return when the office has revoked a link of an address for a participant or an application,
    or None.

    What is closed for the application that has made a participant is closed for the participant,
    too. The address is open again once the office makes another link for the record that was
    closed.
    """
    if address is None:
        return None
    return db.value(
        sql.closes,
        participant_id=participant_id,
        application_id=application_id,
        email_hash=link_secrets.address_hash(db, address),
    )


def refuse_closed(db, address, event_id, *, participant_id=None, application_id=None):
    """R2: raise 409 `link_revoked` if an address is closed: only the office makes another link for
    it. The member `revoked_on` says since when.
    """
    since = closed_at(db, address, participant_id=participant_id, application_id=application_id)
    if since is not None:
        raise _closed(db, event_id, revoked_on=times.local_date(since, db.config.timezone))


def refuse_closed_at_event(db, address, event_id):
    """R2: raise 409 `link_revoked` if an address is closed for any record of an event: its forms
    are closed, too.
    """
    hashed = link_secrets.address_hash(db, address)
    if db.value(sql.closes_event, email_hash=hashed, event_id=event_id) is not None:
        raise _closed(db, event_id)


def _closed(db, event_id, **members):
    asked = office(db, event_id)
    return Problem(
        "link_revoked",
        "The office has revoked the link of this address for this record. Create another "
        "one with POST /links.",
        contact=f": {asked}" if asked else "",
        **members,
    )


def reopen(db, link):
    """Let the address of a link that the office has made get further links for its record."""
    if link["email"]:
        db.run(
            sql.reopen,
            kind=link["kind"],
            subject=link["participant_id"] or link["application_id"],
            email_hash=link_secrets.address_hash(db, link["email"]),
        )


def others_of_person(db, link):
    """Return the other live links of the address of a link, for its participant and for the
    applications of that.
    """
    if not link["email"]:
        return []
    ids = db.values(
        sql.links_of_address,
        email_hash=link_secrets.address_hash(db, link["email"]),
        participant_id=link["participant_id"],
        application_id=link["application_id"],
    )
    return [links.get(db, id) for id in ids if id != link["id"]]


# R4: people are told of a further access


def tell_of_link(db, link):
    """R4: tell the known addresses of a participant that a further link was made for it, or got
    further rights.

    They are those of its other live links, that of the contact, and those before it if that was
    changed in the last 30 days; never the address of the link itself. The first link of a
    participant is told to nobody.
    """
    others = [
        row
        for row in db.all(sql.links_of_participant, participant_id=link["participant_id"])
        if row["id"] != link["id"]
    ]
    if not others:
        return
    live = [row for row in others if row["revoked_at"] is None]
    known = _known_addresses(db, link["participant_id"], live)
    told = {
        address: language for address, language in known.items() if not same(address, link["email"])
    }
    _tell(
        db,
        "further_link",
        PARTICIPANT,
        link["participant_id"],
        told,
        link_id=link["id"],
        rights=link["rights"],
        address=link["email"] and links.masked(link["email"]),
        changed_at=db.now,
    )


def tell_of_device(db, link):
    """R4: tell the address of a participant's link that it was opened on a further device."""
    if link["kind"] == "participant" and link["email"]:
        _tell(
            db,
            "further_device",
            PARTICIPANT,
            link["participant_id"],
            {link["email"]: link["language"]},
            link_id=link["id"],
            changed_at=db.now,
        )


def _known_addresses(db, participant_id, rows):
    """Return address -> language of the contact, also of its addresses before, and of the links in
    `rows`.
    """
    contact = db.one(
        sql.addresses, participant_id=participant_id, since=times.after(db.now, -MONTH)
    )
    found = {}
    for address in (contact["email"], *json.loads(contact["email_before"])):
        if address:
            found[address.lower()] = contact["language"]
    for row in rows:
        if row["email"]:
            found.setdefault(row["email"].lower(), row["language"])
    return found


def _tell(db, notice, entity_type, id, told, **details):
    """Queue a notice about a record to each address in `told` (address -> language), on few
    occasions a day.

    Each kind of notice is counted by itself, so that sign-ins do not use up those of further links.
    """
    if not told or not mails.is_configured(db.config):
        return
    since = times.after(db.now, -DAY)
    if (
        db.value(sql.occasions, entity_type=entity_type, entity_id=id, notice=notice, since=since)
        >= OCCASIONS
    ):
        return
    title = about(db, entity_type, id)["title"]
    for address, own in told.items():
        language = choice.choose(db.config, own)
        subject = mail_words.WORDS[language][SUBJECTS[notice]].format(title=title)
        mails.add(
            db,
            NOTICE,
            entity_type,
            id,
            address,
            subject,
            language=language,
            details=as_json({"notice": notice, **details}),
        )


def about(db, entity_type, id):
    """Return {title, timezone, contact_email} of the event of a participant or an application, or
    None.

    That of an application has the titles of all its events.
    """
    return db.one(
        sql.event_of_participant if entity_type == PARTICIPANT else sql.event_of_application, id=id
    )


def office(db, event_id):
    """Return the e-mail address of the organiser for questions about an event, or "" if there is
    none.
    """
    return db.value(sql.contact_of_event, event_id=event_id) or db.config.organiser_email


# R6: another e-mail address


def readdress_application(db, old, email):
    """R6: an application gets another address.

    End its links to the old one, which is told so if it was in use.

    Its participants' links stay. Queued mails about the application go to the new address, which is
    confirmed by the first link that is opened from one of them. From now on, an approved applicant
    reaches the page of the exhibitor by a link of the office. `old` is the application before.
    """
    db.run(sql.readdress_application, id=old["id"])
    mails.redirect(db, APPLICATION, old["id"], email)
    was_used = old["email_confirmed_at"] is not None
    for id in db.values(sql.links_of_application, application_id=old["id"]):
        link = links.get(db, id)
        if same(link["email"], old["email"]):
            links.revoke(db, link, "address")
            was_used = True
    if was_used and old["email"]:
        _tell(
            db,
            "address_changed",
            APPLICATION,
            old["id"],
            {old["email"]: old["language"]},
            address=email and links.masked(email),
            changed_at=db.now,
        )


def readdress_contact(db, contact_id, old_email):
    """R6: note that the e-mail address of a contact was changed, what it was before, and who has
    changed it.
    """
    db.run(sql.suspect_gaps, contact_id=contact_id)
    db.run(
        sql.readdress_contact,
        id=contact_id,
        before=old_email,
        since=times.after(db.now, -MONTH),
        most=MOST_BEFORE,
    )
    if not has_scope(db, "participants"):
        db.run(sql.doubt_address, id=contact_id)


def readdress_merged(db, contact, duplicate, *, moved, was_doubted):
    """R6: note what a merge changes for the address of a contact.

    Call this after its fields were filled.

    `contact` and `duplicate` are those before. `moved`: the duplicate had participations, to which
    the address of the contact is new. `was_doubted`: a key without the scope `participants` had
    changed the address of the duplicate. A merge proves no address.
    """
    db.run(sql.suspect_gaps, contact_id=contact["id"])
    is_filled = contact["email"] is None and duplicate["email"] is not None
    if is_filled:
        readdress_contact(db, contact["id"], None)
    is_new = not is_filled and not same(contact["email"], duplicate["email"])
    if (moved and is_new) or (was_doubted and (moved or is_filled)):
        db.run(sql.doubt_address, id=contact["id"])


def is_doubted(db, contact_id):
    """Return whether the address of a contact was changed by a key without the scope
    `participants`.
    """
    return db.value(sql.is_doubted, id=contact_id) is not None


def confirm_address(db, link, secret):
    """Note that somebody has opened a link of an application from the mail to the address of the
    application.
    """
    if link["kind"] == "application" and secret["way"] == "mailed" and secret["mailed_to"]:
        db.run(
            sql.confirm_address, id=link["application_id"], email=secret["mailed_to"], now=db.now
        )


def forget_former_addresses(db, size):
    """Forget the addresses that contacts had more than 30 days ago, in a transaction.

    Return their number.
    """
    with db.write():
        return db.run(sql.forget_former_addresses, before=times.after(db.now, -MONTH), size=size)


# R8: merging contacts


def scopes_of_merge(db, contact_id, duplicate_id):
    """R8: return the scopes that a key needs, beside `contacts`, to merge a contact into another
    one.

    They are `participants` if a participation moves or meets one of the other contact, the scope of
    each kind of record that moves, and `links` if one of these participations has a link that was
    not revoked.
    """
    return set(db.values(sql.scopes_of_merge, contact_id=contact_id, duplicate_id=duplicate_id))


def link_to_keep(db, id, contact_id, duplicate_id):
    """Return a link of a participation of one of two contacts that `keep_links` names, or None if
    it is none of them.

    `sides` of the link are the ids of its participation and of the one that it meets, or None.
    Raise 409 `link_revoked` if the office has closed its address at one of the two participations
    that meet.
    """
    sides = db.one(sql.sides_of_link, id=id, contact_id=contact_id, duplicate_id=duplicate_id)
    if sides is None:
        return None
    link = links.get(db, id)
    for participant_id in sides.values():
        refuse_closed(db, link["email"], link["event_id"], participant_id=participant_id)
    return {**link, "sides": {*sides.values()}}


def merge_links(db, kept_id, other_id, keep=()):
    """R8: end links of two participations that become one, before anything moves, and tell their
    people.

    The links of `other_id` end. If records move, so do those of `kept_id`, and no application
    counts as the one that has made it. Two kinds of links go on: those with an id in `keep`, and
    that of an address with a link to each of the two, with the rights that both links have. An
    address that the office has closed at one of the two gets neither. Nobody is told if neither
    ever had a link. Return the ids of the links that have ended.
    """
    moves = db.value(sql.has_records, participant_id=other_id, kept_id=kept_id) is not None
    if moves:
        db.run(sql.forget_maker, id=kept_id)
    rows = {id: db.all(sql.links_of_participant, participant_id=id) for id in (kept_id, other_id)}
    known = {
        **_known_addresses(db, other_id, rows[other_id]),
        **_known_addresses(db, kept_id, rows[kept_id]),
    }
    live = {
        id: [links.get(db, row["id"]) for row in rows[id] if row["revoked_at"] is None]
        for id in rows
    }
    survivors = _survivors(db, live[kept_id], live[other_id], other_id, keep, moves)
    ended = []
    for link in (*live[kept_id], *live[other_id]):
        if link["id"] not in survivors:
            links.revoke(db, link, "merge")
            ended.append(link)
        elif survivors[link["id"]] != link["rights"]:
            links.update(db, link, {"rights": survivors[link["id"]]})
    if rows[kept_id] or rows[other_id]:
        masks = sorted({links.masked(link["email"]) for link in ended if link["email"]})
        _tell(
            db,
            "merged",
            PARTICIPANT,
            kept_id,
            known,
            merged_id=other_id,
            ended=masks,
            changed_at=db.now,
        )
    return [link["id"] for link in ended]


def _survivors(db, kept, others, other_id, keep, moves):
    """Return id -> rights of the links that go on when two participations become one.

    `kept` and `others` are the live links of the one that stays and of that with the id `other_id`,
    which goes. `moves` tells whether records move into the one that stays.
    """
    survivors = {link["id"]: link["rights"] for link in (*kept, *others) if link["id"] in keep}
    named = [link["email"] for link in (*kept, *others) if link["id"] in keep]
    for link in kept:
        replaced = any(same(link["email"], address) for address in named)
        if replaced or is_closed(db, link["email"], participant_id=other_id):
            continue
        twin = next((each for each in others if same(each["email"], link["email"])), None)
        if not moves:
            survivors[link["id"]] = link["rights"]
        elif twin and link["status"] == "active" and twin["status"] == "active":
            survivors[link["id"]] = [right for right in link["rights"] if right in twin["rights"]]
    return survivors


# What an application does not lead to


def suspect_gap(db, application_id):
    """Let the view application_gaps look for badges that an application does not reach.

    For most applications there is no need to.
    """
    db.run(sql.suspect_gap, id=application_id)


def has_link(db, participant_id):
    """Return whether a participant has a link that was not revoked."""
    return db.value(sql.has_link, participant_id=participant_id) is not None
