"""The responses of operations: those of success, with schema and example, and the problems of each
status.
"""

from eventapi.errors import CODES
from eventapi.plugins.access import READS
from eventapi.reference import problem_codes, results
from eventapi.reference.common import BINARY, TEXT, TOO_LONG, name_of, ref
from eventapi.reference.components import SUFFIX, Schemas
from eventapi.validation import examples
from eventapi.web.routes import JSON, Route

# Problem codes that the plugins can raise on every route, on routes with a body, and on writes.
ALWAYS = (
    "malformed_request",
    "validation_failed",
    "missing_credentials",
    "invalid_api_key",
    "plan_required",
    "insufficient_scope",
    "not_acceptable",
    "rate_limited",
    "internal_error",
    "unhealthy",
)
WITH_BODY = ("malformed_json", "body_too_large", "unsupported_media_type", "unavailable")
ON_WRITE = ("database_busy", "insufficient_storage")
MEANINGS = {
    200: "Success.",
    201: "Created. `Location` is the address of the new record.",
    202: "Accepted. The work continues in the background.",
    204: "Success, without a body.",
    302: "Redirect to `Location`.",
}
OF_CSV = (
    "With `Accept: text/csv`, all pages of the list as one CSV table (RFC 4180, UTF-8, with a header row): "
    "fields of parts are columns such as `position.x`, and values of a list are joined with `|`."
)


def responses(route: Route, schemas: Schemas) -> dict[str, dict]:
    """Return the responses of success, with 304 for a single record: status -> response."""
    options = route.options
    status = options.status or default_status(route)
    is_single = route.method == "GET" and not options.listing and not options.public
    response = {
        "description": MEANINGS[status] + f" {OF_CSV}" * options.listing,
        "headers": headers(
            *["Location"] * (status in (201, 302)),
            *["Link"] * options.listing,
            *["ETag"] * (is_single or returns_record(route)),
            *["Vary"] * (len(options.offered) > 1),
            *["Preference-Applied"] * returns_record(route),
            *["Accept-Ranges", "Content-Disposition"] * options.ranges,
        ),
    }
    if status != 204:
        response["content"] = {form: media(form, route, schemas) for form in options.offered}
    found = {str(status): response}
    if options.again:
        found[str(options.again)] = {**response, "description": MEANINGS[options.again]}
    if options.ranges:
        found["206"] = {
            **response,
            "description": "The part of the file that `Range` asks for.",
            "headers": {**response["headers"], **headers("Content-Range")},
        }
    if options.lost_page:
        found["404"] = {
            **response,
            "description": "A page that says that this address does not exist.",
        }
    if is_single:
        found["304"] = {"description": "Not modified: the ETag in `If-None-Match` is still valid."}
    return found


def headers(*names: str) -> dict[str, dict]:
    """Return references to these headers and X-Request-ID."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-ID", *names)}


def returns_record(route: Route) -> bool:
    """Return whether the route is a write that returns JSON, so that it has an ETag and reads
    `Prefer`.
    """
    return route.method in SUFFIX and JSON in route.options.offered


def default_status(route: Route) -> int:
    """Return 201 for a POST of a record, 204 for DELETE, otherwise 200."""
    creates = route.method == "POST" and route.options.schema and "." not in route.options.schema
    return 201 if creates else {"DELETE": 204}.get(route.method, 200)


def media(form: str, route: Route, schemas: Schemas) -> dict:
    """Return the content of a response in one media type, with schema and example."""
    if form != JSON:
        return {"schema": TEXT if form.startswith("text/") or form.endswith("xml") else BINARY}
    options = route.options
    if options.public and options.response in (None, *PUBLIC):
        name = options.response
        return {"schema": schemas.ready(name, PUBLIC[name]) if name else {"type": "object"}}
    name, listing = options.response or options.singular, options.listing
    example = results.example(route)
    found = {"schema": envelope(name, listing, schemas)}
    if example is not None:
        found["example"] = examples.envelope(example, listing=listing)
        found["example"]["meta"].update(OF_FEED if name == FEED else {})
    return found


def envelope(name: str, listing: bool, schemas: Schemas) -> dict:
    """Return a reference to the schema of a response with `data` and `meta`: ContactResponse,
    ContactListResponse.
    """
    data = schemas.response(name, listing)
    if listing:
        data = {"type": "array", "items": data}
    meta = "ListMeta" if listing else "FeedMeta" if name == FEED else "Meta"
    return schemas.ready(
        f"{name}.list_response" if listing else f"{name}.response",
        {
            "type": "object",
            "properties": {"data": data, "meta": ref(meta)},
            "required": ["data", "meta"],
            "additionalProperties": False,
        },
    )


# Response of the feed of events, whose `meta` has further fields -> an example of these
FEED = "webhook.messages"
OF_FEED = {"per_page": 20, "next": "evt_12_1809162000", "more": False, "missed": False}
# JSON of routes outside the root, which has no envelope: name of the component -> schema
PUBLIC = {
    "health": {
        "type": "object",
        "properties": {
            "status": {**TEXT, "description": "`ok`."},
            "database": {**TEXT, "description": "`ok`."},
            "worker_age_seconds": {
                "type": ["integer", "null"],
                "description": "Age of the worker's last sign of life. `null` if it has never run.",
            },
            "disk": ref("HealthDisk"),
        },
        "required": ["status", "database", "worker_age_seconds", "disk"],
    },
    "openapi_document": {
        "type": "object",
        "additionalProperties": True,
        "description": "An OpenAPI document.",
    },
}


# Problems

# routes without an id: the query names records that must exist, or there may be no such picture
MAY_LACK = {("GET", "/api/v1/invoices/print"), ("GET", "/api/v1/settings/logo")}


def codes_of(route: Route) -> set[str]:
    """Return the codes of the problems with which the route can respond."""
    options = route.options
    if options.public:
        return problem_codes.codes(route.handler) | {"internal_error", "rate_limited"}
    possible = {*ALWAYS, *problem_codes.codes(route.handler)} - {"not_found"}
    may_lack = (route.method, route.path) in MAY_LACK
    if "<" in route.path or route.method == "DELETE" or may_lack:
        possible.add("not_found")
    if options.flag:
        possible.add("feature_disabled")
    if route.method not in READS:
        possible.update(ON_WRITE)
    if route.method in SUFFIX:
        possible.update(WITH_BODY)
    if route.method == "POST":
        possible.add("idempotency_key_reused")
    return possible


def refused(possible: set[str], problems: dict[str, list[str]]) -> dict[str, dict]:
    """Return the problem responses: status -> reference.

    Add them to `problems` (name -> codes), shared by operations with the same codes.
    """
    by_status = {}
    for code in CODES:
        if code in possible:
            by_status.setdefault(CODES[code][0], []).append(code)
    found = {}
    for status, codes in sorted(by_status.items()):
        problems[name_of(codes)] = codes
        found[str(status)] = {"$ref": f"#/components/responses/{name_of(codes)}"}
    return {
        **found,
        **{
            str(status): {"$ref": f"#/components/responses/{name}"}
            for name, (status, _) in TOO_LONG.items()
        },
    }
