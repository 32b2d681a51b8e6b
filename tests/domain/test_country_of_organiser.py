"""An organiser who never types a country: events, contacts and applications have that of the option organiser_country
(contract, section 9).
"""

import pytest

from tests.support.examples import body_for


@pytest.fixture
def austrian(settings, organiser):
    settings.organiser_country = "AT"
    return organiser


@pytest.mark.parametrize("singular", ["event", "contact", "application"])
def test_a_record_without_a_country_has_that_of_the_organiser(austrian, singular):
    path = {"event": "/events", "contact": "/contacts", "application": "/applications"}[singular]
    body = body_for(austrian, singular)
    body.pop("country", None)
    record = austrian.post(path, body, status=201).json["data"]
    assert record["country"] == "AT"
    assert (
        austrian.post(path, {**body_for(austrian, singular), "country": "CH"}, status=201).json[
            "data"
        ]["country"]
        == "CH"
    )


def test_the_country_of_another_record_stays(austrian, settings):
    contact = austrian.make("/contacts", {"company_name": "Rosen KG"})
    settings.organiser_country = "DE"
    changed = austrian.patch(f"/contacts/{contact['id']}", {"city": "Wien"}, status=200)
    assert changed.json["data"]["country"] == "AT"


def test_a_batch_an_import_and_a_copy_have_it(austrian):
    event = austrian.make("/events", {"title": "Messe", "date_from": "2027-05-01"})
    copy = austrian.post(f"/events/{event['id']}/copy", {"date_from": "2028-05-01"}).json["data"]
    records = {"records": [{"email": "ada@example.org"}]}
    austrian.post("/bulk-import/contacts", records, status=201)
    austrian.post("/bulk-import/participants", {**records, "event_key": event["event_key"]})
    contacts = austrian.data("/contacts")
    assert copy.get("event", copy)["country"] == "AT"
    assert [contact["country"] for contact in contacts] == ["AT"]


def test_the_contact_of_an_approved_application_has_it(austrian):
    body = body_for(austrian, "application")
    body.pop("country", None)
    application = austrian.make("/applications", body)
    approved = austrian.post(f"/applications/{application['id']}/approve", {}, status=200)
    contact = austrian.get(f"/contacts/{approved.json['data']['contact_id']}", status=200)
    assert contact.json["data"]["country"] == "AT"


def test_the_reference_promises_no_country(austrian):
    document = austrian.app.get("/openapi.json").json
    for name in ("EventCreate", "ContactCreate", "ApplicationCreate"):
        field = document["components"]["schemas"][name]["properties"]["country"]
        assert "default" not in field and "organiser_country" in field["description"]
