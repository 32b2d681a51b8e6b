"""Batches of scans: many scans in one transaction, each with a result of its own.

Call `record` inside a write transaction.
"""
from eventapi.domain.entrance import admission
from eventapi.errors import Problem


def record(db, sent, check):
    """Record scans, those made first first, and return their results in the order in which they were sent.

    `check` returns the complete body of one scan of `sent`, or raises 422; a refused scan does not stop the others.

    A result has `index`, `status` (that of a single request), `code` and `detail` of its problem or None, and `data`:
    the check-in, or the open visit for which the scan was refused, or None. `errors` only if there are any.
    """
    scans, results = [], []
    for index, scan in enumerate(sent):
        try:
            scans.append((check(scan), index))
        except Problem as problem:
            results.append(_refused(index, problem))
    for scan, index in sorted(scans, key=lambda entry: (entry[0]["scanned_at"] or db.now, entry[1])):
        results.append(_result(db, index, scan))
    return sorted(results, key=lambda entry: entry["index"])


def _result(db, index, scan):
    try:
        check_in, is_new = admission.scan(db, scan)
    except Problem as problem:
        return _refused(index, problem)
    return {"index": index, "status": 201 if is_new else 200, "code": None, "detail": None, "data": check_in}


def _refused(index, problem):
    """Return the result of a refused scan, with the open check-in if there is one."""
    entry = {"index": index, "status": problem.status, "code": problem.code, "detail": problem.detail,
             "data": problem.members.get("check_in")}
    return {**entry, "errors": problem.errors} if problem.errors else entry
