"""Charts of reports. Amounts in different currencies are drawn in separate panels.

A function of a report takes its rows, its filters and the language, and returns a list of Panels.
"""

from dataclasses import replace

from eventapi.domain.reports import catalogue
from eventapi.domain.reports.finance import BUCKETS, OVERPAID
from eventapi.domain.reports.ranges import first_day_of, named, next_first_day
from eventapi.domain.reports.words import name, text
from eventapi.languages import formats
from eventapi.pictures import style, svg
from eventapi.pictures.charts import sheet
from eventapi.pictures.charts.panels import MAX_SERIES, Panel

MAX_GAPS = 60  # periods without records that a chart shows
MISSING_ITEMS = (
    "unconfirmed",
    "open_contract",
    "open_submissions",
    "no_booth",
    "open_order",
    "draft_invoice",
    "unbilled",
    "unpaid",
)
AREAS = ("sold_area", "reserved_area", "available_area", "blocked_area")
FIGURES = {"receivables": "open"}  # names of figures in the overview that differ from their column
# Column, status or bucket -> its meaning, which decides the colour
# (eventapi/pictures/charts/panels.py).
MEANINGS = {
    **dict.fromkeys(("approved", "confirmed", "ready", "available_area", "available"), "good"),
    **dict.fromkeys(("rejected", "1-30", "31-60", "61-90", "90+"), "bad"),
    **dict.fromkeys(
        (
            "in_review",
            "info_requested",
            "waitlisted",
            "registered",
            "reserved_area",
            "reserved",
            "not_ready",
            "overpaid",
            *MISSING_ITEMS,
        ),
        "open",
    ),
    **dict.fromkeys(("new", "sold_area", "sold", "not_due"), "plain"),
    **dict.fromkeys(("cancelled", "withdrawn", "blocked_area", "blocked"), "neutral"),
}
COUNTED = ("participants", "applications", "booths")  # reports in the overview without amounts


def draw(config, report, event_title, language):
    """Return the chart of a report as SVG bytes.

    `report` is the API object, `event_title` the title of the event that it is about, or None.
    """
    report_name, filters = report["report_type"], report["filters"]
    as_of = formats.day(filters["as_of"], language) if "as_of" in filters else None
    about = (event_title, _days(filters, language), as_of, text(f"about_{report_name}", language))
    panels = [
        panel
        for panel in PANELS[report_name](report["data"]["rows"], filters, language)
        if panel.labels and not panel.is_empty()
    ]
    description = " · ".join(part for part in about if part)
    return svg.draw(
        sheet.picture(
            report_name,
            text(report_name, language),
            description,
            panels,
            language,
            style.brand(config),
        )
    )


def _days(filters, language):
    """Return the days that the filters select, or None."""
    first, last = filters.get("date_from"), filters.get("date_to")
    if first and last:
        return formats.days(first, last, language)
    key, day = ("from", first) if first else ("until", last)
    return day and text(key, language, day=formats.day(day, language))


def stacked(kind, title, rows, label, names, language):
    """Return a panel with a series for each of the columns `names`, unless all of its values are
    zero.

    `label`: function from a row to its label.
    """
    labels = list(dict.fromkeys(label(row) for row in rows))
    used = [column for column in names if any(row[column] for row in rows)]
    series = [
        (name(column, language), sums_by_label(rows, labels, label, column)) for column in used
    ]
    return Panel(kind, title, tuple(labels), tuple(series), language, meanings=meanings_of(used))


def meanings_of(keys):
    """Return the meaning of each column, status or bucket."""
    return tuple(MEANINGS[key] for key in keys)


def split(kind, title, rows, label, series, column, language, labels=None, all_rows=None):
    """Return a panel of a column, with a series for each value of `series`.

    label, series: functions from a row to its label and to the name of its series.
    labels: all labels in their order, by default those of the rows.
    all_rows: rows of all panels of the chart. Their series are the same in each panel, so that the colours agree.
    """
    labels = labels or list(dict.fromkeys(label(row) for row in rows))
    keys = sorted(set(map(series, all_rows or rows)))
    found = [
        (key, sums_by_label([row for row in rows if series(row) == key], labels, label, column))
        for key in keys
    ]
    return Panel(kind, title, tuple(labels), tuple(found), language)


def sums_by_label(rows, labels, label, column):
    """Return the sum of the column for each label."""
    sums = dict.fromkeys(labels, 0)
    for row in rows:
        sums[label(row)] += row[column]
    return tuple(sums[label] for label in labels)


def by_currency(rows):
    """Return (currency, rows of this currency) for each currency."""
    currencies = sorted({row["currency"] for row in rows})
    return [
        (currency, [row for row in rows if row["currency"] == currency]) for currency in currencies
    ]


def over_time(key, rows, series, column, filters, language):
    """Return a panel of columns over the periods for each currency, with the title `key`."""
    return [
        in_words(
            split(
                "columns",
                text(key, language, currency=currency),
                own,
                period,
                series,
                column,
                language,
                without_gaps(own, filters),
                rows,
            )
        )
        for currency, own in by_currency(rows)
    ]


def in_words(panel):
    """Return the panel with its periods or days written in the language."""
    return replace(
        panel, labels=tuple(formats.period(label, panel.language) for label in panel.labels)
    )


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


def revenue(rows, filters, language):
    return over_time("net_revenue", rows, lambda _: name("net", language), "net", filters, language)


def tax(rows, filters, language):
    def rate(row):
        return f"{row['tax_category']} {formats.percent(row['tax_rate'], language)}"

    return over_time("tax_amount", rows, rate, "tax", filters, language)


def payments(rows, filters, language):
    def gateway(row):
        return row["gateway_key"] or text("no_gateway", language)

    return over_time("received_payments", rows, gateway, "received", filters, language)


