"""Handing in a submission on the page of an exhibitor: a value or a file, as a draft or submitted.

Every function that writes is called inside a write transaction and journals the change.
"""

from datetime import timedelta

from eventapi import times
from eventapi.domain.attachments import content_types
from eventapi.domain.submissions import submissions, submitted_files
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("portal")

PER_HOUR = 20  # files of a participant in an hour
PLAIN = {"custom_fields": {}}


def hand_in(db, participant, kind, value, *, is_draft):
    """Store a value for a row of `records.types`, and submit it unless it `is_draft`.

    Return the submission.

    Raise 422 for a value that does not fit; 409 `locked`, `participant_cancelled` or `anonymized`.
    """
    return _store(db, participant, kind, {"value": value}, is_draft)


def hand_in_file(db, participant, kind, upload, filename, *, is_draft):
    """Store a file for a row of `records.types`, and submit it unless it `is_draft`.

    Return the submission.

    Each file is a document of the participant. Raise 422 for a file that does not fit; 409 as
    `hand_in` does; 429 for too many files in an hour.
    """
    name = content_types.safe_name(filename)
    if not name:
        raise invalid_at("/document_id", "required", "is required: choose a file")
    since = times.after(db.now, -timedelta(hours=1))
    if db.value(sql.documents_made, participant_id=participant["id"], since=since) >= PER_HOUR:
        raise Problem(
            "rate_limited",
            f"At most {PER_HOUR} files can be sent in an hour. Try again later.",
            headers={"Retry-After": "3600"},
        )
    _refuse_inactive(kind)
    old = kind["submission_id"] and submissions.get(db, kind["submission_id"])
    if old:
        submissions.refuse_locked(old, ["document_id"])
    document_id = submitted_files.add(db, participant, kind, upload, name)
    return _store(db, participant, kind, {"document_id": document_id}, is_draft)


def submit(db, kind):
    """Submit a draft of a row of `records.types` as it is. Raise 422 or 409 as `hand_in` does."""
    _refuse_inactive(kind)
    return submissions.submit(db, submissions.get(db, kind["submission_id"]))


def _refuse_inactive(kind):
    if not kind["is_active"]:
        raise invalid_at("/value", "inactive", "is not asked for any more")


def _store(db, participant, kind, given, is_draft):
    _refuse_inactive(kind)
    if kind["submission_id"] is None:
        return submissions.create(
            db,
            {
                "event_participant_id": participant["id"],
                "type_id": kind["id"],
                "type_key": None,
                "value": None,
                "document_id": None,
                **given,
                **PLAIN,
                "draft": is_draft,
            },
        )
    old = submissions.get(db, kind["submission_id"])
    return submissions.update(db, old, {**given, "draft": is_draft})


def allows(kind):
    """Return whether something can be handed in now for a row of `records.types`."""
    return kind["is_active"] and kind["state"] in (
        "missing",
        "draft",
        "revision_requested",
        "rejected",
    )
