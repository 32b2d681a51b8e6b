"""Hooks of schemathesis (`make schemathesis`): values for our formats, and the complaints that stay, with the reason.

schemathesis.toml loads this module. It runs in the environment of schemathesis and imports nothing of eventapi.
"""
import re
from uuid import uuid4

import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import RejectedPositiveData

# OpenAPI has no formats for these; the document names them and describes them in words.
FORMATS = {
    "clock": ["00:00", "09:30", "23:59"], "timezone": ["UTC", "Europe/Berlin", "America/St_Johns"],
    "country": ["DE", "FR", "US"], "currency": ["EUR", "JPY", "KWD"], "language": ["de", "de-AT", "zh-Hant-TW"],
    "available-language": ["de", "en", "de-AT"], "url": ["https://example.org/", "http://example.org:81/a?b=%20#c"],
    "day-or-moment": ["2026-05-01", "2026-05-01T09:00:00Z", "2026-03-29T02:30:00.5+02:00"],
    "cursor": [""],             # any other cursor comes from a response
}
for name, values in FORMATS.items():
    schemathesis.openapi.format(name, st.sampled_from(values))

# Why a request that fits its schema may be refused: code of the problem, or of each of its errors -> reason.
RULES = {
    "precondition_failed": "no invented ETag is that of a record",
    "not_installed": "no font of this machine has the characters that were sent",
    "malformed_json": "a number beyond 10^30, closer to zero than 10^-30, or an integer beyond 64 bits",
    "unknown": "invented ids and keys name no record",
    "disagrees": "an id and a key name the same record; OpenAPI cannot say that they agree",
    "any_of": "at least one of several fields is required; as `anyOf`, generators would split the class of the body",
    "required": "a field is required together with another, or in a state of the record",
    "excluded": "OpenAPI cannot say that `page` and `after` exclude each other",
    "in_body": "OpenAPI cannot say that the parameters of an import belong to one of its media types",
    "fixed": "a field that can be set, and not be changed afterwards",
    **dict.fromkeys(
        ("unexpected", "not_for_input", "not_offered", "not_reserved", "not_available", "other_event", "empty",
         "no_template", "by_action", "follows_reservations", "is_active", "is_searchable", "incomplete"),
        "what a field may hold depends on the other records, and on the state of this one"),
    **dict.fromkeys(
        ("before_start", "future", "past", "later", "out_of_range", "no_such_time", "same_time", "overlap", "date",
         "before_request", "before_payment", "after_refund"),
        "dates have an order, and lie before or after today"),
    **dict.fromkeys(
        ("decimals", "tax_category", "mixed_taxes", "negative_total", "positive_total", "refunded", "below_minimum",
         "less_than_minimum"),
        "amounts have the decimals of their currency, and sums have limits"),
    **dict.fromkeys(
        ("repeated", "same", "duplicate", "reserved", "running_series", "cycle"),
        "names and numbers are used once, and nothing is part of itself"),
    **dict.fromkeys(
        ("formula", "placeholder", "attribute", "misplaced", "not_allowed", "entity", "unclosed", "unopened",
         "characters", "broken_picture", "content_type", "extension", "file", "refused", "unreadable"),
        "formulas, markup, files and addresses of webhooks have a grammar of their own"),
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Add the small object that `Prefer: return=minimal` asks for to the responses of writes.

    The document describes it in words: as an alternative in each schema, it would force every client that was
    generated from it to tell the two apart after every write.
    """
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            if any(parameter["name"] == "Prefer" for parameter in operation["parameters"]):
                for response in operation["responses"].values():
                    _allow_minimal(response)


def _allow_minimal(response):
    envelope = response.get("content", {}).get("application/json", {}).get("schema", {})
    if "properties" in envelope:
        data = envelope["properties"]["data"]
        envelope["properties"]["data"] = {"anyOf": [data, {"$ref": "#/components/schemas/Minimal"}]}


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
    return not (isinstance(failure, RejectedPositiveData) and _has_reason(response))


def _has_reason(response):
    """Return whether a rule that OpenAPI cannot express refuses the request."""
    if response.status_code == 414:
        return True             # the address is longer than 8,190 bytes, a limit of the whole and of no parameter
    problem = response.json()
    found = [entry["code"] for entry in problem.get("errors", ())] or [problem["code"]]
    return all(code in RULES for code in found)
