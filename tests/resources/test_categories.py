"""Categories."""

import pytest


@pytest.fixture
def tree(organiser):
    """Create the categories Plants > Roses > Climbers, and Tools."""
    plants = organiser.make("/categories", {"title": "Plants", "sort_order": 1})
    roses = organiser.make("/categories", {"title": "Roses", "parent_category_key": "plants"})
    climbers = organiser.make(
        "/categories", {"title": "Climbers", "parent_category_id": roses["id"]}
    )
    tools = organiser.make("/categories", {"title": "Tools", "sort_order": 2})
    return {"plants": plants, "roses": roses, "climbers": climbers, "tools": tools}


def actions(db, entity_type):
    return db.connection.execute(
        "SELECT action, entity_id FROM audit_log WHERE entity_type = ? ORDER BY id", (entity_type,)
    ).fetchall()


def test_a_category_is_created_read_changed_and_deleted(organiser, db):
    category = organiser.make(
        "/categories",
        {"title": "Plants & Seeds", "color": "#2e7d32", "base_price": 450.50, "tax_rate": 7},
    )
    assert category["category_key"] == "plants-seeds" and category["parent_category_id"] is None
    assert category["level"] == 0
    assert (
        category["base_price"] == 450.5
        and category["tax_rate"] == 7
        and category["event_keys"] == []
    )
    assert category["is_visible"] and category["account_access_enabled"]
    assert category["applicant_visibility"] == "selectable"
    address = f"/categories/{category['id']}"
    assert organiser.data(address) == category
    changed = organiser.patch(address, {"content": "Nurseries"}, status=200).json["data"]
    assert changed == {**category, "content": "Nurseries", "updated_at": changed["updated_at"]}
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert [action for action, _ in actions(db, "category")] == ["created", "updated", "deleted"]


@pytest.mark.parametrize(
    "title, key",
    [
        ("Öl & Gärten", "oel-gaerten"),
        ("O\u0308l & Ga\u0308rten", "oel-gaerten"),
        ("GROẞE Straße", "grosse-strasse"),
        ("Œuvre d’Ærø", "oeuvre-d-aeroe"),
        ("Łódź–Đakovo", "lodz-dakovo"),
        ("Ελλάς", "key"),
    ],
)
def test_a_key_is_made_from_the_letters_of_the_title(organiser, title, key):
    assert organiser.make("/categories", {"title": title})["category_key"] == key


def test_generated_keys_are_unique_and_a_taken_key_is_refused(organiser):
    organiser.make("/categories", {"title": "Roses"})
    assert organiser.make("/categories", {"title": "Roses"})["category_key"] == "roses-2"
    assert (
        organiser.post("/categories", {"title": "x", "category_key": "roses"}, status=409).json[
            "code"
        ]
        == "duplicate"
    )
    other = organiser.make("/categories", {"title": "Tools"})
    organiser.patch(f"/categories/{other['id']}", {"category_key": "roses"}, status=409)


def test_levels_follow_the_tree(tree):
    assert [tree[name]["level"] for name in ("plants", "roses", "climbers", "tools")] == [
        0,
        1,
        2,
        0,
    ]
    assert tree["climbers"]["parent_category_key"] == "roses"


def test_the_tree_is_nested_and_pages_by_its_roots(organiser, tree):
    answer = organiser.get(
        "/categories?hierarchical=1&sort=sort_order&order=asc&per_page=1", status=200
    ).json
    assert answer["meta"]["total"] == 2 and answer["meta"]["total_pages"] == 2
    [plants] = answer["data"]
    [roses] = plants["children"]
    assert (roses["title"], roses["level"]) == ("Roses", 1)
    assert [child["title"] for child in roses["children"]] == ["Climbers"]
    assert roses["children"][0]["children"] == [] and roses["children"][0]["level"] == 2
    below = organiser.data("/categories?hierarchical=1&parent_category_key=plants")
    assert [
        (category["title"], category["level"], category["event_keys"]) for category in below
    ] == [("Roses", 1, [])]
    assert below[0]["children"][0]["event_keys"] == [] and below[0]["children"][0]["level"] == 2


def test_a_flat_list_has_levels_and_no_children(organiser, tree):
    listed = organiser.data("/categories?sort=id&order=ASC")
    assert [category["level"] for category in listed] == [0, 1, 2, 0]
    assert all("children" not in category and category["event_keys"] == [] for category in listed)
    assert [c["title"] for c in organiser.data("/categories?parent_category_key=plants")] == [
        "Roses"
    ]


def test_the_csv_of_the_tree_has_one_row_per_root(organiser, tree):
    text = organiser.get(
        "/categories?hierarchical=1&order=ASC", headers={"Accept": "text/csv"}, status=200
    ).text
    assert (
        "children.title" in text.splitlines()[0] and len(text.splitlines()) == 3 and "Roses" in text
    )


@pytest.mark.parametrize("parent", ["plants", "roses", "climbers"])
def test_a_category_cannot_be_its_own_descendant(organiser, tree, parent):
    answer = organiser.patch(
        f"/categories/{tree['plants']['id']}", {"parent_category_key": parent}, status=422
    )
    assert answer.json["errors"] == [
        {
            "pointer": "/parent_category_key",
            "code": "cycle",
            "detail": "must not be the category itself or one below it",
        }
    ]


