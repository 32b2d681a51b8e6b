"""The applicant's page: state, question and answer, files, withdrawal; and the mails that lead
there.
"""

import re
from decimal import Decimal

import pytest

from eventapi.pages.applicant import routes
from eventapi.worker.mail import message as mail_message
from tests.pages.conftest import Visitor

PDF = b"%PDF-1.7\n1 0 obj\nendobj\n"


@pytest.fixture
def application(organiser, show):
    return organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "company_name": "Rosen <b>KG",
            "first_name": "Ada",
            "last_name": "Tantau",
            "email": "ada@rosen.example",
            "city": "Uetersen",
            "notes": "SECRET notes",
            "rating": 1,
            "language": "en",
        },
    )


@pytest.fixture
def address(application):
    return f"/applications/{application['id']}"


@pytest.fixture
def applicant(open_link, application, show):
    """Return (path of the page, Visitor)."""
    link, visitor, _ = open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=application["id"],
        email="ada@rosen.example",
        language="en",
    )
    return f"/apply/{link['ref']}", visitor


@pytest.fixture
def mailed(open_link, application, show, settings):
    """Return (path of the page, Visitor) as the link in a mail to the applicant opens it."""
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://events.example.org"
    link, visitor, _ = open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=application["id"],
        email="ada@rosen.example",
        language="en",
        way="mailed",
    )
    return f"/apply/{link['ref']}", visitor


def mails(db, kind="application_decision"):
    """Build the mails of a kind that are queued. Return their texts."""
    cursor = db.connection.execute("SELECT * FROM mails WHERE kind = ? ORDER BY id", (kind,))
    names = [column[0] for column in cursor.description]
    return [
        mail_message.build(db, dict(zip(names, row, strict=True)))[1]
        .decode()
        .replace("=\r\n", "")
        .replace("=3D", "=")
        for row in cursor.fetchall()
    ]


def take_files(organiser, show, **changed):
    """Let applicants add files by the rules of a submission type."""
    organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "key": "brochure",
            "title": "Brochure",
            "input": "file",
            "allowed_extensions": ["pdf", "png"],
            "max_size_mb": 1,
            **changed,
        },
    )
    organiser.patch(
        f"/events/{show['event']['id']}/pages", {"apply_file_type": "brochure"}, status=200
    )


def test_the_page_shows_what_was_sent_and_nothing_of_the_office(applicant, organiser):
    path, visitor = applicant
    page = visitor.get(path)
    assert (
        "Your application has arrived" in page.text
        and "Rosen &lt;b&gt;KG" in page.text
        and "Germany" in page.text
    )
    assert "SECRET" not in page.text and "<b>KG" not in page.text
    assert page.headers["Cache-Control"] == "no-store" and page.headers["X-Robots-Tag"] == "noindex"


def test_what_was_sent_is_written_in_the_language_of_the_page():
    shown = routes.shown("de")
    assert shown("requested_area", Decimal("4.0")) == "4"
    assert shown("requested_area", Decimal("12.5")) == "12,5"
    assert shown("country", "AT") == "Österreich"


