"""Commands for access: API keys, feature flags and the plan tier.

Running servers apply a change at once.
"""

import argparse

from eventapi import times
from eventapi.cli.terminal import (
    Refused,
    changing,
    command,
    group,
    lists,
    opened,
    print_json,
    record,
    show,
    values,
)
from eventapi.domain.access import api_keys

# Scopes that show data of other scopes, with or without `:read`.
REVEALS = {
    "audit": "the old and new values of every change: whole contacts, applications, invoices, payments and notes",
    "documents": "the documents that were generated, with the personal data in them, and all files",
    "custom_fields": "the custom fields of contacts, applications, participants and submissions",
}
KEY_COLUMNS = [
    "id",
    "name",
    "status",
    "admin_id",
    "admin_name",
    "expires_at",
    "last_used_at",
    "scopes",
]


def register(commands):
    """Declare the commands."""
    _register_keys(group(commands, "key", "manage API keys"))
    flag = group(commands, "flag", "manage feature flags")
    lists(
        command(flag, "list", list_flags, "list the feature flags", "eventapi flag list"),
        name="name of the flag",
        enabled="true if the feature is enabled",
    )
    for name, run in (("enable", enable_flag), ("disable", disable_flag)):
        enable = command(flag, name, run, f"{name} a feature", f"eventapi flag {name} plans")
        values(
            enable.add_argument(
                "name", metavar="NAME", help="name of the flag: " + ", ".join(api_keys.FLAGS)
            ),
            api_keys.FLAGS,
        )
    tier = group(commands, "tier", "manage the plan tier")
    lists(
        command(tier, "show", show_tier, "print the plan tier", "eventapi tier show"),
        tier="plan tier: " + ", ".join(api_keys.TIERS),
    )
    set_ = command(tier, "set", set_tier, "set the plan tier", "eventapi tier set Business+")
    values(
        set_.add_argument(
            "name",
            metavar="NAME",
            help="Starter, Business or Business+; only Business+ has the API",
        ),
        api_keys.TIERS,
    )


def _register_keys(key):
    create = command(
        key,
        "create",
        create_key,
        "create an API key and print it; it is not shown again",
        "eventapi key create --name office --all-scopes",
        "eventapi key create --name shop --scope payments --scope invoices:read --expires 2027-12-31",
        "eventapi key create --name 'web form' --scope applications:create",
        "export EVENTAPI_KEY=$(eventapi key create --name laptop --all-scopes --quiet)",
    )
    create.add_argument("--name", required=True, help="purpose of the key")
    scopes = create.add_mutually_exclusive_group(required=True)
    scope = scopes.add_argument(
        "--scope",
        action="append",
        metavar="SCOPE",
        help="scope of the key: events to read and write, events:read to read only, applications:create for a form on "
        "a web site; may be repeated. Scopes: "
        + ", ".join([*api_keys.SCOPES, *api_keys.NARROW_SCOPES]),
    )
    values(scope, api_keys.ALL_SCOPES)
    scopes.add_argument("--all-scopes", action="store_true", help="give the key all scopes")
    record(
        create, "--admin", "admin list", "admin that the key belongs to (default: the first admin)"
    )
    create.add_argument(
        "--expires",
        metavar="DATE",
        help="last day of the key, or a time such as 2027-01-01T12:00:00Z (default: never)",
    )
    create.add_argument("--quiet", action="store_true", help="print only the key")
    lists(
        command(
            key,
            "list",
            list_keys,
            "list the API keys",
            "eventapi key list",
            "eventapi key list --json",
        ),
        id="id of the key",
        name="purpose of the key",
        status="active, expired, revoked or admin disabled",
        scopes="list of its scopes",
        admin_id="id of the admin that the key belongs to",
        admin_name="name of that admin",
        admin_is_active="false if that admin is disabled",
        expires_at="time of expiry, or null",
        revoked_at="time at which it was revoked, or null",
        last_used_at="time of the first request in the hour (UTC) of the last one, or null",
        created_at="time of creation",
    )
    revoke = command(
        key, "revoke", revoke_key, "revoke an API key immediately", "eventapi key revoke 3"
    )
    record(revoke, "id", "key list", "id of the key, see 'eventapi key list'")
    rotate = command(
        key,
        "rotate",
        rotate_key,
        "replace an API key with a new one and print it; it is not shown again",
        "eventapi key rotate 3 --grace 24",
    )
    record(rotate, "id", "key list", "id of the old key, see 'eventapi key list'")
    rotate.add_argument(
        "--grace",
        type=_hours,
        default=0,
        metavar="HOURS",
        help="hours that the old key remains valid (default: 0)",
    )
    rotate.add_argument("--quiet", action="store_true", help="print only the key")


def _hours(text):
    """Return a number of hours, at most a year."""
    if not text.isdecimal() or int(text) > 8760:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be a whole number of hours from 0 to 8760 (one year)"
        )
    return int(text)


def create_key(args, config):
    scopes = api_keys.SCOPES if args.all_scopes else args.scope
    with changing(config) as db:
        expires_at = args.expires and _end(args.expires, db.config.timezone)
        id, key = api_keys.create_key(
            db, args.name, scopes, admin_id=args.admin, expires_at=expires_at
        )
    _print_key(args, id, key)
    if not (args.quiet or args.all_scopes):
        for scope in [scope for scope in scopes if scope.removesuffix(":read") in REVEALS]:
            print(f"The scope {scope} shows {REVEALS[scope.removesuffix(':read')]}.")


def _end(text, zone):
    """Return the timestamp at which a key expires: the end of a date, or a time."""
    if not times.is_date_or_timestamp(text):
        raise Refused(
            f"--expires {text!r} is not a date; use a date such as 2027-01-31 or a time such as "
            "2027-01-31T12:00:00Z"
        )
    return times.end(text, zone)


def list_keys(args, config):
    with opened(config) as db:
        show(args, api_keys.keys(db), KEY_COLUMNS)


def revoke_key(args, config):
    with changing(config) as db:
        api_keys.revoke_key(db, args.id)


def rotate_key(args, config):
    with changing(config) as db:
        id, key = api_keys.rotate_key(db, args.id, grace_hours=args.grace)
    _print_key(args, id, key)


def _print_key(args, id, key):
    print(
        key if args.quiet else f"{key}\nThis is API key {id}. Store it now: it is not shown again."
    )


def list_flags(args, config):
    with opened(config) as db:
        show(args, api_keys.flags(db), ["name", "enabled"])


def enable_flag(args, config):
    with changing(config) as db:
        api_keys.set_flag(db, args.name, True)


def disable_flag(args, config):
    with changing(config) as db:
        api_keys.set_flag(db, args.name, False)


def show_tier(args, config):
    with opened(config) as db:
        tier = api_keys.tier(db)
    if args.json:
        print_json({"tier": tier})
    else:
        print(tier)


def set_tier(args, config):
    with changing(config) as db:
        api_keys.set_tier(db, args.name)
