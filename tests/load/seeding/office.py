"""What the office works with: submissions, documents, notes, tasks and mails."""

import json
from datetime import timedelta

from tests.load.seeding.tables import put
from tests.load.seeding.words import (
    BEGIN,
    LAST_NAMES,
    SPAN,
    TRADES,
    any_time,
    chance,
    one_of,
    timestamp,
)

SUBMISSIONS = {
    "approved": 60,
    "submitted": 15,
    "pending": 15,
    "rejected": 5,
    "revision_requested": 5,
}
DAY = 86400


def fill_submissions(connection, show):
    put(
        connection,
        "submission_types",
        "event_id,type_key,title,input,allowed_extensions,needs_approval,is_required,"
        "roles,is_active,sort_order,created_at,updated_at",
        [
            (
                event,
                key,
                key.title(),
                "text",
                "[]",
                1,
                1,
                '["exhibitor","sponsor"]',
                1,
                order,
                timestamp(0),
                timestamp(0),
            )
            for event in range(1, show.events + 1)
            for order, key in enumerate(("logo", "profile", "plan"), 1)
        ],
    )
    chosen = chance.sample(show.shown, min(len(show.shown), show.submissions))
    wanted = sorted(
        {
            (event, participant, (event - 1) * 3 + 1 + number)
            for event, participant in chosen
            for number in range(chance.randrange(1, 3))
        }
    )
    put(
        connection,
        "submissions",
        "event_id,event_participant_id,type_id,status,value,due_at,revision,submitted_at,"
        "created_at,updated_at",
        (submission(*one) for one in wanted[: show.submissions]),
    )


def submission(event, participant, type_id):
    status, at = one_of(SUBMISSIONS), any_time()
    is_there = status != "pending"
    return (
        event,
        participant,
        type_id,
        status,
        '"Text"',
        at,
        int(is_there),
        at if is_there else None,
        at,
        at,
    )


def fill_documents(connection, show):
    kinds = [
        (f"kind-{number}", f"Kind {number}", timestamp(0), timestamp(number))
        for number in range(1, 5)
    ]
    put(connection, "document_categories", "key,name,created_at,updated_at", kinds)
    put(
        connection,
        "document_templates",
        "key,name,created_at,updated_at,body,is_contract",
        [(*kind, "<p>Vertrag</p>", 1) for kind in kinds],
    )

    def document(number):
        _, participant = chance.choice(show.shown)
        status = one_of({"active": 80, "draft": 15, "pending_signature": 5})
        return (
            f"DOC-{number:06}",
            f"Vertrag {number}",
            "event_participant",
            participant,
            1 + number % 4,
            1 + number % 4,
            1,
            status,
            "signed" if status == "active" else "pending",
            "<p>Vertrag</p>" * 40,
            any_time(),
            any_time(),
        )

    put(
        connection,
        "documents",
        "document_number,title,entity_type,entity_id,category_id,template_id,"
        "is_contract,contract_status,esign_status,content,created_at,updated_at",
        (document(number) for number in range(1, show.documents + 1)),
    )


def fill_notes(connection, show):
    kinds = (
        ("contact", show.contacts),
        ("event_participant", show.people),
        ("invoice", show.invoices),
        ("event", show.events),
    )

    def note(number):
        kind, last = kinds[number % 10 and number % 3]
        id, at = 1 if number % 100 == 0 else chance.randrange(1, last + 1), any_time()
        return (
            kind,
            id,
            1 + number % 8,
            f"Rückruf erbeten, {chance.choice(LAST_NAMES)}",
            ("info", "warning", "followup")[number % 3],
            int(number % 40 == 0),
            at,
            at,
        )

    put(
        connection,
        "notes",
        "entity_type,entity_id,admin_id,note_text,note_type,is_pinned,created_at,updated_at",
        (note(number) for number in range(show.notes)),
    )


def fill_tasks(connection, show):
    def task(number):
        status = one_of({"completed": 70, "pending": 20, "in_progress": 7, "cancelled": 3})
        created = int(chance.random() * SPAN)
        due = str((BEGIN + timedelta(seconds=created + DAY * chance.randrange(1, 60))).date())
        entity = ("contact", chance.randrange(1, show.contacts)) if number % 2 else (None, None)
        at = timestamp(created)
        return (
            f"{chance.choice(TRADES)} prüfen {number}",
            status,
            one_of({"normal": 80, "high": 10, "urgent": 5, "low": 5}),
            json.dumps(due),
            f"{due}T23:59:59Z",
            1 + number % 8,
            *entity,
            1,
            at if status == "completed" else None,
            at,
            at,
        )

    put(
        connection,
        "tasks",
        "title,status,priority,due_date,due_at,assigned_to,entity_type,entity_id,created_by,"
        "completed_at,created_at,updated_at",
        (task(number) for number in range(show.tasks)),
    )


def fill_mails(connection, show):
    def mail(id):
        at = timestamp(SPAN - DAY * 10 + id)
        return (
            "invoice",
            "invoice",
            id,
            1,
            f"r{id}@mail.example",
            "Invoice",
            "http://x",
            "sent",
            1,
            f"<{id}@x>",
            at,
            at,
            at,
        )

    put(
        connection,
        "mails",
        "kind,entity_type,entity_id,admin_id,recipient,subject,base_url,state,attempts,message_id,"
        "taken_at,created_at,updated_at",
        (mail(id) for id in range(1, show.mails + 1)),
    )
