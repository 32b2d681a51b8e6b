"""Create records from the examples of the schema files."""

from copy import deepcopy
from functools import lru_cache
from itertools import count

from eventapi.app import routes
from eventapi.validation.schema_files import definition, query_schema

# Fields that refer to another record: field, or (resource, field) -> (resource it refers to, field
# of that).
REFERENCES = {
    "event_id": ("event", "id"),
    "event_key": ("event", "event_key"),
    "event_keys": ("event", "event_key"),
    "contact_id": ("contact", "id"),
    "customer_number": ("contact", "customer_number"),
    "category_id": ("category", "id"),
    "category_key": ("category", "category_key"),
    "category_keys": ("category", "category_key"),
    "participant_id": ("participant", "id"),
    "event_participant_id": ("participant", "id"),
    "invoice_id": ("invoice", "id"),
    "invoice_number": ("invoice", "invoice_number"),
    "duplicate_id": ("contact", "id"),
    "plan_id": ("plan", "id"),
    "booth_id": ("booth", "id"),
    "formula_id": ("booth_formula", "id"),
    "booth_type_id": ("booth_type", "id"),
    "booth_type_key": ("booth_type", "booth_type_key"),
    ("document", "category_id"): ("document_category", "id"),
    ("document_template", "category_id"): ("document_category", "id"),
    "field_key": ("custom_field", "field_key"),
    "service_id": ("service", "id"),
    "service_key": ("service", "service_key"),
    ("submission", "type_id"): ("submission_type", "id"),
}
# entity_type -> resource, where the two differ.
ENTITIES = {"event_participant": "participant"}
# Unique fields besides the key of the resource: `body_for` makes them different each time.
OWN = {
    "contact": ("external_id",),
    "category": ("category_key",),
    "application": ("email",),
    "payment": ("transaction_id",),
    "schedule": ("location",),
    "booth": ("booth_number",),
    "booth_type": ("booth_type_key",),
    "booth_formula": ("name",),
    "newsletter_subscriber": ("email",),
}
# Fields that contain the current year, which an example cannot know.
OF_THE_YEAR = ("invoice_number",)
# Records that can be read after DELETE: singular -> their status then.
KEPT = {
    "booth_reservation": "cancelled",
    "link": "revoked",
    "newsletter_subscriber": "unsubscribed",
}
# Records that cannot be replaced by PUT, because most of their fields cannot change.
WITHOUT_PUT = {"link"}
# Secrets that only the response to POST shows: singular -> the field, which is null later.
SHOWN_ONCE = {"calendar_subscription": "url", "link": "url", "webhook": "secret"}
# Fields that say what a POST did, which GET lacks.
OUTCOMES = {"check_in": ["effect"]}
# Actions that a record needs before others may refer to it: (resource that refers, resource) ->
# action.
MADE_FIT = {("payment", "invoice"): "send"}
# Values that replace those of the example, because only a limited number of records may have the
# latter.
RARE = {"webhook": {"is_active": False}}
# Lists without a POST of their own: singular -> (path, example to send there).
FILLED_BY = {"bulk_import": ("/bulk-import/contacts", "bulk_import.contacts")}
NUMBERS = count(1)


def all_routes():
    """Return all routes that require a key."""
    return [route for route in routes() if not route.options.public]


@lru_cache(maxsize=None)
def collections():
    """Return singular -> path of the list where records are created, and below which each can be
    read by id.
    """
    known = {(route.method, route.path) for route in routes()}
    return {
        route.options.schema: route.path
        for route in routes()
        if route.method == "POST"
        and "<" not in route.path
        and "." not in (route.options.schema or ".")
        and ("GET", f"{route.path}/<id>") in known
    }


def example(name):
    """Return the first example of a schema, such as `event` or `contact.merge`."""
    examples = definition(name).get("examples")
    assert examples, (
        f"schemas/{name.partition('.')[0]}.json has no examples for {name}: add one that POST "
        f"accepts; if it refers "
        "to other records, see REFERENCES in tests/support/examples.py"
    )
    return examples[0]


