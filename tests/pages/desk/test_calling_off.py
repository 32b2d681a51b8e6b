"""The show does not take place: everybody is cancelled in a few batches, each of which is tried first."""

import json
import re

import pytest

from eventapi.plugins import sessions
from tests.support import batches
from tests.support.client import SCOPES

REASON = "Das Gelände ist überflutet."


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


@pytest.fixture
def mails(settings, monkeypatch):
    """A server that can send mails."""
    for name, value in {
        "smtp_host": "localhost",
        "smtp_sender": "office@messe.test",
        "base_url": "http://localhost",
    }.items():
        monkeypatch.setattr(settings, name, value)


@pytest.fixture
def take_part(organiser, fair):
    """Return a function that makes a participant with a fee of 300 EUR, and returns its id."""

    def make(company, **fields):
        address = {"address": "Weg 1", "postal_code": "04109", "city": "Leipzig", "country": "DE"}
        contact = organiser.make("/contacts", {"company_name": company, **address})
        body = {"event_key": "fair", "contact_id": contact["id"], "category_key": "plants"}
        return organiser.make("/participants", {**body, **fields})["id"]

    return make


def text_of(page):
    """Return the text of a page without tags and with single spaces."""
    main = page.text[page.text.index("<main") :]
    return " ".join(re.sub(r"<[^>]+>", " ", main).replace("&nbsp;", " ").split())


def row_of(page, name):
    """Return the text of the row of a record in the table of a batch."""
    for row in page.html.select("tbody tr"):
        text = " ".join(row.get_text(" ").replace("\xa0", " ").split())
        if name in text:
            return text
    raise AssertionError(name)


def opened(visitor, step=""):
    return visitor.get(f"/desk/setup/called_off?event=fair{'&step=' + step if step else ''}")


def tried(visitor, step, **fields):
    return batches.pressed(visitor, opened(visitor, step), "try", **{"reason": REASON, **fields})


def bill(organiser, participant):
    """Send the invoice about the fee of a participant, and return it."""
    draft = organiser.make(f"/participants/{participant}/invoice", {})
    body = {"mail": False}
    return organiser.post(f"/invoices/{draft['id']}/send", body, status=200).json["data"]


def pay(organiser, invoice, amount):
    organiser.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": amount})


def statuses(organiser):
    rows = organiser.data("/participants?per_page=100")
    return {row["id"]: row["status"] for row in rows}


def results(db):
    """Return record -> (trial, result) of all batches."""
    rows = db.connection.execute("SELECT record_id, trial, result FROM desk_batch_entries")
    return {
        id: tuple(part and json.loads(part) for part in parts) for id, *parts in rows.fetchall()
    }


def test_details_and_help_lead_there(office, fair):
    for address in ("setup/details?event=fair", "help?event=fair"):
        page = office.get(f"/desk/{address}")
        [link] = page.html.find_all("a", string="The event does not take place")
        assert link["href"].endswith("desk/setup/called_off?event=fair")


def test_everybody_is_cancelled_and_credited_as_the_trial_has_shown(
    desk, organiser, fair, take_part, db
):
    """Paid, unpaid, partially paid, a draft only, nothing billed, and one who shares a booth."""
    office = desk(language="de")
    paid, unpaid, partly, drafted, unbilled = [
        take_part(name, is_confirmed=True) for name in ("Voll", "Offen", "Halb", "Entwurf", "Ohne")
    ]
    shares = take_part("Mit", role="co_exhibitor", host_participant_id=paid)
    pay(organiser, bill(organiser, paid), 357)
    bill(organiser, unpaid)
    pay(organiser, bill(organiser, partly), 100)
    draft = organiser.make(f"/participants/{drafted}/invoice", {})
    before = organiser.data("/participants?per_page=100")

    page = opened(office, "exhibitors")
    assert "Ihnen sind zusammen 1.071,00 EUR berechnet, davon sind 614,00 EUR offen." in text_of(
        page
    )
    trial = tried(office, "exhibitors")
    shown = text_of(trial)
    assert "Probelauf: 7 sind möglich, 0 nicht." in shown and f"Grund: {REASON}" in shown
    assert "Gutschriften werden als Entwürfe geschrieben." in shown
    for name in ("Voll", "Offen", "Halb"):
        assert "357,00 EUR" in row_of(trial, name)
    for name in ("Entwurf", "Ohne", "Mit"):
        assert "EUR" not in row_of(trial, name)
    assert "Summe 1.071,00 EUR" in shown
    assert organiser.data("/participants?per_page=100") == before

    done = batches.pressed(office, trial)
    sentence = "7 Teilnahmen sind abgesagt, mit Entwürfen von Gutschriften über 1.071,00 EUR."
    assert sentence in text_of(done)
    assert set(statuses(organiser).values()) == {"cancelled"}
    notes = organiser.data("/invoices?type=credit_note")
    assert [(row["status"], row["total"]) for row in notes] == [("draft", -357)] * 3
    assert organiser.data(f"/invoices/{draft['id']}")["status"] == "draft"
    assert "Gutschriften senden (3)" in text_of(done)
    assert "Rechnungsentwürfe löschen (1)" in text_of(done)
    found = results(db)
    assert set(found) == {fair.exhibitor["id"], paid, unpaid, partly, drafted, unbilled, shares}
    assert all(trial == result for trial, result in found.values())


