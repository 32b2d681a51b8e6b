"""Commands that create and upgrade the database, and fill it with a sample trade show."""
import sys
from contextlib import closing
from functools import partial

from eventapi.cli.terminal import Refused, command, refuse_damaged
from eventapi.config import user
from eventapi.domain.upkeep import creating
from eventapi.storage import backups, migrations, process_locks
from eventapi.storage.errors import StorageError


def register(commands):
    """Declare the commands."""
    parser = command(commands, "migrate", migrate, "create the database, or back it up and upgrade it",
                     "eventapi migrate")
    parser.add_argument("--new", action="store_true", help="create an empty database although files, backups or locks "
                                                           "show that there was one")
    demo = command(commands, "demo", make_demo, "fill an empty database with a sample trade show",
                   "eventapi demo", "eventapi demo --size fair")
    demo.add_argument("--size", choices=("small", "fair", "messe"), default="small",
                      help="size of the show: small has 60 exhibitors and 240 visitors and takes seconds; fair has 600 "
                           "and 20,000 and takes about a minute; messe has 4,500 and 150,000 and takes about five "
                           "minutes and 3 GB of disk space (default: small)")


def migrate(args, config):
    """Create the database, or back it up and upgrade it. If the upgrade fails, say how to go back."""
    refuse_damaged(config)
    try:
        config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    except PermissionError:
        raise Refused(f"cannot create {config.data_dir}: permission denied for the user {user()}; use sudo, or set "
                      "data_dir (EVENTAPI_DATA_DIR) to a directory of this user") from None
    made = []
    try:
        old, new = migrations.migrate(config.database, before=lambda schema: made.append(_back_up(config, schema)),
                                      create=None if args.new else partial(creating.refuse_lost, config))
    except (StorageError, migrations.SchemaError) as error:
        if not made:
            raise
        raise Refused(f"the migration failed: {error}. Install the previous version again; if it refuses the database, "
                      f"run 'eventapi restore {made[0]}'") from error
    process_locks.remove_scratch(config)
    done = f"upgraded from schema {old} to {new}" if old else f"created with schema {new}"
    print(f"{config.database}: " + (f"schema {new} is up to date" if old == new else done))


def _back_up(config, schema):
    config.backups.mkdir(mode=0o750, parents=True, exist_ok=True)
    file = config.backups / f"before-migration-from-{schema}-{backups.stamp()}.tar"
    backups.create(config, file)
    print(f"backup: {file}")
    return file


def make_demo(args, config):
    """Fill an empty database with the sample show. Progress goes to stderr."""
    from eventapi.app import ready
    from eventapi.demo import show as demo
    refuse_damaged(config)
    ready(config)
    with closing(process_locks.together(config)):
        demo.make(config, args.size, say=lambda text: print(text, file=sys.stderr, flush=True))
    print(f"{config.database}: contains the sample show now. To use it, create an API key with 'eventapi key create "
          "--name demo --all-scopes'")
