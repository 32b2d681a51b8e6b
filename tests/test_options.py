"""Options: each is changed on a page of the desk, or stays with the administrator."""

from eventapi.config import OPTIONS
from eventapi.config.option import ADMINISTRATOR, PAGES

# as the design of the settings names them
PAGE_OF = {
    "company": "organiser_name organiser_street organiser_postal_code organiser_city organiser_country organiser_email "
    "organiser_phone organiser_contact organiser_register_number organiser_register_court organiser_directors "
    "organiser_electronic_address language timezone currency",
    "bank": "organiser_iban organiser_bic bank_accounts payment_reference payment_tolerance",
    "taxes": "organiser_vat_id organiser_tax_number tax_rate tax_basis exchange_rates small_business",
    "invoices": "invoice_number_format credit_note_number_format payment_days interest_notice organiser_footer",
    "dunning": "dunning_minimum interest_begins base_rates public_holidays",
    "mails": "mail_signature",
    "look": "organiser_logo organiser_color start_page imprint_url privacy_url",
    "datev": "datev_adviser datev_client datev_chart datev_account_length datev_fiscal_year_start datev_debtor_base "
    "datev_debtors datev_bank datev_gateways datev_revenue datev_write_offs datev_deposits datev_fees datev_claims "
    "datev_exchange_gains datev_exchange_losses",
    "administrator": "data_dir base_url bind public_bind trusted_proxies workers threads server max_upload_mb "
    "max_import_mb smtp_host smtp_port smtp_security smtp_user smtp_password smtp_sender mails_per_minute "
    "webhook_allowed_networks cors_origins audit_years retention_years backup_dir backup_keep_days "
    "backup_copy_command log_format log_level",
}
KIND_OF = {
    "number": "workers threads max_upload_mb max_import_mb smtp_port mails_per_minute audit_years retention_years "
    "backup_keep_days payment_days payment_tolerance dunning_minimum tax_rate datev_adviser datev_client "
    "datev_account_length datev_debtor_base",
    "boolean": "public_bind interest_notice",
    "lines": "organiser_footer mail_signature",
    "list": "bank_accounts exchange_rates tax_basis small_business base_rates public_holidays datev_debtors "
    "datev_gateways datev_revenue datev_write_offs trusted_proxies webhook_allowed_networks cors_origins",
}


def test_each_option_has_a_page_of_the_desk_or_stays_with_the_administrator():
    for option in OPTIONS:
        assert option.page in (*PAGES, ADMINISTRATOR), option.name


def test_each_option_is_on_the_page_that_the_design_names():
    found = {}
    for option in OPTIONS:
        found.setdefault(option.page, set()).add(option.name)
    assert found == {page: set(names.split()) for page, names in PAGE_OF.items()}


def test_secrets_and_what_opens_the_network_are_no_settings():
    settings = {option.name for option in OPTIONS if option.is_setting}
    assert len(settings) == 57
    assert not settings & {"smtp_password", "webhook_allowed_networks", "cors_origins", "bind"}


def test_each_option_that_is_no_plain_text_has_its_kind():
    found = {}
    for option in OPTIONS:
        found.setdefault(option.kind, set()).add(option.name)
    del found["text"]
    assert found == {kind: set(names.split()) for kind, names in KIND_OF.items()}
