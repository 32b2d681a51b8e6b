"""Numbers in the texts of an import, as people and spreadsheet programs write them.

Of the signs point and comma, one separates groups of three digits and the other one the decimals.
Spaces and apostrophes only separate groups. So 1.250 and 1,250 can be read in two ways, all other
numbers in one. The decimal separator of the field decides between two ways: it is that of the
request, of the file, or what other numbers of the same field show.

It is determined before the first record is read and stored in the form of the file, as `decimal`
(of all fields, or None) and `decimals` (of single fields). So an import that continues after a
crash reads its records as before.
"""

import re
from decimal import Decimal

MAX_LENGTH = 28  # characters of a number: as many digits as a Decimal computes with
# there, a file with semicolons may also have points before the decimals
POINT_COUNTRIES = (
    "CH",
    "LI",
)
# The minus sign of typography, spaces that do not break a line, and apostrophes as people type
# them.
PLAIN = str.maketrans("\u2212\u00a0\u2007\u2009\u202f\u2019\u02bc", "-    ''")
GROUPS = str.maketrans("", "", "., '")
# Decimal separator -> a number with it. The sign between groups is the same everywhere in a number.
NUMBERS = {
    ".": re.compile(
        r"(-?)([1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?: [0-9]{3})+|(?:'[0-9]{3})+)|[0-9]+)(?:\.([0-9]+))?"
    ),
    ",": re.compile(
        r"(-?)([1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+|(?: [0-9]{3})+|(?:'[0-9]{3})+)|[0-9]+)(?:,([0-9]+))?"
    ),
}
# in each number that can be read in two ways
DOUBTFUL = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}(?![0-9])")
ONLY_COMMAS = "only commas"
# 1.250 was typed: no list of ours ends with a zero
AS_EXPORTED = re.compile(r"-?[0-9]+(?:\.[0-9]*[1-9])?")


class Ambiguous(ValueError):
    """A number can be read in two ways. `readings` maps each decimal separator to the number."""

    def __init__(self, readings):
        super().__init__(readings)
        self.readings = readings


def readings(text):
    """Return {decimal separator: number} with each way to read a text, {} for a text that is no
    number.
    """
    found = {separator: _reading(text, separator) for separator in NUMBERS}
    return {separator: number for separator, number in found.items() if number is not None}


def _reading(text, separator):
    """Return the number that a text is with this decimal separator, as a Decimal, or None."""
    match = len(text) <= MAX_LENGTH and NUMBERS[separator].fullmatch(text.translate(PLAIN))
    if not match:
        return None
    sign, whole, decimals = match.groups()
    return Decimal(f"{sign}{whole.translate(GROUPS)}.{decimals or 0}")


def read(text, decimal):
    """Return the number that a text means, as a Decimal, if numbers of its field have this decimal
    separator.

    `decimal` is None if nothing decides: then raise Ambiguous for a number that can be read in two
    ways. ONLY_COMMAS decides for 1,250 and not for 1.250. A number that can be read in one way is
    read so, whatever `decimal` is. Raise ValueError for a text that is no number.
    """
    if decimal == ONLY_COMMAS:
        decimal = "," if "," in text else None
    if decimal is None and not DOUBTFUL.search(text):
        decimal = "."  # all ways give the same number: a short cut
    if decimal and (number := _reading(text, decimal)) is not None:
        return number
    found = readings(text)
    if not found:
        raise ValueError(text)
    if len(set(found.values())) > 1:
        raise Ambiguous(found)
    return next(iter(found.values()))


def separator_of_file(form, country):
    """Return the decimal separator of all numbers of a file, or None if its form does not decide.

    Where a comma separates decimals, semicolons or tabs separate cells. `country` is that of the
    organiser.
    """
    if form["kind"] != "csv" or form["separator"] == ",":
        return None
    return ONLY_COMMAS if country in POINT_COUNTRIES else ","


def separators_of_fields(texts, *, is_own_list):
    """Return {field: decimal separator} of the fields whose numbers show it.

    `texts` are pairs of field and text.

    A number shows the separator if it can be read in one way only and not with both. Numbers of one
    field that show both decide nothing. Our own lists write a point and no groups: with
    `is_own_list`, the separator of a field is a point, unless another program or a person has
    written one of its numbers again, as far as that shows.
    """
    shown, as_exported = {}, {}
    for field, text in texts:
        found = readings(text)
        if not found:
            continue
        as_exported[field] = as_exported.get(field, True) and bool(AS_EXPORTED.fullmatch(text))
        if len(found) == 1:
            shown.setdefault(field, set()).update(found)
    decided = {
        field: next(iter(separators)) for field, separators in shown.items() if len(separators) == 1
    }
    if is_own_list:
        decided |= {field: "." for field, is_plain in as_exported.items() if is_plain}
    return decided


def plain(number):
    """Return a number as text, without exponent and trailing zeros: 1250 or 1.25."""
    return f"{number.normalize() + 0:f}"


def decimals(number):
    """Return how many decimals a number has, without zeros at its end."""
    return max(0, -number.normalize().as_tuple().exponent)
