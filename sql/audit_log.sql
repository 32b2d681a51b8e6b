-- The audit log, as it is read. An entry never changes, so updated_at is created_at. Ids are in the order of the changes,
-- while created_at is the time of the clock, which may have been set back: updated_since also lists later ids.

-- name: get
SELECT l.id, l.action, l.entity_type, l.entity_id, l.entity_title, l.description, l.old_values, l.new_values,
       l.admin_id, l.admin_name, l.api_key_id, l.request_id, l.ip_address, l.user_agent, l.previous_hash, l.hash,
       l.created_at, l.created_at AS updated_at
  FROM audit_log l
 WHERE l.id = :id;

-- name: list
SELECT l.id, l.action, l.entity_type, l.entity_id, l.entity_title, l.description, l.old_values, l.new_values,
       l.admin_id, l.admin_name, l.api_key_id, l.request_id, l.ip_address, l.user_agent, l.previous_hash, l.hash,
       l.created_at, l.created_at AS updated_at
  FROM audit_log l
       INDEXED BY audit_log_by_text                         -- when search
 WHERE TRUE
   AND l.id IN (SELECT value FROM json_each(:ids))          -- when ids
   AND l.id >= (SELECT min(+s.id) FROM audit_log s WHERE s.created_at >= :updated_since)            -- when updated_since
   AND l.action = :action                                   -- when action
   AND l.entity_type = :entity_type                         -- when entity_type
   AND l.id IN (SELECT s.id FROM audit_log s WHERE s.entity_id = :entity_id                          -- when entity_id
                   AND s.entity_type = :entity_type         -- when entity_id entity_type
               )                                            -- when entity_id
   AND l.admin_id = :admin_id                               -- when admin_id
   AND l.api_key_id = :api_key_id                           -- when api_key_id
   AND (:actor = 'admin') = (l.admin_id IS NOT NULL)        -- when actor
   AND (:actor = 'link') = (l.admin_id IS NULL AND ifnull(l.admin_name, '') GLOB 'link [0-9]*')      -- when actor
   AND (:actor = 'command_line') = (l.admin_id IS NULL AND ifnull(l.admin_name, '') GLOB '* (command line)') -- when actor
   AND l.request_id = :request_id                           -- when request_id
   AND l.created_at >= :date_from                           -- when date_from
   AND l.created_at <= :date_to                             -- when date_to
   AND l.search_text LIKE :search ESCAPE '\'                -- when search
 ORDER BY {sort} {order}, l.id {order}  -- sort: id=l.id created_at=l.id
