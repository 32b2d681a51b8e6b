"""Dunning letters: their titles and texts, the organiser's own or the default ones, their PDF, and
its name.

A placeholder of a text is written as `{{number}}`, as in document templates. A letter is drawn for
each request: the same entry always results in the same bytes.
"""

import re
import unicodedata
from decimal import Decimal

from eventapi import money
from eventapi.domain.billing import invoices, pdf
from eventapi.errors import listed
from eventapi.languages import choice, formats
from eventapi.pictures import style
from eventapi.pictures.invoice import dunning as picture
from eventapi.pictures.invoice import giro
from eventapi.validation import identifiers

FIELDS = ("title_de", "title_en", "text_de", "text_en")
PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
AMOUNTS = ("open_amount", "fee", "costs", "interest", "total_claim")
DAYS = ("issue_date", "due_date", "deadline")
KNOWN = ("number", "level_name", "days_overdue", *AMOUNTS, *DAYS)
UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)
FIRST = {"de": "Zahlungserinnerung", "en": "Payment reminder"}
LATER = {"de": "{number}. Mahnung", "en": "Overdue notice {number}"}
# A German text goes on in lower case after the greeting.
DEFAULTS = {
    "de": "unsere Rechnung {{number}} vom {{issue_date}} war am {{due_date}} fällig. Nach unseren Unterlagen sind noch "
    "{{open_amount}} offen.{charges}\n\n"
    "Bitte zahlen Sie {total} bis zum {{deadline}} unter Angabe der Rechnungsnummer {{number}}. Eine "
    "Kopie der Rechnung liegt bei.\n\n"
    "Sollten Sie bereits gezahlt haben, betrachten Sie dieses Schreiben bitte als gegenstandslos.",
    "en": "Our invoice {{number}} dated {{issue_date}} was due on {{due_date}}. According to our records, "
    "{{open_amount}} is still outstanding.{charges}\n\n"
    "Please pay {total} by {{deadline}}, quoting invoice number {{number}}. A copy of the invoice is "
    "enclosed.\n\n"
    "If you have already paid, please disregard this letter.",
}
# What the default text says between the open amount and the total: (costs or not, interest or not)
# -> sentence.
CHARGES = {
    "de": {
        (False, False): "",
        (True, False): " Hinzu kommen Kosten von {{costs}}.",
        (False, True): " Hinzu kommen Verzugszinsen von {{interest}}.",
        (True, True): " Hinzu kommen Kosten von {{costs}} und Verzugszinsen von {{interest}}.",
    },
    "en": {
        (False, False): "",
        (True, False): " Costs of {{costs}} are added.",
        (False, True): " Interest on arrears of {{interest}} is added.",
        (True, True): " Costs of {{costs}} and interest on arrears of {{interest}} are added.",
    },
}
TOTAL = {"de": "insgesamt {{total_claim}}", "en": "a total of {{total_claim}}"}


def check(pointer, text, faults):
    """Add a fault for each placeholder of a text that does not exist. `text` may be None."""
    names = [name.strip() for name in PLACEHOLDER.findall(text or "")]
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        names, known = (["{{%s}}" % name[:50] for name in found] for found in (unknown[:5], KNOWN))
        noun = "placeholders" if len(names) > 1 else "placeholder"
        faults.add(
            pointer,
            "unknown_placeholder",
            f"contains the unknown {noun} {listed(names)}. The placeholders are {listed(known)}",
        )


def title(config, level, claim, language):
    """Return the title of a letter: that of its level, or the default one.

    `level` is a row of the statement `list`.

    Without a title, it is the name of the level. The organiser has written it in the language of
    the option; letters in another language have a default title. `claim`: see `filled`.
    """
    if level[f"title_{language}"]:
        return filled(config, level[f"title_{language}"], claim, language)
    if language == choice.choose(config):
        return level["level_name"]
    number = level["level"]
    return FIRST[language] if number == 1 else LATER[language].format(number=number - 1)


def text(config, level, claim, language):
    """Return the text of a letter: that of its level, or the default one. `claim`: see `filled`."""
    return filled(
        config, level[f"text_{language}"] or default_text(claim, language), claim, language
    )


def default_text(claim, language):
    """Return the default text of a letter with placeholders.

    It names everything that the total consists of.
    """
    charges = CHARGES[language][bool(claim["costs"]), bool(claim["interest"])]
    total = TOTAL[language] if charges else "{{total_claim}}"
    return DEFAULTS[language].replace("{charges}", charges).replace("{total}", total)


def filled(config, text, claim, language):
    """Return a text with its placeholders filled.

    `claim`: API object of what is claimed, with the fields of KNOWN.
    """
    locale = formats.of_country(language, config.organiser_country)

    def value(match):
        name = match[1].strip()
        if name in AMOUNTS:
            return formats.money(claim[name], claim["currency"], locale)
        if name in DAYS:
            return formats.day(claim[name], language)
        return str(claim[name])

    claim = {**claim, "number": claim["invoice_number"]}
    return PLACEHOLDER.sub(value, text)


def draw(db, invoice, entry) -> bytes:
    """Return the PDF of a letter.

    `invoice` and `entry` are API objects. The event is shown as it is called now.

    Raise 409 `anonymized` if the buyer was anonymised, or 501 `not_installed` if reportlab or a
    font is missing.
    """
    shown = {**invoice, **pdf.printed(db, invoice), "girocode": _girocode(invoice, entry)}
    return picture.draw(
        entry, shown, invoice["seller"], invoices.buyer_as_sent(invoice), style.brand(db.config)
    )


def _girocode(invoice, entry):
    """Return the text of the GiroCode over the total claim; None in another currency than EUR, or
    without an IBAN.
    """
    seller = invoice["seller"]
    try:
        iban = identifiers.iban(seller["iban"] or "")
    except ValueError:
        return None
    if entry["currency"] != "EUR":
        return None
    cents = money.minor(Decimal(str(entry["total_claim"])), "EUR")
    reference = invoice.get("payment_reference") or invoice["invoice_number"]
    return giro.payload(
        name=seller["name"], iban=iban, bic=seller["bic"], cents=cents, reference=reference
    )


def file_name(invoice, entry):
    """Return the name of the file of a letter: number and title, such as
    INV-2026-00001-Zahlungserinnerung.pdf.
    """
    number = re.sub(r"[^A-Za-z0-9._-]", "_", invoice["invoice_number"])
    words = re.findall(
        r"[A-Za-z0-9]+", unicodedata.normalize("NFKD", entry["title"].translate(UMLAUTS))
    )
    return f"{'-'.join([number, *words])[:100]}.pdf"
