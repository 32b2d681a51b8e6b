"""The fields of the forms of a show, and the body of POST /applications that a form means."""

from eventapi import money, times
from eventapi.domain.public_forms import openings
from eventapi.domain.records import field_definitions
from eventapi.languages import formats
from eventapi.pages.show.views import PACKAGE
from eventapi.pictures import small_business
from eventapi.web.html import forms, page_requests
from eventapi.web.html.forms import Field

# form -> names of its fields that are those of an application, in their order
NAMES = {
    "apply": (
        "company_name",
        "first_name",
        "last_name",
        "email",
        "phone",
        "address",
        "postal_code",
        "city",
        "country",
        "website",
        "tax_id",
        "requested_area",
        "message",
    ),
    "visit": ("first_name", "last_name", "email", "company_name"),
}
REQUIRED = {
    "apply": ("email", "country"),
    "visit": ("last_name", "email"),
}
AUTOCOMPLETE = {
    "company_name": "organization",
    "first_name": "given-name",
    "last_name": "family-name",
    "email": "email",
    "phone": "tel",
    "address": "street-address",
    "postal_code": "postal-code",
    "city": "address-level2",
    "country": "country",
    "website": "url",
}
LAST = ("message",)  # names of fields that stand behind the categories and the custom fields
MIDDLE = ("requested_area",)  # and of those between these two


def form_of(db, submission):
    """Return the Form of a form of a show: what everybody is asked, its categories, and custom
    fields.
    """
    show = submission.show
    form = submission.form
    language = submission.language
    words = page_requests.words(PACKAGE, language)
    asked = page_requests.form_of(
        PACKAGE, "application", language, names=NAMES[form], autocomplete=AUTOCOMPLETE
    )
    for each in asked.fields:
        each.is_required = each.name in REQUIRED[form]

    fields = [each for each in asked.fields if each.name not in (*MIDDLE, *LAST)]
    categories = openings.categories(db, show, form)
    if categories:
        options = [
            (row["category_key"], category_label(db.config, show, row, language))
            for row in categories
        ]
        fields.append(
            Field("category", "/category_keys", words["field_category"], "select", True, options)
        )
    fields += [each for each in asked.fields if each.name in MIDDLE]
    for row in field_definitions.editable(db):
        if form == "apply" or row["field_key"] in show["visit_fields"]:
            fields.append(custom_field(row))
    fields += [each for each in asked.fields if each.name in LAST]
    if form == "apply":
        fields.append(Field("terms", "/terms_accepted_at", words["field_terms"], "checkbox", True))
    return forms.Form(fields, language, label=asked.label)


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


def body_of(form, submission, now, country):
    """Return the body of POST /applications that a form means.

    `country` is that of visitors, who are not asked.
    """
    body = {"country": country, "custom_fields": {}, **form.body(submission.given)}
    category = body.get("category_keys")
    body["category_keys"] = [category] if category else []
    body["custom_fields"] = {
        key: value for key, value in body["custom_fields"].items() if value != []
    }
    body["terms_accepted_at"] = now if body.get("terms_accepted_at") else None
    body["late"] = submission.form == "visit"  # the application deadline is that of exhibitors
    body["language"] = submission.language
    body["event_keys"] = [submission.show["event_key"]]
    return body


def only_category(form):
    """Return the category of a form that offers one only, as what was given; {} if there is a
    choice.
    """
    for each in form.fields:
        if each.name == "category" and len(each.options) == 1:
            return {"category": [each.options[0][0]]}
    return {}


def faults_of(form, given):
    """Return the faults that a form finds by itself, as a problem has them: required fields that are
    empty, and a category that it does not offer, such as one that is full now.

    A company or a person must be named.
    """
    empty = form.empty(given)
    if "/last_name" not in empty and not any(
        text.strip() for name in ("company_name", "last_name") for text in given.get(name, [])
    ):
        empty.append("/company_name")
    faults = [{"pointer": pointer, "code": "required"} for pointer in empty]
    chosen = given.get("category", [""])[0]
    for each in form.fields:
        if each.name == "category" and chosen and chosen not in dict(each.options):
            faults.append({"pointer": each.pointer, "code": "unknown"})
    return faults
