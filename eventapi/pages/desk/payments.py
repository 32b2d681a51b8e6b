"""Payments and dunning letters at the desk: the lists of all of them."""

from functools import partial

from eventapi.languages import formats
from eventapi.pages.desk import api, events, excel, labels, list_pages, lists
from eventapi.web.routes import Routes

routes = Routes(
    "desk-payments",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)


def paid_invoice(row, w, write):
    """Return the Cell with the invoice that was paid, and the name of the transaction."""
    number = write.invoice(row["invoice_number"])
    return lists.Cell(
        number, address=f"invoices/{row['invoice_id']}", small=row["transaction_id"] or ""
    )


def way(row, w, write):
    """Return the Cell with how it was paid."""
    return lists.Cell(w("by_offset") if row["offset_id"] else row["gateway_name"] or "")


def amount(row, w, write):
    """Return the Cell with the amount of a payment, and what of it was paid back."""
    back = ""
    if row["refunded_amount"]:
        back = w("paid_back", amount=write.money(row["refunded_amount"], row["currency"]))
    text = write.money(row["amount"], row["currency"])
    return lists.Cell(text, small=back, value=formats.exact(row["amount"], row["currency"]))


PAYMENTS = lists.listing(
    name="payments",
    address="money/payments",
    menu="money",
    handler="list_payments",
    row_name=lambda row: row["invoice_number"],
    columns=(
        lists.Column("invoice", paid_invoice, "c-main"),
        lists.Column(
            "day", partial(lists.day, "payment_date"), "num", sort="payment_date", is_down=True
        ),
        lists.Column("way", way),
        lists.Column("state", lists.state, sort="status"),
        lists.Column("amount", amount, "r num c-sum", sort="amount", is_down=True),
        lists.Column("currency", lists.currency, is_default=False),
    ),
    views=(
        lists.View(None, "all", {}),
        lists.View("pending", "=pending", {"status": "pending"}),
        lists.View("completed", "=completed", {"status": "completed"}),
        lists.View("failed", "=failed", {"status": "failed"}),
        lists.View("refunded", "=refunded", {"status": "refunded"}),
        lists.View("cancelled", "=cancelled", {"status": "cancelled"}),
    ),
    sort="-payment_date",
    of_show=False,
    sheet=excel.Sheet(always=("currency",)),
)


@routes.get("/money/payments")
def get_desk_payments(db, request):
    """Return all payments, the last one first."""
    return list_pages.render_list(db, request, PAYMENTS, events.current(db))


def letter(row, w, write):
    """Return the Cell with the invoice of a letter, and the customer."""
    number = write.invoice(row["invoice_number"])
    return lists.Cell(
        number, address=f"invoices/{row['invoice_id']}", small=row["buyer_name"] or ""
    )


def level(row, w, write):
    """Return the Cell with the level of a letter."""
    return lists.Cell(row["level_name"])


def delivery(row, w, write):
    """Return the Cell with how a letter reached the customer, or that it was withdrawn."""
    if row["withdrawn_on"]:
        return lists.Cell(
            marks=(lists.Mark("", w("withdrawn_on", day=write.day(row["withdrawn_on"]))),)
        )
    found = lists.delivery_mark(row, w, write)
    return lists.Cell(marks=(found,) if found else ())


LETTERS = lists.listing(
    name="letters",
    address="money/letters",
    menu="money",
    handler="list_dunning_letters",
    row_name=lambda row: row["invoice_number"],
    columns=(
        lists.Column("invoice", letter, "c-main"),
        lists.Column("level", level),
        lists.Column("sent", partial(lists.day, "sent_on"), "num"),
        lists.Column("deadline", partial(lists.day, "deadline"), "num", is_said=True),
        lists.Column("delivery", delivery),
        lists.Column("claim", partial(lists.amount, "total_claim"), "r num c-sum"),
        lists.Column("currency", lists.currency, is_default=False),
    ),
    views=(
        lists.View(None, "all", {}),
        lists.View("open", "letters_open", {"open": 1}),
    ),
    sort="-id",
    has_all_shows=True,
    is_searched=False,
    sheet=excel.Sheet(always=("currency",)),
)


@routes.get("/money/letters")
def get_desk_letters(db, request):
    """Return the dunning letters of the show in hand, the last one first."""
    texts = labels.words(request)
    links = [("money/dunning", texts["tab_dunning"], False)] if api.may(request, "invoices") else []
    return list_pages.render_list(db, request, LETTERS, events.current(db), links=links)
