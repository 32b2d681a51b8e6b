"""The examples of responses to actions: the record as it is afterwards, by the state tables."""

from eventapi.reference.descriptions import action, tables
from eventapi.validation import examples
from eventapi.web.routes import Route

MOMENT = examples.SAMPLES["date-time"]
# Name of a state table -> field of the record that has its state, where that is not `status`
FIELDS = {"contract": "contract_status", "signature": "esign_status"}
DECIDED = {"decided_at": MOMENT, "decided_by": 1}
REVIEWED = {"reviewed_at": MOMENT, "reviewed_by": 1, "reviewed_by_name": "Ada Lovelace"}
DIGEST = "93391db2468250a6d08ab5ea8c5895da32ff7fb9fe49cc6829fef7a9c2933a0d"
SENT = {
    "invoice_number": "INV-2027-00001",
    "issue_date": "2027-05-01",
    "due_date": "2027-05-15",
    "overdue_from": "2027-05-19",
    "tax_date": "2027-05-04",
    "tax_basis": "supply",
    "language": "de",
    "delivery": "queued",
    "is_locked": True,
    "locked_at": MOMENT,
    "xml_sha256": DIGEST,
    "payment_reference": "INV-2027-00001",
    "seller": {
        "name": "Messe Test GmbH",
        "street": "Am Markt 1",
        "postal_code": "04109",
        "city": "Leipzig",
        "country": "DE",
        "email": "office@messe.example",
        "contact": "Accounts",
        "phone": "+49 341 1234",
        "vat_id": "DE136695976",
        "tax_number": "231/1/2",
        "register_number": "HRB 4711",
        "register_court": "Amtsgericht Leipzig",
        "directors": "Ada Lovelace",
        "footer": None,
        "electronic_address": None,
        "iban": "DE02120300000000202051",
        "bic": "BYLADEM1001",
    },
    "buyer": {
        "name": "Rosen Tantau KG",
        "contact_name": "Ada Lovelace",
        "address": "Tornescher Weg 13",
        "postal_code": "25436",
        "city": "Uetersen",
        "state": None,
        "country": "DE",
        "language": "de",
        "vat_id": None,
        "is_business": True,
        "customer_number": "C-00001",
        "email": "ada@rosen.example",
        "leitweg_id": None,
        "gln": None,
        "electronic_address": None,
        "e_invoice_profile": "en16931",
    },
}
SUBMITTED = {"order_number": "SO-2027-00001", "submitted_at": MOMENT}
CONFIRMED = {**SUBMITTED, "confirmed_at": MOMENT}
NOTHING_LEFT = {"subtotal": 0, "tax_total": 0, "total": 0, "cancelled_at": MOMENT}
CONTRACT = {
    "title": "Exhibitor contract",
    "entity_type": "event_participant",
    "category_id": 1,
    "category_key": "contracts",
    "category_name": "Contracts",
    "template_id": 1,
    "template_key": "exhibitor-contract",
    "language": "de",
    "metadata": None,
    "filename": None,
    "content": "<h1>Exhibitor contract DOC-2026-00001</h1>",
    "is_contract": True,
    "requested_at": MOMENT,
    "requested_by": 1,
}
DRAWN = {
    **CONTRACT,
    "content_type": "application/pdf",
    "size": 44622,
    "sha256": DIGEST,
    "signature_sha256": DIGEST,
}
SIGNED = {
    **DRAWN,
    "esign_status": "signed",
    "signer_name": "Anna Gärtner",
    "signed_at": MOMENT,
    "signed_by": 1,
}
# (name of a state table, state) -> other fields of the record that have a value of their own then
MORE = {
    ("application", "approved"): {**DECIDED, "contact_id": 1, "customer_number": "C-00001"},
    ("application", "rejected"): {**DECIDED, "decision_reason": "The hall is full."},
    ("submission", "approved"): REVIEWED,
    ("submission", "rejected"): REVIEWED,
    ("submission", "revision_requested"): REVIEWED,
    ("invoice", "sent"): SENT,
    ("invoice", "cancelled"): {
        **SENT,
        "related_invoice_id": 2,
        "related_invoice_number": "CN-2027-00001",
        "credited": 2821.62,
        "open_amount": 0,
        "cancellation_reason": "Ordered twice",
    },
    ("service order", "submitted"): SUBMITTED,
    ("service order", "confirmed"): CONFIRMED,
    ("service order", "cancelled"): NOTHING_LEFT,
    ("item", "in_progress"): {**CONFIRMED, "status": "confirmed"},
    ("item", "completed"): {**CONFIRMED, "status": "completed", "completed_at": MOMENT},
    ("item", "cancelled"): {**CONFIRMED, **NOTHING_LEFT, "status": "cancelled"},
    ("contract", "draft"): CONTRACT,
    ("contract", "pending_signature"): DRAWN,
    ("contract", "active"): SIGNED,
    ("contract", "terminated"): {**SIGNED, "terminated_at": MOMENT, "terminated_by": 1},
}
# Handlers whose response the state tables do not imply -> fields of the record
OTHERS = {
    "assign_unmatched_payment": {
        "assigned_amount": 119,
        "open_amount": 0,
        "proposals": [],
        "assignments": [
            {
                "payment_id": 1,
                "refund_id": None,
                "invoice_id": 1,
                "invoice_number": "R-2026-00017",
                "amount": 119,
            }
        ],
    },
    "ignore_unmatched_payment": {
        "open_amount": 0,
        "proposals": [],
        "ignored_reason": "Fee of the bank",
    },
    "answer_application_question": {
        "status": "in_review",
        "question": examples.definition("application.request_info")["examples"][0]["question"],
        "answer": examples.definition("application.answer")["examples"][0]["answer"],
        "answered_at": MOMENT,
    },
    "remind_invoice": {"reminder_sent_at": MOMENT, "reminder_count": 1},
    "dispute_invoice": {
        "is_disputed": True,
        "disputed_at": MOMENT,
        "dispute_reason": examples.definition("invoice.dispute")["examples"][0]["reason"],
    },
    "offset_invoice": {**SENT, "status": "paid", "paid_amount": 2821.62, "open_amount": 0},
    "create_invoice_write_off": {
        "status": "sent",
        "written_off": 19.5,
        "open_amount": 2802.12,
        "write_offs": examples.definition("invoice.write_off_record")["examples"],
    },
    # Only a refund of everything that is left leads to `refunded`.
    "refund_payment": {
        "status": "completed",
        "refunded_amount": 20,
        "refunds": examples.definition("payment.refund_record")["examples"],
    },
    "credit_invoice": {
        "id": 2,
        "invoice_number": "CN-2027-00001",
        "invoice_type": "credit_note",
        "related_invoice_id": 1,
        "related_invoice_number": "INV-2027-00001",
        "subtotal": -379,
        "tax_total": -72.01,
        "total": -451.01,
        "open_amount": 0,
        "due_date": None,
        "overdue_from": None,
        "tax_date": None,
        "tax_basis": None,
        "text": None,
        "payment_reference": None,
        "items": [
            {
                **examples.response("invoice")["items"][0],
                "net": -379,
                "quantity": -2,
                "description": "Two square metres fewer than ordered",
            }
        ],
        "taxes": [
            {
                "category": "S",
                "rate": 19,
                "net": -379,
                "tax": -72.01,
                "reason": None,
                "reason_code": None,
            }
        ],
    },
}


