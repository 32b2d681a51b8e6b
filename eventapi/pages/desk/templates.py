"""Templates of documents at the desk: their body is written as text, and seen as a PDF before it is saved.

A body that no text means, such as one with a table, is written as HTML.
"""

from dataclasses import dataclass

from eventapi import markup
from eventapi.calls import desk
from eventapi.domain.attachments import placeholders, template_text
from eventapi.domain.attachments.content_types import PDF
from eventapi.pages.desk import api, labels
from eventapi.web.html.forms import id_of

KIND = "document_templates"  # in kinds.KINDS
SCHEMA = "document_template"
TEXT, HTML = "text", "html"  # how a body is written: the hidden field `written` of the form
ROLES = "exhibitor,co_exhibitor,sponsor"
MOST = 100  # exhibitors that a preview offers


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the form of a template.

    Attributes:
        written: TEXT or HTML.
        groups: (heading, [(placeholder, meaning)]) of all placeholders.
        unknown: the placeholders of the body that do not exist.
        exhibitors: (id, name) of those whose values a preview can have.
        chosen: id of the one that was chosen, as text.
    """

    written: str
    groups: list
    unknown: list
    exhibitors: list
    chosen: str


def beside(request, record, event, given):
    """Return what stands beside the form of a template, of a new one without `record`.

    `event` is the one in hand or None, `given` the texts of the form.
    """
    return Beside(
        written=written_in(request) or (record["written"] if record else TEXT),
        groups=listed(request),
        unknown=unknown_in(first(given, "body")),
        exhibitors=exhibitors_of(request, event),
        chosen=first(request.fields, "exhibitor"),
    )


def listed(request):
    """Return (heading, [(placeholder, meaning)]) of all placeholders."""
    texts = labels.words(request)
    groups = [
        (
            texts[f"placeholders_{subject}"],
            [(shown(f"{subject}.{name}"), texts[f"means_{subject}.{name}"]) for name in names],
        )
        for subject, names in placeholders.MEANINGS.items()
    ]
    return [*groups, (texts["placeholders_other"], [(shown("today"), texts["means_today"])])]


def shown(name):
    """Return a placeholder as it stands in a text."""
    return f"{{{{{name}}}}}"


def unknown_in(text):
    """Return the placeholders in a text that do not exist, as they stand there."""
    found = {each[0]: each[1].strip() for each in markup.PLACEHOLDER.finditer(text)}
    return [each for each, name in found.items() if not placeholders.is_known(name)]


def exhibitors_of(request, event):
    """Return (id, name) of the exhibitors of an event, none without the scopes of a preview."""
    may_read = api.may(request, "participants") and api.may(request, "contacts")
    if event is None or not may_read:
        return []
    rows, _ = api.rows(
        "list_participants",
        include=("contact",),
        event_id=event["id"],
        role=ROLES,
        status="registered,confirmed",
        sort="name",
        order="ASC",
        per_page=MOST,
    )
    return [(str(row["id"]), labels.named(row)) for row in rows]


# The body


def write_as_text(record):
    """Write the body of a record as text where one means the same. `written` says how it is written."""
    text = template_text.to_text(record["body"])
    record["written"] = HTML if text is None else TEXT
    if text is not None:
        record["body"] = text


def write_as_html(request, id, body):
    """Write the body of a form as HTML, unless it was typed as HTML.

    A text that has not changed stays the HTML that is stored.
    """
    if written_in(request) == HTML or body.get("body") is None:
        return
    html = template_text.from_text(body["body"])
    if id:
        before = api.read("get_document_template", id=id).data["body"]
        text = template_text.to_text(before)
        if text is not None and template_text.from_text(text) == html:
            html = before
    body["body"] = html


def written_in(request):
    """Return how the body of the form that was sent is written, or None without a form."""
    text = first(request.fields, "written")
    return text if text in (TEXT, HTML) else None


# The preview


def preview(request, body):
    """Return the PDF of what was typed, with the values of the exhibitor that was chosen.

    Raise 422 as the API does.
    """
    asked = {"body": body.get("body") or "", "is_contract": body["is_contract"]}
    id = id_of(first(request.fields, "exhibitor"))
    if id:
        asked["participant_id"] = id
    response = desk.call(api.routes()["preview_document_template"], {}, body=asked, form=PDF)
    response.headers["Cache-Control"] = "no-store"
    return response


def first(fields, name):
    """Return the first text of a field, or an empty one."""
    return (fields.get(name) or [""])[0]
