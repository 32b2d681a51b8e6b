"""The application form of a show: exhibitors apply with a browser, and confirm their address by the link in a mail."""
from eventapi import times
from eventapi.domain.mail import queue as mails
from eventapi.domain.people import applications
from eventapi.domain.records import field_definitions
from eventapi.domain.registration import drafts
from eventapi.domain.shows import directory
from eventapi.errors import Problem, not_found
from eventapi.languages import countries
from eventapi.pages.show.views import PACKAGE, frame
from eventapi.plugins.validation import body_of
from eventapi.storage.statements import statements
from eventapi.web import client
from eventapi.web.html import form_bodies, forms, shell, tokens
from eventapi.web.html.forms import Field
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes("show-forms", root="", public=True, page=True, forms=("text/html",))
sql = statements("drafts")

# name -> kind, autocomplete, whether it is required
FIELDS = {"company_name": ("text", "organization", False), "first_name": ("text", "given-name", False),
          "last_name": ("text", "family-name", False), "email": ("email", "email", True),
          "phone": ("tel", "tel", False), "address": ("text", "street-address", False),
          "postal_code": ("text", "postal-code", False), "city": ("text", "address-level2", False),
          "country": ("select", "country", True), "website": ("url", "url", False), "tax_id": ("text", "off", False)}
TRAP = "fax_number"                     # a field that people do not see, and that programs fill in


@routes.get("/e/<event_key>/apply")
def get_application_form(db, event_key):
    """Return the form with which exhibitors apply."""
    show, language = opened(db, event_key)
    return form_page(db, show, language, {"country": [db.config.organiser_country]})


@routes.post("/e/<event_key>/apply", before=form_bodies.before)
def send_application_form(db, event_key, before):
    """Store the form, and mail the link with which the applicant confirms the address. Every address gets this page."""
    show, language = opened(db, event_key)
    if isinstance(before, Problem):
        return told(db, show, language, "refused", before.status)
    if drafts.state(db, show, show) != "open":
        return form_page(db, show, language, before, status=409)
    if not mails.is_configured(db.config) and not client.is_local():
        return form_page(db, show, language, before, note="problem_no_mail", status=409)
    purpose, token = f"apply {show['id']}", before.get("token", [""])[0]
    state, nonce = tokens.checked(drafts.form_key(db), purpose, token)
    if state != "good":
        kept = token if state == "young" else None
        return form_page(db, show, language, {} if state == "wrong" else before, note=f"form_{state}", token=kept,
                         status=403 if state == "wrong" else 422)
    if any(before.get(TRAP, [])):
        return told(db, show, language, "sent", link=None)
    fields = fields_of(db, show, language)
    try:
        body = body_of("application", "POST", db.config.timezone)(body_from(fields, before, show, language, db.now))
        faults = missing(before, fields)
        applications.check_form(db, body)
        if faults:
            return form_page(db, show, language, before, faults=faults, status=422)
        id = drafts.store(db, show, body, nonce, language, client.address(), mail_base_url())
    except Problem as problem:
        if problem.status >= 500:
            raise
        found = forms.faults_of(fields, problem.errors or [], shell.words(PACKAGE, language))
        note = None if found else f"problem_{problem.code}"
        return form_page(db, show, language, before, faults={**missing(before, fields), **found}, note=note, status=422)
    # To try the form on this machine without a mail server, the page has the link that the mail would have.
    secret = drafts.add_secret(db, id) if id and not mails.is_configured(db.config) else None
    return told(db, show, language, "sent", link=secret and f"{shell.up()}link/{secret}")


def confirming(db, draft):
    """Return the page that asks whether to confirm. It changes nothing, because mail scanners open every link."""
    return linked_page(db, draft, "done" if draft["confirmed_at"] else "confirm")


def confirmed(db, draft):
    """Confirm the address of a draft, which makes the application. Return the page about it."""
    try:
        id = drafts.confirm(db, draft)
    except Problem as problem:
        if problem.status >= 500:
            raise
        return linked_page(db, draft, "changed", 409)
    return linked_page(db, {**draft, "application_id": id}, "done")


