"""A journey with the client of OpenAPI Generator for Python: generator_journey.py URL KEY.

Contacts, a list by cursor, a webhook, and the errors of a 422 and a 404.
"""

import sys
from typing import Optional

from openapi_client import ApiClient, ApiException, Configuration
from openapi_client.api import ContactsApi, PaymentsApi, WebhooksApi
from openapi_client.models import ContactCreate, PaymentCreate, Problem, SortOrder, WebhookCreate


def problem_of(error: ApiException, status: int) -> Problem:
    """Return the problem document of a refused request."""
    assert error.status == status, error
    problem = Problem.from_json(error.body or "")
    assert problem is not None
    return problem


def main(url: str, key: str) -> None:
    """Run the journey. Raise AssertionError if a response is not as documented."""
    client = ApiClient(Configuration(host=url, access_token=key))
    contacts = ContactsApi(client)
    contact = contacts.create_contact(
        ContactCreate(company_name="Markt KG", city="Erfurt", email="office@markt.example")
    ).data
    assert (contact.city, contact.notes) == ("Erfurt", None)
    for number in range(4):
        contacts.create_contact(ContactCreate(company_name=f"Markt {number}"))
    found: list[Optional[str]] = []
    after: Optional[str] = ""
    while after is not None:
        page = contacts.list_contacts(
            after=after, per_page=2, search="Markt", sort="id", order=SortOrder.ASC
        )
        found += [record.company_name for record in page.data]
        after = page.meta.next
    assert found == ["Markt KG", *(f"Markt {number}" for number in range(4))], found

    webhook = WebhooksApi(client).create_webhook(
        WebhookCreate(url="http://127.0.0.1:9/hook", events=["contact.created"])
    )
    assert webhook.data.id

    try:
        PaymentsApi(client).create_payment(PaymentCreate.model_construct(amount=-5))
        raise AssertionError("an invalid payment is refused")
    except ApiException as error:
        faults = {fault.pointer: fault.code for fault in problem_of(error, 422).errors or []}
    assert faults == {"/amount": "exclusive_minimum", "/invoice_number": "required"}, faults
    try:
        contacts.get_contact(999999)
        raise AssertionError("the contact does not exist")
    except ApiException as error:
        assert problem_of(error, 404).code == "not_found"
    print("journey done")


if __name__ == "__main__":
    main(*sys.argv[1:])
