"""The ledger of the fault tests: what clients were told, compared with the database by statements
of its own.
"""

import hashlib
import json
from collections import Counter, defaultdict
from threading import Lock

from eventapi.storage import database

# kind -> statement that returns (marker, what is stored). Clients choose the markers.
STORED = {
    "payment": "SELECT p.transaction_id, p.id || ' ' || i.invoice_number || ' ' || p.amount FROM payments p "
    "JOIN invoices i ON i.id = p.invoice_id WHERE p.transaction_id IS NOT NULL",
    "note": "SELECT substr(note_text, 1, instr(note_text, ' ') - 1), note_text FROM notes WHERE note_text LIKE 'n%'",
    "visit": "SELECT client_ref, id || ' ' || badge_number || ' ' || (closed_by IS NOT NULL) FROM check_ins",
    "reservation": "SELECT notes, booth_id || ' ' || status FROM booth_reservations WHERE notes IS NOT NULL",
    "document": "SELECT title, coalesce(sha256, 'none') FROM documents",
    "import": "SELECT substr(external_id, 1, instr(external_id, '-') - 1), count(*) FROM contacts "
    "WHERE external_id LIKE 'i%' GROUP BY 1",
    "invoice": "SELECT text, invoice_number FROM invoices WHERE text LIKE 'v%'",
}


class Ledger:
    """What the service has answered.

    Attributes:
        stored: kind -> marker -> what must be stored.
        refused: kind -> markers that must not be stored.
        open: kind -> markers of requests without an answer: each may be stored or not.
        statuses: number of answers by status, `cut` counts those that did not come.
    """

    def __init__(self):
        self.stored, self.refused, self.open = defaultdict(dict), defaultdict(set), defaultdict(set)
        self.statuses, self.lock = Counter(), Lock()

    def count(self, status):
        with self.lock:
            self.statuses[status] += 1

    def counts(self):
        """Return a line: the acknowledged writes of each kind, and the answers."""
        kinds = ", ".join(f"{len(self.stored[kind])} {kind}s" for kind in STORED)
        return f"{kinds}; answers {dict(sorted(self.statuses.items(), key=str))}"


def differences(ledger, data):
    """Return a line for each difference between the ledger and the database in the folder `data`."""
    connection = database.connect(data / "eventapi.db", readonly=True)
    try:
        return (
            [line for kind in STORED for line in _of_kind(ledger, kind, connection)]
            + _doubles(connection)
            + _files(connection, data)
        )
    finally:
        connection.close()


def _of_kind(ledger, kind, connection):
    rows = [(marker, str(value)) for marker, value in connection.execute(STORED[kind])]
    found, expected = dict(rows), ledger.stored[kind]
    for marker, many in Counter(marker for marker, _ in rows).items():
        if many > 1:
            yield f"{kind} {marker} is stored {many} times"
    for marker, value in expected.items():
        if found.get(marker) != str(value):
            yield f"{kind} {marker}: acknowledged {value!r}, stored {found.get(marker)!r}"
    for marker in found.keys() - expected.keys() - ledger.open[kind]:
        why = "refused" if marker in ledger.refused[kind] else "never acknowledged"
        yield f"{kind} {marker} was {why}, and is stored: {found[marker]!r}"


def _doubles(connection):
    """Yield a line for each booth that is sold twice, gap in a series of numbers, and sum that is
    not its parts'.
    """

    def rows(text):
        return connection.execute(text).fetchall()

    lines = [
        f"booth {booth} has {many} reservations"
        for booth, many in rows(
            "SELECT booth_id, count(*) FROM booth_reservations WHERE status IN ('pending', 'confirmed') GROUP BY 1 "
            "HAVING count(*) > 1"
        )
    ]
    lines += [
        f"the series {series} has a gap: {many} numbers from {first} to {last}"
        for series, first, last, many in rows(
            "SELECT series, min(sequence), max(sequence), count(*) FROM invoices WHERE series IS NOT NULL "
            "GROUP BY 1"
        )
        if (first, last) != (1, many)
    ]
    lines += [
        f"invoice {number}: paid {paid}, sum of the payments {total}"
        for number, paid, total in rows(
            "SELECT invoice_number, paid_amount, (SELECT coalesce(sum(amount), 0) FROM payments "
            "WHERE invoice_id = i.id "
            "AND status = 'completed') AS booked FROM invoices i WHERE paid_amount <> booked"
        )
    ]
    # Each change has one audit entry: those of notes can be counted.
    lines += [
        f"{made} notes were created and {deleted} deleted by the audit log, {many} are stored"
        for made, deleted, many in rows(
            "SELECT sum(action = 'created'), sum(action = 'deleted'), (SELECT count(*) FROM notes) "
            "FROM audit_log WHERE entity_type = 'note'"
        )
        if (made or 0) - (deleted or 0) != many
    ]
    return lines


def _files(connection, data):
    lines = []
    for (sha256,) in connection.execute(
        "SELECT sha256 FROM documents WHERE sha256 IS NOT NULL"
    ).fetchall():
        path = data / "files" / sha256[:2] / sha256[2:]
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            lines.append(f"the stored file {sha256} is missing or has other bytes")
    return lines


def as_data(text):
    """Return `data` of a response, {} of one without."""
    return json.loads(text).get("data", {}) if text else {}
