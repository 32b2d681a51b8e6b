"""Values in the cells of a bank's CSV file: amounts and days, and how a whole file writes them."""

import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache

from eventapi.domain.bank import entries
from eventapi.domain.bank.entries import Refused

THOUSANDS = {",": ".'", ".": ",'"}  # decimal separator -> separators of thousands
# minus signs and dashes, apostrophes and spaces that programs write -> those of a keyboard
KEYBOARD = str.maketrans(
    dict.fromkeys("\u2212\u2013\u2012\u2010\u2011", "-")
    | dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'")
    | dict.fromkeys("\xa0\u2007\u2009\u202f", " ")
)
PLACES = 2  # most decimals of an amount
UNIT = re.compile("(€|EUR)$")
GERMAN_DATE = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}|[0-9]{2})")
ISO_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?")
TIME = r"(?:[T ,]+[0-9:.]+ ?(?:[AaPp][Mm]|Z|[+-][0-9:]+)?)?"
DATE = re.compile(rf"([0-9]{{1,4}})([./-])([0-9]{{1,2}})\2([0-9]{{1,4}}){TIME}")
ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}  # places of year, month, day
# Possessive: a cell of 100,000 digits is read once, and not again from each of them.
LIKE_AMOUNT = re.compile("[.,'+-]*+[0-9][0-9.,'+-]*+(?:€|[A-Z]{3})?")
PART_OF_DAY = re.compile("[0-9][0-9./:T -]*")


@dataclass(frozen=True)
class Style:
    """How a file writes amounts and days.

    decimal: the decimal separator. thousands: the separators of thousands that are allowed, or "".
    dates: the order of a day that is written with slashes or hyphens, also with dots if `is_told`;
    None reads only days such as 31.12.2026 and 2026-12-31.
    """

    decimal: str
    thousands: str
    dates: str | None = None
    is_told: bool = False


def of_bank(decimal):
    """Return the Style of a bank that is known."""
    return Style(decimal, THOUSANDS[decimal][0])


def plain(text):
    """Return the text of an amount with the signs of a keyboard, and without spaces around it."""
    return text.translate(KEYBOARD).strip()


def number(text, style, places=PLACES):
    """Return the Decimal of an amount, None if the text is none.

    A space separates thousands in any Style, but nothing else: 119 00 has lost its comma.
    """
    pattern = _pattern(style.decimal, style.thousands, places)
    match = pattern.fullmatch(UNIT.sub("", plain(text)).strip())
    if not match or (match["sign"] and match["last"]):
        return None
    value = Decimal(re.sub("[.,' ]", "", match["whole"]) + "." + (match["part"] or "0"))
    return -value if "-" in (match["sign"], match["last"]) else value


@cache
def _pattern(decimal, thousands, places):
    """Return the pattern of an amount. 0.125 has a decimal point: no group begins with 0."""
    group = f"(?P<mark>[{thousands} ])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
    whole = f"[1-9][0-9]{{0,2}}{group}|[0-9]{{1,15}}"
    part = f"(?:[{decimal}](?P<part>[0-9]{{1,{places}}}))?"
    return re.compile(f"(?P<sign>[+-]?) {{0,9}}(?P<whole>{whole}){part} {{0,9}}(?P<last>-?)")


def is_like_amount(text):
    """Return whether a text is an amount, or was one before it was damaged."""
    return bool(LIKE_AMOUNT.fullmatch(plain(text).replace(" ", "")))


def is_like_day(text):
    """Return whether a text is a day, or was one before it was cut off."""
    return bool(DATE.fullmatch(text) or PART_OF_DAY.fullmatch(text))


def day(text, style):
    """Return a day as ISO text. Raise ValueError if the text is none between 2000 and 2099."""
    if style.dates is None:
        german, iso = GERMAN_DATE.fullmatch(text), ISO_DATE.fullmatch(text)
        if not german:
            return entries.day(date.fromisoformat(iso[1] if iso else text))
        number, month, year = german.groups()
        return entries.day(date(_full(year), int(month), int(number)))
    found = DATE.fullmatch(text)
    if not found:
        raise ValueError
    parts, order = [found[1], found[3], found[4]], style.dates
    if found[2] == "." and not style.is_told:
        order = "dmy"
    if len(parts[0]) == 4:
        order = "ymd"
    year, month, number = (parts[place] for place in ORDERS[order])
    if len(year) not in (2, 4) or len(month) > 2 or len(number) > 2:
        raise ValueError
    return entries.day(date(_full(year), int(month), int(number)))


def _full(year):
    """Return the number of a year that is written with two digits, or with four."""
    return int(year) + (2000 if len(year) == 2 else 0)


class Finder:
    """Finds the Style of a file whose columns a request names, from all its rows.

    `told` has what the request says of it: "decimal", "thousands", "dates".
    """

    def __init__(self, told):
        self.told = told
        self.decimals, self.orders = {",", "."}, {"dmy", "mdy"}
        self.number, self.date = None, None  # the first (line, column, text) with two meanings

    def add_amount(self, line, column, text):
        """Look at the cell of an amount."""
        values = {mark: number(text, self._style(mark), places=3) for mark in THOUSANDS}
        possible = {mark for mark, value in values.items() if value is not None}
        if not possible:
            return
        self.decimals &= possible
        if len(set(values.values())) > 1 and len(possible) > 1 and not self.number:
            self.number = (line, column, text)

    def add_day(self, line, column, text):
        """Look at the cell of a day."""
        found = DATE.fullmatch(text)
        if not found or found[2] == "." or len(found[1]) == 4:
            return
        first, second = int(found[1]), int(found[3])
        possible = {"dmy"} if second <= 12 else set()
        possible |= {"mdy"} if first <= 12 else set()
        self.orders &= possible
        if first != second and not self.date:
            self.date = (line, column, text)

    def style(self):
        """Return the Style. Raise Refused if amounts or days may mean two things."""
        dates, style = self.told.get("dates"), self._style(self._decimal())
        return replace(style, dates=dates or self._order(), is_told=bool(dates))

    def _style(self, decimal):
        """Return the Style with this decimal separator and what the request says."""
        told = self.told.get("thousands")
        thousands = THOUSANDS[decimal] if told is None else told.strip()
        return Style(decimal, thousands.replace(decimal, ""))

    def _decimal(self):
        told, thousands = self.told.get("decimal"), self.told.get("thousands")
        if told:
            return told
        if thousands in THOUSANDS:
            return next(mark for mark in THOUSANDS if mark != thousands)
        if self.decimals == {",", "."} and self.number:
            line, column, text = self.number
            raise Refused(
                "ambiguous_number",
                f'Line {line}, column "{column}": "{text[:60]}" may be a number with thousands or with decimals, '
                "and no other amount of the file decides it. Send decimal_separator, the sign before the decimals.",
            )
        return "." if self.decimals == {"."} else ","

    def _order(self):
        if self.orders == {"dmy", "mdy"} and self.date:
            line, column, text = self.date
            raise Refused(
                "ambiguous_dates",
                f'Line {line}, column "{column}": in "{text[:60]}", the day or the month may come first, and no other '
                "row of the file decides it. Send dates=dmy or dates=mdy.",
            )
        return "mdy" if self.orders == {"mdy"} else "dmy"
