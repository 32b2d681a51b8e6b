"""What the settings of the organiser lack, as the desk says it."""

import re

import pytest

from eventapi.domain.access import people
from eventapi.domain.einvoices_sent import requirements
from tests.domain.test_missing_settings import WRONG_IBAN
from tests.domain.test_tax_warnings import BUYER, ITEM
from tests.pages.desk.test_words import WORDS
from tests.support import batches
from tests.support.people import open_settings


@pytest.fixture
def draft(organiser):
    """Return a draft whose buyer lacks nothing."""
    buyer = organiser.make("/contacts", BUYER)
    return organiser.make("/invoices", {"contact_id": buyer["id"], "items": [ITEM]})


@pytest.fixture
def opened(settings):
    """The settings of an organiser who may change all of them at the desk."""
    open_settings(settings)
    return settings


@pytest.fixture
def owners(db):
    """Make two people of the office who are owners and have signed in, and one who has not."""
    with db.write():
        for name in ("Carla Weiß", "Ole Lindqvist", "Mehmet Aydın"):
            id = people.invite(db, name, f"{name[:3].lower()}@messe.example", "owner")
            if name != "Mehmet Aydın":
                people.record_sign_in(db, id)


def notes(page):
    """Return the texts of what is missing on a page."""
    found = re.findall(r'(?s)<p class="note bad">(.*?)</p>', page.text)
    return [" ".join(re.sub("<[^>]+>", " ", text).split()) for text in found]


def links(page):
    """Return the addresses of fields of the organiser to which a page leads."""
    return re.findall(r'href="[^"]*/desk/(company/\w+)[^"#]*(#\w+)"', page.text)


CODES = {
    "no_name": ({"organiser_name": ""}, ["company/company#organiser_name"]),
    "no_address": ({"organiser_city": ""}, ["company/company#organiser_city"]),
    "no_tax_number": (
        {"organiser_vat_id": "", "organiser_tax_number": ""},
        ["company/taxes#organiser_vat_id", "company/taxes#organiser_tax_number"],
    ),
    "no_tax_rate": ({"is_tax_rate_known": False}, ["company/taxes#tax_rate"]),
    "wrong_identifier": ({"organiser_iban": WRONG_IBAN}, ["company/bank#organiser_iban"]),
    "no_email": ({"organiser_email": ""}, ["company/company#organiser_email"]),
    "no_bank_account": ({"organiser_iban": ""}, ["company/bank#organiser_iban"]),
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("language", ["de", "en"])
def test_today_and_set_up_say_each_code_and_lead_to_its_field(desk, fair, opened, language, code):
    changed, fields = CODES[code]
    office = desk(language=language)
    sentence = WORDS[language][f"missing_{code}"].partition("{")[0].strip()
    for page in ("/desk/", "/desk/setup"):
        assert notes(office.get(page)) == []
    vars(opened).update(changed)
    for path in ("/desk/", "/desk/setup"):
        page = office.get(path)
        (note,) = notes(page)
        assert note.startswith(sentence) and "organiser_" not in note
        assert ["".join(parts) for parts in links(page)] == fields


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Bitte sagen Sie es Carla Weiß oder Ole Lindqvist (Leitung)."),
        ("en", "Please tell Carla Weiß or Ole Lindqvist (owner)."),
    ],
)
def test_who_may_not_change_settings_is_told_who_can(
    desk, fair, opened, owners, language, sentence
):
    opened.organiser_iban = ""
    page = desk("events invoices settings:read", language=language).get("/desk/")
    (note,) = notes(page)
    assert note.endswith(sentence) and links(page) == []


def test_without_an_owner_the_administrator_is_told(desk, fair, opened):
    opened.organiser_iban = ""
    (note,) = notes(desk("events invoices", language="de").get("/desk/"))
    assert note.endswith("Bitte sagen Sie es dem Administrator des Servers.")


def test_what_the_administrator_has_set_leads_to_no_field(desk, fair, opened, owners):
    opened.live.given["organiser_iban"] = ("", "/etc/eventapi/eventapi.conf:9")
    opened.organiser_iban = ""
    page = desk().get("/desk/")
    (note,) = notes(page)
    assert note.endswith("Please tell the administrator of the server.") and links(page) == []


def test_today_says_that_no_mail_leaves_also_to_those_who_read_no_invoices(desk, fair, settings):
    vars(settings).update({"organiser_name": "", "organiser_email": "", "smtp_host": ""})
    helper = desk("events:read").get("/desk/").text
    assert '<p class="note">This server sends no mails' in helper
    assert "cannot be public: your e-mail" in helper and "cannot send invoices" not in helper
    assert "cannot be public" not in desk("contacts:read").get("/desk/").text


