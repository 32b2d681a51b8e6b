"""The marks: what a request to a database of 200,000 contacts and 200,000 payments may take, in CPU
milliseconds.

SLOW has the requests that may take longer, and up to when, so that `make load` fails if they get
worse: about twice what was measured. docs/performance.md, "A million rows", has the causes.
"""

import re

READ, LOCK = 100, 100  # a read; one hold of the write lock

# {regular expression for the name: (reason, limit)}. The first that fits counts.
SLOW = {
    r"^report /reports/(datev|ledger)": (
        "a file of all bookings or customers, which is read once a month",
        2500,
    ),
    r"^report /reports/": ("all payments, invoices or participants of five years", 400),
    r"^single /contacts/[^/]+/export": ("a contact with 2 % of all records", 1800),
    r"^(single|include) /plans": ("each booth of 20 halls, or a drawing of 600", 1600),
    r"^csv 500 /payments/unmatched": ("the proposals for 500 transactions", 600),
    r" /participants\?lacks=": (
        "the checklist follows from ten tables, for the participants of all events",
        1200,
    ),
    r" /participants\?sort=(name|wish)": (
        "the names or wishes of the participants of all events, sorted",
        400,
    ),
    r" /participants\?totals=": ("the invoices of the participants of all events, added up", 250),
    r" /participants\?ready=": (
        "readiness follows from ten tables, for the participants of all events",
        200,
    ),
    r" /payments\?search=inv$": (
        "the beginning of all numbers: 190,000 payments, sorted by date",
        300,
    ),
    r" /audit-log\?.*(actor|admin_id|api_key_id|date_to)=": ("the log is read entry by entry", 300),
    r"^write (POST event copy with all|DELETE event, a copy|POST bulk-import 500)": (
        "all of it or nothing",
        560,
    ),
    r"^job erase words": ("FTS5 decides how much of a search index a step of merging writes", 250),
}


def limit(name):
    """Return how many milliseconds a request may take, or a write or job may hold the write lock."""
    return next(
        (most for pattern, (_, most) in SLOW.items() if re.search(pattern, name)),
        LOCK if name.startswith(("write ", "job ")) else READ,
    )


def missed(times):
    """Return the names of the requests that took longer than they may.

    `times`: name -> milliseconds.
    """
    return [name for name, took in times.items() if took > limit(name)]


def slowest(times, number):
    """Return a Markdown table of the requests that took longest."""
    found = sorted(times.items(), key=lambda one: -one[1])[:number]
    return "\n".join(
        [
            "| request | ms | at most |",
            "| --- | --- | --- |",
            *(f"| `{name}` | {took:.0f} | {limit(name)} |" for name, took in found),
        ]
    )
