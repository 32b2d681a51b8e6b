"""Values as people type them into forms, and as forms show them: amounts with their currency, days,
times, links and colours, as German and English write them.

Each reading function returns the value of JSON that a text means. A text that it cannot read stays
as it was typed: the API refuses it, and the form is shown again with a sentence beside the field.
"""

import re
import unicodedata

from eventapi import money, times
from eventapi.languages import formats

MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November "
    "Dezember".split(),
    "en": list(formats.MONTHS),
}
SIGNS = {
    "EUR": ("€", "Euro"),
    "CHF": ("Fr.", "SFr."),
    "GBP": ("£",),
    "USD": ("$",),
}
UNITS = {
    "percent": ("%", "Prozent", "percent", "per cent"),
    "metres": ("m", "Meter", "metres", "meters"),
    "area": ("m²", "m2", "qm", "sqm"),
}
DIGITS = 15  # of a number that a float keeps
ISO_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
DAY = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})", re.ASCII)
NAMED_DAY = re.compile(r"(\d{1,2})\.?\s*([^\W\d_]{3,9})\.?,?\s+(\d{4})")
TIME = re.compile(
    r"(\d{1,2})(?:[:.](\d{2}))?\s*(?:Uhr|h|(?P<half>a|p)\.?m\.?)?", re.ASCII | re.IGNORECASE
)
MOMENT = re.compile(r"(.*?\d)(?:T|,?\s+(?:um\s+|at\s+)?)(\d{1,2}(?:[:.]\d{2})?(?:\s*\D{1,5})?)")
HOST = re.compile(r"[^\s/?#@\\:.]+(\.[^\s/?#@\\:.]+)+(:\d{1,5})?([/?#]\S*)?")
COLOR = re.compile(r"#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})", re.ASCII)


# Numbers


def number(text: str, language: str) -> int | float | str:
    """Return the number that a text means in a language: 1.234,5 in German, 1,234.5 in English.

    Else the text itself.

    A single point or comma before three digits separates thousands in the one language, and
    decimals in the other. Everything else means the same in both: 0.125 is less than one, and 2 50
    is no number. A number with more digits than a float keeps stays a text, too. Digits of other
    scripts are digits: ١٢ is 12.
    """
    plain = "".join(str(unicodedata.decimal(each, each)) for each in text)
    plain = re.sub(r"(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))", "", plain, flags=re.ASCII)
    if re.fullmatch(r"-?[1-9]\d{0,2}(\.\d{3})+,\d+", plain, re.ASCII):
        plain = plain.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+\.\d+", plain, re.ASCII):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"-?[1-9]\d{0,2}((\.\d{3}){2,}|(,\d{3}){2,})", plain, re.ASCII):
        plain = plain.replace(".", "").replace(",", "")
    elif re.fullmatch(r"-?[1-9]\d{0,2}[.,]\d{3}", plain, re.ASCII):
        thousands, decimals = (".", ",") if language == "de" else (",", ".")
        plain = plain.replace(thousands, "").replace(decimals, ".")
    else:
        plain = plain.replace(",", ".")
    digits = sum(character.isdigit() for character in plain)
    if digits > DIGITS or not re.fullmatch(r"-?\d+(\.\d+)?", plain, re.ASCII):
        return text
    return float(plain) if "." in plain else int(plain)


def amount(text: str, language: str, currency: str | None) -> int | float | str:
    """Return the amount that a text means: 25, 25,00, 25 €, 1.234,50 EUR or 25,-.

    The sign or code of the currency may stand before or after it. That of another currency makes
    it no amount.
    """
    return measure(text, language, [currency, *SIGNS.get(currency, ())] if currency else ())


def measure(text: str, language: str, units: tuple[str, ...]) -> int | float | str:
    """Return the number of a text that may have one of these units before or after it."""
    plain = text.strip()
    for unit in sorted(units, key=len, reverse=True):
        if plain.lower().endswith(unit.lower()):
            plain = plain[: -len(unit)].strip()
            break
        if plain.lower().startswith(unit.lower()):
            plain = plain[len(unit) :].strip()
            break
    plain = re.sub(r"[.,](-{1,2}|–)$", "", plain)
    found = number(plain, language)
    return text if isinstance(found, str) else found


