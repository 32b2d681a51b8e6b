"""Settings: the letterhead and bank account of the organiser, taxes, invoices, mails and looks."""

from eventapi.domain.organiser import settings, values
from eventapi.web.rest import require_match
from eventapi.web.routes import Routes

routes = Routes("settings", "settings", scope="settings")


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
