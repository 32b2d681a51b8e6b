"""Faulty e-invoices: one change of a sound document for each rule that a buyer's software refuses
invoices by.

The list of rules is that of a published set of faulty invoices. For those that our documents cannot
break, it says why.
"""

import random
from dataclasses import replace
from decimal import Decimal

from tests.support import einvoices
from tests.support.einvoices import BUYERS, SELLER, with_totals

D = Decimal


def sound(*groups, **terms):
    """Return an XRechnung with one line of 100.00 for each (category, rate), and further terms."""
    dice = random.Random(1)
    lines = tuple(
        einvoices.Line(
            id=str(number),
            name="Stand",
            quantity=D(4),
            unit="MTK",
            price=D(25),
            net=D("90.00"),
            discount=D("10.00"),
            discount_base=D("100.00"),
            discount_percent=D(10),
            discount_reason="Rabatt",
            category=category,
            rate=None if rate is None else D(rate),
        )
        for number, (category, rate) in enumerate(groups, start=1)
    )
    made = einvoices.Document(
        profile=einvoices.IDS["xrechnung"],
        process=einvoices.PROCESS,
        number="INV-2026-00017",
        issue_date="2026-11-20",
        type_code="380",
        currency="EUR",
        due_date="2026-12-04",
        buyer_reference="PO 4711",
        seller=SELLER,
        buyer=BUYERS[0],
        service_date="2027-04-16",
        means_code="58",
        iban="DE02120300000000202051",
        lines=lines,
    )
    return replace(
        with_totals(dice, einvoices.with_parties(dice, made, {group[0] for group in groups})),
        **terms,
    )


def taxed(**terms):
    return sound(("S", 19), ("S", 7), **terms)


def with_line(document, **terms):
    """Return the document with other terms of its first line."""
    return replace(document, lines=(replace(document.lines[0], **terms), *document.lines[1:]))


def with_tax(document, **terms):
    """Return the document with other terms of its first VAT breakdown."""
    return replace(document, taxes=(replace(document.taxes[0], **terms), *document.taxes[1:]))


def with_seller(document, **terms):
    return replace(document, seller=replace(document.seller, **terms))


def with_buyer(document, **terms):
    return replace(document, buyer=replace(document.buyer, **terms))


