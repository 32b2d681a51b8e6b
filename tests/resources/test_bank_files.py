"""Files as banks write them, imported by a request. The cases are invented, their form is not."""

from pathlib import Path

import pytest

from tests.support import camt

ACCOUNT = "DE02120300000000202051"
DATA = Path(__file__).parents[1] / "domain" / "bank" / "data"


@pytest.fixture
def read(organiser):
    """Return a function that imports a file, and returns (rows of the work list, response)."""

    def imported(data, form="text/csv", status=201, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        data = (DATA / data).read_bytes() if isinstance(data, str) else data
        response = organiser(
            "POST", f"/payments/import?{text}", raw=data, headers={"Content-Type": form}
        )
        assert response.status_int == status, response.text[:800]
        rows = organiser.data("/payments/unmatched?sort=booked_on&per_page=100")
        names = ("booked_on", "amount", "party", "text", "currency")
        return [tuple(row[name] for name in names) for row in rows], response.json

    return imported


def test_the_balance_below_the_rows_of_comdirect_is_no_row(read):
    rows, response = read("comdirect.csv", account=ACCOUNT)
    assert rows == [("2026-11-20", 119, "Farn GmbH", "Rechnung 4711", "EUR")]
    assert response["data"]["imported"] == 1


def test_a_report_in_camt_052_is_imported(read):
    rows, response = read("camt052.xml", "application/xml")
    assert rows == [("2026-11-20", 119, "Farn GmbH", "Rechnung 4711", "EUR")]
    assert (response["data"]["imported"], response["meta"].get("warnings")) == (1, None)
    (statement,) = response["data"]["statements"]
    assert (statement["opening_balance"], statement["closing_balance"]) == (1000, 1119)


def test_a_report_without_balances_is_imported_with_a_warning(read):
    data = (DATA / "camt052.xml").read_bytes().replace(b"CLBD", b"ITBD")
    rows, response = read(data, "application/xml")
    assert len(rows) == 1
    (warning,) = response["meta"]["warnings"]
    assert warning["code"] == "balance_unproven"
    assert f"no opening and closing balance of the account {ACCOUNT}," in warning["detail"]


POSTFINANCE = {
    "column_booked_on": "Datum",
    "column_credit": "Gutschrift%20in%20EUR",
    "column_debit": "Lastschrift%20in%20EUR",
    "column_text": "Avisierungstext",
    "account": ACCOUNT,
}
SWISS = {
    "column_booked_on": "Datum",
    "column_debit": "Belastung",
    "column_credit": "Gutschrift",
    "column_text": "Text",
    "account": ACCOUNT,
}


@pytest.mark.parametrize("told", [{}, {"decimal_separator": "."}])
def test_notes_below_the_rows_are_skipped_with_a_warning(read, told):
    rows, response = read("postfinance.csv", **POSTFINANCE, **told)
    assert rows == [("2026-11-20", 119, None, "Farn GmbH Rechnung 4711", "EUR")]
    (warning,) = response["meta"]["warnings"]
    assert warning["code"] == "rows_skipped"
    assert f"Account {ACCOUNT}: lines 10 and 11 have no day and no amount" in warning["detail"]


def test_a_warning_names_the_first_of_many_lines(read):
    data = (DATA / "postfinance.csv").read_bytes() + b"\nText" * 20
    _, response = read(data, **POSTFINANCE)
    assert "28, 29 and 30 (and 2 more) have no day" in response["meta"]["warnings"][0]["detail"]


@pytest.mark.parametrize(
    "told",
    [{}, {"decimal_separator": "."}, {"thousands_separator": "'"}, {"dates": "dmy"}],
)
def test_amounts_with_apostrophes_are_read(read, told):
    rows, response = read("chf.csv", **SWISS, **told)
    assert [row[:2] for row in rows] == [("2026-10-08", -9766.5), ("2026-10-07", 1190)]
    assert "warnings" not in response["meta"]


FEW = b"Datum;Betrag\n01/10/2026;1.250\n"
FEW_COLUMNS = {"column_booked_on": "Datum", "column_amount": "Betrag", "account": ACCOUNT}


@pytest.mark.parametrize(
    ("told", "parameter", "code"),
    [
        ({}, "decimal_separator", "ambiguous_number"),
        ({"dates": "mdy"}, "decimal_separator", "ambiguous_number"),
        ({"decimal_separator": ","}, "dates", "ambiguous_dates"),
    ],
)
def test_what_a_file_does_not_decide_is_asked_for(read, told, parameter, code):
    rows, response = read(FEW, status=422, **FEW_COLUMNS, **told)
    (fault,) = response["errors"]
    assert (rows, fault["parameter"], fault["code"]) == ([], parameter, code)
    assert 'Line 2, column "' in fault["detail"]


@pytest.mark.parametrize(
    ("told", "row"),
    [
        ({"dates": "dmy", "decimal_separator": ","}, ("2026-10-01", 1250)),
        ({"dates": "mdy", "thousands_separator": "."}, ("2026-01-10", 1250)),
    ],
)
def test_the_request_says_how_a_file_writes(read, told, row):
    rows, _ = read(FEW, **FEW_COLUMNS, **told)
    assert [found[:2] for found in rows] == [row]


def test_the_same_file_with_another_order_of_days_is_another_source(read, organiser):
    for order in ("dmy", "mdy"):
        read(FEW, **FEW_COLUMNS, decimal_separator=",", dates=order)
    statements = organiser.data("/payments/imports?sort=id")
    assert [(one["imported"], one["to_date"]) for one in statements] == [
        (1, "2026-01-10"),
        (1, "2026-10-01"),
    ]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"thousands_separator": "'"}, "thousands_separator"),
        ({"dates": "dmy"}, "dates"),
        ({**SWISS, "dates": "ydm"}, "dates"),
        ({**SWISS, "thousands_separator": "-"}, "thousands_separator"),
        ({**SWISS, "thousands_separator": ".", "decimal_separator": "."}, "thousands_separator"),
    ],
)
def test_the_ways_of_writing_belong_to_named_columns(read, query, parameter):
    _, response = read("chf.csv", status=422, **query)
    assert [fault["parameter"] for fault in response["errors"]] == [parameter]


