"""The PDF of a sent invoice: a hybrid with its e-invoice, its GiroCode and its payment reference."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib
from decimal import Decimal
from io import BytesIO

import pytest

from eventapi.languages import formats
from eventapi.pictures import fonts
from eventapi.worker import invoice_pdfs
from tests.pictures.test_girocode import decoded
from tests.pictures.test_invoice_pdf import forget_fonts, texts  # noqa: F401

pypdf = pytest.importorskip("pypdf")
pytest.importorskip("reportlab")
STAND = {
    "description": "Row stand",
    "quantity": 12.5,
    "unit": "m²",
    "unit_price": 185.5,
    "discount_percent": 10,
}
VALIDATOR = os.environ.get("EINVOICE_VALIDATOR")
RAM = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100}"
needs_dejavu = pytest.mark.skipif(
    not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed"
)


@pytest.fixture
def contact(organiser):
    return organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
            "address": "Weg 1",
            "postal_code": "1010",
            "city": "Wien",
            "country": "AT",
            "email": "office@muster.example",
            "tax_id": "ATU13585627",
        },
    )


@pytest.fixture
def sent(organiser, contact):
    """Return a function that creates and sends an invoice."""

    def make(*items, send=(), **fields):
        draft = organiser.make(
            "/invoices", {"contact_id": contact["id"], "items": list(items) or [STAND], **fields}
        )
        return organiser.post(
            f"/invoices/{draft['id']}/send", {"mail": False, **dict(send)}, status=200
        ).json["data"]

    return make


def pdf_of(client, invoice, **options):
    return client.get(
        f"/invoices/{invoice['id']}/pdf{options.pop('query', '')}", **{"status": 200, **options}
    )


def embedded(pdf):
    """Return the e-invoice in a PDF, or None."""
    names = pypdf.PdfReader(BytesIO(pdf)).trailer["/Root"].get("/AF")
    return names[0].get_object()["/EF"]["/F"].get_data() if names else None


def value(xml, *path):
    """Return the text of the element at a path of local names of RAM."""
    found = ET.fromstring(xml).findall(".//" + "/".join(RAM + name for name in path))
    return found[0].text if found else None


# The hybrid


@needs_dejavu
def test_the_pdf_of_a_sent_invoice_contains_its_stored_e_invoice(organiser, db, sent):
    invoice = sent()
    (stored,) = db.connection.execute("SELECT document FROM e_invoices").fetchone()
    on_demand = pdf_of(organiser, invoice).body
    assert embedded(on_demand) == zlib.decompress(stored)
    invoice_pdfs.run(db, lambda: False)
    assert pdf_of(organiser, invoice).body == on_demand  # the same bytes, drawn by the worker
    dates = pypdf.PdfReader(BytesIO(on_demand)).trailer["/Info"]
    assert (
        dates["/CreationDate"]
        == "D:" + "".join(filter(str.isdigit, invoice["sent_at"]))[:14] + "+00'00'"
        if "sent_at" in invoice
        else dates["/CreationDate"].endswith("+00'00'")
    )


@needs_dejavu
def test_the_pages_say_what_the_e_invoice_says(organiser, sent):
    """Number, sums and what is to be paid stand on the pages as in the XML."""
    invoice = sent(
        STAND,
        {"description": "Catalogue", "quantity": 1, "unit_price": 95.1234, "tax_rate": 7},
        send={"payments": [{"amount": 100}]},
    )
    pdf = pdf_of(organiser, invoice).body
    xml, words = embedded(pdf), "\n".join(texts(pdf)).splitlines()
    sums = "ApplicableHeaderTradeSettlement", "SpecifiedTradeSettlementHeaderMonetarySummation"
    for name in (
        "TaxBasisTotalAmount",
        "TaxTotalAmount",
        "GrandTotalAmount",
        "TotalPrepaidAmount",
        "DuePayableAmount",
    ):
        amount = formats.amount(Decimal(value(xml, *sums, name)), "EUR", "en")
        assert amount in words or f"-{amount}" in words, name
    assert (
        b"<ram:ID>" + invoice["invoice_number"].encode() in xml
        and invoice["invoice_number"] in words
    )
    assert invoice["prepaid_amount"] == 100 and "Already paid" in words


@needs_dejavu
def test_a_credit_note_is_a_hybrid_too(organiser, sent):
    invoice = sent()
    note = organiser.post(f"/invoices/{invoice['id']}/cancel", {"mail": False}, status=200).json[
        "data"
    ]
    pdf = pdf_of(organiser, {"id": note["related_invoice_id"]}).body
    assert b"381</" in embedded(pdf) and b"<fx:DocumentType>INVOICE<" in pdf


@needs_dejavu
def test_drafts_copies_and_invoices_of_another_system_are_plain_pdfs(organiser, contact, sent):
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    copy = pdf_of(organiser, sent(), query="?language=de").body
    old = sent(invoice_number="OLD 7", issue_date="2020-02-02", due_date="2020-03-03")
    for pdf in (pdf_of(organiser, draft).body, copy, pdf_of(organiser, old).body):
        assert pdf.startswith(b"%PDF-") and embedded(pdf) is None and b"pdfaid" not in pdf


@needs_dejavu
def test_the_pdf_shows_exchange_rate_and_tax_in_the_currency_of_the_tenant(organiser, sent):
    invoice = sent(
        {**STAND, "quantity": 1, "unit_price": 1000, "discount_percent": 0},
        currency="CHF",
        exchange_rate=1.0643,
    )
    pdf = pdf_of(organiser, invoice).body
    words = texts(pdf)[0].splitlines()
    # 19 % of 1,000.00 CHF are 190.00 CHF; 190.00 x 1.0643 = 202.217 EUR
    assert words[words.index("VAT in EUR (1 CHF = 1.0643 EUR)") + 1] == "202.22"
    assert b'currencyID="EUR">202.22<' in embedded(pdf)
    note = organiser.post(f"/invoices/{invoice['id']}/cancel", {"mail": False}, status=200).json[
        "data"
    ]
    words = texts(pdf_of(organiser, {"id": note["related_invoice_id"]}).body)[0].splitlines()
    assert words[words.index("VAT in EUR (1 CHF = 1.0643 EUR)") + 1] == "-202.22"


def test_no_pdf_is_drawn_if_the_stored_e_invoice_is_missing(organiser, db, sent, caplog):
    invoice = sent()
    with db.write():
        db.connection.execute("DELETE FROM e_invoices")
    pdf_of(organiser, invoice, status=500)
    assert f"the e-invoice of {invoice['invoice_number']} is missing" in caplog.text


# Missing packages


def test_without_fonts_the_xml_is_available_and_the_pdf_is_made_later(
    organiser,
    db,
    sent,
    forget_fonts,  # noqa: F811
    monkeypatch,
    caplog,
):
    folders = fonts.FOLDERS
    monkeypatch.setattr(fonts, "FOLDERS", ())
    monkeypatch.setattr(invoice_pdfs, "postponed", {})
    monkeypatch.setattr(invoice_pdfs, "logged", set())
    invoices = [sent(), sent()]
    answer = pdf_of(organiser, invoices[0], status=409).json
    assert answer["code"] == "fonts_missing" and "fonts-dejavu-core" in answer["detail"]
    assert "/invoices/{id}/xml" in answer["detail"]
    assert organiser.get(f"/invoices/{invoices[0]['id']}/xml", status=200).body.startswith(b"<?xml")
    tried = []
    draw = invoice_pdfs.pdf.draw
    monkeypatch.setattr(invoice_pdfs.pdf, "draw", lambda *given: tried.append(1) or draw(*given))
    for _ in range(3):
        assert invoice_pdfs.run(db, lambda: False) is False
    assert len(tried) == 2 and caplog.text.count("is not drawn yet") == 1
    sources = "SELECT count(*) FROM invoices WHERE pdf_source IS NOT NULL"
    assert db.connection.execute(sources).fetchone() == (2,)
    monkeypatch.setattr(fonts, "FOLDERS", folders)
    if fonts.installed(fonts.EUROPE):
        invoice_pdfs.run(db, lambda: False)
        assert db.connection.execute(sources).fetchone() == (0,)
        assert embedded(pdf_of(organiser, invoices[0]).body)


def test_without_pypdf_the_error_names_the_package(organiser, sent, contact, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    answer = pdf_of(organiser, sent(), status=501).json
    assert answer["code"] == "not_installed" and "python3-pypdf" in answer["detail"]
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    assert pdf_of(organiser, draft).body.startswith(b"%PDF-")
    old = sent(invoice_number="OLD 7", issue_date="2020-02-02", due_date="2020-03-03")
    assert pdf_of(organiser, old).body.startswith(b"%PDF-")


# Payment reference and GiroCode


def girocode(client, invoice, form="image/svg+xml", status=200):
    return client.get(
        f"/invoices/{invoice['id']}/girocode", headers={"Accept": form}, status=status
    )


def code_of(settings, invoice):
    """Return the lines of the GiroCode that the tests' own reading of EPC069-12 expects."""
    open_amount = f"EUR{Decimal(str(invoice['open_amount'])):.2f}"
    reference = invoice["payment_reference"]
    lines = [
        "BCD",
        "002",
        "1",
        "SCT",
        "BYLADEM1001",
        "Messe Test GmbH",
        "DE02120300000000202051",
        open_amount,
        "",
    ]
    return [*lines, reference] if reference.startswith("RF") else [*lines, "", reference]


