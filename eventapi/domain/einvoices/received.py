"""E-invoices among uploaded files: find the XML, also inside of a PDF, and what it says to the
bookkeeper.

A hybrid PDF (ZUGFeRD, Factur-X) contains the XML as an embedded file. The search for it does not
build the structure of the PDF: it looks for streams that are marked as an embedded file or as XML,
and unpacks the beginning of the first ones: at most MAX_MARKS, with MAX_DICTIONARY bytes on each
side and BEGINNING bytes of the content. The process limits the time.
"""

import mmap
import re
import zlib

from eventapi.domain.einvoices import profiles, reading, rules, structure, ubl
from eventapi.validation import xml_documents

PDF = b"%PDF-"
PIECE = 1 << 20  # bytes of a PDF in which a mark is searched at once
LONGEST_MARK = 40  # bytes of a mark
# bytes of an XML file that are read: `parse` refuses one that is longer
LIMIT = xml_documents.MAX_DOCUMENT + 1
BEGINNING = 16_384  # bytes of a text that are examined
MARK = re.compile(rb"/(?:EmbeddedFile|text#2[fF]xml|application#2[fF]xml)(?![A-Za-z])")
MAX_MARKS = 200  # marks of a PDF that are examined
MAX_DICTIONARY = 2048  # bytes of the dictionary of a stream
# Names of the XML in Factur-X and ZUGFeRD, and the number of the stream. Some programs write - and
# . as octal numbers.
NAME = re.compile(
    rb"\((?:factur(?:-|\\055)x|zugferd(?:-|\\055)invoice|xrechnung)(?:\.|\\056)xml\)", re.IGNORECASE
)
EMBEDDED = re.compile(rb"/EF\s*<<[^>]{0,200}?/U?F\s+([0-9]+)\s+[0-9]+\s+R")
NUMBER = re.compile(rb"([0-9]+)\s+[0-9]+\s*$")  # of at most 24 bytes before `obj`
# Possessive: the runs of spaces before and behind an optional bracket are one place, and not tried
# in every division.
ZLIB_ALONE = re.compile(rb"/Filter\s*+(?:\[\s*+)?/FlateDecode\s*+(?:\]\s*+)?(?=[/>])")
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
PARTY = ("name", "vat_id", "tax_number", "register_number", "id", "country")


def may_be(file):
    """Return whether a file may contain an e-invoice: XML that begins as one does, or a PDF with a
    mark of one.

    This is cheap, so that other files need no process.
    """
    beginning = file.read(BEGINNING)
    if not beginning.startswith(PDF):
        return beginning.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(
            b"<"
        ) and reading.recognise(beginning)
    while not MARK.search(beginning):
        piece = file.read(PIECE)
        if not piece:
            return False
        beginning = beginning[-LONGEST_MARK:] + piece
    return True


def parse(file, _):
    """Yield what a file says as an e-invoice, if it is one: the field `e_invoice` of
    schemas/document.json.

    This takes up to a second, and the file is a stranger's: call it in a process of its own
    (eventapi/parsing).
    """
    is_hybrid = file.read(len(PDF)) == PDF
    file.seek(0)
    content = embedded(file) if is_hybrid else file.read(LIMIT)
    found = content and summary(content, is_hybrid)
    if found:
        yield found


def embedded(file):
    """Return the e-invoice that a PDF contains, or None.

    Of several, it is the last one with a name of Factur-X or ZUGFeRD, otherwise the last one: a
    program that changes a PDF appends the new version.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        names, best = _named(data), None
        for number, dictionary, place in _streams(data):
            beginning = _unpacked(dictionary, data[place : place + BEGINNING], BEGINNING)
            is_named = number in names
            if beginning and reading.recognise(beginning) and (best is None or is_named >= best[0]):
                best = is_named, dictionary, place
        return best and _unpacked(best[1], data[best[2] : best[2] + LIMIT], LIMIT)


def _streams(data):
    """Yield (object number, dictionary, place of the content) of each stream that may be an
    e-invoice.
    """
    seen = set()
    for _, mark in zip(range(MAX_MARKS), MARK.finditer(data), strict=False):
        start = data.rfind(b"obj", max(0, mark.start() - MAX_DICTIONARY), mark.start())
        stream = data.find(b"stream", mark.end(), mark.end() + MAX_DICTIONARY)
        if min(start, stream) >= 0 and stream not in seen:
            seen.add(stream)
            number = NUMBER.search(data[max(0, start - 24) : start])
            yield number and int(number[1]), data[start:stream], stream + len(b"stream")


def _named(data):
    """Return the object numbers of the embedded files with a name of Factur-X or ZUGFeRD."""
    found = set()
    for _, name in zip(range(MAX_MARKS), NAME.finditer(data), strict=False):
        start = data.rfind(b"obj", max(0, name.start() - MAX_DICTIONARY), name.start())
        number = EMBEDDED.search(
            data[max(start, 0) : name.end() + MAX_DICTIONARY].partition(b"endobj")[0]
        )
        if number and len(number[1]) < 12:
            found.add(int(number[1]))
    return found


def _unpacked(dictionary, data, limit):
    """Return the first bytes of a stream, or None if it is not plain or compressed by zlib alone."""
    data = data[2:] if data.startswith(b"\r\n") else data[1:]
    if b"/Filter" not in dictionary:
        return data.partition(b"endstream")[0]
    if not ZLIB_ALONE.search(dictionary):
        return None
    try:
        return zlib.decompressobj().decompress(data, limit)
    except zlib.error:
        return None


def summary(content, is_hybrid):
    """Return the terms and faults of an XML document, or None if it is no e-invoice after all.

    A document that cannot be read has no terms and one fault of the rule XML, which says why.
    """
    try:
        root = xml_documents.parse(content)
    except ValueError as error:
        return _unreadable(None, is_hybrid, error)
    syntax = reading.syntax(root)
    if syntax is None:
        return None
    try:
        document = reading.document(root)
    except ValueError as error:
        return _unreadable(syntax, is_hybrid, error)
    return _terms(document, syntax, is_hybrid, list(_faults_of_structure(root, document)))


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


def _terms(document, syntax, is_hybrid, faults):
    profile = profiles.profile_of(document.profile)
    known = {fault.rule for fault in faults}
    faults = [
        *faults,
        *(fault for fault in rules.check(document, profile) if fault.rule not in known),
    ]
    return {
        "syntax": syntax,
        "is_hybrid": is_hybrid,
        "profile": profile,
        "specification": _short(document.profile),
        "type": "credit_note" if document.type_code in ubl.CREDIT_NOTES else "invoice",
        **{name: _short(getattr(document, name)) for name in TEXTS},
        **{name: _number(getattr(document, name)) for name in AMOUNTS},
        "seller": {name: _short(getattr(document.seller, name)) for name in PARTY},
        "buyer": {name: _short(getattr(document.buyer, name)) for name in PARTY},
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
        "is_valid": all(is_warning for _, _, _, is_warning in faults),
        "faults": [
            {"rule": rule, "term": term, "detail": detail[:1000], "is_warning": is_warning}
            for rule, term, detail, is_warning in faults[:MAX_FAULTS]
        ],
    }


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
