"""The overview of an event: what was reached, what waits for the office, what is missing and what
comes next.

`reads` is a function (scope) -> whether the caller may read the records of a scope. Amounts are in
minor units, and in major units in what `of` returns.
"""

import json
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from eventapi import money, names, times
from eventapi.domain.dunning import sending as dunning
from eventapi.domain.orders import offers
from eventapi.domain.organiser import missing
from eventapi.domain.shows import settings
from eventapi.storage.database import as_json
from eventapi.storage.statements import Statement, statements

sql = statements("overview")

MM2 = 10**6  # square millimetres in a square metre
WEEKS = 12  # weeks of `by_week`
SOON = timedelta(days=3)  # how long before its end a hold waits for a decision
LATE = timedelta(minutes=5)  # how long a mail may be due before it counts as waiting
DATES = 50  # dates of a response
STATUSES = (
    "new",
    "in_review",
    "info_requested",
    "waitlisted",
    "approved",
    "rejected",
    "withdrawn",
)
PARTS = ("contract", "submissions", "booth", "services", "invoice", "payment", "badge")
SUMS = ("invoiced", "paid", "open", "overdue", "credit")


@dataclass(frozen=True, slots=True)
class Waiting:
    """One code of `waiting`.

    Attributes:
        code: as in the response.
        scopes: what the caller must be allowed to read.
        count: the statement that counts the records, None for the codes that `_count` knows.
        names: the statement that names the first of them, None if it is the event.
        of_contacts: whether these are names of contacts.
        has_amount: whether the statement adds up amounts.
    """

    code: str
    scopes: tuple
    count: Statement | None
    names: Statement | None
    of_contacts: bool = False
    has_amount: bool = False


# in the order of the response
WAITING = (
    Waiting("applications_new", ("applications",), sql.applications_new, sql.applicants),
    Waiting("holds_ending", ("booths",), sql.holds_ending, sql.reserved_booths),
    Waiting("submissions", ("submissions",), sql.submissions, sql.submitters, of_contacts=True),
    Waiting("orders", ("service_orders",), sql.orders, sql.orderers, of_contacts=True),
    Waiting("drafts", ("invoices",), sql.drafts, sql.customers, of_contacts=True, has_amount=True),
    Waiting(
        "overdue", ("invoices",), sql.overdue, sql.customers, of_contacts=True, has_amount=True
    ),
    Waiting("letters_due", ("invoices",), None, sql.customers, of_contacts=True),
    Waiting("unmatched", ("payments",), sql.unmatched, sql.parties, has_amount=True),
    Waiting("credit", ("invoices",), sql.credit, sql.contacts, of_contacts=True, has_amount=True),
    Waiting(
        "cancelled_paid",
        ("invoices", "participants"),
        sql.cancelled_paid,
        sql.participants,
        of_contacts=True,
        has_amount=True,
    ),
    Waiting("nameless", ("participants",), sql.nameless, sql.participants, of_contacts=True),
    Waiting("mails_failed", (), sql.mails_failed, sql.recipients, of_contacts=True),
    Waiting("no_link", ("participants", "links"), sql.no_link, sql.participants, of_contacts=True),
    Waiting("without_page", ("applications",), sql.without_page, sql.applicants),
    Waiting("without_badge", ("applications",), sql.without_badge, sql.applicants),
    Waiting("to_print", ("invoices",), sql.to_print, sql.customers, of_contacts=True),
    Waiting("place_undecided", (), None, None),
    Waiting("mails_waiting", (), sql.mails_waiting, sql.recipients, of_contacts=True),
    Waiting("tasks", ("tasks",), sql.tasks, sql.titles),
)
# step of `setup` -> scope of its records, if it is done once there is one
OF_RECORDS = {
    "categories": "categories",
    "stands": "booths",
    "halls": "plans",
    "services": "services",
    "submissions": "submissions",
    "programme": "schedules",
    "dunning": "invoices",
}
STEPS = (
    "details",
    "website",
    "apply",
    "categories",
    "portal",
    "stands",
    "halls",
    "services",
    "submissions",
    "visitors",
    "programme",
    "dunning",
    "company",
)
DONE, OPEN, NEEDED = "done", "open", "needed"


