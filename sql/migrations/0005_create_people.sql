-- People: contacts, applications and participants.

-- The companies and persons an organiser deals with.
CREATE TABLE contacts (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  customer_number         TEXT NOT NULL UNIQUE,
  external_id             TEXT UNIQUE,
  company_name            TEXT COLLATE NOCASE,
  first_name              TEXT COLLATE NOCASE,
  last_name               TEXT COLLATE NOCASE,
  email                   TEXT COLLATE NOCASE,
  invoice_email           TEXT,
  phone                   TEXT,
  fax                     TEXT,
  mobile                  TEXT,
  address                 TEXT,
  postal_code             TEXT,
  city                    TEXT COLLATE NOCASE,
  state                   TEXT,
  country                 TEXT NOT NULL,
  website                 TEXT,
  notes                   TEXT,
  tax_id                  TEXT,
  language                TEXT,
  rating                  INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  account_access_enabled  INTEGER NOT NULL CHECK (account_access_enabled IN (0, 1)),
  has_account             INTEGER NOT NULL DEFAULT 0 CHECK (has_account IN (0, 1)),
  folded_name             TEXT,           -- letters and digits of company name and postal code: finds duplicates
  folded_phone            TEXT,           -- digits with the calling code of the country: finds duplicates
  anonymized_at           TEXT,
  created_at              TEXT NOT NULL,
  updated_at              TEXT NOT NULL
) STRICT;
CREATE INDEX contacts_by_company ON contacts (company_name);
CREATE INDEX contacts_by_last_name ON contacts (last_name);
CREATE INDEX contacts_by_first_name ON contacts (first_name);
CREATE INDEX contacts_by_email ON contacts (email);
CREATE INDEX contacts_by_city ON contacts (city);
CREATE INDEX contacts_by_update ON contacts (updated_at);
CREATE INDEX contacts_by_folded_name ON contacts (folded_name) WHERE folded_name IS NOT NULL;
CREATE INDEX contacts_by_folded_phone ON contacts (folded_phone) WHERE folded_phone IS NOT NULL;
-- Most contacts have the same country. Without these indexes, SQLite would sort all of them for one page of a country.
CREATE INDEX contacts_by_country ON contacts (country);
CREATE INDEX contacts_by_country_and_company ON contacts (country, company_name);
CREATE INDEX contacts_by_country_and_last_name ON contacts (country, last_name);
CREATE INDEX contacts_by_country_and_first_name ON contacts (country, first_name);
CREATE INDEX contacts_by_country_and_email ON contacts (country, email);
CREATE INDEX contacts_by_country_and_number ON contacts (country, customer_number);
CREATE INDEX contacts_by_country_and_city ON contacts (country, city);

