"""The amounts in e-invoices and in DATEV's files, read without code of the service."""

import csv
import io
from collections import defaultdict
from decimal import Decimal
from xml.etree import ElementTree

from tests.books.truth import rounded


def _stripped(data):
    root = ElementTree.fromstring(data)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _units(text):
    return rounded(Decimal(text))


def e_invoice(data):
    """Return {number, type, currency, groups, net, tax, total, lines} of an e-invoice in CII or
    UBL.

    Amounts are in hundredths, as the document shows them. `lines` is the sum of the lines less the
    discounts.
    """
    root = _stripped(data)
    return _cii(root) if root.tag == "CrossIndustryInvoice" else _ubl(root)


def _cii(root):
    settlement = root.find(".//ApplicableHeaderTradeSettlement")
    sums = settlement.find("SpecifiedTradeSettlementHeaderMonetarySummation")
    groups = {
        (tax.findtext("CategoryCode"), Decimal(tax.findtext("RateApplicablePercent") or 0)): (
            _units(tax.findtext("BasisAmount")),
            _units(tax.findtext("CalculatedAmount")),
        )
        for tax in settlement.findall("ApplicableTradeTax")
    }
    lines = sum(
        _units(line.text)
        for line in root.iterfind(
            ".//IncludedSupplyChainTradeLineItem//SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"
        )
    )
    discounts = sum(
        _units(part.text)
        for part in settlement.iterfind("SpecifiedTradeAllowanceCharge/ActualAmount")
    )
    currency = settlement.findtext("InvoiceCurrencyCode")
    taxes = {part.get("currencyID"): _units(part.text) for part in sums.findall("TaxTotalAmount")}
    return {
        "number": root.findtext("ExchangedDocument/ID"),
        "type": root.findtext("ExchangedDocument/TypeCode"),
        "currency": currency,
        "groups": groups,
        "lines": lines - discounts,
        "taxes": taxes,
        "net": _units(sums.findtext("TaxBasisTotalAmount")),
        "tax": taxes.get(currency, 0),
        "total": _units(sums.findtext("GrandTotalAmount")),
        "prepaid": _units(sums.findtext("TotalPrepaidAmount") or "0"),
        "payable": _units(sums.findtext("DuePayableAmount")),
    }


def _ubl(root):
    sums, currency = root.find("LegalMonetaryTotal"), root.findtext("DocumentCurrencyCode")
    taxes, groups = {}, {}
    for total in root.findall("TaxTotal"):
        amount = total.find("TaxAmount")
        taxes[amount.get("currencyID")] = _units(amount.text)
        for part in total.findall("TaxSubtotal"):
            groups[
                part.findtext("TaxCategory/ID"), Decimal(part.findtext("TaxCategory/Percent") or 0)
            ] = (_units(part.findtext("TaxableAmount")), _units(part.findtext("TaxAmount")))
    lines = sum(
        _units(line.text)
        for tag in ("InvoiceLine", "CreditNoteLine")
        for line in root.iterfind(f"{tag}/LineExtensionAmount")
    )
    discounts = sum(_units(part.findtext("Amount")) for part in root.findall("AllowanceCharge"))
    return {
        "number": root.findtext("ID"),
        "type": root.findtext("InvoiceTypeCode") or root.findtext("CreditNoteTypeCode"),
        "currency": currency,
        "groups": groups,
        "lines": lines - discounts,
        "taxes": taxes,
        "tax": taxes.get(currency, 0),
        "net": _units(sums.findtext("TaxExclusiveAmount")),
        "total": _units(sums.findtext("TaxInclusiveAmount")),
        "prepaid": _units(sums.findtext("PrepaidAmount") or "0"),
        "payable": _units(sums.findtext("PayableAmount")),
    }


def datev(data, base="EUR"):
    """Return ({(account, currency): balance in hundredths}, [(account, contra account, currency,
    amount, base amount)]) of a booking batch.

    A debit is positive. Every line debits one account and credits another one with the same amount.
    """
    rows = list(csv.reader(io.StringIO(data.decode("cp1252"), newline=""), delimiter=";"))
    balances, foreign = defaultdict(int), []
    for row in rows[2:]:
        units, currency = _units(row[0].replace(",", ".")), row[2] or base
        sign = {"S": 1, "H": -1}[row[1]]
        balances[row[6], currency] += sign * units
        balances[row[7], currency] -= sign * units
        if row[4]:
            foreign.append((row[6], row[7], currency, units, _units(row[4].replace(",", "."))))
    return dict(balances), foreign


def tax_periods(data, rates, base="EUR"):
    """Return {(month, currency, rate): (gross amount, the same in `base`)} of a booking batch by
    column 116.

    `rates`: account -> rate.
    """
    found = defaultdict(lambda: (0, 0))
    for row in list(csv.reader(io.StringIO(data.decode("cp1252"), newline=""), delimiter=";"))[2:]:
        day = row[115]
        units, worth = (_units(field.replace(",", ".")) for field in (row[0], row[4] or row[0]))
        side = {"S": -1, "H": 1}[row[1]]
        for account, sign in ((row[6], side), (row[7], -side)):
            if day and account in rates:
                key = f"{day[4:]}-{day[2:4]}", row[2] or base, rates[account]
                before, worth_before = found[key]
                found[key] = before + sign * units, worth_before + sign * worth
    return found


def audit_table(archive, name):
    """Return the rows of a table in the export for a tax audit (a ZipFile), as dicts of texts."""
    index = ElementTree.fromstring(archive.read("index.xml"))
    table = next(table for table in index.iter("Table") if table.findtext("Name") == name)
    text = archive.read(table.findtext("URL")).decode("utf-8")
    return list(
        csv.DictReader(
            io.StringIO(text, newline=""), delimiter=table.findtext(".//ColumnDelimiter")
        )
    )


def reasons(data):
    """Return {category: reason for no tax (BT-120)} of an e-invoice in CII."""
    settlement = _stripped(data).find(".//ApplicableHeaderTradeSettlement")
    return {
        tax.findtext("CategoryCode"): tax.findtext("ExemptionReason")
        for tax in settlement.findall("ApplicableTradeTax")
    }


def vat_ids(data):
    """Return {VAT id in column 40: accounts that its bookings name} of a booking batch."""
    found = defaultdict(set)
    for row in list(csv.reader(io.StringIO(data.decode("cp1252"), newline=""), delimiter=";"))[2:]:
        if row[39]:
            found[row[39]] |= {row[6], row[7]}
    return dict(found)
