"""What the settings of the organiser lack, as the desk says it."""

import pytest

from eventapi.domain.einvoices_sent import requirements
from tests.domain.test_missing_settings import WRONG_IBAN
from tests.domain.test_tax_warnings import BUYER, ITEM
from tests.pages.desk.test_words import WORDS


@pytest.fixture
def draft(organiser):
    """Return a draft whose buyer lacks nothing."""
    buyer = organiser.make("/contacts", BUYER)
    return organiser.make("/invoices", {"contact_id": buyer["id"], "items": [ITEM]})


@pytest.mark.parametrize(
    ("code", "changed"),
    {
        "no_name": {"organiser_name": ""},
        "no_address": {"organiser_city": ""},
        "no_tax_number": {"organiser_vat_id": "", "organiser_tax_number": ""},
        "no_tax_rate": {"is_tax_rate_known": False},
        "wrong_identifier": {"organiser_iban": WRONG_IBAN},
        "no_email": {"organiser_email": ""},
        "no_bank_account": {"organiser_iban": ""},
    }.items(),
)
@pytest.mark.parametrize("language", ["de", "en"])
def test_today_and_set_up_say_each_code(desk, fair, settings, language, code, changed):
    office = desk(language=language)
    sentence = WORDS[language][f"missing_{code}"].partition("{")[0]
    for page in ("/desk/", "/desk/setup"):
        assert sentence not in office.get(page).text
    vars(settings).update(changed)
    for page in ("/desk/", "/desk/setup"):
        assert f'<p class="note bad">{sentence}' in office.get(page).text


def test_today_says_that_no_mail_leaves_also_to_those_who_read_no_invoices(desk, fair, settings):
    vars(settings).update({"organiser_name": "", "organiser_email": "", "smtp_host": ""})
    helper = desk("events:read").get("/desk/").text
    assert '<p class="note">This server sends no mails' in helper
    assert "cannot be public: your e-mail" in helper and "cannot send invoices" not in helper
    assert "cannot be public" not in desk("contacts:read").get("/desk/").text


def test_a_draft_and_its_trial_name_a_setting_in_words(office, desk, draft, settings):
    vars(settings).update({"organiser_vat_id": "", "organiser_tax_number": ""})
    settings.organiser_iban = WRONG_IBAN
    page = office.get(f"/desk/invoices/{draft['id']}").text
    assert "VAT id or tax number of the organiser" in page and "IBAN of the organiser" in page
    german = desk(language="de")
    trial = german.submit(
        german.get("/desk/money?all=1"),
        "/desk/batch/invoices/send",
        {"ids": [draft["id"]]},
        status=200,
    ).text
    assert "USt-IdNr. oder Steuernummer des Veranstalters, IBAN des Veranstalters" in trial


def test_each_setting_that_an_invoice_may_lack_has_a_name_at_the_desk():
    fields = {*requirements.FIELDS.values(), *requirements.PEPPOL_FIELDS.values()}
    fields |= {name for names in requirements.GROUPS.values() for name in names}
    of_settings = {name for name in fields if name.startswith("organiser_")}
    assert len(of_settings) > 10
    for language, texts in WORDS.items():
        assert [name for name in of_settings if f"lacks_{name}" not in texts] == [], language
