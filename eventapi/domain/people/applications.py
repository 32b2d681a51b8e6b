"""Applications as they are answered."""
import json

from eventapi import money
from eventapi.storage.statements import statements

sql = statements("applications")


def get(db, id):
    """The application, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    row["late"] = bool(row["late"])
    row["requested_area"] = money.unscaled(row["requested_area"], 3)
    for member in {"event_keys", "category_keys", "custom_fields"} & row.keys():
        row[member] = json.loads(row[member])
    return row
