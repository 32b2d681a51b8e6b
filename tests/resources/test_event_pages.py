"""The settings of the public pages of an event."""

import pytest

from tests.support.client import SCOPES

IMPRINT = {
    "organiser_name": "Garden GmbH",
    "organiser_street": "Weg 1",
    "organiser_city": "Leipzig",
    "organiser_email": "office@example.org",
    "base_url": "https://show.example.org",
}


@pytest.fixture
def address(event):
    """Return the address of the settings of the event."""
    return f"/events/{event['id']}/pages"


@pytest.fixture
def imprint(settings, monkeypatch):
    """Set the options that public pages need."""
    for name, value in IMPRINT.items():
        monkeypatch.setattr(settings, name, value)


def test_an_event_has_settings_from_the_beginning_and_no_page(organiser, event, address):
    assert organiser.data(address) == {
        "id": event["id"],
        "event_key": "fair",
        "language": None,
        "is_public": False,
        "show_directory": True,
        "show_plan": False,
        "show_programme": True,
        "is_indexed": True,
        "texts": {},
        "accent_color": None,
        "contact_email": None,
        "contact_phone": None,
        "embed_origins": [],
        "apply_is_open": False,
        "apply_capacity": None,
        "apply_terms": {},
        "apply_file_type": None,
        "visit_is_open": False,
        "visit_until": None,
        "visit_fields": [],
        "show_prices": False,
        "price_display": "gross",
        "apply_form": [
            {"field": "company_name", "ask": "optional"},
            {"field": "person", "ask": "required"},
            {"field": "phone", "ask": "optional"},
            {"field": "address", "ask": "required"},
            {"field": "categories", "ask": "optional"},
            {"field": "message", "ask": "optional"},
        ],
        "mail_texts": {},
        "my_is_open": False,
        "my_rights": [
            "profile",
            "submissions",
            "booth",
            "orders",
            "contract",
            "invoices",
            "badges",
        ],
        "booth_from": None,
        "booth_until": None,
        "booth_types": [],
        "booth_confirm": "office",
        "hold_days": 7,
        "badges_free": 2,
        "badge_service_id": None,
        "created_at": None,
        "updated_at": None,
    }


def test_settings_are_changed_and_audited(organiser, event, address):
    before = organiser.data(address)
    changed = organiser.patch(
        address, {"show_plan": True, "texts": {"intro": {"de": "Alles, was wächst."}}}, status=200
    ).json["data"]
    assert (
        organiser.data(address)
        == changed
        == {
            **before,
            "show_plan": True,
            "texts": {"intro": {"de": "Alles, was wächst."}},
            "created_at": changed["created_at"],
            "updated_at": changed["updated_at"],
        }
    )
    entry = organiser.data("/audit-log?entity_type=event_pages")[0]
    assert (entry["action"], entry["entity_id"], entry["entity_title"]) == (
        "updated",
        event["id"],
        "fair",
    )
    assert entry["new_values"]["show_plan"] is True
    assert organiser.put(address, changed, status=200).json["data"] == changed


def test_pages_are_public_only_with_imprint_date_and_address(
    organiser, event, address, imprint, settings, monkeypatch
):
    monkeypatch.setattr(settings, "organiser_email", "")
    organiser.patch(f"/events/{event['id']}", {"date_from": None, "date_to": None}, status=200)
    refused = organiser.patch(address, {"is_public": True}, status=409).json
    assert (refused["code"], refused["missing"]) == (
        "page_incomplete",
        ["organiser_email", "date_from"],
    )
    assert "Set `organiser_email` and `date_from`" in refused["detail"]
    monkeypatch.setattr(settings, "organiser_email", "office@example.org")
    organiser.patch(f"/events/{event['id']}", {"date_from": "2027-05-01"}, status=200)
    assert (
        organiser.patch(address, {"is_public": True}, status=200).json["data"]["is_public"] is True
    )


def test_a_copy_of_an_event_has_its_settings_and_is_not_public(organiser, event, address, imprint):
    organiser.patch(
        address, {"is_public": True, "show_plan": True, "accent_color": "#123456"}, status=200
    )
    copy = organiser.make(f"/events/{event['id']}/copy", {"date_from": "2028-05-01", "with": []})
    pages = organiser.data(f"/events/{copy['id']}/pages")
    assert (pages["is_public"], pages["show_plan"], pages["accent_color"]) == (
        False,
        True,
        "#123456",
    )


def test_the_settings_end_with_their_event(organiser, event, address, db):
    organiser.patch(address, {"show_plan": True}, status=200)
    organiser.delete(f"/events/{event['id']}", status=204)
    organiser.get(address, status=404)
    assert db.connection.execute("SELECT count(*) FROM event_pages").fetchone()[0] == 0


def test_a_change_of_nothing_is_answered_in_short(organiser, event, address):
    """The settings have no times yet."""
    minimal = {"Prefer": "return=minimal"}
    answer = organiser.patch(address, {"badge_service_id": None}, headers=minimal, status=200)
    assert answer.json["data"] == {"event_pages_id": event["id"]}


def test_settings_need_the_scope_of_events(person, address):
    person("events:read").get(address, status=200)
    person("events:read").patch(address, {"show_plan": True}, status=403)
    person(" ".join(scope for scope in SCOPES.split() if scope != "events")).get(
        address, status=403
    )


def test_pages_of_exhibitors_need_an_address_and_known_records(
    organiser, event, address, settings, monkeypatch
):
    monkeypatch.setattr(settings, "base_url", "")
    refused = organiser.patch(
        address,
        {"my_is_open": True},
        status=409,
        headers={"Host": "show.example.org", "X-Real-IP": "93.184.216.34"},
    ).json
    assert (refused["code"], refused["missing"]) == ("page_incomplete", ["base_url"])
    service = organiser.make("/services", {"service_name": "Badge", "base_price": 18})
    faults = organiser.patch(
        address,
        {
            "booth_types": ["island"],
            "badge_service_id": service["id"],
            "booth_from": "2027-02-02",
            "booth_until": "2027-02-01",
        },
        status=422,
    ).json
    assert [(fault["pointer"], fault["code"]) for fault in faults["errors"]] == [
        ("/booth_until", "before_start"),
        ("/booth_types/0", "unknown"),
        ("/badge_service_id", "not_offered"),
    ]
    monkeypatch.setattr(settings, "base_url", "https://show.example.org")
    organiser.patch(
        address,
        {"my_is_open": True, "booth_from": "2027-02-02", "booth_until": "2027-02-02"},
        status=200,
    )


def test_a_copy_closes_the_pages_of_exhibitors_and_the_choice_of_booths(
    organiser, event, address, imprint
):
    organiser.patch(
        address, {"my_is_open": True, "booth_from": "2027-02-02", "hold_days": 3}, status=200
    )
    copy = organiser.make(f"/events/{event['id']}/copy", {"date_from": "2028-05-01", "with": []})
    pages = organiser.data(f"/events/{copy['id']}/pages")
    assert (pages["my_is_open"], pages["booth_from"], pages["hold_days"]) == (False, None, 3)
