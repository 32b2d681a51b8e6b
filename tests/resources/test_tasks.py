"""Tasks: status, due dates and the records they are about."""

import re
from types import SimpleNamespace

import pytest

from eventapi import paths
from eventapi.domain.attachments import tasks
from eventapi.validation.schema_files import document
from tests.support.examples import collections, make

# Entity types whose path has another name.
SINGULAR = {"event_participant": "participant"}
KINDS = document("task")["$defs"]["query"]["properties"]["entity_type"]["enum"]


@pytest.fixture
def about(event):
    return {"entity_type": "event", "entity_id": event["id"]}


def faults(answer):
    return [
        (entry.get("pointer") or entry.get("parameter"), entry["code"])
        for entry in answer.json["errors"]
    ]


def titles(organiser, query):
    return [task["title"] for task in organiser.data(f"/tasks?{query}")]


def test_a_new_task_has_its_creator_and_is_pending_with_normal_priority(organiser):
    task = organiser.make("/tasks", {"title": "Order carpets"})
    assert (task["status"], task["priority"], task["created_by_name"]) == (
        "pending",
        "normal",
        "Ada Lovelace",
    )
    assert [
        task[name]
        for name in (
            "entity_type",
            "entity_id",
            "event_id",
            "due_date",
            "due_at",
            "assigned_to",
            "completed_at",
            "completed_by",
        )
    ] == [None] * 8
    assert organiser.data(f"/tasks/{task['id']}") == task


def test_a_task_is_started_completed_and_reopened(organiser, db):
    task = organiser.make("/tasks", {"title": "x"})
    address = f"/tasks/{task['id']}"
    assert organiser.post(f"{address}/start", status=200).json["data"]["status"] == "in_progress"
    done = organiser.post(f"{address}/complete", status=200).json["data"]
    assert (
        done["status"] == "completed"
        and done["completed_at"]
        and done["completed_by"] == task["created_by"]
    )
    assert organiser.post(f"{address}/complete", status=200).json["data"] == done
    refused = organiser.post(f"{address}/cancel", status=409).json
    assert (refused["code"], refused["allowed_from"]) == (
        "invalid_transition",
        ["pending", "in_progress"],
    )
    reopened = organiser.post(f"{address}/reopen", status=200).json["data"]
    assert (reopened["status"], reopened["completed_at"], reopened["completed_by"]) == (
        "pending",
        None,
        None,
    )
    assert organiser.post(f"{address}/cancel", status=200).json["data"]["status"] == "cancelled"
    event_names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = 'task' ORDER BY id"
        )
    ]
    assert event_names == [
        "task.created",
        "task.started",
        "task.completed",
        "task.reopened",
        "task.cancelled",
    ]
    assert organiser.data(f"{address}?include=allowed_actions")["allowed_actions"] == ["reopen"]


def test_setting_status_in_the_body_runs_the_action(organiser):
    task = organiser.make("/tasks", {"title": "x"})
    done = organiser.patch(
        f"/tasks/{task['id']}", {"status": "completed", "title": "y"}, status=200
    ).json["data"]
    assert (done["title"], done["completed_by"]) == ("y", task["created_by"]) and done[
        "completed_at"
    ]
    assert (
        organiser.put(
            f"/tasks/{task['id']}", {"title": "z", "status": "in_progress"}, status=409
        ).json["code"]
        == "invalid_transition"
    )
    assert organiser.data(f"/tasks/{task['id']}") == done
    made = organiser.make("/tasks", {"title": "done before", "status": "completed"})
    assert made["completed_at"] and made["completed_by"] == task["created_by"]


def test_a_due_date_ends_in_the_time_zone_of_the_event(organiser, about):
    organiser.patch(f"/events/{about['entity_id']}", {"timezone": "America/New_York"}, status=200)
    assert (
        organiser.make("/tasks", {"title": "x", "due_date": "2027-01-10"})["due_at"]
        == "2027-01-10T22:59:59Z"
    )
    task = organiser.make("/tasks", {"title": "x", "due_date": "2027-01-10", **about})
    assert (task["due_date"], task["due_at"]) == ("2027-01-10", "2027-01-11T04:59:59Z")
    timed = organiser.make("/tasks", {"title": "x", "due_date": "2027-01-10T12:00:00+01:00"})
    assert (timed["due_date"], timed["due_at"]) == (
        "2027-01-10T12:00:00+01:00",
        "2027-01-10T11:00:00Z",
    )


