"""The newsletter: double opt-in with proof of consent, confirmation links, unsubscribing."""

import re
from datetime import datetime, timedelta, timezone

import pytest

from eventapi import times
from eventapi.domain.mail import queue as mails
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.newsletter import tokens
from eventapi.web import request_log
from eventapi.worker.mail import message as mail_message
from tests.resources.test_contacts import MARK, file_bytes
from tests.support.client import Client
from tests.support.nights import pass_night

EMAIL = "anna@rosen.example"
CONSENT = {"source": "Stand form 12", "at": "2026-05-01T09:30:00Z", "text": "Yes, please."}
GIVEN = {"email": EMAIL, "name": "Anna Gärtner", "send_confirmation": False, "consent": CONSENT}


@pytest.fixture
def mailing(settings):
    """Configure a mail server."""
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://events.example.org"
    return settings


def actions(db):
    return [
        action
        for (action,) in db.connection.execute(
            "SELECT action FROM audit_log WHERE entity_type = 'newsletter_subscriber' ORDER BY id"
        )
    ]


def queued(db):
    return db.all(mails.sql.in_state, state="queued")


def link(db, id):
    """Return the path of the confirmation link in the mail."""
    return tokens.confirm_url(tokens.secret(db), "", newsletter.row(db, id))


def path_of(subscriber):
    return re.sub(r"^https?://[^/]+", "", subscriber["unsubscribe_url"])


def asked(organiser, email=EMAIL, **values):
    return organiser.make("/newsletter", {"email": email, **values})


# Subscribing


def test_a_subscriber_is_pending_until_the_link_in_the_mail_is_confirmed(
    mailing, organiser, app, db
):
    subscriber = asked(organiser, name="Anna")
    assert (
        subscriber["status"] == "pending"
        and subscriber["confirmed_at"] is None
        and subscriber["contact_id"] is None
    )
    [mail] = queued(db)
    assert (mail["kind"], mail["recipient"]) == ("newsletter_confirmation", EMAIL)
    page = app.get(link(db, subscriber["id"]))
    assert organiser.data(f"/newsletter/{subscriber['id']}") == subscriber, (
        "GET changes nothing: mail scanners open every link"
    )
    assert EMAIL in page.text and "<form" in page.text and "<script" not in page.text
    done = app.post(
        link(db, subscriber["id"]),
        headers={"User-Agent": "Firefox", "Accept-Language": "en-GB,en;q=0.9"},
    )
    assert "Thank you" in done.text and done.headers["Content-Language"] == "en"
    after = organiser.data(f"/newsletter/{subscriber['id']}?include=consents")
    assert after["status"] == "confirmed" and after["confirmed_at"]
    request, proof = after["consents"]
    assert request["action"] == "asked" and request["source"] == "api"
    assert (
        proof["action"] == "confirmed"
        and proof["user_agent"] == "Firefox"
        and EMAIL in proof["consent_text"]
    )
    assert actions(db) == ["created", "mailed", "confirmed"]
    names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = 'newsletter_subscriber'"
        )
    ]
    assert names[-1] == "newsletter.confirmed"


def test_the_proof_of_consent_contains_the_ip_address(mailing, organiser, app, db):
    subscriber = asked(organiser)
    app.post(link(db, subscriber["id"]), extra_environ={"REMOTE_ADDR": "203.0.113.7"})
    assert (
        organiser.data(f"/newsletter/{subscriber['id']}?include=consents")["consents"][-1][
            "ip_address"
        ]
        == "203.0.113.7"
    )


def test_consent_given_elsewhere_can_be_imported(organiser, db):
    subscriber = organiser.make("/newsletter", GIVEN)
    assert subscriber["status"] == "confirmed" and subscriber["confirmed_at"] == CONSENT["at"]
    [proof] = organiser.data(f"/newsletter/{subscriber['id']}?include=consents")["consents"]
    assert (proof["action"], proof["source"], proof["consent_text"], proof["at"]) == (
        "imported",
        "Stand form 12",
        "Yes, please.",
        CONSENT["at"],
    )
    assert queued(db) == []


