"""People of the office in tests: accounts, and their browsers at the desk."""

from datetime import timedelta

from eventapi.config import DEFAULT, SETTINGS
from eventapi.domain.access import people, sessions
from tests.pages.conftest import Visitor


def add_person(
    db, role="owner", name="Carla Weiß", *, scopes=None, language=None, has_signed_in=True
):
    """Make an account, whose address is the first name, and return its id."""
    with db.write():
        id = people.invite(db, name, address_of(name), role, scopes, language)
        if has_signed_in:
            people.record_sign_in(db, id)
    return id


def address_of(name):
    """Return the address of a person of `add_person`."""
    return f"{name.split()[0].lower()}@fair.example"


def at_desk(app, db, id, language="en", scopes=None):
    """Sign a person in with a link, and return the browser."""
    visitor = Visitor(app, language)
    with db.write():
        secret = people.make_secret(db, id, way="shown", lasts=timedelta(minutes=15), scopes=scopes)
    visitor.post(f"/link/{secret}")
    return visitor


def signed_in(app, db, role="owner", name="Carla Weiß", *, language="de", scopes=None):
    """Make an account, and return a Visitor with its session, and its id as `admin_id`."""
    id = add_person(db, role, name, scopes=scopes, language=language)
    with db.write():
        secret = sessions.add(db, admin_id=id, way="password")
    visitor = Visitor(app, language)
    visitor.headers["Cookie"] = f"evs-desk={secret}"
    visitor.admin_id = id
    return visitor


def open_settings(settings):
    """Let the organiser change all settings, whose values stay as they are."""
    for name in SETTINGS:
        text, _ = settings.live.given[name]
        settings.live.given[name] = (text, DEFAULT)
