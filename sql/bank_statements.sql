-- Bank statements and their transactions: import, matching with invoices, and the work list.

-- columns: statement = sha256 position format account currency sequence from_date to_date opening_balance
--   closing_balance total entries skipped_pending admin_id admin_name
-- columns: imported = statement_id account currency identity booked_on amount party ultimate_party iban bic text
--   cut_at description creditor_reference end_to_end_id return_reason is_reversal sent_amount sent_currency
-- columns: transaction = id statement_id account currency booked_on amount assigned_amount party ultimate_party iban
--   bic text cut_at description creditor_reference end_to_end_id return_reason is_reversal status sent_amount
--   sent_currency ignored_reason rule_id created_at updated_at

-- Importing.

-- name: add_statement
INSERT INTO bank_statements ({statement}, created_at, updated_at) VALUES ({:statement}, :now, :stamp)
ON CONFLICT (sha256, position) DO NOTHING;

-- name: statement
SELECT id, imported FROM bank_statements WHERE sha256 = :sha256 AND position = :position;

-- name: add_transaction
INSERT INTO bank_transactions ({imported}, search_text, created_at, updated_at)
VALUES ({:imported}, fold(:search_text), :now, :stamp)
ON CONFLICT (account, identity) DO NOTHING;

-- name: known
-- Which of these transactions are stored already.
SELECT identity FROM bank_transactions
 WHERE account = :account AND identity IN (SELECT value FROM json_each(:identities));

-- name: of_identities
SELECT {t.transaction}, t.identity FROM json_each(:identities) j
  CROSS JOIN bank_transactions t ON t.account = :account AND t.identity = j.value
 ORDER BY t.id;

-- name: count_imported
UPDATE bank_statements SET imported = imported + :imported, updated_at = :stamp WHERE id = :id;

-- name: open_of
-- Transactions of these identities that are not settled, and debits that their credits may explain: a bank may report
-- the return of a transfer in an earlier file than the transfer. Amounts are looked up once, however many credits share
-- one.
SELECT t.id, t.booked_on, t.amount, t.identity FROM json_each(:identities) j
  CROSS JOIN bank_transactions t ON t.account = :account AND t.identity = j.value
 WHERE t.status = 'open'
 UNION
SELECT d.id, d.booked_on, d.amount, d.identity FROM (
    SELECT DISTINCT t.amount, t.currency FROM json_each(:identities) j
      CROSS JOIN bank_transactions t ON t.account = :account AND t.identity = j.value AND t.amount > 0) c
  CROSS JOIN bank_transactions d ON d.account = :account AND d.amount = -c.amount AND d.currency = c.currency
 WHERE d.status = 'open'
 ORDER BY 2, 3 DESC, 4;

-- name: open_credits
SELECT t.id FROM bank_transactions t WHERE t.status = 'open' AND t.amount > 0;

-- name: other_format
-- The format of a statement of the account that covers the same days and came in another format. All versions of
-- camt.053 are one format.
SELECT format FROM bank_statements
 WHERE account = :account AND currency = :currency AND to_date >= :from_date AND from_date <= :to_date
   AND format <> :form AND NOT (format LIKE 'camt.053%' AND :form LIKE 'camt.053%') LIMIT 1;

-- name: in_other_format
-- Those of these transactions (id, statement_id or format, account, currency, booked_on) whose day is covered by a
-- statement in another format, so that they may be stored twice.
SELECT j.value ->> '$.id' FROM json_each(:transactions) j
  LEFT JOIN bank_statements o ON o.id = j.value ->> '$.statement_id'
 WHERE EXISTS (SELECT 1 FROM bank_statements s
   WHERE s.account = j.value ->> '$.account' AND s.currency = j.value ->> '$.currency'
     AND s.to_date >= j.value ->> '$.booked_on' AND s.from_date <= j.value ->> '$.booked_on'
     AND s.format <> coalesce(o.format, j.value ->> '$.format')
     AND NOT (s.format LIKE 'camt.053%' AND coalesce(o.format, j.value ->> '$.format') LIKE 'camt.053%'));

-- Matching. Each statement reads what a whole page of transactions needs.

-- name: of_ids
SELECT {t.transaction}
  FROM json_each(:ids) j JOIN bank_transactions t ON t.id = j.value
 ORDER BY j.key;

-- name: numbers
-- Sent invoices and credit notes whose number has one of these forms.
SELECT 'key' AS form, i.number_key AS found, i.id, i.invoice_number FROM json_each(:keys) j
  CROSS JOIN invoices i ON i.number_key = j.value
 UNION ALL
SELECT 'letters', i.number_letters, i.id, i.invoice_number FROM json_each(:letters) j
  CROSS JOIN invoices i ON i.number_letters = j.value;

