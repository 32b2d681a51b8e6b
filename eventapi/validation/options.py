"""Parsers of the values in the configuration.

A parser returns the value of a text, or raises ValueError with a description of the values allowed.
"""

import ipaddress
import re
import shlex
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from string import Formatter

from eventapi import images, money, times, working_days
from eventapi.languages import choice
from eventapi.validation.formats import EMAIL


def line(text: str) -> str:
    """Accept any text."""
    return text


def lines(most: int) -> Callable[[str], tuple[str, ...]]:
    """Return a parser of at most `most` lines, which ` | ` separates. It returns a tuple."""

    def parse(text):
        found = tuple(part.strip() for part in text.split(" | ") if part.strip())
        if len(found) > most:
            raise ValueError(f"at most {most} lines, separated by ' | '; it has {len(found)}")
        return found

    return parse


def color(text: str) -> str:
    """Return a colour such as #23694a in lower case."""
    if not re.fullmatch("#[0-9A-Fa-f]{6}", text):
        raise ValueError("a colour such as #23694a")
    return text.lower()


def folder(text: str) -> Path:
    """Accept the path of a directory."""
    if not text:
        raise ValueError("a directory")
    return Path(text)


def optional_folder(text: str) -> Path | None:
    """Accept the path of a directory, or empty text, which results in None."""
    return Path(text) if text else None


def words(text: str) -> tuple[str, ...]:
    """Accept a command line: words, with quotes as in a shell. Return them."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise ValueError("a command whose quotes are closed") from None


def address(text: str) -> str:
    """Accept an address to listen on."""
    if not re.fullmatch(r"unix:/\S+|(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}", text):
        raise ValueError("HOST:PORT or unix:/path")
    return text


def web_address(text: str) -> str:
    """Accept an HTTP URL, without a trailing slash, or empty text."""
    if text and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", text):
        raise ValueError("an address such as https://events.example.org, or empty")
    return text.rstrip("/")


def linked_address(text: str) -> str:
    """Accept an HTTP URL that public pages link, without a trailing slash, or empty text.

    A user name in it looks like the name of a host (`https://show.example@other.example`), and
    browsers read a backslash as a slash.
    """
    if "\\" in text:
        raise ValueError("an address without a backslash, such as https://events.example.org")
    if re.match(r"https?://[^/?#]*@", text):
        raise ValueError(
            "an address without a user name, such as https://events.example.org: the host is what "
            "follows the @"
        )
    return web_address(text)


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of integers from `low` to `high`."""

    def parse(text):
        if not re.fullmatch(r"\d{1,9}", text) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)

    return parse


def optional_percent(text: str) -> int | None:
    """Return a percentage with at most two decimals as hundredths of a percent, or None for an
    empty text.
    """
    if not text:
        return None
    try:
        rate = money.scaled(Decimal(text), 2)
    except InvalidOperation:
        rate = None
    if rate is None or not 0 <= rate <= 10000:
        raise ValueError("a percentage from 0 to 100 with at most two decimals")
    return rate


def amount(text: str) -> Decimal:
    """Return an amount of the currency of this server, not negative.

    An option is parsed without the others, so `check_decimals` compares the amount with the
    currency afterwards.
    """
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        raise ValueError("an amount such as 5.00")
    return Decimal(text)


def check_decimals(number: Decimal, currency: str) -> None:
    """Raise ValueError if an amount has more decimals than its currency."""
    if money.minor(number, currency) is not None:
        return
    places = money.decimals(currency)
    example = f"{5:.{places}f}"
    if not places:
        raise ValueError(
            f"an amount without decimals, as the currency {currency} has none, such as {example}"
        )
    raise ValueError(
        f"an amount with at most {places} decimals, as the currency {currency} has, such as {example}"
    )


def exchange_rates(text: str) -> dict[str, Decimal]:
    """Return {currency: rate} of a text such as `CHF=1.06 USD=0.92`."""
    rates = {}
    for part in text.split():
        found = re.fullmatch(r"([A-Z]{3})=(\d{1,5}(?:\.\d{1,10})?)", part)
        if not found or found[1] not in money.CURRENCIES or not Decimal(found[2]):
            raise ValueError(
                "currencies with the price of one unit, at most 10 decimals, such as CHF=1.06 USD=0.92"
            )
        rates[found[1]] = Decimal(found[2])
    return rates


def base_rates(text: str) -> tuple[tuple[str, int], ...]:
    """Return base rates as a tuple of (date, hundredths of a percent), oldest first.

    Each is a date and a rate, such as `2026-01-01 1.27`; rates may be negative.
    """
    found = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"(\d{4}-\d{2}-\d{2})\s+(-?\d{1,2}(?:\.\d{1,2})?)", part)
        if not match or not times.is_date(match[1]) or match[1] in found:
            raise ValueError(
                "a list of dates and rates in percent, separated by commas, such as "
                "2026-01-01 1.27, 2026-07-01 1.27, with each date once"
            )
        found[match[1]] = int(Decimal(match[2]).scaleb(2))
    return tuple(sorted(found.items()))


FIRST_DAY = "0001-01-01"  # of the value before any date


def tax_basis(text: str) -> tuple[tuple[str, str], ...]:
    """Return tax bases as a tuple of (first day, basis), oldest first, such as `supply, 2028-01-01
    payment`.
    """
    return _dated(
        text,
        ("supply", "payment", "issue_date"),
        "supply, payment or issue_date, and after a comma a date and the basis from that day on, "
        "such as supply, 2028-01-01 payment, with each date once",
    )


