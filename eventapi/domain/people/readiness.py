"""Readiness: the checklist of what a participant still has to do before the event, computed from
other records.
"""

import json

from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("readiness")


def checklists(db, ids):
    """Return id -> `{ready, items}` for the participants with these ids."""
    return {facts["id"]: represent(facts) for facts in db.all(sql.facts, ids=as_json(ids))}


def represent(facts):
    """Turn a row of the statement `facts` into the API object.

    For a cancelled participant, every item that it would need is blocked.
    """
    items = checklist(facts)
    if facts["status"] == "cancelled":
        items = [
            item
            if item["status"] == "not_required" or item["item"] == "category"
            else _item(item["item"], "blocked", "cancelled", "the participation is cancelled")
            for item in items
        ]
    return {
        "ready": all(item["status"] in ("done", "not_required") for item in items),
        "items": items,
    }


def checklist(facts):
    """Return the eight items of the checklist.

    The view `readiness` of the database computes the same in one column, for the filter `ready`.
    """
    required = json.loads(facts["required_submissions"])
    if facts["is_guest"]:
        business = [
            _item(
                name,
                "not_required",
                "other_role",
                f"does not concern the role {facts['role']}",
                role=facts["role"],
            )
            for name in ("booth", "services", "invoice", "payment")
        ]
    else:
        business = [_booth(facts), _services(facts), _invoice(facts), _payment(facts)]
    return [_contract(facts), _submissions(required), *business, _badge(facts), _category(facts)]


def _item(name, status, code, detail, due=None, **data):
    """Return an item. `code` and `data` are for programs, `detail` is for people."""
    return {
        "item": name,
        "status": status,
        "code": code,
        "due": due,
        "detail": detail,
        "data": data,
    }


def _contract(facts):
    contracts = json.loads(facts["contracts"])
    if not contracts:
        return _item("contract", "not_required", "no_contract", "there is no contract")
    detail = ", ".join(
        f"{contract['document_number']} {contract['contract_status'].replace('_', ' ')}"
        for contract in contracts
    )
    status, code = ("open", "not_active") if facts["has_open_contract"] else ("done", "active")
    return _item("contract", status, code, detail, contracts=contracts)


def _submissions(required):
    """Return the item for the required submissions, with the earliest due date of those that are
    not done.
    """
    left = [submission for submission in required if not submission["is_done"]]
    rejected = [submission["title"] for submission in left if submission["is_rejected"]]
    missing = [submission["title"] for submission in left if not submission["is_in_review"]]
    due = min((submission["due_at"] for submission in left if submission["due_at"]), default=None)
    if rejected:
        return _item(
            "submissions",
            "blocked",
            "rejected",
            f"rejected: {', '.join(rejected)}",
            due,
            titles=rejected,
        )
    if missing:
        return _item(
            "submissions", "open", "missing", f"missing: {', '.join(missing)}", due, titles=missing
        )
    if left:
        return _item(
            "submissions",
            "open",
            "in_review",
            "everything is submitted and awaits review",
            due,
            titles=[submission["title"] for submission in left],
        )
    if not required:
        return _item("submissions", "not_required", "nothing_required", "nothing is required")
    return _item("submissions", "done", "approved", "everything required is approved")


def _booth(facts):
    numbers = json.loads(facts["booth_numbers"])
    if numbers:
        return _item(
            "booth", "done", "confirmed", f"confirmed: {', '.join(numbers)}", booth_numbers=numbers
        )
    if facts["has_booth"]:
        return _item("booth", "not_required", "not_needed", "needs no booth of its own")
    held = facts["held_until"]
    if held:
        return _item("booth", "open", "held", "a booth is held, but not confirmed", held)
    return _item("booth", "open", "none", "no booth is reserved")


def _services(facts):
    if facts["has_open_order"]:
        return _item(
            "services",
            "open",
            "open_order",
            "an order has not been submitted or confirmed yet",
            facts["order_deadline"],
        )
    if not facts["has_order"]:
        return _item("services", "not_required", "no_order", "nothing is ordered")
    return _item("services", "done", "confirmed", "every order is confirmed")


def _invoice(facts):
    if facts["has_unbilled"]:
        return _item("invoice", "open", "unbilled", "something has to be billed or credited")
    if facts["has_draft"]:
        return _item("invoice", "open", "draft", "a draft has not been sent")
    if not facts["has_booth"] or facts["has_open_order"]:
        return _item(
            "invoice", "blocked", "not_confirmed", "booth and services must be confirmed first"
        )
    return _item("invoice", "done", "billed", "everything is billed")


def _payment(facts):
    if facts["owes"]:
        return _item(
            "payment", "open", "unpaid", "an invoice is not paid in full", facts["payment_due"]
        )
    if _invoice(facts)["status"] != "done":
        return _item("payment", "blocked", "not_invoiced", "the invoice must be sent first")
    return _item("payment", "done", "paid", "no invoice is unpaid")


def _badge(facts):
    if facts["status"] == "confirmed":
        return _item(
            "badge", "done", "confirmed", "the participation is confirmed", facts["date_from"]
        )
    return _item(
        "badge", "open", "not_confirmed", "the participation is not confirmed", facts["date_from"]
    )


def _category(facts):
    """Return the item for the category, from which the fee follows.

    It is never open: a participant may have none.
    """
    key = facts["category_key"]
    if key:
        return _item("category", "done", "assigned", f"assigned: {key}", category_key=key)
    if facts["is_guest"]:
        return _item("category", "not_required", "no_category", "there is no category")
    return _item(
        "category", "not_required", "no_category", "there is no category, so no fee is billed"
    )
