"""A new exhibitor or visitor at the desk, on one page: a contact or a new one, and the category; for
an exhibitor booth and access, too.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from eventapi.errors import Problem
from eventapi.languages import formats
from eventapi.pages.desk import actions, api, events, labels
from eventapi.pages.desk.page import render_page
from eventapi.validation.schema_files import document
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import Field, id_of
from eventapi.web.html.schema_forms import Form
from eventapi.web.routes import Routes

routes = Routes(
    "desk-new-exhibitor",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

ADDRESS = ("address", "postal_code", "city", "country")  # folded on the page
ASKED = ("company_name", "first_name", "last_name", "email", "phone", *ADDRESS)  # of a new contact
FOUND = 8  # contacts that a search shows
NAMED = ("contact_id", "host_participant_id")  # records that come from the page before
BESIDE = ("booth_id", "access")  # fields of the form that are no part of the participant


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Who is new at a show.

    role: of a participant without category, and the word `new_ROLE` of the page.
    address: of the page.
    menu: part of the menu, which is the address of the list, too.
    roles: of the categories that the page offers.
    """

    role: str
    address: str
    menu: str
    roles: tuple


EXHIBITOR = Newcomer(
    "exhibitor", "exhibitors/new", "exhibitors", ("exhibitor", "co_exhibitor", "sponsor")
)
VISITOR = Newcomer("visitor", "visitors/new", "visitors", ("visitor", "press", "speaker", "staff"))


@routes.get("/exhibitors/new")
def get_desk_new_exhibitor(db, request):
    """Return the form of a new exhibitor, or of a new co-exhibitor with `host_participant_id`.

    `contact_id` takes a contact. With `q`, the page offers those that a search finds.
    """
    return page_of(db, request, EXHIBITOR)


@routes.get("/visitors/new")
def get_desk_new_visitor(db, request):
    """Return the form of a new visitor, or of somebody else who is no exhibitor. The query is that of
    a new exhibitor.
    """
    return page_of(db, request, VISITOR)


def page_of(db, request, newcomer):
    """Return the page of a Newcomer."""
    api.require_call(request, "create_participant")
    event = events.required(db)
    named = named_of(request.fields if request.problem else shell.asked(*NAMED))
    categories = categories_of(request, event, newcomer)
    form = form_of(request, db.config, event, named, newcomer, categories)
    if request.problem:
        given = form.compact(request.fields)
    else:
        given = started(form, newcomer, categories)
    return render_page(
        db,
        request,
        "new_exhibitor",
        menu=newcomer.menu,
        title=labels.words(request)[f"new_{newcomer.role}"],
        current=event,
        newcomer=newcomer,
        address_fields=[f"contact/{name}" for name in ADDRESS],
        asked=shell.asked("q"),
        form=form,
        given=given,
        fixed=named,
        contact=read(request, "get_contact", named.get("contact_id")),
        host=read(request, "get_participant", named.get("host_participant_id"), ("contact",)),
        found=found(request, event),
        known=known(request),
        taken_by=request.problem.members.get("participant_id") if request.problem else None,
        may_find=api.may_call(request, "list_contacts"),
    )


def named_of(given):
    """Return the ids that the query or the form names, by field."""
    named = {}
    for name in NAMED:
        value = given.get(name)
        id = id_of((value[0] if isinstance(value, list) else value) or "")
        if id:
            named[name] = id
    return named


def categories_of(request, event, newcomer):
    """Return the categories that a Newcomer may have, or None if the person may not read them."""
    if not api.may_call(request, "list_categories"):
        return None
    rows = api.everything("list_categories", event_key=event["event_key"])
    return [row for row in rows if row["role"] in newcomer.roles]


def started(form, newcomer, categories):
    """Return the texts of the form before somebody types; the page before may have chosen some.

    A visitor is confirmed, and has the first category of visitors.
    """
    given = form.defaults()
    if newcomer is VISITOR:
        given["is_confirmed"] = ["1"]
        for row in categories or ():
            if row["role"] == VISITOR.role:
                given["category_key"] = [row["category_key"]]
                break
    chosen = shell.asked("category_key", "booth_id")
    return {**given, **{name: [text] for name, text in chosen.items()}}


def read(request, name, id, include=()):
    """Return the record with this id, only its id to those who may not read it, and None without
    one.
    """
    if id and not api.may_call(request, name):
        return {"id": id}
    return api.read(name, id=id, include=include).data if id else None


def found(request, event):
    """Return the contacts that the search finds, each with `participant_id` if it takes part in the
    event; None without a search.
    """
    words = shell.asked("q").get("q")
    if not words or not api.may_call(request, "list_contacts"):
        return None
    rows, _ = api.rows("list_contacts", include=("events",), search=words, per_page=FOUND)
    for row in rows:
        row["participant_id"] = next(
            (each["participant_id"] for each in row["events"] if each["id"] == event["id"]), None
        )
    return rows


def known(request):
    """Return the contacts that have the e-mail address of the new one already, if it was refused
    for that.
    """
    problem = request.problem
    if problem is None or problem.code != "duplicate_contact":
        return []
    ids = ",".join(map(str, problem.members["contact_ids"][:FOUND]))
    return api.rows("list_contacts", ids=ids, order="ASC")[0]


