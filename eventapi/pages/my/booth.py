"""The booth: choosing one in the plan or in the list, holding, moving, giving back and confirming
it.
"""

from functools import lru_cache
from html import escape
from urllib.parse import urlencode

from eventapi.domain.portal import choosing, evidence
from eventapi.pages.my import page
from eventapi.pictures.hall import page as hall_page
from eventapi.web.html import page_requests, shell
from eventapi.web.routes import Routes

routes = Routes("my-booth", root="/my/<ref>", **page.PAGE)
RIGHT = "booth"
HOME = "{home}"  # in what all share, in place of the address of the pages
LISTED = ("booth_number", "plan_key", "booth_type_name", "width", "depth", "price")


@routes.get("/booth")
def get_my_booth(db, request):
    """Return the hall with the free booths, the chosen one with its price, and the own one."""
    exhibitor = page.open_page(db, request, RIGHT)
    asked = shell.asked("booth", "plan")
    number = asked.get("booth") or request.fields.get("booth_number", [None])[0]

    with db.snapshot():
        choice = choosing.view(db, exhibitor.participant, exhibitor.event, exhibitor.pages, number)
        plans = []
        if choice.may_choose and not exhibitor.is_over:
            plans = choosing.plans(db, exhibitor.participant)
        key = asked.get("plan")
        if not key and choice.chosen:
            key = choice.chosen["plan_key"]
        plan = plan_of(plans, key)
        plan_drawing = drawn(db, request, exhibitor, plan, choice) if plan else ""

    rows = tuple(tuple(row[name] for name in LISTED) for row in choice.free)
    return page.render_page(
        db,
        request,
        exhibitor,
        "booth",
        choice=choice,
        plans=plans,
        plan=plan,
        plan_drawing=plan_drawing,
        free_rows=listed(rows, request.language, db.config.currency).replace(HOME, request.home()),
    )


def plan_of(plans, key):
    """Return the plan with a key, or else the first one. Return None if there are no plans."""
    for plan in plans:
        if plan["plan_key"] == key:
            return plan
    return plans[0] if plans else None


@lru_cache(maxsize=8)
def listed(rows, language, currency):
    """Return the rows of the list of free booths, tuples of LISTED. All exhibitors with the same
    prices share it.
    """
    return shell.template(page.PACKAGE, "free").render(
        rows=[dict(zip(LISTED, row, strict=True)) for row in rows],
        home=HOME,
        w=lambda word, **parts: page_requests.words(page.PACKAGE, language)[word].format(**parts),
        **page.formatters(currency, language, None),
    )


def drawn(db, request, exhibitor, plan, choice):
    """Return the SVG of a plan, in which each free booth is a link and the own ones are marked.

    Exhibitors with the same free booths share a drawing without marks, which is kept until the show
    changes.
    """
    free = frozenset(row["id"] for row in choice.free)
    key = (
        "booths",
        str(db.config.database),
        db.config.revision,
        plan["id"],
        choosing.revision(db, exhibitor.participant),
        free,
        request.language,
    )
    text = shell.PAGES.get(
        key, lambda: drawing(choosing.hall(db, exhibitor.event, plan, free, request.language), plan)
    )
    for row in choice.own:
        text = marked(text, row["booth_number"])
    if choice.chosen:
        text = marked(text, choice.chosen["booth_number"])
    return text.replace(HOME, request.home())


def drawing(hall, plan):
    """Return the SVG of a hall as all exhibitors see it: none is marked as own, and links begin
    with HOME.
    """
    return hall_page.draw(
        hall,
        plan["name"],
        lambda booth: (
            f"{HOME}booth?{urlencode({'booth': booth['booth_number'], 'plan': plan['plan_key']})}#chosen"
            if booth["status"] == "available"
            else None
        ),
        mark=lambda booth: "free" if booth["status"] == "available" else "",
    )


def marked(text, number):
    """Return a drawing with one booth marked as the own one, if it is on this plan."""
    start = text.find(f' id="{escape(f"b-{number}")}"')
    if start < 0:
        return text
    end = text.index(">", start)
    return (
        text[:start] + text[start:end].replace(' class="free"', "") + ' class="mine"' + text[end:]
    )


@routes.post("/booth/hold", schema="portal_forms.booth", shows=get_my_booth)
def hold_my_booth(db, request, body):
    """Hold a booth, or move the hold to it."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    choosing.choose(
        db, exhibitor.participant, exhibitor.event, exhibitor.pages, body["booth_number"]
    )
    return page_requests.see_other(request, "booth", done="held")


@routes.post("/booth/give-back", schema="portal_forms.reservation", shows=get_my_booth)
def give_back_my_booth(db, request, body):
    """Give back the booth that is held."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    choosing.give_back(db, exhibitor.participant, own(db, exhibitor, body["reservation_id"]))
    return page_requests.see_other(request, "booth", done="given_back")


@routes.get("/booth/confirm/<reservation_id:int>")
def get_my_confirmation(db, request, reservation_id):
    """Return the page with all amounts, before the booth is confirmed bindingly."""
    exhibitor = page.open_page(db, request, RIGHT)
    row = own(db, exhibitor, reservation_id)
    if request.problem is None and not (
        row["status"] == "pending"
        and row["price"] is not None
        and choosing.may_confirm(exhibitor.participant, exhibitor.pages)
    ):
        return page_requests.see_other(request, "booth")
    return page.render_page(
        db,
        request,
        exhibitor,
        "confirm",
        row=row,
        hash=evidence.digest(choosing.facts(db, exhibitor.event, row)),
    )


@routes.post(
    "/booth/confirm/<reservation_id:int>",
    schema="portal_forms.confirmation",
    shows=get_my_confirmation,
)
def confirm_my_booth(db, request, reservation_id, body):
    """Confirm the booth bindingly."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    choosing.confirm(
        db,
        exhibitor.participant,
        exhibitor.event,
        exhibitor.pages,
        own(db, exhibitor, reservation_id),
        page.step(request, body["shown"]),
    )
    return page_requests.see_other(request, "booth", done="confirmed")


def own(db, exhibitor, id):
    return page.found(choosing.own_booth(db, exhibitor.participant, id), "booth", id)
