-- The totals of lists are counted when they are read: 200,000 payments take 2 ms. So each write changes fewer tables.
DROP TRIGGER contact_counts_insert;
DROP TRIGGER contact_counts_delete;
DROP TRIGGER contact_counts_update;
DROP TABLE contact_counts;
DROP TRIGGER payment_counts_insert;
DROP TRIGGER payment_counts_delete;
DROP TRIGGER payment_counts_update;
DROP TABLE payment_counts;
DROP TRIGGER invoice_counts_insert;
DROP TRIGGER invoice_counts_delete;
DROP TRIGGER invoice_counts_update;
DROP TABLE invoice_counts;
DROP TRIGGER audit_counts_insert;
DROP TRIGGER audit_counts_delete;
DROP TABLE audit_counts;
DROP TRIGGER audit_clock_steps_insert;
DROP TABLE audit_clock_steps;

-- The contacts of a category are sorted by their own columns: 20,000 take 40 ms.
DROP TRIGGER contact_categories_insert;
DROP TRIGGER contact_categories_follow;
DROP INDEX contact_categories_by_company;
DROP INDEX contact_categories_by_country;
DROP INDEX contact_categories_by_country_and_company;
ALTER TABLE contact_categories DROP COLUMN country;
ALTER TABLE contact_categories DROP COLUMN company_name_folded;
