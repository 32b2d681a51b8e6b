"""Configuration: all options with their defaults, parsers and descriptions.

Credentials of systemd override the file, and environment variables override both.
"""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from eventapi import working_days
from eventapi.errors import listed, suggestion
from eventapi.languages import choice
from eventapi.validation import config_files, identifiers
from eventapi.validation.identifiers import bookkeeping
from eventapi.validation.options import (
    accounts,
    address,
    amount,
    base_rates,
    check_decimals,
    color,
    country,
    currency,
    exchange_rates,
    folder,
    identifier,
    language,
    line,
    lines,
    mailbox,
    networks,
    number_format,
    one_of,
    optional_folder,
    optional_percent,
    origins,
    picture,
    public_holidays,
    small_business,
    tax_basis,
    value_on,
    web_address,
    whole,
    words,
    zone,
)

DEFAULT_FILE = Path("/etc/eventapi/eventapi.conf")


class ConfigError(Exception):
    """The configuration is not valid.

    Each of `faults` names the place, the option, the value and what is allowed.
    """

    def __init__(self, *faults):
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Option:
    """One option: its name, its default as text, its parser, and its description in
    eventapi.conf(5).
    """

    name: str
    default: str
    parse: object
    description: str


OPTIONS = [
    Option(
        "data_dir",
        "/var/lib/eventapi",
        folder,
        "Directory of the database eventapi.db and the folder files/.",
    ),
    Option(
        "base_url",
        "",
        web_address,
        "Public address of the service, used in links, feeds and mails. Empty: taken from each request, and "
        "newsletter mails can be requested from this machine only.",
    ),
    Option(
        "start_page",
        "docs",
        line,
        "Where the address / leads: docs, or the event_key of an event with public pages.",
    ),
    Option(
        "imprint_url",
        "",
        web_address,
        "Address of the imprint of the organiser, linked on each public page. Empty: a page made of the options "
        "organiser_...",
    ),
    Option(
        "privacy_url",
        "",
        web_address,
        "Address of the privacy notice of the organiser, linked on each public page. Empty: the text of the event.",
    ),
    Option(
        "bind",
        "127.0.0.1:8080",
        address,
        "Address to listen on: HOST:PORT, or unix:/path behind nginx.",
    ),
    Option(
        "public_bind",
        "no",
        one_of("no", "yes"),
        "Whether bind may be an address that other machines reach (no or yes). Without nginx in front, requests and "
        "keys are not encrypted, and slow clients are not kept away. Not possible with server = gthread.",
    ),
    Option(
        "trusted_proxies",
        "",
        networks,
        "Addresses or networks of reverse proxies that connect over TCP, separated by commas, such as 127.0.0.1. "
        "X-Real-IP, X-Forwarded-For and X-Forwarded-Proto are used only from them and on a unix socket. Empty: "
        "only on a unix socket.",
    ),
    Option(
        "workers",
        "2",
        whole(1, 64),
        "Number of server processes. Use the number of processor cores.",
    ),
    Option(
        "threads",
        "4",
        whole(2, 64),
        "Number of requests that one server process handles at the same time, at least 2: half of them may wait for "
        "slow clients.",
    ),
    Option(
        "server",
        "own",
        one_of("own", "gthread"),
        "Server inside gunicorn: own (less CPU per request, shared commits) or gthread (gunicorn's own threads, "
        "which idle connections can stop: only behind nginx).",
    ),
    Option(
        "timezone",
        "Europe/Berlin",
        zone,
        "Time zone for dates and for times without an offset, unless the event has its own.",
    ),
    Option("currency", "EUR", currency, "Default currency of invoices and prices."),
    Option(
        "organiser_name",
        "",
        line,
        "Name of the organiser, the sender of invoices and mails. Set it before you send the first invoice.",
    ),
    Option(
        "organiser_street",
        "",
        line,
        "Street and house number of the organiser. Invoices require it.",
    ),
    Option("organiser_postal_code", "", line, "Postal code of the organiser, printed on invoices."),
    Option("organiser_city", "", line, "City of the organiser. Invoices require it."),
    Option(
        "organiser_country",
        "DE",
        country,
        "Country code of the organiser (ISO 3166-1), printed on invoices.",
    ),
    Option(
        "language",
        "",
        language,
        "Language (de or en) of mails, documents and pictures whose record and contact have none. Empty: de if "
        "organiser_country is DE, AT, CH or LI, otherwise en.",
    ),
    Option("organiser_email", "", line, "Email address for customers, printed on invoices."),
    Option(
        "organiser_vat_id",
        "",
        identifier(identifiers.vat_id),
        "VAT ID of the organiser. Invoices require it or the tax number; reverse charge requires it. While its "
        "format is wrong, no invoice is sent.",
    ),
    Option(
        "organiser_tax_number",
        "",
        line,
        "Tax number of the organiser. Invoices require the VAT ID or the tax number.",
    ),
    Option(
        "organiser_iban",
        "",
        identifier(identifiers.iban),
        "IBAN of the account for payments, printed on invoices. While its check digits are wrong, no invoice is "
        "sent. In a country without IBAN, the number of the account.",
    ),
    Option(
        "bank_accounts",
        "",
        accounts,
        "Further IBANs of the organiser, separated by commas. Bank statements of organiser_iban and of these "
        "accounts can be imported. In a country without IBAN, the numbers of the accounts.",
    ),
    Option(
        "organiser_bic",
        "",
        identifier(identifiers.bic),
        "BIC of the bank, printed on invoices beside the IBAN. While it is wrong, no invoice is sent.",
    ),
    Option(
        "organiser_contact",
        "",
        line,
        "Name of the person or department that answers questions about invoices. XRechnung requires it.",
    ),
    Option(
        "organiser_phone",
        "",
        line,
        "Telephone number for questions about invoices. XRechnung requires it.",
    ),
    Option(
        "organiser_register_number",
        "",
        line,
        "Number of the organiser in a register of companies, such as HRB 4711, in e-invoices and on letters.",
    ),
    Option(
        "organiser_register_court",
        "",
        line,
        "Court or authority that keeps this register, such as Amtsgericht Leipzig, on letters and in mails.",
    ),
    Option(
        "organiser_directors",
        "",
        line,
        "Names of the managing directors, separated by commas, on letters and in mails.",
    ),
    Option(
        "organiser_footer",
        "",
        lines(3),
        "Further lines at the end of each page of a letter, at most 3, separated by ' | '.",
    ),
    Option(
        "organiser_electronic_address",
        "",
        line,
        "Electronic address of the organiser in e-invoices, as SCHEME:ID with a code of the EAS list, such as "
        "9930:DE136695976. Empty: organiser_email, but organiser_vat_id over Peppol.",
    ),
    Option(
        "organiser_logo",
        "",
        picture,
        "Path of the logo, a PNG or JPEG of at most 1 MiB, printed on letters, badges, plans and charts. Read at "
        "the start.",
    ),
    Option(
        "organiser_color",
        "#23694a",
        color,
        "Colour of titles and lines on letters, badges, plans and charts, such as #23694a.",
    ),
    Option(
        "invoice_number_format",
        "INV-{year}-{seq:05}",
        number_format,
        "Format of invoice numbers. They have no gaps within a year.",
    ),
    Option(
        "credit_note_number_format",
        "CN-{year}-{seq:05}",
        number_format,
        "Format of credit note numbers, a separate series without gaps.",
    ),
    Option(
        "payment_reference",
        "number",
        one_of("number", "rf"),
        "What payers quote: number (the invoice number) or rf (a creditor reference by ISO 11649, made from the "
        "number; not for a number with more than 21 letters and digits).",
    ),
    Option(
        "payment_days",
        "14",
        whole(0, 365),
        "Days from the issue date to the due date of an invoice, unless it has its own due date.",
    ),
    Option(
        "exchange_rates",
        "",
        exchange_rates,
        "Price of one unit of other currencies in the currency of this server, such as CHF=1.06 USD=0.92. Used when "
        "an invoice is sent that has no exchange rate of its own.",
    ),
    Option(
        "tax_basis",
        "supply",
        tax_basis,
        "When the VAT of an invoice counts: supply (in the month of the supply, or when money comes before it), "
        "payment (when money comes, § 20 UStG) or issue_date. A change has a date, such as supply, 2028-01-01 "
        "payment. Ask your tax adviser; sent invoices keep theirs.",
    ),
    Option(
        "small_business",
        "no",
        small_business,
        "Whether the organiser is a small business, whose invoices have no VAT (no or yes; § 19 UStG, § 6 (1) no. 27 "
        "UStG 1994, Art. 10 (2) MWSTG). Only with organiser_country DE, AT, CH or LI. A change has a date, such as "
        "yes, 2028-01-01 no; the last day of a supply decides. Ask your tax adviser.",
    ),
    Option(
        "base_rates",
        "",
        base_rates,
        "Base rates of the Deutsche Bundesbank in percent (§ 247 BGB), each with the date from which on it applies, "
        "separated by commas, such as 2026-01-01 1.27, 2026-07-01 1.27. Dunning levels with statutory interest "
        "require them.",
    ),
    Option(
        "payment_tolerance",
        "0.00",
        amount,
        "What a bank transfer with the number of an invoice may lack at most and still pay it, in the currency of "
        "this server. The rest is written off. An invoice in another currency counts with its exchange rate.",
    ),
    Option(
        "dunning_minimum",
        "5.00",
        amount,
        "Smallest open amount that is dunned, in the currency of this server. An invoice in another currency counts "
        "with its exchange rate.",
    ),
    Option(
        "interest_begins",
        "due_date",
        one_of("due_date", "first_letter", "thirty_days"),
        "From when on an overdue invoice bears interest: due_date (the day after it), first_letter (the day after "
        "the first dunning letter) or thirty_days (30 days after the due date). From consumers never before the "
        "first letter, or with interest_notice 30 days after the due date (§ 286 BGB). Ask a lawyer.",
    ),
    Option(
        "interest_notice",
        "no",
        one_of("no", "yes"),
        "Whether invoices to consumers say that they are in default 30 days after the due date without a reminder "
        "(no or yes; § 286 (3) BGB).",
    ),
    Option(
        "public_holidays",
        "",
        public_holidays,
        "Public holidays as MM-DD or easter+N (days after Easter Sunday, before it easter-N), separated by commas, "
        "such as 12-25, easter-2, easter+1. An invoice that is due on one, or on a Saturday or Sunday, is overdue "
        "after the next working day (§ 193 BGB). none for no holidays. Empty: those of the whole country for DE and "
        "AT, none for others.",
    ),
    Option(
        "tax_rate",
        "",
        optional_percent,
        "Default tax rate in percent. Empty: the standard rate of organiser_country, if that is in the EU, CH, LI, "
        "GB or NO. In other countries, invoices cannot be sent before it is set.",
    ),
    Option(
        "datev_adviser",
        "",
        bookkeeping.optional(whole(1001, 9999999)),
        "Number of the tax adviser at DATEV, for the file of GET /reports/datev, as the following options.",
    ),
    Option(
        "datev_client",
        "",
        bookkeeping.optional(whole(1, 99999)),
        "Number of the organiser at the tax adviser.",
    ),
    Option("datev_chart", "", bookkeeping.chart, "Chart of accounts: 03 (SKR03) or 04 (SKR04)."),
    Option(
        "datev_account_length",
        "4",
        whole(4, 8),
        "Digits of ledger accounts. Debtor accounts have one more.",
    ),
    Option(
        "datev_fiscal_year_start",
        "01-01",
        bookkeeping.first_of_month,
        "First day of the fiscal year, as MM-DD.",
    ),
    Option(
        "datev_debtor_base",
        "",
        bookkeeping.optional(whole(0, 699999999)),
        "Added to the digits of a customer number to get its debtor account: with 10000, C-00042 has the account "
        "10042. 0 if the customer numbers are the accounts.",
    ),
    Option(
        "datev_debtors",
        "",
        bookkeeping.debtor_accounts,
        "Debtor accounts of single customers, such as ACME=10777, where the customer number does not lead to one.",
    ),
    Option(
        "datev_bank",
        "",
        bookkeeping.ledger_account,
        "Account of payments without a gateway, and of those of bank statements, such as 1200.",
    ),
    Option(
        "datev_gateways",
        "",
        bookkeeping.gateway_accounts,
        "Accounts of the payments of gateways, such as card=1361 paypal=1362. Credit that pays another "
        "invoice has the gateway offset, a clearing account: offset=1590.",
    ),
    Option(
        "datev_revenue",
        "",
        bookkeeping.revenue_accounts,
        "Revenue accounts of the tax categories, S with its rate, such as S19=8400 AE=8336; a tax key may follow: "
        "8200:0003. AE_HOME, AE_EU and AE_THIRD count before AE, O_HOME and O_THIRD before O, by the region of the "
        "buyer. E_SMALL is E of the days of a small business.",
    ),
    Option(
        "datev_write_offs",
        "",
        bookkeeping.revenue_accounts,
        "Accounts of write-offs by the tax category of the invoice, as in datev_revenue, such as S19=2406 S7=2401.",
    ),
    Option(
        "datev_deposits",
        "",
        bookkeeping.ledger_account,
        "Account of deposits until money comes, without tax, such as 1593.",
    ),
    Option(
        "datev_fees",
        "",
        bookkeeping.ledger_account,
        "Account of the fees of gateways, such as 4970. Empty: fees are not exported.",
    ),
    Option(
        "datev_claims",
        "",
        bookkeeping.ledger_account,
        "Account of costs and interest that dunning letters claim, such as 2700. Empty: they are not exported.",
    ),
    Option(
        "datev_exchange_gains",
        "",
        bookkeeping.ledger_account,
        "Account of gains by exchange rates, such as 2660: a transfer brings more than the invoice in another "
        "currency says.",
    ),
    Option(
        "datev_exchange_losses",
        "",
        bookkeeping.ledger_account,
        "Account of losses by exchange rates, such as 2150.",
    ),
    Option(
        "max_upload_mb",
        "25",
        whole(1, 1024),
        "Largest file that can be uploaded, in MiB. nginx has its own limit; raise both.",
    ),
    Option(
        "max_import_mb",
        "64",
        whole(1, 1024),
        "Largest CSV file that can be imported, in MiB. nginx has its own limit; raise both.",
    ),
    Option("smtp_host", "", line, "Host name of the mail server. Empty: no mail is sent."),
    Option("smtp_port", "587", whole(1, 65535), "Port of the mail server."),
    Option(
        "smtp_security",
        "starttls",
        one_of("none", "starttls", "tls"),
        "Encryption to the mail server: none (only to localhost), starttls or tls.",
    ),
    Option("smtp_user", "", line, "User name at the mail server. Empty: no login."),
    Option(
        "smtp_password",
        "",
        line,
        "Password at the mail server. A systemd credential of this name keeps it out of this file.",
    ),
    Option("smtp_sender", "", mailbox, "Address that mails are sent from."),
    Option(
        "mail_signature",
        "",
        lines(6),
        "Lines below the greeting at the end of mails, at most 6, separated by ' | '. Empty: organiser_name.",
    ),
    Option(
        "mails_per_minute",
        "60",
        whole(1, 100000),
        "Most mails sent per minute. Keep it below the limit of your mail server.",
    ),
    Option(
        "webhook_allowed_networks",
        "",
        networks,
        "Private networks that webhooks may call, separated by commas, such as 10.1.0.0/16. Empty: none.",
    ),
    Option(
        "cors_origins",
        "",
        origins,
        "Origins of web pages that may call the API with keys whose scopes all end in `:create` or are `public`, "
        "separated by commas, such as https://www.example.org. Empty: none.",
    ),
    Option("audit_years", "10", whole(1, 100), "Years that audit entries are kept."),
    Option(
        "retention_years",
        "8",
        whole(1, 100),
        "Years that the law requires sent invoices to be kept, from the end of their year.",
    ),
    Option(
        "backup_dir",
        "",
        optional_folder,
        "Directory for nightly backups and backups before a migration. Empty: DATA_DIR/backups.",
    ),
    Option(
        "backup_keep_days",
        "14",
        whole(1, 3650),
        "Days that nightly backups and those of migrations are kept. The last five verified ones are kept longer.",
    ),
    Option(
        "backup_copy_command",
        "",
        words,
        "Command that copies each verified nightly backup to another machine, such as /usr/local/bin/copy-backup. "
        "It is run as the user of the service, without a shell, with the path of the backup as its last argument, "
        "and ended after an hour. Empty: no copy.",
    ),
    Option(
        "log_format",
        "logfmt",
        one_of("logfmt", "json"),
        "Form of the log: logfmt (name=value pairs) or json (one JSON object in each line).",
    ),
    Option(
        "log_level",
        "info",
        one_of("debug", "info", "warning", "error"),
        "Lowest level that is logged: debug, info, warning or error. info includes one line per request.",
    ),
]
SECRETS = ("smtp_password",)
PREFIX = "EVENTAPI_"
# Countries whose rules for small businesses the program knows
WITH_SMALL_BUSINESSES = ("DE", "AT", "CH", "LI")
# Variables that are no options: the path of the file, a flag of `eventapi serve`, address and key
# for clients, and the address and key of the package repository.
OTHER_VARIABLES = {
    "EVENTAPI_CONFIG",
    "EVENTAPI_WITH_WORKER",
    "EVENTAPI_URL",
    "EVENTAPI_KEY",
    "EVENTAPI_APT_URL",
    "EVENTAPI_SIGN_KEY",
}


