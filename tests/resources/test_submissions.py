"""Submissions: submitting, reviewing, revising."""

import json
import os
import tarfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from eventapi import times
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import backups, files
from eventapi.storage.statements import statements
from tests.resources.test_submission_types import exhibitor, faults
from tests.support.client import Client
from tests.support.office import word_file


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {"event_key": "fair", "title": "Fair", "date_from": "2099-05-01", "date_to": "2099-05-03"},
    )


@pytest.fixture
def roses(organiser, fair):
    return exhibitor(organiser)


@pytest.fixture
def ask(organiser, fair):
    """Return ask("text", due=…), which creates a submission type."""

    def make(input_="text", title="Profile", **members):
        return organiser.make(
            "/submissions/types", {"event_key": "fair", "title": title, "input": input_, **members}
        )

    return make


SVG, PNG = b'<svg xmlns="http://www.w3.org/2000/svg"/>', b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def file_of(
    db, participant, *, entity_type="event_participant", filename="logo.svg", size=1000, data=SVG
):
    """Insert a document with these bytes, as an upload does, but of any `size`. Return its id."""
    stored = data and files.store(db.config, data)
    with db.write():
        return db.connection.execute(
            "INSERT INTO documents (document_number, title, entity_type, entity_id, filename, sha256, content_type, "
            "size, is_contract, created_at, updated_at) VALUES (NULL, 'Logo', ?, ?, ?, ?, ?, ?, 0, ?, ?)",
            [
                entity_type,
                participant["id"],
                filename,
                stored,
                stored and "image/svg+xml",
                stored and size,
                db.now,
                db.now,
            ],
        ).lastrowid


def hand_in(organiser, participant, value="Roses since 1923", **members):
    return organiser.make(
        "/submissions",
        {
            "event_participant_id": participant["id"],
            "type_key": "profile",
            "value": value,
            **members,
        },
    )


def act(organiser, submission, action, feedback=None, status=200):
    return organiser.post(
        f"/submissions/{submission['id']}/{action}",
        feedback and {"feedback": feedback},
        status=status,
    ).json.get("data")


def actions(db, submission):
    rows = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'submission' AND entity_id = ? ORDER BY id",
        [submission["id"]],
    )
    return [action for (action,) in rows]


# Submitting


def test_a_submission_goes_from_draft_to_approval(organiser, roses, ask, db):
    ask(due={"before": "date_from", "days": 30})
    draft = hand_in(organiser, roses, draft=True)
    assert (draft["status"], draft["revision"], draft["submitted_at"], draft["is_late"]) == (
        "pending",
        0,
        None,
        False,
    )
    assert (
        draft["due_at"] == "2099-04-01T21:59:59Z"
        and draft["event_key"] == "fair"
        and draft["title"] == "Profile"
    )
    address = f"/submissions/{draft['id']}"
    assert organiser.data(address) == draft
    organiser.patch(address, {"value": "  Roses and tulips "}, status=200)
    submitted = act(organiser, draft, "submit")
    assert (submitted["status"], submitted["revision"], submitted["value"]) == (
        "submitted",
        1,
        "Roses and tulips",
    )
    asked = act(organiser, draft, "request-revision", "In English, please")
    assert (asked["status"], asked["feedback"], asked["reviewed_by_name"]) == (
        "revision_requested",
        "In English, please",
        "Ada Lovelace",
    )
    again = organiser.patch(address, {"value": "Roses", "draft": False}, status=200).json["data"]
    assert (again["status"], again["revision"], again["feedback"], again["reviewed_at"]) == (
        "submitted",
        2,
        None,
        None,
    )
    approved = act(organiser, draft, "approve")
    assert approved["status"] == "approved" and approved["reviewed_by"] and approved["reviewed_at"]
    revisions = organiser.data(f"{address}/revisions?order=ASC")
    assert [
        (entry["revision"], entry["status"], entry["value"], entry["feedback"])
        for entry in revisions
    ] == [
        (1, "revision_requested", "Roses and tulips", "In English, please"),
        (2, "approved", "Roses", None),
    ]
    assert actions(db, draft) == [
        "created",
        "updated",
        "submitted",
        "revision_requested",
        "updated",
        "submitted",
        "approved",
    ]
    sent_back = organiser.put(address, approved, status=200).json["data"]
    assert sent_back == approved, "a submission that was read can be sent back"


def test_a_submission_can_be_created_submitted(organiser, roses, ask, db):
    ask()
    submission = hand_in(organiser, roses)
    assert (submission["status"], submission["revision"], submission["due_at"]) == (
        "submitted",
        1,
        None,
    )
    assert actions(db, submission) == ["created", "submitted"]


