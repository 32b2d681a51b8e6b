"""Nightly backups: each is restored into a scratch folder and checked there before any older one is
deleted.

A backup that passed has an empty file `….tar.verified` beside it. Backups that failed stay as they
are, so that the fault can be found. The rules of deletion are those of `_delete_old` and
`_is_expendable`. They hold for the backups before a migration, too.
"""

import fcntl
import itertools
import json
import re
import tarfile
import time
from contextlib import suppress
from datetime import datetime

from eventapi import times
from eventapi.domain.upkeep import checks
from eventapi.paths import open_regular
from eventapi.storage import backups, files, process_locks
from eventapi.storage.backups import DATABASE, LARGEST_MANIFEST, MANIFEST, BackupError
from eventapi.storage.errors import StorageError
from eventapi.storage.maintenance import silent
from eventapi.storage.statements import statements

sql = statements("backups")

NAME = re.compile(r"(eventapi|before-migration-from-\d+)-(?P<made_at>\d{8}T\d{6}Z)\.tar")
UNFINISHED = ("eventapi-*.tar.partial", "before-migration-from-*.tar.partial")
UNPACKING = "unpack the backup"
PARTS = {**backups.PARTS, UNPACKING: 12, **checks.CONTENTS}  # of `back_up`, for a progress.Progress
KEPT = 5  # verified backups that are newer than each one that is deleted
# Checks whose findings are about work that waits or failed, such as a mail. They say nothing
# against a backup.
ABOUT_WORK = {"webhooks", "mail", "bulk imports"}


def back_up(config, report=silent):
    """Write a backup named by the time into the backup folder, verify it, and delete old ones.

    `report` is told how far it is, in PARTS.

    Return (its path, paths of old backups that are kept because they may be of another database).
    Raise BackupError or StorageError if it cannot be written, and BackupError if it cannot be
    verified. Then no older one has been deleted.
    """
    config.backups.mkdir(mode=0o750, parents=True, exist_ok=True)
    _remove_unfinished(config)
    target = config.backups / f"eventapi-{backups.stamp()}.tar"
    backups.create(config, target, report)
    try:
        return target, _verify(config, target, report)
    except (BackupError, StorageError, OSError) as error:
        raise BackupError(
            f"{target} was written, but failed its trial restore, so no older backup was deleted: "
            f"{error}"
        ) from error


def require_space(config):
    """Raise Full unless the next backup fits on its disk: the archive, and its trial restore beside
    it.
    """
    folder = config.backups
    while not folder.exists():
        folder = folder.parent
    files.require_space(folder, 2 * sum(backups.sizes(config)))


def newest_verified(config):
    """Return the UTC timestamp at which the newest verified backup was started.

    Return None if there is none, or if this process may not read the backup folder.
    """
    try:
        names = {entry.name for entry in config.backups.iterdir()}
    except (FileNotFoundError, PermissionError):
        return None
    return max(
        filter(None, (made_at(name) for name in names if f"{name}.verified" in names)), default=None
    )


def made_at(name):
    """Return the UTC timestamp in the name of a backup, at which it was started.

    Return None for another name.
    """
    match = NAME.fullmatch(name)
    return match and times.text(datetime.strptime(match["made_at"], "%Y%m%dT%H%M%S%z"))


def _verify(config, target, report):
    """Restore the backup into a scratch folder and check it.

    Mark it as verified, and delete old ones.

    Its structure was checked before it was written, and its SHA-256 is that of the file that was
    checked.
    """
    files.require_space(config.backups, target.stat().st_size)
    with process_locks.scratch(config.backups, process_locks.TRIAL) as folder:
        with open(target, "rb", opener=open_regular) as file:
            backups.read(
                file, target, folder, lambda _, done, total: report(UNPACKING, done, total)
            )
        with backups.opened(config, folder / DATABASE) as db:
            wrong = [
                f"{name}: {detail}"
                for name, detail in checks.contents(db, report)
                if name not in ABOUT_WORK
            ]
            if wrong:
                raise BackupError(
                    f"'eventapi check' reports {'; '.join(wrong[:5])}"
                    + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
                )
            _mark(target).touch(mode=0o640)
            return _delete_old(config, db)


def _delete_old(config, db):
    """Delete what is old and expendable.

    Return the old backups that are kept (see `_is_expendable`).
    """
    found = {file: NAME.fullmatch(file.name) for file in sorted(config.backups.iterdir())}
    stamps = {file: match["made_at"] for file, match in found.items() if match}
    verified = [stamp for file, stamp in stamps.items() if _mark(file).exists()]
    limit, others = time.time() - config.backup_keep_days * 24 * 3600, []
    for file, own in stamps.items():
        if file.stat().st_mtime < limit and sum(stamp > own for stamp in verified) >= KEPT:
            if _is_expendable(db, file):
                file.unlink()
                _mark(file).unlink(missing_ok=True)
            else:
                others.append(file)
    return others


def _is_expendable(db, file):
    """Return whether the new backup, opened as `db`, contains the last change of an old one, or the
    old one is damaged.

    Otherwise the present database did not grow out of the old one: a new database was created in
    its place, or an older backup was restored. The old backup may then be the only copy of its
    changes. So may one that cannot be opened.
    """
    try:
        with (
            open(file, "rb", opener=open_regular) as archive,
            tarfile.open(fileobj=archive, mode="r:") as tar,
        ):
            last = json.loads(tar.extractfile(MANIFEST).read(LARGEST_MANIFEST)).get("last_change")
    except OSError:
        return False  # its owner, its mode or the disk forbids it
    except (tarfile.TarError, EOFError, KeyError, AttributeError, ValueError):
        return True  # it has no manifest, or one that is no JSON object
    if last is None:
        return True
    at, id, hash = [*last, None][:3]  # earlier versions wrote no hash
    return db.value(sql.has_change, at=at, id=id, hash=hash) is not None


def _mark(file):
    return file.with_name(f"{file.name}.verified")


def _remove_unfinished(config):
    """Delete the unfinished files of killed backups, and the marks of backups that were deleted by
    hand.
    """
    for partial in itertools.chain.from_iterable(map(config.backups.glob, UNFINISHED)):
        with suppress(BlockingIOError, FileNotFoundError), open(partial, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a running backup holds it
            partial.unlink()
    for mark in config.backups.glob("eventapi-*.tar.verified"):
        if not mark.with_suffix("").exists():
            mark.unlink()
