"""Printed badges: the texts of a badge, one badge as a picture, and many badges on A4 sheets."""

import logging
import re

from eventapi import images, times
from eventapi.domain.entrance import badges
from eventapi.domain.records import anonymity
from eventapi.errors import invalid_parameter
from eventapi.languages import choice
from eventapi.names import full_name
from eventapi.pictures import badge as picture
from eventapi.pictures import canvas, fonts, style, svg
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

log = logging.getLogger(__name__)
sql = statements("badges")

FORMS = SVG, PDF = "image/svg+xml", "application/pdf"  # media types of one badge
MAX_BADGES = 200  # badges in one response, which take a second to draw
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def read(db, id, language=None):
    """Return the texts of a participant's badge as a dict (see `_badge`), or None if there is no
    such participant.

    `language` is that of the request. Raise 409 `participant_cancelled`.
    """
    row = db.one(sql.of, id=id)
    if row and row["status"] == "cancelled":
        raise anonymity.cancelled(id)
    return row and _badge(db, row, language)


def chosen(db, query):
    """Return the badges that a query selects, without those of cancelled participants.

    Raise 422 if there is none, or if there are more than MAX_BADGES and the query has no `page`.
    """
    values = {name: value for name, value in query.items() if value is not None}
    given, page = frozenset(values), values.get("page", 1)
    if "ids" in values:
        values["ids"] = as_json(values["ids"])
    with db.snapshot():
        count = db.value(sql.count, given, **values)
        if "page" not in values and count > MAX_BADGES:
            pages = -(-count // MAX_BADGES)
            raise invalid_parameter(
                "page",
                "too_many",
                f"is required: {count} badges are too many for one response. Request page=1 to "
                f"page={pages}, each with at most {MAX_BADGES} badges",
            )
        rows = db.all(sql.chosen, given, **values, limit=MAX_BADGES, offset=(page - 1) * MAX_BADGES)
    if not rows:
        parameter = next((name for name in ("page", "ids") if name in query), "event_key")
        raise invalid_parameter(
            parameter, "nothing", "selects no badge: no active participant matches"
        )
    return [_badge(db, row, query.get("language")) for row in rows]


def draw(config, badge, form):
    """Return one badge as bytes in one of the FORMS.

    Raise 501 `not_installed` for a PDF without reportlab or without a font that has every letter.
    """
    drawing = picture.picture(_with_images([badge])[0], style.brand(config))
    return canvas.draw(drawing) if form == PDF else svg.draw(drawing)


def draw_sheets(config, badges_):
    """Return badges as the bytes of a PDF with A4 pages.

    Raise 501 `not_installed` for a PDF without reportlab.

    One name with a character that no font has does not stop the others: a box is drawn in its
    place.
    """
    with fonts.boxes():
        return canvas.draw(*picture.sheets(_with_images(badges_), style.brand(config)))


def _with_images(badges_):
    """Return the badges with the Image of their event, or None, in place of the path of its file."""
    loaded = {path: _image(path) for path in {badge["image"] for badge in badges_}}
    return [{**badge, "image": loaded[badge["image"]]} for badge in badges_]


def _image(path):
    """Return the Image in a file.

    Return None without a path, or if the file is not a PNG or JPEG that can be drawn.
    """
    if path is None:
        return None
    try:
        with files.opened(path) as file:
            return images.load(file.read(images.MAX_SIZE + 1))
    except (OSError, images.Broken) as error:
        log.info("badges are printed without the image of the event, %s: %s", path, error)
        return None


def _badge(db, row, language):
    """Return the texts, colour and dates (in the zone of the event) that the drawing needs."""
    person = full_name(row)
    number = badges.grouped(row["badge_number"])
    name = row["badge_name"] or person or row["company_name"] or number
    company = row["company_name"] if row["company_name"] != name else None
    return {
        "id": row["id"],
        "role": row["role"],
        "name": name,
        "company": company,
        "code": row["badge_number"],
        "number": number,
        "event": row["event"],
        "venue": row["venue"],
        "city": row["city"],
        "from": times.local_date(row["date_from"], row["timezone"]),
        "to": times.local_date(row["date_to"], row["timezone"]),
        "language": choice.choose(db.config, language, row["language"]),
        "category": row["category"],
        "look": style.brand(db.config).key,
        "image": row["image"] and str(files.path(db.config, row["image"])),
        "color": row["color"] if COLOR.fullmatch(row["color"] or "") else None,
    }
