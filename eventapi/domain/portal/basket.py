"""The basket of an exhibitor: its latest draft of an order, and the check page before it is
submitted bindingly.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi.domain.orders import lines as order_lines
from eventapi.domain.orders import ordering
from eventapi.domain.portal import evidence, reading
from eventapi.errors import Faults, Problem

KIND = "service_order"


def find(db, participant):
    """Return the row of the draft, or None."""
    return next(
        (row for row in reading.orders_of(db, participant) if row["status"] == "draft"), None
    )


def fill(db, participant, items):
    """Let the basket have these items, {service_id, quantity, specification}, and return its row,
    None if it is empty.

    Raise 422 for items that cannot be ordered like this; 409 `deadline_passed`, `out_of_stock`,
    `participant_cancelled` or `anonymized`.
    """
    row = find(db, participant)
    if not items:
        if row:
            ordering.delete(db, row)
        return None
    if row:
        return ordering.update(db, row, {"items": items})
    return ordering.create(
        db,
        {
            "event_participant_id": participant["id"],
            "participant_id": None,
            "items": items,
            "notes": None,
            "status": "draft",
        },
    )


def checked(db, row):
    """Return what a draft costs if it is submitted now: {lines, taxes, subtotal, tax_total, total}
    in minor units.

    Raise 422 and 409 as `fill` does.
    """
    draft, lines = ordering.compose(db, row, Faults())
    taxes = order_lines.taxes(db, draft["event_participant_id"], lines)
    return {**draft, "lines": lines, "taxes": taxes}


def facts(db, row):
    """Return what is shown before an order is submitted. Raise 422 and 409 as `fill` does."""
    found = checked(db, row)
    shown = ("service_name", "quantity", "unit", "unit_price", "net", "tax_rate", "specification")
    return {
        "id": row["id"],
        "lines": [{name: line[name] for name in shown} for line in found["lines"]],
        **{name: found[name] for name in ("currency", "subtotal", "tax_total", "total")},
    }


def submit(db, participant, step):
    """Submit the basket bindingly, with the evidence `step`, and return the row of the order.

    Raise 409 `invalid_transition` if it is empty, `link_not_mailed`, and as `fill` does; 412 if
    something else was shown.
    """
    row = find(db, participant)
    if row is None:
        raise Problem(
            "invalid_transition",
            "The basket is empty. Its order may have been submitted. Add services first.",
            state="empty",
            allowed_from=["draft"],
            allowed_actions=[],
        )
    shown = facts(db, row)
    evidence.check(db, step, shown)
    new = ordering.submit(db, row)
    evidence.record(db, KIND, new["id"], step, shown)
    return new
