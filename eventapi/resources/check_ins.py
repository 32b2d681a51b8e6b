"""Check-ins: visits of participants with time and station, the scans that were refused, and the
offline roster.
"""

from datetime import datetime, timezone

from eventapi import __version__, times
from eventapi.domain.entrance import admission, badges, batches, check_ins
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT, PARTICIPANT
from eventapi.errors import Faults, fault, invalid
from eventapi.plugins.read_only import ignored_in
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.bodies import Body
from eventapi.web.lists import page
from eventapi.web.rest import Response, created, etag, found, is_known, require_match, streamed
from eventapi.web.routes import Routes

routes = Routes("check-ins", "check_in", scope="checkins")
sql = statements("check_ins")


@routes.list("/check-ins", query="check_in.query")
def list_check_ins(db, query):
    """List check-ins."""
    query = {**references.filters(db, query, EVENT, PARTICIPANT), "now": times.now()}
    if "is_checked_in" in query:
        query["present" if query.pop("is_checked_in") else "absent"] = True
    return page(db, sql.list, query, check_ins.represent)


@routes.post("/check-ins", schema="check_in", again=200)
def create_check_in(db, body):
    """Record a scan.

    Returns 201 with the check-in that the scan opens, or 200 with the check-in that it closes or
    repeats.

    The time of the scan counts, not the time of the request. A scan with the same `client_ref` is
    the same scan. So is a scan of the same badge within ten seconds, unless both scans name a
    station and the stations differ. A refused scan is stored, see /check-ins/refusals. A visit ends
    at the first `day_ends_at` of the event after the check-in at the latest. A `check_out` of a
    participant who is inside works even after a cancellation.

    `effect` says what the scan did. Show a scan that is `repeated` to the staff, whatever its
    status: two people may use one badge.
    """
    result = admission.scan(db, body)
    return created(result.check_in, "/check-ins") if result.is_new else result.check_in


@routes.post("/check-ins/batch", schema="check_in.batch", response="check_in.results")
def create_check_in_batch(db, body):
    """Record up to 1,000 scans, in any order and any number of times.

    A refused scan does not stop the others.

    Each result contains the status that the scan would have as a single request, and either the
    check-in or the code and detail of the problem.
    """
    scans = body["scans"]
    outcomes = batches.record(db, scans, Body("check_in", "POST", db.config.timezone))
    results = [batches.represent(index, outcome) for index, outcome in enumerate(outcomes)]
    for scan, result in zip(scans, results, strict=True):
        is_recorded = result["code"] is None
        ignored = ignored_in("check_in", scan, None, result["data"]) if is_recorded else []
        if ignored:
            result["ignored"] = ignored
    return {"results": results}


@routes.get("/check-ins/stats", query="check_in.figures", response="check_in.stats")
def get_check_in_stats(db, query):
    """Count visitors, check-ins and check-outs of an event, or of one day of it, by station and by
    hour.

    A visit belongs to the day of its check-in. Without `event_key` or `event_id`, the figures are
    those of the only event that is open today.
    """
    return check_ins.stats(db, event_of(db, query), query.get("date"))


@routes.get("/check-ins/roster", query="check_in.named", response="check_in.roster")
def get_check_in_roster(db, query, request_id):
    """Get the roster that a device needs to check badges offline.

    To check a badge, compute the SHA-256 of salt and badge number (upper case, without spaces and
    hyphens) as hex and look it up. Admit participants that are registered or confirmed; a badge
    with the status `replaced` was reported as lost. With `updated_since` (the `updated_at` of the
    last response) only changes are returned; the salt of an event stays the same. A deleted
    participant no longer appears in the full roster, and `updated_since` does not report it. Send
    the scans to /check-ins/batch later.
    """
    event, since = event_of(db, query), query.get("updated_since")
    state = check_ins.roster(db, event["id"])
    now = times.text(datetime.now(timezone.utc) - check_ins.OVERLAP)
    tag = etag(as_json([__version__, event["id"], state["salt"], state["revision"], since]))
    if is_known(tag):
        return Response(status=304, headers={"ETag": tag}, body=b"")
    head = {
        "event_id": event["id"],
        "event_key": event["event_key"],
        "salt": state["salt"],
        "algorithm": "sha256",
        "updated_at": now,
    }
    pieces = check_ins.roster_badges(db, event["id"], state["salt"], since)
    return Response(
        body=streamed(head, "badges", pieces, request_id),
        headers={"Content-Type": "application/json", "ETag": tag},
    )


@routes.list("/check-ins/refusals", singular="check_in_refusal", query="check_in_refusal.query")
def list_check_in_refusals(db, query):
    """List the refused scans, each with the reason."""
    query = references.filters(db, query, EVENT, PARTICIPANT)
    if "badge_number" in query:
        query["badge_number"] = badges.normal(query["badge_number"])
    return page(db, sql.refusals, query)


@routes.get("/check-ins/<id>")
def get_check_in(db, id):
    """Get a check-in."""
    return get(db, id)


@routes.update("/check-ins/<id>", schema="check_in")
def update_check_in(db, id, body):
    """Change station and notes of a check-in. All other fields come from the scans."""
    return check_ins.update(db, require_match(get(db, id)), body)


@routes.delete("/check-ins/<id>")
def delete_check_in(db, id):
    """Delete a check-in and withdraw its scans."""
    admission.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(check_ins.get(db, id), "check_in", id)


def event_of(db, query):
    """Return the event that the query names, or else the only event that is open now.

    Raise 422 if there is none.
    """
    faults = Faults()
    event = admission.event_of(db, {"scanned_at": times.now(), **query}, faults)
    if faults:
        raise invalid(
            [
                fault(entry["code"], entry["detail"], parameter=entry["pointer"][1:])
                for entry in faults
            ]
        )
    return event
