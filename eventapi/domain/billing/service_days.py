"""The days of the supply of an invoice that has none of its own: those of its event."""

from eventapi import times
from eventapi.storage.statements import statements

sql = statements("invoicing")


def of_event(db, event_id):
    """Return the first and the last day of an event in its time zone, both None if it has no dates."""
    return of_dates(db.one(sql.event_days, id=event_id) if event_id else None)


def of_dates(event):
    """Return what `of_event` returns, for a row with date_from, date_to and timezone, or None."""
    if event is None or event["date_from"] is None:
        return None, None
    first = times.local_date(event["date_from"], event["timezone"])
    last = times.local_date(event["date_to"], event["timezone"])
    return first, last or first


def country_of_event(db, event_id):
    """Return the country of an event, or None without one."""
    event = db.one(sql.event_days, id=event_id) if event_id else None
    return event and event["country"]


def last(db, row):
    """Return the last day of the supply of an invoice, or of a draft as if it was sent today.

    It decides whether the organiser is a small business.
    """
    issue_date = row["issue_date"] or times.today(db.config.timezone, db.now)
    days = {**row, **missing(db, row, issue_date)}
    return days["service_date_to"] or days["service_date"]


def missing(db, row, issue_date):
    """Return the columns of the days of the supply that a draft lacks.

    They are the days of its event. Without an event, or with one without dates, it is the issue date.
    """
    if row["service_date"]:
        return {}
    first, last = of_event(db, row["event_id"])
    if first is None:
        return {"service_date": issue_date, "service_date_to": None}
    return {"service_date": first, "service_date_to": last}
