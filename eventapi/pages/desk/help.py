"""The help of the desk: the jobs of an office, each in a few steps with links to their pages.

Everybody at the desk may read it, with any scopes. A page that a person may not open says so itself.
"""

from dataclasses import dataclass

from eventapi.pages.desk import labels
from eventapi.pages.desk.page import render_page
from eventapi.pages.office import menu
from eventapi.web.routes import Routes

routes = Routes(
    "desk-help",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

# Job -> the pages of its steps, below /desk/; None for a step without a link. The word `job_NAME` is the
# title of a job, `job_NAME_1` its first step, in which the text of the link stands in brackets.
JOBS = {
    "show": (
        "setup",
        "setup/details",
        "setup/categories",
        "setup/stands",
        "setup/halls",
        "setup/services",
        "setup/website",
        "setup",
    ),
    "form": (
        "setup/categories",
        "setup/stands",
        "setup/apply",
        "setup/apply/texts",
        "company/mails",
        "setup/apply",
        None,
    ),
    "applications": ("applications", None, None, "applications?status=waitlisted", None),
    "booths": ("hall", None, "hall/holds", "setup/portal"),
    "submissions": (
        "setup/submissions",
        "exhibitors/submissions",
        "exhibitors/remind",
        "exhibitors?show=unready",
    ),
    "access": ("setup/portal", "exhibitors", None, "exhibitors/remind"),
    "contracts": ("setup/contracts", None, "exhibitors", "setup/portal", None),
    "invoices": ("company/invoices", "exhibitors", "money", None, "money/to_print"),
    "bank": ("money/bank", None, None, "setup/dunning", "money/dunning"),
    "changes": (
        "exhibitors",
        None,
        None,
        "money",
        "exhibitors?show=cancelled",
        "setup/called_off",
    ),
    "visitors": ("setup/visitors", "setup/website", "setup/visitors", "print", "print/door", ""),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a job: the text before a link, the text of the link, its address, and the text
    after it. Without a link, `link` is "" and `address` None.
    """

    before: str
    link: str
    address: str | None
    after: str


@routes.get("/help")
def get_desk_help(db, request):
    """Return the jobs of an office, each with its steps."""
    texts = labels.words(request)
    jobs = [(name, texts[f"job_{name}"], steps_of(request, texts, name)) for name in JOBS]
    return render_page(db, request, "help", menu="help", jobs=jobs)


def steps_of(request, texts, name):
    """Return the Steps of a job. The page of a feature that is disabled is named without a link."""
    found = []
    for number, address in enumerate(JOBS[name], start=1):
        before, _, rest = texts[f"job_{name}_{number}"].partition("[")
        link, _, after = rest.partition("]")
        if address is None or not menu.is_enabled(request, address):
            found.append(Step(before + link + after, "", None, ""))
        else:
            found.append(Step(before, link, address, after))
    return found
