"""Document templates: the HTML templates that documents are made from.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal, markup, times
from eventapi.domain.attachments import document_rows, documents, pages, placeholders
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.references import DOCUMENT_CATEGORY, PARTICIPANT
from eventapi.errors import Faults
from eventapi.pictures.words import WORDS
from eventapi.storage.statements import statements

sql = statements("document_templates")


# Reading


def get(db, id):
    """Return the document template, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["is_contract"] = bool(row["is_contract"])
    return row


def preview(db, fields):
    """Return a document that a body would become, and its other party as `pages.partner` does.

    The document is a row that is not stored. `fields` are {body, is_contract, participant_id}.
    Without a participant, everything but the organiser is a gap. Raise 422 for an unknown
    participant, for what a template cannot have, `unknown_placeholder` for a placeholder that does
    not exist, and `too_long` if the document would be.
    """
    faults = Faults()
    references.resolve(db, fields, PARTICIPANT, faults)
    tree = markup.parse(fields["body"], faults, "/body", lambda name: True)
    _check_placeholders(fields["body"], faults)
    faults.raise_any()

    document = {
        **document_rows.BLANK,
        "id": None,
        "entity_type": "event_participant",
        "entity_id": fields["participant_id"],
        "is_contract": int(fields["is_contract"]),
        "created_at": db.now or times.now(),
    }
    document |= documents.filled(db, tree, document)
    documents.check_length(document["content"], "/body")
    document["title"] = WORDS[document["language"]]["preview"]
    party = pages.partner(db, document)
    if party and not party["name"]:
        party["name"] = placeholders.GAP
    return document, party


def _check_placeholders(body, faults):
    """Add a fault for each placeholder that does not exist, each name once."""
    names = [found[1].strip() for found in markup.PLACEHOLDER.finditer(body)]
    for name in dict.fromkeys(names):
        if not placeholders.is_known(name):
            faults.add(
                "/body",
                "unknown_placeholder",
                f"has the placeholder {{{{{name[:100]}}}}}, which does not exist. "
                "GET /documents/templates/placeholders lists those that do",
            )


# Writing


def create(db, fields):
    """Create a document template and return it. `fields` is a complete validated body.

    A missing `key` is made from the name. Raise 422 for an unknown category, and for elements,
    attributes or placeholders of `body` that a template cannot have; 409 `duplicate` for a taken
    key.
    """
    values = _checked(db, fields, fields)
    values["key"] = slugs.new_key(
        db, sql.key_taken, "document template", "key", values["key"], values["name"]
    )
    template = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.DOCUMENT_TEMPLATE, template)
    return template


def update(db, old, fields):
    """Change a document template and return it. `fields` holds the changed fields.

    Raise 422 and 409 as `create` does.
    """
    id, merged = old["id"], _checked(db, {**old, **fields}, fields)
    slugs.claim_key(db, sql.key_taken, "document template", "key", merged["key"], but=id)
    if any(merged[name] != old[name] for name in old):
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.DOCUMENT_TEMPLATE, old, new)
    return new


def delete(db, template):
    """Delete a document template. Raise 409 `in_use` while other records refer to it."""
    id = template["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The template cannot be deleted because of {}. Delete each document, and change the "
        "`default_template_id` of each category, first. The template of a signed contract stays.",
    )
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.DOCUMENT_TEMPLATE, template)


def _checked(db, template, fields):
    """Return the template with the category that `fields` names by id or key.

    Raise 422 for faults in `fields`.
    """
    faults = Faults()
    values = {**template, **references.named(db, fields, faults, DOCUMENT_CATEGORY)}
    if "body" in fields:
        markup.parse(fields["body"], faults, "/body", placeholders.is_known)
    faults.raise_any()
    return values
