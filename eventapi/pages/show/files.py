"""Files of the public pages: stylesheets, pictures, plans, calendar, address cards, robots.txt and the imprint."""
from eventapi.domain.events import calendar_feed
from eventapi.domain.halls import plan_pictures
from eventapi.domain.shows import directory
from eventapi.errors import not_found
from eventapi.languages import countries
from eventapi.pages.show import cards
from eventapi.pages.show.views import PACKAGE, listed, public
from eventapi.web import downloads
from eventapi.web.html import colours, shell, visits
from eventapi.web.pages import Page
from eventapi.web.rest import drawn, mail_base_url, picture
from eventapi.web.routes import Routes

routes = Routes("show-files", root="", public=True, page=True)
IMPRINT = ("organiser_name", "organiser_street", "organiser_postal_code", "organiser_city", "organiser_email",
           "organiser_phone", "organiser_vat_id", "organiser_register_court", "organiser_register_number",
           "organiser_directors")
PICTURE = {"Cache-Control": "public, max-age=3600", "X-Robots-Tag": "noindex",
           "Content-Security-Policy": "default-src 'none'; style-src 'self'; sandbox"}


@routes.get("/pages/<name>", forms=("text/css",))
def get_stylesheet(name):
    """Return the stylesheet of all pages. Its name contains its hash."""
    if name != shell.style()[0]:
        raise not_found("stylesheet", name)
    return shell.style()[1].response()


@routes.get("/e/<event_key>/colours.css", forms=("text/css",))
def get_show_colours(db, event_key):
    """Return the colour of a show as a stylesheet."""
    show = public(db, event_key)
    if not show["accent_color"]:
        raise not_found("stylesheet of the event", event_key)
    headers = {"Content-Type": "text/css; charset=utf-8", "Cache-Control": shell.FRESH,
               "Content-Security-Policy": shell.POLICY}
    return Page(colours.stylesheet(show["accent_color"]), headers).response()


@routes.get("/e/<event_key>/picture-<hash>", forms=downloads.PICTURES)
def get_show_picture(db, event_key, hash):
    """Return the picture of a show. Its address contains the hash of the file."""
    return pictured(db, directory.picture(db, public(db, event_key)), hash)


@routes.get("/e/<event_key>/logos/<exhibitor>-<hash>", forms=downloads.PICTURES)
def get_show_logo(db, event_key, exhibitor, hash):
    """Return the logo of a listed exhibitor, named by its id and the hash of the file."""
    show = public(db, event_key)
    return pictured(db, directory.logo(db, show, exhibitor) if exhibitor.isdecimal() else None, hash)


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
    """Return a plan as a picture, or as a PDF to print."""
    with db.snapshot():
        show = public(db, event_key)
        language = shell.language_of(db.config, show["language"])
        hall = directory.hall(db, show, plan_key, directory.exhibitors(db, show, language), language)
    if hall is None:
        raise not_found("plan", plan_key)
    form = plan_pictures.PDF if shell.address().endswith(".pdf") else plan_pictures.SVG
    response = picture(hall, form, lambda: plan_pictures.draw(db.config, hall, form))
    how = "attachment" if form == plan_pictures.PDF else "inline"
    response.headers.update({"Content-Disposition": downloads.disposition(how, f"{plan_key}{shell.address()[-4:]}"),
                             "Cache-Control": shell.FRESH, "Vary": "Accept-Language"})
    return response


@routes.get("/e/<event_key>/exhibitors/<exhibitor>.vcf", forms=(cards.FORM,))
def get_show_card(db, event_key, exhibitor):
    """Return an exhibitor as an address card (vCard, RFC 2426) of what its page shows."""
    with db.snapshot():
        show = public(db, event_key)
        _, one = listed(db, show, shell.language_of(db.config, show["language"]), exhibitor)
    headers = {"Content-Type": f"{cards.FORM}; charset=utf-8", "Cache-Control": shell.FRESH,
               "Content-Security-Policy": shell.POLICY, "X-Robots-Tag": "noindex",
               "Content-Disposition": downloads.disposition("attachment", f"{one['slug']}.vcf")}
    address = f"{mail_base_url()}/e/{event_key}/exhibitors/{one['id']}-{one['slug']}"
    return Page(cards.card(show["title"], one, address), headers).response()


@routes.get("/e/<event_key>/calendar.ics", forms=(calendar_feed.FORM,))
def get_show_calendar(db, event_key):
    """Return the days and the public programme of a show as iCalendar, without the names of speakers."""
    with db.snapshot():
        show = public(db, event_key)
        kinds = ["event", *(["slot"] if show["show_programme"] else [])]
        entries = [{**entry, "speakers": []}
                   for entry in calendar_feed.entries(db, kinds, event_id=show["id"], visible=1)]
        response = drawn(calendar_feed.state(db, show["title"], entries), calendar_feed.HEADER,
                         lambda: calendar_feed.write(db, show["title"], entries))
    response.headers.update({"Content-Disposition": downloads.disposition("attachment", f"{event_key}.ics"),
                             "Cache-Control": shell.FRESH, "Content-Security-Policy": shell.POLICY})
    return response


@routes.get("/robots.txt", forms=("text/plain",))
def get_robots(db):
    """Tell search engines which shows they may list."""
    lines = [f"Allow: /e/{key}" for key in directory.indexed(db)]
    text = "\n".join(["User-agent: *", *lines, "Allow: /pages/", "Disallow: /", ""])
    return Page(text, {"Content-Type": "text/plain; charset=utf-8"}).response()


@routes.get("/imprint", forms=("text/html",))
def get_imprint(config):
    """Return who is responsible for the pages: the organiser, as the configuration names it."""
    language = shell.language_of(config, None)
    given = {name: getattr(config, name) for name in IMPRINT}
    text = visits.rendered(PACKAGE, "imprint", language, organiser=given, show=None,
                           title=visits.words(PACKAGE, language)["imprint"],
                           country=countries.name(config.organiser_country, language))
    return shell.html(text, language, is_indexed=False).response()
