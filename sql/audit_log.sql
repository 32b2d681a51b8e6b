-- The audit log, as it is read. An entry never changes, so updated_at is created_at. Ids are in the order of the changes,
-- while created_at is the time of the clock, which may have been set back: updated_since also lists later ids. A period
-- is a range of ids, unless the clock was set back across its beginning or end (`_by_clock`).

-- name: get
SELECT l.id, l.action, l.entity_type, l.entity_id, l.entity_title, l.description, l.old_values, l.new_values, l.admin_id, l.admin_name,
       l.api_key_id, l.request_id, l.ip_address, l.user_agent, l.previous_hash, l.hash, l.created_at, l.created_at AS updated_at
  FROM audit_log l
 WHERE l.id = :id;

-- name: list
SELECT l.id, l.action, l.entity_type, l.entity_id, l.entity_title, l.description, l.old_values, l.new_values, l.admin_id, l.admin_name,
       l.api_key_id, l.request_id, l.ip_address, l.user_agent, l.previous_hash, l.hash, l.created_at, l.created_at AS updated_at
  FROM audit_log l
       INDEXED BY audit_log_by_text                         -- when search
 WHERE TRUE
   AND l.id IN (SELECT value FROM json_each(:ids))          -- when ids
   AND l.id >= (SELECT s.id FROM audit_log s WHERE s.created_at >= :updated_since ORDER BY s.created_at, s.id LIMIT 1)   -- when updated_since
   AND l.id >= (SELECT min(+s.id) FROM audit_log s WHERE s.created_at >= :updated_since_by_clock)   -- when updated_since_by_clock
   AND l.action = :action                                   -- when action
   AND l.entity_type = :entity_type                         -- when entity_type
   AND l.entity_id = :entity_id                             -- when entity_type entity_id
   AND l.id IN (SELECT s.id FROM (SELECT DISTINCT entity_type FROM audit_counts) n CROSS JOIN audit_log s INDEXED BY audit_log_by_entity ON s.entity_type = n.entity_type AND s.entity_id = :any_entity_id)     -- when any_entity_id
   AND l.admin_id = :admin_id                               -- when admin_id
   AND l.api_key_id = :api_key_id                           -- when api_key_id
   AND l.request_id = :request_id                           -- when request_id
   AND l.id >= (SELECT s.id FROM audit_log s WHERE s.created_at >= :date_from ORDER BY s.created_at, s.id LIMIT 1)   -- when date_from
   AND l.id <= (SELECT s.id FROM audit_log s WHERE s.created_at <= :date_to ORDER BY s.created_at DESC, s.id DESC LIMIT 1)   -- when date_to
   AND l.created_at >= :date_from_by_clock                  -- when date_from_by_clock
   AND l.created_at <= :date_to_by_clock                    -- when date_to_by_clock
   AND l.search_text LIKE :search ESCAPE '\'                -- when search
 ORDER BY {sort} {order}, l.id {order}  -- sort: id=l.id created_at=l.id

-- name: list_total
SELECT coalesce(sum(n.entries), 0)
  FROM audit_counts n
 WHERE TRUE
   AND n.entity_type = :entity_type                         -- when entity_type
   AND n.action = :action                                   -- when action
   AND n.admin_id = :admin_id                               -- when admin_id
   AND n.api_key_id = :api_key_id                           -- when api_key_id

-- name: list_total_of_period
-- While no id is missing between the first and the last entry, the ids of a period tell how many entries it has.
WITH whole (first, last, entries) AS (
  SELECT (SELECT min(id) FROM audit_log), (SELECT max(id) FROM audit_log), (SELECT sum(entries) FROM audit_counts)),
period (first, last, is_whole) AS (
  SELECT max(first, 0
           , coalesce((SELECT s.id FROM audit_log s WHERE s.created_at >= :date_from ORDER BY s.created_at, s.id LIMIT 1), last + 1)  -- when date_from
           , coalesce((SELECT s.id FROM audit_log s WHERE s.created_at >= :updated_since ORDER BY s.created_at, s.id LIMIT 1), last + 1)  -- when updated_since
         ),
         min(last, last
           , coalesce((SELECT s.id FROM audit_log s WHERE s.created_at <= :date_to ORDER BY s.created_at DESC, s.id DESC LIMIT 1), 0)  -- when date_to
         ), entries = last - first + 1
    FROM whole)
SELECT CASE WHEN is_whole THEN max(0, last - first + 1)
            ELSE (SELECT count(*) FROM audit_log l WHERE l.id >= first AND l.id <= last) END
  FROM period;

-- name: is_unclear
-- Whether the clock was set back across a time, so that entries before and after it do not have ids in this order.
SELECT 1 FROM audit_clock_steps WHERE created_at <= :at AND before >= :at LIMIT 1;
