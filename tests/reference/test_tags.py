"""Tags of the OpenAPI document: one spelling, one group each, and contact and documentation at this
server.
"""

import re

import pytest

from eventapi.reference import document as openapi

GROUPS = [
    "Show",
    "People",
    "Money",
    "Halls",
    "Content",
    "Entrance",
    "Integration",
    "Pages",
    "System",
]


@pytest.fixture(scope="module")
def document():
    return openapi.document("https://api.example.org")


def tags_of(items):
    """Return the tags of the operations of paths or webhooks."""
    return {
        tag for item in items.values() for operation in item.values() for tag in operation["tags"]
    }


def test_every_tag_of_an_operation_is_in_exactly_one_group(document):
    used = tags_of(document["paths"]) | tags_of(document["webhooks"])
    grouped = [tag for group in document["x-tagGroups"] for tag in group["tags"]]
    assert [group["name"] for group in document["x-tagGroups"]] == GROUPS
    assert sorted(grouped) == sorted(used), (
        "add a new resource to GROUPS in eventapi/reference/document.py"
    )
    assert [tag["name"] for tag in document["tags"]] == grouped, (
        "tags come in the order of their groups"
    )


def test_tags_are_spelt_one_way_and_described(document):
    for tag in document["tags"]:
        assert re.fullmatch(r"[a-z]+([- ][a-z]+)*", tag["name"]) and len(tag["description"]) > 10
        assert tag["x-displayName"] == tag["name"].replace("-", " ").capitalize()


def test_contact_and_documentation_are_at_this_server(document):
    assert (
        document["info"]["contact"]["url"]
        == document["externalDocs"]["url"]
        == "https://api.example.org/docs"
    )
    assert openapi.document(None)["externalDocs"]["url"] == "/docs"


def test_messages_of_webhooks_share_no_tag_with_paths(document):
    """OpenAPI Generator writes one file for each tag: the messages would replace the operations of
    /webhooks.
    """
    assert tags_of(document["webhooks"]) == {"webhook messages"}
    assert "webhook messages" not in tags_of(document["paths"])
    assert document["paths"]["/api/v1/webhooks"]["post"]["tags"] == ["webhooks"]
    assert document["webhooks"]["payment.created"]["post"]["operationId"] == (
        "receive_payment_created"
    )
