"""`dry_run` in the body of a single request: it runs like the real one, and is rolled back."""

from threading import Thread

import pytest

from eventapi.domain.upkeep import checks

STAND = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
KEY = {"Idempotency-Key": "once"}
# Fields of a response that a dry run cannot know, and the times of both requests.
UNKNOWN = {"id", "invoice_number", "payment_reference", "credit_note_ids", "xml_sha256"}
TIMES = {"created_at", "updated_at", "locked_at", "confirmed_at", "refunded_at", "request_id"}


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def show(organiser, hall, settings):
    """Set up mail, and an exhibitor whose booth A1 and category were billed, sent and paid.

    Return {name: id}, with the id of a free booth as `booth`.
    """
    settings.smtp_host, settings.smtp_sender = "localhost", "office@messe.example"
    contact = organiser.make(
        "/contacts",
        {"company_name": "Muster AG", "address": "Weg 1", "city": "Wien", "email": "m@x.example"},
    )
    organiser.make(
        "/categories", {"title": "Gold", "category_key": "gold", "base_price": 50, "tax_rate": 19}
    )
    participant = organiser.make(
        "/participants",
        {"event_key": "fair", "contact_id": contact["id"], "category_key": "gold"},
    )
    booths = [
        organiser.make(
            "/booths",
            {"plan_id": hall, "booth_number": number, "width": 3, "depth": 3, "fixed_price": price},
        )["id"]
        for number, price in (("A1", 100), ("A2", 110))
    ]
    reservation = organiser.make(
        "/booth-reservations",
        {
            "booth_id": booths[0],
            "event_participant_id": participant["id"],
            "status": "confirmed",
        },
    )
    invoice = organiser.make(f"/participants/{participant['id']}/invoice", {})
    number = organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200).json[
        "data"
    ]["invoice_number"]
    payment = organiser.make("/payments", {"invoice_number": number, "amount": 178.5})
    draft = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    return {
        "contact": contact["id"],
        "participant": participant["id"],
        "reservation": reservation["id"],
        "booth": booths[1],
        "invoice": invoice["id"],
        "payment": payment["id"],
        "draft": draft["id"],
    }


# Name -> method, path and body of each request that takes `dry_run`.
REQUESTS = {
    "create": ("POST", "/invoices", lambda show: {"contact_id": show["contact"], "items": [STAND]}),
    "change": ("PATCH", "/invoices/{draft}", lambda show: {"text": "Thank you."}),
    "send by a change": ("PATCH", "/invoices/{draft}", lambda show: {"status": "sent"}),
    "credit": ("POST", "/invoices/{invoice}/credit", lambda show: {"items": [STAND], "mail": True}),
    "credit all": ("POST", "/invoices/{invoice}/credit", lambda show: {"whole": True}),
    "refund": ("POST", "/payments/{payment}/refund", lambda show: {"amount": 20}),
    "cancel": (
        "POST",
        "/participants/{participant}/cancel",
        lambda show: {"invoices": "credit", "mail": True, "reason": "Ill"},
    ),
    "move": (
        "POST",
        "/booth-reservations/{reservation}/move",
        lambda show: {"booth_id": show["booth"]},
    ),
}


def state(db):
    """Return all rows of all tables, without the times at which keys were used."""
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


def differences(tried, real, at=""):
    """Return (path, value of the dry run, name) of each value that differs."""
    if isinstance(tried, dict) and isinstance(real, dict):
        assert list(tried) == list(real), at
        for name in tried:
            yield from differences(tried[name], real[name], f"{at}/{name}")
    elif isinstance(tried, list) and isinstance(real, list) and len(tried) == len(real):
        for place, (one, other) in enumerate(zip(tried, real, strict=True)):
            yield from differences(one, other, f"{at}/{place}")
    elif tried != real:
        yield at, tried


def send(organiser, name, show, **more):
    method, path, body = REQUESTS[name]
    headers = more.pop("headers", {})
    return organiser(method, path.format(**show), {**body(show), **more}, headers=headers)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_dry_run_stores_nothing_and_answers_as_the_real_request(
    organiser, show, settings, db, name
):
    before, files = state(db), sorted(settings.data_dir.rglob("*"))
    tried = send(organiser, name, show, dry_run=True)
    assert state(db) == before
    assert sorted(settings.data_dir.rglob("*")) == files
    assert not {"Location", "ETag"} & set(tried.headers)

    real = send(organiser, name, show)
    assert real.status_int < 300 and tried.status_int == real.status_int
    assert "dry_run" not in real.json["data"]
    found = [
        (path, value)
        for path, value in differences(tried.json, real.json)
        if not TIMES & set(path.split("/"))
    ]
    assert all(UNKNOWN & set(path.split("/")) for path, _ in found), found
    assert {value for path, value in found if not path.endswith("xml_sha256")} <= {None}


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("create", ["/data/id", "/data/invoice_number"]),
        ("change", []),
        ("send by a change", ["/data/invoice_number", "/data/payment_reference"]),
        ("credit all", ["/data/id", "/data/invoice_number"]),
        ("refund", ["/data/refunds/0/id"]),
        ("cancel", ["/meta/credit_note_ids/0"]),
        ("move", []),
    ],
)
def test_a_dry_run_hides_what_it_would_assign(organiser, show, name, unknown):
    tried = send(organiser, name, show, dry_run=True).json
    real = send(organiser, name, show).json
    hidden = [path for path, value in differences(tried, real) if value is None]
    assert hidden == unknown


