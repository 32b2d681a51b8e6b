"""A whole show of 60 exhibitors, from the form to the tax audit: the office sends at most 60
requests.

What the exhibitors do on the form, on their own pages or on the web site of the organiser is
counted apart: each of them acts for itself.
"""

import io
import zipfile
from datetime import date

import pytest

from tests.support import camt

MOST = 60  # requests of the office
OF_AN_EXHIBITOR = 7  # requests of each beside its order: application, contract, text, logo, rules
EXHIBITORS, WITH_BOOTH, WITH_ORDER, PAID = 60, 55, 40, 50


class Counting:
    """A client that counts its requests."""

    def __init__(self, client, count):
        self.client, self.count = client, count

    def __call__(self, method, path, body=None, **options):
        self.count.append((method, path))
        return self.client(method, path, body, **options)

    def make(self, path, body):
        return self("POST", path, body, status=201).json["data"]

    def data(self, path):
        return self("GET", path, status=200).json["data"]

    def pages(self, path):
        """Return all records of a list, 100 in a request."""
        records, after = [], ""
        while after is not None:
            answer = self(
                "GET", f"{path}&per_page=100&sort=id&order=ASC&after={after}", status=200
            ).json
            records, after = records + answer["data"], answer["meta"]["next"]
        return records

    def batch(self, path, action, entries=None, headers=None, **fields):
        """Do an action for many records, none of which may be refused. Return the records."""
        part = {} if entries is None else {"items" if action == "create" else "ids": entries}
        data = self(
            "POST",
            f"{path}/batch",
            {"action": action, **part, **fields},
            headers=headers,
            status=200,
        ).json["data"]
        assert not data["refused"], [result for result in data["results"] if "code" in result][:3]
        return [result["data"] for result in data["results"]]


@pytest.fixture
def requests():
    """Return the list of all requests, as (method, path)."""
    return []


@pytest.fixture
def office(organiser, requests, settings):
    settings.smtp_host, settings.smtp_sender = "smtp.messe.test", "office@messe.test"
    return Counting(organiser, requests)


@pytest.fixture
def of_exhibitors():
    """Return the list of all requests of the exhibitors, as (method, path)."""
    return []


@pytest.fixture
def form(person, of_exhibitors):
    return Counting(person("applications:create"), of_exhibitors)


@pytest.fixture
def site(person, of_exhibitors):
    return Counting(person("submissions documents service_orders"), of_exhibitors)


def test_a_show_of_60_exhibitors_takes_at_most_60_requests(
    office, form, site, requests, of_exhibitors, db, settings
):
    fees = set_up(office)
    apply_and_approve(office, form)
    people = office.pages("/participants?event_key=fair")
    assert len(people) == EXHIBITORS and {one["status"] for one in people} == {"confirmed"}
    ids = [one["id"] for one in people]
    sign_contracts(office, site, ids)
    sell_booths(office, ids)
    take_orders(office, site, ids)
    drafts = office.batch("/participants", "invoice", ids)
    invoices = office.batch("/invoices", "send", [draft["id"] for draft in drafts], mail=True)
    assert len({invoice["invoice_number"] for invoice in invoices}) == EXHIBITORS and fees
    assert db.connection.execute("SELECT count(*) FROM mails").fetchone() == (2 * EXHIBITORS,), (
        "links and invoices"
    )
    receive_payments(office, settings, invoices)
    dun(office, people[0])
    submit(site, ids)
    review(office)
    enter(office, people)
    tell_the_programme(office)
    year = date.today().year
    audit = office("GET", f"/reports/audit-export?year={year}", status=200)
    assert "index.xml" in zipfile.ZipFile(io.BytesIO(audit.body)).namelist()
    by_kind = {path: sum(path == other for _, other in requests) for _, path in requests}
    assert len(of_exhibitors) == EXHIBITORS * OF_AN_EXHIBITOR + WITH_ORDER
    assert len(requests) <= MOST, sorted(by_kind.items(), key=lambda entry: -entry[1])[:12]


