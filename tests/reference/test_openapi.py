"""/openapi.json is valid and complete, and its examples match real responses."""

import json
import re

import pytest
from jsonschema import Draft202012Validator

from eventapi import paths
from eventapi.app import routes
from eventapi.errors import CODES
from eventapi.reference import document as openapi
from eventapi.resources import CATALOGUE
from eventapi.validation.schema_files import resource_names
from eventapi.validation.validators import CHECKER
from tests.load import examples, reads
from tests.support.examples import OF_THE_YEAR, collections, make_verbatim, without_secrets
from tests.support.shared_app import SharedApp

METHODS = {"get", "post", "put", "patch", "delete"}
# Values that no example can contain: caller, address, time and random values.
VARIES = re.compile(
    r"ref|admin_(id|name)|floor_plan_svg|unsubscribe_url|\w+_at|\w*badge_number|.*token.*|.*secret.*|"
    + "|".join(OF_THE_YEAR)
)
CREATIONS = sorted(collections())


@pytest.fixture(scope="module")
def document(tmp_path_factory, template):
    with SharedApp(tmp_path_factory.mktemp("shared"), template) as shared:
        yield shared.document


@pytest.fixture
def fresh(tmp_path, template):
    """Return an app with an empty database."""
    with SharedApp(tmp_path, template) as fresh:
        yield fresh


def operations(document):
    return [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for part in node.values():
            yield from references(part)
    elif isinstance(node, list):
        for part in node:
            yield from references(part)


def test_the_document_lists_exactly_the_routes(document):
    there = {
        (method.upper(), re.sub(r"{(\w+)}", r"<\1>", path))
        for path, method, _ in operations(document)
    }
    assert there == {
        (route.method, re.sub(r"<(\w+)[^>]*>", r"<\1>", route.path))
        for route in routes()
        if not route.options.page
    }


def test_every_reference_resolves(document):
    for reference in set(references(document)):
        node = document
        assert reference.startswith("#/")
        for part in reference[2:].split("/"):
            node = node[part]


def test_the_document_has_the_structure_of_openapi_3_1(document):
    assert (
        document["openapi"].startswith("3.1.")
        and document["info"]["title"]
        and document["info"]["version"]
    )
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names), "two operations have the same name"
    tags = {tag["name"] for tag in document["tags"]}
    for path, method, operation in operations(document):
        where = f"{method} {path}"
        assert method in METHODS and operation["summary"] and operation["responses"], where
        assert set(operation["tags"]) <= tags, where
        parameters = [(parameter["in"], parameter["name"]) for parameter in operation["parameters"]]
        assert len(set(parameters)) == len(parameters), where
        assert {name for place, name in parameters if place == "path"} == set(
            re.findall(r"{(\w+)}", path)
        ), where
        assert all(parameter["schema"] for parameter in operation["parameters"]), where
        for status, response in operation["responses"].items():
            assert 200 <= int(status) < 600 and ("$ref" in response or response["description"]), (
                where
            )


def test_every_operation_below_the_root_lists_scope_flag_and_errors(document):
    by_place = {
        (route.method.lower(), re.sub(r"<(\w+)>", r"{\1}", route.path)): route for route in routes()
    }
    for path, method, operation in operations(document):
        route = by_place[method, path]
        if route.options.public:
            assert operation["security"] == []
            continue
        assert (
            operation["x-scope"] == route.options.scope
            and operation.get("x-flag") == route.options.flag
        )
        assert {"401", "403", "406", "422", "429", "500"} <= operation["responses"].keys()
        assert ("404" in operation["responses"]) >= ("{" in path)
        assert method == "get" or {"503", "507"} <= operation["responses"].keys()


def test_every_problem_example_is_returned_by_the_api(document):
    seen = set()
    for response in document["components"]["responses"].values():
        # 414 and 431 have none
        examples = response["content"]["application/problem+json"].get("examples", {})
        for code, example in examples.items():
            status, title, _ = CODES[code]
            assert (
                example["value"]["status"],
                example["value"]["title"],
                example["value"]["code"],
            ) == (status, title, code)
            validate(document, {"$ref": "#/components/schemas/Problem"}, example["value"])
            seen.add(code)
    assert seen <= set(CODES)


# What generators of clients need


def parts(node):
    """Yield every object in a JSON value."""
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from parts(part)


def bodies(document):
    """Return name -> schema of every component that a request body uses, directly or through
    another component.
    """
    schemas, found = document["components"]["schemas"], {}
    waiting = {
        reference.rpartition("/")[2]
        for _, _, operation in operations(document)
        for reference in references(operation.get("requestBody", {}))
    }
    while waiting:
        name = waiting.pop()
        found[name] = schemas[name]
        waiting |= {
            reference.rpartition("/")[2] for reference in references(schemas[name])
        } - found.keys()
    return found


