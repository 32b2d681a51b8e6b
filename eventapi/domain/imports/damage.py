"""Telephone numbers and postal codes that a spreadsheet program has taken for numbers, and names
with line breaks.
"""

import re

PHONES = ("phone", "mobile", "fax")
NAMES = ("company_name", "first_name", "last_name", "city", "state", "badge_name")
# most texts are not: a quick test
LIKE_A_NUMBER = re.compile(r"\s*\+?[0-9]+(?:[.,eE][0-9.,eE+-]*)?\s*")
POWER = re.compile(r"\+?([0-9])(?:[.,]([0-9]{1,20}))?[eE]([+-][0-9]{1,3})")  # 4,93511E+11
CODE_WITH_DECIMALS = re.compile(r"([0-9]{1,20})[.,]0{1,9}")  # 1067.0
# 493023125101.0 or ,00; 030.0 may be meant
PHONE_WITH_DECIMALS = re.compile(r"([1-9][0-9]{6,20})[.,]0{1,2}")
# digits of a telephone number that begins with a calling code: national ones are shorter
MIN_INTERNATIONAL = 12
FOUR_DIGITS = re.compile("[0-9]{4}")
POSTAL_DIGITS = {"DE": 5, "AT": 4, "CH": 4, "LI": 4}


def faults(fields):
    """Yield the fault of each damaged telephone number and postal code of a record.

    A German postal code that lost its zero is found if the record names its country; otherwise
    `lost_zero` finds it, once the country is known.
    """
    for name in PHONES:
        text = fields.get(name)
        if (
            isinstance(text, str)
            and LIKE_A_NUMBER.fullmatch(text)
            and (fault := _phone_fault(name, text.strip()))
        ):
            yield fault
    text = fields.get("postal_code")
    if isinstance(text, str) and LIKE_A_NUMBER.fullmatch(text):
        country = fields.get("country")
        # JSON may have a list, which is refused later
        country = country if isinstance(country, str) else None
        if fault := _postal_code_fault(text.strip(), country) or lost_zero(text.strip(), country):
            yield fault


def lost_zero(postal_code, country):
    """Return the fault of a German postal code of four digits, or None."""
    if country != "DE" or not postal_code or not FOUR_DIGITS.fullmatch(postal_code):
        return None
    return _fault(
        "postal_code",
        f"is {postal_code}, but German postal codes have five digits: a spreadsheet program "
        f"has removed the zero at the beginning. Write 0{postal_code} in a column that is "
        "formatted as text, or correct the country",
        f"0{postal_code}",
    )


def on_one_line(name):
    """Return a name with a space for each line break and the blanks around it."""
    lines = name.splitlines()
    return " ".join(filter(None, map(str.strip, lines))) if len(lines) > 1 else name


def _phone_fault(field, text):
    """Return the fault of a telephone number that was written as a number, or None."""
    digits = _digits_of_number(text, PHONE_WITH_DECIMALS)
    if digits is None:
        return None
    suggestion = f"+{digits}" if len(digits) >= MIN_INTERNATIONAL else None
    write = (
        f"Write {suggestion}, if that is the number," if suggestion else "Write the number again"
    )
    return _fault(
        field,
        f"is {text}, because a spreadsheet program has taken the telephone number for a number. "
        f"{write} in a column that is formatted as text",
        suggestion,
    )


def _postal_code_fault(text, country):
    """Return the fault of a postal code that was written as a number, or None.

    `country` is the code of its country. Without one, that of the organiser is no ground for a
    suggestion: a contact that exists may live elsewhere.
    """
    digits = _digits_of_number(text, CODE_WITH_DECIMALS)
    if digits is None:
        return None
    suggestion = _postal_code(digits, country)
    write = f"Write {suggestion}" if suggestion else "Write the postal code"
    return _fault(
        "postal_code",
        f"is {text}, because a spreadsheet program has taken the postal code for a number. "
        f"{write} in a column that is formatted as text",
        suggestion,
    )


def _postal_code(digits, country):
    """Return the postal code that a number was, or None if that is not certain.

    Digits that begin with 0 were not written by a program that took them for a number.
    """
    if digits.startswith("0"):
        return None
    length = POSTAL_DIGITS.get(country)
    if country == "DE" and len(digits) == 4:
        return f"0{digits}"
    return digits if len(digits) == length else None


def _digits_of_number(text, with_decimals):
    """Return the digits of a number with an exponent or decimals, "" if some are lost.

    Return None for other text.
    """
    if match := with_decimals.fullmatch(text):
        return match[1]
    if match := POWER.fullmatch(text):
        digits = match[1] + (match[2] or "")
        return digits if len(digits) == int(match[3]) + 1 else ""
    return None


def _fault(field, detail, suggestion=None):
    fault = {"field": field, "code": "spreadsheet_damage", "detail": detail}
    if suggestion:
        fault["suggestion"] = suggestion
    return fault
