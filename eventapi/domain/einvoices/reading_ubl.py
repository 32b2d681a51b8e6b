"""Read the terms of an Invoice or a CreditNote of UBL 2."""

from eventapi.domain.einvoices.model import Allowance, Document, Line, Party, Tax
from eventapi.domain.einvoices.values import (
    attribute,
    content,
    day,
    find,
    find_all,
    joined,
    local_name,
    number,
    of_vat,
    one_or_sum,
    text,
    totals_of_tax,
)


def document(root):
    """Return the document of a root element.

    The first one counts where EN 16931 allows one element only.
    """
    name = local_name(root)  # Invoice or CreditNote
    means = find(root, "cac:PaymentMeans")
    due_date, seller = day(root, "cbc:DueDate"), find(root, "cac:AccountingSupplierParty/cac:Party")
    return Document(
        profile=text(root, "cbc:CustomizationID"),
        process=text(root, "cbc:ProfileID"),
        number=text(root, "cbc:ID"),
        issue_date=day(root, "cbc:IssueDate"),
        type_code=text(root, f"cbc:{name}TypeCode"),
        currency=text(root, "cbc:DocumentCurrencyCode"),
        tax_currency=text(root, "cbc:TaxCurrencyCode"),
        due_date=day(means, "cbc:PaymentDueDate") if due_date is None else due_date,
        buyer_reference=text(root, "cbc:BuyerReference"),
        order_reference=text(root, "cac:OrderReference/cbc:ID"),
        terms=text(root, "cac:PaymentTerms/cbc:Note"),
        notes=tuple(content(note) for note in find_all(root, "cbc:Note")),
        preceding=tuple(
            (text(node, "cbc:ID"), day(node, "cbc:IssueDate"))
            for node in find_all(root, "cac:BillingReference/cac:InvoiceDocumentReference")
        ),
        seller=_party(seller),
        creditor_id=None
        if find(means, "cac:PaymentMandate") is None
        else _creditor_id(seller, find(root, "cac:PayeeParty")),
        buyer=_party(find(root, "cac:AccountingCustomerParty/cac:Party")),
        representative_vat_id=_registration(find(root, "cac:TaxRepresentativeParty"), is_vat=True),
        allowances=tuple(_allowance(part) for part in _adjustments(root, is_charge=False)),
        charges=tuple(_allowance(part) for part in _adjustments(root, is_charge=True)),
        lines=tuple(_line(line, name) for line in find_all(root, f"cac:{name}Line")),
        **_period(root),
        **_delivery(find(root, "cac:Delivery")),
        **_payment(means),
        **_totals(root),
    )


def _party(node):
    address, contact = find(node, "cac:PostalAddress"), find(node, "cac:Contact")
    own_id = next((found for found in _ids(node) if found.get("schemeID") != "SEPA"), None)
    return Party(
        name=text(node, "cac:PartyLegalEntity/cbc:RegistrationName"),
        trading_name=text(node, "cac:PartyName/cbc:Name"),
        id=content(own_id),
        id_scheme=None if own_id is None else own_id.get("schemeID"),
        register_number=text(node, "cac:PartyLegalEntity/cbc:CompanyID"),
        vat_id=_registration(node, is_vat=True),
        tax_number=_registration(node, is_vat=False),
        address=text(node, "cbc:EndpointID"),
        address_scheme=attribute(node, "cbc:EndpointID", "schemeID"),
        street=text(address, "cbc:StreetName"),
        street_2=text(address, "cbc:AdditionalStreetName"),
        street_3=text(address, "cac:AddressLine/cbc:Line"),
        city=text(address, "cbc:CityName"),
        postal_code=text(address, "cbc:PostalZone"),
        region=text(address, "cbc:CountrySubentity"),
        country=text(address, "cac:Country/cbc:IdentificationCode"),
        contact_name=text(contact, "cbc:Name"),
        contact_phone=text(contact, "cbc:Telephone"),
        contact_email=text(contact, "cbc:ElectronicMail"),
    )


def _ids(node):
    """Return the ids of a party.

    One with the scheme SEPA is the creditor identifier of direct debits (BT-90).
    """
    return find_all(node, "cac:PartyIdentification/cbc:ID")


def _creditor_id(seller, payee):
    """Return the creditor identifier of the seller, otherwise that of the payee (BR-DE-30).

    Without a direct debit, it is only information.
    """
    ids = [*_ids(seller), *_ids(payee)]
    return next((content(found) for found in ids if found.get("schemeID") == "SEPA"), None)


def _registration(node, is_vat):
    """Return the VAT id (tax scheme VAT), or the national tax number (any other scheme)."""
    return next(
        (
            text(part, "cbc:CompanyID")
            for part in find_all(node, "cac:PartyTaxScheme")
            if (text(part, "cac:TaxScheme/cbc:ID") == "VAT") == is_vat
        ),
        None,
    )


def _period(node):
    return {
        "service_from": day(node, "cac:InvoicePeriod/cbc:StartDate"),
        "service_to": day(node, "cac:InvoicePeriod/cbc:EndDate"),
    }


