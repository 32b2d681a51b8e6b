-- Invoices and credit notes, as they are read. `today` is the current date in the tenant's time zone: overdue is
-- computed, not stored. A due date that is no working day moves by 31 days at most (see working_days.py).

-- columns: terms = currency subtotal tax_total total paid_amount prepaid_amount credited written_off open_amount
--   exchange_rate issue_date service_date service_date_to due_date overdue_from tax_date tax_basis interest_notice
--   buyer_reference tax_treatment tax_decided_by is_reverse_charge taken_over is_deposit
-- columns: document = language text notes cancellation_reason seller buyer payment_reference
-- columns: progress = xml_sha256 locked_at reminder_sent_at reminder_count dunning_level dunning_deadline
--   claims_total for_post posted_on
-- columns: item = position description quantity unit unit_price discount_percent is_discount tax_rate tax_category
--   exemption_reason exemption_code net place_of_supply service_order_id service_order_item_id booth_reservation_id
--   fee_of_participant_id deposit_id
-- columns: breakdown = category rate net tax reason reason_code

-- name: get
SELECT i.id, i.invoice_number, i.invoice_type, i.related_invoice_id, r.invoice_number AS related_invoice_number,
       i.status, i.overdue_from <= :today AND i.invoice_type = 'invoice' AS is_past_due, i.contact_id,
       c.customer_number, i.event_participant_id, i.event_id, e.event_key, {i.terms},
       (SELECT json_group_array(d.deposit_id) FROM invoice_deposits d WHERE d.invoice_id = i.id) AS deposit_ids,
       {i.document}, i.pdf_sha256, {i.progress},
       coalesce((SELECT m.state FROM mails m WHERE m.id = i.mail_id), i.mail_outcome) AS mail_state,
       i.claims_total - i.claims_paid AS claims_open, i.disputed_at, i.dispute_reason, i.created_at, i.updated_at,
       (SELECT json_group_array(json(l.line)) FROM (
         SELECT json_object({'item', item}) AS line
           FROM invoice_items WHERE invoice_id = i.id ORDER BY position) l) AS items,
       (SELECT json_group_array(json(t.tax)) FROM (
         SELECT json_object({'breakdown', breakdown}) AS tax
           FROM invoice_taxes WHERE invoice_id = i.id ORDER BY category, rate) t) AS taxes,
       (SELECT json_group_array(json(w.write_off)) FROM (
         SELECT json_object('id', id, 'kind', kind, 'amount', amount, 'reason', reason, 'written_off_at',
                written_off_at, 'payment_id', payment_id) AS write_off
           FROM write_offs WHERE invoice_id = i.id ORDER BY id) w) AS write_offs
  FROM invoices i JOIN contacts c ON c.id = i.contact_id LEFT JOIN events e ON e.id = i.event_id
  LEFT JOIN invoices r ON r.id = i.related_invoice_id
 WHERE i.id = :id;

