"""The tables of the export for a tax audit, and index.xml, the file that describes them.

The order of the elements of index.xml is that of its DTD. Source: Beschreibungsstandard für die
Datenträgerüberlassung of the German tax administration (gdpdu-01-09-2004.dtd).

The descriptions are in German because the German tax administration reads them. A column is a line:
name, kind, description. Kinds: `key` and `whole` are whole numbers, `key` is the primary key;
`text`, and `text-key` for a primary key; `day` (a date, or the date of a timestamp in the
organiser's time zone); `moment` (a timestamp in UTC, as text); `money` (minor units of the row's
currency); `percent`, `quantity`, `price` and `rate` are numbers with 2, 3, 4 and 10 decimals.
"""

from datetime import date
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

PLACES = {"key": 0, "whole": 0, "percent": 2, "quantity": 3, "price": 4, "rate": 10}


class Column(NamedTuple):
    name: str
    kind: str
    description: str


class Table(NamedTuple):
    """A table.

    `foreign` is the name of the table that the column `invoice_id` or `payment_id` refers to, or
    None.
    """

    name: str
    title: str
    columns: tuple
    foreign: tuple | None = None


def _table(name, title, columns, foreign=None):
    return Table(
        name,
        title,
        tuple(Column(*line.split(None, 2)) for line in columns.strip().splitlines()),
        foreign,
    )


