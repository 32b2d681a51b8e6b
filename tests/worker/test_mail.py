"""Mails, sent to a real SMTP server: their content, retries, and that nothing is sent twice."""

import datetime
import json
import logging
import re
import socket
import ssl
import threading
from email import message_from_bytes

import pytest

from eventapi import cli, times
from eventapi.domain.billing import drafts
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.newsletter import tokens
from eventapi.domain.records.subject import Mail
from eventapi.domain.upkeep import checks
from eventapi.errors import Problem
from eventapi.pictures import fonts
from eventapi.storage import process_locks
from eventapi.storage.errors import Busy
from eventapi.worker.mail import delivery as mail_delivery
from eventapi.worker.mail import job, smtp
from eventapi.worker.mail import message as mail_message
from tests.pictures.test_invoice_pdf import texts
from tests.resources.test_newsletter import EMAIL
from tests.support.dates import today
from tests.support.mail_server import Inbox, Server

BUYER = {
    "company_name": "Rosen Tantau KG",
    "first_name": "Anna",
    "last_name": "Gärtner",
    "address": "Weg 1",
    "postal_code": "25436",
    "city": "Uetersen",
    "email": EMAIL,
    "language": "de",
}


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def post(inbox, settings):
    """Return a mail server that the organiser has configured."""
    server = Server(inbox).start()
    configure(settings, server)
    settings.language = "de"
    yield server
    server.stop()


def configure(settings, server, security="none"):
    settings.smtp_host = "127.0.0.1"
    settings.smtp_port = server.port
    settings.smtp_security = security
    settings.smtp_sender, settings.mails_per_minute = "office@messe.test", 100_000
    settings.base_url = "https://events.example.org"


@pytest.fixture(autouse=True)
def fresh():
    job.paused.clear()
    yield
    job.finish()


def sent(db):
    """Run one complete round of the worker."""
    job.run(db, lambda: False)
    job.finish()
    return [
        (row["state"], row["error"]) for state in mails.STATES for row in mails.by_state(db, state)
    ]


def asked(organiser, email=EMAIL, **values):
    return organiser.make("/newsletter", {"email": email, **values})


def invoice(organiser, **buyer):
    contact = organiser.make("/contacts", {**BUYER, **buyer})
    return organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [{"description": "Hall", "quantity": 1, "unit_price": 1000, "tax_rate": 19}],
        },
    )


# Content


def test_the_confirmation_mail_is_well_formed(organiser, post, inbox, db):
    subscriber = asked(organiser, name="Anna Gärtner")
    assert sent(db) == [("sent", None)]
    [message] = inbox.messages
    assert inbox.envelopes[0][:2] == ("office@messe.test", EMAIL)
    assert message["From"].addresses[0].addr_spec == "office@messe.test"
    assert message["From"].addresses[0].display_name == "Messe Test GmbH"
    assert message["To"].addresses[0].display_name == "Anna Gärtner"
    assert (
        message["Subject"]
        == "Bitte bestätigen Sie Ihre Anmeldung zum Newsletter von Messe Test GmbH"
    )
    assert message["Message-ID"].endswith("@messe.test>") and message["Date"].datetime
    assert message["Auto-Submitted"] == "auto-generated"
    raw = inbox.envelopes[0][2]
    assert (
        f"List-Unsubscribe: <{subscriber['unsubscribe_url']}>\r\n".encode() in raw and raw.isascii()
    )
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    text = message.get_body(("plain",)).get_content()
    html = message.get_body(("html",)).get_content()
    url = tokens.confirm_url(
        tokens.secret(db), "https://events.example.org", newsletter.row(db, subscriber["id"])
    )
    assert (
        url in text
        and f'href="{url}"' in html
        and subscriber["unsubscribe_url"] in text
        and "Anna Gärtner" in text
    )


def test_the_language_is_that_of_the_contact(organiser, post, inbox, db):
    organiser.make("/contacts", {**BUYER, "language": "en-GB"})
    asked(organiser)
    sent(db)
    assert (
        inbox.messages[0]["Subject"]
        == "Please confirm your subscription to the Messe Test GmbH newsletter"
    )


@pytest.mark.parametrize(
    "name",
    [
        "Eve\r\nBcc: all@example.org",
        "Eve\r\nBcc: everybody",
        "Eve\nX: y",
        "a\x00b".replace("\x00", "\x0b"),
        "<img src=x>\u2028Bcc: x@y.example",
        '"Eve" <eve@example.org>,',
        "=?utf-8?q?Eve=0D=0ABcc:_all=40example.org?=",
        "Ä =?utf-8?b?RXZlDQpCY2M6IGFsbEBleGFtcGxlLm9yZw0KDQpXaW4=?= Eve",
    ],
)
def test_a_name_cannot_add_headers(organiser, post, inbox, db, settings, name):
    settings.organiser_name = name
    asked(organiser)
    # A name that an older version has stored: requests refuse line breaks now.
    db.connection.execute("UPDATE newsletter_subscribers SET name = ?", (name,))
    assert sent(db) == [("sent", None)]
    [message] = inbox.messages
    assert "Bcc" not in message and "X" not in message and len(message["To"].addresses) == 1
    assert len(message["From"].addresses) == 1
    assert (
        message["To"].addresses[0].addr_spec == EMAIL
        and "<img" not in message.get_body(("html",)).get_content()
    )


