"""Invoices and dunning letters to be printed and posted, and those whose mail has failed."""

from urllib.parse import urlencode

from eventapi import times
from eventapi.errors import invalid_at
from eventapi.pages.desk import actions, api
from eventapi.pages.desk.money import downloaded
from eventapi.pages.desk.page import render_page
from eventapi.storage import folding
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import id_of
from eventapi.web.routes import Routes

routes = Routes(
    "desk-to-print",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

GROUPS = ("to_print", "failed")  # values of `delivery`, each with a form of its own
MOST = 200  # documents of a group: those of one PDF
PDF = "application/pdf"


@routes.get("/money/to_print")
def get_desk_to_print(db, request):
    """Return what has to be printed, by the name of the customer as in the PDF."""
    asked = shell.asked("event", "posted")
    groups = [group(delivery) for delivery in GROUPS]
    return render_page(
        db,
        request,
        "to_print",
        menu="money",
        asked=asked,
        groups=[each for each in groups if each["total"]],
        today=times.today(db.config.timezone),
        may_enter=api.may_call(request, "post_invoices"),
    )


def group(delivery):
    """Return the documents with a delivery as the page shows them: at most MOST, letters first."""
    letters, all_letters = documents("list_dunning_letters", delivery, open=1)
    invoices, all_invoices = documents("list_invoices", delivery)
    shown = (letters + invoices)[:MOST]
    return {
        "delivery": delivery,
        "rows": sorted(shown, key=place),
        "letters": [row["id"] for row in shown if is_letter(row)],
        "invoices": [row["id"] for row in shown if not is_letter(row)],
        "total": all_letters + all_invoices,
    }


def documents(name, delivery, **query):
    """Return (records of a list with this delivery, oldest first and at most MOST, number of all)."""
    found, page, total = [], 0, 1
    while len(found) < min(total, MOST):
        page += 1
        rows, total = api.rows(
            name, delivery=delivery, sort="id", order="ASC", per_page=100, page=page, **query
        )
        if not rows:
            break
        found += rows
    return found, total


def is_letter(row):
    """Return whether a row is a dunning letter, not an invoice."""
    return "level" in row


def customer(row):
    """Return the name of the customer of a letter or an invoice."""
    return row["buyer_name"] if is_letter(row) else (row["buyer"] or {}).get("name")


def place(row):
    """Return the place of a document: by the name of the customer, as in the PDF."""
    return folding.fold(customer(row) or ""), row["contact_id"], not is_letter(row), row["id"]


@routes.get("/money/to_print/pdf")
def get_desk_to_print_pdf(request):
    """Return one PDF of the documents that the page has listed."""
    asked = shell.asked("letters", "invoices", "duplex")
    return downloaded(api.read("print_invoices", query=asked, form=PDF))


@routes.post("/money/to_print", batch=True, shows=get_desk_to_print, signs_in=False)
def enter_desk_posted(request):
    """Enter that the ticked documents were posted."""
    api.require_call(request, "post_invoices")
    letters, invoices = (ids(request, name) for name in ("letters", "invoices"))
    if not letters and not invoices:
        raise invalid_at("/ids", "min_items", "tick at least one document")
    body = {
        "letter_ids": letters,
        "invoice_ids": invoices,
        "posted_on": request.fields.get("posted_on", [""])[0] or None,
    }

    def back(response):
        count = len(response.data["letter_ids"]) + len(response.data["invoice_ids"])
        return page_requests.see_other(request, f"money/to_print?{urlencode({'posted': count})}")

    return actions.once(request, "post_invoices", {}, body, back)


def ids(request, name):
    """Return the ids of the ticked boxes of a name, each once."""
    return list(dict.fromkeys(filter(None, map(id_of, request.fields.get(name, [])))))