CREATE TABLE contact_tags (
  contact_id  INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  tag         TEXT NOT NULL COLLATE NOCASE,
  PRIMARY KEY (tag, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_tags_by_contact ON contact_tags (contact_id, tag);

-- country and company_name are copies from the contact. Triggers keep them up to date, so that the contacts of a
-- category are filtered, counted and sorted by index.
CREATE TABLE contact_categories (
  contact_id    INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  category_id   INTEGER NOT NULL REFERENCES categories (id),
  country       TEXT,
  company_name  TEXT COLLATE NOCASE,
  PRIMARY KEY (contact_id, category_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_categories_by_category ON contact_categories (category_id, contact_id);
CREATE INDEX contact_categories_by_company ON contact_categories (category_id, company_name, contact_id);
CREATE INDEX contact_categories_by_country ON contact_categories (category_id, country, contact_id);
CREATE INDEX contact_categories_by_country_and_company
  ON contact_categories (category_id, country, company_name, contact_id);
CREATE TRIGGER contact_categories_insert AFTER INSERT ON contact_categories BEGIN
  UPDATE contact_categories
     SET (country, company_name) = (SELECT country, company_name FROM contacts WHERE id = NEW.contact_id)
   WHERE contact_id = NEW.contact_id AND category_id = NEW.category_id;
END;
CREATE TRIGGER contact_categories_follow AFTER UPDATE OF country, company_name ON contacts BEGIN
  UPDATE contact_categories SET country = NEW.country, company_name = NEW.company_name WHERE contact_id = NEW.id;
END;

-- Which contact a duplicate was merged into. When that contact is anonymised, the traces of its duplicates are erased
-- as well.
CREATE TABLE merged_contacts (
  duplicate_id  INTEGER PRIMARY KEY,
  contact_id    INTEGER NOT NULL,
  merged_at     TEXT NOT NULL
) STRICT;
CREATE INDEX merged_contacts_by_contact ON merged_contacts (contact_id);

CREATE VIRTUAL TABLE contacts_search USING fts5 (
  company_name, first_name, last_name, email, customer_number, city, content = 'contacts', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER contacts_search_insert AFTER INSERT ON contacts BEGIN
  INSERT INTO contacts_search (rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES (NEW.id, NEW.company_name, NEW.first_name, NEW.last_name, NEW.email, NEW.customer_number, NEW.city);
END;
CREATE TRIGGER contacts_search_delete AFTER DELETE ON contacts BEGIN
  INSERT INTO contacts_search
    (contacts_search, rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES ('delete', OLD.id, OLD.company_name, OLD.first_name, OLD.last_name, OLD.email, OLD.customer_number, OLD.city);
END;
CREATE TRIGGER contacts_search_update
AFTER UPDATE OF company_name, first_name, last_name, email, customer_number, city ON contacts BEGIN
  INSERT INTO contacts_search
    (contacts_search, rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES ('delete', OLD.id, OLD.company_name, OLD.first_name, OLD.last_name, OLD.email, OLD.customer_number, OLD.city);
  INSERT INTO contacts_search (rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES (NEW.id, NEW.company_name, NEW.first_name, NEW.last_name, NEW.email, NEW.customer_number, NEW.city);
END;

-- Each contact that is probably a duplicate of an older one (first_id), with the strongest reason: 1 is the strongest.
CREATE VIEW contact_duplicates AS
SELECT id, first_id, reason, min(strength) AS strength FROM (
  SELECT c.id, shared.first_id, 'email' AS reason, 1 AS strength
    FROM (SELECT email, min(id) AS first_id FROM contacts WHERE email IS NOT NULL
           GROUP BY email HAVING count(*) > 1) shared
    JOIN contacts c ON c.email = shared.email AND c.id > shared.first_id
  UNION ALL
  SELECT c.id, shared.first_id, 'phone', 2
    FROM (SELECT folded_phone, min(id) AS first_id FROM contacts WHERE folded_phone IS NOT NULL
           GROUP BY folded_phone HAVING count(*) > 1) shared
    JOIN contacts c ON c.folded_phone = shared.folded_phone AND c.id > shared.first_id
  UNION ALL
  SELECT c.id, shared.first_id, 'name', 3
    FROM (SELECT folded_name, min(id) AS first_id FROM contacts WHERE folded_name IS NOT NULL
           GROUP BY folded_name HAVING count(*) > 1) shared
    JOIN contacts c ON c.folded_name = shared.folded_name AND c.id > shared.first_id)
 GROUP BY id;

-- Contacts whose personal data was erased (GDPR Art. 17). The worker erases the rest when the retention period of the
-- kept records ends, and a restore repeats every anonymisation.
CREATE TABLE anonymizations (
  contact_id     INTEGER PRIMARY KEY,     -- also of merged duplicates: a restore can bring them back
  anonymized_at  TEXT NOT NULL,
  kept_until     TEXT,                    -- date on which the first retention period ends; NULL when no record is kept
  has_remnants   INTEGER NOT NULL DEFAULT 1 CHECK (has_remnants IN (0, 1))    -- until the file is rewritten with VACUUM
) STRICT;
CREATE INDEX anonymizations_by_due ON anonymizations (kept_until) WHERE kept_until IS NOT NULL;
CREATE INDEX anonymizations_with_remnants ON anonymizations (contact_id) WHERE has_remnants = 1;

-- A company or person applies to take part in one or more events.
CREATE TABLE applications (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  status             TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'in_review', 'approved', 'rejected',
                       'waitlisted', 'info_requested', 'withdrawn')),
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
-- The report on applications reads a range of this index.
CREATE INDEX applications_by_creation ON applications (created_at);

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

-- A contact takes part in an event in one role.
CREATE TABLE participants (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id        INTEGER NOT NULL REFERENCES events (id),
  contact_id      INTEGER NOT NULL REFERENCES contacts (id),
  role            TEXT NOT NULL CHECK (role IN ('exhibitor', 'co_exhibitor', 'sponsor', 'speaker', 'visitor', 'press',
                    'staff')),
  status          TEXT NOT NULL DEFAULT 'registered' CHECK (status IN ('registered', 'confirmed', 'cancelled')),
  is_confirmed    INTEGER NOT NULL GENERATED ALWAYS AS (status = 'confirmed') STORED,    -- for its indexes
  category_id     INTEGER REFERENCES categories (id),
  badge_name      TEXT,
  badge_number    TEXT NOT NULL UNIQUE,
  application_id  INTEGER REFERENCES applications (id),
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL,
  UNIQUE (event_id, contact_id, role)
) STRICT;
CREATE INDEX participants_by_event ON participants (event_id);
CREATE INDEX participants_by_contact ON participants (contact_id);
CREATE INDEX participants_by_category ON participants (category_id);
CREATE INDEX participants_by_application ON participants (application_id);
CREATE INDEX participants_by_event_and_status ON participants (event_id, status);
CREATE INDEX participants_by_event_and_confirmation ON participants (event_id, is_confirmed);
CREATE INDEX participants_by_status ON participants (status);
CREATE INDEX participants_by_confirmation ON participants (is_confirmed);
CREATE INDEX participants_by_role ON participants (role);
CREATE INDEX participants_by_update ON participants (updated_at);
-- The last columns are for the report on participants, which then reads only the index. The id comes before them, so
-- that a list of one role is in the order of ids without sorting.
CREATE INDEX participants_by_event_and_role ON participants (event_id, role, id, status, created_at);
