"""The form of the files: a header of 31 fields, the names of the columns, and lines of fields.

DATEV format 700 (EXTF): Windows-1252, CR LF, semicolons, decimal comma, text in quotes, and quotes
inside it doubled. A text that begins with = stays as it is: DATEV imports text as text, and a
character before it would change a name. Letters that Windows-1252 lacks are replaced: accents are
left out (ő becomes o, ł becomes l), Greek and Cyrillic letters are transliterated (ISO 843, ISO 9
without accents), and any other letter becomes `?`.

Columns are in the order of DATEV's sample files. Buchungsstapel is format version 13 with 125
columns. Version 12 lacks the last one, version 11 (122 columns) the last three.
Debitoren/Kreditoren is format version 5 with 254 columns. Text is quoted even if it is empty, other
columns are not. Source: the sample files and the field descriptions at developer.datev.de, format
description.
"""

import unicodedata
from datetime import datetime
from decimal import Decimal
from functools import lru_cache

from eventapi import times

CHARSET = "cp1252"
# Letters without a decomposition, and signs that look like one of Windows-1252: minus, hyphens,
# dashes, primes, a reversed quotation mark, the slash of fractions and the apostrophe as a letter.
OTHERS = dict(
    zip(
        "łŁđĐħĦıŋŊĸŧŦəƏẞ\u2212\u2010\u2011\u2012\u2015\u2032\u2033\u201b\u2044\u02bc",
        [*"lLdDhHinNktTeE", "SS", "-", "-", "-", "-", "-", "'", '"', "'", "/", "'"],
        strict=True,
    )
)
GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        [
            "a",
            "v",
            "g",
            "d",
            "e",
            "z",
            "i",
            "th",
            "i",
            "k",
            "l",
            "m",
            "n",
            "x",
            "o",
            "p",
            "r",
            "s",
            "s",
            "t",
            "y",
            "f",
            "ch",
            "ps",
            "o",
        ],
        strict=True,
    )
)
CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяђѓєѕіїјљњћќўџґѐѝё",
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "e",
            "zh",
            "z",
            "i",
            "y",
            "k",
            "l",
            "m",
            "n",
            "o",
            "p",
            "r",
            "s",
            "t",
            "u",
            "f",
            "h",
            "ts",
            "ch",
            "sh",
            "sht",
            "a",
            "y",
            "",
            "e",
            "yu",
            "ya",
            "dj",
            "g",
            "ye",
            "dz",
            "i",
            "yi",
            "j",
            "lj",
            "nj",
            "c",
            "k",
            "u",
            "dz",
            "g",
            "e",
            "i",
            "yo",
        ],
        strict=True,
    )
)
LETTERS = {
    **OTHERS,
    **GREEK,
    **CYRILLIC,
    **{
        letter.upper(): text.capitalize()
        for letter, text in {**GREEK, **CYRILLIC}.items()
        if letter != "ς"
    },
}


