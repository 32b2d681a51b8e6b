"""Contracts that the office sends: the document, the mail, and who gets it."""

import json
from email import message_from_bytes, policy

import pytest

from eventapi.domain.mail.contents import Gone
from eventapi.worker.mail import message as mail_message

BODY = "<p>{{contact.name}} takes part in {{event.title}}.</p>"
COLUMNS = (
    "id kind entity_type entity_id admin_id recipient subject base_url language text details attempts "
    "message_id"
).split()


@pytest.fixture
def exhibitor_contract(portal):
    contract = {"name": "Exhibitor contract", "is_contract": True, "body": BODY}
    return portal.organiser.make("/documents/templates", contract)


@pytest.fixture
def address(portal):
    """The contact of the exhibitor has an address, and reads German."""
    body = {"email": "ada@rosen.example", "language": "de"}
    portal.organiser.patch(f"/contacts/{portal.participant['contact_id']}", body, status=200)


def queued(db):
    """Return the queued mails with contracts as the worker reads them."""
    rows = db.connection.execute(
        f"SELECT {', '.join(COLUMNS)} FROM mails WHERE kind = 'contract' ORDER BY id"
    )
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def built(db, mail):
    """Return the message that the worker sends."""
    _, data = mail_message.build(db, mail)
    return message_from_bytes(data, policy=policy.default)


def text_of(message):
    return message.get_body(("plain",)).get_content().replace("\r\n", "\n")


def send(portal, status=201, **body):
    asked = {"template_key": "exhibitor-contract", **body}
    return portal.organiser.post(f"{portal.address}/contract", asked, status=status).json


def test_a_contract_is_made_and_its_signature_requested(portal, exhibitor_contract):
    answer = send(portal)
    row = answer["data"]
    assert "mail" not in answer["meta"]
    assert (row["contract_status"], row["esign_status"]) == ("pending_signature", "sent")
    assert (row["entity_type"], row["entity_id"]) == (
        "event_participant",
        portal.participant["id"],
    )
    assert (row["title"], row["template_key"]) == ("Exhibitor contract", "exhibitor-contract")
    assert row["signature_sha256"] and row["requested_at"]
    stored = portal.organiser.data(f"/documents/{row['id']}")
    assert stored == row
    path = f"/audit-log?entity_type=document&entity_id={row['id']}&order=ASC"
    actions = [entry["action"] for entry in portal.organiser.data(path)]
    assert actions == ["created", "signature_requested"]


def test_a_second_contract_of_a_template_is_refused_until_the_first_came_back(
    portal, exhibitor_contract
):
    first = send(portal)["data"]
    refused = send(portal, status=409)
    assert refused["code"] == "duplicate"
    assert refused["document_id"] == first["id"]
    assert refused["contract"] == first["document_number"]
    portal.organiser.post(
        f"/documents/{first['id']}/mark-signed", {"signer_name": "Ada"}, status=200
    )
    assert send(portal, status=409)["code"] == "duplicate"

    portal.organiser.post(f"/documents/{first['id']}/terminate", status=200)
    second = send(portal)["data"]
    portal.organiser.post(f"/documents/{second['id']}/decline", status=200)
    assert send(portal)["data"]["id"] not in (first["id"], second["id"])


def test_what_cannot_be_sent(portal, exhibitor_contract):
    letter = {"name": "Letter", "body": "<p>a</p>"}
    portal.organiser.make("/documents/templates", letter)
    assert send(portal, status=409, template_key="letter")["code"] == "no_contract"
    errors = send(portal, status=422, template_key="none")["errors"]
    assert [(each["pointer"], each["code"]) for each in errors] == [("/template_key", "unknown")]
    assert send(portal, status=409, mail=True)["code"] == "mail_not_configured"
    portal.organiser.post(f"{portal.address}/cancel", status=200)
    assert send(portal, status=409)["code"] == "participant_cancelled"
    assert portal.organiser.data("/documents") == []


