"""The fields of the forms of a show, and the body of POST /applications that a form means."""

from eventapi import money
from eventapi.domain.public_forms import openings
from eventapi.domain.records import field_definitions
from eventapi.domain.shows import apply_form
from eventapi.languages import formats
from eventapi.pages.show.prices import of_show
from eventapi.pages.show.views import PACKAGE
from eventapi.web.html import forms, page_requests
from eventapi.web.html.forms import Field

# names of the fields of the form of visitors, in their order
VISIT = ("first_name", "last_name", "email", "company_name")
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
# fields of exhibitors that are those of an application as they are
SIMPLE = (
    "company_name",
    "first_name",
    "last_name",
    "phone",
    "address",
    "postal_code",
    "city",
    "country",
    "website",
    "tax_id",
    "requested_area",
    "message",
)
ALWAYS = ("email", "country")  # required wherever they are asked
# Fields whose options are records: what a form has no longer is a fault.
CHOICES = ("category", "booth_type")


def form_of(db, submission):
    """Return the Form of a form of a show."""
    if submission.form == "visit":
        return visit_form(db, submission)
    return apply_form_of(db, submission)


def visit_form(db, submission):
    """Return the Form of visitors: the person, the categories, and custom fields."""
    show = submission.show
    language = submission.language
    words = page_requests.words(PACKAGE, language)
    asked = named_fields(language, VISIT)
    for each in asked.fields:
        each.is_required = each.name in ("last_name", "email")
    fields = list(asked.fields)
    categories = openings.categories(db, show, "visit")
    if categories:
        fields.append(category_field(categories, words, True, None))
    for row in field_definitions.editable(db):
        if row["field_key"] in show["visit_fields"]:
            fields.append(custom_field(row, words, language, row["is_required"]))
    return forms.Form(fields, language, label=asked.label)


def apply_form_of(db, submission):
    """Return the Form of exhibitors: what `apply_form` of the pages asks, in its order, the e-mail
    address after the person, and the terms.
    """
    language = submission.language
    words = page_requests.words(PACKAGE, language)
    pages = submission.pages
    prices = None
    if pages["show_prices"]:
        prices = of_show(db.config, submission.show, pages, language, words)
    entries = entries_of(pages)
    names = [name for each in entries for name in apply_form.FIELDS.get(each["field"], ())]
    asked = named_fields(language, ["email", *(name for name in names if name in SIMPLE)])
    by_name = {each.name: each for each in asked.fields}
    questions = (*field_definitions.editable(db), *submission.questions)
    custom = {row["field_key"]: row for row in questions}
    has_sizes = False

    fields = []
    for entry in entries:
        field = entry["field"]
        is_required = entry["ask"] == "required"
        if apply_form.is_custom(field):
            row = custom.get(field.removeprefix(apply_form.CUSTOM))
            if row:
                is_required = is_required or row["is_required"]
                fields.append(custom_field(row, words, language, is_required))
        elif field == "categories":
            rows = openings.categories(db, submission.show, "apply")
            if rows:
                fields.append(category_field(rows, words, is_required, prices))
        elif field == "booth_type":
            rows = apply_form.sizes(db, submission.show["id"])
            if rows:
                fields.append(size_field(rows, words, language, is_required, prices))
                has_sizes = True
        elif field == "is_business":
            fields.append(business_field(words, is_required))
        else:
            for name in apply_form.FIELDS[field]:
                by_name[name].is_required = is_required or name in ALWAYS
                fields.append(by_name[name])

    by_name["email"].is_required = True
    fields.insert(place_of_email(fields), by_name["email"])
    if has_sizes and "message" in by_name:
        by_name["message"].label = words["field_wish"]
    fields.append(Field("terms", "/terms_accepted_at", words["field_terms"], "checkbox", True))
    return forms.Form(fields, language, label=asked.label)


def entries_of(pages):
    """Return `apply_form` of the pages, with the person if it names nobody else."""
    entries = pages["apply_form"]
    if {"company_name", "person"} & {each["field"] for each in entries}:
        return entries
    return [{"field": "person", "ask": "required"}, *entries]


def named_fields(language, names):
    """Return the Form of fields of an application, in this order."""
    return page_requests.form_of(
        PACKAGE, "application", language, names=names, autocomplete=AUTOCOMPLETE
    )


def place_of_email(fields):
    """Return the place of the e-mail address: after the person, else after the company, else first."""
    names = [each.name for each in fields]
    for name in ("last_name", "company_name"):
        if name in names:
            return names.index(name) + 1
    return 0


