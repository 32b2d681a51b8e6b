"""Lists of the desk: what a list is, what an address asks of it, and the ids of all its rows.

A Listing is data; `list_pages` shows it. What it sorts by and filters are parameters of the list of
the API, so that nothing can be found at the desk that the API does not find. `ids_of` finds on the
server what "Select all 60" stands for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from eventapi import times
from eventapi.errors import not_found
from eventapi.languages import formats
from eventapi.pages.desk import api, excel, labels
from eventapi.web.html import shell
from eventapi.web.html.forms import id_of

LAST = 10_000  # a page beyond it is this one
SIZES = (10, 50, 100)  # rows of a page
MOST_IDS = 5000  # rows that are chosen at once, as many as a batch takes
AT_ONCE = 100  # ids of one call of the API
LONGEST = 2000  # characters of a filter that are read
OWN = ("q", "sort", "page", "size", "event", "tick", "export", "columns", "all")
KEPT = ("q", "sort", "size", "event", "all")  # kept by an address, beside view and filters


# What a list is


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of a tone behind the text of a cell. `address` is of a page within the desk, or ""."""

    tone: str
    text: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a row shows in a column.

    Attributes:
        text: as it stands there.
        address: of the page that the text leads to, within the desk, or "".
        small: the line below, or "".
        marks: the Marks behind it.
        markup: HTML that stands in place of the text.
        value: what files have in place of the text: a number, a date, or the words of the markup.
    """

    text: str = ""
    address: str = ""
    small: str = ""
    marks: tuple = ()
    markup: str = ""
    value: object = None

    @property
    def is_empty(self):
        return not (self.text or self.small or self.marks or self.markup)

    @property
    def plain(self):
        """What files have: the value, or the text and the marks."""
        if self.value is not None:
            return self.value
        return ", ".join(filter(None, (self.text, *(mark.text for mark in self.marks))))


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of the desk: `w(word, …)` is one of them with its parts."""

    texts: dict

    def __call__(self, word, **parts):
        return self.texts[word].format(**parts)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list.

    Attributes:
        name: its head is the word `column_NAME`.
        cell: function (row, w, write) that returns a Cell; w are Words, write is a Writer.
        css: classes of its cells.
        include: words of `include` that the cell reads.
        sort: word of the API's `sort` that the head sorts by, or None.
        is_down: whether the head sorts from the largest first.
        scope: scope that the person needs beside that of the list, or None.
        is_default: whether it is there until somebody chooses columns.
        is_said: whether its name stands before the value on the phone.
        total: function (totals, write) that returns its text below the list, or None.
    """

    name: str
    cell: Callable
    css: str = ""
    include: tuple = ()
    sort: str | None = None
    is_down: bool = False
    scope: str | None = None
    is_default: bool = True
    is_said: bool = False
    total: Callable | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A part of a list that one often looks at.

    Attributes:
        name: its value in the address, None for all rows.
        word: of its label.
        query: parameters of the list of the API.
        sort: as in the address: `-created_at` begins with the newest. None is that of the list.
        scope: scope that the filter needs beside that of the list, or None.
        none: word of what the page says without rows; None is that of the list.
    """

    name: str | None
    word: str
    query: dict
    sort: str | None = None
    scope: str | None = None
    none: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What can be done with the ticked rows.

    Attributes:
        address: that the form is sent to, within the desk.
        word: of its button.
        handler: route of the API that the person must be allowed to call.
        is_final: whether it is no step of the usual way, such as a refusal.
        views: names of the views that offer it, () for all.
    """

    address: str
    word: str
    handler: str
    is_final: bool = False
    views: tuple = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of the desk.

    Attributes:
        name: of its words `tab_NAME`, `find_NAME`, `none_NAME`, and of its columns in the cookie.
        address: of its page, within the desk.
        menu: the part of the menu that it belongs to.
        handler: the list of the API.
        columns: the first one names the row and is always there.
        row_name: function of a row that returns its name.
        views: the first one is shown unless the address names one. view_by: parameter that names it.
        sort: as that of a View.
        query: parameters of the API that always apply.
        include: words of `include` that every page needs.
        filters: parameter of the address -> values that it may have, None for an id. The API has
            the same parameters.
        actions: what can be done with the ticked rows.
        of_show: whether it has the records of the show in hand only. has_all_shows: unless the
            address has `all`.
        is_searched: whether the API has `search`. search_view: name of the view in which is searched,
            None for the one that is shown.
        has_totals: whether the API has `totals`.
        leads_on: whether the page of a row leads to the rows before and after it.
        sheet: what its file for Excel has beside the columns.
    """

    name: str
    address: str
    menu: str
    handler: str
    columns: tuple
    row_name: Callable
    views: tuple = ()
    view_by: str = "show"
    sort: str = "-id"
    query: tuple = ()
    include: tuple = ()
    filters: tuple = ()
    actions: tuple = ()
    of_show: bool = True
    has_all_shows: bool = False
    is_searched: bool = True
    search_view: str | None = None
    has_totals: bool = False
    leads_on: bool = False
    sheet: excel.Sheet = excel.PLAIN


KNOWN = {}  # name -> Listing


def listing(**values):
    """Return a new Listing, which `ids_of` finds by its name."""
    found = Listing(**values)
    KNOWN[found.name] = found
    return found


def state(row, w, write):
    """Return the Cell with the status of a row as a mark."""
    return Cell(marks=(Mark(labels.tone(row["status"]), w("=" + row["status"])),))