@pytest.mark.parametrize(
    "title", ["=?utf-8?q?Fair=0D=0ABcc:_all=40example.org?=", "=?utf-8?b?RmFpcg0KDQpXaW4=?="]
)
def test_a_title_cannot_add_headers(settings, title):
    contents = Contents(language="de", paragraphs=["Hello"])
    data = mail_message.compose(settings, EMAIL, "<1@example.org>", f"Roses: {title}", contents)
    message = message_from_bytes(data)
    assert "Bcc" not in message
    assert message["Subject"].startswith("Roses: = ?utf-8?") and "Win" not in data.decode()


def test_an_address_cannot_add_headers(organiser):
    address = "=?utf-8?b?RXZlDQpCY2M6IGFsbEBleGFtcGxlLm9yZw==?=@example.org"
    organiser.post("/newsletter", {"email": address}, status=422)
    with pytest.raises(Gone):
        mail_message.envelope_address(address)


@pytest.mark.parametrize(
    "name, greeting",
    [
        ("Dr. Zoë Müller-Ünal", "Guten Tag Dr. Zoë Müller-Ünal,"),
        ("win at https://spam.example", "Guten Tag,"),
        ("spam.example", "Guten Tag,"),
        ("ask win@spam.example", "Guten Tag,"),
        ("", "Guten Tag,"),
    ],
)
def test_a_name_cannot_advertise(organiser, post, inbox, db, name, greeting):
    asked(organiser, name=name or None)
    sent(db)
    [message] = inbox.messages
    assert message.get_body(("plain",)).get_content().startswith(f"{greeting}\r\n")
    assert "spam" not in inbox.envelopes[0][2].decode()


def test_addresses_beyond_ascii(organiser, post, inbox, db):
    asked(organiser, "anna@gärten.example")
    asked(organiser, "jürgen@rosen.example")
    sent(db)
    assert inbox.recipients == ["anna@xn--grten-gra.example", "jürgen@rosen.example"]


def test_an_invoice_is_mailed_with_its_stored_pdf(organiser, post, inbox, db):
    draft = invoice(organiser)
    done = organiser.post(f"/invoices/{draft['id']}/send", {"mail": True}, status=200).json["data"]
    assert sent(db) == [("sent", None)]
    [message] = inbox.messages
    assert message["Subject"] == f"Rechnung {done['invoice_number']}"
    assert message["To"].addresses[0].display_name == "Rosen Tantau KG"
    [attachment] = message.iter_attachments()
    assert attachment.get_filename() == f"{done['invoice_number']}.pdf"
    assert attachment.get_content_type() == "application/pdf"
    assert attachment.get_content() == organiser.get(f"/invoices/{draft['id']}/pdf").body
    text = message.get_body(("plain",)).get_content()
    assert (
        "1.190,00 EUR" in text
        and "Guten Tag Anna Gärtner" in text
        and "List-Unsubscribe" not in message
    )


@pytest.mark.parametrize(
    "language, subject, sentence",
    [
        ("en", "Deposit invoice {}", "Please find attached deposit invoice {} for EUR 1,190.00."),
        (
            "de",
            "Abschlagsrechnung {}",
            "anbei erhalten Sie unsere Abschlagsrechnung {} über 1.190,00 EUR.",
        ),
    ],
)
def test_a_deposit_is_mailed_under_its_own_name(
    organiser, post, inbox, db, language, subject, sentence
):
    draft = invoice(organiser, language=language)
    organiser.patch(f"/invoices/{draft['id']}", {"is_deposit": True}, status=200)
    number = organiser.post(f"/invoices/{draft['id']}/send", {"mail": True}, status=200).json[
        "data"
    ]["invoice_number"]
    sent(db)
    [message] = inbox.messages
    assert message["Subject"] == subject.format(number)
    assert sentence.format(number) in message.get_body(("plain",)).get_content()


@pytest.mark.parametrize(
    "profile, root", [("xrechnung", b"CrossIndustryInvoice"), ("peppol", b"<Invoice ")]
)
def test_a_buyer_that_requires_an_e_invoice_gets_it_as_a_file_of_its_own(
    organiser, post, inbox, db, settings, profile, root
):
    draft = invoice(organiser, e_invoice_profile=profile, postal_code="25436", gln="4012345000009")
    organiser.patch(f"/invoices/{draft['id']}", {"buyer_reference": "PO 1"}, status=200)
    done = organiser.post(f"/invoices/{draft['id']}/send", {"mail": True}, status=200).json["data"]
    assert sent(db) == [("sent", None)]
    _, xml = inbox.messages[0].iter_attachments()
    assert xml.get_filename() == f"{done['invoice_number']}-{profile}.xml"
    assert xml.get_content_type() == "application/xml"
    query = f"?profile={profile}" + ("&syntax=ubl" if profile == "peppol" else "")
    assert (
        xml.get_content() == organiser.get(f"/invoices/{draft['id']}/xml{query}").body
        and root in xml.get_content()
    )


