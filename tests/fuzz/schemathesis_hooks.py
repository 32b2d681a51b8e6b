"""Hooks of schemathesis (`make schemathesis`): values for our formats, and the complaints that
stay, with the reason.

schemathesis.toml loads this module. It runs in the environment of schemathesis and imports nothing
of eventapi.
"""

import re
from uuid import uuid4

import jsonschema_rs
import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import AcceptedNegativeData, RejectedPositiveData

# OpenAPI has no formats for these; the document names them and describes them in words.
FORMATS = {
    "clock": ["00:00", "09:30", "23:59"],
    "timezone": ["UTC", "Europe/Berlin", "America/St_Johns"],
    "country": ["DE", "FR", "US"],
    "currency": ["EUR", "JPY", "KWD"],
    "language": ["de", "de-AT", "zh-Hant-TW"],
    "available-language": ["de", "en", "de-AT"],
    "url": ["https://example.org/", "http://example.org:81/a?b=%20#c"],
    "day-or-moment": ["2026-05-01", "2026-05-01T09:00:00Z", "2026-03-29T02:30:00.5+0200"],
    "line": ["A", "Garden Fair 2027", "Ärzte & Söhne", "x-1"],
    "website": ["https://example.org/", "www.example.org"],
    "iban": ["DE02120300000000202051", "gb29 NWBK 6016 1331 9268 19"],
    "bic": ["BYLADEM1001", "COBADEFF"],
    "tax-id": ["DE136695976", "231/123/45678"],
    "vat-id": ["DE136695976", "ATU13585627"],
    "leitweg-id": ["04011000-1234512345-06", "991-03730-19"],
    "gln": ["4012345000009"],
    "electronic-address": ["0208:0428759497", "EM:a@b.example"],
    "creditor-reference": ["RF18539007547034"],
    "cursor": [""],  # any other cursor comes from a response
    "json-object": ["{}", '{"Firma": "company_name", "x": null}'],
}
for name, values in FORMATS.items():
    schemathesis.openapi.format(name, st.sampled_from(values))

