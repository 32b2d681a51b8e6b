"""Choosing a booth on the page of an exhibitor: what is free, one hold at a time, and its limits.

The limits are those of links only. The office reserves over the API as it likes. The first hold
sets an end; moving it, giving it back and holding again keep that end. After it, no hold for a
week. A hold that runs out counts, and so does one that is given back more than an hour after it was
made; there are three for each participant.

A hold with a link has no `created_by`. Every function that writes is called inside a write
transaction.
"""

from datetime import timedelta

from eventapi import money, times
from eventapi.domain.halls import booking, booth_rows, plan_pictures, pricing, reservation_rows
from eventapi.domain.portal import evidence
from eventapi.domain.records import anonymity
from eventapi.domain.shows import directory
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql, participants = statements("portal"), statements("participants")

PAUSE, FREE_TO_RETURN = timedelta(days=7), timedelta(hours=1)
MOST = 3  # holds that may run out or be given back late
NEAR = 3  # booths that are named in place of one that was taken
KIND = "booth_reservation"


# Reading


def window(pages, event):
    """Return {state, from, until}: whether exhibitors may choose now (soon, open, over), or None if
    they never may.
    """
    if pages["booth_from"] is None:
        return None
    zone = event["timezone"]
    begins = times.start(pages["booth_from"], zone)
    ends = times.end(pages["booth_until"], zone) or times.end(
        event["date_to"] or event["date_from"], zone
    )
    now = times.now()
    state = "soon" if now < begins else "over" if ends and now > ends else "open"
    return {"state": state, "from": begins, "until": ends}


def view(db, participant, event, pages, number=None):
    """Return what the page shows: {window, own, free, chosen, hold_until, paused_until, used_up,
    may_choose}.

    `own` are the live reservations, `chosen` is the free booth with the number. Prices are in minor
    units; `tax` and `total` are those of the chosen booth and of `own`.
    """
    now = db.now or times.now()
    own = own_booths(db, participant)
    opened, limits = window(pages, event), _limits(db, participant, pages)
    may_choose = bool(
        opened
        and opened["state"] == "open"
        and participant["status"] != "cancelled"
        and not any(_is_fixed(row) for row in own)
    )
    free = free_booths(db, participant, pages) if may_choose else []
    chosen = next((row for row in free if row["booth_number"] == number), None)
    return {
        "window": opened,
        "own": own,
        "free": free,
        "chosen": chosen,
        "now": now,
        "may_choose": may_choose,
        **limits,
        "may_confirm": may_confirm(participant, pages),
    }


def own_booths(db, participant):
    """Return the live reservations with their price, tax and total.

    A hold that has run out is none.
    """
    now = db.now or times.now()
    rows = db.all(sql.reservations, participant_id=participant["id"])
    return [
        {
            **row,
            **_sums(row["final_price"], row["tax_rate"]),
            "by_office": row["created_by"] is not None,
        }
        for row in rows
        if row["status"] == "confirmed" or row["expires_at"] > now
    ]


def _sums(price, rate):
    """Return {price, rate, tax, total}.

    `rate` is in hundredths of a percent; None is 0. Without a price, tax and total are None.
    """
    rate = rate or 0
    if price is None:
        return {"price": None, "rate": rate, "tax": None, "total": None}
    tax = money.tax(price, rate)
    return {"price": price, "rate": rate, "tax": tax, "total": price + tax}


def free_booths(db, participant, pages):
    """Return the booths that the participant may choose, each with its price, tax and total."""
    wanted, found = pages["booth_types"], []
    for row in db.all(sql.booths, participant_id=participant["id"], now=db.now or times.now()):
        if wanted and row["booth_type_key"] not in wanted:
            continue
        if row["price"] is None:
            row["price"] = pricing.quote(
                db, booth_rows.row(db, row["id"]), participant_row(db, participant)
            )["price"]
        if row["price"] is not None:
            found.append({**row, **_sums(row["price"], booth_rows.tax_rate(db, row))})
    return found


