"""Contracts at the desk: the card of an exhibitor, the next step, and the batch of the list."""

import re

import pytest

from tests.support.batches import tried

BODY = "<p>{{contact.name}} takes part in {{event.title}}.</p>"


@pytest.fixture
def exhibitor_contract(organiser, fair):
    contract = {"name": "Exhibitor contract", "is_contract": True, "body": BODY}
    return organiser.make("/documents/templates", contract)


def card(visitor, fair):
    """Return the card with the documents of the exhibitor."""
    page = visitor.get(f"/desk/exhibitors/{fair.exhibitor['id']}?event=fair").text
    return re.search(r'(?s)id="contracts">(.*?)</section>', page)[1]


def test_without_a_template_the_card_leads_to_the_page_of_templates(office, fair):
    assert re.search(r'setup/contracts[^"]*"[^>]*>Write a contract</a>', card(office, fair))


def test_a_contract_is_sent_from_the_card(office, organiser, fair, exhibitor_contract, mail, db):
    assert re.search(
        r'do/create_participant_contract/1\?[^"]*"[^>]*>\s*Send the contract', card(office, fair)
    )
    page = office.get("/desk/do/create_participant_contract/1?back=exhibitors/1")
    form = next(form for form in page.forms.values() if "template_key" in form.fields)
    assert form["template_key"].value == "exhibitor-contract" and form["mail"].checked
    assert "Mail the contract" in page.text and "reason" not in form.text
    answer = form.submit(headers=office.headers, status=303)
    shown = answer.follow(headers=office.headers, status=200).text
    assert "The contract of Rosen KG waits for the signature." in shown
    [row] = organiser.data("/documents")
    assert row["contract_status"] == "pending_signature"
    [(recipient,)] = db.connection.execute("SELECT recipient FROM mails WHERE kind = 'contract'")
    assert recipient == "info@rosen.example"
    again = card(office, fair)
    assert "Send the contract" not in again and "waits for signature" in again


def test_a_second_press_says_that_it_was_sent(office, organiser, fair, exhibitor_contract):
    organiser.post(
        "/participants/1/contract", {"template_key": exhibitor_contract["key"]}, status=201
    )
    page = office.get("/desk/do/create_participant_contract/1")
    form = next(form for form in page.forms.values() if "template_key" in form.fields)
    refused = form.submit(headers=office.headers, status=409).text
    number = organiser.data("/documents")[0]["document_number"]
    assert f"The exhibitor has this contract already: {number}." in refused


def test_the_next_step_of_an_exhibitor_with_a_booth_is_the_contract(
    office, organiser, fair, exhibitor_contract
):
    booth = {"booth_id": fair.booths[0]["id"], "event_participant_id": 1, "status": "confirmed"}
    organiser.make("/booth-reservations", booth)
    page = office.get("/desk/exhibitors/1?event=fair").text
    head = page.partition("<h1>")[2].partition('<ol class="track"')[0].partition("</details>")[2]
    assert "Send the contract" in head


def test_many_contracts_are_tried_and_sent(office, organiser, fair, exhibitor_contract, mail):
    contact = organiser.make("/contacts", {"company_name": "Astern KG"})
    other = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    organiser.post(
        f"/participants/{other['id']}/contract",
        {"template_key": exhibitor_contract["key"]},
        status=201,
    )
    list_page = office.get("/desk/exhibitors?event=fair")
    assert "Send the contract" in list_page.text
    page = tried(office, list_page, "participants/contract", [1, other["id"]])
    assert "Rosen KG" in page.text and "Astern KG" in page.text
    assert "The exhibitor has this contract already" in page.text
    assert len(organiser.data("/documents")) == 1
    form = next(form for form in page.forms.values() if "sure" in form.fields)
    assert form["mail"].checked
    done = form.submit("sure", headers=office.headers, status=303)
    done = done.follow(headers=office.headers, status=200).text
    assert "1 contract is sent." in done
    assert sorted(row["entity_id"] for row in organiser.data("/documents")) == [1, other["id"]]


def test_two_templates_are_a_choice_before_the_trial(office, organiser, fair, exhibitor_contract):
    organiser.make("/documents/templates", {"name": "Other", "is_contract": True, "body": BODY})
    page = tried(office, office.get("/desk/exhibitors?event=fair"), "participants/contract", [1])
    form = next(form for form in page.forms.values() if "template_key" in form.fields)
    names = [text for value, _, text in form["template_key"].options if value]
    assert names == ["Exhibitor contract", "Other"] and form["template_key"].value == ""
    assert organiser.data("/documents") == []


def test_without_the_scope_nothing_is_offered(desk, fair, exhibitor_contract):
    reader = desk("events:read participants:read contacts:read documents:read")
    assert "Send the contract" not in card(reader, fair)
    assert "Send the contract" not in reader.get("/desk/exhibitors?event=fair").text
