"""Settings: what the organiser may change, what is refused, and what is written."""

import json

import pytest

from eventapi import config as configuration
from eventapi import times
from eventapi.domain.organiser import settings as organiser_settings
from eventapi.errors import Problem
from eventapi.worker import invoice_pdfs
from tests.support.client import write_empty_config

IBAN, OTHER_IBAN = "DE02120300000000202051", "DE02500105170137075030"
ADDRESS = {"company_name": "Muster GmbH", "address": "Weg 1", "city": "Leipzig", "country": "DE"}
ITEM = {"description": "Stand", "quantity": 1, "unit_price": 100}
COMPANY = {
    "organiser_name": "Messe Test GmbH",
    "organiser_street": "Am Markt 1",
    "organiser_city": "Leipzig",
    "organiser_vat_id": "DE136695976",
    "organiser_iban": IBAN,
}
# option -> a text as people type it, and the text that is stored
TEXTS = {
    "organiser_name": ("Messe Test GmbH", "Messe Test GmbH"),
    "organiser_street": ("Am Markt 1", "Am Markt 1"),
    "organiser_postal_code": ("04109", "04109"),
    "organiser_city": ("Köln", "Köln"),
    "organiser_country": ("AT", "AT"),
    "organiser_email": ("office@messe.test", "office@messe.test"),
    "organiser_phone": ("+49 341 1", "+49 341 1"),
    "organiser_contact": ("Accounts", "Accounts"),
    "organiser_register_number": ("HRB 4711", "HRB 4711"),
    "organiser_register_court": ("Amtsgericht Leipzig", "Amtsgericht Leipzig"),
    "organiser_directors": ("Ada, Max", "Ada, Max"),
    "organiser_electronic_address": ("9930:DE136695976", "9930:DE136695976"),
    "language": ("en-GB", "en"),
    "timezone": ("Europe/Vienna", "Europe/Vienna"),
    "currency": ("CHF", "CHF"),
    "organiser_iban": ("de02 1203 0000 0000 2020 51", IBAN),
    "organiser_bic": ("byladem1001", "BYLADEM1001"),
    "bank_accounts": (OTHER_IBAN, OTHER_IBAN),
    "payment_reference": ("RF", "rf"),
    "payment_tolerance": ("1.50", "1.50"),
    "organiser_vat_id": ("DE 136 695 976", "DE136695976"),
    "organiser_tax_number": ("231/1/2", "231/1/2"),
    "tax_rate": ("7.5", "7.5"),
    "tax_basis": ("supply, 2028-01-01 payment", "supply, 2028-01-01 payment"),
    "exchange_rates": ("CHF=1.06 USD=0.92", "CHF=1.06 USD=0.92"),
    "small_business": ("yes, 2028-01-01 no", "yes, 2028-01-01 no"),
    "invoice_number_format": ("RE-{year}-{seq:05}", "RE-{year}-{seq:05}"),
    "credit_note_number_format": ("GS-{year}-{seq:05}", "GS-{year}-{seq:05}"),
    "payment_days": ("30", "30"),
    "interest_notice": ("YES", "yes"),
    "organiser_footer": ("One | Two", "One | Two"),
    "dunning_minimum": ("2", "2"),
    "interest_begins": ("first_letter", "first_letter"),
    "base_rates": ("2026-01-01 1.27, 2026-07-01 -0.5", "2026-01-01 1.27, 2026-07-01 -0.5"),
    "public_holidays": ("12-25, easter+1", "12-25, easter+1"),
    "mail_signature": ("Kind regards | Ada", "Kind regards | Ada"),
    "organiser_color": ("#AABBCC", "#aabbcc"),
    "start_page": ("desk", "desk"),
    "imprint_url": ("https://messe.test/imprint/", "https://messe.test/imprint"),
    "privacy_url": ("https://messe.test/privacy", "https://messe.test/privacy"),
    "datev_adviser": ("29098", "29098"),
    "datev_client": ("55003", "55003"),
    "datev_chart": ("04", "04"),
    "datev_account_length": ("5", "5"),
    "datev_fiscal_year_start": ("07", "07-01"),
    "datev_debtor_base": ("10000", "10000"),
    "datev_debtors": ("ACME=10777, Müller & Co=10778", "ACME=10777, Müller & Co=10778"),
    "datev_bank": ("1200", "1200"),
    "datev_gateways": ("card=1361 paypal=1362", "card=1361 paypal=1362"),
    "datev_revenue": ("S19=8400 AE=8336:0003", "S19=8400 AE=8336:0003"),
    "datev_write_offs": ("S19=2406", "S19=2406"),
    "datev_deposits": ("1593", "1593"),
    "datev_fees": ("4970", "4970"),
    "datev_claims": ("2700", "2700"),
    "datev_exchange_gains": ("2660", "2660"),
    "datev_exchange_losses": ("2150", "2150"),
}


