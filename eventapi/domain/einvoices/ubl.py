"""Write a document as UBL 2.1, the syntax of Peppol: an Invoice or, for the types of a credit note,
a CreditNote.

The order of elements is that of the XSDs of OASIS UBL 2.1.
"""

from dataclasses import replace

from eventapi.domain.einvoices.writing import amount, decimal, element, serialised

STANDARD = "urn:oasis:names:specification:ubl:schema:xsd:"
NAMESPACES = {
    "xmlns:cac": STANDARD + "CommonAggregateComponents-2",
    "xmlns:cbc": STANDARD + "CommonBasicComponents-2",
}
# The types (BT-3) that a CreditNote may have: BR-CL-01 in UBL.
CREDIT_NOTES = {"81", "83", "381", "396", "532"}


def write(document):
    """Return the XML of a document as bytes. Equal documents have equal bytes.

    Terms that are None or empty have no element, whether the rules require them or not:
    `rules.check` names them. A CreditNote can contain a due date, a reference for the transfer and
    an account only with a means of payment, and any document a creditor identifier only with a
    direct debit.
    """
    is_credit_note = document.type_code in CREDIT_NOTES
    creditor_id = document.creditor_id if document.mandate or document.debited_iban else None
    name = "CreditNote" if is_credit_note else "Invoice"
    return serialised(
        name,
        {"xmlns": f"{STANDARD}{name}-2", **NAMESPACES},
        _header(document, is_credit_note),
        _party("cac:AccountingSupplierParty", document.seller, creditor_id),
        _party("cac:AccountingCustomerParty", replace(document.buyer, tax_number=None)),
        element("cac:TaxRepresentativeParty", _tax_scheme(document.representative_vat_id, "VAT")),
        _delivery(document),
        _means(document, is_credit_note),
        element("cac:PaymentTerms", element("cbc:Note", document.terms)),
        (_total_adjustment("false", part, document) for part in document.allowances),
        (_total_adjustment("true", part, document) for part in document.charges),
        _taxes(document),
        _totals(document),
        (_line(line, name, document) for line in document.lines),
    )


def _money(name, value, currency):
    return element(name, amount(value), currencyID=currency)


def _header(document, is_credit_note):
    type_name = "cbc:CreditNoteTypeCode" if is_credit_note else "cbc:InvoiceTypeCode"
    return [
        element("cbc:CustomizationID", document.profile),
        element("cbc:ProfileID", document.process),
        element("cbc:ID", document.number),
        element("cbc:IssueDate", document.issue_date),
        None if is_credit_note else element("cbc:DueDate", document.due_date),
        element(type_name, document.type_code),
        *(element("cbc:Note", note) for note in document.notes),
        element("cbc:DocumentCurrencyCode", document.currency),
        element("cbc:TaxCurrencyCode", document.tax_currency),
        element("cbc:BuyerReference", document.buyer_reference),
        _period(document.service_from, document.service_to),
        element("cac:OrderReference", element("cbc:ID", document.order_reference)),
        *(
            element(
                "cac:BillingReference",
                element(
                    "cac:InvoiceDocumentReference",
                    element("cbc:ID", number),
                    element("cbc:IssueDate", day),
                ),
            )
            for number, day in document.preceding
        ),
    ]


def _period(start, end):
    return element(
        "cac:InvoicePeriod", element("cbc:StartDate", start), element("cbc:EndDate", end)
    )


# Parties and delivery


def _party(name, party, creditor_id=None):
    return element(
        name,
        element(
            "cac:Party",
            element("cbc:EndpointID", party.address, schemeID=party.address_scheme),
            element(
                "cac:PartyIdentification", element("cbc:ID", party.id, schemeID=party.id_scheme)
            ),
            element("cac:PartyIdentification", element("cbc:ID", creditor_id, schemeID="SEPA")),
            _address("cac:PostalAddress", party),
            _tax_scheme(party.vat_id, "VAT"),
            _tax_scheme(party.tax_number, "FC"),
            element(
                "cac:PartyLegalEntity",
                element("cbc:RegistrationName", party.name),
                element("cbc:CompanyID", party.register_number),
            ),
            element(
                "cac:Contact",
                element("cbc:Name", party.contact_name),
                element("cbc:Telephone", party.contact_phone),
                element("cbc:ElectronicMail", party.contact_email),
            ),
        ),
    )


def _address(name, party):
    return element(
        name,
        element("cbc:StreetName", party.street),
        element("cbc:AdditionalStreetName", party.street_2),
        element("cbc:CityName", party.city),
        element("cbc:PostalZone", party.postal_code),
        element("cbc:CountrySubentity", party.region),
        element("cac:AddressLine", element("cbc:Line", party.street_3)),
        _country(party.country),
    )


def _country(code):
    return element("cac:Country", element("cbc:IdentificationCode", code))


def _tax_scheme(number, scheme):
    """Return a VAT id (scheme VAT) or a national tax number (any other scheme), or None without a
    number.
    """
    return (
        element("cac:PartyTaxScheme", element("cbc:CompanyID", number), _scheme(scheme))
        if number
        else None
    )


def _scheme(name="VAT"):
    return element("cac:TaxScheme", element("cbc:ID", name))


