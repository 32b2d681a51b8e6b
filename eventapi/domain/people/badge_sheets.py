"""Badges to print: what stands on them, one as a picture or many as sheets."""
import re

from eventapi import times
from eventapi.domain.entrance import badges
from eventapi.errors import Problem, invalid_parameter
from eventapi.pictures import badge as picture
from eventapi.pictures import canvas, svg
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("badges")

FORMS = SVG, PDF = "image/svg+xml", "application/pdf"
MOST = 200                              # on one answer: drawing them takes a second
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def read(db, id):
    """What is printed on the badge of a participant, or None where there is no such participant."""
    row = db.one(sql.of, id=id)
    if row and row["status"] == "cancelled":
        raise Problem("participant_cancelled",
                      "The participant has cancelled and has no badge. Reinstate the participation first.")
    return row and _badge(row)


def chosen(db, query):
    """The badges of those who have not cancelled; 422 where there are none, or too many for one answer."""
    values = {name: value for name, value in query.items() if value is not None}
    given, page = frozenset(values), values.get("page", 1)
    if "ids" in values:
        values["ids"] = as_json(values["ids"])
    with db.snapshot():
        count = db.value(sql.count, given, **values)
        if "page" not in values and count > MOST:
            pages = -(-count // MOST)
            raise invalid_parameter("page", "too_many",
                                    f"is required: {count} badges are too many for one response. Request page=1 to "
                                    f"page={pages}, each with at most {MOST} badges")
        rows = db.all(sql.chosen, given, **values, limit=MOST, offset=(page - 1) * MOST)
    if not rows:
        asked = next(name for name in ("page", "ids", "event_key") if name in query or name == "event_key")
        raise invalid_parameter(asked, "nothing", "selects no badge: no active participant matches")
    return [_badge(row) for row in rows]


def draw(badge, form, language):
    """One badge as bytes in one of the FORMS; 501 without reportlab or a font that has every letter."""
    drawing = picture.picture(badge, language)
    return canvas.draw(drawing) if form == PDF else svg.draw(drawing)


def draw_sheets(badges_, language):
    """Badges as a PDF on A4."""
    return canvas.draw(*picture.sheets(badges_, language))


def _badge(row):
    person = " ".join(filter(None, (row["first_name"], row["last_name"])))
    number = badges.grouped(row["badge_number"])
    name = row["badge_name"] or person or row["company_name"] or number
    return {"id": row["id"], "role": row["role"], "name": name, "company": row["company_name"] if row["company_name"] != name else None,
            "code": row["badge_number"], "number": number, "event": row["event"], "city": row["city"],
            "from": times.local_day(row["date_from"], row["timezone"]), "to": times.local_day(row["date_to"], row["timezone"]),
            "category": row["category"], "color": row["color"] if COLOR.fullmatch(row["color"] or "") else None}
