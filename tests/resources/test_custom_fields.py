"""Custom fields: definitions, values, filters."""

import pytest

from eventapi.domain.records import custom_fields, field_definitions
from eventapi.storage import database
from tests.support.examples import body_for, collections, make
from tests.support.nights import pass_night

HALLS = [{"value": "north", "label": "North hall"}, {"value": "south", "label": "South hall"}]
# A value of each type, as sent and as returned.
VALUES = {
    "text": (" two words ", "two words"),
    "textarea": ("a\nb", "a\nb"),
    "integer": (7, 7),
    "number": (2.50, 2.5),
    "boolean": (True, True),
    "date": ("2026-05-01", "2026-05-01"),
    "datetime": ("2026-05-01T09:00:00+02:00", "2026-05-01T07:00:00Z"),
    "select": ("north", "north"),
    "multiselect": (["south", "north"], ["south", "north"]),
    "email": ("a@b.example", "a@b.example"),
    "url": ("https://x.example/a?b", "https://x.example/a?b"),
}
WRONG = {
    "text": [1, "x" * 1001, [], {}],
    "textarea": ["x" * 20001, 5],
    "integer": [1.5, "1", True, 10**15 + 1],
    "number": ["1", True, 1000000001, 0.1234567],
    "boolean": [1, "true"],
    "date": ["2026-02-30", "2026-05-01T09:00:00Z", 5],
    "datetime": ["2026-05-01", "yesterday"],
    "select": ["west", 1, ["north"]],
    "multiselect": ["north", ["west"], ["north", "north"]],
    "email": ["nobody"],
    "url": ["ftp://x", "javascript:alert(1)"],
}
ENTITIES = {
    "contact": "contact",
    "application": "application",
    "event_participant": "participant",
    "event": "event",
    "booth": "booth",
    "submission": "submission",
}


@pytest.fixture
def define(organiser):
    """Return a function that creates a custom field, of contacts unless another entity type is
    given.
    """

    def made(key, field_type="text", entity_type="contact", **members):
        options = {"field_options": HALLS} if field_type in ("select", "multiselect") else {}
        return organiser.make(
            "/custom-fields",
            {
                "entity_type": entity_type,
                "field_key": key,
                "field_label": key,
                "field_type": field_type,
                **options,
                **members,
            },
        )

    return made


@pytest.fixture
def contact(organiser):
    """Return a function that creates a contact with custom fields and returns its id."""

    def made(**values):
        return organiser.make("/contacts", {"company_name": "Rosen", "custom_fields": values})["id"]

    return made


def faults(answer):
    return {
        (entry.get("pointer") or entry.get("parameter"), entry["code"])
        for entry in answer.json["errors"]
    }


def rows(db, table):
    return db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


# Definitions


def test_a_definition_is_made_read_changed_and_deleted(organiser, db):
    made = organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_label": "Größe in m²",
            "field_type": "select",
            "field_options": ["s", "m"],
        },
    )
    assert made == {
        "id": made["id"],
        "form_id": None,
        "entity_type": "contact",
        "field_key": "groesse_in_m2",
        "field_label": "Größe in m²",
        "field_labels": {},
        "field_help": {},
        "field_type": "select",
        "section_key": None,
        "validation_rules": {},
        "is_required": False,
        "is_searchable": False,
        "field_options": [{"value": "s", "label": "s"}, {"value": "m", "label": "m"}],
        "applicant_visibility": "hidden",
        "is_active": True,
        "display_order": 0,
        "created_at": made["created_at"],
        "updated_at": made["updated_at"],
    }
    changed = organiser.patch(
        f"/custom-fields/{made['id']}",
        {"field_label": "Size", "field_options": [{"value": "s", "label": "small"}]},
        status=200,
    )
    assert changed.json["data"]["field_options"] == [{"value": "s", "label": "small"}]
    assert (
        organiser.data("/custom-fields/definitions")
        == organiser.data("/custom-fields")
        == [changed.json["data"]]
    )
    organiser.delete(f"/custom-fields/{made['id']}", status=204)
    entries = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'custom_field' ORDER BY id"
    )
    assert [action for (action,) in entries] == ["created", "updated", "deleted"]


