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


@routes.get("/badges")
def get_my_badges(db, visit):
    """Return the people at the booth, and how many badges are left."""
    mine = page.open_page(db, visit, RIGHT)
    return page.render_page(
        db,
        visit,
        mine,
        "badges",
        quota=staff.quota(db, mine.participant),
        people=staff.people(db, mine.participant),
        named=None,
    )


@routes.post("/badges", schema="portal_forms.person", shows=get_my_badges)
def add_my_person(db, visit, body):
    """Add a person."""
    mine = page.open_for_change(db, visit, RIGHT)
    staff.add(db, mine.participant, body["first_name"], body["last_name"])
    return page_requests.see_other(visit, "badges", done="person_added")


@routes.get("/badges/<id:int>")
def get_my_person(db, visit, id):
    """Return the form with which a person gets another name, or is removed."""
    mine, row = asked(db, visit, id)
    return page.render_page(db, visit, mine, "person", person=row)


@routes.post("/badges/<id:int>", schema="portal_forms.person", shows=get_my_person)
def rename_my_person(db, visit, id, body):
    """Give a person another name."""
    mine, row = asked(db, visit, id, page.open_for_change)
    staff.rename(db, mine.participant, row, body["first_name"], body["last_name"])
    return page_requests.see_other(visit, "badges", done="person_renamed")


@routes.post("/badges/<id:int>/remove", shows=get_my_person)
def remove_my_person(db, visit, id):
    """Remove a person. The badge is not valid any more."""
    mine, row = asked(db, visit, id, page.open_for_change)
    staff.remove(db, mine.participant, row)
    return page_requests.see_other(visit, "badges", done="person_removed")


@routes.post("/badges/<id:int>/issue", shows=get_my_badges)
def issue_my_badge(db, visit, id):
    """Record that a badge is downloaded, and lead to its file."""
    mine, row = asked(db, visit, id, page.open_for_change)
    staff.issue(db, mine.participant, row)
    return page_requests.see_other(visit, f"badges/{id}/badge.pdf")


@routes.get("/badges/own.pdf", forms=badge_sheets.FORMS)
def get_my_own_badge(db, visit):
    """Return the badge of the exhibitor itself."""
    mine = page.open_page(db, visit, RIGHT)
    return badge(db, visit, mine.participant["id"])


@routes.get("/badges/<id:int>/badge.pdf", forms=badge_sheets.FORMS)
def get_my_badge(db, visit, id):
    """Return a badge that was issued, as PDF, or as SVG if this server cannot draw PDFs."""
    _, row = asked(db, visit, id)
    return badge(db, visit, page.found(row["id"] if row["is_issued"] else None, "badge", id))


def badge(db, visit, id):
    found = page.found(badge_sheets.read(db, id, visit.language), "badge", id)
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


def asked(db, visit, id, open_page=page.open_page):
    mine = open_page(db, visit, RIGHT)
    return mine, page.found(staff.person(db, mine.participant, id), "person", id)
