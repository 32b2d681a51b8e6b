"""The fields of the forms of a show, and the body of POST /applications that a form means."""

from eventapi import money
from eventapi.domain.public_forms import openings
from eventapi.domain.records import field_definitions
from eventapi.languages import countries, formats
from eventapi.pages.show.views import PACKAGE
from eventapi.web.html import forms, page_requests
from eventapi.web.html.forms import Field

# name -> kind, autocomplete, whether it is required
PERSON = {
    "first_name": ("text", "given-name", False),
    "last_name": ("text", "family-name", False),
    "email": ("email", "email", True),
}
FIELDS = {
    "apply": {
        "company_name": ("text", "organization", False),
        **PERSON,
        "phone": ("tel", "tel", False),
        "address": ("text", "street-address", False),
        "postal_code": ("text", "postal-code", False),
        "city": ("text", "address-level2", False),
        "country": ("select", "country", True),
        "website": ("url", "url", False),
        "tax_id": ("text", "off", False),
    },
    "visit": {
        **PERSON,
        "last_name": ("text", "family-name", True),
        "company_name": ("text", "organization", False),
    },
}


def fields_of(db, show, form, language):
    """Return the fields of a form of a show: those of everybody, its categories, and custom fields."""
    word = page_requests.words(PACKAGE, language)
    nations = sorted(
        ((code, countries.name(code, language)) for code in countries.NAMES),
        key=lambda pair: pair[1],
    )
    found = [
        Field(
            name,
            f"/{name}",
            word[f"field_{name}"],
            kind,
            needed,
            autocomplete=autocomplete,
            options=nations if name == "country" else [],
        )
        for name, (kind, autocomplete, needed) in FIELDS[form].items()
    ]
    categories = openings.categories(db, show, form)
    if categories:
        options = [(row["category_key"], shown(db, show, row, language)) for row in categories]
        found.append(
            Field("category", "/category_keys/0", word["field_category"], "select", True, options)
        )
    if form == "apply":
        found.append(
            Field("requested_area", "/requested_area", word["field_requested_area"], "number")
        )
    for row in field_definitions.editable(db):
        if form == "apply" or row["field_key"] in show["visit_fields"]:
            options = [(each["value"], each["label"]) for each in row["field_options"] or []]
            found.append(
                Field(
                    f"custom.{row['field_key']}",
                    f"/custom_fields/{row['field_key']}",
                    row["field_label"],
                    forms.LABELS[row["field_type"]],
                    row["is_required"],
                    options,
                )
            )
    if form == "apply":
        found += [
            Field("message", "/message", word["field_message"], "textarea"),
            Field("terms", "/terms_accepted_at", word["field_terms"], "checkbox", True),
        ]
    return found


def shown(db, show, category, language):
    """Return the name of a category with that of its group, and with its price if the form shows
    prices.
    """
    currency = db.config.currency
    price = show["show_prices"] and money.major(category["base_price"], currency)
    return " · ".join(
        filter(
            None,
            (
                category["parent_title"],
                category["title"],
                price and formats.money(price, currency, language),
            ),
        )
    )


def body_from(fields, given, show, form, language, now, country):
    """Return the body of POST /applications that a form means.

    `country` is that of visitors, who are not asked.
    """
    values = {each.name: each.value(given, language) for each in fields}
    custom = {
        name.partition(".")[2]: value
        for name, value in values.items()
        if name.startswith("custom.") and value not in (None, [])
    }
    body = {
        name: values[name]
        for name in (*FIELDS[form], "requested_area", "message")
        if values.get(name) is not None
    }
    # The application deadline is that of exhibitors.
    return {
        "country": country,
        **body,
        "late": form == "visit",
        "language": language,
        "event_keys": [show["event_key"]],
        "category_keys": [values["category"]] if values.get("category") else [],
        "terms_accepted_at": now if values.get("terms") else None,
        "custom_fields": custom,
    }


def only_category(fields):
    """Return the category of a form that offers one only, as what was given; {} if there is a
    choice.
    """
    found = [
        each.options[0][0] for each in fields if each.name == "category" and len(each.options) == 1
    ]
    return {"category": found} if found else {}


def not_offered(given, fields):
    """Return whether the chosen category is none of those that the form offers, such as one that is
    full now.
    """
    chosen = given.get("category", [""])[0]
    return chosen and any(
        chosen not in dict(each.options) for each in fields if each.name == "category"
    )


def missing(given, fields):
    """Return the names of the required fields that are empty, as faults.

    A company or a person must be named.
    """

    def is_empty(*names):
        return not any(text.strip() for name in names for text in given.get(name, []))

    empty = [each.name for each in fields if each.is_required and is_empty(each.name)]
    return dict.fromkeys(
        [
            *empty,
            *(
                ["company_name"]
                if is_empty("company_name", "last_name") and "last_name" not in empty
                else []
            ),
        ],
        "required",
    )
