"""The pages about the organiser: what is typed, what is stored, what is closed, and what is refused."""

import json
from importlib.resources import files

import pytest
from bs4 import BeautifulSoup

from eventapi import times
from eventapi.config import SETTINGS
from eventapi.config.option import ADMINISTRATOR, PAGES
from eventapi.pages.office import company_values, start
from eventapi.plugins import sessions
from eventapi.storage.statements import statements
from tests.domain.test_settings import ADDRESS, IBAN, ITEM, OTHER_IBAN, load
from tests.support import own_script
from tests.test_options import PAGE_OF

sql = statements("settings")
PAGE = {name: page for page, names in PAGE_OF.items() for name in names.split()}
YEAR = times.today("Europe/Berlin")[:4]
WORDS = {
    language: json.loads(
        files("eventapi.pages.office")
        .joinpath(f"words/{language}.json")
        .read_text(encoding="utf-8")
    )
    for language in ("de", "en")
}
GROUPED, OTHER_GROUPED = "DE02 1203 0000 0000 2020 51", "DE02 5001 0517 0137 0750 30"
# option -> what somebody types in German, the value of the API, and what the page shows afterwards
TYPED = {
    "organiser_name": ("Bastelmarkt & Söhne", "Bastelmarkt & Söhne", "Bastelmarkt & Söhne"),
    "organiser_street": (" Am Anger 4 ", "Am Anger 4", "Am Anger 4"),
    "organiser_postal_code": ("01099", "01099", "01099"),
    "organiser_city": ("Dresden", "Dresden", "Dresden"),
    "organiser_country": ("AT", "AT", "AT"),
    "organiser_email": ("buero@markt.example", "buero@markt.example", "buero@markt.example"),
    "organiser_phone": ("+49 351 1", "+49 351 1", "+49 351 1"),
    "organiser_contact": ("Carla Weiß", "Carla Weiß", "Carla Weiß"),
    "organiser_register_number": ("VR 4711", "VR 4711", "VR 4711"),
    "organiser_register_court": ("Dresden", "Dresden", "Dresden"),
    "organiser_directors": ("Carla Weiß, Ole", "Carla Weiß, Ole", "Carla Weiß, Ole"),
    "organiser_electronic_address": ("9930:DE136695976",) * 3,
    "language": ("en", "en", "en"),
    "timezone": ("Europe/Vienna", "Europe/Vienna", "Europe/Vienna"),
    "currency": ("CHF", "CHF", "CHF"),
    "organiser_iban": ("de02 1203 0000 00002020 51", IBAN, GROUPED),
    "organiser_bic": ("byla dem1 001", "BYLADEM1001", "BYLADEM1001"),
    "bank_accounts": (OTHER_IBAN.lower(), [OTHER_IBAN], OTHER_GROUPED),
    "payment_reference": ("rf", "rf", "rf"),
    "payment_tolerance": ("1,50 €", 1.5, "1,50"),
    "organiser_vat_id": ("de 136 695 976", "DE136695976", "DE136695976"),
    "organiser_tax_number": ("202/141/00815", "202/141/00815", "202/141/00815"),
    "tax_rate": ("7,5 %", 7.5, "7,5"),
    "tax_basis": ("payment", ["payment"], "payment"),
    "small_business": ("yes", ["yes"], "yes"),
    "exchange_rates": ("chf = 1,06\nUSD=0.92", ["CHF=1.06", "USD=0.92"], "CHF=1,06\nUSD=0,92"),
    "invoice_number_format": ("RE-{year}-{seq:05}",) * 3,
    "credit_note_number_format": ("GS-{year}-{seq:05}",) * 3,
    "payment_days": ("30", 30, "30"),
    "interest_notice": ("yes", True, "yes"),
    "organiser_footer": ("Eins\n\nZwei & drei", ["Eins", "Zwei & drei"], "Eins\nZwei & drei"),
    "dunning_minimum": ("1.234,5€", 1234.5, "1.234,50"),
    "interest_begins": ("first_letter", "first_letter", "first_letter"),
    "base_rates": (
        "01.01.2026 1,27\n2026-07-01 -0.5 %",
        ["2026-01-01 1.27", "2026-07-01 -0.5"],
        "01.01.2026 1,27\n01.07.2026 -0,5",
    ),
    "public_holidays": (
        "25.12.\nOstern+1, 1.5.",
        ["12-25", "easter+1", "05-01"],
        "25.12.\nOstern+1\n01.05.",
    ),
    "mail_signature": ("Herzliche Grüße\nCarla", ["Herzliche Grüße", "Carla"], None),
    "organiser_color": ("#AABBCC", "#aabbcc", "#aabbcc"),
    "start_page": ("desk", "desk", "desk"),
    "imprint_url": ("https://markt.example/i/", "https://markt.example/i", None),
    "privacy_url": ("https://markt.example/d", "https://markt.example/d", None),
    "datev_adviser": ("29098", 29098, "29098"),
    "datev_client": ("55003", 55003, "55003"),
    "datev_chart": ("04", "04", "04"),
    "datev_account_length": ("5", 5, "5"),
    "datev_fiscal_year_start": ("07-01", "07-01", "07-01"),
    "datev_debtor_base": ("10000", 10000, "10000"),
    "datev_debtors": (
        "ACME=10777\nMüller & Co=10778",
        ["ACME=10777", "Müller & Co=10778"],
        "ACME=10777\nMüller & Co=10778",
    ),
    "datev_bank": ("1200", "1200", "1200"),
    "datev_gateways": (
        "card=1361 paypal=1362",
        ["card=1361", "paypal=1362"],
        "card=1361\npaypal=1362",
    ),
    "datev_revenue": ("S19=8400\nAE=8336:0003", ["S19=8400", "AE=8336:0003"], None),
    "datev_write_offs": ("S19=2406", ["S19=2406"], "S19=2406"),
    "datev_deposits": ("1593", "1593", "1593"),
    "datev_fees": ("4970", "4970", "4970"),
    "datev_claims": ("2700", "2700", "2700"),
    "datev_exchange_gains": ("2660", "2660", "2660"),
    "datev_exchange_losses": ("2150", "2150", "2150"),
}
# These have a value always, so nobody can empty them.
CHOSEN = {
    "payment_reference",
    "tax_basis",
    "small_business",
    "interest_notice",
    "interest_begins",
}
# option -> a text that is refused, and what the sentence beside the field says
REFUSED = {
    "organiser_email": ("buero@bastelmarkt", "In dieser Adresse fehlt etwas"),
    "organiser_electronic_address": ("DE136695976", "So zum Beispiel: 9930:DE136695976"),
    "organiser_country": ("XX", "Mit diesem Land passt"),
    "timezone": ("Berlin", "So zum Beispiel: Europe/Berlin"),
    "organiser_iban": ("DE02 1203 0000 0000 2020 52", "Diese IBAN stimmt nicht"),
    "organiser_bic": ("BYLADEM", "Ein BIC hat 8 oder 11 Zeichen"),
    "bank_accounts": ("DE02 1203", "Eine dieser IBANs stimmt nicht"),
    "payment_tolerance": ("viel", "So zum Beispiel: 0,50"),
    "organiser_vat_id": ("DE136695977", "Diese USt-IdNr. stimmt nicht"),
    "tax_rate": ("101", "So zum Beispiel: 19 oder 7,5"),
    "exchange_rates": ("CHF", "So zum Beispiel: CHF=1,06"),
    "invoice_number_format": ("RE-{seq}", "So zum Beispiel: RE-{year}-{seq:05}"),
    "credit_note_number_format": ("INV-{year}-{seq}", "verschiedene Nummern"),
    "payment_days": ("400", "So zum Beispiel: 14"),
    "organiser_footer": ("1\n2\n3\n4", "Höchstens drei Zeilen"),
    "dunning_minimum": ("5,001", "So zum Beispiel: 5,00"),
    "base_rates": ("1,27", "So zum Beispiel: 01.01.2026 1,27"),
    "public_holidays": ("32.13.", "So zum Beispiel: 25.12. oder Ostern+1"),
    "mail_signature": ("a | b", "ohne senkrechten Strich"),
    "organiser_color": ("grün", "So zum Beispiel: #23694a"),
    "start_page": ("nowhere", "Diese Veranstaltung gibt es nicht mehr"),
    "imprint_url": ("markt.example", "So zum Beispiel: https://"),
    "datev_adviser": ("12", "So zum Beispiel: 29098"),
    "datev_debtors": ("ACME", "So zum Beispiel: ACME=10777"),
    "datev_bank": ("12", "So zum Beispiel: 1200"),
    "organiser_name": ("x" * 501, "Das ist zu lang."),
    "datev_revenue": ("X9=8400", "So zum Beispiel: S19=8400"),
}


