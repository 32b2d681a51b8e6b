"""Documents: made from templates, files, contracts."""

import hashlib
import os
import threading
from datetime import datetime, timedelta

import pytest

from eventapi import images, times
from eventapi.domain.attachments import document_rows, pages
from eventapi.storage import files
from tests.support.images import png

PDF = b"%PDF-1.7\n" + b"x" * 1000
CONTRACT = (
    "<h1>Contract {{document.number}}</h1><p>{{organiser.name}} and <strong>{{contact.name}}</strong>, "
    "{{contact.address}}</p>"
    "<table><tr><th>Booths</th><td>{{booths.numbers}}</td></tr></table><p>Term: {{metadata.term}}</p>"
)


@pytest.fixture
def exhibitor(organiser):
    event = organiser.make(
        "/events", {"title": "Garden Fair", "date_from": "2027-05-01", "date_to": "2027-05-03"}
    )
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Rosen & <Söhne>",
            "address": "Weg 13\nHof B",
            "city": "Uetersen",
            "language": "de",
        },
    )
    return organiser.make("/participants", {"event_id": event["id"], "contact_id": contact["id"]})


@pytest.fixture
def form(organiser):
    return organiser.make(
        "/documents/templates",
        {"name": "Exhibitor contract", "body": CONTRACT, "is_contract": True},
    )


@pytest.fixture
def contract(organiser, exhibitor, form):
    return organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "template_id": form["id"],
            "metadata": {"term": "one year", "fee": 12.5},
        },
    )


@pytest.fixture
def begun(organiser, exhibitor):
    """Create a document for a file whose content has not been uploaded."""
    return organiser.make(
        "/documents",
        {
            "entity_type": "contact",
            "entity_id": exhibitor["contact_id"],
            "filename": "Preisliste für 2027.pdf",
        },
    )


def send(client, document, data, **options):
    options.setdefault("headers", {})["Content-Type"] = "application/octet-stream"
    return client.put(f"/documents/{document['id']}/content", raw=data, **options)


def stored(settings):
    return [file for file in settings.files.rglob("*") if file.is_file()]


# Made from a template


def test_a_template_is_filled_with_the_values_of_the_record(contract, form):
    assert contract["document_number"].startswith("DOC-20") and contract[
        "document_number"
    ].endswith("-00001")
    assert contract["title"] == "Exhibitor contract" and contract["template_key"] == form["key"]
    assert contract["content"] == (
        f"<h1>Contract {contract['document_number']}</h1><p>Messe Test GmbH and <strong>Rosen &amp; &lt;Söhne&gt;"
        "</strong>, Weg 13<br>Hof B</p><table><tr><th>Booths</th><td>________</td></tr></table><p>Term: one year</p>"
    )
    assert contract["missing"] == ["booths.numbers"] and contract["metadata"] == {
        "term": "one year",
        "fee": 12.5,
    }
    assert (contract["is_contract"], contract["contract_status"], contract["esign_status"]) == (
        True,
        "draft",
        "pending",
    )


@pytest.mark.parametrize(
    ("sent", "contact", "option", "expected"),
    [
        ("en-GB", "de", "de", "en"),
        (None, "de-CH", "en", "de"),
        (None, "pl", "de", "de"),
        (None, None, "en", "en"),
    ],
)
def test_a_document_is_written_in_the_language_of_the_request_or_the_contact(
    organiser, exhibitor, settings, sent, contact, option, expected
):
    settings.language = option
    organiser.patch(
        f"/contacts/{exhibitor['contact_id']}", {"language": contact, "country": "AT"}, status=200
    )
    body = (
        "<p>{{contact.country}}, {{participant.role}}, {{participant.status}}, {{event.dates}}, "
        "{{event.application_deadline}}, {{organiser.country}}, {{metadata.free}}, {{metadata.share}}, "
        "{{metadata.year}}</p>"
    )
    organiser.patch("/events/1", {"application_deadline": "2027-01-31T23:00:00Z"}, status=200)
    template = organiser.make("/documents/templates", {"name": "Letter", "body": body})
    made = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "template_id": template["id"],
            "language": sent,
            "metadata": {"free": True, "share": 12.5, "year": 2027},
        },
    )
    written = {
        "en": "Austria, exhibitor, registered, 1–3 May 2027, 1 February 2027, 00:00, Germany, yes, 12.5, 2027",
        "de": "Österreich, Aussteller, angemeldet, 01.–03.05.2027, 01.02.2027, 00:00 Uhr, Deutschland, ja, 12,5, 2027",
    }
    assert made["content"] == f"<p>{written[expected]}</p>" and made["language"] == expected
    page = organiser.get(f"/documents/{made['id']}/content", status=200)
    assert f'<html lang="{expected}">' in page.text


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "A1, A2 auf 1.012,5 m² für 2.990,50 EUR"),
        ("en", "A1, A2 auf 1,012.5 m² für EUR 2,990.50"),
    ],
)
def test_area_and_price_of_booths_have_their_units(organiser, exhibitor, language, expected):
    plan = organiser.make(
        "/plans", {"event_id": 1, "plan_name": "Hall", "width": 100, "height": 100}
    )
    for number, width, price in (("A1", 40, 2000.5), ("A2", 0.5, 990)):
        booth = organiser.make(
            "/booths", {"plan_id": plan["id"], "booth_number": number, "width": width, "depth": 25}
        )
        organiser.make(
            "/booth-reservations",
            {"booth_id": booth["id"], "participant_id": exhibitor["id"], "final_price": price},
        )
    body = "<p>{{booths.numbers}} auf {{booths.area}} für {{booths.price}}</p>"
    template = organiser.make("/documents/templates", {"name": "Booths", "body": body})
    made = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "template_id": template["id"],
            "language": language,
        },
    )
    assert made["content"] == f"<p>{expected}</p>"


