"""Choices: the fields of the forms that name other records, and the records that they offer."""

from eventapi.pages.desk import api, labels

# Field -> (handler of the list, its field that is sent, its field that is shown, parameters of the
# list).
EVENTS = ("list_events", "event_key", "title", ())
PARTS = ("list_categories", "category_key", "title", ("event_key",))
SERVICES = ("list_services", "id", "service_name", ("event_key",))
FIELDS = {
    "event_key": EVENTS,
    "event_keys": EVENTS,
    "events/event_key": EVENTS,
    "category_key": PARTS,
    "category_keys": PARTS,
    "parent_category_id": ("list_categories", "id", "title", ()),
    "category_id": ("list_service_categories", "id", "category_name", ()),
    "items/service_id": SERVICES,
    "badge_service_id": SERVICES,
    "plan_id": ("list_plans", "id", "plan_name", ("event_key",)),
    "booth_type_id": ("list_booth_types", "id", "booth_type_name", ()),
    "booth_types": ("list_booth_types", "booth_type_key", "booth_type_name", ()),
    "rows/booth_type_key": ("list_booth_types", "booth_type_key", "booth_type_name", ()),
    "apply_file_type": ("list_submission_types", "key", "title", ("event_key",)),
    "assignments/event_participant_id": ("list_participants", "id", "badge_name", ("event_key",)),
    "visit_fields": ("list_custom_fields", "field_key", "field_label", ("entity_type",)),
}

SPEAKERS = (
    "speaker",
    "staff",
    "sponsor",
    "exhibitor",
)  # roles of participants, in the order of a choice


def of(request, names, event_key=None):
    """Return field -> [(value, label)] for those of `names` that name other records which the
    person may read.

    `event_key`, if given, narrows the lists that depend on an event.
    """
    query = {"event_key": event_key, "entity_type": "application"}
    return {
        field: [
            (str(row[value]), _label(request, handler, row, label) or str(row[value]))
            for row in _records(request, handler, {name: query[name] for name in parameters})
        ]
        for field, (handler, value, label, parameters) in FIELDS.items()
        if field.partition("/")[0] in names and api.may_call(request, handler)
    }


def _records(request, handler, query):
    """Return the records that a list offers; of participants, those who may stand on a stage."""
    if handler != "list_participants":
        return api.everything(handler, **query)
    include = ("contact",) if api.may(request, "contacts") else ()
    found = []
    for role in SPEAKERS:
        found += api.everything(handler, include=include, role=role, **query)
    return found


def _label(request, handler, row, name):
    """Return what a choice shows of a record: a show its month as well, any other record its field `name`."""
    if handler == "list_events":
        return labels.show_name(row, request.language, row["timezone"])
    if handler == "list_participants":
        return labels.record_name(row)
    return row[name]
