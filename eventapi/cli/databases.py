"""Commands that create and upgrade the database, and fill it with a sample trade show."""

import sys
from contextlib import closing
from functools import partial

from eventapi.cli.terminal import Refused, command, long, opened, refuse_damaged
from eventapi.config import ConfigError, user
from eventapi.domain.privacy import remnants
from eventapi.domain.upkeep import creating
from eventapi.domain.upkeep.progress import Progress, duration
from eventapi.storage import backups, files, maintenance, migrations, process_locks, versions
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError

BYTES_PER_SECOND = 100_000_000  # that VACUUM rewrites; a slow disk needs longer


def register(commands):
    """Declare the commands."""
    parser = long(
        command(
            commands,
            "migrate",
            migrate,
            "create the database, or back it up and upgrade it",
            "eventapi migrate",
        )
    )
    parser.add_argument(
        "--new",
        action="store_true",
        help="create an empty database although files, backups or locks show that there was one",
    )
    vacuum_ = long(
        command(
            commands,
            "vacuum",
            vacuum,
            "rewrite the database file, so that nothing of erased data is left in it",
            "eventapi vacuum",
            "eventapi vacuum --now",
        )
    )
    vacuum_.add_argument(
        "--now",
        action="store_true",
        help="rewrite it; nobody can write meanwhile (without this "
        "option, print only how long that takes)",
    )
    demo = command(
        commands,
        "demo",
        make_demo,
        "fill an empty database with a sample trade show",
        "eventapi demo",
        "eventapi demo --size fair",
    )
    demo.add_argument(
        "--size",
        choices=("small", "fair", "messe"),
        default="small",
        help="size of the show: small has 60 exhibitors and 240 visitors and takes seconds; fair has 600 "
        "and 20,000 and takes about a minute; messe has 4,500 and 150,000 and takes about five "
        "minutes and 3 GB of disk space (default: small)",
    )


def migrate(args, config):
    """Create the database, or back it up and upgrade it. If the upgrade fails, say how to go back.

    A database that is current needs no lock, so that this may run beside a server. An upgrade may
    not.
    """
    refuse_damaged(config)
    try:
        config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    except PermissionError:
        raise Refused(
            f"cannot create {config.data_dir}: permission denied for the user {user()}; use sudo, or set "
            "data_dir (EVENTAPI_DATA_DIR) to a directory of this user"
        ) from None
    done = f"schema {versions.newest()} is up to date"
    if not migrations.is_current(config.database):
        # waits for another upgrade, which may do it
        with closing(process_locks.migrating(config, _tell)):
            if not migrations.is_current(config.database):
                done = _upgrade(args, config)
    process_locks.remove_scratch(config)
    print(f"{config.database}: {done}")
    _warn_of_settings(config)


def _warn_of_settings(config):
    """Print a warning for each setting that this version cannot parse.

    The server and the worker refuse to start with it; the upgrade is made all the same.
    """
    with closing(Database(config, readonly=True)) as db:
        try:
            db.follow()
        except ConfigError as error:
            for fault in error.faults:
                _tell(f"warning: {fault}")


def _upgrade(args, config):
    """Create or upgrade the database, while no server, worker or command uses it.

    Return what was done, in words.
    """
    made = []
    with (
        closing(process_locks.alone_if_used(config)),
        Progress("migrate", {**backups.PARTS, migrations.UPGRADING: 20}) as progress,
    ):
        try:
            old, new = migrations.migrate(
                config.database,
                before=lambda schema: made.append(_back_up(config, schema, progress.report)),
                create=None if args.new else partial(creating.refuse_lost, config),
                report=progress.report,
            )
        except (StorageError, migrations.SchemaError) as error:
            if not made:
                raise
            raise Refused(
                f"the migration failed: {error}. Install the previous version again; if it refuses the "
                f"database, run 'eventapi restore {made[0]}'"
            ) from error
    if old == new:  # only the write-ahead log was missing
        return f"schema {new} is up to date"
    return f"upgraded from schema {old} to {new}" if old else f"created with schema {new}"


def _tell(sentence):
    print(f"eventapi: {sentence}", file=sys.stderr, flush=True)


def _back_up(config, schema, report):
    config.backups.mkdir(mode=0o750, parents=True, exist_ok=True)
    file = config.backups / f"before-migration-from-{schema}-{backups.stamp()}.tar"
    backups.create(config, file, report)
    print(f"backup: {file}")
    return file


def vacuum(args, config):
    """Rewrite the database file with --now.

    Without it, say how long nobody can write then, and the space it needs.
    """
    refuse_damaged(config)
    with opened(config) as db, closing(process_locks.together(config)):
        size = config.database.stat().st_size
        seconds, people = max(1, round(size / BYTES_PER_SECOND)), remnants.waiting(db)
        if not args.now:
            print(
                f"{config.database} has {_mb(size)} MB. Rewriting it takes about {duration(seconds)}, and up to "
                f"{_mb(2 * size)} MB of disk space. Meanwhile, writes wait and are refused after ten seconds."
            )
            print(
                f"Anonymised contacts that may have left data in unused parts of the file: {people}. To rewrite it "
                "at a quiet time, run 'eventapi vacuum --now'"
            )
            return
        files.require_space(config.data_dir, size)
        with Progress("vacuum", {maintenance.REWRITING: 1}) as progress:
            remnants.rewrite(db, progress.report)
    print(
        f"{config.database}: rewritten, {_mb(size)} MB before, {_mb(config.database.stat().st_size)} MB now"
    )


def _mb(size):
    return -(-size // 1_000_000)


def make_demo(args, config):
    """Fill an empty database with the sample show. Progress goes to stderr."""
    from eventapi.demo import show as demo
    from eventapi.storage.migrations import ready

    refuse_damaged(config)
    ready(config)
    with closing(process_locks.together(config)):
        demo.make(config, args.size, say=lambda text: print(text, file=sys.stderr, flush=True))
    print(
        f"{config.database}: contains the sample show now. To use it, create an API key with 'eventapi key create "
        "--name demo --all-scopes'"
    )
