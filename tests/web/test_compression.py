"""gzip of JSON and CSV without an ETag (contract, section 9, sentence 13 of the operations)."""

import gzip
import json

import pytest
import webob

from eventapi.worker import bulk_import as job
from tests.resources.test_datev import OPTIONS as DATEV
from tests.web.test_routes import ROUTES, address

GZIP = {"Accept-Encoding": "gzip"}
CSV = {"Accept": "text/csv"}


@pytest.fixture
def contacts(organiser):
    """Return the client of a list of 30 contacts, which is longer than 2,000 bytes."""
    for number in range(30):
        organiser.make("/contacts", {"company_name": f"Gärtnerei {number}"})
    return organiser


def asked(client, path, method="GET", **headers):
    """Return (headers, body) as they were sent; the usual client decodes a compressed body."""
    headers["Authorization"] = f"Bearer {client.key}"
    sent = webob.Request.blank(f"/api/v1{path}", method=method, headers=headers)
    answer = sent.get_response(client.app.app)
    assert answer.status_int == 200
    return answer.headers, answer.body


def data_of(body):
    return json.loads(body)["data"]


def test_a_list_is_compressed_for_a_client_that_accepts_it(contacts):
    plain, body = asked(contacts, "/contacts?per_page=30")
    zipped, small = asked(contacts, "/contacts?per_page=30", **GZIP)
    assert zipped["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain
    assert data_of(gzip.decompress(small)) == data_of(body)
    assert int(zipped["Content-Length"]) == len(small) < len(body) / 4
    assert plain["Vary"] == zipped["Vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize(
    ("accepted", "is_zipped"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.5", True),
        ("gzip, deflate, br, zstd", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0, identity", False),
        ("br", False),
        ("identity", False),
        ("", False),
        ("notgzip", False),
    ],
)
def test_accept_encoding_decides(contacts, accepted, is_zipped):
    headers, body = asked(contacts, "/contacts", **{"Accept-Encoding": accepted})
    assert ("Content-Encoding" in headers) == is_zipped
    assert data_of(gzip.decompress(body) if is_zipped else body)


def test_csv_is_compressed_as_a_stream(contacts):
    _, body = asked(contacts, "/contacts", **CSV)
    headers, small = asked(contacts, "/contacts", **CSV, **GZIP)
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small) == body
    assert body.decode("utf-8-sig").count("Gärtnerei") == 30


def test_a_long_csv_has_the_same_bytes(organiser, db):
    """It is read in several pieces."""
    records = [{"company_name": f"Gärtnerei {number}"} for number in range(1300)]
    organiser.post("/bulk-import/contacts", {"records": records, "match_field": "external_id"})
    job.run(db, lambda: False)
    job.finish()
    _, body = asked(organiser, "/contacts", **CSV)
    _, small = asked(organiser, "/contacts", **CSV, **GZIP)
    assert gzip.decompress(small) == body
    assert body.count(b"\r\n") == 1301


def test_a_short_body_is_not_compressed(organiser):
    organiser.make("/contacts", {"company_name": "Rosen KG"})
    headers, body = asked(organiser, "/contacts", **GZIP)
    assert "Content-Encoding" not in headers and len(body) < 2000


def test_what_has_an_etag_is_not_compressed(organiser):
    contact = organiser.make("/contacts", {"company_name": "Rosen KG", "notes": "x" * 5000})
    headers, body = asked(organiser, f"/contacts/{contact['id']}", **GZIP)
    assert "ETag" in headers and "Content-Encoding" not in headers
    assert len(body) > 5000
    organiser.patch(
        f"/contacts/{contact['id']}",
        {"city": "Ulm"},
        headers={"If-Match": headers["ETag"]},
        status=200,
    )
    headers, body = asked(organiser, f"/contacts/{contact['id']}?include=categories", **GZIP)
    assert "ETag" not in headers and headers["Content-Encoding"] == "gzip"
    assert data_of(gzip.decompress(body))["notes"] == "x" * 5000


def test_a_response_to_a_write_is_not_compressed(organiser):
    body = {"company_name": "Rosen KG", "notes": "x" * 5000}
    answer = organiser.post("/contacts", body, headers=GZIP, status=201)
    assert "Content-Encoding" not in answer.headers
    answer = organiser.patch(f"/contacts/{answer.json['data']['id']}", body, headers=GZIP)
    assert "Content-Encoding" not in answer.headers


def test_an_error_is_not_compressed(organiser):
    query = "&".join(f"unknown_{number}=1" for number in range(150))
    answer = organiser.get(f"/contacts?{query}", headers=GZIP, status=422)
    assert "Content-Encoding" not in answer.headers and len(answer.body) > 2000


def test_head_has_the_headers_of_get(contacts):
    same = {**GZIP, "X-Request-ID": "same"}
    got, _ = asked(contacts, "/contacts", **same)
    headers, body = asked(contacts, "/contacts", "HEAD", **same)
    assert body == b""
    names = ("Content-Encoding", "Vary", "Content-Type", "Content-Length")
    assert [headers[name] for name in names] == [got[name] for name in names]


def test_the_length_of_each_compressed_response_is_its_own(shared):
    """A file that names its length before it is made, such as that for DATEV, has another one as
    gzip.
    """
    settings = shared.organiser.app.app.settings
    found = set()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in DATEV.items():
            patch.setattr(settings, name, value)
        for route in ROUTES:
            if route.method != "GET":
                continue
            path = address(route).removeprefix("/api/v1")
            query = "?year=2026&month=5" if "/datev" in path else ""
            for form in {"application/json", "text/csv"}.intersection(route.options.offered):
                sent = webob.Request.blank(
                    f"/api/v1{path}{query}",
                    headers={
                        **GZIP,
                        "Accept": form,
                        "Authorization": f"Bearer {shared.organiser.key}",
                    },
                )
                answer = sent.get_response(shared.organiser.app.app)
                if answer.headers.get("Content-Encoding") != "gzip":
                    continue
                found.add(path)
                gzip.decompress(answer.body)
                length = answer.headers.get("Content-Length", len(answer.body))
                assert int(length) == len(answer.body), path
    assert {"/reports/datev", "/reports/datev/debtors", "/contacts"} <= found
