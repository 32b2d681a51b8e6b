"""The checks of `eventapi check`: whether database, money, sales, files and audit log are
consistent.
"""

from eventapi import journal
from eventapi.domain.bank import transactions
from eventapi.domain.billing import balance, bills, deposits, refunds
from eventapi.domain.books import periods, taxes
from eventapi.domain.dunning import sending as dunning
from eventapi.domain.einvoices_sent import store as originals
from eventapi.domain.entrance import admission
from eventapi.domain.imports import runs
from eventapi.domain.mail import queue as mails
from eventapi.domain.people import contacts, participants
from eventapi.domain.upkeep import housekeeping
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage import files, schema
from eventapi.storage.maintenance import large_cache, silent

# Name of each check -> (usual seconds in a large database, the function that returns its
# sentences).
CHECKS = {
    "foreign keys": (3, lambda db: schema.broken_foreign_keys(db.connection)),
    "money": (
        7,
        lambda db: (
            *balance.check(db),
            *refunds.check(db),
            *taxes.check(db),
            *dunning.check(db),
            *deposits.check_deductions(db),
        ),
    ),
    "periods": (1, periods.check),
    "e-invoices": (1, originals.check),
    "bank": (1, transactions.check),
    "sales": (2, bills.check),
    "people": (3, lambda db: (*contacts.check(db), *participants.check(db))),
    "check-ins": (2, admission.check),
    "webhooks": (1, webhooks.check),
    "mail": (1, mails.check),
    "bulk imports": (1, runs.check),
}
# Checks whose sentences are warnings: an administrator has to decide, but no data is wrong.
WARNINGS = frozenset({"mail"})
# The parts of `contents` and of `findings` for a progress.Progress.
CONTENTS = {
    **{name: seconds for name, (seconds, _) in CHECKS.items()},
    journal.VERIFYING: 18,
    "files": 1,
}
PARTS = {schema.INTEGRITY: 40, **CONTENTS}


def findings(db, report=silent):
    """Return what is wrong as a list of `(name of the check, sentence)`, which is empty if nothing
    is.

    `report` is told how far the checks are, in PARTS.
    """
    found = [("integrity", line) for line in schema.integrity_faults(db.connection, report=report)]
    return found or contents(db, report)  # the other checks mean nothing on a damaged file


def contents(db, report=silent):
    """Return what is wrong in a file whose structure is sound, as `findings` does.

    `report` is told CONTENTS.

    All checks read one snapshot, so that they can run beside a server.
    """
    found = [("schema", line) for line in schema.changed(db.connection)]
    if found:
        return found  # nor do they with other tables
    with large_cache(db.connection), db.snapshot():
        found += [("schema", line) for line in schema.foreign(db.connection)]
        for name, (_, check) in CHECKS.items():
            report(name, 0, 1)
            found += [(name, line) for line in check(db)]
        found += [("audit log", line) for line in journal.verify(db, report)]
        used = housekeeping.used_files(db)
    return found + [("files", line) for line in damaged_files(db.config, used, report)]


def faults(found):
    """Return the findings that are no warnings."""
    return [(name, line) for name, line in found if name not in WARNINGS]


def damaged_files(config, used, report=silent):
    """Yield a sentence for each file in the set `used` of SHA-256 hashes that is missing, a link or
    changed.
    """
    missing = set(files.missing(config, sorted(used)))
    for done, sha256 in enumerate(sorted(used)):
        report("files", done, len(used))
        if sha256 in missing:
            yield f"the file {sha256} is missing, or is not a regular file"
        elif not files.verify(config, sha256):
            yield f"the file {sha256} was changed"
