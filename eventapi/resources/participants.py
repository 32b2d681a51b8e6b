"""Participants: contacts that take part in an event."""

import json

from eventapi import money, times
from eventapi.calls import batches
from eventapi.domain.access import links, rights
from eventapi.domain.attachments import document_rows
from eventapi.domain.billing import bills
from eventapi.domain.entrance import badges
from eventapi.domain.halls import booth_rows
from eventapi.domain.people import badge_sheets, newcomers, participants, readiness
from eventapi.domain.people.participants import TRANSITIONS, represent
from eventapi.domain.portal import cancelling, granting, sending, staff
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import CATEGORY, CONTACT, EVENT, unknown
from eventapi.errors import invalid_parameter
from eventapi.plugins.access import may_read, require_flag, require_scope, require_scopes
from eventapi.storage import folding
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.includes import (
    allowed_actions,
    attach_list,
    attach_one,
    ids_of,
    include_found,
    include_one,
)
from eventapi.web.lists import one, page
from eventapi.web.rest import (
    Response,
    base_url,
    created,
    drawn,
    found,
    mail_base_url,
    picture,
    require_match,
)
from eventapi.web.routes import Desk, Routes

routes = Routes("participants", "participant", scope="participants", states=(TRANSITIONS,))
sql = statements("participants")


EXHIBITING = ("exhibitor", "co_exhibitor", "sponsor")
# what `lacks` may name beside the parts of the checklist and submission:KEY
OF_ENTRY = ("logo", "display_name", "address", "link")
SUBMISSION = "submission:"


@routes.list("/participants", query="participant.query")
def list_participants(db, who, query):
    """List participants.

    `balance`, as a filter and as an include, needs the scope `invoices:read` as well, `wish`, as an
    include and in `sort`, needs `applications:read`, `has_link` and `lacks=link` need `links:read`,
    and `is_waitlisted` needs `booths:read`. With `booths:read`, the include `booths` has those that
    are only held, too.
    """
    require_scopes_of(who, query)
    query = custom_fields.filters(
        db, "event_participant", references.filters(db, query, EVENT, CONTACT, CATEGORY)
    )
    if "badge_number" in query:
        query["badge_number"] = badges.normal(query["badge_number"])
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    for name in ("role", "status"):
        values = query.pop(name, ())
        if len(values) == 1:
            query[name] = values[0]
        elif values:
            query[f"{name}_in"] = as_json(values)
    if "lacks" in query:
        query |= lacking(db, query)
    query |= {"now": times.now(), "today": times.today(db.config.timezone)}

    def totals(rows):
        if not may_read(who, "invoices") or "invoices" in who.disabled_flags:
            return {}
        return money.by_currency(rows(sql.totals), ("invoiced", "open"), db.config.currency)

    with db.snapshot():
        if query.get("totals") and is_of_few(query):
            query = found_once(db, query)
        return page(db, sql.list, query, represent, includes(who), totals)


def is_of_few(query):
    """Return whether a list looks up the readiness of the exhibitors of one event: thousands at most."""
    roles = json.loads(query.get("role_in", "[]")) or [query.get("role")]
    looks_up = "ready" in query or "part" in query
    return looks_up and "event_id" in query and set(roles) <= set(EXHIBITING)


def found_once(db, query):
    """Return a query with `ids` in place of `ready` and `lacks`: the page, its number of rows and its
    totals then look up no readiness again. Call this inside a snapshot.
    """
    values = {name: value for name, value in query.items() if value is not None}
    if "ids" in values:
        values["ids"] = as_json(values["ids"])
    rows = db.rows(sql.list.totals(sql.ids, frozenset(values)), values)
    kept = {name: value for name, value in query.items() if name not in ("ready", "lacks", "part")}
    return {**kept, "ids": [row["id"] for row in rows]}


def require_scopes_of(who, query):
    """Raise 403 unless the key may read the records that filters, includes and sort ask about."""
    if "balance" in query or "balance" in query.get("include", ()):
        require_flag(who, "invoices")
        require_scope(who, "invoices", writes=False)
    if "wish" in query.get("include", ()) or query.get("sort") == "wish":
        require_scope(who, "applications", writes=False)
    if "has_link" in query or query.get("lacks") == "link":
        require_scope(who, "links", writes=False)
    if "is_waitlisted" in query:
        require_flag(who, "booths")
        require_scope(who, "booths", writes=False)


