"""Booth reservations: holds, confirmed bookings and waiting lists of booths."""

from functools import partial

from eventapi import money, times
from eventapi.calls import batches
from eventapi.domain.billing import bills
from eventapi.domain.halls import booking, reservation_rows, reservations
from eventapi.domain.halls.reservation_rows import TRANSITIONS, represent
from eventapi.domain.portal import booth_mails
from eventapi.domain.records import references
from eventapi.domain.records.references import BOOTH, EVENT, PARTICIPANT
from eventapi.plugins.access import may_read
from eventapi.storage.statements import statements
from eventapi.web.includes import allowed_actions, attach_one, ids_of, include_one
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, found, mail_base_url, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes(
    "booth-reservations", "booth_reservation", scope="booths", flag="booths", states=(TRANSITIONS,)
)
sql = statements("booth_reservations")

COMPUTED = ("pending", "expired")  # these depend on the current time; each is a filter of its own


@routes.list("/booth-reservations", query="booth_reservation.query")
def list_booth_reservations(db, query):
    query = {**references.filters(db, query, EVENT, BOOTH, PARTICIPANT), "now": times.now()}
    if query.get("status") in COMPUTED:
        query[query.pop("status")] = True
    return page(db, sql.list, query, partial(represent, db), INCLUDES)


@routes.post(
    "/booth-reservations",
    schema="booth_reservation",
    desk=Desk(
        fields=("expires_at", "final_price", "notes"),
        fixed=("booth_id", "event_participant_id", "waitlist"),
    ),
)
def create_booth_reservation(db, body):
    """Reserve a booth.

    If several requests try to reserve the same booth, exactly one succeeds. The others receive
    `booth_unavailable`, which names the other reservation and when it expires, or join the waiting
    list if `waitlist` is set. A booth that becomes free is offered to the first participant on its
    waiting list.
    """
    return created(represent(db, reservations.create(db, body)), "/booth-reservations")


@routes.get("/booth-reservations/<id>", query="booth_reservation.one")
def get_booth_reservation(db, id, query):
    return one(db, represent(db, get(db, id)), query, INCLUDES)


@routes.update("/booth-reservations/<id>", schema="booth_reservation")
def update_booth_reservation(db, id, body):
    """Change a booth reservation.

    A new `status` runs the action that leads there, a new `booth_id` runs move, and a new
    `expires_at` runs extend. `final_price` can change while the reservation is pending or
    waitlisted; if it is null, the price is computed.
    """
    row = require_match(get(db, id), partial(represent, db))
    return represent(db, reservations.update(db, row, body))


@routes.delete("/booth-reservations/<id>")
def delete_booth_reservation(db, id):
    """Cancel a booth reservation. It remains readable with the status cancelled."""
    booking.cancel(db, require_match(get(db, id), partial(represent, db)))


@routes.post(
    "/booth-reservations/<id>/confirm",
    schema="booth_reservation.confirm",
    desk=Desk(batch=("mail",)),
)
def confirm_booth_reservation(db, id, body):
    """Confirm a booth reservation: the booth is sold. This sends booth.assigned.

    If `mail` is set, the exhibitor is told by mail.
    """
    old = get(db, id)
    booth_mails.check(db, body["mail"])
    return told(db, old, booking.confirm(db, old), body)


@routes.post(
    "/booth-reservations/<id>/cancel",
    schema="booth_reservation.cancel",
    desk=Desk(is_final=True),
)
def cancel_booth_reservation(db, id, body):
    """Cancel a booth reservation.

    The booth is offered to the first participant on its waiting list. If `mail` is set, the
    exhibitor is told by mail, without the reason.
    """
    old = get(db, id)
    booth_mails.check(db, body["mail"])
    return told(db, old, reservations.cancel(db, old, body["reason"]), body)


@routes.post("/booth-reservations/<id>/extend", schema="booth_reservation.extend", desk=Desk())
def extend_booth_reservation(db, id, body):
    """Extend the hold of a booth."""
    return represent(db, booking.extend(db, get(db, id), body["expires_at"]))


