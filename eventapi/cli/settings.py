"""Commands for the settings of the organiser, which the database has."""

import shlex
import sys
from contextlib import closing, contextmanager

from eventapi.cli.status import place_of
from eventapi.cli.terminal import (
    Operator,
    Refused,
    command,
    group,
    lists,
    printable,
    refuse_damaged,
    show,
    values,
)
from eventapi.config import OPTIONS, SETTINGS
from eventapi.config.live import OF_FILE, read
from eventapi.domain.organiser import importing, settings
from eventapi.errors import Problem
from eventapi.paths import has_content
from eventapi.storage import process_locks, versions
from eventapi.storage.database import Database, connect
from eventapi.storage.migrations import ready, schema_version

SINCE = 83  # the schema that has settings
CHANGEABLE = [name for name in SETTINGS if name not in OF_FILE]


def register(commands):
    """Declare the commands."""
    group_ = group(
        commands, "settings", "read and change the settings of the organiser in the database"
    )
    listed = command(
        group_,
        "list",
        list_settings,
        "list the settings, and where each is set",
        "eventapi settings list",
        "eventapi settings list --json",
    )
    lists(
        listed,
        name="name of the option",
        value="its value as text, as in eventapi.conf(5)",
        set_by="desk, default, or the place where the administrator has set it: a line of the file, a variable or a "
        "credential",
    )
    change = command(
        group_,
        "set",
        set_setting,
        "change a setting",
        "eventapi settings set organiser_name 'Gartenmesse Lindenau GmbH'",
        "eventapi settings set payment_days 30",
    )
    name = change.add_argument("name", metavar="NAME", help="name of the option")
    values(name, CHANGEABLE)
    change.add_argument("value", metavar="VALUE", help="its value, as in eventapi.conf(5)")
    remove = command(
        group_,
        "unset",
        unset_setting,
        "remove a setting, so that the default counts",
        "eventapi settings unset payment_days",
    )
    values(remove.add_argument("name", metavar="NAME", help="name of the option"), CHANGEABLE)
    command(
        group_,
        "import",
        import_settings,
        "copy the settings of the configuration file into the database, and say how to remove them there",
        "eventapi settings import",
    )


@contextmanager
def opened(config):
    """Open the database, whatever its settings are: a setting that cannot be parsed is corrected
    with these commands. Its schema may be older than this program.
    """
    if has_content(config.database):
        with closing(connect(config.database, readonly=True)) as connection:
            schema = schema_version(connection)
    if not has_content(config.database) or not SINCE <= schema <= versions.newest():
        ready(config)
    config.live.has_started = True
    with closing(Database(config)) as db:
        db.actor = Operator()
        yield db


@contextmanager
def changing(config):
    """Open the database inside a write transaction."""
    refuse_damaged(config)
    with opened(config) as db, closing(process_locks.together(config)), db.write():
        yield db


def list_settings(args, config):
    with opened(config) as db, db.snapshot():
        stored, revision = read(db)
        db.follow(revision)
        texts = settings.Texts(db.config.live, stored)
        rows = [
            {"name": name, "value": texts.text(name), "set_by": texts.place(name)}
            for name in SETTINGS
        ]
    show(args, rows, ["name", "value", "set_by"])


def set_setting(args, config):
    _change(config, args.name, args.value)


def unset_setting(args, config):
    _change(config, args.name, None)


def _change(config, name, text):
    """Change a setting. Raise Refused for one that is not valid."""
    if name not in SETTINGS and name in {option.name for option in OPTIONS}:
        file = config.file or "the configuration file"
        raise Refused(f"{name} is not a setting of the database; set it in {file}")
    with changing(config) as db:
        if text is None and settings.remove_unknown(db, name):
            return
        try:
            settings.change(db, {name: text})
        except Problem as problem:
            if problem.errors:
                detail = problem.errors[0]["detail"]
                raise Refused(f"{name} {detail}; see eventapi.conf(5)") from None
            if problem.code == "set_by_administrator":
                raise Refused(_closed(config, problem.members["settings"])) from None
            raise
    print(
        f"{name}: the server and the worker have it from now on. This command does not see variables and credentials "
        "of their units: with one of these, the running server may have it closed."
    )


def _closed(config, names):
    """Return the sentence about settings that are closed, for their administrator."""
    places = ", ".join(f"{name} in {config.live.given[name][1]}" for name in names)
    return (
        f"what is set outside of the database counts: {places}; change it there, or copy what the file sets into the "
        "database with 'eventapi settings import'"
    )


def import_settings(args, config):
    """Copy the settings of the file, and print the commands that comment their lines out."""
    place, _ = place_of(args, config)
    with changing(config) as db:
        done = importing.run(db)
    for name in done.names:
        print(f"{name}: copied into the database")
    for name, reason in done.left.items():
        print(f"eventapi: {name} stays in the file: {printable(reason)}", file=sys.stderr)
    if not done.lines:
        print(f"{config.file or 'the configuration'}: there is nothing to copy")
        return
    print("The file counts until these lines are comments. Comment them out, and restart:")
    script = ";".join(f"{line}s/^/#/" for line in sorted(done.lines))
    print(f"    sed -i '{script}' {shlex.quote(str(config.file))}")
    if place.tenant is not None:
        print(
            f"    systemctl restart {place.unit('eventapi.service')} {place.unit('eventapi-worker.service')}"
        )
