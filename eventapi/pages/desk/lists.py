"""Lists of the desk: what a list is, the page that shows it, and the ids of all its rows.

A Listing is data, and its pages are made by `render_list`. What it sorts by and filters are
parameters of the list of the API, so that nothing can be found at the desk that the API does not
find. `ids_of` finds on the server what "Select all 60" stands for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from eventapi.calls import desk
from eventapi.errors import not_found
from eventapi.pages.desk import api, labels
from eventapi.pages.desk.page import render_page
from eventapi.pages.desk.writing import Writer
from eventapi.web.html import cookies, page_requests, shell
from eventapi.web.html.forms import id_of
from eventapi.web.routes import CSV

LAST = 10_000  # a page beyond it is this one
SIZES = (10, 50, 100)  # rows of a page
COUNTED = 1000  # rows of a list up to which its views have numbers
MOST_IDS = 5000  # rows that are chosen at once, as many as a batch takes
AT_ONCE = 100  # ids of one call of the API
COOKIE = "evd-cols"
YEAR = 365 * 24 * 3600
LONGEST = 2000  # characters of the cookie that are read
OWN = ("q", "sort", "page", "size", "event", "tick", "export", "columns", "all")
KEPT = (
    "q",
    "sort",
    "size",
    "event",
    "all",
)  # what an address of a list keeps beside view and filters


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
    """

    text: str = ""
    address: str = ""
    small: str = ""
    marks: tuple = ()
    markup: str = ""

    @property
    def is_empty(self):
        return not (self.text or self.small or self.marks or self.markup)


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
        filters: parameter of the address -> values that it may have, None for any. The API has the
            same parameters.
        actions: what can be done with the ticked rows.
        of_show: whether it has the records of the show in hand only. has_all_shows: unless the
            address has `all`.
        is_searched: whether the API has `search`. search_view: name of the view in which is searched,
            None for the one that is shown.
        has_totals: whether the API has `totals`.
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
    return Cell(write.day(row[name]))


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
        if values is None or asked.get(name) in values:
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


def ids_of(request, name, filter):
    """Return (ids, whether there are more) of all rows of a list in their order, at most MOST_IDS.

    `name` is that of the Listing, `filter` the query string that `filter_of` has made. Raise 404 for
    another list, or if the show is missing, and what the list of the API refuses.
    """
    listing = KNOWN.get(name)
    if listing is None:
        raise not_found("list", name)
    known = names_of(listing)
    asked = {}
    for key, value in parse_qsl(filter[:LONGEST], errors="replace"):
        if key in known:
            asked[key] = value[: shell.LONGEST]
    if is_of_show(listing, asked) and not asked.get("event"):
        raise not_found("event", "")
    query = query_of(listing, asked, asked.get("event"))
    query = {key: value for key, value in query.items() if value not in (None, "")}

    found, after = [], ""
    while after is not None and len(found) <= MOST_IDS:
        page = {**query, "per_page": AT_ONCE, "after": after}
        response = desk.call(api.routes()[listing.handler], {}, query=urlencode(page))
        found += [row["id"] for row in response.data]
        after = response.meta["next"]
    return found[:MOST_IDS], len(found) > MOST_IDS


# Columns


def kept_columns(text):
    """Return list -> names of its columns that the cookie names: `applications.city.email~orders.state`.

    Whatever else the cookie may contain is ignored: names are only compared with those of columns.
    """
    found = {}
    for part in text[:LONGEST].split("~"):
        name, *columns = part.split(".")
        if name in KNOWN:
            found[name] = tuple(columns)
    return found


def columns_of(request, listing):
    """Return (columns that the person may see, those among them that are shown)."""
    allowed = []
    for column in listing.columns:
        if column.scope is None or api.may(request, column.scope):
            allowed.append(column)
    kept = kept_columns(cookies.plain(COOKIE)).get(listing.name)
    shown = []
    for number, column in enumerate(allowed):
        is_chosen = column.is_default if kept is None else column.name in kept
        if is_chosen or number == 0:
            shown.append(column)
    return allowed, shown


def keep_columns(listing, asked):
    """Return the redirection to the list that keeps the ticked columns for a year."""
    ticked = shell.asked_all("cols")
    kept = kept_columns(cookies.plain(COOKIE))
    kept[listing.name] = [column.name for column in listing.columns if column.name in ticked]
    parts = []
    for name, columns in kept.items():
        known = {column.name for column in KNOWN[name].columns}
        parts.append(".".join((name, *(column for column in columns if column in known))))
    header = f"{COOKIE}={'~'.join(parts)}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Lax"
    if cookies.is_secure():
        header += "; Secure"
    left = {name: value for name, value in asked.items() if name not in ("columns", "page", "tick")}
    address = shell.address().rpartition("/")[2]
    if left:
        address += f"?{urlencode(left)}"
    return page_requests.redirect(address, {"Set-Cookie": header})


# The page


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list: its id and name, and (Column, Cell) of each column."""

    id: int
    name: str
    cells: tuple


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: where it leads to sort by it, and how it is sorted now.

    `sort` is None if it cannot be sorted by, `state` is ascending, descending or None.
    """

    column: Column
    sort: str | None
    state: str | None


