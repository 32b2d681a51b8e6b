"""The checks of `eventapi check`: whether database, money, sales, files and audit log are
consistent.
"""

from eventapi import journal
from eventapi.domain.subjects import SUBJECTS
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import files, schema
from eventapi.storage.maintenance import large_cache, silent

# Name of each check, in the order in which `eventapi check` prints them -> (usual seconds in a large
# database, its parts in the order of their sentences, as `checks` of the subjects names them).
NAMES = {
    "foreign keys": (3, ("foreign keys",)),
    "money": (7, ("balances", "refunds", "taxes", "dunning", "deductions")),
    "periods": (1, ("periods",)),
    "datev": (5, ("datev",)),
    "e-invoices": (1, ("e-invoices",)),
    "bank": (1, ("bank",)),
    "sales": (2, ("sales",)),
    "people": (3, ("contacts", "participants")),
    "check-ins": (2, ("check-ins",)),
    "webhooks": (1, ("webhooks",)),
    "mail": (1, ("mail",)),
    "events abroad": (1, ("events abroad",)),
    "bulk imports": (1, ("bulk imports",)),
}


def broken_foreign_keys(db):
    """Return a sentence for each row that refers to one that does not exist."""
    return schema.broken_foreign_keys(db.connection)


def collected(subjects):
    """Return part -> function for all parts in NAMES.

    Raise LookupError at start-up if a subject has a part that NAMES lacks, or the other way round.
    """
    parts = {part for _, parts in NAMES.values() for part in parts}
    functions = {"foreign keys": broken_foreign_keys}

    for subject in subjects:
        for part, check in subject.checks.items():
            if part not in parts or part in functions:
                raise LookupError(
                    f"`checks` of the subject {subject.name} has {part!r}. Add this part to a check in NAMES of "
                    f"{__name__}, or give it another name if another subject has it."
                )
            functions[part] = check

    missing = parts - functions.keys()
    if missing:
        raise LookupError(
            f"NAMES of {__name__} has {sorted(missing)}. Add these parts to `checks` of a subject, or remove them."
        )
    return functions


FUNCTIONS = collected(SUBJECTS)
# Checks whose sentences are warnings: an administrator has to decide, but no data is wrong.
WARNINGS = frozenset({"mail", "events abroad"})
# The parts of `contents` and of `findings` for a progress.Progress.
CONTENTS = {
    **{name: seconds for name, (seconds, _) in NAMES.items()},
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
        for name, (_, parts) in NAMES.items():
            report(name, 0, 1)
            for part in parts:
                found += [(name, line) for line in FUNCTIONS[part](db)]
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
