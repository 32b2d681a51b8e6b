"""Whom the office tells of what: notices that are queued, and what owners see at the desk."""

from datetime import timedelta

import pytest

from eventapi import times
from eventapi.domain.access import notices, people
from eventapi.domain.organiser import settings as organiser_settings
from tests.domain.test_settings import load

START = "2026-11-28T10:35:00Z"
OLD, NEW = "DE89370400440532013000", "DE02120300000000202051"
WITH_MAIL = {
    "smtp_host": "localhost",
    "smtp_sender": "desk@messe.test",
    "base_url": "https://events.example.org",
}


class Acting:
    """A person of the office with all rights that acts, with a session or with an API key."""

    request_id, address, agent = "r", "203.0.113.9", None
    scopes = None

    def __init__(self, id, name, key_id=None):
        self.admin_id, self.admin_name, self.key_id = id, name, key_id


@pytest.fixture
def settings(tmp_path, template):
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path, **WITH_MAIL)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Return a function that sets the clock to a time after START."""

    def to(age):
        monkeypatch.setattr(times, "now", lambda: times.after(START, age))

    to(timedelta())
    return to


@pytest.fixture
def team(db):
    """Two owners who have signed in, one who has not, and a person at the entrance: name -> id."""
    ids = {}
    with db.write():
        for name, role in (
            ("Carla", "owner"),
            ("Ole", "owner"),
            ("New", "owner"),
            ("Mehmet", "door"),
        ):
            ids[name] = people.invite(db, name, f"{name.lower()}@messe.test", role)
            if name != "New":
                people.record_sign_in(db, ids[name])
    return ids


@pytest.fixture
def act(db, team):
    """Return a function that lets a person act, None: the command line.

    It returns the notices of that: (name of the notice, recipient).
    """
    of_tests = db.actor

    def run(name, function, *args, key_id=None, **values):
        db.actor = Acting(team[name], name, key_id) if name else of_tests
        last = db.connection.execute("SELECT ifnull(max(id), 0) FROM mails").fetchone()[0]
        with db.write():
            function(db, *args, **values)
        rows = db.connection.execute(
            "SELECT text, recipient FROM mails WHERE kind = 'notice' AND id > ? ORDER BY id",
            (last,),
        )
        return rows.fetchall()

    return run


def to(notice, *names):
    return [(notice, f"{name}@messe.test") for name in names]


# People


def test_owners_are_told_of_an_invitation_and_of_rights(act, team):
    invited = act("Carla", people.record_invitation, team["Mehmet"], "shown")
    assert invited == to("person_invited", "carla", "ole")
    changed = act("Carla", people.change_rights, team["Mehmet"], "office")
    assert changed == to("rights_changed", "carla", "ole")
    assert act("Carla", people.change_rights, team["Mehmet"], "office") == []
    assert act(None, people.disable, team["Mehmet"]) == to("rights_changed", "carla", "ole")
    assert act(None, people.enable, team["Mehmet"]) == to("rights_changed", "carla", "ole")


def test_an_owner_who_is_none_any_more_is_told(act, team):
    changed = act("Carla", people.change_rights, team["Ole"], "reader")
    assert changed == to("rights_changed", "carla", "ole")


def test_a_person_is_told_at_its_former_address(act, team):
    changed = act("Carla", people.change_email, team["Mehmet"], "m@messe.test")
    assert changed == to("email_changed", "mehmet")
    assert act("Carla", people.change_email, team["Mehmet"], "m@messe.test") == []


def test_a_person_is_told_of_the_same_thing_five_times_an_hour_at_most(act, team, clock):
    told = []
    for n in range(8):
        told += act("Carla", people.change_email, team["Mehmet"], f"m{n}@messe.test")
    assert told == [
        ("email_changed", "mehmet@messe.test"),
        *(("email_changed", f"m{n}@messe.test") for n in range(4)),
    ]
    changed = act("Carla", people.change_rights, team["Mehmet"], "office")
    assert changed == to("rights_changed", "carla", "ole")
    clock(timedelta(minutes=61))
    again = act("Carla", people.change_email, team["Mehmet"], "again@messe.test")
    assert again == [("email_changed", "m7@messe.test")]


def test_a_person_is_told_that_somebody_has_removed_password_and_factor(db, act, team):
    assert act(None, people.reset, team["Mehmet"]) == []
    db.connection.execute(
        "UPDATE admins SET password_hash = 'x', totp_secret = 'y' WHERE id = ?", (team["Mehmet"],)
    )
    assert act(None, people.reset, team["Mehmet"]) == [
        *to("password_changed", "mehmet"),
        *to("factor_removed", "mehmet"),
    ]


def test_nothing_is_queued_without_a_mail_server_or_a_public_address(db, act, team):
    for left_out in WITH_MAIL:
        given = {name: text for name, text in WITH_MAIL.items() if name != left_out}
        db.config = load(db.config.data_dir, **given)
        assert not notices.can_mail(db.config)
        assert act(None, notices.tell, "factor_added", admin_id=team["Carla"]) == []
    db.config = load(db.config.data_dir, **WITH_MAIL)
    told = act(None, notices.tell, "factor_added", admin_id=team["Carla"])
    assert told == to("factor_added", "carla")


def test_nobody_is_told_who_has_no_account_no_address_or_was_deactivated(db, act, team):
    db.connection.execute("UPDATE admins SET email = NULL WHERE name = 'Ole'")
    db.connection.execute("UPDATE admins SET is_active = 0 WHERE name = 'Mehmet'")
    for name in ("Ole", "Mehmet"):
        assert act(None, notices.tell, "factor_added", admin_id=team[name]) == []
    assert act(None, notices.tell, "bank_changed", details={"changes": {}}) == to(
        "bank_changed", "carla"
    )


@pytest.mark.parametrize(
    ("notice", "former"), [("bank_deleted", None), ("email_changed", None), ("factor_added", "a@b")]
)
def test_a_notice_that_does_not_exist_or_has_no_right_address_is_an_error(db, team, notice, former):
    with pytest.raises(ValueError), db.write():
        notices.tell(db, notice, admin_id=team["Carla"], to=former)


# The bank account


def change(db, **values):
    organiser_settings.change(db, values)


def test_owners_are_told_of_another_bank_account_but_not_who_sets_the_first(act):
    assert act("Carla", change, organiser_iban=OLD) == to("bank_changed", "ole")
    assert act("Carla", change, organiser_iban=OLD) == []
    assert act("Carla", change, organiser_iban=NEW) == to("bank_changed", "carla", "ole")
    assert act("Carla", change, organiser_bic="BYLADEM1001") == to("bank_changed", "ole")
    assert act("Carla", change, organiser_bic=None) == to("bank_changed", "carla", "ole")
    assert act(None, change, organiser_name="Messe") == to("bank_changed", "carla", "ole")
    assert act("Mehmet", change, organiser_name="Show") == to("bank_changed", "carla", "ole")
    assert act("Carla", change, bank_accounts=None) == to("bank_changed", "carla", "ole")
    assert act("Carla", change, payment_days="30", organiser_city="Leipzig") == []


def test_an_api_key_that_sets_the_first_bank_account_is_told_of_to_its_person(act):
    told = act("Carla", change, organiser_iban=OLD, key_id=7)
    assert told == to("bank_changed", "carla", "ole")


def test_a_refused_change_tells_nobody(db, act):
    with pytest.raises(Exception, match="validation_failed"):
        act("Carla", change, organiser_iban="DE00")
    assert db.connection.execute("SELECT count(*) FROM mails").fetchone() == (0,)


# What owners see at the desk


def test_owners_see_what_has_changed_lately_without_mail(db, act, team, clock):
    db.config = load(db.config.data_dir)
    act("Carla", change, organiser_iban=OLD, organiser_bic="BYLADEM1001")
    clock(timedelta(days=1))
    act("Mehmet", change, organiser_iban=NEW, key_id=7)
    clock(timedelta(days=2))
    act("Ole", people.record_invitation, team["Mehmet"], "shown")
    clock(timedelta(days=3))
    act("Carla", people.change_rights, team["Mehmet"], "office")
    act("Carla", people.rename, team["Mehmet"], "Mehmet A.")
    clock(timedelta(days=4))
    act(None, people.disable, team["Mehmet"])
    act(None, change, payment_days="30")
    clock(timedelta(days=5))
    act("Carla", people.change_rights, team["New"], "custom", ["events"])
    clock(timedelta(days=6))
    act("Carla", people.change_rights, team["New"], "custom", ["events:read"])

    wanted = [
        {
            "notice": "rights_changed",
            "at": "2026-12-04T10:35:00Z",
            "by": "Carla",
            "with_key": False,
            "person": "New",
            "old_role": "custom",
            "role": "custom",
        },
        {
            "notice": "rights_changed",
            "at": "2026-12-03T10:35:00Z",
            "by": "Carla",
            "with_key": False,
            "person": "New",
            "old_role": "owner",
            "role": "custom",
        },
        {
            "notice": "rights_changed",
            "at": "2026-12-02T10:35:00Z",
            "by": None,
            "with_key": False,
            "person": "Mehmet A.",
            "is_active": False,
        },
        {
            "notice": "rights_changed",
            "at": "2026-12-01T10:35:00Z",
            "by": "Carla",
            "with_key": False,
            "person": "Mehmet A.",
            "old_role": "door",
            "role": "office",
        },
        {
            "notice": "person_invited",
            "at": "2026-11-30T10:35:00Z",
            "by": "Ole",
            "with_key": False,
            "person": "Mehmet A.",
            "role": "door",
        },
        {
            "notice": "bank_changed",
            "at": "2026-11-29T10:35:00Z",
            "by": "Mehmet",
            "with_key": True,
            "changes": {"organiser_iban": [["3000"], ["2051"]], "bank_accounts": [[], ["3000"]]},
        },
    ]
    first = {
        "notice": "bank_changed",
        "at": START,
        "by": "Carla",
        "with_key": False,
        "changes": {"organiser_iban": [[], ["3000"]], "organiser_bic": []},
    }
    assert notices.lately(db) == [*wanted, first]
    assert notices.lately(db, team["Ole"]) == [*wanted, first]
    assert notices.lately(db, team["Carla"]) == wanted
    own = [change for change in wanted if change.get("person") != "Mehmet A."]
    assert notices.lately(db, team["Mehmet"]) == [*own, first], "nothing about oneself"
    clock(timedelta(days=14, seconds=1))
    assert notices.lately(db) == wanted
    clock(timedelta(days=21))
    assert notices.lately(db) == []


def test_an_account_that_was_opened_for_an_admin_is_an_invitation(db, act, team):
    with db.write():
        id = db.connection.execute(
            "INSERT INTO admins (name, email, created_at, updated_at) VALUES ('Old', 'old@messe.test', ?, ?)",
            (START, START),
        ).lastrowid
    act("Carla", people.open_account, id, "finance")
    act("Carla", people.record_invitation, id, "mailed")
    [entry] = notices.lately(db)
    assert (entry["notice"], entry["person"], entry["role"]) == ("person_invited", "Old", "finance")


def test_a_program_that_changes_the_bank_account_is_told_of(db, team, organiser):
    for iban in (OLD, NEW):
        organiser.patch("/settings", {"organiser_iban": iban}, status=200)
    rows = db.connection.execute(
        "SELECT recipient, text, details ->> '$.by', details ->> '$.with_key' FROM mails ORDER BY id"
    )
    told = [(f"{name}@messe.test", "bank_changed", "Ada Lovelace", 1) for name in ("carla", "ole")]
    assert rows.fetchall() == [*told, *told]
