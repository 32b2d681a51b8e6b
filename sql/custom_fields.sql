-- Custom fields: their definitions, and the values of records.

-- columns: fields = form_id entity_type field_key field_label field_type section_key field_options validation_rules
--   is_required is_searchable applicant_visibility is_active display_order field_labels field_help

-- name: get
SELECT d.id, {d.fields}, d.created_at, d.updated_at
  FROM custom_field_definitions d
 WHERE d.id = :id;

-- name: list
SELECT d.id, {d.fields}, d.created_at, d.updated_at
  FROM custom_field_definitions d
 WHERE TRUE
   AND d.id IN (SELECT value FROM json_each(:ids))                -- when ids
   AND likelihood(d.updated_at >= :updated_since, 0.0001)         -- when updated_since
   AND d.entity_type = :entity_type                               -- when entity_type
   AND d.field_key = :field_key                                   -- when field_key
   AND d.field_type = :field_type                                 -- when field_type
   AND d.is_active = :is_active                                   -- when is_active
   AND d.is_searchable = :is_searchable                           -- when is_searchable
 ORDER BY {sort} {order}, d.id {order}  -- sort: id=d.id created_at=d.id display_order=d.display_order field_label=fold(d.field_label) field_key=d.field_key

-- name: editable
-- The active fields of applications that applicants fill in.
SELECT field_key, field_label, field_labels, field_help, field_type, section_key, field_options, validation_rules,
       is_required
  FROM custom_field_definitions
 WHERE entity_type = 'application' AND applicant_visibility = 'editable' AND is_active ORDER BY display_order, id;

-- name: defined
-- All definitions for a kind of record as one JSON text, which is also the key under which they are kept compiled.
-- editable: those that applicants fill in.
SELECT json_group_array(json_object('id', id, 'field_key', field_key, 'field_type', field_type, 'field_options',
  json(field_options),
         'validation_rules', json(validation_rules), 'is_required', is_required, 'is_searchable', is_searchable,
         'is_active', is_active))
  FROM (SELECT * FROM custom_field_definitions WHERE entity_type = :entity_type
           AND applicant_visibility = 'editable'                                      -- when editable
         ORDER BY display_order, id);

-- name: number_of
SELECT count(*) FROM custom_field_definitions WHERE entity_type = :entity_type;

-- name: key_taken
SELECT id FROM custom_field_definitions WHERE entity_type = :entity_type AND field_key = :field_key;

-- name: add
INSERT INTO custom_field_definitions ({fields}, is_indexed, created_at, updated_at)
VALUES ({:fields}, 2 * :is_searchable, :now, :stamp);

-- name: change
UPDATE custom_field_definitions SET {fields = :fields}, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM custom_field_definitions WHERE id = :id;

-- name: has_values
SELECT 1 FROM custom_field_values WHERE field_id = :id LIMIT 1;

-- name: chosen
-- Those of these options that records use.
SELECT DISTINCT o.value FROM custom_field_values v, json_each(v.value) o
 WHERE v.field_id = :id AND o.value IN (SELECT value FROM json_each(:options)) ORDER BY o.value;

-- name: purge
DELETE FROM custom_field_values WHERE field_id = :id;

-- name: purge_piece
-- The values of some records.
DELETE FROM custom_field_values
 WHERE entity_type = :entity_type AND field_id = :id
   AND entity_id IN (SELECT entity_id FROM custom_field_values WHERE field_id = :id AND entity_type = :entity_type
   ORDER BY entity_id LIMIT :size);

-- name: is_indexed
-- A row if the terms of all values are stored.
SELECT 1 FROM custom_field_definitions WHERE id = :id AND is_indexed = 2;

-- name: begin_index
UPDATE custom_field_definitions SET is_indexed = 1 WHERE id = :id AND is_indexed = 0;

-- name: last_of_piece
-- The last of the next records with a value of the field, NULL if there is none.
SELECT max(entity_id) FROM (
  SELECT entity_id FROM custom_field_values
   WHERE field_id = :id AND entity_type = :entity_type AND entity_id > :after ORDER BY entity_id LIMIT :size);

-- name: index_piece
-- Store the terms of the values of these records.
INSERT OR IGNORE INTO custom_field_terms (field_id, term, entity_id)
SELECT v.field_id, t.value, v.entity_id
  FROM (SELECT field_id, entity_id, value FROM custom_field_values
         WHERE field_id = :id AND entity_type = :entity_type AND entity_id > :after ORDER BY entity_id LIMIT :size) v,
           json_each(v.value) t;

-- name: end_index
UPDATE custom_field_definitions SET is_indexed = 2 WHERE id = :id;

-- Values of records.

-- name: of_several
SELECT entity_id, json_group_object(field_key, json(value)) AS custom_fields
  FROM (SELECT v.entity_id, d.field_key, v.value FROM custom_field_values v
  JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = :entity_type AND v.entity_id IN (SELECT value FROM json_each(:ids))
         ORDER BY v.entity_id, d.display_order, d.id)
 GROUP BY entity_id;

-- name: put
INSERT INTO custom_field_values (entity_type, entity_id, field_id, value)
SELECT :entity_type, :entity_id, d.id, n.value
  FROM json_each(:values) n JOIN custom_field_definitions d ON d.entity_type = :entity_type AND d.field_key = n.key
 WHERE TRUE
ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: take_away
DELETE FROM custom_field_values
 WHERE entity_type = :entity_type AND entity_id = :entity_id AND field_id IN (
       SELECT id FROM custom_field_definitions WHERE entity_type = :entity_type
         AND field_key IN (SELECT value FROM json_each(:keys)));

-- name: copy
INSERT INTO custom_field_values (entity_type, entity_id, field_id, value)
SELECT entity_type, :new_id, field_id, value FROM custom_field_values WHERE entity_type = :entity_type
  AND entity_id = :entity_id;

-- name: for_formulas
-- Values of fields that a booth formula needs.
SELECT v.entity_type, d.field_key, d.field_type, v.value
  FROM json_each(:entities) e
  JOIN custom_field_values v ON v.entity_type = e.value ->> 0 AND v.entity_id = e.value ->> 1
  JOIN custom_field_definitions d ON d.id = v.field_id
 WHERE d.field_key IN (SELECT value FROM json_each(:keys));

-- name: checkboxes
-- Which of these keys are boolean fields. A missing value of such a field counts as 0 in a formula.
SELECT DISTINCT field_key FROM custom_field_definitions
 WHERE entity_type IN ('event_participant', 'contact') AND field_type = 'boolean'
   AND field_key IN (SELECT value FROM json_each(:keys));
