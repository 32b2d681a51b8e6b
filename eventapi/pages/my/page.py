"""What all pages of an exhibitor have in common: who it is, its rights, the menu, and how values
are written.
"""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from eventapi import money, times
from eventapi.domain.access import rights
from eventapi.domain.access.links import masked
from eventapi.domain.mail import queue as mails
from eventapi.domain.portal import evidence, reading
from eventapi.domain.shows import directory
from eventapi.domain.shows import settings as pages_of_events
from eventapi.errors import Problem, not_found
from eventapi.languages import event_words, formats
from eventapi.pictures import small_business
from eventapi.storage.database import as_json
from eventapi.web.html import page_requests, shell
from eventapi.web.rest import Response

PACKAGE = "eventapi.pages.my"
PAGE = {
    "public": True,
    "page": True,
    "session": "participant",
    "flag": "pages",
    "forms": ("text/html",),
}
# address of a page -> right that it needs
MENU = {
    "": None,
    "profile": "profile",
    "booth": "booth",
    "submissions": "submissions",
    "orders": "orders",
    "contract": "contract",
    "invoices": "invoices",
    "badges": "badges",
    "programme": None,
}


@dataclass
class Exhibitor:
    """The exhibitor whose page it is: its row of portal/reading, the settings of the event's pages,
    and its rights now.
    """

    participant: dict
    event: dict
    pages: dict
    rights: list
    is_over: bool
    may_bind: bool


def open_page(db, request, right=None):
    """Return the Exhibitor whose page is asked for.

    Raise 404 if the pages are closed, or the link lacks the right at this event.
    """
    pages = pages_of_events.get(db, request.event["id"])
    allowed = rights.effective(request.link, pages, request.who.disabled_flags)
    if not pages["my_is_open"] or (right and right not in allowed):
        raise not_found("page", shell.address())
    participant = reading.participant(db, request.link["participant_id"])
    over = rights.is_over(request.link, times.now())
    return Exhibitor(
        participant,
        request.event,
        pages,
        allowed,
        over or participant["status"] == "cancelled",
        evidence.may_bind(db.config, request.session["way"]),
    )


def open_for_change(db, request, right):
    """Return `open_page` for a form. Raise 409 if the page can only be read."""
    exhibitor = open_page(db, request, right)
    rights.refuse_over(exhibitor.participant, request.link, times.now())
    return exhibitor


def step(request, given):
    """Return the evidence.Step of a request. `given` is the hash that the form contained."""
    return evidence.Step(
        request.session["way"], given, request.link["id"], request.session["mailed_to"]
    )


def render_page(db, request, exhibitor, template, **values):
    """Return a page of the exhibitor.

    Templates have, besides what page_requests.render_page provides:
    - `exhibitor`, `me`, `company`: the exhibitor, its participant and its name;
    - `menu`, `here`, `intro`, `accent`, `contact`: what the layout shows;
    - `event_forms`: what texts call the event, by name of the form;
    - `can_mail`, `link_email`, `masked`: whether and where the link can be mailed;
    - `changed`: names of the fields that somebody else has changed; `now`;
    - `is_untaxed`, `price_note`: whether prices have no VAT, and what they end with;
    - `amount`, `percent`, `metres`, `number`, `day`, `moment`: the formatters.
    """
    language = request.language
    zone = exhibitor.event["timezone"]
    email = request.link["email"]
    is_coloured = exhibitor.event["is_visible"] and exhibitor.pages["is_public"]
    changed = changed_fields(request)  # before `explain`, which makes a text of the list
    event_forms = event_words.forms(exhibitor.event["event_word"], language)
    explain(request.problem, event_forms, language, zone)
    return page_requests.render_page(
        request,
        PACKAGE,
        template,
        exhibitor=exhibitor,
        me=exhibitor.participant,
        company=reading.name_of(exhibitor.participant),
        menu=menu_of(db, request, exhibitor),
        here=shell.address().removeprefix(f"/my/{request.ref}").strip("/").partition("/")[0],
        intro=directory.in_language(exhibitor.pages["texts"].get("my_intro", {}), language),
        accent=exhibitor.pages["accent_color"] if is_coloured else None,
        contact=contact(db, exhibitor),
        event_forms=event_forms,
        can_mail=mails.is_configured(db.config),
        link_email=email,
        masked=masked(email) if email else None,
        now=times.now(),
        is_untaxed=reading.is_untaxed(db, exhibitor.participant),
        price_note=small_business.price_note(
            db.config, reading.last_day(db, exhibitor.participant), language
        ),
        changed=changed,
        **formatters(db.config.currency, language, zone),
        **values,
    )