def text(name, row, w, write):
    """Return the Cell with a field of a row as it is."""
    return Cell(row[name] or "")


def delivery_mark(row, w, write):
    """Return the Mark of how an invoice or a letter reaches its customer, or None."""
    way = row["delivery"]
    if way == "posted":
        return Mark("", w("delivery_posted", day=write.day(row["posted_on"])))
    if way in ("to_print", "failed"):
        return Mark("bad", w(f"delivery_{way}"), address="money/to_print")
    if way == "none":
        return None
    return Mark("", w(f"delivery_{way}"))


def category(row, w, write):
    """Return the Cell with the category of a participant."""
    return Cell(row["category"]["title"] if row["category"] else "")


def of_contact(name, row, w, write):
    """Return the Cell with a field of the contact of a participant."""
    return Cell(row["contact"][name] or "")


def day(name, row, w, write):
    """Return the Cell with a date of a row, or with the date of a time."""
    return Cell(write.day(row[name]), value=times.local_date(row[name], write.zone))


def amount(name, row, w, write):
    """Return the Cell with an amount of a row, in the currency of the row."""
    if row[name] is None:
        return Cell()
    value = formats.exact(row[name], row["currency"])
    return Cell(write.money(row[name], row["currency"]), value=value)


def currency(row, w, write):
    """Return the Cell with the currency of the amounts of a row."""
    return Cell(row["currency"])


def total_of(name, totals, write):
    """Return a sum of all pages of a list, with those in other currencies.

    Return "" if the API has none for the person.
    """
    if name not in totals:
        return ""
    sums = [totals, *totals["others"]]
    return ", ".join(write.money(each[name], each["currency"]) for each in sums)


# What was asked for


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


def size_of(asked):
    """Return the number of rows of a page that was asked for, one of SIZES."""
    size = id_of(asked.get("size", ""))
    return size if size in SIZES else api.PER_PAGE


def names_of(listing):
    """Return the parameters that the address of a list may have."""
    return (*OWN, listing.view_by, *(name for name, _ in listing.filters))


def view_of(listing, asked):
    """Return the View that was asked for, or the first one; None if the list has no views."""
    wanted = asked.get(listing.view_by)
    if asked.get("q") and listing.search_view:
        wanted = listing.search_view
    for view in listing.views:
        if view.name is not None and view.name == wanted:
            return view
    return listing.views[0] if listing.views else None


def sort_of(listing, asked):
    """Return what a list is sorted by, as the address has it: `-created_at`.

    A word that no column sorts by is ignored.
    """
    wanted = asked.get("sort", "")
    known = {column.sort for column in listing.columns if column.sort}
    if wanted.removeprefix("-") in known:
        return wanted
    view = view_of(listing, asked)
    if view and view.sort:
        return view.sort
    return listing.sort


def is_of_show(listing, asked):
    """Return whether a list has the records of the show in hand only."""
    return listing.of_show and not (listing.has_all_shows and asked.get("all"))


def query_of(listing, asked, event_key):
    """Return the parameters of the list of the API for an address of the desk, without those of a
    page.

    `event_key` is that of the show in hand, or None.
    """
    query = dict(listing.query)
    if is_of_show(listing, asked):
        query["event_key"] = event_key
    for name, values in listing.filters:
        if values is None:
            query[name] = id_of(asked.get(name, "")) or None
        elif asked.get(name) in values:
            query[name] = asked.get(name)
    view = view_of(listing, asked)
    if view:
        query |= view.query
    if listing.is_searched:
        query["search"] = asked.get("q")
    sort = sort_of(listing, asked)
    query["sort"] = sort.removeprefix("-")
    query["order"] = "DESC" if sort.startswith("-") else "ASC"
    return query


def filter_of(listing, asked, event):
    """Return the filter and the order of a list as a query string, which `ids_of` reads."""
    names = (*KEPT, listing.view_by, *(name for name, _ in listing.filters))
    kept = {name: asked[name] for name in names if name in asked}
    if listing.of_show and event:
        kept["event"] = event["event_key"]
    return urlencode(kept)


def asked_of(listing, filter):
    """Return the parameters of a query string that the address of a list may have."""
    known = names_of(listing)
    asked = {}
    for key, value in parse_qsl(filter[:LONGEST], errors="replace"):
        if key in known:
            asked[key] = value[: shell.LONGEST]
    return asked


def is_about(listing, address):
    """Return whether an action is about the records of a list: it offers the action, or that is a batch
    of the same resource.
    """
    if address in {action.address for action in listing.actions}:
        return True
    resource = api.routes()[listing.handler].path.removeprefix(api.ROOT)
    return address.startswith(f"batch/{resource}/")


def ids_of(request, name, filter, address):
    """Return (ids, whether there are more) of all rows of a list in their order, at most MOST_IDS.

    `name` is that of the Listing, `filter` the query string that `filter_of` has made, `address` that
    of the action, within the desk. Raise 404 for a list that is unknown or has other records than the
    action, if the show is missing, and what the list of the API refuses.
    """
    listing = KNOWN.get(name)
    if listing is None or not is_about(listing, address):
        raise not_found("list", name)
    asked = asked_of(listing, filter)
    if is_of_show(listing, asked) and not asked.get("event"):
        raise not_found("event", "")
    query = query_of(listing, asked, asked.get("event"))
    found = []
    for rows in api.pages(listing.handler, AT_ONCE, query=query):
        found += [row["id"] for row in rows]
        if len(found) > MOST_IDS:
            break
    return found[:MOST_IDS], len(found) > MOST_IDS
