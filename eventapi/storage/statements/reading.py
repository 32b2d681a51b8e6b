"""Read the rows and the total of a list without reading many other rows.

Without a filter, SQLite reads an index in the order of the list. With one, either an index has the rows in this order,
or the order and the filter need different indexes. Then Reading decides which of the two is read:

1. If no more than FEW rows pass the filters, their ids are sorted.
2. Otherwise enough of them are probably near: the filters are tested on the next WALK rows in the order of the list.
3. If these are not enough, the ids of all rows that pass are sorted.

docs/architecture.md, "How a list is read", has the costs.
"""
from eventapi.storage.database import Database
from eventapi.storage.statements.lists import FEW, WALK, ListStatement

NEAR = 1000                 # a page that begins before this row is read without counting the list before
CHANGED = frozenset(["updated_since"])
Rows = list[dict]


class Reading:
    """One list, in one order, with one choice of filters.

    Attributes:
        values: the parameters of the statement, with `sort` and `order`.
        given: the words of the values that are not None. `filters` are those that the statement knows.
    """

    def __init__(self, db: Database, statement: ListStatement, values: dict):
        self.db, self.statement, self.values = db, statement, values
        self.given = frozenset(values)
        self.filters = self.given & statement.words

    def page(self, offset: int, size: int) -> tuple[Rows, int]:
        """Return the rows of a page and the total. Pages behind the middle are read from the end of the list."""
        if offset < NEAR:
            rows = self.rows(limit=size, offset=offset)
            is_last = len(rows) < size and (rows or not offset)      # the total is known without counting
            return rows, offset + len(rows) if is_last else self.total()
        total = self.total()
        size = min(size, total - offset)
        if size <= 0:
            return [], total
        if offset > total // 2:
            return self.rows(is_backwards=True, limit=size, offset=total - offset - size), total
        return self.rows(limit=size, offset=offset), total

    def after(self, cursor: tuple | None, size: int) -> tuple[Rows, tuple | None]:
        """Return the rows after the cursor (value, id), and the cursor after the last of them, None at the end."""
        rows, (value, last) = [], cursor or (None, None)
        for part in self.statement.parts(self.values["sort"], cursor):
            if len(rows) <= size:
                rows += self.rows(part, after_value=value, after_id=last, limit=size + 1 - len(rows))
        more, rows = len(rows) > size, rows[:size]
        following = (rows[-1]["after_value"], rows[-1]["id"]) if more else None
        for row in rows:
            del row["after_value"]
        return rows, following

    def total(self) -> int:
        """Return the number of rows of the list.

        If nearly all rows have changed at `updated_since` or later, the others are counted.
        """
        text = self.statement.count(self.given)
        if self._many_changed():
            if not self._has_rows(self.statement.unchanged(self.statement.many(CHANGED))):
                others = self.db.count(self.statement.unchanged(text), self.values)
                return self.db.count(self.statement.count(self.given - CHANGED), self.values) - others
            if self.filters > CHANGED:
                text = self.statement.without_hint(text)
        return self.db.count(text, self.values)

    def rows(self, part: str = "page", *, is_backwards: bool = False, **position: int | str | None) -> Rows:
        """Return the rows of a page, or of a part after a cursor (ListStatement.parts).

        `position` has `limit` and what tells where they begin: `offset`, counted from the end if `is_backwards`, or
        `after_value` and `after_id`. With a filter, or behind the first page, their ids are found first: to sort and to
        skip ids is cheap.
        """
        order, values = (self.values["sort"], self.values["order"], part), {"offset": 0, **self.values, **position}
        if self.filters:
            return self._filtered(order, values, is_backwards)
        if is_backwards or values["offset"] or self.statement.rows:
            ids = self.statement.ids(self.given, *order, is_backwards=is_backwards)
            return self._rows_of(ids, order, values)
        text = self.statement.page if part == "page" else self.statement.after
        return self.db.rows(text(self.given, *(order[:2] if part == "page" else order)), values)

    def _filtered(self, order, values, is_backwards):
        """Return rows of a list with filters. `order` is the sort key, the direction and the part."""
        fit = self.statement.without_hint if self._many_changed() else str
        ids = fit(self.statement.ids(self.given, *order, is_backwards=is_backwards))
        if not self.statement.tests_rows(self.given) or self._has_index(ids, values):
            return self._rows_of(ids, order, values)
        if self._many_pass(order[2]):
            rows = self._rows_of(self.statement.near_ids(self.given, *order, is_backwards=is_backwards), order, values)
            if len(rows) == values["limit"] or self._ends_near(order, values, is_backwards):
                return rows
        ids = self.statement.ids(self.given, *order, is_backwards=is_backwards, by_filter=True)
        return self._rows_of(ids if self.filters == CHANGED else fit(ids), order, values)

    def _rows_of(self, ids, order, values):
        return self.db.rows(self.statement.rows_of(ids, *order), values)

    def _has_rows(self, text):
        return bool(self.db.rows(text, self.values))

    def _many_changed(self):
        """Return whether more than FEW rows have changed at `updated_since` or later."""
        return CHANGED <= self.given and bool(self.statement.changed) and self._has_rows(self.statement.many(CHANGED))

    def _many_pass(self, part):
        """Return whether more than FEW rows pass the filters. A page shows the total, so that it is counted anyway."""
        if part == "page" and not CHANGED <= self.given:
            return self.db.count(self.statement.count(self.given), self.values) > FEW
        return all(self._has_rows(self.statement.many(words)) for words in self.statement.columns(self.given))

    def _ends_near(self, order, values, is_backwards):
        """Return whether the list has fewer than WALK rows from here on."""
        walk = self.statement.walk(self.given, *order, is_backwards=is_backwards)
        return self.db.rows(f"SELECT count(*) AS rows FROM ({walk})", values)[0]["rows"] < WALK

    def _has_index(self, ids, values):
        """Return whether SQLite reads the ids by the index of a filter that has them in the right order.

        It does not if it sorts them, or if it reads a whole table or index in the right order and tests each row.
        """
        plan = [step["detail"] for step in self.db.rows(f"EXPLAIN QUERY PLAN {ids}", values)]
        return not plan[0].startswith("SCAN") and not any("TEMP B-TREE" in step for step in plan)