def test_the_language_of_a_page_cannot_change(organiser, contract, begun):
    errors = organiser.patch(f"/documents/{contract['id']}", {"language": "en"}, status=422).json[
        "errors"
    ]
    assert [entry["pointer"] for entry in errors] == ["/language"]
    organiser.patch(f"/documents/{contract['id']}", {"language": "de"}, status=200)
    assert (
        organiser.patch(f"/documents/{begun['id']}", {"language": "en"}, status=200).json["data"][
            "language"
        ]
        == "en"
    )
    organiser.post(
        "/documents",
        {"entity_type": "contact", "entity_id": 1, "filename": "a.pdf", "language": "fr"},
        status=422,
    )


def test_a_document_is_not_available_in_another_language(organiser, contract):
    address = f"/documents/{contract['id']}/content?language="
    organiser.get(f"{address}de-AT", status=200)
    for other in ("en", "fr"):
        [fault] = organiser.get(f"{address}{other}", status=422).json["errors"]
        assert fault["parameter"] == "language"


def test_a_contract_has_letterhead_parties_and_lines_for_signatures(organiser, contract, settings):
    pytest.importorskip("reportlab")
    from tests.pictures.test_invoice_pdf import texts

    settings.organiser_logo = images.load(png(60, 20))
    path = f"/documents/{contract['id']}/content"
    page = organiser.get(path, headers={"Accept": "text/html"}, status=200)
    for part in (
        "<small>Veranstalter</small><b>Messe Test GmbH</b><br>Am Markt 1<br>04109 Leipzig",
        "<small>Vertragspartner</small><b>Rosen &amp; &lt;Söhne&gt;</b><br>Weg 13<br>Hof B<br>Uetersen",
        contract["document_number"],
        '<img alt="" src="data:image/png;base64,',
    ):
        assert part in page.text, part
    assert page.text.count("Ort, Datum") == page.text.count("Unterschrift") == 2
    assert "img-src data:" in page.headers["Content-Security-Policy"]
    pdf = organiser.get(path, headers={"Accept": "application/pdf"}, status=200)
    lines = texts(pdf.body)[0].splitlines()
    assert {"Veranstalter", "Vertragspartner", "Rosen & <Söhne>", "Hof B"} <= set(lines)
    assert (
        lines.count("Ort, Datum") == lines.count("Unterschrift") == 2
        and b"/Subtype /Image" in pdf.body
    )
    organiser.patch(f"/contacts/{contract['entity_id']}", {"city": "Elmshorn"}, status=200)
    changed = organiser.get(
        path, headers={"Accept": "text/html", "If-None-Match": page.headers["ETag"]}, status=200
    )
    assert "Elmshorn" in changed.text


def test_a_letter_has_a_letterhead_but_no_signatures(organiser, exhibitor):
    template = organiser.make("/documents/templates", {"name": "Letter", "body": "<p>Hello</p>"})
    letter = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "template_id": template["id"],
        },
    )
    text = organiser.get(
        f"/documents/{letter['id']}/content", headers={"Accept": "text/html"}, status=200
    ).text
    assert "<header><b>Messe Test GmbH</b></header>" in text and letter["document_number"] in text
    assert "Unterschrift" not in text and "Vertragspartner" not in text


def test_a_category_determines_the_template(organiser, exhibitor, form):
    category = organiser.make(
        "/documents/categories", {"name": "Contracts", "default_template_id": form["id"]}
    )
    empty = organiser.make("/documents/categories", {"name": "Letters"})
    about = {"entity_type": "event_participant", "entity_id": exhibitor["id"]}
    made = organiser.make("/documents", {**about, "category_key": "contracts"})
    assert made["template_id"] == form["id"] and made["category_name"] == "Contracts"
    assert made["category_id"] == category["id"]
    errors = organiser.post("/documents", {**about, "category_id": empty["id"]}, status=422).json[
        "errors"
    ]
    assert [entry["pointer"] for entry in errors] == ["/category_id"]
    organiser.post("/documents", about, status=422)


def test_unknown_references_are_reported_together(organiser):
    errors = organiser.post(
        "/documents",
        {"entity_type": "booth", "entity_id": 9, "template_key": "none", "category_id": 7},
        status=422,
    ).json["errors"]
    assert {entry["pointer"] for entry in errors} == {"/entity_id", "/template_key", "/category_id"}


@pytest.mark.parametrize("kind", ["event", "contact", "event_participant"])
def test_a_document_can_be_about_any_entity_type(organiser, exhibitor, kind):
    ids = {
        "event": exhibitor["event_id"],
        "contact": exhibitor["contact_id"],
        "event_participant": exhibitor["id"],
    }
    made = organiser.make(
        "/documents", {"entity_type": kind, "entity_id": ids[kind], "filename": "a.txt"}
    )
    assert organiser.data(f"/documents?entity_type={kind}&entity_id={ids[kind]}") == [made]


