"""Placeholders: the names that a template may contain, and the texts that replace them in a
document about a record.
"""

import json
import re
from decimal import Decimal

from eventapi import money, times
from eventapi.languages import choice, countries, formats, names
from eventapi.names import display_name, full_name
from eventapi.storage.statements import statements

sql = statements("placeholders")

# first part of a placeholder -> statement that reads the record
RECORDS = {
    "contact": sql.contact,
    "participant": sql.participant,
    "event": sql.event,
    "booths": sql.booths,
    "invoice": sql.invoice,
    "service_order": sql.service_order,
}

# replaces a placeholder without a value, so that the gap is visible on the document
GAP = "________"
METADATA = re.compile(r"metadata\.[A-Za-z][A-Za-z0-9_]{0,49}")
MEANINGS = {
    "contact": {
        "customer_number": "Customer number",
        "name": "Company, or the person if there is no company",
        "company_name": "Company",
        "person": "First and last name",
        "first_name": "First name",
        "last_name": "Last name",
        "email": "E-mail",
        "phone": "Phone",
        "address": "Street and number",
        "postal_code": "Postal code",
        "city": "City",
        "state": "State or region",
        "country": "Country",
        "website": "Website",
        "tax_id": "VAT or tax id",
        "leitweg_id": "Leitweg-ID of an authority",
        "gln": "GLN",
    },
    "participant": {
        "role": "Role, such as exhibitor",
        "status": "registered, confirmed or cancelled",
        "category": "Category",
        "badge_name": "Name on the badge",
        "badge_number": "Number of the badge",
    },
    "event": {
        "title": "Title",
        "event_key": "Key",
        "venue": "Name of the venue",
        "address": "Street and number",
        "postal_code": "Postal code",
        "city": "City",
        "country": "Country",
        "date_from": "First day",
        "date_to": "Last day",
        "dates": "First to last day, such as 1–4 March 2027",
        "application_deadline": "Last day or time to apply",
    },
    "booths": {
        "numbers": "Numbers of the reserved booths",
        "halls": "Their halls",
        "area": "Their area, such as 24 m²",
        "price": "Their net price with its currency, such as EUR 2,028.00",
    },
    "invoice": {
        "number": "Number",
        "issue_date": "Date",
        "due_date": "Due date",
        "total": "Total with tax, without its currency",
        "currency": "Currency",
    },
    "service_order": {
        "number": "Number",
        "total": "Total with tax, without its currency",
        "currency": "Currency",
    },
    "organiser": {
        "name": "Your name",
        "street": "Street",
        "postal_code": "Postal code",
        "city": "City",
        "country": "Country",
        "email": "E-mail",
        "vat_id": "VAT id",
        "tax_number": "Tax number",
        "iban": "IBAN, of a sent invoice that which it names",
        "bic": "BIC, of a sent invoice that which it names",
    },
    "document": {"number": "Number of the document", "title": "Title of the document"},
}
KNOWN = {
    f"{subject}.{member}": meaning
    for subject, members in MEANINGS.items()
    for member, meaning in members.items()
}
KNOWN["today"] = "Date on which the document is created"
DATES = ("date_from", "date_to", "issue_date", "due_date")


def is_known(name):
    """Return whether a template may contain this placeholder."""
    return name in KNOWN or bool(METADATA.fullmatch(name))


def listed():
    """Return all placeholders, each with its description."""
    entries = [
        {"placeholder": f"{{{{{name}}}}}", "description": meaning}
        for name, meaning in KNOWN.items()
    ]
    return [
        *entries,
        {
            "placeholder": "{{metadata.NAME}}",
            "description": "Field NAME of the document's metadata",
        },
    ]


def contact_of(db, document):
    """Return the row of the contact or applicant that a document is about, or {}."""
    contact_id = (db.one(sql.subject, **document) or {}).get("contact_id")
    return db.one(sql.contact, contact_id=contact_id) or db.one(sql.applicant, **document) or {}


def values(db, document):
    """Return `(name -> text, language)` for a new document, a dict with `entity_type`, `entity_id`
    and `language`.

    Dates, numbers, countries and roles are written in the language. Placeholders without a value
    are missing.
    """
    subject = db.one(sql.subject, **document) or {}
    ids = {
        **dict.fromkeys(
            ("contact_id", "participant_id", "event_id", "invoice_id", "service_order_id")
        ),
        **subject,
    }
    records = {name: db.one(statement, **ids) or {} for name, statement in RECORDS.items()}
    records["contact"] = records["contact"] or db.one(sql.applicant, **document) or {}
    language = choice.choose(db.config, document["language"], records["contact"].get("language"))
    found = {
        f"{subject}.{member}": _text(member, value, record, language)
        for subject, record in _completed(db, records).items()
        for member, value in record.items()
    }
    found |= {
        "document.number": document["document_number"],
        "document.title": document["title"],
        "today": formats.day(times.today(db.config.timezone, db.now), language),
    }
    found |= {
        f"metadata.{name}": _metadata(value, language)
        for name, value in (document["metadata"] or {}).items()
    }
    return {name: text for name, text in found.items() if text}, language


def _completed(db, records):
    """Return the records with the values that no statement reads."""
    contact, config = records["contact"], db.config
    person = full_name(contact)
    records["contact"] = {
        **contact,
        "person": person,
        "name": display_name(contact),
    }
    records["organiser"] = {
        member: getattr(config, f"organiser_{member}") for member in MEANINGS["organiser"]
    }
    seller = records["invoice"].pop("seller", None)
    if seller:
        sent = json.loads(seller)
        records["organiser"] |= {name: sent.get(name) for name in ("iban", "bic")}
    records["booths"]["currency"] = config.currency
    if records["event"]:
        event = records["event"]
        event["dates"] = [
            times.local_date(event[name], event["timezone"]) for name in ("date_from", "date_to")
        ]
    return records


def _text(member, value, record, language):
    """Return a value as it is written in a document, or None.

    Amounts are in minor units, the area in mm².
    """
    if value is None or value == "":
        return None
    if member in WRITTEN:
        return WRITTEN[member](value, language)
    if member == "application_deadline":
        return formats.moment(value, record["timezone"], language)
    if member in DATES:
        return formats.day(times.local_date(value, record.get("timezone") or "UTC"), language)
    if member in ("total", "price"):  # a total has the placeholder of its currency beside it
        write = formats.money if member == "price" else formats.amount
        places = money.decimals(record["currency"])
        return write(money.EXACT.scaleb(Decimal(value), -places), record["currency"], language)
    return str(value)


# How values are written: functions of (value, language).
WRITTEN = {
    "country": countries.name,
    "role": names.role,
    "status": names.status,
    "area": lambda value, language: (
        f"{formats.number(money.EXACT.scaleb(Decimal(value), -6), language)} m²"
    ),
    "dates": lambda value, language: formats.days(*value, language),
}


def _metadata(value, language):
    """Return a value of the metadata.

    An integer may be a year or a number, so it gets no thousands separators.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return names.truth(value, language)
    if isinstance(value, (float, Decimal)) and value != int(value):
        return str(value).replace(".", formats.SEPARATORS[language][1])
    return str(value)