@pytest.mark.parametrize(
    "body, pointer",
    [
        ({"send_confirmation": False}, "/consent"),
        ({"send_confirmation": True, "consent": CONSENT}, "/consent"),
        (
            {"send_confirmation": False, "consent": {**CONSENT, "at": "2999-01-01T00:00:00Z"}},
            "/consent/at",
        ),
    ],
)
def test_consent_has_exactly_one_kind_of_proof(organiser, body, pointer):
    answer = organiser.post("/newsletter", {"email": EMAIL, **body}, status=422)
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_without_a_mail_server_subscribing_is_refused(organiser):
    assert (
        organiser.post("/newsletter", {"email": EMAIL}, status=409).json["code"]
        == "mail_not_configured"
    )
    assert organiser.data("/newsletter") == []


def test_a_pending_subscriber_gets_another_mail_after_ten_minutes(mailing, organiser, db):
    subscriber = asked(organiser)
    assert (
        organiser.post("/newsletter", {"email": EMAIL.upper()}, status=200).json["data"]["id"]
        == subscriber["id"]
    )
    assert len(queued(db)) == 1
    long_ago(db)
    organiser.post("/newsletter", {"email": EMAIL}, status=200)
    assert len(queued(db)) == 1, "the first mail is still in the queue"
    db.connection.execute("UPDATE mails SET state = 'sent'")
    organiser.post("/newsletter", {"email": EMAIL}, status=200)
    assert len(queued(db)) == 1


def long_ago(db):
    db.connection.execute(
        "UPDATE newsletter_subscribers SET asked_at = ?",
        (times.text(datetime.now(timezone.utc) - timedelta(minutes=11)),),
    )


def test_subscribing_again_does_not_change_a_confirmed_subscriber(organiser, mailing, db):
    subscriber = organiser.make("/newsletter", GIVEN)
    assert (
        organiser.post("/newsletter", {"email": EMAIL, "name": "Other"}, status=200).json["data"]
        == subscriber
    )
    assert queued(db) == []


# Unsubscribing


def test_an_unsubscribed_address_needs_a_new_confirmation(mailing, organiser, app, db):
    subscriber = asked(organiser)
    old_link = link(db, subscriber["id"])
    app.post(old_link)
    organiser.delete(f"/newsletter/{subscriber['id']}", status=204)
    assert organiser.data(f"/newsletter/{subscriber['id']}")["status"] == "unsubscribed"
    app.post(old_link, status=404)
    assert organiser.post("/newsletter", GIVEN, status=409).json["code"] == "has_unsubscribed"
    again = organiser.post("/newsletter", {"email": EMAIL}, status=200).json["data"]
    assert again["status"] == "pending" and again["unsubscribed_at"]
    assert db.connection.execute(
        "SELECT next_at > created_at FROM mails ORDER BY id DESC"
    ).fetchone() == (1,), "not two mails in ten minutes"
    app.post(link(db, subscriber["id"]))
    back = organiser.data(f"/newsletter/{subscriber['id']}")
    assert back["status"] == "confirmed" and back["unsubscribed_at"] is None


def test_unsubscribing_works_by_address_and_can_be_repeated(organiser, db):
    organiser.make("/newsletter", GIVEN)
    organiser.delete(f"/newsletter?email={EMAIL.upper()}", status=204)
    before = actions(db)
    organiser.delete(f"/newsletter?email={EMAIL}", status=204)
    assert actions(db) == before and before[-1] == "unsubscribed"
    organiser.delete("/newsletter?email=nobody@example.org", status=404)
    organiser.delete("/newsletter", status=422)


def test_unsubscribing_withdraws_a_queued_mail(mailing, organiser, db):
    subscriber = asked(organiser)
    organiser.delete(f"/newsletter/{subscriber['id']}", status=204)
    assert queued(db) == []


