"""The commands that let people of the office in, and send them out."""

import json

import pytest

from eventapi.domain.access import link_secrets, people, sessions
from tests.pages.conftest import Visitor

PRINTED = "http://127.0.0.1:8080/link/evl_"


def admins(run):
    return json.loads("\n".join(run("admin", "list", "--json")[1]))


@pytest.fixture
def owner(run):
    """An owner who was invited; the secret of the link that was printed."""
    code, lines, error = run("admin", "invite", "Ada Lovelace", "ada@messe.example")
    assert (code, error) == (0, "") and lines[0].startswith(PRINTED)
    assert lines[1] == (
        "This link signs Ada Lovelace in once (owner), within 7 days. Give it to nobody else."
    )
    return lines[0].rpartition("/")[2]


def signed_in(db, id, **values):
    with db.write():
        return sessions.add(db, admin_id=id, way="password", **values)


def is_open(db, secret):
    return sessions.is_open(sessions.find(db, secret), "admin")


def test_the_first_person_is_an_owner_and_signs_in_by_the_link(owner, run, app, db):
    visitor = Visitor(app)
    visitor.get(f"/link/{owner}")
    visitor.post(f"/link/{owner}")
    assert "To do" in visitor.get("/desk/")
    (ada,) = admins(run)
    assert (ada["role"], ada["email"], ada["is_active"]) == ("owner", "ada@messe.example", True)
    assert "team" in ada["scopes"] and ada["last_seen_at"]
    assert set(ada) == {
        "id",
        "name",
        "email",
        "role",
        "scopes",
        "is_active",
        "has_password",
        "has_factor",
        "invited_at",
        "last_seen_at",
        "created_at",
    }


def test_the_next_person_needs_a_role(owner, run, db):
    code, lines, error = run("admin", "invite", "Grace", "grace@messe.example")
    assert (code, lines) == (1, [])
    assert "--role is missing; use one of owner, office, finance, door or reader" in error
    assert run("admin", "invite", "Grace", "grace@messe.example", "--role", "door")[0] == 0
    scopes = ("--scope", "events", "--scope", "team")
    assert run("admin", "invite", "Eve", "eve@messe.example", *scopes)[0] == 0
    assert [(person["role"], len(person["scopes"])) for person in people.all_people(db)[1:]] == [
        ("door", 6),
        ("custom", 2),
    ]
    assert (
        "is the address of Grace"
        in run("admin", "invite", "Bob", "Grace@messe.example", "--role", "door")[2]
    )


def test_a_second_invitation_ends_the_first(owner, run, db):
    again = run("admin", "invite", "1")[1][0].rpartition("/")[2]
    assert again != owner
    assert link_secrets.find(db, owner) is None and link_secrets.find(db, again)
    for words in (("1", "new@messe.example"), ("1", "--role", "door")):
        code, _, error = run("admin", "invite", *words)
        assert code == 1 and "eventapi admin rights 1" in error


def test_an_admin_of_api_keys_gets_an_account(run, db):
    run("key", "create", "--name", "shop", "--all-scopes")
    assert "needs an e-mail address" in run("admin", "invite", "1")[2]
    assert run("admin", "invite", "1", "ada@messe.example")[0] == 0
    person = people.get(db, 1)
    assert (person["name"], person["role"]) == ("Administrator", "owner")
    assert (person["email"], person["last_seen_at"]) == ("ada@messe.example", None)


def test_with_a_mail_server_an_invitation_is_mailed_and_printed_if_asked_for(run, db, monkeypatch):
    for name, text in (
        ("BASE_URL", "https://messe.example"),
        ("SMTP_HOST", "localhost"),
        ("SMTP_SENDER", "office@messe.example"),
    ):
        monkeypatch.setenv(f"EVENTAPI_{name}", text)
    code, lines, error = run("admin", "invite", "Ada", "ada@messe.example")
    assert (code, error) == (0, "")
    assert lines == [
        "An invitation goes to ada@messe.example (owner). Its link signs in once, within 7 days."
    ]
    mails = "SELECT kind, text, recipient FROM mails"
    assert db.connection.execute(mails).fetchall() == [
        ("sign_in", "invitation", "ada@messe.example")
    ]
    code, _, error = run("admin", "invite", "1")
    assert code == 1 and error  # one in ten minutes
    code, lines, _ = run("admin", "invite", "1", "--print")
    assert code == 0 and lines[0].startswith("https://messe.example/link/evl_")
    assert len(db.connection.execute(mails).fetchall()) == 1


