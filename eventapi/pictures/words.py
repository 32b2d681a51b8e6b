"""Texts printed on invoices, in English and German, and the formats of numbers, dates, addresses and bank accounts.

Legal terms are those of Directive 2006/112/EC and of the German VAT act (UStG).
"""

ENGLISH = {
    "invoice": "Invoice",
    "credit_note": "Credit note",
    "draft": "DRAFT",
    "number": "Number",
    "issue_date": "Date",
    "service_date": "Service date",
    "due_date": "Due date",
    "customer_number": "Customer number",
    "buyer_vat_id": "Your VAT ID",
    "buyer_reference": "Your reference",
    "related_invoice_number": "Original invoice",
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
    "tax": "VAT {rate}%{kind} on {net}",
    "total": "Total {currency}",
    "paid": "Already paid",
    "open": "Amount due {currency}",
    "pay": "Please pay {currency} {amount}, quoting invoice number {number}.",
    "pay_by": "Please pay {currency} {amount} by {due_date}, quoting invoice number {number}.",
    "settled": "No payment is due.",
    "refund": "We will offset {currency} {amount} against invoice {related} or refund it to you.",
    "refund_unnamed": "We will offset {currency} {amount} against outstanding invoices or refund it to you.",
    "holder": "Account holder",
    "iban": "IBAN",
    "bic": "BIC",
    "vat_id": "VAT ID",
    "tax_number": "Tax number",
    "page": "Page {page} of {pages}",
    "AE": "Reverse charge (the recipient is liable for VAT)",
    "E": "Exempt from VAT",
    "Z": "Zero-rated",
    "G": "Export outside the EU, exempt from VAT",
    "O": "Not subject to VAT",
    "months": "January February March April May June July August September October November December".split(),
    "day": "{day} {month} {year}",
    "separators": ",.",
}
GERMAN = {
    "invoice": "Rechnung",
    "credit_note": "Rechnungskorrektur",
    "draft": "ENTWURF",
    "number": "Nummer",
    "issue_date": "Datum",
    "service_date": "Leistungsdatum",
    "due_date": "Fällig am",
    "customer_number": "Kundennummer",
    "buyer_vat_id": "Ihre USt-IdNr.",
    "buyer_reference": "Ihre Referenz",
    "related_invoice_number": "Zu Rechnung",
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
    "tax": "USt {rate} %{kind} auf {net}",
    "total": "Gesamtbetrag {currency}",
    "paid": "Bereits bezahlt",
    "open": "Zahlbetrag {currency}",
    "pay": "Bitte zahlen Sie {amount} {currency} unter Angabe der Rechnungsnummer {number}.",
    "pay_by": "Bitte zahlen Sie {amount} {currency} bis zum {due_date} unter Angabe der Rechnungsnummer {number}.",
    "settled": "Es ist kein Betrag offen.",
    "refund": "Wir verrechnen {amount} {currency} mit der Rechnung {related} oder erstatten Ihnen den Betrag.",
    "refund_unnamed": "Wir verrechnen {amount} {currency} mit offenen Rechnungen oder erstatten Ihnen den Betrag.",
    "holder": "Kontoinhaber",
    "iban": "IBAN",
    "bic": "BIC",
    "vat_id": "USt-IdNr.",
    "tax_number": "Steuernummer",
    "page": "Seite {page} von {pages}",
    "AE": "Steuerschuldnerschaft des Leistungsempfängers (Reverse charge)",
    "E": "Steuerfrei",
    "Z": "Nullsteuersatz",
    "G": "Steuerfreie Ausfuhr in ein Drittland",
    "O": "Nicht steuerbar",
    "months": [f"{month:02}" for month in range(1, 13)],
    "day": "{day:02}.{month}.{year}",
    "separators": ".,",
}
WORDS = {"en": ENGLISH, "de": GERMAN}

# Country names for the last line of an address abroad. Countries that are not listed are printed as their code.
COUNTRIES = dict(entry.strip().split(" ", 1) for entry in """
    AD Andorra, AL Albania, AM Armenia, AT Austria, AU Australia, AZ Azerbaijan, BA Bosnia and Herzegovina,
    BE Belgium, BG Bulgaria, BR Brazil, BY Belarus, CA Canada, CH Switzerland, CN China, CY Cyprus,
    CZ Czech Republic, DE Germany, DK Denmark, EE Estonia, ES Spain, FI Finland, FO Faroe Islands, FR France,
    GB United Kingdom, GE Georgia, GR Greece, HR Croatia, HU Hungary, IE Ireland, IL Israel, IN India,
    IS Iceland, IT Italy, JP Japan, KR South Korea, KZ Kazakhstan, LI Liechtenstein, LT Lithuania,
    LU Luxembourg, LV Latvia, MC Monaco, MD Moldova, ME Montenegro, MK North Macedonia, MT Malta,
    NL Netherlands, NO Norway, NZ New Zealand, PL Poland, PT Portugal, RO Romania, RS Serbia, RU Russia,
    SE Sweden, SI Slovenia, SK Slovakia, SM San Marino, TR Türkiye, TW Taiwan, UA Ukraine,
    US United States of America, VA Vatican City, XK Kosovo, ZA South Africa""".split(","))


def number(value, places, words):
    """Format a Decimal with at least `places` decimals, never rounded, and with thousands separators."""
    places = max(places, -value.normalize().as_tuple().exponent)
    return f"{value:,.{places}f}".translate(str.maketrans(",.", words["separators"]))


def day(text, words):
    """Format a date such as 2026-05-01 in the language of `words`."""
    year, month, day_ = map(int, text[:10].split("-"))
    return words["day"].format(day=day_, month=words["months"][month - 1], year=year)


def grouped(iban):
    """Return an IBAN in groups of four characters."""
    iban = "".join((iban or "").split())
    return " ".join(iban[place:place + 4] for place in range(0, len(iban), 4))


def address(party, home_country=None):
    """Return the lines of a postal address. The country is included only if it is not `home_country`."""
    streets = (party.get("street") or party.get("address") or "").splitlines()
    if len(streets) > 4:
        streets = [", ".join(street.strip() for street in streets if street.strip())]
    city = " ".join(part for part in (party.get("postal_code"), party.get("city")) if part)
    town = ", ".join(part for part in (city, party.get("state")) if part)
    country = party.get("country") or ""
    country_name = "" if country == home_country else COUNTRIES.get(country, country).upper()
    lines = (party.get("name"), party.get("contact_name"), *streets, town, country_name)
    return [line for line in lines if line and line.strip()]
