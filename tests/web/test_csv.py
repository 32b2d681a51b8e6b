"""Every list as CSV: complete, with the same content as the list, and without formulas that a
spreadsheet would execute.
"""

import csv
import io
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from eventapi import spreadsheet
from eventapi.validation.schema_files import definition, query_schema
from tests.support import camt
from tests.support.examples import REFERENCES, address_of_list, all_routes, body_for, collections

FORMULA = "=HYPERLINK(1)"
LISTS = [route for route in all_routes() if route.options.listing]


def plain(name):
    """Return the fields of a body that accept any text."""
    return [
        field
        for field, sub in definition(name)["properties"].items()
        if "string" in sub.get("type", ())
        and not {"enum", "pattern", "readOnly"} & sub.keys()
        and sub.get("format") in (None, "line")
        and field not in REFERENCES
    ]


def armed(shared, name, path):
    """Create a record with a formula in every field that accepts one.

    There must be at least one such field.
    """
    body, fields = body_for(shared.organiser, name), set(plain(name))
    body.pop("tax_rate", None)  # a price with an `exemption_reason` has none
    while True:
        answer = shared.organiser.post(path, {**body, **dict.fromkeys(fields, FORMULA)})
        if answer.status_int == 201:
            assert fields
            return answer.json["data"]
        refused = {
            entry["pointer"].split("/")[1] for entry in answer.json.get("errors", ())
        } & fields
        assert answer.status_int == 422 and refused, answer.text
        fields -= refused


@pytest.fixture(scope="module")
def stock(shared):
    """Create two records of each kind, one with formulas, and the lists that no POST of their own
    fills.

    Return the records with formulas.
    """
    made = {}
    for name, path in collections().items():
        made[name] = armed(shared, name, path)
        shared.organiser.make(path, body_for(shared.organiser, name))
    hook = shared.organiser.make(
        "/webhooks", {"url": "https://hooks.example.org/x", "events": ["*"], "name": FORMULA}
    )
    shared.organiser.post(f"/webhooks/{hook['id']}/test", status=202)
    event = shared.organiser.data("/events")[0]
    shared.organiser.post(
        "/check-ins",
        {"event_id": event["id"], "badge_number": FORMULA, "station": FORMULA},
        status=404,
    )
    shared.organiser.make(
        "/bulk-import/contacts",
        {
            "records": [
                {"last_name": FORMULA, "email": "a@b.example"},
                {"last_name": FORMULA, "email": "a@b.example"},
            ]
        },
    )
    entries = [{"day": "2026-05-04", "amount": 100, "party": FORMULA, "text": FORMULA}] * 2
    shared.organiser.post(
        "/payments/import",
        status=201,
        headers={"Content-Type": "application/xml"},
        raw=camt.document([camt.statement("DE02120300000000202051", entries)]),
    )
    shared.organiser.post(
        "/payments/import?column_booked_on=Day&column_amount=Amount&account=DE02120300000000202051",
        status=201,
        headers={"Content-Type": "text/csv"},
        raw=f"Day;Amount;{FORMULA}\n2026-05-05;12,50;\n".encode(),
    )
    buyer = shared.organiser.make(
        "/contacts", {"company_name": FORMULA, "address": "Weg 1", "city": "Ulm"}
    )
    overdue = [
        shared.organiser.make(
            "/invoices",
            {
                "contact_id": buyer["id"],
                "invoice_number": number,
                "issue_date": "2020-01-01",
                "due_date": "2020-01-15",
                "items": [{"description": "Booth", "quantity": 1, "unit_price": 100}],
            },
        )["id"]
        for number in ("OLD 1", "OLD 2")
    ]
    for id in overdue:
        shared.organiser.post(f"/invoices/{id}/send", status=200)
    # the first stays due, the second has a letter
    shared.organiser.post("/invoices/dunning/send", {"invoice_ids": overdue[1:]}, status=200)
    return {**made, "webhook": hook}


def address(shared, stock, route):
    """Return the list that contains the records of the stock, with its required query."""
    if route.path.startswith("/api/v1/webhooks/<id>"):
        return route.path.replace("<id>", str(stock["webhook"]["id"])) + "?"
    schema = query_schema(route.options.query, listing=True)
    record = stock.get(route.options.singular, {})
    return (
        address_of_list(shared.organiser, route)
        + "?"
        + "".join(
            f"{name}={record[name]}&" for name in schema["required"] or schema.get("x-at", [])
        )
    )


def test_every_beginning_of_a_formula_is_disarmed_and_read_back():
    """The list is OWASP's: = + - @, tab and line breaks, and the signs of full width."""
    for beginning in (
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "\n",
        "\uff1d",
        "\uff0b",
        "\uff0d",
        "\uff20",
        "'=",
        "''\uff1d",
    ):
        text = f"{beginning}1+HYPERLINK(1)"
        assert spreadsheet.escape_formula(text) == f"'{text}"
        assert spreadsheet.unescape_formula(f"'{text}") == text
    for text in ("A=1", "Müller", "-12.50", "+49 341 1234", "'s-Hertogenbosch", "\u3000"):
        assert spreadsheet.escape_formula(text) == text


