"""Evidence of binding steps: who accepted a contract, ordered or confirmed a booth, and what was
shown before.

A step needs a session that was opened by a mailed link, since the office knows the secrets that it
is shown. Without a mail server there are no mailed links; the evidence then says `shown`.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256

from eventapi.domain.mail import queue as mails
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("binding_steps")


@dataclass(frozen=True)
class Step:
    """How somebody takes a binding step. `given` is the hash that the page with `shown` contained."""

    way: str  # mailed or shown, or office over the API
    given: str
    link_id: int = None
    mailed_to: str = None


def by_office(shown):
    """Return the Step of an API key, whose admin the journal names."""
    return Step("office", digest(shown))


def may_bind(config, way):
    """Return whether a session that was opened in this way may take binding steps."""
    return way in ("mailed", "office") or not mails.is_configured(config)


def digest(shown):
    """Return the SHA-256 of what a page shows before a binding step: a dict of plain values."""
    return sha256(as_json(shown).encode()).hexdigest()


def check(db, step, shown):
    """Raise 409 `link_not_mailed` unless the session may bind, 412 if something else was shown than
    `shown`.
    """
    if not may_bind(db.config, step.way):
        raise Problem(
            "link_not_mailed",
            "This step is binding, so it needs a link that was sent by mail. Request one, "
            "open it, and repeat the step.",
        )
    if not hmac.compare_digest(digest(shown).encode(), step.given.encode("utf-8", "replace")):
        raise Problem(
            "precondition_failed",
            "What you are about to agree to has changed. Read it again, then repeat the step.",
        )


def record(db, entity_type, entity_id, step, shown):
    """Store the evidence of a step in the transaction of the step.

    `shown` is what was shown before.
    """
    db.insert(
        sql.add,
        entity_type=entity_type,
        entity_id=entity_id,
        link_id=step.link_id,
        way=step.way,
        mailed_to=step.mailed_to,
        address=db.actor.address,
        agent=db.actor.agent,
        shown_sha256=digest(shown),
        now=db.now,
    )


def of(db, entity_type, entity_id):
    """Return the stored steps of a record, the first one first."""
    return db.all(sql.of, entity_type=entity_type, entity_id=entity_id)