# Why a request that fits its schema may be refused: code of the problem, or of each of its errors
# -> reason.
RULES = {
    "precondition_failed": "no invented ETag is that of a record",
    "not_installed": "no font of this machine has the characters that were sent",
    "malformed_json": "a number beyond 10^30, closer to zero than 10^-30, or an integer beyond 64 bits",
    "unique": "the formats of invoices and credit notes must differ, which depends on the other one",
    "unknown": "invented ids and keys name no record",
    "disagrees": "an id and a key name the same record; OpenAPI cannot say that they agree",
    "any_of": "at least one of several fields is required; as `anyOf`, generators would split the class of the body",
    "required": "a field is required together with another, or in a state of the record",
    "excluded": "OpenAPI cannot say that `page` and `after` exclude each other",
    "in_body": "OpenAPI cannot say that the parameters of an import belong to one of its media types",
    "enum": "a new record may be in some states only, which are fewer than those of all records",
    **dict.fromkeys(
        (
            "maximum",
            "minimum",
            "step",
            "impossible_price",
            "too_many",
            "too_large",
            "too_long",
            "too_deep",
        ),
        "limits that depend on the record, such as the largest quantity of a service",
    ),
    "cursor": "a cursor of the webhook feed is the id of an event",
    **dict.fromkeys(
        ("min_items", "max_items", "max_properties"), "a file in CSV is any text for OpenAPI"
    ),
    "min_length": "a text of blanks is empty once it is trimmed",
    "format": "headers that a webhook sends are ASCII, and settings have the syntax of eventapi.conf",
    **dict.fromkeys(
        ("max_length", "read_only", "unknown_field"),
        "a list of the settings is limited as one text, and only commands name what is no setting",
    ),
    "type": "numbers in a query are written in digits, without an exponent",
    "fixed": "a field that can be set, and not be changed afterwards",
    **dict.fromkeys(
        (
            "unexpected",
            "not_for_input",
            "not_offered",
            "not_reserved",
            "not_available",
            "other_event",
            "other_role",
            "role",
            "not_a_host",
            "empty",
            "no_template",
            "by_action",
            "follows_reservations",
            "is_active",
            "is_searchable",
            "incomplete",
            "inactive",
            "no_event",
            "not_searchable",
            "forbidden",
            "nothing",
            "not_for_kind",
            "several_events",
            "not_sent",
        ),
        "what a field may hold depends on the other records, and on the state of this one",
    ),
    **dict.fromkeys(
        (
            "before_start",
            "future",
            "past",
            "later",
            "out_of_range",
            "no_such_time",
            "same_time",
            "overlap",
            "date",
            "before_request",
            "before_payment",
            "before_issue",
            "after_refund",
        ),
        "dates have an order, and lie before or after today",
    ),
    **dict.fromkeys(
        (
            "decimals",
            "tax_category",
            "mixed_taxes",
            "negative_total",
            "positive_total",
            "refunded",
            "below_minimum",
            "less_than_minimum",
            "moved",
        ),
        "amounts have the decimals of their currency, and sums have limits",
    ),
    **dict.fromkeys(
        ("repeated", "same", "duplicate", "reserved", "running_series", "cycle"),
        "names and numbers are used once, and nothing is part of itself",
    ),
    **dict.fromkeys(
        (
            "formula",
            "placeholder",
            "attribute",
            "misplaced",
            "not_allowed",
            "entity",
            "unclosed",
            "unopened",
            "characters",
            "broken_picture",
            "picture_format",
            "content_type",
            "extension",
            "file",
            "refused",
            "unreadable",
            "statement",
            "ambiguous_number",
            "ambiguous_dates",
            "no_columns",
            "damaged_file",
            "too_many_files",
            "empty_archive",
            "archive_in_archive",
            "unusual_archive",
            "encrypted_archive",
            "file_too_large",
            "no_statement",
            "camt_054",
            "camt_version_1",
            "balance_missing",
            "balance_differs",
            "unreadable_value",
            "columns_missing",
            "unknown_columns",
            "no_header",
            "several_accounts",
            "cut_off",
            "too_many_entries",
            "reading_stopped",
            "pdf",
            "mt940",
            "ofx",
            "qif",
            "workbook",
            "unknown_placeholder",
        ),
        "formulas, markup, files and addresses of webhooks have a grammar of their own",
    ),
    **dict.fromkeys(
        (
            "account",
            "foreign_account",
            "unknown_account",
            "other_account",
            "account_required",
            "future_booking",
            "unknown_currency",
            "no_account",
            "currency",
            "credit_note",
            "debit",
            "discount",
            "sign",
        ),
        "what may be booked depends on the accounts of the organiser, and on invoices and transactions",
    ),
    "iban": "an IBAN has check digits",
    "fits_everything": "a rule for bank transactions needs a word of three letters or digits in one of two fields",
    "no_digit": "the first number of a row of booths counts up; a pattern would refuse what only counts of 1 allow",
    "order": "the days of levels of dunning rise with the level",
    **dict.fromkeys(
        ("date_to", "month", "year"),
        "periods end after they begin, and reports need them in one year",
    ),
}


