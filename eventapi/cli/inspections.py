"""Commands that look for damage."""
import json

from eventapi import journal
from eventapi.cli.terminal import Refused, command, group, lists, opened
from eventapi.services import checks


def register(commands):
    lists(command(commands, "check", check, "looks for damage: database, money sums, stored files, audit log"))
    audit = group(commands, "audit", "the audit log")
    lists(command(audit, "verify", verify, "proves that no audit entry was changed, removed or moved"))


def check(args, config):
    with opened(config) as db:
        return _report(args, checks.findings(db))


def verify(args, config):
    with opened(config) as db, db.snapshot():
        return _report(args, [("audit log", line) for line in journal.verify(db)])


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
