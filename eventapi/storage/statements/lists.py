"""Lists: statements with filters and sort keys, and the texts by which their pages, cursors and totals are read.

A list begins with SELECT, has FROM at the start of a line, accepts `ids` in the line `AND id IN (SELECT value FROM
json_each(:ids))`, and ends in `ORDER BY {sort} {order} … -- sort: word=expression …`. The words are the sort keys that
a client may send, and only the expressions reach SQLite. The sort key `id` orders rows with equal values.

Statements NAME_total… beside a list NAME, which add up a kept table, give the total of the list: the first that knows
all the words that are given. A list with the line `-- rows: NAME` finds only ids: its rows are those of the list NAME.

The examples below are of the list of payments, shortened.
"""
import re

from eventapi.storage.statements.named import NOTHING, Statement, chosen

SORT = re.compile(r"[ ]*-- sort: (.+)$", re.M)
ROWS = re.compile(r"^-- (?:rows|merged): (\w+)$", re.M)
MERGED = re.compile(r"^-- merged: ", re.M)
CHANGED = re.compile(r"likelihood\((\w+)\.updated_at >= :updated_since, 0\.0001\)")
IDS = "SELECT value FROM json_each(:ids)"
FEW = 5000                  # rows whose ids are sorted at once: it takes a millisecond
WALK = 1000                 # rows that a list tests in its order, before it sorts more than FEW
OTHER = {"ASC": "DESC", "DESC": "ASC"}


