"""The tables of the export for a tax audit: their columns, with the kind of each and its description in German.

The descriptions are in German because the German tax administration reads them. A column is a line: name, kind,
description. Kinds: `key` and `whole` are whole numbers, `key` is the primary key; `text`, and `text-key` for a primary
key; `day` (a date, or the date of a timestamp in the organiser's time zone); `moment` (a timestamp in UTC, as text);
`money` (minor units of the row's currency); `percent`, `quantity`, `price` and `rate` are numbers with 2, 3, 4 and 10
decimals.
"""
from typing import NamedTuple

PLACES = {"key": 0, "whole": 0, "percent": 2, "quantity": 3, "price": 4, "rate": 10}


class Column(NamedTuple):
    name: str
    kind: str
    description: str


class Table(NamedTuple):
    """A table. `foreign` is the name of the table that the column `invoice_id` or `payment_id` refers to, or None."""
    name: str
    title: str
    columns: tuple
    foreign: tuple | None = None


def _table(name, title, columns, foreign=None):
    return Table(name, title, tuple(Column(*line.split(None, 2)) for line in columns.strip().splitlines()), foreign)


TABLES = {table.name: table for table in (
    _table("invoices", "Rechnungen und Rechnungskorrekturen, wie sie versandt wurden", """
        invoice_id key Interne Nummer
        invoice_number text Nummer des Belegs
        invoice_type text Art: invoice (Rechnung) oder credit_note (Rechnungskorrektur)
        related_invoice_number text Nummer der korrigierten Rechnung oder der Stornorechnung
        issue_date day Ausstellungsdatum
        service_date day Leistungsdatum oder Beginn des Leistungszeitraums
        service_date_to day Ende des Leistungszeitraums
        due_date day Fälligkeit
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
        taken_over whole Aus einem anderen System übernommen (1 = ja)
        status text Heutiger Stand
        series text Nummernkreis
        sequence whole Laufende Nummer im Nummernkreis
        sent_at moment Zeitpunkt des Versands
        cancellation_reason text Grund der Stornierung
        xml_sha256 text SHA-256 der E-Rechnung im Ordner e_invoices
        pdf_sha256 text SHA-256 der gespeicherten PDF"""),
    _table("invoice_lines", "Positionen der Rechnungen und Rechnungskorrekturen", """
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
        net money Nettobetrag der Position""", ("invoice_id", "invoices")),
    _table("invoice_taxes", "Steuerbeträge der Belege je Steuersatz", """
        invoice_id whole Interne Nummer des Belegs
        invoice_number text Nummer des Belegs
        issue_date day Ausstellungsdatum
        tax_category text Steuerkategorie nach EN 16931
        tax_rate percent Steuersatz in Prozent
        currency text Währung
        net money Nettobetrag
        tax money Steuerbetrag
        exemption_reason text Grund der Steuerbefreiung""", ("invoice_id", "invoices")),
    _table("payments", "Zahlungseingänge mit der Rechnung, der sie zuerst zugeordnet waren", """
        payment_id key Interne Nummer der Zahlung
        payment_date day Datum der Zahlung
        invoice_number text Rechnungsnummer
        customer_number text Kundennummer
        currency text Währung
        amount money Betrag
        gateway_key text Zahlungsdienst
        gateway_name text Name des Zahlungsdienstes
        gateway_fee money Gebühr des Zahlungsdienstes
        transaction_id text Kennung der Transaktion beim Zahlungsdienst oder der Bank
        bank_transaction_id whole Umsatz des Kontoauszugs, siehe bank_transactions
        status text Heutiger Stand: completed (eingegangen) oder refunded (erstattet)
        created_at moment Zeitpunkt der Erfassung"""),
    _table("refunds", "Erstattungen", """
        refund_id key Interne Nummer der Erstattung
        payment_id whole Interne Nummer der erstatteten Zahlung
        refund_date day Datum der Erstattung
        invoice_number text Rechnungsnummer
        customer_number text Kundennummer
        currency text Währung
        amount money Betrag
        gateway_key text Zahlungsdienst
        transaction_id text Kennung der Transaktion beim Zahlungsdienst oder der Bank
        bank_transaction_id whole Umsatz des Kontoauszugs, siehe bank_transactions
        created_at moment Zeitpunkt der Erfassung"""),
    _table("moves", "Umbuchungen von Zahlungen auf andere Rechnungen", """
        move_id key Interne Nummer der Umbuchung
        payment_id whole Interne Nummer der Zahlung
        move_date day Datum der Umbuchung
        from_invoice_number text Bisherige Rechnung
        from_customer_number text Bisherige Kundennummer
        to_invoice_number text Neue Rechnung
        to_customer_number text Neue Kundennummer
        currency text Währung
        amount money Betrag abzüglich bisheriger Erstattungen"""),
    _table("customers", "Kunden, wie sie auf ihrem letzten Beleg stehen", """
        customer_number text-key Kundennummer
        name text Name
        contact_name text Ansprechpartner
        address text Straße
        postal_code text Postleitzahl
        city text Ort
        country text Land
        vat_id text USt-IdNr."""),
    _table("ledger", "Debitorenkonten: Salden und Umsätze je Kunde und Währung", """
        customer_number text Kundennummer
        currency text Währung
        opening_balance money Anfangssaldo (positiv: vom Kunden geschuldet)
        invoiced money Rechnungen brutto
        credited money Rechnungskorrekturen brutto
        received money Zahlungen, mit Umbuchungen
        refunded money Erstattungen, mit Umbuchungen
        closing_balance money Endsaldo"""),
    _table("number_series", "Nummernkreise der Belege", """
        series text-key Nummernkreis
        invoice_type text Art des Belegs
        year whole Jahr
        first text Erste Nummer
        last text Letzte Nummer
        count whole Anzahl der Belege
        gaps text Fehlende laufende Nummern (leer: keine)"""),
    _table("periods", "Festgeschriebene Monate", """
        month text-key Monat
        closed_at moment Zeitpunkt der Festschreibung
        closed_by text Festgeschrieben von
        timezone text Zeitzone
        sha256 text SHA-256 der Zahlen
        figures text Zahlen bei der Festschreibung als JSON, Beträge in kleinsten Einheiten"""),
    _table("bank_transactions", "Umsätze aus eingelesenen Kontoauszügen", """
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
        ignored_reason text Grund, warum er nicht berücksichtigt wird"""),
    _table("audit_log", "Änderungsprotokoll zu Belegen, Zahlungen und Festschreibungen", """
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
        hash text Prüfsumme dieses Eintrags"""),
)}
