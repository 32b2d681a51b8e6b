"""The seeded database is consistent, and each request that `make load` measures succeeds."""
import re

import pytest

from eventapi.domain.upkeep import checks
from eventapi.reference import document as openapi
from eventapi.storage import database
from tests.load import exceptions, jobs, marks, reads, seed, table, writes
from tests.load.client import Client
from tests.load.records import Records
from tests.load.writes import write_in_turns


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    seed.main("small", str(folder))
    client = Client(folder)
    yield client
    client.close()


def test_eventapi_check_finds_nothing_in_a_seeded_database(client):
    db = database.Database(client.config, readonly=True)
    assert checks.findings(db) == []
    db.close()
    for table_name, least in (("payments", 9_500), ("refunds", 20), ("bank_transactions", 500), ("dunnings", 5),
                              ("webhook_deliveries", 500), ("periods", 12)):
        assert client.one(f"SELECT count(*) FROM {table_name}") >= least, table_name


def test_every_measured_read_succeeds(client):
    found = list(reads.reads(client, openapi.document(client.config.base_url)))
    assert len({name for name, _, _ in found}) > 1500
    for _, path, options in found:
        client("GET", path, **options)


def test_every_measured_write_succeeds_and_takes_the_write_lock(client):
    records = Records(client)
    for write in writes.writes():
        times, = write_in_turns(write._replace(rounds=1), [records])
        assert (times["lock"] > 0) == (write.name != "GET contact export"), write.name


def test_every_measured_job_runs(client):
    records = Records(client)
    for job in jobs.jobs():
        write_in_turns(job._replace(rounds=1), [records])
    assert client.one("SELECT count(*) FROM sqlite_stat1") > 100


def test_a_ratio_counts_only_if_the_big_database_takes_more_than_a_millisecond():
    fast, slow = {"first": 0.1, "again": 0.1}, {"first": 9.0, "again": 0.9}
    assert marks.ratio_of(fast, {"first": 0.9, "again": 0.9}) == 1
    assert marks.ratio_of(fast, slow) == 90
    assert [(mark.name, is_met) for mark, _, is_met in marks.judged("filter /contacts?tag=x", fast, slow)] == [
        ("ratio of a list", False), ("time of a list", True), ("total after a commit", False)]


def test_every_exception_names_a_mark_and_has_a_reason():
    for (pattern, mark), (reason, _) in exceptions.EXCEPTIONS.items():
        assert re.compile(pattern) and mark in {one.name for one in marks.ALL} and len(reason) > 10


def test_an_exception_has_a_limit_of_its_own():
    assert marks.exception("single /invoices/numbering", marks.RECORD, 50) == exceptions.SERIES
    assert marks.exception("single /invoices/numbering", marks.RECORD, 5_000) is None


def test_the_table_says_what_is_missed_and_compares_with_an_earlier_version():
    times = {"small": {"first": 1.0, "again": 1.0}, "big": {"first": 400.0, "again": 1.0}, "path": "/reports/revenue"}
    results = {"reads": {"report /reports/revenue": times}, "writes": {}, "mixed": {"small": 100, "big": 70}}
    before = {"report /reports/revenue": {"first": [5.0, 6.0, 30], "again": [5.0, 6.0, 30]}}
    text = table.markdown(results, before, before)
    assert "| report | at most 300 ms | 1 of 1 | 0 of 1 | 0 | 400.0 ms |" in text
    assert "| `mixed load` | throughput of the mixed load | 70.0 % | **none** |" in text
    assert "| `report /reports/revenue` | 5.0 | 5.0 | 1.0 | 400.0 |" in text
