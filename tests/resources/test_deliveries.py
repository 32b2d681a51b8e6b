"""How invoices, credit notes and dunning letters reach their customers: by mail, or printed and posted."""

import importlib.util
import json
import tracemalloc
from io import BytesIO
from itertools import count

import pytest

from eventapi import times, working_days
from eventapi.domain.billing import pdf
from eventapi.domain.dunning import sending
from eventapi.domain.mail import queue
from eventapi.domain.receivables import printing

STAND = {"description": "Row stand", "quantity": 1, "unit_price": 1000, "tax_rate": 19}
TODAY = times.today("Europe/Berlin")


@pytest.fixture(autouse=True)
def no_weekends(monkeypatch):
    """Let every day be a working day, so that the tests do not depend on today."""
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)


@pytest.fixture
def smtp(app, db):
    """Let the server send mails. No worker runs: a test says what becomes of each mail."""
    for settings in (app.app.settings, db.config):
        settings.smtp_host = "mail.example.org"
        settings.smtp_sender = "books@messe.test"


@pytest.fixture
def customer(organiser):
    """Return a function that makes a customer, by default with an e-mail address."""

    def make(name="Rosen KG", **fields):
        values = {
            "company_name": name,
            "address": "Weg 1",
            "postal_code": "04109",
            "city": "Leipzig",
        }
        address = {"email": f"info@{name.split()[0].lower()}.example"}
        return organiser.make("/contacts", {**values, "country": "DE", **address, **fields})

    return make


@pytest.fixture
def sent(organiser):
    """Return a function that sends an invoice to a customer, and returns it."""

    def make(contact, **body):
        draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
        return organiser.post(f"/invoices/{draft['id']}/send", body, status=200).json["data"]

    return make


@pytest.fixture
def overdue(organiser):
    """Return a function that sends an invoice that was due 60 days ago, from another system."""
    numbers = count(1)

    def make(contact):
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": contact["id"],
                "items": [STAND],
                "invoice_number": f"OLD-{next(numbers)}",
                "issue_date": times.add_days(TODAY, -90),
                "due_date": times.add_days(TODAY, -60),
            },
        )
        return organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]

    return make


@pytest.fixture
def levels(organiser):
    for name, days in (("Reminder", 7), ("First notice", 21)):
        organiser.make(
            "/invoices/dunning-levels", {"name": name, "days": days, "deadline_days": 7, "fee": 5}
        )


def send_letters(organiser, **body):
    return organiser.post("/invoices/dunning/send", body, status=200).json["data"]


def letters(organiser, query=""):
    return organiser.data(f"/invoices/dunning/letters{query}")


def delivery(organiser, invoice):
    return organiser.data(f"/invoices/{invoice['id']}")["delivery"]


def pass_deadline(db):
    db.connection.execute("UPDATE invoices SET dunning_deadline = '2020-01-01'")


def mails_become(db, state):
    db.connection.execute("UPDATE mails SET state = ?", (state,))


# Invoices


@pytest.mark.parametrize(
    "mail, has_server, has_address, expected",
    [
        (None, True, True, "queued"),
        (True, True, True, "queued"),
        (None, True, False, "to_print"),
        (None, False, True, "to_print"),
        ("post", True, True, "to_print"),
        ("post", False, False, "to_print"),
        (False, True, True, "none"),
    ],
)
def test_an_invoice_goes_by_mail_or_by_post(
    organiser, customer, sent, db, request, mail, has_server, has_address, expected
):
    if has_server:
        request.getfixturevalue("smtp")
    contact = customer() if has_address else customer(email=None)
    invoice = sent(contact, mail=mail)
    assert invoice["delivery"] == expected
    assert invoice == organiser.data(f"/invoices/{invoice['id']}")
    [data] = db.connection.execute("SELECT data FROM outgoing_events WHERE name = 'invoice.sent'")
    assert json.loads(data[0])["delivery"] == expected


def test_other_words_than_post_are_refused(organiser, customer, sent):
    draft = organiser.make("/invoices", {"contact_id": customer()["id"], "items": [STAND]})
    [fault] = organiser.post(f"/invoices/{draft['id']}/send", {"mail": "fax"}, status=422).json[
        "errors"
    ]
    assert (fault["pointer"], fault["code"]) == ("/mail", "pattern")
    assert fault["detail"].startswith("must be true, false or `post`")
    assert delivery(organiser, draft) == "none"


