"""The periods of an export: a month or a year, and the fiscal year that it lies in."""
from typing import NamedTuple

from eventapi import times
from eventapi.errors import invalid_parameter


class Period(NamedTuple):
    """A month or a year.

    name: 2026-05 or 2026. first, last: days; `last` is included. begins, ends: timestamps; `ends` is not included.
    fiscal_year: the first day of the fiscal year of `first`.
    """
    name: str
    first: str
    last: str
    begins: str
    ends: str
    fiscal_year: str


def period(config, year, month):
    """Return the Period of a month in the tenant's time zone, or of the year if `month` is None."""
    first = f"{year}-{month or 1:02}-01"
    following = f"{year + 1}-01-01" if month in (None, 12) else f"{year}-{month + 1:02}-01"
    return Period(first[:7] if month else first[:4], first, times.add_days(following, -1),
                  times.start(first, config.timezone), times.start(following, config.timezone),
                  fiscal_year(config, first))


def fiscal_year(config, day):
    """Return the first day of the fiscal year of a day."""
    start = config.datev_fiscal_year_start
    return f"{int(day[:4]) - (day[5:] < start)}-{start}"


def refuse_two_fiscal_years(config, year, month):
    """Raise 422 for a year that lies in two fiscal years. A batch has dates without a year, and so only one of them."""
    if month is None and config.datev_fiscal_year_start != "01-01":
        raise invalid_parameter("month", "required", f"is required: {year} lies in two fiscal years, because "
                                f"`datev_fiscal_year_start` is {config.datev_fiscal_year_start}. Request each month by "
                                "itself")
