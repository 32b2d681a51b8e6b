"""The forms of a show: exhibitors apply and visitors register with a browser, and confirm their
address by a link.

A form is `apply` or `visit`. Each is stored as a draft; the link in a mail makes the application.
"""

from eventapi import times
from eventapi.domain.access.link_secrets import form_key
from eventapi.domain.mail import queue as mails
from eventapi.domain.people import applications
from eventapi.domain.public_forms import drafts, openings
from eventapi.domain.shows import directory
from eventapi.errors import Problem, not_found
from eventapi.pages.show import form_fields
from eventapi.pages.show.views import PACKAGE, frame
from eventapi.plugins.validation import body_of
from eventapi.validation.formats import CHECKS
from eventapi.web import client
from eventapi.web.html import cookies, form_bodies, forms, page_requests, shell, tokens
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("show-forms", root="", public=True, page=True, forms=("text/html",))

TRAP = "fax_number"  # a field that people do not see, and that programs fill in


@routes.get("/e/<event_key>/apply")
def get_application_form(db, event_key):
    """Return the form with which exhibitors apply."""
    return empty_form(db, event_key, "apply", {"country": [db.config.organiser_country]})


@routes.get("/e/<event_key>/visit")
def get_registration_form(db, event_key):
    """Return the form with which visitors register. `category` in the address chooses one."""
    return empty_form(
        db, event_key, "visit", {name: [text] for name, text in shell.asked("category").items()}
    )


@routes.post("/e/<event_key>/apply", before=form_bodies.before)
def send_application_form(db, event_key, before):
    """Store the form, and mail the link with which the applicant confirms the address.

    Every address gets this page.
    """
    return sent_form(db, event_key, "apply", before)


@routes.post("/e/<event_key>/visit", before=form_bodies.before)
def send_registration_form(db, event_key, before):
    """Store the form, and mail the link with which the visitor confirms the address.

    Every address gets this page.
    """
    return sent_form(db, event_key, "visit", before)


@routes.post("/e/<event_key>/apply/address", before=form_bodies.before)
def correct_applicant_address(db, event_key, before):
    """Replace the address of a form that was sent, and mail the link there."""
    return corrected(db, event_key, "apply", before)


@routes.post("/e/<event_key>/visit/address", before=form_bodies.before)
def correct_visitor_address(db, event_key, before):
    """Replace the address of a form that was sent, and mail the link there."""
    return corrected(db, event_key, "visit", before)


def empty_form(db, event_key, form, given):
    show, language = opened(db, event_key, form)
    only = (
        form_fields.only_category(form_fields.fields_of(db, show, form, language))
        if form == "visit"
        else {}
    )
    return form_page(db, show, form, language, {**only, **given})


def sent_form(db, event_key, form, given):
    """Return the page after a form: `sent`, or the form again with its faults.

    `given` is the form or a Problem.
    """
    show, language = opened(db, event_key, form)
    if isinstance(given, Problem):
        return told(db, show, language, "refused", given.status, form=form)
    if openings.state(db, show, form) != "open":
        return form_page(db, show, form, language, given, status=409)
    if not mails.is_configured(db.config) and not client.is_local():
        return form_page(db, show, form, language, given, note="problem_no_mail", status=409)
    token = given.get("token", [""])[0]
    state, nonce = tokens.checked(form_key(db), purpose(show, form), token)
    if state != "good":
        kept = token if state == "young" else None
        return form_page(
            db,
            show,
            form,
            language,
            {} if state == "wrong" else given,
            note=f"form_{state}",
            token=kept,
            status=403 if state == "wrong" else 422,
        )
    if any(given.get(TRAP, [])):
        return sent_page(db, show, form, language, given, token)
    fields = form_fields.fields_of(db, show, form, language)
    faults = form_fields.missing(given, fields)
    if form_fields.not_offered(given, fields):
        faults["category"] = page_requests.words(PACKAGE, language)["fault_unknown"]
    try:
        body = body_of("application", "POST", db.config.timezone)(
            form_fields.body_from(
                fields, given, show, form, language, db.now, db.config.organiser_country
            )
        )
        applications.check_form(db, body, show["visit_fields"] if form == "visit" else None)
        if faults:
            return form_page(
                db, show, form, language, given, faults=faults, token=token, status=422
            )
        id = drafts.store(db, show, form, body, nonce, language, client.address(), mail_base_url())
    except Problem as problem:
        if problem.status >= 500:
            raise
        found = forms.faults_of(
            fields, problem.errors or [], page_requests.words(PACKAGE, language)
        )
        note = None if found else f"problem_{problem.code}"
        return form_page(
            db,
            show,
            form,
            language,
            given,
            faults={**faults, **found},
            note=note,
            token=token,
            status=422,
        )
    return sent_page(db, show, form, language, given, token, id)


