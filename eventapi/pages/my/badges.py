"""Badges for the people at the booth."""

from eventapi.domain.people import badge_sheets
from eventapi.domain.portal import staff
from eventapi.errors import Problem
from eventapi.pages.my import page
from eventapi.web import downloads
from eventapi.web.html import page_requests
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("my-badges", root="/my/<ref>", **page.PAGE)
RIGHT = "badges"
NAMES = ("first_name", "last_name")


@routes.get("/badges")
def get_my_badges(db, request):
    """Return the people at the booth, and how many badges are left."""
    exhibitor = page.open_page(db, request, RIGHT)
    return page.render_page(
        db,
        request,
        exhibitor,
        "badges",
        quota=staff.quota(db, exhibitor.participant),
        people=staff.people(db, exhibitor.participant),
        **form_of(request, {}),
    )


@routes.post("/badges", schema="portal_forms.person", shows=get_my_badges)
def add_my_person(db, request, body):
    """Add a person."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    staff.add(db, exhibitor.participant, body["first_name"], body["last_name"])
    return page_requests.see_other(request, "badges", done="person_added")


@routes.get("/badges/<id:int>")
def get_my_person(db, request, id):
    """Return the form with which a person gets another name, or is removed."""
    exhibitor, row = asked(db, request, id)
    return page.render_page(db, request, exhibitor, "person", person=row, **form_of(request, row))


@routes.post("/badges/<id:int>", schema="portal_forms.person", shows=get_my_person)
def rename_my_person(db, request, id, body):
    """Give a person another name."""
    exhibitor, row = asked(db, request, id, page.open_for_change)
    staff.rename(db, exhibitor.participant, row, body["first_name"], body["last_name"])
    return page_requests.see_other(request, "badges", done="person_renamed")


@routes.post("/badges/<id:int>/remove", shows=get_my_person)
def remove_my_person(db, request, id):
    """Remove a person. The badge is not valid any more."""
    exhibitor, row = asked(db, request, id, page.open_for_change)
    staff.remove(db, exhibitor.participant, row)
    return page_requests.see_other(request, "badges", done="person_removed")


@routes.post("/badges/<id:int>/issue", shows=get_my_badges)
def issue_my_badge(db, request, id):
    """Record that a badge is downloaded, and lead to its file."""
    exhibitor, row = asked(db, request, id, page.open_for_change)
    staff.issue(db, exhibitor.participant, row)
    return page_requests.see_other(request, f"badges/{id}/badge.pdf")


@routes.get("/badges/own.pdf", forms=badge_sheets.FORMS)
def get_my_own_badge(db, request):
    """Return the badge of the exhibitor itself."""
    exhibitor = page.open_page(db, request, RIGHT)
    return badge(db, request, exhibitor.participant["id"])


@routes.get("/badges/<id:int>/badge.pdf", forms=badge_sheets.FORMS)
def get_my_badge(db, request, id):
    """Return a badge that was issued, as PDF, or as SVG if this server cannot draw PDFs."""
    _, row = asked(db, request, id)
    return badge(db, request, page.found(row["id"] if row["is_issued"] else None, "badge", id))


def form_of(request, row):
    """Return {form, given}: the form of a name, and its texts."""
    found = page.form_of(request, "portal_forms.person", row, names=NAMES)
    for each in found["form"].fields:
        each.is_required = True
    return found


def badge(db, request, id):
    found = page.found(badge_sheets.read(db, id, request.language), "badge", id)
    kind, extension = badge_sheets.PDF, "pdf"
    try:
        body = badge_sheets.draw(db.config, found, kind)
    except Problem as problem:
        if problem.code != "not_installed":
            raise
        kind, extension = badge_sheets.SVG, "svg"
        body = badge_sheets.draw(db.config, found, kind)
    name = downloads.disposition("attachment", f"{found['code']}.{extension}")
    return page.attachment(
        Response(body=body, headers={"Content-Type": kind, "Content-Disposition": name})
    )


def asked(db, request, id, open_page=page.open_page):
    exhibitor = open_page(db, request, RIGHT)
    return exhibitor, page.found(staff.person(db, exhibitor.participant, id), "person", id)
