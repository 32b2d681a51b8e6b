"""The forms of a show: exhibitors apply and visitors register with a browser, and confirm their
address by a link.

A form is `apply` or `visit`. Each is stored as a draft; the link in a mail makes the application.
"""

from dataclasses import dataclass, replace

from eventapi import times
from eventapi.domain.access.link_secrets import form_key
from eventapi.domain.mail import queue as mails
from eventapi.domain.people import applications
from eventapi.domain.public_forms import drafts, openings
from eventapi.domain.shows import apply_form, directory, settings
from eventapi.errors import Problem, not_found
from eventapi.pages.show import fields
from eventapi.pages.show.views import PACKAGE, head_and_foot
from eventapi.plugins.validation import body_of
from eventapi.validation.formats import CHECKS
from eventapi.web import client
from eventapi.web.html import cookies, form_bodies, forms, page_requests, shell, tokens
from eventapi.web.html.forms import Sentences
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("show-forms", root="", public=True, page=True, forms=("text/html",))

TRAP = "fax_number"  # a field that people do not see, and that programs fill in
COMPUTE = "compute"  # the button that computes the sum, and sends nothing


@dataclass(frozen=True, slots=True)
class Submission:
    """A form of a show, with what its fields have.

    Attributes:
        show: the result of `directory.show`.
        form: `apply` or `visit`.
        language: of the page.
        given: name of a field -> its texts.
        pages: the settings of the pages of the show.
        token: that of the form that was sent. A page makes a new one if it is "".
        questions: custom fields that the form asks as they are here, and not as they are stored.
    """

    show: dict
    form: str
    language: str
    given: dict
    pages: dict
    token: str = ""
    questions: tuple = ()

    def text(self, name):
        """Return the text of a field, or ""."""
        return self.given.get(name, [""])[0]

    def purpose(self):
        """Return what the token of the form is for."""
        return f"{self.form} {self.show['id']}"


@routes.get("/e/<event_key>/apply")
def get_application_form(db, event_key):
    """Return the form with which exhibitors apply."""
    given = {"country": [db.config.organiser_country]}
    return form_page(db, open_form(db, event_key, "apply", given))


@routes.get("/e/<event_key>/visit")
def get_registration_form(db, event_key):
    """Return the form with which visitors register. `category` in the address chooses one."""
    asked = {name: [text] for name, text in shell.asked("category").items()}
    submission = open_form(db, event_key, "visit", asked)
    given = fields.only_category(fields.form_of(db, submission)) | asked
    return form_page(db, replace(submission, given=given))


@routes.post("/e/<event_key>/apply", before=form_bodies.before)
def send_application_form(db, event_key, before):
    """Store the form, and mail the link with which the applicant confirms the address.

    Every address gets this page.
    """
    return send_form(db, event_key, "apply", before)


@routes.post("/e/<event_key>/visit", before=form_bodies.before)
def send_registration_form(db, event_key, before):
    """Store the form, and mail the link with which the visitor confirms the address.

    Every address gets this page.
    """
    return send_form(db, event_key, "visit", before)


@routes.post("/e/<event_key>/apply/address", before=form_bodies.before)
def correct_applicant_address(db, event_key, before):
    """Replace the address of a form that was sent, and mail the link there."""
    return correct_address(db, event_key, "apply", before)


@routes.post("/e/<event_key>/visit/address", before=form_bodies.before)
def correct_visitor_address(db, event_key, before):
    """Replace the address of a form that was sent, and mail the link there."""
    return correct_address(db, event_key, "visit", before)


# A form that is sent


def open_form(db, event_key, form, given):
    """Return the Submission of a form of a show. Raise 404 unless the show has the form."""
    show = directory.show(db, event_key)
    if show is None or not show[f"{form}_is_open"]:
        raise not_found("form", event_key)
    language = shell.language_of(db.config, show["language"])
    token = given.get("token", [""])[0]
    return Submission(show, form, language, given, settings.get(db, show["id"]), token)


def send_form(db, event_key, form, given):
    """Return the page after a form: `sent`, or the form again with its faults.

    `given` is the form or a Problem.
    """
    if isinstance(given, Problem):
        return refused_page(db, event_key, form, given)
    submission = open_form(db, event_key, form, given)

    refusal = refuse_closed(db, submission)
    if refusal:
        return refusal
    state, nonce = tokens.checked(form_key(db), submission.purpose(), submission.token)
    if COMPUTE in given and state in ("good", "young"):
        return form_page(db, submission)
    if state != "good":
        return refuse_token(db, submission, state)
    if any(given.get(TRAP, [])):
        return sent_page(db, submission)  # the program must not notice

    made = fields.form_of(db, submission)
    faults = fields.faults_of(made, given)
    note = None
    try:
        body = checked_body(db, submission, made)
        id = None if faults else store_draft(db, submission, body, nonce)
    except Problem as problem:
        if problem.status >= 500:
            raise
        faults += problem.errors or []
        note = f"problem_{problem.code}"
    if faults:
        return form_page(db, submission, faults, status=422)
    if note:
        return form_page(db, submission, note=note, status=422)
    return sent_page(db, submission, id)


