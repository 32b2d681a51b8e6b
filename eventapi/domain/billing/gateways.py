"""Payment gateways of the tenant. A payment with the key of a gateway gets its name and fee.

Fees are in hundredths of a percent, and in minor units of the tenant's currency. Functions that
write are called inside a write transaction and journal the change.
"""

from eventapi import journal, money
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("gateways")
# gateway_key of what an offset has made: no money moves, and the gateway adds up to 0
OFFSET = "offset"
UNKNOWN = {"gateway_id": None, "gateway_name": None, "gateway_fee": 0}


def add(db, key, name, fee_percent=0, fee_fixed=0):
    """Create a gateway and return its row.

    Raise 409 `duplicate` for a taken key, and for that of offsets.
    """
    if key == OFFSET:
        raise Problem(
            "duplicate",
            f"The key {OFFSET} marks what an offset has made. Use another key.",
            member="gateway_key",
        )
    if db.one(sql.by_key, gateway_key=key):
        raise Problem(
            "duplicate",
            f"A gateway with the key {key} exists. Use another key, or remove it first.",
            member="gateway_key",
        )
    id = db.insert(
        sql.add,
        gateway_key=key,
        name=name,
        fee_percent=fee_percent,
        fee_fixed=fee_fixed,
        now=db.now,
    )
    gateway = db.one(sql.by_key, gateway_key=key)
    journal.administered(db, entities.GATEWAY, "created", id, title=key, new=represent(db, gateway))
    return gateway


def list_(db):
    """Return all gateways as `represent` does."""
    return [represent(db, row) for row in db.all(sql.list)]


def represent(db, row):
    """Return a gateway with its fees as they were entered: in percent, and in major units."""
    return {
        **row,
        "fee_percent": money.unscaled(row["fee_percent"], 2),
        "fee_fixed": money.major(row["fee_fixed"], db.config.currency),
    }


def remove(db, key):
    """Remove a gateway and return whether it existed. Its payments keep the key, name and fee."""
    gateway = db.one(sql.by_key, gateway_key=key)
    if gateway is None:
        return False
    db.run(sql.remove, id=gateway["id"])
    journal.administered(
        db, entities.GATEWAY, "deleted", gateway["id"], title=key, old=represent(db, gateway)
    )
    return True


def terms(db, key, amount, currency):
    """Return the columns gateway_id, gateway_name and gateway_fee of a payment of `amount` minor
    units.

    An offset has no gateway and costs nothing. The fixed fee is in the tenant's currency. It does not
    apply to payments in another currency.
    """
    gateway = key and key != OFFSET and db.one(sql.by_key, gateway_key=key)
    if not gateway:
        return UNKNOWN
    fee = money.divided(amount * gateway["fee_percent"], 10000)
    if currency == db.config.currency:
        fee += gateway["fee_fixed"]
    return {"gateway_id": gateway["id"], "gateway_name": gateway["name"], "gateway_fee": fee}
