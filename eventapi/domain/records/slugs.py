"""Readable keys made from titles, such as event_key and category_key."""

import re
import unicodedata

from eventapi.errors import Problem
from eventapi.storage.folding import fold

# Letters that keys spell with two letters -> the two letters. `fold` spells the other ones.
SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def slug(text):
    """Return the text as lower-case ASCII words joined by hyphens: at most 60 characters, never
    empty.
    """
    plain = fold(unicodedata.normalize("NFC", text).lower().translate(SPELLED))
    words = re.sub(r"[^a-z0-9]+", "-", plain)
    return words.strip("-")[:60].strip("-") or "key"


def free(wanted, taken):
    """Return the key `wanted`, or `wanted-2`, `wanted-3` and so on: the first for which
    `taken(key)` is false.
    """
    number, key = 1, wanted
    while taken(key):
        number += 1
        key = f"{wanted}-{number}"
    return key


def free_key(db, statement, member, title, **scope):
    """Return a key made from the title that no record has; `statement` returns the id of the record
    that has `member`.

    `scope` holds the other parameters of the statement: keys of plans need to be unique within
    their event only.
    """
    return free(slug(title), lambda key: db.value(statement, **{member: key}, **scope))


def new_key(db, statement, noun, member, key, title):
    """Return the key of a new record: the one that was sent, or one made from the title.

    Raise 409 `duplicate` if a record has the key that was sent. Parameters as for `claim_key`.
    """
    key = key or free_key(db, statement, member, title)
    claim_key(db, statement, noun, member, key)
    return key


def claim_key(db, statement, noun, member, key, but=None, **scope):
    """Raise 409 `duplicate` if a record other than the one with the id `but` has the key.

    Parameters as for `free_key`.
    """
    if db.value(statement, **{member: key}, **scope) not in (None, but):
        raise Problem(
            "duplicate",
            f"Another {noun} has the key {key}. Choose another `{member}`.",
            member=member,
        )