def lacking(db, query):
    """Return the filters that `lacks` stands for.

    Raise 422 if it names an unknown type of submissions.
    """
    lacks = query["lacks"]
    if lacks.startswith(SUBMISSION):
        key = lacks.removeprefix(SUBMISSION)
        if db.value(sql.knows_submission, key=key) is None:
            raise invalid_parameter("lacks", "unknown", unknown("type_key", key))
        return {"submission": key}
    if lacks not in OF_ENTRY:
        return {"part": 1}
    filters = {"of_exhibitors": 1}
    if lacks in ("logo", "address"):
        filters[lacks] = 1
    else:
        name = "has_link" if lacks == "link" else "is_named"
        filters[name] = -1 if query.get(name) == 1 else 0  # -1: nobody has one and lacks it
    return filters


@routes.post("/participants", schema="participant")
def create_participant(db, who, body):
    """Create a participant.

    `contact` in place of `contact_id` creates its contact in the same transaction. The key needs the
    scope `contacts` for it.
    """
    is_named = body["contact_id"] is not None or body["customer_number"] is not None
    if is_named or body["contact"] is None:
        return created(participants.create(db, body), "/participants")
    require_scope(who, "contacts", writes=True)
    return created(newcomers.create(db, body), "/participants")


@routes.get("/participants/<id>", query="participant.one")
def get_participant(db, who, id, query):
    require_scopes_of(who, query)
    return one(db, get(db, id), query, includes(who))


@routes.update("/participants/<id>", schema="participant")
def update_participant(db, id, body):
    return participants.update(db, require_match(get(db, id)), body)


@routes.delete("/participants/<id>")
def delete_participant(db, id):
    require_match(get(db, id))
    participants.delete(db, id)


@routes.post("/participants/<id>/confirm", desk=Desk(batch=(), undo="unconfirm_participant"))
def confirm_participant(db, id):
    return participants.move(db, get(db, id), "confirm")


@routes.post("/participants/<id>/unconfirm", desk=Desk())
def unconfirm_participant(db, id):
    """Withdraw a confirmation."""
    return participants.move(db, get(db, id), "unconfirm")


@routes.post(
    "/participants/<id>/cancel",
    schema="participant.cancel",
    rolls_back=True,
    desk=Desk(
        fields=("reason", "invoices", "mail"),
        is_final=True,
        batch=("reason", "invoices", "mail"),
    ),
)
def cancel_participant(db, who, id, body):
    """Cancel a participation.

    Its booth reservations, its draft and submitted service orders, and its sessions are released.
    Confirmed service orders stay: `open.service_order_ids` in meta holds their ids. Complete or
    cancel these one by one. The people whose host it is stay as well: `open.participant_ids` holds
    their ids. Invoices stay, too, unless `invoices` is `credit`: `credit_note_ids` in meta holds the
    ids of the drafts of credit notes, `credited` their sums.
    """
    is_credited = body["invoices"] == "credit"
    if is_credited:
        require_credit(who)
    participant, credit_notes, mail = cancelling.cancel(
        db, get(db, id), reason=body["reason"], mail=body["mail"], credits=is_credited
    )
    meta = {
        "open": {
            "service_order_ids": db.values(sql.confirmed_orders, id=id),
            "participant_ids": db.values(sql.hosted, id=id),
        },
        "credit_note_ids": [note["id"] for note in credit_notes],
        "credited": cancelling.credited(credit_notes),
    }
    if mail:
        meta["mail"] = mail
    return Response(participant, meta=meta)


def require_credit(who):
    """Raise 403 unless the key may draft credit notes."""
    require_flag(who, "invoices")
    require_scope(who, "invoices", writes=True)


@routes.post("/participants/<id>/reinstate", desk=Desk())
def reinstate_participant(db, id):
    """Withdraw a cancellation."""
    return participants.move(db, get(db, id), "reinstate")


@routes.get("/participants/<id>/readiness", response="participant.readiness")
def get_participant_readiness(db, id):
    """Get the checklist of what the participant still has to do before the event.

    Contract, submissions, booth, services, invoice, payment, badge and category, each with its
    state and due date. `ready` is true once nothing is open or blocked.
    """
    get(db, id)
    return readiness.checklists(db, [id])[id]