-- name: list
SELECT i.id, i.invoice_number, i.invoice_type, i.related_invoice_id,
       (SELECT r.invoice_number FROM invoices r WHERE r.id = i.related_invoice_id) AS related_invoice_number, i.status,
       i.overdue_from <= :today AND i.invoice_type = 'invoice' AS is_past_due, i.contact_id,
       (SELECT c.customer_number FROM contacts c WHERE c.id = i.contact_id) AS customer_number, i.event_participant_id,
       i.event_id, (SELECT e.event_key FROM events e WHERE e.id = i.event_id) AS event_key, {i.terms},
       (SELECT json_group_array(d.deposit_id) FROM invoice_deposits d WHERE d.invoice_id = i.id) AS deposit_ids,
       {i.document}, {i.progress},
       coalesce((SELECT m.state FROM mails m WHERE m.id = i.mail_id), i.mail_outcome) AS mail_state,
       i.claims_total - i.claims_paid AS claims_open, i.disputed_at, i.dispute_reason, i.created_at, i.updated_at
  FROM invoices i
 WHERE TRUE
   AND i.id IN (SELECT value FROM json_each(:ids))                              -- when ids
   AND likelihood(i.updated_at >= :updated_since, 0.0001)                                           -- when updated_since
   AND i.status = :status                                                       -- when status
   AND (i.due_date IS NULL OR i.due_date >= date(:today, '-32 days') AND coalesce(i.overdue_from, '9999') > :today OR i.invoice_type = 'credit_note')  -- when not_overdue
   AND i.status IN ('sent', 'partially_paid') AND i.due_date < :today AND i.overdue_from <= :today AND +i.invoice_type = 'invoice'  -- when overdue
   AND i.invoice_type = :type                                                   -- when type
   AND i.is_deposit = :is_deposit                                               -- when is_deposit
   AND i.disputed_at IS NOT NULL                                                -- when disputed
   AND i.for_post IS NULL                                                       -- when delivery_none
   AND i.for_post = 1 AND i.posted_on IS NULL                                   -- when delivery_to_print
   AND i.for_post IN (0, 1) AND i.posted_on > ''                                -- when delivery_posted
   AND i.id IN (SELECT f.id FROM mails m CROSS JOIN invoices f INDEXED BY invoices_by_mail ON f.mail_id = m.id WHERE m.state IN ('queued', 'sending') AND f.for_post = 0 AND f.posted_on IS NULL)  -- when delivery_queued
   AND i.id IN (SELECT f.id FROM invoices f WHERE f.for_post = 0 AND f.posted_on IS NULL AND f.mail_outcome = 'failed' UNION ALL SELECT f.id FROM mails m CROSS JOIN invoices f INDEXED BY invoices_by_mail ON f.mail_id = m.id WHERE m.state IN ('failed', 'uncertain') AND f.for_post = 0 AND f.posted_on IS NULL)  -- when delivery_failed
   AND i.for_post = 0 AND i.posted_on IS NULL AND i.mail_outcome IS NOT 'failed' AND i.mail_id NOT IN (SELECT m.id FROM mails m WHERE m.state IN ('queued', 'sending', 'failed', 'uncertain'))  -- when delivery_mailed
   AND i.invoice_number = :number                                               -- when number
   AND i.id IN (SELECT rowid FROM invoices_search WHERE invoices_search MATCH :search)  -- when search
   AND i.contact_id = :contact_id                                               -- when contact_id
   AND i.event_id = :event_id                                                   -- when event_id
   AND i.event_participant_id = :event_participant_id                           -- when event_participant_id
   AND i.related_invoice_id = :related_invoice_id                               -- when related_invoice_id
   AND i.issue_date >= :date_from                                               -- when date_from
   AND i.issue_date <= :date_to                                                 -- when date_to
 ORDER BY {sort} {order} NULLS LAST, i.id {order}  -- sort: id=i.id invoice_number=i.invoice_number_natural total=i.total status=i.status due_date=i.due_date created_at=i.id issue_date=i.issue_date

-- name: totals
-- Sums of the sent invoices and credit notes of a list, by currency.
SELECT currency, sum(total) AS invoiced, sum(max(open_amount, 0)) AS open FROM invoices
 WHERE id IN (SELECT value FROM json_each(:ids)) AND status <> 'draft'
 GROUP BY currency ORDER BY currency;

-- name: summaries
-- Several invoices without their parts.
SELECT i.id, i.invoice_number, i.invoice_type, i.status, i.overdue_from <= :today
  AND i.invoice_type = 'invoice' AS is_past_due, i.contact_id, i.event_participant_id,
       i.currency, i.total, i.paid_amount, i.open_amount, i.issue_date, i.due_date
  FROM invoices i
 WHERE i.id IN (SELECT value FROM json_each(:ids));

-- name: parts_of
-- Items and taxes of several invoices, as JSON.
SELECT i.id,
       (SELECT json_group_array(json(l.line)) FROM (
         SELECT json_object({'item', item}) AS line
           FROM invoice_items WHERE invoice_id = i.id ORDER BY position) l) AS items,
       (SELECT json_group_array(json(t.tax)) FROM (
         SELECT json_object({'breakdown', breakdown}) AS tax
           FROM invoice_taxes WHERE invoice_id = i.id ORDER BY category, rate) t) AS taxes
  FROM invoices i
 WHERE i.id IN (SELECT value FROM json_each(:ids));

-- name: contacts_of
SELECT id, customer_number, company_name, first_name, last_name, address, postal_code, city, country, state, phone,
       email, invoice_email, tax_id
  FROM contacts WHERE id IN (SELECT value FROM json_each(:ids));

-- name: buyer
SELECT customer_number, company_name, first_name, last_name, address, postal_code, city, state, country, tax_id, email,
       is_business, leitweg_id, gln, electronic_address, e_invoice_profile, invoice_email, language, anonymized_at
  FROM contacts WHERE id = :id;