def form_of(request, schema, stored, *, names, **options):
    """Return {form, given} for a template: the form of a schema, and its texts: what was typed, else
    what is `stored`. `options` are those of schema_forms.Form.
    """
    form = page_requests.form_of(PACKAGE, schema, request.language, names=names, **options)
    return {"form": form, "given": {**form.texts(stored), **request.fields}}


def menu_of(db, request, exhibitor):
    """Return (address, word) of the pages that the exhibitor may open, without an empty programme."""
    is_enabled = "schedules" not in request.who.disabled_flags
    has_slots = is_enabled and bool(reading.slots(db, exhibitor.participant))
    return [
        (page, f"menu_{page or 'overview'}")
        for page, right in MENU.items()
        if (right is None or right in exhibitor.rights) and (page != "programme" or has_slots)
    ]


def changed_fields(request):
    """Return the names of the fields that somebody else has changed since the form was made."""
    if request.problem is None:
        return []
    words = page_requests.words(PACKAGE, request.language)
    changed = request.problem.members.get("changed", ())
    return [name for name in changed if f"field_{name}" in words]


def formatters(currency, language, zone):
    """Return functions that write values in a language: amounts in minor units, lengths in mm,
    rates, days and times.

    They return "" for None. A list of booths has few prices and sizes, so each is written once.
    """

    @cache
    def amount(minor, other=None):
        unit = other or currency
        return "" if minor is None else formats.money(money.major(minor, unit), unit, language)

    return {
        "amount": amount,
        "percent": lambda rate: formats.percent(money.unscaled(rate, 2), language),
        "metres": cache(lambda length: formats.number(money.unscaled(length, 3), language)),
        "number": lambda value: formats.number(value, language),
        "day": lambda value: formats.day(times.local_date(value, zone), language) if value else "",
        "moment": lambda value: formats.moment(value, zone, language) if value else "",
    }


def explain(problem, event_forms, language, zone):
    """Write the members of a problem as the sentence about it shows them: days in the zone, and
    lists. Add the forms of the word for the event.
    """
    if problem is None:
        return
    problem.members.update(event_forms)
    for name, value in problem.members.items():
        if isinstance(value, list):
            problem.members[name] = ", ".join(map(str, value))
        elif isinstance(value, str) and times.is_timestamp(value):
            problem.members[name] = formats.moment(value, zone, language)
        elif isinstance(value, str) and times.is_date(value):
            problem.members[name] = formats.day(value, language)


def contact(db, exhibitor):
    """Return {email, phone} of the organiser for questions."""
    return {
        "email": exhibitor.pages["contact_email"] or db.config.organiser_email,
        "phone": exhibitor.pages["contact_phone"] or db.config.organiser_phone,
    }


def tag_of(record):
    """Return the text that a form carries to show which state of a record it was made from: a hash
    of each value.
    """
    return " ".join(
        f"{name}:{sha256(as_json(value).encode()).hexdigest()[:8]}"
        for name, value in record.items()
    )


def refuse_changed(record, given):
    """Raise 412 unless the form was made from this state of the record.

    `changed` names what differs.

    `given` is the tag in the form; None if there is none.
    """
    known = (given or "").split()
    changed = [part.partition(":")[0] for part in tag_of(record).split() if part not in known]
    if changed:
        raise Problem(
            "precondition_failed",
            "The record has changed since the form was made. Compare, then send it again.",
            changed=changed if known else [],
        )


def found(record, noun, key):
    """Return a record of the exhibitor.

    Raise 404 if it is None: it does not exist, or belongs to another one.
    """
    if record is None:
        raise not_found(noun, key)
    return record


def attachment(response: Response) -> Response:
    """Return the response with a file, which nobody keeps."""
    response.headers.update(
        {
            **shell.HEADERS,
            "Cache-Control": "no-store",
            "X-Robots-Tag": "noindex",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        }
    )
    return response