def test_a_type_without_approval_approves_submissions_at_once(organiser, roses, ask, db):
    ask(needs_approval=False)
    submission = hand_in(organiser, roses)
    assert (submission["status"], submission["reviewed_by"]) == ("approved", None)
    assert act(organiser, submission, "submit") == submission
    assert [
        entry["status"] for entry in organiser.data(f"/submissions/{submission['id']}/revisions")
    ] == ["approved"]
    event_names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = 'submission' ORDER BY id"
        )
    ]
    assert event_names == ["submission.created", "submission.submitted", "submission.approved"]


def test_a_pending_review_remains_when_the_type_no_longer_needs_approval(organiser, roses, ask):
    kind = ask()
    submission = hand_in(organiser, roses)
    organiser.patch(f"/submissions/types/{kind['id']}", {"needs_approval": False}, status=200)
    assert act(organiser, submission, "submit") == submission
    assert act(organiser, submission, "approve")["status"] == "approved"


def test_a_participant_has_one_submission_per_type(organiser, roses, ask):
    ask()
    submission = hand_in(organiser, roses)
    answer = organiser.post(
        "/submissions",
        {"event_participant_id": roses["id"], "type_id": submission["type_id"], "value": "x"},
        status=409,
    )
    assert (answer.json["code"], answer.json["submission_id"]) == ("duplicate", submission["id"])
    hand_in(organiser, exhibitor(organiser))


@pytest.mark.parametrize(
    "input_, value, code",
    [
        ("text", "one\ntwo", "one_line"),
        ("text", "one\u2028two", "one_line"),
        ("text", "x" * 256, "one_line"),
        ("text", True, "type"),
        ("textarea", False, "type"),
        ("url", "javascript:alert(1)", "format"),
        ("url", "https://", "format"),
        ("url", "x" * 3000, "format"),
        ("checkbox", False, "checkbox"),
        ("checkbox", "true", "checkbox"),
        ("file", "logo.svg", "not_for_input"),
        ("text", None, "required"),
        ("text", "  ", "required"),
        ("checkbox", None, "required"),
    ],
)
def test_a_value_must_fit_its_input(organiser, roses, ask, input_, value, code):
    ask(input_)
    body = {"event_participant_id": roses["id"], "type_key": "profile", "value": value}
    assert ("/value", code) in faults(organiser.post("/submissions", body, status=422))


@pytest.mark.parametrize(
    "input_, value",
    [
        ("text", "x" * 255),
        ("textarea", "one\ntwo\n" + "x" * 10000),
        ("checkbox", True),
        ("url", "https://roses.example/a?b=c#d"),
    ],
)
def test_a_valid_value_is_stored_unchanged(organiser, roses, ask, input_, value):
    ask(input_)
    submission = hand_in(organiser, roses, value)
    assert (
        submission["value"]
        == value
        == organiser.data(f"/submissions?type_key=profile&ids={submission['id']}")[0]["value"]
    )


def test_a_draft_can_be_empty_but_cannot_be_submitted_empty(organiser, roses, ask):
    ask()
    draft = hand_in(organiser, roses, None, draft=True)
    assert faults(organiser.post(f"/submissions/{draft['id']}/submit", status=422)) == [
        ("/value", "required")
    ]
    assert organiser.data(f"/submissions/{draft['id']}")["revision"] == 0


# Files


def test_a_file_is_a_document_of_the_participant_or_its_contact(organiser, roses, ask, db):
    ask("file", allowed_extensions=["svg", "PNG"], max_size_mb=1)
    other = exhibitor(organiser)
    contact = {"id": roses["contact_id"]}
    wrong = [
        (9999, "unknown"),
        (file_of(db, other), "unknown"),
        (file_of(db, {"id": other["contact_id"]}, entity_type="contact"), "unknown"),
        (file_of(db, roses, data=None), "empty"),
        (file_of(db, roses, filename="logo.svg.exe"), "extension"),
        (file_of(db, roses, filename="svg"), "extension"),
        (file_of(db, roses, filename=None), "extension"),
        (file_of(db, roses, size=2**20 + 1), "too_large"),
    ]
    for document_id, code in wrong:
        body = {
            "event_participant_id": roses["id"],
            "type_key": "profile",
            "document_id": document_id,
        }
        assert faults(organiser.post("/submissions", body, status=422)) == [
            ("/document_id", code)
        ], document_id
    body = {"event_participant_id": roses["id"], "type_key": "profile", "value": "x"}
    assert faults(organiser.post("/submissions", body, status=422)) == [
        ("/value", "not_for_input"),
        ("/document_id", "required"),
    ]
    document = file_of(
        db, contact, entity_type="contact", filename="Logo.PNG", size=2**20, data=PNG
    )
    submission = hand_in(organiser, roses, None, document_id=document)
    [revision] = organiser.data(f"/submissions/{submission['id']}/revisions")
    assert (
        revision["document_id"],
        revision["filename"],
        revision["sha256"],
        revision["size"],
    ) == (document, "Logo.PNG", sha256(PNG).hexdigest(), 2**20)


