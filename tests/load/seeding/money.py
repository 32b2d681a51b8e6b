"""Invoices with lines and taxes, credit notes, payments and refunds, whose sums fit."""

import json
from datetime import date, timedelta

from tests.load.seeding.tables import put
from tests.load.seeding.words import SPAN, TRADES, chance, one_of, timestamp

GATEWAYS = ["stripe", "paypal", "bank", None, "sepa"]
CURRENCIES = {"EUR": 80, "CHF": 10, "USD": 6, "PLN": 3.9, "GBP": 0.1}
STATUSES = {"paid": 83, "sent": 10, "partially_paid": 4, "draft": 3, "cancelled": 0.1}
SELLER = json.dumps(
    {
        "name": "Grüne Messe Leipzig GmbH",
        "street": "Messe-Allee 1",
        "postal_code": "04356",
        "city": "Leipzig",
        "country": "DE",
        "vat_id": "DE136695976",
        "tax_number": None,
        "email": "office@messe.example",
        "iban": "DE02120300000000202051",
        "bic": "BYLADEM1001",
    },
    ensure_ascii=False,
)
BUYER = json.dumps(
    {
        "name": "Linden Gartenbau GmbH",
        "address": "Weg 1",
        "postal_code": "04103",
        "city": "Leipzig",
        "country": "DE",
    }
)
COLUMNS = (
    "id,series,sequence,invoice_type,related_invoice_id,status,contact_id,event_id,event_participant_id,"
    "currency,subtotal,tax_total,total,paid_amount,credited,issue_date,due_date,seller,buyer,"
    "locked_at,invoice_number,created_at,updated_at"
)


def fill_gateways(connection):
    put(
        connection,
        "gateways",
        "gateway_key,name,fee_percent,created_at",
        [(key, key.title(), 150, timestamp(0)) for key in GATEWAYS if key],
    )


