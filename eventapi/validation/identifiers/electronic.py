"""Electronic addresses of companies and authorities, to which e-invoices are delivered: SCHEME:ID.

The schemes are those of the code list EAS. For the registers in NUMBERS, format and check digits
are those that Peppol requires (PEPPOL-COMMON-R040 to R056).
"""

import re

from eventapi.validation.identifiers.companies import gln, leitweg_id

LEITWEG_ID, MAIL = "0204", "EM"
# The code list EAS, as of release 1.3.16 of the validation rules of EN 16931
ADDRESS_SCHEMES = frozenset(
    """
    0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 0190
    0191 0192 0193 0194 0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212 0213 0215 0216
    0217 0218 0219 0220 0221 0225 0230 0235 0240 0244 0242 0245 0246 0248 9910 9913 9914 9915 9918 9919 9920 9922
    9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944
    9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959 AN AQ AS AU EM""".split()
)


def electronic_address(text: str) -> str:
    """Return an electronic address, such as 0204:991-33333TEST-33.

    A Leitweg-ID gets capital letters.

    Raise ValueError, with a text that completes "must be …", if the code list EAS lacks the scheme,
    or its register has no such number.
    """
    scheme, _, number = text.partition(":")
    if not re.fullmatch("[0-9A-Z]{2,4}:[!-~]+", text):
        raise ValueError("SCHEME:ID with a code of the EAS list, such as 9930:DE136695976")
    if scheme not in ADDRESS_SCHEMES:
        raise ValueError(
            f"SCHEME:ID with a code of the EAS list, which lacks {scheme}: 0204 for a Leitweg-ID, 0088 "
            "for a GLN, 9930 for a German VAT id, EM for an e-mail address"
        )
    if scheme == LEITWEG_ID:
        return f"{scheme}:{leitweg_id(number)}"
    if scheme == MAIL and not re.fullmatch("[^@]+@[^@]+", number):
        raise ValueError("EM and an e-mail address, such as EM:office@rosen.example")
    name, description, is_right = NUMBERS.get(scheme, (None, None, None))
    if name and not is_right(number):
        raise ValueError(f"{scheme} and a {name}, which has {description}")
    return text


def _gln(number):
    try:
        return gln(number) == number
    except ValueError:
        return False


def _matches(pattern):
    """Return a function that says whether a number has a format."""
    return re.compile(pattern).fullmatch


def _belgian(number):
    return re.fullmatch("[01][0-9]{9}", number) and int(number[8:]) == 97 - int(number[:8]) % 97


def _norwegian(number):
    """Return whether the weighted sum of 9 digits is a multiple of 11.

    The number 000000000 is none.
    """
    weights = (3, 2, 7, 6, 5, 4, 3, 2, 1)
    return (
        re.fullmatch("[0-9]{9}", number)
        and int(number) > 0
        and _weighted(number, weights) % 11 == 0
    )


def _swedish(number):
    """Return whether a number of 10 digits passes the Luhn algorithm."""
    return (
        re.fullmatch("[0-9]{10}", number)
        and sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(number))
        % 10
        == 0
    )


def _australian(number):
    """Return whether the weighted sum of 11 digits, the first less 1, is a multiple of 89."""
    weights = (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
    return re.fullmatch("[0-9]{11}", number) and (_weighted(number, weights) - weights[0]) % 89 == 0


def _weighted(number, weights):
    return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=True))


# Scheme -> (name, description, function that says whether a number is right)
NUMBERS = {
    "0088": ("GLN", "13 digits, the last a check digit, such as 4012345000009", _gln),
    "0192": (
        "Norwegian organisation number",
        "9 digits, the last a check digit, such as 995525828",
        _norwegian,
    ),
    "0184": (
        "Danish organisation number",
        "8 digits, after DK or alone, such as DK13585628",
        _matches("(DK)?[0-9]{8}"),
    ),
    "0208": (
        "Belgian enterprise number",
        "10 digits, the last two check digits, such as 0428759497",
        _belgian,
    ),
    "0007": (
        "Swedish organisation number",
        "10 digits, the last a check digit, such as 5560360793",
        _swedish,
    ),
    "0151": (
        "Australian Business Number",
        "11 digits without a typing error, such as 51824753556",
        _australian,
    ),
    "0096": (
        "Danish number of a production unit",
        "10 digits, such as 1234567890",
        _matches("[0-9]{10}"),
    ),
    "0198": ("Danish SE number", "DK and 8 digits, such as DK13585628", _matches("DK[0-9]{8}")),
    "0106": (
        "Dutch number of the Chamber of Commerce",
        "8 digits, such as 12345678",
        _matches("[0-9]{8}"),
    ),
    "0190": (
        "Dutch organisation number (OIN)",
        "20 digits, such as 00000001003214345000",
        _matches("[0-9]{20}"),
    ),
    "9944": (
        "Dutch VAT id",
        "NL, 9 digits, B and 2 digits, such as NL004495445B01",
        _matches("NL[0-9]{9}B[0-9]{2}"),
    ),
}