@routes.post(
    "/booth-reservations/<id>/move",
    schema="booth_reservation.move",
    rolls_back=True,
    desk=Desk(fields=("booth_id", "keep_price", "mail"), fixed=("booth_id",)),
)
def move_booth_reservation(db, who, id, body):
    """Move a booth reservation to another booth.

    The booth that becomes free is offered to its waiting list. A negotiated price stays, and with
    `keep_price` any price does. Otherwise the price of the new booth is computed. With the same net
    price and tax rate, nothing is credited or billed.

    `price` in meta is the net price, `old` and `new`. `balance` in meta is what the participant has
    still to pay, `before` and `after`: with tax, in the tenant's currency, as if everything was
    billed and credited at once; negative if money is owed to the participant. It is missing for a
    key that may not read participants. If `mail` is set, the exhibitor is told by mail.
    """
    old = get(db, id)
    booth_mails.check(db, body["mail"])
    shows_balance = may_read(who, "participants")
    before = bills.due(db, old["event_participant_id"]) if shows_balance else None
    moved = reservations.move(db, old, body["booth_id"], body["keep_price"])
    new = represent(db, moved)
    meta = {"price": {"old": represent(db, old)["final_price"], "new": new["final_price"]}}
    if shows_balance:
        after = bills.due(db, old["event_participant_id"])
        meta["balance"] = {"before": before, "after": after}
    return told(db, old, moved, body, meta)


@routes.post(
    "/booth-reservations/<id>/swap",
    schema="booth_reservation.swap",
    rolls_back=True,
    desk=Desk(fields=("with", "keep_price", "mail"), fixed=("with",)),
)
def swap_booth_reservation(db, id, body):
    """Exchange the booths of two confirmed booth reservations of an event.

    Both move in one transaction, and nobody on a waiting list gets a booth. Prices follow as with
    POST /booth-reservations/{id}/move: `prices` in meta has both, `old` and `new`. Refused as that
    one, and with `invalid_transition` unless both are confirmed. If `mail` is set, both are told by
    mail.
    """
    old = get(db, id)
    booth_mails.check(db, body["mail"])
    before = {each["id"]: each for each in (old, reservation_rows.row(db, body["with"])) if each}
    swapped = reservations.swap(db, old, body["with"], body["keep_price"])
    outcomes = []
    if body["mail"]:
        outcomes = [
            booth_mails.tell(db, before[new["id"]], new, mail_base_url()) for new in swapped
        ]
    rows = [represent(db, new) for new in swapped]
    prices = [
        {
            "booth_reservation_id": new["id"],
            "old": represent(db, before[new["id"]])["final_price"],
            "new": new["final_price"],
        }
        for new in rows
    ]
    meta = {"prices": prices}
    if outcomes:
        meta["mail"] = _common(outcomes)
    return Response(rows[0], meta=meta)


def _common(outcomes):
    """Return the outcome of the mails to both: a skipped one if there is one."""
    for outcome in outcomes:
        if outcome["status"] == "skipped":
            return outcome
    return outcomes[0]


@routes.batch()
def batch_booth_reservations(who, body):
    """Reserve many booths, or confirm or cancel many booth reservations.

    Each entry succeeds or is refused by itself. Entries run in their order, so an earlier one gets
    the booth that two of them name.
    """
    return batches.run(routes, who, body)


def told(db, old, new, body, meta=None):
    """Return the response to a change from the row `old` to `new`, with the outcome of the mail in
    meta if one was wanted.
    """
    meta = dict(meta or {})
    if body["mail"]:
        meta["mail"] = booth_mails.tell(db, old, new, mail_base_url())
    return Response(represent(db, new), meta=meta)


def get(db, id):
    return found(reservation_rows.row(db, id), "booth_reservation", id)


def include_booth(db, records):
    scaled = {"width": 3, "depth": 3, "area": 6}
    booths = [
        {**row, **{name: money.unscaled(row[name], places) for name, places in scaled.items()}}
        for row in db.all(sql.booths_of, ids=ids_of(records))
    ]
    attach_one(records, "booth", booths, "reservation_id")


INCLUDES = {
    "booth": include_booth,
    "participant": include_one("participant", sql.participants_of, "reservation_id"),
    "allowed_actions": allowed_actions(TRANSITIONS.of),
}
