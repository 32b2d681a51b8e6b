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
def get_my_contracts(db, request):
    """Return the list of contracts."""
    exhibitor = page.open_page(db, request, RIGHT)
    return page.render_page(
        db, request, exhibitor, "contracts", contracts=reading.contracts(db, exhibitor.participant)
    )


@routes.get("/contract/<id:int>")
def get_my_contract(db, request, id):
    """Return a contract with its text and, while it waits, the form with which it is accepted."""
    exhibitor, row = asked(db, request, id)
    text = (
        "".join(markup.to_html(block) for block in markup.blocks(pages.tree(row)))
        if row["content"]
        else ""
    )
    signing_form = page.form_of(
        request,
        "portal_forms.acceptance",
        {"signer_name": request.link["name"]},
        names=("signer_name",),
        autocomplete={"signer_name": "name"},
    )
    declining_form = page.form_of(request, "portal_forms.decline", {}, names=("reason",))
    return page.render_page(
        db,
        request,
        exhibitor,
        "contract",
        signer=signing_form["form"].field("signer_name"),
        reason=declining_form["form"].field("reason"),
        given={**declining_form["given"], **signing_form["given"]},
        title=row["title"] or row["document_number"],
        row=row,
        contract_text=text,
        steps=evidence.of(db, signing.KIND, row["id"]),
        hash=evidence.digest(signing.facts(row)),
    )


@routes.post("/contract/<id:int>/accept", schema="portal_forms.acceptance", shows=get_my_contract)
def accept_my_contract(db, request, id, body):
    """Accept a contract bindingly."""
    _, row = asked(db, request, id, page.open_for_change)
    signing.accept(db, row, body["signer_name"], page.step(request, body["shown"]))
    return page_requests.see_other(request, f"contract/{id}", done="accepted")


@routes.post("/contract/<id:int>/decline", schema="portal_forms.decline", shows=get_my_contract)
def decline_my_contract(db, request, id, body):
    """Decline a contract."""
    exhibitor, row = asked(db, request, id, page.open_for_change)
    signing.decline(db, exhibitor.participant, row, body["reason"])
    return page_requests.see_other(request, "contract", done="declined")


@routes.get("/contract/<id:int>/file", forms=(content_types.PDF,))
def get_my_contract_file(db, request, id):
    """Return the file that was sent to be signed, unchanged."""
    _, row = asked(db, request, id)
    page.found(row["signature_sha256"], "file", id)
    file = contracts.sent_file(db.config, row)
    name = f"{row['document_number']}{content_types.EXTENSIONS.get(file['content_type'], '')}"
    response = downloads.stored_file(db.config, file["sha256"], file["content_type"], name)
    response.headers["Content-Disposition"] = downloads.disposition("attachment", name)
    return page.attachment(response)


def asked(db, request, id, open_page=page.open_page):
    exhibitor = open_page(db, request, RIGHT)
    return exhibitor, page.found(reading.contract(db, exhibitor.participant, id), "contract", id)
