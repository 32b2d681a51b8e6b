"""Read the terms of a Cross Industry Invoice (CII)."""

from eventapi.domain.einvoices.model import Allowance, Document, Line, Party, Tax
from eventapi.domain.einvoices.values import (
    attribute,
    content,
    day,
    find,
    find_all,
    joined,
    number,
    of_vat,
    one_or_sum,
    text,
    totals_of_tax,
)

DATE = "udt:DateTimeString"


def document(root):
    """Return the document of a root element.

    The first one counts where EN 16931 allows one element only.
    """
    context = find(root, "rsm:ExchangedDocumentContext")
    header = find(root, "rsm:ExchangedDocument")
    deal = find(root, "rsm:SupplyChainTradeTransaction")
    agreement = find(deal, "ram:ApplicableHeaderTradeAgreement")
    return Document(
        profile=text(context, "ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"),
        process=text(context, "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"),
        number=text(header, "ram:ID"),
        issue_date=day(header, f"ram:IssueDateTime/{DATE}"),
        type_code=text(header, "ram:TypeCode"),
        notes=tuple(content(note) for note in find_all(header, "ram:IncludedNote/ram:Content")),
        buyer_reference=text(agreement, "ram:BuyerReference"),
        order_reference=text(agreement, "ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID"),
        seller=_party(find(agreement, "ram:SellerTradeParty")),
        buyer=_party(find(agreement, "ram:BuyerTradeParty")),
        representative_vat_id=_registration(
            find(agreement, "ram:SellerTaxRepresentativeTradeParty"), "VA"
        ),
        lines=tuple(_line(line) for line in find_all(deal, "ram:IncludedSupplyChainTradeLineItem")),
        **_delivery(find(deal, "ram:ApplicableHeaderTradeDelivery")),
        **_settlement(find(deal, "ram:ApplicableHeaderTradeSettlement")),
    )


def _party(node):
    contact, address = find(node, "ram:DefinedTradeContact"), find(node, "ram:PostalTradeAddress")
    has_scheme = find(node, "ram:ID") is None
    return Party(
        name=text(node, "ram:Name"),
        trading_name=text(node, "ram:SpecifiedLegalOrganization/ram:TradingBusinessName"),
        id=text(node, "ram:GlobalID" if has_scheme else "ram:ID"),
        id_scheme=attribute(node, "ram:GlobalID", "schemeID") if has_scheme else None,
        register_number=text(node, "ram:SpecifiedLegalOrganization/ram:ID"),
        vat_id=_registration(node, "VA"),
        tax_number=_registration(node, "FC"),
        address=text(node, "ram:URIUniversalCommunication/ram:URIID"),
        address_scheme=attribute(node, "ram:URIUniversalCommunication/ram:URIID", "schemeID"),
        street=text(address, "ram:LineOne"),
        street_2=text(address, "ram:LineTwo"),
        street_3=text(address, "ram:LineThree"),
        city=text(address, "ram:CityName"),
        postal_code=text(address, "ram:PostcodeCode"),
        region=text(address, "ram:CountrySubDivisionName"),
        country=text(address, "ram:CountryID"),
        contact_name=_contact_name(contact),
        contact_phone=text(contact, "ram:TelephoneUniversalCommunication/ram:CompleteNumber"),
        contact_email=text(contact, "ram:EmailURIUniversalCommunication/ram:URIID"),
    )


def _contact_name(contact):
    """Return the person of a contact, or the department if no person is named (BT-41, BR-DE-5)."""
    person = text(contact, "ram:PersonName")
    department = text(contact, "ram:DepartmentName")
    return department if department and not person else person


def _registration(node, scheme):
    return text(node, f"ram:SpecifiedTaxRegistration/ram:ID[@schemeID='{scheme}']")


def _delivery(node):
    address = find(node, "ram:ShipToTradeParty/ram:PostalTradeAddress")
    return {
        "service_date": day(
            node, f"ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/{DATE}"
        ),
        "deliver_to_city": text(address, "ram:CityName"),
        "deliver_to_postal_code": text(address, "ram:PostcodeCode"),
        "deliver_to_country": text(address, "ram:CountryID"),
    }


def _period(node):
    return {
        "service_from": day(node, f"ram:BillingSpecifiedPeriod/ram:StartDateTime/{DATE}"),
        "service_to": day(node, f"ram:BillingSpecifiedPeriod/ram:EndDateTime/{DATE}"),
    }


