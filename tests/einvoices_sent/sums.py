"""Compute the sums of an e-invoice again, from its XML, with code of its own.

The expectations are those of EN 16931: BR-CO-10 to BR-CO-16, and BT-131 = quantity × price less the
discount.
"""

import xml.etree.ElementTree as ET
from decimal import ROUND_HALF_UP, Decimal

RAM = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100}"


def texts(parent, path):
    return [node.text for node in parent.findall("/".join(RAM + part for part in path.split("/")))]


def number(parent, path):
    """Return the sum of the numbers at a path; 0 if there is none."""
    return sum(map(Decimal, texts(parent, path)), Decimal(0))


def rounded(value, currency):
    return value.quantize(Decimal(1) if currency == "JPY" else Decimal("0.01"), ROUND_HALF_UP)


def recomputed(xml):
    """Return {name: Decimal} of the sums that lines, discounts and rates result in, and those that
    the XML states.
    """
    root = ET.fromstring(xml)
    settlement = next(root.iter(f"{RAM}ApplicableHeaderTradeSettlement"))
    (currency,) = texts(settlement, "InvoiceCurrencyCode")
    groups, lines = {}, Decimal(0)
    for line in root.iter(f"{RAM}IncludedSupplyChainTradeLineItem"):
        net = line_net(line, currency)
        lines += net
        own = line.find(f"{RAM}SpecifiedLineTradeSettlement")
        count(groups, own, "ApplicableTradeTax", net)
    off = Decimal(0)
    for part in settlement.findall(f"{RAM}SpecifiedTradeAllowanceCharge"):
        amount = number(part, "ActualAmount")
        off += amount
        count(groups, part, "CategoryTradeTax", -amount)
    taxes = {key: rounded(net * key[1] / 100, currency) for key, net in groups.items()}
    total = lines - off + sum(taxes.values())
    summation = settlement.find(f"{RAM}SpecifiedTradeSettlementHeaderMonetarySummation")
    own = [
        node
        for node in summation.findall(f"{RAM}TaxTotalAmount")
        if node.get("currencyID") == currency
    ]
    prepaid = number(summation, "TotalPrepaidAmount")
    computed = {
        "lines": lines,
        "off": off,
        "net": lines - off,
        "tax": sum(taxes.values(), Decimal(0)),
        "total": total,
        "payable": total - prepaid,
        "groups": groups,
        "taxes": taxes,
    }
    stated = {
        "lines": number(summation, "LineTotalAmount"),
        "off": number(summation, "AllowanceTotalAmount"),
        "net": number(summation, "TaxBasisTotalAmount"),
        "tax": Decimal(own[0].text),
        "total": number(summation, "GrandTotalAmount"),
        "payable": number(summation, "DuePayableAmount"),
        "groups": {},
        "taxes": {},
    }
    for tax in settlement.findall(f"{RAM}ApplicableTradeTax"):
        key = texts(tax, "CategoryCode")[0], number(tax, "RateApplicablePercent")
        stated["groups"][key] = number(tax, "BasisAmount")
        stated["taxes"][key] = number(tax, "CalculatedAmount")
    return computed, stated


def line_net(line, currency):
    """Return the net amount of a line, and check what the line says about it."""
    price = number(line, "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount")
    quantity = number(line, "SpecifiedLineTradeDelivery/BilledQuantity")
    own = line.find(f"{RAM}SpecifiedLineTradeSettlement")
    percent = number(own, "SpecifiedTradeAllowanceCharge/CalculationPercent")
    net = rounded(quantity * price * (100 - percent) / 100, currency)
    # a discount that is told without percentage
    if not texts(own, "SpecifiedTradeAllowanceCharge/BasisAmount"):
        net -= number(own, "SpecifiedTradeAllowanceCharge/ActualAmount")
    assert net == number(own, "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount")
    if texts(own, "SpecifiedTradeAllowanceCharge/BasisAmount"):
        base = number(own, "SpecifiedTradeAllowanceCharge/BasisAmount")
        assert base == rounded(quantity * price, currency)
        assert base - number(own, "SpecifiedTradeAllowanceCharge/ActualAmount") == net
    return net


def count(groups, parent, name, net):
    """Add an amount to the group of its category and rate."""
    tax = parent.find(RAM + name)
    key = texts(tax, "CategoryCode")[0], number(tax, "RateApplicablePercent")
    groups[key] = groups.get(key, Decimal(0)) + net