def linked_page(db, draft, part, status=200):
    """Return a page that the link in the mail of a draft opens."""
    return told(db, directory.show(db, draft["event_key"]), draft["language"], part, status, "no-referrer", draft=draft)


def opened(db, event_key):
    """Return the show and the language of the request. Raise 404 unless the show has a form."""
    show = directory.show(db, event_key)
    if show is None or not show["apply_is_open"]:
        raise not_found("form", event_key)
    return show, shell.language_of(db.config, show["language"])


def told(db, show, language, part, status=200, referrer="same-origin", **values):
    """Return a page that says what has happened. `show` is None if the event is not public any more."""
    return shell.private(drawn(db, show, language, part, **values), language, status, referrer)


def drawn(db, show, language, part, **values):
    texts = show and {name: directory.in_language(text, language) for name, text in show["texts"].items()}
    around = frame(db, show, part, {}, language) if show else {
        "title": shell.words(PACKAGE, language)[f"tab_{part}"], "imprint": f"{shell.up()}imprint",
        "privacy_url": db.config.privacy_url}
    return shell.rendered(PACKAGE, part, language, **{**around, **values}, event=show, show=show and {"texts": texts},
                          asked={}, embed=False, now=times.now())


# The form

def form_page(db, show, language, given, *, faults=None, note=None, token=None, status=200):
    """Return the form with what was typed, or the page that says why it is closed."""
    state = drafts.state(db, show, show)
    if state != "open":
        return told(db, show, language, "closed", 200 if status == 200 else 409, full=state == "full")
    terms = directory.in_language(show["apply_terms"], language) or ""
    text = drawn(db, show, language, "apply", fields=fields_of(db, show, language), given=given, faults=faults or {},
                 note=note, trap=TRAP, terms=terms, is_link=terms.startswith(("http://", "https://")),
                 token=token or tokens.form_token(drafts.form_key(db), f"apply {show['id']}"))
    return shell.private(text, language, status)


def fields_of(db, show, language):
    """Return the fields of the form of a show: those of every applicant, its categories, and custom fields."""
    word = shell.words(PACKAGE, language)
    nations = sorted(((code, countries.name(code, language)) for code in countries.NAMES), key=lambda pair: pair[1])
    found = [Field(name, f"/{name}", word[f"field_{name}"], kind, needed, autocomplete=autocomplete,
                   options=nations if name == "country" else [])
             for name, (kind, autocomplete, needed) in FIELDS.items()]
    categories = db.all(sql.categories, event_id=show["id"])
    if categories:
        options = [(row["category_key"], " · ".join(filter(None, (row["parent_title"], row["title"]))))
                   for row in categories]
        found.append(Field("category", "/category_keys/0", word["field_category"], "select", True, options))
    found.append(Field("requested_area", "/requested_area", word["field_requested_area"], "number"))
    for row in field_definitions.editable(db):
        options = [(each["value"], each["label"]) for each in row["field_options"] or []]
        found.append(Field(f"custom.{row['field_key']}", f"/custom_fields/{row['field_key']}", row["field_label"],
                           forms.LABELS[row["field_type"]], row["is_required"], options))
    return [*found, Field("message", "/message", word["field_message"], "textarea"),
            Field("terms", "/terms_accepted_at", word["field_terms"], "checkbox", True)]


def body_from(fields, given, show, language, now):
    """Return the body of POST /applications that a form means."""
    values = {each.name: each.value(given, language) for each in fields}
    custom = {name.partition(".")[2]: value for name, value in values.items()
              if name.startswith("custom.") and value not in (None, [])}
    return {**{name: values[name] for name in FIELDS if values[name] is not None},
            **{name: values[name] for name in ("requested_area", "message") if values[name] is not None},
            "event_keys": [show["event_key"]], "category_keys": [values["category"]] if values.get("category") else [],
            "terms_accepted_at": now if values["terms"] else None, "custom_fields": custom}


def missing(given, fields):
    """Return the names of the required fields that are empty, as faults. A company or a person must be named."""
    def is_empty(*names):
        return not any(text.strip() for name in names for text in given.get(name, []))
    empty = [each.name for each in fields if each.is_required and is_empty(each.name)]
    return dict.fromkeys([*empty, *(["company_name"] if is_empty("company_name", "last_name") else [])], "required")
