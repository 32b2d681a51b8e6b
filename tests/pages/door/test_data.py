"""What devices at the door ask for and send: their sessions, roster, scans, figures and search, and
who is refused.
"""

import re
from datetime import datetime, timedelta, timezone

import pytest

from eventapi import times
from eventapi.domain.access import links, sessions
from tests.pages.conftest import Visitor
from tests.support import dates

NOW, ROSTER, SCANS, SEARCH = "/door/now", "/door/roster", "/door/scans", "/door/search?q=ada"


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
            "day_ends_at": dates.far_from_now(),
        },
    )


@pytest.fixture
def ada(organiser, fair):
    contact = organiser.make("/contacts", {"first_name": "Ada", "last_name": "Lovelace"})
    return organiser.make(
        "/participants", {"event_key": "fair", "role": "visitor", "contact_id": contact["id"]}
    )


@pytest.fixture
def door(open_link, fair, ada, db):
    """Return a function that opens the link of a door on a device, and returns (link, device,
    secret).
    """

    def opened(**values):
        given = {"event_id": fair["id"], "station": "West", **values}
        link, device, secret = open_link("door", **given)
        db.connection.execute(
            "UPDATE links SET created_at = ? WHERE id = ?", [ago(days=2), link["id"]]
        )
        return link, device, secret

    return opened


def sent(device, link, badge, status=200, **scan):
    """Send a scan and return the response."""
    body = {
        "link": link["ref"],
        "scans": [
            {
                "client_ref": f"9f-{badge}",
                "badge_number": badge,
                "action": "check_in",
                "station": None,
                "scanned_at": ago(seconds=1),
                **scan,
            }
        ],
    }
    return device.app.post_json(SCANS, body, status=status)


def code(response):
    return response.json["code"]


def test_a_device_gets_event_and_roster_and_sends_scans(organiser, door, ada, fair):
    link, device, _ = door()
    now = device.get(NOW)
    assert (
        now.json["data"]["event"]["title"] == "Garden Fair"
        and now.json["data"]["link"] == link["ref"]
    )
    assert now.json["data"]["present"] == 0 and now.headers["Cache-Control"] == "no-store"
    roster = device.get(ROSTER)
    assert roster.content_type == "application/octet-stream" and roster.body[:4] == b"EVR1"
    assert device.get(f"{ROSTER}?since={ago(hours=1)}").body[:4] == b"EVD1"
    assert device.get(f"{ROSTER}?since=yesterday", 422).json["errors"][0]["parameter"] == "since"
    [result] = sent(device, link, ada["badge_number"]).json["data"]["results"]
    assert (result["status"], result["name"], result["station"]) == (201, "Ada Lovelace", "West")
    assert device.get(NOW).json["data"]["present"] == 1
    assert organiser.get("/check-ins").json["data"][0]["checked_in_by"] is None
    [entry] = [entry for entry in organiser.get("/audit-log?entity_type=check_in").json["data"]]
    assert f"link {link['id']}" in str(entry)


