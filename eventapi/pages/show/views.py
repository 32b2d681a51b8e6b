"""The pages of a public show: start, exhibitors, plan and programme, each as HTML and, with .json,
as data.

An event that is not public does not exist here: its pages are 404.
"""

from dataclasses import dataclass, replace
from itertools import groupby

from eventapi import times
from eventapi.domain.public_forms import openings
from eventapi.domain.shows import directory
from eventapi.errors import Problem, not_found
from eventapi.languages import event_words
from eventapi.pictures.hall import page as hall_page
from eventapi.web.html import page_requests, shell
from eventapi.web.rest import Response, mail_base_url
from eventapi.web.routes import JSON, Routes

routes = Routes("shows", root="/e", public=True)
HTML = {"page": True, "forms": ("text/html",)}
PACKAGE = "eventapi.pages.show"
SHOWN = (
    "event_key",
    "title",
    "venue",
    "address",
    "postal_code",
    "city",
    "country",
    "first_day",
    "last_day",
    "opening_hours",
    "contact_email",
    "contact_phone",
)
DRAWN = ("start", "plan", "exhibitor")  # pages with a plan, or a piece of one
MOST_LISTED = 5000  # exhibitors that a process keeps
LISTS = {}
MOMENTS = {}  # (data directory, event) -> (its key, result) of `moment`
HALL = "hall"  # value of a page whose plan is drawn; .json does not have it
BOOTH = ("booth_number", "booth_name", "status", "exhibitor", "exhibitor_id", "slug")


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a request for a page of a show asks for.

    `part` is the name of the template, `query` has the parameters `q` and `category` that were
    sent. With `embed`, another web site shows the page in a frame.
    """

    part: str
    language: str
    query: dict[str, str]
    embed: bool


@routes.get("/<event_key>", **HTML)
@routes.get("/<event_key>.json", forms=(JSON,), response="show")
def get_show(db, event_key):
    """Return the first page of a show: what, when and where, its exhibitors and its first plan."""

    def content(show, language):
        values = with_exhibitors(db, show, language)
        values["plans"] = directory.plans(db, show)
        return values

    return show_page(db, event_key, "start", content)


@routes.get("/<event_key>/exhibitors", **HTML)
@routes.get(
    "/<event_key>/exhibitors.json",
    forms=(JSON,),
    response="show.exhibitors_page",
    query="show.query",
)
def get_show_exhibitors(db, event_key):
    """Return the exhibitors: all, those of a `category`, or those whose name, products or booths
    have the words of `q`.
    """
    query = shell.asked("q", "category")

    def content(show, language):
        return with_exhibitors(db, show, language, **query)

    return show_page(db, event_key, "exhibitors", content, query)


def with_exhibitors(db, show, language, **query):
    """Return the values of a page with the listed exhibitors, or with those that match `q` and
    `category`.
    """
    exhibitors = everybody(db, show, language)
    return {
        "show": about_show(show, language),
        "exhibitors": directory.brief(directory.matching(exhibitors, **query)),
        "categories": directory.categories(exhibitors),
    }


@routes.get("/<event_key>/exhibitors/<exhibitor>", **HTML)
@routes.get(
    "/<event_key>/exhibitors/<exhibitor>.json", forms=(JSON,), response="show.exhibitor_page"
)
def get_show_exhibitor(db, event_key, exhibitor):
    """Return one exhibitor, named by its id and, for people, by its name: `12-garden-ltd`."""

    def content(show, language):
        exhibitors, own = listed(db, show, language, exhibitor)
        hosted = [row for row in exhibitors if row["host"] and row["host"]["id"] == own["id"]]
        slots = []
        for slot in directory.programme(db, show, exhibitors):
            if own["id"] in [host["id"] for host in slot["exhibitors"]]:
                slots.append(slot)
        return {
            "show": about_show(show, language),
            "exhibitor": own,
            "co_exhibitors": directory.brief(hosted),
            "slots": slots,
        }

    return show_page(db, event_key, "exhibitor", content, name=exhibitor.partition("-")[0])


def listed(db, show, language, exhibitor):
    """Return all listed exhibitors, and the one that an address such as `12-garden-ltd` names.

    Raise 404.
    """
    exhibitors = everybody(db, show, language)
    id = exhibitor.partition("-")[0]
    for row in exhibitors:
        if str(row["id"]) == id:
            return exhibitors, row
    raise not_found("exhibitor", exhibitor)


@routes.get("/<event_key>/plan/<plan_key>", **HTML)
@routes.get("/<event_key>/plan/<plan_key>.json", forms=(JSON,), response="show.plan_page")
def get_show_plan(db, event_key, plan_key):
    """Return a plan: its booths, and who is there."""

    def content(show, language):
        exhibitors = everybody(db, show, language)
        hall = directory.hall(db, show, plan_key, exhibitors, language)
        if hall is None:
            raise not_found("plan", plan_key)
        values = {
            "show": about_show(show, language),
            "plans": directory.plans(db, show),
            "plan": {
                "plan_key": plan_key,
                "name": hall["name"],
                "booths": [{name: booth[name] for name in BOOTH} for booth in hall["booths"]],
            },
        }
        if not shell.is_json():
            values[HALL] = hall
        return values

    return show_page(db, event_key, "plan", content, name=plan_key)


@routes.get("/<event_key>/programme", **HTML)
@routes.get("/<event_key>/programme.json", forms=(JSON,), response="show.programme_page")
def get_show_programme(db, event_key):
    """Return the public schedule slots by day."""

    def content(show, language):
        slots = directory.programme(db, show, everybody(db, show, language))
        return {"show": about_show(show, language), "slots": slots}

    return show_page(db, event_key, "programme", content)


@routes.get("/<event_key>/embed", **HTML)
def get_show_embedding(db, event_key):
    """Return lines of HTML with which another web site shows the pages in a frame."""

    def content(show, language):
        return {
            "show": about_show(show, language),
            "plans": directory.plans(db, show),
            "root": f"{mail_base_url()}/e/{event_key}",
            "origins": show["embed_origins"],
        }

    return show_page(db, event_key, "embed", content, name=mail_base_url())


def show_page(db, event_key, part, content, query=None, name=None):
    """Return a page of a show as HTML or JSON. `content(show, language)` returns its values, which
    both have.

    `name` is what the page depends on besides: the exhibitor or the plan that it is about, or the
    address of this site, which a client on this machine chooses by its header Host. Pages are kept
    by the revision of the show, and by what time alone changes. A kept page costs one statement,
    and some more once a minute.
    """
    query = query or {}
    embed = shell.asked("embed").get("embed") == "1"
    state = current(db, event_key)
    language = shell.language_of(db.config, state["language"])
    if shell.is_json():
        with db.snapshot():
            return Response(
                content(public(db, event_key), language),
                headers={
                    "Access-Control-Allow-Origin": "*",
                    "Cache-Control": shell.FRESH,
                    "Vary": "Accept-Language",
                    "Content-Language": language,
                },
            )

    options = PageOptions(part, language, query, embed)

    def make():
        with db.snapshot():
            show = public(db, event_key)
            return render_html(db, show, content(show, language), options)

    category = query.get("category")
    try:
        # Addresses that somebody makes up fill no memory.
        if "q" in query or (category and not directory.is_category(db, state, category)):
            return make().response()
        key = (
            *shown_by(db, event_key, state, part, name, language),
            shell.up(),
            shell.chosen_language(),
            embed,
            category,
        )
        return shell.PAGES.get(key, make).response()
    except Problem as problem:
        if problem.status != 404:
            raise
    return not_found_page(db, event_key, options)


def not_found_page(db, event_key, options):
    """Return the page in place of one that does not exist, with all exhibitors."""
    with db.snapshot():
        show = public(db, event_key)
        values = with_exhibitors(db, show, options.language)
        page = render_html(db, show, values, replace(options, part="lost"))
    return Response(status=404, body=page.raw, headers=page.headers)


def current(db, event_key):
    """Return the state of a show, on which its kept pages and files depend.

    Raise 404 unless it has public pages.
    """
    state = directory.state(db, event_key)
    if state is None:
        raise not_found("event", event_key)
    return state


def shown_by(db, event_key, state, part, name, language):
    """Return what a page or file of a show depends on, whoever asks for it: the first part of its
    key.

    Read `state` before what the page shows. `name` is the exhibitor or the plan that it is about.
    """
    all_have, held_until = moment(db, state, event_key)
    plans = (state["revision"], held_until) if part in DRAWN and state["show_plan"] else None
    return (
        str(db.config.data_dir),
        db.config.revision,
        state["id"],
        state["lists"],
        plans,
        part,
        name,
        language,
        all_have,
    )


def moment(db, state, event_key):
    """Return what changes on the pages of a show without a change of the show: (what all pages
    have, what plans have).

    All have the day, at whose end a show is over, the forms that are open, whether there is a
    programme, and the next show; plans have the earliest end of a hold. These are read once a minute.
    """
    place = (str(db.config.data_dir), state["id"])
    key = (state["lists"], times.now()[:16])
    kept_key, kept = MOMENTS.get(place, (None, None))
    if kept_key == key:
        return kept

    with db.snapshot():
        show = public(db, event_key)
        all_have = (
            times.today(show["timezone"]),
            *(openings.state(db, show, form) for form in openings.APPROVAL),
            directory.has_programme(db, show),
            *(show["next"] or {}).values(),
        )
        held_until = directory.held_until(db, show)
    MOMENTS[place] = key, (all_have, held_until)
    return all_have, held_until


def public(db, event_key):
    """Return the show. Raise 404 unless everybody may read its pages."""
    show = directory.show(db, event_key)
    if show is None:
        raise not_found("event", event_key)
    return show


def render_html(db, show, values, options):
    """Return a page of a show with these values."""
    part = options.part
    language = options.language
    text = page_requests.render_html(
        PACKAGE,
        part,
        language,
        **values,
        **head_and_foot(db, show, part, language, values),
        event=show,
        event_forms=event_words.forms(show["event_word"], language),
        now=times.now(),
        asked=options.query,
        embed=options.embed,
        plan_drawing=drawing(db, show, part, values),
        lettered=lettered,
        pieces=pieces(show, page_requests.words(PACKAGE, language)),
    )
    return shell.html(
        text,
        language,
        is_indexed=show["is_indexed"] and not options.query and not options.embed,
        frames=show["embed_origins"] if options.embed else (),
    )


def head_and_foot(db, show, part, language, values):
    """Return what the head of a page says, its tabs and the links at its foot."""
    words = page_requests.words(PACKAGE, language)
    today = times.today(show["timezone"])
    heading = None
    if part in ("exhibitor", "plan"):
        heading = values[part]["name"]
    elif part != "start":
        heading = words[f"tab_{part}"]
    return {
        "title": " · ".join(filter(None, (heading, show["title"]))),
        "tab": "exhibitors" if part == "exhibitor" else part,
        "tabs": (
            ("start", "", True),
            ("exhibitors", "/exhibitors", show["show_directory"]),
            ("programme", "/programme", directory.has_programme(db, show)),
            ("visit", "/visit", openings.state(db, show, "visit") == "open"),
            ("apply", "/apply", openings.state(db, show, "apply") == "open"),
        ),
        "hours": [entry for entry in show["opening_hours"] if entry["date"] == today],
        "place": ", ".join(filter(None, (show["venue"], show["city"]))),
        "imprint": db.config.imprint_url or f"{shell.up()}imprint",
        "privacy_url": db.config.privacy_url,
    }


def everybody(db, show, language):
    """Return the listed exhibitors of a show in a language. They are kept until the show changes."""
    key = (str(db.config.data_dir), show["id"], show["lists"], language)
    exhibitors = LISTS.get(key)
    if exhibitors is None:
        exhibitors = directory.exhibitors(db, show, language)
        if sum(map(len, LISTS.values())) + len(exhibitors) > MOST_LISTED:
            LISTS.clear()
        LISTS[key] = exhibitors
    return exhibitors


def lettered(exhibitors):
    """Return the exhibitors by the first letter of their names, in the order in which they are."""
    return [
        (letter, list(rows))
        for letter, rows in groupby(exhibitors, lambda row: row["slug"][0].upper())
    ]


def pieces(show, words):
    """Return a function that lists (name, address, whether it is shown) of what a frame may show."""
    return lambda root, plans: [
        (words["tab_exhibitors"], f"{root}/exhibitors", show["show_directory"]),
        (words["tab_programme"], f"{root}/programme", show["show_programme"]),
        *((plan["name"], f"{root}/plan/{plan['plan_key']}", True) for plan in plans),
    ]


def drawing(db, show, part, values):
    """Return the SVG of the plan of a page: the one that it is about, or the first one on the first
    page.

    The page of an exhibitor has the piece around its first booth.
    """
    plan = None
    own = None  # the booth of the exhibitor that the page is about
    if part == "plan":
        plan = values["plan"]
    elif part == "start":
        plan = next(iter(values["plans"]), None)
    elif part == "exhibitor" and show["show_plan"]:
        own = next(iter(values["exhibitor"]["booths"]), None)
        plan = own
    if plan is None:
        return ""

    language = values["show"]["language"]
    hall = values.get(HALL)
    if hall is None:
        exhibitors = values.get("exhibitors") or everybody(db, show, language)
        hall = directory.hall(db, show, plan["plan_key"], exhibitors, language)

    near = None
    if own:
        near = placed_booth(hall, own["booth_number"])
        if near is None:
            return ""

    root = f"{shell.up()}e/{show['event_key']}/exhibitors"

    def address(booth):
        return f"{root}/{booth['exhibitor_id']}-{booth['slug']}" if booth["slug"] else None

    def mark(booth):
        return "mine" if near and booth["id"] == near["id"] else None

    return hall_page.draw(hall, hall["name"], address, mark, near)


def placed_booth(hall, number):
    """Return the booth with this number, or None if there is none, or if it has no place on the
    plan.
    """
    for booth in hall["booths"]:
        if booth["booth_number"] == number and booth["pos_x"] is not None:
            return booth
    return None


def about_show(show, language):
    """Return what is said about the show itself. Texts are in the language, else in the other one."""
    values = {name: show[name] for name in SHOWN}
    values["language"] = language
    values["texts"] = {
        name: directory.in_language(text, language) for name, text in show["texts"].items()
    }
    for name in directory.PARTS:
        values[name] = show[name]
    return values
