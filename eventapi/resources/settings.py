"""Settings: the letterhead and bank account of the organiser, taxes, invoices, mails and looks."""

from eventapi import images
from eventapi.domain.organiser import logo, settings, values
from eventapi.errors import Problem
from eventapi.web import downloads, uploads
from eventapi.web.rest import Response, is_known, require_content_match, require_match
from eventapi.web.routes import Routes

routes = Routes("settings", "settings", scope="settings")

LOGOS = (images.JPEG, images.PNG, images.WEBP)  # what may be sent
# what a logo is: a PNG, or what the administrator has set
NAMES = {images.PNG: "logo.png", images.JPEG: "logo.jpg"}


@routes.get("/settings")
def get_settings(db):
    """Get the settings of the organiser, and what they lack.

    Settings in `set_by_administrator` have the value of the configuration of the server.
    """
    with db.snapshot():
        return values.get(db)


@routes.update("/settings", schema="settings")
def update_settings(db, body):
    """Change settings of the organiser.

    PUT and PATCH both change only what is sent. `null` or an empty array removes a setting, so that its default counts.
    Invoices that were sent keep what they were sent with. A setting in `set_by_administrator` may be sent with the
    value that it has; another one is 409 `set_by_administrator`.
    """
    require_match(values.get(db))
    config = settings.change(db, values.texts_of(body))
    return values.get(db, config)


def receive_logo(environ, config, _=None):
    """Receive a logo, which is written anew as a small PNG."""
    return uploads.picture(environ, config, "logo")


@routes.put("/settings/logo", raw_body=LOGOS, receive=receive_logo)
def set_organiser_logo(db, upload):
    """Set the logo of the organiser: PNG, JPEG or WebP of at most 25 MB.

    It is turned as its EXIF says, made smaller to at most 1,200 x 600 pixels and 300 kB, and stored
    as PNG without metadata. A JPEG may have 50 million pixels, a PNG 16 and a WebP 12.5 million.
    Another format is 422 `picture_format`. Send the bytes of the file as the body. The response is
    the settings, and its ETag that of the logo. Invoices that were sent keep their PDF.
    """
    require_content_match(hash_of(logo.get(db)))
    logo.put(db, upload)
    data = values.get(db)
    return Response(data, headers={"ETag": f'"{hash_of(data["logo"])}"'}, has_etag=False)


@routes.get("/settings/logo", forms=tuple(NAMES))
def get_organiser_logo(db, form):
    """Get the logo of the organiser, as letters and pages show it."""
    image = db.config.organiser_logo
    if image is None:
        raise Problem("not_found", "The organiser has no logo. Send one with PUT /settings/logo.")
    headers = {
        "ETag": f'"{hash_of(logo.represent(image))}"',
        **downloads.guarded(image.kind, NAMES[image.kind]),
    }
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    return Response(body=image.data, headers=headers)


@routes.delete("/settings/logo")
def delete_organiser_logo(db):
    """Remove the logo of the organiser. Nothing changes if there is none."""
    require_content_match(hash_of(logo.get(db)))
    logo.remove(db)


def hash_of(record):
    """Return the SHA-256 of a logo as the API shows it, None without one."""
    return record and record["sha256"]
