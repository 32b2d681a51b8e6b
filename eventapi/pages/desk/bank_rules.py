"""Bank rules at the desk: which bank transactions an import puts aside."""

from eventapi.pages.desk import api, lists
from eventapi.pages.desk.page import render_page
from eventapi.web.html import shell
from eventapi.web.html.forms import id_of
from eventapi.web.routes import Routes

routes = Routes(
    "desk-bank-rules",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)


@routes.get("/money/bank/rules")
def get_desk_bank_rules(db, request):
    """Return the rules by which new bank transactions are put aside."""
    asked = shell.asked("page", "event")
    rows, total = api.rows("list_bank_rules", page=lists.page_of(asked))
    return render_page(
        db,
        request,
        "bank_rules",
        menu="money",
        rows=rows,
        asked=asked,
        total=total,
        paging=lists.paging(asked, total),
        may_edit=api.may_call(request, "create_bank_rule"),
    )


def of_rows(rows):
    """Return the ids of the rules that have put these bank transactions aside and still exist."""
    ids = {str(row["rule_id"]) for row in rows if row["rule_id"]}
    if not ids:
        return set()
    found, _ = api.rows("list_bank_rules", ids=",".join(sorted(ids)))
    return {rule["id"] for rule in found}


def prefilled(name):
    """Return the texts of a new rule that fits the bank transaction of the query.

    Empty if there is none, or if the form is that of other records.
    """
    id = id_of(shell.asked("transaction").get("transaction") or "")
    if name != "bank_rules" or not id:
        return {}
    row = api.read("get_unmatched_payment", id=id).data
    counterparty = row["party"] or row["iban"]
    texts = {
        "account": row["account"],
        "direction": "credit" if row["amount"] > 0 else "debit",
        "counterparty": counterparty,
        "text": None if counterparty else row["description"],
        "reason": row["description"],
    }
    return {field: [text] for field, text in texts.items() if text}
