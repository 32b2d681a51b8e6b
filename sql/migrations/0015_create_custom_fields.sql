-- Custom fields: fields that the organiser adds to a kind of record, and their values.

CREATE TABLE custom_field_definitions (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  form_id               INTEGER,            -- the form of another system; stored for the caller
  entity_type           TEXT NOT NULL CHECK (entity_type IN ('contact', 'application', 'event_participant', 'event',
                          'booth', 'submission')),
  field_key             TEXT NOT NULL,
  field_label           TEXT NOT NULL COLLATE NOCASE,
  field_type            TEXT NOT NULL CHECK (field_type IN ('text', 'textarea', 'integer', 'number', 'boolean', 'date',
                          'datetime', 'select', 'multiselect', 'email', 'url')),
  section_key           TEXT,
  field_options         TEXT NOT NULL,      -- JSON: [{value, label}]
  validation_rules      TEXT NOT NULL,      -- JSON: minimum, maximum, min_length, max_length
  is_required           INTEGER NOT NULL CHECK (is_required IN (0, 1)),
  is_searchable         INTEGER NOT NULL CHECK (is_searchable IN (0, 1)),
  applicant_visibility  TEXT NOT NULL CHECK (applicant_visibility IN ('hidden', 'visible', 'editable')),
  is_active             INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  display_order         INTEGER NOT NULL,
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL,
  UNIQUE (entity_type, field_key)
) STRICT;
CREATE INDEX custom_field_definitions_by_key ON custom_field_definitions (field_key);
CREATE INDEX custom_field_definitions_by_label ON custom_field_definitions (field_label);
CREATE INDEX custom_field_definitions_by_order ON custom_field_definitions (display_order);
CREATE INDEX custom_field_definitions_by_update ON custom_field_definitions (updated_at);

CREATE TABLE custom_field_values (
  entity_type  TEXT NOT NULL,
  entity_id    INTEGER NOT NULL,
  field_id     INTEGER NOT NULL REFERENCES custom_field_definitions (id),
  value        TEXT NOT NULL,               -- JSON, as in responses
  PRIMARY KEY (entity_type, entity_id, field_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX custom_field_values_by_field ON custom_field_values (field_id);

-- The values of searchable fields, with one row for each chosen option; lists are filtered by them. The type ANY keeps
-- numbers as numbers, so that 5 and 5.0 are equal; true is stored as 1. Triggers update the rows.
CREATE TABLE custom_field_terms (
  field_id   INTEGER NOT NULL,
  term       ANY NOT NULL COLLATE NOCASE,
  entity_id  INTEGER NOT NULL,
  PRIMARY KEY (field_id, term, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX custom_field_terms_by_entity ON custom_field_terms (field_id, entity_id);
CREATE TRIGGER custom_field_values_insert AFTER INSERT ON custom_field_values BEGIN
  INSERT OR IGNORE INTO custom_field_terms (field_id, term, entity_id)
  SELECT d.id, t.value, NEW.entity_id FROM custom_field_definitions d, json_each(NEW.value) t
   WHERE d.id = NEW.field_id AND d.is_searchable;
END;
CREATE TRIGGER custom_field_values_update AFTER UPDATE OF value ON custom_field_values BEGIN
  DELETE FROM custom_field_terms WHERE field_id = OLD.field_id AND entity_id = OLD.entity_id;
  INSERT OR IGNORE INTO custom_field_terms (field_id, term, entity_id)
  SELECT d.id, t.value, NEW.entity_id FROM custom_field_definitions d, json_each(NEW.value) t
   WHERE d.id = NEW.field_id AND d.is_searchable;
END;
CREATE TRIGGER custom_field_values_delete AFTER DELETE ON custom_field_values BEGIN
  DELETE FROM custom_field_terms WHERE field_id = OLD.field_id AND entity_id = OLD.entity_id;
END;
CREATE TRIGGER custom_field_definitions_search AFTER UPDATE OF is_searchable ON custom_field_definitions
WHEN NEW.is_searchable <> OLD.is_searchable BEGIN
  DELETE FROM custom_field_terms WHERE field_id = NEW.id;
  INSERT OR IGNORE INTO custom_field_terms (field_id, term, entity_id)
  SELECT v.field_id, t.value, v.entity_id FROM custom_field_values v, json_each(v.value) t
   WHERE v.field_id = NEW.id AND NEW.is_searchable;
END;

-- Values are deleted with their record. A foreign key cannot do that, because entity_id refers to several tables.
CREATE TRIGGER contacts_custom_fields AFTER DELETE ON contacts BEGIN
  DELETE FROM custom_field_values WHERE entity_type = 'contact' AND entity_id = OLD.id;
END;
CREATE TRIGGER applications_custom_fields AFTER DELETE ON applications BEGIN
  DELETE FROM custom_field_values WHERE entity_type = 'application' AND entity_id = OLD.id;
END;
CREATE TRIGGER participants_custom_fields AFTER DELETE ON participants BEGIN
  DELETE FROM custom_field_values WHERE entity_type = 'event_participant' AND entity_id = OLD.id;
END;
CREATE TRIGGER events_custom_fields AFTER DELETE ON events BEGIN
  DELETE FROM custom_field_values WHERE entity_type = 'event' AND entity_id = OLD.id;
END;
CREATE TRIGGER booths_custom_fields AFTER DELETE ON booths BEGIN
  DELETE FROM custom_field_values WHERE entity_type = 'booth' AND entity_id = OLD.id;
END;
CREATE TRIGGER submissions_custom_fields AFTER DELETE ON submissions BEGIN
  DELETE FROM custom_field_values WHERE entity_type = 'submission' AND entity_id = OLD.id;
END;