def test_request_schemas_have_only_writable_fields_and_no_alternatives(document):
    for name, schema in bodies(document).items():
        for part in parts({key: value for key, value in schema.items() if key != "examples"}):
            assert (
                part.get("readOnly") is not True and True not in part.get("properties", {}).values()
            ), name
            assert not {"oneOf", "allOf"} & part.keys(), name
        for field, sub in schema.get("properties", {}).items():
            assert "default" not in sub, (
                f"{name}.{field}: generators make a field with a default required"
            )


def test_every_component_with_fields_is_an_object(document):
    for name, schema in document["components"]["schemas"].items():
        assert "properties" not in schema or "object" in schema["type"], name


def test_the_document_refuses_what_the_service_refuses_and_nothing_else(document, fresh):
    """An empty list in a query, a key that is not visible, and an empty file are refused, any
    Prefer is not.
    """
    for path, method, operation in operations(document):
        schemas = {parameter["name"]: parameter["schema"] for parameter in operation["parameters"]}
        for name, schema in schemas.items():
            assert schema.get("type") != "array" or schema["minItems"] == 1, (
                f"{method} {path}: {name}"
            )
        for parameter in (part for part in operation["parameters"] if part["in"] == "query"):
            for schema in (parameter["schema"], parameter["schema"].get("items", {})):
                assert schema.get("type") != "integer" or schema["maximum"] < 2**63, (
                    f"{path}: {parameter['name']}"
                )
        assert "enum" not in schemas.get("Prefer", {})
    person, note = fresh.organiser, document["paths"]["/api/v1/notes"]["post"]
    assert "errors" in person.get("/events?ids=", status=422).json
    keys = {parameter["name"]: parameter["schema"] for parameter in note["parameters"]}[
        "Idempotency-Key"
    ]
    for key, status in (("a b", 422), ("ä", 422), ("x" * 256, 422), ("x" * 255, 201), ("!~", 201)):
        headers = {"Idempotency-Key": key, "Prefer": "respond-async"}
        person.post("/events", {"title": "Fair"}, headers=headers, status=status)
        assert bool(re.search(keys["pattern"], key)) == (status == 201)
    body = document["paths"]["/api/v1/documents/{id}/content"]["put"]["requestBody"]["content"]
    assert {media["schema"]["minLength"] for media in body.values()} == {1}


def test_parameters_have_no_default_that_a_generated_client_would_always_send(document):
    """`page` beside `after` is refused, so a client must not send it on its own."""
    for path, method, operation in operations(document):
        for parameter in operation["parameters"]:
            assert "default" not in parameter["schema"], f"{method} {path}: {parameter['name']}"


def test_every_component_has_its_own_name_as_title(document):
    for name, schema in document["components"]["schemas"].items():
        assert schema.get("title", name) == name


def test_every_body_and_array_has_a_schema(document):
    for path, method, operation in operations(document):
        for part in (operation.get("requestBody", {}), *operation["responses"].values()):
            for form, media in part.get("content", {}).items():
                assert media.get("schema"), f"{method} {path}: {form}"
    for name, schema in document["components"]["schemas"].items():
        for part in parts(schema):
            assert part.get("type") != "array" or "items" in part, name


READING = ("check_invoice", "preview_mail")  # operations that are a POST and change nothing


def test_every_operation_says_what_it_does_and_needs(document):
    for path, method, operation in operations(document):
        assert operation["description"], f"{method} {path}"
        if operation.get("x-scope") not in (None, "all", "by_entity_type", "none"):
            reads = method == "get" or operation["operationId"] in READING
            suffix = ":read" if reads else ""
            assert f"`{operation['x-scope']}{suffix}`" in operation["description"]


def test_names_of_operations_and_tags_are_spelt_in_one_way(document):
    for path, _, operation in operations(document):
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", operation["operationId"])
        (tag,) = operation["tags"]
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", tag)
        words = set(re.findall(r"[a-z]{4,}", path.partition("/v1/")[2] or path))
        assert any(word[:4] in operation["operationId"] for word in words) or path in (
            "/",
            "/api/v1/me",
            "/e/{event_key}.json",
        ), path


def test_internal_annotations_are_not_published(document):
    text = json.dumps(document["components"]["schemas"])
    assert '"x-' not in text and "$defs" not in text


def test_every_schema_of_the_document_is_valid(document):
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    used = {
        name
        for reference in references(document)
        for name in re.findall(r"^#/components/schemas/(\w+)$", reference)
    }
    assert set(document["components"]["schemas"]) - used <= {"Minimal"}


