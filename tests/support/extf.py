"""Read and judge files in the DATEV format, by the published description alone.

Source: developer.datev.de, DATEV-Format, format description (header, booking batch) and sample
data. The expressions are those of the description. They apply to a field as it is in the file, with
its quotes.
"""

import re
from datetime import date
from decimal import Decimal

# The header of DATEV's sample files.
BATCH_HEADER = (
    '"EXTF";700;21;"Buchungsstapel";13;20240130140440439;;"RE";"";"";29098;55003;20240101;4;20240101;'
    "20240831;"
    '"Buchungsstapel";"WD";1;0;0;"EUR";;"";;;"03";;;"";""'
)
DEBTORS_HEADER = (
    '"EXTF";700;16;"Debitoren/Kreditoren";5;20240130140659583;;"RE";"";"";29098;55003;20240101;4;;;"";'
    '"";;;;"";'
    ';"";;;"03";;;"";""'
)
PAIRS_OF_TEXTS = '"";' * 40
# A booking of the sample file: which fields are quoted although they are empty.
BATCH_LINE = (
    '64083;"S";"";;;"";4400;85;"";3101;"";"";;"Normalabschreibung Gebäude";;"";;;;"";"";"";"";"";"";"";"";'
    '"";"";"";'
    '"";"";"";"";"";"";"50";"";;"";;"";;;;;;'
    + PAIRS_OF_TEXTS
    + ';;;"";;;;"";"";;"";;;;"WK";"";;"";;"";;"";"";;"";'
    ';0;;;;"";;"";"";;"";;'
)
BANK = (
    '"50090500";"Sparda-Bank Hessen";"2345678";"DE";"DE49100102220002222222";"";"GENODEF1S12";"Herr";"1";'
    "01012012;01012022;"
)
EMPTY_BANK = '"";"";"";"";"";"";"";"";"";;;'
DEBTORS_LINE = (
    '10000;"Möbel";"Schreinerei";"";"";"";"2";"Möbel Testgrube";"DE";"133546770";"Firma";"";"";"";"STR";'
    '"Nelkenteststraße 125";'
    '"";"90482";"Nürnberg";"";"";"";"Firma";"";"";1;01012012;;"";"";"";"";"";"";"";"";"";"";"";"";'
    + BANK
    * 5
    + '"";'
    '"Sehr geehrte Frau";"Hallo";"KDN 12345";"DE776655";"1";"Frau Huber";"Herr Schmid";"Frau Tester";;;"";0;0;0;'
    "0,00;0;0,00;0;"
    '0,00;0;0;0,00;0;0,00;7;;;;;;23,30;20,25;1;10,50;11,11;12,12;"7";"1";1;"9";"ind. Feld";"";"";"";"";"";"";"";"";'
    '"";"";'
    '"individuelle Beschriftung";"";"";"";"";"";"";"";"";"";"";"";"";"";"";;;'
    + EMPTY_BANK
    * 5
    + '"";0;"1234-AB-56787";"";'
    '"";"";"";"";"";"";"";"778259637";;03122018;02122018;01122018;1;5,1;5,2;5,3;1;0,9;0,2;0,5;"";1;0;"";1;"";;;;;'
)
BATCH_COLUMNS = (
    "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto;"
    "Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext;Postensperre;"
    "Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink;Beleginfo - Art 1;Beleginfo - Inhalt 1;"
    "Beleginfo - Art 2;Beleginfo - Inhalt 2;Beleginfo - Art 3;Beleginfo - Inhalt 3;Beleginfo - Art 4;"
    "Beleginfo - Inhalt 4;Beleginfo - Art 5;Beleginfo - Inhalt 5;Beleginfo - Art 6;Beleginfo - Inhalt 6;"
    "Beleginfo - Art 7;Beleginfo - Inhalt 7;Beleginfo - Art 8;Beleginfo - Inhalt 8;KOST1 - Kostenstelle;"
    "KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID (Bestimmung);EU-Steuersatz (Bestimmung);Abw. Versteuerungsart;"
    "Sachverhalt L+L;Funktionsergänzung L+L;BU 49 Hauptfunktionstyp;BU 49 Hauptfunktionsnummer;"
    "BU 49 Funktionsergänzung;"
    "Zusatzinformation - Art 1;Zusatzinformation- Inhalt 1;Zusatzinformation - Art 2;Zusatzinformation- Inhalt 2;"
    "Zusatzinformation - Art 3;Zusatzinformation- Inhalt 3;Zusatzinformation - Art 4;Zusatzinformation- Inhalt 4;"
    "Zusatzinformation - Art 5;Zusatzinformation- Inhalt 5;Zusatzinformation - Art 6;Zusatzinformation- Inhalt 6;"
    "Zusatzinformation - Art 7;Zusatzinformation- Inhalt 7;Zusatzinformation - Art 8;Zusatzinformation- Inhalt 8;"
    "Zusatzinformation - Art 9;Zusatzinformation- Inhalt 9;Zusatzinformation - Art 10;Zusatzinformation- Inhalt 10;"
    "Zusatzinformation - Art 11;Zusatzinformation- Inhalt 11;Zusatzinformation - Art 12;Zusatzinformation- Inhalt 12;"
    "Zusatzinformation - Art 13;Zusatzinformation- Inhalt 13;Zusatzinformation - Art 14;Zusatzinformation- Inhalt 14;"
    "Zusatzinformation - Art 15;Zusatzinformation- Inhalt 15;Zusatzinformation - Art 16;Zusatzinformation- Inhalt 16;"
    "Zusatzinformation - Art 17;Zusatzinformation- Inhalt 17;Zusatzinformation - Art 18;Zusatzinformation- Inhalt 18;"
    "Zusatzinformation - Art 19;Zusatzinformation- Inhalt 19;Zusatzinformation - Art 20;Zusatzinformation- Inhalt 20;"
    "Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer;"
    "Buchungstyp;"
    "USt-Schlüssel (Anzahlungen);EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen);EU-Steuersatz (Anzahlungen);"
    "Erlöskonto (Anzahlungen);Herkunft-Kz;Buchungs GUID;KOST-Datum;SEPA-Mandatsreferenz;Skontosperre;"
    "Gesellschaftername;"
    "Beteiligtennummer;Identifikationsnummer;Zeichnernummer;Postensperre bis;Bezeichnung SoBil-Sachverhalt;"
    "Kennzeichen SoBil-Buchung;Festschreibung;Leistungsdatum;Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr (GU);"
    "Steuersatz;Land;Abrechnungsreferenz;BVV-Position;EU-Land u. UStID (Ursprung);EU-Steuersatz (Ursprung);"
    "Abw. Skontokonto"
)
BANK_COLUMNS = (
    "Bankleitzahl {0};Bankbezeichnung {0};Bank-Kontonummer {0};Länderkennzeichen {0};IBAN-Nr. {0};Leerfeld;"
    "SWIFT-Code {0};Abw. Kontoinhaber {0};Kennz. Hauptbankverb. {0};Bankverb {0} Gültig von;"
    "Bankverb {0} Gültig bis;"
)
DEBTORS_COLUMNS = (
    "Konto;Name (Adressattyp Unternehmen);Unternehmensgegenstand;Name (Adressattyp natürl. Person);"
    "Vorname (Adressattyp natürl. Person);Name (Adressattyp keine Angabe);Adressattyp;Kurzbezeichnung;EU-Land;EU-UStID;"
    "Anrede;Titel/Akad. Grad;Adelstitel;Namensvorsatz;Adressart;Straße;Postfach;Postleitzahl;Ort;Land;Versandzusatz;"
    "Adresszusatz;Abweichende Anrede;Abw. Zustellbezeichnung 1;Abw. Zustellbezeichnung 2;Kennz. Korrespondenzadresse;"
    "Adresse Gültig von;Adresse Gültig bis;Telefon;Bemerkung (Telefon);Telefon GL;Bemerkung (Telefon GL);E-Mail;"
    "Bemerkung (E-Mail);Internet;Bemerkung (Internet);Fax;Bemerkung (Fax);Sonstige;Bemerkung (Sonstige);"
    + "".join(BANK_COLUMNS.format(number) for number in range(1, 6))
    + "Leerfeld;Briefanrede;Grußformel;Kunden-/Lief.-Nr.;Steuernummer;Sprache;Ansprechpartner;Vertreter;Sachbearbeiter;"
    "Diverse-Konto;Ausgabeziel;Währungssteuerung;Kreditlimit (Debitor);Zahlungsbedingung;Fälligkeit in Tagen (Debitor);"
    "Skonto in Prozent (Debitor);Kreditoren-Ziel 1 Tg.;Kreditoren-Skonto 1 %;Kreditoren-Ziel 2 Tg.;"
    "Kreditoren-Skonto 2 %;Kreditoren-Ziel 3 Brutto Tg.;Kreditoren-Ziel 4 Tg.;Kreditoren-Skonto 4 %;"
    "Kreditoren-Ziel 5 Tg.;Kreditoren-Skonto 5 %;Mahnung;Kontoauszug;Mahntext 1;Mahntext 2;Mahntext 3;Kontoauszugstext;"
    "Mahnlimit Betrag;Mahnlimit %;Zinsberechnung;Mahnzinssatz 1;Mahnzinssatz 2;Mahnzinssatz 3;Lastschrift;Leerfeld;"
    "Mandantenbank;Zahlungsträger;Indiv. Feld 1;Indiv. Feld 2;Indiv. Feld 3;Indiv. Feld 4;Indiv. Feld 5;Indiv. Feld 6;"
    "Indiv. Feld 7;Indiv. Feld 8;Indiv. Feld 9;Indiv. Feld 10;Indiv. Feld 11;Indiv. Feld 12;Indiv. Feld 13;"
    "Indiv. Feld 14;Indiv. Feld 15;Abweichende Anrede (Rechnungsadresse);Adressart (Rechnungsadresse);"
    "Straße (Rechnungsadresse);Postfach (Rechnungsadresse);Postleitzahl (Rechnungsadresse);Ort (Rechnungsadresse);"
    "Land (Rechnungsadresse);Versandzusatz (Rechnungsadresse);Adresszusatz (Rechnungsadresse);"
    "Abw. Zustellbezeichnung 1 (Rechnungsadresse);Abw. Zustellbezeichnung 2 (Rechnungsadresse);"
    "Adresse Gültig von (Rechnungsadresse);Adresse Gültig bis (Rechnungsadresse);"
    + "".join(BANK_COLUMNS.format(number) for number in range(6, 11))
    + "Nummer Fremdsystem;Insolvent;SEPA-Mandatsreferenz 1;SEPA-Mandatsreferenz 2;SEPA-Mandatsreferenz 3;"
    "SEPA-Mandatsreferenz 4;SEPA-Mandatsreferenz 5;SEPA-Mandatsreferenz 6;SEPA-Mandatsreferenz 7;"
    "SEPA-Mandatsreferenz 8;SEPA-Mandatsreferenz 9;SEPA-Mandatsreferenz 10;Verknüpftes OPOS-Konto;Mahnsperre bis;"
    "Lastschriftsperre bis;Zahlungssperre bis;Gebührenberechnung;Mahngebühr 1;Mahngebühr 2;Mahngebühr 3;"
    "Pauschalenberechnung;Verzugspauschale 1;Verzugspauschale 2;Verzugspauschale 3;Alternativer Suchname;Status;"
    "Anschrift manuell geändert (Korrespondenzadresse);Anschrift individuell (Korrespondenzadresse);"
    "Anschrift manuell geändert (Rechnungsadresse);Anschrift individuell (Rechnungsadresse);"
    "Fristberechnung bei Debitor;"
    "Mahnfrist 1;Mahnfrist 2;Mahnfrist 3;Letzte Frist"
)
DAY = r"((0[1-9]|[1-2]\d|3[0-1])(0[1-9]|1[0-2])([2])([0])(\d{2}))"
HEADER_DAY = r"20[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[1-2][0-9]|3[0-1])"
# Expressions of the header of a batch. The names of reserved fields are missing, and they are
# empty.
HEADER_FIELDS = {
    1: r'"EXTF"',
    2: r"700",
    3: r"21",
    4: r'"Buchungsstapel"',
    5: r"13",
    6: HEADER_DAY + r"(2[0-3]|[01][0-9])([0-5][0-9])([0-5][0-9][0-9][0-9][0-9])",
    8: r'"\w{0,2}"',
    9: r'"\w{0,25}"',
    10: r'"\w{0,25}"',
    11: r"\d{4,7}",
    12: r"\d{1,5}",
    13: HEADER_DAY,
    14: r"[4-8]",
    15: HEADER_DAY,
    16: HEADER_DAY,
    17: r'"[\w.\-/ ]{0,30}"',
    18: r'"([A-Z]{2}){0,2}"',
    19: r"[1-2]",
    20: r"(0|30|40|50|64)",
    21: r"(0|1)",
    22: r'"([A-Z]{3})"',
    24: r'""',
    27: r'"(\d{2}){0,2}"',
    30: r'""',
    31: r'".{0,16}"',
}
# Expressions of the columns of a booking. A column that is not here stays empty. DATEV publishes
# that of the rate as [1-9]…, although its sample file has 0,830000.
BOOKING_FIELDS = {
    1: r"(?!0{1,10},00)\d{1,10},\d{2}",
    2: r'"(S|H)"',
    3: r'"([A-Z]{3})"',
    4: r"(?!0,0+$)\d{1,4},\d{2,6}",
    5: r"(?!0{1,10},00)\d{1,10},\d{2}",
    6: r'"[A-Z]{3}"',
    7: r"(?!0{1,9}$)(\d{1,9})",
    8: r"(?!0{1,9}$)(\d{1,9})",
    9: r'"\d{4}"',
    10: r"\d{4}",
    11: r'"[A-Za-z0-9$&%*+\-/]{0,36}"',
    12: r'"\d{6}"',
    14: r'".{0,60}"',
    20: r'"BEDI "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}""',
    **{place: r'".{0,20}"' for place in range(21, 37, 2)},
    **{place: r'".{0,210}"' for place in range(22, 37, 2)},
    37: r'".{0,36}"',
    40: r'"[A-Z]{2}[A-Z0-9+*]{2,13}"',
    114: r"(0|1)",
    115: DAY,
    116: DAY,
}
REQUIRED = (1, 2, 7, 8, 10, 11, 114)


