"""Commands that look for damage."""
import argparse
import json
import re

from eventapi import journal
from eventapi.cli.terminal import Refused, command, group, lists, opened
from eventapi.services import checks


def register(commands):
    lists(command(commands, "check", check, "looks for damage: database, money sums, stored files, audit log"))
    audit = group(commands, "audit", "the audit log")
    proof = command(audit, "verify", verify, "proves that no audit entry was changed, removed or moved, and tells the last one")
    proof.add_argument("--noted", metavar="ID:HASH", type=noted, help="a last entry that it told before: nothing up to it was rewritten")
    lists(proof)


def noted(text):
    """(id, hash) of an entry, as `audit verify` tells it."""
    found = re.fullmatch(r"([1-9]\d{0,17}):([0-9a-f]{64})", text.strip())
    if not found:
        raise argparse.ArgumentTypeError("must be ID:HASH, as audit verify told it")
    return int(found[1]), found[2]


def check(args, config):
    with opened(config) as db:
        return _report(args, checks.findings(db))


def verify(args, config):
    with opened(config) as db, db.snapshot():
        wrong = journal.verify(db) + (journal.stands(db, *args.noted) if args.noted else [])
        last = journal.last(db)
    _report(args, [("audit log", line) for line in wrong])
    if last and not args.json:
        print("the last entry is {}:{}".format(*last))


def _report(args, findings):
    if args.json:
        print(json.dumps([{"check": name, "detail": detail} for name, detail in findings], ensure_ascii=False, indent=2))
    else:
        for name, detail in findings:
            print(f"{name}: {detail}")
        if not findings:
            print("ok")
    if findings:
        raise Refused("one fault was found" if len(findings) == 1 else f"{len(findings)} faults were found")
