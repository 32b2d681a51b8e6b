"""Visits: computed from the scans of one participant on one day.

A day ends at the local time `day_ends_at` of the event, and with it every visit. The scans are
processed in the order in which they were made. So the visits do not depend on the order in which
the scans arrive: some arrive late, twice or from several devices.
"""

from dataclasses import dataclass

from eventapi import times

SAME = 10  # seconds within which two scans of a badge count as one: it was held up twice


@dataclass
class Visit:
    """The time from the scan that opened the visit to the scan that closed it, or to the end of the
    day.

    `opening` and `closing` are rows of scans, `ends_at` is UTC text, `closed_by` is `check_out`,
    `force` or None.
    """

    opening: dict
    ends_at: str
    closing: dict | None = None
    closed_by: str | None = None

    def close(self, scan, closed_by):
        self.closing, self.closed_by, self.ends_at = scan, closed_by, scan["scanned_at"]


def compute(scans, day_end):
    """Return `(visits, outcomes)`.

    `outcomes` maps the id of each scan to `(effect, code, visit or None)`.

    `day_end` (UTC text) ends the visits that no scan closes. `effect` is `opened`, `closed`,
    `repeated` or None; `code` is the problem code of a refused scan or None.
    """
    visits, outcomes = [], {}
    for scan in sorted(scans, key=_order):
        last = visits[-1] if visits else None
        effect, code = (_check_in if scan["action"] == "check_in" else _check_out)(scan, last)
        if effect == "opened":
            if last and not last.closing:
                last.close(scan, "force")
            visits.append(Visit(scan, day_end))
        elif effect == "closed":
            last.close(scan, "check_out")
        outcomes[scan["id"]] = effect, code, None if code == "not_checked_in" else visits[-1]
    return visits, outcomes


def repeated_scan(new, scans, outcomes):
    """Return the scan that a new one repeats, or None if the new one opened or closed a visit, or
    was refused.

    `scans` are rows with the effect that they had before the new one arrived, `outcomes` those of
    `compute` with it. A new scan that was made earlier than one that has opened or closed the
    visit, or in the same second, may take its place. For the people at the entrance it is a second
    reading of the badge all the same.
    """
    effect, _, visit = outcomes[new["id"]]
    if effect is None:
        return None
    if effect == "repeated":
        return visit.opening if new["action"] == "check_in" else visit.closing
    for scan in scans:
        if scan["effect"] == effect and outcomes[scan["id"]][0] != effect:
            return scan
    return None


def _order(scan):
    """Return the sort key of a scan: the time at which it was made.

    Scans of the same second are ordered by id if the server set their time. Otherwise they are
    ordered by their fields, so that the order of their arrival does not matter.
    """
    fields = (
        scan[name] or ""
        for name in ("station", "client_ref", "badge_number", "check_in_type", "notes")
    )
    live_id = scan["id"] if scan["is_live"] else 0
    return scan["scanned_at"], live_id, scan["action"], scan["force"], *fields, scan["id"]


def _check_in(scan, last):
    """Return `(effect, code)` of a check-in that follows the visit `last`, which may be None."""
    if last is None or last.closing:
        return "opened", None
    if _is_same(scan, last.opening):
        return "repeated", None
    return ("opened", None) if scan["force"] else (None, "already_checked_in")


def _check_out(scan, last):
    """Return `(effect, code)` of a check-out that follows the visit `last`, which may be None."""
    if last and not last.closing:
        return "closed", None
    if last and last.closed_by == "check_out" and _is_same(scan, last.closing):
        return "repeated", None
    return None, "not_checked_in"


def _is_same(scan, other):
    """Return whether two consecutive scans count as one.

    They do if they are at most SAME seconds apart, unless they were made at two different stations.
    """
    if scan["station"] and other["station"] and scan["station"] != other["station"]:
        return False
    return times.unix(scan["scanned_at"]) - times.unix(other["scanned_at"]) <= SAME
