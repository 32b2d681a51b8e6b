"""The client with a real server: records, lists, files and errors."""

import io
from datetime import date
from decimal import Decimal

import pytest

from eventapi.client import Client, Page, Problem, Record

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def companies(service):
    """Create 7 contacts and return their names."""
    names = [f"Company {number}" for number in range(7)]
    with Client(*service) as api:
        for name in names:
            api.post("/contacts", {"company_name": name, "tags": ["walk"]})
    return names


def test_from_a_contact_to_a_paid_invoice(api, tmp_path):
    event = api.post(
        "/events",
        {"title": "Garden Fair", "date_from": date(2099, 5, 1), "date_to": date(2099, 5, 3)},
    )
    assert event["date_from"] == "2099-05-01" and event.status == 201
    contact = api.post(
        "/contacts", {"company_name": "Rosen KG", "address": "Rosenweg 1", "city": "Leipzig"}
    )
    assert contact.headers["Location"].endswith(f"/contacts/{contact['id']}")
    participant = api.post("/participants", {"event_id": event["id"], "contact_id": contact["id"]})
    invoice = api.post(
        "/invoices",
        {
            "participant_id": participant["id"],
            "items": [{"description": "Booth A1", "quantity": 12, "unit_price": Decimal("150.50")}],
        },
    )
    assert invoice["total"] == Decimal("2149.14")
    sent = api.post(f"/invoices/{invoice['id']}/send", {"mail": False})
    payment = api.post(
        "/payments", {"invoice_number": sent["invoice_number"], "amount": sent["open_amount"]}
    )
    assert payment["amount"] == Decimal("2149.14")
    paid = api.get(f"/invoices/{invoice['id']}")
    assert (paid["status"], paid["open_amount"]) == ("paid", 0)
    assert type(paid) is Record and paid.meta["request_id"] == paid.headers["X-Request-ID"]


def test_amounts_stay_exact_where_floats_do_not(api):
    """0.1 + 0.2 of floats has too many decimals for an amount."""
    contact = api.post("/contacts", {"company_name": "Exact"})
    one = {"description": "x", "quantity": 1, "tax_rate": 0, "unit_price": Decimal("0.1")}
    items = [one, {**one, "unit_price": Decimal("0.2")}]
    invoice = api.post("/invoices", {"contact_id": contact["id"], "items": items})
    assert (
        sum(item["unit_price"] for item in invoice["items"]) == invoice["total"] == Decimal("0.3")
    )
    huge = Decimal("98765432109.87")
    assert (
        api.post(
            "/invoices", {"contact_id": contact["id"], "items": [{**one, "unit_price": huge}]}
        )["total"]
        == huge
    )


def test_a_list_yields_the_records_of_all_pages(api, companies):
    found = list(api.list("/contacts", tag="walk", sort="id", order="ASC", per_page=2))
    assert [contact["company_name"] for contact in found] == companies
    assert len(list(api.list("/contacts", ids=[contact["id"] for contact in found[:3]]))) == 3
    page = api.page("/contacts", tag="walk", per_page=5)
    assert type(page) is Page and len(page) == 5 and page.meta["total"] == 7
    assert {event["type"] for event in api.page("/webhooks/events")} >= {"contact.created"}


def test_a_list_and_a_record_are_not_mistaken_for_each_other(api, companies):
    with pytest.raises(TypeError, match="list"):
        api.get("/contacts")
    with pytest.raises(TypeError, match="get"):
        api.page("/contacts/1")


def test_parameters_may_be_boolean_and_lists_and_none(api):
    api.post("/events", {"title": "Hidden", "date_from": "2099-01-01", "is_visible": False})
    shown = api.page(
        "/events", visible=True, include=["opening_hours", "participant_count"], search=None
    )
    hidden = api.page("/events", visible=False)
    assert "Hidden" not in [event["title"] for event in shown] and [
        event["title"] for event in hidden
    ] == ["Hidden"]


def test_if_match_protects_a_change_of_somebody_else(api):
    contact = api.post("/contacts", {"company_name": "Twice"})
    changed = api.patch(f"/contacts/{contact['id']}", {"city": "Bonn"}, if_match=contact.etag)
    assert changed["city"] == "Bonn" and changed.etag != contact.etag
    for change in (api.put, api.patch):
        with pytest.raises(Problem) as caught:
            change(
                f"/contacts/{contact['id']}",
                {"company_name": "Mine", "city": "Köln"},
                if_match=contact.etag,
            )
        assert caught.value.code == "precondition_failed" and not caught.value.repeated
    with pytest.raises(Problem):
        api.delete(f"/contacts/{contact['id']}", if_match=contact.etag)
    assert api.delete(f"/contacts/{contact['id']}", if_match=changed.etag).status == 204


