"""The records that the samples of the reference need in an empty database, where ids count from 1."""

from eventapi.domain.access import sessions
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.newsletter import tokens
from eventapi.validation.identifiers.bookkeeping import revenue_accounts
from tests.support import camt
from tests.support.examples import OF_THE_YEAR, collections, example, make_verbatim, verbatim_body
from tests.support.images import png

TRANSFER = {
    "day": "2026-05-04",
    "amount": 11900,
    "party": "Rosen Tantau KG",
    "iban": "DE75512108001245126199",
    "text": "r 2026 17",
    "end_to_end_id": "ZAHLUNG 4",
    "description": "GUTSCHRIFT",
}
STATEMENT = camt.document([camt.statement("DE02120300000000202051", [TRANSFER])])
FILES = {
    "document.pdf": b"%PDF-1.7\n%%EOF\n",
    "submission.pdf": b"%PDF-1.7\n%%EOF\n",
    "image.png": png(8, 8),
    "logo.png": png(8, 8),
    "import.xml": STATEMENT,
}
# Path below /api/v1 -> requests (path of a POST, body) that bring the records into the state that
# the sample needs. A body that is a text is the name of an example.
SENT = ("/invoices/1/send", None)
CONFIRMED = [("/service-orders/1/submit", None), ("/service-orders/1/confirm", None)]
STEPS = {
    "/contacts/{id}/merge": [("/contacts", {"company_name": "Rosen Tantau"})],
    "/participants/{id}/reinstate": [("/participants/1/cancel", None)],
    "/invoices/{id}/cancel": [SENT],
    "/invoices/{id}/credit": [SENT],
    "/invoices/{id}/remind": [SENT],
    "/invoices/{id}/mail": [SENT],
    "/invoices/{id}/xml": [SENT],
    "/invoices/{id}/girocode": [SENT],
    "/invoices/{id}/write-offs": [SENT],
    "/invoices/{id}/write-offs/{write_off_id}": [
        SENT,
        ("/invoices/1/write-offs", {"reason": "Insolvent"}),
    ],
    "/invoices/{id}/dispute": [SENT],
    "/invoices/{id}/settle": [SENT, ("/invoices/1/dispute", "invoice.dispute")],
    "/payments/{id}/refunds/{refund_id}": [("/payments/1/refund", "payment.refund")],
    "/service-orders/{id}/confirm": CONFIRMED[:1],
    "/service-orders/{id}/items/{item_id}/start": CONFIRMED,
    "/service-orders/{id}/items/{item_id}/cancel": CONFIRMED,
    "/service-orders/{id}/items/{item_id}/complete": [
        *CONFIRMED,
        ("/service-orders/1/items/1/start", None),
    ],
    "/webhooks/{id}/deliveries/{item_id}/redeliver": [("/webhooks/1/test", None)],
    **{
        f"/applications/{{id}}/{action}": [("/applications/1/review", None)]
        for action in ("approve", "reject", "waitlist", "request-info")
    },
    "/applications/{id}/answer": [
        ("/applications/1/review", None),
        ("/applications/1/request-info", "application.request_info"),
    ],
}


def write_files(folder):
    """Write the files that samples upload."""
    for name, content in FILES.items():
        (folder / name).write_bytes(content)


def prepare(app, path, method):
    """Create what the sample of an operation needs.

    Return texts of the sample -> what replaces them.
    """
    client, short = app.organiser, path.removeprefix("/api/v1")
    app.config.smtp_host, app.config.smtp_sender = "mail.example.org", "news@messe.test"
    if short in OTHERS:
        return OTHERS[short](app) or {}
    singular = resource_of(short)
    if singular is None:
        return {}
    is_creation = (method, path) == ("post", collections()[singular])
    body = verbatim_body(client, singular)
    if not is_creation:
        client.make(collections()[singular], body)
    for place, content in STEPS.get(short, ()):
        take(client, place, content)
    if short == "/invoices/{id}/remind":
        app.db.connection.execute("UPDATE invoices SET due_date = issue_date")
    given = (
        example(singular) if method in ("post", "put") and (is_creation or method == "put") else {}
    )
    return {given[field]: body[field] for field in OF_THE_YEAR if field in given}