class ListStatement(Statement):
    """One list.

    Attributes, besides those of Statement:
        tie: the expression of the sort key `id`.
        head, body, last: the lines before FROM, from there to the last one, and the text of the last one, ORDER BY.
        changed: the condition of `updated_since`, if it has a hint that makes SQLite read the index by updated_at.
    """

    def __init__(self, name: str, source: str):
        super().__init__(name, SORT.sub("", source))
        self.sorts = dict(word.split("=", 1) for word in SORT.search(source)[1].split())
        self.tie = self.sorts.get("id")
        starts = [i for i, (text, _) in enumerate(self.lines) if text.lstrip().startswith("FROM ")]
        self.last = self.lines[-1][0]
        if not starts or self.tie is None or not self.last.lstrip().startswith("ORDER BY {sort} {order}"):
            raise ValueError(f"{name} is a list, but lacks a line FROM, the sort key id or ORDER BY {{sort}} {{order}}")
        self.head, self.body = self.lines[:starts[0]], self.lines[starts[0]:-1]
        filters = [text for text, words in self.body if words == {"ids"}]
        if not ROWS.search(source) and filters != [f"   AND {self.tie} IN ({IDS})"]:
            raise ValueError(f"{name} is a list, but lacks the line AND {self.tie} IN ({IDS})  -- when ids")
        joined = re.findall(r"^\s*LEFT JOIN \w+ (\w+)", "\n".join(text for text, _ in self.body), re.M)
        if any(re.search(rf"\b{alias}\.", column) for alias in joined for column in self.sorts.values()):
            raise ValueError(f"{name} is a list, but lacks a sort column of its own: only shown rows are joined")
        self.changed = next((found for text, _ in self.body for found in CHANGED.finditer(text)), None)

    def page(self, given: frozenset, sort: str, order: str) -> str:
        """Return a page of the rows, with the parameters :limit and :offset.

            SELECT p.id, p.amount … FROM payments p WHERE TRUE
             ORDER BY p.amount ASC NULLS LAST, p.id ASC LIMIT :limit OFFSET :offset
        """
        return self.kept(("page", given & self.words, sort, order), lambda: self._text(
            chosen(self.head, given), chosen(self.body, given), (sort, order, "page"), " LIMIT :limit OFFSET :offset"))

    def after(self, given: frozenset, sort: str, order: str, part: str) -> str:
        """Return a part of the rows after a cursor, with the parameters :limit, :after_value and :after_id.

            SELECT p.amount AS after_value, p.id … FROM payments p WHERE TRUE
               AND p.amount = :after_value AND p.id > :after_id
             ORDER BY p.amount ASC NULLS LAST, p.id ASC LIMIT :limit

        `part` is one of `parts`. Those from the beginning take only :limit.
        """
        return self.kept(("after", given & self.words, sort, order, part), lambda: self._text(
            self._head(sort, part), chosen(self.body, given), (sort, order, part), " LIMIT :limit"))

    def parts(self, sort: str, cursor: tuple | None) -> tuple[str, ...]:
        """Return the parts of the list after a cursor (value, id), in order; from the beginning if it is None.

        `same` has the rows with the value of the cursor, and `next` those with a later value: one comparison of both,
        (value, id) > (:after_value, :after_id), would read all rows with the same value. Rows whose value is NULL come
        last (`null`, and `first null` from their beginning). Ids are never equal and never NULL.
        """
        if self.sorts[sort] == self.tie:
            return ("next",) if cursor else ("first",)
        if cursor and cursor[0] is None:
            return ("null",)
        return ("same", "next", "first null") if cursor else ("first", "first null")

    def ids(self, given: frozenset, sort: str, order: str, part: str = "page", *, is_backwards: bool = False,
            by_filter: bool = False) -> str:
        """Return the ids of a page, or of a part as `after` knows it, with the parameters :limit and :offset.

            SELECT p.id FROM payments p WHERE TRUE AND p.status = :status
             ORDER BY p.amount DESC NULLS LAST, p.id DESC LIMIT :limit OFFSET :offset

        With `is_backwards` they are read from the end of the list (ORDER BY p.amount ASC NULLS FIRST, p.id ASC), and
        :offset counts from there. With `by_filter` (ORDER BY +p.amount …) SQLite reads the index of a filter and sorts,
        instead of reading an index in the order of the list.
        """
        return self.kept(("ids", given & self.words, sort, order, part, is_backwards, by_filter), lambda: self._text(
            [f"SELECT {self.tie}"], self._without_joins(given), (sort, order, part), " LIMIT :limit OFFSET :offset",
            is_backwards, "+" if by_filter else ""))

    def rows_of(self, ids: str, sort: str, order: str, part: str = "page") -> str:
        """Return the rows whose ids the text `ids` selects. Only ids were sorted and skipped to find them.

            SELECT p.id, p.amount … FROM payments p WHERE TRUE AND p.id IN (SELECT p.id FROM payments … OFFSET :offset)
             ORDER BY p.amount DESC NULLS LAST, p.id DESC
        """
        if self.rows:
            return self.rows.rows_of(ids, sort, order, part)
        body = chosen(self.body, frozenset(["ids"]))
        return self.kept(("rows", ids, sort, order, part), lambda: self._text(
            self._head(sort, part), body, (sort, order, "page"), "").replace(IDS, ids, 1))

    def walk(self, given: frozenset, sort: str, order: str, part: str = "page", *, is_backwards: bool = False) -> str:
        """Return id and `is_met` of the next WALK rows in the order of the list: whether the filters hold.

            SELECT p.id AS id, p.status = :status AS is_met FROM payments p WHERE TRUE
             ORDER BY p.amount DESC NULLS LAST, p.id DESC LIMIT 1000

        The filters must be conditions on the row alone (`tests_rows`).
        """
        met = "\n".join(self._filters(given)).replace("AND ", "", 1).strip()
        return self.kept(("walk", given & self.words, sort, order, part, is_backwards), lambda: self._text(
            [f"SELECT {self.tie} AS id, {met} AS is_met"], self._without_joins(NOTHING), (sort, order, part),
            f" LIMIT {WALK}", is_backwards))

    def near_ids(self, given: frozenset, sort: str, order: str, part: str = "page", *,
                 is_backwards: bool = False) -> str:
        """Return the ids that `ids` returns, but only those among the next WALK rows in the order of the list.

            SELECT id FROM (SELECT p.id AS id, p.status = :status AS is_met … LIMIT 1000) WHERE is_met
             LIMIT :limit OFFSET :offset
        """
        walk = self.walk(given, sort, order, part, is_backwards=is_backwards)
        return f"SELECT id FROM ({walk}) WHERE is_met LIMIT :limit OFFSET :offset"

    def many(self, words: frozenset) -> str:
        """Return a text that gives a row if more than FEW rows match the filters of these words.

            SELECT 1 FROM payments p WHERE TRUE AND p.status = :status LIMIT 1 OFFSET 5000
        """
        return self.kept(("many", words), lambda: "\n".join(
            ["SELECT 1", *self._without_joins(words), f" LIMIT 1 OFFSET {FEW}"]))

    def columns(self, given: frozenset) -> list[frozenset]:
        """Return the words by the column that they compare: `date_from` and `date_to` are one range of one index."""
        def build():
            found = {}
            for text, words in self.body:
                if words and words <= given:
                    column = re.search(r"\w+\.\w+", text)
                    found[column and column[0]] = found.get(column and column[0], NOTHING) | words
            return list(found.values())
        return self.kept(("columns", given & self.words), build)

    def tests_rows(self, given: frozenset) -> bool:
        """Return whether the filters compare only columns of the row, so that a row can be tested by itself."""
        return self.kept(("tests", given & self.words), lambda: all(
            line.lstrip().startswith("AND ") and "SELECT" not in line for line in self._filters(given)))

    def without_hint(self, text: str) -> str:
        """Return a text of this list that never reads the index by updated_at: `+p.updated_at >= :updated_since`."""
        return text.replace(self.changed[0], f"+{self.changed[1]}.updated_at >= :updated_since")

    def unchanged(self, text: str) -> str:
        """Return a text of this list for the rows that were last changed before `updated_since`."""
        return text.replace(self.changed[0], self.changed[0].replace(">=", "<"))

    def count(self, given: frozenset) -> str:
        """Return the statement that counts the rows of the list: one of `totals` if it knows these words, or this.

            SELECT count(*) FROM payments p WHERE TRUE AND p.invoice_id = :invoice_id
            WITH chosen(id) AS (SELECT contact_id FROM contact_tags WHERE tag = :tag)
            SELECT count(*) FROM chosen c WHERE TRUE

        It has no LEFT JOIN, since these do not filter. With X_many, rows are tested one by one in the order of the
        list. So unless a filter is X_few, for which SQLite reads an index, the first X_many becomes that.
        """
        total = next((total for total in self.totals if given & self.words <= total.words), None)
        if total:
            return total.form(given)
        return self.kept(("count", given & self.words), lambda: "\n".join(self._counting(self._with_few(given))))

    def _with_few(self, given):
        pairs = [(word, re.sub("_many$", "_few", word)) for _, words in self.lines for word in words & given]
        few = [(many, word) for many, word in pairs if many != word and word in self.words]
        return given - {few[0][0]} | {few[0][1]} if few and not any(word.endswith("_few") for word in given) else given

    def _counting(self, given):
        head = [line for line in chosen(self.head, given) if line.lstrip().startswith("WITH ")]
        body = self._without_joins(given)
        return self._counting_ids(body) or [*head, "SELECT count(*)", *body]

    def _counting_ids(self, body):
        """Return the lines that count the ids of the first `AND id IN (SELECT …)`, if only ids are compared."""
        alias = self.tie.partition(".")[0]
        subselect = re.compile(rf"\s*AND {self.tie} IN \(SELECT .*\)")
        found = [line for line in body if subselect.fullmatch(line) and IDS not in line and ":updated" not in line]
        if not found or body[1:2] != [" WHERE TRUE"]:
            return None
        rest = [line for line in body[2:] if line is not found[0]]
        if set(re.findall(rf"\b{alias}\.\w+", "\n".join(rest))) - {self.tie}:
            return None
        ids = found[0].partition(" IN ")[2]
        how = "MATERIALIZED " if rest else ""           # SQLite would repeat a search for each id of the rest
        return [f"WITH chosen(id) AS {how}{ids}", f"SELECT count(*) FROM chosen {alias}", " WHERE TRUE", *rest]

    def _filters(self, given):
        """Return the optional conditions that are chosen, each beginning with AND."""
        return [text for text, words in self.body if words and words <= given]

    def _without_joins(self, given):
        """Return the chosen lines from FROM on without LEFT JOIN: these do not filter, and no list sorts by them."""
        return [line for line in chosen(self.body, given) if not line.lstrip().startswith("LEFT JOIN ")]

    def _head(self, sort, part):
        """Return the lines before FROM; for a part after a cursor, with the sort value in front."""
        first, *others = chosen(self.head, NOTHING)
        if part == "page":
            return [first, *others]
        return [f"SELECT {self.sorts[sort]} AS after_value, " + first.lstrip().removeprefix("SELECT "), *others]

    def _text(self, head, body, place, limit, is_backwards=False, plus=""):
        """Return a text: what it selects, the tables and filters, the condition of the part, the order and the limit.

        `plus` in front of the sort expression makes SQLite sort by it instead of reading an index.
        """
        sort, order, part = place
        column = plus + self.sorts[sort]
        last = self.last if self.sorts[sort] != self.tie else " ORDER BY {sort} {order}"
        reading = last.format(sort=column, order=OTHER[order] if is_backwards else order)
        if is_backwards:
            reading = reading.replace("NULLS LAST", "NULLS FIRST")
        condition = self._condition(column, order, part, plus)
        return "\n".join([*head, *body, *condition, *filter(None, [reading, limit])])

    def _condition(self, column, order, part, plus):
        than = "<" if order == "DESC" else ">"
        last = ":after_id" if column == plus + self.tie else ":after_value"
        return {
            "page": [],
            "first": [f"   AND {column} IS NOT NULL"],
            "same": [f"   AND {column} = :after_value AND {plus}{self.tie} {than} :after_id"],
            "next": [f"   AND {column} {than} {last}"],
            "first null": [f"   AND {column} IS NULL"],
            "null": [f"   AND {column} IS NULL AND {plus}{self.tie} {than} :after_id"],
        }[part]
