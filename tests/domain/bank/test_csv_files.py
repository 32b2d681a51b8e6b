"""Statements in the CSV files of banks. The headers are those of the banks, the rows are invented."""

import io
import random
import time
from contextlib import suppress

import pytest

from eventapi.domain.bank import csv_files
from eventapi.domain.bank.csv_banks import FORMS

OWN = "DE02120300000000202051"
PAYER = "DE89370400440532013000"
SPARKASSE = (
    '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Glaeubiger ID";'
    '"Mandatsreferenz";"Kundenreferenz (End-to-End)";"Sammlerreferenz";"Lastschrift Ursprungsbetrag";'
    '"Auslagenersatz Ruecklastschrift";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";'
    '"BIC (SWIFT-Code)";"Betrag";"Waehrung";"Info"\n'
)
ROW = (
    f'"{OWN}";"05.12.25";"08.12.25";"GUTSCHRIFT UEBERWEISUNG";"Rechnung INV-2025-00017 für Messe";"";"";"E-1";"";"";'
    f'"";"Bergmann & Söhne GmbH";"{PAYER}";"COBADEFFXXX";"2.960,02";"EUR";"Umsatz gebucht"\n'
)
ATRUVIA = (
    "Bezeichnung Auftragskonto;IBAN Auftragskonto;BIC Auftragskonto;Bankname Auftragskonto;Buchungstag;"
    "Valutadatum;Name Zahlungsbeteiligter;IBAN Zahlungsbeteiligter;BIC (SWIFT-Code) Zahlungsbeteiligter;"
    "Buchungstext;Verwendungszweck;Betrag;Waehrung;Saldo nach Buchung;Bemerkung;Gekennzeichneter Umsatz;"
    "Glaeubiger ID;Mandatsreferenz\r\n"
)
DEUTSCHE = (
    "Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN / Kontonummer;BIC;"
    "Kundenreferenz;Mandatsreferenz;Gläubiger ID;Fremde Gebühren;Betrag;Abweichender Empfänger;"
    "Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n"
)
# bank -> (file, its form, account, and of each entry: date, amount, party, IBAN, text)
FILES = {
    "Sparkasse CSV-CAMT": (
        (SPARKASSE + ROW).encode("cp1252"),
        "Sparkasse",
        OWN,
        [
            (
                "2025-12-05",
                296002,
                "Bergmann & Söhne GmbH",
                PAYER,
                "Rechnung INV-2025-00017 für Messe",
            )
        ],
    ),
    "Sparkasse CSV-CAMT with a category": (
        (
            SPARKASSE.replace('"Info"', '"Info";"Kategorie"')
            + ROW.replace('gebucht"', 'gebucht";"Sonstiges"')
        ).encode(),
        "Sparkasse",
        OWN,
        [
            (
                "2025-12-05",
                296002,
                "Bergmann & Söhne GmbH",
                PAYER,
                "Rechnung INV-2025-00017 für Messe",
            )
        ],
    ),
    "Sparkasse CSV-MT940": (
        '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";'
        '"Beguenstigter/Zahlungspflichtiger";"Kontonummer";"BLZ";"Betrag";"Waehrung";"Info"\n'
        f'"{OWN}";"04.12.25";"04.12.25";"GUTSCHRIFT";"EREF+E-77MREF+M1CRED+DE98ZZZ09999999999SVWZ+INV-2025-00018";'
        f'"Kräuterhof";"{PAYER}";"COBADEFFXXX";"-29,99";"EUR";"Umsatz gebucht"\n',
        "Sparkasse",
        OWN,
        [("2025-12-04", -2999, "Kräuterhof", PAYER, "INV-2025-00018")],
    ),
    "Volksbank": (
        "\ufeff"
        + ATRUVIA
        + f"Giro;{OWN};GENODEF1NEA;VR Bank;01.12.2025;01.12.2025;Gärtnerei Süd;{PAYER};GENODEF1S05;"
        "Gutschrift;INV-2025-00019 EREF: 1345 MREF: M-2 CRED: DE74ZZZ00000051890;175,00;EUR;14846,94;;;;\r\n"
        f"Giro;{OWN};GENODEF1NEA;VR Bank;28.11.2025;30.11.2025;;;;Abschluss;Abschluss per 30.11.2025;-6,00;EUR;;;;;"
        "\r\n",
        "Volksbank or Raiffeisenbank",
        OWN,
        [
            ("2025-12-01", 17500, "Gärtnerei Süd", PAYER, "INV-2025-00019"),
            ("2025-11-28", -600, None, None, "Abschluss per 30.11.2025"),
        ],
    ),
    "Volksbank, old": (
        '"Volksbank Muster eG"\r\n\r\n"Konto";"1234567"\r\n\r\n"Buchungstag";"Valuta";"Auftraggeber/Zahlungsempfänger";'
        '"Empfänger/Zahlungspflichtiger";"Konto-Nr.";"IBAN";"BLZ";"BIC";"Vorgang/Verwendungszweck";"Kundenreferenz";'
        '"Währung";"Umsatz";" "\r\n"29.12.2017";"29.12.2017";"Messe Beispiel GmbH";"Max Mustermann";;'
        f'"{PAYER}";;"GENODE61FR1";"UEBERWEISUNGSGUTSCHR\r\nZu Rechnung Nr INV-2017-000\r\n12 Messe";;"EUR";'
        '"1.202,10";"H"\r\n'
        '"28.12.2017";"28.12.2017";"Messe Beispiel GmbH";;;;;;"ABSCHLUSS";;"EUR";"6,00";"S"\r\n\r\n'
        '"01.12.2017";;;;;;;;;"Anfangssaldo";"EUR";"22.257,11";"H"\r\n'
        '"31.12.2017";;;;;;;;;"Endsaldo";"EUR";"23.453,21";"H"\r\n',
        "Volksbank or Raiffeisenbank, old",
        None,
        [
            (
                "2017-12-29",
                120210,
                "Max Mustermann",
                PAYER,
                "UEBERWEISUNGSGUTSCHR Zu Rechnung Nr INV-2017-00012 Messe",
            ),
            ("2017-12-28", -600, None, None, "ABSCHLUSS"),
        ],
    ),
    "Deutsche Bank": (
        f"\ufeffUmsätze\nKonto;Filial-/Kontonummer;IBAN;Währung\nAktivKonto;123 1234567 00;{OWN};EUR\n\n"
        "1.6.2026 - 30.6.2026\nLetzter Kontostand;;;;2.500,00;EUR\nVorgemerkte Umsätze sind nicht Bestandteil.\n"
        + DEUTSCHE
        + f"30.6.2026;30.6.2026;SEPA Überweisung;Bank AG;INV-2026-00001;{PAYER};;NOTPROVIDED;;;;-1.000,00;;;"
        f";-1.000,00;;EUR\n2.6.2026;2.6.2026;Gutschrift;Max;Miete;{PAYER};;E-1;;;;750;;;;;750;EUR\n"
        "Kontostand;30.6.2026;;;1.200,00;EUR\n",
        "Deutsche Bank or Postbank",
        OWN,
        [
            ("2026-06-30", -100000, "Bank AG", PAYER, "INV-2026-00001"),
            ("2026-06-02", 75000, "Max", PAYER, "Miete"),
        ],
    ),
    "Deutsche Bank until 2024": (
        (
            "Umsätze Persönliches Konto;;;Kundennummer\n\n\n\n"
            + DEUTSCHE.replace("IBAN / Kontonummer", "IBAN")
            .replace("Mandatsreferenz", "Mandatsreferenz ")
            .replace("Empfänger;Anzahl", "Empfänger;Abweichender Auftraggeber;Anzahl")
            + f'07.11.2023;07.11.2023;"Kartenzahlung";A;Text;{PAYER};X;E;;;;;;;;;-243,00;;EUR\n'
            f'08.11.2023;08.11.2023;"Gutschrift";B;INV-2023-1;{PAYER};X;E;;;;;;;;;;1.380,00;EUR\n'
        ).encode("cp1252"),
        "Deutsche Bank or Postbank",
        None,
        [
            ("2023-11-07", -24300, "A", PAYER, "Text"),
            ("2023-11-08", 138000, "B", PAYER, "INV-2023-1"),
        ],
    ),
    "Commerzbank": (
        "\ufeffBuchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;IBAN Kontoinhaber;Kategorie\n"
        "02.05.2025;02.05.2025;Gutschrift;Baumschule Nord eG INV-2025-00020 End-to-End-Ref.: E-9 Mandatsref: M-1;-2040;"
        f"EUR;{OWN};Wohnen\n03.05.2025;03.05.2025;Zinsen/Entgelte;Grundpreis 9,90- EUR;-10,7;EUR;{OWN};\n",
        "Commerzbank",
        OWN,
        [
            ("2025-05-02", -204000, None, None, "Baumschule Nord eG INV-2025-00020"),
            ("2025-05-03", -1070, None, None, "Grundpreis 9,90- EUR"),
        ],
    ),
    "comdirect": (
        (
            ';\n"Umsätze Girokonto";"Zeitraum: 01.09.2023 - 06.10.2023";\n"Neuer Kontostand";"16,94 EUR";\n\n'
            '"Buchungstag";"Wertstellung (Valuta)";"Vorgang";"Buchungstext";"Umsatz in EUR";\n'
            '"offen";"--";"Kartenverfügung";"Buchungstext: Text";"-23,86";\n'
            '"05.10.2023";"05.10.2023";"Übertrag / Überweisung";"Auftraggeber: Floristik West Buchungstext: '
            'INV-2023-00023 Ref. A1234567891/0";"1.265,64";\n'
            f'"02.10.2023";"04.10.2023";"Übertrag / Überweisung";"Empfänger: Name1 Name2Kto/IBAN: {PAYER} BLZ/BIC: '
            'COBADEFFXXX  Buchungstext: Erstattung Ref. DE987654321/1";"-1.234,56";\n'
        ).encode("iso-8859-15"),
        "comdirect",
        None,
        [
            ("2023-10-05", 126564, "Floristik West", None, "INV-2023-00023 Ref. A1234567891/0"),
            ("2023-10-02", -123456, "Name1 Name2", PAYER, "Erstattung Ref. DE987654321/1"),
        ],
    ),
    "comdirect with balances": (
        (
            '\n"Umsätze Girokonto";"Zeitraum: 30 Tage";\n"Neuer Kontostand";"5.119,00 EUR";\n\n"Buchungstag";'
            '"Wertstellung (Valuta)";"Vorgang";"Buchungstext";"Umsatz in EUR";\n"20.11.2026";"20.11.2026";"Übertrag / '
            'Überweisung";" Auftraggeber: Farn GmbH Buchungstext: Rechnung 4711";"119,00";\n\n"Alter Kontostand";'
            '"5.000,00 EUR";\n'
        ).encode("iso-8859-15"),
        "comdirect",
        None,
        [("2026-11-20", 11900, "Farn GmbH", None, "Rechnung 4711")],
    ),
    "ING": (
        (
            "Umsatzanzeige;Datei erstellt am: 09.12.2025 15:23\n\nIBAN;DE02 1203 0000 0000 2020 "
            "51\nKontoname;Girokonto\n"
            "Bank;ING\nKunde;Max Mustermann\nZeitraum;17.11.2025 - 09.12.2025\nSaldo;66.331,90;EUR\n\n"
            "Sortierung;Datum absteigend\n\nIn der CSV-Datei finden Sie alle bereits gebuchten Umsätze.\n\n"
            "Buchung;Wertstellungsdatum;Auftraggeber/Empfänger;Buchungstext;Notiz;Verwendungszweck;Saldo;Währung;Betrag;"
            "Währung\n09.12.2025;09.12.2025;Rosen Tantau KG;Gutschrift;;inv 2025 18;6.379,61;EUR;2.647,74;EUR\n"
            "08.12.2025;08.12.2025;VISA Laden;Lastschrift;;NR XXXX KAUFUMSATZ 05.12 13.98;3.731,87;USD;-13,98;EUR\n"
        ).encode("cp1252"),
        "ING",
        OWN,
        [
            ("2025-12-09", 264774, "Rosen Tantau KG", None, "inv 2025 18"),
            ("2025-12-08", -1398, "VISA Laden", None, "NR XXXX KAUFUMSATZ 05.12 13.98"),
        ],
    ),
    "DKB": (
        f'\ufeff"Girokonto";"{OWN}"\n""\n"Kontostand vom 09.12.2025:";"4.093,32 €"\n""\n"Buchungsdatum";"Wertstellung";'
        '"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";"Verwendungszweck";"Umsatztyp";"IBAN";"Betrag (€)";'
        '"Gläubiger-ID";"Mandatsreferenz";"Kundenreferenz"\n'
        f'"08.12.25";"08.12.25";"Gebucht";"Eva Klein";"Messe";"INV-2025-00024";"Eingang";"{PAYER}";"1.000";"";"";"E"\n'
        f'"07.12.25";"07.12.25";"Gebucht";"Messe";"Eva Klein";"Erstattung";"Ausgang";"{PAYER}";"-62,3";"";"";""\n'
        f'"06.12.25";"06.12.25";"Gebucht";"Eva Klein";"Messe";"früher";"Eingang";"{PAYER}";"100.000,00 €";;;"1"\n'
        f'"05.12.25";"";"Vorgemerkt";"Messe";"Laden";"Karte";"Ausgang";"{PAYER}";"-7,02";"";"";""\n',
        "DKB",
        OWN,
        [
            ("2025-12-08", 100000, "Eva Klein", PAYER, "INV-2025-00024"),
            ("2025-12-07", -6230, "Eva Klein", PAYER, "Erstattung"),
            ("2025-12-06", 10000000, "Eva Klein", PAYER, "früher"),
        ],
    ),
    "DKB, old": (
        (
            f'"Kontonummer:";"{OWN} / Girokonto";\n\n"Von:";"20.09.2018";\n"Bis:";"20.10.2018";\n'
            '"Kontostand vom 20.10.2018:";"1.234,56 EUR";\n\n"Buchungstag";"Wertstellung";"Buchungstext";'
            '"Auftraggeber / Begünstigter";"Verwendungszweck";"Kontonummer";"BLZ";"Betrag (EUR)";"Gläubiger-ID";'
            '"Mandatsreferenz";"Kundenreferenz";\n'
            f'"19.10.2018";"19.10.2018";"Gutschrift";"Foo Firma";"";"{PAYER}";"FOOBARFO";"45,67";"";"";"FOOFIRMA";\n'
        ).encode("cp1252"),
        "DKB, old",
        OWN,
        [("2018-10-19", 4567, "Foo Firma", PAYER, None)],
    ),
    "N26": (
        '"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference","Account Name",'
        '"Amount (EUR)","Original Amount","Original Currency","Exchange Rate"\n'
        f'2025-03-15,2025-03-15,"Muster, Eva",{PAYER},"Credit Transfer","INV-2025-00001","Main Account",-25.9,,,\n'
        '2025-03-16,2025-03-16,"B",,"Credit Transfer","","Main Account",2500.00,,,\n',
        "N26",
        None,
        [
            ("2025-03-15", -2590, "Muster, Eva", PAYER, "INV-2025-00001"),
            ("2025-03-16", 250000, "B", None, None),
        ],
    ),
    "N26, old": (
        '"Date","Payee","Account number","Transaction type","Payment reference","Amount (EUR)",'
        '"Amount (Foreign Currency)","Type Foreign Currency","Exchange Rate"\n'
        f'"2021-03-15","A","{PAYER}","Income","INV-1","1250.5","","",""\n',
        "N26, old",
        None,
        [("2021-03-15", 125050, "A", PAYER, "INV-1")],
    ),
    "HypoVereinsbank": (
        "Kontonummer;Buchungsdatum;Valuta;Empfaenger 1;Empfaenger 2;Verwendungszweck;Betrag;Waehrung\n"
        "202051;15.09.2025;15.09.2025;Flora;;SEPA-GUTSCHRIFT INV-2025-00001;345,30;EUR\n",
        "HypoVereinsbank",
        "202051",
        [("2025-09-15", 34530, "Flora", None, "SEPA-GUTSCHRIFT INV-2025-00001")],
    ),
    "HypoVereinsbank without payee": (
        "Kontonummer;Buchungsdatum;Valuta;Verwendungszweck;Betrag;Waehrung\n"
        "202051;15.09.2025;15.09.2025;GUTSCHRIFT INV-2025-00001;345,30;CHF\n",
        "HypoVereinsbank",
        "202051",
        [("2025-09-15", 34530, None, None, "GUTSCHRIFT INV-2025-00001")],
    ),
    "Consorsbank": (
        "Konto;Inhaber;Exportdatum\n500001234;Messe GmbH;24.05.2026, 10:11:12\n\nAllgemeine Informationen\n"
        "Konto;Inhaber;Exportdatum\n500001234;Messe GmbH;24.05.2026, 10:11:12\nKontostand\n"
        "Saldo;Währung für Saldo;Datum;max. Verfügungsrahmen;Währung für max. Verfügungsrahmen\n"
        "3.000,00;EUR;24.05.2026;3.000,00;EUR\nKontoumsätze\n"
        "Buchung ;Valuta;Sender / Empfänger;IBAN;BIC;Buchungstext;Verwendungszweck;Kategorie;Stichwörter;"
        "Umsatz geteilt;Betrag;Währung\n"
        f"01.05.2026;04.05.2026;Gärtnerei Süd;{PAYER};COBADEFFXXX;GUTSCHRIFT;INV-2026-00021;n/a;n/a;n/a;2.700,00;EUR\n"
        "02.05.2026;02.05.2026;n/a;n/a;n/a;Gebühren;Porto;n/a;n/a;n/a;-1,60;EUR\n",
        "Consorsbank",
        None,
        [
            ("2026-05-01", 270000, "Gärtnerei Süd", PAYER, "INV-2026-00021"),
            ("2026-05-02", -160, None, None, "Porto"),
        ],
    ),
    "Qonto": (
        "Status,Settlement date (UTC),Operation date (UTC),Total amount (incl. VAT),Currency,Counterparty name,"
        "Payment method,Transaction ID,IBAN,Reference,Category,Note,VAT amount,Initiator\n"
        'settled,2026-01-12 10:00:00,2026-01-12 10:00:00,"5,000.00",EUR,Client,transfer,q2,,INV-2026-00001,,,0.00,A\n'
        "declined,2026-01-13 10:00:00,2026-01-13 10:00:00,7.00,EUR,Client,card,q3,,x,,,0.00,A\n",
        "Qonto",
        None,
        [("2026-01-12", 500000, "Client", None, "INV-2026-00001")],
    ),
    "Finom": (
        "Buchungsdatum,Time completed,Status,Transaktionsart,Auftraggeber/Empfänger,Counterparty BIC,Counterparty IBAN,"
        "Verwendungszweck,Tags,Zahlungsfreigeber,Kartennummer,Ursprungswährung,Ursprungsbetrag,Zahlungswährung,"
        "Zahlungsbetrag,Wallet-Saldo nach Transaktion,Wallet-Name,Wallet-IBAN,Begleitende Dokumente,Transaktions-ID\n"
        f"03.03.2026,18:25,Completed,Transfer,Max,GENODEF1XXX,{PAYER},N/A,N/A,,,EUR,500.00,EUR,500.00,500.00,Main,{OWN},"
        "N/A,5555\n",
        "Finom",
        OWN,
        [("2026-03-03", 50000, "Max", PAYER, None)],
    ),
}


