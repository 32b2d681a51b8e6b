-- Writing invoices: drafts, lines, taxes, sending, cancelling and reminding.

-- name: add
-- Add a draft. Its number is random until `name_draft` replaces it, because the number contains the id.
INSERT INTO invoices (invoice_number, invoice_number_natural, invoice_number_folded, invoice_type, related_invoice_id,
  contact_id, event_participant_id, event_id, currency, exchange_rate, subtotal, tax_total, total, issue_date,
  service_date, service_date_to, due_date, buyer_reference, is_reverse_charge, tax_treatment, tax_decided_by, language,
  text, notes, cancellation_reason, taken_over, is_deposit, created_at, updated_at)
VALUES (coalesce(:invoice_number, 'DRAFT-' || hex(randomblob(8))), natural_key(:invoice_number), fold(:invoice_number),
  :invoice_type, :related_invoice_id, :contact_id, :event_participant_id, :event_id, :currency, :exchange_rate,
  :subtotal, :tax_total, :total, :issue_date, :service_date, :service_date_to, :due_date, :buyer_reference,
  :is_reverse_charge, :tax_treatment, :tax_decided_by, :language, :text, :notes, :cancellation_reason, :taken_over,
  :is_deposit, :now, :stamp);

-- name: name_draft
UPDATE invoices SET invoice_number = 'DRAFT-' || id, invoice_number_natural = natural_key('DRAFT-' || id),
  invoice_number_folded = fold('DRAFT-' || id)
 WHERE id = :id;

-- name: change
UPDATE invoices SET invoice_number = :invoice_number, invoice_number_natural = natural_key(:invoice_number),
  invoice_number_folded = fold(:invoice_number),
  contact_id = :contact_id, event_participant_id = :event_participant_id,
  event_id = :event_id, currency = :currency, exchange_rate = :exchange_rate, subtotal = :subtotal,
  tax_total = :tax_total, total = :total, issue_date = :issue_date, service_date = :service_date,
  service_date_to = :service_date_to, due_date = :due_date, buyer_reference = :buyer_reference,
  is_reverse_charge = :is_reverse_charge, tax_treatment = :tax_treatment, tax_decided_by = :tax_decided_by,
  language = :language, text = :text, notes = :notes,
      taken_over = :taken_over, is_deposit = :is_deposit, updated_at = :stamp
 WHERE id = :id;

-- name: change_locked
-- Change the only fields that can change after sending.
UPDATE invoices SET notes = :notes, due_date = :due_date, overdue_from = :overdue_from, exchange_rate = :exchange_rate,
  updated_at = :stamp WHERE id = :id;

-- name: keep_due_date
-- Keep the due date that a sent invoice had until now, for reports on earlier days.
INSERT INTO due_date_changes (invoice_id, due_date, changed_at) VALUES (:id, :due_date, :now);

-- name: due_date_as_sent
-- The due date with which an invoice was sent. No row if it has not changed since.
SELECT due_date FROM due_date_changes WHERE invoice_id = :id ORDER BY changed_at, id LIMIT 1;

-- name: remove
DELETE FROM invoices WHERE id = :id;

-- name: add_item
-- Add a line. For a reservation, booth_id records which booth is billed: the given one, or that of the credited
-- invoice, or the current booth of the reservation. The reservation can move to another booth later.
INSERT INTO invoice_items (invoice_id, position, description, quantity, unit, unit_price, discount_percent, is_discount,
  tax_rate, tax_category, exemption_reason, exemption_code, usual_tax_category, usual_tax_rate, usual_exemption_reason,
  usual_exemption_code, net, place_of_supply, is_tax_typed, is_generated,
  service_order_id, service_order_item_id, booth_reservation_id, booth_id, fee_of_participant_id, deposit_id)
VALUES (:invoice_id, :position, :description, :quantity, :unit, :unit_price, :discount_percent, :is_discount,
  :tax_rate, :tax_category, :exemption_reason, :exemption_code, :usual_tax_category, :usual_tax_rate,
  :usual_exemption_reason, :usual_exemption_code, :net, :place_of_supply, :is_tax_typed, :is_generated,
  :service_order_id, :service_order_item_id, :booth_reservation_id,
  coalesce(:booth_id, (SELECT l.booth_id FROM invoices n JOIN invoice_items l ON l.invoice_id = n.related_invoice_id
             WHERE n.id = :invoice_id AND l.booth_reservation_id = :booth_reservation_id),
           (SELECT booth_id FROM booth_reservations WHERE id = :booth_reservation_id)), :fee_of_participant_id,
           :deposit_id);