def _delivery(document):
    return element(
        "cac:Delivery",
        element("cbc:ActualDeliveryDate", document.service_date),
        element(
            "cac:DeliveryLocation",
            element(
                "cac:Address",
                element("cbc:CityName", document.deliver_to_city),
                element("cbc:PostalZone", document.deliver_to_postal_code),
                _country(document.deliver_to_country),
            ),
        ),
    )


# Payment, taxes and totals


def _means(document, is_credit_note):
    if not document.means_code:
        return None
    return element(
        "cac:PaymentMeans",
        element("cbc:PaymentMeansCode", document.means_code),
        element("cbc:PaymentDueDate", document.due_date) if is_credit_note else None,
        element("cbc:PaymentID", document.remittance),
        element(
            "cac:CardAccount",
            element("cbc:PrimaryAccountNumberID", document.card_number),
            element("cbc:NetworkID", document.card_number and "mapped-from-cii"),
        ),
        element(
            "cac:PayeeFinancialAccount",
            element("cbc:ID", document.iban),
            element("cbc:Name", document.account_name),
            element("cac:FinancialInstitutionBranch", element("cbc:ID", document.bic)),
        ),
        element(
            "cac:PaymentMandate",
            element("cbc:ID", document.mandate),
            element("cac:PayerFinancialAccount", element("cbc:ID", document.debited_iban)),
        ),
    )


def _category(name, part, *reasons):
    """Return a VAT category with its rate, or None if the part has no category."""
    if not part.category:
        return None
    return element(
        name,
        element("cbc:ID", part.category),
        element("cbc:Percent", decimal(part.rate)),
        *reasons,
        _scheme(),
    )


def _adjustment(is_charge, value, base, percent, code, reason, currency, category=None):
    """Return a discount (`is_charge` is `false`) or a charge (`true`), or None without an amount."""
    if value is None:
        return None
    return element(
        "cac:AllowanceCharge",
        element("cbc:ChargeIndicator", is_charge),
        element("cbc:AllowanceChargeReasonCode", code),
        element("cbc:AllowanceChargeReason", reason),
        element("cbc:MultiplierFactorNumeric", decimal(percent)),
        _money("cbc:Amount", value, currency),
        _money("cbc:BaseAmount", base, currency),
        category,
    )


def _total_adjustment(is_charge, part, document):
    return _adjustment(
        is_charge,
        part.amount,
        part.base,
        part.percent,
        part.reason_code,
        part.reason,
        document.currency,
        _category("cac:TaxCategory", part),
    )


def _taxes(document):
    """Return the VAT total with its breakdown, and the VAT total in the currency of accounting if
    there is one.
    """
    return [
        element(
            "cac:TaxTotal",
            _money("cbc:TaxAmount", document.tax_total, document.currency),
            (_tax(tax, document.currency) for tax in document.taxes),
        ),
        element(
            "cac:TaxTotal",
            _money("cbc:TaxAmount", document.tax_total_in_tax_currency, document.tax_currency),
        ),
    ]


def _tax(tax, currency):
    return element(
        "cac:TaxSubtotal",
        _money("cbc:TaxableAmount", tax.net, currency),
        _money("cbc:TaxAmount", tax.tax, currency),
        _category(
            "cac:TaxCategory",
            tax,
            element("cbc:TaxExemptionReasonCode", tax.reason_code),
            element("cbc:TaxExemptionReason", tax.reason),
        ),
    )


def _totals(document):
    return element(
        "cac:LegalMonetaryTotal",
        (
            _money(name, value, document.currency)
            for name, value in (
                ("cbc:LineExtensionAmount", document.line_total),
                ("cbc:TaxExclusiveAmount", document.net_total),
                ("cbc:TaxInclusiveAmount", document.total),
                ("cbc:AllowanceTotalAmount", document.allowance_total),
                ("cbc:ChargeTotalAmount", document.charge_total),
                ("cbc:PrepaidAmount", document.prepaid),
                ("cbc:PayableRoundingAmount", document.rounding),
                ("cbc:PayableAmount", document.payable),
            )
        ),
    )


# Lines


def _line(line, name, document):
    quantity = "cbc:CreditedQuantity" if name == "CreditNote" else "cbc:InvoicedQuantity"
    currency = document.currency
    return element(
        f"cac:{name}Line",
        element("cbc:ID", line.id),
        element(quantity, decimal(line.quantity), unitCode=line.unit),
        _money("cbc:LineExtensionAmount", line.net, currency),
        _period(line.service_from, line.service_to),
        _adjustment(
            "false",
            line.discount,
            line.discount_base,
            line.discount_percent,
            line.discount_reason_code,
            line.discount_reason,
            currency,
        ),
        _adjustment("true", line.charge, None, None, None, "Charge", currency),
        element(
            "cac:Item",
            element("cbc:Description", line.description),
            element("cbc:Name", line.name),
            _category("cac:ClassifiedTaxCategory", line),
        ),
        element(
            "cac:Price",
            _money("cbc:PriceAmount", line.price, currency),
            element("cbc:BaseQuantity", decimal(line.price_quantity), unitCode=line.price_unit),
        ),
    )
