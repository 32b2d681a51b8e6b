"""Credit at the desk: what customers are asked for is what they owe.

An organiser had an invoice of 214.20, paid with 200.00, and moved the booth: a new invoice of 226.10
and a credit note of 142.80. Mail, reminder, dunning letter and pages asked for 226.10, where 97.50 was owed.
"""

import re

import pytest

from eventapi import times, working_days
from eventapi.domain.billing import drafts
from eventapi.domain.upkeep import checks
from tests.pages.desk.test_scopes import without
from tests.pictures.test_invoice_pdf import texts
from tests.support import batches
from tests.support.mail_server import Inbox, Server
from tests.worker.test_mail import configure, sent


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def inbox(settings):
    """Return the inbox of a mail server that the organiser has configured."""
    found = Inbox()
    server = Server(found).start()
    configure(settings, server)
    settings.organiser_iban = "DE02120300000000202051"
    settings.language = "de"
    yield found
    server.stop()


@pytest.fixture
def bill(organiser, fair):
    """Return a function that drafts an invoice for the exhibitor."""

    def make(net):
        item = {"description": "Stand", "quantity": 1, "unit_price": net, "tax_rate": 19}
        body = {"event_participant_id": fair.exhibitor["id"], "language": "de", "items": [item]}
        return organiser.make("/invoices", {"contact_id": fair.contact["id"], **body})

    return make


@pytest.fixture
def moved(organiser, db, fair, bill):
    """Return the ids of the drafts after the booth was moved: the new invoice, and the credit note for the old one."""
    old = bill(180)
    old = organiser.post(f"/invoices/{old['id']}/send", {"mail": False}, status=200).json["data"]
    organiser.make("/payments", {"invoice_number": old["invoice_number"], "amount": 200})
    new = bill(190)
    item = {"description": "Kleinerer Stand", "quantity": -1, "unit_price": 120, "tax_rate": 19}
    with db.write():
        note = drafts.create(
            db,
            {"contact_id": fair.contact["id"], "language": "de", "items": [item]},
            invoice_type="credit_note",
            related_invoice_id=old["id"],
        )
    return new["id"], note["id"], old["id"]


def exhibitor(organiser, open_link, fair):
    """Open the pages of exhibitors. Return the link of one, and a visitor who has opened it."""
    pages = {"my_is_open": True, "contact_email": "help@example.org"}
    organiser.patch(f"/events/{fair.event['id']}/pages", pages, status=200)
    link, visitor, _ = open_link(
        "participant",
        "de",
        event_id=fair.event["id"],
        participant_id=fair.exhibitor["id"],
        rights=("invoices",),
        name="Anna Rosen",
    )
    return link, visitor