def test_a_category_moves_to_another_parent_and_to_the_root(organiser, tree):
    address = f"/categories/{tree['roses']['id']}"
    assert (
        organiser.patch(address, {"parent_category_id": tree["tools"]["id"]}, status=200).json[
            "data"
        ]["level"]
        == 1
    )
    assert (
        organiser.patch(address, {"parent_category_id": None}, status=200).json["data"]["level"]
        == 0
    )
    assert organiser.data(f"/categories/{tree['climbers']['id']}")["level"] == 1


def test_a_tree_is_at_most_a_hundred_levels_deep(organiser, db):
    with db.write():
        for number in range(1, 102):
            db.connection.execute(
                """
                INSERT INTO categories (category_key, title, parent_category_id, is_visible, applicant_visibility,
                  account_access_enabled, sort_order, created_at, updated_at)
                VALUES (?, 'x', ?, 1, 'selectable', 1, 0, ?, ?)""",
                (f"k{number}", number - 1 or None, db.now, db.now),
            )
    organiser.get("/categories?hierarchical=1", status=200)
    answer = organiser.post(
        "/categories", {"title": "Deeper", "parent_category_id": 101}, status=422
    )
    assert answer.json["errors"][0]["code"] == "too_deep"


def test_unknown_and_contradictory_parents_are_refused(organiser, tree):
    answer = organiser.post(
        "/categories",
        {"title": "x", "parent_category_id": 99, "event_keys": ["nowhere"]},
        status=422,
    )
    assert [entry["pointer"] for entry in answer.json["errors"]] == [
        "/event_keys/0",
        "/parent_category_id",
    ]
    both = {
        "title": "x",
        "parent_category_id": tree["tools"]["id"],
        "parent_category_key": "plants",
    }
    assert organiser.post("/categories", both, status=422).json["errors"][0]["code"] == "disagrees"


def test_deleting_moves_children_up_one_level(organiser, tree, db):
    organiser.delete(f"/categories/{tree['roses']['id']}", status=204)
    climbers = organiser.data(f"/categories/{tree['climbers']['id']}")
    assert climbers["parent_category_id"] == tree["plants"]["id"] and climbers["level"] == 1
    assert ("updated", climbers["id"]) in actions(db, "category")


def test_a_category_in_use_cannot_be_deleted(organiser, tree):
    organiser.make("/contacts", {"company_name": "Tantau", "category_keys": ["roses"]})
    answer = organiser.delete(f"/categories/{tree['roses']['id']}", status=409)
    assert answer.json["code"] == "in_use" and answer.json["used_by"] == ["contacts"]


def test_events_are_assigned_by_key_and_replaced(organiser):
    for key in ("fair-1", "fair-2"):
        organiser.make("/events", {"title": key, "event_key": key})
    category = organiser.make(
        "/categories", {"title": "Plants", "event_keys": ["fair-2", "fair-1"]}
    )
    assert category["event_keys"] == ["fair-1", "fair-2"]
    address = f"/categories/{category['id']}"
    assert organiser.patch(address, {"event_keys": ["fair-2"]}, status=200).json["data"][
        "event_keys"
    ] == ["fair-2"]
    assert organiser.patch(address, {"title": "Flora"}, status=200).json["data"]["event_keys"] == [
        "fair-2"
    ]
    assert organiser.data("/categories?event_key=fair-2")[0]["event_keys"] == ["fair-2"]
    assert organiser.data("/categories?event_key=fair-1") == []


@pytest.mark.parametrize(
    "field, value, code",
    [
        ("color", "green", "pattern"),
        ("base_price", -1, "minimum"),
        ("base_price", 1.005, "decimals"),
        ("tax_rate", 19.005, "decimals"),
        ("tax_rate", 101, "maximum"),
        ("applicant_visibility", "maybe", "enum"),
        ("title", " ", "min_length"),
    ],
)
def test_invalid_values_are_refused(organiser, field, value, code):
    errors = organiser.post("/categories", {"title": "x", field: value}, status=422).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [(f"/{field}", code)]


def test_sending_back_a_category_that_was_read_changes_nothing(organiser, db):
    category = organiser.make(
        "/categories", {"title": "Plants", "base_price": 0.1, "tax_rate": 8.1}
    )
    assert (
        organiser.put(f"/categories/{category['id']}", category, status=200).json["data"]
        == category
    )
    assert len(actions(db, "category")) == 1


def test_a_stale_change_is_refused(organiser):
    category = organiser.make("/categories", {"title": "Plants"})
    address = f"/categories/{category['id']}"
    tag = organiser.get(address).headers["ETag"]
    organiser.patch(address, {"color": "#000000"}, headers={"If-Match": tag}, status=200)
    organiser.patch(address, {"color": "#ffffff"}, headers={"If-Match": tag}, status=412)
    organiser.delete(address, headers={"If-Match": tag}, status=412)