def test_relative_due_dates_follow_the_event(organiser, about, db):
    due = {"before": "date_from", "days": 30}
    task = organiser.make("/tasks", {"title": "x", "due_date": due, **about})
    assert (task["due_date"], task["due_at"]) == (due, "2027-04-01T21:59:59Z")
    organiser.patch(f"/events/{about['entity_id']}", {"date_from": "2027-05-02"}, status=200)
    moved = organiser.data(f"/tasks/{task['id']}")
    assert (moved["due_date"], moved["due_at"]) == (due, "2027-04-02T21:59:59Z")
    assert db.connection.execute(
        "SELECT count(*) FROM audit_log WHERE entity_type = 'task' AND action = 'updated'"
    ).fetchone() == (1,)


def test_a_relative_due_date_needs_a_record_of_an_event(organiser, about):
    due = {"before": "date_from", "days": 30}
    contact = organiser.make("/contacts", {"last_name": "x"})
    for more in ({}, {"entity_type": "contact", "entity_id": contact["id"]}):
        assert faults(
            organiser.post("/tasks", {"title": "x", "due_date": due, **more}, status=422)
        ) == [("/due_date", "no_event")]
    participant = organiser.make(
        "/participants", {"event_id": about["entity_id"], "contact_id": contact["id"]}
    )
    task = organiser.make(
        "/tasks",
        {
            "title": "x",
            "due_date": due,
            "entity_type": "event_participant",
            "entity_id": participant["id"],
        },
    )
    assert (task["event_id"], task["due_at"]) == (about["entity_id"], "2027-04-01T21:59:59Z")


def test_open_tasks_past_their_due_date_are_overdue(organiser):
    for title, body in (
        ("late", {"due_date": "2020-01-01"}),
        ("begun", {"due_date": "2020-01-02", "status": "in_progress"}),
        ("done", {"due_date": "2020-01-01", "status": "completed"}),
        ("given up", {"due_date": "2020-01-01", "status": "cancelled"}),
        ("later", {"due_date": "2999-01-01"}),
        ("some day", {}),
    ):
        organiser.make("/tasks", {"title": title, **body})
    assert titles(organiser, "overdue=1&sort=due_date&order=ASC") == ["late", "begun"]
    assert titles(organiser, "sort=due_date&order=DESC")[-1] == "some day"


def test_priorities_are_sorted_by_rank_and_filtered(organiser):
    for priority in ("low", "urgent", "normal", "high"):
        organiser.make("/tasks", {"title": priority, "priority": priority})
    assert titles(organiser, "sort=priority") == ["urgent", "high", "normal", "low"]
    assert titles(organiser, "sort=priority&order=ASC") == ["low", "normal", "high", "urgent"]
    for priority in ("low", "urgent", "normal", "high"):
        assert titles(organiser, f"priority={priority}") == [priority]


def test_tasks_are_searched_and_filtered(organiser, about, person):
    me = organiser.make("/tasks", {"title": "x"})["created_by"]
    organiser.make(
        "/tasks",
        {"title": "Café au lait", "description": "für die Helfer", "assigned_to": me, **about},
    )
    organiser.make("/tasks", {"title": "Carpets", "status": "in_progress"})
    for query in (
        "search=cafe",
        "search=HELF",
        f"assigned_to={me}",
        f"entity_type=event&entity_id={about['entity_id']}",
        "event_key=fair",
    ):
        assert titles(organiser, query) == ["Café au lait"], query
    assert (
        titles(organiser, "status=in_progress") == ["Carpets"]
        and titles(organiser, "assigned_to=999") == []
    )
    organiser.patch("/tasks/2", {"title": "Tee"}, status=200)
    assert titles(organiser, "search=cafe") == [] and titles(organiser, "search=tee") == ["Tee"]


def test_the_assignee_must_exist_and_be_active(organiser, db):
    assert faults(organiser.post("/tasks", {"title": "x", "assigned_to": 99}, status=422)) == [
        ("/assigned_to", "unknown")
    ]
    me = organiser.make("/tasks", {"title": "x"})["created_by"]
    task = organiser.make("/tasks", {"title": "x", "assigned_to": me})
    assert task["assigned_to_name"] == "Ada Lovelace"
    with db.write():
        other = db.connection.execute(
            "INSERT INTO admins (name, is_active, created_at, updated_at) VALUES ('Gone', 0, '', '')"
        ).lastrowid
        db.connection.execute("UPDATE tasks SET assigned_to = ? WHERE id = ?", (other, task["id"]))
    assert faults(organiser.post("/tasks", {"title": "x", "assigned_to": other}, status=422)) == [
        ("/assigned_to", "unknown")
    ]
    kept = organiser.patch(
        f"/tasks/{task['id']}", {"title": "y", "assigned_to": other}, status=200
    ).json["data"]
    assert (kept["assigned_to"], kept["assigned_to_name"]) == (other, "Gone")
    assert (
        organiser.patch(f"/tasks/{task['id']}", {"assigned_to": None}, status=200).json["data"][
            "assigned_to_name"
        ]
        is None
    )


