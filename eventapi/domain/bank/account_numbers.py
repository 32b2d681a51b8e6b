"""Accounts as files name them: by IBAN, by the old number inside the IBAN, or by the number of an
account that has no IBAN.
"""

import re

from eventapi.validation.identifiers.accounts import looks_like_iban

# country -> digits of the bank code, which stands in an IBAN before the number of the account
BANK_CODES = {"DE": 8, "AT": 5, "CH": 5, "LI": 5}


def is_same(iban, name):
    """Return whether this is the name of the account in a file: its IBAN, or the old number, with or
    without the bank code before it.

    An account of a country without IBAN has one number, which may be written with signs between.
    """
    if iban == name:
        return True
    number = re.sub("[/-]", "", name)
    if not looks_like_iban(iban):
        return number == re.sub("[/-]", "", iban)
    if not number.isdecimal():
        return False
    digits = BANK_CODES.get(iban[:2])
    if digits is None:
        return iban.endswith(number.zfill(10))
    code, own = iban[4 : 4 + digits], iban[4 + digits :]
    shortest = len(own.lstrip("0"))
    numbers = [own[len(own) - length :] for length in range(shortest, len(own) + 1)]
    return number in numbers or number.removeprefix(code) in numbers


def resolved(name, accounts):
    """Return the IBAN of the only one of these accounts that has this name in a file, or the name.

    Two accounts at different banks may have the same old number, which then names none of them.
    """
    if name is None:
        return None
    found = [iban for iban in accounts if is_same(iban, name)]
    return found[0] if len(found) == 1 else name
