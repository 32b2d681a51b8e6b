"""Balances above and below the rows of the CSV files of banks."""

import io
from pathlib import Path

import pytest

from eventapi.domain.bank import csv_files
from tests.domain.bank.test_csv_files import FILES

OWN = "DE02120300000000202051"
COMDIRECT = (Path(__file__).parent / "data" / "comdirect.csv").read_bytes().decode("iso-8859-15")
ROW = '"20.11.2026";"20.11.2026";'
PENDING = '"offen";"--";"Kartenverfügung";"Buchungstext: Text";"-23,86";\n'
OLD = FILES["Volksbank, old"][0]
COLUMNS = {"booked_on": "Datum", "amount": "Betrag", "decimal": ","}


def read(data, own=None):
    return csv_files.read(io.BytesIO(data.encode("iso-8859-15")), OWN, own=own)


def test_the_balances_of_comdirect_are_no_rows():
    (found,) = read(COMDIRECT)
    (entry,) = found.entries
    assert (entry.booked_on, entry.amount, entry.currency) == ("2026-11-20", 11900, "EUR")
    assert (entry.party, entry.reference) == ("Farn GmbH", "Rechnung 4711")


@pytest.mark.parametrize("name", ["Alter Kontostand", "Neuer Kontostand"])
@pytest.mark.parametrize("value", ['"--";', "", '"4.9x";'])
def test_a_balance_that_cannot_be_read_proves_nothing(name, value):
    amount = {"Alter Kontostand": '"5.000,00 EUR";', "Neuer Kontostand": '"5.119,00 EUR";'}[name]
    assert f'"{name}";{amount}' in COMDIRECT
    (found,) = read(COMDIRECT.replace(amount, value).replace('"119,00"', '"120,00"'))
    assert [entry.amount for entry in found.entries] == [12000]


def test_balances_that_the_rows_do_not_make_refuse_the_file():
    with pytest.raises(ValueError) as caught:
        read(COMDIRECT.replace('"119,00"', '"118,99"'))
    assert str(caught.value).startswith(
        "The opening balance 5000.00 EUR and the rows 118.99 EUR make 5118.99 EUR, but the closing balance is "
        "5119.00 EUR. Rows are missing, or were changed."
    )


@pytest.mark.parametrize(
    ("closing", "is_whole"), [("5.119,00", True), ("5.095,14", True), ("5.100,00", False)]
)
def test_the_closing_balance_may_count_what_is_pending(closing, is_whole):
    data = COMDIRECT.replace(ROW, PENDING + ROW).replace("5.119,00", closing)
    if is_whole:
        (found,) = read(data)
        assert ([entry.amount for entry in found.entries], found.skipped) == ([11900], 1)
    else:
        with pytest.raises(ValueError, match=r"the closing balance is 5100\.00 EUR"):
            read(data)


def test_a_pending_row_without_an_amount_leaves_the_balances_open():
    data = COMDIRECT.replace(ROW, PENDING.replace("-23,86", "--") + ROW)
    (found,) = read(data.replace("5.119,00", "5.100,00"))
    assert len(found.entries) == 1


def test_the_balances_of_an_old_volksbank_have_a_sign_of_their_own():
    assert len(read(OLD)[0].entries) == 2
    with pytest.raises(
        ValueError, match=r"22257\.11 EUR and the rows 1208\.10 EUR make 23465\.21 EUR"
    ):
        read(OLD.replace('"6,00";"S"', '"6,00";"H"'))
    owed = OLD.replace('"22.257,11";"H"', '"22.257,11";"S"')
    with pytest.raises(ValueError, match=r"The opening balance -22257\.11 EUR"):
        read(owed)
    assert (
        len(read(owed.replace("23.453,21", "21.061,01").replace('01";"H"', '01";"S"'))[0].entries)
        == 2
    )


@pytest.mark.parametrize(
    "footer",
    [
        "Kontostand;30.6.2026;;;1.200,00;EUR",
        "Kontostand am 30.06.2026: 1.200,00 EUR",
        "Saldo;;99,00",
        "Saldo per 30.06.2026;99,00",
        "Alter Saldo;;99,00",
        "Endsaldo;99,00",
        "Closing balance;99,00",
        "Endbestand;30.06.2026;99,00",
        "Saldovortrag;;99,00",
        "Saldo-Vortrag per 1.6.2026;;99,00",
    ],
)
def test_any_balance_below_named_columns_is_no_row(footer):
    data = f"Datum;Text;Betrag\n20.11.2026;Farn GmbH;119,00\n{footer}\n"
    assert [entry.amount for entry in read(data, COLUMNS)[0].entries] == [11900]
    turned = f"Text;Datum;Betrag\nFarn GmbH;20.11.2026;119,00\n{footer.split(';')[0]};;99,00\n"
    assert [entry.amount for entry in read(turned, COLUMNS)[0].entries] == [11900]


def test_balances_around_named_columns_are_compared():
    data = "Anfangssaldo;;10,00\nDatum;Text;Betrag\n20.11.2026;Farn;119,00\nEndsaldo;;{}\n"
    assert len(read(data.format("129,00"), COLUMNS)[0].entries) == 1
    with pytest.raises(
        ValueError, match=r"make 129\.00 EUR, but the closing balance is 128\.00 EUR"
    ):
        read(data.format("128,00"), COLUMNS)


def test_a_transfer_about_a_balance_is_a_row():
    data = "Text;Datum;Betrag\nSaldo der Rechnung 4711;20.11.2026;119,00\n"
    (found,) = read(data, {**COLUMNS, "text": "Text"})
    assert [entry.reference for entry in found.entries] == ["Saldo der Rechnung 4711"]


@pytest.mark.parametrize("text", ["Saldo", "SALDOVORTRAG", "Schlusssaldo:", "Vortrag"])
def test_a_row_with_a_day_and_the_label_of_a_balance_is_no_row(text):
    data = "Datum;Text;Betrag;Saldo CHF\n20.11.2026;Farn;119,00;\n{};{};;129,00\n"
    for day in ("20.11.2026", "30/11/2026"):
        (found,) = read(data.format(day, text), COLUMNS)
        assert ([entry.amount for entry in found.entries], found.notes) == ([11900], 0)
    with pytest.raises(ValueError, match='column "betrag": "" is not an amount'):
        read(data.format("20.11.2026", f"{text} der Rechnung 4711"), COLUMNS)


def test_a_balance_beside_another_number_proves_nothing():
    data = "Datum;Text;Betrag\n20.11.2026;A;1,00\nAnfangssaldo;{0};5,00\nEndsaldo;{0};{1}\n"
    for closing in ("6,00", "7,00"):
        (found,) = read(data.format("20261130", closing), COLUMNS)
        assert [entry.amount for entry in found.entries] == [100]
    with pytest.raises(ValueError, match=r"the closing balance is 7\.00 EUR"):
        read(data.format("30.11.2026", "7,00"), COLUMNS)


@pytest.mark.parametrize(
    "row", ["Umsätze Mai;20.11.2026;5,00", "Umsatz;20.11.2026;5,00", "Umsätze ohne Gewähr;;"]
)
def test_a_text_that_begins_like_the_section_of_an_account_is_a_row_or_a_note(row):
    data = f"Text;Datum;Betrag\nA;19.11.2026;1,00\n{row}\n"
    (found,) = read(data, {**COLUMNS, "text": "Text"})
    assert len(found.entries) + found.notes == 2
