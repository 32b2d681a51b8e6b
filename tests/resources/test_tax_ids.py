"""VAT ids of contacts and applications, and identifiers of the organiser in the configuration."""

import logging

import pytest

from eventapi import config, times
from eventapi.cli.servers import _warn_of_identifiers
from eventapi.demo import names
from eventapi.domain.einvoices import reading
from eventapi.validation import identifiers
from eventapi.validation.identifiers.organiser import doubtful_options, faulty_options


@pytest.mark.parametrize(
    "path, body", [("/contacts", {}), ("/applications", {"event_keys": ["fair"]})]
)
@pytest.mark.parametrize(
    "sent, stored",
    [
        ("de 136.695.976", "DE136695976"),
        ("GR 094259216", "EL094259216"),
        ("CHE-107.787.577 MWST", "CHE107787577MWST"),
        ("231/123/45678", "231/123/45678"),
        ("FRNGPP80A01H501X", "FRNGPP80A01H501X"),
        ("12-3456789", "12-3456789"),
        ("DE136695976-00001", "DE136695976-00001"),
        ("GB 123", "GB 123"),
        (None, None),
    ],
)
def test_a_vat_id_is_stored_in_its_canonical_form_and_other_numbers_as_sent(
    organiser, path, body, sent, stored
):
    organiser.make("/events", {"title": "Fair", "event_key": "fair", "date_from": "2030-05-01"})
    record = organiser.make(path, {"company_name": "Rosen KG", "tax_id": sent, **body})
    assert record["tax_id"] == stored


@pytest.mark.parametrize(
    "sent, reason",
    [
        (
            "DE123456789",
            "must be a VAT id without a typing error: its check digits do not match the rest (send a national "
            "tax number without DE before it), but is DE123456789",
        ),
        (
            "DE 1",
            "must be a VAT id; after DE it has 9 digits, the first not 0 (send a national tax number without DE "
            "before it), but is DE 1",
        ),
        (
            "DE12/345/67890",
            "must be a VAT id; after DE it has 9 digits, the first not 0 (send a national tax number "
            "without DE before it), but is DE12/345/67890",
        ),
    ],
)
def test_what_begins_as_a_vat_id_and_is_none_is_refused_with_the_way_out(organiser, sent, reason):
    contact = organiser.make("/contacts", {"company_name": "Rosen KG"})
    for method, path in (
        ("POST", "/contacts"),
        ("PATCH", f"/contacts/{contact['id']}"),
        ("POST", "/applications"),
    ):
        body = {"tax_id": sent, "company_name": "Rosen KG"} | (
            {"event_keys": ["x"]} if "app" in path else {}
        )
        answer = organiser(method, path, body, status=422)
        assert {"pointer": "/tax_id", "code": "format", "detail": reason} in answer.json["errors"]


def test_other_fields_of_a_contact_with_a_wrong_vat_id_can_change(organiser, db):
    contact = organiser.make("/contacts", {"company_name": "Rosen KG"})
    db.connection.execute("UPDATE contacts SET tax_id = 'DE1'")
    changed = organiser.patch(f"/contacts/{contact['id']}", {"city": "Halle"}, status=200).json[
        "data"
    ]
    assert (changed["city"], changed["tax_id"]) == ("Halle", "DE1")


def test_what_version_1_0_has_stored_can_be_sent_back(organiser, db):
    """Programs that synchronise records read and write them whole."""
    organiser.make("/events", {"title": "Fair", "event_key": "fair", "date_from": "2030-05-01"})
    stored = "DE 12/345/67890"
    for path, body in (
        ("/contacts", {"external_id": "x1"}),
        ("/applications", {"event_keys": ["fair"]}),
    ):
        record = organiser.make(path, {"company_name": "Rosen KG", **body})
        db.connection.execute(f"UPDATE {path[1:]} SET tax_id = ?", [stored])
        found = organiser.data(f"{path}/{record['id']}")
        for method, sent in (("PATCH", {"tax_id": stored}), ("PUT", {**found, **body})):
            changed = organiser(method, f"{path}/{record['id']}", sent, status=200).json["data"]
            assert changed["tax_id"] == stored
        answer = organiser.patch(
            f"{path}/{record['id']}", {"tax_id": "DE 12/345/67891"}, status=422
        ).json
        assert [fault["pointer"] for fault in answer["errors"]] == ["/tax_id"]
    for tax_id, errors in ((stored, []), ("DE 1", ["tax_id"])):
        records = [{"external_id": "x1", "city": "Halle", "tax_id": tax_id}]
        result = organiser.post(
            "/bulk-import/contacts",
            {"mode": "update", "match_field": "external_id", "records": records},
            status=201,
        ).json["data"]
        assert [error["field"] for error in result["errors"]] == errors
    assert organiser.data("/contacts")[0]["city"] == "Halle"


