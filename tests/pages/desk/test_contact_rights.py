"""What a contact may demand, at the desk: all of its data, and that it is erased."""

import json

ITEM = {"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 19}


def invoice(organiser, fair, pays):
    draft = {"contact_id": fair.contact["id"], "items": [ITEM]}
    id = organiser.make("/invoices", draft)["id"]
    sent = organiser.post(f"/invoices/{id}/send", {"mail": False}, status=200).json["data"]
    if pays:
        organiser.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 119})
    return sent["invoice_number"]


def test_all_data_of_a_contact_is_a_file(office, desk, organiser, fair):
    address = f"/desk/contacts/{fair.contact['id']}/export"
    assert address in office.get(f"/desk/contacts/{fair.contact['id']}")
    answer = office.get(address)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="contact-1.json"'
    assert answer.headers["Cache-Control"] == "no-store"
    assert json.loads(answer.body) == organiser.data(f"/contacts/{fair.contact['id']}/export")
    few = desk("contacts participants invoices")
    assert address not in few.get(f"/desk/contacts/{fair.contact['id']}")
    few.get(address, 403)


def test_the_page_says_what_erasing_does_before_it_is_done(office, organiser, fair):
    number = invoice(organiser, fair, pays=True)
    page = office.get(f"/desk/contacts/{fair.contact['id']}")
    assert f"/desk/do/anonymize_contact/{fair.contact['id']}" in page
    asked = office.get(f"/desk/do/anonymize_contact/{fair.contact['id']}?back=contacts/1")
    assert "Participations stay without a name: 1." in asked
    assert "Invoices keep the name until the law allows to erase it: 1." in asked
    assert number not in asked and 'name="force"' not in asked
    fields = {"back": f"contacts/{fair.contact['id']}"}
    answer = office.submit(asked, f"/desk/do/anonymize_contact/{fair.contact['id']}", fields)
    assert organiser.data(f"/contacts/{fair.contact['id']}")["anonymized_at"]
    after = answer.follow(headers=office.headers, status=200)
    assert "The data is erased." in after and "do/anonymize_contact" not in after


def test_somebody_who_owes_money_is_erased_only_on_demand(office, organiser, fair):
    number = invoice(organiser, fair, pays=False)
    address = f"/desk/do/anonymize_contact/{fair.contact['id']}"
    asked = office.get(address)
    assert f"Not settled yet: {number}." in asked and 'name="force"' in asked
    refused = office.submit(asked, address, {"back": ""}, 409)
    assert "open invoices" in refused
    assert organiser.data(f"/contacts/{fair.contact['id']}")["anonymized_at"] is None
    office.submit(refused, address, {"back": "", "force": "1"})
    assert organiser.data(f"/contacts/{fair.contact['id']}")["anonymized_at"]
