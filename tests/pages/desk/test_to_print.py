"""What the desk says of invoices and letters that were sent, and the page of what has to be printed."""

import re
from io import BytesIO

import pytest

from eventapi import times
from eventapi.pages.desk import to_print
from tests.support import batches

ITEM = {"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 19}


@pytest.fixture
def smtp(app, db):
    """Let the server send mails. No worker runs, so that all of them wait."""
    for settings in (app.app.settings, db.config):
        settings.smtp_host = "mail.example.org"
        settings.smtp_sender = "books@messe.test"


@pytest.fixture
def customers(organiser, fair):
    """Two customers, one of them without an e-mail address."""
    without = organiser.make(
        "/contacts",
        {
            "company_name": "Aster OHG",
            "address": "Weg 2",
            "postal_code": "04109",
            "city": "Leipzig",
            "country": "DE",
        },
    )
    return fair.contact, without


@pytest.fixture
def overdue(organiser, customers, db):
    """Two overdue invoices from before, one for each of the customers, and a dunning level."""
    organiser.make("/invoices/dunning-levels", {"name": "First letter", "days": 10, "fee": 5})
    ids = []
    for contact in customers:
        draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [ITEM]})
        organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
        ids.append(draft["id"])
    db.connection.execute(
        "UPDATE invoices SET due_date = '2026-01-08', overdue_from = '2026-01-09'"
    )
    return ids


@pytest.fixture
def drafts(organiser, customers):
    return [
        organiser.make("/invoices", {"contact_id": contact["id"], "items": [ITEM]})["id"]
        for contact in customers
    ]


