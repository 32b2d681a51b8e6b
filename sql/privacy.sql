-- All data about a contact, and its erasure. `pairs` is a JSON list of [entity_type, entity_id].

-- columns: rejected = id bulk_import_id record_index source created_at

-- name: own_records
-- Records of the contact: its own, those of contacts merged into it, and deleted ones that are still in the audit
-- log. Subscribers of merged duplicates belong to it. Applications and subscribers that only share the e-mail address belong to it if no other contact has this
-- address.
WITH people (id) AS (SELECT :id UNION SELECT duplicate_id FROM merged_contacts WHERE contact_id = :id)
SELECT 'contact' AS entity_type, id AS entity_id FROM people
 UNION SELECT 'event_participant', id FROM participants WHERE contact_id = :id
 UNION SELECT 'application', id FROM applications WHERE contact_id = :id
 UNION SELECT 'application', a.id FROM contacts c JOIN applications a ON a.email = c.email
        WHERE c.id = :id AND a.contact_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM contacts o WHERE o.email = c.email AND o.id <> c.id)
 UNION SELECT 'newsletter_subscriber', id FROM newsletter_subscribers WHERE contact_id = :id
 UNION SELECT 'newsletter_subscriber', s.id FROM contacts c JOIN newsletter_subscribers s ON s.email = c.email
        WHERE c.id = :id AND s.contact_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM contacts o WHERE o.email = c.email AND o.id <> c.id)
 UNION SELECT 'invoice', id FROM invoices WHERE contact_id = :id
 UNION SELECT l.entity_type, l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_contact
        WHERE l.action = 'deleted' AND l.entity_type IN ('application', 'event_participant', 'invoice')
        AND l.old_values ->> '$.contact_id' IN (SELECT id FROM people)
 UNION SELECT 'application', l.entity_id FROM contacts c CROSS JOIN audit_log l INDEXED BY audit_log_deleted_of_contact
           ON l.old_values ->> '$.email' = c.email COLLATE NOCASE
        WHERE c.id = :id AND l.action = 'deleted' AND l.entity_type = 'application'
        AND l.old_values ->> '$.contact_id' IS NULL
          AND NOT EXISTS (SELECT 1 FROM contacts o WHERE o.email = c.email AND o.id <> c.id);

-- In these statements, IN keeps SQLite from a Bloom filter, for which it would read all of the audit log.

-- name: attached_records
-- Records that belong to those in `pairs`, including deleted ones that are still in the audit log.
WITH pairs (entity_type, entity_id) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:pairs))
SELECT 'booth_reservation' AS entity_type, r.id AS entity_id FROM pairs p
  JOIN booth_reservations r ON r.event_participant_id = p.entity_id
        WHERE p.entity_type = 'event_participant'
 UNION SELECT 'service_order', o.id FROM pairs p JOIN service_orders o ON o.event_participant_id = p.entity_id
        WHERE p.entity_type = 'event_participant'
 UNION SELECT 'service_order', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_participant
        WHERE l.action = 'deleted' AND l.entity_type = 'service_order'
        AND l.old_values ->> '$.event_participant_id' IN (SELECT entity_id FROM pairs
        WHERE entity_type = 'event_participant')
 UNION SELECT 'check_in', k.id FROM pairs p JOIN check_ins k ON k.event_participant_id = p.entity_id
        WHERE p.entity_type = 'event_participant'
 UNION SELECT 'check_in', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_participant
        WHERE l.action = 'deleted' AND l.entity_type = 'check_in'
        AND l.old_values ->> '$.event_participant_id' IN (SELECT entity_id FROM pairs
        WHERE entity_type = 'event_participant')
 UNION SELECT 'submission', s.id FROM pairs p JOIN submissions s ON s.event_participant_id = p.entity_id
        WHERE p.entity_type = 'event_participant'
 UNION SELECT 'submission', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_participant
        WHERE l.action = 'deleted' AND l.entity_type = 'submission'
        AND l.old_values ->> '$.event_participant_id' IN (SELECT entity_id FROM pairs
        WHERE entity_type = 'event_participant')
 UNION SELECT 'note', n.id FROM pairs p JOIN notes n ON n.entity_type = p.entity_type AND n.entity_id = p.entity_id
 UNION SELECT 'payment', m.id FROM pairs p JOIN payments m ON m.invoice_id = p.entity_id WHERE p.entity_type = 'invoice'
 UNION SELECT 'note', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_entity
        WHERE l.action = 'deleted' AND l.entity_type = 'note'
        AND l.old_values ->> '$.entity_id' IN (SELECT entity_id FROM pairs)
          AND (l.old_values ->> '$.entity_type', l.old_values ->> '$.entity_id') IN (SELECT entity_type,
            entity_id FROM pairs)
 UNION SELECT 'payment', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_invoice
        WHERE l.action = 'deleted' AND l.entity_type = 'payment'
        AND l.old_values ->> '$.invoice_id' IN (SELECT entity_id FROM pairs WHERE entity_type = 'invoice');