def render_list(db, request, listing, event, *, links=(), package=labels.PACKAGE, **values):
    """Return the page of a Listing, its export, or the redirection that keeps its columns.

    `event` is the show in hand or None. `links` are (address, text, whether it is the main one) of
    the buttons above the list. `values` are further ones of the template.
    """
    asked = shell.asked(*names_of(listing))
    if "columns" in asked:
        return keep_columns(listing, asked)
    key = event["event_key"] if event else None
    query = query_of(listing, asked, key)
    allowed, shown = columns_of(request, listing)
    include = list(listing.include)
    for column in shown:
        include += column.include
    include = tuple(dict.fromkeys(include))
    if "export" in asked:
        return export(request, listing, query, include)

    size = size_of(asked)
    query["totals"] = 1 if listing.has_totals else None
    page = {**query, "page": page_of(asked), "per_page": size}
    response = api.read(listing.handler, include=include, query=page)
    total = response.meta["total"]
    texts = labels.words(request)
    w = Words(texts)
    write = Writer(request.language, event["timezone"] if event else db.config.timezone)
    rows = []
    for row in response.data:
        cells = tuple((column, column.cell(row, w, write)) for column in shown)
        rows.append(Row(row["id"], listing.row_name(row), cells))
    sort = sort_of(listing, asked)
    view = view_of(listing, asked)
    actions = actions_of(request, listing, view)
    page = page_of(asked)
    kept = {name: value for name, value in asked.items() if name not in ("tick", "page", "export")}
    # The form of the list keeps what its own fields do not name.
    hidden = {name: value for name, value in kept.items() if name not in ("q", "sort")}
    if event and listing.of_show:
        hidden["event"] = event["event_key"]
    return render_page(
        db,
        request,
        "list",
        package=package,
        menu=listing.menu,
        current=event,
        title=texts[f"tab_{listing.name}"],
        listing=listing,
        rows=rows,
        heads=[head(column, sort) for column in shown],
        columns=allowed[1:],
        shown_names=[column.name for column in shown],
        actions=actions,
        views=views_of(request, listing, asked, key),
        view=view,
        sort=sort,
        sorts=sorts_of(allowed, sort),
        asked=kept,
        hidden=hidden,
        total=total,
        first=(page - 1) * size + 1,
        last=(page - 1) * size + len(rows),
        size=size,
        sizes=SIZES,
        paging=paging(asked, total, size),
        sums=sums_of(shown, response.meta.get("totals"), write),
        filter=filter_of(listing, asked, event),
        tick=asked.get("tick") if actions else None,
        most=MOST_IDS,
        links=links,
        none=none_of(listing, view, asked),
        **values,
    )


def none_of(listing, view, asked):
    """Return the word of what a list without rows says."""
    if asked.get("q"):
        return "no_hit"
    if view and view.none:
        return view.none
    return f"none_{listing.name}"


def actions_of(request, listing, view):
    """Return what the person may do with the ticked rows of a view."""
    found = []
    for action in listing.actions:
        is_there = not action.views or view.name in action.views
        if is_there and may_act(request, action):
            found.append(action)
    return found


def may_act(request, action):
    """Return whether the person may call the route of an action, and that of its batch."""
    if not api.may_call(request, action.handler):
        return False
    if not action.address.startswith("batch/"):
        return True
    resource = action.address.split("/")[1]
    return api.may_call(request, api.names()["POST", f"/api/v1/{resource}/batch"])


def head(column, sort):
    """Return the Head of a column, for what the list is sorted by now."""
    if column.sort is None:
        return Head(column, None, None)
    if sort == column.sort:
        return Head(column, f"-{column.sort}", "ascending")
    if sort == f"-{column.sort}":
        return Head(column, column.sort, "descending")
    return Head(column, f"-{column.sort}" if column.is_down else column.sort, None)


def sorts_of(columns, sort):
    """Return (value, name of the column) of what a list can be sorted by, for a select."""
    found = []
    for column in columns:
        if column.sort is None:
            continue
        value = f"-{column.sort}" if column.is_down else column.sort
        if sort.removeprefix("-") == column.sort:
            value = sort
        found.append((value, column.name))
    return found


def views_of(request, listing, asked, event_key):
    """Return (View, number of its rows) of the views that the person may open.

    The number is None in a list of more than COUNTED rows.
    """
    found = []
    kept = {"all": asked["all"]} if "all" in asked else {}
    is_counted = True
    for view in listing.views:
        if view.scope and not api.may(request, view.scope):
            continue
        count = None
        if is_counted:
            query = query_of(listing, {**kept, listing.view_by: view.name}, event_key)
            query |= {"sort": "id", "per_page": 1}  # the first one is found without sorting
            _, count = api.rows(listing.handler, **query)
        if not found and count > COUNTED:
            is_counted = False
            count = None
        found.append((view, count))
    return found


def sums_of(columns, totals, write):
    """Return the texts below the columns but the first, or None for a list without totals."""
    if not totals:
        return None
    found = []
    for column in columns[1:]:
        text = column.total(totals, write) if column.total else ""
        found.append((column, text))
    return found


def export(request, listing, query, include):
    """Return all rows of the filter as CSV of the API, as a download that nobody keeps.

    With `export=excel` it opens in Excel with a click, in the language of the page.
    """
    if shell.asked("export")["export"] == "excel":
        query["dialect"] = f"excel-{request.language}"
    response = api.read(listing.handler, form=CSV, include=include, query=query)
    response.headers.update(
        {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "same-origin"}
    )
    return response
