"""The rows of a list before and after the record of a page.

The link of a row carries the list: its name, its filter, and the position of the row. Nothing is kept
between two pages.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from eventapi.errors import Problem
from eventapi.pages.desk import api, lists
from eventapi.web.html import shell
from eventapi.web.html.forms import id_of

AT_ONCE = 100  # rows of one query, in which the neighbours nearly always are


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A row beside that of a page: its name, and the address of its page within the desk."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The list that a page belongs to.

    address: of the list with its filter.
    before, after: a Neighbour, or None at the ends of the list.
    """

    address: str
    before: Neighbour | None
    after: Neighbour | None


def link(listing, address, filter, position):
    """Return the address of a row's page with the list that it belongs to.

    `filter` is that of `lists.filter_of`, `position` counts from 1.
    """
    return f"{address}?{urlencode({'list': listing.name, 'filter': filter, 'at': position})}"


def of(request, handler, id, folder):
    """Return the Neighbours of the record `id`, or None if its page was not opened from a list of
    `handler`.

    `folder` is where the pages of the records are. If the record is no longer at its position, such
    as one that has become ready in the list of those who are not, the row that is there now follows.
    An address that the list of the API refuses, such as a position beyond all pages, names no list.
    """
    try:
        return found(request, handler, id, folder)
    except Problem as problem:
        if problem.status >= 500:
            raise
        return None


def found(request, handler, id, folder):
    """Return the Neighbours as `of` does. Raise what the list of the API refuses."""
    asked = shell.asked("list", "filter", "at")
    listing = lists.KNOWN.get(asked.get("list", ""))
    position = id_of(asked.get("at", ""))
    if listing is None or listing.handler != handler or not position:
        return None
    filter = asked.get("filter", "")
    of_list = lists.asked_of(listing, filter)
    view = lists.view_of(listing, of_list)
    is_closed = view and view.scope and not api.may(request, view.scope)
    if is_closed or not of_list.get("event"):
        return None

    query = lists.query_of(listing, of_list, of_list["event"])
    pages = {}

    def row_at(place):
        if place < 1:
            return None
        page, index = divmod(place - 1, AT_ONCE)
        if page not in pages:
            numbered = {**query, "page": page + 1, "per_page": AT_ONCE}
            pages[page], _ = api.rows(handler, include=listing.include, **numbered)
        rows = pages[page]
        return rows[index] if index < len(rows) else None

    def neighbour(place):
        row = row_at(place)
        if row is None:
            return None
        return Neighbour(
            listing.row_name(row), link(listing, f"{folder}/{row['id']}", filter, place)
        )

    here = row_at(position)
    is_there = here is not None and here["id"] == id
    following = position + 1 if is_there else position
    return Neighbours(f"{listing.address}?{filter}", neighbour(position - 1), neighbour(following))
