"""What a link lets somebody do, and which scopes a key needs to hand that out."""

from eventapi.domain.records import anonymity
from eventapi.errors import Problem

# of the link of an exhibitor; also the default of `my_rights`, and in the schemas of both
RIGHTS = ("profile", "submissions", "booth", "orders", "contract", "invoices", "badges")
# right -> features that it needs
FLAGS = {
    "booth": ("booths", "plans"),
    "orders": ("services", "service_orders"),
    "contract": ("documents",),
    "submissions": ("documents",),
    "invoices": ("invoices",),
}
# right -> scope that a key needs to make a link with it
SCOPES = {
    "profile": "participants",
    "badges": "participants",
    "submissions": "submissions",
    "booth": "booths",
    "orders": "service_orders",
    "contract": "documents",
    "invoices": "invoices",
    "search": "participants",
}
# whatever its rights: the first page of a participant shows who takes part
OF_KIND = {
    "participant": ("participants",),
    "application": ("applications",),
    "door": ("checkins",),
}


def scopes(kind, rights):
    """Return the scopes that a key needs, beside `links`, for a link of this kind with these
    rights.
    """
    return sorted({*OF_KIND[kind], *(SCOPES[right] for right in rights)})


def effective(link, pages, disabled):
    """Return the rights of a participant's link now: its own, as far as the event and the features
    allow them.
    """
    return [
        right
        for right in RIGHTS
        if right in link["rights"]
        and right in pages["my_rights"]
        and not set(FLAGS.get(right, ())) & set(disabled)
    ]


def refuse_over(participant, link, now):
    """Raise 409 if the page can only be read: `participant_cancelled`, `anonymized` or
    `event_over`.
    """
    anonymity.refuse_gone(participant)
    if is_over(link, now):
        raise Problem(
            "event_over",
            "The show is over, so the page of the exhibitor can only be read. "
            "Ask the organiser for changes.",
        )


def is_over(link, now):
    """Return whether the event of a link is over. One without a date never is."""
    return link["over_at"] is not None and link["over_at"] < now