def test_one_click_unsubscribe_works(organiser, app):
    subscriber = organiser.make("/newsletter", GIVEN)
    for method in ("GET", "HEAD"):
        app.request(path_of(subscriber), method=method)
    assert organiser.data(f"/newsletter/{subscriber['id']}")["status"] == "confirmed"
    app.post(
        path_of(subscriber),
        {"List-Unsubscribe": "One-Click"},
        headers={"Idempotency-Key": "of-a-stranger"},
    )
    assert organiser.data(f"/newsletter/{subscriber['id']}")["status"] == "unsubscribed"
    assert organiser.data("/newsletter")[0]["unsubscribe_url"] == subscriber["unsubscribe_url"]


def test_all_unknown_tokens_get_the_same_response(organiser, app):
    subscriber = organiser.make("/newsletter", GIVEN)
    token = path_of(subscriber).rpartition("/")[2]
    wrong = [
        "nothing",
        "1-" + "0" * 32,
        "999999-" + "0" * 32,
        token.replace("-", "-0")[:-1],
        token.upper() + "x",
        "%00",
        "1",
        "1%0a",
        f"{token}%0a",
    ]
    for what in ("confirm", "unsubscribe"):
        for method in ("GET", "POST"):
            answers = {
                (answer.status_int, answer.body)
                for answer in (
                    app.request(f"/newsletter/{what}/{text}", method=method, expect_errors=True)
                    for text in [*wrong, *([token] if what == "confirm" else [])]
                )
            }
            assert len(answers) == 1 and answers.pop()[0] == 404
    assert organiser.data(f"/newsletter/{subscriber['id']}")["status"] == "confirmed"


def test_the_page_uses_the_language_of_the_browser_and_escapes_values(organiser, app, settings):
    settings.organiser_name = "<b>Messe & Co</b>"
    subscriber = organiser.make("/newsletter", GIVEN)
    german = app.get(path_of(subscriber), headers={"Accept-Language": "fr, de;q=0.8"})
    assert (
        "Abmelden" in german.text
        and '<html lang="de">' in german.text
        and "&lt;b&gt;Messe &amp; Co" in german.text
    )
    assert "Unsubscribe" in app.get(path_of(subscriber), headers={"Accept-Language": "en"}).text
    policy = german.headers["Content-Security-Policy"]
    assert (
        "default-src 'none'" in policy
        and "form-action 'self'" in policy
        and "script-src" not in policy
    )
    assert (
        german.headers["Cache-Control"] == "no-store"
        and german.headers["Referrer-Policy"] == "no-referrer"
    )


@pytest.mark.parametrize(
    ("own", "accepted", "contact", "option", "expected"),
    [
        ("de-AT", "en", "en", "en", "de"),
        (None, "fr, de;q=0.5, en;q=0.9", "de", "de", "en"),
        (None, "en;q=0, de;q=0.1", "en", "en", "de"),
        ("fr", "it", "de-CH", "en", "de"),
        (None, "", None, "de", "de"),
    ],
)
def test_the_page_uses_the_language_of_the_subscriber_first(
    organiser, app, settings, own, accepted, contact, option, expected
):
    settings.language = option
    organiser.make("/contacts", {"email": EMAIL, "language": contact})
    subscriber = organiser.make("/newsletter", {**GIVEN, "language": own})
    assert subscriber["language"] == own
    page = app.get(path_of(subscriber), headers={"Accept-Language": accepted})
    assert f'<html lang="{expected}">' in page.text and page.headers["Content-Language"] == expected


def test_the_mail_is_in_the_language_of_the_last_request(mailing, organiser, db):
    organiser.make("/contacts", {"email": EMAIL, "language": "en"})
    subscriber = asked(organiser, language="de")
    organiser.delete(f"/newsletter/{subscriber['id']}", status=204)
    organiser.post("/newsletter", {"email": EMAIL, "language": "en"}, status=200)
    assert organiser.data(f"/newsletter/{subscriber['id']}")["language"] == "en"
    assert [mail["subject"].split()[0] for mail in queued(db)] == ["Please"]
    changed = organiser.patch(
        f"/newsletter/{subscriber['id']}", {"language": "pl"}, status=200
    ).json["data"]
    assert changed["language"] == "pl" and changed["name"] is None


