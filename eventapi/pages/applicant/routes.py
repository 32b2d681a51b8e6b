"""The page of an application, which the link in a mail opens."""

from eventapi.domain.people import applications, badge_sheets
from eventapi.domain.public_forms import applicants
from eventapi.domain.shows import directory
from eventapi.errors import not_found
from eventapi.languages import countries
from eventapi.pages.link import routes as entry
from eventapi.web.html import page_requests
from eventapi.web.rest import SANDBOX, Response, mail_base_url
from eventapi.web.routes import Routes

routes = Routes(
    "application-page",
    root="/apply/<ref>",
    public=True,
    page=True,
    session="application",
    flag="pages",
    forms=("text/html",),
)
PACKAGE = "eventapi.pages.applicant"


@routes.get("")
def get_applicant_page(db, visit):
    """Return the state of the application, what was sent, and what can be done."""
    values = applicants.view(db, visit.link, visit.session)
    show = directory.show(db, visit.event["event_key"])
    done = show and directory.in_language(show["texts"].get("apply_done", {}), visit.language)
    return page_requests.render_page(
        visit,
        PACKAGE,
        "status",
        **values,
        layout=page_requests.COMMON,
        after=done,
        accent=show and show["accent_color"],
        shown=shown(visit.language),
        contact=applicants.contact(db, visit.link),
        **entry.asking_for(db, visit.link),
        zone=visit.event["timezone"],
        can_withdraw=values["application"]["status"] in applications.OPEN,
    )


def shown(language):
    """Return a function of a field and its value that returns the value as the page shows it."""

    def text(name, value):
        if name == "country":
            return countries.name(value, language)
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return text


@routes.post("/answer", schema="application.answer", shows=get_applicant_page)
def answer_question(db, visit, body):
    """Store the answer to the question of the office."""
    applications.answer(db, applications.get(db, visit.link["application_id"]), body["answer"])
    return page_requests.see_other(visit, "", done="answered")


@routes.post("/withdraw", shows=get_applicant_page)
def withdraw_own_application(db, visit):
    """Withdraw the application."""
    applications.move(db, applications.get(db, visit.link["application_id"]), "withdraw")
    return page_requests.see_other(visit, "", done="withdrawn")


@routes.post(
    "/files",
    shows=get_applicant_page,
    file=lambda config: config.max_upload_mb * applicants.MEGABYTE,
)
def add_application_file(db, visit, upload):
    """Add a file to the application."""
    applicants.add_file(db, visit.link, upload, visit.fields["filename"][0])
    return page_requests.see_other(visit, "", done="stored")


@routes.post("/my")
def open_exhibitor_page(db, visit):
    """Open the exhibitor's own page of an approved applicant, in a session like this one."""
    link = applicants.exhibitor_link(db, visit.link, visit.session, mail_base_url())
    return entry.signed_in(db, link, visit.session, own_device=bool(visit.session["own_device"]))


@routes.get("/badge")
def get_own_badge(db, visit):
    """Return the page that shows the badge, for the phone at the entrance."""
    show = directory.show(db, visit.event["event_key"])
    return page_requests.render_page(
        visit,
        PACKAGE,
        "badge",
        layout=page_requests.COMMON,
        badge=own_badge(db, visit),
        accent=show and show["accent_color"],
    )


@routes.get("/badge.svg", forms=(badge_sheets.SVG,))
def get_own_badge_picture(db, visit):
    """Return the badge as a picture."""
    return badge_file(db, visit, badge_sheets.SVG)


@routes.get("/badge.pdf", forms=(badge_sheets.PDF,))
def get_own_badge_pdf(db, visit):
    """Return the badge as a PDF to print."""
    return badge_file(db, visit, badge_sheets.PDF)


def own_badge(db, visit):
    """Return the texts of the badge. Raise 404 unless the visitor has one."""
    badge = applicants.badge(db, visit.link, visit.session, visit.language)
    if badge is None:
        raise not_found("badge", visit.ref)
    return badge


def badge_file(db, visit, form):
    """Return the badge as a file that nobody keeps. A picture must not run anything."""
    badge = own_badge(db, visit)
    name = (
        f'attachment; filename="badge-{badge["code"]}.pdf"'
        if form == badge_sheets.PDF
        else "inline"
    )
    return Response(
        body=badge_sheets.draw(db.config, badge, form),
        has_etag=False,
        headers={
            "Content-Type": form,
            "Content-Disposition": name,
            "Cache-Control": "no-store",
            "X-Robots-Tag": "noindex",
            "Content-Security-Policy": SANDBOX,
        },
    )
