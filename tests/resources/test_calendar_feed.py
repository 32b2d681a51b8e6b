"""The calendar feed: entries, their history, and secret addresses."""

import logging
import re
from datetime import date, datetime, timedelta, timezone

import pytest

from eventapi.domain.events import calendar_feed
from eventapi.domain.events import icalendar as calendar
from eventapi.web import request_log
from tests.support.dates import in_days
from tests.web.test_routes import problem

EVENT = {
    "title": "Garden Fair",
    "event_key": "garden-fair",
    "date_from": "2027-05-01",
    "date_to": "2027-05-03",
    "city": "Leipzig",
}


@pytest.fixture
def event(organiser):
    return organiser.make("/events", EVENT)


def slot(organiser, event, **values):
    return organiser.make(
        "/schedules",
        {
            "event_id": event["id"],
            "slot_date": "2027-05-01",
            "start_time": "10:00",
            "end_time": "11:30",
            "title": "Opening",
            "location": "Stage 1",
            "is_public": True,
            **values,
        },
    )


def read(body):
    """Return the entries of a calendar by UID, without the id of the installation, as {name:
    value}.

    Names include their parameters. Values are unescaped.
    """
    text = body.decode()
    assert (
        text.endswith("\r\n")
        and "\n" not in text.replace("\r\n", "")
        and text.isprintable() is False
    )
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    entries, entry = {}, None
    for line in text.replace("\r\n ", "").split("\r\n"):
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            entry = {}
        elif line == "END:VEVENT":
            entries[entry["UID"].partition("@")[0]] = entry
            entry = None
        elif entry is not None:
            assert name not in entry, f"{name} twice"
            entry[name] = value
    return entries


def feed(client, query=""):
    return read(client.get(f"/calendar-feed{query}", status=200).body)


# Entries


def test_an_all_day_event_ends_on_the_following_day(organiser, event):
    entry = feed(organiser)["event-1"]
    assert (
        entry["SUMMARY"] == "Garden Fair"
        and entry["LOCATION"] == "Leipzig\\, DE"
        and entry["STATUS"] == "CONFIRMED"
    )
    assert (entry["DTSTART;VALUE=DATE"], entry["DTEND;VALUE=DATE"]) == ("20270501", "20270504")
    assert entry["SEQUENCE"] == "0" and re.fullmatch(r"\d{8}T\d{6}Z", entry["DTSTAMP"])
    assert entry["TRANSP"] == "TRANSPARENT"
    assert re.fullmatch(r"event-1@[0-9a-f]{24}\.eventapi", entry["UID"])


@pytest.mark.parametrize(
    "dates, expected",
    [
        (
            {"date_from": "2027-05-01", "date_to": None},
            {"DTSTART;VALUE=DATE": "20270501", "DTEND;VALUE=DATE": "20270502"},
        ),
        (
            {"date_from": "2027-05-01T09:00:00+02:00", "date_to": "2027-05-01T18:00:00+02:00"},
            {"DTSTART": "20270501T070000Z", "DTEND": "20270501T160000Z"},
        ),
        (
            {"date_from": "2027-05-01", "date_to": "2027-05-02T14:00:00Z"},
            {"DTSTART": "20270430T220000Z", "DTEND": "20270502T140000Z"},
        ),
        ({"date_from": "2027-05-01T09:00:00Z", "date_to": None}, {"DTSTART": "20270501T090000Z"}),
        (
            {"date_from": "2027-03-28", "date_to": "2027-03-28"},
            {"DTSTART;VALUE=DATE": "20270328", "DTEND;VALUE=DATE": "20270329"},
        ),
        # The day has no midnight in this time zone.
        (
            {"date_from": "2026-09-06", "date_to": "2026-09-06", "timezone": "America/Santiago"},
            {"DTSTART;VALUE=DATE": "20260906", "DTEND;VALUE=DATE": "20260907"},
        ),
    ],
)
def test_times_are_utc_and_dates_have_no_time(organiser, event, dates, expected):
    organiser.patch("/events/1", dates, status=200)
    assert {
        name: value
        for name, value in feed(organiser)["event-1"].items()
        if name.startswith("DT") and name != "DTSTAMP"
    } == expected