-- name: stored_lines
-- Lines of a draft with all their columns.
SELECT position, description, quantity, unit, unit_price, discount_percent, is_discount, tax_rate, tax_category,
       exemption_reason, exemption_code, usual_tax_category, usual_tax_rate, usual_exemption_reason,
       usual_exemption_code, net, place_of_supply, is_tax_typed, is_generated, service_order_id,
       service_order_item_id, booth_reservation_id, booth_id, fee_of_participant_id, deposit_id
  FROM invoice_items WHERE invoice_id = :id ORDER BY position;

-- name: clear_items
DELETE FROM invoice_items WHERE invoice_id = :id;

-- name: add_tax
INSERT INTO invoice_taxes (invoice_id, category, rate, net, tax, reason, reason_code)
VALUES (:invoice_id, :category, :rate, :net, :tax, :reason, :reason_code);

-- name: clear_taxes
DELETE FROM invoice_taxes WHERE invoice_id = :id;

-- name: send
UPDATE invoices SET invoice_number = :invoice_number, invoice_number_natural = natural_key(:invoice_number),
  invoice_number_folded = fold(:invoice_number),
  number_key = number_key(:invoice_number), number_letters = number_letters(:invoice_number), series = :series,
  sequence = :sequence, status = :status,
  subtotal = :subtotal, tax_total = :tax_total, total = :total, issue_date = :issue_date, service_date = :service_date,
  service_date_to = :service_date_to, due_date = :due_date, language = :language, seller = :seller, buyer = :buyer,
  debtor_number = :debtor_number, exchange_rate = :exchange_rate, prepaid_amount = :prepaid_amount,
  counted_credits = :counted_credits, payment_reference = :payment_reference, overdue_from = :overdue_from,
  tax_date = :tax_date, tax_basis = :tax_basis, tax_rules = :tax_rules, untaxed_date = :untaxed_date,
  interest_notice = :interest_notice AND invoice_type = 'invoice' AND NOT taken_over
    AND NOT coalesce(:buyer ->> 'is_business',
      (SELECT c.company_name IS NOT NULL FROM contacts c WHERE c.id = contact_id)),
  search_text = fold(:invoice_number || coalesce(' ' || (:buyer ->> 'name'),
  '') || coalesce(' ' || (:buyer ->> 'contact_name'), '') || coalesce(' ' || :debtor_number, '')), locked_at = :now,
      updated_at = :stamp
 WHERE id = :id;

-- name: freeze_pdf
UPDATE invoices SET pdf_source = :source WHERE id = :id;

-- name: printed
-- What the PDF shows beside the fields of the invoice. Without an event, its columns are null.
SELECT e.title AS event_title, e.venue AS event_venue, e.address AS event_address, e.postal_code AS event_postal_code,
       e.city AS event_city, (SELECT issue_date FROM invoices WHERE id = :related_invoice_id) AS related_issue_date,
       (SELECT counted_credits FROM invoices WHERE id = :id) AS counted_credits
  FROM (SELECT :event_id AS id) AS chosen LEFT JOIN events e ON e.id = chosen.id;

-- name: event_days
SELECT date_from, date_to, timezone, country FROM events WHERE id = :id;

-- name: pdf_source
SELECT pdf_source FROM invoices WHERE id = :id;

-- name: pdfs_due
SELECT id FROM invoices WHERE pdf_source IS NOT NULL ORDER BY id;

-- name: keep_pdf
-- Store the PDF as sent. It never changes, and it is not stored once the buyer is anonymised.
UPDATE invoices SET pdf_sha256 = :sha256, pdf_source = NULL WHERE id = :id AND pdf_sha256 IS NULL AND buyer IS NOT NULL;

-- name: cancel
UPDATE invoices SET status = 'cancelled', credited = total, related_invoice_id = :credit_note_id,
  cancellation_reason = :reason, updated_at = :stamp
 WHERE id = :id;

-- name: deliver
-- Record how a document reaches its customer: by a mail, or on paper.
UPDATE invoices SET for_post = :for_post, mail_id = :mail_id, mail_outcome = NULL WHERE id = :id;

