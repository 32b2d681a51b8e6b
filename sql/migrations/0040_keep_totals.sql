-- Totals of long lists, which triggers keep, because counting a million rows takes 10 ms after each commit; and indexes
-- for filters of payments, invoices and the audit log. `eventapi check` compares the totals with the rows.

CREATE TABLE contact_counts (
  country   TEXT PRIMARY KEY NOT NULL,
  contacts  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO contact_counts (country, contacts) SELECT country, count(*) FROM contacts GROUP BY country;

CREATE TRIGGER contact_counts_insert AFTER INSERT ON contacts BEGIN
  INSERT INTO contact_counts (country, contacts) VALUES (NEW.country, 1)
  ON CONFLICT DO UPDATE SET contacts = contacts + 1;
END;

CREATE TRIGGER contact_counts_delete AFTER DELETE ON contacts BEGIN
  UPDATE contact_counts SET contacts = contacts - 1 WHERE country = OLD.country;
END;

CREATE TRIGGER contact_counts_update AFTER UPDATE OF country ON contacts WHEN OLD.country <> NEW.country BEGIN
  UPDATE contact_counts SET contacts = contacts - 1 WHERE country = OLD.country;
  INSERT INTO contact_counts (country, contacts) VALUES (NEW.country, 1)
  ON CONFLICT DO UPDATE SET contacts = contacts + 1;
END;

-- A filter by date adds up the months inside the period, and counts the rest of its first and last month.
CREATE TABLE payment_counts (
  month     TEXT NOT NULL,                -- of payment_date_at, in UTC; '' without one
  status    TEXT NOT NULL,
  payments  INTEGER NOT NULL,
  PRIMARY KEY (month, status)
) STRICT, WITHOUT ROWID;

INSERT INTO payment_counts (month, status, payments)
SELECT coalesce(substr(payment_date_at, 1, 7), ''), status, count(*) FROM payments GROUP BY 1, 2;

CREATE TRIGGER payment_counts_insert AFTER INSERT ON payments BEGIN
  INSERT INTO payment_counts (month, status, payments)
  VALUES (coalesce(substr(NEW.payment_date_at, 1, 7), ''), NEW.status, 1)
  ON CONFLICT DO UPDATE SET payments = payments + 1;
END;

CREATE TRIGGER payment_counts_delete AFTER DELETE ON payments BEGIN
  UPDATE payment_counts SET payments = payments - 1
   WHERE month = coalesce(substr(OLD.payment_date_at, 1, 7), '') AND status = OLD.status;
END;

CREATE TRIGGER payment_counts_update AFTER UPDATE OF status, payment_date_at ON payments
WHEN (OLD.status, OLD.payment_date_at) IS NOT (NEW.status, NEW.payment_date_at) BEGIN
  UPDATE payment_counts SET payments = payments - 1
   WHERE month = coalesce(substr(OLD.payment_date_at, 1, 7), '') AND status = OLD.status;
  INSERT INTO payment_counts (month, status, payments)
  VALUES (coalesce(substr(NEW.payment_date_at, 1, 7), ''), NEW.status, 1)
  ON CONFLICT DO UPDATE SET payments = payments + 1;
END;

CREATE TABLE invoice_counts (
  month         TEXT NOT NULL,            -- of issue_date; '' without one
  status        TEXT NOT NULL,
  invoice_type  TEXT NOT NULL,
  invoices      INTEGER NOT NULL,
  PRIMARY KEY (month, status, invoice_type)
) STRICT, WITHOUT ROWID;

INSERT INTO invoice_counts (month, status, invoice_type, invoices)
SELECT coalesce(substr(issue_date, 1, 7), ''), status, invoice_type, count(*) FROM invoices GROUP BY 1, 2, 3;

CREATE TRIGGER invoice_counts_insert AFTER INSERT ON invoices BEGIN
  INSERT INTO invoice_counts (month, status, invoice_type, invoices)
  VALUES (coalesce(substr(NEW.issue_date, 1, 7), ''), NEW.status, NEW.invoice_type, 1)
  ON CONFLICT DO UPDATE SET invoices = invoices + 1;
END;

CREATE TRIGGER invoice_counts_delete AFTER DELETE ON invoices BEGIN
  UPDATE invoice_counts SET invoices = invoices - 1
   WHERE month = coalesce(substr(OLD.issue_date, 1, 7), '') AND status = OLD.status AND invoice_type = OLD.invoice_type;
END;

CREATE TRIGGER invoice_counts_update AFTER UPDATE OF status, issue_date, invoice_type ON invoices
WHEN (OLD.status, OLD.issue_date, OLD.invoice_type) IS NOT (NEW.status, NEW.issue_date, NEW.invoice_type) BEGIN
  UPDATE invoice_counts SET invoices = invoices - 1
   WHERE month = coalesce(substr(OLD.issue_date, 1, 7), '') AND status = OLD.status AND invoice_type = OLD.invoice_type;
  INSERT INTO invoice_counts (month, status, invoice_type, invoices)
  VALUES (coalesce(substr(NEW.issue_date, 1, 7), ''), NEW.status, NEW.invoice_type, 1)
  ON CONFLICT DO UPDATE SET invoices = invoices + 1;
END;

-- Entries of the audit log are added and pruned, but what is counted here never changes.
CREATE TABLE audit_counts (
  entity_type  TEXT NOT NULL,             -- '' without one
  action       TEXT NOT NULL,
  admin_id     INTEGER NOT NULL,          -- 0 without one
  api_key_id   INTEGER NOT NULL,          -- 0 without one
  entries      INTEGER NOT NULL,
  PRIMARY KEY (entity_type, action, admin_id, api_key_id)
) STRICT, WITHOUT ROWID;

INSERT INTO audit_counts (entity_type, action, admin_id, api_key_id, entries)
SELECT coalesce(entity_type, ''), action, coalesce(admin_id, 0), coalesce(api_key_id, 0), count(*)
  FROM audit_log GROUP BY 1, 2, 3, 4;

CREATE TRIGGER audit_counts_insert AFTER INSERT ON audit_log BEGIN
  INSERT INTO audit_counts (entity_type, action, admin_id, api_key_id, entries)
  VALUES (coalesce(NEW.entity_type, ''), NEW.action, coalesce(NEW.admin_id, 0), coalesce(NEW.api_key_id, 0), 1)
  ON CONFLICT DO UPDATE SET entries = entries + 1;
END;

CREATE TRIGGER audit_counts_delete AFTER DELETE ON audit_log BEGIN
  UPDATE audit_counts SET entries = entries - 1
   WHERE entity_type = coalesce(OLD.entity_type, '') AND action = OLD.action
     AND admin_id = coalesce(OLD.admin_id, 0) AND api_key_id = coalesce(OLD.api_key_id, 0);
END;

-- Where the clock was set back: an entry whose created_at is before that of the entry before it. At every other time,
-- the entries up to it are those up to one id, so that a period is a range of ids.
CREATE TABLE audit_clock_steps (
  id          INTEGER PRIMARY KEY,        -- of the entry
  created_at  TEXT NOT NULL,              -- of the entry
  before      TEXT NOT NULL               -- created_at of the entry before it
) STRICT;

INSERT INTO audit_clock_steps (id, created_at, before)
SELECT id, created_at, before
  FROM (SELECT id, created_at, lag(created_at) OVER (ORDER BY id) AS before FROM audit_log) WHERE created_at < before;

CREATE TRIGGER audit_clock_steps_insert AFTER INSERT ON audit_log
WHEN NEW.created_at < (SELECT created_at FROM audit_log WHERE id < NEW.id ORDER BY id DESC LIMIT 1) BEGIN
  INSERT INTO audit_clock_steps (id, created_at, before)
  SELECT NEW.id, NEW.created_at, created_at FROM audit_log WHERE id < NEW.id ORDER BY id DESC LIMIT 1;
END;

-- One kind of record, newest first, with or without an action: GET /audit-log?entity_type=invoice&action=deleted.
CREATE INDEX audit_log_by_type ON audit_log (entity_type);
CREATE INDEX audit_log_by_type_and_action ON audit_log (entity_type, action);

-- The id keeps rows with the same value in the order of the list. Behind it are the columns that other filters compare
-- and by which lists are sorted.
DROP INDEX payments_by_date;
CREATE INDEX payments_by_date ON payments (payment_date_at, id, status, amount);
DROP INDEX payments_by_status;
CREATE INDEX payments_by_status ON payments (status, id, payment_date_at);
DROP INDEX invoices_by_issue_date;
CREATE INDEX invoices_by_issue_date ON invoices (issue_date, id, status, total);
DROP INDEX invoices_by_status_and_due_date;
CREATE INDEX invoices_by_status_and_due_date ON invoices (status, due_date, id, invoice_type);
DROP INDEX invoices_by_event;
CREATE INDEX invoices_by_event ON invoices (event_id, id, status, due_date, invoice_type, total);