def test_values_are_never_markup_nor_placeholders(organiser):
    contact = organiser.make(
        "/contacts", {"company_name": "{{organiser.iban}}<script>alert(1)</script>"}
    )
    template = organiser.make(
        "/documents/templates",
        {"name": "x", "body": "<p>{{contact.company_name}} {{metadata.a}}</p>"},
    )
    made = organiser.make(
        "/documents",
        {
            "entity_type": "contact",
            "entity_id": contact["id"],
            "template_id": template["id"],
            "metadata": {"a": "</p><img src=x>"},
        },
    )
    assert made["content"] == (
        "<p>{{organiser.iban}}&lt;script&gt;alert(1)&lt;/script&gt; &lt;/p&gt;&lt;img src=x&gt;</p>"
    )
    page = organiser.get(f"/documents/{made['id']}/content", status=200)
    assert (
        page.content_type == "text/html" and "<script" not in page.text and "<img" not in page.text
    )
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "sandbox" in page.headers["Content-Security-Policy"]
    assert page.headers["Content-Disposition"].startswith("attachment")


def test_a_document_that_would_be_too_long_is_refused(organiser):
    contact = organiser.make("/contacts", {"company_name": "x" * 255})
    template = organiser.make(
        "/documents/templates", {"name": "x", "body": "{{contact.name}}" * 5000}
    )
    errors = organiser.post(
        "/documents",
        {"entity_type": "contact", "entity_id": contact["id"], "template_id": template["id"]},
        status=422,
    ).json["errors"]
    assert errors[0]["code"] == "too_long"


def test_the_page_and_the_pdf_have_the_same_content(organiser, contract):
    pytest.importorskip("reportlab")
    address = f"/documents/{contract['id']}/content"
    pdf = organiser.get(address, headers={"Accept": "application/pdf"}, status=200)
    assert pdf.body.startswith(b"%PDF") and pdf.headers["Content-Disposition"].startswith("inline")
    assert organiser.get(address, headers={"Accept": "application/pdf"}).body == pdf.body
    page = organiser.get(address, headers={"Accept": "text/html"}, status=200)
    assert "<h1>Contract DOC-" in page.text
    organiser.get(address, headers={"If-None-Match": page.headers["ETag"]}, status=304)
    organiser.get(address, headers={"Accept": "image/png"}, status=406)


def test_content_changes_accept_supported_markup_only(organiser, contract):
    address = f"/documents/{contract['id']}"
    changed = organiser.patch(
        address, {"content": "<h1>Neu</h1><p>{{today}} &auml;</p>"}, status=200
    ).json["data"]
    assert changed["content"] == "<h1>Neu</h1><p>{{today}} ä</p>"
    errors = organiser.patch(
        address, {"content": "<p><u>x</u></p>", "entity_id": 99, "template_id": None}, status=422
    ).json["errors"]
    assert {entry["pointer"] for entry in errors} == {"/content", "/entity_id", "/template_id"}


def test_numbers_have_no_gaps(organiser, exhibitor, form):
    about = {"entity_type": "event_participant", "entity_id": exhibitor["id"]}
    numbers = []
    for _ in range(3):
        numbers.append(
            organiser.make("/documents", {**about, "template_id": form["id"]})["document_number"]
        )
        organiser.post("/documents", {**about, "template_id": 99}, status=422)
    assert [int(number[-5:]) for number in numbers] == [1, 2, 3]


def test_line_items_are_those_of_the_invoice(organiser, exhibitor):
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": exhibitor["contact_id"],
            "items": [
                {"description": "Booth", "quantity": 1.5, "unit_price": 10.25, "tax_rate": 19}
            ],
        },
    )
    made = organiser.make(
        "/documents", {"entity_type": "invoice", "entity_id": invoice["id"], "filename": "a.txt"}
    )
    other = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": exhibitor["contact_id"], "filename": "a.txt"},
    )
    (line,) = organiser.data(f"/documents/{made['id']}?include=line_items")["line_items"]
    assert (line["description"], line["quantity"], line["unit_price"], line["tax_rate"]) == (
        "Booth",
        1.5,
        10.25,
        19,
    )
    assert organiser.data(f"/documents/{other['id']}?include=line_items")["line_items"] == []


# Files


