"""The page at the door: what a link of kind door may send and see.

A link is a row with `event_id`, `station`, `created_at`, `ends_at` and `revoked_at`. It admits to
its event only.
"""

from datetime import timedelta

from eventapi import times
from eventapi.domain.entrance import batches
from eventapi.domain.entrance.admission import SKEW
from eventapi.errors import Problem, invalid_at
from eventapi.names import full_name
from eventapi.storage import folding
from eventapi.storage.statements import statements

sql = statements("door")

# for which a link that has ended accepts the scans that waited on a device
LATE = timedelta(days=7)
MOST = 10  # results of a search


def record(db, link, scans, check):
    """Record the scans of a device, and return one result each, in their order.

    Call it inside a write transaction.

    A scan has `client_ref`, `badge_number`, `action`, `station` and `scanned_at`; `check` is that
    of POST /check-ins. A result has `client_ref`, `status`, `code`, `effect` and `pointer` (of the
    first fault) as the single request would have; and of the person, as far as they are known,
    `name`, `company`, `role`, `category`, and `since` and `station`: when and where the visit began
    or, with the effect `repeated`, the badge was read before.
    """
    outcomes = batches.record(db, scans, lambda scan: _checked(link, scan, check, db.now))
    return [
        {"client_ref": scan["client_ref"], **_shown(outcome)}
        for scan, outcome in zip(scans, outcomes, strict=True)
    ]


def has_ended(link, now):
    """Return whether the link can no longer send scans: it was revoked, or ended more than LATE
    ago.
    """
    late = link["ends_at"] and times.after(link["ends_at"], LATE)
    return bool(link["revoked_at"] or (late and late < now))


def _checked(link, scan, check, now):
    """Return a scan as a body of POST /check-ins.

    Raise 422 if it was not made while the link was valid.
    """
    body = check(
        {
            "event_id": link["event_id"],
            "check_in_type": "app",
            "badge_number": scan["badge_number"],
            "action": scan["action"],
            "client_ref": scan["client_ref"],
            "scanned_at": scan["scanned_at"],
            "station": link["station"] or scan["station"],
        }
    )
    if times.unix(body["scanned_at"]) < times.unix(link["created_at"]) - SKEW:
        raise invalid_at(
            "/scanned_at",
            "out_of_range",
            f"is {body['scanned_at']}, before the link of this device was made at {link['created_at']}. "
            f"The time of the server is {now}. Check the clock of the device",
        )
    if link["ends_at"] and body["scanned_at"] >= link["ends_at"]:
        raise invalid_at(
            "/scanned_at",
            "out_of_range",
            f"is {body['scanned_at']}, after the link of this device ended at {link['ends_at']}",
        )
    return body


def _shown(outcome):
    """Return what the device shows of a scan: its Result, or the Problem for which it was refused."""
    if isinstance(outcome, Problem):
        visit = outcome.members.get("check_in")
        pointer = outcome.errors[0]["pointer"] if outcome.errors else None
        since = {"since": visit and visit["checked_in_at"], "station": visit and visit["station"]}
        return {
            "status": outcome.status,
            "code": outcome.code,
            "effect": None,
            "pointer": pointer,
            **_person(visit),
            **since,
        }
    return {
        "status": batches.status(outcome),
        "code": None,
        "effect": outcome.check_in["effect"],
        "pointer": None,
        **_person(outcome.check_in),
        "since": outcome.since,
        "station": outcome.station,
    }


def _person(visit):
    """Return what a device shows of the person of a visit. `visit` is an API object or None."""
    if visit is None:
        return {"name": None, "company": None, "role": None, "category": None}
    contact = visit["contact"]
    name = full_name(contact)
    category = visit["category"]
    return {
        "name": visit["badge_name"] or name or None,
        "company": contact["company_name"],
        "role": visit["role"],
        "category": category and category["title"],
    }


def now(db, link):
    """Return what the page at the door shows of its event, and the revision of the roster."""
    event = db.one(sql.event, id=link["event_id"])
    at = times.now()
    begins, ends = times.day_around(at, event["day_ends_at"], event["timezone"])
    present = db.value(sql.present, event_id=event["id"], day_end=ends)
    revision = db.one(sql.roster, event_id=event["id"])["revision"]
    return {
        "now": at,
        "link": link["ref"],
        "station": link["station"],
        "rights": link["rights"],
        "language": link["language"],
        "event": {name: event[name] for name in ("id", "event_key", "title", "timezone")},
        "day_began_at": begins,
        "present": present,
        "revision": revision,
    }


def search(db, link, text):
    """Return at most MOST participants of the event whose name, company or number begins with each
    word of a text.

    Each has `name`, `company`, `role`, `category`, `status` and `badge_number`.
    """
    words = folding.expression(text)
    rows = db.all(sql.search, event_id=link["event_id"], search=words, most=MOST) if words else []
    return [
        {
            **{
                name: row[name]
                for name in ("company", "role", "category", "status", "badge_number")
            },
            "name": row["badge_name"] or row["name"],
        }
        for row in rows
    ]
