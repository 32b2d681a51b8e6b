"""What `eventapi check` asks: whether database, money, sales, files and audit log are as they were written."""
from eventapi import journal
from eventapi.domain.billing import claims, ledger
from eventapi.domain.entrance import admission
from eventapi.domain.imports import bulk_imports
from eventapi.domain.mail import queue as mails
from eventapi.domain.upkeep import housekeeping
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage import files


def findings(db):
    """What is wrong, as (check, sentence); nothing when all is well. One snapshot, so that it may run beside a server."""
    found = [("integrity", line) for line in db.integrity_faults()]
    if found:
        return found                          # what is built on a damaged file says nothing
    with db.snapshot():
        found += [("foreign keys", line) for line in db.broken_foreign_keys()]
        found += [("money", line) for line in ledger.check(db)]
        found += [("sales", line) for line in claims.check(db)]
        found += [("check-ins", line) for line in admission.check(db)]
        found += [("webhooks", line) for line in webhooks.check(db)]
        found += [("mail", line) for line in mails.check(db)]
        found += [("bulk imports", line) for line in bulk_imports.check(db)]
        found += [("audit log", line) for line in journal.verify(db)]
        used = housekeeping.used_files(db)
    return found + [("files", line) for line in damaged_files(db.config, used)]


def damaged_files(config, used):
    """Of the files that records name: those that are missing, and those whose bytes are not what they were."""
    missing = set(files.missing(config, sorted(used)))
    for sha256 in sorted(used):
        if sha256 in missing:
            yield f"the file {sha256} is missing"
        elif not files.verify(config, sha256):
            yield f"the file {sha256} was changed"