@pytest.mark.parametrize(
    ("action", "body", "sentence"),
    [
        ("review", {}, "We are looking at your application"),
        ("waitlist", {}, "You are on the waiting list"),
        ("reject", {"reason": "The hall is full."}, "The hall is full."),
        ("approve", {}, "Your application was accepted"),
        ("withdraw", {}, "You have withdrawn your application"),
    ],
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_each_state_has_its_words(applicant, organiser, address, action, body, sentence, language):
    path, visitor = applicant
    organiser.post(f"{address}/{action}", body, status=200)
    page = visitor.get(f"{path}?language={language}").text
    assert (sentence in page) == (language == "en" or action == "reject")
    assert ("Withdraw for good" in page or "Endgültig zurückziehen" in page) == (
        action in ("review", "waitlist")
    )


def test_a_question_is_answered_once_and_the_office_sees_it(applicant, organiser, address):
    path, visitor = applicant
    organiser.post(f"{address}/review", status=200)
    organiser.post(f"{address}/request-info", {"question": "How high is your booth?"}, status=200)
    page = visitor.get(path)
    assert "How high is your booth?" in page.text
    refused = visitor.submit(page, f"{path}/answer", {"answer": "  "}, status=422)
    assert 'id="e-answer"' in refused.text
    answer = visitor.submit(page, f"{path}/answer", {"answer": "Three metres."})
    assert answer.headers["Location"].endswith(f"{path}/?done=answered")
    again = visitor.submit(page, f"{path}/answer", {"answer": "Three metres."})  # pressed twice
    assert again.headers["Location"] == answer.headers["Location"]
    page = visitor.get(f"{path}?done=answered")
    assert (
        "We have your answer" in page.text
        and "Three metres." in page.text
        and 'name="answer"' not in page.text
    )
    application = organiser.data(address)
    assert (application["status"], application["answer"]) == ("in_review", "Three metres.")
    assert application["answered_at"]
    late = visitor.submit(page, f"{path}/answer", {"answer": "Four."}, status=409)
    assert (
        "not possible any more" in late.text
        and organiser.data(address)["answer"] == "Three metres."
    )


def test_an_application_is_withdrawn(applicant, organiser, address):
    path, visitor = applicant
    page = visitor.get(path)
    visitor.submit(page, f"{path}/withdraw")
    assert organiser.data(address)["status"] == "withdrawn"
    entry = organiser.data("/audit-log?entity_type=application")[0]
    assert (entry["action"], entry["admin_id"]) == ("withdrawn", None)


def test_a_decided_application_is_not_withdrawn(applicant, organiser, address):
    path, visitor = applicant
    page = visitor.get(path)
    organiser.post(f"{address}/approve", {}, status=200)
    assert "not possible any more" in visitor.submit(page, f"{path}/withdraw", status=409).text
    assert organiser.data(address)["status"] == "approved"


def test_files_are_added_by_the_rules_of_their_type(applicant, organiser, show, address):
    path, visitor = applicant
    assert "Your files" not in visitor.get(path).text
    visitor.submit(visitor.get(path), f"{path}/files", status=404, upload=("a.pdf", PDF))
    take_files(organiser, show)
    page = visitor.get(path)
    assert "pdf, png" in page.text
    for name, data, sentence in (
        ("a.exe", PDF, "not taken"),
        ("a.pdf", b"MZ\x90\0", "does not fit its extension"),
        ("a.pdf", PDF + b" " * 1_100_000, "too large"),
        ("", b"", "choose a file"),
    ):
        refused = visitor.submit(
            visitor.get(path), f"{path}/files", status=422, upload=(name, data)
        )
        assert sentence in refused.text, name
    for number in range(5):
        visitor.submit(
            visitor.get(path), f"{path}/files", upload=(f"..\\brochure\u202e {number}.pdf", PDF)
        )
    page = visitor.get(path)
    assert page.text.count("<span>brochure_ ") == 5 and 'type="file"' not in page.text
    assert (
        "five files already"
        in visitor.submit(page, f"{path}/files", status=422, upload=("6.pdf", PDF)).text
    )
    found = organiser.data(
        f"/documents?entity_type=application&entity_id={address.rpartition('/')[2]}"
    )
    assert len(found) == 5 and {row["content_type"] for row in found} == {"application/pdf"}
    organiser.make(
        "/documents",
        {
            "entity_type": "application",
            "entity_id": int(address.rpartition("/")[2]),
            "filename": "SECRET.pdf",
        },
    )
    assert "SECRET" not in visitor.get(path).text


def test_files_are_erased_with_the_applicant(applicant, organiser, show, address):
    path, visitor = applicant
    take_files(organiser, show)
    visitor.submit(visitor.get(path), f"{path}/files", upload=("a.pdf", PDF))
    organiser.post(f"{address}/approve", {}, status=200)
    contact = organiser.data(address)["contact_id"]
    organiser.post(f"/contacts/{contact}/anonymize", {}, status=200)
    assert organiser.data("/documents?entity_type=application") == []


def test_a_stranger_and_another_applicant_see_nothing(applicant, organiser, open_link, show, app):
    path, _ = applicant
    other = organiser.make("/applications", {"event_keys": ["fair"], "company_name": "Farn"})
    _, visitor, _ = open_link(
        "application", event_id=show["event"]["id"], application_id=other["id"]
    )
    for somebody in (visitor, Visitor(app)):
        assert "Rosen" not in somebody.get(path, 403).text
        for action in ("answer", "withdraw"):
            somebody.post(f"{path}/{action}", {"answer": "x", "form_token": "x"}, 403)


# Mails of decisions


@pytest.mark.parametrize(
    ("action", "body", "sentence"),
    [
        ("approve", {}, "We have accepted your application for Garden Fair"),
        ("reject", {"reason": "The hall is full."}, "The hall is full."),
        ("waitlist", {}, "on the waiting list"),
        ("request-info", {"question": "How high?"}, "How high?"),
    ],
)
def test_decisions_are_mailed_with_the_way_to_the_page(
    organiser, address, db, app, action, body, sentence
):
    organiser.post(f"{address}/review", status=200)
    answer = organiser.post(f"{address}/{action}", {**body, "mail": True}, status=200).json
    assert answer["meta"]["mail"] == {"status": "queued"}
    (mail,) = mails(db)
    assert sentence in mail and "Dear Ada Tantau," in mail and "Garden GmbH" in mail
    visitor = Visitor(app)
    answer = visitor.post(re.search(r"/link/evl_[\w-]{32}", mail)[0])
    assert "Rosen" in visitor.get("/" + answer.headers["Location"].lstrip("./")).text
    again = organiser.post(f"{address}/{action}", {**body, "mail": True}, status=200).json
    assert (
        again["meta"]["mail"] == {"status": "skipped", "reason": "already_done"}
        and len(mails(db)) == 1
    )


def test_without_mail_nothing_is_mailed(organiser, address, db):
    assert "mail" not in organiser.post(f"{address}/waitlist", {}, status=200).json["meta"]
    assert mails(db) == []


def test_of_two_decisions_the_last_one_is_mailed_in_the_language_of_the_applicant(
    organiser, address, db, show
):
    organiser.patch(address, {"language": "de"}, status=200)
    organiser.patch(
        f"/events/{show['event']['id']}/pages",
        {"mail_texts": {"application_approved": {"de": "Willkommen im Garten.", "en": "Welcome."}}},
        status=200,
    )
    organiser.post(f"{address}/waitlist", {"mail": True}, status=200)
    organiser.post(f"{address}/approve", {"mail": True}, status=200)
    (mail,) = mails(db)
    assert (
        "Willkommen im Garten." in mail
        and "Guten Tag Ada Tantau," in mail
        and "Content-Language: de" in mail
    )


def test_an_application_without_an_address_or_a_server_without_mail(
    organiser, address, settings, monkeypatch
):
    organiser.patch(address, {"email": None}, status=200)
    answer = organiser.post(f"{address}/waitlist", {"mail": True}, status=200).json
    assert answer["meta"]["mail"] == {"status": "skipped", "reason": "no_address"}
    monkeypatch.setattr(settings, "smtp_host", "")
    refused = organiser.post(f"{address}/approve", {"mail": True}, status=409).json
    assert (
        refused["code"] == "mail_not_configured"
        and organiser.data(address)["status"] == "waitlisted"
    )


def test_a_decision_without_public_pages_is_mailed_without_a_link(organiser, address, db, show):
    organiser.patch(
        f"/events/{show['event']['id']}/pages",
        {"is_public": False, "apply_is_open": False},
        status=200,
    )
    organiser.post(f"{address}/review", status=200)
    organiser.post(f"{address}/request-info", {"question": "How high?", "mail": True}, status=200)
    (mail,) = mails(db)
    assert "/link/" not in mail and "Please send your answer to office@example.org." in mail


def test_a_name_that_looks_like_an_address_is_not_in_the_greeting(organiser, address, db):
    organiser.patch(address, {"first_name": "evil.example"}, status=200)
    organiser.post(f"{address}/waitlist", {"mail": True}, status=200)
    assert "evil.example" not in mails(db)[0]


# The way to the exhibitor's own page


def test_an_approved_applicant_goes_on_to_the_own_page(mailed, organiser, address, show, db):
    path, visitor = mailed
    pages = f"/events/{show['event']['id']}/pages"
    organiser.post(f"{address}/approve", {"confirm": True}, status=200)
    page = visitor.get(path)
    assert "exhibitor page" not in page.text
    visitor.submit(page, f"{path}/my", status=404)
    organiser.patch(pages, {"my_is_open": True, "my_rights": ["profile"]}, status=200)
    page = visitor.get(path)
    assert "Open your exhibitor page" in page.text
    # pressed twice
    places = {visitor.submit(page, f"{path}/my").headers["Location"] for _ in range(2)}
    (place,) = places
    assert "/my/" in place
    assert "Rosen" in visitor.get("/my/" + place.rpartition("/my/")[2]).text
    rows = db.connection.execute(
        "SELECT rights, email FROM links WHERE kind = 'participant'"
    ).fetchall()
    assert rows == [('["profile"]', "ada@rosen.example")] and len(mails(db, "link")) == 1


def test_a_message_beside_the_size_of_a_booth_is_the_wish_for_a_place():
    sent = [("message", "at the entrance"), ("booth_type", "Row 3 × 2")]
    assert routes.label_of(sent)("message") == "field_wish"
    assert routes.label_of(sent)("booth_type") == "field_booth_type"
    assert routes.label_of(sent[:1])("message") == "field_message"