def test_a_credit_note_and_a_cancellation_can_be_posted(organiser, customer, sent, smtp):
    first, second = (sent(customer(name)) for name in ("Rosen KG", "Tulpen GmbH"))
    note = organiser.post(
        f"/invoices/{first['id']}/credit", {"items": [STAND], "mail": "post"}, status=201
    ).json["data"]
    assert note["delivery"] == "to_print"
    cancelled = organiser.post(
        f"/invoices/{second['id']}/cancel", {"mail": "post"}, status=200
    ).json["data"]
    assert delivery(organiser, {"id": cancelled["related_invoice_id"]}) == "to_print"
    assert cancelled["delivery"] == "queued", "that is the mail of the invoice itself"


@pytest.mark.parametrize(
    "state, expected",
    [
        ("queued", "queued"),
        ("sending", "queued"),
        ("sent", "mailed"),
        ("failed", "failed"),
        ("uncertain", "failed"),
    ],
)
def test_the_delivery_follows_the_mail_also_once_it_is_forgotten(
    organiser, customer, sent, overdue, levels, smtp, db, state, expected
):
    invoice, other = sent(customer()), overdue(customer("Tulpen GmbH"))
    send_letters(organiser)
    mails_become(db, state)
    shown = [invoice["id"]], [other["id"]]
    found = (
        [row["id"] for row in organiser.data(f"/invoices?delivery={expected}")],
        [row["invoice_id"] for row in letters(organiser, f"?delivery={expected}")],
    )
    assert found == shown
    assert (delivery(organiser, invoice), letters(organiser)[0]["delivery"]) == (expected,) * 2
    if state in ("sent", "failed", "uncertain"):
        db.connection.execute("UPDATE mails SET updated_at = '2020-01-01T00:00:00Z'")
        assert queue.delete_old(db, 100) == 2
        assert [row["id"] for row in organiser.data(f"/invoices?delivery={expected}")] == shown[0]
        assert [row["invoice_id"] for row in letters(organiser, f"?delivery={expected}")] == shown[
            1
        ]
        [letter] = letters(organiser)
        assert (letter["delivery"], letter["mail"]) == (
            expected,
            "sent" if state == "sent" else "failed",
        )


def test_the_latest_mail_counts(organiser, customer, sent, smtp, db):
    invoice = sent(customer(), mail="post")
    mailed = organiser.post(f"/invoices/{invoice['id']}/mail", {}, status=202).json["data"]
    assert mailed["delivery"] == "queued"
    mails_become(db, "failed")
    assert delivery(organiser, invoice) == "failed"
    organiser.post(f"/invoices/{invoice['id']}/mail", {"to": "b@rosen.example"}, status=202)
    assert delivery(organiser, invoice) == "queued"
    db.connection.execute("UPDATE mails SET state = 'sent' WHERE state = 'queued'")
    assert delivery(organiser, invoice) == "mailed"


def test_a_reminder_is_not_the_invoice(organiser, customer, overdue, smtp):
    invoice = overdue(customer())
    organiser.post(f"/invoices/{invoice['id']}/remind", {"mail": True}, status=200)
    assert delivery(organiser, invoice) == "none"


def test_every_invoice_has_one_delivery_and_its_filter_finds_it(
    organiser, customer, sent, smtp, db
):
    contact = customer()
    by_hand, queued, mailed, failed, forgotten = (
        sent(contact, mail=mail) for mail in (False, True, True, True, True)
    )
    to_print, posted = sent(contact, mail="post"), sent(contact, mail="post")
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    for state, invoice in (("sent", mailed), ("uncertain", failed), ("failed", forgotten)):
        db.connection.execute(
            "UPDATE mails SET state = ? WHERE entity_id = ?", (state, invoice["id"])
        )
    db.connection.execute("DELETE FROM mails WHERE entity_id = ?", (forgotten["id"],))
    organiser.post("/invoices/posted", {"invoice_ids": [posted["id"]]}, status=200)
    found = {
        word: {row["id"] for row in organiser.data(f"/invoices?delivery={word}")}
        for word in ("none", "queued", "mailed", "failed", "to_print", "posted")
    }
    assert found == {
        "none": {by_hand["id"], draft["id"]},
        "queued": {queued["id"]},
        "mailed": {mailed["id"]},
        "failed": {failed["id"], forgotten["id"]},
        "to_print": {to_print["id"]},
        "posted": {posted["id"]},
    }
    for word, ids in found.items():
        assert all(delivery(organiser, {"id": id}) == word for id in ids)


# Letters