def test_the_content_of_a_file_must_fit_its_extension(organiser, roses, ask, db):
    ask("file", allowed_extensions=["png", "pdf"])

    def answer(filename, data):
        document_id = file_of(db, roses, filename=filename, data=data)
        return organiser.post(
            "/submissions",
            {
                "event_participant_id": roses["id"],
                "type_key": "profile",
                "document_id": document_id,
            },
        )

    [fault] = answer("logo.png", b"%PDF-1.7").json["errors"]
    assert (fault["pointer"], fault["code"]) == ("/document_id", "content_type")
    assert "logo.png" in fault["detail"] and "application/pdf" in fault["detail"]
    assert faults(answer("logo.pdf", PNG)) == [("/document_id", "content_type")]
    assert answer("logo.PDF", b"%PDF-1.7").status_int == 201


def test_a_file_saved_by_word_is_accepted(organiser, roses, ask):
    ask("file", allowed_extensions=["docx"])
    document = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": roses["contact_id"], "filename": "profile.docx"},
    )
    stored = organiser.put(
        f"/documents/{document['id']}/content",
        raw=word_file(),
        status=200,
        headers={"Content-Type": "application/octet-stream"},
    ).json["data"]
    assert stored["content_type"].endswith("wordprocessingml.document")
    assert hand_in(organiser, roses, None, document_id=document["id"])["status"] == "submitted"


def test_a_revision_keeps_the_file_that_was_submitted(organiser, roses, ask, db):
    ask("file")
    first, second = (file_of(db, roses, data=data) for data in (SVG, PNG))
    submission = hand_in(organiser, roses, None, document_id=first)
    act(organiser, submission, "request-revision", "Larger")
    organiser.patch(
        f"/submissions/{submission['id']}", {"document_id": second, "draft": False}, status=200
    )
    revisions = organiser.data(f"/submissions/{submission['id']}/revisions?order=ASC")
    submitted = [sha256(SVG).hexdigest(), sha256(PNG).hexdigest()]
    assert [entry["sha256"] for entry in revisions] == submitted
    with db.write():
        db.connection.execute("UPDATE documents SET sha256 = ?", ["e" * 64])
    used = set(db.values(statements("housekeeping").used_files))
    assert set(submitted) <= used, "housekeeping keeps the content"


def test_the_file_of_an_approved_submission_cannot_change(organiser, roses, ask):
    ask("file", allowed_extensions=["png"])
    document = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": roses["contact_id"], "filename": "logo.png"},
    )
    address = f"/documents/{document['id']}"

    def send(data, status):
        return organiser.put(
            f"{address}/content",
            raw=data,
            headers={"Content-Type": "application/octet-stream"},
            status=status,
        ).json

    send(PNG, 200)
    submission = hand_in(organiser, roses, None, document_id=document["id"], draft=True)
    send(PNG + b"larger", 200)
    act(organiser, submission, "submit")
    for _ in ("submitted", "approved"):
        assert send(b"thorns", 409)["code"] == "document_locked"
        assert (
            organiser.patch(address, {"filename": "logo.exe"}, status=409).json["code"]
            == "document_locked"
        )
        send(PNG + b"larger", 200)
        organiser.patch(address, {"title": "Our logo"}, status=200)
        act(organiser, submission, "approve")


def test_a_requested_revision_can_use_the_same_document(organiser, roses, ask):
    ask("file")
    document = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": roses["contact_id"], "filename": "logo.png"},
    )
    for data in (b"small", b"large"):
        organiser.put(
            f"/documents/{document['id']}/content",
            raw=data,
            headers={"Content-Type": "application/octet-stream"},
            status=200,
        )
        if data == b"small":
            submission = hand_in(organiser, roses, None, document_id=document["id"])
            act(organiser, submission, "request-revision", "Larger")
    act(organiser, submission, "submit")
    first, second = organiser.data(f"/submissions/{submission['id']}/revisions?order=ASC")
    assert first["size"] == second["size"] == 5 and first["sha256"] != second["sha256"]


# Type and participant