def test_a_response_without_etag_says_so(api, companies):
    """If it returned None, `if_match` would protect nothing."""
    with pytest.raises(ValueError, match="include"):
        assert api.page("/contacts").etag


def test_a_problem_document_is_an_exception_with_its_faults(api):
    with pytest.raises(Problem) as caught:
        api.post("/payments", {"amount": -5, "invoice_number": "INV-0", "colour": "red"})
    problem = caught.value
    assert (problem.status, problem.code) == (422, "validation_failed")
    assert {fault["pointer"]: fault["code"] for fault in problem.errors} == {
        "/amount": "exclusive_minimum",
        "/colour": "unknown",
    }
    assert (
        problem.request_id
        and problem.request_id in str(problem)
        and "/amount: must be" in str(problem)
    )
    with pytest.raises(Problem) as caught:
        list(api.list("/contacts", colour="red"))
    assert caught.value.errors[0]["parameter"] == "colour"
    with pytest.raises(Problem, match="404 not_found"):
        api.delete("/contacts/99999")


def test_a_file_goes_up_and_comes_down(api, tmp_path):
    contact = api.post("/contacts", {"company_name": "Files"})
    content = bytes(range(256)) * 4000
    (tmp_path / "plan.bin").write_bytes(content)

    def document():
        return api.post(
            "/documents",
            {"entity_type": "contact", "entity_id": contact["id"], "filename": "plan.bin"},
        )

    first, second = document(), document()
    assert api.upload(f"/documents/{first['id']}/content", tmp_path / "plan.bin")["size"] == len(
        content
    )
    source = io.BytesIO(b"skipped" + content)
    source.seek(7)
    assert api.upload(f"/documents/{second['id']}/content", source)["size"] == len(content)
    reply = api.download(f"/documents/{first['id']}/content", tmp_path / "copy.bin")
    assert (tmp_path / "copy.bin").read_bytes() == content and "plan.bin" in reply.headers[
        "Content-Disposition"
    ]
    target = io.BytesIO(b"before")
    target.seek(6)
    api.download(f"/documents/{second['id']}/content", target)
    assert target.getvalue() == b"before" + content
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.bin", "plan.bin"]


def test_a_refused_download_leaves_no_file(api, tmp_path):
    with pytest.raises(Problem, match="not_found"):
        api.download("/invoices/99999/pdf", tmp_path / "invoice.pdf")
    assert list(tmp_path.iterdir()) == []


def test_lists_come_as_csv_and_imports_go_up_as_csv(api, companies, tmp_path):
    (tmp_path / "new.csv").write_text("company_name,city\nImported,Kiel\n")
    assert (
        api.upload("/bulk-import/contacts", tmp_path / "new.csv", method="POST")["status"] == "done"
    )
    api.download("/contacts", tmp_path / "all.csv", accept="text/csv", search="Imported")
    assert "Kiel" in (tmp_path / "all.csv").read_text(encoding="utf-8")


def test_a_refused_upload_says_why(api, tmp_path):
    """The server responds before it has received everything."""
    with pytest.raises(Problem) as caught:
        api.upload("/documents/99999/content", io.BytesIO(bytes(60_000_000)))
    assert caught.value.code == "body_too_large"


def test_a_batch_of_any_number_of_entries_is_sent_in_parts_of_200(api, monkeypatch):
    sent, post = [], api.post

    def noted(path, body, **more):
        sent.append((path, len(body.get("ids") or body.get("items")), more["idempotency_key"]))
        return post(path, body, **more)

    monkeypatch.setattr(api, "post", noted)
    found = api.batch(
        "/applications", "reject", range(1, 402), reason="full", idempotency_key="fair"
    )
    assert sent == [
        ("/applications/batch", 200, "fair-0"),
        ("/applications/batch", 200, "fair-200"),
        ("/applications/batch", 1, "fair-400"),
    ]
    assert [result["index"] for result in found["results"]] == list(range(401))
    assert (found["done"], found["refused"]) == (0, 401) and found["results"][400][
        "code"
    ] == "not_found"
    assert api.batch("/applications", "review", []) == {"results": [], "done": 0, "refused": 0}
    made = api.batch("/participants", "create", [{}, {}], dry_run=True)
    assert [result["status"] for result in made["results"]] == [422, 422]
