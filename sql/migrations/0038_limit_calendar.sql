-- Entries by their end: the calendar of all events goes back one year.
CREATE INDEX calendar_entries_by_end ON calendar_entries (last_at);
