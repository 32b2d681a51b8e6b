"""Reports: every figure is compared with a slow calculation over the records that the API returns."""

import csv
import io
import itertools
import random
import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

import pytest

from eventapi import paths, times
from eventapi.domain.billing import sending
from eventapi.domain.reports import catalogue
from eventapi.domain.reports import charts as report_charts
from eventapi.domain.reports.catalogue import REPORTS
from eventapi.languages import formats
from eventapi.pictures import fonts, letters, svg
from eventapi.pictures.charts import diagrams, panels, sheet
from eventapi.pictures.charts.panels import Panel
from eventapi.pictures.shapes import Group, Text
from eventapi.reference import document as openapi
from eventapi.resources.datev import routes as DATEV
from eventapi.resources.reports import routes as ROUTES
from eventapi.validation.schema_files import document, query_schema
from tests.support.dates import in_days, today
from tests.support.prepared import prepared

BERLIN = ZoneInfo("Europe/Berlin")
NAMES = sorted([*REPORTS, "overview"])
GERMAN = {
    "country": "DE",
    "address": "Weg 1",
    "postal_code": "04109",
    "city": "Leipzig",
    "email": "office@muster.example",
}


def everything(client, path):
    """Return all records of a list, page by page."""
    records, after = [], ""
    while after is not None:
        answer = client.get(
            f"{path}{'&' if '?' in path else '?'}after={after}&per_page=100", status=200
        ).json
        records, after = records + answer["data"], answer["meta"]["next"]
    return records


def exact(number):
    return Decimal(str(number))


def summed(rows, keys):
    """Return {key: exact sums of all other numbers}."""
    sums = defaultdict(lambda: defaultdict(Decimal))
    for row in rows:
        for name, value in row.items():
            if name not in keys:
                sums[tuple(row[key] for key in keys)][name] += exact(value)
    return {key: dict(values) for key, values in sums.items()}


def local_month(timestamp):
    return datetime.fromisoformat(timestamp).astimezone(BERLIN).strftime("%Y-%m")


@prepared
def books(organiser, db):
    """Create two events with invoices in three currencies and payments of every status, near the
    ends of months.

    Some invoices are credited or cancelled.
    """
    chance = random.Random(7)
    events = [organiser.make("/events", {"title": title}) for title in ("Garden Fair", "Boat Fair")]
    people = [
        organiser.make(
            "/participants",
            {
                "event_id": events[number % 2]["id"],
                "role": "exhibitor",
                "contact_id": organiser.make(
                    "/contacts", {**GERMAN, "company_name": f"Muster {number} GmbH"}
                )["id"],
            },
        )
        for number in range(4)
    ]
    for row in db.connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('invoices', 'payments')"
    ).fetchall():
        # the triggers would refuse to change the dates
        db.connection.execute(f"DROP TRIGGER {row[0]}")
    monkeypatch = pytest.MonkeyPatch()
    # as an early version sent them, without rates
    monkeypatch.setattr(sending, "_lacks_rate", lambda *_: False)
    for number in range(24):
        invoice(
            organiser, db, chance, people[number % 4], ("EUR", "JPY", "KWD")[number % 3], number
        )
    monkeypatch.undo()
    count_taxes_as_before(db)
    return events


def count_taxes_as_before(db):
    """Count the tax of all documents at their issue date, as for those that an earlier version has
    sent.
    """
    script = (paths.folder("sql") / "migrations" / "0053_date_taxes.sql").read_text()
    db.connection.execute("UPDATE invoices SET tax_basis = 'issue_date'")
    db.connection.execute("DELETE FROM tax_entries")
    db.connection.execute(
        script[script.index("INSERT INTO tax_entries") : script.index("CREATE INDEX")]
    )


