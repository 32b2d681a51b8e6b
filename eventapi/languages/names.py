"""Names of values that records contain: roles and statuses of participants, and units, in each
language.
"""

ROLES = {
    "exhibitor": {"en": "exhibitor", "de": "Aussteller"},
    "co_exhibitor": {"en": "co-exhibitor", "de": "Mitaussteller"},
    "sponsor": {"en": "sponsor", "de": "Sponsor"},
    "speaker": {"en": "speaker", "de": "Referent"},
    "visitor": {"en": "visitor", "de": "Besucher"},
    "press": {"en": "press", "de": "Presse"},
    "staff": {"en": "staff", "de": "Team"},
}
STATUSES = {
    "registered": {"en": "registered", "de": "angemeldet"},
    "confirmed": {"en": "confirmed", "de": "bestätigt"},
    "cancelled": {"en": "cancelled", "de": "abgesagt"},
}
TRUTH = {True: {"en": "yes", "de": "ja"}, False: {"en": "no", "de": "nein"}}
UNITS = {
    "piece": {"en": "piece", "de": "Stück"},
    "hour": {"en": "hour", "de": "Stunde"},
    "day": {"en": "day", "de": "Tag"},
    "night": {"en": "night", "de": "Nacht"},
    "week": {"en": "week", "de": "Woche"},
    "month": {"en": "month", "de": "Monat"},
    "metre": {"en": "metre", "de": "Meter"},
    "person": {"en": "person", "de": "Person"},
    "flat_rate": {"en": "flat rate", "de": "pauschal"},
}
# What organisers write -> key in UNITS.
SPELLINGS = {
    **{name.lower(): key for key, names in UNITS.items() for name in names.values()},
    "pc": "piece",
    "pcs": "piece",
    "pieces": "piece",
    "stk": "piece",
    "stk.": "piece",
    "hours": "hour",
    "h": "hour",
    "stunden": "hour",
    "std.": "hour",
    "days": "day",
    "tage": "day",
    "nights": "night",
    "nächte": "night",
    "weeks": "week",
    "wochen": "week",
    "months": "month",
    "monate": "month",
    "meter": "metre",
    "metres": "metre",
    "persons": "person",
    "personen": "person",
    "lump sum": "flat_rate",
    "pauschale": "flat_rate",
}


def role(key, language):
    """Return the name of a participant's role: `exhibitor` or `Aussteller`."""
    return ROLES[key][language]


def status(key, language):
    """Return the name of a participant's status: `confirmed` or `bestätigt`."""
    return STATUSES[key][language]


def unit(text, language):
    """Return the name of a unit, which may be written in any language.

    Other units and None stay as they are.
    """
    key = SPELLINGS.get((text or "").lower())
    return UNITS[key][language] if key else text


def unit_of_service(text, label, language, own_language):
    """Return the unit of a service on an invoice.

    `label` is the organiser's text for the unit, or None.

    The label is in the organiser's language. In other languages it is used only if the unit has no
    name here.
    """
    has_name = (text or "").lower() in SPELLINGS
    return label if label and (language == own_language or not has_name) else unit(text, language)


def truth(value, language):
    """Return `yes` or `no`, `ja` or `nein`."""
    return TRUTH[bool(value)][language]
