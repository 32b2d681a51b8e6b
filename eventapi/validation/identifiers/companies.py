"""Identifiers of companies and authorities: VAT id, Leitweg-ID and GLN.

Each function returns the canonical form: upper case, without spaces. It raises ValueError with a
text that completes "must be …".
"""

import re

from eventapi.validation.identifiers.accounts import compact, remainder

# prefix -> (pattern of the rest, description). The member states and XI (Northern Ireland): "VAT
# identification number structure" in the FAQ of VIES, with Irish numbers of 2013 and Dutch numbers
# of 2020. GB: HMRC, VATREG55100. CH: UID of the Federal Statistical Office. NO: Norwegian Tax
# Administration.
_BRITISH = (
    r"[0-9]{9}|[0-9]{12}|GD[0-4][0-9]{2}|HA[5-9][0-9]{2}",
    "9 or 12 digits, or GD or HA and 3 digits",
)
FORMATS = {
    prefix: (re.compile(pattern), description)
    for prefix, (pattern, description) in {
        "AT": (r"U[0-9]{8}", "U and 8 digits"),
        "BE": (r"[01][0-9]{9}", "10 digits, the first 0 or 1"),
        "BG": (r"[0-9]{9,10}", "9 or 10 digits"),
        "CY": (r"[0-9]{8}[A-Z]", "8 digits and a letter"),
        "CZ": (r"[0-9]{8,10}", "8, 9 or 10 digits"),
        "DE": (r"[1-9][0-9]{8}", "9 digits, the first not 0"),
        "DK": (r"[1-9][0-9]{7}", "8 digits, the first not 0"),
        "EE": (r"[0-9]{9}", "9 digits"),
        "EL": (r"[0-9]{9}", "9 digits"),
        "ES": (
            r"[A-Z][0-9]{7}[0-9A-Z]|[0-9]{8}[A-Z]",
            "9 characters, the first or the last a letter",
        ),
        "FI": (r"[0-9]{8}", "8 digits"),
        "FR": (r"[0-9A-HJ-NP-Z]{2}[0-9]{9}", "2 letters or digits and 9 digits"),
        "HR": (r"[0-9]{11}", "11 digits"),
        "HU": (r"[0-9]{8}", "8 digits"),
        "IE": (
            r"[0-9][0-9A-Z+*][0-9]{5}[A-W]|[0-9]{7}[A-W][A-IW]",
            "7 digits and 1 or 2 letters, or as before 2013",
        ),
        "IT": (r"[0-9]{11}", "11 digits"),
        "LT": (r"[0-9]{9}|[0-9]{12}", "9 or 12 digits"),
        "LU": (r"[0-9]{8}", "8 digits"),
        "LV": (r"[0-9]{11}", "11 digits"),
        "MT": (r"[0-9]{8}", "8 digits"),
        "NL": (r"[0-9]{9}B[0-9]{2}", "9 digits, B and 2 digits"),
        "PL": (r"[0-9]{10}", "10 digits"),
        "PT": (r"[0-9]{9}", "9 digits"),
        "RO": (r"[1-9][0-9]{1,9}", "2 to 10 digits"),
        "SE": (r"[0-9]{10}[0-9]{2}", "12 digits"),
        "SI": (r"[1-9][0-9]{7}", "8 digits, the first not 0"),
        "SK": (r"[1-9][0-9]{9}", "10 digits, the first not 0"),
        "XI": _BRITISH,
        "GB": _BRITISH,
        "CH": (
            r"E[0-9]{9}(?:MWST|TVA|IVA|TPV)?",
            "E, 9 digits and, where given, MWST, TVA, IVA or TPV",
        ),
        "NO": (r"[0-9]{9}(?:MVA)?", "9 digits and, where given, MVA"),
    }.items()
}
# and XI, whose numbers are those of the EU
MEMBER_STATES = frozenset(FORMATS.keys() - {"GB", "CH", "NO"})
# What a VAT id of a member state looks like from its beginning: the prefix and a digit, with the
# letters that may be between them. An Italian tax code such as FRNGPP80A01H501X has four more
# letters and is none.
BEGINS = re.compile(
    r"ATU[0-9]|ES[A-Z][0-9]|FR[0-9A-Z]{2}[0-9]|"
    rf"(?:GR|{'|'.join(sorted(MEMBER_STATES - {'AT'}))})[0-9]|XI(?:GD|HA)[0-9]|AT[0-9]"
)
# dot, and hyphens as people and programs write them
SEPARATORS = re.compile("[.\\-\u2010\u2011\u2013]")
# The German W-IdNr. has the form of a VAT id and a number of the establishment. It is no VAT id.
W_IDNR = re.compile(r"DE\s*[0-9]{9}\s*-\s*[0-9]{5}")
# prefix -> module of python-stdnum, where its name is not the prefix
STDNUM = {"EL": ("gr", "vat"), "XI": ("gb", "vat"), "CH": ("ch", "uid"), "NO": ("no", "orgnr")}
FEDERAL_AND_STATES = frozenset({*(f"{number:02}" for number in range(1, 17)), "99"})