def test_keys_are_generated_from_labels_and_unique_per_entity_type(organiser, define):
    keys = [
        organiser.make("/custom-fields", {"entity_type": "contact", "field_label": label})[
            "field_key"
        ]
        for label in ("Hall", "hall!", "2nd hall", "id", "東")
    ]
    assert keys == ["hall", "hall_2", "field_2nd_hall", "field_id", "key"]
    define("hall", entity_type="event")
    answer = organiser.post(
        "/custom-fields",
        {"entity_type": "contact", "field_label": "x", "field_key": "hall"},
        status=409,
    )
    assert answer.json["code"] == "duplicate"


@pytest.mark.parametrize(
    "body, found",
    [
        ({"field_type": "select"}, {("/field_options", "required")}),
        ({"field_options": ["a"]}, {("/field_options", "unexpected")}),
        (
            {"field_type": "select", "field_options": ["a", {"value": "a"}]},
            {("/field_options/1", "repeated")},
        ),
        (
            {
                "validation_rules": {"minimum": 1, "min_length": 5, "max_length": 4},
                "field_key": "id",
            },
            {
                ("/validation_rules/minimum", "unexpected"),
                ("/validation_rules/max_length", "less_than_minimum"),
                ("/field_key", "reserved"),
            },
        ),
        (
            {"field_type": "number", "validation_rules": {"maximum": 10**10, "max_length": 3}},
            {
                ("/validation_rules/maximum", "out_of_range"),
                ("/validation_rules/max_length", "unexpected"),
            },
        ),
        (
            {"field_type": "text", "validation_rules": {"max_length": 1001}},
            {("/validation_rules/max_length", "out_of_range")},
        ),
        ({"field_type": "textarea", "is_searchable": True}, {("/is_searchable", "not_searchable")}),
        ({"field_key": "Hall"}, {("/field_key", "pattern")}),
        ({"validation_rules": {"pattern": "(a+)+$"}}, {("/validation_rules/pattern", "unknown")}),
    ],
)
def test_all_faults_of_an_invalid_definition_are_reported(organiser, body, found):
    answer = organiser.post(
        "/custom-fields", {"entity_type": "contact", "field_label": "x", **body}, status=422
    )
    assert faults(answer) == found


def test_an_entity_type_has_at_most_200_fields(organiser, db):
    with db.write():
        for number in range(200):
            db.connection.execute(
                "INSERT INTO custom_field_definitions (entity_type, field_key, field_label, "
                "field_type, field_options, "
                "validation_rules, is_required, is_searchable, applicant_visibility, is_active, "
                "display_order, created_at, "
                "updated_at) VALUES ('contact', ?, 'x', 'text', '[]', '{}', 0, 0, 'hidden', 1, 0, "
                "'', '')",
                [f"f{number}"],
            )
    answer = organiser.post(
        "/custom-fields", {"entity_type": "contact", "field_label": "one more"}, status=409
    )
    assert answer.json["code"] == "too_many_fields"
    organiser.make("/custom-fields", {"entity_type": "event", "field_label": "one more"})


def test_key_and_type_cannot_change_and_options_in_use_cannot_be_removed(
    organiser, define, contact
):
    field = define("hall", "select")
    address = f"/custom-fields/{field['id']}"
    organiser.patch(address, {"field_key": "halle"}, status=200)
    organiser.patch(address, {"field_key": "hall"}, status=200)
    contact(hall="north")
    for body in (
        {"field_key": "halle"},
        {"field_type": "text", "field_options": []},
        {"entity_type": "event"},
    ):
        assert organiser.patch(address, body, status=409).json["code"] == "in_use"
    answer = organiser.patch(address, {"field_options": ["south"]}, status=409)
    assert answer.json["options"] == ["north"]
    organiser.patch(address, {"field_options": ["north", "west"]}, status=200)
    assert organiser.put(address, organiser.data(address), status=200)


