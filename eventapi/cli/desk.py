"""Commands for the desk of the office: one-time links, and the sessions that are open."""

import argparse

from eventapi.cli.terminal import changing, command, group, lists, opened, record, show, values
from eventapi.domain.access import api_keys, links, people, roles, sessions

COLUMNS = ["id", "admin_name", "opened_by", "created_at", "last_used_at"]
MOST_MINUTES = 24 * 60


def register(commands):
    """Declare the commands."""
    desk = group(commands, "desk", "let people of the office sign in to the desk in the browser")
    link = command(
        desk,
        "link",
        make_link,
        "print a link that signs an admin in to the desk, once",
        "eventapi desk link 2 --scope applications --scope participants --scope booths",
        "eventapi desk link 2 --all-scopes --minutes 60",
        "eventapi desk link 2                      # the rights of the person, or to look only",
    )
    record(link, "id", "admin list", "id of the admin, see 'eventapi admin list'")
    scopes = link.add_mutually_exclusive_group()
    scope = scopes.add_argument(
        "--scope",
        action="append",
        metavar="SCOPE",
        help="scope of the session, as of an API key; may be repeated. Without it, the session has "
        "the rights of the person, and that of an admin without an account only reads",
    )
    values(scope, roles.OF_PEOPLE)
    scopes.add_argument("--all-scopes", action="store_true", help="give the session all scopes")
    minutes_of_link(link)
    lists(
        command(
            desk,
            "sessions",
            list_sessions,
            "list the open sessions of the desk",
            "eventapi desk sessions",
        ),
        id="id of the session",
        admin_name="name of the admin",
        opened_by="key (API key), link or password",
        created_at="time of signing in",
        last_used_at="time of the first request in the hour (UTC) of the last one",
    )
    end = command(
        desk,
        "end",
        end_sessions,
        "end sessions of the desk at once",
        "eventapi desk end 7",
        "eventapi desk end --admin 2",
        "eventapi desk end --all",
    )
    which = end.add_mutually_exclusive_group(required=True)
    record(which, "id", "desk sessions", "id of a session, see 'eventapi desk sessions'", nargs="?")
    record(
        which,
        "--admin",
        "admin list",
        "all sessions of this admin, also those of the admin's API keys",
    )
    which.add_argument("--all", action="store_true", help="all sessions of everybody")


def minutes_of_link(parser):
    """Declare the option --minutes of a command that prints a link."""
    parser.add_argument(
        "--minutes",
        type=_minutes,
        default=15,
        metavar="MINUTES",
        help="minutes in which the link can be opened (default: 15)",
    )


def _minutes(text):
    """Return a number of minutes, at most a day."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_MINUTES:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be a whole number of minutes from 1 to {MOST_MINUTES}"
        )
    return int(text)


def make_link(args, config):
    scopes = api_keys.SCOPES if args.all_scopes else args.scope
    with changing(config) as db:
        secret = people.make_link(db, args.id, scopes, args.minutes)
    print_link(config, secret, args.minutes)


def print_link(config, secret, minutes):
    """Print the link of a secret that signs a person in, and how long it does."""
    print(address(config, secret))
    print(
        f"This link signs in once, within {minutes} minutes. Give it to nobody but the person it is for."
    )


def address(config, secret):
    """Return the address of the link of a secret."""
    return links.address(config.base_url or f"http://{config.bind}", secret)


def list_sessions(args, config):
    with opened(config) as db:
        show(args, sessions.at_desk(db), COLUMNS)


def end_sessions(args, config):
    with changing(config) as db:
        if args.id:
            sessions.end_by_id(db, args.id)
            return
        ids = [args.admin] if args.admin else [person["id"] for person in people.all_people(db)]
        count = sum(people.end_sessions(db, id) for id in ids)
    print(f"{count} {'session' if count == 1 else 'sessions'} ended")
