"""Write a document as UN/CEFACT Cross Industry Invoice D16B (CII), the syntax of ZUGFeRD, Factur-X
and XRechnung.

The order of elements is that of the XSD of Factur-X 1.09, profile EN 16931.
"""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

from eventapi.domain.einvoices.writing import amount, decimal, element, serialised

STANDARD = "urn:un:unece:uncefact:data:standard:"
NAMESPACES = {
    "xmlns:rsm": STANDARD + "CrossIndustryInvoice:100",
    "xmlns:ram": STANDARD + "ReusableAggregateBusinessInformationEntity:100",
    "xmlns:udt": STANDARD + "UnqualifiedDataType:100",
    "xmlns:qdt": STANDARD + "QualifiedDataType:100",
}


def write(document):
    """Return the XML of a document as bytes. Equal documents have equal bytes.

    Terms that are None or empty have no element, whether the rules require them or not:
    `rules.check` names them.
    """
    return serialised(
        "rsm:CrossIndustryInvoice",
        NAMESPACES,
        _context(document),
        _header(document),
        element(
            "rsm:SupplyChainTradeTransaction",
            (_line(line) for line in document.lines),
            _agreement(document),
            _delivery(document),
            _settlement(document),
        ),
    )


def _context(document):
    return element(
        "rsm:ExchangedDocumentContext",
        element(
            "ram:BusinessProcessSpecifiedDocumentContextParameter",
            element("ram:ID", document.process),
        ),
        element(
            "ram:GuidelineSpecifiedDocumentContextParameter", element("ram:ID", document.profile)
        ),
    )


def _header(document):
    return element(
        "rsm:ExchangedDocument",
        element("ram:ID", document.number),
        element("ram:TypeCode", document.type_code),
        _date("ram:IssueDateTime", document.issue_date),
        (element("ram:IncludedNote", element("ram:Content", note)) for note in document.notes),
    )


def _date(name, day, prefix="udt"):
    """Return an element with a date as CII writes it: 20261120, format 102."""
    return element(
        name, element(f"{prefix}:DateTimeString", day and day.replace("-", ""), format="102")
    )


def _period(start, end):
    return element(
        "ram:BillingSpecifiedPeriod",
        _date("ram:StartDateTime", start),
        _date("ram:EndDateTime", end),
    )


# Lines


def _line(line):
    return element(
        "ram:IncludedSupplyChainTradeLineItem",
        element("ram:AssociatedDocumentLineDocument", element("ram:LineID", line.id)),
        element(
            "ram:SpecifiedTradeProduct",
            element("ram:Name", line.name),
            element("ram:Description", line.description),
        ),
        element(
            "ram:SpecifiedLineTradeAgreement",
            element(
                "ram:NetPriceProductTradePrice",
                element("ram:ChargeAmount", amount(line.price)),
                element(
                    "ram:BasisQuantity", decimal(line.price_quantity), unitCode=line.price_unit
                ),
            ),
        ),
        element(
            "ram:SpecifiedLineTradeDelivery",
            element("ram:BilledQuantity", decimal(line.quantity), unitCode=line.unit),
        ),
        element(
            "ram:SpecifiedLineTradeSettlement",
            _category("ram:ApplicableTradeTax", line),
            _period(line.service_from, line.service_to),
            _adjustment(
                "false",
                line.discount,
                line.discount_base,
                line.discount_percent,
                line.discount_reason_code,
                line.discount_reason,
            ),
            _adjustment("true", line.charge, None, None, None, "Charge"),
            element(
                "ram:SpecifiedTradeSettlementLineMonetarySummation",
                element("ram:LineTotalAmount", amount(line.net)),
            ),
        ),
    )


def _category(name, part):
    """Return the VAT category and rate of a line, a discount or a charge, or None if it has no
    category.
    """
    if not part.category:
        return None
    return element(
        name,
        element("ram:TypeCode", "VAT"),
        element("ram:CategoryCode", part.category),
        element("ram:RateApplicablePercent", decimal(part.rate)),
    )


def _adjustment(is_charge, value, base, percent, code, reason, category=None):
    """Return a discount (`is_charge` is `false`) or a charge (`true`), or None without an amount."""
    if value is None:
        return None
    return element(
        "ram:SpecifiedTradeAllowanceCharge",
        element("ram:ChargeIndicator", element("udt:Indicator", is_charge)),
        element("ram:CalculationPercent", decimal(percent)),
        element("ram:BasisAmount", amount(base)),
        element("ram:ActualAmount", amount(value)),
        element("ram:ReasonCode", code),
        element("ram:Reason", reason),
        category,
    )


# Parties and delivery


def _agreement(document):
    return element(
        "ram:ApplicableHeaderTradeAgreement",
        element("ram:BuyerReference", document.buyer_reference),
        _party("ram:SellerTradeParty", document.seller),
        _party("ram:BuyerTradeParty", replace(document.buyer, tax_number=None)),
        element(
            "ram:SellerTaxRepresentativeTradeParty",
            _registration("VA", document.representative_vat_id),
        ),
        element(
            "ram:BuyerOrderReferencedDocument",
            element("ram:IssuerAssignedID", document.order_reference),
        ),
    )