def test_deleting_a_field_with_values_requires_purge(organiser, define, contact, db):
    field, id = define("hall", "select", is_searchable=True), contact(hall="north")
    assert organiser.delete(f"/custom-fields/{field['id']}", status=409).json["code"] == "in_use"
    organiser.delete(f"/custom-fields/{field['id']}?purge=1", status=204)
    assert organiser.data(f"/contacts/{id}")["custom_fields"] == {}
    assert rows(db, "custom_field_values") == rows(db, "custom_field_terms") == 0


# Values


@pytest.mark.parametrize("field_type", VALUES)
def test_values_of_each_type_are_stored_and_found_and_invalid_ones_refused(
    organiser, define, contact, field_type
):
    sent, kept = VALUES[field_type]
    define("f", field_type, is_searchable=field_type != "textarea")
    id = contact(f=sent)
    assert organiser.data(f"/contacts/{id}")["custom_fields"] == {"f": kept}
    assert organiser.patch(f"/contacts/{id}", organiser.data(f"/contacts/{id}"), status=200).json[
        "data"
    ]["custom_fields"] == {"f": kept}
    for wrong in WRONG[field_type]:
        answer = organiser.patch(f"/contacts/{id}", {"custom_fields": {"f": wrong}}, status=422)
        assert {place for place, _ in faults(answer)} <= {
            "/custom_fields/f",
            "/custom_fields/f/0",
        }, (wrong, answer.text)
    if field_type != "textarea":
        asked = kept[0] if isinstance(kept, list) else int(kept) if kept is True else kept
        assert [
            found["id"]
            for found in organiser.data(f"/contacts?cf.f={str(asked).replace('+', '%2B')}")
        ] == [id]


def test_values_are_merged_removed_with_null_and_journalled_with_the_record(
    organiser, define, contact, db
):
    define("a"), define("b", "integer")
    id = contact(a="x", b=1)
    before = organiser.data(f"/contacts/{id}")
    assert organiser.patch(f"/contacts/{id}", {"custom_fields": {"a": None}}, status=200).json[
        "data"
    ]["custom_fields"] == {"b": 1}
    assert organiser.patch(f"/contacts/{id}", {"city": "Leipzig"}, status=200).json["data"][
        "custom_fields"
    ] == {"b": 1}
    old, new = db.connection.execute(
        "SELECT old_values, new_values FROM audit_log WHERE entity_type = 'contact' AND action = 'updated' ORDER BY id"
    ).fetchone()
    assert old == '{"custom_fields":{"a":"x","b":1}}' and new == '{"custom_fields":{"b":1}}'
    assert organiser.patch(f"/contacts/{id}", {"custom_fields": {"a": " "}}, status=200).json[
        "data"
    ]["custom_fields"] == {"b": 1}
    assert before["custom_fields"] == {"a": "x", "b": 1}


def test_faults_of_custom_fields_are_reported_with_those_of_the_record(organiser, define):
    define("size", "integer", validation_rules={"minimum": 3}), define("must", is_required=True)
    answer = organiser.post(
        "/contacts",
        {
            "company_name": "x",
            "category_keys": ["none"],
            "custom_fields": {"size": 2, "sise": 1, "a/b": 1},
        },
        status=422,
    )
    assert faults(answer) == {
        ("/category_keys/0", "unknown"),
        ("/custom_fields/size", "minimum"),
        ("/custom_fields/sise", "unknown"),
        ("/custom_fields/a~1b", "unknown"),
    }
    assert "did you mean size" in answer.text


def test_required_fields_are_checked_only_if_custom_fields_are_sent(organiser, define):
    define("a"), define("must", is_required=True)
    id = organiser.make("/contacts", {"company_name": "x"})["id"]
    organiser.patch(f"/contacts/{id}", {"city": "Leipzig"}, status=200)
    assert faults(
        organiser.patch(f"/contacts/{id}", {"custom_fields": {"a": "x"}}, status=422)
    ) == {("/custom_fields/must", "required")}
    organiser.patch(f"/contacts/{id}", {"custom_fields": {"must": "x"}}, status=200)
    organiser.patch(f"/contacts/{id}", {"custom_fields": {"a": "x"}}, status=200)
    assert faults(
        organiser.patch(f"/contacts/{id}", {"custom_fields": {"must": None}}, status=422)
    ) == {("/custom_fields/must", "required")}