def applications(rows, filters, language):
    columns = [
        column for column in catalogue.sums("applications")[:-1] if any(row[column] for row in rows)
    ]
    labels = without_gaps(rows, filters)
    series = [
        (name(column, language), sums_by_label(rows, labels, period, column)) for column in columns
    ]
    return [
        in_words(
            Panel(
                "columns",
                text("applications", language),
                tuple(labels),
                tuple(series),
                language,
                meanings=meanings_of(columns),
            )
        )
    ]


def participants(rows, _, language):
    statuses = ("confirmed", "registered", "cancelled")
    return [
        stacked(
            "bars",
            text("by_role", language),
            rows,
            lambda row: name(row["role"], language),
            statuses,
            language,
        )
    ]


def receivables(rows, _, language):
    """Return a panel for each currency.

    It shows the bucket `overpaid` only if something is overpaid.
    """
    shown = [row for row in rows if row["bucket"] != OVERPAID or row["amount"]]
    return [_of_buckets(currency, own, language) for currency, own in by_currency(shown)]


def _of_buckets(currency, rows, language):
    buckets = [
        bucket for bucket in (*BUCKETS, OVERPAID) if bucket in {row["bucket"] for row in rows}
    ]
    panel = split(
        "bars",
        text("open_amounts", language, currency=currency),
        rows,
        lambda row: name(row["bucket"], language),
        lambda _: name("open", language),
        "amount",
        language,
        [name(bucket, language) for bucket in buckets],
    )
    return replace(panel, label_meanings=meanings_of(buckets))


def booths(rows, _, language):
    return [
        stacked(
            "bars",
            text("area_by_hall", language),
            rows,
            lambda row: row["plan_name"],
            AREAS,
            language,
        )
    ]


def services(rows, _, language):
    sold = sorted((row for row in rows if row["net"]), key=lambda row: -row["net"])
    return [
        split(
            "bars",
            text("net_sales", language, currency=currency),
            own,
            lambda row: row["service_name"],
            lambda _: name("net", language),
            "net",
            language,
        )
        for currency, own in by_currency(sold)
    ]


def check_ins(rows, _, language):
    """Return a panel with a line over the hours for each day.

    If there are too many days, draw a column for each.
    """
    rows = [row for row in rows if row["check_ins"]]
    days = sorted({row["day"] for row in rows})
    if len(days) > MAX_SERIES:
        return [
            in_words(
                split(
                    "columns",
                    text("check_ins_by_day", language),
                    rows,
                    lambda row: row["day"],
                    lambda _: name("check_ins", language),
                    "check_ins",
                    language,
                    days,
                )
            )
        ]
    panel = split(
        "lines",
        text("check_ins_by_hour", language),
        rows,
        lambda row: row["hour"],
        lambda row: row["day"],
        "check_ins",
        language,
        hours(rows),
    )
    return [
        replace(
            panel,
            series=tuple((formats.day(day, language), values) for day, values in panel.series),
        )
    ]


def hours(rows):
    """Return all hours from the first to the last.

    In some time zones, the hours of UTC begin at half past.
    """
    found = sorted({row["hour"] for row in rows})
    minutes = sorted({hour[3:] for hour in found})
    every = (f"{hour:02}:{minute}" for hour in range(24) for minute in minutes)
    return [hour for hour in every if found[0] <= hour <= found[-1]]


def readiness(rows, _, language):
    """Return a panel with the number of ready participants, and one with the missing items, most
    frequent first.
    """
    counts = {item: sum(row[item] for row in rows) for item in MISSING_ITEMS}
    missing = sorted(
        (item for item in counts if counts[item]), key=lambda item: (-counts[item], item)
    )
    ready = sum(row["ready"] for row in rows)
    others = sum(row["participants"] for row in rows) - ready
    everybody = name("participants", language)
    return [
        Panel(
            "bars",
            text("readiness", language),
            (everybody,),
            ((name("ready", language), (ready,)), (name("not_ready", language), (others,))),
            language,
            meanings=meanings_of(("ready", "not_ready")),
        ),
        Panel(
            "bars",
            text("missing_items", language),
            tuple(name(item, language) for item in missing),
            ((everybody, tuple(counts[item] for item in missing)),),
            language,
            meanings=("open",),
        ),
    ]


def overview(rows, _, language):
    """Return a panel for each report that counts records, and one with all amounts for each
    currency.
    """

    def amount_label(row):
        figure = FIGURES.get(row["report"], row["figure"])
        return f"{text(row['report'], language)}: {name(figure, language)}"

    panels = [
        _of_statuses(
            counted,
            [row for row in rows if row["report"] == counted and row["figure"] != counted],
            language,
        )
        for counted in COUNTED
    ]
    amounts = [row for row in rows if row["currency"] and row["report"] not in COUNTED]
    return panels + [
        split(
            "bars",
            text("money", language, currency=currency),
            own,
            amount_label,
            lambda _: text("amount", language),
            "value",
            language,
        )
        for currency, own in by_currency(amounts)
    ]


def _of_statuses(counted, rows, language):
    """Return the panel of the overview that counts records by status."""
    panel = split(
        "bars",
        text(counted, language),
        rows,
        lambda row: name(row["figure"], language),
        lambda _: text("records", language),
        "value",
        language,
    )
    return replace(panel, label_meanings=meanings_of(dict.fromkeys(row["figure"] for row in rows)))


PANELS = {
    "revenue": revenue,
    "tax": tax,
    "payments": payments,
    "applications": applications,
    "participants": participants,
    "receivables": receivables,
    "booths": booths,
    "services": services,
    "check-ins": check_ins,
    "readiness": readiness,
    "overview": overview,
}