def test_mail_is_the_default_if_a_server_is_configured_and_an_address_known(organiser, post, db):
    first, second, third = invoice(organiser), invoice(organiser), invoice(organiser, email=None)
    organiser.post(f"/invoices/{first['id']}/send", {}, status=200)
    organiser.post(f"/invoices/{second['id']}/send", {"mail": False}, status=200)
    organiser.post(f"/invoices/{third['id']}/send", {}, status=200)
    assert [row["kind"] for row in mails.by_state(db, "queued")] == ["invoice"]
    fourth = invoice(organiser, email=None)
    answer = organiser.post(f"/invoices/{fourth['id']}/send", {"mail": True}, status=409)
    assert answer.json["code"] == "invoice_incomplete" and answer.json["missing"] == [
        "contact.email"
    ]
    assert organiser.data(f"/invoices/{fourth['id']}")["status"] == "draft"


def test_an_invoice_that_was_taken_over_is_mailed_only_on_request(organiser, post, db):
    ids = [invoice(organiser)["id"] for _ in range(4)]
    for id in ids:
        organiser.patch(
            f"/invoices/{id}",
            {"invoice_number": f"OLD {id}", "issue_date": "2020-01-01"},
            status=200,
        )
    assert outcome(organiser, f"/invoices/{ids[0]}/send") is None
    assert outcome(organiser, f"/invoices/{ids[1]}/send", {"mail": None}) is None
    assert outcome(organiser, f"/invoices/{ids[2]}", {"status": "sent"}, method="PATCH") is None
    assert mails.by_state(db, "queued") == []
    assert outcome(organiser, f"/invoices/{ids[3]}/send", {"mail": True}) == QUEUED
    assert outcome(organiser, f"/invoices/{ids[0]}/remind") == QUEUED
    assert outcome(organiser, f"/invoices/{ids[0]}/cancel") == QUEUED
    assert len(mails.by_state(db, "queued")) == 3


def test_a_missing_address_for_the_mail_is_named_with_all_that_is_missing(organiser, post):
    draft = invoice(organiser, email=None, city=None)
    answer = organiser.post(f"/invoices/{draft['id']}/send", {"mail": True}, status=409).json
    assert (answer["code"], answer["missing"]) == (
        "invoice_incomplete",
        ["contact.city", "contact.email"],
    )


def outcome(organiser, path, body=None, status=200, method="POST"):
    """Send a request and return `meta.mail` of the response, or None."""
    return organiser(method, path, body, status=status).json["meta"].get("mail")


ITEM = {"description": "Hall", "quantity": 1, "unit_price": 100, "tax_rate": 19}
QUEUED, NO_ADDRESS = {"status": "queued"}, {"status": "skipped", "reason": "no_address"}


def actions_with_mail(organiser, mail=None, **buyer):
    """Run each action that mails an invoice.

    Return {action: `meta.mail` of the response}. `mail` is for the body.
    """
    body = {} if mail is None else {"mail": mail}
    first, second = (invoice(organiser, **buyer)["id"] for _ in range(2))
    organiser.patch(f"/invoices/{first}", {"due_date": str(today())}, status=200)
    found = {"send": outcome(organiser, f"/invoices/{first}/send", body)}
    found["remind"] = outcome(organiser, f"/invoices/{first}/remind", body)
    found["credit"] = outcome(
        organiser, f"/invoices/{first}/credit", {"items": [ITEM], **body}, status=201
    )
    found["cancel"] = outcome(organiser, f"/invoices/{first}/cancel", body)
    if mail is None:
        found["status sent"] = outcome(
            organiser, f"/invoices/{second}", {"status": "sent"}, method="PATCH"
        )
        found["status cancelled"] = outcome(
            organiser, f"/invoices/{second}", {"status": "cancelled"}, method="PUT"
        )
    return found


def test_the_response_says_what_happened_to_the_mail(organiser, post, db):
    assert set(map(str, actions_with_mail(organiser).values())) == {str(QUEUED)}
    assert len(mails.by_state(db, "queued")) == 6
    assert set(actions_with_mail(organiser, mail=False).values()) == {None}
    assert len(mails.by_state(db, "queued")) == 6
    assert set(map(str, actions_with_mail(organiser, email=None).values())) == {str(NO_ADDRESS)}
    assert list(actions_with_mail(organiser, mail=True).values()) == [QUEUED] * 4
    assert len(mails.by_state(db, "queued")) == 10
    draft = invoice(organiser)
    assert outcome(organiser, f"/invoices/{draft['id']}", {"notes": "x"}, method="PATCH") is None


def test_without_a_mail_server_the_response_says_that_no_mail_is_sent(organiser, db):
    skipped = {"status": "skipped", "reason": "smtp_not_configured"}
    assert set(map(str, actions_with_mail(organiser).values())) == {str(skipped)}
    draft = invoice(organiser)
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    for action, body in (
        ("cancel", {"mail": True}),
        ("credit", {"mail": True, "items": [ITEM]}),
        ("mail", {}),
    ):
        answer = organiser.post(f"/invoices/{draft['id']}/{action}", body, status=409).json
        assert answer["code"] == "mail_not_configured"
    assert organiser.data(f"/invoices/{draft['id']}")["credited"] == 0


def test_a_repeated_action_says_that_it_mails_nothing(organiser, post, db):
    draft = invoice(organiser)
    done = {"status": "skipped", "reason": "already_done"}
    for action in ("send", "cancel"):
        assert outcome(organiser, f"/invoices/{draft['id']}/{action}") == QUEUED
        assert outcome(organiser, f"/invoices/{draft['id']}/{action}", {"mail": True}) == done
        assert outcome(organiser, f"/invoices/{draft['id']}/{action}") is None
    assert len(mails.by_state(db, "queued")) == 2