-- name: payers
-- Contacts whose invoices were paid from these accounts before, by the latest transfers from each.
SELECT DISTINCT j.value AS iban, i.contact_id FROM json_each(:ibans) j
  CROSS JOIN bank_transactions t ON t.id IN (
    SELECT b.id FROM bank_transactions b WHERE b.iban = j.value ORDER BY b.id DESC LIMIT :most)
  CROSS JOIN payments p ON p.bank_transaction_id = t.id
  CROSS JOIN invoices i ON i.id = p.invoice_id
 ORDER BY 1, 2;

-- name: open_with_amount
-- At most :most invoices for each (currency, amount) that are open with exactly this amount, and as many with the claims
-- of their letters. A negative amount stands for money that the customer is owed.
SELECT j.value ->> 0 AS currency, j.value ->> 1 AS amount, i.id FROM json_each(:amounts) j
  CROSS JOIN invoices i ON i.id IN (
    SELECT o.id FROM invoices o INDEXED BY invoices_open
     WHERE o.currency = j.value ->> 0 AND o.open_amount = j.value ->> 1 AND o.open_amount <> 0
       AND o.locked_at IS NOT NULL LIMIT :most)
 UNION ALL
SELECT j.value ->> 0, j.value ->> 1, i.id FROM json_each(:amounts) j
  CROSS JOIN invoices i ON i.id IN (
    SELECT o.id FROM invoices o INDEXED BY invoices_with_claims
     WHERE o.currency = j.value ->> 0 AND o.open_amount + o.claims_total - o.claims_paid = j.value ->> 1
       AND o.claims_total > o.claims_paid AND o.open_amount > 0 LIMIT :most);

-- name: open_of_contacts
-- The oldest open invoices of these contacts, at most :most of each.
SELECT i.contact_id, i.id FROM json_each(:ids) j
  CROSS JOIN invoices i ON i.id IN (
    SELECT o.id FROM invoices o WHERE o.contact_id = j.value AND o.open_amount > 0 AND o.locked_at IS NOT NULL
     ORDER BY o.id LIMIT :most);

-- name: invoices
-- What the matching needs of invoices. A credit note leads to the invoice that it credits.
SELECT i.id AS found_id, i.invoice_type AS found_type, n.id, n.invoice_number, n.status, n.currency, n.exchange_rate,
       n.open_amount, n.claims_total - n.claims_paid AS claims_open, n.paid_amount + n.claims_paid AS paid_amount,
       n.contact_id, c.company_name, c.first_name, c.last_name,
       (SELECT coalesce(sum(p.amount - p.refunded_amount), 0) FROM payments p INDEXED BY payments_by_invoice
         WHERE p.invoice_id = n.id AND p.status = 'completed'
         AND (p.bank_transaction_id IS NOT NULL OR p.gateway_key = 'bank')) AS paid_by_transfer
  FROM json_each(:ids) j CROSS JOIN invoices i ON i.id = j.value
  CROSS JOIN invoices n ON n.id = CASE i.invoice_type WHEN 'credit_note' THEN i.related_invoice_id ELSE i.id END
  CROSS JOIN contacts c ON c.id = n.contact_id;

-- name: originals
-- Credits that these debits may take back: of the same account and amount, not later, and with the same other account
-- or the same end-to-end id. Ignored ones are among them, since a bank takes back what nobody has assigned as well.
SELECT j.value ->> '$.id' AS debit_id, t.id, t.booked_on, t.iban, t.end_to_end_id, t.text, t.status, t.amount,
       t.assigned_amount, t.iban = j.value ->> '$.iban' AS has_iban,
       t.end_to_end_id = j.value ->> '$.end_to_end_id' AS has_end_to_end_id
  FROM json_each(:debits) j CROSS JOIN bank_transactions t ON t.id IN (
    SELECT id FROM (
      SELECT * FROM (SELECT o.id, o.booked_on,
        coalesce(o.end_to_end_id = j.value ->> '$.end_to_end_id',
        FALSE) AS is_named FROM bank_transactions o INDEXED BY bank_transactions_by_amount
                      WHERE o.account = j.value ->> '$.account' AND o.amount = j.value ->> '$.amount'
                      AND o.iban = j.value ->> '$.iban'
                        AND o.booked_on <= j.value ->> '$.booked_on' AND o.currency = j.value ->> '$.currency'
                      ORDER BY o.booked_on DESC, o.id DESC LIMIT :most)
       UNION
      SELECT * FROM (SELECT o.id, o.booked_on,
        TRUE FROM bank_transactions o INDEXED BY bank_transactions_by_end_to_end_id
                      WHERE o.account = j.value ->> '$.account' AND o.amount = j.value ->> '$.amount'
                        AND o.end_to_end_id = j.value ->> '$.end_to_end_id'
                        AND o.booked_on <= j.value ->> '$.booked_on' AND o.currency = j.value ->> '$.currency'
                      ORDER BY o.booked_on DESC, o.id DESC LIMIT :most))
     ORDER BY is_named DESC, booked_on DESC, id DESC LIMIT :most)
 ORDER BY 1, 2 DESC;

