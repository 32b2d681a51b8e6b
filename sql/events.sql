-- Events.

-- columns: fields = event_key title description venue address postal_code city state country date_from date_to application_deadline
--   timezone day_ends_at is_visible cost_centre place_of_supply event_word
-- columns: instants = date_from_at date_to_at over_at application_deadline_at
-- columns: texts = title event_key description city

-- name: get
SELECT e.id, {e.fields}, e.opening_hours,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'event' AND v.entity_id = e.id ORDER BY d.display_order, d.id)) AS custom_fields,
       (SELECT json_object('document_id', id, 'content_type', content_type, 'width', width, 'height',
       height) FROM documents
         WHERE id = e.image_document_id) AS image, e.created_at, e.updated_at
  FROM events e
 WHERE e.id = :id;

-- name: list
-- open: visible events whose application deadline has not passed or, without one, that are not over. The plus keeps SQLite
-- from an index that does not have the order of the list.
SELECT e.id, {e.fields},
       (SELECT json_object('document_id', id, 'content_type', content_type, 'width', width, 'height',
       height) FROM documents
         WHERE id = e.image_document_id) AS image, e.created_at, e.updated_at
  FROM events e
 WHERE TRUE
   AND e.id IN (SELECT value FROM json_each(:ids))                                            -- when ids
   AND likelihood(e.updated_at >= :updated_since, 0.0001)                                                         -- when updated_since
   AND e.is_visible = :visible                                                                -- when visible
   AND e.event_key = :event_key                                                               -- when event_key
   AND e.over_at >= :now                                                                      -- when upcoming
   AND +e.is_visible = 1                                                                       -- when open
   AND coalesce(e.application_deadline_at, e.over_at, :now) >= :now                            -- when open
   AND e.id IN (SELECT rowid FROM events_search WHERE events_search MATCH :search)            -- when search
   AND e.id IN (SELECT t.entity_id FROM json_each(:cf_terms) f CROSS JOIN custom_field_terms t                -- when cf_terms
        ON t.field_id = f.value ->> 0 AND t.term = f.value ->> 1                                            -- when cf_terms
        GROUP BY t.entity_id HAVING count(*) = json_array_length(:cf_terms))                                -- when cf_terms
 ORDER BY {sort} {order} NULLS LAST, e.id {order}  -- sort: id=e.id title=e.title_folded event_key=e.event_key_folded date_from=e.date_from_at date_to=e.date_to_at city=e.city_folded

-- name: opening_hours_of
SELECT id, opening_hours FROM events WHERE id IN (SELECT value FROM json_each(:ids));

-- name: participant_counts_of
SELECT event_id AS id, sum(participants) AS participant_count FROM participant_counts
 WHERE event_id IN (SELECT value FROM json_each(:ids)) AND status IN ('registered', 'confirmed')
 GROUP BY event_id;

-- name: undecided_abroad
SELECT id, event_key, country FROM events WHERE place_of_supply IS NULL AND country <> :home ORDER BY id;

-- name: key_taken
SELECT 1 FROM events WHERE event_key = :event_key;

-- name: add
INSERT INTO events ({fields}, opening_hours, {instants}, {texts_folded}, created_at, updated_at)
VALUES ({:fields}, :opening_hours, {:instants}, {fold(:texts)}, :now, :stamp);

-- name: change
UPDATE events SET {fields = :fields}, opening_hours = :opening_hours, {instants = :instants},
  {texts_folded = fold(:texts)}, updated_at = :stamp
 WHERE id = :id;

-- name: set_image
UPDATE events SET image_document_id = :image_document_id, updated_at = :stamp WHERE id = :id;

-- name: booths_priced_by_days
-- Booths whose price may depend on the dates of the event.
SELECT id FROM booths WHERE event_id = :id AND formula_id IS NOT NULL ORDER BY id;

-- name: users
-- What prevents the event from being deleted, as nouns for the error text.
SELECT 'application' AS one, 'applications' AS many, count(*) AS count FROM application_events WHERE event_id = :id
 UNION ALL SELECT 'participant', 'participants', count(*) FROM participants WHERE event_id = :id
 UNION ALL SELECT 'invoice', 'invoices', count(*) FROM invoices WHERE event_id = :id
 UNION ALL SELECT 'booth reservation', 'booth reservations', count(*) FROM booth_reservations WHERE event_id = :id
 UNION ALL SELECT 'service order', 'service orders', count(*) FROM service_orders WHERE event_id = :id
 UNION ALL SELECT 'check-in', 'check-ins', count(*) FROM check_ins WHERE event_id = :id
 ORDER BY many;

-- name: remove
DELETE FROM events WHERE id = :id;