def written(text):
    """Return the text as it can be written in Windows-1252, in one line without control characters."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    text = unicodedata.normalize("NFC", text)
    if not text.isascii():
        text = "".join(map(_letter, text))
    return " ".join("".join(letter if letter >= " " else " " for letter in text).split())


@lru_cache(maxsize=1000)
def _letter(letter):
    """Return what is written for one letter: itself, its transliteration, or `?`."""
    kind = unicodedata.category(letter)
    # control characters and spaces, such as the no-break space
    if kind in (
        "Cc",
        "Zs",
        "Zl",
        "Zp",
    ):
        return " "
    if kind == "Cf":  # such as a zero-width joiner
        return ""
    if _is_known(letter):
        return letter
    if letter in LETTERS:
        return LETTERS[letter]
    plain = "".join(
        part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part)
    )
    return "".join(part if _is_known(part) else LETTERS.get(part, "?") for part in plain)


def _is_known(letter):
    try:
        return len(letter.encode(CHARSET)) == 1
    except UnicodeEncodeError:
        return False


def _numbered(first, last, *names):
    """Return the names once for each number, with {} replaced by it."""
    return [name.format(number) for number in range(first, last + 1) for name in names]


def _banks(first, last):
    """Return the 11 columns of each bank account of a debtor."""
    return _numbered(
        first,
        last,
        "Bankleitzahl {}",
        "Bankbezeichnung {}",
        "Bank-Kontonummer {}",
        "Länderkennzeichen {}",
        "IBAN-Nr. {}",
        "Leerfeld",
        "SWIFT-Code {}",
        "Abw. Kontoinhaber {}",
        "Kennz. Hauptbankverb. {}",
        "Bankverb {} Gültig von",
        "Bankverb {} Gültig bis",
    )


def _places(*ranges):
    """Return the 0-based places of 1-based column numbers and ranges (first, last)."""
    found = set()
    for part in ranges:
        first, last = part if isinstance(part, tuple) else (part, part)
        found.update(range(first - 1, last))
    return frozenset(found)


BOOKING = tuple(
    [
        "Umsatz (ohne Soll/Haben-Kz)",
        "Soll/Haben-Kennzeichen",
        "WKZ Umsatz",
        "Kurs",
        "Basis-Umsatz",
        "WKZ Basis-Umsatz",
        "Konto",
        "Gegenkonto (ohne BU-Schlüssel)",
        "BU-Schlüssel",
        "Belegdatum",
        "Belegfeld 1",
        "Belegfeld 2",
        "Skonto",
        "Buchungstext",
        "Postensperre",
        "Diverse Adressnummer",
        "Geschäftspartnerbank",
        "Sachverhalt",
        "Zinssperre",
        "Beleglink",
        *_numbered(1, 8, "Beleginfo - Art {}", "Beleginfo - Inhalt {}"),
        "KOST1 - Kostenstelle",
        "KOST2 - Kostenstelle",
        "Kost-Menge",
        "EU-Land u. UStID (Bestimmung)",
        "EU-Steuersatz (Bestimmung)",
        "Abw. Versteuerungsart",
        "Sachverhalt L+L",
        "Funktionsergänzung L+L",
        "BU 49 Hauptfunktionstyp",
        "BU 49 Hauptfunktionsnummer",
        "BU 49 Funktionsergänzung",
        # The missing space before the second hyphen is DATEV's.
        *_numbered(1, 20, "Zusatzinformation - Art {}", "Zusatzinformation- Inhalt {}"),
        "Stück",
        "Gewicht",
        "Zahlweise",
        "Forderungsart",
        "Veranlagungsjahr",
        "Zugeordnete Fälligkeit",
        "Skontotyp",
        "Auftragsnummer",
        "Buchungstyp",
        "USt-Schlüssel (Anzahlungen)",
        "EU-Land (Anzahlungen)",
        "Sachverhalt L+L (Anzahlungen)",
        "EU-Steuersatz (Anzahlungen)",
        "Erlöskonto (Anzahlungen)",
        "Herkunft-Kz",
        "Buchungs GUID",
        "KOST-Datum",
        "SEPA-Mandatsreferenz",
        "Skontosperre",
        "Gesellschaftername",
        "Beteiligtennummer",
        "Identifikationsnummer",
        "Zeichnernummer",
        "Postensperre bis",
        "Bezeichnung SoBil-Sachverhalt",
        "Kennzeichen SoBil-Buchung",
        "Festschreibung",
        "Leistungsdatum",
        "Datum Zuord. Steuerperiode",
        "Fälligkeit",
        "Generalumkehr (GU)",
        "Steuersatz",
        "Land",
        "Abrechnungsreferenz",
        "BVV-Position",
        "EU-Land u. UStID (Ursprung)",
        "EU-Steuersatz (Ursprung)",
        "Abw. Skontokonto",
    ]
)
BOOKING_TEXTS = _places(
    2,
    3,
    6,
    9,
    11,
    12,
    14,
    16,
    (20, 38),
    40,
    42,
    (48, 87),
    91,
    95,
    96,
    98,
    102,
    103,
    105,
    107,
    109,
    110,
    112,
    118,
    120,
    121,
    123,
)

DEBTOR = tuple(
    [
        "Konto",
        "Name (Adressattyp Unternehmen)",
        "Unternehmensgegenstand",
        "Name (Adressattyp natürl. Person)",
        "Vorname (Adressattyp natürl. Person)",
        "Name (Adressattyp keine Angabe)",
        "Adressattyp",
        "Kurzbezeichnung",
        "EU-Land",
        "EU-UStID",
        "Anrede",
        "Titel/Akad. Grad",
        "Adelstitel",
        "Namensvorsatz",
        "Adressart",
        "Straße",
        "Postfach",
        "Postleitzahl",
        "Ort",
        "Land",
        "Versandzusatz",
        "Adresszusatz",
        "Abweichende Anrede",
        "Abw. Zustellbezeichnung 1",
        "Abw. Zustellbezeichnung 2",
        "Kennz. Korrespondenzadresse",
        "Adresse Gültig von",
        "Adresse Gültig bis",
        "Telefon",
        "Bemerkung (Telefon)",
        "Telefon GL",
        "Bemerkung (Telefon GL)",
        "E-Mail",
        "Bemerkung (E-Mail)",
        "Internet",
        "Bemerkung (Internet)",
        "Fax",
        "Bemerkung (Fax)",
        "Sonstige",
        "Bemerkung (Sonstige)",
        *_banks(1, 5),
        "Leerfeld",
        "Briefanrede",
        "Grußformel",
        "Kunden-/Lief.-Nr.",
        "Steuernummer",
        "Sprache",
        "Ansprechpartner",
        "Vertreter",
        "Sachbearbeiter",
        "Diverse-Konto",
        "Ausgabeziel",
        "Währungssteuerung",
        "Kreditlimit (Debitor)",
        "Zahlungsbedingung",
        "Fälligkeit in Tagen (Debitor)",
        "Skonto in Prozent (Debitor)",
        "Kreditoren-Ziel 1 Tg.",
        "Kreditoren-Skonto 1 %",
        "Kreditoren-Ziel 2 Tg.",
        "Kreditoren-Skonto 2 %",
        "Kreditoren-Ziel 3 Brutto Tg.",
        "Kreditoren-Ziel 4 Tg.",
        "Kreditoren-Skonto 4 %",
        "Kreditoren-Ziel 5 Tg.",
        "Kreditoren-Skonto 5 %",
        "Mahnung",
        "Kontoauszug",
        *_numbered(1, 3, "Mahntext {}"),
        "Kontoauszugstext",
        "Mahnlimit Betrag",
        "Mahnlimit %",
        "Zinsberechnung",
        *_numbered(1, 3, "Mahnzinssatz {}"),
        "Lastschrift",
        "Leerfeld",
        "Mandantenbank",
        "Zahlungsträger",
        *_numbered(1, 15, "Indiv. Feld {}"),
        *[
            f"{name} (Rechnungsadresse)"
            for name in (
                "Abweichende Anrede",
                "Adressart",
                "Straße",
                "Postfach",
                "Postleitzahl",
                "Ort",
                "Land",
                "Versandzusatz",
                "Adresszusatz",
                "Abw. Zustellbezeichnung 1",
                "Abw. Zustellbezeichnung 2",
                "Adresse Gültig von",
                "Adresse Gültig bis",
            )
        ],
        *_banks(6, 10),
        "Nummer Fremdsystem",
        "Insolvent",
        *_numbered(1, 10, "SEPA-Mandatsreferenz {}"),
        "Verknüpftes OPOS-Konto",
        "Mahnsperre bis",
        "Lastschriftsperre bis",
        "Zahlungssperre bis",
        "Gebührenberechnung",
        *_numbered(1, 3, "Mahngebühr {}"),
        "Pauschalenberechnung",
        *_numbered(1, 3, "Verzugspauschale {}"),
        "Alternativer Suchname",
        "Status",
        "Anschrift manuell geändert (Korrespondenzadresse)",
        "Anschrift individuell (Korrespondenzadresse)",
        "Anschrift manuell geändert (Rechnungsadresse)",
        "Anschrift individuell (Rechnungsadresse)",
        "Fristberechnung bei Debitor",
        *_numbered(1, 3, "Mahnfrist {}"),
        "Letzte Frist",
    ]
)
# A bank account has nine texts and two dates.
_BANK_TEXTS = [(first, first + 8) for first in (41, 52, 63, 74, 85, 165, 176, 187, 198, 209)]
DEBTOR_TEXTS = _places(
    (2, 25),
    (29, 40),
    *_BANK_TEXTS,
    (96, 104),
    107,
    133,
    134,
    (136, 162),
    220,
    (222, 231),
    244,
    247,
    249,
)


BATCH = 21, "Buchungsstapel", 13  # category, name and version of a format
DEBTORS = 16, "Debitoren/Kreditoren", 5
MOST_TEXTS = 1000  # replaced texts that are remembered
ORIGIN = "EA"  # two letters for the program that wrote the file


class Lines:
    """Lines of one file.

    `replaced` is {text: text as it is written} of texts whose letters were replaced.
    """

    def __init__(self, names, texts):
        self.names, self.replaced = names, {}
        self.empty = ['""' if place in texts else "" for place in range(len(names))]

    def head(self, header):
        """Return the first two lines as bytes."""
        return _encoded(header) + _encoded(self.names)

    def line(self, fields):
        """Return a line as bytes. `fields` is {1-based column: field as it is written}."""
        values = self.empty.copy()
        for column, field in fields.items():
            values[column - 1] = field
        return _encoded(values)

    def text(self, value, length):
        """Return a text as a field of at most `length` characters. None becomes an empty text."""
        if not value:
            return '""'
        shown = written(value)
        if shown != " ".join(value.split()) and len(self.replaced) < MOST_TEXTS:
            self.replaced[value] = shown
        return quoted(shown[:length].rstrip())


def quoted(text):
    """Return a text of ASCII letters as a field."""
    return '"' + text.replace('"', '""') + '"'


def amount(units, places):
    """Return a positive amount in units of 10^-places, with the two decimals that DATEV requires."""
    return f"{Decimal(units).scaleb(-places):.2f}".replace(".", ",")


def date(day, form):
    """Return a day such as 2026-05-01 in a form such as DDMMYY."""
    year, month, number = day.split("-")
    return (
        form.replace("DD", number)
        .replace("MM", month)
        .replace("YYYY", year)
        .replace("YY", year[2:])
    )


def batch_header(config, made_at, period, *, is_locked):
    """Return the 31 header fields of a batch of bookings.

    `made_at` is a timestamp, `period` a Period (periods.py).
    """
    return _header(
        config,
        BATCH,
        made_at,
        period.fiscal_year,
        [
            date(period.first, "YYYYMMDD"),
            date(period.last, "YYYYMMDD"),
            quoted(f"Buchungsstapel {period.name}"),
            '""',
            "1",
            "0",
            str(int(is_locked)),
            quoted(config.currency),
        ],
    )


def debtors_header(config, made_at, fiscal_year):
    """Return the 31 header fields of a file of debtors.

    They have no period, no booking type and no currency.
    """
    return _header(config, DEBTORS, made_at, fiscal_year, ["", "", '""', '""', "", "", "", '""'])


def _header(config, kind, made_at, fiscal_year, of_kind):
    category, name, version = kind
    return [
        '"EXTF"',
        "700",
        str(category),
        quoted(name),
        str(version),
        _local(made_at, config.timezone),
        "",
        quoted(ORIGIN),
        '""',
        '""',
        str(config.datev_adviser),
        str(config.datev_client),
        date(fiscal_year, "YYYYMMDD"),
        str(config.datev_account_length),
        *of_kind,
        "",
        '""',
        "",
        "",
        quoted(config.datev_chart),
        "",
        "",
        '""',
        '""',
    ]


def _local(timestamp, zone):
    """Return a timestamp as YYYYMMDDHHMMSSmmm in the zone."""
    return (
        datetime.fromisoformat(timestamp).astimezone(times.zone(zone)).strftime("%Y%m%d%H%M%S000")
    )


def _encoded(fields):
    return (";".join(fields) + "\r\n").encode(CHARSET)


def bookings():
    """Return the lines of a batch of bookings."""
    return Lines(BOOKING, BOOKING_TEXTS)


def debtors():
    """Return the lines of a file of debtors."""
    return Lines(DEBTOR, DEBTOR_TEXTS)
