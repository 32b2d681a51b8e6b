"""What is printed on an invoice, in each language; the legal wording is that of the VAT directive and its national laws."""

ENGLISH = {
    "invoice": "Invoice", "credit_note": "Credit note", "draft": "DRAFT",
    "number": "Number", "issue_date": "Date", "service_date": "Service date", "due_date": "Due date",
    "customer_number": "Customer number", "buyer_vat_id": "Your VAT ID", "buyer_reference": "Your reference",
    "related_invoice_number": "Credits invoice",
    "booth": "Booth {number}", "fee": "Participation: {category}",
    "position": "Pos.", "description": "Description", "quantity": "Quantity", "unit": "Unit", "unit_price": "Unit price",
    "discount_percent": "Discount", "tax_rate": "VAT", "net": "Net {currency}",
    "subtotal": "Net total", "tax": "VAT {rate}%{kind} on {net}", "total": "Total {currency}",
    "paid": "Already paid", "open": "Amount due {currency}",
    "pay": "Please pay {currency} {amount} stating {number}.",
    "pay_by": "Please pay {currency} {amount} by {due_date}, stating {number}.",
    "settled": "Nothing is left to pay.",
    "refund": "The amount of {currency} {amount} is set off against invoice {related} or paid back to you.",
    "refund_unnamed": "The amount of {currency} {amount} is set off against what is owed or paid back to you.",
    "holder": "Account holder", "iban": "IBAN", "bic": "BIC", "vat_id": "VAT ID", "tax_number": "Tax number",
    "page": "Page {page} of {pages}",
    "AE": "Tax liability of the recipient (reverse charge)", "E": "Exempt from VAT", "Z": "Zero-rated",
    "G": "Export outside the EU, free of VAT", "O": "Not subject to VAT",
    "months": "January February March April May June July August September October November December".split(),
    "day": "{day} {month} {year}", "separators": ",.",
}
GERMAN = {
    "invoice": "Rechnung", "credit_note": "Rechnungskorrektur", "draft": "ENTWURF",
    "number": "Nummer", "issue_date": "Datum", "service_date": "Leistungsdatum", "due_date": "Fällig am",
    "customer_number": "Kundennummer", "buyer_vat_id": "Ihre USt-IdNr.", "buyer_reference": "Ihre Referenz",
    "related_invoice_number": "Zu Rechnung",
    "booth": "Stand {number}", "fee": "Teilnahme: {category}",
    "position": "Pos.", "description": "Bezeichnung", "quantity": "Menge", "unit": "Einheit", "unit_price": "Einzelpreis",
    "discount_percent": "Rabatt", "tax_rate": "USt", "net": "Netto {currency}",
    "subtotal": "Summe netto", "tax": "USt {rate} %{kind} auf {net}", "total": "Gesamtbetrag {currency}",
    "paid": "Bereits bezahlt", "open": "Zu zahlen {currency}",
    "pay": "Bitte zahlen Sie {amount} {currency} unter Angabe von {number}.",
    "pay_by": "Bitte zahlen Sie {amount} {currency} bis zum {due_date} unter Angabe von {number}.",
    "settled": "Es ist nichts mehr zu zahlen.",
    "refund": "Der Betrag von {amount} {currency} wird mit der Rechnung {related} verrechnet oder Ihnen erstattet.",
    "refund_unnamed": "Der Betrag von {amount} {currency} wird verrechnet oder Ihnen erstattet.",
    "holder": "Kontoinhaber", "iban": "IBAN", "bic": "BIC", "vat_id": "USt-IdNr.", "tax_number": "Steuernummer",
    "page": "Seite {page} von {pages}",
    "AE": "Steuerschuldnerschaft des Leistungsempfängers (Reverse charge)", "E": "Steuerfrei", "Z": "Steuersatz null",
    "G": "Steuerfreie Ausfuhr in ein Drittland", "O": "Nicht steuerbar",
    "months": [f"{month:02}" for month in range(1, 13)],
    "day": "{day:02}.{month}.{year}", "separators": ".,",
}
WORDS = {"en": ENGLISH, "de": GERMAN}

# The last line of an address abroad, as the post wants it; other countries stand there by their code.
COUNTRIES = dict(entry.strip().split(" ", 1) for entry in """
    AD Andorra, AL Albania, AM Armenia, AT Austria, AU Australia, AZ Azerbaijan, BA Bosnia and Herzegovina, BE Belgium,
    BG Bulgaria, BR Brazil, BY Belarus, CA Canada, CH Switzerland, CN China, CY Cyprus, CZ Czech Republic, DE Germany,
    DK Denmark, EE Estonia, ES Spain, FI Finland, FO Faroe Islands, FR France, GB United Kingdom, GE Georgia, GR Greece,
    HR Croatia, HU Hungary, IE Ireland, IL Israel, IN India, IS Iceland, IT Italy, JP Japan, KR South Korea, KZ Kazakhstan,
    LI Liechtenstein, LT Lithuania, LU Luxembourg, LV Latvia, MC Monaco, MD Moldova, ME Montenegro, MK North Macedonia,
    MT Malta, NL Netherlands, NO Norway, NZ New Zealand, PL Poland, PT Portugal, RO Romania, RS Serbia, RU Russia, SE Sweden,
    SI Slovenia, SK Slovakia, SM San Marino, TR Türkiye, TW Taiwan, UA Ukraine, US United States of America,
    VA Vatican City, XK Kosovo, ZA South Africa""".split(","))


def number(value, places, words):
    """A Decimal with at least so many decimals, never rounded, grouped by thousands."""
    places = max(places, -value.normalize().as_tuple().exponent)
    return f"{value:,.{places}f}".translate(str.maketrans(",.", words["separators"]))


def day(text, words):
    """A day such as 2026-05-01 as people write it."""
    year, month, day_ = map(int, text[:10].split("-"))
    return words["day"].format(day=day_, month=words["months"][month - 1], year=year)