def test_a_space_may_separate_thousands(read):
    rows, _ = read(b"Datum;Betrag\n01.10.2026;1 250,5\n", **FEW_COLUMNS, thousands_separator="%20")
    assert [row[:2] for row in rows] == [("2026-10-01", 1250.5)]


def test_the_old_number_of_an_account_is_recognised(read):
    data = (
        "Auftragskonto;Buchungstag;Valutadatum;Verwendungszweck;Betrag\n"
        "202051;20.11.2026;20.11.2026;Rechnung 4711;119,00\n"
    )
    rows, response = read(data.encode())
    assert [row[:2] for row in rows] == [("2026-11-20", 119)]
    assert response["data"]["statements"][0]["account"] == ACCOUNT


def test_an_invoice_is_found_in_what_the_bank_adds_to_a_transaction(read, organiser):
    """It may be the only text of a transfer."""
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": organiser.make(
                "/contacts",
                {
                    "company_name": "Farn GmbH",
                    "address": "Waldweg 2",
                    "city": "Erfurt",
                    "postal_code": "99084",
                },
            )["id"],
            "invoice_number": "R-2026-00017",
            "items": [
                {
                    "description": "Stand",
                    "quantity": 1,
                    "unit_price": 119,
                    "tax_rate": 0,
                    "tax_category": "Z",
                }
            ],
        },
    )
    organiser.post(f"/invoices/{draft['id']}/send", {}, status=200)
    text = b"<RmtInf><Ustrd>Rechnung 4711</Ustrd></RmtInf>"
    data = (DATA / "camt052.xml").read_bytes()
    added = data.replace(text, b"<AddtlTxInf>Rechnung R-2026-00017</AddtlTxInf>")
    assert added != data
    read(added, "application/xml")
    (row,) = organiser.data("/payments/unmatched")
    assert (row["text"], row["description"]) == (None, "Rechnung R-2026-00017")
    assert [one["invoice_number"] for one in row["proposals"]] == ["R-2026-00017"]
    assert row["proposals"][0]["reasons"][0] == "number"


def test_an_account_without_iban_is_configured_by_its_number(read, organiser, app):
    data = camt.document([camt.statement("987654321", [{"amount": 100, "day": "2026-11-20"}])])
    refused = organiser("POST", "/payments/import", raw=data, status=422).json["errors"][0]
    assert refused["code"] == "foreign_account"
    assert "add its IBAN to bank_accounts in eventapi.conf, or this number" in refused["detail"]
    app.app.settings.bank_accounts = ("98765-4321",)
    rows, _ = read(data, "application/xml")
    assert [row[:2] for row in rows] == [("2026-11-20", 1)]
    assert organiser.data("/payments/unmatched")[0]["account"] == "98765-4321"
