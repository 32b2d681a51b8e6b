"""Numbers of registers in Peppol: format and check digits (PEPPOL-COMMON-R040 to R057)."""
import re

from eventapi.domain.einvoices.rules.faults import Fault
from eventapi.validation import identifiers


def faults(document):
    """Yield the faults of the electronic addresses and ids of seller and buyer that have a scheme of REGISTERS."""
    seller, buyer = document.seller, document.buyer
    for term, scheme, number in (("BT-34", seller.address_scheme, seller.address),
                                 ("BT-49", buyer.address_scheme, buyer.address),
                                 ("BT-29", seller.id_scheme, seller.id), ("BT-46", buyer.id_scheme, buyer.id)):
        rule, name, description, is_right = REGISTERS.get(scheme, (None, None, None, None))
        if rule and number and not is_right(number):
            yield Fault(f"PEPPOL-COMMON-{rule}", term, f"The {name} {number[:60]!r} ({term}, scheme {scheme}) must "
                        f"have {description}. Correct it.")


def _gln(number):
    try:
        return identifiers.gln(number) == number
    except ValueError:
        return False


def _matches(pattern):
    """Return a function that says whether a number has a format."""
    return re.compile(pattern).fullmatch


def _belgian(number):
    return re.fullmatch("[01][0-9]{9}", number) and int(number[8:]) == 97 - int(number[:8]) % 97


def _norwegian(number):
    """Return whether the weighted sum of 9 digits is a multiple of 11. The number 000000000 is none."""
    weights = (3, 2, 7, 6, 5, 4, 3, 2, 1)
    return re.fullmatch("[0-9]{9}", number) and int(number) > 0 and _weighted(number, weights) % 11 == 0


def _swedish(number):
    """Return whether a number of 10 digits passes the Luhn algorithm."""
    return re.fullmatch("[0-9]{10}", number) and sum(
        sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(number)) % 10 == 0


def _australian(number):
    """Return whether the weighted sum of 11 digits, the first less 1, is a multiple of 89."""
    weights = (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
    return re.fullmatch("[0-9]{11}", number) and (_weighted(number, weights) - weights[0]) % 89 == 0


def _weighted(number, weights):
    return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=True))


# Scheme -> (rule, name, description, function that says whether a number is right)
REGISTERS = {
    "0088": ("R040", "GLN", "13 digits, the last a check digit, such as 4012345000009", _gln),
    "0192": ("R041", "Norwegian organisation number", "9 digits, the last a check digit, such as 995525828",
             _norwegian),
    "0184": ("R042", "Danish organisation number", "8 digits, after DK or alone, such as DK13585628",
             _matches("(DK)?[0-9]{8}")),
    "0208": ("R043", "Belgian enterprise number", "10 digits, the last two check digits, such as 0428759497", _belgian),
    "0007": ("R049", "Swedish organisation number", "10 digits, the last a check digit, such as 5560360793", _swedish),
    "0151": ("R050", "Australian Business Number", "11 digits without a typing error, such as 51824753556",
             _australian),
    "0096": ("R052", "Danish number of a production unit", "10 digits, such as 1234567890", _matches("[0-9]{10}")),
    "0198": ("R053", "Danish SE number", "DK and 8 digits, such as DK13585628", _matches("DK[0-9]{8}")),
    "0106": ("R054", "Dutch number of the Chamber of Commerce", "8 digits, such as 12345678", _matches("[0-9]{8}")),
    "0190": ("R055", "Dutch organisation number (OIN)", "20 digits, such as 00000001003214345000",
             _matches("[0-9]{20}")),
    "9944": ("R056-1", "Dutch VAT id", "NL, 9 digits, B and 2 digits, such as NL004495445B01",
             _matches("NL[0-9]{9}B[0-9]{2}")),
}