def read(data, account=None):
    return csv_files.read(io.BytesIO(data if isinstance(data, bytes) else data.encode()), account)


@pytest.mark.parametrize("name", FILES)
def test_the_file_of_a_bank_is_read(name):
    data, form, account, expected = FILES[name]
    (found,) = read(data)
    assert (found.form, found.account) == (form, account)
    assert [
        (entry.booked_on, entry.amount, entry.party, entry.party_iban, entry.reference)
        for entry in found.entries
    ] == expected
    assert found.starts_on == min(row[0] for row in expected) and found.ends_on == max(
        row[0] for row in expected
    )


def test_there_is_a_file_for_each_form():
    assert {form for _, form, _, _ in FILES.values()} == {form.name for form in FORMS}


def test_further_fields():
    (camt,), (mt940,) = read(FILES["Sparkasse CSV-CAMT"][0]), read(FILES["Sparkasse CSV-MT940"][0])
    first = camt.entries[0]
    assert (first.valued_on, first.party_bic, first.end_to_end_id, first.code, first.currency) == (
        "2025-12-08",
        "COBADEFFXXX",
        "E-1",
        "GUTSCHRIFT UEBERWEISUNG",
        "EUR",
    )
    assert (mt940.entries[0].end_to_end_id, mt940.entries[0].mandate) == ("E-77", "M1")
    volksbank, qonto = read(FILES["Volksbank"][0])[0], read(FILES["Qonto"][0])[0]
    assert (volksbank.entries[0].end_to_end_id, volksbank.entries[0].mandate) == ("1345", "M-2")
    assert (qonto.entries[0].bank_reference, qonto.skipped) == ("q2", 1)
    assert read(FILES["HypoVereinsbank without payee"][0])[0].currency == "CHF"
    assert read(FILES["Commerzbank"][0])[0].entries[0].end_to_end_id == "E-9"


