"""Admission: scans at the door become visits. Whatever order they come in, the same scans make the same visits.

Each scan is kept, refused ones too, and what the scans of a participant on a day amount to is found anew with each that comes.
Every function here that writes is called inside a write.
"""
from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.entrance import badges, check_ins, visits
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.references import EVENT, PARTICIPANT
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements

sql = statements("admission")

SKEW = 60                   # seconds by which the clock of a device may be ahead


def scan(db, body):
    """Takes in a scan; gives (the visit, whether it was opened just now). A refused one is kept, and the Problem says so."""
    known = body["client_ref"] and db.one(sql.by_ref, client_ref=body["client_ref"])
    if known:
        refuse_other(known, body)
        return answer(db, known), False
    faults = Faults()
    event, holder_id = named(db, body, faults)
    moment = event and moment_of(db, body, event, faults)
    faults.raise_any()
    if holder_id and body["notes"]:
        anonymity.refuse(db, "event_participant", holder_id)
    new = add(db, body, event, holder_id and db.one(sql.participant, id=holder_id), moment)
    if not new["code"]:
        settle(db, new["event_participant_id"], new["day"], new["scanned_at"])
        new = db.one(sql.scan, id=new["id"])
    return answer(db, new), new["effect"] == "opened"


def refuse_other(known, body):
    """409 where a client_ref is that of another scan: devices that count alike must not let anybody in on the visit of somebody else."""
    said = {"action": body["action"], "badge_number": badge_of(body),
            "event_participant_id": body["event_participant_id"] or body["participant_id"]}
    if any(value not in (None, known[name]) for name, value in said.items()):
        raise Problem("duplicate", f"The client_ref {body['client_ref']} is that of another scan, made at {known['scanned_at']}.",
                      member="client_ref")


def named(db, body, faults):
    """The event, and the id of the participant whose badge it is; the only one open is the event where none is named."""
    badge = badge_of(body)
    holder = db.value(sql.holder, badge_number=badge) if badge else None
    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    if badge and participant_id and holder != participant_id:
        faults.add("/badge_number", "disagrees", "is not the badge of the participant")
    return event_of(db, body, faults), participant_id or holder


def badge_of(body):
    """The number as badges have it; what holds none, as it was sent."""
    return body["badge_number"] and (badges.normal(body["badge_number"]) or body["badge_number"])


def event_of(db, body, faults):
    event_id = references.resolve(db, body, EVENT, faults)
    if event_id is None and not any(body.get(member) for member, _ in EVENT[1]):
        open_ = db.values(sql.open_at, at=body["scanned_at"] or db.now)
        if len(open_) != 1:
            faults.add("/event_key", "required", f"is required, or event_id: {'several events are' if open_ else 'no event is'} open")
        event_id = open_[0] if len(open_) == 1 else None
    return event_id and db.one(sql.event, id=event_id)


def moment_of(db, body, event, faults):
    """When the scan was made. A device may be a little ahead of us, and none was there before its event."""
    at = body["scanned_at"] or db.now
    if times.unix(at) > times.unix(db.now) + SKEW:
        faults.add("/scanned_at", "out_of_range", f"must not be in the future: here it is {db.now}")
    known_since = min(event["date_from_at"] or event["created_at"], event["created_at"])
    if at < times.start(times.local_day(known_since, event["timezone"]), event["timezone"]):
        faults.add("/scanned_at", "out_of_range", f"must not be before the event, which is known since {known_since}")
    return min(at, db.now)


def add(db, body, event, participant, moment):
    """The row of a new scan, not judged yet unless it is refused for good."""
    badge = badge_of(body)
    code = None
    if participant is None:
        code = "unknown_badge"
    elif participant["event_id"] != event["id"]:
        code = "wrong_event"
    elif participant["status"] == "cancelled":
        code = "participant_cancelled"
    kind = body["check_in_type"] or ("scan" if badge else "manual")
    return db.one(sql.add_scan, **{
        **body, "event_id": event["id"], "event_participant_id": participant and participant["id"], "badge_number": badge,
        "check_in_type": kind, "scanned_at": moment, "is_live": body["scanned_at"] is None,
        "day": times.local_day(moment, event["timezone"]), "code": code,
        "admin_id": db.actor.admin_id, "now": db.now})


# Judging

