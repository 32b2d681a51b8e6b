"""Identifiers of the organiser in the configuration.

A wrong one does not prevent the start, but sending an invoice.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from eventapi import times
from eventapi.languages import countries
from eventapi.validation.identifiers.accounts import bic, compact, iban, looks_like_iban
from eventapi.validation.identifiers.companies import FORMATS, is_vat_id, vat_id, vat_id_by_format
from eventapi.validation.identifiers.electronic import electronic_address

if TYPE_CHECKING:
    from eventapi.config import Config

COUNTRIES = {"EL": "GR", "XI": "GB"}  # VAT prefix -> country code, where they differ
CHECKED = (
    "organiser_iban",
    "organiser_bic",
    "organiser_vat_id",
    "organiser_country",
    "organiser_electronic_address",
)
WITH_VAT_ID = {COUNTRIES.get(prefix, prefix) for prefix in FORMATS}


def faulty_options(config: Config) -> dict[str, str]:
    """Return {option: sentence} of the identifiers that are set and wrong.

    The sentence names value and cause.

    Sending an invoice counts these options as missing. Accounts and tax numbers of countries
    without IBAN or without a known format of VAT ids are not wrong, and nor are wrong check digits
    of a VAT id.
    """
    return {
        name: sentence
        for name, rule in _rules(config).items()
        if (sentence := rule and _fault(config, name, rule))
    }


def check(name: str, config: Config) -> None:
    """Raise ValueError if an identifier in CHECKED prevents invoices, or has wrong check digits."""
    text = getattr(config, name)
    rule = _rules(config)[name]
    if name == "organiser_vat_id" and vat_id_by_format(text):
        rule = vat_id
    if rule:
        rule(text)


def _rules(config):
    """Return {option: function that raises ValueError, or None if any text is allowed}."""
    account, code, vat = config.organiser_iban, config.organiser_bic, config.organiser_vat_id
    has_vat_id = config.organiser_country in WITH_VAT_ID and not vat_id_by_format(vat)
    return {
        "organiser_iban": iban if looks_like_iban(account) else None,
        "organiser_bic": bic if re.match("[A-Z]{6}", compact(code)) else None,
        "organiser_vat_id": vat_id if vat and has_vat_id else None,
        "organiser_country": None if config.organiser_country in countries.NAMES else _country,
        "organiser_electronic_address": electronic_address
        if config.organiser_electronic_address
        else None,
    }


def _country(text):
    raise ValueError(f"a country code (ISO 3166-1) such as {'GB' if text == 'UK' else 'DE'}")


def _fault(config, name, check):
    """Return the sentence about a wrong option, or None."""
    try:
        check(getattr(config, name))
    except ValueError as error:
        return f"{name} = {getattr(config, name)!r} must be {error}."
    return None


def doubtful_options(config: Config) -> dict[str, str]:
    """Return {option: sentence} of options that prevent no invoice, but do not fit together or are
    partly wrong.

    An organiser that is registered for VAT abroad has a VAT id with the prefix of another country.
    """
    return {**_doubtful_vat_id(config), **_wrong_accounts(config), **_old_base_rates(config)}


def _doubtful_vat_id(config):
    number = vat_id_by_format(config.organiser_vat_id)
    if not number:
        return {}
    if not is_vat_id(number):
        return {
            "organiser_vat_id": f"{_fault(config, 'organiser_vat_id', vat_id)} Invoices are sent all the same."
        }
    prefix = number[:2]
    if COUNTRIES.get(prefix, prefix) == config.organiser_country:
        return {}
    return {
        "organiser_vat_id": f"organiser_vat_id begins with {prefix}, but organiser_country is "
        f"{config.organiser_country}. Correct one of them, unless the organiser is registered for VAT abroad."
    }


def _old_base_rates(config):
    """Return {"base_rates": sentence} if the newest rate is older than the current half-year (§ 247
    (1) BGB).
    """
    today = times.today(config.timezone)
    half_year = f"{today[:4]}-{'01' if today[5:7] < '07' else '07'}-01"
    if not config.base_rates or config.base_rates[-1][0] >= half_year:
        return {}
    return {
        "base_rates": f"base_rates ends with the rate of {config.base_rates[-1][0]}. Add the rate that applies "
        f"from {half_year} on, also if it is the same."
    }


def _wrong_accounts(config):
    """Return {"bank_accounts": sentence} if one of the further accounts is wrong.

    It prevents no invoice. An account of a country without IBAN is not wrong.
    """
    for account in filter(looks_like_iban, config.bank_accounts):
        try:
            iban(account)
        except ValueError as error:
            return {
                "bank_accounts": f"bank_accounts has {account!r}, but each must be {error}. No statement of this "
                "account can be imported."
            }
    return {}


def place(config: Config, name: str) -> str:
    """Return where an option is corrected: its environment variable if it is set, because it counts
    first, or the settings of the desk.
    """
    if config.set_by[name] == "desk":
        return f"the settings ('eventapi settings set {name} VALUE')"
    variable = f"EVENTAPI_{name.upper()}"
    return (
        f"the variable {variable}"
        if variable in os.environ
        else str(config.file or "the environment")
    )
