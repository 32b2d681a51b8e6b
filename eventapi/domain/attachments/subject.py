"""Attachments: what it adds to what the service does with all records."""

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
)