def test_the_counts_say_where_the_letters_go(organiser, customer, overdue, levels, smtp):
    overdue(customer())
    overdue(customer("Tulpen GmbH", email=None))
    disputed = overdue(customer("Nelken AG"))
    organiser.post(f"/invoices/{disputed['id']}/dispute", {"reason": "No power"}, status=200)
    expected = {"queued": 1, "to_print": 1, "none": 0, "held_back": 1}
    trial = send_letters(organiser, dry_run=True)
    assert trial["counts"] == expected
    assert [letter["delivery"] for letter in trial["sent"]] == ["queued", "to_print"]
    done = send_letters(organiser)
    assert done["counts"] == expected
    assert [letter["delivery"] for letter in done["sent"]] == ["queued", "to_print"]


@pytest.mark.parametrize("mail, expected", [("post", "to_print"), (False, "none")])
def test_all_letters_can_be_printed_or_left_to_the_caller(
    organiser, customer, overdue, levels, smtp, db, mail, expected
):
    overdue(customer())
    done = send_letters(organiser, mail=mail)
    assert done["counts"] == {"queued": 0, "to_print": 0, "none": 0, "held_back": 0, expected: 1}
    assert letters(organiser)[0]["delivery"] == expected
    assert db.connection.execute("SELECT count(*) FROM mails").fetchone()[0] == 0


def test_what_is_held_back_is_counted_beyond_what_is_named(
    organiser, customer, overdue, levels, monkeypatch
):
    for name in "ABC":
        invoice = overdue(customer(name))
        organiser.post(f"/invoices/{invoice['id']}/dispute", {"reason": "No power"}, status=200)
    monkeypatch.setattr(sending, "MOST", 2)
    done = send_letters(organiser)
    assert len(done["skipped"]) == 2 and done["counts"]["held_back"] == 3


def test_the_next_level_waits_until_the_letter_was_posted(organiser, customer, overdue, levels, db):
    invoice = overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    pass_deadline(db)
    [due] = organiser.data("/invoices/dunning")
    assert due["held_back"] == "not_posted"
    assert organiser.data("/invoices/dunning?held_back=0") == []
    assert len(organiser.data("/invoices/dunning?held_back=1")) == 1
    assert send_letters(organiser)["skipped"] == [
        {"invoice_id": invoice["id"], "invoice_number": "OLD-1", "reason": "not_posted"}
    ]
    organiser.post("/invoices/posted", {"letter_ids": [letter["id"]]}, status=200)
    [second] = send_letters(organiser)["sent"]
    assert second["level"] == 2


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_the_next_level_waits_if_the_mail_has_failed(
    organiser, customer, overdue, levels, smtp, db, is_forgotten
):
    overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    pass_deadline(db)
    assert [row["held_back"] for row in organiser.data("/invoices/dunning")] == [None]
    mails_become(db, "failed")
    if is_forgotten:
        db.connection.execute("DELETE FROM mails")
    assert [row["held_back"] for row in organiser.data("/invoices/dunning")] == ["mail_failed"]
    assert send_letters(organiser)["counts"]["held_back"] == 1
    organiser.post("/invoices/posted", {"letter_ids": [letter["id"]]}, status=200)
    assert [row["level"] for row in send_letters(organiser)["sent"]] == [2]


def test_a_withdrawn_letter_is_not_printed_and_holds_nothing_back(
    organiser, customer, overdue, levels
):
    invoice = overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    address = f"/invoices/{invoice['id']}/dunning/{letter['id']}/withdraw"
    organiser.post(address, {"reason": "Paid in cash"}, status=200)
    assert letters(organiser, "?delivery=to_print") == []
    assert [row["delivery"] for row in letters(organiser)] == ["none"]
    assert [row["held_back"] for row in organiser.data("/invoices/dunning")] == [None]
    body = {"letter_ids": [letter["id"]]}
    assert organiser.post("/invoices/posted", body, status=409).json["state"] == "none"


def test_a_letter_that_was_delivered_stays_so_when_it_is_withdrawn(
    organiser, customer, overdue, levels
):
    invoice = overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    organiser.post("/invoices/posted", {"letter_ids": [letter["id"]]}, status=200)
    address = f"/invoices/{invoice['id']}/dunning/{letter['id']}/withdraw"
    organiser.post(address, {"reason": "Paid in cash"}, status=200)
    assert [row["delivery"] for row in letters(organiser)] == ["posted"]


