"""Commands for flags and the plan tier; running servers follow at once."""
from eventapi.cli.terminal import command, group, lists, opened, show
from eventapi.services import credentials


def register(commands):
    flag = group(commands, "flag", "feature switches")
    lists(command(flag, "list", list_flags, "lists the flags"))
    command(flag, "enable", enable_flag, "switches a feature on").add_argument("name", metavar="NAME")
    command(flag, "disable", disable_flag, "switches a feature off").add_argument("name", metavar="NAME")
    tier = group(commands, "tier", "the plan tier of the tenant")
    lists(command(tier, "show", show_tier, "prints the tier"))
    command(tier, "set", set_tier, "sets the tier: Starter, Business or Business+").add_argument("name", metavar="NAME")


def list_flags(args, config):
    with opened(config) as db:
        show(args, credentials.flags(db), ["name", "enabled"])


def enable_flag(args, config):
    with opened(config) as db, db.write():
        credentials.set_flag(db, args.name, True)


def disable_flag(args, config):
    with opened(config) as db, db.write():
        credentials.set_flag(db, args.name, False)


def show_tier(args, config):
    with opened(config) as db:
        tier = credentials.tier(db)
    print(f'{{"tier": "{tier}"}}' if args.json else tier)


def set_tier(args, config):
    with opened(config) as db, db.write():
        credentials.set_tier(db, args.name)
