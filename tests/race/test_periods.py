"""A month is closed while many clients book in it, with real server processes: it has what it was
closed with.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from tests.support.concurrent_requests import ROUNDS, send_at_once

pytestmark = pytest.mark.processes

BOOKINGS, CLOSINGS = 40, 4


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "clerks", ["invoices", "payments", "reports"])[1]


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_booking_is_in_the_figures_of_the_month_or_refused(server, key, organiser, db, round_):
    contact = organiser.make(
        "/contacts",
        {"company_name": "Muster GmbH", "address": "Weg 1", "city": "Leipzig", "country": "DE"},
    )
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 1000, "tax_rate": 19}],
        },
    )
    number = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"][
        "invoice_number"
    ]
    day = datetime.now(UTC).replace(day=1) - timedelta(days=3)
    month = f"{day:%Y-%m}"
    book = (
        "POST",
        "/payments",
        {"invoice_number": number, "amount": 1, "payment_date": f"{day:%Y-%m-%d}"},
    )
    close = ("POST", f"/reports/periods/{month}/close", None)
    part = BOOKINGS // CLOSINGS
    answers = send_at_once(server.port, key, [*([book] * part), close] * CLOSINGS)
    codes = Counter(answer.get("code", status) for status, answer in answers)
    assert codes[200] == CLOSINGS and codes[201] + codes["period_closed"] == BOOKINGS, codes
    closed = [answer["data"] for status, answer in answers if status == 200]
    assert all(period == closed[0] for period in closed)
    assert sum(row["payments"] for row in closed[0]["figures"]["payments"]) == codes[201]
    assert checks.findings(db) == []