def vat_id(text: str) -> str:
    """Return a VAT id of a member state of the EU, XI, GB, CH or NO, without spaces, dots and
    hyphens: DE136695976.

    GR becomes EL, the prefix that the EU uses for Greece. A Belgian number without its leading 0
    gets it.
    """
    number = _canonical(text)
    prefix, rest = number[:2], number[2:]
    if prefix not in FORMATS:
        raise ValueError(
            "a VAT id that begins with the prefix of a member state of the EU (EL for Greece), XI, GB, CH "
            "or NO, such as DE136695976"
        )
    pattern, description = FORMATS[prefix]
    if not pattern.fullmatch(rest):
        raise ValueError(f"a VAT id; after {prefix} it has {description}")
    if not _check_digits_match(prefix, rest):
        raise ValueError("a VAT id without a typing error: its check digits do not match the rest")
    return number


def vat_id_by_format(text: str | None) -> str | None:
    """Return a VAT id in its canonical form, or None if the text has not the format of one.

    Wrong check digits are accepted, as the rules of EN 16931 accept them: the organiser and the
    contacts of earlier versions may have them.
    """
    number = _canonical(text or "")
    pattern, _ = FORMATS.get(number[:2], (None, None))
    return number if pattern and pattern.fullmatch(number[2:]) else None


def _canonical(text):
    number = SEPARATORS.sub("", compact(text))
    number = "EL" + number[2:] if number.startswith("GR") else number
    return "BE0" + number[2:] if re.fullmatch(r"BE[0-9]{9}", number) else number


def is_vat_id(text: str | None) -> bool:
    """Return whether the text is a VAT id with the right format and check digits."""
    try:
        return bool(text and vat_id(text))
    except ValueError:
        return False


def looks_like_vat_id(text: str) -> bool:
    """Return whether the text begins as a VAT id of the EU does, so that it can be no national tax
    number.
    """
    return bool(BEGINS.match(SEPARATORS.sub("", compact(text)))) and not W_IDNR.fullmatch(
        text.strip().upper()
    )


def tax_id(text: str) -> str:
    """Return a tax id of a customer: a VAT id in its canonical form, any other tax number
    unchanged.

    Raise ValueError if the text begins as a VAT id of the EU does and is none.
    """
    if not looks_like_vat_id(text):
        return vat_id(text) if is_vat_id(text) else text
    try:
        return vat_id(text)
    except ValueError as error:
        raise ValueError(
            f"{error} (send a national tax number without {compact(text)[:2]} before it)"
        ) from None


def tidy_tax_id(text: str) -> str:
    """Return a VAT id in its canonical form, and any other text unchanged.

    `tax_id` says whether the text is wrong.
    """
    try:
        return tax_id(text)
    except ValueError:
        return text


def _check_digits_match(prefix, rest):
    """Return False if the check digits are wrong.

    Only wrong check digits count: python-stdnum also judges dates of birth and regions in numbers
    of persons, by rules that countries change.
    """
    # Imported here, because it imports pydoc, which takes 50 ms.
    from stdnum.exceptions import InvalidChecksum, ValidationError
    from stdnum.util import get_cc_module

    country, name = STDNUM.get(prefix, (prefix.lower(), "vat"))
    digits = {"CH": f"CH{rest[:10]}", "NO": rest[:9]}.get(prefix, rest)
    try:
        get_cc_module(country, name).validate(digits)
    except InvalidChecksum:
        return False
    except ValidationError:  # the format is right by FORMATS; see the docstring
        return True
    return True


def leitweg_id(text: str) -> str:
    """Return a Leitweg-ID, such as 04011000-1234512345-06: coarse address, fine address (optional)
    and check digits.

    KoSIT, Leitweg-ID Formatspezifikation 2.0.2: at most 46 characters, check digits by ISO 7064 MOD
    97-10 over the identifier without its hyphens.
    """
    number = compact(text)
    if not re.fullmatch(r"[0-9]{2,12}(-[0-9A-Z]{1,30})?-[0-9]{2}", number):
        raise ValueError(
            "a Leitweg-ID: 2 to 12 digits, up to 30 letters and digits where given, and 2 check digits, "
            "with hyphens between, such as 04011000-1234512345-06"
        )
    if number[:2] not in FEDERAL_AND_STATES:
        raise ValueError(
            "a Leitweg-ID that begins with 01 to 16 (a federal state) or 99 (the federation)"
        )
    if remainder(number.replace("-", "")) != 1:
        raise ValueError(
            "a Leitweg-ID without a typing error: its check digits do not match the rest"
        )
    return number


def gln(text: str) -> str:
    """Return a GLN (GS1 General Specifications): 13 digits, the last a check digit, such as
    4012345000009.
    """
    number = compact(text)
    if not re.fullmatch(r"[0-9]{13}", number):
        raise ValueError(
            f"a GLN with 13 digits, such as 4012345000009; it has {len(number)} characters"
        )
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number))
    if total % 10:
        raise ValueError("a GLN without a typing error: its check digit does not match the rest")
    return number
