"""Create a database of a show of five years by SQL: python3 tests/load/seed.py small|medium|big
FOLDER.

`small` has 10,000 contacts and 10,000 payments (60 MB, seconds), `big` 1,000,000 contacts, 500,000
participants, 250,000 invoices, 1,000,000 payments, 300,000 check-ins and 2,200,000 audit entries (4
GB, some minutes). `medium` has a fifth of that. `eventapi check` finds nothing in them. Two runs on
one day write the same rows, except for the API key, which has all scopes and is in
FOLDER/keys.json.

Most rows are written with the schema of migration 19. Then all later migrations run and carry the
rows along, as in an old installation, so that the seed also shows how long migrations take. What
later migrations have added is written at the end, with the present schema.
"""

import json
import os
import secrets
import sqlite3
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("EVENTAPI_LOG_LEVEL", "error")

from eventapi import config as configuration
from eventapi import times
from eventapi.domain.access import api_keys
from eventapi.storage import database, maintenance, migrations
from tests.load.seeding import entrance, halls, history, money, office, people, recent
from tests.load.seeding.tables import put, say, without_indexes
from tests.load.seeding.words import timestamp

SCHEMA = 19
SIZES = {
    "small": {
        "contacts": 10_000,
        "events": 4,
        "people": 5_000,
        "invoices": 5_000,
        "payments": 10_000,
        "audit": 30_000,
        "visits": 3_000,
        "notes": 1_000,
        "tasks": 500,
        "booths": 60,
        "orders": 400,
        "submissions": 400,
        "applications": 500,
        "subscribers": 1_000,
        "outgoing": 1_000,
        "documents": 400,
        "slots": 100,
        "mails": 200,
        "transfers": 500,
        "letters": 30,
        "deliveries": 500,
    },
    "big": {
        "contacts": 1_000_000,
        "events": 20,
        "people": 500_000,
        "invoices": 250_000,
        "payments": 1_000_000,
        "audit": 2_200_000,
        "visits": 300_000,
        "notes": 100_000,
        "tasks": 50_000,
        "booths": 600,
        "orders": 20_000,
        "submissions": 20_000,
        "applications": 30_000,
        "subscribers": 100_000,
        "outgoing": 60_000,
        "documents": 20_000,
        "slots": 4_000,
        "mails": 20_000,
        "transfers": 50_000,
        "letters": 2_000,
        "deliveries": 50_000,
    },
}
SIZES["medium"] = {
    name: many if name in ("events", "booths") else many // 5 for name, many in SIZES["big"].items()
}


def main(size, folder):
    began = time.time()
    os.makedirs(folder, exist_ok=True)
    config = configuration.load(None, data_dir=folder)
    if config.database.exists():
        sys.exit(f"{config.database} exists. Name a new folder, or delete it.")
    migrations.migrate(config.database, last=SCHEMA)
    show = SimpleNamespace(**SIZES[size], participants=[], exhibitors={}, shown=[])
    show.days = halls.days_of_events(show)
    keys = fill_old_tables(config, show)
    Path(folder, "keys.json").write_text(json.dumps(keys), encoding="utf-8")
    migrations.migrate(config.database)
    say("migrations")
    fill_new_tables(config, show)
    megabytes = config.database.stat().st_size / 1e6
    print(f"{time.time() - began:7.1f} s in all, {megabytes:.0f} MB in {config.database}")


def fill_old_tables(config, show):
    """Fill the tables of the old schema. Return the content of keys.json."""
    connection = sqlite3.connect(config.database, isolation_level=None)
    with without_indexes(connection):
        key = fill_access(connection)
        halls.fill_events(connection, show)
        halls.fill_services(connection, show)
        people.fill_people(connection, show)
        show.shown = [(event, id) for event in show.exhibitors for id in show.exhibitors[event]]
        halls.fill_booths(connection, show)
        halls.fill_orders(connection, show)
        money.fill_gateways(connection)
        money.fill_money(connection, show)
        office.fill_submissions(connection, show)
        office.fill_documents(connection, show)
        people.fill_applications(connection, show)
        office.fill_notes(connection, show)
        office.fill_tasks(connection, show)
        halls.fill_programme(connection, show)
        people.fill_newsletter(connection, show)
        office.fill_mails(connection, show)
        entrance.fill_visits(connection, show)
        history.fill_outgoing_events(connection, show)
        history.fill_audit_log(connection, show)
    connection.close()
    return {"key": key}


def fill_access(connection):
    """Add eight admins with a key each. Return the first key, which has all scopes."""
    key, now = f"evk_{secrets.token_urlsafe(32)}", times.now()
    put(
        connection,
        "admins",
        "id,name,created_at,updated_at",
        [(id, f"Admin {id}", timestamp(0), timestamp(0)) for id in range(1, 9)],
    )
    put(
        connection,
        "api_keys",
        "id,admin_id,name,key_hash,scopes,created_at,last_used_at",
        [
            (1, 1, "all", api_keys.key_hash(key), " ".join(api_keys.SCOPES), timestamp(0), now),
            *(
                (id, id, f"key {id}", f"{id:064}", "contacts", timestamp(0), now)
                for id in range(2, 9)
            ),
        ],
    )
    return key


def fill_new_tables(config, show):
    db = database.Database(config)
    recent.fill_links(db, show)
    recent.fill_bank(db, show)
    recent.fill_dunning(db, show)
    recent.fill_webhooks(db, show)
    recent.close_first_year(db)
    maintenance.analyze(db)
    db.close()
    say("statistics")


if __name__ == "__main__":
    main(*sys.argv[1:])