def validate(document, schema, value):
    validator = Draft202012Validator(
        {**schema, "components": document["components"]}, format_checker=CHECKER
    )
    error = next(validator.iter_errors(value), None)
    assert error is None, f"{list(error.absolute_path)}: {error.message}"


def test_every_example_fits_its_schema(document):
    found = 0
    for _, _, operation in operations(document):
        for part in (operation.get("requestBody", {}), *operation["responses"].values()):
            for media in part.get("content", {}).values():
                if "example" in media:
                    found += 1
                    validate(document, media["schema"], media["example"])
    assert found > 5 * len(CATALOGUE)


@pytest.mark.parametrize("singular", CREATIONS)
def test_the_examples_of_a_resource_match_real_responses(fresh, singular):
    """In an empty database, the documented body returns the documented response.

    So do the other examples after it.
    """
    whole, path, client = fresh.document, collections()[singular], fresh.organiser
    here, below = whole["paths"][path], whole["paths"][f"{path}/{{id}}"]
    record = make_verbatim(client, singular)
    promised = example(here["post"], "201")["data"]
    assert steady(without_secrets(singular, record)) == steady(
        without_secrets(singular, promised)
    ), "add `examples` to the schema of the fields that differ"
    address = f"{path}/{record['id']}"
    assert steady(client.data(address)) == steady(example(below["get"], "200")["data"])
    for operation in filter(None, [below.get("put")]):  # links have none: little of them can change
        whole_body = {
            member: record[member] if member in OF_THE_YEAR else value
            for member, value in body(operation).items()
        }
        assert client.put(address, whole_body, status=200).json["data"]["id"] == record["id"]
    changed = body(below["patch"])
    after = client.patch(address, changed, status=200).json["data"]
    assert {member: after[member] for member in changed if member in after} == {
        member: value for member, value in changed.items() if member in after
    }


def example(operation, status):
    return operation["responses"][status]["content"]["application/json"]["example"]


def body(operation):
    return operation["requestBody"]["content"]["application/json"]["example"]


def steady(value):
    """Return the value without the parts that vary."""
    if isinstance(value, dict):
        return {
            member: steady(part) for member, part in value.items() if not VARIES.fullmatch(member)
        }
    return [steady(part) for part in value] if isinstance(value, list) else value


def test_every_resource_that_can_be_created_has_an_example(document):
    for path, method, operation in operations(document):
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        if method == "post" and "201" in operation["responses"] and schema:
            assert "example" in schema, f"add examples to the schema of {method} {path}"


def test_no_object_in_a_schema_file_has_a_key_twice():
    def as_dict(pairs):
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), names
        return dict(pairs)

    for file in paths.folder("schemas").glob("*.json"):
        json.loads(file.read_text(), object_pairs_hook=as_dict)


def test_every_schema_file_is_used(document):
    named = {
        (getattr(route.options, word) or "").partition(".")[0]
        for route in routes()
        for word in ("schema", "query", "response", "singular")
    }
    assert set(resource_names()) <= named