@pytest.fixture
def given():
    """What the administrator has set: option -> text."""
    return {}


@pytest.fixture
def settings(tmp_path, template, given):
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path, **given)


@pytest.fixture
def german(desk):
    """Somebody with all scopes, in German."""
    return desk(name="Carla Weiß", language="de")


def opened(visitor, page, query=""):
    return visitor.get(f"/desk/company/{page}{query}")


def form_of(page):
    return BeautifulSoup(page.text, "html.parser").select_one("main form.card")


def fields_of(page):
    """Return name -> text of what the form of a page sends."""
    found = {}
    for part in form_of(page).select("[name]"):
        if part.name == "select":
            chosen = part.select_one("[selected]") or part.select_one("option")
            found[part["name"]] = chosen["value"]
        elif part.name == "textarea":
            found[part["name"]] = part.text.removeprefix("\n")
        elif part.name == "input" and (part.get("type") != "radio" or part.has_attr("checked")):
            found[part["name"]] = part["value"]
    return found


def save(visitor, name, status=303, shown=None, **changed):
    """Open a page (or take the one `shown`), type, and save it. Return the response."""
    shown = shown or opened(visitor, name)
    fields = {**fields_of(shown), **changed}
    return visitor.submit(shown, f"/desk/company/{name}", fields, status)