def test_a_reader_finds_the_transfer_in_the_picture(organiser, settings, sent):
    invoice = sent()
    png = girocode(organiser, invoice, "image/png")
    assert png.content_type == "image/png"
    assert decoded(png.body).bytes.decode().split("\n") == code_of(settings, invoice)
    svg = girocode(organiser, invoice)
    assert (
        svg.content_type == "image/svg+xml"
        and "default-src 'none'" in svg.headers["Content-Security-Policy"]
    )
    assert (
        f"Transfer EUR 2,483.39 with a banking app, reference {invoice['invoice_number']}"
        in svg.text
    )


def test_the_picture_has_the_amount_that_is_open_now(organiser, settings, sent):
    invoice = sent()
    before = girocode(organiser, invoice, "image/png").headers["ETag"]
    organiser.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": 1000.38})
    now = organiser.data(f"/invoices/{invoice['id']}")
    assert now["open_amount"] == 1483.01
    png = girocode(organiser, invoice, "image/png")
    assert png.headers["ETag"] != before
    assert decoded(png.body).bytes.decode().split("\n") == code_of(settings, now)
    organiser.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": 1483.01})
    assert girocode(organiser, invoice, status=409).json["reason"] == "nothing_open"


@pytest.mark.parametrize(
    "reason, fields, config",
    [
        ("currency", {"currency": "CHF", "exchange_rate": 1.06}, {}),
        ("nothing_open", {"items": [{**STAND, "unit_price": 0}]}, {}),
        ("no_iban", {}, {"organiser_iban": ""}),
        ("too_large", {"items": [{**STAND, "quantity": 999999, "unit_price": 1999}]}, {}),
    ],
)
def test_the_error_says_why_an_invoice_has_no_code(
    organiser, settings, sent, reason, fields, config
):
    for name, text in config.items():
        setattr(settings, name, text)
    items = fields.pop("items", [STAND])
    answer = girocode(organiser, sent(*items, **fields), status=409).json
    assert (answer["code"], answer["reason"]) == ("no_girocode", reason)