def test_a_file_is_stored_unchanged(organiser, begun, settings):
    assert begun["content_type"] is None and begun["content"] == ""
    document = send(organiser, begun, PDF, status=200).json["data"]
    assert (document["content_type"], document["size"], document["sha256"]) == (
        "application/pdf",
        len(PDF),
        hashlib.sha256(PDF).hexdigest(),
    )
    answer = organiser.get(f"/documents/{begun['id']}/content", status=200)
    assert answer.body == PDF and answer.headers["ETag"] == f'"{document["sha256"]}"'
    assert answer.headers["Content-Length"] == str(len(PDF))
    assert answer.headers["Content-Disposition"] == (
        "inline; filename=\"Preisliste f_r 2027.pdf\"; filename*=UTF-8''Preisliste%20f%C3%BCr%202027.pdf"
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert len(stored(settings)) == 1


def test_a_document_has_no_content_before_the_upload(organiser, begun):
    assert (
        organiser.get(f"/documents/{begun['id']}/content", status=404).json["code"] == "not_found"
    )
    assert send(organiser, begun, b"", status=422).json["errors"][0]["code"] == "required"


@pytest.mark.parametrize(
    "data, kind",
    [
        (b"<html><script>alert(1)</script>", "text/html"),
        (b"<svg onload='alert(1)'/>", "image/svg+xml"),
        (b"MZ\x90\0\x03", "application/octet-stream"),
        (b"PK\x03\x04" + b"\0" * 60, "application/zip"),
    ],
)
def test_active_content_is_never_shown_inline(organiser, begun, data, kind):
    send(organiser, begun, data, status=200, headers={"X-Type": "image/png"})
    answer = organiser.get(
        f"/documents/{begun['id']}/content", headers={"Accept": "text/html,*/*"}, status=200
    )
    assert answer.content_type == kind and answer.headers["Content-Disposition"].startswith(
        "attachment"
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "asked, part",
    [
        ("bytes=0-9", (0, 10)),
        ("bytes=1000-", (1000, 1009)),
        ("bytes=-5", (1004, 1009)),
        ("bytes=5-99999", (5, 1009)),
        ("bytes=-99999", (0, 1009)),
        ("bytes=0-0", (0, 1)),
    ],
)
def test_a_single_range_is_served(organiser, begun, asked, part):
    send(organiser, begun, PDF, status=200)
    answer = organiser.get(
        f"/documents/{begun['id']}/content", headers={"Range": asked}, status=206
    )
    assert answer.body == PDF[slice(*part)]
    assert answer.headers["Content-Range"] == f"bytes {part[0]}-{part[1] - 1}/1009"
    assert answer.headers["Content-Length"] == str(len(answer.body))
    head = organiser(
        "HEAD", f"/documents/{begun['id']}/content", headers={"Range": asked}, status=206
    )
    assert head.body == b"" and head.headers["Content-Length"] == answer.headers["Content-Length"]


@pytest.mark.parametrize(
    "asked",
    ["bytes=0-1,5-6", "lines=1-2", "bytes=9-5", "bytes=-", "bytes=x", "bytes", "bytes=\u0661-"],
)
def test_an_invalid_range_is_ignored(organiser, begun, asked):
    send(organiser, begun, PDF, status=200)
    assert (
        organiser.get(
            f"/documents/{begun['id']}/content",
            headers={"Range": asked.encode().decode("latin-1")},
            status=200,
        ).body
        == PDF
    )


def test_a_range_outside_is_416_and_if_range_guards(organiser, begun):
    sha256 = send(organiser, begun, PDF, status=200).json["data"]["sha256"]
    address = f"/documents/{begun['id']}/content"
    for outside in ("bytes=1009-", "bytes=-0"):
        answer = organiser.get(address, headers={"Range": outside}, status=416)
        assert (
            answer.json["code"] == "range_not_satisfiable"
            and answer.headers["Content-Range"] == "bytes */1009"
        )
    organiser.get(address, headers={"Range": "bytes=0-9", "If-Range": f'"{sha256}"'}, status=206)
    for other in ('"stale"', f'W/"{sha256}"', "Sat, 21 Nov 2026 00:00:00 GMT"):
        organiser.get(address, headers={"Range": "bytes=0-9", "If-Range": other}, status=200)
    organiser.get(
        address, headers={"If-None-Match": f'"{sha256}"', "Range": "bytes=0-9"}, status=304
    )


def test_if_match_guards_the_content(organiser, begun):
    send(organiser, begun, PDF, status=412, headers={"If-Match": "*"})
    tag = f'"{send(organiser, begun, PDF, status=200).json["data"]["sha256"]}"'
    assert (
        send(organiser, begun, b"other", status=412, headers={"If-Match": '"stale"'}).json["code"]
        == "precondition_failed"
    )
    assert (
        send(organiser, begun, b"other", status=200, headers={"If-Match": f'"x", {tag}'}).json[
            "data"
        ]["content_type"]
        == "text/plain"
    )


def test_an_upload_that_is_too_large_returns_413_and_leaves_nothing(organiser, begun, settings):
    assert send(organiser, begun, b"x" * (26 * 2**20), status=413).json["code"] == "body_too_large"
    assert stored(settings) == [] and organiser.data(f"/documents/{begun['id']}") == begun
    data = os.urandom(25 * 2**20)
    assert send(organiser, begun, data, status=200).json["data"]["size"] == len(data)


def test_a_refused_upload_leaves_nothing(organiser, person, begun, contract, settings):
    send(organiser, {"id": 999}, PDF, status=404)
    send(person("documents:read"), begun, PDF, status=403)
    send(organiser, contract, PDF, status=409)
    send(organiser, begun, PDF, status=415, headers={"Content-Encoding": "gzip"})
    assert stored(settings) == []


def test_the_same_bytes_again_change_nothing(organiser, begun, db):
    first = send(organiser, begun, PDF, status=200).json["data"]
    entries = db.connection.execute("SELECT count(*) FROM audit_log").fetchone()
    assert send(organiser, begun, PDF, status=200).json["data"] == first
    assert db.connection.execute("SELECT count(*) FROM audit_log").fetchone() == entries


def test_one_of_several_concurrent_uploads_wins(organiser, begun, settings):
    bodies = [os.urandom(100_000) for _ in range(6)] * 2
    threads = [threading.Thread(target=send, args=(organiser, begun, data)) for data in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    document = organiser.data(f"/documents/{begun['id']}")
    assert organiser.get(f"/documents/{begun['id']}/content", status=200).body in bodies
    assert files.verify(settings, document["sha256"])
    assert not [file for file in stored(settings) if file.name.endswith(".tmp")]


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "a/b.pdf",
        "a\\b.pdf",
        "..",
        ".",
        "nul\tl",
        "line\nbreak",
        "x" * 300,
        "a\u202efdp.exe",
        "esc\x1b[2J",
    ],
)
def test_an_invalid_filename_is_refused(organiser, exhibitor, name):
    errors = organiser.post(
        "/documents",
        {"entity_type": "contact", "entity_id": exhibitor["contact_id"], "filename": name},
        status=422,
    ).json["errors"]
    assert [entry["pointer"] for entry in errors] == ["/filename"]


