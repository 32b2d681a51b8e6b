"""Admission: store the scans of badges and compute the visits that result from them.

The same scans always result in the same visits, in whatever order they arrive. Every scan is
stored, refused ones too. With each new scan, the visits of that participant on that day are
computed again from all scans of the day. A day is a pair `(begin, end)` of timestamps: each
`day_ends_at` of the event ends one day and begins the next.

Every function that writes is called inside a write transaction.
"""

from dataclasses import dataclass
from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.entrance import badges, check_ins, refusals, visits
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.references import EVENT, PARTICIPANT
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements

sql = statements("admission")

SKEW = 60  # seconds by which the clock of a device may be ahead


@dataclass(frozen=True, slots=True)
class Result:
    """What a scan has done that was not refused.

    Attributes:
        check_in: the visit as an API object. Its `effect` is that of the first response to this scan.
        is_new: whether this scan opened the visit.
        since: when the visit began; if the scan is `repeated`, when the badge was read before.
        station: where, or None.
    """

    check_in: dict
    is_new: bool
    since: str | None
    station: str | None


def scan(db, body):
    """Store a scan and return its Result.

    `body` is a complete validated body. A `client_ref` that is stored already returns the result of
    that scan.

    Raise 422 for an unknown event or participant or an impossible time; 409 `duplicate` or
    `anonymized`; 404 `unknown_badge`; 409 `wrong_event`, `badge_replaced`, `participant_cancelled`,
    `already_checked_in` or `not_checked_in`; 409 `taken_back`. A scan that is refused by one of
    these six, from `unknown_badge` to `not_checked_in`, is stored all the same.
    """
    if body["client_ref"]:
        stored = db.one(sql.by_ref, client_ref=body["client_ref"])
        if stored:
            _refuse_other_scan(stored, body)
            return _result(db, stored)

    faults = Faults()
    event, participant_id, replaced_at = _event_and_participant(db, body, faults)
    scanned_at = _scanned_at(db, body, event, faults) if event else None
    faults.raise_any()
    if participant_id and body["notes"]:
        anonymity.refuse(db, "event_participant", participant_id)

    participant = db.one(sql.participant, id=participant_id) if participant_id else None
    code = refusals.code(event, participant, replaced_at, {**body, "scanned_at": scanned_at})
    new = _add_scan(db, body, event, participant, scanned_at, code)
    if new["code"]:
        return _result(db, new)

    begin, end = _day(event, scanned_at)
    other = recompute_day(db, new["event_participant_id"], begin, end, new["scanned_at"], new)
    new = db.one(sql.scan, id=new["id"])
    return _result(db, new, other, is_new=new["effect"] == "opened")


def _refuse_other_scan(stored, body):
    """Raise 409 `duplicate` if the stored scan with this client_ref is of another badge,
    participant or action.

    Two devices that number their scans alike must not admit a person on the visit of another
    person.
    """
    sent = {
        "action": body["action"],
        "badge_number": _badge_number(body),
        "event_participant_id": body["event_participant_id"] or body["participant_id"],
    }
    if any(value not in (None, stored[name]) for name, value in sent.items()):
        raise Problem(
            "duplicate",
            f"`client_ref` {body['client_ref']} is the reference of another scan, made at "
            f"{stored['scanned_at']}. Send this scan with a new `client_ref`.",
            member="client_ref",
        )


def _event_and_participant(db, body, faults):
    """Return the event of the scan, the id of the participant, and when the badge number was
    replaced.

    The last two may be None.
    """
    badge = _badge_number(body)
    holder_id = None
    replaced_at = None
    if badge:
        holder = badges.holder(db, badge)
        if holder:
            holder_id = holder["id"]
            replaced_at = holder["replaced_at"]

    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    if badge and participant_id and holder_id != participant_id:
        faults.add(
            "/badge_number",
            "disagrees",
            "is not the badge number of this participant. Send only one of the two",
        )
    return event_of(db, body, faults), participant_id or holder_id, replaced_at


def _badge_number(body):
    """Return the badge number as stored, or as sent if it consists of separators only."""
    sent = body["badge_number"]
    if not sent:
        return sent
    return badges.normal(sent) or sent


def event_of(db, body, faults):
    """Return the event that the body names, or else the only event that is open at that time.

    If none is open, return the only one whose last night is not over. Add a fault and return None
    if there is no such event.
    """
    event_id = references.resolve(db, body, EVENT, faults)
    is_named = any(body.get(member) for member, _ in EVENT[1])
    if event_id is None and not is_named:
        at = body["scanned_at"] or db.now
        open_ids = db.values(sql.open_at, at=at) or _open_tonight(db, at)
        if len(open_ids) != 1:
            cause = "several events are open" if open_ids else "no event is open"
            faults.add(
                "/event_key", "required", f"is required, or `event_id`: {cause} at that time"
            )
        else:
            event_id = open_ids[0]
    return db.one(sql.event, id=event_id) if event_id else None