def test_pending_and_empty_rows_are_counted():
    (found,) = read(
        SPARKASSE
        + ROW
        + ROW.replace("Umsatz gebucht", "Umsatz vorgemerkt")
        + "\n"
        + ROW.replace("2.960,02", "0,00")
    )
    assert (len(found.entries), found.skipped, found.empty) == (1, 1, 1)
    assert [read(FILES[name][0])[0].skipped for name in ("comdirect", "DKB")] == [1, 1]


# bank -> (state of a booked row in FILES, others that are not booked)
STATES = {
    "Sparkasse CSV-CAMT": (
        "Umsatz gebucht",
        ["Umsatz vorgemerkt", "UMSATZ VORGEMERKT", "Umsatz vorgemerkt "],
    ),
    "Sparkasse CSV-MT940": ("Umsatz gebucht", ["Umsatz vorgemerkt"]),
    "comdirect": ("05.10.2023", ["offen"]),
    "DKB": ("Gebucht", ["Vorgemerkt", "vorgemerkt", ""]),
    "Qonto": ("settled", ["pending", "declined", "canceled"]),
    "Finom": ("Completed", ["Pending", "DECLINED", ""]),
}


@pytest.mark.parametrize(
    ("name", "state"), [(name, state) for name, (_, states) in STATES.items() for state in states]
)
def test_rows_that_their_bank_has_not_booked_are_skipped(name, state):
    data = FILES[name][0]
    data = (
        data
        if isinstance(data, str)
        else data.decode(
            "cp1252"
            if name.startswith("Sparkasse")
            else "utf-8-sig"
            if name == "DKB"
            else "iso-8859-15"
        )
    )
    place = data.index("\n", data.index(STATES[name][0]))  # no second cell of the row
    (before,) = read(data)
    (found,) = read(data[:place].replace(STATES[name][0], state, 1) + data[place:])
    assert (found.skipped, len(found.entries)) == (before.skipped + 1, len(before.entries) - 1)
    assert state.strip() in found.skipped_states and found.unread_state == ()