def part(page, name):
    """Return the element of a page with the id of an option."""
    return BeautifulSoup(page.text, "html.parser").find(id=name)


def fault(page, name):
    return part(page, f"e-{name}").text.strip()


def note(page):
    """Return the text of the refusal above the form."""
    return " ".join(BeautifulSoup(page.text, "html.parser").select_one("#faults").text.split())


def revision(db):
    return db.connection.execute("SELECT settings_revision FROM tenant").fetchone()[0]


def sent_invoice(organiser):
    buyer = organiser.make("/contacts", ADDRESS)
    made = organiser.make("/invoices", {"contact_id": buyer["id"], "items": [ITEM]})
    return organiser.post(f"/invoices/{made['id']}/send", {"mail": False}, status=200).json["data"]


def complete(organiser, **more):
    """Set what an invoice needs."""
    company = {
        "organiser_name": "Markt",
        "organiser_street": "Am Anger 4",
        "organiser_city": "Dresden",
        "organiser_tax_number": "202/141/00815",
        "organiser_iban": IBAN,
        **more,
    }
    organiser.patch("/settings", company, status=200)


# The fields


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", ["de", "en"])
def test_each_option_is_on_the_page_that_the_design_names_and_has_its_anchor(desk, page, language):
    shown = opened(desk(language=language), page)
    ids = {each["id"] for each in BeautifulSoup(shown.text, "html.parser").select("main [id]")}
    names = set(PAGE_OF[page].split())
    assert ids & set(PAGE) == names
    assert {name for name in fields_of(shown) if name in SETTINGS} == names - {"organiser_logo"}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", ["de", "en"])
def test_each_field_has_a_label_and_its_help(desk, page, language):
    soup = BeautifulSoup(opened(desk(language=language), page).text, "html.parser")
    for name in PAGE_OF[page].split():
        field = soup.find(id=name)
        label = field.legend if field.name == "fieldset" else soup.find("label", {"for": name})
        assert label.text.strip(), name
        assert f"h-{name}" in field["aria-describedby"] and soup.find(id=f"h-{name}"), name
    for inner in soup.select("main form.card input:not([type=hidden])"):
        assert inner.find_parent("label") or soup.find("label", {"for": inner["id"]})


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_option_has_words_in_both_languages(language):
    texts = WORDS[language]
    for name, page in PAGE.items():
        if page == ADMINISTRATOR:
            continue
        kind = "settings." if f"field_settings.{name}" in texts else ""
        assert texts[f"field_{kind}{name}"]
        assert f"help_{kind}{name}" in texts
        if name not in ("organiser_logo", "currency"):
            assert f"fault_{name}" in texts or f"example_{name}" in texts, name


def test_the_table_has_every_option_but_the_picture():
    assert TYPED.keys() == SETTINGS.keys() - {"organiser_logo"}


