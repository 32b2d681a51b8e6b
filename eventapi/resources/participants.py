"""Participants: contacts that take part in an event."""
from bottle import request

from eventapi.domain.billing import claims
from eventapi.domain.entrance import badges
from eventapi.domain.people import badge_sheets, readiness
from eventapi.domain.people import participants as participation
from eventapi.domain.people.participants import TRANSITIONS, represent
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import CATEGORY, CONTACT, EVENT
from eventapi.errors import Faults
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import Response, created, deleted, drawn, found, location, one, page, picture, unchanged
from eventapi.web.routes import Routes

routes = Routes("participants", "participant", scope="participants", states=(TRANSITIONS,))
sql = statements("participants")


@routes.list("/participants", query="participant.query")
def list_participants(db, query):
    query = custom_fields.filters(db, "event_participant", references.filters(db, query, EVENT, CONTACT, CATEGORY))
    if "badge_number" in query:
        query["badge_number"] = badges.normal(query["badge_number"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/participants", schema="participant")
def create_participant(db, body):
    ids, fields = named(db, body, {})
    participant = participation.add(db, **ids, fields=fields, role=body["role"], badge_name=body["badge_name"],
                                    confirmed=body["is_confirmed"])
    return created(participant, f"/participants/{participant['id']}")


@routes.get("/participants/<id>", query="participant.one")
def get_participant(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/participants/<id>", schema="participant")
def update_participant(db, id, body):
    old = unchanged(get(db, id))
    is_confirmed = body.pop("is_confirmed", old["is_confirmed"])
    ids, fields = named(db, body, old["custom_fields"])
    new = participation.change(db, old, {**old, **body, **ids, "custom_fields": fields})
    if is_confirmed != old["is_confirmed"]:
        new = participation.move(db, new, "confirm" if is_confirmed else "unconfirm")
    return new


@routes.delete("/participants/<id>")
def delete_participant(db, id):
    unchanged(get(db, id))
    participation.remove(db, id)
    return deleted()


@routes.post("/participants/<id>/confirm")
def confirm_participant(db, id):
    return participation.move(db, get(db, id), "confirm")


@routes.post("/participants/<id>/unconfirm")
def unconfirm_participant(db, id):
    """Takes a confirmation back."""
    return participation.move(db, get(db, id), "unconfirm")


@routes.post("/participants/<id>/cancel")
def cancel_participant(db, id):
    return participation.move(db, get(db, id), "cancel")


@routes.post("/participants/<id>/reinstate")
def reinstate_participant(db, id):
    """Takes a cancellation back."""
    return participation.move(db, get(db, id), "reinstate")


@routes.get("/participants/<id>/readiness", response="participant.readiness")
def get_readiness(db, id):
    """What stands between the participant and the show."""
    get(db, id)
    return readiness.of(db, [id])[id]


@routes.get("/participants/<id>/badge", query="participant.badge", forms=badge_sheets.FORMS)
def get_badge(db, id, query):
    """The badge as a card of 86 by 54 mm with a QR code of its number, as SVG or PDF."""
    form, badge = request.environ["eventapi.form"], found(badge_sheets.read(db, id), "participant", id)
    return picture([query, badge], form, lambda: badge_sheets.draw(badge, form, query["language"]))


@routes.get("/participants/badges", query="participant.badges", forms=(badge_sheets.PDF,))
def print_badges(db, query):
    """Badges on sheets of A4 with crop marks, ten on each, in the order of their participants' ids.

    Those who have cancelled are left out. More than 200 come in pieces: 422 says how many.
    """
    chosen = badge_sheets.chosen(db, references.filters(db, query, EVENT))
    return drawn([query, chosen], badge_sheets.PDF, lambda: badge_sheets.draw_sheets(chosen, query["language"]))


@routes.get("/participants/<id>/balance", response="participant.balance")
def get_balance(db, id):
    """What was ordered, billed and paid."""
    return claims.balance(db, get(db, id))


@routes.post("/participants/<id>/invoice", scope="invoices", flag="invoices", singular="invoice", status=201)
def bill_participant(db, id):
    """Drafts the invoice of what is not billed yet, and credit notes of what was billed and then cancelled; nothing twice.

    Category fee, confirmed reservations and the items of confirmed orders stand on one invoice; it is the answer, and
    `credit_notes` in meta has the ids of the credit notes. Where there is nothing to invoice the first credit note is the answer.
    """
    made = claims.bill(db, get(db, id))
    credit_notes = [invoice["id"] for invoice in made if invoice["invoice_type"] == "credit_note"]
    return Response(made[0], 201, {"Location": location(f"/invoices/{made[0]['id']}")}, {"credit_notes": credit_notes})


def get(db, id):
    return found(participation.get(db, id), "participant", id)


def named(db, body, stored):
    """The ids of the records that a body names by id or by key, and the custom fields after it."""
    faults = Faults()
    ids = {reference[0]: references.resolve(db, body, reference, faults) for reference in (EVENT, CONTACT, CATEGORY)
           if any(member in body for member, _ in reference[1])}
    fields = custom_fields.checked(db, "event_participant", body, stored, faults)
    faults.raise_any()
    return ids, fields


def include_contact(db, participants):
    attach(db, sql.contacts_of, participants, "contact")


def include_event(db, participants):
    attach(db, sql.events_of, participants, "event")


def include_category(db, participants):
    attach(db, sql.categories_of, participants, "category")


def include_readiness(db, participants):
    found = readiness.of(db, [participant["id"] for participant in participants])
    for participant in participants:
        participant["readiness"] = found[participant["id"]]


def include_allowed_actions(_, participants):
    for participant in participants:
        participant["allowed_actions"] = TRANSITIONS.actions(participant["status"])


def attach(db, statement, participants, member):
    """Adds the record that each participant refers to; null where there is none."""
    rows = db.all(statement, ids=as_json([participant["id"] for participant in participants]))
    parts = {row.pop("participant_id"): row for row in rows}
    for participant in participants:
        participant[member] = parts.get(participant["id"])


INCLUDES = {"contact": include_contact, "event": include_event, "category": include_category,
            "readiness": include_readiness, "custom_fields": custom_fields.include("event_participant"), "allowed_actions": include_allowed_actions}