def test_events_without_dates_are_left_out(organiser):
    organiser.make("/events", {"title": "Some day"})
    body = organiser.get("/calendar-feed", status=200).body
    assert read(body) == {} and b"BEGIN:VTIMEZONE" in body, "a calendar must have a component"


def test_a_deadline_is_a_date_or_a_time(organiser, event):
    assert "deadline-1" not in feed(organiser)
    organiser.patch("/events/1", {"application_deadline": "2027-02-01"}, status=200)
    entry = feed(organiser)["deadline-1"]
    assert (
        entry["SUMMARY"] == "Application deadline: Garden Fair"
        and entry["DTSTART;VALUE=DATE"] == "20270201"
    )
    organiser.patch("/events/1", {"application_deadline": "2027-02-01T12:00:00+01:00"}, status=200)
    entry = feed(organiser)["deadline-1"]
    assert (
        entry["DTSTART"] == "20270201T110000Z" and "DTEND" not in entry and entry["SEQUENCE"] == "1"
    )
    organiser.patch("/events/1", {"application_deadline": None}, status=200)
    assert feed(organiser)["deadline-1"]["STATUS"] == "CANCELLED"


def test_deadlines_are_named_in_the_language_of_the_organiser(organiser, event, settings):
    organiser.patch("/events/1", {"application_deadline": "2027-02-01"}, status=200)
    etag = organiser.get("/calendar-feed", status=200).headers["ETag"]
    settings.language = "de"
    answer = organiser.get("/calendar-feed", headers={"If-None-Match": etag}, status=200)
    assert read(answer.body)["deadline-1"]["SUMMARY"] == "Anmeldeschluss: Garden Fair"


@pytest.mark.parametrize(
    "place, expected",
    [
        ({"venue": None}, "Leipzig\\, DE"),
        ({"venue": "Messehaus"}, "Messehaus\\, Leipzig\\, DE"),
        (
            {"venue": "Messehaus", "address": "Am Ring 1", "postal_code": "04109"},
            "Messehaus\\, Am Ring 1\\, 04109 Leipzig\\, DE",
        ),
        ({"postal_code": "04109", "city": None}, "04109\\, DE"),
    ],
)
def test_the_location_of_an_event_is_its_venue_and_address(organiser, event, place, expected):
    organiser.patch("/events/1", place, status=200)
    assert feed(organiser)["event-1"]["LOCATION"] == expected


def test_slots_name_their_speakers_and_the_venue(organiser, event, settings):
    """Speakers only.

    A change of the speakers, or of a name, is visible, and a person who was anonymised is not.
    """
    people = [
        organiser.make(
            "/participants",
            {"event_id": 1, "contact_id": organiser.make("/contacts", contact)["id"]},
        )
        for contact in (
            {"first_name": "Ada", "last_name": "Bley", "company_name": "Rosen KG"},
            {"first_name": "Kim", "last_name": "Muster"},
            {"last_name": "Guest"},
        )
    ]
    roles = [
        {"event_participant_id": person["id"], "role": role}
        for person, role in zip(people, ("speaker", "speaker", "attendee"), strict=True)
    ]
    slot(organiser, event, description="About roses", assignments=roles)
    organiser.patch("/events/1", {"venue": "Messehaus"}, status=200)
    entry = feed(organiser)["slot-1"]
    assert entry["DESCRIPTION"] == "Speakers: Ada Bley (Rosen KG)\\, Kim Muster\\n\\nAbout roses"
    assert entry["LOCATION"] == "Stage 1\\, Garden Fair\\, Messehaus"
    organiser.patch("/schedules/1", {"assignments": roles[1:]}, status=200)
    changed = feed(organiser)["slot-1"]
    assert changed["DESCRIPTION"] == "Speaker: Kim Muster\\n\\nAbout roses"
    assert int(changed["SEQUENCE"]) > int(entry["SEQUENCE"])
    etag = organiser.get("/calendar-feed", status=200).headers["ETag"]
    organiser.patch(f"/contacts/{people[1]['contact_id']}", {"last_name": "Neu"}, status=200)
    settings.language = "de"
    answer = organiser.get("/calendar-feed", headers={"If-None-Match": etag}, status=200)
    assert read(answer.body)["slot-1"]["DESCRIPTION"] == "Es spricht: Kim Neu\\n\\nAbout roses"
    organiser.post(f"/contacts/{people[1]['contact_id']}/anonymize", status=200)
    assert feed(organiser)["slot-1"]["DESCRIPTION"] == "About roses"