@pytest.mark.parametrize(
    "name",
    ['a"b;c.pdf', "' OR 1=1.txt", "日本語.pdf", "100%.txt", "x" * 255, ".htaccess", "~$x.doc"],
)
def test_an_unusual_filename_is_kept_and_encoded_in_the_header(organiser, exhibitor, name):
    made = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": exhibitor["contact_id"], "filename": name},
    )
    send(organiser, made, b"text", status=200)
    header = organiser.get(f"/documents/{made['id']}/content", status=200).headers[
        "Content-Disposition"
    ]
    assert (
        made["filename"] == name
        and header.isascii()
        and header.count('"') == 2
        and "\n" not in header
    )


def test_a_document_is_either_a_file_or_a_page(organiser, exhibitor, form, begun):
    about = {"entity_type": "contact", "entity_id": exhibitor["contact_id"]}
    organiser.post(
        "/documents", {**about, "filename": "a.txt", "template_id": form["id"]}, status=422
    )
    organiser.patch(f"/documents/{begun['id']}", {"content": "<p>x</p>"}, status=422)
    organiser.patch(f"/documents/{begun['id']}", {"filename": None}, status=422)


# Contracts


def test_a_contract_is_sent_signed_and_ended(organiser, contract, settings):
    address = f"/documents/{contract['id']}"
    assert organiser.data(f"{address}?include=allowed_actions")["allowed_actions"] == [
        "request-signature"
    ]
    sent = organiser.post(f"{address}/request-signature", status=200).json["data"]
    assert (sent["contract_status"], sent["esign_status"]) == ("pending_signature", "sent")
    assert (
        sent["requested_at"]
        and sent["requested_by"]
        and files.verify(settings, sent["signature_sha256"])
    )
    viewed = organiser.patch(address, {"esign_status": "viewed"}, status=200).json["data"]
    assert viewed["esign_status"] == "viewed" and viewed["contract_status"] == "pending_signature"
    body = {"signer_name": "Anna Gärtner", "signed_at": sent["requested_at"].replace("Z", "-00:00")}
    signed = organiser.post(f"{address}/mark-signed", body, status=200).json["data"]
    assert (signed["contract_status"], signed["esign_status"], signed["signer_name"]) == (
        "active",
        "signed",
        "Anna Gärtner",
    )
    assert (
        signed["signed_at"] == sent["requested_at"]
        and signed["signature_sha256"] == sent["signature_sha256"]
    )
    assert signed["signed_by"]
    for same in (body, {"signer_name": "Anna Gärtner"}):
        assert organiser.post(f"{address}/mark-signed", same, status=200).json["data"] == signed
    earlier = {
        **body,
        "signed_at": times.text(datetime.fromisoformat(sent["requested_at"]) - timedelta(days=1)),
    }
    for other in ({"signer_name": "Somebody Else"}, earlier):
        assert (
            organiser.post(f"{address}/mark-signed", other, status=409).json["code"]
            == "invalid_transition"
        )
    ended = organiser.post(f"{address}/terminate", status=200).json["data"]
    assert (
        ended["contract_status"] == "terminated"
        and ended["terminated_at"]
        and ended["terminated_by"]
    )
    assert organiser.post(f"{address}/terminate", status=200).json["data"] == ended
    problem = organiser.post(f"{address}/mark-signed", body, status=409).json
    assert (problem["code"], problem["state"]) == ("invalid_transition", "terminated")


@pytest.mark.parametrize("action", [None, "decline", "void"])
def test_only_a_requested_signature_can_be_recorded(organiser, contract, action):
    address = f"/documents/{contract['id']}"
    if action:
        organiser.post(f"{address}/request-signature", status=200)
        organiser.post(f"{address}/{action}", status=200)
    problem = organiser.post(f"{address}/mark-signed", {"signer_name": "Anna"}, status=409).json
    assert problem["code"] == "invalid_transition" and problem["allowed_from"] == ["sent", "viewed"]


def test_a_signature_is_neither_before_its_request_nor_in_the_future(organiser, contract):
    address = f"/documents/{contract['id']}"
    requested_at = organiser.post(f"{address}/request-signature", status=200).json["data"][
        "requested_at"
    ]
    for signed_at, code in (
        ("1999-01-01T00:00:00Z", "before_request"),
        ("2999-01-01T00:00:00Z", "future"),
    ):
        body = {"signer_name": "Anna", "signed_at": signed_at}
        [fault] = organiser.post(f"{address}/mark-signed", body, status=422).json["errors"]
        assert (fault["pointer"], fault["code"]) == ("/signed_at", code)
        assert code == "future" or requested_at in fault["detail"]
    assert organiser.data(address)["esign_status"] == "sent"


def test_a_sent_contract_cannot_change(organiser, contract):
    address = f"/documents/{contract['id']}"
    organiser.post(f"{address}/request-signature", status=200)
    frozen = organiser.get(
        f"{address}/content", headers={"Accept": "application/pdf, text/html;q=0.5"}, status=200
    ).body
    organiser.patch(f"/participants/{contract['entity_id']}", {"badge_name": "new"}, status=200)
    for body in ({"content": "<p>else</p>"}, {"metadata": {"term": "for ever"}}, {"title": "else"}):
        assert organiser.patch(address, body, status=409).json["code"] == "document_locked"
    organiser.patch(address, {"filename": "contract.pdf"}, status=200)
    assert (
        organiser.get(
            f"{address}/content", headers={"Accept": "application/pdf, text/html;q=0.5"}
        ).body
        == frozen
    )
    assert organiser.delete(address, status=409).json["used_by"] == ["contracts"]


