-- Tries that count against a limit: of passwords, codes and keys, and of mails that people ask for.

-- name: reached
-- When the try was made that is :before tries older than the last one. No row: there are fewer within the period. Times in the
-- future, of a clock that was wrong, are ignored.
SELECT created_at FROM sign_in_tries
 WHERE kind = :kind AND created_at > :since AND created_at <= :now
   AND who = :who                                                   -- when who
   AND network = :network                                           -- when network
   AND is_known = :is_known                                         -- when is_known
 ORDER BY created_at DESC LIMIT 1 OFFSET :before;

-- name: add
INSERT INTO sign_in_tries (kind, who, network, is_known, created_at) VALUES (:kind, :who, :network, :is_known, :now);

-- name: drop
DELETE FROM sign_in_tries WHERE id = :id;

-- name: forget
-- Codes that were tried for a person, whose second factor was removed.
DELETE FROM sign_in_tries WHERE kind IN ('code', 'recovery') AND who = :who;

-- name: drop_old
DELETE FROM sign_in_tries WHERE id IN (SELECT id FROM sign_in_tries WHERE created_at < :before ORDER BY created_at LIMIT :size);