def test_an_inactive_field_keeps_its_values_and_refuses_new_ones(organiser, define, contact):
    field, id = define("old", "number", is_required=True), contact(old=0.1)
    organiser.patch(f"/custom-fields/{field['id']}", {"is_active": False}, status=200)
    assert organiser.put(f"/contacts/{id}", organiser.data(f"/contacts/{id}"), status=200).json[
        "data"
    ]["custom_fields"] == {"old": 0.1}
    for value in (0.2, None):
        assert faults(
            organiser.patch(f"/contacts/{id}", {"custom_fields": {"old": value}}, status=422)
        ) == {("/custom_fields/old", "inactive")}
    assert organiser.put(f"/custom-fields/contact/{id}", {}, status=200).json["data"] == {
        "old": 0.1
    }


def test_a_changed_definition_applies_at_once_on_other_connections(
    organiser, define, contact, db, settings
):
    """Each connection reads the definitions itself.

    This one has validated with the old definitions before.
    """
    field, other = define("size", "integer"), database.Database(settings)
    assert custom_fields.defined(other, "contact").by_key["size"]["validation_rules"] == {}
    organiser.patch(
        f"/custom-fields/{field['id']}", {"validation_rules": {"maximum": 5}}, status=200
    )
    assert custom_fields.defined(other, "contact").by_key["size"]["validation_rules"] == {
        "maximum": 5
    }
    other.close()
    assert faults(
        organiser.post("/contacts", {"company_name": "x", "custom_fields": {"size": 6}}, status=422)
    ) == {("/custom_fields/size", "maximum")}


def test_a_limit_is_exact(organiser, define, contact):
    define("share", "number", validation_rules={"minimum": 0.1, "maximum": 0.3})
    contact(share=0.1), contact(share=0.3)
    organiser.post(
        "/contacts", {"company_name": "x", "custom_fields": {"share": 0.300001}}, status=422
    )


def test_malicious_values_are_refused_quickly(organiser, define, contact):
    define("f")
    id = contact(f="x")
    for body in (
        {f"k{number}": 1 for number in range(10_000)},
        {f"k{number}": 1 for number in range(200)},
        {"f": [[[[[[]]]]]]},
        {"f" * 5000: 1},
        {"": 1},
    ):
        organiser.patch(f"/contacts/{id}", {"custom_fields": body}, status=422)
        organiser.patch(f"/custom-fields/contact/{id}", body, status=422)
    for path in ("/contacts?cf.=1", "/contacts?cf.f'--=1", f"/contacts?cf.{'x' * 2000}=1"):
        organiser.get(path, status=422)


# By /custom-fields/{entity_type}/{entity_id}


def test_the_values_of_a_record_are_read_replaced_and_changed(organiser, define, contact, db):
    define("a"), define("b", "integer")
    id = contact(a="x")
    address, before = f"/custom-fields/contact/{id}", organiser.data(f"/contacts/{id}")
    assert organiser.data(address) == {"a": "x"}
    assert organiser.patch(address, {"b": 2}, status=200).json["data"] == {"a": "x", "b": 2}
    assert organiser.put(address, {"b": 3}, status=200).json["data"] == {"b": 3}
    assert organiser.data(f"/contacts/{id}") == {
        **before,
        "custom_fields": {"b": 3},
        "updated_at": organiser.data(f"/contacts/{id}")["updated_at"],
    }
    assert faults(organiser.put(address, {"b": "x"}, status=422)) == {("/b", "type")}
    names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = 'contact' ORDER BY id"
        )
    ]
    assert names == ["contact.created", "contact.updated", "contact.updated"]
    tag = organiser.get(address).headers["ETag"]
    organiser.put(address, {"b": 4}, headers={"If-Match": tag}, status=200)
    organiser.put(address, {"b": 5}, headers={"If-Match": tag}, status=412)
    assert organiser.patch(
        address, {"b": 6}, headers={"Prefer": "return=minimal"}, status=200
    ).json["data"] == {"b": 6}


