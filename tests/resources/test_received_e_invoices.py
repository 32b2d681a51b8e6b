"""E-invoices that suppliers send: recognised when the file of a document is uploaded, with their
terms and faults.
"""

import io
import re
import sqlite3
import tracemalloc
import zlib
from dataclasses import replace
from decimal import Decimal

import pytest

from eventapi import times
from eventapi.domain.einvoices import cii, received, ubl
from eventapi.domain.einvoices import embedded as pdfs
from tests.support.einvoice_mutations import taxed, with_buyer, with_seller
from tests.support.prepared import prepared

INVOICE = with_buyer(
    with_seller(
        taxed(
            number="R-4711",
            remittance="R-4711",
            bic="BYLADEM1001",
            prepaid=Decimal(50),
            payable=Decimal("153.40"),
        ),
        vat_id="DE123456788",
    ),
    name="Messe Test GmbH",
)


def pdf(stream, dictionary=b"/Type /EmbeddedFile /Filter /FlateDecode"):
    """Return a PDF with one stream, as far as the search for an embedded file is concerned."""
    return (
        b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Names << /EmbeddedFiles 2 0 R >> >>\nendobj\n"
        b"7 0 obj\n<< "
        + dictionary
        + b" /Length %d >>\nstream\r\n" % len(stream)
        + stream
        + b"\nendstream\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
    )


@prepared
def begun(organiser, db):
    supplier = organiser.make("/contacts", {"company_name": "Messebau AG"})
    return organiser.make(
        "/documents", {"entity_type": "contact", "entity_id": supplier["id"], "filename": "invoice"}
    )


BINARY = {"Content-Type": "application/octet-stream"}


def send(organiser, document, data):
    return organiser.put(
        f"/documents/{document['id']}/content", raw=data, status=200, headers=BINARY
    ).json["data"]


@pytest.mark.parametrize(
    ("content", "syntax", "is_hybrid"),
    [
        (cii.write(INVOICE), "CII", False),
        (ubl.write(INVOICE), "UBL", False),
        (b"\xef\xbb\xbf\r\n" + ubl.write(INVOICE).partition(b"?>\n")[2], "UBL", False),
        (pdf(zlib.compress(cii.write(INVOICE))), "CII", True),
        (pdf(cii.write(INVOICE), b"/Subtype /text#2Fxml"), "CII", True),
        (
            pdf(
                zlib.compress(ubl.write(INVOICE)),
                b"/Filter [/FlateDecode] /Type/EmbeddedFile/Params<</Size 1>>",
            ),
            "UBL",
            True,
        ),
    ],
)
def test_an_uploaded_e_invoice_shows_its_terms(organiser, begun, content, syntax, is_hybrid):
    found = send(organiser, begun, content)["e_invoice"]
    assert (found["syntax"], found["is_hybrid"], found["profile"], found["type"]) == (
        syntax,
        is_hybrid,
        "xrechnung",
        "invoice",
    )
    assert (found["number"], found["issue_date"], found["due_date"], found["currency"]) == (
        "R-4711",
        "2026-11-20",
        "2026-12-04",
        "EUR",
    )
    assert (
        found["net_total"],
        found["tax_total"],
        found["total"],
        found["prepaid"],
        found["payable"],
    ) == (180, 23.4, 203.4, 50, 153.4)
    assert (found["iban"], found["bic"], found["remittance"]) == (
        "DE02120300000000202051",
        "BYLADEM1001",
        "R-4711",
    )
    assert (found["seller"]["name"], found["seller"]["vat_id"]) == (
        "Messe Beispiel GmbH & Co. KG",
        "DE123456788",
    )
    assert found["buyer"]["name"] == "Messe Test GmbH"
    assert [(tax["category"], tax["rate"], tax["net"], tax["tax"]) for tax in found["taxes"]] == [
        ("S", 19, 90, 17.1),
        ("S", 7, 90, 6.3),
    ]
    assert (found["lines"], found["is_valid"], found["faults"]) == (2, True, [])
    document = organiser.data(f"/documents/{begun['id']}")
    assert document["e_invoice"] == found
    assert document["content_type"] == ("application/pdf" if is_hybrid else "text/xml")


