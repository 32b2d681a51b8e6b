"""Readiness: the checklist of what a participant still has to do before the event, computed from other records."""
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
        items = [item if item["status"] == "not_required" else
                 {**item, "status": "blocked", "due": None, "detail": "the participation is cancelled"}
                 for item in items]
    return {"ready": all(item["status"] in ("done", "not_required") for item in items), "items": items}


def checklist(facts):
    """Return the seven items of the checklist.

    The view `readiness` of the database computes the same in one column, for the filter `ready`.
    """
    required = json.loads(facts["required_submissions"])
    if facts["is_guest"]:
        business = [_not_required(name, f"does not concern the role {facts['role']}")
                    for name in ("booth", "services", "invoice", "payment")]
    else:
        business = [_booth(facts), _services(facts), _invoice(facts), _payment(facts)]
    return [_contract(facts), _submissions(required), *business, _badge(facts)]


def _item(name, status, detail, due=None):
    return {"item": name, "status": status, "due": due, "detail": detail}


def _not_required(name, detail):
    return _item(name, "not_required", detail)


def _contract(facts):
    if not facts["contracts"]:
        return _not_required("contract", "there is no contract")
    return _item("contract", "open" if facts["has_open_contract"] else "done", facts["contracts"])


def _submissions(required):
    """Return the item for the required submissions, with the earliest due date of those that are not done."""
    left = [submission for submission in required if not submission["is_done"]]
    rejected = [submission["title"] for submission in left if submission["is_rejected"]]
    missing = [submission["title"] for submission in left if not submission["is_in_review"]]
    due = min((submission["due_at"] for submission in left if submission["due_at"]), default=None)
    if rejected:
        return _item("submissions", "blocked", f"rejected: {', '.join(rejected)}", due)
    if missing:
        return _item("submissions", "open", f"missing: {', '.join(missing)}", due)
    if left:
        return _item("submissions", "open", "everything is submitted and awaits review", due)
    if not required:
        return _not_required("submissions", "nothing is required")
    return _item("submissions", "done", "everything required is approved")


def _booth(facts):
    if facts["booth_numbers"]:
        return _item("booth", "done", f"confirmed: {facts['booth_numbers']}")
    if facts["has_booth"]:
        return _not_required("booth", "needs no booth of its own")
    held = facts["held_until"]
    return _item("booth", "open", "a booth is held, but not confirmed" if held else "no booth is reserved", held)


def _services(facts):
    if facts["has_open_order"]:
        return _item("services", "open", "an order has not been submitted or confirmed yet", facts["order_deadline"])
    if not facts["has_order"]:
        return _not_required("services", "nothing is ordered")
    return _item("services", "done", "every order is confirmed")


def _invoice(facts):
    if facts["has_unbilled"]:
        return _item("invoice", "open", "something has to be billed or credited")
    if facts["has_draft"]:
        return _item("invoice", "open", "a draft has not been sent")
    if not facts["has_booth"] or facts["has_open_order"]:
        return _item("invoice", "blocked", "booth and services must be confirmed first")
    return _item("invoice", "done", "everything is billed")


def _payment(facts):
    if facts["owes"]:
        return _item("payment", "open", "an invoice is not paid in full", facts["payment_due"])
    if _invoice(facts)["status"] != "done":
        return _item("payment", "blocked", "the invoice must be sent first")
    return _item("payment", "done", "no invoice is unpaid")


def _badge(facts):
    if facts["status"] == "confirmed":
        return _item("badge", "done", "the participation is confirmed", facts["date_from"])
    return _item("badge", "open", "the participation is not confirmed", facts["date_from"])