@pytest.mark.parametrize("name", TYPED)
def test_an_option_is_saved_shown_and_cleared(german, organiser, name):
    typed, value, shown = TYPED[name]
    before = organiser.data("/settings")[name]
    response = save(german, PAGE[name], **{name: typed})
    assert response.location.endswith(f"/desk/company/{PAGE[name]}?done=saved")
    assert organiser.data("/settings")[name] == value
    page = response.follow(headers=german.headers)
    expected = typed if isinstance(value, list) else value
    assert fields_of(page)[name] == (shown or expected)
    assert "Gespeichert." in page and "zuletzt von Carla Weiß, " in page

    save(german, PAGE[name], 303, page, **{name: typed})  # nothing changes
    (entry,) = organiser.data("/audit-log?entity_type=setting")
    assert (entry["entity_title"], entry["admin_name"]) == (name, "Carla Weiß")

    if name in CHOSEN:
        return
    response = save(german, PAGE[name], "*", **{name: ""})
    if name == "organiser_iban":  # asked about first
        sure = fields_of(response)
        german.submit(response, "/desk/company/bank", sure)
    assert organiser.data("/settings")[name] == before


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_value_is_refused_beside_its_field(german, organiser, db, name):
    typed, sentence = REFUSED[name]
    if name == "organiser_country":
        organiser.patch("/settings", {"small_business": ["yes"]}, status=200)
    before = revision(db)
    page = save(german, PAGE[name], 422, **{name: typed})
    assert sentence in fault(page, name)
    assert f'href="#{name}"' in page and sentence in note(page)
    assert part(page, name).get("value", typed) == typed or part(page, name).name != "input"
    assert revision(db) == before


def test_a_page_that_is_saved_as_it_is_changes_nothing(desk, organiser, db):
    values = {name: value for name, (_, value, _) in TYPED.items()}
    organiser.patch("/settings", values, status=200)
    before = revision(db), organiser.data("/settings")
    for language in ("de", "en"):
        visitor = desk(language=language)
        for page in PAGES:
            save(visitor, page)
    assert (revision(db), organiser.data("/settings")) == before


@pytest.mark.parametrize(
    ("language", "typed", "value"),
    [
        ("de", "1,5", 1.5),
        ("de", "1.5", 1.5),
        ("de", "1,50 €", 1.5),
        ("de", "1.234,50 EUR", 1234.5),
        ("de", "5", 5),
        ("en", "1,234.50€", 1234.5),
        ("en", "1,50", 1.5),
        ("en", "€", "€"),
        ("de", "1,5,0", "1,5,0"),
        ("de", "", ""),
    ],
)
def test_an_amount_is_read_with_comma_point_and_euro(language, typed, value):
    assert company_values.number(typed, language, "€", "EUR") == value


def test_an_unknown_page_is_not_found(office):
    for page in ("x", "administrator", "Company", "company%00"):
        office.get(f"/desk/company/{page}", status=404)


# What changes on a day


@pytest.mark.parametrize(
    ("stored", "word", "since", "expected"),
    [
        (["supply"], "payment", "", ["payment"]),
        (["supply"], "payment", "2027-01-01", ["supply", "2027-01-01 payment"]),
        # not begun: it is moved, or replaced
        (
            ["supply", "2028-01-01 payment"],
            "payment",
            "2029-01-01",
            ["supply", "2029-01-01 payment"],
        ),
        (
            ["supply", "2028-01-01 payment"],
            "issue_date",
            "2028-02-01",
            ["supply", "2028-02-01 issue_date"],
        ),
        (["supply", "2028-01-01 payment"], "supply", "2028-01-01", ["supply"]),
        (["supply", "2028-01-01 payment"], "supply", "", ["supply"]),
        # begun: it stays, but for its day
        (
            ["supply", "2025-01-01 payment"],
            "issue_date",
            "2027-01-01",
            ["supply", "2025-01-01 payment", "2027-01-01 issue_date"],
        ),
        (
            ["supply", "2025-01-01 payment"],
            "payment",
            "2025-02-01",
            ["supply", "2025-02-01 payment"],
        ),
        (
            ["supply", "2025-01-01 payment"],
            "payment",
            "2025-01-01",
            ["supply", "2025-01-01 payment"],
        ),
        (["supply"], "payment", "soon", ["soon payment"]),
    ],
)
def test_a_new_value_from_a_month_on(stored, word, since, expected):
    assert company_values.with_change(stored, word, since, "2026-11-29") == expected


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("01.2027", "2027-01-01"),
        ("1.2027", "2027-01-01"),
        ("3/2027", "2027-03-01"),
        ("2027-03", "2027-03-01"),
        ("15.3.2027", "2027-03-15"),
        ("2027-03-15", "2027-03-15"),
        ("März", "März"),
    ],
)
def test_a_month_is_read_as_people_write_it(typed, day):
    assert company_values.day_of(typed) == day


