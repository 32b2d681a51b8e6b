"""The office of the organiser: a client of the application whose clock this program sets."""

from pathlib import Path

import webtest

from eventapi import config as configuration
from eventapi import times
from eventapi.app import App
from eventapi.reference.document import document
from eventapi.storage import migrations
from eventapi.storage.database import Database
from tests.books.bank import ACCOUNTS
from tests.support.client import SCOPES, Client, add_key

OPTIONS = {
    "organiser_name": "Messe Beispiel GmbH",
    "organiser_street": "Am Markt 1",
    "organiser_postal_code": "04109",
    "organiser_city": "Leipzig",
    "organiser_country": "DE",
    "organiser_email": "office@example.org",
    "organiser_vat_id": "DE136695976",
    "organiser_tax_number": "231/123/45678",
    "organiser_iban": ACCOUNTS["EUR"],
    "organiser_bic": "BYLADEM1001",
    "organiser_contact": "Ada Lovelace",
    "organiser_phone": "+49 341 123456",
    "organiser_register_number": "HRB 4711",
    "payment_days": "14",
    "currency": "EUR",
    "payment_reference": "rf",
    "bank_accounts": f"{ACCOUNTS['USD']}, {ACCOUNTS['CHF']}",
    "exchange_rates": "CHF=1.06 USD=0.92",
    "base_rates": "2025-01-01 2.27, 2025-07-01 1.27",
    "datev_adviser": "29098",
    "datev_client": "55003",
    "datev_chart": "03",
    "datev_debtor_base": "10000",
    "datev_bank": "1200",
    "datev_gateways": "bank=1200 card=1361",
    "datev_revenue": "S19=8400 S7=8300 AE=8337 K=8125 G=8120 E=8150 Z=8100 O=8200",
    "datev_fees": "4970",
    "datev_claims": "2700",
    "datev_deposits": "1593",
    "payment_tolerance": "0.05",
    "datev_write_offs": "S19=2406 S7=2401 AE=2400 K=2400 G=2400 E=2400 Z=2400 O=2400",
    "datev_exchange_gains": "2660",
    "datev_exchange_losses": "2150",
}


class Office:
    """A client with all scopes. `day` is the present, and `options` replace some of OPTIONS."""

    def __init__(self, folder, **options):
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.config_file = file = Path(folder) / "eventapi.conf"
        known = {option.name for option in configuration.OPTIONS}
        wanted = OPTIONS | options
        self.unknown = sorted(set(wanted) - known)
        lines = [f"{name} = {value}" for name, value in wanted.items() if name in known]
        file.write_text("\n".join(["[eventapi]", *lines, ""]), encoding="utf-8")
        self.config = configuration.load(
            environ={"EVENTAPI_DATA_DIR": str(folder), "EVENTAPI_CONFIG": str(file)}
        )
        self.day, times.now = "2025-01-01", lambda: f"{self.day}T09:00:00Z"
        migrations.migrate(self.config.database)
        db = Database(self.config)
        self.client = Client(webtest.TestApp(App(self.config)), add_key(db, SCOPES))
        db.close()
        self.operations = document(None)["paths"]

    def __call__(self, method, path, body=None, status=None, **options):
        """Return `data` of a response.

        Raise AssertionError unless it has one of the usual statuses.
        """
        response = self.client(method, path, body, status=status, **options)
        assert status or response.status_int < 300, (
            f"{method} {path}: {response.status} {response.text[:600]}"
        )
        return (
            response.json["data"]
            if response.content_type.endswith("json") and response.body
            else response
        )

    def file(self, path, **options):
        """Return the bytes of a response that is a file."""
        return self.client("GET", path, status=200, **options).body

    def every(self, path):
        """Return all records of a list."""
        found, page = [], 1
        while True:
            answer = self.client(
                "GET", f"{path}{'&' if '?' in path else '?'}page={page}&per_page=100", status=200
            ).json
            found += answer["data"]
            if len(answer["data"]) < 100:
                return found
            page += 1

    def has(self, method, path):
        """Return whether the application has an operation, such as POST /payments/import."""
        return method.lower() in self.operations.get(f"/api/v1{path}", {})