def records(content):
    """Return the lines of a file as lists of raw fields, with their quotes."""
    assert content.endswith(b"\r\n") and content.count(b"\n") == content.count(
        b"\r\n"
    ) == content.count(b"\r")
    text = content.decode("cp1252")
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]", text), "control characters"
    return [fields(line) for line in text[:-2].split("\r\n")]


def fields(line):
    """Return the raw fields of a line. Semicolons inside quotes do not separate."""
    found, current, is_quoted = [], "", False
    for letter in line:
        if letter == '"':
            is_quoted = not is_quoted
        if letter == ";" and not is_quoted:
            found.append(current)
            current = ""
        else:
            current += letter
    assert not is_quoted, f"a quote is not closed: {line[:200]}"
    return [*found, current]


def value(field):
    """Return the value of a raw field: without its quotes, and with single quotes inside."""
    if not field.startswith('"'):
        assert '"' not in field
        return field
    inner = field[1:-1]
    assert field.endswith('"') and len(field) > 1 and not inner.replace('""', "").count('"'), field
    return inner.replace('""', '"')


def check_shape(field_list, sample):
    """Raise AssertionError unless exactly the fields are quoted that are quoted in a line of
    DATEV's sample file.
    """
    expected = fields(sample)
    assert len(field_list) == len(expected)
    for place, (field, example) in enumerate(zip(field_list, expected, strict=True), 1):
        assert field.startswith('"') == example.startswith('"'), (
            f"field {place}: {field}, in the sample {example}"
        )


