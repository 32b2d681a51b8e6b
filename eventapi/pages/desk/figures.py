"""The figures on the first page of the desk: four cards with a bar each, and one while the show is on.

Each shows figures of GET /events/{id}/overview, that of the doors figures of GET /check-ins/stats.
"""

from dataclasses import dataclass, replace
from itertools import groupby

from eventapi import times
from eventapi.errors import Problem
from eventapi.pages.desk import api, labels
from eventapi.pages.desk.writing import Writer
from eventapi.pictures.charts import small

MOST_LACKS = 2  # parts of the checklist that a card names
HOURS = 12  # hours with scans that are shown


@dataclass(frozen=True, slots=True)
class Card:
    """A figure with its bar.

    Attributes:
        name: of the card, and of the word that is its title.
        address: within the desk.
        value: the figure as text.
        unit: what stands behind it: `of 60`.
        chart: SVG, or "".
        note: the line below.
    """

    name: str
    address: str
    value: str
    unit: str
    chart: str
    note: str


def cards(db, request, overview, doors):
    """Return the Cards of an overview, without those that the person may not read.

    `overview` and `doors` may be None.
    """
    texts = labels.words(request)
    write = Writer(request.language, db.config.timezone)
    makers = {
        "booths": _booths,
        "applications": _applications,
        "money": _money,
        "participants": _participants,
    }
    found = []
    for part, make in makers.items():
        if overview and overview[part]:
            card = make(texts, write, overview[part])
            if part == "booths" and not api.may_call(request, "list_plans"):
                card = replace(card, address="setup/stands")  # without plans there is no hall
            found.append(card)
    if doors:
        found.append(_doors(texts, write, doors))
    return found


def _booths(texts, write, booths):
    given = booths["sold"] + booths["reserved"]
    parts = {name: write.number(booths[name]) for name in ("sold", "reserved")}
    rest = {name: write.number(booths[name]) for name in ("available", "blocked")}
    note = texts["card_booths_note"].format(**parts, **rest)
    chart = small.stacked(
        [
            ("c1", booths["sold"]),
            ("c2", booths["reserved"]),
            ("c3", booths["available"] + booths["blocked"]),
        ],
        note,
    )
    unit = texts["card_of"].format(n=write.number(booths["total"]))
    return Card("booths", "hall", write.number(given), unit, chart, note)


def _applications(texts, write, applications):
    by_status, by_week = applications["by_status"], applications["by_week"]
    label = texts["card_applications_chart"].format(
        weeks=len(by_week), n=write.number(sum(by_week)), last=write.number(by_week[-1])
    )
    has_chart = any(by_week)
    word = "card_applications_weekly" if has_chart else "card_applications_note"
    note = texts[word].format(n=write.number(by_status["approved"]))
    return Card(
        "applications",
        "applications",
        write.number(sum(by_status.values())),
        texts["card_new"].format(n=write.number(by_status["new"])),
        small.bars(by_week, label) if has_chart else "",
        note,
    )


def _money(texts, write, money):
    label = texts["card_money_chart"].format(
        paid=write.money(money["paid"], money["currency"]),
        open=write.money(money["open"] - money["overdue"], money["currency"]),
        overdue=write.money(money["overdue"], money["currency"]),
    )
    chart = small.stacked(
        [
            ("c1", money["paid"]),
            ("c3", money["open"] - money["overdue"]),
            ("c4", money["overdue"]),
        ],
        label,
    )
    note = texts["card_money_note"].format(
        paid=write.number(round(money["paid"])), overdue=write.number(round(money["overdue"]))
    )
    others = [write.money(each["invoiced"], each["currency"]) for each in money["others"]]
    if others:
        note = f"{note} · {texts['card_money_others'].format(amounts=', '.join(others))}"
    value = write.number(round(money["invoiced"]))
    return Card("money", "money?show=all", value, money["currency"], chart, note)


def _participants(texts, write, participants):
    total, ready = participants["total"], participants["ready"]
    unready = total - ready
    label = texts["card_participants_chart"].format(
        ready=write.number(ready), open=write.number(unready)
    )
    lacks = sorted(participants["lacks"].items(), key=lambda item: item[1], reverse=True)
    named = [
        texts[f"card_without_{part}"].format(n=write.number(count))
        for part, count in lacks[:MOST_LACKS]
        if count
    ]
    return Card(
        "participants",
        "exhibitors",
        write.number(ready),
        texts["card_of"].format(n=write.number(total)),
        small.stacked([("c1", ready), ("c3", unready)], label),
        ", ".join(named) or label,
    )


# The doors


def doors(request, event):
    """Return the figures of the entrance while the event is on, or None."""
    now = times.now()
    is_on = event and event["date_from_at"] and event["date_from_at"] <= now
    if not is_on or (event["over_at"] and event["over_at"] < now):
        return None
    if not api.may(request, "checkins"):
        return None
    try:
        return api.read("get_check_in_stats", query={"event_key": event["event_key"]}).data
    except Problem as problem:
        if problem.status >= 500:
            raise
        return None


def _doors(texts, write, doors):
    scans = [count for _, hours in by_day(doors["hours"]) for _, count, _ in hours]
    label = texts["card_inside_chart"].format(n=write.number(sum(scans)))
    note = texts["visitors_of_day"].format(
        n=write.number(doors["visitors"]), scans=write.number(doors["check_ins"])
    )
    chart = small.bars(scans, label) if scans else ""
    return Card("inside", "", write.number(doors["present"]), "", chart, note)


def by_day(rows):
    """Return (date, [(hour, scans, share of the largest in percent)]) of the last hours with scans."""
    counted = [(row["hour"], row["check_ins"] + row["check_outs"]) for row in rows[-HOURS:]]
    most = max((count for _, count in counted), default=0) or 1
    return [
        (day, [(hour[11:13], count, round(100 * count / most)) for hour, count in hours])
        for day, hours in groupby(counted, key=lambda each: each[0][:10])
    ]
