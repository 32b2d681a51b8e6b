"""The fields of the forms of a show, and the body of POST /applications that a form means."""

from eventapi import money, times
from eventapi.domain.public_forms import openings
from eventapi.domain.records import field_definitions
from eventapi.languages import countries, formats
from eventapi.pages.show.views import PACKAGE
from eventapi.pictures import small_business
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


def fields_of(db, submission):
    """Return the fields of a form of a show: those of everybody, its categories, and custom fields."""
    show = submission.show
    form = submission.form
    language = submission.language
    words = page_requests.words(PACKAGE, language)

    found = [standard_field(form, name, words, language) for name in FIELDS[form]]
    categories = openings.categories(db, show, form)
    if categories:
        options = [
            (row["category_key"], category_label(db.config, show, row, language))
            for row in categories
        ]
        found.append(
            Field("category", "/category_keys/0", words["field_category"], "select", True, options)
        )
    if form == "apply":
        found.append(
            Field("requested_area", "/requested_area", words["field_requested_area"], "number")
        )
    for row in field_definitions.editable(db):
        if form == "apply" or row["field_key"] in show["visit_fields"]:
            found.append(custom_field(row))
    if form == "apply":
        found += [
            Field("message", "/message", words["field_message"], "textarea"),
            Field("terms", "/terms_accepted_at", words["field_terms"], "checkbox", True),
        ]
    return found


def standard_field(form, name, words, language):
    """Return a field of FIELDS."""
    kind, autocomplete, is_required = FIELDS[form][name]
    options = nations(language) if name == "country" else []
    return Field(
        name,
        f"/{name}",
        words[f"field_{name}"],
        kind,
        is_required,
        options=options,
        autocomplete=autocomplete,
    )


def nations(language):
    """Return (code, name) of all countries, by name."""
    named = [(code, countries.name(code, language)) for code in countries.NAMES]
    return sorted(named, key=lambda pair: pair[1])


def category_label(config, show, category, language):
    """Return the name of a category with that of its group, and with its price if the form shows
    prices.

    The price says whether VAT is added.
    """
    parts = [category["parent_title"], category["title"]]
    if show["show_prices"]:
        price = money.major(category["base_price"], config.currency)
        day = show["last_day"] or times.today(config.timezone)
        note = small_business.price_note(config, day, language)
        text = f"{formats.money(price, config.currency, language)} {note}"
        parts.append(text if price else None)
    return " · ".join(filter(None, parts))


def custom_field(row):
    """Return the field of a definition of a custom field."""
    return Field(
        f"custom.{row['field_key']}",
        f"/custom_fields/{row['field_key']}",
        row["field_label"],
        forms.LABELS[row["field_type"]],
        row["is_required"],
        [(each["value"], each["label"]) for each in row["field_options"] or []],
    )


def body_from(submission, fields, now, country):
    """Return the body of POST /applications that a form means.

    `country` is that of visitors, who are not asked.
    """
    form = submission.form
    values = {each.name: each.value(submission.given, submission.language) for each in fields}

    body = {"country": country}
    for name in (*FIELDS[form], "requested_area", "message"):
        if values.get(name) is not None:
            body[name] = values[name]
    custom = {}
    for name, value in values.items():
        if name.startswith("custom.") and value not in (None, []):
            custom[name.removeprefix("custom.")] = value

    body["late"] = form == "visit"  # the application deadline is that of exhibitors
    body["language"] = submission.language
    body["event_keys"] = [submission.show["event_key"]]
    body["category_keys"] = [values["category"]] if values.get("category") else []
    body["terms_accepted_at"] = now if values.get("terms") else None
    body["custom_fields"] = custom
    return body


def only_category(fields):
    """Return the category of a form that offers one only, as what was given; {} if there is a
    choice.
    """
    for each in fields:
        if each.name == "category" and len(each.options) == 1:
            return {"category": [each.options[0][0]]}
    return {}


def not_offered(given, fields):
    """Return whether the chosen category is none of those that the form offers, such as one that is
    full now.
    """
    chosen = given.get("category", [""])[0]
    return chosen and any(
        chosen not in dict(each.options) for each in fields if each.name == "category"
    )


def missing(given, fields):
    """Return the names of the required fields that are empty.

    A company or a person must be named.
    """

    def is_empty(*names):
        return not any(text.strip() for name in names for text in given.get(name, []))

    empty = [each.name for each in fields if each.is_required and is_empty(each.name)]
    if is_empty("company_name", "last_name") and "last_name" not in empty:
        empty.append("company_name")
    return empty
