"""What mails say of credit: what is really owed, and what becomes of the amount of a credit note."""

import pytest

from eventapi.domain.billing import drafts
from tests.support.mail_server import Inbox, Server
from tests.worker.test_mail import BUYER, configure, sent


@pytest.fixture
def inbox(settings):
    """Return the inbox of a mail server that the organiser has configured."""
    found = Inbox()
    server = Server(found).start()
    configure(settings, server)
    yield found
    server.stop()


@pytest.fixture
def make(organiser):
    """Return a function that makes a draft for the customer, whose language is `language`."""
    contacts = {}

    def draft(net, language="de"):
        if language not in contacts:
            contacts[language] = organiser.make("/contacts", {**BUYER, "language": language})
        item = {"description": "Stand", "quantity": 1, "unit_price": net, "tax_rate": 19}
        body = {"contact_id": contacts[language]["id"], "items": [item], "due_date": "2099-12-31"}
        return organiser.make("/invoices", body)

    return draft


def send(organiser, draft, **body):
    answer = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False, **body}, status=200)
    return answer.json["data"]


def pay(organiser, invoice, amount):
    body = {"invoice_number": invoice["invoice_number"], "amount": amount}
    return organiser.make("/payments", body)


def credit(organiser, invoice, net, mail=True):
    items = [{"description": "Credit", "quantity": 1, "unit_price": net}]
    path = f"/invoices/{invoice['id']}/credit"
    return organiser.post(path, {"items": items, "mail": mail}, status=201).json["data"]


def text_of(message):
    return " ".join(message.get_body(("plain",)).get_content().split())


@pytest.mark.parametrize(
    "language, counted, wanted",
    [
        (
            "de",
            "Ihr Guthaben haben wir in Höhe von 128,60 EUR verrechnet.",
            "Bitte zahlen Sie 97,50 EUR bis zum 31.12.2099 unter Angabe der Rechnungsnummer {}.",
        ),
        (
            "en",
            "We have offset EUR 128.60 of your credit.",
            "Please pay EUR 97.50 by 31 December 2099, quoting invoice number {}.",
        ),
    ],
)
def test_the_mail_of_an_invoice_asks_for_what_is_open(
    organiser, inbox, make, db, language, counted, wanted
):
    old = send(organiser, make(100, language))
    pay(organiser, old, 247.6)
    new = send(organiser, make(190, language), mail=True, offset=True)
    sent(db)
    [message] = inbox.messages
    text = text_of(message)
    assert counted in text and wanted.format(new["invoice_number"]) in text


def test_an_invoice_that_credit_has_paid_asks_for_nothing(organiser, inbox, make, db):
    old = send(organiser, make(100))
    pay(organiser, old, 247.6)
    send(organiser, make(100), mail=True, offset=True)
    sent(db)
    [message] = inbox.messages
    assert "in Höhe von 119,00 EUR verrechnet" in text_of(message)
    assert "Bitte zahlen Sie" not in text_of(message)


@pytest.mark.parametrize(
    "language, sentence",
    [
        ("de", "Von der Rechnung {} bleiben 83,30 EUR zu zahlen."),
        ("en", "EUR 83.30 of invoice {} remains to be paid."),
    ],
)
def test_a_credit_note_says_what_is_left_of_its_invoice(
    organiser, inbox, make, db, language, sentence
):
    invoice = send(organiser, make(190, language))
    credit(organiser, invoice, 120)
    sent(db)
    [message] = inbox.messages
    assert sentence.format(invoice["invoice_number"]) in text_of(message)
    assert "uthaben" not in text_of(message) and "Your credit" not in text_of(message)


@pytest.mark.parametrize(
    "language, sentence",
    [
        (
            "de",
            "Ihr Guthaben beträgt 128,60 EUR. Wir zahlen es aus oder verrechnen es mit Ihrer nächsten Rechnung.",
        ),
        (
            "en",
            "Your credit is EUR 128.60. We will pay it out or offset it against your next invoice.",
        ),
    ],
)
def test_a_credit_note_says_what_is_owed_to_the_customer(
    organiser, inbox, make, db, language, sentence
):
    invoice = send(organiser, make(180, language))
    pay(organiser, invoice, 200)
    credit(organiser, invoice, 120)
    sent(db)
    [message] = inbox.messages
    assert sentence in text_of(message)


@pytest.mark.parametrize(
    "language, net, sentence",
    [
        (
            "de",
            190,
            "Wir haben 128,60 EUR mit der Rechnung {} verrechnet, dort bleiben 97,50 EUR zu zahlen.",
        ),
        (
            "en",
            190,
            "We have offset EUR 128.60 against invoice {}, of which EUR 97.50 remains to be paid.",
        ),
        (
            "de",
            100,
            "Wir haben 119,00 EUR mit der Rechnung {} verrechnet, die damit bezahlt ist. Ihr Guthaben beträgt "
            "9,60 EUR.",
        ),
        (
            "en",
            100,
            "We have offset EUR 119.00 against invoice {}, which is now paid. Your credit is EUR 9.60.",
        ),
    ],
)
def test_a_credit_note_says_what_was_offset(organiser, inbox, make, db, language, net, sentence):
    """The office credits, offsets, and then the mail leaves."""
    invoice = send(organiser, make(180, language))
    pay(organiser, invoice, 200)
    new = send(organiser, make(net, language))
    credit(organiser, invoice, 120)
    body = {"invoice_number": new["invoice_number"]}
    organiser.post(f"/invoices/{invoice['id']}/offset", body, status=201)
    sent(db)
    [message] = inbox.messages
    assert sentence.format(new["invoice_number"]) in text_of(message)


def test_a_credit_note_that_is_sent_with_offset_says_so(organiser, inbox, make, db):
    invoice = send(organiser, make(180))
    pay(organiser, invoice, 200)
    new = send(organiser, make(190))
    item = {"description": "Credit", "quantity": -1, "unit_price": 120, "tax_rate": 19}
    with db.write():
        note = drafts.create(
            db,
            {"contact_id": invoice["contact_id"], "items": [item]},
            invoice_type="credit_note",
            related_invoice_id=invoice["id"],
        )
    send(organiser, note, mail=True, offset=True)
    sent(db)
    [message] = inbox.messages
    assert f"128,60 EUR mit der Rechnung {new['invoice_number']} verrechnet" in text_of(message)


@pytest.mark.parametrize(
    "language, sentence",
    [
        ("de", "Von der Rechnung {} ist nichts mehr zu zahlen."),
        ("en", "Nothing remains to be paid of invoice {}."),
    ],
)
def test_the_credit_note_of_a_cancelled_invoice_says_that_nothing_is_left(
    organiser, inbox, make, db, language, sentence
):
    invoice = send(organiser, make(190, language))
    organiser.post(f"/invoices/{invoice['id']}/cancel", {"mail": True}, status=200)
    sent(db)
    [message] = inbox.messages
    assert sentence.format(invoice["invoice_number"]) in text_of(message)