def refuse_closed(db, submission):
    """Return the page of a form that cannot be sent now, or None if it can."""
    if openings.state(db, submission.show, submission.form) != "open":
        return form_page(db, submission, status=409)
    if not mails.is_configured(db.config) and not client.is_local():
        fresh = replace(submission, token="")
        return form_page(db, fresh, note="problem_no_mail", status=409)
    return None


def refuse_token(db, submission, state):
    """Return the form again, for a token that is `young`, `old` or `wrong`.

    A young one can be sent again. What comes with a wrong one is not shown.
    """
    note = f"form_{state}"
    if state == "young":
        return form_page(db, submission, note=note, status=422)
    if state == "old":
        return form_page(db, replace(submission, token=""), note=note, status=422)
    return form_page(db, replace(submission, given={}, token=""), note=note, status=403)


def checked_body(db, submission, made):
    """Return the body of POST /applications that the form means.

    Raise 422 or 409 as it does, with all faults: the rules also check what is left of a form with
    texts that cannot be read.
    """
    meant = fields.body_of(made, submission, db.now, db.config.organiser_country)
    check = body_of("application", "POST", db.config.timezone)
    if submission.form == "visit":
        asked = submission.show["visit_fields"]
    else:
        asked = apply_form.custom_keys(submission.pages["apply_form"])
    try:
        body = check(meant)
    except Problem as problem:
        rest, names = forms.left_out(meant, problem.errors)
        try:
            applications.check_form(db, check(rest), asked)
        except Problem as further:
            problem.errors = [*problem.errors, *forms.further(further.errors or [], names)]
        raise problem from None
    applications.check_form(db, body, asked)
    return body


def store_draft(db, submission, body, nonce):
    """Store the draft, and return its id; None if this form was stored before."""
    return drafts.store(
        db,
        submission.show,
        submission.form,
        body,
        nonce,
        submission.language,
        client.address(),
        mail_base_url(),
    )


def correct_address(db, event_key, form, given):
    """Return the page `sent` after a correction of the address.

    It has the fault of a text that is no address. `given` is the form or a Problem.
    """
    if isinstance(given, Problem):
        return refused_page(db, event_key, form, given)
    submission = open_form(db, event_key, form, given)
    show = submission.show

    state, nonce = tokens.checked(form_key(db), submission.purpose(), submission.token)
    if state in ("wrong", "old") or openings.state(db, show, form) != "open":
        empty = replace(submission, given={}, token="")
        return form_page(db, empty, note="form_wrong", status=403)
    email = submission.text("email").strip()
    if not CHECKS["email"](email) or len(email) > 254:
        return sent_page(db, submission, fault="fault_format_email", status=422)

    is_possible, id = drafts.correct(
        db, show, form, nonce, email, client.address(), mail_base_url()
    )
    if not is_possible:
        return sent_page(db, submission, fault="corrected_often", status=409)
    return sent_page(db, submission, id)


# Pages of a form


def form_page(db, submission, faults=None, note=None, status=200):
    """Return the form with what was typed, or the page that says why it is closed.

    `faults` are errors of a problem document, `note` is the word of a sentence on top.
    """
    state = openings.state(db, submission.show, submission.form)
    if state != "open":
        closed_status = 200 if status == 200 else 409
        return message_page(db, submission, "closed", closed_status, is_full=state == "full")
    text = form_html(db, submission, faults, note)
    return shell.private(text, submission.language, status)


def form_html(db, submission, faults, note, **around):
    """Return the form with what was typed as HTML.

    `faults` and `note` are those of `form_page`, `around` replaces what the layout shows.
    """
    terms = directory.in_language(submission.show["apply_terms"], submission.language) or ""
    made = fields.form_of(db, submission)
    words = page_requests.words(PACKAGE, submission.language)
    sentences = made.faults(faults or [], submission.given, Sentences(words, submission.language))
    labels = {each.name: each.label for each in made.fields}
    known = {"band": None, **around}
    text = render_html(
        db,
        submission.show,
        submission.language,
        submission.form,
        form=submission.form,
        fields=made.fields,
        given=submission.given,
        sentences={"beside": sentences.beside, "top": sentences.top},
        label_of=labels.get,
        note=note,
        trap=TRAP,
        compute=COMPUTE,
        amounts=fields.sum_of(db, submission),
        terms=terms,
        is_link=terms.startswith(("http://", "https://")),
        token=submission.token or tokens.form_token(form_key(db), submission.purpose()),
        **known,
    )
    if faults:
        text = page_requests.with_fault_in_title(text, words)
    return text


