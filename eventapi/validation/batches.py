"""Check and normalise the JSON body of a batch: POST /NAME/batch."""

from eventapi.errors import Faults, Problem, invalid
from eventapi.validation.batch_schemas import FRAME
from eventapi.validation.bodies import Body
from eventapi.validation.schema_files import document


class BatchBody:
    """The body of a batch.

    The result of a call has `action`, `ids`, `items`, `dry_run` and `fields`.

    `fields` is the body of the action, as its single request would receive it. The items are not
    checked here, beyond being objects: each of them is an entry that can be refused by itself.
    """

    def __init__(self, resource: str, zone_name: str):
        defs = document(resource)["$defs"]
        # actions that are all or nothing, and have no entries
        self.whole = defs["batch"].get("x-whole", ())
        self.frame = Body(f"{resource}.batch", "POST", zone_name)
        self.bodies = {}
        for action in defs["batch"]["x-actions"]:
            part = action.replace("-", "_")
            name = f"{resource}.{part}" if part in defs and action != "create" else None
            self.bodies[action] = Body(
                name, "POST", zone_name, without=defs["batch"].get("x-without", ())
            )

    def __call__(self, body: object) -> dict:
        """Return the body as the handler receives it. Raise 422 with all faults."""
        faults, fields, frame = Faults(), {}, body
        action = body.get("action") if isinstance(body, dict) else None
        if isinstance(action, str) and action.strip() in self.bodies:
            action = action.strip()
            frame = {name: value for name, value in body.items() if name in FRAME}
            rest = {name: value for name, value in body.items() if name not in FRAME}
            fields = _checked(self.bodies[action], rest, faults)
            fields.pop("dry_run", None)  # the default of a single request
            self._check_entries(action, body, faults)
        frame = _checked(self.frame, frame, faults)
        if faults:
            raise invalid(faults)
        return {**{name: frame.get(name) for name in FRAME}, "fields": fields}

    def _check_entries(self, action, sent, faults):
        """Add the faults of `ids` and `items` that their schema cannot express."""
        needed = None if action in self.whole else "items" if action == "create" else "ids"
        for name in ("ids", "items"):
            if name == needed and name not in sent:
                faults.add(f"/{name}", "required", f"is required with the action {action}")
            elif name != needed and name in sent:
                instead = f" Send `{needed}`." if needed else ""
                faults.add(
                    f"/{name}",
                    "unknown",
                    f"must not be sent with the action {action}.{instead}".rstrip("."),
                )
        if needed == "ids" and isinstance(sent.get("ids"), list) and len(sent["ids"]) <= 200:
            first = {}
            for place, id in enumerate(sent["ids"]):
                if (
                    not isinstance(id, list | dict)
                    and first.setdefault((isinstance(id, bool), id), place) != place
                ):
                    faults.add(
                        f"/ids/{place}",
                        "duplicate",
                        f"must not be sent twice: {id} is also entry "
                        f"{first[isinstance(id, bool), id]}",
                    )


def _checked(check, value, faults):
    """Return `check(value)`. Add its faults to `faults` instead of raising them."""
    try:
        return check(value)
    except Problem as problem:
        faults += problem.errors
        return {}
