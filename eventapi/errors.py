"""Errors as the client sees them: problem documents (RFC 9457) with a code that never changes its meaning."""

# code -> (status, title, what it means and what to do). /problems/{code} shows this; a code once given is never reused.
CODES = {
    "malformed_json": (400, "Malformed JSON", "The body is not valid JSON: the detail says where reading stopped."),
    "malformed_request": (400, "Malformed request", "The request cannot be read, for instance because its address is not UTF-8."),
    "missing_credentials": (401, "Missing credentials", "Send the header Authorization: Bearer with your API key."),
    "invalid_api_key": (401, "Invalid API key", "The key is unknown, expired or revoked. Ask the organiser for a new one."),
    "insufficient_scope": (403, "Insufficient scope", "The key lacks the scope that the detail names. Ask for a key that has it."),
    "feature_disabled": (403, "Feature disabled", "The organiser switched this feature off (eventapi flag enable NAME)."),
    "plan_required": (403, "Plan required", "The API belongs to the plan tier Business+ (eventapi tier set Business+)."),
    "not_found": (404, "Not found", "There is nothing at this address, or the record was deleted."),
    "method_not_allowed": (405, "Method not allowed", "The header Allow lists the methods of this address."),
    "not_acceptable": (406, "Not acceptable", "None of the forms in the header Accept is offered here."),
    "body_too_large": (413, "Body too large", "Send less at once; the detail names the limit."),
    "unsupported_media_type": (415, "Unsupported media type", "Send the body as application/json in UTF-8, a picture as PNG, JPEG, GIF or WebP; nothing compressed."),
    "range_not_satisfiable": (416, "Range not satisfiable", "The file has no such part; Content-Range says how long it is."),
    "precondition_failed": (412, "Precondition failed", "The record changed since you read it. Read it again and repeat your change."),
    "validation_failed": (422, "Validation failed", "The member errors names every fault: mend all and send again."),
    "import_rejected": (422, "Import rejected", "A record is not right, and skip_on_error is false: nothing was imported. The member errors names each record by its index."),
    "idempotency_key_reused": (422, "Idempotency key reused", "This Idempotency-Key was used for another request. Take a new key."),
    "rate_limited": (429, "Too many requests", "Wait as long as Retry-After says."),
    "internal_error": (500, "Internal error", "The fault is ours. Tell the administrator the request id: it is in the log."),
    "not_installed": (501, "Not installed", "This needs a package that the server lacks; the detail names it."),
    "database_busy": (503, "Database busy", "Another change takes long. Repeat the request after Retry-After seconds."),
    "unavailable": (503, "Unavailable", "The service is being restarted. Repeat the request after Retry-After seconds."),
    "unhealthy": (503, "Unhealthy", "The server runs and cannot serve; the detail names the part that fails, the log says why."),
    "insufficient_storage": (507, "Insufficient storage", "The disk of the server is full. Nothing was changed."),
    "duplicate": (409, "Duplicate", "A record with this value exists; the detail names it."),
    "nothing_to_bill": (409, "Nothing to bill", "All is billed, and all that was cancelled is credited; drafts count as well."),
    "draft_outdated": (409, "Draft outdated", "A draft bills what was cancelled since, or credits what stands again. Change or delete it, then ask again."),
    "in_use": (409, "In use", "Other records hang on this one; the detail names them."),
    "deadline_passed": (409, "Deadline passed", "It is too late for this; the detail names what has ended."),
    "booth_unavailable": (409, "Booth unavailable", "The booth is taken, blocked or overlapped by one that is; blocked_by names what stands in the way and until when."),
    "participant_cancelled": (409, "Participant cancelled", "Who has cancelled takes nothing new; reinstate the participant first."),
    "unknown_badge": (404, "Unknown badge", "No participant has this badge number; is_mistyped says whether its check character is wrong."),
    "wrong_event": (409, "Wrong event", "The badge is one of another event, which event_key names."),
    "already_checked_in": (409, "Already checked in", "The participant is in; check_in is the visit that is open. Send force to close it and open the next."),
    "not_checked_in": (409, "Not checked in", "The participant was not in, so there is no visit that could be closed."),
    "taken_back": (409, "Taken back", "The scan of this client_ref was taken back with its check-in; send a new one under another."),
    "out_of_stock": (409, "Out of stock", "Less is left of this service than was asked for; the member available says how much."),
    "schedule_conflict": (409, "Schedule conflict", "The location is taken at that time, or a speaker or host is busy; the member conflict names the other slot and the reason."),
    "capacity_reached": (409, "Capacity reached", "More would attend than there is room for; the members capacity and attendees say how many."),
    "order_locked": (409, "Order locked", "Participant and items change only while an order is a draft; cancel an item, or the order."),
    "document_locked": (409, "Document locked", "What was sent to be signed, or is signed, stays as it is; the detail says what may still be done."),
    "no_contract": (409, "No contract", "Only a contract is signed and terminated."),
    "no_content": (409, "No content", "The document has no content yet: send it with PUT to /documents/{id}/content."),
    "anonymized": (409, "Anonymised", "The personal data of this contact was taken away for good; make a new contact."),
    "ambiguous_contact": (409, "Ambiguous contact", "Several contacts fit; name one of the candidates as contact_id."),
    "invalid_transition": (409, "Invalid transition", "The state of the record does not allow this; the detail names the states that do."),
    "invoice_not_payable": (409, "Invoice not payable", "A draft, a cancelled invoice and a credit note take no payments."),
    "locked": (409, "Locked", "This changes only in the states that the member allowed_from names; the detail says how to get there."),
    "invoice_locked": (409, "Invoice locked", "From send on only notes and due_date change; what else is wrong is put right by a credit note."),
    "invoice_incomplete": (409, "Invoice incomplete", "The law wants more on an invoice: complete what the member missing names and send it again."),
    "has_payments": (409, "Has payments", "There is money on the invoice. Refund its payments or credit a part of it."),
    "exceeds_invoice": (409, "Exceeds the invoice", "More is credited than is left of the invoice; the detail says how much that is."),
    "exceeds_payment": (409, "Exceeds the payment", "More is refunded than is left of the payment; the detail says how much that is."),
    "payment_locked": (409, "Payment locked", "Amount, invoice, currency and gateway change only while a payment is pending or completed."),
    "too_many_fields": (409, "Too many custom fields", "A kind of record has at most 200 custom fields; delete one that nobody needs."),
    "webhook_inactive": (409, "Webhook inactive", "Nothing is sent to a webhook that is switched off; set is_active, then ask again."),
    "too_many_webhooks": (409, "Too many webhooks", "At most 50 webhooks are active at once; switch one off that nobody needs."),
    "mail_not_configured": (409, "Mail not configured", "This server sends no mail. Ask for it without mail and send it yourself."),
    "has_unsubscribed": (409, "Unsubscribed", "Who has unsubscribed from the newsletter comes back only by confirming a mail; ask with send_confirmation true."),
}


