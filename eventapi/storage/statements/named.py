"""One statement and its forms: with its optional lines, or without them."""

import re
from collections.abc import Callable

NAME = re.compile(r"^-- name: (\w+)$", re.M)
WHEN = re.compile(r"\s*-- when ([\w ]+)$")
NOTHING = frozenset()


class Statement:
    """One statement and its forms.

    Each form is assembled once and kept, so that SQLite's cache recognises its text.

    Attributes:
        name: `FILE.NAME`.
        lines: (text, words that must be given) of each line.
        words: all words of the optional lines.
        sorts: sort key -> SQL expression, for a list.
    """

    def __init__(self, name: str, source: str):
        self.name, self.lines, self.sorts, self.forms = name, [], {}, {}
        for line in source.splitlines():
            when = WHEN.search(line)
            text = line[: when.start()] if when else line
            if text.strip() and not text.startswith("--"):
                self.lines.append((text, frozenset(when[1].split()) if when else NOTHING))
        self.lines[-1] = (self.lines[-1][0].removesuffix(";"), self.lines[-1][1])
        self.words = frozenset().union(*(words for _, words in self.lines))

    def plain(self) -> str:
        """Return the statement without its optional lines."""
        return self.form(NOTHING)

    def form(self, given: frozenset) -> str:
        """Return the statement with the optional lines whose words are all given."""
        return self.kept(("form", given & self.words), lambda: "\n".join(chosen(self.lines, given)))

    def kept(self, key: tuple, build: Callable[[], str]) -> str:
        """Return the text that `build` has made for the key once."""
        text = self.forms.get(key)
        if text is None:
            text = self.forms[key] = build()
        return text


def chosen(lines: list[tuple[str, frozenset]], given: frozenset) -> list[str]:
    """Return the texts of the lines whose words are all given."""
    return [text for text, words in lines if words <= given]
