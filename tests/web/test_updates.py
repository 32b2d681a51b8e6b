"""PUT and PATCH of every resource: the fields that PUT requires, and updates that contain only
read-only fields.
"""

import pytest

from eventapi.validation.schema_files import document
from tests.support.examples import WITHOUT_PUT, all_routes, as_read, collections, make
from tests.web.test_routes import problem

# Resource -> what PUT requires: the fields that the specification calls required, and no others. A
# tuple means one of these fields. For an update, fields that eventapi adds are never required.
REQUIRED = {
    "event": ["title"],
    "contact": [],
    "participant": [("event_key", "event_id"), ("customer_number", "contact_id")],
    "application": [],
    "category": ["title"],
    "invoice": [],
    "bank_rule": [],
    "dunning_level": [],
    "payment": ["invoice_number", "amount"],
    "booth": ["plan_id"],
    "booth_type": [],
    "booth_formula": [],
    "booth_reservation": ["booth_id", ("event_participant_id", "participant_id")],
    "plan": [],
    "service": [],
    "service_category": [],
    "service_order": [],
    "document": ["entity_type", "entity_id"],
    "document_category": [],
    "document_template": [],
    "submission": [],
    "submission_type": [],
    "task": ["title"],
    "note": ["entity_type", "entity_id", "note_text"],
    "check_in": [],
    "schedule": [],
    "calendar_subscription": [],
    "custom_field": [],
    "newsletter_subscriber": ["email"],
    "webhook": ["url", "events"],
}


def each_resource(function):
    return pytest.mark.parametrize("singular", sorted(collections()))(function)


def test_every_resource_is_in_the_table():
    replaced = {route.path for route in all_routes() if route.method == "PUT"}
    assert {
        singular for singular, path in collections().items() if f"{path}/<id>" not in replaced
    } == WITHOUT_PUT
    assert REQUIRED.keys() == collections().keys() - WITHOUT_PUT


def read_only(singular, record):
    """Return the fields of a record that no request can change."""
    fields = document(singular)["properties"]
    return {name: value for name, value in record.items() if fields[name].get("readOnly")}


@pytest.mark.parametrize("singular", sorted(REQUIRED))
def test_put_requires_the_fields_of_the_specification_and_no_others(shared, singular):
    record = as_read(singular, make(shared.organiser, singular))
    address, version = f"{collections()[singular]}/{record['id']}", shared.version()
    answer = shared.organiser.put(address, {})
    if REQUIRED[singular]:
        missing = {
            f"/{field if isinstance(field, str) else field[0]}" for field in REQUIRED[singular]
        }
        assert {
            entry["pointer"] for entry in problem(answer, 422, "validation_failed")["errors"]
        } == missing
    needed = [field if isinstance(field, str) else field[0] for field in REQUIRED[singular]]
    body = {**read_only(singular, record), **{field: record[field] for field in needed}}
    assert shared.organiser.put(address, body, status=200).json["data"] == record
    assert shared.version() == version, "nothing is written, and nothing journalled"


@each_resource
def test_a_patch_with_only_read_only_fields_changes_nothing(shared, singular):
    record = as_read(singular, make(shared.organiser, singular))
    address, version = f"{collections()[singular]}/{record['id']}", shared.version()
    for body in ({"id": 1}, read_only(singular, record)):
        assert shared.organiser.patch(address, body, status=200).json["data"] == record
    assert shared.version() == version, "nothing is written, and nothing journalled"
    found = problem(shared.organiser.patch(address, {}), 422, "validation_failed")
    assert [entry["pointer"] for entry in found["errors"]] == [""]