def invoice(organiser, db, chance, participant, currency, number):
    whole = currency == "JPY"
    items = [
        {
            "description": f"Line {rate}",
            "quantity": chance.randint(1, 9),
            "tax_rate": rate,
            "unit_price": chance.randint(100, 999) if whole else chance.randint(100, 99999) / 100,
        }
        for rate in (19, 7)
    ]
    draft = organiser.make(
        "/invoices",
        {"event_participant_id": participant["id"], "currency": currency, "items": items},
    )
    if number % 8 == 7:
        return
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    if number % 5 == 0:
        organiser.post(f"/invoices/{sent['id']}/cancel", status=200)
    if number % 5 == 1:
        organiser.post(
            f"/invoices/{sent['id']}/credit", {"items": [{**items[0], "quantity": 1}]}, status=201
        )
    for status in (
        ("completed", "pending", "failed", "completed")[number % 4 :] if number % 5 else ()
    ):
        payment = organiser.make(
            "/payments",
            {
                "invoice_number": sent["invoice_number"],
                "amount": chance.randint(1, 90),
                "status": status,
                "gateway_key": (None, "bank", "card")[number // 3 % 3],
            },
        )
        if status == "completed" and number % 3:
            organiser.post(
                f"/payments/{payment['id']}/refund", {"amount": 1} if number % 2 else {}, status=200
            )
        dates = (
            "2027-01-31T22:59:59Z",
            "2027-01-31T23:00:00Z",
            "2027-06-30T21:59:59Z",
            "2027-06-30T22:00:00Z",
            None,
        )
        place = payment["id"] % 5
        refunded_at = dates[min(place + payment["id"] % 2, 3)]
        for statement in (
            "UPDATE payments SET payment_date = :at, payment_date_at = :at WHERE id = :id",
            "UPDATE refunds SET refunded_at = :later, counts_at = :later WHERE payment_id = :id",
        ):
            db.connection.execute(
                statement, {"id": payment["id"], "at": dates[place], "later": refunded_at}
            )
    days = "2027-01-31", "2027-02-01", "2027-06-30", "2026-12-31"
    db.connection.execute(
        "UPDATE invoices SET issue_date = ?, due_date = ? WHERE id = ? OR related_invoice_id = ?",
        (
            chance.choice(days),
            in_days(-chance.choice((-5, 0, 1, 30, 31, 60, 61, 90, 91, 400))),
            sent["id"],
            sent["id"],
        ),
    )


def sent(client, event=None):
    return [
        record
        for record in everything(
            client, f"/invoices?include=items{f'&event_id={event}' if event else ''}"
        )
        if record["is_locked"]
    ]


def quarter(day):
    return f"{day[:4]}-Q{(int(day[5:7]) + 2) // 3}"


@pytest.mark.parametrize(
    "period, named",
    [("month", lambda day: day[:7]), ("quarter", quarter), ("year", lambda day: day[:4])],
)
def test_revenue_is_the_sum_of_the_invoices(organiser, books, period, named):
    for event in (None, books[0]["id"]):
        rows = organiser.data(
            f"/reports/revenue?period={period}" + (f"&event_id={event}" if event else "")
        )["data"]
        expected = []
        for record in sent(organiser, event):
            is_note = record["invoice_type"] == "credit_note"
            expected.append(
                {
                    "period": named(record["issue_date"]),
                    "currency": record["currency"],
                    "invoices": int(not is_note),
                    "credit_notes": int(is_note),
                    "invoiced": 0 if is_note else record["subtotal"],
                    "credited": -record["subtotal"] if is_note else 0,
                    "net": record["subtotal"],
                    "tax": record["tax_total"],
                    "total": record["total"],
                }
            )
        assert len({row["currency"] for row in expected}) == 3 and any(
            row["credited"] for row in expected
        )
        assert summed(rows["rows"], ("period", "currency")) == summed(
            expected, ("period", "currency")
        )
        without = [
            {name: value for name, value in row.items() if name != "period"} for row in expected
        ]
        assert summed(rows["totals"], ("currency",)) == summed(without, ("currency",))


def test_tax_is_the_sum_of_the_taxes_of_the_invoices(organiser, books):
    expected = [
        {
            "period": record["issue_date"][:7],
            "currency": record["currency"],
            "tax_category": tax["category"],
            "tax_rate": tax["rate"],
            "region": None,
            "invoices": int(record["invoice_type"] == "invoice"),
            "credit_notes": int(record["invoice_type"] == "credit_note"),
            "net": tax["net"],
            "tax": tax["tax"],
        }
        for record in sent(organiser)
        for tax in record["taxes"]
    ]
    keys = ("period", "currency", "tax_category", "tax_rate", "region")
    rows = [
        {name: value for name, value in row.items() if not name.startswith("base_")}
        for row in organiser.data("/reports/tax")["data"]["rows"]
    ]
    assert summed(rows, keys) == summed(expected, keys)


def in_base(record, amount, usual=None):
    """Return an amount of an invoice in euros, or None if its exchange rate is not known."""
    rate = 1 if record["currency"] == "EUR" else record["exchange_rate"] or usual
    return rate and (exact(amount) * exact(rate)).quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_tax_in_the_currency_of_the_tenant_is_that_of_each_invoice_at_its_rate(
    organiser, books, settings
):
    """Tax returns are in euros (§ 16 (6) UStG).

    Rates are those of the invoices, then those of the options. An invoice with a rate is converted
    together with its credit notes.
    """
    of_yen = [record for record in sent(organiser) if record["currency"] == "JPY"]
    for place, record in enumerate(of_yen[1:]):
        organiser.patch(
            f"/invoices/{record['id']}", {"exchange_rate": (6100 + place) / 10**6}, status=200
        )
    for usual, unknown in (
        ({}, {"JPY", "KWD"}),
        ({"KWD": Decimal("2.8731")}, {"JPY"}),
        ({"KWD": Decimal("2.8731"), "JPY": Decimal("0.0059")}, set()),
    ):
        settings.exchange_rates = usual
        for query, event in (("", None), (f"?event_id={books[0]['id']}", books[0]["id"])):
            expected = defaultdict(lambda: [[], []])
            records = sorted(sent(organiser, event), key=lambda one: (one["issue_date"], one["id"]))
            by_id = {record["id"]: record for record in records}
            so_far = defaultdict(Decimal)
            for record in records:
                invoice = by_id[record["related_invoice_id"] or record["id"]]
                for tax in record["taxes"]:
                    row = expected[
                        record["issue_date"][:7], record["currency"], tax["category"], tax["rate"]
                    ]
                    for amounts, name in zip(row, ("net", "tax"), strict=True):
                        if not invoice["exchange_rate"]:
                            found = in_base(record, tax[name], usual.get(record["currency"]))
                        else:
                            group = invoice["id"], tax["category"], tax["rate"], name
                            before = so_far[group]
                            so_far[group] += exact(tax[name])
                            found = in_base(invoice, so_far[group]) - in_base(invoice, before)
                        amounts.append(found)
            sums = {
                key: [None if None in amounts else sum(amounts) for amounts in row]
                for key, row in expected.items()
            }
            data = organiser.data(f"/reports/tax{query}")["data"]
            found = {
                (row["period"], row["currency"], row["tax_category"], row["tax_rate"]): [
                    None if row[name] is None else exact(row[name])
                    for name in ("base_net", "base_tax")
                ]
                for row in data["rows"]
            }
            assert found == sums and {row["base_currency"] for row in data["rows"]} == {"EUR"}
            assert {
                total["currency"] for total in data["totals"] if total["base_tax"] is None
            } == unknown


def test_payments_are_summed_by_month_in_the_time_zone_of_the_organiser(organiser, books):
    of_event = {record["id"] for record in sent(organiser, books[0]["id"])}
    for event in (None, books[0]["event_key"]):
        records = [
            record
            for record in everything(organiser, "/payments?include=refunds")
            if record["status"] in ("completed", "refunded")
            and (event is None or record["invoice_id"] in of_event)
        ]
        expected = [
            {
                "period": local_month(record["payment_date"] or record["created_at"]),
                "currency": record["currency"],
                "gateway_key": record["gateway_key"],
                "payments": 1,
                "received": record["amount"],
                "refunded": 0,
                "fees": record["gateway_fee"],
                "net": record["net_amount"],
            }
            for record in records
        ]
        expected += [
            {
                "period": local_month(refund["refunded_at"]),
                "currency": record["currency"],
                "gateway_key": record["gateway_key"],
                "payments": 0,
                "received": 0,
                "refunded": refund["amount"],
                "fees": 0,
                "net": -refund["amount"],
            }
            for record in records
            for refund in record["refunds"]
        ]
        assert any(row["refunded"] for row in expected)
        assert event or {"2027-01", "2027-02", "2027-06", "2027-07"} <= {
            row["period"] for row in expected
        }
        found = organiser.data("/reports/payments" + (f"?event_key={event}" if event else ""))[
            "data"
        ]["rows"]
        keys = ("period", "currency", "gateway_key")
        assert summed(found, keys) == summed(expected, keys)
        assert len(found) == len({tuple(row[key] for key in keys) for row in found})


def test_report_dates_are_inclusive_whole_days(organiser, books):
    found = organiser.data("/reports/payments?date_from=2027-02-01&date_to=2027-06-30&period=year")
    assert found["filters"] == {
        "event_id": None,
        "event_key": None,
        "date_from": "2027-02-01",
        "date_to": "2027-06-30",
        "period": "year",
    }
    expected = [
        record["amount"]
        for record in everything(organiser, "/payments")
        if record["status"] in ("completed", "refunded")
        and "2027-01-31T23:00:00Z"
        <= (record["payment_date"] or record["created_at"])
        <= "2027-06-30T21:59:59Z"
    ]
    assert expected and sum(exact(row["received"]) for row in found["data"]["rows"]) == sum(
        map(exact, expected)
    )
    revenue = organiser.data("/reports/revenue?date_from=2027-02-01&date_to=2027-02-01")["data"][
        "rows"
    ]
    assert {row["period"] for row in revenue} == {"2027-02"}


def test_receivables_are_the_open_amounts_by_age(organiser, books):
    expected = defaultdict(lambda: [0, 0])
    for record in sent(organiser):
        if record["status"] in ("sent", "partially_paid", "overdue") and record["open_amount"] > 0:
            days = (today() - date.fromisoformat(record["due_date"])).days
            limits = {0: "not_due", 30: "1-30", 60: "31-60", 90: "61-90"}
            name = next((name for limit, name in limits.items() if days <= limit), "90+")
            entry = expected[record["currency"], name]
            entry[0], entry[1] = entry[0] + 1, entry[1] + exact(record["open_amount"])
    rows = organiser.data("/reports/receivables")["data"]["rows"]
    assert {
        (row["currency"], row["bucket"]): [row["invoices"], exact(row["amount"])]
        for row in rows
        if row["invoices"]
    } == expected
    assert expected
    assert [row["bucket"] for row in rows[:6]] == [
        "not_due",
        "1-30",
        "31-60",
        "61-90",
        "90+",
        "overpaid",
    ]


def test_receivables_of_a_past_date_are_the_amounts_open_then(organiser, books):
    records = [
        record
        for record in everything(organiser, "/payments?include=refunds")
        if record["status"] in ("completed", "refunded")
    ]
    for as_of, until in (
        ("2027-01-31", "2027-01-31T22:59:59Z"),
        ("2027-03-01", "2027-03-01T22:59:59Z"),
        ("2027-06-30", "2027-06-30T21:59:59Z"),
    ):
        amounts = defaultdict(Decimal)
        for record in sent(organiser):
            if record["issue_date"] <= as_of:
                of = (
                    record["related_invoice_id"]
                    if record["invoice_type"] == "credit_note"
                    else record["id"]
                )
                amounts[of, record["currency"]] += exact(record["total"])
        for record in records:
            key = record["invoice_id"], record["currency"]
            if key in amounts and (record["payment_date"] or record["created_at"]) <= until:
                amounts[key] -= exact(record["amount"])
            if key in amounts:
                amounts[key] += sum(
                    exact(refund["amount"])
                    for refund in record["refunds"]
                    if refund["refunded_at"] <= until
                )
        expected, overpaid = defaultdict(Decimal), defaultdict(Decimal)
        assert amounts
        for (_, currency), amount in amounts.items():
            expected[currency] += max(amount, 0)
            overpaid[currency] -= min(amount, 0)
        found = organiser.data(f"/reports/receivables?as_of={as_of}")["data"]
        assert {row["currency"]: exact(row["amount"]) for row in found["totals"]} == {
            currency: amount for currency, amount in expected.items() if amount
        }
        assert {
            row["currency"]: exact(row["amount"])
            for row in found["rows"]
            if row["bucket"] == "overpaid"
        } == {
            currency: amount
            for currency, amount in overpaid.items()
            if expected[currency] or amount
        }


@prepared
def show(organiser, db):
    """Create two events with participants, applications, a hall, services and visitors."""
    events = [
        organiser.make(
            "/events",
            {"title": title, "timezone": zone, "date_from": "2026-01-01", "date_to": "2027-12-31"},
        )
        for title, zone in (("Garden Fair", "Europe/Berlin"), ("Boat Fair", "Asia/Kolkata"))
    ]
    for number, role in enumerate(
        ("exhibitor", "visitor", "visitor", "speaker", "visitor", "exhibitor")
    ):
        contact = organiser.make("/contacts", {**GERMAN, "company_name": f"Company {number}"})
        person = organiser.make(
            "/participants",
            {"event_id": events[number % 2]["id"], "role": role, "contact_id": contact["id"]},
        )
        if number % 3:
            organiser.post(f"/participants/{person['id']}/confirm", status=200)
        organiser.make(
            "/check-ins",
            {
                "participant_id": person["id"],
                "station": ("North", None)[number % 2],
                "event_id": person["event_id"],
            },
        )
        application = organiser.make(
            "/applications",
            {
                "company_name": f"Applicant {number}",
                "event_keys": [events[number % 2]["event_key"]],
            },
        )
        if number % 2:
            organiser.post(f"/applications/{application['id']}/withdraw", status=200)
    plan = organiser.make(
        "/plans",
        {"event_id": events[0]["id"], "plan_name": "Hall <1> & co", "width": 60, "height": 40},
    )
    kind = organiser.make(
        "/booths/types", {"booth_type_name": "Corner", "price_model": "per_m2", "price": 99.99}
    )
    for number in range(5):
        booth = organiser.make(
            "/booths",
            {
                "plan_id": plan["id"],
                "booth_number": f"A{number}",
                "dimensions": {"width": 3.5, "depth": 3},
                "position": {"x": 1 + 6 * number, "y": 2},
                "booth_type_id": kind["id"] if number % 2 else None,
                "fixed_price": None if number % 2 else 500,
            },
        )
        if number < 3:
            held = organiser.make(
                "/booth-reservations", {"booth_id": booth["id"], "participant_id": 1}
            )
            if number < 2:
                organiser.post(f"/booth-reservations/{held['id']}/confirm", status=200)
    service = organiser.make(
        "/services",
        {
            "service_name": "Power",
            "unit": "piece",
            "base_price": 33.33,
            "events": [
                {"event_key": events[0]["event_key"], "stock": 10},
                {"event_key": events[1]["event_key"]},
            ],
        },
    )
    order = organiser.make(
        "/service-orders",
        {"participant_id": 1, "items": [{"service_id": service["id"], "quantity": 3}]},
    )
    organiser.post(f"/service-orders/{order['id']}/submit", status=200)
    return events


def test_participants_and_applications_are_counted_by_status(organiser, show):
    people = everything(organiser, "/participants")
    rows = organiser.data("/reports/participants")["data"]["rows"]
    expected = defaultdict(
        lambda: dict.fromkeys(("registered", "confirmed", "cancelled", "participants"), 0)
    )
    for person in people:
        entry = expected[person["event_key"], person["role"]]
        entry[person["status"]] += 1
        entry["participants"] += 1
    assert {(row.pop("event_key"), row.pop("role")): row for row in rows} == expected
    assert organiser.data("/reports/participants?date_to=2020-01-01")["data"]["totals"] == [
        {"registered": 0, "confirmed": 0, "cancelled": 0, "participants": 0}
    ]
    (row,) = organiser.data(f"/reports/applications?event_id={show[1]['id']}")["data"]["rows"]
    assert (row["withdrawn"], row["new"], row["applications"]) == (3, 0, 3)
    assert row["period"] == datetime.now(timezone.utc).astimezone(BERLIN).strftime("%Y-%m")


def test_booths_are_measured_and_valued(organiser, show):
    booths = everything(organiser, "/booths")
    sold = everything(organiser, "/booth-reservations?status=confirmed")
    rows = organiser.data("/reports/booths")["data"]["rows"]
    expected = defaultdict(lambda: defaultdict(Decimal))
    for booth in booths:
        entry, area = expected[booth["booth_type_key"]], exact(booth["dimensions"]["area"])
        entry["booths"] += 1
        entry[booth["status"]] += 1
        entry["area"] += area
        entry[f"{booth['status']}_area"] += area
        entry["revenue"] += sum(
            exact(record["final_price"]) for record in sold if record["booth_id"] == booth["id"]
        )
    assert (
        len(rows) == 2
        and sum(row["sold"] for row in rows) == 2
        and sum(row["reserved"] for row in rows) == 1
    )
    for row in rows:
        entry = expected[row["booth_type_key"]]
        for name in (
            "booths",
            "sold",
            "reserved",
            "available",
            "blocked",
            "area",
            "sold_area",
            "reserved_area",
            "available_area",
            "revenue",
        ):
            assert exact(row[name]) == entry[name], name
        per_m2 = entry["sold_area"] and (entry["revenue"] / entry["sold_area"]).quantize(
            Decimal("0.01")
        )
        assert exact(row["revenue_per_m2"] or 0) == per_m2


def test_services_show_sales_and_stock(organiser, show):
    first, second = organiser.data("/reports/services")["data"]["rows"]
    assert (
        first["orders"],
        first["quantity"],
        first["net"],
        first["stock"],
        first["available"],
    ) == (1, 3, 99.99, 10, 7)
    assert (second["quantity"], second["net"], second["stock"], second["available"]) == (
        0,
        0,
        None,
        None,
    )
    assert organiser.data("/reports/services?date_to=2020-01-01")["data"]["totals"][0]["net"] == 0


def test_check_ins_are_counted_in_the_time_zone_of_the_event(organiser, show):
    zones = {event["event_key"]: ZoneInfo(event["timezone"]) for event in show}
    expected = defaultdict(int)
    for visit in everything(organiser, "/check-ins"):
        hour = (
            datetime.fromisoformat(visit["checked_in_at"])
            .replace(minute=0, second=0)
            .astimezone(zones[visit["event_key"]])
        )
        expected[
            visit["event_key"], hour.date().isoformat(), f"{hour:%H:%M}", visit["station"]
        ] += 1
    rows = organiser.data("/reports/check-ins")["data"]["rows"]
    assert {
        (row["event_key"], row["day"], row["hour"], row["station"]): row["check_ins"]
        for row in rows
    } == expected


def test_services_are_the_sum_of_the_items_not_cancelled(organiser, show):
    """The test creates orders in every state, with completed, started and cancelled items, at two
    events.
    """
    chance, fair, boats = random.Random(3), *(event["event_key"] for event in show)
    made = [
        organiser.make(
            "/services",
            {
                "service_name": f"Service {number}",
                "base_price": 10.01 * number,
                "events": [
                    {"event_key": fair, "stock": 500 if number % 2 else None},
                    {"event_key": boats},
                ],
            },
        )
        for number in range(1, 4)
    ]
    hosts = [
        person
        for person in everything(organiser, "/participants")
        if person["status"] != "cancelled"
    ]
    for number in range(30):
        order = organiser.make(
            "/service-orders",
            {
                "participant_id": hosts[number % len(hosts)]["id"],
                "items": [
                    {"service_id": service["id"], "quantity": chance.randint(1, 5)}
                    for service in chance.sample(made, 2)
                ],
            },
        )
        address = f"/service-orders/{order['id']}"
        path = chance.choice(("", "submit", "submit confirm", "submit confirm", "submit cancel"))
        for action in path.split():
            organiser.post(f"{address}/{action}", status=200)
        if path.startswith("submit") and path != "submit cancel":
            organiser.post(
                f"{address}/items/{order['items'][0]['id']}/{chance.choice(('start', 'complete', 'cancel', 'cancel'))}"
            )
    sums, stocks, states = defaultdict(lambda: [set(), 0, Decimal()]), {}, set()
    for order in everything(organiser, "/service-orders?include=items"):
        for item in order["items"]:
            states.add((order["status"], item["status"]))
            if (
                order["status"] in ("submitted", "confirmed", "completed")
                and item["status"] != "cancelled"
            ):
                entry = sums[order["event_key"], item["service_key"]]
                entry[0].add(order["id"])
                entry[1] += item["quantity"]
                entry[2] += item["quantity"] * exact(item["unit_price"])
    assert len(states) >= 7, "too few different states"
    for service in everything(organiser, "/services?include=events"):
        for offer in service["events"]:
            stocks[offer["event_key"], service["service_key"]] = offer["stock"]
    rows = organiser.data("/reports/services")["data"]["rows"]
    assert {(row["event_key"], row["service_key"]) for row in rows} == set(stocks)
    for row in rows:
        key = row["event_key"], row["service_key"]
        orders, quantity, net = sums.get(key, (set(), 0, Decimal()))
        assert (row["orders"], row["quantity"], exact(row["net"]), row["stock"]) == (
            len(orders),
            quantity,
            net,
            stocks[key],
        )
        assert row["available"] == (None if row["stock"] is None else row["stock"] - quantity)


def test_a_booth_with_an_overdue_hold_counts_as_available(organiser, show, db):
    """Sizes come from the dimensions of the booths, states from the booths resource.

    One booth is blocked.
    """
    free = next(
        booth for booth in everything(organiser, "/booths") if booth["status"] == "available"
    )
    organiser.patch(f"/booths/{free['id']}", {"status": "blocked"}, status=200)
    db.connection.execute(
        "UPDATE booth_reservations SET expires_at = '2026-01-01T00:00:00Z' WHERE status = 'pending'"
    )
    db.connection.execute(
        "UPDATE booths SET held_until = '2026-01-01T00:00:00Z' WHERE status = 'reserved'"
    )
    expected = defaultdict(Decimal)
    for booth in everything(organiser, "/booths"):
        expected[booth["status"]] += exact(booth["dimensions"]["width"]) * exact(
            booth["dimensions"]["depth"]
        )
    rows = organiser.data("/reports/booths")["data"]["rows"]
    assert {
        state: sum(exact(row[f"{state}_area"]) for row in rows) for state in expected
    } == expected
    assert set(expected) == {"sold", "available", "blocked"} and not any(
        row["reserved"] for row in rows
    )


def test_check_outs_are_counted_by_hour(organiser, show):
    zones = {event["event_key"]: ZoneInfo(event["timezone"]) for event in show}
    for visit in everything(organiser, "/check-ins")[::2]:
        organiser.post(
            "/check-ins",
            {
                "participant_id": visit["event_participant_id"],
                "event_id": visit["event_id"],
                "station": "South",
                "action": "check_out",
            },
            status=200,
        )
    comes, goes = defaultdict(int), defaultdict(int)
    for visit in everything(organiser, "/check-ins"):
        comes[local_hour(visit["checked_in_at"], zones[visit["event_key"]])] += 1
        if visit["closed_by"] == "check_out":
            goes[local_hour(visit["checked_out_at"], zones[visit["event_key"]])] += 1
    rows = organiser.data("/reports/check-ins")["data"]["rows"]
    found = (defaultdict(int), defaultdict(int))
    for row in rows:
        found[0][row["day"], row["hour"]] += row["check_ins"]
        found[1][row["day"], row["hour"]] += row["check_outs"]
    assert sum(goes.values()) == 3
    assert all(
        {hour: count for hour, count in one.items() if count} == other
        for one, other in zip(found, (comes, goes), strict=True)
    )


def local_hour(timestamp, zone):
    """Return the start of an hour in UTC as local time of the event."""
    hour = datetime.fromisoformat(timestamp).replace(minute=0, second=0).astimezone(zone)
    return hour.date().isoformat(), f"{hour:%H:%M}"


def test_readiness_counts_ready_participants_and_missing_requirements(organiser, show):
    people = [
        person
        for person in everything(organiser, "/participants?include=readiness")
        if person["status"] != "cancelled"
    ]
    rows = organiser.data("/reports/readiness")["data"]["rows"]
    ready, unconfirmed, no_booth = defaultdict(int), defaultdict(int), defaultdict(int)
    for person in people:
        key = (person["event_key"], person["role"])
        items = {item["item"]: item["status"] for item in person["readiness"]["items"]}
        ready[key] += person["readiness"]["ready"]
        unconfirmed[key] += items["badge"] != "done"
        no_booth[key] += items["booth"] not in ("done", "not_required")
    assert {
        (row["event_key"], row["role"]): (row["ready"], row["unconfirmed"], row["no_booth"])
        for row in rows
    } == {key: (ready[key], unconfirmed[key], no_booth[key]) for key in ready}
    assert sum(row["participants"] for row in rows) == len(people)


def test_the_overview_has_the_totals_of_the_other_reports(organiser, books):
    rows = organiser.data("/reports/overview")["data"]["rows"]
    assert {row["report"] for row in rows} == {
        "participants",
        "applications",
        "booths",
        "revenue",
        "payments",
        "receivables",
    } - {"booths"}
    for row in rows:
        totals = organiser.data(f"/reports/{row['report']}")["data"]["totals"]
        assert row["value"] == next(
            total[row["figure"]] for total in totals if total.get("currency") == row["currency"]
        )


def test_the_catalogue_lists_every_report_with_its_parameters_and_formats(organiser, person):
    """Every GET route below /reports is listed, but for the account of one customer, and says what
    it accepts.
    """
    listed = {entry["path"]: entry for entry in organiser.data("/reports")}
    routes = {
        route.path.removeprefix("/api/v1"): route.options
        for route in (*ROUTES.routes, *DATEV.routes)
        if route.method == "GET" and route.path != "/api/v1/reports" and "<" not in route.path
    }
    assert set(listed) == set(routes)
    for path, options in routes.items():
        assert listed[path]["formats"] == list(options.offered)
        known = query_schema(options.query, listing=False)["properties"] if options.query else {}
        assert [parameter["name"] for parameter in listed[path]["parameters"]] == list(known)
    for entry in listed.values():
        if entry["report_type"] in NAMES:
            person("reports:read").get(entry["path"], status=200)
            assert entry["columns"]
            assert {"event_id", "event_key"} <= {
                parameter["name"] for parameter in entry["parameters"]
            }
    ledger = organiser.get("/reports/ledger", headers={"Accept": "text/csv"}).text
    assert listed["/reports/ledger"]["columns"] == ledger.splitlines()[0].split(",")


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_available_as_table_and_chart(organiser, show, name):
    found = organiser.data(f"/reports/{name}?event_key={show[0]['event_key']}")
    assert found["report_type"] == name and found["filters"]["event_id"] == show[0]["id"]
    header, *lines = csv.reader(
        io.StringIO(
            organiser.get(
                f"/reports/{name}?event_id={show[0]['id']}", headers={"Accept": "text/csv"}
            ).text
        )
    )
    assert len(lines) == len(found["data"]["rows"]) and all(
        list(row) == header for row in found["data"]["rows"]
    )
    answer = organiser.get(f"/reports/{name}", headers={"Accept": "image/svg+xml"}, status=200)
    root = ET.fromstring(answer.body)
    assert root.get("role") == "img" and root.findtext("{*}title") and root.findtext("{*}desc")
    organiser.get(
        f"/reports/{name}",
        headers={"Accept": "image/svg+xml", "If-None-Match": answer.headers["ETag"]},
        status=304,
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_database_yields_empty_reports_and_an_unknown_event_is_refused(organiser, name):
    assert organiser.data(f"/reports/{name}")["filters"]["event_id"] is None
    assert (
        "No data for this selection"
        in organiser.get(f"/reports/{name}", headers={"Accept": "image/svg+xml"}).text
    )
    for parameter, value in (("event_id", "77"), ("event_key", "nothing")):
        for form in ("application/json", "text/csv", "image/svg+xml"):
            answer = organiser.get(
                f"/reports/{name}?{parameter}={value}", headers={"Accept": form}, status=422
            )
            (fault,) = answer.json["errors"]
            assert (fault["parameter"], fault["code"]) == (parameter, "unknown") and value in fault[
                "detail"
            ]


def test_a_report_reads_one_snapshot_of_the_database(organiser, books, db, monkeypatch):
    """A report sees no writes that happen while it is read, so the overview is consistent."""
    from eventapi.domain.reports import catalogue as reports

    seen, whole = [], reports.figures

    def figures(used, name, asked):
        seen.append(used.connection.in_transaction)
        return whole(used, name, asked)

    monkeypatch.setattr(reports, "figures", figures)
    organiser.data("/reports/overview")
    assert seen and all(seen)


# Limits of days and months


@pytest.fixture
def exhibitor(organiser):
    event = organiser.make("/events", {"title": "Fair"})
    contact = organiser.make("/contacts", {**GERMAN, "company_name": "Muster GmbH"})
    return organiser.make(
        "/participants", {"event_id": event["id"], "role": "exhibitor", "contact_id": contact["id"]}
    )


def totals_of(client, path):
    return client.data(f"/reports/{path}")["data"]["totals"][0]


@prepared
def afar(organiser, db):
    """Create an event in India with participants who registered around midnight there."""
    event = organiser.make(
        "/events",
        {
            "event_key": "afar",
            "title": "Afar",
            "timezone": "Asia/Kolkata",
            "date_from": "2026-01-01",
            "date_to": "2027-12-31",
        },
    )
    for number, timestamp in enumerate(
        (
            "2026-03-31T18:29:59Z",
            "2026-03-31T18:30:00Z",
            "2026-03-31T21:59:59Z",
            "2026-03-31T22:00:00Z",
            "2026-04-01T18:29:59Z",
            "2026-04-01T18:30:00Z",
        )
    ):
        contact = organiser.make("/contacts", {**GERMAN, "company_name": f"Visitor {number}"})
        person = organiser.make(
            "/participants",
            {"event_id": event["id"], "role": "visitor", "contact_id": contact["id"]},
        )
        db.connection.execute(
            "UPDATE participants SET created_at = ? WHERE id = ?", (timestamp, person["id"])
        )
    return event


@pytest.mark.parametrize(
    "query, expected",
    [
        ("event_key=afar&date_from=2026-04-01&date_to=2026-04-01", 4),  # 18:30:00 to 18:29:59 UTC
        # Without an event the time zone of the organiser applies.
        ("date_from=2026-04-01&date_to=2026-04-01", 3),
        ("event_key=afar&date_to=2026-03-31", 1),
        ("event_key=afar&date_from=2026-04-02", 1),
    ],
)
def test_dates_of_participants_are_in_the_time_zone_of_the_event(organiser, afar, query, expected):
    assert totals_of(organiser, f"participants?{query}")["participants"] == expected
    rows = organiser.data(f"/reports/overview?{query}")["data"]["rows"]
    assert next(row["value"] for row in rows if row["figure"] == "participants") == expected


@pytest.mark.parametrize("day, hours", [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-15", 24)])
def test_a_day_with_a_clock_change_counts_whole(organiser, exhibitor, db, day, hours):
    item = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    draft = organiser.make("/invoices", {"event_participant_id": exhibitor["id"], "items": [item]})
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    begins = datetime.fromisoformat(day).replace(tzinfo=BERLIN).astimezone(timezone.utc)
    for seconds in (-1, 0, hours * 3600 - 1, hours * 3600):
        timestamp = f"{begins + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"
        organiser.make(
            "/payments",
            {"invoice_number": sent["invoice_number"], "amount": 10, "payment_date": timestamp},
        )
    assert totals_of(organiser, f"payments?date_from={day}&date_to={day}")["received"] == 20


def test_a_credit_note_of_a_later_month_makes_that_month_negative(organiser, exhibitor, db):
    items = [{"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}]
    draft = organiser.make("/invoices", {"event_participant_id": exhibitor["id"], "items": items})
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    organiser.post(f"/invoices/{draft['id']}/cancel", status=200)
    for row in db.connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'invoices'"
    ).fetchall():
        db.connection.execute(f"DROP TRIGGER {row[0]}")
    db.connection.execute(
        "UPDATE invoices SET issue_date = CASE invoice_type WHEN 'invoice' THEN '2026-12-31' ELSE '2027-01-01' END"
    )
    db.connection.execute(
        "UPDATE tax_entries SET day = CASE kind WHEN 'invoice' THEN '2026-12-31' ELSE '2027-01-01' END"
    )
    rows = organiser.data("/reports/revenue")["data"]["rows"]
    assert [(row["period"], row["net"], row["tax"], row["total"]) for row in rows] == [
        ("2026-12", 100, 19, 119),
        ("2027-01", -100, -19, -119),
    ]
    assert totals_of(organiser, "revenue?period=year") == {
        "currency": "EUR",
        "invoices": 1,
        "credit_notes": 1,
        "invoiced": 100,
        "credited": 100,
        "net": 0,
        "tax": 0,
        "total": 0,
    }
    assert [row["tax"] for row in organiser.data("/reports/tax")["data"]["rows"]] == [19, -19]
    assert "-100" in organiser.get("/reports/revenue", headers={"Accept": "image/svg+xml"}).text
    assert organiser.data("/reports/receivables")["data"]["totals"] == []
    assert totals_of(organiser, "receivables?as_of=2026-12-31")["amount"] == 119
    assert organiser.data("/reports/receivables?as_of=2027-01-01")["data"]["totals"] == []


def test_amounts_of_anonymised_contacts_stay_in_the_figures(organiser, books):
    names = ("revenue", "tax", "payments", "receivables", "participants")
    before = {name: organiser.data(f"/reports/{name}")["data"] for name in names}
    done = [
        organiser.post(f"/contacts/{contact['id']}/anonymize", {"force": True}).status_int
        for contact in everything(organiser, "/contacts")
    ]
    assert 200 in done
    after = {name: organiser.data(f"/reports/{name}")["data"] for name in names}
    assert sum(row["participants"] for row in after.pop("participants")["totals"]) == sum(
        row["participants"] for row in before.pop("participants")["totals"]
    )
    assert after == before


# Numbers of rows without a sum: rates, what several rows may count, and the stock, which is the
# same in each currency.
NOT_ADDED = {
    "tax": {"tax_rate", "invoices", "credit_notes"},
    "booths": {"revenue_per_m2"},
    "services": {"orders", "stock", "available"},
}


@pytest.mark.parametrize("name", REPORTS)
def test_the_totals_have_every_number_that_can_be_added(name):
    row = document("report")["$defs"][f"{name.replace('-', '_')}_row"]["properties"]
    numbers = {
        field for field, sub in row.items() if "integer" in sub["type"] or "number" in sub["type"]
    }
    components = openapi.document(None)["components"]["schemas"]
    totals = components[f"Report{name.title().replace('-', '')}DataTotal"]["properties"]
    assert totals.keys() - {"currency"} == numbers - NOT_ADDED.get(name, set())
    assert ("currency" in totals) == ("currency" in row)


@pytest.mark.parametrize(
    "name",
    [
        "revenue",
        "tax",
        "payments",
        "participants",
        "services",
        "check-ins",
        "applications",
        "overview",
    ],
)
def test_a_period_that_ends_before_it_begins_is_refused(organiser, name):
    answer = organiser.get(f"/reports/{name}?date_from=2027-06-30&date_to=2027-06-29", status=422)
    assert [(fault["parameter"], fault["code"]) for fault in answer.json["errors"]] == [
        ("date_to", "before_start")
    ]
    organiser.get(f"/reports/{name}?date_from=2027-06-30&date_to=2027-06-30", status=200)


@pytest.mark.parametrize(
    "as_of, status",
    [
        ("0001-01-01", 200),
        ("2999-12-31", 200),
        ("3000-01-01", 422),
        ("9999-12-31", 422),
        ("2026-02-30", 422),
    ],
)
def test_receivables_can_be_read_for_every_day_up_to_2999(organiser, as_of, status):
    answer = organiser.get(f"/reports/receivables?as_of={as_of}", status=status)
    assert status == 200 or answer.json["errors"][0]["parameter"] == "as_of"


@pytest.mark.parametrize(
    "period, labels, in_chart",
    [
        (
            "day",
            ["2026-12-31", "2027-01-01", "2027-01-31", "2027-02-01", "2027-06-30"],
            "31 December 2026",
        ),
        ("week", ["2026-W53", "2027-W04", "2027-W05", "2027-W26"], "Week 53, 2026"),
        ("month", ["2026-12", "2027-01", "2027-02", "2027-06"], "Dec 2026"),
        ("quarter", ["2026-Q4", "2027-Q1", "2027-Q2"], "Q4 2026"),
        ("year", ["2026", "2027"], "2026"),
    ],
)
def test_periods_have_labels(organiser, books, db, period, labels, in_chart):
    """The first of January 2027 is in the last ISO week of 2026."""
    db.connection.execute("UPDATE invoices SET issue_date = '2027-01-01' WHERE id = 1")
    rows = organiser.data(f"/reports/revenue?period={period}")["data"]["rows"]
    assert list(dict.fromkeys(row["period"] for row in rows)) == labels
    month = organiser.data("/reports/revenue?period=month")["data"]["totals"]
    assert organiser.data(f"/reports/revenue?period={period}")["data"]["totals"] == month
    assert (
        in_chart
        in organiser.get(
            f"/reports/revenue?period={period}", headers={"Accept": "image/svg+xml"}, status=200
        ).text
    )


def test_a_chart_shows_the_days_and_weeks_between(organiser):
    rows = [{"period": label} for label in ("2026-W52", "2027-W02")]
    assert report_charts.without_gaps(rows, {"period": "week"}) == [
        "2026-W52",
        "2026-W53",
        "2027-W01",
        "2027-W02",
    ]
    rows = [{"period": label} for label in ("2026-12-30", "2027-01-01")]
    assert report_charts.without_gaps(rows, {"period": "day"}) == [
        "2026-12-30",
        "2026-12-31",
        "2027-01-01",
    ]


# Charts


def drawn(kind, labels, *series):
    return svg.draw(
        sheet.picture(
            "test", "A & <b>", "What", [Panel(kind, "Panel <i>", tuple(labels), series, "en")], "en"
        )
    ).decode()


@pytest.mark.parametrize("kind", ["columns", "bars", "lines"])
def test_a_chart_escapes_names_and_shows_values(kind):
    text = drawn(kind, ["<script>", "b"], ("one & two", (1, -2)), ("three", (1500.5, 4)))
    ET.fromstring(text)
    assert (
        "<script>" not in text
        and "&lt;script&gt;, three: 1,500.50" in text
        and "one &amp; two" in text
    )


@pytest.mark.parametrize(
    "low, high", [(0, 1), (0, 7), (-3, 8), (0, 123456789), (0, 0.02), (-5, 0), (0, 0), (99, 101)]
)
def test_an_axis_has_round_steps_around_all_values(low, high):
    ticks = diagrams.steps(low, high)
    assert ticks[0] <= min(low, 0) and ticks[-1] >= max(high, 0) and 2 <= len(ticks) <= 10
    assert any(abs(tick) < 1e-12 for tick in ticks)
    assert f"{ticks[1] - ticks[0]:e}"[0] in "125"


@pytest.mark.parametrize("kind", ["columns", "lines"])
def test_labels_do_not_overlap(kind):
    from eventapi.pictures.letters import em

    panel = Panel(
        kind,
        "Months",
        tuple(f"2026-{number:03}" for number in range(200)),
        (("net", tuple(range(200))),),
        "en",
    )
    parts, _ = sheet.draw_panel(panel, 20)
    labels = [
        part for part in parts if isinstance(part, Text) and part.lines[0].startswith("2026-")
    ]
    assert len(labels) > 5
    for one, other in itertools.pairwise(labels):
        assert (
            one.x + em(one.lines[0]) * one.size / 2 < other.x - em(other.lines[0]) * other.size / 2
        )


def test_categories_beyond_the_limit_are_summed():
    series = [(f"state {number}", tuple([1] * 100)) for number in range(12)]
    text = drawn("bars", [f"Hall {number}" for number in range(100)], *series)
    assert (
        "77 others" in text
        and "924 in total" in text
        and "other: 5" in text
        and "Hall 22, " in text
    )
    assert "Hall 23" not in text


def texts_of(kind, labels, *series):
    return [
        part.lines[0]
        for part in sheet.draw_panel(Panel(kind, "Panel", tuple(labels), series, "en"), 20)[0]
        if isinstance(part, Text)
    ]


@pytest.mark.parametrize("kind", ["columns", "bars", "lines"])
def test_axes_of_counts_have_whole_numbers(kind):
    assert not [text for text in texts_of(kind, ["a"], ("new", (1,))) if "." in text]
    assert "0.20" in texts_of(kind, ["a"], ("net", (1.0,)))


@pytest.mark.parametrize(
    "values, expected",
    [
        ((1872.0, 1987.2), ["1,872.00", "1,987.20"]),
        ((1.234, 12.5), ["1.234", "12.500"]),
        ((0.1 + 0.2, 1e12), ["0.30", "1,000,000,000,000.00"]),
        ((3, -4), ["3", "-4"]),
        ((-0.0, 0.5), ["0.00", "0.50"]),
    ],
)
def test_values_have_the_same_number_of_decimals(values, expected):
    assert formats.numbers(values, "en") == expected


def test_columns_show_all_of_their_values_or_none():
    few, many = (
        texts_of(
            "columns", [f"m{number}" for number in range(count)], ("net", tuple([1234.5] * count))
        )
        for count in (12, 60)
    )
    assert few.count("1,234.50") == 12 and "1,234.50" not in many


@pytest.mark.parametrize("values", [(25,), (-25,), (25, -25), (0, 0, 30)])
def test_values_of_columns_fit_into_the_plot(values):
    """Values overlap neither the legend nor the labels of the axis."""
    labels = tuple(f"m{number}" for number in range(len(values)))
    panel = Panel("columns", "Panel", labels, (("net", values),), "en")
    parts, height = diagrams.columns(panel, 20)
    found = [part for part in parts if isinstance(part, Text) and part.size == 2.6]
    assert found and all(20 + 1.5 < part.y < 20 + height for part in found)


def box_of(text):
    """Return the box of a Text in the metrics of the font, or else of the table of widths."""
    wide = text.size * max(letters.em(line, text.bold) for line in text.lines)
    if fonts.installed(fonts.EUROPE):
        wide = max(fonts.width(line, text.size, text.bold) * fonts.POINTS for line in text.lines)
    left = text.x - {"start": 0, "middle": wide / 2, "end": wide}[text.align]
    return left, text.y - 0.75 * text.size, left + wide, text.y + 0.2 * text.size


@pytest.mark.parametrize("kind", ["columns", "bars", "lines"])
@pytest.mark.parametrize("count, series", [(1, 1), (5, 2), (13, 8), (24, 3), (60, 8), (200, 1)])
@pytest.mark.parametrize("language", ["en", "de"])
def test_texts_of_a_chart_do_not_overlap_and_stay_within_it(kind, count, series, language):
    pytest.importorskip("reportlab")
    panel = Panel(
        kind,
        "Besuche",
        tuple(f"Halle {number}, Süd" for number in range(count)),
        tuple(
            (
                f"Zahlungsdienst {number}",
                tuple((number + 1) * 12345.67 * (place % 7 - 1) for place in range(count)),
            )
            for number in range(series)
        ),
        language,
    )
    drawing = sheet.picture("test", "Einlass", "Grüne Messe Leipzig", [panel, panel], language)
    found = [(box_of(text), text) for text in texts_in(drawing.parts)]
    assert len(found) > 8
    for box, text in found:
        assert (
            0 <= box[0] and box[2] <= drawing.width and 0 <= box[1] and box[3] <= drawing.height
        ), text
    for place, (one, text) in enumerate(found):
        for other, _ in found[place + 1 :]:
            assert not (
                one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
            ), text


def texts_in(parts):
    for part in parts:
        if isinstance(part, Group):
            yield from texts_in(part.parts)
        elif isinstance(part, Text):
            yield part


def rgb(color):
    return [int(color[place : place + 2], 16) for place in (1, 3, 5)]


def lightness(color):
    return (
        sum(share * part for share, part in zip((0.3, 0.59, 0.11), rgb(color), strict=True)) / 255
    )


def fills(panel):
    """Return {name: (red, green, blue)} of the bars of a chart, as the SVG has them in its
    tooltips.
    """
    root = ET.fromstring(svg.draw(sheet.picture("test", "Title", "What", [panel], "en")))
    return {
        group.findtext("{*}title"): rgb(group.find("{*}path").get("fill"))
        for group in root.iterfind(".//{*}g")
    }


def test_one_meaning_has_one_colour_in_all_charts():
    rows = [{"period": "2026-01", **dict.fromkeys(catalogue.sums("applications"), 1)}]
    (applications,) = report_charts.applications(rows, {"period": "month"}, "en")
    (people,) = report_charts.participants(
        [{"role": "press", "confirmed": 1, "registered": 1, "cancelled": 1}], {}, "en"
    )
    (open_,) = report_charts.receivables(
        [
            {"currency": "EUR", "bucket": bucket, "amount": 1.0}
            for bucket in ("not_due", "1-30", "90+")
        ],
        {},
        "en",
    )
    ready = report_charts.readiness(
        [{"participants": 2, "ready": 1, **dict.fromkeys(report_charts.MISSING_ITEMS, 0)}], {}, "en"
    )[0]
    found = {
        name: color
        for panel in (applications, people, open_, ready)
        for name, color in fills(panel).items()
    }
    good = [
        color
        for name, color in found.items()
        if re.search(r"approved|confirmed|\bready", name) and "not ready" not in name
    ]
    bad = [
        color
        for name, color in found.items()
        if re.search(r"rejected|1–30|more than 90|over 90|90\+", name)
    ]
    waiting = [
        color for name, color in found.items() if re.search("in review|registered|not ready", name)
    ]
    assert len(good) == 3 and len(bad) == 3 and len(waiting) == 3, sorted(found)
    assert all(color == good[0] for color in good) and good[0][1] > 1.4 * max(
        good[0][0], good[0][2]
    ), "green"
    assert all(color == bad[0] for color in bad) and bad[0][0] > 1.8 * max(bad[0][1:]), "red"
    assert all(color == waiting[0] for color in waiting), "amber"
    assert waiting[0][0] > waiting[0][1] > 1.5 * waiting[0][2]


def test_meanings_and_series_are_recognised_without_colour():
    for shown in (
        [found for looks_ in panels.MEANINGS.values() for found in looks_],
        panels.SERIES,
    ):
        for one, other in itertools.combinations(shown, 2):
            patterns = [
                (look.hatch.gap, look.hatch.crossed) if look.hatch else None
                for look in (one, other)
            ]
            differ = abs(lightness(one.fill) - lightness(other.fill)) >= 0.07
            assert patterns[0] != patterns[1] or differ, (one, other)


def test_repeated_meanings_have_different_looks():
    found = panels.of_meanings(("open", "open", "open", "good", "open"))
    assert len({look.fill for look in found[:3]}) == 3 and found[4] == found[2]


def test_the_subtitle_of_a_chart_names_the_event_by_its_title(organiser, books, db):
    event = organiser.make(
        "/events", {"title": "Spring Fair <2027>", "event_key": "sf27", "date_from": "2027-05-01"}
    )
    for name in NAMES:
        answer = organiser.get(
            f"/reports/{name}?event_id={event['id']}", headers={"Accept": "image/svg+xml"}
        )
        texts = [
            "".join(text.itertext()) for text in ET.fromstring(answer.body).iterfind(".//{*}text")
        ]
        assert texts[1].startswith("Spring Fair <2027> · ") and "sf27" not in answer.text


def test_a_panel_does_not_repeat_the_title_of_the_chart():
    panel = Panel("columns", "Applications", ("2026",), (("new", (1,)),), "en")
    drawing = sheet.picture("test", "Applications", "What", [panel], "en")
    assert [text.lines[0] for text in texts_in(drawing.parts)].count("Applications") == 1


def test_a_chart_is_drawn_in_the_requested_language(organiser, books):
    charts_ = {
        tag: organiser.get(
            f"/reports/revenue?date_from=2026-01-01&language={tag}",
            headers={"Accept": "image/svg+xml"},
            status=200,
        )
        for tag in ("en", "de-AT")
    }
    assert "from 1 January 2026" in charts_["en"].text and "ab 01.01.2026" in charts_["de-AT"].text
    assert "Net revenue, EUR" in charts_["en"].text and "Nettoumsatz, EUR" in charts_["de-AT"].text
    assert len({chart.headers["ETag"] for chart in charts_.values()}) == 2
    [fault] = organiser.get("/reports/tax?language=fr", status=422).json["errors"]
    assert fault["parameter"] == "language"
    assert "language" not in organiser.data("/reports/revenue?language=de")["filters"]


@pytest.mark.parametrize(("language", "label"), [("en", "Sep 2026"), ("de", "Sep. 2026")])
def test_periods_are_written_in_the_language_of_the_chart(language, label):
    rows = [{"period": "2026-09", "currency": "EUR", "net": 1.5}]
    (panel,) = report_charts.revenue(rows, {"period": "month"}, language)
    assert panel.labels == (label,)


def test_a_chart_has_a_text_alternative():
    text = ET.fromstring(
        drawn("columns", ["2026-11", "2026-12"], ("net", (5.5, -2.0)), ("more", (1.0, 0.0)))
    ).findtext("{*}desc")
    assert text == "What. Panel <i>: 2026-11 6.50, 2026-12 -2.00."


def test_hours_have_no_gaps_and_many_days_are_columns():
    rows = [
        {"day": "2026-09-01", "hour": hour, "check_ins": count}
        for hour, count in (("09:30", 5), ("12:30", 2), ("18:30", 0))
    ]
    (panel,) = report_charts.check_ins(rows, {}, "en")
    assert panel.labels == ("09:30", "10:30", "11:30", "12:30")
    assert panel.series == (("1 September 2026", (5, 0, 0, 2)),)
    (panel,) = report_charts.check_ins(
        [{"day": f"2026-09-{day:02}", "hour": "09:00", "check_ins": day} for day in range(1, 13)],
        {},
        "en",
    )
    assert panel.kind == "columns" and panel.series[0][1] == tuple(range(1, 13))
    assert report_charts.check_ins([], {}, "en")[0].labels == ()


def test_a_gateway_has_the_same_series_in_every_currency():
    rows = [
        {"period": "2026-01", "currency": currency, "gateway_key": key, "received": 1.0}
        for currency, key in (("CHF", "bank"), ("EUR", "bank"), ("EUR", None), ("EUR", "card"))
    ]
    swiss, euro = report_charts.payments(rows, {"period": "month"}, "en")
    assert (
        [name for name, _ in swiss.series]
        == [name for name, _ in euro.series]
        == ["bank", "card", "without gateway"]
    )


def test_the_overview_draws_each_report_to_its_own_scale():
    rows = [
        {"report": name, "figure": figure, "currency": None, "value": value}
        for name, figure, value in (
            ("participants", "confirmed", 150000),
            ("participants", "participants", 150000),
            ("booths", "sold", 3),
            ("booths", "booths", 3),
        )
    ]
    panels = [panel for panel in report_charts.overview(rows, {}, "en") if panel.labels]
    assert [(panel.title, panel.labels) for panel in panels] == [
        ("Participants", ("confirmed",)),
        ("Booths", ("sold",)),
    ]


@prepared
def overpaid(organiser, db):
    """Send two invoices for 119 and pay 150 for one of them."""
    buyer = organiser.make("/contacts", {**GERMAN, "company_name": "Muster GmbH"})
    item = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    numbers = []
    for _ in "ab":
        draft = organiser.make("/invoices", {"contact_id": buyer["id"], "items": [item]})
        numbers.append(
            organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"][
                "invoice_number"
            ]
        )
    organiser.make("/payments", {"invoice_number": numbers[0], "amount": 150})


@pytest.mark.parametrize("query", ["", "?as_of={today}"])
def test_overpaid_amounts_are_shown_and_not_part_of_the_total(organiser, overpaid, query):
    found = organiser.data(f"/reports/receivables{query.format(today=in_days(0))}")["data"]
    assert {
        row["bucket"]: (row["invoices"], row["amount"]) for row in found["rows"] if row["invoices"]
    } == {"not_due": (1, 119), "overpaid": (1, 31)}
    assert found["totals"] == [{"currency": "EUR", "invoices": 1, "amount": 119}]
    for language, word in (("en", "overpaid"), ("de", "überzahlt")):
        drawn = organiser.get(
            f"/reports/receivables?language={language}", headers={"Accept": "image/svg+xml"}
        ).text
        assert word in drawn
    (row,) = [
        row
        for row in organiser.data("/reports/overview")["data"]["rows"]
        if row["report"] == "receivables"
    ]
    assert row["value"] == 119


@pytest.mark.parametrize(
    "period, label", [("day", "2026-05-04"), ("week", "2026-W19"), ("quarter", "2026-Q2")]
)
def test_a_refund_counts_in_its_own_period(organiser, exhibitor, monkeypatch, period, label):
    """The refund is later than the year of its payment; the figures of that year stay the same."""
    monkeypatch.setattr(times, "now", lambda: "2025-06-02T10:00:00Z")
    item = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    draft = organiser.make("/invoices", {"event_participant_id": exhibitor["id"], "items": [item]})
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    paid = organiser.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 119})
    monkeypatch.setattr(times, "now", lambda: "2026-05-04T10:00:00Z")
    paths = (
        "payments?date_to=2025-12-31&period=year",
        "receivables?as_of=2025-12-31",
        "overview?date_to=2025-12-31",
    )
    before = [organiser.data(f"/reports/{path}")["data"] for path in paths]
    organiser.post(f"/payments/{paid['id']}/refund", status=200)
    assert [organiser.data(f"/reports/{path}")["data"] for path in paths] == before
    first, second = organiser.data(f"/reports/payments?period={period}")["data"]["rows"]
    assert (first["received"], first["refunded"], first["net"]) == (119, 0, 119)
    assert (
        second["period"],
        second["payments"],
        second["received"],
        second["refunded"],
        second["net"],
    ) == (label, 0, 0, 119, -119)
    organiser.get(
        f"/reports/payments?period={period}", headers={"Accept": "image/svg+xml"}, status=200
    )
