"""The checklist of a show: what it is made of, and what is done, open or needed."""

from dataclasses import dataclass
from functools import partial

from eventapi.domain.events import overview
from eventapi.pages.desk import api, events, gaps, labels, taxes
from eventapi.pages.office.page import render_page
from eventapi.web.html import shell
from eventapi.web.rest import mail_base_url
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

# Card of the checklist -> its steps, which are pages below /desk/setup/. The word `office_STEP` is the
# name of a step, `checklist_CARD` that of a card.
CARDS = {
    "show": ("details", "website", "programme", "visitors"),
    "apply": ("apply", "categories"),
    "stands": ("stands", "halls", "services", "submissions"),
    "portal": ("portal", "dunning"),
}
# The steps in the order in which a first show needs them. The others can wait.
ORDER = (
    "details",
    "categories",
    "stands",
    "halls",
    "services",
    "submissions",
    "dunning",
    "website",
    "apply",
    "portal",
    "visitors",
    "programme",
)
# Steps that many shows do without. As long as nobody has begun one, it counts for nothing.
OPTIONAL = ("services", "submissions", "dunning", "visitors", "programme")
ORGANISER = "company"  # the step of the overview that belongs to no show
DONE, OPEN, NEEDED = "done", "open", "needed"
VERBS = {DONE: "step_view", OPEN: "step_add", NEEDED: "step_add"}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the checklist.

    Attributes:
        name: its name in the overview, and that of its page.
        label: its name on pages.
        address: that of its page, below /desk/.
        state: done, open or needed.
        text: what is missing, or what will be there.
        verb: the text of the link to the page.
        is_optional: whether the show may do without it, and nobody has begun it.
    """

    name: str
    label: str
    address: str
    state: str
    text: str
    verb: str
    is_optional: bool


@routes.get("/setup")
def get_desk_setup(db, request):
    """Return the steps of setting up the event in hand, and what the organiser lacks."""
    event = events.current(db)
    cards = cards_of(db, request, event) if event else []
    steps = [step for _, steps in cards for step in steps]
    return render_page(
        db,
        request,
        "setup",
        page="setup",
        current=event,
        cards=cards,
        next_step=next_of(steps),
        finished=sum(step.state == DONE for step in steps),
        total=sum(not step.is_optional for step in steps),
        show_address=f"{shell.up()}e/{event['event_key']}" if event else None,
        is_public=is_public(request, event),
        abroad=taxes.abroad(request, db.config.organiser_country, event),
        lacks=[
            lack for lack in gaps.told(db, request, has_show=True) if lack.code != "no_mail_server"
        ],
    )


def is_public(request, event):
    """Return whether the pages of an event are public: never where the feature `pages` is disabled."""
    if event is None or not api.may_call(request, "get_event_pages"):
        return False
    return bool(api.read("get_event_pages", id=event["id"]).data["is_public"])


def cards_of(db, request, event):
    """Return (card, its Steps), as far as the person may read their records, without empty cards.

    The steps are `setup` of GET /events/{id}/overview. Its other parts are not computed.
    """
    api.require_call(request, "get_event_overview")
    with db.snapshot():
        setup = overview.setup_of(
            db,
            event["id"],
            partial(api.may, request),
            address=mail_base_url(),
            has_pages=api.may_call(request, "get_event_pages"),
        )
    texts = labels.words(request)
    of_show = [each for each in setup if each["step"] != ORGANISER]
    found = {each["step"]: step_of(texts, each) for each in of_show}
    cards = [
        (card, [found[name] for name in names if name in found]) for card, names in CARDS.items()
    ]
    return [(card, steps) for card, steps in cards if steps]


def step_of(texts, each):
    """Return the Step for one of `setup` of the overview."""
    sentences = [texts[f"step_lacks_{code}"] for code in each["codes"]]
    if each["state"] != DONE and not sentences:
        sentences = [texts[f"step_without_{each['step']}"]]
    return Step(
        name=each["step"],
        label=texts[f"step_{each['step']}"],
        address=f"setup/{each['step']}",
        state=each["state"],
        text=" ".join(sentences),
        verb=texts[VERBS[each["state"]]],
        is_optional=is_optional(each),
    )


def is_optional(each):
    """Return whether a show may do without a step of the overview, and nobody has begun it."""
    return each["state"] == OPEN and each["step"] in OPTIONAL


def next_of(steps):
    """Return the first Step in ORDER that is needed, else the first that is open, or None.

    Optional ones wait until somebody opens them.
    """
    in_order = sorted(steps, key=lambda step: ORDER.index(step.name))
    for state in (NEEDED, OPEN):
        for step in in_order:
            if step.state == state and not step.is_optional:
                return step
    return None


def following(db, request, event, page):
    """Return the Step that comes after a page of "Set up" once it is saved, or None.

    It is the first one behind the page in ORDER that is not done, else that of the checklist. There is
    none while nothing was saved.
    """
    if event is None or request.problem or shell.asked("done").get("done") is None:
        return None
    if not api.may_call(request, "get_event_overview"):
        return None
    name = page.partition("/")[0]
    steps = [
        step for _, steps in cards_of(db, request, event) for step in steps if step.name != name
    ]
    place = ORDER.index(name) if name in ORDER else -1
    behind = [step for step in steps if ORDER.index(step.name) > place]
    return next_of(behind) or next_of(steps)
