-- Invoices are found by number, buyer and customer number, payments by the number of their invoice, transaction id and
-- notes. The statements write the folded text of both. That of a draft follows its contact, whose texts are folded
-- already; it becomes final when the draft is sent.
ALTER TABLE invoices ADD COLUMN invoice_number_folded TEXT;
ALTER TABLE invoices ADD COLUMN search_text TEXT;
ALTER TABLE payments ADD COLUMN search_text TEXT;
UPDATE invoices SET invoice_number_folded = fold(invoice_number), search_text = CASE WHEN locked_at IS NULL THEN
    fold(invoice_number) || (SELECT coalesce(' ' || c.company_name_folded, '') || coalesce(' ' || c.first_name_folded, '')
                               || coalesce(' ' || c.last_name_folded, '') || ' ' || c.customer_number_folded
                               FROM contacts c WHERE c.id = contact_id)
  ELSE fold(invoice_number || coalesce(' ' || (buyer ->> 'name'), '') || coalesce(' ' || (buyer ->> 'contact_name'), '')
            || coalesce(' ' || debtor_number, '')) END;
UPDATE payments SET search_text = (
  SELECT fold(i.invoice_number || coalesce(' ' || transaction_id, '') || coalesce(' ' || payments.notes, ''))
    FROM invoices i WHERE i.id = invoice_id);

CREATE TRIGGER invoices_draft_insert AFTER INSERT ON invoices WHEN NEW.search_text IS NULL BEGIN
  UPDATE invoices SET search_text = coalesce(NEW.invoice_number_folded, '') || (
      SELECT coalesce(' ' || c.company_name_folded, '') || coalesce(' ' || c.first_name_folded, '')
             || coalesce(' ' || c.last_name_folded, '') || ' ' || c.customer_number_folded
        FROM contacts c WHERE c.id = NEW.contact_id)
   WHERE id = NEW.id;
END;
CREATE TRIGGER invoices_draft_update AFTER UPDATE OF invoice_number_folded, contact_id ON invoices
WHEN NEW.locked_at IS NULL AND (NEW.invoice_number_folded IS NOT OLD.invoice_number_folded OR NEW.contact_id <> OLD.contact_id) BEGIN
  UPDATE invoices SET search_text = coalesce(NEW.invoice_number_folded, '') || (
      SELECT coalesce(' ' || c.company_name_folded, '') || coalesce(' ' || c.first_name_folded, '')
             || coalesce(' ' || c.last_name_folded, '') || ' ' || c.customer_number_folded
        FROM contacts c WHERE c.id = NEW.contact_id)
   WHERE id = NEW.id;
END;
CREATE TRIGGER contacts_draft_update
AFTER UPDATE OF company_name_folded, first_name_folded, last_name_folded, customer_number_folded ON contacts
WHEN NEW.company_name_folded IS NOT OLD.company_name_folded OR NEW.first_name_folded IS NOT OLD.first_name_folded
  OR NEW.last_name_folded IS NOT OLD.last_name_folded OR NEW.customer_number_folded <> OLD.customer_number_folded BEGIN
  UPDATE invoices SET search_text = invoice_number_folded || coalesce(' ' || NEW.company_name_folded, '')
      || coalesce(' ' || NEW.first_name_folded, '') || coalesce(' ' || NEW.last_name_folded, '')
      || ' ' || NEW.customer_number_folded
   WHERE status = 'draft' AND contact_id = NEW.id;
END;

CREATE VIRTUAL TABLE invoices_search USING fts5 (search_text, content = 'invoices', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER invoices_search_update AFTER UPDATE OF search_text ON invoices BEGIN
  INSERT INTO invoices_search (invoices_search, rowid, search_text)
  SELECT 'delete', OLD.id, OLD.search_text WHERE OLD.search_text IS NOT NULL;
  INSERT INTO invoices_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;
CREATE TRIGGER invoices_search_delete AFTER DELETE ON invoices BEGIN
  INSERT INTO invoices_search (invoices_search, rowid, search_text) VALUES ('delete', OLD.id, OLD.search_text);
END;
INSERT INTO invoices_search (invoices_search) VALUES ('rebuild');

CREATE VIRTUAL TABLE payments_search USING fts5 (search_text, content = 'payments', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER payments_search_insert AFTER INSERT ON payments BEGIN
  INSERT INTO payments_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;
CREATE TRIGGER payments_search_delete AFTER DELETE ON payments BEGIN
  INSERT INTO payments_search (payments_search, rowid, search_text) VALUES ('delete', OLD.id, OLD.search_text);
END;
CREATE TRIGGER payments_search_update AFTER UPDATE OF search_text ON payments
WHEN NEW.search_text IS NOT OLD.search_text BEGIN
  INSERT INTO payments_search (payments_search, rowid, search_text) VALUES ('delete', OLD.id, OLD.search_text);
  INSERT INTO payments_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;
INSERT INTO payments_search (payments_search) VALUES ('rebuild');
