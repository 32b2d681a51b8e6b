"""A bank statement that waits at the desk until the admin has said how to read it."""

import html
import os
import re
import time
from pathlib import Path

import pytest

from eventapi.parsing import processes
from eventapi.storage import backups
from eventapi.worker import housekeeping
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import sign_in
from tests.pages.desk.test_bank_files import packed
from tests.support import camt
from tests.support.client import SCOPES

DATA = Path(__file__).parents[2] / "domain" / "bank" / "data"
ACCOUNT, SECOND = "DE02120300000000202051", "DE27100777770209299700"
N26 = (DATA / "n26.csv").read_bytes()
# The CSV of PostFinance, with lines above and below the table.
POSTFINANCE = (
    '\ufeffDatum von:;="01.11.2026"\nBuchungsart:;="Alle"\nKonto:;="DE02120300000000202051"\nWährung:;="EUR"\n\n'
    "Datum;Bewegungstyp;Avisierungstext;Gutschrift in EUR;Lastschrift in EUR;Label;Kategorie\n\n"
    '20.11.2026;Buchung;"Farn GmbH Rechnung 4711";119;;;\n\nDisclaimer:\nOhne Gewähr.\n'
).encode()
SWISS = (
    b"Datum;Text;Belastung;Gutschrift\n"
    b"08.10.2026;Miete;9'766.50;\n07.10.2026;Farn GmbH Rechnung 4711;;1'190.00\n"
)
REVOLUT = (
    b"Type,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n"
    b"TRANSFER,2026-10-01 09:12:33,2026-10-01 09:12:34,From Farn GmbH Rechnung 4711,1190.00,0.00,EUR,COMPLETED,1190\n"
    b"TRANSFER,2026-10-02 09:12:33,,From Rosen KG Rechnung 4712,500.00,0.00,EUR,PENDING,\n"
    b"CARD_PAYMENT,2026-10-02 10:00:00,2026-10-03 10:00:00,Cafe,-12.30,0.00,EUR,REVERTED,1190.00\n"
)


@pytest.fixture
def two_accounts(app):
    app.app.settings.bank_accounts = (SECOND,)


def send(visitor, content, status=303, **fields):
    """Upload a file on the page of the bank. Return the address it leads to, or the refused page."""
    page = visitor.get("/desk/money/bank")
    answer = visitor.submit(
        page, "/desk/money/statement", fields, status, upload=("bank.csv", content)
    )
    return target(answer) if status == 303 else answer


def target(answer):
    return re.sub(r"^(\.\./)+", "/", answer.headers["Location"])


def chosen(page):
    """Return {name: value} of the form of the page, as a browser sends it."""
    form = re.search(r'(?s)<form class="card stack form".*?</form>', page.text)[0]
    found = {
        name: html.unescape(value)
        for name, options in re.findall(
            r'(?s)<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', form
        )
        for value in (re.findall(r'value="([^"]*)"\s+selected', options) or [""])[:1]
    }
    if re.search(r'name="auto" value="1" checked', form):
        found["auto"] = "1"
    return found


def act(visitor, where, action, status=303, **changed):
    """Press a button of the page of a statement, with its choices and these changes."""
    page = visitor.get(where)
    fields = {**chosen(page), **changed, "action": action}
    return visitor.submit(page, where.partition("?")[0], fields, status)


def read_in(db):
    """Return (account, day, amount, text) of the stored transactions."""
    return db.connection.execute(
        "SELECT account, booked_on, amount, text FROM bank_transactions ORDER BY id"
    ).fetchall()


def waiting_files(config):
    return sorted(config.data_dir.rglob("statement-*"))


def test_a_file_whose_account_is_known_is_imported_in_one_step(office, db):
    where = send(office, N26, auto="1")
    assert where.startswith("/desk/money/bank?imported=1&")
    assert read_in(db) == [(ACCOUNT, "2026-11-20", 11900, "Rechnung 4711")]
    assert waiting_files(db.config) == []


def test_with_two_accounts_the_file_waits_and_is_chosen_once(office, two_accounts, db):
    where = send(office, N26, auto="1")
    page = office.get(where)
    assert "The file does not name its account. Choose the account that it belongs to." in page
    assert "<td>Farn GmbH</td>" in page and "column_" not in page
    assert chosen(page) == {"account": "", "auto": "1"}
    assert read_in(db) == []
    done = target(act(office, where, "read", account=SECOND))
    assert "1 new transactions" in office.get(done)
    assert read_in(db) == [(SECOND, "2026-11-20", 11900, "Rechnung 4711")]
    assert waiting_files(db.config) == []


