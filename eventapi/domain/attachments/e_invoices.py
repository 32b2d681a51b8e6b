"""E-invoices among uploaded files: recognised in a process of their own, before the transaction."""

from contextlib import AbstractContextManager
from pathlib import Path

from eventapi.domain.attachments import own_party
from eventapi.domain.einvoices import received
from eventapi.parsing import processes
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("documents")
PARSER = f"{received.__name__}:parse"
STOPPED = "recognition_stopped"
SELF_BILLED = ("261", "389", "527")  # types (BT-3) of invoices that the buyer writes
SECONDS = 10  # of CPU; the largest invoice takes one


def recognise(
    folder: Path, upload: files.Upload, place: AbstractContextManager
) -> tuple[dict | None, list[dict]]:
    """Return (what the file says as an e-invoice or None, warnings).

    `folder` is the data directory.

    `place` is entered while a process parses the file (uploads.parsing). The first is the field
    `e_invoice` of schemas/document.json. The warnings are those of the file (`received.parse`), or
    one that the recognition was stopped, so that it is not known whether the file is an e-invoice.
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
    """Return warnings of the e-invoice `found` in the document `id`: it is not for the organiser,
    it came before, or the supplier's account differs.

    A changed account is the usual sign of a forged invoice.
    """
    seller, warnings = found["seller"] or {}, _of_parties(db.config, found)
    others = db.all(sql.of_supplier, supplier=seller.get("vat_id") or seller.get("name"), id=id)
    same = next(
        (other["id"] for other in others if found["number"] and other["number"] == found["number"]),
        None,
    )
    if same:
        warnings.append(
            {
                "code": "received_before",
                "detail": f"Document {same} is an e-invoice of {_name(seller)} "
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


def _of_parties(config, found):
    """Return a warning if the organiser is the seller of a received e-invoice, or not its buyer.

    An invoice that the buyer has written (type 389) does have the organiser as its seller.
    """
    if own_party.is_organiser(config, found["seller"] or {}):
        if found["type_code"] in SELF_BILLED:
            return []
        return [
            {
                "code": "own_invoice",
                "detail": f"The seller of this invoice is {_shown(found['seller'])}, which is you: it is one of your "
                "own invoices, and not one of a supplier. Do not pay it.",
            }
        ]
    buyer = found["buyer"] or {}
    if own_party.is_organiser(config, buyer) is not False:
        return []
    ours = _shown({"name": config.organiser_name, "vat_id": config.organiser_vat_id})
    return [
        {
            "code": "other_buyer",
            "detail": f"The buyer of this invoice is {_shown(buyer)}, and not {ours}. If it is not for you, send it "
            "back; if it is, ask the supplier to correct the buyer: without your name, its VAT may not be deductible.",
        }
    ]


def _name(party):
    """Return the name of a seller or a buyer, or its VAT id."""
    return party.get("name") or party.get("vat_id") or party.get("tax_number")


def _shown(party):
    """Return the name of a seller or a buyer with its VAT id."""
    both = [text for text in (_name(party), party.get("vat_id")) if text]
    return " with the VAT id ".join(dict.fromkeys(both))
