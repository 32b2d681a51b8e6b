"""Convert the seeded database of the benchmark to a database of eventapi: python3 import_seed.py
BENCH_DB DATA_DIR.

Issues two keys and writes them to vars.json beside BENCH_DB (or in BENCH_DIR). Amounts and records
equal those of the other candidates.
"""

import json
import os
import secrets
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eventapi import times
from eventapi.plugins.authentication import key_hash
from eventapi.storage import database, migrations

COPY = """
INSERT INTO admins (id, name, created_at, updated_at) VALUES (1, 'Ada', :now, :now);
INSERT INTO contacts (id, customer_number, company_name, country, rating, account_access_enabled, created_at,
updated_at)
  VALUES (1, 'C-00001', 'Bench', 'DE', 3, 1, :now, :now);
INSERT INTO events (id, event_key, title, description, country, state, city, date_from, date_from_at, date_to,
date_to_at, over_at,
    application_deadline, application_deadline_at, timezone, is_visible, created_at, updated_at)
  SELECT id, event_key, title, description, country, state, city, date_from, date_from || 'T00:00:00Z', date_to,
    date_to || 'T23:59:59Z', date_to || 'T23:59:59Z', application_deadline, application_deadline || 'T23:59:59Z',
    'Europe/Berlin',
    is_visible, created_at, updated_at FROM bench.events;
UPDATE contacts SET company_name_folded = fold(company_name), customer_number_folded = fold(customer_number),
  customer_number_natural = natural_key(customer_number);
UPDATE events SET title_folded = fold(title), event_key_folded = fold(event_key),
  description_folded = fold(description), city_folded = fold(city);
INSERT INTO invoices (id, invoice_number, status, contact_id, currency, subtotal, total, paid_amount, issue_date,
due_date,
    locked_at, created_at, updated_at)
  SELECT id, invoice_number, CASE WHEN paid_cents >= total_cents THEN 'paid' WHEN paid_cents > 0 THEN
  'partially_paid' ELSE 'sent' END,
    1, currency, total_cents, total_cents, paid_cents, substr(created_at, 1, 10), '2099-12-31', created_at,
    created_at, updated_at
  FROM bench.invoices;
UPDATE invoices SET invoice_number_natural = natural_key(invoice_number);
INSERT INTO payments (id, invoice_id, amount, currency, gateway_key, gateway_name, gateway_fee, transaction_id,
status, payment_date, payment_date_at,
    notes, created_at, updated_at)
  SELECT id, invoice_id, amount_cents, currency, gateway_key, gateway_name, gateway_fee_cents, transaction_id,
  status, payment_date, payment_date,
    notes, created_at, updated_at FROM bench.payments;
INSERT INTO notes (id, entity_type, entity_id, admin_id, note_text, note_type, is_pinned, created_at, updated_at)
  SELECT id, entity_type, entity_id, 1, note_text, note_type, is_pinned, created_at, updated_at FROM bench.notes;
"""
SCOPES = "events payments invoices contacts applications participants"


def main(source, data_dir):
    folder = Path(data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "eventapi.db"
    migrations.migrate(path)
    connection = database.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("ATTACH ? AS bench", (str(source),))
    connection.execute("BEGIN")
    for statement in COPY.split(";\n"):
        if statement.strip():
            connection.execute(statement, {"now": times.now()})
    keys = {"key": SCOPES, "key_noscope": "tasks"}
    issued = {}
    for name, scopes in keys.items():
        issued[name] = f"evk_{secrets.token_urlsafe(32)}"
        connection.execute(
            "INSERT INTO api_keys (admin_id, name, key_hash, scopes, created_at, last_used_at) "
            "VALUES (1, ?, ?, ?, ?, ?)",
            (name, key_hash(issued[name]), scopes, times.now(), times.now()),
        )
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    (Path(os.environ.get("BENCH_DIR", folder)) / "vars.json").write_text(json.dumps(issued))


if __name__ == "__main__":
    main(*sys.argv[1:])
