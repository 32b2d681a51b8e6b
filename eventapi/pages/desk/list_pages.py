"""The page of a list of the desk: its columns, views, sums, what can be done, and its export."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from eventapi.pages.desk import api, excel, labels, lists, neighbours
from eventapi.pages.desk.page import render_page
from eventapi.pages.desk.writing import Writer
from eventapi.web.html import cookies, page_requests, shell
from eventapi.web.routes import CSV

COUNTED = 1000  # rows of a list up to which its views have numbers
COOKIE = "evd-cols"
YEAR = 365 * 24 * 3600
LONGEST = 2000  # characters of the cookie that are read


# Columns


def kept_columns(text):
    """Return list -> names of its columns that the cookie names: `applications.city.email~orders.state`.

    Whatever else the cookie may contain is ignored: names are only compared with those of columns.
    """
    found = {}
    for part in text[:LONGEST].split("~"):
        name, *columns = part.split(".")
        if name in lists.KNOWN:
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
        known = {column.name for column in lists.KNOWN[name].columns}
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

    column: lists.Column
    sort: str | None
    state: str | None


def render_list(db, request, listing, event, *, links=(), package=labels.PACKAGE, **values):
    """Return the page of a Listing, its export, or the redirection that keeps its columns.

    `event` is the show in hand or None. `links` are (address, text, whether it is the main one) of
    the buttons above the list. `values` are further ones of the template.
    """
    asked = shell.asked(*lists.names_of(listing))
    if "columns" in asked:
        return keep_columns(listing, asked)
    key = event["event_key"] if event else None
    query = lists.query_of(listing, asked, key)
    allowed, shown = columns_of(request, listing)
    include = list(listing.include)
    for column in shown:
        include += column.include
    include = tuple(dict.fromkeys(include))
    texts = labels.words(request)
    w = lists.Words(texts)
    zone = event["timezone"] if event else db.config.timezone
    write = Writer(request.language, zone, db.config.currency)
    if asked.get("export") == "excel":
        return private(
            excel.download(request, listing, query, allowed, shown, listing.include, w, write)
        )
    if "export" in asked:
        return private(api.read(listing.handler, form=CSV, include=include, query=query))

    size = lists.size_of(asked)
    query["totals"] = 1 if listing.has_totals else None
    page = {**query, "page": lists.page_of(asked), "per_page": size}
    response = api.read(listing.handler, include=include, query=page)
    total = response.meta["total"]
    filter = lists.filter_of(listing, asked, event)
    first = (lists.page_of(asked) - 1) * size + 1
    rows = []
    for position, row in enumerate(response.data, first):
        cells = [column.cell(row, w, write) for column in shown]
        if listing.leads_on:
            address = neighbours.link(listing, cells[0].address, filter, position)
            cells[0] = replace(cells[0], address=address)
        rows.append(Row(row["id"], listing.row_name(row), tuple(zip(shown, cells, strict=True))))
    sort = lists.sort_of(listing, asked)
    view = lists.view_of(listing, asked)
    actions = actions_of(request, listing, view)
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
        first=first,
        last=first - 1 + len(rows),
        size=size,
        sizes=lists.SIZES,
        paging=lists.paging(asked, total, size),
        sums=sums_of(shown, response.meta.get("totals"), write),
        filter=filter,
        tick=asked.get("tick") if actions else None,
        most=lists.MOST_IDS,
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
    names = ("all", *(name for name, _ in listing.filters))
    kept = {name: asked[name] for name in names if name in asked}
    is_counted = True
    for view in listing.views:
        if view.scope and not api.may(request, view.scope):
            continue
        count = None
        if is_counted:
            query = lists.query_of(listing, {**kept, listing.view_by: view.name}, event_key)
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


def private(response):
    """Return the response of an export as a download that nobody keeps."""
    response.headers.update(
        {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "same-origin"}
    )
    return response