def test_faults_are_shown_with_rule_term_and_detail(organiser, begun):
    found = send(organiser, begun, cii.write(replace(INVOICE, payable=Decimal("153.41"))))[
        "e_invoice"
    ]
    assert found["is_valid"] is False
    assert found["faults"] == [
        {
            "rule": "BR-CO-16",
            "term": "BT-115",
            "is_warning": False,
            "detail": "The amount due (BT-115) is 153.41, but the total (BT-112) less what was paid (BT-113) plus the "
            "rounding (BT-114) result in 153.40. Correct it.",
        }
    ]


def test_a_warning_leaves_an_invoice_valid(organiser, begun):
    found = send(organiser, begun, ubl.write(replace(INVOICE, service_date=None)))["e_invoice"]
    assert (found["is_valid"], [fault["rule"] for fault in found["faults"]]) == (
        True,
        ["BR-DE-TMP-32"],
    )


def test_a_credit_note_names_the_invoice_that_it_corrects(organiser, begun):
    note = replace(INVOICE, type_code="381", preceding=(("R-4700", None),))
    other = organiser.make(
        "/documents", {"entity_type": "contact", "entity_id": begun["entity_id"], "filename": "b"}
    )
    for document, writer in ((begun, cii), (other, ubl)):
        found = send(organiser, document, writer.write(note))["e_invoice"]
        assert (found["type"], found["type_code"], found["preceding_number"]) == (
            "credit_note",
            "381",
            "R-4700",
        )


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (cii.write(INVOICE)[:-20], "ends before its last element is closed"),
        (cii.write(INVOICE).replace(b"2026112", b"2026132"), "must be a date"),
        (
            cii.write(INVOICE).replace(b">153.40<", b">153,40<"),
            "DuePayableAmount is '153,40'. It must be a number",
        ),
        (pdf(zlib.compress(cii.write(INVOICE)[:-20])), "ends before its last element is closed"),
        (cii.write(INVOICE) + b" " * 5_000_000, "at most 5000000 are allowed"),
        (pdf(zlib.compress(cii.write(INVOICE) + b" " * 6_000_000)), "at most 5000000 are allowed"),
    ],
)
def test_an_unreadable_e_invoice_says_why(organiser, begun, content, detail):
    found = send(organiser, begun, content)["e_invoice"]
    assert (found["number"], found["total"], found["is_valid"]) == (None, None, False)
    (fault,) = found["faults"]
    assert fault["rule"] == "XML" and detail in fault["detail"]


def test_a_wrong_order_of_elements_is_a_fault_of_a_readable_invoice(organiser, begun):
    content = (
        cii.write(INVOICE)
        .replace(b"<ram:TypeCode>380</ram:TypeCode>", b"", 1)
        .replace(
            b"<ram:ID>R-4711</ram:ID>", b"<ram:TypeCode>380</ram:TypeCode><ram:ID>R-4711</ram:ID>"
        )
    )
    found = send(organiser, begun, content)["e_invoice"]
    assert (found["number"], found["is_valid"]) == ("R-4711", False)
    assert [fault["rule"] for fault in found["faults"]] == ["XSD"]


def doubled(name):
    """Return a pattern and its replacement that writes an element a second time, with another
    content.
    """
    return rb"(<%s[ >][^<]*)(</%s>)" % (name, name), rb"\1\2\g<1>1\2"