def test_no_form_has_a_column_of_states_that_is_not_read():
    """A form with a further column of a new version of the file must be told about it, so it is
    looked for.
    """
    assert {FILES[name][1] for name in STATES} == {form.name for form in FORMS if form.status}
    for name, (data, *_) in FILES.items():
        assert [found.unread_state for found in read(data)] == [()], name
    header = SPARKASSE.replace('"Info"', '"Info";"Art"')
    row = ROW.replace('gebucht"', 'gebucht";"x"')
    assert read(header + row)[0].unread_state == ()
    atruvia = ATRUVIA.replace("Gekennzeichneter Umsatz", "Status")
    more = FILES["Volksbank"][0].split("\r\n")[1]
    rows = "".join(f"{more[:-3]};{state};;\r\n" for state in ("Gebucht", "Vorgemerkt"))
    assert [found.unread_state for found in read(atruvia + rows)] == [("status", "Vorgemerkt")]


def test_accounts_and_currencies_are_kept_apart():
    found = read(
        SPARKASSE
        + ROW
        + ROW.replace(OWN, "DE27100777770209299700")
        + ROW.replace('"EUR"', '"USD"')
        + ROW
    )
    assert [(one.account, one.currency, len(one.entries)) for one in found] == [
        (OWN, "EUR", 2),
        ("DE27100777770209299700", "EUR", 1),
        (OWN, "USD", 1),
    ]


