"""The first steps of an owner: which are done, which comes next, and who sees them."""

import re

import pytest
from bs4 import BeautifulSoup

from eventapi.domain.access import notices
from tests.domain.test_settings import ADDRESS, ITEM, load
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import sign_in
from tests.support.client import SCOPES, add_key
from tests.support.people import add_person, at_desk

# What the organiser needs for invoices and public pages; the tax rate is that of the country.
COMPLETE = {
    "organiser_name": "Bastelmarkt e. V.",
    "organiser_street": "Am Anger 4",
    "organiser_city": "Dresden",
    "organiser_email": "office@fair.example",
    "organiser_tax_number": "202/141/00815",
    "organiser_iban": "DE02120300000000202051",
}
BY_MAIL = {
    "base_url": "http://localhost",
    "smtp_host": "localhost",
    "smtp_sender": "office@fair.example",
}


@pytest.fixture
def given():
    """What the administrator has set: nothing."""
    return {}


@pytest.fixture
def settings(tmp_path, template, given):
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path, **given)


@pytest.fixture
def complete(organiser):
    """Settings that lack nothing, but for what is changed: complete(organiser_iban=None)."""

    def changed(**values):
        organiser.patch("/settings", {**COMPLETE, **values}, status=200)

    return changed


@pytest.fixture
def carla(app, db):
    """An owner at the desk."""
    id = add_person(db, "owner", "Carla Weiß")
    visitor = at_desk(app, db, id)
    visitor.id = id
    return visitor


def first_steps(visitor):
    """Return what Today says of the first steps."""
    page = visitor.get("/desk/").text
    return re.search(r"(?:First steps|Erste Schritte)</h2>\s*<span[^>]*>([^<]+)", page)[1]


def states(page):
    """Return {name of a step: (address below /desk/, done, open or something is missing)}."""
    text = page.text.partition('<ol class="steps">')[2].partition("</ol>")[0]
    found = re.findall(
        r'href="[./]*/desk/([^"?]*)[^"]*">([^<]+)</a>.*?<span class="hidden"> ([^<]+)<', text, re.S
    )
    return {name: (address, state) for address, name, state in found}


def set_password(db, id):
    with db.write():
        db.connection.execute("UPDATE admins SET password_hash = 'x' WHERE id = ?", (id,))


def send_test_mail(db, id, state="sent"):
    with db.write():
        notices.send_test(db, id)
        db.connection.execute("UPDATE mails SET state = ? WHERE kind = 'mail_test'", (state,))


def test_after_the_installation_nothing_is_done(carla):
    page = carla.get("/desk/start")
    assert states(page) == {
        "Your access": ("account", "open"),
        "Your company": ("company/company", "something is missing"),
        "Taxes": ("company/taxes", "something is missing"),
        "Bank": ("company/bank", "something is missing"),
        "E-mail": ("company/mails", "open"),
    }
    assert "0 of 5 done" in page.text and "Next: Your access" in page.text
    assert "Missing: IBAN." in page.text
    assert "This server sends no e-mail yet." in page.text
    assert first_steps(carla) == "0 of 5 done"


@pytest.mark.parametrize(
    ("missing", "step", "names"),
    [
        ({"organiser_name": None}, "Your company", "Name"),
        (
            {"organiser_street": None, "organiser_city": None},
            "Your company",
            "Street and house number, City",
        ),
        ({"organiser_email": None}, "Your company", "E-mail for customers"),
        ({"organiser_tax_number": None}, "Taxes", "VAT id or Tax number"),
        ({"organiser_country": "US"}, "Taxes", "Tax rate in percent"),
        ({"organiser_iban": None}, "Bank", "IBAN"),
    ],
)
def test_a_step_is_open_while_its_data_is_missing(carla, complete, missing, step, names):
    complete(**missing)
    page = carla.get("/desk/start")
    lacking = [name for name, (_, state) in states(page).items() if state == "something is missing"]
    assert lacking == [step]
    assert f"Missing: {names}." in page.text


