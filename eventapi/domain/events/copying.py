"""Copy an event, to be held again: every date moves by the same number of days."""

from eventapi import journal, times
from eventapi.domain.attachments import tasks
from eventapi.domain.events import categories, events
from eventapi.domain.halls import booth_rows, plans, pricing
from eventapi.domain.orders import services
from eventapi.domain.records import custom_fields, entities
from eventapi.domain.shows import settings
from eventapi.domain.submissions import types as submission_types
from eventapi.errors import Faults, invalid_at
from eventapi.storage.statements import statements

sql = statements("copying")
sql_of_plans, sql_of_booths = statements("plans"), statements("booths")
sql_of_services, sql_of_offers = statements("services"), statements("offers")

DATES = ("date_from", "date_to", "application_deadline")


def moved(event, date_from, *, opening_hours):
    """Return `(fields of the copy, number of days that it is later)`.

    An event without dates moves by 0 days.
    """
    zone = event["timezone"]
    known = event["date_from"] or event["date_to"]
    days = (
        times.days_between(times.local_date(known, zone), times.local_date(date_from, zone))
        if known
        else 0
    )
    hours = event["opening_hours"] if opening_hours else []
    hours = [{**entry, "date": times.add_days(entry["date"], days)} for entry in hours]
    new = {
        **event,
        **{name: times.shifted(event[name], days, zone) for name in DATES},
        "date_from": date_from,
        "opening_hours": hours,
        "is_visible": False,
    }
    return new, days


def copy_plans(db, old_id, new_id, days):
    """Copy the plans with their booths. Blocked booths stay blocked, all others are available."""
    for plan in db.all(sql.plans, event_id=old_id):
        id = db.insert(sql_of_plans.add, **{**plan, "event_id": new_id}, now=db.now)
        new = plans.get(db, id)
        journal.created(db, entities.PLAN, new)
        booths = [
            {**booth, "plan_id": id, "event_id": new_id}
            for booth in db.all(sql.booths, plan_id=plan["id"])
        ]
        _copy_booths(db, booths)


def _copy_booths(db, booths):
    """Store and journal copies of booths, dicts with the ids of the new plan and event.

    Compute their prices.
    """
    faults, ids = Faults(), []
    for booth in booths:
        ids.append(db.insert(sql_of_booths.add, **booth, now=db.now))
        custom_fields.copy(db, "booth", booth["id"], ids[-1])
    for booth in booth_rows.rows(db, ids):
        pricing.store_price(db, booth, "/date_from", faults)
    faults.raise_any()
    journal.created_many(
        db, entities.BOOTH, [booth_rows.represent(db, booth) for booth in booth_rows.rows(db, ids)]
    )


def copy_services(db, old_id, new_id, days):
    """Offer the same services on the same terms, with their dates moved by `days`."""
    for offer in db.all(sql.offers, event_id=old_id):
        old = services.get(db, offer["service_id"])
        dates = {
            name: offer[name] and times.add_days(offer[name], days)
            for name in ("early_bird_until", "order_deadline")
        }
        db.run(sql_of_offers.put, **{**offer, **dates, "event_id": new_id})
        db.run(sql_of_services.touch, id=old["id"], now=db.now)
        journal.updated(db, entities.SERVICE, old, services.get(db, old["id"]))


def copy_categories(db, old_id, new_id, days):
    """Assign the categories of the event to its copy."""
    for id in db.values(sql.categories, event_id=old_id):
        old = categories.get(db, id)
        db.run(sql.add_category, category_id=id, event_id=new_id)
        db.run(sql.touch_category, id=id, now=db.now)
        journal.updated(db, entities.CATEGORY, old, categories.get(db, id))


# value of `with` -> (function that copies the part, the scopes that it requires besides `events`)
PARTS = {
    "plans": (copy_plans, ("plans", "booths")),
    "services": (copy_services, ("services",)),
    "categories": (copy_categories, ("categories",)),
    "submission_types": (submission_types.copy_types, ("submissions",)),
    "tasks": (tasks.copy_tasks, ("tasks",)),
}


def scopes(parts):
    """Return the scopes that copying these parts requires besides `events`, each once."""
    return list(dict.fromkeys(scope for part in parts if part in PARTS for scope in PARTS[part][1]))


def copy(db, old, fields, base_url):
    """Copy the event `old` to begin on `date_from`, with the parts that `with` names, and return
    the copy. Without `title`, it has the title of the event.

    It is not visible yet.

    Call this inside a write transaction. Raise 422 if a date moves out of range, 409 `duplicate` if
    `event_key` is taken.
    """
    parts = dict.fromkeys(fields["with"])  # each once
    try:
        new, days = moved(old, fields["date_from"], opening_hours="opening_hours" in parts)
        new["title"] = fields["title"] or old["title"]
        key = fields["event_key"] or events.free_key(db, new)
        id = events.add(db, {**new, "event_key": key}, base_url)["id"]
        for copy_part, _ in [PARTS[part] for part in parts if part in PARTS]:
            copy_part(db, old["id"], id, days)
        settings.copy(db, old["id"], id)
    except OverflowError:
        raise invalid_at(
            "/date_from", "date", "would move a date out of range: the year must be from 2 to 9998"
        ) from None
    return events.get(db, id, base_url)