def test_an_unknown_record_or_kind_is_404_and_the_scope_is_custom_fields(
    organiser, person, contact
):
    for path in (
        "/custom-fields/contact/999",
        "/custom-fields/invoice/1",
        "/custom-fields/nothing/1",
    ):
        organiser.get(path, status=404)
        organiser.put(path, {}, status=404)
    id = contact()
    assert (
        person("custom_fields:read").get(f"/custom-fields/contact/{id}", status=200).json["data"]
        == {}
    )
    person("contacts").get(f"/custom-fields/contact/{id}", status=403)
    person("custom_fields:read").put(f"/custom-fields/contact/{id}", {}, status=403)


# Every entity type


@pytest.mark.parametrize("entity_type", ENTITIES)
def test_every_entity_type_has_custom_fields(organiser, define, db, entity_type):
    singular = ENTITIES[entity_type]
    path = collections()[singular]
    (
        define("wish", entity_type=entity_type, is_searchable=True),
        define("size", "integer", entity_type=entity_type, is_searchable=True),
    )
    record = organiser.make(
        path, {**body_for(organiser, singular), "custom_fields": {"wish": "Tree", "size": 3}}
    )
    assert record["custom_fields"] == {"wish": "Tree", "size": 3}
    address = f"{path}/{record['id']}"
    assert organiser.data(address) == record
    assert organiser.put(address, record, status=200).json["data"] == record
    assert faults(
        organiser.patch(address, {"custom_fields": {"size": "x", "wsh": 1}}, status=422)
    ) == {("/custom_fields/size", "type"), ("/custom_fields/wsh", "unknown")}
    changed = organiser.patch(address, {"custom_fields": {"size": 4}}, status=200).json["data"]
    assert changed["custom_fields"] == {"wish": "Tree", "size": 4}
    assert organiser.put(
        f"/custom-fields/{entity_type}/{record['id']}", {"wish": "Oak"}, status=200
    ).json["data"] == {"wish": "Oak"}
    assert organiser.data(address)["custom_fields"] == {"wish": "Oak"}
    others = [make(organiser, singular) for _ in range(2)]
    found = organiser.data(f"{path}?cf.wish=oak&include=custom_fields")
    assert [(entry["id"], entry["custom_fields"]) for entry in found] == [
        (record["id"], {"wish": "Oak"})
    ]
    assert {
        entry["id"]: entry["custom_fields"]
        for entry in organiser.data(f"{path}?include=custom_fields")
    }[others[0]["id"]] == {}
    assert "custom_fields" not in organiser.data(path)[0]
    assert organiser.data(f"{path}?cf.wish=oak&cf.size=4") == []
    organiser.patch(f"/custom-fields/{entity_type}/{record['id']}", {"size": 4}, status=200)
    assert [entry["id"] for entry in organiser.data(f"{path}?cf.wish=oak&cf.size=4")] == [
        record["id"]
    ]
    organiser.delete(address, status=204)
    assert rows(db, "custom_field_values") == rows(db, "custom_field_terms") == 0


# Filters


def test_a_mistyped_filter_is_refused(organiser, define):
    (
        define("plain"),
        define("size", "integer", is_searchable=True),
        define("hall", "select", is_searchable=True),
    )
    answer = organiser.get("/contacts?cf.plain=x&cf.none=1&cf.size=big&cf.hall=west", status=422)
    assert faults(answer) == {
        ("cf.plain", "not_searchable"),
        ("cf.none", "unknown"),
        ("cf.size", "format"),
        ("cf.hall", "format"),
    }
    assert faults(organiser.get("/contacts?cf.size=1&cf.size=2", status=422)) == {
        ("cf.size", "repeated")
    }
    organiser.get("/categories?cf.size=1", status=422)