@pytest.mark.parametrize("given", [{"organiser_iban": "DE02120300000000202052"}])
def test_a_wrong_identifier_is_called_a_typing_error(carla):
    page = carla.get("/desk/start")
    assert "There is a typing error: IBAN." in page.text and states(page)["Bank"][1] != "done"


def test_access_needs_a_password_and_recommends_a_second_factor(carla, db):
    set_password(db, carla.id)
    page = carla.get("/desk/start")
    assert states(page)["Your access"] == ("account", "done")
    assert "Recommended: a second factor." in page.text
    db.connection.execute("UPDATE admins SET totp_secret = 'x' WHERE id = ?", (carla.id,))
    assert "Recommended" not in carla.get("/desk/start").text


@pytest.mark.parametrize("given", [BY_MAIL])
@pytest.mark.parametrize(
    ("state", "shown"), [("queued", "open"), ("failed", "open"), ("sent", "done")]
)
def test_mails_need_a_test_mail_that_was_sent(carla, db, state, shown):
    send_test_mail(db, carla.id, state)
    assert states(carla.get("/desk/start"))["E-mail"] == ("company/mails", shown)


@pytest.mark.parametrize("given", [BY_MAIL])
def test_when_all_is_done_today_no_longer_counts(carla, complete, db):
    complete()
    set_password(db, carla.id)
    assert first_steps(carla) == "4 of 5 done"
    send_test_mail(db, carla.id)
    page = carla.get("/desk/start")
    assert {state for _, state in states(page).values()} == {"done"}
    assert "5 of 5 done" in page.text and "All done" in page.text
    assert "Create the first event" in page.text
    assert "First steps" not in carla.get("/desk/").text


def test_after_the_first_show_the_page_leads_to_its_steps(carla, organiser):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    page = carla.get("/desk/start").text
    assert "Create the first event" not in page and "On to the event: step by step" in page


def test_german(app, db):
    visitor = at_desk(app, db, add_person(db), "de")
    page = visitor.get("/desk/start").text
    assert "0 von 5 erledigt" in page and "Weiter: Ihr Zugang" in page and "Es fehlt: IBAN." in page
    assert first_steps(visitor) == "0 von 5 erledigt"


# Who sees them


@pytest.mark.parametrize("role", ["office", "finance", "door", "reader"])
def test_other_roles_see_nothing_of_them(app, db, role):
    visitor = at_desk(app, db, add_person(db, role))
    visitor.get("/desk/start", 404)
    assert "First steps" not in visitor.get("/desk/").text
    visitor.submit(visitor.get("/desk/"), "/desk/start", status=404)


def test_a_key_and_a_session_with_fewer_rights_see_nothing_of_them(app, db, carla):
    key = Visitor(app)
    sign_in(key, add_key(db, SCOPES))
    key.get("/desk/start", 404)
    less = at_desk(app, db, carla.id, scopes=["events:read", "settings"])
    less.get("/desk/start", 404)
    assert "First steps" not in less.get("/desk/").text


# Saving leads on


def save(visitor, page, **typed):
    """Save a page of the organiser that the assistant has opened. Return the address that follows."""
    opened = visitor.get(f"/desk/company/{page}?from=start")
    answer = visitor.submit(opened, f"/desk/company/{page}", {**fields_of(opened), **typed})
    return re.search(r"/desk/(.*)", answer.headers["Location"])[1]


def fields_of(page):
    """Return the fields of the form of a page as a browser sends them."""
    form = BeautifulSoup(page.text, "html.parser").select_one("main form.card")
    found = {}
    for part in form.select("[name]"):
        if part.name == "select":
            found[part["name"]] = (part.select_one("[selected]") or part.option)["value"]
        elif part.name == "textarea":
            found[part["name"]] = part.text
        elif part.get("type") not in ("radio", "checkbox") or part.has_attr("checked"):
            found[part["name"]] = part.get("value", "")
    return found


def test_saving_leads_to_the_next_open_step(carla):
    company = {name: COMPLETE[f"organiser_{name}"] for name in ("name", "street", "city", "email")}
    company = {f"organiser_{name}": text for name, text in company.items()}
    assert save(carla, "company", **company) == "company/taxes?from=start&done=saved"
    number = COMPLETE["organiser_tax_number"]
    assert save(carla, "taxes", organiser_tax_number=number) == "company/bank?from=start&done=saved"
    assert save(carla, "company", **company) == "company/bank?from=start&done=saved"