@pytest.mark.parametrize("action, status", [("decline", "declined"), ("void", "voided")])
def test_an_unsigned_contract_can_return_to_draft(organiser, contract, action, status):
    address = f"/documents/{contract['id']}"
    assert organiser.post(f"{address}/{action}", status=409).json["code"] == "invalid_transition"
    organiser.post(f"{address}/request-signature", status=200)
    back = organiser.post(f"{address}/{action}", status=200).json["data"]
    assert (
        back["contract_status"],
        back["esign_status"],
        back["signature_sha256"],
        back["sha256"],
    ) == ("draft", status, None, None)
    organiser.patch(address, {"content": "<p>better</p>"}, status=200)
    assert (
        organiser.post(f"{address}/request-signature", status=200).json["data"]["esign_status"]
        == "sent"
    )


def test_esign_status_follows_the_table(organiser, contract):
    address = f"/documents/{contract['id']}"
    assert (
        organiser.patch(address, {"esign_status": "viewed"}, status=409).json["code"]
        == "invalid_transition"
    )
    assert (
        organiser.patch(address, {"esign_status": "sent"}, status=422).json["errors"][0]["pointer"]
        == "/esign_status"
    )
    organiser.post(f"{address}/request-signature", status=200)
    organiser.patch(address, {"esign_status": "signed"}, status=422)
    expired = organiser.patch(address, {"esign_status": "expired"}, status=200).json["data"]
    assert (expired["contract_status"], expired["esign_status"]) == ("draft", "expired")
    errors = organiser.post(f"{address}/request-signature", status=200)
    errors = organiser.post(
        f"{address}/mark-signed",
        {"signer_name": "A", "signed_at": "2999-01-01T00:00:00Z"},
        status=422,
    ).json["errors"]
    assert [entry["pointer"] for entry in errors] == ["/signed_at"]


def content(client, document, query="", **options):
    return client.get(f"/documents/{document['id']}/content{query}", status=200, **options).body


def digest(data):
    return hashlib.sha256(data).hexdigest()


def test_a_signed_copy_is_uploaded_before_mark_signed_which_freezes_it(organiser, contract):
    address = f"/documents/{contract['id']}"
    organiser.get(f"{address}/content?version=sent", status=404)
    sent = organiser.post(f"{address}/request-signature", status=200).json["data"]
    original = content(organiser, contract, "?version=sent")
    assert digest(original) == sent["signature_sha256"]
    for copy in (b"%PDF-1.7 first scan", PDF):
        uploaded = send(organiser, contract, copy, status=200).json["data"]
        assert (uploaded["sha256"], uploaded["signature_sha256"]) == (
            digest(copy),
            digest(original),
        )
        assert content(organiser, contract) == copy
    organiser.post(f"{address}/mark-signed", {"signer_name": "Anna"}, status=200)
    problem = send(organiser, contract, b"another", status=409).json
    assert (problem["code"], problem["state"]) == ("locked", "active")
    organiser.post(f"{address}/terminate", status=200)
    assert send(organiser, contract, b"another", status=409).json["code"] == "locked"
    assert (
        content(organiser, contract) == PDF
        and content(organiser, contract, "?version=sent") == original
    )
    part = organiser.get(
        f"{address}/content?version=sent", headers={"Range": "bytes=0-3"}, status=206
    )
    assert part.body == original[:4] and part.headers["ETag"] == f'"{digest(original)}"'


def test_a_contract_signed_without_an_upload_returns_the_bytes_that_were_sent(organiser, contract):
    address = f"/documents/{contract['id']}"
    sent = organiser.post(f"{address}/request-signature", status=200).json["data"]
    organiser.post(f"{address}/mark-signed", {"signer_name": "Anna"}, status=200)
    for accept in ("*/*", "text/html", "application/pdf"):
        for query in ("", "?version=sent"):
            assert (
                digest(content(organiser, contract, query, headers={"Accept": accept}))
                == sent["signature_sha256"]
            )
    assert send(organiser, contract, PDF, status=409).json["code"] == "locked"
    organiser.get(f"{address}/content?version=signed", status=422)


@pytest.mark.parametrize("action", ["decline", "void"])
def test_a_withdrawn_contract_loses_the_signed_copy_but_not_its_own_file(
    organiser, exhibitor, contract, action
):
    made = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "filename": "c.pdf",
            "is_contract": True,
        },
    )
    draft = send(organiser, made, PDF, status=200).json["data"]
    organiser.post(f"/documents/{made['id']}/request-signature", status=200)
    send(organiser, made, b"a scan of the signature", status=200)
    back = organiser.post(f"/documents/{made['id']}/{action}", status=200).json["data"]
    assert [back[name] for name in ("sha256", "content_type", "size")] == [
        draft[name] for name in ("sha256", "content_type", "size")
    ]
    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    send(organiser, contract, PDF, status=200)
    assert (
        organiser.post(f"/documents/{contract['id']}/{action}", status=200).json["data"]["sha256"]
        is None
    )


