"""Names, places and phone numbers folded to what makes them the same, so that twins are found by index."""
import re
import unicodedata

from eventapi.domain.records.slugs import SPELLED

# Country -> calling code (ITU E.164), where a national number begins with a 0 that is left out behind the code.
CALLING_CODES = dict(pair.split("=") for pair in """
    AT=43 AU=61 BE=32 BG=359 CH=41 CY=357 DE=49 FI=358 FR=33 GB=44 HR=385 IE=353 IL=972 IN=91 JP=81 KR=82 LI=423 MA=212
    NL=31 NZ=64 RO=40 RS=381 SE=46 SI=386 SK=421 TR=90 UA=380 ZA=27""".split())


def name(company_name, postal_code):
    """Letters and digits of company and postcode; None unless both are there."""
    if not (company_name and postal_code):
        return None
    company = _plain(company_name)
    return company and f"{company} {_plain(postal_code)}"


def place(text):
    """A hall, stage or room, in any case, width of letters and spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _plain(text):
    decomposed = unicodedata.normalize("NFKD", text.lower().translate(SPELLED))
    return "".join(letter for letter in decomposed if letter.isalnum())


def phone(number, country):
    """The digits with the calling code, however it was written; None for what is too short to be a number of its own."""
    if not number:
        return None
    number = re.sub(r"\(0\)", "", number)                      # +49 (0)341 …
    international = number.lstrip().startswith("+")
    digits = re.sub(r"[^0-9]", "", number)
    if not international and digits.startswith("00"):
        digits = digits[2:]
    elif not international and digits.startswith("0") and country in CALLING_CODES:
        digits = CALLING_CODES[country] + digits[1:]
    return digits if len(digits) >= 6 else None
