"""The order in which mails leave."""

from collections import Counter

import pytest

from eventapi import times
from eventapi.domain.mail import queue as mails
from eventapi.worker.mail import delivery
from eventapi.worker.mail import message as mail_message

# How people of the office get in, what somebody waits for in front of a page, then the rest, then
# batches of the office.
PRIORITIES = {
    "sign_in": -1,
    "link": 0,
    "application_confirmation": 0,
    "newsletter_confirmation": 0,
    "application_decision": 1,
    "badge": 1,
    "booth_confirmed": 1,
    "booth_offer": 1,
    "contract": 2,
    "link_notice": 1,
    "mail_test": 0,
    "notice": 1,
    "participation_cancelled": 1,
    "invoice": 2,
    "invoice_reminder": 2,
    "dunning": 2,
    "todos": 2,
}
NOW, LATER = "2026-11-28T10:00:00Z", "2026-11-28T11:00:00Z"


@pytest.fixture(autouse=True)
def counter(monkeypatch):
    """Begin to count the mails that are taken."""
    monkeypatch.setattr(delivery, "taken", Counter())


def add(db, count=1, kind="invoice", **values):
    """Queue mails and set further columns of them."""
    with db.write():
        for number in range(count):
            id = mails.add(db, kind, "invoice", number, "a@rosen.example", "x", next_at=NOW)
            for column, value in values.items():
                db.connection.execute(f"UPDATE mails SET {column} = ? WHERE id = ?", (value, id))
    return id


def test_every_kind_of_mail_has_a_function_that_writes_it_and_a_priority():
    assert mails.PRIORITIES == PRIORITIES
    assert PRIORITIES.keys() == mail_message.MAILS.keys()


def test_a_mail_gets_the_priority_of_its_kind(db):
    for kind, priority in PRIORITIES.items():
        id = add(db, kind=kind)
        assert db.connection.execute(
            "SELECT priority, turn FROM mails WHERE id = ?", (id,)
        ).fetchone() == (priority, 0)


def test_mails_leave_by_priority_turn_time_and_id(db):
    columns = [
        {"priority": 0, "turn": 0},
        {"priority": 0, "turn": 0},
        {"priority": 0, "turn": 2},
        {"priority": 0, "turn": 29},
        {"priority": 1},
        {"priority": 2, "next_at": "2026-11-27T10:00:00Z"},
        {"priority": 2, "next_at": "2026-11-27T11:00:00Z"},
    ]
    ids = {place: add(db, **values) for place, values in reversed(list(enumerate(columns)))}
    add(db, priority=0, next_at=LATER)
    found = []
    while mail := mails.next_due(db, NOW):
        found.append(mail["id"])
        db.connection.execute("UPDATE mails SET state = 'sent' WHERE id = ?", (mail["id"],))
    assert found == [ids[1], ids[0], *(ids[place] for place in range(2, len(columns)))]


def test_the_worker_takes_mails_in_this_order(db, monkeypatch):
    """Between a batch of 754 invoices, which is being sent, and a link that somebody asks for."""
    monkeypatch.setattr(times, "now", lambda: NOW)
    monkeypatch.setattr(db.config, "mails_per_minute", 1000)
    add(db, 754)
    first = delivery.step(db, "lease")
    add(db, kind="link")
    second = delivery.step(db, "lease", (first, delivery.Outcome("sent")))
    third = delivery.step(db, "lease", (second, delivery.Outcome("sent")))
    assert [mail["kind"] for mail in (first, second, third)] == ["invoice", "link", "invoice"]


@pytest.mark.parametrize(
    ("kind", "place"), [("link", (1, 29)), ("badge", (1, 29)), ("invoice", (2, 29))]
)
def test_a_mail_that_is_tried_again_leaves_after_the_first_attempts_of_others(
    db, monkeypatch, kind, place
):
    """A link also after badges: else a recipient whom the mail server never answers comes first
    each time.
    """
    monkeypatch.setattr(times, "now", lambda: NOW)
    id = add(db, kind=kind)
    mail = delivery.step(db, "lease")
    delivery.step(db, "lease", (mail, delivery.Outcome("queued", "451 later")), more=False)
    assert (
        db.connection.execute("SELECT priority, turn FROM mails WHERE id = ?", (id,)).fetchone()
        == place
    )
    monkeypatch.setattr(times, "now", lambda: LATER)
    add(db, kind="badge" if kind == "link" else kind, next_at=LATER)
    assert [delivery.step(db, "lease")["id"] for _ in range(2)] == [id + 1, id]


@pytest.mark.parametrize("is_connected", [True, False])
def test_each_fourth_mail_is_the_one_that_has_been_due_longest(db, monkeypatch, is_connected):
    """Else links, which anybody can ask for, keep invoices waiting.

    Also if each connection breaks with its mail.
    """
    monkeypatch.setattr(times, "now", lambda: LATER)
    add(db, 3, next_at="2026-11-28T09:00:00Z")
    add(db, 2, kind="badge", next_at="2026-11-28T08:00:00Z")
    add(db, 30, kind="link")
    kinds = []
    for number in range(24):
        mail = delivery.step(db, f"lease {number}")
        kinds.append(mail["kind"])
        outcome = delivery.Outcome("failed", "550", is_connected=is_connected)
        delivery.step(db, f"lease {number}", (mail, outcome), more=False)
    assert kinds[3::4] == ["badge", "badge", "invoice", "invoice", "invoice", "link"]
    assert {*kinds[0::4], *kinds[1::4], *kinds[2::4]} == {"link"}


def test_every_turn_that_a_mail_can_have_is_taken(db):
    for turn in range(mails.TURNS):
        add(db, kind="link", turn=turn)
    for turn in range(mails.TURNS):
        mail = mails.next_due(db, NOW)
        assert mail, turn
        db.connection.execute("UPDATE mails SET state = 'sent' WHERE id = ?", (mail["id"],))


def steps(db, find):
    """Return how many hundreds of instructions of SQLite it takes to find a mail, and this mail."""
    count = [0]

    def counted():
        count[0] += 1

    db.connection.set_progress_handler(counted, 100)
    found = find(db, NOW)
    db.connection.set_progress_handler(None, 0)
    return count[0], found


@pytest.mark.parametrize("find", [mails.next_due, mails.longest_due])
def test_the_next_mail_is_found_without_reading_those_that_wait(db, find):
    """20,000 mails that are due, and 60,000 that wait for another attempt, among them those with
    priority 0.
    """
    few, _ = steps(db, find)
    with db.write():
        db.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000)
            INSERT INTO mails (kind, priority, turn, entity_type, entity_id, recipient, subject, base_url, state,
                               next_at, message_id, created_at, updated_at)
            SELECT 'invoice', i % 4 % 3, iif(i % 4 % 3, 0, i / 4 % 30), 'invoice', i, 'a@rosen.example', 'x', '',
                   'queued', iif(i % 4 = 2, :now, :later), 'm' || i, :now, :now FROM n""",
            {"now": NOW, "later": LATER},
        )
    many, found = steps(db, find)
    assert found and many < few + 20, "not 800 hundreds"


def test_the_age_of_the_oldest_mail_that_is_due_is_told_whatever_its_priority(db, monkeypatch):
    add(db, kind="invoice", created_at="2026-11-28T09:00:00Z", next_at="2026-11-28T09:00:00Z")
    add(db, kind="link")
    monkeypatch.setattr(times, "now", lambda: NOW)
    assert mails.backlog(db)["oldest"] == 3600
