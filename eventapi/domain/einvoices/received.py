"""E-invoices among uploaded files: find the XML, also inside of a PDF, and what it says to the
bookkeeper.
"""

from eventapi.domain.einvoices import profiles, reading, rules, structure, ubl, unchecked
from eventapi.domain.einvoices.embedded import (
    BEGINNING,
    LIMIT,
    LONGEST_MARK,
    MARK_OR_REFERENCE,
    PDF,
    embedded,
)
from eventapi.validation import xml_documents

PIECE = 1 << 20  # bytes of a PDF in which a mark is searched at once
MAX_TEXT, MAX_TAXES, MAX_FAULTS = 300, 20, 50  # characters and entries that are kept
TEXTS = (
    "process",
    "number",
    "type_code",
    "issue_date",
    "due_date",
    "currency",
    "tax_currency",
    "buyer_reference",
    "order_reference",
    "preceding_number",
    "service_date",
    "service_from",
    "service_to",
    "means_code",
    "remittance",
    "iban",
    "bic",
    "account_name",
)
AMOUNTS = ("net_total", "tax_total", "tax_total_in_tax_currency", "total", "prepaid", "payable")
OLD_FORMAT = {
    "code": "old_format",
    "detail": "The file is an invoice of ZUGFeRD 1, whose data model is another one than that of EN 16931, so "
    "that it is not read as an e-invoice. Ask the sender for ZUGFeRD 2 or for an XRechnung.",
}
PARTY = ("name", "vat_id", "tax_number", "register_number", "id", "country")


def may_be(file):
    """Return whether a file may contain an e-invoice: XML that begins as one does, or a PDF with a
    mark of one.

    This is cheap, so that other files need no process.
    """
    beginning = file.read(BEGINNING)
    if not beginning.startswith(PDF):
        is_xml = beginning.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<")
        return is_xml and (reading.recognise(beginning) or reading.is_old(beginning))
    while not MARK_OR_REFERENCE.search(beginning):
        piece = file.read(PIECE)
        if not piece:
            return False
        beginning = beginning[-LONGEST_MARK:] + piece
    return True


def parse(file, _):
    """Yield what a file says as an e-invoice, if it is one: a dict of `e_invoice`, the field of
    schemas/document.json, and `warnings`. For one in an old format, `e_invoice` is None.

    This takes up to a second, and the file is a stranger's: call it in a process of its own
    (eventapi/parsing).
    """
    is_hybrid = file.read(len(PDF)) == PDF
    file.seek(0)
    content = embedded(file) if is_hybrid else file.read(LIMIT)
    found, warnings = summary(content, is_hybrid) if content else (None, [])
    if found or warnings:
        yield {"e_invoice": found, "warnings": warnings}


def summary(content, is_hybrid):
    """Return (terms and faults of an XML document, warnings), or (None, []) if it is no e-invoice
    after all.

    A document that cannot be read has no terms and one fault of the rule XML, which says why. One
    of ZUGFeRD 1 is (None, [a warning]).
    """
    if reading.is_old(content):
        return None, [OLD_FORMAT]
    try:
        root = xml_documents.parse(content)
    except ValueError as error:
        return _unreadable(None, is_hybrid, error), []
    syntax = reading.syntax(root)
    if syntax is None:
        return None, []
    try:
        document = reading.document(root)
        if not profiles.is_checked(document.profile):
            warnings = unchecked.warnings(root, document)
            return _terms(document, syntax, is_hybrid), warnings
    except ValueError as error:
        return _unreadable(syntax, is_hybrid, error), []
    faults = _faults(root, document)
    return {**_terms(document, syntax, is_hybrid), **_verdict(faults)}, []


def _faults(root, document):
    """Return the faults of the XML and of its terms."""
    of_structure = list(_faults_of_structure(root, document))
    known = {fault.rule for fault in of_structure}
    of_terms = rules.check(document, profiles.profile_of(document.profile))
    return [*of_structure, *(fault for fault in of_terms if fault.rule not in known)]


def _verdict(faults):
    """Return the fields that say whether an invoice keeps the rules of its profile."""
    return {
        "is_valid": all(is_warning for _, _, _, is_warning in faults),
        "faults": [
            {"rule": rule, "term": term, "detail": detail[:1000], "is_warning": is_warning}
            for rule, term, detail, is_warning in faults[:MAX_FAULTS]
        ],
    }


def _faults_of_structure(root, document):
    """Yield the faults of the XML that its terms do not show."""
    if wrong := structure.misplaced(root):
        yield rules.Fault("XSD", None, wrong)
    if found := structure.other_currency(root, {document.currency, document.tax_currency}):
        yield rules.Fault(
            "PEPPOL-EN16931-R051",
            "BT-5",
            f"{found[0]} is an amount in {found[1]}, but the currency of "
            f"the invoice is {document.currency}. Ask the sender which one counts.",
        )
    if structure.has_undecided_adjustment(root):
        yield rules.Fault(
            "PEPPOL-EN16931-R043",
            "BG-20",
            "An amount does not say whether it is a discount or a charge "
            "(ChargeIndicator). It counts as a discount here. Ask the sender which one it is.",
        )
    if profiles.profile_of(document.profile) != profiles.EN16931 and (
        name := structure.empty(root)
    ):
        yield rules.Fault(
            "PEPPOL-EN16931-R008", None, f"The XML contains the empty element {name}. Remove it."
        )


def _unreadable(syntax, is_hybrid, error):
    fault = {"rule": "XML", "term": None, "detail": str(error), "is_warning": False}
    return {
        "syntax": syntax,
        "is_hybrid": is_hybrid,
        "profile": None,
        "specification": None,
        "type": None,
        **dict.fromkeys((*TEXTS, *AMOUNTS)),
        "seller": dict.fromkeys(PARTY),
        "buyer": dict.fromkeys(PARTY),
        "taxes": [],
        "lines": 0,
        "is_valid": False,
        "faults": [fault],
    }


def _terms(document, syntax, is_hybrid):
    """Return the fields of an invoice whose rules are not checked."""
    return {
        "syntax": syntax,
        "is_hybrid": is_hybrid,
        "profile": profiles.profile_of(document.profile),
        "specification": _short(document.profile),
        "type": "credit_note" if document.type_code in ubl.CREDIT_NOTES else "invoice",
        **{name: _short(getattr(document, name)) for name in TEXTS},
        **{name: _number(getattr(document, name)) for name in AMOUNTS},
        "seller": _party(document.seller),
        "buyer": _party(document.buyer),
        "taxes": [
            {
                "category": _short(tax.category),
                "rate": _number(tax.rate),
                "net": _number(tax.net),
                "tax": _number(tax.tax),
                "reason": _short(tax.reason),
                "reason_code": _short(tax.reason_code),
            }
            for tax in document.taxes[:MAX_TAXES]
        ],
        "lines": len(document.lines),
        "is_valid": None,
        "faults": [],
    }


def _party(party):
    """Return the fields of a seller or a buyer. Some suppliers write the trading name alone."""
    fields = {name: _short(getattr(party, name)) for name in PARTY}
    return {**fields, "name": fields["name"] or _short(party.trading_name)}


def _short(text):
    """Return the first characters of a text in one line. An empty one is None."""
    return " ".join((text or "").split())[:MAX_TEXT] or None


def _number(number):
    """Return a Decimal as a JSON number. None stays None."""
    return (
        number
        if number is None
        else int(number)
        if number == number.to_integral_value()
        else float(number)
    )
