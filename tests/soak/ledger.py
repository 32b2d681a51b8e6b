"""The ledger of the soak: what was acknowledged, compared at the end with the database and with
what has arrived.
"""

import hashlib
import time
from threading import Lock

from eventapi.storage import database


class Ledger:
    """Each attribute holds what the service has acknowledged, by id.

    `lock` guards what is more than one assignment.

    Attributes:
        visits: check-in -> [badge number, whether it was checked out].
        payments: payment -> (transaction, invoice number, cents).
        invoices: invoice number -> (id, cents, recipient or None).
        notes, contacts: id -> text that was stored last.
        subscribers: email -> id.
        bookings: reservation -> (booth, status).
        files: document -> SHA-256.
        imported: prefix of external_id -> number of contacts.
        acknowledged: (what, key) -> time of the response, for the lag of mails and webhooks.
    """

    def __init__(self):
        self.visits, self.payments, self.invoices, self.notes, self.contacts = {}, {}, {}, {}, {}
        self.subscribers = {}
        self.bookings = {}
        self.files = {}
        self.imported = {}
        self.acknowledged = {}
        self.lock = Lock()

    def note_time(self, what, key):
        self.acknowledged[what, key] = time.monotonic()

    def __len__(self):
        return sum(
            map(
                len,
                (
                    self.visits,
                    self.payments,
                    self.invoices,
                    self.notes,
                    self.contacts,
                    self.subscribers,
                    self.bookings,
                    self.files,
                ),
            )
        ) + sum(self.imported.values())


def differences(ledger, show, first_visit):
    """Return a line for each difference between the ledger and the database.

    `first_visit`: id of the first new one.
    """
    connection = database.connect(show.data / "eventapi.db", readonly=True)

    def rows(text):
        return connection.execute(text).fetchall()

    try:
        return [
            *_visits(ledger, rows, first_visit),
            *_money(ledger, rows),
            *_texts(ledger, rows),
            *_bookings(ledger, rows),
            *_imported(ledger, rows),
            *_files(ledger, rows, show),
        ]
    finally:
        connection.close()


def compared(name, expected, found):
    """Yield a line for each key whose value is not the expected one."""
    for key in sorted(expected.keys() | found.keys(), key=str):
        if expected.get(key) != found.get(key):
            yield f"{name} {key}: acknowledged {expected.get(key)!r}, stored {found.get(key)!r}"


def _visits(ledger, rows, first):
    found = {
        id: [badge, closed is not None]
        for id, badge, closed in rows(
            f"SELECT id, badge_number, closed_by FROM check_ins WHERE id >= {first}"
        )
    }
    yield from compared("check-in", ledger.visits, found)


def _money(ledger, rows):
    found = {
        id: (transaction, number, amount)
        for id, transaction, number, amount in rows(
            "SELECT p.id, p.transaction_id, i.invoice_number, p.amount FROM payments p JOIN invoices i "
            "ON i.id = p.invoice_id WHERE p.transaction_id LIKE 'soak-%'"
        )
    }
    yield from compared("payment", ledger.payments, found)
    stored = {
        number: (id, total, paid)
        for id, number, total, paid in rows(
            "SELECT id, invoice_number, total, paid_amount FROM invoices WHERE invoice_type = 'invoice'"
        )
    }
    paid = dict.fromkeys(ledger.invoices, 0)
    for _, number, cents in ledger.payments.values():
        paid[number] += cents
    yield from compared(
        "invoice",
        {number: (id, cents, paid[number]) for number, (id, cents, _) in ledger.invoices.items()},
        {number: stored.get(number) for number in ledger.invoices},
    )
    for series, first, last, many in rows(
        "SELECT series, min(sequence), max(sequence), count(*) FROM invoices "
        "WHERE series IS NOT NULL GROUP BY series"
    ):
        if last - first + 1 != many:
            yield f"the series {series} has a gap: {many} numbers from {first} to {last}"


def _texts(ledger, rows):
    yield from compared(
        "note",
        ledger.notes,
        dict(rows("SELECT id, note_text FROM notes WHERE note_text LIKE 'soak %'")),
    )
    yield from compared(
        "contact",
        ledger.contacts,
        dict(rows("SELECT id, phone FROM contacts WHERE phone LIKE '+00%'")),
    )
    yield from compared(
        "subscriber",
        ledger.subscribers,
        dict(rows("SELECT email, id FROM newsletter_subscribers WHERE email LIKE 'soak%'")),
    )


def _bookings(ledger, rows):
    found = {
        id: (booth, status)
        for id, booth, status in rows(
            "SELECT id, booth_id, status FROM booth_reservations WHERE notes = 'soak'"
        )
    }
    yield from compared("reservation", ledger.bookings, found)
    for booth, many in rows(
        "SELECT booth_id, count(*) FROM booth_reservations WHERE status IN ('pending', "
        "'confirmed') GROUP BY booth_id HAVING count(*) > 1"
    ):
        yield f"booth {booth} is reserved {many} times"


def _imported(ledger, rows):
    for prefix, many in ledger.imported.items():
        (found,) = rows(f"SELECT count(*) FROM contacts WHERE external_id LIKE '{prefix}-%'")[0]
        if found != many:
            yield f"import {prefix}: acknowledged {many} contacts, stored {found}"


def _files(ledger, rows, show):
    yield from compared(
        "document",
        ledger.files,
        dict(rows("SELECT id, sha256 FROM documents WHERE title = 'soak'")),
    )
    for sha256 in ledger.files.values():
        path = show.data / "files" / sha256[:2] / sha256[2:]
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            yield f"the stored file {sha256} is missing or has other bytes"


def lag(ledger, arrived, what):
    """Return (seconds of each arrival after its response, keys that have not arrived, keys that
    arrived twice).
    """
    expected = {key: at for (kind, key), at in ledger.acknowledged.items() if kind == what}
    seconds = [max(0.0, arrived[key][0] - at) for key, at in expected.items() if key in arrived]
    missing = [key for key in expected if key not in arrived]
    return seconds, missing, [key for key in expected if len(arrived.get(key, ())) > 1]
