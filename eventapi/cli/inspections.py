"""Commands that check the data for damage."""

import argparse
import re

from eventapi import journal
from eventapi.cli.terminal import (
    Refused,
    command,
    group,
    lists,
    long,
    opened,
    print_json,
    printable,
)
from eventapi.domain.upkeep import checks
from eventapi.domain.upkeep.progress import Progress
from eventapi.storage.errors import forget_damage


def register(commands):
    """Declare the commands."""
    lists(
        long(
            command(
                commands,
                "check",
                check,
                "check database, amounts, stored files and audit log for damage",
                "eventapi check",
                "eventapi check --json",
            )
        ),
        check="name of the check that found something",
        detail="what is wrong",
        severity="`fault`, or `warning` for what does not change the exit status: a mail that may have been sent",
    )
    audit = group(commands, "audit", "verify the audit log")
    proof = long(
        command(
            audit,
            "verify",
            verify,
            "verify that no audit entry was changed, removed or moved, and print the last entry",
            "eventapi audit verify",
            f"eventapi audit verify --noted 812:{'9f' * 32}",
        )
    )
    proof.add_argument(
        "--noted",
        metavar="ID:HASH",
        type=noted,
        help="last entry that an earlier run printed; also verify that no entry up to it was rewritten",
    )
    lists(
        proof,
        faults="list of sentences; empty if the log is intact",
        last_entry="last entry as ID:HASH for --noted, or null if the log is empty",
    )


def noted(text):
    """Return (id, hash) of an entry in the form that `audit verify` prints."""
    found = re.fullmatch(r"([1-9]\d{0,17}):([0-9a-f]{64})", text.strip())
    if not found:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not ID:HASH; copy the last entry that 'eventapi audit verify' printed"
        )
    return int(found[1]), found[2]


def check(args, config):
    """Check the data, and raise Refused if a fault is found. Warnings are only printed.

    Without a fault, remove the mark of damage that was found earlier, so that the server writes
    again.
    """
    with opened(config) as db, Progress("check", checks.PARTS) as progress:
        findings = checks.findings(db, progress.report)
    faults = checks.faults(findings)
    if not faults:
        forget_damage(config.database)
    if args.json:
        print_json(
            [
                {
                    "check": name,
                    "detail": detail,
                    "severity": "warning" if name in checks.WARNINGS else "fault",
                }
                for name, detail in findings
            ]
        )
    else:
        print(
            "\n".join(
                f"{name}{' (warning)' if name in checks.WARNINGS else ''}: {printable(detail)}"
                for name, detail in findings
            )
            or "ok"
        )
    _refuse(len(faults))


def verify(args, config):
    """Verify the audit log, and print its last entry. Raise Refused if a fault is found."""
    with (
        opened(config) as db,
        db.snapshot(),
        Progress("audit verify", {journal.VERIFYING: 1}) as progress,
    ):
        wrong = journal.verify(db, progress.report) + (
            journal.verify_entry(db, *args.noted) if args.noted else []
        )
        last = journal.last(db)
    entry = last and "{}:{}".format(*last)
    if args.json:
        print_json({"faults": wrong, "last_entry": entry})
    else:
        print("\n".join(f"audit log: {printable(line)}" for line in wrong) or "ok")
        if entry:
            print(printable(f"last entry: {entry}"))
    _refuse(len(wrong))


def _refuse(number):
    """Raise Refused unless the number of faults is 0."""
    if number:
        found = "one fault was found" if number == 1 else f"{number} faults were found"
        raise Refused(
            f"{found}, see the output; if data is damaged, stop the services and restore a backup with "
            "'eventapi restore FILE'"
        )
