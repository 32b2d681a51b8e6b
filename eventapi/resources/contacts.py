"""Contacts: the companies and people an organiser deals with."""

from eventapi.domain.access import reach, rights
from eventapi.domain.access.api_keys import NOT_OF_CONTACTS, SCOPES
from eventapi.domain.billing import treatments
from eventapi.domain.people import contacts, vat_checks
from eventapi.domain.people.contacts import represent
from eventapi.domain.privacy import erasing, merging
from eventapi.domain.privacy import export as personal_data
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import CATEGORY, EVENT
from eventapi.plugins.access import may_read, require_scopes
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.includes import include_list
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("contacts", "contact", scope="contacts")
sql = statements("contacts")


@routes.list("/contacts", query="contact.query")
def list_contacts(db, query):
    query = custom_fields.filters(db, "contact", references.filters(db, query, CATEGORY, EVENT))
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/contacts", schema="contact")
def create_contact(db, body):
    return created(contacts.create(db, body), "/contacts")


@routes.get("/contacts/<id>", query="contact.one")
def get_contact(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/contacts/<id>", schema="contact")
def update_contact(db, who, id, body):
    """Change a contact.

    If the key may read invoices, `outdated_invoice_ids` in meta holds the drafts to the contact
    whose tax the rule would now decide otherwise.
    """
    contact = contacts.update(db, require_match(get(db, id)), body)
    outdated = treatments.outdated_of_contact(db, id) if may_read(who, "invoices") else None
    return Response(contact, meta={} if outdated is None else {"outdated_invoice_ids": outdated})


@routes.delete("/contacts/<id>")
def delete_contact(db, id):
    contacts.delete(db, require_match(get(db, id)))


@routes.list("/contacts/duplicates", singular="contact_duplicate")
def list_contact_duplicates(db, query):
    """List pairs of contacts that may be duplicates, each with the strongest reason."""
    return page(
        db,
        sql.duplicates,
        {**query, "include": ["contacts"]},
        includes={"contacts": merging.attach_contacts},
    )


@routes.post("/contacts/<id>/merge", schema="contact.merge")
def merge_contact(db, who, id, body):
    """Move everything of a duplicate to this contact, fill the contact's empty fields, and delete
    the duplicate.

    Two participations in one event with the same role become one, and the badge numbers of both
    stay valid. Of two submissions of one type, the one whose status is further stays, and takes
    over the revisions of the other. The newsletter subscriber of the duplicate's address belongs to
    this contact.

    Where two participations become one, the links of the duplicate's end, and if records move,
    those of this contact's, too (`links_ended` in `warnings` of meta names them). A person with a
    link to each of the two keeps one, with the rights that both have, and the links in `keep_links`
    go on. Everybody who had a link to one of them is told. The key needs, beside contacts:
    participants if a participation moves; invoices, documents, service_orders, booths and
    submissions for records of these kinds that move; links if one of the participations has a link,
    and the scopes of the rights of each link in `keep_links`.
    """
    contact = get(db, id)
    duplicate, kept = merging.prepared(db, contact, body)
    scopes = reach.scopes_of_merge(db, id, duplicate["id"])
    for link in kept:
        scopes.update(rights.scopes("participant", link["rights"]))
    require_scopes(who, sorted(scopes), writes=True)
    merged, ended = merging.merge(db, contact, duplicate, kept)
    return Response(merged, meta={"warnings": [links_ended(ended)]} if ended else {})


def links_ended(ids):
    """Return the warning about links that a merge has ended."""
    return {
        "code": "links_ended",
        "detail": f"These links have ended, because their participations became one with "
        f"another: {', '.join(map(str, ids))}. Make new ones with POST /links for those who still need access.",
    }


@routes.post("/contacts/<id>/vat-checks", schema="contact.vat_check_body", status=201, desk=Desk())
def create_contact_vat_check(db, who, id, body):
    """Keep what VIES or a tax office has answered about the VAT id of the contact.

    This server asks nobody. A check never changes, and is erased with the contact; its export has all of them.
    `vat_check` of the contact is the last one of its present VAT id. The response is the contact.
    """
    contact = require_match(get(db, id))
    return created(vat_checks.create(db, contact, body, who.admin_id), "/contacts")


@routes.get("/contacts/<id>/export", scope="all", response="contact.export")
def export_contact(db, who, id):
    """Export all data about the contact (GDPR Art. 15, 20).

    The response is one JSON document with every record about the contact, and about contacts merged
    into it, with all stored fields.
    """
    require_scopes(who, [scope for scope in SCOPES if scope not in NOT_OF_CONTACTS], writes=False)
    with db.snapshot():
        return Response(personal_data.export(db, get(db, id)), has_etag=False)


@routes.post(
    "/contacts/<id>/anonymize",
    schema="contact.anonymize",
    response="contact.anonymized",
    desk=Desk(fields=("force",), is_final=True),
)
def anonymize_contact(db, id, body):
    """Remove the personal data of the contact permanently, from all records (GDPR Art. 17).

    Invoices and signed contracts that the law requires to be kept stay until their retention period
    ends. `kept` lists them. While the contact owes or is owed money, this is 409 `open_invoices`,
    unless `force` is true.
    """
    contact = erasing.anonymize(db, get(db, id), force=body["force"])
    return Response({**contact, "kept": erasing.kept(db, id)}, has_etag=False)


def get(db, id):
    return found(contacts.get(db, id), "contact", id)


INCLUDES = {
    "categories": include_list("categories", sql.categories_of, "contact_id"),
    "events": include_list("events", sql.events_of, "contact_id"),
    "custom_fields": custom_fields.include("contact"),
}