def _open_tonight(db, at):
    """Return the ids of the events whose last day ended before `at`, but by their `day_ends_at`
    only after it.
    """
    since = times.after(at, -timedelta(days=2))
    return [
        event["id"]
        for event in db.all(sql.just_over, at=at, since=since)
        if _day(event, event["over_at"])[1] > at
    ]


def _scanned_at(db, body, event, faults):
    """Return the time of the scan as UTC text, at most `db.now`.

    Add a fault if it is more than SKEW seconds in the future, or before the event was created and
    began.
    """
    at = body["scanned_at"] or db.now
    if times.unix(at) > times.unix(db.now) + SKEW:
        faults.add(
            "/scanned_at",
            "out_of_range",
            f"is {at}, in the future: the time of the server is {db.now}. Check the clock of the device",
        )
    known_since = min(event["date_from_at"] or event["created_at"], event["created_at"])
    earliest = times.start(times.local_date(known_since, event["timezone"]), event["timezone"])
    if at < earliest:
        faults.add(
            "/scanned_at",
            "out_of_range",
            f"is {at}, and must not be before {earliest}, when the event began or was created",
        )
    return min(at, db.now)


def _add_scan(db, body, event, participant, scanned_at, code):
    """Store a new scan and return its row.

    `code` is the reason of a refusal that no other scan can change, else None. `recompute_day` sets
    the result.
    """
    badge = _badge_number(body)
    check_in_type = body["check_in_type"]
    if not check_in_type:
        check_in_type = "scan" if badge else "manual"
    row = {
        **body,
        "event_id": event["id"],
        "event_participant_id": participant["id"] if participant else None,
        "badge_number": badge,
        "check_in_type": check_in_type,
        "scanned_at": scanned_at,
        "is_live": body["scanned_at"] is None,
        "day": times.local_date(scanned_at, event["timezone"]),
        "code": code,
        "admin_id": db.actor.admin_id,
    }
    return db.one(sql.add_scan, **row, now=db.now, stamp=db.stamp)


# Visits


def _day(event, timestamp):
    """Return the day around a timestamp. `event` has `day_ends_at` and `timezone`."""
    return times.day_around(timestamp, event["day_ends_at"], event["timezone"])


def days_of_scans(db, event_participant_id):
    """Return the days on which a participant was scanned."""
    return sorted(
        {
            _day(row, row["scanned_at"])
            for row in db.all(sql.times_of_scans, event_participant_id=event_participant_id)
        }
    )


def hand_over(db, kept_id, other_id):
    """Move visits and scans of the participant `other_id` to `kept_id`, with which it is merged,
    and compute the visits of each day again from the scans of both.
    """
    days = days_of_scans(db, other_id)
    for id in db.values(sql.visits_of_participant, id=other_id):
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
        recompute_day(db, kept_id, *day)


def recompute_day(db, event_participant_id, begin, end, since="", new=None):
    """Compute the visits of a participant on a day from the scans, and store and journal what has
    changed.

    Scans before `since` are read only if they opened or closed a visit. The others can no longer
    change anything, and a badge that lies on a scanner for hours makes many of them.

    `new` is the scan that has just been stored, if there is one. Return the scan that it repeats,
    or None.
    """
    day = {"event_participant_id": event_participant_id, "begins": begin, "ends": end}
    scans = db.all(sql.scans, **day, since=since)
    stored = {row["id"]: row for row in db.all(sql.visits, **day)}
    opened = {scan["id"]: scan["check_in_id"] for scan in scans if scan["effect"] == "opened"}

    computed, outcomes = visits.compute(scans, end)
    ids = _ids_of(computed, opened, stored)
    for id in stored.keys() - set(ids):
        _remove(db, check_ins.get(db, id))
    for place, visit in enumerate(computed):
        row = stored.get(ids[place])
        ids[place] = _store(db, visit, end, row, opened.get(visit.opening["id"]))
    id_of = {visit.opening["id"]: id for visit, id in zip(computed, ids, strict=True)}

    other = visits.repeated_scan(new, scans, outcomes) if new else None
    for scan in scans:
        effect, code, visit = outcomes[scan["id"]]
        first_effect = scan["first_effect"]
        if new and scan["id"] == new["id"]:
            first_effect = "repeated" if other else effect
        result = {
            "effect": effect,
            "code": code,
            "check_in_id": id_of[visit.opening["id"]] if visit else None,
            "first_effect": first_effect,
        }
        if any(scan[name] != value for name, value in result.items()):
            db.run(sql.judge, id=scan["id"], **result, now=db.now)
    return other


def _ids_of(computed, opened, stored):
    """Return the id of the stored check-in to use for each visit, or None for a new one.

    A visit keeps the check-in that its scan opened. Other visits use check-ins whose scan opens
    none any more.
    """
    ids = []
    for visit in computed:
        id = opened.get(visit.opening["id"])
        ids.append(id if id in stored else None)

    spare = [id for id in stored if id not in ids]
    for place, id in enumerate(ids):
        if id is None and spare:
            ids[place] = spare.pop(0)
    return ids


