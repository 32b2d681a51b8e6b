"""Columns of bank statements in CSV that are remembered: for which account and header line, what
replaces them, and what they do not read.
"""

import io
import json
import zipfile
from urllib.parse import urlencode

import pytest

from eventapi.domain.bank import formats
from eventapi.storage.database import as_json
from tests.support import camt

ACCOUNT, SECOND = "DE02120300000000202051", "DE27100777770209299700"
# The files of a Swiss bank, of another one, and of a wallet, with the parameters that read them.
POSTFINANCE = """\ufeffDatum von:;="01.11.2026"
Buchungsart:;="Alle"
Konto:;="DE02120300000000202051"
Währung:;="EUR"

Datum;Bewegungstyp;Avisierungstext;Gutschrift in EUR;Lastschrift in EUR;Label;Kategorie

20.11.2026;Buchung;"Farn GmbH Rechnung 4711";119;;;

Disclaimer:
Der Inhalt des Dokuments wurde durch Filtereinstellungen der Kundin erzeugt.
""".encode()
POSTFINANCE_HEADER = [
    "Datum",
    "Bewegungstyp",
    "Avisierungstext",
    "Gutschrift in EUR",
    "Lastschrift in EUR",
    "Label",
    "Kategorie",
]
POSTFINANCE_QUERY = {
    "column_booked_on": "Datum",
    "column_credit": "Gutschrift in EUR",
    "column_debit": "Lastschrift in EUR",
    "column_text": "Avisierungstext",
    "decimal_separator": ".",
}
SWISS = """Datum;Text;Belastung;Gutschrift
08.10.2026;Miete;9'766.50;
07.10.2026;Farn GmbH Rechnung 4711;;1'190.00
""".encode()
SWISS_QUERY = {
    "column_booked_on": "Datum",
    "column_debit": "Belastung",
    "column_credit": "Gutschrift",
    "column_text": "Text",
    "decimal_separator": ".",
}
REVOLUT = (
    b"Type,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n"
    b"TRANSFER,2026-10-01 09:12:33,2026-10-01 09:12:34,From Farn GmbH Rechnung 4711,1190.00,0.00,"
    b"EUR,COMPLETED,1190.00\n"
    b"TRANSFER,2026-10-02 09:12:33,,From Rosen KG Rechnung 4712,500.00,0.00,EUR,PENDING,\n"
    b"CARD_PAYMENT,2026-10-02 10:00:00,2026-10-03 10:00:00,Cafe,-12.30,0.00,EUR,REVERTED,1190.00\n"
)
REVOLUT_QUERY = {
    "column_booked_on": "Started Date",
    "column_amount": "Amount",
    "column_text": "Description",
    "column_currency": "Currency",
    "column_state": "State",
    "states": "settled,erledigt",
    "decimal_separator": ".",
}
PLAIN = "Tag;Name;Zweck;Summe;IBAN des Kontos\n{};Farn GmbH;Rechnung 4711;{};{}\n"
PLAIN_QUERY = {"column_booked_on": "Tag", "column_amount": "Summe", "column_text": "Zweck"}


def plain(day="04.05.2026", amount="119,00", account=""):
    return PLAIN.format(day, amount, account).encode()


@pytest.fixture
def send(organiser):
    """Return a function that imports a CSV file and returns the result, or the fault of a refusal."""

    def imported(data, status=None, form="text/csv", **query):
        response = organiser(
            "POST",
            f"/payments/import?{urlencode(query)}",
            raw=data,
            headers={"Content-Type": form},
        )
        assert response.status_int in ((status,) if status else (200, 201)), response.text[:800]
        if status == 422:
            (fault,) = response.json["errors"]
            return fault
        return response.json["data"]

    return imported


@pytest.fixture
def two_accounts(app):
    app.app.settings.bank_accounts = (SECOND,)


def remembered(client):
    """Return (account, header, query) of the remembered columns in the order of their ids."""
    rows = client.data("/payments/import/formats?sort=id&order=ASC&per_page=100")
    return [(row["account"], row["header"], row["query"]) for row in rows]


