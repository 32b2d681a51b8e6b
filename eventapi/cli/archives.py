"""Commands that back up and restore the data."""
import argparse
from contextlib import contextmanager
from pathlib import Path

from eventapi.cli.terminal import Refused, command, opened, refuse_damaged
from eventapi.config import user
from eventapi.domain.upkeep import checks, restoring
from eventapi.storage import backups


def register(commands):
    backup_ = command(commands, "backup", backup,
                      "write database and files to one backup file; the server may keep running",
                      "eventapi backup", "eventapi backup /root/before-the-fair.tar")
    backup_.add_argument("file", metavar="FILE", nargs="?",
                         help="file to create (default: a dated file in backup_dir; "
                              "dated files there that are older than backup_keep_days are removed)")
    _descriptor(backup_)
    restore_ = command(commands, "restore", restore,
                       "replace the data with a backup; the previous data is renamed, not deleted",
                       "eventapi restore /var/lib/eventapi/backups/eventapi-20261120T023000Z.tar")
    restore_.add_argument("file", metavar="FILE", help="backup file")
    _descriptor(restore_)
    restore_.add_argument("--force", action="store_true",
                          help="restore even if the current database is newer than the backup or cannot be read")


def _descriptor(parser):
    """Declare the open file that the command of the package passes for root, instead of a privilege to open FILE."""
    parser.add_argument("--descriptor", type=int, help=argparse.SUPPRESS)


def backup(args, config):
    """Write a backup to the given file, or to a dated file in backup_dir."""
    refuse_damaged(config)
    with opened(config):                 # raises SchemaError if there is no database of this schema
        pass
    if args.file is None:
        print(backups.create_nightly(config))
    elif args.descriptor is not None:
        with open(args.descriptor, "r+b") as file:
            backups.create_in(config, file, args.file)
    else:
        with _explained(args.file):
            backups.create(config, args.file)


@contextmanager
def _explained(path):
    """Explain a missing permission on the file at `path` or on its directory."""
    try:
        yield
    except PermissionError as error:
        if Path(error.filename or "").absolute().parent != Path(path).absolute().parent:
            raise
        raise Refused(f"{path}: permission denied for the user {user()}. Use a directory of this user, or, as root, "
                      "one that only root can change, such as /root") from None


def restore(args, config):
    """Replace the data with a backup, then check the data."""
    with _explained(args.file):
        file = None if args.descriptor is None else open(args.descriptor, "rb")
        aside, again = restoring.restore(config, args.file, force=args.force, file=file)
    print(f"{config.database}: restored from {args.file}" + (f"; the previous database is {aside}" if aside else ""))
    if again:
        print(f"contacts anonymised again, because they had been anonymised after the backup: {again}")
    if again is None:
        print("The previous database cannot be read. "
              "Anonymise the contacts again that were anonymised after the backup.")
    with opened(config) as db:
        findings = checks.findings(db)
    if findings:
        raise Refused("the backup was restored, but 'eventapi check' reports: "
                      + "; ".join(f"{name}: {detail}" for name, detail in findings[:5]))