def plain(page):
    """Return the text of a page without tags, and with single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.text).replace("&nbsp;", " ").split())


def text_of(message):
    return " ".join(message.get_body(("plain",)).get_content().split())


def test_what_is_asked_for_is_what_is_owed(
    desk, organiser, db, fair, moved, inbox, open_link, monkeypatch
):
    pytest.importorskip("reportlab")
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)
    new, note, _ = moved
    office = desk(language="de")

    # the trial sends the credit note first, and offsets
    trial = batches.tried(office, office.get("/desk/money"), "invoices/send", [new, note])
    assert "128,60 EUR mit INV-" in plain(trial)
    assert re.search(r'name="offset"[^>]*checked', trial.text)
    assert re.findall(r'class="name" href="[^"]*invoices/(\d+)', trial.text) == [
        str(note),
        str(new),
    ]
    assert organiser.data(f"/invoices/{new}")["status"] == "draft"

    done = batches.pressed(office, trial, mail="1")
    assert "1 Guthaben verrechnet: 128,60 EUR" in plain(done)
    invoice = organiser.data(f"/invoices/{new}")
    assert (invoice["total"], invoice["open_amount"]) == (226.1, 97.5)

    # mails
    sent(db)
    of_note, of_invoice = (text_of(message) for message in inbox.messages)
    number = invoice["invoice_number"]
    assert f"128,60 EUR mit der Rechnung {number} verrechnet, dort bleiben 97,50 EUR" in of_note
    assert "Bitte zahlen Sie 97,50 EUR" in of_invoice

    # documents
    shown = texts(organiser.get(f"/invoices/{new}/pdf", status=200).body)[0]
    assert "Verrechnet mit Guthaben aus" in shown
    assert re.search(r"97,50 EUR bis zum", shown)
    xml = organiser.get(f"/invoices/{new}/xml", status=200).body.decode()
    assert "<ram:DuePayableAmount>97.50<" in xml
    assert "97,50" in organiser.get(f"/invoices/{new}/girocode", status=200).text

    # reminder
    today = times.today("Europe/Berlin")
    db.connection.execute(
        "UPDATE invoices SET due_date = date(?, '-30 days'), overdue_from = date(?, '-29 days') WHERE id = ?",
        (today, today, new),
    )
    organiser.post(f"/invoices/{new}/remind", {"mail": True}, status=200)
    sent(db)
    assert "noch 97,50 EUR offen" in text_of(inbox.messages[-1])

    # dunning: the list, the letter, its mail
    level = {"name": "Mahnung", "days": 7, "interest": "none"}
    organiser.make("/invoices/dunning-levels", level)
    assert "97,50 EUR" in plain(office.get("/desk/money/dunning"))
    [letter] = organiser.post("/invoices/dunning/send", {}, status=200).json["data"]["sent"]
    assert letter["total_claim"] == 97.5
    path = f"/invoices/{new}/dunning/{letter['id']}/pdf"
    on_paper = texts(organiser.get(path, status=200).body)[0]
    assert "97,50 EUR" in on_paper
    sent(db)
    assert "97,50 EUR" in text_of(inbox.messages[-1])
    assert "226,10" not in text_of(inbox.messages[-1])

    # the pages
    page = plain(office.get(f"/desk/invoices/{new}"))
    assert "97,50 EUR" in page
    link, visitor = exhibitor(organiser, open_link, fair)
    home = f"/my/{link['ref']}"
    own = plain(visitor.get(f"{home}/invoices"))
    assert "Zu zahlen 97,50 EUR" in own
    assert f"Rechnung {number} bezahlen: 97,50 EUR" in plain(visitor.get(f"{home}/"))
    code = visitor.app.get(
        f"{home}/invoices/{new}/girocode", headers=visitor.headers | {"Accept": "image/svg+xml"}
    )
    assert "97,50" in code.text


def test_credit_that_is_not_offset_is_named_on_every_page(
    desk, organiser, fair, bill, moved, inbox, db, open_link, monkeypatch
):
    """Without the tick, letters are held back, and the exhibitor sees one balance."""
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)
    new, note, old = moved
    office = desk(language="de")
    trial = batches.tried(office, office.get("/desk/money"), "invoices/send", [new, note])
    done = batches.pressed(office, trial, offset=None)
    assert "verrechnet" not in plain(done)
    today = times.today("Europe/Berlin")
    db.connection.execute(
        "UPDATE invoices SET due_date = date(?, '-30 days'), overdue_from = date(?, '-29 days') WHERE id = ?",
        (today, today, new),
    )

    level = {"name": "Mahnung", "days": 7, "fee": 2.5, "interest": "fixed", "interest_rate": 12}
    organiser.make("/invoices/dunning-levels", level)
    due = plain(office.get("/desk/money/dunning"))
    assert "zurückgehalten: Guthaben von 128,60 EUR ist noch nicht verrechnet" in due
    answer = organiser.post(f"/invoices/{new}/remind", {"mail": False}, status=409).json
    assert answer["code"] == "credit_open"

    link, visitor = exhibitor(organiser, open_link, fair)
    own = plain(visitor.get(f"/my/{link['ref']}/invoices"))
    assert "Zu zahlen 97,50 EUR" in own
    assert "Offene Rechnungen 226,10 EUR, abzüglich Ihres Guthabens von 128,60 EUR" in own
    number = organiser.data(f"/invoices/{new}")["invoice_number"]
    assert f"Rechnung {number} bezahlen: 97,50 EUR" in plain(visitor.get(f"/my/{link['ref']}/"))
    # a code over the whole invoice would ask for too much
    assert "girocode" not in visitor.get(f"/my/{link['ref']}/invoices").text

    # the button of the paid invoice offers the open one
    assert "Verrechnen" in plain(office.get(f"/desk/invoices/{old}"))
    form = office.get(f"/desk/do/offset_invoice/{old}")
    assert f"{number} · 226,10 EUR" in plain(form)
    fields = {"invoice_number": number, "amount": "", "back": f"invoices/{old}"}
    office.submit(form, f"/desk/do/offset_invoice/{old}", fields)
    assert organiser.data(f"/invoices/{new}")["open_amount"] == 97.5
    assert "128,60 EUR" in plain(office.get(f"/desk/invoices/{new}"))
    assert "mit Guthaben verrechnet" in plain(office.get(f"/desk/invoices/{new}"))


def test_the_list_of_letters_adds_up(desk, organiser, fair, bill, monkeypatch, db):
    """Open 1,874.26, costs 40.00 and claim 2,043.18: the column of interest was missing."""
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)
    draft = bill(1000)
    row = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json["data"]
    today = times.today("Europe/Berlin")
    db.connection.execute(
        "UPDATE invoices SET due_date = date(?, '-40 days'), overdue_from = date(?, '-39 days') WHERE id = ?",
        (today, today, row["id"]),
    )
    for name, days in (("Erste", 1), ("Zweite", 2)):
        level = {"name": name, "days": days, "deadline_days": 1, "fee": 2.5}
        organiser.make(
            "/invoices/dunning-levels", {**level, "interest": "fixed", "interest_rate": 100}
        )
    organiser.post("/invoices/dunning/send", {"mail": False}, status=200)
    body = {"invoice_number": row["invoice_number"], "amount": 2.5, "claim_amount": 2.5}
    organiser.make("/payments", body)
    monkeypatch.setattr(times, "now", lambda: f"{times.add_days(today, 4)}T10:00:00Z")

    page = desk().get("/desk/money/dunning").text
    cells = re.findall(r'<td class="r num">(?:<b>)?(?:−|-)?([\d.,]+|EUR [−-]?[\d.,]+)', page)
    head = re.findall(r'<th scope="col" class="r">([^<]+)<', page)
    shown = dict(zip(head, (number(cell) for cell in cells), strict=True))
    assert [*shown] == ["Days", "Open", "Costs", "Interest", "Paid of it", "Claim"]
    assert (shown["Open"], shown["Costs"], shown["Paid of it"]) == (1190, 5, -2.5)
    assert shown["Interest"] > 0
    claim = shown["Open"] + shown["Costs"] + shown["Interest"] + shown["Paid of it"]
    assert round(claim, 2) == shown["Claim"]


def number(text):
    return float(text.replace("EUR", "").replace(",", "").replace("−", "-"))


def test_the_list_of_letters_names_the_payment_that_holds_one_back(
    desk, organiser, bill, monkeypatch, db
):
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)
    draft = bill(1000)
    row = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json["data"]
    today = times.today("Europe/Berlin")
    db.connection.execute(
        "UPDATE invoices SET due_date = date(?, '-40 days'), overdue_from = date(?, '-39 days') WHERE id = ?",
        (today, today, row["id"]),
    )
    organiser.make("/invoices/dunning-levels", {"name": "Mahnung", "days": 7})
    expected = times.add_days(today, -2)
    body = {"amount": 100, "status": "pending", "payment_date": expected}
    organiser.make("/payments", {"invoice_number": row["invoice_number"], **body})

    page = plain(desk(language="de").get("/desk/money/dunning"))
    day = ".".join(reversed(expected.split("-")))
    assert f"zurückgehalten: eine Zahlung von 100,00 EUR, angekündigt für den {day}" in page


def test_a_person_without_the_scope_for_payments_gets_no_tick(desk, organiser, moved):
    new, note, _ = moved
    clerk = desk(without("payments"))
    trial = batches.tried(clerk, clerk.get("/desk/money"), "invoices/send", [new, note])
    assert 'name="offset"' not in trial.text
    assert 'name="offset"' not in clerk.get(f"/desk/do/send_invoice/{new}").text
    # a forged field changes nothing
    batches.pressed(clerk, trial, offset="1")
    assert organiser.data(f"/invoices/{new}")["open_amount"] == 226.1


def test_the_form_of_one_invoice_has_the_tick_set(desk, organiser, moved):
    new, note, _ = moved
    office = desk()
    for id in (note, new):
        form = office.get(f"/desk/do/send_invoice/{id}")
        assert re.search(r'name="offset"[^>]*checked', form.text)
        office.submit(form, f"/desk/do/send_invoice/{id}", {"offset": "1", "back": "money"})
    assert organiser.data(f"/invoices/{new}")["open_amount"] == 97.5
