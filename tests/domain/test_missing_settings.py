"""What the settings of the organiser lack: the list, and each place that says so."""

import pytest

from eventapi import config as configuration
from eventapi.domain.organiser import missing
from tests.domain.test_tax_warnings import BUYER, ITEM

COMPLETE = {
    "organiser_name": "Messe Test GmbH",
    "organiser_street": "Am Markt 1",
    "organiser_city": "Leipzig",
    "organiser_email": "office@messe.test",
    "organiser_tax_number": "231/1/2",
    "organiser_iban": "DE02120300000000202051",
    "smtp_host": "mail.messe.test",
    "smtp_sender": "office@messe.test",
    "base_url": "https://shows.messe.test",
}
SEND, IMPRINT = ("send",), ("send", "public")
ELSEWHERE = {"imprint_url": "https://messe.test/imprint"}
WRONG_IBAN = "DE03120300000000202051"
TABLE = {
    "nothing": ({}, []),
    "name": ({"organiser_name": ""}, [("no_name", ("organiser_name",), IMPRINT)]),
    "street": ({"organiser_street": ""}, [("no_address", ("organiser_street",), IMPRINT)]),
    "address": (
        {"organiser_street": "", "organiser_city": ""},
        [("no_address", ("organiser_street", "organiser_city"), IMPRINT)],
    ),
    "numbers": (
        {"organiser_tax_number": ""},
        [("no_tax_number", ("organiser_vat_id", "organiser_tax_number"), SEND)],
    ),
    "VAT id only": ({"organiser_tax_number": "", "organiser_vat_id": "DE136695976"}, []),
    "rate": ({"organiser_country": "AU"}, [("no_tax_rate", ("tax_rate",), SEND)]),
    "rate 0": ({"organiser_country": "AU", "tax_rate": "0"}, []),
    "wrong IBAN": (
        {"organiser_iban": WRONG_IBAN},
        [("wrong_identifier", ("organiser_iban",), SEND)],
    ),
    "two wrong": (
        {"organiser_iban": WRONG_IBAN, "organiser_bic": "BYLADEM10012"},
        [("wrong_identifier", ("organiser_iban", "organiser_bic"), SEND)],
    ),
    "email": ({"organiser_email": ""}, [("no_email", ("organiser_email",), ("public",))]),
    "other imprint": ({**ELSEWHERE, "organiser_email": ""}, []),
    "other imprint, no name": (
        {**ELSEWHERE, "organiser_name": ""},
        [("no_name", ("organiser_name",), SEND)],
    ),
    "account": ({"organiser_iban": ""}, [("no_bank_account", ("organiser_iban",), ())]),
    "mail server": ({"smtp_host": ""}, [("no_mail_server", ("smtp_host",), ("mail",))]),
    "mail": (
        {"smtp_host": "", "smtp_sender": ""},
        [("no_mail_server", ("smtp_host", "smtp_sender"), ("mail",))],
    ),
    "address of the server": ({"base_url": ""}, [("no_base_url", ("base_url",), ("public",))]),
}


@pytest.mark.parametrize("name", TABLE)
def test_each_gap_names_its_options_and_what_it_prevents(name, tmp_path):
    changed, expected = TABLE[name]
    (tmp_path / "eventapi.conf").write_text("[eventapi]\n")
    environ = {"EVENTAPI_CONFIG": str(tmp_path / "eventapi.conf")}
    config = configuration.load(environ=environ, **{**COMPLETE, **changed})
    assert [(gap.code, gap.settings, gap.blocks) for gap in missing.of(config)] == expected


@pytest.fixture
def draft(organiser):
    """Return a draft whose buyer lacks nothing."""
    buyer = organiser.make("/contacts", BUYER)
    return organiser.make("/invoices", {"contact_id": buyer["id"], "items": [ITEM]})


# The values that are missing -> the names in a 409 of an invoice, which clients know since 1.0
OF_INVOICES = {
    "name": ({"organiser_name": ""}, ["organiser_name"]),
    "address": (
        {"organiser_street": "", "organiser_city": ""},
        ["organiser_street", "organiser_city"],
    ),
    "numbers": (
        {"organiser_vat_id": "", "organiser_tax_number": ""},
        ["organiser_vat_id or organiser_tax_number"],
    ),
    "rate": ({"is_tax_rate_known": False}, ["option tax_rate"]),
    "wrong": ({"organiser_iban": WRONG_IBAN}, ["organiser_iban"]),
    "all": (
        {
            "organiser_name": "",
            "organiser_street": "",
            "organiser_vat_id": "",
            "organiser_tax_number": "",
            "is_tax_rate_known": False,
            "organiser_bic": "BYLADEM10012",
        },
        [
            "organiser_name",
            "organiser_street",
            "organiser_vat_id or organiser_tax_number",
            "option tax_rate",
            "organiser_bic",
        ],
    ),
}


@pytest.mark.parametrize("name", OF_INVOICES)
def test_an_invoice_names_what_the_settings_lack(organiser, draft, settings, name):
    changed, expected = OF_INVOICES[name]
    vars(settings).update(changed)
    refused = organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert (refused["code"], refused["missing"]) == ("invoice_incomplete", expected)
    checked = organiser.post(f"/invoices/{draft['id']}/check", status=200).json["data"]
    assert [fault["field"] for fault in checked["faults"]][: len(expected)] == expected
    body = {"action": "send", "ids": [draft["id"]], "dry_run": True}
    trial = organiser.post("/invoices/batch", body, status=200).json["data"]["results"][0]
    assert trial["problem"]["missing"] == expected