def corrected(db, event_key, form, given):
    """Return the page `sent` after a correction of the address, with the fault of an address that
    is none.
    """
    show, language = opened(db, event_key, form)
    if isinstance(given, Problem):
        return told(db, show, language, "refused", given.status, form=form)
    token, email = given.get("token", [""])[0], given.get("email", [""])[0].strip()
    state, nonce = tokens.checked(form_key(db), purpose(show, form), token)
    if state in ("wrong", "old") or openings.state(db, show, form) != "open":
        return form_page(db, show, form, language, {}, note="form_wrong", status=403)
    if not CHECKS["email"](email) or len(email) > 254:
        return sent_page(db, show, form, language, given, token, fault="fault_format", status=422)
    is_possible, id = drafts.correct(
        db, show, form, nonce, email, client.address(), mail_base_url()
    )
    if not is_possible:
        return sent_page(
            db, show, form, language, given, token, fault="corrected_often", status=409
        )
    return sent_page(db, show, form, language, given, token, id)


def sent_page(db, show, form, language, given, token, id=None, *, fault=None, status=200):
    """Return the page after a form was sent, with which its address can be corrected."""
    # To try the form on this machine without a mail server, the page has the link that the mail
    # would have.
    secret = (
        drafts.add_secret(db, id, "shown") if id and not mails.is_configured(db.config) else None
    )
    return told(
        db,
        show,
        language,
        "sent",
        status,
        form=form,
        token=token,
        fault=fault,
        email=given.get("email", [""])[0],
        sender=db.config.smtp_sender,
        link=secret and f"{shell.up()}link/{secret}",
    )


def purpose(show, form):
    """Return what the tokens of a form are for."""
    return f"{form} {show['id']}"


# The link in the mail


def confirming(db, draft):
    """Return the page that asks whether to confirm.

    It changes nothing, because mail scanners open every link.
    """
    return linked_page(db, draft, "confirm")


def confirmed(db, draft, way):
    """Confirm the address of a draft, which makes the application.

    Return (page, link, is_new); page or link is None.

    The link opens the page of the application, which `is_new` unless the address has applied
    before. Without https it opens no session, so there is a page in its place. `way` is that of the
    secret. Raise 409 `link_revoked` if the office has ended the access of the address.
    """
    try:
        link, is_new = drafts.confirm(
            db, draft, directory.show(db, draft["event_key"]), mail_base_url(), way=way
        )
    except Problem as problem:
        if problem.status >= 500 or problem.code == "link_revoked":
            raise
        return linked_page(db, draft, "changed", 409), None, False
    if not cookies.is_possible():
        return (
            linked_page(db, {**draft, "application_id": link["application_id"]}, "done"),
            None,
            is_new,
        )
    return None, link, is_new


def linked_page(db, draft, part, status=200):
    """Return a page that the link in the mail of a draft opens."""
    show = directory.show(db, draft["event_key"])
    return told(
        db, show, draft["language"], part, status, "no-referrer", draft=draft, form=draft["form"]
    )


def opened(db, event_key, form):
    """Return the show and the language of the request. Raise 404 unless the show has the form."""
    show = directory.show(db, event_key)
    if show is None or not show[f"{form}_is_open"]:
        raise not_found("form", event_key)
    return show, shell.language_of(db.config, show["language"])


def told(db, show, language, part, status=200, referrer="same-origin", **values):
    """Return a page that says what has happened.

    `show` is None if the event is not public any more.
    """
    return shell.private(drawn(db, show, language, part, **values), language, status, referrer)


def drawn(db, show, language, part, **values):
    texts = show and {
        name: directory.in_language(text, language) for name, text in show["texts"].items()
    }
    around = (
        frame(db, show, part, {}, language)
        if show
        else {"title": page_requests.words(PACKAGE, language)[f"tab_{part}"]}
    )
    return page_requests.rendered(
        PACKAGE,
        part,
        language,
        **{**around, **values},
        event=show,
        show=show and {"texts": texts},
        now=times.now(),
    )


def form_page(db, show, form, language, given, *, faults=None, note=None, token=None, status=200):
    """Return the form with what was typed, or the page that says why it is closed."""
    state = openings.state(db, show, form)
    if state != "open":
        return told(
            db,
            show,
            language,
            "closed",
            200 if status == 200 else 409,
            form=form,
            is_full=state == "full",
        )
    terms = directory.in_language(show["apply_terms"], language) or ""
    text = drawn(
        db,
        show,
        language,
        form,
        form=form,
        fields=form_fields.fields_of(db, show, form, language),
        given=given,
        faults=faults or {},
        note=note,
        trap=TRAP,
        terms=terms,
        is_link=terms.startswith(("http://", "https://")),
        token=token or tokens.form_token(form_key(db), purpose(show, form)),
    )
    return shell.private(text, language, status)
