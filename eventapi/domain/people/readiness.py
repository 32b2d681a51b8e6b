"""Readiness: what stands between a participant and the show, computed from records."""
import json

from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("readiness")


def of(db, ids):
    """id -> {ready, items} for many participants at once."""
    return {facts["id"]: represent(facts) for facts in db.all(sql.facts, ids=as_json(ids))}


def represent(facts):
    items = checklist(facts)
    if facts["status"] == "cancelled":
        items = [{**item, "status": "blocked", "due": None, "detail": "the participation is cancelled"} for item in items]
    return {"ready": all(item["status"] == "done" for item in items), "items": items}


def checklist(facts):
    """The items; the view `readiness` says the same in one word, for the filter."""
    required = json.loads(facts["required_submissions"])
    asked = [contract(facts)] if facts["contracts"] else []
    if facts["is_guest"]:
        return [*asked, *([submissions(required)] if required else []), badge(facts)]
    return [*asked, submissions(required), booth(facts), services(facts), invoice(facts), payment(facts), badge(facts)]


def entry(name, status, detail, due=None):
    return {"item": name, "status": status, "due": due, "detail": detail}


def contract(facts):
    """Only for those who have one: not every event uses contracts."""
    return entry("contract", "open" if facts["has_open_contract"] else "done", facts["contracts"])


def submissions(required):
    """Of those that the event cannot do without; the earliest due date is named."""
    left = [asked for asked in required if not asked["is_done"]]
    rejected = [asked["title"] for asked in left if asked["is_rejected"]]
    missing = [asked["title"] for asked in left if not asked["is_in_review"]]
    due = min((asked["due_at"] for asked in left if asked["due_at"]), default=None)
    if rejected:
        return entry("submissions", "blocked", f"rejected: {', '.join(rejected)}", due)
    if missing:
        return entry("submissions", "open", f"missing: {', '.join(missing)}", due)
    if left:
        return entry("submissions", "open", "all is submitted, a review is waited for", due)
    return entry("submissions", "done", "all that is required is there" if required else "nothing is required")


def booth(facts):
    if facts["booth_numbers"]:
        return entry("booth", "done", f"confirmed: {facts['booth_numbers']}")
    if facts["has_booth"]:
        return entry("booth", "done", "needs none of its own")
    held = facts["held_until"]
    return entry("booth", "open", "held, not confirmed" if held else "no booth is reserved", held)


def services(facts):
    if facts["has_open_order"]:
        return entry("services", "open", "an order waits to be submitted or confirmed", facts["order_deadline"])
    return entry("services", "done", "no order waits")


def invoice(facts):
    if facts["has_unbilled"]:
        return entry("invoice", "open", "something is to be billed or credited")
    if facts["has_draft"]:
        return entry("invoice", "open", "a draft waits to be sent")
    if not facts["has_booth"] or facts["has_open_order"]:
        return entry("invoice", "blocked", "booth and services come first")
    return entry("invoice", "done", "all is billed")


def payment(facts):
    if facts["owes"]:
        return entry("payment", "open", "an invoice is not paid in full", facts["payment_due"])
    if invoice(facts)["status"] != "done":
        return entry("payment", "blocked", "the invoice comes first")
    return entry("payment", "done", "nothing is open")


def badge(facts):
    if facts["status"] == "confirmed":
        return entry("badge", "done", "the participation is confirmed", facts["date_from"])
    return entry("badge", "open", "the participation is not confirmed", facts["date_from"])
