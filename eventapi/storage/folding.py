"""Folded text: the forms in which texts are compared, sorted and searched.

Texts that people read as the same have the same form: Straße and STRASSE, Ærø and AERO, composed
and decomposed accents.
"""

import re
import unicodedata

NOTHING = '""'
# Letters that Unicode does not decompose -> the letters that people type instead.
SPELLED = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "ð": "d",
        "ŋ": "n",
        "ı": "i",
        "ȷ": "j",
        "ĸ": "k",
        "ⱥ": "a",
        "ƀ": "b",
        "ȼ": "c",
        "đ": "d",
        "ɇ": "e",
        "ǥ": "g",
        "ħ": "h",
        "ɨ": "i",
        "ɉ": "j",
        "ł": "l",
        "ƚ": "l",
        "ø": "o",
        "ɍ": "r",
        "ŧ": "t",
        "ⱦ": "t",
        "ʉ": "u",
        "ɏ": "y",
        "ƶ": "z",
    }
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
DIGITS = re.compile(r"0*([0-9]+)")
GROUPS = re.compile(r"[0-9]+|[^\W\d_]+")  # of a folded text: runs of digits, and runs of letters


class _Plain(dict):
    """Code point of a decomposed text in lower case -> what replaces it.

    Entries are added when they are needed.
    """

    def __missing__(self, code):
        # An accent has one of these classes. Marks of other classes make another letter: Hindi,
        # Japanese, Thai.
        order = unicodedata.combining(chr(code))
        is_accent = order == 1 or 10 <= order <= 35 or order >= 200
        self[code] = "" if is_accent else code
        return self[code]


PLAIN = _Plain(SPELLED)


def fold(text: str | None) -> str | None:
    """Return the text without differences of case, accents, width, ligatures and spacing; None for
    None.

    Folding a folded text changes nothing.
    """
    if text is None or text.isascii():
        return text and " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(unicodedata.normalize("NFC", decomposed.translate(PLAIN)).split())


def natural_key(text: str | None) -> str | None:
    """Return the folded text, with numbers in a form that sorts by value: A2 comes before A10.

    None for None.

    The number of digits precedes each number, so that a plain comparison of texts compares the
    values.
    """
    return text and DIGITS.sub(lambda number: f"{len(number[1]):03}{number[1]}", fold(text))


def letters(text: str | None) -> str | None:
    """Return the letters and digits of the folded text; None for None.

    Mueller, Müller and Muller have the same form.

    Two names with the same form are probably one name, so this form finds duplicates. It is too
    coarse for sorting.
    """
    kept = text and re.sub(r"[\W_]+", "", fold(text))
    return kept and without_spelling(kept)


def without_spelling(folded: str) -> str:
    """Return a folded text in which a letter and its spelling are the same: Mueller becomes muller.

    What begins a text still begins it in this form.
    """
    return re.sub(r"([aou])e", r"\1", folded).replace("aa", "a")


def number_letters(text: str | None) -> str | None:
    """Return the letters and digits of a number such as that of an invoice: inv202600017.

    None for None.
    """
    return text and "".join(GROUPS.findall(fold(text)))


def number_key(text: str | None) -> str | None:
    """Return `number_letters` without the leading zeros of each group of digits: inv202617.

    None for None.
    """
    return text and "".join(group.lstrip("0") or group[:1] for group in GROUPS.findall(fold(text)))


def spellings(word: str) -> list[str]:
    """Return the folded forms by which a word may be written: of Müller muller and mueller, of
    Mueller both as well.

    An e at the end of the word stays, since the rest of it would begin many other words.
    """
    folded = fold(word)
    spelled_out = fold(unicodedata.normalize("NFC", word).casefold().translate(UMLAUTS))
    return [*dict.fromkeys((folded, spelled_out, re.sub(r"([aou])e(?=\w)", r"\1", folded)))]


def expression(text: str) -> str:
    """Return the match expression for what a person typed.

    Each of the first 20 words must begin a word of the record.

    A word with an umlaut also finds its spelling with e, and the other way round: Müller, Mueller.

    The words of a number, such as those of INV-2026-00001, must follow one another in the record:
    otherwise it would also find the other invoices of the customer C-00001. The indexes hold folded
    text, so the words are folded as well. A text without a word matches nothing.
    """
    words = []
    for part in unicodedata.normalize("NFC", text).split():
        found = re.findall(r"\w+", fold(part))
        if any(map(str.isdecimal, fold(part))):
            words.append([" ".join(found)])
        else:
            words += map(spellings, re.findall(r"\w+", part))
    alternatives = (" OR ".join(f'"{form}"*' for form in forms if form) for forms in words[:20])
    return (
        " AND ".join(f"({forms})" if " OR " in forms else forms for forms in alternatives if forms)
        or NOTHING
    )


def pattern(text: str) -> str:
    """Return the pattern with which `LIKE … ESCAPE '\\'` finds a text anywhere in a folded text."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", fold(text)) + "%"
