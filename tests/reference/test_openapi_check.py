"""The check of responses that the clients of the tests use: it must find what jsonschema finds."""

import pytest
from jsonschema import Draft202012Validator

from tests.support import openapi_check

WRONG = (None, -1, 1.5, True, "", "x" * 300, [], [None], {}, {"unknown": 1})


@pytest.fixture(scope="module")
def document():
    return openapi_check.Document(*openapi_check.openapi.built("https://check.example.org"))


def test_a_faulty_response_is_found_wherever_the_fault_is(document):
    """In the sample of each operation, each field is replaced by each wrong value, left out, or
    joined by another.
    """
    refused = 0
    for method, path, sample, schema in samples(document.whole):
        judge = Draft202012Validator({**schema, "components": document.whole["components"]})
        for body in (sample, *mutations(sample)):
            assert document.is_valid(schema, body) == judge.is_valid(body), (method, path, body)
            refused += not judge.is_valid(body)
    assert refused > 1000


def samples(whole):
    """Yield (method, path, sample, schema) of some operations: their schemas share the parts of all
    others.
    """
    for path in (
        "/api/v1/contacts",
        "/api/v1/contacts/{id}",
        "/api/v1/invoices/{id}",
        "/api/v1/booths",
    ):
        for method in whole["paths"][path].keys() & {"get", "patch", "post"}:
            for response in whole["paths"][path][method]["responses"].values():
                media = response.get("content", {}).get("application/json", {})
                if "example" in media:
                    yield method, path, media["example"], media["schema"]


def mutations(value):
    """Yield the value with one fault, at any depth."""
    if isinstance(value, dict):
        yield {**value, "unknown": 1}
        for name, part in value.items():
            yield {other: value[other] for other in value if other != name}
            for changed in (*WRONG, *mutations(part)):
                yield {**value, name: changed}
    elif isinstance(value, list) and value:
        for changed in (*WRONG, *mutations(value[0])):
            yield [changed, *value[1:]]
