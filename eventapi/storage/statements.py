"""Named SQL statements, read from the files in sql/.

Each statement has a heading `-- name: NAME`. A line that ends in `-- when WORD [WORD …]` is part of the statement only
if all these words are given: a filter that is not used costs nothing. A list ends in
`ORDER BY {sort} {order} … -- sort: word=expression …`, where the words are the sort keys that a client may send. Only
the expressions reach SQLite.

Each form of a statement is assembled once and kept, so that the statement cache of SQLite recognises its text.
"""
import re
from functools import lru_cache
from types import SimpleNamespace

from eventapi import paths

NAME = re.compile(r"^-- name: (\w+)$", re.M)
WHEN = re.compile(r"\s*-- when ([\w ]+)$")
SORT = re.compile(r"\s*-- sort: (.+)$")
NOTHING = frozenset()


class Statement:
    """One statement and its forms.

    Attributes:
        name: `FILE.NAME`.
        lines: (text, words that must be given) of each line.
        sorts: sort key -> SQL expression.
        words: all words of the optional lines.
        tie: the expression of the sort key `id`, which orders rows with equal values.
    """

    def __init__(self, name: str, source: str):
        self.name, self.lines, self.sorts = name, [], {}
        for line in source.splitlines():
            sort, when = SORT.search(line), WHEN.search(line)
            if sort:
                self.sorts = dict(word.split("=", 1) for word in sort[1].split())
                line = line[:sort.start()]
            words = frozenset(when[1].split()) if when else NOTHING
            text = line[:when.start()] if when else line
            if text.strip() and not text.startswith("--"):
                self.lines.append((text, words))
        self.lines[-1] = (self.lines[-1][0].removesuffix(";"), self.lines[-1][1])
        self.words = frozenset().union(*(words for _, words in self.lines))
        self.tie = self.sorts.get("id")
        self.forms = {}

    def plain(self) -> str:
        """Return the statement without its optional lines."""
        return self.form(NOTHING)

    def form(self, given: frozenset) -> str:
        """Return the statement with the optional lines whose words are all given."""
        return self._kept(("form", given & self.words), lambda: "\n".join(self._chosen(given)))

    def page(self, given: frozenset, sort: str, order: str) -> str:
        """Return the list sorted, with the parameters :limit and :offset."""
        return self._kept(("page", given & self.words, sort, order), lambda: "\n".join(
            [*self._ordered(given, sort, order), " LIMIT :limit OFFSET :offset"]))

    def after(self, given: frozenset, sort: str, order: str, part: str) -> str:
        """Return a part of the list after a cursor, with the parameters :limit, :after_value and :after_id.

        The rows whose sort value is NULL come last, and a row comparison drops them. So there are four parts: `first`
        and `value` read the rows with a value, from the beginning or after a cursor, and `first null` and `null` read
        the rest in the same way. The parts from the beginning take only :limit.
        """
        key = "after", given & self.words, sort, order, part
        return self._kept(key, lambda: self._after(given, sort, order, part))

    def count(self, given: frozenset) -> str:
        """Return the statement that counts the rows of the list.

        It begins with the first line FROM, and has no LEFT JOIN, since these do not filter.
        """
        def build():
            lines = self._chosen(given)
            start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("FROM "))
            stop = next(i for i, line in enumerate(lines) if line.lstrip().startswith("ORDER BY "))
            head = [line for line in lines[:start] if line.lstrip().startswith("WITH ")]
            body = [line for line in lines[start:stop] if not line.lstrip().startswith("LEFT JOIN ")]
            return "\n".join([*head, "SELECT count(*)", *body])
        return self._kept(("count", given & self.words), build)

    def _kept(self, key, build):
        text = self.forms.get(key)
        if text is None:
            text = self.forms[key] = build()
        return text

    def _chosen(self, given):
        return [text for text, words in self.lines if words <= given]

    def _ordered(self, given, sort, order):
        words = {"sort": self.sorts[sort], "order": order}
        return [line.format(**words) if line.lstrip().startswith("ORDER BY") else line for line in self._chosen(given)]

    def _after(self, given, sort, order, part):
        lines, column, than = self._ordered(given, sort, order), self.sorts[sort], "<" if order == "DESC" else ">"
        condition = {
            "first": f"   AND {column} IS NOT NULL",
            "value": f"   AND ({column}, {self.tie}) {than} (:after_value, :after_id)",
            "first null": f"   AND {column} IS NULL",
            "null": f"   AND {column} IS NULL AND {self.tie} {than} :after_id",
        }[part]
        stop = next(i for i, line in enumerate(lines) if line.lstrip().startswith("ORDER BY "))
        head = [f"SELECT {column} AS after_value, " + lines[0].lstrip().removeprefix("SELECT ")]
        return "\n".join([*head, *lines[1:stop], condition, *lines[stop:], " LIMIT :limit"])


@lru_cache(maxsize=None)
def statements(name: str) -> SimpleNamespace:
    """Return the statements of sql/NAME.sql as attributes."""
    source = (paths.folder("sql") / f"{name}.sql").read_text(encoding="utf-8")
    _, *parts = NAME.split(source)
    named = zip(parts[::2], parts[1::2], strict=True)
    return SimpleNamespace(**{part: Statement(f"{name}.{part}", text) for part, text in named})