def test_making_a_field_searchable_indexes_its_values(organiser, define, contact, db):
    field, id = define("hall", "multiselect"), contact(hall=["north", "south"])
    assert rows(db, "custom_field_terms") == 0
    organiser.patch(f"/custom-fields/{field['id']}", {"is_searchable": True}, status=200)
    assert [found["id"] for found in organiser.data("/contacts?cf.hall=south")] == [id]
    organiser.patch(f"/contacts/{id}", {"custom_fields": {"hall": ["north"]}}, status=200)
    assert organiser.data("/contacts?cf.hall=south") == []
    organiser.patch(f"/custom-fields/{field['id']}", {"is_searchable": False}, status=200)
    organiser.get("/contacts?cf.hall=north", status=422)
    organiser.patch(f"/contacts/{id}", {"custom_fields": {"hall": ["south"]}}, status=200)
    organiser.patch(f"/custom-fields/{field['id']}", {"is_searchable": True}, status=200)
    assert [found["id"] for found in organiser.data("/contacts?cf.hall=south")] == [id]
    assert organiser.data("/contacts?cf.hall=north") == []


@pytest.fixture
def small_pieces(monkeypatch):
    """Index and delete the values of two records at a time."""
    monkeypatch.setattr(field_definitions, "PIECE", 2)


def test_an_interrupted_indexing_is_seen_by_nobody_and_completed_later(
    organiser, define, contact, db, small_pieces, monkeypatch
):
    field, ids = define("hall"), [contact(hall="north") for _ in range(5)]
    pieces, run = iter(range(2)), type(db).run

    def stopping(writer, statement, *given, **values):
        if statement is field_definitions.sql.index_piece:
            next(pieces)
        return run(writer, statement, *given, **values)

    with monkeypatch.context() as patches:
        patches.setattr(type(db), "run", stopping)
        organiser.patch(f"/custom-fields/{field['id']}", {"is_searchable": True}, status=500)
    assert rows(db, "custom_field_terms") == 4
    assert organiser.data(f"/custom-fields/{field['id']}")["is_searchable"] is False
    organiser.patch(f"/contacts/{ids[0]}", {"custom_fields": {"hall": "south"}}, status=200)
    organiser.delete(f"/contacts/{ids[1]}")
    new = contact(hall="north")
    organiser.patch(f"/custom-fields/{field['id']}", {"is_searchable": True}, status=200)
    assert {found["id"] for found in organiser.data("/contacts?cf.hall=north")} == {*ids[2:], new}
    assert [found["id"] for found in organiser.data("/contacts?cf.hall=south")] == ids[:1]
    changes = organiser.data(
        f"/audit-log?entity_type=custom_field&entity_id={field['id']}&action=updated"
    )
    assert [change["new_values"] for change in changes] == [{"is_searchable": True}], (
        "it is journalled once"
    )


def test_values_are_purged_in_pieces_with_their_field(organiser, define, contact, db, small_pieces):
    field, other = define("hall", is_searchable=True), define("stand")
    contact(hall="north", stand="A1"), [contact(hall="north") for _ in range(4)]
    assert organiser.delete(f"/custom-fields/{field['id']}", status=409).json["code"] == "in_use"
    organiser.delete(
        f"/custom-fields/{field['id']}?purge=1", headers={"If-Match": '"other"'}, status=412
    )
    assert rows(db, "custom_field_values") == 6
    organiser.delete(f"/custom-fields/{field['id']}?purge=1")
    assert rows(db, "custom_field_values") == 1 and rows(db, "custom_field_terms") == 0
    assert [found["id"] for found in organiser.data("/custom-fields")] == [other["id"]]
    assert len(organiser.data("/audit-log?entity_type=custom_field&action=deleted")) == 1


