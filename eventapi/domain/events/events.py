"""Events: trade shows and their pictures.

Every function that writes is called inside a write transaction and journals the change. `base_url`
is the public address of the service: the URL of an event's picture begins with it. The picture is a
document about the event, without a document number, stored unchanged.
"""

import json

from eventapi import journal, times
from eventapi.domain.attachments import cascade, pictures, tasks
from eventapi.domain.entrance import admission
from eventapi.domain.events import calendar_feed, schedules
from eventapi.domain.halls import plans, pricing
from eventapi.domain.orders import services
from eventapi.domain.records import custom_fields, due_dates, entities, references, slugs
from eventapi.domain.shows import settings
from eventapi.domain.submissions import types as submission_types
from eventapi.domain.vat import places
from eventapi.errors import Faults, fault, invalid
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("events")

# prices and due dates may depend on them
DATES = (
    "date_to",
    "date_from",
    "timezone",
    "application_deadline",
)


# Reading


def get(db, id, base_url=None):
    """Return the event, or None. Without `base_url` its picture has no `url`."""
    row = db.one(sql.get, id=id)
    return row and represent(row, base_url)


def represent(row, base_url=None):
    """Turn a row into the API object, in place, and return it."""
    row["is_visible"] = bool(row["is_visible"])
    for member in {"image", "opening_hours", "custom_fields"} & row.keys():
        row[member] = row[member] and json.loads(row[member])
    if base_url and row["image"]:
        row["image"]["url"] = f"{base_url}/api/v1/documents/{row['image']['document_id']}/content"
    return row


def represent_public(row, base_url):
    """Return the API object of an event for web pages, without what is for the office only."""
    return {**represent(row, base_url), "cost_centre": None, "place_of_supply": None}


def add_opening_hours(db, events):
    """Add the field `opening_hours` to each API object of a list."""
    ids = as_json([event["id"] for event in events])
    hours = {row["id"]: row["opening_hours"] for row in db.all(sql.opening_hours_of, ids=ids)}
    for event in events:
        event["opening_hours"] = json.loads(hours[event["id"]])


def check(db):
    """Yield a sentence for each event in another country whose place of supply is not decided."""
    home = db.config.organiser_country
    for event in db.all(sql.undecided_abroad, home=home):
        yield (
            f"event {event['id']} ({event['event_key']}) takes place in {event['country']}, organiser_country is "
            f"{home}, and its place_of_supply is not decided: set it to recipient or event"
        )


# Writing


def create(db, fields, base_url):
    """Create an event and return it.

    `fields` is a complete validated body; a missing `event_key` is made from title and year, and a
    missing `place_of_supply` follows from the country of the organiser.

    Raise 422 for dates, opening hours and custom fields that are wrong; 409 `duplicate` for a taken
    key.
    """
    place = places.usual(db.config.organiser_country)
    fields = {
        **fields,
        "timezone": fields["timezone"] or db.config.timezone,
        "country": fields["country"] or db.config.organiser_country,
        "place_of_supply": fields.get("place_of_supply", place),
    }
    fields["event_key"] = fields["event_key"] or free_key(db, fields)
    faults = Faults()
    fields["custom_fields"] = custom_fields.checked(db, "event", fields, {}, faults)
    return add(db, fields, base_url, faults)


def add(db, event, base_url, faults=()):
    """Check, store and return a new event, which has these `faults` already.

    Raise 422 and 409 as `create` does.
    """
    _check(event, faults)
    slugs.claim_key(db, sql.key_taken, "event", "event_key", event["event_key"])
    id = db.insert(sql.add, **_columns(event), now=db.now)
    custom_fields.store(db, "event", id, {}, event["custom_fields"])
    new = get(db, id, base_url)
    journal.created(db, entities.EVENT, new)
    return new


def update(db, old, fields, base_url):
    """Change an event and return it.

    `fields` holds the changed fields. Booth prices, due dates and sessions are computed again from
    the new dates and the new time zone. Opening hours move with the days, see `moved_hours`.

    Raise 422 as `create` does, and if a price or due date cannot be computed; 409 `duplicate`, or
    `in_use` for another time zone or end of the day after check-ins.
    """
    id, faults = old["id"], Faults()
    hours = moved_hours(old, fields)
    if hours is not None:
        fields = {**fields, "opening_hours": hours}
    merged = {
        **old,
        **fields,
        "custom_fields": custom_fields.checked(db, "event", fields, old["custom_fields"], faults),
    }
    _check(merged, faults)
    if merged["event_key"] != old["event_key"]:
        slugs.claim_key(db, sql.key_taken, "event", "event_key", merged["event_key"])
    admission.refuse_other_days(
        db, id, [name for name in ("timezone", "day_ends_at") if merged[name] != old[name]]
    )
    if merged != old:
        db.run(sql.change, **_columns(merged), now=db.now)
        custom_fields.store(db, "event", id, old["custom_fields"], merged["custom_fields"])
    new = _journal_update(db, old, base_url)
    changed = [name for name in DATES if new[name] != old[name]]
    if changed:
        pricing.reprice(db, db.values(sql.booths_priced_by_days, id=id), f"/{changed[0]}")
        _move_due_dates(db, id, f"/{changed[0]}")
    if new["timezone"] != old["timezone"]:
        schedules.recompute_times(db, id, new["timezone"])
    return new


