"""Compose the document of EN 16931 for an invoice or a credit note.

Amounts of a credit note are negative in our records. The document has the type 381 and positive
amounts.
"""

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from eventapi import money
from eventapi.domain.einvoices import exemptions, profiles, units
from eventapi.domain.einvoices.model import Allowance, Document, Line, Tax
from eventapi.domain.einvoices.writing import clean
from eventapi.domain.einvoices_sent import parties
from eventapi.languages import choice, formats
from eventapi.pictures import tax_notes
from eventapi.pictures.words import WORDS

INVOICE, CREDIT_NOTE, DEPOSIT = "380", "381", "386"  # UNTDID 1001
SEPA, TRANSFER, UNDEFINED = "58", "30", "1"  # UNTDID 4461
SLACK = Decimal("0.02")  # by which a discount may differ from its percentage
MAX_NAME = 100  # characters of the name of an item; a longer text is its description


def compose(invoice, seller, buyer, home_currency):
    """Return the Document of an invoice in the profile EN 16931.

    invoice: API object with items and taxes, number and date; `related_issue_date` is the date of a credited invoice,
    `deducted` holds (number, date) of each deposit that a final invoice deducts. seller, buyer: as
    they are on the invoice.
    home_currency: currency in which the seller pays its taxes.
    """
    sign = -1 if invoice["invoice_type"] == "credit_note" else 1
    language = choice.available(invoice["language"])
    words = WORDS[language]
    categories = {item["tax_category"] for item in invoice["items"]}
    is_outside_vat = "O" in categories
    lines = tuple(
        _line(item, sign, words, invoice["currency"])
        for item in invoice["items"]
        if not item["is_discount"]
    )
    allowances = tuple(_allowance(item, sign) for item in invoice["items"] if item["is_discount"])
    return replace(
        _header(invoice, buyer, words),
        lines=lines,
        allowances=allowances,
        seller=parties.seller(seller, is_outside_vat=is_outside_vat),
        buyer=parties.buyer(
            buyer, is_outside_vat=is_outside_vat, is_reverse_charge="AE" in categories
        ),
        taxes=tuple(_tax(tax, sign, seller, buyer, language) for tax in invoice["taxes"]),
        **_delivery(invoice, buyer),
        **_payment(invoice, seller),
        **_totals(invoice, sign, lines, allowances, home_currency),
    )


def in_profile(document, profile):
    """Return the document as a text of another profile.

    Only BT-23 and BT-24 differ, over Peppol the seller's electronic address if it is an e-mail
    address, and the type of a deposit where a rule does not know it: in XRechnung (BR-DE-17), and
    over Peppol between German parties (DE-R-017). There it becomes that of an invoice.
    """
    process = None if profile == profiles.EN16931 else profiles.PROCESS
    seller = (
        parties.seller_in_peppol(document.seller) if profile == profiles.PEPPOL else document.seller
    )
    is_german = document.seller.country == document.buyer.country == "DE"
    is_unknown = profile == profiles.XRECHNUNG or (profile == profiles.PEPPOL and is_german)
    return replace(
        document,
        profile=profiles.IDS[profile],
        process=process,
        seller=seller,
        type_code=INVOICE if is_unknown and document.type_code == DEPOSIT else document.type_code,
    )


def _header(invoice, buyer, words):
    is_credit_note = invoice["invoice_type"] == "credit_note"
    reason = clean(invoice.get("cancellation_reason") or "") if is_credit_note else ""
    notes = (
        words["reason"].format(reason=reason) if reason else "",
        words["deposit_note"] if invoice["is_deposit"] else "",
        clean(invoice["text"] or ""),
    )
    credited = (
        ((invoice["related_invoice_number"], invoice.get("related_issue_date")),)
        if is_credit_note
        else ()
    )
    return Document(
        profile=profiles.IDS[profiles.EN16931],
        number=invoice["invoice_number"],
        issue_date=invoice["issue_date"],
        type_code=CREDIT_NOTE if is_credit_note else DEPOSIT if invoice["is_deposit"] else INVOICE,
        currency=invoice["currency"],
        due_date=None if is_credit_note else invoice["due_date"],
        **references(invoice, buyer),
        terms=_terms(invoice) if is_credit_note else None,
        notes=_one_note(notes),
        preceding=credited or tuple(invoice.get("deducted", ())),
    )


