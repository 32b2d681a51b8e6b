"""Access to the desk: links that the administrator makes for people of the office, and the sessions
at the desk.

Every function that writes is called inside a write transaction and journals the change.
"""

from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.access import api_keys, link_secrets, links, sessions
from eventapi.domain.records import entities
from eventapi.errors import not_found
from eventapi.storage.statements import statements

sql = statements("sessions")

WEEK = timedelta(days=7)  # a link of the desk ends with the longest session that it can open


def make_link(db, admin_id, scopes=None, minutes=15):
    """Make a link with which an admin signs in to the desk once, within some minutes.

    Return its secret.

    Without scopes, the session only reads. Raise 404 for an unknown admin, 409 for a disabled one,
    422 for a scope that does not exist.
    """
    admin_id = api_keys.active_admin(db, admin_id)
    scopes = api_keys.checked_scopes(scopes or [f"{scope}:read" for scope in api_keys.SCOPES])
    link = links.create(
        db, "admin", admin_id=admin_id, rights=scopes, expires_at=times.after(db.now, WEEK)
    )
    return link_secrets.add(db, way="shown", link_id=link["id"], lasts=timedelta(minutes=minutes))


def open_sessions(db):
    """Return the sessions of the desk that are open, as rows: id, admin_name, way in, and times."""
    return [row for row in db.all(sql.at_desk, now=times.now()) if sessions.is_open(row, "admin")]


def end_session(db, id):
    """End a session of the desk. Raise 404 if no such session is open."""
    row = next((row for row in open_sessions(db) if row["id"] == id), None)
    if row is None:
        raise not_found("session of the desk", id)
    sessions.end(db, row)
    kind, entity_id = (
        (entities.LINK, row["link_id"]) if row["link_id"] else (entities.API_KEY, row["api_key_id"])
    )
    journal.administered(
        db, kind, "session_ended", entity_id, title=f"session {id} of {row['admin_name']}"
    )
