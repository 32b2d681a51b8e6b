"""What a scan has done (`effect`): a second reading of a badge is told from the first, whichever
was made first.
"""

import pytest

SCAN = "/check-ins"

# One list is one day of one badge: (time, station, further fields, status, code, effect), in the
# order of arrival. Statuses and codes are those that eventapi returned before it knew `effect`.
DAYS = {
    "a phone reads a badge twice": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("09:00:04", "West", {}, 200, None, "repeated"),
        ("09:00:10", "West", {}, 200, None, "repeated"),
        ("09:00:11", "West", {}, 409, "already_checked_in", None),
    ],
    "two phones, of which one has no station": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("09:00:04", None, {}, 200, None, "repeated"),
    ],
    "two phones at different entrances": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("09:00:04", "East", {}, 409, "already_checked_in", None),
    ],
    "out and in again": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("09:00:05", "West", {"action": "check_out"}, 200, None, "closed"),
        ("09:00:07", "West", {"action": "check_out"}, 200, None, "repeated"),
        ("09:00:09", "West", {}, 201, None, "opened"),
        ("09:00:10", "West", {}, 200, None, "repeated"),
        ("12:00:00", "East", {"action": "check_out"}, 200, None, "closed"),
        ("12:00:20", "East", {"action": "check_out"}, 409, "not_checked_in", None),
    ],
    "an earlier scan arrives later": [
        ("09:00:05", "West", {}, 201, None, "opened"),
        ("09:00:00", "West", {}, 201, None, "repeated"),
        ("08:00:00", "East", {}, 201, None, "repeated"),
    ],
    "two scans of one second": [
        ("09:00:00", "West", {"client_ref": "{day}-b"}, 201, None, "opened"),
        ("09:00:00", "West", {"client_ref": "{day}-a"}, 201, None, "repeated"),
        ("09:00:00", "West", {"client_ref": "{day}-c"}, 200, None, "repeated"),
    ],
    "two scans of one second at two entrances": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("09:00:00", "East", {}, 201, None, "repeated"),
    ],
    "a forced scan opens a visit, also when it arrives late": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("11:00:00", "West", {"force": True}, 201, None, "opened"),
        ("10:00:00", "West", {"force": True}, 201, None, "opened"),
        ("10:00:03", "West", {"force": True}, 200, None, "repeated"),
    ],
    "an earlier check-out arrives later": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("11:00:00", "West", {"action": "check_out"}, 200, None, "closed"),
        ("10:00:00", "West", {"action": "check_out"}, 200, None, "repeated"),
    ],
    "a check-out that arrives late comes between two scans": [
        ("09:00:00", "West", {}, 201, None, "opened"),
        ("11:00:00", "West", {}, 409, "already_checked_in", None),
        ("12:00:00", "West", {"action": "check_out"}, 200, None, "closed"),
        ("10:00:00", "West", {"action": "check_out"}, 200, None, "closed"),
    ],
    "a check-out arrives before its check-in": [
        ("10:00:00", "West", {"action": "check_out"}, 409, "not_checked_in", None),
        ("09:00:00", "West", {}, 201, None, "opened"),
    ],
}


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2026-01-04",
            "timezone": "UTC",
        },
    )


@pytest.fixture
def badge(organiser, fair):
    """Return badge(): the number of a new visitor."""

    def make():
        contact = organiser.make("/contacts", {"last_name": "Lovelace"})
        return organiser.make(
            "/participants", {"event_key": "fair", "role": "visitor", "contact_id": contact["id"]}
        )["badge_number"]

    return make


@pytest.fixture
def scan(organiser, badge):
    """Return scan(), which sends a scan of one badge and returns the response."""
    number = badge()

    def send(clock="09:00:00", status=None, headers=None, **fields):
        body = {
            "event_key": "fair",
            "badge_number": number,
            "scanned_at": f"2026-01-02T{clock}Z",
            **fields,
        }
        return organiser.post(SCAN, body, status=status, headers=headers or {})

    return send


