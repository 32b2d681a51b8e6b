"""Each entry of a batch has the record, the status and the meta of its single request.

The same database gets the single requests first, and is then set back and gets the batch. The clock
stands still, so that all but VOLATILE is equal.
"""

import sqlite3

import pytest

from eventapi import times
from eventapi.app import routes
from eventapi.calls import batches
from eventapi.validation.schema_files import document

# Random values: their kind is compared only.
VOLATILE = {"badge_number", "ref", "url"}
PERSON = {"address": "Weg 1", "postal_code": "1010", "city": "Wien", "country": "AT"}
FEE = {"description": "Row stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}


class Show:
    """An event with two exhibitors, who are participants with links, and what the scenes add."""

    def __init__(self, organiser):
        self.make, self.post = organiser.make, organiser.post
        self.make(
            "/events",
            {
                "title": "Fair",
                "event_key": "fair",
                "date_from": "2031-05-01",
                "date_to": "2031-05-03",
                "timezone": "Europe/Berlin",
            },
        )
        self.make(
            "/categories",
            {"title": "Plants", "base_price": 450, "tax_rate": 19, "event_keys": ["fair"]},
        )
        self.contacts = [
            self.make(
                "/contacts",
                {
                    **PERSON,
                    "company_name": f"Firma {name}",
                    "language": "en",
                    "email": f"{name}@example.org",
                },
            )["id"]
            for name in "ab"
        ]
        organiser.patch(
            "/events/1/pages", {"my_is_open": True, "my_rights": ["profile", "booth"]}, status=200
        )

    def twice(self, path, fields, *others, actions=()):
        """Create two records with these fields and one of `others` each, do the actions, and return
        the ids.
        """
        ids = [self.make(path, {**fields, **other})["id"] for other in others or ({}, {})]
        for action in actions:
            for id in ids:
                self.post(f"{path}/{id}/{action}", {}, status=200)
        return ids

    def participants(self, **fields):
        return self.twice(
            "/participants",
            {"event_key": "fair", **fields},
            *({"contact_id": id} for id in self.contacts),
        )

    def applications(self):
        return self.twice(
            "/applications",
            {"event_keys": ["fair"], "category_keys": ["plants"], "company_name": "New"},
            {"email": "c@example.org"},
            {"email": "d@example.org"},
        )

    def plan(self):
        return self.make(
            "/plans", {"event_key": "fair", "plan_name": "Hall", "width": 40, "height": 40}
        )["id"]

    def reservations(self):
        """Return the bodies of two reservations."""
        plan = self.plan()
        booths = [
            self.make("/booths", {"plan_id": plan, "fixed_price": 100})["id"] for _ in range(2)
        ]
        return [
            {"booth_id": booth, "participant_id": id}
            for booth, id in zip(booths, self.participants(), strict=True)
        ]

    def orders(self):
        self.make(
            "/services",
            {
                "service_key": "power",
                "service_name": "Power",
                "base_price": 50,
                "events": [{"event_key": "fair", "base_price": 50}],
            },
        )
        return [
            self.make(
                "/service-orders",
                {"participant_id": id, "items": [{"service_id": 1, "quantity": 2}]},
            )["id"]
            for id in self.participants()
        ]

    def invoices(self, *actions):
        """Return the ids of two invoices that are due, after these actions."""
        return self.twice(
            "/invoices",
            {"items": [FEE], "due_date": None},
            *({"contact_id": id} for id in self.contacts),
            actions=actions,
        )

    def documents(self):
        """Return the bodies of two contracts."""
        self.make(
            "/documents/templates",
            {"name": "Contract", "body": "<p>{{event.title}}</p>", "is_contract": True},
        )
        return [
            {"entity_type": "event_participant", "entity_id": id, "template_id": 1}
            for id in self.participants()
        ]

    def submissions(self):
        self.make(
            "/submissions/types",
            {
                "event_key": "fair",
                "title": "Text",
                "key": "text",
                "input": "text",
                "needs_approval": True,
            },
        )
        return [
            self.make("/submissions", {"participant_id": id, "type_key": "text", "value": "Roses"})[
                "id"
            ]
            for id in self.participants()
        ]

    def contract(self):
        """Return the key of a template of contracts."""
        body = {"name": "Contract", "is_contract": True, "body": "<p>{{contact.name}}</p>"}
        return self.make("/documents/templates", body)["key"]

    def links(self):
        """Return the bodies of two links."""
        return [
            {"kind": "participant", "participant_id": id, "name": "Anna"}
            for id in self.participants()
        ]


# (resource, action) -> function of the Show that returns the ids or the items, and the fields of
# the action
SCENES = {
    ("applications", "review"): lambda show: (show.applications(), {}),
    ("applications", "approve"): lambda show: (show.applications(), {}),
    ("applications", "reject"): lambda show: (show.applications(), {"reason": "The hall is full."}),
    ("applications", "waitlist"): lambda show: (show.applications(), {}),
    ("participants", "create"): lambda show: (
        [{"event_key": "fair", "contact_id": id, "category_key": "plants"} for id in show.contacts],
        {},
    ),
    ("participants", "confirm"): lambda show: (show.participants(), {}),
    ("participants", "cancel"): lambda show: (show.participants(), {}),
    ("participants", "invoice"): lambda show: (
        show.participants(category_key="plants", is_confirmed=True),
        {},
    ),
    ("participants", "link"): lambda show: (show.participants(), {}),
    ("participants", "contract"): lambda show: (
        show.participants(),
        {"template_key": show.contract()},
    ),
    ("booths", "create"): lambda show: (
        [{"plan_id": show.plan(), "width": width} for width in (3, 4)],
        {},
    ),
    ("booths", "delete"): lambda show: (
        [show.make("/booths", {"plan_id": show.plan(), "width": width})["id"] for width in (3, 4)],
        {},
    ),
    ("booth-reservations", "create"): lambda show: (show.reservations(), {}),
    ("booth-reservations", "confirm"): lambda show: (
        [show.make("/booth-reservations", body)["id"] for body in show.reservations()],
        {},
    ),
    ("booth-reservations", "cancel"): lambda show: (
        [show.make("/booth-reservations", body)["id"] for body in show.reservations()],
        {},
    ),
    ("service-orders", "submit"): lambda show: (show.orders(), {}),
    ("service-orders", "confirm"): lambda show: (submitted(show), {}),
    ("service-orders", "cancel"): lambda show: (
        submitted(show),
        {"reason": "The fair does not take place."},
    ),
    ("invoices", "send"): lambda show: (show.invoices(), {}),
    ("invoices", "remind"): lambda show: (overdue(show), {}),
    ("invoices", "mail"): lambda show: (show.invoices("send"), {"text": "Here is another copy."}),
    ("documents", "create"): lambda show: (show.documents(), {}),
    ("documents", "request-signature"): lambda show: (
        [show.make("/documents", body)["id"] for body in show.documents()],
        {},
    ),
    ("submissions", "approve"): lambda show: (show.submissions(), {}),
    ("submissions", "reject"): lambda show: (show.submissions(), {"feedback": "Too short."}),
    ("submissions", "request-revision"): lambda show: (
        show.submissions(),
        {"feedback": "Name your roses."},
    ),
    ("links", "create"): lambda show: (show.links(), {}),
    ("links", "mail"): lambda show: (
        [show.make("/links", body)["id"] for body in show.links()],
        {},
    ),
    ("links", "remind"): lambda show: (
        [show.make("/links", body)["id"] for body in show.links()],
        {},
    ),
    ("links", "revoke"): lambda show: (
        [show.make("/links", body)["id"] for body in show.links()],
        {},
    ),
}
# has no single request; test_batches.py compares it with what GET returns
WHOLE = {("booths", "layout")}


def submitted(show):
    ids = show.orders()
    for id in ids:
        show.post(f"/service-orders/{id}/submit", {}, status=200)
    return ids


def overdue(show):
    """Return the ids of two sent invoices that were due long ago."""
    ids = []
    for number, contact in enumerate(show.contacts):
        fields = {
            "contact_id": contact,
            "items": [FEE],
            "invoice_number": f"OLD-{number}",
            "issue_date": "2026-01-01",
            "due_date": "2026-01-15",
        }
        ids.append(show.make("/invoices", fields)["id"])
        show.post(f"/invoices/{ids[-1]}/send", {"mail": False}, status=200)
    return ids


@pytest.fixture(autouse=True)
def still(settings, monkeypatch):
    """Stop the clock, let transactions last as long as they take, and let the server send mails."""
    monkeypatch.setattr(times, "now", lambda: "2030-01-01T12:00:00Z")
    monkeypatch.setattr(batches, "LONGEST", 99)
    for name, value in (
        ("smtp_host", "localhost"),
        ("smtp_sender", "office@example.org"),
        ("base_url", "https://show.example.org"),
    ):
        monkeypatch.setattr(settings, name, value)


def comparable(value):
    """Return a JSON value in which only the kind of VOLATILE values is left."""
    if isinstance(value, (list, tuple)):
        return [comparable(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        name: type(part).__name__ if name in VOLATILE else comparable(part)
        for name, part in value.items()
    }


def singles(organiser, resource, action, given, fields):
    """Return the responses of the single requests as a batch has them: (status, data, meta without
    request_id).
    """
    found = []
    for one in given:
        if action == "delete":
            found.append((organiser.delete(f"/{resource}/{one}").status_int, None, {}))
            continue
        path, body = (
            (f"/{resource}", one)
            if action == "create"
            else (f"/{resource}/{one}/{action}", fields or None)
        )
        response = organiser.post(path, body)
        meta = {
            name: value for name, value in response.json["meta"].items() if name != "request_id"
        }
        found.append((response.status_int, response.json.get("data"), meta))
    return found


def batch_of(organiser, resource, action, given, fields, key=None):
    """Return the results of a batch in the same form."""
    entries = {"items": given} if action == "create" else {"ids": given}
    headers = {"Idempotency-Key": key} if key else None
    results = organiser.post(
        f"/{resource}/batch", {"action": action, **entries, **fields}, headers=headers, status=200
    ).json["data"]["results"]
    return [(result["status"], result.get("data"), result.get("meta", {})) for result in results]


def test_every_batch_of_the_route_table_has_a_scene():
    found = {
        (route.options.resource, action)
        for route in routes()
        if route.options.batch and not route.options.page
        for action in document(route.options.singular)["$defs"]["batch"]["x-actions"]
    }
    assert found == SCENES.keys() | WHOLE


@pytest.mark.parametrize(("resource", "action"), SCENES)
def test_an_entry_has_the_record_of_its_single_request(organiser, db, resource, action):
    given, fields = SCENES[resource, action](Show(organiser))
    before = sqlite3.connect(":memory:")
    db.connection.backup(before)
    expected = singles(organiser, resource, action, given, fields)
    assert all(status < 300 for status, *_ in expected), expected
    before.backup(db.connection)
    assert comparable(
        batch_of(organiser, resource, action, given, fields, key="b-1")
    ) == comparable(expected)


def links(data):
    return [(result["status"], result["data"]["url"]) for result in data["results"]]


def test_an_address_is_in_the_first_response_only_and_in_no_dry_run(app, organiser):
    body = {"action": "create", "items": Show(organiser).links()}
    tried = organiser.post("/links/batch", {**body, "dry_run": True}, status=200).json["data"]
    assert links(tried) == [(201, None)] * 2, "the address of a dry run opens nothing"
    first, again = (
        organiser.post("/links/batch", body, headers={"Idempotency-Key": "b-1"}, status=200)
        for _ in range(2)
    )
    assert (
        again.headers["Idempotency-Replayed"] == "true"
        and links(again.json["data"]) == [(201, None)] * 2
    )
    for status, url in links(first.json["data"]):
        assert status == 201
        app.get(
            url.removeprefix("https://show.example.org"),
            headers={"Accept": "text/html"},
            status=200,
        )


def test_a_batch_that_continues_shows_the_addresses_that_it_makes_itself(organiser, monkeypatch):
    """The first request is ended after one of its two transactions: its addresses are lost with its
    response.
    """
    monkeypatch.setattr(batches, "MOST", 1)
    body, transaction = {"action": "create", "items": Show(organiser).links()}, batches.transaction

    def ended(*given):
        if given[-1]:  # the results so far
            raise ConnectionError
        return transaction(*given)

    monkeypatch.setattr(batches, "transaction", ended)
    organiser.post("/links/batch", body, headers={"Idempotency-Key": "b-1"}, status=500)
    monkeypatch.setattr(batches, "transaction", transaction)
    (_, first), (_, second) = links(
        organiser.post("/links/batch", body, headers={"Idempotency-Key": "b-1"}, status=200).json[
            "data"
        ]
    )
    assert first is None and "/link/evl_" in second


def test_no_address_of_a_batch_is_stored(organiser, db):
    body = {"action": "create", "items": Show(organiser).links()}
    organiser.post("/links/batch", body, headers={"Idempotency-Key": "b-1"}, status=200)
    assert "evl_" not in "\n".join(db.connection.iterdump())