def set_up(office):
    """Create the event with its prices and its hall. Return the id of the category."""
    office.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": date.today().isoformat(),
            "date_to": date.today().isoformat(),
            "is_visible": True,
        },
    )
    category = office.make(
        "/categories",
        {"title": "Plants", "category_key": "plants", "base_price": 250, "event_keys": ["fair"]},
    )
    office.make("/plans", {"event_key": "fair", "plan_name": "Hall 1", "width": 60, "height": 40})
    office.make(
        "/booths/types",
        {"booth_type_name": "Row", "booth_type_key": "row", "price_model": "per_m2", "price": 110},
    )
    office.make(
        "/services",
        {
            "service_name": "Power",
            "service_key": "power",
            "base_price": 95,
            "events": [{"event_key": "fair"}],
        },
    )
    office.make(
        "/documents/templates",
        {"name": "Contract", "body": "<p>{{event.title}}</p>", "is_contract": True},
    )
    for input, needs_approval in (("textarea", True), ("file", True), ("checkbox", False)):
        office.make(
            "/submissions/types",
            {
                "event_key": "fair",
                "title": input,
                "key": input,
                "input": input,
                "needs_approval": needs_approval,
            },
        )
    office.make("/invoices/dunning-levels", {"name": "Mahnung", "days": 1, "fee": 5})
    return category["id"]


def apply_and_approve(office, form):
    """Apply by the form, one request for each exhibitor, and approve all."""
    for number in range(EXHIBITORS):
        form.make(
            "/applications",
            {
                "company_name": f"Firma {number}",
                "email": f"firma{number}@example.org",
                "address": "Weg 1",
                "postal_code": "04109",
                "city": "Leipzig",
                "country": "DE",
                "event_keys": ["fair"],
                "category_keys": ["plants"],
            },
        )
    new = [one["id"] for one in office.pages("/applications?status=new")]
    office.batch("/applications", "review", new)
    office.batch("/applications", "approve", new)
    office.batch(
        "/participants",
        "confirm",
        [one["id"] for one in office.pages("/participants?status=registered")],
    )


def sign_contracts(office, site, ids):
    """Create the contracts, request the signatures, and mail each exhibitor the link to its page.

    Each accepts.
    """
    items = [{"entity_type": "event_participant", "entity_id": id, "template_id": 1} for id in ids]
    made = office.batch("/documents", "create", items, headers={"Idempotency-Key": "contracts"})
    office.batch("/documents", "request-signature", [document["id"] for document in made])
    office("PATCH", "/events/1/pages", {"my_is_open": True, "my_rights": ["contract"]}, status=200)
    links = office.batch(
        "/links", "create", [{"kind": "participant", "participant_id": id} for id in ids]
    )
    office.batch("/links", "mail", [link["id"] for link in links])
    for document in made:
        site(
            "POST",
            f"/documents/{document['id']}/accept",
            {"signer_name": "Anna Muster"},
            status=200,
        )


def sell_booths(office, ids):
    """Lay out the hall, reserve the booths, and confirm the holds."""
    rows = [
        {
            "first": f"{letter}1",
            "count": 10,
            "x": 2,
            "y": y,
            "booth_type_key": "row",
            "back_to_back": True,
        }
        for letter, y in (("A", 2), ("B", 12), ("C", 22))
    ]
    booths = office.batch("/booths", "layout", plan_id=1, rows=rows)
    assert len(booths) == 60 and booths[0]["price"] == 990
    items = [
        {"booth_id": booth["id"], "event_participant_id": id}
        for id, booth in zip(ids[:WITH_BOOTH], booths, strict=False)
    ]
    holds = office.batch("/booth-reservations", "create", items)
    office.batch("/booth-reservations", "confirm", [hold["id"] for hold in holds])


