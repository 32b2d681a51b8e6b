"""Cancelling a participation: its reason, the mail about it, and credit notes."""

import json
from email import message_from_bytes, policy

import pytest

from eventapi.domain.mail.contents import Gone
from eventapi.domain.upkeep import checks
from eventapi.worker.mail import message as mail_message

CANCELLED = "The participation was cancelled."


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


def queued(db):
    """Return the queued mails about cancellations as the worker reads them."""
    names = (
        "id, kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, text"
    )
    rows = db.connection.execute(
        f"SELECT {names}, details, attempts, message_id FROM mails WHERE kind = 'participation_cancelled' ORDER BY id"
    )
    columns = [column[0] for column in rows.description]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def read(db, mail):
    """Return the recipient, the subject, Reply-To and the paragraphs of a mail."""
    recipient, data = mail_message.build(db, mail)
    message = message_from_bytes(data, policy=policy.default)
    text = message.get_body(("plain",)).get_content().replace("\r\n", "\n")
    return recipient, message["Subject"], message["Reply-To"], text.strip().split("\n\n")


def with_address(portal, language="de", **fields):
    """Give the contact of the exhibitor an address."""
    contact = portal.participant["contact_id"]
    body = {"email": "ada@rosen.example", "language": language, **fields}
    portal.organiser.patch(f"/contacts/{contact}", body, status=200)


def paid(portal):
    """Bill the exhibitor, send the invoice, record its payment, and return it."""
    invoice = portal.send(portal.bill()[0])
    body = {"invoice_number": invoice["invoice_number"], "amount": invoice["total"]}
    portal.organiser.make("/payments", body)
    return invoice


def cancel(portal, status=200, **body):
    return portal.organiser.post(f"{portal.address}/cancel", body, status=status).json


def test_invoices_stay_unless_a_credit_is_asked_for(portal):
    portal.reserve("B1")
    invoice = paid(portal)
    meta = cancel(portal)["meta"]
    assert meta["credit_note_ids"] == [] and "mail" not in meta
    assert portal.invoice(invoice["id"])["status"] == "paid"
    assert portal.organiser.get("/invoices?status=draft").json["meta"]["total"] == 0


def test_what_was_billed_and_is_not_owed_any_more_is_credited(portal):
    """A confirmed order stays owed until the office decides about it."""
    portal.reserve("B1")
    order = portal.order((portal.power, 1))
    invoice = paid(portal)
    meta = cancel(portal, invoices="credit")["meta"]
    assert meta["open"]["service_order_ids"] == [order["id"]]
    (note_id,) = meta["credit_note_ids"]
    note = portal.invoice(note_id)
    assert (note["status"], note["related_invoice_id"]) == ("draft", invoice["id"])
    assert [line["net"] for line in note["items"]] == [-1200, -150]
    portal.send(note)
    after = portal.invoice(invoice["id"])
    assert (after["status"], after["open_amount"]) == ("paid", note["total"])
    # asked again, nothing is left to credit
    assert cancel(portal, invoices="credit")["meta"]["credit_note_ids"] == []


def test_the_mail_does_not_ask_for_what_an_earlier_draft_credits(portal, db, mail):
    with_address(portal)
    portal.reserve("B1")
    invoice = portal.send(portal.bill()[0])
    assert len(cancel(portal, invoices="credit")["meta"]["credit_note_ids"]) == 1
    portal.organiser.post(f"{portal.address}/reinstate", status=200)
    cancel(portal, invoices="credit", mail=True)
    (queued_mail,) = queued(db)
    text = " ".join(read(db, queued_mail)[3])
    number = invoice["invoice_number"]
    assert f"Zur Rechnung {number} erhalten Sie eine Rechnungskorrektur." in text
    assert "zu zahlen" not in text