TABLES = {
    table.name: table
    for table in (
        _table(
            "invoices",
            "Rechnungen und Rechnungskorrekturen, wie sie versandt wurden",
            """
        invoice_id key Interne Nummer
        invoice_number text Nummer des Belegs
        invoice_type text Art: invoice (Rechnung) oder credit_note (Rechnungskorrektur)
        related_invoice_number text Nummer der korrigierten Rechnung oder der Stornorechnung
        issue_date day Ausstellungsdatum
        service_date day Leistungsdatum oder Beginn des Leistungszeitraums
        service_date_to day Ende des Leistungszeitraums
        due_date day Fälligkeit
        tax_date day Tag der Leistung für die Umsatzsteuer
        tax_basis text Wann die Umsatzsteuer zählt: supply (Soll), payment (Ist) oder issue_date (Ausstellungsdatum)
        customer_number text Kundennummer auf dem Beleg
        buyer_name text Name des Empfängers
        buyer_address text Straße des Empfängers
        buyer_postal_code text Postleitzahl des Empfängers
        buyer_city text Ort des Empfängers
        buyer_country text Land des Empfängers
        buyer_vat_id text USt-IdNr. des Empfängers
        buyer_reference text Bestellnummer des Empfängers
        currency text Währung
        subtotal money Nettobetrag, bei Korrekturen negativ
        tax_total money Steuerbetrag, bei Korrekturen negativ
        total money Bruttobetrag, bei Korrekturen negativ
        exchange_rate rate Kurs: Betrag in Hauswährung für eine Einheit der Währung
        is_reverse_charge whole Steuerschuldnerschaft des Leistungsempfängers (1 = ja)
        is_deposit whole Abschlagsrechnung vor der Leistung (1 = ja)
        taken_over whole Aus einem anderen System übernommen (1 = ja)
        status text Heutiger Stand
        series text Nummernkreis
        sequence whole Laufende Nummer im Nummernkreis
        sent_at moment Zeitpunkt des Versands
        cancellation_reason text Grund der Stornierung
        xml_sha256 text SHA-256 der E-Rechnung im Ordner e_invoices
        pdf_sha256 text SHA-256 der gespeicherten PDF""",
        ),
        _table(
            "invoice_lines",
            "Positionen der Rechnungen und Rechnungskorrekturen",
            """
        invoice_id whole Interne Nummer des Belegs
        invoice_number text Nummer des Belegs
        position whole Position
        description text Leistung
        quantity quantity Menge
        unit text Einheit
        unit_price price Einzelpreis netto
        discount_percent percent Rabatt in Prozent
        tax_category text Steuerkategorie nach EN 16931
        tax_rate percent Steuersatz in Prozent
        exemption_reason text Grund der Steuerbefreiung
        currency text Währung
        net money Nettobetrag der Position""",
            ("invoice_id", "invoices"),
        ),
        _table(
            "invoice_taxes",
            "Steuerbeträge der Belege je Steuersatz",
            """
        invoice_id whole Interne Nummer des Belegs
        invoice_number text Nummer des Belegs
        issue_date day Ausstellungsdatum
        tax_category text Steuerkategorie nach EN 16931
        tax_rate percent Steuersatz in Prozent
        currency text Währung
        net money Nettobetrag
        tax money Steuerbetrag
        exemption_reason text Grund der Steuerbefreiung""",
            ("invoice_id", "invoices"),
        ),
        _table(
            "payments",
            "Zahlungseingänge mit der Rechnung, der sie zuerst zugeordnet waren",
            """
        payment_id key Interne Nummer der Zahlung
        payment_date day Datum der Zahlung
        invoice_number text Rechnungsnummer
        customer_number text Kundennummer
        currency text Währung
        amount money Betrag
        claim_amount money Davon auf Kosten und Zinsen von Mahnungen
        gateway_key text Zahlungsdienst
        gateway_name text Name des Zahlungsdienstes
        gateway_fee money Gebühr des Zahlungsdienstes
        transaction_id text Kennung der Transaktion beim Zahlungsdienst oder der Bank
        bank_transaction_id whole Umsatz des Kontoauszugs, siehe bank_transactions
        status text Heutiger Stand: completed (eingegangen) oder refunded (erstattet)
        created_at moment Zeitpunkt der Erfassung""",
        ),
        _table(
            "refunds",
            "Erstattungen",
            """
        refund_id key Interne Nummer der Erstattung
        payment_id whole Interne Nummer der erstatteten Zahlung
        refund_date day Datum der Erstattung
        invoice_number text Rechnungsnummer
        customer_number text Kundennummer
        currency text Währung
        amount money Betrag
        claim_amount money Davon auf Kosten und Zinsen von Mahnungen
        gateway_key text Zahlungsdienst
        transaction_id text Kennung der Transaktion beim Zahlungsdienst oder der Bank
        bank_transaction_id whole Umsatz des Kontoauszugs, siehe bank_transactions
        created_at moment Zeitpunkt der Erfassung""",
        ),
        _table(
            "moves",
            "Umbuchungen von Zahlungen auf andere Rechnungen",
            """
        move_id key Interne Nummer der Umbuchung
        payment_id whole Interne Nummer der Zahlung
        move_date day Datum der Umbuchung
        from_invoice_number text Bisherige Rechnung
        from_customer_number text Bisherige Kundennummer
        to_invoice_number text Neue Rechnung
        to_customer_number text Neue Kundennummer
        currency text Währung
        amount money Betrag abzüglich bisheriger Erstattungen""",
        ),
        _table(
            "write_offs",
            "Ausbuchungen von Forderungen",
            """
        write_off_id key Interne Nummer der Ausbuchung
        write_off_date day Tag der Ausbuchung
        kind text write_off (Forderungsausfall), tolerance (Kleindifferenz) oder recovery (späterer Zahlungseingang)
        invoice_number text Rechnungsnummer
        customer_number text Kundennummer
        currency text Währung
        amount money Betrag brutto, negativ bei späterem Zahlungseingang
        reason text Grund
        payment_id whole Interne Nummer der Zahlung
        created_at moment Zeitpunkt der Erfassung""",
        ),
        _table(
            "letters",
            "Mahnungen mit den geforderten Kosten und Zinsen",
            """
        letter_id key Interne Nummer der Mahnung
        sent_on day Datum der Mahnung
        invoice_number text Rechnungsnummer
        customer_number text Kundennummer
        level whole Mahnstufe
        title text Überschrift
        due_date day Fälligkeit der Rechnung
        deadline day Neue Zahlungsfrist
        currency text Währung
        open_amount money Offener Betrag der Rechnung
        costs money Kosten aller Mahnungen bis dahin
        interest money Verzugszinsen bis zum Datum der Mahnung
        claims_paid money Bereits auf Kosten und Zinsen gezahlt
        total_claim money Geforderter Gesamtbetrag
        claimed money Kosten und Zinsen, die diese Mahnung neu fordert
        calculation text Berechnung als JSON, Beträge in kleinsten Einheiten, Zinssätze in Hundertstel Prozent
        withdrawn_on day Datum der Rücknahme
        withdrawn_reason text Grund der Rücknahme
        created_at moment Zeitpunkt der Erfassung""",
        ),
        _table(
            "supplier_invoices",
            "E-Rechnungen von Lieferanten, wie sie eingegangen sind",
            """
        document_id key Interne Nummer des Dokuments
        issue_date day Ausstellungsdatum
        type text Art: invoice (Rechnung) oder credit_note (Gutschrift)
        number text Nummer der Rechnung
        seller_name text Lieferant
        seller_vat_id text USt-IdNr. des Lieferanten
        currency text Währung
        net_total price Nettobetrag
        tax_total price Steuerbetrag
        total price Bruttobetrag
        created_at moment Zeitpunkt des Eingangs
        filename text Name der Datei bei ihrem Eingang
        sha256 text SHA-256 der Datei im Ordner supplier_invoices, die mit document_id beginnt""",
        ),
        _table(
            "customers",
            "Kunden, wie sie auf ihrem letzten Beleg stehen",
            """
        customer_number text-key Kundennummer
        name text Name
        contact_name text Ansprechpartner
        address text Straße
        postal_code text Postleitzahl
        city text Ort
        country text Land
        vat_id text USt-IdNr.""",
        ),
        _table(
            "ledger",
            "Debitorenkonten: Salden und Umsätze je Kunde und Währung",
            """
        customer_number text Kundennummer
        currency text Währung
        opening_balance money Anfangssaldo (positiv: vom Kunden geschuldet)
        invoiced money Rechnungen brutto
        credited money Rechnungskorrekturen brutto
        claimed money Kosten und Zinsen von Mahnungen, abzüglich zurückgenommener
        received money Zahlungen, mit Umbuchungen
        refunded money Erstattungen, mit Umbuchungen
        written_off money Ausbuchungen abzüglich späterer Zahlungseingänge
        closing_balance money Endsaldo""",
        ),
        _table(
            "number_series",
            "Nummernkreise der Belege",
            """
        series text-key Nummernkreis
        invoice_type text Art des Belegs
        year whole Jahr
        first text Erste Nummer
        last text Letzte Nummer
        count whole Anzahl der Belege
        gaps text Fehlende laufende Nummern (leer: keine)""",
        ),
        _table(
            "periods",
            "Festgeschriebene Monate",
            """
        month text-key Monat
        closed_at moment Zeitpunkt der Festschreibung
        closed_by text Festgeschrieben von
        timezone text Zeitzone
        sha256 text SHA-256 der Zahlen
        figures text Zahlen bei der Festschreibung als JSON, Beträge in kleinsten Einheiten""",
        ),
        _table(
            "bank_transactions",
            "Umsätze aus eingelesenen Kontoauszügen",
            """
        bank_transaction_id key Interne Nummer des Umsatzes
        account text Konto (IBAN)
        booked_on day Buchungstag
        currency text Währung
        amount money Betrag, negativ für Abgänge
        party text Zahler oder Empfänger
        iban text IBAN des Zahlers oder Empfängers
        text text Verwendungszweck
        status text Stand: open (offen), assigned (zugeordnet) oder ignored (nicht berücksichtigt)
        assigned_amount money Als Zahlung oder Erstattung gebucht
        ignored_reason text Grund, warum er nicht berücksichtigt wird""",
        ),
        _table(
            "audit_log",
            "Änderungsprotokoll zu Belegen, Zahlungen und Festschreibungen",
            """
        entry_id key Nummer des Eintrags
        created_at moment Zeitpunkt
        action text Vorgang
        entity_type text Art des Datensatzes
        entity_id whole Interne Nummer des Datensatzes
        entity_title text Bezeichnung
        old_values text Werte vorher als JSON
        new_values text Werte nachher als JSON
        admin_name text Benutzer
        previous_hash text Prüfsumme des vorigen Eintrags
        hash text Prüfsumme dieses Eintrags""",
        ),
    )
}


