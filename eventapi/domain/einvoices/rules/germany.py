"""Rules of XRechnung 3.0: BR-DE-*. Peppol has the same rules between German parties, as DE-R-*."""

import re

from eventapi.domain.einvoices import profiles
from eventapi.domain.einvoices.rules.faults import Fault, missing, wrong_iban
from eventapi.domain.einvoices.rules.required import ADDRESS

TYPES = ("326", "380", "384", "389", "381", "875", "876", "877")
EARLY_PAYMENT = re.compile(
    r"#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#", re.ASCII
)
EMAIL = re.compile(r"[^@\s]+@([^@.\s]+\.)+[^@.\s]+")
CARDS = ("48", "54", "55")
# (rule, term, field of the seller, name of the term, remedy)
SELLER = (
    (
        "BR-DE-5",
        "BT-41",
        "contact_name",
        "name of the contact of the seller",
        "Add a person or a department.",
    ),
    ("BR-DE-6", "BT-42", "contact_phone", "telephone number of the seller", "Add it."),
    ("BR-DE-7", "BT-43", "contact_email", "e-mail address of the seller", "Add it."),
)
# Rules that Peppol does not repeat, and one that says the same as our rule IBAN
ONLY_XRECHNUNG = ("BR-DE-19", "BR-DE-21", "BR-DE-TMP-32")


def faults(document, profile):
    """Yield the faults of a document.

    In the profile `peppol`, only one between German parties has any.
    """
    if profile == profiles.PEPPOL and not document.seller.country == document.buyer.country == "DE":
        return
    for fault in (
        *_seller(document.seller),
        *_addresses(document),
        *_payment(document),
        *_account(document),
        *_direct_debit(document),
        *_other(document),
    ):
        if profile != profiles.PEPPOL:
            yield fault
        elif fault.rule not in ONLY_XRECHNUNG:
            yield fault._replace(rule=_of_peppol(fault.rule))


def _of_peppol(rule):
    """Return the id of the same rule in Peppol BIS Billing: DE-R-015 for BR-DE-15, DE-R-023-1 for
    BR-DE-23-a.
    """
    number, _, part = rule.removeprefix("BR-DE-").partition("-")
    return f"DE-R-{number:0>3}" + {"": "", "a": "-1", "b": "-2"}[part]


def _seller(seller):
    if not (seller.contact_name or seller.contact_phone or seller.contact_email):
        yield missing(
            "BR-DE-2",
            "BG-6",
            "contact of the seller",
            "Add name, telephone number and e-mail address.",
        )
        return
    for rule, term, field, what, remedy in SELLER:
        if not getattr(seller, field):
            yield missing(rule, term, what, remedy)
    if seller.contact_phone and len(re.findall(r"[0-9]", seller.contact_phone)) < 3:
        yield Fault(
            "BR-DE-27",
            "BT-42",
            f"The telephone number {seller.contact_phone!r} of the seller (BT-42) has "
            "fewer than three digits. Correct it.",
            True,
        )
    if seller.contact_email and not EMAIL.fullmatch(" ".join(seller.contact_email.split())):
        yield Fault(
            "BR-DE-28",
            "BT-43",
            f"The e-mail address {seller.contact_email!r} of the seller (BT-43) is not "
            "one. Correct it.",
            True,
        )


def _addresses(document):
    for party, who, no_city, city, no_code, code in (
        (document.seller, "seller", "BR-DE-3", "BT-37", "BR-DE-4", "BT-38"),
        (document.buyer, "buyer", "BR-DE-8", "BT-52", "BR-DE-9", "BT-53"),
    ):
        if any(getattr(party, field) is not None for field in ADDRESS):
            if not party.city:
                yield missing(no_city, city, f"city of the {who}")
            if not party.postal_code:
                yield missing(no_code, code, f"postal code of the {who}")
    if document.deliver_to_country or document.deliver_to_city or document.deliver_to_postal_code:
        if not document.deliver_to_city:
            yield missing("BR-DE-10", "BT-77", "city of the place of delivery")
        if not document.deliver_to_postal_code:
            yield missing("BR-DE-11", "BT-78", "postal code of the place of delivery")


