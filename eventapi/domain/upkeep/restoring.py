"""Restore: puts a backup in the place of the data, which is set aside and never destroyed."""
import os
import re
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from eventapi import journal
from eventapi.domain.people import privacy
from eventapi.domain.records import entities, slugs
from eventapi.storage import backups, files, process_locks
from eventapi.storage.backups import DATABASE, BackupError
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError
from eventapi.storage.migrations import check_schema_version, migrate
from eventapi.storage.write_lock import write_lock

OURS = re.compile(r"eventapi\.(db|running).*|files|files\.before-restore-.*|backups|\.restore-.*")


def restore(config, source, *, force=False):
    """Puts the backup in place; gives where the old database went (None where there was none) and how many contacts were
    anonymised again (None where the old database could not tell).

    Everything is proven and made ready in a folder of its own before anything is touched.
    """
    if not Path(source).is_file():
        raise BackupError(f"backup file {source} not found")
    config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    refuse_foreign(config)
    with closing(process_locks.alone(config)), TemporaryDirectory(prefix=".restore-", dir=config.data_dir) as folder:
        copy = Path(folder) / DATABASE
        manifest = backups.read(source, Path(folder))
        _upgrade(config, copy)
        if not force:
            _refuse_newer(config, manifest)
        end = _free_end(config)
        with backups.opened(config, copy) as db:
            again = _anonymize_again(config, db)
            _tell(db, manifest, end)
        return _swap(config, Path(folder), end), again


def refuse_foreign(config):
    """Raises BackupError when data_dir holds what is not ours."""
    names = {entry.name for entry in config.data_dir.iterdir()}
    strange = sorted(name for name in names if not OURS.fullmatch(name))
    if DATABASE not in names and strange:
        raise BackupError(f"{config.data_dir} is not a data directory of eventapi: it contains {strange[0]}. "
                          "Check the option data_dir")
    if _has(config.database) and _is_foreign(config):
        raise BackupError(f"{config.database} is a database of another program. Check the option data_dir")


def _is_foreign(config):
    try:
        with closing(Database(config)) as db:
            return not backups.is_eventapi(db)
    except StorageError:
        return False                      # damaged: --force decides, and it is only set aside


def _upgrade(config, path):
    """Proves the database of the backup and brings it to this program's schema."""
    with backups.opened(config, path) as db:
        wrong = db.integrity_faults()
        if wrong or not backups.is_eventapi(db):
            raise BackupError("the database in the backup is damaged: "
                              f"{(wrong or ['it is not a database of eventapi'])[0]}")
    migrate(path)
    with backups.opened(config, path) as db:
        check_schema_version(db.connection)


def _refuse_newer(config, manifest):
    if not _has(config.database):
        return
    try:
        with closing(Database(config)) as db:
            have = backups.last_change(db)
    except StorageError as error:
        raise BackupError(f"{config.database} cannot be read ({error}), so it may be newer than the backup; "
                          "use --force to replace it") from None
    kept = manifest.get("last_change")
    if have and (not kept or have > kept):
        ends = f"ends at {kept[0]}" if kept else "contains no change"
        raise BackupError(f"{config.database} was changed at {have[0]} and the backup {ends}; "
                          "use --force to replace the newer database")


def _anonymize_again(config, db):
    """Whoever was forgotten after the backup was made stays forgotten."""
    if not _has(config.database):
        return 0
    try:
        with closing(Database(config)) as old:
            made = privacy.anonymizations(old)
    except StorageError:
        return None
    return privacy.apply_again(db, made)


def _tell(db, manifest, end):
    """The audit log says that this is a restored database."""
    with db.write():
        journal.administered(db, entities.DATABASE, "restored",
                             new={"backup_of": manifest["created_at"], "set_aside": DATABASE + end})


def _free_end(config):
    """What is appended to the names of the old data: never a name that something has."""
    return slugs.free(f".before-restore-{backups.stamp()}",
                     lambda end: any((config.data_dir / f"{name}{end}").exists() for name in (DATABASE, "files")))


def _swap(config, folder, end):
    """Sets the old data aside and moves the new in, the database last; gives where the old database is."""
    lock, aside = write_lock(config.database), config.database.with_name(DATABASE + end)
    os.sync()
    lock.acquire()
    try:
        for name, away in ((DATABASE, aside.name), (f"{DATABASE}-wal", f"{aside.name}-wal"), ("files", f"files{end}")):
            if (config.data_dir / name).exists():
                os.rename(config.data_dir / name, config.data_dir / away)
        (config.data_dir / f"{DATABASE}-shm").unlink(missing_ok=True)      # an index of the log, made anew by whoever opens it
        (folder / "files").mkdir(mode=0o750, exist_ok=True)
        os.rename(folder / "files", config.files)
        os.rename(folder / DATABASE, config.database)
        files.sync_folder(config.data_dir)
    finally:
        lock.release()
    return aside if aside.exists() else None


def _has(database):
    return database.exists() and database.stat().st_size > 0
