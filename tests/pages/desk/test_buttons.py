"""The buttons of records at the desk: those that the state of a record allows, and no others.

Each table has state -> buttons. The state is written down, too: see the functions that make the
records.
"""

import re

INVOICES = {
    "draft": "send_invoice refresh_invoice delete_invoice",
    "sent": "mail_invoice cancel_invoice dispute_invoice create_invoice_write_off",
    "overdue": "mail_invoice remind_invoice cancel_invoice dispute_invoice create_invoice_write_off",
    "disputed": "mail_invoice cancel_invoice dispute_invoice settle_invoice create_invoice_write_off",
    "partially_paid": "mail_invoice dispute_invoice create_invoice_write_off",
    "paid": "mail_invoice",
    "overpaid": "mail_invoice offset_invoice",
    "written_off": "mail_invoice",
    "cancelled": "mail_invoice",
    "credit note": "mail_invoice",
}
PAYMENTS = {
    "pending": "complete_payment cancel_payment delete_payment",
    "completed": "refund_payment delete_payment",
    "failed": "delete_payment",
    "cancelled": "delete_payment",
    "refunded": "delete_payment",
}
RESERVATIONS = {
    "pending": """confirm_booth_reservation cancel_booth_reservation extend_booth_reservation
        move_booth_reservation""",
    "confirmed": "cancel_booth_reservation move_booth_reservation swap_booth_reservation",
    "waitlisted": "cancel_booth_reservation",
    "cancelled": "",
}
APPLICATIONS = {
    "new": """review_application approve_application reject_application waitlist_application
        withdraw_application""",
    "in_review": """approve_application reject_application waitlist_application
        request_application_information withdraw_application""",
    "info_requested": "review_application withdraw_application",
    "waitlisted": "approve_application reject_application withdraw_application",
    "approved": "",
    "rejected": "",
    "withdrawn": "",
}
PARTICIPANTS = {
    "registered": """confirm_participant cancel_participant create_participant_invoice
        replace_participant_badge""",
    "confirmed": """unconfirm_participant cancel_participant create_participant_invoice
        replace_participant_badge""",
    "cancelled": "reinstate_participant create_participant_invoice replace_participant_badge",
}
TASKS = {
    "pending": "start_task complete_task cancel_task",
    "in_progress": "complete_task cancel_task",
    "completed": "reopen_task",
    "cancelled": "reopen_task",
}
ITEM = {"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 19}


def differing(office, table, noun, made):
    """Return state -> buttons of the records whose buttons are not those of the table.

    `made` is state -> (address of the page below /desk/, id of the record).
    """
    assert list(made) == list(table)
    found = {}
    for state, (address, id) in made.items():
        page = office.get(f"/desk/{address}").text
        buttons = set(re.findall(rf'/do/(\w*{noun}\w*)/{id}["?]', page))
        if buttons != set(table[state].split()):
            found[state] = sorted(buttons)
    return found


def test_an_invoice_has_the_buttons_of_its_state(office, organiser, fair, db):
    """Nobody can delete what was sent: its number would be missing in the series."""
    ids = {}
    for state in INVOICES:
        draft = {"contact_id": fair.contact["id"], "items": [ITEM]}
        ids[state] = organiser.make("/invoices", draft)["id"]
        if state not in ("draft", "credit note"):
            organiser.post(f"/invoices/{ids[state]}/send", {"mail": False}, status=200)
    db.connection.execute(
        "UPDATE invoices SET issue_date = '2026-01-01', due_date = '2026-01-08', "
        "overdue_from = '2026-01-09' WHERE id = ?",
        (ids["overdue"],),
    )
    for state, amount in (("partially_paid", 50), ("paid", 119), ("overpaid", 120)):
        number = organiser.data(f"/invoices/{ids[state]}")["invoice_number"]
        organiser.make("/payments", {"invoice_number": number, "amount": amount})
    organiser.post(f"/invoices/{ids['disputed']}/dispute", {"reason": "late"}, status=200)
    organiser.make(f"/invoices/{ids['written_off']}/write-offs", {"reason": "bankrupt"})
    organiser.post(f"/invoices/{ids['cancelled']}/cancel", {"reason": "withdrawn"}, status=200)
    of_part = {"items": [{**ITEM, "unit_price": 10}]}
    ids["credit note"] = organiser.make(f"/invoices/{ids['sent']}/credit", of_part)["id"]
    made = {state: (f"invoices/{id}", id) for state, id in ids.items()}
    assert differing(office, INVOICES, "invoice", made) == {}


def test_a_payment_has_the_buttons_of_its_state(office, organiser, fair):
    draft = {"contact_id": fair.contact["id"], "items": [ITEM]}
    invoice = organiser.make("/invoices", draft)
    sent = organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200)
    number, made = sent.json["data"]["invoice_number"], {}
    for state in PAYMENTS:
        status = "completed" if state in ("completed", "refunded") else "pending"
        fields = {"invoice_number": number, "amount": 10, "status": status}
        id = organiser.make("/payments", fields)["id"]
        if action := {"failed": "fail", "cancelled": "cancel", "refunded": "refund"}.get(state):
            organiser.post(f"/payments/{id}/{action}", status=200)
        assert organiser.data(f"/payments/{id}")["status"] == state
        made[state] = f"invoices/{invoice['id']}", id
    assert differing(office, PAYMENTS, "payment", made) == {}


