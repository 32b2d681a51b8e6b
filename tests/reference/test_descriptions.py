"""Schemas describe their fields, and the export of a contact names everything that it contains."""
import pytest

from eventapi.validation.schema_files import definition, document

DESCRIBED = ["document", "document_category", "submission", "submission_revision", "submission_type", "webhook",
             "webhook_delivery"]


def undescribed(schema, place):
    """Yield the place of each field without a description, at any depth."""
    for field, sub in schema.get("properties", {}).items():
        if not sub.get("description") and "$ref" not in sub:
            yield f"{place}.{field}"
        for part in (sub, sub.get("items", {})):
            yield from undescribed(part, f"{place}.{field}")


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_field_and_parameter_has_a_description(name):
    parts = {name: document(name), **document(name)["$defs"]}
    assert [place for part, schema in parts.items() for place in undescribed(schema, part)] == []


def test_the_schema_of_an_export_names_all_its_fields(organiser):
    contact = organiser.make("/contacts", {"last_name": "Rose"})
    exported = organiser.data(f"/contacts/{contact['id']}/export")
    assert set(exported) == set(definition("contact.export")["properties"])
    assert list(undescribed(definition("contact.export"), "export")) == []