-- name: documents_about
-- Documents about the records in `pairs`, including deleted ones.
WITH pairs (entity_type, entity_id) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:pairs))
SELECT 'document' AS entity_type, d.id AS entity_id FROM pairs p JOIN documents d ON d.entity_type = p.entity_type
  AND d.entity_id = p.entity_id
 UNION SELECT 'document', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_entity
        WHERE l.action = 'deleted' AND l.entity_type = 'document'
        AND l.old_values ->> '$.entity_id' IN (SELECT entity_id FROM pairs)
          AND (l.old_values ->> '$.entity_type', l.old_values ->> '$.entity_id') IN (SELECT entity_type,
            entity_id FROM pairs);

-- name: tasks_about
-- Tasks about the records in `pairs`, including deleted ones.
WITH pairs (entity_type, entity_id) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:pairs))
SELECT 'task' AS entity_type, t.id AS entity_id FROM pairs p JOIN tasks t ON t.entity_type = p.entity_type
  AND t.entity_id = p.entity_id
 UNION SELECT 'task', l.entity_id FROM audit_log l INDEXED BY audit_log_deleted_of_entity
        WHERE l.action = 'deleted' AND l.entity_type = 'task'
        AND l.old_values ->> '$.entity_id' IN (SELECT entity_id FROM pairs)
          AND (l.old_values ->> '$.entity_type', l.old_values ->> '$.entity_id') IN (SELECT entity_type,
            entity_id FROM pairs);

-- Reading the data of a contact.

-- name: note
SELECT id, entity_type, entity_id, note_text, note_type, is_pinned, created_at, updated_at FROM notes WHERE id = :id;

-- name: assignments
SELECT a.schedule_slot_id AS schedule_id, a.event_participant_id, a.role, s.title, s.starts_at, s.ends_at, s.location
  FROM participants p JOIN schedule_assignments a ON a.event_participant_id = p.id
  JOIN schedule_slots s ON s.id = a.schedule_slot_id
 WHERE p.contact_id = :id ORDER BY a.id;

-- name: badge_aliases
SELECT a.id, a.event_participant_id, a.badge_number, a.replaced_at, a.created_at
  FROM participants p JOIN badge_aliases a ON a.event_participant_id = p.id WHERE p.contact_id = :id ORDER BY a.id;

-- name: former_emails
SELECT email_before FROM contacts WHERE id = :id;

-- name: links
-- Links of the contact, of its applications and of the people at its booth.
SELECT id, kind, event_id, participant_id, application_id, name, email, language, rights, ended_by, last_used_at,
  created_at, updated_at FROM links
 WHERE participant_id IN (SELECT p.id FROM participants p WHERE p.contact_id = :id
                           UNION SELECT s.id FROM participants p JOIN participants s ON s.host_participant_id = p.id
                             WHERE p.contact_id = :id)
    OR application_id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'application')
 ORDER BY id;

-- name: steps
SELECT b.id, b.entity_type, b.entity_id, b.link_id, b.way, b.mailed_to, b.address, b.agent, b.shown_sha256, b.created_at
  FROM json_each(:pairs) p CROSS JOIN binding_steps b ON b.entity_type = p.value ->> 0 AND b.entity_id = p.value ->> 1
 ORDER BY b.id;

-- name: profiled
-- Participants of the contact that have a profile.
SELECT participant_id FROM profiles WHERE participant_id IN (SELECT id FROM participants WHERE contact_id = :id)
 ORDER BY participant_id;

-- name: scans
SELECT s.id, s.event_participant_id, s.action, s.check_in_type, s.badge_number, s.station, s.notes, s.client_ref,
       s.scanned_at, s.code, s.check_in_id, s.taken_back_at, s.created_at
  FROM participants p JOIN check_in_scans s ON s.event_participant_id = p.id
 WHERE p.contact_id = :id ORDER BY s.id;

