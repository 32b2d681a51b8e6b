"""Submission types: the values and files that an event requests from its participants, with due
dates.
"""

from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT
from eventapi.domain.submissions import types as submission_types
from eventapi.domain.submissions.types import represent
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("submission-types", "submission_type", scope="submissions")
sql = statements("submission_types")


@routes.list("/submissions/types", query="submission_type.query")
def list_submission_types(db, query):
    return page(db, sql.list, references.filters(db, query, EVENT), represent)


@routes.post("/submissions/types", schema="submission_type")
def create_submission_type(db, body):
    return created(submission_types.create(db, body), "/submissions/types")


@routes.get("/submissions/types/<id>")
def get_submission_type(db, id):
    return get(db, id)


@routes.update("/submissions/types/<id>", schema="submission_type")
def update_submission_type(db, id, body):
    """Change a submission type. A new due date applies to existing submissions, too."""
    return submission_types.update(db, require_match(get(db, id)), body)


@routes.delete("/submissions/types/<id>")
def delete_submission_type(db, id):
    submission_types.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(submission_types.get(db, id), "submission_type", id)
