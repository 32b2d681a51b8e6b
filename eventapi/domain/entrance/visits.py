"""Visits: what the scans of one participant on one day amount to.

They are taken in the order in which they were made, and so whatever order they came in, late, twice or from several devices,
they amount to the same visits.
"""
from dataclasses import dataclass

from eventapi import times

SAME = 10                   # seconds within which a badge at one station was held up twice, not scanned twice


@dataclass
class Visit:
    """From the scan that opened it to the one that closed it; without one it ends with its day."""
    opening: dict
    ends_at: str
    closing: dict | None = None
    closed_by: str | None = None

    def close(self, scan, closed_by):
        self.closing, self.closed_by, self.ends_at = scan, closed_by, scan["scanned_at"]


def follow(scans, day_ends_at):
    """(visits, outcomes): outcomes has (effect, code, visit or None) for the id of each scan."""
    visits, outcomes = [], {}
    for scan in sorted(scans, key=order):
        last = visits[-1] if visits else None
        effect, code = (check_in if scan["action"] == "check_in" else check_out)(scan, last)
        if effect == "opened":
            if last and not last.closing:
                last.close(scan, "force")
            visits.append(Visit(scan, day_ends_at))
        elif effect == "closed":
            last.close(scan, "check_out")
        outcomes[scan["id"]] = effect, code, None if code == "not_checked_in" else visits[-1]
    return visits, outcomes


def order(scan):
    """When it was made: of two in one second, those that came without a time of their own as they came, others whichever came first."""
    said = (scan[name] or "" for name in ("station", "client_ref", "badge_number", "check_in_type", "notes"))
    came = scan["id"] if scan["is_live"] else 0
    return scan["scanned_at"], came, scan["action"], scan["force"], *said, scan["id"]


def check_in(scan, last):
    """(effect, code) of a check-in after the visit `last`."""
    if last is None or last.closing:
        return "opened", None
    if is_same(scan, last.opening):
        return "repeated", None
    return ("opened", None) if scan["force"] else (None, "already_checked_in")


def check_out(scan, last):
    if last and not last.closing:
        return "closed", None
    if last and last.closed_by == "check_out" and is_same(scan, last.closing):
        return "repeated", None
    return None, "not_checked_in"


def is_same(scan, other):
    """Whether two scans one after the other are one: near in time at a station, or sent twice where none is named."""
    if scan["station"] != other["station"]:
        return False
    if scan["station"] is None:
        return scan["scanned_at"] == other["scanned_at"] and not scan["is_live"] and not other["is_live"]
    return times.unix(scan["scanned_at"]) - times.unix(other["scanned_at"]) <= SAME