def test_a_step_that_is_skipped_does_not_come_back_at_once(carla):
    assert save(carla, "company", organiser_name="Markt") == "company/taxes?from=start&done=saved"
    assert save(carla, "taxes") == "company/bank?from=start&done=saved"


@pytest.mark.parametrize("given", [BY_MAIL])
def test_after_the_last_step_the_overview_follows(carla, complete, db):
    complete()
    send_test_mail(db, carla.id)
    assert save(carla, "bank") == "start?done=saved"
    assert "1 of 5" not in carla.get("/desk/start").text


def test_somebody_else_who_saves_with_the_address_of_the_assistant_is_led_to_today(app, db):
    sina = at_desk(app, db, add_person(db, "custom", scopes=["events:read", "settings"]))
    assert save(sina, "company", organiser_name="Markt") == "?done=saved"


# Invoice numbers and team, which nobody has to do


def take_numbers(visitor, status=303):
    return visitor.submit(visitor.get("/desk/start"), "/desk/start", status=status)


@pytest.mark.parametrize("country", ["DE", "AT", "CH", "LI"])
def test_numbers_are_proposed_and_taken_with_one_click(carla, complete, organiser, country):
    complete(organiser_country=country, organiser_iban=None, organiser_tax_number="12-345/6789")
    page = carla.get("/desk/start")
    assert re.search(r"Usual is RE-\d{4}-00001\.", page.text) and "Use this" in page.text
    take_numbers(carla)
    data = organiser.data("/settings")
    assert data["invoice_number_format"] == "RE-{year}-{seq:05}"
    assert data["credit_note_number_format"] == "GS-{year}-{seq:05}"
    assert "Use this" not in carla.get("/desk/start").text


def test_numbers_are_not_proposed_elsewhere(carla, complete):
    complete(organiser_country="FR", organiser_iban=None, organiser_tax_number="1")
    assert "Use this" not in carla.get("/desk/start").text


@pytest.mark.parametrize("given", [{"credit_note_number_format": "C-{year}-{seq}"}])
def test_numbers_that_the_administrator_has_set_are_not_proposed(carla):
    assert "Use this" not in carla.get("/desk/start").text


def test_numbers_that_were_chosen_stay(carla, complete, organiser):
    page = carla.get("/desk/start")
    complete(invoice_number_format="R{year}{seq:04}")
    carla.submit(page, "/desk/start")
    assert organiser.data("/settings")["invoice_number_format"] == "R{year}{seq:04}"


def test_after_the_first_number_none_is_proposed(carla, complete, organiser):
    page = carla.get("/desk/start")
    complete()
    contact = organiser.make("/contacts", {**ADDRESS, "email": "a@b.example"})
    invoice = organiser.make("/invoices", {"contact_id": contact["id"], "items": [ITEM]})
    organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200)
    assert "Use this" not in carla.get("/desk/start").text
    carla.submit(page, "/desk/start")
    assert organiser.data("/settings")["invoice_number_format"].startswith("INV-")


def test_the_team_is_done_with_a_second_person(carla, db):
    assert "Invite somebody" in carla.get("/desk/start").text
    add_person(db, "reader", "Ole Lindqvist", has_signed_in=False)
    assert "Invite somebody" not in carla.get("/desk/start").text


@pytest.mark.parametrize("given", [BY_MAIL])
def test_the_account_leads_to_the_first_steps_until_they_are_done(carla, complete, db):
    complete()
    set_password(db, carla.id)
    assert 'desk/start">' in carla.get("/desk/account").text
    send_test_mail(db, carla.id)
    assert 'desk/start">' not in carla.get("/desk/account").text


def test_the_account_of_others_does_not(app, db):
    ole = at_desk(app, db, add_person(db, "office", "Ole Lindqvist"))
    assert 'desk/start">' not in ole.get("/desk/account").text
