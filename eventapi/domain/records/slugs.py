"""Readable keys made from titles, such as event_key and category_key."""
import re
import unicodedata

from eventapi.errors import Problem

# letter -> how it is spelled in ASCII
SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "æ": "ae", "å": "aa", "ł": "l",
                         "đ": "d"})


def slug(text):
    """Return the text as lower-case ASCII words joined by hyphens: at most 60 characters, never empty."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(SPELLED))
    words = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode())
    return words.strip("-")[:60].strip("-") or "key"


def free(wanted, taken):
    """Return the key `wanted`, or `wanted-2`, `wanted-3` and so on: the first for which `taken(key)` is false."""
    number, key = 1, wanted
    while taken(key):
        number += 1
        key = f"{wanted}-{number}"
    return key


def free_key(db, statement, member, title, **scope):
    """Return a key made from the title that no record has; `statement` returns the id of the record that has `member`.

    `scope` holds the other parameters of the statement: keys of plans need to be unique within their event only.
    """
    return free(slug(title), lambda key: db.value(statement, **{member: key}, **scope))


def claim_key(db, statement, noun, member, key, but=None, **scope):
    """Raise 409 `duplicate` if a record other than the one with the id `but` has the key.

    Parameters as for `free_key`.
    """
    if db.value(statement, **{member: key}, **scope) not in (None, but):
        raise Problem("duplicate", f"Another {noun} has the key {key}. Choose another `{member}`.", member=member)
