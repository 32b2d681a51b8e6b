"""Lines of a service order, checked against the offers at the event, and priced by them.

A line holds `unit_price` and `net` in minor units and `tax_rate` in hundredths of a percent.
"""

from collections import Counter

from eventapi import money
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing import tax_terms, treatments
from eventapi.domain.orders import offers
from eventapi.domain.records import references
from eventapi.domain.records.references import SERVICE
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("ordering")

STORED = (
    "position",
    "service_id",
    "service_name",
    "unit",
    "quantity",
    "unit_price",
    "net",
    "tax_rate",
    "specification",
    "booth_id",
)


def lines(db, participant, items, faults):
    """Return the items of a body as lines at current prices, each with its `offer`.

    Add what is wrong to `faults`.

    `participant` is a row with id and event_id.
    """
    ids = [_service_id(db, item, f"/items/{place}", faults) for place, item in enumerate(items)]
    known = offers.at_event(db, participant["event_id"], sorted(set(ids) - {None}))
    held = db.values(sql.booths_held, **participant, now=db.now)
    so_far, rows = Counter(), []
    for place, (id, item) in enumerate(zip(ids, items, strict=True)):
        at, offer = f"/items/{place}", known.get(id)
        if id is None:
            continue  # _service_id has added the fault
        if offer is None or not offer["is_active"]:
            field = "service_id" if item.get("service_id") else "service_key"
            faults.add(
                f"{at}/{field}", "not_offered", "must be a service that is offered at this event"
            )
        else:
            so_far[id] += item["quantity"]
            _check_quantity(item["quantity"], so_far[id], offer, f"{at}/quantity", faults)
            _check_other_fields(item, offer, held, at, faults)
            rows.append(_line(item, offer, place, db.config.tax_rate))
    limit = money.LIMIT * 10 ** money.decimals(db.config.currency)
    if sum(row["net"] for row in rows) * 2 >= limit:  # the tax is at most 100 %
        faults.add("/items", "maximum", "must total less than 10^12 including tax")
    return rows


def _service_id(db, item, at, faults):
    """Return the id of the service of an item, or None. `at` is the JSON pointer of the item."""
    wrong = Faults()
    id = references.resolve(db, item, SERVICE, wrong, required=True)
    faults.below(at, wrong)
    return id


def _check_quantity(quantity, so_far, offer, at, faults):
    """Add faults for a quantity that the offer does not allow.

    Minimum and step apply to each item, the maximum to all items of a service together (`so_far`).
    """
    least, most, step = offer["min_quantity"], offer["max_quantity"], offer["quantity_step"]
    if quantity < least:
        faults.add(at, "minimum", f"must be at least {least}, but is {quantity}")
    elif (quantity - least) % step:
        faults.add(at, "step", f"must be {least} plus a multiple of {step}, but is {quantity}")
    if most is not None and so_far > most:
        scope = "" if so_far == quantity else " in all items of this service together"
        faults.add(at, "maximum", f"must be at most {most}{scope}, but is {so_far}")


def _check_other_fields(item, offer, held, at, faults):
    """Add faults for the specification and the booth.

    `held` are the ids of the booths of the participant.
    """
    if offer["requires_specification"] and not item.get("specification"):
        faults.add(f"{at}/specification", "required", f"is required for {offer['service_name']}")
    if item.get("booth_id") is not None and item["booth_id"] not in held:
        faults.add(
            f"{at}/booth_id",
            "not_reserved",
            "must be a booth that the participant has reserved at this event",
        )


def _line(item, offer, place, tax_rate):
    """Return an item at the index `place` as a line. `tax_rate` is the default rate of the tenant."""
    return {
        **{name: offer[name] for name in ("service_id", "service_name", "unit")},
        **{name: item.get(name) for name in ("quantity", "specification", "booth_id")},
        "position": place + 1,
        "unit_price": offer["price"],
        "net": item["quantity"] * offer["price"],
        "tax_rate": tax_rate if offer["tax_rate"] is None else offer["tax_rate"],
        "offer": offer,
    }


def refuse_late_and_short(rows):
    """Raise 409 `deadline_passed` or `out_of_stock` if a line can no longer be ordered."""
    known = {row["service_id"]: row["offer"] for row in rows}
    for service_id, quantity in quantities(rows).items():
        offer = known[service_id]
        if offer["is_over"]:
            raise Problem(
                "deadline_passed",
                f"{offer['service_name']} could be ordered until {offer['last_day']}. "
                "Remove it from the order.",
                service_id=service_id,
                service_key=offer["service_key"],
                order_deadline=offer["last_day"],
            )
        offers.refuse_short(offer, quantity)


def quantities(rows):
    """Return {service id: quantity}, sorted by id."""
    wanted = Counter()
    for row in rows:
        wanted[row["service_id"]] += row["quantity"]
    return dict(sorted(wanted.items()))


def uncancelled(items):
    """Return the items that are not cancelled."""
    return [item for item in items if item["status"] != "cancelled"]


def stored(line):
    """Return the columns of a line that a new or changed order stores."""
    return {name: line[name] for name in STORED}


def taxes(db, participant_id, lines):
    """Return the tax groups of the lines of a participant's order: those of its invoice, as the rule
    decides them now.
    """
    if not lines:
        return []
    ids = as_json(sorted({line["service_id"] for line in lines}))
    services = {row["id"]: row for row in db.all(sql.taxes_of_services, ids=ids)}
    rows = [_taxed(line, services[line["service_id"]]) for line in lines]
    terms = tax_terms.of_participant(db, participant_id)
    return invoice_lines.taxes(treatments.by_rule(terms, rows))


def _taxed(line, service):
    """Return a line with its usual tax, as billing takes it."""
    if service["exemption_reason"] and not line["tax_rate"]:
        tax = invoice_lines.taxed("E", 0, service["exemption_reason"])
    else:
        tax = invoice_lines.taxed("S" if line["tax_rate"] else "Z", line["tax_rate"])
    place = service["place_of_supply"]
    return {**invoice_lines.NEW, "net": line["net"], **tax, "place_of_supply": place}
