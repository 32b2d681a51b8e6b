"""Lists of the desk as files for Excel: as an office reads them, in the language of the page.

A file has the rows of the filter in the order of the list. Its columns are the fields that the
Listing names, the columns that are shown, and the answers to the questions of the organiser. Heads
are labels, and values are words: `confirmed`, the title of a category, the name of a country.
Amounts and dates are numbers and dates that Excel calculates with. Imports know the labels of the
fields (domain/imports/names.json).
"""

from dataclasses import dataclass

from eventapi import spreadsheet
from eventapi.domain.imports.fields import CONTACT_LABELS
from eventapi.pages.desk import api, labels
from eventapi.web.rest import Response

AT_ONCE = 100  # rows of one call of the API
# What a file says of a person. The columns of the list that show the same are left out.
PERSON = CONTACT_LABELS
COVERED = ("person", "number", "email", "phone", "city", "country")
OF_CONTACT = ("address", "postal_code")  # fields that a participant's `contact` does not have


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the file of a Listing has beside the columns that are shown.

    Attributes:
        fields: of its records, or of their contacts.
        has_contacts: whether the fields are those of the contact of a record.
        always: names of columns of the list that the file has in any case.
        entity: kind of record whose custom fields it has, or None.
    """

    fields: tuple = ()
    has_contacts: bool = False
    always: tuple = ()
    entity: str | None = None


PLAIN = Sheet()  # the columns that are shown, and nothing else


def download(request, listing, query, allowed, shown, include, w, write):
    """Return all rows of the filter of a list as a Response with a file for Excel.

    `allowed` are the columns that the person may see, `shown` those that are shown, `include` what
    they need.
    """
    sheet = listing.sheet
    columns = columns_of(sheet, allowed, shown)
    questions = questions_of(request, sheet)
    for column in columns:
        include += column.include
    if questions:
        include += ("custom_fields",)
    fields = fields_of(request, sheet)
    heads = [spreadsheet.label(name, request.language) for name in fields]
    heads += [w(f"column_{column.name}") for column in columns]
    heads += [labels.in_language(each, request.language) for each in questions]

    table = []
    for row in rows_of(request, listing, query, tuple(dict.fromkeys(include))):
        record = row["contact"] if sheet.has_contacts else row
        cells = [value_of(name, record, write) for name in fields]
        cells += [column.cell(row, w, write).plain for column in columns]
        cells += [answer(each, row["custom_fields"], request.language, w) for each in questions]
        table.append(cells)
    dialect = spreadsheet.DIALECTS[f"excel-{request.language}"]
    return Response(
        body=spreadsheet.sheet(heads, table, write.zone, dialect),
        headers={
            "Content-Type": "text/csv; charset=utf-8; header=present",
            "Content-Disposition": f'attachment; filename="{listing.name}.csv"',
        },
    )


def columns_of(sheet, allowed, shown):
    """Return the columns of a file: those that are shown, and those that it always has.

    The first column of a list names the row. Where the fields of a file do, it is left out.
    """
    found = []
    for number, column in enumerate(allowed):
        is_wanted = column in shown or column.name in sheet.always
        is_covered = bool(sheet.fields) and (number == 0 or column.name in COVERED)
        if is_wanted and not is_covered:
            found.append(column)
    return found


def fields_of(request, sheet):
    """Return the fields of a file. Streets of contacts need the scope of contacts."""
    if not sheet.has_contacts or api.may_call(request, "list_contacts"):
        return sheet.fields
    return [name for name in sheet.fields if name not in OF_CONTACT]


def questions_of(request, sheet):
    """Return the custom fields that are in use, without them for those who may not read any."""
    if sheet.entity is None or not api.may_call(request, "list_custom_fields"):
        return []
    found = api.everything(
        "list_custom_fields", entity_type=sheet.entity, sort="display_order", order="ASC"
    )
    return [each for each in found if each["is_active"]]


def rows_of(request, listing, query, include):
    """Yield all rows of a list of the API, those of participants with the streets of their contacts."""
    is_completed = listing.sheet.has_contacts and api.may_call(request, "list_contacts")
    for rows in api.pages(listing.handler, AT_ONCE, include=include, query=query):
        if is_completed:
            complete(rows)
        yield from rows


def complete(rows):
    """Add what contacts have and the include `contact` does not to the contacts of rows."""
    ids = {str(row["contact_id"]) for row in rows}
    if not ids:
        return
    contacts = api.rows("list_contacts", ids=",".join(sorted(ids)), per_page=AT_ONCE)[0]
    by_id = {contact["id"]: contact for contact in contacts}
    for row in rows:
        contact = by_id.get(row["contact_id"], {})
        row["contact"] |= {name: contact.get(name) for name in OF_CONTACT}


def value_of(name, record, write):
    """Return the value of a field, of a country its name."""
    value = record.get(name)
    if name == "country" and value is not None:
        return write.country(value)
    return value


def answer(field, values, language, w):
    """Return the answer to a question as a value: labels of options, `yes` or `no`, a number, a date."""
    value = values.get(field["field_key"])
    if isinstance(value, bool):
        return w("answer_yes" if value else "answer_no")
    if isinstance(value, list):
        return ", ".join(option(field, each, language) for each in value)
    if field["field_options"] and value is not None:
        return option(field, value, language)
    return value


def option(field, value, language):
    """Return the label of an option of a question in a language."""
    for each in field["field_options"]:
        if each["value"] == value:
            return (each.get("labels") or {}).get(language) or each.get("label") or value
    return value
