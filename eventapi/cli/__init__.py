"""The command line: eventapi [--config FILE] COMMAND.

Exit status: 0 if done, 1 if the command failed (one line on stderr says why), 2 for wrong usage.
"""
import argparse
import os
import sys
from importlib import import_module

from eventapi import __version__
from eventapi import config as configuration
from eventapi.cli.terminal import Refused, printable
from eventapi.errors import Problem
from eventapi.storage.backups import BackupError
from eventapi.storage.database import Error
from eventapi.storage.errors import StorageError
from eventapi.storage.migrations import SchemaError
from eventapi.storage.process_locks import InUse

# Modules of this package. `register(commands)` of each declares its commands.
GROUPS = ("databases", "servers", "people", "features", "payment_gateways", "demo", "archives", "mail",
          "inspections", "openapi")


def main(argv=None):
    """Run a command and return its exit status."""
    args = _parser().parse_args(argv)
    os.umask(0o027)                                   # files contain personal data
    try:
        return args.run(args, configuration.load(args.config)) or 0
    except (BackupError, configuration.ConfigError, Error, InUse, Refused, SchemaError, StorageError) as error:
        return _refuse(str(error))
    except Problem as problem:
        return _refuse("; ".join(fault["detail"] for fault in problem.errors or []) or problem.detail)
    except BrokenPipeError:
        # A reader such as head closed the pipe. Without this, Python would report an error when it flushes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="eventapi", allow_abbrev=False,
                                     description="Event-management REST API for trade shows and exhibitions.")
    parser.add_argument("--version", action="version", version=f"eventapi {__version__}")
    parser.add_argument("--config", metavar="FILE", help="configuration file (default: EVENTAPI_CONFIG, or "
                                                         "/etc/eventapi/eventapi.conf if it exists)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="COMMAND")
    for name in GROUPS:
        import_module(f"eventapi.cli.{name}").register(commands)
    return parser


def _refuse(line):
    print("eventapi: " + printable(" ".join(line.split())), file=sys.stderr)
    return 1
