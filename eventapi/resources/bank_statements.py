"""Bank statements: transactions of imported statements, and their assignment to invoices."""

from contextlib import contextmanager
from dataclasses import dataclass

from eventapi import money
from eventapi.domain.bank import (
    formats,
    import_warnings,
    importing,
    parsed,
    settling,
    transactions,
)
from eventapi.domain.bank.csv_forms import names_columns
from eventapi.domain.bank.entries import Refused
from eventapi.errors import invalid_at, invalid_parameter
from eventapi.parsing import processes
from eventapi.storage import files, folding
from eventapi.storage.statements import statements
from eventapi.validation.identifiers import accounts
from eventapi.web import uploads
from eventapi.web.lists import page
from eventapi.web.rest import Response, found
from eventapi.web.routes import Desk, Routes

routes = Routes(
    "bank-statements",
    "bank_transaction",
    scope="payments",
    flag="invoices",
    states=(transactions.TRANSITIONS,),
)
sql = statements("bank_statements")

FORMS = ("application/xml", "text/xml", "application/zip", "text/csv")
YES = ("true", "1")
# code of a refusal -> the parameter that decides what is ambiguous
DECIDED = {"ambiguous_number": "decimal_separator", "ambiguous_dates": "dates"}


@dataclass(frozen=True)
class Source:
    """A file with bank statements. sources: the `importing.source` of each statement."""

    statements: list
    sources: list


@contextmanager
def receive(environ, config, query):
    """Yield the Source of a request. The content decides on the format, not the media type.

    Raise 413, 415 or 503 as uploads do, and 422 if the file is not a complete statement.
    """
    own = own_columns(query)
    with uploads.stored(environ, config, config.max_import_mb * 1024 * 1024) as upload:
        environ["eventapi.raw_body"] = upload.sha256.encode()
        remembered = [] if own else formats.candidates(environ["eventapi.connections"].reader())
        found = parse(environ, config, upload, query.get("account"), own, remembered)
        owns = {each["id"]: each["own"] for each in remembered}
        sources = [
            importing.source(upload.sha256, own or owns.get(statement.format_id))
            for statement in found
        ]
        yield Source(found, sources)


def own_columns(query):
    """Return the columns of a CSV file that a request names, see `csv_forms.forms_of`, or None.

    Raise 422.

    `column_state` alone is that of a bank that is known.
    """
    own = formats.own_of(query) or {}
    columns = {name for name in query if name.startswith(formats.COLUMN)}
    names_all = bool(columns - {"column_state"})
    if names_all and "booked_on" not in own:
        raise invalid_parameter(
            "column_booked_on", "required", "is required together with other columns"
        )
    if names_all and "amount" not in own and not own.keys() >= {"debit", "credit"}:
        raise invalid_parameter(
            "column_amount",
            "required",
            "is required together with other columns, unless the "
            "file has `column_debit` and `column_credit`",
        )
    if "states" in query and "state" not in own:
        raise invalid_parameter(
            "states",
            "excluded",
            "can be sent only with `column_state`, the column with the "
            "states. Name that column, or leave it out",
        )
    for name in formats.STYLE:
        if name in query and not names_all:
            raise invalid_parameter(
                name,
                "excluded",
                "can be sent only with `column_booked_on` and other columns. Leave it out: how the banks "
                "that are recognised write is known",
            )
    if "decimal" in own and own["decimal"] == own.get("thousands"):
        raise invalid_parameter(
            "thousands_separator",
            "excluded",
            f"is the decimal separator, {own['decimal']}, so no number could be read. Send one of "
            "them",
        )
    if "states" in query and not own["states"]:
        raise invalid_parameter(
            "states",
            "min_items",
            "must have at least one word that means booked. Leave it out "
            "if booked, completed, gebucht and abgeschlossen are enough",
        )
    return own or None


def parse(environ, config, upload, account, own, remembered):
    """Return the Statements of an upload, read by the columns `own`, or by remembered ones
    (formats.candidates).

    Raise 422 if it is none, and 503 if too many others are being parsed.
    """
    try:
        with uploads.parsing(environ), files.opened(upload.path) as file:
            named = accounts.compact(account) if account else None
            ibans = importing.own_accounts(config)
            return parsed.read(file, named, config.data_dir, own, ibans, remembered)
    except processes.Stopped as reason:
        raise invalid_at(
            "",
            "reading_stopped",
            f"cannot be imported: reading it {reason}. Send the statements in several files, such as "
            "one for each month",
        ) from None
    except Refused as error:
        if error.code in DECIDED:
            together = "" if own else ", together with the columns, which are remembered"
            raise invalid_parameter(
                DECIDED[error.code], error.code, f"is required for this file{together}. {error}"
            ) from None
        if error.code == "account_required":
            raise importing.account_required(importing.own_accounts(config)) from None
        what = (
            "is not a bank statement that can be imported"
            if error.code == "statement"
            else "cannot be imported"
        )
        raise invalid_at("", error.code, f"{what}. {error}") from None


def import_statements(write, db, values):
    """Return the result of an import, see domain/bank/importing."""
    query, upload = values["query"], values["upload"]
    importing.refuse_foreign(db.config, upload.statements)
    importing.refuse_future(db.config, upload.statements)
    books = query["auto"] == "exact" and not import_warnings.has_unread_state(upload.statements)
    if query["dry_run"] in YES:
        return importing.dry_run(db, upload.statements, books)
    named = formats.named_in(query) if names_columns(formats.own_of(query) or {}) else None
    return importing.run(write, db, upload.statements, upload.sources, named, books)


