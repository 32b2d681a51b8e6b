"""The mail about a booth: what it says, who gets it, and when it is not sent."""

from email import message_from_bytes, policy

import pytest

from eventapi.domain.mail.contents import Gone
from eventapi.domain.portal import booth_mails
from eventapi.worker.mail import message as mail_message
from tests.support.links import queued

pytestmark = pytest.mark.usefixtures("mail")

QUEUED = {"status": "queued"}


@pytest.fixture
def held(portal):
    """Return a reservation of the exhibitor, whose contact has an address."""
    contact = {"first_name": "Bela", "last_name": "Beta", "email": "bela@rosen.example"}
    portal.organiser.patch(
        f"/contacts/{portal.participant['contact_id']}", {**contact, "language": "de"}, status=200
    )
    portal.change(my_is_open=True)
    return reserve(portal, "A2")


def reserve(portal, number, participant=None, **more):
    participant = participant or portal.participant
    return portal.organiser.make(
        "/booth-reservations",
        {
            "booth_id": portal.booths[number],
            "event_participant_id": participant["id"],
            "final_price": 1234.5,
            **more,
        },
    )


def act(portal, reservation, action, status=200, **body):
    path = f"/booth-reservations/{reservation['id']}/{action}"
    return portal.organiser.post(path, body, status=status).json


def link(portal, **fields):
    return portal.organiser.make(
        "/links", {"kind": "participant", "participant_id": portal.participant["id"], **fields}
    )


def texts(db):
    """Return [(recipient, subject, text)] of the queued mails as the worker writes them."""
    found = []
    for mail in queued(db, booth_mails.KIND):
        recipient, data = mail_message.build(db, mail)
        message = message_from_bytes(data, policy=policy.default)
        text = message.get_body(("plain",)).get_content().replace("\r\n", "\n")
        found.append((recipient, message["Subject"], text))
    return found


def test_nobody_is_told_unless_it_is_asked_for(portal, db, held):
    answer = act(portal, held, "confirm")
    assert "mail" not in answer["meta"] and queued(db, booth_mails.KIND) == []


def test_without_a_link_the_contact_is_told_and_gets_no_link(portal, db, held):
    assert act(portal, held, "confirm", mail=True)["meta"]["mail"] == QUEUED
    ((recipient, subject, text),) = texts(db)
    assert (recipient, subject) == ("bela@rosen.example", "Ihr Stand A2: Fair")
    assert text.startswith(
        "Guten Tag Bela Beta,\n\nIhr Stand A2 bei „Fair“ ist bestätigt.\n\n"
        "Stand: A2\nGröße: 4 × 3 m\nPreis: 1.234,50 EUR zzgl. 19 % USt\n\nMit freundlichen"
    )
    assert "/link/" not in text and "/plan/" not in text


def test_persons_with_the_right_booth_get_their_link_and_the_contact_nothing(portal, db, held):
    link(portal, name="Anna", email="anna@rosen.example", language="en", rights=["booth"])
    link(portal, name="Cem", email="cem@rosen.example", language="en", rights=["orders"])
    act(portal, held, "confirm", mail=True)
    ((recipient, subject, text),) = texts(db)
    assert (recipient, subject) == ("anna@rosen.example", "Your booth A2: Fair")
    assert "Price: EUR 1,234.50 plus 19 % VAT" in text
    assert "https://show.example.org/link/evl_" in text


@pytest.mark.parametrize("feature", ["pages", "plans"])
def test_nobody_gets_a_link_to_what_is_switched_off(portal, db, held, feature):
    """Its page would not open, or have no booth: the contact is told without it."""
    link(portal, name="Anna", email="anna@rosen.example", language="en", rights=["booth"])
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = ?", (feature,))
    act(portal, held, "confirm", mail=True)
    ((recipient, _, text),) = texts(db)
    assert recipient == "bela@rosen.example" and "/link/" not in text


