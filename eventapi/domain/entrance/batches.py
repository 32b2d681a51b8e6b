"""Batches of scans: many scans in one transaction, each with a result of its own.

Call `record` inside a write transaction.
"""

from eventapi.domain.entrance import admission
from eventapi.errors import Problem


def record(db, sent, check):
    """Record scans, those made first first, and return what became of each in the order in which
    they were sent.

    `check` returns the complete body of one scan of `sent`, or raises 422; a refused scan does not
    stop the others.

    An entry is the `Result` of the scan, or the Problem for which it was refused.
    """
    scans, found = [], {}
    for index, scan in enumerate(sent):
        try:
            scans.append((check(scan), index))
        except Problem as problem:
            found[index] = problem
    for scan, index in sorted(
        scans, key=lambda entry: (entry[0]["scanned_at"] or db.now, entry[1])
    ):
        try:
            found[index] = admission.scan(db, scan)
        except Problem as problem:
            found[index] = problem
    return [found[index] for index in range(len(sent))]


def represent(index, outcome):
    """Return what became of a scan as an API object; `index` is its place in the batch.

    It has `index`, `status` (that of a single request), `code` and `detail` of its problem or None,
    and `data`: the check-in, or the open visit for which the scan was refused, or None. `errors`
    only if there are any.
    """
    if isinstance(outcome, admission.Result):
        return {
            "index": index,
            "status": status(outcome),
            "code": None,
            "detail": None,
            "data": outcome.check_in,
        }
    entry = {
        "index": index,
        "status": outcome.status,
        "code": outcome.code,
        "detail": outcome.detail,
        "data": outcome.members.get("check_in"),
    }
    return {**entry, "errors": outcome.errors} if outcome.errors else entry


def status(result):
    """Return the status of a scan that was not refused."""
    return 201 if result.is_new else 200