class Batch:
    """A batch of bookings, checked field by field. `bookings` are dicts {column: value}."""

    def __init__(self, content):
        header, names, *lines = records(content)
        check_header(header)
        assert ";".join(names) == BATCH_COLUMNS
        self.header = [value(field) for field in header]
        self.first, self.last = (date.fromisoformat(self.header[place]) for place in (14, 15))
        for line in lines:
            check_booking(line, self.first, self.last, int(self.header[13]), self.header[20])
        self.bookings = [
            {place: value(field) for place, field in enumerate(line, 1)} for line in lines
        ]

    def of(self, document):
        """Return the bookings with this document number."""
        return [booking for booking in self.bookings if booking[11] == document]

    def movements(self):
        """Return {debtor account: {currency: what it owes more}}, in the currency of the invoice."""
        sums = {}
        for booking in self.bookings:
            amount, currency = original(booking, self.header[21])
            for place, sign in ((7, 1), (8, -1)):
                if len(booking[place]) > int(self.header[13]):
                    of_debtor = sums.setdefault(booking[place], {})
                    turned = sign if booking[2] == "S" else -sign
                    of_debtor[currency] = of_debtor.get(currency, 0) + turned * amount
        return sums


def check_header(header):
    check_shape(header, BATCH_HEADER)
    for place, field in enumerate(header, 1):
        expression = HEADER_FIELDS.get(place, "")
        assert re.fullmatch(expression, field), f"header field {place}: {field}"
    start, first, last = (date.fromisoformat(header[place]) for place in (12, 14, 15))
    assert start <= first <= last < start.replace(year=start.year + 1), (
        "the period lies in one fiscal year"
    )


