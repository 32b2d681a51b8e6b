"""Interest on arrears: figures computed by hand, and by days one by one as another way of
computing.
"""

import random
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest

from eventapi import working_days
from eventapi.domain.dunning import interest
from eventapi.validation.options import base_rates

# Base rates of the Deutsche Bundesbank (§ 247 BGB).
RATES = base_rates(
    "2020-01-01 -0.88, 2023-01-01 1.62, 2025-01-01 2.27, 2025-07-01 1.27, 2026-01-01 1.27"
)
DE = working_days.of_country("DE")


def day_after(day):
    return (date.fromisoformat(day) + timedelta(1)).isoformat()


def accrued(total, movements, due_date, until, rates):
    """Return the interest that runs from the day after the due date."""
    return interest.accrued(interest.periods(total, movements, day_after(due_date), until, rates))


@pytest.mark.parametrize(
    "kind, is_business, total, movements, due_date, until, expected",
    [
        # 61 days (30 in April, 31 in May): 1190.00 x 10.27 % x 61 / 365 = 7454.993 / 365 = 20.4246…
        ("business", True, 119000, [], "2026-03-31", "2026-05-31", 2042),
        # A person owes 5 points: 1190.00 x 6.27 % x 61 / 365 = 4551.393 / 365 = 12.4695…
        ("business", False, 119000, [], "2026-03-31", "2026-05-31", 1247),
        # 15 days of June at 7.27 %, then 6.27 %; 500.00 paid on 10 July bear interest on that day
        # for the last time: (2000 x 7.27 % x 15 + 2000 x 6.27 % x 10 + 1500 x 6.27 % x 21) / 365 =
        # (2181 + 1254 + 1975.05) / 365 = 14.8220…
        ("consumer", True, 200000, [("2025-07-10", -50000)], "2025-06-15", "2025-07-31", 1482),
        # A negative base rate, and 29 February: 1000.00 x 4.12 % x 29 / 365 = 3.2734…
        ("consumer", False, 100000, [], "2020-02-10", "2020-03-10", 327),
        # A movement of 190.00 on 10 April, 5 %: (1190 x 10 + 1000 x 20) x 5 % / 365 = 4.3698…
        ("five", True, 119000, [("2026-04-10", -19000)], "2026-03-31", "2026-04-30", 437),
        # Exactly half a cent is rounded up: 3.65 x 10 % x 5 / 365 = 0.005
        ("ten", True, 365, [], "2026-01-01", "2026-01-06", 1),
        ("none", True, 119000, [], "2026-03-31", "2026-05-31", 0),
        # Paid on the due date, or before it: nothing.
        ("business", True, 119000, [("2026-03-31", -119000)], "2026-03-31", "2026-05-31", 0),
        # Paid on the day after: one day. 1190.00 x 10.27 % / 365 = 0.3348…
        ("business", True, 119000, [("2026-04-01", -119000)], "2026-03-31", "2026-05-31", 33),
        # Paid on the day before the last: 1190.00 x 10.27 % x 60 / 365 = 20.0898…
        ("business", True, 119000, [("2026-05-30", -119000)], "2026-03-31", "2026-05-31", 2009),
        # Another rate on the last day: 36500.00 x (11.27 % + 10.27 %) / 365
        ("business", True, 3650000, [], "2025-06-29", "2025-07-01", 2154),
        # Overpaid: no negative interest.
        ("business", True, 119000, [("2026-03-01", -200000)], "2026-03-31", "2026-05-31", 0),
        ("business", True, 119000, [], "2026-03-31", "2026-03-31", 0),
    ],
)
def test_interest_is_that_computed_by_hand(
    kind, is_business, total, movements, due_date, until, expected
):
    fixed = {"five": 500, "ten": 1000}.get(kind)
    rates = interest.rates("fixed" if fixed else kind, is_business, fixed, RATES)
    assert accrued(total, movements, due_date, until, rates) == expected


# due on Friday; 2 days: 0.5627…
@pytest.mark.parametrize(
    "due_date, until, expected",
    [
        ("2026-06-06", "2026-06-08", 0),  # due on Saturday: Monday is the day to pay
        ("2026-06-06", "2026-06-09", 28),  # 1000.00 x 10.27 % x 1 / 365 = 0.2813…
        ("2026-04-03", "2026-04-07", 0),  # Good Friday: the Tuesday after Easter is the day to pay
        ("2026-04-03", "2026-04-30", 647),  # 1000.00 x 10.27 % x 23 / 365 = 6.4715…
        ("2026-05-29", "2026-05-31", 56),
    ],
)
def test_a_due_date_that_is_no_working_day_moves_the_beginning(due_date, until, expected):
    """§ 193 BGB."""
    first = working_days.overdue_from(due_date, DE)
    found = interest.periods(
        100000, [], first, until, interest.rates("business", True, None, RATES)
    )
    assert interest.accrued(found) == expected