def test_a_mail_that_is_asked_for_and_not_possible_changes_nothing(organiser, post, db):
    draft = invoice(organiser, email=None)
    before = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json[
        "data"
    ]
    for action, body in (
        ("cancel", {"mail": True}),
        ("credit", {"mail": True, "items": [ITEM]}),
        ("mail", {}),
    ):
        answer = organiser.post(f"/invoices/{draft['id']}/{action}", body, status=409).json
        assert (answer["code"], answer["missing"]) == ("invoice_incomplete", ["contact.email"])
    assert organiser.data(f"/invoices/{draft['id']}") == before
    assert mails.by_state(db, "queued") == []


def test_a_missing_package_is_named_when_a_mail_is_skipped(organiser, post, monkeypatch):
    def lacks(code):
        monkeypatch.setattr(
            invoice_pdf.hybrid, "obstacle", lambda: Problem(code, "Install a package.")
        )

    first, second = invoice(organiser), invoice(organiser)
    lacks("not_installed")
    answer = organiser.post(f"/invoices/{first['id']}/send", {"mail": True}, status=501).json
    assert answer["code"] == "not_installed" and answer["detail"].endswith(
        "without its PDF. Install a package."
    )
    assert outcome(organiser, f"/invoices/{first['id']}/send") == {
        "status": "skipped",
        "reason": "not_installed",
    }
    lacks("fonts_missing")
    assert (
        organiser.post(f"/invoices/{second['id']}/send", {"mail": True}, status=409).json["code"]
        == "fonts_missing"
    )
    assert outcome(organiser, f"/invoices/{second['id']}/send") == {
        "status": "skipped",
        "reason": "fonts_missing",
    }


def test_sending_with_mail_does_not_import_reportlab(organiser, post, monkeypatch):
    def refuse(*_):
        raise AssertionError("it takes too long inside a write transaction")

    monkeypatch.setattr(fonts, "require", refuse)
    assert (
        outcome(organiser, f"/invoices/{invoice(organiser)['id']}/send", {"mail": True}) == QUEUED
    )


def test_credit_notes_of_cancel_and_credit_are_mailed_with_their_text(organiser, post, inbox, db):
    draft = invoice(organiser)
    address = f"/invoices/{draft['id']}"
    organiser.post(f"{address}/send", {"mail": False}, status=200)
    credit = organiser.post(
        f"{address}/credit", {"items": [ITEM], "text": "One stand less"}, status=201
    ).json["data"]
    cancelled = organiser.post(f"{address}/cancel", {"reason": "Ordered twice"}, status=200).json[
        "data"
    ]
    rest = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    assert [(note["text"], note["cancellation_reason"]) for note in (credit, rest, cancelled)] == [
        ("One stand less", None),
        (None, "Ordered twice"),
        (None, "Ordered twice"),
    ]
    assert (
        organiser.data(f"/invoices?ids={draft['id']}")[0]["cancellation_reason"] == "Ordered twice"
    )
    assert sent(db) == [("sent", None)] * 2
    assert [message["Subject"] for message in inbox.messages] == [
        f"Rechnungskorrektur {note['invoice_number']}" for note in (credit, rest)
    ]
    for message, note in zip(inbox.messages, (credit, rest), strict=True):
        [attachment] = message.iter_attachments()
        assert attachment.get_content() == organiser.get(f"/invoices/{note['id']}/pdf").body


def test_an_invoice_is_mailed_again_to_any_address_with_a_text(organiser, post, inbox, db):
    draft = invoice(organiser)
    address = f"/invoices/{draft['id']}"
    assert organiser.post(f"{address}/mail", status=409).json["code"] == "invalid_transition"
    done = organiser.post(f"{address}/send", {"mail": False}, status=200).json["data"]
    body = {
        "to": "tax@example.org",
        "language": "en-GB",
        "text": "As you asked:\nthe <invoice>.\n\nYours, Ada",
    }
    answer = organiser.post(f"{address}/mail", body, status=202).json
    assert (answer["data"], answer["meta"]["mail"]) == ({**done, "delivery": "queued"}, QUEUED)
    organiser.post(f"{address}/mail", {"text": "Wie gewünscht."}, status=202)
    note = organiser.post(f"{address}/cancel", {"mail": False}, status=200).json["data"][
        "related_invoice_id"
    ]
    organiser.post(f"/invoices/{note}/mail", {"to": None}, status=202)
    assert sent(db) == [("sent", None)] * 3
    assert inbox.recipients == ["tax@example.org", EMAIL, EMAIL]
    english, german, credit = inbox.messages
    assert english["Subject"] == f"Invoice {done['invoice_number']}"
    text, html = (english.get_body((kind,)).get_content() for kind in ("plain", "html"))
    parts = [part.strip() for part in text.replace("\r", "").split("\n\n")]
    assert parts[:4] == [
        "Dear Anna Gärtner,",
        "As you asked:\nthe <invoice>.",
        "Yours, Ada",
        f"Please find attached invoice {done['invoice_number']} for EUR 1,190.00.",
    ]
    assert "<p>As you asked:<br>\nthe &lt;invoice&gt;.</p>" in html.replace("\r", "")
    assert german["Subject"] == f"Rechnung {done['invoice_number']}"
    german_text, credit_text = (
        mail.get_body(("plain",)).get_content() for mail in (german, credit)
    )
    assert "Anbei erhalten Sie" in german_text and "anbei erhalten Sie" in credit_text, (
        "a new sentence or not"
    )
    stored = organiser.get(f"{address}/pdf").body
    assert all(
        next(message.iter_attachments()).get_content() == stored for message in (english, german)
    )
    number = done["invoice_number"]
    assert [part.get_filename() for part in english.iter_attachments()] == [
        f"{number}.pdf",
        f"{number}-en.pdf",
    ]
    assert [part.get_filename() for part in german.iter_attachments()] == [f"{number}.pdf"]
    copy = list(english.iter_attachments())[1].get_content()
    assert f"Invoice {number} (copy)" in texts(copy)[0]
    assert credit["Subject"].startswith("Rechnungskorrektur CN-")
    events = db.connection.execute(
        "SELECT count(*) FROM outgoing_events WHERE name = 'invoice.mailed'"
    ).fetchone()
    assert (events, len(organiser.data("/audit-log?entity_type=invoice&action=mailed"))) == (
        (3,),
        3,
    )


