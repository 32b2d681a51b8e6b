"""Normal forms of places and phone numbers.

Equal things have equal forms, so that an index finds duplicates.
"""

import re
import unicodedata

# Country -> calling code (ITU E.164). National numbers of these countries begin with a 0 that the
# international form lacks.
CALLING_CODES = dict(
    pair.split("=")
    for pair in """
    AT=43 AU=61 BE=32 BG=359 CH=41 CY=357 DE=49 FI=358 FR=33 GB=44 HR=385 IE=353 IL=972 IN=91 JP=81 KR=82 LI=423 MA=212
    NL=31 NZ=64 RO=40 RS=381 SE=46 SI=386 SK=421 TR=90 UA=380 ZA=27""".split()
)


def place(text):
    """Return the name of a hall, stage or room without differences of case, letter width (NFKC) and
    spacing.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def phone(number, country):
    """Return the digits of a phone number with its calling code, or None for fewer than 6 digits."""
    if not number:
        return None
    number = re.sub(r"\(0\)", "", number)  # as in +49 (0)341 …
    international = number.lstrip().startswith("+")
    digits = re.sub(r"[^0-9]", "", number)
    if not international and digits.startswith("00"):
        digits = digits[2:]
    elif not international and digits.startswith("0") and country in CALLING_CODES:
        digits = CALLING_CODES[country] + digits[1:]
    return digits if len(digits) >= 6 else None
