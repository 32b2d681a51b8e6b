"""What is asked of an exhibitor, and the form with which the office hands it in for one who has called,
written, or mailed a file.

The deadline binds nobody here: what the office hands in after it is marked as late.
"""

from eventapi.domain.portal import handing_in, reading
from eventapi.domain.submissions.submissions import MEGABYTE
from eventapi.errors import Problem, invalid_at, not_found
from eventapi.pages.desk import actions, api, edit, events, labels
from eventapi.pages.desk.page import render_page
from eventapi.web.html import page_requests
from eventapi.web.html.forms import Field, Form
from eventapi.web.routes import Routes

routes = Routes(
    "desk-handing-in",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

BYTES = "application/octet-stream"
# kind of field -> characters that its text may have
LONGEST = {"text": 255, "textarea": 20_000, "url": 2000}
# State of what is asked for -> word of the link to its form
LINKS = {
    "missing": "hand_in",
    "draft": "hand_in_draft",
    "revision_requested": "hand_in_again",
    "rejected": "hand_in_again",
}


# The card on the page of an exhibitor


def requirements_of(request, row, submissions):
    """Return what is asked of a participant, in the order of the organiser.

    It is empty if the person may not read `submissions`, which is None then.

    Each is {title, due_at, is_required, submission, address, word}: `submission` is a record of
    `submissions` or None, `address` that of the form, or None if nothing can be handed in now, `word`
    that of its link.
    """
    if submissions is None:
        return []
    by_type = {submission["type_id"]: submission for submission in submissions}
    found = []
    kinds = api.everything("list_submission_types", event_id=row["event_id"], order="ASC")
    for kind in kinds:
        submission = by_type.get(kind["id"])
        if submission or (kind["is_active"] and row["role"] in kind["roles"]):
            found.append(requirement(request, row, kind, submission))
    return found


def requirement(request, row, kind, submission):
    """Return what is asked of a participant for a type, as `requirements_of` does."""
    state = reading.state_of(submission and submission["status"])
    may_send = may_hand_in(request, row, kind, state)
    return {
        "title": kind["title"],
        "due_at": kind["due_at"],
        "is_required": kind["is_required"],
        "submission": submission,
        "address": f"exhibitors/{row['id']}/hand_in/{kind['id']}" if may_send else None,
        "word": LINKS.get(state),
    }


def may_hand_in(request, row, kind, state):
    """Return whether the person can hand in something of a type for a participant now."""
    name = "create_submission_file" if kind["input"] == "file" else "create_submission"
    if row["status"] == "cancelled" or not api.may_call(request, name):
        return False
    return handing_in.allows({**kind, "state": state})


# The form


def largest(config):
    """Return the largest size of a file in bytes. That of the type is checked later."""
    return config.max_upload_mb * MEGABYTE


@routes.get("/exhibitors/<id>/hand_in/<item_id>")
def get_desk_hand_in(db, request, id, item_id):
    """Return the form of what is asked of an exhibitor, or show it again after a refusal."""
    row = api.read("get_participant", id=id, include=("contact",)).data
    kind, submission = asked(row, item_id)
    state = reading.state_of(submission and submission["status"])
    form = form_of(request, kind)
    return render_page(
        db,
        request,
        "hand_in",
        menu="exhibitors",
        current=events.by_key(db, row["event_key"]),
        title=f"{kind['title']} · {labels.named(row)}",
        row=row,
        kind=kind,
        submission=submission,
        state=state,
        form=form,
        given={**begun(kind, submission), **request.fields},
        tag=submission["tag"] if submission else "",
        may_send=may_hand_in(request, row, kind, state),
        limit=kind["max_size_mb"] or db.config.max_upload_mb,
        accept=",".join(f".{name}" for name in kind["allowed_extensions"]),
    )


@routes.post("/exhibitors/<id>/hand_in/<item_id>", batch=True, shows=get_desk_hand_in)
def hand_in_for_exhibitor(request, id, item_id):
    """Hand in a text, an address or a ticked box for an exhibitor."""
    kind, submission = asked(api.read("get_participant", id=id).data, item_id)
    value = form_of(request, kind).body(request.fields).get("value") or None
    tag = edit.tag_of(request)
    if submission and tag:
        body = {"value": value, "draft": False}
        return sent(request, id, "update_submission", {"id": submission["id"]}, body, tag=tag)
    body = {"event_participant_id": int(id), "type_id": kind["id"], "value": value}
    return sent(request, id, "create_submission", {}, body)


@routes.post(
    "/exhibitors/<id>/hand_in/<item_id>/file", batch=True, shows=get_desk_hand_in, file=largest
)
def hand_in_file_for_exhibitor(request, id, item_id, upload):
    """Hand in a file for an exhibitor."""
    kind, submission = asked(api.read("get_participant", id=id).data, item_id)
    query = {"filename": request.fields["filename"][0]}
    tag = edit.tag_of(request)
    name, ids = "set_submission_file", {"id": submission["id"]} if submission else {}
    if not submission or not tag:
        name, ids, tag = "create_submission_file", {}, None
        query |= {"event_participant_id": id, "type_id": kind["id"]}
    with open(upload.path, "rb") as file:
        try:
            return sent(
                request,
                id,
                name,
                ids,
                None,
                tag=tag,
                query=query,
                upload=(BYTES, file, upload.size),
            )
        except Problem as problem:
            raise beside_file(problem) from None


def sent(request, id, name, ids, body, **options):
    """Run a route of the API that submits something, and return to the card of the exhibitor."""

    def lead(response):
        of = f"submissions/{response.data['id']}"
        address = actions.with_message(f"exhibitors/{id}", "handed_in", of=of)
        return page_requests.see_other(request, address)

    return actions.once(request, name, ids, body, lead, **options)


def beside_file(problem):
    """Return the problem of a file, whose faults stand beside the field for it."""
    errors = problem.errors or []
    about_file = [error for error in errors if error.get("pointer") == ""]
    if not about_file:
        return problem
    return invalid_at("/file", about_file[0]["code"], about_file[0]["detail"])


def asked(row, type_id):
    """Return a submission type, and what the participant has submitted for it, or None.

    Raise 404 for a type that is not for the participant.
    """
    kind = api.read("get_submission_type", id=type_id).data
    found, _ = api.rows("list_submissions", event_participant_id=row["id"], type_id=kind["id"])
    is_for_role = row["role"] in kind["roles"] and kind["is_active"]
    if kind["event_id"] != row["event_id"] or not (found or is_for_role):
        raise not_found("submission_type", type_id)
    return kind, api.record("get_submission", found[0]["id"]) if found else None


def form_of(request, kind):
    """Return the form of what is asked: a text, an address, a box to tick, or a file."""
    name = "file" if kind["input"] == "file" else "value"
    longest = LONGEST.get(kind["input"], 0)
    longest = min(longest, kind["max_length"] or longest)
    schema = {"type": "string", "maxLength": longest} if longest else {}
    field = Field(
        name,
        f"/{name}",
        kind["title"],
        kind["input"],
        is_required=True,
        longest=longest,
        schema=schema,
    )
    return Form([field], request.language)


def begun(kind, submission):
    """Return the texts with which the form begins: what was handed in, or saved as a draft, before."""
    value = submission and submission["value"]
    if kind["input"] == "file" or not value:
        return {}
    return {"value": ["1" if value is True else value]}
