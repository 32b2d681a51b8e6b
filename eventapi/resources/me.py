"""Me: what a client wants to know of its own key before it begins."""

from eventapi import __version__
from eventapi.domain.access import api_keys
from eventapi.storage.statements import statements
from eventapi.web.routes import Routes

routes = Routes("me", "me", scope="none")
sql = statements("me")


@routes.get("/me")
def get_me(db, who, config):
    """Get the key of the request, with what it may do.

    Every valid key may ask, without any scope, and whatever the plan tier. `admin` is null for a
    key that only has scopes for web pages (`applications:create`, `public`), because everybody can
    read such a key.
    """
    is_on_web_pages = bool(who.scopes) and who.scopes.issubset(api_keys.NARROW_SCOPES)
    return {
        "key": db.one(sql.key, id=who.key_id),
        "admin": None if is_on_web_pages else {"id": who.admin_id, "name": who.admin_name},
        "scopes": api_keys.in_order(who.scopes),
        "tier": who.tier,
        "flags": {flag["name"]: flag["enabled"] for flag in api_keys.flags(db)},
        "organiser": {
            "name": config.organiser_name or None,
            "country": config.organiser_country,
            "currency": config.currency,
            "timezone": config.timezone,
            "language": config.language,
        },
        "version": __version__,
    }
