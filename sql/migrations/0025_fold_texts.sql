-- Text is sorted and searched in its folded form (eventapi/storage/folding.py): without differences of case, accents
-- and ligatures, and the numbers of booths, plans, customers and invoices by their value. The statements that write a
-- column also write its folded form, with the functions that every connection of eventapi has. No index, view or
-- trigger calls them, so that the sqlite3 shell can read and check the database. Tables that stay small have no folded
-- columns: their lists fold while they sort.

-- Contacts. folded_name, by which duplicates are found, is made from the folded company name as well.
DROP TRIGGER contacts_search_insert;
DROP TRIGGER contacts_search_delete;
DROP TRIGGER contacts_search_update;
DROP TABLE contacts_search;
DROP INDEX contacts_by_company;
DROP INDEX contacts_by_last_name;
DROP INDEX contacts_by_first_name;
DROP INDEX contacts_by_city;
DROP INDEX contacts_by_country_and_company;
DROP INDEX contacts_by_country_and_last_name;
DROP INDEX contacts_by_country_and_first_name;
DROP INDEX contacts_by_country_and_email;
DROP INDEX contacts_by_country_and_number;
DROP INDEX contacts_by_country_and_city;
ALTER TABLE contacts ADD COLUMN company_name_folded TEXT;
ALTER TABLE contacts ADD COLUMN first_name_folded TEXT;
ALTER TABLE contacts ADD COLUMN last_name_folded TEXT;
ALTER TABLE contacts ADD COLUMN email_folded TEXT;
ALTER TABLE contacts ADD COLUMN city_folded TEXT;
ALTER TABLE contacts ADD COLUMN customer_number_folded TEXT;
ALTER TABLE contacts ADD COLUMN customer_number_natural TEXT;
UPDATE contacts SET company_name_folded = fold(company_name), first_name_folded = fold(first_name),
  last_name_folded = fold(last_name), email_folded = fold(email), city_folded = fold(city),
  customer_number_folded = fold(customer_number), customer_number_natural = natural_key(customer_number);
UPDATE contacts SET folded_name = nullif(letters(company_name), '') || ' ' || letters(nullif(postal_code, ''))
 WHERE folded_name IS NOT NULL;
CREATE INDEX contacts_by_company ON contacts (company_name_folded);
CREATE INDEX contacts_by_last_name ON contacts (last_name_folded);
CREATE INDEX contacts_by_first_name ON contacts (first_name_folded);
CREATE INDEX contacts_by_folded_email ON contacts (email_folded);
CREATE INDEX contacts_by_number ON contacts (customer_number_natural);
CREATE INDEX contacts_by_city ON contacts (city_folded);
CREATE INDEX contacts_by_country_and_company ON contacts (country, company_name_folded);
CREATE INDEX contacts_by_country_and_last_name ON contacts (country, last_name_folded);
CREATE INDEX contacts_by_country_and_first_name ON contacts (country, first_name_folded);
CREATE INDEX contacts_by_country_and_email ON contacts (country, email_folded);
CREATE INDEX contacts_by_country_and_number ON contacts (country, customer_number_natural);
CREATE INDEX contacts_by_country_and_city ON contacts (country, city_folded);

