"""Files that the closing of a month keeps: the recapitulative statement, its journal and its checks,
months of earlier versions, and the end of retention.
"""

import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from eventapi import times
from eventapi.domain.books import files, keeping, periods
from eventapi.domain.privacy import erasing
from eventapi.storage.database import Duplicate
from eventapi.worker import daily

AUSTRIAN = {
    "company_name": "Wiener Rosen GmbH",
    "address": "Ring 1",
    "postal_code": "1010",
    "city": "Wien",
    "country": "AT",
    "tax_id": "ATU13585627",
}
# computed by hand: 200.00 of services in May, 405.00 in April
STATEMENT = b'{"currency":"EUR","rows":[{"vat_id":"ATU13585627","goods":0,"services":20000}]}'
MAY = "/reports/recapitulative?year=2026&month=5"
QUARTER = "/reports/recapitulative?year=2026&quarter=2"


@pytest.fixture
def clock(monkeypatch):
    now = ["2026-04-10T10:00:00Z"]
    monkeypatch.setattr(times, "now", lambda: now[0])
    return lambda text: now.__setitem__(0, text)


@pytest.fixture
def books(organiser, db, clock):
    """Sell services to Austria in April, May and June, and return the ids. It is June."""
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    contact = organiser.make("/contacts", AUSTRIAN)["id"]
    ids = [sold(organiser, contact, 405)]
    clock("2026-05-12T10:00:00Z")
    ids.append(sold(organiser, contact, 200))
    clock("2026-06-03T10:00:00Z")
    ids.append(sold(organiser, contact, 10))
    return {"contact": contact, "invoices": ids}


def sold(client, contact, price):
    line = {"description": "Stand", "quantity": 1, "unit_price": price}
    draft = client.make(
        "/invoices", {"contact_id": contact, "is_reverse_charge": True, "items": [line]}
    )
    client.post(f"/invoices/{draft['id']}/send", status=200)
    return draft["id"]


def close(client, month="2026-05"):
    return client.post(f"/reports/periods/{month}/close", status=200).json


def services(client, address):
    rows = client.data(address)["data"]["rows"]
    return [(row["vat_id"], row["services"]) for row in rows]


def rows(db, statement):
    return [tuple(row) for row in db.connection.execute(statement)]


def value(db, statement):
    return rows(db, statement)[0][0]


def findings(db):
    """Return what `eventapi check` says about closed months."""
    return list(periods.check(db))


def unguarded(db):
    """Remove the triggers that guard kept files, as somebody with the file of the database can."""
    for name in ("period_files_never_change", "period_files_stay", "period_files_are_kept_once"):
        db.connection.execute(f"DROP TRIGGER {name}")


def closed_by_an_earlier_version(db, organiser):
    """Close April and May, and remove what an earlier version did not store."""
    close(organiser)
    unguarded(db)
    db.connection.execute("DELETE FROM period_files")
    db.connection.execute("DROP TRIGGER periods_never_change")
    db.connection.execute("UPDATE periods SET organiser_country = NULL, currency = NULL")


# Closing


def test_closing_keeps_the_recapitulative_statement_with_its_hash(books, organiser, db):
    period = close(organiser)["data"]
    digest = sha256(STATEMENT).hexdigest()
    assert period["files"] == [{"name": "recapitulative", "sha256": digest, "size": len(STATEMENT)}]
    assert files.content(db, "2026-05", "recapitulative") == STATEMENT
    listed = {month["month"]: month["files"] for month in organiser.data("/reports/periods")}
    assert listed["2026-05"] == period["files"] and listed["2026-06"] == []
    assert [file["name"] for file in listed["2026-04"]] == ["recapitulative"]


def test_the_journal_has_the_hashes_of_the_kept_files(books, organiser, db):
    close(organiser)
    values = value(
        db, "SELECT new_values FROM audit_log WHERE action = 'closed' AND entity_title = '2026-05'"
    )
    assert json.loads(values)["files"] == {"recapitulative": sha256(STATEMENT).hexdigest()}