def rows(client):
    """Return (day, amount, text) of the transactions that were imported."""
    found = client.data("/payments/unmatched?sort=id&order=ASC")
    return [(row["booked_on"], row["amount"], row["text"]) for row in found]


def format_ids(result):
    return [statement["format_id"] for statement in result["statements"]]


# The second import


@pytest.mark.parametrize(
    "first, second, query, found",
    [
        (
            POSTFINANCE,
            POSTFINANCE.replace(b"20.11.2026", b"21.11.2026"),
            POSTFINANCE_QUERY,
            [
                ("2026-11-20", 119, "Farn GmbH Rechnung 4711"),
                ("2026-11-21", 119, "Farn GmbH Rechnung 4711"),
            ],
        ),
        (
            SWISS,
            b"Datum;Text;Belastung;Gutschrift\r\n09.10.2026;Strom;1'250;\r\n",
            {**SWISS_QUERY, "account": ACCOUNT},
            [
                ("2026-10-08", -9766.5, "Miete"),
                ("2026-10-07", 1190, "Farn GmbH Rechnung 4711"),
                ("2026-10-09", -1250, "Strom"),
            ],
        ),
        (
            REVOLUT,
            REVOLUT.replace(b"2026-10-01 09", b"2026-10-03 09").replace(b"PENDING", b"Erledigt"),
            {**REVOLUT_QUERY, "account": ACCOUNT},
            [
                ("2026-10-01", 1190, "From Farn GmbH Rechnung 4711"),
                ("2026-10-03", 1190, "From Farn GmbH Rechnung 4711"),
                ("2026-10-02", 500, "From Rosen KG Rechnung 4712"),
            ],
        ),
    ],
    ids=["PostFinance", "Swiss thousands", "wallet"],
)
def test_the_second_import_needs_no_columns(organiser, send, first, second, query, found):
    assert format_ids(send(first, **query)) == [None]
    account = {"account": query["account"]} if "account" in query else {}
    assert format_ids(send(second, **account)) == [1]
    assert rows(organiser) == found


@pytest.mark.parametrize(
    "data, query",
    [
        (POSTFINANCE, POSTFINANCE_QUERY),
        (SWISS, {**SWISS_QUERY, "account": ACCOUNT}),
        (REVOLUT, {**REVOLUT_QUERY, "account": ACCOUNT}),
    ],
    ids=["PostFinance", "Swiss thousands", "wallet"],
)
def test_the_same_file_by_remembered_columns_has_the_same_rows(organiser, send, data, query):
    first = send(data, **query)
    again = send(data)
    assert (again["imported"], again["known"]) == (0, first["imported"])
    assert again["statements"][0]["id"] == first["statements"][0]["id"]
    assert again["statements"][0]["format"] == first["statements"][0]["format"]
    assert again["warnings"] == []


def test_the_list_shows_what_was_sent(organiser, send):
    send(POSTFINANCE, auto="exact", **POSTFINANCE_QUERY)
    (row,) = organiser.data("/payments/import/formats")
    assert row == {
        "id": 1,
        "account": ACCOUNT,
        "header": POSTFINANCE_HEADER,
        "query": POSTFINANCE_QUERY,
        "last_used_at": row["created_at"],
        "created_at": row["created_at"],
        "updated_at": row["created_at"],
    }


def test_only_a_key_for_payments_sees_the_list(person):
    person("payments:read").get("/payments/import/formats", status=200)
    person("contacts:read").get("/payments/import/formats", status=403)


