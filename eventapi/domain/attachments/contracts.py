"""Contracts: documents that are signed.

Whoever runs the signing tells of it; what was sent to be signed is kept as it was.
"""
from eventapi.domain.attachments import document_rows, pages
from eventapi.errors import Problem, invalid_at
from eventapi.states import Transitions
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("documents")

CONTRACT = Transitions("contract", {
    "request-signature": (("draft",), "pending_signature"),
    "mark-signed": (("pending_signature",), "active"),
    "decline": (("pending_signature",), "draft"),
    "expire": (("pending_signature",), "draft"),
    "void": (("pending_signature",), "draft"),
    "terminate": (("active",), "terminated"),
})
SIGNATURE = Transitions("signature", {
    "request-signature": (("pending", "declined", "expired", "voided"), "sent"),
    "view": (("sent",), "viewed"),
    "mark-signed": (("sent", "viewed"), "signed"),
    "decline": (("sent", "viewed"), "declined"),
    "expire": (("sent", "viewed"), "expired"),
    "void": (("sent", "viewed"), "voided"),
}, {"request-signature": "signature_requested"})
EMPTY = dict.fromkeys(("sha256", "content_type", "size"))


def draw(db, id):
    """Draw and store the page of a contract before the transaction of `request_signature`.

    Return the columns that the page shows, and those of the stored file. Return None if there is no page to draw; the
    transaction then finds out why. If the transaction is refused, housekeeping removes the file.
    """
    row = document_rows.row(db, id)
    if row is None or row["content"] is None or row["contract_status"] != "draft":
        return None
    return shown(row), freeze(db.config, row)


def shown(row):
    """Return the columns that the page of a document shows."""
    return {name: row[name] for name in ("title", "document_number", "content")}


def request_signature(db, row, admin_id, drawn):
    """Store the file that is sent for signature: the page that `draw` has drawn, or the uploaded file.

    Return the row. The page is drawn again, now under the write lock, if another request has changed the document
    since. Raise 409 `no_content`.
    """
    if not begins(row, "request-signature"):
        return row
    if row["content"] is None and row["sha256"] is None:
        raise Problem("no_content", f"There is nothing to sign yet: PUT /documents/{row['id']}/content.")
    if row["content"] is None:
        frozen = {name: row[name] for name in EMPTY}
    elif drawn and drawn[0] == shown(row):
        frozen = drawn[1]
    else:
        frozen = freeze(db.config, row)
    return move(db, row, "request-signature", **frozen, signature_sha256=frozen["sha256"], requested_at=db.now, requested_by=admin_id,
                signer_name=None, signed_at=None, signed_by=None)


def freeze(config, row):
    """Store the page as PDF, or as HTML if no PDF can be drawn. Return the columns of the file."""
    kind, data = pages.to_sign(config, row)
    return {"sha256": files.store(config, data), "content_type": kind, "size": len(data)}


def mark_signed(db, row, admin_id, signer_name, signed_at):
    if not begins(row, "mark-signed"):
        return row
    if signed_at and signed_at > db.now:
        raise invalid_at("/signed_at", "future", "must not lie in the future")
    return move(db, row, "mark-signed", signer_name=signer_name, signed_at=signed_at or db.now, signed_by=admin_id)


def take_back(db, row, action):
    """The contract is a draft again: declined, expired or voided."""
    if not begins(row, action):
        return row
    unfrozen = EMPTY if row["content"] is not None else {}
    return move(db, row, action, **unfrozen, signature_sha256=None)


def view(db, row):
    return move(db, row, "view") if begins(row, "view") else row


def terminate(db, row, admin_id):
    refuse_no_contract(row)
    if CONTRACT.move("terminate", row["contract_status"]) is None:
        return row
    return move(db, row, "terminate", terminated_at=db.now, terminated_by=admin_id)


def bring_to(db, row, esign_status):
    """What a changed esign_status in a body asks for; to be signed takes a name, so it has its own action."""
    if esign_status == row["esign_status"]:
        return row
    refuse_no_contract(row)
    action = SIGNATURE.action_to(row["esign_status"], esign_status)
    if action in ("request-signature", "mark-signed"):
        raise invalid_at("/esign_status", "by_action", f"is reached by POST /documents/{row['id']}/{action}")
    return view(db, row) if action == "view" else take_back(db, row, action)


def begins(row, action):
    """Whether the action changes anything; 409 where it is not allowed."""
    refuse_no_contract(row)
    return SIGNATURE.move(action, row["esign_status"]) is not None


def move(db, row, action, **members):
    """Stores and journals the states that the action leads to."""
    after = {**row, **members}
    for member, table in (("contract_status", CONTRACT), ("esign_status", SIGNATURE)):
        if action in table.table:
            after[member], word = table.table[action][1], table.past(action)
    db.run(sql.move, **after, now=db.now)
    return document_rows.journal_update(db, row, word)


def allowed_actions(document):
    """What may be done now with a document, as it is answered or stored."""
    if not document["is_contract"]:
        return []
    ending = ["terminate"] if document["contract_status"] == "active" else []
    return [*SIGNATURE.actions(document["esign_status"]), *ending]


def refuse_no_contract(row):
    if not row["is_contract"]:
        raise Problem("no_contract", "The document is not a contract.")


def refuse_locked(row, names):
    """409 when members change that are part of what was sent to be signed."""
    if names and row["is_contract"] and row["contract_status"] != "draft":
        raise Problem("document_locked", f"The contract is {row['contract_status'].replace('_', ' ')}: {', '.join(names)} stays as it is.",
                      members=names)


def refuse_content(row):
    """409 where no file can be the content: of what is made from a template, of what ended, of what was signed already."""
    if row["is_contract"] and row["contract_status"] != "draft":
        is_signed = row["contract_status"] == "active" and row["sha256"] != row["signature_sha256"]
        if is_signed or row["contract_status"] == "terminated":
            raise Problem("document_locked", "The signed file is there already.")
    elif row["content"] is not None:
        raise Problem("document_locked", "The document was made from a template: change its member content.")
