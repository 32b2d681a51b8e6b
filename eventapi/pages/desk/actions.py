"""Buttons of the desk.

Each one is a route of the API with the option `desk`, and has the name of its handler; so its rules
are those of the API.

`GET /desk/do/NAME/ID` shows the form of an action, `POST` runs it. A refused action shows its form
again, with what was typed. Where the action leads back to, is an address within the desk that comes
with the form.
"""

import re
from contextlib import contextmanager
from functools import cache
from urllib.parse import urlencode

from eventapi import images
from eventapi.calls import desk
from eventapi.domain.events import copying
from eventapi.domain.mail import queue as mails
from eventapi.errors import Problem, invalid_at, not_found
from eventapi.languages import formats
from eventapi.pages.desk import api, effects, gaps, labels, mail_trials
from eventapi.pages.desk.page import render_page
from eventapi.plugins import idempotency
from eventapi.validation.schema_files import body_schema
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import id_of, id_or_text
from eventapi.web.html.schema_forms import Form
from eventapi.web.html.typed_values import number
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes(
    "desk-actions",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

# Forms whose labels are not those of their record: a mail with a contract is another than that of a
# cancellation.
LABELLED_AS = {"create_participant_contract": "contract"}
# Records that have the name of another one, or that are named together with it.
NAMED_BY = {
    "get_participant": ("contact",),
    "get_invoice": ("contact",),
    "get_booth_reservation": ("participant",),
}
BACK = re.compile(
    r"(?:[a-z_]{1,30}|[1-9]\d{0,17})(?:/(?:[a-z_]{1,30}|[1-9]\d{0,17}))*(?:\?[A-Za-z0-9_.=&%+-]{0,300})?",
    re.ASCII,
)


@cache
def buttons():
    """Return name -> route of all buttons. What is not among them cannot be done at the desk."""
    return {
        name: route
        for name, route in api.routes().items()
        if route.options.desk and route.options.desk.is_button
    }


@cache
def words():
    """Return (resource, word) -> name of the button that does what the word of `allowed_actions`
    says, to one record of the resource.
    """
    found = {}
    for name, route in buttons().items():
        resource, is_of_one, end = route.path.removeprefix("/api/v1/").partition("/<id>/")
        if is_of_one:
            found[resource, route.options.desk.word or end] = name
    return found


def of(request, resource, record, *, without=()):
    """Return the actions that a record allows now and the person may do, as a template shows them.

    `resource` is the name of its records in paths, such as `applications`; `without` are actions
    that the page has in a form of its own.
    """
    found = []
    for word in record.get("allowed_actions") or ():
        name = words().get((resource, word))
        if name is None or name in without or not api.may_call(request, name):
            continue
        if record.get("status") not in buttons()[name].options.desk.unless:
            each = action(request, name, id=record["id"])
            found.append({**each, "label": labels.of_kind(f"do_{name}", record)})
    return sorted(found, key=lambda each: each["is_final"])


def one(request, name, **ids):
    """Return the action as a list, which is empty if the person may not do it."""
    return [action(request, name, **ids)] if api.may_call(request, name) else []


def action(request, name, *, id=None, item_id=None, **fixed):
    """Return an action as a template shows it. `fixed` are fields of its body that are not typed."""
    address = "/".join(str(part) for part in ("do", name, id, item_id) if part is not None)
    return {
        "name": name,
        "address": address,
        "label": f"do_{name}",
        "is_final": buttons()[name].options.desk.is_final,
        "fixed": fixed,
        "has_page": has_page(name, mails.is_configured(desk.running()["eventapi.config"])),
    }


@cache
def has_page(name, can_mail):
    """Return whether an action has a page of its own: to fill in its form, or to ask whether it is
    meant. A form that only asks whether to mail is left out if the server cannot.
    """
    options = buttons()[name].options
    if options.desk.is_final:
        return True
    if not options.schema:
        return False
    names = options.desk.fields
    if names is None:
        names = body_schema(options.schema, "POST")["properties"]
    return any(can_mail or name != "mail" for name in names)


def form_of(request, name, *, without=(), **choices):
    """Return the form of an action, without fields if it needs none.

    It lacks the fields `without`.
    """
    options = buttons()[name].options
    names = options.desk.fields if options.schema else ()
    if names is not None:
        names = [each for each in permitted(request, names) if each not in without]
    kind = options.schema.partition(".")[0] if options.schema else ""
    label = labels.of(request, LABELLED_AS.get(name, kind))
    return Form(
        options.schema or "application.approve",
        "POST",
        label,
        names=names,
        choices=choices,
        language=request.language,
    )


def permitted(request, names):
    """Return the fields of a form that the person may send: `offset` needs the scope for payments,
    `invoices` (what becomes of those of a participant that cancels) that for invoices.
    """
    allowed = {"offset": api.may(request, "payments", writes=True), "invoices": may_credit(request)}
    return [name for name in names if allowed.get(name, True)]


def may_credit(request):
    """Return whether the person may draft credit notes."""
    return api.may(request, "invoices", writes=True)


def ticks(db, name):
    """Return the boxes that are ticked from the start in the form of an action, or of a batch.

    A decision on applications, a contract, what becomes of a booth, and that a participation is
    cancelled, is mailed if the server can send mails. The other links of a person end with the one
    that is revoked. Credit of the customer is offset when an invoice is sent.
    """
    if name == "revoke_link":
        return {"all": ["1"]}
    if name == "send_invoice":
        return {"offset": ["1"]}
    is_told = "application" in name or name in mail_trials.TELLS_OF
    found = {"mail": ["1"]} if is_told and mails.is_configured(db.config) else {}
    if name == "cancel_participant":
        found["invoices"] = ["credit"]
    return found


def choices(request, name, id):
    """Return the options of the fields of an action that name other records, or need other scopes."""
    if name == "copy_event":
        return {"with": copyable(request)}
    if name == "create_participant_contract":
        return {"template_key": contract_templates(request)}
    if name == "offset_invoice":
        return {"invoice_number": open_invoices(request, id)}
    if name == "swap_booth_reservation":
        return {"with": others_with_booth(request, id)}
    if name != "move_booth_reservation" or not api.may_call(request, "list_booths"):
        return {}
    held = api.read("get_booth_reservation", id=id).data
    currency = desk.running()["eventapi.config"].currency
    return {
        "booth_id": [
            (
                str(booth["id"]),
                f"{booth['booth_number']} · {booth['plan_name']} · "
                f"{formats.money(booth['price'], currency, request.language)}",
            )
            for booth in free_booths(held["event_id"])
        ]
    }


def contract_templates(request):
    """Return the templates of contracts, as options of a field."""
    if not api.may_call(request, "list_document_templates"):
        return []
    found = api.everything("list_document_templates", is_contract=1, sort="name", order="ASC")
    return [(row["key"], row["name"]) for row in found]


def copyable(request):
    """Return the parts of an event that the person may copy, as options of a field."""
    label = labels.of(request, "event")
    parts = body_schema("event.copy", "POST")["properties"]["with"]["items"]["enum"]
    return [
        (part, label(f"with={part}")[0])
        for part in parts
        if all(api.may(request, scope, writes=True) for scope in copying.scopes([part]))
    ]


def begun(request, name, id, offered):
    """Return the texts of the form of an action that come from its record and from its options."""
    if name == "create_participant_contract":
        return only_template(offered["template_key"])
    if name != "copy_event":
        return {}
    event = api.read("get_event", id=id).data
    return {"title": [event["title"]], "with": [part for part, _ in offered["with"]]}


def only_template(offered):
    """Return the text of the field for a template of contracts if there is only one."""
    return {"template_key": [offered[0][0]]} if len(offered) == 1 else {}


def others_with_booth(request, id):
    """Return the other confirmed reservations of the event of one, as options of a field."""
    held = api.read("get_booth_reservation", id=id).data
    include = ("participant",) if api.may(request, "participants") else ()
    rows = api.everything(
        "list_booth_reservations",
        include=include,
        event_id=held["event_id"],
        status="confirmed",
        order="ASC",
    )
    return [
        (str(row["id"]), " · ".join(filter(None, (row["booth_number"], name_in(row)))))
        for row in rows
        if row["id"] != held["id"]
    ]


def name_in(reservation):
    """Return the name of the participant in a reservation, or None if it is not included."""
    participant = reservation.get("participant")
    return participant and labels.named(participant)


def open_invoices(request, id):
    """Return the open invoices of the contact of an invoice in its currency, as options of a field."""
    invoice = api.read("get_invoice", id=id).data
    found = api.everything(
        "list_invoices", contact_id=invoice["contact_id"], type="invoice", sort="id", order="ASC"
    )
    options = []
    for row in found:
        is_open = row["is_locked"] and row["open_amount"] > 0
        if is_open and row["currency"] == invoice["currency"]:
            amount = formats.money(row["open_amount"], row["currency"], request.language)
            options.append((row["invoice_number"], f"{row['invoice_number']} · {amount}"))
    return options


def free_booths(event_id):
    """Return the booths of an event that can be held: they are available, and have a price."""
    return [
        booth
        for booth in api.everything(
            "list_booths", event_id=event_id, status="available", sort="booth_number", order="ASC"
        )
        if booth["price"] is not None
    ]


# Pages


@routes.get("/do/<name>/<id>")
@routes.get("/do/<name>/<id>/<item_id>")
@routes.get("/do/<name>")
def get_desk_action(db, request, name, id=None, item_id=None):
    """Return the form of an action, or show it again after a refusal."""
    ids_of(name, id, item_id)
    api.require_call(request, name)
    hidden = buttons()[name].options.desk.fixed
    fixed = request.fields if request.problem else shell.asked(*hidden)
    # what the action is about, too: the item, the booth to move to, or the reservation to swap with
    other_id = item_id or id_of(_first(fixed.get("booth_id") or fixed.get("with") or ""))
    follows = effects.of(request, name, id, other_id, db.config.currency)
    is_chosen = {"booth_id", "with"} & set(follows.without)
    offered = {} if is_chosen else choices(request, name, id)
    made = form_of(request, name, without=follows.without, **offered)
    back = return_path(request)
    if request.problem:
        given = made.compact(request.fields)
    else:
        given = {**made.defaults(), **ticks(db, name), **begun(request, name, id, offered)}
    record = record_about(request, name, id)
    return render_page(
        db,
        request,
        "act",
        about=record and about(request, record),
        form=made,
        given=given,
        back=back,
        action=action(request, name, id=id, item_id=item_id),
        label=labels.of_kind(f"do_{name}", record or {}),
        follows=follows,
        no_account=follows.lacks_account
        and gaps.no_account(db, request, "invoice_without_account"),
        may_credit=follows.reopens
        and not follows.credit_note_id
        and api.may_call(request, "credit_invoice"),
        mail=None
        if follows.chooses_first
        else tried_mail(request, db.config, name, id, made, given, fixed),
        fixed={
            key: _first(value)
            for key, value in fixed.items()
            if key in hidden and key not in [each.name for each in made.fields]
        },
    )


def tried_mail(request, config, name, id, made, given, fixed):
    """Return the mail that an action would send with what its form begins with, or None.

    `fixed` are its hidden fields.
    """
    resource = buttons()[name].path.removeprefix(api.ROOT).partition("/")[0]
    names = [each.name for each in made.fields]
    if id is None or not mail_trials.offers(request, config, name, resource, names):
        return None
    try:
        body = made.body(given)
    except Problem:  # something is to be filled in first
        return None
    return mail_trials.of_action(name, {"id": id}, {**body, **fixed_of(name, fixed)})


def ids_of(name, id, item_id):
    """Return the ids of an action as its route takes them.

    Raise 404 for another action, or for other ids.
    """
    ids = {key: value for key, value in (("id", id), ("item_id", item_id)) if value is not None}
    route = buttons().get(name)
    if route is None or set(ids) != set(re.findall(r"<(\w+)>", route.path)):
        raise not_found("page", shell.address())
    return ids


def about(request, record):
    """Return the name of the record that an action is about, with that of its exhibitor or customer:
    `A1 · Rosen KG`.
    """
    name = labels.invoice_number(labels.words(request), labels.record_name(record))
    owner = record.get("participant") or record.get("contact")
    if owner is None or labels.title_of(record) is None:
        return name
    return f"{name} · {labels.named(owner)}"


def record_about(request, name, id):
    """Return the record that an action is about, or None if the person may not read it."""
    path = buttons()[name].path.partition("<id>")[0]
    reader = api.names().get(("GET", f"{path}<id>"))
    if not id or not reader or not api.may_call(request, reader):
        return None
    include = NAMED_BY.get(reader, ()) if api.may(request, "contacts") else ()
    return api.read(reader, id=id, include=include).data


def _first(value):
    return value[0] if isinstance(value, list) else value


@routes.post("/do/<name>/<id>", batch=True, shows=get_desk_action)
@routes.post("/do/<name>/<id>/<item_id>", batch=True, shows=get_desk_action)
@routes.post("/do/<name>", batch=True, shows=get_desk_action)
def do_desk_action(request, name, id=None, item_id=None):
    """Run an action of the API, and go back to the page that it was started from."""
    ids = ids_of(name, id, item_id)
    if name == "refund_payment" and "credit_first" in request.fields:
        return credit_first(request, id)
    made = form_of(request, name)
    body = {**made.body(made.compact(request.fields)), **fixed_of(name, request.fields)}
    return once(
        request,
        name,
        ids,
        body if buttons()[name].options.schema else None,
        lambda response: page_requests.see_other(
            request, target_after(request, name, id, response)
        ),
    )


def credit_first(request, id):
    """Credit the whole invoice of a payment, and go back to the page that refunds the payment."""
    invoice_id = api.read("get_payment", id=id).data["invoice_id"]

    def lead(response):
        address = f"do/refund_payment/{id}?{urlencode({'back': return_path(request)})}"
        target = with_message(address, "credit_invoice", [response.data["id"]])
        return page_requests.see_other(request, target)

    return once(request, "credit_invoice", {"id": invoice_id}, {"whole": True}, lead)


def target_after(request, name, id, response):
    """Return the address after an action of the record with this id, or of none.

    It is where the action was started from, or the new record if it has made one.
    """
    if name == "create_participant_invoice":
        made = list(dict.fromkeys([response.data["id"], *response.meta["credit_notes"]]))
        word = f"{name}_and_credit" if len(made) > 1 else name
        return with_message(f"invoices/{response.data['id']}", word, made)
    record = record_of(name, id or (response.data or {}).get("id"))
    if name == "send_invoice":
        word = labels.of_kind(f"{name}_{response.data['delivery']}", response.data)
        return with_message(return_path(request), word, of=record)
    if name == "copy_event":
        address = f"setup?event={response.data['event_key']}"
        return with_message(address, name, of=f"events/{response.data['id']}")
    if name == "delete_invoice":  # its page is gone
        return with_message("money", name)
    made = response.meta.get("credit_note_ids", ())
    word = labels.of_kind(name, response.data or {})
    return with_message(return_path(request), word, made, of=record)


def fixed_of(name, fields):
    """Return the part of the body of an action that its page has put into hidden fields, as JSON types."""
    texts = {}
    for each in buttons()[name].options.desk.fixed:
        text = _first(fields.get(each) or [""]).strip()
        if text:
            texts[each] = text
    if name == "assign_unmatched_payment":
        return assigned(texts)
    found = {each: id_or_text(each, text) for each, text in texts.items()}
    if "waitlist" in found:
        found["waitlist"] = True
    if "with" in found:
        found["with"] = id_of(texts["with"]) or texts["with"]
    return found


def assigned(texts):
    """Return the invoice that gets the money of a bank transaction; without one, the proposals are accepted."""
    if "assign_number" not in texts:
        return {}
    invoice = {"invoice_number": texts["assign_number"]}
    for each in ("amount", "invoice_amount"):
        if f"assign_{each}" in texts:
            invoice[each] = number(texts[f"assign_{each}"], "en")
    return {"invoices": [invoice]}


def run(request, name, ids, body, *, tag=None, upload=None, query="", keeper=None):
    """Run a route of the API that opens its own transactions, or that only reads.

    Return its response. `keeper` keeps the results of a batch.
    """
    return desk.call(
        api.routes()[name], ids, body=body, tag=tag, upload=upload, query=query, keeper=keeper
    )


def once(request, name, ids, body, lead, *, tag=None, upload=None, query=None):
    """Run a route of the API once for the form that was sent, and return the redirection
    `lead(response)`.

    `query` are parameters of the route. The redirection is kept in the transaction of the change, so
    that pressing a button twice does nothing twice.
    """
    page = desk.running()

    def within(act):
        def redirected():
            response = act()
            with desk.bound(page):
                return lead(response if isinstance(response, Response) else Response(response))

        return idempotency.form_once(page, redirected)

    return desk.call(
        api.routes()[name],
        ids,
        body=body,
        tag=tag,
        within=within,
        upload=upload,
        query=urlencode(query or {}),
    )


def return_path(request):
    """Return the address within the desk to go back to: that of the form, or of the query."""
    text = _first(request.fields.get("back")) or shell.asked("back").get("back") or ""
    return text if BACK.fullmatch(text) else ""


def record_of(name, id):
    """Return the address in the API of the record that an action is about: `booths/12`."""
    resource = api.routes()[name].path.removeprefix(api.ROOT).partition("/")[0]
    return f"{resource}/{id}" if id else None


def with_message(address, word, made=(), of=None):
    """Return an address of the desk that says what was done, for the event in hand.

    `made` are the ids of the invoices and credit notes that were made; the page names them. `of` is
    the address in the API of the record that the sentence names, such as `booths/12`.
    """
    event = {} if "event=" in address else shell.asked("event")
    said = {"done": word, **event}
    if of:
        said["of"] = of
    if made:
        said["made"] = ",".join(map(str, made))
    return f"{address}{'&' if '?' in address else '?'}{urlencode(said, safe='/')}"


@contextmanager
def picture(upload):
    """Yield an uploaded picture as the `upload` of a call of the API.

    Raise 422 if the file is no picture of a kind that the route takes: the page of the form says it,
    in place of a page about the request.
    """
    with open(upload.path, "rb") as file:
        try:
            # The bytes of the file say which kind it is.
            yield images.PNG, file, upload.size
        except Problem as problem:
            if problem.code != "unsupported_media_type":
                raise
            raise invalid_at("/file", "picture_format", problem.detail) from None
