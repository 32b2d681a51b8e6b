"""Interest on arrears: figures computed by hand, and by days one by one as another way of computing."""
import random
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest

from eventapi.domain.dunning import claims
from eventapi.validation.options import base_rates

# Base rates of the Deutsche Bundesbank.
RATES = base_rates("2020-01-01 -0.88, 2023-01-01 1.62, 2025-01-01 2.27, 2025-07-01 1.27, 2026-01-01 1.27")


@pytest.mark.parametrize("kind, is_business, total, movements, due_date, until, expected", [
    # 61 days (30 in April, 31 in May): 1190.00 x 10.27 % x 61 / 365 = 7454.993 / 365 = 20.4246…
    ("business", True, 119000, [], "2026-03-31", "2026-05-31", 2042),
    # A person owes 5 points: 1190.00 x 6.27 % x 61 / 365 = 4551.393 / 365 = 12.4695…
    ("business", False, 119000, [], "2026-03-31", "2026-05-31", 1247),
    # 15 days of June at 7.27 %, then 6.27 %; 500.00 paid on 10 July bear interest on that day for the last time:
    # (2000 x 7.27 % x 15 + 2000 x 6.27 % x 10 + 1500 x 6.27 % x 21) / 365 = (2181 + 1254 + 1975.05) / 365 = 14.8220…
    ("consumer", True, 200000, [("2025-07-10", -50000)], "2025-06-15", "2025-07-31", 1482),
    # A negative base rate, and 29 February: 1000.00 x 4.12 % x 29 / 365 = 3.2734…
    ("consumer", False, 100000, [], "2020-02-10", "2020-03-10", 327),
    # A credit note of 190.00 on 10 April, 5 %: (1190 x 10 + 1000 x 20) x 5 % / 365 = 4.3698…
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
    ("business", True, 119000, [], "2026-03-31", "2026-03-31", 0)])
def test_interest_is_that_computed_by_hand(kind, is_business, total, movements, due_date, until, expected):
    fixed = {"five": 500, "ten": 1000}.get(kind)
    rates = claims.interest_rates("fixed" if fixed else kind, is_business, fixed, RATES)
    assert claims.accrued(total, movements, due_date, until, rates) == expected


def by_days(total, movements, due_date, until, rates):
    """Return the interest computed day by day with fractions of cents."""
    day, sum_ = date.fromisoformat(due_date) + timedelta(1), Decimal(0)
    while day <= date.fromisoformat(until):
        owed = total + sum(change for moved, change in movements if date.fromisoformat(moved) < day)
        rate = [rate for start, rate in rates if date.fromisoformat(start) <= day][-1]
        sum_ += max(owed, 0) * Decimal(rate) / 10000
        day += timedelta(1)
    return int((sum_ / 365).quantize(Decimal(1), ROUND_HALF_UP))


def test_interest_equals_the_sum_of_its_days():
    rnd = random.Random(288)
    for _ in range(300):
        due = date(2025, 1, 1) + timedelta(rnd.randrange(500))
        until, total = due + timedelta(rnd.randrange(600)), rnd.randrange(1, 10 ** 7)
        movements = [((due + timedelta(rnd.randrange(-30, 600))).isoformat(), -rnd.randrange(total))
                     for _ in range(rnd.randrange(4))]
        rates = claims.interest_rates(rnd.choice(["consumer", "business"]), True, None, RATES)
        given = total, movements, due.isoformat(), until.isoformat(), rates
        assert claims.accrued(*given) == by_days(*given)


def test_base_rates_are_sorted_and_exact():
    assert base_rates("2026-07-01 -0.88,2026-01-01   1.27") == (("2026-01-01", 127), ("2026-07-01", -88))
    assert base_rates("") == ()
    for text in ("1.27", "2026-01-01", "2026-02-30 1.27", "2026-01-01 1.275", "2026-01-01 1,27",
                 "2026-01-01 1.27, 2026-01-01 1.28"):
        with pytest.raises(ValueError):
            base_rates(text)
