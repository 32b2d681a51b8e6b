"""Reports as charts: which figures of each are drawn, and how. One panel for each currency, so that none is compared with another."""
from eventapi.domain.reports.catalogue import REPORTS
from eventapi.domain.reports.finance import BUCKETS
from eventapi.domain.reports.periods import named, next_first_day
from eventapi.pictures import charts, svg
from eventapi.pictures.charts import MAX_SERIES, Panel

MOST_GAPS = 60                      # periods without figures that are shown as such
LACKS = ("unconfirmed", "open_contract", "open_submissions", "no_booth", "open_order", "draft_invoice", "unbilled", "unpaid")
SPACE = ("sold_area", "reserved_area", "available_area", "blocked_area")
MONEY = {"receivables": "receivables: open"}
COUNTED = ("participants", "applications", "booths")


def draw(report):
    """The bytes of the chart of a report, as SVG."""
    name, filters = report["report_type"], report["filters"]
    title = "Overview" if name == "overview" else REPORTS[name].title
    days = f"{filters.get('date_from', '…')} to {filters.get('date_to', '…')}" if {"date_from", "date_to"} & filters.keys() else ""
    about = " · ".join(part for part in (filters["event_key"], days, filters.get("as_of"), WHAT[name]) if part)
    panels = [panel for panel in PANELS[name](report["data"]["rows"], filters) if panel.labels and not panel.is_empty()]
    return svg.draw(charts.picture(name, title, about, panels))


def stacked(kind, title, rows, label, names):
    """A panel with a label for each value of `label` and a series for each of the figures `names` that is anywhere not nothing."""
    labels = list(dict.fromkeys(label(row) for row in rows))
    return Panel(kind, title, tuple(labels), tuple((words(name), added(rows, labels, label, name)) for name in names
                                                  if any(row[name] for row in rows)))


def split(kind, title, rows, label, series, name, labels=None, every=None):
    """A panel with a series for each value of `series`, of one figure; `every` row decides which there are, so that panels look alike."""
    labels = labels or list(dict.fromkeys(label(row) for row in rows))
    return Panel(kind, title, tuple(labels), tuple(
        (key, added([row for row in rows if series(row) == key], labels, label, name)) for key in sorted(set(map(series, every or rows)))))


def added(rows, labels, label, name):
    sums = dict.fromkeys(labels, 0)
    for row in rows:
        sums[label(row)] += row[name]
    return tuple(sums[label] for label in labels)


def words(name):
    return name.removesuffix("_area").replace("_", " ")


def by_currency(rows):
    """(currency, its rows)."""
    return [(currency, [row for row in rows if row["currency"] == currency]) for currency in sorted({row["currency"] for row in rows})]


def period(row):
    return row["period"]


def without_gaps(rows, filters):
    """The periods of the rows in order, and those between them, unless these are too many."""
    found = sorted({row["period"] for row in rows})
    every, word = [], filters["period"]
    while found and len(every) < len(found) + MOST_GAPS:
        every.append(named(next_first_day(_day(every[-1]), word), word) if every else found[0])
        if every[-1] == found[-1]:
            return every
    return found


def _day(name):
    year, _, rest = name.partition("-")
    return f"{year}-{int(rest[1]) * 3 - 2:02}-01" if rest.startswith("Q") else f"{year}-{rest or '01'}-01"


def revenue(rows, filters):
    return [split("columns", f"Net revenue, {currency}", own, period, lambda _: "net", "net", without_gaps(own, filters))
            for currency, own in by_currency(rows)]


def tax(rows, filters):
    return [split("columns", f"Tax, {currency}", own, period, lambda row: f"{row['tax_category']} {row['tax_rate']:g} %", "tax",
                  without_gaps(own, filters), rows) for currency, own in by_currency(rows)]


def payments(rows, filters):
    return [split("columns", f"Payments received, {currency}", own, period, lambda row: row["gateway_key"] or "without gateway", "received",
                  without_gaps(own, filters), rows) for currency, own in by_currency(rows)]


