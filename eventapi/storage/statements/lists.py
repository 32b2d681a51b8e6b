"""Lists: statements with filters and sort keys, and the texts by which their pages, cursors and
totals are read.

A list begins with SELECT, has FROM at the start of a line, accepts `ids` in the line `AND id IN
(SELECT value FROM json_each(:ids))`, and ends in `ORDER BY {sort} {order} … -- sort:
word=expression …`. The words are the sort keys that a client may send, and only the expressions
reach SQLite. The sort key `id` orders rows with equal values.

SQLite first selects the ids of a page, and then reads the rows with these ids: so only ids are
sorted and skipped, and only rows that are shown are joined and read.

The examples below are of the list of payments, shortened.
"""

import re

from eventapi.storage.statements.named import Statement, chosen

SORT = re.compile(r"[ ]*-- sort: (.+)$", re.M)
# word=column, or word=(SELECT …) with at most one level of parentheses inside
WORD = re.compile(r"(\w+)=(\((?:[^()]|\([^()]*\))*\)|\S+)")
IDS = "SELECT value FROM json_each(:ids)"
ONLY_IDS = frozenset(["ids"])
ONLY_SEARCH = re.compile(
    r"\s*WHERE TRUE\s+AND \w+\.id IN \(SELECT rowid (FROM \w+ WHERE \w+ MATCH :search)\)\s*"
)