def of(db, event_id, reads, *, address, has_pages):
    """Return the overview of an event, or None if there is no such event.

    `address` is the public address of the service, "" if it is not known. `has_pages`: the feature
    `pages` is enabled. Call this inside a snapshot. `setup_of` returns its part `setup` only.
    """
    event = db.one(sql.event, event_id=event_id)
    if event is None:
        return None
    pages = settings.get(db, event_id) if has_pages else None
    figures = {
        "booths": booths(db, event) if reads("booths") else None,
        "applications": applications(db, event) if reads("applications") else None,
        "participants": exhibitors(db, event) if reads("participants") else None,
        "money": sums(db, event) if reads("invoices") else None,
    }
    return {
        **figures,
        "waiting": waiting(db, event, reads),
        "setup": setup(db, event, pages, reads, address),
        "dates": dates(db, event, pages, reads, figures),
    }


def booths(db, event):
    """Return the number of booths by status, and the area that is sold, in square metres."""
    rows = db.all(sql.booths, event_id=event["id"], now=times.now())
    by_status = {row["status"]: row for row in rows}
    counted = {"total": sum(row["booths"] for row in rows)}
    for status in ("available", "reserved", "sold", "blocked"):
        counted[status] = by_status[status]["booths"] if status in by_status else 0
    sold = by_status.get("sold", {"area": 0})
    return {**counted, "area_sold": sold["area"] / MM2}


def applications(db, event):
    """Return the number of applications by status, and by week of their arrival."""
    by_status = dict.fromkeys(STATUSES, 0)
    for row in db.all(sql.applications_by_status, event_id=event["id"]):
        by_status[row["status"]] = row["applications"]
    weeks = as_json(_weeks(event["timezone"]))
    by_week = db.values(sql.applications_by_week, event_id=event["id"], weeks=weeks)
    return {"by_status": by_status, "by_week": by_week}


def _weeks(zone):
    """Return (first timestamp, that of the next week) of the last weeks, the current one last."""
    today = date.fromisoformat(times.today(zone))
    monday = today - timedelta(days=today.weekday())
    days = [monday - timedelta(weeks=back) for back in range(WEEKS - 1, -2, -1)]
    begins = [times.start(day.isoformat(), zone) for day in days]
    return list(pairwise(begins))


def exhibitors(db, event):
    """Return how many exhibitors take part, are ready, and lack each part of the checklist."""
    row = db.one(sql.exhibitors, event_id=event["id"])
    lacks = {part: row[part] for part in PARTS}
    return {"total": row["total"], "ready": row["ready"], "lacks": lacks}


def sums(db, event):
    """Return the sums of the invoices in the currency of the organiser, and in each other one."""
    own = {"currency": db.config.currency, **dict.fromkeys(SUMS, 0)}
    others = []
    for row in db.all(sql.money, event_id=event["id"], today=times.today(db.config.timezone)):
        money.convert_to_major(row, SUMS, row["currency"])
        if row["currency"] == db.config.currency:
            own = row
        else:
            others.append(row)
    return {**own, "others": others}


# What waits


def waiting(db, event, reads):
    """Return the codes for which something waits, as far as the caller may read it."""
    found = []
    for one in WAITING:
        if all(reads(scope) for scope in one.scopes):
            row = _count(db, event, one)
            if row["count"]:
                found.append(_waiting(db, event, one, row, reads))
    return found


def _count(db, event, one):
    """Return {count, ids} of what waits, with `amount` and `oldest_at` if the code has them."""
    if one.code == "letters_due":
        count, ids = dunning.waiting_of_event(db, event["id"])
        return {"count": count, "ids": as_json(ids)}
    if one.code == "place_undecided":
        is_abroad = event["country"] != db.config.organiser_country
        is_undecided = is_abroad and event["place_of_supply"] is None
        return {"count": int(is_undecided), "ids": as_json([event["id"]])}
    now = times.now()
    return db.one(
        one.count,
        event_id=event["id"],
        now=now,
        soon=times.after(now, SOON),
        due=times.after(now, -LATE),
        today=times.today(db.config.timezone),
        currency=db.config.currency,
    )


