"""What the closing of a month keeps beside its figures: which files, which of them are missing, and
whether they are still those that were kept.

The recapitulative statement belongs to each month. Subjects add others (`Kept` in
records/subject.py): they are left out while options are missing, and are kept later on request. A
first wrong account must not stay in the books for ever because a month was closed.
"""

from eventapi import journal
from eventapi.domain.books import files, recapitulative
from eventapi.domain.records import entities
from eventapi.errors import Problem


def written_of(db, months, keeps):
    """Return {month: {name: Packed}}: the files that are kept when these months are closed.

    Those that cannot be written yet, because options are missing, are left out.
    """
    found = {}
    for month in months:
        written = {recapitulative.NAME: recapitulative.write(db, month)}
        for kept in keeps:
            try:
                written.update(kept.write(db, month))
            except Problem as problem:
                if problem.code != kept.incomplete:
                    raise
        found[month] = files.packed(written)
    return found


def warnings(db, month, keeps):
    """Return a warning for each kind of files that closed months until `month` lack.

    Months that were closed by a version without files are left out.
    """
    found = []
    for kept in keeps:
        months = [
            row["month"]
            for row in files.without(db, kept.names[0])
            if row["month"] <= month and row["organiser_country"]
        ]
        if months:
            found.append(
                {
                    "code": kept.incomplete,
                    "detail": f"{kept.title} were not kept for {', '.join(months)}: options are "
                    "missing. Set them, look at the files, then send "
                    f"POST /reports/periods/{months[0]}/files, and so for each month.",
                }
            )
    return found


def keep_missing(db, stopping):
    """Keep the recapitulative statements of the months that were closed by a version without files.

    For the worker. Each month is a transaction of its own.
    """
    for row in files.without(db, recapitulative.NAME):
        if stopping():
            return
        with db.write():
            if row["id"] in {other["id"] for other in files.without(db, recapitulative.NAME)}:
                written = {recapitulative.NAME: recapitulative.write(db, row["month"])}
                add(db, row["id"], row["month"], written)


def add(db, id, month, written):
    """Store and journal files {name: bytes} of a month that is closed already."""
    hashes = files.add(db, id, files.packed(written))
    journal.administered(
        db, entities.PERIOD, "files_kept", id, title=month, new={"month": month, "files": hashes}
    )


def check(db):
    """Yield a sentence for each kept file that was changed, and for each recapitulative statement
    that is computed differently now.
    """
    for row in files.every(db):
        found = files.content_of(row)
        if found is None:
            yield f"{row['month']}: the kept file {row['name']} was changed"
        elif row["name"] == recapitulative.NAME and recapitulative.differs(db, row["month"], found):
            yield f"{row['month']}: the recapitulative statement differs from the one that was kept"
