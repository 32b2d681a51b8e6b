"""The structure of CII and UBL: order and number of elements, empty elements, and amounts in
another currency.

The lists name the elements that carry terms of EN 16931. Elements that they do not name may stand
anywhere, since the schemas allow many more than the norm uses.
"""

from itertools import pairwise

from eventapi.domain.einvoices.values import local_name

CII = {
    "CrossIndustryInvoice": "ExchangedDocumentContext ExchangedDocument SupplyChainTradeTransaction",
    "ExchangedDocumentContext": "BusinessProcessSpecifiedDocumentContextParameter "
    "GuidelineSpecifiedDocumentContextParameter",
    "ExchangedDocument": "ID TypeCode IssueDateTime IncludedNote",
    "SupplyChainTradeTransaction": "IncludedSupplyChainTradeLineItem ApplicableHeaderTradeAgreement "
    "ApplicableHeaderTradeDelivery ApplicableHeaderTradeSettlement",
    "IncludedSupplyChainTradeLineItem": "AssociatedDocumentLineDocument SpecifiedTradeProduct "
    "SpecifiedLineTradeAgreement SpecifiedLineTradeDelivery "
    "SpecifiedLineTradeSettlement",
    "SpecifiedTradeProduct": "GlobalID SellerAssignedID BuyerAssignedID Name Description",
    "SpecifiedLineTradeAgreement": "GrossPriceProductTradePrice NetPriceProductTradePrice",
    "NetPriceProductTradePrice": "ChargeAmount BasisQuantity",
    "SpecifiedLineTradeSettlement": "ApplicableTradeTax BillingSpecifiedPeriod SpecifiedTradeAllowanceCharge "
    "SpecifiedTradeSettlementLineMonetarySummation",
    "SpecifiedTradeAllowanceCharge": "ChargeIndicator CalculationPercent BasisAmount ActualAmount ReasonCode Reason "
    "CategoryTradeTax",
    "ApplicableHeaderTradeAgreement": "BuyerReference SellerTradeParty BuyerTradeParty "
    "SellerTaxRepresentativeTradeParty SellerOrderReferencedDocument "
    "BuyerOrderReferencedDocument ContractReferencedDocument",
    **dict.fromkeys(
        ("SellerTradeParty", "BuyerTradeParty", "ShipToTradeParty"),
        "ID GlobalID Name Description SpecifiedLegalOrganization DefinedTradeContact PostalTradeAddress "
        "URIUniversalCommunication SpecifiedTaxRegistration",
    ),
    "DefinedTradeContact": "PersonName DepartmentName TelephoneUniversalCommunication EmailURIUniversalCommunication",
    "PostalTradeAddress": "PostcodeCode LineOne LineTwo LineThree CityName CountryID CountrySubDivisionName",
    "ApplicableHeaderTradeDelivery": "ShipToTradeParty ActualDeliverySupplyChainEvent",
    "ApplicableHeaderTradeSettlement": "CreditorReferenceID PaymentReference TaxCurrencyCode InvoiceCurrencyCode "
    "PayeeTradeParty SpecifiedTradeSettlementPaymentMeans ApplicableTradeTax "
    "BillingSpecifiedPeriod SpecifiedTradeAllowanceCharge "
    "SpecifiedTradePaymentTerms SpecifiedTradeSettlementHeaderMonetarySummation "
    "InvoiceReferencedDocument",
    "SpecifiedTradeSettlementPaymentMeans": "TypeCode Information ApplicableTradeSettlementFinancialCard "
    "PayerPartyDebtorFinancialAccount PayeePartyCreditorFinancialAccount "
    "PayeeSpecifiedCreditorFinancialInstitution",
    "PayeePartyCreditorFinancialAccount": "IBANID AccountName ProprietaryID",
    "ApplicableTradeTax": "CalculatedAmount TypeCode ExemptionReason BasisAmount CategoryCode ExemptionReasonCode "
    "TaxPointDate DueDateTypeCode RateApplicablePercent",
    "CategoryTradeTax": "TypeCode CategoryCode RateApplicablePercent",
    "BillingSpecifiedPeriod": "StartDateTime EndDateTime",
    "SpecifiedTradePaymentTerms": "Description DueDateDateTime DirectDebitMandateID",
    "SpecifiedTradeSettlementHeaderMonetarySummation": "LineTotalAmount ChargeTotalAmount AllowanceTotalAmount "
    "TaxBasisTotalAmount TaxTotalAmount RoundingAmount "
    "GrandTotalAmount TotalPrepaidAmount DuePayableAmount",
}
_PARTIES = (
    "InvoicePeriod OrderReference BillingReference AccountingSupplierParty AccountingCustomerParty PayeeParty "
    "TaxRepresentativeParty Delivery PaymentMeans PaymentTerms AllowanceCharge TaxTotal LegalMonetaryTotal"
)
_LINE = "ID Note {} LineExtensionAmount InvoicePeriod AllowanceCharge Item Price"
UBL = {
    "Invoice": "CustomizationID ProfileID ID IssueDate DueDate InvoiceTypeCode Note TaxPointDate DocumentCurrencyCode "
    f"TaxCurrencyCode AccountingCost BuyerReference {_PARTIES} InvoiceLine",
    "CreditNote": "CustomizationID ProfileID ID IssueDate TaxPointDate CreditNoteTypeCode Note DocumentCurrencyCode "
    f"TaxCurrencyCode AccountingCost BuyerReference {_PARTIES} CreditNoteLine",
    "InvoiceLine": _LINE.format("InvoicedQuantity"),
    "CreditNoteLine": _LINE.format("CreditedQuantity"),
    "InvoicePeriod": "StartDate EndDate",
    "Party": "EndpointID PartyIdentification PartyName PostalAddress PartyTaxScheme PartyLegalEntity Contact",
    **dict.fromkeys(
        ("PostalAddress", "Address"),
        "StreetName AdditionalStreetName CityName PostalZone CountrySubentity AddressLine Country",
    ),
    "PartyTaxScheme": "CompanyID TaxScheme",
    "PartyLegalEntity": "RegistrationName CompanyID CompanyLegalForm",
    "Contact": "Name Telephone ElectronicMail",
    "Delivery": "ActualDeliveryDate DeliveryLocation DeliveryParty",
    "PaymentMeans": "PaymentMeansCode PaymentDueDate PaymentID CardAccount PayeeFinancialAccount PaymentMandate",
    "PayeeFinancialAccount": "ID Name FinancialInstitutionBranch",
    "AllowanceCharge": "ChargeIndicator AllowanceChargeReasonCode AllowanceChargeReason MultiplierFactorNumeric Amount "
    "BaseAmount TaxCategory",
    "TaxTotal": "TaxAmount TaxSubtotal",
    "TaxSubtotal": "TaxableAmount TaxAmount TaxCategory",
    "TaxCategory": "ID Percent TaxExemptionReasonCode TaxExemptionReason TaxScheme",
    "LegalMonetaryTotal": "LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount "
    "ChargeTotalAmount PrepaidAmount PayableRoundingAmount PayableAmount",
    "Item": "Description Name ClassifiedTaxCategory",
    "ClassifiedTaxCategory": "ID Percent TaxScheme",
    "Price": "PriceAmount BaseQuantity AllowanceCharge",
}
ORDER = {
    parent: {child: place for place, child in enumerate(children.split())}
    for parent, children in {**CII, **UBL}.items()
}
# Those that may stand in their parent several times. Of all others, programs would read different
# ones.
REPEATABLE = frozenset(
    """
    AddressLine AllowanceCharge AllowanceChargeReason ApplicableTradeTax BillingReference CompanyLegalForm
    CreditNoteLine DefinedTradeContact Delivery Description ExemptionReason GlobalID IncludedNote
    IncludedSupplyChainTradeLineItem InvoiceLine InvoicePeriod InvoiceReferencedDocument Note PartyIdentification
    PartyLegalEntity PartyName PartyTaxScheme PayeeTradeParty PaymentID PaymentMeans PaymentTerms SellerAssignedID
    SpecifiedTaxRegistration SpecifiedTradeAllowanceCharge SpecifiedTradePaymentTerms
    SpecifiedTradeSettlementPaymentMeans TaxExemptionReason TaxSubtotal TaxTotal TaxTotalAmount
    URIUniversalCommunication""".split()
)