@pytest.mark.parametrize(
    "body, pointer",
    [
        ({"to": "nobody"}, "/to"),
        ({"language": "fr"}, "/language"),
        ({"text": "x" * 5001}, "/text"),
        ({"cc": "a"}, "/cc"),
    ],
)
def test_a_wrong_request_for_a_mail_is_refused(organiser, post, body, pointer):
    draft = invoice(organiser)
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    faults = organiser.post(f"/invoices/{draft['id']}/mail", body, status=422).json["errors"]
    assert [fault["pointer"] for fault in faults] == [pointer]


def test_mails_go_to_the_current_address_of_the_contact_and_never_to_an_anonymised_one(
    organiser, post, inbox, db
):
    draft = invoice(organiser, email=None)
    contact, address = f"/contacts/{draft['contact_id']}", f"/invoices/{draft['id']}"
    assert outcome(organiser, f"{address}/send") == NO_ADDRESS
    organiser.patch(contact, {"email": EMAIL}, status=200)
    organiser.post(f"{address}/mail", status=202)
    organiser.patch(contact, {"invoice_email": "bills@example.org"}, status=200)
    organiser.post(f"{address}/mail", status=202)
    sent(db)
    assert inbox.recipients == [EMAIL, "bills@example.org"]
    organiser.post(f"{contact}/anonymize", {"force": True}, status=200)
    for action, body in (
        ("mail", {"to": "x@example.org"}),
        ("cancel", {"reason": "Gone"}),
        ("credit", {"items": [ITEM], "text": "Gone"}),
    ):
        assert organiser.post(f"{address}/{action}", body, status=409).json["code"] == "anonymized"
    assert outcome(organiser, f"{address}/cancel") == NO_ADDRESS


def test_nothing_is_mailed_to_the_address_that_an_anonymised_buyer_had(organiser, post, db):
    draft = invoice(organiser)
    organiser.patch(f"/invoices/{draft['id']}", {"due_date": str(today())}, status=200)
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    organiser.post(f"/contacts/{draft['contact_id']}/anonymize", {"force": True}, status=200)
    for action, body in (("remind", {}), ("credit", {"items": [ITEM]}), ("cancel", {})):
        answer = organiser.post(
            f"/invoices/{draft['id']}/{action}", {**body, "mail": True}, status=409
        )
        assert answer.json["code"] == "anonymized"
        organiser.post(f"/invoices/{draft['id']}/{action}", body)
    assert organiser.data(f"/invoices/{draft['id']}")["status"] == "cancelled"
    assert mails.by_state(db, "queued") == []


def test_a_reminder_states_the_open_amount(organiser, post, inbox, db):
    draft = invoice(organiser, language="en")
    organiser.patch(
        f"/invoices/{draft['id']}", {"due_date": times.today(db.config.timezone)}, status=200
    )
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    organiser.post(f"/invoices/{draft['id']}/remind", {"mail": True}, status=200)
    sent(db)
    [message] = inbox.messages
    assert message["Subject"].startswith("Payment reminder: invoice INV-")
    assert "EUR 1,190.00 is outstanding" in message.get_body(("plain",)).get_content()
    assert len(list(message.iter_attachments())) == 1


@pytest.mark.parametrize(
    "language, subject, sentence",
    [
        (
            "en",
            "Payment reminder: invoice {}",
            "was due on 15 January 2020. According to our records, EUR 1,190.00 is still outstanding.",
        ),
        (
            "de",
            "Zahlungserinnerung: Rechnung {}",
            "war am 15.01.2020 fällig. Nach unseren Unterlagen sind noch 1.190,00 EUR offen.",
        ),
    ],
)
def test_an_overdue_reminder_states_the_due_date_and_the_open_amount(
    organiser, post, inbox, db, language, subject, sentence
):
    draft = invoice(organiser, language=language)
    organiser.patch(
        f"/invoices/{draft['id']}",
        {"invoice_number": "OLD 1", "issue_date": "2020-01-01", "due_date": "2020-01-15"},
        status=200,
    )
    done = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json["data"]
    organiser.post(f"/invoices/{draft['id']}/remind", {"mail": True}, status=200)
    sent(db)
    [message] = inbox.messages
    assert message["Subject"] == subject.format(done["invoice_number"])
    assert sentence in message.get_body(("plain",)).get_content()