def test_drafts_credit_notes_and_wrong_accounts_have_no_code(organiser, db, contact, sent):
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    assert girocode(organiser, draft, status=409).json["reason"] == "draft"
    invoice = sent()
    note = organiser.post(
        f"/invoices/{invoice['id']}/credit",
        {"items": [{**STAND, "quantity": 1}], "mail": False},
        status=201,
    ).json["data"]
    assert girocode(organiser, note, status=409).json["reason"] == "credit_note"
    # An earlier version did not check the option.
    with db.write():
        db.connection.execute(
            "UPDATE invoices SET seller = json_set(seller, '$.iban', 'DE03120300000000202051')"
        )
    answer = girocode(organiser, invoice, status=409).json
    assert answer["reason"] == "invalid_iban" and "check digits" in answer["detail"]


def on_page(client, invoice, monkeypatch):
    """Return the GiroCodes on the PDF of an invoice."""
    from eventapi.pictures.invoice import closing

    found = []
    rings = closing.giro.rings
    monkeypatch.setattr(closing.giro, "rings", lambda code: found.append(code) or rings(code))
    pdf_of(client, invoice)
    return found


@needs_dejavu
def test_the_pdf_has_the_code_with_the_amount_open_at_issue(organiser, settings, sent, monkeypatch):
    invoice = sent(send={"payments": [{"amount": 83.39}]})
    assert invoice["open_amount"] == 2400
    organiser.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": 400})
    (code,) = on_page(organiser, invoice, monkeypatch)
    assert code.split("\n") == code_of(settings, invoice)