def test_all_faults_are_reported_together(organiser):
    body = {"title": "x", "entity_type": "event", "entity_id": 99, "assigned_to": 99}
    assert faults(organiser.post("/tasks", body, status=422)) == [
        ("/assigned_to", "unknown"),
        ("/entity_id", "unknown"),
    ]
    assert faults(organiser.post("/tasks", {"title": "x", "entity_id": 1}, status=422)) == [
        ("/entity_type", "required")
    ]
    assert faults(organiser.post("/tasks", {"title": "x", "entity_type": "event"}, status=422)) == [
        ("/entity_id", "required")
    ]
    assert faults(
        organiser.post(
            "/tasks",
            {"title": "x", "due_date": {"before": "date_from", "after": "date_to"}},
            status=422,
        )
    )[0][0].startswith("/due_date")


def test_the_included_entity_is_a_summary(organiser, about):
    organiser.make("/tasks", {"title": "x", **about})
    organiser.make("/tasks", {"title": "y"})
    listed = organiser.data("/tasks?include=entity&order=ASC")
    assert [task["entity"] for task in listed] == [
        {
            "entity_type": "event",
            "id": about["entity_id"],
            "title": "Garden Fair",
            "event_id": about["entity_id"],
        },
        None,
    ]
    assert organiser.data("/tasks/1?include=entity")["entity"]["title"] == "Garden Fair"


def test_the_text_of_a_note_is_hidden_from_keys_with_the_scope_of_tasks_only(organiser, person):
    contact = organiser.make("/contacts", {"last_name": "One"})
    note = organiser.make(
        "/notes", {"entity_type": "contact", "entity_id": contact["id"], "note_text": "Pays late"}
    )
    task = organiser.make("/tasks", {"title": "x", "entity_type": "note", "entity_id": note["id"]})
    assert (
        person("tasks:read").data(f"/tasks/{task['id']}?include=entity")["entity"]["title"]
        == f"Note on contact {contact['id']}"
    )


def test_every_entity_type_of_a_task_can_be_included():
    text = (paths.folder("sql") / "entities.sql").read_text()
    assert set(re.findall(r"p\.entity_type = '(\w+)'", text)) == set(KINDS)
    assert KINDS == [kind for kind in document("task")["properties"]["entity_type"]["enum"] if kind]


@pytest.mark.parametrize("kind", KINDS)
def test_deleting_a_record_deletes_its_tasks_with_journal_entries(shared, kind):
    singular = SINGULAR.get(kind, kind)
    if singular not in collections():
        pytest.skip(f"nothing makes a {kind} yet")
    record = make(shared.organiser, singular)
    task = shared.organiser.make(
        "/tasks", {"title": "x", "entity_type": kind, "entity_id": record["id"]}
    )
    short = shared.organiser.data(f"/tasks/{task['id']}?include=entity")["entity"]
    assert (short["entity_type"], short["id"]) == (kind, record["id"])
    shared.organiser.delete(f"{collections()[singular]}/{record['id']}", status=204)
    if shared.organiser.get(f"{collections()[singular]}/{record['id']}").status_int == 200:
        # The record is cancelled, not deleted, so its task remains.
        return
    shared.organiser.get(f"/tasks/{task['id']}", status=404)
    entries = shared.db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'task' AND entity_id = ? ORDER BY id",
        (task["id"],),
    )
    assert entries.fetchall() == [("created",), ("deleted",)]


def test_notes_and_tasks_about_each_other_are_deleted_together(organiser, db):
    first = organiser.make("/tasks", {"title": "first"})
    second = organiser.make(
        "/tasks", {"title": "second", "entity_type": "task", "entity_id": first["id"]}
    )
    third = organiser.make(
        "/tasks", {"title": "third", "entity_type": "task", "entity_id": second["id"]}
    )
    organiser.patch(
        f"/tasks/{first['id']}", {"entity_type": "task", "entity_id": third["id"]}, status=200
    )
    organiser.delete(f"/tasks/{second['id']}", status=204)
    assert organiser.data("/tasks") == []
    deleted = db.connection.execute(
        "SELECT entity_id FROM audit_log WHERE action = 'deleted' ORDER BY id"
    ).fetchall()
    assert deleted == [(second["id"],), (third["id"],), (first["id"],)]


def test_a_long_chain_of_tasks_is_deleted(organiser, db):
    with db.write():
        for id in range(1, 1501):
            db.connection.execute(
                "INSERT INTO tasks (id, title, status, priority, entity_type, entity_id, created_by, "
                "created_at, updated_at) "
                "VALUES (?, 'x', 'pending', 'low', ?, ?, 1, '', "
                "'')",
                (id, "task" if id > 1 else None, id - 1 or None),
            )
    organiser.delete("/tasks/1", status=204)
    assert db.connection.execute("SELECT count(*) FROM tasks").fetchone() == (0,)


