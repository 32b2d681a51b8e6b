"""New and edit forms of records, made from the schemas of the API: what a first show needs, without
a program.

Each kind names the fields of its form. The rest of a record stays as it is.
"""

from eventapi.domain.bank import importing
from eventapi.errors import not_found
from eventapi.languages import names
from eventapi.pages.desk import actions, api, bank_rules, choices, events, labels, taxes
from eventapi.pages.desk.page import render_page
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import id_of
from eventapi.web.html.schema_forms import Form
from eventapi.web.routes import Routes

routes = Routes(
    "desk-records",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)


class Kind:
    """A kind of record with forms.

    `singular` is the name of its schema, `handler` ends the names of its handlers (`create_event`),
    `names` are the fields of the form, `rare` those that few shows need: the form has them below
    "More". `new` are fields of a new record only. `back` is the page of the desk that shows the
    records.
    """

    def __init__(self, singular, names, rare=(), *, new=(), back="setup", without=(), handler=None):
        self.singular, self.names, self.rare, self.new = singular, (*names, *rare), rare, new
        self.back, self.without, self.handler = back, without, handler or singular


KINDS = {
    "events": Kind(
        "event",
        (
            "title",
            "date_from",
            "date_to",
            "venue",
            "address",
            "postal_code",
            "city",
            "country",
            "application_deadline",
            "opening_hours",
            "place_of_supply",
        ),
        ("event_key", "timezone", "description", "day_ends_at", "is_visible", "cost_centre"),
    ),
    "categories": Kind(
        "category",
        ("title", "event_keys", "applicant_visibility", "base_price"),
        (
            "tax_rate",
            "exemption_reason",
            "place_of_supply",
            "color",
            "content",
            "parent_category_id",
            "sort_order",
        ),
    ),
    "services": Kind(
        "service",
        ("service_name", "short_description", "unit", "base_price", "events"),
        (
            "category_id",
            "tax_rate",
            "exemption_reason",
            "place_of_supply",
            "min_quantity",
            "max_quantity",
            "quantity_step",
            "requires_specification",
            "specification_label",
            "lead_time_days",
            "is_active",
            "sort_order",
        ),
        without=("events/event_id",),
    ),
    "service_categories": Kind("service_category", ("category_name", "sort_order")),
    "submission_types": Kind(
        "submission_type",
        (
            "title",
            "event_key",
            "description",
            "input",
            "allowed_extensions",
            "due",
            "needs_approval",
            "is_required",
        ),
        ("max_size_mb", "roles", "is_active", "sort_order"),
    ),
    "booth_types": Kind(
        "booth_type",
        ("booth_type_name", "price_model", "price", "open_sides"),
        ("tax_rate", "exemption_reason", "color", "description", "sort_order"),
    ),
    "plans": Kind(
        "plan",
        ("plan_name", "event_key", "width", "height", "objects"),
        ("area_name", "description", "sort_order", "is_active"),
        back="hall",
    ),
    "booths": Kind(
        "booth",
        (
            "booth_number",
            "booth_type_id",
            "width",
            "depth",
            "pos_x",
            "pos_y",
            "status",
            "blocked_reason",
        ),
        ("rotation", "fixed_price", "tax_rate", "booth_name", "amenities", "notes"),
        new=("plan_id",),
        back="hall",
    ),
    "contacts": Kind(
        "contact",
        (
            "company_name",
            "first_name",
            "last_name",
            "email",
            "phone",
            "address",
            "postal_code",
            "city",
            "country",
            "tax_id",
            "is_business",
        ),
        ("invoice_email", "mobile", "website", "language", "notes"),
        back="search",
    ),
    "participants": Kind(
        "participant",
        ("category_key", "badge_name"),
        new=("event_key", "contact_id", "role", "is_confirmed"),
        back="exhibitors",
    ),
    "applications": Kind(
        "application",
        (
            "company_name",
            "first_name",
            "last_name",
            "email",
            "phone",
            "address",
            "postal_code",
            "city",
            "country",
            "requested_area",
            "message",
            "event_keys",
            "category_keys",
        ),
        ("mobile", "website", "tax_id", "late", "rating", "notes"),
        back="applications",
    ),
    "service_orders": Kind(
        "service_order",
        ("items", "notes"),
        new=("event_participant_id",),
        back="exhibitors",
        without=("items/service_key", "items/booth_id"),
    ),
    "dunning_levels": Kind(
        "dunning_level",
        ("name", "days", "deadline_days", "fee"),
        (
            "level",
            "has_lump_sum",
            "interest",
            "interest_rate",
            "title_de",
            "title_en",
            "text_de",
            "text_en",
        ),
    ),
    "bank_rules": Kind(
        "bank_rule",
        ("direction", "counterparty", "text", "account", "reason"),
        back="money/bank/rules",
    ),
    "profiles": Kind(
        "profile",
        (
            "is_listed",
            "display_name",
            "texts",
            "products",
            "website",
            "email",
            "phone",
            "links",
            "locked",
        ),
        handler="participant_profile",
        back="exhibitors",
    ),
    "invoices": Kind(
        "invoice",
        ("due_date", "text", "tax_treatment"),
        ("service_date", "service_date_to", "buyer_reference", "language", "notes"),
        new=("contact_id", "event_participant_id"),
        back="money",
    ),
}
# Fields that come from the page before, not typed -> handler that reads what they name, and what to
# include.
ABOUT = {
    "contact_id": ("get_contact", ()),
    "event_participant_id": ("get_participant", ("contact",)),
}
# Choices whose options are sentences.
SPREAD = ("place_of_supply", "is_business")
STORED_AS = {
    "width": ("dimensions", "width"),
    "depth": ("dimensions", "depth"),
    "pos_x": ("position", "x"),
    "pos_y": ("position", "y"),
    "rotation": ("position", "rotation"),
}