def _waiting(db, event, one, row, reads):
    """Return the API object of a code."""
    amount = None
    if one.has_amount:
        amount = money.major(row["amount"], db.config.currency)
    examples = []
    if reads("contacts") or not one.of_contacts:
        examples = _examples(db, event, one, json.loads(row["ids"]), reads)
    return {
        "code": one.code,
        "count": row["count"],
        "amount": amount,
        "oldest_at": row.get("oldest_at"),
        "examples": examples,
    }


def _examples(db, event, one, ids, reads):
    """Return {id, name} of the first records, in the order of `ids`."""
    if one.names is None:
        return [{"id": event["id"], "name": event["title"]}]
    found = db.all(one.names, ids=as_json(ids), reads_applications=reads("applications"))
    rows = {row["id"]: row for row in found}
    found = []
    for id in ids:
        if id in rows:
            found.append({"id": id, "name": names.display_name(rows[id], rows[id].get("name"))})
    return found


# What is missing


def setup_of(db, event_id, reads, *, address, has_pages):
    """Return `setup` of the overview of an event that exists, as `of` does, without the other parts."""
    event = db.one(sql.event, event_id=event_id)
    pages = settings.get(db, event_id) if has_pages else None
    return setup(db, event, pages, reads, address)


def setup(db, event, pages, reads, address):
    """Return the steps of setting up the event, as far as the caller may read their records.

    `pages` are the settings of its pages, None if the feature is disabled.
    """
    exists = db.one(sql.setup, event_id=event["id"])
    is_over = event["over_at"] is not None and event["over_at"] < times.now()
    found = {"details": _details(event, pages)}
    if pages:
        found["website"] = _website(db, event, pages)
        found["apply"] = _apply(event, pages, is_over, settings.looks_at_prices(db, event["id"]))
        found["portal"] = _portal(pages, is_over)
        found["visitors"] = _visitors(pages, exists, is_over)
    for step, scope in OF_RECORDS.items():
        if reads(scope):
            found[step] = (DONE if exists[step] else OPEN, [])
    found["company"] = _company(db.config, reads, address)
    return [
        {"step": step, "state": found[step][0], "codes": found[step][1]}
        for step in STEPS
        if step in found
    ]


def _details(event, pages):
    """Return (state, codes) of the dates and the place."""
    if event["date_from"] is None:
        return NEEDED, ["date_from"]
    if pages and pages["is_public"] and not event["is_visible"]:
        return NEEDED, ["is_visible"]
    return DONE, []


def _website(db, event, pages):
    """Return (state, codes) of the public pages. Once they are public, they must say what becomes of
    the data of those who fill in a form.
    """
    has = {
        "privacy": pages["texts"].get("privacy") or db.config.privacy_url,
        "is_public": pages["is_public"],
        "image": event["has_image"],
        "intro": pages["texts"].get("intro"),
        "visit": pages["texts"].get("visit") or not pages["visit_is_open"],
    }
    codes = [code for code, is_there in has.items() if not is_there]
    if pages["is_public"] and "privacy" in codes:
        return NEEDED, codes
    return OPEN if codes else DONE, codes


def _apply(event, pages, is_over, looks_at_prices):
    """Return (state, codes) of the form of exhibitors. `looks_at_prices` is whether it shows prices with
    tax that nobody has looked at.
    """
    state, codes = _form_of_exhibitors(event, pages, is_over)
    if looks_at_prices and not is_over:
        return (OPEN if state == DONE else state), [*codes, "price_display"]
    return state, codes


def _form_of_exhibitors(event, pages, is_over):
    """Return (state, codes) of the form of exhibitors, whatever it shows."""
    deadline = times.end(event["application_deadline"], event["timezone"])
    is_past = is_over or (deadline is not None and deadline < times.now())
    if pages["apply_is_open"] and not pages["apply_terms"]:
        return NEEDED, ["apply_terms"]
    if pages["apply_is_open"] or is_past:
        return DONE, []
    return OPEN, ["apply_is_open"] if pages["apply_terms"] else ["apply_terms", "apply_is_open"]


def _portal(pages, is_over):
    """Return (state, codes) of the pages of exhibitors."""
    return (DONE, []) if pages["my_is_open"] or is_over else (OPEN, ["my_is_open"])