def test_the_list_is_filtered_by_account(organiser, send, two_accounts):
    send(plain(), account=ACCOUNT, **PLAIN_QUERY)
    send(plain(), account=SECOND, **PLAIN_QUERY)
    spaced = "DE27 1007 7777 0209 2997 00"
    found = organiser.data(f"/payments/import/formats?{urlencode({'account': spaced})}")
    assert [row["account"] for row in found] == [SECOND]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + plain("05.05.2026"),
        b"sep=;\r\n" + plain("05.05.2026"),
        "Kontoauszug;2026\n\n".encode() + plain("05.05.2026"),
        plain("05.05.2026").replace(b"Tag;Name", b"TAG; name "),
        plain("05.05.2026").decode().encode("utf-16"),
        plain("05.05.2026").replace(b",00", b".00").replace(b";", b","),
    ],
    ids=["BOM", "sep", "rows above", "case", "UTF-16", "commas"],
)
def test_the_header_line_is_recognised_wherever_it_is(organiser, send, data):
    send(plain(), **PLAIN_QUERY)
    assert format_ids(send(data)) == [1]
    assert rows(organiser)[1] == ("2026-05-05", 119, "Rechnung 4711")


@pytest.mark.parametrize(
    "header",
    [
        b"Tag;Name;Zweck;Summe",
        b"Tag;Name;Zweck;Summe;IBAN des Kontos;Neu",
        b"Tag;Zweck;Name;Summe;IBAN des Kontos",
    ],
    ids=["fewer", "more", "other order"],
)
def test_another_header_line_asks_again(organiser, send, header):
    send(plain(), **PLAIN_QUERY)
    cells = header.count(b";")
    data = header + b"\n05.05.2026;Farn GmbH;Rechnung 4711;119,00" + b";" * (cells - 3) + b"\n"
    assert send(data, 422)["code"] == "unknown_columns"
    assert len(rows(organiser)) == 1


def test_a_dry_run_remembers_nothing_and_is_no_use(organiser, send, db):
    send(plain(), dry_run="true", **PLAIN_QUERY)
    assert remembered(organiser) == []
    send(plain(), **PLAIN_QUERY)
    early = "2026-05-05T08:00:00Z"
    with db.write():
        db.connection.execute("UPDATE bank_formats SET last_used_at = ?", (early,))
    assert format_ids(send(plain("05.05.2026"), dry_run="true")) == [1]
    send(plain("05.05.2026"), dry_run="true", **PLAIN_QUERY, column_party="Name")
    (row,) = organiser.data("/payments/import/formats")
    assert (row["last_used_at"], row["query"]) == (early, PLAIN_QUERY)
    send(plain("05.05.2026"))
    (row,) = organiser.data("/payments/import/formats")
    assert row["last_used_at"] == row["updated_at"] > early


def test_a_refused_import_remembers_nothing(organiser, send):
    send(plain(), 422, account=SECOND, **PLAIN_QUERY)
    assert remembered(organiser) == []


def test_other_columns_replace_those_of_the_header_line(organiser, send):
    send(plain(), **PLAIN_QUERY)
    other = {**PLAIN_QUERY, "column_party": "Name"}
    send(plain("05.05.2026"), **other)
    (found,) = remembered(organiser)
    assert found[2] == other
    send(plain("06.05.2026"))
    parties = [row["party"] for row in organiser.data("/payments/unmatched?sort=id&order=ASC")]
    assert parties == [None, "Farn GmbH", "Farn GmbH"]


def test_columns_that_are_sent_win_over_remembered_ones(organiser, send):
    send(plain(), **PLAIN_QUERY)
    result = send(plain("05.05.2026"), dry_run="true", **PLAIN_QUERY, column_party="Name")
    assert format_ids(result) == [None]
    assert result["statements"][0]["format"].endswith("party=name, text=zweck")


def test_a_bank_that_is_known_wins_over_remembered_columns(organiser, send):
    n26 = (
        b'"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference","Account Name",'
        b'"Amount (EUR)"\n2026-05-04,2026-05-04,Farn,,Credit,Rechnung 4711,Main,119.00\n'
    )
    named = {"column_booked_on": "Booking Date", "column_amount": "Amount (EUR)"}
    assert send(n26, **named)["statements"][0]["format"].startswith("CSV with ")
    result = send(n26)
    assert (result["statements"][0]["format"], format_ids(result)) == ("N26", [None])


