"""The log of the desk: who has done what, from the audit log, day by day."""

from itertools import groupby

from eventapi import times
from eventapi.domain.access import people
from eventapi.domain.records import entities
from eventapi.pages.desk import api, changes, labels, lists
from eventapi.pages.desk.page import render_page
from eventapi.pages.desk.writing import Writer
from eventapi.web.html import shell
from eventapi.web.html.forms import id_of
from eventapi.web.routes import Routes

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


@routes.get("/log")
def get_desk_log(db, request):
    """Return what was done, newest first: by a person, on some days, or to a record."""
    asked = shell.asked("person", "from", "to", "q", "kind", "id", "page", "event")
    person = id_of(asked.get("person", ""))
    kind = asked.get("kind") if asked.get("kind") in entities.KINDS else None
    entries, total = api.rows(
        "list_audit_entries",
        admin_id=person,
        date_from=day_of(asked.get("from")),
        date_to=day_of(asked.get("to")),
        entity_type=kind,
        entity_id=id_of(asked.get("id", "")) if kind else None,
        search=asked.get("q"),
        page=lists.page_of(asked),
        per_page=ENTRIES,
    )
    found = changes.of(db, request, changes.by_request(entries))
    return render_page(
        db,
        request,
        "log",
        menu="today",
        asked=asked,
        about=record_of(request, kind, found) if kind else "",
        person=person,
        persons=people.all_people(db),
        days=days(db, request, found),
        total=total,
        is_counted=False,
        paging=lists.paging(asked, total, ENTRIES),
    )


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
