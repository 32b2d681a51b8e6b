"""What the configuration and the settings lack, as sentences for the administrator."""

from eventapi import config as configuration
from eventapi.domain.organiser import missing
from eventapi.validation.identifiers import organiser

REQUIRED = ("no_name", "no_address", "no_tax_number", "no_tax_rate")  # on every invoice


def sentences(config, program):
    """Yield what is missing or wrong, and what to do. `program` is how the program is called."""
    file = config.file or f"{configuration.DEFAULT_FILE}, or another file in EVENTAPI_CONFIG"
    setting = f"with '{program} settings set NAME VALUE', or in {file}"
    gaps = {gap.code: gap for gap in missing.of(config)}
    required = [name for code in REQUIRED if code in gaps for name in _names(gaps[code])]
    if required:
        options = ", ".join(required)
        yield f"Invoices cannot be sent before these options are set: {options}. Set them {setting}."
    for name, wrong in organiser.faulty_options(config).items():
        yield f"Invoices cannot be sent: {wrong} Correct it in {organiser.place(config, name)}."
    yield from organiser.doubtful_options(config).values()
    if "no_bank_account" in gaps:
        yield f"Invoices name no bank account. Set organiser_iban {setting}."
    if "no_email" in gaps:
        yield f"Pages of shows cannot be public. Set organiser_email or imprint_url {setting}."
    if "no_mail_server" in gaps:
        yield f"No mail is sent, because smtp_host or smtp_sender is not set in {file}."
    if "no_base_url" in gaps:
        yield f"Links in mails need the public address of the service: set base_url in {file}."


def _names(gap):
    if gap.code == "no_tax_number":
        return ["organiser_vat_id (or organiser_tax_number)"]
    return gap.settings