def test_only_public_slots_are_included(organiser, event):
    slot(organiser, event)
    slot(organiser, event, title="Staff only", location=None, is_public=False)
    entry = feed(organiser)["slot-1"]
    assert (entry["SUMMARY"], entry["LOCATION"]) == ("Opening", "Stage 1\\, Garden Fair")
    assert (entry["DTSTART"], entry["DTEND"]) == ("20270501T080000Z", "20270501T093000Z")
    assert "slot-2" not in feed(organiser)


def test_a_withdrawn_slot_shows_its_last_public_values(organiser, event):
    slot(organiser, event)
    organiser.patch("/schedules/1", {"is_public": False, "title": "Secret"}, status=200)
    entry = feed(organiser)["slot-1"]
    assert (entry["STATUS"], entry["SUMMARY"], entry["SEQUENCE"]) == ("CANCELLED", "Opening", "1")
    organiser.patch("/schedules/1", {"is_public": True}, status=200)
    entry = feed(organiser)["slot-1"]
    assert (entry["STATUS"], entry["SUMMARY"], entry["SEQUENCE"]) == ("CONFIRMED", "Secret", "2")


def test_tasks_are_due_on_a_date_at_a_time_or_relative_to_the_event(organiser, event):
    organiser.make("/tasks", {"title": "Call", "due_date": "2027-04-01"})
    organiser.make("/tasks", {"title": "Send", "due_date": "2027-04-01T10:00:00Z"})
    organiser.make(
        "/tasks",
        {
            "title": "Print",
            "due_date": {"before": "date_from", "days": 10},
            "entity_type": "event",
            "entity_id": 1,
        },
    )
    organiser.make("/tasks", {"title": "Some day"})
    found = feed(organiser, "?kinds=task")
    assert [found[f"task-{id}"].get("DTSTART;VALUE=DATE") for id in (1, 2, 3)] == [
        "20270401",
        None,
        "20270421",
    ]
    assert (
        found["task-2"]["DTSTART"] == "20270401T100000Z"
        and found["task-3"]["LOCATION"] == "Garden Fair"
    )
    assert "task-4" not in found
    organiser.patch("/events/1", {"date_from": "2027-04-30"}, status=200)
    assert feed(organiser)["task-3"]["DTSTART;VALUE=DATE"] == "20270420"


def test_completed_and_cancelled_tasks_have_their_status(organiser):
    organiser.make("/tasks", {"title": "Call", "due_date": "2027-04-01"})
    organiser.post("/tasks/1/complete", status=200)
    assert feed(organiser)["task-1"]["SUMMARY"] == "✓ Call"
    organiser.post("/tasks/1/reopen", status=200)
    organiser.post("/tasks/1/cancel", status=200)
    assert feed(organiser)["task-1"]["STATUS"] == "CANCELLED"


def test_a_deleted_task_leaves_no_text(organiser, db):
    organiser.make(
        "/tasks",
        {"title": "Call Ada Lovelace", "description": "about her debts", "due_date": "2027-04-01"},
    )
    organiser.delete("/tasks/1", status=204)
    entry = feed(organiser)["task-1"]
    assert (entry["STATUS"], entry["SUMMARY"]) == ("CANCELLED", "Task")
    assert not db.connection.execute(
        "SELECT 1 FROM calendar_entries WHERE title || ifnull(description, '') LIKE '%Ada%'"
    ).fetchone()


# History


def test_a_visible_change_increases_the_sequence_and_keeps_the_uid(organiser, event):
    first = feed(organiser)["event-1"]
    organiser.patch("/events/1", {"event_key": "another-key"}, status=200)
    assert feed(organiser)["event-1"] == first
    organiser.patch("/events/1", {"date_to": "2027-05-04"}, status=200)
    second = feed(organiser)["event-1"]
    assert (
        second["SEQUENCE"] == "1"
        and second["UID"] == first["UID"]
        and second["CREATED"] == first["CREATED"]
    )
    assert second["DTSTAMP"] == second["LAST-MODIFIED"] >= first["DTSTAMP"]


