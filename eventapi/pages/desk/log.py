"""The log of the desk: who has done what, from the audit log, day by day."""

from itertools import groupby
from operator import itemgetter
from urllib.parse import urlencode

from eventapi import times
from eventapi.domain.access import api_keys, people, roles
from eventapi.domain.records import entities
from eventapi.pages.desk import api, changes, labels, lists
from eventapi.pages.desk.page import render_page
from eventapi.pages.desk.writing import Writer
from eventapi.plugins import access
from eventapi.web.html import shell
from eventapi.web.html.forms import id_of
from eventapi.web.routes import CSV, Routes

routes = Routes(
    "desk-log",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

ENTRIES = 100  # of the audit log on a page
ASKED = ("person", "from", "to", "q", "kind", "id")  # parameters of the page that choose entries
ACTORS = ("link", "command_line", "server")  # who acts beside people


@routes.get("/log")
def get_desk_log(db, request):
    """Return what was done, newest first: by a person, on some days, or to a record."""
    asked = shell.asked(*ASKED, "page", "event")
    query = query_of(asked)
    entries, total = api.rows(
        "list_audit_entries", page=lists.page_of(asked), per_page=ENTRIES, **query
    )
    found = changes.of(db, request, changes.by_request(entries))
    kind = query["entity_type"]
    return render_page(
        db,
        request,
        "log",
        menu="today",
        asked=asked,
        about=record_of(request, kind, found) if kind else "",
        person=query["admin_id"] or query["actor"],
        persons=persons_of(db, request, entries, query["admin_id"]),
        actors=ACTORS,
        days=days(db, request, found),
        total=total,
        is_counted=False,
        paging=lists.paging(asked, total, ENTRIES),
        filter=urlencode({name: asked[name] for name in ASKED if name in asked}),
        may_export=all(access.may_read(request.who, scope) for scope in api_keys.SCOPES),
    )


@routes.get("/log/csv")
def export_desk_log(request):
    """Return the entries of the audit log that the page has chosen as CSV.

    They have whole records, so raise 403 unless the person may read all records.
    """
    access.require_scopes(request.who, api_keys.SCOPES, writes=False)
    response = api.read("list_audit_entries", form=CSV, query=query_of(shell.asked(*ASKED)))
    response.headers["Cache-Control"] = "no-store"
    return response


def query_of(asked):
    """Return the query of the API for what the page was asked for; what is no value counts as none."""
    person = asked.get("person", "")
    kind = asked.get("kind") if asked.get("kind") in entities.KINDS else None
    return {
        "admin_id": id_of(person),
        "actor": person if person in ACTORS else None,
        "date_from": day_of(asked.get("from")),
        "date_to": day_of(asked.get("to")),
        "entity_type": kind,
        "entity_id": id_of(asked.get("id", "")) if kind else None,
        "search": asked.get("q"),
    }


def persons_of(db, request, entries, chosen):
    """Return (id, name) of the people by whom the page can be filtered: all of the team for those who
    may see it, else those that the entries name, and the one who was chosen.
    """
    if api.may(request, roles.TEAM):
        return [(each["id"], each["name"]) for each in people.all_people(db)]
    named = {entry["admin_id"]: entry["admin_name"] for entry in entries if entry["admin_name"]}
    named.pop(None, None)
    if chosen:
        named.setdefault(chosen, f"#{chosen}")
    return sorted(named.items(), key=itemgetter(1))


def day_of(text):
    """Return a date that was asked for, or None if it is none, or none that the API takes."""
    return text if text and times.is_date(text) and times.is_date_or_timestamp(text) else None


def record_of(request, kind, found):
    """Return the name of the one record that all Changes are about: `application of Tulpen GmbH`."""
    names = [name for change in found for name, _ in change.sentence.records]
    noun = labels.words(request)[f"log_one_{kind}"]
    return f"{noun} {names[0]}" if names else noun


def days(db, request, found):
    """Return (name of the day, [(time of day, Change)]) of some Changes, in their order."""
    zone = db.config.timezone
    write = Writer(request.language, zone)
    return [
        (name_of_day(request, day, zone), [(write.clock(each.at), each) for each in group])
        for day, group in groupby(found, key=lambda each: times.local_date(each.at, zone))
    ]


def name_of_day(request, day, zone):
    """Return a date with its weekday, and with `today` or `yesterday` before it."""
    texts = labels.words(request)
    name = shell.long_day(day, lambda word: texts[word], request.language)
    today = times.today(zone)
    if day == today:
        return texts["log_today"].format(day=name)
    if day == times.add_days(today, -1):
        return texts["log_yesterday"].format(day=name)
    return name
