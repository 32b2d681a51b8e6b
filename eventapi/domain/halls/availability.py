"""Availability: what stands against reserving a booth. Each square metre is sold once, so what overlaps it counts too."""
from eventapi import geometry
from eventapi.domain.halls.reservations import HELD_AS
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("booth_reservations")


def blockers(db, booth, but=None):
    """The reservations that stand against reserving a booth: its own, then those of booths that it overlaps; not the one with the id `but`."""
    found = db.all(sql.live, booth_id=booth["id"])
    found += overlapping(booth, db.all(sql.live_nearby, **reach(booth)))
    return [live for live in found if live["id"] != but]


def reach(booth):
    """What tells a statement which booths may overlap this one. Of one that is not placed nothing does: null compares with nothing."""
    placed = booth["pos_x"] is not None
    return {"plan_id": booth["plan_id"], "booth_id": booth["id"], "reach": booth["width"] + booth["depth"],
            "middle_x": 2 * booth["pos_x"] + booth["width"] if placed else None,
            "middle_y": 2 * booth["pos_y"] + booth["depth"] if placed else None}


def overlapping(booth, others):
    shape = others and geometry.corners(booth)
    return [other for other in others if geometry.overlap(shape, geometry.corners(other))]


def refuse_taken(db, booth, but=None):
    """409 when something stands in the way. What was found to be over before stays so."""
    if booth["status"] == "blocked":
        raise unavailable(booth, None)
    standing = blockers(db, booth, but)
    if standing:
        raise unavailable(booth, standing[0])


def unavailable(booth, live):
    number = booth["booth_number"]
    if live is None:
        blocked_by = {"reservation_id": None, "status": "blocked", "expires_at": None, "booth_id": booth["id"], "booth_number": number}
        return Problem("booth_unavailable", f"Booth {number} is blocked.", blocked_by=blocked_by, keeps=True)
    word = HELD_AS[live["status"]] + (f" until {live['expires_at']}" if live["expires_at"] else "")
    detail = f"Booth {number} is {word}." if live["booth_id"] == booth["id"] else (
        f"Booth {number} overlaps booth {live['booth_number']}, which is {word}.")
    blocked_by = {"reservation_id": live["id"], **{name: live[name] for name in ("status", "expires_at", "booth_id", "booth_number")}}
    return Problem("booth_unavailable", detail, blocked_by=blocked_by, keeps=True)