-- name: remind
UPDATE invoices SET reminder_count = reminder_count + 1, reminder_sent_at = :now, updated_at = :stamp WHERE id = :id;

-- name: participant
SELECT contact_id, event_id FROM participants WHERE id = :id;

-- name: first_of_customer
-- An invoice that was sent to this customer number.
SELECT invoice_number, contact_id FROM invoices INDEXED BY invoices_by_debtor WHERE debtor_number = :customer_number
  AND locked_at IS NOT NULL LIMIT 1;

-- name: contact_of_customer
-- The contact of the last invoice that was sent to this customer number.
SELECT contact_id FROM invoices INDEXED BY invoices_by_debtor WHERE debtor_number = :customer_number
  AND locked_at IS NOT NULL
 ORDER BY issue_date DESC, id DESC LIMIT 1;

-- name: number_taken
SELECT id FROM invoices WHERE invoice_number = :invoice_number;

-- name: lines_left
-- Lines of an invoice and of its credit notes.
SELECT l.description, l.quantity, l.unit, l.unit_price, l.discount_percent, l.is_discount, l.tax_rate, l.tax_category,
       l.exemption_reason, l.exemption_code, l.net, l.place_of_supply, l.service_order_id, l.service_order_item_id,
       l.booth_reservation_id, l.fee_of_participant_id
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id
 WHERE i.id = :id OR i.related_invoice_id = :id AND i.invoice_type = 'credit_note' AND i.locked_at IS NOT NULL
 ORDER BY i.id, l.position;

-- Records that lines of an invoice refer to, with their participant.

-- name: billed_reservations
SELECT id, event_participant_id FROM booth_reservations WHERE id IN (SELECT value FROM json_each(:ids));

-- name: billed_orders
SELECT id, event_participant_id FROM service_orders WHERE id IN (SELECT value FROM json_each(:ids));

-- name: billed_order_items
SELECT t.id, o.event_participant_id, t.service_order_id
  FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
 WHERE t.id IN (SELECT value FROM json_each(:ids));

-- Erasing the data of a contact, and at the end of the retention period that of an invoice. `id` is its id.

-- name: drop_drafts
DELETE FROM invoices WHERE contact_id = :id AND status = 'draft' RETURNING id;

-- name: blank_remarks
UPDATE invoices SET notes = NULL, dispute_reason = NULL, updated_at = :stamp
 WHERE contact_id = :id AND (notes IS NOT NULL OR dispute_reason IS NOT NULL);

-- name: blank
-- The debtor number stays if it is a running number of ours: accounts refer to it. Another one may name the person, and
-- becomes the number that the anonymised contact has now.
UPDATE invoices SET buyer = NULL, buyer_reference = NULL, text = NULL, notes = NULL, cancellation_reason = NULL,
  dispute_reason = NULL, pdf_sha256 = NULL, pdf_source = NULL,
  for_post = iif(posted_on IS NULL AND (for_post = 1 OR mail_outcome = 'failed'), NULL, for_post),  -- it can no longer be printed
  search_text = fold(invoice_number), debtor_number = CASE
    WHEN debtor_number GLOB 'C-[0-9]*' AND NOT substr(debtor_number, 3) GLOB '*[^0-9]*' THEN debtor_number
                       ELSE (SELECT c.customer_number FROM contacts c WHERE c.id = contact_id) END, updated_at = :stamp
 WHERE id = :id;

-- name: blank_items
UPDATE invoice_items SET description = '-' WHERE invoice_id = :id;

-- Merging: invoices of a contact or a participant go to the other one.

-- name: of_contact
SELECT id FROM invoices WHERE contact_id = :contact_id ORDER BY id;

-- name: of_participant
SELECT id FROM invoices WHERE event_participant_id = :id ORDER BY id;

-- name: hand_over_to_contact
UPDATE invoices SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_to_participant
UPDATE invoices SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_fee
-- If both participants were billed a fee, the line of the duplicate does not move: its fee is no longer owed and has
-- to be credited.
UPDATE invoice_items SET fee_of_participant_id = :participant_id
 WHERE fee_of_participant_id = :id AND NOT EXISTS (SELECT 1 FROM billings WHERE bills = 'fee ' || :participant_id);
