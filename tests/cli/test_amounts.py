"""Options that are amounts of money: more decimals than the currency has are a wrong value."""

import re

import pytest

from eventapi import config
from eventapi.validation import options

AMOUNTS = {"dunning_minimum", "payment_tolerance"}
# currency -> a value with too many decimals, one with all of them, and what the error says is
# allowed
DECIMALS = {
    "JPY": ("0.50", "7.00", "an amount without decimals, as the currency JPY has none, such as 5"),
    "EUR": (
        "1.005",
        "1.25",
        "an amount with at most 2 decimals, as the currency EUR has, such as 5.00",
    ),
    "KWD": (
        "1.0005",
        "1.005",
        "an amount with at most 3 decimals, as the currency KWD has, such as 5.000",
    ),
    "CLF": (
        "1.00005",
        "1.0005",
        "an amount with at most 4 decimals, as the currency CLF has, such as 5.0000",
    ),
}


@pytest.fixture
def file(tmp_path):
    """Return a function that writes the file of the configuration."""

    def write(**values):
        path = tmp_path / "eventapi.conf"
        path.write_text(
            "[eventapi]\n" + "".join(f"{name} = {value}\n" for name, value in values.items())
        )
        return path

    return write


def test_the_options_that_are_amounts_are_those_of_the_list():
    assert {option.name for option in config.OPTIONS if option.parse is options.amount} == AMOUNTS
    assert {
        option.name for option in config.OPTIONS if re.fullmatch(r"\d+\.\d+", option.default)
    } == AMOUNTS


@pytest.mark.parametrize("currency", DECIMALS)
@pytest.mark.parametrize("name", sorted(AMOUNTS))
def test_an_amount_with_more_decimals_than_the_currency_prevents_the_start(
    run, file, name, currency
):
    wrong, _, allowed = DECIMALS[currency]
    path = file(currency=currency, **{name: wrong})
    for words in (("serve", "--check"), ("migrate",), ("worker", "--once")):
        assert run(*words) == (1, [], f"eventapi: {path}:3: {name} = '{wrong}' must be {allowed}\n")


@pytest.mark.parametrize("currency", DECIMALS)
@pytest.mark.parametrize("name", sorted(AMOUNTS))
def test_an_amount_may_have_all_decimals_of_its_currency(file, name, currency):
    value = DECIMALS[currency][1]
    assert (
        str(getattr(config.load(file(currency=currency, **{name: value}), environ={}), name))
        == value
    )


@pytest.mark.parametrize("currency", DECIMALS)
def test_the_defaults_are_valid_in_every_currency(file, currency):
    settings = config.load(file(currency=currency), environ={})
    assert (settings.payment_tolerance, settings.dunning_minimum) == (0, 5)


def test_an_amount_is_not_judged_by_a_currency_that_does_not_exist(run, file):
    path = file(currency="EURO", payment_tolerance="1.005")
    assert (
        run("serve", "--check")[2]
        == f"eventapi: {path}:2: currency = 'EURO' must be an ISO 4217 code such as EUR\n"
    )