def sent_of(day, number):
    """Return the bodies of the scans of a day, and what each must lead to."""
    bodies = []
    for place, (clock, station, more, *_) in enumerate(DAYS[day]):
        body = {
            "event_key": "fair",
            "badge_number": number,
            "scanned_at": f"2026-01-02T{clock}Z",
            "station": station,
            "client_ref": f"{day}-{place}",
            **more,
        }
        body["client_ref"] = body["client_ref"].replace("{day}", day)
        bodies.append(body)
    return bodies, [entry[3:] for entry in DAYS[day]]


@pytest.mark.parametrize("day", DAYS)
def test_a_scan_is_answered_with_its_effect(organiser, badge, day):
    found = []
    bodies, wanted = sent_of(day, badge())
    for body in bodies:
        answer = organiser.post(SCAN, body, status=None)
        code = None if answer.status_int < 300 else answer.json["code"]
        found.append((answer.status_int, code, answer.json.get("data", {}).get("effect")))
    assert found == wanted


@pytest.mark.parametrize("day", DAYS)
def test_a_scan_that_is_sent_again_has_the_effect_of_the_first_response(organiser, badge, day):
    bodies, wanted = sent_of(day, badge())
    for body in bodies:
        organiser.post(SCAN, body, status=None)
    for body, (_, _, effect) in zip(bodies, wanted, strict=True):
        if effect:
            assert organiser.post(SCAN, body, status=200).json["data"]["effect"] == effect


@pytest.mark.parametrize("station, clock", [("East", "09:00:20"), ("West", "09:00:00")])
def test_a_scan_that_opened_a_visit_stays_opened_when_an_earlier_one_arrives(scan, station, clock):
    """By the order of the visits, the scan is refused now: it belongs to the visit of the other
    one.
    """
    scan("09:00:20", 201, station="West", client_ref="w")
    other = scan(clock, 201, station=station, client_ref="a").json["data"]
    again = scan("09:00:20", 200, station="West", client_ref="w").json["data"]
    assert (again["effect"], again["id"], again["station"]) == ("opened", other["id"], station)


def test_a_scan_that_closed_a_visit_stays_closed_when_an_earlier_one_arrives(organiser, scan):
    out = {"action": "check_out", "station": "West"}
    opened = scan(status=201).json["data"]
    scan("11:00:00", 200, client_ref="late", **out)
    scan("10:00:00", 200, client_ref="early", **out)
    again = scan("11:00:00", 200, client_ref="late", **out).json["data"]
    assert (again["effect"], again["id"], again["checked_out_at"]) == (
        "closed",
        opened["id"],
        "2026-01-02T10:00:00Z",
    )
    organiser.delete(f"/check-ins/{opened['id']}", status=204)
    assert scan("11:00:00", 409, client_ref="late", **out).json["code"] == "not_checked_in", (
        "there is no visit"
    )


def test_a_scan_that_was_refused_first_is_refused_again(scan):
    """Also if it counted in between."""
    scan("09:00:20", 201, station="West")
    scan("09:00:40", 409, station="East", client_ref="e")
    scan("09:00:40", 409, station="East", client_ref="e")
    scan("09:00:30", 200, action="check_out")
    assert scan("09:00:40", 200, station="East", client_ref="e").json["data"]["effect"] == "opened"
    scan("09:00:35", 201, station="West")
    assert (
        scan("09:00:40", 409, station="East", client_ref="e").json["code"] == "already_checked_in"
    )


def test_a_minimal_response_to_a_scan_has_the_effect(scan):
    minimal = {"Prefer": "return=minimal"}
    for clock, status, effect in (("09:00:00", 201, "opened"), ("09:00:04", 200, "repeated")):
        answer = scan(clock, status, headers=minimal)
        assert answer.headers["Preference-Applied"] == "return=minimal"
        assert answer.json["data"].keys() == {"check_in_id", "effect", "created_at", "updated_at"}
        assert answer.json["data"]["effect"] == effect