def _visitors(pages, exists, is_over):
    """Return (state, codes) of the form of visitors."""
    if pages["visit_is_open"] and not exists["automatic_category"]:
        return NEEDED, ["automatic_category"]
    if pages["visit_is_open"] or is_over:
        return DONE, []
    codes = [] if exists["automatic_category"] else ["automatic_category"]
    return OPEN, [*codes, "visit_is_open"]


def _company(config, reads, address):
    """Return (state, codes) of the settings of the organiser.

    What keeps invoices from being sent is told to those who read invoices or settings, everything
    else to all.
    """
    told = []
    for gap in missing.of(config):
        is_of_invoices = set(gap.blocks) <= {missing.SEND}
        may_know = reads("settings") or reads("invoices") or not is_of_invoices
        has_address = gap.code == "no_base_url" and address
        if may_know and not has_address:
            told.append(gap)
    codes = [gap.code for gap in told]
    if any(gap.blocks for gap in told):
        return NEEDED, codes
    return OPEN if codes else DONE, codes


# What comes next


def dates(db, event, pages, reads, figures):
    """Return {date, code, count} from today on, in their order.

    `pages` are the settings of the pages, None if the feature is disabled. `figures` has the
    results of `applications` and `exhibitors`, None for what the caller may not read.
    """
    today = times.today(event["timezone"])
    found = _dates_of_event(event, figures)
    if pages:
        found += _dates_of_pages(db, event, pages, figures["participants"])
    if reads("booths"):
        found += _ends_of_holds(db, event)
    if reads("submissions"):
        found += _submissions_due(db, event, today)
    if reads("services"):
        found += _ends_of_offers(db, event)
    if reads("invoices"):
        found += _invoices_due(db, event, today)
    found = [each for each in found if each[0] and each[0] >= today]
    found.sort(key=lambda each: each[:2])
    return [{"date": day, "code": code, "count": count} for day, code, count in found[:DATES]]


def _dates_of_event(event, figures):
    """Return (day, code, count) of the dates of the event itself. A day may be None."""
    received = figures["applications"] and sum(figures["applications"]["by_status"].values())
    total = figures["participants"] and figures["participants"]["total"]
    first = times.local_date(event["date_from"], event["timezone"])
    last = times.local_date(event["date_to"], event["timezone"])
    deadline = times.local_date(event["application_deadline"], event["timezone"])
    return [
        (deadline, "application_deadline", received),
        (first, "event_begins", total),
        (last or first, "event_ends", total),
    ]


def _dates_of_pages(db, event, pages, participants):
    """Return (day, code, count) of the dates of the pages. A day may be None."""
    without_booth = participants and participants["lacks"]["booth"]
    visitors = participants and db.value(sql.visitors, event_id=event["id"])
    found = [
        (pages["booth_from"], "booth_choice_begins", without_booth),
        (pages["booth_until"], "booth_choice_ends", without_booth),
        (pages["visit_until"], "visit_until", visitors),
    ]
    return [
        (times.local_date(value, event["timezone"]), code, count) for value, code, count in found
    ]


def _ends_of_holds(db, event):
    ends = db.values(sql.holds, event_id=event["id"], now=times.now())
    return _counted("hold_ends", [times.local_date(end, event["timezone"]) for end in ends])


def _submissions_due(db, event, today):
    begins = times.start(today, event["timezone"])
    rows = db.all(sql.submissions_due, event_id=event["id"], begins=begins)
    return [
        (
            times.local_date(row["due_at"], event["timezone"]),
            "submission_due",
            row["participants"],
        )
        for row in rows
    ]


def _ends_of_offers(db, event):
    rows = db.all(sql.offers, event_id=event["id"])
    early = [row["early_bird_until"] for row in rows if row["early_bird_until"]]
    last = [offers.last_day(row) for row in rows if offers.last_day(row)]
    return _counted("early_bird_ends", early) + _counted("order_deadline", last)


def _invoices_due(db, event, today):
    rows = db.all(sql.invoices_due, event_id=event["id"], today=today)
    return [(row["due_date"], "invoice_due", row["invoices"]) for row in rows]


def _counted(code, days):
    """Return (day, code, number) of each day."""
    return [(day, code, days.count(day)) for day in set(days)]