def small_business(text: str) -> tuple[tuple[str, str], ...]:
    """Return whether the organiser is a small business, as a tuple of (first day, no or yes), oldest
    first, such as `yes, 2028-01-01 no`.
    """
    return _dated(
        text,
        ("no", "yes"),
        "no or yes, and after a comma a date and the word from that day on, such as yes, 2028-01-01 no, "
        "with each date once",
    )


def _dated(text, words, form):
    """Return (first day, word) of each part of a text, oldest first. Raise ValueError `form`."""
    found = {}
    for place, part in enumerate(text.split(",")):
        day, _, word = part.strip().rpartition(" ")
        day = day.strip()
        if place == 0 and not day:
            day = FIRST_DAY
        if word not in words or not times.is_date(day) or day in found:
            raise ValueError(form)
        found[day] = word
    if FIRST_DAY not in found:
        raise ValueError(form)
    return tuple(sorted(found.items()))


def value_on(option: tuple[tuple[str, str], ...], day: str) -> str:
    """Return the value of a dated option on a day."""
    return [value for since, value in option if since <= day][-1]


def public_holidays(text: str) -> working_days.Holidays | None:
    """Return Holidays, empty ones for `none`, or None for empty text: those of the organiser's
    country.
    """
    if not text:
        return None
    try:
        return working_days.holidays("" if text.lower() == "none" else text)
    except ValueError:
        raise ValueError(
            "a list of days as MM-DD or easter+N, separated by commas, such as 12-25, easter-2, easter+1; "
            "or none, or empty"
        ) from None


def zone(text: str) -> str:
    """Accept the name of an IANA time zone."""
    if not times.is_zone(text):
        raise ValueError("an IANA time zone such as Europe/Berlin (is tzdata installed?)")
    return text


def currency(text: str) -> str:
    """Accept an ISO 4217 code."""
    if text not in money.CURRENCIES:
        raise ValueError("an ISO 4217 code such as EUR")
    return text


def country(text: str) -> str:
    """Accept an ISO 3166-1 code with two letters."""
    if not re.fullmatch(r"[A-Z]{2}", text):
        raise ValueError("an ISO 3166-1 code such as DE")
    return text


def language(text: str) -> str:
    """Return an available language for its tag. Empty text stays empty."""
    if text and not choice.available(text):
        raise ValueError(f"one of {', '.join(choice.AVAILABLE)}, or empty")
    return choice.available(text) or ""


def number_format(text: str) -> str:
    """Accept a format for numbers of invoices, as for str.format."""
    form = "text that contains {year} and {seq}, such as INV-{year}-{seq:05}"
    if not re.fullmatch(r"[\w./{}: -]{1,60}", text) or "{seq" not in text or "{year}" not in text:
        raise ValueError(form)
    try:
        fields = [(name, spec) for _, name, spec, _ in Formatter().parse(text) if name is not None]
    except ValueError:
        raise ValueError(form) from None
    if {name for name, _ in fields} != {"year", "seq"} or any("{" in spec for _, spec in fields):
        raise ValueError(form)
    if any(re.search(r"\d{3}", spec) for _, spec in fields):
        raise ValueError(f"{form}, with at most 99 digits")
    # {seq:c} makes characters of numbers, and {seq:.0e} the same one of several
    if not all(re.fullmatch("[ 0-9_-]*[bdnoxX]?", spec) for _, spec in fields):
        raise ValueError(form)
    try:
        text.format(year=2026, seq=1)
    except ValueError:
        raise ValueError(form) from None
    return text


def picture(path: str) -> images.Image | None:
    """Return the Image in a PNG or JPEG file, or None for empty text."""
    try:
        return images.load(Path(path).read_bytes()) if path else None
    except (OSError, images.Broken) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(
            f"the path of a PNG or JPEG of at most 1 MiB and 4 megapixels, or empty ({reason})"
        ) from None


def one_of(*words: str) -> Callable[[str], str]:
    """Return a parser of these words, in any case."""

    def parse(text):
        if text.lower() not in words:
            raise ValueError("one of " + ", ".join(words))
        return text.lower()

    return parse


def mailbox(text: str) -> str:
    """Accept an e-mail address, or empty text."""
    if text and not EMAIL.fullmatch(text):
        raise ValueError("an email address such as office@example.org, or empty")
    return text


def identifier(check: Callable[[str], str]) -> Callable[[str], str]:
    """Return a parser that returns the canonical form of an identifier, and a wrong one unchanged.

    A wrong identifier must not prevent the start; identifiers/organiser.py reports it.
    """

    def parse(text):
        try:
            return check(text) if text else ""
        except ValueError:
            return text

    return parse


def accounts(text: str) -> tuple[str, ...]:
    """Return a tuple of IBANs without spaces.

    A wrong one is among them; identifiers/organiser.py reports it.
    """
    return tuple(re.sub(r"\s", "", part).upper() for part in text.split(",") if part.strip())


def networks(text: str) -> tuple:
    """Return a tuple of ip_network objects."""
    try:
        return tuple(ipaddress.ip_network(part) for part in re.split(r"[\s,]+", text) if part)
    except ValueError:
        raise ValueError(
            "a list of addresses or networks such as 192.0.2.7 or 10.1.0.0/16, separated by commas"
        ) from None


def origins(text: str) -> tuple[str, ...]:
    """Return a tuple of origins (RFC 6454) such as https://www.example.org."""
    found = tuple(part for part in re.split(r"[\s,]+", text) if part)
    if not all(
        re.fullmatch(r"https?://(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?", origin)
        for origin in found
    ):
        raise ValueError(
            "a list of origins such as https://www.example.org, in lower case, without a path, separated "
            "by commas (`*` is not supported)"
        )
    return found