@pytest.mark.parametrize(
    "language, sentence",
    [
        ("en", "Please find attached credit note {} for EUR 119.00."),
        ("de", "anbei erhalten Sie unsere Rechnungskorrektur {} über 119,00 EUR."),
    ],
)
def test_the_amount_of_a_credit_note_has_no_minus_sign(
    organiser, post, inbox, db, language, sentence
):
    draft = invoice(organiser, language=language)
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    item = {"description": "Hall", "quantity": -1, "unit_price": 100, "tax_rate": 19}
    with db.write():
        note = drafts.create(
            db,
            {"contact_id": draft["contact_id"], "items": [item]},
            invoice_type="credit_note",
            related_invoice_id=draft["id"],
        )
    done = organiser.post(f"/invoices/{note['id']}/send", {"mail": True}, status=200).json["data"]
    sent(db)
    [message] = inbox.messages
    assert sentence.format(done["invoice_number"]) in message.get_body(("plain",)).get_content()


def test_english_and_german_have_the_same_texts_with_the_same_placeholders():
    """But for the case of the word for the event: {event_zum} in German is {event_acc} in English."""
    placeholders = {
        language: {
            name: set(re.findall(r"{(event(?=_)|\w+)", text)) for name, text in texts.items()
        }
        for language, texts in mail_words.WORDS.items()
    }
    assert placeholders["en"] == placeholders["de"]


# Retries


def test_a_refused_recipient_is_recorded_on_the_subscriber(organiser, post, inbox, db):
    inbox.refusals[EMAIL] = "550 5.1.1 no such mailbox"
    subscriber = asked(organiser)
    assert sent(db) == [("failed", "refused: 550 5.1.1 no such mailbox")]
    assert (
        organiser.data(f"/newsletter/{subscriber['id']}")["mail_error"]
        == "refused: 550 5.1.1 no such mailbox"
    )


def test_a_refused_recipient_of_an_invoice_is_recorded_on_the_contact(organiser, post, inbox, db):
    inbox.refusals[EMAIL] = "550 5.1.1 no such mailbox"
    draft = invoice(organiser)
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    sent(db)
    [note] = organiser.data(f"/notes?entity_type=contact&entity_id={draft['contact_id']}")
    assert "no such mailbox" in note["note_text"] and note["note_type"] == "warning"
    assert organiser.data(f"/invoices/{draft['id']}")["delivery"] == "failed"


def test_an_invoice_is_mailed_once_the_mail_server_has_taken_it(organiser, post, inbox, db):
    draft = invoice(organiser)
    queued = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    assert queued["delivery"] == "queued"
    sent(db)
    assert len(inbox.messages) == 1
    assert organiser.data(f"/invoices/{draft['id']}")["delivery"] == "mailed"


def test_a_temporarily_refused_mail_is_retried_and_others_are_sent(organiser, post, inbox, db):
    inbox.refusals[EMAIL] = "451 4.7.1 come back later"
    asked(organiser)
    asked(organiser, "b@example.org")
    assert sorted(sent(db)) == [("queued", "refused: 451 4.7.1 come back later"), ("sent", None)]
    assert inbox.recipients == ["b@example.org"] and inbox.connections == 1
    del inbox.refusals[EMAIL]
    assert len(sent(db)) == 2 and len(inbox.messages) == 1, "not before its time"
    db.connection.execute("UPDATE mails SET next_at = created_at WHERE state = 'queued'")
    assert sent(db) == [("sent", None)] * 2


def test_a_mail_fails_after_the_last_attempt(organiser, post, inbox, db):
    inbox.refusals[EMAIL] = "451 later"
    asked(organiser)
    for _ in range(len(mail_delivery.AGAIN_AFTER) + 1):
        db.connection.execute("UPDATE mails SET next_at = created_at WHERE state = 'queued'")
        [(state, _)] = sent(db)
    assert state == "failed"


def test_a_connection_lost_before_the_reply_leaves_its_mail_uncertain_and_two_stop_the_worker(
    organiser, post, inbox, db
):
    inbox.after_data = lambda server: server.transport.close()
    for number in range(4):
        asked(organiser, f"{number}@example.org")
    sent(db)
    uncertain = mails.by_state(db, "uncertain")
    assert all("before the mail server confirmed the mail" in mail["error"] for mail in uncertain)
    assert len(uncertain) == len(inbox.recipients) == inbox.connections == 2
    assert [name for name, _ in checks.findings(db)] == ["mail"] * 2
    inbox.after_data = None
    sent(db)
    assert len(inbox.recipients) == 2, "not at once"
    job.paused.clear()
    sent(db)
    assert (
        len(set(inbox.recipients)) == len(inbox.recipients) == 4
        and len(mails.by_state(db, "sent")) == 2
    )


def test_a_recipient_at_which_the_mail_server_closes_the_connection_stops_no_other_mail(
    organiser, post, inbox, db, caplog
):
    """Five such recipients stand before each other one: whoever fills in public forms chooses
    recipients.
    """
    for number in range(15):
        if number % 6 < 5:
            inbox.refusals[f"{number}@example.org"] = "421 4.3.2 closing"
        asked(organiser, f"{number}@example.org")
    sent(db)
    assert (
        inbox.recipients == ["5@example.org", "11@example.org"]
        and "no mail can be sent" not in caplog.text
    )
    assert len(mails.by_state(db, "queued")) == inbox.connections == 13


