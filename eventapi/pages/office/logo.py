"""The logo of the organiser: its upload, and where it appears."""

from dataclasses import dataclass

from eventapi import images
from eventapi.config.live import LOGO
from eventapi.domain.organiser import logo
from eventapi.pages.desk import actions, api
from eventapi.pages.office.page import render_page
from eventapi.pictures import badge, letterhead, paper, style
from eventapi.pictures.hall import sheet as hall
from eventapi.pictures.shapes import contained
from eventapi.web import uploads
from eventapi.web.html import page_requests
from eventapi.web.routes import Routes

routes = Routes(
    "desk-logo",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

PAGE = "company/look/logo"
BADGE_MIDDLE = (badge.STRIPE + badge.HEADER) / 2
PLAN = 150, 60  # of the part of a plan that the preview shows
PLAN_TOP = hall.MARGIN - 1


@dataclass(frozen=True, slots=True)
class Preview:
    """A sheet of paper with the logo on it, in millimetres: its size, and the place of the logo."""

    name: str
    width: float
    height: float
    left: float
    top: float
    logo_width: float
    logo_height: float


@routes.get("/company/look/logo")
def get_desk_logo(db, request):
    """Return the logo, where it appears, and the form that replaces it."""
    api.require(request, "settings")
    image = db.config.organiser_logo
    record = image and logo.represent(image)
    is_closed = db.config.live.is_closed(LOGO)
    return render_page(
        db,
        request,
        "logo",
        page="look",
        logo=record,
        tag=record and record["sha256"],
        hash=record and record["sha256"][:16],
        previews=previews(image) if image else [],
        is_too_large=bool(image) and style.brand(db.config).small_logo is None,
        is_closed=is_closed,
        may_write=not is_closed and api.may_call(request, "set_organiser_logo"),
        limit=largest(db.config) // 2**20,
    )


def largest(config):
    """Return the largest picture in bytes."""
    return uploads.largest_picture(config)


def previews(image):
    """Return the Previews of an Image: as letters, badges and plans have it, in their size."""
    letter = contained(image, *letterhead.LOGO)
    small = contained(image, *badge.IMAGE)
    plan = contained(image, *hall.LOGO)
    right = badge.WIDTH - badge.MARGIN - small[0]
    return [
        Preview("letter", paper.WIDTH, 70, paper.RIGHT - letter[0], letterhead.TOP, *letter),
        Preview("badge", badge.WIDTH, badge.HEIGHT, right, BADGE_MIDDLE - small[1] / 2, *small),
        Preview("plan", *PLAN, PLAN[0] - hall.MARGIN - plan[0], PLAN_TOP, *plan),
    ]


@routes.get("/company/look/logo/<hash>")
def get_desk_logo_picture(request, hash):
    """Return the logo. Its address contains the beginning of its hash."""
    api.require(request, "settings")
    return api.read("get_organiser_logo", form=images.PNG)


@routes.post("/company/look/logo", batch=True, shows=get_desk_logo, file=largest)
def set_desk_logo(request, upload):
    """Set the logo."""
    with open(upload.path, "rb") as file:
        # The bytes of the file say which picture it is.
        sent = (images.PNG, file, upload.size)
        return changed(request, "set_organiser_logo", "logo", upload=sent)


@routes.post("/company/look/logo/remove", batch=True, shows=get_desk_logo)
def remove_desk_logo(request):
    """Remove the logo."""
    return changed(request, "delete_organiser_logo", "logo_removed")


def changed(request, name, done, upload=None):
    """Run a route of the API, if the logo is still the one that the page has shown, and return to
    the page.
    """
    shown = (request.fields.get("tag") or [""])[0]
    return actions.once(
        request,
        name,
        {},
        None,
        lambda response: page_requests.see_other(request, PAGE, done=done),
        tag=f'"{shown}"' if shown else None,
        upload=upload,
    )
