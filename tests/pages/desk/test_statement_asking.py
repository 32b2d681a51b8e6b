"""A bank statement that waits because the admin wants to see first how it is read."""

import re

import pytest

from eventapi.domain.access import api_keys
from tests.pages.desk.test_bank_files import REFUSED
from tests.pages.desk.test_statement_setup import (
    ACCOUNT,
    N26,
    SWISS,
    act,
    chosen,
    read_in,
    send,
    waiting_files,
)
from tests.support.client import SCOPES


def test_columns_that_were_remembered_wrongly_are_corrected_at_the_desk(office, db):
    content = b"Datum;Betrag;Saldo;Text\n20.11.2026;119,00;500,00;Farn GmbH\n"
    act(office, send(office, content), "read", column_amount="Saldo")
    later = content.replace(b"20.11.", b"21.11.")
    assert "imported=1" in send(office, later), "imported by the wrong column, without a question"

    where = send(office, content.replace(b"20.11.", b"22.11."), ask="1", auto="1")
    choices = chosen(office.get(where))
    assert (choices["column_amount"], choices["auto"]) == ("Saldo", "1")
    act(office, where, "read", column_amount="Betrag")
    assert "imported=1" in send(office, content.replace(b"20.11.", b"23.11."))
    amounts = [amount for _, _, amount, _ in read_in(db)]
    assert amounts == [50000, 50000, 11900, 11900]


@pytest.mark.parametrize(
    ("field", "right", "second", "sentence"),
    [
        ("column_amount", "Betrag", "none", "cannot be read, so nothing was imported"),
        ("column_booked_on", "Datum", "20.11.2099", "The file has a booking far in the future."),
        ("column_currency", "", "XXQ", "cannot be read, so nothing was imported"),
    ],
    ids=["amount", "day", "currency"],
)
def test_a_wrong_column_for_which_a_file_is_refused_is_corrected_as_well(
    office, db, field, right, second, sentence
):
    first = {"column_amount": "5,00", "column_booked_on": "19.11.2026", "column_currency": "EUR"}
    content = "Datum;Betrag;Info;Text\n20.11.2026;119,00;{};Farn GmbH\n"
    act(office, send(office, content.format(first[field]).encode()), "read", **{field: "Info"})
    later = content.format(second).encode()
    assert sentence in send(office, later, 422)
    where = send(office, later, ask="1")
    assert sentence in office.get(where)
    act(office, where, "read", **{field: right})
    assert read_in(db)[-1] == (ACCOUNT, "2026-11-20", 11900, "Farn GmbH")


@pytest.mark.parametrize("code", ["pdf", "mt940", "ofx", "qif"])
def test_a_file_that_no_choice_can_read_is_refused_although_its_reader_wants_to_be_asked(
    office, db, code
):
    content, sentence, _ = REFUSED[code]
    assert sentence in send(office, content, 422, ask="1")
    assert waiting_files(db.config) == []


def test_a_file_that_could_be_imported_is_shown_first_if_its_reader_wants_to_be_asked(office, db):
    where = send(office, N26, ask="1")
    page = office.get(where)
    assert "Check here how the file is read. Nothing has been imported yet." in page
    assert "<td>Farn GmbH</td>" in page and read_in(db) == []
    act(office, where, "read")
    assert read_in(db) == [(ACCOUNT, "2026-11-20", 11900, "Rechnung 4711")]


@pytest.mark.parametrize("scope", ["", "payments:read"])
def test_who_may_not_import_cannot_let_a_file_wait(desk, db, scope):
    scopes = " ".join([*(each for each in SCOPES.split() if each != "payments"), scope])
    reader = desk(scopes)
    home = reader.get("/desk/")
    upload = ("bank.csv", SWISS)
    reader.submit(home, "/desk/money/statement", {"ask": "1"}, 403, upload=upload)
    assert waiting_files(db.config) == []


def test_without_the_invoices_a_file_that_waits_cannot_be_seen_or_read(office, db):
    where = send(office, SWISS)
    path = where.partition("?")[0]
    home = office.get("/desk/")
    with db.write():
        api_keys.set_flag(db, "invoices", False)
    office.get(where, 403)
    for action in ("try", "read", "discard"):
        office.submit(home, path, {"action": action}, 403)
    upload = ("bank.csv", SWISS)
    office.submit(home, "/desk/money/statement", {"ask": "1"}, 403, upload=upload)


def test_the_file_is_the_last_field_of_its_form(office, app):
    """The reader of an upload ends with the file: a field behind it would be read as a part of it."""
    app.app.settings.bank_accounts = ("DE27100777770209299700",)
    page = office.get("/desk/money/bank")
    form = re.search(r'(?s)<form [^>]*money/statement".*?</form>', page.text)[0]
    assert re.findall(r' name="([^"]+)"', form) == ["form_token", "auto", "account", "ask", "file"]
