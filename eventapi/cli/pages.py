"""Commands for the public pages of events."""

from eventapi.cli.terminal import Refused, command, group, lists, opened, print_json
from eventapi.domain.shows import settings
from eventapi.errors import not_found


def register(commands):
    """Declare the commands."""
    pages = group(
        commands, "pages", "see what the public pages of an event show, and what they lack"
    )
    check = command(
        pages,
        "check",
        check_pages,
        "say what is public, what is missing, and what to do",
        "eventapi pages check garden-fair-2027",
    )
    lists(
        check,
        what="what was looked at",
        state="public, hidden, missing or advice",
        remedy="what to do, or null",
    )
    check.add_argument("event_key", metavar="EVENT_KEY", help="key of the event")


def check_pages(args, config):
    """Print what is public and what is missing.

    Refuse if the pages are not public because something is missing.
    """
    with opened(config) as db, db.snapshot():
        pages = settings.by_key(db, args.event_key)
        if pages is None:
            raise not_found("event", args.event_key)
        rows = settings.review(db, pages, config.base_url)
    if args.json:
        print_json(rows)
    else:
        for row in rows:
            print(
                f"{row['state']:8}  {row['what']}" + (f": {row['remedy']}" if row["remedy"] else "")
            )
    missing = [row["what"] for row in rows if row["state"] == "missing"]
    if missing:
        raise Refused(f"the pages of {args.event_key} cannot be public: {', '.join(missing)}")
