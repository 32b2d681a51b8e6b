"""The checks of `eventapi check`: whether database, money, sales, files and audit log are consistent."""
from eventapi import journal
from eventapi.domain.accounts import bills
from eventapi.domain.billing import ledger, refunds
from eventapi.domain.entrance import admission
from eventapi.domain.imports import bulk_imports
from eventapi.domain.mail import queue as mails
from eventapi.domain.upkeep import housekeeping
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage import files, schema


def findings(db):
    """Return what is wrong as a list of `(name of the check, sentence)`, which is empty if nothing is.

    All checks read one snapshot, so that they can run beside a server.
    """
    found = [("integrity", line) for line in schema.integrity_faults(db.connection)]
    if not found:
        found = [("schema", line) for line in schema.changed(db.connection)]
    if found:
        return found                          # the other checks mean nothing on a damaged file or with other tables
    with db.snapshot():
        found += [("schema", line) for line in schema.foreign(db.connection)]
        found += [("foreign keys", line) for line in schema.broken_foreign_keys(db.connection)]
        found += [("money", line) for line in (*ledger.check(db), *refunds.check(db))]
        found += [("sales", line) for line in bills.check(db)]
        found += [("check-ins", line) for line in admission.check(db)]
        found += [("webhooks", line) for line in webhooks.check(db)]
        found += [("mail", line) for line in mails.check(db)]
        found += [("bulk imports", line) for line in bulk_imports.check(db)]
        found += [("audit log", line) for line in journal.verify(db)]
        used = housekeeping.used_files(db)
    return found + [("files", line) for line in damaged_files(db.config, used)]


def damaged_files(config, used):
    """Yield a sentence for each file in the set `used` of SHA-256 hashes that is missing, a link or changed."""
    missing = set(files.missing(config, sorted(used)))
    for sha256 in sorted(used):
        if sha256 in missing:
            yield f"the file {sha256} is missing, or is not a regular file"
        elif not files.verify(config, sha256):
            yield f"the file {sha256} was changed"
