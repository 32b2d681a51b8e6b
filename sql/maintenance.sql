-- Maintenance of the database file.

-- name: tables
-- Tables that ANALYZE reads: all but those of search indexes, which are read by rowid only and would be counted row by
-- row, and those that SQLite creates for itself.
SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
 ORDER BY name DESC;