CREATE VIRTUAL TABLE contacts_search USING fts5 (company_name_folded, first_name_folded, last_name_folded, email_folded,
  customer_number_folded, city_folded, content = 'contacts', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER contacts_search_insert AFTER INSERT ON contacts BEGIN
  INSERT INTO contacts_search (rowid, company_name_folded, first_name_folded, last_name_folded, email_folded,
    customer_number_folded, city_folded)
  VALUES (NEW.id, NEW.company_name_folded, NEW.first_name_folded, NEW.last_name_folded, NEW.email_folded,
    NEW.customer_number_folded, NEW.city_folded);
END;
CREATE TRIGGER contacts_search_delete AFTER DELETE ON contacts BEGIN
  INSERT INTO contacts_search (contacts_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    email_folded, customer_number_folded, city_folded)
  VALUES ('delete', OLD.id, OLD.company_name_folded, OLD.first_name_folded, OLD.last_name_folded, OLD.email_folded,
    OLD.customer_number_folded, OLD.city_folded);
END;
CREATE TRIGGER contacts_search_update
AFTER UPDATE OF company_name_folded, first_name_folded, last_name_folded, email_folded, customer_number_folded,
  city_folded ON contacts BEGIN
  INSERT INTO contacts_search (contacts_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    email_folded, customer_number_folded, city_folded)
  VALUES ('delete', OLD.id, OLD.company_name_folded, OLD.first_name_folded, OLD.last_name_folded, OLD.email_folded,
    OLD.customer_number_folded, OLD.city_folded);
  INSERT INTO contacts_search (rowid, company_name_folded, first_name_folded, last_name_folded, email_folded,
    customer_number_folded, city_folded)
  VALUES (NEW.id, NEW.company_name_folded, NEW.first_name_folded, NEW.last_name_folded, NEW.email_folded,
    NEW.customer_number_folded, NEW.city_folded);
END;
INSERT INTO contacts_search (contacts_search) VALUES ('rebuild');

-- The copies of country and company name, from which the contacts of a category are listed.
DROP TRIGGER contact_categories_insert;
DROP TRIGGER contact_categories_follow;
DROP INDEX contact_categories_by_company;
DROP INDEX contact_categories_by_country_and_company;
ALTER TABLE contact_categories DROP COLUMN company_name;
ALTER TABLE contact_categories ADD COLUMN company_name_folded TEXT;
UPDATE contact_categories
   SET company_name_folded = (SELECT company_name_folded FROM contacts WHERE id = contact_categories.contact_id);
CREATE INDEX contact_categories_by_company ON contact_categories (category_id, company_name_folded, contact_id);
CREATE INDEX contact_categories_by_country_and_company
  ON contact_categories (category_id, country, company_name_folded, contact_id);
CREATE TRIGGER contact_categories_insert AFTER INSERT ON contact_categories BEGIN
  UPDATE contact_categories
     SET (country, company_name_folded) = (SELECT country, company_name_folded FROM contacts WHERE id = NEW.contact_id)
   WHERE contact_id = NEW.contact_id AND category_id = NEW.category_id;
END;
CREATE TRIGGER contact_categories_follow AFTER UPDATE OF country, company_name_folded ON contacts BEGIN
  UPDATE contact_categories SET country = NEW.country, company_name_folded = NEW.company_name_folded
   WHERE contact_id = NEW.id;
END;

-- Applications.
DROP TRIGGER applications_search_insert;
DROP TRIGGER applications_search_delete;
DROP TRIGGER applications_search_update;
DROP TABLE applications_search;
DROP INDEX applications_by_company;
DROP INDEX applications_by_last_name;
DROP INDEX applications_by_city;
ALTER TABLE applications ADD COLUMN company_name_folded TEXT;
ALTER TABLE applications ADD COLUMN first_name_folded TEXT;
ALTER TABLE applications ADD COLUMN last_name_folded TEXT;
ALTER TABLE applications ADD COLUMN email_folded TEXT;
ALTER TABLE applications ADD COLUMN city_folded TEXT;
UPDATE applications SET company_name_folded = fold(company_name), first_name_folded = fold(first_name),
  last_name_folded = fold(last_name), email_folded = fold(email), city_folded = fold(city);
CREATE INDEX applications_by_company ON applications (company_name_folded);
CREATE INDEX applications_by_last_name ON applications (last_name_folded);
CREATE INDEX applications_by_folded_email ON applications (email_folded);
CREATE INDEX applications_by_city ON applications (city_folded);

CREATE VIRTUAL TABLE applications_search USING fts5 (company_name_folded, first_name_folded, last_name_folded,
  email_folded, city_folded, content = 'applications', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3');
CREATE TRIGGER applications_search_insert AFTER INSERT ON applications BEGIN
  INSERT INTO applications_search (rowid, company_name_folded, first_name_folded, last_name_folded, email_folded,
    city_folded)
  VALUES (NEW.id, NEW.company_name_folded, NEW.first_name_folded, NEW.last_name_folded, NEW.email_folded,
    NEW.city_folded);
END;
CREATE TRIGGER applications_search_delete AFTER DELETE ON applications BEGIN
  INSERT INTO applications_search (applications_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    email_folded, city_folded)
  VALUES ('delete', OLD.id, OLD.company_name_folded, OLD.first_name_folded, OLD.last_name_folded, OLD.email_folded,
    OLD.city_folded);
END;
CREATE TRIGGER applications_search_update
AFTER UPDATE OF company_name_folded, first_name_folded, last_name_folded, email_folded,
  city_folded ON applications BEGIN
  INSERT INTO applications_search (applications_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    email_folded, city_folded)
  VALUES ('delete', OLD.id, OLD.company_name_folded, OLD.first_name_folded, OLD.last_name_folded, OLD.email_folded,
    OLD.city_folded);
  INSERT INTO applications_search (rowid, company_name_folded, first_name_folded, last_name_folded, email_folded,
    city_folded)
  VALUES (NEW.id, NEW.company_name_folded, NEW.first_name_folded, NEW.last_name_folded, NEW.email_folded,
    NEW.city_folded);
END;
INSERT INTO applications_search (applications_search) VALUES ('rebuild');

-- Newsletter subscribers.
DROP TRIGGER newsletter_search_insert;
DROP TRIGGER newsletter_search_delete;
DROP TRIGGER newsletter_search_update;
DROP TABLE newsletter_search;
DROP INDEX newsletter_subscribers_by_name;
ALTER TABLE newsletter_subscribers ADD COLUMN email_folded TEXT;
ALTER TABLE newsletter_subscribers ADD COLUMN name_folded TEXT;
UPDATE newsletter_subscribers SET email_folded = fold(email), name_folded = fold(name);
CREATE INDEX newsletter_subscribers_by_email ON newsletter_subscribers (email_folded);
CREATE INDEX newsletter_subscribers_by_name ON newsletter_subscribers (name_folded);

CREATE VIRTUAL TABLE newsletter_search USING fts5 (email_folded, name_folded, content = 'newsletter_subscribers',
  content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER newsletter_search_insert AFTER INSERT ON newsletter_subscribers BEGIN
  INSERT INTO newsletter_search (rowid, email_folded, name_folded)
  VALUES (NEW.id, NEW.email_folded, NEW.name_folded);
END;
CREATE TRIGGER newsletter_search_delete AFTER DELETE ON newsletter_subscribers BEGIN
  INSERT INTO newsletter_search (newsletter_search, rowid, email_folded, name_folded)
  VALUES ('delete', OLD.id, OLD.email_folded, OLD.name_folded);
END;
CREATE TRIGGER newsletter_search_update AFTER UPDATE OF email_folded, name_folded ON newsletter_subscribers BEGIN
  INSERT INTO newsletter_search (newsletter_search, rowid, email_folded, name_folded)
  VALUES ('delete', OLD.id, OLD.email_folded, OLD.name_folded);
  INSERT INTO newsletter_search (rowid, email_folded, name_folded)
  VALUES (NEW.id, NEW.email_folded, NEW.name_folded);
END;
INSERT INTO newsletter_search (newsletter_search) VALUES ('rebuild');

-- Events, with their sessions, submission types and calendars.
DROP TRIGGER events_search_insert;
DROP TRIGGER events_search_delete;
DROP TRIGGER events_search_update;
DROP TABLE events_search;
DROP INDEX events_by_title;
DROP INDEX events_by_city;
ALTER TABLE events ADD COLUMN title_folded TEXT;
ALTER TABLE events ADD COLUMN event_key_folded TEXT;
ALTER TABLE events ADD COLUMN description_folded TEXT;
ALTER TABLE events ADD COLUMN city_folded TEXT;
UPDATE events SET title_folded = fold(title), event_key_folded = fold(event_key),
  description_folded = fold(description), city_folded = fold(city);
CREATE INDEX events_by_title ON events (title_folded);
CREATE INDEX events_by_key ON events (event_key_folded);
CREATE INDEX events_by_city ON events (city_folded);

CREATE VIRTUAL TABLE events_search USING fts5 (title_folded, event_key_folded, description_folded, city_folded,
  content = 'events', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER events_search_insert AFTER INSERT ON events BEGIN
  INSERT INTO events_search (rowid, title_folded, event_key_folded, description_folded, city_folded)
  VALUES (NEW.id, NEW.title_folded, NEW.event_key_folded, NEW.description_folded, NEW.city_folded);
END;
CREATE TRIGGER events_search_delete AFTER DELETE ON events BEGIN
  INSERT INTO events_search (events_search, rowid, title_folded, event_key_folded, description_folded, city_folded)
  VALUES ('delete', OLD.id, OLD.title_folded, OLD.event_key_folded, OLD.description_folded, OLD.city_folded);
END;
CREATE TRIGGER events_search_update
AFTER UPDATE OF title_folded, event_key_folded, description_folded, city_folded ON events BEGIN
  INSERT INTO events_search (events_search, rowid, title_folded, event_key_folded, description_folded, city_folded)
  VALUES ('delete', OLD.id, OLD.title_folded, OLD.event_key_folded, OLD.description_folded, OLD.city_folded);
  INSERT INTO events_search (rowid, title_folded, event_key_folded, description_folded, city_folded)
  VALUES (NEW.id, NEW.title_folded, NEW.event_key_folded, NEW.description_folded, NEW.city_folded);
END;
INSERT INTO events_search (events_search) VALUES ('rebuild');

DROP INDEX schedule_slots_by_title;
ALTER TABLE schedule_slots ADD COLUMN title_folded TEXT;
UPDATE schedule_slots SET title_folded = fold(title);
CREATE INDEX schedule_slots_by_title ON schedule_slots (event_id, title_folded);

DROP INDEX submission_types_by_title;
ALTER TABLE submission_types ADD COLUMN title_folded TEXT;
UPDATE submission_types SET title_folded = fold(title);
CREATE INDEX submission_types_by_title ON submission_types (title_folded);

DROP INDEX calendar_subscriptions_by_name;
ALTER TABLE calendar_subscriptions ADD COLUMN name_folded TEXT;
UPDATE calendar_subscriptions SET name_folded = fold(name);
CREATE INDEX calendar_subscriptions_by_name ON calendar_subscriptions (name_folded);

-- Plans, booths and reservations.
DROP INDEX plans_by_name;
DROP INDEX plans_by_key;
DROP INDEX plans_by_area;
ALTER TABLE plans ADD COLUMN plan_name_natural TEXT;
ALTER TABLE plans ADD COLUMN plan_key_natural TEXT;
ALTER TABLE plans ADD COLUMN area_name_natural TEXT;
UPDATE plans SET plan_name_natural = natural_key(plan_name), plan_key_natural = natural_key(plan_key),
  area_name_natural = natural_key(area_name);
CREATE INDEX plans_by_name ON plans (plan_name_natural);
CREATE INDEX plans_by_key ON plans (plan_key_natural);
CREATE INDEX plans_by_area ON plans (area_name_natural);

DROP INDEX booths_by_number;
ALTER TABLE booths ADD COLUMN booth_number_natural TEXT;
UPDATE booths SET booth_number_natural = natural_key(booth_number);
CREATE INDEX booths_by_number ON booths (booth_number_natural);

DROP TRIGGER booth_reservations_follow;
DROP TRIGGER booth_reservations_insert;
DROP TRIGGER booth_reservations_move;
DROP INDEX booth_reservations_by_number;
-- Copies from the booth, like booth_number. Triggers keep both up to date.
ALTER TABLE booth_reservations ADD COLUMN booth_number_natural TEXT;
UPDATE booth_reservations SET booth_number_natural = natural_key(booth_number);
CREATE INDEX booth_reservations_by_number ON booth_reservations (booth_number_natural);
CREATE TRIGGER booth_reservations_insert AFTER INSERT ON booth_reservations BEGIN
  UPDATE booth_reservations
     SET (booth_number, booth_number_natural) =
           (SELECT booth_number, booth_number_natural FROM booths WHERE id = NEW.booth_id)
   WHERE id = NEW.id;
END;
CREATE TRIGGER booth_reservations_move AFTER UPDATE OF booth_id ON booth_reservations
WHEN NEW.booth_id <> OLD.booth_id BEGIN
  UPDATE booth_reservations
     SET (booth_number, booth_number_natural) =
           (SELECT booth_number, booth_number_natural FROM booths WHERE id = NEW.booth_id)
   WHERE id = NEW.id;
END;
CREATE TRIGGER booth_reservations_follow AFTER UPDATE OF booth_number, booth_number_natural ON booths BEGIN
  UPDATE booth_reservations SET booth_number = NEW.booth_number, booth_number_natural = NEW.booth_number_natural
   WHERE booth_id = NEW.id;
END;

-- Invoices. Old invoices that were taken over have numbers of any form.
ALTER TABLE invoices ADD COLUMN invoice_number_natural TEXT;
UPDATE invoices SET invoice_number_natural = natural_key(invoice_number);
CREATE INDEX invoices_by_number ON invoices (invoice_number_natural);

-- Services and tasks.
DROP TRIGGER services_search_insert;
DROP TRIGGER services_search_delete;
DROP TRIGGER services_search_update;
DROP TABLE services_search;
DROP INDEX services_by_name;
ALTER TABLE services ADD COLUMN service_name_folded TEXT;
ALTER TABLE services ADD COLUMN short_description_folded TEXT;
ALTER TABLE services ADD COLUMN description_folded TEXT;
UPDATE services SET service_name_folded = fold(service_name), short_description_folded = fold(short_description),
  description_folded = fold(description);
CREATE INDEX services_by_name ON services (service_name_folded);

CREATE VIRTUAL TABLE services_search USING fts5 (service_name_folded, service_key, short_description_folded,
  description_folded, content = 'services', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3');
CREATE TRIGGER services_search_insert AFTER INSERT ON services BEGIN
  INSERT INTO services_search (rowid, service_name_folded, service_key, short_description_folded, description_folded)
  VALUES (NEW.id, NEW.service_name_folded, NEW.service_key, NEW.short_description_folded, NEW.description_folded);
END;
CREATE TRIGGER services_search_delete AFTER DELETE ON services BEGIN
  INSERT INTO services_search (services_search, rowid, service_name_folded, service_key, short_description_folded,
    description_folded)
  VALUES ('delete', OLD.id, OLD.service_name_folded, OLD.service_key, OLD.short_description_folded,
    OLD.description_folded);
END;
CREATE TRIGGER services_search_update
AFTER UPDATE OF service_name_folded, service_key, short_description_folded, description_folded ON services BEGIN
  INSERT INTO services_search (services_search, rowid, service_name_folded, service_key, short_description_folded,
    description_folded)
  VALUES ('delete', OLD.id, OLD.service_name_folded, OLD.service_key, OLD.short_description_folded,
    OLD.description_folded);
  INSERT INTO services_search (rowid, service_name_folded, service_key, short_description_folded, description_folded)
  VALUES (NEW.id, NEW.service_name_folded, NEW.service_key, NEW.short_description_folded, NEW.description_folded);
END;
INSERT INTO services_search (services_search) VALUES ('rebuild');

DROP TRIGGER tasks_search_insert;
DROP TRIGGER tasks_search_delete;
DROP TRIGGER tasks_search_update;
DROP TABLE tasks_search;
DROP INDEX tasks_by_title;
ALTER TABLE tasks ADD COLUMN title_folded TEXT;
ALTER TABLE tasks ADD COLUMN description_folded TEXT;
UPDATE tasks SET title_folded = fold(title), description_folded = fold(description);
CREATE INDEX tasks_by_title ON tasks (title_folded);

CREATE VIRTUAL TABLE tasks_search USING fts5 (title_folded, description_folded, content = 'tasks', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks BEGIN
  INSERT INTO tasks_search (rowid, title_folded, description_folded)
  VALUES (NEW.id, NEW.title_folded, NEW.description_folded);
END;
CREATE TRIGGER tasks_search_delete AFTER DELETE ON tasks BEGIN
  INSERT INTO tasks_search (tasks_search, rowid, title_folded, description_folded)
  VALUES ('delete', OLD.id, OLD.title_folded, OLD.description_folded);
END;
CREATE TRIGGER tasks_search_update AFTER UPDATE OF title_folded, description_folded ON tasks BEGIN
  INSERT INTO tasks_search (tasks_search, rowid, title_folded, description_folded)
  VALUES ('delete', OLD.id, OLD.title_folded, OLD.description_folded);
  INSERT INTO tasks_search (rowid, title_folded, description_folded)
  VALUES (NEW.id, NEW.title_folded, NEW.description_folded);
END;
INSERT INTO tasks_search (tasks_search) VALUES ('rebuild');

-- The audit log. Its search scans an index that now holds the folded text. search_text is erased with the values.
DROP TRIGGER audit_log_is_append_only;
DROP INDEX audit_log_by_title;
ALTER TABLE audit_log ADD COLUMN search_text TEXT;      -- title and description, folded, one per line
UPDATE audit_log SET search_text = ifnull(fold(entity_title), '') || char(10) || ifnull(fold(description), '')
 WHERE entity_title IS NOT NULL OR description IS NOT NULL;
CREATE INDEX audit_log_by_text ON audit_log (id, search_text);
-- The only allowed change erases values and salt together; no fixed column may change with it.
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log
WHEN NOT (NEW.salt IS NULL AND NEW.old_values IS NULL AND NEW.new_values IS NULL AND NEW.entity_title IS NULL
          AND NEW.description IS NULL AND NEW.search_text IS NULL AND NEW.ip_address IS NULL AND NEW.user_agent IS NULL
          AND NEW.admin_name IS NULL
          AND NEW.id = OLD.id AND NEW.action = OLD.action AND NEW.entity_type IS OLD.entity_type
          AND NEW.entity_id IS OLD.entity_id AND NEW.admin_id IS OLD.admin_id AND NEW.api_key_id IS OLD.api_key_id
          AND NEW.request_id IS OLD.request_id AND NEW.created_at = OLD.created_at AND NEW.digest = OLD.digest
          AND NEW.previous_hash = OLD.previous_hash AND NEW.hash = OLD.hash)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Small tables: their lists fold the name while they sort.
DROP INDEX categories_by_title;
DROP INDEX booth_types_by_name;
DROP INDEX service_categories_by_name;
DROP INDEX document_categories_by_name;
DROP INDEX document_templates_by_name;
DROP INDEX custom_field_definitions_by_label;
DROP INDEX webhooks_by_name;
