"""New and edit forms of records, made from the schemas of the API: what a first show needs, without
a program.

kinds.py names the fields of each form. The rest of a record stays as it is.
"""

from urllib.parse import urlencode

from eventapi.calls import desk
from eventapi.domain.bank import importing
from eventapi.errors import Problem, not_found
from eventapi.languages import choice, names
from eventapi.pages.desk import (
    actions,
    api,
    bank_rules,
    choices,
    events,
    labels,
    taxes,
    templates,
)
from eventapi.pages.desk.kinds import KINDS
from eventapi.pages.desk.page import render_page
from eventapi.pages.office import menu
from eventapi.storage.database import as_json
from eventapi.storage.errors import StorageError
from eventapi.web.html import forms, page_requests, shell
from eventapi.web.html.forms import Group, id_of
from eventapi.web.html.schema_forms import Form
from eventapi.web.rest import etag
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


# Fields that come from the page before, not typed -> handler that reads what they name, and what to
# include.
ABOUT = {
    "contact_id": ("get_contact", ()),
    "event_participant_id": ("get_participant", ("contact",)),
}
STAND_IN = "x"  # for a required text that is missing, while a page looks for further faults
ON_STAGE = ("speaker", "host")  # roles in a session that its form has; it lacks those who attend
# Kinds with the language of a person or of the public pages: without one, that of the organiser counts.
WITH_LANGUAGE = ("contacts", "website")
# Choices whose options are sentences.
SPREAD = ("place_of_supply", "is_business")
# Address of a page of "Set up" -> its entry of the menu
SETUP_PAGES = {address: page for page, address, _ in menu.SETUP if page != "setup"}
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
    """Return the form of a new record, or of one that exists.

    That of an event is the page `setup/details`.
    """
    kind = kind_of(name, id)
    api.require_call(request, handler_of(kind, id))
    if name == "events" and id and not request.problem:
        return shell.redirection(details_of(request, id))
    back = actions.return_path(request)
    values = values_of(db, request, kind, name, id, events.current(db))
    return render_page(
        db,
        request,
        "edit",
        menu=kind.back.partition("/")[0],
        page=SETUP_PAGES.get(kind.back),
        back=back,
        **values,
    )


def details_of(request, id):
    """Return the address of the details of an event, with the way back."""
    asked = {"event": api.read("get_event", id=id).data["event_key"], **shell.asked("back", "done")}
    return f"{request.home()}setup/details?{urlencode(asked)}"


def values_of(db, request, kind, name, id, event):
    """Return what the template `edit` shows of a record, by name; of a new one if `id` is None.

    `name` is that of the kind, or of its page below "Set up"; `event` is the one in hand.
    """
    record = stored(kind, id) if id else None
    form = form_of(request, db.config, kind, name, id, event_of(record, event))
    is_sent = (
        not id or "tag" in request.fields
    )  # else the problem is that of a button beside the form
    problem = request.problem if is_sent else None
    if problem:
        given = form.compact(request.fields)
    elif record:
        given = form.texts(record)
    else:
        given = begun(db, form, event, name)
    if problem and problem.status == 412:
        request.fields["tag"] = [shown_tag(form, record)]  # it is shown beside what was typed
    is_event = kind.schema == "event"
    return {
        "current": event,
        "form": form,
        "given": given,
        "kind_name": name,
        "kind_back": kind.back,
        "record": record,
        "id": id,
        "tag": (request.fields.get("tag") or [shown_tag(form, record) if record else ""])[0],
        "about": about(given),
        "abroad": taxes.abroad(request, db.config.organiser_country, record if is_event else None),
        "stored": form.texts(record) if record and problem else {},
        "can_delete": bool(id) and may_delete(request, kind),
        "template": templates.beside(request, record, event, given)
        if name == templates.KIND
        else None,
    }


def may_delete(request, kind):
    """Return whether the API can delete a record of a kind, and the person may do it."""
    handler = f"delete_{kind.handler}"
    return handler in api.routes() and api.may_call(request, handler)


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
    if kind.schema == "schedule":
        record["assignments"] = [row for row in record["assignments"] if row["role"] in ON_STAGE]
    if record.get("tax_decided_by") == "rule":
        record["tax_treatment"] = "auto"
    if kind.schema == templates.SCHEMA:
        templates.write_as_text(record)
    return record


def form_of(request, config, kind, name, id, event_key=None):
    """Return the form of a kind of record, of a new one without `id`. It offers what the event has."""
    fields = kind.names if id else (*kind.new, *kind.names)
    groups = [Group(*each) for each in kind.groups]
    if not id and kind.new:
        groups.insert(0, Group("first", " ".join(kind.new)))
    offered = {} if kind.schema == "event" else choices.of(request, fields, event_key)
    if name == "bank_rules":
        offered["account"] = [(iban, iban) for iban in importing.own_accounts(config)]
    label = labels.of(request, name)
    if name in WITH_LANGUAGE:
        codes = ("", *choice.AVAILABLE)
        offered["language"] = [(code, label(f"language={code or 'null'}")[0]) for code in codes]
    if kind.schema == "schedule":
        offered["assignments/role"] = [
            (role, label(f"assignments/role={role}")[0]) for role in ON_STAGE
        ]
    made = Form(
        kind.schema,
        "PATCH" if id else "POST",
        label,
        names=fields,
        without=kind.hidden,
        groups=groups,
        rare=kind.rare,
        spread=SPREAD,
        choices=offered,
        currency=config.currency,
        language=request.language,
    )
    if kind.schema == "event":
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
    found["is_contract"] = ["1"]
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
    return save(
        request, config, kind, name, id, lambda response: saved(request, kind, name, id, response)
    )


