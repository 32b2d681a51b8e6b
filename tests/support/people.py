"""People of the office: accounts, and their browsers at the desk."""

from datetime import timedelta

from eventapi.domain.access import people
from tests.pages.conftest import Visitor


def add_person(db, role="owner", name="Carla Weiß", *, scopes=None, has_signed_in=True):
    """Make an account, whose address is the first name, and return its id."""
    with db.write():
        id = people.invite(db, name, address_of(name), role, scopes)
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