# Days and times


def day(text: str) -> str:
    """Return the date of 1.3.27, 01.03.2027, 1. März 2027, 1 March 2027 or 2027-03-01.

    A year of two digits is one of this century.
    """
    if found := ISO_DAY.fullmatch(text):
        year, month, date = found.groups()
    elif found := DAY.fullmatch(text):
        date, month, year = found.groups()
    elif found := NAMED_DAY.fullmatch(text):
        date, name, year = found.groups()
        month = _month(name)
    else:
        return text
    iso = f"{int(year) % 100 + 2000 if len(year) == 2 else year}-{int(month):02}-{int(date):02}"
    return iso if times.is_date(iso) else text


def _month(name):
    """Return the number of a month by its name or the begin of it, or 0."""
    for names in MONTHS.values():
        for number_, each in enumerate(names, 1):
            if each.lower().startswith(name.lower()):
                return number_
    return 0


def time_of_day(text: str) -> str:
    """Return the time of 9, 9:00, 9.00 Uhr or 9 am as 09:00."""
    found = TIME.fullmatch(text)
    if not found:
        return text
    hour, minute, half = int(found[1]), int(found[2] or 0), (found["half"] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    is_time = (hour < 24 and minute < 60) or (hour, minute) == (24, 0)
    return f"{hour:02}:{minute:02}" if is_time else text


def day_or_moment(text: str) -> str:
    """Return the date, or the date and time in the time zone of the event: 1.3.27, 9 Uhr becomes
    2027-03-01T09:00:00.

    A timestamp stays as it is.
    """
    found = None if times.TIMESTAMP.fullmatch(text) else MOMENT.fullmatch(text)
    if found:
        date, time = day(found[1]), time_of_day(found[2])
        if times.is_date(date) and times.CLOCK.fullmatch(time):
            return f"{date}T{time}:00"
    return day(text)


def timestamp(text: str) -> str:
    """Return the timestamp of a date and a time in UTC. A timestamp with an offset stays as it is."""
    if re.search(r"[zZ]|[+-]\d\d:\d\d$", text):
        return text
    found = day_or_moment(text)
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d", found):
        found += ":00"
    return f"{found}Z" if times.TIMESTAMP.fullmatch(f"{found}Z") else text


# Links and colours


def link(text: str) -> str:
    """Return a web address with https:// if it has no scheme."""
    return f"https://{text}" if HOST.fullmatch(text) else text


def color(text: str) -> str:
    """Return a colour as #RRGGBB, of 23694a or #abc. The letters stay as they were typed."""
    found = COLOR.fullmatch(text)
    if not found:
        return text
    digits = found[1]
    return f"#{digits}" if len(digits) == 6 else "#" + "".join(digit * 2 for digit in digits)


def picked_color(text: str) -> str:
    """Return what the browser's own field for colours shows for a text: white if it is no colour."""
    return color(text) if COLOR.fullmatch(text) else "#ffffff"


# All kinds


def read(kind: str, text: str, language: str, currency: str | None = None) -> object:
    """Return the value of JSON that the text of a field of a kind means. `text` has no blanks
    around it.
    """
    if kind in ("number", "integer"):
        return number(text, language)
    if kind == "money":
        return amount(text, language, currency)
    if kind in UNITS:
        return measure(text, language, UNITS[kind])
    reader = READERS.get(kind)
    return reader(text) if reader else text


READERS = {
    "date": day,
    "day": day_or_moment,
    "datetime-local": timestamp,
    "time": time_of_day,
    "url": link,
    "color": color,
}


def shown(kind: str, value: object, language: str, currency: str | None = None) -> str:
    """Return a value of JSON as the text of a field: numbers as the language writes them, amounts
    with the decimals of the currency.
    """
    if kind == "money":
        return formats.number(value, language, money.decimals(currency or "EUR"))
    if isinstance(value, (int, float)):
        plain = f"{value:.15g}" if isinstance(value, float) else str(value)
        if re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3}", plain):
            plain += "0"  # else these were thousands in the other language
        return plain.replace(".", ",") if language == "de" else plain
    return value[:16] if kind == "datetime-local" else str(value)
