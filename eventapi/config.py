"""Configuration: every option with its default, what is allowed and why it is there. Environment over file."""
import configparser
import ipaddress
import logging
import os
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import SimpleNamespace

from eventapi import money, times
from eventapi.formats import EMAIL

DEFAULT_FILE = Path("/etc/eventapi/eventapi.conf")


class ConfigError(Exception):
    """A value that cannot be used; the text names the option and what is allowed."""


# Parsers: text -> value; ValueError says what is allowed

def line(text):
    return text


def folder(text):
    if not text:
        raise ValueError("a directory")
    return Path(text)


def optional_folder(text):
    return Path(text) if text else None


def address(text):
    if not re.fullmatch(r"unix:/\S+|(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}", text):
        raise ValueError("HOST:PORT or unix:/path")
    return text


def web_address(text):
    if text and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", text):
        raise ValueError("an address such as https://events.example.org, or nothing")
    return text.rstrip("/")


def whole(low, high):
    def parse(text):
        if not re.fullmatch(r"\d{1,9}", text) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)
    return parse


def percent(text):
    """Percent with at most two decimals, as hundredths."""
    try:
        rate = money.scaled(Decimal(text), 2)
    except InvalidOperation:
        rate = None
    if rate is None or not 0 <= rate <= 10000:
        raise ValueError("a percentage from 0 to 100 with at most two decimals")
    return rate


def zone(text):
    if not times.is_zone(text):
        raise ValueError("an IANA time zone such as Europe/Berlin (is tzdata installed?)")
    return text


def currency(text):
    if text not in money.CURRENCIES:
        raise ValueError("an ISO 4217 code such as EUR")
    return text


def country(text):
    if not re.fullmatch(r"[A-Z]{2}", text):
        raise ValueError("an ISO 3166-1 code such as DE")
    return text


def number_format(text):
    if not re.fullmatch(r"[\w./{}: -]{1,60}", text) or "{seq" not in text or "{year}" not in text:
        raise ValueError("text with {year} and {seq} or {seq:05} in it")
    try:
        text.format(year=2026, seq=1)
    except (KeyError, ValueError, IndexError):
        raise ValueError("text with {year} and {seq} or {seq:05} in it") from None
    return text


def one_of(*words):
    def parse(text):
        if text.lower() not in words:
            raise ValueError("one of " + ", ".join(words))
        return text.lower()
    return parse


def mailbox(text):
    if text and not EMAIL.fullmatch(text):
        raise ValueError("an e-mail address such as office@example.org, or nothing")
    return text


def networks(text):
    try:
        return tuple(ipaddress.ip_network(part) for part in re.split(r"[\s,]+", text) if part)
    except ValueError:
        raise ValueError("networks such as 10.1.0.0/16, separated by commas") from None


@dataclass(frozen=True)
class Option:
    name: str
    default: str
    parse: object
    why: str