def test_the_list_of_letters_says_whose_they_are(organiser, customer, overdue, levels):
    invoice = overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    [row] = letters(organiser)
    assert {name: row[name] for name in letter} == letter
    assert (row["invoice_number"], row["buyer_name"], row["customer_number"]) == (
        "OLD-1",
        "Rosen KG",
        "C-00001",
    )
    assert letters(organiser, "?customer_number=C-00001") == [row]
    assert letters(organiser, "?open=1&delivery=to_print") == [row]
    body = {"invoice_number": "OLD-1", "amount": 1190}
    organiser.make("/payments", body)
    assert letters(organiser, "?open=1") == []
    assert delivery(organiser, invoice) == "none"  # the other system has sent it


def test_letters_of_an_earlier_version_hold_nothing_back(organiser, customer, overdue, levels, db):
    overdue(customer())
    send_letters(organiser)
    db.connection.execute("UPDATE dunnings SET for_post = NULL")  # as the migration leaves them
    pass_deadline(db)
    assert [row["delivery"] for row in letters(organiser)] == ["none"]
    assert [row["level"] for row in send_letters(organiser)["sent"]] == [2]


# Posted


@pytest.fixture
def to_post(organiser, customer, sent, overdue, levels):
    """Return (a letter, an invoice), both to be printed."""
    overdue(customer("Tulpen GmbH"))
    [letter] = send_letters(organiser)["sent"]
    return letter, sent(customer(), mail="post")


def test_letters_and_invoices_are_posted_together(organiser, to_post):
    letter, invoice = to_post
    body = {"letter_ids": [letter["id"]], "invoice_ids": [invoice["id"]]}
    done = organiser.post("/invoices/posted", body, status=200).json["data"]
    assert done == {**body, "posted_on": TODAY}
    now = organiser.data(f"/invoices/{invoice['id']}")
    assert (now["delivery"], now["posted_on"]) == ("posted", TODAY)
    [row] = letters(organiser)
    assert (row["delivery"], row["posted_on"]) == ("posted", TODAY)
    [entry] = organiser.data("/audit-log?action=posted")
    assert (entry["entity_id"], entry["new_values"]["delivery"]) == (invoice["id"], "posted")
    [entry] = organiser.data("/audit-log?action=letter_posted")
    assert entry["entity_id"] == letter["invoice_id"] and entry["admin_name"] == "Ada Lovelace"
    assert entry["new_values"] == {"dunning_id": letter["id"], "level": 1, "posted_on": TODAY}


def test_posting_is_all_or_nothing(organiser, to_post, customer, sent):
    letter, invoice = to_post
    by_hand = sent(customer("Nelken AG"), mail=False)
    body = {"letter_ids": [letter["id"]], "invoice_ids": [invoice["id"], by_hand["id"]]}
    refused = organiser.post("/invoices/posted", body, status=409).json
    assert (refused["code"], refused["state"]) == ("invalid_transition", "none")
    assert refused["allowed_from"] == ["to_print", "failed"]
    assert f"{by_hand['invoice_number']} is none" in refused["detail"]
    assert delivery(organiser, invoice) == "to_print"
    assert letters(organiser)[0]["delivery"] == "to_print"
    body["invoice_ids"] = [invoice["id"]]
    organiser.post("/invoices/posted", body, status=200)
    again = organiser.post("/invoices/posted", body, status=409).json
    assert again["state"] == "posted"


@pytest.mark.parametrize(
    "change, pointer, code",
    [
        ({"posted_on": times.add_days(TODAY, 1)}, "/posted_on", "future"),
        ({"posted_on": times.add_days(TODAY, -1)}, "/posted_on", "before_issue"),
        ({"letter_ids": [1, 77]}, "/letter_ids/1", "unknown"),
        ({"invoice_ids": [78]}, "/invoice_ids/0", "unknown"),
        ({"letter_ids": None, "invoice_ids": []}, "/letter_ids", "required"),
    ],
)
def test_what_cannot_have_been_posted_is_refused(organiser, to_post, change, pointer, code):
    letter, invoice = to_post
    body = {"letter_ids": [letter["id"]], "invoice_ids": [invoice["id"]], **change}
    [fault] = organiser.post("/invoices/posted", body, status=422).json["errors"]
    assert (fault["pointer"], fault["code"]) == (pointer, code)
    assert letters(organiser)[0]["delivery"] == "to_print"


