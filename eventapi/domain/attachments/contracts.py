"""Contracts: documents that are signed. The page or file that is to be signed is stored unchanged.

Sending and signing happen elsewhere: the client reports their steps. Functions take and return rows
of documents. Every function that writes, except `draw`, is called inside a write transaction and
journals the change.
"""

from eventapi import journal
from eventapi.domain.attachments import content_types, document_rows, pages
from eventapi.domain.records import entities
from eventapi.errors import Problem, invalid_at, quoted
from eventapi.states import Transitions
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("documents")

CONTRACT = Transitions(
    "contract",
    {
        "request-signature": (("draft",), "pending_signature"),
        "mark-signed": (("pending_signature",), "active"),
        "decline": (("pending_signature",), "draft"),
        "expire": (("pending_signature",), "draft"),
        "void": (("pending_signature",), "draft"),
        "terminate": (("active",), "terminated"),
    },
)
SIGNATURE = Transitions(
    "signature",
    {
        "request-signature": (("pending", "declined", "expired", "voided"), "sent"),
        "view": (("sent",), "viewed"),
        "mark-signed": (("sent", "viewed"), "signed"),
        "decline": (("sent", "viewed"), "declined"),
        "expire": (("sent", "viewed"), "expired"),
        "void": (("sent", "viewed"), "voided"),
    },
    {"request-signature": "signature_requested"},
)
SIGNED = ("active", "terminated")  # contract_status from mark-signed on
NO_FILE = dict.fromkeys(("sha256", "content_type", "size"))


def draw(db, id):
    """Draw and store the page of a contract before the transaction of `request_signature`.

    Return the columns that the page shows, and those of the stored file. Return None if there is no
    page to draw; the transaction then finds out why. If the transaction is refused, housekeeping
    removes the file.
    """
    row = document_rows.row(db, id)
    if row is None or row["content"] is None or row["contract_status"] != "draft":
        return None
    return shown(db, row), freeze(db, row)


def shown(db, row):
    """Return the columns that the page of a document shows, and its other party."""
    columns = ("title", "document_number", "language", "content")
    return {**{name: row[name] for name in columns}, "partner": pages.partner(db, row)}


def request_signature(db, row, admin_id, drawn):
    """Store the file that is to be signed: the page that `draw` has drawn, or the uploaded file.

    Return the row. The page is drawn again, now under the write lock, if another request has
    changed the document since. Raise 409 `no_content`.
    """
    if not changes_status(row, "request-signature"):
        return row
    if row["content"] is None and row["sha256"] is None:
        raise Problem(
            "no_content",
            f"The contract has no content to sign yet. Upload it with PUT /documents/{row['id']}/content.",
        )
    if row["content"] is None:
        frozen = {name: row[name] for name in NO_FILE}
    elif drawn and drawn[0] == shown(db, row):
        frozen = drawn[1]
    else:
        frozen = freeze(db, row)
    return move(
        db,
        row,
        "request-signature",
        **frozen,
        signature_sha256=frozen["sha256"],
        requested_at=db.now,
        requested_by=admin_id,
        signer_name=None,
        signed_at=None,
        signed_by=None,
    )


def freeze(db, row):
    """Store the page as PDF, or as HTML if no PDF can be drawn. Return the columns of the file."""
    kind, data = pages.to_sign(db.config, row, pages.partner(db, row))
    return {"sha256": files.store(db.config, data), "content_type": kind, "size": len(data)}


def sent_file(config, row):
    """Return the columns of the file that was to be signed.

    A signed copy may have replaced it in the row.
    """
    sha256 = row["signature_sha256"]
    return {
        "sha256": sha256,
        "content_type": content_types.detect(files.head(config, sha256)),
        "size": files.size(config, sha256),
    }


def mark_signed(db, row, admin_id, signer_name, signed_at):
    """Record who signed a contract, and when (UTC text or None for now). Return the row.

    The same values again change nothing. Raise 422 for a time in the future or before the request;
    409 `no_contract` or `invalid_transition`.
    """
    if signed_at and signed_at > db.now:
        raise invalid_at(
            "/signed_at",
            "future",
            f"is {signed_at}, and must not be in the future: the time of the server is {db.now}",
        )
    if not changes_status(row, "mark-signed"):
        refuse_other_signature(row, signer_name, signed_at)
        return row
    if signed_at and signed_at < row["requested_at"]:
        raise invalid_at(
            "/signed_at",
            "before_request",
            f"is {signed_at}, and must not be before the request of the signature, {row['requested_at']}",
        )
    return move(
        db,
        row,
        "mark-signed",
        signer_name=signer_name,
        signed_at=signed_at or db.now,
        signed_by=admin_id,
    )


def accept(db, row, admin_id, signer_name):
    """Record that somebody has accepted the text that was sent to be signed, now and under this
    name. Return the row.

    Raise 409 `no_contract` or `invalid_transition`.
    """
    new = mark_signed(db, row, admin_id, signer_name, None)
    if new != row:
        journal.announced(db, entities.DOCUMENT, "accepted", document_rows.journalled(new))
    return new


