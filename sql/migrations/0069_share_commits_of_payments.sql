-- The index of searches in payments without those of prefixes. A write that shares its commit with others is a savepoint, and
-- SQLite writes all three indexes at each of them: a payment then costs as much as with a commit of its own. A search for the
-- beginning of a word reads the range of its words instead.
DROP TABLE payments_search;
CREATE VIRTUAL TABLE payments_search USING fts5 (search_text, content = 'payments', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO payments_search (payments_search) VALUES ('rebuild');