def test_a_kept_statement_stays_whatever_the_options_say(books, organiser, settings):
    close(organiser)
    settings.organiser_country = "AT"
    assert services(organiser, MAY) == [("ATU13585627", 200)]
    # June is open, and sales within Austria are in no statement
    assert services(organiser, QUARTER) == [("ATU13585627", 605)]


def test_a_quarter_adds_kept_and_open_months(books, organiser):
    before = services(organiser, QUARTER)
    close(organiser)
    assert services(organiser, QUARTER) == before == [("ATU13585627", 615)]
    assert services(organiser, "/reports/recapitulative?year=2026") == before


def test_months_in_two_currencies_are_not_added(books, organiser, settings):
    close(organiser)
    settings.currency = "CHF"
    assert services(organiser, MAY) == [("ATU13585627", 200)]
    (error,) = organiser.get(QUARTER, status=422).json["errors"]
    assert "the months are in CHF and EUR" in error["detail"]


def test_the_answer_warns_of_months_without_files_for_datev(books, organiser):
    (warning,) = close(organiser)["meta"]["warnings"]
    assert warning["code"] == "datev_incomplete"
    assert "were not kept for 2026-04, 2026-05" in warning["detail"]
    assert "POST /reports/periods/2026-04/files" in warning["detail"]


def test_two_closings_at_once_keep_each_file_once(books, organiser, db, monkeypatch):
    written_of, left = keeping.written_of, [1]

    def computed(reader, months, keeps):
        found = written_of(reader, months, keeps)
        if reader.now is None and left:
            left.pop()
            with ThreadPoolExecutor(1) as other:
                other.submit(close, organiser).result()
        return found

    monkeypatch.setattr(keeping, "written_of", computed)
    period = close(organiser)["data"]
    assert [file["name"] for file in period["files"]] == ["recapitulative"]
    assert value(db, "SELECT count(*) FROM period_files") == 2
    assert value(db, "SELECT count(*) FROM audit_log WHERE action = 'closed'") == 2
    assert findings(db) == []


def test_a_crash_while_files_are_stored_leaves_the_month_open(books, organiser, db, monkeypatch):
    add = files.add

    def crash(writer, period_id, written):
        add(writer, period_id, written)
        if value(db, "SELECT count(*) FROM period_files") == 0 and period_id > 1:
            raise RuntimeError("killed")
        return {}

    monkeypatch.setattr(files, "add", crash)
    organiser.post("/reports/periods/2026-05/close", status=500)
    assert value(db, "SELECT count(*) FROM periods") == 0
    assert value(db, "SELECT count(*) FROM period_files") == 0
    monkeypatch.setattr(files, "add", add)
    assert len(close(organiser)["data"]["files"]) == 1


# What guards kept files


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE period_files SET content = x''",
        "UPDATE period_files SET sha256 = ''",
        "DELETE FROM period_files",
        "INSERT OR REPLACE INTO period_files SELECT * FROM period_files",
    ],
)
def test_no_statement_changes_a_kept_file(books, organiser, db, statement):
    close(organiser)
    before = rows(db, "SELECT * FROM period_files")
    with pytest.raises(Duplicate, match="a kept file"):
        db.connection.execute(statement)
    assert rows(db, "SELECT * FROM period_files") == before


@pytest.mark.parametrize(
    "content", [b"", zlib.compress(STATEMENT.replace(b"2", b"3"))], ids=["broken", "other"]
)
def test_the_check_names_a_file_that_was_changed(books, organiser, db, content):
    close(organiser)
    unguarded(db)
    db.connection.execute("UPDATE period_files SET content = ? WHERE period_id = 2", [content])
    assert findings(db) == ["2026-05: the kept file recapitulative was changed"]


def test_the_check_names_a_statement_that_is_computed_differently(books, organiser, db):
    close(organiser)
    other = STATEMENT.replace(b"20000", b"20001")
    unguarded(db)
    db.connection.execute(
        "UPDATE period_files SET content = ?, sha256 = ? WHERE period_id = 2",
        [zlib.compress(other), sha256(other).hexdigest()],
    )
    assert findings(db) == [
        "2026-05: the recapitulative statement differs from the one that was kept"
    ]


