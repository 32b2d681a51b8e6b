"""Lists of ids that pass several filters of other tables."""
import re

from eventapi.storage.statements.lists import OTHER
from eventapi.storage.statements.named import WHEN


class Merge:
    """The ids of the records that pass several filters, in the order of the ids.

    Each line selects the sorted ids of one filter, and SQLite merges them (INTERSECT). So it reads no id twice, and
    of each filter no more ids than the page needs. Attributes are those of ListStatement.
    """
    changed, totals = None, ()

    def __init__(self, name: str, source: str):
        self.name, self.lines, self.sorts = name, [], {}
        for line in source.splitlines():
            when = WHEN.search(line)
            if when:
                self.lines.append((line[:when.start()].rstrip(), when[1]))
        self.words = frozenset(word for _, word in self.lines)

    def plain(self) -> str:
        """Return the ids that pass all filters."""
        return self.form(self.words)

    def form(self, given: frozenset, condition: str = "") -> str:
        """Return the ids that pass the filters. `condition` holds for each of them, with {} for the id."""
        chosen = [text + condition.format(re.match(r"SELECT (?:DISTINCT )?(\w+)", text)[1])
                  for text, word in self.lines if word in given]
        return "\nINTERSECT ".join(chosen)

    def parts(self, sort: str, cursor: tuple | None) -> tuple[str, ...]:
        """Return the part of the list after a cursor (ListStatement.parts)."""
        return ("next",) if cursor else ("first",)

    def ids(self, given: frozenset, sort: str, order: str, part: str = "page", *, is_backwards: bool = False) -> str:
        """Return the ids of a page or part (ListStatement.ids)."""
        condition = f" AND {{}} {'<' if order == 'DESC' else '>'} :after_id" if part == "next" else ""
        reading = OTHER[order] if is_backwards else order
        return f"{self.form(given, condition)}\n ORDER BY 1 {reading} LIMIT :limit OFFSET :offset"

    def tests_rows(self, given: frozenset) -> bool:
        """Return false: the filters read other tables."""
        return False

    def rows_of(self, ids: str, sort: str, order: str, part: str = "page") -> str:
        """Return the rows whose ids the text `ids` selects, sorted."""
        return self.rows.rows_of(ids, sort, order, part)

    def count(self, given: frozenset) -> str:
        """Return the statement that counts the ids. SQLite merges lines only if their ids are sorted."""
        ids = self.form(given)
        return f"SELECT count(*) FROM ({ids}{' ORDER BY 1' if 'INTERSECT' in ids else ''})"
