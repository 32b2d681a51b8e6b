"""The pages of "Set up": each has one form of the event in hand, or the list of one kind of records."""

from eventapi.domain.shows import settings
from eventapi.errors import not_found
from eventapi.pages.desk import actions, api, edit, events, gaps, labels, links
from eventapi.pages.desk.kinds import KINDS, LISTS, PAGES
from eventapi.pages.office import setup
from eventapi.pages.office.menu import SETUP
from eventapi.pages.office.page import render_page
from eventapi.web import uploads
from eventapi.web.html import page_requests, shell
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes(
    "desk-setup-pages",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

# Page -> its entry of the menu
NAMES = {address.partition("/")[2]: name for name, address, _ in SETUP}
OF_EVENT = ("services", "submission_types", "plans", "schedules")  # lists of an event
INCLUDED = {"plans": ("booth_count",)}
SORTED = {"schedules": "starts_at"}
# What a form of the pages lacks -> page of "Set up" that has it.
WHERE = {
    "date_from": "setup/details",
    "is_public": "setup/website",
    "apply_terms": "setup/apply/texts",
    "automatic_category": "setup/visitors",
}


@routes.get("/setup/<page>")
@routes.get("/setup/<page>/<part>")
def get_desk_setup_page(db, request, page, part=None):
    """Return a page of "Set up", for the event in hand."""
    page = name_of(page, part)
    if page in LISTS:
        return list_page(db, request, page)
    kind = PAGES[page]
    event = events.required(db)
    api.require(request, "events")
    pages = pages_of(request, event, page)
    values = edit.values_of(db, request, kind, edit_name(page), event["id"], event)
    values["kind_name"] = word_of(page)
    return render_page(
        db,
        request,
        "setup_page",
        page=NAMES[page.partition("/")[0]],
        title=labels.words(request)[f"edit_{word_of(page)}"],
        setup_page=page,
        advice=advice(db, page, pages),
        is_visible=bool(event["is_visible"]),
        back=actions.return_path(request),
        may_write=api.may_call(request, edit.handler_of(kind, event["id"])),
        lacks=lacks(db, request, page, pages),
        following=setup.following(db, request, event, page),
        view=view_of(page, event, pages),
        show_address=f"{shell.up()}e/{event['event_key']}",
        address=f"{mail_base_url()}/e/{event['event_key']}",
        has_own_title=True,
        picture=picture_of(db, request, event) if page == "website" else None,
        visitors=visitors_of(request, event) if page == "visitors" else None,
        **doors(request, event, page),
        **values,
    )


def pages_of(request, event, page):
    """Return the settings of the public pages of an event. The page of its details needs none: return
    None there, so that an event can be changed where the feature `pages` is disabled.
    """
    return None if page == "details" else api.read("get_event_pages", id=event["id"]).data


def view_of(page, event, pages):
    """Return the end of the address of the public page that a page is about.

    None if there is no such page, or if it is not public.
    """
    is_public = pages and pages["is_public"] and event["is_visible"]
    if page == "website" and is_public:
        return ""
    if page.startswith("apply") and is_public and pages["apply_is_open"]:
        return "/apply"
    if page == "visitors" and is_public and pages["visit_is_open"]:
        return "/visit"
    return None


def name_of(page, part):
    """Return the name of a page as in PAGES and LISTS. Raise 404 for another one."""
    name = f"{page}/{part}" if part else page
    if name not in PAGES and name not in LISTS:
        raise not_found("page", shell.address())
    return name


def word_of(page):
    """Return the end of the word for the title of a page: `edit_apply_texts`."""
    return page.replace("/", "_")


def edit_name(page):
    """Return the kind of record that the labels of the form of a page are for."""
    return "events" if page == "details" else word_of(page)


@routes.post("/setup/<page>", batch=True, shows=get_desk_setup_page)
@routes.post("/setup/<page>/<part>", batch=True, shows=get_desk_setup_page)
def save_desk_setup_page(request, config, connections, page, part=None):
    """Change what a page of "Set up" shows, if it is still as the page has shown it.

    A change of what other pages show of the same record is kept.
    """
    page = name_of(page, part)
    if page not in PAGES:
        raise not_found("page", shell.address())
    event = events.of_form(connections.reader())

    def lead(response):
        address = f"setup/{page}?event={response.data['event_key']}"
        codes = [each["code"] for each in response.meta.get("warnings", ())]
        done = "hours_moved" if "opening_hours_moved" in codes else "saved"
        return actions.with_message(actions.return_path(request) or address, done)

    return edit.save(request, config, PAGES[page], edit_name(page), event["id"], lead)


# Lists


def list_page(db, request, page):
    """Return the page with the records of one kind, or of two."""
    _, _, reader = next(each for each in SETUP if each[1] == f"setup/{page}")
    api.require_call(request, reader)
    event = events.current(db)
    return render_page(
        db,
        request,
        "setup_list",
        page=NAMES[page],
        setup_name=NAMES[page],
        current=event,
        following=setup.following(db, request, event, page),
        lists={name: records(name, event) for name in LISTS[page]},
        kinds=KINDS,
        new_address=lambda name: new_address(name, page),
        may_add=lambda name: api.may_call(request, edit.handler_of(KINDS[name], None)),
    )


def new_address(name, page):
    """Return the address of the form of a new record. After a new hall comes the page of its booths."""
    return "edit/plans" if name == "plans" else f"edit/{name}?back=setup/{page}"


def records(name, event):
    """Return the records of a kind: those of the event in hand if events have their own."""
    query = {}
    if name in OF_EVENT:
        if event is None:
            return []
        query["event_id"] = event["id"]
    if name in SORTED:
        query |= {"sort": SORTED[name], "order": "ASC"}
    return api.everything(f"list_{name}", include=INCLUDED.get(name, ()), **query)


# What is missing


def lacks(db, request, page, pages):
    """Return (sentence, links, hint) of what a page lacks before it can be public, or be open.

    Each of `links` is (label, address, id of the field). `hint` says who else can add it, or is "".
    """
    texts = labels.words(request)
    names = lacking(db, page, pages)
    of_organiser = gaps.of_names(db, request, [name for name in names if name != "base_url"])
    found = []
    for name in names:
        sentence = texts.get(f"lacks_{name}", name)
        if name in of_organiser:
            lack = of_organiser[name]
            places = [(label, f"company/{target}", field) for label, target, field in lack.links]
            found.append((sentence, places, lack.ask))
        elif name in WHERE:
            label = texts[f"edit_{word_of(WHERE[name].removeprefix('setup/'))}"]
            found.append((sentence, [(label, WHERE[name], f"f-{name}")], ""))
        else:
            found.append((sentence, [], f"{texts['by_admin']} {name} = …"))
    return found


def lacking(db, page, pages):
    """Return the names of what a page lacks, as the 409 `page_incomplete` of the API has them."""
    if page == "website":
        return settings.lacks(db, pages, mail_base_url())
    if page == "portal":
        return [] if mail_base_url() else ["base_url"]
    found = []
    if page in ("apply", "visitors") and not pages["is_public"]:
        found.append("is_public")
    if page == "apply" and not pages["apply_terms"]:
        found.append("apply_terms")
    return found


def advice(db, page, pages):
    """Return the names of what a page can do without, but should have."""
    if page == "portal":
        has_no_day = "booth" in pages["my_rights"] and pages["booth_from"] is None
        return ["booth_from"] if has_no_day else []
    if page != "website":
        return []
    return [
        name
        for name, is_there in (
            ("privacy", pages["texts"].get("privacy") or db.config.privacy_url),
            ("intro", pages["texts"].get("intro")),
            ("visit", pages["texts"].get("visit")),
        )
        if not is_there
    ]


# The doors, and the categories of visitors


def doors(request, event, page):
    """Return what the piece `links` shows of the doors of an event, by name. Other pages lack them."""
    if page != "visitors":
        return {"links": None}
    return {
        "links": links.of(request, event_id=event["id"], kind="door"),
        "links_title": "doors",
        "make_word": "link_make",
        "make_help": None,
        "may_make": links.may_reach(request, "door"),
        "new_link": {"kind": "door", "event_id": event["id"], "station": ""},
    }


def visitors_of(request, event):
    """Return the categories of an event that visitors can choose, or None without the scope."""
    if not api.may(request, "categories"):
        return None
    found = api.everything("list_categories", event_id=event["id"])
    return [row for row in found if row["approval"] == "automatic"]


def get_desk_visitors(db, request):
    """Return the page of visitors, after its button was refused."""
    return get_desk_setup_page(db, request, "visitors")


@routes.post("/setup/visitors/category", batch=True, shows=get_desk_visitors)
def add_desk_visitor_category(request, connections):
    """Add the category that the registration of visitors needs: admitted at once, without a fee."""
    event = events.of_form(connections.reader())
    body = {
        "title": labels.words(request)["category_visitors"],
        "event_keys": [event["event_key"]],
        "role": "visitor",
        "approval": "automatic",
    }
    return actions.once(
        request,
        "create_category",
        {},
        body,
        lambda _: page_requests.see_other(
            request, actions.with_message("setup/visitors", "visitor_category")
        ),
    )


# The picture of the show


def picture_of(db, request, event):
    """Return {image, address, tag, limit, may_write} of the picture of an event, for its form."""
    record = api.record("get_event", event["id"])
    image = record["image"]
    is_shown = image and api.may_call(request, "get_document_content")
    address = None
    if is_shown:
        page = f"setup/website/picture/{image['document_id']}"
        address = f"{request.home()}{page}?event={event['event_key']}"
    return {
        "image": image,
        "address": address,
        "tag": record["tag"],
        "limit": largest(db.config) // 2**20,
        "may_write": api.may_call(request, "set_event_image"),
    }


def largest(config):
    """Return the largest picture in bytes."""
    return uploads.largest_picture(config)


@routes.get("/setup/website/picture")
def get_desk_picture_form(db, request):
    """Return the picture of the event in hand with its form, or show it again after a refusal."""
    api.require(request, "events")
    event = events.required(db)
    return render_page(
        db,
        request,
        "setup_picture_page",
        page="website",
        title=labels.words(request)["show_picture"],
        current=event,
        picture=picture_of(db, request, event),
    )


@routes.get("/setup/website/picture/<id>")
def get_desk_picture(db, request, id):
    """Return the picture of the event in hand. Its address contains the id of its document."""
    image = api.read("get_event", id=events.required(db)["id"]).data["image"]
    if image is None or str(image["document_id"]) != str(id):
        raise not_found("page", shell.address())
    return api.read("get_document_content", form=image["content_type"], id=image["document_id"])


@routes.post("/setup/website/picture", batch=True, shows=get_desk_picture_form, file=largest)
def set_desk_picture(request, connections, upload):
    """Set the picture of the event in hand. Raise 422 if the file is no picture."""
    with actions.picture(upload) as sent:
        return changed_picture(request, connections, "set_event_image", "picture", upload=sent)


@routes.post("/setup/website/picture/remove", batch=True, shows=get_desk_picture_form)
def remove_desk_picture(request, connections):
    """Remove the picture of the event in hand."""
    return changed_picture(request, connections, "delete_event_image", "picture_removed")


def changed_picture(request, connections, name, done, upload=None):
    """Run a route of the API, if the event is still as the page has shown it, and return to the page."""
    event = events.of_form(connections.reader())
    address = actions.with_message(f"setup/website?event={event['event_key']}", done)
    return actions.once(
        request,
        name,
        {"id": event["id"]},
        None,
        lambda _: page_requests.see_other(request, address),
        tag=edit.tag_of(request),
        upload=upload,
    )


# The addresses before


@routes.get("/settings/<id>")
def get_desk_settings(request, id):
    """Redirect to the page of the website, which has a part of the forms that stood here."""
    key = api.read("get_event", id=id).data["event_key"]
    return shell.redirection(f"{request.home()}setup/website?event={key}")