class ListStatement(Statement):
    """One list.

    Attributes, besides those of Statement:
        tie: the expression of the sort key `id`.
        head, body, last: the lines before FROM, from there to the last one, and the text of the last one, ORDER BY.
    """

    def __init__(self, name: str, source: str):
        super().__init__(name, SORT.sub("", source))
        self.sorts = dict(WORD.findall(SORT.search(source)[1]))
        self.tie = self.sorts.get("id")
        starts = [i for i, (text, _) in enumerate(self.lines) if text.lstrip().startswith("FROM ")]
        self.last = self.lines[-1][0]
        if (
            not starts
            or self.tie is None
            or not self.last.lstrip().startswith("ORDER BY {sort} {order}")
        ):
            raise ValueError(
                f"{name} is a list, but lacks a line FROM, the sort key id or ORDER BY {{sort}} {{order}}"
            )
        self.head, self.body = self.lines[: starts[0]], self.lines[starts[0] : -1]
        filters = [text for text, words in self.body if words == ONLY_IDS]
        if filters != [f"   AND {self.tie} IN ({IDS})"]:
            raise ValueError(
                f"{name} is a list, but lacks the line AND {self.tie} IN ({IDS})  -- when ids"
            )
        joined = re.findall(
            r"^\s*LEFT JOIN \w+ (\w+)", "\n".join(text for text, _ in self.body), re.M
        )
        if any(
            re.search(rf"\b{alias}\.", column) for alias in joined for column in self.sorts.values()
        ):
            raise ValueError(
                f"{name} is a list, but lacks a sort column of its own: only shown rows are joined"
            )

    def page(self, given: frozenset, sort: str, order: str) -> str:
        """Return a page of the rows, with the parameters :limit and :offset.

        SELECT p.id, p.amount … FROM payments p LEFT JOIN invoices i … WHERE TRUE AND p.id IN (…)
         ORDER BY p.amount ASC NULLS LAST, p.id ASC
        """
        return self.kept(
            ("page", given & self.words, sort, order),
            lambda: self._rows(self.head, given, sort, order, "page"),
        )

    def after(self, given: frozenset, sort: str, order: str, part: str) -> str:
        """Return a part of the rows after a cursor. `part` is one of `parts`.

        The parameters are those of a page, :after_value and :after_id; a part from the beginning
        needs only the first.

            SELECT p.amount AS after_value, p.id, p.amount … WHERE TRUE AND p.id IN (…) ORDER BY …
        """

        def build():
            (first, words), *others = self.head
            head = [
                (
                    f"SELECT {self.sorts[sort]} AS after_value, {first.lstrip().removeprefix('SELECT ')}",
                    words,
                )
            ]
            return self._rows([*head, *others], given, sort, order, part)

        return self.kept(("after", given & self.words, sort, order, part), build)

    def ids(self, given: frozenset, sort: str, order: str, part: str = "page") -> str:
        """Return the ids of the rows of a page, or of a part after a cursor.

        SELECT p.id FROM payments p WHERE TRUE AND p.amount = :after_value AND p.id > :after_id
         ORDER BY p.amount ASC NULLS LAST, p.id ASC LIMIT :limit OFFSET :offset
        """
        condition = [] if part == "page" else [self._condition(sort, order, part)]
        return "\n".join(
            [
                f"SELECT {self.tie}",
                *self._filtered(given),
                *condition,
                f"{self._order(sort, order)} LIMIT :limit OFFSET :offset",
            ]
        )

    def parts(self, sort: str, cursor: tuple | None) -> tuple[str, ...]:
        """Return the parts of the list after a cursor (value, id), in order; from the beginning if
        it is None.

        `same` has the rows with the value of the cursor, and `next` those with a later value: one
        comparison of both, (value, id) > (:after_value, :after_id), would read all rows with the
        same value. Rows whose value is NULL come last (`null`, and `first null` from their
        beginning). Ids are never equal and never NULL.
        """
        if self.sorts[sort] == self.tie:
            return ("next",) if cursor else ("first",)
        if cursor and cursor[0] is None:
            return ("null",)
        return ("same", "next", "first null") if cursor else ("first", "first null")

    def count(self, given: frozenset) -> str:
        """Return the statement that counts the rows of the list.

            SELECT count(*) FROM payments p WHERE TRUE AND p.invoice_id = :invoice_id

        What only a search finds is counted in its index, which has the same rows: 150,000 in 3 ms
        instead of 20.

            SELECT count(*) FROM payments_search WHERE payments_search MATCH :search
        """

        def build():
            table, *conditions = self._filtered(given)
            search = ONLY_SEARCH.fullmatch("\n".join(conditions))
            if search:
                return f"SELECT count(*) {search[1]}"
            return "\n".join(["SELECT count(*)", table, *conditions])

        return self.kept(("count", given & self.words), build)

    def totals(self, statement: Statement, given: frozenset) -> str:
        """Return the text of `statement` for all rows of the list. It names them as a list does: `IN
        (SELECT value FROM json_each(:ids))`.
        """

        def build():
            ids = "\n".join([f"SELECT {self.tie}", *self._filtered(given)])
            return statement.plain().replace(IDS, f"\n{ids}", 1)

        return self.kept(("totals", statement.name, given & self.words), build)

    def _rows(self, head, given, sort, order, part):
        """Return the text that reads the rows of a page or part.

        The condition of `ids` gets the ids of these rows.
        """
        rows = "\n".join(
            [*chosen(head, ONLY_IDS), *chosen(self.body, ONLY_IDS), self._order(sort, order)]
        )
        return rows.replace(IDS, f"\n{self.ids(given, sort, order, part)}", 1)

    def _order(self, sort, order):
        last = " ORDER BY {sort} {order}" if self.sorts[sort] == self.tie else self.last
        return last.format(sort=self.sorts[sort], order=order)

    def _filtered(self, given):
        """Return the chosen lines from FROM on without LEFT JOIN: these do not filter, and no list
        sorts by them.
        """
        return [
            line for line in chosen(self.body, given) if not line.lstrip().startswith("LEFT JOIN ")
        ]

    def _condition(self, sort, order, part):
        column, than = self.sorts[sort], "<" if order == "DESC" else ">"
        return {
            "first": f"   AND {column} IS NOT NULL",
            "same": f"   AND {column} = :after_value AND {self.tie} {than} :after_id",
            "next": f"   AND {column} {than} {':after_id' if column == self.tie else ':after_value'}",
            "first null": f"   AND {column} IS NULL",
            "null": f"   AND {column} IS NULL AND {self.tie} {than} :after_id",
        }[part]
