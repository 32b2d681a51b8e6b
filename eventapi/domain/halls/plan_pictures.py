"""Halls: what the picture of a plan shows, and to whom."""
import json
import re

from eventapi import times
from eventapi.pictures import canvas, svg
from eventapi.pictures.hall import sheet as picture
from eventapi.storage.statements import statements

sql = statements("halls")

FORMS = SVG, PDF = "image/svg+xml", "application/pdf"

COLOR = re.compile(r"#[0-9A-Fa-f]{6}")
SECRET = ("price", "blocked_reason")            # not for the public, which also hears of confirmed exhibitors only


def read(db, id, view):
    """The hall of a plan with its booths, or None. `view` is internal or public."""
    with db.snapshot():
        hall, rows = db.one(sql.plan, id=id), db.all(sql.booths, id=id)
    if hall is None:
        return None
    zone, now = hall.pop("timezone"), times.now()
    changed = max([hall.pop("updated_at"), *(row.pop("updated_at") for row in rows)])
    return {**hall, "objects": json.loads(hall["objects"]), "from": times.local_day(hall.pop("date_from"), zone),
            "to": times.local_day(hall.pop("date_to"), zone), "changed": times.local_day(changed, zone), "view": view,
            "currency": db.config.currency, "booths": [_booth(row, now, view == "public") for row in rows]}


def draw(hall, form, language):
    """The picture as bytes in one of the FORMS; PDF is 501 without reportlab or a font that has every letter."""
    drawing = picture.picture(hall, language)
    return canvas.draw(drawing) if form == PDF else svg.draw(drawing)


def _booth(row, now, is_public):
    """The booth as it is shown: a hold that has run out is over, and the booth free unless somebody waits in line for it."""
    held_until, is_awaited, final_price = (row.pop(member) for member in ("held_until", "is_awaited", "final_price"))
    exhibitor = _exhibitor(row, is_public)
    if row["status"] == "reserved" and held_until and held_until <= now:
        row["status"], exhibitor, final_price = "reserved" if is_awaited else "available", None, None
    return {**row, "exhibitor": exhibitor, "exhibitor_id": exhibitor and row["exhibitor_id"],
            "price": row["price"] if final_price is None else final_price,
            "color": row["color"] if COLOR.fullmatch(row["color"] or "") else None,
            **({member: None for member in SECRET} if is_public else {})}


def _exhibitor(row, is_public):
    """The name of who has the booth; the public hears it when both the exhibitor and the booth are confirmed."""
    company, person = row.pop("company_name"), " ".join(filter(None, (row.pop("first_name"), row.pop("last_name"))))
    reservation, is_confirmed = row.pop("reservation"), row.pop("is_confirmed")
    is_settled = reservation == "confirmed" and is_confirmed
    return (company or person or None) if is_settled or not is_public else None