def fill_money(connection, show):
    invoices, payments, sequences = [], [], {}
    issued = sorted(chance.random() * SPAN for _ in range(show.invoices))
    for id, seconds in enumerate(issued, 1):
        invoice = draw_invoice(id, int(seconds), show, invoices[-1] if invoices else None)
        number_invoice(invoice, sequences)
        payments += draw_payments(invoice, int(seconds), show.payments // show.invoices)
        invoices.append(invoice)
    put(
        connection,
        "invoices",
        COLUMNS,
        (tuple(invoice[name] for name in COLUMNS.split(",")) for invoice in invoices),
    )
    put(
        connection,
        "invoice_items",
        "invoice_id,position,description,quantity,unit_price,tax_rate,tax_category,net",
        (
            (
                invoice["id"],
                position,
                f"{TRADES[(invoice['id'] + position) % 15]}: Leistung laut Angebot",
                1000,
                invoice["base"] * 100,
                1900,
                "S",
                invoice["base"],
            )
            for invoice in invoices
            for position in (1, 2, 3)
        ),
    )
    put(
        connection,
        "invoice_taxes",
        "invoice_id,category,rate,net,tax",
        (
            (invoice["id"], "S", 1900, invoice["subtotal"], invoice["tax_total"])
            for invoice in invoices
        ),
    )
    put(
        connection,
        "payments",
        "invoice_id,amount,refunded_amount,currency,gateway_key,gateway_name,gateway_fee,"
        "transaction_id,status,payment_date,created_at,updated_at",
        payments,
    )
    put(connection, "counters", "name,value", list(sequences.items()))


def draw_invoice(id, seconds, show, previous):
    """Return a row of invoices without number, as a dict, with `base`, the net amount of each of
    its three lines.
    """
    at = timestamp(seconds)
    invoice = {
        "id": id,
        "invoice_type": "invoice",
        "related_invoice_id": None,
        "currency": one_of(CURRENCIES),
        **draw_buyer(id, show),
        "base": chance.randrange(2, 400) * 500,
        "status": one_of(STATUSES),
    }
    if (
        id % 50 == 7
        and previous
        and previous["status"] == "sent"
        and previous["invoice_type"] == "invoice"
    ):
        make_credit_note(invoice, previous)
    elif invoice["status"] == "cancelled":
        invoice["status"] = "paid"
    net = 3 * invoice["base"]
    tax = round(net * 19 / 100)
    if invoice["related_invoice_id"]:
        previous["credited"] = -(net + tax)
    is_sent = invoice["status"] != "draft"
    due_date = str(date.fromisoformat(at[:10]) + timedelta(days=14))
    return {
        **invoice,
        "subtotal": net,
        "tax_total": tax,
        "total": net + tax,
        "paid_amount": 0,
        "credited": 0,
        "issue_date": at[:10] if is_sent else None,
        "due_date": due_date if is_sent else None,
        "seller": SELLER if is_sent else None,
        "buyer": BUYER if is_sent else None,
        "locked_at": at if is_sent else None,
        "created_at": at,
        "updated_at": at,
    }


def draw_buyer(id, show):
    """Return whom an invoice is for. Contact 1 has one of fifty invoices, all others have few."""
    event, participant = (
        show.shown[chance.randrange(len(show.shown))] if id % 5 < 3 else (None, None)
    )
    if participant:
        contact = show.participants[participant - 1][1]
    else:
        contact = 1 if id % 50 == 4 else chance.randrange(2, show.contacts)
    return {"contact_id": contact, "event_id": event, "event_participant_id": participant}


def make_credit_note(invoice, previous):
    """Turn an invoice into a credit note for a part of the one before."""
    for name in ("contact_id", "event_id", "event_participant_id", "currency"):
        invoice[name] = previous[name]
    invoice.update(
        invoice_type="credit_note",
        related_invoice_id=previous["id"],
        status="sent",
        base=-max(100, previous["subtotal"] // 600 * 100),
    )


def number_invoice(invoice, sequences):
    """Add the number, gapless per year and kind; drafts have none."""
    invoice.update(series=None, sequence=None, invoice_number=f"DRAFT-{invoice['id']}")
    if invoice["issue_date"]:
        year = invoice["issue_date"][:4]
        prefix = "INV" if invoice["invoice_type"] == "invoice" else "CN"
        series = f"{invoice['invoice_type']}-{year}"
        sequence = sequences[series] = sequences.get(series, 0) + 1
        invoice.update(
            series=series, sequence=sequence, invoice_number=f"{prefix}-{year}-{sequence:05}"
        )


def draw_payments(invoice, seconds, many):
    """Return the rows of payments of an invoice, and set what was paid.

    Attempts that failed are among them.
    """
    if invoice["invoice_type"] != "invoice" or invoice["status"] == "draft":
        return []
    total = invoice["total"]
    owed = {"paid": total, "partially_paid": total // 3}.get(invoice["status"], 0)
    rows = []
    for number in range(many):
        part = owed // many if number < many - 1 else owed - owed // many * (many - 1)
        rows.append(payment(invoice, number, part, max(1, total // many), seconds))
        invoice["paid_amount"] += part
    if invoice["id"] % 100 == 50 and invoice["paid_amount"]:
        rows[-1], rows[-2] = refunded(rows[-1]), merged(rows[-2], rows[-1])
    return rows


def payment(invoice, number, amount, attempted, seconds):
    """Return a completed payment of the amount, or if it is 0 one of `attempted` that has not come."""
    id, gateway = invoice["id"], GATEWAYS[(invoice["id"] + number) % 5]
    at = timestamp(min(SPAN - 1, seconds + chance.randrange(30 * 86400)))
    status = "completed" if amount else one_of({"failed": 6, "pending": 3, "cancelled": 1})
    is_dated = amount or (id + number) % 11
    return (
        id,
        amount or attempted,
        0,
        invoice["currency"],
        gateway,
        gateway and gateway.title(),
        0,
        f"tx{id}-{number}" if gateway else None,
        status,
        at if is_dated else None,
        at,
        at,
    )


def refunded(row):
    """Return a payment that came twice and went back: a row of payments, refunded in full."""
    id, amount, _, *middle = row
    return (id, amount, amount, *middle[:5], "refunded", *middle[6:])


def merged(row, other):
    """Return a row of payments with the amount of another one added."""
    return (row[0], row[1] + other[1], *row[2:])
