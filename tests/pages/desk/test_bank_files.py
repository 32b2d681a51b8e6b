"""What the desk says about files of banks that it reads with a warning, or refuses."""

import ast
import html
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from eventapi.domain.bank import other_formats
from eventapi.parsing import processes
from tests.domain.bank.test_csv_files import FILES, ROW, SPARKASSE
from tests.support import camt
from tests.support.dates import in_days

DATA = Path(__file__).parents[2] / "domain" / "bank" / "data"
ACCOUNT, SECOND = "DE02120300000000202051", "DE27100777770209299700"
ENTRY = {"amount": 100, "day": "2026-05-04"}
PLAIN = camt.document([camt.statement(ACCOUNT, [ENTRY])])
N26 = (DATA / "n26.csv").read_bytes()


def packed(method=zipfile.ZIP_STORED, **files):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return target.getvalue()


def workbook():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/_rels/workbook.xml.rels", "<Relationships/>")
    return target.getvalue()


def encrypted():
    data = packed(a_xml=PLAIN)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place += data.index(mark)
        data = data[:place] + b"\1" + data[place + 1 :]
    return data


# code -> (file, what the desk says in English, and in German)
REFUSED = {
    "statement": (
        b"<html/>",
        "This file is no bank statement that can",
        "Diese Datei ist kein Kontoauszug, der sich",
    ),
    "mt940": (
        b"\r\n:20:STARTUMS\r\n:25:12030000/202051\r\n",
        "This file is MT940, a format that most banks have ended.",
        "Diese Datei ist MT940, ein Format, das die meisten Banken abgeschafft haben.",
    ),
    "camt_054": (
        camt.document([]).replace(b"BkToCstmrStmt", b"BkToCstmrDbtCdtNtfctn"),
        "This file is camt.054: details of bookings",
        "Diese Datei ist camt.054: Einzelheiten zu Buchungen",
    ),
    "camt_version_1": (
        camt.document([]).replace(b"BkToCstmrStmt", b"BkToCstmrAcctRptV01"),
        "This file is camt in the old version 01.",
        "Diese Datei ist camt in der alten Version 01.",
    ),
    "ofx": (b"OFXHEADER:100\nDATA:OFXSGML\n", "This file is OFX", "Diese Datei ist OFX"),
    "qif": (b"!Type:Bank\nD12/30/2025\n", "This file is QIF", "Diese Datei ist QIF"),
    "workbook": (
        workbook(),
        "This file is a workbook, for instance of Excel.",
        "Diese Datei ist eine Arbeitsmappe, etwa von Excel.",
    ),
    "pdf": (
        b"%PDF-1.7\n",
        "This file is a PDF, a statement for reading.",
        "Diese Datei ist ein PDF, ein Auszug zum Lesen.",
    ),
    "unknown_columns": (
        b"Day;Money\n20.11.2026;1,00\n",
        "The columns of this file are known from no bank.",
        "Die Spalten dieser Datei sind von keiner Bank bekannt.",
    ),
    "no_header": (
        b"20.11.2026;Farn;20.11.2026;119,00;EUR\n",
        "This file begins with its first transaction",
        "Diese Datei beginnt gleich mit der ersten Buchung",
    ),
    "unreadable_value": (
        (SPARKASSE + ROW.replace("2.960,02", "1.19,00")).encode(),
        "A day, an amount or another value of the file cannot be read",
        "Ein Tag, ein Betrag oder eine andere Angabe in der Datei lässt sich nicht lesen",
    ),
    "cut_off": (
        (SPARKASSE + ROW.replace('"EUR";', "")).encode(),
        "A line of the file is cut off or was changed",
        "Eine Zeile der Datei ist abgeschnitten oder geändert",
    ),
    "damaged_file": (
        PLAIN[:-40],
        "The file is damaged or cut off.",
        "Die Datei ist beschädigt oder abgeschnitten.",
    ),
    "balance_missing": (
        PLAIN.replace(b"CLBD", b"ITBD"),
        "The closing balance of the statement is missing",
        "Dem Auszug fehlt der Endsaldo",
    ),
    "balance_differs": (
        (DATA / "comdirect.csv").read_bytes().replace(b'"119,00"', b'"118,00"'),
        "The opening balance and the transactions do not make the closing balance",
        "Anfangssaldo und Bewegungen ergeben nicht den Endsaldo",
    ),
    "no_statement": (
        camt.document([]),
        "The file contains no complete statement.",
        "Die Datei enthält keinen vollständigen Auszug.",
    ),
    "foreign_account": (
        camt.document([camt.statement(SECOND, [ENTRY])]),
        "The file is of an account that is not yours.",
        "Die Datei gehört zu einem Konto, das nicht Ihres ist.",
    ),
    "several_accounts": (
        FILES["comdirect"][0] + '"Umsätze Tagesgeld PLUS-Konto";"Zeitraum";\n'.encode("cp1252"),
        "The file contains several accounts.",
        "Die Datei enthält mehrere Konten.",
    ),
    "future_booking": (
        camt.document([camt.statement(ACCOUNT, [{**ENTRY, "day": in_days(60)}])]),
        "The file has a booking far in the future.",
        "Die Datei enthält eine Buchung, die weit in der Zukunft liegt.",
    ),
    "empty_archive": (
        packed(a_pdf=b"%PDF"),
        "The ZIP contains no statement.",
        "Das ZIP enthält keinen Auszug.",
    ),
    "archive_in_archive": (
        packed(a_zip=packed(a_xml=PLAIN)),
        "This ZIP contains another ZIP.",
        "In diesem ZIP steckt ein weiteres ZIP.",
    ),
    "encrypted_archive": (encrypted(), "This ZIP has a password.", "Dieses ZIP hat ein Kennwort."),
    "too_many_files": (
        packed(**{f"a{number}_xml": b"" for number in range(501)}),
        "The ZIP contains too many files.",
        "Das ZIP enthält zu viele Dateien.",
    ),
    "unusual_archive": (
        packed(zipfile.ZIP_LZMA, a_xml=PLAIN),
        "This ZIP is packed in an unusual way.",
        "Dieses ZIP ist auf eine ungewöhnliche Art gepackt.",
    ),
    "unknown_currency": (
        b"<a><BkToCstmrAcctRpt><Rpt><Acct><Ccy>XXY</Ccy></Acct></Rpt></BkToCstmrAcctRpt></a>",
        "The file names a currency that does not exist.",
        "Die Datei nennt eine Währung, die es nicht gibt.",
    ),
    "too_many_entries": (
        (SPARKASSE + ROW * 50_001).encode(),
        "The file has too many transactions.",
        "Die Datei hat zu viele Bewegungen.",
    ),
    "file_too_large": (
        b"Datum;Betrag\n" * 1_600_000,
        "The file is too large.",
        "Die Datei ist zu groß.",
    ),
}
# Refusals that end by a choice: the file waits for it, see test_statement_setup.py.
WAITING = ("unknown_columns", "no_header")
RECOGNISED = ("mt940", "camt_054", "camt_version_1", "ofx", "qif", "workbook", "pdf")
# Codes that the desk does not reach, because it names no columns
OF_COLUMNS = {"no_columns", "columns_missing", "ambiguous_number", "ambiguous_dates"}
# Codes with a test of their own, because they depend on the options or on the process
OTHERS = {"account_required", "no_account", "other_account", "reading_stopped"}