@needs_dejavu
@pytest.mark.parametrize(
    "fields",
    [{"currency": "CHF", "exchange_rate": 1.06}, {"send": {"payments": [{"amount": 2483.39}]}}],
    ids=["francs", "paid before"],
)
def test_the_pdf_has_no_code_without_euros_to_pay(organiser, sent, monkeypatch, fields):
    assert on_page(organiser, sent(**fields), monkeypatch) == []


@needs_dejavu
def test_drafts_and_credit_notes_have_no_code_on_the_pdf(organiser, contact, sent, monkeypatch):
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    note = organiser.post(f"/invoices/{sent()['id']}/cancel", {"mail": False}, status=200).json[
        "data"
    ]
    assert on_page(organiser, draft, monkeypatch) == []
    assert on_page(organiser, {"id": note["related_invoice_id"]}, monkeypatch) == []


def test_payers_quote_the_invoice_number_by_default(organiser, contact, sent):
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    invoice = sent()
    assert (
        draft["payment_reference"] is None
        and invoice["payment_reference"] == invoice["invoice_number"]
    )
    listed = organiser.data("/invoices?sort=id&order=ASC")
    assert [entry["payment_reference"] for entry in listed] == [None, invoice["invoice_number"]]


@needs_dejavu
def test_payers_quote_a_creditor_reference_if_the_option_says_so(
    organiser, settings, db, sent, monkeypatch
):
    settings.payment_reference = "rf"
    invoice = sent(issue_date=None)
    # ISO 11649 for INV-2026-00001, computed by hand: 98 - (the digits of INV202600001RF00) % 97
    digits = "".join(
        str(int(char, 36)) for char in invoice["invoice_number"].replace("-", "") + "RF00"
    )
    reference = f"RF{98 - int(digits) % 97:02}" + invoice["invoice_number"].replace("-", "")
    assert invoice["payment_reference"] == reference
    settings.payment_reference = "number"  # the invoice keeps what it was sent with
    assert organiser.data(f"/invoices/{invoice['id']}")["payment_reference"] == reference
    pdf = pdf_of(organiser, invoice).body
    words = texts(pdf)[0].splitlines()
    grouped = " ".join(reference[place : place + 4] for place in range(0, len(reference), 4))
    assert words[words.index("Reference") + 1] == grouped
    assert value(embedded(pdf), "ApplicableHeaderTradeSettlement", "PaymentReference") == reference
    assert decoded(girocode(organiser, invoice, "image/png").body).bytes.decode().split("\n")[
        9:
    ] == [reference]
    assert on_page(organiser, {"id": invoice["id"]}, monkeypatch)[0].split("\n")[9:] == [reference]


def test_a_number_that_is_too_long_for_a_creditor_reference_is_quoted_itself(
    organiser, settings, sent
):
    settings.payment_reference = "rf"
    settings.invoice_number_format = "MESSE-LEIPZIG-RECHNUNG-{year}-{seq:05}"
    invoice = sent()
    assert invoice["payment_reference"] == invoice["invoice_number"]


# An independent validator


@needs_dejavu
@pytest.mark.skipif(
    not VALIDATOR, reason="EINVOICE_VALIDATOR names no validator of hybrid invoices"
)
def test_a_validator_accepts_every_kind_of_hybrid(organiser, sent, tmp_path):
    reverse = {"tax_category": "AE", "tax_rate": 0}
    invoices = [
        sent(),
        sent(language="de"),
        sent(*[STAND] * 60),
        sent({**STAND, **reverse}),
        sent(currency="CHF", exchange_rate=1.0643),
        sent(send={"payments": [{"amount": 100}]}),
    ]
    note = organiser.post(
        f"/invoices/{invoices[0]['id']}/cancel", {"mail": False}, status=200
    ).json["data"]
    files = []
    for invoice in [*invoices, {"id": note["related_invoice_id"]}]:
        files.append(tmp_path / f"{invoice['id']}.pdf")
        files[-1].write_bytes(pdf_of(organiser, invoice).body)
    done = subprocess.run([VALIDATOR, "--json", *files], capture_output=True, text=True)
    assert done.returncode == 0, json.dumps(json.loads(done.stdout), indent=1)[:5000]
