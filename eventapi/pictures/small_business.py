"""Why a small business charges no VAT: the sentence on its invoices, and the one below its prices.

Germany requires the sentence on an invoice (§ 34a sentence 1 no. 5 UStDV).
"""

from typing import TYPE_CHECKING

from eventapi.pictures.words import of_seller

if TYPE_CHECKING:
    from eventapi.config import Config

# (country, language) -> sentence on an invoice, and end of a list of prices. Liechtenstein has the
# Swiss act.
REASONS = {
    ("DE", "de"): "Steuerfrei nach § 19 UStG (Kleinunternehmer)",
    ("DE", "en"): "Exempt from VAT under § 19 UStG (small business)",
    ("AT", "de"): "Umsatzsteuerfrei nach § 6 Abs. 1 Z 27 UStG 1994 (Kleinunternehmer)",
    ("AT", "en"): "Exempt from VAT under § 6 (1) no. 27 UStG 1994 (small business)",
    ("CH", "de"): "Nicht mehrwertsteuerpflichtig (Art. 10 Abs. 2 MWSTG)",
    ("CH", "en"): "Not liable for VAT (Art. 10 (2) MWSTG)",
}
PRICES = {
    ("DE", "de"): "Endpreis, keine USt (§ 19 UStG)",
    ("DE", "en"): "Final price, no VAT (§ 19 UStG)",
    ("AT", "de"): "Endpreis, keine USt (§ 6 Abs. 1 Z 27 UStG 1994)",
    ("AT", "en"): "Final price, no VAT (§ 6 (1) no. 27 UStG 1994)",
    ("CH", "de"): "Endpreis, keine MWST (Art. 10 Abs. 2 MWSTG)",
    ("CH", "en"): "Final price, no VAT (Art. 10 (2) MWSTG)",
}
PLUS = {"de": "zzgl. {tax}", "en": "plus {tax}"}  # what other prices end with
STATES = {"LI": "CH"}


def reason(country: str, language: str) -> str:
    """Return why an invoice of a small business has no VAT. `country` is that of the organiser."""
    return REASONS[STATES.get(country, country), language]


def is_invoice(invoice: dict) -> bool:
    """Return whether an invoice (API object) is one of a small business, so that its page shows no VAT."""
    return invoice.get("tax_treatment") == "small_business"


def price_note(config: "Config", day: str, language: str) -> str:
    """Return what net prices of supplies on a day end with: that VAT is added, or that there is none."""
    country = config.organiser_country
    if config.is_small_business(day):
        return PRICES[STATES.get(country, country), language]
    tax = of_seller(language, {"country": country})["tax_rate"]
    return PLUS[language].format(tax=tax)
