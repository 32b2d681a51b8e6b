"""Dunning: the overdue invoices that are due for a letter, and sending of the letters."""

from functools import partial

from eventapi import times
from eventapi.domain.bank import transactions
from eventapi.domain.billing import invoices
from eventapi.domain.dunning import claims, letters, levels, sending
from eventapi.domain.mail import deliveries
from eventapi.domain.records import references
from eventapi.domain.records.references import CONTACT, EVENT
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import Response, found
from eventapi.web.routes import Desk, Routes

routes = Routes("dunning", "dunning", scope="invoices", flag="invoices")
sql = statements("dunning")
PDF = "application/pdf"


@routes.list("/invoices/dunning", query="dunning.query")
def list_due_dunnings(db, query):
    """List the invoices that are due for their next dunning level today, with what would be
    claimed.

    An invoice is due for a level once its `days` after the due date have passed, the level before
    it was sent, and the deadline of that letter has passed. `held_back` says why an invoice that is
    due gets no letter. Without any dunning level, no invoice is ever due: `warnings` in meta has
    `no_dunning_levels`.
    """
    today = times.today(db.config.timezone)
    query = {**references.filters(db, query, CONTACT, EVENT), **claims.parameters(db.config, today)}
    found = page(db, sql.list, query, partial(claims.represent, db.config, today))
    found.meta |= levels.warnings(db)
    return found


@routes.list("/invoices/dunning/letters", singular="dunning_letter", query="dunning_letter.query")
def list_dunning_letters(db, query):
    """List the dunning letters that were sent, also those that were withdrawn.

    `delivery=to_print&open=1` are those to be printed and posted: GET /invoices/print makes one PDF
    of them.
    """
    query = deliveries.lines(references.filters(db, query, CONTACT, EVENT))
    return page(db, sql.letters, query, sending.represent_with_invoice)


def due(db, body):
    """Return what is due for a request, read before the transaction that sends it."""
    with db.snapshot():
        return sending.find_due(
            db, body["invoice_ids"], body["level"], transactions.paid_invoices(db)
        )


@routes.post(
    "/invoices/dunning/send",
    schema="dunning.send",
    response="dunning.result",
    status=200,
    dry_run=True,
    in_pieces=lambda write, db, values: due(db, values["body"]),
)
def send_dunnings(db, body, before=None):
    """Send dunning letters: all that are due, or those of some invoices, at most 40 in a call,
    oldest due date first.

    Repeat the call until `left` is 0. No level is sent twice, and nothing is sent for an invoice
    that is held back, or that an open bank transaction pays (`transfer_open`): assign or ignore
    that first. Each letter is mailed with the PDF of the letter and of the invoice, unless `mail`
    is false or `post`. `counts` says how many leave by mail, and how many have to be printed (GET
    /invoices/print) and posted (POST /invoices/posted): the next level waits until then. Without
    any dunning level nothing is sent, and `warnings` in meta has `no_dunning_levels`.
    """
    given = (body["invoice_ids"], body["level"], body["mail"])
    if body["dry_run"]:
        with db.snapshot():
            sent = sending.send(db, due(db, body), *given, dry_run=True)
            return Response(sent, meta=levels.warnings(db), has_etag=False)
    return Response(sending.send(db, before, *given), meta=levels.warnings(db), has_etag=False)


@routes.post(
    "/invoices/<id>/dunning/<item_id>/withdraw",
    schema="dunning.withdraw",
    response="invoice",
    status=200,
    desk=Desk(is_final=True),
)
def withdraw_dunning(db, id, item_id, body):
    """Withdraw the last dunning letter of an invoice, such as one that was sent by mistake, and
    return the invoice.

    Its costs and interest are no longer claimed from today on, and its level can be sent again. The
    letter stays in the history. To withdraw the letters before it, repeat the request for each of
    them, the newest first.
    """
    invoice = found(invoices.row(db, id), "invoice", id)
    letter = found(sending.entry(db, id, item_id), "dunning letter", item_id)
    return invoices.represent(sending.withdraw(db, invoice, letter, body["reason"]))


@routes.get("/invoices/<id>/dunning/<item_id>/pdf", forms=(PDF,))
def get_dunning_pdf(db, id, item_id):
    """Return a dunning letter as PDF: the amounts are those of the day on which it was sent.

    The letter has a GiroCode over the total claim if the invoice is in EUR and the organiser has an
    IBAN.
    """
    with db.snapshot():
        invoice = found(invoices.get(db, id), "invoice", id)
        entry = found(sending.entry(db, id, item_id), "dunning letter", item_id)
    name = letters.file_name(invoice, entry)
    return Response(
        body=letters.draw(db, invoice, entry),
        headers={"Content-Type": PDF, "Content-Disposition": f'attachment; filename="{name}"'},
    )