def _delivery(node):
    address = find(node, "cac:DeliveryLocation/cac:Address")
    return {
        "service_date": day(node, "cbc:ActualDeliveryDate"),
        "deliver_to_city": text(address, "cbc:CityName"),
        "deliver_to_postal_code": text(address, "cbc:PostalZone"),
        "deliver_to_country": text(address, "cac:Country/cbc:IdentificationCode"),
    }


def _payment(means):
    account = find(means, "cac:PayeeFinancialAccount")
    return {
        "means_code": text(means, "cbc:PaymentMeansCode"),
        "remittance": text(means, "cbc:PaymentID"),
        "iban": text(account, "cbc:ID"),
        "account_name": text(account, "cbc:Name"),
        "bic": text(account, "cac:FinancialInstitutionBranch/cbc:ID"),
        "card_number": text(means, "cac:CardAccount/cbc:PrimaryAccountNumberID"),
        "mandate": text(means, "cac:PaymentMandate/cbc:ID"),
        "debited_iban": text(means, "cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID"),
    }


def _adjustments(node, is_charge):
    """Return the discounts or the charges of an element: what has no indicator is a discount."""
    return [
        part
        for part in find_all(node, "cac:AllowanceCharge")
        if (text(part, "cbc:ChargeIndicator") in ("true", "1")) == is_charge
    ]


def _allowance(node):
    return Allowance(
        amount=number(node, "cbc:Amount"),
        base=number(node, "cbc:BaseAmount"),
        percent=number(node, "cbc:MultiplierFactorNumeric"),
        category=of_vat(node, "cac:TaxCategory/cbc:ID", "cac:TaxCategory/cac:TaxScheme/cbc:ID"),
        rate=number(node, "cac:TaxCategory/cbc:Percent"),
        reason=text(node, "cbc:AllowanceChargeReason"),
        reason_code=text(node, "cbc:AllowanceChargeReasonCode"),
    )


def _totals(root):
    sums = find(root, "cac:LegalMonetaryTotal")
    tax_total, other = totals_of_tax(
        find_all(root, "cac:TaxTotal/cbc:TaxAmount"),
        text(root, "cbc:DocumentCurrencyCode"),
        text(root, "cbc:TaxCurrencyCode"),
    )
    return {
        "taxes": tuple(_tax(tax) for tax in find_all(root, "cac:TaxTotal/cac:TaxSubtotal")),
        "line_total": number(sums, "cbc:LineExtensionAmount"),
        "allowance_total": number(sums, "cbc:AllowanceTotalAmount"),
        "charge_total": number(sums, "cbc:ChargeTotalAmount"),
        "net_total": number(sums, "cbc:TaxExclusiveAmount"),
        "tax_total": tax_total,
        "tax_total_in_tax_currency": other,
        "total": number(sums, "cbc:TaxInclusiveAmount"),
        "prepaid": number(sums, "cbc:PrepaidAmount"),
        "rounding": number(sums, "cbc:PayableRoundingAmount"),
        "payable": number(sums, "cbc:PayableAmount"),
    }


def _tax(node):
    category = find(node, "cac:TaxCategory")
    return Tax(
        category=of_vat(category, "cbc:ID", "cac:TaxScheme/cbc:ID"),
        rate=number(category, "cbc:Percent"),
        net=number(node, "cbc:TaxableAmount"),
        tax=number(node, "cbc:TaxAmount"),
        reason=text(category, "cbc:TaxExemptionReason"),
        reason_code=text(category, "cbc:TaxExemptionReasonCode"),
    )


def _line(node, name):
    """Return a line. Several discounts of it are added up, and then have no base and no percentage."""
    quantity = "cbc:CreditedQuantity" if name == "CreditNote" else "cbc:InvoicedQuantity"
    item, price = find(node, "cac:Item"), find(node, "cac:Price")
    discounts = _adjustments(node, is_charge=False)
    only = discounts[0] if len(discounts) == 1 else None
    return Line(
        id=text(node, "cbc:ID"),
        name=text(item, "cbc:Name"),
        description=text(item, "cbc:Description"),
        quantity=number(node, quantity),
        unit=attribute(node, quantity, "unitCode"),
        price=number(price, "cbc:PriceAmount"),
        price_quantity=number(price, "cbc:BaseQuantity"),
        price_unit=attribute(price, "cbc:BaseQuantity", "unitCode"),
        discount=one_or_sum(discounts, "cbc:Amount"),
        discount_base=number(only, "cbc:BaseAmount"),
        discount_percent=number(only, "cbc:MultiplierFactorNumeric"),
        discount_reason=joined(discounts, "cbc:AllowanceChargeReason"),
        discount_reason_code=text(discounts[0], "cbc:AllowanceChargeReasonCode")
        if discounts
        else None,
        charge=one_or_sum(_adjustments(node, is_charge=True), "cbc:Amount"),
        net=number(node, "cbc:LineExtensionAmount"),
        category=of_vat(
            item,
            "cac:ClassifiedTaxCategory/cbc:ID",
            "cac:ClassifiedTaxCategory/cac:TaxScheme/cbc:ID",
        ),
        rate=number(item, "cac:ClassifiedTaxCategory/cbc:Percent"),
        **_period(node),
    )
