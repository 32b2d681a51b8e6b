"""Dry runs: a request whose body has `dry_run` true runs like any other, in a transaction that is
then rolled back.

So rules, refusals and amounts are those of the real request, and nothing is left of it: no record,
mail, number, audit entry or event. The response is that of the real request, with null in place of
the ids and numbers that it would assign, because the next request gets the same ones. Routes with
the option `rolls_back` and batches (calls/batches.py) work like that.
"""

from eventapi.web.rest import Response

DRY_RUN = "eventapi.dry_run"  # in the environ: whether the request is rolled back
# Ids and numbers that a record gets from the service.
ASSIGNED = (
    "id",
    "badge_number",
    "order_number",
    "invoice_number",
    "payment_reference",
    "document_number",
)
OF_META = ("id", "event_participant_id", "credit_notes", "credit_note_ids", "further_invoice_ids")


class DryRun(Exception):
    """Ends the transaction of a dry run, so that it is rolled back.

    `response` is that of the request; None if the caller keeps it.
    """

    def __init__(self, response: Response | None = None):
        super().__init__("dry run")
        self.response = response


def response_to(result: object, singular: str, known: dict | None) -> Response:
    """Return the response to a dry run whose handler has returned `result`.

    `singular` names the kind of record. `known` are fields that the client knows: the record before
    the request, or the body of a new one.
    """
    done = result if isinstance(result, Response) else Response(result)
    headers = {name: value for name, value in done.headers.items() if name != "Location"}
    return Response(
        without(done.later_data(), assigned(singular, done.status), known),
        done.status,
        headers,
        without(done.meta, OF_META),
        has_etag=False,
    )


def assigned(singular: str, status: int) -> tuple[str, ...]:
    """Return the fields of such a record that hold ids and numbers which the request may assign."""
    if singular == "booth":  # other records name a booth that exists
        return (*ASSIGNED, "booth_number")
    if singular == "application" and status != 201:  # an approval may create the contact
        return (*ASSIGNED, "contact_id", "customer_number")
    return ASSIGNED


def without(value: object, names: tuple[str, ...], known: object = None) -> object:
    """Return a JSON value with null in the fields `names`, also of its parts, unless `known` has
    the same value.
    """
    if isinstance(value, list):
        before = known if isinstance(known, list) else []
        return [
            without(part, names, before[place] if place < len(before) else None)
            for place, part in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    before = known if isinstance(known, dict) else {}
    return {
        name: hidden(part)
        if name in names and part != before.get(name)
        else without(part, names, before.get(name))
        for name, part in value.items()
    }


def hidden(value: object) -> object:
    """Return null in place of an id or a number, and a list of nulls in place of a list of ids."""
    return [None for _ in value] if isinstance(value, list) else None