class Config(SimpleNamespace):
    """The options as attributes, and the paths that follow from them."""

    @property
    def database(self):
        """The file of the database."""
        return self.data_dir / "eventapi.db"

    @property
    def files(self):
        """The folder of the stored files."""
        return self.data_dir / "files"

    @property
    def backups(self):
        """The folder of the backups."""
        return self.backup_dir or self.data_dir / "backups"

    def is_small_business(self, day):
        """Return whether the organiser is a small business on a day, the last one of a supply."""
        return value_on(self.small_business, day) == "yes"


def load(file=None, environ=os.environ, **given):
    """Return the configuration.

    Read `file`, else the file in EVENTAPI_CONFIG, else the default file if it exists. Credentials
    of systemd override the file, environment variables override both, and `given` (options of the
    command line) overrides all. Raise ConfigError, which names every unknown option or variable and
    every invalid value.
    """
    texts, faults = {option.name: (option.default, "default") for option in OPTIONS}, []
    path = Path(file or environ.get("EVENTAPI_CONFIG") or DEFAULT_FILE)
    is_read = bool(file or environ.get("EVENTAPI_CONFIG") or path.exists())
    if is_read:
        options, faults = config_files.read(_content(path), str(path), set(texts))
        faults += [
            f"{options[name][1]}: unknown option {name}{near}"
            for name, near in _unknown(options, set(texts))
        ]
        texts.update(options)
    texts.update(_from_credentials(environ.get("CREDENTIALS_DIRECTORY")))
    variables = {name.upper(): text for name, text in environ.items() if name.startswith(PREFIX)}
    known = {PREFIX + option.name.upper() for option in OPTIONS}
    faults += [
        f"unknown environment variable {name}{near}"
        for name, near in _unknown(variables.keys() - OTHER_VARIABLES, known)
    ]
    texts.update(
        (name.removeprefix(PREFIX).lower(), (text, f"environment variable {name}"))
        for name, text in variables.items()
    )
    texts.update((name, (str(value), f"--{name}")) for name, value in given.items())
    config = Config(
        **{option.name: _parsed(option, *texts[option.name], faults) for option in OPTIONS}
    )
    _check_amounts(config, texts, faults)
    _check_small_business(config, texts, faults)
    if faults:
        raise ConfigError(*sorted(faults, key=_line_number))
    config.file = Path(os.path.abspath(path)) if is_read else None
    config.language = config.language or choice.of_country(config.organiser_country)
    if config.tax_rate is None:
        config.tax_rate = bookkeeping.STANDARD_RATES.get(config.organiser_country)
    config.is_tax_rate_known, config.tax_rate = config.tax_rate is not None, config.tax_rate or 0
    if config.public_holidays is None:
        config.public_holidays = working_days.of_country(config.organiser_country)
    return config


