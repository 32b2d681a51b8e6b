-- Settings: options of the organiser in the database, by name. Their texts are those of eventapi.conf.

-- name: all
-- All settings with the number of their last change. Without any, one row whose name is null.
SELECT t.settings_revision AS revision, s.name, s.value FROM tenant t LEFT JOIN settings s ORDER BY s.name;

-- name: revision
SELECT settings_revision FROM tenant;

-- name: count_change
UPDATE tenant SET settings_revision = settings_revision + 1;

-- name: put
INSERT INTO settings (name, value, changed_at, changed_by) VALUES (:name, :value, :now, :changed_by)
    ON CONFLICT (name) DO UPDATE SET value = :value, changed_at = :now, changed_by = :changed_by;

-- name: remove
DELETE FROM settings WHERE name = :name;

-- name: is_event
SELECT 1 FROM events WHERE event_key = :event_key;

-- name: has_sent_invoice
SELECT 1 FROM invoices WHERE (status < 'draft' OR status > 'draft') AND locked_at IS NOT NULL LIMIT 1;

-- name: open_elsewhere
-- Open invoices that ask to pay into another account than this one, by account.
SELECT seller ->> '$.iban' AS iban, count(*) AS "count" FROM invoices
 WHERE status IN ('sent', 'partially_paid') AND invoice_type = 'invoice' AND open_amount > 0
   AND seller ->> '$.iban' <> :iban
 GROUP BY seller ->> '$.iban';

-- name: last_change
-- Who has changed one of these settings last, and when.
SELECT admin_name, created_at FROM audit_log
 WHERE entity_type = 'setting' AND entity_id = 1 AND entity_title IN (SELECT value FROM json_each(:names))
 ORDER BY id DESC LIMIT 1;

-- name: changed
-- When a setting was changed first and last. A setting that was removed is only in the audit log.
SELECT min(at) AS created_at, max(at) AS updated_at
  FROM (SELECT changed_at AS at FROM settings
        UNION ALL SELECT created_at FROM audit_log WHERE entity_type = 'setting' AND entity_id = 1);
