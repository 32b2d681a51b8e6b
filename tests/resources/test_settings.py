"""The settings over the API: values of each kind, what is closed, what is refused, and what is written."""

import json

import pytest
import webtest

from eventapi import config as configuration
from eventapi import times
from eventapi.app import App
from eventapi.domain.access.api_keys import ALL_SCOPES
from eventapi.domain.organiser import missing
from eventapi.validation.schema_files import document
from tests.domain.test_settings import COMPANY, IBAN, OTHER_IBAN, TEXTS, load
from tests.support.client import SCOPES, Client
from tests.web.test_bad_input import HOSTILE

# option -> the value that the API returns for its text in TEXTS. Others are their text.
VALUES = {
    "bank_accounts": [OTHER_IBAN],
    "payment_tolerance": 1.5,
    "tax_rate": 7.5,
    "tax_basis": ["supply", "2028-01-01 payment"],
    "exchange_rates": ["CHF=1.06", "USD=0.92"],
    "small_business": ["yes", "2028-01-01 no"],
    "payment_days": 30,
    "interest_notice": True,
    "organiser_footer": ["One", "Two"],
    "dunning_minimum": 2,
    "base_rates": ["2026-01-01 1.27", "2026-07-01 -0.5"],
    "public_holidays": ["12-25", "easter+1"],
    "mail_signature": ["Kind regards", "Ada"],
    "datev_adviser": 29098,
    "datev_client": 55003,
    "datev_account_length": 5,
    "datev_debtor_base": 10000,
    "datev_debtors": ["ACME=10777", "Müller & Co=10778"],
    "datev_gateways": ["card=1361", "paypal=1362"],
    "datev_revenue": ["S19=8400", "AE=8336:0003"],
    "datev_write_offs": ["S19=2406"],
}
# the same for the defaults. Others are null, or an empty array.
DEFAULTS = {
    "start_page": "docs",
    "timezone": "Europe/Berlin",
    "currency": "EUR",
    "organiser_country": "DE",
    "organiser_color": "#23694a",
    "invoice_number_format": "INV-{year}-{seq:05}",
    "credit_note_number_format": "CN-{year}-{seq:05}",
    "payment_reference": "number",
    "payment_days": 14,
    "tax_basis": ["supply"],
    "small_business": ["no"],
    "payment_tolerance": 0,
    "dunning_minimum": 5,
    "interest_begins": "due_date",
    "interest_notice": False,
    "datev_account_length": 4,
    "datev_fiscal_year_start": "01-01",
}
ADDRESS = "/settings"


@pytest.fixture
def settings(tmp_path, template):
    """The settings of a server whose administrator has set nothing."""
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path)


@pytest.fixture
def served(db, settings):
    """Return a function that returns a client of a server whose administrator sets these options."""
    apps = []

    def client(key, **given):
        app = App(load(settings.data_dir, **given))
        apps.append(app)
        return Client(webtest.TestApp(app), key)

    yield client
    for app in apps:
        app.connections.close()


def entries(organiser):
    return organiser.data("/audit-log?entity_type=setting&per_page=100&sort=id&order=asc")


# Values


def test_without_a_setting_each_has_its_default(organiser):
    found = organiser.data(ADDRESS)
    lists = {"set_by_administrator", "missing"}
    fields = set(TEXTS) - DEFAULTS.keys()
    assert {name: found[name] for name in DEFAULTS} == DEFAULTS
    assert all(found[name] in (None, []) for name in fields)
    assert found.keys() == set(TEXTS) | lists | {"id", "logo", "created_at", "updated_at"}
    assert (found["id"], found["logo"], found["set_by_administrator"]) == (1, None, [])
    assert (found["created_at"], found["updated_at"]) == (None, None)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_value_that_is_sent_means_what_its_text_in_the_file_means(
    organiser, served, db, settings, name
):
    text = TEXTS[name][1]
    value = VALUES.get(name, text)
    of_file = served(organiser.key, **{name: text}).data(ADDRESS)[name]
    sent = organiser.patch(ADDRESS, {name: value}, status=200).json["data"]
    assert type(sent[name]) is type(value)
    assert sent[name] == value == of_file
    assert organiser.data(ADDRESS) == sent
    config = organiser.app.app.connections.reader().config
    assert getattr(config, name) == getattr(load(settings.data_dir, **{name: text}), name)
    assert organiser.patch(ADDRESS, {name: None}, status=200).json["data"][name] == (
        DEFAULTS.get(name, [] if isinstance(value, list) else None)
    )