def test_the_tax_basis_and_the_small_business_change_with_a_month(german, organiser):
    page = save(german, "taxes", **{"tax_basis": "payment", "tax_basis/since": "1.2099"})
    page = page.follow(headers=german.headers)
    assert organiser.data("/settings")["tax_basis"] == ["supply", "2099-01-01 payment"]
    assert fields_of(page)["tax_basis"] == "payment"
    assert fields_of(page)["tax_basis/since"] == "01.2099"
    assert "ab 01.2099: wenn bezahlt wird" in page
    save(german, "taxes", **{"small_business": "yes", "small_business/since": "2098-02"})
    assert organiser.data("/settings")["small_business"] == ["no", "2098-02-01 yes"]
    wrong = save(german, "taxes", 422, **{"tax_basis": "payment", "tax_basis/since": "bald"})
    assert fault(wrong, "tax_basis") == "Den Monat schreiben Sie zum Beispiel so: 01.2027"
    assert fields_of(wrong)["tax_basis/since"] == "bald"


def test_the_tax_basis_of_a_closed_month_stays(german, organiser, db, monkeypatch):
    now = {"now": "2026-05-12T10:00:00Z"}
    monkeypatch.setattr(times, "now", lambda: now["now"])
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    visitor = german
    complete(organiser)
    sent_invoice(organiser)
    now["now"] = "2026-06-03T10:00:00Z"
    organiser.post("/reports/periods/2026-05/close", status=200)
    shown = opened(visitor, "taxes")
    for since in ("", "01.2026"):
        typed = {"tax_basis": "payment", "tax_basis/since": since}
        page = save(visitor, "taxes", 409, shown, **typed)
        assert fault(page, "tax_basis") == (
            "Der Monat 05.2026 ist schon abgeschlossen. Bitte wählen Sie 06.2026 oder einen "
            "späteren Monat."
        )
        assert note(page).startswith("Bitte prüfen Sie:")
    save(visitor, "taxes", **{"tax_basis": "payment", "tax_basis/since": "06.2026"})
    assert organiser.data("/settings")["tax_basis"] == ["supply", "2026-06-01 payment"]


# What is closed


@pytest.mark.parametrize(
    "given",
    [
        {
            "organiser_iban": IBAN,
            "tax_basis": "supply, 2099-01-01 payment",
            "interest_notice": "yes",
            "organiser_footer": "Eins | Zwei",
            "organiser_country": "AT",
            "payment_days": "21",
        }
    ],
)
def test_what_the_administrator_has_set_is_shown_and_closed(german, organiser, db, given):
    shown = {
        "organiser_iban": GROUPED,
        "tax_basis": "wenn die Leistung erbracht ist, oder vorher bezahlt wird (Soll) · "
        "ab 01.2099: wenn bezahlt wird (Ist, § 20 UStG)",
        "interest_notice": "ja, auf Rechnungen an Privatleute",
        "organiser_country": "Österreich",
        "payment_days": "21",
    }
    for name in given:
        page = opened(german, PAGE[name])
        field = part(page, name)
        assert field.has_attr("readonly") and not field.has_attr("name")
        assert field.get("value", field.text.strip()) == shown.get(name, "Eins\nZwei")
        sentence = (
            f"Vom Administrator festgelegt. Steht in der Konfiguration des Servers (Option {name})."
        )
        assert sentence in part(page, f"h-{name}").text
    save(german, "bank", payment_tolerance="1")
    save(german, "company", organiser_name="Markt")

    before = revision(db)
    page = save(german, "bank", 409, organiser_iban=OTHER_IBAN, sure="1")
    assert "Das hat der Administrator des Servers festgelegt" in note(page)
    assert ": IBAN." in note(page)
    assert revision(db) == before
    assert organiser.data("/settings")["organiser_iban"] == IBAN