def participant_row(db, participant):
    """Return the participant as the prices of booths need it."""
    return db.one(participants.get, id=participant["id"])


def near(free, number, area):
    """Return the numbers of the free booths whose size is nearest to that of a taken one."""
    numbers = [row["booth_number"] for row in sorted(free, key=lambda row: abs(row["area"] - area))]
    return [each for each in numbers if each != number][:NEAR]


def plans(db, participant):
    """Return id, key and name of the plans from which booths are chosen."""
    return db.all(sql.plans, participant_id=participant["id"])


def revision(db, participant):
    """Return a number that changes with all that `hall` reads, but for holds that run out: they
    make booths free.
    """
    return db.value(sql.revision, participant_id=participant["id"])


def hall(db, event, plan, free, language):
    """Return the hall of a plan as pictures/hall draws it.

    Booths name only exhibitors whom everybody may see.

    `free` are the ids of the booths that can be chosen. Others are taken. Call this inside a
    snapshot.
    """
    show = directory.show(db, event["event_key"])
    listed = directory.exhibitors(db, show, language) if show else []
    drawn = directory.named(plan_pictures.read(db, plan["id"], "public", language), listed)
    for booth in drawn["booths"]:
        if booth["status"] == "available" and booth["id"] not in free:
            booth["status"] = "taken"
    return drawn


# Limits


def _limits(db, participant, pages):
    """Return {hold_until, paused_until, used_up}: the end of a hold that is made now, and what
    prevents one.
    """
    now = db.now or times.now()
    choice = db.one(sql.choice, participant_id=participant["id"])
    used = (choice["given_back"] if choice else 0) + db.value(
        sql.expired_holds, participant_id=participant["id"], now=now
    )
    ends = choice and choice["ends_at"]
    paused_until = ends and ends <= now < times.after(ends, PAUSE) and times.after(ends, PAUSE)
    return {
        "hold_until": ends
        if ends and ends > now
        else times.after(now, timedelta(days=pages["hold_days"])),
        "ended_at": ends,
        "paused_until": paused_until or None,
        "used_up": used >= MOST,
    }


def _is_fixed(row):
    """Return whether a reservation leaves no choice: it is confirmed, or the office holds it for
    the participant.
    """
    return row["status"] == "confirmed" or row["by_office"]


# Choosing


def choose(db, participant, event, pages, number):
    """Hold a booth, or move the hold to it.

    Raise 422 for a booth that cannot be chosen; 409 `booth_closed`, `hold_paused`, `holds_used_up`,
    `booth_unavailable` with the numbers of free booths in `near`, `invalid_transition`,
    `participant_cancelled` or `anonymized`.
    """
    _refuse_closed(participant, event, pages)
    expire_own(db, participant)
    own = own_booths(db, participant)
    if any(map(_is_fixed, own)):
        raise Problem(
            "invalid_transition",
            "The participant has a booth that is confirmed, or that the organiser "
            "holds for it. Give that back first, or ask the organiser.",
            state="held",
            allowed_from=[],
            allowed_actions=[],
        )
    booth = _booth(db, participant, pages, number)
    try:
        if own:
            booking.move(db, reservation_rows.row(db, own[0]["id"]), booth)
        else:
            _hold(db, participant, pages, booth)
    except Problem as problem:
        if problem.code == "booth_unavailable":
            free = free_booths(db, participant, pages)
            problem.members.update(booth_number=number, near=near(free, number, booth["area"]))
        raise


def _refuse_closed(participant, event, pages):
    anonymity.refuse_gone(participant)
    opened = window(pages, event)
    if opened is None or opened["state"] != "open":
        raise Problem(
            "booth_closed",
            "Exhibitors cannot choose a booth now. Ask the organiser.",
            **{name: opened and opened[name] for name in ("from", "until")},
        )


