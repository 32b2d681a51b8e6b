"""What generators of clients need of the OpenAPI document, checked at any depth."""

import pytest

from eventapi.reference import document as openapi

# Components that are one JSON value of several types; the contract says so.
SEVERAL_TYPES = {
    "TaskDue",
    "SubmissionTypeDue",
    "CustomFieldOption",
    "CustomFieldOptionInput",
    "InvoiceWay",
    "DunningWay",
}
# Objects whose fields nobody can list: rows, records of any kind, and your own names.
OPEN = {
    "AuditEntryNewValues",
    "AuditEntryOldValues",
    "BatchResultData",
    "BatchResultMeta",
    "BatchResultProblem",
    "BoothPriceBreakdown",
    "BoothReservationPriceBreakdown",
    "BulkImportContactsRecord",
    "BulkImportFieldMapping",
    "BulkImportParticipantsRecord",
    "ContactStored",
    "OpenapiDocument",
    "ReportOverviewDataTotal",
    "WebhookEventExampleData",
    "WebhookMessageData",
}


@pytest.fixture(scope="module")
def document():
    return openapi.document("https://api.example.org")


def schemas(document):
    """Yield (place, schema) of every schema: those of components, parameters, headers and contents,
    and their parts.
    """

    def below(place, schema):
        yield place, schema
        for field, sub in schema.get("properties", {}).items():
            yield from below(f"{place}.{field}", sub)
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                yield from below(f"{place}.{key}", schema[key])
        for sub in schema.get("anyOf", ()):
            yield from below(f"{place}.anyOf", sub)

    def found(place, node):
        for key, part in (
            node.items()
            if isinstance(node, dict)
            else enumerate(node)
            if isinstance(node, list)
            else ()
        ):
            if key == "schema":
                yield from below(place, part)
            elif key not in ("example", "examples"):
                yield from found(f"{place}/{key}", part)

    for name, schema in document["components"]["schemas"].items():
        yield from below(name, schema)
    yield from found("", {key: part for key, part in document.items() if key != "components"})


def test_alternatives_are_only_a_reference_or_null(document):
    for place, schema in schemas(document):
        assert not {"oneOf", "allOf", "not", "if", "patternProperties"} & schema.keys(), place
        if "anyOf" in schema:
            assert [*schema["anyOf"][0]] == ["$ref"] and schema["anyOf"][1:] == [
                {"type": "null"}
            ], place


def test_objects_and_enumerations_are_components(document):
    for place, schema in schemas(document):
        if place not in document["components"]["schemas"]:
            assert "properties" not in schema, place
            is_query = "/parameters/" in place
            assert (
                is_query or len([word for word in schema.get("enum", ()) if word is not None]) < 2
            ), place


def test_every_component_has_a_title_of_its_own(document):
    assert {schema["title"] for schema in document["components"]["schemas"].values()} == set(
        document["components"]["schemas"]
    )
    assert all(
        schema["title"] == name for name, schema in document["components"]["schemas"].items()
    )


def test_every_value_has_one_type_or_is_null(document):
    for place, schema in schemas(document):
        assert {"type", "$ref", "anyOf", "const"} & schema.keys(), f"{place} has no type"
        types = schema.get("type", [])
        if isinstance(types, list) and len(set(types) - {"null"}) > 1:
            name, _, field = place.partition(".")
            assert name in SEVERAL_TYPES or field.startswith(("value", "additionalProperties")), (
                place
            )
        assert schema.get("type") != "array" or schema.get("items"), place


def test_objects_list_their_fields_or_say_that_they_are_open(document):
    for name, schema in document["components"]["schemas"].items():
        if schema.get("type") == "object" and "properties" not in schema:
            assert isinstance(schema["additionalProperties"], dict) or name in OPEN, name


def test_files_are_binary_and_csv_is_text(document):
    forms = {}
    for item in document["paths"].values():
        for operation in item.values():
            for part in (operation.get("requestBody", {}), *operation["responses"].values()):
                for form, media in part.get("content", {}).items():
                    forms.setdefault(form, []).append(media["schema"])
    for form in ("application/pdf", "application/octet-stream", "image/png", "image/jpeg"):
        assert forms[form] and all(
            (schema["type"], schema["format"]) == ("string", "binary") for schema in forms[form]
        ), form
    assert all(
        schema["type"] == "string" and "format" not in schema for schema in forms["text/csv"]
    )


def bodies(document):
    """Yield the name of the component of every JSON body that is an object."""
    for item in document["paths"].values():
        for operation in item.values():
            media = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if media:
                yield media["schema"]["$ref"].rpartition("/")[2]


def test_defaults_are_optional_in_requests_and_always_in_responses(document):
    """`Default: …` in the description of a request field: it is not required there, and is required
    in the response.
    """
    components, found = document["components"]["schemas"], 0
    for name in set(bodies(document)):
        record = components.get(name.removesuffix("Create"), {}) if name.endswith("Create") else {}
        for field, sub in components[name].get("properties", {}).items():
            if "Default: `" not in sub.get("description", ""):
                continue
            found += 1
            assert field not in components[name].get("required", ()), f"{name}.{field}"
            assert field not in record.get("properties", {}) or field in record["required"], (
                f"{name}.{field}"
            )
    assert found > 50
    assert not [place for place, schema in schemas(document) if "default" in schema]


def test_a_response_requires_what_it_always_contains_at_any_depth(document):
    required = {
        name: set(schema.get("required", ()))
        for name, schema in document["components"]["schemas"].items()
    }
    assert {"quantity", "unit", "net", "tax_rate"} <= required["InvoiceItem"]
    assert required["InvoiceItemInput"] == {"description", "quantity", "unit_price"}
    assert {"name", "street", "vat_id"} <= required["InvoiceSeller"]
    assert required["EventOpeningHours"] == {"date", "opens", "closes"}


def test_responses_may_get_further_fields_and_bodies_may_not(document):
    components = document["components"]["schemas"]
    for name in bodies(document):
        assert components[name].get("additionalProperties") is not True, name
    assert components["ContactCreate"]["additionalProperties"] is False
    for name in (
        "Contact",
        "ContactListItem",
        "ContactListResponse",
        "InvoiceItem",
        "PaymentCreatedEvent",
        "Problem",
    ):
        assert "additionalProperties" not in components[name], name
    complete = openapi.built("https://api.example.org")[1]
    assert {
        "Contact",
        "ContactListItem",
        "ContactListResponse",
        "PaymentCreatedEvent",
    } <= complete, "tests use this"


def test_common_headers_statuses_and_forms_are_documented(document):
    content = document["paths"]["/api/v1/documents/{id}/content"]["get"]
    names = {parameter["name"] for parameter in content["parameters"]}
    assert {"Range", "If-Range", "If-None-Match"} <= names
    assert {"Content-Range", "Accept-Ranges", "ETag"} <= content["responses"]["206"][
        "headers"
    ].keys()
    assert "416" in content["responses"]
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert {"414", "431"} <= operation["responses"].keys(), path
            if method == "get" and {"page", "per_page"} <= {
                entry["name"] for entry in operation["parameters"]
            }:
                success = operation["responses"]["200"]
                assert "text/csv" in success["content"] and "text/csv" in success["description"], (
                    path
                )
            for status in ("200", "201"):
                response = operation["responses"].get(status, {})
                prefers = "Prefer" in {entry["name"] for entry in operation["parameters"]}
                assert not prefers or not response or "Preference-Applied" in response["headers"], (
                    path
                )
    assert (
        document["components"]["schemas"]["Problem"]["properties"]["type"]["format"]
        == "uri-reference"
    )
