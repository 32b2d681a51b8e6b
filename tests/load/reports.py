"""What reports cost in process, in a table: python3 tests/load/reports.py [PAYMENTS]. Half as many invoices, of two currencies, in random order."""
import statistics
import sys
import tempfile

from lists import ROOT, configuration, create_app, credentials, database, timed

REPORTS = ("revenue", "revenue?period=year", "tax", "payments", "payments?event_id=1", "receivables", "receivables?as_of=2026-03-01", "overview")
FILL = """
INSERT INTO events (event_key, title, country, timezone, is_visible, created_at, updated_at)
  VALUES ('show', 'Show', 'DE', 'Europe/Berlin', 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
INSERT INTO contacts (customer_number, company_name, country, rating, account_access_enabled, created_at, updated_at)
  VALUES ('C-00001', 'Company', 'DE', 3, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :many / 2)
INSERT INTO invoices (invoice_number, status, contact_id, event_id, currency, subtotal, tax_total, total, issue_date, due_date, locked_at,
  created_at, updated_at)
SELECT 'INV-' || i, 'sent', 1, CASE i % 4 WHEN 0 THEN 1 END, CASE i % 9 WHEN 0 THEN 'CHF' ELSE 'EUR' END, 5 * i, i, 6 * i,
       date(1750000000 + i * 7919 % 60000000, 'unixepoch'), date(1752000000 + i * 7919 % 60000000, 'unixepoch'), '2026-01-01T00:00:00Z',
       '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;
INSERT INTO invoice_taxes (invoice_id, category, rate, net, tax) SELECT id, 'S', 1900, subtotal, tax_total FROM invoices;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :many)
INSERT INTO payments (invoice_id, amount, currency, gateway_key, status, payment_date, created_at, updated_at)
SELECT 1 + i / 2 % (:many / 2), 100, CASE i % 9 WHEN 0 THEN 'CHF' ELSE 'EUR' END, CASE i % 3 WHEN 0 THEN 'bank' END, 'completed',
       strftime('%Y-%m-%dT%H:%M:%SZ', 1750000000 + i * 7919 % 60000000, 'unixepoch'), '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n"""


def main(many):
    with tempfile.TemporaryDirectory() as folder:
        config = configuration.load(ROOT / "conf" / "demo.conf", data_dir=folder)
        database.migrate(config.database)
        db = database.Database(config)
        with db.write():
            for statement in FILL.split(";\n"):
                db.connection.execute(statement, {"many": many})
            key = credentials.create_key(db, "load", credentials.SCOPES)[1]
        app = create_app(config)
        print(f"{many} payments\n{'ms':>9}  report")
        for name in REPORTS:
            print(f"{statistics.median(timed(app, key, f'/reports/{name}') for _ in range(5)):9.1f}  {name}")
        db.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
