"""One option of the configuration: its default, its parser, and where people change it."""

import re
from dataclasses import dataclass

# Kinds of an option: how its text reads as a value of the API.
TEXT = "text"
NUMBER = "number"
BOOLEAN = "boolean"  # yes or no in the text
LINES = "lines"  # separated by ` | `
LIST = "list"

# Pages of the desk on which an option is changed. The others stay with the administrator.
COMPANY = "company"
BANK = "bank"
TAXES = "taxes"
INVOICES = "invoices"
DUNNING = "dunning"
MAILS = "mails"
LOOK = "look"
DATEV = "datev"
ADMINISTRATOR = "administrator"
PAGES = (COMPANY, BANK, TAXES, INVOICES, DUNNING, MAILS, LOOK, DATEV)

# what stands between the pairs of a list such as `CHF=1.06 USD=0.92`
BETWEEN = re.compile(r"[\s,]+")


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        default: the default as text.
        parse: function that returns the value of a text, or raises ValueError with what is allowed.
        page: page of the desk on which it is changed, or ADMINISTRATOR.
        description: its description in eventapi.conf(5).
        kind: how its text reads as a value of the API.
        separator: what stands between the parts of a list.
    """

    name: str
    default: str
    parse: object
    page: str
    description: str
    kind: str = TEXT
    separator: str = ", "

    @property
    def is_setting(self) -> bool:
        """Return whether the organiser can change it, as a setting in the database."""
        return self.page in PAGES

    def parts(self, text: str) -> list[str]:
        """Return the parts of the text of an option with several lines or a list."""
        if self.kind == LINES:
            found = text.split(" | ")
        elif self.separator == " ":
            found = _pairs(text)
        else:
            found = text.split(",")
        return [part.strip() for part in found if part.strip()]

    def text_of(self, parts: list[str]) -> str:
        """Return the text of parts: the reverse of `parts`."""
        return (" | " if self.kind == LINES else self.separator).join(parts)


def _pairs(text):
    """Return the pairs of a text such as `ACME=10777 Muster & Co=10778`. A name may contain spaces."""
    name, *pieces = text.split("=")
    found = []
    for piece in pieces:
        value, *following = BETWEEN.split(piece, maxsplit=1)
        found.append(f"{name.strip()}={value}")
        name = following[0] if following else ""
    return [*found, name]