@pytest.mark.parametrize(
    "option, is_business, has_notice, due_date, letter, expected",
    [
        ("due_date", True, False, "2026-05-20", "2026-06-10", "2026-05-21"),
        ("first_letter", True, False, "2026-05-20", "2026-06-10", "2026-06-11"),
        # Day 1 is 21 May, day 30 is Friday, 19 June: in default from 20 June on.
        ("thirty_days", True, False, "2026-05-20", "2026-06-10", "2026-06-20"),
        # Day 30 is Saturday, 20 June: Monday is the day to pay.
        ("thirty_days", True, False, "2026-05-21", "2026-06-10", "2026-06-23"),
        # The due date is Saturday, 6 June; day 1 is Tuesday, 9 June, day 30 Wednesday, 8 July.
        ("thirty_days", True, False, "2026-06-06", "2026-07-01", "2026-07-09"),
        # A consumer without the sentence: with the first letter, whatever the option says, but not
        # before it.
        ("due_date", False, False, "2026-05-20", "2026-06-10", "2026-06-11"),
        ("due_date", False, False, "2026-05-20", "2026-07-30", "2026-07-31"),
        ("thirty_days", False, False, "2026-05-20", "2026-06-10", "2026-06-20"),
        # With the sentence: after 30 days at the latest, and a letter before that is enough (§ 286
        # (1) and (3) BGB).
        ("due_date", False, True, "2026-05-20", "2026-06-10", "2026-06-11"),
        ("due_date", False, True, "2026-05-20", "2026-07-30", "2026-06-20"),
        ("first_letter", False, True, "2026-05-20", "2026-07-30", "2026-07-31"),
        ("thirty_days", False, True, "2026-05-20", "2026-06-10", "2026-06-20"),
    ],
)
def test_the_beginning_of_default_is_that_of_the_law(
    option, is_business, has_notice, due_date, letter, expected
):
    first = working_days.overdue_from(due_date, DE)
    assert interest.begins(option, first, letter, is_business, has_notice, DE) == expected


def test_periods_say_what_the_interest_consists_of():
    """The third case of the guide: the parts add up to the sum, which is rounded once."""
    found = interest.periods(
        200000,
        [("2025-07-10", -50000)],
        "2025-06-16",
        "2025-07-31",
        interest.rates("consumer", False, None, RATES),
    )
    # 2181 / 365 = 5.975…; 3435 / 365 = 9.410…; 5410.05 / 365 = 14.822…
    assert found == [
        {
            "date_from": "2025-06-16",
            "date_to": "2025-06-30",
            "days": 15,
            "amount": 200000,
            "rate": 727,
            "base_rate": 227,
            "interest": 598,
        },
        {
            "date_from": "2025-07-01",
            "date_to": "2025-07-10",
            "days": 10,
            "amount": 200000,
            "rate": 627,
            "base_rate": 127,
            "interest": 343,
        },
        {
            "date_from": "2025-07-11",
            "date_to": "2025-07-31",
            "days": 21,
            "amount": 150000,
            "rate": 627,
            "base_rate": 127,
            "interest": 541,
        },
    ]


def test_periods_with_the_same_rate_are_one():
    """The rate of a new half-year may be the old one."""
    found = interest.periods(
        100000,
        [("2026-01-05", 0)],
        "2025-12-01",
        "2026-01-31",
        interest.rates("business", True, None, RATES),
    )
    assert [(period["date_from"], period["date_to"], period["days"]) for period in found] == [
        ("2025-12-01", "2026-01-31", 62)
    ]


def by_days(total, movements, due_date, until, rates):
    """Return the interest computed day by day with fractions of cents."""
    day, sum_ = date.fromisoformat(due_date) + timedelta(1), Decimal(0)
    while day <= date.fromisoformat(until):
        owed = total + sum(change for moved, change in movements if date.fromisoformat(moved) < day)
        rate = [rate for start, rate, _ in rates if date.fromisoformat(start) <= day][-1]
        sum_ += max(owed, 0) * Decimal(rate) / 10000
        day += timedelta(1)
    return int((sum_ / 365).quantize(Decimal(1), ROUND_HALF_UP))


def test_interest_equals_the_sum_of_its_days():
    rnd = random.Random(288)
    for _ in range(300):
        due = date(2025, 1, 1) + timedelta(rnd.randrange(500))
        until, total = due + timedelta(rnd.randrange(600)), rnd.randrange(1, 10**7)
        movements = [
            ((due + timedelta(rnd.randrange(-30, 600))).isoformat(), -rnd.randrange(total))
            for _ in range(rnd.randrange(4))
        ]
        rates = interest.rates(rnd.choice(["consumer", "business"]), True, None, RATES)
        given = total, movements, due.isoformat(), until.isoformat(), rates
        assert accrued(*given) == by_days(*given)


def test_base_rates_are_sorted_and_exact():
    assert base_rates("2026-07-01 -0.88,2026-01-01   1.27") == (
        ("2026-01-01", 127),
        ("2026-07-01", -88),
    )
    assert base_rates("") == ()
    for text in (
        "1.27",
        "2026-01-01",
        "2026-02-30 1.27",
        "2026-01-01 1.275",
        "2026-01-01 1,27",
        "2026-01-01 1.27, 2026-01-01 1.28",
    ):
        with pytest.raises(ValueError):
            base_rates(text)