def references(invoice, buyer):
    """Return the references of the buyer: BT-10, which XRechnung and Peppol require, and its order
    (BT-13).

    The portals of German authorities deliver by the Leitweg-ID in BT-10 (§ 5 (1) No. 1 E-RechV), so
    an order number moves to BT-13. A Leitweg-ID of the invoice, as of another department, replaces
    that of the contact. Without all these, BT-10 is the customer number.
    """
    given, leitweg_id = clean(invoice["buyer_reference"] or "") or None, parties.leitweg_id(buyer)
    if given and leitweg_id and not parties.is_leitweg_id(given):
        return {"buyer_reference": leitweg_id, "order_reference": given}
    return {
        "buyer_reference": given or leitweg_id or clean(buyer.get("customer_number") or "") or None
    }


def _one_note(texts):
    """Return the texts as one note: Peppol allows no second one (PEPPOL-EN16931-R002)."""
    text = "\n".join(filter(None, texts))
    return (text,) if text else ()


def _terms(note):
    """Return what the PDF says as well: how the amount of a credit note is paid out."""
    language = choice.available(note["language"])
    amount = formats.money(abs(Decimal(str(note["total"]))), note["currency"], language)
    return WORDS[language]["refund"].format(amount=amount, related=note["related_invoice_number"])


def _decimal(number):
    """Return a JSON number as a Decimal without the sign of 0."""
    return Decimal(str(number)) + 0


def _amount(number, sign):
    return _decimal(number) * sign + 0


# Lines, discounts and taxes


def _line(item, sign, words, currency):
    net = _amount(item["net"], sign)
    quantity = _amount(item["quantity"], sign)
    price = _decimal(item["unit_price"])
    unit, unknown_unit = units.coded(item["unit"])
    name, description = _name(
        item["description"], unknown_unit and f"{words['unit']}: {unknown_unit}"
    )
    line = Line(
        id=str(item["position"]),
        name=name,
        description=description,
        quantity=quantity,
        unit=unit,
        price=price,
        net=net,
        category=item["tax_category"],
        rate=_rate(item["tax_category"], item["tax_rate"]),
    )
    if not item["discount_percent"]:
        return line
    base = (quantity * price).quantize(Decimal(1).scaleb(-money.decimals(currency)), ROUND_HALF_UP)
    return replace(
        line, discount=base - net, **_percentage(base, base - net, item["discount_percent"], words)
    )


def _percentage(base, discount, percent, words):
    """Return base, percentage and reason of a discount.

    Rounding to whole units, as in JPY, may exceed what PEPPOL-EN16931-R040 allows. The reason then
    says the percentage.
    """
    percent = _decimal(percent)
    if abs(base * percent / 100 - discount) > SLACK:
        return {"discount_reason": f"{words['discount_percent']} {percent.normalize():f} %"}
    return {
        "discount_base": base,
        "discount_percent": percent,
        "discount_reason": words["discount_percent"],
    }


def _name(text, remark):
    """Return name and description of an item.

    A long text, and a remark about the item, are its description.
    """
    text = clean(text)
    first = text.split("\n")[0].strip()
    name = first if len(first) <= MAX_NAME else first[:MAX_NAME].rsplit(" ", 1)[0] + " …"
    parts = [text if name != text else None, remark]
    return name or None, "\n".join(part for part in parts if part) or None


def _rate(category, rate):
    """Return the rate of a line: none in category O (BR-O-05)."""
    return None if category == "O" else _decimal(rate)


