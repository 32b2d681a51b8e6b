"""Restore a backup: replace the data by it.

The replaced data is kept under other names and never deleted.
"""

import errno
import os
import re
import shutil
from contextlib import closing, contextmanager
from tempfile import mkdtemp

from eventapi import journal
from eventapi.domain.access import people
from eventapi.domain.privacy import erasing
from eventapi.domain.records import entities, slugs
from eventapi.paths import has_content
from eventapi.storage import (
    backups,
    files,
    maintenance,
    migrations,
    process_locks,
    schema,
    versions,
)
from eventapi.storage.backups import DATABASE, BackupError
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError, forget_damage, mark_damaged
from eventapi.storage.maintenance import silent
from eventapi.storage.migrations import check_schema_version, migrate, schema_version
from eventapi.storage.write_lock import write_lock

# Names that a directory of eventapi may have: its own, backups, hidden files, and what a new file
# system contains.
OWN_NAMES = re.compile(
    r"eventapi[.-].*|files|files\.before-restore-.*|backups|.*\.tar|\..*|lost\+found"
)
LOGS = (f"{DATABASE}-wal", f"{DATABASE}-shm")
# The parts of `restore` and their usual seconds, for a progress.Progress.
PARTS = {backups.READING: 12, schema.INTEGRITY: 40, migrations.UPGRADING: 1}


def restore(config, source, *, force=False, file=None, report=silent):
    """Replace the data by the backup in the file `source`. Return `(aside, again)`.

    `aside` is the path of the replaced database, or None if there was none. `again` is the number
    of contacts that were anonymised again, or None if the replaced database was lost or could not
    be read.

    The backup is checked and prepared in a folder of its own before any data is touched. Without
    `force`, a database that is newer than the backup is not replaced, and neither damaged files nor
    foreign parts of the schema are accepted. `file` is the backup if it is already open, and
    `source` its name. `report` is told how far it is, in PARTS. Raise BackupError, and InUse while
    a server, a worker or a command that writes runs.
    """
    with file or _opened(source) as archive:
        return _restore(config, archive, source, force, report)


def _opened(source):
    try:
        return open(source, "rb")
    except (FileNotFoundError, IsADirectoryError):
        raise BackupError(f"backup file {source} not found. Check the path") from None


def _restore(config, archive, source, force, report):
    config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    refuse_foreign(config)
    with closing(process_locks.alone(config)), _scratch(config) as folder:
        _remove_links(config)
        copy = folder / DATABASE
        manifest = backups.read(archive, source, folder, report)
        _remove_damaged(folder, manifest, force)
        _upgrade(config, copy, force, report)
        suffix = _free_suffix(config)
        with backups.opened(config, copy) as db:
            if not force:
                _refuse_newer(config, manifest, db)
            again = _anonymize_again(config, db)
            with db.write():
                people.shut_out_all(db)
            _journal_restore(db, manifest, suffix)
        return _replace_data(config, folder, suffix), again


@contextmanager
def _scratch(config):
    """Yield a folder for the unpacked backup whose files can be renamed into the data directory.

    If `files` is a mount of its own, or a link to another disk, nothing can be renamed into it from
    outside. Then `files` of the folder leads to a second folder, in the mount.
    """
    with process_locks.scratch(config.data_dir, process_locks.RESTORE) as folder:
        if not _is_mount(config.files, folder):
            yield folder
            return
        with process_locks.scratch(config.files.resolve(), process_locks.RESTORE) as inside:
            (folder / "files").symlink_to(inside)
            yield folder


def _is_mount(files_folder, folder):
    """Return whether nothing can be renamed from `files` into `folder`.

    Both may be on the same device all the same.
    """
    if not files_folder.exists():
        return False
    probe = mkdtemp(prefix=process_locks.RESTORE, dir=files_folder)
    try:
        os.rename(probe, folder / "probe")
    except OSError as error:
        os.rmdir(probe)
        if error.errno != errno.EXDEV:
            raise
        return True
    return False