def refuse_other_signature(row, signer_name, signed_at):
    """Raise 409 `invalid_transition` unless the contract is active with this signature.

    `signed_at` may be None.
    """
    if row["contract_status"] == "active" and (row["signer_name"], row["signed_at"]) == (
        signer_name,
        signed_at or row["signed_at"],
    ):
        return
    was = (
        f"was signed by {row['signer_name']} at {row['signed_at']} and is {row['contract_status']}"
    )
    raise Problem(
        "invalid_transition",
        f"The contract {was}. A signature cannot change. Create another document instead.",
        state=row["contract_status"],
        allowed_from=list(SIGNATURE.table["mark-signed"][0]),
        allowed_actions=allowed_actions(row),
    )


def return_to_draft(db, row, action):
    """Make the contract a draft again: `decline`, `expire` or `void`. Return the row.

    Raise 409 `no_contract` or `invalid_transition`.
    """
    if not changes_status(row, action):
        return row
    unfrozen = NO_FILE if row["content"] is not None else sent_file(db.config, row)
    return move(db, row, action, **unfrozen, signature_sha256=None)


def view(db, row):
    """Record that the signer has viewed the contract. Return the row."""
    return move(db, row, "view") if changes_status(row, "view") else row


def terminate(db, row, admin_id):
    """Terminate a signed contract and return the row.

    Raise 409 `no_contract` or `invalid_transition`.
    """
    refuse_no_contract(row)
    if CONTRACT.move("terminate", row["contract_status"]) is None:
        return row
    return move(db, row, "terminate", terminated_at=db.now, terminated_by=admin_id)


def set_esign_status(db, row, esign_status):
    """Apply the action that leads to the `esign_status` of a body, and return the row.

    Raise 422 for a status that has a route of its own, because it needs more data; 409
    `no_contract` or `invalid_transition`.
    """
    if esign_status == row["esign_status"]:
        return row
    refuse_no_contract(row)
    action = SIGNATURE.action_to(row["esign_status"], esign_status)
    if action in ("request-signature", "mark-signed"):
        raise invalid_at(
            "/esign_status",
            "by_action",
            f"cannot be set to {esign_status}. Use POST /documents/{row['id']}/{action} instead",
        )
    return view(db, row) if action == "view" else return_to_draft(db, row, action)


def changes_status(row, action):
    """Return whether the action changes the status.

    Raise 409 `no_contract` or `invalid_transition`.
    """
    refuse_no_contract(row)
    return SIGNATURE.move(action, row["esign_status"]) is not None


def move(db, row, action, **columns):
    """Store and journal the statuses that the action leads to, and these columns. Return the row."""
    after = {**row, **columns}
    for column, table in (("contract_status", CONTRACT), ("esign_status", SIGNATURE)):
        if action in table.table:
            after[column], word = table.table[action][1], table.past(action)
    db.run(sql.move, **after, now=db.now)
    return document_rows.journal_update(db, row, word)


def allowed_actions(document):
    """Return the actions that the statuses of a document allow.

    `document` is an API object or a row.
    """
    if not document["is_contract"]:
        return []
    ending = ["terminate"] if document["contract_status"] == "active" else []
    return [*SIGNATURE.actions(document["esign_status"]), *ending]


def refuse_no_contract(row):
    """Raise 409 `no_contract` if the document is not a contract."""
    if not row["is_contract"]:
        raise Problem(
            "no_contract",
            f"Document {row['id']} is not a contract, so it cannot be signed or terminated. Create a "
            "document from a template with `is_contract`.",
        )


def refuse_locked(row, names):
    """Raise 409 `document_locked` if fields in `names` would change while a contract is no draft."""
    if names and row["is_contract"] and row["contract_status"] != "draft":
        is_pending = row["contract_status"] == "pending_signature"
        remedy = (
            f"Use POST /documents/{row['id']}/void first"
            if is_pending
            else "Create another document instead"
        )
        raise Problem(
            "document_locked",
            f"{quoted(names)} cannot change, because the contract is "
            f"{row['contract_status'].replace('_', ' ')}. {remedy}.",
            members=names,
        )


def refuse_content(row):
    """Raise 409 if the document accepts no uploaded file: `locked` for a contract that is signed or
    terminated.

    A document that was made from a template has no file (`document_locked`), except the signed copy
    of a contract whose signature is requested.
    """
    if row["contract_status"] in SIGNED:
        raise Problem(
            "locked",
            f"The content cannot change, because the contract is {row['contract_status']}. "
            "A signed copy can be uploaded only before `mark-signed`. Create another document instead.",
            state=row["contract_status"],
            allowed_from=["draft", "pending_signature"],
            members=["content"],
        )
    if row["contract_status"] == "pending_signature":
        return
    if row["content"] is not None:
        raise Problem(
            "document_locked",
            "The document was made from a template, so it has no file. Change its field "
            "`content` instead.",
        )