def test_generating_needs_the_scope_of_the_record(organiser, person, exhibitor, form):
    note = organiser.make(
        "/notes", {"entity_type": "contact", "entity_id": exhibitor["contact_id"], "note_text": "x"}
    )
    for kind, id, scope in (
        ("event_participant", exhibitor["id"], "participants"),
        ("contact", exhibitor["contact_id"], "contacts"),
        ("note", note["id"], "contacts"),
    ):
        body = {"entity_type": kind, "entity_id": id, "template_id": form["id"]}
        problem = person("documents").post("/documents", body, status=403).json
        assert (problem["code"], problem["scope"]) == ("insufficient_scope", f"{scope}:read"), kind
        for allowed in (f"{scope}:read", scope):
            person(f"documents {allowed}").post("/documents", body, status=201)
        person(f"{scope}:read documents:read").post("/documents", body, status=403)
        file = {"entity_type": kind, "entity_id": id, "filename": "a.txt"}
        person("documents").post("/documents", file, status=201)
    body = {"entity_type": "note", "entity_id": 999, "template_id": form["id"]}
    assert (
        person("documents").post("/documents", body, status=422).json["errors"][0]["pointer"]
        == "/entity_id"
    )


def test_a_file_may_be_a_contract(organiser, exhibitor):
    made = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "filename": "c.pdf",
            "is_contract": True,
        },
    )
    assert (
        organiser.post(f"/documents/{made['id']}/request-signature", status=409).json["code"]
        == "no_content"
    )
    sha256 = send(organiser, made, PDF, status=200).json["data"]["sha256"]
    assert (
        organiser.post(f"/documents/{made['id']}/request-signature", status=200).json["data"][
            "signature_sha256"
        ]
        == sha256
    )


def test_a_document_that_is_no_contract_cannot_be_signed(organiser, begun):
    for action, body in (
        ("request-signature", None),
        ("mark-signed", {"signer_name": "A"}),
        ("decline", None),
        ("void", None),
        ("terminate", None),
    ):
        assert (
            organiser.post(f"/documents/{begun['id']}/{action}", body, status=409).json["code"]
            == "no_contract"
        )
    organiser.patch(f"/documents/{begun['id']}", {"esign_status": "sent"}, status=409)


# Deletion and privacy


def test_deleting_a_record_deletes_its_documents_unless_one_is_signed(
    organiser, exhibitor, contract, begun
):
    organiser.delete(f"/participants/{exhibitor['id']}", status=204)
    organiser.get(f"/documents/{contract['id']}", status=404)
    organiser.delete(f"/contacts/{exhibitor['contact_id']}", status=204)
    organiser.get(f"/documents/{begun['id']}", status=404)


def test_a_record_with_a_sent_contract_cannot_be_deleted(organiser, exhibitor, contract):
    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    answer = organiser.delete(f"/participants/{exhibitor['id']}", status=409).json
    assert answer["code"] == "in_use" and answer["used_by"] == ["contracts"]


def test_every_change_is_journalled_and_content_by_its_hash(organiser, contract, db):
    organiser.patch(f"/documents/{contract['id']}", {"content": "<p>new</p>"}, status=200)
    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    organiser.post(f"/documents/{contract['id']}/void", status=200)
    organiser.delete(f"/documents/{contract['id']}", status=204)
    entries = db.connection.execute(
        "SELECT action, new_values FROM audit_log WHERE entity_type = 'document' ORDER BY id"
    ).fetchall()
    assert [action for action, _ in entries] == [
        "created",
        "updated",
        "signature_requested",
        "voided",
        "deleted",
    ]
    assert hashlib.sha256(b"<p>new</p>").hexdigest() in entries[1][1]


def items(client, participant):
    readiness = client.data(f"/participants/{participant['id']}/readiness")
    assert bool(client.data(f"/participants?ready=1&ids={participant['id']}")) == readiness["ready"]
    return {entry["item"]: entry["status"] for entry in readiness["items"]}


def test_readiness_requires_an_existing_contract_to_be_signed(organiser, exhibitor, form):
    assert items(organiser, exhibitor)["contract"] == "not_required"
    made = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor["id"],
            "template_id": form["id"],
        },
    )
    assert items(organiser, exhibitor)["contract"] == "open"
    organiser.post(f"/documents/{made['id']}/request-signature", status=200)
    assert items(organiser, exhibitor)["contract"] == "open"
    organiser.post(f"/documents/{made['id']}/mark-signed", {"signer_name": "Anna"}, status=200)
    assert items(organiser, exhibitor)["contract"] == "done"
    organiser.post(f"/documents/{made['id']}/terminate", status=200)
    assert items(organiser, exhibitor)["contract"] == "open"


def test_a_speaker_is_ready_only_with_a_signed_contract(organiser, exhibitor, form):
    speaker = organiser.make(
        "/participants",
        {
            "event_id": exhibitor["event_id"],
            "contact_id": exhibitor["contact_id"],
            "role": "speaker",
            "is_confirmed": True,
        },
    )
    assert organiser.data(f"/participants/{speaker['id']}/readiness")["ready"]
    made = organiser.make(
        "/documents",
        {"entity_type": "event_participant", "entity_id": speaker["id"], "template_id": form["id"]},
    )
    assert {
        name: status
        for name, status in items(organiser, speaker).items()
        if status != "not_required"
    } == {"contract": "open", "badge": "done"}
    organiser.post(f"/documents/{made['id']}/request-signature", status=200)
    organiser.post(f"/documents/{made['id']}/mark-signed", {"signer_name": "Anna"}, status=200)
    assert items(organiser, speaker)["contract"] == "done"


