"""Categories of services."""

import pytest


def test_a_category_is_created_read_changed_and_deleted(organiser, db):
    category = organiser.make(
        "/services/categories", {"category_name": "Strom & Wasser", "sort_order": 3}
    )
    assert category["category_key"] == "strom-wasser" and category["sort_order"] == 3
    address = f"/services/categories/{category['id']}"
    assert organiser.data(address) == category
    changed = organiser.patch(address, {"category_name": "Power"}, status=200).json["data"]
    assert changed == {**category, "category_name": "Power", "updated_at": changed["updated_at"]}
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    entries = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'service_category' ORDER BY id"
    ).fetchall()
    assert entries == [("created",), ("updated",), ("deleted",)]


def test_generated_keys_are_unique_and_a_taken_key_is_refused(organiser):
    organiser.make("/services/categories", {"category_name": "Power"})
    other = organiser.make("/services/categories", {"category_name": "Power"})
    assert other["category_key"] == "power-2"
    assert (
        organiser.post(
            "/services/categories", {"category_name": "x", "category_key": "power"}, status=409
        ).json["code"]
        == "duplicate"
    )
    organiser.patch(f"/services/categories/{other['id']}", {"category_key": "power"}, status=409)
    assert (
        organiser.patch(
            f"/services/categories/{other['id']}", {"category_key": "power-2"}, status=200
        ).json["data"]
        == other
    )


def test_a_category_with_services_cannot_be_deleted(organiser):
    category = organiser.make("/services/categories", {"category_name": "Power"})
    service = organiser.make(
        "/services", {"service_name": "Socket", "base_price": 10, "category_id": category["id"]}
    )
    answer = organiser.delete(f"/services/categories/{category['id']}", status=409).json
    assert answer["code"] == "in_use" and answer["used_by"] == ["services"]
    organiser.patch(f"/services/{service['id']}", {"category_key": None}, status=200)
    organiser.delete(f"/services/categories/{category['id']}", status=204)


@pytest.mark.parametrize("sort, names", [("sort_order", ["b", "a"]), ("category_name", ["a", "b"])])
def test_categories_are_sorted(organiser, sort, names):
    for name, place in (("a", 2), ("b", 1)):
        organiser.make("/services/categories", {"category_name": name, "sort_order": place})
    listed = organiser.data(f"/services/categories?sort={sort}&order=ASC")
    assert [category["category_name"] for category in listed] == names
