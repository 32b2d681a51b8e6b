"""Search texts as SQLite understands them: FTS5 match expressions, and patterns of LIKE."""
import re

NOTHING = '""'


def expression(text: str) -> str:
    """Return the match expression for what a person typed. Each of the first 20 words must begin a word of the record.

    Case and accents make no difference. A text without a word matches nothing.
    """
    words = re.findall(r"\w+", text)[:20]
    return " ".join(f'"{word}"*' for word in words) or NOTHING


def pattern(text: str) -> str:
    """Return the pattern with which `LIKE … ESCAPE '\\'` finds a text anywhere in another.

    Case makes no difference for A to Z.
    """
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
