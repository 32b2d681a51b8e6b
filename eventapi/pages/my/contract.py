"""Contracts: the text that was sent to be signed, accepted by name or declined, and kept for ever."""

from eventapi import markup
from eventapi.domain.attachments import content_types, contracts, pages
from eventapi.domain.portal import evidence, reading, signing
from eventapi.pages.my import page
from eventapi.web import downloads
from eventapi.web.html import page_requests
from eventapi.web.routes import Routes

routes = Routes("my-contract", root="/my/<ref>", **page.PAGE)
RIGHT = "contract"


@routes.get("/contract")
def get_my_contracts(db, visit):
    """Return the list of contracts."""
    mine = page.open_page(db, visit, RIGHT)
    return page.render_page(
        db, visit, mine, "contracts", contracts=reading.contracts(db, mine.participant)
    )


@routes.get("/contract/<id:int>")
def get_my_contract(db, visit, id):
    """Return a contract with its text and, while it waits, the form with which it is accepted."""
    mine, row = asked(db, visit, id)
    text = (
        "".join(markup.to_html(block) for block in markup.blocks(pages.tree(row)))
        if row["content"]
        else ""
    )
    return page.render_page(
        db,
        visit,
        mine,
        "contract",
        title=row["title"] or row["document_number"],
        row=row,
        contract_text=text,
        steps=evidence.of(db, signing.KIND, row["id"]),
        hash=evidence.digest(signing.facts(row)),
    )


@routes.post("/contract/<id:int>/accept", schema="portal_forms.acceptance", shows=get_my_contract)
def accept_my_contract(db, visit, id, body):
    """Accept a contract bindingly."""
    _, row = asked(db, visit, id, page.open_for_change)
    signing.accept(db, row, body["signer_name"], page.step(visit, body["shown"]))
    return page_requests.see_other(visit, f"contract/{id}", done="accepted")


@routes.post("/contract/<id:int>/decline", schema="portal_forms.decline", shows=get_my_contract)
def decline_my_contract(db, visit, id, body):
    """Decline a contract."""
    mine, row = asked(db, visit, id, page.open_for_change)
    signing.decline(db, mine.participant, row, body["reason"])
    return page_requests.see_other(visit, "contract", done="declined")


@routes.get("/contract/<id:int>/file", forms=(content_types.PDF,))
def get_my_contract_file(db, visit, id):
    """Return the file that was sent to be signed, unchanged."""
    _, row = asked(db, visit, id)
    page.found(row["signature_sha256"], "file", id)
    file = contracts.sent_file(db.config, row)
    name = f"{row['document_number']}{content_types.EXTENSIONS.get(file['content_type'], '')}"
    response = downloads.stored_file(db.config, file["sha256"], file["content_type"], name)
    response.headers["Content-Disposition"] = downloads.disposition("attachment", name)
    return page.attachment(response)


def asked(db, visit, id, open_page=page.open_page):
    mine = open_page(db, visit, RIGHT)
    return mine, page.found(reading.contract(db, mine.participant, id), "contract", id)
