"""Money: exact from the JSON number to the column and back, and rounded half away from zero."""

import json
import random
from decimal import ROUND_HALF_UP, Decimal

import pytest

from eventapi import money
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing.balance import status_of
from eventapi.errors import Faults


@pytest.mark.parametrize("currency, places", [("EUR", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4)])
def test_a_currency_has_its_own_decimals(currency, places):
    assert money.decimals(currency) == places
    smallest = Decimal(1).scaleb(-places)
    assert money.minor(smallest, currency) == 1
    assert money.minor(smallest / 10, currency) is None


@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_an_amount_is_unchanged_by_conversion_and_back(currency):
    chance = random.Random(currency)
    for _ in range(2000):
        units = chance.randrange(10 ** chance.randrange(1, 13 + money.decimals(currency)))
        text = json.dumps(money.major(units, currency))
        assert Decimal(text) == Decimal(units).scaleb(-money.decimals(currency))
        assert money.minor(json.loads(text, parse_float=Decimal), currency) == units


def test_an_amount_with_too_many_digits_is_refused():
    assert money.minor(Decimal("0.10000000000000000000000000000000000001"), "EUR") is None
    assert money.minor(Decimal("0.1"), "EUR") == 10 and money.minor(7, "EUR") == 700
    assert money.scaled(Decimal("1e-4"), 4) == 1 and money.scaled(Decimal("1E+3"), 2) == 100000


def test_half_is_rounded_away_from_zero():
    assert [money.divided(number, 2) for number in (1, 3, -1, -3, 4)] == [1, 2, -1, -2, 2]
    assert money.divided(10**30 + 5 * 10**9, 10**10) == 10**20 + 1
    chance = random.Random(1)
    for _ in range(5000):
        numerator, denominator = chance.randrange(-(10**20), 10**20), 10 ** chance.randrange(8)
        assert money.divided(numerator, denominator) == int(
            (Decimal(numerator) / denominator).to_integral_value(ROUND_HALF_UP)
        )


def lines(*items, currency="EUR", **options):
    faults = Faults()
    rows = invoice_lines.lines(
        [{"description": "x", "quantity": 1, "unit_price": 1, **item} for item in items],
        currency,
        1900,
        faults,
        **options,
    )
    assert faults == []
    return rows


def test_each_item_is_rounded_once_and_tax_is_computed_on_the_sum():
    # 0.0333 each
    three = lines(*[{"quantity": Decimal("0.333"), "unit_price": Decimal("0.1")}] * 3)
    assert [line["net"] for line in three] == [3, 3, 3]
    assert invoice_lines.taxes(three) == [
        {"category": "S", "rate": 1900, "net": 9, "tax": 2, "reason": None, "reason_code": None}
    ]
    assert invoice_lines.totals(invoice_lines.taxes(three)) == {
        "subtotal": 9,
        "tax_total": 2,
        "total": 11,
    }


def test_the_largest_numbers_are_exact():
    (line,) = lines(
        {
            "quantity": Decimal("9999999.999"),
            "unit_price": Decimal("99999.9999"),
            "discount_percent": Decimal("0.01"),
        }
    )
    exact = Decimal("9999999.999") * Decimal("99999.9999") * Decimal("0.9999")
    assert line["net"] == int((exact * 100).to_integral_value(ROUND_HALF_UP))


def test_the_reasons_of_a_tax_group_are_listed_together():
    rows = lines(
        {"tax_category": "E", "exemption_reason": "a"},
        {"tax_category": "E", "exemption_reason": "b"},
        {"tax_category": "E", "exemption_reason": "a"},
    )
    assert [group["reason"] for group in invoice_lines.taxes(rows)] == ["a; b"]


def test_partial_credits_add_up_to_net_and_tax_exactly():
    chance = random.Random(3)
    for _ in range(300):
        net, rate = chance.randrange(1, 2000), chance.choice([700, 1900, 550])
        left = [net, money.divided(net * rate, 10000)]
        while left[0]:
            part = chance.randrange(1, left[0] + 1)
            group = {
                "category": "S",
                "rate": rate,
                "net": -part,
                "tax": money.divided(-part * rate, 10000),
                "reason": None,
            }
            (credited,) = invoice_lines.credited_taxes([group], {("S", rate): tuple(left)})
            left = [left[0] - part, left[1] + credited["tax"]]
            assert left[1] >= 0 and abs(credited["tax"] - group["tax"]) <= 10
        assert left == [0, 0]


def test_no_more_than_the_remaining_amount_is_credited():
    def credit(net, left):
        group = {
            "category": "S",
            "rate": 1900,
            "net": net,
            "tax": money.divided(net * 1900, 10000),
            "reason": None,
        }
        return invoice_lines.credited_taxes([group], left)

    left = {("S", 1900): (100, 19)}
    assert credit(-100, left) and credit(-1, left)
    assert credit(-101, left) is None and credit(1, left) is None
    assert credit(-1, {}) is None and credit(-1, {("S", 700): (100, 7)}) is None
    assert credit(5, {("S", 1900): (-5, -1)})[0]["tax"] == 1


@pytest.mark.parametrize(
    "total, paid, credited, status",
    [
        (100, 0, 0, "sent"),
        (100, 1, 0, "partially_paid"),
        (100, 100, 0, "paid"),
        (100, 101, 0, "paid"),
        (0, 0, 0, "paid"),
        (100, 0, 40, "sent"),
        (100, 60, 40, "paid"),
        (100, 59, 40, "partially_paid"),
        (100, 100, 100, "paid"),
        (100, 0, 100, "cancelled"),
    ],
)
def test_the_state_is_computed_from_the_sums(total, paid, credited, status):
    assert status_of(total, paid, credited) == status