@pytest.mark.parametrize("place", ["RCPT", "MAIL"])
def test_a_mail_server_that_breaks_every_connection_is_left_alone_for_a_minute(
    organiser, post, inbox, db, caplog, place
):
    """Before the recipient is named, no mail can be the cause, so the first break is enough."""
    if place == "MAIL":
        inbox.on_mail = lambda server: server.transport.close()
    for number in range(20):
        inbox.refusals[f"{number}@example.org"] = "421 4.3.2 closing"
        asked(organiser, f"{number}@example.org")
    for _ in range(3):
        sent(db)
    assert inbox.connections == (6 if place == "RCPT" else 1)
    assert "no mail can be sent, next attempt in 60 s" in caplog.text


def test_a_mail_that_cannot_be_built_is_no_answer_of_the_mail_server(
    organiser, post, inbox, db, monkeypatch
):
    """Of the mails to 20 recipients that break the connection, each second one cannot be built."""
    build, number = mail_message.build, iter(range(100))
    monkeypatch.setattr(
        mail_message, "build", lambda db, mail: build(db, mail) if next(number) % 2 else 1 / 0
    )
    for place in range(20):
        inbox.refusals[f"{place}@example.org"] = "421 4.3.2 closing"
        asked(organiser, f"{place}@example.org")
    sent(db)
    assert inbox.connections == 6


def test_a_connection_lost_between_mails_is_replaced_at_once(organiser, post, inbox, db):
    inbox.after_data = lambda server: len(inbox.envelopes) == 2 and server.transport.close()
    for number in range(4):
        asked(organiser, f"{number}@example.org")
    sent(db)
    assert inbox.connections == 2 and len(set(inbox.recipients)) == len(inbox.recipients) == 4
    assert len(mails.by_state(db, "uncertain")) == 1


def test_an_unreachable_server_does_not_count_as_an_attempt(organiser, post, db, caplog):
    asked(organiser)
    post.stop()
    post.stop = lambda: None
    with caplog.at_level(logging.WARNING):
        assert sent(db) == [("queued", None)]
    assert "no mail can be sent" in caplog.text
    assert db.connection.execute("SELECT attempts FROM mails").fetchone() == (0,)


def test_a_worker_killed_during_a_mail_leaves_it_uncertain_until_it_is_resent(
    organiser, post, inbox, db, settings, capsys, monkeypatch
):
    asked(organiser)
    with process_locks.mailing(settings):
        assert mail_delivery.step(db, "lease")["recipient"] == EMAIL
        assert sent(db) == [("sending", None)], "it is still on its way"
    assert sent(db) == [("uncertain", mail_delivery.CUT_OFF)] and inbox.messages == []
    [(name, line)] = checks.findings(db)
    assert name == "mail" and "eventapi mail retry 1" in line
    monkeypatch.setenv("EVENTAPI_CONFIG", str(settings.data_dir / "eventapi.conf"))
    monkeypatch.setenv("EVENTAPI_DATA_DIR", str(settings.data_dir))
    assert cli.main(["mail", "list"]) == 0 and "uncertain" in capsys.readouterr().out
    assert cli.main(["check"]) == 0 and capsys.readouterr().out == f"mail (warning): {line}\n"
    assert cli.main(["check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"check": "mail", "detail": line, "severity": "warning"}
    ]
    assert cli.main(["mail", "retry", "1"]) == 0 and cli.main(["mail", "retry", "1"]) == 1
    assert cli.main(["mail", "retry", "99"]) == 1
    assert "mail 1 is queued" in capsys.readouterr().err
    assert sent(db) == [("sent", None)] and len(inbox.messages) == 1


def test_a_slow_mail_is_no_longer_uncertain_once_it_was_sent(organiser, post, db):
    asked(organiser)
    mail = mail_delivery.step(db, "slow")
    mail_delivery.mark_cut_off(db)
    mail_delivery.step(db, "slow", (mail, mail_delivery.Outcome("sent")), more=False)
    assert [row["id"] for row in mails.by_state(db, "sent")] == [mail["id"]]


def test_two_workers_send_no_mail_twice(organiser, post, inbox, settings, db):
    for number in range(40):
        asked(organiser, f"{number}@example.org")
    threads = [
        threading.Thread(target=job.deliver, args=(settings, lambda: False)) for _ in range(2)
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(inbox.recipients) == sorted({f"{number}@example.org" for number in range(40)})
    assert inbox.connections <= 2


def test_mails_per_minute_limits_the_rate(organiser, post, inbox, db, settings):
    settings.mails_per_minute = 2
    for number in range(3):
        asked(organiser, f"{number}@example.org")
    assert [mail_delivery.step(db, "a") is not None for _ in range(3)] == [True, True, False]
    assert 50 < mail_delivery.seconds_until_next(db) <= 60
    db.connection.execute("UPDATE mails SET taken_at = '2001-01-01T00:00:00Z' WHERE id = 1")
    assert mail_delivery.seconds_until_next(db) == 0


def test_a_clock_that_was_set_back_stops_no_mail(organiser, post, inbox, db, settings):
    settings.mails_per_minute = 1
    for number in range(2):
        asked(organiser, f"{number}@example.org")
    assert mail_delivery.step(db, "a") and mail_delivery.seconds_until_next(db) > 0
    db.connection.execute(
        "UPDATE mails SET taken_at = '2999-01-01T00:00:00Z' WHERE taken_at IS NOT NULL"
    )
    assert mail_delivery.seconds_until_next(db) == 0


def test_a_mail_that_is_no_longer_needed_is_not_sent(organiser, post, inbox, db):
    subscriber = asked(organiser)
    mail = mail_delivery.step(db, "lease")
    organiser.delete(f"/newsletter/{subscriber['id']}", status=204)
    with pytest.raises(Gone):
        mail_message.build(db, mail)


# TLS


@pytest.fixture
def certificate(tmp_path):
    """Return (certificate, key) for 127.0.0.1, not signed by a trusted authority."""
    import subprocess

    files = [tmp_path / name for name in ("cert.pem", "key.pem")]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-out",
            files[0],
            "-keyout",
            files[1],
        ],
        check=True,
        capture_output=True,
    )
    return files


