"""The forms of the desk: one that is saved as it is changes nothing, whichever event is in hand."""

from urllib.parse import urljoin

import pytest

from eventapi.pages.desk import api, kinds

# Kind -> path of its records in the API, where it is not its name.
PATHS = {
    "bank_rules": "payments/import/rules",
    "booth_types": "booths/types",
    "service_orders": "service-orders",
    "dunning_levels": "invoices/dunning-levels",
    "service_categories": "services/categories",
    "submission_types": "submissions/types",
}


@pytest.fixture
def full(organiser, busy_fair):
    """The show `busy_fair` whose records name each kind of record that a form offers, and another
    event.
    """
    organiser.make(
        "/events",
        {
            "title": "Other Fair",
            "event_key": "other",
            "date_from": "2027-06-01",
            "date_to": "2027-06-02",
        },
    )
    above = organiser.make("/categories", {"title": "Green", "event_keys": ["fair"]})
    organiser.make(
        "/categories", {"title": "Roses", "event_keys": ["fair"], "parent_category_id": above["id"]}
    )
    organiser.make("/services/categories", {"category_name": "Power"})
    organiser.patch("/services/1", {"category_id": 1}, status=200)
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_key": "way",
            "field_label": "Way",
            "field_type": "text",
            "applicant_visibility": "editable",
        },
    )
    organiser.make(
        "/schedules",
        {
            "event_key": "fair",
            "title": "Opening",
            "slot_date": "2027-05-01",
            "start_time": "09:00",
            "end_time": "10:00",
            "assignments": [
                {"event_participant_id": busy_fair.exhibitor["id"], "role": role}
                for role in ("speaker", "attendee")
            ],
        },
    )
    kind = organiser.make(
        "/submissions/types", {"event_key": "fair", "title": "Picture", "input": "file"}
    )
    organiser.patch(
        f"/events/{busy_fair.event['id']}/pages",
        {
            "apply_file_type": kind["key"],
            "booth_types": [busy_fair.kind["booth_type_key"]],
            "badge_service_id": 1,
            "visit_fields": ["way"],
            "texts": {
                name: {"en": "Come", "de": "Kommt"} for name in ("intro", "apply_intro", "my_intro")
            },
        },
        status=200,
    )
    return busy_fair


@pytest.fixture(params=["all records", "other records"])
def offered(request, monkeypatch):
    """Let the forms offer all records, or none of those that are stored, as in lists of more than
    they can show.
    """
    if request.param == "other records":
        monkeypatch.setattr(api, "everything", lambda *_, **__: [])


def sent(office, form):
    """Send a form as it is."""
    return form.submit(headers=office.headers, expect_errors=True)


@pytest.mark.parametrize("event", ["fair", "other"])
@pytest.mark.parametrize("name", kinds.KINDS)
def test_a_record_that_is_saved_as_it_is_does_not_change(
    office, organiser, full, offered, name, event
):
    path = "/participants/{}/profile" if name == "profiles" else f"/{PATHS.get(name, name)}/{{}}"
    query = "?event_key=fair" if name == "schedules" else ""
    ids = (
        [1]
        if name == "profiles"
        else [row["id"] for row in organiser.data(path.removesuffix("/{}") + query)]
    )
    assert ids
    for id in ids:
        before = organiser.data(path.format(id))
        page = form_of(office, name, id, event)
        answer = sent(office, list(page.forms.values())[-1])
        # Sent invoices and orders that are decided refuse it.
        assert answer.status_int == 303 or before.get("status") not in ("draft", None)
        assert organiser.data(path.format(id)) == before


def form_of(office, name, id, event):
    """Return the page of a record. That of an event is among those of "Set up"."""
    if name == "events":
        moved = office.get(f"/desk/edit/events/{id}?event={event}", 308)
        return office.get(urljoin(f"/desk/edit/events/{id}", moved.headers["Location"]))
    return office.get(f"/desk/edit/{name}/{id}?event={event}")


@pytest.mark.parametrize("page", kinds.PAGES)
def test_a_page_of_set_up_that_is_saved_as_it_is_changes_nothing(
    office, organiser, full, offered, page
):
    paths = [f"/events/{full.event['id']}", f"/events/{full.event['id']}/pages"]
    before = [organiser.data(path) for path in paths]
    answer = sent(office, form_with_fields(office.get(f"/desk/setup/{page}?event=fair")))
    assert answer.status_int == 303
    assert [organiser.data(path) for path in paths] == before


def form_with_fields(page):
    """Return the form of a page that changes a record: the only one with its ETag but for files."""
    [form] = [form for form in page.forms.values() if "tag" in form.fields and not form.action]
    return form


def test_the_settings_of_an_event_offer_its_own_services_only(office, organiser, full):
    organiser.make(
        "/services",
        {
            "service_name": "Elsewhere",
            "base_price": 1,
            "unit": "piece",
            "events": [{"event_key": "other"}],
        },
    )
    form = form_with_fields(office.get("/desk/setup/portal?event=fair"))
    assert [label for _, _, label in form["badge_service_id"].options] == ["–", "Power"]
