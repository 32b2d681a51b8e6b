"""Read and check a query string by its schema."""

import re
from decimal import Decimal

from eventapi.errors import fault, invalid
from eventapi.validation.checker import Checker
from eventapi.validation.conversion import converter
from eventapi.validation.messages import in_order
from eventapi.validation.schema_files import query_schema, resolved

ENDS = ("date_to", "to_date", "to")  # a date in these parameters includes the whole day
# How other APIs sort: -created_at, +name and city,name. A `+` in a URL arrives as a blank.
SIGNED_SORT = re.compile(r"([-+ ]?)([a-z0-9_]+)(,.*)?", re.S)
ORDERS = {"-": "&order=DESC", "+": "&order=ASC", " ": "&order=ASC", "": ""}


class Query:
    """The query string of a route.

    Integers, numbers and lists are converted by their type in the schema, timestamps to UTC. A list
    is separated by commas, or the parameter is repeated. Defaults are filled in; other parameters
    that were not sent are missing. With `x-custom-fields`, parameters `cf.KEY` are returned as
    `cf`: KEY -> text, which the handler must check.
    """

    def __init__(self, name: str | None, *, listing: bool, zone_name: str):
        self.schema = query_schema(name, listing=listing)
        self.has_custom_fields = self.schema["x-custom-fields"]
        self.requires = bool(self.schema["required"] or "anyOf" in self.schema)
        self.properties = {
            name: resolved(sub, self.schema) for name, sub in self.schema["properties"].items()
        }
        self.defaults = {
            name: sub["default"] for name, sub in self.properties.items() if "default" in sub
        }
        self.convert = converter(self.schema, self.schema, zone_name, ENDS)
        self.checker = Checker(self.schema)

    def __call__(self, pairs: list[tuple[str, str]]) -> dict:
        """Return the typed parameters of the (name, text) pairs. Raise 422 with all faults."""
        query, custom, faults = {}, {}, []
        for name, text in pairs:
            is_custom = self.has_custom_fields and name.startswith("cf.")
            values, key = (custom, name[3:]) if is_custom else (query, name)
            value = text if is_custom else self._typed(name, text)
            if key not in values:
                values[key] = value
            elif isinstance(value, list):
                values[key] += value
            else:
                faults.append(fault("repeated", "is sent twice. Send it once", parameter=name))
        faults += self.checker.faults(
            query, lambda path: {"parameter": str(path[0]) if path else ""}
        )
        for entry in faults:
            if entry.get("parameter") == "sort" and entry["code"] == "enum":
                entry["detail"] += self._sort_advice(query["sort"])
        if "after" in query and "page" in query:
            faults.append(
                fault(
                    "excluded",
                    "cannot be sent with `after`, which has no pages. Send one of them",
                    parameter="page",
                )
            )
        if faults:
            raise invalid(in_order(faults))
        query = {**self.defaults, **(self.convert(query) if self.convert else query)}
        return {**query, "cf": custom} if custom else query

    def _typed(self, name, text):
        """Convert the text by the type of the parameter.

        Text that cannot be converted stays, and the schema reports it.
        """
        schema = self.properties.get(name, {})
        kind = schema.get("type")
        if kind == "integer":
            return _integer(text)
        if kind == "number":
            return (
                Decimal(text) if re.fullmatch(r"-?\d{1,15}(\.\d{1,20})?", text, re.ASCII) else text
            )
        if kind == "array":
            of_integers = schema["items"].get("type") == "integer"
            return [
                _integer(part.strip()) if of_integers else part.strip() for part in text.split(",")
            ]
        return text.upper() if name == "order" and text.upper() in schema.get("enum", ()) else text

    def _sort_advice(self, text):
        """Return the parameters to send in place of a sort with a sign or with several fields, as
        the end of an error text; "" for other texts.
        """
        found = SIGNED_SORT.fullmatch(text)
        if not found or found[2] not in self.properties["sort"]["enum"]:
            return ""
        parameters = f"sort={found[2]}{ORDERS[found[1]]}"
        return f". One field is possible. Send {parameters}" if found[3] else f". Send {parameters}"


def _integer(text):
    """Return the integer that a text means, or the text if it means none that SQLite can store."""
    return (
        int(text)
        if re.fullmatch(r"-?\d{1,19}", text, re.ASCII) and abs(int(text)) < 2**63
        else text
    )
