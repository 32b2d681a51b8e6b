"""Prices of categories, services and booth types that are exempt from tax, or have a place of supply of their own."""

import pytest

from tests.support.plans import add_plan
from tests.web.test_routes import problem

REASON = "Steuerfrei nach § 4 Nr. 22 Buchst. a UStG"
KINDS = {
    "/categories": {"title": "Lectures", "base_price": 300},
    "/services": {"service_name": "Lecture", "base_price": 300},
    "/booths/types": {"booth_type_name": "Stage", "price_model": "fixed", "price": 300},
}


@pytest.mark.parametrize("path", KINDS)
def test_an_exemption_reason_is_kept_changed_and_removed(organiser, path):
    record = organiser.make(path, {**KINDS[path], "exemption_reason": f"  {REASON} "})
    assert record["exemption_reason"] == REASON
    address = f"{path}/{record['id']}"
    for reason in ("x" * 200, None):
        changed = organiser.patch(address, {"exemption_reason": reason}, status=200).json["data"]
        assert changed["exemption_reason"] == reason
    organiser.patch(address, {"exemption_reason": "x" * 201}, status=422)
    assert organiser.make(path, {**KINDS[path]})["exemption_reason"] is None


@pytest.mark.parametrize("path", KINDS)
def test_an_exempt_price_with_a_tax_rate_is_refused_where_the_request_is_wrong(organiser, path):
    taxed = {**KINDS[path], "tax_rate": 19}
    both = organiser.post(path, {**taxed, "exemption_reason": REASON})
    assert problem(both, 422, "validation_failed")["errors"] == [
        {
            "pointer": "/tax_rate",
            "code": "tax_category",
            "detail": "must be 0 or null, because the price is exempt (`exemption_reason`), but is 19. To charge tax, "
            "set `exemption_reason` to null",
        }
    ]
    address = f"{path}/{organiser.make(path, taxed)['id']}"
    late = organiser.patch(address, {"exemption_reason": REASON})
    assert problem(late, 422, "validation_failed")["errors"] == [
        {
            "pointer": "/exemption_reason",
            "code": "tax_category",
            "detail": "must be null, because `tax_rate` is 19. To make the price exempt, set `tax_rate` to null",
        }
    ]
    for rate in (0, None):
        organiser.patch(address, {"exemption_reason": REASON, "tax_rate": rate}, status=200)
    [fault] = problem(organiser.patch(address, {"tax_rate": 7}), 422, "validation_failed")["errors"]
    assert (fault["pointer"], fault["code"]) == ("/tax_rate", "tax_category")


@pytest.mark.parametrize("path", ["/categories", "/services"])
def test_a_category_and_a_service_may_have_a_place_of_supply_of_their_own(organiser, path):
    record = organiser.make(path, KINDS[path])
    assert record["place_of_supply"] is None
    for place in ("event", "recipient", None):
        changed = organiser.patch(f"{path}/{record['id']}", {"place_of_supply": place}, status=200)
        assert changed.json["data"]["place_of_supply"] == place
    organiser.patch(f"{path}/{record['id']}", {"place_of_supply": "home"}, status=422)


@pytest.fixture
def lecturer(organiser, db, event):
    """A participant of an exempt category with an exempt booth and an exempt service."""
    fee = {**KINDS["/categories"], "event_keys": ["fair"], "exemption_reason": REASON}
    category = organiser.make("/categories", fee)
    kind = organiser.make("/booths/types", {**KINDS["/booths/types"], "exemption_reason": REASON})
    booth = {
        "plan_id": add_plan(db, "fair", "Hall A", "A"),
        "booth_type_id": kind["id"],
        "width": 3,
        "depth": 3,
    }
    organiser.make("/booths", {**booth, "booth_number": "A1"})
    organiser.make("/booths", {**booth, "booth_number": "A2", "tax_rate": 7})
    offer = {"events": [{"event_key": "fair"}], "exemption_reason": REASON}
    organiser.make("/services", {**KINDS["/services"], **offer})
    contact = organiser.make("/contacts", {"company_name": "Rosen KG"})
    person = {
        "event_key": "fair",
        "contact_id": contact["id"],
        "category_key": category["category_key"],
    }
    return organiser.make("/participants", person)


def test_exempt_fees_booths_and_services_have_the_tax_rate_0(organiser, lecturer):
    booths = {booth["booth_number"]: booth for booth in organiser.data("/booths")}
    assert (booths["A1"]["tax_rate"], booths["A2"]["tax_rate"]) == (0, 7)
    of = {"event_participant_id": lecturer["id"]}
    held = {**of, "booth_id": booths["A1"]["id"], "status": "confirmed"}
    assert organiser.make("/booth-reservations", held)["tax_rate"] == 0
    items = [{"service_id": 1, "quantity": 1}]
    order = organiser.make("/service-orders", {**of, "status": "submitted", "items": items})
    assert (order["items"][0]["tax_rate"], order["tax_total"], order["total"]) == (0, 0, 300)
    organiser.post(f"/service-orders/{order['id']}/confirm", status=200)

    owed = organiser.data(f"/participants/{lecturer['id']}/balance")
    assert (owed["ordered"], owed["unbilled"]) == (900, 900)
    draft = organiser.post(f"/participants/{lecturer['id']}/invoice", status=201).json["data"]
    assert (draft["subtotal"], draft["tax_total"], draft["total"]) == (900, 0, 900)
    assert [item["tax_rate"] for item in draft["items"]] == [0, 0, 0]


def test_a_form_gets_the_tax_rate_0_of_an_exempt_category(organiser, lecturer):
    organiser.patch("/events/1/pages", {"show_prices": True}, status=200)
    [event] = organiser.data("/applications/events")
    [category] = event["categories"]
    assert (category["price"], category["tax_rate"]) == (300, 0)


def test_removing_the_reason_charges_the_usual_tax_again(organiser, lecturer):
    before = organiser.data(f"/participants/{lecturer['id']}/balance")["unbilled"]
    organiser.patch("/categories/1", {"exemption_reason": None}, status=200)
    organiser.patch("/booths/types/1", {"exemption_reason": None}, status=200)
    after = organiser.data(f"/participants/{lecturer['id']}/balance")["unbilled"]
    assert (before, after) == (300, 357)
    assert organiser.data("/booths/1")["tax_rate"] == 19