def send(visitor, content, status=303, **fields):
    """Upload a file on the page of the bank, and return the response, or the text of a refusal."""
    page = visitor.get("/desk/money/bank")
    return visitor.submit(
        page, "/desk/money/statement", fields, status, upload=("bank.csv", content)
    )


def told(visitor, content, *, waits):
    """Return the page that says why a file is not imported."""
    if not waits:
        return send(visitor, content, 422).text
    return visitor.get(target(send(visitor, content))).text


def target(answer):
    return re.sub(r"^(\.\./)+", "/", answer.headers["Location"])


def words(language):
    folder = Path(__file__).parents[3] / "eventapi" / "pages" / "desk" / "words"
    return json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", REFUSED)
def test_each_refusal_has_a_code_and_a_sentence_of_its_own(desk, organiser, db, code):
    content, english, german = REFUSED[code]
    response = organiser(
        "POST", "/payments/import", raw=content, headers={"Content-Type": "application/xml"}
    )
    (fault,) = response.json["errors"]
    assert (response.status_int, fault["code"]) == (422, code)
    for language, sentence in (("en", english), ("de", german)):
        refused = html.unescape(told(desk(language=language), content, waits=code in WAITING))
        assert sentence in refused, language
    assert db.connection.execute("SELECT count(*) FROM bank_statements").fetchone() == (0,)


