-- Columns of bank statements in CSV that are remembered for an account and a header line.

-- columns: fields = account header query last_used_at

-- name: list
SELECT f.id, {f.fields}, f.created_at, f.updated_at
  FROM bank_formats f
 WHERE TRUE
   AND f.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND likelihood(f.updated_at >= :updated_since, 0.0001)      -- when updated_since
   AND f.account = :account                                    -- when account
 ORDER BY {sort} {order} NULLS LAST, f.id {order}  -- sort: id=f.id last_used_at=f.last_used_at

-- name: of
SELECT f.id, {f.fields}, f.created_at, f.updated_at
  FROM bank_formats f WHERE f.account = :account AND f.header_key = :header_key;

-- name: candidates
SELECT f.id, f.account, f.header_key, f.query FROM bank_formats f ORDER BY f.id;

-- name: add
INSERT INTO bank_formats ({fields}, header_key, created_at, updated_at)
VALUES (:account, :header, :query, :now, :header_key, :now, :stamp);

-- name: change
UPDATE bank_formats SET header = :header, query = :query, last_used_at = :now, updated_at = :stamp WHERE id = :id;

-- name: use
UPDATE bank_formats SET last_used_at = :now, updated_at = :stamp WHERE id = :id;

-- name: surplus
-- The formats beyond the number that is kept, those first that were not used for longest.
SELECT f.id, {f.fields}, f.created_at, f.updated_at
  FROM bank_formats f ORDER BY f.last_used_at DESC, f.id DESC LIMIT -1 OFFSET :most;

-- name: remove
DELETE FROM bank_formats WHERE id = :id;