def load(folder, **given):
    """Return a configuration that sets nothing but the data directory and what is given."""
    environ = {
        "EVENTAPI_DATA_DIR": str(folder),
        "EVENTAPI_CONFIG": str(write_empty_config(folder)),
        **{f"EVENTAPI_{name.upper()}": text for name, text in given.items()},
    }
    return configuration.load(environ=environ)


@pytest.fixture
def settings(tmp_path, template):
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path)


def change(db, **values):
    with db.write():
        return organiser_settings.change(db, values)


def refused(db, **values):
    with pytest.raises(Problem) as raised:
        change(db, **values)
    return raised.value


def stored(db):
    rows = db.connection.execute("SELECT name, value FROM settings")
    return dict(rows.fetchall())


def revision(db):
    return db.connection.execute("SELECT settings_revision FROM tenant").fetchone()[0]


def entries(db):
    rows = db.connection.execute(
        "SELECT entity_title, old_values, new_values FROM audit_log WHERE entity_type = 'setting' ORDER BY id"
    )
    return [(title, json.loads(old), json.loads(new)) for title, old, new in rows]


def set_by_environment(db, **given):
    """Let the administrator set options, as after a restart."""
    db.config = load(db.config.data_dir, **given)


# What is stored


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_setting_has_the_value_that_the_same_text_has_in_the_file(db, tmp_path, name):
    typed, text = TEXTS[name]
    config = change(db, **{name: typed})
    assert stored(db)[name] == text
    of_file = load(tmp_path, **{name: typed})
    assert getattr(config, name) == getattr(of_file, name)
    assert getattr(config, name) != getattr(load(tmp_path), name)
    assert config.set_by[name] == "desk"


def test_every_setting_can_be_changed_as_text_but_the_logo():
    assert set(TEXTS) == set(configuration.SETTINGS) - {"organiser_logo"}


def test_parts_of_a_text_and_the_text_of_parts_are_the_same():
    listed = [
        option for option in configuration.SETTINGS.values() if option.kind in ("lines", "list")
    ]
    assert len(listed) == 12
    for option in listed:
        text = TEXTS[option.name][1]
        joined = option.text_of(option.parts(text))
        assert option.parse(joined) == option.parse(text), option.name
    assert configuration.SETTINGS["datev_debtors"].parts("ACME=10777, Müller & Co=10778") == [
        "ACME=10777",
        "Müller & Co=10778",
    ]


def test_a_setting_that_is_removed_has_its_default_again(db):
    change(db, payment_days="30")
    assert change(db, payment_days=None).payment_days == 14
    assert (stored(db), revision(db)) == ({}, 2)
    change(db, payment_days="30")
    assert change(db, payment_days="").payment_days == 14


def test_nothing_is_written_if_nothing_changes(db):
    change(db, organiser_iban=IBAN, payment_tolerance="1.50", organiser_name="Messe")
    before = revision(db), stored(db), len(entries(db))
    change(db, organiser_iban="DE02 1203 0000 0000 2020 51", payment_tolerance="1.5")
    change(db, payment_days="14", mail_signature=None, organiser_city="")
    assert (revision(db), stored(db), len(entries(db))) == before


def test_each_change_is_in_the_audit_log_with_both_values(db):
    change(db, payment_days="30", organiser_name="Messe")
    change(db, payment_days=None)
    assert entries(db) == [
        ("payment_days", {"payment_days": "14"}, {"payment_days": "30"}),
        ("organiser_name", {"organiser_name": ""}, {"organiser_name": "Messe"}),
        ("payment_days", {"payment_days": "30"}, {"payment_days": "14"}),
    ]
    assert revision(db) == 2