def test_type_and_participant_must_belong_to_the_same_event(organiser, roses, ask):
    ask()
    organiser.make("/events", {"event_key": "other", "title": "Other"})
    foreign = organiser.make(
        "/submissions/types", {"event_key": "other", "title": "Video", "input": "text"}
    )
    slides, old = ask(title="Slides", roles=["speaker"]), ask(title="Old", is_active=False)
    who = {"event_participant_id": roses["id"], "value": "x"}
    for named, wrong in (
        ({"type_id": foreign["id"]}, ("/type_id", "other_event")),
        ({"type_key": "video"}, ("/type_key", "unknown")),
        ({"type_id": 999}, ("/type_id", "unknown")),
        ({"type_id": slides["id"]}, ("/type_id", "other_role")),
        ({"type_key": "slides"}, ("/type_key", "other_role")),
        ({"type_id": old["id"]}, ("/type_id", "inactive")),
        ({"type_id": slides["id"], "type_key": "profile"}, ("/type_key", "disagrees")),
    ):
        assert wrong in faults(organiser.post("/submissions", {**who, **named}, status=422)), named
    assert faults(organiser.post("/submissions", {"value": "x"}, status=422)) == [
        ("/event_participant_id", "any_of"),
        ("/type_id", "any_of"),
    ]
    assert faults(
        organiser.post("/submissions", {"participant_id": 999, "type_key": "profile"}, status=422)
    ) == [("/participant_id", "unknown")]


def test_participant_and_type_cannot_change(organiser, roses, ask):
    ask()
    other, slides = exhibitor(organiser), ask(title="Slides")
    address = f"/submissions/{hand_in(organiser, roses)['id']}"
    for body in (
        {"event_participant_id": other["id"]},
        {"type_id": slides["id"]},
        {"type_key": "slides"},
    ):
        [(pointer, code)] = faults(organiser.patch(address, body, status=422))
        assert (pointer, code) == (f"/{next(iter(body))}", "fixed")


def test_a_cancelled_participant_cannot_submit(organiser, roses, ask):
    ask()
    draft = hand_in(organiser, roses, draft=True)
    ask(title="Logo")
    organiser.post(f"/participants/{roses['id']}/cancel", status=200)
    body = {"event_participant_id": roses["id"], "type_key": "logo", "value": "x"}
    for answer in (
        organiser.post("/submissions", body),
        organiser.post(f"/submissions/{draft['id']}/submit"),
        organiser.patch(f"/submissions/{draft['id']}", {"value": "y"}),
    ):
        assert (answer.status_int, answer.json["code"]) == (409, "participant_cancelled")


# States


def test_a_submitted_value_is_locked(organiser, roses, ask):
    ask()
    submission = hand_in(organiser, roses)
    address = f"/submissions/{submission['id']}"
    for action, remedy in (
        (None, "Request a revision first."),
        ("approve", "To submit again, delete this submission"),
    ):
        if action:
            act(organiser, submission, action)
        problem = organiser.patch(address, {"value": "other"}, status=409).json
        assert problem["code"] == "locked" and problem["allowed_from"] == [
            "pending",
            "revision_requested",
            "rejected",
        ]
        second = organiser.post(
            "/submissions",
            {"participant_id": roses["id"], "type_key": "profile", "value": "other"},
            status=409,
        ).json
        assert second["code"] == "duplicate" and second["submission_id"] == submission["id"]
        assert remedy in problem["detail"] and remedy in second["detail"], (
            "both name the same remedy"
        )
    assert organiser.data(address)["value"] == "Roses since 1923"


def test_a_rejected_submission_can_be_changed_and_submitted_again(organiser, roses, ask, db):
    ask()
    submission = hand_in(organiser, roses)
    address = f"/submissions/{submission['id']}"
    act(organiser, submission, "reject", "Too short")
    second = organiser.post(
        "/submissions",
        {"participant_id": roses["id"], "type_key": "profile", "value": "other"},
        status=409,
    ).json
    assert (
        "Change its value or document" in second["detail"] and "submit it again" in second["detail"]
    )
    changed = organiser.patch(address, {"value": "Roses and tulips since 1923"}, status=200).json[
        "data"
    ]
    assert (changed["status"], changed["revision"], changed["feedback"]) == (
        "rejected",
        1,
        "Too short",
    )
    again = act(organiser, submission, "submit")
    assert (again["status"], again["revision"], again["feedback"]) == ("submitted", 2, None)
    act(organiser, submission, "reject", "Still too short")
    assert organiser.patch(address, {"draft": False}, status=200).json["data"]["revision"] == 3
    act(organiser, submission, "approve")
    revisions = organiser.data(f"{address}/revisions?order=ASC")
    assert [(entry["status"], entry["feedback"]) for entry in revisions] == [
        ("rejected", "Too short"),
        ("rejected", "Still too short"),
        ("approved", None),
    ]
    assert actions(db, submission) == [
        "created",
        "submitted",
        "rejected",
        "updated",
        "submitted",
        "rejected",
        "submitted",
        "approved",
    ]


