-- The schema itself, for `make schema`.

-- name: ddl
-- Tables and views in the order of the migrations, each followed by its indexes and triggers. Tables that SQLite
-- creates for itself are left out.
SELECT o.name, s.sql FROM sqlite_schema s JOIN sqlite_schema o ON o.name = s.tbl_name AND o.type IN ('table', 'view')
 WHERE s.sql IS NOT NULL AND o.name NOT LIKE 'sqlite\_%' ESCAPE '\'
   AND o.name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
 ORDER BY o.rowid, s.rowid;

-- name: objects
-- Tables, indexes, views and triggers. SQLite decides on the text of the shadow tables of a search index, which is
-- therefore left out.
SELECT s.type, s.name, s.tbl_name,
       CASE WHEN s.name IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') THEN '' ELSE s.sql END AS sql
  FROM sqlite_schema s WHERE s.name NOT LIKE 'sqlite\_%' ESCAPE '\';
