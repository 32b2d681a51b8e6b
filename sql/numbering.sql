-- Running numbers.

-- name: take
-- The next number of a counter. A rollback returns it.
INSERT INTO counters (name, value) VALUES (:name, 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value;

-- name: last
-- The last number of a counter, if one was taken.
SELECT value FROM counters WHERE name = :name;

-- name: taken
SELECT 1 FROM invoices WHERE invoice_number = :invoice_number;

-- name: series
-- First and last number of each series, with the counter from which the numbers were taken.
SELECT s.series, f.invoice_number AS "first", l.invoice_number AS "last", s."count", s.first_sequence, s.last_sequence,
       coalesce((SELECT value FROM counters WHERE name = s.series), 0) AS counter
  FROM (SELECT series, min(sequence) AS first_sequence, max(sequence) AS last_sequence, count(*) AS "count"
          FROM invoices WHERE series IS NOT NULL GROUP BY series) s
  JOIN invoices f ON f.series = s.series AND f.sequence = s.first_sequence
  JOIN invoices l ON l.series = s.series AND l.sequence = s.last_sequence
 ORDER BY s.series;

-- name: gaps
-- Ranges of missing numbers in a series.
SELECT before + 1 AS "first", sequence - 1 AS "last"
  FROM (SELECT sequence, lag(sequence, 1, 0) OVER (ORDER BY sequence) AS before FROM invoices WHERE series = :series)
 WHERE sequence <> before + 1;
