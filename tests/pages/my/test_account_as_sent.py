"""An invoice that was sent names one bank account, wherever it is shown: the one that the organiser had then."""

import re
from html import unescape

import pytest

from tests.pictures.test_invoice_pdf import texts
from tests.support.mail_server import Inbox, Server
from tests.worker.test_mail import configure, sent

OLD = "DE02120300000000202051"
NEW = "DE89370400440532013000"
NOWHERE = NEW, "DE89 3704 0044 0532 0130 00"


@pytest.fixture
def inbox(settings):
    """Return the inbox of a mail server that the organiser has configured."""
    found = Inbox()
    server = Server(found).start()
    configure(settings, server)
    settings.language = "en"
    yield found
    server.stop()


@pytest.fixture
def invoice(site):
    """Return an open invoice of the exhibitor."""
    address = f"/contacts/{site.participant['contact_id']}"
    site.organiser.patch(address, {"country": "AT", "email": "anna@rosen.example"}, status=200)
    site.act("participants", site.participant, "confirm")
    return site.send(site.bill()[0])


def move(settings):
    """Give the organiser another bank account and another name."""
    settings.organiser_iban, settings.organiser_bic = NEW, "COBADEFFXXX"
    settings.organiser_name = "Neue Messe GmbH"


def facts(page):
    """Return {label: value} of what a page says about payments."""
    found = re.findall(r"<dt>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>", page.text, re.S)
    return {unescape(label): unescape(value) for label, value in found}


def test_page_and_girocode_name_the_account_that_the_invoice_was_sent_with(
    my, site, invoice, settings
):
    code = my.get(f"invoices/{invoice['id']}/girocode").body
    move(settings)
    page = my.get("invoices")
    shown = facts(page)
    assert (shown["Please transfer to"], shown["IBAN"]) == ("Messe Test GmbH", OLD)
    assert not any(account in page.text for account in NOWHERE)
    assert my.get(f"invoices/{invoice['id']}/girocode").body == code

    second = site.exhibitor("Nelken KG")
    site.reserve("B9", participant=second)
    later = site.send(site.bill(second)[0])
    assert later["seller"]["iban"] == NEW


def test_an_invoice_that_was_sent_without_an_account_gets_none(my, site, request, settings):
    settings.organiser_iban = ""
    invoice = request.getfixturevalue("invoice")
    assert invoice["seller"]["iban"] is None
    move(settings)
    page = my.get("invoices")
    assert "IBAN" not in facts(page)
    assert not any(account in page.text for account in NOWHERE)
    checked = site.organiser.post(f"/invoices/{invoice['id']}/check", status=200).json["data"]
    assert "no_bank_account" in [each["code"] for each in checked["warnings"]]


def test_mail_and_reminder_have_the_account_that_the_invoice_was_sent_with(
    inbox, site, invoice, settings, db
):
    pytest.importorskip("reportlab")
    move(settings)
    for language in ("de", "en"):
        body = {"to": "anna@rosen.example", "language": language}
        site.organiser.post(f"/invoices/{invoice['id']}/mail", body, status=202)
    db.connection.execute(
        "UPDATE invoices SET due_date = '2020-01-01', overdue_from = '2020-01-02'"
    )
    site.organiser.post(f"/invoices/{invoice['id']}/remind", {"mail": True}, status=200)
    sent(db)
    assert len(inbox.messages) == 4  # sent, twice again, reminded
    for message in inbox.messages:
        text = message.get_body(("plain",)).get_content()
        assert not any(account in text for account in NOWHERE)
        for pdf in message.iter_attachments():
            shown = "".join(texts(pdf.get_content()))
            assert "DE02 1203 0000 0000 2020 51" in shown
            assert not any(account in shown for account in NOWHERE)


def test_the_check_does_not_ask_for_the_account_of_an_invoice_that_has_one(site, invoice, settings):
    settings.organiser_iban = ""
    checked = site.organiser.post(f"/invoices/{invoice['id']}/check", status=200).json["data"]
    assert "no_bank_account" not in [each["code"] for each in checked["warnings"]]


def test_a_letter_about_an_invoice_names_its_account(site, invoice, settings):
    move(settings)
    template = site.organiser.make(
        "/documents/templates",
        {
            "name": "Letter",
            "body": "<p>{{invoice.number}} {{organiser.iban}} {{organiser.bic}}</p>",
        },
    )

    def content(kind, id):
        body = {"entity_type": kind, "entity_id": id, "template_id": template["id"]}
        return site.organiser.make("/documents", body)["content"]

    number = invoice["invoice_number"]
    assert f"{number} {OLD} BYLADEM1001" in content("invoice", invoice["id"])
    assert f"{NEW} COBADEFFXXX" in content("contact", site.participant["contact_id"])
