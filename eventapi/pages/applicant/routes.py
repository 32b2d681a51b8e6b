"""The page of an application, which the link in a mail opens."""

from eventapi.domain.people import applications, badge_sheets
from eventapi.domain.public_forms import applicants
from eventapi.domain.shows import directory
from eventapi.errors import not_found
from eventapi.languages import countries, event_words, formats
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
def get_applicant_page(db, request):
    """Return the state of the application, what was sent, and what can be done."""
    values = applicants.view(db, request.link, request.session)
    show = directory.show(db, request.event["event_key"])
    done = show and directory.in_language(show["texts"].get("apply_done", {}), request.language)
    return page_requests.render_page(
        request,
        PACKAGE,
        "status",
        **values,
        layout=page_requests.COMMON,
        after=done,
        accent=show and show["accent_color"],
        shown=shown(request.language),
        label=label_of(values["sent"]),
        contact=applicants.contact(db, request.link),
        **entry.asking_for(db, request.link),
        zone=request.event["timezone"],
        event_forms=event_words.forms(request.event["event_word"], request.language),
        can_withdraw=values["application"]["status"] in applications.OPEN,
    )


def label_of(sent):
    """Return a function of a field that was sent that returns the word of its label.

    As in the form, a message beside the size of a booth is the wish for a place.
    """
    has_size = "booth_type" in dict(sent)

    def word(name):
        return "field_wish" if name == "message" and has_size else f"field_{name}"

    return word


def shown(language):
    """Return a function of a field and its value that returns the value as the page shows it."""
    texts = page_requests.words(PACKAGE, language)

    def text(name, value):
        if name == "is_business":
            return texts["is_business_yes" if value else "is_business_no"]
        if name == "country":
            return countries.name(value, language)
        if name == "requested_area":
            return formats.number(value, language)
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return text


@routes.post("/answer", schema="application.answer", shows=get_applicant_page)
def answer_question(db, request, body):
    """Store the answer to the question of the office."""
    applications.answer(db, applications.get(db, request.link["application_id"]), body["answer"])
    return page_requests.see_other(request, "", done="answered")


@routes.post("/withdraw", shows=get_applicant_page)
def withdraw_own_application(db, request):
    """Withdraw the application."""
    applications.move(db, applications.get(db, request.link["application_id"]), "withdraw")
    return page_requests.see_other(request, "", done="withdrawn")


@routes.post(
    "/files",
    shows=get_applicant_page,
    file=lambda config: config.max_upload_mb * applicants.MEGABYTE,
)
def add_application_file(db, request, upload):
    """Add a file to the application."""
    applicants.add_file(db, request.link, upload, request.fields["filename"][0])
    return page_requests.see_other(request, "", done="stored")


@routes.post("/my")
def open_exhibitor_page(db, request):
    """Open the exhibitor's own page of an approved applicant, in a session like this one."""
    link = applicants.exhibitor_link(db, request.link, request.session, mail_base_url())
    return entry.signed_in(
        db, link, request.session, own_device=bool(request.session["own_device"])
    )


@routes.get("/badge")
def get_own_badge(db, request):
    """Return the page that shows the badge, for the phone at the entrance."""
    show = directory.show(db, request.event["event_key"])
    return page_requests.render_page(
        request,
        PACKAGE,
        "badge",
        layout=page_requests.COMMON,
        badge=own_badge(db, request),
        accent=show and show["accent_color"],
    )


@routes.get("/badge.svg", forms=(badge_sheets.SVG,))
def get_own_badge_picture(db, request):
    """Return the badge as a picture."""
    return badge_file(db, request, badge_sheets.SVG)


@routes.get("/badge.pdf", forms=(badge_sheets.PDF,))
def get_own_badge_pdf(db, request):
    """Return the badge as a PDF to print."""
    return badge_file(db, request, badge_sheets.PDF)


def own_badge(db, request):
    """Return the texts of the badge. Raise 404 unless the visitor has one."""
    badge = applicants.badge(db, request.link, request.session, request.language)
    if badge is None:
        raise not_found("badge", request.ref)
    return badge


def badge_file(db, request, form):
    """Return the badge as a file that nobody keeps. A picture must not run anything."""
    badge = own_badge(db, request)
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
