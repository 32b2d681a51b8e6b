-- Dunning: which overdue invoices are due for which level, what was sent, and disputes.

-- columns: letter = d.id, d.invoice_id, i.currency, d.level, d.level_name, d.sent_on, d.due_date, d.days_overdue,
--   d.open_amount, d.fee, d.lump_sum, d.costs, d.interest, d.claims_paid, d.total_claim, d.claimed, d.calculation,
--   d.withdrawn_on, d.withdrawn_reason, d.deadline, d.language, d.title, d.text, d.mail_reason, d.for_post, d.posted_on,
--   d.created_at

-- name: list
-- Invoices that are due for their next level on the day `today`. `last` is the level before a level, and `cut_off` the last day
-- from which on an invoice is overdue for which its days have passed. Withdrawn letters count as if they had not been sent.
-- movements: payments and refunds without their part of claims, and write-offs, as [date or timestamp, change of the amount owed, kind].
-- What the bank booked counts from that day, also if its month was closed before, and the payment has a later date.
-- first_rate: the first day for which the option base_rates has a rate. minimum, factors, pending_from: see `claims.parameters`.
-- credit: what other invoices of the contact have overpaid. pending: the latest of the payments that hold the letter back.
SELECT i.id, i.invoice_number, i.contact_id, c.customer_number, i.buyer ->> 'name' AS buyer_name, i.event_id,
       (SELECT e.event_key FROM events e WHERE e.id = i.event_id) AS event_key, i.currency, i.total, i.credited,
       i.open_amount, i.issue_date, i.due_date, i.overdue_from, i.interest_notice, i.claims_total,
       i.claims_paid AS invoice_claims_paid, i.language, i.dunning_level AS last_level,
       i.dunning_deadline AS last_deadline, l.id AS level_id, l.level, l.name AS level_name, l.deadline_days,
       l.fee AS level_fee, l.has_lump_sum, l.interest AS level_interest, l.interest_rate, l.title_de, l.title_en,
       l.text_de, l.text_en, coalesce(i.buyer ->> 'is_business', c.company_name IS NOT NULL) AS is_business, i.updated_at,
       (SELECT coalesce(sum(d.fee), 0) FROM dunnings d WHERE d.invoice_id = i.id
         AND d.withdrawn_on IS NULL) AS earlier_fees,
       (SELECT coalesce(max(d.lump_sum), 0) FROM dunnings d WHERE d.invoice_id = i.id
         AND d.withdrawn_on IS NULL) AS earlier_lump_sum,
       (SELECT min(d.sent_on) FROM dunnings d WHERE d.invoice_id = i.id AND d.withdrawn_on IS NULL) AS first_letter,
       (SELECT json_group_array(json_array(m.day, m.change, m.kind)) FROM (
         SELECT coalesce((SELECT t.booked_on FROM bank_transactions t WHERE t.id = p.bank_transaction_id),
                p.payment_date, p.created_at) AS day, p.claim_amount - p.amount AS change,
                'payment' AS kind FROM payments p
          WHERE p.invoice_id = i.id AND p.status IN ('completed', 'refunded')
         UNION ALL SELECT coalesce((SELECT t.booked_on FROM bank_transactions t WHERE t.id = r.bank_transaction_id),
           r.counts_at), r.amount - r.claim_amount, 'refund' FROM payments p
          JOIN refunds r ON r.payment_id = p.id WHERE p.invoice_id = i.id AND p.status IN ('completed', 'refunded')
         UNION ALL SELECT w.written_off_at, -w.amount, 'write_off' FROM write_offs w WHERE w.invoice_id = i.id) m
           WHERE m.change <> 0) AS movements,
       (SELECT coalesce(-sum(n.open_amount), 0) FROM invoices n INDEXED BY invoices_with_credit
         WHERE n.contact_id = i.contact_id AND n.currency = i.currency AND n.open_amount < 0) AS credit,
       (SELECT json_array(p.amount, coalesce(p.payment_date, p.created_at)) FROM payments p
         WHERE p.invoice_id = i.id AND p.status = 'pending'
           AND coalesce(p.payment_date_at, p.created_at) >= :pending_from
         ORDER BY coalesce(p.payment_date_at, p.created_at) DESC, p.id DESC LIMIT 1) AS pending,
       CASE WHEN i.disputed_at IS NOT NULL THEN 'disputed'
            WHEN i.buyer IS NULL OR c.anonymized_at IS NOT NULL THEN 'anonymized'
            WHEN EXISTS (SELECT 1 FROM invoices n WHERE n.related_invoice_id = i.id AND n.invoice_type = 'credit_note'
              AND n.status = 'draft') THEN 'credit_note_draft'
            WHEN (SELECT coalesce(-sum(n.open_amount), 0) FROM invoices n INDEXED BY invoices_with_credit
              WHERE n.contact_id = i.contact_id AND n.currency = i.currency AND n.open_amount < 0)
              * coalesce(i.exchange_rate, 10000000000) * coalesce(:factors ->> i.currency,
              1) > :minimum * 10000000000 THEN 'credit_open'
            WHEN EXISTS (SELECT 1 FROM payments p WHERE p.invoice_id = i.id
              AND p.status = 'pending' AND coalesce(p.payment_date_at,
              p.created_at) >= :pending_from) THEN 'payment_pending'
            WHEN EXISTS (SELECT 1 FROM dunnings d WHERE d.invoice_id = i.id AND d.level = i.dunning_level
              AND d.withdrawn_on IS NULL AND d.for_post = 1 AND d.posted_on IS NULL) THEN 'not_posted'
            WHEN EXISTS (SELECT 1 FROM dunnings d WHERE d.invoice_id = i.id AND d.level = i.dunning_level
              AND d.withdrawn_on IS NULL AND d.for_post = 0 AND d.posted_on IS NULL
              AND coalesce((SELECT m.state FROM mails m WHERE m.id = d.mail_id), d.mail_outcome)
                IN ('failed', 'uncertain')) THEN 'mail_failed'
            WHEN l.interest IN ('consumer', 'business') AND i.overdue_from < :first_rate THEN 'no_base_rate'
            WHEN i.open_amount * coalesce(i.exchange_rate, 10000000000) * coalesce(:factors ->> i.currency,
              1) < :minimum * 10000000000 THEN 'below_minimum' END AS held_back
  FROM invoices i INDEXED BY invoices_to_dun
 CROSS JOIN (SELECT n.*, lag(n.level, 1, 0) OVER (ORDER BY n.level) AS last,
   date(:today, (1 - n.days) || ' days') AS cut_off
               FROM dunning_levels n) l ON coalesce(i.dunning_level, 0) >= l.last
               AND coalesce(i.dunning_level, 0) < l.level
  LEFT JOIN contacts c ON c.id = i.contact_id
 WHERE i.status IN ('sent', 'partially_paid') AND i.invoice_type = 'invoice' AND i.open_amount > 0
   AND i.due_date < l.cut_off AND i.overdue_from <= l.cut_off
   AND coalesce(i.dunning_deadline, '') < :today
   AND i.id IN (SELECT value FROM json_each(:ids))                              -- when ids
   AND i.id NOT IN (SELECT value FROM json_each(:left_out))                     -- when left_out
   AND likelihood(i.updated_at >= :updated_since, 0.0001)                       -- when updated_since
   AND l.level = :level                                                         -- when level
   AND i.event_id = :event_id                                                   -- when event_id
   AND (i.event_id = :show_id OR i.event_id IS NULL)                            -- when show_id
   AND i.contact_id = :contact_id                                               -- when contact_id
   AND +i.currency = :currency                                                  -- when currency
   AND :held_back = (i.disputed_at IS NOT NULL OR i.buyer IS NULL OR (SELECT c.anonymized_at FROM contacts c WHERE c.id = i.contact_id) IS NOT NULL OR EXISTS (SELECT 1 FROM invoices n WHERE n.related_invoice_id = i.id AND n.invoice_type = 'credit_note' AND n.status = 'draft') OR (SELECT coalesce(-sum(n.open_amount), 0) FROM invoices n INDEXED BY invoices_with_credit WHERE n.contact_id = i.contact_id AND n.currency = i.currency AND n.open_amount < 0) * coalesce(i.exchange_rate, 10000000000) * coalesce(:factors ->> i.currency, 1) > :minimum * 10000000000 OR EXISTS (SELECT 1 FROM payments p WHERE p.invoice_id = i.id AND p.status = 'pending' AND coalesce(p.payment_date_at, p.created_at) >= :pending_from) OR l.interest IN ('consumer', 'business') AND i.overdue_from < :first_rate OR i.open_amount * coalesce(i.exchange_rate, 10000000000) * coalesce(:factors ->> i.currency, 1) < :minimum * 10000000000 OR EXISTS (SELECT 1 FROM dunnings d WHERE d.invoice_id = i.id AND d.level = i.dunning_level AND d.withdrawn_on IS NULL AND d.posted_on IS NULL AND (d.for_post = 1 OR d.for_post = 0 AND coalesce((SELECT m.state FROM mails m WHERE m.id = d.mail_id), d.mail_outcome) IN ('failed', 'uncertain'))))  -- when held_back
 ORDER BY {sort} {order} NULLS LAST, i.id {order}  -- sort: id=i.id due_date=i.due_date

