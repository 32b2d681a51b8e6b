-- Settings: options that the organiser changes at the desk. Those that the configuration file sets do not count here.
CREATE TABLE settings (
  name       TEXT PRIMARY KEY,            -- of the option
  value      TEXT NOT NULL,               -- as in eventapi.conf
  changed_at TEXT NOT NULL,
  changed_by INTEGER REFERENCES admins (id)  -- NULL: the command line
) STRICT, WITHOUT ROWID;

-- Counts the changes of settings, so that each process knows whether it has the last one.
ALTER TABLE tenant ADD COLUMN settings_revision INTEGER NOT NULL DEFAULT 0;
