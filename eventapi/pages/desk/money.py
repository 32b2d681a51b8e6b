"""Money at the desk: drafts to send, overdue invoices, dunning letters, one invoice, the bank."""

import re
from functools import partial
from urllib.parse import urlencode

from eventapi import times
from eventapi.domain.bank import importing, waiting
from eventapi.domain.billing.invoices import SHOWN_OPEN
from eventapi.domain.mail import queue as mails
from eventapi.errors import invalid_at
from eventapi.languages import countries, formats
from eventapi.pages.desk import (
    actions,
    api,
    bank_rules,
    batches,
    events,
    excel,
    findings,
    gaps,
    labels,
    list_pages,
    lists,
)
from eventapi.pages.desk.applications import notes
from eventapi.pages.desk.exhibitor import history, with_buttons
from eventapi.pages.desk.page import here, render_page
from eventapi.web.html import page_requests, shell
from eventapi.web.routes import Routes

routes = Routes(
    "desk-money",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

LETTERS = 40  # dunning letters of one call of the API
PDF = "application/pdf"


def invoice(row, w, write):
    """Return the Cell with the number of an invoice."""
    return lists.Cell(write.invoice(row["invoice_number"]), address=f"invoices/{row['id']}")


def customer(row, w, write):
    """Return the Cell with the customer: the contact, or the buyer that the invoice has."""
    if row["contact"]:
        return lists.Cell(labels.named(row["contact"]))
    return lists.Cell((row.get("buyer") or {}).get("name") or "")


def kind(row, w, write):
    """Return the Cell with the kind of a document: invoice, deposit invoice or credit note."""
    return lists.Cell(w("=deposit" if row["is_deposit"] else f"={row['invoice_type']}"))


def state(row, w, write):
    """Return the Cell with the status, whether it is disputed, and how it is sent."""
    marks = [lists.Mark(labels.tone(row["status"]), w("=" + row["status"]))]
    if row["is_disputed"]:
        marks.append(lists.Mark("bad", w("is_disputed")))
    way = lists.delivery_mark(row, w, write)
    if way:
        marks.append(way)
    return lists.Cell(marks=tuple(marks))


def open_amount(row, w, write):
    """Return the Cell with what is open. Nobody owes a draft, and the total leaves it out."""
    if row["status"] == "draft":
        return lists.Cell()
    return lists.amount("open_amount", row, w, write)


def invoiced(totals, write):
    """Return the sum of the totals of what was sent. A list of drafts has none."""
    return lists.total_of("invoiced", totals, write) if totals.get("invoiced") else ""


INVOICES = lists.listing(
    name="money",
    address="money",
    menu="money",
    handler="list_invoices",
    row_name=lambda row: row["invoice_number"],
    columns=(
        lists.Column("invoice", invoice, "c-main", sort="invoice_number"),
        lists.Column("kind", kind, is_default=False),
        lists.Column("customer", customer, "c-next", include=("contact",)),
        lists.Column("number", partial(lists.text, "customer_number"), is_default=False),
        lists.Column("state", state, sort="status"),
        lists.Column(
            "issued",
            partial(lists.day, "issue_date"),
            "num",
            sort="issue_date",
            is_down=True,
            is_default=False,
        ),
        lists.Column("due", partial(lists.day, "due_date"), "num", sort="due_date", is_said=True),
        lists.Column("net", partial(lists.amount, "subtotal"), "r num", is_default=False),
        lists.Column("tax", partial(lists.amount, "tax_total"), "r num", is_default=False),
        lists.Column(
            "total",
            partial(lists.amount, "total"),
            "r num",
            sort="total",
            is_down=True,
            is_said=True,
            total=invoiced,
        ),
        lists.Column(
            "open",
            open_amount,
            "r num c-sum",
            is_said=True,
            total=partial(lists.total_of, "open"),
        ),
        lists.Column("currency", lists.currency, is_default=False),
    ),
    sheet=excel.Sheet(always=("kind", "number", "issued", "net", "tax", "currency")),
    views=(
        lists.View("draft", "money_draft", {"status": "draft"}, sort="id", none="no_money_draft"),
        lists.View(
            "overdue", "money_overdue", {"overdue": 1}, sort="due_date", none="no_money_overdue"
        ),
        lists.View(
            "sent", "money_sent", {"status": "sent", "type": "invoice"}, none="no_money_sent"
        ),
        lists.View(
            "partially_paid",
            "money_partially_paid",
            {"status": "partially_paid"},
            none="no_money_partially_paid",
        ),
        lists.View("paid", "money_paid", {"status": "paid"}, none="no_money_paid"),
        lists.View("all", "money_all", {}, none="no_money_all"),
    ),
    search_view="all",
    has_all_shows=True,
    has_totals=True,
    actions=(
        lists.Action(
            "batch/invoices/send", "batch_invoices_send", "send_invoice", views=("draft",)
        ),
        lists.Action(
            "batch/invoices/remind", "batch_invoices_remind", "send_invoice", views=("overdue",)
        ),
    ),
)


@routes.get("/money")
def get_desk_money(db, request):
    """Return the invoices of the event in hand, or of all events, by what is to be done."""
    texts = labels.words(request)
    count = to_print_count(request)
    to_print = texts["to_print_n"].format(n=count) if count else texts["tab_to_print"]
    links = [("money/dunning", texts["tab_dunning"], False), ("money/to_print", to_print, False)]
    if api.may(request, "payments"):
        links.insert(0, ("money/bank", texts["tab_bank"], False))
        links.insert(1, ("money/payments", texts["tab_payments"], False))
    return list_pages.render_list(db, request, INVOICES, events.current(db), links=links)


def to_print_count(request):
    """Return how many invoices and letters have to be printed."""
    _, letters = api.rows("list_dunning_letters", delivery="to_print", open=1, per_page=1)
    _, invoices = api.rows("list_invoices", delivery="to_print", per_page=1)
    return letters + invoices


@routes.get("/invoices/<id>")
def get_desk_invoice(db, request, id):
    """Return one invoice: its lines, what it lacks, payments, letters, and what can be done."""
    row = api.record(
        "get_invoice", id, include=("items", "payments", "contact", "dunning", "allowed_actions")
    )
    checked = None
    whom_to_tell = {}
    if row["status"] == "draft":
        checked = api.check("check_invoice", id=id)
        whom_to_tell = {
            kind: findings.lead_to_fields(db, request, row, checked[kind], here())
            for kind in ("faults", "warnings")
        }
    payments = row["payments"]
    if api.may(request, "payments"):
        found = api.everything("list_payments", include=("allowed_actions",), invoice_id=id)
        allowed = {each["id"]: each["allowed_actions"] for each in found}
        payments = [{**each, "allowed_actions": allowed[each["id"]]} for each in payments]
        payments = [with_buttons(request, "payments", each) for each in payments]
        for each in payments:
            each["buttons"] += actions.one(request, "delete_payment", id=each["id"])
    standing = [letter for letter in row["dunning"] if not letter["withdrawn_on"]]
    for letter in row["dunning"]:
        letter["buttons"] = (
            actions.one(request, "withdraw_dunning", id=id, item_id=letter["id"])
            if letter in standing[-1:]
            else []
        )
    event = row["event_key"] and events.by_key(db, row["event_key"])
    # The money of a credit note is given back on the payments of its invoice.
    pay = (
        row["invoice_type"] == "invoice"
        and row["status"] in SHOWN_OPEN
        and api.may_call(request, "create_payment")
    )
    return render_page(
        db,
        request,
        "invoice",
        menu="money",
        current=event,
        title=labels.invoice_number(labels.words(request), row["invoice_number"]),
        row=row,
        checked=checked,
        whom_to_tell=whom_to_tell,
        address=address_lines(request, row),
        credit_notes=credit_notes_of(row),
        payments=payments,
        buttons=actions.of(request, "invoices", row),
        delete=actions.one(request, "delete_invoice", id=id) if row["status"] == "draft" else [],
        pay=pay and actions.action(request, "create_payment"),
        notes=notes(request, "invoice", id),
        entity=("invoice", id),
        history=history(request, "invoice", id),
        today=times.today(db.config.timezone),
    )


def address_lines(request, row):
    """Return the lines of the customer's postal address: as sent, or of a draft as it is now.

    A draft's are left out for those who may not read contacts.
    """
    party = row["buyer"]
    if not party and row["contact"] and api.may(request, "contacts"):
        party = api.read("get_contact", id=row["contact"]["id"]).data
    if not party:
        return []
    place = " ".join(party[name] for name in ("postal_code", "city") if party[name])
    country = countries.name(party["country"], request.language) if party["country"] else None
    return [line for line in (party["address"], place, country) if line]


def credit_notes_of(row):
    """Return the credit notes of an invoice, drafts too, the first one first."""
    if row["invoice_type"] != "invoice":
        return []
    query = {"related_invoice_id": row["id"], "sort": "id", "per_page": 100}
    return api.read("list_invoices", query=query).data


@routes.get("/invoices/<id>/pdf")
def get_desk_invoice_pdf(request, id):
    """Return the PDF of an invoice for download."""
    return downloaded(api.read("get_invoice_pdf", id=id, form=PDF))


def downloaded(response):
    """Return a file of the API as a download that nobody keeps."""
    response.headers.update(
        {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "same-origin"}
    )
    return response


# Dunning


@routes.get("/money/dunning")
def get_desk_dunning(db, request):
    """Return the letters that are due, with what each claims: the look before sending them."""
    asked = shell.asked("page", "event", *TOLD)
    response = api.read("list_due_dunnings", query={"per_page": 100, "page": lists.page_of(asked)})
    return render_page(
        db,
        request,
        "dunning",
        menu="money",
        rows=response.data,
        total=response.meta["total"],
        asked=asked,
        told=told_of_letters(request, asked),
        to_print=number_of(asked, "to_print"),
        can_mail=mails.is_configured(db.config),
        print_count=to_print_count(request),
        warnings=[each["code"] for each in response.meta.get("warnings", [])],
        paging=lists.paging(asked, response.meta["total"], 100),
        may_send=api.may_call(request, "send_dunnings"),
        held_back=partial(held_back, request.language, db.config.timezone),
    )


def held_back(language, timezone, row):
    """Return why a letter that is due is not sent, with the credit or the pending payment that is the reason."""
    texts = page_requests.words(labels.PACKAGE, language)
    values = {}
    if row["held_back"] == "credit_open":
        values["amount"] = formats.money(row["credit"], row["currency"], language)
    elif row["held_back"] == "payment_pending":
        day = times.local_date(row["pending_date"], timezone)
        values["amount"] = formats.money(row["pending_amount"], row["currency"], language)
        values["day"] = formats.day(day, language)
    sentence = texts.get(f"held_{row['held_back']}") or texts["held_back"]
    return sentence.format(**values)


# What the page says of the letters that were just sent.
TOLD = ("queued", "to_print", "left")


def told_of_letters(request, asked):
    """Return what became of the letters that were just sent, and of those that were not, or None."""
    if "queued" not in asked:
        return None
    counts = {name: number_of(asked, name) for name in TOLD}
    counts["held_back"] = api.rows("list_due_dunnings", held_back=1, per_page=1)[1]
    return labels.deliveries(labels.words(request), counts)


def number_of(asked, name):
    """Return a number of the query, 0 without one."""
    text = asked.get(name) or ""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else 0


@routes.post("/money/dunning", batch=True, shows=get_desk_dunning, signs_in=False)
def send_desk_dunnings(request):
    """Send the letters of the ticked invoices, oldest due date first."""
    ids = batches.ids_of(request)
    if not ids:
        raise invalid_at("/ids", "min_items", "tick at least one invoice")
    body = {
        "invoice_ids": ids,
        "mail": None if request.fields.get("mail") else "post",
        "dry_run": False,
    }

    def back(response):
        counts = {name: response.data["counts"][name] for name in ("queued", "to_print")}
        told = urlencode({**counts, "left": response.data["left"]})
        return page_requests.see_other(request, f"money/dunning?{told}")

    return actions.once(request, "send_dunnings", {}, body, back)


@routes.get("/invoices/<id>/letters/<item_id>/pdf")
def get_desk_letter(request, id, item_id):
    """Return a dunning letter for printing."""
    return downloaded(api.read("get_dunning_pdf", id=id, item_id=item_id, form=PDF))


# The bank

# What the page says of an import, by the names of its result. `unread` is there if a column with
# states was not read.
READ = (
    "imported",
    "known",
    "put_aside",
    "booked",
    "proposed",
    "unmatched",
    "skipped_pending",
)
# Warnings of an import that the page shows.
WARNINGS = ("rows_skipped", "balance_unproven")


@routes.get("/money/bank")
def get_desk_bank(db, request):
    """Return the transactions that no payment accounts for, each with proposals to assign it with
    one click.
    """
    return bank_page(db, request)


def bank_page(db, request, *, status=None, is_gone=False):
    """Return the page of the bank. `is_gone`: it says that a statement does not wait any more."""
    asked = shell.asked("q", "page", "event", "show", *READ, "unread", *WARNINGS)
    state = asked.get("show") if asked.get("show") in ("open", "ignored", "assigned") else None
    rows, total = api.rows(
        "list_unmatched_payments",
        search=asked.get("q"),
        status=state,
        per_page=20,
        page=lists.page_of(asked),
    )
    may_import = api.may_call(request, "import_payments")
    return render_page(
        db,
        request,
        "bank",
        menu="money",
        status=status,
        rows=rows,
        total=total,
        asked=asked,
        state=state,
        paging=lists.paging(asked, total, 20),
        may_assign=api.may_call(request, "assign_unmatched_payment"),
        may_import=may_import,
        counts=READ,
        warnings=WARNINGS,
        accounts=importing.own_accounts(db.config),
        no_account=gaps.no_account(db, request, "no_account"),
        chosen=chosen_account(request),
        rules=bank_rules.of_rows(rows),
        is_gone=is_gone,
        waits=waiting.current(db.config, request.who.admin_id) if may_import else None,
    )


def chosen_account(request):
    """Return the account that the form of a statement names, or ""."""
    texts = request.fields.get("account") or [""]
    return texts[0]
