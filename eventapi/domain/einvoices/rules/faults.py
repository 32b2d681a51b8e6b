"""A fault of a document, and how parts of a document are named in it."""

from typing import NamedTuple

from eventapi.validation import identifiers


class Fault(NamedTuple):
    """A rule that a document breaks.

    rule: its id in the norm (BR-CO-10), in XRechnung (BR-DE-15) or in Peppol (PEPPOL-EN16931-R010); SUM and IBAN are
    our own. term: the business term or group, such as BT-10. detail: value, cause and remedy in
    English.
    """

    rule: str
    term: str
    detail: str
    is_warning: bool = False


def missing(rule, term, what, remedy="Add it."):
    """Return the fault of a term that a document must contain."""
    return Fault(rule, term, f"The {what} ({term}) is missing. {remedy}")


def wrong_iban(rule, account):
    """Yield a warning if an account (BT-84) is not an IBAN with matching check digits."""
    try:
        identifiers.iban(account)
    except ValueError as fault:
        yield Fault(
            rule,
            "BT-84",
            f"The account {account[:60]!r} (BT-84) must be {fault}. Correct it.",
            True,
        )


def name_of_line(number, line):
    """Return what identifies a line in a detail, such as `Line 2 (Catalogue entry)`.

    `number` counts from 1.
    """
    name = " ".join((line.name or "").split())
    return f"Line {number} ({name[:60]})" if name else f"Line {number}"


def adjustments(document):
    """Yield (name, part, is_charge) of each discount and charge on the whole document: `Discount 1
    on the invoice`.
    """
    for kind, parts in (("Discount", document.allowances), ("Charge", document.charges)):
        for number, part in enumerate(parts, start=1):
            yield f"{kind} {number} on the invoice", part, kind == "Charge"