def test_the_values_above_are_those_of_all_options_that_are_no_text():
    kinds = {name: option.kind for name, option in configuration.SETTINGS.items()}
    assert {name for name, kind in kinds.items() if kind != "text"} == VALUES.keys()


def test_the_schema_has_each_setting_with_the_type_of_its_kind():
    types = {
        "text": {"string"},
        "number": {"number", "integer"},
        "boolean": {"boolean"},
        "lines": {"array"},
        "list": {"array"},
    }
    fields = {
        name: field
        for name, field in document("settings")["properties"].items()
        if not field.get("readOnly")
    }
    assert fields.keys() == set(configuration.SETTINGS) - {"organiser_logo"}
    for name, field in fields.items():
        (kind,) = set(field["type"]) - {"null"}
        assert kind in types[configuration.SETTINGS[name].kind], name


def test_the_schema_names_each_code_and_what_it_blocks():
    gap = document("settings")["$defs"]["gap"]["properties"]
    assert tuple(gap["code"]["enum"]) == missing.CODES
    assert tuple(gap["blocks"]["items"]["enum"]) == missing.BLOCKS


def test_what_was_read_can_be_sent_as_it_is(organiser):
    organiser.patch(ADDRESS, {"payment_days": 30, "mail_signature": ["Ada", "Messe"]}, status=200)
    found = organiser.data(ADDRESS)
    count = len(entries(organiser))
    assert organiser.put(ADDRESS, found, status=200).json["data"] == found
    assert len(entries(organiser)) == count == 2


def test_put_and_patch_change_only_what_is_sent(organiser):
    organiser.put(ADDRESS, {"organiser_name": "Messe"}, status=200)
    changed = organiser.put(ADDRESS, {"organiser_city": "Köln"}, status=200).json["data"]
    assert (changed["organiser_name"], changed["organiser_city"]) == ("Messe", "Köln")
    changed = organiser.patch(ADDRESS, {"organiser_name": None}, status=200).json["data"]
    assert (changed["organiser_name"], changed["organiser_city"]) == (None, "Köln")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("payment_tolerance", 0.1, "0.1"),
        ("payment_tolerance", 12.0, "12"),
        ("payment_days", 30.0, "30"),
        ("tax_rate", 19, "19"),
        ("interest_notice", False, "no"),
        ("datev_debtor_base", 0, "0"),
        ("organiser_footer", ["A, B", "C"], "A, B | C"),
        ("datev_debtors", ["Müller & Co=10778"], "Müller & Co=10778"),
    ],
)
def test_a_value_is_stored_as_the_text_of_the_file(organiser, db, name, value, text):
    other = {"interest_notice": True}.get(name)
    if other is not None:
        organiser.patch(ADDRESS, {name: other}, status=200)
    sent = organiser.patch(ADDRESS, {name: value}, status=200).json["data"]
    assert sent[name] == value
    stored = db.connection.execute("SELECT value FROM settings WHERE name = ?", [name]).fetchone()
    assert stored is None or stored[0] == text
    assert entries(organiser)[-1]["new_values"] == {name: text}


# Wrong values