def _settlement(node):
    means = find(node, "ram:SpecifiedTradeSettlementPaymentMeans")
    terms = find(node, "ram:SpecifiedTradePaymentTerms")
    account = find(means, "ram:PayeePartyCreditorFinancialAccount")
    iban = text(account, "ram:IBANID")
    return {
        "currency": text(node, "ram:InvoiceCurrencyCode"),
        "tax_currency": text(node, "ram:TaxCurrencyCode"),
        "remittance": text(node, "ram:PaymentReference"),
        "means_code": text(means, "ram:TypeCode"),
        "iban": text(account, "ram:ProprietaryID") if iban is None else iban,
        "account_name": text(account, "ram:AccountName"),
        "bic": text(means, "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"),
        "card_number": text(means, "ram:ApplicableTradeSettlementFinancialCard/ram:ID"),
        "creditor_id": text(node, "ram:CreditorReferenceID"),
        "debited_iban": text(means, "ram:PayerPartyDebtorFinancialAccount/ram:IBANID"),
        "mandate": text(terms, "ram:DirectDebitMandateID"),
        "taxes": tuple(_tax(tax) for tax in find_all(node, "ram:ApplicableTradeTax")),
        "allowances": tuple(_allowance(part) for part in _adjustments(node, is_charge=False)),
        "charges": tuple(_allowance(part) for part in _adjustments(node, is_charge=True)),
        "terms": text(terms, "ram:Description"),
        "due_date": day(terms, f"ram:DueDateDateTime/{DATE}"),
        "preceding": tuple(
            (
                text(found, "ram:IssuerAssignedID"),
                day(found, "ram:FormattedIssueDateTime/qdt:DateTimeString"),
            )
            for found in find_all(node, "ram:InvoiceReferencedDocument")
        ),
        **_period(node),
        **_totals(node),
    }


def _tax(node):
    return Tax(
        category=of_vat(node, "ram:CategoryCode", "ram:TypeCode"),
        rate=number(node, "ram:RateApplicablePercent"),
        net=number(node, "ram:BasisAmount"),
        tax=number(node, "ram:CalculatedAmount"),
        reason=text(node, "ram:ExemptionReason"),
        reason_code=text(node, "ram:ExemptionReasonCode"),
    )


def _adjustments(node, is_charge):
    """Return the discounts or the charges of an element: what has no indicator is a discount."""
    return [
        part
        for part in find_all(node, "ram:SpecifiedTradeAllowanceCharge")
        if (text(part, "ram:ChargeIndicator/udt:Indicator") in ("true", "1")) == is_charge
    ]


def _allowance(node):
    return Allowance(
        amount=number(node, "ram:ActualAmount"),
        base=number(node, "ram:BasisAmount"),
        percent=number(node, "ram:CalculationPercent"),
        category=of_vat(
            node, "ram:CategoryTradeTax/ram:CategoryCode", "ram:CategoryTradeTax/ram:TypeCode"
        ),
        rate=number(node, "ram:CategoryTradeTax/ram:RateApplicablePercent"),
        reason=text(node, "ram:Reason"),
        reason_code=text(node, "ram:ReasonCode"),
    )


def _totals(node):
    sums = find(node, "ram:SpecifiedTradeSettlementHeaderMonetarySummation")
    tax_total, other = totals_of_tax(
        find_all(sums, "ram:TaxTotalAmount"),
        text(node, "ram:InvoiceCurrencyCode"),
        text(node, "ram:TaxCurrencyCode"),
    )
    return {
        "line_total": number(sums, "ram:LineTotalAmount"),
        "charge_total": number(sums, "ram:ChargeTotalAmount"),
        "allowance_total": number(sums, "ram:AllowanceTotalAmount"),
        "net_total": number(sums, "ram:TaxBasisTotalAmount"),
        "tax_total": tax_total,
        "tax_total_in_tax_currency": other,
        "rounding": number(sums, "ram:RoundingAmount"),
        "total": number(sums, "ram:GrandTotalAmount"),
        "prepaid": number(sums, "ram:TotalPrepaidAmount"),
        "payable": number(sums, "ram:DuePayableAmount"),
    }


def _line(node):
    """Return a line. Several discounts of it are added up, and then have no base and no percentage."""
    price = find(node, "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice")
    settlement = find(node, "ram:SpecifiedLineTradeSettlement")
    discounts = _adjustments(settlement, is_charge=False)
    only = discounts[0] if len(discounts) == 1 else None
    quantity = "ram:SpecifiedLineTradeDelivery/ram:BilledQuantity"
    return Line(
        id=text(node, "ram:AssociatedDocumentLineDocument/ram:LineID"),
        name=text(node, "ram:SpecifiedTradeProduct/ram:Name"),
        description=text(node, "ram:SpecifiedTradeProduct/ram:Description"),
        quantity=number(node, quantity),
        unit=attribute(node, quantity, "unitCode"),
        price=number(price, "ram:ChargeAmount"),
        price_quantity=number(price, "ram:BasisQuantity"),
        price_unit=attribute(price, "ram:BasisQuantity", "unitCode"),
        discount=one_or_sum(discounts, "ram:ActualAmount"),
        discount_base=number(only, "ram:BasisAmount"),
        discount_percent=number(only, "ram:CalculationPercent"),
        discount_reason=joined(discounts, "ram:Reason"),
        discount_reason_code=text(discounts[0], "ram:ReasonCode") if discounts else None,
        charge=one_or_sum(_adjustments(settlement, is_charge=True), "ram:ActualAmount"),
        net=number(
            settlement, "ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount"
        ),
        category=of_vat(
            settlement,
            "ram:ApplicableTradeTax/ram:CategoryCode",
            "ram:ApplicableTradeTax/ram:TypeCode",
        ),
        rate=number(settlement, "ram:ApplicableTradeTax/ram:RateApplicablePercent"),
        **_period(settlement),
    )
