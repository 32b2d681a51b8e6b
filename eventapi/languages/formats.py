"""Formats of numbers, amounts, dates and periods, as the language writes them.

`language` is one of `choice.AVAILABLE`; for numbers and amounts also SWISS, see `of_country`.
Numbers are Decimal, int or float, amounts are in major units. A date is a text such as 2026-05-01.
"""

import re
from datetime import datetime
from decimal import Decimal

from eventapi import money as currencies
from eventapi import times

SWISS = "de-CH"
# between thousands, and before the decimals (CLDR)
SEPARATORS = {
    "en": ",.",
    "de": ".,",
    SWISS: "’.",
}
MONTHS = (
    "January February March April May June July August September October November December".split()
)
SHORT_MONTHS = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(),
    "de": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez.".split(),
}
PERIOD = re.compile(r"(\d{4})(?:-(?:(\d\d)|W(\d\d)|Q(\d)))?")


def of_country(language, country):
    """Return the language for numbers and amounts of an organiser's country: SWISS for German in CH
    and LI.
    """
    return SWISS if language == "de" and country in ("CH", "LI") else language


def number(value, language, places=0):
    """Return a number with at least `places` decimals, never rounded, and with thousands
    separators.
    """
    value = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    places = max(places, -value.normalize().as_tuple().exponent)
    text = f"{value:,.{places}f}" if value else f"{0:.{places}f}"  # without the sign of -0
    return text.translate(str.maketrans(",.", SEPARATORS[language]))


def numbers(values, language):
    """Return numbers (int or float) with as many decimals as the most exact one needs: 0, 2 or 3."""
    places = max(map(_places, values), default=0)
    return [number(round(Decimal(str(value)), places), language, places) for value in values]


def _places(value):
    return next((places for places in (0, 2) if abs(value - round(value, places)) < 0.0004), 3)


def amount(value, currency, language):
    """Return an amount with at least the decimals of the currency, without its code."""
    return number(value, language, currencies.decimals(currency))


def exact(value, currency):
    """Return an amount as a Decimal with the decimals of its currency, for files: 714.00."""
    return Decimal(f"{Decimal(str(value)):.{currencies.decimals(currency)}f}")


def money(value, currency, language):
    """Return an amount with the code of the currency: `EUR 1,190.00`, `1.190,00 EUR` or `CHF
    1’190.00`.
    """
    text = amount(value, currency, language)
    return f"{text} {currency}" if language == "de" else f"{currency} {text}"


def percent(value, language):
    """Return a percentage: `7.5%`, `7,5 %` or `7.5 %`."""
    return f"{number(value, language)}{'' if language == 'en' else ' '}%"


def day(date, language):
    """Return a date: `1 May 2026` or `01.05.2026`."""
    year, month, day_ = date.split("-")
    return (
        f"{day_}.{month}.{year}"
        if language == "de"
        else f"{int(day_)} {MONTHS[int(month) - 1]} {int(year)}"
    )


def days(first, last, language):
    """Return the days from `first` to `last`: `1–4 May 2026` or `01.–04.05.2026`.

    One or both may be None.

    Month and year are written once if both dates have the same.
    """
    first, last = first or last, last or first
    if first == last:
        return day(first, language) if first else ""
    kept = 3 if first[:4] != last[:4] else 2 if first[:7] != last[:7] else 1  # day, month, year
    if language == "de":
        parts = day(first, language).split(".")[:kept]
        return ".".join([*parts, *([""] if kept < 3 else [])]) + "–" + day(last, language)
    parts = day(first, language).split(" ")[:kept]
    return " ".join(parts) + ("–" if kept == 1 else " – ") + day(last, language)


def moment(value, zone, language):
    """Return a timestamp in the zone: `1 May 2026, 14:30` or `01.05.2026, 14:30 Uhr`.

    A date is written as `day`.
    """
    if times.is_date(value):
        return day(value, language)
    local = datetime.fromisoformat(times.utc(value, zone)).astimezone(times.zone(zone))
    return f"{day(local.date().isoformat(), language)}, {local:%H:%M}{' Uhr' if language == 'de' else ''}"


def period(name, language):
    """Return a period (2026-05-01, 2026-W18, 2026-05, 2026-Q2 or 2026) as the label of a chart."""
    if times.is_date(name):
        return day(name, language)
    year, month, week, quarter = PERIOD.fullmatch(name).groups()
    if month:
        return f"{SHORT_MONTHS[language][int(month) - 1]} {year}"
    if week:
        return f"KW {int(week)}/{year}" if language == "de" else f"Week {int(week)}, {year}"
    return f"Q{quarter} {year}" if quarter else year
