"""What all pages of the desk share: the event in hand, the menu, the banners, labels of fields, and
lists.
"""

import re
from decimal import Decimal
from html import escape
from urllib.parse import urlencode

from eventapi import times
from eventapi.domain.upkeep import housekeeping
from eventapi.errors import Problem
from eventapi.languages import countries, formats
from eventapi.names import display_name
from eventapi.pages.desk import api
from eventapi.storage.errors import damage
from eventapi.storage.statements import statements
from eventapi.web.html import page_requests, schema_forms, shell
from eventapi.web.html.forms import id_of

sql = statements("desk")
PACKAGE = "eventapi.pages.desk"
SILENT = 120  # seconds after which the worker is called silent
# Part of the menu -> the scope without which it is left out.
MENU = (
    ("today", "", "events"),
    ("applications", "applications", "applications"),
    ("exhibitors", "exhibitors", "participants"),
    ("hall", "hall", "booths"),
    ("money", "money", "invoices"),
    ("people", "people", "contacts"),
    ("setup", "setup", "events"),
)
EXHIBITING = ("exhibitor", "co_exhibitor", "sponsor")


def shown(db, visit, name, *, menu=None, status=None, **values):
    """Return a page of the desk. `menu` is the part of the menu that it belongs to."""
    event = values.pop("current", None) or current(db)
    return page_requests.shown(
        visit,
        PACKAGE,
        name,
        status=status,
        menu=menu,
        current=event,
        events=choice(db, event),
        entries=[(part, target) for part, target, scope in MENU if api.may(visit, scope)],
        banner=banner(db),
        currency=db.config.currency,
        now=times.now(),
        to=address_of(visit, event),
        here=here(),
        urlencode=urlencode,
        may=lambda scope, writes=False: api.may(visit, scope, writes=writes),
        **written(db, visit, event),
        ticked="checked" if shell.asked("tick") else "",
        **of_forms(visit, values.get("form"), values.get("given")),
        **{"title": None, **values, "asked": {**shell.asked("event"), **values.get("asked", {})}},
    )


def written(db, visit, event):
    """Return the functions with which templates write values and names."""
    texts, zone = words(visit), event["timezone"] if event else db.config.timezone
    language = visit.language
    return {
        "say": lambda word, default="": texts.get(word, default),
        "named": named,
        "amount": lambda value, currency: (
            "" if value is None else formats.money(value, currency, language)
        ),
        "day": lambda value: formats.day(times.local_date(value, zone), language) if value else "",
        "moment": lambda value: formats.moment(value, zone, language) if value else "",
        "price": lambda value, currency: (
            "" if value is None else formats.amount(value, currency, language)
        ),
        "country": lambda code: countries.name(code, language) if code else "",
        "number": lambda value: formats.number(value, language) if value is not None else "",
        "reason": lambda item: reason(texts, item),
        "cell_of": lambda item: cell(texts, item),
        "summary": lambda kind, row: summary(texts, language, kind, row),
    }


def of_forms(visit, form, given):
    """Return what templates need of a form: labels, rows of lists, and the sentences about faults."""
    label = labels(visit)
    return {
        "label_of": lambda name: label(re.sub(r"/\d+(?=/|$)", "", name))[0],
        "rows_of": schema_forms.rows,
        "any_of": any_of,
        "options_of": options_of,
        "sentences": sentences(visit, form, given or {}),
    }


def any_of(given, field):
    """Return whether a row of a list has any text, so that a box without a tick means no."""
    row = field.name.rpartition("/")[0]
    return any(
        name.startswith(f"{row}/") and "".join(texts).strip() for name, texts in given.items()
    )


def options_of(given, field):
    """Return the options of a field, with its values that it does not offer, so that saving a form
    loses none.
    """
    offered = {value for value, _ in field.options}
    return [
        *field.options,
        *((value, value) for value in given.get(field.name, []) if value not in {"", *offered}),
    ]


def reason(texts, item):
    """Return why an item of the readiness has its state."""
    data = {"titles": ", ".join(item["data"].get("titles") or ())}
    if item["code"] == "confirmed" and item["data"].get("booth_numbers"):
        return ", ".join(item["data"]["booth_numbers"])
    if item["item"] == "category":
        return item["data"].get("category_key") or texts["reason_item_none"]
    return texts.get(f"reason_item_{item['code']}", texts[f"={item['status']}"]).format_map(
        page_requests.Members(data)
    )


def cell(texts, item):
    """Return the mark of an item of the readiness as HTML, with its reason for those who point at
    it or listen.
    """
    said = escape(f"{texts['=' + item['status']]}: {reason(texts, item)}")
    return (
        f'<span class="state {item["status"]}" role="img" title="{said}" aria-label="{said}">'
        f"{texts['mark_' + item['status']]}</span>"
    )


def summary(texts, language, kind, row):
    """Return the second line of a record in a list: what it costs, or what it asks for."""
    parts = {
        "categories": (row.get("base_price"), texts.get(f"={row.get('applicant_visibility')}")),
        "services": (row.get("base_price"), row.get("unit")),
        "booth_types": (row.get("price"), texts.get(f"={row.get('price_model')}")),
        "submission_types": (texts.get(f"={row.get('input')}"),),
        "dunning_levels": (row.get("days"), texts["field_days"]),
    }.get(kind, ())
    return " · ".join(
        formats.number(
            part, language, 2 if "price" in "".join(row) and kind != "dunning_levels" else 0
        )
        if isinstance(part, (int, float, Decimal))
        else part
        for part in parts
        if part is not None
    )


