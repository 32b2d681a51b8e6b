"""Charts of reports. Amounts in different currencies are drawn in separate panels.

A function of a report takes its rows and filters, and returns a list of Panels.
"""
from eventapi.domain.reports.catalogue import REPORTS
from eventapi.domain.reports.finance import BUCKETS, OVERPAID
from eventapi.domain.reports.periods import first_day_of, named, next_first_day
from eventapi.pictures import charts, svg
from eventapi.pictures.charts import MAX_SERIES, Panel

MAX_GAPS = 60                       # periods without records that a chart shows
MISSING_ITEMS = ("unconfirmed", "open_contract", "open_submissions", "no_booth", "open_order", "draft_invoice",
                 "unbilled", "unpaid")
AREAS = ("sold_area", "reserved_area", "available_area", "blocked_area")
LABELS = {"receivables": "receivables: open"}       # labels in the overview that differ from "report: column"
COUNTED = ("participants", "applications", "booths")    # reports in the overview without amounts


def draw(report):
    """Return the chart of a report as SVG bytes. `report` is the API object."""
    name, filters = report["report_type"], report["filters"]
    title = "Overview" if name == "overview" else REPORTS[name].title
    days = ""
    if "date_from" in filters or "date_to" in filters:
        days = f"{filters.get('date_from', '…')} to {filters.get('date_to', '…')}"
    about = " · ".join(part for part in (filters["event_key"], days, filters.get("as_of"), SUBTITLES[name]) if part)
    panels = [panel for panel in PANELS[name](report["data"]["rows"], filters) if panel.labels and not panel.is_empty()]
    return svg.draw(charts.picture(name, title, about, panels))


def stacked(kind, title, rows, label, names):
    """Return a panel with a series for each of the columns `names`, unless all of its values are zero.

    `label`: function from a row to its label.
    """
    labels = list(dict.fromkeys(label(row) for row in rows))
    used = [name for name in names if any(row[name] for row in rows)]
    series = [(words(name), sums_by_label(rows, labels, label, name)) for name in used]
    return Panel(kind, title, tuple(labels), tuple(series))


def split(kind, title, rows, label, series, name, labels=None, all_rows=None):
    """Return a panel of the column `name`, with a series for each value of `series`.

    label, series: functions from a row to its label and to the name of its series.
    labels: all labels in their order, by default those of the rows.
    all_rows: rows of all panels of the chart. Their series are the same in each panel, so that the colours agree.
    """
    labels = labels or list(dict.fromkeys(label(row) for row in rows))
    keys = sorted(set(map(series, all_rows or rows)))
    found = [(key, sums_by_label([row for row in rows if series(row) == key], labels, label, name)) for key in keys]
    return Panel(kind, title, tuple(labels), tuple(found))


def sums_by_label(rows, labels, label, name):
    """Return the sum of the column `name` for each label."""
    sums = dict.fromkeys(labels, 0)
    for row in rows:
        sums[label(row)] += row[name]
    return tuple(sums[label] for label in labels)


def words(name):
    """Return the name of a column or status as words."""
    return name.removesuffix("_area").replace("_", " ")


def by_currency(rows):
    """Return (currency, rows of this currency) for each currency."""
    currencies = sorted({row["currency"] for row in rows})
    return [(currency, [row for row in rows if row["currency"] == currency]) for currency in currencies]


def period(row):
    """Return the label of a row with a period."""
    return row["period"]


def without_gaps(rows, filters):
    """Return the periods of the rows and those between them.

    If more than MAX_GAPS are between, return only the former.
    """
    found = sorted({row["period"] for row in rows})
    if not found:
        return []
    complete, kind = found[:1], filters["period"]
    while complete[-1] != found[-1]:
        if len(complete) >= len(found) + MAX_GAPS:
            return found
        complete.append(named(next_first_day(first_day_of(complete[-1]), kind), kind))
    return complete


def revenue(rows, filters):
    return [split("columns", f"Net revenue, {currency}", own, period, lambda _: "net", "net",
                  without_gaps(own, filters)) for currency, own in by_currency(rows)]


def tax(rows, filters):
    def rate(row):
        return f"{row['tax_category']} {row['tax_rate']:g} %"
    return [split("columns", f"Tax, {currency}", own, period, rate, "tax", without_gaps(own, filters), rows)
            for currency, own in by_currency(rows)]