-- name: payments_of_originals
-- What is left to refund of the payments of these transactions.
SELECT p.bank_transaction_id, p.id AS payment_id, p.invoice_id, i.invoice_number, p.amount - p.refunded_amount AS rest
  FROM json_each(:ids) j CROSS JOIN payments p ON p.bank_transaction_id = j.value JOIN invoices i ON i.id = p.invoice_id
 WHERE p.status = 'completed' AND p.amount > p.refunded_amount
 ORDER BY 1, 2;

-- name: payments_of_invoice
-- Completed payments of an invoice of which something is left to refund, the latest first. iban: who has paid by transfer. claim: what is
-- left of the part that pays claims of letters.
SELECT p.id, p.amount - p.refunded_amount AS rest, CASE p.claim_amount WHEN 0 THEN 0 ELSE
         p.claim_amount - (SELECT coalesce(sum(r.claim_amount), 0) FROM refunds r
           WHERE r.payment_id = p.id) END AS claim, p.bank_transaction_id IS NOT NULL
           OR p.gateway_key IS 'bank' AS is_transfer, b.iban
  FROM payments p LEFT JOIN bank_transactions b ON b.id = p.bank_transaction_id
 WHERE p.invoice_id = :id AND p.status = 'completed' AND p.amount > p.refunded_amount ORDER BY p.id DESC;

-- The work list.

-- name: list
SELECT {t.transaction}
  FROM bank_transactions t
 WHERE t.status = :status
   AND t.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND likelihood(t.updated_at >= :updated_since, 0.0001)                  -- when updated_since
   AND +t.account = :account                           -- when account
   AND t.currency = :currency                          -- when currency
   AND t.booked_on >= :date_from                       -- when date_from
   AND t.booked_on <= :date_to                         -- when date_to
   AND t.search_text LIKE :search ESCAPE '\'           -- when search
   AND t.amount >= :min_amount                         -- when min_amount
   AND t.amount <= :max_amount                         -- when max_amount
 ORDER BY {sort} {order} NULLS LAST, t.id {order}  -- sort: id=t.id booked_on=t.booked_on amount=t.amount

-- name: get
SELECT {t.transaction}
  FROM bank_transactions t WHERE t.id = :id;

-- name: assignments
-- Payments and refunds of these transactions.
SELECT p.bank_transaction_id, p.id AS payment_id, NULL AS refund_id, p.invoice_id, i.invoice_number,
       coalesce(p.bank_amount, p.amount) AS amount, coalesce(p.bank_currency, p.currency) AS currency
  FROM json_each(:ids) j CROSS JOIN payments p ON p.bank_transaction_id = j.value JOIN invoices i ON i.id = p.invoice_id
 UNION ALL
SELECT r.bank_transaction_id, r.payment_id, r.id, p.invoice_id, i.invoice_number, r.amount, r.currency
  FROM json_each(:ids) j CROSS JOIN refunds r ON r.bank_transaction_id = j.value JOIN payments p ON p.id = r.payment_id
  JOIN invoices i ON i.id = p.invoice_id
 ORDER BY 1, 2, 3;

-- name: set_status
UPDATE bank_transactions SET status = :status, ignored_reason = :ignored_reason, rule_id = :rule_id, updated_at = :stamp
 WHERE id = :id;

-- name: transaction_ids
-- Transaction ids of the payments and refunds that a transfer has paid.
SELECT transaction_id FROM payments WHERE bank_transaction_id = :id
 UNION ALL SELECT transaction_id FROM refunds WHERE bank_transaction_id = :id;

-- name: identity
SELECT identity FROM bank_transactions WHERE id = :id;

-- Imported statements.

-- name: statements
-- previous_…: of the statement before it, by its end, and by its number on the same day. NULL for the first of its
-- account.
SELECT s.id, s.format, s.account, s.currency, s.sequence, s.from_date, s.to_date, s.opening_balance,
       s.closing_balance, s.total, s.entries, s.skipped_pending, s.imported, s.admin_id, s.admin_name, s.created_at,
       s.updated_at,
       (SELECT b.id FROM bank_statements b WHERE b.account = s.account AND b.currency = s.currency
         AND b.to_date <= s.from_date AND (b.to_date < s.from_date OR b.sequence < s.sequence)
         ORDER BY b.to_date DESC, b.sequence DESC, b.id DESC LIMIT 1) AS previous_id
  FROM bank_statements s
 WHERE TRUE
   AND s.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)                  -- when updated_since
   AND s.account = :account                            -- when account
   AND s.currency = :currency                          -- when currency
   AND s.to_date >= :date_from                         -- when date_from
   AND s.to_date <= :date_to                           -- when date_to
 ORDER BY {sort} {order} NULLS LAST, s.id {order}  -- sort: id=s.id to_date=s.to_date

