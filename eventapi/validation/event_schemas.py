"""The schema of a record in the message of an event, which a webhook sends.

It is that of a response. `$defs.message` of the schema file names the differences: fields that
messages lack (`x-without`), and further ones (`properties`), some only in certain events
(`x-events`).
"""

from eventapi.validation.schema_files import document, response_schema


def event_schema(name: str, word: str) -> dict:
    """Return the schema of a record in the message of an event.

    `word` is the part of the event type after the dot.
    """
    schema = response_schema(name)
    message = _message(name)

    properties = {}
    for field, sub in schema["properties"].items():
        if field not in message.get("x-without", ()) and "x-outcome" not in sub:
            properties[field] = sub
    required = [field for field in schema["required"] if field in properties]

    for field, sub in message.get("properties", {}).items():
        if word in sub.get("x-events", (word,)):
            properties[field] = sub
            if field not in required:
                required.append(field)
    return {**schema, "properties": properties, "required": required}


def may_be_erased(name: str, word: str) -> bool:
    """Return whether the message of an event may hold only the id of a record, because its data had
    to be erased.
    """
    return word == "deleted" and _message(name).get("x-erased", False)


def _message(name):
    return document(name).get("$defs", {}).get("message", {})
