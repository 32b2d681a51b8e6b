"""Warnings about the tax of an invoice and what it follows from: what is the case, and the way out.

None of them prevents sending. The English sentence is that of the API. `values` of a warning has its facts, so that
the desk writes the sentence in German.
"""

from string import Formatter

from eventapi import money
from eventapi.domain.billing import service_days
from eventapi.domain.einvoices_sent.requirements import finding

# Code -> field to look at, and what is the case. Names in braces are facts.
TEXTS = {
    "no_service_date": (
        "service_date",
        "The invoice has neither `service_date` nor an event with dates, so the day of issue, {issued_on}, counts as "
        "the day of the supply. If the supply is on another day, set `service_date`, and `service_date_to` for "
        "several days.",
    ),
    "service_dates_of_event": (
        "service_date",
        "The supply is from {supplied_from} to {supplied_to}, but the event is from {event_from} to {event_to}. The "
        "VAT counts on the last day of the supply. Correct `service_date` and `service_date_to`, or leave them out: "
        "an invoice without them gets the days of the event.",
    ),
    "no_bank_account": (
        "organiser_iban",
        "The invoice asks for {currency} {amount} and names no bank account, because the option `organiser_iban` is "
        "empty. Set it in the configuration of the server before you send the invoice.",
    ),
}


def findings(codes, facts):
    """Return the warnings with these codes as findings, in the order of TEXTS.

    `facts` has the value of each name that their texts contain.
    """
    return [
        _finding(code, field, text, facts) for code, (field, text) in TEXTS.items() if code in codes
    ]


def _finding(code, field, text, facts):
    names = sorted({name for _, name, _, _ in Formatter().parse(text) if name})
    values = {name: facts[name] for name in names}
    return finding(text.format(**values), field, code=code, values=values)


def of_invoice(db, row, draft):
    """Return the warnings about an invoice as findings.

    `row` is the invoice as it is sent, `draft` is the row that it is made from. What another system has sent, and a
    credit note, has none: nobody can change it here.
    """
    if row["taken_over"] or row["invoice_type"] == "credit_note":
        return []
    codes, facts = set(), {}
    for found, known in (of_days(db, row, draft), of_account(db.config, row)):
        codes |= found
        facts |= known
    return findings(codes, facts)


def of_days(db, row, draft):
    """Return (codes, facts) of the days of the supply."""
    first_of_event, last_of_event = service_days.of_event(db, row["event_id"])
    first = row["service_date"]
    last = row["service_date_to"] or first
    facts = {
        "issued_on": row["issue_date"],
        "supplied_from": first,
        "supplied_to": last,
        "event_from": first_of_event,
        "event_to": last_of_event,
    }
    if first_of_event is None:
        return (set() if draft["service_date"] else {"no_service_date"}), facts
    is_within = first_of_event <= first and last <= last_of_event
    return (set() if is_within else {"service_dates_of_event"}), facts


def of_account(config, row):
    """Return (codes, facts) of the bank account that the amount to pay goes to."""
    to_pay = row["total"] - row["prepaid_amount"]
    facts = {"amount": money.major(to_pay, row["currency"]), "currency": row["currency"]}
    is_lacking = to_pay > 0 and not config.organiser_iban
    return ({"no_bank_account"} if is_lacking else set()), facts
