"""Accepting a contract: the text that was sent to be signed is agreed to by name, in a browser or
over the API.
"""

from eventapi.domain.attachments import contracts, notes
from eventapi.domain.portal import evidence

KIND = "document"


def facts(row):
    """Return what somebody accepts: the file that was sent to be signed, by its hash."""
    return {"document_number": row["document_number"], "sha256": row["signature_sha256"]}


def accept(db, row, signer_name, step):
    """Accept a contract with the evidence `step`, an evidence.Step, and return its row.

    Raise 409 `no_contract`, `invalid_transition` or `link_not_mailed`; 412 if another text was
    shown.
    """
    contracts.refuse_no_contract(row)
    shown = facts(row)
    evidence.check(db, step, shown)
    new = contracts.accept(db, row, db.actor.admin_id, signer_name)
    if new != row:
        evidence.record(db, KIND, row["id"], step, shown)
    return new


def accept_for(db, row, signer_name):
    """Accept a contract over the API: the office does it for the other party.

    Return the row. Raise 409 as `accept`.
    """
    return accept(db, row, signer_name, evidence.by_office(facts(row)))


def decline(db, participant, row, reason):
    """Decline a contract.

    It becomes a draft again, and a note on the participant has the reason. Return the row.

    The note is one of the admin who sent the contract. Raise 409 `invalid_transition` or
    `anonymized`.
    """
    new = contracts.return_to_draft(db, row, "decline")
    if reason and new != row:
        notes.create(
            db,
            {
                "entity_type": "event_participant",
                "entity_id": participant["id"],
                "note_type": "warning",
                "note_text": f"{row['document_number']} was declined on the exhibitor's page: {reason}",
                "is_pinned": False,
            },
            row["requested_by"],
        )
    return new
