"""A journey with the client that openapi-python-client generated: python_journey.py URL KEY.

Contact, participant, invoice, send, payment, an upload, a list by cursor, and the faults of a 422.
"""

import sys
from datetime import date
from io import BytesIO

from eventapi_client import AuthenticatedClient
from eventapi_client.api.contacts import create_contact, list_contacts
from eventapi_client.api.documents import (
    create_document,
    get_document_content,
    set_document_content,
)
from eventapi_client.api.events import create_event, list_events
from eventapi_client.api.invoices import create_invoice, get_invoice_pdf, send_invoice
from eventapi_client.api.participants import create_participant
from eventapi_client.api.payments import create_payment
from eventapi_client.models import (
    ContactCreate,
    DocumentCreate,
    DocumentEntityType,
    EventCreate,
    InvoiceCreate,
    InvoiceItemInput,
    InvoiceSend,
    ListContactsSort,
    ListEventsIncludeItem,
    ParticipantCreate,
    PaymentCreate,
    PaymentStatus,
    SortOrder,
)
from eventapi_client.models.problem import Problem
from eventapi_client.types import File


def main(url: str, key: str) -> None:
    """Run the journey. Raise AssertionError if a response is not as documented."""
    client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True)
    event = create_event.sync(
        client=client,
        body=EventCreate(title="Garden Fair", date_from="2027-05-01", date_to="2027-05-03"),
    )
    assert event is not None and not isinstance(event, Problem)
    contact = create_contact.sync(
        client=client,
        body=ContactCreate(
            company_name="Rosen KG",
            address="Rosenweg 1",
            city="Leipzig",
            email="office@rosen.example",
        ),
    )
    assert contact is not None and not isinstance(contact, Problem)
    participant = create_participant.sync(
        client=client,
        body=ParticipantCreate(
            event_id=event.data.id, contact_id=contact.data.id, is_confirmed=True
        ),
    )
    assert participant is not None and not isinstance(participant, Problem)
    invoice = create_invoice.sync(
        client=client,
        body=InvoiceCreate(
            participant_id=participant.data.id,
            items=[InvoiceItemInput(description="Booth A1", quantity=12, unit_price=150.5)],
        ),
    )
    assert (
        invoice is not None and not isinstance(invoice, Problem) and invoice.data.total == 2149.14
    )
    sent = send_invoice.sync(invoice.data.id, client=client, body=InvoiceSend(mail=False))
    assert sent is not None and not isinstance(sent, Problem) and sent.data.issue_date is not None
    assert isinstance(sent.data.issue_date, date)
    payment = create_payment.sync(
        client=client,
        idempotency_key="journey",
        body=PaymentCreate(
            invoice_number=sent.data.invoice_number, amount=2149.14, status=PaymentStatus.COMPLETED
        ),
    )
    assert payment is not None and not isinstance(payment, Problem)
    pdf = get_invoice_pdf.sync(sent.data.id, client=client)
    assert isinstance(pdf, File) and pdf.payload.read(5) == b"%PDF-"

    document = create_document.sync(
        client=client,
        body=DocumentCreate(
            entity_type=DocumentEntityType.CONTACT, entity_id=contact.data.id, filename="logo.svg"
        ),
    )
    assert document is not None and not isinstance(document, Problem)
    stored = set_document_content.sync(
        document.data.id, client=client, body=File(BytesIO(b"hello"))
    )
    assert stored is not None and not isinstance(stored, Problem) and stored.data.size == 5
    assert get_document_content.sync_detailed(document.data.id, client=client).content == b"hello"

    for number in range(5):
        create_contact.sync(client=client, body=ContactCreate(company_name=f"Walked {number}"))
    found, after = [], ""
    while True:
        page = list_contacts.sync(
            client=client,
            after=after,
            per_page=2,
            search="Walked",
            sort=ListContactsSort.ID,
            order=SortOrder.ASC,
        )
        assert page is not None and not isinstance(page, Problem)
        found += [record.company_name for record in page.data]
        if not page.meta.next_:
            break
        after = page.meta.next_
    assert found == [f"Walked {number}" for number in range(5)]
    both = list_events.sync(
        client=client,
        ids=[event.data.id],
        include=[ListEventsIncludeItem.OPENING_HOURS, ListEventsIncludeItem.PARTICIPANT_COUNT],
    )
    assert both is not None and not isinstance(both, Problem)
    assert [record.participant_count for record in both.data] == [1]

    refused = create_payment.sync(
        client=client, body=PaymentCreate(invoice_number="INV-0", amount=-5)
    )
    assert isinstance(refused, Problem) and refused.status == 422
    faults = {fault.pointer: fault.code for fault in refused.errors or []}
    assert faults == {"/amount": "exclusive_minimum"}, faults
    print("journey done")


if __name__ == "__main__":
    main(*sys.argv[1:])
