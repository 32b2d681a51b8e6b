"""Texts printed on invoices and documents, in English and German, and the formats of addresses and
bank accounts.

Legal terms are those of Directive 2006/112/EC and of the German VAT act (UStG).
"""

import re

from eventapi.languages import countries
from eventapi.validation.identifiers import companies

# The reason without tax that a line has by default. The note of its tax group says the same in the
# invoice's language: see tax_notes.py.
REASONS = {
    "AE": "Reverse charge",
    "G": "Export outside the EU",
    "O": "Not subject to VAT",
    "K": "Intra-community supply",
}
SWISS_NUMBER = re.compile(r"CHE(\d{3})(\d{3})(\d{3})(MWST|TVA|IVA|HR)?", re.ASCII)
ENGLISH = {
    "invoice": "Invoice",
    "credit_note": "Credit note",
    "deposit": "Deposit invoice",
    "deposit_note": "This invoice asks for a deposit on services that are not supplied yet.",
    "deposit_service": "Expected service",
    "final_invoice": "Final invoice",
    "deducted": "Deposit invoice {number} of {date}\nless {net} and {vat} {rate} {tax} that were paid",
    "draft": "DRAFT",
    "sample": "SAMPLE",
    "copy": "copy",
    "number": "Number",
    "issue_date": "Date",
    "service_date": "Service date",
    "service_period": "Service period",
    "due_date": "Due date",
    "customer_number": "Customer number",
    "buyer_vat_id": "Your VAT ID",
    "buyer_vat_id_AT": "Your VAT ID",
    "buyer_vat_id_CH": "Your VAT ID",
    "buyer_tax_number": "Your tax number",
    "buyer_reference": "Your reference",
    "leitweg_id": "Leitweg-ID",
    "related_invoice_number": "Original invoice",
    "of": "of {date}",
    "reason": "Reason: {reason}",
    "booth": "Booth {number}",
    "fee": "Participation: {category}",
    "position": "Pos.",
    "description": "Description",
    "quantity": "Quantity",
    "unit": "Unit",
    "unit_price": "Unit price",
    "discount_percent": "Discount",
    "tax_rate": "VAT",
    "net": "Net {currency}",
    "subtotal": "Net total",
    "tax": "VAT {rate} on {net}",
    "total": "Total {currency}",
    "tax_total": "VAT total",
    "tax_in": "VAT in {tax_currency} (1 {currency} = {rate} {tax_currency})",
    "paid": "Already paid",
    "offset": "Offset against credit from {number}",
    "open": "Amount due {currency}",
    "pay": "Please pay {amount}, quoting invoice number {number}.",
    "pay_by": "Please pay {amount} by {due_date}, quoting invoice number {number}.",
    "transfer": "Please transfer {amount} to this account.",
    "transfer_by": "Please transfer {amount} to this account by {due_date}.",
    "interest_notice": "A consumer is in default at the latest 30 days after the due date and receipt of this invoice, "
    "without a reminder, and then owes interest on arrears (§ 286 (3), § 288 BGB).",
    "reference": "Reference",
    "settled": "No payment is due.",
    "not_valid": "This is a draft. It is not an invoice, and no payment is due.",
    "refund": "We will offset {amount} against invoice {related} or refund it to you.",
    "refund_unnamed": "We will offset {amount} against outstanding invoices or refund it to you.",
    "hello": "Dear {name},",
    "hello_nobody": "Dear Sir or Madam,",
    "regards": "Kind regards",
    "claim_invoice": "Total of invoice {number}",
    "claim_credited": "Less credit notes",
    "claim_payment": "Less payment on {day}",
    "account": "Statement of account",
    "account_until": "until {day}",
    "account_type": "Entry",
    "account_amount": "Amount",
    "account_balance": "Balance",
    "account_opening": "Opening balance",
    "account_invoice": "Invoice",
    "account_credit_note": "Credit note",
    "account_claim": "Reminder costs and interest",
    "account_payment": "Payment",
    "account_refund": "Refund",
    "account_move": "Payment moved",
    "account_write_off": "Written off",
    "account_recovery": "Recovered",
    "account_owed": "Open, to be paid to us",
    "account_credit": "Credit in your favour",
    "account_settled": "Nothing is open",
    "claim_payments": "Less payments from {first} to {last}",
    "claim_refund": "Refund on {day}",
    "claim_written_off": "Not claimed",
    "claim_days": "{first} to {last}: {days} days at {rate}{base} on {amount} = {interest}",
    "claim_day": "{first}: 1 day at {rate}{base} on {amount} = {interest}",
    "claim_base_rate": " (base rate {rate})",
    "claim_paid": "Less payments on costs and interest",
    "claim_open": "Open amount of invoice {number}",
    "claim_costs": "Dunning fees",
    "claim_lump_sum": "Lump sum (§ 288 (5) BGB)",
    "claim_interest": "Interest on arrears until {until}",
    "claim_total": "Total, payable by {deadline}",
    "holder": "Account holder",
    "iban": "IBAN",
    "bic": "BIC",
    "girocode": "GiroCode for banking apps",
    "vat_id": "VAT ID",
    "vat_id_AT": "VAT ID",
    "vat_id_CH": "VAT ID",
    "tax_number": "Tax number",
    "directors": "Managing directors: {names}",
    "director": "Managing director: {names}",
    "phone": "Phone {number}",
    "area_price": "{area} m² × {price}",
    "page": "Page {page} of {pages}",
    "organiser": "Organiser",
    "partner": "Contracting party",
    "place_date": "Place, date",
    "preview": "Preview",
    "signature": "Signature",
    "E": "Exempt from VAT",
    "Z": "Zero-rated",
    "G": "Export outside the EU, exempt from VAT",
    "K": "Intra-Community supply, exempt from VAT",
    "O": "Not subject to VAT",
}
GERMAN = {
    "invoice": "Rechnung",
    "credit_note": "Rechnungskorrektur",
    "deposit": "Abschlagsrechnung",
    "deposit_note": "Mit dieser Rechnung fordern wir einen Abschlag auf Leistungen an, die noch nicht erbracht sind.",
    "deposit_service": "Voraussichtlich",
    "final_invoice": "Schlussrechnung",
    "deducted": "Abschlagsrechnung {number} vom {date}\nabzüglich gezahlter {net} und {vat} {rate} {tax}",
    "draft": "ENTWURF",
    "sample": "MUSTER",
    "copy": "Kopie",
    "number": "Nummer",
    "issue_date": "Datum",
    "service_date": "Leistungsdatum",
    "service_period": "Leistungszeitraum",
    "due_date": "Fällig am",
    "customer_number": "Kundennummer",
    "buyer_vat_id": "Ihre USt-IdNr.",
    "buyer_vat_id_AT": "Ihre UID-Nr.",
    "buyer_vat_id_CH": "Ihre MWST-Nr.",
    "buyer_tax_number": "Ihre Steuernummer",
    "buyer_reference": "Ihre Referenz",
    "leitweg_id": "Leitweg-ID",
    "related_invoice_number": "Zu Rechnung",
    "of": "vom {date}",
    "reason": "Grund: {reason}",
    "booth": "Stand {number}",
    "fee": "Teilnahme: {category}",
    "position": "Pos.",
    "description": "Bezeichnung",
    "quantity": "Menge",
    "unit": "Einheit",
    "unit_price": "Einzelpreis",
    "discount_percent": "Rabatt",
    "tax_rate": "USt",
    "net": "Netto {currency}",
    "subtotal": "Nettobetrag",
    "tax": "USt {rate} auf {net}",
    "total": "Gesamtbetrag {currency}",
    "tax_total": "USt gesamt",
    "tax_in": "USt in {tax_currency} (1 {currency} = {rate} {tax_currency})",
    "paid": "Bereits bezahlt",
    "offset": "Verrechnet mit Guthaben aus {number}",
    "open": "Zahlbetrag {currency}",
    "pay": "Bitte zahlen Sie {amount} unter Angabe der Rechnungsnummer {number}.",
    "pay_by": "Bitte zahlen Sie {amount} bis zum {due_date} unter Angabe der Rechnungsnummer {number}.",
    "transfer": "Bitte überweisen Sie {amount} auf dieses Konto.",
    "transfer_by": "Bitte überweisen Sie {amount} bis zum {due_date} auf dieses Konto.",
    "interest_notice": "Verbraucher kommen spätestens 30 Tage nach Fälligkeit und Zugang dieser Rechnung auch ohne "
    "Mahnung in Verzug und schulden dann Verzugszinsen (§ 286 Abs. 3, § 288 BGB).",
    "reference": "Verwendungszweck",
    "settled": "Es ist kein Betrag offen.",
    "not_valid": "Dies ist ein Entwurf und keine Rechnung. Bitte zahlen Sie noch nicht.",
    "refund": "Wir verrechnen {amount} mit der Rechnung {related} oder erstatten Ihnen den Betrag.",
    "refund_unnamed": "Wir verrechnen {amount} mit offenen Rechnungen oder erstatten Ihnen den Betrag.",
    "hello": "Guten Tag {name},",
    "hello_nobody": "Sehr geehrte Damen und Herren,",
    "regards": "Mit freundlichen Grüßen",
    "claim_invoice": "Gesamtbetrag der Rechnung {number}",
    "claim_credited": "abzüglich Gutschriften",
    "claim_payment": "abzüglich Zahlung vom {day}",
    "account": "Kontoauszug",
    "account_until": "bis {day}",
    "account_type": "Vorgang",
    "account_amount": "Betrag",
    "account_balance": "Saldo",
    "account_opening": "Anfangssaldo",
    "account_invoice": "Rechnung",
    "account_credit_note": "Rechnungskorrektur",
    "account_claim": "Mahnkosten und Zinsen",
    "account_payment": "Zahlung",
    "account_refund": "Erstattung",
    "account_move": "Umbuchung",
    "account_write_off": "Ausbuchung",
    "account_recovery": "Nachträgliche Zahlung",
    "account_owed": "Offen, an uns zu zahlen",
    "account_credit": "Guthaben zu Ihren Gunsten",
    "account_settled": "Es ist nichts offen",
    "claim_payments": "abzüglich Zahlungen vom {first} bis {last}",
    "claim_refund": "Rückzahlung vom {day}",
    "claim_written_off": "Nicht geltend gemacht",
    "claim_days": "{first} bis {last}: {days} Tage zu {rate}{base} auf {amount} = {interest}",
    "claim_day": "{first}: 1 Tag zu {rate}{base} auf {amount} = {interest}",
    "claim_base_rate": " (Basiszinssatz {rate})",
    "claim_paid": "abzüglich Zahlungen auf Kosten und Zinsen",
    "claim_open": "Offener Betrag der Rechnung {number}",
    "claim_costs": "Mahngebühren",
    "claim_lump_sum": "Verzugspauschale (§ 288 Abs. 5 BGB)",
    "claim_interest": "Verzugszinsen bis {until}",
    "claim_total": "Gesamtbetrag, zahlbar bis {deadline}",
    "holder": "Kontoinhaber",
    "iban": "IBAN",
    "bic": "BIC",
    "girocode": "GiroCode für Banking-Apps",
    "vat_id": "USt-IdNr.",
    "vat_id_AT": "UID-Nr.",
    "vat_id_CH": "MWST-Nr.",
    "tax_number": "Steuernummer",
    "directors": "Geschäftsführung: {names}",
    "director": "Geschäftsführung: {names}",
    "phone": "Telefon {number}",
    "area_price": "{area} m² × {price}",
    "page": "Seite {page} von {pages}",
    "organiser": "Veranstalter",
    "partner": "Vertragspartner",
    "place_date": "Ort, Datum",
    "preview": "Vorschau",
    "signature": "Unterschrift",
    "E": "Steuerfrei",
    "Z": "Nullsteuersatz",
    "G": "Steuerfreie Ausfuhr in ein Drittland",
    "K": "Steuerfreie innergemeinschaftliche Lieferung",
    "O": "Nicht steuerbar",
}
WORDS = {"en": ENGLISH, "de": GERMAN}
SWISS = {
    name: text.replace("USt", "MWST")
    for name, text in GERMAN.items()
    if text.startswith("USt ") or text == "USt"
}
SWISS["regards"] = "Mit freundlichen Grüssen"