def address_of(visit, event):
    """Return the function that makes the address of a page of the desk, for the event in hand."""

    def to(path):
        suffix = (
            f"{'&' if '?' in path else '?'}event={event['event_key']}"
            if event and "event=" not in path
            else ""
        )
        return f"{visit.home()}{path}{suffix}"

    return to


def here():
    """Return the address of this page within the desk, to come back to after an action."""
    path = shell.address().rstrip("/").partition("/desk")[2].lstrip("/")
    if path.startswith(("do/", "batch/", "edit/")):
        return ""
    kept = shell.asked("q", "status", "show", "page", "event", "plan", "all")
    return f"{path}?{urlencode(kept)}" if kept else path


def current(db):
    """Return the event in hand: the one that `?event=` names, else the one that is on, or the next
    one, or None.
    """
    key = shell.asked("event").get("event")
    return (key and db.one(sql.event, event=key)) or db.one(sql.event_in_hand, now=times.now())


def by_key(db, key):
    """Return the event with this key."""
    return db.one(sql.event, event=key)


def required(db):
    """Return the event in hand. Raise 404 without any event."""
    event = current(db)
    if event is None:
        raise Problem("not_found", "No event exists yet. Create one first.")
    return event


def choice(db, event):
    """Return the events that the head of the page offers, the newest first."""
    return db.all(sql.events, id=event["id"] if event else 0)


def banner(db):
    """Return what keeps the desk from working: `damaged`, `silent` if no worker runs, or None."""
    if damage(db.config.database):
        return "damaged"
    age = housekeeping.worker_age(db)
    return "silent" if age is None or age > SILENT else None


def labels(visit, kind=""):
    """Return the function (label, help) of the fields of a form, by path: `events/stock`,
    `status=new`.

    A word such as `field_events.event_key` is for the form of one kind of record only.
    """
    texts = words(visit)

    def label(path):
        plain, _, value = path.partition("=")
        end = plain.rpartition("/")[2]
        if value:
            known = (f"{end}={value}", f"={value}")
            return next((texts[word] for word in known if word in texts), value), ""
        return [
            next(
                (
                    texts[word]
                    for word in (f"{what}_{kind}.{plain}", f"{what}_{plain}", f"{what}_{end}")
                    if word in texts
                ),
                default,
            )
            for what, default in (("field", end.replace("_", " ")), ("help", ""))
        ]

    return label


def sentences(visit, form, given):
    """Return {name of a field: sentence}, and the sentences on top of a form that was refused."""
    problem = visit.problem
    if problem is None:
        return {"beside": {}, "top": []}
    texts = words(visit)

    def say(code, limit=""):
        return (texts.get(f"fault_{code}") or texts["fault_other"]).format(limit=limit)

    if form is not None and problem.errors:
        beside, top = form.faults(problem.errors, given or {}, say)
        return {"beside": beside, "top": top}
    codes = [say(error["code"]) for error in problem.errors or []]
    return {"beside": {}, "top": list(dict.fromkeys(codes)) or [problem_sentence(visit, problem)]}


def words(visit):
    """Return the texts of the desk in the language of the visit."""
    return page_requests.words(PACKAGE, visit.language)


def problem_sentence(visit, problem):
    """Return the sentence about a problem, by its code."""
    return say_problem(words(visit), problem.code, problem.members)


def say_problem(texts, code, members):
    """Return the sentence about the code of a problem.

    Lists in it are written as text, what is missing by name.
    """
    said = {
        name: ", ".join(str(texts.get(f"lacks_{part}", part)) for part in value)
        if isinstance(value, list)
        else texts.get(f"={value}", value)
        for name, value in members.items()
    }
    return (texts.get(f"problem_{code}") or texts["problem_other"]).format_map(
        page_requests.Members(said)
    )


def told(db, name):
    """Return the ticks of an action: a decision on applications is mailed, if the server can send
    mails, and the other links of a person end with the one that is revoked.
    """
    if name == "revoke_link":
        return {"all": ["1"]}
    return {"mail": ["1"]} if "application" in name and db.config.smtp_host else {}


def named(row):
    """Return the name of a contact, applicant or participant: the company, or the person."""
    if row is None:
        return ""
    row = row.get("contact") or row
    return display_name(row, row.get("badge_name"), row.get("email"), f"#{row.get('id')}")


def record_name(record):
    """Return the name of a record of any kind: its number or title, else that of the person."""
    return (
        next(
            (
                record[name]
                for name in (
                    "invoice_number",
                    "order_number",
                    "booth_number",
                    "title",
                    "service_name",
                    "document_number",
                    "station",
                )
                if record.get(name)
            ),
            None,
        )
        or (record.get("customer_number") if "badge_number" in record else None)
        or named(record)
    )


def paging(asked, total, per_page=api.PER_PAGE):
    """Return (number of the page, the page before or None, the next or None) of a list with `total`
    rows.
    """
    page = page_of(asked)
    return page, page - 1 if page > 1 else None, page + 1 if page * per_page < total else None


def page_of(asked):
    """Return the number of the page that was asked for."""
    return min(id_of(asked.get("page", "")) or 1, 10_000)