-- name: states
-- Invoices of a request, with what decides whether they can be dunned.
SELECT i.id, i.invoice_number, i.invoice_type, i.status, i.open_amount, i.due_date, i.dunning_level AS last_level,
  i.dunning_deadline AS last_deadline
  FROM invoices i WHERE i.id IN (SELECT value FROM json_each(:ids));

-- name: add
INSERT INTO dunnings (invoice_id, level, level_name, sent_on, due_date, days_overdue, open_amount, fee, lump_sum, costs,
  interest, claims_paid, total_claim, claimed, calculation, deadline, language, title, text, mail, mail_reason, mail_id,
  for_post, created_at)
VALUES (:invoice_id, :level, :level_name, :sent_on, :due_date, :days_overdue, :open_amount, :fee, :lump_sum, :costs,
  :interest, :claims_paid, :total_claim, :claimed, :calculation, :deadline, :language, :title, :text, :mail,
  :mail_reason, :mail_id, :for_post, :now);

-- name: record
UPDATE invoices SET dunning_level = :level, dunning_deadline = :deadline, claims_total = claims_total + :claimed,
  reminder_count = reminder_count + 1, reminder_sent_at = :now, updated_at = :stamp
 WHERE id = :id;

-- name: of_invoices
-- What was sent for several invoices. mail is the state of the mail as long as it is kept.
SELECT {letter},
       coalesce((SELECT m.state FROM mails m WHERE m.id = d.mail_id), d.mail_outcome, d.mail) AS mail,
       coalesce((SELECT m.state FROM mails m WHERE m.id = d.mail_id), d.mail_outcome) AS mail_state
  FROM dunnings d JOIN invoices i ON i.id = d.invoice_id
 WHERE d.invoice_id IN (SELECT value FROM json_each(:ids)) ORDER BY d.invoice_id, d.id;