def payments(rows, filters):
    def gateway(row):
        return row["gateway_key"] or "without gateway"
    return [split("columns", f"Payments received, {currency}", own, period, gateway, "received",
                  without_gaps(own, filters), rows) for currency, own in by_currency(rows)]


def applications(rows, filters):
    names = [name for name in REPORTS["applications"].sums[:-1] if any(row[name] for row in rows)]
    labels = without_gaps(rows, filters)
    series = [(words(name), sums_by_label(rows, labels, period, name)) for name in names]
    return [Panel("columns", "Applications", tuple(labels), tuple(series))]


def participants(rows, _):
    statuses = ("confirmed", "registered", "cancelled")
    return [stacked("bars", "Participants by role", rows, lambda row: words(row["role"]), statuses)]


def receivables(rows, _):
    """Return a panel for each currency. It shows the bucket `overpaid` only if something is overpaid."""
    shown = [row for row in rows if row["bucket"] != OVERPAID or row["amount"]]
    return [split("bars", f"Open amounts by days past due, {currency}", own, lambda row: words(row["bucket"]),
                  lambda _: "open", "amount", [words(bucket) for bucket in (*BUCKETS, OVERPAID)
                                               if bucket in {row["bucket"] for row in own}])
            for currency, own in by_currency(shown)]


def booths(rows, _):
    return [stacked("bars", "Area by hall, in square metres", rows, lambda row: row["plan_name"], AREAS)]


def services(rows, _):
    sold = sorted((row for row in rows if row["net"]), key=lambda row: -row["net"])
    return [split("bars", f"Net sales, {currency}", own, lambda row: row["service_name"], lambda _: "net", "net")
            for currency, own in by_currency(sold)]


def check_ins(rows, _):
    """Return a panel with a line over the hours for each day. If there are too many days, draw a column for each."""
    rows = [row for row in rows if row["check_ins"]]
    days = sorted({row["day"] for row in rows})
    if len(days) > MAX_SERIES:
        return [split("columns", "Check-ins by day", rows, lambda row: row["day"], lambda _: "check-ins", "check_ins",
                      days)]
    return [split("lines", "Check-ins by hour", rows, lambda row: row["hour"], lambda row: row["day"], "check_ins",
                  hours(rows))]


def hours(rows):
    """Return all hours from the first to the last. In some time zones, the hours of UTC begin at half past."""
    found = sorted({row["hour"] for row in rows})
    minutes = sorted({hour[3:] for hour in found})
    every = (f"{hour:02}:{minute}" for hour in range(24) for minute in minutes)
    return [hour for hour in every if found[0] <= hour <= found[-1]]


def readiness(rows, _):
    """Return a panel with the number of ready participants, and one with the missing items, most frequent first."""
    counts = {name: sum(row[name] for row in rows) for name in MISSING_ITEMS}
    missing = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], name))
    ready = sum(row["ready"] for row in rows)
    others = sum(row["participants"] for row in rows) - ready
    return [Panel("bars", "Readiness", ("participants",), (("ready", (ready,)), ("not ready", (others,)))),
            Panel("bars", "Missing items", tuple(map(words, missing)),
                  (("participants", tuple(counts[name] for name in missing)),))]


def overview(rows, _):
    """Return a panel for each report that counts records, and one with all amounts for each currency."""
    def amount_label(row):
        return LABELS.get(row["report"], f"{row['report']}: {row['figure']}")
    panels = [split("bars", name.capitalize(), [row for row in rows if row["report"] == name and row["figure"] != name],
                    lambda row: words(row["figure"]), lambda _: "records", "value") for name in COUNTED]
    amounts = [row for row in rows if row["currency"] and row["report"] not in COUNTED]
    return panels + [split("bars", f"Money, {currency}", own, amount_label, lambda _: "amount", "value")
                     for currency, own in by_currency(amounts)]


PANELS = {"revenue": revenue, "tax": tax, "payments": payments, "applications": applications,
          "participants": participants, "receivables": receivables, "booths": booths, "services": services,
          "check-ins": check_ins, "readiness": readiness, "overview": overview}
SUBTITLES = {"revenue": "sent invoices minus credit notes, excluding tax", "tax": "on sent invoices and credit notes",
             "payments": "completed payments, before refunds and fees", "applications": "by period of receipt",
             "participants": "by role and status", "receivables": "open amounts of sent invoices",
             "booths": "area by status", "services": "submitted, confirmed and completed orders",
             "check-ins": "by hour in the event's time zone", "readiness": "participants who have not cancelled",
             "overview": "totals"}