def take(client, path, body=None):
    """Send a POST of the preparation and return its data. Raise AssertionError unless it succeeds."""
    response = client.post(path, example(body) if isinstance(body, str) else body)
    assert response.status_int < 300, f"{path}: {response.text[:500]}"
    return response.json["data"]


def resource_of(path):
    """Return the singular of the resource whose list is the longest beginning of the path."""
    found = [
        (len(address), singular)
        for singular, address in collections().items()
        if f"{path}/".startswith(address.removeprefix("/api/v1") + "/")
    ]
    return max(found, default=(0, None))[1]


# Samples whose records are not those of the path


def _billed(app):
    make_verbatim(app.organiser, "booth_reservation")
    take(app.organiser, "/booth-reservations/1/confirm")


def _two_sold(app):
    client = app.organiser
    make_verbatim(client, "booth_reservation")
    size = {"width": 3, "depth": 3, "fixed_price": 100}
    booth = client.make("/booths", {"plan_id": 1, "booth_number": "Z9", **size})["id"]
    contact = client.make("/contacts", {"last_name": "Vogt"})["id"]
    event = client.data("/participants/1")["event_id"]
    other = client.make("/participants", {"event_id": event, "contact_id": contact})["id"]
    client.make("/booth-reservations", {"booth_id": booth, "event_participant_id": other})
    for id in (1, 2):
        take(client, f"/booth-reservations/{id}/confirm")
    take(client, "/booth-reservations/1/swap", {"with": 2})  # the sample brings it back


def _pending_payment(app):
    body = verbatim_body(app.organiser, "payment")
    app.organiser.make("/payments", {**body, "status": "pending"})


def _upload(client):
    client.put(
        "/documents/1/content",
        raw=FILES["document.pdf"],
        status=200,
        headers={"Content-Type": "application/octet-stream"},
    )


def _document_with_content(app):
    make_verbatim(app.organiser, "document")
    _upload(app.organiser)


def _logo(app):
    headers = {"Content-Type": "image/png"}
    app.organiser.put("/settings/logo", headers=headers, raw=png(60, 20), status=200)


def _file_asked_for(app):
    make_verbatim(app.organiser, "participant")
    app.organiser.make("/submissions/types", {"event_id": 1, "title": "Logo", "input": "file"})


def _submitted_file(app):
    client = app.organiser
    _file_asked_for(app)
    participant = client.data("/participants/1")
    client.make(
        "/documents",
        {"entity_type": "contact", "entity_id": participant["contact_id"], "filename": "logo.pdf"},
    )
    _upload(client)
    client.make("/submissions", {"event_participant_id": 1, "type_id": 1, "document_id": 1})


def _file_sent_back(app):
    _submitted_file(app)
    take(app.organiser, "/submissions/1/request-revision", "submission.request_revision")


def _contract(*actions):
    def prepared(app):
        client = app.organiser
        make_verbatim(client, "participant")
        make_verbatim(client, "document_template")
        client.make(
            "/documents", {"entity_type": "event_participant", "entity_id": 1, "template_id": 1}
        )
        for action in actions:
            take(
                client,
                f"/documents/1/{action}",
                "document.signed" if action == "mark-signed" else None,
            )

    return prepared


def _field_of_contacts(app):
    make_verbatim(app.organiser, "contact")
    make_verbatim(app.organiser, "custom_field")


def _subscription(app):
    return {
        "TOKEN": make_verbatim(app.organiser, "calendar_subscription")["url"].rpartition("/")[2][
            : -len(".ics")
        ]
    }


def _business_in_the_eu(app):
    body = {**verbatim_body(app.organiser, "contact"), "tax_id": "ATU13585627"}
    app.organiser.make("/contacts", body)


def _asked(app):
    subscriber = app.organiser.make("/newsletter", {"email": "anna@rosen.example"})
    with app.db.write():
        link = tokens.confirm_url(
            tokens.secret(app.db), "", newsletter.row(app.db, subscriber["id"])
        )
    return {"TOKEN": link.rpartition("/")[2]}


def _subscriber(app):
    return {
        "TOKEN": make_verbatim(app.organiser, "newsletter_subscriber")[
            "unsubscribe_url"
        ].rpartition("/")[2]
    }