def test_language_rate_and_holidays_follow_the_country(db):
    config = change(db, organiser_country="AT")
    assert (config.language, config.tax_rate, config.is_tax_rate_known) == ("de", 2000, True)
    assert "10-26" in config.public_holidays.fixed
    config = change(db, organiser_country="US")
    assert (config.language, config.tax_rate, config.is_tax_rate_known) == ("en", 0, False)
    assert change(db, tax_rate="5").tax_rate == 500


def test_a_former_account_stays_among_the_accounts_of_statements(db):
    change(db, organiser_iban=IBAN)
    config = change(db, organiser_iban=OTHER_IBAN)
    assert config.bank_accounts == (IBAN,)
    assert [title for title, _, _ in entries(db)][1:] == ["organiser_iban", "bank_accounts"]
    config = change(db, organiser_iban=None, bank_accounts="")
    assert config.bank_accounts == (OTHER_IBAN,)


def test_two_accounts_that_are_swapped_are_each_named_once(db):
    change(db, organiser_iban=IBAN)
    change(db, organiser_iban=OTHER_IBAN)
    config = change(db, organiser_iban=IBAN)
    assert (config.organiser_iban, config.bank_accounts) == (IBAN, (OTHER_IBAN,))


def test_a_list_of_accounts_that_the_file_sets_stays_as_it_is(db):
    change(db, organiser_iban=IBAN)
    set_by_environment(db, bank_accounts="DE75512108001245126199")
    assert change(db, organiser_iban=OTHER_IBAN).bank_accounts == ("DE75512108001245126199",)


# What is refused


@pytest.mark.parametrize(
    ("name", "text", "detail"),
    [
        ("payment_days", "soon", "must be a whole number from 0 to 365"),
        ("organiser_iban", "DE03120300000000202051", "check digits do not match"),
        ("organiser_bic", "BYLADEM", "must be a BIC with 8 or 11 characters"),
        ("organiser_vat_id", "DE136695975", "check digits"),
        ("organiser_vat_id", "136695976", "must be"),
        ("organiser_electronic_address", "x", "must be"),
        ("organiser_country", "UK", "such as GB"),
        ("bank_accounts", f"{IBAN}, DE1", "must be an IBAN"),
        ("payment_tolerance", "1.505", "at most 2 decimals"),
        ("start_page", "no-such-event", "there is no event no-such-event"),
        ("organiser_name", "Messe\nBcc: x@example.org", "one line"),
        ("timezone", "../../etc/passwd", "must be an IANA time zone"),
        ("invoice_number_format", "R-{year}-{seq:0999999999}", "with at most 99 digits"),
        ("invoice_number_format", "R-{year}-{seq.__class__}", "such as INV-{year}-{seq:05}"),
        ("invoice_number_format", "R-{year}-{{seq}}", "such as INV-{year}-{seq:05}"),
        ("invoice_number_format", "R-{year}-{seq:{seq}}", "such as INV-{year}-{seq:05}"),
        ("invoice_number_format", "R-{year}-{seq", "such as INV-{year}-{seq:05}"),
        ("invoice_number_format", "R-{year}-{seq:c}", "such as INV-{year}-{seq:05}"),
        ("invoice_number_format", "R-{year}-{seq:.0e}", "such as INV-{year}-{seq:05}"),
        ("invoice_number_format", "R-{year}-{seq:g}", "such as INV-{year}-{seq:05}"),
        ("organiser_name", "x" * 501, "at most 500 characters, but has 501"),
    ],
)
def test_a_value_that_is_not_valid_is_refused_at_its_name(db, name, text, detail):
    problem = refused(db, **{name: text, "organiser_city": "Leipzig"})
    assert [fault["pointer"] for fault in problem.errors] == [f"/{name}"]
    assert detail in problem.errors[0]["detail"]
    assert (stored(db), revision(db)) == ({}, 0)