@pytest.mark.parametrize("route", LISTS, ids=lambda route: route.path)
def test_a_list_as_csv_has_the_same_content_and_no_formulas(shared, stock, route):
    path = address(shared, stock, route)
    answer = shared.organiser.get(
        f"{path}sort=id&order=DESC&per_page=1", headers={"Accept": "text/csv"}, status=200
    )
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    listed = shared.organiser.get(f"{path}sort=id&order=DESC&per_page=100", status=200).json
    assert len(rows) == listed["meta"]["total"] > 0
    fields, guarded = definition(route.options.singular)["properties"], 0
    # the page holds at most 100 records
    for row, record in zip(rows, listed["data"], strict=False):
        assert row["id"] == str(record["id"])
        for field, value in record.items():
            if field in row and value and fields.get(field, {}).get("x-csv") == "day":
                day = datetime.fromisoformat(value).astimezone(ZoneInfo("Europe/Berlin")).date()
                assert row[field] == day.isoformat(), field
            elif field in row and isinstance(value, str):
                assert row[field] in (value, f"'{value}"), field
                guarded += value == FORMULA and row[field] == f"'{FORMULA}"
            elif field in row and isinstance(value, (bool, int, type(None))):
                assert row[field] == ("" if value is None else str(value).lower()), field
    assert not [
        cell for row in rows for cell in row.values() if cell.startswith(("=", "@", "\t", "\r"))
    ]
    assert guarded or route.options.singular not in stock, (
        "its records hold formulas, which the list does not show"
    )


def table_of(shared, path, dialect):
    """Return the bytes of a list in a dialect."""
    answer = shared.organiser.get(
        f"{path}{'&' if '?' in path else '?'}dialect={dialect}",
        headers={"Accept": "text/csv"},
        status=200,
    )
    return answer.body


def test_excel_gets_a_mark_labels_and_its_own_numbers_and_days(shared):
    event = shared.organiser.make("/events", {"title": "=1+1; 2", "date_from": "2026-11-28"})
    category = shared.organiser.make(
        "/categories", {"title": "Preis", "base_price": 1234.5, "tax_rate": 7}
    )
    german = table_of(shared, f"/events?ids={event['id']}", "excel-de")
    assert german.startswith(b"\xef\xbb\xbf") and german.endswith(b"\r\n")
    [head, row] = csv.reader(io.StringIO(german.decode("utf-8-sig")), delimiter=";")
    found = dict(zip(head, row, strict=True))
    assert (found["Titel"], found["Erster Tag"]) == ("'=1+1; 2", "28.11.2026")
    assert found["Angelegt am"] == datetime.fromisoformat(event["created_at"]).astimezone(
        ZoneInfo(shared.app.app.settings.timezone)
    ).strftime("%d.%m.%Y %H:%M")
    english = table_of(shared, f"/events?ids={event['id']}", "excel-en")
    assert english.startswith(b"\xef\xbb\xbf")
    [head, row] = csv.reader(io.StringIO(english.decode("utf-8-sig")))
    found = dict(zip(head, row, strict=True))
    assert (found["Title"], found["First day"]) == ("'=1+1; 2", "2026-11-28")
    for dialect, price in (("excel-de", "1234,5"), ("excel-en", "1234.5")):
        text = table_of(shared, f"/categories?ids={category['id']}", dialect).decode("utf-8-sig")
        [head, row] = csv.reader(io.StringIO(text), delimiter=";" if dialect == "excel-de" else ",")
        label = "Grundpreis (netto)" if dialect == "excel-de" else "Base price (net)"
        assert dict(zip(head, row, strict=True))[label] == price


def test_a_list_is_written_as_before_without_a_dialect(shared):
    path = "/events?sort=id&order=ASC"
    plain = shared.organiser.get(path, headers={"Accept": "text/csv"}, status=200).body
    assert table_of(shared, path, "rfc4180") == plain
    assert plain.startswith(b"id,event_key,")
    for dialect in ("excel-fr", "EXCEL", ""):
        answer = shared.organiser.get(f"{path}&dialect={dialect}", status=422)
        assert answer.json["errors"][0]["parameter"] == "dialect"


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_column_of_a_list_has_a_label_of_its_own(language):
    known = spreadsheet.names()
    faults = []
    for route in LISTS:
        included = list(spreadsheet.response_schema(route.options.singular)["properties"])
        heads = [head for head, *_ in spreadsheet.columns(route.options.singular, included)]
        faults += [head for head in heads for part in head.split(".") if part not in known]
        labels = [spreadsheet.label(head, language) for head in heads]
        faults += [
            f"{route.options.resource}: {head} {label}"
            for head, label in zip(heads, labels, strict=True)
            if labels.count(label) > 1
        ]
    assert faults == []