-- name: letters
-- All letters, with what says whose they are.
SELECT {letter},
       coalesce((SELECT m.state FROM mails m WHERE m.id = d.mail_id), d.mail_outcome, d.mail) AS mail,
       coalesce((SELECT m.state FROM mails m WHERE m.id = d.mail_id), d.mail_outcome) AS mail_state,
       i.invoice_number, i.contact_id,
       (SELECT c.customer_number FROM contacts c WHERE c.id = i.contact_id) AS customer_number,
       i.buyer ->> 'name' AS buyer_name, i.updated_at
  FROM dunnings d CROSS JOIN invoices i ON i.id = d.invoice_id
 WHERE TRUE
   AND d.id IN (SELECT value FROM json_each(:ids))                              -- when ids
   AND likelihood(i.updated_at >= :updated_since, 0.0001)                       -- when updated_since
   AND d.withdrawn_on IS NULL AND i.open_amount > 0 AND i.disputed_at IS NULL   -- when open
   AND d.invoice_id IN (SELECT e.id FROM invoices e WHERE e.event_id = :event_id)      -- when event_id
   AND d.invoice_id IN (SELECT e.id FROM invoices e WHERE e.contact_id = :contact_id)  -- when contact_id
   AND d.for_post IS NULL                                                       -- when delivery_none
   AND d.for_post = 1 AND d.posted_on IS NULL                                   -- when delivery_to_print
   AND d.for_post IN (0, 1) AND d.posted_on > ''                                -- when delivery_posted
   AND d.id IN (SELECT f.id FROM mails m CROSS JOIN dunnings f INDEXED BY dunnings_by_mail ON f.mail_id = m.id WHERE m.state IN ('queued', 'sending') AND f.for_post = 0 AND f.posted_on IS NULL)  -- when delivery_queued
   AND d.id IN (SELECT f.id FROM dunnings f WHERE f.for_post = 0 AND f.posted_on IS NULL AND f.mail_outcome = 'failed' UNION ALL SELECT f.id FROM mails m CROSS JOIN dunnings f INDEXED BY dunnings_by_mail ON f.mail_id = m.id WHERE m.state IN ('failed', 'uncertain') AND f.for_post = 0 AND f.posted_on IS NULL)  -- when delivery_failed
   AND d.for_post = 0 AND d.posted_on IS NULL AND d.mail_outcome IS NOT 'failed' AND d.mail_id NOT IN (SELECT m.id FROM mails m WHERE m.state IN ('queued', 'sending', 'failed', 'uncertain'))  -- when delivery_mailed
 ORDER BY {sort} {order} NULLS LAST, d.id {order}  -- sort: id=d.id

