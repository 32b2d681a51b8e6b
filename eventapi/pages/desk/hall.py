"""The hall at the desk: the plan with names and prices, one booth with its reservations, and the
holds that end.
"""

import json
from functools import lru_cache

from eventapi.domain.halls import plan_pictures
from eventapi.pages.desk import actions, api, choices, events, labels
from eventapi.pages.desk.exhibitor import with_buttons
from eventapi.pages.desk.page import render_page
from eventapi.pictures.hall import page as hall_page
from eventapi.storage.database import as_json
from eventapi.web.html import page_requests, shell
from eventapi.web.html.schema_forms import Form
from eventapi.web.routes import Routes

routes = Routes(
    "desk-hall",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
EXHIBITING = ("exhibitor", "co_exhibitor", "sponsor")  # roles for which a booth can be held
# status of a booth -> its class in the plan
CLASSES = {"available": "p-free", "reserved": "p-held", "sold": "p-sold", "blocked": "p-shut"}


@routes.get("/hall")
def get_desk_hall(db, request):
    """Return the first plan of the event in hand, or the plan that `?plan=` names."""
    event, asked = events.required(db), shell.asked("plan", "event")
    plans = api.everything("list_plans", event_id=event["id"], sort="sort_order", order="ASC")
    plan = next(
        (row for row in plans if str(row["id"]) == asked.get("plan")), plans[0] if plans else None
    )
    picture, names = drawn(db, plan, request.language) if plan else (None, {})
    warnings = api.read("list_plan_warnings", id=plan["id"]).data["warnings"] if plan else []
    return render_page(
        db,
        request,
        "hall",
        menu="hall",
        current=event,
        plans=plans,
        plan=plan,
        plan_drawing=picture,
        booths=plan and booths_of(plan),
        names=names,
        warnings=warnings,
        asked={},
    )


def drawn(db, plan, language):
    """Return (SVG of a plan for the office, id of a booth -> name of its exhibitor).

    Each booth leads to its page.
    """
    hall = plan_pictures.read(db, plan["id"], "internal", language)
    names = {booth["id"]: booth["exhibitor"] for booth in hall["booths"] if booth["exhibitor"]}
    return drawing(as_json(hall), plan["plan_name"], shell.up()), names


@lru_cache(maxsize=16)
def drawing(hall, name, up):
    """Return the SVG of a hall, given as JSON. Drawing takes longer than all else on the page, so
    some are kept.
    """
    return hall_page.draw(
        json.loads(hall),
        name,
        lambda booth: f"{up}desk/booths/{booth['id']}",
        lambda booth: CLASSES.get(booth["status"]),
    )


def booths_of(plan):
    """Return the booths of a plan in the order of their numbers."""
    return api.everything("list_booths", plan_id=plan["id"], sort="booth_number", order="ASC")


@routes.get("/booths/<id>")
def get_desk_booth(db, request, id):
    """Return one booth: its size and price, who has it, who waits for it, and what can be done."""
    booth = api.record("get_booth", id)
    event, asked = events.by_key(db, booth["event_key"]), shell.asked("q")
    found, _ = api.rows(
        "list_booth_reservations",
        include=("participant", "allowed_actions"),
        booth_id=id,
        order="ASC",
        per_page=50,
    )
    live = [
        with_buttons(request, "booth-reservations", row)
        for row in found
        if row["status"] in ("pending", "confirmed", "waitlisted")
    ]
    people = (
        candidates(request, event, asked.get("q"))
        if api.may_call(request, "create_booth_reservation")
        else None
    )
    return render_page(
        db,
        request,
        "booth",
        menu="hall",
        current=event,
        title=booth["booth_number"],
        booth=booth,
        live=live,
        past=[row for row in found if row["status"] in ("cancelled", "expired")],
        people=people,
        asked=asked,
        taken=any(row["status"] != "waitlisted" for row in live),
        reserve=actions.action(request, "create_booth_reservation"),
    )


def candidates(request, event, search):
    """Return up to ten participants that a search finds, for whom a booth can be held."""
    if not search or not api.may(request, "participants"):
        return []
    rows, _ = api.rows(
        "list_participants", include=("contact",), event_id=event["id"], search=search, per_page=20
    )
    return [row for row in rows if row["role"] in EXHIBITING and row["status"] != "cancelled"][:10]


@routes.get("/hall/holds")
def get_desk_holds(db, request):
    """Return the holds of the event in hand, the one that ends first on top."""
    event = events.required(db)
    rows, total = api.rows(
        "list_booth_reservations",
        include=("booth", "participant"),
        event_id=event["id"],
        status="pending",
        per_page=100,
    )
    rows = sorted(rows, key=lambda row: row["expires_at"] or "9")
    return render_page(
        db, request, "holds", menu="hall", current=event, rows=rows, total=total, asked={}
    )


# Setting up a hall: booths in rows, and as a table

ROW = (
    "first",
    "count",
    "x",
    "y",
    "width",
    "depth",
    "gap",
    "direction",
    "back_to_back",
    "booth_type_key",
)


@routes.get("/hall/layout/<id>")
def get_desk_layout(db, request, id):
    """Return the form for rows of booths, with the plan beside it and what is wrong with it."""
    plan = api.record("get_plan", id)
    event = events.by_key(db, plan["event_key"])
    form = layout(request)
    given = form.compact(request.fields) if request.problem else {}
    picture, names = drawn(db, plan, request.language)
    return render_page(
        db,
        request,
        "layout_rows",
        menu="setup",
        current=event,
        plan=plan,
        form=form,
        given=given,
        id=id,
        plan_drawing=picture,
        names=names,
        booths=booths_of(plan),
        warnings=api.read("list_plan_warnings", id=id).data["warnings"],
        asked={},
        may_write=api.may_call(request, "create_booth"),
    )


def layout(request):
    """Return the form of rows of booths."""
    return Form(
        "booth.layout",
        "POST",
        labels.of(request),
        names=["rows"],
        without=("rows/rotation",),
        choices=choices.of(request, ["rows"]),
        language=request.language,
    )


@routes.post("/hall/layout/<id>", batch=True, shows=get_desk_layout)
def add_desk_rows(request, connections, id):
    """Place rows of booths, all of them or none."""
    form = layout(request)
    body = {"action": "layout", "plan_id": id, **form.body(form.compact(request.fields))}
    actions.run(request, "batch_booths", {}, body)
    return page_requests.see_other(request, f"hall/layout/{id}?done=layout")
