"""The events of webhooks in the OpenAPI document and on the reference page, which need no key."""

import pytest
from jsonschema import Draft202012Validator

from eventapi.domain.webhooks import event_types
from eventapi.reference import document as openapi
from tests.support import openapi_check

# The names of the reference API, and events whose message differs from the record in a response.
SOME = """
    application.approved application.rejected contact.created contact.updated participant.added participant.removed
    participant.confirmed invoice.created invoice.paid invoice.cancelled booth.assigned booth.unassigned
    service_order.confirmed service_order.completed payment.refunded document.signed check_in.created newsletter.deleted
    plan.created bulk_import.finished""".split()


@pytest.fixture(scope="module")
def webhooks():
    return openapi.document("https://api.example.org")["webhooks"]


def test_every_event_is_documented_without_a_key(app):
    webhooks = app.get("/openapi.json", status=200).json["webhooks"]
    assert set(webhooks) == set(event_types.names()) and set(SOME) <= set(webhooks)
    page = app.get("/docs", status=200).text
    for name in webhooks:
        assert f"<code>{name}</code>" in page, name


def test_each_event_has_an_example_that_fits_its_schema(webhooks):
    components = openapi.document("https://api.example.org")["components"]
    for name, item in webhooks.items():
        [(method, operation)] = item.items()
        media = operation["requestBody"]["content"]["application/json"]
        error = next(
            Draft202012Validator({**media["schema"], "components": components}).iter_errors(
                media["example"]
            ),
            None,
        )
        assert error is None, (name, error)
        assert method == "post" and media["example"]["type"] == name and operation["security"] == []
        schema = components["schemas"][media["schema"]["$ref"].rpartition("/")[2]]
        assert schema["properties"]["type"] == {"const": name, "type": "string"}
        assert schema["title"] == f"{name}_event".replace(".", "_").title().replace("_", "")


def test_messages_differ_from_responses_where_the_events_do(webhooks):
    def example(name):
        return webhooks[name]["post"]["requestBody"]["content"]["application/json"]["example"][
            "data"
        ]

    assert "content_sha256" in example("document.created") and "content" not in example(
        "document.created"
    )
    assert example("contact.created")["category_keys"] == []
    assert example("payment.refunded")["refund"]["amount"] and "refund" not in example(
        "payment.created"
    )
    assert "unsubscribe_url" not in example("newsletter.confirmed")


def test_the_headers_and_the_responses_are_described(webhooks):
    operation = webhooks["payment.created"]["post"]
    names = {parameter["$ref"].rpartition("/")[2] for parameter in operation["parameters"]}
    headers = openapi.document("https://api.example.org")["components"]["parameters"]
    assert {headers[name]["name"] for name in names} == {
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
        "X-Webhook-Timestamp",
        "X-Webhook-Signature",
    }
    assert {"2XX", "410", "default"} == set(operation["responses"])
    assert "`payments`" in operation["description"]


def test_the_examples_of_the_list_are_those_of_the_document(organiser, webhooks):
    listed = {entry["type"]: entry["example"] for entry in organiser.data("/webhooks/events")}
    assert listed == {
        name: item["post"]["requestBody"]["content"]["application/json"]["example"]
        for name, item in webhooks.items()
    }


def test_a_message_that_does_not_fit_is_found():
    with pytest.raises(AssertionError, match=r"payment\.created"):
        openapi_check.check_message("payment.created", {"id": 1})