def _booth(db, participant, pages, number):
    """Return the row of the booth with a number. Raise 422 unless exhibitors may choose it."""
    id = db.value(sql.booth, participant_id=participant["id"], booth_number=number)
    booth = id and booth_rows.row(db, id)
    if booth is None or (
        pages["booth_types"] and booth["booth_type_key"] not in pages["booth_types"]
    ):
        raise invalid_at(
            "/booth_number",
            "unknown",
            f"is unknown: no booth that can be chosen has the number {number}",
        )
    return booth


def _hold(db, participant, pages, booth):
    limits = _limits(db, participant, pages)
    if limits["used_up"]:
        raise Problem(
            "holds_used_up",
            f"{MOST} holds have run out or were given back. Ask the organiser for a booth.",
            keeps=True,
        )
    if limits["paused_until"]:
        raise Problem(
            "hold_paused",
            f"The last hold ended at {limits['ended_at']}. Choose again after "
            f"{limits['paused_until']}, or ask the organiser.",
            keeps=True,
            ended_at=limits["ended_at"],
            paused_until=limits["paused_until"],
        )
    wanted = {
        "final_price": None,
        "waitlist": False,
        "status": "pending",
        "expires_at": limits["hold_until"],
        "notes": None,
    }
    booking.reserve(db, wanted, booth, participant_row(db, participant))
    db.run(sql.begin_choice, participant_id=participant["id"], ends_at=limits["hold_until"])


def expire_own(db, participant):
    """End the holds of the participant that have run out."""
    for row in db.all(sql.reservations, participant_id=participant["id"]):
        stored = reservation_rows.row(db, row["id"])
        if stored["status"] == "pending" and reservation_rows.has_expired(db, stored):
            booking.expire(db, stored)


def own_booth(db, participant, id):
    """Return the live reservation with an id as `own_booths` does, or None."""
    return next((row for row in own_booths(db, participant) if row["id"] == id), None)


def give_back(db, participant, row):
    """Give back a hold; `row` is one of `own_booths`.

    Raise 409 `invalid_transition` for a confirmed booth, which only the office can take back.
    """
    anonymity.refuse_gone(participant)
    if row["status"] == "confirmed":
        raise Problem(
            "invalid_transition",
            "The booth is confirmed. Ask the organiser to release it.",
            state="confirmed",
            allowed_from=["pending"],
            allowed_actions=[],
        )
    if not row["by_office"] and db.now > times.after(row["reserved_at"], FREE_TO_RETURN):
        db.run(sql.count_given_back, participant_id=participant["id"])
    booking.cancel(db, reservation_rows.row(db, row["id"]), "Given back on the exhibitor's page.")


def facts(db, event, row):
    """Return what is shown before a booth is confirmed. `row` is one of `own_booths`."""
    return {
        "event": event["event_key"],
        "currency": db.config.currency,
        **{
            name: row[name]
            for name in ("booth_number", "width", "depth", "price", "rate", "tax", "total")
        },
    }


def may_confirm(participant, pages):
    """Return whether the exhibitor may confirm a booth by itself."""
    return pages["booth_confirm"] == "self" and participant["status"] == "confirmed"


def confirm(db, participant, event, pages, row, step):
    """Confirm a hold bindingly; `row` is one of `own_booths`, `step` an evidence.Step.

    Raise 409 `booth_closed` unless exhibitors confirm by themselves and the participation is
    confirmed, `link_not_mailed` or `invalid_transition`; 412 if the price has changed.
    """
    anonymity.refuse_gone(participant)
    if not may_confirm(participant, pages):
        raise Problem(
            "booth_closed",
            "The organiser confirms the booths. Ask there.",
            **{"from": None, "until": None},
        )
    shown = facts(db, event, row)
    evidence.check(db, step, shown)
    if row["status"] == "confirmed":
        return reservation_rows.row(db, row["id"])
    new = booking.confirm(db, reservation_rows.row(db, row["id"]))
    evidence.record(db, KIND, new["id"], step, shown)
    return new
