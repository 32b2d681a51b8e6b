"""Reports: what there are, and how each is put together: rows in major units at the end only, and their totals."""
from dataclasses import dataclass

from eventapi import money, times
from eventapi.domain.reports import finance, show
from eventapi.storage.statements import statements
from eventapi.validation.schema_files import definition, query_schema

sql = statements("reports")


@dataclass(frozen=True)
class Report:
    """`rows(db, asked)` adds up; `sums` are the members that add up to totals, `money` those in minor units until the end."""
    rows: object
    title: str
    query: str
    sums: tuple
    money: tuple = ()


REPORTS = {
    "revenue": Report(finance.revenue, "Revenue", "by_period", ("invoices", "credit_notes", "invoiced", "credited", "net", "tax", "total"),
                      ("invoiced", "credited", "net", "tax", "total")),
    "participants": Report(show.participants, "Participants", "by_day", ("registered", "confirmed", "cancelled", "participants")),
    "applications": Report(show.applications, "Applications", "by_period", (
        "new", "in_review", "info_requested", "waitlisted", "approved", "rejected", "withdrawn", "applications")),
    "payments": Report(finance.payments, "Payments", "by_period", ("payments", "received", "refunded", "fees", "net"),
                       ("received", "refunded", "fees", "net")),
    "receivables": Report(finance.receivables, "Receivables", "at_a_day", ("invoices", "amount"), ("amount",)),
    "tax": Report(finance.tax, "Tax", "by_period", ("net", "tax"), ("net", "tax")),
    "booths": Report(show.booths, "Booths", "of_event", ("booths", "sold", "reserved", "available", "blocked", *show.AREAS, "revenue"),
                     ("revenue", "revenue_per_m2")),
    "services": Report(show.services, "Services", "by_day", ("quantity", "net"), ("net",)),
    "check-ins": Report(show.check_ins, "Check-ins", "by_day", ("check_ins", "check_outs")),
    "readiness": Report(show.readiness, "Readiness", "of_event", (
        "participants", "ready", "unconfirmed", "open_contract", "open_submissions", "no_booth", "open_order", "draft_invoice", "unbilled", "unpaid")),
}
# What the overview shows of each: its totals, all or these.
SHOWN = {"participants": None, "applications": None, "booths": ("booths", "sold", "reserved", "available", "blocked"),
         "revenue": ("invoiced", "credited", "net", "tax", "total"), "payments": ("received", "refunded", "fees"), "receivables": ("amount",)}


def catalogue():
    """Every report with its parameters and the columns of its rows."""
    entries = [(name, report.title, report.query) for name, report in REPORTS.items()]
    return [{"report_type": name, "title": title, "path": f"/reports/{name}", "description": definition(f"report.{part(name)}")["description"],
             "parameters": [{"name": member, "description": sub.get("description", "")} for member, sub in
                            query_schema(f"report.{query}", listing=False)["properties"].items()],
             "columns": columns(name)} for name, title, query in (*entries, ("overview", "Overview", "by_day"))]


def part(name):
    """What a report is called in schemas/report.json."""
    return name.replace("-", "_")


def columns(name):
    return list(definition(f"report.{part(name)}_row")["properties"])


def answer(db, name, query):
    """The report as it is answered, read at one moment."""
    with db.snapshot():
        asked = _asked(db, query)
        data = overview(db, asked) if name == "overview" else figures(db, name, asked)
    shown = {member: asked[word] for member, word in (("date_from", "first"), ("date_to", "last")) if member in query}
    filters = {**{member: value for member, value in query.items() if member not in ("event_id", "event_key")}, **shown,
               "event_id": query["event_id"] if asked["event_key"] else None, "event_key": asked["event_key"]}
    return {"report_type": name, "filters": filters, "data": data, "generated_at": times.now()}


def figures(db, name, asked):
    report = REPORTS[name]
    rows = report.rows(db, asked)
    return {"rows": [_major(report, row, name) for row in rows], "totals": [_major(report, row, None) for row in _totals(report, rows)]}


def overview(db, asked):
    """The totals of other reports, a row for each figure."""
    rows = [{"report": name, "figure": figure, "currency": total.get("currency"), "value": total[figure]}
            for name, shown in SHOWN.items() for total in figures(db, name, asked)["totals"]
            for figure in shown or REPORTS[name].sums]
    return {"rows": rows, "totals": []}


def _asked(db, query):
    """What the query asks for, days as days: a moment stands for the day that it lies on."""
    zone = db.config.timezone
    event = db.one(sql.event, id=query["event_id"]) if "event_id" in query else None
    return {"first": times.local_day(query.get("date_from"), zone), "last": times.local_day(query.get("date_to"), zone),
            "period": query.get("period", "month"), "as_of": query.get("as_of"), "zone": event and event["timezone"],
            "event_key": event and event["event_key"],
            "given": frozenset({"event_id"} & query.keys()), "values": {"event_id": query["event_id"]} if "event_id" in query else {}}


def _totals(report, rows):
    """One row for each currency, or a single one where there is no money."""
    sums = {} if any("currency" in row for row in rows) or report.money else {None: dict.fromkeys(report.sums, 0)}
    for row in rows:
        total = sums.setdefault(row.get("currency"), dict.fromkeys(report.sums, 0))
        for name in report.sums:
            total[name] += row[name]
    return [{**({"currency": currency} if currency else {}), **sums[currency]} for currency in sorted(sums, key=str)]


def _major(report, row, name):
    """The row as answered, its members in the order of the schema."""
    row = {**row, **{member: money.major(row[member], row["currency"]) for member in report.money if member in row}}
    return {member: row[member] for member in columns(name)} if name else row