def test_a_statement_in_xml_that_only_lacks_its_account_has_no_columns_to_choose(
    office, two_accounts, db
):
    entry = {"amount": 100, "day": "2026-05-04", "party": "Rosen KG", "text": "Danke"}
    content = camt.document([camt.statement(ACCOUNT, [entry])])
    content = content.replace(f"<IBAN>{ACCOUNT}</IBAN>".encode(), b"")
    where = send(office, content)
    page = office.get(where)
    assert list(chosen(page)) == ["account"]
    assert "Rosen KG" in page and "1.00" in page
    assert re.search(r'<link rel="stylesheet" href="[./]+/pages/style-', page.text)
    act(office, where, "read", account=SECOND)
    assert read_in(db) == [(SECOND, "2026-05-04", 100, "Danke")]


@pytest.mark.parametrize(
    ("content", "guessed", "rows"),
    [
        (
            POSTFINANCE,
            {
                "column_booked_on": "Datum",
                "column_text": "Avisierungstext",
                "column_credit": "Gutschrift in EUR",
                "column_debit": "Lastschrift in EUR",
            },
            [(ACCOUNT, "2026-11-20", 11900, "Farn GmbH Rechnung 4711")],
        ),
        (
            SWISS,
            {
                "column_booked_on": "Datum",
                "column_text": "Text",
                "column_credit": "Gutschrift",
                "column_debit": "Belastung",
            },
            [
                (ACCOUNT, "2026-10-08", -976650, "Miete"),
                (ACCOUNT, "2026-10-07", 119000, "Farn GmbH Rechnung 4711"),
            ],
        ),
        (
            REVOLUT,
            {
                "column_booked_on": "Completed Date",
                "column_text": "Description",
                "column_amount": "Amount",
                "column_currency": "Currency",
                "column_state": "State",
            },
            [(ACCOUNT, "2026-10-01", 119000, "From Farn GmbH Rechnung 4711")],
        ),
    ],
    ids=["postfinance", "swiss", "revolut"],
)
def test_the_columns_of_an_unknown_bank_are_guessed_and_read(office, db, content, guessed, rows):
    where = send(office, content, auto="1")
    page = office.get(where)
    assert "The columns of this file are known from no bank." in page
    assert {name: value for name, value in chosen(page).items() if value} == {
        **guessed,
        "auto": "1",
    }
    act(office, where, "read")
    assert read_in(db) == rows


def test_a_trial_says_what_would_be_read_and_stores_nothing(office, db):
    where = send(office, SWISS)
    page = act(office, where, "try", 200)
    assert "New transactions: 2, known already: 0." in page
    assert "7 October 2026 – 8 October 2026" in page
    assert "EUR 1,190.00" in page and "EUR -9,766.50" in page
    assert chosen(page)["column_credit"] == "Gutschrift"
    for table in ("bank_statements", "bank_transactions", "payments"):
        assert db.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert len(waiting_files(db.config)) == 1


def test_a_refusal_stands_at_its_field_and_keeps_the_choices(office, db):
    content = b"Tag;Betrag;Text;Art\n20.11.2026;1.250;Farn;x\n"
    where = send(office, content, auto="1")
    page = act(office, where, "read", 422, column_party="Art", thousands_separator="")
    sentence = "In this file, an amount such as 1.250 may mean two things."
    assert f'<p class="fault" id="e-decimal_separator">{sentence}' in page
    assert '<a href="#f-decimal_separator">Decimal separator</a>' in page
    kept = chosen(page)
    assert (kept["column_party"], kept["column_amount"], kept["auto"]) == ("Art", "Betrag", "1")
    done = act(office, where, "read", column_party="Art", decimal_separator=",")
    assert "imported=1" in target(done)
    assert read_in(db) == [(ACCOUNT, "2026-11-20", 125000, "Farn")]


def test_the_order_of_the_date_can_be_chosen(office, db):
    where = send(office, b"Date;Amount;Text\n01/10/2026;5,00;Farn\n")
    assert "it is not certain whether the day or the month comes first" in act(
        office, where, "try", 422
    )
    act(office, where, "read", dates="mdy")
    assert read_in(db) == [(ACCOUNT, "2026-01-10", 500, "Farn")]


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"column_booked_on": ""}, "column_booked_on", "Please choose."),
        ({"column_credit": ""}, "column_amount", "Please choose."),
        (
            {"column_text": "Nothing"},
            None,
            "No row of the file has each of the chosen columns once.",
        ),
        (
            {"column_credit": "Text"},
            None,
            "If you have chosen columns, check that they are the right",
        ),
    ],
    ids=["no day", "no amount", "no such column", "wrong column"],
)
def test_each_wrong_choice_has_its_sentence(office, db, changed, field, sentence):
    where = send(office, SWISS)
    page = act(office, where, "read", 422, **changed)
    found = re.search(
        rf'<p class="fault" id="e-{field}">([^<]*)' if field else f"({sentence})", page.text
    )
    assert sentence in found[1]
    assert read_in(db) == [] and len(waiting_files(db.config)) == 1


