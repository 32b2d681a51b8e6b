"""Attachments: what it adds to what the service does with all records."""

from eventapi.domain.attachments import hand_over
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql_of_notes = statements("notes")
sql_of_tasks = statements("tasks")
sql_of_documents = statements("documents")

ATTACHMENTS = Subject(
    name="attachments",
    erases=(
        sql_of_notes.drop_of_records,
        sql_of_tasks.drop_of_records,
        sql_of_documents.drop_of_records,
        sql_of_documents.blank,
    ),
    merges_contacts=(hand_over.of_contact,),
    merges_participants=(hand_over.of_participant,),
)
