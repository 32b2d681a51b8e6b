-- Whose personal data was taken away (GDPR Art. 17): so that what the law wanted kept goes later, and a restore does it again.

CREATE TABLE anonymizations (
  contact_id     INTEGER PRIMARY KEY,     -- also those merged into the contact, which a restore may bring back
  anonymized_at  TEXT NOT NULL,
  kept_until     TEXT,                    -- the day that ends the time of the first kept invoice; null when none is left
  has_remnants   INTEGER NOT NULL DEFAULT 1 CHECK (has_remnants IN (0, 1))    -- until the file is next written anew
) STRICT;
CREATE INDEX anonymizations_by_due ON anonymizations (kept_until) WHERE kept_until IS NOT NULL;
CREATE INDEX anonymizations_with_remnants ON anonymizations (contact_id) WHERE has_remnants = 1;

-- What was deleted is known to the audit log alone.
CREATE INDEX audit_log_of_deleted ON audit_log (entity_type) WHERE action = 'deleted';

-- Room that deleted data left in the file is filled with zeros, and given back.
CREATE TABLE blanks (
  id     INTEGER PRIMARY KEY,
  zeros  BLOB NOT NULL
) STRICT;