def test_words_for_booked_and_the_sign_of_thousands_can_be_chosen(office, db):
    content = (
        b"Datum;Betrag;Text;Status\n1.10.2026;1 250,00;Farn;erledigt\n2.10.2026;3,00;Rosen;neu\n"
    )
    where = send(office, content)
    act(office, where, "read", states="erledigt", thousands_separator=" ")
    assert read_in(db) == [(ACCOUNT, "2026-10-01", 125000, "Farn")]


def test_only_the_admin_who_has_sent_a_file_sees_it(office, desk, db):
    where = send(office, SWISS)
    other = desk(name="Grace Hopper")
    path = where.partition("?")[0]
    assert "Gutschrift" not in other.get(path, 404)
    page = other.get("/desk/money/bank")
    assert "A file has not been imported yet" not in page
    for action in ("try", "read", "discard"):
        assert "This file is not waiting here." in other.submit(page, path, {"action": action}, 404)
    assert "A file has not been imported yet" in office.get("/desk/money/bank")
    assert "Gutschrift" in office.get(where)


def test_the_same_admin_sees_the_file_in_another_browser(office, app):
    where = send(office, SWISS)
    other = Visitor(app)
    sign_in(other, office.key)
    assert "Gutschrift" in other.get(where)


@pytest.mark.parametrize("scope", ["", "payments:read"])
def test_an_admin_who_may_not_import_has_no_page_and_no_file(desk, db, scope):
    scopes = " ".join([*(each for each in SCOPES.split() if each != "payments"), scope])
    reader = desk(scopes)
    send(reader, SWISS, 403) if scope else None
    refused = reader.get("/desk/money/statement/1", 403)
    assert "“payments”" in refused
    reader.submit(reader.get("/desk/"), "/desk/money/statement/1", {"action": "read"}, 403)
    assert waiting_files(db.config) == []


def test_a_file_is_gone_after_a_day_and_deleted_by_housekeeping(office, db):
    where = send(office, SWISS)
    (file,) = waiting_files(db.config)
    housekeeping.run(db, lambda: False)
    assert "Gutschrift" in office.get(where)
    long_ago = time.time() - 24 * 3600 - 60
    os.utime(file, (long_ago, long_ago))
    assert "This file is not waiting here." in office.get(where, 404)
    assert "A file has not been imported yet" not in office.get("/desk/money/bank")
    housekeeping.run(db, lambda: False)
    assert not file.exists()


def test_a_newer_file_replaces_the_one_that_waits(office, db):
    first, second = send(office, SWISS), send(office, POSTFINANCE)
    assert len(waiting_files(db.config)) == 1
    office.get(first, 404)
    assert "Avisierungstext" in office.get(second)


def test_a_file_can_be_discarded(office, db):
    where = send(office, SWISS)
    done = target(act(office, where, "discard"))
    assert "The file was discarded." in office.get(done)
    assert waiting_files(db.config) == [] and read_in(db) == []
    office.get(where, 404)


def test_waiting_is_no_change_and_in_no_backup(office, db, tmp_path):
    last = db.connection.execute("SELECT max(id) FROM audit_log").fetchone()
    send(office, SWISS)
    assert db.connection.execute("SELECT max(id) FROM audit_log").fetchone() == last
    backups.create(db.config, tmp_path / "backup.tar")
    assert b"Farn GmbH" not in (tmp_path / "backup.tar").read_bytes()


def test_a_bank_that_is_known_asks_only_for_the_column_of_states(office, db):
    content = (
        "Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;IBAN Kontoinhaber;Status\n"
        f"04.05.2026;04.05.2026;Eingang;Rosen KG;10,00;EUR;{ACCOUNT};Gebucht\n"
        f"05.05.2026;05.05.2026;Eingang;Farn GmbH;20,00;EUR;{ACCOUNT};Vorgemerkt\n"
    ).encode()
    where = send(office, content, auto="1")
    page = office.get(where)
    assert "A column of the file seems to say what the bank has not booked yet." in page
    assert "The column “Status” says: Gebucht, Vorgemerkt." in page
    assert chosen(page) == {"account": "", "column_state": "Status", "auto": "1"}
    assert read_in(db) == []
    assert "skipped_pending=1" in target(act(office, where, "read"))
    assert read_in(db) == [(ACCOUNT, "2026-05-04", 1000, "Rosen KG")]