def test_subject_and_text_of_a_mail_are_in_the_same_language(mailing, organiser, db):
    subscriber = asked(organiser, language="de")
    organiser.patch(f"/newsletter/{subscriber['id']}", {"language": "en"}, status=200)
    [mail] = queued(db)
    assert mail["subject"].startswith("Bitte bestätigen")
    _, message = mail_message.build(db, mails.next_due(db, times.now()))
    assert (
        b"\nContent-Language: de\r\n" in message
        and b"Guten Tag" in message
        and b"Hello" not in message
    )


def test_tokens_are_not_logged(organiser, app, monkeypatch):
    lines = []
    monkeypatch.setattr(request_log, "write", lines.append)
    subscriber = organiser.make("/newsletter", GIVEN)
    app.post(path_of(subscriber))
    assert not any(path_of(subscriber).rpartition("/")[2] in line for line in lines)


# Lists, contacts and privacy


def test_subscribers_are_filtered_and_sorted(organiser):
    for email, name in (("b@example.org", "Berta Müller"), ("a@example.org", "Zoe")):
        organiser.make("/newsletter", {**GIVEN, "email": email, "name": name})
    organiser.delete("/newsletter?email=a@example.org", status=204)
    emails = lambda query: [row["email"] for row in organiser.data(f"/newsletter?{query}")]  # noqa: E731
    assert emails("search=mull") == ["b@example.org"] and emails("status=unsubscribed") == [
        "a@example.org"
    ]
    assert (
        emails("sort=email&order=ASC") == ["a@example.org", "b@example.org"]
        and emails("to_date=2001-01-01") == []
    )
    assert len(emails("from_date=2001-01-01")) == 2


def test_the_name_can_change_and_the_address_cannot(organiser):
    subscriber = organiser.make("/newsletter", GIVEN)
    path = f"/newsletter/{subscriber['id']}"
    assert organiser.patch(path, {"name": None}, status=200).json["data"]["name"] is None
    assert (
        organiser.put(path, {**subscriber, "name": "Anna"}, status=200).json["data"]["name"]
        == "Anna"
    )
    assert (
        organiser.patch(path, {"email": "other@example.org"}, status=422).json["errors"][0][
            "pointer"
        ]
        == "/email"
    )


def test_the_contact_shows_the_subscription_of_its_address(organiser):
    contact = organiser.make("/contacts", {"last_name": "Gärtner", "email": EMAIL.upper()})
    assert contact["newsletter_status"] == "none"
    subscriber = organiser.make("/newsletter", GIVEN)
    assert subscriber["contact_id"] == contact["id"]
    assert organiser.data(f"/contacts/{contact['id']}")["newsletter_status"] == "confirmed"
    assert organiser.data("/contacts")[0]["newsletter_status"] == "confirmed"


def test_subscriptions_are_exported_and_erased_with_the_contact(mailing, organiser, app, db):
    contact = organiser.make(
        "/contacts", {"last_name": "Gärtner", "email": f"{MARK}@rosen.example"}
    )
    organiser.post(
        "/newsletter",
        {"email": contact["email"], "name": MARK},
        headers={"Idempotency-Key": "one"},
        status=201,
    )
    [subscriber] = organiser.data("/newsletter")
    app.post(link(db, subscriber["id"]), headers={"User-Agent": f"{MARK}/1.0"})
    export = organiser.data(f"/contacts/{contact['id']}/export")
    [exported], [mail] = export["newsletter"], export["mails"]
    assert (
        exported["email"] == contact["email"]
        and exported["consents"][-1]["user_agent"] == f"{MARK}/1.0"
    )
    assert mail["recipient"] == contact["email"]
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    pass_night(db)
    assert MARK.encode() not in file_bytes(db) and organiser.data("/newsletter") == []
    assert ("newsletter.deleted",) in db.connection.execute(
        "SELECT name FROM outgoing_events"
    ).fetchall()


def test_a_key_without_the_scope_sees_no_subscribers(person, organiser, app):
    subscriber = organiser.make("/newsletter", GIVEN)
    person("contacts").get("/newsletter", status=403)
    person("newsletter:read").delete(f"/newsletter/{subscriber['id']}", status=403)
    Client(app, None).get("/newsletter", status=401)
