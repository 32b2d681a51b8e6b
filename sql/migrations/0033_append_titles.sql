-- The titles of the audit log are scanned as a whole: in the order of its entries they are written at the end, not somewhere.

DROP INDEX audit_log_by_title;
CREATE INDEX audit_log_by_title ON audit_log (id, entity_title, description);