@routes.get("/participants/<id>/badge", query="participant.badge", forms=badge_sheets.FORMS)
def get_participant_badge(db, id, query, form):
    """Draw the badge as a card of 86 by 54 mm with a QR code of its number, as SVG or PDF."""
    badge = found(badge_sheets.read(db, id, query.get("language")), "participant", id)
    return picture(badge, form, lambda: badge_sheets.draw(db.config, badge, form))


@routes.post("/participants/<id>/badge/replace", desk=Desk())
def replace_participant_badge(db, id):
    """Replace a lost badge.

    Returns the participant with a new `badge_number`. From now on, the old number is refused with
    `badge_replaced`, and so are the numbers that a merge of contacts added. Scans that a device
    made offline before the replacement count.
    """
    return participants.replace_badge(db, get(db, id))


@routes.get("/participants/badges", query="participant.badges", forms=(badge_sheets.PDF,))
def get_participant_badge_sheets(db, query):
    """Draw badges on A4 sheets with crop marks, ten on each, in the order of the participants' ids.

    Cancelled participants are left out. A document has at most 200 badges: request more with
    `page`.
    """
    chosen = badge_sheets.chosen(db, references.filters(db, query, EVENT))
    return drawn(
        [query, chosen], badge_sheets.PDF, lambda: badge_sheets.draw_sheets(db.config, chosen)
    )


@routes.get("/participants/<id>/balance", response="participant.balance")
def get_participant_balance(db, id):
    """Get the amounts that were ordered, billed and paid.

    In the tenant's currency, and in `balances` once per currency. `unbilled` is what POST
    /participants/{id}/invoice would bill now.
    """
    return bills.balance(db, get(db, id))


@routes.post(
    "/participants/<id>/invoice",
    scope="invoices",
    flag="invoices",
    singular="invoice",
    status=201,
    desk=Desk(batch=(), undo_new="delete_invoice"),
)
def create_participant_invoice(db, id):
    """Draft an invoice of everything not billed yet, and credit notes of what was billed and then
    cancelled.

    One invoice contains the category fee, confirmed reservations and the items of confirmed orders.
    It is returned, and `credit_notes` in meta holds the ids of the credit notes. Lines that are not
    subject to VAT (category O) have an invoice of their own, and `further_invoice_ids` in meta holds
    the id of the second one. Without an invoice, the first credit note is returned. Each line names
    the event, whose days are the service period. If a draft is outdated, refresh, change or delete
    it first. `warnings` in meta has `no_tax_rate` where the option `tax_rate` must be set before the
    draft is sent.
    """
    made = bills.bill(db, get(db, id))
    credit_notes = [invoice["id"] for invoice in made if invoice["invoice_type"] == "credit_note"]
    further = [invoice["id"] for invoice in made[1:] if invoice["id"] not in credit_notes]
    meta = {"credit_notes": credit_notes, "further_invoice_ids": further}
    warnings = bills.warnings(db.config, made)
    if warnings:
        meta["warnings"] = warnings
    return created(made[0], "/invoices", meta=meta)


@routes.post(
    "/participants/<id>/link",
    schema="participant.link",
    scope="links",
    flag="pages",
    singular="link",
    status=201,
    again=200,
    desk=Desk(fields=(), batch=(), undo_new="revoke_link", undo_body={"undo": True}),
)
def create_participant_link(db, who, id, body):
    """Give the contact of a participant access to the pages of the exhibitor.

    Creates a link for the contact unless there is a live one, and mails it. Returns 201 with the new
    link, whose `url` is in this response only, or 200 with the one that exists. An address whose
    link the office has revoked gets none: POST /links makes it one. The key needs the scopes that POST
    /links and POST /links/{id}/mail require.
    """
    get(db, id)
    link, secret = granting.of_contact(db, id), None
    if link is None:
        values = granting.prepared_for_contact(db, id)
        require_rights(who, values["rights"])
        link, secret = granting.create(db, "participant", values)
    else:
        require_rights(who, link["rights"])
        granting.refuse_ended(link)
    if body["mail"]:
        granting.mail(db, link, mail_base_url())
    shown = granting.represent(granting.get(db, link["id"]))
    if secret is None:
        return shown
    shown["url"] = links.address(base_url(), secret)
    return created(shown, "/links", secret="url")


