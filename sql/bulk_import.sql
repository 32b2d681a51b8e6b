-- Bulk imports, their rejected records, and the contacts that their records match.

-- name: get
SELECT b.id, b.kind, b.status, b.mode, b.match_field, b.skip_on_error, b.create_contacts, b.dry_run, b.event_id,
       e.event_key, b.field_mapping, b.form, b.sha256, b.total, b.processed, b.created, b.updated, b.skipped,
       b.rejected, b.contacts_created, b.details, b.failure, b.admin_id, b.admin_name, b.api_key_id, b.request_id,
       b.finished_at, b.created_at, b.updated_at
  FROM bulk_imports b LEFT JOIN events e ON e.id = b.event_id
 WHERE b.id = :id;

-- name: list
SELECT b.id, b.kind, b.status, b.mode, b.match_field, b.skip_on_error, b.create_contacts, b.dry_run, b.event_id,
       e.event_key, b.field_mapping, b.total, b.processed, b.created, b.updated, b.skipped, b.rejected,
       b.contacts_created, b.failure, b.admin_id, b.admin_name, b.finished_at, b.created_at, b.updated_at
  FROM bulk_imports b
  LEFT JOIN events e ON e.id = b.event_id
 WHERE TRUE
   AND b.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND b.updated_at >= :updated_since                  -- when updated_since
   AND b.kind = :kind                                  -- when kind
   AND b.status = :status                              -- when status
 ORDER BY {sort} {order}, b.id {order}  -- sort: id=b.id created_at=b.id

-- name: add
INSERT INTO bulk_imports (kind, status, mode, match_field, skip_on_error, create_contacts, dry_run, event_id,
  field_mapping, form, sha256, total, admin_id, admin_name, api_key_id, request_id, created_at, updated_at)
VALUES (:kind, :status, :mode, :match_field, :skip_on_error, :create_contacts, :dry_run, :event_id, :field_mapping,
  :form, :sha256, :total, :admin_id, :admin_name, :api_key_id, :request_id, :now, :stamp);

-- name: advance
-- Record the progress. Changes no row if another worker was faster.
UPDATE bulk_imports SET status = 'running', processed = :processed, updated_at = :stamp
 WHERE id = :id AND processed = :before AND status IN ('queued', 'running');

-- name: lost_event
-- A row if the event of the import has been deleted.
SELECT 1 FROM bulk_imports WHERE id = :id AND kind = 'participants' AND event_id IS NULL;

-- name: book
-- Add the results of a piece to the counters.
UPDATE bulk_imports SET created = created + :created, updated = updated + :updated, skipped = skipped + :skipped,
  rejected = rejected + :rejected, contacts_created = contacts_created + :contacts_created, details = :details,
  updated_at = :stamp
 WHERE id = :id;

-- name: restart
UPDATE bulk_imports SET processed = 0, created = 0, updated = 0, skipped = 0, rejected = 0, contacts_created = 0,
  details = '[]', updated_at = :stamp
 WHERE id = :id;

-- name: clear_errors
DELETE FROM bulk_import_errors WHERE bulk_import_id = :id;

-- name: finish
UPDATE bulk_imports SET status = :status, failure = :failure, processed = :processed, sha256 = NULL, finished_at = :now,
  updated_at = :stamp
 WHERE id = :id AND finished_at IS NULL;

-- name: add_error
INSERT INTO bulk_import_errors (bulk_import_id, record_index, faults, source, email, customer_number, external_id,
  created_at)
VALUES (:bulk_import_id, :index, :faults, :source, :email, :customer_number, :external_id, :now);

-- name: errors
-- Rejected records after a given one, a piece at a time.
SELECT record_index, faults, source FROM bulk_import_errors
 WHERE bulk_import_id = :id AND record_index > :after ORDER BY record_index LIMIT :size;

-- name: faults
-- As `errors`, without the records.
SELECT record_index, faults FROM bulk_import_errors
 WHERE bulk_import_id = :id AND record_index > :after ORDER BY record_index LIMIT :size;

-- name: delete_old_rejected_records
-- Read from the oldest id on, so that no index on the time is needed.
DELETE FROM bulk_import_errors WHERE id IN
  (SELECT id FROM (SELECT id, created_at FROM bulk_import_errors ORDER BY id LIMIT :size) WHERE created_at <= :before);

-- name: details_of
SELECT id, details FROM bulk_imports WHERE id IN (SELECT value FROM json_each(:ids));

-- name: waiting
SELECT id FROM bulk_imports WHERE status IN ('queued', 'running') ORDER BY id;

-- name: backlog
SELECT count(*) AS imports, coalesce(sum(total - processed), 0) AS records FROM bulk_imports
 WHERE status IN ('queued', 'running');

-- name: wrong_counts
-- Imports whose counters do not add up. For `eventapi check`.
SELECT id FROM bulk_imports WHERE created + updated + skipped <> processed AND status <> 'failed' OR status = 'done'
  AND processed <> total
 ORDER BY id;

-- name: checkpoint_apart
-- Turn off automatic checkpoints, so that no commit of an import has to wait for one.
PRAGMA wal_autocheckpoint = 0;

-- name: checkpoint_with_commit
-- Restore the default.
PRAGMA wal_autocheckpoint = 1000;

-- Contacts by the fields that records are matched by.

-- name: by_email
SELECT j.value AS name, c.id FROM json_each(:names) j CROSS JOIN contacts c ON c.email = j.value ORDER BY c.id;

-- name: by_customer_number
SELECT j.value AS name, c.id FROM json_each(:names) j CROSS JOIN contacts c ON c.customer_number = j.value;

-- name: by_external_id
SELECT j.value AS name, c.id FROM json_each(:names) j CROSS JOIN contacts c ON c.external_id = j.value;

-- name: existing_contacts
SELECT id FROM contacts WHERE id IN (SELECT value FROM json_each(:ids));

-- name: existing_participants
SELECT id FROM participants WHERE id IN (SELECT value FROM json_each(:ids));

-- name: scopes
SELECT scopes FROM api_keys WHERE id = :api_key_id;

-- Erasing the data of a contact, `id`.

-- name: drop_rejected_records
-- Must run while the contact still has its e-mail address and numbers.
DELETE FROM bulk_import_errors WHERE id IN (
  SELECT r.id FROM contacts c JOIN bulk_import_errors r ON r.email = c.email WHERE c.id = :id
   UNION SELECT r.id FROM contacts c JOIN bulk_import_errors r ON r.customer_number = c.customer_number WHERE c.id = :id
   UNION SELECT r.id FROM contacts c JOIN bulk_import_errors r ON r.external_id = c.external_id WHERE c.id = :id);
