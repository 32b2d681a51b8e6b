"""What is written with the present schema: links, bank transactions, dunning, webhooks, closed
months.
"""

from eventapi.domain.books import periods
from eventapi.domain.dunning import sending
from eventapi.storage import folding
from tests.load.seeding.tables import say
from tests.load.seeding.words import BEGIN, SPAN, timestamp

ACCOUNT = "DE02120300000000202051"
PER_STATEMENT = 100
LEVELS = ((1, "Erinnerung", 7, 0), (2, "Mahnung", 21, 500), (3, "Letzte Mahnung", 35, 1000))


def fill_bank(db, show):
    """Transfers that paid an invoice, one of ten each of which nobody knows the reason, or which
    was ignored.
    """
    paid = db.connection.execute(
        """
        SELECT id, amount, currency, substr(payment_date_at, 1, 10) FROM payments
         WHERE gateway_key = 'bank' AND status = 'completed' AND currency = 'EUR' ORDER BY id DESC LIMIT ?""",
        (show.transfers,),
    ).fetchall()
    with db.write():
        for start in range(0, len(paid), PER_STATEMENT):
            add_statement(
                db.connection, start // PER_STATEMENT, paid[start : start + PER_STATEMENT]
            )
        db.connection.execute(
            "INSERT INTO bank_rules (direction, text, reason, created_at, updated_at) "
            "VALUES ('debit', 'Entgelt', 'Fee of the bank', ?, ?)",
            (timestamp(0), timestamp(0)),
        )
    say("bank_transactions")


def add_statement(connection, number, paid):
    rows = [transfer(number, place, *payment) for place, payment in enumerate(paid)]
    total, days = sum(row["amount"] for row in rows), [row["booked_on"] for row in rows]
    id = connection.execute(
        """
        INSERT INTO bank_statements (sha256, position, format, account, currency, sequence, from_date, to_date,
          opening_balance, closing_balance, total, entries, skipped_pending, imported, created_at, updated_at)
        VALUES (?, 0, 'camt.053.001.08', ?, 'EUR', ?, ?, ?, 0, ?, ?, ?, 0, ?, ?, ?)""",
        (
            f"{number:064x}",
            ACCOUNT,
            number + 1,
            min(days),
            max(days),
            total,
            total,
            len(rows),
            len(rows),
            timestamp(SPAN),
            timestamp(SPAN),
        ),
    ).lastrowid
    for row in rows:
        transaction = connection.execute(
            """
            INSERT INTO bank_transactions (statement_id, account, currency, identity, booked_on, amount, party, iban,
              text, search_text, assigned_amount, status, created_at, updated_at)
            VALUES (:statement, :account, 'EUR', :identity, :booked_on, :amount, :party, :iban, :text, :search_text,
              :assigned, :status, :now, :now)""",
            {**row, "statement": id},
        ).lastrowid
        if row["assigned"]:
            connection.execute(
                "UPDATE payments SET bank_transaction_id = ? WHERE id = ?",
                (transaction, row["payment"]),
            )


def transfer(number, place, payment, amount, currency, booked_on):
    status = {7: "open", 8: "ignored"}.get(place % 10, "assigned")
    party, text = f"Kunde {payment % 1000}", f"Rechnung vom {booked_on}, Zahlung {payment}"
    iban = f"DE{payment % 90 + 10}{payment:018}"
    return {
        "payment": payment,
        "account": ACCOUNT,
        "identity": f"{number:08x}{place:032x}",
        "booked_on": booked_on,
        "amount": amount,
        "party": party,
        "iban": iban,
        "text": text,
        "status": status,
        "search_text": folding.fold(f"{party} {iban} {text}"),
        "assigned": amount if status == "assigned" else 0,
        "now": f"{booked_on}T08:00:00Z",
    }


def fill_links(db, show):
    """Give each exhibitor a link to its pages, which nobody has used."""
    now = timestamp(SPAN)
    with db.write():
        db.connection.executemany(
            """
            INSERT INTO links (ref, kind, event_id, participant_id, name, rights, created_at, updated_at)
            VALUES (?, 'participant', ?, ?, 'Office', '["profile"]', ?, ?)""",
            (
                (f"ref{number:05}", event, participant, now, now)
                for number, (event, participant) in enumerate(show.shown)
            ),
        )
    say("links")


def fill_dunning(db, show):
    """Three levels, and letters of the first for every tenth of the invoices that are overdue."""
    with db.write():
        for level, name, days, fee in LEVELS:
            db.connection.execute(
                """
                INSERT INTO dunning_levels (level, name, days, deadline_days, fee, interest, created_at, updated_at)
                VALUES (?, ?, ?, 7, ?, 'none', ?, ?)""",
                (level, name, days, fee, timestamp(0), timestamp(level)),
            )
    ids = [
        row[0]
        for row in db.connection.execute(
            """
        SELECT id FROM invoices WHERE status IN ('sent', 'partially_paid') AND invoice_type = 'invoice'
           AND due_date < ? AND id % 10 = 0 ORDER BY id LIMIT ?""",
            (timestamp(SPAN - 86400 * 30)[:10], show.letters),
        )
    ]
    for start in range(0, len(ids), sending.BATCH):
        some = ids[start : start + sending.BATCH]
        with db.write():
            sending.send(db, sending.find_due(db, some), some, mail=False)
    say("dunnings")


def fill_webhooks(db, show, hooks=10):
    """Webhooks that are switched off, and deliveries of the latest events: nine of ten delivered,
    the others failed.
    """
    with db.write():
        last = db.connection.execute("SELECT max(id) FROM outgoing_events").fetchone()[0]
        for number in range(hooks):
            db.connection.execute(
                """
                INSERT INTO webhooks (api_key_id, name, url, events, headers, is_active, retry_count, timeout_seconds,
                  secret, last_event_id, created_at, updated_at)
                VALUES (1, ?, 'https://hook.example/', '["*"]', '{}', 0, 10, 10, 'whsec_x', ?, ?, ?)""",
                (f"hook {number}", last, timestamp(0), timestamp(number)),
            )
        db.connection.execute(
            """
            INSERT INTO webhook_deliveries (webhook_id, outgoing_id, event_name, entity_type, entity_id, event_at,
              status, failures, attempt_count, response_status, duration_ms, delivered_at, created_at, updated_at)
            SELECT w.id, o.id, o.name, o.entity_type, o.entity_id, o.created_at,
                   iif(o.id % 10, 'delivered', 'failed'), iif(o.id % 10, 0, 10), iif(o.id % 10, 1, 10),
                   iif(o.id % 10, 200, 503), 20, iif(o.id % 10, o.created_at, NULL), o.created_at, o.created_at
              FROM webhooks w CROSS JOIN outgoing_events o WHERE o.id > ?""",
            (last - show.deliveries // hooks,),
        )
    say("webhook_deliveries")


def close_first_year(db):
    """Close the months of the first year.

    They need the exchange rates of invoices in other currencies.
    """
    with db.write():
        db.connection.execute(
            "UPDATE invoices SET exchange_rate = 1000000 "
            "WHERE currency <> 'EUR' AND locked_at IS NOT NULL"
        )
        periods.close(db, f"{BEGIN.year + 1}-{BEGIN.month:02}")
    say("periods")
