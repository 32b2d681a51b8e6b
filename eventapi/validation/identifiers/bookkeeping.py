"""Parsers of the options of the DATEV export: accounts, tax keys and numbers.

A parser returns the value of a text, or raises ValueError with a description of the values allowed.
Empty text becomes None, or an empty dict: whether an option is required depends on what is
exported.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

# Categories of EN 16931, without S: a rate of S is part of its name. Reverse charge (AE) and what
# is not taxed (O) may have an account for each region: domestic (HOME), other countries of the EU,
# and third countries. What a small business supplies shares no account with exempt services (E).
SMALL = "E_SMALL"
CATEGORIES = (
    "Z",
    "E",
    SMALL,
    "AE",
    "AE_HOME",
    "AE_EU",
    "AE_THIRD",
    "G",
    "K",
    "O",
    "O_HOME",
    "O_THIRD",
)

# Country -> its standard rate of VAT in hundredths of a percent. Member states of the EU: "VAT
# rates applied in the Member States", European Commission, January 2026. CH, LI: Art. 25 MWSTG. GB,
# NO: HMRC, Norwegian Tax Administration.
STANDARD_RATES = {
    "AT": 2000,
    "BE": 2100,
    "BG": 2000,
    "CY": 1900,
    "CZ": 2100,
    "DE": 1900,
    "DK": 2500,
    "EE": 2400,
    "ES": 2100,
    "FI": 2550,
    "FR": 2000,
    "GR": 2400,
    "HR": 2500,
    "HU": 2700,
    "IE": 2300,
    "IT": 2200,
    "LT": 2100,
    "LU": 1700,
    "LV": 2100,
    "MT": 1800,
    "NL": 2100,
    "PL": 2300,
    "PT": 2300,
    "RO": 2100,
    "SE": 2500,
    "SI": 2200,
    "SK": 2300,
    "CH": 810,
    "LI": 810,
    "GB": 2000,
    "NO": 2500,
}

SEPARATORS = " \t\n,"
PAIR = re.compile(r"(.+?)=([0-9:]+)(?=[\s,]|$)", re.S)


class Account(NamedTuple):
    """A ledger account, and the tax key that its bookings need: four digits, or an empty text."""

    number: str
    tax_key: str = ""


def optional(parse: Callable[[str], object]) -> Callable[[str], object]:
    """Return a parser that accepts empty text as None, and what `parse` accepts."""

    def parse_or_none(text):
        if not text:
            return None
        try:
            return parse(text)
        except ValueError as error:
            raise ValueError(f"{error}, or empty") from None

    return parse_or_none


def chart(text: str) -> str:
    """Accept the number of a chart of accounts: 03 (SKR03) or 04 (SKR04). Empty text stays empty."""
    if text not in ("", "03", "04"):
        raise ValueError("03 (SKR03), 04 (SKR04), or empty")
    return text


def first_of_month(text: str) -> str:
    """Return the first day of a month as MM-01, for a text such as 07 or 07-01."""
    found = re.fullmatch(r"(0[1-9]|1[0-2])(-01)?", text)
    if not found:
        raise ValueError("the first day of a month, such as 01-01 or 07-01")
    return f"{found[1]}-01"


def ledger_account(text: str) -> Account | None:
    """Return the account of a text such as 1200 or 1200:0003, None for empty text."""
    if not text:
        return None
    found = re.fullmatch(r"(?!0+(?::|$))(\d{4,8})(?::(\d{4}))?", text, re.ASCII)
    if not found:
        raise ValueError(
            "an account of 4 to 8 digits such as 1200, with a tax key of 4 digits if its bookings need "
            "one, such as 1200:0003, or empty"
        )
    return Account(found[1], found[2] or "")


def revenue_accounts(text: str) -> dict[str, Account]:
    """Return {tax category, with its rate for S: account} of a text such as `S19=8400 S7=8300
    AE=8337`.
    """
    found = _pairs(
        text,
        "accounts such as S19=8400 S7=8300 AE=8337: the tax category of EN 16931, for S with its "
        "rate, and the account, with a tax key if its bookings need one, such as S19=8200:0003",
    )
    for name in found:
        if name not in CATEGORIES and not re.fullmatch(r"S\d{1,3}(\.\d{1,2})?", name, re.ASCII):
            raise ValueError(
                f"accounts of the tax categories S with a rate, such as S19 or S5.5, and "
                f"{', '.join(CATEGORIES)}; {name} is none of them"
            )
    return {_normal(name): _account(name, value) for name, value in found.items()}


def gateway_accounts(text: str) -> dict[str, Account]:
    """Return {gateway_key: account} of a text such as `card=1361 paypal=1362`."""
    found = _pairs(
        text, "accounts such as card=1361 paypal=1362: the key of a gateway and its account"
    )
    return {name: _account(name, value) for name, value in found.items()}


def debtor_accounts(text: str) -> dict[str, int]:
    """Return {customer number: debtor account} of a text such as `ACME=10777`."""
    form = "debtor accounts such as ACME=10777: a customer number and an account of 5 to 9 digits"
    found = _pairs(text, form)
    if not all(re.fullmatch(r"\d{5,9}", value, re.ASCII) for value in found.values()):
        raise ValueError(form + ", or empty")
    return {name: int(value) for name, value in found.items()}


def revenue_name(category: str, rate: int) -> str:
    """Return the name in `datev_revenue` of a category and its rate in hundredths of a percent:
    S19, S5.5 or AE.
    """
    return f"S{Decimal(rate).scaleb(-2).normalize():f}" if category == "S" else category


def _normal(name):
    """Return the name as `revenue_name` writes it: S07.50 becomes S7.5."""
    return revenue_name("S", int(Decimal(name[1:]) * 100)) if name[0] == "S" else name


def _account(name, value):
    try:
        return ledger_account(value)
    except ValueError:
        raise ValueError(
            f"accounts of 4 to 8 digits, with a tax key of 4 digits if their bookings need one, such as "
            f"{name}=8400 or {name}=8200:0003; {value} is none"
        ) from None


def _pairs(text, form):
    """Return {name: value} of NAME=VALUE parts, which spaces or commas separate.

    A value has only digits and colons. So a name may contain spaces and commas, as keys of gateways
    do.
    """
    found, rest = {}, text.strip(SEPARATORS)
    while rest:
        pair = PAIR.match(rest)
        if pair is None:
            raise ValueError(f"{form}, or empty")
        name, value = pair.groups()
        if name in found:
            raise ValueError(f"{form}; {name} occurs twice")
        found[name], rest = value, rest[pair.end() :].strip(SEPARATORS)
    return found