DTD = "gdpdu-01-09-2004.dtd"
DAY, CRLF = "DD.MM.YYYY", "\r\n"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE DataSet SYSTEM "{DTD}">\n'


def document(config, tables, first, last, money_places):
    """Return index.xml as bytes.

    `first` and `last` are the days of the export, `money_places` the decimals of amounts.
    """
    root = ElementTree.Element("DataSet")
    SubElement(root, "Version").text = "1.0"
    supplier = SubElement(root, "DataSupplier")
    place = f"{config.organiser_postal_code} {config.organiser_city}".strip()
    comment = "Debitorenbuchhaltung aus eventapi. Absätze in Texten sind durch Leerzeichen ersetzt."
    for name, text in (("Name", config.organiser_name), ("Location", place), ("Comment", comment)):
        SubElement(supplier, name).text = text
    media = SubElement(root, "Media")
    SubElement(media, "Name").text = f"{german(first)} bis {german(last)}"
    for table in tables:
        _add_table(media, table, first, last, money_places)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f"{HEAD}{text.replace(CRLF, '&#13;&#10;')}\n".encode()  # a parser would read CRLF as LF


def german(day):
    """Return a date such as 2026-05-01 as 01.05.2026."""
    return f"{date.fromisoformat(day):%d.%m.%Y}"


