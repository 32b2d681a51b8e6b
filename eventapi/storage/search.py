"""Search by words and beginnings of words, any case, with or without accents: FTS5 match expressions."""
import re

NOTHING = '""'


def expression(text):
    """The match expression for what a person typed: every word must begin a word of the record."""
    words = re.findall(r"\w+", text)[:20]
    return " ".join(f'"{word}"*' for word in words) or NOTHING


def pattern(text):
    """What LIKE … ESCAPE '\\' wants to find a text anywhere in another, letters A to Z in any case."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
