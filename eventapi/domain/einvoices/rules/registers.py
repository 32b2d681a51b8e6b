"""Numbers of registers in Peppol: format and check digits (PEPPOL-COMMON-R040 to R057)."""
from eventapi.domain.einvoices.rules.faults import Fault
from eventapi.validation.identifiers.electronic import NUMBERS

# Scheme -> rule
RULES = {"0088": "R040", "0192": "R041", "0184": "R042", "0208": "R043", "0007": "R049", "0151": "R050", "0096": "R052",
         "0198": "R053", "0106": "R054", "0190": "R055", "9944": "R056-1"}


def faults(document):
    """Yield the faults of the electronic addresses and ids of seller and buyer that have a scheme of RULES."""
    seller, buyer = document.seller, document.buyer
    for term, scheme, number in (("BT-34", seller.address_scheme, seller.address),
                                 ("BT-49", buyer.address_scheme, buyer.address),
                                 ("BT-29", seller.id_scheme, seller.id), ("BT-46", buyer.id_scheme, buyer.id)):
        if scheme not in RULES or not number:
            continue
        name, description, is_right = NUMBERS[scheme]
        if not is_right(number):
            yield Fault(f"PEPPOL-COMMON-{RULES[scheme]}", term, f"The {name} {number[:60]!r} ({term}, scheme {scheme}) "
                        f"must have {description}. Correct it.")