def test_country_currency_and_time_zone_stay_once_an_invoice_was_sent(german, organiser, db):
    complete(organiser)
    names = ("organiser_country", "currency", "timezone")
    assert not any(part(opened(german, "company"), name).has_attr("readonly") for name in names)
    old = opened(german, "company")
    sent_invoice(organiser)
    page = opened(german, "company")
    for name in names:
        field = part(page, name)
        assert field.has_attr("readonly") and not field.has_attr("name")
        assert "Liegt fest, seit die erste Rechnung gesendet ist." in part(page, f"h-{name}").text
    assert part(page, "organiser_country")["value"] == "Deutschland"
    save(german, "company", organiser_city="Leipzig")

    before = revision(db)
    assert save(german, "company", 412, old, currency="CHF")
    refused = save(german, "company", 409, currency="CHF")
    assert "Das liegt fest, seit die erste Rechnung gesendet ist" in note(refused)
    assert revision(db) == before


@pytest.mark.parametrize("given", [{"mail_signature": "Ada"}])
def test_a_page_without_an_open_field_has_no_button(german, organiser, given):
    page = opened(german, "mails")
    assert not form_of(page) and "aber nicht ändern" not in page
    german.submit(page, "/desk/company/mails")
    assert organiser.data("/settings")["mail_signature"] == ["Ada"]


@pytest.mark.parametrize("page", PAGES)
def test_a_reader_sees_everything_closed_and_cannot_save(desk, organiser, page):
    complete(organiser)
    reader = desk("settings:read", language="de")
    shown = opened(reader, page)
    soup = BeautifulSoup(shown.text, "html.parser")
    assert "aber nicht ändern" in shown
    assert not soup.select("main form") and not soup.select("main button")
    for name in PAGE_OF[page].split():
        assert soup.find(id=name).has_attr("readonly"), name
    refused = reader.submit(shown, f"/desk/company/{page}", {"organiser_name": "x"}, 403)
    assert "“settings”" in refused or "„settings“" in refused


def test_without_the_scope_no_page_opens(desk):
    visitor = desk("events invoices audit")
    for page in PAGES:
        visitor.get(f"/desk/company/{page}", status=403)
        visitor.submit(visitor.get("/desk/"), f"/desk/company/{page}", {}, 403)


def test_a_field_of_another_page_is_not_saved(german, organiser):
    save(german, "mails", organiser_name="Other", organiser_iban=IBAN, data_dir="/", id="7")
    found = organiser.data("/settings")
    assert (found["organiser_name"], found["organiser_iban"]) == (None, None)


# The bank account


def test_a_first_account_is_saved_at_once(german, organiser):
    save(german, "bank", organiser_iban=IBAN)
    assert organiser.data("/settings")["organiser_iban"] == IBAN


def test_another_account_is_asked_about_first(german, organiser, db):
    complete(organiser)
    sent_invoice(organiser)
    sent_invoice(organiser)
    before = revision(db)
    page = save(german, "bank", 200, organiser_iban=OTHER_IBAN, payment_tolerance="0,5")
    text = " ".join(form_of(page).text.split())
    assert f"Bisher{GROUPED} Neu{OTHER_GROUPED}" in text and "Noch ist nichts gespeichert" in text
    assert "2 offene Rechnungen nennen das bisherige Konto" in text
    assert form_of(page).button.text == "Ja, künftige Rechnungen nennen dieses Konto"
    assert revision(db) == before
    assert organiser.data("/settings")["organiser_iban"] == IBAN

    german.submit(page, "/desk/company/bank", fields_of(page))
    found = organiser.data("/settings")
    assert (found["organiser_iban"], found["bank_accounts"]) == (OTHER_IBAN, [IBAN])
    assert found["payment_tolerance"] == 0.5
    page = opened(german, "bank")
    assert "2 offene Rechnungen nennen das alte Konto DE02…2051." in " ".join(page.text.split())
    organiser.make("/payments", {"invoice_number": f"INV-{YEAR}-00001", "amount": 119})
    page = " ".join(opened(german, "bank").text.split())
    assert "Eine offene Rechnung nennt das alte Konto DE02…2051." in page


def test_an_account_that_is_removed_is_asked_about_too(desk, organiser):
    complete(organiser)
    visitor = desk()
    page = save(visitor, "bank", 200, organiser_iban="")
    assert form_of(page).button.text == "Yes, future invoices name no account"
    assert "open invoice" not in form_of(page).text
    visitor.submit(page, "/desk/company/bank", fields_of(page))
    assert organiser.data("/settings")["organiser_iban"] is None


def test_the_same_account_in_another_writing_is_not_asked_about(german, organiser, db):
    complete(organiser)
    before = revision(db)
    save(german, "bank", organiser_iban=IBAN.lower())
    assert revision(db) == before