def test_cells_are_escaped_and_cut_off(office):
    content = "Datum;Betrag;<b>Text</b>\n1.10.2026;5,00;<script>alert(1)</script>{}\n".format(
        "x" * 500
    )
    page = office.get(send(office, content.encode()))
    assert "<script>alert" not in page and "<b>Text" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;xxx" in page and "x" * 41 not in page


def test_a_page_about_a_very_wide_file_is_short(office):
    header = ";".join(["Datum", "Betrag", *(f"Spalte {number}" for number in range(5_000))])
    page = office.get(send(office, f"{header}\n".encode() + b"1.10.2026;5,00;" + b"x;" * 5_000))
    assert "Spalte 50" in page and "Spalte 100" not in page
    assert len(page.body) < 150_000


def test_the_columns_of_files_in_a_zip_can_be_chosen(office, db):
    where = send(office, packed(a_csv=SWISS))
    assert "Gutschrift" in office.get(where)
    act(office, where, "read")
    assert len(read_in(db)) == 2


def test_the_page_speaks_german(desk):
    office = desk(language="de")
    page = office.get(send(office, SWISS))
    for text in (
        "Kontoauszug einrichten",
        "Die Spalten dieser Datei sind von keiner Bank bekannt.",
        "Buchungstag *",
        "aus der Datei erkennen",
        "Probe",
        "Einlesen",
        "Verwerfen",
    ):
        assert text in page, text


def test_columns_are_remembered_so_that_the_next_file_is_imported_in_one_step(office, db):
    where = send(office, SWISS)
    act(office, where, "read", column_text="", column_party="Text")
    second = SWISS.replace(b"08.10.", b"09.11.").replace(b"07.10.", b"08.11.")
    assert "imported=2" in send(office, second)
    parties = db.connection.execute("SELECT party FROM bank_transactions ORDER BY id").fetchall()
    assert parties == [("Miete",), ("Farn GmbH Rechnung 4711",)] * 2


def test_remembered_columns_are_chosen_on_the_page_of_another_account(office, two_accounts, db):
    act(office, send(office, SWISS), "read", account=ACCOUNT, column_text="", column_party="Text")
    where = send(office, SWISS, account=SECOND)
    choices = chosen(office.get(where))
    assert (choices["account"], choices["column_party"], choices["column_text"]) == (
        SECOND,
        "Text",
        "",
    )
    act(office, where, "read")
    assert [row[0] for row in read_in(db)] == [ACCOUNT, ACCOUNT, SECOND, SECOND]


def test_the_columns_of_a_file_without_names_are_chosen_by_their_numbers(office, db):
    content = b"20.11.2026;Farn GmbH;20.11.2026;119,00;EUR;Rechnung 4711\n"
    where = send(office, content)
    page = office.get(where)
    assert "This file begins with its first transaction" in page
    assert '<th scope="col">6</th>' in page and "<td>Farn GmbH</td>" in page
    choices = chosen(page)
    assert (choices["column_booked_on"], choices["column_amount"]) == ("1", "4")
    act(office, where, "read", column_text="6")
    assert read_in(db) == [(ACCOUNT, "2026-11-20", 11900, "Rechnung 4711")]


def test_columns_whose_names_differ_only_in_case_cannot_be_chosen(office, db):
    where = send(office, b"Datum;Betrag;Text;TEXT;Zweck\n20.11.2026;119,00;a;b;Farn GmbH\n")
    page = office.get(where)
    assert re.findall(r'<option value="(text)"', page.text, re.I) == []
    assert chosen(page)["column_text"] == "Zweck"
    act(office, where, "read")
    assert read_in(db) == [(ACCOUNT, "2026-11-20", 11900, "Farn GmbH")]


def test_a_file_whose_first_rows_are_too_much_to_read_says_so(office, monkeypatch):
    where = send(office, SWISS)

    def stopped(*arguments):
        raise processes.Stopped("took more than 30 seconds of CPU")

    assert "too much to be read at once" not in office.get(where)
    monkeypatch.setattr(processes, "run", stopped)
    assert "The file is too much to be read at once." in office.get(where)
