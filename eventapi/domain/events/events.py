"""Events as they are answered."""
import json

from eventapi.storage.statements import statements

sql = statements("events")


def get(db, id):
    """The event, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    row["is_visible"] = bool(row["is_visible"])
    for member in {"image", "opening_hours", "custom_fields"} & row.keys():
        row[member] = row[member] and json.loads(row[member])
    return row