def test_an_import_of_participants_rejects_a_new_contact_with_a_wrong_vat_id(organiser):
    event = organiser.make(
        "/events", {"title": "Fair", "event_key": "fair", "date_from": "2030-05-01"}
    )
    body = {
        "event_id": event["id"],
        "match_field": "email",
        "create_contacts": True,
        "records": [{"email": "a@rosen.example", "company_name": "A", "tax_id": "DE 1"}],
    }
    result = organiser.post("/bulk-import/participants", body, status=201).json["data"]
    assert [error["field"] for error in result["errors"]] == ["tax_id"] and organiser.data(
        "/contacts"
    ) == []


def settings(**given):
    return config.load(environ={}, **given)


@pytest.mark.parametrize(
    "name, value, cause",
    [
        (
            "organiser_iban",
            "DE03120300000000202051",
            "must be an IBAN without a typing error: its check digits do not match the rest.",
        ),
        (
            "organiser_bic",
            "BYLADEM",
            "must be a BIC with 8 or 11 characters, such as BYLADEM1001; it has 7.",
        ),
        (
            "organiser_electronic_address",
            "office@messe.test",
            "must be SCHEME:ID with a code of the EAS list, such as 9930:DE136695976.",
        ),
        ("organiser_country", "UK", "must be a country code (ISO 3166-1) such as GB."),
        (
            "organiser_vat_id",
            "DE12345678",
            "must be a VAT id; after DE it has 9 digits, the first not 0.",
        ),
    ],
)
def test_a_wrong_identifier_does_not_prevent_the_start_and_is_named(name, value, cause, caplog):
    wrong = settings(**{name: value})
    assert faulty_options(wrong) == {name: f"{name} = {value!r} {cause}"}
    with caplog.at_level(logging.WARNING):
        _warn_of_identifiers(wrong)
    assert [
        record.getMessage() for record in caplog.records if record.name == "eventapi.serve"
    ] == [
        f"invoices cannot be sent: {name} = {value!r} {cause} Correct it in the environment, and restart the service"
    ]


def test_a_wrong_identifier_of_the_environment_is_corrected_there(tmp_path, monkeypatch, caplog):
    (tmp_path / "eventapi.conf").write_text("[eventapi]\norganiser_bic = BYLADEM\n")
    monkeypatch.setenv("EVENTAPI_ORGANISER_IBAN", "DE03120300000000202051")
    monkeypatch.setenv("EVENTAPI_DATA_DIR", str(tmp_path))
    with caplog.at_level(logging.WARNING):
        _warn_of_identifiers(config.load(tmp_path / "eventapi.conf"))
    iban, bic = [
        record.getMessage() for record in caplog.records if record.name == "eventapi.serve"
    ]
    assert "Correct it in the variable EVENTAPI_ORGANISER_IBAN, and" in iban
    assert f"Correct it in {tmp_path}/eventapi.conf, and" in bic


def test_identifiers_of_the_configuration_become_canonical():
    right = settings(
        organiser_iban="de02 1203 0000 0000 2020 51",
        organiser_bic="bylade m1001",
        organiser_vat_id="DE 136 695 976",
    )
    assert (right.organiser_iban, right.organiser_bic, right.organiser_vat_id) == (
        "DE02120300000000202051",
        "BYLADEM1001",
        "DE136695976",
    )
    assert faulty_options(right) == doubtful_options(right) == faulty_options(settings()) == {}


def test_a_further_account_without_iban_is_not_doubtful():
    assert doubtful_options(settings(bank_accounts="98765-4321, 12-345")) == {}
    (sentence,) = doubtful_options(
        settings(bank_accounts="98765-4321, DE02120300000000202052")
    ).values()
    assert "DE02120300000000202052" in sentence and "check digits" in sentence


def test_a_vat_id_of_another_country_is_doubtful_and_not_wrong():
    abroad = settings(organiser_vat_id="ATU13585627", organiser_country="CH")
    assert faulty_options(abroad) == {}
    assert doubtful_options(abroad) == {
        "organiser_vat_id": "organiser_vat_id begins with AT, but organiser_country is "
        "CH. Correct one of them, unless the organiser is registered for VAT abroad."
    }
    assert doubtful_options(settings(organiser_vat_id="EL094259216", organiser_country="GR")) == {}


def test_wrong_check_digits_of_the_organiser_are_doubtful(caplog):
    wrong = settings(organiser_vat_id="DE123456789")
    sentence = (
        "organiser_vat_id = 'DE123456789' must be a VAT id without a typing error: its check digits do not "
        "match the rest. Invoices are sent all the same."
    )
    assert (faulty_options(wrong), doubtful_options(wrong)) == ({}, {"organiser_vat_id": sentence})
    with caplog.at_level(logging.WARNING):
        _warn_of_identifiers(wrong)
    assert [
        record.getMessage() for record in caplog.records if record.name == "eventapi.serve"
    ] == [f"{sentence} The option is in the environment"]


