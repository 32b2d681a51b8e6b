"""Bank statements at the desk: import a file, or let it wait until the admin has said how to read
it.
"""

import os
from urllib.parse import urlencode

from eventapi.calls import desk
from eventapi.domain.bank import csv_tables, importing, parsed, waiting
from eventapi.errors import Problem
from eventapi.pages.desk import actions, api, labels, money
from eventapi.pages.desk.page import render_page
from eventapi.parsing import processes
from eventapi.resources import bank_statements
from eventapi.validation.identifiers import accounts as ibans
from eventapi.web import uploads
from eventapi.web.html import page_requests, shell
from eventapi.web.html.schema_forms import Form
from eventapi.web.routes import Routes

routes = Routes(
    "desk-statements",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

# Refusals that end if the admin says how to read the file.
REASONS = frozenset(
    (
        "account_required",
        "other_account",
        "unknown_columns",
        "no_header",
        "columns_missing",
        "ambiguous_number",
        "ambiguous_dates",
    )
)
# Refusals that end if columns were remembered wrongly, and the admin corrects them.
WRONG = frozenset(("unreadable_value", "balance_differs", "future_booking"))
ASKED = "asked"  # the admin wants to see first how the file is read
UNREAD = "state_column"  # the warning about a column that seems to say which rows are booked

COLUMNS = (
    "column_booked_on",
    "column_amount",
    "column_credit",
    "column_debit",
    "column_party",
    "column_text",
    "column_iban",
)
STATE = ("column_state", "states")
RARE = ("column_end_to_end_id", "column_currency", "column_account")
STYLE = ("decimal_separator", "thousands_separator", "dates")
EMPTY = {name: [""] for name in ("account", *COLUMNS, *STATE, *RARE, *STYLE)}
LARGEST_SAMPLE = 24  # characters of a cell beside the name of its column


# Sending a file


def largest(config):
    """Return the largest bank statement in bytes."""
    return config.max_import_mb * 1024 * 1024


@routes.post("/money/statement", batch=True, shows=money.get_desk_bank, file=largest)
def import_desk_statement(request, upload):
    """Import a bank statement. What matches an invoice exactly becomes a payment.

    A file that is refused for want of a choice waits for it, and so does one for which the admin
    wants to be asked: the columns that are remembered for it may be wrong.
    """
    query = query_of(request)
    is_asked = bool(request.fields.get("ask"))
    with open(upload.path, "rb") as file:
        try:
            reason = reason_to_ask(request, upload, file, query, is_asked=is_asked)
            if reason is None:
                return lead(request, send(request, file, query))
        except Problem as problem:
            reason = reason_of(problem, (REASONS | WRONG) if is_asked else REASONS)
            if reason is None:
                raise
    config = desk.running()["eventapi.config"]
    id = waiting.keep(config, request.who.admin_id, upload)
    asked = {"why": reason, **{name: query[name] for name in ("account", "auto") if name in query}}
    return page_requests.see_other(request, f"money/statement/{id}?{urlencode(asked)}")


def reason_to_ask(request, upload, file, query, *, is_asked):
    """Return why a file that can be read waits all the same, or None: ASKED if `is_asked`, UNREAD if it
    has a column that seems to say which rows are booked.

    Once they are imported, rows that are not booked cannot be told from others. XML says it itself.
    """
    is_xml = upload.head.lstrip().startswith(b"<")
    if is_xml and not is_asked:
        return None
    response = send(request, file, {**query, "dry_run": "true"})
    if UNREAD in codes_of(response):
        return UNREAD
    return ASKED if is_asked else None


def reason_of(problem, reasons=REASONS):
    """Return the code of a refusal that ends if the admin says how to read the file, or None."""
    codes = {error["code"] for error in problem.errors or ()}
    return codes.pop() if len(codes) == 1 and codes <= reasons else None


def query_of(request):
    """Return the parameters of an import that a form names."""
    query = {"auto": "exact"} if request.fields.get("auto") else {}
    for name in EMPTY:
        text = (request.fields.get(name) or [""])[0]
        if name != "thousands_separator":  # which may be a space
            text = text.strip()
        if text:
            query[name] = text
    if not any(name in query for name in (*COLUMNS, *RARE)):
        query = {name: text for name, text in query.items() if name not in STYLE}
    return query


def send(request, file, query):
    """Return the response of the API to the import of an open file."""
    file.seek(0)
    size = os.fstat(file.fileno()).st_size
    return actions.run(
        request,
        "import_payments",
        {},
        None,
        query=urlencode(query),
        upload=("application/xml", file, size),
    )


def codes_of(response):
    """Return the codes of the warnings of an import about rows."""
    return {warning["code"] for warning in response.meta.get("warnings", ())}


def lead(request, response):
    """Return the redirection to the page of the bank, which says what was read."""
    counts = {name: response.data[name] for name in money.READ}
    codes = codes_of(response)
    if UNREAD in codes:
        counts["unread"] = 1
    for name in money.WARNINGS:
        if name in codes:
            counts[name] = 1
    return page_requests.see_other(
        request, f"money/bank?{urlencode({**counts, 'done': 'import_payments'})}"
    )


# A file that waits


@routes.get("/money/statement/<id>")
def get_desk_statement(db, request, id):
    """Return the page that asks how to read a statement that waits, with its first rows."""
    api.require_call(request, "import_payments")
    with waiting.opened(db.config, request.who.admin_id, id) as file:
        if file is None:
            return money.bank_page(db, request, status=404, is_gone=True)
        return statement_page(db, request, file)


@routes.post("/money/statement/<id>", batch=True, shows=get_desk_statement)
def read_desk_statement(request, id):
    """Import a statement that waits as the form says, try it, or discard it."""
    api.require_call(request, "import_payments")
    environ = desk.running()
    db = environ["eventapi.connections"].reader()
    admin_id = request.who.admin_id
    action = (request.fields.get("action") or [""])[0]
    with waiting.opened(db.config, admin_id, id) as file:
        if file is None:
            return money.bank_page(db, request, status=404, is_gone=True)
        if action == "discard":
            waiting.discard(db.config, admin_id, id)
            return page_requests.see_other(request, "money/bank", done="discard_statement")
        query = query_of(request)
        if action != "read":
            trial = send(request, file, {**query, "dry_run": "true"})
            return statement_page(db, request, file, trial)
        response = send(request, file, query)
    waiting.discard(db.config, admin_id, id)
    return lead(request, response)


def statement_page(db, request, file, trial=None):
    """Return the page about a statement that waits. `trial` is the response of its dry run."""
    preview = preview_of(db.config, file, query_of(request), is_trial=trial is not None)
    table = preview["table"]
    form = form_of(request, db.config, table)
    given = {**EMPTY, **(request.fields or first_texts(table))}
    return render_page(
        db,
        request,
        "statement",
        menu="money",
        form=form,
        given=given,
        fields={field.name: field for field in form.fields},
        columns=(*COLUMNS, *STATE, *RARE),
        numbers=STYLE,
        rare=rare_of(given, table),
        table=table,
        read_as=preview["entries"],
        is_stopped=preview["is_stopped"],
        trial=trial and trial_of(trial),
        why=None if request.fields else reason_asked(),
        warnings=money.WARNINGS,
    )


def reason_asked():
    """Return the reason for which the file waits, as the address names it, or None."""
    why = shell.asked("why").get("why")
    return why if why in REASONS | WRONG | {ASKED, UNREAD} else None


def preview_of(config, file, query, *, is_trial):
    """Return the preview of an open file (parsed.look), without table and entries if it has none, and
    whether the process that reads it was stopped as `is_stopped`.
    """
    nothing = {"table": None, "entries": None, "is_stopped": False}
    own = bank_statements.own_columns(query) if is_trial else None
    account = ibans.compact(query["account"]) if "account" in query else None
    file.seek(0)
    try:
        with uploads.parsing(desk.running()):
            found = parsed.look(
                file,
                config.data_dir,
                account,
                own,
                importing.own_accounts(config),
                reads=is_trial,
            )
    except processes.Stopped:
        return {**nothing, "is_stopped": True}
    except ValueError:  # the import says why it cannot be read
        return nothing
    return {**nothing, **found}


def trial_of(response):
    """Return {counts, codes, accounts, starts_on, ends_on} of a dry run."""
    statements = response.data["statements"]
    starts = [each["from_date"] for each in statements if each["from_date"]]
    ends = [each["to_date"] for each in statements if each["to_date"]]
    return {
        "counts": {name: response.data[name] for name in money.READ},
        "codes": codes_of(response),
        "accounts": list(dict.fromkeys(each["account"] for each in statements)),
        "starts_on": min(starts, default=None),
        "ends_on": max(ends, default=None),
    }


# Its form


def form_of(request, config, table):
    """Return the form with what can be said of a file with this table (parsed.look)."""
    texts = labels.words(request)
    accounts = [(iban, iban) for iban in importing.own_accounts(config)]
    is_asked = "account_required" in (
        reason_asked(),
        request.problem and reason_of(request.problem),
    )
    first = texts["choose"] if is_asked else texts["statement_account_of_file"]
    offered = {"account": [("", first), *accounts]}
    names = ["account"]
    if table and table["bank"] is None:
        names += [*COLUMNS, *STATE, *RARE, *STYLE]
    elif table and table["states"]:
        names += STATE
    columns = [("", texts["no_column"]), *map(option, table["columns"].items())] if table else []
    for name in names:
        if name.startswith("column_"):
            offered[name] = columns
    form = Form(
        "bank_statement.import",
        "POST",
        labels.of(request, "bank_statement"),
        names=names,
        choices=offered,
        language=request.language,
    )
    for field in form.fields:
        field.is_required = field.name == "column_booked_on"
        if field.name in STYLE:
            field.options.insert(0, ("", texts["style_found"]))
        if field.name == "states":
            field.help = " ".join([*states_found(texts, table), field.help])
    return form


def states_found(texts, table):
    """Return a sentence about each column that seems to say which rows are booked."""
    return [
        texts["statement_states"].format(name=name, texts=", ".join(found))
        for name, found in table["states"].items()
        if found
    ]


def option(column):
    """Return (value, label) of a column: its name, and what is in its first row."""
    name, sample = column
    if len(sample) > LARGEST_SAMPLE:
        sample = f"{sample[:LARGEST_SAMPLE]}…"
    return name, f"{name} · {sample}" if sample else name


def first_texts(table):
    """Return the texts that the form has at first: what the address names, and of the columns those
    that are remembered for this header line, or the best guess.
    """
    given = {name: [text] for name, text in shell.asked("account", "auto").items()}
    if table and table["bank"] is None:
        guess = {f"column_{field}": name for field, name in table["guess"].items()}
        found = remembered(table["key"], shell.asked("account").get("account")) or guess
        given |= {name: [text] for name, text in found.items()}
    elif table and table["states"]:
        given["column_state"] = [next(iter(table["states"]))]
    return given


def remembered(key, account):
    """Return the parameters that are remembered for the header line with this key (csv_tables), of
    this account rather than of another one, or None.
    """
    found = [
        row
        for row in api.everything("list_payment_import_formats")
        if csv_tables.key_of(row["header"]) == key
    ]
    found.sort(key=lambda row: row["account"] != account)
    return found[0]["query"] if found else None


def rare_of(given, table):
    """Return the fields that the page folds away: columns that few files have, and this one has not."""
    if table and table["bank"]:
        return []
    rare = [name for name in RARE if not given[name][0]]
    return rare if given["column_state"][0] else [*STATE, *rare]