def test_entries_of_an_event_follow_its_title_and_time_zone(organiser, event):
    slot(organiser, event)
    organiser.patch("/events/1", {"title": "Flower Fair", "timezone": "Europe/London"}, status=200)
    entry = feed(organiser)["slot-1"]
    assert entry["LOCATION"] == "Stage 1\\, Flower Fair" and entry["DTSTART"] == "20270501T090000Z"
    assert entry["STATUS"] == "CONFIRMED"


def test_a_deleted_event_is_listed_as_cancelled_for_a_year(organiser, event, db):
    slot(organiser, event)
    organiser.patch("/events/1", {"application_deadline": "2027-02-01"}, status=200)
    organiser.delete("/events/1", status=204)
    found = feed(organiser)
    assert {name: entry["STATUS"] for name, entry in found.items()} == dict.fromkeys(
        ("event-1", "deadline-1", "slot-1"), "CANCELLED"
    )
    assert found["event-1"]["SUMMARY"] == "Garden Fair" and int(found["event-1"]["SEQUENCE"]) > 0
    assert calendar_feed.delete_old_entries(db, 500) == 0
    db.connection.execute(
        "UPDATE calendar_entries SET updated_at = '2020-01-01T00:00:00Z' WHERE kind = 'slot'"
    )
    assert set(feed(organiser)) == {"event-1", "deadline-1"}
    assert calendar_feed.delete_old_entries(db, 500) == 1
    assert db.connection.execute("SELECT count(*) FROM calendar_entries").fetchone() == (2,)


def test_the_entries_equal_the_view_after_random_changes(organiser, event, db):
    """After random changes of events, slots and tasks, the entries that are not cancelled equal
    those of the view.
    """
    other = organiser.make("/events", {"title": "Other", "date_from": "2027-06-01"})
    for number in range(3):
        slot(organiser, event, title=f"Talk {number}", location=None, is_public=number != 1)
        organiser.make(
            "/tasks",
            {
                "title": f"Task {number}",
                "due_date": f"2027-04-0{number + 1}",
                "entity_type": "event",
                "entity_id": other["id"],
            },
        )
    organiser.post(
        "/events/1/copy", {"date_from": "2028-05-01", "with": ["opening_hours"]}, status=201
    )
    organiser.delete("/schedules/1", status=204)
    organiser.delete("/tasks/2", status=204)
    organiser.delete(f"/events/{other['id']}", status=204)
    organiser.patch("/events/1", {"title": "Renamed", "is_visible": False}, status=200)
    speaker = organiser.make(
        "/participants",
        {"event_id": 1, "contact_id": organiser.make("/contacts", {"first_name": "Ada"})["id"]},
    )
    organiser.patch(
        "/schedules/3",
        {"assignments": [{"event_participant_id": speaker["id"], "role": "speaker"}]},
        status=200,
    )
    organiser.patch("/events/1", {"venue": "Messehaus"}, status=200)
    columns = (
        "kind, record_id, event_id, title, description, location, first_at, last_at, timezone, is_visible, "
        "speakers"
    )
    stored, computed = (
        db.connection.execute(f"SELECT {columns} FROM {source} ORDER BY kind, record_id").fetchall()
        for source in ("calendar_entries WHERE is_cancelled = 0", "calendar_sources")
    )
    assert stored == computed and len(stored) == 3


# Filters


def test_kinds_filter_the_entries(organiser, event):
    organiser.patch("/events/1", {"application_deadline": "2027-02-01"}, status=200)
    slot(organiser, event)
    assert set(feed(organiser, "?kinds=deadline,slot")) == {"deadline-1", "slot-1"}
    assert set(feed(organiser)) == {"event-1", "deadline-1", "slot-1"}
    problem(organiser.get("/calendar-feed?kinds=party"), 422, "validation_failed")


@pytest.mark.parametrize(
    "query, is_in",
    [
        ("from=2027-05-03", True),
        ("from=2027-05-04", False),
        ("to=2027-05-01", True),
        ("to=2027-04-30", False),
        ("from=2027-05-02&to=2027-05-02", True),
        ("to=2027-04-30T21:59:59Z", False),
        ("visible=1", True),
        ("visible=0", False),
        ("event_key=garden-fair", True),
        ("event_key=unknown", False),
        ("event_id=1", True),
    ],
)
def test_from_to_visible_and_event_filter_the_entries(organiser, event, query, is_in):
    organiser.patch("/events/1", {"is_visible": True}, status=200)
    assert ("event-1" in feed(organiser, f"?{query}")) == is_in