MOST_FAULTS = 1000          # in one answer: nobody reads more, and a hostile body could ask for megabytes of them


class Problem(Exception):
    """An answer that is an error. `errors` are faults, `members` further members of the document.

    `keeps`: what the request wrote before stays, although it is refused, as a hold that was found to have run out.
    """

    def __init__(self, code, detail, *, errors=None, headers=None, keeps=False, **members):
        super().__init__(code, detail)
        self.code, self.detail, self.errors, self.headers, self.members = code, detail, errors, headers or {}, members
        self.keeps = keeps
        self.status, self.title, _ = CODES[code]

    def document(self, base_url, request_id):
        problem = {"type": f"{base_url}/problems/{self.code}", "title": self.title, "status": self.status,
                   "detail": self.detail, "code": self.code, **self.members}
        if self.errors is not None:
            problem["errors"] = self.errors[:MOST_FAULTS]
        problem["meta"] = {"request_id": request_id}
        return problem


def fault(code, detail, *, pointer=None, parameter=None):
    """One entry of `errors`: at a pointer (RFC 6901) into the body, or at a parameter of the query."""
    place = {"pointer": pointer} if pointer is not None else {"parameter": parameter}
    return {**place, "code": code, "detail": detail}


def invalid(faults):
    """422 for faults of the input, all at once."""
    count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
    told = "see errors" if len(faults) <= MOST_FAULTS else f"errors has the first {MOST_FAULTS}"
    return Problem("validation_failed", f"The request has {count}; {told}.", errors=faults)


def invalid_at(pointer, code, detail):
    """Return the 422 Problem for one fault of the body, at a JSON pointer (RFC 6901)."""
    return invalid([fault(code, detail, pointer=pointer)])


def suggestion(word, known):
    """Return "; did you mean X?" with the known word that is most like `word`, or "" if none is like it."""
    from difflib import get_close_matches
    near = get_close_matches(word[:200], known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def not_found(noun, key):
    return Problem("not_found", f"There is no {noun.replace('_', ' ')} {key}.")


class Faults(list):
    """Collects what is wrong, so that the client hears of everything at once."""

    def add(self, pointer, code, detail):
        self.append(fault(code, detail, pointer=pointer))

    def below(self, place, faults):
        """Takes over the faults of a part that stands at `place`."""
        self.extend({**entry, "pointer": place + entry["pointer"]} for entry in faults)

    def raise_any(self):
        if self:
            raise invalid(list(self))
