"""How an invoice, a credit note or a dunning letter reaches its customer: by mail, or on paper.

`delivery` of a document is not stored. It follows from four columns of its row: `for_post` (1: to be
printed, 0: by mail, None: nobody asked for either), `posted_on`, and the state of the latest mail
with the document, which is `mail_outcome` once that mail is no longer kept.
"""

TO_DO = ("to_print", "failed")  # somebody has to print and post the document

# State of a mail -> delivery. Nobody knows whether an uncertain mail has arrived, so it counts as
# failed: the document can be printed, or mailed again.
BY_MAIL = {
    "queued": "queued",
    "sending": "queued",
    "sent": "mailed",
    "failed": "failed",
    "uncertain": "failed",
}
# Filter `delivery` -> optional line of the statements that list documents
LINES = {
    name: f"delivery_{name}"
    for name in (*dict.fromkeys(BY_MAIL.values()), "to_print", "posted", "none")
}


def of(row):
    """Return the delivery of a document. `row` has `for_post`, `posted_on` and `mail_state`."""
    if row.get("for_post") is None:
        return "none"
    if row["posted_on"]:
        return "posted"
    if row["for_post"]:
        return "to_print"
    return BY_MAIL[row["mail_state"]]


def represent(row):
    """Return the row of a document, with `delivery` instead of the columns that it follows from."""
    shown = {**row, "posted_on": row.get("posted_on"), "delivery": of(row)}
    for name in ("for_post", "mail_state"):
        shown.pop(name, None)
    return shown


def lines(query):
    """Return the query of a list whose filter `delivery` has become the optional line of its value."""
    wanted = query.get("delivery")
    others = {name: value for name, value in query.items() if name != "delivery"}
    return {**others, LINES[wanted]: 1} if wanted else others
