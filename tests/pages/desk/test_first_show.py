"""What an organiser of a first show reads on the pages, from the first booth to a credit note."""

import pytest


@pytest.fixture
def billed(organiser, fair):
    """Return an order of two lamps, which is billed and paid."""
    service = organiser.make(
        "/services",
        {"service_name": "Lamp", "base_price": 50, "events": [{"event_key": "fair"}]},
    )
    order = organiser.make(
        "/service-orders",
        {
            "event_participant_id": fair.exhibitor["id"],
            "items": [{"service_id": service["id"], "quantity": 2}],
        },
    )
    for step in ("submit", "confirm"):
        organiser.post(f"/service-orders/{order['id']}/{step}", status=200)
    invoice = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    sent = organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200)
    number, total = (sent.json["data"][name] for name in ("invoice_number", "total"))
    organiser.make("/payments", {"invoice_number": number, "amount": total})
    return organiser.data(f"/service-orders/{order['id']}")


def text_of(page):
    return " ".join(page.html.find("main").get_text(" ").split())


def strike(office, order):
    """Cancel the only item of an order at the desk. Return the page that asks before."""
    path = f"/desk/do/cancel_service_order_item/{order['id']}/{order['items'][0]['id']}"
    asking = office.get(path)
    office.submit(asking, path)
    return asking


def test_the_list_of_a_record_survives_an_action_on_it(office, fair):
    [link] = office.get("/desk/exhibitors?event=fair").html.select("td a.name")
    page = office.get(f"/desk/{link['href'].removeprefix('../desk/')}")
    backs = {each["value"] for each in page.html.select("main input[name=back]")}
    assert backs and all("list=exhibitors" in back and "at=1" in back for back in backs)
    [back, *_] = backs
    assert page.html.find("a", string="To the list") == office.get(f"/desk/{back}").html.find(
        "a", string="To the list"
    )


def test_a_long_filter_of_the_list_is_not_kept(office, fair):
    path = f"/desk/exhibitors/{fair.exhibitor['id']}?list=exhibitors&at=1&filter=q%3D{'%26' * 150}"
    page = office.get(path)
    backs = [each["value"] for each in page.html.select("main input[name=back]")]
    assert backs and not any("filter=" in back for back in backs)


def test_before_an_item_is_cancelled_the_page_names_it(office, billed):
    asking = strike(office, billed)
    assert "2 × Lamp is cancelled." in text_of(asking)


def test_what_is_to_be_credited_is_a_button_of_its_own(office, fair, billed):
    page = office.get(f"/desk/exhibitors/{fair.exhibitor['id']}?event=fair")
    assert "Write the credit note" not in text_of(page)
    strike(office, billed)
    page = office.get(f"/desk/exhibitors/{fair.exhibitor['id']}?event=fair")
    assert "Write the credit note" in text_of(page)


def test_a_sent_credit_note_is_neither_open_nor_paid(office, organiser, fair, billed):
    strike(office, billed)
    note = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    assert note["invoice_type"] == "credit_note"
    organiser.post(f"/invoices/{note['id']}/send", {"mail": False}, status=200)
    page = office.get(f"/desk/invoices/{note['id']}")
    assert "Credit note for invoice" in text_of(page)
    assert not page.html.select('form[action$="do/create_payment"]')
    assert "CN-" not in text_of(office.get("/desk/money?event=fair&show=sent"))
    assert "CN-" in text_of(office.get("/desk/money?event=fair&show=all"))


def test_a_cancelled_invoice_is_no_credit_note(desk, organiser, fair):
    office = desk(language="de")
    invoice = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200)
    organiser.post(f"/invoices/{invoice['id']}/cancel", {"mail": False}, status=200)
    shown = text_of(office.get(f"/desk/invoices/{invoice['id']}"))
    assert "Gutschrift zur Rechnung" not in shown
    assert shown.count("Gutschrift CN-") == 1


def test_the_page_of_an_action_names_the_customer_or_the_exhibitor(office, organiser, fair):
    invoice = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    asking = office.get(f"/desk/do/send_invoice/{invoice['id']}")
    assert f"Draft {invoice['id']} · Rosen KG" in text_of(asking)
    booth = fair.booths[1]
    held = organiser.make(
        "/booth-reservations",
        {"booth_id": booth["id"], "event_participant_id": fair.exhibitor["id"]},
    )
    moving = office.get(f"/desk/do/move_booth_reservation/{held['id']}")
    assert f"{booth['booth_number']} · Rosen KG" in text_of(moving)
