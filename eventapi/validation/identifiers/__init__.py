"""Identifiers of accounts and companies: check digits, lengths and formats, and the canonical form
of each.
"""

from eventapi.validation.identifiers.accounts import bic, creditor_reference, iban, rf_reference
from eventapi.validation.identifiers.companies import (
    gln,
    is_vat_id,
    leitweg_id,
    looks_like_vat_id,
    tax_id,
    tidy_tax_id,
    vat_id,
)
from eventapi.validation.identifiers.electronic import electronic_address

__all__ = (
    "bic",
    "creditor_reference",
    "electronic_address",
    "gln",
    "iban",
    "is_vat_id",
    "leitweg_id",
    "looks_like_vat_id",
    "rf_reference",
    "tax_id",
    "tidy_tax_id",
    "vat_id",
)
