"""Commands that check the data for damage."""
import argparse
import json
import re

from eventapi import journal
from eventapi.cli.terminal import Refused, command, group, lists, opened, printable
from eventapi.domain.upkeep import checks
from eventapi.storage.errors import forget_damage


def register(commands):
    lists(command(commands, "check", check, "check database, amounts, stored files and audit log for damage",
                  "eventapi check"))
    audit = group(commands, "audit", "verify the audit log")
    proof = command(audit, "verify", verify,
                    "verify that no audit entry was changed, removed or moved, and print the last entry",
                    "eventapi audit verify", f"eventapi audit verify --noted 812:{'9f' * 32}")
    proof.add_argument("--noted", metavar="ID:HASH", type=noted,
                       help="last entry that an earlier run printed; also verify that no entry up to it was rewritten")
    lists(proof)


def noted(text):
    """Return (id, hash) of an entry in the form that `audit verify` prints."""
    found = re.fullmatch(r"([1-9]\d{0,17}):([0-9a-f]{64})", text.strip())
    if not found:
        raise argparse.ArgumentTypeError("must be ID:HASH, as printed by 'eventapi audit verify'")
    return int(found[1]), found[2]


def check(args, config):
    """Check the data, and raise Refused if a fault is found.

    Otherwise remove the mark of damage that was found earlier, so that the server writes again.
    """
    with opened(config) as db:
        findings = checks.findings(db)
    if not findings:
        forget_damage(config.database)
    _report(args, findings)


def verify(args, config):
    """Verify the audit log, and print its last entry. Raise Refused if a fault is found."""
    with opened(config) as db, db.snapshot():
        wrong = journal.verify(db) + (journal.verify_entry(db, *args.noted) if args.noted else [])
        last = journal.last(db)
    _report(args, [("audit log", line) for line in wrong])
    if last and not args.json:
        print(printable("last entry: {}:{}".format(*last)))


def _report(args, findings):
    if args.json:
        rows = [{"check": name, "detail": detail} for name, detail in findings]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for name, detail in findings:
            print(f"{name}: {printable(detail)}")
        if not findings:
            print("ok")
    if findings:
        raise Refused("one fault was found" if len(findings) == 1 else f"{len(findings)} faults were found")
