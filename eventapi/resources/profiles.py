"""Profiles: how exhibitors are shown on the public pages of their events."""

from eventapi.domain.people import participants
from eventapi.domain.shows import profiles
from eventapi.web import uploads
from eventapi.web.rest import found, require_match
from eventapi.web.routes import Routes

routes = Routes("profiles", "profile", scope="participants", flag="pages")


@routes.get("/participants/<id>/profile")
def get_participant_profile(db, id):
    """Get how a participant is shown on the public pages of the event.

    Every participant has a profile.
    """
    return get(db, id)


@routes.update("/participants/<id>/profile", schema="profile")
def update_participant_profile(db, id, body):
    """Change how a participant is shown on the public pages of the event.

    A page shows the change at once.
    """
    old = require_match(get(db, id))
    return profiles.update(db, participants.get(db, id), old, body)


def receive(environ, config, _=None):
    """Receive a logo, which is smaller than other files."""
    return uploads.stored(environ, config, profiles.LARGEST_FILE)


@routes.put("/participants/<id>/profile/logo", raw_body=profiles.LOGOS, receive=receive)
def set_participant_logo(db, id, upload):
    """Set the logo: PNG, JPEG or WebP, recognised by its bytes and stored unchanged.

    It may have 300,000 bytes and 1,200 pixels along each side. SVG is refused, because it may
    contain scripts. Send the bytes of the file as the body.
    """
    old = require_match(get(db, id))
    return profiles.set_logo(db, participants.get(db, id), old, upload)


@routes.delete("/participants/<id>/profile/logo")
def delete_participant_logo(db, id):
    """Remove the logo. Its public address is 404 from then on. Nothing changes if there is none."""
    old = require_match(get(db, id))
    profiles.remove_logo(db, participants.get(db, id), old)


def get(db, id):
    return found(profiles.get(db, id), "participant", id)
