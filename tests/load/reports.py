"""Print a table of the cost of reports in process: python3 tests/load/reports.py [PAYMENTS].

The show is that of show.sql. Each report is requested as on a fresh installation, and again with the statistics of the
query planner that the worker gathers.
"""
import statistics
import sys
import tempfile
import time

from lists import ROOT, api_keys, configuration, create_app, database, migrations, timed

REPORTS = ("/reports/revenue", "/reports/revenue?period=year", "/reports/tax", "/reports/payments",
           "/reports/payments?event_id=1",
           "/reports/receivables", "/reports/receivables?as_of=2026-03-01", "/reports/overview",
           "/reports/overview?event_id=1",
           "/reports/participants", "/reports/participants?date_from=2026-03-01", "/reports/applications",
           "/reports/applications?event_id=1",
           "/reports/booths", "/reports/services", "/reports/check-ins", "/reports/readiness",
           "/reports/readiness?event_id=1",
           "/participants?ready=0", "/participants?ready=1&event_id=1&role=exhibitor",
           "/participants?include=readiness&page=500")


def main(many):
    with tempfile.TemporaryDirectory() as folder:
        config = configuration.load(ROOT / "conf" / "demo.conf", data_dir=folder)
        migrations.migrate(config.database)
        db = database.Database(config)
        with db.write():
            fill(db.connection, {"payments": many, "exhibitors": 4500, "visitors": 150_000})
            key = api_keys.create_key(db, "load", api_keys.SCOPES)[1]
        app = create_app(config)
        fresh = [measured(db, app, key, path) for path in REPORTS]
        db.optimize()
        print(f"{many} payments, 154500 participants\n{'ms':>9}{'CPU ms':>9}{'tended':>9}{'CPU ms':>9}")
        for path, before in zip(REPORTS, fresh, strict=True):
            print("".join(f"{number:9.1f}" for number in (*before, *measured(db, app, key, path))), "", path)
        db.close()


def fill(connection, values):
    script = (ROOT / "tests" / "load" / "show.sql").read_text(encoding="utf-8")
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement, values)


def measured(db, app, key, path):
    """Return the medians of five runs: elapsed milliseconds and CPU milliseconds.

    Each run sees a new state of the database.
    """
    took, worked = [], []
    for number in range(5):
        with db.write():                       # totals are counted again
            db.connection.execute("UPDATE api_keys SET name = ?", (str(number),))
        start = time.process_time()
        took.append(timed(app, key, path))
        worked.append((time.process_time() - start) * 1000)
    return statistics.median(took), statistics.median(worked)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
