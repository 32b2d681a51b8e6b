"""Signing in to the desk: with an API key, or by a link of `eventapi desk link`.

There is no password.
"""

from eventapi.domain.access import link_secrets, sessions
from eventapi.domain.access.api_keys import NARROW_SCOPES, key_hash
from eventapi.errors import Problem
from eventapi.pages.desk.labels import PACKAGE
from eventapi.storage.statements import statements
from eventapi.web.html import cookies, form_bodies, page_requests, shell, tokens
from eventapi.web.routes import Routes

routes = Routes(
    "desk-entry", root="/desk", public=True, page=True, flag="desk", forms=("text/html",)
)
sql = statements("api_keys")
PURPOSE = "desk sign-in"


@routes.get("/sign-in")
def get_desk_sign_in(db):
    """Return the form that asks for an API key."""
    return shell.elsewhere() or form(db)


@routes.post("/sign-in", before=form_bodies.before)
def sign_in_desk(db, before):
    """Open a session for an API key.

    Keys that stand in web pages, and everybody can read, open none.
    """
    if isinstance(before, Problem):
        raise before
    state, _ = tokens.checked(link_secrets.form_key(db), PURPOSE, before.get("token", [""])[0])
    if state in ("wrong", "old"):
        return form(db, "sign_in_old", 403)
    key = before.get("key", [""])[0].strip()
    row = key and db.one(sql.identify, key_hash=key_hash(key), now=db.now)
    if not row:
        return form(db, "sign_in_wrong", 401)
    if set(row["scopes"].split()) <= set(NARROW_SCOPES) or all(
        scope.endswith(":create") or scope == "public" for scope in row["scopes"].split()
    ):
        return form(db, "sign_in_narrow", 403)
    if "desk" in (row["disabled_flags"] or "").split():
        raise Problem("feature_disabled", "The feature desk is disabled.", flag="desk")
    known = cookies.get("desk")
    if known and (old := sessions.find(db, known)):
        sessions.end(db, old)
    secret = sessions.add(db, api_key_id=row["id"], way="shown")
    return page_requests.redirect(
        f"{shell.up()}desk/", {"Set-Cookie": cookies.header("desk", secret)}
    )


def form(db, refusal=None, status=200):
    """Return the page, with why the last try was refused."""
    language = page_requests.language_of()
    text = page_requests.render_html(
        PACKAGE,
        "sign_in",
        language,
        refusal=refusal,
        token=tokens.form_token(link_secrets.form_key(db), PURPOSE),
    )
    return shell.private(text, language, status)