def take_orders(office, site, ids):
    """Order as the exhibitors do, one request for each of them. Submit and confirm the orders."""
    orders = [
        site.make(
            "/service-orders",
            {"event_participant_id": id, "items": [{"service_key": "power", "quantity": 1}]},
        )["id"]
        for id in ids[:WITH_ORDER]
    ]
    office.batch("/service-orders", "submit", orders)
    office.batch("/service-orders", "confirm", orders)


def receive_payments(office, settings, invoices):
    """Import the statement of the bank with a transfer for each invoice that is paid."""
    day = date.today().isoformat()
    entries = [
        {
            "amount": round(invoice["open_amount"] * 100),
            "day": day,
            "bank_reference": f"R{place}",
            "party": invoice["buyer"]["name"],
            "text": f"Rechnung {invoice['invoice_number']}",
        }
        for place, invoice in enumerate(invoices[:PAID])
    ]
    file = camt.document([camt.statement(settings.organiser_iban, entries)])
    found = office(
        "POST",
        "/payments/import?auto=exact",
        raw=file,
        headers={"Content-Type": "application/xml"},
        status=201,
    ).json["data"]
    assert found["booked"] == PAID
    assert len(office.pages("/invoices?status=paid")) == PAID


def dun(office, participant):
    """Dun an invoice that is overdue."""
    old = office.make(
        "/invoices",
        {
            "contact_id": participant["contact_id"],
            "invoice_number": "OLD 1",
            "issue_date": "2020-01-01",
            "due_date": "2020-01-15",
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 100}],
        },
    )
    office.batch("/invoices", "send", [old["id"]])
    sent = office("POST", "/invoices/dunning/send", {}, status=200).json["data"]
    assert len(sent["sent"]) == 1


def submit(site, ids):
    """Submit a text, a logo and the rules of each exhibitor, as the web site of the organiser does."""
    for id in ids:
        site.make(
            "/submissions",
            {"participant_id": id, "type_key": "textarea", "value": "Roses since 1906."},
        )
        logo = site.make(
            "/documents",
            {"entity_type": "event_participant", "entity_id": id, "filename": "logo.svg"},
        )
        site(
            "PUT",
            f"/documents/{logo['id']}/content",
            raw=b'<svg xmlns="http://www.w3.org/2000/svg"/>',
            headers={"Content-Type": "application/octet-stream"},
            status=200,
        )
        site.make(
            "/submissions", {"participant_id": id, "type_key": "file", "document_id": logo["id"]}
        )
        site.make("/submissions", {"participant_id": id, "type_key": "checkbox", "value": True})


def review(office):
    """Ask for one text again, and approve the other submissions."""
    first, *others = [
        one["id"] for one in office.pages("/submissions?event_key=fair&status=submitted")
    ]
    assert len(others) == 2 * EXHIBITORS - 1
    office.batch(
        "/submissions", "request-revision", [first], feedback="Please name your new varieties."
    )
    office.batch("/submissions", "approve", others)


def enter(office, people):
    """Scan all badges with a device that was offline."""
    office("GET", "/check-ins/roster?event_key=fair", status=200)
    scans = [
        {
            "event_key": "fair",
            "badge_number": one["badge_number"],
            "client_ref": f"gate-{one['id']}",
        }
        for one in people
    ]
    results = office("POST", "/check-ins/batch", {"scans": scans}, status=200).json["data"][
        "results"
    ]
    assert {result["status"] for result in results} == {201}


def tell_the_programme(office):
    """Publish four sessions, and send the newsletter's list to those who confirmed."""
    for hour in range(10, 14):
        office.make(
            "/schedules",
            {
                "event_key": "fair",
                "slot_date": date.today().isoformat(),
                "title": f"Talk {hour}",
                "start_time": f"{hour}:00",
                "end_time": f"{hour}:30",
            },
        )
    office.make("/newsletter", {"email": "reader@example.org"})
    office("GET", "/newsletter", headers={"Accept": "text/csv"}, status=200)
