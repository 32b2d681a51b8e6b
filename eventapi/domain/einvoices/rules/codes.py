"""Rules on codes: BR-CL-01 to BR-CL-25."""
from eventapi.domain.einvoices import exemptions
from eventapi.domain.einvoices.rules import code_lists
from eventapi.domain.einvoices.rules.faults import Fault, adjustments, name_of_line


def faults(document, profile):
    """Yield the faults of a document: each code that its list does not contain. A missing code is no fault here."""
    codes = (*_of_header(document), *_of_parties(document), *_of_parts(document))
    for rule, term, what, code, allowed, remedy in codes:
        if code and code not in allowed:
            yield Fault(rule, term, f"{what} ({term}) is {code[:60]!r}, which its code list does not contain. {remedy}")


def _of_header(document):
    currency = "Use a code of ISO 4217, such as EUR."
    return (
        ("BR-CL-01", "BT-3", "The type of the document", document.type_code, code_lists.TYPES,
         "Use 380 for an invoice and 381 for a credit note."),
        ("BR-CL-04", "BT-5", "The currency", document.currency, code_lists.CURRENCIES, currency),
        ("BR-CL-05", "BT-6", "The currency of VAT accounting", document.tax_currency, code_lists.CURRENCIES, currency),
        ("BR-CL-14", "BT-80", "The country of delivery", document.deliver_to_country, code_lists.COUNTRIES,
         "Use two letters of ISO 3166-1, such as DE."),
        ("BR-CL-16", "BT-81", "The means of payment", document.means_code, code_lists.MEANS,
         "Use a code of UNTDID 4461, such as 58 for a SEPA transfer or 30 for another transfer."),
    )


def _of_parties(document):
    for who, party, number, country, address in (("seller", document.seller, "BT-29", "BT-40", "BT-34"),
                                                 ("buyer", document.buyer, "BT-46", "BT-55", "BT-49")):
        yield ("BR-CL-10", number, f"The scheme of the id of the {who}", party.id_scheme, code_lists.SCHEMES,
               "Use a code of ISO 6523, such as 0088 for a GLN.")
        yield ("BR-CL-14", country, f"The country of the {who}", party.country, code_lists.COUNTRIES,
               "Use two letters of ISO 3166-1, such as DE.")
        yield ("BR-CL-25", address, f"The scheme of the electronic address of the {who}", party.address_scheme,
               code_lists.ADDRESS_SCHEMES, "Use 0204 for a Leitweg-ID, 0088 for a GLN, or, outside of Peppol, EM "
               "for an e-mail address.")


def _of_parts(document):
    """Yield the codes of lines, discounts, charges and the VAT breakdown."""
    category, unit = "Use S, Z, E, AE, K, G or O.", "Use a code of UN/ECE Recommendation 20, such as C62 for a piece."
    for number, line in enumerate(document.lines, start=1):
        name = name_of_line(number, line)
        yield "BR-CL-23", "BT-130", f"{name}: the unit", line.unit, code_lists.UNITS, unit
        yield "BR-CL-23", "BT-150", f"{name}: the unit of the price", line.price_unit, code_lists.UNITS, unit
        yield "BR-CL-18", "BT-151", f"{name}: the VAT category", line.category, code_lists.CATEGORIES, category
        yield ("BR-CL-19", "BT-140", f"{name}: the code of the reason of the discount", line.discount_reason_code,
               code_lists.ALLOWANCE_REASONS, "Use 95, or the text of the reason alone.")
    for name, part, is_charge in adjustments(document):
        yield ("BR-CL-17", "BT-102" if is_charge else "BT-95", f"{name}: the VAT category", part.category,
               code_lists.CATEGORIES, category)
        yield ("BR-CL-20" if is_charge else "BR-CL-19", "BT-105" if is_charge else "BT-98", f"{name}: the reason code",
               part.reason_code, code_lists.CHARGE_REASONS if is_charge else code_lists.ALLOWANCE_REASONS,
               "Use the text of the reason alone.")
    for tax in document.taxes:
        yield ("BR-CL-17", "BT-118", "The VAT category of a VAT breakdown", tax.category, code_lists.CATEGORIES,
               category)
        yield ("BR-CL-22", "BT-121", f"The reason code of VAT category {tax.category}", tax.reason_code,
               exemptions.CODES, "Use a code of the list VATEX, such as VATEX-EU-AE, or the text of the reason alone.")
