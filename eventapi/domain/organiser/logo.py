"""The logo of the organiser as a setting: a picture in the database.

The option `organiser_logo` of the administrator counts before it, and closes it.
"""

from hashlib import sha256

from eventapi import journal
from eventapi.config.live import LOGO
from eventapi.domain.organiser import settings
from eventapi.domain.records import entities
from eventapi.storage.statements import statements

sql = statements("organiser_pictures")
settings_sql = statements("settings")


def get(db):
    """Return the API object of the logo that counts, or None.

    It is read from the database, which knows more than `db.config` in a group commit.
    """
    live = db.config.live
    if live.is_closed(LOGO):
        return db.config.organiser_logo and represent(db.config.organiser_logo)
    row = db.one(sql.facts, name=LOGO)
    return row and dict(row)


def represent(image):
    """Return the API object of an Image."""
    return {
        "width": image.width,
        "height": image.height,
        "type": image.kind,
        "sha256": sha256(image.data).hexdigest(),
    }


def put(db, image):
    """Store an Image as the logo.

    Call this inside a write transaction. The picture that is there already is not written again.
    Raise 409 `set_by_administrator`.
    """
    settings.refuse_closed(db.config.live, [LOGO])
    old, new = get(db), represent(image)
    if old == new:
        return
    db.run(
        sql.put,
        name=LOGO,
        kind=image.kind,
        width=image.width,
        height=image.height,
        sha256=new["sha256"],
        content=image.data,
        now=db.now,
    )
    _count(db, old, new)


def remove(db):
    """Remove the logo. Nothing changes if there is none.

    Call this inside a write transaction. Raise 409 `set_by_administrator`.
    """
    settings.refuse_closed(db.config.live, [LOGO])
    old = get(db)
    if old:
        db.run(sql.remove, name=LOGO)
        _count(db, old, None)


def _count(db, old, new):
    """Journal a change of the logo, and let every process see it."""
    journal.administered(
        db,
        entities.SETTING,
        "updated",
        settings.ENTITY_ID,
        title=LOGO,
        old={LOGO: old},
        new={LOGO: new},
    )
    db.run(settings_sql.count_change)