def test_the_account_can_be_given():
    data = FILES["N26"][0]
    assert read(data, "DE02 1203 0000 0000 2020 51")[0].account == OWN
    assert read(FILES["HypoVereinsbank"][0], OWN)[0].account == OWN
    assert read(FILES["Sparkasse CSV-CAMT"][0], OWN)[0].account == OWN
    for name in ("Sparkasse CSV-CAMT", "ING", "HypoVereinsbank"):
        with pytest.raises(ValueError, match="not of DE27100777770209299700"):
            read(FILES[name][0], "DE27100777770209299700")


def test_a_file_without_entries_is_a_statement():
    (found,) = read(SPARKASSE, OWN)
    assert (found.account, found.currency, found.entries, found.starts_on) == (OWN, "EUR", (), None)


def test_column_names_may_have_umlauts():
    (found,) = read(
        SPARKASSE.replace("Beguenstigter", "Begünstigter").replace("Waehrung", "Währung") + ROW
    )
    assert found.entries[0].party == "Bergmann & Söhne GmbH"


def test_a_text_that_looks_like_a_label_stays():
    text = "Kontostand 31.12. INV-2025-00017"
    (found,) = read(SPARKASSE + ROW.replace("Rechnung INV-2025-00017 für Messe", text))
    assert found.entries[0].reference == text


