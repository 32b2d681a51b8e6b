"""Characters that no font of the server has: a box is printed in their place, and check and send
name each text.
"""

import json
import random
from io import BytesIO

import pytest

from eventapi.domain.billing import invoices
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.errors import Problem
from eventapi.pictures import fonts
from tests.einvoices_sent.conftest import BUYER, STAND, act, today, xml_of
from tests.support.einvoices import besides_treatment

pytest.importorskip("reportlab")
pypdf = pytest.importorskip("pypdf")
pytestmark = pytest.mark.skipif(
    not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed"
)
FLOWERS = "\u0634\u0631\u0643\u0629"  # Arabic letters, which no font of ours may draw
ADVICE = (
    "No installed font has the character \u0634 (U+0634): write the text in Latin letters, because right-to-left "
    "scripts are not supported."
)


def draft_for(organiser, contact=(), **fields):
    buyer = organiser.make("/contacts", {**BUYER, **dict(contact)})
    body = {"contact_id": buyer["id"], "items": [STAND], "service_date": today(), **fields}
    return organiser.make("/invoices", body)


@pytest.mark.parametrize(
    "contact, fields, field",
    [
        ({"company_name": FLOWERS}, {}, "contact.company_name or last_name"),
        ({"last_name": FLOWERS}, {}, "contact.first_name or last_name"),
        ({"address": f"Weg 1\n{FLOWERS}"}, {}, "contact.address"),
        ({"city": FLOWERS}, {}, "contact.city"),
        ({}, {"items": [{**STAND, "description": FLOWERS}]}, "items"),
        ({}, {"items": [{**STAND, "unit": FLOWERS}]}, "items"),
        ({}, {"text": FLOWERS}, "text"),
        ({}, {"buyer_reference": FLOWERS}, "buyer_reference"),
    ],
)
def test_the_check_names_the_field_whose_letters_cannot_be_drawn(organiser, contact, fields, field):
    draft = draft_for(organiser, contact, **fields)
    for is_sent in (False, True):
        checked = act(organiser, draft, "check")
        assert (checked["is_valid"], checked["faults"]) == (True, [])
        warning = {
            "code": "missing_glyph",
            "field": field,
            "detail": f"The PDF shows □ in its place. {ADVICE}",
        }
        assert besides_treatment(checked["warnings"]) == [{"rule": None, "term": None, **warning}]
        if not is_sent:
            sent = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json
            assert besides_treatment(sent["meta"]["warnings"]) == [warning]
    file = organiser.get(f"/invoices/{draft['id']}/pdf", status=200).body
    text = "".join(page.extract_text() for page in pypdf.PdfReader(BytesIO(file)).pages)
    assert "□" * len(FLOWERS) in text and FLOWERS not in text
    assert FLOWERS in xml_of(organiser, draft).decode()


def test_no_mail_is_promised_that_cannot_be_built(organiser, settings, monkeypatch):
    settings.smtp_host, settings.smtp_sender = "smtp.messe.test", "office@messe.test"
    for name in (FLOWERS, "Żółta Gęś & Łódź, Γάτα, Юлія"):
        draft = draft_for(organiser, {"city": name})
        assert organiser.post(f"/invoices/{draft['id']}/send", {"mail": True}, status=200).json[
            "meta"
        ]["mail"] == {"status": "queued"}
    monkeypatch.setattr(
        invoice_pdf.hybrid, "obstacle", lambda: Problem("not_installed", "Install python3-pypdf.")
    )
    draft = draft_for(organiser)
    refused = act(organiser, draft, "send", {"mail": True}, status=501)
    assert refused["code"] == "not_installed" and refused["detail"].endswith(
        "without its PDF. Install python3-pypdf."
    )
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json
    assert sent["meta"]["mail"] == {"status": "skipped", "reason": "not_installed"}


def test_without_a_package_the_check_says_that_there_is_no_pdf(organiser, monkeypatch):
    monkeypatch.setattr(
        invoice_pdf.hybrid, "obstacle", lambda: Problem("fonts_missing", "Install fonts.")
    )
    draft = draft_for(organiser, {"city": FLOWERS})
    assert besides_treatment(act(organiser, draft, "check")["warnings"]) == [
        {
            "rule": None,
            "term": None,
            "code": None,
            "field": None,
            "detail": "The PDF cannot be drawn: Install fonts.",
        }
    ]


def texts_of(value, path=()):
    """Yield the path of each text in a row of an invoice."""
    if isinstance(value, str):
        yield path
    for key, part in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from texts_of(part, (*path, key))


def with_letter(row, path):
    """Return the row with another letter at the end of one text."""
    copy = place = json.loads(json.dumps(row))
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] += FLOWERS
    return {**copy, "seller": json.dumps(copy["seller"]), "buyer": json.dumps(copy["buyer"])}


# Fields with a fixed set of values
CODES = set(
    """
    currency status invoice_type language country tax_category category locked_at created_at updated_at issue_date
    related_issue_date due_date service_date service_date_to iban bic e_invoice_profile xml_sha256 leitweg_id
    electronic_address gln debtor_number deposit_ids""".split()
)


def test_every_text_that_is_drawn_is_looked_at(organiser, db, settings, monkeypatch):
    """A text is named if and only if drawing it needs a box, which is a Problem here."""
    monkeypatch.setattr(fonts, "boxes", lambda: fonts.lock)
    settings.organiser_iban = "DE02120300000000202051"
    settings.organiser_tax_number = "231/123/45678"
    items = [
        {
            **STAND,
            "unit": "night",
            "tax_category": "E",
            "exemption_reason": "Lecture",
            "tax_rate": 0,
        }
    ]
    draft = draft_for(
        organiser, {"state": "Wien"}, items=items, text="Thanks", buyer_reference="PO 1"
    )
    act(organiser, draft, "send", {"mail": False})
    credit = act(organiser, draft, "cancel", {"reason": "Twice", "mail": False})[
        "related_invoice_id"
    ]
    looked_at = set()
    for id in (draft["id"], credit):
        row = {**invoices.row(db, id), "xml_sha256": None}
        row = {
            **invoice_pdf.as_sent(row),
            **invoice_pdf.printed(db, row),
            "seller": json.loads(row["seller"]),
            "buyer": json.loads(row["buyer"]),
        }
        for path in texts_of(row):
            if path[-1] in CODES:
                continue
            changed = with_letter(row, path)
            try:
                invoice_pdf.draw(
                    settings,
                    changed,
                    *(json.loads(changed[name]) for name in ("seller", "buyer")),
                    "en",
                )
                is_drawn = True
            except Problem:
                is_drawn = False
            found = [
                field
                for field, text, bold in invoice_pdf._texts(invoices.represent(changed))
                if fonts.obstacle(text or "", bold)
            ]
            assert bool(found) == (not is_drawn), (path, found)
            looked_at |= {path[-1]} if found else set()
    assert looked_at >= {
        "name",
        "address",
        "street",
        "city",
        "state",
        "description",
        "unit",
        "reason",
        "text",
        "buyer_reference",
        "cancellation_reason",
        "customer_number",
        "postal_code",
        "email",
    }


def test_a_text_without_obstacle_can_be_drawn():
    chance = random.Random(1)
    for _ in range(2000):
        text = "".join(
            chr(chance.choice((chance.randrange(32, 0x600), chance.randrange(32, 0xD800))))
            for _ in "ab"
        )
        for bold in (False, True):
            try:
                fonts.wrap(text, 9, 100, bold)
                can_be_drawn = True
            except Problem:
                can_be_drawn = False
            assert (fonts.obstacle(text, bold) is None) == can_be_drawn, ascii(text)
