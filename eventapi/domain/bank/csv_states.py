"""What the rows of a bank's CSV file say about their state: booked, or not yet."""

import re

from eventapi.domain.bank.csv_banks import normal

# What a row says that is booked, as `normal` returns it. A request may name further texts
# (`states`).
BOOKED = ("booked", "completed", "gebucht", "abgeschlossen")
# Beginnings of what a row says that is not. "neu" is not one of them: it also says that a row was
# not seen before.
NOT_BOOKED = (
    "pending",
    "vorgemerkt",
    "umsatz vorgemerkt",
    "offen",
    "ausstehend",
    "in bearbeitung",
    "in arbeit",
    "wartend",
    "waiting",
    "processing",
    "reverted",
    "reversed",
    "refunded",
    "returned",
    "rueckgaengig",
    "zurueck",
    "declined",
    "denied",
    "rejected",
    "abgelehnt",
    "failed",
    "fehlgeschlagen",
    "cancel",
    "storniert",
    "abgebrochen",
    "not booked",
    "nicht gebucht",
    "ungebucht",
)
NO = ("nein", "no", "n", "false", "0")  # the same in a column that is called "Gebucht"
# Columns that say so: words of their names, and beginnings and ends of words. "Kontostand" is a
# balance.
STATES = frozenset(("state", "stand", "buchungsstand", "statut"))
STATE_PARTS = re.compile("status.*|.*(?:status|zustand)")
MOST_STATES = 12  # different texts; a column with more says something else


def booked_of(own):
    """Return the texts of the column `state` that mean booked."""
    return (*BOOKED, *map(normal, own.get("states", ())))


def state_columns(names, form):
    """Return the names of the columns that look like the state of the rows, none if the form reads
    a state already.

    `names` are those of the file, already normal. What stands behind a bracket is an explanation:
    "Status (Bank)".
    """
    if form.status or form.own_state:
        return []
    return [name for name in dict.fromkeys(names) if name not in form.columns and is_state(name)]


def is_state(name):
    """Return whether a column with this name, already normal, says which rows are booked."""
    words = list(filter(None, re.split("[^a-z]+", name.partition("(")[0])))
    last = words[-1] if words else ""
    return name in BOOKED or last in STATES or bool(STATE_PARTS.fullmatch(last))


def unbooked(column, texts):
    """Return those of the different texts of a column that seem to say that a row is not booked.

    There is none unless a text is known to say so, or some rows are booked and others are not: the
    column of a mandate or of an export says something else.
    """
    states = [normal(text) for text in texts]
    says_pending = any(
        state.startswith(NOT_BOOKED) or (column in BOOKED and state in NO) for state in states
    )
    says_booked = any(state in BOOKED for state in states)
    if len(states) > MOST_STATES or not (says_pending or says_booked):
        return []
    return [text for text, state in zip(texts, states, strict=True) if state not in BOOKED]