# resource -> noun -> action -> (states it is allowed from, state it leads to; None: the state does
# not change)
STATES = {
    "bank-statements": {
        "bank transaction": {
            "assign": (["open"], "assigned"),
            "ignore": (["open"], "ignored"),
            "reopen": (["ignored"], "open"),
        }
    },
    "participants": {
        "participant": {
            "confirm": (["registered"], "confirmed"),
            "unconfirm": (["confirmed"], "registered"),
            "reinstate": (["cancelled"], "registered"),
            "cancel": (["registered", "confirmed"], "cancelled"),
        },
    },
    "applications": {
        "application": {
            "review": (["new", "info_requested"], "in_review"),
            "approve": (["new", "in_review", "waitlisted"], "approved"),
            "reject": (["new", "in_review", "waitlisted"], "rejected"),
            "waitlist": (["new", "in_review"], "waitlisted"),
            "request-info": (["in_review"], "info_requested"),
            "answer": (["info_requested"], "in_review"),
            "withdraw": (["new", "in_review", "waitlisted", "info_requested"], "withdrawn"),
        },
    },
    "invoices": {
        "credit note": {
            "send": (["draft"], "sent"),
            "refresh": (["draft"], None),
            "cancel": ([], "cancelled"),
            "credit": ([], None),
            "offset": ([], None),
            "remind": ([], None),
            "write_off": ([], None),
            "mail": (["sent"], None),
            "dispute": ([], None),
            "settle": ([], None),
        },
        "invoice": {
            "send": (["draft"], "sent"),
            "refresh": (["draft"], None),
            "cancel": (["sent", "overdue", "paid"], "cancelled"),
            "credit": (["sent", "overdue", "partially_paid", "paid"], None),
            "offset": (["paid"], None),
            "remind": (["sent", "overdue", "partially_paid"], None),
            "write_off": (
                ["sent", "overdue", "partially_paid", "paid", "refunded", "written_off"],
                None,
            ),
            "mail": (
                [
                    "sent",
                    "overdue",
                    "partially_paid",
                    "paid",
                    "refunded",
                    "cancelled",
                    "written_off",
                ],
                None,
            ),
            "dispute": (["sent", "overdue", "partially_paid"], None),
            "settle": (
                [
                    "sent",
                    "overdue",
                    "partially_paid",
                    "paid",
                    "refunded",
                    "cancelled",
                    "written_off",
                ],
                None,
            ),
        },
    },
    "payments": {
        "payment": {
            "complete": (["pending"], "completed"),
            "fail": (["pending"], "failed"),
            "cancel": (["pending"], "cancelled"),
            "refund": (["completed"], "refunded"),
        },
    },
    "booth-reservations": {
        "booth reservation": {
            "confirm": (["pending"], "confirmed"),
            "cancel": (["pending", "confirmed", "waitlisted"], "cancelled"),
            "extend": (["pending"], None),
            "move": (["pending", "confirmed"], None),
            "swap": (["confirmed"], None),
        },
    },
    "service-orders": {
        "item": {
            "start": (["pending"], "in_progress"),
            "complete": (["in_progress"], "completed"),
            "cancel": (["pending", "in_progress"], "cancelled"),
        },
        "service order": {
            "submit": (["draft"], "submitted"),
            "confirm": (["submitted"], "confirmed"),
            "cancel": (["draft", "submitted", "confirmed"], "cancelled"),
        },
    },
    "tasks": {
        "task": {
            "start": (["pending"], "in_progress"),
            "complete": (["pending", "in_progress"], "completed"),
            "cancel": (["pending", "in_progress"], "cancelled"),
            "reopen": (["in_progress", "completed", "cancelled"], "pending"),
        },
    },
    "submissions": {
        "submission": {
            "submit": (["pending", "revision_requested", "rejected"], "submitted"),
            "approve": (["submitted"], "approved"),
            "reject": (["submitted"], "rejected"),
            "request-revision": (["submitted"], "revision_requested"),
        },
    },
    "documents": {
        "contract": {
            "request-signature": (["draft"], "pending_signature"),
            "mark-signed": (["pending_signature"], "active"),
            "decline": (["pending_signature"], "draft"),
            "expire": (["pending_signature"], "draft"),
            "void": (["pending_signature"], "draft"),
            "terminate": (["active"], "terminated"),
        },
        "signature": {
            "request-signature": (["pending", "declined", "expired", "voided"], "sent"),
            "view": (["sent"], "viewed"),
            "mark-signed": (["sent", "viewed"], "signed"),
            "decline": (["sent", "viewed"], "declined"),
            "expire": (["sent", "viewed"], "expired"),
            "void": (["sent", "viewed"], "voided"),
        },
    },
}


def test_the_document_contains_the_state_tables(document):
    found = {
        tag["name"]: {
            noun: {action: (move["from"], move["to"]) for action, move in table.items()}
            for noun, table in tag["x-transitions"].items()
        }
        for tag in document["tags"]
        if "x-transitions" in tag
    }
    assert found == STATES


def test_the_served_document_equals_the_printed_one(app, settings):
    served = app.get("/openapi.json", status=200)
    assert served.content_type == "application/json"
    printed = json.loads(json.dumps(openapi.document(settings.base_url)))
    for name in ("info", "externalDocs", "servers"):  # they have the address of the request
        assert printed.pop(name)
        assert served.json[name]
    assert {name: served.json[name] for name in printed} == printed
    app.get("/openapi.json", headers={"If-None-Match": served.headers["ETag"]}, status=304)


def test_no_list_of_values_names_one_twice_or_mixes_types():
    """Generators of clients make a name for each value, and one type for all of them."""

    def walk(part, place):
        if isinstance(part, dict):
            values = part.get("enum")
            if isinstance(values, list) and not place.endswith("/properties"):
                assert len({repr(value) for value in values}) == len(values), place
                assert len({type(value) for value in values} - {type(None)}) <= 1, place
            for name, value in part.items():
                walk(value, f"{place}/{name}")
        elif isinstance(part, list):
            for number, value in enumerate(part):
                walk(value, f"{place}/{number}")

    walk(openapi.document(None), "")


def test_make_load_has_a_value_for_every_filter(document):
    """`make load` measures each filter of each list, and it is not part of every run."""
    for path, parameters in reads.operations(document):
        if "per_page" in parameters and path not in examples.LEFT_OUT:
            reads.filters(path, parameters)
