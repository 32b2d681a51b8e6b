"""What contradicts itself on an invoice that is about to be sent, and what is doubtful.

A contradiction prevents sending. A doubt is a warning: only the organiser knows whether it is
right.
"""

import unicodedata

from eventapi import times
from eventapi.domain.einvoices_sent.requirements import finding
from eventapi.validation.identifiers import companies

UNION = companies.MEMBER_STATES - {"XI"}
ONE_PERCENT = 100  # in hundredths of a percent, as rates are stored
LARGE = 10_000_00  # cents, with tax: section 11 (1) no. 2 UStG 1994 (Austria)
# Directions of characters that turn the text after them (Unicode, UAX 9, section 2.1 to 2.5)
TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
# its fields of the contact
BUYER = {
    "name": "company_name or last_name",
    "contact_name": "first_name or last_name",
}
FAR = 5  # years between today and the service that are usual at most


def contradictions(invoice, seller, buyer):
    """Yield a finding for each fault of the tax categories and VAT ids.

    invoice: row with its items. seller, buyer: as they are on the invoice.

    - K, an intra-community supply, needs the buyer's VAT id of another member state (section 6a (1) UStG, Art. 138 of
      Directive 2006/112/EC), or of Northern Ireland (XI).
    - AE and K cannot be supplied to oneself.
    - A VAT id of the EU has the form and the check digits of its state.
    """
    categories = {item["tax_category"] for item in invoice["items"]}
    own = companies.vat_id_by_format(seller["vat_id"])
    theirs = companies.vat_id_by_format(buyer["vat_id"])
    field, home = "contact.tax_id", _prefix(seller["country"])
    if (
        "K" in categories
        and theirs
        and (theirs[:2] not in companies.MEMBER_STATES or theirs[:2] == home)
    ):
        yield finding(
            "Category K (intra-community supply) needs a VAT id of another member state of the EU, or XI, "
            f"but `{field}` is {theirs}. Correct it, or the `tax_category` of the items: G for an export, AE "
            "for a service that the buyer taxes, S with a rate for a supply at home.",
            field,
        )
    for category in ("AE", "K"):
        if category in categories and theirs and theirs == own:
            yield finding(
                f"Category {category} is for a supply to another taxpayer, but `{field}` is {theirs}, the "
                "organiser's own VAT id. Correct it, or the `tax_category` of the items.",
                field,
            )
    for place, number in ((field, buyer["vat_id"]), ("organiser_vat_id", seller["vat_id"])):
        if number and companies.looks_like_vat_id(number) and not companies.is_vat_id(number):
            yield finding(
                f"`{place}` is {number}, which begins as a VAT id of the EU, but has the wrong form or check "
                "digits. Correct it, or write a national tax number without the letters of the country.",
                place,
            )


def doubts(invoice, seller, buyer, today):
    """Yield a warning with its code for each fact of an invoice that is unusual. `today` is a date."""
    categories = {item["tax_category"] for item in invoice["items"]}
    if "G" in categories and _prefix(buyer["country"]) in UNION:
        yield _warning(
            "export_within_eu",
            "items",
            "Category G (export) is for goods that leave the EU, but the "
            f"buyer is in {buyer['country']}. K or S may be meant, unless they are delivered elsewhere.",
        )
    if "AE" in categories and buyer["country"] == seller["country"]:
        yield _warning(
            "reverse_charge_at_home",
            "items",
            "Category AE (reverse charge) is used for a buyer in the "
            f"organiser's own country, {seller['country']}. At home, it holds for few services only "
            "(in Germany: section 13b (2) UStG).",
        )
    low = next(
        (item["tax_rate"] for item in invoice["items"] if 0 < item["tax_rate"] < ONE_PERCENT), None
    )
    if low:
        yield _warning(
            "low_tax_rate",
            "items",
            f"`tax_rate` of an item is {low / ONE_PERCENT} percent. Rates are in "
            "percent: write 19 for 19 %, and 0.19 only if you mean it.",
        )
    first, last = (times.add_days(today, round(365.25 * years)) for years in (-FAR, FAR))
    days = [invoice[name][:10] for name in ("service_date", "service_date_to") if invoice[name]]
    far = next((day for day in days if not first <= day <= last), None)
    if far:
        yield _warning(
            "service_date_far",
            "service_date",
            f"The service is on {far}, more than {FAR} years from today.",
        )
    if not any(map(str.isalpha, buyer["name"] or "")):
        yield _warning(
            "name_without_letters",
            "contact.company_name or last_name",
            "The buyer's name has no letter. "
            "An invoice must have the full name of the buyer (Art. 226 no. 5 of Directive 2006/112/EC).",
        )
    for field in dict.fromkeys(field for field, text in _written(invoice, buyer) if _turns(text)):
        yield _warning(
            "text_direction",
            field,
            f"`{field}` contains an invisible character that turns the direction "
            "of the text, such as U+202E. The PDF leaves it out, and programs that read the e-invoice may "
            "show another name or text than is written. Write the text again without it.",
        )
    if buyer["country"] == "DE" and not buyer["postal_code"]:
        yield _warning(
            "no_postal_code",
            "contact.postal_code",
            "The buyer's address in Germany has no postal code. "
            "It is part of the full address (section 14 (4) no. 1 UStG).",
        )
    is_large = invoice["currency"] == "EUR" and invoice["total"] > LARGE
    if seller["country"] == buyer["country"] == "AT" and is_large and not buyer["vat_id"]:
        yield _warning(
            "no_vat_id",
            "contact.tax_id",
            "An invoice of more than 10,000 EUR with tax to a business in "
            "Austria has the buyer's UID (section 11 (1) no. 2 UStG 1994). Leave it empty for consumers.",
        )


def _written(invoice, buyer):
    """Yield (field, text) of the texts of an invoice that somebody has written. `text` may be None."""
    yield from (
        (f"contact.{BUYER.get(name, name)}", buyer.get(name))
        for name in ("name", "contact_name", "address", "postal_code", "city", "state")
    )
    yield from ((name, invoice[name]) for name in ("buyer_reference", "text"))
    yield from (("items", item["description"]) for item in invoice["items"])


def _turns(text):
    return any(unicodedata.bidirectional(char) in TURNING for char in text or "")


def _warning(code, field, detail):
    return finding(detail, field, code=code)


def _prefix(country):
    """Return the prefix of the VAT ids of a country: EL for Greece."""
    return "EL" if country == "GR" else country
