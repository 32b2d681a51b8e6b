"""Recording that documents were posted."""

from eventapi import journal, times
from eventapi.domain.billing import drafts
from eventapi.domain.mail.deliveries import TO_DO
from eventapi.domain.receivables import documents
from eventapi.domain.records import entities
from eventapi.errors import Faults, Problem, listed
from eventapi.storage.statements import statements

sql = statements("deliveries")
NAMED = 10  # documents that an error names


def post(db, fields):
    """Record that letters and invoices were posted: all of them, or none.

    `fields` is the body of the request. Return the ids and the day.

    Call this inside a write transaction. Raise 422 for unknown ids, and for a day in the future or
    before that of a document; 409 `invalid_transition` unless each document is to be printed, or
    its mail has failed.
    """
    faults, today = Faults(), times.today(db.config.timezone, db.now)
    letter_ids, invoice_ids = (
        list(dict.fromkeys(fields[name] or ())) for name in ("letter_ids", "invoice_ids")
    )
    letters = documents.letters(db, letter_ids)
    invoices = documents.sent_invoices(db, invoice_ids)
    _check_ids("letter_ids", "dunning letter", fields["letter_ids"] or (), letters, faults)
    _check_ids("invoice_ids", "invoice", fields["invoice_ids"] or (), invoices, faults)
    if not (letter_ids or invoice_ids):
        faults.add("/letter_ids", "required", "or `invoice_ids` must name at least one document")

    found = [*letters.values(), *invoices.values()]
    day = fields["posted_on"] or today
    _check_day(day, today, found, faults)
    faults.raise_any()
    _refuse_others(found)
    for document in found:
        _post(db, document, day)
    return {"letter_ids": letter_ids, "invoice_ids": invoice_ids, "posted_on": day}


def _check_ids(field, noun, ids, found, faults):
    """Add a fault for each id of a field that is unknown."""
    for place, id in enumerate(ids):
        if id not in found:
            faults.add(f"/{field}/{place}", "unknown", f"is unknown: no {noun} has the id {id}")


def _check_day(day, today, found, faults):
    """Add a fault for a day in the future, or before that of a document."""
    if day > today:
        faults.add(
            "/posted_on", "future", f"must not be in the future, but is {day}; today is {today}"
        )
        return
    early = next((document for document in found if day < (document.day or day)), None)
    if early:
        faults.add(
            "/posted_on",
            "before_issue",
            f"must not be before {early.day}, the date of {early.name}, but is {day}",
        )


def _refuse_others(found):
    """Raise 409 `invalid_transition` if a document is neither to be printed nor has failed."""
    others = [document for document in found if document.delivery not in TO_DO]
    if others:
        facts = listed([f"{each.name} is {each.delivery}" for each in others[:NAMED]])
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        raise Problem(
            "invalid_transition",
            f"Nothing was recorded: `delivery` must be {listed(TO_DO, 'or')}, but that of "
            f"{facts}{more}. Send the request without them.",
            state=others[0].delivery,
            allowed_from=list(TO_DO),
            allowed_actions=[],
        )


def _post(db, document, day):
    """Record one document as posted."""
    row, letter = document.row, document.letter
    if letter is None:
        db.run(sql.post_invoice, id=row["id"], posted_on=day)
        drafts.journal_change(db, row, "posted")
        return
    db.run(sql.post_letter, id=letter["id"], posted_on=day)
    db.run(sql.touch_invoice, id=row["id"])
    journal.administered(
        db,
        entities.INVOICE,
        "letter_posted",
        row["id"],
        title=row["invoice_number"],
        new={"dunning_id": letter["id"], "level": letter["level"], "posted_on": day},
    )