def example(route: Route) -> dict | None:
    """Return the example of `data` in the JSON response of a route, None if its schema has none."""
    options = route.options
    record = examples.response(
        options.response or options.singular, listing=options.listing, secret=route.method == "POST"
    )
    possible = [states for states in tables(route) if states.table[action(route)][0]]
    if record is None or not possible:
        return record
    for states in possible:
        record = _moved(record, states, action(route))
    given = examples.body(options.schema, "POST") if options.schema else None
    stored = {
        field: value for field, value in (given or {}).items() if record.get(field, "") is None
    }
    return {**record, **stored, **OTHERS.get(route.handler.__name__, {})}


def _moved(record, states, name):
    """Return the record in the state after the action.

    If it does not change the state, the action must be possible.
    """
    allowed, end = states.table[name]
    field = FIELDS.get(states.noun, "status")
    state = end or (record[field] if record[field] in allowed else allowed[0])
    if states.noun == "item" or (states.noun, state) == ("service order", "cancelled"):
        record = {
            **record,
            "items": [
                {**item, **_in_state(item, field, state, states)} for item in record["items"]
            ],
        }
    if states.noun != "item":
        record = {**record, **_in_state(record, field, state, states)}
    return {**record, **MORE.get((states.noun, state), {})}


def _in_state(record, field, state, states):
    """Return the fields that follow from the state by their name: `cancelled_at`, `completed_by`,
    `is_confirmed`.
    """
    known = {f"is_{end}": end == state for _, end in states.table.values()}
    known |= {f"{state}_at": MOMENT, f"{state}_by": 1, field: state}
    return {name: value for name, value in known.items() if name in record}
