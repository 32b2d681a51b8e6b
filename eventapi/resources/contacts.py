"""Contacts: the companies and people an organiser deals with."""
from eventapi.domain.access.api_keys import SCOPES
from eventapi.domain.people import contacts as contact_book
from eventapi.domain.people import merging, participants, privacy
from eventapi.domain.people.contacts import represent
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import CATEGORY, EVENT
from eventapi.errors import Faults, Problem
from eventapi.plugins.access import require_scope
from eventapi.storage import search
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import Response, created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("contacts", "contact", scope="contacts")
sql = statements("contacts")


@routes.list("/contacts", query="contact.query")
def list_contacts(db, query):
    query = custom_fields.filters(db, "contact", references.filters(db, query, CATEGORY, EVENT))
    if "search" in query:
        query["search"] = search.expression(query["search"])
    statement = sql.list_in_category if query.get("category_id") else sql.list
    return page(db, statement, query, represent, INCLUDES)


@routes.post("/contacts", schema="contact")
def create_contact(db, body):
    category_ids, event_ids, fields = assignments(db, body, {})
    contact = contact_book.add(db, body, category_ids or (), fields)
    participants.take_part(db, contact["id"], event_ids)
    return created(contact, f"/contacts/{contact['id']}")


@routes.get("/contacts/<id>", query="contact.one")
def get_contact(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/contacts/<id>", schema="contact")
def update_contact(db, id, body):
    old = unchanged(get(db, id))
    category_ids, event_ids, fields = assignments(db, body, old["custom_fields"])
    contact = contact_book.change(db, old, body, category_ids, fields)
    participants.take_part(db, id, event_ids)
    return contact


@routes.delete("/contacts/<id>")
def delete_contact(db, id):
    contact = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The contact has {' and '.join(users)}; it cannot be deleted. "
                      f"To take its personal data away: POST /contacts/{id}/anonymize.", used_by=users)
    contact_book.remove(db, contact)
    return deleted()


@routes.list("/contacts/duplicates", singular="contact_duplicate")
def list_duplicates(db, query):
    """Lists contacts that may be one: each with an older twin, the strongest reason counting."""
    return page(db, merging.sql.duplicates, {**query, "include": ["contacts"]}, includes={"contacts": merging.show_twins})


@routes.post("/contacts/<id>/merge", schema="contact.merge")
def merge_contact(db, id, body):
    """Moves all that a duplicate has to this contact, fills its empty members, and deletes the duplicate."""
    contact, duplicate = get(db, id), contact_book.get(db, body["duplicate_id"])
    faults = Faults()
    if duplicate is None:
        faults.add("/duplicate_id", "unknown", "names no contact")
    elif duplicate["id"] == id:
        faults.add("/duplicate_id", "same", "must be another contact")
    faults.raise_any()
    return merging.merge(db, contact, duplicate)


@routes.get("/contacts/<id>/export", scope="all", response="contact.export")
def export_contact(db, who, id):
    """Gives all that is held about the contact (GDPR Art. 15, 20). The key needs every scope, if only to read."""
    for scope in SCOPES:
        require_scope(who, scope, writes=False)
    with db.snapshot():
        return Response(privacy.export(db, get(db, id)), has_etag=False)


@routes.post("/contacts/<id>/anonymize", response="contact.anonymized")
def anonymize_contact(db, id):
    """Takes the personal data of the contact away everywhere (GDPR Art. 17).

    What the law wants kept stays until its time is over and is listed as `kept`. The rest is gone for good.
    """
    return {**privacy.anonymize(db, get(db, id)), "kept": privacy.kept(db, id)}


def get(db, id):
    return found(contact_book.get(db, id), "contact", id)


def assignments(db, body, stored):
    """The categories and events that a body names, each None when it was not sent, and the custom fields after it."""
    faults = Faults()
    ids = references.category_ids(db, body, faults), references.event_ids(db, body, faults)
    fields = custom_fields.checked(db, "contact", body, stored, faults)
    faults.raise_any()
    return *ids, fields


def include_categories(db, contacts):
    attach(db, sql.categories_of, contacts, "categories")


def include_events(db, contacts):
    attach(db, sql.events_of, contacts, "events")


def attach(db, statement, contacts, member):
    """Adds a list of parts to each contact."""
    by_id = {contact["id"]: contact for contact in contacts}
    for contact in contacts:
        contact[member] = []
    for part in db.all(statement, ids=as_json(list(by_id))):
        by_id[part.pop("contact_id")][member].append(part)


INCLUDES = {"categories": include_categories, "events": include_events, "custom_fields": custom_fields.include("contact")}
