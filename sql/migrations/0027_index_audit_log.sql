-- What the audit log is asked for. Each index costs every change a page: most grow at their end, or at that of one admin or action.

CREATE INDEX audit_log_by_moment ON audit_log (created_at);
CREATE INDEX audit_log_by_action ON audit_log (action);
CREATE INDEX audit_log_by_admin ON audit_log (admin_id);
CREATE INDEX audit_log_by_key ON audit_log (api_key_id);
CREATE INDEX audit_log_by_request ON audit_log (request_id);
CREATE INDEX audit_log_by_title ON audit_log (entity_title, description);      -- read whole by search, which needs nothing else
