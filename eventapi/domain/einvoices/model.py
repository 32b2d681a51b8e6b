"""The data model of EN 16931-1: one invoice or credit note, whichever syntax it is written in.

The comments give the number of each business term (BT) and business group (BG). Amounts, quantities
and rates are Decimals, dates are texts such as 2026-11-20, and None stands for a term that is
absent. A document that was read has an empty text where the XML has an empty element. Amounts of a
credit note (type 381) are positive, as the document shows them.
"""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Party:
    """The seller (BG-4) or the buyer (BG-7). The first number of a term is that of the seller."""

    name: str | None = None  # BT-27, BT-44
    trading_name: str | None = None  # BT-28, BT-45; we never write one, suppliers may
    id: str | None = None  # BT-29, BT-46
    id_scheme: str | None = None  # of `id`, ISO 6523; 0088 for a GLN
    register_number: str | None = None  # BT-30, BT-47
    vat_id: str | None = None  # BT-31, BT-48
    tax_number: str | None = None  # BT-32; the buyer has none
    address: str | None = None  # BT-34, BT-49: the electronic address
    address_scheme: str | None = None  # of `address`, a code of the list EAS
    street: str | None = None  # BT-35, BT-50
    street_2: str | None = None  # BT-36, BT-51
    street_3: str | None = None  # BT-162, BT-163
    city: str | None = None  # BT-37, BT-52
    postal_code: str | None = None  # BT-38, BT-53
    region: str | None = None  # BT-39, BT-54
    country: str | None = None  # BT-40, BT-55
    contact_name: str | None = None  # BT-41, BT-56
    contact_phone: str | None = None  # BT-42, BT-57
    contact_email: str | None = None  # BT-43, BT-58


@dataclass(frozen=True)
class Line:
    """A line of the invoice (BG-25)."""

    id: str | None = None  # BT-126
    name: str | None = None  # BT-153
    description: str | None = None  # BT-154
    quantity: Decimal | None = None  # BT-129
    unit: str | None = None  # BT-130, a code of UN/ECE Rec 20 or 21
    price: Decimal | None = None  # BT-146, net price of `price_quantity` units
    price_quantity: Decimal | None = None  # BT-149; None is 1
    price_unit: str | None = None  # BT-150; None is `unit`
    discount: Decimal | None = None  # BT-136
    discount_base: Decimal | None = None  # BT-137
    discount_percent: Decimal | None = None  # BT-138
    discount_reason: str | None = None  # BT-139
    discount_reason_code: str | None = None  # BT-140; we never write one, suppliers may
    charge: Decimal | None = None  # BT-141, the sum of the charges; we never write one
    net: Decimal | None = None  # BT-131
    category: str | None = None  # BT-151
    rate: Decimal | None = None  # BT-152; None in category O
    service_from: str | None = None  # BT-134
    service_to: str | None = None  # BT-135


@dataclass(frozen=True)
class Allowance:
    """A discount (BG-20) or a charge (BG-21) on the whole invoice.

    The first number of a term is that of a discount.
    """

    amount: Decimal | None = None  # BT-92, BT-99
    base: Decimal | None = None  # BT-93, BT-100
    percent: Decimal | None = None  # BT-94, BT-101
    category: str | None = None  # BT-95, BT-102
    rate: Decimal | None = None  # BT-96, BT-103
    reason: str | None = None  # BT-97, BT-104
    reason_code: str | None = None  # BT-98, BT-105


@dataclass(frozen=True)
class Tax:
    """The breakdown of one VAT category and rate (BG-23)."""

    category: str | None = None  # BT-118
    rate: Decimal | None = None  # BT-119
    net: Decimal | None = None  # BT-116
    tax: Decimal | None = None  # BT-117
    reason: str | None = None  # BT-120
    reason_code: str | None = None  # BT-121, a code of the list VATEX


@dataclass(frozen=True)
class Document:
    """An invoice (type 380, of a deposit 386) or a credit note (type 381)."""

    profile: str | None = None  # BT-24
    process: str | None = None  # BT-23
    number: str | None = None  # BT-1
    issue_date: str | None = None  # BT-2
    type_code: str | None = None  # BT-3
    currency: str | None = None  # BT-5
    tax_currency: str | None = None  # BT-6
    due_date: str | None = None  # BT-9
    buyer_reference: str | None = None  # BT-10
    order_reference: str | None = None  # BT-13
    terms: str | None = None  # BT-20
    notes: tuple[str, ...] = ()  # BT-22
    preceding: tuple[
        tuple[str | None, str | None], ...
    ] = ()  # BG-3: number and date (BT-25, BT-26) of each invoice
    seller: Party = Party()
    buyer: Party = Party()
    representative_vat_id: str | None = (
        None  # BT-63, of the seller's tax representative; we never write one
    )
    service_date: str | None = None  # BT-72
    service_from: str | None = None  # BT-73
    service_to: str | None = None  # BT-74
    deliver_to_city: str | None = None  # BT-77
    deliver_to_postal_code: str | None = None  # BT-78
    deliver_to_country: str | None = None  # BT-80
    means_code: str | None = None  # BT-81
    remittance: str | None = None  # BT-83
    iban: str | None = None  # BT-84; an account that has no IBAN too
    account_name: str | None = None  # BT-85
    bic: str | None = None  # BT-86
    card_number: str | None = None  # BT-87; we never write one, suppliers may
    mandate: str | None = None  # BT-89, of a direct debit; we never write one
    creditor_id: str | None = None  # BT-90, of the seller for direct debits; we never write one
    debited_iban: str | None = None  # BT-91; we never write one
    lines: tuple[Line, ...] = ()
    allowances: tuple[Allowance, ...] = ()  # BG-20
    charges: tuple[Allowance, ...] = ()  # BG-21; we never write one, suppliers may
    taxes: tuple[Tax, ...] = ()
    line_total: Decimal | None = None  # BT-106
    allowance_total: Decimal | None = None  # BT-107
    charge_total: Decimal | None = None  # BT-108; we never write one, suppliers may
    net_total: Decimal | None = None  # BT-109
    tax_total: Decimal | None = None  # BT-110
    tax_total_in_tax_currency: Decimal | None = None  # BT-111
    total: Decimal | None = None  # BT-112
    prepaid: Decimal | None = None  # BT-113
    rounding: Decimal | None = None  # BT-114; we never write one, suppliers may
    payable: Decimal | None = None  # BT-115

    @property
    def preceding_number(self):
        """Return the number of the first preceding invoice, or None."""
        return self.preceding[0][0] if self.preceding else None
