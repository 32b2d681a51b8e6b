"""Signing in: what is counted, what is written, and what a code, a link and a session may be used for."""

from datetime import timedelta

import pytest

from eventapi import times
from eventapi.domain.access import (
    api_keys,
    link_secrets,
    own_account,
    passwords,
    people,
    sessions,
    signing_in,
    totp,
)
from eventapi.domain.access.own_account import Changed
from eventapi.domain.access.signing_in import Entered, Pending, Refused, Visitor
from eventapi.errors import Problem

START = "2027-05-01T09:00:00Z"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
EMAIL, PASSWORD, OTHER = "carla@messe.example", "kommode-41-Falter", "falter-41-Kommode"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch):
    """Let a hash take no time."""
    for name, value in (("COST", 2), ("BLOCK_SIZE", 1), ("PARALLEL", 1)):
        monkeypatch.setattr(passwords, name, value)
    monkeypatch.setattr(passwords, "DUMMY", passwords.hashed("nobody has this one"))


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Return a function that sets the clock to a time after START."""

    def to(age):
        monkeypatch.setattr(times, "now", lambda: times.after(START, age))

    to(timedelta())
    return to


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """Return the list of notices: (name, admin, details)."""
    list_ = []

    def tell(db, notice, *, admin_id=None, details=None, **_):
        list_.append((notice, admin_id, details))

    monkeypatch.setattr(signing_in.notices, "tell", tell)
    return list_


@pytest.fixture
def carla(db):
    """Return the id of a person with a password, who has signed in before."""
    return person(db)


def person(db, email=EMAIL, password=PASSWORD, name="Carla Weiß", role="owner", secret=None):
    with signing_in.transaction(db):
        id = people.invite(db, name, email, role)
        people.record_sign_in(db, id)
    stored = password and passwords.hashed(password)
    change(
        db, "UPDATE admins SET password_hash = ?, totp_secret = ? WHERE id = ?", stored, secret, id
    )
    return id


def change(db, text, *values):
    db.connection.execute(text, values)


def rows(db, text):
    return db.rows(text, {})


def visitor(known=None, session=None, address="192.0.2.7"):
    return Visitor(
        address=address,
        agent="Firefox",
        request_id="r-1",
        session=session,
        known=lambda admin_id: known,
    )


def sign_in(db, email=EMAIL, password=PASSWORD, **values):
    values.setdefault("visitor", visitor())
    return signing_in.by_password(db, email=email, password=password, **values)


def code_of(age=timedelta(), step=0):
    return totp.code_of(SECRET, times.unix(times.after(START, age)) // 30 + step)


def entries(db, *names):
    found = rows(db, "SELECT * FROM audit_log ORDER BY id")
    return [row for row in found if row["action"] in names]


# The password


def test_the_right_password_opens_a_session_with_the_rights_of_the_person(db, carla):
    entered = sign_in(db, stay=True, next="money?all=1")
    assert isinstance(entered, Entered)
    assert (entered.admin_id, entered.stay, entered.next) == (carla, True, "money?all=1")
    session = sessions.find(db, entered.session)
    assert sessions.is_open(session, "admin")
    assert (session["admin_id"], session["way"], session["own_device"]) == (carla, "password", 1)
    assert session["scopes"] == " ".join(people.get(db, carla)["scopes"])
    (entry,) = entries(db, "signed_in")
    assert (entry["admin_id"], entry["new_values"]) == (carla, '{"way":"password","code":false}')
    assert rows(db, "SELECT * FROM sign_in_tries") == []


@pytest.mark.parametrize("email", [EMAIL.upper(), f" {EMAIL} "])
def test_case_and_spaces_of_an_address_do_not_matter(db, carla, email):
    assert isinstance(sign_in(db, email), Entered)


@pytest.mark.parametrize("password", ["", " ", PASSWORD.upper(), f"{PASSWORD} ", PASSWORD[:-1]])
def test_another_password_opens_nothing(db, carla, password):
    assert sign_in(db, password=password) == Refused(reason="wrong")
    assert len(rows(db, "SELECT * FROM sign_in_tries")) == 1
    assert rows(db, "SELECT * FROM sessions") == [] and entries(db, "signed_in") == []


def hopeless(db):
    """Return {case: address} of everything that a sign-in with PASSWORD must not tell apart."""
    person(db, "wrong@messe.example", OTHER)
    person(db, "linkonly@messe.example", None)
    disabled = person(db, "gone@messe.example")
    person(db, role="reader", email="factor@messe.example", password=OTHER, secret=SECRET)
    with signing_in.transaction(db):
        people.disable(db, disabled)
        api_keys.add_admin(db, "Without an account", "bare@messe.example")
    change(db, "UPDATE admins SET password_hash = ? WHERE role IS NULL", passwords.hashed(PASSWORD))
    return [f"{name}@messe.example" for name in "wrong linkonly gone bare factor nobody".split()]


def test_nothing_tells_unknown_passwordless_and_deactivated_people_apart(db, monkeypatch):
    """The outcome, the statements and the hashes are the same."""
    addresses, seen = hopeless(db), {}
    inner = passwords._scrypt
    ran = []
    monkeypatch.setattr(passwords, "_scrypt", lambda *all: ran.append("hash") or inner(*all))
    for email in addresses:
        ran.clear()
        db.connection.set_trace_callback(lambda text: ran.append(text.partition("'")[0]))
        outcome = sign_in(db, email)
        db.connection.set_trace_callback(None)
        seen[email] = outcome, tuple(ran)
    assert len(set(seen.values())) == 1, seen
    assert seen[addresses[0]][0] == Refused(reason="wrong")
    assert seen[addresses[0]][1].count("hash") == 1


def test_no_password_is_hashed_inside_a_transaction(db, carla, monkeypatch):
    inside = []
    inner = passwords._scrypt

    def noted(*all):
        inside.append(db.connection.in_transaction)
        return inner(*all)

    monkeypatch.setattr(passwords, "_scrypt", noted)
    monkeypatch.setattr(passwords, "COST", 3)  # so that the hash is renewed
    assert isinstance(sign_in(db), Entered)
    assert inside == [False, False]


def test_a_hash_with_older_parameters_is_renewed(db, carla, told, monkeypatch):
    known = sign_in(db).known
    old = rows(db, "SELECT password_hash FROM admins")
    monkeypatch.setattr(passwords, "COST", 3)
    told.clear()
    entered = sign_in(db, visitor=visitor(known))
    assert told == []  # the browser is known
    assert rows(db, "SELECT password_hash FROM admins") != old
    sign_in(db, visitor=visitor(entered.known))
    assert told == []


def test_a_password_that_changes_meanwhile_opens_nothing(db, carla, monkeypatch):
    inner = passwords.is_right

    def slow(stored, password):
        change(db, "UPDATE admins SET password_hash = ?", passwords.hashed(OTHER))
        return inner(stored, password)

    monkeypatch.setattr(passwords, "is_right", slow)
    assert sign_in(db) == Refused(reason="wrong")


def test_a_person_who_is_deactivated_meanwhile_does_not_enter(db, carla, monkeypatch):
    inner = passwords.is_right

    def slow(stored, password):
        change(db, "UPDATE admins SET is_active = 0")
        return inner(stored, password)

    monkeypatch.setattr(passwords, "is_right", slow)
    assert sign_in(db) == Refused(reason="wrong")


# Limits


def test_after_ten_wrong_passwords_nothing_is_hashed_and_the_right_one_waits(
    db, carla, clock, monkeypatch
):
    for _ in range(10):
        assert sign_in(db, password="wrong") == Refused(reason="wrong")
    with monkeypatch.context() as patch:
        patch.setattr(passwords, "_scrypt", None)
        for password in (PASSWORD, "wrong"):
            refused = sign_in(db, password=password)
            assert refused == Refused(reason="limit", until=times.after(START, 15 * MINUTE))
    assert isinstance(sign_in(db, visitor=visitor(address="198.51.100.9")), Entered)
    clock(15 * MINUTE)
    assert isinstance(sign_in(db), Entered)


def test_nobody_is_shut_out_of_a_browser_that_is_known(db, carla):
    known = sign_in(db).known
    for number in range(100):
        sign_in(db, password="wrong", visitor=visitor(address=f"198.51.100.{number}"))
    assert sign_in(db, visitor=visitor(address="203.0.113.5")).reason == "limit"
    assert isinstance(sign_in(db, visitor=visitor(known, address="203.0.113.5")), Entered)
    for wrong in ("", "x", f"{known}x", f"x{known}", known.partition(".")[2]):
        outcome = sign_in(db, visitor=visitor(wrong, address="203.0.113.5"))
        assert outcome.reason == "limit", wrong


def test_a_refused_sign_in_is_audited_once_an_hour_and_never_for_an_address_of_nobody(
    db, carla, clock
):
    for _ in range(15):
        sign_in(db, password="wrong")
        sign_in(db, "nobody@messe.example", "wrong", visitor=visitor(address="198.51.100.9"))
    (entry,) = entries(db, "sign_in_refused")
    assert (entry["admin_id"], entry["ip_address"], entry["user_agent"]) == (
        None,
        "192.0.2.7",
        "Firefox",
    )
    clock(HOUR)
    for _ in range(11):
        sign_in(db, password="wrong")
    assert len(entries(db, "sign_in_refused")) == 2


# The second factor


def test_a_person_with_a_second_factor_needs_a_code(db):
    id = person(db, secret=SECRET)
    pending = sign_in(db, stay=True, next="hall")
    assert isinstance(pending, Pending)
    assert rows(db, "SELECT * FROM sessions") == []
    entered = signing_in.by_code(db, secret=pending.secret, code=code_of(), visitor=visitor())
    assert (entered.admin_id, entered.stay, entered.next) == (id, True, "hall")
    assert sessions.find(db, entered.session)["way"] == "password"
    assert entries(db, "signed_in")[0]["new_values"] == '{"way":"password","code":true}'
    assert rows(db, "SELECT * FROM sign_in_tries") == []
    assert rows(db, "SELECT * FROM pending_codes") == []


def test_what_was_shown_is_stored_as_a_hash_only(db):
    person(db, secret=SECRET)
    pending = sign_in(db)
    (row,) = rows(db, "SELECT * FROM pending_codes")
    assert pending.secret not in str(row) and len(pending.secret) == 32
    for guess in ("", "x", row["secret_hash"], "\ud800"):
        outcome = signing_in.by_code(db, secret=guess, code=code_of(), visitor=visitor())
        assert outcome == Refused(reason="ended")


def test_a_code_is_waited_for_five_minutes(db, clock):
    person(db, secret=SECRET)
    pending = sign_in(db)
    clock(5 * MINUTE)
    code = code_of(5 * MINUTE)
    outcome = signing_in.by_code(db, secret=pending.secret, code=code, visitor=visitor())
    assert outcome == Refused(reason="ended")
    assert signing_in.delete_old(db, 10) == 0
    clock(6 * MINUTE)
    assert signing_in.delete_old(db, 10) == 1


def test_five_wrong_codes_end_it(db):
    person(db, secret=SECRET)
    pending = sign_in(db)
    outcomes = [
        signing_in.by_code(db, secret=pending.secret, code="000000", visitor=visitor()).reason
        for _ in range(5)
    ]
    assert outcomes == ["code_wrong"] * 4 + ["ended"]
    outcome = signing_in.by_code(db, secret=pending.secret, code=code_of(), visitor=visitor())
    assert outcome == Refused(reason="ended")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE admins SET is_active = 0",
        "UPDATE admins SET totp_secret = NULL",
        "DELETE FROM pending_codes",
    ],
)
def test_a_code_opens_nothing_once_the_person_has_changed(db, statement):
    person(db, secret=SECRET)
    pending = sign_in(db)
    change(db, statement)
    outcome = signing_in.by_code(db, secret=pending.secret, code=code_of(), visitor=visitor())
    assert outcome == Refused(reason="ended")


@pytest.mark.parametrize(
    "act",
    [
        lambda db, id: people.change_rights(db, id, "reader"),
        lambda db, id: people.reset(db, id, factor=False),
        lambda db, id: people.reset(db, id, password=False),
        lambda db, id: people.end_sessions(db, id),
        lambda db, id: people.disable(db, id),
        lambda db, id: people.change_email(db, id, "new@messe.example"),
    ],
)
def test_what_changes_a_person_ends_the_sign_ins_that_wait_for_a_code(db, act):
    person(db, "other@messe.example")
    id = person(db, secret=SECRET)
    sign_in(db)
    with signing_in.transaction(db):
        act(db, id)
    assert rows(db, "SELECT * FROM pending_codes") == []


def test_a_code_is_used_once(db, clock):
    person(db, secret=SECRET)
    code = code_of()
    for expected in (Entered, Refused):
        pending = sign_in(db)
        outcome = signing_in.by_code(db, secret=pending.secret, code=code, visitor=visitor())
        assert isinstance(outcome, expected)
    pending = sign_in(db)
    older = code_of(step=-1)
    outcome = signing_in.by_code(db, secret=pending.secret, code=older, visitor=visitor())
    assert outcome == Refused(reason="code_wrong")
    clock(timedelta(seconds=30))
    later = code_of(timedelta(seconds=30))
    outcome = signing_in.by_code(db, secret=pending.secret, code=later, visitor=visitor())
    assert isinstance(outcome, Entered)


def test_a_code_of_two_steps_is_used_once_as_well(db, clock, monkeypatch):
    person(db, secret=SECRET)
    monkeypatch.setattr(totp, "code_of", lambda secret, step: "111111")
    first, second = sign_in(db), sign_in(db)
    outcome = signing_in.by_code(db, secret=first.secret, code="111111", visitor=visitor())
    assert isinstance(outcome, Entered)
    outcome = signing_in.by_code(db, secret=second.secret, code="111111", visitor=visitor())
    assert outcome == Refused(reason="code_wrong")


def test_a_page_that_asks_for_both_signs_in_with_one_try(db):
    """As the page about an ended session does."""
    id = person(db, secret=SECRET)
    assert sign_in(db, code="") == Refused(reason="code_missing")
    assert sign_in(db, code="000000") == Refused(reason="code_wrong")
    assert sign_in(db, password="x", code=code_of()) == Refused(reason="wrong")
    assert sign_in(db, code=code_of()).admin_id == id
    assert sign_in(db, code=code_of()) == Refused(reason="code_wrong")
    assert rows(db, "SELECT * FROM pending_codes") == []
    kinds = [row["kind"] for row in rows(db, "SELECT kind FROM sign_in_tries ORDER BY kind")]
    assert kinds == ["code", "code", "password"]
    # a field that is filled in needlessly does no harm
    person(db, "plain@messe.example")
    assert isinstance(sign_in(db, "plain@messe.example", code="123456"), Entered)


def test_ten_wrong_codes_tell_the_person_that_somebody_has_the_password(db, clock, told):
    id = person(db, secret=SECRET)
    known = sign_in(db, code=code_of()).known
    told.clear()
    for number in range(10):
        assert sign_in(db, code="000000").reason == "code_wrong"
        assert [name for name, *_ in told] == (["code_guessing"] if number == 9 else [])
    assert told == [("code_guessing", id, {"address": "192.0.2.7"})]
    clock(MINUTE)
    later = code_of(MINUTE)
    assert sign_in(db, code=later) == Refused(reason="limit", until=times.after(START, HOUR))
    assert len(told) == 1 and len(entries(db, "sign_in_refused")) == 1
    # ways out: a known browser, a recovery code, and a reset
    assert isinstance(sign_in(db, code=later, visitor=visitor(known)), Entered)
    (code, *_) = recovery_codes(db, id)
    assert isinstance(sign_in(db, code=code), Entered)
    with signing_in.transaction(db):
        people.reset(db, id, password=False)
    assert isinstance(sign_in(db, code=""), Entered)


def recovery_codes(db, id):
    with signing_in.transaction(db):
        return own_account._new_recovery_codes(db, {"id": id})


def test_a_recovery_code_opens_once_and_is_told(db, told):
    id = person(db, secret=SECRET)
    first, second, *_ = recovery_codes(db, id)
    assert isinstance(sign_in(db, code=totp.grouped(first).lower()), Entered)
    assert ("recovery_code_used", id, {"left": 9}) in told
    assert sign_in(db, code=first) == Refused(reason="code_wrong")
    assert isinstance(sign_in(db, code=second), Entered)
    assert len(entries(db, "recovery_code_used")) == 2
    assert own_account.recovery_codes_left(db, id) == 8


def test_recovery_codes_have_a_limit_of_their_own(db):
    id = person(db, secret=SECRET)
    (code, *_) = recovery_codes(db, id)
    for _ in range(10):
        assert sign_in(db, code=totp.new_recovery_codes()[0]).reason == "code_wrong"
    assert sign_in(db, code=code).reason == "limit"
    assert isinstance(sign_in(db, code=code_of()), Entered)


# Links


def link(db, id, **values):
    with signing_in.transaction(db):
        values = {"way": "mailed", "lasts": 30 * MINUTE} | values
        return people.make_secret(db, id, **values)


def open_link(db, secret, **values):
    with signing_in.transaction(db):
        row = link_secrets.find(db, secret)
        return signing_in.by_link(db, row, visitor=values.pop("visitor", visitor()), **values)


def test_a_link_opens_the_office_once(db, clock):
    id = person(db, password=None)
    secret = link(db, id)
    assert open_link(db, secret, stay=True).admin_id == id
    assert entries(db, "signed_in")[0]["new_values"] == '{"way":"link","code":false}'
    assert open_link(db, secret) == Refused(reason="wrong")
    secret = link(db, id)
    clock(30 * MINUTE)
    assert open_link(db, secret) == Refused(reason="wrong")


def test_a_link_needs_the_second_factor_as_well(db):
    for number, values in enumerate(({}, {"way": "shown"}, {"way": "shown", "scopes": ["events"]})):
        id = person(db, f"{number}@messe.example", secret=SECRET)
        secret = link(db, id, **values)
        pending = open_link(db, secret, stay=True)
        assert isinstance(pending, Pending)
        assert open_link(db, secret) == Refused(reason="wrong")
        entered = signing_in.by_code(db, secret=pending.secret, code=code_of(), visitor=visitor())
        session = sessions.find(db, entered.session)
        assert session["admin_id"] == id and session["own_device"] == 1
        assert (session["scopes"] == "events") == ("scopes" in values)


def test_the_first_sign_in_is_told_apart(db):
    with signing_in.transaction(db):
        id = people.invite(db, "Mehmet", "mehmet@messe.example", "door")
    assert open_link(db, link(db, id, way="shown", scopes=["events"])).is_first is False
    assert open_link(db, link(db, id)).is_first is True
    assert open_link(db, link(db, id)).is_first is False


def test_a_link_of_a_person_who_is_deactivated_opens_nothing(db):
    id = person(db)
    secret = link(db, id)
    change(db, "UPDATE admins SET is_active = 0")
    assert open_link(db, secret) == Refused(reason="wrong")
    assert link_secrets.find(db, secret) is not None


# Sessions


def test_signing_in_ends_the_session_that_the_browser_had(db, carla):
    first = sign_in(db).session
    second = sign_in(db, visitor=visitor(session=first)).session
    assert not sessions.is_open(sessions.find(db, first), "admin")
    third = sign_in(db, visitor=visitor(session="evs_unknown")).session
    assert sessions.is_open(sessions.find(db, second), "admin")
    assert len({first, second, third}) == 3


def test_a_person_has_twenty_sessions_and_the_oldest_ends(db, carla):
    person(db, "other@messe.example")
    other = sign_in(db, "other@messe.example").session
    opened = [sign_in(db).session for _ in range(22)]
    is_open = [sessions.is_open(sessions.find(db, each), "admin") for each in opened]
    assert is_open == [False] * 2 + [True] * 20
    assert sessions.is_open(sessions.find(db, other), "admin")


def test_a_new_browser_is_told_but_the_first_one(db, told):
    with signing_in.transaction(db):
        id = people.invite(db, "Mehmet", "mehmet@messe.example", "door")
    first = open_link(db, link(db, id))
    assert told == []
    open_link(db, link(db, id), visitor=visitor(first.known))
    assert told == []
    open_link(db, link(db, id))
    assert told == [("new_device", id, {"agent": "Firefox", "address": "192.0.2.7"})]


def test_a_key_signs_in_as_before_and_has_a_limit(db, carla):
    with signing_in.transaction(db):
        _, key = api_keys.create_key(db, "test", ["events"], admin_id=carla)
        _, narrow = api_keys.create_key(db, "form", ["applications:create"], admin_id=carla)

    def by_key(text, address="192.0.2.7"):
        return signing_in.by_key(db, key=text, visitor=visitor(address=address))

    assert sessions.find(db, by_key(key).session)["api_key_id"]
    assert by_key(narrow) == Refused(reason="key_narrow")
    for number in range(20):
        assert by_key("" if number % 2 else "evk_wrong") == Refused(reason="key_wrong")
    assert by_key(key).reason == "limit"
    assert isinstance(by_key(key, "198.51.100.9"), Entered)
    assert entries(db, "signed_in")[0]["new_values"] == '{"way":"key","code":false}'


def test_signing_out_ends_the_session(db, carla):
    session = sessions.find(db, sign_in(db).session)
    with signing_in.transaction(db):
        signing_in.sign_out(db, session)
    assert [row["action"] for row in entries(db, "signed_in", "signed_out")] == [
        "signed_in",
        "signed_out",
    ]
    assert sessions.at_desk(db) == []


# The own account


@pytest.fixture
def session(db, carla):
    """Return the session of Carla."""
    return sessions.find(db, sign_in(db).session)


def test_a_password_is_changed_with_the_old_one_and_ends_other_sessions(db, session, told):
    known = sign_in(db).known
    told.clear()
    values = {"session": session, "visitor": visitor()}
    assert own_account.set_password(db, old="x", new=OTHER, **values) == Refused(reason="wrong")
    changed = own_account.set_password(db, old=PASSWORD, new=OTHER, **values)
    assert isinstance(changed, Changed)
    assert [row["id"] for row in sessions.at_desk(db)] == [session["id"]]
    assert told == [("password_changed", session["admin_id"], None)]
    assert sign_in(db, password=PASSWORD) == Refused(reason="wrong")
    # a browser that knew the old password is a new one
    told.clear()
    sign_in(db, password=OTHER, visitor=visitor(known))
    sign_in(db, password=OTHER, visitor=visitor(changed.known))
    assert [name for name, *_ in told] == ["new_device"]
    (entry,) = entries(db, "password_set")
    assert entry["admin_id"] == session["admin_id"] and "scrypt" not in str(entry)


def test_the_old_password_is_not_guessed_in_an_open_session(db, session):
    values = {"session": session, "new": OTHER, "visitor": visitor()}
    for _ in range(10):
        assert own_account.set_password(db, old="x", **values) == Refused(reason="wrong")
    assert own_account.set_password(db, old=PASSWORD, **values).reason == "limit"


@pytest.mark.parametrize("new, fault", [("short", "password_short"), (EMAIL, "password_named")])
def test_a_bad_password_is_refused_before_the_old_one_is_looked_at(db, session, new, fault):
    values = {"session": session, "visitor": visitor()}
    assert own_account.set_password(db, old="x", new=new, **values) == Refused(reason=fault)
    assert rows(db, "SELECT * FROM sign_in_tries") == []


def test_a_password_is_removed_only_where_mails_leave(db, session, settings, told):
    values = {"session": session, "visitor": visitor()}
    with pytest.raises(Problem) as refused:
        own_account.remove_password(db, old=PASSWORD, **values)
    assert refused.value.code == "mail_not_configured"
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://messe.example"
    assert own_account.remove_password(db, old="x", **values) == Refused(reason="wrong")
    told.clear()
    assert isinstance(own_account.remove_password(db, old=PASSWORD, **values), Changed)
    assert told == [("password_changed", session["admin_id"], {"is_removed": True})]
    assert sign_in(db) == Refused(reason="wrong")


def test_a_second_factor_is_added_by_a_code_that_is_used_up(db, session, told):
    values = {"session": session, "visitor": visitor()}
    told.clear()
    with signing_in.transaction(db):
        for secret, code in ((SECRET, "000000"), ("x", ""), (SECRET[:-1], code_of())):
            outcome = own_account.add_factor(db, secret=secret, code=code, **values)
            assert outcome == Refused(reason="code_wrong")
        changed = own_account.add_factor(db, secret=SECRET, code=code_of(), **values)
    assert len(changed.codes) == 10 and told == [("factor_added", session["admin_id"], None)]
    assert sign_in(db, code=code_of()) == Refused(reason="code_wrong")
    assert isinstance(sign_in(db, code=changed.codes[0]), Entered)
    with signing_in.transaction(db), pytest.raises(Problem) as refused:
        own_account.add_factor(db, secret=SECRET, code=code_of(step=1), **values)
    assert refused.value.code == "invalid_transition"
    (entry,) = entries(db, "factor_added")
    assert SECRET not in str(entry)


def test_removing_a_factor_and_making_codes_need_a_code(db, session, told):
    values = {"session": session, "visitor": visitor()}
    with signing_in.transaction(db):
        first = own_account.add_factor(db, secret=SECRET, code=code_of(), **values).codes
        assert own_account.renew_recovery_codes(db, code="000000", **values).reason == "code_wrong"
        second = own_account.renew_recovery_codes(db, code=first[0], **values).codes
        assert not set(first) & set(second)
        for code in ("000000", first[1], code_of()):
            assert own_account.remove_factor(db, code=code, **values).reason == "code_wrong"
        told.clear()
        assert own_account.remove_factor(db, code=second[0], **values) == Changed()
        assert own_account.remove_factor(db, code=second[1], **values).reason == "code_wrong"
    assert [name for name, *_ in told] == ["recovery_code_used", "factor_removed"]
    assert rows(db, "SELECT * FROM recovery_codes") == []
    # the code of before stays used
    with signing_in.transaction(db):
        outcome = own_account.add_factor(db, secret=SECRET, code=code_of(), **values)
    assert outcome == Refused(reason="code_wrong")


def test_a_session_with_fewer_rights_or_of_a_key_changes_no_account(db, carla):
    with signing_in.transaction(db):
        _, key = api_keys.create_key(db, "test", ["events"], admin_id=carla)
    by_key = signing_in.by_key(db, key=key, visitor=visitor()).session
    narrow = open_link(db, link(db, carla, way="shown", scopes=["events:read"])).session
    for secret in (by_key, narrow):
        session = sessions.find(db, secret)
        assert not own_account.is_own(db, session)
        with pytest.raises(Problem) as refused:
            own_account.set_password(
                db, session=session, old=PASSWORD, new=OTHER, visitor=visitor()
            )
        assert refused.value.code == "insufficient_scope"
        with signing_in.transaction(db), pytest.raises(Problem):
            own_account.add_factor(
                db, session=session, secret=SECRET, code=code_of(), visitor=visitor()
            )
    assert isinstance(sign_in(db), Entered)