def trial_page(db, request, event, pages):
    """Return the form of exhibitors of an event, which need not be public, for the office to try.

    `event` is the API object, `pages` the settings of its pages. What was typed is checked as the form
    checks it, and not stored.
    """
    language = request.language
    show = show_of(event, pages)
    if not (pages["is_public"] and event["is_visible"]):
        show["accent_color"] = None  # only public pages have the stylesheet of their colour
    submission = Submission(show, "apply", language, request.fields, pages)
    faults = []
    band = "trial_band"
    is_sent = "token" in request.fields and COMPUTE not in request.fields
    if is_sent:
        made = fields.form_of(db, submission)
        faults = fields.faults_of(made, request.fields)
        try:
            checked_body(db, submission, made)
        except Problem as problem:
            if problem.status >= 500:
                raise
            faults += problem.errors or []
        if not faults:
            band = "trial_sent"
    elif not request.fields:
        given = {"country": [db.config.organiser_country]}
        submission = replace(submission, given=given)
    text = form_html(
        db,
        submission,
        faults,
        None,
        band=band,
        back=f"{request.home()}setup/apply?event={event['event_key']}",
        form_token=lambda: page_requests.hidden_token(request),
    )
    return shell.private(text, language, 422 if faults else 200)


def preview_html(db, language, event, pages, questions):
    """Return the form of exhibitors to look at as HTML, without the page around it.

    `event` and `pages` are those of `trial_page`, `questions` those of Submission.
    """
    show = show_of(event, pages)
    given = {"country": [db.config.organiser_country]}
    submission = Submission(show, "apply", language, given, pages, questions=tuple(questions))
    texts = {name: directory.in_language(text, language) for name, text in show["texts"].items()}
    return page_requests.fragment(
        PACKAGE,
        "preview",
        language,
        fields=fields.form_of(db, submission).fields,
        given=given,
        show={"texts": texts},
        amounts=fields.sum_of(db, submission),
        compute=COMPUTE,
    )


def show_of(event, pages):
    """Return the show of an event that need not be public, for its form.

    `event` is the API object, `pages` the settings of its pages.
    """
    day = times.local_date(event["date_to"] or event["date_from"], event["timezone"])
    return {**pages, "title": event["title"], "last_day": day, "timezone": event["timezone"]}


def sent_page(db, submission, id=None, *, fault=None, status=200):
    """Return the page after a form was sent, with which its address can be corrected.

    `id` is that of a new draft, `fault` the word of the sentence about the address.
    """
    # To try the form on this machine without a mail server, the page has the link that the mail
    # would have.
    link = None
    if id and not mails.is_configured(db.config):
        link = f"{shell.up()}link/{drafts.add_secret(db, id, 'shown')}"
    return message_page(
        db,
        submission,
        "sent",
        status,
        token=submission.token,
        fault=fault,
        email=submission.text("email"),
        sender=db.config.smtp_sender,
        link=link,
    )


def refused_page(db, event_key, form, problem):
    """Return the page about a form that was not read. Raise 404 unless the show has the form."""
    return message_page(db, open_form(db, event_key, form, {}), "refused", problem.status)


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
    show = directory.show(db, draft["event_key"])
    try:
        link, is_new = drafts.confirm(db, draft, show, mail_base_url(), way=way)
    except Problem as problem:
        if problem.status >= 500 or problem.code == "link_revoked":
            raise
        return linked_page(db, draft, "changed", 409), None, False

    if not cookies.is_possible():
        done = {**draft, "application_id": link["application_id"]}
        return linked_page(db, done, "done"), None, is_new
    return None, link, is_new


def linked_page(db, draft, part, status=200):
    """Return a page that the link in the mail of a draft opens."""
    show = directory.show(db, draft["event_key"])
    language = draft["language"]
    text = render_html(db, show, language, part, draft=draft, form=draft["form"])
    return shell.private(text, language, status, "no-referrer")


def head_of_trial(db, show, language):
    """Return what the layout shows around a form that the office tries: no tabs of pages that may not
    be public.
    """
    heading = page_requests.words(PACKAGE, language)["tab_apply"]
    return {
        "title": f"{heading} · {show['title']}",
        "tab": "apply",
        "tabs": (),
        "imprint": db.config.imprint_url or f"{shell.up()}imprint",
        "privacy_url": db.config.privacy_url,
    }


# Templates


def message_page(db, submission, part, status=200, **values):
    """Return a page that says what has happened to a form."""
    text = render_html(
        db, submission.show, submission.language, part, form=submission.form, **values
    )
    return shell.private(text, submission.language, status)


def render_html(db, show, language, part, **values):
    """Return a page as HTML. `show` is None if the event is not public any more."""
    if show is None:
        around = {"title": page_requests.words(PACKAGE, language)[f"tab_{part}"], "show": None}
    else:
        texts = {
            name: directory.in_language(text, language) for name, text in show["texts"].items()
        }
        around = {"show": {"texts": texts}}
        if values.get("band"):
            around |= head_of_trial(db, show, language)
        else:
            around |= head_and_foot(db, show, part, language, {})
    return page_requests.render_html(
        PACKAGE, part, language, event=show, now=times.now(), **around, **values
    )
