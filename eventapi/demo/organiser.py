"""The sample organiser: its settings and its people.

A sample show has them. `make run EMPTY=1` writes the settings into its empty database, by `main`.
"""

from contextlib import closing

from eventapi import config as configuration
from eventapi.config.live import read
from eventapi.domain.access import people
from eventapi.domain.organiser import settings
from eventapi.storage.database import Database

# name, address before the domain, role; the first one is the owner
TEAM = (
    ("Katharina Lohmann", "katharina", "owner"),
    ("Tobias Ranft", "tobias", "office"),
    ("Mirjam Weidlich", "mirjam", "finance"),
)
# the seller on the invoices
SELLER = {
    "organiser_name": "Gartenmesse Lindenau GmbH",
    "organiser_street": "Ausstellungsweg 12",
    "organiser_postal_code": "04177",
    "organiser_city": "Leipzig",
    "organiser_contact": "Buchhaltung",
    "organiser_phone": "+49 341 5550100",
    "organiser_email": "office@messe.example",
    "organiser_register_number": "HRB 4711",
}
VAT_ID = {"organiser_vat_id": "DE136695976"}
TAX_NUMBER = {"organiser_tax_number": "231/123/45678"}
# of an organiser in Germany whose currency is the euro
GERMAN = {
    "organiser_register_court": "Amtsgericht Leipzig",
    "organiser_directors": "Jana Reinhardt, Tobias Kunze",
    "organiser_color": "#2f6f4f",
    "organiser_iban": "DE02120300000000202051",
    "organiser_bic": "BYLADEM1001",
    "exchange_rates": "CHF=1.06 USD=0.92",
    "base_rates": "2025-01-01 2.27, 2025-07-01 1.27, 2026-01-01 1.27, 2026-07-01 1.27",
    # Usual accounts of SKR03, so that GET /reports/datev has a file. Real ones are the tax adviser's.
    "datev_adviser": "29098",
    "datev_client": "55003",
    "datev_chart": "03",
    "datev_debtor_base": "10000",
    "datev_bank": "1200",
    "datev_gateways": "card=1361 wallet=1362 offset=1590",
    "datev_revenue": "S19=8400 S7=8300 Z=8120 E=8100 E_SMALL=8195 AE_HOME=8337 AE_EU=8336 "
    "AE_THIRD=8338 G=8120 K=8125 O_HOME=8200 O_THIRD=8338",
    "datev_write_offs": "S19=2406 S7=2401",
    "datev_fees": "4970",
}


def write(db):
    """Store the settings that neither the configuration nor the database has, in a transaction.

    db.config has them afterwards.
    """
    stored, _ = read(db)
    fitting = _fitting(db.config)
    missing = {
        name: text
        for name, text in fitting.items()
        if name not in stored and not db.config.live.is_closed(name)
    }
    settings.change(db, missing)
    db.follow()


def _fitting(config):
    """Return the settings that fit the country and the currency of a configuration."""
    is_german = config.organiser_country == "DE"
    has_number = config.organiser_vat_id or config.organiser_tax_number
    found = dict(SELLER)
    if is_german and config.currency == "EUR":
        return {**found, **VAT_ID, **TAX_NUMBER, **GERMAN}
    if not has_number:
        found |= VAT_ID if is_german else TAX_NUMBER
    return found


def invite(db, person):
    """Make the account of a person of TEAM, who has signed in, and return the id."""
    name, address, role = person
    id = people.invite(db, name, f"{address}@messe.example", role)
    people.record_sign_in(db, id)
    return id


def main():
    """Write the settings into a database that is new: nobody has done anything in it."""
    with closing(Database(configuration.load())) as db:
        db.follow()
        with db.write():
            if not people.all_people(db):
                write(db)


if __name__ == "__main__":
    main()