def form_of(request, config, event, named, newcomer, categories):
    """Return the form: the new contact unless one is chosen, category, booth, and what to do then.

    A co-exhibitor gets no booth, and a visitor neither booth nor access.
    """
    asks_contact = "contact_id" not in named and api.may(request, "contacts", writes=True)
    names = (*(("contact",) if asks_contact else ()), "category_key", "is_confirmed")
    others = [name for name in document("contact")["properties"] if name not in ASKED]
    label = labels.of(request, f"new_{newcomer.role}")
    offered = {}
    if categories is not None:
        offered["category_key"] = [(row["category_key"], row["title"]) for row in categories]
    form = Form(
        "participant",
        "POST",
        label,
        names=names,
        without=[f"contact/{name}" for name in others],
        choices=offered,
        language=request.language,
    )
    if newcomer is VISITOR:
        return form
    is_host = "host_participant_id" not in named
    if is_host and api.may_call(request, "create_booth_reservation"):
        options = [("", label("booth_id=none")[0])]
        for booth in actions.free_booths(event["id"]):
            price = formats.money(booth["price"], config.currency, request.language)
            options.append(
                (str(booth["id"]), f"{booth['booth_number']} · {booth['plan_name']} · {price}")
            )
        booth = Field("booth_id", "/booth_id", label("booth_id")[0], "select", options=options)
        form.fields.insert(-1, booth)
    if api.may_call(request, "create_participant_link"):
        text, help = label("access")
        form.fields.append(Field("access", "/access", text, "checkbox", help=help))
    return form


@routes.post("/exhibitors/new", batch=True, shows=get_desk_new_exhibitor)
def make_desk_exhibitor(request, config, connections):
    """Create the exhibitor, with its contact if none was chosen; then hold the booth, and mail the
    link.

    Raise 409 `duplicate_contact` if the address is known: the page offers to take that contact, or
    to create another one.
    """
    return made_of(request, config, connections, EXHIBITOR)


@routes.post("/visitors/new", batch=True, shows=get_desk_new_visitor)
def make_desk_visitor(request, config, connections):
    """Create the visitor, with its contact if none was chosen. Raise as for a new exhibitor."""
    return made_of(request, config, connections, VISITOR)


def made_of(request, config, connections, newcomer):
    """Create a Newcomer with what the form says, and return the redirection to its page."""
    event = events.of_form(connections.reader())
    named = named_of(request.fields)
    categories = categories_of(request, event, newcomer)
    form = form_of(request, config, event, named, newcomer, categories)
    given = form.body(form.compact(request.fields))
    body = {name: value for name, value in given.items() if name not in BESIDE}
    if "anyway" in request.fields:
        return another_contact(request, event, body, given, newcomer)
    if "contact_id" not in named:
        body.setdefault("contact", {})
    role = role_of(newcomer, named, body.get("category_key"), categories)
    made = []

    def lead(response):
        made.append(response.data)
        return led_to(request, response.data, "new_exhibitor")

    answer = actions.once(
        request,
        "create_participant",
        {},
        {**body, **named, "event_key": event["event_key"], "role": role},
        lead,
    )
    if not made:  # the button was pressed twice
        return answer
    left = further(request, made[0], given)
    return led_to(request, made[0], f"new_exhibitor_{left}") if left else answer


def role_of(newcomer, named, category_key, categories):
    """Return the role of a Newcomer. That of a visitor follows from the category."""
    if "host_participant_id" in named:
        return "co_exhibitor"
    if newcomer is VISITOR:
        for row in categories or ():
            if row["category_key"] == category_key:
                return row["role"]
    return newcomer.role


def another_contact(request, event, body, given, newcomer):
    """Create the contact although its address is known, and go on with it."""
    chosen = {name: given[name] for name in ("category_key", "booth_id") if given.get(name)}

    def lead(response):
        query = {"contact_id": response.data["id"], **chosen, "event": event["event_key"]}
        return page_requests.see_other(request, f"{newcomer.address}?{urlencode(query)}")

    return actions.once(request, "create_contact", {}, body.get("contact", {}), lead)


def led_to(request, participant, done):
    """Return the redirection to the page of a new exhibitor, which says what was done."""
    address = f"exhibitors/{participant['id']}"
    of = f"participants/{participant['id']}"
    return page_requests.see_other(request, actions.with_message(address, done, of=of))


def further(request, participant, given):
    """Hold the booth of a new exhibitor, confirm it with the exhibitor, and mail the link.

    Return `booth` or `access` for the first of them that was refused, or None.
    """
    refused = None
    if given.get("booth_id"):
        booth_id = id_of(given["booth_id"])
        body = {"booth_id": booth_id, "event_participant_id": participant["id"]}
        try:
            held = actions.run(request, "create_booth_reservation", {}, body).data
            if participant["is_confirmed"]:
                actions.run(request, "confirm_booth_reservation", {"id": held["id"]}, None)
        except Problem as problem:
            if problem.status >= 500:
                raise
            refused = "booth"
    if given.get("access"):
        try:
            actions.run(request, "create_participant_link", {"id": participant["id"]}, {})
        except Problem as problem:
            if problem.status >= 500:
                raise
            refused = refused or "access"
    return refused
