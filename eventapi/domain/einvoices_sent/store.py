"""The stored e-invoices: each is written once, when its invoice is sent, and is the original from
then on.

Other profiles and UBL are texts of the same invoice. They are made from the original when they are
asked for.
"""

import hashlib
import re
import zlib
from decimal import Decimal
from xml.sax.saxutils import unescape

from eventapi import money
from eventapi.domain.einvoices import cii, profiles, reading, ubl
from eventapi.domain.einvoices_sent.composing import in_profile
from eventapi.storage.statements import statements

sql = statements("e_invoices")

CII, UBL = "cii", "ubl"
WRITERS = {CII: cii.write, UBL: ubl.write}


def add(db, invoice_id, document):
    """Store the document of an invoice as CII, and return the hash of the XML. Call this inside a
    write transaction.
    """
    xml = cii.write(document)
    sha256 = hashlib.sha256(xml).hexdigest()
    db.run(sql.add, invoice_id=invoice_id, document=zlib.compress(xml, 9), sha256=sha256)
    db.run(sql.note_hash, invoice_id=invoice_id, sha256=sha256)
    return sha256


def get(db, invoice_id):
    """Return the XML of the original as bytes, or None if the invoice has none."""
    stored = db.value(sql.get, invoice_id=invoice_id)
    return stored and zlib.decompress(stored)


def derived(xml, profile, syntax):
    """Return an original in this profile and syntax, as (Document, bytes)."""
    document = reading.read(xml)
    if (profile, syntax) == (profiles.EN16931, CII):
        return document, xml
    document = in_profile(document, profile)
    return document, WRITERS[syntax](document)


# Checks of `eventapi check`


def check(db):
    """Yield a sentence for each e-invoice that is missing or damaged, or contradicts its row or the
    audit log.
    """
    for row in db.iterate(sql.all):
        number = row["invoice_number"]
        if row["document"] is None:
            yield f"{number}: its e-invoice is missing, but it has the hash {row['xml_sha256']}"
            continue
        try:
            xml = zlib.decompress(row["document"])
        except zlib.error as error:
            yield f"{number}: its e-invoice is damaged ({error})"
            continue
        if (
            hashlib.sha256(xml).hexdigest() != row["xml_sha256"]
            or row["sha256"] != row["xml_sha256"]
        ):
            yield f"{number}: its e-invoice has changed since it was sent: the hash is not {row['xml_sha256']}"
        elif row["journalled"] not in (None, row["xml_sha256"]):
            yield (
                f"{number}: its e-invoice was replaced: the hash is {row['xml_sha256']}, but {row['journalled']} in "
                "the audit entry of sending"
            )
        else:
            yield from _differences(row, xml)


# What the check compares. Reading each document completely would take minutes for a large show.
STATED = {
    "number": re.compile(rb"<rsm:ExchangedDocument>\s*<ram:ID>([^<]*)<"),
    "date": re.compile(rb"<ram:IssueDateTime>\s*<udt:DateTimeString format=\"102\">([0-9]*)<"),
    "currency": re.compile(rb"<ram:InvoiceCurrencyCode>([^<]*)<"),
    "tax": re.compile(rb"<ram:TaxTotalAmount [^>]*>([^<]*)<"),
    "total": re.compile(rb"<ram:GrandTotalAmount>([^<]*)<"),
}


def _differences(row, xml):
    """Yield a sentence for each field in which a document differs from the row of its invoice."""
    stated = {
        name: found and unescape(found[1].decode())
        for name, found in ((name, pattern.search(xml)) for name, pattern in STATED.items())
    }
    sign = -1 if row["invoice_type"] == "credit_note" else 1
    amounts = {
        name: _amount(sign * row[column], row["currency"])
        for name, column in (("tax", "tax_total"), ("total", "total"))
    }
    expected = {
        "number": row["invoice_number"],
        "date": row["issue_date"].replace("-", ""),
        "currency": row["currency"],
        **amounts,
    }
    for name, value in expected.items():
        if stated[name] != value:
            yield f"{row['invoice_number']}: its e-invoice says {name} {stated[name]}, but the invoice {value}"


def _amount(units, currency):
    """Return minor units as the document writes them: with two decimals, also in a currency that
    has none.
    """
    return f"{Decimal(units).scaleb(-money.decimals(currency)):.2f}"
