-- Files that the closing of a month keeps.

-- name: all
-- The files of all months, without their contents.
SELECT p.month, f.name, f.sha256, f.size FROM periods p CROSS JOIN period_files f ON f.period_id = p.id
 ORDER BY p.id, f.name;

-- name: of_month
SELECT f.name, f.sha256, f.size FROM periods p CROSS JOIN period_files f ON f.period_id = p.id WHERE p.month = :month
 ORDER BY f.name;

-- name: content
SELECT f.content FROM periods p CROSS JOIN period_files f ON f.period_id = p.id WHERE p.month = :month AND f.name = :name;

-- name: contents
-- The files of a name in the months from :first to :last.
SELECT p.month, f.content FROM periods p CROSS JOIN period_files f ON f.period_id = p.id
 WHERE p.month >= :first AND p.month <= :last AND f.name = :name ORDER BY p.id;

-- name: every
SELECT p.month, f.name, f.sha256, f.size, f.content FROM periods p CROSS JOIN period_files f ON f.period_id = p.id
 ORDER BY p.id, f.name;

-- name: add
INSERT INTO period_files (period_id, name, sha256, size, kept_at, content)
VALUES (:period_id, :name, :sha256, :size, :now, :content);

-- name: without
-- The closed months that have no file of a name, and whose files have not ended.
SELECT p.id, p.month, p.organiser_country FROM periods p
 WHERE NOT EXISTS (SELECT 1 FROM period_files f WHERE f.period_id = p.id AND f.name = :name)
   AND NOT EXISTS (SELECT 1 FROM period_file_ends e WHERE e.period_id = p.id)
 ORDER BY p.id;

-- name: closed_without_files
-- Whether the month of a day was closed by a version that kept no files: null if the month is open.
SELECT organiser_country IS NULL FROM periods WHERE first_open_day > :day ORDER BY id LIMIT 1;

-- name: due
-- The months before :month whose files are not deleted yet, at most :size.
SELECT p.id, p.month FROM periods p
 WHERE p.month < :month AND NOT EXISTS (SELECT 1 FROM period_file_ends e WHERE e.period_id = p.id)
 ORDER BY p.id LIMIT :size;

-- name: end
INSERT INTO period_file_ends (period_id, ended_at) VALUES (:period_id, :now);

-- name: delete
DELETE FROM period_files WHERE period_id = :period_id;