-- name: claim
-- What a letter claims or, as a negative amount, takes back on a day, in the ledger.
INSERT INTO claim_movements (invoice_id, dunning_id, day, currency, amount)
  VALUES (:invoice_id, :dunning_id, :day, :currency, :amount);

-- name: by_mail
-- The letter in a mail, unless it was withdrawn.
SELECT d.id, d.invoice_id FROM dunnings d WHERE d.mail_id = :mail_id AND d.withdrawn_on IS NULL;

-- name: last_that_stands
SELECT d.id FROM dunnings d WHERE d.invoice_id = :invoice_id AND d.withdrawn_on IS NULL ORDER BY d.level DESC LIMIT 1;

-- name: withdraw
UPDATE dunnings SET withdrawn_on = :today, withdrawn_reason = :reason WHERE id = :id;

-- name: withdraw_undelivered
-- Withdraw a letter that was neither mailed nor posted. It is not delivered any more.
UPDATE dunnings SET withdrawn_on = :today, withdrawn_reason = :reason, for_post = NULL WHERE id = :id;

-- name: record_withdrawal
-- Level and deadline become those of the last letter that stands.
UPDATE invoices SET claims_total = claims_total - :claimed, updated_at = :stamp, (dunning_level, dunning_deadline) =
  (SELECT max(d.level), d.deadline FROM dunnings d WHERE d.invoice_id = invoices.id AND d.withdrawn_on IS NULL)
 WHERE id = :id;

-- name: dispute
UPDATE invoices SET disputed_at = coalesce(disputed_at, :now), dispute_reason = :reason, updated_at = :stamp
 WHERE id = :id;

-- name: settle
UPDATE invoices SET disputed_at = NULL, dispute_reason = NULL, updated_at = :stamp WHERE id = :id;

-- name: wrong_levels
-- Invoices whose last level, deadline or claims differ from their history. For `eventapi check`.
SELECT i.invoice_number, i.currency, i.dunning_level AS stored, d.level AS computed, i.claims_total,
  coalesce(d.claims, 0) AS claims
  FROM invoices i
  LEFT JOIN (SELECT d.invoice_id, max(d.level) AS level, d.deadline, sum(d.claimed) AS claims FROM dunnings d
              WHERE d.withdrawn_on IS NULL GROUP BY d.invoice_id) d ON d.invoice_id = i.id
 WHERE i.dunning_level IS NOT d.level OR i.dunning_deadline IS NOT d.deadline
   OR i.claims_total <> coalesce(d.claims, 0);

-- Erasing the data of a contact, and at the end of the retention period that of an invoice. `id` is its id.

-- name: blank_withdrawals
UPDATE dunnings SET withdrawn_reason = NULL
 WHERE withdrawn_reason IS NOT NULL AND invoice_id IN (SELECT i.id FROM invoices i WHERE i.contact_id = :id);

-- name: blank_texts
-- A letter can no longer be printed then.
UPDATE dunnings SET text = NULL,
  for_post = iif(posted_on IS NULL AND (for_post = 1 OR mail_outcome = 'failed'), NULL, for_post)
 WHERE invoice_id = :id;