def test_the_document_of_a_rejected_submission_can_be_uploaded_again(organiser, roses, ask):
    ask("file", allowed_extensions=["png"])
    document = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": roses["contact_id"], "filename": "logo.png"},
    )

    def upload(data):
        organiser.put(
            f"/documents/{document['id']}/content",
            raw=data,
            headers={"Content-Type": "application/octet-stream"},
            status=200,
        )

    upload(PNG)
    submission = hand_in(organiser, roses, None, document_id=document["id"])
    act(organiser, submission, "reject", "Too small")
    upload(PNG + b"larger")
    act(organiser, submission, "submit")
    first, second = organiser.data(f"/submissions/{submission['id']}/revisions?order=ASC")
    assert (first["size"], second["size"]) == (len(PNG), len(PNG) + 6)


@pytest.mark.parametrize(
    "state, allowed",
    [
        ("pending", {"submit"}),
        ("submitted", {"approve", "reject", "request-revision"}),
        ("approved", set()),
        ("rejected", {"submit"}),
        ("revision_requested", {"submit"}),
    ],
)
def test_each_state_allows_the_actions_of_the_table(organiser, roses, ask, state, allowed):
    ask()
    way = {
        "submitted": None,
        "approved": "approve",
        "rejected": "reject",
        "revision_requested": "request-revision",
    }
    submission = hand_in(organiser, roses, draft=state == "pending")
    if way.get(state):
        act(organiser, submission, way[state], None if state == "approved" else "Because")
    address = f"/submissions/{submission['id']}"
    assert set(organiser.data(f"{address}?include=allowed_actions")["allowed_actions"]) == allowed
    here = {
        "submitted": "submit",
        "approved": "approve",
        "rejected": "reject",
        "revision_requested": "request-revision",
    }.get(state)
    before = organiser.data(address)
    for action in {"submit", "approve", "reject", "request-revision"} - allowed:
        answer = organiser.post(
            f"{address}/{action}",
            {"feedback": "x"} if action in ("reject", "request-revision") else None,
        )
        assert answer.status_int == (200 if action == here else 409), action
        assert action == here or answer.json["code"] == "invalid_transition"
    assert organiser.data(address) == before
    for action in ("reject", "request-revision"):
        assert faults(organiser.post(f"{address}/{action}", {}, status=422)) == [
            ("/feedback", "required")
        ]


# Due dates


def test_a_late_submission_is_accepted_and_marked(organiser, roses, ask, db):
    kind = ask(due="2020-01-01")
    late = hand_in(organiser, roses)
    assert late["is_late"] is True and late["status"] == "submitted"
    assert [
        entry["is_late"] for entry in organiser.data(f"/submissions/{late['id']}/revisions")
    ] == [True]
    moved = organiser.patch(
        f"/submissions/types/{kind['id']}", {"due": "2099-01-01"}, status=200
    ).json["data"]
    assert organiser.data(f"/submissions/{late['id']}")["is_late"] is True, (
        "the first submit has decided it"
    )
    assert moved["due_at"] == "2099-01-01T22:59:59Z"
    act(organiser, late, "request-revision", "Longer")
    assert act(organiser, late, "submit")["is_late"] is True
    assert [
        entry["is_late"]
        for entry in organiser.data(f"/submissions/{late['id']}/revisions?order=ASC")
    ] == [True, False], "a revision was late by the due date of its time"
    assert [found["id"] for found in organiser.data("/submissions?is_late=1")] == [late["id"]]


def test_a_submission_in_time_is_never_late_afterwards(organiser, roses, ask, monkeypatch):
    kind = ask(due="2099-01-01")
    submission = hand_in(organiser, roses)
    address = f"/submissions/{submission['id']}"
    organiser.patch(f"/submissions/types/{kind['id']}", {"due": "2020-01-01"}, status=200)
    for action in ("request-revision", "submit", "reject"):
        act(organiser, submission, action, None if action == "submit" else "Again")
        assert organiser.data(address)["is_late"] is False, action
    assert organiser.data("/submissions?is_late=1") == []
    assert [found["id"] for found in organiser.data("/submissions?is_late=0")] == [submission["id"]]


