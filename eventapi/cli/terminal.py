"""What the commands share: their parser, errors, the database, and lists."""

import argparse
import json
import os
import re
from contextlib import closing, contextmanager
from itertools import takewhile

from eventapi.config import user
from eventapi.errors import listed, suggestion
from eventapi.storage import process_locks
from eventapi.storage.database import Database
from eventapi.storage.errors import damage


class Refused(Exception):
    """The command cannot be executed. The text is `what is wrong; remedy`. The exit status is 1."""


class Wrong(Exception):
    """The command line is not valid. The text is `what is wrong; remedy`. The exit status is 2."""


class Operator:
    """The actor of the command line: the user of the operating system, who needs no API key."""

    key_id = admin_id = request_id = address = agent = None

    def __init__(self):
        self.admin_name = f"{os.environ.get('SUDO_USER') or user()} (command line)"


class Parser(argparse.ArgumentParser):
    """A parser of a command whose help ends with examples, and whose errors suggest what was meant.

    Attributes:
        examples: command lines; a comment may follow.
        fields: name -> meaning of the fields that --json prints.
    """

    def __init__(self, examples=(), **given):
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **given
        )
        self.examples, self.fields = examples, {}

    def children(self):
        """Return {name: (help, parser)} of the subcommands."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                helps = {choice.dest: choice.help for choice in action._choices_actions}
                return {
                    name: (helps[name], parser)
                    for name, parser in action.choices.items()
                    if name in helps
                }
        return {}

    def all_examples(self):
        """Return the examples of the command, or those of a group: one of each subcommand."""
        if self.examples:
            return list(self.examples)
        return [parser.all_examples()[0] for _, parser in self.children().values()]

    def format_help(self):
        """Return the help, with the examples and the fields of --json."""
        parts = ["examples:", *(f"  {example}" for example in self.all_examples())]
        if self.fields:
            width = max(map(len, self.fields))
            parts += [
                "",
                "fields of --json:",
                *(f"  {name:{width}}  {text}" for name, text in self.fields.items()),
            ]
        self.epilog = "\n".join(parts)
        return super().format_help()

    def parse_args(self, args=None, namespace=None):
        """Return the arguments. Raise Wrong if there are more than the command has."""
        found, surplus = self.parse_known_args(args, namespace)
        if surplus:
            found.parser.error(f"unexpected argument {surplus[0]!r}")
        return found

    def parse_known_args(self, args=None, namespace=None):
        """Return (arguments, surplus words).

        Raise Wrong for an unknown option before anything else is complained of.

        A misspelt option would otherwise be reported as a missing one, or its value as a surplus
        word.
        """
        known = self._option_string_actions
        words = [word.partition("=")[0] for word in takewhile(lambda word: word != "--", args)]
        if self.children():  # the options behind the name of a command are those of the command
            words = list(takewhile(lambda word: word.startswith("-"), words))
        for word in words:
            if word.startswith("--") and word not in known:
                options = [
                    option
                    for option, action in known.items()
                    if action.help is not argparse.SUPPRESS
                ]
                self.error(f"unknown option {word}{suggestion(word, options)}")
        return super().parse_known_args(args, namespace)

    def error(self, message):
        """Raise Wrong. The remedy is in the message, or else an example of the command."""
        command = self.prog.removeprefix("eventapi").strip()
        message = message.removeprefix("argument ")
        remedy = (
            f"see '{self.prog} --help'" if self.children() else f"for example: {self.examples[0]}"
        )
        raise Wrong(
            (f"{command}: " if command else "")
            + (message if "; " in message else f"{message}; {remedy}")
        )

    def _check_value(self, action, value):
        """Raise an error that names the nearest choice, in place of argparse's list of all."""
        if action.choices is not None and value not in action.choices:
            noun = "command" if isinstance(action, argparse._SubParsersAction) else action.dest
            known = self.children() if noun == "command" else action.choices
            raise argparse.ArgumentError(
                None, f"unknown {noun} {value!r}{_instead(value, list(known))}"
            )


def _instead(word, known):
    """Return the remedy for an unknown word: the nearest known one, or else all of them."""
    return suggestion(word, known) or f"; use {listed(known, 'or')}"


def command(commands, name, run, help, *examples):
    """Declare a command and return its parser.

    `run(args, config)` executes it and returns the exit status or None.

    `examples` are command lines. The help and eventapi(1) show them.
    """
    parser = commands.add_parser(
        name, help=help, description=help[0].upper() + help[1:] + ".", examples=examples
    )
    parser.add_argument(
        "--config", metavar="FILE", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def long(parser):
    """Let a command run at low priority, since it reads or writes the whole database.

    Return its parser.
    """
    parser.set_defaults(is_long=True)
    return parser


def group(commands, name, help):
    """Declare a command with subcommands and return the object to declare these with."""
    parser = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
    parser.set_defaults(run=_refuse_group, parser=parser)
    return parser.add_subparsers(metavar="COMMAND", title="commands")


def _refuse_group(args, config):
    args.parser.error(f"a command is missing; use {listed(args.parser.children(), 'or')}")


def values(action, known):
    """Let the shell complete an argument with these values.

    Others remain allowed: the command checks them.
    """
    action.completed = tuple(known)


def record(parser, word, lister, help, **given):
    """Declare an argument that takes the id of a record. `lister` is the command that lists the
    ids: key list.
    """

    def parse(text):
        if not re.fullmatch(r"[1-9]\d{0,17}", text, re.ASCII):
            raise argparse.ArgumentTypeError(
                f"{text!r} is not an id; 'eventapi {lister}' lists the ids"
            )
        return int(text)

    parser.add_argument(word, metavar="ID", type=parse, help=help, **given)


def lists(parser, **fields):
    """Add the option --json to a command that prints a list.

    `fields` are those of an object: name=meaning.
    """
    parser.add_argument("--json", action="store_true", help="print JSON, with the fields below")
    parser.fields = fields


@contextmanager
def opened(config):
    """Open the database, with its settings in `db.config`.

    Raise SchemaError if it does not exist or has another schema, and ConfigError for a setting that
    cannot be parsed.
    """
    from eventapi.storage.migrations import ready

    ready(config)
    db = Database(config)
    db.actor = Operator()
    try:
        db.follow()
        yield db
    finally:
        db.close()


@contextmanager
def changing(config):
    """Open the database inside a write transaction.

    Raise Refused if it is marked as damaged, and InUse while a restore runs.
    """
    from eventapi.storage.migrations import ready

    refuse_damaged(config)
    ready(config)  # first, because the lock alone would count as a trace of a lost database
    with closing(process_locks.together(config)), opened(config) as db, db.write():
        yield db


def refuse_damaged(config):
    """Raise Refused if the database is marked as damaged: whatever is written to it may be lost, or
    damage more.
    """
    if reason := damage(config.database):
        raise Refused(
            f"the database is damaged: {reason}; restore a backup with 'eventapi restore FILE', or, if it "
            "was repaired in place, run 'eventapi check', which allows writes again if it finds nothing"
        )


def show(args, rows, columns):
    """Print rows as a table of some columns, or with --json as a list of objects with the
    documented fields.
    """
    if args.json:
        print_json([{name: row[name] for name in args.parser.fields} for row in rows])
        return
    texts = [columns, *([_text(row[column]) for column in columns] for row in rows)]
    widths = [max(len(line[place]) for line in texts) for place in range(len(columns))]
    for line in texts:
        print(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        )


def print_json(value):
    """Print a value as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def printable(text):
    """Return the text with control characters as escapes: a terminal would obey those of an
    intruder.
    """
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def _text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(" ".join(value) if isinstance(value, list) else str(value))
