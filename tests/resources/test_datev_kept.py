"""The files for DATEV of a closed month: what was handed to the adviser stays, byte for byte."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from xml.etree import ElementTree

import pytest

from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.books import files
from eventapi.domain.upkeep import checks
from eventapi.validation.identifiers.bookkeeping import Account, revenue_accounts
from tests.resources.test_datev import DEBTOR, JSON, configured, pay, send
from tests.support import extf

__all__ = ["configured"]

BOOKINGS = "/reports/datev?year=2026&month=5"
DEBTORS = "/reports/datev/debtors?year=2026&month=5"
DOCUMENTS = f"{BOOKINGS}&documents=1"
KEEP = "/reports/periods/2026-05/files"
NAMES = ["datev_bookings", "datev_debtors", "datev_linked_bookings", "datev_sums", "recapitulative"]


@pytest.fixture
def books(organiser, configured, db):
    """Book an invoice and a payment in May, and return their ids. It is June."""
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, contact)
    payment = pay(organiser, invoice, 100, transaction_id="T-1", payment_date="2026-05-20")
    invoice_pdf.store(db, invoice["id"])
    configured("2026-06-02T10:00:00Z")
    return {"contact": contact, "invoice": invoice, "payment": payment}


def close(client):
    return client.post("/reports/periods/2026-05/close", status=200).json


def handed_out(client):
    """Return every form in which the files of May are handed out."""
    return {
        "bookings": client.get(BOOKINGS, status=200).body,
        "debtors": client.get(DEBTORS, status=200).body,
        "linked": archive(client)["EXTF_Buchungsstapel_2026-05.csv"],
        "sums": client.get(BOOKINGS, headers=JSON, status=200).json["data"],
        "sums of debtors": client.get(DEBTORS, headers=JSON, status=200).json["data"],
        "sums with documents": client.get(DOCUMENTS, headers=JSON, status=200).json["data"],
    }


def archive(client):
    """Return {name: content} of the ZIP file with the documents of May."""
    with zipfile.ZipFile(io.BytesIO(client.get(DOCUMENTS, status=200).body)) as found:
        return {name: found.read(name) for name in found.namelist()}


def hashes(client):
    """Return {name: hash} of the files of May."""
    found = {month["month"]: month["files"] for month in client.data("/reports/periods")}
    return {file["name"]: file["sha256"] for file in found["2026-05"]}


def other_accounts(client, books, settings):
    settings.datev_revenue = revenue_accounts("S19=8401")
    settings.datev_debtor_base = 20000
    settings.datev_bank = Account("1201")
    settings.datev_adviser = 1001


def no_accounts(client, books, settings):
    settings.datev_revenue, settings.datev_chart = {}, ""


def other_due_date(client, books, settings):
    client.patch(f"/invoices/{books['invoice']['id']}", {"due_date": "2026-12-30"}, status=200)


def other_transaction(client, books, settings):
    client.patch(f"/payments/{books['payment']['id']}", {"transaction_id": "zzz"}, status=200)


def other_name(client, books, settings):
    client.patch(f"/contacts/{books['contact']['id']}", {"company_name": "Anders AG"}, status=200)


def merged(client, books, settings):
    other = client.make("/contacts", {**DEBTOR, "company_name": "Andere KG"})
    client.post(
        f"/contacts/{other['id']}/merge", {"duplicate_id": books["contact"]["id"]}, status=200
    )


def refunded(client, books, settings):
    client.post(f"/payments/{books['payment']['id']}/refund", {"amount": 50}, status=200)


def moved(client, books, settings):
    other = send(client, books["contact"])
    body = {"invoice_number": other["invoice_number"]}
    client.patch(f"/payments/{books['payment']['id']}", body, status=200)


def erased(client, books, settings):
    client.post(f"/contacts/{books['contact']['id']}/anonymize", {"force": True}, status=200)


CHANGES = (
    other_accounts,
    no_accounts,
    other_due_date,
    other_transaction,
    other_name,
    merged,
    refunded,
    moved,
    erased,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_the_files_of_a_closed_month_stay_whatever_changes(
    organiser, books, settings, change, configured
):
    assert "warnings" not in close(organiser)["meta"]
    before, kept = handed_out(organiser), hashes(organiser)
    configured("2026-06-03T10:00:00Z")
    change(organiser, books, settings)
    assert handed_out(organiser) == before
    assert hashes(organiser) == kept


def test_the_hash_is_that_of_the_file_that_is_handed_out(organiser, books, db):
    period = close(organiser)["data"]
    assert [file["name"] for file in period["files"]] == NAMES
    found = handed_out(organiser)
    for name, body in (
        ("datev_bookings", found["bookings"]),
        ("datev_debtors", found["debtors"]),
        ("datev_linked_bookings", found["linked"]),
    ):
        file = next(file for file in period["files"] if file["name"] == name)
        assert (file["sha256"], file["size"]) == (sha256(body).hexdigest(), len(body))


def test_closing_keeps_what_was_handed_out_before_but_for_the_lock(organiser, books):
    """The lock is field 21 of the header and column 114 of each booking; the time is field 6."""
    before = handed_out(organiser)
    close(organiser)
    after = handed_out(organiser)
    for name in ("bookings", "linked"):
        old, new = extf.Batch(before[name]), extf.Batch(after[name])
        assert (old.header[20], new.header[20]) == ("0", "1")
        assert [{**one, 114: ""} for one in old.bookings] == [
            {**one, 114: ""} for one in new.bookings
        ]
        assert {booking[114] for booking in new.bookings} == {"1"}
    assert after["debtors"] == before["debtors"]
    assert after["sums"] == {**before["sums"], "is_locked": True}


def test_the_archive_names_the_documents_of_its_bookings_also_if_a_pdf_is_drawn_later(
    organiser, books, db, configured
):
    configured("2026-05-31T10:00:00Z")
    late = send(organiser, books["contact"])
    configured("2026-06-02T10:00:00Z")
    close(organiser)
    before = archive(organiser)
    invoice_pdf.store(db, late["id"])
    assert archive(organiser) == before
    root = ElementTree.fromstring(before["document.xml"])
    guids = [part.get("guid") for part in root.iter() if part.tag.endswith("}document")]
    linked = extf.Batch(before["EXTF_Buchungsstapel_2026-05.csv"]).bookings
    assert [f'BEDI "{guid}"' for guid in guids] == [one[20] for one in linked if one[20]]
    assert len(guids) == 2 == len([name for name in before if name.endswith(".pdf")])


# Incomplete options


def test_without_the_options_only_a_request_keeps_the_files(organiser, books, settings, db):
    revenue, settings.datev_revenue = settings.datev_revenue, {}
    (warning,) = close(organiser)["meta"]["warnings"]
    assert warning["code"] == "datev_incomplete" and "2026-05" in warning["detail"]
    assert list(hashes(organiser)) == ["recapitulative"]
    problem = organiser.post(KEEP, status=409).json
    assert (problem["code"], problem["missing"]) == ("datev_incomplete", ["datev_revenue: S19"])

    settings.datev_revenue = revenue
    open_batch = extf.Batch(organiser.get(BOOKINGS, status=200).body)
    assert open_batch.header[20] == "0"  # it is not kept, so it may still change
    period = organiser.post(KEEP, status=200).json["data"]
    assert [file["name"] for file in period["files"]] == NAMES
    assert extf.Batch(organiser.get(BOOKINGS, status=200).body).header[20] == "1"
    assert "warnings" not in close(organiser)["meta"]
    (entry,) = db.connection.execute(
        "SELECT new_values FROM audit_log WHERE action = 'files_kept'"
    ).fetchall()
    assert hashes(organiser)["datev_sums"] in entry[0]


def test_files_that_are_kept_are_not_kept_again(organiser, books, settings):
    close(organiser)
    kept = hashes(organiser)
    other_accounts(organiser, books, settings)
    organiser.post(KEEP, status=200)
    assert hashes(organiser) == kept


def test_two_requests_at_once_keep_the_files_once(organiser, books, settings, db):
    revenue, settings.datev_revenue = settings.datev_revenue, {}
    close(organiser)
    settings.datev_revenue = revenue
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(organiser.post, KEEP, status=200) for _ in range(2)]:
            done.result()
    (count,) = db.connection.execute("SELECT count(*) FROM period_files").fetchone()
    assert count == len(NAMES)
    assert checks.findings(db) == []


def test_keeping_needs_the_scopes_of_closing(organiser, person, books):
    close(organiser)
    person("reports").post(KEEP, status=403)
    person("reports:read invoices").post(KEEP, status=403)
    person("reports invoices:read").post(KEEP, status=403)
    person("reports invoices").post(KEEP, status=200)


# Months that were closed by an earlier version


def test_a_month_of_an_earlier_version_is_locked_and_keeps_its_files_on_request(
    organiser, books, db
):
    close(organiser)
    for name in ("period_files_stay", "periods_never_change"):
        db.connection.execute(f"DROP TRIGGER {name}")
    db.connection.execute("DELETE FROM period_files")
    db.connection.execute("UPDATE periods SET organiser_country = NULL, currency = NULL")
    computed = handed_out(organiser)
    assert extf.Batch(computed["bookings"]).header[20] == "1"
    organiser.post(KEEP, status=200)
    assert handed_out(organiser) == computed
    assert files.content(db, "2026-05", "datev_bookings") == computed["bookings"]
