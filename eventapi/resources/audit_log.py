"""Audit log: who changed which record, and when.

Each entry is written in the transaction of its change.
"""

import json

from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import found
from eventapi.web.routes import Routes

routes = Routes("audit-log", "audit_entry", scope="audit")
sql = statements("audit_log")


@routes.list("/audit-log", query="audit_entry.query")
def list_audit_entries(db, query):
    """List entries of the audit log, newest first."""
    if "search" in query:
        query["search"] = folding.pattern(query["search"])
    return page(db, sql.list, query, represent)


@routes.get("/audit-log/<id>")
def get_audit_entry(db, id):
    """Get an entry of the audit log."""
    return represent(found(db.one(sql.get, id=id), "audit_entry", id))


def represent(row):
    """Return the API object of an entry."""
    for name in ("old_values", "new_values"):
        row[name] = row[name] and json.loads(row[name])
    return row