def test_a_scan_that_was_refused_first_has_an_effect_once_it_counts(scan):
    scan("10:00:00", 409, action="check_out", client_ref="out")
    scan("09:00:00", 201)
    assert (
        scan("10:00:00", 200, action="check_out", client_ref="out").json["data"]["effect"]
        == "closed"
    )


def test_a_scan_of_an_earlier_version_has_the_effect_that_is_stored(scan, db):
    """It had no column for the effect of the first response."""
    sent = {"client_ref": "1", "station": "West"}
    scan(status=201, **sent)
    scan("09:00:04", 200, station="West", client_ref="2")
    db.connection.execute("UPDATE check_in_scans SET first_effect = NULL")
    assert scan(status=200, **sent).json["data"]["effect"] == "opened"
    assert (
        scan("09:00:04", 200, station="West", client_ref="2").json["data"]["effect"] == "repeated"
    )


def test_a_badge_twice_in_a_batch_is_repeated_once_whatever_its_references(organiser, badge):
    """The scans of one second are taken in the order of the batch, and ordered by their references."""
    for refs in (("1-a", "1-b"), ("2-b", "2-a")):
        number = badge()
        scans = [
            {
                "event_key": "fair",
                "badge_number": number,
                "station": "West",
                "client_ref": ref,
                "scanned_at": "2026-01-02T09:00:00Z",
            }
            for ref in refs
        ]
        for _ in range(2):
            results = organiser.post("/check-ins/batch", {"scans": scans}, status=200).json["data"][
                "results"
            ]
            assert [entry["data"]["effect"] for entry in results] == ["opened", "repeated"]
            assert results[0]["data"]["id"] == results[1]["data"]["id"]


def test_the_visit_in_a_refusal_has_no_effect(organiser, scan):
    opened = scan(station="West", status=201).json["data"]
    refused = scan("09:00:05", 409, station="East").json
    assert (
        refused["check_in"] == organiser.data(f"/check-ins/{opened['id']}")
        and "effect" not in refused["check_in"]
    )


def test_only_responses_to_scans_have_an_effect(organiser, scan, db):
    made = scan(status=201).json["data"]
    assert made.pop("effect") == "opened"
    assert organiser.data(f"/check-ins/{made['id']}") == made and organiser.data("/check-ins") == [
        made
    ]
    header = organiser.get(
        "/check-ins", headers={"Accept": "text/csv"}, status=200
    ).text.splitlines()[0]
    assert "effect" not in header
    changed = organiser.patch(
        f"/check-ins/{made['id']}", {"station": "East", "effect": "closed"}, status=200
    )
    assert "effect" not in changed.json["data"]
    stored = db.connection.execute(
        "SELECT coalesce(old_values, '') || coalesce(new_values, '') FROM audit_log WHERE "
        "entity_type = 'check_in' UNION ALL SELECT data FROM outgoing_events WHERE "
        "entity_type = 'check_in'"
    ).fetchall()
    assert stored and not any('"effect"' in text for (text,) in stored)


def test_the_etag_of_a_scan_is_that_of_the_check_in(organiser, scan):
    answer = scan(status=201)
    path = f"/check-ins/{answer.json['data']['id']}"
    assert organiser.get(path).headers["ETag"] == answer.headers["ETag"]
    assert scan("09:00:05", 200).headers["ETag"] == answer.headers["ETag"], (
        "a repeated scan changes no check-in"
    )
    organiser.patch(path, {"notes": "x"}, status=200, headers={"If-Match": answer.headers["ETag"]})


def test_an_idempotency_key_returns_the_effect_again(organiser, scan):
    first, again = [scan(status=201, headers={"Idempotency-Key": "once"}) for _ in range(2)]
    assert (
        again.headers["Idempotency-Replayed"] == "true" and again.json["data"] == first.json["data"]
    )
    assert (
        again.json["data"]["effect"] == "opened" and again.headers["ETag"] == first.headers["ETag"]
    )