def test_tasks_about_booths_are_deleted_with_their_hall(organiser, about, db):
    plan = organiser.make(
        "/plans", {"event_id": about["entity_id"], "plan_name": "Hall 1", "width": 40, "height": 30}
    )
    booth = organiser.make(
        "/booths", {"plan_id": plan["id"], "width": 3, "depth": 3, "fixed_price": 1}
    )
    task = organiser.make(
        "/tasks", {"title": "x", "entity_type": "booth", "entity_id": booth["id"]}
    )
    assert task["event_id"] == about["entity_id"]
    organiser.delete(f"/events/{about['entity_id']}", status=204)
    organiser.get(f"/tasks/{task['id']}", status=404)
    assert db.connection.execute(
        "SELECT count(*) FROM tasks_search WHERE tasks_search MATCH 'x'"
    ).fetchone() == (0,)


def test_a_merge_moves_tasks_and_anonymising_erases_them(organiser, about, db):
    first, second = (organiser.make("/contacts", {"last_name": name}) for name in ("One", "Two"))
    twins = [
        organiser.make(
            "/participants", {"event_id": about["entity_id"], "contact_id": contact["id"]}
        )
        for contact in (first, second)
    ]
    own = organiser.make(
        "/tasks", {"title": "Zweitausend", "entity_type": "contact", "entity_id": second["id"]}
    )
    other = organiser.make(
        "/tasks",
        {"title": "Zweitausend", "entity_type": "event_participant", "entity_id": twins[1]["id"]},
    )
    stays = organiser.make("/tasks", {"title": "Zweihundert", **about})
    organiser.post(f"/contacts/{first['id']}/merge", {"duplicate_id": second["id"]}, status=200)
    assert organiser.data(f"/tasks/{own['id']}")["entity_id"] == first["id"]
    assert organiser.data(f"/tasks/{other['id']}")["entity_id"] == twins[0]["id"]
    assert [task["id"] for task in organiser.data(f"/contacts/{first['id']}/export")["tasks"]] == [
        own["id"],
        other["id"],
    ]
    organiser.post(f"/contacts/{first['id']}/anonymize", status=200)
    organiser.get(f"/tasks/{own['id']}", status=404)
    assert organiser.data(f"/tasks/{stays['id']}") == stays
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"Zweitausend" not in db.path.read_bytes() and b"Zweihundert" in db.path.read_bytes()


def test_notes_on_tasks_of_a_contact_are_exported_and_erased_with_it(organiser, db):
    contact = organiser.make("/contacts", {"last_name": "One"})
    first = organiser.make(
        "/tasks", {"title": "Zweitausend", "entity_type": "contact", "entity_id": contact["id"]}
    )
    document = organiser.make(
        "/documents",
        {"entity_type": "task", "entity_id": first["id"], "filename": "Zweitausend.pdf"},
    )
    second = organiser.make(
        "/tasks", {"title": "Zweitausend", "entity_type": "document", "entity_id": document["id"]}
    )
    third = organiser.make(
        "/tasks", {"title": "Zweitausend", "entity_type": "task", "entity_id": second["id"]}
    )
    export = organiser.data(f"/contacts/{contact['id']}/export")
    assert [task["id"] for task in export["tasks"]] == [first["id"], second["id"], third["id"]]
    assert len(export["documents"]) == 1
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    assert organiser.data("/tasks") == organiser.data("/documents") == []
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"Zweitausend" not in db.path.read_bytes()


def test_copying_an_event_copies_its_tasks_as_pending(organiser, about, db):
    organiser.make(
        "/tasks",
        {
            "title": "relative",
            "due_date": {"before": "date_from", "days": 1},
            "status": "completed",
            **about,
        },
    )
    organiser.make(
        "/tasks", {"title": "day", "due_date": "2027-04-01", "priority": "high", **about}
    )
    organiser.make("/tasks", {"title": "elsewhere"})
    new = organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "next",
            "date_from": "2028-05-01",
            "timezone": "Europe/Berlin",
        },
    )
    with db.write():
        db.actor = SimpleNamespace(
            key_id=None, admin_id=1, admin_name="Ada", request_id=None, address=None, agent=None
        )
        tasks.copy_tasks(db, about["entity_id"], new["id"], 366)
    copies = organiser.data("/tasks?event_key=next&order=ASC")
    assert [
        (task["title"], task["status"], task["due_at"], task["priority"]) for task in copies
    ] == [
        ("relative", "pending", "2028-04-30T21:59:59Z", "normal"),
        ("day", "pending", "2028-04-01T21:59:59Z", "high"),
    ]
