"""Categories of documents."""


def test_a_category_is_created_read_changed_and_deleted(organiser, db):
    category = organiser.make("/documents/categories", {"name": "Verträge"})
    assert category["key"] == "vertraege" and category["default_template_id"] is None
    address = f"/documents/categories/{category['id']}"
    template = organiser.make("/documents/templates", {"name": "Contract", "body": "<p>x</p>"})
    changed = organiser.patch(address, {"default_template_key": template["key"]}, status=200).json[
        "data"
    ]
    assert (
        changed["default_template_id"] == template["id"]
        and changed["default_template_key"] == "contract"
    )
    assert organiser.data("/documents/categories?default_template_key=contract") == [changed]
    answer = organiser.delete(f"/documents/templates/{template['id']}", status=409).json
    assert answer["code"] == "in_use" and answer["used_by"] == ["categories that use it by default"]
    organiser.delete(address, status=204)
    organiser.delete(f"/documents/templates/{template['id']}", status=204)
    actions = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'document_category' ORDER BY id"
    ).fetchall()
    assert actions == [("created",), ("updated",), ("deleted",)]


def test_generated_keys_are_unique_and_a_taken_key_is_refused(organiser):
    organiser.make("/documents/categories", {"name": "Contracts"})
    other = organiser.make("/documents/categories", {"name": "Contracts"})
    assert other["key"] == "contracts-2"
    assert (
        organiser.post("/documents/categories", {"name": "x", "key": "contracts"}, status=409).json[
            "code"
        ]
        == "duplicate"
    )


def test_a_category_with_documents_or_templates_cannot_be_deleted(organiser):
    category = organiser.make("/documents/categories", {"name": "Contracts"})
    template = organiser.make(
        "/documents/templates",
        {"name": "Contract", "body": "<p>x</p>", "category_key": "contracts"},
    )
    assert organiser.delete(f"/documents/categories/{category['id']}", status=409).json[
        "used_by"
    ] == ["templates"]
    organiser.delete(f"/documents/templates/{template['id']}", status=204)
    event = organiser.make("/events", {"title": "Fair"})
    organiser.make(
        "/documents",
        {
            "entity_type": "event",
            "entity_id": event["id"],
            "filename": "a.txt",
            "category_id": category["id"],
        },
    )
    assert organiser.delete(f"/documents/categories/{category['id']}", status=409).json[
        "used_by"
    ] == ["documents"]


def test_an_unknown_template_is_reported(organiser):
    errors = organiser.post(
        "/documents/categories", {"name": "x", "default_template_id": 99}, status=422
    ).json["errors"]
    assert [entry["pointer"] for entry in errors] == ["/default_template_id"]
