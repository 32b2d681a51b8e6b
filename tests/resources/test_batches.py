"""Batches: one action for many records, by the handlers of the single requests."""

import inspect
import json
import threading
from pathlib import Path

import pytest
import webtest

from eventapi.app import App, routes
from eventapi.calls import batches
from eventapi.domain.billing import issuing
from eventapi.domain.people import applications
from eventapi.storage.errors import Busy, Full
from eventapi.validation.batch_schemas import batch_fields
from eventapi.validation.schema_files import body_schema, document
from tests.support.client import Client
from tests.support.examples import make

# The table of the contract.
ACTIONS = {
    "applications": ["review", "approve", "reject", "waitlist"],
    "participants": ["create", "confirm", "cancel", "invoice", "link", "contract"],
    "booths": ["create", "layout", "delete"],
    "booth-reservations": ["create", "confirm", "cancel"],
    "service-orders": ["submit", "confirm", "cancel"],
    "invoices": ["send", "remind", "mail"],
    "documents": ["create", "request-signature"],
    "submissions": ["approve", "reject", "request-revision"],
    "links": ["create", "mail", "remind", "revoke"],
}
# Fields of single requests that hold for one record only.
LEFT_OUT = {
    ("applications", "approve"): {"contact_id", "customer_number"},
    ("invoices", "send"): {"payments"},
    ("invoices", "mail"): {"to"},
}
STAND = {"description": "Row stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
LARGE = {**STAND, "unit_price": 300}  # above 250 with tax, so that the buyer needs an address
KEY = {"Idempotency-Key": "batch-1"}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let transactions last as long as they take, so that a slow machine does not divide them
    elsewhere.
    """
    monkeypatch.setattr(batches, "LONGEST", 99)


@pytest.fixture
def batch(organiser):
    """Return a function that sends a batch and returns its data: batch("invoices", "send", [1, 2],
    mail=False).
    """

    def send(resource, action, ids=None, *, client=organiser, headers=None, **fields):
        body = {"action": action, **({"ids": ids} if ids is not None else {}), **fields}
        return client.post(f"/{resource}/batch", body, headers=headers, status=200).json["data"]

    return send


@pytest.fixture
def applied(organiser, event):
    """Return the ids of three new applications."""
    return [
        organiser.make(
            "/applications",
            {
                "company_name": f"Firma {name}",
                "email": f"{name}@example.org",
                "event_keys": ["fair"],
            },
        )["id"]
        for name in "abc"
    ]


@pytest.fixture
def contact(organiser):
    return organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
            "address": "Weg 1",
            "postal_code": "1010",
            "city": "Wien",
            "country": "AT",
            "email": "office@muster.example",
        },
    )


@pytest.fixture
def draft(organiser, contact):
    """Return a function that creates a draft and returns its id."""
    return lambda **fields: organiser.make(
        "/invoices", {"contact_id": contact["id"], "items": [STAND], **fields}
    )["id"]


@pytest.fixture
def contracts(organiser):
    """Return the ids of two contracts."""
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    template = organiser.make(
        "/documents/templates",
        {"name": "Contract", "body": "<p>{{event.title}}</p>", "is_contract": True},
    )
    return [
        organiser.make(
            "/documents", {"entity_type": "event", "entity_id": 1, "template_id": template["id"]}
        )["id"]
        for _ in range(2)
    ]


def statuses(data):
    return [(result["status"], result.get("code")) for result in data["results"]]


def table():
    """Return resource -> Route of its batch.

    Pages of the desk that send a batch are no such routes.
    """
    return {
        route.options.resource: route
        for route in routes()
        if route.options.batch and not route.options.page
    }


# What there is


def test_the_batches_are_those_of_the_contract():
    found = {
        resource: document(route.options.singular)["$defs"]["batch"]["x-actions"]
        for resource, route in table().items()
    }
    assert found == ACTIONS
    assert {f"/api/v1/{resource}/batch" for resource in ACTIONS} == {
        route.path for route in table().values()
    }


def test_the_guide_lists_each_batch_once():
    guide = (Path(__file__).parents[2] / "docs/guides/batches.md").read_text()
    table = guide.partition("| --- | --- |\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert sorted(rows) == sorted(
        [resource, ", ".join(actions)] for resource, actions in ACTIONS.items()
    )


@pytest.mark.parametrize(
    "resource, action",
    [
        (resource, action)
        for resource, actions in ACTIONS.items()
        for action in actions
        if action != "layout"
    ],
)
def test_an_action_takes_the_fields_of_its_single_request(resource, action):
    method, end = {"create": ("POST", ""), "delete": ("DELETE", "/<id>")}.get(
        action, ("POST", f"/<id>/{action}")
    )
    path = f"/api/v1/{resource}{end}"
    (single,) = [route for route in routes() if (route.method, route.path) == (method, path)]
    options, singular = single.options, table()[resource].options.singular
    if action != "create":
        fields = body_schema(options.schema)["properties"] if options.schema else {}
        offered = batch_fields(document(singular), action)
        left_out = LEFT_OUT.get((resource, action), set()) | {"dry_run"}  # each batch has it
        assert offered.keys() == fields.keys() - left_out
        assert all(offered[field] == fields[field] for field in offered)
    assert not (
        options.prepare or options.in_pieces or options.raw_body or options.reads or options.dry_run
    )
    assert inspect.signature(single.handler).parameters.keys() <= {
        "db",
        "who",
        "id",
        "body",
        "before",
    }


def test_the_reference_documents_a_batch_once(shared):
    operation = shared.document["paths"]["/api/v1/applications/batch"]["post"]
    schemas = shared.document["components"]["schemas"]
    body = schemas[
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    ]
    assert set(body["properties"]) >= {"action", "ids", "dry_run", "reason", "event_keys"}
    assert "items" not in body["properties"] and "contact_id" not in body["properties"]
    responses = {
        json.dumps(
            shared.document["paths"][f"/api/v1/{name}/batch"]["post"]["responses"]["200"]["content"]
        )
        for name in ACTIONS
    }
    assert len(responses) == 1


# Results


def test_each_entry_has_the_status_of_its_single_request(organiser, batch, applied):
    data = batch("applications", "review", [*applied, 999])
    assert statuses(data) == [(200, None)] * 3 + [(404, "not_found")]
    assert (data["done"], data["refused"], data["dry_run"]) == (3, 1, False)
    assert [result["index"] for result in data["results"]] == [0, 1, 2, 3]
    assert data["results"][0]["data"] == organiser.data(f"/applications/{applied[0]}")
    assert data["results"][3] == {
        "index": 3,
        "status": 404,
        "code": "not_found",
        "detail": "Application 999 not found.",
    }


def test_a_result_has_the_meta_of_the_single_request_without_request_id(batch, applied):
    batch("applications", "review", applied)
    assert [result["meta"] for result in batch("applications", "approve", applied)["results"]] == [
        {"skipped": [], "warnings": []}
    ] * 3


def test_a_refused_entry_has_the_further_members_of_its_problem(organiser, batch, draft):
    buyer = organiser.make("/contacts", {"last_name": "Nobody"})["id"]
    good, bad = draft(), draft(contact_id=buyer, items=[LARGE])
    data = batch("invoices", "send", [bad, good])
    assert statuses(data) == [(409, "invoice_incomplete"), (200, None)]
    assert (
        "contact.address" in data["results"][0]["problem"]["missing"]
        and "data" not in data["results"][0]
    )


def test_prefer_minimal_leaves_the_records_out(organiser, applied):
    answer = organiser.post(
        "/applications/batch",
        {"action": "review", "ids": [*applied, 999]},
        headers={"Prefer": "return=minimal"},
        status=200,
    )
    assert answer.headers["Preference-Applied"] == "return=minimal"
    assert answer.json["data"]["results"][:3] == [
        {"index": index, "status": 200} for index in range(3)
    ]
    assert (
        answer.json["data"]["results"][3]["code"] == "not_found"
        and answer.json["data"]["done"] == 3
    )


def test_202_counts_as_done(batch, draft, settings, db):
    settings.smtp_host, settings.smtp_sender = "smtp.messe.test", "office@messe.test"
    ids = [draft(), draft()]
    batch("invoices", "send", ids, mail=False)
    data = batch("invoices", "mail", ids, language="en", text="Here is another copy.")
    assert statuses(data) == [(202, None)] * 2 and data["done"] == 2
    assert [result["meta"] for result in data["results"]] == [{"mail": {"status": "queued"}}] * 2
    assert db.connection.execute("SELECT count(*) FROM mails").fetchone() == (2,)
    assert batch("invoices", "mail", ids, dry_run=True)["done"] == 2
    assert db.connection.execute("SELECT count(*) FROM mails").fetchone() == (2,), (
        "a dry run mails nothing"
    )


def test_200_refusals_are_200_results(batch):
    data = batch("applications", "approve", list(range(1, 201)))
    assert (data["done"], data["refused"]) == (0, 200) and {*statuses(data)} == {(404, "not_found")}


def test_later_entries_see_earlier_ones(batch, event, contact):
    item = {"event_key": "fair", "contact_id": contact["id"]}
    data = batch("participants", "create", items=[item, item])
    assert statuses(data) == [(201, None), (409, "duplicate")]


def test_an_entry_that_fails_unexpectedly_is_refused_and_stops_no_other(
    organiser, batch, applied, monkeypatch, caplog
):
    move = applications.move

    def fail(db, application, action, **more):
        moved = move(db, application, action, **more)
        if application["id"] == applied[1]:
            raise KeyError("a bug")
        return moved

    monkeypatch.setattr(applications, "move", fail)
    data = batch("applications", "review", applied)
    assert statuses(data) == [(200, None), (500, "internal_error"), (200, None)]
    assert "a bug" in caplog.text and "a bug" not in json.dumps(data)
    assert [organiser.data(f"/applications/{id}")["status"] for id in applied] == [
        "in_review",
        "new",
        "in_review",
    ]


def test_a_refusal_that_keeps_what_it_found_keeps_it(organiser, batch, hall, contact, db):
    """The hold has expired. The refusal of `confirm` records that, also in a batch."""
    booth = organiser.make("/booths", {"plan_id": hall, "fixed_price": 100})["id"]
    participant = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": contact["id"]}
    )["id"]
    hold = organiser.make(
        "/booth-reservations", {"booth_id": booth, "event_participant_id": participant}
    )["id"]
    with db.write():
        db.connection.execute("UPDATE booth_reservations SET expires_at = '2020-01-01T00:00:00Z'")
    single = statuses(batch("booth-reservations", "confirm", [hold], dry_run=True))
    assert (
        single == statuses(batch("booth-reservations", "confirm", [hold])) and single[0][0] == 409
    )
    assert db.connection.execute("SELECT status FROM booth_reservations").fetchone() == ("expired",)


def test_an_api_key_in_a_refused_item_is_not_returned(batch, event):
    data = batch(
        "participants",
        "create",
        items=[{"event_key": "evk_abcdefghijkl", "contact_id": 1, "role": "evk_x"}],
    )
    assert data["refused"] == 1 and "abcdefghijkl" not in json.dumps(data)


def test_if_match_is_not_looked_at(organiser, applied):
    organiser.post(
        "/applications/batch",
        {"action": "review", "ids": applied},
        headers={"If-Match": '"old"'},
        status=200,
    )


# Refused as a whole

WRONG = [
    ("applications", {}, {"/action": "required"}),
    ("applications", {"action": "frob", "ids": [1]}, {"/action": "enum"}),
    ("applications", {"action": ["approve"], "ids": [1]}, {"/action": "type"}),
    ("applications", {"action": "approve"}, {"/ids": "required"}),
    (
        "applications",
        {"action": "approve", "items": [{}]},
        {"/ids": "required", "/items": "unknown"},
    ),
    ("applications", {"action": "approve", "ids": [1], "items": [{}]}, {"/items": "unknown"}),
    ("applications", {"action": "approve", "ids": []}, {"/ids": "min_items"}),
    ("applications", {"action": "approve", "ids": None}, {"/ids": "type"}),
    ("applications", {"action": "approve", "ids": "1"}, {"/ids": "type"}),
    ("applications", {"action": "approve", "ids": {"1": 1}}, {"/ids": "type"}),
    ("applications", {"action": "approve", "ids": list(range(1, 202))}, {"/ids": "max_items"}),
    ("applications", {"action": "approve", "ids": ["1"]}, {"/ids/0": "type"}),
    ("applications", {"action": "approve", "ids": [True]}, {"/ids/0": "type"}),
    ("applications", {"action": "approve", "ids": [1.5]}, {"/ids/0": "type"}),
    ("applications", {"action": "approve", "ids": [0]}, {"/ids/0": "minimum"}),
    ("applications", {"action": "approve", "ids": [-1]}, {"/ids/0": "minimum"}),
    (
        "applications",
        {"action": "approve", "ids": [None, [], {}]},
        {f"/ids/{place}": "type" for place in range(3)},
    ),
    ("applications", {"action": "approve", "ids": [7, 8, 7]}, {"/ids/2": "duplicate"}),
    ("applications", {"action": "approve", "ids": [7, 7.0]}, {"/ids/1": "duplicate"}),
    ("applications", {"action": "approve", "ids": [1], "reason": "x"}, {"/reason": "unknown"}),
    (
        "applications",
        {"action": "approve", "ids": [1], "contact_id": 1},
        {"/contact_id": "unknown"},
    ),
    (
        "applications",
        {"action": "approve", "ids": [1], "event_keys": "fair"},
        {"/event_keys": "type"},
    ),
    ("applications", {"action": "reject", "ids": [1]}, {"/reason": "required"}),
    ("applications", {"action": "reject", "ids": [1], "reason": 5}, {"/reason": "type"}),
    ("applications", {"action": "review", "ids": [1], "dry_run": "yes"}, {"/dry_run": "type"}),
    ("applications", {"action": "review", "ids": [1], "dry_run": None}, {"/dry_run": "type"}),
    (
        "applications",
        {"action": "review", "ids": [1, 1], "frob": 1},
        {"/ids/1": "duplicate", "/frob": "unknown"},
    ),
    ("participants", {"action": "create"}, {"/items": "required"}),
    ("participants", {"action": "create", "ids": [1]}, {"/items": "required", "/ids": "unknown"}),
    ("participants", {"action": "create", "items": []}, {"/items": "min_items"}),
    ("participants", {"action": "create", "items": [{}] * 201}, {"/items": "max_items"}),
    (
        "participants",
        {"action": "create", "items": [1, None, [], "x"]},
        {f"/items/{place}": "type" for place in range(4)},
    ),
    ("participants", {"action": "create", "items": [{}], "role": "visitor"}, {"/role": "unknown"}),
    ("invoices", {"action": "mail", "ids": [1], "to": "a@example.org"}, {"/to": "unknown"}),
    ("invoices", {"action": "send", "ids": [1], "payments": []}, {"/payments": "unknown"}),
    (
        "booths",
        {"action": "layout", "ids": [1], "plan_id": 1, "rows": []},
        {"/ids": "unknown", "/rows": "min_items"},
    ),
    ("booths", {"action": "layout"}, {"/plan_id": "required", "/rows": "required"}),
]


@pytest.mark.parametrize("resource, body, faults", WRONG)
def test_a_request_that_is_wrong_as_a_whole_is_422(shared, resource, body, faults):
    answer = shared.organiser.post(f"/{resource}/batch", body, status=422).json
    assert {entry["pointer"]: entry["code"] for entry in answer["errors"]} == faults


@pytest.mark.parametrize("resource", ACTIONS)
@pytest.mark.parametrize("body", [[], "x", 1, None, {}, [[]]])
def test_a_body_that_is_no_batch_is_422(shared, resource, body):
    shared.organiser.post(f"/{resource}/batch", raw=json.dumps(body).encode(), status=422)


def test_an_id_of_64_bits_is_unknown_and_a_larger_one_is_refused(shared):
    body = {"action": "review", "ids": [2**63 - 1, 3.0]}
    data = shared.organiser.post("/applications/batch", body, status=200).json["data"]
    assert statuses(data) == [(404, "not_found")] * 2
    assert data["results"][1]["detail"] == "Application 3 not found."
    shared.organiser.post("/applications/batch", {"action": "review", "ids": [2**63]}, status=400)


def test_a_wrong_item_is_a_refused_entry_with_pointers_into_the_item(batch, event, contact):
    data = batch(
        "participants",
        "create",
        items=[{"role": 5, "frob": 1}, {"event_key": "fair", "contact_id": contact["id"]}],
    )
    first, second = data["results"]
    assert {entry["pointer"] for entry in first["errors"]} >= {"/role", "/frob"} and first[
        "status"
    ] == 422
    assert second["status"] == 201


def test_items_are_checked_before_the_transaction(batch, db, monkeypatch):
    """An item with many faults takes long to check, and other writers would wait."""
    seen, ready = [], batches.EachEntry.ready

    def noted(self, index):
        with db.write(wait=0):  # Busy if the batch holds the write lock
            seen.append(index)
        return ready(self, index)

    monkeypatch.setattr(batches.EachEntry, "ready", noted)
    assert batch("participants", "create", items=[{}, {}])["refused"] == 2 and seen == [0, 1]


# Scopes


def test_the_scope_of_the_action_is_required(person, event):
    person("events").post("/applications/batch", {"action": "review", "ids": [1]}, status=403)
    person("applications:read").post(
        "/applications/batch", {"action": "review", "ids": [1]}, status=403
    )
    person("applications:create").post(
        "/applications/batch", {"action": "review", "ids": [1]}, status=403
    )
    person("applications").post("/applications/batch", {"action": "review", "ids": [1]}, status=200)


def test_billing_participants_also_needs_scope_and_flag_invoices(person, organiser, db):
    body = {"action": "invoice", "ids": [1]}
    refused = person("participants").post("/participants/batch", body, status=403).json
    assert (refused["code"], refused["scope"]) == ("insufficient_scope", "invoices")
    assert (
        person("invoices").post("/participants/batch", body, status=403).json["scope"]
        == "participants"
    )
    both = person("participants invoices")
    assert statuses(both.post("/participants/batch", body, status=200).json["data"]) == [
        (404, "not_found")
    ]
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = 'invoices'")
    assert both.post("/participants/batch", body, status=403).json["flag"] == "invoices"
    both.post("/participants/batch", {"action": "confirm", "ids": [1]}, status=200)


def test_the_scope_of_the_record_of_an_entry_refuses_the_entry_only(organiser, person, contracts):
    organiser.make("/contacts", {"last_name": "Lovelace"})
    items = [
        {"entity_type": kind, "entity_id": 1, "template_id": 1} for kind in ("event", "contact")
    ]
    data = (
        person("documents events:read")
        .post("/documents/batch", {"action": "create", "items": items}, headers=KEY, status=200)
        .json["data"]
    )
    assert statuses(data) == [(201, None), (403, "insufficient_scope")]
    assert data["results"][1]["problem"]["scope"] == "contacts:read"


# Money


def test_a_refused_invoice_burns_no_number(organiser, batch, draft, contact):
    nobody = organiser.make("/contacts", {"last_name": "Nobody"})["id"]
    ids = [
        draft(contact_id=nobody if place % 3 == 1 else contact["id"], items=[LARGE])
        for place in range(9)
    ]
    data = batch("invoices", "send", ids, mail=False)
    numbers = [
        result["data"]["invoice_number"] for result in data["results"] if result["status"] == 200
    ]
    assert [int(number[-5:]) for number in numbers] == [1, 2, 3, 4, 5, 6]
    assert not any(series["gaps"] for series in organiser.data("/invoices/numbering"))


def test_an_invoice_that_fails_after_its_number_was_taken_burns_none(batch, draft, monkeypatch, db):
    ids, add = [draft() for _ in range(3)], issuing.mails.add

    def fail(db, kind, row, mail):
        if row["id"] == ids[1]:
            raise RuntimeError("after the number")
        return add(db, kind, row, mail)

    monkeypatch.setattr(issuing.mails, "add", fail)
    data = batch("invoices", "send", ids)
    assert statuses(data) == [(200, None), (500, "internal_error"), (200, None)]
    assert [result["data"]["invoice_number"][-5:] for result in data["results"][::2]] == [
        "00001",
        "00002",
    ]
    assert db.connection.execute(
        "SELECT count(*) FROM audit_log WHERE action = 'sent'"
    ).fetchone() == (2,)
    assert db.connection.execute(
        "SELECT count(*) FROM outgoing_events WHERE name = 'invoice.sent'"
    ).fetchone() == (2,)


def test_each_entry_is_journalled_with_the_request(organiser, batch, applied):
    batch("applications", "review", applied)
    entries = organiser.data("/audit-log?entity_type=application&per_page=100")
    reviewed = [entry for entry in entries if entry["action"] not in ("created",)]
    assert sorted(entry["entity_id"] for entry in reviewed) == sorted(applied)
    assert (
        len({entry["request_id"] for entry in reviewed}) == 1
        and reviewed[0]["admin_name"] == "Ada Lovelace"
    )


# Dry runs


def state(db):
    """Return the number of rows of each table, and the values of all counters."""
    names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    return {
        name: db.connection.execute(f'SELECT * FROM "{name}"').fetchall()
        for name in names
        if name != "api_keys"
    }


def test_a_dry_run_changes_nothing_and_returns_no_number(batch, draft, db):
    ids, before = [draft(), draft()], None
    before = state(db)
    data = batch("invoices", "send", ids, dry_run=True, headers=KEY)
    assert state(db) == before and data["dry_run"] is True and data["done"] == 2
    assert [
        (result["data"]["id"], result["data"]["status"], result["data"]["invoice_number"])
        for result in data["results"]
    ] == [(ids[0], "sent", None), (ids[1], "sent", None)]
    assert batch("invoices", "send", ids, headers=KEY)["results"][0]["data"][
        "invoice_number"
    ].endswith("00001")


def test_a_dry_run_returns_what_would_be_refused(batch, event, contact, db):
    item = {"event_key": "fair", "contact_id": contact["id"]}
    data = batch("participants", "create", items=[item, item, {}], dry_run=True)
    assert [status for status, _ in statuses(data)] == [201, 409, 422]
    record = data["results"][0]["data"]
    assert (record["id"], record["badge_number"], record["contact_id"]) == (
        None,
        None,
        contact["id"],
    )
    assert record["customer_number"] == contact["customer_number"]
    assert db.connection.execute("SELECT count(*) FROM participants").fetchone() == (0,)


def test_a_dry_run_of_an_approval_hides_the_contact_that_it_would_create(batch, applied, contact):
    batch("applications", "review", applied)
    found = batch("applications", "approve", applied, dry_run=True)["results"][0]["data"]
    assert (found["status"], found["contact_id"], found["customer_number"]) == (
        "approved",
        None,
        None,
    )


def test_a_dry_run_sees_only_its_own_transaction(batch, event, contact, monkeypatch):
    monkeypatch.setattr(batches, "MOST", 1)
    item = {"event_key": "fair", "contact_id": contact["id"]}
    assert (
        statuses(batch("participants", "create", items=[item, item], dry_run=True))
        == [(201, None)] * 2
    )


# Repeated requests


def test_the_same_request_again_returns_the_same_results_and_does_nothing(organiser, applied):
    body = {"action": "review", "ids": [*applied, 999]}
    first = organiser.post("/applications/batch", body, headers=KEY, status=200)
    again = organiser.post("/applications/batch", body, headers=KEY, status=200)
    assert again.json["data"] == first.json["data"] and "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(organiser.data("/audit-log?entity_type=application&per_page=100")) == 6


def test_the_key_cannot_be_used_for_another_batch(organiser, applied):
    organiser.post(
        "/applications/batch", {"action": "review", "ids": applied}, headers=KEY, status=200
    )
    for body, path in (
        ({"action": "review", "ids": applied[:1]}, "applications"),
        ({"action": "review", "ids": applied, "dry_run": False}, "applications"),
        ({"action": "confirm", "ids": applied}, "participants"),
    ):
        answer = organiser.post(f"/{path}/batch", body, headers=KEY, status=422).json
        assert answer["code"] == "idempotency_key_reused"


def test_a_key_with_another_form_is_refused(organiser):
    for key in ("a b", "x" * 256):
        organiser.post(
            "/applications/batch",
            {"action": "review", "ids": [1]},
            headers={"Idempotency-Key": key},
            status=422,
        )


@pytest.mark.parametrize("killed_in", range(4))
def test_a_request_that_was_killed_continues_with_its_key(
    organiser, batch, draft, monkeypatch, killed_in
):
    """Nothing is done twice, nothing is lost, and no number is missing."""
    ids, execute = [draft() for _ in range(7)], batches.EachEntry.execute
    monkeypatch.setattr(batches, "MOST", 2)

    def killed(self, db, start, dry_run):
        found = execute(self, db, start, dry_run)
        if start == 2 * killed_in:
            raise Busy
        return found

    monkeypatch.setattr(batches.EachEntry, "execute", killed)
    body = {"action": "send", "ids": ids, "mail": False}
    organiser.post("/invoices/batch", body, headers=KEY, status=503)
    monkeypatch.setattr(batches.EachEntry, "execute", execute)
    data = organiser.post("/invoices/batch", body, headers=KEY, status=200).json["data"]
    assert [result["data"]["invoice_number"][-5:] for result in data["results"]] == [
        f"{n:05}" for n in range(1, 8)
    ]
    assert [result["index"] for result in data["results"]] == list(range(7))
    assert (
        len(
            [
                entry
                for entry in organiser.data("/audit-log?entity_type=invoice&per_page=100")
                if entry["action"] == "sent"
            ]
        )
        == 7
    )


def test_without_a_key_the_results_of_committed_transactions_are_returned(
    organiser, batch, applied, monkeypatch
):
    """The client could not know otherwise what was done."""
    execute = batches.EachEntry.execute
    monkeypatch.setattr(batches, "MOST", 2)

    def fail(self, db, start, dry_run):
        if start:
            raise Full("no space")
        return execute(self, db, start, dry_run)

    monkeypatch.setattr(batches.EachEntry, "execute", fail)
    data = batch("applications", "review", applied)
    assert statuses(data) == [(200, None), (200, None), (507, "insufficient_storage")]
    assert organiser.data(f"/applications/{applied[2]}")["status"] == "new"


def test_two_of_the_same_request_at_once_do_everything_once(
    settings, organiser, draft, monkeypatch
):
    """Each continues where the other is. All get the same results."""
    ids, answers, start = [draft() for _ in range(12)], [], threading.Barrier(4)
    monkeypatch.setattr(batches, "MOST", 3)
    settings.threads = 8
    app = App(settings)
    clients = [Client(webtest.TestApp(app), organiser.key) for _ in range(4)]

    def send(client):
        start.wait()
        answers.append(
            client.post(
                "/invoices/batch", {"action": "send", "ids": ids, "mail": False}, headers=KEY
            )
        )

    threads = [threading.Thread(target=send, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    app.connections.close()
    assert [answer.status_int for answer in answers] == [200] * 4
    assert len({json.dumps(answer.json["data"]) for answer in answers}) == 1
    numbers = [
        result["data"]["invoice_number"][-5:] for result in answers[0].json["data"]["results"]
    ]
    assert numbers == [f"{number:05}" for number in range(1, 13)]


def test_two_batches_over_the_same_records_do_everything_once(
    settings, organiser, draft, monkeypatch
):
    ids, answers, start = [draft() for _ in range(12)], [], threading.Barrier(2)
    monkeypatch.setattr(batches, "MOST", 3)
    app = App(settings)

    def send(order):
        client = Client(webtest.TestApp(app), organiser.key)
        start.wait()
        answers.append(
            client.post(
                "/invoices/batch", {"action": "send", "ids": order, "mail": False}, status=200
            )
        )

    threads = [threading.Thread(target=send, args=(order,)) for order in (ids, ids[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    app.connections.close()
    numbers = sorted(
        invoice["invoice_number"][-5:] for invoice in organiser.data("/invoices?per_page=100")
    )
    assert numbers == [f"{number:05}" for number in range(1, 13)]
    assert [answer.json["data"]["done"] for answer in answers] == [12, 12]


def test_erasing_a_person_erases_the_results_and_the_key_stays_used(organiser, applied, db):
    """The request again returns no results then, and executes nothing a second time."""
    organiser.post("/applications/batch", {"action": "review", "ids": applied}, status=200)
    body = {"action": "approve", "ids": applied}
    data = organiser.post("/applications/batch", body, headers=KEY, status=200).json["data"]
    organiser.post(f"/contacts/{data['results'][0]['data']['contact_id']}/anonymize", status=200)
    entries = db.connection.execute("SELECT count(*) FROM audit_log").fetchone()
    again = organiser.post("/applications/batch", body, headers=KEY, status=200).json["data"]
    assert again == {"results": [], "done": 0, "refused": 0, "dry_run": False}
    assert db.connection.execute("SELECT count(*) FROM audit_log").fetchone() == entries


def test_items_of_documents_need_a_key(organiser, contracts):
    body = {
        "action": "create",
        "items": [{"entity_type": "event", "entity_id": 1, "template_id": 1}],
    }
    refused = organiser.post("/documents/batch", body, status=422).json
    assert [(entry["parameter"], entry["code"]) for entry in refused["errors"]] == [
        ("Idempotency-Key", "required")
    ]
    first = organiser.post("/documents/batch", body, headers=KEY, status=200).json["data"]
    assert organiser.post("/documents/batch", body, headers=KEY, status=200).json["data"] == first
    assert len(organiser.data("/documents")) == 3
    organiser.post(
        "/documents/batch", {"action": "request-signature", "ids": contracts}, status=200
    )


# Contracts


def test_pages_are_drawn_before_the_transaction(organiser, batch, contracts, monkeypatch):
    from eventapi.domain.attachments import contracts as rules

    seen, freeze = [], rules.freeze

    def noted(db, row):
        seen.append(db.connection.in_transaction)
        return freeze(db, row)

    monkeypatch.setattr(rules, "freeze", noted)
    data = batch("documents", "request-signature", [*contracts, 999])
    assert statuses(data) == [(200, None), (200, None), (404, "not_found")] and seen == [
        False,
        False,
    ]


# Threads


def test_batches_occupy_at_most_half_of_the_threads(app, organiser):
    free, taken = app.app.places, 0
    while free.acquire(blocking=False):
        taken += 1
    try:
        assert taken == app.app.settings.threads // 2
        answer = organiser.post("/applications/batch", {"action": "review", "ids": [1]}, status=503)
        assert answer.json["code"] == "unavailable" and int(answer.headers["Retry-After"]) > 0
    finally:
        for _ in range(taken):
            free.release()
    for _ in range(taken + 1):  # a batch returns its place, a refused one too
        organiser.post("/applications/batch", {"action": "review", "ids": [1]}, status=200)
        organiser.post("/applications/batch", {"action": "reject", "ids": [1]}, status=422)


def test_a_transaction_ends_after_a_while(organiser, batch, applied, monkeypatch):
    writes, execute = [], batches.EachEntry.execute
    monkeypatch.setattr(batches, "LONGEST", -1)
    monkeypatch.setattr(
        batches.EachEntry, "execute", lambda *given: writes.append(given[2]) or execute(*given)
    )
    assert batch("applications", "review", applied)["done"] == 3 and writes == [0, 1, 2]


# Layouts


def lay_out(organiser, hall, *rows, status=200, **more):
    body = {"action": "layout", "plan_id": hall, "rows": list(rows), **more}
    return organiser.post("/booths/batch", body, status=status).json


def places(answer):
    """Return (number, x, y) of each booth of a response."""
    assert [result["index"] for result in answer["data"]["results"]] == list(
        range(answer["data"]["done"])
    )
    return [
        (booth["booth_number"], booth["position"]["x"], booth["position"]["y"])
        for booth in (result["data"] for result in answer["data"]["results"])
    ]


@pytest.mark.parametrize(
    "row, expected",
    [
        ({"first": "A1", "count": 3, "x": 2, "y": 4}, [("A1", 2, 4), ("A2", 5, 4), ("A3", 8, 4)]),
        (
            {"first": "A01", "count": 2, "x": 0, "y": 0, "width": 4.5, "gap": 0.25},
            [("A01", 0, 0), ("A02", 4.75, 0)],
        ),
        (
            {
                "first": "H1-009",
                "count": 2,
                "x": 0,
                "y": 9,
                "depth": 2,
                "direction": "down",
                "gap": 1,
            },
            [("H1-009", 0, 9), ("H1-010", 0, 12)],
        ),
        (
            {"first": "9", "count": 2, "x": 9, "y": 0, "direction": "left"},
            [("9", 9, 0), ("10", 6, 0)],
        ),
        (
            {"first": "A9b", "count": 2, "x": 0, "y": 9, "direction": "up"},
            [("A9b", 0, 9), ("A10b", 0, 6)],
        ),
        (
            {"first": "A1", "count": 2, "x": 0, "y": 0, "depth": 4, "gap": 1, "back_to_back": True},
            [("A1", 0, 0), ("A2", 4, 0), ("A3", 0, 4), ("A4", 4, 4)],
        ),
        (
            {"first": "A1", "count": 2, "x": 9, "y": 0, "direction": "left", "back_to_back": True},
            [("A1", 9, 0), ("A2", 6, 0), ("A3", 9, 3), ("A4", 6, 3)],
        ),
        (
            {
                "first": "A1",
                "count": 2,
                "x": 0,
                "y": 0,
                "width": 2,
                "direction": "down",
                "back_to_back": True,
            },
            [("A1", 0, 0), ("A2", 0, 3), ("A3", 2, 0), ("A4", 2, 3)],
        ),
        (
            {
                "first": "A1",
                "count": 2,
                "x": 0,
                "y": 9,
                "width": 2,
                "direction": "up",
                "back_to_back": True,
            },
            [("A1", 0, 9), ("A2", 0, 6), ("A3", 2, 9), ("A4", 2, 6)],
        ),
        (
            {"first": "A1", "count": 2, "x": 0, "y": 0, "width": 5, "depth": 2, "rotation": 90},
            [("A1", 0, 0), ("A2", 2, 0)],
        ),
    ],
)
def test_a_layout_places_the_booths_of_a_row(organiser, hall, row, expected):
    assert places(lay_out(organiser, hall, row)) == expected


def test_a_layout_creates_booths_as_single_requests_do(organiser, hall, db):
    organiser.make(
        "/booths/types",
        {"booth_type_key": "row", "booth_type_name": "Row", "price_model": "per_m2", "price": 100},
    )
    answer = lay_out(
        organiser,
        hall,
        {
            "first": "B1",
            "count": 2,
            "x": 1,
            "y": 1,
            "width": 3,
            "depth": 2,
            "booth_type_key": "row",
        },
    )
    assert [result["status"] for result in answer["data"]["results"]] == [201, 201]
    first = answer["data"]["results"][0]["data"]
    assert first == organiser.data(f"/booths/{first['id']}") and first["price"] == 600
    assert db.connection.execute(
        "SELECT count(*) FROM audit_log WHERE entity_type = 'booth'"
    ).fetchone() == (2,)


@pytest.mark.parametrize(
    "sizes, expected",
    [
        ({}, (3, 2, 600)),
        ({"width": 4}, (4, 3, 1200)),
        ({"width": 4, "depth": 2.5}, (4, 2.5, 1000)),
    ],
)
def test_a_row_has_the_usual_size_of_its_booth_type(organiser, hall, sizes, expected):
    # The form of exhibitors names the price of this size.
    organiser.make(
        "/booths/types",
        {
            "booth_type_key": "row",
            "booth_type_name": "Row",
            "price_model": "per_m2",
            "price": 100,
            "usual_width": 3,
            "usual_depth": 2,
        },
    )
    row = {"first": "B1", "count": 1, "x": 1, "y": 1, "booth_type_key": "row", **sizes}
    booth = lay_out(organiser, hall, row)["data"]["results"][0]["data"]
    size = booth["dimensions"]
    assert (size["width"], size["depth"], booth["price"]) == expected


def test_overlaps_of_a_layout_are_warnings_of_the_plan(organiser, hall):
    lay_out(
        organiser,
        hall,
        {"first": "A1", "count": 2, "x": 1, "y": 1},
        {"first": "B1", "count": 1, "x": 2, "y": 2},
    )
    assert "overlap" in json.dumps(organiser.data(f"/plans/{hall}/checks"))


@pytest.mark.parametrize(
    "rows, faults",
    [
        ([{"first": "A", "count": 1, "x": 0, "y": 0}], {"/rows/0/first": "no_digit"}),
        ([{"first": "A1", "count": 201, "x": 0, "y": 0}], {"/rows/0/count": "maximum"}),
        (
            [{"first": "A1", "count": 101, "x": 0, "y": 0, "back_to_back": True}],
            {"/rows": "too_many"},
        ),
        (
            [{"first": "A1", "count": 1, "x": 0, "y": 0}, {"count": 1, "x": 0, "y": 0}],
            {"/rows/1/first": "required"},
        ),
        ([{"first": "A1", "count": 1, "x": 0.0001, "y": 0}], {"/rows/0/x": "decimals"}),
        ([{"first": "A1", "count": 9, "x": 9999, "y": 0}], {"/rows/0/x": "maximum"}),
        (
            [{"first": "A1", "count": 1, "x": 0, "y": 0, "booth_type_key": "frob"}],
            {"/rows/0/booth_type_key": "unknown"},
        ),
        (
            [{"first": "A1", "count": 1, "x": 0, "y": 0, "direction": "north"}],
            {"/rows/0/direction": "enum"},
        ),
        ([{"first": "A1", "count": 1, "x": 0, "y": 0, "frob": 1}], {"/rows/0/frob": "unknown"}),
        (
            [{"first": 1, "count": "1", "x": True, "y": None}],
            {
                "/rows/0/first": "type",
                "/rows/0/count": "type",
                "/rows/0/x": "type",
                "/rows/0/y": "type",
            },
        ),
        ([1], {"/rows/0": "type"}),
        ([{"first": "9" * 50, "count": 2, "x": 0, "y": 0}], {"/rows/0/first": "max_length"}),
        ([{"first": "\u0663", "count": 1, "x": 0, "y": 0}], {"/rows/0/first": "no_digit"}),
    ],
)
def test_pointers_of_a_layout_begin_with_its_row(organiser, hall, rows, faults):
    answer = lay_out(organiser, hall, *rows, status=422)
    assert {entry["pointer"]: entry["code"] for entry in answer["errors"]} == faults
    assert organiser.data("/booths") == []


def test_a_layout_of_an_unknown_plan_is_422(organiser):
    answer = lay_out(organiser, 7, {"first": "A1", "count": 1, "x": 0, "y": 0}, status=422)
    assert [entry["pointer"] for entry in answer["errors"]] == ["/plan_id"]


@pytest.mark.parametrize(
    "rows",
    [
        [{"first": "A1", "count": 3, "x": 0, "y": 0}],
        [{"first": "B1", "count": 2, "x": 0, "y": 0}, {"first": "b2", "count": 1, "x": 0, "y": 9}],
    ],
)
def test_a_number_that_is_taken_or_twice_refuses_the_whole_layout(organiser, hall, rows):
    organiser.make("/booths", {"plan_id": hall, "booth_number": "a2"})
    assert lay_out(organiser, hall, *rows, status=409)["code"] == "duplicate"
    assert len(organiser.data("/booths")) == 1


def test_a_layout_has_dry_run_and_key(organiser, hall):
    body = {
        "action": "layout",
        "plan_id": hall,
        "rows": [{"first": "A1", "count": 2, "x": 0, "y": 0}],
    }
    dry = organiser.post("/booths/batch", {**body, "dry_run": True}, headers=KEY, status=200).json[
        "data"
    ]
    assert [
        (result["data"]["id"], result["data"]["booth_number"]) for result in dry["results"]
    ] == [(None, "A1"), (None, "A2")] and organiser.data("/booths") == []
    first = organiser.post("/booths/batch", body, headers=KEY, status=200)
    again = organiser.post("/booths/batch", body, headers=KEY, status=200)
    assert again.json["data"] == first.json["data"] and len(organiser.data("/booths")) == 2
    assert again.headers["Idempotency-Replayed"] == "true"


def test_200_booths_are_one_layout(organiser, hall):
    rows = [
        {"first": f"{letter}1", "count": 50, "x": 0, "y": y, "back_to_back": True}
        for letter, y in (("A", 0), ("B", 10))
    ]
    assert lay_out(organiser, hall, *rows)["data"]["done"] == 200


# Orders


def test_orders_are_submitted_and_confirmed(organiser, batch):
    ids = [make(organiser, "service_order")["id"] for _ in range(2)]
    assert batch("service-orders", "submit", ids)["done"] == 2
    data = batch("service-orders", "confirm", ids)
    assert [result["data"]["status"] for result in data["results"]] == ["confirmed"] * 2
    assert {result["data"]["order_number"][-5:] for result in data["results"]} == {"00001", "00002"}


# Booths


def test_many_booths_are_reserved_with_one_request_and_two_get_not_the_same(
    organiser, batch, hall, contact
):
    booths = [
        organiser.make("/booths", {"plan_id": hall, "fixed_price": 100 * number})["id"]
        for number in (1, 2)
    ]
    participant = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": contact["id"]}
    )["id"]
    items = [
        {"booth_id": booth, "participant_id": participant, "status": "confirmed"}
        for booth in (*booths, booths[0])
    ]
    assert batch("booth-reservations", "create", items=items, dry_run=True)["done"] == 2
    data = batch("booth-reservations", "create", items=items)
    assert statuses(data) == [(201, None), (201, None), (409, "booth_unavailable")]
    assert [result["data"]["final_price"] for result in data["results"][:2]] == [100, 200]
    assert (
        data["results"][2]["problem"]["blocked_by"]["reservation_id"]
        == data["results"][0]["data"]["id"]
    )
    assert [organiser.data(f"/booths/{booth}")["status"] for booth in booths] == ["sold", "sold"]


# Submissions


def test_submissions_are_reviewed_and_a_refusal_needs_its_reason(
    organiser, batch, event, contact, db
):
    participant = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": contact["id"]}
    )["id"]
    ids = []
    for number in range(3):
        organiser.make(
            "/submissions/types", {"event_key": "fair", "title": f"Text {number}", "input": "text"}
        )
        ids.append(
            organiser.make(
                "/submissions",
                {"participant_id": participant, "type_id": number + 1, "value": "Roses"},
            )["id"]
        )
    for action in ("reject", "request-revision"):
        faults = organiser.post(
            "/submissions/batch", {"action": action, "ids": ids}, status=422
        ).json["errors"]
        assert [(fault["pointer"], fault["code"]) for fault in faults] == [
            ("/feedback", "required")
        ]
    faults = organiser.post(
        "/submissions/batch", {"action": "approve", "ids": ids, "feedback": "Good."}, status=422
    ).json["errors"]
    assert [(fault["pointer"], fault["code"]) for fault in faults] == [("/feedback", "unknown")]
    assert batch("submissions", "approve", ids[:1])["done"] == 1
    data = batch("submissions", "reject", ids[:2], feedback="Too short.")
    assert statuses(data) == [(409, "invalid_transition"), (200, None)]
    assert (
        batch("submissions", "request-revision", ids[2:], feedback="Name your roses.")["done"] == 1
    )
    assert [
        (one["status"], one["feedback"])
        for one in map(organiser.data, (f"/submissions/{id}" for id in ids))
    ] == [
        ("approved", None),
        ("rejected", "Too short."),
        ("revision_requested", "Name your roses."),
    ]
    assert [
        row["type"]
        for row in map(dict, organiser.data("/webhooks/feed?per_page=100"))
        if row["type"].startswith("submission.") and row["type"] != "submission.created"
    ][-3:] == ["submission.approved", "submission.rejected", "submission.revision_requested"]