@pytest.mark.parametrize(
    "values",
    [
        {"credit_note_number_format": "INV-{year}-{seq:05}"},
        {"invoice_number_format": "CN-{year}-{seq:05}"},
        {
            "invoice_number_format": "RE-{year}-{seq}",
            "credit_note_number_format": "RE-{year}-{seq}",
        },
        {
            "invoice_number_format": "RE-{year}-{seq:1}",
            "credit_note_number_format": "RE-{year}-{seq}",
        },
        {
            "invoice_number_format": "RE-{year}-{seq:02}",  # until 9
            "credit_note_number_format": "RE-{year}-{seq}",
        },
    ],
    ids=["credit-notes", "invoices", "both", "spelled", "later"],
)
def test_invoices_and_credit_notes_cannot_have_the_same_numbers(db, values):
    errors = refused(db, **values).errors
    assert [error["pointer"] for error in errors] == [f"/{name}" for name in sorted(values)[::-1]]
    assert "both series would have the same numbers" in errors[0]["detail"]


def test_a_currency_that_does_not_allow_an_amount_is_refused_at_the_currency(db):
    change(db, payment_tolerance="0.50")
    fault = refused(db, currency="JPY").errors[0]
    assert fault["pointer"] == "/currency"
    assert "payment_tolerance, which is 0.50" in fault["detail"]
    amounts = {"payment_tolerance": "50", "dunning_minimum": "500"}
    assert change(db, currency="JPY", **amounts).currency == "JPY"


def test_a_small_business_moves_to_no_country_whose_rules_are_not_known(db):
    change(db, small_business="yes")
    assert refused(db, organiser_country="FR").errors[0]["pointer"] == "/organiser_country"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("smtp_host", "unknown_field"),
        ("organiser_citty", "unknown_field"),
        ("organiser_logo", "read_only"),
    ],
)
def test_other_options_are_no_settings(db, name, code):
    assert refused(db, **{name: "/etc/passwd"}).errors[0]["code"] == code


def test_what_the_administrator_has_set_is_closed(db):
    change(db, organiser_name="Desk", organiser_city="Leipzig")
    set_by_environment(db, organiser_name="File", payment_days="20")
    with db.write():
        assert (db.config.organiser_name, db.config.organiser_city) == ("File", "Leipzig")
    assert db.config.set_by["organiser_name"] == "environment variable EVENTAPI_ORGANISER_NAME"
    problem = refused(db, organiser_name="Other", payment_days=None, organiser_city="Halle")
    assert (problem.code, problem.status) == ("set_by_administrator", 409)
    assert problem.members["settings"] == ["organiser_name", "payment_days"]
    change(db, organiser_name="File", payment_days="20", organiser_city="Halle")
    assert stored(db) == {"organiser_name": "Desk", "organiser_city": "Halle"}


def send_invoice(organiser):
    contact = organiser.make("/contacts", ADDRESS)
    invoice = organiser.make("/invoices", {"contact_id": contact["id"], "items": [ITEM]})
    return organiser.post(f"/invoices/{invoice['id']}/send", status=200).json["data"]


def test_what_reports_of_closed_months_read_stays_once_an_invoice_was_sent(db, organiser):
    change(db, **COMPANY, currency="CHF")
    change(db, currency="EUR", timezone="Europe/Vienna")
    contact = organiser.make("/contacts", ADDRESS)
    organiser.make("/invoices", {"contact_id": contact["id"], "items": [ITEM]})
    change(db, timezone="Europe/Berlin")  # a draft does not count
    send_invoice(organiser)
    for name, text in [
        ("currency", "CHF"),
        ("timezone", "Europe/Vienna"),
        ("organiser_country", "AT"),
    ]:
        problem = refused(db, **{name: text})
        assert problem.code == "in_use"
        assert name in problem.detail
    change(db, currency="EUR", organiser_country="DE", organiser_name="Other")


