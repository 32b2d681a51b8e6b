"""The `webhooks` of the OpenAPI document: the message of every outgoing event."""

from eventapi.domain.webhooks import event_types
from eventapi.reference.components import Schemas
from eventapi.validation.event_schemas import event_schema, may_be_erased
from eventapi.validation.schema_files import document, response_schema

# The tag of the messages. It is not `webhooks`, the tag of the routes below /webhooks: generators write
# all operations of a tag to one file, and OpenAPI Generator would overwrite the routes with the messages.
TAG = {
    "name": "webhook messages",
    "x-displayName": "Webhook messages",
    "description": "The messages that this server sends to the address of a webhook. A client does not call these "
    "operations: they describe what a receiver gets.",
}
RESPONSES = {
    "2XX": {"description": "The delivery has succeeded."},
    "410": {"description": "The webhook is deactivated."},
    "default": {
        "description": "The delivery has failed and is retried later. Redirects are not followed."
    },
}
# Headers of a delivery: name of the component -> name of the header, description
HEADERS = {
    "WebhookId": (
        "webhook-id",
        "Id of the event, the same at every attempt. Process each id once.",
    ),
    "WebhookTimestamp": ("webhook-timestamp", "Time of the attempt in Unix seconds."),
    "WebhookSignature": (
        "webhook-signature",
        "Signatures of Standard Webhooks, separated by spaces: `v1,` and the "
        "base64 of HMAC-SHA256 over `id.timestamp.body`. The key is the decoded base64 after "
        "`whsec_`.",
    ),
    "XWebhookTimestamp": ("X-Webhook-Timestamp", "The same as `webhook-timestamp`."),
    "XWebhookSignature": (
        "X-Webhook-Signature",
        "`v1=` and the hex of HMAC-SHA256 over `timestamp.body`. The key is "
        "the whole secret as text.",
    ),
}
PARAMETERS = {
    key: {
        "name": name,
        "in": "header",
        "required": True,
        "description": text,
        "schema": {"type": "string"},
    }
    for key, (name, text) in HEADERS.items()
}


def webhooks(schemas: Schemas) -> dict:
    """Return event type -> path item.

    Add the schemas of the messages and of their records to the components.
    """
    listed = {entry["type"]: entry for entry in event_types.listed()}
    found = {}
    for name, schema, word, kind in event_types.described():
        sent = message(name, record(schema, word, kind.events, schemas), schemas)
        found[name] = {"post": operation(listed[name], schema, word, sent)}
    return found


def operation(entry: dict, schema: str, word: str, message: dict) -> dict:
    """Return the operation of a receiver of one event.

    `entry` is from the list of events, `message` is a reference.
    """
    name, scope = entry["type"], entry["scope"]
    needed = (
        f"`{scope}` (`{scope}:read` is enough)" if scope.isidentifier() or "-" in scope else scope
    )
    erased = (
        " If its data had to be erased, only the `id` is left."
        if may_be_erased(schema, word)
        else ""
    )
    return {
        "tags": [TAG["name"]],
        "operationId": f"receive_{name.replace('.', '_')}",
        "summary": f"{document(schema)['title']} {word.replace('_', ' ')}",
        "description": f"Sent to webhooks whose API key has the scope {needed}. `data` is the record after the change; "
        f"for a deletion, before it. It is null once the record was anonymised.{erased}",
        "parameters": [{"$ref": f"#/components/parameters/{key}"} for key in PARAMETERS],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": message, "example": entry["example"]}},
        },
        "responses": RESPONSES,
        "security": [],
    }


def message(name: str, data: dict, schemas: Schemas) -> dict:
    """Return a reference to the schema of the message of an event: PaymentCreatedEvent."""
    return schemas.ready(
        f"{name}_event",
        {
            "type": "object",
            "properties": {
                "type": {"type": "string", "const": name},
                "timestamp": {"type": "string", "format": "date-time"},
                "data": {"anyOf": [data, {"type": "null"}]},
            },
            "required": ["type", "timestamp", "data"],
            "additionalProperties": False,
        },
    )


def record(name: str, word: str, words: tuple, schemas: Schemas) -> dict:
    """Return a reference to the schema of `data`: that of the response if they are alike.

    Otherwise it has the name of the first of the events `words` of its kind that have this schema.
    """
    whole = event_schema(name, word)
    if may_be_erased(name, word):
        return schemas.ref(f"{name}.{word}_data", {**whole, "required": ["id"]}, parent=name)
    if whole["properties"] == response_schema(name)["properties"]:
        return schemas.response(name, listing=False)
    first = next(other for other in words if event_schema(name, other) == whole)
    return schemas.ref(f"{name}.{first}_data", whole, parent=name)
