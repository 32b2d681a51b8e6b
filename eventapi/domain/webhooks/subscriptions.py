"""Webhooks: who is told of which events. The worker makes deliveries of the events that happened, in the order they happened."""
import json
from datetime import datetime, timedelta, timezone

from eventapi import journal, times
from eventapi.domain.attachments import tasks
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("webhooks")

MOST_ACTIVE = 50
PIECE = 200                              # events that one transaction looks at
PIECES = 50                              # transactions of a round, so that the deliveries begin, and other jobs have their turn
STUCK = timedelta(hours=1)
KEPT = timedelta(days=30)
BOTH_SIGN = timedelta(hours=24)          # after a rotation


def get(db, id):
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """As it is answered and journalled: without its secret and its headers, which may hold one."""
    row["events"], row["is_active"] = json.loads(row["events"]), bool(row["is_active"])
    return {**row, "secret": None}


def represent_delivery(row):
    return {"id": row["id"], "webhook_id": row["webhook_id"], "message_id": message_id(row["outgoing_id"], row["event_at"]),
            "event_type": row["event_name"], **{name: row[name] for name in (
                "entity_type", "entity_id", "status", "attempts", "next_attempt_at", "response_status", "error", "duration_ms",
                "delivered_at", "created_at", "updated_at")}}


def message_id(event_id, moment):
    """The same at every attempt and in the feed. The moment is in it because a restored database gives ids out again."""
    return f"evt_{event_id}_{times.unix(moment)}"


def message(name, moment, data):
    """The body of a delivery. `data` is JSON already; nothing once the record was anonymised."""
    return f'{{"type":{as_json(name)},"timestamp":"{moment}","data":{data or "null"}}}'.encode()


# Events become deliveries

def is_on(db):
    """False while the feature or the plan is: what happens meanwhile is told afterwards."""
    return bool(db.value(sql.is_on))


def fan_out(db, stopping):
    """Looks at the events that are new, piece by piece, so many a round; true when there are more."""
    behind = db.one(sql.behind)
    if behind["after"] is None:
        return False
    newest = behind["newest"] or 0
    end = min(newest, behind["after"] + PIECE * PIECES)
    for after in range(behind["after"], end, PIECE):
        if stopping():
            break
        with db.write():
            _look_at(db, after, min(after + PIECE, end))
    return end < newest


def with_work(db):
    """The webhooks that have a delivery due, or one that somebody died over, and that nobody delivers to now."""
    return db.values(sql.with_work, now=times.now())


def settle(db, id):
    """Looks at all new events for one webhook, before it changes: what happened until now is told by what it was until now."""
    behind = db.one(sql.behind)
    if behind["after"] is not None and behind["newest"]:
        _look_at(db, behind["after"], behind["newest"], webhook_id=id)


def _look_at(db, after, until, **one):
    """Makes deliveries of the events behind `after` up to `until`; of each record only the first open one may go out."""
    last, given = db.value(sql.last_delivery), frozenset(one)
    added = db.connection.execute(sql.fan_out.form(given), {"after": after, "until": until, "now": db.now, **one}).rowcount
    if added:
        db.run(sql.release_first, after=last, now=db.now)
    db.connection.execute(sql.looked_at.form(given), {"until": until, **one})


def add_test(db, webhook):
    """An event of its own for this webhook, whatever it listens to; gives the delivery."""
    outgoing_id = journal.acted(db, "tested", "webhook", webhook, title=webhook["name"], scope="webhooks")
    settle(db, webhook["id"])                          # where the webhook listens to it anyway, it is there now
    id = db.value(sql.delivery_of, webhook_id=webhook["id"], outgoing_id=outgoing_id)
    if id is None:
        last = db.value(sql.last_delivery)
        id = db.insert(sql.add_test, webhook_id=webhook["id"], outgoing_id=outgoing_id, now=db.now)
        db.run(sql.release_first, after=last, now=db.now)
    return delivery(db, webhook["id"], id)


def delivery(db, webhook_id, id):
    row = db.one(sql.delivery, webhook_id=webhook_id, id=id)
    return row and represent_delivery(row)


def switch_off(db, id, *, why, needs_somebody):
    """Switches a webhook off whose receiver does not want it, or cannot take it; then somebody has to look after it."""
    old = get(db, id)
    db.run(sql.switch_off, id=id, now=db.now)
    journal.updated(db, "webhook", old, get(db, id), action="disabled", title=old["name"], scope="webhooks")
    if needs_somebody:
        owner = db.one(sql.owner, id=id)
        tasks.add(db, {"title": f"Webhook {old['name']} was switched off"[:255], "description": why, "status": "pending", "priority": "high",
                       "due_date": None, "due_at": None, "assigned_to": owner["admin_id"] if owner["is_active"] else None,
                       "entity_type": None, "entity_id": None, "event_id": None, "created_by": owner["admin_id"],
                       "completed_at": None, "completed_by": None})


# Looking after

def backlog(db):
    """What waits: deliveries, the age of the oldest in seconds, events not looked at yet, and webhooks by state."""
    waiting, behind = db.one(sql.waiting), db.one(sql.behind)
    oldest = waiting["first_event"] and db.value(sql.event_at, id=waiting["first_event"])
    unseen = 0 if behind["after"] is None else max(0, (behind["newest"] or 0) - behind["after"])
    return {"deliveries": waiting["deliveries"], "unseen": unseen, "states": db.one(sql.states),
            "oldest": oldest and max(0, times.unix(times.now()) - times.unix(oldest))}


def check(db):
    """For `eventapi check`: deliveries that nobody takes on, as when no worker runs."""
    before = times.text(datetime.now(timezone.utc) - STUCK)
    for row in db.all(sql.stuck, before=before) if is_on(db) else ():
        yield (f"{row['deliveries']} deliveries of webhook {row['webhook_id']} are stuck, the oldest since "
               f"{row['oldest']}: check that the worker runs")


def forget_deliveries(db, size):
    """Removes the oldest deliveries after 30 days, when their events are gone as well; gives how many."""
    before = times.text(datetime.now(timezone.utc) - KEPT)
    with db.write():
        return db.run(sql.forget_deliveries, before=before, size=size)
