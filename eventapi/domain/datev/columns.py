"""The columns of the two files, in the order of DATEV's sample files, and which of them hold text.

Buchungsstapel is format version 13 with 125 columns. Version 12 lacks the last one, version 11 (122 columns) the last
three. Debitoren/Kreditoren is format version 5 with 254 columns. Text is quoted even if it is empty, other columns are
not. Source: the sample files and the field descriptions at developer.datev.de, format description.
"""


def _numbered(first, last, *names):
    """Return the names once for each number, with {} replaced by it."""
    return [name.format(number) for number in range(first, last + 1) for name in names]


def _banks(first, last):
    """Return the 11 columns of each bank account of a debtor."""
    return _numbered(first, last, "Bankleitzahl {}", "Bankbezeichnung {}", "Bank-Kontonummer {}",
                     "Länderkennzeichen {}", "IBAN-Nr. {}", "Leerfeld", "SWIFT-Code {}", "Abw. Kontoinhaber {}",
                     "Kennz. Hauptbankverb. {}", "Bankverb {} Gültig von", "Bankverb {} Gültig bis")


def _places(*ranges):
    """Return the 0-based places of 1-based column numbers and ranges (first, last)."""
    found = set()
    for part in ranges:
        first, last = part if isinstance(part, tuple) else (part, part)
        found.update(range(first - 1, last))
    return frozenset(found)


BOOKING = tuple([
    "Umsatz (ohne Soll/Haben-Kz)", "Soll/Haben-Kennzeichen", "WKZ Umsatz", "Kurs", "Basis-Umsatz", "WKZ Basis-Umsatz",
    "Konto", "Gegenkonto (ohne BU-Schlüssel)", "BU-Schlüssel", "Belegdatum", "Belegfeld 1", "Belegfeld 2", "Skonto",
    "Buchungstext", "Postensperre", "Diverse Adressnummer", "Geschäftspartnerbank", "Sachverhalt", "Zinssperre",
    "Beleglink", *_numbered(1, 8, "Beleginfo - Art {}", "Beleginfo - Inhalt {}"),
    "KOST1 - Kostenstelle", "KOST2 - Kostenstelle", "Kost-Menge", "EU-Land u. UStID (Bestimmung)",
    "EU-Steuersatz (Bestimmung)", "Abw. Versteuerungsart", "Sachverhalt L+L", "Funktionsergänzung L+L",
    "BU 49 Hauptfunktionstyp", "BU 49 Hauptfunktionsnummer", "BU 49 Funktionsergänzung",
    # The missing space before the second hyphen is DATEV's.
    *_numbered(1, 20, "Zusatzinformation - Art {}", "Zusatzinformation- Inhalt {}"),
    "Stück", "Gewicht", "Zahlweise", "Forderungsart", "Veranlagungsjahr", "Zugeordnete Fälligkeit", "Skontotyp",
    "Auftragsnummer", "Buchungstyp", "USt-Schlüssel (Anzahlungen)", "EU-Land (Anzahlungen)",
    "Sachverhalt L+L (Anzahlungen)", "EU-Steuersatz (Anzahlungen)", "Erlöskonto (Anzahlungen)", "Herkunft-Kz",
    "Buchungs GUID", "KOST-Datum", "SEPA-Mandatsreferenz", "Skontosperre", "Gesellschaftername", "Beteiligtennummer",
    "Identifikationsnummer", "Zeichnernummer", "Postensperre bis", "Bezeichnung SoBil-Sachverhalt",
    "Kennzeichen SoBil-Buchung", "Festschreibung", "Leistungsdatum", "Datum Zuord. Steuerperiode", "Fälligkeit",
    "Generalumkehr (GU)", "Steuersatz", "Land", "Abrechnungsreferenz", "BVV-Position", "EU-Land u. UStID (Ursprung)",
    "EU-Steuersatz (Ursprung)", "Abw. Skontokonto"])
BOOKING_TEXTS = _places(2, 3, 6, 9, 11, 12, 14, 16, (20, 38), 40, 42, (48, 87), 91, 95, 96, 98, 102, 103, 105, 107, 109,
                        110, 112, 118, 120, 121, 123)

