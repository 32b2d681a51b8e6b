-- What an anonymisation leaves in the file is erased in the following night, in pieces.

-- 1 until its words are merged out of the search indexes and free pages are overwritten. What has_remnants means after
-- that are copies of rows in pages that were divided, which only rewriting the file removes.
ALTER TABLE anonymizations ADD COLUMN has_words INTEGER NOT NULL DEFAULT 1 CHECK (has_words IN (0, 1));

-- Deleted records that a person or another record had, for exports and anonymisations. The first one also serves
-- whoever asks for the type alone.
DROP INDEX audit_log_of_deleted;
CREATE INDEX audit_log_deleted_of_contact ON audit_log (entity_type, old_values ->> '$.contact_id') WHERE action = 'deleted';
CREATE INDEX audit_log_deleted_of_participant ON audit_log (entity_type, old_values ->> '$.event_participant_id') WHERE action = 'deleted';
CREATE INDEX audit_log_deleted_of_invoice ON audit_log (entity_type, old_values ->> '$.invoice_id') WHERE action = 'deleted';
CREATE INDEX audit_log_deleted_of_entity ON audit_log (entity_type, old_values ->> '$.entity_id') WHERE action = 'deleted';

-- Events about a record. They are kept for 30 days only.
CREATE INDEX outgoing_events_by_entity ON outgoing_events (entity_id);
