"""The values of `format` in schemas: how each is checked, and the error text."""

import re

from eventapi import money, times
from eventapi.languages import choice, countries
from eventapi.validation import identifiers

# Not with `=?`: mail programs decode what follows.
EMAIL = re.compile(
    r"(?![^@]*=\?)[^\s@<>\"(),:;\\\[\]]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W_][\w-]{0,61}[^\W_]"
)
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}")
URL = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", re.I)
# A web address may lack the scheme, as people write it. Another scheme, such as javascript:, is no
# web address.
WEBSITE = re.compile(r"(?:https?://[^\s/?#@\\]+|[^\s/?#@\\:]+(?::\d{1,5})?)(?:[/?#]\S*)?", re.I)
LINE = re.compile("[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*")

# name -> function that returns the canonical form, or raises ValueError with a text that completes
# "must be …". A body receives the canonical form (conversion.py). A tax id has no wrong form here:
# that depends on the stored one, so that people/contacts.py checks it.
IDENTIFIERS = {
    "iban": identifiers.iban,
    "bic": identifiers.bic,
    "vat-id": identifiers.vat_id,
    "leitweg-id": identifiers.leitweg_id,
    "gln": identifiers.gln,
    "tax-id": identifiers.tidy_tax_id,
    "electronic-address": identifiers.electronic_address,
    "creditor-reference": identifiers.creditor_reference,
}


def identifier_fault(name: str, text: str) -> str:
    """Return what is wrong with an identifier as a text that completes "must be …"; "" if it is
    valid.
    """
    try:
        IDENTIFIERS[name](text)
    except ValueError as error:
        return str(error)
    return ""


# name -> (check, error text)
FORMATS = {
    "date": (times.is_date, "must be a date such as 2026-05-01"),
    "date-time": (
        times.is_timestamp,
        "must be a timestamp (RFC 3339) such as 2026-05-01T09:00:00Z",
    ),
    "day-or-moment": (
        times.is_date_or_timestamp,
        "must be a date such as 2026-05-01 or a timestamp such as 2026-05-01T09:00:00Z",
    ),
    "clock": (times.CLOCK.fullmatch, "must be a time of day such as 09:00"),
    "timezone": (times.is_zone, "must be an IANA time zone such as Europe/Berlin"),
    "email": (EMAIL.fullmatch, "must be an e-mail address"),
    "url": (URL.fullmatch, "must be a URL that begins with http:// or https://"),
    "website": (
        WEBSITE.fullmatch,
        "must be a web address such as https://www.example.org or www.example.org",
    ),
    "line": (
        LINE.fullmatch,
        "must be one line, without line breaks, tabs and other control characters",
    ),
    "country": (countries.NAMES.__contains__, "must be a country code (ISO 3166-1) such as DE"),
    "currency": (money.CURRENCIES.__contains__, "must be a currency code (ISO 4217) such as EUR"),
    "language": (LANGUAGE.fullmatch, "must be a language tag (BCP 47) such as de-AT"),
    "available-language": (
        lambda tag: LANGUAGE.fullmatch(tag) and choice.available(tag),
        f"must be an available language ({' or '.join(choice.AVAILABLE)}); de-AT counts as de",
    ),
}
FORMATS |= {
    name: (
        lambda text, name=name: not identifier_fault(name, text),
        f"must be {article} such as {example}",
    )
    for name, article, example in (
        ("iban", "an IBAN", "DE02120300000000202051"),
        ("bic", "a BIC", "BYLADEM1001"),
        ("vat-id", "a VAT id", "DE136695976"),
        ("leitweg-id", "a Leitweg-ID", "04011000-1234512345-06"),
        ("gln", "a GLN", "4012345000009"),
        ("electronic-address", "SCHEME:ID with a code of the EAS list", "0204:991-33333TEST-33"),
        (
            "tax-id",
            "a valid VAT id, or a national tax number without a country prefix,",
            "DE136695976 or 231/123/45678",
        ),
        ("creditor-reference", "a creditor reference", "RF18539007547034"),
    )
}
CHECKS = {name: check for name, (check, _) in FORMATS.items()}