def refuse_foreign(config):
    """Raise BackupError if data_dir contains files or a database of another program."""
    names = {entry.name for entry in config.data_dir.iterdir() if entry != config.backups}
    foreign = sorted(name for name in names if not OWN_NAMES.fullmatch(name))
    if DATABASE not in names and foreign:
        raise BackupError(
            f"{config.data_dir} is not a data directory of eventapi: it contains {foreign[0]}. "
            "Check the option data_dir"
        )
    if has_content(config.database) and _is_foreign(config):
        raise BackupError(
            f"{config.database} is a database of another program. Check the option data_dir"
        )


def _is_foreign(config):
    """Return whether the database is of another program.

    An unreadable database counts as one of eventapi.
    """
    try:
        with closing(Database(config)) as db:
            return not backups.is_eventapi(db)
    except StorageError:
        return False  # _refuse_newer requires --force to replace it


def damaged_files(manifest):
    """Return the entries of a backup that hold other bytes than their name, the SHA-256 of a stored
    file, says.

    They were damaged before the backup was made, or the backup was changed.
    """
    return [
        name
        for name, facts in manifest["entries"].items()
        if name.startswith("files/")
        and name.removeprefix("files/").replace("/", "") != facts["sha256"]
    ]


def _remove_damaged(folder, manifest, force):
    """Remove the damaged files from the unpacked backup with `force`; raise BackupError without it."""
    wrong = damaged_files(manifest)
    if wrong and not force:
        raise BackupError(
            f"the backup contains {len(wrong)} damaged files, such as {wrong[0]}: their names are not "
            "the SHA-256 of their bytes. Use another backup, or --force to restore without these files"
        )
    for name in wrong:
        (folder / name).unlink()


def _upgrade(config, path, force, report):
    """Check the database of the backup, and migrate it to the schema of this version.

    Raise BackupError.
    """
    with backups.opened(config, path) as db:
        wrong = schema.integrity_faults(db.connection, report=report)
        if wrong:
            raise BackupError(
                f"the database in the backup is damaged: {wrong[0]}. Use another backup"
            )
        if not backups.is_eventapi(db):
            raise BackupError(
                "the database in the backup is not a database of eventapi. Use another backup"
            )
        known = schema_version(db.connection) <= versions.newest()
        differs = (
            schema.changed(db.connection) + schema.foreign(db.connection)
            if known and not force
            else []
        )
        if differs:
            raise BackupError(
                f"the database in the backup is not as eventapi made it: {differs[0]}. Use another "
                "backup, or --force to restore it as it is"
            )
    migrate(path, report=report)
    with backups.opened(config, path) as db:
        check_schema_version(db.connection)
        maintenance.analyze(db)


def _refuse_newer(config, manifest, copy):
    """Raise BackupError if `copy`, the database of the backup, lacks the last change of the present
    one.

    Also raise it if the present one cannot be read. The hash of the last audit entry is compared,
    not its time: the clock may have been set back.
    """
    if not has_content(config.database):
        return
    try:
        with closing(Database(config)) as db:
            last, changed = journal.last(db), backups.last_change(db)
    except StorageError as error:
        raise BackupError(
            f"{config.database} cannot be read ({error}), so it may be newer than the backup. "
            "Use --force to replace it"
        ) from None
    if last and journal.verify_entry(copy, *last):
        kept, at = manifest.get("last_change"), f", of {changed[0]}," if changed else ""
        ends = f"its last change is of {kept[0]}" if kept else "it contains no change"
        raise BackupError(
            f"the backup lacks the last change of {config.database}{at} and is older, or of another "
            f"database: {ends}. Use --force to replace the present database"
        )


def _anonymize_again(config, db):
    """Repeat the anonymisations that were made after the backup.

    Return their number, or None if they are unknown.
    """
    if not has_content(config.database):
        # stored files show that a database was lost
        return None if any(files.all_stored(config)) else 0
    try:
        with closing(Database(config)) as old:
            lost = erasing.lost_anonymizations(db, old)
    except StorageError:
        return None
    erasing.anonymize_again(db, lost)
    return len(lost)