@pytest.mark.parametrize(
    ("name", "amount", "units"),
    [
        ("Sparkasse CSV-CAMT", "1.234,56", 123456),
        ("Sparkasse CSV-CAMT", "-0,01", -1),
        ("Sparkasse CSV-CAMT", "+5", 500),
        ("Sparkasse CSV-CAMT", "12,5", 1250),
        ("Sparkasse CSV-CAMT", "1.000", 100000),
        ("Sparkasse CSV-CAMT", "9,90-", -990),
        ("Sparkasse CSV-CAMT", "\u22121,00 €", -100),
        ("Sparkasse CSV-CAMT", "1234567,89 EUR", 123456789),
    ],
)
def test_amounts(name, amount, units):
    (found,) = read(FILES[name][0].decode("cp1252").replace("2.960,02", amount))
    assert found.entries[0].amount == units


REFUSED = [
    (
        ROW.replace("2.960,02", amount),
        f'Line 2, column "betrag": "{amount}" is not an amount such as 1.234,56',
    )
    for amount in (
        "2,960.02",
        "2960.02",
        "12,345",
        "0.125",
        "01.250,00",
        "1.23,45",
        "",
        "abc",
        "1e3",
        "--5",
        "-5-",
        "1 2,3x",
        "\u0661",
    )
]
REFUSED += [
    (ROW.replace("05.12.25", value), f'Line 2, column "buchungstag": "{value}" is not a date')
    for value in ("31.02.25", "", "2025-13-01", "12/05/2025", "5 Dez", "05.12.225")
]
REFUSED += [
    (ROW.replace('"EUR"', '"EURO"'), '"EURO" is not a currency'),
    (ROW + ROW[:-40], "Line 3 is not valid CSV (unexpected end of data)"),
    (ROW + ROW[:-18], "Line 3 has 16 cells"),
    (ROW.replace("\n", ';"x"\n'), "Line 2 has 18 cells"),
    (ROW.replace("2.960,02", "9999999999999,00"), "has more digits than"),
    (ROW.replace('Messe"', "Messe") + ROW, "Line 2 has 14 cells"),
]


