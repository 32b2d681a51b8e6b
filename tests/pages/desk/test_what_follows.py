"""What the desk says before an exhibitor is cancelled, a booth moved or money paid back."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest


@pytest.fixture
def paid(organiser, fair):
    """The exhibitor has booth A1, whose price and fee were billed, sent and paid: 642.60."""
    organiser.make(
        "/booth-reservations",
        {
            "booth_id": fair.booths[0]["id"],
            "event_participant_id": fair.exhibitor["id"],
            "status": "confirmed",
        },
    )
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    path = f"/invoices/{draft['id']}"
    invoice = organiser.post(f"{path}/send", {"mail": False}, status=200).json["data"]
    body = {"invoice_number": invoice["invoice_number"], "amount": invoice["total"]}
    invoice["payment_id"] = organiser.make("/payments", body)["id"]
    return invoice


def text_of(page):
    """Return the text of a page on one line."""
    main = page.text.partition("<main")[2]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split())


def follow(office, answer):
    address = urlsplit(answer.headers["Location"])
    return office.get(f"/{address.path.lstrip('./')}?{address.query}")


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            [
                "Booth A1 becomes free.",
                "Invoice {number} for EUR 1,213.80 is paid.",
                "The invoice stays (cancellation costs by contract)",
                "Credit what is not owed any more",
            ],
        ),
        (
            "de",
            [
                "Stand A1 wird frei.",
                "Rechnung {number} über 1.213,80 EUR ist bezahlt.",
                "Rechnung bleibt (Stornokosten laut Vertrag)",
                "Gutschreiben, was wegfällt",
            ],
        ),
    ],
)
def test_cancelling_names_booth_and_invoices_and_asks(desk, fair, paid, language, sentences):
    office = desk(language=language)
    page = office.get(f"/desk/do/cancel_participant/{fair.exhibitor['id']}")
    shown = text_of(page)
    for sentence in sentences:
        assert sentence.format(number=paid["invoice_number"]) in shown
    assert '<option value="credit" selected>' in " ".join(page.text.split())


def test_a_draft_and_an_open_invoice_are_named_as_such(office, organiser, fair):
    organiser.make(
        "/invoices",
        {
            "event_participant_id": fair.exhibitor["id"],
            "items": [{"description": "Poster", "quantity": 1, "unit_price": 50, "tax_rate": 19}],
        },
    )
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    path = f"/invoices/{draft['id']}/send"
    number = organiser.post(path, {"mail": False}, status=200).json["data"]["invoice_number"]
    shown = text_of(office.get(f"/desk/do/cancel_participant/{fair.exhibitor['id']}"))
    assert f"Invoice {number} for EUR 357.00: EUR 357.00 is still open." in shown
    assert "Draft 1 for EUR 59.50 is not sent yet." in shown


def test_the_flash_names_the_credit_notes_with_customer_and_amount(office, organiser, fair, paid):
    address = f"/desk/do/cancel_participant/{fair.exhibitor['id']}"
    back = f"exhibitors/{fair.exhibitor['id']}"
    fields = {"back": back, "invoices": "credit", "reason": "Ill"}
    answer = office.submit(office.get(f"{address}?back={back}"), address, fields)
    (note,) = organiser.data("/invoices?status=draft")
    assert f"/desk/{back}?" in answer.headers["Location"]
    shown = text_of(follow(office, answer))
    assert "The participation is cancelled." in shown
    assert f"Credit note Draft {note['id']} · Rosen KG · EUR -1,213.80 · draft" in shown
    (reservation,) = organiser.data("/booth-reservations")
    assert reservation["cancellation_reason"] == "Ill"


def test_without_the_right_to_credit_the_invoices_stay(desk, organiser, fair, paid):
    office = desk("events:read participants booths:read invoices:read")
    address = f"/desk/do/cancel_participant/{fair.exhibitor['id']}"
    page = office.get(address)
    assert 'name="invoices"' not in page and paid["invoice_number"] in page
    office.submit(page, address, {"back": ""})
    assert organiser.get("/invoices?status=draft").json["meta"]["total"] == 0


def test_paying_back_money_that_would_be_owed_again_asks_first(office, organiser, paid):
    address = f"/desk/do/refund_payment/{paid['payment_id']}"
    back = f"invoices/{paid['id']}"
    page = office.get(f"{address}?back={back}")
    shown = text_of(page)
    assert (
        f"Invoice {paid['invoice_number']} (Rosen KG) has not been credited. If you only pay the money back, "
        "the customer owes EUR 1,213.80 again." in shown
    )
    assert "Only pay back: the customer owes it again" in shown

    answer = office.submit(page, address, {"back": back, "credit_first": "1"})
    page = follow(office, answer)
    shown = text_of(page)
    assert "The credit note is written. Now you can pay the money back." in shown
    assert "Rosen KG" in shown and "has not been credited" not in shown
    assert organiser.data(f"/payments/{paid['payment_id']}")["refunded_amount"] == 0

    answer = office.submit(page, address, {"back": back})
    assert f"/desk/{back}?" in answer.headers["Location"]
    after = organiser.data(f"/invoices/{paid['id']}")
    assert (after["status"], after["open_amount"]) == ("refunded", 0)


def test_a_credit_note_that_is_drafted_is_sent_before_money_is_paid_back(
    office, organiser, fair, paid
):
    path = f"/participants/{fair.exhibitor['id']}/cancel"
    meta = organiser.post(path, {"invoices": "credit"}, status=200).json["meta"]
    (note,) = meta["credit_note_ids"]
    address = f"/desk/do/refund_payment/{paid['payment_id']}"
    page = office.get(address)
    assert f"The credit note for EUR -1,213.80 is not sent yet (Draft {note})." in text_of(page)
    assert f"desk/invoices/{note}" in page and "credit_first" not in page
    organiser.post(f"/invoices/{note}/send", {"mail": False}, status=200)
    assert "has not been credited" not in text_of(office.get(address))


def test_a_form_that_credits_is_sent_twice_and_credits_once(office, organiser, paid):
    address = f"/desk/do/refund_payment/{paid['payment_id']}"
    page = office.get(f"{address}?back=money")
    for _ in range(2):
        office.submit(page, address, {"back": "money", "credit_first": "1"})
    assert organiser.get("/invoices?type=credit_note").json["meta"]["total"] == 1


def test_paying_back_only_is_possible(office, organiser, paid):
    address = f"/desk/do/refund_payment/{paid['payment_id']}"
    office.submit(office.get(address), address, {"back": "money", "amount": "13.80"})
    assert organiser.data(f"/invoices/{paid['id']}")["open_amount"] == 13.8


def test_looking_at_what_follows_changes_nothing(office, organiser, fair, paid):
    before = organiser.data(f"/payments/{paid['payment_id']}")
    office.get(f"/desk/do/refund_payment/{paid['payment_id']}")
    assert organiser.data(f"/payments/{paid['payment_id']}") == before
    (reservation,) = organiser.data("/booth-reservations")
    other = fair.booths[1]["id"]
    office.get(f"/desk/do/move_booth_reservation/{reservation['id']}?booth_id={other}")
    assert organiser.data("/booth-reservations") == [reservation]


@pytest.mark.parametrize(
    ("language", "price", "sentence"),
    [
        (
            "en",
            820,
            "A1 costs EUR 720.00 net, B7 costs EUR 820.00. To be paid in total: EUR 0.00 so far, EUR 119.00 "
            "afterwards, with VAT. With “Keep the price”, B7 still costs EUR 720.00 net. To be paid in total then: "
            "EUR 0.00, with VAT.",
        ),
        (
            "de",
            820,
            "A1 kostet 720,00 EUR netto, B7 kostet 820,00 EUR. Insgesamt zu zahlen sind bisher 0,00 EUR, danach "
            "119,00 EUR, jeweils mit USt. Mit „Preis behalten“ kostet B7 weiter 720,00 EUR netto. Insgesamt zu "
            "zahlen sind danach 0,00 EUR mit USt.",
        ),
        (
            "de",
            720,
            "A1 kostet 720,00 EUR netto, B7 kostet 720,00 EUR. An den Rechnungen ändert sich nichts.",
        ),
    ],
)
def test_a_move_says_what_it_costs_before_it_is_done(
    desk, organiser, fair, paid, language, price, sentence
):
    office = desk(language=language)
    (reservation,) = organiser.data("/booth-reservations")
    booth = {"plan_id": fair.plan["id"], "booth_number": "B7", "fixed_price": price}
    other = organiser.make("/booths", {**booth, "width": 3, "depth": 3})["id"]
    address = f"/desk/do/move_booth_reservation/{reservation['id']}"
    page = office.get(f"{address}?back=hall")
    assert re.search(rf'<option value="{other}"[^>]*>B7 · Hall 1 · [^<]*{price}', page.text)
    assert 'method="get"' in page.text and 'name="keep_price"' not in page

    page = office.get(f"{address}?back=hall&booth_id={other}")
    assert sentence in text_of(page) and 'name="keep_price"' in page
    assert ("B7 still" in page or "B7 weiter" in page) == (price != 720)
    fields = {"back": "hall", "booth_id": other, "keep_price": "1"}
    office.submit(page, address, fields)
    (moved,) = organiser.data("/booth-reservations")
    assert (moved["booth_number"], moved["final_price"]) == ("B7", 720)


def test_the_drafts_of_one_step_are_named_together(office, organiser, fair, paid):
    """A booth of another price leads to an invoice and a credit note."""
    (reservation,) = organiser.data("/booth-reservations")
    organiser.post(
        f"/booth-reservations/{reservation['id']}/move",
        {"booth_id": fair.booths[1]["id"]},
        status=200,
    )
    organiser.patch(f"/categories/{fair.category['id']}", {"base_price": 300}, status=200)
    address = f"/desk/do/create_participant_invoice/{fair.exhibitor['id']}"
    page = office.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    office.submit(page, address, {"back": ""}, 409)  # it costs the same
    organiser.post(f"/booth-reservations/{reservation['id']}/cancel", status=200)
    shown = text_of(follow(office, office.submit(page, address, {"back": ""})))
    (note,) = organiser.data("/invoices?status=draft")
    assert "The draft is written." in shown and shown.count("Rosen KG ·") == 1
    assert f"Credit note Draft {note['id']} · Rosen KG" in shown


def test_a_credit_note_is_called_one_when_it_is_sent(office, organiser, fair, paid):
    path = f"/participants/{fair.exhibitor['id']}/cancel"
    meta = organiser.post(path, {"invoices": "credit"}, status=200).json["meta"]
    (note,) = meta["credit_note_ids"]
    page = office.get(f"/desk/invoices/{note}")
    shown = text_of(page)
    assert "Send the credit note" in shown and "Send the invoice" not in shown
    assert f"exhibitors/{fair.exhibitor['id']}" in page
    address, back = f"/desk/do/send_invoice/{note}", f"invoices/{note}"
    form = office.get(f"{address}?back={back}")
    assert form.html.select("h1")[0].text == "Send the credit note"
    answer = office.submit(form, address, {"back": back, "mail": "0"})
    number = organiser.data(f"/invoices/{note}")["invoice_number"]
    shown = text_of(follow(office, answer))
    assert (
        f"Credit note {number} was issued." in shown and "Invoice" not in shown.partition(number)[0]
    )