@pytest.mark.parametrize(
    ("writer", "pattern", "replacement", "rule", "detail"),
    [
        (cii, *doubled(b"ram:DuePayableAmount"), "XSD", "DuePayableAmount may stand once"),
        (ubl, *doubled(b"cbc:PayableAmount"), "XSD", "PayableAmount may stand once"),
        (cii, *doubled(b"ram:IBANID"), "XSD", "IBANID may stand once"),
        (cii, *doubled(b"ram:GrandTotalAmount"), "XSD", "GrandTotalAmount may stand once"),
        (
            ubl,
            rb'currencyID="EUR">153.40',
            rb'currencyID="USD">153.40',
            "PEPPOL-EN16931-R051",
            "PayableAmount is an amount in USD, but the currency of the invoice is EUR",
        ),
        (
            cii,
            rb"<ram:Name>[^<]*</ram:Name>(?=\s*</ram:SpecifiedTradeProduct)",
            rb"<ram:Name>x</ram:Name><ram:BrandName/>",
            "PEPPOL-EN16931-R008",
            "the empty element BrandName",
        ),
        (
            cii,
            rb"<ram:ChargeIndicator>.*?</ram:ChargeIndicator>",
            rb"",
            "PEPPOL-EN16931-R043",
            "discount or a charge",
        ),
        (
            ubl,
            rb"<cbc:ChargeIndicator>false<",
            rb"<cbc:ChargeIndicator>no<",
            "PEPPOL-EN16931-R043",
            "discount or a charge",
        ),
        (cii, rb"<ram:TypeCode>VAT<", rb"<ram:TypeCode>AAK<", "BR-CO-04", "VAT category"),
        (
            ubl,
            rb"(<cac:ClassifiedTaxCategory>.*?<cbc:ID>)VAT<",
            rb"\1GST<",
            "BR-CO-04",
            "VAT category",
        ),
        (
            ubl,
            rb'<cbc:Amount currencyID="EUR">10.00</cbc:Amount>',
            rb"",
            "BR-41",
            "amount of the discount of Line 1",
        ),
        (
            cii,
            rb"<ram:ActualAmount>10.00</ram:ActualAmount>",
            rb"",
            "BR-41",
            "amount of the discount of Line 1",
        ),
    ],
)
def test_what_another_program_would_read_differently_is_a_fault(
    organiser, begun, writer, pattern, replacement, rule, detail
):
    """The official validators refuse all of these: by the schema, or by the rule that is named."""
    content, count = re.subn(pattern, replacement, writer.write(INVOICE), count=1, flags=re.DOTALL)
    assert count == 1
    found = send(organiser, begun, content)["e_invoice"]
    assert not found["is_valid"]
    assert any(fault["rule"] == rule and detail in fault["detail"] for fault in found["faults"]), (
        found["faults"]
    )


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.4 /EmbeddedFile",
        b"plain",
        b"<?xml version='1.0'?><Document/>",
        pdf(b"no zlib"),
        b"%PDF-1.4",
        pdf(zlib.compress(b"<html>factur-x.xml</html>")),
        pdf(zlib.compress(cii.write(INVOICE)), b"/Filter /FlateDecode"),
        b"<!-- urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 --><CrossIndustryInvoice />",
    ],
)
def test_other_files_are_no_e_invoices(organiser, begun, content):
    assert send(organiser, begun, content)["e_invoice"] is None


def test_an_e_invoice_is_neither_replaced_nor_deleted_while_it_must_be_kept(
    organiser, begun, settings, monkeypatch
):
    """§ 14b UStG: 8 years from the end of the year, here 2026."""
    monkeypatch.setattr(times, "now", lambda: "2026-11-22T10:00:00Z")
    kept = organiser.make(
        "/documents", {"entity_type": "contact", "entity_id": begun["entity_id"], "filename": "a"}
    )
    address, content = f"/documents/{kept['id']}", cii.write(INVOICE)
    first = send(organiser, kept, content)
    assert send(organiser, kept, content) == first  # the same bytes
    monkeypatch.setattr(times, "now", lambda: "2034-12-31T10:00:00Z")
    for other in (b"another file", ubl.write(INVOICE)):
        refused = organiser.put(f"{address}/content", raw=other, headers=BINARY, status=409).json
        assert refused["code"] == "document_locked" and "until 2034-12-31" in refused["detail"]
    refused = organiser.delete(address, status=409).json
    assert (refused["code"], refused["used_by"]) == (
        "in_use",
        ["e_invoices"],
    ) and "2034-12-31" in refused["detail"]
    assert organiser.get(f"{address}/content").body == content
    monkeypatch.setattr(times, "now", lambda: "2035-01-01T10:00:00Z")
    assert send(organiser, kept, b"another file")["e_invoice"] is None
    organiser.delete(address, status=204)


