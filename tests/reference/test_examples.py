"""The examples of actions show the record as it is afterwards, secrets are shown once, and ids say
what of.
"""

import importlib.util
import re

import pytest

from eventapi.reference import document as openapi
from tests.support import sample_records
from tests.support.examples import SHOWN_ONCE, collections, updates
from tests.support.shared_app import SharedApp

DOCUMENT = openapi.document(None)
TABLES = {tag["name"]: tag["x-transitions"] for tag in DOCUMENT["tags"] if "x-transitions" in tag}
# Kind of record in `x-transitions` -> field of the record that has its state
FIELDS = {"contract": "contract_status", "signature": "esign_status"}
# Values that depend on the day, on the organiser who sends, and on the template of the test
VARIES = re.compile(r"\w+_at|\w+_date|\w*badge_number|overdue_from|seller|buyer|content")


def actions():
    """Yield the path of each action, with the kinds of records of which a state table has it."""
    for path, methods in DOCUMENT["paths"].items():
        tag, name = methods.get("post", {}).get("tags", [None])[0], path.rpartition("/")[2]
        kinds = [
            kind
            for kind, table in TABLES.get(tag, {}).items()
            if name in table and "}/" in path and ("/items/" in path) == (kind == "item")
        ]
        if kinds:
            yield path, kinds


ACTIONS = dict(actions())


def example(path, method="post"):
    answer = next(
        answer
        for status, answer in DOCUMENT["paths"][path][method]["responses"].items()
        if status[0] == "2"
    )
    return answer["content"]["application/json"]["example"]["data"]


def test_the_actions_are_those_of_every_state_table():
    assert len(ACTIONS) >= 40 and {len(kinds) for kinds in ACTIONS.values()} == {1, 2}


@pytest.mark.parametrize("path", ACTIONS)
def test_the_example_of_an_action_has_the_state_that_it_leads_to(path):
    (tag,) = DOCUMENT["paths"][path]["post"]["tags"]
    name = path.rpartition("/")[2]
    for kind in ACTIONS[path]:
        end = TABLES[tag][kind][name]["to"]
        if end and name != "refund":  # the refund in the example is partial
            record = example(path)["items"][0] if kind == "item" else example(path)
            assert record[FIELDS.get(kind, "status")] == end


def test_the_example_of_a_refund_agrees_with_its_request():
    path = "/api/v1/payments/{id}/refund"
    sent = DOCUMENT["paths"][path]["post"]["requestBody"]["content"]["application/json"]["example"]
    payment = example(path)
    (refund,) = payment["refunds"]
    assert (
        sent.items() <= refund.items()
        and payment["refunded_amount"] == sent["amount"] < payment["amount"]
    )
    assert payment["status"] == "completed"


def test_the_example_of_a_credit_is_a_credit_note():
    note = example("/api/v1/invoices/{id}/credit")
    assert (
        note["invoice_type"] == "credit_note" and note["total"] < 0 and note["related_invoice_id"]
    )


@pytest.mark.parametrize("path", ACTIONS)
def test_the_example_of_an_action_is_what_a_server_returns(tmp_path, template, path):
    operation = DOCUMENT["paths"][path]["post"]
    if "501" in operation["responses"] and importlib.util.find_spec("reportlab") is None:
        pytest.skip("needs reportlab")
    body = (
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("example")
    )
    with SharedApp(tmp_path, template) as app:
        sample_records.prepare(app, path, "post")
        real = app.organiser.post(re.sub(r"{\w+}", "1", path.removeprefix("/api/v1")), body).json[
            "data"
        ]
    assert comparable(real) == comparable(example(path))


def comparable(value):
    """Return a value in which only null tells what varies apart.

    A hold on a booth may or may not end.
    """
    if isinstance(value, dict):
        return {
            name: part is not None if VARIES.fullmatch(name) else comparable(part)
            for name, part in value.items()
            if name not in ("expires_at", "size", "sha256", "signature_sha256", "xml_sha256")
        }
    if isinstance(value, list):
        return [comparable(part) for part in value]
    return re.sub(r"-20\d\d-", "-YEAR-", value) if isinstance(value, str) else value


@pytest.mark.parametrize("singular", SHOWN_ONCE)
def test_a_secret_is_in_the_examples_of_creation_and_rotation_only(singular):
    field, path = SHOWN_ONCE[singular], collections()[singular]
    rotation = next(
        path
        for path in DOCUMENT["paths"]
        if path.startswith(f"{collections()[singular]}/{{id}}/rotate")
    )
    assert example(path)[field] and example(rotation)[field]
    below = f"{path}/{{id}}"
    assert {example(below, method.lower())[field] for method in ("GET", *updates(singular))} == {
        None
    }
    assert example(path, "get")[0][field] is None


# Part of a path -> what its id is of, where the part is no plural
NOUNS = {
    "newsletter": "newsletter subscriber",
    "audit-log": "audit entry",
    "bulk-import": "bulk import",
    "unmatched": "transaction",
    "{entity_type}": "record",
}


def test_the_text_of_an_id_in_a_path_names_the_record_of_the_part_before_it():
    found = 0
    for path, methods in DOCUMENT["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and parameter["name"].endswith("id"):
                    part = path.partition(f"/{{{parameter['name']}}}")[0].rpartition("/")[2]
                    noun = NOUNS.get(part) or re.sub("ies$", "y", part).removesuffix("s").replace(
                        "-", " "
                    )
                    assert re.search(
                        rf"(Id|Number) of the ([a-z]+ )?{noun}[.,]", parameter["description"]
                    ), path
                    found += 1
    assert found > 100