def _journal_restore(db, manifest, suffix):
    """Add the restore to the audit log of the restored database."""
    with db.write():
        journal.administered(
            db,
            entities.DATABASE,
            "restored",
            new={"backup_of": manifest["created_at"], "set_aside": DATABASE + suffix},
        )


def _free_suffix(config):
    """Return the suffix for the names of the replaced data: one that no file has yet."""
    return slugs.free(
        f".before-restore-{backups.stamp()}",
        lambda suffix: (
            (config.data_dir / f"{DATABASE}{suffix}").exists()
            or any(place.exists() for place in _places(config, suffix))
        ),
    )


def _places(config, suffix):
    """Return the two folders in which the replaced files may be kept.

    The second one is for a mount of its own.
    """
    return config.data_dir / f"files{suffix}", config.files / suffix


def _replace_data(config, folder, suffix):
    """Keep the old data under other names, and replace it.

    Return the path of the old database, or None.

    At every moment `eventapi.db` is the whole old or the whole new database, and `files` has the
    files of both, so that a crash leaves nothing to repair. Housekeeping removes those that the new
    database does not name.
    """
    lock, aside = write_lock(config.database), config.database.with_name(DATABASE + suffix)
    lock.acquire()
    try:
        if config.database.exists():
            _empty_log(config)
        _set_aside(config, suffix, (folder / "files").is_symlink())
        os.sync()  # a file that is replaced must not be lost in a power cut
        for file in (folder / "files").glob("*/*"):
            (config.files / file.parent.name).mkdir(mode=0o750, parents=True, exist_ok=True)
            os.replace(file, config.files / file.parent.name / file.name)
        config.files.mkdir(mode=0o750, exist_ok=True)
        os.sync()
        for name in LOGS:  # they belong to the old database
            (config.data_dir / name).unlink(missing_ok=True)
        os.replace(folder / DATABASE, config.database)
        forget_damage(config.database)
        files.sync_folder(config.data_dir)
    finally:
        lock.release()
    return aside if aside.exists() else None


def _empty_log(config):
    """Write the log of the old database into its file, which is complete then.

    The log of a damaged one stays as it is.

    Raise InUse if another program reads the database.
    """
    try:
        with closing(Database(config)) as db:
            emptied = db.empty_log()
    except StorageError:
        # a new database has no mark
        mark_damaged(config.database, "a restore was interrupted. Run it again")
    else:
        if not emptied:
            raise process_locks.InUse(
                "another program reads the database, such as a backup; wait until it is done"
            )


def _set_aside(config, suffix, is_mount):
    """Give the old database and the old files second names (hard links), which stay when the first
    ones are replaced.

    The files get them as well if the database is lost: housekeeping removes those that the new
    database does not name.
    """
    for name in (DATABASE, LOGS[0]):
        if (config.data_dir / name).exists():
            _link(
                config.data_dir / name, config.data_dir / name.replace(DATABASE, DATABASE + suffix)
            )
    place = _places(config, suffix)[is_mount]
    for _, file, _ in files.all_stored(config):
        (place / file.parent.name).mkdir(mode=0o750, parents=True, exist_ok=True)
        _link(file, place / file.parent.name / file.name)


def _link(file, name):
    try:
        os.link(file, name)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP):
            raise
        raise BackupError(
            f"{file} cannot get a second name: {error.strerror}. If it belongs to another user, change "
            f"its owner. If the file system has no hard links, move {DATABASE}, {LOGS[0]} and files to "
            "another directory. Then run the restore again"
        ) from None


def _remove_links(config):
    """Remove the second names of the data that a killed restore has left without replacing the
    data.
    """
    for aside in config.data_dir.glob(f"{DATABASE}.before-restore-*"):
        if config.database.exists() and aside.samefile(config.database):
            for place in _places(config, aside.name.removeprefix(DATABASE)):
                shutil.rmtree(place, ignore_errors=True)
            aside.with_name(f"{aside.name}-wal").unlink(missing_ok=True)
            aside.unlink()
