"""The list of all reports, and the steps that they share: filters, totals, and the conversion to
major units.

A report computes its rows in minor units. They are converted last, so that totals are exact.

`selection` is a dict of the filters that a report applies: first, last: first and last day
("2026-05-01"), or None.
period: "day", "week", "month", "quarter" or "year". as_of: day, or None.
zone: time zone of the event, or None. event_key: key of the event, or None.
given, values: names of the optional lines of SQL, and parameters, that select the event.
"""

from dataclasses import dataclass

from eventapi import money, times
from eventapi.domain.reports import finance, show, words
from eventapi.domain.reports.ranges import selected
from eventapi.errors import invalid_parameter
from eventapi.storage.statements import statements
from eventapi.validation.schema_files import definition, query_schema

sql = statements("reports")

JSON, CSV, SVG, ZIP = "application/json", "text/csv", "image/svg+xml", "application/zip"
LAST_DAY = "2999-12-31"  # of `as_of`
# the selection without a filter
EVERYTHING = {
    "first": None,
    "last": None,
    "period": "month",
    "as_of": None,
    "zone": None,
    "event_key": None,
    "given": frozenset(),
    "values": {},
}


@dataclass(frozen=True)
class Report:
    """One report.

    rows: function of (db, selection) that returns the rows.
    query: schema of the query parameters, in schemas/report.json.
    money: columns in minor units, which are converted to major units.
    base_money: such columns in the currency of the tenant. They may be None.

    The columns that are added up in the totals are `x-totals` of the report in schemas/report.json.
    """

    rows: object
    query: str
    money: tuple = ()
    base_money: tuple = ()


REPORTS = {
    "revenue": Report(
        finance.revenue, "by_period", ("invoiced", "credited", "net", "tax", "total")
    ),
    "participants": Report(show.participants, "by_day"),
    "applications": Report(show.applications, "by_period"),
    "payments": Report(finance.payments, "by_period", ("received", "refunded", "fees", "net")),
    "receivables": Report(finance.receivables, "at_a_day", ("amount",)),
    "tax": Report(finance.converted_tax, "by_period", ("net", "tax"), ("base_net", "base_tax")),
    "booths": Report(show.booths, "of_event", ("revenue", "revenue_per_m2")),
    "services": Report(show.services, "by_day", ("net",)),
    "check-ins": Report(show.check_ins, "by_day"),
    "readiness": Report(show.readiness, "of_event"),
}


@dataclass(frozen=True)
class Books:
    """A report or file for the bookkeeper, of domain/books or domain/datev: the catalogue only
    describes it.

    query, row: schemas in schemas/report.json, or None.
    """

    title: str
    formats: tuple
    description: str
    query: str | None = None
    row: str | None = None


BOOKS = {
    "ledger": Books(
        "Ledger",
        (JSON, CSV),
        "The accounts of all customers: opening balance, movements and closing "
        "balance, with a proof. `/reports/ledger/{customer_number}` is the account of one customer.",
        "by_account",
        "ledger_row",
    ),
    "recapitulative": Books(
        "Recapitulative statement",
        (JSON, CSV),
        "Goods and services to customers in other "
        "countries of the EU without tax, by VAT ID (§ 18a UStG), for a month, quarter or year.",
        "recapitulative_period",
        "recapitulative_row",
    ),
    "periods": Books(
        "Periods", (JSON,), "The months with bookings, and whether they are closed.", row="period"
    ),
    "datev": Books(
        "DATEV bookings",
        (CSV, JSON, ZIP),
        "The bookings of a month or year as a file for DATEV, and a "
        "summary of the file as JSON; with `documents=1`, a ZIP file with the documents. The columns are "
        "DATEV's.",
        "datev_period",
    ),
    "datev/debtors": Books(
        "DATEV debtors",
        (CSV, JSON),
        "The customers as a file for DATEV, and a summary of the file "
        "as JSON. The columns are DATEV's.",
        "datev_debtors_period",
    ),
    "audit-export": Books(
        "Tax audit export",
        (ZIP,),
        "All bookings of a year as a ZIP file for a tax audit. It describes its tables itself.",
        "audit_year",
    ),
}
# report -> the totals that the overview shows; None means all
IN_OVERVIEW = {
    "participants": None,
    "applications": None,
    "booths": ("booths", "sold", "reserved", "available", "blocked"),
    "revenue": ("invoiced", "credited", "net", "tax", "total"),
    "payments": ("received", "refunded", "fees"),
    "receivables": ("amount",),
}


def catalogue():
    """Return all reports as API objects, with their parameters and the columns of their rows."""
    return [
        *(_described(name, report.query) for name, report in REPORTS.items()),
        _described("overview", "by_day"),
        *(
            _entry(name, books.title, books.description, books.query, books.row, books.formats)
            for name, books in BOOKS.items()
        ),
    ]


