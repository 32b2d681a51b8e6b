"""Commands that back up and restore the data."""
from eventapi.cli.terminal import Refused, command, opened
from eventapi.domain.upkeep import checks, restoring
from eventapi.storage import backups


def register(commands):
    backup_ = command(commands, "backup", backup,
                      "write database and files to one backup file; the server may keep running",
                      "eventapi backup", "eventapi backup /root/before-the-fair.tar")
    backup_.add_argument("file", metavar="FILE", nargs="?",
                         help="file to create (default: a dated file in backup_dir; "
                              "dated files there that are older than backup_keep_days are removed)")
    restore_ = command(commands, "restore", restore,
                       "replace the data with a backup; the previous data is renamed, not deleted",
                       "eventapi restore /var/lib/eventapi/backups/eventapi-20261120T023000Z.tar")
    restore_.add_argument("file", metavar="FILE", help="backup file")
    restore_.add_argument("--force", action="store_true",
                          help="restore even if the current database is newer than the backup or cannot be read")


def backup(args, config):
    """Write a backup to the given file, or to a dated file in backup_dir."""
    with opened(config):                 # raises SchemaError if there is no database of this schema
        pass
    if args.file is None:
        print(backups.create_nightly(config))
    else:
        backups.create(config, args.file)


def restore(args, config):
    """Replace the data with a backup, then check the data."""
    aside, again = restoring.restore(config, args.file, force=args.force)
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