def of_seller(language, seller):
    """Return the words of an invoice.

    In Switzerland and Liechtenstein, the tax is called MWST, and ß is ss.
    """
    is_swiss = language == "de" and seller.get("country") in ("CH", "LI")
    return {**GERMAN, **SWISS} if is_swiss else WORDS[language]


def grouped(identifier):
    """Return an IBAN or a creditor reference in groups of four characters."""
    plain = "".join((identifier or "").split())
    return " ".join(plain[place : place + 4] for place in range(0, len(plain), 4))


def address(party, language, home_country=None):
    """Return the lines of a postal address.

    The country is included only if it is not `home_country`.
    """
    streets = (party.get("street") or party.get("address") or "").splitlines()
    if len(streets) > 4:
        streets = [", ".join(street.strip() for street in streets if street.strip())]
    city = " ".join(part for part in (party.get("postal_code"), party.get("city")) if part)
    town = ", ".join(part for part in (city, party.get("state")) if part)
    country = party.get("country") or ""
    country_name = "" if country == home_country else countries.name(country, language).upper()
    lines = (party.get("name"), party.get("contact_name"), *streets, town, country_name)
    return [line for line in lines if line and line.strip()]


def register(seller, language, *, space=" "):
    """Return the lines about the register of companies and the managing directors, as far as they
    are known.

    `space` stands between the words of a name or number: a no-break one keeps them together when a
    line is broken.
    """
    directors = _kept_together(seller.get("directors"), space)
    key = "directors" if "," in directors else "director"
    known = (seller.get("register_court"), seller.get("register_number"))
    entry = ", ".join(_kept_together(part, space) for part in known if part)
    return [
        line for line in (entry, directors and WORDS[language][key].format(names=directors)) if line
    ]


