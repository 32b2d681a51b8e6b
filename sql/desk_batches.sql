-- Batches of the desk, with an entry for each of their records.

-- name: add
INSERT INTO desk_batches (admin_id, resource, action, fields, back, size, created_at)
VALUES (:admin_id, :resource, :action, :fields, :back, :size, :now);

-- name: add_entries
INSERT INTO desk_batch_entries (batch_id, place, record_id) SELECT :id, key, value FROM json_each(:ids);

-- name: get
SELECT id, resource, action, fields, back, begins, size, state, created_at FROM desk_batches
 WHERE id = :id AND admin_id = :admin_id;

-- name: begin
UPDATE desk_batches SET begins = :begins, state = 'tried' WHERE id = :id;

-- name: mark
UPDATE desk_batches SET state = :state, fields = :fields WHERE id = :id;

-- name: entries
SELECT place, record_id, trial, result, undone FROM desk_batch_entries
 WHERE batch_id = :id AND place >= :begins AND place < :ends ORDER BY place;

-- name: keep_trial
UPDATE desk_batch_entries SET trial = :entry WHERE batch_id = :id AND place = :place;

-- name: keep_result
UPDATE desk_batch_entries SET result = :entry WHERE batch_id = :id AND place = :place;

-- name: keep_undone
UPDATE desk_batch_entries SET undone = :entry WHERE batch_id = :id AND place = :place;

-- name: undone
SELECT undone FROM desk_batch_entries WHERE batch_id = :id AND place = :place;

-- name: done
-- The entries that were done, the last one first.
SELECT place, record_id, trial, result, undone FROM desk_batch_entries
 WHERE batch_id = :id AND result ->> 'status' < 400 ORDER BY place DESC;

-- name: sums
-- What came of all entries, by currency. An entry counts in its first one.
WITH done AS (SELECT result, undone FROM desk_batch_entries WHERE batch_id = :id AND result ->> 'status' < 400),
     sums AS (
       SELECT coalesce(result ->> 'currency', '') AS currency, 1 AS entries, result ->> 'amount' AS amount,
              undone ->> 'status' < 400 AS is_undone FROM done
        UNION ALL
       SELECT o.value ->> 'currency', 0, o.value ->> 'amount', NULL FROM done, json_each(result, '$.others') o)
SELECT currency, sum(entries) AS count, sum(amount) AS amount, sum(is_undone) AS undone
  FROM sums GROUP BY currency ORDER BY currency;

-- name: drop_old_entries
DELETE FROM desk_batch_entries WHERE (batch_id, place) IN (
  SELECT e.batch_id, e.place FROM desk_batches b JOIN desk_batch_entries e ON e.batch_id = b.id
   WHERE b.created_at < :before LIMIT :size);

-- name: drop_old
-- Old batches that have no entries any more.
DELETE FROM desk_batches WHERE id IN (
  SELECT b.id FROM desk_batches b WHERE b.created_at < :before
     AND NOT EXISTS (SELECT 1 FROM desk_batch_entries e WHERE e.batch_id = b.id) LIMIT :size);

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: blank_fields
-- What was typed into the form of a batch that has a record of the contact, and the search in the address of its list.
UPDATE desk_batches SET fields = '{}', back = substr(back, 1, instr(back || '?', '?') - 1) WHERE id IN (
  SELECT e.batch_id FROM json_each(:pairs) p
   CROSS JOIN desk_batch_entries e ON e.record_id = p.value ->> 1
    JOIN desk_batches b ON b.id = e.batch_id
     AND b.resource = CASE p.value ->> 0 WHEN 'event_participant' THEN 'participants'
                      ELSE replace(p.value ->> 0, '_', '-') || 's' END);

-- name: blank_trials
-- The facts of warnings, such as a VAT id, in the trials of the records of the contact.
UPDATE desk_batch_entries SET trial = json_remove(trial, '$.warnings') WHERE (batch_id, place) IN (
  SELECT e.batch_id, e.place FROM json_each(:pairs) p
   CROSS JOIN desk_batch_entries e ON e.record_id = p.value ->> 1
    JOIN desk_batches b ON b.id = e.batch_id
     AND b.resource = CASE p.value ->> 0 WHEN 'event_participant' THEN 'participants'
                      ELSE replace(p.value ->> 0, '_', '-') || 's' END)
   AND trial ->> 'warnings' IS NOT NULL;
