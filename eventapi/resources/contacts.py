"""Contacts: the companies and people an organiser deals with."""
from eventapi import journal, search
from eventapi.db import as_json
from eventapi.errors import Faults, Problem
from eventapi.rest import created, deleted, found, one, page, unchanged
from eventapi.routes import Routes
from eventapi.services import contact_book, notes, participation, references
from eventapi.services.contact_book import represent
from eventapi.services.references import CATEGORY, EVENT
from eventapi.statements import statements

routes = Routes("contacts", "contact", scope="contacts")
sql = statements("contacts")


@routes.list("/contacts", query="contact.query")
def list_contacts(db, query):
    query = references.filters(db, query, CATEGORY, EVENT)
    if "search" in query:
        query["search"] = search.expression(query["search"])
    statement = sql.list_in_category if query.get("category_id") else sql.list
    return page(db, statement, query, represent, INCLUDES)


@routes.post("/contacts", schema="contact")
def create_contact(db, body):
    category_ids, event_ids = assignments(db, body)
    contact = contact_book.add(db, body, category_ids or ())
    take_part(db, contact["id"], event_ids)
    return created(contact, f"/contacts/{contact['id']}")


@routes.get("/contacts/<id>", query="contact.one")
def get_contact(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/contacts/<id>", schema="contact")
def update_contact(db, id, body):
    old = unchanged(get(db, id))
    category_ids, event_ids = assignments(db, body)
    contact = contact_book.change(db, old, body, category_ids)
    take_part(db, id, event_ids)
    return contact


@routes.delete("/contacts/<id>")
def delete_contact(db, id):
    contact = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The contact has {' and '.join(users)}; it cannot be deleted. "
                      f"To take its personal data away: POST /contacts/{id}/anonymize.", used_by=users)
    notes.delete_with(db, "contact", id)
    before = contact_book.state(db, id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "contact", before, title=contact_book.title(contact), scope="contacts")
    return deleted()


def get(db, id):
    return found(contact_book.get(db, id), "contact", id)


def assignments(db, body):
    """The categories and events that a body names, each None when it was not sent."""
    faults = Faults()
    ids = references.category_ids(db, body, faults), references.event_ids(db, body, faults)
    faults.raise_any()
    return ids


def take_part(db, id, event_ids):
    """Makes these the events of the contact: it joins those that are new and leaves the others."""
    if event_ids is None:
        return
    participants = db.all(sql.participants_of, contact_id=id)
    for participant in participants:
        if participant["event_id"] not in event_ids:
            participation.remove(db, participant["id"])
    known = {participant["event_id"] for participant in participants}
    for event_id in event_ids:
        if event_id not in known:
            participation.add(db, event_id=event_id, contact_id=id)


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


INCLUDES = {"categories": include_categories, "events": include_events}
