"""The menu of the desk: its entries, and the pages below "Set up" and "Settings"."""

from collections import Counter
from dataclasses import dataclass

from eventapi.config import SETTINGS as OPTIONS
from eventapi.config.option import PAGES
from eventapi.domain.access import roles
from eventapi.domain.organiser import missing
from eventapi.pages.desk import api
from eventapi.pages.desk.kinds import KINDS
from eventapi.storage.statements import statements
from eventapi.web.html import page_requests

PACKAGE = "eventapi.pages.office"
sql = statements("desk")


@dataclass(frozen=True)
class Part:
    """A part of the desk.

    address: that of its first page, below /desk/. scopes: an entry is shown to those who may read
    the records of one of them. needs_show: its pages are those of a show. is_preparation: it stands
    below the heading "Prepare". handler: the route of the API without whose feature its first page
    does not exist, or "".
    """

    name: str
    address: str
    scopes: tuple
    needs_show: bool = False
    is_preparation: bool = False
    handler: str = ""


PARTS = (
    Part("search", "search", ("contacts", "participants", "applications", "invoices", "booths")),
    Part("today", "", ("events",)),
    Part("applications", "applications", ("applications",)),
    Part("exhibitors", "exhibitors", ("participants",), needs_show=True),
    Part("hall", "hall", ("booths",), needs_show=True, handler="list_plans"),
    Part("money", "money", ("invoices",)),
    Part("visitors", "visitors", ("participants",), needs_show=True),
    Part("contacts", "contacts", ("contacts",)),
    Part("setup", "setup", ("events",), is_preparation=True),
    Part("settings", "", ("settings", roles.TEAM), is_preparation=True),
)
# (page, address, handler that reads its records): the checklist, and the pages of the show in hand. They
# are offered to those who may call it. The word `office_PAGE` is the label of a page.
SETUP = (
    ("setup", "setup", "get_event"),
    ("details", "setup/details", "get_event"),
    ("website", "setup/website", "get_event_pages"),
    ("programme", "setup/programme", "list_schedules"),
    ("visitors", "setup/visitors", "get_event_pages"),
    ("apply", "setup/apply", "get_event_pages"),
    ("categories", "setup/categories", "list_categories"),
    ("stands", "setup/stands", "list_booth_types"),
    ("halls", "setup/halls", "list_plans"),
    ("services", "setup/services", "list_services"),
    ("submissions", "setup/submissions", "list_submission_types"),
    ("contracts", "setup/contracts", "list_document_templates"),
    ("portal", "setup/portal", "get_event_pages"),
    ("levels", "setup/dunning", "list_dunning_levels"),
)
# (page, address, scope): the pages of the organiser, and the team.
SETTINGS = (
    *((page, f"company/{page}", "settings") for page in PAGES),
    ("team", "team", roles.TEAM),
)

# Beginning of the address of a page below /desk/ -> the job of the help that it belongs to.
HELP = {
    "applications": "applications",
    "booths": "booths",
    "company/bank": "invoices",
    "company/dunning": "bank",
    "company/invoices": "invoices",
    "company/mails": "form",
    "company/taxes": "invoices",
    "edit/applications": "applications",
    "edit/bank_rules": "bank",
    "edit/booth_types": "show",
    "edit/booths": "booths",
    "edit/categories": "form",
    "edit/document_templates": "contracts",
    "edit/dunning_levels": "bank",
    "edit/events": "show",
    "edit/invoices": "invoices",
    "edit/plans": "show",
    "edit/service_categories": "show",
    "edit/services": "show",
    "edit/submission_types": "submissions",
    "exhibitors": "changes",
    "exhibitors/remind": "submissions",
    "exhibitors/submissions": "submissions",
    "hall": "booths",
    "invoices": "invoices",
    "money": "invoices",
    "money/bank": "bank",
    "money/dunning": "bank",
    "money/statement": "bank",
    "print": "visitors",
    "setup": "show",
    "visitors": "visitors",
    "setup/apply": "form",
    "setup/called_off": "changes",
    "setup/categories": "form",
    "setup/contracts": "contracts",
    "setup/dunning": "bank",
    "setup/portal": "access",
    "setup/submissions": "submissions",
    "setup/visitors": "visitors",
}


