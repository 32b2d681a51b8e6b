"""The schema of a batch, POST /NAME/batch, made from the actions of its single requests.

The schema of a request of one record is an entry of `$defs`. The entry `batch` lists the actions
that a batch may run; see `x-actions`, `x-whole` and `x-without` in schema_files.py.
"""

import json

FRAME = ("action", "ids", "items", "dry_run")  # fields of a batch beside those of its action
ENTRIES = {"type": "array", "minItems": 1, "maxItems": 200}


def batch_schema(name: str, file: dict) -> dict:
    """Return the schema of a batch: FRAME, and the fields of all its actions."""
    batch = file["$defs"]["batch"]
    actions = batch["x-actions"]
    without_ids = {"create", *batch.get("x-whole", ())}

    fields = {
        "action": {"type": "string", "enum": actions, "description": "What to do with each record."}
    }
    if set(actions) - without_ids:
        fields["ids"] = {
            **ENTRIES,
            "items": {"type": "integer", "minimum": 1, "maximum": 2**63 - 1},
            "description": "Ids of the records, each once. Required unless `action` creates records.",
        }
    if "create" in actions:
        component = "".join(word.capitalize() for word in name.split("_"))
        fields["items"] = {
            **ENTRIES,
            "items": {
                "type": "object",
                "maxProperties": 1000,
                "x-component": f"{component}Create",
            },
            "description": "Bodies of the single requests. Required with `create`.",
        }
    fields["dry_run"] = {
        "type": "boolean",
        "default": False,
        "description": "Return what would happen, and change nothing.",
    }

    schemas, actions_with = (
        {},
        {},
    )  # field -> its schema in the first action that has it, the actions that have it
    for action in actions:
        for field, schema in batch_fields(file, action).items():
            first = schemas.setdefault(field, schema)
            actions_with.setdefault(field, []).append(f"`{action}`")
            if schema.get("default") != first.get("default"):
                schemas[field] = {
                    **first,
                    "default": None,
                    "description": f"{first.get('description', '')} With `{action}` the default is "
                    f"`{json.dumps(schema.get('default'))}`.".strip(),
                }
    for field, schema in schemas.items():
        only = f"With {' or '.join(actions_with[field])}."
        description = f"{only} {schema.get('description', '')}".strip()
        fields[field] = {**schema, "description": description}
    return {**batch, "properties": fields, "required": ["action"]}


def batch_fields(file: dict, action: str) -> dict:
    """Return field -> schema of the body of an action, without the fields that only a single
    request has, and those that every batch has.
    """
    left_out = (*file["$defs"]["batch"].get("x-without", ()), *FRAME)
    single = file["$defs"].get(action.replace("-", "_"), {})
    return {
        field: schema
        for field, schema in single.get("properties", {}).items()
        if field not in left_out
    }