def save(request, config, kind, name, id, lead):
    """Create, change or delete the record of the form that was sent.

    Return the redirection to the address `lead(response)`, after deleting to that of the kind.
    """
    form = form_of(request, config, kind, name, id)
    tag = tag_to_match(request, kind, id, form) if id else None
    if request.fields.get("delete") and id:
        if f"delete_{kind.handler}" not in api.routes():
            raise not_found("page", shell.address())
        gone = actions.with_message(kind.back, "deleted")
        return actions.once(
            request,
            f"delete_{kind.handler}",
            {"id": id},
            None,
            lambda _: page_requests.see_other(request, gone),
            tag=tag,
        )
    body = with_what_stays(kind, id, form, form.body(form.compact(request.fields)))
    if name == templates.KIND:
        templates.write_as_html(request, id, body)
        if "preview" in request.fields:
            return templates.preview(request, body)
    handler = handler_of(kind, id)
    ids = {"id": id} if id else {}
    try:
        return actions.once(
            request,
            handler,
            ids,
            body,
            lambda response: page_requests.see_other(request, lead(response)),
            tag=tag,
        )
    except Problem as problem:
        if problem.status == 422 and problem.errors:
            problem.errors += further_faults(form, handler, ids, body, problem.errors, tag)
        raise


class Undone(Exception):
    """Ends the transaction of a call that only looks for faults, so that it is rolled back."""


def further_faults(form, handler, ids, body, errors, tag):
    """Return the faults that the rules find in the rest of a body whose `errors` are known, so that
    a person sees all of them at once. Nothing of this call stays.

    STAND_IN takes the place of a required text.
    """
    rest, names = forms.left_out(body, errors)
    for each in form.fields:
        if each.name in names and each.kind == "text" and each.is_required:
            rest[each.name] = STAND_IN

    def undone(act):
        act()
        raise Undone

    try:
        desk.call(api.routes()[handler], ids, body=rest, tag=tag, within=undone)
    except Problem as problem:
        return forms.further(problem.errors or [], names) if problem.status == 422 else []
    except (Undone, StorageError):
        return []


def with_what_stays(kind, id, form, body):
    """Return a body with what the form lacks of its lists: the texts of the pages of an event that
    other forms have, those who attend a session, the booths of an order, and the rows that have no
    room in the form.
    """
    if not id:
        return body
    if kind.texts:
        texts = api.read(f"get_{kind.handler}", id=id).data["texts"]
        others = {name: text for name, text in texts.items() if name not in kind.texts}
        body = {**body, "texts": {**others, **body["texts"]}}
    if any(each.kind == "rows" for each in form.fields):
        rest = form.beyond(stored(kind, id))
        body = {**body, **{name: [*body[name], *rows] for name, rows in rest.items()}}
    if kind.schema == "schedule":
        assignments = api.read("get_schedule", id=id).data["assignments"]
        others = [row for row in assignments if row["role"] not in ON_STAGE]
        body = {**body, "assignments": [*body["assignments"], *others]}
    if kind.schema == "service_order":
        items = api.read("get_service_order", id=id).data["items"]
        body = {**body, "items": with_booths(body["items"], items)}
    return body


def with_booths(items, stored_items):
    """Return the items of an order, each for the booth that it had.

    An item is the stored one that is equal to it, else the first one of its service.
    """
    found, left = {}, list(stored_items)
    for fields in (("service_id", "quantity", "specification"), ("service_id",)):
        for place, item in enumerate(items):
            same = [row for row in left if all(row[name] == item.get(name) for name in fields)]
            if place not in found and same:
                found[place] = same[0]["booth_id"]
                left.remove(same[0])
    return [{**item, "booth_id": found.get(place)} for place, item in enumerate(items)]


def tag_of(request):
    return (request.fields.get("tag") or [""])[0] or None


def shown_tag(form, record):
    """Return a tag of what a form shows of a record. Another one means that somebody has changed it."""
    shown = {}
    for each in form.fields:
        value = record.get(each.name)
        if each.kind == "group":  # texts of other forms are among those of the record
            parts = [part.name.rpartition("/")[2] for part in each.parts]
            value = {name: (value or {}).get(name) for name in parts}
        shown[each.name] = value
    return etag(as_json(shown)).strip('"')


def tag_to_match(request, kind, id, form):
    """Return the ETag of the stored record for If-Match, or None if the form has no tag.

    It is one that matches nothing if what the form has shown was changed. What other forms of the
    record show does not matter: several pages of "Set up" change one record.
    """
    sent = tag_of(request)
    if sent is None:
        return None
    record = stored(kind, id)
    return record["tag"] if sent == shown_tag(form, record) else f'"{sent}"'


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
    record = f"{name}/{id or response.data['id']}"
    return actions.with_message(back or kind.back, "saved", of=record)