def test_an_open_submission_is_late_once_its_due_time_has_passed(
    organiser, roses, ask, monkeypatch
):
    ask(due={"before": "date_from", "days": 30})
    draft = hand_in(organiser, roses, draft=True)
    monkeypatch.setattr(times, "now", lambda: "2099-04-01T21:59:59Z")
    assert organiser.data(f"/submissions/{draft['id']}")["is_late"] is False, (
        "the last second is in time"
    )
    monkeypatch.setattr(times, "now", lambda: "2099-04-01T22:00:00Z")
    assert organiser.data(f"/submissions/{draft['id']}")["is_late"] is True
    assert [found["id"] for found in organiser.data("/submissions?is_late=1")] == [draft["id"]]
    assert organiser.data("/submissions?is_late=0") == []


# Lists


def test_a_list_is_filtered_sorted_and_includes(organiser, roses, ask, db):
    ask(due="2020-01-01")
    ask("url", "Logo", needs_approval=False)
    late = hand_in(organiser, roses)
    logo = organiser.make(
        "/submissions",
        {"participant_id": roses["id"], "type_key": "logo", "value": "https://roses.example"},
    )
    other = hand_in(organiser, exhibitor(organiser), draft=True)
    for query, found in (
        ("is_late=1", [late, other]),
        ("is_late=0", [logo]),
        ("status=approved", [logo]),
        ("type_key=profile", [late, other]),
        (f"type_id={logo['type_id']}", [logo]),
        (f"participant_id={roses['id']}", [late, logo]),
        ("event_key=fair", [late, logo, other]),
        ("event_key=nowhere", []),
        ("sort=due_at&is_late=1", [late, other]),
        ("type_key=none", []),
    ):
        query = query if "sort" in query else f"{query}&sort=id"
        assert [record["id"] for record in organiser.data(f"/submissions?{query}&order=ASC")] == [
            record["id"] for record in found
        ], query
    [record] = organiser.data(f"/submissions?ids={logo['id']}&include=participant,type")
    assert record["participant"]["company_name"] == "Roses" and record["type"]["key"] == "logo"
    assert record["type"]["needs_approval"] is False
    assert organiser.data("/submissions?sort=submitted_at")[-1]["id"] == other["id"], (
        "submissions that were not submitted come last"
    )
    organiser.get("/submissions/999/revisions", status=404)


@pytest.mark.parametrize(
    "where", ["", "AND s.event_id = 1", "AND s.event_id = 1 AND s.status = 'submitted'"]
)
def test_a_page_is_read_by_index(db, where):
    given = {"AND s.event_id = 1": {"event_id"}, "": set()}.get(where, {"event_id", "status"})
    text = statements("submissions").list.ids(frozenset(given), "id", "DESC")
    plan = [
        row[3]
        for row in db.connection.execute(
            f"EXPLAIN QUERY PLAN {text}",
            {"event_id": 1, "status": "submitted", "limit": 20, "offset": 0},
        )
    ]
    assert not any("TEMP B-TREE" in line for line in plan), plan


# Concurrent requests


def test_one_of_two_concurrent_reviews_wins(app, organiser, roses, ask):
    ask()
    for number in range(6):
        submission = hand_in(organiser, roses if not number else exhibitor(organiser))
        address = f"/submissions/{submission['id']}"

        def review(action, address=address):
            return Client(app, organiser.key).post(
                f"{address}/{action}", {"feedback": "no"} if action == "reject" else None
            )

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(review, ("approve", "reject")))
        assert sorted(answer.status_int for answer in answers) == [200, 409]
        won = next(answer.json["data"] for answer in answers if answer.status_int == 200)
        assert organiser.data(address)["status"] == won["status"]
        assert [entry["status"] for entry in organiser.data(f"{address}/revisions")] == [
            won["status"]
        ]


def test_an_approval_of_a_revised_submission_is_refused(organiser, roses, ask):
    ask()
    submission = hand_in(organiser, roses)
    address = f"/submissions/{submission['id']}"
    seen = {"If-Match": organiser.get(address).headers["ETag"]}
    act(organiser, submission, "request-revision", "Again")
    assert organiser.post(f"{address}/approve", status=409).json["code"] == "invalid_transition"
    organiser.patch(address, {"value": "other", "draft": False}, status=200)
    assert (
        organiser.post(f"{address}/approve", headers=seen, status=412).json["code"]
        == "precondition_failed"
    )
    assert organiser.data(address)["status"] == "submitted"
    organiser.post(
        f"{address}/approve",
        headers={"If-Match": organiser.get(address).headers["ETag"]},
        status=200,
    )