def _imported(app):
    take(app.organiser, "/bulk-import/contacts", "bulk_import.contacts")


def _sent_invoice(app):
    app.organiser.make("/invoices", verbatim_body(app.organiser, "invoice"))
    take(app.organiser, *SENT)


def _invoice_for_the_post(app):
    app.organiser.make("/invoices", verbatim_body(app.organiser, "invoice"))
    take(app.organiser, "/invoices/1/send", {"mail": "post"})


def _invoice_with_credit(app):
    _sent_invoice(app)
    client = app.organiser
    invoice = client.data("/invoices/1")
    more = {"amount": invoice["total"] + 128.6, "invoice_number": invoice["invoice_number"]}
    client.make("/payments", more)
    number = example("invoice.offset")["invoice_number"]
    other = {
        "contact_id": invoice["contact_id"],
        "invoice_number": number,
        "issue_date": "2026-05-01",
        "items": [{"description": "Stand", "quantity": 1, "unit_price": 190, "tax_rate": 19}],
    }
    client.make("/invoices", other)
    take(client, "/invoices/2/send")


def _link_to_open_pages(app, made=None):
    app.config.base_url = "http://127.0.0.1"
    link = make_verbatim(app.organiser, "link", made)
    app.organiser.patch(f"/events/{link['event_id']}/pages", {"my_is_open": True}, status=200)


def _participant_with_open_pages(app):
    app.config.base_url = "http://127.0.0.1"
    participant = make_verbatim(app.organiser, "participant")
    pages = f"/events/{participant['event_id']}/pages"
    app.organiser.patch(pages, {"my_is_open": True}, status=200)


def _link_to_remind(app):
    made = {}
    _link_to_open_pages(app, made)
    make_verbatim(app.organiser, "submission_type", made)


def _door_device(app):
    key = make_verbatim(app.organiser, "event")["event_key"]
    link = app.organiser.make("/links", {"kind": "door", "event_key": key, "name": "West"})
    with app.db.write():
        sessions.add(app.db, link_id=link["id"], way="shown")


def _dunned(app):
    make_verbatim(app.organiser, "invoice")
    make_verbatim(app.organiser, "dunning_level")
    take(app.organiser, "/invoices/1/send")
    app.db.connection.execute(
        "UPDATE invoices SET due_date = '2026-01-01', overdue_from = '2026-01-02', "
        "issue_date = '2025-12-01'"
    )
    take(app.organiser, "/invoices/dunning/send", "dunning.send")


def _event_and_contact(app):
    make_verbatim(app.organiser, "event")
    make_verbatim(app.organiser, "contact")


def _accounts(app):
    config, body = app.config, verbatim_body(app.organiser, "invoice")
    config.datev_adviser = 29098
    config.datev_client = 55003
    config.datev_chart = "03"
    config.datev_debtor_base = 10000
    config.datev_revenue = revenue_accounts("S19=8400 S7=8300")
    app.organiser.make("/invoices", body)
    take(app.organiser, *SENT)


def _closed_month(app):
    _accounts(app)
    take(app.organiser, "/reports/periods/2026-05/close")


def _transfer(app, *actions):
    """Import the transfer for an invoice that comes from another system, as the examples show it."""
    contact = make_verbatim(app.organiser, "contact")
    line = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    draft = take(
        app.organiser,
        "/invoices",
        {
            "contact_id": contact["id"],
            "invoice_number": "R-2026-00017",
            "issue_date": "2026-05-01",
            "items": [line],
        },
    )
    take(app.organiser, f"/invoices/{draft['id']}/send")
    app.organiser.post(
        "/payments/import", raw=STATEMENT, status=201, headers={"Content-Type": "application/xml"}
    )
    for action in actions:
        take(app.organiser, f"/payments/unmatched/1/{action}")


def _columns(app):
    """Import a CSV file whose columns are named, as the example shows them."""
    named = "column_booked_on=Datum&column_amount=Betrag&column_text=Text"
    app.organiser.post(
        f"/payments/import?{named}",
        raw=b"Datum;Text;Betrag\n04.05.2026;Rosen Tantau KG;119,00\n",
        status=201,
        headers={"Content-Type": "text/csv"},
    )


