"""Values of settings as people read and type them: amounts with a comma, a month as 01.2027, one
part of a list in each line.

The values themselves are those of the API, and the API checks them: a text that cannot be read
stays as it was typed, and is refused there.
"""

import re
from decimal import Decimal

from eventapi import times
from eventapi.config import SETTINGS
from eventapi.config.option import LINES
from eventapi.languages import formats
from eventapi.pictures.words import grouped
from eventapi.validation.identifiers.accounts import compact, looks_like_iban
from eventapi.web.html import typed_values

MONTH = re.compile(r"(\d{1,2})[./-](\d{4})|(\d{4})-(\d{1,2})")
DAY = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
# a rate after its date, with a comma for the decimals
BASE_RATE = re.compile(
    r"(\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4})(\s+-?\d{1,2}),(\d{1,2})(?=\s*%?\s*(?:,|$))"
)
EXCHANGE_RATE = re.compile(r"([A-Za-z]{3})\s*=\s*(\d+)(?:[.,](\d+))?")
HOLIDAY = re.compile(r"(\d{1,2})\.(\d{1,2})\.?")
EASTER = re.compile(r"(?:ostern|easter)\s*([+-]\s*\d{1,3})?", re.I)


# Numbers


def number(text, language, *units):
    """Return the number of a text, which may end with one of the units. Else the text itself."""
    plain = text.strip()
    for unit in units:
        if plain.upper().endswith(unit):
            plain = plain[: -len(unit)].strip()
    found = typed_values.number(plain, language)
    return text if isinstance(found, str) else found


def shown_number(value, language):
    """Return a number without thousands separators: it may be one of an account."""
    plain = format(Decimal(str(value)), "f")
    return plain.replace(".", ",") if language == "de" else plain


def shown_amount(value, currency, language):
    """Return an amount with the decimals of its currency."""
    return formats.amount(Decimal(str(value)), currency, language)


# Lists, one part in each line


def parts(name, text):
    """Return the parts of a list, of which each line of a text has one or several."""
    option = SETTINGS[name]
    read = READ.get(name, str.strip)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if option.kind == LINES:
        return lines
    return [read(part) for line in lines for part in option.parts(PREPARED.get(name, str)(line))]


def shown_parts(name, found, language):
    """Return the parts of a list as lines."""
    shown = SHOWN.get((name, language)) or SHOWN.get((name, None)) or str
    return "\n".join(map(shown, found))


def _decimal_points(line):
    return BASE_RATE.sub(r"\1\2.\3", line)


def _read_base_rate(part):
    day, _, rate = part.rstrip("% ").partition(" ")
    return f"{_iso_day(day)} {rate.strip()}"


def _shown_base_rate(part):
    day, _, rate = part.partition(" ")
    return (
        f"{formats.day(day, 'de')} {rate.strip().replace('.', ',')}" if times.is_date(day) else part
    )


def _exchange_rates(line):
    def plain(found):
        code, whole, decimals = found.groups()
        return f"{code.upper()}={whole}" + (f".{decimals}" if decimals else "")

    return EXCHANGE_RATE.sub(plain, line)


def _shown_exchange_rate(part):
    return part.replace(".", ",")


def _read_holiday(part):
    if part.lower() == "keine":
        return "none"
    if found := HOLIDAY.fullmatch(part):
        return f"{int(found[2]):02}-{int(found[1]):02}"
    if found := EASTER.fullmatch(part):
        days = re.sub(r"\s", "", found[1] or "+0")
        return f"easter{days}"
    return part


def _shown_holiday(part):
    if part.lower() == "none":
        return "keine"
    if found := re.fullmatch(r"(\d\d)-(\d\d)", part):
        return f"{found[2]}.{found[1]}."
    return part.replace("easter", "Ostern")


def account(text):
    """Return an IBAN in groups of four characters, and another number of an account as it is."""
    return grouped(compact(text)) if looks_like_iban(text) else text


def _read_account(part):
    return compact(part) if looks_like_iban(part) else part


def short_account(text):
    """Return the begin and the end of an account: `DE89…0130`."""
    plain = compact(text)
    return f"{plain[:4]}…{plain[-4:]}" if len(plain) > 12 else text


# option -> function of a line, before it is split into parts
PREPARED = {"base_rates": _decimal_points, "exchange_rates": _exchange_rates}
# option -> function of a part as it was typed
READ = {
    "bank_accounts": _read_account,
    "base_rates": _read_base_rate,
    "public_holidays": _read_holiday,
}
# (option, language or None for all) -> function of a part
SHOWN = {
    ("bank_accounts", None): account,
    ("base_rates", "de"): _shown_base_rate,
    ("exchange_rates", "de"): _shown_exchange_rate,
    ("public_holidays", "de"): _shown_holiday,
}


# Values that change on a day


def _iso_day(text):
    found = DAY.fullmatch(text)
    return f"{found[3]}-{int(found[2]):02}-{int(found[1]):02}" if found else text


def day_of(text):
    """Return the first day of a month such as 01.2027, 01/2027 or 2027-01, or a day. Else the text
    itself.
    """
    text = text.strip()
    if found := MONTH.fullmatch(text):
        month, year, other_year, other_month = found.groups()
        return f"{year or other_year}-{int(month or other_month):02}-01"
    return _iso_day(text)


def shown_day(day, language):
    """Return a day as somebody types it: the first one of a month as the month."""
    if not times.is_date(day):
        return day
    year, month, date = day.split("-")
    if language == "de":
        return f"{month}.{year}" if date == "01" else f"{date}.{month}.{year}"
    return f"{month}/{year}" if date == "01" else day


def entries(found):
    """Return (first day, word) of the parts of a value that changes, oldest first.

    The first day of the oldest one is "".
    """
    pairs = (part.rpartition(" ") for part in found)
    return sorted((day.strip(), word) for day, _, word in pairs)


def with_change(found, word, since, today):
    """Return the parts of a value that changes, after somebody has typed its last word and since
    when it holds.

    Without `since`, it has always held. What held before stays. The last entry is moved if it has
    not begun, or if only its day is another one; otherwise it stays, and a new one follows.
    """
    if not since:
        return [word]
    if not times.is_date(since):
        return [f"{since} {word}"]
    kept = entries(found)
    last_day, last_word = kept[-1]
    if last_day and (last_day > today or last_word == word):
        kept.pop()
    kept = [entry for entry in kept if entry[0] < since]
    if not kept or kept[-1][1] != word:
        kept.append((since, word))
    return [f"{day} {word}".strip() for day, word in kept]
