"""Files of the public pages: stylesheets, pictures, plans, calendar, address cards, robots.txt and
the imprint.
"""

from eventapi.domain.events import calendar_feed
from eventapi.domain.halls import plan_pictures
from eventapi.domain.shows import directory
from eventapi.errors import not_found
from eventapi.languages import countries
from eventapi.pages.show import cards, views
from eventapi.web import downloads
from eventapi.web.html import colours, page_requests, shell
from eventapi.web.pages import Page
from eventapi.web.rest import SANDBOX, mail_base_url, tag_of
from eventapi.web.routes import Routes

routes = Routes("show-files", root="", public=True, page=True)
IMPRINT = (
    "organiser_name",
    "organiser_street",
    "organiser_postal_code",
    "organiser_city",
    "organiser_email",
    "organiser_phone",
    "organiser_vat_id",
    "organiser_register_court",
    "organiser_register_number",
    "organiser_directors",
)
PICTURE = {
    "Cache-Control": "public, max-age=3600",
    "X-Robots-Tag": "noindex",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; sandbox",
}


@routes.get("/pages/<name>", forms=("text/css", "text/javascript"))
def get_stylesheet(name):
    """Return a stylesheet or a script of the pages. Its name contains its hash."""
    for script in shell.SCRIPTS:
        file, page = shell.script(script)
        if file == name:
            return page.response()
    for sheet in shell.SHEETS:
        file, page = shell.style(sheet)
        if file == name:
            return page.response()
    raise not_found("stylesheet", name)


@routes.get("/e/<event_key>/colours.css", forms=("text/css",))
def get_show_colours(db, event_key):
    """Return the colour of a show as a stylesheet."""
    show = views.public(db, event_key)
    if not show["accent_color"]:
        raise not_found("stylesheet of the event", event_key)
    headers = {
        "Content-Type": "text/css; charset=utf-8",
        "Cache-Control": shell.FRESH,
        "Content-Security-Policy": shell.POLICY,
    }
    return Page(colours.stylesheet(show["accent_color"]), headers).response()


@routes.get("/e/<event_key>/picture-<hash>", forms=downloads.PICTURES)
def get_show_picture(db, event_key, hash):
    """Return the picture of a show. Its address contains the hash of the file."""
    return pictured(db, directory.picture(db, views.public(db, event_key)), hash)


@routes.get("/e/<event_key>/logos/<exhibitor>-<hash>", forms=downloads.PICTURES)
def get_show_logo(db, event_key, exhibitor, hash):
    """Return the logo of a listed exhibitor, named by its id and the hash of the file."""
    show = views.public(db, event_key)
    return pictured(
        db, directory.logo(db, show, exhibitor) if exhibitor.isdecimal() else None, hash
    )


def pictured(db, file, hash):
    """Return a stored picture. Raise 404 unless it is one, with this hash in its address."""
    if not file or file["sha256"][:16] != hash or file["content_type"] not in downloads.PICTURES:
        raise not_found("picture", hash)
    response = downloads.stored_file(db.config, file["sha256"], file["content_type"], hash)
    response.headers.update(PICTURE)
    return response


@routes.get("/e/<event_key>/plan/<plan_key>.svg", forms=(plan_pictures.SVG,))
@routes.get("/e/<event_key>/plan/<plan_key>.pdf", forms=(plan_pictures.PDF,))
def get_show_plan_file(db, event_key, plan_key):
    """Return a plan as a picture, or as a PDF to print.

    It is drawn once for each state of the show.
    """
    form = plan_pictures.PDF if shell.address().endswith(".pdf") else plan_pictures.SVG
    state = views.current(db, event_key)
    language = shell.language_of(db.config, state["language"])
    key = (*views.shown_by(db, event_key, state, "plan", plan_key, language), form)
    file = shell.FILES.find(key)
    if file is None:
        # An address that somebody makes up waits for no drawing of another thread.
        if plan_key not in [plan["plan_key"] for plan in directory.plans(db, state)]:
            raise not_found("plan", plan_key)
        file = shell.FILES.get(key, lambda: drawn_plan(db, event_key, plan_key, language, form))
    return file.response()