OPTIONS = [
    Option("data_dir", "/var/lib/eventapi", folder, "Where the database eventapi.db and the folder files/ live."),
    Option("base_url", "", web_address, "The public address; it stands in links, feeds and mails. Empty: taken from each request."),
    Option("bind", "127.0.0.1:8080", address, "Where the server listens: HOST:PORT, or unix:/path behind nginx."),
    Option("workers", "2", whole(1, 64), "Server processes; as many as processor cores."),
    Option("threads", "4", whole(1, 64), "Requests that one process answers at once."),
    Option("timezone", "Europe/Berlin", zone, "For bare days and for times without offset, where no event says otherwise."),
    Option("currency", "EUR", currency, "Of invoices and prices that name none."),
    Option("organiser_name", "", line, "Who you are: the sender on invoices. Set it before you send the first one."),
    Option("organiser_street", "", line, "Street and number on invoices."),
    Option("organiser_postal_code", "", line, "Postal code on invoices."),
    Option("organiser_city", "", line, "City on invoices."),
    Option("organiser_country", "DE", country, "Country code on invoices."),
    Option("organiser_email", "", line, "Where customers reach you; printed on invoices."),
    Option("organiser_vat_id", "", line, "VAT id; invoices need it or the tax number."),
    Option("organiser_tax_number", "", line, "Tax number; invoices need it or the VAT id."),
    Option("organiser_iban", "", line, "Bank account for payments, printed on invoices."),
    Option("organiser_bic", "", line, "The bank's BIC, printed beside the IBAN."),
    Option("invoice_number_format", "INV-{year}-{seq:05}", number_format, "How invoices are numbered, without gaps per year."),
    Option("credit_note_number_format", "CN-{year}-{seq:05}", number_format, "How credit notes are numbered, in a series of their own."),
    Option("payment_days", "14", whole(0, 365), "Days until an invoice is due, when it names no date."),
    Option("tax_rate", "19", percent, "Tax rate in percent, where nothing else is said."),
    Option("max_upload_mb", "25", whole(1, 1024), "Largest file that may be uploaded; nginx has a limit of its own to raise along."),
    Option("max_import_mb", "64", whole(1, 1024), "Largest CSV that may be imported."),
    Option("smtp_host", "", line, "Mail server. Empty: no mail is sent."),
    Option("smtp_port", "587", whole(1, 65535), "Port of the mail server."),
    Option("smtp_security", "starttls", one_of("none", "starttls", "tls"), "none only towards this very machine."),
    Option("smtp_user", "", line, "Login at the mail server; empty for none."),
    Option("smtp_password", "", line, "Better set as EVENTAPI_SMTP_PASSWORD than in a file."),
    Option("smtp_sender", "", mailbox, "Address that mails come from."),
    Option("mails_per_minute", "60", whole(1, 100000), "What your mail server lets through without calling it spam."),
    Option("webhook_allowed_networks", "", networks, "Private networks that webhooks may call, such as 10.1.0.0/16. Empty: none."),
    Option("audit_years", "10", whole(1, 100), "How long the audit log is kept."),
    Option("retention_years", "8", whole(1, 100), "How long the law wants sent invoices kept, from the end of their year."),
    Option("backup_dir", "", optional_folder, "Where backups before a migration go. Empty: DATA_DIR/backups."),
    Option("backup_keep_days", "14", whole(1, 3650), "How long nightly backups are kept."),
    Option("log_level", "info", one_of("debug", "info", "warning", "error"), "info writes one line a request."),
]
SECRETS = ("smtp_password",)


class Config(SimpleNamespace):
    """The options as attributes."""

    @property
    def database(self):
        return self.data_dir / "eventapi.db"

    @property
    def files(self):
        return self.data_dir / "files"

    @property
    def backups(self):
        return self.backup_dir or self.data_dir / "backups"


def load(file=None, environ=os.environ, **given):
    """The configuration from file (or EVENTAPI_CONFIG, or the default one where it exists), environment, and `given`, the last word."""
    texts = {option.name: (option.default, "the default") for option in OPTIONS}
    path = Path(file or environ.get("EVENTAPI_CONFIG") or DEFAULT_FILE)
    if file or environ.get("EVENTAPI_CONFIG") or path.exists():
        texts.update(_from_file(path))
    for name in texts:
        variable = f"EVENTAPI_{name.upper()}"
        if variable in environ:
            texts[name] = (environ[variable], f"the environment variable {variable}")
    texts.update((name, (str(value), "the command line")) for name, value in given.items())
    config = Config(**{option.name: _parsed(option, *texts[option.name]) for option in OPTIONS})
    return config


def _from_file(path):
    parser = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=None)
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from None
    except (configparser.Error, UnicodeDecodeError) as error:
        raise ConfigError(f"the configuration {path} is not readable: {str(error).splitlines()[0]}") from None
    strange = [name for name in parser.sections() if name != "eventapi"]
    if strange or not parser.has_section("eventapi"):
        raise ConfigError(f"the configuration {path} must have one section, [eventapi]")
    options = dict(parser["eventapi"])
    known = {option.name for option in OPTIONS}
    unknown = sorted(options.keys() - known)
    if unknown:
        from difflib import get_close_matches
        near = get_close_matches(unknown[0], known, 1)
        raise ConfigError(f"{path}: unknown option {unknown[0]}" + (f"; did you mean {near[0]}?" if near else ""))
    return {name: (value.strip(), str(path)) for name, value in options.items()}


def _parsed(option, text, origin):
    try:
        return option.parse(text.strip())
    except ValueError as error:
        shown = "(hidden)" if option.name in SECRETS else repr(text)
        raise ConfigError(f"{option.name} = {shown} in {origin}: must be {error}") from None


def start_logging(config):
    logging.basicConfig(level=config.log_level.upper(), format="%(levelname)s %(name)s %(message)s")
