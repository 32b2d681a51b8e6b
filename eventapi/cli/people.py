"""Commands for admins and API keys."""
from eventapi import times
from eventapi.cli.terminal import Refused, command, group, lists, opened, show
from eventapi.services import credentials


def register(commands):
    admin = group(commands, "admin", "the organiser's staff")
    add = command(admin, "add", add_admin, "adds an admin and prints the id")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--email")
    lists(command(admin, "list", list_admins, "lists the admins"))
    command(admin, "disable", disable_admin, "switches off an admin and all keys of that admin").add_argument("id", type=int, metavar="ID")

    key = group(commands, "key", "API keys")
    create = command(key, "create", create_key, "makes a key and prints it, once")
    create.add_argument("--name", required=True, help="what the key is for")
    scopes = create.add_mutually_exclusive_group(required=True)
    scopes.add_argument("--scope", action="append", metavar="S", help="events to read and write, events:read to read; repeat it")
    scopes.add_argument("--all-scopes", action="store_true", help="may do everything")
    create.add_argument("--admin", type=int, metavar="ID", help="whose key it is (default: the first admin)")
    create.add_argument("--expires", metavar="DATE", help="last day, or a moment such as 2027-01-01T12:00:00Z")
    create.add_argument("--quiet", action="store_true", help="print nothing but the key")
    lists(command(key, "list", list_keys, "lists the keys"))
    command(key, "revoke", revoke_key, "ends a key at once").add_argument("id", type=int, metavar="ID")
    rotate = command(key, "rotate", rotate_key, "makes a new key in the place of an old one and prints it, once")
    rotate.add_argument("id", type=int, metavar="ID")
    rotate.add_argument("--grace", type=_hours, default=0, metavar="HOURS", help="how long the old key goes on (default 0)")
    rotate.add_argument("--quiet", action="store_true", help="print nothing but the key")


def _hours(text):
    hours = int(text)
    if not 0 <= hours <= 8760:
        raise ValueError
    return hours


def add_admin(args, config):
    with opened(config) as db, db.write():
        id = credentials.add_admin(db, args.name, args.email)
    print(id)


def list_admins(args, config):
    with opened(config) as db:
        show(args, credentials.admins(db), ["id", "name", "email", "is_active", "created_at"])


def disable_admin(args, config):
    with opened(config) as db, db.write():
        credentials.disable_admin(db, args.id)


def create_key(args, config):
    scopes = credentials.SCOPES if args.all_scopes else args.scope
    expires_at = args.expires and _moment(args.expires, config.timezone)
    with opened(config) as db, db.write():
        id, key = credentials.create_key(db, args.name, scopes, admin_id=args.admin, expires_at=expires_at)
    _print_key(args, id, key)


def _moment(text, zone):
    if not times.is_day_or_moment(text):
        raise Refused(f"--expires {text}: must be a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z")
    return times.end(text, zone)


def list_keys(args, config):
    with opened(config) as db:
        show(args, credentials.keys(db), ["id", "name", "status", "admin_id", "admin_name", "expires_at", "last_used_at", "scopes"])


def revoke_key(args, config):
    with opened(config) as db, db.write():
        credentials.revoke_key(db, args.id)


def rotate_key(args, config):
    with opened(config) as db, db.write():
        id, key = credentials.rotate_key(db, args.id, grace_hours=args.grace)
    _print_key(args, id, key)


def _print_key(args, id, key):
    print(key if args.quiet else f"{key}\nThis is key {id}. Store it now: it is not shown again.")
