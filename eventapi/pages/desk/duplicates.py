"""Contacts that are there twice: the list of pairs, and the page that makes one of two.

The page shows both sides before the click: who they are, where they take part, and who has access
to the pages of a participation that becomes one with that of the other contact (rule R8 of
domain/access/reach.py). Which addresses go on is decided here, and nothing is ticked.
"""

from eventapi.errors import not_found
from eventapi.pages.desk import actions, api, labels, list_pages, lists
from eventapi.pages.desk.exhibitor import CONTACT
from eventapi.pages.desk.page import render_page
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import id_of
from eventapi.web.routes import Routes

routes = Routes(
    "desk-duplicates",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

FEW = 100  # participations and links of a contact


def pair_name(row):
    """Return the name of a pair: that of the older contact."""
    return labels.named(row["contacts"][0])


def older(row, w, write):
    """Return the Cell with the older contact, which leads to the page of both."""
    first, second = row["contacts"]
    address = f"contacts/{first['id']}/merge?duplicate_id={second['id']}"
    return lists.Cell(labels.named(first), address=address, small=summary(first))


def newer(row, w, write):
    """Return the Cell with the newer contact."""
    second = row["contacts"][1]
    return lists.Cell(labels.named(second), small=summary(second))


def summary(contact):
    """Return the line below the name of a contact of a pair."""
    person = " ".join(filter(None, (contact["first_name"], contact["last_name"])))
    parts = (
        contact["customer_number"],
        person,
        contact["email"],
        contact["phone"],
        contact["city"],
    )
    return " · ".join(filter(None, parts))


def reason(row, w, write):
    """Return the Cell with what both have in common."""
    return lists.Cell(marks=(lists.Mark("", w(f"same_{row['reason']}")),))


DUPLICATES = lists.listing(
    name="duplicates",
    address="contacts/duplicates",
    menu="contacts",
    handler="list_contact_duplicates",
    row_name=pair_name,
    columns=(
        lists.Column("older", older, "c-main"),
        lists.Column("newer", newer, "c-line"),
        lists.Column("reason", reason),
    ),
    sort="id",
    of_show=False,
    is_searched=False,
)


@routes.get("/contacts/duplicates")
def get_desk_duplicates(db, request):
    """Return the pairs of contacts that may be the same."""
    return list_pages.render_list(db, request, DUPLICATES, None)


@routes.get("/contacts/<id>/merge")
def get_desk_merge(db, request, id):
    """Return both contacts side by side, with the form that makes one of them."""
    sides = [side(request, each) for each in (id, duplicate_of(request, id))]
    return render_page(
        db,
        request,
        "merge",
        menu="contacts",
        title=labels.words(request)["merge_title"],
        sides=sides,
        contact_fields=CONTACT,
        meetings=meetings(request, *sides),
        ticked_links=request.fields.get("keep_links", ()),
        may_merge=api.may_call(request, "merge_contact"),
        may_see_links=api.may(request, "links"),
    )


def duplicate_of(request, id):
    """Return the id of the other contact: that of the form, or of the query. Raise 404 without one."""
    asked = shell.asked("duplicate_id")
    sent = request.fields.get("duplicate_id", [asked.get("duplicate_id", "")])
    found = id_of(sent[0])
    if not found or found == int(id):
        raise not_found("contact", sent[0])
    return found


def side(request, id):
    """Return {contact, participations} of one of the two; participations are None without the scope."""
    contact = api.read("get_contact", id=id).data
    participations = None
    if api.may(request, "participants"):
        participations, _ = api.rows(
            "list_participants", include=("event",), contact_id=id, per_page=FEW
        )
    return {"contact": contact, "participations": participations}


def meetings(request, kept, other):
    """Return the participations that become one: {event, role, sides}, with the live links of each side.

    `sides` has the links of the one that stays and of the one that goes; None without the scope for
    links. Two meet if they take part in the same event in the same role.
    """
    found = []
    for one in kept["participations"] or ():
        for two in other["participations"] or ():
            if (one["event_id"], one["role"]) != (two["event_id"], two["role"]):
                continue
            sides = None
            if api.may(request, "links"):
                sides = [live_links(each["id"]) for each in (one, two)]
            found.append({"event": one["event"], "role": one["role"], "sides": sides})
    return found


def live_links(participant_id):
    """Return the links of a participation that still open its pages."""
    rows, _ = api.rows("list_links", participant_id=participant_id, per_page=FEW)
    return [row for row in rows if row["status"] == "active"]


@routes.post("/contacts/<id>/merge", batch=True, shows=get_desk_merge)
def merge_desk_contact(request, id):
    """Make one of two contacts, and lead to it."""
    api.require_call(request, "merge_contact")
    ticked = list(filter(None, map(id_of, request.fields.get("keep_links", []))))
    body = {"duplicate_id": duplicate_of(request, id), "keep_links": ticked}
    address = actions.with_message(f"contacts/{id}", "merge_contact")
    return actions.once(
        request,
        "merge_contact",
        {"id": id},
        body,
        lambda response: page_requests.see_other(request, address),
    )