def _public_show(app):
    for name, value in {
        "base_url": "http://127.0.0.1",
        "imprint_url": "https://www.messe.test/imprint",
    }.items():
        setattr(app.config, name, value)
    participant = make_verbatim(app.organiser, "participant")
    app.organiser.patch(f"/events/{participant['event_id']}", {"is_visible": True}, status=200)
    app.organiser.patch(
        f"/contacts/{participant['contact_id']}", {"company_name": "Rosen Tantau KG"}, status=200
    )
    app.organiser.make(
        "/plans",
        {
            "event_id": participant["event_id"],
            "plan_key": "hall-7",
            "plan_name": "Hall 7",
            "width": 40,
            "height": 20,
        },
    )
    app.organiser.patch(
        f"/events/{participant['event_id']}/pages",
        {"is_public": True, "show_plan": True},
        status=200,
    )


# Path below /api/v1, or of a public page -> function that creates the records
def _exhibitor(app):
    make_verbatim(app.organiser, "participant")


def _template_and_exhibitor(app):
    _exhibitor(app)
    template = {
        "name": "Contract",
        "key": "exhibitor-contract",
        "is_contract": True,
        "body": "<p>a</p>",
    }
    app.organiser.make("/documents/templates", template)


OTHERS = {
    "/documents/templates/preview": _exhibitor,
    "/participants/{id}/contract": _template_and_exhibitor,
    "/booth-reservations/{id}/swap": _two_sold,
    **{
        f"/e/{{event_key}}{part}.json": _public_show
        for part in ("", "/exhibitors", "/exhibitors/{exhibitor}", "/plan/{plan_key}", "/programme")
    },
    "/participants/{id}/invoice": _billed,
    "/payments/{id}/complete": _pending_payment,
    "/payments/{id}/fail": _pending_payment,
    "/payments/{id}/cancel": _pending_payment,
    "/submissions/files": _file_asked_for,
    "/submissions/{id}/file": _file_sent_back,
    "/submissions/{id}/revisions/{item_id}/content": _submitted_file,
    "/documents/{id}/content": _document_with_content,
    "/settings/logo": _logo,
    "/documents/{id}/request-signature": _contract(),
    "/documents/{id}/mark-signed": _contract("request-signature"),
    "/documents/{id}/accept": _contract("request-signature"),
    "/documents/{id}/decline": _contract("request-signature"),
    "/documents/{id}/void": _contract("request-signature"),
    "/documents/{id}/terminate": _contract("request-signature", "mark-signed"),
    "/custom-fields/{entity_type}/{id}": _field_of_contacts,
    "/feeds/{token}.ics": _subscription,
    "/newsletter/confirm/{token}": _asked,
    "/newsletter/unsubscribe/{token}": _subscriber,
    "/bulk-import/{id}": _imported,
    "/bulk-import/{id}/errors": _imported,
    "/bulk-import/participants": _event_and_contact,
    "/audit-log/{id}": _event_and_contact,
    "/participants/{id}/link": _participant_with_open_pages,
    "/links/{id}/mail": _link_to_open_pages,
    "/links/{id}/reminder": _link_to_remind,
    "/links/{id}/remind": _link_to_remind,
    "/links/{id}/devices/{item_id}": _door_device,
    "/contacts/{id}/vat-checks": _business_in_the_eu,
    "/invoices/print": _invoice_for_the_post,
    "/invoices/posted": _invoice_for_the_post,
    "/reports/datev": _accounts,
    "/reports/datev/debtors": _accounts,
    "/reports/periods/{month}/files": _closed_month,
    "/reports/ledger/{customer_number}": _sent_invoice,
    "/payments/imports": _transfer,
    "/payments/import/formats": _columns,
    "/payments/unmatched": _transfer,
    "/payments/unmatched/{id}": _transfer,
    "/payments/unmatched/{id}/assign": _transfer,
    "/payments/unmatched/{id}/ignore": _transfer,
    "/payments/unmatched/{id}/reopen": lambda app: _transfer(app, "ignore"),
    "/invoices/{id}/dunning/{item_id}/pdf": _dunned,
    "/invoices/{id}/dunning/{item_id}/withdraw": _dunned,
    "/invoices/{id}/offset": _invoice_with_credit,
}
