-- Dunning levels.

-- name: get
SELECT id, level, name, days, deadline_days, fee, has_lump_sum, interest, interest_rate, title_de, title_en, text_de,
  text_en, created_at, updated_at
  FROM dunning_levels WHERE id = :id;

-- name: list
SELECT l.id, l.level, l.name, l.days, l.deadline_days, l.fee, l.has_lump_sum, l.interest, l.interest_rate, l.title_de,
       l.title_en, l.text_de, l.text_en, l.created_at, l.updated_at
  FROM dunning_levels l
 WHERE TRUE
   AND l.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(l.updated_at >= :updated_since, 0.0001)           -- when updated_since
 ORDER BY {sort} {order} NULLS LAST, l.id {order}  -- sort: id=l.id level=l.level

-- name: next_level
SELECT coalesce(max(level), 0) + 1 FROM dunning_levels;

-- name: level_taken
SELECT id FROM dunning_levels WHERE level = :level;

-- name: days_beside
SELECT (SELECT max(days) FROM dunning_levels WHERE level < :level AND id IS NOT :but) AS before,
       (SELECT min(days) FROM dunning_levels WHERE level > :level AND id IS NOT :but) AS after;

-- name: add
INSERT INTO dunning_levels (level, name, days, deadline_days, fee, has_lump_sum, interest, interest_rate, title_de,
  title_en, text_de, text_en, created_at, updated_at)
VALUES (:level, :name, :days, :deadline_days, :fee, :has_lump_sum, :interest, :interest_rate, :title_de, :title_en,
  :text_de, :text_en, :now, :stamp);

-- name: change
UPDATE dunning_levels SET level = :level, name = :name, days = :days, deadline_days = :deadline_days, fee = :fee,
  has_lump_sum = :has_lump_sum, interest = :interest, interest_rate = :interest_rate, title_de = :title_de,
  title_en = :title_en, text_de = :text_de, text_en = :text_en, updated_at = :stamp
 WHERE id = :id;

-- name: remove
DELETE FROM dunning_levels WHERE id = :id;
