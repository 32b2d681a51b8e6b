"""Readable keys made from titles: event_key, category_key."""
import re
import unicodedata

SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "æ": "ae", "å": "aa", "ł": "l", "đ": "d"})


def slug(text):
    """Lower-case ASCII words joined by hyphens; at most 60 characters, never empty."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(SPELLED))
    words = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode())
    return words.strip("-")[:60].strip("-") or "key"


def free(wanted, taken):
    """The key, or the key with the first suffix that `taken(key)` says is free."""
    number, key = 1, wanted
    while taken(key):
        number += 1
        key = f"{wanted}-{number}"
    return key
