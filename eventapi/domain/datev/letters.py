"""Letters that Windows-1252 lacks, and what is written instead of them.

Accents that the character set lacks are left out (ő becomes o), and so are those of letters that Unicode does not
take apart (ł becomes l). Greek and Cyrillic letters are transliterated (ISO 843, ISO 9 without accents). Any other
letter becomes `?`.
"""
import unicodedata
from functools import lru_cache

CHARSET = "cp1252"
# Letters without a decomposition, and signs that look like one of Windows-1252: minus, hyphens, dashes, primes, a
# reversed quotation mark, the slash of fractions and the apostrophe as a letter.
OTHERS = dict(zip("łŁđĐħĦıŋŊĸŧŦəƏẞ\u2212\u2010\u2011\u2012\u2015\u2032\u2033\u201b\u2044\u02bc", [
    *"lLdDhHinNktTeE", "SS", "-", "-", "-", "-", "-", "'", '"', "'", "/", "'"], strict=True))
GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", [
    "a", "v", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s", "s", "t", "y", "f", "ch",
    "ps", "o"], strict=True))
CYRILLIC = dict(zip("абвгдежзийклмнопрстуфхцчшщъыьэюяђѓєѕіїјљњћќўџґѐѝё", [
    "a", "b", "v", "g", "d", "e", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "h", "ts",
    "ch", "sh", "sht", "a", "y", "", "e", "yu", "ya", "dj", "g", "ye", "dz", "i", "yi", "j", "lj", "nj", "c", "k", "u",
    "dz", "g", "e", "i", "yo"], strict=True))
LETTERS = {**OTHERS, **GREEK, **CYRILLIC,
           **{letter.upper(): text.capitalize() for letter, text in {**GREEK, **CYRILLIC}.items() if letter != "ς"}}


def written(text):
    """Return the text as it can be written in Windows-1252, in one line without control characters."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    text = unicodedata.normalize("NFC", text)
    if not text.isascii():
        text = "".join(map(_letter, text))
    return " ".join("".join(letter if letter >= " " else " " for letter in text).split())


@lru_cache(maxsize=1000)
def _letter(letter):
    """Return what is written for one letter: itself, its transliteration, or `?`."""
    kind = unicodedata.category(letter)
    if kind in ("Cc", "Zs", "Zl", "Zp"):                # control characters and spaces, such as the no-break space
        return " "
    if kind == "Cf":                                    # such as a zero-width joiner
        return ""
    if _is_known(letter):
        return letter
    if letter in LETTERS:
        return LETTERS[letter]
    plain = "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
    return "".join(part if _is_known(part) else LETTERS.get(part, "?") for part in plain)


def _is_known(letter):
    try:
        return len(letter.encode(CHARSET)) == 1
    except UnicodeEncodeError:
        return False
