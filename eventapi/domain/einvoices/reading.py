"""Read e-invoices: recognise one by its first bytes, and read CII and UBL to a document."""

import re

from eventapi.domain.einvoices import reading_cii, reading_ubl
from eventapi.domain.einvoices.structure import misplaced
from eventapi.domain.einvoices.values import NAMESPACES, local_name
from eventapi.validation import xml_documents

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
ROOTS = {
    f"{{{NAMESPACES['rsm']}}}CrossIndustryInvoice": ("CII", reading_cii.document),
    f"{{{UBL}Invoice-2}}Invoice": ("UBL", reading_ubl.document),
    f"{{{UBL}CreditNote-2}}CreditNote": ("UBL", reading_ubl.document),
}
# ZUGFeRD 1 and its precursor, whose data model is another one
OLD = "urn:ferd:"
OLD_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?(?:CrossIndustryDocument|Invoice)\s")
BEGINNING = 8192  # characters that contain the start of the root element
ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?(CrossIndustryInvoice|Invoice|CreditNote)\s")
MAX_PARTS = 5000  # of those that an invoice has many of: reading and checking a line takes 0.4 ms
PARTS = (
    "IncludedSupplyChainTradeLineItem",
    "ApplicableTradeTax",
    "SpecifiedTradeAllowanceCharge",
    "IncludedNote",
    "InvoiceLine",
    "CreditNoteLine",
    "TaxSubtotal",
    "AllowanceCharge",
    "Note",
)
MARKS = {
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b"<\x00": "utf-16-le",
    b"\x00<": "utf-16-be",
}


def recognise(data):
    """Return True if the bytes begin as an e-invoice in CII or UBL does.

    Only the first 8 KB are looked at.

    The rest may be wrong: `read` says so.
    """
    text = _beginning(data)
    root = ROOT.search(text) if text.startswith("<") else None
    return bool(root) and any(tag[1:].partition("}")[0] in text[root.start() :] for tag in ROOTS)


def is_old(data):
    """Return True if the bytes begin as an invoice of ZUGFeRD 1 does, which is not read."""
    text = _beginning(data)
    root = OLD_ROOT.search(text) if text.startswith("<") else None
    return bool(root) and OLD in text[root.start() :] and not recognise(data)


def _beginning(data):
    """Return the first characters of an XML file without white space before them."""
    start = data[: 2 * BEGINNING]
    text = start.decode(MARKS.get(start[:2], "utf-8"), "replace")[:BEGINNING]
    return text.lstrip("\ufeff \t\r\n")


def read(data):
    """Return the document that the bytes of an XML file contain.

    Raise ValueError if it is not sound XML, no e-invoice, in the wrong order, or if a number or a
    date is none.
    """
    root = xml_documents.parse(data)
    wrong = misplaced(root)
    if wrong:
        raise ValueError(wrong)
    return document(root)


def document(root):
    """Return the document of a root element, whatever the order of its elements.

    Raise ValueError as `read` does.
    """
    parts = sum(1 for node in root.iter() if local_name(node) in PARTS)
    if parts > MAX_PARTS:
        raise ValueError(
            f"The invoice has {parts} lines, discounts, VAT breakdowns and notes. At most {MAX_PARTS} can "
            "be read. Ask the sender to divide it."
        )
    if root.tag not in ROOTS:
        raise ValueError(
            f"The XML is no e-invoice of EN 16931: its root element is {root.tag[:200]!r}. It must be a "
            "CrossIndustryInvoice of CII D16B, or an Invoice or CreditNote of UBL 2."
        )
    return ROOTS[root.tag][1](root)


def syntax(root):
    """Return the syntax of a root element, `CII` or `UBL`, or None if it is no e-invoice."""
    return ROOTS[root.tag][0] if root.tag in ROOTS else None
