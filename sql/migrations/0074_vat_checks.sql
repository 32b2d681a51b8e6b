-- Answers about VAT ids, such as those of VIES (§ 18e UStG), as the office has written them down. They are evidence: a row
-- never changes, but it may belong to the contact into which its own was merged.
CREATE TABLE vat_checks (
    id INTEGER PRIMARY KEY,
    contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
    vat_id TEXT NOT NULL,
    result TEXT NOT NULL CHECK (result IN ('valid', 'invalid', 'unavailable')),
    checked_on TEXT NOT NULL,
    reference TEXT,
    confirmed TEXT NOT NULL CHECK (json_type(confirmed) = 'array'),
    notes TEXT,
    admin_id INTEGER REFERENCES admins (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX vat_checks_by_contact ON vat_checks (contact_id, vat_id, id);

CREATE TRIGGER vat_checks_stay BEFORE UPDATE OF vat_id, result, checked_on, reference, confirmed, notes, admin_id, created_at
    ON vat_checks
BEGIN
    SELECT raise(ABORT, 'a check of a VAT id never changes');
END;
