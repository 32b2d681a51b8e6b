"""Submission types: what an event asks its participants to hand in, and until when."""
from eventapi.domain.records import references, slugs
from eventapi.domain.records.references import EVENT
from eventapi.domain.submissions import types as submission_types
from eventapi.domain.submissions.types import represent
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("submission_types", "submission_type", scope="submissions")
sql = statements("submission_types")

# What cannot change once somebody has submitted something: it would be of another kind.
FIXED = ("event_id", "input")


@routes.list("/submissions/types", query="submission_type.query")
def list_submission_types(db, query):
    return page(db, sql.list, references.filters(db, query, EVENT), represent)


@routes.post("/submissions/types", schema="submission_type")
def create_submission_type(db, body):
    values = checked(db, body, body)
    values["type_key"] = values["type_key"] or free_key(db, values)
    claim_key(db, values)
    kind = submission_types.add(db, values)
    return created(kind, f"/submissions/types/{kind['id']}")


@routes.get("/submissions/types/<id>")
def get_submission_type(db, id):
    return get(db, id)


@routes.update("/submissions/types/<id>", schema="submission_type")
def update_submission_type(db, id, body):
    """Changes a type. A new due date holds for what was submitted already, too."""
    old = unchanged(get(db, id))
    before, values = submission_types.columns(db, old, Faults()), checked(db, body, {**old, **body})
    claim_key(db, values, but=id)
    changed = [name for name in FIXED if values[name] != old[name]]
    if changed:
        refuse_used(db, id, f"its {' and '.join(name.removesuffix('_id') for name in changed)} cannot change")
    return old if all(values[name] == before[name] for name in before) else submission_types.change(db, old, values)


@routes.delete("/submissions/types/<id>")
def delete_submission_type(db, id):
    kind = unchanged(get(db, id))
    refuse_used(db, id, "it cannot be deleted; set is_active to false")
    submission_types.remove(db, kind)
    return deleted()


def get(db, id):
    return found(submission_types.get(db, id), "submission_type", id)


def checked(db, body, merged):
    """The columns of a type that a body brings about; 422 for all that is wrong with it."""
    faults = Faults()
    event_id = references.resolve(db, body, EVENT, faults) or merged.get("event_id")
    faults.raise_any()
    values = submission_types.columns(db, {**merged, "event_id": event_id}, faults)
    faults.raise_any()
    return values


def refuse_used(db, id, consequence):
    if db.value(sql.has_submissions, id=id):
        raise Problem("in_use", f"The type has submissions: {consequence}.", used_by=["submissions"])


def claim_key(db, kind, but=None):
    if db.value(sql.key_taken, event_id=kind["event_id"], type_key=kind["type_key"]) not in (None, but):
        raise Problem("duplicate", f"The event has a submission type with the key {kind['type_key']}.", member="type_key")


def free_key(db, kind):
    return slugs.free(slugs.slug(kind["title"]), lambda key: db.value(sql.key_taken, event_id=kind["event_id"], type_key=key))
