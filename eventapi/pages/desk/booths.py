"""The booths of a show at the desk as a list: size, price, state, and who has them."""

from functools import partial

from eventapi.pages.desk import api, events, labels, list_pages, lists
from eventapi.web.routes import Routes

routes = Routes(
    "desk-booths",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
STATES = ("available", "reserved", "sold", "blocked")


def number(row, w, write):
    """Return the Cell with the number of a booth and its name."""
    return lists.Cell(
        row["booth_number"], address=f"booths/{row['id']}", small=row["booth_name"] or ""
    )


def state(row, w, write):
    """Return the Cell with the state of a booth, and why it is blocked."""
    mark = lists.Mark(labels.tone(row["status"]), w("=" + row["status"]))
    return lists.Cell(marks=(mark,), small=row["blocked_reason"] or "")


def exhibitor(row, w, write):
    """Return the Cell with the exhibitor that has a booth, and until when it is held."""
    found = row["exhibitor"]
    if found is None:
        return lists.Cell()
    small = ""
    if found["status"] == "pending" and found["expires_at"]:
        small = w("until", day=write.moment(found["expires_at"]))
    address = f"exhibitors/{found['participant_id']}"
    return lists.Cell(found["name"] or w("exhibitor"), address=address, small=small)


def size(row, w, write):
    """Return the Cell with front and depth."""
    dimensions = row["dimensions"]
    return lists.Cell(
        f"{write.number(dimensions['width'])} × {write.number(dimensions['depth'])} m"
    )


def area(row, w, write):
    """Return the Cell with the area."""
    return lists.Cell(f"{write.number(row['dimensions']['area'])} m²")


def price(row, w, write):
    """Return the Cell with the price, which excludes tax."""
    return lists.Cell(write.money(row["price"], write.currency) or w("no_price"))


def total_area(totals, write):
    """Return the area of all pages of the list."""
    return f"{write.number(totals['area'])} m²"


BOOTHS = lists.listing(
    name="booths",
    address="hall/booths",
    menu="hall",
    handler="list_booths",
    row_name=lambda row: row["booth_number"],
    columns=(
        lists.Column("booth", number, "c-main", sort="booth_number"),
        lists.Column("state", state, sort="status"),
        lists.Column(
            "exhibitor", exhibitor, "c-next", include=("exhibitor",), scope="participants"
        ),
        lists.Column("booth_type", partial(lists.text, "booth_type_name")),
        lists.Column("hall", partial(lists.text, "plan_name")),
        lists.Column("size", size, "r num nowrap"),
        lists.Column(
            "area", area, "r num", sort="area", is_down=True, is_said=True, total=total_area
        ),
        lists.Column("price", price, "r num c-sum", sort="price", is_down=True),
        lists.Column("amenities", partial(lists.text, "amenities"), "c-line", is_default=False),
    ),
    views=(
        lists.View(None, "all", {}),
        *(lists.View(each, f"={each}", {"status": each}) for each in STATES),
    ),
    sort="booth_number",
    filters=(("plan_id", None),),
    actions=(
        lists.Action("batch/booths/delete", "batch_booths_delete", "delete_booth", is_final=True),
    ),
    is_searched=False,
    has_totals=True,
)


@routes.get("/hall/booths")
def get_desk_booths(db, request):
    """Return the booths of the show in hand by number, or those of the hall that `?plan_id=` names."""
    texts = labels.words(request)
    links = [("hall", texts["to_plan"], False)]
    if api.may(request, "booths", writes=True):
        links.append(("edit/booths", texts["new_booths"], True))
    return list_pages.render_list(db, request, BOOTHS, events.required(db), links=links)
