"""The links in newsletter mails.

Their tokens are computed from a secret in the database, so that none is stored and each can be
shown again.
"""

import hmac
import re
from hashlib import sha256

from eventapi.storage.statements import statements

sql = statements("newsletter")

TOKEN = re.compile(r"([1-9][0-9]{0,17})-([0-9a-f]{32})", re.ASCII)


def unsubscribe_url(secret, base_url, subscriber):
    """Return the URL of the page on which a subscriber can unsubscribe.

    `subscriber` has `id` and `created_at`.
    """
    return f"{base_url}/newsletter/unsubscribe/{_token(secret, subscriber, 'unsubscribe')}"


def confirm_url(secret, base_url, row):
    """Return the URL of the page on which a subscriber can confirm the subscription."""
    return f"{base_url}/newsletter/confirm/{_token(secret, row, _confirming(row))}"


def secret(db):
    """Return the secret with which tokens are computed, as bytes."""
    return db.value(sql.secret)


def of_unsubscribe_token(db, token):
    """Return the row of the subscriber whose unsubscribe token this is, or None."""
    return _of_token(db, token, lambda row: "unsubscribe")


def of_confirm_token(db, token):
    """Return the row of the subscriber whose confirmation token this is, or None.

    Unsubscribing invalidates earlier tokens.
    """
    return _of_token(db, token, _confirming)


def _confirming(row):
    """Return the purpose of a confirmation token.

    Unsubscribing starts a new round, which invalidates earlier tokens.
    """
    return f"confirm {row['round']}"


def _of_token(db, token, purpose):
    """Return the row of the subscriber if the token is valid for the purpose, else None."""
    match = TOKEN.fullmatch(token)
    row = match and db.one(sql.get, id=int(match[1]))
    return (
        row if row and hmac.compare_digest(token, _token(secret(db), row, purpose(row))) else None
    )


def _token(secret, row, purpose):
    # The creation time is included because a restored database assigns the same ids again.
    mac = hmac.new(
        secret, f"{purpose} {row['id']} {row['created_at']}".encode(), sha256
    ).hexdigest()
    return f"{row['id']}-{mac[:32]}"