def test_the_state_of_a_known_bank_alone_is_not_remembered(organiser, send):
    n26 = (
        b"Booking Date,Value Date,Partner Name,Payment Reference,Amount (EUR),State\n"
        b"2026-05-04,2026-05-04,Farn,Rechnung 4711,119.00,booked\n"
    )
    send(n26, column_state="State")
    assert remembered(organiser) == []


def test_the_audit_log_has_each_change_and_no_use(organiser, send, db):
    send(plain(), **PLAIN_QUERY)
    send(plain("05.05.2026"))
    send(plain("06.05.2026"), **PLAIN_QUERY)
    send(plain("07.05.2026"), **PLAIN_QUERY, column_party="Name")
    entries = db.connection.execute(
        "SELECT action, entity_id, old_values, new_values FROM audit_log "
        "WHERE entity_type = 'bank_format' ORDER BY id"
    ).fetchall()
    header = ["Tag", "Name", "Zweck", "Summe", "IBAN des Kontos"]
    first = {"account": ACCOUNT, "header": header, "query": PLAIN_QUERY}
    second = {**first, "query": {**PLAIN_QUERY, "column_party": "Name"}}
    assert [(entry[0], entry[1]) for entry in entries] == [("created", 1), ("updated", 1)]
    assert [json.loads(entry[2] or "null") for entry in entries] == [None, first]
    assert [json.loads(entry[3]) for entry in entries] == [first, second]


# Accounts


def test_each_account_has_its_own_columns(organiser, send, two_accounts):
    send(plain(), account=ACCOUNT, **PLAIN_QUERY)
    fault = send(plain("05.05.2026"), 422, account=SECOND)
    assert fault["code"] == "unknown_columns"
    assert f"remembered for the account {ACCOUNT}, but not for {SECOND}" in fault["detail"]
    send(plain("05.05.2026"), account=SECOND, **PLAIN_QUERY, column_party="Name")
    assert format_ids(send(plain("06.05.2026"), account=ACCOUNT)) == [1]
    assert format_ids(send(plain("06.05.2026"), account=SECOND)) == [2]
    found = organiser.data("/payments/unmatched?sort=id&order=ASC")
    assert [(row["account"], row["party"]) for row in found] == [
        (ACCOUNT, None),
        (SECOND, "Farn GmbH"),
        (ACCOUNT, None),
        (SECOND, "Farn GmbH"),
    ]


def test_a_file_that_names_no_account_asks_for_it_if_there_are_several(
    organiser, send, two_accounts
):
    send(plain(), account=ACCOUNT, **PLAIN_QUERY)
    fault = send(plain("05.05.2026"), 422)
    assert (fault["parameter"], fault["code"]) == ("account", "account_required")
    assert f"one of {ACCOUNT} and {SECOND}" in fault["detail"]


def test_the_account_above_the_columns_decides(organiser, send, two_accounts):
    send(POSTFINANCE, **POSTFINANCE_QUERY)
    assert format_ids(send(POSTFINANCE.replace(b"20.11.", b"21.11."))) == [1]
    other = POSTFINANCE.replace(ACCOUNT.encode(), SECOND.encode())
    assert send(other, 422)["code"] == "unknown_columns"


def test_the_account_in_a_column_decides(organiser, send, two_accounts):
    named = {**PLAIN_QUERY, "column_account": "IBAN des Kontos"}
    send(plain(account=ACCOUNT), **named)
    assert send(plain("05.05.2026", account=SECOND), 422)["code"] == "unknown_columns"
    send(plain("05.05.2026", account=SECOND), **named, column_party="Name")
    assert format_ids(send(plain("06.05.2026", account=ACCOUNT))) == [1]
    assert format_ids(send(plain("06.05.2026", account=SECOND))) == [2]
    # the old number of the account, inside its IBAN
    assert format_ids(send(plain("07.05.2026", account="202051"))) == [1]