def moved_hours(old, fields):
    """Return the opening hours of an event that moves, later by as many days; None if they stay.

    `fields` are those that change. They stay if other ones are sent, if only one end of the event
    moves, and if one of them was outside its days.
    """
    hours = old["opening_hours"]
    if not hours or fields.get("opening_hours", hours) != hours:
        return None
    first, last = _days(old)
    new_first, new_last = _days({**old, **fields})
    if first is None or new_first is None:
        return None
    days = times.days_between(first, new_first)
    if days == 0 or times.days_between(last, new_last) != days:
        return None
    if any(not first <= entry["date"] <= last for entry in hours):
        return None
    return [{**entry, "date": times.add_days(entry["date"], days)} for entry in hours]


def _days(event):
    """Return (first day, last day) of an event, (None, None) without a first day."""
    first = times.local_date(event["date_from"], event["timezone"])
    last = times.local_date(event["date_to"], event["timezone"])
    return (first, last or first) if first else (None, None)


def _move_due_dates(db, id, pointer):
    """Compute the due dates of tasks and submission types again.

    Raise 422 at `pointer` if one is out of range.
    """
    event = due_dates.event_of(db, id)
    try:
        tasks.move_due_dates(db, event)
        submission_types.move_due_dates(db, event)
    except OverflowError:
        raise invalid(
            [
                fault(
                    "date",
                    "would move a due date out of range: the year must be from 2 to 9998",
                    pointer=pointer,
                )
            ]
        ) from None


def delete(db, event):
    """Delete an event with its plans, offers, sessions and submission types.

    Raise 409 `in_use` while other records depend on it.
    """
    id = event["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The event has {}, so it cannot be deleted. Delete these "
        "first, or set `is_visible` to false to hide the event.",
    )
    cascade.delete_with(db, "event", id)
    calendar_feed.delete_with(db, id)
    plans.delete_with(db, id)
    services.delete_offers_at(db, id)
    schedules.delete_with(db, id)
    submission_types.delete_with(db, id)
    settings.delete_with(db, id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.EVENT, event)


def set_image(db, event, upload, base_url):
    """Replace the picture of an event by an uploaded file and return the event.

    Raise 415 or 422 for a file that is not a picture.
    """
    old = event["image"] and event["image"]["document_id"]
    new = pictures.store(db, upload, old, "event", event["id"])
    if new != old:
        db.run(sql.set_image, id=event["id"], image_document_id=new, now=db.now)
    return _journal_update(db, event, base_url)


def remove_image(db, event, base_url):
    """Remove the picture of an event and return the event. Do nothing if it has none."""
    _drop_image(db, event)
    return _journal_update(db, event, base_url)


def _drop_image(db, event):
    if event["image"]:
        db.run(sql.set_image, id=event["id"], image_document_id=None, now=db.now)
        pictures.remove(db, event["image"]["document_id"])


def free_key(db, event):
    """Return a free key made from title and year, with a suffix if it is taken."""
    year = (event["date_from"] or "")[:4]
    title = event["title"] if not year or year in event["title"] else f"{event['title']} {year}"
    return slugs.free_key(db, sql.key_taken, "event_key", title)


def _journal_update(db, old, base_url):
    """Journal what differs between `old` and the stored event, and return the stored one."""
    new = get(db, old["id"], base_url)
    journal.updated(db, entities.EVENT, old, new)
    return new


def _columns(event):
    """Return the columns of an event: dates as sent, and the UTC timestamps that they mean."""
    zone = event["timezone"]
    last_day = times.local_date(event["date_to"] or event["date_from"], zone)
    return {
        **event,
        "opening_hours": as_json(event["opening_hours"]),
        "date_from_at": times.start(event["date_from"], zone),
        "date_to_at": times.end(event["date_to"], zone),
        "over_at": times.end(last_day, zone),
        "application_deadline_at": times.end(event["application_deadline"], zone),
    }


def _check(event, faults=()):
    """Raise 422 for `faults` and for dates or opening hours in the wrong order."""
    faults, zone = Faults(faults), event["timezone"]
    begins, ends = times.start(event["date_from"], zone), times.end(event["date_to"], zone)
    if begins and ends and ends < begins:
        faults.add("/date_to", "before_start", "must not be before `date_from`")
    hours = event["opening_hours"]
    for place, entry in enumerate(hours):
        if entry["closes"] <= entry["opens"]:
            faults.add(f"/opening_hours/{place}/closes", "before_start", "must be after `opens`")
        for other in hours[:place]:
            if (
                other["date"] == entry["date"]
                and other["opens"] < entry["closes"]
                and entry["opens"] < other["closes"]
            ):
                faults.add(
                    f"/opening_hours/{place}",
                    "overlap",
                    f"overlaps the opening hours from {other['opens']} to {other['closes']} on that date",
                )
                break
    faults.raise_any()