-- name: mails
SELECT id, kind, entity_type, entity_id, recipient, subject, language, text, details, state, error, created_at,
  updated_at
  FROM mails WHERE id IN (SELECT r.id FROM json_each(:pairs) p CROSS JOIN mails r ON r.entity_type = p.value ->> 0
  AND r.entity_id = p.value ->> 1) ORDER BY id;

-- name: audit_entries
SELECT id, action, entity_type, entity_id, entity_title, description, old_values, new_values, created_at
  FROM audit_log WHERE id IN (SELECT r.id FROM json_each(:pairs) p CROSS
  JOIN audit_log r ON r.entity_type = p.value ->> 0 AND r.entity_id = p.value ->> 1) ORDER BY id;

-- name: outgoing_events
SELECT id, name, entity_type, entity_id, data, created_at
  FROM outgoing_events WHERE id IN (SELECT r.id FROM json_each(:pairs) p CROSS
  JOIN outgoing_events r ON r.entity_id = p.value ->> 1 AND r.entity_type = p.value ->> 0) ORDER BY id;

-- name: bank_transactions
-- Bank transactions that were assigned to invoices of the contact, and ignored ones from an account that has paid only
-- such invoices.
SELECT t.id, t.account, t.currency, t.booked_on, t.amount, t.party, t.ultimate_party, t.iban, t.bic, t.text,
       t.description, t.creditor_reference, t.end_to_end_id, t.return_reason, t.status, t.ignored_reason, t.created_at
  FROM bank_transactions t
 WHERE t.id IN (SELECT p.bank_transaction_id FROM invoices i JOIN payments p ON p.invoice_id = i.id
 WHERE i.contact_id = :id
                 UNION SELECT r.bank_transaction_id FROM invoices i JOIN payments p ON p.invoice_id = i.id
                         JOIN refunds r ON r.payment_id = p.id WHERE i.contact_id = :id
               UNION SELECT t.id FROM invoices i JOIN payments p ON p.invoice_id = i.id
                 JOIN bank_transactions b ON b.id = p.bank_transaction_id
                       JOIN bank_transactions t ON t.iban = b.iban AND t.status = 'ignored'
                      WHERE i.contact_id = :id
                      AND NOT EXISTS (SELECT 1 FROM bank_transactions o JOIN payments q ON q.bank_transaction_id = o.id
                                                                 JOIN invoices n ON n.id = q.invoice_id
                                                                WHERE o.iban = b.iban AND n.contact_id <> :id))
 ORDER BY t.id;

-- name: rejected_records
-- Rejected records of bulk imports with an identifier of the contact.
SELECT {r.rejected}
  FROM contacts c JOIN bulk_import_errors r ON r.email = c.email WHERE c.id = :id
 UNION SELECT {r.rejected}
  FROM contacts c JOIN bulk_import_errors r ON r.customer_number = c.customer_number WHERE c.id = :id
 UNION SELECT {r.rejected}
  FROM contacts c JOIN bulk_import_errors r ON r.external_id = c.external_id WHERE c.id = :id
 ORDER BY 1;

-- name: merged
SELECT duplicate_id, merged_at FROM merged_contacts WHERE contact_id = :id ORDER BY duplicate_id;

-- name: kept
-- Invoices that the law requires to be kept, with the last day: the end of the year, `years` years after it.
SELECT * FROM (
  SELECT id AS invoice_id, invoice_number, issue_date,
         (substr(coalesce(issue_date, service_date, created_at), 1, 4) + :years) || '-12-31' AS kept_until
    FROM invoices WHERE contact_id = :id AND status <> 'draft')
 WHERE kept_until >= :today ORDER BY kept_until, invoice_id;

-- name: not_kept
-- Invoices whose retention period has ended.
SELECT * FROM (
  SELECT id, (substr(coalesce(issue_date, service_date, created_at), 1, 4) + :years) || '-12-31' AS kept_until
    FROM invoices WHERE contact_id = :id AND status <> 'draft')
 WHERE kept_until < :today ORDER BY id;

-- name: open_invoices
-- Sent invoices that are not settled, the oldest first: the contact owes something, or is owed what was paid or credited
-- too much. Costs and interest of dunning letters count.
SELECT id, invoice_number, currency, open_amount, claims_total - claims_paid AS claims_open
  FROM invoices
 WHERE contact_id = :id AND locked_at IS NOT NULL AND (open_amount <> 0 OR claims_total <> claims_paid)
 ORDER BY id;

-- Erasing the data of a contact.

