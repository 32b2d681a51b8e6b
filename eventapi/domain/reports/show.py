"""Reports about the show: who takes part, what space and services were sold, who came, who is ready. Money is in minor units."""
from datetime import datetime

from eventapi import money, times
from eventapi.domain.reports.periods import moments, spans
from eventapi.storage.statements import statements

sql = statements("reports")

MM2 = 10 ** 6                           # square millimetres in a square metre
AREAS = ("area", "sold_area", "reserved_area", "available_area", "blocked_area")


def participants(db, asked):
    given, values = _within(db, asked)
    return db.all(sql.participants, given, **values)


def applications(db, asked):
    return db.all(sql.applications, asked["given"], **asked["values"], spans=spans(db, sql.next_application, asked))


def booths(db, asked):
    """Revenue is what confirmed reservations come to, without tax; per square metre of what they are for."""
    rows = db.all(sql.booths, asked["given"], **asked["values"], now=times.now())
    for row in rows:
        row["currency"] = db.config.currency
        row["revenue_per_m2"] = money.divided(row["revenue"] * MM2, row["sold_area"]) if row["sold_area"] else None
        row.update({name: row[name] / MM2 for name in AREAS})
    return rows


def services(db, asked):
    given, values = _within(db, asked)
    return db.all(sql.services, given, **values, currency=db.config.currency)


def check_ins(db, asked):
    """By the hour, as the clocks at the event showed it."""
    rows = db.all(sql.check_ins, asked["given"].union(name for name in ("first", "last") if asked[name]), **asked["values"],
                  first=asked["first"], last=asked["last"])
    return [{"event_key": row["event_key"], **_local(row["hour"], row["timezone"]), "begins_at": row["hour"],
             **{name: row[name] for name in ("station", "check_ins", "check_outs")}} for row in rows]


def readiness(db, asked):
    return db.all(sql.readiness, asked["given"], **asked["values"])


def _local(moment, zone):
    local = datetime.fromisoformat(moment).astimezone(times.zone(zone))
    return {"day": local.date().isoformat(), "hour": f"{local:%H:%M}"}


def _within(db, asked):
    """The optional lines and values for the days asked for, in the zone of the event, or else of the tenant."""
    edges = {name: value for name, value in moments(asked, asked["zone"] or db.config.timezone).items() if value}
    return asked["given"].union(edges), {**asked["values"], **edges}
