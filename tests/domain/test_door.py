"""The page at the door: its roster of badges in bytes, the scans of its devices, its figures and
its search.
"""

import random
from datetime import datetime, timedelta, timezone
from hashlib import sha256

import pytest

from eventapi import times
from eventapi.domain.entrance import badges, door, door_roster
from eventapi.storage.database import Database
from eventapi.validation.bodies import Body
from eventapi.web.html.page_cache import PageCache
from tests.support import dates

BEGAN = "2026-01-02T08:00:00Z"


def ago(**span):
    return times.text(datetime.now(timezone.utc) - timedelta(**span))


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2036-01-04",
            "timezone": "Europe/Berlin",
            "day_ends_at": dates.far_from_now(),
        },
    )


@pytest.fixture
def visitor(organiser, fair):
    """Return visitor(), which creates a participant of the fair."""

    def make(contact=None, **fields):
        made = organiser.make("/contacts", {"last_name": "Lovelace", **(contact or {})})
        return organiser.make(
            "/participants",
            {"event_key": "fair", "role": "visitor", **fields, "contact_id": made["id"]},
        )

    return make


@pytest.fixture
def at_night(organiser, fair):
    """The days of the fair end at night, for scans whose times a test has fixed."""
    organiser.patch(f"/events/{fair['id']}", {"day_ends_at": "03:00"}, status=200)


@pytest.fixture
def link(fair):
    return {
        "ref": "abcdefgh",
        "event_id": fair["id"],
        "station": "West",
        "created_at": BEGAN,
        "ends_at": None,
        "revoked_at": None,
        "rights": [],
        "language": "en",
    }


@pytest.fixture
def send(db, link):
    """Return send(), which records scans of the link and returns their results without client_ref
    and nulls.
    """

    def record(*scans, **changed):
        given = [
            {
                "client_ref": f"device-{random.random()}",
                "action": "check_in",
                "station": None,
                "scanned_at": ago(minutes=1),
                **scan,
            }
            for scan in scans
        ]
        with db.write():
            results = door.record(db, {**link, **changed}, given, Body("check_in", "POST", "UTC"))
        assert [result.pop("client_ref") for result in results] == [
            scan["client_ref"] for scan in given
        ]
        return [
            {name: value for name, value in result.items() if value is not None}
            for result in results
        ]

    return record


# The roster