def settle(db, event_participant_id, day, since=""):
    """Finds anew what the scans of a participant on a day amount to, and writes and journals what is otherwise now.

    Scans before `since` neither change nor count unless they opened or closed a visit: a badge may lie on a scanner for hours.
    """
    scans = db.all(sql.scans_of_day, event_participant_id=event_participant_id, day=day, since=since)
    known = {row["id"]: row for row in db.all(sql.visits_of_day, event_participant_id=event_participant_id, day=day)}
    opened = {scan["id"]: scan["check_in_id"] for scan in scans if scan["effect"] == "opened"}
    found, outcomes = visits.follow(scans, times.end(day, scans[0]["timezone"]) if scans else None)
    ids = records_of(found, opened, known)
    for id in known.keys() - set(ids):
        remove(db, check_ins.get(db, id))
    for place, visit in enumerate(found):
        ids[place] = write(db, visit, known.get(ids[place]), opened.get(visit.opening["id"]))
    by_opening = {visit.opening["id"]: id for visit, id in zip(found, ids)}
    for scan in scans:
        effect, code, visit = outcomes[scan["id"]]
        judged = {"effect": effect, "code": code, "check_in_id": visit and by_opening[visit.opening["id"]]}
        if any(scan[name] != value for name, value in judged.items()):
            db.run(sql.judge, id=scan["id"], **judged, now=db.now)


def records_of(found, opened, known):
    """The id of the record of each visit: the one that its scan opened, else one whose scan opens nothing any more, else None."""
    ids = [opened.get(visit.opening["id"]) for visit in found]
    ids = [id if id in known else None for id in ids]
    spare = [id for id in known if id not in ids]
    return [id or (spare.pop(0) if spare else None) for id in ids]


def write(db, visit, row, opened):
    """Stores a visit as a new record or in one that is there; gives its id."""
    values = {**visit.opening, "ends_at": visit.ends_at, "closed_by": visit.closed_by, "now": db.now}
    if row is None:
        new = check_ins.get(db, db.insert(sql.open, **values))
        journal.created(db, entities.CHECK_IN, check_ins.stored(new), title=check_ins.title(new))
        return new["id"]
    same_scan = row["id"] == opened
    if same_scan and (row["ends_at"], row["closed_by"]) == (visit.ends_at, visit.closed_by):
        return row["id"]
    old = check_ins.get(db, row["id"])
    db.run(sql.close if same_scan else sql.reopen, **{**values, "id": row["id"]})
    new = check_ins.get(db, row["id"])
    left = new["closed_by"] == "check_out" and old["closed_by"] != "check_out"
    journal.updated(db, entities.CHECK_IN, check_ins.stored(old), check_ins.stored(new),
                    action="checked_out" if left else "updated", title=check_ins.title(new))
    return row["id"]


def remove(db, record):
    cascade.delete_with(db, "check_in", record["id"])
    db.run(sql.remove, id=record["id"])
    journal.deleted(db, entities.CHECK_IN, check_ins.stored(record), title=check_ins.title(record))


def answer(db, judged):
    """The visit that a scan is part of; raises the Problem of one that is refused."""
    if judged["taken_back_at"]:
        raise Problem("taken_back", f"This scan of {judged['scanned_at']} was taken back; send a new one under a client_ref of its own.")
    if judged["code"]:
        raise refusal(db, judged)
    return check_ins.get(db, judged["check_in_id"])


def refusal(db, refused):
    """The Problem of a refused scan, which is kept."""
    code, number = refused["code"], refused["badge_number"]
    if code == "unknown_badge":
        mistyped = not badges.is_valid(number)
        return Problem("unknown_badge", f"There is no badge {number}" + (": it was mistyped, its check character is wrong." if mistyped else "."),
                       keeps=True, is_mistyped=mistyped)
    if code == "wrong_event":
        event_key = (db.one(sql.participant, id=refused["event_participant_id"]) or {}).get("event_key")
        return Problem("wrong_event", f"The badge is one of {event_key}.", keeps=True, event_key=event_key)
    if code == "participant_cancelled":
        return Problem("participant_cancelled", "The participant has cancelled.", keeps=True)
    if code == "already_checked_in":
        visit = check_ins.get(db, refused["check_in_id"])
        return Problem("already_checked_in", f"The participant is in since {visit['checked_in_at']}.", keeps=True, check_in=visit)
    return Problem("not_checked_in", "The participant was not in at that moment.", keeps=True)


# Taking back

def take_back(db, record):
    """A visit that was none: it goes with its scans, and the others of that day amount to what they amount to without it."""
    place = db.one(sql.day_of, id=record["id"])
    db.run(sql.take_back, **place, id=record["id"], now=db.now)
    remove(db, record)
    settle(db, **place)


def refuse_another_zone(db, event_id):
    """The days of an event that people have entered are those of its zone."""
    if db.value(sql.has_visits, event_id=event_id):
        raise Problem("in_use", "The event has check-ins: its time zone cannot change.", used_by=["check-ins"])


# What `eventapi check` asks

def check(db):
    """Live figures that the visits do not have, as sentences."""
    for wrong in db.all(sql.wrong_counts):
        yield (f"check-ins of {wrong['event_key']}: the counts for {wrong['hour']} at "
               f"{wrong['station'] or 'no station'} differ from the recorded visits")
    for wrong in db.all(sql.wrong_visitors):
        yield (f"check-ins of {wrong['event_key']}, {wrong['day']}: the counter of visitors is {wrong['stored']}, but "
               f"should be {wrong['computed']}")