@pytest.mark.parametrize(("rows", "reason"), REFUSED)
def test_a_value_that_cannot_be_read_refuses_the_file(rows, reason):
    with pytest.raises(ValueError) as caught:
        read(SPARKASSE + rows)
    assert reason in str(caught.value) and "Export the entries from the bank again" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        (
            "Deutsche Bank",
            "750;;;;;750",
            "750;;;;;751",
            'column "haben": "751" is not the amount 750',
        ),
        (
            "Deutsche Bank until 2024",
            ";-243,00;;EUR",
            ";-243,00;5,00;EUR",
            'column "soll": "-243,00" stands beside',
        ),
        (
            "Volksbank, old",
            '"1.202,10";"H"',
            '"1.202,10";""',
            "is neither S (debit) nor H (credit)",
        ),
        (
            "N26",
            "2500.00",
            '"2.500,00"',
            'column "amount (eur)": "2.500,00" is not an amount such as 1,234.56',
        ),
        ("ING", "2.647,74;EUR", "2.647,74", "Line 15 has 9 cells"),
    ],
)
def test_contradictions_refuse_the_file(name, old, new, reason):
    data = FILES[name][0]
    data = data.decode("cp1252") if isinstance(data, bytes) else data
    assert old in data
    with pytest.raises(ValueError) as caught:
        read(data.replace(old, new))
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty"),
        (b"x", "not the CSV of a bank that is known (Sparkasse, Volksbank"),
        (b"email;name\na@b.de;A\n", "camt.053"),
        (
            (SPARKASSE + ROW).encode("cp1252").replace(b"Messe", b"\x81\x8d"),
            "neither UTF-8 nor Windows-1252",
        ),
        ((SPARKASSE + ROW).replace("Messe", "\0").encode(), "NUL characters"),
        (b"Buchungstag;Betrag\n" * 100_000, "not the CSV of a bank"),
        (b'"' + b"x" * 150_000, "is not valid CSV"),
        (b'"' * 1_000_000, "a row has more than 200000 characters"),
        (b'x;"\n";' * 50_000, "a row has more than 200000 characters"),
        (b"x" * 20_000_001, "more than 20000000 bytes"),
        (
            (
                FILES["comdirect"][0]
                + '"Umsätze Tagesgeld PLUS-Konto";"Zeitraum";\n'.encode("cp1252")
            ),
            "several accounts",
        ),
    ],
)
def test_another_file_is_refused(data, reason):
    with pytest.raises(ValueError) as caught:
        read(data)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "value", ["1" + " " * 100_000 + "1", "1" * 100_000, "1" + ".111" * 25_000 + "x"]
)
def test_any_amount_is_read_in_linear_time(value):
    began = time.process_time()
    with suppress(ValueError):
        read(SPARKASSE + ROW.replace("2.960,02", value))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_do_not_matter(encoding, ending):
    (found,) = read((SPARKASSE + ROW).replace("\n", ending).encode(encoding))
    assert found.entries == read(FILES["Sparkasse CSV-CAMT"][0])[0].entries


@pytest.mark.parametrize("seed", range(20))
def test_shuffled_and_overlapping_files_have_the_same_keys(seed):
    """Each file has all rows of its days, in any order."""
    dice = random.Random(seed)
    rows = [
        ROW.replace("05.12.25", f"0{dice.randint(1, 9)}.12.25")
        .replace("2.960,02", dice.choice(["1,00", "2,00"]))
        .replace("für", dice.choice(["für", " für ", "FÜR", "und"]))
        for _ in range(30)
    ]
    whole = {entry.key for entry in read(SPARKASSE + "".join(rows))[0].entries}
    assert len(whole) == 30
    for last in range(1, 10):
        part = [row for row in dice.sample(rows, 30) if row.split('"')[3] <= f"0{last}.12.25"]
        found = {entry.key for one in read(SPARKASSE + "".join(part)) for entry in one.entries}
        assert found <= whole and len(found) == len(part)


