"""Print a table of the cost of lists in process: python3 tests/load/lists.py [CONTACTS].

The last column is the ratio to reading one contact.
"""
import io
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["EVENTAPI_LOG_LEVEL"] = "error"

from eventapi import config as configuration
from eventapi.app import create_app
from eventapi.domain.access import api_keys
from eventapi.storage import database, migrations

LISTS = ("/contacts/777", "/contacts", "/contacts?country=DE&sort=company_name&order=ASC",
         "/contacts?search=co&sort=last_name", "/contacts?search=office4711",
         "/contacts?sort=email&page=500", "/contacts?after=&sort=company_name",
         "/contacts?updated_since=2099-01-01T00:00:00Z")
FILL = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :many),
contact (i, number, company, name, email) AS (
  SELECT i, printf('C-%05d', i), 'Company ' || (i * 7919 % 100003), 'Name ' || (i % 977),
         'office' || i || '@example.org' FROM n)
INSERT INTO contacts (customer_number, company_name, last_name, email, customer_number_folded, customer_number_natural,
company_name_folded, last_name_folded, email_folded, country, rating, account_access_enabled, created_at, updated_at)
SELECT number, company, name, email, fold(number), natural_key(number), fold(company), fold(name), fold(email),
       CASE i % 4 WHEN 0 THEN 'AT' ELSE 'DE' END, 3, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM contact"""


def main(many):
    with tempfile.TemporaryDirectory() as folder:
        config = configuration.load(ROOT / "conf" / "demo.conf", data_dir=folder)
        migrations.migrate(config.database)
        db = database.Database(config)
        with db.write():
            db.connection.execute(FILL, {"many": many})
            key = api_keys.create_key(db, "load", api_keys.SCOPES)[1]
        app = create_app(config)
        ask(app, key, "/contacts")
        print(f"{many} contacts\n{'first ms':>9}{'again ms':>9}{'ratio':>7}  list")
        base = None
        for path in LISTS:
            first, again = [], []
            for number in range(9):
                with db.write():                       # a new state of the database: totals are counted again
                    db.connection.execute("UPDATE api_keys SET name = ?", (str(number),))
                first.append(timed(app, key, path))
                again.append(timed(app, key, path))
            base = base or statistics.median(again)
            median = statistics.median(first)
            print(f"{median:9.2f}{statistics.median(again):9.2f}{median / base:7.1f}  {path}")
        db.close()


def timed(app, key, path):
    start = time.perf_counter()
    ask(app, key, path)
    return (time.perf_counter() - start) * 1000


def ask(app, key, path):
    path, _, query = path.partition("?")
    answer = []
    text = b"".join(app({"REQUEST_METHOD": "GET", "PATH_INFO": f"/api/v1{path}", "QUERY_STRING": query,
                         "SERVER_NAME": "load",
                         "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "http",
                         "wsgi.input": io.BytesIO(),
                         "wsgi.errors": sys.stderr, "HTTP_AUTHORIZATION": f"Bearer {key}"},
                        lambda status, headers, exc_info=None: answer.append(status)))
    assert answer == ["200 OK"], (answer, text)
    return json.loads(text)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
