"""Mails to the people of the office, sent to a real SMTP server: invitations, links to sign in,
notices and test mails.
"""

import re
from datetime import timedelta

import pytest

from eventapi import times
from eventapi.domain.access import invitations, link_secrets, notices, people
from eventapi.domain.access import links as access_links
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.errors import Problem
from eventapi.worker.mail import job
from tests.domain.test_settings import load
from tests.support.mail_server import Inbox, Server
from tests.worker.test_mail import sent

START = "2026-11-28T10:35:00Z"
MINUTE = timedelta(minutes=1)
ACCOUNT = "https://events.example.org/desk/account"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0"
CHANGES = {
    "organiser_iban": ("DE89370400440532010130", "DE02120300000000202051"),
    "bank_accounts": ("", "DE89370400440532010130, 47-11"),
    "organiser_bic": ("COBADEFFXXX", "BYLADEM1001"),
    "organiser_name": ("Evil www.evil.example", "Messe Test GmbH"),
    "payment_days": ("14", "30"),
}
# What is told -> subject and paragraphs in German and in English, without greeting and closing.
TOLD = {
    ("new_device", "agent", FIREFOX, "address", "203.0.113.9"): (
        (
            "Anmeldung auf einem neuen Gerät: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr hat sich jemand mit Ihrem Zugang im Büro von Messe Test GmbH angemeldet, auf "
            "einem Gerät, das wir noch nicht kennen.",
            "Gerät: Firefox, Windows\nNetzadresse: 203.0.113.9",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Sign-in on a new device: Messe Test GmbH",
            "On 28 November 2026, 11:35, somebody signed in with your account at the office of Messe Test GmbH on a "
            "device that we do not know yet.",
            "Device: Firefox, Windows\nNetwork address: 203.0.113.9",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("new_device", "agent", "see www.evil.example", "address", "2001:db8::1"): (
        (
            "Anmeldung auf einem neuen Gerät: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr hat sich jemand mit Ihrem Zugang im Büro von Messe Test GmbH angemeldet, auf "
            "einem Gerät, das wir noch nicht kennen.",
            "Gerät: unbekannt\nNetzadresse: 2001:db8::1",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Sign-in on a new device: Messe Test GmbH",
            "On 28 November 2026, 11:35, somebody signed in with your account at the office of Messe Test GmbH on a "
            "device that we do not know yet.",
            "Device: unknown\nNetwork address: 2001:db8::1",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("password_changed",): (
        (
            "Ihr Passwort wurde geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde das Passwort Ihres Zugangs zum Büro von Messe Test GmbH geändert, von "
            "Ole Lindqvist.",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Your password was changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, the password of your account at the office of Messe Test GmbH was changed by "
            "Ole Lindqvist.",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("password_changed", "is_removed", True): (
        (
            "Ihr Passwort wurde geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde das Passwort Ihres Zugangs zum Büro von Messe Test GmbH entfernt, von "
            "Ole Lindqvist.",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Your password was changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, the password of your account at the office of Messe Test GmbH was removed by "
            "Ole Lindqvist.",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("factor_added",): (
        (
            "Zweiter Faktor eingerichtet: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde für Ihren Zugang zum Büro von Messe Test GmbH ein zweiter Faktor "
            "eingerichtet, von Ole Lindqvist.",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Second factor added: Messe Test GmbH",
            "On 28 November 2026, 11:35, a second factor was added to your account at the office of Messe Test GmbH by "
            "Ole Lindqvist.",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("factor_removed",): (
        (
            "Zweiter Faktor entfernt: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde der zweite Faktor Ihres Zugangs zum Büro von Messe Test GmbH entfernt, von "
            "Ole Lindqvist.",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Second factor removed: Messe Test GmbH",
            "On 28 November 2026, 11:35, the second factor of your account at the office of Messe Test GmbH was "
            "removed by Ole Lindqvist.",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("recovery_code_used", "left", 9): (
        (
            "Wiederherstellungscode verwendet: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr hat sich jemand mit einem Wiederherstellungscode Ihres Zugangs im Büro von "
            "Messe Test GmbH angemeldet.",
            "Codes, die noch gelten: 9",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
            ACCOUNT,
        ),
        (
            "Recovery code used: Messe Test GmbH",
            "On 28 November 2026, 11:35, somebody used a recovery code of your account to sign in at the office of "
            "Messe Test GmbH.",
            "Codes that are left: 9",
            "Was it not you? Then change your password at once, and sign out all other devices:",
            ACCOUNT,
        ),
    ),
    ("code_guessing", "address", "203.0.113.9"): (
        (
            "Falsche Codes für Ihren Zugang: Messe Test GmbH",
            "bis zum 28.11.2026, 11:35 Uhr wurden für Ihren Zugang zum Büro von Messe Test GmbH zehn falsche Codes "
            "eingegeben. Wer das tut, kennt Ihr Passwort oder kann Ihre E-Mails lesen.",
            "Netzadresse: 203.0.113.9",
            "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, auch das Ihres Postfachs:",
            ACCOUNT,
        ),
        (
            "Wrong codes for your account: Messe Test GmbH",
            "By 28 November 2026, 11:35, ten wrong codes were entered for your account at the office of "
            "Messe Test GmbH. Whoever does this knows your password, or can read your mails.",
            "Network address: 203.0.113.9",
            "Was it not you? Then change your password at once, also that of your mailbox:",
            ACCOUNT,
        ),
    ),
    ("email_changed",): (
        (
            "Ihre E-Mail-Adresse wurde geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde die E-Mail-Adresse Ihres Zugangs zum Büro von Messe Test GmbH geändert, "
            "von Ole Lindqvist. Links und Hinweise gehen ab jetzt an die neue Adresse.",
            "Waren Sie das nicht? Dann fragen Sie sofort nach: office@messe.test. Ihren Zugang finden Sie hier:",
            ACCOUNT,
        ),
        (
            "Your e-mail address was changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, the e-mail address of your account at the office of Messe Test GmbH was "
            "changed by Ole Lindqvist. From now on, links and notices go to the new address.",
            "Was it not you? Then ask at once: office@messe.test. Your account is here:",
            ACCOUNT,
        ),
    ),
    ("rights_changed", "person", "Mehmet Aydın", "old_role", "door", "role", "custom"): (
        (
            "Rechte geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurden die Rechte von Mehmet Aydın im Büro von Messe Test GmbH geändert, von "
            "Ole Lindqvist.",
            "Bisher: Einlass\nJetzt: Einzeln",
            "Waren Sie das nicht, und wissen Sie nichts davon? Dann fragen Sie sofort nach, und prüfen Sie auch Ihren "
            "eigenen Zugang:",
            ACCOUNT,
        ),
        (
            "Rights changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, the rights of Mehmet Aydın at the office of Messe Test GmbH were changed by "
            "Ole Lindqvist.",
            "Before: Entrance\nNow: Single rights",
            "Was it not you, and do you know nothing of it? Then ask at once, and check your own account as well:",
            ACCOUNT,
        ),
    ),
    ("rights_changed", "person", "Mehmet Aydın", "is_active", False): (
        (
            "Rechte geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde der Zugang von Mehmet Aydın zum Büro von Messe Test GmbH deaktiviert, von "
            "Ole Lindqvist.",
            "Waren Sie das nicht, und wissen Sie nichts davon? Dann fragen Sie sofort nach, und prüfen Sie auch Ihren "
            "eigenen Zugang:",
            ACCOUNT,
        ),
        (
            "Rights changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, Mehmet Aydın was deactivated at the office of Messe Test GmbH by "
            "Ole Lindqvist.",
            "Was it not you, and do you know nothing of it? Then ask at once, and check your own account as well:",
            ACCOUNT,
        ),
    ),
    ("rights_changed", "person", "Mehmet Aydın", "is_active", True): (
        (
            "Rechte geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde der Zugang von Mehmet Aydın zum Büro von Messe Test GmbH wieder aktiviert, "
            "von Ole Lindqvist.",
            "Waren Sie das nicht, und wissen Sie nichts davon? Dann fragen Sie sofort nach, und prüfen Sie auch Ihren "
            "eigenen Zugang:",
            ACCOUNT,
        ),
        (
            "Rights changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, Mehmet Aydın was activated again at the office of Messe Test GmbH by "
            "Ole Lindqvist.",
            "Was it not you, and do you know nothing of it? Then ask at once, and check your own account as well:",
            ACCOUNT,
        ),
    ),
    ("person_invited", "person", "www.evil.example", "role", "owner"): (
        (
            "Neue Person im Büro: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurde [Name ausgelassen] ins Büro von Messe Test GmbH eingeladen, von "
            "Ole Lindqvist.",
            "Rechte: Leitung",
            "Waren Sie das nicht, und wissen Sie nichts davon? Dann fragen Sie sofort nach, und prüfen Sie auch Ihren "
            "eigenen Zugang:",
            ACCOUNT,
        ),
        (
            "New person at the office: Messe Test GmbH",
            "On 28 November 2026, 11:35, [name left out] was invited to the office of Messe Test GmbH by "
            "Ole Lindqvist.",
            "Rights: Owner",
            "Was it not you, and do you know nothing of it? Then ask at once, and check your own account as well:",
            ACCOUNT,
        ),
    ),
    ("bank_changed",): (
        (
            "Bankdaten geändert: Messe Test GmbH",
            "am 28.11.2026, 11:35 Uhr wurden die Bankdaten von Messe Test GmbH geändert, von Ole Lindqvist. Künftige "
            "Rechnungen nennen die neuen.",
            "IBAN, letzte vier Stellen: bisher 0130, jetzt 2051\n"
            "Weitere Konten, letzte vier Stellen: bisher keine, jetzt 0130, 4711\n"
            "BIC: geändert\n"
            "Name des Veranstalters: geändert",
            "Waren Sie das nicht, und wissen Sie nichts davon? Dann fragen Sie sofort nach, und prüfen Sie auch Ihren "
            "eigenen Zugang:",
            ACCOUNT,
        ),
        (
            "Bank details changed: Messe Test GmbH",
            "On 28 November 2026, 11:35, the bank details of Messe Test GmbH were changed by Ole Lindqvist. Future "
            "invoices show the new ones.",
            "IBAN, last four characters: before 0130, now 2051\n"
            "Further accounts, last four characters: before none, now 0130, 4711\n"
            "BIC: changed\n"
            "Name of the organiser: changed",
            "Was it not you, and do you know nothing of it? Then ask at once, and check your own account as well:",
            ACCOUNT,
        ),
    ),
}
LANGUAGES = ("de", "en")
GREETINGS = {"de": "Guten Tag Carla Weiß,", "en": "Dear Carla Weiß,"}


class Acting:
    """A person of the office that acts, with a session or with an API key."""

    request_id, address, agent = "r", "203.0.113.9", FIREFOX

    def __init__(self, admin_id=None, admin_name=None, key_id=None):
        self.admin_id, self.admin_name, self.key_id = admin_id, admin_name, key_id


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def settings(tmp_path, template, inbox):
    """The configuration of an organiser with a mail server, and whose bank account is a setting."""
    (tmp_path / "eventapi.db").write_bytes(template)
    server = Server(inbox).start()
    yield load(
        tmp_path,
        smtp_host="127.0.0.1",
        smtp_port=str(server.port),
        smtp_security="none",
        smtp_sender="desk@messe.test",
        mails_per_minute="100000",
        base_url="https://events.example.org",
        organiser_name="Messe Test GmbH",
        organiser_email="office@messe.test",
        language="de",
        timezone="Europe/Berlin",
    )
    server.stop()


@pytest.fixture(autouse=True)
def fresh():
    job.paused.clear()
    yield
    job.finish()


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Return a function that sets the clock to a time after START."""

    def to(age):
        monkeypatch.setattr(times, "now", lambda: times.after(START, age))

    to(timedelta())
    return to


@pytest.fixture
def person(db):
    """Return a function that makes a person who has signed in, and returns its id."""

    def make(name="Carla Weiß", email="carla@messe.test", role="owner", language="de"):
        with db.write():
            id = people.invite(db, name, email, role, language=language)
            people.record_sign_in(db, id)
        return id

    return make


def write(db, act, *args, **values):
    """Call a function inside a write transaction."""
    with db.write():
        return act(db, *args, **values)


def paragraphs(message):
    """Return the paragraphs of a mail without its closing, and check that the HTML has the same."""
    text = message.get_body(("plain",)).get_content().strip().replace("\r\n", "\n")
    html = message.get_body(("html",)).get_content()
    parts = text.split("\n\n")
    for part in parts:
        for line in part.split("\n"):
            assert line in html, line
    assert parts[-2:] == [
        mail_words.WORDS[message["Content-Language"]]["regards"],
        "Messe Test GmbH",
    ]
    return parts[:-2]


def secret_in(message):
    [secret] = re.findall(
        r"https://events\.example\.org/link/(evl_\S+)", message.get_body(("plain",)).get_content()
    )
    return secret


# Notices


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_notice_says_what_when_and_by_whom(db, inbox, person, language):
    id = person(language=language)
    db.actor = Acting(1, "Ole Lindqvist")
    with db.write():
        for notice, *pairs in TOLD:
            details = dict(zip(pairs[::2], pairs[1::2], strict=True))
            if notice == "bank_changed":
                notices.tell_of_bank(db, CHANGES)
                continue
            former = "former@messe.test" if notice == "email_changed" else None
            notices.tell(db, notice, admin_id=id, to=former, details=details)
    assert sent(db) == [("sent", None)] * len(TOLD)

    assert {notice for notice, *_ in TOLD} == set(notices.NOTICES)
    for (notice, *_), both, message in zip(TOLD, TOLD.values(), inbox.messages, strict=True):
        subject, *wanted = both[LANGUAGES.index(language)]
        assert message["Subject"] == subject
        assert paragraphs(message) == [GREETINGS[language], *wanted]
        assert message["Reply-To"] == "office@messe.test"
        former = notice == "email_changed"
        [to] = message["To"].addresses
        assert to.addr_spec == ("former@messe.test" if former else "carla@messe.test")


@pytest.mark.parametrize(
    "actor, german, english",
    [
        (Acting(1, "Ole", key_id=3), "von Ole (API-Schlüssel).", "by Ole (API key)."),
        (
            Acting(None, "root (command line)"),
            "von der Administration des Servers.",
            "by the administrator of the server.",
        ),
        (Acting(1, "evil.example"), "von [Name ausgelassen].", "by [name left out]."),
    ],
)
def test_a_notice_names_who_has_acted_but_no_link(db, inbox, person, actor, german, english):
    ids = person(), person("Ole Lindqvist", "ole@messe.test", language="en")
    db.actor = actor
    with db.write():
        for id in ids:
            notices.tell(db, "password_changed", admin_id=id)
    sent(db)
    for message, end in zip(inbox.messages, (german, english), strict=True):
        assert paragraphs(message)[1].endswith(end)


def test_a_person_whose_name_is_a_link_is_greeted_without_it(db, inbox, person):
    id = person("www.evil.example")
    write(db, notices.tell, "factor_added", admin_id=id)
    sent(db)
    [message] = inbox.messages
    assert paragraphs(message)[0] == "Guten Tag,"
    assert "evil" not in message.as_string()


def test_a_notice_of_somebody_who_was_deactivated_or_has_no_address_is_not_sent(db, inbox, person):
    person()
    ids = person("A", "a@messe.test", "door"), person("B", "b@messe.test", "door")
    with db.write():
        for id in ids:
            notices.tell(db, "factor_added", admin_id=id)
        people.disable(db, ids[0])
        db.connection.execute("UPDATE admins SET email = NULL WHERE id = ?", (ids[1],))
    assert ("failed", "the person has no active account any more") in sent(db)
    assert ("failed", "the person has no address any more") in sent(db)
    assert inbox.recipients == ["carla@messe.test"]  # what the owner is told of the first one


def test_the_former_address_is_told_though_links_go_to_the_new_one(db, inbox, person):
    id = person()
    write(db, people.change_email, id, "new@messe.test")
    assert sent(db) == [("sent", None)]
    assert inbox.recipients == ["carla@messe.test"]
    assert inbox.messages[0]["Subject"] == "Ihre E-Mail-Adresse wurde geändert: Messe Test GmbH"
    assert "new@" not in inbox.messages[0].as_string()


# Invitations


@pytest.mark.parametrize(
    "language, subject, wanted",
    [
        (
            "de",
            "Carla Weiß lädt Sie ins Büro von Messe Test GmbH ein",
            [
                "Guten Tag Mehmet Aydın,",
                "Carla Weiß hat Sie ins Büro von Messe Test GmbH eingeladen. Mit diesem Link melden Sie sich an:",
                "LINK",
                "Der Link gilt sieben Tage und nur einmal. Er ist nur für Sie: Bitte leiten Sie ihn nicht weiter. Wenn "
                "Sie nicht wissen, worum es geht, ignorieren Sie bitte diese E-Mail: Dann geschieht nichts.",
            ],
        ),
        (
            "en",
            "Carla Weiß invites you to the office of Messe Test GmbH",
            [
                "Dear Mehmet Aydın,",
                "Carla Weiß has invited you to the office of Messe Test GmbH. With this link you sign in:",
                "LINK",
                "The link is valid for seven days, and works once. It is meant for you alone: please do not forward "
                "it. If you do not know what this is about, ignore this e-mail: nothing happens then.",
            ],
        ),
    ],
)
def test_an_invitation_has_a_link_that_lasts_a_week(db, inbox, person, language, subject, wanted):
    id = person("Mehmet Aydın", "mehmet@messe.test", "door", language)
    db.actor = Acting(id, "Carla Weiß")
    write(db, invitations.invite_by_mail, id)
    assert sent(db) == [("sent", None)]
    [message] = inbox.messages
    assert message["Subject"] == subject
    assert message["Reply-To"] == "office@messe.test"
    secret = secret_in(message)
    address = f"https://events.example.org/link/{secret}"
    assert [part.replace(address, "LINK") for part in paragraphs(message)] == wanted

    row = link_secrets.find(db, secret)
    assert (row["admin_id"], row["scopes"], row["way"]) == (id, None, "mailed")
    assert (row["mailed_to"], row["expires_at"]) == ("mehmet@messe.test", "2026-12-05T10:35:00Z")


def test_an_invitation_of_the_command_line_names_nobody(db, inbox, person):
    id = person("Mehmet Aydın", "mehmet@messe.test", "door")
    db.actor = Acting(None, "root (command line)")
    write(db, invitations.invite_by_mail, id)
    sent(db)
    assert inbox.messages[0]["Subject"] == "Einladung ins Büro von Messe Test GmbH"
    assert paragraphs(inbox.messages[0])[1] == (
        "Sie sind ins Büro von Messe Test GmbH eingeladen. Mit diesem Link melden Sie sich an:"
    )


def test_the_secret_is_in_the_mail_only(db, inbox, person):
    id = person()
    write(db, invitations.invite_by_mail, id)
    sent(db)
    secret = secret_in(inbox.messages[0])
    dump = "\n".join(db.connection.iterdump())
    assert secret not in dump and "evl_" not in dump


@pytest.mark.parametrize("change", ["disable", "change_email"])
def test_no_link_goes_to_somebody_who_was_deactivated_or_has_another_address(
    db, inbox, person, change
):
    person()
    id = person("Mehmet Aydın", "mehmet@messe.test", "door")
    write(db, invitations.invite_by_mail, id)
    write(db, getattr(people, change), id, *(["m@messe.test"] if change == "change_email" else []))
    states = sent(db)
    assert ("failed", "the person has no active account with this address any more") in states
    assert not [message for message in inbox.messages if "/link/" in message.as_string()]
    assert db.connection.execute("SELECT count(*) FROM link_secrets").fetchone() == (0,)


def test_a_person_is_invited_once_in_ten_minutes_and_five_times_a_day(db, person, clock):
    id = person("Mehmet Aydın", "mehmet@messe.test", "door")
    for number in range(5):
        clock(number * 10 * MINUTE)
        write(db, invitations.invite_by_mail, id)
        if number < 4:
            with pytest.raises(Problem) as refused:
                write(db, invitations.invite_by_mail, id)
            assert (refused.value.code, refused.value.members["until"]) == (
                "rate_limited",
                times.after(START, (number + 1) * 10 * MINUTE),
            )
    clock(timedelta(hours=23))
    with pytest.raises(Problem) as refused:
        write(db, invitations.invite_by_mail, id)
    assert refused.value.members["until"] == "2026-11-29T10:35:00Z"
    clock(timedelta(hours=24))
    write(db, invitations.invite_by_mail, id)


def test_fifty_people_are_invited_a_day(db, person):
    ids = [person(f"P{number}", f"p{number}@messe.test", "door") for number in range(51)]
    for id in ids[:50]:
        write(db, invitations.invite_by_mail, id)
    with pytest.raises(Problem) as refused:
        write(db, invitations.invite_by_mail, ids[50])
    assert refused.value.code == "rate_limited"


def test_an_invitation_needs_a_mail_server_a_public_address_and_an_address(db, person):
    id = person()
    db.connection.execute("UPDATE admins SET email = NULL WHERE id = ?", (id,))
    with pytest.raises(Problem) as refused:
        write(db, invitations.invite_by_mail, id)
    assert refused.value.code == "invalid_transition"
    with pytest.raises(Problem) as refused:
        write(db, invitations.invite_by_mail, 4711)
    assert refused.value.code == "not_found"
    db.connection.execute("UPDATE admins SET email = 'a@messe.test' WHERE id = ?", (id,))
    db.config = load(db.config.data_dir)
    with pytest.raises(Problem) as refused:
        write(db, invitations.invite_by_mail, id)
    assert refused.value.code == "mail_not_configured" and "smtp_host" in refused.value.detail
    db.config = load(db.config.data_dir, smtp_host="localhost", smtp_sender="a@messe.test")
    with pytest.raises(Problem) as refused:
        write(db, invitations.invite_by_mail, id)
    assert refused.value.code == "mail_not_configured" and "base_url" in refused.value.detail


# Links that people ask for


def ask(db, email, client="203.0.113.9"):
    write(db, invitations.ask_for_link, email, client)


@pytest.mark.parametrize(
    "language, subject, wanted",
    [
        (
            "de",
            "Ihr Link ins Büro von Messe Test GmbH",
            [
                "Guten Tag Carla Weiß,",
                "mit diesem Link melden Sie sich im Büro von Messe Test GmbH an:",
                "LINK",
                "Der Link gilt 30 Minuten und nur einmal. Wenn Sie ihn nicht angefordert haben, ignorieren Sie bitte "
                "diese E-Mail: Dann geschieht nichts. Bitte leiten Sie ihn nie weiter.",
            ],
        ),
        (
            "en",
            "Your link to the office of Messe Test GmbH",
            [
                "Dear Carla Weiß,",
                "With this link you sign in at the office of Messe Test GmbH:",
                "LINK",
                "The link is valid for 30 minutes, and works once. If it was not you who asked for it, ignore this "
                "e-mail: nothing happens then. Please never forward it.",
            ],
        ),
    ],
)
def test_somebody_who_asks_gets_a_link_for_half_an_hour(
    db, inbox, person, language, subject, wanted
):
    id = person(language=language)
    ask(db, " Carla@Messe.test")
    assert sent(db) == [("sent", None)]
    [message] = inbox.messages
    assert message["Subject"] == subject
    assert inbox.recipients == ["carla@messe.test"]
    secret = secret_in(message)
    address = f"https://events.example.org/link/{secret}"
    assert [part.replace(address, "LINK") for part in paragraphs(message)] == wanted
    row = link_secrets.find(db, secret)
    assert (row["admin_id"], row["expires_at"]) == (id, "2026-11-28T11:05:00Z")


def test_nothing_is_looked_up_when_somebody_asks(db, person):
    """The same statements run for an address with an account, without one, and a deactivated one."""
    person("Owner", "owner@messe.test")
    person()
    write(db, people.disable, person("Gone", "gone@messe.test", "door"))
    traces = []
    for number, email in enumerate(("carla@messe.test", "gone@messe.test", "x@messe.test")):
        found = []
        with db.write():
            db.connection.set_trace_callback(found.append)
            invitations.ask_for_link(db, email, f"203.0.113.{number}")
            db.connection.set_trace_callback(None)
        traces.append([re.sub(r"'[^']*'|\d+", "?", text) for text in found])
    assert traces[0] == traces[1] == traces[2]
    assert not [text for text in traces[0] if "admins" in text]


def test_only_active_accounts_with_this_address_get_a_link(db, inbox, person, organiser_key):
    person()
    write(db, people.disable, person("Gone", "gone@messe.test", "door"))
    for number, email in enumerate(("gone@messe.test", "x@messe.test", "no account", "")):
        ask(db, email, f"203.0.113.{number}")
    sent(db)
    assert [message for message in inbox.messages if "/link/" in message.as_string()] == []
    assert invitations.handle_requests(db, 10) == 0


@pytest.fixture
def organiser_key(db):
    """An admin without an account, as before the upgrade."""
    with db.write():
        db.connection.execute(
            "INSERT INTO admins (name, email, created_at, updated_at) VALUES ('Old', 'old@messe.test', ?, ?)",
            (START, START),
        )


def links_mailed(db, inbox):
    for _ in range(2):  # a round takes 100 requests
        sent(db)
    return len([message for message in inbox.messages if "/link/" in message.as_string()])


def test_an_address_gets_one_link_in_ten_minutes_and_five_a_day(db, inbox, person, clock):
    person()
    found = []
    for minutes in (0, 5, 10, 20, 30, 40, 50, 60, 24 * 60):
        clock(minutes * MINUTE)
        ask(db, "carla@messe.test", f"203.0.113.{minutes % 250}")
        found.append(links_mailed(db, inbox))
    assert found == [1, 1, 2, 3, 4, 5, 5, 5, 6]


def test_a_network_asks_for_ten_links_an_hour(db, inbox, person, clock):
    for number in range(12):
        person(f"P{number}", f"p{number}@messe.test")
    for number in range(11):
        ask(db, f"p{number}@messe.test", f"2001:db8::{number + 1}")
    assert links_mailed(db, inbox) == 10
    ask(db, "p11@messe.test", "2001:db8:0:1::1")
    assert links_mailed(db, inbox) == 11
    clock(60 * MINUTE)
    ask(db, "p10@messe.test", "2001:db8::1")
    assert links_mailed(db, inbox) == 12


def test_sixty_links_are_mailed_an_hour_whatever_made_up_addresses_ask_for(
    db, inbox, person, clock
):
    for number in range(62):
        person(f"P{number}", f"p{number}@messe.test")
    for number in range(100):
        ask(db, f"x{number}@messe.test", f"198.51.100.{number}")
    for number in range(61):
        ask(db, f"p{number}@messe.test", f"203.0.113.{number}")
    assert links_mailed(db, inbox) == 60
    clock(60 * MINUTE)
    ask(db, "p61@messe.test", "203.0.113.61")
    assert links_mailed(db, inbox) == 61


def test_requests_for_the_desk_and_for_pages_of_exhibitors_do_not_meet(db, inbox, person):
    person()
    ask(db, "carla@messe.test")
    write(db, access_links.ask_for_mail, "carla@messe.test", "https://events.example.org")
    rows = db.connection.execute("SELECT purpose FROM link_requests ORDER BY id").fetchall()
    assert rows == [("desk",), ("links",)]
    assert links_mailed(db, inbox) == 1


def test_without_mail_nobody_can_ask(db):
    db.config = load(db.config.data_dir)
    ask(db, "carla@messe.test")
    assert db.connection.execute("SELECT count(*) FROM link_requests").fetchone() == (0,)


# Test mails


@pytest.mark.parametrize(
    "language, subject, wanted",
    [
        (
            "de",
            "Probe-Mail von Messe Test GmbH",
            "dies ist eine Probe-Mail aus dem Büro von Messe Test GmbH. Wenn Sie sie lesen, sind E-Mails richtig "
            "eingerichtet.",
        ),
        (
            "en",
            "Test mail of Messe Test GmbH",
            "This is a test mail from the office of Messe Test GmbH. If you can read it, mails are set up correctly.",
        ),
    ],
)
def test_a_test_mail_that_was_sent(db, inbox, person, clock, language, subject, wanted):
    id = person(language=language)
    assert notices.test_state(db, id) is None
    write(db, notices.send_test, id)
    assert notices.test_state(db, id) == {"state": "waiting", "at": START, "answer": None}
    assert not notices.was_test_sent(db)
    clock(MINUTE)
    sent(db)
    assert notices.test_state(db, id) == {
        "state": "sent",
        "at": "2026-11-28T10:36:00Z",
        "answer": None,
    }
    assert notices.was_test_sent(db)
    [message] = inbox.messages
    assert (message["Subject"], message["Reply-To"]) == (subject, "office@messe.test")
    assert paragraphs(message) == [GREETINGS[language], wanted]


def test_a_test_mail_that_was_refused_has_the_answer_of_the_server(db, inbox, person, clock):
    id = person()
    inbox.refusals["carla@messe.test"] = "550 5.1.1 no such mailbox"
    write(db, notices.send_test, id)
    sent(db)
    answer = "refused: 550 5.1.1 no such mailbox"
    assert notices.test_state(db, id) == {"state": "failed", "at": START, "answer": answer}
    assert not notices.was_test_sent(db)

    inbox.refusals["carla@messe.test"] = "450 4.2.1 try later"
    write(db, notices.send_test, id)
    sent(db)
    answer = "refused: 450 4.2.1 try later"
    assert notices.test_state(db, id) == {"state": "waiting", "at": START, "answer": answer}


def test_the_last_test_mail_that_was_sent_is_kept(db, inbox, person, clock):
    ids = person(), person("Ole Lindqvist", "ole@messe.test")
    for id in ids:
        write(db, notices.send_test, id)
        sent(db)
    clock(timedelta(days=91))
    assert mails.delete_old(db, 100) == 1
    assert notices.was_test_sent(db)
    assert [notices.test_state(db, id) is not None for id in ids] == [False, True]


def test_a_person_gets_five_test_mails_an_hour(db, person, clock):
    id, other = person(), person("Ole Lindqvist", "ole@messe.test")
    for _ in range(5):
        write(db, notices.send_test, id)
    with pytest.raises(Problem) as refused:
        write(db, notices.send_test, id)
    assert refused.value.members["until"] == "2026-11-28T11:35:00Z"
    write(db, notices.send_test, other)


def test_a_link_leaves_before_confirmations_that_were_asked_for_earlier(db, inbox, person):
    id = person()
    with db.write():
        for _ in range(2):
            notices.tell(db, "factor_added", admin_id=id)
        notices.send_test(db, id)
        invitations.invite_by_mail(db, id)
    sent(db)
    assert [message["Subject"] for message in inbox.messages] == [
        "Einladung ins Büro von Messe Test GmbH",
        "Probe-Mail von Messe Test GmbH",
        *["Zweiter Faktor eingerichtet: Messe Test GmbH"] * 2,
        "Neue Person im Büro: Messe Test GmbH",
    ]