@dataclass(frozen=True)
class Entry:
    """An entry of the menu. `count` is the number beside it, `pages` are the Entries within it."""

    name: str
    label: str
    address: str
    is_current: bool
    count: int = 0
    pages: tuple = ()


def entries(db, request, event, part, page):
    """Return (entries of the day, entries to prepare a show) that the person may open.

    `event` is the show in hand or None, `part` the part of the page that is shown, `page` its entry
    of SETUP or SETTINGS or None.
    """
    texts = page_requests.words(PACKAGE, request.language)
    found = ([], [])
    for each in PARTS:
        if (each.needs_show and event is None) or not may_open(request, each):
            continue
        pages = pages_of(db.config, request, texts, event, each.name, page)
        found[each.is_preparation].append(
            Entry(
                each.name,
                texts[f"menu_{each.name}"],
                pages[0].address if pages else each.address,
                is_current=each.name == part and not any(entry.is_current for entry in pages),
                count=new_applications(db, event) if each.name == "applications" else 0,
                pages=pages if each.name == part else (),
            )
        )
    return found


def job_of(address):
    """Return the job of the help that a page belongs to, that of its longest beginning in HELP.

    `address` is that of the page below /desk/. Return None for a page without a job.
    """
    parts = address.split("/")
    for length in range(len(parts), 0, -1):
        job = HELP.get("/".join(parts[:length]))
        if job:
            return job
    return None


def is_enabled(request, address):
    """Return whether the features are enabled without which a page is refused.

    `address` is that of the page below /desk/. Pages that are neither in SETUP, nor in PARTS, nor
    forms of a record need none.
    """
    page = address.partition("?")[0]
    disabled = request.who.disabled_flags
    if page.startswith("edit/"):
        kind = KINDS[page.split("/")[1]]
        return api.routes()[f"get_{kind.handler}"].options.flag not in disabled
    for _, target, handler in SETUP:
        if page == target or (target != "setup" and page.startswith(f"{target}/")):
            return api.routes()[handler].options.flag not in disabled
    for part in PARTS:
        if part.address and page.partition("/")[0] == part.address:
            flag = api.routes()[part.handler].options.flag if part.handler else None
            is_there = any(api.features().get(scope) not in disabled for scope in part.scopes)
            return is_there and flag not in disabled
    return True


def may_open(request, part):
    """Return whether the person may read the records of a scope of a Part, and its features are
    enabled.
    """
    is_there = is_enabled(request, part.address)
    return is_there and any(api.may(request, scope) for scope in part.scopes)


def pages_of(config, request, texts, event, part, page):
    """Return the Entries of the pages within a part of the menu, without what the person may not
    read, and without pages of a feature that is disabled.
    """
    listed = {"setup": SETUP, "settings": SETTINGS}.get(part, ())
    may_read = api.may_call if part == "setup" else api.may
    counts = lacking(config) if part == "settings" else {}
    return tuple(
        Entry(
            name,
            texts[f"office_{name}"],
            address,
            is_current=name == page,
            count=counts.get(name, 0),
        )
        for name, address, needed in listed
        if may_read(request, needed) and (event is not None or not address.startswith("setup/"))
    )


def new_applications(db, event):
    """Return the number of applications for a show that nobody has looked at, 0 without a show."""
    return db.value(sql.new_applications, event_id=event["id"]) if event else 0


def lacking(config):
    """Return how many things are missing on each page of the organiser, as a Counter."""
    counts = Counter()
    for gap in missing.of(config):
        counts.update({OPTIONS[name].page for name in gap.settings if name in OPTIONS})
    return counts
