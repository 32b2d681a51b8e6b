"""Commands for payment gateways: their names and fees."""
from decimal import Decimal, InvalidOperation

from eventapi.cli.terminal import command, group, lists, opened, show


def register(commands):
    gateway = group(commands, "gateway", "payment gateways and their fees")
    add = command(gateway, "add", add_gateway, "adds a gateway")
    add.add_argument("key", metavar="KEY", help="what payments name it by")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--fee-percent", type=_number, default=Decimal(0), metavar="PERCENT")
    add.add_argument("--fee-fixed", type=_number, default=Decimal(0), metavar="AMOUNT", help="in the currency of the tenant")
    lists(command(gateway, "list", list_gateways, "lists the gateways"))
    command(gateway, "remove", remove_gateway, "removes a gateway; its payments stay").add_argument("key", metavar="KEY")


def _number(text):
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError from None
    if not number.is_finite() or number < 0:
        raise ValueError
    return number


def add_gateway(args, config):
    from eventapi.services import gateways
    with opened(config) as db, db.write():
        gateways.add(db, args.key, args.name, args.fee_percent, args.fee_fixed)


def list_gateways(args, config):
    from eventapi.services import gateways
    with opened(config) as db:
        rows = gateways.list_(db)
    show(args, rows, list(rows[0]) if rows else ["gateway_key", "name", "fee_percent", "fee_fixed"])


def remove_gateway(args, config):
    from eventapi.services import gateways
    with opened(config) as db, db.write():
        gateways.remove(db, args.key)