def test_the_calendar_of_all_events_goes_back_one_year(app, organiser, event):
    """What ended before is in the calendar of its event, and in a feed with `from` or `to`."""
    for days in (364, 366):
        organiser.make(
            "/tasks",
            {
                "title": f"{days} days ago",
                "due_date": in_days(-days),
                "entity_type": "event",
                "entity_id": event["id"],
            },
        )
    assert set(feed(organiser)) == {"event-1", "task-1"}
    for query in ("?event_id=1", "?from=2020-01-01", "?to=2999-01-01"):
        assert set(feed(organiser, query)) == {"event-1", "task-1", "task-2"}
    for fields, expected in (
        ({}, {"event-1", "task-1"}),
        ({"event_id": 1}, {"event-1", "task-1", "task-2"}),
    ):
        made = organiser.make("/calendar-feed/subscriptions", {"name": "Team", **fields})
        assert set(read(app.get(path_of(made), status=200).body)) == expected


# Subscriptions


@pytest.fixture
def subscription(organiser, event):
    return organiser.make("/calendar-feed/subscriptions", {"name": "Team; Leipzig"})


def path_of(subscription):
    assert re.fullmatch(r"http://localhost(:80)?/feeds/[\w-]{32}\.ics", subscription["url"])
    return "/" + subscription["url"].split("/", 3)[3]


def test_a_subscription_is_read_without_a_key(app, subscription):
    answer = app.get(path_of(subscription), status=200)
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8; method=PUBLISH"
    assert set(read(answer.body)) == {"event-1"}
    assert (
        b"X-WR-CALNAME:Team\\; Leipzig\r\n" in answer.body
        and b"\r\nMETHOD:PUBLISH\r\n" in answer.body
    )
    assert (
        "private" in answer.headers["Cache-Control"]
        and answer.headers["Referrer-Policy"] == "no-referrer"
    )
    assert app.head(path_of(subscription), status=200).headers["ETag"] == answer.headers["ETag"]


def test_an_unchanged_feed_returns_304(app, organiser, subscription):
    path = path_of(subscription)
    tag = app.get(path).headers["ETag"]
    same = app.get(path, headers={"If-None-Match": tag}, status=304)
    assert same.body == b"" and same.headers["ETag"] == tag
    organiser.patch("/events/1", {"title": "Flower Fair"}, status=200)
    assert app.get(path, headers={"If-None-Match": tag}, status=200).headers["ETag"] != tag


def test_the_address_is_shown_once_and_stored_as_a_hash_only(organiser, subscription, db):
    token = path_of(subscription)[7:-4]
    assert organiser.data(f"/calendar-feed/subscriptions/{subscription['id']}")["url"] is None
    assert [entry["url"] for entry in organiser.data("/calendar-feed/subscriptions")] == [None]
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert token.encode() not in db.path.read_bytes()


def test_rotating_disables_the_old_address_and_is_journalled(app, organiser, subscription, db):
    renewed = organiser.post("/calendar-feed/subscriptions/1/rotate", status=200).json["data"]
    assert path_of(renewed) != path_of(subscription)
    app.get(path_of(subscription), status=404)
    app.get(path_of(renewed), status=200)
    assert db.connection.execute(
        "SELECT action, old_values, new_values FROM audit_log ORDER BY id DESC LIMIT 1"
    ).fetchone() == ("rotated", None, None)


def test_disabled_unknown_and_deleted_addresses_get_the_same_response(app, organiser, subscription):
    path = path_of(subscription)

    def refused(path):
        document = problem(app.get(path, expect_errors=True), 404, "not_found")
        return {**document, "meta": None}

    unknown = refused("/feeds/nobodys-secret.ics")
    organiser.patch("/calendar-feed/subscriptions/1", {"is_active": False}, status=200)
    assert refused(path) == unknown
    organiser.patch("/calendar-feed/subscriptions/1", {"is_active": True}, status=200)
    app.get(path, status=200)
    organiser.delete("/calendar-feed/subscriptions/1", status=204)
    assert (
        refused(path)
        == unknown
        == refused("/feeds/%F0%9F%8E%AA.ics")
        == refused("/feeds/'%20OR%201=1.ics")
    )


