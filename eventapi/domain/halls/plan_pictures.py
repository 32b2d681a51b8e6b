"""Pictures of plans: what they show in the internal and in the public view."""

import json
import re

from eventapi import times
from eventapi.languages import choice
from eventapi.names import display_name
from eventapi.pictures import canvas, fonts, style, svg
from eventapi.pictures.hall import sheet as picture
from eventapi.storage.statements import statements

sql = statements("halls")

FORMS = SVG, PDF = "image/svg+xml", "application/pdf"

COLOR = re.compile(r"#[0-9A-Fa-f]{6}")
INTERNAL = ("price", "blocked_reason")  # null in the public view


def read(db, id, view, language=None):
    """Return the hall of a plan with its booths, as `draw` expects it, or None.

    `view` is `internal` or `public`.

    `language` is that of the request.
    """
    with db.snapshot():
        hall, rows = db.one(sql.plan, id=id), db.all(sql.booths, id=id)
    if hall is None:
        return None
    zone, now = hall.pop("timezone"), times.now()
    changed = max([hall.pop("updated_at"), *(row.pop("updated_at") for row in rows)])
    return {
        **hall,
        "objects": json.loads(hall["objects"]),
        "from": times.local_date(hall.pop("date_from"), zone),
        "to": times.local_date(hall.pop("date_to"), zone),
        "changed": times.local_date(changed, zone),
        "view": view,
        "language": choice.choose(db.config, language),
        "currency": db.config.currency,
        "look": style.brand(db.config).key,
        "booths": [_booth(row, now, view == "public") for row in rows],
    }


def draw(config, hall, form):
    """Return the picture as bytes. `form` is one of FORMS.

    A box is drawn in place of a character that no font has: exhibitors write their names
    themselves, and one of them must not stop the PDF. Raise 501 `not_installed` for a PDF if
    reportlab is missing.
    """
    drawing = picture.picture(hall, style.brand(config))
    if form == SVG:
        return svg.draw(drawing)
    with fonts.boxes():
        return canvas.draw(drawing)


def _booth(row, now, is_public):
    """Return the booth as it is shown.

    After an expired hold, it is available unless it has a waiting list.

    The public view does not tell why a booth is not for sale: its status is `exhibitor` (named) or
    `taken`.
    """
    held_until, is_awaited, final_price = (
        row.pop(field) for field in ("held_until", "is_awaited", "final_price")
    )
    exhibitor = _exhibitor(row, is_public)
    if row["status"] == "reserved" and held_until and held_until <= now:
        row["status"] = "reserved" if is_awaited else "available"
        exhibitor = None
        final_price = None
    if is_public and row["status"] != "available":
        row["status"] = "exhibitor" if exhibitor else "taken"
    return {
        **row,
        "exhibitor": exhibitor,
        "exhibitor_id": exhibitor and row["exhibitor_id"],
        "price": row["price"] if final_price is None else final_price,
        "color": row["color"] if COLOR.fullmatch(row["color"] or "") else None,
        **({field: None for field in INTERNAL} if is_public else {}),
    }


def _exhibitor(row, is_public):
    """Return the name of the exhibitor of the booth, or None.

    The public view names it only if both the exhibitor and the booth are confirmed.
    """
    name = display_name(row)
    for field in ("company_name", "first_name", "last_name"):
        del row[field]
    reservation, is_confirmed = row.pop("reservation"), row.pop("is_confirmed")
    if is_public and not (reservation == "confirmed" and is_confirmed):
        return None
    return name or None
