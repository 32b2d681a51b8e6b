"""Working days, compared with written lists of public holidays and of the dates of Easter."""

from datetime import date, timedelta

import pytest

from eventapi import working_days

# Public holidays of the whole country, on whatever day of the week, as calendars have them.
DE = """2024-01-01 2024-03-29 2024-04-01 2024-05-01 2024-05-09 2024-05-20 2024-10-03 2024-12-25 2024-12-26
        2025-01-01 2025-04-18 2025-04-21 2025-05-01 2025-05-29 2025-06-09 2025-10-03 2025-12-25 2025-12-26
        2026-01-01 2026-04-03 2026-04-06 2026-05-01 2026-05-14 2026-05-25 2026-10-03 2026-12-25 2026-12-26
        2027-01-01 2027-03-26 2027-03-29 2027-05-01 2027-05-06 2027-05-17 2027-10-03 2027-12-25 2027-12-26
        2028-01-01 2028-04-14 2028-04-17 2028-05-01 2028-05-25 2028-06-05 2028-10-03 2028-12-25 2028-12-26"""
AT = """2025-01-01 2025-01-06 2025-04-21 2025-05-01 2025-05-29 2025-06-09 2025-06-19 2025-08-15 2025-10-26 2025-11-01
        2025-12-08 2025-12-25 2025-12-26
        2026-01-01 2026-01-06 2026-04-06 2026-05-01 2026-05-14 2026-05-25 2026-06-04 2026-08-15 2026-10-26 2026-11-01
        2026-12-08 2026-12-25 2026-12-26
        2027-01-01 2027-01-06 2027-03-29 2027-05-01 2027-05-06 2027-05-17 2027-05-27 2027-08-15 2027-10-26 2027-11-01
        2027-12-08 2027-12-25 2027-12-26"""
EASTER = (
    "1818-03-22 1943-04-25 1954-04-18 1981-04-19 2000-04-23 2008-03-23 2011-04-24 2019-04-21 2024-03-31 "
    "2025-04-20 2026-04-05 2027-03-28 2028-04-16 2029-04-01 2030-04-21 2038-04-25 2049-04-18 2076-04-19 2285-03-22"
)


@pytest.mark.parametrize("country, listed", [("DE", DE), ("AT", AT)])
def test_holidays_are_those_of_the_calendar(country, listed):
    known, listed = working_days.of_country(country), set(listed.split())
    day = date.fromisoformat(f"{min(listed)[:4]}-01-01")
    last = date.fromisoformat(f"{max(listed)[:4]}-12-31")
    while day <= last:
        expected = day.isoformat() not in listed and day.strftime("%a") not in ("Sat", "Sun")
        assert working_days.is_working_day(day, known) == expected, day
        day += timedelta(days=1)


def test_easter_is_that_of_the_tables():
    assert [
        working_days.easter_sunday(int(text[:4])).isoformat() for text in EASTER.split()
    ] == EASTER.split()


@pytest.mark.parametrize(
    "country, due_date, expected",
    [
        ("DE", "2026-05-20", "2026-05-21"),  # Wednesday
        # Friday: overdue on Saturday, because Friday was the day to pay
        (
            "DE",
            "2026-05-22",
            "2026-05-23",
        ),
        ("DE", "2026-06-06", "2026-06-09"),  # Saturday: to be paid on Monday
        ("DE", "2026-06-07", "2026-06-09"),  # Sunday
        # Good Friday, weekend, Easter Monday: to be paid on Tuesday
        (
            "DE",
            "2026-04-03",
            "2026-04-08",
        ),
        ("AT", "2026-04-03", "2026-04-04"),  # no public holiday in Austria
        ("DE", "2026-05-23", "2026-05-27"),  # Saturday before Whit Monday
        ("DE", "2026-05-14", "2026-05-16"),  # Ascension Day, a Thursday: to be paid on Friday
        ("DE", "2026-12-24", "2026-12-25"),  # Christmas Eve is a working day
        ("DE", "2026-12-25", "2026-12-29"),  # Friday, Saturday 26, Sunday 27: to be paid on Monday
        ("DE", "2027-12-31", "2028-01-01"),  # Friday
        ("DE", "2028-01-01", "2028-01-04"),  # Saturday, Sunday: to be paid on Monday
        ("AT", "2026-06-04", "2026-06-06"),  # Corpus Christi, a Thursday
        ("DE", "2026-06-04", "2026-06-05"),
        ("FR", "2026-05-01", "2026-05-02"),  # no list for France: only the weekend
        ("DE", "9999-12-31", "9999-12-31"),
    ],
)
def test_an_amount_is_overdue_after_the_next_working_day(country, due_date, expected):
    assert working_days.overdue_from(due_date, working_days.of_country(country)) == expected


def test_a_year_without_a_working_day_moves_the_date_by_a_month_at_most():
    every = working_days.Holidays(
        frozenset(f"{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 32)),
        frozenset(),
    )
    assert working_days.overdue_from("2026-05-20", every) == "2026-06-21"


def test_the_option_has_fixed_and_movable_days():
    assert working_days.holidays("12-25, easter-2 EASTER+60,,02-29") == (
        frozenset({"12-25", "02-29"}),
        frozenset({-2, 60}),
    )
    assert working_days.holidays("") == (frozenset(), frozenset())
    for text in (
        "25-12",
        "12-25-2026",
        "easter",
        "easter+",
        "easter+1000",
        "13-01",
        "02-30",
        "12-2",
        "\u0660\u0661-\u0660\u0661",
    ):
        with pytest.raises(ValueError):
            working_days.holidays(text)