@pytest.mark.parametrize("name", FILES)
def test_each_cut_inside_a_row_is_refused_or_loses_whole_rows_only(name):
    """A shortened file never changes an amount, a date or a party of the entries that are left."""
    data, _, _, expected = FILES[name]
    data = data if isinstance(data, bytes) else data.encode()
    for end in range(len(data)):
        try:
            found = [entry for one in read(data[:end]) for entry in one.entries]
        except ValueError:
            continue
        left = [
            (entry.booked_on, entry.amount, entry.party, entry.party_iban, entry.reference)
            for entry in found
        ]
        assert left == expected[: len(left)], end


# The CSV of a bank that is not recognised
OTHER = (
    "Kontoauszug Regionalbank\n\nBuchungsdatum;Zahler;Konto Zahler;Zweck;Ausgang;Eingang;Kurs\n"
    f"04.12.2025;Kräuterhof;{PAYER};Rechnung INV-2025-00018;;1.190,00;1\n"
    "2025-12-05;;;Gebühr;12,75;0,00;1\n"
)
COLUMNS = {
    "booked_on": "BUCHUNGSDATUM",
    "debit": "Ausgang",
    "credit": "Eingang",
    "party": "Zahler",
    "iban": "konto  zahler",
    "text": "Zweck",
    "decimal": ",",
}


def of_columns(data, **changed):
    own = {name: value for name, value in {**COLUMNS, **changed}.items() if value}
    return csv_files.read(io.BytesIO(data.encode()), OWN, own=own)


def test_the_columns_of_an_unknown_bank_are_those_that_are_named():
    (found,) = of_columns(OTHER)
    assert [
        (entry.booked_on, entry.amount, entry.party, entry.party_iban, entry.reference)
        for entry in found.entries
    ] == [
        ("2025-12-04", 119000, "Kräuterhof", PAYER, "Rechnung INV-2025-00018"),
        ("2025-12-05", -1275, None, None, "Gebühr"),
    ]
    assert (found.account, found.currency) == (OWN, "EUR")
    assert found.form == (
        "CSV with booked_on=buchungsdatum, debit=ausgang, credit=eingang, party=zahler, "
        "iban=konto zahler, text=zweck"
    )
    assert of_columns(OTHER, decimal=",", text=None)[0].form != found.form


def test_named_columns_may_contain_a_signed_amount_and_a_decimal_point():
    data = (
        'Date,Total,Cur,Own\n2025-12-04,"1,190.00",CHF,'
        + OWN
        + "\n2025-12-05,-12.75,CHF,"
        + OWN
        + "\n"
    )
    (found,) = csv_files.read(
        io.BytesIO(data.encode()),
        own={
            "booked_on": "Date",
            "amount": "Total",
            "currency": "Cur",
            "account": "Own",
            "decimal": ".",
        },
    )
    assert [(entry.amount, entry.currency) for entry in found.entries] == [
        (119000, "CHF"),
        (-1275, "CHF"),
    ]
    assert found.account == OWN


def test_named_columns_count_before_those_of_a_known_bank():
    data = SPARKASSE + ROW
    (known,) = csv_files.read(io.BytesIO(data.encode()))
    (own,) = csv_files.read(
        io.BytesIO(data.encode()),
        OWN,
        own={
            "booked_on": "Buchungstag",
            "amount": "Betrag",
            "text": "Buchungstext",
            "decimal": ",",
        },
    )
    assert (known.entries[0].reference, own.entries[0].reference) == (
        "Rechnung INV-2025-00017 für Messe",
        "GUTSCHRIFT UEBERWEISUNG",
    )
    assert known.form == "Sparkasse" and own.form.startswith("CSV with ")


@pytest.mark.parametrize(
    "data, changed, text",
    [
        (OTHER, {"text": "Verwendung"}, "No row has each of the columns .*verwendung.* once"),
        (OTHER.replace("Kurs", "Zweck"), {}, "once"),
        (
            OTHER.replace("1.190,00", "1190.00"),
            {},
            'column "eingang": "1190.00" is not an amount .*decimal_separator',
        ),
        (OTHER.replace("1.190,00", ""), {}, 'column "eingang": "" is not an amount'),
        (OTHER.replace(";;1.190,00", ";1,00;1.190,00"), {}, "beside a credit"),
        (OTHER.replace("04.12.2025", "12/04/2025"), {}, "the day or the month may come first"),
        (OTHER.replace("04.12.2025", "31/13/2025"), {}, "is not a date"),
        (OTHER.replace("Kräuterhof;", ""), {}, "has 6 cells, but there are 7 columns"),
        (OTHER.replace(";1\n", ";1;EUR\n"), {}, "has 8 cells"),
        (OTHER, {"account": "Konto Zahler"}, "the file is a statement of account"),
    ],
)
def test_a_file_that_does_not_have_the_named_columns_is_refused(data, changed, text):
    with pytest.raises(ValueError, match=text):
        of_columns(data, **changed)
