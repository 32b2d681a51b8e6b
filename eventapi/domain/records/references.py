"""References: bodies and filters name another record by id or by key.

If both are sent, they must agree.
"""

from eventapi.errors import Problem, invalid_parameter, listed, quoted
from eventapi.storage.statements import statements

sql = statements("references")

# Each reference is a pair: the field for the id, and the fields that may name the record as (field,
# statement). The statement returns the id for the value `name`.
EVENT = ("event_id", (("event_id", sql.event_by_id), ("event_key", sql.event_by_key)))
CONTACT = (
    "contact_id",
    (("contact_id", sql.contact_by_id), ("customer_number", sql.contact_by_number)),
)
CATEGORY = (
    "category_id",
    (("category_id", sql.category_by_id), ("category_key", sql.category_by_key)),
)
PARENT_CATEGORY = (
    "parent_category_id",
    (("parent_category_id", sql.category_by_id), ("parent_category_key", sql.category_by_key)),
)
PARTICIPANT = (
    "event_participant_id",
    (("event_participant_id", sql.participant_by_id), ("participant_id", sql.participant_by_id)),
)
HOST = ("host_participant_id", (("host_participant_id", sql.participant_by_id),))
APPLICATION = ("application_id", (("application_id", sql.application_by_id),))
INVOICE = (
    "invoice_id",
    (("invoice_id", sql.invoice_by_id), ("invoice_number", sql.invoice_by_number)),
)
PLAN = ("plan_id", (("plan_id", sql.plan_by_id),))
BOOTH = ("booth_id", (("booth_id", sql.booth_by_id),))
BOOTH_TYPE = (
    "booth_type_id",
    (("booth_type_id", sql.booth_type_by_id), ("booth_type_key", sql.booth_type_by_key)),
)
FORMULA = ("formula_id", (("formula_id", sql.formula_by_id),))
SERVICE = ("service_id", (("service_id", sql.service_by_id), ("service_key", sql.service_by_key)))
SERVICE_CATEGORY = (
    "category_id",
    (("category_id", sql.service_category_by_id), ("category_key", sql.service_category_by_key)),
)
DOCUMENT_CATEGORY = (
    "category_id",
    (("category_id", sql.document_category_by_id), ("category_key", sql.document_category_by_key)),
)
DOCUMENT_TEMPLATE = (
    "template_id",
    (("template_id", sql.document_template_by_id), ("template_key", sql.document_template_by_key)),
)
DEFAULT_TEMPLATE = (
    "default_template_id",
    (
        ("default_template_id", sql.document_template_by_id),
        ("default_template_key", sql.document_template_by_key),
    ),
)

NOUNS = {
    "parent_category": "category",
    "default_template": "template",
    "customer": "contact",
    "host_participant": "participant",
}
UNKNOWN = -1  # an id that no record has


def resolve(db, body, reference, faults, *, required=False):
    """Return the id of the record that a body names by id or key, or None.

    Add a fault for an unknown record, for two fields that name different records, and if `required`
    for none.
    """
    _, ways = reference
    given = [(member, statement) for member, statement in ways if body.get(member) is not None]
    if required and not given:
        faults.add(
            f"/{ways[0][0]}",
            "required",
            "is required, or " + quoted((member for member, _ in ways[1:]), "or"),
        )
        return None
    found = None
    for member, statement in given:
        record = db.value(statement, name=body[member])
        if record is None:
            faults.add(f"/{member}", "unknown", unknown(member, body[member]))
        elif found not in (None, record):
            faults.add(f"/{member}", "disagrees", disagrees(given[0][0]))
        found = found or record
    return found


def unknown(field, value):
    """Return the error text for a field such as `event_key` whose value no record has."""
    noun, _, way = field.rpartition("_")
    noun = NOUNS.get(noun, noun.replace("_", " ")) or "record"
    return f"is unknown: no {noun} has the {way} {value}"


def disagrees(other):
    """Return the error text for a field that names a different record than the field `other`."""
    return f"names a different record than `{other}`. Send only one of them"


def named(db, fields, faults, *references):
    """Return {id field: id or None} for the references that occur in `fields`, by id or by key.

    Add faults as `resolve` does.
    """
    return {
        reference[0]: resolve(db, fields, reference, faults)
        for reference in references
        if any(field in fields for field, _ in reference[1])
    }


def resolve_keys(db, body, member, statement, faults):
    """Return the ids for the list of keys in the field `member`, or None if it was not sent.

    Add a fault per unknown key.
    """
    if body.get(member) is None:
        return None
    ids = []
    for place, key in enumerate(body[member]):
        found = db.value(statement, name=key)
        if found is None:
            faults.add(f"/{member}/{place}", "unknown", unknown(member.removesuffix("s"), key))
        elif found not in ids:
            ids.append(found)
    return ids


def event_ids(db, body, faults):
    """Return the ids for `event_keys`, as `resolve_keys` does."""
    return resolve_keys(db, body, "event_keys", sql.event_by_key, faults)


def category_ids(db, body, faults):
    """Return the ids for `category_keys`, as `resolve_keys` does."""
    return resolve_keys(db, body, "category_keys", sql.category_by_key, faults)


def filters(db, query, *references):
    """Return the query with ids in place of keys.

    An unknown record becomes an id that no record has.

    Raise 422 if two parameters name different records.
    """
    query = dict(query)
    for target, ways in references:
        given = [
            (member, query.pop(member), statement)
            for member, statement in ways
            if query.get(member) is not None
        ]
        ids = {db.value(statement, name=value) or UNKNOWN for _, value, statement in given}
        if len(ids) > 1:
            raise invalid_parameter(given[1][0], "disagrees", disagrees(given[0][0]))
        if ids:
            query[target] = ids.pop()
    return query


def existing(db, query, reference):
    """Return the query as `filters` does. Raise 422 if it names a record that does not exist."""
    found, (target, ways) = filters(db, query, reference), reference
    for name, _ in ways:
        if found.get(target) == UNKNOWN and query.get(name) is not None:
            raise invalid_parameter(name, "unknown", unknown(name, query[name]))
    return found


def refuse_in_use(db, statement, id, text):
    """Raise 409 `in_use` if other records refer to the record.

    Their numbers and kinds replace {} in `text`.

    `statement` counts them: `one` and `many` are the kind in the singular and in the plural,
    `count` may be 0.
    """
    users = [row for row in db.all(statement, id=id) if row["count"]]
    if users:
        found = listed(counted(row["count"], row["one"], row["many"]) for row in users)
        raise Problem("in_use", text.format(found), used_by=[row["many"] for row in users])


def counted(count, one, many):
    """Return a number with its noun: 1 invoice, 2 invoices."""
    return f"{count} {one if count == 1 else many}"