def test_a_subscription_can_be_limited_by_event_kinds_and_visibility(app, organiser, event):
    hidden = organiser.make(
        "/events",
        {
            "title": "Hidden",
            "date_from": "2028-05-01",
            "application_deadline": "2028-01-01",
            "is_visible": False,
        },
    )
    slot(organiser, event)

    def entries(**values):
        return set(
            read(
                app.get(
                    path_of(organiser.make("/calendar-feed/subscriptions", {"name": "x", **values}))
                ).body
            )
        )

    assert entries(event_key="garden-fair") == {"event-1", "slot-1"}
    assert entries(kinds=["deadline", "slot"]) == {f"deadline-{hidden['id']}", "slot-1"}
    assert entries(visible=True) == {"event-1", "slot-1"}
    organiser.patch("/events/1", {"is_visible": False}, status=200)
    assert entries(visible=True) == set()


def test_deleting_an_event_deletes_its_subscriptions(app, organiser, event, db):
    subscription = organiser.make("/calendar-feed/subscriptions", {"name": "Fair", "event_id": 1})
    organiser.delete("/events/1", status=204)
    app.get(path_of(subscription), status=404)
    assert db.connection.execute(
        "SELECT count(*) FROM audit_log WHERE entity_type = 'calendar_subscription' AND action = 'deleted'"
    ).fetchone() == (1,)


def test_a_subscription_can_be_changed_and_is_found_by_its_event(organiser, subscription):
    address = "/calendar-feed/subscriptions/1"
    changed = organiser.patch(
        address, {"event_key": "garden-fair", "kinds": ["slot"]}, status=200
    ).json["data"]
    assert (changed["event_id"], changed["kinds"], changed["name"]) == (
        1,
        ["slot"],
        "Team; Leipzig",
    )
    assert (
        len(organiser.data("/calendar-feed/subscriptions?event_key=garden-fair&is_active=1")) == 1
    )
    assert (
        organiser.patch(address, {"event_id": None, "event_key": None}, status=200).json["data"][
            "event_id"
        ]
        is None
    )
    found = problem(organiser.patch(address, {"event_key": "unknown"}), 422, "validation_failed")
    assert [entry["pointer"] for entry in found["errors"]] == ["/event_key"]
    for kinds in ([], ["slot"] * 5, ["party"]):
        problem(organiser.patch(address, {"kinds": kinds}), 422, "validation_failed")


@pytest.mark.parametrize(
    "path, shown",
    [
        ("/feeds/{}.ics", "/feeds/***"),
        ("/feeds/{}", "/feeds/***"),
        ("//feeds/{}.ics", "//feeds/***"),
        ("/newsletter/confirm/{}", "/newsletter/confirm/***"),
        ("/newsletter/unsubscribe/{}/", "/newsletter/unsubscribe/***"),
    ],
)
def test_tokens_are_masked_in_the_log(app, monkeypatch, path, shown):
    lines = []
    monkeypatch.setattr(request_log, "write", lines.append)
    monkeypatch.setattr(logging.getLogger("eventapi.request"), "level", logging.INFO)
    logging.getLogger("eventapi.request").manager._clear_cache()
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path.format("s3cret"),
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
    }
    b"".join(
        app.app(
            {**app._gen_environ("/"), **environ} if hasattr(app, "_gen_environ") else environ,
            lambda *_: None,
        )
    )
    assert lines and all("s3cret" not in line for line in lines) and f"path={shown} " in lines[0]


# RFC 5545


def entry(**values):
    return {
        "id": 1,
        "kind": "slot",
        "record_id": 7,
        "title": "Opening",
        "description": None,
        "location": None,
        "timezone": "Europe/Berlin",
        "first_at": "2027-05-01T08:00:00Z",
        "last_at": "2027-05-01T09:00:00Z",
        "is_cancelled": 0,
        "sequence": 3,
        "speakers": [],
        "created_at": "2027-01-01T08:00:00Z",
        "updated_at": "2027-01-02T08:00:00Z",
        **values,
    }