def test_a_draft_and_its_trial_name_a_setting_in_words(office, desk, draft, opened):
    vars(opened).update({"organiser_vat_id": "", "organiser_tax_number": ""})
    opened.organiser_iban = WRONG_IBAN
    page = office.get(f"/desk/invoices/{draft['id']}")
    assert "VAT id or tax number of the organiser" in page and "IBAN of the organiser" in page
    assert links(page) == [
        ("company/taxes", "#organiser_vat_id"),
        ("company/taxes", "#organiser_tax_number"),
        ("company/bank", "#organiser_iban"),
    ]
    german = desk(language="de")
    page = german.get("/desk/money?all=1")
    trial = batches.tried(german, page, "invoices/send", [draft["id"]]).text
    assert "USt-IdNr. oder Steuernummer des Veranstalters, IBAN des Veranstalters" in trial


def test_each_field_of_a_draft_leads_to_where_it_is_mended(office, organiser, opened):
    """The customer's link is beside the fields of the customer, and nowhere else."""
    opened.organiser_city = ""
    buyer = organiser.make("/contacts", {**BUYER, "city": None, "address": None})
    item = {**ITEM, "unit_price": 1000}  # no small invoice
    invoice = organiser.make("/invoices", {"contact_id": buyer["id"], "items": [item]})
    page = office.get(f"/desk/invoices/{invoice['id']}").text
    lines = re.findall(r"(?s)<li>\s*([^<]+?)\s*(<a .*?)</li>", page)
    found = {}
    for text, more in lines:
        found[text] = re.findall(r'/desk/([a-z]+/[a-z]+)[^"#]*#([\w-]+)"', more)
    assert found.pop("City of the organiser") == [("company/company", "organiser_city")]
    assert found.pop("Street and number") == [("edit/contacts", "f-address")]
    assert found.pop("City") == [("edit/contacts", "f-city")]
    (warning,) = found  # that the day of issue counts as the day of the supply
    assert found[warning] == [("edit/invoices", "f-service_date")]


def test_a_draft_tells_whom_to_ask_once(desk, draft, opened, owners):
    vars(opened).update({"organiser_name": "", "organiser_city": ""})
    page = desk("invoices", language="de").get(f"/desk/invoices/{draft['id']}")
    assert page.text.count("Bitte sagen Sie es Carla Weiß oder Ole Lindqvist (Leitung).") == 1
    assert links(page) == [] and "Name des Veranstalters" in page


def test_sending_without_an_account_is_asked_about(desk, draft, opened):
    office = desk(language="de")
    path = f"/desk/do/send_invoice/{draft['id']}"
    page = office.get(path)
    assert notes(page) == [] and "Trotzdem senden" not in page
    opened.organiser_iban = ""
    page = office.get(path)
    assert notes(page) == ["Auf dieser Rechnung steht kein Bankkonto. IBAN eintragen"]
    assert links(page) == [("company/bank", "#organiser_iban")]
    assert page.text.index("IBAN eintragen") < page.text.index("Trotzdem senden")
    office.submit(page, path, {"back": "money"})


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "Auf dieser Rechnung steht kein Bankkonto. IBAN eintragen"),
        (2, "Auf diesen Rechnungen steht kein Bankkonto. IBAN eintragen"),
    ],
)
def test_the_trial_of_sending_asks_about_the_account(
    desk, organiser, draft, opened, count, sentence
):
    opened.organiser_iban = ""
    more = {"contact_id": draft["contact_id"], "items": [ITEM]}
    drafts = [draft, *(organiser.make("/invoices", more) for _ in range(count - 1))]
    office = desk(language="de")
    ids = [each["id"] for each in drafts]
    page = batches.tried(office, office.get("/desk/money?all=1"), "invoices/send", ids)
    assert notes(page) == [sentence] and f"Trotzdem senden ({count})" in page
    done = batches.pressed(office, page)
    assert "Trotzdem senden" not in done and notes(done) == []


def test_the_bank_without_an_account_leads_to_its_field(desk, opened):
    opened.organiser_iban = ""
    page = desk(language="de").get("/desk/money/bank")
    assert notes(page) == ["Zuerst muss Ihr Konto eingetragen sein. IBAN eintragen"]
    assert links(page) == [("company/bank", "#organiser_iban")]


def test_the_pages_of_a_show_lead_to_what_their_imprint_lacks(desk, fair, opened):
    vars(opened).update({"organiser_name": "", "organiser_email": ""})
    page = desk().get("/desk/setup/website")
    assert links(page) == [
        ("company/company", "#organiser_name"),
        ("company/company", "#organiser_email"),
    ]
    assert "organiser_name = …" not in page


def test_each_setting_that_an_invoice_may_lack_has_a_name_at_the_desk():
    fields = {*requirements.FIELDS.values(), *requirements.PEPPOL_FIELDS.values()}
    fields |= {name for names in requirements.GROUPS.values() for name in names}
    of_settings = {name for name in fields if name.startswith("organiser_")}
    assert len(of_settings) > 10
    for language, texts in WORDS.items():
        assert [name for name in of_settings if f"lacks_{name}" not in texts] == [], language
