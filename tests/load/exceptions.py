"""Requests that may miss a mark, and by how much.

{(regular expression for the name, name of the mark): (reason, limit)}: the first that fits counts.

The limit is in the unit of the mark, about twice what was measured, so that `make load` fails if it gets worse. The
section "What grows with the data" of docs/architecture.md has each cause with its cost.
"""

HALL = "a hall of the big database has 600 booths, one of the small database 60"
EVENT = "an event of the big database has 25,000 participants and payments, one of the small database 1,250"
FILE = "a file of all bookings or customers, which is read once a month"
YEARS = "all payments and invoices of five years"
SERIES = "the numbers of each series are counted"
DUNNING = "each of 32,000 overdue invoices is tested: what is due depends on the day, the levels and the payments"
ENTRIES = "all entries of a year"
PAIR = "the sorted ids of both filters are merged"
WORDS = "the beginning of many thousand different words"
READY = "readiness follows from ten tables"
WHOLE = "one transaction: all of it or nothing"
NOTES = "contact 1 of the big database has 1,000 notes, that of the small one 10"
FEWER = "the small database has fewer such records than the page, or smaller ones"
COUNT = "the rows of the total are counted: 100,000 take 1 ms"
SORT = "no index has these rows in this order: 5,000 are sorted in 1 ms, or in 10 ms if the records are read"
TEXT = "the text of 2.2 million entries is tested"
OPEN = "the open transactions of the bank are counted and sorted"
STATES = "the invoices of the states are counted, then those of the event among them"
PAYMENTS = "the payments of each invoice of the event are read"
NIGHT = "one step of the nightly erasure: FTS5 decides how much of a search index a step of merging writes"
CSV = "500 records with all columns, 0.05 ms each"
SHORT = ("payments/imports|bulk-import|schedules|contacts/duplicates|webhooks|services|check-ins/refusals|"
         "submissions/types")
COUNTED = ("newsletter|tasks|submissions|documents|booths|booth-reservations|applications|invoices|payments|audit-log|"
           "check-ins")

EXCEPTIONS = {
    (r"^(single|include) /plans", "ratio of a list"): (HALL, 110),
    (r"^(single|include) /plans", "time of a list"): (HALL, 840),
    (r"^(single|include) /plans", "ratio of a record"): (HALL, 25),
    (r"^single /check-ins/(roster|stats)", "ratio of a record"): (EVENT, 38),
    (r"^(filter|pair) /contacts\?.*search=", "ratio of a list"): (WORDS, 110),
    (r"^(filter|pair) /contacts\?.*search=", "time of a list"): (WORDS, 180),
    (r"^(filter|pair) /contacts\?.*search=", "total after a commit"): (WORDS, 150),
    (r"^pair /contacts\?(tag|event_id|category_id)=[^&]*&(tag|country)=", "ratio of a list"): (PAIR, 73),
    (r"^pair /contacts\?(tag|event_id|category_id)=[^&]*&(tag|country)=", "time of a list"): (PAIR, 110),
    (r"^pair /contacts\?(tag|event_id|category_id)=[^&]*&(tag|country)=", "total after a commit"): (PAIR, 110),
    (r"^(filter|pair) /contacts\?", "ratio of a list"): (COUNT, 13),
    (r"^(filter|pair) /participants\?.*ready=", "ratio of a list"): (READY, 130),
    (r"^(filter|pair) /participants\?.*ready=", "time of a list"): (READY, 330),
    (r"^(filter|pair) /participants\?.*ready=", "total after a commit"): (READY, 330),
    (r"^(filter|pair) /participants\?", "ratio of a list"): (COUNT, 23),
    (r"^single /calendar-feed", "ratio of a record"): (ENTRIES, 170),
    (r"^single /invoices/numbering", "ratio of a record"): (SERIES, 84),
    (r"^report /reports/(datev|ledger)", "report"): (FILE, 8100),
    (r"^report /reports/(overview|payments|receivables|readiness)\?.*event_key", "report on one event"):
        (PAYMENTS, 180),
    (r"^report /reports/(overview|readiness|tax)", "report"): (YEARS, 720),
    (r" /invoices/dunning(\?|$)", "ratio of a list"): (DUNNING, 130),
    (r" /invoices/dunning(\?|$)", "time of a list"): (DUNNING, 1100),
    (r" /invoices/dunning(\?|$)", "ratio of a deep page"): (DUNNING, 84),
    (r" /invoices/dunning(\?|$)", "total after a commit"): (DUNNING, 400),
    (r"^write (POST event copy with all|DELETE event, a copy|POST bulk-import 500)", "write lock held"): (WHOLE, 560),
    (r"^job erase words", "write lock held"): (NIGHT, 250),
    (r" /notes\?", "ratio of a list"): (NOTES, 50),
    (rf"^csv 500 /({SHORT})", "ratio of a list"): (FEWER, 110),
    (rf"^(per_page=100|include|updated_since|filter) /({SHORT})", "ratio of a list"): (FEWER, 200),
    (r"^csv 500 /payments/unmatched", "ratio of a list"): (OPEN, 17),
    (r"^csv 500 /payments/unmatched", "time of a list"): (OPEN, 330),
    (r"^csv 500 /", "time of a list"): (CSV, 65),
    (r"^(filter|pair) /audit-log\?.*search=", "ratio of a list"): (TEXT, 120),
    (r"^(filter|pair) /audit-log\?.*search=", "time of a list"): (TEXT, 370),
    (r"^(filter|pair) /audit-log\?.*search=", "total after a commit"): (TEXT, 370),
    (r" /payments/unmatched(\?|$)", "ratio of a list"): (OPEN, 74),
    (r" /payments/unmatched(\?|$)", "time of a list"): (OPEN, 310),
    (r" /payments/unmatched(\?|$)", "total after a commit"): (OPEN, 16),
    (r"^pair /invoices\?event_key=.*&status=overdue", "ratio of a list"): (STATES, 39),
    (r"^pair /invoices\?event_key=.*&status=overdue", "time of a list"): (STATES, 86),
    (r"^pair /invoices\?event_key=.*&status=overdue", "total after a commit"): (STATES, 83),
    (r"^pair /(invoices\?contact_id=1&|payments\?.*sort=|applications\?)", "ratio of a list"): (SORT, 33),
    (r"^pair /(invoices\?contact_id=1&|payments\?.*sort=|applications\?)", "total after a commit"): (SORT, 14),
    (r"^after \w+ ", "ratio of a list"): (SORT, 7),
    (r"^pair /documents\?is_contract=1&contract_status=draft", "ratio of a list"): (COUNT, 23),
    (r"^pair /documents\?is_contract=1&contract_status=draft", "total after a commit"): (COUNT, 12),
    (rf"^(list|filter|sort|pair|updated_since) /({COUNTED})\b", "ratio of a list"): (COUNT, 24),
}