DOCUMENT = {}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Keep the document, and add the small object that `Prefer: return=minimal` asks for to the
    responses of writes.

    The document describes it in words: as an alternative in each schema, it would force every
    client that was generated from it to tell the two apart after every write.
    """
    DOCUMENT.update(raw_schema)
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            parameters = {parameter["name"]: parameter for parameter in operation["parameters"]}
            if "field_mapping" in parameters:
                parameters["field_mapping"]["schema"]["format"] = "json-object"
            if "Prefer" in parameters:
                for response in operation["responses"].values():
                    _allow_minimal(response)


def _allow_minimal(response):
    media = response.get("content", {}).get("application/json", {})
    name = media.get("schema", {}).get("$ref", "").rpartition("/")[2]
    if name:
        envelope = DOCUMENT["components"]["schemas"][name]
        data = {"anyOf": [envelope["properties"]["data"], {"$ref": "#/components/schemas/Minimal"}]}
        media["schema"] = {**envelope, "properties": {**envelope["properties"], "data": data}}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Let most writes reach their rules: invented ETags match no record, and invented keys repeat."""
    headers = case.headers or {}
    key = headers.get("Idempotency-Key")
    if key and re.fullmatch("[!-~]{1,200}", key):
        headers["Idempotency-Key"] = f"{key}{uuid4()}"
    if "If-Match" in headers and uuid4().int % 4:
        del headers["If-Match"]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Return False for a complaint that has a reason, True for any other."""
    if isinstance(failure, RejectedPositiveData):
        return not _has_reason(case, response)
    return not (
        isinstance(failure, AcceptedNegativeData)
        and (
            _is_valid_once_trimmed(case)
            or _is_refused_in_part(case, response)
            or _is_valid_as_sent(case)
        )
    )


def _is_valid_as_sent(case):
    """Return whether the query is valid in the form in which it was sent: a single id is a list of
    one.

    A parameter without a value is not sent at all.
    """
    operation = DOCUMENT["paths"][case.operation.path][case.operation.method.lower()]
    schemas = {
        parameter["name"]: parameter["schema"]
        for parameter in operation["parameters"]
        if parameter["in"] == "query"
    }
    sent = {
        name: value for name, value in (case.query or {}).items() if value not in (None, [], {})
    }
    lists = {
        name
        for name in sent
        if schemas.get(name, {}).get("type") == "array" and not isinstance(sent[name], list)
    }
    return (
        bool(lists)
        and case.operation.method == "GET"
        and all(
            name in schemas
            and jsonschema_rs.Draft202012Validator(
                {**schemas[name], "components": DOCUMENT["components"]}
            ).is_valid([value] if name in lists else value)
            for name, value in sent.items()
        )
    )


def _is_refused_in_part(case, response):
    """Return whether a batch of scans, each of which is judged by itself, is 200 and contains a
    refused one.
    """
    if case.operation.path != "/api/v1/check-ins/batch" or response.status_code != 200:
        return False
    return any(result["status"] == 422 for result in response.json()["data"]["results"])


def _has_reason(case, response):
    """Return whether a rule that OpenAPI cannot express refuses the request."""
    if response.status_code == 414:
        return (
            True  # the address is longer than 8,190 bytes, a limit of the whole and of no parameter
        )
    problem = response.json()
    found = [
        entry["code"] for entry in problem.get("errors", ()) if not _is_custom_field(entry, case)
    ]
    if not problem.get("errors"):
        found = [problem["code"]]
    return all(code in RULES for code in found)


def _is_custom_field(entry, case):
    """Return whether an error is about a custom field: organisers define its type, which no
    document can tell.
    """
    values = case.operation.path == "/api/v1/custom-fields/{entity_type}/{id}"
    return values or entry.get("pointer", "").startswith("/custom_fields")


def _is_valid_once_trimmed(case):
    """Return whether a body is valid after its texts are trimmed and empty ones are null, which is
    how it is read.

    OpenAPI cannot say so: a pattern that allows blanks would allow them in responses too.
    """
    operation = DOCUMENT["paths"][case.operation.path][case.operation.method.lower()]
    media = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if media is None or not isinstance(case.body, dict):
        return False
    schema = {**media["schema"], "components": DOCUMENT["components"]}
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    return validator.is_valid(_trimmed(case.body, None)) or validator.is_valid(
        _trimmed(case.body, "")
    )


def _trimmed(value, empty):
    """Return the value as the service reads it. `empty` replaces empty texts."""
    if isinstance(value, str):
        return value.strip() or empty
    if isinstance(value, dict):
        return {name: _trimmed(part, empty) for name, part in value.items()}
    return [_trimmed(part, empty) for part in value] if isinstance(value, list) else value