def test_an_invoice_written_by_hand_is_named_until_nobody_owes_it(
    office, organiser, fair, take_part
):
    """The cancellations credit the fee, and not what somebody has written by hand."""
    exhibitor = take_part("Rosen", is_confirmed=True)
    fee = bill(organiser, exhibitor)
    body = {
        "event_participant_id": exhibitor,
        "items": [{"description": "Carpet", "quantity": 1, "unit_price": 100, "tax_rate": 19}],
    }
    by_hand = organiser.make("/invoices", body)
    organiser.post(f"/invoices/{by_hand['id']}/send", {"mail": False}, status=200)
    done = batches.pressed(office, tried(office, "exhibitors"))
    assert "Open invoices (2)" in text_of(done)
    for note in organiser.data("/invoices?type=credit_note"):
        assert note["related_invoice_id"] == fee["id"]
        organiser.post(f"/invoices/{note['id']}/send", {"mail": False}, status=200)
    page = opened(office)
    assert "Open invoices (1)" in text_of(page)
    [link] = [each for each in page.html.select("a.act") if "Open invoices" in each.get_text()]
    assert "show=sent" in link["href"]
    organiser.post(f"/invoices/{by_hand['id']}/credit", {"whole": True}, status=201)
    assert "Open invoices (" not in text_of(opened(office))


def test_a_second_press_cancels_nothing_twice(office, organiser, take_part):
    bill(organiser, take_part("Firma", is_confirmed=True))
    trial = tried(office, "exhibitors")
    first = batches.pressed(office, trial)
    again = batches.pressed(office, trial)
    assert text_of(again) == text_of(first)
    assert len(organiser.data("/invoices?type=credit_note")) == 1
    assert "No exhibitor takes part any more." in text_of(opened(office, "exhibitors"))


def test_two_hundred_and_fifty_are_cancelled_in_two_parts(office, organiser, fair, db):
    contact = fair.contact["id"]
    with db.write():
        db.connection.executemany(
            "INSERT INTO contacts (id, customer_number, company_name, country, rating, "
            "account_access_enabled, created_at, updated_at) SELECT ?, ?, ?, country, rating, "
            "account_access_enabled, created_at, updated_at FROM contacts WHERE id = ?",
            [(1000 + n, f"X{n}", f"Firma {n:03}", contact) for n in range(250)],
        )
        db.connection.executemany(
            "INSERT INTO participants (event_id, contact_id, role, status, badge_number, created_at, updated_at) "
            "SELECT event_id, ?, role, status, ?, created_at, updated_at FROM participants WHERE id = ?",
            [(1000 + n, f"BX{n:08}", fair.exhibitor["id"]) for n in range(250)],
        )
    trial = tried(office, "exhibitors")
    assert "Trial: 200 are possible" in text_of(trial) and "Part 1 of 2" in text_of(trial)
    done = batches.pressed(office, trial)
    assert "200 participations are cancelled." in text_of(done)
    trial = batches.pressed(office, done, "next")
    assert "Trial: 51 are possible" in text_of(trial) and f"Reason: {REASON}" in text_of(trial)
    done = batches.pressed(office, trial)
    assert "251 participations are cancelled." in text_of(done)
    left = organiser.get("/participants?status=registered,confirmed").json["meta"]["total"]
    assert left == 0