def parsed(data):
    """Return (kind, event id, salt, revision, server time, colours, entries) of a roster, read as
    documented.

    `entries` maps the first 5 bytes of a hash to (status, role, colour), each a number.
    """

    def number(start, length):
        return int.from_bytes(data[start : start + length], "big")

    entries, count = data[68:], number(64, 4)
    assert len(entries) == 6 * count
    pieces = [entries[start : start + 6] for start in range(0, len(entries), 6)]
    assert pieces == sorted(pieces)
    flags = {piece[:5]: (piece[5] % 4, piece[5] // 4 % 8, piece[5] // 32) for piece in pieces}
    assert len(flags) == count
    colours = [data[start : start + 3].hex() for start in range(40, 64, 3)]
    return data[:4], number(4, 4), data[8:24], number(24, 8), number(32, 8), colours, flags


def whole(db, fair, kept=None):
    """Return the roster of the fair; without `kept`, as a process makes it that has kept none."""
    return door_roster.whole(db, fair["id"], kept or PageCache(1_000_000))


def hashed(salt, badge):
    return sha256(salt + badge.encode()).digest()[:5]


def test_the_roster_says_which_badges_may_enter_and_contains_no_number_and_no_name(
    organiser, db, fair, visitor
):
    organiser.make(
        "/categories",
        {"title": "Trade", "category_key": "trade", "color": "#1D6F42", "event_keys": ["fair"]},
    )
    ada = visitor(
        {"first_name": "Ada", "company_name": "SECRET GmbH"},
        category_key="trade",
        is_confirmed=True,
    )
    ben, cem = visitor(role="exhibitor"), visitor(role="staff")
    organiser.post(f"/participants/{ben['id']}/cancel", {}, status=200)
    organiser.post(f"/participants/{cem['id']}/badge/replace", {}, status=200)
    new = organiser.data(f"/participants/{cem['id']}")["badge_number"]
    data = whole(db, fair)
    kind, event_id, salt, revision, seconds, colours, flags = parsed(data)
    assert (kind, event_id) == (b"EVR1", fair["id"])
    assert abs(seconds - datetime.now().timestamp()) < 60
    assert colours == ["000000", "1d6f42", *["000000"] * 6]
    assert flags == {
        hashed(salt, ada["badge_number"]): (0, 4, 1),
        hashed(salt, ben["badge_number"]): (1, 0, 0),
        hashed(salt, cem["badge_number"]): (2, 6, 0),
        hashed(salt, new): (0, 6, 0),
    }
    for secret in (
        "SECRET",
        "Lovelace",
        "Ada",
        *(badge["badge_number"] for badge in (ada, ben, cem)),
    ):
        assert (
            secret.encode() not in data
            and bytes.fromhex(sha256(secret.encode()).hexdigest())[:5] not in data
        )
    assert parsed(whole(db, fair))[2:4] == (salt, revision), "the salt stays"
    assert salt.hex() != organiser.data("/check-ins/roster?event_key=fair")["salt"], (
        "another salt than that of the API"
    )


def test_a_kept_roster_is_made_again_only_after_a_change_and_has_the_present_time(
    organiser, db, fair, visitor, monkeypatch
):
    """Each change is one that some of its bytes depend on."""
    organiser.make("/categories", {"title": "Trade", "color": "#1D6F42", "event_keys": ["fair"]})
    press = organiser.make(
        "/categories", {"title": "Press", "color": "#aa0000", "event_keys": ["fair"]}
    )
    guest = organiser.make(
        "/categories", {"title": "Guest", "color": "#aa0000", "event_keys": ["fair"]}
    )
    ada, ben = visitor(category_key=guest["category_key"]), visitor()
    kept, made, pack = PageCache(1_000_000), [], door_roster._packed
    monkeypatch.setattr(
        door_roster, "_packed", lambda *arguments: made.append(None) or pack(*arguments)
    )
    whole(db, fair, kept)

    def is_made_after(change):
        change()
        before = len(made)
        first = whole(db, fair, kept)
        times_made = len(made) - before
        again = whole(db, fair, kept)
        assert len(made) - before == times_made, "the second time it is kept"
        new = whole(db, fair)
        assert first[:32] + first[40:] == again[:32] + again[40:] == new[:32] + new[40:], (
            "it equals one made now"
        )
        return times_made == 1

    assert not is_made_after(
        lambda: organiser.make(
            "/notes", {"entity_type": "event", "entity_id": fair["id"], "note_text": "x"}
        )
    )
    for change in (
        visitor,
        lambda: organiser.post(f"/participants/{ada['id']}/cancel", {}, status=200),
        lambda: organiser.post(f"/participants/{ben['id']}/badge/replace", {}, status=200),
        lambda: organiser.patch(
            f"/participants/{ben['id']}", {"category_key": press["category_key"]}, status=200
        ),
        lambda: organiser.patch(f"/categories/{guest['id']}", {"color": "#1D6F42"}, status=200),
        lambda: organiser.patch(f"/categories/{press['id']}", {"color": None}, status=200),
    ):
        assert is_made_after(change)
    monkeypatch.setattr(door_roster.time, "time", lambda: 2_000_000_000.5)
    assert parsed(whole(db, fair, kept))[4] == 2_000_000_000


def test_changes_are_those_since_a_time_with_the_minute_before_it(
    organiser, db, fair, visitor, monkeypatch
):
    old, new = visitor(), visitor()
    assert door_roster.changes(db, fair["id"], times.now()) is None, "there is no roster yet"
    salt = parsed(whole(db, fair))[2]
    db.connection.execute(
        "UPDATE participants SET updated_at = '2026-01-01T00:00:00Z' WHERE id = ?", [old["id"]]
    )
    kind, _, again, revision, _, _, flags = parsed(
        door_roster.changes(db, fair["id"], ago(seconds=1))
    )
    assert (kind, again, flags) == (b"EVD1", salt, {hashed(salt, new["badge_number"]): (0, 4, 0)})
    assert parsed(door_roster.changes(db, fair["id"], ago(minutes=-2)))[6] == {}
    organiser.post(f"/participants/{old['id']}/badge/replace", {}, status=200)
    number = organiser.data(f"/participants/{old['id']}")["badge_number"]
    found = parsed(door_roster.changes(db, fair["id"], ago(seconds=1)))
    assert found[3] > revision
    assert found[6] == {
        hashed(salt, new["badge_number"]): (0, 4, 0),
        hashed(salt, number): (0, 4, 0),
        hashed(salt, old["badge_number"]): (2, 4, 0),
    }


def test_a_salt_that_makes_two_badges_alike_is_drawn_again(db, fair, visitor, monkeypatch):
    """With 1 byte of the hash, 7 of 100 salts make two of 7 badges alike."""
    made = [visitor()["badge_number"] for _ in range(5)]
    monkeypatch.setattr(door_roster, "HASH", 1)
    monkeypatch.setattr(door_roster, "DRAWS", 1000)

    def salt_and_places():
        data = whole(db, fair)
        return data[8:24], {data[place] for place in range(68, len(data), 2)}

    salt, places = salt_and_places()
    assert (
        places == {sha256(salt + number.encode()).digest()[0] for number in made}
        and len(places) == 5
    )
    for is_twin in (False, True):
        number = next(
            number
            for number in iter(badges.draw, None)
            if (sha256(salt + number.encode()).digest()[0] in places) == is_twin
        )
        assert salt_and_places()[0] == salt
        db.connection.execute(
            "INSERT INTO badge_aliases (badge_number, event_participant_id, created_at, updated_at) "
            "VALUES (?, 1, '', '')",
            [number],
        )
    new, places = salt_and_places()
    assert new != salt and len(places) == 7


def test_of_badges_that_no_salt_tells_apart_the_stricter_status_counts(
    organiser, db, fair, visitor, monkeypatch
):
    made = [visitor() for _ in range(3)]
    organiser.post(f"/participants/{made[1]['id']}/cancel", {}, status=200)
    monkeypatch.setattr(door_roster, "HASH", 0)
    data = whole(db, fair)
    assert int.from_bytes(data[64:68], "big") == 1 and data[68] % 4 == 1


def test_two_devices_that_ask_first_at_once_get_the_same_salt(
    db, fair, visitor, settings, monkeypatch
):
    visitor()
    other, draw = Database(settings), door_roster._draw
    first = []

    def slow(*arguments):
        if not first:
            first.append(None)
            first[0] = whole(other, fair)
        return draw(*arguments)

    monkeypatch.setattr(door_roster, "_draw", slow)
    assert whole(db, fair)[8:24] == first[0][8:24]
    other.close()


# Scans


def test_a_scan_of_the_door_is_a_visit_at_the_station_of_the_link(organiser, db, send, visitor):
    ada = visitor({"first_name": "Ada", "company_name": "Rosen KG"}, badge_name="Countess Lovelace")
    [result] = send({"badge_number": ada["badge_number"], "station": "East"})
    [visit] = organiser.get("/check-ins").json["data"]
    assert (visit["station"], visit["check_in_type"], visit["event_participant_id"]) == (
        "West",
        "app",
        ada["id"],
    )
    assert result == {
        "status": 201,
        "effect": "opened",
        "name": "Countess Lovelace",
        "company": "Rosen KG",
        "role": "visitor",
        "since": visit["checked_in_at"],
        "station": "West",
    }
    ben = visitor({"first_name": "Ben"})
    assert (
        send({"badge_number": ben["badge_number"], "station": "East"}, station=None)[0]["station"]
        == "East"
    )


def test_each_scan_has_its_own_result_and_refused_ones_are_stored(organiser, send, visitor):
    ada, ben, cem = visitor({"first_name": "Ada"}), visitor(), visitor()
    organiser.post(f"/participants/{ben['id']}/cancel", {}, status=200)
    organiser.post(f"/participants/{cem['id']}/badge/replace", {}, status=200)
    send({"badge_number": ada["badge_number"], "scanned_at": ago(minutes=20)})
    results = send(
        *(
            {"badge_number": number, "scanned_at": times.now()}
            for number in (
                ada["badge_number"],
                ben["badge_number"],
                cem["badge_number"],
                badges.draw(),
            )
        ),
        {
            "badge_number": ada["badge_number"],
            "action": "check_out",
            "scanned_at": ago(minutes=-70),
        },
    )
    assert [
        (result["status"], result.get("code"), result.get("pointer")) for result in results
    ] == [
        (409, "already_checked_in", None),
        (409, "participant_cancelled", None),
        (409, "badge_replaced", None),
        (404, "unknown_badge", None),
        (422, "validation_failed", "/scanned_at"),
    ]
    assert (results[0]["name"], results[0]["station"]) == ("Ada Lovelace", "West")
    assert len(organiser.get("/check-ins/refusals").json["data"]) == 4


@pytest.mark.parametrize(
    "first, second, told",
    [
        ({"at": "09:00:00"}, {"at": "09:00:04"}, ("repeated", "09:00:00", "West")),
        ({"at": "09:00:04"}, {"at": "09:00:00"}, ("repeated", "09:00:04", "West")),
        (
            {"at": "09:00:04", "client_ref": "b"},
            {"at": "09:00:04", "client_ref": "a"},
            ("repeated", "09:00:04", "West"),
        ),
        ({"at": "10:00:00"}, {"at": "09:00:00", "of": "East"}, ("repeated", "10:00:00", "West")),
        ({"at": "09:00:00"}, {"at": "09:00:04", "of": "East"}, (None, "09:00:00", "West")),
        (
            {"at": "09:00:00", "of": None},
            {"at": "09:00:04", "of": "East"},
            ("repeated", "09:00:00", None),
        ),
        (
            {"at": "09:00:00"},
            {"at": "09:00:04", "action": "check_out"},
            ("closed", "09:00:00", "West"),
        ),
    ],
)
def test_a_device_learns_when_and_where_a_badge_was_read_before(
    at_night, visitor, send, first, second, told
):
    number = visitor()["badge_number"]

    def sent(at, of="West", **scan):
        return send(
            {"badge_number": number, "scanned_at": f"2026-05-02T{at}Z", **scan}, station=of
        )[0]

    assert sent(**first)["effect"] == "opened"
    found = sent(**second)
    assert (found.get("effect"), found["since"], found.get("station")) == (
        told[0],
        f"2026-05-02T{told[1]}Z",
        told[2],
    )


def test_a_device_learns_when_and_where_somebody_has_left_before(at_night, visitor, send):
    number = visitor()["badge_number"]
    for at, action, effect in (("09:00", "check_in", "opened"), ("10:00", "check_out", "closed")):
        assert (
            send({"badge_number": number, "scanned_at": f"2026-05-02T{at}:00Z", "action": action})[
                0
            ]["effect"]
            == effect
        )
    for _ in range(2):  # the answer may be lost
        [again] = send(
            {
                "badge_number": number,
                "scanned_at": "2026-05-02T10:00:03Z",
                "action": "check_out",
                "client_ref": "out",
            }
        )
        assert (again["status"], again["effect"], again["since"]) == (
            200,
            "repeated",
            "2026-05-02T10:00:00Z",
        )


def test_a_device_whose_answer_was_lost_learns_the_same(visitor, send):
    """The second device was a moment faster, and its scan is the one with which the visit begins."""
    number = visitor()["badge_number"]
    slow = {"badge_number": number, "scanned_at": "2026-05-02T09:00:01Z", "client_ref": "slow"}
    fast = {"badge_number": number, "scanned_at": "2026-05-02T09:00:00Z", "client_ref": "fast"}
    assert [send(scan)[0]["effect"] for scan in (slow, fast, slow, fast)] == [
        "opened",
        "repeated",
    ] * 2


def test_a_scan_counts_only_if_it_was_made_while_the_link_was_valid(send, visitor):
    number = visitor()["badge_number"]
    valid = {"created_at": ago(hours=2), "ends_at": ago(hours=1)}
    made = [
        {"badge_number": number, "scanned_at": ago(**span)}
        for span in (
            {"hours": 2, "minutes": 2},
            {"minutes": 100},
            {"minutes": 59},
            {"hours": 2, "seconds": 30},
        )
    ]
    results = send(*made, **valid)
    assert [(result["status"], result.get("pointer")) for result in results] == [
        (422, "/scanned_at"),
        (409, None),
        (422, "/scanned_at"),
        (201, None),
    ]


@pytest.mark.parametrize(
    "link_is, refused",
    [
        ({"ends_at": ago(days=6, hours=23)}, False),
        ({"ends_at": ago(days=7, hours=1)}, True),
        ({"revoked_at": ago(minutes=1)}, True),
        ({"revoked_at": ago(minutes=1), "ends_at": ago(days=1)}, True),
    ],
)
def test_an_ended_link_accepts_old_scans_for_a_week_and_a_revoked_one_none(link, link_is, refused):
    assert door.has_ended({**link, **link_is}, times.now()) == refused


# Figures and search


def test_the_figures_are_those_of_the_running_day(organiser, db, fair, link, send, visitor):
    for days in (0, 0, 1):
        send({"badge_number": visitor()["badge_number"], "scanned_at": ago(days=days)})
    send({"badge_number": visitor()["badge_number"]})
    found = door.now(db, link)
    assert found["present"] == organiser.data("/check-ins/stats?event_key=fair")["present"] == 3
    assert found["event"] == {
        "id": fair["id"],
        "event_key": "fair",
        "title": "Garden Fair",
        "timezone": "Europe/Berlin",
    }
    assert (found["station"], found["link"]) == ("West", "abcdefgh")
    assert (
        found["day_began_at"]
        <= found["now"]
        < times.text(datetime.fromisoformat(found["day_began_at"]) + timedelta(hours=26))
    )
    visitor()
    assert door.now(db, link)["revision"] == found["revision"] + 1


def test_the_search_finds_names_of_the_event_only(organiser, db, link, visitor):
    greta = visitor(
        {"first_name": "Greta", "last_name": "Reißmann", "company_name": "Töpferei Müller"}
    )
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    other = organiser.make("/contacts", {"last_name": "Reißmann"})
    organiser.make(
        "/participants", {"event_key": "other", "contact_id": other["id"], "role": "visitor"}
    )
    for text in ("greta", "REISS", "mueller", greta["badge_number"], "gre toepf"):
        assert door.search(db, link, text) == [
            {
                "name": "Greta Reißmann",
                "company": "Töpferei Müller",
                "role": "visitor",
                "category": None,
                "status": "registered",
                "badge_number": greta["badge_number"],
            }
        ], text
    assert door.search(db, link, "nobody") == door.search(db, link, " - ") == []
    for _ in range(12):
        visitor({"first_name": "Greta"})
    assert len(door.search(db, link, "greta")) == 10
