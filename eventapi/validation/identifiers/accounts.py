"""Identifiers of payments: IBAN (ISO 13616), BIC (ISO 9362) and creditor reference (ISO 11649).

Each function returns the canonical form: upper case, without spaces. It raises ValueError with a
text that completes "must be …".

python-stdnum, which checks VAT ids, is not used for IBANs: it cannot say how many characters an
IBAN of a country has, judges the check digits before everything else, accepts hyphens and dots, has
rules of its own for BE, ES, ME and NO, and lacks seven countries in version 1.18 (Debian 12).
"""

import re

from eventapi.languages import countries

# ISO country code -> structure of the BBAN in the IBAN registry of SWIFT, release 101: `8n10n` is 8
# digits and 10 digits; n is a digit, a an upper-case letter, c a letter or digit. An IBAN has four
# characters more.
BBANS = {
    code: structure
    for code, structure in (
        entry.split(":")
        for entry in """
    AD:4n4n12c AE:3n16n AL:8n16c AT:5n11n AZ:4a20c BA:3n3n8n2n BE:3n7n2n BG:4a4n2n8c BH:4a14c BI:5n5n11n2n
    BR:8n5n10n1a1c BY:4c4n16c CH:5n12c CR:4n14n CY:3n5n16c CZ:4n16n DE:8n10n DJ:5n5n11n2n DK:4n9n1n DO:4c20n
    EE:2n14n EG:4n4n17n ES:4n4n1n1n10n FI:3n11n FK:2a12n FO:4n9n1n FR:5n5n11c2n GB:4a6n8n GE:2a16n GI:4a15c
    GL:4n9n1n GR:3n4n16c GT:4c20c HN:4a20n HR:7n10n HU:3n4n1n15n1n IE:4a6n8n IL:3n3n13n IQ:4a3n12n IS:4n2n6n10n
    IT:1a5n5n12c JO:4a4n18c KW:4a22c KZ:3n13c LB:4n20c LC:4a24c LI:5n12c LT:5n11n LU:3n13c LV:4a13c LY:3n3n15n
    MC:5n5n11c2n MD:2c18c ME:3n13n2n MK:3n10c2n MN:4n12n MR:5n5n11n2n MT:4a5n18c MU:4a2n2n12n3n3a NI:4a20n NL:4a10n
    NO:4n6n1n OM:3n16c PK:4a16c PL:8n16n PS:4a21c PT:4n4n11n2n QA:4a21c RO:4a16c RS:3n13n2n RU:9n5n15c SA:2n18c
    SC:4a2n2n16n3a SD:2n12n SE:3n16n1n SI:5n8n2n SK:4n6n10n SM:1a5n5n12c SO:4n3n12n ST:4n4n11n2n SV:4a20n TL:3n14n2n
    TN:2n3n13n2n TR:5n1n16c UA:6n19c VA:3n15n VG:4a16n XK:4n10n2n YE:4a4n18c""".split()
    )
}
CLASSES = {"n": "[0-9]", "a": "[A-Z]", "c": "[0-9A-Z]"}
# A structure has at most 40 characters.
PATTERNS = {
    code: re.compile(
        "".join(
            f"{CLASSES[kind]}{{{count}}}" for count, kind in re.findall(r"(\d+)([nac])", structure)
        )
    )
    for code, structure in BBANS.items()
}
LENGTHS = {
    code: 4 + sum(map(int, re.findall(r"\d+", structure))) for code, structure in BBANS.items()
}


def compact(text: str) -> str:
    """Return the text in upper case and without white space."""
    return re.sub(r"\s", "", text).upper()


def remainder(text: str) -> int:
    """Return the remainder of ISO 7064 MOD 97-10. A letter counts as two digits: A is 10, Z is 35.

    `text` contains only ASCII digits and upper-case letters. The remainder is 1 if the check digits
    at its end match.
    """
    return int("".join(str(int(character, 36)) for character in text)) % 97


def iban(text: str) -> str:
    """Return an IBAN (ISO 13616) without spaces, such as DE02120300000000202051."""
    number = compact(text)
    code = number[:2]
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[0-9A-Z]*", number):
        raise ValueError(
            "an IBAN: a country code, two check digits and the account, such as DE02120300000000202051"
        )
    if code not in PATTERNS:
        raise ValueError(
            f"an IBAN of a country in the IBAN registry, which does not contain {code}"
        )
    if len(number) != LENGTHS[code]:
        raise ValueError(
            f"an IBAN with {LENGTHS[code]} characters, as every IBAN of {code}; it has {len(number)}"
        )
    if not PATTERNS[code].fullmatch(number[4:]):
        raise ValueError(
            f"an IBAN of {code}: it has a letter or a digit in a place where {code} has none"
        )
    # 00, 01 and 99 would satisfy the division, but the calculation of the check digits never
    # results in them.
    if remainder(number[4:] + number[:4]) != 1 or not 2 <= int(number[2:4]) <= 98:
        raise ValueError("an IBAN without a typing error: its check digits do not match the rest")
    return number


def looks_like_iban(text: str) -> bool:
    """Return whether a text begins as an IBAN does.

    Any other text is an account number of a country without IBAN.
    """
    number = compact(text)
    return bool(re.match("[A-Z]{2}[0-9]{2}", number)) and number[:2] in LENGTHS


def bic(text: str) -> str:
    """Return a BIC (ISO 9362) without spaces: 8 characters, or 11 with a branch, such as
    BYLADEM1001.
    """
    code = compact(text)
    if len(code) not in (8, 11):
        raise ValueError(f"a BIC with 8 or 11 characters, such as BYLADEM1001; it has {len(code)}")
    if not re.fullmatch(r"[0-9A-Z]{4}[A-Z]{2}[0-9A-Z]{2}([0-9A-Z]{3})?", code):
        raise ValueError(
            "a BIC: four characters of the bank, a country code, two characters of the place and, where "
            "there is one, three of the branch, such as BYLADEM1001"
        )
    if code[4:6] not in countries.NAMES:
        raise ValueError(
            f"a BIC with a country code (ISO 3166-1) as characters 5 and 6, not {code[4:6]}"
        )
    return code


def creditor_reference(text: str) -> str:
    """Return a creditor reference (ISO 11649) without spaces, such as RF18539007547034."""
    reference = compact(text)
    if not re.fullmatch(r"RF[0-9]{2}[0-9A-Z]{1,21}", reference):
        raise ValueError(
            "a creditor reference: RF, two check digits, and 1 to 21 letters and digits, such as "
            "RF18539007547034"
        )
    if remainder(reference[4:] + reference[:4]) != 1 or not 2 <= int(reference[2:4]) <= 98:
        raise ValueError(
            "a creditor reference without a typing error: its check digits do not match the rest"
        )
    return reference


def rf_reference(number: str) -> str:
    """Return the creditor reference (ISO 11649) of an invoice number: RF, check digits, its letters
    and digits.

    Other characters of the number are left out: INV-2026-00017 becomes RF…INV202600017. Raise
    ValueError if the number has no or more than 21 ASCII letters and digits.
    """
    content = re.sub(r"[^0-9A-Z]", "", number.upper())
    if not 1 <= len(content) <= 21:
        raise ValueError(
            f"an invoice number with 1 to 21 letters and digits, but {number} has {len(content)}"
        )
    return f"RF{98 - remainder(content + 'RF00'):02}{content}"