def test_a_public_plan_is_linked(portal, db, held):
    portal.change(is_public=True, show_plan=True)
    act(portal, held, "confirm", mail=True)
    ((_, _, text),) = texts(db)
    assert "https://show.example.org/e/fair/plan/" in text


def test_a_move_and_a_cancellation_are_told(portal, db, held):
    act(portal, held, "confirm")
    act(portal, held, "move", booth_id=portal.booths["A3"], keep_price=True, mail=True)
    ((_, subject, text),) = texts(db)
    assert subject == "Ihr Stand A3: Fair"
    assert "Sie haben jetzt den Stand A3." in text and "Größe: 6 × 3 m" in text
    act(portal, held, "cancel", reason="SECRET", mail=True)
    mail = queued(db, booth_mails.KIND)[1]
    text = mail_message.build(db, mail)[1].decode()
    assert "SECRET" not in text and "Preis" not in text


def test_both_are_told_of_a_swap(portal, db, held):
    other = portal.organiser.make("/contacts", {"company_name": "B", "email": "b@b.example"})
    other = portal.organiser.make("/participants", {"event_key": "fair", "contact_id": other["id"]})
    act(portal, held, "confirm")
    theirs = reserve(portal, "A3", other, status="confirmed")
    body = {"with": theirs["id"], "keep_price": True, "mail": True}
    assert act(portal, held, "swap", **body)["meta"]["mail"] == QUEUED
    assert {(recipient, subject[-8:]) for recipient, subject, _ in texts(db)} == {
        ("bela@rosen.example", "A3: Fair"),
        ("b@b.example", "A2: Fair"),
    }


def test_many_are_confirmed_and_told(portal, db, held):
    body = {"action": "confirm", "ids": [held["id"]], "mail": True}
    (result,) = portal.organiser.post("/booth-reservations/batch", body, status=200).json["data"][
        "results"
    ]
    assert result["meta"]["mail"] == QUEUED and len(texts(db)) == 1


def test_what_has_changed_nothing_or_reaches_nobody_is_skipped(portal, db, held):
    act(portal, held, "confirm")
    again = act(portal, held, "confirm", mail=True)["meta"]["mail"]
    assert again == {"status": "skipped", "reason": "already_done"}
    path = f"/contacts/{portal.participant['contact_id']}"
    portal.organiser.patch(path, {"email": None}, status=200)
    skipped = act(portal, held, "move", booth_id=portal.booths["A3"], mail=True)["meta"]["mail"]
    assert skipped == {"status": "skipped", "reason": "no_address"}
    assert queued(db, booth_mails.KIND) == []


def test_a_server_without_mail_refuses_and_changes_nothing(portal, held, settings):
    settings.smtp_host = ""
    assert act(portal, held, "confirm", 409, mail=True)["code"] == "mail_not_configured"
    assert portal.organiser.data(f"/booth-reservations/{held['id']}")["status"] == "pending"


def test_a_mail_about_what_has_changed_since_is_not_sent(portal, db, held):
    act(portal, held, "confirm", mail=True)
    act(portal, held, "move", booth_id=portal.booths["A3"])
    (mail,) = queued(db, booth_mails.KIND)
    with pytest.raises(Gone, match="has changed"):
        mail_message.build(db, mail)


def test_a_mail_with_a_link_that_has_ended_is_not_sent(portal, db, held):
    own = link(portal, name="Anna", email="anna@rosen.example", rights=["booth"])
    act(portal, held, "confirm", mail=True)
    portal.organiser.post(f"/links/{own['id']}/revoke", {}, status=200)
    (mail,) = queued(db, booth_mails.KIND)
    with pytest.raises(Gone, match="link has ended"):
        mail_message.build(db, mail)


def test_an_erased_exhibitor_gets_no_mail(portal, db, held):
    act(portal, held, "confirm", mail=True)
    path = f"/contacts/{portal.participant['contact_id']}/anonymize"
    portal.organiser.post(path, {"force": True}, status=200)
    assert queued(db, booth_mails.KIND) == []
