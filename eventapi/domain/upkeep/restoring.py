"""Restore a backup: replace the data by it. The replaced data is renamed and never deleted."""
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

OWN_NAMES = re.compile(r"eventapi\.(db|running).*|files|files\.before-restore-.*|backups|\.restore-.*")


def restore(config, source, *, force=False, file=None):
    """Replace the data by the backup in the file `source`. Return `(aside, again)`.

    `aside` is the path of the replaced database, or None if there was none. `again` is the number of contacts that
    were anonymised again, or None if the replaced database could not be read.

    The backup is checked and prepared in a folder of its own before any data is touched. Without `force`, a database
    that is newer than the backup is not replaced. `file` is the backup if it is already open, and `source` its name.
    Raise BackupError, and InUse while a server or worker runs.
    """
    with file or _opened(source) as archive:
        return _restore(config, archive, source, force)


def _opened(source):
    try:
        return open(source, "rb")
    except (FileNotFoundError, IsADirectoryError):
        raise BackupError(f"backup file {source} not found. Check the path") from None


def _restore(config, archive, source, force):
    config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    refuse_foreign(config)
    with closing(process_locks.alone(config)), TemporaryDirectory(prefix=".restore-", dir=config.data_dir) as folder:
        copy = Path(folder) / DATABASE
        manifest = backups.read(archive, source, Path(folder))
        _upgrade(config, copy)
        if not force:
            _refuse_newer(config, manifest)
        suffix = _free_suffix(config)
        with backups.opened(config, copy) as db:
            again = _anonymize_again(config, db)
            _journal_restore(db, manifest, suffix)
        return _replace_data(config, Path(folder), suffix), again


def refuse_foreign(config):
    """Raise BackupError if data_dir contains files or a database of another program."""
    names = {entry.name for entry in config.data_dir.iterdir()}
    foreign = sorted(name for name in names if not OWN_NAMES.fullmatch(name))
    if DATABASE not in names and foreign:
        raise BackupError(f"{config.data_dir} is not a data directory of eventapi: it contains {foreign[0]}. "
                          "Check the option data_dir")
    if _has(config.database) and _is_foreign(config):
        raise BackupError(f"{config.database} is a database of another program. Check the option data_dir")


def _is_foreign(config):
    """Return whether the database is of another program. An unreadable database counts as one of eventapi."""
    try:
        with closing(Database(config)) as db:
            return not backups.is_eventapi(db)
    except StorageError:
        return False                      # _refuse_newer requires --force to replace it


def _upgrade(config, path):
    """Check the database of the backup, and migrate it to the schema of this version. Raise BackupError."""
    with backups.opened(config, path) as db:
        wrong = db.integrity_faults()
        if wrong:
            raise BackupError(f"the database in the backup is damaged: {wrong[0]}. Use another backup")
        if not backups.is_eventapi(db):
            raise BackupError("the database in the backup is not a database of eventapi. Use another backup")
    migrate(path)
    with backups.opened(config, path) as db:
        check_schema_version(db.connection)


def _refuse_newer(config, manifest):
    """Raise BackupError if the present database was changed after the backup, or cannot be read."""
    if not _has(config.database):
        return
    try:
        with closing(Database(config)) as db:
            have = backups.last_change(db)
    except StorageError as error:
        raise BackupError(f"{config.database} cannot be read ({error}), so it may be newer than the backup. "
                          "Use --force to replace it") from None
    kept = manifest.get("last_change")
    if have and (not kept or have > kept):
        last = f"its last change is of {kept[0]}" if kept else "it contains no change"
        raise BackupError(f"the backup is older than {config.database}, which was changed at {have[0]}: {last}. "
                          "Use --force to replace the newer database")


def _anonymize_again(config, db):
    """Repeat the anonymisations that were made after the backup. Return their number, or None if they are unknown."""
    if not _has(config.database):
        return 0
    try:
        with closing(Database(config)) as old:
            anonymizations = privacy.anonymizations(old)
    except StorageError:
        return None
    return privacy.apply_again(db, anonymizations)


def _journal_restore(db, manifest, suffix):
    """Add the restore to the audit log of the restored database."""
    with db.write():
        journal.administered(db, entities.DATABASE, "restored",
                             new={"backup_of": manifest["created_at"], "set_aside": DATABASE + suffix})


def _free_suffix(config):
    """Return the suffix for the names of the replaced data: one that no file has yet."""
    return slugs.free(f".before-restore-{backups.stamp()}",
                      lambda suffix: any((config.data_dir / f"{name}{suffix}").exists()
                                         for name in (DATABASE, "files")))


def _replace_data(config, folder, suffix):
    """Rename the old data and move the new data in, the database last. Return the path of the old database, or None."""
    lock, aside = write_lock(config.database), config.database.with_name(DATABASE + suffix)
    os.sync()
    lock.acquire()
    try:
        new_names = {DATABASE: aside.name, f"{DATABASE}-wal": f"{aside.name}-wal", "files": f"files{suffix}"}
        for name, new_name in new_names.items():
            if (config.data_dir / name).exists():
                os.rename(config.data_dir / name, config.data_dir / new_name)
        # SQLite creates this index of the write-ahead log again when the database is opened.
        (config.data_dir / f"{DATABASE}-shm").unlink(missing_ok=True)
        (folder / "files").mkdir(mode=0o750, exist_ok=True)
        os.rename(folder / "files", config.files)
        os.rename(folder / DATABASE, config.database)
        files.sync_folder(config.data_dir)
    finally:
        lock.release()
    return aside if aside.exists() else None


def _has(database):
    """Return whether the database file exists and is not empty."""
    return database.exists() and database.stat().st_size > 0
