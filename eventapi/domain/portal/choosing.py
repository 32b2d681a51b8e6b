"""Choosing a booth on the page of an exhibitor: what is free, one hold at a time, and its limits.

The limits are those of links only. The office reserves over the API as it likes. The first hold
sets an end; moving it, giving it back and holding again keep that end. After it, no hold for a
week. A hold that runs out counts, and so does one that is given back more than an hour after it was
made; there are three for each participant.

A hold with a link has no `created_by`. Every function that writes is called inside a write
transaction.
"""

from dataclasses import dataclass
from datetime import timedelta

from eventapi import money, times
from eventapi.domain.billing import tax_terms, treatments
from eventapi.domain.halls import booking, booth_rows, plan_pictures, pricing, reservation_rows
from eventapi.domain.portal import evidence
from eventapi.domain.records import anonymity
from eventapi.domain.shows import directory
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("portal")
participants = statements("participants")

PAUSE = timedelta(days=7)
FREE_TO_RETURN = timedelta(hours=1)
MOST = 3  # holds that may run out or be given back late
NEAR = 3  # booths that are named in place of one that was taken
KIND = "booth_reservation"
NEVER = {"state": None, "from": None, "until": None}  # the window, if there is none


@dataclass(frozen=True, slots=True)
class Limits:
    """What the holds of a participant until now mean for the next one.

    Attributes:
        hold_until: the end of a hold that is made now.
        ended_at: the end that the first hold has set, or None.
        paused_until: when a hold is possible again, or None.
        used_up: whether so many holds have run out that there is no other one.
    """

    hold_until: str
    ended_at: str | None
    paused_until: str | None
    used_up: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """What the page of an exhibitor shows about its booth.

    Attributes:
        window: the result of `window`.
        own: the live reservations, see `own_booths`.
        wish: the type of booth that the application of the exhibitor wishes, or None.
        free: the booths that can be chosen, those of the wish first; none unless `may_choose`.
        wished: how many of them are those of the wish.
        chosen: the one of them that the exhibitor looks at, or None.
        limits: the Limits.
        may_choose: whether the exhibitor may choose or move, but for the limits.
        may_confirm: whether it may confirm a booth by itself.
    """

    window: dict | None
    own: list
    wish: dict | None
    free: list
    wished: int
    chosen: dict | None
    limits: Limits
    may_choose: bool
    may_confirm: bool


# Reading


def window(pages, event):
    """Return {state, from, until}: whether exhibitors may choose now (soon, open, over), or None if
    they never may.
    """
    if pages["booth_from"] is None:
        return None
    zone = event["timezone"]
    begins = times.start(pages["booth_from"], zone)
    ends = times.end(pages["booth_until"] or event["date_to"] or event["date_from"], zone)

    now = times.now()
    state = "open"
    if now < begins:
        state = "soon"
    elif ends and now > ends:
        state = "over"
    return {"state": state, "from": begins, "until": ends}


def view(db, participant, event, pages, number=None):
    """Return the Choice of a participant. `number` is that of the booth that it looks at.

    Prices are in minor units.
    """
    own = own_booths(db, participant)
    opened = window(pages, event)
    limits = _limits(db, participant, pages)

    is_open = opened is not None and opened["state"] == "open"
    has_fixed = any(_is_fixed(row) for row in own)
    may_choose = is_open and participant["status"] != "cancelled" and not has_fixed
    wish = db.one(sql.wish, participant_id=participant["id"])
    free = free_booths(db, participant, pages) if may_choose else []
    return Choice(
        window=opened,
        own=own,
        wish=wish,
        free=sorted(free, key=lambda row: not _is_of_wish(row, wish)),
        wished=sum(_is_of_wish(row, wish) for row in free),
        chosen=next((row for row in free if row["booth_number"] == number), None),
        limits=limits,
        may_choose=may_choose,
        may_confirm=may_confirm(participant, pages),
    )


def own_booths(db, participant):
    """Return the live reservations with their price, tax and total.

    A hold that has run out is none.
    """
    now = db.now or times.now()
    terms = tax_terms.of_participant(db, participant["id"])
    live = []
    for row in db.all(sql.reservations, participant_id=participant["id"]):
        if row["status"] == "confirmed" or row["expires_at"] > now:
            rate = treatments.rate_of(terms, row["tax_rate"] or 0, row["exemption_reason"])
            sums = _sums(row["final_price"], rate)
            live.append({**row, **sums, "by_office": row["created_by"] is not None})
    return live


