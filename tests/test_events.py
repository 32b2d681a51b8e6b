"""Events."""


def test_an_event_is_created_read_changed_and_deleted(organiser):
    event = organiser.make("/events", {"title": "Garden Fair", "date_from": "2027-05-01", "date_to": "2027-05-03"})
    assert event["event_key"] == "garden-fair-2027"
    assert event["country"] == "DE" and event["timezone"] == "Europe/Berlin"
    address = f"/events/{event['id']}"
    assert organiser.data(address) == event
    changed = organiser.patch(address, {"city": "Leipzig"}, status=200).json["data"]
    assert changed == {**event, "city": "Leipzig", "updated_at": changed["updated_at"]}
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