NO_CONTACT = {"contact_name": None, "contact_phone": None, "contact_email": None}
# Rule -> a document that breaks it
REFUSED = {
    "BR-02": taxed(number=None),
    "BR-21": with_line(taxed(), id=None),
    "BR-27": with_line(taxed(), price=D(-25), quantity=D(-4)),
    "BR-55": taxed(type_code="381", preceding=((None, "2026-11-01"),)),
    "BR-AE-02": with_buyer(sound(("AE", 0)), vat_id=None),
    "BR-AE-10": with_tax(sound(("AE", 0)), reason=None, reason_code=None),
    "BR-CL-01": taxed(type_code="999"),
    "BR-CL-04": taxed(currency="EUX"),
    "BR-CL-14": with_buyer(taxed(), country="XX"),
    "BR-CL-16": taxed(means_code="99"),
    "BR-CL-22": with_tax(sound(("AE", 0)), reason_code="VATEX-EU-XX"),
    "BR-CL-23": with_line(taxed(), unit="m2"),
    "BR-CL-25": with_buyer(taxed(), address_scheme="MAIL"),
    "BR-CO-04": with_line(taxed(), category=None, rate=None),
    "BR-CO-10": taxed(line_total=D("180.01")),
    "BR-CO-13": taxed(net_total=D("179.99")),
    "BR-CO-14": taxed(tax_total=D("23.39")),
    "BR-CO-15": taxed(total=D("203.41")),
    "BR-CO-16": taxed(payable=D("203.38")),
    "BR-CO-17": with_tax(taxed(), tax=D("20.10")),
    "BR-CO-18": taxed(taxes=()),
    "BR-CO-26": with_seller(sound(("E", 0)), id=None, register_number=None, vat_id=None),
    "BR-DE-1": taxed(means_code=None, iban=None, account_name=None, bic=None),
    "BR-DE-15": taxed(buyer_reference=None),
    "BR-DE-18": taxed(terms="#skonto#TAGE=14#PROZENT=2,00#\n"),
    "BR-DE-2": with_seller(taxed(), **NO_CONTACT),
    "BR-DE-23-a": taxed(iban=None),
    "BR-DE-4": with_seller(taxed(), postal_code=None),
    "BR-DE-5": with_seller(taxed(), contact_name=None),
    "BR-DE-6": with_seller(taxed(), contact_phone=None),
    "BR-DE-7": with_seller(taxed(), contact_email=None),
    "BR-DE-9": with_buyer(taxed(), postal_code=None),
    "BR-DEC-23": with_line(taxed(), net=D("90.001")),
    "BR-E-10": with_tax(sound(("E", 0)), reason=None),
    "BR-G-10": with_tax(sound(("G", 0)), reason=None, reason_code=None),
    "BR-O-02": with_seller(sound(("O", None)), vat_id="DE136695976"),
    "BR-O-05": with_line(sound(("O", None)), rate=D(0)),
    "BR-O-11": sound(("O", None), ("Z", 0)),
    "BR-S-02": with_seller(taxed(), vat_id=None, tax_number=None),
    "BR-S-08": with_tax(taxed(), net=D("90.01")),
    "BR-Z-09": with_tax(sound(("Z", 0)), tax=D("1.00")),
    "PEPPOL-EN16931-R001": taxed(process=None),
    "PEPPOL-EN16931-R010": with_buyer(taxed(), address=None, address_scheme=None),
    "PEPPOL-EN16931-R020": with_seller(taxed(), address=None, address_scheme=None),
    "PEPPOL-EN16931-R040": with_line(taxed(), discount=D("10.05")),
    "PEPPOL-EN16931-R041": with_line(taxed(), discount_base=None),
    "PEPPOL-EN16931-R130": with_line(taxed(), price_quantity=D(1), price_unit="C62"),
}
# Rule -> a document that only earns a warning
WARNED = {
    "BR-DE-17": taxed(type_code="386"),
    "BR-DE-19": taxed(iban="DE03120300000000202051"),
    "BR-DE-26": taxed(type_code="384"),
    "BR-DE-27": with_seller(taxed(), contact_phone="12"),
    "BR-DE-28": with_seller(taxed(), contact_email="rechnung.example"),
    "BR-DE-TMP-32": taxed(service_date=None),
    "PEPPOL-EN16931-R120": with_line(taxed(), quantity=D(5)),
    "SUM": replace(
        with_tax(taxed(), tax=D("17.11")),
        tax_total=D("23.41"),
        total=D("203.41"),
        payable=D("203.41"),
    ),
}
# Rules that no document of ours can break -> why not. The writers and the drawing of the PDF have
# their own tests.
IMPOSSIBLE = {
    "PEPPOL-EN16931-R008": "cannot be produced: writing.element leaves out each element without text",
    "XSD": "cannot be produced: the writers contain the order of elements, and reading refuses another one",
    "6.1.7.1-2": "cannot be produced: pypdf writes every stream of the PDF anew, with a line end before endstream",
    "6.2.4.3-4": "cannot be produced: every hybrid PDF has the output intent sRGB",
    "6.2.11.4.1-1": "cannot be produced: without an embedded font there is no hybrid PDF, only the XML",
    "6.6.2.1-1": "cannot be produced: every hybrid PDF has XMP metadata",
    "6.6.2.3.1-1": "cannot be produced: the XMP metadata declares the schema of the fields fx",
    "AF": "cannot be produced: the catalogue of every hybrid PDF names the file in AF",
    "AFRelationship": "cannot be produced: the file specification always has the relationship Alternative",
    "EMBEDDED": "cannot be produced: a hybrid PDF is only made together with its XML",
    "PAGES": "cannot be produced: the pages and the XML are made of the same stored invoice",
    "XMP": "cannot be produced: the conformance level in XMP is that of the profile en16931, the only one of a hybrid",
    "giro": "cannot be produced: a GiroCode is only made for an open amount in EUR and a valid IBAN",
}
