"""Notes."""


def test_a_note_is_written_pinned_and_listed_first(organiser):
    event = organiser.make("/events", {"title": "Garden Fair"})
    about = {"entity_type": "event", "entity_id": event["id"]}
    first = organiser.make("/notes", {**about, "note_text": "first"})
    organiser.make("/notes", {**about, "note_text": "second"})
    assert organiser.post(f"/notes/{first['id']}/pin", status=200).json["data"]["is_pinned"] is True
    notes = organiser.data(f"/notes?entity_type=event&entity_id={event['id']}")
    assert [note["note_text"] for note in notes] == ["first", "second"]
    assert (
        organiser.post(f"/notes/{first['id']}/pin", status=200).json["data"]["is_pinned"] is False
    )


def test_a_note_needs_the_scope_of_its_entity(organiser, person):
    event = organiser.make("/events", {"title": "Garden Fair"})
    note = organiser.make(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "x"}
    )
    cashier = person("invoices payments")
    cashier.get(f"/notes/{note['id']}", status=403)
    cashier.get(f"/notes?entity_type=event&entity_id={event['id']}", status=403)
    cashier.post(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "x"}, status=403
    )
    reader = person("events:read")
    reader.get(f"/notes/{note['id']}", status=200)
    reader.post(f"/notes/{note['id']}/pin", status=403)


def test_a_note_about_an_unknown_record_is_refused(organiser):
    answer = organiser.post(
        "/notes", {"entity_type": "invoice", "entity_id": 7, "note_text": "x"}, status=422
    )
    assert answer.json["errors"][0]["pointer"] == "/entity_id"


def test_notes_are_deleted_with_their_entity_and_journalled(organiser, db):
    event = organiser.make("/events", {"title": "Garden Fair"})
    note = organiser.make(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "x"}
    )
    organiser.delete(f"/events/{event['id']}", status=204)
    organiser.get(f"/notes/{note['id']}", status=404)
    entries = db.connection.execute(
        "SELECT action, entity_type FROM audit_log ORDER BY id"
    ).fetchall()
    assert entries[-2:] == [("deleted", "note"), ("deleted", "event")]