def _described(name, query):
    description = definition(f"report.{part(name)}")["description"]
    return _entry(
        name, words.text(name, "en"), description, query, f"{part(name)}_row", (JSON, CSV, SVG)
    )


def _entry(name, title, description, query, row, formats):
    parameters = query_schema(f"report.{query}", listing=False)["properties"] if query else {}
    return {
        "report_type": name.replace("/", "_"),
        "title": title,
        "path": f"/reports/{name}",
        "description": description,
        "parameters": [
            {"name": parameter, "description": schema.get("description", "")}
            for parameter, schema in parameters.items()
        ],
        "columns": list(definition(f"report.{row}")["properties"]) if row else [],
        "formats": list(formats),
    }


def part(name):
    """Return the name of a report in schemas/report.json."""
    return name.replace("-", "_")


def columns(name):
    """Return the columns of a report, in the order of the schema."""
    return list(definition(f"report.{part(name)}_row")["properties"])


def sums(name):
    """Return the columns of a report that are added up in its totals."""
    return definition(f"report.{part(name)}")["x-totals"]


def read(db, name, query):
    """Return a report as API object. All figures are read in one snapshot.

    `query`: query parameters, with `event_id` also if the request named `event_key`. Raise 422 for
    days out of order or after LAST_DAY.
    """
    with db.snapshot():
        selection = _selection(db, query)
        data = overview(db, selection) if name == "overview" else figures(db, name, selection)
    filters = {
        parameter: value
        for parameter, value in query.items()
        if parameter not in ("event_id", "event_key")
    }
    if "date_from" in query:
        filters["date_from"] = selection["first"]
    if "date_to" in query:
        filters["date_to"] = selection["last"]
    filters["event_id"] = query["event_id"] if selection["event_key"] else None
    filters["event_key"] = selection["event_key"]
    return {"report_type": name, "filters": filters, "data": data, "generated_at": times.now()}


def event_title(db, id):
    """Return the title of the event that a report is about. Return None if `id` is None."""
    return id and db.value(sql.event_title, id=id)


def figures(db, name, selection):
    """Return the rows and the totals of a report, with amounts in major units."""
    report, names, base = REPORTS[name], columns(name), db.config.currency
    rows = report.rows(db, selection)
    totals = _totals(report, sums(name), rows)
    shown = (_in_major_units(row, report, base) for row in rows)
    return {
        "rows": [{column: row[column] for column in names} for row in shown],
        "totals": [_in_major_units(total, report, base) for total in totals],
    }


def _in_major_units(row, report, base):
    """Return a row with its amounts in major units. `base` is the currency of the tenant."""
    return {
        **money.in_major_units(row, report.money),
        **{name: money.major(row[name], base) for name in report.base_money},
    }


def overview(db, selection):
    """Return the overview: one row for each total of the other reports.

    Receivables are as at the last day.

    The totals are the same for every length of the periods, and years are the fewest.
    """
    selection = {**selection, "as_of": selection["last"], "period": "year"}
    rows = [
        {
            "report": name,
            "figure": figure,
            "currency": total.get("currency"),
            "value": total[figure],
        }
        for name, shown in IN_OVERVIEW.items()
        for total in figures(db, name, selection)["totals"]
        for figure in shown or sums(name)
    ]
    return {"rows": rows, "totals": []}


def _selection(db, query):
    """Return the selection of a query."""
    zone = db.config.timezone
    by_event = {name: query[name] for name in ("event_id",) if name in query}
    event = db.one(sql.event, id=query["event_id"]) if by_event else None
    first, last = selected(query, zone)
    if query.get("as_of", "") > LAST_DAY:
        raise invalid_parameter("as_of", "maximum", f"must not be after {LAST_DAY}")
    return {
        "first": first,
        "last": last,
        "period": query.get("period", "month"),
        "as_of": query.get("as_of"),
        "zone": event and event["timezone"],
        "event_key": event and event["event_key"],
        "given": frozenset(by_event),
        "values": by_event,
    }


def _totals(report, names, rows):
    """Return a row of sums of these columns for each currency, or one row for a report without
    amounts.

    What is owed to customers is not part of the receivables. The sum of amounts that are not all
    known is None.
    """
    has_amounts = report.money or any("currency" in row for row in rows)
    totals = {} if has_amounts else {None: dict.fromkeys(names, 0)}
    for row in rows:
        total = totals.setdefault(row.get("currency"), dict.fromkeys(names, 0))
        for name in names if row.get("bucket") != finance.OVERPAID else ():
            total[name] = None if None in (total[name], row[name]) else total[name] + row[name]
    return [
        {**({"currency": currency} if currency else {}), **totals[currency]}
        for currency in sorted(totals, key=str)
    ]