@pytest.mark.parametrize("code", RECOGNISED)
def test_a_format_that_is_recognised_is_called_by_its_name(organiser, code):
    content, _, _ = REFUSED[code]
    response = organiser(
        "POST", "/payments/import", raw=content, headers={"Content-Type": "text/csv"}
    )
    detail = response.json["errors"][0]["detail"]
    assert "not a bank statement" not in detail and "known" not in detail
    assert detail.startswith("cannot be imported. The file is ")
    assert "as camt.053 (often called CAMT or XML), as camt.052, or as CSV" in detail
    assert "Kontoauszug, der" not in words("de")[f"fault_{code}"]
    assert "camt.053" in words("de")[f"fault_{code}"] and "CSV" in words("de")[f"fault_{code}"]


# function that refuses a file -> the place of the code among its arguments
REFUSES = {"Refused": 0, "invalid_at": 1, "invalid_parameter": 1}


def raised():
    """Return the codes of all refusals in the source of the import of statements."""
    folder = Path(__file__).parents[3] / "eventapi" / "domain" / "bank"
    found = {*other_formats.REFUSALS, "reading_stopped"}
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            place = REFUSES.get(getattr(getattr(node, "func", None), "id", None))
            if place is None:
                continue
            code = node.args[place]
            if isinstance(code, ast.Constant):
                found.add(code.value)
            else:
                assert ast.unparse(code) in ("code", "error.code"), f"{path.name}:{node.lineno}"
    return found


def test_every_code_of_a_refusal_has_a_test_and_its_own_sentence():
    assert raised() == set(REFUSED) | OF_COLUMNS | OTHERS
    assert set(RECOGNISED) == set(other_formats.REFUSALS)
    for language in ("de", "en"):
        texts = {code: words(language).get(f"fault_{code}") for code in raised()}
        assert None not in texts.values(), texts
        assert len(set(texts.values())) == len(texts)


def test_without_an_account_nothing_is_imported(desk, organiser, app):
    app.app.settings.organiser_iban = ""
    response = organiser("POST", "/payments/import", raw=PLAIN, status=422)
    assert [fault["code"] for fault in response.json["errors"]] == ["no_account"]
    for language, sentence in (
        ("en", "No account is entered yet. First, your IBAN must be entered"),
        (
            "de",
            "Es ist noch kein Konto eingetragen. Zuerst muss unter „Einrichten“, „Bank“ Ihre IBAN",
        ),
    ):
        assert sentence in html.unescape(str(send(desk(language=language), PLAIN, 422)))


def test_a_file_that_is_too_much_to_read_is_refused(desk, organiser, monkeypatch):
    def stopped(*arguments):
        raise processes.Stopped("took more than 30 seconds of CPU")

    monkeypatch.setattr(processes, "run", stopped)
    response = organiser("POST", "/payments/import", raw=PLAIN, status=422)
    assert [fault["code"] for fault in response.json["errors"]] == ["reading_stopped"]
    for language, sentence in (
        ("en", "The file is too much to be read at once."),
        ("de", "Die Datei ist zu umfangreich, um sie auf einmal zu lesen."),
    ):
        assert sentence in html.unescape(str(send(desk(language=language), PLAIN, 422)))


def test_a_file_without_account_is_that_of_the_only_one(office, organiser):
    send(office, N26)
    (row,) = organiser.data("/payments/unmatched")
    names = ("account", "booked_on", "amount", "party", "iban", "text")
    assert tuple(row[name] for name in names) == (
        ACCOUNT,
        "2026-11-20",
        119,
        "Farn GmbH",
        "DE89370400440532013000",
        "Rechnung 4711",
    )
    assert 'name="account"' not in office.get("/desk/money/bank")


def test_an_account_that_is_set_twice_is_one(office, organiser, app):
    app.app.settings.bank_accounts = (ACCOUNT,)
    send(office, N26)
    assert [row["account"] for row in organiser.data("/payments/unmatched")] == [ACCOUNT]


def test_another_account_than_that_of_the_file_is_refused(office, app):
    app.app.settings.bank_accounts = (SECOND,)
    page = office.get(target(send(office, (SPARKASSE + ROW).encode(), account=SECOND)))
    assert "The file is of another account than the one that you chose." in page
    assert re.search(rf'<option value="{SECOND}"\s+selected', page.text)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            (SPARKASSE + ROW).encode() + "Ohne Gewähr\n".encode(),
            "Lines without day and amount were left out",
        ),
        (
            (DATA / "camt052.xml").read_bytes().replace(b"CLBD", b"ITBD"),
            "The file lacks the opening or closing balance",
        ),
    ],
)
def test_the_desk_shows_the_warnings_of_an_import(office, content, sentence):
    answer = send(office, content)
    page = office.get(answer.headers["Location"].replace("../../desk", "/desk"))
    assert sentence in page
    assert sentence not in office.get("/desk/money/bank")
