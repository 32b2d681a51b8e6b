"""Electronic addresses of seller and buyer over Peppol, which has no e-mail addresses
(PEPPOL-EN16931-CL008).
"""

import pytest

from eventapi.domain.einvoices import reading
from tests.einvoices_sent.conftest import BUYER, STAND, act, today, xml_of
from tests.support.einvoices import besides_treatment

PEPPOL = "?profile=peppol&syntax=ubl"


@pytest.fixture
def draft_for(organiser):
    """Return a function that creates a draft for a contact with the profile `peppol`."""

    def make(item=STAND, **contact):
        buyer = organiser.make("/contacts", {**BUYER, "e_invoice_profile": "peppol", **contact})
        body = {
            "contact_id": buyer["id"],
            "items": [item],
            "buyer_reference": "PO 1",
            "service_date": today(),
        }
        return organiser.make("/invoices", body)

    return make


@pytest.mark.parametrize(
    "configured, expected",
    [
        ("", ("9930", "DE136695976")),
        ("EM:office@messe.test", ("9930", "DE136695976")),
        ("0088:4012345000009", ("0088", "4012345000009")),
    ],
)
def test_the_seller_has_its_vat_id_or_the_configured_peppol_id(
    organiser, settings, draft_for, configured, expected
):
    settings.organiser_electronic_address = configured
    draft = draft_for()
    checked = act(organiser, draft, "check")
    warnings = besides_treatment(checked["warnings"])
    assert (checked["is_valid"], checked["profile"], checked["faults"], warnings) == (
        True,
        "peppol",
        [],
        [],
    )
    invoice = act(organiser, draft, "send")
    seller = reading.read(xml_of(organiser, invoice, PEPPOL)).seller
    assert (seller.address_scheme, seller.address) == expected
    for query in ("", "?profile=xrechnung"):  # other profiles keep the mail address
        other = reading.read(xml_of(organiser, invoice, query)).seller
        assert (other.address_scheme, other.address) == (
            expected if configured[:4] == "0088" else ("EM", "office@messe.test")
        )


def test_a_seller_without_vat_id_needs_a_peppol_id(organiser, settings, draft_for):
    settings.organiser_vat_id = ""
    draft = draft_for({**STAND, "tax_rate": 0, "tax_category": "E", "exemption_reason": "x"})
    answer = act(organiser, draft, "send", status=409)
    assert (answer["code"], answer["missing"]) == (
        "invoice_incomplete",
        ["organiser_electronic_address"],
    )
    settings.organiser_electronic_address = "0088:4012345000009"
    assert act(organiser, draft, "send")["status"] == "sent"


@pytest.mark.parametrize(
    "contact",
    [
        {"tax_id": None},
        {"electronic_address": "EM:office@muster.example"},
        {"tax_id": "FI20774740", "country": "FI"},
        {"tax_id": None, "email": None},
    ],
)
def test_a_buyer_without_peppol_id_is_refused_before_the_number_is_used(
    organiser, draft_for, contact
):
    draft = draft_for(**contact)
    answer = act(organiser, draft, "send", status=409)
    assert (answer["code"], answer["missing"]) == (
        "invoice_incomplete",
        ["contact.electronic_address"],
    )
    (fault,) = act(organiser, draft, "check")["faults"]
    assert (
        "EM for an e-mail address" not in fault["detail"] and "0088 with a GLN" in fault["detail"]
    )
    assert organiser.data("/invoices/numbering") == []
    assert act(organiser, draft, "check", {"profile": "en16931"})["is_valid"]


@pytest.mark.parametrize(
    "address, cause",
    [
        (
            "0208:0123456789",
            "0208 and a Belgian enterprise number, which has 10 digits, the last two check digits, such as "
            "0428759497",
        ),
        (
            "9999:abc",
            "SCHEME:ID with a code of the EAS list, which lacks 9999: 0204 for a Leitweg-ID, 0088 for a GLN, 9930 "
            "for a German VAT id, EM for an e-mail address",
        ),
        (
            "0088:4012345000008",
            "0088 and a GLN, which has 13 digits, the last a check digit, such as 4012345000009",
        ),
        (
            "0204:991-33333TEST-34",
            "a Leitweg-ID without a typing error: its check digits do not match the rest",
        ),
        ("EM:office", "EM and an e-mail address, such as EM:office@rosen.example"),
        ("0208", "SCHEME:ID with a code of the EAS list, such as 9930:DE136695976"),
    ],
)
def test_a_contact_gets_no_wrong_electronic_address(organiser, address, cause):
    body = {"company_name": "Rosen KG", "electronic_address": address}
    (fault,) = organiser.post("/contacts", body, status=422).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("/electronic_address", "format")
    assert fault["detail"].startswith(f"must be {cause}")
