"""Commands for feature flags and the plan tier. Running servers apply a change from the next request on."""
from eventapi.cli.terminal import changing, command, group, lists, opened, show, values
from eventapi.domain.access import api_keys


def register(commands):
    flag = group(commands, "flag", "manage feature flags")
    lists(command(flag, "list", list_flags, "list the feature flags", "eventapi flag list"))
    for name, run in (("enable", enable_flag), ("disable", disable_flag)):
        enable = command(flag, name, run, f"{name} a feature", f"eventapi flag {name} plans")
        values(enable.add_argument("name", metavar="NAME", help="name of the flag: " + ", ".join(api_keys.FLAGS)),
               api_keys.FLAGS)
    tier = group(commands, "tier", "manage the plan tier")
    lists(command(tier, "show", show_tier, "print the plan tier", "eventapi tier show"))
    set_ = command(tier, "set", set_tier, "set the plan tier", "eventapi tier set Business+")
    values(set_.add_argument("name", metavar="NAME", help="Starter, Business or Business+"), api_keys.TIERS)


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
    print(f'{{"tier": "{tier}"}}' if args.json else tier)


def set_tier(args, config):
    with changing(config) as db:
        api_keys.set_tier(db, args.name)
