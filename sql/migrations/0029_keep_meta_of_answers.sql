-- What an answer kept for Idempotency-Key says in `meta` besides its request id: JSON.

ALTER TABLE idempotency_keys ADD COLUMN meta TEXT;