# Forms


@routes.get("/edit/<name>")
@routes.get("/edit/<name>/<id>")
def get_desk_form(db, request, name, id=None):
    """Return the form of a new record, or of one that exists."""
    kind = kind_of(name, id)
    api.require_call(request, handler_of(kind, id))
    event = events.current(db)
    record = stored(kind, id) if id else None
    made = form_of(request, db.config, name, id, event_of(record, event))
    if request.problem:
        given = made.compact(request.fields)
    else:
        given = made.texts(record) if record else begun(db, made, event, name)
    if request.problem and request.problem.status == 412:
        request.fields["tag"] = [record["tag"]]  # the stored record is shown beside what was typed
    return render_page(
        db,
        request,
        "edit",
        current=event,
        menu="setup" if kind.back in ("setup", "hall") else kind.back.partition("/")[0],
        form=made,
        given=given,
        kind_name=name,
        kind_back=kind.back,
        record=record,
        id=id,
        back=actions.return_path(request),
        tag=(request.fields.get("tag") or [record["tag"] if record else ""])[0],
        about=about(given),
        abroad=taxes.abroad(
            request, db.config.organiser_country, record if name == "events" else None
        ),
        stored=made.texts(record) if record and request.problem else {},
        can_delete=id
        and f"delete_{kind.handler}" in api.routes()
        and api.may_call(request, f"delete_{kind.handler}"),
    )


def begun(db, made, event, name):
    """Return the texts of a new record, before somebody types."""
    return {**made.defaults(), **start(db, made, event), **bank_rules.prefilled(name)}


def about(given):
    """Return field -> name of the record that the page before has named."""
    found = {field: id_of((given.get(field) or [""])[0]) for field in ABOUT}
    return {
        field: labels.named(api.read(ABOUT[field][0], id=id, include=ABOUT[field][1]).data)
        for field, id in found.items()
        if id
    }


def kind_of(name, id):
    """Return a kind of record.

    Raise 404 if the desk does not know it, or if the API cannot create or change it.
    """
    kind = KINDS.get(name)
    if kind is None or handler_of(kind, id) not in api.routes():
        raise not_found("page", shell.address())
    return kind


