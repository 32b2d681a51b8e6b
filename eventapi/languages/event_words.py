"""What texts for exhibitors and visitors call an event: a fair, a market, a festival or an event.

The word has a gender in German, so it stands in a text in one of these forms, with no adjective
before it. An English text uses the same forms, since both languages have the same names:

- `event_start`: the nominative at the start of a sentence, "Die Messe ist vorbei";
- `event_nom`, `event_acc`, `event_dat`, `event_gen`: the four cases, each with its article;
- `event_zum`, `event_auf`: "zur Messe" and "auf der Messe".
"""

# event_word -> language -> name of a form -> the form
FORMS = {
    "fair": {
        "en": {
            "event_start": "The show",
            "event_nom": "the show",
            "event_acc": "the show",
            "event_dat": "the show",
            "event_gen": "of the show",
            "event_zum": "to the show",
            "event_auf": "at the show",
        },
        "de": {
            "event_start": "Die Messe",
            "event_nom": "die Messe",
            "event_acc": "die Messe",
            "event_dat": "der Messe",
            "event_gen": "der Messe",
            "event_zum": "zur Messe",
            "event_auf": "auf der Messe",
        },
    },
    "market": {
        "en": {
            "event_start": "The market",
            "event_nom": "the market",
            "event_acc": "the market",
            "event_dat": "the market",
            "event_gen": "of the market",
            "event_zum": "to the market",
            "event_auf": "at the market",
        },
        "de": {
            "event_start": "Der Markt",
            "event_nom": "der Markt",
            "event_acc": "den Markt",
            "event_dat": "dem Markt",
            "event_gen": "des Marktes",
            "event_zum": "zum Markt",
            "event_auf": "auf dem Markt",
        },
    },
    "festival": {
        "en": {
            "event_start": "The festival",
            "event_nom": "the festival",
            "event_acc": "the festival",
            "event_dat": "the festival",
            "event_gen": "of the festival",
            "event_zum": "to the festival",
            "event_auf": "at the festival",
        },
        "de": {
            "event_start": "Das Festival",
            "event_nom": "das Festival",
            "event_acc": "das Festival",
            "event_dat": "dem Festival",
            "event_gen": "des Festivals",
            "event_zum": "zum Festival",
            "event_auf": "auf dem Festival",
        },
    },
    "event": {
        "en": {
            "event_start": "The event",
            "event_nom": "the event",
            "event_acc": "the event",
            "event_dat": "the event",
            "event_gen": "of the event",
            "event_zum": "to the event",
            "event_auf": "at the event",
        },
        "de": {
            "event_start": "Die Veranstaltung",
            "event_nom": "die Veranstaltung",
            "event_acc": "die Veranstaltung",
            "event_dat": "der Veranstaltung",
            "event_gen": "der Veranstaltung",
            "event_zum": "zur Veranstaltung",
            "event_auf": "auf der Veranstaltung",
        },
    },
}


def forms(event_word, language):
    """Return name -> form of a word of an event, for the placeholders of a text."""
    return FORMS[event_word][language]
