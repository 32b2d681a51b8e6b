"""Read the values of XML elements: texts, numbers and dates, with an error that names the element."""

import re
from datetime import date
from decimal import Decimal

NAMESPACES = {
    "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
    "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
    "udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
    "qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
    "cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
    "cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
}
# xs:decimal with at most 20 digits before and behind the point: no exponent, no NaN.
NUMBER = re.compile(r"[+-]?(?=\.?\d)\d{0,20}(?:\.\d{0,20})?", re.ASCII)
DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(Z|[+-]\d\d:\d\d)?", re.ASCII)


def find(node, path):
    """Return the first element at the path, or None. The node may be None."""
    return None if node is None else node.find(path, NAMESPACES)


def find_all(node, path):
    """Return the elements at the path. The node may be None."""
    return [] if node is None else node.findall(path, NAMESPACES)


def content(node):
    """Return the text of an element without white space around it.

    A missing element is None, an empty one "".

    The line end behind a term of early payment (`#SKONTO#…#`) is part of the term (BR-DE-18) and
    stays.
    """
    if node is None:
        return None
    raw = node.text or ""
    text = raw.strip()
    return (
        text + "\n"
        if text.endswith("#") and "#SKONTO#" in text and raw.rstrip(" \t\r").endswith("\n")
        else text
    )


def text(node, path):
    """Return the text of the first element at the path, as `content` does."""
    return content(find(node, path))


def attribute(node, path, name):
    """Return an attribute of the first element at the path, or None."""
    found = find(node, path)
    value = None if found is None else found.get(name)
    return value and value.strip()


def number(node, path):
    """Return the first element at the path as Decimal, or None.

    Raise ValueError if it is no decimal number.
    """
    return decimal(find(node, path))


def decimal(node):
    """Return an element as Decimal, or None if it is None."""
    if node is None:
        return None
    value = content(node)
    if not NUMBER.fullmatch(value):
        raise ValueError(
            f"{local_name(node)} is {value[:60]!r}. It must be a number such as 1234.56, with at most 20 "
            "digits before and behind the point."
        )
    return Decimal(value)


def day(node, path):
    """Return the date at the path as 2026-11-20, or None. Raise ValueError if it is no date.

    CII writes 20261120 (format 102), UBL 2026-11-20 with a time zone or without.
    """
    found = find(node, path)
    value = content(found)
    if not value:
        return value
    parts = DAY.fullmatch(value)
    try:
        return date(*map(int, parts.groups()[:3])).isoformat()
    except (AttributeError, ValueError):
        raise ValueError(
            f"{local_name(found)} is {value[:60]!r}. It must be a date such as 20261120 in CII, or "
            "2026-11-20 in UBL."
        ) from None


def one_or_sum(nodes, path):
    """Return the sum of the amounts at the path of several elements, or None if one of them has
    none.
    """
    amounts = [number(node, path) for node in nodes]
    return sum(amounts, Decimal(0)) if amounts and None not in amounts else None


def of_vat(node, category, scheme):
    """Return the category of a tax, or None unless its scheme is VAT: the norm knows no other
    taxes.
    """
    return text(node, category) if (text(node, scheme) or "").upper() == "VAT" else None


def joined(nodes, path):
    """Return the texts at the path of several elements, separated by `; `, or None if no element
    has one.
    """
    texts = [found for node in nodes if (found := text(node, path)) is not None]
    return "; ".join(texts) if texts else None


def totals_of_tax(nodes, currency, tax_currency):
    """Return the VAT totals (BT-110, BT-111) of elements that have a currencyID. Each may be None."""
    own = [node for node in nodes if node.get("currencyID") == currency]
    own = own or [node for node in nodes if node.get("currencyID") != tax_currency]
    first = own[0] if own else None
    return decimal(first), decimal(next((node for node in nodes if node is not first), None))


def local_name(node):
    """Return the name of an element without its namespace."""
    return node.tag.rpartition("}")[2]