def test_accounts_of_one_file_are_remembered_together(organiser, send, two_accounts):
    named = {**PLAIN_QUERY, "column_account": "IBAN des Kontos"}

    def both(day):
        return plain(day, account=ACCOUNT) + plain(day, account=SECOND).split(b"\n", 1)[1]

    assert format_ids(send(both("04.05.2026"), **named)) == [None, None]
    assert [account for account, _, _ in remembered(organiser)] == [ACCOUNT, SECOND]
    assert format_ids(send(both("05.05.2026"))) == [1, 2]
    send(plain("06.05.2026", account=SECOND), **named, column_party="Name")
    fault = send(both("07.05.2026"), 422)
    assert fault["code"] == "unknown_columns"
    assert "Different columns of this file are remembered for the accounts in it" in fault["detail"]


def test_a_file_without_entries_is_that_of_the_account_above_or_of_the_only_one(send):
    named = {**PLAIN_QUERY, "column_account": "IBAN des Kontos"}
    send(plain(account=ACCOUNT), **named)
    header = plain().split(b"\n")[0] + b"\n"
    for empty in (header, header + b"Ende;;;;der Liste\n"):
        result = send(empty)
        assert (format_ids(result), result["imported"]) == ([1], 0)


def test_an_account_that_is_no_longer_configured_is_refused(organiser, send, app, two_accounts):
    send(plain(), account=SECOND, **PLAIN_QUERY)
    app.app.settings.bank_accounts = ()
    assert send(plain("05.05.2026"), 422)["code"] == "unknown_columns", "it is that of ACCOUNT"
    assert send(plain("05.05.2026"), 422, account=SECOND)["code"] == "foreign_account"
    assert [account for account, _, _ in remembered(organiser)] == [SECOND]


# Several files, and many formats


def test_the_files_of_an_archive_have_their_own_columns(organiser, send):
    statement = camt.document([camt.statement(ACCOUNT, [{"amount": 500, "day": "2026-05-04"}])])

    def archive(*contents):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as target:
            for number, content in enumerate(contents):
                target.writestr(f"{number}.dat", content)
        return packed.getvalue()

    send(plain(), **PLAIN_QUERY)
    send(SWISS, **SWISS_QUERY)
    mixed = archive(statement, plain("05.05.2026"), SWISS.replace(b"10.2026", b"11.2026"))
    first = send(mixed, form="application/zip")
    assert (format_ids(first), first["imported"]) == ([None, 1, 2], 4)
    send(plain(), **PLAIN_QUERY, column_party="Name")
    again = send(mixed, form="application/zip")
    ids = [statement["id"] for statement in first["statements"]]
    assert [
        statement["id"] == id for statement, id in zip(again["statements"], ids, strict=True)
    ] == [
        True,
        False,
        True,
    ], "only the file that is read in another way is another source"


def test_an_amount_that_the_file_does_not_decide_is_asked_for_with_the_columns(organiser, send):
    send(plain(), **PLAIN_QUERY)
    fault = send(plain("05.05.2026", "1.250"), 422)
    assert (fault["parameter"], fault["code"]) == ("decimal_separator", "ambiguous_number")
    assert "together with the columns, which are remembered" in fault["detail"]
    send(plain("05.05.2026", "1.250"), **PLAIN_QUERY, decimal_separator=",")
    assert rows(organiser)[1][:2] == ("2026-05-05", 1250)
    assert format_ids(send(plain("06.05.2026", "1.250"))) == [1]


def test_a_column_of_states_that_was_not_named_is_sent_with_all_columns(organiser, send):
    named = {name: value for name, value in REVOLUT_QUERY.items() if "state" not in name}
    send(REVOLUT, **named)
    response = organiser(
        "POST",
        "/payments/import",
        raw=REVOLUT,
        headers={"Content-Type": "text/csv"},
        status=200,
    )
    (warning,) = response.json["meta"]["warnings"]
    assert warning["code"] == "state_column"
    assert (
        "Send the file again with all columns of the file and with this column" in warning["detail"]
    )
    send(REVOLUT, **named, column_state="State")
    assert remembered(organiser)[0][2]["column_state"] == "State"


