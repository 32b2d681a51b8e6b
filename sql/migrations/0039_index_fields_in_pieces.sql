-- A custom field becomes searchable in pieces: its values are indexed before it is.

-- 0 if the terms of its values are not stored, 1 while they are being stored, 2 when they are. A field that is searchable
-- no longer keeps its terms.
ALTER TABLE custom_field_definitions ADD COLUMN is_indexed INTEGER NOT NULL DEFAULT 0 CHECK (is_indexed IN (0, 1, 2));
UPDATE custom_field_definitions SET is_indexed = 2 WHERE is_searchable;

DROP TRIGGER custom_field_definitions_search;
DROP TRIGGER custom_field_values_insert;
CREATE TRIGGER custom_field_values_insert AFTER INSERT ON custom_field_values BEGIN
  INSERT OR IGNORE INTO custom_field_terms (field_id, term, entity_id)
  SELECT d.id, t.value, NEW.entity_id FROM custom_field_definitions d, json_each(NEW.value) t
   WHERE d.id = NEW.field_id AND d.is_indexed;
END;
DROP TRIGGER custom_field_values_update;
CREATE TRIGGER custom_field_values_update AFTER UPDATE OF value ON custom_field_values BEGIN
  DELETE FROM custom_field_terms WHERE field_id = OLD.field_id AND entity_id = OLD.entity_id;
  INSERT OR IGNORE INTO custom_field_terms (field_id, term, entity_id)
  SELECT d.id, t.value, NEW.entity_id FROM custom_field_definitions d, json_each(NEW.value) t
   WHERE d.id = NEW.field_id AND d.is_indexed;
END;