def test_confirmed_orders_come_first_so_that_they_are_credited(office, organiser, fair):
    exhibitor = fair.exhibitor["id"]
    power = {"service_name": "Power", "base_price": 100, "events": [{"event_key": "fair"}]}
    service = organiser.make("/services", power)
    items = [{"service_id": service["id"], "quantity": 1}]
    body = {"event_participant_id": exhibitor, "status": "confirmed", "items": items}
    order = organiser.make("/service-orders", body)
    bill(organiser, exhibitor)

    assert "Confirmed orders that stay: 1" in row_of(tried(office, "exhibitors"), "Rosen KG")
    assert "EUR 357.00" in row_of(tried(office, "exhibitors"), "Rosen KG")
    page = opened(office)  # the first step with records
    assert "Cancel the confirmed orders (1)" in text_of(page)
    trial = batches.pressed(office, page, "try", reason=REASON)
    assert "1 order is cancelled." in text_of(batches.pressed(office, trial))
    order = organiser.data(f"/service-orders/{order['id']}")
    assert (order["status"], order["cancellation_reason"]) == ("cancelled", REASON)
    row = row_of(tried(office, "exhibitors"), "Rosen KG")
    assert "EUR 476.00" in row and "stay" not in row


def test_exhibitors_and_visitors_are_told_unless_they_have_no_address(
    office, organiser, fair, take_part, mails, db
):
    take_part("Ohne Adresse")
    visitor = organiser.make("/contacts", {"last_name": "Besuch", "email": "b@mail.example"})
    body = {"event_key": "fair", "contact_id": visitor["id"], "role": "visitor"}
    guest = organiser.make("/participants", body)["id"]
    trial = tried(office, "exhibitors")
    assert "no e-mail: there is no address" in row_of(trial, "Ohne Adresse")
    assert "no e-mail" not in row_of(trial, "Rosen KG")
    assert "All with an address get an e-mail." in text_of(trial)
    batches.pressed(office, trial)
    assert statuses(organiser)[guest] == "registered"

    batches.pressed(office, tried(office, "visitors"))
    assert set(statuses(organiser).values()) == {"cancelled"}
    sent = db.connection.execute(
        "SELECT recipient, details FROM mails WHERE kind = 'participation_cancelled' ORDER BY id"
    ).fetchall()
    assert [address for address, _ in sent] == ["info@rosen.example", "b@mail.example"]
    assert all(json.loads(details)["reason"] == REASON for _, details in sent)


def test_without_ticks_nobody_is_told_and_invoices_stay(office, organiser, fair, mails, db):
    bill(organiser, fair.exhibitor["id"])
    trial = tried(office, "exhibitors", mail=None, invoices=None)
    assert "Nobody gets an e-mail. The invoices stay as they are." in text_of(trial)
    assert "1 participation is cancelled." in text_of(batches.pressed(office, trial))
    assert organiser.data("/invoices?type=credit_note") == []
    assert db.connection.execute("SELECT count(*) FROM mails").fetchone()[0] == 0


def test_without_a_mail_server_no_mail_is_offered(office, fair):
    page = opened(office, "exhibitors")
    assert 'name="mail"' not in page and 'name="invoices"' in page


def test_without_a_sender_no_mail_is_offered(office, fair, mails, settings, monkeypatch):
    assert 'name="mail"' in opened(office, "exhibitors")
    monkeypatch.setattr(settings, "smtp_sender", "")
    assert 'name="mail"' not in opened(office, "exhibitors")


def test_credits_need_the_scope_of_invoices(desk, organiser, fair):
    scopes = " ".join(scope for scope in SCOPES.split() if not scope.startswith("invoices"))
    office = desk(scopes)
    page = opened(office, "exhibitors")
    assert 'name="invoices"' not in page and "Send the credit notes" not in page
    trial = tried(office, "exhibitors", invoices="credit")  # typed by hand
    assert "The invoices stay as they are." in text_of(trial)
    batches.pressed(office, trial)
    assert set(statuses(organiser).values()) == {"cancelled"}
    reader = desk("events participants:read", name="Eve")
    reader.get("/desk/setup/called_off?event=fair", 403)
    assert "The event does not take place" not in reader.get("/desk/setup/details?event=fair")


def test_forms_that_are_still_open_are_told_with_the_way_to_close_them(office, organiser, fair):
    address = f"/events/{fair.event['id']}/pages"
    body = {"is_public": True, "apply_terms": {"de": "AGB", "en": "Terms"}, "apply_is_open": True}
    organiser.patch(address, body, status=200)
    for page in (opened(office, "exhibitors"), tried(office, "exhibitors")):
        assert "exhibitors can still apply" in text_of(page)
        assert [link for link in page.html.find_all("a") if "setup/apply?" in link["href"]]
    assert "It is public" in text_of(opened(office))
    organiser.patch(address, {"apply_is_open": False, "is_public": False}, status=200)
    shown = text_of(tried(office, "exhibitors")) + text_of(opened(office))
    assert "can still apply" not in shown and "It is public" not in shown


def test_an_unknown_step_is_not_found(office, fair):
    office.get("/desk/setup/called_off?event=fair&step=booths", 404)