@pytest.mark.parametrize(
    "option, value, words",
    [
        ("organiser_country", "AT", "country DE"),
        ("currency", "CHF", "currency EUR"),
        ("timezone", "UTC", "time zone Europe/Berlin"),
    ],
)
def test_the_check_names_an_option_that_was_changed(
    books, organiser, db, settings, monkeypatch, option, value, words
):
    close(organiser)
    monkeypatch.setattr(db.config, option, value)
    assert (
        f"2026-05 was closed with the {words}, but the option {option} is {value} now: set it back"
    ) in findings(db)


# Months that were closed by an earlier version


def test_the_worker_keeps_the_statements_of_months_of_earlier_versions(
    books, organiser, db, settings
):
    closed_by_an_earlier_version(db, organiser)
    before = [organiser.data(address)["data"] for address in (MAY, QUARTER)]
    assert findings(db) == []
    daily.work(settings, lambda: False)
    assert files.content(db, "2026-05", "recapitulative") == STATEMENT
    assert rows(db, "SELECT DISTINCT name FROM period_files") == [("recapitulative",)]
    assert [organiser.data(address)["data"] for address in (MAY, QUARTER)] == before
    kept = rows(
        db, "SELECT entity_title, new_values FROM audit_log WHERE action = 'files_kept' ORDER BY id"
    )
    assert [month for month, _ in kept] == ["2026-04", "2026-05"]
    assert json.loads(kept[1][1])["files"] == {"recapitulative": sha256(STATEMENT).hexdigest()}
    daily.work(settings, lambda: False)  # again: nothing is left to keep
    assert value(db, "SELECT count(*) FROM period_files") == 2
    assert findings(db) == []


def test_the_options_of_a_month_of_an_earlier_version_are_not_known(books, organiser, db, settings):
    closed_by_an_earlier_version(db, organiser)
    settings.organiser_country = "AT"
    assert [text for text in findings(db) if "set it back" in text] == []
    assert close(organiser)["meta"].get("warnings") is None


# Persons and the end of retention


def test_anonymising_and_the_end_of_an_invoice_leave_the_kept_statement(
    books, organiser, db, clock, settings
):
    close(organiser)
    organiser.post(f"/contacts/{books['contact']}/anonymize", {"force": True}, status=200)
    assert services(organiser, MAY) == [("ATU13585627", 200)]
    clock("2035-01-05T10:00:00Z")  # retention_years are 8
    erasing.end_retention(db)
    assert value(db, "SELECT count(*) FROM invoices WHERE buyer IS NULL") == 3
    assert services(organiser, MAY) == [("ATU13585627", 200)]
    assert [text for text in findings(db) if "statement" in text] == []


@pytest.mark.parametrize(
    "retention, audit, last_day, next_day",
    [(8, 10, "2036-12-31", "2037-01-01"), (12, 10, "2038-12-31", "2039-01-01")],
)
def test_kept_files_are_deleted_after_the_longer_of_both_periods(
    books, organiser, db, clock, settings, retention, audit, last_day, next_day
):
    close(organiser)
    settings.retention_years = db.config.retention_years = retention
    settings.audit_years = db.config.audit_years = audit
    clock(f"{last_day}T10:00:00Z")
    assert files.delete_ended(db, 500) == 0
    clock(f"{next_day}T10:00:00Z")
    assert files.delete_ended(db, 1) == 1
    assert rows(db, "SELECT month FROM periods") == [("2026-04",), ("2026-05",)]
    assert value(db, "SELECT count(*) FROM period_files") == 1
    assert files.delete_ended(db, 500) == 1
    assert files.delete_ended(db, 500) == 0
    keeping.keep_missing(db, lambda: False)
    assert value(db, "SELECT count(*) FROM period_files") == 0


def test_what_is_no_closed_month_has_no_files_for_datev(books, organiser):
    path = "/reports/periods/{}/files"
    assert organiser.post(path.format("2026-05"), status=409).json["code"] == "period_open"
    assert organiser.post(path.format("may"), status=404).json["code"] == "not_found"
    close(organiser)
    assert organiser.post(path.format("2026-06"), status=409).json["code"] == "period_open"
