"""Values in the cells of a bank's CSV file: amounts."""

import re
from decimal import Decimal

# 0.125 has a decimal point: no group of thousands begins with 0.
NUMBERS = {  # decimal separator -> a number with or without separators of thousands
    ",": re.compile(r"([+-]?)([1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]{1,15})(?:,([0-9]{1,2}))?(-?)"),
    ".": re.compile(r"([+-]?)([1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]{1,15})(?:\.([0-9]{1,2}))?(-?)"),
}
UNIT = re.compile("(€|EUR)$")


def plain(text):
    """Return the text of an amount without spaces and unit, and with the minus of a keyboard."""
    text = text.replace("\u2212", "-").replace("\xa0", "").replace(" ", "")
    return UNIT.sub("", text)


def number(text, decimal):
    """Return the Decimal of an amount with this decimal separator, None if the text is none."""
    match = NUMBERS[decimal].fullmatch(plain(text))
    if not match or (match[1] and match[4]):
        return None
    value = Decimal(re.sub("[.,]", "", match[2]) + "." + (match[3] or "0"))
    return -value if "-" in (match[1], match[4]) else value
