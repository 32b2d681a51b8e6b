"""Floods of forms: how many mails leave because of a network, for a domain and in all, and that
nobody else waits.
"""

import re
from collections import Counter
from contextlib import closing, nullcontext
from threading import Barrier, Thread
from types import SimpleNamespace

import pytest

from eventapi import times
from eventapi.domain.access import links
from eventapi.domain.mail import queue as mails
from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import directory
from eventapi.storage.database import Database
from eventapi.worker.mail import delivery, job, smtp
from eventapi.worker.mail import message as mail_message
from eventapi.worker.mail.delivery import Outcome
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import sign_in
from tests.pages.show.test_apply import form, link_of, send  # noqa: F401
from tests.pages.show.test_apply import mails as built
from tests.support.client import SCOPES, add_key

START = "2027-01-01T10:00:00Z"
NETWORKS = tuple(f"198.51.{part}.{place}" for part in range(40) for place in range(1, 251))
BASE_URL = "https://show.example.org"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Stop the clock at START. Return a function that sets it to another time."""
    at = [START]
    monkeypatch.setattr(times, "now", lambda: at[0])

    def turn(time):
        at[0] = time

    return turn


@pytest.fixture
def register(show, db):
    """Return a function that stores the drafts of some (address, client) pairs, and returns their
    ids.
    """
    event = directory.show(db, "fair")
    columns = [
        name
        for (name,) in db.connection.execute("SELECT name FROM pragma_table_info('applications')")
    ]
    fields = {
        **dict.fromkeys(columns),
        "country": "DE",
        "last_name": "V",
        "rating": 3,
        "event_keys": ["fair"],
        "category_keys": [],
        "late": False,
        "custom_fields": {},
    }
    count = iter(range(10**6))

    def stored(*pairs):
        with db.write():
            return [
                drafts.store(
                    db,
                    event,
                    "apply",
                    {**fields, "email": email},
                    f"nonce-{next(count)}",
                    "en",
                    client,
                    BASE_URL,
                )
                for email, client in pairs
            ]

    return stored


@pytest.fixture
def confirm(db):
    """Return a function that confirms drafts, as the link in their mail does."""

    def confirmed(*ids):
        for id in ids:
            with db.write():
                drafts.confirm(db, drafts.get(db, id), directory.show(db, "fair"), BASE_URL)

    return confirmed


def own_domains(count, clients, start=0):
    """Return pairs of addresses, each with a domain of its own, and clients, which take turns."""
    return [
        (f"a@d{number}.example", clients[number % len(clients)])
        for number in range(start, start + count)
    ]


def recipients(db):
    """Return the addresses whose mail was queued, in the order of the mails."""
    return [email for (email,) in db.connection.execute("SELECT recipient FROM mails ORDER BY id")]


def waiting(db):
    """Return how many drafts have a mail that was not queued yet."""
    return db.connection.execute("SELECT count(mail_base_url) FROM application_drafts").fetchone()[
        0
    ]


def taken(db):
    """Take all mails that are due, as the worker does. Return their recipients and kinds."""
    found = []
    while mail := mails.next_due(db, times.now()):
        found.append((mail["recipient"], mail["kind"]))
        db.connection.execute(
            "UPDATE mails SET state = 'sent', next_at = NULL WHERE id = ?", (mail["id"],)
        )
    return found


# Networks


def test_a_flood_of_one_network_delays_no_other(register, db, settings, monkeypatch):
    """1,285 forms of one address have delayed the mails of everybody by an hour, with 30 mails a
    minute.
    """
    monkeypatch.setattr(settings, "mails_per_minute", 30)
    register(*own_domains(1285, ["192.0.2.66"]))
    register(("greta@garten.example", "198.51.100.1"))
    found = db.connection.execute(
        "SELECT next_at, priority FROM mails WHERE recipient = 'greta@garten.example'"
    )
    assert found.fetchall() == [(START, 0)]
    assert (len(recipients(db)), waiting(db)) == (31, 1255)
    assert [email for email, _ in taken(db)][:3] == [
        "a@d0.example",
        "greta@garten.example",
        "a@d1.example",
    ]


def test_networks_take_turns_in_the_queue(register, db):
    register(
        *[(f"a{number}@a.example", "192.0.2.1") for number in range(3)],
        *[(f"b{number}@b.example", "2001:db8::1") for number in range(2)],
        ("c0@c.example", "192.0.2.3"),
    )
    assert [email.partition("@")[0] for email, _ in taken(db)] == [
        "a0",
        "b0",
        "c0",
        "a1",
        "b1",
        "a2",
    ]


@pytest.mark.parametrize(
    ("clients", "most"),
    [
        (["192.0.2.1"], 30),
        (["2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"], 30),
        (["192.0.2.1", "192.0.2.2"], 60),
        (["2001:db8:0:1::1", "2001:db8:0:2::1"], 60),
        ([f"2001:db8:0:{number:x}::1" for number in range(200)], 120),
        ([f"2001:db8:{number:x}::1" for number in range(200)], 200),
    ],
)
def test_a_network_has_few_mails_in_an_hour(register, db, clock, clients, most):
    """A network is an IPv4 address or the /64 of an IPv6 address; its /48 has four times as many."""
    register(*own_domains(200, clients))
    assert (len(recipients(db)), waiting(db)) == (most, 200 - most)
    clock("2027-01-01T10:59:59Z")
    assert drafts.release(db) == 0
    clock("2027-01-01T11:00:00Z")
    assert drafts.release(db) == min(100, most, 200 - most)


def test_the_network_that_had_a_mail_least_recently_comes_first(
    register, db, clock, settings, monkeypatch
):
    monkeypatch.setattr(settings, "mails_per_minute", 1)
    register(*own_domains(10, ["192.0.2.1"]))
    clock("2027-01-01T10:10:00Z")
    # with this, new mails wait for those that wait already
    register(*own_domains(17, ["192.0.2.2"], start=100))
    register(
        ("first@a.example", "192.0.2.2"),
        ("second@b.example", "192.0.2.2"),
        ("third@c.example", "192.0.2.1"),
        ("fourth@d.example", "192.0.2.4"),
    )
    assert waiting(db) == 4 and drafts.release(db) == 3
    assert recipients(db)[-3:] == ["fourth@d.example", "third@c.example", "first@a.example"]


@pytest.mark.parametrize(
    ("filler", "left"),
    [
        ("2001:db8:0:ff::1", ["greta@rosen.example", "b@b.example", "a@d100.example"]),
        ("203.0.113.1", ["a@d100.example", "greta@rosen.example", "b@b.example"]),
    ],
    ids=["it had mails", "it had none"],
)
def test_the_networks_within_a_48_are_one_that_takes_turns(
    register, db, clock, settings, monkeypatch, filler, left
):
    """Somebody with a /48 has 65,536 networks of which none had a mail."""
    monkeypatch.setattr(settings, "mails_per_minute", 1)
    register(("a@a.example", "198.51.100.1"))
    clock("2027-01-01T10:05:00Z")
    register(*own_domains(26, [filler]))  # with this, new mails wait for those that wait already
    register(*own_domains(5, [f"2001:db8:0:{number:x}::1" for number in range(5)], start=100))
    register(("b@b.example", "198.51.100.1"), ("greta@rosen.example", "198.51.100.2"))
    assert waiting(db) == 7 and drafts.release(db) == 3
    assert recipients(db)[27:] == left


def test_confirmed_visitors_of_a_hall_give_their_places_to_the_next(register, confirm, db):
    ids = register(*own_domains(31, ["192.0.2.1"]))
    assert waiting(db) == 1
    confirm(ids[0])
    register(("late@late.example", "192.0.2.1"))
    assert waiting(db) == 2, "nobody is overtaken"
    assert drafts.release(db) == 1 and recipients(db)[-1] == "a@d30.example"


# All forms


def test_a_flood_from_many_networks_leaves_room_for_the_mails_of_the_office(
    register, db, settings, monkeypatch, clock
):
    """mails_per_minute allows 600 an hour here. Half of them is for forms."""
    monkeypatch.setattr(settings, "mails_per_minute", 10)
    register(*own_domains(700, NETWORKS[:700]))
    sent = [len(recipients(db))]
    for hour in (10, 11, 12):
        clock(f"2027-01-01T{hour}:00:00Z")
        while drafts.release(db):
            pass
        sent.append(len(recipients(db)))
    assert sent == [270, 300, 600, 700]


def test_two_workers_exceed_no_limit_and_queue_no_mail_twice(
    register, db, settings, monkeypatch, clock
):
    monkeypatch.setattr(settings, "mails_per_minute", 2)
    register(*own_domains(200, NETWORKS[:200]))
    clock("2027-01-01T11:00:00Z")
    start, counts = Barrier(2), []

    def work():
        with closing(Database(settings)) as own:
            start.wait(30)
            counts.extend(drafts.release(own) for _ in range(3))

    threads = [Thread(target=work) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sum(counts) == 60 and len(set(recipients(db))) == len(recipients(db)) == 54 + 60


def test_a_draft_that_another_worker_releases_meanwhile_or_that_is_deleted_is_passed_over(
    register, db, settings, clock, monkeypatch
):
    """Drafts are read before the write lock is taken."""
    ids = register(*own_domains(33, ["192.0.2.1"]))
    clock("2027-01-01T11:00:00Z")
    with closing(Database(settings)) as other:

        def write(write=db.write):
            db.connection.execute("DELETE FROM application_drafts WHERE id = ?", (ids[-1],))
            monkeypatch.setattr(db, "write", write)
            assert drafts.release(other) == 2
            return write()

        monkeypatch.setattr(db, "write", write)
        assert drafts.release(db) == 0
    assert len(set(recipients(db))) == len(recipients(db)) == 32


@pytest.mark.parametrize("wrong", ["2027-01-01T13:00:00Z", "2028-01-01T00:00:00Z"])
def test_mails_of_a_clock_that_was_ahead_count_for_nothing(register, db, clock, wrong):
    clock(wrong)
    register(*own_domains(40, ["192.0.2.1"]))
    clock("2027-01-01T10:00:00Z")
    register(("a@later.example", "192.0.2.1"), ("b@other.example", "192.0.2.2"))
    assert recipients(db)[30:] == ["b@other.example"], (
        "the first waits behind others of its network"
    )
    assert drafts.release(db) == 11


# Domains


def test_a_domain_without_a_confirmed_address_has_few_mails_in_a_day(register, confirm, db, clock):
    ids = register(*[(f"user{number}@catchall.example", NETWORKS[number]) for number in range(50)])
    assert (len(recipients(db)), waiting(db)) == (20, 30)
    clock("2027-01-01T10:09:59Z")
    assert drafts.release(db) == 0
    clock("2027-01-02T09:59:59Z")
    assert drafts.release(db) == 1
    clock("2027-01-02T10:00:00Z")
    assert drafts.release(db) == 19
    confirm(ids[0])
    assert drafts.release(db) == 10, "a domain with a confirmed address has 200"


@pytest.mark.parametrize(("is_known", "count", "clients"), [(False, 20, 1), (True, 200, 7)])
def test_nobody_keeps_a_company_from_registering_for_a_day(
    register, confirm, db, clock, is_known, count, clients
):
    """Forms with made-up addresses have used up the mails of its domain, and ten more of them wait."""
    if is_known:
        confirm(*register(("first@rosen.example", "203.0.113.9")))
    register(
        *[
            (f"made.up{number}@rosen.example", f"192.0.2.{number % clients}")
            for number in range(count + 10)
        ]
    )
    register(("greta@rosen.example", "198.51.100.1"))
    before = len(recipients(db))
    assert "greta@rosen.example" not in recipients(db) and waiting(db) == 11
    for minute in range(1, 31):
        clock(f"2027-01-01T10:{minute:02}:00Z")
        drafts.release(db)
        assert len(recipients(db)) - before == minute // 10, "one each ten minutes"
    assert recipients(db)[before] == "greta@rosen.example", "her network had no mail yet"


def test_a_known_domain_has_more_mails_for_thirty_days(register, confirm, db, clock):
    confirm(*register(("ada@rosen.example", "192.0.2.1")))
    clock("2027-01-30T10:00:00Z")
    register(*[(f"a{number}@rosen.example", NETWORKS[number]) for number in range(250)])
    assert len(taken(db)) == 201
    clock("2027-02-02T10:00:00Z")
    assert drafts.delete_old(db, 500) == 2, "the draft that was confirmed, and the domain"
    register(*[(f"b{number}@rosen.example", NETWORKS[number]) for number in range(250)])
    drafts.release(db)
    assert len(recipients(db)) == 201 + 20
    clock("2027-02-02T10:10:00Z")
    drafts.release(db)
    assert len(recipients(db)) == 201 + 21


@pytest.mark.parametrize("spelling", ["BÜCHER.example", "xn--bcher-kva.example", "Bücher.Example"])
def test_a_domain_is_the_same_in_each_spelling(register, db, spelling):
    register(*[(f"a{number}@bücher.example", NETWORKS[number]) for number in range(20)])
    register((f"b@{spelling}", NETWORKS[50]))
    assert waiting(db) == 1


@pytest.mark.parametrize(
    ("names", "most"),
    [
        ("s{}.catchall.example", 20),
        ("a.b{}.c.catchall.example", 20),
        ("s{}.rosen.co.uk", 20),
        ("s{}.rosen.com.au", 20),
        ("s{}.öbb.example", 20),
        ("rosen{}.example", 50),
        ("rosen{}.co.uk", 50),
        ("rosen{}.or.at", 50),
    ],
)
def test_a_domain_is_one_with_its_subdomains(register, db, names, most):
    """Otherwise a name server that answers for each of them gives somebody as many domains as he
    wants.
    """
    register(*[(f"a@{names.format(number)}", NETWORKS[number]) for number in range(50)])
    assert len(recipients(db)) == most


def test_a_domain_is_known_by_an_address_of_a_subdomain(register, confirm, db):
    confirm(*register(("ada@mail.rosen.example", "192.0.2.1")))
    register(*[(f"a{number}@rosen.example", NETWORKS[number]) for number in range(50)])
    assert waiting(db) == 0


def test_thousands_of_visitors_with_a_large_provider_wait_for_nothing(
    register, db, settings, monkeypatch
):
    """5,000 addresses, each confirmed before the next 25 come, from the wifi of one hall."""
    monkeypatch.setattr(settings, "mails_per_minute", 200)
    for part in range(200):
        ids = register(*[(f"a{part}.{number}@gmx.de", "192.0.2.1") for number in range(25)])
        assert waiting(db) == 0
        with db.write():  # as `drafts.confirm` does, which takes longer
            for id in ids:
                db.run(drafts.sql.confirm, id=id, application_id=None, now=db.now)
    assert len(recipients(db)) == 5000


@pytest.mark.parametrize(
    "domain", ["gmail.com", "GMX.net", "web.de", "t-online.de", "outlook.com", "icloud.com"]
)
def test_a_large_provider_has_no_limit_by_domain(register, db, domain):
    register(*[(f"a{number}@{domain}", NETWORKS[number]) for number in range(250)])
    assert waiting(db) == 0 and len(recipients(db)) == 250


def test_spellings_of_one_mailbox_are_one_address(register, db):
    emails = (
        "ada.lovelace@gmail.com",
        "adalovelace+1@gmail.com",
        "a.d.a.lovelace@googlemail.com",
        "AdaLovelace@gmail.com",
        "ada.love.lace+2@gmail.com",
    )
    register(*[(email, NETWORKS[number]) for number, email in enumerate(emails)])
    assert recipients(db) == list(emails[:3]) and waiting(db) == 0
    register(
        ("ada.lovelace@rosen.example", NETWORKS[8]), ("adalovelace@rosen.example", NETWORKS[9])
    )
    assert len(recipients(db)) == 5, "elsewhere, dots make another mailbox"


def test_forms_that_wait_because_of_one_network_use_up_no_mail_of_somebody_elsewhere(register, db):
    """A laptop whose network has had its mails names Greta's address three times.

    Then she registers at home.
    """
    register(*own_domains(30, ["192.0.2.66"]), *[("greta@rosen.example", "192.0.2.66")] * 3)
    assert waiting(db) == 3
    register(("greta@rosen.example", "198.51.100.1"))
    drafts.release(db)
    assert recipients(db)[30:] == ["greta@rosen.example"]


@pytest.mark.parametrize("clients", [["192.0.2.66"], ["2001:db8:0:1::1", "2001:db8:0:2::1"]])
def test_of_the_forms_of_one_network_at_most_three_wait_for_an_address(register, db, clients):
    register(*own_domains(30 * len(clients), clients))
    register(*[("greta@rosen.example", clients[number % len(clients)]) for number in range(9)])
    assert waiting(db) == 3


def test_an_address_gets_three_mails_a_day_whichever_networks_its_forms_wait_for(
    register, db, clock
):
    clients = [f"192.0.2.{number}" for number in range(4)]
    register(
        *own_domains(120, clients), *[("greta@rosen.example", client) for client in clients * 2]
    )
    register(("ada@rosen.example", "192.0.2.0"))
    assert len(recipients(db)) == 120 and waiting(db) == 9
    clock("2027-01-01T11:00:00Z")
    drafts.release(db)
    assert (
        sorted(recipients(db)[120:]) == ["ada@rosen.example", *["greta@rosen.example"] * 3]
        and waiting(db) == 0
    )
    clock("2027-01-02T10:59:59Z")
    register(("greta@rosen.example", "198.51.100.1"))
    assert len(recipients(db)) == 124 and waiting(db) == 0, "the fourth within a day"
    clock("2027-01-02T11:00:00Z")
    register(("greta@rosen.example", "198.51.100.1"))
    assert recipients(db)[124:] == ["greta@rosen.example"]


def test_mails_of_a_clock_that_was_ahead_use_up_none_of_an_address(register, db, clock):
    clock("2028-01-01T00:00:00Z")
    register(*[("greta@rosen.example", "192.0.2.1")] * 3)
    clock("2027-01-01T10:00:00Z")
    register(("greta@rosen.example", "192.0.2.1"))
    assert len(recipients(db)) == 4


# The queue


def test_confirmations_and_links_leave_before_mails_of_the_office(register, organiser, db, show):
    with db.write():
        for number in range(754):
            mails.add(db, "invoice", "invoice", number, "buyer@rosen.example", "Invoice")
        mails.add(db, "badge", "application", 1, "visitor@rosen.example", "Badge")
        mails.add(db, "link", "link", 1, "exhibitor@rosen.example", "Link")
    register(("greta@garten.example", "192.0.2.1"))
    first = taken(db)[:4]
    assert first == [
        ("exhibitor@rosen.example", "link"),
        ("greta@garten.example", "application_confirmation"),
        ("visitor@rosen.example", "badge"),
        ("buyer@rosen.example", "invoice"),
    ]


def test_a_link_that_is_asked_for_is_queued_while_other_mails_are_sent(
    register, organiser, show, db, clock, monkeypatch
):
    """The thread that sends mails may be busy with hundreds of invoices."""
    organiser.patch(f"/events/{show['event']['id']}/pages", {"my_is_open": True}, status=200)
    organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": show["exhibitor"]["id"],
            "email": "ada@keramia.example",
            "rights": ["profile"],
        },
    )
    register(*own_domains(31, ["192.0.2.1"]))
    with db.write():
        links.ask_for_mail(db, "ada@keramia.example", BASE_URL)
    clock("2027-01-01T11:00:00Z")
    monkeypatch.setitem(job.sending, db.path, SimpleNamespace(is_alive=lambda: True))
    job.run(db, lambda: False)
    found = db.connection.execute(
        "SELECT kind, priority FROM mails ORDER BY id DESC LIMIT 2"
    ).fetchall()
    assert found == [("application_confirmation", 0), ("link", 0)]


def test_a_link_that_the_office_sends_leaves_after_those_that_people_wait_for(
    register, organiser, show, db
):
    organiser.patch(f"/events/{show['event']['id']}/pages", {"my_is_open": True}, status=200)
    link = organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": show["exhibitor"]["id"],
            "email": "ada@keramia.example",
            "rights": ["profile"],
        },
    )
    organiser.post(f"/links/{link['id']}/mail", {}, status=202)
    register(("greta@garten.example", "192.0.2.1"))
    assert taken(db) == [
        ("greta@garten.example", "application_confirmation"),
        ("ada@keramia.example", "link"),
    ]


def leave(db, seconds):
    """Let the worker send the mails of some seconds, one each. Return them."""
    found = []
    for _ in range(seconds):
        mail = delivery.step(db, "lease")
        if mail:
            delivery.step(db, "lease", (mail, Outcome("sent", reply="250 OK")), more=False)
            found.append(mail)
    return found


def test_an_invoice_leaves_although_visitors_who_register_take_all_mails(register, db, clock):
    """Confirmations may take half of mails_per_minute, and the badge of each takes the other half."""
    sent, clients = Counter(), iter(NETWORKS)
    for second in range(0, 1800, 30):
        clock(f"2027-01-01T10:{second // 60:02}:{second % 60:02}Z")
        register(*[(f"u{second}.{number}@own.example", next(clients)) for number in range(16)])
        with db.write():
            if second == 600:
                mails.add(db, "invoice", "invoice", 1, "buyer@rosen.example", "Invoice")
        drafts.release(db)
        left = leave(db, 30)
        sent.update(mail["kind"] for mail in left)
        with db.write():  # as if each visitor opened the link in the mail at once
            for mail in left:
                if mail["kind"] == "application_confirmation":
                    db.run(drafts.sql.remember_domain, id=mail["entity_id"], now=db.now)
                    db.run(
                        drafts.sql.confirm, id=mail["entity_id"], application_id=None, now=db.now
                    )
                    mails.add(
                        db, "badge", "application", mail["entity_id"], mail["recipient"], "Badge"
                    )
    assert sent["application_confirmation"] > 800 and sent["badge"] > 800
    assert sent["invoice"] == 1


def test_a_badge_leaves_although_links_that_are_asked_for_take_all_mails(
    register, organiser, show, db, clock
):
    """Sixty a minute, which nginx allows one network, for 720 addresses of somebody who floods."""
    organiser.patch(f"/events/{show['event']['id']}/pages", {"my_is_open": True}, status=200)
    with db.write():
        for number in range(720):
            links.create(
                db,
                "participant",
                event_id=show["event"]["id"],
                participant_id=show["exhibitor"]["id"],
                email=f"u{number}@own.example",
                rights=["profile"],
            )
        mails.add(db, "badge", "application", 1, "visitor@rosen.example", "Badge")
    sent = Counter()
    for part in range(24):
        clock(f"2027-01-01T10:{part // 2:02}:{part % 2 * 30:02}Z")
        with db.write():
            for number in range(30):
                links.ask_for_mail(db, f"u{part * 30 + number}@own.example", BASE_URL)
        links.handle_requests(db, 100)
        sent.update(mail["kind"] for mail in leave(db, 30))
    assert sent == {"link": 719, "badge": 1}


def test_recipients_at_which_the_mail_server_closes_the_connection_stop_no_badges(
    register, db, clock, settings, monkeypatch
):
    """Thirty forms of one laptop name them.

    The badges, which were due before, have waited for half an hour.
    """

    def hand_over(server, sender, recipient, message):
        if recipient.startswith("a@d"):
            return Outcome("queued", "421", is_connected=False)
        return Outcome("sent", reply="250 OK")

    monkeypatch.setattr(settings, "mails_per_minute", 1000)
    monkeypatch.setattr(mail_message, "build", lambda db, mail: (mail["recipient"], b""))
    monkeypatch.setattr(smtp, "hand_over", hand_over)
    monkeypatch.setattr(smtp, "connected", lambda config: nullcontext())
    with db.write():
        for number in range(10):
            mails.add(db, "badge", "application", number, f"visitor{number}@rosen.example", "Badge")
    register(*own_domains(30, ["192.0.2.66"]))
    badges = "SELECT count(*) FROM mails WHERE kind = 'badge' AND state = 'sent'"
    for minute in range(60):
        clock(f"2027-01-01T10:{minute:02}:00Z")
        # what a minute of the worker is after an unreachable server
        job.deliver(settings, lambda: False)
        if db.connection.execute(badges).fetchone() == (10,):
            break
    assert minute <= 5


# Drafts


def test_at_most_ten_thousand_drafts_wait_and_a_flood_loses_its_own(app, show, db, send, clock):  # noqa: F811
    """The draft of somebody else stays, with its link."""
    send(email="honest@rosen.example")
    (mail,) = built(db)
    with db.write():
        db.connection.execute("""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
            INSERT INTO application_drafts
              (event_id, form, nonce, fields, email, email_hash, network, language, created_at)
            SELECT event_id, form, 'n' || i, fields, 'x', 'x', 'flood' || (i % 3), language, created_at
              FROM application_drafts, n""")
    for number in range(3):
        send(email=f"late{number}@rosen.example")
    count = db.connection.execute(
        "SELECT count(*) FROM application_drafts WHERE network IS NOT NULL"
    ).fetchone()[0]
    assert count == drafts.MOST
    kept = [
        nonce
        for (nonce,) in db.connection.execute(
            "SELECT nonce FROM application_drafts ORDER BY id LIMIT 3"
        )
    ]
    assert kept[1:] == ["n4", "n5"] and not kept[0].startswith("n"), (
        "the oldest of the largest network each time"
    )
    assert app.get(link_of(mail)).status_int == 200


@pytest.mark.parametrize("filler", ["one address", "many addresses"])
def test_a_network_that_fills_the_table_gets_no_further_mails_by_it(
    register, db, monkeypatch, filler
):
    """Each mail counts, so a draft whose mail has left is deleted last."""
    monkeypatch.setattr(drafts, "MOST", 100)
    register(*own_domains(30, ["192.0.2.1"]))
    for start in range(1000, 1200):
        email = "a@victim.example" if filler == "one address" else f"a@d{start}.example"
        register((email, "192.0.2.1"))
    drafts.release(db)
    assert len(recipients(db)) == 30


def test_many_networks_within_one_are_the_largest(register, db, monkeypatch):
    """A hall with forty drafts loses none to a flood from a /48."""
    monkeypatch.setattr(drafts, "MOST", 100)
    register(*own_domains(40, ["192.0.2.1"]))
    register(*own_domains(300, [f"2001:db8:0:{number:x}::1" for number in range(300)], start=1000))
    counts = db.connection.execute(
        "SELECT count(*) FROM application_drafts GROUP BY wide_network IS NULL"
    ).fetchall()
    assert counts == [(60,), (40,)]


def test_a_corrected_address_takes_the_place_of_the_wrong_one(register, db):
    """The mail to the wrong address was not sent yet, so it counts for no limit and is never sent."""
    event, nonce = directory.show(db, "fair"), "nonce-0"
    register(*own_domains(32, ["192.0.2.1"]))
    with db.write():
        assert drafts.correct(
            db, event, "apply", nonce, "right@right.example", "192.0.2.1", BASE_URL
        )[0]
    assert "a@d0.example" not in recipients(db) and waiting(db) == 3, (
        "it waits behind the two others"
    )
    assert drafts.release(db) == 1 and recipients(db)[-1] == "a@d30.example"
    with db.write():
        assert drafts.correct(
            db, event, "apply", "nonce-31", "again@other.example", "192.0.2.2", BASE_URL
        )[0]
    assert waiting(db) == 1 and recipients(db)[-1] == "again@other.example"


def test_a_correction_after_the_mail_was_sent_counts_like_another_form(register, db):
    event = directory.show(db, "fair")
    register(*own_domains(30, ["192.0.2.1"]))
    taken(db)
    with db.write():
        drafts.correct(db, event, "apply", "nonce-0", "right@right.example", "192.0.2.1", BASE_URL)
    assert waiting(db) == 1 and len(recipients(db)) == 30


def test_a_draft_that_is_deleted_takes_its_queued_mail_with_it(register, db, clock):
    register(*own_domains(31, ["192.0.2.1"]))
    db.connection.execute("UPDATE mails SET state = 'sent' WHERE recipient = 'a@d0.example'")
    clock("2027-01-09T10:00:00Z")
    assert drafts.delete_old(db, 500) == 31
    assert recipients(db) == ["a@d0.example"] and waiting(db) == 0 and drafts.release(db) == 0


def test_what_is_kept_of_networks_and_domains_is_keyed_and_goes_with_the_confirmation(
    register, confirm, db
):
    (id,) = register(("ada@rosen.example", "2001:db8:1:2::3"))
    columns = "network, wide_network, domain_hash"
    found = db.connection.execute(f"SELECT {columns} FROM application_drafts").fetchone()
    assert [bool(re.fullmatch("[0-9a-f]{32,64}", value)) for value in found] == [True] * 3
    confirm(id)
    assert (
        db.connection.execute(f"SELECT {columns} FROM application_drafts").fetchone() == (None,) * 3
    )
    assert db.connection.execute("SELECT * FROM confirmed_domains").fetchall() == [
        (found[2], START)
    ]
    db.connection.execute("UPDATE tenant SET form_key = randomblob(32)")
    register(("ben@rosen.example", "2001:db8:1:2::3"))
    again = db.connection.execute(
        f"SELECT {columns} FROM application_drafts WHERE id > ?", (id,)
    ).fetchone()
    assert not set(found) & set(again)


def test_the_desk_tells_how_many_confirmations_wait(register, app, db):
    visitor = Visitor(app)
    sign_in(visitor, add_key(db, SCOPES))
    assert "mails_waiting" not in visitor.get("/desk/").text
    register(*own_domains(35, ["192.0.2.1"]))
    assert re.search(r'data-figure="mails_waiting"[^>]*>5<', visitor.get("/desk/").text)