def _line_number(fault):
    """Return the line of the file that a fault begins with; 0 for one without a line."""
    place = fault.partition(": ")[0].rpartition(":")[2]
    return int(place) if place.isdecimal() else 0


def _unknown(names, known):
    """Yield (name, advice) for each name that is not known."""
    for name in sorted(set(names) - known):
        yield name, suggestion(name, known) or "; see eventapi.conf(5) for all options"


def _content(path):
    """Return the text of the configuration file."""
    try:
        return path.read_text(encoding="utf-8")
    except PermissionError:
        raise ConfigError(
            f"cannot read the configuration file {path}: permission denied for the user {user()}, who "
            "runs the program; use sudo, or let this user read the file and enter its "
            "directory"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"cannot read the configuration file {path}: {error.strerror}; check the path, which "
            "--config or EVENTAPI_CONFIG names"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(
            f"cannot read the configuration file {path}: it is not UTF-8; save it as UTF-8"
        ) from None


def _from_credentials(folder):
    """Return name -> (text, path) of the options that are credentials of the unit (systemd.exec(5),
    LoadCredential=).

    Other credentials are ignored: the unit may have them for another program.
    """
    found = {}
    for option in OPTIONS if folder else ():
        path = Path(folder, option.name)
        try:
            found[option.name] = (path.read_text(encoding="utf-8"), str(path))
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise ConfigError(
                f"cannot read the credential {path}: {reason}; see LoadCredential= of the unit"
            ) from None
    return found


def user():
    """Return the name of the user of the operating system that runs the program."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container may have a user id without a name
        return f"uid {os.geteuid()}"


def _parsed(option, text, origin, faults):
    """Return the value of an option. Add a fault and return None if it is not valid."""
    try:
        return option.parse(text.strip())
    except ValueError as error:
        _add_fault(option, text, origin, error, faults)
        return None


def _check_amounts(config, texts, faults):
    """Add a fault for each amount with more decimals than the option `currency`, as far as both
    could be parsed.
    """
    for option in OPTIONS:
        number = getattr(config, option.name)
        if option.parse is not amount or number is None or config.currency is None:
            continue
        try:
            check_decimals(number, config.currency)
        except ValueError as error:
            _add_fault(option, *texts[option.name], error, faults)


def _check_small_business(config, texts, faults):
    """Add a fault if the organiser is a small business in a country whose rules are not known."""
    words = [word for _, word in config.small_business or ()]
    country = config.organiser_country
    if "yes" not in words or country is None or country in WITH_SMALL_BUSINESSES:
        return
    option = next(option for option in OPTIONS if option.name == "small_business")
    rule = (
        f"no while organiser_country is {country}: eventapi knows the rules for small businesses of "
        f"{listed(WITH_SMALL_BUSINESSES)} only"
    )
    _add_fault(option, *texts["small_business"], rule, faults)


def _add_fault(option, text, origin, error, faults):
    """Add the fault of a value. `error` says what is allowed."""
    shown = "(hidden)" if option.name in SECRETS else repr(text)
    faults.append(f"{origin}: {option.name} = {shown} must be {error}")
