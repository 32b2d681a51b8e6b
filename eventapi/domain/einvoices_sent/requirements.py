"""What an invoice lacks to be a valid e-invoice, in the names of the API's fields and of the
options.
"""

import re

from eventapi.domain.einvoices import profiles, rules
from eventapi.errors import Problem, listed
from eventapi.validation.identifiers.organiser import faulty_options

IDS_OF_SELLER = "organiser_vat_id or organiser_tax_number"
# Business term or group -> field of the invoice, field of its contact, or option of the organiser
FIELDS = {
    "BT-5": "currency",
    "BT-6": "exchange_rate",
    "BT-111": "exchange_rate",
    "BT-9": "due_date",
    "BT-10": "buyer_reference",
    "BT-20": "due_date",
    "BT-22": "text",
    "BT-25": "related_invoice_id",
    "BT-27": "organiser_name",
    "BG-5": "organiser_street",
    "BT-35": "organiser_street",
    "BT-37": "organiser_city",
    "BT-38": "organiser_postal_code",
    "BT-40": "organiser_country",
    "BT-34": "organiser_electronic_address or organiser_email",
    "BT-29": IDS_OF_SELLER,
    "BT-30": "organiser_register_number",
    "BT-31": "organiser_vat_id",
    "BT-32": "organiser_tax_number",
    "BT-41": "organiser_contact",
    "BT-42": "organiser_phone",
    "BT-43": "organiser_email",
    "BG-16": "organiser_iban",
    "BG-17": "organiser_iban",
    "BT-81": "organiser_iban",
    "BT-84": "organiser_iban",
    "BT-85": "organiser_name",
    "BT-86": "organiser_bic",
    "BT-44": "contact.company_name or last_name",
    "BG-8": "contact.address",
    "BT-50": "contact.address",
    "BT-52": "contact.city",
    "BT-53": "contact.postal_code",
    "BT-55": "contact.country",
    "BT-80": "contact.country",
    "BT-77": "contact.city",
    "BT-78": "contact.postal_code",
    "BT-46": "contact.gln",
    "BT-47": "contact.tax_id",
    "BT-48": "contact.tax_id",
    "BT-49": "contact.electronic_address or email",
    "BG-14": "service_date",
    "BT-72": "service_date",
    "BT-73": "service_date",
    "BT-74": "service_date_to",
    **dict.fromkeys(
        (
            "BG-20",
            "BG-25",
            "BT-92",
            "BT-95",
            "BT-96",
            "BT-97",
            "BT-129",
            "BT-130",
            "BT-131",
            "BT-146",
            "BT-151",
            "BT-152",
            "BT-153",
            "BT-154",
            "BT-118",
            "BT-119",
            "BT-120",
            "BT-121",
        ),
        "items",
    ),
}
# The same where only a Peppol id is an electronic address
PEPPOL_FIELDS = {
    **FIELDS,
    "BT-34": "organiser_electronic_address",
    "BT-49": "contact.electronic_address",
}
# Business group -> all the fields that it lacks
GROUPS = {"BG-6": ("organiser_contact", "organiser_phone", "organiser_email")}
# Rule -> field, where the term alone would name only one of the ways to meet it
BY_RULE = dict.fromkeys(
    (
        "BR-CO-26",
        "BR-S-02",
        "BR-S-03",
        "BR-S-04",
        "BR-Z-02",
        "BR-Z-03",
        "BR-Z-04",
        "BR-E-02",
        "BR-E-03",
        "BR-E-04",
        "BR-DE-16",
    ),
    IDS_OF_SELLER,
)

# Rules that nobody can meet whose invoice is right by law: countries and currencies that the code
# lists lack, and an export of an organiser that has no VAT id
UNREACHABLE = re.compile("BR-CL-0[45]|BR-CL-14|BR-G-0[234]")


def findings(document, profile):
    """Return (faults, warnings) of a document by the rules of a profile, each a dict {rule, term,
    field, detail}.

    `field` is None if no single field of ours stands for the term.
    """
    found = rules.check(document, profile)
    return tuple(
        [
            finding(fault.detail, field, fault.rule, fault.term)
            for fault in found
            if fault.is_warning == is_warning
            for field in fields_of(fault, profile)
        ]
        for is_warning in (False, True)
    )


def refused(faults, profile):
    """Return the faults, as `findings` returns them, that prevent sending an invoice to a buyer
    with this profile.

    A buyer with the profile EN 16931 has asked for no e-invoice. If the norm cannot represent an
    invoice and nobody can correct that, as with an address in South Sudan, the invoice is sent
    without one. What somebody can correct is refused, because an invoice that was sent never gets
    an e-invoice.
    """
    if profile != profiles.EN16931:
        return faults
    return [fault for fault in faults if not UNREACHABLE.fullmatch(fault["rule"])]


def without_e_invoice(fault):
    """Return the warning that an invoice with this fault is sent without e-invoice."""
    return {**fault, "detail": f"The invoice is sent without an e-invoice: {fault['detail']}"}


def finding(detail, field, rule=None, term=None, code=None, values=None):
    """Return a fault or warning as the API shows it: with rule and term of the norm, or with a code
    of ours.

    `values` are the facts in the sentence, by name, for those who write it in another language.
    """
    found = {"rule": rule, "term": term, "code": code, "field": field, "detail": detail}
    return {**found, "values": values} if values else found


def fields_of(fault, profile):
    """Return our names of what a fault is about: [None] if there is none, several for a group that
    is missing.
    """
    fields = PEPPOL_FIELDS if profile == profiles.PEPPOL else FIELDS
    return GROUPS.get(fault.term) or [BY_RULE.get(fault.rule) or fields.get(fault.term)]


def incomplete(config, missing, faults):
    """Return the Problem that names everything that is missing.

    `faults` are those of the e-invoice.
    """
    names = list(dict.fromkeys([*missing, *(fault["field"] or fault["term"] for fault in faults)]))
    causes = [
        *(sentence for name, sentence in faulty_options(config).items() if name in missing),
        *(fault["detail"] for fault in faults if fault["field"] not in missing),
    ]
    what = (
        f"without {listed(missing)}."
        if missing
        else f"as it is: {listed(names)} must be set or corrected."
    )
    return Problem(
        "invoice_incomplete",
        " ".join([f"The invoice cannot be sent {what}", *causes[:10], _where(names)]),
        missing=names,
        faults=faults,
    )


def _where(missing):
    """Return the sentence that says where the missing values are set."""
    places = {
        "organiser_": "the settings of the organiser",
        "option ": "the settings of the organiser",
        "contact.": "the fields of the contact",
    }
    found = dict.fromkeys(
        next(
            (text for prefix, text in places.items() if name.startswith(prefix)),
            "the fields of the invoice",
        )
        for name in sorted(missing, reverse=True)
    )
    without = (
        " To send it without mail, send `mail` as false." if missing == ["contact.email"] else ""
    )
    return f"Set {listed(list(found))}, then send the invoice again.{without}"