def _add_table(media, table, first, last, money_places):
    element = SubElement(media, "Table")
    for name, text in (
        ("URL", f"{table.name}.csv"),
        ("Name", table.name),
        ("Description", table.title),
    ):
        SubElement(element, name).text = text
    validity = SubElement(element, "Validity")
    _add_range(validity, german(first), german(last))
    SubElement(validity, "Format").text = DAY
    SubElement(element, "UTF8")
    SubElement(element, "DecimalSymbol").text = ","
    SubElement(element, "DigitGroupingSymbol").text = "."
    _add_range(element, "2")  # the first line has the names of the columns
    shape = SubElement(element, "VariableLength")
    for name, text in (
        ("ColumnDelimiter", ";"),
        ("RecordDelimiter", CRLF),
        ("TextEncapsulator", '"'),
    ):
        SubElement(shape, name).text = text
    for column in sorted(table.columns, key=lambda column: not is_key(column)):
        _add_column(shape, column, money_places)
    if table.foreign:
        key = SubElement(shape, "ForeignKey")
        SubElement(key, "Name").text, SubElement(key, "References").text = table.foreign


def _add_range(parent, first, last=None):
    found = SubElement(parent, "Range")
    SubElement(found, "From").text = first
    if last:
        SubElement(found, "To").text = last


def is_key(column):
    """Return whether a column is the primary key of its table. It is the first one."""
    return column.kind in ("key", "text-key")


def _add_column(shape, column, money_places):
    element = SubElement(shape, "VariablePrimaryKey" if is_key(column) else "VariableColumn")
    SubElement(element, "Name").text = column.name
    SubElement(element, "Description").text = column.description
    places = money_places if column.kind == "money" else PLACES.get(column.kind)
    if places is not None:
        SubElement(SubElement(element, "Numeric"), "Accuracy").text = str(places)
    elif column.kind == "day":
        SubElement(SubElement(element, "Date"), "Format").text = DAY
    else:
        SubElement(element, "AlphaNumeric")
