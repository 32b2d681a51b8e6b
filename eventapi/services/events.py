"""Events as they are answered."""
import json

from eventapi.statements import statements

sql = statements("events")


def get(db, id):
    """The event, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    row["is_visible"] = bool(row["is_visible"])
    image = {"document_id": row.pop("image_document_id"), "content_type": row.pop("image_type"), "width": row.pop("image_width"),
             "height": row.pop("image_height")}
    row["image"] = image if image["document_id"] else None
    for member in {"opening_hours", "custom_fields"} & row.keys():
        row[member] = json.loads(row[member])
    return row
