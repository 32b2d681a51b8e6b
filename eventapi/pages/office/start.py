"""The assistant of the first steps: what an owner sets up before the first show.

It has no state of its own: a step is done when its data is there.
"""

from dataclasses import dataclass
from functools import partial

from eventapi import times
from eventapi.config.live import read, stored_logo
from eventapi.config.option import BANK, COMPANY, TAXES
from eventapi.config.options import SETTINGS
from eventapi.domain.access import notices, people, roles
from eventapi.domain.organiser import missing
from eventapi.domain.records import numbering
from eventapi.errors import not_found
from eventapi.pages.desk import actions, events, labels
from eventapi.pages.office import menu
from eventapi.pages.office.page import render_page
from eventapi.web.html import page_requests, shell
from eventapi.web.routes import Routes

routes = Routes(
    "desk-start",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

ACCESS, MAILS = "access", "mails"
OF_SETTINGS = (COMPANY, TAXES, BANK)  # steps that are pages of settings
# What the step of invoices proposes in countries whose language is German.
NUMBERS = {
    "invoice_number_format": "RE-{year}-{seq:05}",
    "credit_note_number_format": "GS-{year}-{seq:05}",
}
OF_NUMBERS = ("DE", "AT", "CH", "LI")


@dataclass(frozen=True)
class Step:
    """A step that counts.

    gaps: what the settings of its page lack.
    """

    name: str
    address: str
    is_done: bool
    gaps: tuple = ()


# Steps


def next_step(db, request):
    """Return the address within the desk of the open step that follows the page of the request.

    That is the overview `start` if none follows, and Today for all but owners. In a write
    transaction, `db` is its connection: what it has changed counts.
    """
    person = owner(db, request)
    if person is None:
        return ""
    found = steps(db, person)
    page = shell.address().partition("/desk/")[2]
    places = [number for number, step in enumerate(found) if step.address.partition("?")[0] == page]
    following = found[places[0] + 1 :] if places else found
    return next((step.address for step in following if not step.is_done), "start")


def owner(db, request):
    """Return the person of the session if it is an owner with all its rights, else None."""
    if roles.TEAM not in request.who.scopes:
        return None
    person = people.get(db, request.who.admin_id)
    return person if person and person["role"] == people.OWNER else None


def progress(db, request):
    """Return (number of steps that are done, of all) for an owner who has not done all, else None."""
    person = owner(db, request)
    if person is None:
        return None
    found = steps(db, person)
    done = sum(step.is_done for step in found)
    return None if done == len(found) else (done, len(found))


def steps(db, person):
    """Return the Steps of an owner that count, in their order."""
    gaps = missing.of(current_config(db))
    return [
        Step(ACCESS, "account", person["has_password"]),
        *(step_of_settings(page, gaps) for page in OF_SETTINGS),
        Step(MAILS, address_of(MAILS), notices.was_test_sent(db)),
    ]


def step_of_settings(page, gaps):
    """Return the Step of a page of settings. It is done when its settings lack nothing."""
    own = tuple(gap for gap in gaps if page in pages_of(gap))
    return Step(page, address_of(page), not own, own)


def pages_of(gap):
    """Return the pages of the settings that a Gap names, without those of the administrator."""
    return [SETTINGS[name].page for name in gap.settings if name in SETTINGS]


def address_of(page):
    """Return the address of a page of settings that leads on to the next step."""
    return f"company/{page}?from=start"


def current_config(db):
    """Return the Config with the settings as they are in the transaction of `db`."""
    stored, revision = read(db)
    if revision == db.config.revision:
        return db.config
    config, _ = db.config.live.config_of(stored, revision, stored_logo(db))
    return config


# The page


@routes.get("/start")
def get_desk_start(db, request):
    """Return the first steps of an owner. Raise 404 for everybody else."""
    person = owner(db, request)
    if person is None:
        raise not_found("page", shell.address())
    texts = page_requests.words(menu.PACKAGE, request.language)
    found = steps(db, person)
    return render_page(
        db,
        request,
        "start",
        page="start",
        steps=found,
        done_count=sum(step.is_done for step in found),
        next=next((step for step in found if not step.is_done), None),
        has_factor=person["has_factor"],
        can_mail=notices.can_mail(db.config),
        told=partial(sentences, texts),
        number=example(db.config) if may_propose_numbers(db) else None,
        has_own_numbers=has_own_numbers(db.config),
        has_team=len([each for each in people.all_people(db) if each["role"]]) > 1,
        has_show=events.current(db) is not None,
    )


def sentences(texts, gaps):
    """Return what the Gaps of a step say: what is wrong, then all that is missing in one sentence."""
    found = []
    missing = []
    for gap in gaps:
        if gap.code == "wrong_identifier":
            found.append(texts["start_wrong"].format(names=lack(texts, gap)))
        else:
            missing.append(lack(texts, gap))
    if missing:
        found.append(texts["start_lacks"].format(names=", ".join(missing)))
    return found


def lack(texts, gap):
    """Return the names of the settings that a Gap names, as text."""
    names = [labels.label(texts, "", name)[0] for name in gap.settings if name in SETTINGS]
    if gap.code == "no_tax_number":
        return texts["start_either"].format(one=names[0], other=names[1])
    return ", ".join(names)


def has_own_numbers(config):
    """Return whether a format of invoice numbers was chosen: it is not the default."""
    return any(getattr(config, name) != SETTINGS[name].default for name in NUMBERS)


def may_propose_numbers(db):
    """Return whether the page proposes formats of invoice numbers.

    So it does in some countries, until one was chosen or the first number was taken.
    """
    config = db.config
    return (
        config.organiser_country in OF_NUMBERS
        and not has_own_numbers(config)
        and not any(config.live.is_closed(name) for name in NUMBERS)
        and not numbering.series(db)
    )


def example(config):
    """Return the first invoice number of the format that the page proposes."""
    year = times.today(config.timezone)[:4]
    return NUMBERS["invoice_number_format"].format(year=year, seq=1)


@routes.post("/start", batch=True, shows=get_desk_start)
def take_desk_numbers(request, connections):
    """Take the formats of invoice numbers that the page proposes."""
    db = connections.reader()
    if owner(db, request) is None:
        raise not_found("page", shell.address())
    if not may_propose_numbers(db):  # somebody was faster
        return page_requests.see_other(request, "start")
    return actions.once(
        request,
        "update_settings",
        {},
        dict(NUMBERS),
        lambda response: page_requests.see_other(request, "start", done="saved"),
    )