def test_what_has_an_e_invoice_is_not_deleted_either(organiser, begun):
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": begun["entity_id"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 1}],
        },
    )
    document = organiser.make(
        "/documents", {"entity_type": "invoice", "entity_id": invoice["id"], "filename": "a.xml"}
    )
    send(organiser, document, cii.write(INVOICE))
    assert organiser.delete(f"/invoices/{invoice['id']}", status=409).json["code"] == "in_use"


def test_an_unreadable_e_invoice_can_be_replaced_and_deleted(organiser, begun):
    send(organiser, begun, cii.write(INVOICE)[:-20])
    assert send(organiser, begun, b"another file")["e_invoice"] is None
    send(organiser, begun, cii.write(INVOICE)[:-20])
    organiser.delete(f"/documents/{begun['id']}", status=204)


def test_the_list_can_be_limited_to_e_invoices(organiser, begun):
    other = organiser.make(
        "/documents", {"entity_type": "contact", "entity_id": begun["entity_id"], "filename": "a"}
    )
    send(organiser, begun, cii.write(INVOICE))
    for value, ids in ((1, [begun["id"]]), (0, [other["id"]])):
        assert [
            document["id"] for document in organiser.data(f"/documents?is_e_invoice={value}")
        ] == ids


def test_a_signed_copy_of_a_contract_is_not_examined(organiser, begun):
    contract = organiser.make(
        "/documents",
        {
            "entity_type": "contact",
            "entity_id": begun["entity_id"],
            "filename": "a.pdf",
            "is_contract": True,
        },
    )
    assert send(organiser, contract, cii.write(INVOICE))["e_invoice"] is None


def test_the_file_is_examined_before_the_write_transaction(organiser, begun, settings, monkeypatch):
    original = received.summary

    def summary(content, is_hybrid):
        with sqlite3.connect(settings.database, timeout=0) as other:
            other.execute("BEGIN IMMEDIATE")  # raises if another connection holds the write lock
        return original(content, is_hybrid)

    monkeypatch.setattr(received, "summary", summary)
    assert send(organiser, begun, cii.write(INVOICE))["e_invoice"]["is_valid"]


def attachments(*files):
    """Return a PDF with these (name, content), each as an embedded file of PDF 32000-1, 7.11.4."""
    objects = []
    for number, (name, content) in enumerate(files, start=1):
        objects.append(
            b"%d 0 obj\n<< /Type /Filespec /F (%s) /UF (%s) /EF << /F %d 0 R /UF %d 0 R >> >>\nendobj\n"
            % (2 * number, name, name, 2 * number + 1, 2 * number + 1)
        )
        objects.append(
            b"%d 0 obj\n<< /Type /EmbeddedFile /Subtype /text#2Fxml /Filter /FlateDecode >>\nstream\n%s\n"
            b"endstream\nendobj\n" % (2 * number + 1, zlib.compress(content))
        )
    return b"%PDF-1.7\n" + b"".join(objects)


OTHER = cii.write(replace(INVOICE, number="OTHER"))
MINE = cii.write(INVOICE)
PICTURES = [(b"%d.jpg" % number, b"x" * 100) for number in range(60)]


@pytest.mark.parametrize(
    "content",
    [
        attachments(*PICTURES, (b"factur-x.xml", MINE)),
        attachments((b"old.xml", OTHER), (b"factur-x.xml", MINE)),
        attachments((b"factur-x.xml", MINE), (b"old.xml", OTHER)),
        attachments((b"a.xml", OTHER), (b"b.xml", MINE)),
        attachments((b"ZUGFeRD-invoice.xml", MINE), (b"old.xml", OTHER)),
        attachments((b"xrechnung.xml", MINE), (b"old.xml", OTHER)),
        attachments((rb"factur\055x\056xml", MINE), (b"old.xml", OTHER)),
        attachments((b"factur-x.xml", OTHER)) + attachments((b"factur-x.xml", MINE))[9:],
        pdf(zlib.compress(OTHER)) + pdf(zlib.compress(MINE))[9:],
    ],
    ids=[
        "61st file",
        "other before",
        "other after",
        "no name",
        "ZUGFeRD",
        "XRechnung",
        "octal name",
        "new revision",
        "new revision without name",
    ],
)
def test_of_several_attachments_that_of_the_norm_is_shown(organiser, begun, content):
    assert send(organiser, begun, content)["e_invoice"]["number"] == "R-4711"