@pytest.mark.processes
def test_as_many_columns_as_may_be_remembered_are_read(organiser, send, db):
    """Their columns are longer than an argument of a command may be."""
    long = {f"column_{name}": "ä" * 55 + name for name in ("booked_on", "amount", "party", "text")}
    with db.write():
        for number in range(formats.MOST):
            query = {name: f"{value}{number}" for name, value in long.items()}
            formats.remember(db, ACCOUNT, list(query.values()), query)
    assert len(as_json(formats.candidates(db)).encode()) > 128 * 1024
    header = ";".join(f"{value}7" for value in long.values())
    result = send(f"{header}\n04.05.2026;119,00;Farn;Rechnung 4711\n".encode())
    assert (result["imported"], format_ids(result)) == (1, [8])


def test_the_formats_that_were_not_used_for_longest_go(organiser, send, db, monkeypatch):
    monkeypatch.setattr(formats, "MOST", 2)
    send(plain(), **PLAIN_QUERY)
    send(SWISS, **SWISS_QUERY)
    with db.write():
        db.connection.execute("UPDATE bank_formats SET last_used_at = '2026-05-01T08:00:00Z'")
    send(plain("05.05.2026"))
    send(REVOLUT, **REVOLUT_QUERY)
    assert [header[0] for _, header, _ in remembered(organiser)] == ["Tag", "Type"]
    (entry,) = db.connection.execute(
        "SELECT entity_id, old_values FROM audit_log WHERE entity_type = 'bank_format' AND action = 'deleted'"
    ).fetchall()
    assert entry[0] == 2 and json.loads(entry[1])["query"] == SWISS_QUERY


def test_a_header_line_that_is_too_long_is_not_remembered(organiser, send):
    names = ";".join(f"Spalte mit langem Namen {number}" for number in range(400))
    data = f"Tag;Summe;{names}\n04.05.2026;119,00{';' * 400}\n".encode()
    send(data, column_booked_on="Tag", column_amount="Summe")
    assert remembered(organiser) == []
    assert send(data, 422)["code"] == "unknown_columns"


# Files without a header line

ELBA = (
    '01.10.2026;"Gutschrift Farn GmbH Rechnung 4711";01.10.2026;119,00;EUR;01.10.2026 03:14:15:926\n'
    "02.10.2026;Kontoführung;02.10.2026;-1.012,50;EUR;02.10.2026 04:14:15:926\n"
)
ELBA_QUERY = {"column_booked_on": "1", "column_amount": "4", "column_text": "2"}
ELBA_ROWS = [
    ("2026-10-01", 119, "Gutschrift Farn GmbH Rechnung 4711"),
    ("2026-10-02", -1012.5, "Kontoführung"),
]
EASYBANK = f"{ACCOUNT};Rechnung 4711 Farn GmbH;05.10.2026;05.10.2026;+119,00;EUR\n"
EASYBANK_QUERY = {
    "column_account": "1",
    "column_booked_on": "3",
    "column_amount": "5",
    "column_text": "2",
    "column_currency": "6",
}
TARGOBANK = (
    '2026-10-07,"Farn GmbH","Rechnung 4711, Messe",119.00,booked\n2026-10-08,Rosen,x,5.00,pending\n'
)
TARGOBANK_QUERY = {
    "column_booked_on": "1",
    "column_party": "2",
    "column_text": "3",
    "column_amount": "4",
    "column_state": "5",
}


