"""What the settings of the organiser lack, and what that prevents: the one list behind every place that says so."""

from dataclasses import dataclass

from eventapi.validation.identifiers.organiser import faulty_options

# what can be prevented: sending invoices, public pages of shows, every mail
BLOCKS = SEND, PUBLIC, MAIL = ("send", "public", "mail")
CODES = (
    "no_name",
    "no_address",
    "no_tax_number",
    "no_tax_rate",
    "wrong_identifier",
    "no_email",
    "no_bank_account",
    "no_mail_server",
    "no_base_url",
)


@dataclass(frozen=True)
class Gap:
    """One thing that is missing.

    settings: names of the options to set or to correct; one of them is enough for `no_tax_number`. blocks: names of
    BLOCKS; nothing for `no_bank_account`, which is a warning of each invoice that asks for money.
    """

    code: str
    settings: tuple
    blocks: tuple


def of(config):
    """Return the Gaps of a configuration, in the order of CODES. `imprint_url` replaces an imprint of our own."""
    of_imprint = () if config.imprint_url else (PUBLIC,)
    needed = {
        "no_name": (_empty(config, "organiser_name"), (SEND, *of_imprint)),
        "no_address": (_empty(config, "organiser_street", "organiser_city"), (SEND, *of_imprint)),
        "no_tax_number": (_tax_numbers(config), (SEND,)),
        "no_tax_rate": (() if config.is_tax_rate_known else ("tax_rate",), (SEND,)),
        "wrong_identifier": (tuple(faulty_options(config)), (SEND,)),
        "no_email": (_empty(config, "organiser_email") if of_imprint else (), of_imprint),
        "no_bank_account": (_empty(config, "organiser_iban"), ()),
        "no_mail_server": (_empty(config, "smtp_host", "smtp_sender"), (MAIL,)),
        "no_base_url": (_empty(config, "base_url"), (PUBLIC,)),
    }
    return [Gap(code, *needed[code]) for code in CODES if needed[code][0]]


def _empty(config, *names):
    return tuple(name for name in names if not getattr(config, name))


def _tax_numbers(config):
    """Return both options if neither is set: the law requires one of them."""
    names = ("organiser_vat_id", "organiser_tax_number")
    return names if _empty(config, *names) == names else ()
