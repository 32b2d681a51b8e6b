-- Contacts: the companies and people an organiser deals with. Search terms are folded, so that twins are found by index.

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
  folded_name             TEXT,           -- company and postcode, letters and digits only
  folded_phone            TEXT,           -- digits with the country's code
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
-- Most contacts are of one country: without these a sorted page of it would sort them all.
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

-- Country and company stand here too, kept by the triggers: a category's contacts are counted and sorted by index.
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
CREATE INDEX contact_categories_by_country_and_company ON contact_categories (category_id, country, company_name, contact_id);
CREATE TRIGGER contact_categories_insert AFTER INSERT ON contact_categories BEGIN
  UPDATE contact_categories SET (country, company_name) = (SELECT country, company_name FROM contacts WHERE id = NEW.contact_id)
   WHERE contact_id = NEW.contact_id AND category_id = NEW.category_id;
END;
CREATE TRIGGER contact_categories_follow AFTER UPDATE OF country, company_name ON contacts BEGIN
  UPDATE contact_categories SET country = NEW.country, company_name = NEW.company_name WHERE contact_id = NEW.id;
END;

-- Which contact a merged one went into: its traces follow that one when it is anonymised.
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
  INSERT INTO contacts_search (contacts_search, rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES ('delete', OLD.id, OLD.company_name, OLD.first_name, OLD.last_name, OLD.email, OLD.customer_number, OLD.city);
END;
CREATE TRIGGER contacts_search_update
AFTER UPDATE OF company_name, first_name, last_name, email, customer_number, city ON contacts BEGIN
  INSERT INTO contacts_search (contacts_search, rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES ('delete', OLD.id, OLD.company_name, OLD.first_name, OLD.last_name, OLD.email, OLD.customer_number, OLD.city);
  INSERT INTO contacts_search (rowid, company_name, first_name, last_name, email, customer_number, city)
  VALUES (NEW.id, NEW.company_name, NEW.first_name, NEW.last_name, NEW.email, NEW.customer_number, NEW.city);
END;

-- Each contact that has an older twin, by the strongest reason.
CREATE VIEW contact_twins AS
SELECT id, first_id, reason, min(strength) AS strength FROM (
  SELECT c.id, shared.first_id, 'email' AS reason, 1 AS strength
    FROM (SELECT email, min(id) AS first_id FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) > 1) shared
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
