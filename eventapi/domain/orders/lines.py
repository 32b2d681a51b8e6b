"""The lines of a service order: checked against the offers at the event, and priced by them."""
from collections import Counter

from eventapi import money
from eventapi.domain.orders import offers
from eventapi.domain.records import references
from eventapi.domain.records.references import SERVICE
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements

sql = statements("ordering")

STORED = ("position", "service_id", "service_name", "unit", "quantity", "unit_price", "net", "tax_rate", "specification", "booth_id")


def lines(db, participant, items, faults):
    """Items of a body as rows at the prices of now, each with its `offer`; what is wrong with them goes to `faults`."""
    ids = [_service_id(db, item, f"/items/{place}", faults) for place, item in enumerate(items)]
    known = offers.at_event(db, participant["event_id"], sorted(set(ids) - {None}))
    held = db.values(sql.booths_held, **participant, now=db.now)
    so_far, rows = Counter(), []
    for place, (id, item) in enumerate(zip(ids, items)):
        at, offer = f"/items/{place}", known.get(id)
        if id is not None and (offer is None or not offer["is_active"]):
            faults.add(f"{at}/{'service_id' if item.get('service_id') else 'service_key'}", "not_offered", "is not offered at this event")
        elif id is not None:
            so_far[id] += item["quantity"]
            _check_quantity(item["quantity"], so_far[id], offer, f"{at}/quantity", faults)
            _check_rest(item, offer, held, at, faults)
            rows.append(_line(item, offer, place, db.config.tax_rate))
    if sum(row["net"] for row in rows) * 2 >= money.LIMIT * 10 ** money.decimals(db.config.currency):     # tax is at most as much again
        faults.add("/items", "maximum", "must come to less than 10^12 with tax")
    return rows


def _service_id(db, item, at, faults):
    wrong = Faults()
    id = references.resolve(db, item, SERVICE, wrong, required=True)
    faults.below(at, wrong)
    return id


def _check_quantity(quantity, so_far, offer, at, faults):
    """The least and the step hold for each item, the most for all items of a service together."""
    least, most, step = offer["min_quantity"], offer["max_quantity"], offer["quantity_step"]
    if quantity < least:
        faults.add(at, "minimum", f"must be at least {least}")
    elif (quantity - least) % step:
        faults.add(at, "step", f"must go up from {least} in steps of {step}")
    if most is not None and so_far > most:
        faults.add(at, "maximum", f"must be at most {most}" if so_far == quantity else f"must come to at most {most} in all items")


def _check_rest(item, offer, held, at, faults):
    if offer["requires_specification"] and not item.get("specification"):
        faults.add(f"{at}/specification", "required", f"is required for {offer['service_name']}")
    if item.get("booth_id") is not None and item["booth_id"] not in held:
        faults.add(f"{at}/booth_id", "not_reserved", "must be a booth that the participant has reserved at this event")


def _line(item, offer, place, tax_rate):
    """`tax_rate` is the tenant's, for services without their own."""
    return {**{name: offer[name] for name in ("service_id", "service_name", "unit")},
            **{name: item.get(name) for name in ("quantity", "specification", "booth_id")}, "position": place + 1,
            "unit_price": offer["price"], "net": item["quantity"] * offer["price"],
            "tax_rate": tax_rate if offer["tax_rate"] is None else offer["tax_rate"], "offer": offer}


def refuse_late_and_short(rows):
    """409 where it is too late to order, or where less is left than is wanted."""
    known = {row["service_id"]: row["offer"] for row in rows}
    for service_id, quantity in quantities(rows).items():
        offer = known[service_id]
        if offer["is_over"]:
            raise Problem("deadline_passed", f"{offer['service_name']} could be ordered until {offer['last_day']}.",
                          service_id=service_id, service_key=offer["service_key"], order_deadline=offer["last_day"])
        offers.refuse_short(offer, quantity)


def quantities(rows):
    """service_id -> how many, in a fixed order."""
    wanted = Counter()
    for row in rows:
        wanted[row["service_id"]] += row["quantity"]
    return dict(sorted(wanted.items()))


def live(items):
    """Those that are not cancelled."""
    return [item for item in items if item["status"] != "cancelled"]


def stored(line):
    """The columns of a line that a new or changed order writes."""
    return {name: line[name] for name in STORED}


def taxed(line):
    """The line as the taxes of an invoice want it."""
    return {"net": line["net"], "tax_rate": line["tax_rate"], "tax_category": "S" if line["tax_rate"] else "Z",
            "exemption_reason": None}