def require_rights(who, given):
    """Raise 403 unless the key may hand out these rights of a participant's link."""
    require_scopes(who, rights.scopes("participant", given), writes=True)


@routes.post(
    "/participants/<id>/contract",
    schema="participant.contract",
    scope="documents",
    flag="documents",
    singular="document",
    status=201,
    desk=Desk(batch=("template_key", "mail")),
)
def create_participant_contract(db, who, id, body):
    """Make a contract of a participant from a template, and request its signature.

    The key needs the scope `participants:read` as well. With `mail`, each person who may accept it on
    the pages of the exhibitor gets a link to it, with the PDF; if nobody may, the contact gets the
    PDF. `mail` in meta says whether a mail was queued. Refused with 409 `duplicate` while a contract
    of this template waits for its signature or is active.
    """
    require_scope(who, "participants", writes=False)
    row, mail = sending.send(
        db, get(db, id), body["template_key"], mail=body["mail"], base_url=mail_base_url()
    )
    return created(document_rows.represent(row), "/documents", meta={"mail": mail} if mail else {})


@routes.batch()
def batch_participants(who, body):
    """Create, confirm, cancel, bill, give access to or send contracts to many participants.

    Each entry succeeds or is refused by itself. The action `invoice` drafts an invoice for each
    participant; the key needs the scope `invoices` as well, and so does `cancel` with `invoices` as
    `credit`. The action `link` needs the scopes of POST /participants/{id}/link,
    and `contract` those of POST /participants/{id}/contract.
    """
    if body["fields"].get("invoices") == "credit":
        require_credit(who)
    return batches.run(routes, who, body)


def get(db, id):
    return found(participants.get(db, id), "participant", id)


def include_booths(reads_booths):
    """Return the function of `include=booths`: confirmed booths, and held ones if the key reads
    reservations.
    """

    def include(db, records):
        rows = db.all(sql.booths_of, ids=ids_of(records), reads_booths=reads_booths)
        attach_list(records, "booths", rows, "participant_id")

    return include


def include_wish(reads_booths):
    """Return the function of `include=wish`: what the application of a participant wishes, with the
    size of its booth type if the key reads these.
    """

    def include(db, records):
        rows = db.all(sql.wishes_of, ids=ids_of(records), reads_booths=reads_booths)
        for row in rows:
            row["requested_area"] = money.unscaled(row["requested_area"], 3)
            row["usual_width"] = booth_rows.metres(row["usual_width"])
            row["usual_depth"] = booth_rows.metres(row["usual_depth"])
        attach_one(records, "wish", rows, "participant_id")

    return include


def balances_of(db, ids):
    """Return id -> the sums of the invoices of a participant: those in the currency of the organiser,
    and those of each other currency in `others`.
    """
    rows = db.all(sql.balances_of, ids=as_json(ids), today=times.today(db.config.timezone))
    of = {id: [] for id in ids}
    for row in rows:
        of[row.pop("participant_id")].append(row)
    return {id: money.by_currency(of[id], SUMS, db.config.currency) for id in ids}


def includes(who):
    """Return the functions of `include` for a key."""
    reads_booths = may_read(who, "booths") and "booths" not in who.disabled_flags
    return {
        **INCLUDES,
        "booths": include_booths(reads_booths),
        "wish": include_wish(reads_booths),
    }


SUMS = ("invoiced", "paid", "open", "overdue")
INCLUDES = {
    "contact": include_one("contact", sql.contacts_of, "participant_id"),
    "event": include_one("event", sql.events_of, "participant_id"),
    "category": include_one("category", sql.categories_of, "participant_id"),
    "readiness": include_found("readiness", readiness.checklists),
    "badge_quota": include_found("badge_quota", staff.quotas),
    "booths": include_booths(False),  # `includes` may replace these two
    "wish": include_wish(False),
    "balance": include_found("balance", balances_of),
    "custom_fields": custom_fields.include("event_participant"),
    "allowed_actions": allowed_actions(TRANSITIONS.of),
}
