"""Badge numbers: random characters that are hard to confuse, followed by a check character.

The check character is that of a pure system of ISO/IEC 7064: the weighted sum of all characters is
1 modulo M, and the weights are powers of a radix. M is the number of characters, 23, which is
prime. The radix 5 generates all residues except 0. Therefore one wrong character always changes the
sum, and so does any swap of two characters.

A participant has the number of its badge, and aliases: numbers that were replaced, and those of
participants that a merge of contacts removed. An alias is valid or replaced.
"""

import secrets

from eventapi.storage.statements import statements

sql = statements("badge_numbers")

ALPHABET = "23456789ACEFHJKMNPRTWXY"  # without 0 O Q D, 1 I L, B, S, Z, G, U V, which look alike
MODULUS, RADIX = len(ALPHABET), 5
RANDOM = 11  # random characters, 49 bits: 10^10 guesses do not hit one of 150,000 badges
SEPARATORS = str.maketrans("", "", " -")


def draw():
    """Return a new badge number that cannot be guessed."""
    body = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return body + check_character(body)


def check_character(body):
    """Return the check character for the random characters of a badge number."""
    return ALPHABET[(1 - _weighted(body)) % MODULUS]


def is_valid(number):
    """Return whether a number has the right length, characters and check character.

    A mistyped one does not.
    """
    known = len(number) == RANDOM + 1 and all(character in ALPHABET for character in number)
    return known and (_weighted(number[:-1]) + ALPHABET.index(number[-1])) % MODULUS == 1


def grouped(number):
    """Return a number in groups of four characters, which are easy to read aloud."""
    return " ".join(number[place : place + 4] for place in range(0, len(number), 4))


def normal(text):
    """Return a number as stored: in upper case, without spaces and hyphens."""
    return text.upper().translate(SEPARATORS)


def _weighted(body):
    total = 0
    for character in body:
        total = (total + ALPHABET.index(character)) * RADIX % MODULUS
    return total


def holder(db, number):
    """Return `{id, replaced_at}` with the id of the participant that has or had this number, or
    None.

    `replaced_at` is None for a valid number.
    """
    return db.one(sql.holder, badge_number=number)


def free(db):
    """Return a new number that no badge has or had."""
    number = draw()
    while holder(db, number):
        number = draw()
    return number


def replace(db, participant_id):
    """Give a participant a new number, and mark its number and all its aliases as replaced."""
    db.run(sql.retire_aliases, id=participant_id, now=db.now)
    db.run(sql.retire, id=participant_id, now=db.now)
    db.run(sql.renumber, id=participant_id, badge_number=free(db), now=db.now)