def test_a_pdf_of_pypdf_with_several_attachments_shows_that_of_the_norm(organiser, begun):
    pypdf, file = pytest.importorskip("pypdf"), io.BytesIO()
    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    for name, content in (
        *((name.decode(), content) for name, content in PICTURES),
        ("a.xml", OTHER),
        ("factur-x.xml", MINE),
        ("z.xml", OTHER),
    ):
        writer.add_attachment(name, content)
    writer.write(file)
    if file.getvalue().count(b"/Filespec") == 1:
        pytest.skip("pypdf of Debian 12 keeps only the last attachment")
    assert send(organiser, begun, file.getvalue())["e_invoice"]["number"] == "R-4711"


def embedded(path):
    with path.open("rb") as file:
        return pdfs.embedded(file)


def test_a_hostile_pdf_costs_little(tmp_path, monkeypatch):
    """A stream that unpacks to 200 MB, and thousands of streams, are limited to what one invoice
    may have.
    """
    bomb = zlib.compressobj()
    stream = b"".join(bomb.compress(b" " * 10_000_000) for _ in range(20)) + bomb.flush()
    (tmp_path / "bomb").write_bytes(pdf(stream))
    tracemalloc.start()
    assert embedded(tmp_path / "bomb") is None
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    (tmp_path / "many").write_bytes(pdf(zlib.compress(b"x")) * 10_000)
    unpacked, original = [], pdfs._unpacked
    monkeypatch.setattr(pdfs, "_unpacked", lambda *parts: unpacked.append(1) or original(*parts))
    assert embedded(tmp_path / "many") is None
    assert len(unpacked) == pdfs.MAX_MARKS


def test_what_is_stored_is_limited(organiser, begun):
    line = replace(INVOICE.lines[0], unit="m2", name="x" * 5000)
    found = send(
        organiser, begun, cii.write(replace(INVOICE, number="n" * 5000, lines=(line,) * 500))
    )["e_invoice"]
    assert (len(found["number"]), found["lines"], len(found["faults"])) == (300, 500, 50)


def test_the_audit_log_and_webhooks_contain_the_terms(organiser, begun, db):
    send(organiser, begun, cii.write(INVOICE))
    (values,) = db.connection.execute(
        "SELECT new_values ->> '$.e_invoice.number' FROM audit_log ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert values == "R-4711"


def test_an_invoice_that_comes_twice_and_a_changed_account_are_warnings(organiser, begun):
    def warnings(invoice):
        other = organiser.make(
            "/documents",
            {**{name: begun[name] for name in ("entity_type", "entity_id")}, "filename": "b"},
        )
        answer = organiser.put(
            f"/documents/{other['id']}/content", raw=cii.write(invoice), status=200, headers=BINARY
        )
        return {
            warning["code"]: warning["detail"]
            for warning in answer.json["meta"].get("warnings", ())
        }

    organiser.put(
        f"/documents/{begun['id']}/content", raw=cii.write(INVOICE), status=200, headers=BINARY
    )
    again = organiser.put(
        f"/documents/{begun['id']}/content", raw=cii.write(INVOICE), status=200, headers=BINARY
    )
    assert "warnings" not in again.json["meta"], "the same document is no other one"
    twice = warnings(INVOICE)
    assert [*twice] == ["received_before"] and f"Document {begun['id']} " in twice[
        "received_before"
    ]
    assert warnings(replace(INVOICE, number="R-4712")) == {}
    iban = "DE02500105170137075030"
    assert INVOICE.iban != iban
    found = warnings(replace(INVOICE, number="R-4713", iban=iban))
    assert (
        [*found] == ["other_account"]
        and iban in found["other_account"]
        and INVOICE.iban in found["other_account"]
    )
    stranger = replace(INVOICE.seller, name="Other AG", vat_id="DE811907980")
    assert warnings(replace(INVOICE, number="R-4711", seller=stranger, iban=iban)) == {}