def _payment(document):
    means, account = document.means_code, document.iban
    if not (means or account):
        yield missing(
            "BR-DE-1",
            "BG-16",
            "means of payment",
            "Add its code (BT-81), such as 58, and the account.",
        )
    if means in ("30", "58"):
        if not account:
            yield Fault(
                "BR-DE-23-a",
                "BT-84",
                f"The means of payment is {means}, a transfer, but the account (BT-84) "
                "is missing. Add the seller's IBAN.",
            )
        if document.card_number or _is_direct_debit(document):
            yield Fault(
                "BR-DE-23-b",
                "BT-81",
                f"The means of payment is {means}, a transfer, but the invoice contains "
                "a card or a direct debit too. Remove them.",
            )
    if means in CARDS:
        if not document.card_number:
            yield Fault(
                "BR-DE-24-a",
                "BT-87",
                f"The means of payment is {means}, a card, but the last digits of its "
                "number (BT-87) are missing. Add them, or choose another means of payment, such as 68.",
            )
        if account or _is_direct_debit(document):
            yield Fault(
                "BR-DE-24-b",
                "BT-81",
                f"The means of payment is {means}, a card, but the invoice contains an "
                "account or a direct debit too. Remove them.",
            )


def _is_direct_debit(document):
    """Return whether the document contains a direct debit (BG-19)."""
    return bool(document.mandate or document.debited_iban or document.creditor_id)


def _account(document):
    """Yield a warning if the account of a SEPA transfer is not an IBAN."""
    if document.means_code == "58" and document.iban:
        yield from wrong_iban("BR-DE-19", document.iban)


def _direct_debit(document):
    if document.means_code == "59":
        if not _is_direct_debit(document):
            yield Fault(
                "BR-DE-25-a",
                "BT-89",
                "The means of payment is 59, a SEPA direct debit, but the mandate "
                "(BT-89) and the debited account (BT-91) are missing. Add them.",
            )
        if document.iban or document.card_number:
            yield Fault(
                "BR-DE-25-b",
                "BT-81",
                "The means of payment is 59, a SEPA direct debit, but the invoice "
                "contains an account for a transfer or a card too. Remove them.",
            )
    if _is_direct_debit(document):
        if not document.creditor_id:
            yield missing("BR-DE-30", "BT-90", "creditor identifier of the direct debit")
        if not document.debited_iban:
            yield missing("BR-DE-31", "BT-91", "debited account of the direct debit")


def _other(document):
    if not document.buyer_reference:
        yield missing(
            "BR-DE-15",
            "BT-10",
            "reference of the buyer",
            "Add the Leitweg-ID of a public buyer; otherwise "
            "an order number or the customer number.",
        )
    if document.type_code and document.type_code not in TYPES:
        yield Fault(
            "BR-DE-17",
            "BT-3",
            f"The type of the document (BT-3) is {document.type_code}. XRechnung expects "
            f"one of {', '.join(TYPES)}.",
            True,
        )
    if document.type_code == "384" and not document.preceding_number:
        yield Fault(
            "BR-DE-26",
            "BG-3",
            "The document is a correction (384), but does not name the corrected invoice "
            "(BT-25). Add its number.",
            True,
        )
    terms = document.terms or ""
    for line in terms.split("\n"):
        if line.strip().startswith("#") and not (
            EARLY_PAYMENT.fullmatch(line.strip()) and terms.endswith("\n")
        ):
            yield Fault(
                "BR-DE-18",
                "BT-20",
                f"The terms of payment (BT-20) contain {line.strip()[:100]!r}. A discount "
                "for early payment must read #SKONTO#TAGE=14#PROZENT=2.00#, in capitals, with a line end "
                "behind it.",
            )
    for tax in document.taxes:
        if tax.rate is None:
            yield missing(
                "BR-DE-14",
                "BT-119",
                f"VAT rate of category {tax.category}",
                "Add it; category O has 0.",
            )
    if profiles.profile_of(document.profile) != profiles.XRECHNUNG:
        yield Fault(
            "BR-DE-21",
            "BT-24",
            f"The specification (BT-24) is {(document.profile or '')[:150]!r}. XRechnung "
            f"is {profiles.IDS[profiles.XRECHNUNG]}.",
            True,
        )
    if not (
        document.service_date
        or document.service_from
        or document.service_to
        or (document.lines and all(line.service_from or line.service_to for line in document.lines))
    ):
        yield Fault(
            "BR-DE-TMP-32",
            "BT-72",
            "The invoice has neither a date of delivery or service (BT-72) nor a "
            "period (BG-14). Add one.",
            True,
        )
