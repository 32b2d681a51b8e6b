"""Columns of bank statements in CSV that are remembered for an account and a header line.

An import that names columns stores them with the statement. A file of this account with this header
line is read by them if its request names no columns, unless its bank is known.
"""

import json

from eventapi import journal
from eventapi.domain.bank.csv_tables import key_of
from eventapi.domain.records import entities
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bank_formats")

MOST = 500  # formats that are kept
COLUMN = "column_"
# Parameter that says how a file writes amounts and days -> key of csv_values.Finder
STYLE = {"decimal_separator": "decimal", "thousands_separator": "thousands", "dates": "dates"}


def named_in(query):
    """Return the parameters of a query that say how to read a CSV file: the columns, `states`, and
    how it writes amounts and days.
    """
    return {
        name: value
        for name, value in query.items()
        if name.startswith(COLUMN) or name in STYLE or name == "states"
    }


def own_of(query):
    """Return the columns that a query names, see csv_forms.forms_of, or None."""
    own = {
        name.removeprefix(COLUMN): value for name, value in query.items() if name.startswith(COLUMN)
    }
    own |= {field: query[name] for name, field in STYLE.items() if name in query}
    if "states" in query:
        own["states"] = states_of(query["states"])
    return own or None


def states_of(text):
    """Return the texts that a list separated by commas names, and the list itself: it may be one
    text with a comma.
    """
    found = [part for part in text.split(",") if part.strip()]
    return [*found, text] if len(found) > 1 else found


# Reading


def represent(row):
    """Return the API object of a row."""
    return {**row, "header": json.loads(row["header"]), "query": json.loads(row["query"])}


def candidates(db):
    """Return the formats by which a file may be read: {id, account, key of the header line, own}."""
    return [
        {
            "id": row["id"],
            "account": row["account"],
            "key": row["header_key"],
            "own": own_of(json.loads(row["query"])),
        }
        for row in db.all(sql.candidates)
    ]


# Storing. Call these inside a write transaction.


def remember(db, account, header, query):
    """Store the columns (`named_in`) by which a file of an account was read. They replace others of
    the same header line.
    """
    key = key_of(header)
    fields = {"header": as_json(header), "query": as_json(query)}
    old = db.one(sql.of, account=account, header_key=key)
    if old and json.loads(old["query"]) == query:
        use(db, old["id"])
        return
    if old:
        db.run(sql.change, **fields, id=old["id"], now=db.now)
        new = db.one(sql.of, account=account, header_key=key)
        _journal(db, "updated", old["id"], _columns(old), _columns(new))
        return
    id = db.insert(sql.add, **fields, account=account, header_key=key, now=db.now)
    new = db.one(sql.of, account=account, header_key=key)
    _journal(db, "created", id, None, _columns(new))
    for surplus in db.all(sql.surplus, most=MOST):
        db.run(sql.remove, id=surplus["id"])
        _journal(db, "deleted", surplus["id"], _columns(surplus), None)


def use(db, id):
    """Store that a file was read by a format."""
    db.run(sql.use, id=id, now=db.now)


def _columns(row):
    """Return what the audit log shows of a row."""
    found = represent(row)
    return {name: found[name] for name in ("account", "header", "query")}


def _journal(db, action, id, old, new):
    journal.administered(db, entities.BANK_FORMAT, action, id, old=old, new=new)
