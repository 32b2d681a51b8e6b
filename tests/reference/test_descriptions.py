"""Schemas describe their fields, operations what they do, and the export of a contact names
everything in it.
"""

import re

import pytest

from eventapi.reference import document as openapi
from eventapi.validation.schema_files import definition, document
from tests.support.examples import collections, make_verbatim
from tests.support.shared_app import SharedApp

DESCRIBED = [
    "document",
    "document_category",
    "submission",
    "submission_revision",
    "submission_type",
    "webhook",
    "webhook_delivery",
]


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


# Operations


@pytest.fixture
def fresh(tmp_path, template):
    """Return an app with an empty database."""
    with SharedApp(tmp_path, template) as fresh:
        yield fresh


def test_every_operation_below_the_root_is_described_beyond_its_summary_and_access():
    for path, item in openapi.document(None)["paths"].items():
        for method, operation in item.items():
            about = [
                part
                for part in operation["description"].split("\n\n")
                if "The API key needs" not in part
            ]
            assert not path.startswith("/api/") or len(" ".join(about)) > 20, (
                f"{method} {path}: write a docstring"
            )
            assert re.match(r"[A-Z]", operation["summary"]) and not operation["summary"].endswith(
                "."
            )
            assert operation["summary"] not in operation["description"], f"{method} {path}"


SENDING = {
    "batch_invoices",
    "mail_invoice",
    "mail_link",
    "remind_link",
    "send_invoice",
    "send_dunnings",
    "test_webhook",
    "redeliver_webhook_delivery",
}


def test_only_what_sends_is_titled_send_or_mail():
    """Nobody gets a contract from request-signature, so its title must not promise that."""
    titled = {
        operation["operationId"]
        for item in openapi.document(None)["paths"].values()
        for operation in item.values()
        if re.match(r"(Send|Mail|Notify|Deliver)\b", operation["summary"])
    }
    assert titled == SENDING


def test_a_refund_of_a_part_is_not_described_as_the_end_of_the_payment():
    refund = openapi.document(None)["paths"]["/api/v1/payments/{id}/refund"]["post"]["description"]
    assert "a payment in the state `completed`; once nothing is left, it is `refunded`." in refund


@pytest.mark.parametrize("singular", sorted(collections()))
def test_events_that_a_description_names_are_sent(fresh, singular):
    """Creating, changing and deleting a record emits the event that the description of the
    operation names.
    """
    client, path = fresh.organiser, collections()[singular]
    paths = openapi.document("https://api.example.org")["paths"]
    here, below = paths[path], paths[f"{path}/{{id}}"]

    def sent(call):
        before = {entry["id"] for entry in client.data("/webhooks/feed?after=&per_page=100")}
        call()
        return {
            entry["type"]
            for entry in client.data("/webhooks/feed?after=&per_page=100")
            if entry["id"] not in before
        }

    def named(operation):
        return set(re.findall(r"Webhooks receive `(\S+)`", operation["description"]))

    record = {}
    created = sent(lambda: record.update(make_verbatim(client, singular)))
    assert named(here["post"]) and named(here["post"]) <= created
    address = f"{path.removeprefix('/api/v1')}/{record['id']}"
    body = below["patch"]["requestBody"]["content"]["application/json"]["example"]
    if sent(lambda: client.patch(address, body)):
        assert named(below["patch"])
    if "delete" in below and client.delete(address).status_int == 204:
        gone = {entry["type"] for entry in client.data("/webhooks/feed?after=&per_page=100")}
        assert named(below["delete"]) and named(below["delete"]) <= gone