DEBTOR = tuple([
    "Konto", "Name (Adressattyp Unternehmen)", "Unternehmensgegenstand", "Name (Adressattyp natürl. Person)",
    "Vorname (Adressattyp natürl. Person)", "Name (Adressattyp keine Angabe)", "Adressattyp", "Kurzbezeichnung",
    "EU-Land", "EU-UStID", "Anrede", "Titel/Akad. Grad", "Adelstitel", "Namensvorsatz", "Adressart", "Straße",
    "Postfach", "Postleitzahl", "Ort", "Land", "Versandzusatz", "Adresszusatz", "Abweichende Anrede",
    "Abw. Zustellbezeichnung 1", "Abw. Zustellbezeichnung 2", "Kennz. Korrespondenzadresse", "Adresse Gültig von",
    "Adresse Gültig bis", "Telefon", "Bemerkung (Telefon)", "Telefon GL", "Bemerkung (Telefon GL)", "E-Mail",
    "Bemerkung (E-Mail)", "Internet", "Bemerkung (Internet)", "Fax", "Bemerkung (Fax)", "Sonstige",
    "Bemerkung (Sonstige)", *_banks(1, 5), "Leerfeld", "Briefanrede", "Grußformel", "Kunden-/Lief.-Nr.",
    "Steuernummer", "Sprache", "Ansprechpartner", "Vertreter", "Sachbearbeiter", "Diverse-Konto", "Ausgabeziel",
    "Währungssteuerung", "Kreditlimit (Debitor)", "Zahlungsbedingung", "Fälligkeit in Tagen (Debitor)",
    "Skonto in Prozent (Debitor)", "Kreditoren-Ziel 1 Tg.", "Kreditoren-Skonto 1 %", "Kreditoren-Ziel 2 Tg.",
    "Kreditoren-Skonto 2 %", "Kreditoren-Ziel 3 Brutto Tg.", "Kreditoren-Ziel 4 Tg.", "Kreditoren-Skonto 4 %",
    "Kreditoren-Ziel 5 Tg.", "Kreditoren-Skonto 5 %", "Mahnung", "Kontoauszug", *_numbered(1, 3, "Mahntext {}"),
    "Kontoauszugstext", "Mahnlimit Betrag", "Mahnlimit %", "Zinsberechnung", *_numbered(1, 3, "Mahnzinssatz {}"),
    "Lastschrift", "Leerfeld", "Mandantenbank", "Zahlungsträger", *_numbered(1, 15, "Indiv. Feld {}"),
    *[f"{name} (Rechnungsadresse)" for name in (
        "Abweichende Anrede", "Adressart", "Straße", "Postfach", "Postleitzahl", "Ort", "Land", "Versandzusatz",
        "Adresszusatz", "Abw. Zustellbezeichnung 1", "Abw. Zustellbezeichnung 2", "Adresse Gültig von",
        "Adresse Gültig bis")],
    *_banks(6, 10), "Nummer Fremdsystem", "Insolvent", *_numbered(1, 10, "SEPA-Mandatsreferenz {}"),
    "Verknüpftes OPOS-Konto", "Mahnsperre bis", "Lastschriftsperre bis", "Zahlungssperre bis", "Gebührenberechnung",
    *_numbered(1, 3, "Mahngebühr {}"), "Pauschalenberechnung", *_numbered(1, 3, "Verzugspauschale {}"),
    "Alternativer Suchname", "Status", "Anschrift manuell geändert (Korrespondenzadresse)",
    "Anschrift individuell (Korrespondenzadresse)", "Anschrift manuell geändert (Rechnungsadresse)",
    "Anschrift individuell (Rechnungsadresse)", "Fristberechnung bei Debitor", *_numbered(1, 3, "Mahnfrist {}"),
    "Letzte Frist"])
# A bank account has nine texts and two dates.
_BANK_TEXTS = [(first, first + 8) for first in (41, 52, 63, 74, 85, 165, 176, 187, 198, 209)]
DEBTOR_TEXTS = _places((2, 25), (29, 40), *_BANK_TEXTS, (96, 104), 107, 133, 134, (136, 162), 220, (222, 231), 244, 247,
                       249)
