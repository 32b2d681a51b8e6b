-- Of an answer kept for Idempotency-Key: which request it was given to, whose audit entries say what it is about. And no secret is kept
-- that was shown once: the answers that hold one lose it.

ALTER TABLE idempotency_keys ADD COLUMN request_id TEXT;
UPDATE idempotency_keys SET data = json_set(data, '$.secret', NULL) WHERE data ->> '$.secret' LIKE 'whsec\_%' ESCAPE '\';
UPDATE idempotency_keys SET data = json_set(data, '$.url', NULL) WHERE data ->> '$.url' LIKE '%/feeds/%.ics';
