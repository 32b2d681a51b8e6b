"""Commands for payment gateways, their names and fees."""

import re
from decimal import Decimal, InvalidOperation

from eventapi import money
from eventapi.cli.terminal import Refused, changing, command, group, lists, opened, show
from eventapi.domain.billing import gateways
from eventapi.errors import not_found

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", re.ASCII)
COLUMNS = ["gateway_key", "name", "fee_percent", "fee_fixed"]


def register(commands):
    """Declare the commands."""
    gateway = group(commands, "gateway", "manage payment gateways and their fees")
    add = command(
        gateway,
        "add",
        add_gateway,
        "add a payment gateway",
        "eventapi gateway add stripe Stripe --fee-percent 1.5 --fee-fixed 0.25",
    )
    add.add_argument("key", metavar="KEY", help="key of the gateway in payments (gateway_key)")
    add.add_argument("name", metavar="NAME", help="name of the gateway for people")
    add.add_argument(
        "--fee-percent",
        default="0",
        metavar="PERCENT",
        help="fee in percent of the amount, with at most two decimals (default: 0)",
    )
    add.add_argument(
        "--fee-fixed",
        default="0",
        metavar="AMOUNT",
        help="fee for each payment, in the currency of the option currency (default: 0)",
    )
    lists(
        command(
            gateway, "list", list_gateways, "list the payment gateways", "eventapi gateway list"
        ),
        gateway_key="key of the gateway in payments",
        name="name for people",
        fee_percent="fee in percent",
        fee_fixed="fee for each payment, in the currency of the option currency",
        created_at="time of creation",
    )
    remove = command(
        gateway,
        "remove",
        remove_gateway,
        "remove a payment gateway; its payments are kept",
        "eventapi gateway remove stripe",
    )
    remove.add_argument(
        "key", metavar="KEY", help="key of the gateway, see 'eventapi gateway list'"
    )


def add_gateway(args, config):
    """Add a gateway. Raise Refused for an argument that is not valid."""
    if not KEY.fullmatch(args.key):
        raise Refused(
            f"KEY {args.key!r} must begin with a letter or digit and have at most 60 letters, digits, dots, "
            "hyphens or underscores"
        )
    if not args.name.strip() or not args.name.isprintable():
        raise Refused(f"NAME {args.name!r} must have printable characters only, and at least one")
    percent = _units("--fee-percent", args.fee_percent, 2)
    if percent > 10000:
        raise Refused(f"--fee-percent {args.fee_percent!r} must be at most 100")
    with changing(config) as db:
        fixed = _units("--fee-fixed", args.fee_fixed, money.decimals(db.config.currency))
        gateways.add(db, args.key, args.name.strip(), percent, fixed)


def _units(option, text, places):
    """Return the number in units of 10^-places."""
    try:
        units = money.scaled(Decimal(text), places)
    except (InvalidOperation, ValueError, OverflowError):
        units = None
    if units is None or not 0 <= units < 10**12:
        raise Refused(
            f"{option} {text!r} must be a number of at least 0 with at most {places} decimals, such as "
            f"{0:.{places}f}"
        )
    return units


def list_gateways(args, config):
    with opened(config) as db:
        show(args, gateways.list_(db), COLUMNS)


def remove_gateway(args, config):
    with changing(config) as db:
        removed = gateways.remove(db, args.key)
    if not removed:
        raise not_found("payment gateway", args.key)
