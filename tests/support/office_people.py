"""People of the office in tests, who are signed in without a password."""

from eventapi.config import DEFAULT, SETTINGS
from eventapi.domain.access import people, sessions
from tests.pages.conftest import Visitor


def signed_in(app, db, role="owner", name="Carla Weiß", *, language="de", scopes=None):
    """Make a person with an account and return a Visitor with its session, and its id as `admin_id`."""
    with db.write():
        address = f"{name.split()[0].lower()}@messe.example"
        id = people.invite(db, name, address, role, scopes=scopes, language=language)
        people.record_sign_in(db, id)
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