def _allowance(item, sign):
    return Allowance(
        amount=_amount(item["net"], -sign),
        reason=clean(item["description"]) or None,
        category=item["tax_category"],
        rate=_rate(item["tax_category"], item["tax_rate"]),
    )


def _tax(tax, sign, seller, buyer, language):
    """Return a breakdown of VAT. Drafts of an earlier version have no code of the reason.

    The reason of AE, K, G, O and of a small business is that of the PDF, in the language of the invoice.
    """
    reason = tax["reason"] or ""
    if tax["category"] in exemptions.REASONS or tax_notes.is_of_small_business(tax):
        reason = tax_notes.of_group(tax, seller, buyer, language)
    return Tax(
        category=tax["category"],
        rate=_decimal(tax["rate"]),
        net=_amount(tax["net"], sign),
        tax=_amount(tax["tax"], sign),
        reason=clean(reason) or None,
        reason_code=tax["reason_code"] or exemptions.code(tax["category"]),
    )


# Delivery, payment and totals


def _delivery(invoice, buyer):
    """Return date or period of the service, whose last day is its date.

    An intra-Community supply names the place.

    The XSD of CII requires the element of the delivery, and PEPPOL-EN16931-R008 forbids an empty
    one. So a period has the date as well.
    """
    first, last = invoice["service_date"], invoice["service_date_to"]
    is_supply = any(item["tax_category"] == "K" for item in invoice["items"])
    is_period = last and last != first
    dates = (
        {"service_date": last, "service_from": first, "service_to": last}
        if is_period
        else {"service_date": first}
    )
    place = {
        "deliver_to_city": "city",
        "deliver_to_postal_code": "postal_code",
        "deliver_to_country": "country",
    }
    texts = parties.cleaned(buyer)
    return {**dates, **{term: texts[name] for term, name in place.items() if is_supply}}


def _payment(invoice, seller):
    """Return how to pay: to the seller's account, which has no IBAN in some countries.

    A credit note names none.
    """
    account = parties.account(seller.get("iban")) if invoice["invoice_type"] == "invoice" else None
    reference = invoice.get("payment_reference") or invoice["invoice_number"]
    if not account:
        return {"means_code": UNDEFINED, "remittance": reference}
    is_sepa = invoice["currency"] == "EUR" and parties.iban(account)
    return {
        "means_code": SEPA if is_sepa else TRANSFER,
        "remittance": reference,
        "iban": account,
        "account_name": clean(seller.get("name") or "") or None,
        "bic": parties.bic(seller.get("bic")),
    }


def _totals(invoice, sign, lines, allowances, home_currency):
    total, prepaid = _amount(invoice["total"], sign), _decimal(invoice["prepaid_amount"])
    tax_total = _amount(invoice["tax_total"], sign)
    return {
        "line_total": sum((line.net for line in lines), Decimal(0)),
        "allowance_total": sum((part.amount for part in allowances), Decimal(0))
        if allowances
        else None,
        "net_total": _amount(invoice["subtotal"], sign),
        "tax_total": tax_total,
        "total": total,
        "prepaid": prepaid or None,
        "payable": total - prepaid,
        **_tax_in(home_currency, invoice, sign),
    }


def _tax_in(home_currency, invoice, sign):
    """Return BT-6 and BT-111, the tax in the seller's currency, for an invoice in another one with
    a known rate.
    """
    tax = home_tax(invoice, home_currency)
    return (
        {}
        if tax is None
        else {"tax_currency": home_currency, "tax_total_in_tax_currency": tax * sign + 0}
    )


def home_tax(invoice, home_currency):
    """Return the tax of an invoice in another currency in that of the seller, as a Decimal with the
    sign of the tax.

    Return None if the currencies are the same or the exchange rate is not known.
    """
    rate, places = invoice["exchange_rate"], money.decimals(home_currency)
    if rate is None or invoice["currency"] == home_currency or places > 2:
        return None
    return (_decimal(invoice["tax_total"]) * _decimal(rate)).quantize(
        Decimal(1).scaleb(-places), ROUND_HALF_UP
    ) + 0