def test_concurrent_submissions_of_a_participant_create_one(app, organiser, roses, ask):
    ask()
    body = {"event_participant_id": roses["id"], "type_key": "profile", "value": "x"}
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda _: Client(app, organiser.key).post("/submissions", body), range(4))
        )
    assert sorted(answer.status_int for answer in answers) == [201, 409, 409, 409]


# Merging, privacy and deletion


def test_a_participant_with_submissions_cannot_be_deleted(organiser, roses, ask):
    ask()
    submission = hand_in(organiser, roses)
    assert organiser.delete(f"/participants/{roses['id']}", status=409).json["used_by"] == [
        "submissions"
    ]
    organiser.delete(f"/submissions/{submission['id']}", status=204)
    organiser.delete(f"/participants/{roses['id']}", status=204)


@pytest.mark.parametrize("farther", ["kept", "other"])
def test_a_merge_keeps_the_more_advanced_submission(organiser, roses, ask, db, farther):
    ask()
    ask("url", "Logo")
    other = exhibitor(organiser)
    mine, theirs = hand_in(organiser, roses), hand_in(organiser, other, "Theirs")
    logo = organiser.make(
        "/submissions",
        {"participant_id": other["id"], "type_key": "logo", "value": "https://roses.example"},
    )
    stays, goes = (mine, theirs) if farther == "kept" else (theirs, mine)
    act(organiser, stays, "approve")
    act(organiser, goes, "reject", "Too short")
    for key in ("source", "printer"):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "submission",
                "field_key": key,
                "field_label": key,
                "field_type": "text",
            },
        )
    organiser.patch(
        f"/submissions/{goes['id']}",
        {"custom_fields": {"source": "mail", "printer": "A"}},
        status=200,
    )
    organiser.patch(f"/submissions/{stays['id']}", {"custom_fields": {"printer": "B"}}, status=200)
    task = organiser.make(
        "/tasks", {"title": "Call", "entity_type": "submission", "entity_id": goes["id"]}
    )
    organiser.post(
        f"/contacts/{roses['contact_id']}/merge", {"duplicate_id": other["contact_id"]}, status=200
    )
    assert {
        record["id"] for record in organiser.data(f"/submissions?participant_id={roses['id']}")
    } == {stays["id"], logo["id"]}
    organiser.get(f"/submissions/{goes['id']}", status=404)
    assert actions(db, goes)[-1] == "deleted" and actions(db, logo)[-1] == "updated"
    revisions = organiser.data(f"/submissions/{stays['id']}/revisions?sort=revision&order=asc")
    assert [(entry["revision"], entry["value"], entry["status"]) for entry in revisions] == [
        (1, goes["value"], "rejected"),
        (2, stays["value"], "approved"),
    ]
    kept = organiser.data(f"/submissions/{stays['id']}")
    assert (kept["revision"], kept["status"], kept["value"]) == (2, "approved", stays["value"])
    assert kept["custom_fields"] == {"source": "mail", "printer": "B"}
    assert organiser.data(f"/tasks/{task['id']}")["entity_id"] == stays["id"]


def test_a_merge_keeps_what_was_submitted_before_a_draft(organiser, roses, ask):
    ask(due="2020-01-01")
    other = exhibitor(organiser)
    late = hand_in(organiser, roses, "First")
    act(organiser, late, "reject", "No")
    body = {
        "event_participant_id": other["id"],
        "type_key": "profile",
        "value": "Draft",
        "draft": True,
    }
    draft = organiser.make("/submissions", body)
    organiser.post(
        f"/contacts/{roses['contact_id']}/merge", {"duplicate_id": other["contact_id"]}, status=200
    )
    organiser.patch(f"/submissions/types/{late['type_id']}", {"due": None}, status=200)
    address = f"/submissions/{draft['id']}"
    assert organiser.data(f"{address}/revisions/1")["value"] == "First"
    submitted = organiser.post(f"{address}/submit", status=200).json["data"]
    assert (submitted["revision"], submitted["is_late"]) == (2, True)  # decided at the first submit
    assert organiser.data(f"{address}/revisions/2")["value"] == "Draft"


