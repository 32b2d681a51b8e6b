"""Why an invoice charges no tax: the note of each tax group, on its page and in its e-invoice
(BT-120).

A customer does not know the codes of tax categories, so the page shows none: a raised number leads
from an amount to its note.
"""

from eventapi.pictures import fonts, small_business
from eventapi.pictures.words import REASONS, of_seller
from eventapi.validation.identifiers import companies

# Name of a note -> language, or language and state of the seller -> text. EU is any other member
# state. The German words of reverse charge are prescribed (§ 14a (5) UStG; § 11 (1a) UStG 1994).
NOTES = {
    "reverse_charge": {
        "de": "Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge)",
        "de_AT": "Übergang der Steuerschuld auf den Leistungsempfänger (Reverse Charge)",
        "en": "Reverse charge: the customer is liable for the VAT",
    },
    "abroad": {
        "de": "Nicht steuerbar: Der Ort der Leistung liegt im Ausland",
        "de_DE": "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (§ 3a Abs. 2 UStG)",
        "de_AT": "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (§ 3a Abs. 6 UStG 1994)",
        "de_CH": "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (Art. 8 Abs. 1 MWSTG)",
        "de_EU": "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (Art. 44, 196 der Richtlinie 2006/112/EG)",
        "en": "Outside the scope of VAT: the place of supply is abroad",
        "en_EU": "Outside the scope of VAT: the place of supply is abroad (Art. 44, 196 of Directive 2006/112/EC)",
    },
}
# States whose paragraphs the notes name -> the state that a note is written for. Liechtenstein has
# the Swiss act.
OWN = {"DE": "DE", "AT": "AT", "CH": "CH", "LI": "CH"}


class Notes:
    """The notes of an invoice (API object), for its page.

    texts: each reason once, with its raised number. An invoice of a small business shows no tax,
        so that its reasons have no numbers.
    """

    def __init__(self, invoice, seller, buyer, language):
        self.texts = []
        self._marks = {}
        marks_of_texts = {}
        is_marked = not small_business.is_invoice(invoice)
        for tax in invoice["taxes"]:
            text = of_group(tax, seller, buyer, language)
            if not text:
                continue
            if text not in marks_of_texts:
                mark = fonts.raised(len(marks_of_texts) + 1)
                marks_of_texts[text] = mark
                self.texts.append(f"{mark} {text}" if is_marked else text)
            self._marks[tax["category"], tax["rate"]] = f" {marks_of_texts[text]}"

    def mark(self, category, rate):
        """Return a space and the raised number of a tax group, or "" if it needs no note."""
        return self._marks.get((category, rate), "")


def of_group(tax, seller, buyer, language):
    """Return why a tax group (API object) is not taxed, in a language, or "" for a taxed one.

    It is the usual note of the group, with the organiser's own reason behind it. An own reason of
    category O replaces the sentence about the place of the supply, because it may be another one.
    """
    term = of_seller(language, seller).get(tax["category"], "")
    reason = _own_reason(tax)
    usual = _usual(tax, seller, buyer, language) or term
    if not reason:
        return usual
    if is_of_small_business(tax):
        return f"{usual}; {reason}"
    if tax["category"] == "O":
        usual = term
    # "Steuerfrei nach § 4 Nr. 20 UStG" says it already
    if reason.casefold().startswith(usual.casefold()):
        return reason
    if usual.casefold().startswith(reason.casefold()):
        return usual
    return f"{usual}: {reason}"


def _usual(tax, seller, buyer, language):
    """Return the note of a group that the law requires, or "" where the words of the category
    suffice.
    """
    if is_of_small_business(tax):
        return small_business.reason(_state(seller), language)
    if tax["category"] == "AE":
        return _note("reverse_charge", seller, language)
    if tax["category"] == "O" and _is_abroad(seller, buyer):
        return _note("abroad", seller, language)
    return ""


def _note(name, seller, language):
    """Return a note in a language, as the state of the seller writes it."""
    texts = NOTES[name]
    state = _state(seller)
    if state in OWN:
        key = f"{language}_{OWN[state]}"
    elif _is_member(state):
        key = f"{language}_EU"
    else:
        key = language
    return texts.get(key, texts[language])


def is_of_small_business(tax):
    """Return whether a line of a group has no tax because the organiser is a small business."""
    return bool(set(_reasons(tax)) & set(small_business.REASONS.values()))


def _own_reason(tax):
    """Return what the organiser wrote as reason of the lines of a group, without usual ones."""
    usual = {*REASONS.values(), *small_business.REASONS.values()}
    return "; ".join(part for part in _reasons(tax) if part not in usual)


def _reasons(tax):
    """Return the reasons of the lines of a group."""
    return [part for part in (tax.get("reason") or "").split("; ") if part]


def _state(party):
    """Return the country of a seller. Those of early versions have none, and were in Germany."""
    return party.get("country") or "DE"


def _is_abroad(seller, buyer):
    """Return whether a buyer is outside of the territory of the tax. Switzerland and Liechtenstein
    are one.
    """
    home = _state(seller)
    country = buyer.get("country") or home
    return OWN.get(country, country) != OWN.get(home, home)


def _is_member(country):
    """Return whether a country is in the EU."""
    return ("EL" if country == "GR" else country) in companies.MEMBER_STATES - {"XI"}
