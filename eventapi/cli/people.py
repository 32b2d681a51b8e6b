"""Commands for admins: people who have an account at the desk, or only own API keys.

Running servers apply a change at once.
"""

from datetime import timedelta

from eventapi.cli import desk
from eventapi.cli.terminal import (
    Refused,
    changing,
    command,
    group,
    lists,
    opened,
    record,
    show,
    values,
)
from eventapi.domain.access import api_keys, invitations, notices, people, roles
from eventapi.errors import listed

COLUMNS = ["id", "name", "email", "role", "is_active", "last_seen_at"]


def register(commands):
    """Declare the commands."""
    admin = group(commands, "admin", "manage admins: people of the office, and owners of API keys")
    invited = command(
        admin,
        "invite",
        invite,
        "let a person sign in to the desk: mail a link, or print it",
        "eventapi admin invite 'Ada Lovelace' ada@example.org",
        "eventapi admin invite 'Grace Hopper' grace@example.org --role finance",
        "eventapi admin invite 3 --print                         # again, or an admin that exists",
    )
    invited.add_argument("name", metavar="NAME|ID", help="name of the person, or id of an admin")
    invited.add_argument("email", metavar="EMAIL", nargs="?", help="address of the person")
    _takes_rights(invited, "role of the person (default: owner if there is none)")
    invited.add_argument(
        "--print", action="store_true", help="print the link, even if mail is set up"
    )
    linked = command(
        admin,
        "link",
        make_link,
        "print a link that signs a person in to the desk, once",
        "eventapi admin link 2",
    )
    _takes_id(linked)
    desk.minutes_of_link(linked)
    rights = command(
        admin,
        "rights",
        change_rights,
        "change what a person may do at the desk",
        "eventapi admin rights 2 --role office",
        "eventapi admin rights 2 --scope applications --scope participants:read",
    )
    _takes_id(rights)
    _takes_rights(rights, "role of the person")
    _register_states(admin)
    _register_records(admin)


def _register_states(admin):
    enabled = command(
        admin,
        "enable",
        enable,
        "let an admin sign in again, and accept the API keys of the admin",
        "eventapi admin enable 2",
    )
    _takes_id(enabled)
    disabled = command(
        admin,
        "disable",
        disable,
        "disable an admin, with all sessions and API keys of the admin",
        "eventapi admin disable 2",
    )
    _takes_id(disabled)
    again = command(
        admin,
        "reset",
        reset,
        "remove password and second factor of a person, end all sessions, and print a link",
        "eventapi admin reset 2",
        "eventapi admin reset 2 --factor             # keep the password",
    )
    _takes_id(again)
    again.add_argument("--password", action="store_true", help="remove only the password")
    again.add_argument("--factor", action="store_true", help="remove only the second factor")


def _register_records(admin):
    add = command(
        admin,
        "add",
        add_admin,
        "add an admin who owns API keys and does not sign in, and print the id",
        "eventapi admin add 'Ada Lovelace' --email ada@example.org",
    )
    add.add_argument("name", metavar="NAME", help="name of the admin")
    add.add_argument("--email", help="email address of the admin")
    lists(
        command(
            admin,
            "list",
            list_admins,
            "list the admins",
            "eventapi admin list",
            "eventapi admin list --json",
        ),
        id="id of the admin",
        name="name",
        email="email address, or null",
        role="role at the desk: " + ", ".join(roles.ORDER) + "; or null without an account",
        scopes="list of what the person may do at the desk",
        is_active="false if the admin is disabled",
        has_password="true if the person has set a password",
        has_factor="true if the person has a second factor",
        invited_at="time of the last invitation, or null",
        last_seen_at="time of the last signing in, or null",
        created_at="time of creation",
    )


def _takes_id(parser):
    record(parser, "id", "admin list", "id of the admin, see 'eventapi admin list'")


def _takes_rights(parser, help):
    rights = parser.add_mutually_exclusive_group()
    rights.add_argument("--role", choices=tuple(roles.ROLES), help=help)
    scope = rights.add_argument(
        "--scope",
        action="append",
        metavar="SCOPE",
        help="scope in place of a role: events to read and write, events:read to read only, team to "
        "invite people; may be repeated",
    )
    values(scope, roles.OF_PEOPLE)


def _rights(args):
    """Return (role, scopes) of the command line, or (None, None)."""
    return (roles.CUSTOM, args.scope) if args.scope else (args.role, None)


def invite(args, config):
    lasts = invitations.LASTS[invitations.INVITATION]
    with changing(config) as db:
        id = _account(db, args)
        person = people.get(db, id)
        is_mailed = notices.can_mail(db.config) and not args.print
        if is_mailed:
            invitations.invite_by_mail(db, id)
        else:
            people.record_invitation(db, id, "shown")
            secret = people.make_secret(db, id, way="shown", lasts=lasts)
    if is_mailed:
        print(
            f"An invitation goes to {person['email']} ({person['role']}). Its link signs in once, "
            f"within {lasts.days} days."
        )
        return
    print(desk.address(config, secret))
    print(
        f"This link signs {person['name']} in once ({person['role']}), within {lasts.days} days. "
        "Give it to nobody else."
    )


def _account(db, args):
    """Return the id of the account that the command names. Make it if there is none."""
    role, scopes = _rights(args)
    is_known = args.name.isdecimal()
    person = people.existing(db, int(args.name)) if is_known else None
    if person and person["role"]:
        if role or args.email:
            raise Refused(
                f"{person['name']} has an account already; invite with the id alone, and change its "
                f"rights with 'eventapi admin rights {person['id']}'"
            )
        return person["id"]
    if role is None:
        if people.has_owner(db):
            raise Refused(
                f"--role is missing; use one of {listed(tuple(roles.ROLES), 'or')}, or --scope"
            )
        role = people.OWNER
    if person:
        people.open_account(db, person["id"], role, scopes, args.email)
        return person["id"]
    return people.invite(db, args.name, args.email, role, scopes)


def make_link(args, config):
    lasts = timedelta(minutes=args.minutes)
    with changing(config) as db:
        secret = people.make_secret(db, args.id, way="shown", lasts=lasts)
    desk.print_link(config, secret, args.minutes)


def change_rights(args, config):
    role, scopes = _rights(args)
    if role is None:
        args.parser.error("--role or --scope is missing")
    with changing(config) as db:
        people.change_rights(db, args.id, role, scopes)


def enable(args, config):
    with changing(config) as db:
        people.enable(db, args.id)


def disable(args, config):
    with changing(config) as db:
        people.disable(db, args.id)


def reset(args, config):
    is_both = args.password == args.factor
    with changing(config) as db:
        people.reset(db, args.id, password=is_both or args.password, factor=is_both or args.factor)
        secret = people.make_link(db, args.id)
    desk.print_link(config, secret, 15)


def add_admin(args, config):
    with changing(config) as db:
        id = api_keys.add_admin(db, args.name, args.email)
    print(id)


def list_admins(args, config):
    with opened(config) as db:
        show(args, people.all_people(db), COLUMNS)
