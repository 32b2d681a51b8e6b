"""Mails that actions of the desk would send are shown before, word for word, and nothing stays of it."""

import re
from email import message_from_bytes, policy

import pytest

from eventapi.worker.mail import message as mail_message
from tests.support import batches
from tests.support.links import queued

SECRET = re.compile(r"evl_[\w-]{32}")


pytestmark = pytest.mark.usefixtures("mail")


def sent(db, kind):
    """Return (subject, text) of the only mail of a kind as the worker writes it, with … for its secret."""
    (mail,) = queued(db, kind)
    message = message_from_bytes(mail_message.build(db, mail)[1], policy=policy.default)
    text = message.get_body(("plain",)).get_content().replace("\r\n", "\n")
    return message["Subject"], SECRET.sub("…", text)


def words(text):
    return " ".join(text.split())


def shown(page):
    """Return the text of the folded mail on a page, without its heading."""
    (mail,) = [
        each for each in page.html.select("details") if each.summary.get_text() == "The mail"
    ]
    mail.summary.extract()
    return words(mail.get_text(" "))


def state(db):
    return [line for line in db.connection.iterdump() if "desk_batches" not in line]


def test_a_booth_that_is_confirmed(office, organiser, fair, db):
    booth = organiser.make("/booths", {"booth_number": "B7", "plan_id": 1, "booth_type_id": 1})
    held = organiser.make(
        "/booth-reservations",
        {"booth_id": booth["id"], "event_participant_id": fair.exhibitor["id"]},
    )
    before = state(db)
    page = office.get(f"/desk/do/confirm_booth_reservation/{held['id']}?back=exhibitors/1")
    assert state(db) == before
    told = shown(page)
    assert "B7" in told and "Garden Fair" in told
    address = f"/desk/do/confirm_booth_reservation/{held['id']}"
    office.submit(page, address, {"back": "exhibitors/1", "mail": "1"})
    subject, text = sent(db, "booth_confirmed")
    assert told == words(f"{subject} {text}")


def test_a_batch_shows_the_mail_to_the_first(office, organiser, fair, db):
    page = office.get("/desk/applications")
    trial = batches.tried(office, page, "applications/approve", [fair.application["id"]])
    told = shown(trial)
    assert organiser.data(f"/applications/{fair.application['id']}")["status"] == "new"
    batches.pressed(office, trial)
    subject, text = sent(db, "application_decision")
    assert told == words(f"{subject} {text}")


def test_without_a_mail_server_none_is_shown(office, fair, settings, monkeypatch):
    monkeypatch.setattr(settings, "smtp_host", None)
    page = office.get(f"/desk/do/approve_application/{fair.application['id']}")
    assert "The mail" not in page


@pytest.fixture
def awaited(organiser, fair):
    """A confirmed booth of the exhibitor, for which somebody with a link waits."""
    organiser.patch(f"/events/{fair.event['id']}/pages", {"my_is_open": True}, status=200)
    contact = organiser.make("/contacts", {"last_name": "Wart", "email": "w@wart.example"})
    other = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    organiser.post(f"/participants/{other['id']}/link", {}, status=201)
    booth = {"booth_id": fair.booths[0]["id"]}
    mine = {**booth, "event_participant_id": fair.exhibitor["id"], "status": "confirmed"}
    held = organiser.make("/booth-reservations", mine)
    theirs = {**booth, "event_participant_id": other["id"], "waitlist": True}
    organiser.make("/booth-reservations", theirs)
    return held


@pytest.mark.parametrize("action", ["cancel", "move", "participant"])
def test_the_mail_is_not_that_to_those_who_get_the_booth(
    office, organiser, fair, awaited, db, action
):
    """They are offered the booth in the same transaction, before the exhibitor is told."""
    address = f"/desk/do/{action}_booth_reservation/{awaited['id']}?"
    if action == "move":
        address += f"booth_id={fair.booths[1]['id']}"
    if action == "participant":
        address = f"/desk/do/cancel_participant/{fair.exhibitor['id']}?"
    told = shown(office.get(address))
    assert "Wart" not in told and "waiting list" not in told
    assert {"cancel": "A1", "move": "A2", "participant": "cancelled"}[action] in told


def test_a_trial_that_is_refused_keeps_nothing(office, organiser, fair, awaited, db):
    """A booth that is not free any more ends holds that have expired; a page that is read does not."""
    contact = organiser.make("/contacts", {"last_name": "Late"})
    late = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    booth = {"booth_id": fair.booths[1]["id"]}
    organiser.make("/booth-reservations", {**booth, "event_participant_id": late["id"]})
    waiting = {**booth, "event_participant_id": 2, "waitlist": True}
    organiser.make("/booth-reservations", waiting)
    db.connection.execute(
        "UPDATE booth_reservations SET expires_at = '2020-01-01T00:00:00Z' WHERE status = 'pending'"
    )
    before = state(db)
    address = f"/desk/do/move_booth_reservation/{awaited['id']}"
    page = office.get(f"{address}?booth_id={fair.booths[1]['id']}")
    assert "The mail" not in page and state(db) == before


def test_without_a_sender_no_mail_is_ticked(office, organiser, fair, settings, monkeypatch):
    address = f"/desk/do/approve_application/{fair.application['id']}"
    assert office.get(address).html.select("input[name=mail][checked]")
    monkeypatch.setattr(settings, "smtp_sender", "")
    page = office.get(address)
    assert not page.html.select("input[name=mail][checked]")
    office.submit(page, address, {"back": "applications"})
    assert organiser.data(f"/applications/{fair.application['id']}")["status"] == "approved"


def test_a_mail_to_people_with_a_link_is_shown_to_those_who_may_read_links(
    desk, organiser, fair, awaited
):
    organiser.post(f"/participants/{fair.exhibitor['id']}/link", {}, status=201)
    address = f"/desk/do/cancel_booth_reservation/{awaited['id']}"
    assert "The mail" not in desk("events:read booths participants:read").get(address)
    assert "A1" in shown(desk("events:read booths participants:read links:read").get(address))
