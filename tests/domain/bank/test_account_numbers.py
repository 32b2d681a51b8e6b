"""Accounts that files name by the old number inside their IBAN."""

import io

import pytest

from eventapi.domain.bank import archives
from eventapi.domain.bank.account_numbers import is_same, resolved
from tests.domain.bank.test_csv_files import FILES, ROW, SPARKASSE
from tests.support.camt import document, statement

OWN = "DE02120300000000202051"
SWISS = "CH9300762011623852957"
AUSTRIAN = "AT611904300234573201"
OTHER = "DE27100777770209299700"
ROWS = (SPARKASSE + ROW).replace(OWN, "{}")


def read(data, *accounts, account=None):
    data = data if isinstance(data, bytes) else data.encode()
    (found,) = archives.read(io.BytesIO(data), account, accounts=accounts)
    return found


@pytest.mark.parametrize(
    ("iban", "name"),
    [
        (OWN, "202051"),
        (OWN, "0000202051"),
        (OWN, "120300000000202051"),
        (OWN, "12030000202051"),
        (OWN, "12030000/202051"),
        (OWN, OWN),
        (SWISS, "11623852957"),
        (SWISS, "00762011623852957"),
        (AUSTRIAN, "234573201"),
        (AUSTRIAN, "00234573201"),
        (AUSTRIAN, "19043-234573201"),
    ],
)
def test_an_account_has_these_names(iban, name):
    assert is_same(iban, name)
    assert resolved(name, [OTHER, iban]) == iban


@pytest.mark.parametrize(
    "name", ["02051", "51", "1202051", "12030001202051", "12030000", "DE02", "", "0"]
)
def test_another_number_is_another_account(name):
    assert not is_same(OWN, name)
    assert resolved(name, [OWN, OTHER]) == name


def test_a_number_at_two_banks_names_none_of_them():
    second = "DE75512108000000202051"
    assert resolved("202051", [OWN, second]) == "202051"
    assert resolved("51210800202051", [OWN, second]) == second


@pytest.mark.parametrize("name", ["202051", "0000202051", "12030000 202051", OWN])
def test_a_file_of_a_sparkasse_may_have_the_old_number(name):
    found = read(ROWS.format(name), OTHER, OWN)
    assert found.account == OWN
    assert found.entries == read(ROWS.format(OWN)).entries
    assert found.entries == read(ROWS.format(name), account=OWN).entries


def test_a_number_of_nobody_stays_as_it_is():
    assert read(ROWS.format("202052"), OWN).account == "202052"
    assert read(ROWS.format("202051")).account == "202051"


def test_the_old_number_may_stand_above_the_columns():
    data = FILES["Volksbank, old"][0]
    assert read(data, OWN).account is None
    assert read(data.replace("1234567", "202051"), OWN).account == OWN
    assert read(data.replace("1234567", "202051")).account is None


def test_a_statement_in_camt_may_have_the_old_number():
    data = document([statement("202051", [{"amount": 100, "day": "2026-11-20"}])]).decode()
    found = read(data, OTHER, OWN)
    assert found.account == OWN and read(data).account == "202051"
    assert (
        found.entries
        == read(data.replace("<Othr><Id>202051</Id></Othr>", f"<IBAN>{OWN}</IBAN>")).entries
    )


@pytest.mark.parametrize(
    "name", ["N26", "N26, old", "comdirect", "Qonto", "Deutsche Bank until 2024"]
)
def test_a_file_that_names_no_account_is_that_of_the_only_one(name):
    data = FILES[name][0]
    assert read(data).account is None
    assert read(data, OWN).account == OWN
    assert read(data, OWN).entries == read(data, account=OWN).entries
    assert read(data, OWN, OTHER).account is None
    assert read(data, OWN, OTHER, account=OTHER).account == OTHER


@pytest.mark.parametrize("name", ["Volksbank, old", "Consorsbank"])
def test_a_number_above_the_columns_that_is_unknown_is_not_the_only_account(name):
    """The file may be that of another account, such as a private one."""
    data = FILES[name][0]
    assert read(data, OWN).account is None
    assert read(data, OWN, account=OWN).account == OWN
    number = {"Volksbank, old": "0001234567", "Consorsbank": "0500001234"}[name]
    assert read(data, OWN[:-10] + number, OTHER).account == OWN[:-10] + number


def test_a_statement_in_camt_without_account_is_that_of_the_only_one():
    data = document([statement(OWN, [{"amount": 100, "day": "2026-11-20"}])]).decode()
    data = data.replace(f"<IBAN>{OWN}</IBAN>", "")
    assert read(data, OWN).account == OWN
    assert read(data, OWN, OTHER).account is None
    assert read(data, OWN, OTHER, account=OTHER).account == OTHER


@pytest.mark.parametrize(
    ("configured", "name", "is_it"),
    [
        ("1234567", "1234567", True),
        ("123-4567", "1234567", True),
        ("1234567", "123/4567", True),
        ("AB1234567", "AB123-4567", True),
        ("9991234567890", "1234567890", False),
        ("1234567", "01234567", False),
        ("1234567", "AB1234567", False),
        ("1234567", "", False),
    ],
)
def test_an_account_without_iban_has_its_number_alone(configured, name, is_it):
    assert is_same(configured, name) is is_it


@pytest.mark.parametrize("name", ["987654321", "98765-4321"])
def test_a_statement_of_an_account_without_iban_is_that_of_the_configured_number(name):
    data = document([statement(name, [{"amount": 100, "day": "2026-11-20"}])])
    found = read(data, OWN, "98765-4321")
    assert found.account == "98765-4321"
    assert [entry.amount for entry in found.entries] == [100]
