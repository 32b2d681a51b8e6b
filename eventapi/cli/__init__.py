"""The command line: eventapi [--config FILE] COMMAND.

Errors are lines `eventapi: WHAT IS WRONG; REMEDY` on stderr, one for each fault. Exit status: 0 if
done, 1 if the command failed, 2 for wrong usage.
"""

import errno
import logging
import os
import re
import sys
from importlib import import_module

from eventapi import __version__
from eventapi import config as configuration
from eventapi.cli.terminal import Parser, Refused, Wrong, printable
from eventapi.errors import Problem
from eventapi.storage.backups import BackupError
from eventapi.storage.database import Error
from eventapi.storage.errors import Damaged, Full, ReadOnly, StorageError
from eventapi.storage.migrations import SchemaError
from eventapi.storage.process_locks import InUse

# Modules of this package. `register(commands)` of each declares its commands.
GROUPS = (
    "status",
    "databases",
    "servers",
    "settings",
    "people",
    "access",
    "desk",
    "payment_gateways",
    "archives",
    "mail",
    "pages",
    "links",
    "inspections",
    "completion",
    "openapi",
)
EXAMPLES = (
    "eventapi                                               # show what runs, and what to do next",
    "eventapi migrate                                       # create the database, or upgrade it",
    "eventapi key create --name first --all-scopes          # create an API key",
    "eventapi admin invite 'Your Name' you@example.org      # let the first person in",
    "eventapi serve --with-worker                           # run the service on http://127.0.0.1:8080",
    "eventapi backup                                        # write a backup, and verify it",
    "eventapi --config /etc/eventapi/acme.conf key list     # administer the tenant acme",
)
# The command that lists the records of a noun, for the error that one of them does not exist.
LISTED_BY = {
    "API key": "key list",
    "Admin": "admin list",
    "Session of the desk": "desk sessions",
    "Device of a door": "link devices",
    "Link": "link list",
    "Payment gateway": "gateway list",
    "Mail": "mail list",
}
LOW_PRIORITY = 10  # of commands that read or write the whole database; requests have 0
# the first word, but no file name such as Fair.tar
SENTENCE = re.compile(r"(^|\. )([A-Z])(?=[a-z']* )")
REMEDIES = {
    errno.EACCES: "use sudo, or let the user {user}, who runs the command, open it",
    errno.ENOENT: "check the path",
    errno.ENOSPC: "free space on that disk",
    errno.EROFS: "the file system is mounted read-only: repair it, or mount it for writing",
}
ABOUT_STORAGE = {
    Damaged: "restore a backup with 'eventapi restore FILE'",
    Full: "free space on the disk of data_dir",
    ReadOnly: "let the user {user}, who runs the command, write there, or repair the disk",
    StorageError: "'eventapi check' looks for damage",
    Error: "'eventapi check' looks for damage",
}


def main(argv=None):
    """Run a command and return its exit status."""
    # of commands that keep no log
    logging.lastResort.setFormatter(logging.Formatter("eventapi: %(message)s"))
    try:
        args = make_parser().parse_args(_words(sys.argv[1:] if argv is None else argv))
        os.umask(0o027)  # files contain personal data
        if args.is_long and argv is None:  # in a process of its own
            _give_way()
        return args.run(args, configuration.load(args.config)) or 0
    except Wrong as error:
        return _refuse(str(error), status=2)
    except configuration.ConfigError as error:
        return _refuse(*error.faults)
    except Problem as problem:
        return _refuse(
            *[fault["detail"] for fault in problem.errors or []] or [_with_list(problem)]
        )
    except BrokenPipeError:
        # A reader such as head closed the pipe. Without this, Python would report an error when it
        # flushes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (BackupError, Error, InUse, OSError, Refused, SchemaError, StorageError) as error:
        return _refuse(_with_remedy(error))
    except KeyboardInterrupt:
        return 130


def _give_way():
    """Lower the priority of this process to LOW_PRIORITY; Linux gives it less of the disk as well.

    The unit of the nightly backup has it already, and denies the system call.
    """
    if os.getpriority(os.PRIO_PROCESS, 0) < LOW_PRIORITY:
        os.setpriority(os.PRIO_PROCESS, 0, LOW_PRIORITY)


def _words(words):
    """Return the words of the command line. `help COMMAND` means `COMMAND --help`."""
    return [*words[1:], "--help"] if words[:1] == ["help"] else words


def make_parser():
    """Return the parser of all commands."""
    parser = Parser(
        EXAMPLES,
        prog="eventapi",
        description="Event-management REST API for trade shows and exhibitions.",
    )
    parser.add_argument("--version", action="version", version=f"eventapi {__version__}")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="configuration file (default: EVENTAPI_CONFIG, or "
        "/etc/eventapi/eventapi.conf if it exists)",
    )
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name in GROUPS:
        import_module(f"eventapi.cli.{name}").register(commands)
    _, status = parser.children()["status"]
    parser.set_defaults(run=status.get_default("run"), parser=status, json=False, is_long=False)
    return parser


def _with_list(problem):
    """Return the text of a problem.

    If a record does not exist, add the command that lists those that do.
    """
    lister = next(
        (by for noun, by in LISTED_BY.items() if problem.detail.startswith(f"{noun} ")), None
    )
    if problem.code != "not_found" or not lister:
        return problem.detail
    return f"{problem.detail.rstrip('.')}; 'eventapi {lister}' shows what exists"


def _with_remedy(error):
    """Return the text of an error.

    Add a remedy to one that the operating system or SQLite has reported.
    """
    text, remedy = str(error), None
    if isinstance(error, OSError):
        text = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        remedy = REMEDIES.get(error.errno, "check the path and the disk")
    elif "; " not in text and ". " not in text:
        remedy = next(
            (remedy for kind, remedy in ABOUT_STORAGE.items() if isinstance(error, kind)), None
        )
    return f"{text}; {remedy.format(user=configuration.user())}" if remedy else text


def _refuse(*lines, status=1):
    """Print each fault in one line on stderr and return the exit status."""
    for line in lines:
        # The rules of the domain write sentences: `Mail 7 not found. Check the id.`
        line = SENTENCE.sub(
            lambda found: f"{found[1] and '; '}{found[2].lower()}", " ".join(line.split())
        ).rstrip(".")
        print("eventapi: " + printable(line), file=sys.stderr)
    return status