def applications(rows, filters):
    names = [name for name in REPORTS["applications"].sums[:-1] if any(row[name] for row in rows)]
    labels = without_gaps(rows, filters)
    return [Panel("columns", "Applications", tuple(labels), tuple((words(name), added(rows, labels, period, name)) for name in names))]


def participants(rows, _):
    return [stacked("bars", "Participants by role", rows, lambda row: words(row["role"]), ("confirmed", "registered", "cancelled"))]


def receivables(rows, _):
    return [split("bars", f"Open amounts by days past due, {currency}", own, lambda row: words(row["bucket"]), lambda _: "open", "amount",
                  [words(bucket) for bucket in BUCKETS]) for currency, own in by_currency(rows)]


def booths(rows, _):
    return [stacked("bars", "Area by hall, in square metres", rows, lambda row: row["plan_name"], SPACE)]


def services(rows, _):
    return [split("bars", f"Net sales, {currency}", [row for row in sorted(own, key=lambda row: -row["net"]) if row["net"]],
                  lambda row: row["service_name"], lambda _: "net", "net") for currency, own in by_currency(rows)]


def check_ins(rows, _):
    """A line for each day over its hours; of more days than can be told apart, a column for each."""
    rows = [row for row in rows if row["check_ins"]]
    days = sorted({row["day"] for row in rows})
    if len(days) > MAX_SERIES:
        return [split("columns", "Check-ins by day", rows, lambda row: row["day"], lambda _: "check-ins", "check_ins", days)]
    return [split("lines", "Check-ins by hour", rows, lambda row: row["hour"], lambda row: row["day"], "check_ins", hours(rows))]


def hours(rows):
    """The hours from the first to the last, and none left out; in some zones they begin at half past."""
    found = sorted({row["hour"] for row in rows})
    minutes = sorted({hour[3:] for hour in found})
    every = (f"{hour:02}:{minute}" for hour in range(24) for minute in minutes)
    return [hour for hour in every if found[0] <= hour <= found[-1]]


def readiness(rows, _):
    """What is lacking, most frequent first, and how many are ready."""
    lacks = sorted((-sum(row[name] for row in rows), name) for name in LACKS)
    labels = [words(name) for count, name in lacks if count]
    ready = sum(row["ready"] for row in rows)
    return [Panel("bars", "Readiness", ("participants",), (("ready", (ready,)), ("not ready", (sum(row["participants"] for row in rows) - ready,)))),
            Panel("bars", "Missing items", tuple(labels), (("participants", tuple(-count for count, _ in lacks if count)),))]


def overview(rows, _):
    money = [row for row in rows if row["currency"] and row["report"] not in COUNTED]
    panels = [split("bars", name.capitalize(), [row for row in rows if row["report"] == name and row["figure"] != name],
                    lambda row: words(row["figure"]), lambda _: "records", "value") for name in COUNTED]
    return panels + [split("bars", f"Money, {currency}", own, lambda row: MONEY.get(row["report"], f"{row['report']}: {row['figure']}"),
                           lambda _: "amount", "value")
                     for currency, own in by_currency(money)]


PANELS = {"revenue": revenue, "tax": tax, "payments": payments, "applications": applications, "participants": participants,
          "receivables": receivables, "booths": booths, "services": services, "check-ins": check_ins, "readiness": readiness,
          "overview": overview}
WHAT = {"revenue": "sent invoices minus credit notes, excluding tax", "tax": "on sent invoices and credit notes",
        "payments": "completed payments, before refunds and fees", "applications": "by period of receipt",
        "participants": "by role and status", "receivables": "open amounts of sent invoices", "booths": "area by status",
        "services": "submitted, confirmed and completed orders", "check-ins": "by hour in the event's time zone",
        "readiness": "participants who have not cancelled", "overview": "totals"}