-- name: overwrite
-- Overwrite deleted content with zeros.
PRAGMA secure_delete = ON;

-- name: spare
-- Overwrite deleted content only where that costs no extra writing.
PRAGMA secure_delete = FAST;

-- name: kept_contracts
-- Signed contracts that have to be kept, with the last day.
WITH signed AS (SELECT id AS document_id, document_number, substr(signed_at, 1, 10) AS signed_on,
                       (substr(coalesce(terminated_at, signed_at), 1, 4) + :years) || '-12-31' AS kept_until
                  FROM documents WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'document')
                                   AND contract_status IN ('active', 'terminated'))
SELECT document_id, document_number, signed_on, kept_until FROM signed WHERE kept_until >= :today
 ORDER BY kept_until, document_id;

-- name: drop_contracts
-- Signed contracts whose retention period has ended.
DELETE FROM documents WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'document')
   AND (substr(coalesce(terminated_at, signed_at), 1, 4) + :years) || '-12-31' < :today;

-- name: drop_custom_fields
DELETE FROM custom_field_values WHERE (entity_type, entity_id, field_id) IN (
  SELECT v.entity_type, v.entity_id, v.field_id FROM json_each(:pairs) p
   CROSS JOIN custom_field_values v ON v.entity_type = p.value ->> 0 AND v.entity_id = p.value ->> 1);

-- name: later_payers
-- Anonymised contacts whose invoices were paid by a transaction that still names the payer.
SELECT a.contact_id FROM anonymizations a
 WHERE EXISTS (SELECT 1 FROM invoices i JOIN payments p ON p.invoice_id = i.id
 JOIN bank_transactions t ON t.id = p.bank_transaction_id
                WHERE i.contact_id = a.contact_id AND t.erased_at IS NULL AND t.status <> 'open')
    OR EXISTS (SELECT 1 FROM invoices i JOIN payments p ON p.invoice_id = i.id JOIN refunds r ON r.payment_id = p.id
                 JOIN bank_transactions t ON t.id = r.bank_transaction_id
                WHERE i.contact_id = a.contact_id AND t.erased_at IS NULL AND t.status <> 'open')
 ORDER BY a.contact_id LIMIT :size;

-- name: blank_audit_entries
-- Without its salt, the digest in the hash of an entry reveals nothing about the erased values.
UPDATE audit_log SET salt = NULL, old_values = NULL, new_values = NULL, entity_title = NULL, description = NULL,
  ip_address = NULL, user_agent = NULL, admin_name = NULL, search_text = NULL
 WHERE id IN (SELECT r.id FROM json_each(:pairs) p CROSS JOIN audit_log r ON r.entity_type = p.value ->> 0
   AND r.entity_id = p.value ->> 1) AND salt IS NOT NULL;

-- name: blank_outgoing_events
UPDATE outgoing_events SET data = NULL
 WHERE id IN (SELECT r.id FROM json_each(:pairs) p CROSS JOIN outgoing_events r ON r.entity_id = p.value ->> 1
   AND r.entity_type = p.value ->> 0) AND data IS NOT NULL;

-- name: blank_answers
-- Must run while the contact still has its e-mail address. A stored response is about the contact if its request
-- changed a record of the contact, if it contains the id of such a record (as contact_id, or as entity_type with
-- entity_id), or if it contains the e-mail address. Only the id and the times of the record are kept.
UPDATE idempotency_keys SET data = CASE
         WHEN data ->> '$.id' IS NOT NULL
         THEN json_object('id', data ->> '$.id', 'created_at', data ->> '$.created_at', 'updated_at',
         data ->> '$.updated_at')
         WHEN json_type(data, '$.results') = 'array' THEN json_object('results', json_array())
         ELSE '{}' END
 WHERE data IS NOT NULL AND (
       request_id IS NULL
    OR request_id IN (SELECT l.request_id FROM json_each(:pairs) p JOIN audit_log l ON l.entity_type = p.value ->> 0
    AND l.entity_id = p.value ->> 1)
    OR EXISTS (SELECT 1 FROM json_tree(data) m
                WHERE (iif(m.key = 'participant_id', 'event_participant', replace(m.key, '_id', '')),
                  m.atom) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:pairs))
                   OR m.key = 'entity_id'
                  AND (data ->> (m.path || '.entity_type'), m.atom) IN (SELECT value ->> 0,
                    value ->> 1 FROM json_each(:pairs))
                   OR m.atom = (SELECT c.email FROM contacts c
                                 WHERE c.id = :id AND NOT EXISTS (SELECT 1 FROM contacts o WHERE o.email = c.email
                                 AND o.id <> c.id))
                      COLLATE NOCASE));

