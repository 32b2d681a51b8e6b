-- Categories.

-- columns: settings = is_visible applicant_visibility account_access_enabled sort_order color base_price tax_rate exemption_reason
--   place_of_supply approval role capacity

-- name: get
SELECT g.id, g.category_key, g.title, g.content, g.parent_category_id, u.category_key AS parent_category_key,
       (SELECT json_group_array(event_key) FROM (SELECT e.event_key FROM category_events t
         JOIN events e ON e.id = t.event_id
         WHERE t.category_id = g.id ORDER BY e.event_key)) AS event_keys,
       {g.settings},
       (WITH RECURSIVE up (parent, level) AS (SELECT g.parent_category_id, 0
         UNION ALL SELECT k.parent_category_id, level + 1 FROM up JOIN categories k ON k.id = up.parent)
        SELECT max(level) FROM up) AS level,
       g.created_at, g.updated_at
  FROM categories g LEFT JOIN categories u ON u.id = g.parent_category_id
 WHERE g.id = :id;

-- name: list
SELECT g.id, g.category_key, g.title, g.content, g.parent_category_id, u.category_key AS parent_category_key,
       {g.settings},
       (WITH RECURSIVE up (parent, level) AS (SELECT g.parent_category_id, 0
         UNION ALL SELECT k.parent_category_id, level + 1 FROM up JOIN categories k ON k.id = up.parent)
        SELECT max(level) FROM up) AS level,
       g.created_at, g.updated_at
  FROM categories g
  LEFT JOIN categories u ON u.id = g.parent_category_id
 WHERE TRUE
   AND g.id IN (SELECT value FROM json_each(:ids))                                       -- when ids
   AND likelihood(g.updated_at >= :updated_since, 0.0001)                                                    -- when updated_since
   AND g.category_key = :category_key                                                    -- when category_key
   AND g.parent_category_id = :parent_category_id                                        -- when parent_category_id
   AND g.parent_category_id IS NULL                                                      -- when roots
   AND g.id IN (SELECT category_id FROM category_events WHERE event_id = :event_id)      -- when event_id
 ORDER BY {sort} {order}, g.id {order}  -- sort: id=g.id title=fold(g.title) sort_order=g.sort_order

-- name: descendants_of
-- All categories below these, the upper levels first.
WITH RECURSIVE below (id, level) AS (
  SELECT value, 0 FROM json_each(:ids)
   UNION ALL SELECT k.id, level + 1 FROM below JOIN categories k ON k.parent_category_id = below.id)
SELECT g.id, g.category_key, g.title, g.content, g.parent_category_id, u.category_key AS parent_category_key,
       {g.settings},
       g.created_at, g.updated_at
  FROM below b JOIN categories g ON g.id = b.id LEFT JOIN categories u ON u.id = g.parent_category_id
 WHERE b.level > 0
 ORDER BY b.level, g.sort_order, fold(g.title), g.id;

-- name: event_keys_of
SELECT t.category_id, e.event_key FROM category_events t JOIN events e ON e.id = t.event_id
 WHERE t.category_id IN (SELECT value FROM json_each(:ids)) ORDER BY t.category_id, e.event_key;

-- name: children
SELECT id FROM categories WHERE parent_category_id = :id ORDER BY id;

-- name: ancestors
-- The category and all categories above it.
WITH RECURSIVE up (id) AS (
  SELECT :id UNION ALL SELECT k.parent_category_id FROM up JOIN categories k ON k.id = up.id
   WHERE k.parent_category_id IS NOT NULL)
SELECT id FROM up;

-- name: height
-- Number of levels below the category.
WITH RECURSIVE below (id, level) AS (
  SELECT :id, 0 UNION ALL SELECT k.id, level + 1 FROM below JOIN categories k ON k.parent_category_id = below.id)
SELECT max(level) FROM below;

-- name: key_taken
SELECT id FROM categories WHERE category_key = :category_key;

-- name: add
INSERT INTO categories (category_key, title, content, parent_category_id, {settings}, created_at, updated_at)
VALUES (:category_key, :title, :content, :parent_category_id, {:settings}, :now, :stamp);

-- name: change
UPDATE categories SET category_key = :category_key, title = :title, content = :content,
  parent_category_id = :parent_category_id, {settings = :settings}, updated_at = :stamp
 WHERE id = :id;

-- name: move_up
UPDATE categories SET parent_category_id = :parent_category_id, updated_at = :stamp WHERE id = :id;

-- name: clear_events
DELETE FROM category_events WHERE category_id = :category_id;

-- name: add_events
INSERT INTO category_events (category_id, event_id) SELECT :category_id, value FROM json_each(:event_ids);

-- name: users
SELECT 'contact' AS one, 'contacts' AS many, count(*) AS count FROM contact_categories WHERE category_id = :id
 UNION ALL SELECT 'participant', 'participants', count(*) FROM participants WHERE category_id = :id
 UNION ALL SELECT 'application', 'applications', count(*) FROM application_categories WHERE category_id = :id
 ORDER BY many;

-- name: remove
DELETE FROM categories WHERE id = :id;
