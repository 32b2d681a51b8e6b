"""Submissions: what it adds to what the service does with all records."""

from eventapi.domain.records.subject import Subject
from eventapi.domain.submissions import submissions
from eventapi.storage.statements import statements

sql = statements("submissions")

SUBMISSIONS = Subject(
    name="submissions",
    erases=(
        sql.blank,
        sql.blank_revisions,
    ),
    merges_participants=(submissions.hand_over,),
)
