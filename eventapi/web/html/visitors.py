"""The browser of somebody who signs in at the desk: what it sends, and the cookies that it gets.

The sign-in page, the page of a link and the page about an ended session use it.
"""

from bottle import request

from eventapi.domain.access.signing_in import Entered, Visitor
from eventapi.errors import Problem
from eventapi.web import client
from eventapi.web.html import cookies

DESK = "desk"  # ref of the cookie of the session


def visitor() -> Visitor:
    """Return who signs in. Raise 400 if the browser sends the cookie of the desk twice."""
    return Visitor(
        address=client.address(),
        agent=client.agent(),
        request_id=request.environ["eventapi.request_id"],
        session=cookies.get(DESK),
        known=known_of,
    )


def known_of(admin_id: int) -> str | None:
    """Return the cookie of a browser that an admin has used before. None if it was sent twice: an
    error would tell that there is such an admin.
    """
    try:
        return cookies.get(known_ref(admin_id))
    except Problem:
        return None


def known_ref(admin_id: int) -> str:
    """Return the ref of the cookie that says that an admin has signed in here before."""
    return f"known-{admin_id}"


def cookies_of(entered: Entered) -> str:
    """Return the value of the header Set-Cookie after a sign-in, with a cookie in each line.

    The session ends with the browser, or after 30 days on the own device. Raise 409 by http.
    """
    days = cookies.DAYS_OF_PERSON if entered.stay else 0
    session = cookies.header(DESK, entered.session, days=days)
    if entered.known is None:
        return session
    return f"{session}\n{known_cookie(entered.admin_id, entered.known)}"


def known_cookie(admin_id: int, value: str) -> str:
    """Return the header Set-Cookie that makes a browser a known one of an admin."""
    return cookies.header(known_ref(admin_id), value, days=cookies.DAYS_OF_KNOWN)
