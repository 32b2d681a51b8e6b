"""Commands for links, with which people act without an API key."""

import sys

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
from eventapi.domain.access import links
from eventapi.domain.portal import granting
from eventapi.domain.shows import settings
from eventapi.errors import Problem, not_found
from eventapi.pictures import qr

MOST = 50  # devices of a door
# Black on white, whatever the colours of the terminal are: upper and lower half of a character,
# each dark or light.
HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
COLOURS, PLAIN = "\x1b[30;107m", "\x1b[0m"
QUIET = 2  # modules around the code


def register(commands):
    """Declare the commands."""
    link = group(commands, "link", "manage links, with which people act without an API key")
    create = group(link, "create", "make a link")
    door = command(
        create,
        "door",
        create_door,
        "make the link of an entrance, and print its address and QR code",
        "eventapi link create door garden-fair-2027 --station 'Entrance West'",
        "eventapi link create door garden-fair-2027 --station Counter --search",
    )
    door.add_argument("event_key", metavar="EVENT_KEY", help="key of the event")
    door.add_argument(
        "--station", help="name of the entrance (default: each device is asked for it)"
    )
    door.add_argument(
        "--devices",
        type=int,
        default=links.DEVICES,
        metavar="N",
        help=f"devices that may use the link at the same time, 1 to {MOST} (default: {links.DEVICES})",
    )
    door.add_argument(
        "--search", action="store_true", help="let the devices search for people by name"
    )
    every = command(
        link,
        "list",
        list_links,
        "list the links of exhibitors, applicants and doors",
        "eventapi link list",
        "eventapi link list --event garden-fair-2027 --kind door",
    )
    every.add_argument("--event", metavar="EVENT_KEY", help="only those of this event")
    values(
        every.add_argument("--kind", metavar="KIND", help="only those of this kind"),
        granting.SUBJECTS,
    )
    lists(
        every,
        id="id of the link",
        kind="participant, application or door",
        event_key="key of its event",
        name="whom it is for",
        email="address to which it is mailed",
        status="active, expired or revoked",
        ends_at="end of its life (UTC), empty without one",
        last_used_at="time of its last sign-in (UTC), empty before the first one",
    )
    shown = command(
        link,
        "show",
        show_link,
        "print a new address and QR code of a link, for one further device",
        "eventapi link show 3",
    )
    record(shown, "id", "link list", "id of the link, see 'eventapi link list'")
    revoke = command(
        link,
        "revoke",
        revoke_link,
        "end a link and all its sessions for ever",
        "eventapi link revoke 3",
    )
    record(revoke, "id", "link list", "id of the link, see 'eventapi link list'")
    lists(
        command(
            link, "devices", list_devices, "list the devices at the doors", "eventapi link devices"
        ),
        id="id of the device",
        link_id="id of its link",
        station="name of the entrance",
        event_title="its event",
        created_at="time of signing in",
        last_used_at="time of the first request in the hour (UTC) of the last one",
    )
    end = command(
        link,
        "end-device",
        end_device,
        "end one device at a door: it deletes its list of badges",
        "eventapi link end-device 7",
    )
    record(end, "id", "link devices", "id of the device, see 'eventapi link devices'")


def create_door(args, config):
    base = base_url(config)
    if not 1 <= args.devices <= MOST:
        raise Refused(f"--devices {args.devices} must be from 1 to {MOST}")
    if args.station is not None and not 1 <= len(args.station.strip()) <= 60:
        raise Refused("--station must have 1 to 60 characters")
    with changing(config) as db:
        event = settings.by_key(db, args.event_key)
        if event is None:
            raise not_found("event", args.event_key)
        link = links.create(
            db,
            "door",
            event_id=event["id"],
            name=args.station or args.event_key,
            station=args.station,
            devices=args.devices,
            rights=["search"] if args.search else [],
        )
        secret = links.add_secret(db, link, "shown")
    print_address(link, links.address(base, secret))


def list_links(args, config):
    if args.kind not in (None, *granting.SUBJECTS):
        raise Refused(f"--kind {args.kind} must be one of {', '.join(granting.SUBJECTS)}")
    with opened(config) as db:
        event = args.event and settings.by_key(db, args.event)
        if args.event and event is None:
            raise not_found("event", args.event)
        rows = links.every(db, event_id=event and event["id"], kind=args.kind)
        show(
            args,
            rows,
            ["id", "kind", "event_key", "name", "email", "status", "ends_at", "last_used_at"],
        )


def show_link(args, config):
    base = base_url(config)
    with changing(config) as db:
        link = links.get(db, args.id)
        if link is None:
            raise not_found("link", args.id)
        if link["status"] != "active":
            raise Refused(
                f"link {args.id} is {link['status']}; make a new one with 'eventapi link create'"
            )
        secret = links.show(db, link)
    print_address(link, links.address(base, secret))


def revoke_link(args, config):
    with changing(config) as db:
        link = links.get(db, args.id)
        if link is None:
            raise not_found("link", args.id)
        links.revoke(db, link)


def list_devices(args, config):
    with opened(config) as db:
        show(
            args,
            links.devices(db),
            ["id", "link_id", "station", "event_title", "created_at", "last_used_at"],
        )


def end_device(args, config):
    with changing(config) as db:
        links.end_device(db, args.id)


def base_url(config):
    """Return the address of the server.

    Refuse if only this machine can open it, or if it is not known.
    """
    if config.base_url:
        return config.base_url
    if config.bind.startswith(("127.0.0.1:", "localhost:")):
        return f"http://{config.bind}"
    raise Refused("the public address of the service is not known; set the option base_url")


def print_address(link, address):
    """Print a link, with its QR code if a person reads it."""
    print(
        f"link {link['id']}, {link['event_title'] or ''}{', ' if link['station'] else ''}{link['station'] or ''}"
    )
    print(address)
    if link["kind"] == "door":
        print(
            "One device can open it within 10 minutes. For another device: "
            f"eventapi link show {link['id']}"
        )
    if sys.stdout.isatty():
        try:
            rows = qr.modules(address, "L")
        except Problem as problem:
            print(problem.detail)
        else:
            print("\n".join(drawn(rows)))


def drawn(rows):
    """Yield the lines of a QR code for a terminal, two rows of modules in each."""
    width = len(rows) + 2 * QUIET
    edge = [(False,) * width] * QUIET
    rows = [*edge, *((False,) * QUIET + tuple(row) + (False,) * QUIET for row in rows), *edge]
    rows += [(False,) * width] * (len(rows) % 2)
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        yield COLOURS + "".join(HALVES[pair] for pair in zip(upper, lower, strict=True)) + PLAIN