def test_submissions_are_exported_and_erased(organiser, roses, ask, db):
    mark = "zqmark"
    ask("textarea")
    ask(title="Motto")
    body = {"event_participant_id": roses["id"], "type_key": "profile", "value": f"{mark} first"}
    submission = organiser.post(
        "/submissions", body, headers={"Idempotency-Key": "one"}, status=201
    ).json["data"]
    act(organiser, submission, "request-revision", f"{mark} asks")
    organiser.patch(
        f"/submissions/{submission['id']}", {"value": f"{mark} second", "draft": False}, status=200
    )
    act(organiser, submission, "reject", f"{mark} feedback")
    gone = organiser.make("/submissions", {**body, "type_key": "motto"})
    organiser.delete(f"/submissions/{gone['id']}", status=204)
    contact = f"/contacts/{roses['contact_id']}"
    export = organiser.data(f"{contact}/export")
    [exported] = export["submissions"]
    assert exported["value"] == f"{mark} second"
    assert [entry["value"] for entry in exported["revisions"]] == [
        f"{mark} first",
        f"{mark} second",
    ]
    assert ("submission", gone["id"]) in {
        (entry["entity_type"], entry["entity_id"]) for entry in export["audit_log"]
    }
    organiser.post(f"{contact}/anonymize", status=200)
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert mark.encode() not in db.path.read_bytes()
    left = organiser.data(f"/submissions/{submission['id']}")
    assert (left["status"], left["value"], left["feedback"], left["revision"]) == (
        "rejected",
        None,
        None,
        2,
    )
    assert mark not in json.dumps(organiser.data(f"/submissions/{submission['id']}/revisions"))


# Revisions

OCTETS = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def revised(organiser, roses, ask):
    """Return the address of a submission with two revisions of one document, which holds a PNG and
    then an SVG.
    """
    ask("file")
    document = organiser.make(
        "/documents",
        {
            "entity_type": "contact",
            "entity_id": roses["contact_id"],
            "filename": "Logo für Plan.png",
        },
    )
    submission = None
    for data in (PNG, SVG):
        organiser.put(f"/documents/{document['id']}/content", raw=data, headers=OCTETS, status=200)
        if submission is None:
            submission = hand_in(organiser, roses, None, document_id=document["id"])
            act(organiser, submission, "reject", "As SVG, please")
    act(organiser, submission, "submit")
    return f"/submissions/{submission['id']}"


def test_each_revision_and_its_file_can_be_read(organiser, revised, person):
    listed = organiser.data(f"{revised}/revisions?order=ASC")
    assert [organiser.data(f"{revised}/revisions/{number}") for number in (1, 2)] == listed
    for number, data, kind in ((1, PNG, "image/png"), (2, SVG, "image/svg+xml")):
        answer = organiser.get(f"{revised}/revisions/{number}/content", status=200)
        assert (answer.body, answer.content_type) == (data, kind)
        assert answer.headers["ETag"] == f'"{listed[number - 1]["sha256"]}"'
        assert (
            answer.headers["Content-Security-Policy"]
            and "f%C3%BCr" in answer.headers["Content-Disposition"]
        )
    part = organiser.get(
        f"{revised}/revisions/1/content", headers={"Range": "bytes=1-3"}, status=206
    )
    assert part.body == b"PNG" and part.headers["Content-Range"] == f"bytes 1-3/{len(PNG)}"
    assert person("submissions:read").get(f"{revised}/revisions/1/content").status_int == 200


@pytest.mark.parametrize("path", ["revisions/3", "revisions/0", "revisions/3/content"])
def test_an_unknown_revision_is_not_found(organiser, revised, path):
    assert organiser.get(f"{revised}/{path}", status=404).json["code"] == "not_found"


def test_a_revision_without_file_has_no_content(organiser, roses, ask):
    ask()
    address = f"/submissions/{hand_in(organiser, roses)['id']}/revisions/1"
    assert organiser.data(address)["value"] == "Roses since 1923"
    assert "no file" in organiser.get(f"{address}/content", status=404).json["detail"]
    organiser.get("/submissions/999/revisions/1", status=404)


def test_files_of_earlier_revisions_are_kept_and_backed_up_until_the_contact_is_anonymised(
    organiser, revised, roses, db, tmp_path
):
    def age_and_sweep():
        for _, file, _ in files.all_stored(db.config):
            os.utime(file, (1, 1))
        return housekeeping.sweep_files(db)

    assert age_and_sweep() == 0
    assert organiser.get(f"{revised}/revisions/1/content", status=200).body == PNG
    backups.create(db.config, tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as archive:
        digest = sha256(PNG).hexdigest()
        assert archive.extractfile(f"files/{digest[:2]}/{digest[2:]}").read() == PNG
    organiser.post(f"/contacts/{roses['contact_id']}/anonymize", status=200)
    for number in (1, 2):
        organiser.get(f"{revised}/revisions/{number}/content", status=404)
    age_and_sweep()
    assert list(files.all_stored(db.config)) == []
