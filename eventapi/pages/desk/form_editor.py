"""The page on which the office decides what the form of exhibitors asks, with questions of its own.

Its form has a row for each field: a place, whether it is asked, and the words of a question. The names
of the fields are the pointers of the body of PUT /events/{id}/pages/form, in the order of the rows.
"""

import re

from eventapi.domain.records.field_types import CHOICES
from eventapi.domain.shows.apply_form import CUSTOM, FIELDS
from eventapi.domain.shows.form_editing import LANGUAGES, NEW
from eventapi.pages.desk import actions, api, choices, edit, events, labels, setup_pages
from eventapi.pages.desk.kinds import Kind
from eventapi.pages.office.page import render_page
from eventapi.pages.show import forms as show_forms
from eventapi.storage.database import as_json
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
ROW = re.compile(r"form/(\d{1,3})/(.+)", re.ASCII)
# Scopes of the records that the form of exhibitors shows.
OF_TRIAL = ("events", "categories", "booths")
ASKS = ("required", "optional", "none")
# Kinds of questions that the page offers, in their order. Others are made over the API.
TYPES = ("text", "textarea", "select", "multiselect", "boolean", "integer", "number", "date")
MOST = 200  # rows


class Editor:
    """The form of the page: the settings, and the fields of each row.

    Attributes:
        made: the Form of the settings.
        rows: [{number, field, label, note, is_question, is_new, is_off, words}], `words` being the
            Fields of a question.
        fields: all Fields, in the order of the page.
    """

    def __init__(self, made, rows, label):
        self.made, self.rows, self.label = made, rows, label
        of_rows = [field for row in rows for field in row["words"]]
        self.fields = [*of_rows, *made.fields]

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

    is_sent = request.problem and "tag" in request.fields
    stored = given_of(made, pages, questions)
    given = sorted_rows(request.fields) if is_sent else stored
    given = made.compact(given)
    editor = Editor(made, rows_of(request, questions, given), labels.of(request, "apply"))
    tag = shown_tag(pages, questions)
    if is_sent and request.problem.status == 412:
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
        tag=(request.fields.get("tag") or [tag])[0],
        lacks=setup_pages.lacks(db, request, "apply", pages),
        view=setup_pages.view_of("apply", event, pages),
        show_address=f"{shell.up()}e/{event['event_key']}",
        may_write=api.may_call(request, "set_event_form"),
        may_ask=may_ask(request),
        may_try=all(api.may(request, scope) for scope in OF_TRIAL),
    )


@routes.post("/setup/apply", batch=True, shows=get_desk_form_editor)
def save_desk_form_editor(request, config, connections):
    """Change the form of exhibitors, if it is still as the page has shown it."""
    event = events.of_form(connections.reader())
    made = form_of(request, config, event)
    given = made.compact(sorted_rows(request.fields))
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
    for number, each in enumerate([*asked, *rest]):
        at = f"form/{number}"
        given[f"{at}/field"] = [each["field"]]
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


def sorted_rows(given):
    """Return the texts of a form with its rows in the order of their places, numbered anew.

    A row that got the place of another one goes there, and the others move up or down.
    """
    rows = {}
    found = {}
    for name, texts in given.items():
        match = ROW.fullmatch(name)
        if match and int(match[1]) < MOST:
            rows.setdefault(int(match[1]), {})[match[2]] = texts
        elif match is None:
            found[name] = texts

    def order(number):
        text = (rows[number].get("place") or [""])[0].strip()
        place = int(text) if re.fullmatch("[0-9]{1,4}", text) else number + 1
        moved = (place > number + 1) - (place < number + 1)
        return place, moved, number

    for number, old in enumerate(sorted(rows, key=order)):
        for name, texts in rows[old].items():
            if name != "place":
                found[f"form/{number}/{name}"] = texts
    return found


def rows_of(request, questions, given):
    """Return the rows of the page, in the order of the texts."""
    texts = labels.words(request)
    found = []
    for number in range(count_of(given)):
        at = f"form/{number}"
        field = first(given, f"{at}/field")
        key = field.removeprefix(CUSTOM)
        is_new = field == NEW
        is_question = is_new or field.startswith(CUSTOM)
        if is_question and not is_new and key in questions:
            label = labels.in_language(questions[key], request.language)
        elif is_question and not is_new:
            label = key
        else:
            label = texts.get(f"asks_{field}", field)
        is_open = is_new or (is_question and key in questions)
        question = questions.get(key)
        found.append(
            {
                "number": number,
                "field": field,
                "label": label,
                "note": texts["asks_own"]
                if is_question and not is_new
                else texts.get(f"about_{field}", ""),
                "is_question": is_open,
                "is_new": is_new,
                "is_off": bool(first(given, f"{at}/question/is_off")),
                "words": words_of(request, f"{at}/question", question) if is_open else [],
            }
        )
    return found


def count_of(given):
    """Return how many rows the texts have."""
    number = 0
    while f"form/{number}/field" in given:
        number += 1
    return number


def words_of(request, at, question):
    """Return the Fields of a question. `question` is the custom field, None for a new one."""
    label = labels.of(request, "apply")

    def field(name, kind="text", **more):
        text, help = label(f"question/{name}")
        return Field(f"{at}/{name}", f"/{at}/{name}", text, kind, help=help, **more)

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
    found[0].pointer = f"/{at}/field_labels"
    return found


def first(given, name):
    """Return the text of a field, or ""."""
    return (given.get(name) or [""])[0].strip()


# Texts as a body


def entries(given, questions, may_ask):
    """Return the list `form` of the body that the texts mean.

    A question without words is left out, and so is the question of a custom field that has not changed.
    """
    found = []
    for number in range(count_of(given)):
        at = f"form/{number}"
        field = first(given, f"{at}/field")
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
