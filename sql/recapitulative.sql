-- The recapitulative statement.

-- name: supplies
-- What was supplied without tax to customers in other countries of the EU, for each document, with its rate.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM tax_entries
   UNION ALL SELECT (SELECT min(e.currency) FROM tax_entries e WHERE e.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT i.buyer ->> 'vat_id' AS vat_id, i.buyer ->> 'country' AS country, e.category, e.currency, d.exchange_rate,
  coalesce(i.service_date_to, i.service_date, i.issue_date) AS supplied_on, sum(e.net) AS net,
       CASE count(*) WHEN count(e.base_net) THEN sum(e.base_net) END AS base_net
  FROM kinds k CROSS JOIN tax_entries e INDEXED BY tax_entries_by_day CROSS JOIN invoices i ON i.id = e.invoice_id CROSS
  JOIN invoices d ON d.id = e.document_id
 WHERE e.currency = k.currency AND e.day >= :first AND e.day <= :last AND e.category IN ('AE', 'K')
 GROUP BY e.document_id, e.category;

-- name: erased_buyers
-- Whether the buyer of an invoice that counts on these days was erased.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM tax_entries
   UNION ALL SELECT (SELECT min(e.currency) FROM tax_entries e WHERE e.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT 1
  FROM kinds k CROSS JOIN tax_entries e INDEXED BY tax_entries_by_day CROSS JOIN invoices i ON i.id = e.invoice_id
 WHERE e.currency = k.currency AND e.day >= :first AND e.day <= :last AND e.category IN ('AE', 'K')
   AND i.buyer IS NULL LIMIT 1;
