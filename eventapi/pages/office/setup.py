"""What a show is made of, and the steps of a first show in their order."""

from eventapi.pages.desk import api, edit, events, gaps, taxes
from eventapi.pages.office.page import render_page
from eventapi.web.routes import Routes

routes = Routes(
    "desk-setup",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

SETUP = (
    "categories",
    "booth_types",
    "service_categories",
    "services",
    "submission_types",
    "dunning_levels",
)


@routes.get("/setup")
def get_desk_setup(db, request):
    """Return what a show is made of, with what is missing on top: the steps of a first show, in
    their order.
    """
    event = events.current(db)
    lists = {
        name: api.rows(f"list_{name}", per_page=100, **of(name, event))
        for name in SETUP
        if api.may_call(request, f"list_{name}")
    }
    plans = (
        api.rows("list_plans", include=("booth_count",), event_id=event["id"])
        if event and api.may_call(request, "list_plans")
        else ([], 0)
    )
    is_public = bool(event and api.read("get_event_pages", id=event["id"]).data["is_public"])
    return render_page(
        db,
        request,
        "setup",
        page="setup",
        current=event,
        lists=lists,
        kinds=edit.KINDS,
        plans=plans[0],
        steps=steps(request, event, lists, plans[0], is_public),
        abroad=taxes.abroad(request, db.config.organiser_country, event),
        lacks=[
            lack for lack in gaps.told(db, request, has_show=True) if lack.code != "no_mail_server"
        ],
        may_edit=lambda name: api.may_call(request, f"create_{edit.KINDS[name].handler}"),
    )


def of(name, event):
    """Return the filter of a list for the event in hand."""
    return {"event_id": event["id"]} if event and name in ("services", "submission_types") else {}


def steps(request, event, lists, plans, is_public):
    """Return (step, address, whether it is done) of setting up a show.

    The address is None if the person may not.
    """

    def step(name, kind, is_done):
        is_allowed = api.may_call(
            request, edit.handler_of(edit.KINDS[kind.partition("/")[0]], None)
        )
        return name, f"edit/{kind}" if is_allowed else None, is_done

    def list_of(name):
        return step(name, name, bool(lists.get(name, ([], 0))[1]))

    return [
        step("event", f"events/{event['id']}" if event else "events", event is not None),
        list_of("categories"),
        list_of("booth_types"),
        step("plan", "plans", bool(plans)),
        (
            "booths",
            f"hall/layout/{plans[0]['id']}" if plans else "hall",
            any(plan["booth_count"] for plan in plans),
        ),
        list_of("services"),
        list_of("submission_types"),
        list_of("dunning_levels"),
        ("pages", f"settings/{event['id']}" if event else "setup", is_public),
    ]