def test_a_credit_needs_the_scope_of_invoices(portal, person):
    key = person("participants")
    body = {"invoices": "credit"}
    answer = key.post(f"{portal.address}/cancel", body, status=403).json
    assert (answer["code"], answer["scope"]) == ("insufficient_scope", "invoices")
    batch = {"action": "cancel", "ids": [portal.participant["id"]], **body}
    answer = key.post("/participants/batch", batch, status=403).json
    assert (answer["code"], answer["scope"]) == ("insufficient_scope", "invoices")
    assert portal.organiser.data(portal.address)["status"] == "registered"
    key.post(f"{portal.address}/cancel", {"invoices": "keep"}, status=200)


def test_the_reason_is_kept_with_what_ends(portal):
    portal.reserve("B1")
    portal.order((portal.power, 1), confirm=False)
    cancel(portal, reason="  The hall is closed. ")
    for path in ("/booth-reservations", "/service-orders"):
        (record,) = portal.organiser.data(path)
        assert record["cancellation_reason"] == "The hall is closed."


def test_without_a_reason_what_ends_says_why(portal):
    portal.reserve("B1")
    cancel(portal)
    (record,) = portal.organiser.data("/booth-reservations")
    assert record["cancellation_reason"] == CANCELLED


def test_the_reason_has_at_most_500_characters(portal):
    cancel(portal, reason="x" * 501, status=422)
    cancel(portal, reason="x" * 500)


def test_the_mail_says_what_becomes_of_booth_orders_and_invoices(portal, db, mail):
    with_address(portal)
    portal.change(contact_email="stand@messe.example")
    portal.reserve("B1")
    portal.reserve("B2")
    lost = portal.order((portal.book, 1), confirm=False)
    kept = portal.order((portal.power, 1))
    invoice = paid(portal)
    assert cancel(portal, mail=True, reason="Die Halle 2 ist gesperrt.")["meta"]["mail"] == {
        "status": "queued"
    }
    (queued_mail,) = queued(db)
    *head, paragraphs = read(db, queued_mail)
    assert (*head, paragraphs[:-3]) == (
        "ada@rosen.example",
        "Absage Ihrer Teilnahme: Fair",
        "stand@messe.example",
        [
            "Guten Tag,",
            "Ihre Teilnahme an „Fair“ ist abgesagt.",
            "Die Halle 2 ist gesperrt.",
            "Die Stände B1, B2 sind nicht mehr für Sie reserviert.",
            f"Ihre Bestellung {lost['order_number']} ist damit ebenfalls storniert.",
            f"Ihre Bestellung {kept['order_number']} ist bestätigt und noch nicht storniert. Dazu melden wir uns "
            "bei Ihnen.",
            f"Die Rechnung {invoice['invoice_number']} bleibt bestehen. Es ist nichts mehr zu zahlen.",
        ],
    )


@pytest.mark.parametrize(
    ("invoices", "sentence"),
    [
        ("keep", "Invoice {number} remains valid: EUR 1,606.50 is outstanding."),
        ("credit", "You will receive a credit note for invoice {number}."),
    ],
)
def test_the_mail_says_whether_an_invoice_is_credited(
    portal, db, mail, settings, invoices, sentence
):
    with_address(portal, "en", first_name="Ada", last_name="Lovelace")
    settings.organiser_email = "office@messe.example"
    portal.reserve("B1")
    invoice = portal.send(portal.bill()[0])
    cancel(portal, mail=True, invoices=invoices)
    (queued_mail,) = queued(db)
    recipient, subject, reply_to, paragraphs = read(db, queued_mail)
    assert (recipient, subject, reply_to) == (
        "ada@rosen.example",
        "Your participation in Fair was cancelled",
        "office@messe.example",
    )
    assert paragraphs[:-3] == [
        "Dear Ada Lovelace,",
        "Your participation in Fair was cancelled.",
        "Booth B1 is no longer reserved for you.",
        sentence.format(number=invoice["invoice_number"]),
    ]


