"""The first page of the desk: where the show in hand stands, what waits for the office, what is
missing, what comes next, and what was changed.
"""

from eventapi import times
from eventapi.domain.access import notices
from eventapi.domain.upkeep import nightly
from eventapi.pages.desk import api, changes, events, figures, gaps, labels, lately, waiting
from eventapi.pages.desk.page import render_page
from eventapi.pages.desk.writing import Writer
from eventapi.pages.office import start
from eventapi.pages.office.sign_in import signed_out
from eventapi.web.html import page_requests, shell
from eventapi.web.routes import Routes

routes = Routes(
    "desk", root="/desk", public=True, page=True, session="admin", flag="desk", forms=("text/html",)
)

OFFICE = "eventapi.pages.office"  # package with the texts of the first steps
LATE = 26 * 3600  # seconds after which a backup is too old
CHANGES = 8  # changes that the page shows
ENTRIES = 60  # of the audit log that are read at once to find them
READS = 4  # how often they are read: a request may have hundreds of entries
MORNING_ENDS, DAY_ENDS = "11:00", "18:00"  # local times of the greeting


@routes.get("")
def get_desk(db, request):
    """Return where the show in hand stands, and what waits."""
    event = events.current(db)
    overview = overview_of(request, event)
    pages = events.pages_of(request, event)
    doors = figures.doors(request, event)
    progress = start.progress(db, request)
    return render_page(
        db,
        request,
        "today",
        menu="today",
        current=event,
        greeting=greeting(db, request),
        day=shell.long_day(times.today(zone_of(db, event)), texts_of(request), request.language),
        distance=distance(db, request, event),
        state=state_of_form(db, request, event, pages),
        website=website(event, pages),
        cards=figures.cards(db, request, overview, doors),
        jobs=waiting.groups(waiting.lines(db, request, overview)),
        steps=waiting.steps(request, overview),
        dates=waiting.dates(request, overview),
        doors=doors,
        days_of_doors=figures.by_day(doors["hours"]) if doors else [],
        changes=last_changes(db, request),
        backup=backup(db.config),
        as_of=times.now(),
        lately=lately.of(db, request),
        lacks=gaps.told(db, request, event is not None),
        first_steps=progress,
        all_first_steps=first_steps(db, request) if progress and not event else [],
    )


def overview_of(request, event):
    """Return the overview of an event, or None without an event or without its scope."""
    if event is None or not api.may_call(request, "get_event_overview"):
        return None
    return api.read("get_event_overview", id=event["id"]).data


# The head


def zone_of(db, event):
    """Return the time zone of an event, or that of the organiser without an event."""
    return (event and event["timezone"]) or db.config.timezone


def texts_of(request):
    """Return the function that returns the text of a word."""
    texts = labels.words(request)
    return lambda word, **parts: texts[word].format(**parts)


def greeting(db, request):
    """Return the greeting of the time of day, with the name of the person."""
    clock = times.local_time(times.now(), db.config.timezone)
    word = "good_evening"
    if clock < MORNING_ENDS:
        word = "good_morning"
    elif clock < DAY_ENDS:
        word = "good_day"
    return texts_of(request)(word, name=request.who.admin_name)


def distance(db, request, event):
    """Return how many days it is until the event, which of its days it is, or "" ."""
    if event is None or not event["date_from"]:
        return ""
    say, zone = texts_of(request), zone_of(db, event)
    today = times.today(zone)
    first = times.local_date(event["date_from"], zone)
    last = times.local_date(event["date_to"], zone) or first
    if today < first:
        days = times.days_between(today, first)
        return say("begins_tomorrow") if days == 1 else say("begins_in", n=days)
    if today <= last:
        day = times.days_between(first, today) + 1
        return say("day_of_show", n=day, all=times.days_between(first, last) + 1)
    return say("show_is_over")


def state_of_form(db, request, event, pages):
    """Return (text, tone) of the chip that says whether exhibitors can apply, or None.

    `pages` are those of `events.pages_of`.
    """
    if pages is None:
        return None
    say, zone = texts_of(request), zone_of(db, event)
    deadline = api.read("get_event", id=event["id"]).data["application_deadline"]
    if not pages["apply_is_open"]:
        return say("form_closed"), ""
    if deadline is None:
        return say("form_open"), "good"
    if times.end(deadline, zone) < times.now():
        return say("form_over"), ""
    day = Writer(request.language, zone).day(deadline)
    return say("form_open_until", day=day), "good"


def website(event, pages):
    """Return the address of the public pages of an event, or None if they are not public."""
    if pages is None or not pages["is_public"] or not event["is_visible"]:
        return None
    return f"{shell.up()}e/{event['event_key']}"


# What was changed, and the state of the installation


def last_changes(db, request):
    """Return (when, Change) of the last Changes of the audit log, or None without its scope."""
    if not api.may_call(request, "list_audit_entries"):
        return None
    entries, groups = [], []
    for page in range(1, READS + 1):
        rows, total = api.rows("list_audit_entries", per_page=ENTRIES, page=page)
        entries += rows
        groups = changes.by_request(entries)
        if len(groups) > CHANGES or len(entries) >= total:
            break
    found = changes.of(db, request, groups[:CHANGES])
    return [(when(db, request, change.at), change) for change in found]


def when(db, request, at):
    """Return the time of day of a timestamp of today, else `yesterday` or its date."""
    zone = db.config.timezone
    write = Writer(request.language, zone)
    days = times.days_between(times.local_date(at, zone), times.today(zone))
    if days == 0:
        return write.clock(at)
    return texts_of(request)("yesterday") if days == 1 else write.day(at)


def backup(config):
    """Return {at, is_late} of the newest verified backup; `at` is None without one."""
    at = nightly.newest_verified(config)
    return {"at": at, "is_late": at is None or times.unix(times.now()) - times.unix(at) > LATE}


def first_steps(db, request):
    """Return (title, address, whether it is done, what it is for) of the first steps of an owner."""
    person = start.owner(db, request)
    if person is None:
        return []
    texts = page_requests.words(OFFICE, request.language)
    found = []
    for step in start.steps(db, person):
        help = texts[f"help_start_{step.name}"]
        if step.name == start.MAILS and not step.is_done and not notices.can_mail(db.config):
            help = texts["start_no_mail"]
        found.append((texts[f"start_{step.name}"], step.address, step.is_done, help))
    return found


@routes.post("/sign-out")
def sign_out_desk(db, request):
    """Sign out from the desk."""
    return signed_out(db, request)
