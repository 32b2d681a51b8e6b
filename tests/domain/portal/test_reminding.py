"""Mails about what is left to do: what they contain, who gets one, and how often."""

from email import message_from_bytes, policy

import pytest

from eventapi.domain.mail.contents import Gone
from eventapi.worker.mail import message as mail_message

pytestmark = pytest.mark.usefixtures("mail")


@pytest.fixture
def link(portal):
    portal.change(my_is_open=True)
    return made(portal)


def made(portal, participant=None, **fields):
    return portal.organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": (participant or portal.participant)["id"],
            "name": "Anna",
            "email": "anna@example.org",
            "language": "en",
            **fields,
        },
    )


def mails(db):
    """Return the queued mails, without the notices of further links, which the tests make."""
    cursor = db.connection.execute("SELECT * FROM mails WHERE kind <> 'link_notice' ORDER BY id")
    return [
        dict(zip([column[0] for column in cursor.description], row, strict=True))
        for row in cursor.fetchall()
    ]


def text_of(db, row):
    """Return the text of a mail as the worker writes it now."""
    message = message_from_bytes(mail_message.build(db, row)[1], policy=policy.default)
    return message.get_body(("plain",)).get_content().replace("\r\n", "\n")


def test_the_mail_with_a_link_calls_the_event_what_it_is(portal, db, link):
    portal.organiser.patch(f"/events/{portal.event['id']}", {"event_word": "market"}, status=200)
    portal.organiser.post(f"/links/{link['id']}/mail", status=202)
    (row,) = mails(db)
    english, german = (text_of(db, {**row, "language": language}) for language in ("en", "de"))
    assert "With this link you open your page for the market:" in english
    assert "mit diesem Link öffnen Sie Ihre Seite zum Markt:" in german


def test_the_preview_is_what_the_mail_says(portal, db, link):
    portal.organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Logo",
            "input": "text",
            "key": "logo",
            "is_required": True,
            "due": "2020-01-02",
        },
    )
    shown = portal.organiser.data(f"/links/{link['id']}/reminder")
    title = portal.event["title"]
    assert (shown["email"], shown["subject"]) == (
        "anna@example.org",
        f"What is left to do for {title}",
    )
    assert [(todo["kind"], todo["state"]) for todo in shown["todos"]] == [
        ("submissions", "late"),
        ("booth", "open"),
        ("profile", "open"),
        ("badges", "open"),
    ]
    assert shown["text"].startswith(
        f"On your page for {title}, this is left to do:\n\n"
        "- Hand in: Logo (was due on 2 January 2020)\n- Choose a booth\n"
    )
    answer = portal.organiser.post(f"/links/{link['id']}/remind", status=202).json["data"]
    assert answer["mailed_at"]
    (row,) = mails(db)
    assert (row["kind"], row["recipient"], row["subject"]) == (
        "todos",
        "anna@example.org",
        shown["subject"],
    )
    text = text_of(db, row)
    assert text.startswith("Dear Anna") and shown["text"] in text
    assert "https://show.example.org/link/evl_" in text


def test_the_office_writes_its_own_text_in_the_language_of_the_link(portal, db, link):
    portal.change(mail_texts={"todos": {"de": "Bald ist es soweit."}})
    german = made(portal, email="bela@example.org", language="de")
    portal.organiser.post(f"/links/{german['id']}/remind", status=202)
    text = text_of(db, mails(db)[-1])
    assert "Bald ist es soweit.\n\n- Stand wählen" in text and "Auf Ihrer Seite" not in text


def test_a_mail_tells_only_of_what_the_link_may_do(portal, link):
    portal.organiser.patch(f"/links/{link['id']}", {"rights": ["badges", "booth"]}, status=200)
    portal.change(my_rights=["badges", "profile"])
    shown = portal.organiser.data(f"/links/{link['id']}/reminder")
    assert [todo["kind"] for todo in shown["todos"]] == ["badges"]


def test_a_person_is_reminded_once_a_day_and_only_of_something(portal, db, link):
    portal.organiser.post(f"/links/{link['id']}/remind", status=202)
    assert portal.organiser.post(f"/links/{link['id']}/remind", status=429).headers["Retry-After"]
    nothing = made(portal, portal.exhibitor("Speaker", role="speaker"))
    for method, path in (("get", "reminder"), ("post", "remind")):
        answer = getattr(portal.organiser, method)(
            f"/links/{nothing['id']}/{path}", status=409
        ).json
        assert answer["code"] == "nothing_to_do"
    assert len(mails(db)) == 1


def test_a_mail_is_not_sent_once_nothing_is_left(portal, db, link):
    portal.organiser.post(f"/links/{link['id']}/remind", status=202)
    portal.act("participants", portal.participant, "cancel")
    with pytest.raises(Gone):
        mail_message.build(db, mails(db)[0])


def test_a_batch_reminds_many_and_a_dry_run_says_whom(portal, db, link, caplog):
    nothing = made(portal, portal.exhibitor("Speaker", role="speaker"))
    unmailed = made(portal, email=None, name="Without address")
    batch = {"action": "remind", "ids": [link["id"], nothing["id"], unmailed["id"]]}
    for is_dry in (True, False):
        answer = portal.organiser.post("/links/batch", {**batch, "dry_run": is_dry}, status=200)
        results = answer.json["data"]["results"]
        assert [result["status"] for result in results] == [202, 409, 409]
        assert [result["code"] for result in results[1:]] == ["nothing_to_do", "link_incomplete"]
        assert len(mails(db)) == (0 if is_dry else 1)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_an_offered_booth_is_told_of_at_once(portal, db, link):
    """The office cancels a reservation, so the booth is held for three days for the first on its
    waiting list.
    """
    other = portal.exhibitor("Other AG")
    taken = portal.organiser.make(
        "/booth-reservations",
        {"booth_id": portal.booths["A1"], "event_participant_id": other["id"]},
    )
    portal.organiser.make(
        "/booth-reservations",
        {
            "booth_id": portal.booths["A1"],
            "waitlist": True,
            "event_participant_id": portal.participant["id"],
        },
    )
    made(portal, email="bela@example.org", rights=["profile"])
    portal.act("booth-reservations", taken, "cancel")
    (row,) = mails(db)
    assert (row["kind"], row["recipient"]) == ("booth_offer", "anna@example.org")
    text = text_of(db, row)
    assert (
        "held for you:" in text
        and "- Booth A1 is held for you: tell us whether you take it (by " in text
    )
    assert "profile" not in text and "https://show.example.org/link/evl_" in text


@pytest.mark.parametrize("closed", [{"my_is_open": False}, {"my_rights": ["profile"]}])
def test_nobody_is_told_of_an_offer_that_no_page_shows(portal, db, link, closed):
    taken = portal.organiser.make(
        "/booth-reservations",
        {
            "booth_id": portal.booths["A1"],
            "event_participant_id": portal.exhibitor("Other AG")["id"],
        },
    )
    portal.organiser.make(
        "/booth-reservations",
        {
            "booth_id": portal.booths["A1"],
            "waitlist": True,
            "event_participant_id": portal.participant["id"],
        },
    )
    portal.change(**closed)
    portal.act("booth-reservations", taken, "cancel")
    for row in mails(db):
        with pytest.raises(Gone):
            mail_message.build(db, row)