def _store(db, visit, latest_end_at, row, opened):
    """Store a visit, journal what changed, and return the id of its check-in.

    `row` is the stored check-in to use, or None for a new one. `opened` is the id of the check-in
    that the scan has opened before.
    """
    values = {
        **visit.opening,
        "ends_at": visit.ends_at,
        "latest_end_at": latest_end_at,
        "closed_by": visit.closed_by,
        "now": db.now,
    }
    if row is None:
        new = check_ins.get(db, db.insert(sql.open, **values))
        journal.created(db, entities.CHECK_IN, check_ins.stored(new), title=check_ins.title(new))
        return new["id"]

    same_scan = row["id"] == opened
    if same_scan and (row["ends_at"], row["closed_by"]) == (visit.ends_at, visit.closed_by):
        return row["id"]

    old = check_ins.get(db, row["id"])
    values["id"] = row["id"]
    db.run(sql.close if same_scan else sql.reopen, **values)
    new = check_ins.get(db, row["id"])
    has_left = new["closed_by"] == "check_out" and old["closed_by"] != "check_out"
    journal.updated(
        db,
        entities.CHECK_IN,
        check_ins.stored(old),
        check_ins.stored(new),
        action="checked_out" if has_left else "updated",
        title=check_ins.title(new),
    )
    return row["id"]


def _remove(db, check_in):
    """Delete and journal a check-in with its documents, notes and tasks."""
    cascade.delete_with(db, "check_in", check_in["id"])
    db.run(sql.remove, id=check_in["id"])
    journal.deleted(
        db, entities.CHECK_IN, check_ins.stored(check_in), title=check_ins.title(check_in)
    )


def _result(db, scan, other=None, *, is_new=False):
    """Return the Result of a stored scan. `other` is the scan that it repeats, if that is known.

    Raise the Problem of a scan that was refused or withdrawn. If its first response was no refusal,
    and only another scan that arrived later has made it one, return the visit to which it belongs
    now.
    """
    if scan["taken_back_at"]:
        raise Problem(
            "taken_back",
            f"The scan with `client_ref` {scan['client_ref']}, made at {scan['scanned_at']}, was withdrawn "
            "when its check-in was deleted. Send the new scan with another `client_ref`.",
        )

    check_in_id = None
    if scan["first_effect"] or not scan["code"]:
        check_in_id = scan["check_in_id"] or _visit_before(db, scan)
    if check_in_id is None:
        raise refusals.problem(db, scan)

    check_in = check_ins.get(db, check_in_id)
    check_in["effect"] = scan["first_effect"] or scan["effect"]
    if other:
        return Result(check_in, is_new, other["scanned_at"], other["station"])
    if check_in["effect"] == "repeated" and scan["action"] == "check_out":
        return Result(check_in, is_new, check_in["checked_out_at"], None)
    return Result(check_in, is_new, check_in["checked_in_at"], check_in["station"])


def _visit_before(db, scan):
    """Return the id of the last visit of the day that began before a scan, or None."""
    begin, _ = _day(db.one(sql.event, id=scan["event_id"]), scan["scanned_at"])
    return db.value(
        sql.visit_before,
        event_participant_id=scan["event_participant_id"],
        begins=begin,
        scanned_at=scan["scanned_at"],
    )


def delete(db, check_in):
    """Delete a check-in, withdraw its scans, and compute the other visits of that day again."""
    row = db.one(sql.day_of, id=check_in["id"])
    begin, end = _day(row, row["checked_in_at"])
    db.run(
        sql.take_back,
        event_participant_id=row["event_participant_id"],
        begins=begin,
        ends=end,
        id=check_in["id"],
        now=db.now,
    )
    _remove(db, check_in)
    recompute_day(db, row["event_participant_id"], begin, end)


def refuse_other_days(db, event_id, fields):
    """Raise 409 `in_use` if `fields`, those that determine the days of an event, change although it
    has check-ins.
    """
    count = db.value(sql.visit_count, event_id=event_id) if fields else 0
    if count:
        names = " and ".join(f"`{name}`" for name in fields)
        number = references.counted(count, "check-in", "check-ins")
        raise Problem(
            "in_use",
            f"The event has {number}, so {names} cannot change: the days of its visits depend on "
            "this. Delete the check-ins first.",
            used_by=["check-ins"],
        )


# Consistency check


def check(db):
    """Yield a sentence for each counter that differs from the visits. `eventapi check` prints them."""
    for wrong in db.all(sql.wrong_counts):
        yield (
            f"check-ins of {wrong['event_key']}: the counts for {wrong['hour']} at "
            f"{wrong['station'] or 'no station'} differ from the recorded visits"
        )
    for wrong in db.all(sql.wrong_visitors):
        yield (
            f"check-ins of {wrong['event_key']}, {wrong['day']}: the counter of visitors is {wrong['stored']}, but "
            f"should be {wrong['computed']}"
        )
