-- Applications: someone asks to take part in one or more events.

CREATE TABLE applications (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  status             TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'in_review', 'approved', 'rejected', 'waitlisted',
                       'info_requested', 'withdrawn')),
  company_name       TEXT COLLATE NOCASE,
  first_name         TEXT,
  last_name          TEXT COLLATE NOCASE,
  email              TEXT COLLATE NOCASE,
  phone              TEXT,
  fax                TEXT,
  mobile             TEXT,
  address            TEXT,
  postal_code        TEXT,
  city               TEXT COLLATE NOCASE,
  state              TEXT,
  country            TEXT NOT NULL,
  website            TEXT,
  notes              TEXT,
  tax_id             TEXT,
  rating             INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  message            TEXT,
  requested_area     INTEGER,             -- thousandths of a square metre
  late               INTEGER NOT NULL CHECK (late IN (0, 1)),
  terms_accepted_at  TEXT,
  contact_id         INTEGER REFERENCES contacts (id),
  question           TEXT,
  decided_at         TEXT,
  decided_by         INTEGER REFERENCES admins (id),
  decision_reason    TEXT,
  created_at         TEXT NOT NULL,
  updated_at         TEXT NOT NULL
) STRICT;
CREATE INDEX applications_by_status ON applications (status);
CREATE INDEX applications_by_company ON applications (company_name);
CREATE INDEX applications_by_last_name ON applications (last_name);
CREATE INDEX applications_by_email ON applications (email);
CREATE INDEX applications_by_city ON applications (city);
CREATE INDEX applications_by_rating ON applications (rating);
CREATE INDEX applications_by_contact ON applications (contact_id);
CREATE INDEX applications_by_update ON applications (updated_at);

CREATE TABLE application_events (
  application_id  INTEGER NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  event_id        INTEGER NOT NULL REFERENCES events (id),
  PRIMARY KEY (application_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX application_events_by_event ON application_events (event_id, application_id);

CREATE TABLE application_categories (
  application_id  INTEGER NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  category_id     INTEGER NOT NULL REFERENCES categories (id),
  PRIMARY KEY (application_id, category_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX application_categories_by_category ON application_categories (category_id, application_id);

CREATE VIRTUAL TABLE applications_search USING fts5 (
  company_name, first_name, last_name, email, city, content = 'applications', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER applications_search_insert AFTER INSERT ON applications BEGIN
  INSERT INTO applications_search (rowid, company_name, first_name, last_name, email, city)
  VALUES (NEW.id, NEW.company_name, NEW.first_name, NEW.last_name, NEW.email, NEW.city);
END;
CREATE TRIGGER applications_search_delete AFTER DELETE ON applications BEGIN
  INSERT INTO applications_search (applications_search, rowid, company_name, first_name, last_name, email, city)
  VALUES ('delete', OLD.id, OLD.company_name, OLD.first_name, OLD.last_name, OLD.email, OLD.city);
END;
CREATE TRIGGER applications_search_update
AFTER UPDATE OF company_name, first_name, last_name, email, city ON applications BEGIN
  INSERT INTO applications_search (applications_search, rowid, company_name, first_name, last_name, email, city)
  VALUES ('delete', OLD.id, OLD.company_name, OLD.first_name, OLD.last_name, OLD.email, OLD.city);
  INSERT INTO applications_search (rowid, company_name, first_name, last_name, email, city)
  VALUES (NEW.id, NEW.company_name, NEW.first_name, NEW.last_name, NEW.email, NEW.city);
END;
