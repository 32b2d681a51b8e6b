"""Commands for backup and restore."""
from eventapi.cli.terminal import Refused, command, opened
from eventapi.services import backups, checks, restoring


def register(commands):
    backup_ = command(commands, "backup", backup, "writes database and files into one file, while the server runs")
    backup_.add_argument("file", metavar="FILE", nargs="?",
                         help="default: a dated file in backup_dir, where those older than backup_keep_days are removed")
    restore_ = command(commands, "restore", restore, "puts a backup in the place of the data, which is set aside")
    restore_.add_argument("file", metavar="FILE")
    restore_.add_argument("--force", action="store_true", help="even when the database in place is newer or unreadable")


def backup(args, config):
    with opened(config):                 # refuses where there is no database of this schema
        pass
    if args.file is None:
        print(backups.create_nightly(config))
    else:
        backups.create(config, args.file)


def restore(args, config):
    aside, again = restoring.restore(config, args.file, force=args.force)
    print(f"{config.database}: restored from {args.file}" + (f"; the old one is {aside}" if aside else ""))
    if again:
        print(f"contacts anonymised again, as they were after the backup: {again}")
    if again is None:
        print("The old database cannot be read: contacts anonymised after the backup must be anonymised again by hand.")
    with opened(config) as db:
        findings = checks.findings(db)
    if findings:
        raise Refused("restored, but check finds: " + "; ".join(f"{name}: {detail}" for name, detail in findings[:5]))
