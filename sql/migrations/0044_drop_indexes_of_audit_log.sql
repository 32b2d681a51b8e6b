-- Each write adds entries to the audit log, and each index of it costs another page. Entries are looked for by record,
-- time and request. The index by record also has what the filters of a kind of record compare.
DROP INDEX audit_log_by_action;
DROP INDEX audit_log_by_admin;
DROP INDEX audit_log_by_key;
DROP INDEX audit_log_by_type;
DROP INDEX audit_log_by_type_and_action;
DROP INDEX audit_log_by_entity;
CREATE INDEX audit_log_by_entity ON audit_log (entity_type, entity_id, action, created_at);
