"""What texts for exhibitors and visitors call an event, as a native speaker writes it."""

import json
import re

import pytest

from eventapi import paths
from eventapi.domain.mail import words as mail_words
from eventapi.languages import choice, event_words
from eventapi.validation.schema_files import document

# start, nominative, accusative, dative, genitive, with "zu", with "auf"
GERMAN = {
    "fair": "Die Messe|die Messe|die Messe|der Messe|der Messe|zur Messe|auf der Messe",
    "market": "Der Markt|der Markt|den Markt|dem Markt|des Marktes|zum Markt|auf dem Markt",
    "festival": "Das Festival|das Festival|das Festival|dem Festival|des Festivals|zum Festival|auf dem Festival",
    "event": "Die Veranstaltung|die Veranstaltung|die Veranstaltung|der Veranstaltung|der Veranstaltung|"
    "zur Veranstaltung|auf der Veranstaltung",
}
ENGLISH = {"fair": "show", "market": "market", "festival": "festival", "event": "event"}
# text of the pages that the word is in -> German for a market, English for a festival
PAGES = {
    ("my", "over"): (
        "Der Markt ist vorbei. Sie können hier alles weiterhin lesen.",
        "The festival is over. You can still read everything here.",
    ),
    ("my", "profile_lead"): (
        "So finden Besucher Sie auf den öffentlichen Seiten des Marktes. Gezeigt wird nur, was Sie hier eintragen.",
        "This is how visitors find you on the public pages of the festival. Only what you enter here is shown.",
    ),
    ("my", "problem_event_over"): (
        "Der Markt ist vorbei, deshalb lässt sich nichts ändern.",
        "The festival is over, so nothing can be changed.",
    ),
    ("show", "over"): ("Der Markt ist vorbei.", "The festival is over."),
    ("applicant", "my_ask"): (
        "Ihre Firma hat schon eine Seite für den Markt. Den Link schickt Ihnen Frau Kern.",
        "Your company has a page for the festival already. Frau Kern sends you the link.",
    ),
}
# text of a mail that names the event -> as it reads for the market "Bastelmarkt Neustadt 2027"
MAILS = {
    "application_confirmation_subject": "Bitte bestätigen Sie Ihre Anmeldung: Bastelmarkt Neustadt 2027",
    "visit_confirmation_subject": "Bitte bestätigen Sie Ihre Registrierung: Bastelmarkt Neustadt 2027",
    "application_decision_subject": "Ihre Anmeldung: Bastelmarkt Neustadt 2027",
    "application_approved": "wir haben Ihre Anmeldung zu „Bastelmarkt Neustadt 2027“ angenommen und freuen uns auf "
    "Sie.",
    "application_rejected": "vielen Dank für Ihre Anmeldung zu „Bastelmarkt Neustadt 2027“. Leider können wir Ihnen "
    "diesmal keinen Platz anbieten.",
    "application_waitlisted": "vielen Dank für Ihre Anmeldung zu „Bastelmarkt Neustadt 2027“. Zurzeit sind alle "
    "Plätze vergeben. Sie stehen auf der Warteliste, und wir melden uns, sobald ein Platz frei wird.",
    "application_question": "zu Ihrer Anmeldung für „Bastelmarkt Neustadt 2027“ haben wir eine Frage:",
    "badge_subject": "Ihr Ausweis: Bastelmarkt Neustadt 2027",
    "badge": "Sie sind für „Bastelmarkt Neustadt 2027“ registriert. Bitte zeigen Sie am Eingang Ihren Ausweis, "
    "gedruckt oder auf dem Telefon.",
    "participation_cancelled_subject": "Absage Ihrer Teilnahme: Bastelmarkt Neustadt 2027",
    "participation_cancelled": "Ihre Teilnahme an „Bastelmarkt Neustadt 2027“ ist abgesagt.",
    "contract_subject": "Ihr Vertrag: Bastelmarkt Neustadt 2027",
    "contract": "Ihr Vertrag zu „Bastelmarkt Neustadt 2027“ wartet auf Ihre Unterschrift: Ausstellervertrag, "
    "DOC-2027-00001.",
    "link_subject": "Ihre Seite: Bastelmarkt Neustadt 2027",
    "link": "mit diesem Link öffnen Sie Ihre Seite zum Markt:",
    "todos_subject": "Noch zu tun: Bastelmarkt Neustadt 2027",
    "todos": "Auf Ihrer Seite zu „Bastelmarkt Neustadt 2027“ ist noch zu tun:",
    "booth_offer_subject": "Ein Stand ist für Sie reserviert: Bastelmarkt Neustadt 2027",
    "booth_offer": "Sie stehen auf der Warteliste für einen Stand bei „Bastelmarkt Neustadt 2027“. Einer ist frei "
    "geworden und für Sie reserviert:",
    "booth_confirmed_subject": "Ihr Stand A12: Bastelmarkt Neustadt 2027",
    "booth_confirmed": "Ihr Stand A12 bei „Bastelmarkt Neustadt 2027“ ist bestätigt.",
    "booth_moved": "Ihr Stand bei „Bastelmarkt Neustadt 2027“ hat sich geändert. Sie haben jetzt den Stand "
    "A12.",
    "booth_cancelled": "die Reservierung des Standes A12 bei „Bastelmarkt Neustadt 2027“ wurde storniert. "
    "Er ist nicht mehr für Sie reserviert.",
    "booth_left": "Ihr Platz auf der Warteliste für den Stand A12 bei „Bastelmarkt Neustadt 2027“ wurde "
    "gestrichen.",
    "link_notice_subject": "Neuer Zugang zu Ihrer Seite: Bastelmarkt Neustadt 2027",
    "link_changed_subject": "Zugang geändert: Bastelmarkt Neustadt 2027",
    "further_link": "am 1. Mai hat eine weitere Person Zugang zu Ihrer Ausstellerseite für „Bastelmarkt Neustadt "
    "2027“ bekommen: ada@rosen.example.",
    "further_link_shown": "am 1. Mai wurde ein weiterer Zugang zu Ihrer Ausstellerseite für „Bastelmarkt Neustadt "
    "2027“ eingerichtet.",
    "further_device": "am 1. Mai wurde Ihr Link zur Ausstellerseite für „Bastelmarkt Neustadt 2027“ auf einem "
    "weiteren Gerät geöffnet.",
    "address_changed": "am 1. Mai wurde die E-Mail-Adresse Ihrer Anmeldung zu „Bastelmarkt Neustadt 2027“ geändert. "
    "Die neue ist ada@rosen.example. Links, die Sie an Ihre Adresse bekommen haben, gelten nicht mehr.",
    "address_removed": "am 1. Mai wurde die E-Mail-Adresse Ihrer Anmeldung zu „Bastelmarkt Neustadt 2027“ entfernt. "
    "Links, die Sie an Ihre Adresse bekommen haben, gelten nicht mehr.",
    "merged": "am 1. Mai wurden zwei Teilnahmen an „Bastelmarkt Neustadt 2027“ zu einer zusammengeführt; eine davon "
    "ist Ihre.",
}
VALUES = {
    "title": "Bastelmarkt Neustadt 2027",
    "day": "1. Mai",
    "address": "ada@rosen.example",
    "contact": "Frau Kern",
    "contract": "Ausstellervertrag",
    "number": "DOC-2027-00001",
    "booth": "A12",
}
NAMES_THE_EVENT = re.compile(r"\{(title|event_\w+)\}")
FAIR = re.compile(r"\b(Messen?|Markt|Festival)\b")