def test_a_wrong_account_is_refused_before_it_is_asked_about(german, organiser):
    complete(organiser)
    page = save(german, "bank", 422, organiser_iban="DE02 1203", payment_tolerance="1")
    assert "Diese IBAN stimmt nicht" in fault(page, "organiser_iban")
    assert fields_of(page)["organiser_iban"] == "DE02 1203"


def test_an_account_that_was_changed_meanwhile_is_not_overwritten(german, desk, organiser):
    complete(organiser)
    asked = save(german, "bank", 200, organiser_iban=OTHER_IBAN)
    other = desk(name="Ole Lindqvist")
    page = save(other, "bank", 200, organiser_iban="")
    other.submit(page, "/desk/company/bank", fields_of(page))
    page = german.submit(asked, "/desk/company/bank", fields_of(asked), 412)
    assert "Ole Lindqvist hat das inzwischen geändert." in note(page)
    assert organiser.data("/settings")["organiser_iban"] is None


# At once


def test_a_change_of_somebody_else_is_shown_beside_what_was_typed(german, desk, organiser):
    old = opened(german, "company")
    save(desk(name="Ole Lindqvist"), "company", organiser_city="Leipzig")
    page = save(german, "company", 412, old, organiser_city="Dresden")
    assert "Ole Lindqvist hat das inzwischen geändert. Ihre Eingaben sind noch da." in note(page)
    assert "Ort: gespeichert ist jetzt „Leipzig“, eingegeben haben Sie „Dresden“." in note(page)
    assert fields_of(page)["organiser_city"] == "Dresden"
    german.submit(page, "/desk/company/company", fields_of(page))
    assert organiser.data("/settings")["organiser_city"] == "Dresden"


def test_a_change_of_another_page_is_no_conflict(german, desk, organiser):
    old = opened(german, "company")
    save(desk(), "mails", mail_signature="Ada")
    save(german, "company", shown=old, organiser_city="Dresden")
    found = organiser.data("/settings")
    assert (found["organiser_city"], found["mail_signature"]) == ("Dresden", ["Ada"])


def test_a_form_that_is_sent_twice_is_saved_once(german, organiser, db):
    shown = opened(german, "company")
    fields = {**fields_of(shown), "organiser_city": "Dresden"}
    first = german.submit(shown, "/desk/company/company", fields)
    again = german.submit(shown, "/desk/company/company", fields)
    assert first.location == again.location
    assert revision(db) == 1


# What cannot be read


HOSTILE = {
    "markup": "</textarea><script>alert(1)</script>\"'>",
    "lines": "a\nb\tc\x01",
    "long": "x" * 100_000,
    "template": "{{!body}} % include",
    "digits": "9" * 5000,
    "fullwidth": "\uff12\uff17",
    "bidi": "\u202egpj.exe",
}


@pytest.fixture
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


@pytest.mark.usefixtures("no_pace")
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_breaks_a_page(office, organiser, page, text):
    shown = opened(office, page)
    stored = fields_of(shown)
    names = [name for name in stored if name not in ("form_token", "tag", "from")]
    if len(text) < 1000:
        tried = [dict.fromkeys(names, text)]
    else:
        tried = [{name: text} for name in names]
    for changed in tried:
        fields = {**stored, **changed}
        answer = office.submit(shown, f"/desk/company/{page}", fields, "*")
        assert answer.status_int in (303, 422), changed.keys()
        if answer.status_int == 422:
            assert "fault" in answer
        else:
            shown = opened(office, page)
            stored = fields_of(shown)
        assert "<script" not in own_script.without(answer.text)
        assert "<script" not in own_script.without(opened(office, page).text)
    for path in ("setup", ""):
        assert "<script" not in own_script.without(office.get(f"/desk/{path}").text)


def test_a_name_with_markup_is_stored_and_written_as_text(office, organiser):
    typed = '<b>Markt</b> & "Söhne" {year}'
    save(office, "company", organiser_name=typed)
    assert organiser.data("/settings")["organiser_name"] == typed
    page = opened(office, "company")
    assert fields_of(page)["organiser_name"] == typed and b"<b>Markt" not in page.body


def test_a_form_without_fields_changes_nothing(office, db):
    shown = opened(office, "bank")
    office.submit(shown, "/desk/company/bank")
    assert revision(db) == 0


# Numbers of invoices