@routes.post(
    "/payments/import",
    query="bank_statement.import",
    raw_body=FORMS,
    receive=receive,
    in_pieces=import_statements,
    response="bank_statement.imported",
    status=201,
    again=200,
)
def import_payments(query, upload, before):
    """Import bank statements.

    The body is a statement as the bank offers it for download: camt.053 (ISO 20022, such as
    `camt.053.001.02` and `.08`), camt.052, a ZIP archive of such files, or CSV. A report in
    camt.052 that lacks its opening or closing balance is imported with the warning
    `balance_unproven` in meta. The CSV of German banks is
    recognised; that of another bank needs the names of its columns (`column_booked_on`,
    `column_amount` and so on). They are remembered for its account and header line, unless it is a
    dry run: the next file needs none, and `format_id` of its statements is that of
    `GET /payments/import/formats`. A file without a header line (422 `no_header`) has the columns
    `1`, `2` and so on. How such a file writes amounts and days is found from all its rows;
    if two readings are possible, `decimal_separator` (422 `ambiguous_number`) or `dates` (422
    `ambiguous_dates`) decides. Lines below the rows without day and amount are left out, with the
    warning `rows_skipped` in meta. Only booked transactions are imported, batches as their single
    transactions, at most 50,000 in a request. The others are counted in `skipped_pending`, and
    named in `warnings` of meta (`pending_rows`). If a CSV file has a column that looks like the
    state of its rows and is not read, the warning `state_column` names it, and nothing is booked:
    send `column_state`, for a bank that is recognised without other columns. The account must be
    `organiser_iban` or one of `bank_accounts`; a file may name it by its old number.

    A transaction is stored once: the same file may be sent again, in pieces, or overlapping with
    others. With `auto=exact`, transactions that match an invoice exactly become payments. GET
    /payments/unmatched lists the others.

    201 if transactions were imported or booked, otherwise 200. After an interrupted import, send
    the file again.
    """
    status = 201 if not before["dry_run"] and (before["imported"] or before["booked"]) else 200
    warnings = import_warnings.warnings_of_rows(upload.statements)
    return Response(before, status, meta={"warnings": warnings} if warnings else {})


@routes.list("/payments/imports", singular="bank_statement", query="bank_statement.query")
def list_payment_imports(db, query):
    """List imported statements.

    `missing` shows gaps: numbers of statements that were not imported, and balances that do not
    follow each other.
    """
    return page(
        db,
        sql.statements,
        {**compact_account(query), "include": ["missing"]},
        includes={"missing": transactions.attach_gaps},
    )


@routes.list("/payments/unmatched", query="bank_transaction.query")
def list_unmatched_payments(db, query):
    """List bank transactions that no payment accounts for.

    The list has the open transactions unless `status` is given, each with its `proposals`.
    """
    query = compact_account(query)
    places = money.decimals(query.get("currency") or db.config.currency)
    if query.get("min_amount") is not None:
        query["min_amount"] = money.at_least(query["min_amount"], places)
    if query.get("max_amount") is not None:
        query["max_amount"] = money.at_most(query["max_amount"], places)
    if query.get("search"):
        query["search"] = folding.pattern(query["search"])
    return page(
        db,
        sql.list,
        {**query, "include": ["proposals"]},
        includes={"proposals": transactions.attach},
    )


@routes.get("/payments/unmatched/<id>")
def get_unmatched_payment(db, id):
    """Get a bank transaction with its proposals and assignments."""
    return transactions.complete(db, [row(db, id)])[0]


@routes.post(
    "/payments/unmatched/<id>/assign",
    schema="bank_transaction.assign",
    response="bank_transaction",
    status=200,
    desk=Desk(fields=(), fixed=("assign_number", "assign_amount", "assign_invoice_amount")),
)
def assign_unmatched_payment(db, id, body):
    """Assign a bank transaction to invoices.

    Money that came in is recorded as a payment of each invoice, and money that went out as a
    refund. What is not assigned stays open. To undo an assignment, delete its payment or refund.
    """
    return transactions.complete(db, [settling.assign(db, row(db, id), body.get("invoices"))])[0]


@routes.post(
    "/payments/unmatched/<id>/ignore",
    schema="bank_transaction.ignore",
    response="bank_transaction",
    status=200,
    desk=Desk(),
)
def ignore_unmatched_payment(db, id, body):
    """Ignore a bank transaction: it belongs to no invoice."""
    return transactions.complete(db, [transactions.ignore(db, row(db, id), body.get("reason"))])[0]


@routes.post(
    "/payments/unmatched/<id>/reopen", response="bank_transaction", status=200, desk=Desk()
)
def reopen_unmatched_payment(db, id):
    """Put an ignored bank transaction back on the list."""
    return transactions.complete(db, [transactions.reopen(db, row(db, id))])[0]


def row(db, id):
    return found(transactions.row(db, id), "bank transaction", id)


def compact_account(query):
    """Return the query with its account without spaces."""
    return (
        {**query, "account": accounts.compact(query["account"])} if query.get("account") else query
    )