-- name: merge_contacts
-- A piece of merging the parts of a full-text index, which keeps deleted words until then. A negative number of pages
-- begins the merging of all parts, a positive one continues it.
INSERT INTO contacts_search (contacts_search, rank) VALUES ('merge', :pages);

-- name: merge_participants
INSERT INTO participants_search (participants_search, rank) VALUES ('merge', :pages);

-- name: merge_applications
INSERT INTO applications_search (applications_search, rank) VALUES ('merge', :pages);

-- name: merge_tasks
INSERT INTO tasks_search (tasks_search, rank) VALUES ('merge', :pages);

-- name: merge_newsletter
INSERT INTO newsletter_search (newsletter_search, rank) VALUES ('merge', :pages);

-- name: merge_invoices
INSERT INTO invoices_search (invoices_search, rank) VALUES ('merge', :pages);

-- name: merge_payments
INSERT INTO payments_search (payments_search, rank) VALUES ('merge', :pages);

-- name: changes
-- Number of rows that this connection has changed so far. A piece of merging that changes fewer than two found no work.
SELECT total_changes();

-- name: free_room
-- Bytes in free pages of the file.
SELECT f.freelist_count * p.page_size FROM pragma_freelist_count f, pragma_page_size p;

-- name: file_size
-- Bytes of the file.
SELECT c.page_count * p.page_size FROM pragma_page_count c, pragma_page_size p;

-- name: fill_room
-- Overwrite free pages with zeros.
INSERT INTO blanks (zeros) VALUES (zeroblob(:size));

-- name: give_room_back
-- Free a piece of the pages that were overwritten.
DELETE FROM blanks WHERE id = (SELECT min(id) FROM blanks);

-- Records of anonymisations.

-- name: number_taken
SELECT 1 FROM contacts WHERE customer_number = :customer_number;

-- name: remember
-- Record the anonymisation, also for contacts that were merged into this one.
INSERT INTO anonymizations (contact_id, anonymized_at, kept_until)
SELECT :id, :now, NULL UNION SELECT duplicate_id, :now, NULL FROM merged_contacts WHERE contact_id = :id
ON CONFLICT DO NOTHING;

-- name: set_due
UPDATE anonymizations SET kept_until = :kept_until, has_remnants = 1, has_words = 1 WHERE contact_id = :id;

-- name: due
-- Anonymised contacts with records whose retention period has ended.
SELECT contact_id FROM anonymizations WHERE kept_until < :today ORDER BY kept_until, contact_id LIMIT :size;

-- name: expect_remnants
UPDATE anonymizations SET has_remnants = 1, has_words = 1 WHERE contact_id = :id;

-- name: with_words
-- Anonymised contacts whose words may still be in search indexes and free pages.
SELECT contact_id FROM anonymizations WHERE has_remnants = 1 AND has_words = 1 ORDER BY contact_id;

-- name: with_remnants
-- Anonymised contacts whose data may still be in unused parts of the file, until it is rewritten.
SELECT contact_id FROM anonymizations WHERE has_remnants = 1 ORDER BY contact_id;

-- name: number_with_remnants
SELECT count(*) FROM anonymizations WHERE has_remnants = 1;

-- name: forget_words
UPDATE anonymizations SET has_words = 0 WHERE contact_id IN (SELECT value FROM json_each(:ids));

-- name: forget_remnants
UPDATE anonymizations SET has_remnants = 0 WHERE contact_id IN (SELECT value FROM json_each(:ids));

-- name: anonymized
-- Contacts that were anonymised, the earliest first.
SELECT contact_id FROM anonymizations ORDER BY anonymized_at, contact_id;

-- name: origin
-- The audit entry of the creation of a contact. If it has been deleted from the log: the first entry, which is later.
SELECT id, hash FROM audit_log
 WHERE id >= coalesce((SELECT min(id) FROM audit_log WHERE entity_type = 'contact' AND entity_id = :id
   AND action = 'created'), 0)
 ORDER BY id LIMIT 1;

-- name: has_entry
-- A row if the audit log has the entry, or had one of this id that has been deleted since.
SELECT 1 FROM audit_log WHERE id = :id AND hash = :hash UNION ALL SELECT 1 FROM audit_anchors
 WHERE last_id >= :id LIMIT 1;
