"""The forms of the desk: one that is saved as it is changes nothing, whichever event is in hand."""

import re
from urllib.parse import urljoin

import pytest

from eventapi.pages.desk import api, kinds

# Kind -> path of its records in the API, where it is not its name.
PATHS = {
    "bank_rules": "payments/import/rules",
    "booth_types": "booths/types",
    "document_templates": "documents/templates",
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


def test_a_choice_of_booths_without_a_day_is_said(office, organiser, fair):
    address, said = "/desk/setup/portal?event=fair", "nobody can choose while"
    assert said in office.get(address)
    for fields in ({"booth_from": "2020-01-01"}, {"booth_from": None, "my_rights": ["profile"]}):
        organiser.patch("/events/1/pages", fields, status=200)
        assert said not in office.get(address), fields


def record_form(page):
    """Return the form of a page that has a record, not one of its buttons."""
    forms = [form for form in page.forms.values() if "tag" in form.fields]
    return max(forms, key=lambda form: len(form.fields))


def test_saving_a_list_that_is_longer_than_its_form_keeps_the_other_rows(office, organiser, fair):
    """A form has room for 60 rows."""
    pillars = [
        {"kind": "pillar", "x": 1, "y": 1, "width": 1, "depth": 1, "label": f"P{number}"}
        for number in range(70)
    ]
    organiser.patch("/plans/1", {"objects": pillars}, status=200)
    page = office.get("/desk/edit/plans/1")
    assert "There is no room for 10 more rows here." in page
    form = record_form(page)
    form["objects/0/label"] = "First"
    form["objects/1/kind"], form["objects/1/label"] = "", ""
    for name in ("x", "y", "width", "depth"):
        form[f"objects/1/{name}"] = ""
    form.submit(headers=office.headers, status=303)
    stored = [each["label"] for each in organiser.data("/plans/1")["objects"]]
    assert stored == ["First", *(f"P{number}" for number in range(2, 70))]


def test_saving_an_order_keeps_the_booths_of_its_items(office, organiser, fair):
    service = organiser.make("/services", {"service_name": "Power", "base_price": 10})
    organiser.patch(f"/services/{service['id']}", {"events": [{"event_key": "fair"}]}, status=200)
    for booth in fair.booths[:2]:
        organiser.make(
            "/booth-reservations",
            {"booth_id": booth["id"], "event_participant_id": fair.exhibitor["id"]},
        )
    items = [
        {"service_id": service["id"], "quantity": number, "booth_id": booth["id"]}
        for number, booth in enumerate(fair.booths[:2], start=1)
    ]
    order = {"event_participant_id": fair.exhibitor["id"], "items": items}
    address = f"/service-orders/{organiser.make('/service-orders', order)['id']}"
    form = record_form(office.get("/desk/edit/service_orders/1"))
    form["items/1/quantity"] = "5"
    form.submit(headers=office.headers, status=303)
    found = [(each["quantity"], each["booth_id"]) for each in organiser.data(address)["items"]]
    assert found == [(1, fair.booths[0]["id"]), (5, fair.booths[1]["id"])]

    form = record_form(office.get("/desk/edit/service_orders/1"))
    form["items/0/service_id"], form["items/0/quantity"] = "", ""
    form.submit(headers=office.headers, status=303)
    found = [(each["quantity"], each["booth_id"]) for each in organiser.data(address)["items"]]
    assert found == [(5, fair.booths[1]["id"])]


@pytest.mark.parametrize("content", [b"<svg/>", b"<html></html>", b"%PDF-1.7"])
def test_a_picture_of_a_show_that_is_none_is_refused_beside_its_form(
    office, organiser, fair, content
):
    page = office.get("/desk/setup/website?event=fair")
    tag = page.forms["picture-form"]["tag"].value
    address = "/desk/setup/website/picture"
    page = office.submit(page, address, {"tag": tag}, 422, upload=("a.png", content))
    assert "This file format is not accepted here." in page and 'name="file"' in page
    assert organiser.data("/events/1")["image"] is None


def test_an_address_of_the_search_before_leads_to_it_with_and_without_a_slash(office):
    for before in ("/desk/people?q=Rosen", "/desk/people/?q=Rosen"):
        moved = office.get(before, 308).headers["Location"]
        assert urljoin(before, moved) == "/desk/search?q=Rosen"
    office.get(f"/desk/search?q={'a' * 100}")


@pytest.mark.parametrize("page", ["log", "search", "applications", "exhibitors", "money", "hall"])
def test_a_control_character_in_a_search_is_a_space(office, fair, page):
    """Such as a tab that was pasted with a name from a table."""
    for query in ("%00", "%0A", "%7F", "%C2%85", "%E2%80%A8", "Rosen%09KG%00"):
        office.get(f"/desk/{page}?event=fair&q={query}")
    if page == "search":
        assert "Rosen KG" in office.get("/desk/search?q=%00Rosen%09KG")


def test_a_name_in_the_address_that_is_none_spoils_no_page(office, fair):
    for query in ("made=0", "made=%C2%B2", f"made={'9' * 30}", "of=booths/%C2%B2", "of=x/1"):
        office.get(f"/desk/help?done=saved&{query}")


def test_a_form_for_an_event_that_is_gone_changes_no_other_one(office, organiser, fair):
    """Somebody else has given the event another key while the page was open."""
    page = office.get("/desk/setup/website?event=fair")
    organiser.make("/events", {"title": "Next", "event_key": "next", "date_from": "2027-01-01"})
    organiser.patch("/events/1", {"event_key": "fair-27"}, status=200)
    tag = page.forms["picture-form"]["tag"].value
    for address in ("website", "website/picture/remove", "visitors/category"):
        office.submit(page, f"/desk/setup/{address}?event=fair", {"tag": tag}, 404)
    assert [row["title"] for row in organiser.data("/categories")] == ["Plants"]


def test_what_the_api_cannot_delete_is_no_form_to_delete(office, organiser, fair):
    page = office.get("/desk/setup/website?event=fair")
    fields = {"delete": "1", "tag": record_form(page)["tag"].value}
    office.submit(page, "/desk/setup/website?event=fair", fields, 404)
    office.submit(page, "/desk/edit/profiles/1", fields, 404)


def test_an_event_can_be_changed_and_found_where_a_feature_is_disabled(office, organiser, fair, db):
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name IN ('pages', 'booths')")
    assert "Details" in office.get("/desk/setup?event=fair")
    form = record_form(office.get("/desk/setup/details?event=fair"))
    form["venue"] = "Castle"
    form.submit(headers=office.headers, status=303)
    assert organiser.data("/events/1")["venue"] == "Castle"
    assert "Rosen KG" in office.get("/desk/search?q=Rosen")
    office.get("/desk/setup/website?event=fair", 403)


def test_the_title_of_a_refused_form_says_once_that_something_is_wrong(office, fair):
    page = office.get("/desk/edit/booth_types")
    refused = office.submit(page, "/desk/edit/booth_types", {"price": "much"}, 422).text
    assert refused.partition("<title>")[2].startswith("Error: New ")


def faulty(page):
    """Return the names of the fields that the list of faults of a page leads to."""
    return re.findall(
        r'href="#f-([^"]+)"', page.text.partition('id="faults"')[2].split("</div>")[0]
    )


def test_what_the_schema_refuses_and_what_the_rules_refuse_is_said_at_once(office, organiser, fair):
    typed = {"title": "", "date_from": "2.5.2027", "date_to": "1.5.2027", "country": "DE"}
    page = office.get("/desk/edit/events")
    refused = office.submit(page, "/desk/edit/events", typed, 422)
    assert faulty(refused) == ["title", "date_to"]
    assert "The end must not be before the beginning." in refused.text
    assert len(organiser.data("/events")) == 1

    form = record_form(office.get("/desk/setup/details?event=fair"))
    before = organiser.data("/events/1")
    form["cost_centre"] = "not so"
    form["date_from"], form["date_to"] = "2.5.2027", "1.5.2027"
    refused = form.submit(headers=office.headers, status=422)
    assert faulty(refused) == ["date_to", "cost_centre"]
    assert organiser.data("/events/1") == before


def test_a_rule_about_a_text_that_cannot_be_read_is_not_said_besides(office, organiser, fair):
    typed = {"title": "Fair", "date_from": "2.5.2027", "date_to": "soon", "country": "DE"}
    refused = office.submit(office.get("/desk/edit/events"), "/desk/edit/events", typed, 422)
    assert faulty(refused) == ["date_to"]
    assert "The end must not be before the beginning." not in refused.text
