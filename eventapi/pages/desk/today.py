"""The first page of the desk: what happens today at the event in hand, and what waits for the
office.
"""

from datetime import timedelta

from eventapi import times
from eventapi.domain.upkeep import nightly
from eventapi.errors import Problem
from eventapi.pages.desk import api, events, gaps, lately
from eventapi.pages.desk.page import render_page
from eventapi.pages.office import start
from eventapi.pages.office.sign_in import signed_out
from eventapi.storage.statements import statements
from eventapi.web.rest import Response
from eventapi.web.routes import JSON, Routes

routes = Routes(
    "desk", root="/desk", public=True, page=True, session="admin", flag="desk", forms=("text/html",)
)
sql = statements("desk")

SOON = timedelta(days=3)  # how long before its end a hold is shown as urgent
DUE = timedelta(minutes=5)  # how long a mail that is due waits before it is shown
LATE = 26 * 3600  # seconds after which a backup is too old
# Line of the page -> scope without which it is left out, address, and whether it is urgent.
LINES = {
    "applications_new": ("applications", "applications?status=new", True),
    "applications_in_review": ("applications", "applications?status=in_review", False),
    "applications_asked": ("applications", "applications?status=info_requested", False),
    "applications_waitlisted": ("applications", "applications?status=waitlisted", False),
    "accepted_without_page": ("applications", "applications?lacks=page", True),
    "accepted_without_badge": ("applications", "applications?lacks=badge", True),
    "holds_ending": ("booths", "hall/holds", True),
    "holds": ("booths", "hall/holds", False),
    "submissions": ("submissions", "exhibitors/submissions", True),
    "orders": ("service_orders", "exhibitors/orders", True),
    "tasks_late": ("tasks", "tasks", True),
    "tasks": ("tasks", "tasks", False),
    "drafts": ("invoices", "money?all=1", False),
    "overdue": ("invoices", "money?show=overdue&all=1", True),
    "to_print": ("invoices", "money/to_print", True),
    "unmatched": ("payments", "money/bank", True),
    "mails_failed": ("events", "", True),
    "mails_waiting": ("events", "", True),
    "confirmations_waiting": ("events", "", False),
}


@routes.get("")
def get_desk(db, request):
    """Return what happens today, and what waits."""
    event = events.current(db)
    return render_page(
        db,
        request,
        "today",
        menu="today",
        current=event,
        lines=lines(db, request, event),
        doors=doors(request, event),
        backup=backup(db.config),
        as_of=times.now(),
        bars=bars,
        lately=lately.of(db, request),
        lacks=gaps.told(db, request, event is not None),
        first_steps=start.progress(db, request),
    )


@routes.get("/now", forms=(JSON,))
def get_desk_figures(db, request):
    """Return the figures of the first page, for its script. Sessions do not last longer by it."""
    event = events.current(db)
    figures = {name: count for name, count, *_ in lines(db, request, event)}
    return Response(
        {
            "figures": figures,
            "inside": (doors(request, event) or {}).get("present"),
            "as_of": times.now(),
        },
        headers={"Cache-Control": "no-store"},
    )


def lines(db, request, event):
    """Return (name, number, address, whether it is urgent) of what waits, without what the person
    may not read.
    """
    now = times.now()
    found = dict(
        db.one(sql.money, today=times.today(db.config.timezone), due=times.after(now, -DUE))
    )
    if event:
        soon = times.after(now, SOON)
        found |= db.one(sql.figures, event_id=event["id"], now=now, soon=soon)
    return [
        (name, found[name], address, urgent)
        for name, (scope, address, urgent) in LINES.items()
        if found.get(name) and api.may(request, scope)
    ]


def doors(request, event):
    """Return the figures of the entrance from the first day of the event on, or None."""
    if (
        not event
        or not api.may(request, "checkins")
        or not event["date_from_at"]
        or event["date_from_at"] > times.now()
    ):
        return None
    try:
        return api.read("get_check_in_stats", query={"event_key": event["event_key"]}).data
    except Problem as problem:
        if problem.status >= 500:
            raise
        return None


def bars(hours):
    """Return (hour, scans, share of the largest) of the last twelve hours with scans."""
    counted = [(row["hour"][11:13], row["check_ins"] + row["check_outs"]) for row in hours[-12:]]
    most = max((count for _, count in counted), default=0) or 1
    return [(hour, count, round(100 * count / most)) for hour, count in counted]


def backup(config):
    """Return {at, is_late} of the newest verified backup; `at` is None without one."""
    at = nightly.newest_verified(config)
    return {"at": at, "is_late": at is None or times.unix(times.now()) - times.unix(at) > LATE}


@routes.post("/sign-out")
def sign_out_desk(db, request):
    """Sign out from the desk."""
    return signed_out(db, request)