def test_documents_are_exported_and_erased_except_signed_contracts(
    organiser, exhibitor, contract, begun, db, settings
):
    send(organiser, begun, b"personal data", status=200)
    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    with db.write():
        db.connection.execute(
            "UPDATE documents SET requested_at = '2026-03-01T10:00:00Z' WHERE is_contract"
        )
    organiser.post(
        f"/documents/{contract['id']}/mark-signed",
        {"signer_name": "Anna", "signed_at": "2026-03-04T10:00:00Z"},
        status=200,
    )
    contact = f"/contacts/{exhibitor['contact_id']}"
    assert [document["id"] for document in organiser.data(f"{contact}/export")["documents"]] == [
        contract["id"],
        begun["id"],
    ]
    kept = organiser.post(f"{contact}/anonymize", {"force": True}, status=200).json["data"]["kept"]
    assert kept == [
        {
            "document_id": contract["id"],
            "document_number": contract["document_number"],
            "signed_on": "2026-03-04",
            "kept_until": "2034-12-31",
        }
    ]
    organiser.get(f"/documents/{begun['id']}", status=404)
    assert organiser.data(f"/documents/{contract['id']}")["metadata"] is None
    assert not db.connection.execute(
        "SELECT 1 FROM audit_log WHERE entity_type = 'document' AND new_values IS NOT NULL"
    ).fetchall()
    from eventapi.domain.upkeep import housekeeping

    used = housekeeping.used_files(db)
    assert hashlib.sha256(b"personal data").hexdigest() not in used and len(used) == 1


def test_a_signed_contract_of_an_anonymised_contact_is_erased_after_its_retention(
    organiser, exhibitor, contract, db
):
    from eventapi.domain.privacy import erasing

    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    organiser.post(f"/documents/{contract['id']}/mark-signed", {"signer_name": "Anna"}, status=200)
    organiser.post(f"/contacts/{exhibitor['contact_id']}/anonymize", {"force": True}, status=200)
    with db.write():
        db.connection.execute("UPDATE documents SET signed_at = '2010-01-01T00:00:00Z'")
        db.connection.execute("UPDATE anonymizations SET kept_until = '2018-12-31'")
    assert erasing.end_retention(db) == 1
    organiser.get(f"/documents/{contract['id']}", status=404)


def test_what_is_kept_is_erased_after_the_last_day_of_its_retention(
    organiser, exhibitor, contract, db, monkeypatch
):
    """A contract that was signed in 2026, and an invoice of that year: until the end of 2034 in
    Berlin.
    """
    from eventapi.domain.privacy import erasing

    contact = f"/contacts/{exhibitor['contact_id']}"
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": exhibitor["contact_id"],
            "invoice_number": "OLD-1",
            "issue_date": "2026-01-01",
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100}],
        },
    )
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    with db.write():
        db.connection.execute(
            "UPDATE documents SET requested_at = '2026-03-01T10:00:00Z' WHERE is_contract"
        )
    organiser.post(
        f"/documents/{contract['id']}/mark-signed",
        {"signer_name": "Anna", "signed_at": "2026-03-04T10:00:00Z"},
        status=200,
    )
    monkeypatch.setattr(times, "now", lambda: "2034-12-31T22:59:59Z")
    kept = organiser.post(f"{contact}/anonymize", {"force": True}, status=200).json["data"]["kept"]
    assert [entry["kept_until"] for entry in kept] == ["2034-12-31"] * 2
    assert erasing.end_retention(db) == 0
    organiser.get(f"/documents/{contract['id']}", status=200)
    assert organiser.data(f"/invoices/{draft['id']}")["items"][0]["description"] == "Stand"
    monkeypatch.setattr(times, "now", lambda: "2034-12-31T23:00:00Z")
    assert erasing.end_retention(db) == 1
    organiser.get(f"/documents/{contract['id']}", status=404)
    assert organiser.data(f"/invoices/{draft['id']}")["items"][0]["description"] == "-"
    assert erasing.end_retention(db) == 0


def test_a_merge_moves_documents(organiser, exhibitor, contract, begun):
    twin = organiser.make("/contacts", {"company_name": "Rosen und Söhne"})
    kept = organiser.make(
        "/participants", {"event_id": exhibitor["event_id"], "contact_id": twin["id"]}
    )
    organiser.post(
        f"/contacts/{twin['id']}/merge", {"duplicate_id": exhibitor["contact_id"]}, status=200
    )
    assert organiser.data(f"/documents/{contract['id']}")["entity_id"] == kept["id"]
    assert organiser.data(f"/documents/{begun['id']}")["entity_id"] == twin["id"]


# Drawing runs before the write lock is taken


def test_the_page_to_sign_is_drawn_before_the_write_lock(organiser, contract, db, monkeypatch):
    draw, locked = pages.to_sign, []
    monkeypatch.setattr(
        pages,
        "to_sign",
        lambda *row: locked.append(db.write_lock.thread_lock.locked()) or draw(*row),
    )
    organiser.post(f"/documents/{contract['id']}/request-signature", status=200)
    assert locked == [False]


def test_a_contract_that_changed_since_it_was_drawn_is_drawn_again(
    organiser, contract, db, settings, monkeypatch
):
    to_sign, drawn = pages.to_sign, []

    def change_after(config, row, party):
        page = to_sign(config, row, party)
        if not drawn:
            other = threading.Thread(
                target=organiser.patch,
                args=(f"/documents/{contract['id']}", {"title": "Another title"}),
            )
            other.start()
            other.join()
        drawn.append(row["title"])
        return page

    monkeypatch.setattr(pages, "to_sign", change_after)
    sent = organiser.post(f"/documents/{contract['id']}/request-signature", status=200).json["data"]
    assert drawn == [contract["title"], "Another title"]
    row = document_rows.row(db, contract["id"])
    page = to_sign(settings, row, pages.partner(db, row))[1]
    assert sent["signature_sha256"] == hashlib.sha256(page).hexdigest()
