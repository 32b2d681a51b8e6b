"""The page on which the office decides what the form of exhibitors asks, with questions of its own.

Its form has a row for each field: a place, whether it is asked, and the words of a question. The names
of these are `form/FIELD/…`, so that they stay the same when a row moves. The buttons `up` and `down`
move a row and show the page again, and only "Save" stores something.
"""

import re

from eventapi.domain.records.field_types import CHOICES
from eventapi.domain.shows.apply_form import CUSTOM, FIELDS
from eventapi.domain.shows.form_editing import LANGUAGES, NEW
from eventapi.pages.desk import actions, api, choices, edit, events, labels, setup_pages
from eventapi.pages.desk.kinds import Kind
from eventapi.pages.office import setup
from eventapi.pages.office.menu import PACKAGE
from eventapi.pages.office.page import render_page
from eventapi.pages.show import forms as show_forms
from eventapi.storage.database import as_json
from eventapi.validation.schema_files import body_schema
from eventapi.web.html import forms, page_requests, shell
from eventapi.web.html.forms import Field, Group
from eventapi.web.html.schema_forms import Form
from eventapi.web.rest import etag
from eventapi.web.routes import Routes

routes = Routes(
    "desk-form-editor",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

SETTINGS = Kind(
    "event_pages",
    (
        (
            "apply",
            "apply_is_open:6 apply_capacity:6 show_prices:6 price_display:6 apply_file_type:12",
        ),
    ),
)
ROW = re.compile(r"form/([^/]+)/(.+)")
# Scopes of the records that the form of exhibitors shows.
OF_TRIAL = ("events", "categories", "booths")
ASKS = ("required", "optional", "none")
# Kinds of questions that the page offers, in their order. Others are made over the API.
TYPES = ("text", "textarea", "select", "multiselect", "boolean", "integer", "number", "date")
UP, DOWN = "up", "down"  # buttons whose value is the field that moves


class Editor:
    """The form of the page: the settings, and the fields of each row.

    Attributes:
        made: the Form of the settings.
        rows: [{at, field, label, note, is_question, is_new, is_off, ask, words}], `at` being what its
            names begin with, `ask` the Field that says whether it is asked, and `words` the Fields of
            a question.
        fields: all Fields, in the order of the page. The first one is the list of the rows.
    """

    def __init__(self, made, rows, label):
        self.made = made
        self.rows = rows
        self.label = label
        self.fields = [list_of_rows(label)]
        for row in rows:
            self.fields += [row["ask"], *row["words"]]
        self.fields += made.fields

    def faults(self, errors, given, sentences):
        """Return the sentences about errors of a problem document."""
        return forms.faults_of(
            errors, self.fields, given, sentences, lambda name: self.label(name)[0]
        )


@routes.get("/setup/apply")
def get_desk_form_editor(db, request):
    """Return what the form of exhibitors of the event in hand asks, with its settings."""
    event = events.required(db)
    api.require(request, "events")
    pages = api.record("get_event_pages", event["id"])
    questions = questions_of(request)
    made = form_of(request, db.config, event)

    is_sent = "tag" in request.fields
    given = made.compact(request.fields if is_sent else given_of(made, pages, questions))
    order, moved = moved_order(given)
    preview = None
    if may_try(request):
        preview = preview_of(db, request, event, pages, given, order)
    editor = Editor(made, rows_of(request, questions, given, order), labels.of(request, "apply"))
    tag = shown_tag(pages, questions)
    if request.problem and request.problem.status == 412:
        request.fields["tag"] = [tag]
    return render_page(
        db,
        request,
        "setup_apply",
        page="apply",
        title=labels.words(request)["edit_apply"],
        current=event,
        form=editor,
        given=given,
        asks=ASKS,
        moved=moved,
        is_sent=is_sent,
        tag=(request.fields.get("tag") or [tag])[0],
        lacks=setup_pages.lacks(db, request, "apply", pages),
        following=setup.following(db, request, event, "apply"),
        view=setup_pages.view_of("apply", event, pages),
        show_address=f"{shell.up()}e/{event['event_key']}",
        may_write=api.may_call(request, "set_event_form"),
        may_ask=may_ask(request),
        preview=preview,
    )


@routes.post("/setup/apply", batch=True, shows=get_desk_form_editor)
def save_desk_form_editor(request, config, connections):
    """Change the form of exhibitors, if it is still as the page has shown it.

    A button that moves a row only shows the page with the row at its new place.
    """
    if UP in request.fields or DOWN in request.fields:
        return get_desk_form_editor(connections.reader(), request)
    event = events.of_form(connections.reader())
    made = form_of(request, config, event)
    given = made.compact(request.fields)
    body = made.body(given)
    questions = questions_of(request)
    body["form"] = entries(given, questions, may_ask(request))
    address = actions.with_message(f"setup/apply?event={event['event_key']}", "saved")
    return actions.once(
        request,
        "set_event_form",
        {"id": event["id"]},
        body,
        lambda _: page_requests.see_other(request, address),
        tag=tag_to_match(request, event, questions),
    )


@routes.post("/setup/apply/preview", batch=True)
def preview_desk_form(request, connections):
    """Return the form of exhibitors as it would be with what was typed, as HTML without the page
    around it. Nothing is stored.
    """
    db = connections.reader()
    for scope in OF_TRIAL:
        api.require(request, scope)
    event = events.of_form(db)
    pages = api.record("get_event_pages", event["id"])
    given = form_of(request, db.config, event).compact(request.fields)
    preview = preview_of(db, request, event, pages, given, order_of(given))
    text = page_requests.fragment(
        PACKAGE, "asks_preview", request.language, preview=preview, is_sent=True
    )
    return shell.private(text, request.language)


@routes.get("/setup/apply/trial")
def get_desk_form_trial(db, request):
    """Return the form of exhibitors of the event in hand as they see it, to try it."""
    for scope in OF_TRIAL:
        api.require(request, scope)
    event = api.record("get_event", events.required(db)["id"])
    pages = api.record("get_event_pages", event["id"])
    return show_forms.trial_page(db, request, event, pages)


@routes.post("/setup/apply/trial", batch=True, shows=get_desk_form_trial)
def try_desk_form(request, connections):
    """Check what was typed into the form of exhibitors, and store nothing."""
    return get_desk_form_trial(connections.reader(), request)


def form_of(request, config, event):
    """Return the Form of the settings of the page."""
    return Form(
        "event_pages",
        "PATCH",
        labels.of(request, "apply"),
        names=SETTINGS.names,
        groups=[Group(*each) for each in SETTINGS.groups],
        choices=choices.of(request, SETTINGS.names, event["event_key"]),
        currency=config.currency,
        language=request.language,
    )


def questions_of(request):
    """Return key -> custom field of applications that applicants fill in; {} without the scope."""
    if not api.may_call(request, "list_custom_fields"):
        return {}
    found = api.everything(
        "list_custom_fields", entity_type="application", sort="display_order", order="ASC"
    )
    return {row["field_key"]: row for row in found if row["applicant_visibility"] == "editable"}


def shown_tag(pages, questions):
    """Return a tag of the settings and the questions that the page shows. Another one means that
    somebody has changed them.
    """
    return etag(as_json([pages["tag"], questions])).strip('"')


def tag_to_match(request, event, questions):
    """Return the ETag of the settings for If-Match, or None if the form has no tag.

    It is one that matches nothing if the settings or a question were changed since the page was shown.
    """
    sent = edit.tag_of(request)
    if sent is None:
        return None
    pages = api.record("get_event_pages", event["id"])
    return pages["tag"] if sent == shown_tag(pages, questions) else f'"{sent}"'


def may_ask(request):
    """Return whether the person may change questions."""
    return api.may_call(request, "create_custom_field")


def may_try(request):
    """Return whether the person may read the records that the form of exhibitors shows."""
    return all(api.may(request, scope) for scope in OF_TRIAL)


# The preview


def preview_of(db, request, event, pages, given, order):
    """Return the form of exhibitors as HTML, as the texts of the page would make it.

    `order` has the fields of its rows. What cannot be shown is left out.
    """
    made = form_of(request, db.config, event)
    settings = made.body(given)
    asked, typed = [], []
    for entry in entries(given, questions_of(request), may_ask(request), order):
        question = entry.get("question")
        key = entry["field"].removeprefix(CUSTOM)
        if question and not (question["is_active"] and question["field_type"] in forms.LABELS):
            continue
        is_known = entry["field"] in (*FIELDS, NEW) or entry["field"].startswith(CUSTOM)
        if not is_known or entry["ask"] not in ("required", "optional"):
            continue
        if question:
            typed.append(as_custom_field(key, question))
        asked.append({"field": CUSTOM + key if question else entry["field"], "ask": entry["ask"]})
    meant = {
        **pages,
        "apply_form": asked,
        "show_prices": bool(settings["show_prices"]),
        "price_display": settings["price_display"],
    }
    event = api.record("get_event", event["id"])
    return show_forms.preview_html(db, request.language, event, meant, typed)


def as_custom_field(key, question):
    """Return a question as the custom field that it would be, as far as the form of exhibitors needs
    it.
    """
    label = next(iter(question["field_labels"].values()), "")
    return {**question, "field_key": key, "field_label": label, "is_required": False}


# The page as texts


def given_of(made, pages, questions):
    """Return the texts of the form of the stored settings: what is asked, then what is not asked, then
    a new question.
    """
    given = made.texts(pages)
    asked = [each for each in pages["apply_form"] if is_known(each["field"], questions)]
    named = [each["field"] for each in asked]
    known = [*FIELDS, *(CUSTOM + key for key in questions)]
    rest = [{"field": field, "ask": "none"} for field in known if field not in named]
    rest.append({"field": NEW, "ask": "optional"})
    for each in [*asked, *rest]:
        at = f"form/{each['field']}"
        given[f"{at}/ask"] = [each["ask"]]
        question = questions.get(each["field"].removeprefix(CUSTOM))
        if question and each["field"].startswith(CUSTOM):
            given |= texts_of(question, f"{at}/question", pages["visit_fields"])
    return given


def is_known(field, questions):
    """Return whether a field of a form exists, or may exist for people with more scopes."""
    return not field.startswith(CUSTOM) or not questions or field.removeprefix(CUSTOM) in questions


def texts_of(question, at, visit_fields):
    """Return the texts of the fields of a question."""
    spoken = question["field_labels"] or {"de": question["field_label"]}
    found = {
        f"{at}/field_labels/de": [spoken.get("de", "")],
        f"{at}/field_labels/en": [spoken.get("en", "")],
        f"{at}/field_type": [question["field_type"]],
        f"{at}/field_options": ["\n".join(line_of(each) for each in question["field_options"])],
        f"{at}/asks_visitors": ["1"] if question["field_key"] in visit_fields else [],
        f"{at}/is_off": [] if question["is_active"] else ["1"],
    }
    for language in LANGUAGES:
        found[f"{at}/field_help/{language}"] = [question["field_help"].get(language, "")]
    return found


def line_of(option):
    """Return an answer as a line: `ja | yes`."""
    texts = option.get("labels", {})
    german = texts.get("de") or option["label"]
    english = texts.get("en")
    return f"{german} | {english}" if english else german


def order_of(given):
    """Return the fields of the rows of a form, in the order of their places.

    A row that got the place of another one goes there, and the others move up or down.
    """
    matches = (ROW.fullmatch(name) for name in given)
    shown = list(dict.fromkeys(match[1] for match in matches if match))

    def order(index):
        text = first(given, f"form/{shown[index]}/place")
        place = int(text) if re.fullmatch("[0-9]{1,4}", text) else index + 1
        moved = (place > index + 1) - (place < index + 1)
        return place, moved, index

    return [shown[index] for index in sorted(range(len(shown)), key=order)]


def moved_order(given):
    """Return (the fields of the rows in their order, what a button has moved), which is (field,
    button) or None.

    At the end of the list, the row can go the other way only.
    """
    order = order_of(given)
    for button, step in ((UP, -1), (DOWN, 1)):
        field = first(given, button)
        if field in order:
            old = order.index(field)
            new = min(max(0, old + step), len(order) - 1)
            order.insert(new, order.pop(old))
            if new == 0:
                return order, (field, DOWN)
            return order, (field, UP if new == len(order) - 1 else button)
    return order, None


def rows_of(request, questions, given, order):
    """Return the rows of the page. `order` has their fields."""
    asked = [entry["field"] for entry in entries(given, questions, may_ask(request), order)]
    found = []
    for field in order:
        at = f"form/{field}"
        is_new = field == NEW
        key = field.removeprefix(CUSTOM)
        question = questions.get(key) if field.startswith(CUSTOM) else None
        is_open = is_new or question is not None
        label, note = said_of(request, field, question)
        # what the API says about the row, by its place in the body
        pointer = f"/form/{asked.index(field)}" if field in asked else f"/{at}"
        found.append(
            {
                "at": at,
                "field": field,
                "label": label,
                "note": note,
                "is_question": is_open,
                "is_new": is_new,
                "is_off": bool(first(given, f"{at}/question/is_off")),
                "ask": Field(f"{at}/ask", pointer, label, "select"),
                "words": words_of(request, at, pointer, question) if is_open else [],
            }
        )
    return found


def said_of(request, field, question):
    """Return (label, note) of a row. `question` is its custom field or None."""
    texts = labels.words(request)
    if question:
        return labels.in_language(question, request.language), texts["asks_own"]
    if field.startswith(CUSTOM):
        return field.removeprefix(CUSTOM), texts["asks_own"]
    return texts.get(f"asks_{field}", field), texts.get(f"about_{field}", "")


def list_of_rows(label):
    """Return the Field that stands for all rows, for what is said about their number."""
    text, _ = label("form")
    most = body_schema("event_pages.form", "POST")["properties"]["form"]
    return Field("form", "/form", text, "questions", schema=most)


def words_of(request, at, pointer, question):
    """Return the Fields of a question. `at` and `pointer` are those of its row, `question` the custom
    field, None for a new one.
    """
    label = labels.of(request, "apply")

    def field(name, kind="text", **more):
        path = f"question/{name}"
        text, help = label(path)
        return Field(f"{at}/{path}", f"{pointer}/{path}", text, kind, help=help, **more)

    types = list(TYPES)
    if question and question["field_type"] not in types:
        types.append(question["field_type"])
    options = [(each, label(f"question/field_type={each}")[0]) for each in types]
    first_type = question["field_type"] if question else types[0]
    found = [
        field("field_labels/de", longest=255),
        field("field_labels/en", longest=255),
        field("field_type", "select", options=options, is_required=True, default=first_type),
        field("field_options", "lines", longest=20000),
        field("field_help/de", longest=500),
        field("field_help/en", longest=500),
        field("asks_visitors", "checkbox"),
    ]
    if question:
        found.append(field("is_off", "checkbox"))
    # what no field of its own is about
    found[0].pointer = f"{pointer}/question"
    return found


def first(given, name):
    """Return the text of a field, or ""."""
    return (given.get(name) or [""])[0].strip()


# Texts as a body


def entries(given, questions, may_ask, order=None):
    """Return the list `form` of the body that the texts mean. `order` has the fields of the rows.

    A question without words is left out, and so is the question of a custom field that has not changed.
    """
    found = []
    for field in order or order_of(given):
        at = f"form/{field}"
        entry = {"field": field, "ask": first(given, f"{at}/ask")}
        known = questions.get(field.removeprefix(CUSTOM)) if field.startswith(CUSTOM) else None
        if may_ask and (field == NEW or known):
            question = question_of(given, f"{at}/question", known)
            if field == NEW and not question["field_labels"]:
                continue
            if known is None or is_changed(given, at, known, question, entry):
                entry["question"] = question
        elif field == NEW:
            continue
        found.append(entry)
    return found


def is_changed(given, at, known, question, entry):
    """Return whether a row changes its custom field, or whom it asks."""
    before = {
        "field_labels": known["field_labels"] or {"de": known["field_label"]},
        "field_help": known["field_help"],
        "field_type": known["field_type"],
        "field_options": known["field_options"],
        "is_active": known["is_active"],
    }
    is_same = all(question[name] == value for name, value in before.items())
    asked_before = bool(first(given, f"{at}/question/asked_visitors"))
    loosens = entry["ask"] == "optional" and known["is_required"]
    return not is_same or loosens or asked_before != question["asks_visitors"]


def question_of(given, at, known):
    """Return the question that the texts of its fields mean."""
    kind = first(given, f"{at}/field_type") or "text"
    return {
        "field_labels": in_languages(given, f"{at}/field_labels"),
        "field_help": in_languages(given, f"{at}/field_help"),
        "field_type": kind,
        "field_options": options_of(given, at, known) if kind in CHOICES else [],
        "asks_visitors": bool(first(given, f"{at}/asks_visitors")),
        "is_active": not first(given, f"{at}/is_off"),
    }


def in_languages(given, at):
    """Return language -> text of the fields of a text in two languages."""
    found = {language: first(given, f"{at}/{language}") for language in LANGUAGES}
    return {language: text for language, text in found.items() if text}


def options_of(given, at, known):
    """Return the answers of a question, one for each line.

    A line that reads as an answer that exists keeps its value. So does one whose words changed, if there
    are as many lines as answers. The value of another one is its first text.
    """
    lines = [line.strip() for line in first(given, f"{at}/field_options").splitlines()]
    lines = [line for line in lines if line]
    stored = known["field_options"] if known else []
    by_line = {line_of(each): each for each in stored}
    found = []
    for place, line in enumerate(lines):
        same = by_line.get(line)
        if same is None and len(lines) == len(stored) and line_of(stored[place]) not in lines:
            same = {**stored[place], "labels": {}}
        found.append(option_of(line, same))
    return found


def option_of(line, same):
    """Return the answer of a line. `same` is the one that it was, or None."""
    if same and line_of(same) == line:
        return same
    german, _, english = (part.strip() for part in line.partition("|"))
    label = german or english
    option = {"value": same["value"] if same else label, "label": label}
    if english:
        option["labels"] = {"de": label, "en": english}
    return option