def test_starttls_requires_a_trusted_certificate(settings, inbox, certificate, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = Server(inbox, tls=context, user=("box", "pass word")).start()
    try:
        configure(settings, server, "starttls")
        settings.smtp_user, settings.smtp_password = "box", "pass word"
        with pytest.raises(smtp.Unreachable, match=r"(?i)certificate"), smtp.connected(settings):
            pass
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        with smtp.connected(settings) as connection:
            assert (
                smtp.hand_over(connection, "a@messe.test", EMAIL, b"Subject: x\r\n\r\nx\r\n").state
                == "sent"
            )
        settings.smtp_password = "wrong"
        with pytest.raises(smtp.Unreachable) as refused, smtp.connected(settings):
            pass
        assert "wrong" not in str(refused.value) and ": 535 5.7.8 " in str(refused.value)
    finally:
        server.stop()


def test_a_mail_server_without_starttls_is_refused(settings, post, inbox):
    settings.smtp_security = "starttls"
    with pytest.raises(smtp.Unreachable, match="STARTTLS"), smtp.connected(settings):
        pass
    assert inbox.envelopes == []


def test_implicit_tls_checks_the_certificate_too(settings, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings.smtp_host = "127.0.0.1"
        settings.smtp_port = listener.getsockname()[1]
        settings.smtp_security = "tls"

        def accept():
            connection, _ = listener.accept()
            try:
                context.wrap_socket(connection, server_side=True).close()
            except (ssl.SSLError, OSError):  # the client closes the connection, as it should
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        with pytest.raises(smtp.Unreachable, match=r"(?i)certificate"), smtp.connected(settings):
            pass
        thread.join()


# Operation


def test_old_mails_are_deleted_and_queued_ones_are_kept(organiser, post, db):
    asked(organiser)
    sent(db)
    asked(organiser, "b@example.org")
    db.connection.execute(
        "UPDATE mails SET updated_at = ?",
        (times.text(datetime.datetime.now(datetime.timezone.utc) - mails.KEPT),),
    )
    assert mails.delete_old(db, 500) == 1
    assert [row["recipient"] for row in mails.by_state(db, "queued")] == ["b@example.org"]


def test_the_backlog_of_mails_is_in_the_metrics(organiser, post, app):
    asked(organiser)
    text = app.get("/metrics").text
    assert 'eventapi_mails{state="queued"} 1' in text
    assert 'eventapi_mails{state="uncertain"} 0' in text and "eventapi_mails_oldest_seconds" in text


def test_the_worker_sends_mails(organiser, post, inbox, settings):
    from eventapi.worker import Worker

    asked(organiser)
    assert Worker(settings, (job,)).once() == [] and len(inbox.messages) == 1


def test_a_mail_without_its_pdf_says_which_package_or_letter_is_missing(
    organiser, post, db, monkeypatch, caplog
):
    draft = invoice(organiser)
    organiser.post(f"/invoices/{draft['id']}/send", status=200)

    def draw(*_):  # as if the font was removed since
        raise fonts.no_glyph("\u682a")

    monkeypatch.setattr(invoice_pdf, "draw", draw)
    ((state, error),) = sent(db)
    assert state == "queued" and error.startswith(
        "the mail cannot be built: No installed font has the character \u682a (U+682A): "
    )
    assert error.partition(": ")[2] in caplog.text and "Traceback" not in caplog.text


def test_a_mail_that_cannot_be_built_delays_no_other(
    organiser, post, inbox, db, monkeypatch, caplog
):
    broken = Mail(kind="invoice", contents=lambda db, mail: 1 / 0)
    monkeypatch.setitem(mail_message.MAILS, "invoice", broken)
    draft = invoice(organiser)
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    asked(organiser, "b@example.org")
    assert sorted(sent(db)) == [
        ("queued", "the mail cannot be built (ZeroDivisionError); the log has the details"),
        ("sent", None),
    ]
    assert "cannot be built" in caplog.text and inbox.recipients == ["b@example.org"]


def test_a_sent_mail_is_recorded_even_while_the_database_is_busy(
    organiser, post, inbox, db, monkeypatch
):
    asked(organiser)
    step, refused = mail_delivery.step, []

    def busy_once(db, lease, done=None, more=True):
        if done and not refused:
            refused.append(done)
            raise Busy
        return step(db, lease, done, more)

    monkeypatch.setattr(mail_delivery, "step", busy_once)
    assert sent(db) == [("sent", None)] and refused and len(inbox.messages) == 1
