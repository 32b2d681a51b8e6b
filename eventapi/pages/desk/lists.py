"""Lists of the desk: the page of a list that was asked for, and its neighbours."""

from dataclasses import dataclass

from eventapi.pages.desk import api
from eventapi.web.html.forms import id_of

LAST = 10_000  # a page beyond it is this one


@dataclass(frozen=True, slots=True)
class Paging:
    """The number of a page of a list, of the page before it, and of the one after it.

    `before` and `after` are None where there is no such page.
    """

    page: int
    before: int | None
    after: int | None


def paging(asked, total, per_page=api.PER_PAGE):
    """Return the Paging of a list with `total` rows."""
    page = page_of(asked)
    before = page - 1 if page > 1 else None
    after = page + 1 if page * per_page < total else None
    return Paging(page, before, after)


def page_of(asked):
    """Return the number of the page that was asked for."""
    return min(id_of(asked.get("page", "")) or 1, LAST)