def _party(name, party):
    return element(
        name,
        element("ram:ID", party.id) if not party.id_scheme else None,
        element("ram:GlobalID", party.id, schemeID=party.id_scheme) if party.id_scheme else None,
        element("ram:Name", party.name),
        element("ram:SpecifiedLegalOrganization", element("ram:ID", party.register_number)),
        element(
            "ram:DefinedTradeContact",
            element("ram:PersonName", party.contact_name),
            element(
                "ram:TelephoneUniversalCommunication",
                element("ram:CompleteNumber", party.contact_phone),
            ),
            element(
                "ram:EmailURIUniversalCommunication", element("ram:URIID", party.contact_email)
            ),
        ),
        element(
            "ram:PostalTradeAddress",
            element("ram:PostcodeCode", party.postal_code),
            element("ram:LineOne", party.street),
            element("ram:LineTwo", party.street_2),
            element("ram:LineThree", party.street_3),
            element("ram:CityName", party.city),
            element("ram:CountryID", party.country),
            element("ram:CountrySubDivisionName", party.region),
        ),
        element(
            "ram:URIUniversalCommunication",
            element("ram:URIID", party.address, schemeID=party.address_scheme),
        ),
        _registration("VA", party.vat_id),
        _registration("FC", party.tax_number),
    )


def _registration(scheme, number):
    """Return a VAT id (scheme VA) or a national tax number (scheme FC)."""
    return element("ram:SpecifiedTaxRegistration", element("ram:ID", number, schemeID=scheme))


def _delivery(document):
    """Return the delivery. The XSD requires this one element even if it is empty."""
    delivery = element(
        "ram:ApplicableHeaderTradeDelivery",
        element(
            "ram:ShipToTradeParty",
            element(
                "ram:PostalTradeAddress",
                element("ram:PostcodeCode", document.deliver_to_postal_code),
                element("ram:CityName", document.deliver_to_city),
                element("ram:CountryID", document.deliver_to_country),
            ),
        ),
        element(
            "ram:ActualDeliverySupplyChainEvent",
            _date("ram:OccurrenceDateTime", document.service_date),
        ),
    )
    return ET.Element("ram:ApplicableHeaderTradeDelivery") if delivery is None else delivery


# Payment, taxes and totals


def _settlement(document):
    return element(
        "ram:ApplicableHeaderTradeSettlement",
        element("ram:CreditorReferenceID", document.creditor_id),
        element("ram:PaymentReference", document.remittance),
        element("ram:TaxCurrencyCode", document.tax_currency),
        element("ram:InvoiceCurrencyCode", document.currency),
        _means(document),
        (_tax(tax) for tax in document.taxes),
        _period(document.service_from, document.service_to),
        (_total_adjustment("false", allowance) for allowance in document.allowances),
        (_total_adjustment("true", charge) for charge in document.charges),
        element(
            "ram:SpecifiedTradePaymentTerms",
            element("ram:Description", document.terms),
            _date("ram:DueDateDateTime", document.due_date),
            element("ram:DirectDebitMandateID", document.mandate),
        ),
        _totals(document),
        (
            element(
                "ram:InvoiceReferencedDocument",
                element("ram:IssuerAssignedID", number),
                _date("ram:FormattedIssueDateTime", day, "qdt"),
            )
            for number, day in document.preceding
        ),
    )


def _means(document):
    """Return the means of payment. An account number that is no IBAN has an element of its own."""
    is_iban = re.match("[A-Za-z]{2}[0-9]{2}", document.iban or "")
    return element(
        "ram:SpecifiedTradeSettlementPaymentMeans",
        element("ram:TypeCode", document.means_code),
        element(
            "ram:ApplicableTradeSettlementFinancialCard", element("ram:ID", document.card_number)
        ),
        element(
            "ram:PayerPartyDebtorFinancialAccount", element("ram:IBANID", document.debited_iban)
        ),
        element(
            "ram:PayeePartyCreditorFinancialAccount",
            element("ram:IBANID", document.iban) if is_iban else None,
            element("ram:AccountName", document.account_name),
            None if is_iban else element("ram:ProprietaryID", document.iban),
        ),
        element(
            "ram:PayeeSpecifiedCreditorFinancialInstitution", element("ram:BICID", document.bic)
        ),
    )


def _tax(tax):
    return element(
        "ram:ApplicableTradeTax",
        element("ram:CalculatedAmount", amount(tax.tax)),
        element("ram:TypeCode", "VAT"),
        element("ram:ExemptionReason", tax.reason),
        element("ram:BasisAmount", amount(tax.net)),
        element("ram:CategoryCode", tax.category),
        element("ram:ExemptionReasonCode", tax.reason_code),
        element("ram:RateApplicablePercent", decimal(tax.rate)),
    )


def _total_adjustment(is_charge, part):
    return _adjustment(
        is_charge,
        part.amount,
        part.base,
        part.percent,
        part.reason_code,
        part.reason,
        _category("ram:CategoryTradeTax", part),
    )


def _totals(document):
    return element(
        "ram:SpecifiedTradeSettlementHeaderMonetarySummation",
        element("ram:LineTotalAmount", amount(document.line_total)),
        element("ram:ChargeTotalAmount", amount(document.charge_total)),
        element("ram:AllowanceTotalAmount", amount(document.allowance_total)),
        element("ram:TaxBasisTotalAmount", amount(document.net_total)),
        element("ram:TaxTotalAmount", amount(document.tax_total), currencyID=document.currency),
        element(
            "ram:TaxTotalAmount",
            amount(document.tax_total_in_tax_currency),
            currencyID=document.tax_currency,
        ),
        element("ram:RoundingAmount", amount(document.rounding)),
        element("ram:GrandTotalAmount", amount(document.total)),
        element("ram:TotalPrepaidAmount", amount(document.prepaid)),
        element("ram:DuePayableAmount", amount(document.payable)),
    )