def category_field(rows, words, is_required, prices):
    """Return the field of the category. `prices` is None unless the form shows them."""
    options = [(row["category_key"], category_label(row, prices)) for row in rows]
    return Field(
        "category", "/category_keys", words["field_category"], "select", is_required, options
    )


def category_label(category, prices):
    """Return the name of a category with that of its group, and with its price if the form shows
    prices.
    """
    parts = [category["parent_title"], category["title"]]
    if prices and category["base_price"]:
        parts.append(prices.text(category["base_price"], category["tax_rate"]))
    return " · ".join(filter(None, parts))


def size_field(rows, words, language, is_required, prices):
    """Return the field of the size of the booth: each with its price, and what is free if the pages
    show the plan.
    """
    options = []
    for row in rows:
        size = words["size"].format(
            name=row["booth_type_name"],
            width=formats.number(money.unscaled(row["usual_width"], 3), language),
            depth=formats.number(money.unscaled(row["usual_depth"], 3), language),
        )
        parts = [size]
        if prices:
            parts.append(prices.text(row["net"], row["tax_rate"]))
        if row["available"] == 0:
            parts.append(words["size_full"])
        elif row["available"]:
            parts.append(words["size_free"].format(n=row["available"]))
        options.append((row["booth_type_key"], " · ".join(parts)))
    if not is_required:
        options.append(("", words["size_any"]))
    return Field(
        "booth_type",
        "/booth_type_key",
        words["field_booth_type"],
        "select",
        is_required,
        options,
        is_spread=True,
    )


def business_field(words, is_required):
    """Return the field that asks whether a business or a private person applies."""
    options = [("yes", words["is_business_yes"]), ("no", words["is_business_no"])]
    if not is_required:
        options.append(("", words["is_business_null"]))
    return Field(
        "is_business",
        "/is_business",
        words["field_is_business"],
        "choice",
        is_required,
        options,
        is_spread=True,
    )


def custom_field(row, words, language, is_required):
    """Return the field of a definition of a custom field.

    A question that must be answered with yes or no is a choice: a box that must be ticked is none.
    """
    kind = forms.LABELS[row["field_type"]]
    options = [
        (each["value"], each.get("labels", {}).get(language) or each["label"])
        for each in row["field_options"]
    ]
    if kind == "checkbox" and is_required:
        kind = "choice"
        options = [("yes", words["yes"]), ("no", words["no"])]
    return Field(
        f"custom.{row['field_key']}",
        f"/custom_fields/{row['field_key']}",
        row["field_labels"].get(language) or row["field_label"],
        kind,
        is_required,
        options,
        help=row["field_help"].get(language) or next(iter(row["field_help"].values()), ""),
        is_spread=kind == "choice",
    )


def sum_of(db, submission):
    """Return what an exhibitor would pay: {lines: [(name, amount)], total, note}, or None unless the
    form shows prices.

    The lines are those of the chosen category and size.
    """
    language = submission.language
    pages = submission.pages
    if submission.form != "apply" or not pages["show_prices"]:
        return None
    words = page_requests.words(PACKAGE, language)
    prices = of_show(db.config, submission.show, pages, language, words)
    asked = {each["field"] for each in pages["apply_form"]}
    found = []
    if "categories" in asked:
        for row in openings.categories(db, submission.show, "apply"):
            if row["category_key"] == submission.text("category") and row["base_price"]:
                name = words["sum_category"].format(name=row["title"])
                found.append((name, row["base_price"], prices.rate(row["tax_rate"])))
    if "booth_type" in asked:
        for row in apply_form.sizes(db, submission.show["id"]):
            if row["booth_type_key"] == submission.text("booth_type"):
                name = words["sum_booth"].format(name=row["booth_type_name"])
                found.append((name, row["net"], prices.rate(row["tax_rate"])))
    total, note = prices.total([(net, rate) for _, net, rate in found])
    return {
        "lines": [(name, prices.amount(net, rate)) for name, net, rate in found],
        "total": total,
        "note": note,
    }


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
    empty, and a choice that it does not offer, such as a category that is full now.

    A company or a person must be named.
    """
    empty = form.empty(given)
    naming = [each for each in form.fields if each.name in ("company_name", "last_name")]
    if "/last_name" not in empty and not any(each.text(given).strip() for each in naming):
        empty.append(naming[0].pointer)
    faults = [{"pointer": pointer, "code": "required"} for pointer in empty]
    for each in form.fields:
        chosen = given.get(each.name, [""])[0]
        is_choice = each.name in CHOICES or each.kind == "choice"
        if is_choice and chosen and chosen not in dict(each.options):
            faults.append({"pointer": each.pointer, "code": "unknown"})
    return faults