def test_a_reservation_has_the_buttons_of_its_state(office, organiser, fair):
    other = organiser.make("/contacts", {"company_name": "Astern KG"})
    other = organiser.make("/participants", {"event_key": "fair", "contact_id": other["id"]})
    made, (first, second) = {}, (booth["id"] for booth in fair.booths)
    for state, booth, participant in (
        ("pending", first, fair.exhibitor),
        ("confirmed", second, fair.exhibitor),
        ("waitlisted", first, other),
        ("cancelled", second, other),
    ):
        fields = {"booth_id": booth, "event_participant_id": participant["id"], "waitlist": True}
        id = organiser.make("/booth-reservations", fields)["id"]
        if action := {"confirmed": "confirm", "cancelled": "cancel"}.get(state):
            organiser.post(f"/booth-reservations/{id}/{action}", status=200)
        assert organiser.data(f"/booth-reservations/{id}")["status"] == state
        made[state] = f"exhibitors/{participant['id']}", id
    assert differing(office, RESERVATIONS, "booth_reservation", made) == {}
    on_booths = {
        "pending": (f"booths/{first}", made["pending"][1]),
        "confirmed": (f"booths/{second}", made["confirmed"][1]),
        "waitlisted": (f"booths/{first}", made["waitlisted"][1]),
        "cancelled": (f"booths/{second}", made["cancelled"][1]),
    }
    assert differing(office, RESERVATIONS, "booth_reservation", on_booths) == {}


def test_an_application_has_the_buttons_of_its_state(office, organiser, fair):
    actions = {
        "in_review": ("review",),
        "info_requested": ("review", "request-info"),
        "waitlisted": ("waitlist",),
        "approved": ("approve",),
        "rejected": ("reject",),
        "withdrawn": ("withdraw",),
    }
    bodies = {"request-info": {"question": "Which size?"}, "reject": {"reason": "full"}}
    made = {}
    for state in APPLICATIONS:
        fields = {"company_name": f"{state} KG", "event_keys": ["fair"]}
        id = organiser.make("/applications", fields)["id"]
        for action in actions.get(state, ()):
            organiser.post(f"/applications/{id}/{action}", bodies.get(action), status=200)
        assert organiser.data(f"/applications/{id}")["status"] == state
        made[state] = f"applications/{id}", id
    assert differing(office, APPLICATIONS, "application", made) == {}


def test_a_participant_has_the_buttons_of_its_state(office, organiser, fair):
    made = {}
    for state in PARTICIPANTS:
        contact = organiser.make("/contacts", {"company_name": f"{state} KG"})
        fields = {"event_key": "fair", "contact_id": contact["id"]}
        id = organiser.make("/participants", fields)["id"]
        if action := {"confirmed": "confirm", "cancelled": "cancel"}.get(state):
            organiser.post(f"/participants/{id}/{action}", status=200)
        made[state] = f"exhibitors/{id}", id
    assert differing(office, PARTICIPANTS, "participant", made) == {}


def test_a_task_has_the_buttons_of_its_state(office, organiser, fair):
    made = {}
    for state in TASKS:
        about = {"entity_type": "event_participant", "entity_id": fair.exhibitor["id"]}
        id = organiser.make("/tasks", {"title": "Call", **about})["id"]
        action = {"in_progress": "start", "completed": "complete", "cancelled": "cancel"}.get(state)
        if action:
            organiser.post(f"/tasks/{id}/{action}", status=200)
        made[state] = f"exhibitors/{fair.exhibitor['id']}", id
    assert differing(office, TASKS, "task", made) == {}
