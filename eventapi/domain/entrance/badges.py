"""Badge numbers: drawn at random, with a check character, from characters that nobody takes for one another.

The check character is that of ISO/IEC 7064's pure systems: the weighted sum of all characters is 1 modulo M, the weights being
powers of a radix. M is the number of characters, 23, which is prime, and the radix 5 generates all residues but 0: so one wrong
character always changes the sum, and so does any two characters that change places, next to each other or not.
"""
import secrets

ALPHABET = "23456789ACEFHJKMNPRTWXY"        # without 0 O Q D, 1 I L, B, S, Z, G, U V, which look like others
MODULUS, RADIX = len(ALPHABET), 5
RANDOM = 11                                 # characters: 49 bits, so that of 10^10 guesses not one hits one of 150,000 badges
SEPARATORS = str.maketrans("", "", " -")


def draw():
    """A badge number that nobody can guess."""
    body = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return body + check_character(body)


def check_character(body):
    return ALPHABET[(1 - _weighted(body)) % MODULUS]


def is_valid(number):
    """Whether a number has its check character: what was mistyped has not."""
    known = len(number) == RANDOM + 1 and all(character in ALPHABET for character in number)
    return known and (_weighted(number[:-1]) + ALPHABET.index(number[-1])) % MODULUS == 1


def grouped(number):
    """A number as people read it aloud."""
    return " ".join(number[place:place + 4] for place in range(0, len(number), 4))


def normal(text):
    """A number as it is stored, from how a person types it: any case, in groups or not."""
    return text.upper().translate(SEPARATORS)


def _weighted(body):
    total = 0
    for character in body:
        total = (total + ALPHABET.index(character)) * RADIX % MODULUS
    return total
