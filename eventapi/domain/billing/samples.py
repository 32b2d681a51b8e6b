"""The sample of an invoice: made-up items with the data of the organiser as they are now.

Nothing of it is stored, and it takes no number.
"""

from eventapi import money, times
from eventapi.domain.billing import invoices, treatments
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing.tax_terms import Terms
from eventapi.domain.vat.buyers import Buyer
from eventapi.domain.vat.treatment import SMALL_BUSINESS, STANDARD, Organiser
from eventapi.errors import Faults
from eventapi.languages import choice
from eventapi.pictures import style
from eventapi.pictures.invoice import sheet
from eventapi.pictures.words import WORDS
from eventapi.storage.database import as_json

TEXTS = {
    "en": {
        "event": "Sample show",
        "buyer": "Example Ltd",
        "contact": "Alex Example",
        "address": "1 Sample Street",
        "city": "Sample Town",
        "items": ("Floor space, booth A12", "Power, 3 kW", "Further badge"),
    },
    "de": {
        "event": "Mustermesse",
        "buyer": "Beispiel GmbH",
        "contact": "Alex Beispiel",
        "address": "Musterstraße 1",
        "city": "Musterstadt",
        "items": ("Standfläche, Stand A12", "Stromanschluss, 3 kW", "Weiterer Ausweis"),
    },
}
# quantity, unit and price of each item
ITEMS = ((12, "m²", 95), (1, "piece", 185), (4, "piece", 12.5))


def draw(config, language):
    """Return the PDF of the sample. Raise 501 `not_installed` without reportlab."""
    language = choice.available(language) or "en"
    texts = TEXTS[language]
    seller = invoices.seller(config)
    buyer = {
        "name": texts["buyer"],
        "contact_name": texts["contact"],
        "address": texts["address"],
        "postal_code": "12345",
        "city": texts["city"],
        "state": None,
        "country": config.organiser_country,
        "vat_id": None,
        "customer_number": None,
    }
    brand = style.brand(config)
    return sheet.draw(_invoice(config, texts, language), seller, buyer, language, brand=brand)


def _invoice(config, texts, language):
    """Return the sample as an API object, with what its page shows beside it."""
    today = times.today(config.timezone)
    treatment = SMALL_BUSINESS if config.is_small_business(today) else STANDARD
    rows = _rows(config, texts, treatment, today)
    taxes = invoice_lines.taxes(rows)
    parts = {"items": as_json(rows), "taxes": as_json(taxes)}
    totals = invoice_lines.totals(taxes)
    amounts = {name: money.major(units, config.currency) for name, units in totals.items()}
    return {
        **invoices.represent_parts(parts, config.currency),
        **amounts,
        "is_sample": True,
        "invoice_type": "invoice",
        "invoice_number": WORDS[language]["sample"],
        "status": "sent",
        "currency": config.currency,
        "issue_date": today,
        "service_date": today,
        "service_date_to": None,
        "due_date": times.add_days(today, config.payment_days),
        "tax_treatment": treatment,
        "interest_notice": config.interest_notice == "yes",
        "paid_amount": 0,
        "open_amount": amounts["total"],
        "payment_reference": None,
        "buyer_reference": None,
        "text": None,
        "event_title": texts["event"],
    }


def _rows(config, texts, treatment, today):
    """Return the lines of the sample with their tax."""
    items = []
    for description, (quantity, unit, price) in zip(texts["items"], ITEMS, strict=True):
        item = {
            "description": description,
            "quantity": quantity,
            "unit": unit,
            "unit_price": price,
        }
        if not config.tax_rate:
            item["tax_rate"] = 0
        items.append(item)
    rows = invoice_lines.lines(items, config.currency, config.tax_rate, Faults())
    is_small = treatment == SMALL_BUSINESS
    organiser = Organiser(config.organiser_country, bool(config.organiser_vat_id), is_small)
    buyer = Buyer(config.organiser_country, is_company=True, is_business=True, tax_id=None)
    terms = Terms(organiser, None, buyer, today)
    return treatments.apply(terms, rows, treatment, treatments.OFFICE)