def _sums(price, rate):
    """Return {price, rate, tax, total}.

    `rate` is in hundredths of a percent. Without a price, tax and total are None.
    """
    if price is None:
        return {"price": None, "rate": rate, "tax": None, "total": None}
    tax = money.tax(price, rate)
    return {"price": price, "rate": rate, "tax": tax, "total": price + tax}


def free_booths(db, participant, pages):
    """Return the booths that the participant may choose, each with its price, tax and total."""
    free = []
    terms = tax_terms.of_participant(db, participant["id"])
    for row in db.all(sql.booths, participant_id=participant["id"], now=db.now or times.now()):
        if not _is_of_types(row, pages):
            continue
        if row["price"] is None:
            booth = booth_rows.row(db, row["id"])
            quote = pricing.quote(db, booth, participant_row(db, participant))
            row["price"] = quote["price"]
        if row["price"] is not None:
            usual_rate = booth_rows.tax_rate(db, row)
            rate = treatments.rate_of(terms, usual_rate or 0, row["exemption_reason"])
            sums = _sums(row["price"], rate)
            free.append({**row, **sums})
    return free


def _is_of_types(booth, pages):
    """Return whether exhibitors choose from the type of a booth."""
    return not pages["booth_types"] or booth["booth_type_key"] in pages["booth_types"]


def _is_of_wish(booth, wish):
    """Return whether a booth is of the type that the exhibitor wishes."""
    return wish is not None and booth["booth_type_key"] == wish["booth_type_key"]


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
    """Return the Limits of a participant."""
    now = db.now or times.now()
    choice = db.one(sql.choice, participant_id=participant["id"])
    used = db.value(sql.expired_holds, participant_id=participant["id"], now=now)
    ended_at = None
    if choice:
        used += choice["given_back"]
        ended_at = choice["ends_at"]

    hold_until = times.after(now, timedelta(days=pages["hold_days"]))
    paused_until = None
    if ended_at and ended_at > now:
        hold_until = ended_at
    elif ended_at:
        pause_ends = times.after(ended_at, PAUSE)
        if now < pause_ends:
            paused_until = pause_ends
    return Limits(hold_until, ended_at, paused_until, used >= MOST)


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
    if any(_is_fixed(row) for row in own):
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
    opened = window(pages, event) or NEVER
    if opened["state"] != "open":
        raise Problem(
            "booth_closed",
            "Exhibitors cannot choose a booth now. Ask the organiser.",
            **{"from": opened["from"], "until": opened["until"]},
        )


def _booth(db, participant, pages, number):
    """Return the row of the booth with a number. Raise 422 unless exhibitors may choose it."""
    id = db.value(sql.booth, participant_id=participant["id"], booth_number=number)
    booth = booth_rows.row(db, id) if id else None
    if booth is None or not _is_of_types(booth, pages):
        raise invalid_at(
            "/booth_number",
            "unknown",
            f"is unknown: no booth that can be chosen has the number {number}",
        )
    return booth


def _hold(db, participant, pages, booth):
    limits = _limits(db, participant, pages)
    if limits.used_up:
        raise Problem(
            "holds_used_up",
            f"{MOST} holds have run out or were given back. Ask the organiser for a booth.",
            keeps=True,
        )
    if limits.paused_until:
        raise Problem(
            "hold_paused",
            f"The last hold ended at {limits.ended_at}. Choose again after "
            f"{limits.paused_until}, or ask the organiser.",
            keeps=True,
            ended_at=limits.ended_at,
            paused_until=limits.paused_until,
        )

    fields = {
        "final_price": None,
        "waitlist": False,
        "status": "pending",
        "expires_at": limits.hold_until,
        "notes": None,
    }
    booking.reserve(db, fields, booth, participant_row(db, participant))
    db.run(sql.begin_choice, participant_id=participant["id"], ends_at=limits.hold_until)


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
    shown = {"event": event["event_key"], "currency": db.config.currency}
    for name in ("booth_number", "width", "depth", "price", "rate", "tax", "total"):
        shown[name] = row[name]
    return shown


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
