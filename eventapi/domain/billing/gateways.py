"""Payment gateways of the tenant: a known key fills name and fee of a payment."""
from eventapi import journal, money
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("gateways")
UNKNOWN = {"gateway_id": None, "gateway_name": None, "gateway_fee": 0}


def add(db, key, name, fee_percent=0, fee_fixed=0):
    """A new gateway; gives it. Fees in hundredths of a percent and in minor units of the tenant's currency."""
    if db.one(sql.by_key, gateway_key=key):
        raise Problem("duplicate", f"There is a gateway {key}.", member="gateway_key")
    id = db.insert(sql.add, gateway_key=key, name=name, fee_percent=fee_percent, fee_fixed=fee_fixed, now=db.now)
    gateway = db.one(sql.by_key, gateway_key=key)
    journal.administered(db, entities.GATEWAY, "created", id, title=key, new=gateway)
    return gateway


def list_(db):
    return db.all(sql.list)


def remove(db, key):
    """Takes a gateway away; its payments keep key, name and fee. False when there is none."""
    gateway = db.one(sql.by_key, gateway_key=key)
    if gateway is None:
        return False
    db.run(sql.remove, id=gateway["id"])
    journal.administered(db, entities.GATEWAY, "deleted", gateway["id"], title=key, old=gateway)
    return True


def terms(db, key, amount, currency):
    """What a gateway makes of a payment: gateway_id, gateway_name, gateway_fee. The fixed fee is in the tenant's currency
    and so left out of payments in another one."""
    gateway = key and db.one(sql.by_key, gateway_key=key)
    if not gateway:
        return UNKNOWN
    fee = money.divided(amount * gateway["fee_percent"], 10000)
    if currency == db.config.currency:
        fee += gateway["fee_fixed"]
    return {"gateway_id": gateway["id"], "gateway_name": gateway["name"], "gateway_fee": fee}
