"""The command that creates and upgrades the database."""
from functools import partial

from eventapi.cli.terminal import Refused, command, refuse_damaged
from eventapi.domain.upkeep import creating
from eventapi.storage import backups, migrations, process_locks
from eventapi.storage.errors import StorageError


def register(commands):
    parser = command(commands, "migrate", migrate, "create the database, or back it up and upgrade it",
                     "eventapi migrate")
    parser.add_argument("--new", action="store_true", help="create an empty database although files, backups or locks "
                                                           "show that there was one")


def migrate(args, config):
    """Create the database, or back it up and upgrade it. If the upgrade fails, say how to go back."""
    refuse_damaged(config)
    config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
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
