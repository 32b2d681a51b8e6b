"""Guess from the names of the columns of a CSV file what is in them."""

import re

from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_states import is_state

# key of csv_forms.OWN -> patterns of names as `normal` returns them, the surest first
NAMES = {
    "booked_on": (
        "buchungstag|buchungsdatum|booking date|booked on|posting date",
        "datum|date|tag|day|buchung",
        "completed date.*|date completed.*|transaction date|transaktionsdatum|umsatzdatum",
        ".*(?:datum|date|valuta|wertstellung).*",
    ),
    "amount": (
        "(?:betrag|umsatz|amount)(?:[^a-z].*)?|(?:betrag|umsatz|amount) in [a-z]{3}",
        "net amount|netto|net|brutto|gross|transaktionsbetrag|zahlungsbetrag|eingang/ausgang",
        ".*(?:betrag|amount)(?: in [a-z]{3}| \\([a-z]{3}\\))?",
    ),
    "debit": (
        "(?:soll|belastung|lastschrift|debit|ausgang|ausgaenge|auszahlung|abgang|money out|paid out)(?:[^a-z].*)?",
    ),
    "credit": (
        "(?:haben|gutschrift|credit|eingang|eingaenge|einzahlung|zugang|money in|paid in)(?:[^a-z].*)?",
    ),
    "party": (
        "name zahlungsbeteiligter|zahlungsbeteiligter|partner name|counterparty name|counterparty",
        "(?:auftraggeber|beguenstigter|empfaenger|zahler|payer|payee|zahlungspflichtiger)(?:[^a-z].*)?",
        "name|partner|kunde|absender|sender|merchant",
    ),
    "text": (
        "verwendungszweck|vorgang/verwendungszweck|payment reference|avisierungstext|zahlungszweck",
        "zweck|text|buchungstext|beschreibung|description|mitteilung|reference|referenz|betreff|details",
        "verwendungszweck.*|memo|subject|note|notiz|nachricht",
    ),
    "iban": (
        "iban zahlungsbeteiligter|partner iban|counterparty iban|kontonummer/iban|iban / kontonummer",
        "iban|gegenkonto|iban (?:auftraggeber|empfaenger|zahler|gegenkonto).*",
    ),
    "end_to_end_id": ("kundenreferenz.*|end.to.end.*",),
    "currency": ("waehrung|currency|whg|waehr\\.?",),
    "account": ("auftragskonto|iban auftragskonto|iban kontoinhaber|eigenes konto|own account",),
}
PATTERNS = {
    field: [re.compile(pattern) for pattern in patterns] for field, patterns in NAMES.items()
}


def columns(names):
    """Return {key of csv_forms.OWN: name} of the columns with these names, each at most once.

    An amount in one column is guessed only if debit and credit are not two.
    """
    left = list(names)
    found = {}
    for field, patterns in PATTERNS.items():
        name = _first(left, patterns)
        if name is not None:
            found[field] = name
            left.remove(name)
    states = [name for name in left if is_state(normal(name))]
    if states:
        found["state"] = states[0]
    is_in_two = "debit" in found and "credit" in found
    for field in ("amount",) if is_in_two else ("debit", "credit"):
        found.pop(field, None)
    return found


def _first(names, patterns):
    for pattern in patterns:
        for name in names:
            if pattern.fullmatch(normal(name)):
                return name
    return None
