-- How invoices, credit notes and dunning letters reach their customer: see domain/mail/deliveries.py.
--
-- for_post: 1 if the document must be printed and posted, 0 if it goes by mail, NULL if nobody asked for either, as for all that
-- were sent before this migration. mail_id: the latest mail with the document; no foreign key, because mails are kept for 90
-- days. mail_outcome: what became of that mail, once it is no longer kept. posted_on: the day on which it was posted.
ALTER TABLE invoices ADD COLUMN for_post INTEGER CHECK (for_post IN (0, 1));
ALTER TABLE invoices ADD COLUMN posted_on TEXT;
ALTER TABLE invoices ADD COLUMN mail_id INTEGER;
ALTER TABLE invoices ADD COLUMN mail_outcome TEXT CHECK (mail_outcome IN ('sent', 'failed'));
ALTER TABLE dunnings ADD COLUMN for_post INTEGER CHECK (for_post IN (0, 1));
ALTER TABLE dunnings ADD COLUMN posted_on TEXT;
ALTER TABLE dunnings ADD COLUMN mail_outcome TEXT CHECK (mail_outcome IN ('sent', 'failed'));

CREATE INDEX invoices_by_delivery ON invoices (for_post, posted_on, mail_outcome, mail_id);
CREATE INDEX invoices_by_mail ON invoices (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX dunnings_by_delivery ON dunnings (for_post, posted_on, mail_outcome, mail_id);

-- A mail that was not sent when it is deleted, never will be.
CREATE TRIGGER mails_keep_outcome AFTER DELETE ON mails WHEN OLD.kind IN ('invoice', 'dunning')
BEGIN
  UPDATE invoices SET mail_outcome = iif(OLD.state = 'sent', 'sent', 'failed') WHERE mail_id = OLD.id;
  UPDATE dunnings SET mail_outcome = iif(OLD.state = 'sent', 'sent', 'failed') WHERE mail_id = OLD.id;
END;
