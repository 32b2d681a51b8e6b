"""The seeded database is consistent, and each request that `make load` measures succeeds."""

import re

import pytest

from eventapi.domain.upkeep import checks
from eventapi.reference import document as openapi
from eventapi.storage import database
from tests.load import jobs, kept_files, marks, reads, seed, writes
from tests.load.client import Client
from tests.load.records import Records
from tests.load.writes import lock_time


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
    for table_name, least in (
        ("payments", 9_500),
        ("refunds", 20),
        ("bank_transactions", 500),
        ("dunnings", 5),
        ("webhook_deliveries", 500),
        ("periods", 12),
    ):
        assert client.one(f"SELECT count(*) FROM {table_name}") >= least, table_name


def test_every_measured_read_succeeds(client):
    found = list(reads.reads(client, openapi.document(client.config.base_url)))
    assert len({name for name, _, _ in found}) > 1500
    for _, path, options in found:
        client("GET", path, **options)


def test_every_measured_write_succeeds_and_takes_the_write_lock(client):
    records = Records(client)
    for write in writes.writes():
        assert (lock_time(write._replace(rounds=1), records) > 0) == (
            write.name != "GET contact export"
        ), write.name


def test_every_measured_job_runs(client):
    records = Records(client)
    for job in jobs.jobs():
        lock_time(job._replace(rounds=1), records)
    assert client.one("SELECT count(*) FROM sqlite_stat1") > 100


def test_every_file_of_a_public_show_is_measured_and_one_that_is_not_kept_is_reported(client):
    found = kept_files.measured(client)
    assert [address.rpartition(".")[2] for address in found] == ["pdf", "svg", "ics", "vcf"]
    found = {"a.pdf": (90.0, 0.05, 0.2), "b.svg": (20.0, 19.0, 80.4)}
    assert kept_files.missed(found) == ["b.svg"]
    assert "| `b.svg` | 20.0 | 19.00 | 80.4 |" in kept_files.table(found)


def test_a_request_may_take_as_long_as_the_first_mark_that_fits_says():
    times = {
        "list /contacts": 101,
        "list /events": 99,
        "report /reports/ledger": 2501,
        "report /reports/tax": 399,
        "write POST payment": 100,
        "write POST event copy with all": 561,
    }
    assert marks.missed(times) == [
        "list /contacts",
        "report /reports/ledger",
        "write POST event copy with all",
    ]
    assert "| `report /reports/ledger` | 2501 | 2500 |" in marks.slowest(times, 1)


def test_every_exception_is_of_a_request_that_is_measured(client):
    found = [name for name, _, _ in reads.reads(client, openapi.document(client.config.base_url))]
    found += [f"write {one.name}" for one in writes.writes()] + [
        f"job {one.name}" for one in jobs.jobs()
    ]
    assert [
        pattern for pattern in marks.SLOW if not any(re.search(pattern, name) for name in found)
    ] == []
