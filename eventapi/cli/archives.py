"""Commands that back up and restore the data."""

import argparse
import sys
from contextlib import contextmanager
from pathlib import Path

from eventapi.cli.terminal import Refused, command, long, opened, refuse_damaged
from eventapi.config import user
from eventapi.domain.upkeep import checks, copies, nightly, restoring
from eventapi.domain.upkeep.progress import Progress
from eventapi.storage import backups


def register(commands):
    """Declare the commands."""
    backup_ = long(
        command(
            commands,
            "backup",
            backup,
            "write database and files to one backup file; the server may keep running",
            "eventapi backup",
            "eventapi backup /root/before-the-fair.tar",
        )
    )
    backup_.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="file to create (default: a dated file in backup_dir, which is restored into a scratch "
        "folder and checked; then dated files there that are older than backup_keep_days are "
        "removed, but never the last five that passed)",
    )
    _descriptor(backup_)
    restore_ = long(
        command(
            commands,
            "restore",
            restore,
            "replace the data with a backup; the previous data is renamed, not deleted",
            "eventapi restore /var/lib/eventapi/backups/eventapi-20261120T023000Z.tar",
            "eventapi restore --force /root/move.tar",
        )
    )
    restore_.add_argument("file", metavar="FILE", help="backup file")
    _descriptor(restore_)
    restore_.add_argument(
        "--force",
        action="store_true",
        help="restore even if the current database is newer than the backup or cannot be read, or if "
        "the backup has damaged files (they are left out) or tables and triggers that are not "
        "part of eventapi",
    )


def _descriptor(parser):
    """Declare the open file that the command of the package passes for root, instead of a privilege
    to open FILE.
    """
    parser.add_argument("--descriptor", type=int, help=argparse.SUPPRESS)


def backup(args, config):
    """Write a backup to the given file, or to a dated file in backup_dir, which is verified by a
    trial restore.

    Warn if stored files were damaged before: the backup contains them as they are.
    """
    from eventapi.storage.migrations import ready

    refuse_damaged(config)
    ready(config)
    if args.file is None:
        with Progress("backup", nightly.PARTS) as progress:
            file, others = nightly.back_up(config, progress.report)
        print(file)
        for other in others:
            print(
                f"{other} is older than backup_keep_days, but kept: its last change is not in this database, or it "
                "cannot be read. Delete it when you are sure that nobody needs it"
            )
        copies.copy(config, file)
        return
    with Progress("backup", backups.PARTS) as progress:
        manifest = _write(args, config, progress.report)
    print(f"{args.file}: the backup is complete")
    if wrong := restoring.damaged_files(manifest):
        print(
            f"eventapi: warning: these stored files were damaged before: {', '.join(wrong[:5])}. Keep an older "
            "backup",
            file=sys.stderr,
        )


def _write(args, config, report):
    """Write the backup to the file of the command, and return its manifest."""
    if args.descriptor is not None:
        with open(args.descriptor, "r+b") as file:
            return backups.create_in(config, file, args.file, report)
    with _explained(args.file):
        return backups.create(config, args.file, report)


@contextmanager
def _explained(path):
    """Explain a missing permission on the file at `path` or on its directory."""
    try:
        yield
    except PermissionError as error:
        if Path(error.filename or "").absolute().parent != Path(path).absolute().parent:
            raise
        raise Refused(
            f"{path}: permission denied for the user {user()}; use a directory of this user, or, as root, "
            "one that only root can change, such as /root"
        ) from None


def restore(args, config):
    """Replace the data with a backup, then check the data.

    A setting that cannot be parsed is logged: it keeps the server from starting, and no backup from
    being restored.
    """
    config.live.has_started = True
    with _explained(args.file), Progress("restore", restoring.PARTS) as progress:
        file = None if args.descriptor is None else open(args.descriptor, "rb")
        aside, again = restoring.restore(
            config, args.file, force=args.force, file=file, report=progress.report
        )
    print(
        f"{config.database}: restored from {args.file}"
        + (f"; the previous database is {aside}" if aside else "")
    )
    if again:
        print(
            f"contacts anonymised again, because they had been anonymised after the backup: {again}"
        )
    if again is None:
        print(
            "The previous database is missing or cannot be read. "
            "Anonymise the contacts again that were anonymised after the backup."
        )
    with opened(config) as db, Progress("check", checks.CONTENTS) as progress:
        # the structure was checked before
        findings = checks.faults(checks.contents(db, progress.report))
    if findings:
        found = ", ".join(f"{name}: {detail}" for name, detail in findings[:5])
        raise Refused(
            f"the backup was restored, but 'eventapi check' reports {found}; repair this, or restore an "
            "older backup"
        )