@pytest.mark.parametrize("name", ["create", "credit", "refund", "cancel", "move"])
def test_a_dry_run_keeps_no_idempotency_key(organiser, show, db, name):
    tried = send(organiser, name, show, headers=KEY, dry_run=True)
    assert tried.status_int < 300
    assert db.connection.execute("SELECT count(*) FROM idempotency_keys").fetchone() == (0,)
    first = send(organiser, name, show, headers=KEY)
    again = send(organiser, name, show, headers=KEY)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    later = send(organiser, name, show, headers=KEY, dry_run=True)
    assert later.json.get("code") != "idempotency_key_reused"


def test_a_dry_run_is_refused_as_the_real_request_is(organiser, show, db):
    """Also if the refusal of the real one stores something, as the end of an expired hold."""
    path = f"/payments/{show['payment']}/refund"
    for body in ({"amount": 500}, {"amount": 20, "refunded_at": "2001-01-01"}):
        tried = organiser.post(path, {**body, "dry_run": True})
        real = organiser.post(path, body)
        assert tried.status_int == real.status_int >= 400
        assert tried.json["code"] == real.json["code"]
    db.connection.execute(
        "UPDATE booth_reservations SET status = 'pending', expires_at = '2020-01-01T00:00:00Z'"
    )
    before = state(db)
    move = f"/booth-reservations/{show['reservation']}/move"
    body = {"booth_id": show["booth"]}
    assert organiser.post(move, {**body, "dry_run": True}, status=409).json["state"] == "expired"
    assert state(db) == before
    organiser.post(move, body, status=409)
    assert state(db) != before
    db.connection.execute("UPDATE booths SET status = 'available'")


def test_a_dry_run_looks_at_if_match(organiser, show):
    stale = {"If-Match": '"other"'}
    path = f"/invoices/{show['draft']}"
    organiser.patch(path, {"text": "Hello", "dry_run": True}, headers=stale, status=412)
    tag = organiser("GET", path).headers["ETag"]
    fresh = {"If-Match": tag}
    organiser.patch(path, {"text": "Hello", "dry_run": True}, headers=fresh, status=200)
    organiser.patch(path, {"text": "Hello"}, headers=fresh, status=200)


def test_a_batch_takes_dry_run_of_the_batch_only(organiser, show):
    body = {"action": "cancel", "ids": [show["participant"]], "invoices": "credit"}
    tried = organiser.post("/participants/batch", {**body, "dry_run": True}, status=200).json[
        "data"
    ]
    assert tried["dry_run"] is True
    assert tried["results"][0]["meta"]["credit_note_ids"] == [None]
    assert organiser.data(f"/participants/{show['participant']}")["status"] == "registered"
    done = organiser.post("/participants/batch", body, status=200).json["data"]
    (note,) = done["results"][0]["meta"]["credit_note_ids"]
    assert organiser.data(f"/invoices/{note}")["total"] == -178.5


def test_writes_that_share_a_commit_with_dry_runs_are_stored_without_gaps(organiser, show, db):
    """Dry runs take the numbers of invoices in their transaction, and give them back."""
    drafts = [
        organiser.make("/invoices", {"contact_id": show["contact"], "items": [STAND]})["id"]
        for _ in range(12)
    ]
    tried, sent = [], []

    def try_all():
        for id in drafts:
            answer = organiser.patch(f"/invoices/{id}", {"status": "sent", "dry_run": True})
            tried.append((answer.status_int, answer.json["data"]["status"]))

    def send_some(ids):
        for id in ids:
            answer = organiser.post(f"/invoices/{id}/send", {"mail": False}, status=200)
            sent.append(answer.json["data"]["invoice_number"])

    threads = [Thread(target=try_all) for _ in range(3)]
    threads += [Thread(target=send_some, args=(drafts[start::3],)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert tried == [(200, "sent")] * 36
    sequence = sorted(int(number.rpartition("-")[2]) for number in sent)
    assert sequence == list(range(2, 14))  # the first is that of the exhibitor
    kept = db.connection.execute("SELECT count(*) FROM invoices WHERE status = 'sent'").fetchone()
    assert kept == (12,)