@pytest.mark.parametrize("number", ["DE123456789", "ATU12345678"])
def test_a_number_with_wrong_check_digits_that_an_earlier_version_stored_is_not_invoiced(
    organiser, app, db, number
):
    assert not identifiers.is_vat_id(number)
    buyer = organiser.make(
        "/contacts", {"company_name": "Muster AG", "address": "Weg 1", "city": "Wien"}
    )
    db.connection.execute("UPDATE contacts SET tax_id = ?", [number])
    app.app.settings.organiser_vat_id = "DE123456789"
    for is_reverse_charge in (False, True):
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": buyer["id"],
                "is_reverse_charge": is_reverse_charge,
                "items": [{"description": "Row stand", "quantity": 1, "unit_price": 100}],
            },
        )
        problem = organiser.post(f"/invoices/{draft['id']}/send", status=409).json
        assert (problem["code"], problem["missing"]) == (
            "invoice_incomplete",
            ["contact.tax_id", "organiser_vat_id"],
        )
        checked = organiser.post(f"/invoices/{draft['id']}/check", status=200).json["data"]
        assert {fault["field"] for fault in checked["faults"]} == {
            "contact.tax_id",
            "organiser_vat_id",
        }


@pytest.mark.parametrize(
    "options",
    [
        {
            "organiser_country": "AU",
            "organiser_iban": "062-000 12345678",
            "organiser_vat_id": "51 824 753 556",
        },
        {
            "organiser_country": "US",
            "organiser_iban": "021000021/1234",
            "organiser_vat_id": "12-3456789",
            "organiser_bic": "021000021",
        },
        {"organiser_iban": "Konto 12345"},
    ],
)
def test_accounts_and_tax_numbers_without_iban_and_vat_id_do_not_prevent_sending(
    organiser, app, options
):
    for name, value in options.items():
        setattr(app.app.settings, name, value)
    buyer = organiser.make(
        "/contacts", {"company_name": "Muster AG", "address": "Weg 1", "city": "Wien"}
    )
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": buyer["id"],
            "items": [{"description": "Row stand", "quantity": 1, "unit_price": 100}],
        },
    )
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    assert sent["seller"]["iban"] == options["organiser_iban"] and sent["xml_sha256"]
    found = reading.read(organiser.get(f"/invoices/{draft['id']}/xml", status=200).body)
    assert (found.means_code, found.iban) == ("30", options["organiser_iban"])
    assert (
        organiser.get(f"/invoices/{draft['id']}/girocode", status=409).json["code"] == "no_girocode"
    )
    assert organiser.get(f"/invoices/{draft['id']}/pdf", status=200).body.startswith(b"%PDF")


def test_base_rates_that_lack_the_current_half_year_are_doubtful(monkeypatch):
    rates = settings(base_rates="2025-07-01 1.27, 2026-01-01 1.27")
    for today, found in (
        ("2026-06-30", {}),
        (
            "2026-07-01",
            {
                "base_rates": "base_rates ends with the rate of 2026-01-01. Add the rate that "
                "applies from 2026-07-01 on, "
                "also if it is the same."
            },
        ),
    ):
        monkeypatch.setattr(times, "now", lambda today=today: f"{today}T12:00:00Z")
        assert doubtful_options(rates) == found


def test_an_invoice_is_not_sent_with_a_wrong_identifier_of_the_organiser(organiser, app):
    buyer = organiser.make(
        "/contacts", {"company_name": "Muster AG", "address": "Weg 1", "city": "Wien"}
    )
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": buyer["id"],
            "items": [{"description": "Row stand", "quantity": 1, "unit_price": 100}],
        },
    )
    app.app.settings.organiser_iban = "DE03120300000000202051"
    app.app.settings.organiser_bic = "BYLADEM"
    problem = organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert (problem["code"], problem["missing"]) == (
        "invoice_incomplete",
        ["organiser_iban", "organiser_bic"],
    )
    assert (
        "organiser_iban = 'DE03120300000000202051' must be an IBAN without a typing error"
        in problem["detail"]
    )


def test_an_import_rejects_a_record_with_a_wrong_vat_id(organiser):
    records = [
        {"company_name": "A", "tax_id": "DE 136695976"},
        {"company_name": "B", "tax_id": "DE12345678"},
    ]
    result = organiser.post(
        "/bulk-import/contacts", {"mode": "create", "records": records}, status=201
    ).json["data"]
    assert [(error["index"], error["field"], error["code"]) for error in result["errors"]] == [
        (1, "tax_id", "format")
    ]
    assert [contact["tax_id"] for contact in organiser.data("/contacts")] == ["DE136695976"]


@pytest.mark.parametrize(
    "country",
    [country for country in names.COUNTRIES.values() if country.code not in "UA JP"],
    ids=lambda country: country.code,
)
def test_companies_of_the_demo_have_valid_vat_ids(country):
    made = [names.tax_id(country, number) for number in range(10**7, 10**8, 10**5 + 7)]
    assert [identifiers.vat_id(text) for text in made] == made
