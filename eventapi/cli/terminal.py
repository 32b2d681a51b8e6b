"""Functions that the commands share: declare a command, open the database, print a list."""
import argparse
import json
import os
from contextlib import closing, contextmanager

from eventapi.config import user
from eventapi.storage import process_locks
from eventapi.storage.database import Database
from eventapi.storage.errors import damage


class Refused(Exception):
    """The command cannot be executed. The text is printed to stderr in one line; the exit status is 1."""


class Operator:
    """The actor of the command line: the user of the operating system, who needs no API key."""
    key_id = admin_id = request_id = address = agent = None

    def __init__(self):
        self.admin_name = f"{os.environ.get('SUDO_USER') or user()} (command line)"


def command(commands, name, run, help, *examples):
    """Declare a command and return its parser. `run(args, config)` executes it and returns the exit status or None.

    `examples` are command lines. The help and eventapi(1) show them.
    """
    epilog = "examples:\n" + "".join(f"  {example}\n" for example in examples) if examples else None
    parser = commands.add_parser(name, help=help, description=help, epilog=epilog, allow_abbrev=False,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.examples = examples
    parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)
    return parser


def values(action, known):
    """Let the shell complete an argument with these values. Others remain allowed: the command checks them."""
    action.completed = tuple(known)


def group(commands, name, help):
    """Declare a command with subcommands and return the object to declare these with."""
    parser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
    return parser.add_subparsers(required=True, metavar="COMMAND", dest=f"{name} COMMAND")


def lists(parser):
    """Add the option --json to a command that prints a list."""
    parser.add_argument("--json", action="store_true", help="print JSON")


@contextmanager
def opened(config):
    """Open the database. Raise SchemaError if it does not exist or has another schema."""
    from eventapi.app import ready
    ready(config)
    db = Database(config)
    db.actor = Operator()
    try:
        yield db
    finally:
        db.close()


@contextmanager
def changing(config):
    """Open the database inside a write transaction.

    Raise Refused if it is marked as damaged, and InUse while a restore runs.
    """
    from eventapi.app import ready
    refuse_damaged(config)
    ready(config)               # first, because the lock alone would count as a trace of a lost database
    with closing(process_locks.together(config)), opened(config) as db, db.write():
        yield db


def refuse_damaged(config):
    """Raise Refused if the database is marked as damaged: whatever is written to it may be lost, or damage more."""
    if reason := damage(config.database):
        raise Refused(f"the database is damaged: {reason}. Restore a backup with 'eventapi restore FILE'. If it was "
                      "repaired in place, run 'eventapi check', which allows writes again if it finds nothing")


def show(args, rows, columns):
    """Print rows as a table, or as JSON with --json."""
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    texts = [columns, *([_text(row[column]) for column in columns] for row in rows)]
    widths = [max(len(line[place]) for line in texts) for place in range(len(columns))]
    for line in texts:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def printable(text):
    """Return the text with control characters as escapes: a terminal would obey those of an intruder."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def _text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(" ".join(value) if isinstance(value, list) else str(value))
