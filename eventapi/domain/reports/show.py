"""Reports about events: participants, applications, booths, services, check-ins and readiness.

Amounts are in minor units. For `selection` see catalogue.py.
"""

from datetime import datetime

from eventapi import money, times
from eventapi.domain.reports.ranges import spans, timestamps
from eventapi.storage.statements import statements

sql = statements("reports")

MM2 = 10**6  # square millimetres in a square metre
AREAS = ("area", "sold_area", "reserved_area", "available_area", "blocked_area")


def participants(db, selection):
    """Return the number of participants by event and role. Those of all days are counted already."""
    given, values = _within(db, selection)
    is_limited = bool(given & {"begins", "ends"})
    return db.all(sql.participants if is_limited else sql.participants_of_all_days, given, **values)


def applications(db, selection):
    """Return the number of applications by period and status."""
    periods = spans(db, sql.next_application, selection)
    return db.all(sql.applications, selection["given"], **selection["values"], spans=periods)


def booths(db, selection):
    """Return number, area and revenue of the booths by hall and type.

    The revenue is the net sum of the confirmed reservations. `revenue_per_m2` refers to the area
    that is sold.
    """
    rows = db.all(sql.booths, selection["given"], **selection["values"], now=times.now())
    for row in rows:
        row["currency"] = db.config.currency
        row["revenue_per_m2"] = (
            money.divided(row["revenue"] * MM2, row["sold_area"]) if row["sold_area"] else None
        )
        row.update({name: row[name] / MM2 for name in AREAS})
    return rows


def services(db, selection):
    """Return the ordered quantity, the net sum and the stock of services by event."""
    given, values = _within(db, selection)
    return db.all(sql.services, given, **values, currency=db.config.currency)


def check_ins(db, selection):
    """Return check-ins and check-outs by station and hour, in the time zone of the event."""
    given = selection["given"].union(name for name in ("first", "last") if selection[name])
    rows = db.all(
        sql.check_ins,
        given,
        **selection["values"],
        first=selection["first"],
        last=selection["last"],
    )
    return [
        {
            "event_key": row["event_key"],
            **_local(row["hour"], row["timezone"]),
            "begins_at": row["hour"],
            **{name: row[name] for name in ("station", "check_ins", "check_outs")},
        }
        for row in rows
    ]


def readiness(db, selection):
    """Return the number of participants that are ready, and of those that lack something, by event
    and role.
    """
    return db.all(sql.readiness, selection["given"], **selection["values"])


def _local(timestamp, zone):
    local = datetime.fromisoformat(timestamp).astimezone(times.zone(zone))
    return {"day": local.date().isoformat(), "hour": f"{local:%H:%M}"}


def _within(db, selection):
    """Return (optional lines, parameters) for the selected days, in the time zone of the event or
    of the organiser.
    """
    zone = selection["zone"] or db.config.timezone
    limits = {name: value for name, value in timestamps(selection, zone).items() if value}
    return selection["given"].union(limits), {**selection["values"], **limits}
