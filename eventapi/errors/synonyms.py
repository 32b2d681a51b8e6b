"""Names that other systems use, with the names of this API that they mean.

An unknown name of a field, a parameter or a part of a path is looked up here before it is compared
with the known names by likeness. Names that the schema lacks are skipped.
"""

import re
from collections.abc import Container

# Word, in small letters and without `_`, `-` and blanks -> names, the likeliest first.
SYNONYMS = {
    # people and companies
    "name": (
        "company_name",
        "last_name",
        "title",
        "booth_name",
        "booth_type_name",
        "plan_name",
        "service_name",
        "category_name",
        "field_label",
    ),
    "organization": ("company_name",),
    "organisation": ("company_name",),
    "firma": ("company_name",),
    "givenname": ("first_name",),
    "vorname": ("first_name",),
    "surname": ("last_name",),
    "familyname": ("last_name",),
    "nachname": ("last_name",),
    "tel": ("phone",),
    "telephone": ("phone",),
    "phonenumber": ("phone",),
    "telefon": ("phone",),
    "mobilephone": ("mobile",),
    "cellphone": ("mobile",),
    "street": ("address",),
    "strasse": ("address",),
    "straße": ("address",),
    "zip": ("postal_code",),
    "zipcode": ("postal_code",),
    "postcode": ("postal_code",),
    "plz": ("postal_code",),
    "town": ("city",),
    "ort": ("city",),
    "countrycode": ("country",),
    "land": ("country",),
    "vat": ("tax_id",),
    "vatid": ("tax_id",),
    "vatnumber": ("tax_id",),
    "taxnumber": ("tax_id",),
    "ustid": ("tax_id",),
    "homepage": ("website",),
    "url": ("website",),
    "comment": ("notes", "note_text"),
    "comments": ("notes", "note_text"),
    "content": ("note_text",),
    # dates
    "start": ("date_from", "start_time"),
    "startdate": ("date_from", "slot_date"),
    "startsat": ("date_from", "start_time"),
    "end": ("date_to", "end_time"),
    "enddate": ("date_to",),
    "endsat": ("date_to", "end_time"),
    "date": ("payment_date", "issue_date", "slot_date", "date_from"),
    # money and booths
    "lines": ("items",),
    "lineitems": ("items",),
    "records": ("items",),
    "qty": ("quantity",),
    "vatrate": ("tax_rate",),
    "currencycode": ("currency",),
    "customerid": ("contact_id", "customer_number"),
    "exhibitorid": ("participant_id",),
    "stand": ("booth_number",),
    "standnumber": ("booth_number",),
    # parameters of lists
    "q": ("search",),
    "query": ("search",),
    "limit": ("per_page",),
    "pagesize": ("per_page",),
    "offset": ("page", "after"),
    "cursor": ("after",),
    "sortby": ("sort",),
    "orderby": ("sort",),
    "direction": ("order",),
    "expand": ("include",),
    "since": ("updated_since",),
    # paths
    "customers": ("contacts",),
    "companies": ("contacts",),
    "exhibitors": ("participants",),
    "attendees": ("participants",),
    "orders": ("service-orders", "service_orders"),
    "products": ("services",),
    "stands": ("booths",),
    "halls": ("plans",),
    "shows": ("events",),
}


def synonyms(word: str, known: Container[str]) -> list[str] | None:
    """Return the known names that a word of another system means, the likeliest first.

    Return None if the word is not in the table. [] says that nothing of its meaning is known; a
    name that only looks like the word would mislead, such as `status` for `start`.
    """
    names = SYNONYMS.get(re.sub(r"[\s_-]", "", word.lower()))
    return None if names is None else [name for name in names if name in known]