def test_people_with_a_live_link_get_the_mail_as_far_as_their_rights_go(portal, db, mail):
    with_address(portal)
    portal.change(my_is_open=True)
    portal.reserve("B1")
    portal.send(portal.bill()[0])
    links = [
        portal.organiser.make(
            "/links",
            {
                "kind": "participant",
                "participant_id": portal.participant["id"],
                "email": email,
                "rights": rights,
                "language": "de",
            },
        )
        for email, rights in (
            ("ADA@rosen.example", ["booth"]),  # the contact, who gets one mail
            ("booth@rosen.example", ["booth"]),
            ("badges@rosen.example", ["badges"]),
            ("former@rosen.example", ["invoices"]),
        )
    ]
    portal.organiser.post(f"/links/{links[-1]['id']}/revoke", status=200)
    cancel(portal, mail=True)
    found = [read(db, row) for row in queued(db)]
    booth = "Der Stand B1 ist nicht mehr für Sie reserviert."
    assert {recipient: booth in paragraphs for recipient, _, _, paragraphs in found} == {
        "ada@rosen.example": True,
        "booth@rosen.example": True,
        "badges@rosen.example": False,
    }
    about_invoices = [who for who, _, _, text in found if any("Rechnung" in part for part in text)]
    assert about_invoices == ["ada@rosen.example"]


def test_a_mail_that_is_not_possible_is_refused_or_skipped(portal, db, settings, mail):
    assert cancel(portal, mail=True)["meta"]["mail"] == {
        "status": "skipped",
        "reason": "no_address",
    }
    assert cancel(portal, mail=True)["meta"]["mail"] == {
        "status": "skipped",
        "reason": "already_done",
    }
    portal.organiser.post(f"{portal.address}/reinstate", status=200)
    settings.smtp_host = ""
    assert cancel(portal, mail=True, status=409)["code"] == "mail_not_configured"
    assert portal.organiser.data(portal.address)["status"] == "registered"
    assert queued(db) == []


def test_a_mail_is_not_sent_once_the_participation_is_reinstated(portal, db, mail):
    with_address(portal)
    cancel(portal, mail=True)
    (row,) = queued(db)
    portal.organiser.post(f"{portal.address}/reinstate", status=200)
    with pytest.raises(Gone, match="reinstated"):
        mail_message.build(db, row)


def test_a_batch_cancels_with_reason_mail_and_credit(portal, db, mail):
    with_address(portal)
    other = portal.exhibitor("Zweite AG")
    for participant in (portal.participant, other):
        portal.send(portal.bill(participant)[0])
    body = {
        "action": "cancel",
        "ids": [portal.participant["id"], other["id"]],
        "reason": "Die Messe fällt aus.",
        "mail": True,
        "invoices": "credit",
    }
    done = portal.organiser.post("/participants/batch", body, status=200).json["data"]
    assert [len(result["meta"]["credit_note_ids"]) for result in done["results"]] == [1, 1]
    assert [result["meta"]["credited"] for result in done["results"]] == [
        [{"currency": "EUR", "amount": 178.5}]
    ] * 2
    assert [result["meta"]["mail"] for result in done["results"]] == [
        {"status": "queued"},
        {"status": "skipped", "reason": "no_address"},
    ]
    (row,) = queued(db)
    assert json.loads(row["details"])["reason"] == "Die Messe fällt aus."
    assert "Die Messe fällt aus." in read(db, row)[3]


def test_nothing_is_written_about_an_anonymised_exhibitor(portal, db):
    portal.send(portal.bill()[0])
    contact = portal.participant["contact_id"]
    portal.organiser.post(f"/contacts/{contact}/anonymize", {"force": True}, status=200)
    assert cancel(portal, reason="Erased", status=409)["code"] == "anonymized"
    assert cancel(portal, invoices="credit", status=409)["code"] == "anonymized"
    assert portal.organiser.data(portal.address)["status"] == "registered"
    cancel(portal)