def test_the_page_names_the_next_numbers(german, organiser):
    complete(organiser)
    assert f"Die nächste heißt INV-{YEAR}-00001." in opened(german, "invoices")
    sent_invoice(organiser)
    page = opened(german, "invoices")
    assert f"Die nächste heißt INV-{YEAR}-00002." in page
    assert f"Die nächste heißt CN-{YEAR}-00001." in page


def test_the_usual_german_numbers_are_one_click_until_the_first_is_taken(german, organiser):
    complete(organiser)
    page = opened(german, "invoices")
    assert form_of(page).button.text == "Speichern"  # the first button is pressed by Enter
    assert "Diese Nummern nehmen" in page
    save(german, "invoices", shown=page, proposed_numbers="1", payment_days="21")
    found = organiser.data("/settings")
    assert found["invoice_number_format"] == "RE-{year}-{seq:05}"
    assert found["credit_note_number_format"] == "GS-{year}-{seq:05}"
    assert found["payment_days"] == 21
    assert "Diese Nummern nehmen" not in opened(german, "invoices")
    defaults = {"invoice_number_format": None, "credit_note_number_format": None}
    organiser.patch("/settings", defaults, status=200)
    assert "Diese Nummern nehmen" in opened(german, "invoices")
    sent_invoice(organiser)
    assert "Diese Nummern nehmen" not in opened(german, "invoices")


@pytest.mark.parametrize(
    ("country", "is_offered"), [("AT", True), ("CH", True), ("LI", True), ("FR", False)]
)
def test_the_german_numbers_are_offered_where_people_write_german(
    german, organiser, country, is_offered
):
    organiser.patch("/settings", {"organiser_country": country}, status=200)
    assert ("Diese Nummern nehmen" in opened(german, "invoices")) == is_offered


# What is missing, mails, and the assistant


def test_a_page_says_what_is_missing_and_leads_to_the_field(german, organiser):
    page = opened(german, "bank")
    assert "Ihre Rechnungen nennen kein Bankkonto." in page and 'href="#organiser_iban"' in page
    complete(organiser)
    assert "Ihre Rechnungen nennen kein Bankkonto." not in opened(german, "bank")


@pytest.mark.parametrize(
    "given", [{"smtp_host": "mail.example.org", "smtp_sender": "messe@example.org"}]
)
def test_the_page_of_mails_says_which_way_they_take(german, given):
    page = " ".join(opened(german, "mails").text.split())
    assert "Mails gehen über mail.example.org als messe@example.org. Höchstens 60" in page
    assert "Dieser Server sendet noch keine Mails" not in page


def test_without_a_mail_server_the_page_of_mails_says_so(german):
    assert "Dieser Server sendet noch keine Mails." in opened(german, "mails")


def test_a_show_can_be_the_start_page(office, organiser, fair):
    assert "Garden Fair" in part(opened(office, "look"), "start_page").text
    save(office, "look", start_page="fair")
    assert organiser.data("/settings")["start_page"] == "fair"


def test_from_the_assistant_the_next_step_follows(german, organiser, monkeypatch):
    seen = []

    def next_step(db, request):
        found = db.value(sql.revision)
        seen.append(found)
        return "company/taxes?from=start"

    monkeypatch.setattr(start, "next_step", next_step)
    page = opened(german, "company", "?from=start")
    response = save(german, "company", shown=page, organiser_name="Markt")
    assert response.location.endswith("/desk/company/taxes?from=start&done=saved")
    assert seen == [1]
    page = save(german, "bank", shown=opened(german, "bank", "?from=elsewhere"), organiser_bic="")
    assert page.location.endswith("/desk/company/bank?done=saved")


def test_the_assistant_leads_on_after_the_second_step_too(german, organiser):
    complete(organiser)
    page = save(german, "bank", 200, opened(german, "bank", "?from=start"), organiser_iban="")
    response = german.submit(page, "/desk/company/bank", fields_of(page))
    assert "/desk/company/bank" not in response.location


def test_the_last_change_names_its_person(desk, organiser):
    save(desk(name="Ole Lindqvist"), "company", organiser_city="Leipzig")
    save(desk(name="Ada Lovelace"), "mails", mail_signature="Ada")
    reader = desk("settings:read")
    assert "last changed by Ole Lindqvist, " in opened(reader, "company")
    assert "last changed by Ada Lovelace, " in opened(reader, "mails")
    assert "last changed" not in opened(reader, "bank")