def test_a_link_of_the_command_line_has_the_rights_of_the_person(owner, run, db):
    for words in (("admin", "link", "1"), ("desk", "link", "1")):
        code, lines, _ = run(*words)
        secret = link_secrets.find(db, lines[0].rpartition("/")[2])
        assert code == 0 and (secret["admin_id"], secret["scopes"]) == (1, None)
    lines = run("desk", "link", "1", "--scope", "events")[1]
    assert link_secrets.find(db, lines[0].rpartition("/")[2])["scopes"] == "events"
    run("admin", "add", "Grace")
    lines = run("desk", "link", "2")[1]
    scopes = link_secrets.find(db, lines[0].rpartition("/")[2])["scopes"].split()
    assert "invoices:read" in scopes and all(scope.endswith(":read") for scope in scopes)
    code, _, error = run("admin", "link", "2")
    assert code == 1 and "admin 2 (Grace) has no account; invite the person first" in error


def test_rights_are_changed_but_never_those_of_the_last_owner(owner, run, db):
    with db.write():
        people.record_sign_in(db, 1)
    for words in (("rights", "1", "--role", "door"), ("disable", "1")):
        code, _, error = run("admin", *words)
        assert code == 1 and "is the last owner; make another person owner first" in error
    run("admin", "invite", "Grace", "grace@messe.example", "--role", "reader")
    assert run("admin", "rights", "2", "--role", "office")[0] == 0
    assert run("admin", "rights", "2", "--scope", "events", "--scope", "team")[0] == 0
    person = people.get(db, 2)
    assert (person["role"], person["scopes"]) == ("custom", ["events", "team"])
    assert run("admin", "disable", "2")[0] == 0 and run("admin", "enable", "2")[0] == 0
    assert people.get(db, 2)["is_active"]


@pytest.mark.parametrize(
    "words, left",
    [((), (False, False)), (("--password",), (False, True)), (("--factor",), (True, False))],
)
def test_a_reset_prints_a_link_and_ends_the_sessions(owner, run, db, words, left):
    db.connection.execute("UPDATE admins SET password_hash = 'x', totp_secret = 'AAAA'")
    session = signed_in(db, 1)
    code, lines, _ = run("admin", "reset", "1", *words)
    assert code == 0 and link_secrets.find(db, lines[0].rpartition("/")[2])
    assert link_secrets.find(db, owner) is None and not is_open(db, session)
    person = people.get(db, 1)
    assert (person["has_password"], person["has_factor"]) == left


def test_sessions_are_listed_and_ended(owner, run, db, organiser):
    run("admin", "invite", "Grace", "grace@messe.example", "--role", "reader")
    with db.write():
        of_key = sessions.add(db, api_key_id=1)
        by_link = sessions.add(db, admin_id=1, way="shown")
    first, second, other = signed_in(db, 1), signed_in(db, 1), signed_in(db, 3)
    rows = json.loads("\n".join(run("desk", "sessions", "--json")[1]))
    assert [row["opened_by"] for row in rows] == ["key", "link", "password", "password", "password"]
    assert run("desk", "end", str(rows[2]["id"])) == (0, [], "")
    assert run("desk", "end", "--admin", "1") == (0, ["2 sessions ended"], "")
    assert [is_open(db, one) for one in (first, second, by_link, other, of_key)] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert run("desk", "end", "--all") == (0, ["2 sessions ended"], "")
    assert not is_open(db, other) and not is_open(db, of_key)
    assert run("desk", "end", "7")[0] == 1


def test_a_restore_ends_all_sessions_of_the_desk_and_all_links_of_people(owner, run, db, settings):
    session = signed_in(db, 1)
    with db.write():
        of_key = sessions.add(db, api_key_id=None, admin_id=1, way="shown")
        db.connection.execute(
            "INSERT INTO pending_codes VALUES ('x', 1, 0, 'password', NULL, 'desk/', 0, '2099-01-01')"
        )
    code, _, error = run("backup", str(settings.data_dir / "now.tar"))
    assert code == 0, error
    db.close()
    code, _, error = run("restore", "--force", str(settings.data_dir / "now.tar"))
    assert code == 0, error
    restored = type(db)(settings)
    assert not is_open(restored, session) and not is_open(restored, of_key)
    assert link_secrets.find(restored, owner) is None
    assert restored.connection.execute("SELECT count(*) FROM pending_codes").fetchone() == (0,)
    restored.close()


def test_the_request_log_names_the_person_and_not_the_admin_of_a_key(
    owner, app, organiser, monkeypatch, caplog
):
    lines = []
    monkeypatch.setattr("eventapi.web.request_log.write", lines.append)
    caplog.set_level("INFO", "eventapi.request")
    visitor = Visitor(app)
    visitor.post(f"/link/{owner}")
    visitor.get("/desk/")
    organiser.get("/events", status=200)
    opened, desk, api = lines
    assert " key=- admin=- " in opened and " key=- admin=1 " in desk and " key=1 admin=- " in api