def _kept_together(text, space):
    """Return a list of names, which commas separate, with `space` between the words of each."""
    names = (part.split() for part in (text or "").split(","))
    return ", ".join(space.join(words) for words in names if words)


def contact(seller, language, *, space=" "):
    """Return the lines with the person or department to ask, the telephone number and the e-mail
    address.

    `space` is as for `register`.
    """
    person, phone = _kept_together(seller.get("contact"), space), seller.get("phone")
    lines = (person, phone and WORDS[language]["phone"].format(number=phone), seller.get("email"))
    return [line for line in lines if line]


def place(event):
    """Return where an event is, on one line: its venue and address, and the city behind them.

    Empty without a venue.

    event: dict with `venue`, `address`, `postal_code` and `city`, each of which may be missing.
    """
    city = " ".join(filter(None, (event.get("postal_code"), event.get("city"))))
    known = [part for part in (event.get("venue"), event.get("address")) if part]
    return ", ".join((*known, city) if city else known) if known else ""


def vat_label(words, number, label="vat_id"):
    """Return what the number of a taxpayer is called: in German after its state, and a tax number
    if it is no VAT id.

    `label` is `vat_id` for the seller, `buyer_vat_id` for the buyer.
    """
    if not companies.vat_id_by_format(number):
        return words[label.replace("vat_id", "tax_number")]
    return words.get(f"{label}_{number[:2]}", words[label])


def vat_number(number):
    """Return the number of a taxpayer as it is written: a Swiss one as CHE-116.281.710 MWST, any
    other as it is stored.

    The register of enterprises (UID) writes it so (Art. 26 (2) a MWSTG). None stays None.
    """
    found = SWISS_NUMBER.fullmatch(number or "")
    return f"CHE-{found[1]}.{found[2]}.{found[3]} {found[4] or ''}".rstrip() if found else number
