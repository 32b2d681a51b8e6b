"""Commands for payment gateways: their names and fees."""
import re
from decimal import Decimal, InvalidOperation

from eventapi import money
from eventapi.cli.terminal import Refused, command, group, lists, opened, show
from eventapi.services import gateways

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", re.ASCII)
COLUMNS = ["gateway_key", "name", "fee_percent", "fee_fixed"]


def register(commands):
    gateway = group(commands, "gateway", "payment gateways and their fees")
    add = command(gateway, "add", add_gateway, "adds a gateway")
    add.add_argument("key", metavar="KEY", help="what payments name it by")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--fee-percent", default="0", metavar="PERCENT", help="at most two decimals (default 0)")
    add.add_argument("--fee-fixed", default="0", metavar="AMOUNT", help="in the tenant's currency (default 0)")
    lists(command(gateway, "list", list_gateways, "lists the gateways"))
    command(gateway, "remove", remove_gateway, "removes a gateway; its payments stay").add_argument("key", metavar="KEY")


def add_gateway(args, config):
    if not KEY.fullmatch(args.key):
        raise Refused(f"KEY {args.key!r}: must have 1 to 60 letters, digits, dots, hyphens or underscores")
    if not args.name.strip() or not args.name.isprintable():
        raise Refused("NAME must not be empty")
    percent = _units("--fee-percent", args.fee_percent, 2)
    if percent > 10000:
        raise Refused(f"--fee-percent {args.fee_percent}: must be at most 100")
    fixed = _units("--fee-fixed", args.fee_fixed, money.decimals(config.currency))
    with opened(config) as db, db.write():
        gateways.add(db, args.key, args.name.strip(), percent, fixed)


def _units(option, text, places):
    """A number as whole units of 10^-places."""
    try:
        units = money.scaled(Decimal(text), places)
    except (InvalidOperation, ValueError, OverflowError):
        units = None
    if units is None or not 0 <= units < 10 ** 12:
        raise Refused(f"{option} {text}: must be a number from 0 with at most {places} decimals")
    return units


def list_gateways(args, config):
    with opened(config) as db:
        rows = gateways.list_(db)
    show(args, [{**row, "fee_percent": money.unscaled(row["fee_percent"], 2),
                 "fee_fixed": money.major(row["fee_fixed"], config.currency)} for row in rows], COLUMNS)


def remove_gateway(args, config):
    with opened(config) as db, db.write():
        removed = gateways.remove(db, args.key)
    if not removed:
        raise Refused(f"there is no gateway {args.key}")
