"""Submissions: what the organiser asks for, as drafts, submitted, and with all revisions."""

from eventapi.domain.attachments import content_types
from eventapi.domain.portal import handing_in, reading
from eventapi.domain.submissions.submissions import MEGABYTE
from eventapi.errors import not_found
from eventapi.pages.my import page
from eventapi.storage import files
from eventapi.web import downloads
from eventapi.web.html import page_requests
from eventapi.web.html.forms import Field, Form
from eventapi.web.routes import Routes

routes = Routes("my-submissions", root="/my/<ref>", **page.PAGE)
RIGHT = "submissions"
# What a form is made from, and colleagues or the office may change meanwhile.
SHOWN = ("title", "description", "due_at", "value", "document_id", "state", "feedback")
# kind of field -> characters that its text may have
LONGEST = {"text": 255, "textarea": 20_000, "url": 2000}


def largest(config):
    """Return the largest size of a file in bytes. That of the type is checked later."""
    return config.max_upload_mb * MEGABYTE


@routes.get("/submissions")
def get_my_submissions(db, request):
    """Return what the organiser asks for, and its state."""
    exhibitor = page.open_page(db, request, RIGHT)
    return page.render_page(
        db, request, exhibitor, "submissions", kinds=reading.types(db, exhibitor.participant)
    )


@routes.get("/submissions/<key>")
def get_my_submission(db, request, key):
    """Return one submission with its form, feedback and revisions."""
    exhibitor, kind = asked(db, request, key)
    form = form_of(request, kind)
    return page.render_page(
        db,
        request,
        exhibitor,
        "submission",
        field=form.field("value"),
        given={**form.texts(kind), **request.fields},
        title=kind["title"],
        kind=kind,
        revisions=reading.revisions(db, kind),
        tag=page.tag_of(state_of(kind)),
        may_hand_in=handing_in.allows(kind) and not exhibitor.is_over,
        limit=kind["max_size_mb"] or db.config.max_upload_mb,
        accept=",".join(f".{name}" for name in kind["allowed_extensions"]),
    )


@routes.post("/submissions/<key>", schema="portal_forms.submission", shows=get_my_submission)
def hand_in_my_submission(db, request, key, body):
    """Store a text, an address or a ticked box, as a draft or submitted."""
    exhibitor, kind = changed(db, request, key, body)
    value = body["value"]
    if kind["input"] == "checkbox":
        value = True if value else None
    is_draft = body["action"] == "draft"
    handing_in.hand_in(db, exhibitor.participant, kind, value, is_draft=is_draft)
    return see_submission(request, key, is_draft)


@routes.post(
    "/submissions/<key>/file", schema="portal_forms.file", shows=get_my_submission, file=largest
)
def hand_in_my_file(db, request, key, body, upload):
    """Store a file, as a draft or submitted."""
    exhibitor, kind = changed(db, request, key, body)
    handing_in.hand_in_file(
        db, exhibitor.participant, kind, upload, body["filename"] or "", is_draft=body["draft"]
    )
    return see_submission(request, key, body["draft"])


@routes.post("/submissions/<key>/submit", schema="portal_forms.draft", shows=get_my_submission)
def submit_my_submission(db, request, key, body):
    """Submit a draft as it is."""
    _, kind = changed(db, request, key, body)
    if kind["submission_id"] is None:
        raise not_found("submission", key)
    handing_in.submit(db, kind)
    return see_submission(request, key, False)


@routes.get("/submissions/<key>/file", forms=("application/octet-stream",))
def get_my_file(db, request, key):
    """Return the file of a submission."""
    exhibitor, kind = asked(db, request, key)
    return sent(db, reading.file_of(db, exhibitor.participant, kind["submission_id"]), key)


@routes.get("/submissions/<key>/revisions/<revision:int>/file", forms=("application/octet-stream",))
def get_my_revision(db, request, key, revision):
    """Return the file of a revision."""
    exhibitor, kind = asked(db, request, key)
    return sent(
        db, reading.file_of(db, exhibitor.participant, kind["submission_id"], revision), key
    )


def form_of(request, kind):
    """Return the form of what is no file: a text, an address or a box to tick."""
    help = page_requests.words(page.PACKAGE, request.language)["help_url"]
    longest = LONGEST.get(kind["input"], 0)
    field = Field(
        "value",
        "/value",
        kind["title"],
        kind["input"],
        longest=min(longest, kind["max_length"] or longest),
        help=help if kind["input"] == "url" else "",
    )
    return Form([field], request.language)


def asked(db, request, key, open_page=page.open_page):
    """Return the Exhibitor and the row of the submission type."""
    exhibitor = open_page(db, request, RIGHT)
    return exhibitor, page.found(
        reading.type_by_key(db, exhibitor.participant, key), "submission", key
    )


def changed(db, request, key, body):
    """Return `asked` for a form. Raise 412 if the submission was changed since the form was made."""
    exhibitor, kind = asked(db, request, key, page.open_for_change)
    page.refuse_changed(state_of(kind), body["etag"])
    return exhibitor, kind


def state_of(kind):
    return {name: kind[name] for name in SHOWN}


def see_submission(request, key, is_draft):
    return page_requests.see_other(
        request, f"submissions/{key}", done="draft" if is_draft else "submitted"
    )


def sent(db, file, key):
    """Return a file as a download. Raise 404 if it is None."""
    page.found(file, "file", key)
    kind = content_types.detect(files.head(db.config, file["sha256"]))
    response = downloads.stored_file(db.config, file["sha256"], kind, file["filename"] or key)
    response.headers["Content-Disposition"] = downloads.disposition(
        "attachment", file["filename"] or key
    )
    return page.attachment(response)
