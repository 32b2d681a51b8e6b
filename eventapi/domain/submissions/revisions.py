"""Revisions of submissions: what was submitted at one time, with the review of it and with the file."""
import json

from eventapi.domain.attachments import content_types
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("submissions")


def represent(row):
    """Turn a row of a revision into the API object, in place, and return it."""
    row["value"] = row["value"] and json.loads(row["value"])
    row["is_late"] = row["due_at"] is not None and row["due_at"] < row["submitted_at"]
    return row


def get(db, submission_id, number):
    """Return the revision with this number, or None."""
    row = db.one(sql.revision, submission_id=submission_id, revision=number)
    return row and represent(row)


def all_of(db, submission_id):
    """Return all revisions of a submission as API objects."""
    return [represent(row) for row in db.all(sql.all_revisions, submission_id=submission_id)]


def file_of(config, revision):
    """Return `(content type, file name)` of the file of a revision that has one. The type is read from its bytes."""
    kind = content_types.detect(files.head(config, revision["sha256"]))
    name = f"submission-{revision['submission_id']}-{revision['revision']}{content_types.EXTENSIONS.get(kind, '')}"
    return kind, revision["filename"] or name