def drawn_plan(db, event_key, plan_key, language, form):
    """Return a plan as a file in media type `form`. Raise 404 if the show has no such plan."""
    with db.snapshot():
        show = views.public(db, event_key)
        hall = directory.hall(db, show, plan_key, views.everybody(db, show, language), language)
    if hall is None:
        raise not_found("plan", plan_key)
    how, extension = ("attachment", "pdf") if form == plan_pictures.PDF else ("inline", "svg")
    headers = {
        "Content-Type": form,
        "Content-Security-Policy": SANDBOX,
        "Cache-Control": shell.FRESH,
        "Vary": "Accept-Language",
        "Content-Disposition": downloads.disposition(how, f"{plan_key}.{extension}"),
    }
    return Page(plan_pictures.draw(db.config, hall, form), headers, tag_of(hall, form))


@routes.get("/e/<event_key>/exhibitors/<exhibitor>.vcf", forms=(cards.FORM,))
def get_show_card(db, event_key, exhibitor):
    """Return an exhibitor as an address card (vCard, RFC 2426) of what its page shows.

    It is made once for each state of the show.
    """
    state = views.current(db, event_key)
    language = shell.language_of(db.config, state["language"])
    root = mail_base_url()

    def make():
        with db.snapshot():
            show = views.public(db, event_key)
            _, one = views.listed(db, show, language, exhibitor)
        headers = {
            "Content-Type": f"{cards.FORM}; charset=utf-8",
            "Cache-Control": shell.FRESH,
            "Content-Security-Policy": shell.POLICY,
            "X-Robots-Tag": "noindex",
            "Content-Disposition": downloads.disposition("attachment", f"{one['slug']}.vcf"),
        }
        address = f"{root}/e/{event_key}/exhibitors/{one['id']}-{one['slug']}"
        return Page(cards.card(show["title"], one, address), headers)

    # Without base_url, a client on this machine chooses the host in the card. Nobody else gets such
    # a card.
    if root and not db.config.base_url:
        return make().response()
    id = exhibitor.partition("-")[0]
    return shell.PAGES.get(
        views.shown_by(db, event_key, state, "card", id, language), make
    ).response()


@routes.get("/e/<event_key>/calendar.ics", forms=(calendar_feed.FORM,))
def get_show_calendar(db, event_key):
    """Return the days and the public programme of a show as iCalendar, without the names of
    speakers.

    It is made once for each state of the show, and each day, since an entry is left out a year
    after it was cancelled.
    """
    state = views.current(db, event_key)

    def make():
        with db.snapshot():
            show = views.public(db, event_key)
            kinds = ["event", *(["slot"] if show["show_programme"] else [])]
            entries = [
                {**entry, "speakers": []}
                for entry in calendar_feed.entries(db, kinds, event_id=show["id"], visible=1)
            ]
            tag = tag_of(calendar_feed.state(db, show["title"], entries), calendar_feed.HEADER)
            text = calendar_feed.write(db, show["title"], entries)
        return Page(
            text,
            {
                "Content-Type": calendar_feed.HEADER,
                "Cache-Control": shell.FRESH,
                "Vary": "Accept",
                "Content-Security-Policy": shell.POLICY,
                "Content-Disposition": downloads.disposition("attachment", f"{event_key}.ics"),
            },
            tag,
        )

    return shell.PAGES.get(
        views.shown_by(db, event_key, state, "calendar", None, None), make
    ).response()


@routes.get("/robots.txt", forms=("text/plain",))
def get_robots(db):
    """Tell search engines which shows they may list."""
    lines = [f"Allow: /e/{key}" for key in directory.indexed(db)]
    text = "\n".join(["User-agent: *", *lines, "Allow: /pages/", "Disallow: /", ""])
    return Page(text, {"Content-Type": "text/plain; charset=utf-8"}).response()


@routes.get("/imprint", forms=("text/html",))
def get_imprint(db):
    """Return who is responsible for the pages: the organiser, as its settings name it."""
    config = db.config
    language = shell.language_of(config, None)
    given = {name: getattr(config, name) for name in IMPRINT}
    text = page_requests.render_html(
        views.PACKAGE,
        "imprint",
        language,
        organiser=given,
        show=None,
        title=page_requests.words(views.PACKAGE, language)["imprint"],
        country=countries.name(config.organiser_country, language),
    )
    return shell.html(text, language, is_indexed=False).response()