def test_without_a_page_the_contact_gets_the_pdf(portal, exhibitor_contract, address, mail, db):
    answer = send(portal, mail=True)
    assert answer["meta"]["mail"] == {"status": "queued"}
    [row] = queued(db)
    assert row["recipient"] == "ada@rosen.example" and row["language"] == "de"
    message = built(db, row)
    number, title = answer["data"]["document_number"], portal.event["title"]
    assert message["Subject"] == f"Ihr Vertrag: {title}"
    text = text_of(message)
    assert f"wartet auf Ihre Unterschrift: Exhibitor contract, {number}." in text
    assert "Bitte unterschreiben Sie ihn, und senden Sie ihn an" in text
    assert "/link/" not in text
    [file] = message.iter_attachments()
    assert file.get_filename() == f"{number}.pdf"
    stored = portal.organiser.get(f"/documents/{answer['data']['id']}/content?version=sent").body
    assert file.get_content() == stored and stored.startswith(b"%PDF")


def test_without_an_address_nobody_gets_it(portal, exhibitor_contract, mail, db):
    portal.organiser.patch(
        f"/contacts/{portal.participant['contact_id']}", {"email": None}, status=200
    )
    answer = send(portal, mail=True)
    assert answer["meta"]["mail"] == {"status": "skipped", "reason": "no_address"}
    assert queued(db) == []


def test_those_who_may_accept_it_get_a_link_to_it(portal, exhibitor_contract, address, mail, db):
    """One whose link has no right to contracts gets no mail."""
    portal.organiser.patch(
        f"/events/{portal.event['id']}/pages",
        {"my_is_open": True, "my_rights": ["contract", "booth"]},
        status=200,
    )
    for name, rights in (("eva", ["contract"]), ("tom", ["booth"])):
        body = {
            "kind": "participant",
            "participant_id": portal.participant["id"],
            "email": f"{name}@rosen.example",
            "name": name.title(),
            "language": "en",
            "rights": rights,
        }
        portal.organiser.make("/links", body)
    answer = send(portal, mail=True)
    [row] = queued(db)
    assert row["recipient"] == "eva@rosen.example"
    assert json.loads(row["details"]) == {"document_id": answer["data"]["id"]}
    message = built(db, row)
    text = text_of(message)
    assert text.startswith("Dear Eva,")
    assert "Please read it on your page, and accept it there:" in text
    assert "https://show.example.org/link/" in text
    assert [file.get_filename() for file in message.iter_attachments()] == [
        f"{answer['data']['document_number']}.pdf"
    ]


@pytest.mark.parametrize("end", ["void", "mark-signed", "cancel"])
def test_a_mail_about_a_contract_that_waits_no_more_is_not_sent(
    portal, exhibitor_contract, address, mail, db, end
):
    row = send(portal, mail=True)["data"]
    if end == "cancel":
        portal.organiser.post(f"{portal.address}/cancel", status=200)
    else:
        body = {"signer_name": "Ada"} if end == "mark-signed" else None
        portal.organiser.post(f"/documents/{row['id']}/{end}", body, status=200)
    [waiting] = queued(db)
    with pytest.raises(Gone):
        built(db, waiting)


def test_a_key_needs_documents_and_reads_participants(portal, exhibitor_contract, person):
    asked = {"template_key": "exhibitor-contract"}
    for scopes in ("documents", "participants", "documents:read participants:read"):
        refused = person(scopes).post(f"{portal.address}/contract", asked, status=403).json
        assert refused["code"] == "insufficient_scope"
    sender = person("documents participants:read")
    sender.post(f"{portal.address}/contract", asked, status=201)


def test_an_erased_contact_is_in_no_mail(portal, exhibitor_contract, address, mail, db):
    send(portal, mail=True)
    contact = portal.participant["contact_id"]
    portal.organiser.post(f"/contacts/{contact}/anonymize", {"force": True}, status=200)
    assert [row for row in queued(db) if "ada@" in row["recipient"]] == []