def test_a_filtered_list_is_paged_counted_and_exported_as_csv(organiser, define, contact):
    define("hall", "select", is_searchable=True)
    ids = [contact(hall=hall) for hall in ("north", "south", "north", "north")]
    answer = organiser.get("/contacts?cf.hall=north&per_page=2&sort=company_name", status=200)
    assert answer.json["meta"]["total"] == 3 and "cf.hall=north" in answer.headers["Link"]
    first = organiser.get("/contacts?cf.hall=north&per_page=2&after=", status=200).json
    rest = organiser.get(
        f"/contacts?cf.hall=north&per_page=2&after={first['meta']['next']}", status=200
    ).json
    assert [found["id"] for found in first["data"] + rest["data"]] == [ids[3], ids[2], ids[0]]
    csv = organiser.get(
        "/contacts?cf.hall=south&include=custom_fields", headers={"Accept": "text/csv"}, status=200
    ).text
    assert "custom_fields.hall" in csv.splitlines()[0] and "south" in csv.splitlines()[1]


# Merging, privacy, copies and formulas


def test_a_merge_fills_missing_custom_fields(organiser, define, db):
    (
        define("a"),
        define("b"),
        define("seat", entity_type="event_participant"),
        define("meal", entity_type="event_participant"),
    )
    event = organiser.make("/events", {"title": "Fair"})
    one, two = [
        organiser.make("/contacts", {"last_name": "x", "custom_fields": values})["id"]
        for values in ({"a": "1"}, {"a": "2", "b": "2"})
    ]
    kept, _ = [
        organiser.make(
            "/participants", {"event_id": event["id"], "contact_id": id, "custom_fields": values}
        )["id"]
        for id, values in ((one, {"seat": "1"}), (two, {"seat": "2", "meal": "2"}))
    ]
    merged = organiser.post(f"/contacts/{one}/merge", {"duplicate_id": two}, status=200).json[
        "data"
    ]
    assert merged["custom_fields"] == {"a": "1", "b": "2"}
    assert organiser.data(f"/participants/{kept}")["custom_fields"] == {"seat": "1", "meal": "2"}
    assert rows(db, "custom_field_values") == 4


def test_custom_fields_are_exported_and_erased_with_the_contact(organiser, define, contact, db):
    define("secret", is_searchable=True), define("secret", entity_type="application")
    id = contact(secret="zqmark")
    organiser.patch(f"/contacts/{id}", {"email": "zqmark@x.example"}, status=200)
    event = organiser.make("/events", {"title": "Fair"})
    organiser.make(
        "/applications",
        {
            "event_keys": [event["event_key"]],
            "email": "zqmark@x.example",
            "custom_fields": {"secret": "zqmark"},
        },
    )
    export = organiser.data(f"/contacts/{id}/export")
    assert (
        export["contact"]["custom_fields"]
        == export["applications"][0]["custom_fields"]
        == {"secret": "zqmark"}
    )
    organiser.post(f"/contacts/{id}/anonymize", status=200)
    pass_night(db)
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"zqmark" not in db.path.read_bytes()
    assert (
        organiser.patch(f"/custom-fields/contact/{id}", {"secret": "x"}, status=409).json["code"]
        == "anonymized"
    )


def test_anonymised_contacts_get_no_new_custom_fields(organiser, contact):
    contact_id = contact()
    for entity_type in ("contact", "event_participant", "submission"):
        organiser.make(
            "/custom-fields",
            {"entity_type": entity_type, "field_label": "Nick", "field_type": "text"},
        )
    event = organiser.make("/events", {"title": "Fair"})
    participant = organiser.make(
        "/participants", {"event_id": event["id"], "contact_id": contact_id}
    )
    kind = organiser.make(
        "/submissions/types", {"event_id": event["id"], "title": "Profile", "input": "text"}
    )
    submission = organiser.make(
        "/submissions", {"participant_id": participant["id"], "type_id": kind["id"], "value": "x"}
    )
    organiser.post(f"/contacts/{contact_id}/anonymize", status=200)
    for place in (
        f"contact/{contact_id}",
        f"event_participant/{participant['id']}",
        f"submission/{submission['id']}",
    ):
        assert (
            organiser.put(f"/custom-fields/{place}", {"nick": "Zed"}, status=409).json["code"]
            == "anonymized"
        )
    for body in ({"badge_name": "Zed"}, {"custom_fields": {"nick": "Zed"}}):
        assert (
            organiser.patch(f"/participants/{participant['id']}", body, status=409).json["code"]
            == "anonymized"
        )
    organiser.patch(f"/participants/{participant['id']}", {"role": "visitor"}, status=200)


