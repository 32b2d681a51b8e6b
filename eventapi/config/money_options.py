"""The options about money: invoices, taxes, dunning, and the bookkeeping of DATEV."""

from eventapi.config.option import (
    BANK,
    BOOLEAN,
    DATEV,
    DUNNING,
    INVOICES,
    LIST,
    NUMBER,
    TAXES,
    Option,
)
from eventapi.validation.identifiers import bookkeeping
from eventapi.validation.options import (
    amount,
    base_rates,
    exchange_rates,
    number_format,
    one_of,
    optional_percent,
    public_holidays,
    small_business,
    tax_basis,
    whole,
)

OPTIONS = [
    Option(
        "invoice_number_format",
        "INV-{year}-{seq:05}",
        number_format,
        INVOICES,
        "Format of invoice numbers. They have no gaps within a year.",
    ),
    Option(
        "credit_note_number_format",
        "CN-{year}-{seq:05}",
        number_format,
        INVOICES,
        "Format of credit note numbers, a separate series without gaps.",
    ),
    Option(
        "payment_reference",
        "number",
        one_of("number", "rf"),
        BANK,
        "What payers quote: number (the invoice number) or rf (a creditor reference by ISO 11649, made from the "
        "number; not for a number with more than 21 letters and digits).",
    ),
    Option(
        "payment_days",
        "14",
        whole(0, 365),
        INVOICES,
        "Days from the issue date to the due date of an invoice, unless it has its own due date.",
        kind=NUMBER,
    ),
    Option(
        "exchange_rates",
        "",
        exchange_rates,
        TAXES,
        "Price of one unit of other currencies in the currency of this server, such as CHF=1.06 USD=0.92. Used "
        "when an invoice is sent that has no exchange rate of its own.",
        kind=LIST,
        separator=" ",
    ),
    Option(
        "tax_basis",
        "supply",
        tax_basis,
        TAXES,
        "When the VAT of an invoice counts: supply (in the month of the supply, or when money comes before it), "
        "payment (when money comes, § 20 UStG) or issue_date. A change has a date, such as supply, 2028-01-01 "
        "payment. Ask your tax adviser; sent invoices keep theirs.",
        kind=LIST,
    ),
    Option(
        "small_business",
        "no",
        small_business,
        TAXES,
        "Whether the organiser is a small business, whose invoices have no VAT (no or yes; § 19 UStG, § 6 (1) no. "
        "27 UStG 1994, Art. 10 (2) MWSTG). Only with organiser_country DE, AT, CH or LI. A change has a date, such "
        "as yes, 2028-01-01 no; the last day of a supply decides. Ask your tax adviser.",
        kind=LIST,
    ),
    Option(
        "base_rates",
        "",
        base_rates,
        DUNNING,
        "Base rates of the Deutsche Bundesbank in percent (§ 247 BGB), each with the date from which on it "
        "applies, separated by commas, such as 2026-01-01 1.27, 2026-07-01 1.27. Dunning levels with statutory "
        "interest require them.",
        kind=LIST,
    ),
    Option(
        "payment_tolerance",
        "0.00",
        amount,
        BANK,
        "What a bank transfer with the number of an invoice may lack at most and still pay it, in the currency of "
        "this server. The rest is written off. An invoice in another currency counts with its exchange rate.",
        kind=NUMBER,
    ),
    Option(
        "dunning_minimum",
        "5.00",
        amount,
        DUNNING,
        "Smallest open amount that is dunned, in the currency of this server. An invoice in another currency "
        "counts with its exchange rate.",
        kind=NUMBER,
    ),
    Option(
        "interest_begins",
        "due_date",
        one_of("due_date", "first_letter", "thirty_days"),
        DUNNING,
        "From when on an overdue invoice bears interest: due_date (the day after it), first_letter (the day after "
        "the first dunning letter) or thirty_days (30 days after the due date). From consumers never before the "
        "first letter, or with interest_notice 30 days after the due date (§ 286 BGB). Ask a lawyer.",
    ),
    Option(
        "interest_notice",
        "no",
        one_of("no", "yes"),
        INVOICES,
        "Whether invoices to consumers say that they are in default 30 days after the due date without a reminder "
        "(no or yes; § 286 (3) BGB).",
        kind=BOOLEAN,
    ),
    Option(
        "public_holidays",
        "",
        public_holidays,
        DUNNING,
        "Public holidays as MM-DD or easter+N (days after Easter Sunday, before it easter-N), separated by commas, "
        "such as 12-25, easter-2, easter+1. An invoice that is due on one, or on a Saturday or Sunday, is overdue "
        "after the next working day (§ 193 BGB). none for no holidays. Empty: those of the whole country for DE "
        "and AT, none for others.",
        kind=LIST,
    ),
    Option(
        "tax_rate",
        "",
        optional_percent,
        TAXES,
        "Default tax rate in percent. Empty: the standard rate of organiser_country, if that is in the EU, CH, LI, "
        "GB or NO. In other countries, invoices cannot be sent before it is set.",
        kind=NUMBER,
    ),
    Option(
        "datev_adviser",
        "",
        bookkeeping.optional(whole(1001, 9999999)),
        DATEV,
        "Number of the tax adviser at DATEV, for the file of GET /reports/datev, as the following options.",
        kind=NUMBER,
    ),
    Option(
        "datev_client",
        "",
        bookkeeping.optional(whole(1, 99999)),
        DATEV,
        "Number of the organiser at the tax adviser.",
        kind=NUMBER,
    ),
    Option(
        "datev_chart",
        "",
        bookkeeping.chart,
        DATEV,
        "Chart of accounts: 03 (SKR03) or 04 (SKR04).",
    ),
    Option(
        "datev_account_length",
        "4",
        whole(4, 8),
        DATEV,
        "Digits of ledger accounts. Debtor accounts have one more.",
        kind=NUMBER,
    ),
    Option(
        "datev_fiscal_year_start",
        "01-01",
        bookkeeping.first_of_month,
        DATEV,
        "First day of the fiscal year, as MM-DD.",
    ),
    Option(
        "datev_debtor_base",
        "",
        bookkeeping.optional(whole(0, 699999999)),
        DATEV,
        "Added to the digits of a customer number to get its debtor account: with 10000, C-00042 has the account "
        "10042. 0 if the customer numbers are the accounts.",
        kind=NUMBER,
    ),
    Option(
        "datev_debtors",
        "",
        bookkeeping.debtor_accounts,
        DATEV,
        "Debtor accounts of single customers, such as ACME=10777, where the customer number does not lead to one.",
        kind=LIST,
        separator=" ",
    ),
    Option(
        "datev_bank",
        "",
        bookkeeping.ledger_account,
        DATEV,
        "Account of payments without a gateway, and of those of bank statements, such as 1200.",
    ),
    Option(
        "datev_gateways",
        "",
        bookkeeping.gateway_accounts,
        DATEV,
        "Accounts of the payments of gateways, such as card=1361 paypal=1362. Credit that pays another invoice has "
        "the gateway offset, a clearing account: offset=1590.",
        kind=LIST,
        separator=" ",
    ),
    Option(
        "datev_revenue",
        "",
        bookkeeping.revenue_accounts,
        DATEV,
        "Revenue accounts of the tax categories, S with its rate, such as S19=8400 AE=8336; a tax key may follow: "
        "8200:0003. AE_HOME, AE_EU and AE_THIRD count before AE, O_HOME and O_THIRD before O, by the region of the "
        "buyer. E_SMALL is E of the days of a small business.",
        kind=LIST,
        separator=" ",
    ),
    Option(
        "datev_write_offs",
        "",
        bookkeeping.revenue_accounts,
        DATEV,
        "Accounts of write-offs by the tax category of the invoice, as in datev_revenue, such as S19=2406 S7=2401.",
        kind=LIST,
        separator=" ",
    ),
    Option(
        "datev_deposits",
        "",
        bookkeeping.ledger_account,
        DATEV,
        "Account of deposits until money comes, without tax, such as 1593.",
    ),
    Option(
        "datev_fees",
        "",
        bookkeeping.ledger_account,
        DATEV,
        "Account of the fees of gateways, such as 4970. Empty: fees are not exported.",
    ),
    Option(
        "datev_claims",
        "",
        bookkeeping.ledger_account,
        DATEV,
        "Account of costs and interest that dunning letters claim, such as 2700. Empty: they are not exported.",
    ),
    Option(
        "datev_exchange_gains",
        "",
        bookkeeping.ledger_account,
        DATEV,
        "Account of gains by exchange rates, such as 2660: a transfer brings more than the invoice in another "
        "currency says.",
    ),
    Option(
        "datev_exchange_losses",
        "",
        bookkeeping.ledger_account,
        DATEV,
        "Account of losses by exchange rates, such as 2150.",
    ),
]
