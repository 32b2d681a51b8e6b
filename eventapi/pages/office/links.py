"""The link with which a person of the office signs in: an invitation, a link of a mail, or one that
the administrator has made.

Whoever opens its address sees a button: mail scanners open every link, and must not use it up.
pages/link/routes.py has the address itself, which all links share.
"""

from eventapi.domain.access import signing_in
from eventapi.pages.office import sign_in
from eventapi.web.html import visitors

OWN_DEVICE = "stay"  # name of the box


def opening(db, row):
    """Return the page with the button that signs a person in. It changes nothing.

    `row` is that of the secret.
    """
    if signing_in.person_of_link(db, row) is None:
        return dead(db)
    return sign_in.page(db, "office_link", referrer="no-referrer")


def opened(db, row, fields):
    """Use a link up, and return the redirection into the desk, or the page that asks for a code.

    Call this inside a write transaction; `row` was read inside it.
    """
    sign_in.refuse_impossible(db)
    outcome = signing_in.by_link(db, row, visitor=visitors.visitor(), stay=OWN_DEVICE in fields)
    if isinstance(outcome, signing_in.Entered):
        return sign_in.entered(outcome)
    if isinstance(outcome, signing_in.Pending):
        return sign_in.code_page(db, outcome.secret)
    return dead(db)


def dead(db):
    """Return the page of a link that is used up or too old, or whose person was deactivated."""
    return sign_in.page(db, "office_link_dead", status=404, referrer="no-referrer")