def misplaced(root):
    """Return what is wrong with the order or number of elements below the root, for the first
    fault, or None.
    """
    for parent in root.iter():
        name = local_name(parent)
        order = ORDER.get(name, {})
        known = [child for child in map(local_name, parent) if child in order]
        for before, after in pairwise(known):
            if order[before] > order[after]:
                return (
                    f"The XML has its elements in the wrong order: in {name}, {after} must stand before "
                    f"{before}. Ask the sender for a file that complies with the schema."
                )
            if before == after and not _is_repeatable(parent, after):
                return (
                    f"The XML has an element twice: in {name}, {after} may stand once, because it is not "
                    "certain which one counts. Ask the sender for a file that complies with the schema."
                )
    return None


def _is_repeatable(parent, name):
    return name in REPEATABLE or (name == "ID" and local_name(parent).endswith("TradeParty"))


def other_currency(root, allowed):
    """Return (name, currency) of the first amount whose currency is not one of those of the
    invoice, or None.
    """
    return next(
        (
            (local_name(node), node.get("currencyID"))
            for node in root.iter()
            if node.get("currencyID", next(iter(allowed))) not in allowed
        ),
        None,
    )


def has_undecided_adjustment(root):
    """Return whether an amount below the root does not say if it is a discount or a charge."""
    for node in root.iter():
        if local_name(node) in ("AllowanceCharge", "SpecifiedTradeAllowanceCharge"):
            indicators = [
                "".join(child.itertext()).strip()
                for child in node
                if local_name(child) == "ChargeIndicator"
            ]
            if not set(indicators) & {"true", "false", "1", "0"}:
                return True
    return False


def empty(root):
    """Return the name of the first element without content, or None.

    That of the delivery in CII may be empty.
    """
    return next(
        (
            name
            for node in root.iter()
            if not len(node)
            and not (node.text or "").strip()
            and (name := local_name(node)) != "ApplicableHeaderTradeDelivery"
        ),
        None,
    )
