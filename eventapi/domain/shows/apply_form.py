"""What the form of exhibitors asks: `apply_form` of the pages of an event, a list of {field, ask}.

`field` is one of FIELDS or `custom.KEY`, for a custom field of applications; `ask` is required or
optional. What is not listed is not asked. The e-mail address is always asked, and a company or a last
name is always needed.
"""

import json

from eventapi import money
from eventapi.domain.halls import booth_rows, pricing
from eventapi.domain.records import field_definitions
from eventapi.errors import Faults
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("apply_form")

# Field -> fields of an application that it asks for.
FIELDS = {
    "company_name": ("company_name",),
    "person": ("first_name", "last_name"),
    "phone": ("phone",),
    "address": ("address", "postal_code", "city", "country"),
    "website": ("website",),
    "tax_id": ("tax_id",),
    "is_business": ("is_business",),
    "categories": ("category_keys",),
    "booth_type": ("booth_type_key",),
    "requested_area": ("requested_area",),
    "message": ("message",),
}
CUSTOM = "custom."  # what the name of a custom field begins with
# What a new event asks; `booth_type` once a booth type has a usual size. Questions of the organiser
# follow before the message.
FIRST = (
    ("company_name", "optional"),
    ("person", "required"),
    ("phone", "optional"),
    ("address", "required"),
    ("categories", "optional"),
)
LAST = ("message", "optional")


def default(db):
    """Return what the form of an event asks that nobody has set up."""
    return _default(db.value(sql.has_sizes), field_definitions.editable(db))


def _default(has_sizes, questions):
    found = list(FIRST)
    if has_sizes:
        found.append(("booth_type", "optional"))
    for row in questions:
        ask = "required" if row["is_required"] else "optional"
        found.append((CUSTOM + row["field_key"], ask))
    return [{"field": field, "ask": ask} for field, ask in (*found, LAST)]


def custom_keys(form):
    """Return the keys of the custom fields that a form asks for."""
    return [each["field"].removeprefix(CUSTOM) for each in form if is_custom(each["field"])]


def is_custom(field):
    """Return whether a field is a custom field of applications."""
    return field.startswith(CUSTOM)


def check(db, form, old, at="/apply_form"):
    """Raise 422 for a field that is listed twice, and for a custom field that applicants cannot fill
    in, unless it stands in the form `old`.
    """
    faults = Faults()
    known = {row["field_key"] for row in field_definitions.editable(db)} | set(custom_keys(old))
    named = [each["field"] for each in form]
    for place, field in enumerate(named):
        if field in named[:place]:
            faults.add(
                f"{at}/{place}/field", "repeated", f"repeats {field}, which is listed already"
            )
        elif is_custom(field) and field.removeprefix(CUSTOM) not in known:
            faults.add(
                f"{at}/{place}/field",
                "unknown",
                "is unknown: no custom field of applications that is `editable` has the key "
                f"{field.removeprefix(CUSTOM)}",
            )
    faults.raise_any()


# Sizes of booths


def sizes(db, event_id):
    """Return the booth types that the form of an event offers as sizes, as `_offered` does."""
    return _offered(db.one(sql.forms, event_ids=as_json([event_id])))


def _offered(row):
    """Return the sizes that a row of `forms` offers: {id, booth_type_key, booth_type_name, description,
    usual_width, usual_depth, tax_rate, net, available}.

    `net` is the price of the usual size in minor units, `tax_rate` in hundredths of a percent, and None
    for that of the tenant. `available` is how many booths are free, None unless the pages show the plans.
    `booth_types` of the pages limits the offer.
    """
    allowed = json.loads(row["booth_types"])
    found = []
    for size in json.loads(row["sizes"]):
        if allowed and size["booth_type_key"] not in allowed:
            continue
        area = size["usual_width"] * size["usual_depth"]
        net = pricing.price_of(size["price_model"], size["price"], size["usual_width"], area)
        available = size["available"] if row["show_plan"] else None
        found.append({**size, "net": net, "available": available})
    return found


def add_forms(db, events):
    """Add the field `form` to each API object of a list of events: what its form asks, and the sizes
    of booths. Their prices are null unless the form shows prices.
    """
    ids = as_json([event["id"] for event in events])
    rows = {row["id"]: row for row in db.all(sql.forms, event_ids=ids)}
    for event in events:
        row = rows[event["id"]]
        offered = _offered(row)
        questions = json.loads(row["questions"])
        if row["apply_form"] is None:
            asked = _default(json.loads(row["sizes"]), questions)
        else:
            asked = _that_exist(json.loads(row["apply_form"]), questions)
        event["form"] = {
            "fields": asked,
            "price_display": row["price_display"],
            "booth_types": [_as_offered(db, row, size) for size in offered],
        }


def _that_exist(form, questions):
    """Return what a form asks without the questions that are gone or switched off."""
    known = {CUSTOM + row["field_key"] for row in questions}
    return [each for each in form if not is_custom(each["field"]) or each["field"] in known]


def _as_offered(db, row, size):
    """Return a size as the API has it. `row` is that of `forms`."""
    found = {
        "booth_type_key": size["booth_type_key"],
        "booth_type_name": size["booth_type_name"],
        "description": size["description"],
        "width": booth_rows.metres(size["usual_width"]),
        "depth": booth_rows.metres(size["usual_depth"]),
        "available": size["available"],
        "price": None,
        "tax_rate": None,
    }
    if row["show_prices"]:
        found["price"] = money.major(size["net"], db.config.currency)
        found["tax_rate"] = money.unscaled(size["tax_rate"], 2)
    return found
