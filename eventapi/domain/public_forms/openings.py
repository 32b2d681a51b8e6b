"""When a form of the public pages is open, and which categories it offers.

A form is `apply`, with which exhibitors apply, or `visit`, with which visitors register.
"""

from eventapi import times
from eventapi.storage.statements import statements

sql = statements("drafts")

APPROVAL = {"apply": "manual", "visit": "automatic"}  # form -> approval of its categories


def state(db, show, form):
    """Return whether a form is `open`, `closed` since its last day, or `full`; None if it is not
    meant to be open.

    `show` is the result of `directory.show`.
    """
    if show is None or not show[f"{form}_is_open"]:
        return None
    if until(show, form) < times.now():
        return "closed"
    if form == "visit":
        return "open" if categories(db, show, form) else "full"
    capacity = show["apply_capacity"]
    return (
        "full"
        if capacity and db.value(sql.applications, event_id=show["id"]) >= capacity
        else "open"
    )


def until(show, form):
    """Return the timestamp at which a form closes."""
    if form == "apply":
        return show["deadline_at"] or show["over_at"]
    return times.end(show["visit_until"], show["timezone"]) or show["over_at"]


def categories(db, show, form):
    """Return the categories that a form offers.

    That of visitors leaves out those whose capacity is reached.

    `base_price` is in minor units.
    """
    found = db.all(sql.categories, event_id=show["id"], approval=APPROVAL[form])
    return [row for row in found if form == "apply" or not is_full(row)]


def is_full(category):
    """Return whether as many participants as the category may have take part."""
    return category["capacity"] is not None and category["participants"] >= category["capacity"]