def test_copying_an_event_copies_its_custom_fields(organiser, define):
    define("theme", entity_type="event"), define("power", "integer", entity_type="booth")
    booth = organiser.make(
        "/booths", {**body_for(organiser, "booth"), "custom_fields": {"power": 16}}
    )
    organiser.patch(
        f"/events/{booth['event_id']}",
        {"date_from": "2026-05-01", "custom_fields": {"theme": "Roses"}},
        status=200,
    )
    new = organiser.post(
        f"/events/{booth['event_id']}/copy", {"date_from": "2027-05-01"}, status=201
    ).json["data"]
    assert new["custom_fields"] == {"theme": "Roses"}
    (copied,) = organiser.data(f"/booths?event_id={new['id']}&include=custom_fields")
    assert copied["custom_fields"] == {"power": 16}


def test_formulas_use_custom_fields(organiser, define):
    """A checkbox is 1 or 0, a select its numeric option.

    A value of the participant overrides that of its contact.
    """
    for entity_type in ("event_participant", "contact"):
        define("lights", "boolean", entity_type)
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_label": "Power",
            "field_type": "select",
            "field_options": ["16", "32.5", "none"],
        },
    )
    formula = organiser.make(
        "/booths/formulas",
        {"name": "Lit", "expression": "100 + {field:lights} * 50 + {field:power}"},
    )
    booth = organiser.make(
        "/booths",
        {**body_for(organiser, "booth"), "formula_id": formula["id"], "fixed_price": None},
    )
    assert booth["price"] is None and "{field:" in booth["price_breakdown"]["note"]
    contact = organiser.make("/contacts", {"last_name": "x"})["id"]
    participant = organiser.make(
        "/participants", {"event_id": booth["event_id"], "contact_id": contact}
    )["id"]
    asked = {"booth_id": booth["id"], "event_participant_id": participant}
    for power in (None, "none"):
        organiser.patch(f"/custom-fields/contact/{contact}", {"power": power}, status=200)
        assert faults(organiser.post("/booth-reservations", asked, status=422)) == {
            ("/final_price", "required")
        }
    for lights, power, price in ((None, "16", 116), (True, "32.5", 182.5)):
        organiser.patch(
            f"/custom-fields/contact/{contact}", {"power": power, "lights": lights}, status=200
        )
        reservation = organiser.make("/booth-reservations", asked)
        assert reservation["final_price"] == price
        assert reservation["price_breakdown"]["values"]["field:power"] == float(power)
        organiser.delete(f"/booth-reservations/{reservation['id']}", status=204)
    organiser.patch(
        f"/custom-fields/event_participant/{participant}", {"lights": False}, status=200
    )
    assert organiser.make("/booth-reservations", asked)["final_price"] == 132.5


def test_filters_on_several_fields_find_the_records_with_all_values(organiser, define, contact):
    define("hall", "select", is_searchable=True), define("vip", "boolean", is_searchable=True)
    ids = [
        contact(hall=hall, vip=vip)
        for hall, vip in (("north", True), ("north", False), ("south", True), ("north", True))
    ]
    answer = organiser.get("/contacts?cf.hall=north&cf.vip=1&per_page=1", status=200).json
    assert answer["meta"]["total"] == 2 and answer["data"][0]["id"] == ids[3]
    assert [
        found["id"] for found in organiser.data("/contacts?cf.hall=north&sort=company_name")
    ] == [ids[3], ids[1], ids[0]]


def test_a_write_without_custom_fields_does_not_query_them(organiser, define, monkeypatch):
    define("must", is_required=True)
    monkeypatch.setattr(custom_fields, "defined", None)
    organiser.patch(
        f"/contacts/{organiser.make('/contacts', {'last_name': 'x'})['id']}",
        {"city": "Leipzig"},
        status=200,
    )
