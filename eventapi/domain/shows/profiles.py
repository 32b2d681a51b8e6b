"""Profiles: how exhibitors are shown on the public pages of their events.

Every function that writes is called inside a write transaction and journals the change, as one of
the participant.
"""

import json

from eventapi import images, journal
from eventapi.domain.attachments import pictures
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Problem, quoted
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("profiles")

LOGOS = (images.PNG, images.JPEG, images.WEBP)
LARGEST_FILE, LARGEST_SIDE = 300_000, 1200  # bytes and pixels of a logo
ENCODED = ("texts", "products", "links")  # columns with JSON


def get(db, participant_id):
    """Return the profile of a participant, or None if there is no such participant."""
    row = db.one(sql.get, id=participant_id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["locked"] = bool(row["locked"])
    if row["is_listed"] is not None:
        row["is_listed"] = bool(row["is_listed"])
    for name in (*ENCODED, "logo"):
        row[name] = row[name] and json.loads(row[name])
    return row


def update(db, participant, old, fields):
    """Change the profile of a participant and return it. `fields` holds the changed fields.

    Raise 409 `anonymized` if the contact of the participant is.
    """
    return _store(
        db, participant, old, {**old, **fields}, old["logo"] and old["logo"]["document_id"]
    )


def update_own(db, participant, old, fields):
    """Change a profile as its exhibitor may, and return it.

    Raise 409 `locked` if only the office may, and as `update`.

    Everybody may decide whether it is listed.
    """
    refuse_locked(
        old, [name for name, value in fields.items() if value != old[name] and name != "is_listed"]
    )
    return update(db, participant, old, fields)


def refuse_locked(old, names):
    """Raise 409 `locked` if the office has locked the profile and fields in `names` would change."""
    if old["locked"] and names:
        raise Problem(
            "locked",
            f"{quoted(names)} cannot change, because the office has locked the profile. "
            "Ask the organiser.",
            state="locked",
            allowed_from=[],
            members=names,
        )


def set_logo(db, participant, old, upload):
    """Store an upload of at most LARGEST_FILE bytes as the logo of a participant and return the
    profile.

    Raise 415 if it is not PNG, JPEG or WebP, 422 if it is broken or too large, 409 `anonymized`.
    """
    anonymity.refuse(db, "event_participant", participant["id"])
    id = pictures.store(
        db,
        upload,
        old["logo"] and old["logo"]["document_id"],
        "event_participant",
        participant["id"],
        kinds=LOGOS,
        largest=LARGEST_SIDE,
    )
    return _store(db, participant, old, old, id)


def remove_logo(db, participant, old):
    """Delete the logo of a participant. Do nothing if there is none."""
    if old["logo"]:
        _store(db, participant, old, old, None)
        pictures.remove(db, old["logo"]["document_id"])


def _store(db, participant, old, merged, logo_document_id):
    """Store and journal a profile, and return it."""
    anonymity.refuse(db, "event_participant", participant["id"])
    if merged != old or logo_document_id != (old["logo"] and old["logo"]["document_id"]):
        encoded = {name: as_json(merged[name]) for name in ENCODED}
        db.run(
            sql.add,
            **{**merged, **encoded},
            id=participant["id"],
            logo_document_id=logo_document_id,
            now=db.now,
        )
    new = get(db, participant["id"])
    changed = [
        name for name in new if new[name] != old[name] and name not in ("created_at", "updated_at")
    ]
    if changed:
        journal.administered(
            db,
            entities.EVENT_PARTICIPANT,
            "profile_changed",
            participant["id"],
            title=entities.EVENT_PARTICIPANT.title(participant),
            old={name: old[name] for name in changed},
            new={name: new[name] for name in changed},
        )
        journal.announced(db, entities.EVENT_PARTICIPANT, "profile_changed", participant)
    return new
