"""E-invoices among uploaded files: recognised in a process of their own, before the transaction."""

from contextlib import AbstractContextManager
from pathlib import Path

from eventapi.domain.einvoices import received
from eventapi.parsing import processes
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("documents")
PARSER = f"{received.__name__}:parse"
STOPPED = "recognition_stopped"
SECONDS = 10  # of CPU; the largest invoice takes one


def recognise(
    folder: Path, upload: files.Upload, place: AbstractContextManager
) -> tuple[dict | None, list[dict]]:
    """Return (what the file says as an e-invoice or None, warnings).

    `folder` is the data directory.

    `place` is entered while a process parses the file. Raise processes.Busy if no process becomes
    free in time. The first is the field `e_invoice` of schemas/document.json. The warnings are
    those of the file (`received.parse`), or one that the recognition was stopped, so that it is not
    known whether the file is an e-invoice.
    """
    with files.opened(upload.path) as file:
        if not received.may_be(file):
            return None, []
        file.seek(0)
        try:
            with place:
                found = next(iter(list(processes.run(PARSER, None, file, folder, SECONDS))), None)
            if found is not None and not (isinstance(found, dict) and "e_invoice" in found):
                raise processes.Stopped("ended unexpectedly")
        except (processes.Stopped, ValueError) as reason:
            return None, [
                stopped(
                    f"the recognition {reason}. The file may be damaged or malicious: ask the sender for "
                    "another one"
                )
            ]
    return (found["e_invoice"], found["warnings"]) if found else (None, [])


def is_certain(warnings: list[dict]) -> bool:
    """Return whether it is known if the file is an e-invoice, by the warnings of `recognise`."""
    return all(warning["code"] != STOPPED for warning in warnings)


def warnings_of(db, document: dict, warnings: list[dict]) -> list[dict]:
    """Return the warnings of an upload: those of the file, and the doubts about its e-invoice.

    `document` is the API object after the upload. A contract is no e-invoice.
    """
    if document["is_contract"]:
        return [warning for warning in warnings if warning["code"] == STOPPED]
    found = document["e_invoice"]
    return [*warnings, *doubts(db, document["id"], found)] if found else warnings


def stopped(reason: str) -> dict:
    """Return the warning that the recognition was stopped."""
    return {
        "code": STOPPED,
        "detail": f"The file is stored, but it is not known whether it is an e-invoice: {reason}.",
    }


def doubts(db, id: int, found: dict) -> list[dict]:
    """Return warnings of the e-invoice `found` in the document `id`: it came before, or the
    supplier's account differs.

    A changed account is the usual sign of a forged invoice.
    """
    seller, warnings = found["seller"] or {}, []
    others = db.all(sql.of_supplier, supplier=seller.get("vat_id") or seller.get("name"), id=id)
    same = next(
        (other["id"] for other in others if found["number"] and other["number"] == found["number"]),
        None,
    )
    if same:
        warnings.append(
            {
                "code": "received_before",
                "detail": f"Document {same} is an e-invoice of {seller.get('name') or seller['vat_id']} "
                f"with the same number, {found['number']}. Compare them, and pay once.",
            }
        )
    known = next((other for other in others if other["iban"]), None)
    if known and found["iban"] and known["iban"] != found["iban"]:
        warnings.append(
            {
                "code": "other_account",
                "detail": f"The account {found['iban']} is not {known['iban']}, that "
                f"of the supplier's invoice in document {known['id']}. Before you pay, ask the supplier by a "
                "telephone number that you know already.",
            }
        )
    return warnings
