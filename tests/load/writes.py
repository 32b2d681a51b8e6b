"""How long typical writes hold the write lock."""

import statistics
import time
from collections import namedtuple
from contextlib import contextmanager

from eventapi.storage.write_lock import WriteLock
from tests.load.client import Refused
from tests.load.records import Records

LEAST, BUDGET = 3, 3.0  # calls, seconds

# name: method, path and what is special. act(records, what `prepare` returned): one request.
# prepare(records): records that it needs, which is not measured.
Write = namedtuple("Write", "name act prepare rounds", defaults=(lambda records: None, 12))


def post(path, **body):
    """Return an `act` that posts a body to a path, in which {id} stands for what was prepared."""
    return lambda records, id: records.client.send("POST", path.format(id=id), body or None)


def patch(path, **body):
    return lambda records, id: records.client.send("PATCH", path.format(id=id), body)


def delete(path):
    return lambda records, id: records.client.send("DELETE", path.format(id=id))


def writes():
    """Return all Writes. Those of one group follow each other."""
    return [*money(), *people(), *halls(), *office(), *events(), *heavy()]


def money():
    return [
        Write(
            "POST payment",
            lambda r, _: r.post(
                "/payments",
                {
                    "invoice_number": next(r.sent),
                    "amount": 1,
                    "gateway_key": "stripe",
                    "transaction_id": f"t{r.number()}",
                },
            ),
        ),
        Write("PATCH payment", patch("/payments/{id}", notes="x"), Records.payment),
        Write("POST payment refund", post("/payments/{id}/refund", amount=1), Records.payment),
        Write("DELETE payment", delete("/payments/{id}"), Records.payment),
        Write("POST invoice", lambda r, _: r.draft()),
        Write(
            "POST invoice send (with PDF)", post("/invoices/{id}/send", mail=False), Records.draft
        ),
        Write("POST invoice cancel", post("/invoices/{id}/cancel"), Records.issued),
        Write("DELETE invoice draft", delete("/invoices/{id}"), Records.draft),
        Write("POST participant invoice", post("/participants/{id}/invoice"), Records.customer),
        Write(
            "POST period close",
            lambda r, month: r.post(f"/reports/periods/{month}/close"),
            Records.open_month,
            3,
        ),
        Write(
            "POST dunning, 40 letters",
            lambda r, _: r.post("/invoices/dunning/send", {"mail": False}),
            rounds=3,
        ),
    ]


def people():
    return [
        Write("POST contact", lambda r, _: r.contact()),
        Write(
            "PATCH contact name, tags",
            lambda r, id: r.client.send(
                "PATCH", f"/contacts/{id}", {"company_name": f"Alt {r.number()}", "tags": ["tag1"]}
            ),
            lambda r: next(r.plain),
        ),
        Write("DELETE contact", delete("/contacts/{id}"), Records.contact),
        Write(
            "POST contact merge, two new ones",
            lambda r, pair: r.post(f"/contacts/{pair[0]}/merge", {"duplicate_id": pair[1]}),
            Records.two_contacts,
        ),
        Write(
            "POST contact merge, of an exhibitor",
            lambda r, pair: r.post(f"/contacts/{pair[0]}/merge", {"duplicate_id": pair[1]}),
            Records.contact_and_exhibitor,
        ),
        Write(
            "GET contact export",
            lambda r, id: r.client("GET", f"/contacts/{id}/export"),
            lambda r: next(r.busy),
        ),
        Write(
            "POST contact anonymize, a new one",
            post("/contacts/{id}/anonymize"),
            Records.contact,
            8,
        ),
        Write(
            "POST contact anonymize, an exhibitor",
            post("/contacts/{id}/anonymize", force=True),
            lambda r: next(r.busy),
            8,
        ),
        Write(
            "POST participant",
            lambda r, id: r.post(
                "/participants", {"event_key": r.open, "contact_id": id, "role": "visitor"}
            ),
            Records.contact,
        ),
        Write("POST participant confirm", post("/participants/{id}/confirm"), Records.participant),
        Write("POST participant cancel", post("/participants/{id}/cancel"), Records.participant),
        Write("DELETE participant", delete("/participants/{id}"), Records.participant),
        Write("POST application", lambda r, _: r.application()),
        Write(
            "POST application approve",
            lambda r, id: r.post(f"/applications/{id}/approve", {}),
            Records.reviewed_application,
        ),
        Write(
            "POST newsletter",
            lambda r, _: r.post(
                "/newsletter",
                {
                    "email": f"n{r.number()}@neu.example",
                    "send_confirmation": False,
                    "consent": {"source": "x", "at": "2026-01-01T00:00:00Z"},
                },
            ),
        ),
    ]


def halls():
    def reserve(records, booth):
        records.held = records.reserve(booth)

    return [
        Write(
            "POST check-in scan",
            lambda r, _: r.post(
                "/check-ins",
                {"event_key": r.open, "badge_number": next(r.badges), "station": "Gate 1"},
            ),
        ),
        Write(
            "POST check-in batch of 150",
            lambda r, scans: r.post("/check-ins/batch", {"scans": scans}),
            Records.scans,
            2,
        ),
        Write("POST booth", lambda r, _: r.booth()),
        Write(
            "PATCH booth position",
            lambda r, id: r.client.send(
                "PATCH", f"/booths/{id}", {"pos_x": 1, "pos_y": r.number() % 200}
            ),
            Records.booth,
        ),
        Write("POST reservation of a placed booth", reserve, Records.free_booth),
        Write(
            "POST reservation confirm",
            post("/booth-reservations/{id}/confirm"),
            Records.reservation,
        ),
        Write(
            "POST reservation cancel", post("/booth-reservations/{id}/cancel"), Records.reservation
        ),
        Write("POST service order", lambda r, _: r.order()),
        Write("POST service order submit", post("/service-orders/{id}/submit"), Records.order),
    ]


