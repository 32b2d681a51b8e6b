"""What the commands share: declaring them, opening the database, printing lists."""
import argparse
import json
from contextlib import contextmanager

from eventapi.db import Database


class Refused(Exception):
    """Said in one line on stderr; exit 1."""


def command(commands, name, run, help):
    """A command below `commands`; `run(args, config)` does it and gives the exit code, None for 0."""
    parser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
    parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)
    return parser


def group(commands, name, help):
    """A command that has commands of its own."""
    parser = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
    return parser.add_subparsers(required=True, metavar="COMMAND", dest=f"{name} COMMAND")


def lists(parser):
    """Adds --json to a command that lists."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


@contextmanager
def opened(config):
    """The database, when it is there and fits this program."""
    from eventapi.app import ready
    ready(config)
    db = Database(config)
    try:
        yield db
    finally:
        db.close()


def show(args, rows, columns):
    """A list as a table, or as JSON with --json."""
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    texts = [columns, *([_text(row[column]) for column in columns] for row in rows)]
    widths = [max(len(line[place]) for line in texts) for place in range(len(columns))]
    for line in texts:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def _text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)
