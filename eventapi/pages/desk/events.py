"""The event in hand: the show that the person at the desk works on, and addresses that keep it."""

from eventapi import times
from eventapi.errors import Problem
from eventapi.pages.desk import api
from eventapi.storage.statements import statements
from eventapi.web.html import shell

sql = statements("desk")


def current(db):
    """Return the event in hand, or None without any event.

    It is the one that `?event=` names, else the one that is on, else the next one.
    """
    key = shell.asked("event").get("event")
    named = by_key(db, key) if key else None
    return named or db.one(sql.event_in_hand, now=times.now())


def required(db):
    """Return the event in hand. Raise 404 without any event."""
    event = current(db)
    if event is None:
        raise Problem("not_found", "No event exists yet. Create one first.")
    return event


def of_form(db):
    """Return the event whose page has sent a form. Raise 404 if `?event=` names none that exists.

    A page shows another event then, but nothing must be written to one that nobody has named.
    """
    key = shell.asked("event").get("event")
    event = by_key(db, key) if key else current(db)
    if event is None:
        raise Problem("not_found", "This event does not exist, or has another key now.")
    return event


def by_key(db, key):
    """Return the event with this key, or None."""
    return db.one(sql.event, event=key)


def offered(db, event):
    """Return the events that the head of the page offers, the newest first, with this one."""
    return db.all(sql.events, id=event["id"] if event else 0)


def pages_of(request, event):
    """Return the settings of the public pages of an event, or None without an event, or if the person
    may not read them.
    """
    if event is None or not api.may_call(request, "get_event_pages"):
        return None
    return api.read("get_event_pages", id=event["id"]).data


def address_of(request, event):
    """Return the function that makes the address of a page of the desk, for the event in hand."""

    def to(path):
        address = f"{request.home()}{path}"
        if event is None or "event=" in path:
            return address
        separator = "&" if "?" in path else "?"
        return f"{address}{separator}event={event['event_key']}"

    return to