def test_an_erased_customer_leaves_nothing_that_cannot_be_printed(
    organiser, customer, sent, smtp, db
):
    """The mails of an erased person are deleted. The documents stay until their retention ends."""
    contact = customer()
    mailed, queued = sent(contact), sent(contact)
    db.connection.execute("UPDATE mails SET state = 'sent' WHERE entity_id = ?", (mailed["id"],))
    organiser.post(f"/contacts/{contact['id']}/anonymize", {"force": True}, status=200)
    assert delivery(organiser, mailed) == "mailed"
    assert delivery(organiser, queued) == "failed"
    assert organiser.get(f"/invoices/print?invoices={queued['id']}", status=200)


# Printing


def pages(body):
    """Return the text of each page."""
    pypdf = pytest.importorskip("pypdf")
    return [page.extract_text() for page in pypdf.PdfReader(BytesIO(body)).pages]


def test_one_pdf_has_all_by_the_name_of_the_customer(organiser, customer, sent, overdue, levels):
    zander, aehre = customer("Zander GmbH"), customer("Ähre KG")
    late = overdue(zander)
    [letter] = send_letters(organiser)["sent"]
    second, first = sent(zander, mail="post"), sent(aehre, mail="post")
    ids = f"letters={letter['id']}&invoices={second['id']},{first['id']}"
    response = organiser.get(f"/invoices/print?{ids}", status=200)
    assert response.content_type == "application/pdf"
    found = pages(response.body)
    assert len(found) == 4
    assert first["invoice_number"] in found[0]
    assert letter["title"] in found[1] and "OLD-1" in found[1]
    assert late["invoice_number"] in found[2] and letter["title"] not in found[2]
    assert second["invoice_number"] in found[3]


def test_for_duplex_each_document_begins_on_a_sheet_of_its_own(
    organiser, customer, sent, overdue, levels
):
    overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    found = pages(
        organiser.get(f"/invoices/print?letters={letter['id']}&duplex=1", status=200).body
    )
    assert [bool(text.strip()) for text in found] == [True, False, True, False]


def test_the_printed_invoice_is_the_one_that_was_stored(organiser, customer, sent, db):
    invoice = sent(customer(), mail="post")
    drawn = pages(organiser.get(f"/invoices/print?invoices={invoice['id']}", status=200).body)
    pdf.store(db, invoice["id"])
    stored = organiser.get(f"/invoices/{invoice['id']}/pdf", status=200).body
    assert pages(stored) == drawn
    assert (
        pages(organiser.get(f"/invoices/print?invoices={invoice['id']}", status=200).body) == drawn
    )


def test_many_documents_are_printed_in_bounded_memory(organiser, customer, overdue, levels):
    """200 letters and their invoices, each of which is kept apart in the file."""
    overdue(customer())
    [letter] = send_letters(organiser)["sent"]
    address = f"/invoices/{letter['invoice_id']}"
    both = [
        organiser.get(f"{address}{path}", status=200).body
        for path in (f"/dunning/{letter['id']}/pdf", "/pdf")
    ]
    tracemalloc.start()
    try:
        joined = printing._joined((pdf for _ in range(200) for pdf in both), is_duplex=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(joined) > 150 * sum(map(len, both)), "the documents share nothing"
    assert peak < 160_000_000


def test_what_cannot_be_printed_is_refused(organiser, customer, sent, monkeypatch):
    contact = customer()
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    refused = organiser.get(f"/invoices/print?invoices={draft['id']}", status=409).json
    assert (refused["code"], refused["state"]) == ("invalid_transition", "draft")
    organiser.get("/invoices/print", status=422)
    organiser.get("/invoices/print?invoices=99", status=404)
    organiser.get("/invoices/print?letters=99", status=404)
    many = ",".join(str(number) for number in range(1, 151))
    too_many = organiser.get(f"/invoices/print?letters={many}&invoices={many}", status=422).json
    assert too_many["errors"][0]["code"] == "max_items"
    assert "name 300" in too_many["errors"][0]["detail"]

    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "eventapi.domain.receivables.printing.find_spec",
        lambda name: None if name == "pypdf" else find_spec(name),
    )
    organiser.get(f"/invoices/print?invoices={sent(contact)['id']}", status=501)


def test_reading_is_enough_to_print_and_not_to_post(organiser, person, to_post):
    letter, _ = to_post
    reader = person("invoices:read")
    reader.get(f"/invoices/print?letters={letter['id']}", status=200)
    reader.get("/invoices/dunning/letters", status=200)
    reader.post("/invoices/posted", {"letter_ids": [letter["id"]]}, status=403)