def handler_of(kind, id):
    """Return the name of the handler that saves a record: a new one, or the one with this id."""
    return f"{'update' if id else 'create'}_{kind.handler}"


def stored(kind, id):
    """Return a record with its ETag, and with the fields that its form writes under the names of
    the body.
    """
    record = api.record(f"get_{kind.handler}", id)
    for name, (part, field) in STORED_AS.items():
        if name in kind.names and part in record:
            record[name] = record[part] and record[part][field]
    if record.get("tax_decided_by") == "rule":
        record["tax_treatment"] = "auto"
    return record


def form_of(request, config, name, id, event_key=None):
    """Return the form of a kind of record, of a new one without `id`. It offers what the event has."""
    kind = KINDS[name]
    fields = kind.names if id else (*kind.new, *kind.names)
    offered = {} if name == "events" else choices.of(request, fields, event_key)
    if name == "bank_rules":
        offered["account"] = [(iban, iban) for iban in importing.own_accounts(config)]
    made = Form(
        kind.singular,
        "PATCH" if id else "POST",
        labels.of(request, name),
        names=fields,
        without=kind.without,
        rare=kind.rare,
        spread=SPREAD,
        choices=offered,
        currency=config.currency,
        language=request.language,
    )
    if name == "events":
        taxes.explain_place(request, config.organiser_country, made)
    return made


def event_of(record, event):
    """Return the key of the event that a record belongs to, a new one to the event in hand.

    None if it has several.
    """
    keys = (
        record.get("event_keys", [record.get("event_key")])
        if record
        else [event["event_key"]]
        if event
        else []
    )
    return keys[0] if len(keys) == 1 else None


def start(db, made, event):
    """Return the texts of a new record that follow from the event in hand and from the query, and
    the country of the organiser.
    """
    found = {
        name: [text]
        for name, text in shell.asked("plan_id", "contact_id", "event_participant_id").items()
    }
    found["country"] = [db.config.organiser_country]
    if event:
        found |= {
            "event_key": [event["event_key"]],
            "event_keys": [event["event_key"]],
            "unit": [names.unit("piece", made.language)],
            "events/0/event_key": [event["event_key"]],
            "events/0/is_active": ["1"],
        }
    return found


@routes.post("/edit/<name>", batch=True, shows=get_desk_form)
@routes.post("/edit/<name>/<id>", batch=True, shows=get_desk_form)
def save_desk_record(request, config, connections, name, id=None):
    """Create a record, or change one if it is still as the form has shown it."""
    kind = kind_of(name, id)
    made = form_of(request, config, name, id)
    body = made.body(made.compact(request.fields))
    if request.fields.get("delete") and id:
        return actions.once(
            request,
            f"delete_{kind.handler}",
            {"id": id},
            None,
            lambda response: page_requests.see_other(
                request, actions.with_message(kind.back, "deleted")
            ),
            tag=tag_of(request),
        )
    return actions.once(
        request,
        handler_of(kind, id),
        {"id": id} if id else {},
        body,
        lambda response: page_requests.see_other(request, saved(request, kind, name, id, response)),
        tag=tag_of(request) if id else None,
    )


def tag_of(request):
    return (request.fields.get("tag") or [""])[0] or None


PAGES = {
    "contacts": "contacts",
    "participants": "exhibitors",
    "applications": "applications",
    "booths": "booths",
    "invoices": "invoices",
}


def saved(request, kind, name, id, response):
    """Return the address after a record was saved: where the form came from, or the page of the
    record.
    """
    back = actions.return_path(request)
    if not back and name in PAGES:
        back = f"{PAGES[name]}/{response.data['id']}"
    if not back and name == "plans":
        back = f"hall?plan={response.data['id']}" if id else f"hall/layout/{response.data['id']}"
    if not back and name == "events":
        back = f"setup?event={response.data['event_key']}"
    return actions.with_message(back or kind.back, "saved")
