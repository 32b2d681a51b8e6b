"""One exhibitor at the desk, with everything about it."""

from eventapi.domain.access import rights
from eventapi.pages.desk import actions, api, events, handing_in, labels, links, neighbours, taxes
from eventapi.pages.desk.applications import fields_of, notes
from eventapi.pages.desk.page import render_page
from eventapi.web.routes import Routes

routes = Routes(
    "desk-exhibitor",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

CONTACT = (
    "customer_number",
    "email",
    "invoice_email",
    "phone",
    "mobile",
    "address",
    "postal_code",
    "city",
    "country",
    "website",
    "tax_id",
    "language",
)
FEW = 20  # records of one kind on the page of an exhibitor
ASKED = 100  # submissions there: one for each type at most
HOSTS = ("exhibitor", "sponsor")  # roles whose booth co-exhibitors share
LIVE = ("pending", "confirmed")  # reservations that have a booth
SENT = ("pending_signature", "active")  # contracts that the exhibitor has
# Part of the readiness -> card of the page that has it.
CARDS = {
    "contract": "contracts",
    "submissions": "submissions",
    "booth": "booth",
    "services": "orders",
    "invoice": "account",
    "payment": "account",
    "badge": "contact",
}


@routes.get("/exhibitors/<id>")
def get_desk_exhibitor(db, request, id):
    """Return one participant: contact, booth, orders, documents, submissions, invoices, notes and
    tasks.
    """
    row = api.record(
        "get_participant",
        id,
        include=(
            *("contact", "event", "category", "readiness", "allowed_actions"),
            *(("wish",) if api.may(request, "applications") else ()),
        ),
    )
    contact = (
        api.read("get_contact", id=row["contact_id"]).data
        if api.may(request, "contacts")
        else row["contact"]
    )
    event = events.by_key(db, row["event_key"])

    def of(scope, name, resource, *, include=(), per_page=FEW, **query):
        """Return records of the participant with their buttons, or None without the scope.

        Those without `resource` get no buttons.
        """
        if not (api.may(request, scope) and api.may_call(request, name)):
            return None
        if resource is None:
            return api.rows(name, include=include, per_page=per_page, **query)[0]
        include = (*include, "allowed_actions")
        found, _ = api.rows(name, include=include, per_page=per_page, **query)
        return [with_buttons(request, resource, each) for each in found]

    mine = {"event_participant_id": id}
    orders = of(
        "service_orders", "list_service_orders", "service-orders", include=("items",), **mine
    )
    for order in orders or ():
        for item in order["items"]:
            is_open = order["status"] in ("submitted", "confirmed") and item["status"] in (
                "pending",
                "in_progress",
            )
            item["buttons"] = (
                actions.one(
                    request, "cancel_service_order_item", id=order["id"], item_id=item["id"]
                )
                if is_open
                else []
            )
    records = {
        "reservations": of(
            "booths", "list_booth_reservations", "booth-reservations", include=("booth",), **mine
        ),
        "orders": orders,
        "submissions": of("submissions", "list_submissions", "submissions", per_page=ASKED, **mine),
        "invoices": of("invoices", "list_invoices", None, **mine),
        "documents": of(
            "documents",
            "list_documents",
            "documents",
            entity_type="event_participant",
            entity_id=id,
        ),
        "bill": actions.one(request, "create_participant_invoice", id=id),
    }
    balance = None
    if records["invoices"] is not None:
        balance = api.read("get_participant_balance", id=id).data
        if balance["to_credit"] and not balance["unbilled"]:
            records["bill"] = [{**each, "label": "step_credit"} for each in records["bill"]]
    access = links.of(request, participant_id=id)
    contract = contract_of(request, row, records["documents"])
    wish = wish_of(request, row)
    return render_page(
        db,
        request,
        "exhibitor",
        menu="exhibitors",
        current=event,
        title=labels.named(contact),
        neighbours=neighbours.of(request, "list_participants", row["id"], "exhibitors"),
        row=row,
        contact=contact,
        contact_fields=CONTACT,
        buttons=actions.of(request, "participants", row),
        steps=steps_of(row, records),
        next_step=next_step(request, row, records, contract),
        contract=contract,
        wish=wish,
        balance=balance,
        hosted=hosted_by(request, row),
        host=host_of(request, row),
        may_see_logo=api.may_call(request, "get_participant_profile"),
        may_read_documents=api.may_call(request, "get_document_content"),
        free=free_booths(request, row, records["reservations"]),
        tasks=of("tasks", "list_tasks", "tasks", entity_type="event_participant", entity_id=id),
        links=access,
        links_title="access",
        give_access=access_of(request, row, contact, access),
        may_make=True,
        **new_link(row, contact, access),
        notes=notes(request, "event_participant", id),
        entity=("event_participant", id),
        history=history(request, "event_participant", id),
        requirements=handing_in.requirements_of(request, row, records["submissions"]),
        is_undecided=bool(records["bill"]) and taxes.is_undecided(db, request, [id]),
        replace=actions.one(request, "replace_participant_badge", id=id),
        **records,
    )


def steps_of(row, records):
    """Return the parts of the readiness, each with the `card` that it leads to.

    A part has no card if the person may not read what is on it.
    """
    hidden = {
        "contracts": records["documents"] is None,
        "submissions": records["submissions"] is None,
        "booth": records["reservations"] is None,
        "orders": records["orders"] is None,
        "account": records["invoices"] is None,
    }
    found = []
    for item in row["readiness"]["items"]:
        card = CARDS.get(item["item"])
        if card:
            found.append({**item, "card": None if hidden.get(card) else card})
    return found


def contract_of(request, row, documents):
    """Return how a contract is sent to a participant: the button, or {address, label} of the page of
    templates if there is none.

    None if the participation is cancelled, each contract was sent, or the person may not send one.
    """
    may_send = api.may_call(request, "create_participant_contract")
    if documents is None or row["status"] == "cancelled" or not may_send:
        return None
    keys = {key for key, _ in actions.contract_templates(request)}
    if not keys:
        return {"address": "setup/contracts", "label": "write_contract"}
    sent = {each["template_key"] for each in documents if each["contract_status"] in SENT}
    if keys <= sent:
        return None
    return actions.action(request, "create_participant_contract", id=row["id"])


def next_step(request, row, records, contract):
    """Return the first step that the office can do now, or None.

    It is a button as `actions.action` makes it, or {address, label} of a page that has it.
    """
    for button in actions.of(request, "participants", row):
        if button["name"] == "confirm_participant":
            return button
    left = {
        item["item"]: item
        for item in row["readiness"]["items"]
        if item["status"] in ("open", "blocked")
    }
    if "contract" in left:
        names = ("request_document_signature", "mark_document_signed")
        if found := first_button(records["documents"], names):
            return found
    if left.get("submissions", {}).get("code") == "in_review" and records["submissions"]:
        return {"address": "#submissions", "label": "step_review"}
    if "booth" in left:
        if found := first_button(records["reservations"], ("confirm_booth_reservation",)):
            return found
        if left["booth"]["code"] == "none" and records["reservations"] is not None:
            return {"address": "#booth", "label": "step_booth"}
    has_none = not any(each["is_contract"] for each in records["documents"] or ())
    if contract and contract.get("name") and has_none:
        return contract
    if "services" in left:
        names = ("confirm_service_order", "submit_service_order")
        if found := first_button(records["orders"], names):
            return found
    if "invoice" in left and records["invoices"] is not None:
        for invoice in records["invoices"]:
            if invoice["status"] == "draft":
                word = labels.of_kind("step_send", invoice)
                return {"address": f"invoices/{invoice['id']}", "label": word}
        if left["invoice"]["code"] == "unbilled" and records["bill"]:
            return records["bill"][0]
    if "payment" in left:
        for invoice in records["invoices"] or ():
            if invoice["open_amount"] > 0 and invoice["is_locked"]:
                return {"address": f"invoices/{invoice['id']}", "label": "step_pay"}
    return None


def first_button(rows, names):
    """Return the first of these buttons that a record has, or None."""
    for row in rows or ():
        for button in row["buttons"]:
            if button["name"] in names:
                return button
    return None


def wish_of(request, row):
    """Return what the application has asked for, or None.

    {id, area, message, answers}: `answers` are (label, value) of own questions.
    """
    if row["application_id"] is None or not api.may(request, "applications"):
        return None
    application = api.read("get_application", id=row["application_id"]).data
    custom = fields_of(request)
    return {
        "id": application["id"],
        "area": application["requested_area"],
        "message": application["message"],
        "answers": [
            (custom.get(name, name), value)
            for name, value in application["custom_fields"].items()
            if value not in (None, "", [])
        ],
    }


def hosted_by(request, row):
    """Return those who share the booth of an exhibitor, or None for other roles."""
    if row["role"] not in HOSTS:
        return None
    rows, _ = api.rows(
        "list_participants", include=("contact",), host_participant_id=row["id"], per_page=FEW
    )
    return rows


def host_of(request, row):
    """Return the exhibitor whose booth a co-exhibitor shares, or None."""
    if row["host_participant_id"] is None:
        return None
    return api.read("get_participant", id=row["host_participant_id"], include=("contact",)).data


def new_link(row, contact, access):
    """Return what the form for a further link begins with, and the word of its button.

    The first link is for the contact. Once it has one, a further one is for another person.
    """
    live = [each["email"] for each in access or () if each["status"] == "active"]
    has_own = contact["email"] in live
    return {
        "new_link": {
            "kind": "participant",
            "participant_id": row["id"],
            "email": None if has_own else contact["email"],
        },
        "make_word": "link_make_further" if live else "link_make",
        "make_help": "link_further" if live else None,
    }


def access_of(request, row, contact, access):
    """Return the button that mails the first link of an exhibitor, as a list.

    It is empty once the contact has a link or the office has revoked one, without an address, and for
    those who lack the scopes of the rights that the link would get.
    """
    if access is None or row["status"] == "cancelled" or not contact["email"]:
        return []
    own = [each for each in access if each["email"] == contact["email"]]
    if any(each["status"] == "active" or each["ended_by"] == "office" for each in own):
        return []
    given = rights.RIGHTS
    if api.may_call(request, "get_event_pages"):
        given = api.read("get_event_pages", id=row["event_id"]).data["my_rights"]
    if not links.may_reach(request, "participant", given):
        return []
    return actions.one(request, "create_participant_link", id=row["id"])


def free_booths(request, row, reservations):
    """Return the free booths that can be held for a participant without one, or None. Those of the
    size that the application wishes come first.
    """
    has_one = reservations is None or any(each["status"] in LIVE for each in reservations)
    if (
        has_one
        or row["status"] == "cancelled"
        or not api.may_call(request, "create_booth_reservation")
    ):
        return None
    free = actions.free_booths(row["event_id"])
    wish = row.get("wish")  # missing without the scope of applications
    if wish is None or wish["booth_type_name"] is None:
        return free
    return sorted(free, key=lambda booth: booth["booth_type_name"] != wish["booth_type_name"])


def with_buttons(request, resource, record):
    """Return a record with the actions that it allows as `buttons`.

    The record is from a list that was read with `allowed_actions`.
    """
    return {**record, "buttons": actions.of(request, resource, record)}


def history(request, kind, id):
    """Return the last entries of the audit log about a record, or None if the person may not read
    it.
    """
    if not api.may(request, "audit"):
        return None
    return api.rows("list_audit_entries", entity_type=kind, entity_id=id, per_page=10)[0]


@routes.get("/documents/<id>/file")
def get_desk_document_file(request, id):
    """Return the file of a document for download. One that is text is a PDF."""
    document = api.read("get_document", id=id).data
    form = "application/pdf" if document["filename"] is None else "*/*"
    response = api.read("get_document_content", id=id, form=form)
    response.headers["Cache-Control"] = "no-store"
    return response