def office():
    return [
        Write("POST note", lambda r, _: r.note()),
        Write("POST note pin", post("/notes/{id}/pin"), Records.note),
        Write("DELETE note", delete("/notes/{id}"), Records.note),
        Write(
            "POST submission",
            lambda r, _: r.post(
                "/submissions",
                {
                    "event_participant_id": next(r.without_submission),
                    "type_id": r.last_type,
                    "value": "Text",
                },
            ),
        ),
        Write("POST task", post("/tasks", title="Prüfen", due_date="2027-01-01")),
        Write(
            "POST schedule slot",
            lambda r, day: r.post(
                "/schedules",
                {
                    "event_key": "show-2",
                    "slot_date": day,
                    "start_time": "20:00",
                    "end_time": "20:30",
                    "title": "Vortrag",
                    "location": f"Raum {r.number()}",
                },
            ),
            lambda r: r.client.one("SELECT date_from FROM events WHERE id = 2"),
        ),
        Write(
            "POST webhook",
            lambda r, _: r.post(
                "/webhooks",
                {
                    "url": f"https://93.184.216.34/{r.number()}",
                    "events": ["contact.deleted"],
                    "is_active": False,
                },
            ),
            rounds=3,
        ),
    ]


def events():
    return [
        Write(
            "POST event",
            lambda r, _: r.post(
                "/events", {"title": f"Neu {r.number()}", "date_from": "2028-01-01"}
            ),
        ),
        Write(
            "PATCH event description",
            lambda r, _: r.client.send("PATCH", "/events/2", {"description": f"x{r.number()}"}),
        ),
        Write(
            "PATCH event title",
            lambda r, _: r.client.send("PATCH", "/events/2", {"title": f"Messe {r.number()}"}),
        ),
        Write("POST event copy with all", lambda r, _: r.event_copy(), rounds=4),
        Write("DELETE event, a copy", delete("/events/{id}"), Records.event_copy, 4),
        Write("DELETE event, empty", delete("/events/{id}"), Records.event),
        Write("POST category", lambda r, _: r.post("/categories", {"title": f"K {r.number()}"})),
        Write(
            "PATCH category base_price",
            lambda r, _: r.client.send("PATCH", "/categories/1", {"base_price": r.number() % 1000}),
        ),
        Write(
            "DELETE category, of many contacts (409)", refused("DELETE", "/categories/1"), rounds=5
        ),
    ]


def heavy():
    return [
        Write(
            "POST bulk-import 500 contacts",
            lambda r, rows: r.post("/bulk-import/contacts", {"records": rows}),
            Records.imported,
            4,
        ),
        Write(
            "POST bulk-import 500 contacts, upsert",
            lambda r, rows: r.post(
                "/bulk-import/contacts", {"mode": "upsert", "match_field": "email", "records": rows}
            ),
            Records.imported,
            4,
        ),
        Write(
            "PATCH custom field is_searchable",
            # in the end the field is as before, for the filter by it
            lambda r, _: [
                r.client.send("PATCH", "/custom-fields/1", {"is_searchable": is_searchable})
                for is_searchable in (False, True)
            ],
            rounds=2,
        ),
        Write(
            "DELETE custom field with values",
            delete("/custom-fields/{id}?purge=1"),
            filled_field,
            1,
        ),
    ]


def refused(method, path):
    """Return an `act` whose request is refused."""

    def act(records, _):
        try:
            records.client.send(method, path)
        except Refused:
            return
        raise AssertionError(f"{method} {path} was not refused")

    return act


def filled_field(records):
    """Return a new custom field with a value for every fiftieth contact."""
    field = records.post(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": f"f{records.number()}",
            "field_label": "F",
            "field_type": "boolean",
            "is_searchable": True,
        },
    )["id"]
    records.client.beside.execute(
        "INSERT INTO custom_field_values (entity_type, entity_id, field_id, value) "
        "SELECT 'contact', id, ?, 'true' FROM contacts WHERE id % 50 = 3",
        (field,),
    )
    return field


# Measuring


@contextmanager
def lock_times():
    """Yield a list to which the milliseconds are added for which each write holds the write lock."""
    acquire, release, found, since = WriteLock.acquire, WriteLock.release, [], {}

    def timed_acquire(lock, *args, **options):
        acquire(lock, *args, **options)
        since[lock] = time.perf_counter()

    def timed_release(lock, *args):
        release(lock, *args)
        found.append((time.perf_counter() - since[lock]) * 1000)

    WriteLock.acquire, WriteLock.release = timed_acquire, timed_release
    try:
        yield found
    finally:
        WriteLock.acquire, WriteLock.release = acquire, release


def lock_time(write, records):
    """Return the milliseconds for which a write held the lock: the median of the longest holds of
    its calls.
    """
    found, began = [], time.perf_counter()
    with lock_times() as held:
        while len(found) < write.rounds and (
            len(found) < LEAST or time.perf_counter() - began < BUDGET
        ):
            prepared = write.prepare(records)
            held.clear()
            write.act(records, prepared)
            found.append(max(held, default=0))
    return statistics.median(found)