def check_booking(line, first, last, length, locked):
    check_shape(line, BATCH_LINE)
    for place, field in enumerate(line, 1):
        if field not in ("", '""'):
            single = (
                field[:1] + field[1:-1].replace('""', '"') + field[-1:]
                if field[0] == '"'
                else field
            )
            assert re.fullmatch(BOOKING_FIELDS.get(place, "(?!)"), single), (
                f"column {place}: {field}"
            )
        else:
            assert place not in REQUIRED, f"column {place} is required"
    day = date(first.year, int(line[9][2:]), int(line[9][:2]))
    assert first <= day <= last, f"{day} is outside of the period"
    assert max(len(line[6]), len(line[7])) <= length + 1 and line[6] != line[7]
    assert len({bool(value(line[place])) for place in (2, 3, 4, 5)}) == 1, (
        "columns 3 to 6 belong together"
    )
    assert bool(line[114]) == bool(line[115]), "a date of service needs a tax period"
    assert line[113] == locked
    for place in range(20, 36, 2):
        assert bool(value(line[place])) == bool(value(line[place + 1]))


def original(booking, base):
    """Return (amount, currency) of a booking in the currency of its invoice."""
    details = {booking[place]: booking[place + 1] for place in range(21, 37, 2)}
    if "Originalbetrag" in details:
        amount, currency = details["Originalbetrag"].split(" ")
        return Decimal(amount.replace(",", ".")), currency
    return Decimal(booking[1].replace(",", ".")), booking[3] or base