@pytest.mark.parametrize(
    "data, query, found",
    [
        (ELBA.encode("cp1252"), ELBA_QUERY, ELBA_ROWS),
        (b"\xef\xbb\xbf" + ELBA.encode(), ELBA_QUERY, ELBA_ROWS),
        (b"\n" + ELBA.encode(), ELBA_QUERY, ELBA_ROWS),
        (b"sep=;\r\n" + ELBA.encode(), ELBA_QUERY, ELBA_ROWS),
        (ELBA.encode() + b"\nErstellt am 03.10.2026\n", ELBA_QUERY, ELBA_ROWS),
        (EASYBANK.encode(), EASYBANK_QUERY, [("2026-10-05", 119, "Rechnung 4711 Farn GmbH")]),
        (TARGOBANK.encode(), TARGOBANK_QUERY, [("2026-10-07", 119, "Rechnung 4711, Messe")]),
    ],
    ids=["ELBA", "BOM", "empty row first", "sep", "note below", "account", "commas and state"],
)
def test_columns_of_a_file_without_header_line_are_named_by_numbers(
    organiser, send, data, query, found
):
    send(data, **query)
    assert rows(organiser) == found
    again = send(data)
    assert (again["imported"], again["known"], format_ids(again)) == (0, len(found), [1])


def test_the_header_of_a_file_without_header_line_is_its_numbers(organiser, send):
    send(ELBA.encode(), **ELBA_QUERY)
    assert remembered(organiser) == [(ACCOUNT, ["1", "2", "3", "4", "5", "6"], ELBA_QUERY)]


@pytest.mark.parametrize(
    "data, code",
    [
        (ELBA.replace(";EUR", "").encode(), "no_header"),
        (b"Datum;Text;Valuta;Betrag;Waehrung;Zeit\n" + ELBA.encode(), "unknown_columns"),
        (b"Text;Datum\nx;y;z;1,00;EUR;x\n", "unknown_columns"),
    ],
    ids=["fewer columns", "a header line", "another file"],
)
def test_remembered_numbers_read_no_other_file(organiser, send, data, code):
    send(ELBA.encode(), **ELBA_QUERY)
    assert send(data, 422)["code"] == code
    assert rows(organiser) == ELBA_ROWS


@pytest.mark.parametrize(
    "data, day, amount",
    [(ELBA, 1, 4), (EASYBANK, 3, 5), (TARGOBANK, 1, 4)],
    ids=["ELBA", "easybank", "Targobank"],
)
def test_the_refusal_of_a_file_without_header_line_names_the_numbers(send, data, day, amount):
    fault = send(data.encode(), 422)
    assert fault["code"] == "no_header"
    assert f"column_booked_on={day}" in fault["detail"]
    assert f"column_amount={amount}" in fault["detail"]


@pytest.mark.parametrize(
    "data, query",
    [
        (plain(), ELBA_QUERY),
        (ELBA.encode(), {**ELBA_QUERY, "column_amount": "9"}),
        (ELBA.encode(), {**ELBA_QUERY, "column_amount": "5"}),
        (ELBA.encode(), {**ELBA_QUERY, "column_booked_on": "2"}),
        (ELBA.encode(), {**ELBA_QUERY, "column_text": "Text"}),
        (ELBA.encode(), {**ELBA_QUERY, "column_amount": "04"}),
    ],
    ids=["a header line", "no such column", "no amount", "no day", "a name", "a zero before"],
)
def test_numbers_that_name_no_entry_are_refused(organiser, send, data, query):
    assert send(data, 422, **query)["code"] == "columns_missing"
    assert remembered(organiser) == []


def test_numbers_in_the_header_line_are_names(organiser, send):
    data = b"2;1;4\n119,00;04.05.2026;Rechnung 4711\n"
    named = {"column_booked_on": "1", "column_amount": "2", "column_text": "4"}
    send(data, **named)
    assert rows(organiser) == [("2026-05-04", 119, "Rechnung 4711")]
    assert remembered(organiser)[0][1] == ["2", "1", "4"]


def test_an_entry_with_the_numbers_as_texts_is_no_header_line(organiser, send):
    data = b"04.05.2026;50,00;1;2\n05.05.2026;60,00;3;4\n"
    send(data, column_booked_on="1", column_amount="2")
    assert [row[:2] for row in rows(organiser)] == [("2026-05-04", 50), ("2026-05-05", 60)]