def test_a_device_may_send_times_with_any_offset(organiser, door, ada):
    link, device, _ = door()
    at = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(minutes=1)
    local = (at + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%S")
    [result] = sent(device, link, ada["badge_number"], scanned_at=f"{local}+0200").json["data"][
        "results"
    ]
    assert result["status"] == 201
    [visit] = organiser.get("/check-ins").json["data"]
    assert visit["checked_in_at"] == at.strftime("%Y-%m-%dT%H:%M:%SZ")
    device.get(ROSTER)
    for since in (f"{local}%2B0200", f"{local}%2B02", f"{local}z", local):
        assert device.get(f"{ROSTER}?since={since}").body[:4] == b"EVD1"


def test_without_a_session_there_is_nothing(app, door, fair, open_link, exhibitor_link):
    strangers = [Visitor(app), exhibitor_link]
    for device in strangers:
        for path in (NOW, ROSTER, SEARCH):
            assert code(device.get(path, 403)) == "session_ended"
        assert code(sent(device, {"ref": "abcdefgh"}, "x", 403)) == "session_ended"


@pytest.fixture
def exhibitor_link(organiser, fair, open_link):
    contact = organiser.make("/contacts", {"last_name": "Tester", "email": "t@example.org"})
    made = organiser.make(
        "/participants", {"event_key": "fair", "role": "exhibitor", "contact_id": contact["id"]}
    )
    _, visitor, _ = open_link(
        "participant", event_id=fair["id"], participant_id=made["id"], email="t@example.org"
    )
    return visitor


def test_a_page_of_another_site_can_send_nothing(door, ada):
    link, device, _ = door()
    body = {
        "link": link["ref"],
        "scans": [
            {
                "client_ref": "1",
                "badge_number": ada["badge_number"],
                "station": None,
                "action": "check_in",
                "scanned_at": ago(seconds=1),
            }
        ],
    }
    for headers in (
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert (
            code(device.app.post_json(SCANS, body, headers=headers, status=403))
            == "origin_not_allowed"
        )
        assert (
            code(device.app.post_json("/door/sign-in", {"url": "x"}, headers=headers, status=403))
            == "origin_not_allowed"
        )
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx"):
        for path in (SCANS, "/door/sign-in"):
            device.app.post(path, b"{}", headers={"Content-Type": kind}, status=415)


def test_scans_of_another_link_are_not_taken_for_those_of_this_one(organiser, door, ada):
    _, device, _ = door()
    answer = sent(device, {"ref": "abcdefgh"}, ada["badge_number"], 422)
    assert answer.json["errors"][0]["pointer"] == "/link"
    assert organiser.get("/check-ins").json["data"] == []


def test_a_batch_has_at_most_200_scans(door, ada):
    link, device, _ = door()
    scans = [
        {
            "client_ref": str(number),
            "badge_number": "x",
            "action": "check_in",
            "station": None,
            "scanned_at": ago(seconds=1),
        }
        for number in range(201)
    ]
    device.app.post_json(SCANS, {"link": link["ref"], "scans": scans}, status=422)
    found = device.app.post_json(SCANS, {"link": link["ref"], "scans": scans[1:]}).json["data"][
        "results"
    ]
    assert [result["code"] for result in found] == ["unknown_badge"] * 200


def test_only_the_right_search_finds_names(door, ada):
    _, device, _ = door()
    device.get(SEARCH, 404)
    _, device, _ = door(rights=["search"])
    assert [person["name"] for person in device.get(SEARCH).json["data"]] == ["Ada Lovelace"]


def test_a_secret_opens_one_device_and_a_link_as_many_as_it_has(app, db, door, open_link, fair):
    link, first, secret = door(devices=2)
    assert "not valid" in Visitor(app).sign_in(secret, 404)
    answers = []
    for _ in range(2):
        with db.write():
            url = links.address(
                "https://show.example.org", links.add_secret(db, links.get(db, link["id"]), "shown")
            )
        answers.append(
            Visitor(app).app.post_json("/door/sign-in", {"url": f" {url}\n"}, status="*")
        )
    assert [answer.status_int for answer in answers] == [200, 409]
    assert answers[0].json["data"] == {"link": link["ref"]}
    assert re.match(
        r"evs-door=evs_[\w-]{32}; Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000",
        answers[0].headers["Set-Cookie"],
    )
    assert code(answers[1]) == "devices_used_up" and answers[1].json["devices"] == 2
    assert first.app.post_json("/door/sign-in", {"url": url}).json["data"], (
        "in place of its own session"
    )
    first.get(NOW)


def test_only_the_address_of_a_door_signs_a_device_in(app, open_link, exhibitor_link, fair, db):
    with db.write():
        [other] = [
            links.get(db, id) for id in db.connection.execute("SELECT id FROM links").fetchone()
        ]
        secret = links.add_secret(db, other, "shown")
    for url in (
        f"https://x.example/link/{secret}",
        "https://x.example/link/evl_" + "x" * 32,
        "A2Y84P5EX7NX",
        "https://x.example/link/evl_",
    ):
        assert (
            code(Visitor(app).app.post_json("/door/sign-in", {"url": url}, status=404))
            == "not_found"
        )
    for body in ({}, {"url": 1}, {"url": ""}, []):
        Visitor(app).app.post_json("/door/sign-in", body, status=422)


def test_a_secret_that_is_shown_is_valid_for_ten_minutes(app, db, door):
    link, _, _ = door()
    with db.write():
        secret = links.add_secret(db, links.get(db, link["id"]), "shown")
    db.connection.execute("UPDATE link_secrets SET expires_at = ?", [ago(seconds=1)])
    Visitor(app).app.post_json(
        "/door/sign-in", {"url": f"https://x.example/link/{secret}"}, status=404
    )


def test_a_revoked_link_and_an_ended_device_accept_nothing(organiser, db, door, ada):
    link, device, _ = door()
    with db.write():
        links.revoke(db, link)
    for answer in (
        device.get(NOW, 403),
        device.get(ROSTER, 403),
        sent(device, link, ada["badge_number"], 403),
    ):
        assert code(answer) == "link_ended"
    assert organiser.get("/check-ins").json["data"] == []


def test_a_link_that_has_ended_accepts_the_scans_of_before_for_a_week(organiser, db, door, ada):
    link, device, _ = door()

    def ends(at):
        db.connection.execute("UPDATE links SET expires_at = ? WHERE id = ?", [at, link["id"]])

    ends(ago(minutes=30))
    for path in (NOW, ROSTER, SEARCH):
        assert device.get(path, 403 if path != SEARCH else 404)
    assert code(device.get(NOW, 403)) == "link_ended"
    [late] = sent(device, link, ada["badge_number"], client_ref="1").json["data"]["results"]
    assert (late["status"], late["pointer"]) == (422, "/scanned_at")
    [found] = sent(device, link, ada["badge_number"], scanned_at=ago(minutes=31)).json["data"][
        "results"
    ]
    assert found["status"] == 201
    ends(ago(days=7, minutes=1))
    assert code(sent(device, link, ada["badge_number"], 403)) == "link_ended"
    assert len(organiser.get("/check-ins").json["data"]) == 1


def test_a_device_that_is_given_back_is_signed_out_and_makes_place_for_another(db, door):
    link, device, _ = door(devices=1)
    for body, status in (({"link": "abcdefgh"}, 422), ({}, 422), ({"link": link["ref"]}, 200)):
        device.app.post_json("/door/sign-out", body, status=status)
    assert code(device.get(NOW, 403)) == "link_ended", (
        "it deletes its list, also if it never got the answer"
    )
    assert sessions.of_link(db, link) == []


def test_one_device_of_a_door_is_ended_and_the_others_go_on(organiser, app, db, door):
    link, lost, _ = door(devices=2)
    with db.write():
        url = links.address(
            "https://show.example.org", links.add_secret(db, links.get(db, link["id"]), "shown")
        )
    other = Visitor(app)
    other.app.post_json("/door/sign-in", {"url": url})
    found = links.devices(db)
    assert [(row["link_id"], row["station"], row["event_title"]) for row in found] == [
        (link["id"], "West", "Garden Fair")
    ] * 2
    with db.write():
        links.end_device(db, found[0]["id"])
    assert code(lost.get(NOW, 403)) == "link_ended" and other.get(NOW)
    assert links.devices(db) == found[1:]
    [entry] = organiser.get("/audit-log?entity_type=link&action=session_ended").json["data"]
    assert entry["entity_id"] == link["id"]


def test_an_ended_device_is_told_so_after_weeks_and_its_cookie_outlives_the_link(db, door):
    link, device, _ = door()
    with db.write():
        links.revoke(db, link)
    db.connection.execute("UPDATE sessions SET ended_at = ?, last_used_at = ?", [ago(days=30)] * 2)
    assert sessions.delete_old(db, 100) == 0 and code(device.get(NOW, 403)) == "link_ended"
    db.connection.execute("UPDATE sessions SET last_used_at = ?", [ago(days=68)])
    assert sessions.delete_old(db, 100) == 1


def test_a_door_without_the_feature_is_not_there(db, door):
    _, device, _ = door()
    db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = 'door'")
    device.get(NOW, 404)


def test_a_scan_that_is_sent_twice_is_one(organiser, door, ada):
    link, device, _ = door()
    first, again = (
        sent(device, link, ada["badge_number"]).json["data"]["results"] for _ in range(2)
    )
    assert [first[0]["status"], again[0]["status"]] == [201, 200]
    assert len(organiser.get("/check-ins").json["data"]) == 1