def named_by(name, body):
    """Yield (object, field, resource, field of the resource) for each reference to another
    resource, at any depth.
    """
    for field, value in body.items():
        target, way = REFERENCES.get((name, field)) or REFERENCES.get(field, (None, None))
        if value is not None and target and target != name and target in collections():
            yield body, field, target, way
        for part in value if isinstance(value, list) else ():
            if isinstance(part, dict):
                yield from named_by(name, part)
    if "entity_type" in body and "entity_id" in body:
        yield body, "entity_id", ENTITIES.get(body["entity_type"], body["entity_type"]), "id"


def body_for(client, name, made=None):
    """Return a body that can be sent any number of times.

    Create the records that it refers to. Unique fields are new.

    `made` maps resources to the records created for this body, so that two records that it refers
    to share an event.
    """
    resource = name.partition(".")[0]
    body = deepcopy(example(name))
    made = {} if made is None else made
    for part, field, target, way in list(named_by(name, body)):
        if target not in made:
            made[target] = fit(client, resource, target, make(client, target, made))
        part[field] = [made[target][way]] if isinstance(part[field], list) else made[target][way]
    for field in body.keys() & set(OWN.get(name, ())):
        body[field] = f"{next(NUMBERS)}{body[field]}"
    body.update(RARE.get(name, {}))
    return {
        field: value for field, value in body.items() if REFERENCES.get(field, ("",))[0] != name
    }


def fit(client, resource, target, record):
    """Return the record in a state in which a `resource` may refer to it."""
    action = MADE_FIT.get((resource, target))
    return (
        client.post(f"{collections()[target]}/{record['id']}/{action}", status=200).json["data"]
        if action
        else record
    )


def make(client, singular, made=None):
    """Create a record and return it."""
    return client.make(collections()[singular], body_for(client, singular, made))


def updates(singular):
    """Return the methods that update a record."""
    return ("PATCH",) if singular in WITHOUT_PUT else ("PUT", "PATCH")


def as_read(singular, record):
    """Return a record that POST returned as GET returns it later: without secrets, and without what
    POST did.
    """
    found = without_secrets(singular, record)
    return {
        field: value for field, value in found.items() if field not in OUTCOMES.get(singular, ())
    }


def without_secrets(singular, record):
    """Return a record that POST returned as a repeated POST with the same Idempotency-Key returns
    it.
    """
    return {**record, SHOWN_ONCE[singular]: None} if singular in SHOWN_ONCE else record


def make_verbatim(client, singular, made=None):
    """Create the record of the unchanged example in an empty database, after the records that it
    refers to.
    """
    return client.make(collections()[singular], verbatim_body(client, singular, made))


def verbatim_body(client, singular, made=None):
    """Return the unchanged example, after creating the records that it refers to in an empty
    database.
    """
    body, made = deepcopy(example(singular)), {} if made is None else made
    for part, field, target, way in list(named_by(singular, body)):
        if target not in made:
            made[target] = fit(client, singular, target, make_verbatim(client, target, made))
        if field in OF_THE_YEAR:
            part[field] = made[target][way]
    return body


def address_of_list(client, route):
    """Return the path of a list.

    Create the parent record of a list below a record, such as its revisions.
    """
    singulars = {path: singular for singular, path in collections().items()}
    parent = route.path.partition("/<id>")[0]
    return (
        route.path
        if parent == route.path
        else route.path.replace("<id>", str(make(client, singulars[parent])["id"]))
    )


def query_for(client, route):
    """Return the required query of a list, or "". Create a record that it finds."""
    schema = query_schema(route.options.query, listing=route.options.listing)
    required = schema["required"] or schema.get("x-at", [])
    if not required:
        return ""
    record = make(client, route.options.singular)
    record["invoices"] = record["id"]  # the parameter of /invoices/print
    missing = [field for field in required if field not in record]
    assert not missing, (
        f"{route.method} {route.path} requires {missing}, which its records do not have: extend "
        f"tests/support/examples.py"
    )
    return "?" + "&".join(f"{field}={record[field]}" for field in required)