def test_lines_are_folded_at_75_octets_and_never_inside_a_character():
    for letter in "aä€🎪":
        for length in range(60, 240):
            line = letter * length
            folded = calendar.folded(line)
            pieces = folded.split(b"\r\n")
            assert all(len(piece) <= 75 for piece in pieces) and all(
                piece.startswith(b" ") for piece in pieces[1:]
            )
            assert [piece.decode() for piece in pieces] and folded.replace(
                b"\r\n ", b""
            ).decode() == line


def test_text_is_escaped_and_has_no_control_characters():
    assert calendar.text("a\\b;c,d\ne\r\nf\rg\0\x1b\u2028h\ti") == "a\\\\b\\;c\\,d\\ne\\nf\\ngh\ti"


def test_line_breaks_in_values_add_no_lines():
    found = read(
        calendar.calendar(
            "x\r\nX-EVIL:1",
            [entry(title="a\r\nEND:VEVENT\nBEGIN:VEVENT", location="b\rATTACH:http://evil")],
            "i",
            "UTC",
            "en",
        )
    )
    assert list(found) == ["slot-7"] and "ATTACH" not in found["slot-7"]
    assert found["slot-7"]["SUMMARY"] == "a\\nEND:VEVENT\\nBEGIN:VEVENT"


def test_the_icalendar_library_reads_the_feed():
    icalendar = pytest.importorskip("icalendar")
    title = 'Ž; ,\\ "x"\nsecond line 🎪 ' * 9
    written = calendar.calendar(
        "Näme, with; all",
        [
            entry(title=title, description="long " * 100, location="Halle 1, Stand 7"),
            entry(
                kind="event",
                first_at="2027-04-30T22:00:00Z",
                last_at="2027-05-03T21:59:59Z",
                is_cancelled=1,
            ),
            entry(kind="task", first_at="2027-05-01T10:00:00Z", last_at="2027-05-01T10:00:00Z"),
        ],
        "abc",
        "Europe/Berlin",
        "en",
    )
    whole = icalendar.Calendar.from_ical(written)
    talk, fair, task = whole.walk("VEVENT")
    assert (
        str(whole["NAME"]).replace("\\", "") == "Näme, with; all"
        and str(whole["METHOD"]) == "PUBLISH"
    )
    assert whole["VERSION"] == "2.0"
    assert (
        str(talk["SUMMARY"]) == title
        and str(talk["LOCATION"]) == "Halle 1, Stand 7"
        and talk["SEQUENCE"] == 3
    )
    assert talk["DTSTART"].dt == datetime(2027, 5, 1, 8, tzinfo=timezone.utc)
    assert talk["DTEND"].dt - talk["DTSTART"].dt == timedelta(hours=1)
    assert (
        talk["DTSTAMP"].dt
        == talk["LAST-MODIFIED"].dt
        == datetime(2027, 1, 2, 8, tzinfo=timezone.utc)
    )
    assert (fair["DTSTART"].dt, fair["DTEND"].dt, str(fair["STATUS"])) == (
        date(2027, 5, 1),
        date(2027, 5, 4),
        "CANCELLED",
    )
    assert "DTEND" not in task and len({str(each["UID"]) for each in (talk, fair, task)}) == 3
    assert not list(whole.errors) and not any(each.errors for each in whole.walk("VEVENT"))


def test_five_thousand_slots_are_read_with_two_statements(organiser, event, db):
    with db.write():
        db.connection.executemany(
            "INSERT INTO schedule_slots (event_id, slot_date, start_time, end_time, starts_at, ends_at, title, "
            "slot_type, is_public, allow_overlap, "
            "sort_order, created_at, updated_at) VALUES (1, '2027-05-01', '10:00', '11:00', '2027-05-01T08:00:00Z', "
            "'2027-05-01T09:00:00Z', ?, "
            "'talk', 1, 1, 0, '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z')",
            [(f"Talk {number}",) for number in range(5000)],
        )
    executed = []
    db.connection.set_trace_callback(executed.append)
    entries = calendar_feed.entries(db, ["slot"])
    assert len(entries) == 5000 and len(executed) == 2  # the second one reads the speakers
    assert len(read(calendar_feed.write(db, "x", entries))) == 5000