WRONG = {
    "iban": ({"organiser_iban": "DE03120300000000202051"}, "/organiser_iban"),
    "bic": ({"organiser_bic": "BYLADEM10012"}, "/organiser_bic"),
    "vat id": ({"organiser_vat_id": "DE136695975"}, "/organiser_vat_id"),
    "electronic address": (
        {"organiser_electronic_address": "9999:1"},
        "/organiser_electronic_address",
    ),
    "further account": ({"bank_accounts": [IBAN, "DE03120300000000202051"]}, "/bank_accounts"),
    "country": ({"organiser_country": "UK"}, "/organiser_country"),
    "language": ({"language": "klingon"}, "/language"),
    "currency": ({"currency": "XXX"}, "/currency"),
    "time zone": ({"timezone": "Europe/Entenhausen"}, "/timezone"),
    "word": ({"payment_reference": "any"}, "/payment_reference"),
    "number format": ({"invoice_number_format": "RE-1"}, "/invoice_number_format"),
    "days": ({"payment_days": 5000}, "/payment_days"),
    "rate": ({"tax_rate": 100.5}, "/tax_rate"),
    "decimals of a rate": ({"tax_rate": 7.125}, "/tax_rate"),
    "decimals of an amount": ({"dunning_minimum": 1.234}, "/dunning_minimum"),
    "colour": ({"organiser_color": "green"}, "/organiser_color"),
    "address": ({"imprint_url": "imprint"}, "/imprint_url"),
    "user name in an address": ({"imprint_url": "https://a@evil.example"}, "/imprint_url"),
    "user name and word": ({"privacy_url": "https://a.example:x@evil.example"}, "/privacy_url"),
    "backslash": ({"privacy_url": "https://evil.example\\.a.example"}, "/privacy_url"),
    "backslash in a path": ({"imprint_url": "https://a.example/\\evil"}, "/imprint_url"),
    "too many lines": ({"organiser_footer": ["A", "B", "C", "D"]}, "/organiser_footer"),
    "line in a line": ({"organiser_footer": ["A", "B | C"]}, "/organiser_footer/1"),
    "comma in a part": ({"public_holidays": ["12-25, 12-26"]}, "/public_holidays/0"),
    "two pairs in one": ({"exchange_rates": ["CHF=1.06 USD=0.92"]}, "/exchange_rates/0"),
    "no pair": ({"datev_debtors": ["ACME"]}, "/datev_debtors"),
    "date": ({"tax_basis": ["supply", "payment"]}, "/tax_basis"),
    "account of a ledger": ({"datev_bank": "12"}, "/datev_bank"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_refused_at_its_place(organiser, name):
    body, pointer = WRONG[name]
    before = organiser.data(ADDRESS)
    refused = organiser.patch(ADDRESS, body, status=422).json
    assert [(error["pointer"], error["code"]) for error in refused["errors"]] == [
        (pointer, "format")
    ]
    assert refused["errors"][0]["detail"].startswith("must ")
    assert organiser.data(ADDRESS) == before and entries(organiser) == []


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"payment_days": "30"}, "/payment_days", "type"),
        ({"organiser_name": 1}, "/organiser_name", "type"),
        ({"mail_signature": "Ada"}, "/mail_signature", "type"),
        ({"interest_notice": "yes"}, "/interest_notice", "type"),
        ({"organiser_name": "x" * 501}, "/organiser_name", "max_length"),
        ({"organiser_logo": "/etc/passwd"}, "/organiser_logo", "unknown"),
        ({"smtp_host": "localhost"}, "/smtp_host", "unknown"),
        ({"start_page": "no-such-show"}, "/start_page", "unknown"),
    ],
)
def test_what_is_no_setting_or_of_another_type_is_refused(organiser, body, pointer, code):
    (error,) = organiser.patch(ADDRESS, body, status=422).json["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_hostile_text_is_stored_unchanged_or_refused(organiser, method):
    names = [name for name in TEXTS if name not in VALUES]
    for text in HOSTILE:
        for name in names:
            answer = organiser(method, ADDRESS, {name: text})
            if answer.status_int != 200:
                assert [fault["pointer"] for fault in answer.json["errors"]] == [f"/{name}"]
            else:
                assert answer.json["data"][name] == text
    assert organiser.data(ADDRESS)["organiser_name"] == HOSTILE[-1]  # any text is a name


@pytest.mark.parametrize("name", [name for name in VALUES if isinstance(VALUES[name], int | float)])
def test_a_number_that_no_integer_of_the_database_holds_is_refused(organiser, name):
    for number in (2**63 - 1, -(2**63)):
        organiser.patch(ADDRESS, {name: number}, status=422)


def test_all_faults_are_named_and_nothing_is_changed(organiser):
    body = {"organiser_name": "Messe", "organiser_iban": "DE1", "tax_rate": 101, "language": "xx"}
    errors = organiser.patch(ADDRESS, body, status=422).json["errors"]
    assert {error["pointer"] for error in errors} >= {"/tax_rate", "/language"}
    assert organiser.data(ADDRESS)["organiser_name"] is None


def test_the_start_page_may_be_an_event(organiser):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    assert organiser.patch(ADDRESS, {"start_page": "fair"}, status=200).json["data"][
        "start_page"
    ] == ("fair")


# What the administrator has set


def test_what_the_administrator_has_set_is_closed(organiser, served):
    office = served(organiser.key, organiser_name="Messe", organiser_iban=IBAN, payment_days="30")
    found = office.data(ADDRESS)
    assert found["set_by_administrator"] == ["organiser_name", "organiser_iban", "payment_days"]
    assert (found["organiser_name"], found["payment_days"]) == ("Messe", 30)
    refused = office.patch(ADDRESS, {"organiser_name": "Other", "payment_days": 14}, status=409)
    problem = refused.json
    assert (problem["code"], problem["settings"]) == (
        "set_by_administrator",
        ["organiser_name", "payment_days"],
    )
    assert "`organiser_name` and `payment_days` are set in the configuration" in problem["detail"]
    same = {"organiser_name": "Messe", "organiser_iban": "DE02 1203 0000 0000 2020 51"}
    changed = office.patch(ADDRESS, {**same, "organiser_city": "Köln"}, status=200).json["data"]
    assert changed["organiser_city"] == "Köln"
    assert [entry["entity_title"] for entry in entries(office)] == ["organiser_city"]
    assert office.put(ADDRESS, changed, status=200).json["data"] == changed


# What is missing


def test_it_says_what_is_missing_and_what_that_prevents(organiser):
    found = organiser.data(ADDRESS)["missing"]
    assert [(gap["code"], gap["settings"], gap["blocks"]) for gap in found] == [
        ("no_name", ["organiser_name"], ["send", "public"]),
        ("no_address", ["organiser_street", "organiser_city"], ["send", "public"]),
        ("no_tax_number", ["organiser_vat_id", "organiser_tax_number"], ["send"]),
        ("no_email", ["organiser_email"], ["public"]),
        ("no_bank_account", ["organiser_iban"], []),
        ("no_mail_server", ["smtp_host", "smtp_sender"], ["mail"]),
        ("no_base_url", ["base_url"], ["public"]),
    ]
    changed = organiser.patch(ADDRESS, COMPANY, status=200).json["data"]["missing"]
    assert [gap["code"] for gap in changed] == ["no_email", "no_mail_server", "no_base_url"]


def test_an_invoice_is_sent_once_the_settings_are_there(organiser):
    buyer = {"company_name": "Muster", "address": "Weg 1", "city": "Leipzig", "country": "DE"}
    item = {"description": "Stand", "quantity": 1, "unit_price": 100}
    body = {"contact_id": organiser.make("/contacts", buyer)["id"], "items": [item]}
    draft = organiser.make("/invoices", body)
    refused = organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert refused["missing"][0] == "organiser_name"
    organiser.patch(ADDRESS, COMPANY, status=200)
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    assert sent["seller"]["iban"] == IBAN
    problem = organiser.patch(ADDRESS, {"currency": "CHF"}, status=409).json
    assert problem["code"] == "in_use"


# What is written


def test_a_change_is_audited_and_has_its_time(organiser, db):
    changed = organiser.patch(ADDRESS, {"payment_days": 30, "tax_rate": 7}, status=200).json["data"]
    first, second = entries(organiser)
    assert [entry["entity_title"] for entry in (first, second)] == ["payment_days", "tax_rate"]
    assert (first["action"], first["entity_id"]) == ("updated", 1)
    assert (first["old_values"], first["new_values"]) == (
        {"payment_days": "14"},
        {"payment_days": "30"},
    )
    assert changed["created_at"] == changed["updated_at"] == first["created_at"]


def test_the_time_of_a_removal_counts(organiser, monkeypatch):
    monkeypatch.setattr(times, "now", lambda: "2030-01-01T12:00:00Z")
    organiser.patch(ADDRESS, {"payment_days": 30}, status=200)
    monkeypatch.setattr(times, "now", lambda: "2030-01-02T12:00:00Z")
    removed = organiser.patch(ADDRESS, {"payment_days": None}, status=200).json["data"]
    assert (removed["created_at"], removed["updated_at"]) == (
        "2030-01-01T12:00:00Z",
        "2030-01-02T12:00:00Z",
    )


def test_nothing_is_written_if_nothing_changes(organiser, db):
    organiser.patch(ADDRESS, {"organiser_iban": IBAN, "tax_rate": 7.5}, status=200)
    before = organiser.get(ADDRESS, status=200)
    revision = db.connection.execute("SELECT settings_revision FROM tenant").fetchone()[0]
    same = {"organiser_iban": "DE02 1203 0000 0000 2020 51", "tax_rate": 7.50, "payment_days": 14}
    after = organiser.patch(ADDRESS, {**same, "mail_signature": []}, status=200)
    assert after.json["data"] == before.json["data"]
    assert after.headers["ETag"] == before.headers["ETag"]
    assert len(entries(organiser)) == 2
    assert db.connection.execute("SELECT settings_revision FROM tenant").fetchone()[0] == revision


def test_if_match_refuses_a_change_of_another_state(organiser):
    old = organiser.get(ADDRESS, status=200).headers["ETag"]
    body = {"payment_days": 30}
    organiser.patch(ADDRESS, body, headers={"If-Match": old}, status=200)
    refused = organiser.patch(ADDRESS, {"payment_days": 60}, headers={"If-Match": old}, status=412)
    assert refused.json["code"] == "precondition_failed"
    new = organiser.get(ADDRESS, status=200).headers["ETag"]
    organiser.put(ADDRESS, {"payment_days": 60}, headers={"If-Match": new}, status=200)
    assert organiser.data(ADDRESS)["payment_days"] == 60


# The scope


def test_only_a_key_with_the_scope_reads_and_changes_settings(person):
    older = " ".join(scope for scope in SCOPES.split() if scope != "settings")
    for client in (person(older), person("audit events")):
        assert client.get(ADDRESS, status=403).json["scope"] == "settings:read"
        refused = client.patch(ADDRESS, {"payment_days": 30}, status=403).json
        assert refused["scope"] == "settings"
    reader = person("settings:read")
    reader.get(ADDRESS, status=200)
    assert reader.patch(ADDRESS, {"payment_days": 30}, status=403).json["scope"] == "settings"
    assert person("settings").patch(ADDRESS, {"payment_days": 30}, status=200)


def test_the_export_of_a_contact_does_not_need_the_scope(person, organiser):
    contact = organiser.make("/contacts", {"company_name": "Muster"})
    older = " ".join(scope for scope in SCOPES.split() if scope not in ("settings", "links"))
    person(older).get(f"/contacts/{contact['id']}/export", status=200)


def test_a_new_key_with_all_scopes_has_it():
    assert {"settings", "settings:read"} < set(ALL_SCOPES)


def test_texts_and_values_above_fit_together():
    assert VALUES.keys() <= TEXTS.keys()
    assert json.loads(json.dumps(VALUES)) == VALUES