def words_of(page):
    """Return the text of a page, without tags and with single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.text).split())


def send_letters(office, ids, **fields):
    """Send letters with the button of the page, and return the page that follows."""
    page = office.get("/desk/money/dunning")
    answer = office.app.post(
        "/desk/money/dunning",
        [("form_token", token(page)), *(("ids", str(id)) for id in ids), *fields.items()],
        headers=office.headers,
        status=303,
    )
    return follow(office, answer)


def follow(office, answer):
    return office.get("/desk" + answer.headers["Location"].partition("/desk")[2])


def token(page):
    return re.search(r'name="form_token" value="([^"]+)"', page.text)[1]


def send_batch(office, ids, **fields):
    """Send ticked drafts, past the trial, and return the page with the result."""
    return batches.done(office, office.get("/desk/money"), "invoices/send", ids, **fields)


@pytest.mark.parametrize("language", ["en", "de"])
def test_without_a_mail_server_no_letter_counts_as_sent(desk, overdue, language):
    office = desk(language=language)
    page = office.get("/desk/money/dunning")
    assert 'name="mail"' not in page.text
    told = words_of(send_letters(office, overdue))
    expected = {"de": "2 sind zu drucken. 2 drucken", "en": "2 have to be printed. Print 2"}
    assert expected[language] in told
    for word in ("verschickt.", "unterwegs", "letters sent", "on their way"):
        assert word not in told


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_flash_says_where_the_letters_go(desk, organiser, overdue, customers, smtp, language):
    office = desk(language=language)
    third = organiser.make("/invoices", {"contact_id": customers[0]["id"], "items": [ITEM]})
    organiser.post(f"/invoices/{third['id']}/send", {"mail": False}, status=200)
    told = words_of(send_letters(office, overdue, mail="1"))
    expected = {
        "de": "1 geht per E-Mail hinaus, 1 ist zu drucken. 1 drucken",
        "en": "1 leaves by mail, 1 has to be printed. Print 1",
    }
    assert expected[language] in told


def test_letters_that_are_held_back_are_named_by_their_reason(office, overdue, db):
    send_letters(office, overdue)
    db.connection.execute("UPDATE invoices SET dunning_deadline = '2020-01-01'")
    db.connection.execute(
        "INSERT INTO dunning_levels (level, name, days, deadline_days, fee, interest, has_lump_sum, "
        "created_at, updated_at) VALUES (2, 'Second', 20, 7, 0, 'none', 0, '', '')"
    )
    page = words_of(office.get("/desk/money/dunning"))
    assert page.count("held back: the last letter was not entered as posted yet") == 2
    told = words_of(office.get("/desk/money/dunning?queued=0&to_print=1&left=0"))
    assert "1 has to be printed, 2 held back." in told


def test_without_the_tick_all_letters_are_printed(office, organiser, overdue, smtp):
    send_letters(office, overdue)
    letters = organiser.data("/invoices/dunning/letters")
    assert [letter["delivery"] for letter in letters] == ["to_print"] * 2


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_batch_of_drafts_says_where_the_invoices_go(desk, drafts, smtp, language):
    told = words_of(send_batch(desk(language=language), drafts))
    expected = {
        "de": "1 geht per E-Mail hinaus, 1 ist zu drucken. 1 drucken",
        "en": "1 leaves by mail, 1 has to be printed. Print 1",
    }
    assert expected[language] in told


def test_a_batch_can_go_by_post(office, organiser, drafts, smtp):
    told = words_of(send_batch(office, drafts, mail="post"))
    assert "2 have to be printed. Print 2" in told
    assert {row["delivery"] for row in organiser.data("/invoices")} == {"to_print"}


@pytest.mark.parametrize(
    "fields, told, mark",
    [
        ({}, " leaves by mail.", "mail waiting"),
        ({"mail": "post"}, "It still has to be printed.", "to print"),
        ({"mail": "no"}, "It is neither mailed nor printed.", None),
    ],
)
def test_the_page_of_an_invoice_says_where_it_is(office, drafts, smtp, fields, told, mark):
    id = drafts[0]
    page = office.get(f"/desk/do/send_invoice/{id}")
    assert re.findall(r'<option value="(\w*)"', page.text) == ["", "yes", "no", "post"]
    answer = office.submit(
        page, f"/desk/do/send_invoice/{id}", {"back": f"invoices/{id}", **fields}
    )
    shown = words_of(follow(office, answer))
    assert told in shown
    assert "was sent" not in shown
    if mark:
        assert mark in shown


def test_a_mail_that_the_server_took_is_mailed_and_one_that_it_refused_is_listed(
    office, drafts, smtp, db
):
    send_batch(office, drafts[:1])
    db.connection.execute("UPDATE mails SET state = 'sent'")
    assert "mailed" in words_of(office.get(f"/desk/invoices/{drafts[0]}"))
    assert "There is nothing to print." in words_of(office.get("/desk/money/to_print"))
    db.connection.execute("UPDATE mails SET state = 'failed'")
    assert "mail failed" in words_of(office.get(f"/desk/invoices/{drafts[0]}"))
    page = words_of(office.get("/desk/money/to_print"))
    assert "Mail failed" in page and "Enter the ticked ones as posted" in page


def test_letters_and_invoices_are_printed_and_entered(office, organiser, overdue, drafts):
    """Two clicks after sending: print all, enter all."""
    pypdf = pytest.importorskip("pypdf")
    send_letters(office, overdue)
    send_batch(office, drafts)
    assert "To print (4)" in words_of(office.get("/desk/money"))
    assert 'data-figure="to_print">4<' in office.get("/desk/")
    page = office.get("/desk/money/to_print")
    shown = words_of(page)
    assert "Letters: 2, invoices and credit notes: 2" in shown
    assert "Print 4 (PDF)" in shown and "Enter 4 as posted" in shown
    assert shown.index("Aster OHG") < shown.index("Rosen KG")

    fields = dict(re.findall(r'name="(letters|invoices)" value="([\d,]+)">', page.text))
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    printed = office.get(f"/desk/money/to_print/pdf?{query}&duplex=1")
    assert printed.content_type == "application/pdf"
    pages = pypdf.PdfReader(BytesIO(printed.body)).pages
    assert len(pages) == 12, "two letters with their invoices, two invoices, each with its back"

    boxes = re.findall(
        r'type="checkbox" name="(letters|invoices)" value="(\d+)"\s+checked', page.text
    )
    assert len(boxes) == 4
    answer = office.app.post(
        "/desk/money/to_print",
        [("form_token", token(page)), ("posted_on", times.today("Europe/Berlin")), *boxes],
        headers=office.headers,
        status=303,
    )
    told = words_of(follow(office, answer))
    assert "Entered as posted: 4." in told and "There is nothing to print." in told
    assert len(organiser.data("/invoices?delivery=posted")) == 2
    assert len(organiser.data("/invoices/dunning/letters?delivery=posted")) == 2
    assert "posted on" in words_of(office.get(f"/desk/invoices/{drafts[0]}"))


def test_what_was_not_ticked_stays(office, organiser, drafts):
    send_batch(office, drafts)
    page = office.get("/desk/money/to_print")
    office.submit(page, "/desk/money/to_print", {"invoices": str(drafts[0])})
    assert [row["id"] for row in organiser.data("/invoices?delivery=to_print")] == [drafts[1]]
    refused = office.submit(office.get("/desk/money/to_print"), "/desk/money/to_print", {}, 422)
    assert "Rosen KG" in refused or "Aster OHG" in refused
    refused = office.submit(
        office.get("/desk/money/to_print"),
        "/desk/money/to_print",
        {"invoices": str(drafts[0])},
        409,
    )
    assert "fault" in refused


def test_a_letter_that_was_paid_in_the_meantime_is_not_printed(office, organiser, overdue):
    send_letters(office, overdue)
    number = organiser.data(f"/invoices/{overdue[0]}")["invoice_number"]
    organiser.make("/payments", {"invoice_number": number, "amount": 119})
    page = words_of(office.get("/desk/money/to_print"))
    assert number not in page and "Print 1 (PDF)" in page


def test_who_may_only_read_prints_and_enters_nothing(desk, office, drafts):
    send_batch(office, drafts)
    reader = desk("invoices:read")
    page = reader.get("/desk/money/to_print")
    assert "Print 2 (PDF)" in words_of(page) and "Enter 2" not in words_of(page)
    reader.get(f"/desk/money/to_print/pdf?invoices={drafts[0]}")
    reader.submit(page, "/desk/money/to_print", {"invoices": str(drafts[0])}, 403)


def test_beyond_200_documents_the_page_has_the_first_ones(office, drafts, db, monkeypatch):
    monkeypatch.setattr(to_print, "MOST", 1)
    send_batch(office, drafts)
    page = words_of(office.get("/desk/money/to_print"))
    assert "These are the first 1 of 2." in page and "Print 1 (PDF)" in page