-- name: statements_by_id
SELECT s.id, s.to_date, s.sequence, s.closing_balance FROM bank_statements s
 WHERE s.id IN (SELECT value FROM json_each(:ids));

-- name: statement_and_previous
SELECT s.id, s.account, s.currency, s.sequence, s.to_date, s.opening_balance,
       (SELECT b.id FROM bank_statements b WHERE b.account = s.account AND b.currency = s.currency
           AND b.to_date <= s.from_date AND (b.to_date < s.from_date OR b.sequence < s.sequence)
         ORDER BY b.to_date DESC, b.sequence DESC, b.id DESC LIMIT 1) AS previous_id
  FROM bank_statements s WHERE s.id = :id;

-- For `eventapi check`.

-- name: wrong_sums
-- Transactions of which payments and refunds have taken another amount than stored, more than there is, money of
-- another currency, or payments of money that went out.
SELECT t.id, t.assigned_amount AS stored, t.amount, coalesce(sum(x.amount), 0) AS computed
  FROM bank_transactions t
  LEFT JOIN (SELECT bank_transaction_id, coalesce(bank_amount, amount) AS amount,
    coalesce(bank_currency, currency) AS currency, 1 AS side FROM payments WHERE bank_transaction_id IS NOT NULL
             UNION ALL SELECT bank_transaction_id, amount, currency, -1 FROM refunds
                        WHERE bank_transaction_id IS NOT NULL) x ON x.bank_transaction_id = t.id
 GROUP BY t.id
HAVING stored <> computed OR computed > abs(t.amount)
    OR coalesce(sum(x.currency <> t.currency OR x.side <> sign(t.amount)), 0) > 0
 ORDER BY t.id;

-- name: wrong_statements
-- Statements whose balances contradict their total, or of which another number of transactions is stored.
SELECT s.id, s.account, s.imported, (SELECT count(*) FROM bank_transactions t WHERE t.statement_id = s.id) AS stored,
       s.opening_balance, s.closing_balance, s.total
  FROM bank_statements s
 WHERE imported <> stored OR s.opening_balance + s.total <> s.closing_balance
 ORDER BY s.id;

-- Personal data.

-- name: erase_old
-- Erase the personal data of transactions whose retention period has ended.
UPDATE bank_transactions SET party = NULL, ultimate_party = NULL, iban = NULL, bic = NULL, text = NULL,
  description = NULL, creditor_reference = NULL, end_to_end_id = NULL, ignored_reason = NULL, search_text = NULL,
  erased_at = :now, updated_at = :stamp
 WHERE id IN (SELECT id FROM bank_transactions WHERE erased_at IS NULL AND booked_on < :before
 ORDER BY booked_on LIMIT :size);

-- name: blank_transfers
-- Who has paid invoices of the contact, and what was written with it; also in ignored transactions from an account that
-- has paid only such invoices. The amounts stay. What is open keeps its payer until it is settled.
UPDATE bank_transactions SET party = NULL, ultimate_party = NULL, iban = NULL, bic = NULL, text = NULL,
  description = NULL, creditor_reference = NULL, end_to_end_id = NULL, ignored_reason = NULL, search_text = NULL,
  erased_at = :now, updated_at = :stamp
 WHERE erased_at IS NULL
   AND id IN (SELECT p.bank_transaction_id FROM invoices i JOIN payments p ON p.invoice_id = i.id
   WHERE i.contact_id = :id
               UNION SELECT r.bank_transaction_id FROM invoices i JOIN payments p ON p.invoice_id = i.id
                       JOIN refunds r ON r.payment_id = p.id WHERE i.contact_id = :id
               UNION SELECT t.id FROM invoices i JOIN payments p ON p.invoice_id = i.id
                 JOIN bank_transactions b ON b.id = p.bank_transaction_id
                       JOIN bank_transactions t ON t.iban = b.iban AND t.status = 'ignored'
                      WHERE i.contact_id = :id
                      AND NOT EXISTS (SELECT 1 FROM bank_transactions o JOIN payments q ON q.bank_transaction_id = o.id
                                                                 JOIN invoices n ON n.id = q.invoice_id
                                                                WHERE o.iban = b.iban AND n.contact_id <> :id));