def words(part, language):
    """Return the texts of a part of the pages, by name."""
    file = paths.PACKAGE / "pages" / part / "words" / f"{language}.json"
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("word", GERMAN)
def test_the_forms_of_each_word(word):
    assert "|".join(event_words.forms(word, "de").values()) == GERMAN[word]
    english = "The {0}|the {0}|the {0}|the {0}|of the {0}|to the {0}|at the {0}"
    assert "|".join(event_words.forms(word, "en").values()) == english.format(ENGLISH[word])


def test_each_value_of_the_field_has_all_forms_in_each_language():
    assert list(event_words.FORMS) == document("event")["properties"]["event_word"]["enum"]
    names = set(event_words.forms("fair", "de"))
    for languages in event_words.FORMS.values():
        assert set(languages) == set(choice.AVAILABLE)
        assert all(set(forms) == names for forms in languages.values())


@pytest.mark.parametrize(("part", "name"), PAGES)
def test_pages_of_a_market_and_of_a_festival(part, name):
    german, english = PAGES[part, name]
    market, festival = event_words.forms("market", "de"), event_words.forms("festival", "en")
    assert words(part, "de")[name].format(**VALUES, **market) == german
    assert words(part, "en")[name].format(**VALUES, **festival) == english


def test_every_mail_of_a_market_reads_right():
    named = {name: text for name, text in mail_words.GERMAN.items() if NAMES_THE_EVENT.search(text)}
    market = event_words.forms("market", "de")
    assert {name: text.format(**VALUES, **market) for name, text in named.items()} == MAILS


def test_texts_for_exhibitors_and_visitors_name_no_kind_of_event_themselves():
    texts = dict(mail_words.GERMAN)
    for part in ("my", "show", "applicant", "door", "link"):
        texts.update(words(part, "de"))
    assert [text for text in texts.values() if FAIR.search(text)] == []