def test_the_tax_basis_changes_only_after_the_last_closed_month(db, organiser, monkeypatch):
    now = {"now": "2026-05-12T10:00:00Z"}
    monkeypatch.setattr(times, "now", lambda: now["now"])
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    change(db, **COMPANY)
    send_invoice(organiser)
    now["now"] = "2026-06-03T10:00:00Z"
    organiser.post("/reports/periods/2026-05/close", status=200)
    for text in (
        "payment",
        "supply, 2026-05-31 payment",
        "supply, 2026-01-01 payment, 2026-02-01 supply",
    ):
        problem = refused(db, tax_basis=text)
        assert (problem.code, problem.members["member"]) == ("period_closed", "tax_basis")
        assert problem.members["first_open_day"] == "2026-06-01"
    config = change(db, tax_basis="supply, 2026-06-01 payment")
    assert config.tax_basis == (("0001-01-01", "supply"), ("2026-06-01", "payment"))


MAY = [
    "/reports/periods",
    *[
        f"/reports/{name}?date_from=2026-05-01&date_to=2026-05-31"
        for name in ("revenue", "payments", "tax", "ledger")
    ],
    "/reports/recapitulative?year=2026&month=5",
    "/reports/receivables?as_of=2026-05-31",
    "/reports/datev?year=2026&month=5",
]
# A DATEV file that is made again has the accounts of now.
ACCOUNTS = {
    "datev_adviser": "29098",
    "datev_client": "55003",
    "datev_chart": "03",
    "datev_debtor_base": "10000",
    "datev_bank": "1200",
    "datev_gateways": "card=1361",
    "datev_revenue": "S19=8400",
    "datev_exchange_gains": "2660",
    "datev_exchange_losses": "2150",
}


def figures(organiser, ids):
    """Return the reports of May, and the stored PDFs."""
    form = {"Accept": "application/json"}
    reports = {path: organiser("GET", path, status=200, headers=form).json["data"] for path in MAY}
    pdfs = {id: organiser("GET", f"/invoices/{id}/pdf", status=200).body for id in ids}
    return {**reports, **pdfs}


def test_no_setting_changes_a_closed_month(db, organiser, monkeypatch):
    """Those that would are refused, and those of DATEV change the accounts of its file."""
    now = {"now": "2026-05-12T10:00:00Z"}
    monkeypatch.setattr(times, "now", lambda: now["now"])
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    change(db, **COMPANY, **ACCOUNTS, exchange_rates="CHF=1.10")
    ids = []
    for currency in ("EUR", "CHF"):
        contact = organiser.make("/contacts", {**ADDRESS, "customer_number": f"C-{len(ids) + 1}"})
        fields = {"contact_id": contact["id"], "items": [ITEM], "currency": currency}
        invoice = organiser.make("/invoices", fields)
        invoice = organiser.post(f"/invoices/{invoice['id']}/send", status=200).json["data"]
        paid = {"invoice_number": invoice["invoice_number"], "amount": 50, "currency": currency}
        organiser.make("/payments", paid)
        ids.append(invoice["id"])
    now["now"] = "2026-06-03T10:00:00Z"
    organiser.post("/reports/periods/2026-05/close", status=200)
    invoice_pdfs.run(db, lambda: False)  # it stores the PDFs, which have logo and colour until then
    before = figures(organiser, ids)
    locked = {"currency", "timezone", "organiser_country"}
    texts = {name: typed for name, (typed, _) in TEXTS.items() if not name.startswith("datev_")}
    for name, text in texts.items():
        if name in locked:
            refused(db, **{name: text})
            continue
        if name == "organiser_iban":
            text = OTHER_IBAN
        change(db, **{name: text})
        assert figures(organiser, ids) == before, name


# A setting that is stored and not valid


def damage(db, name, text):
    """Store a text by hand, as if its rules had changed since."""
    db.connection.execute(
        "INSERT INTO settings (name, value, changed_at) VALUES (?, ?, '2026-01-01T00:00:00Z')"
        " ON CONFLICT DO UPDATE SET value = excluded.value",
        (name, text),
    )
    db.connection.execute("UPDATE tenant SET settings_revision = settings_revision + 1")


def test_a_bad_setting_prevents_no_change_and_is_set_or_removed(db):
    change(db, organiser_name="Messe")
    damage(db, "payment_days", "soon")
    damage(db, "invoice_format", "R")
    change(db, organiser_city="Leipzig")
    change(db, payment_days="20")
    damage(db, "payment_days", "soon")
    change(db, payment_days=None)
    assert set(stored(db)) == {"organiser_name", "organiser_city", "invoice_format"}
