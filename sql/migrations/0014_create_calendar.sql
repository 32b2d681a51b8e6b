-- Calendar feed: entries, and the subscriptions of calendar programs.

-- One entry for each event, application deadline, public slot and task with a date. Triggers update the entries, so
-- that no change is missed: sequence and updated_at increase with every change that a calendar shows (RFC 5545, 3.8.7).
CREATE TABLE calendar_entries (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind          TEXT NOT NULL CHECK (kind IN ('event', 'deadline', 'slot', 'task')),
  record_id     INTEGER NOT NULL,
  event_id      INTEGER,                  -- no foreign key: the entry of a deleted record stays, as cancelled
  title         TEXT NOT NULL,
  description   TEXT,
  location      TEXT,
  first_at      TEXT NOT NULL,            -- first UTC timestamp
  last_at       TEXT NOT NULL,            -- last UTC timestamp; equal to first_at for due dates
  timezone      TEXT,                     -- determines whole days; NULL: the tenant's
  is_visible    INTEGER,                  -- whether the event is visible; NULL without an event
  is_cancelled  INTEGER NOT NULL DEFAULT 0 CHECK (is_cancelled IN (0, 1)),
  sequence      INTEGER NOT NULL DEFAULT 0,
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  UNIQUE (kind, record_id)
) STRICT;
CREATE INDEX calendar_entries_by_time ON calendar_entries (first_at);
CREATE INDEX calendar_entries_by_event ON calendar_entries (event_id, first_at);
-- The worker deletes old cancelled entries.
CREATE INDEX calendar_entries_by_cancellation ON calendar_entries (updated_at) WHERE is_cancelled = 1;

-- One row: a random name that is part of every UID, so that the UIDs of two installations are never equal.
CREATE TABLE calendar_identity (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  name  TEXT NOT NULL
) STRICT;
INSERT INTO calendar_identity (id, name) VALUES (1, lower(hex(randomblob(12))));

-- Only the hash of the secret URL is stored.
CREATE TABLE calendar_subscriptions (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT NOT NULL COLLATE NOCASE,
  event_id    INTEGER REFERENCES events (id),
  kinds       TEXT NOT NULL,              -- JSON list
  visible     INTEGER NOT NULL CHECK (visible IN (0, 1)),        -- only entries of visible events
  is_active   INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  token_hash  TEXT NOT NULL UNIQUE,
  created_at  TEXT NOT NULL,
  updated_at  TEXT NOT NULL
) STRICT;
CREATE INDEX calendar_subscriptions_by_name ON calendar_subscriptions (name);
CREATE INDEX calendar_subscriptions_by_event ON calendar_subscriptions (event_id);
CREATE INDEX calendar_subscriptions_by_activity ON calendar_subscriptions (is_active);
CREATE INDEX calendar_subscriptions_by_update ON calendar_subscriptions (updated_at);

-- The entry that each record should have now.
CREATE VIEW calendar_sources
  (kind, record_id, event_id, title, description, location, first_at, last_at, timezone, is_visible) AS
SELECT 'event', id, id, title, substr(description, 1, 2000), ifnull(city || ', ', '') || country, date_from_at,
       coalesce(date_to_at, iif(length(date_from) = 10, over_at, date_from_at)), timezone, is_visible
  FROM events WHERE date_from_at IS NOT NULL
 UNION ALL
SELECT 'deadline', id, id, 'Application deadline: ' || title, NULL, NULL, application_deadline_at,
       application_deadline_at, timezone, is_visible
  FROM events WHERE application_deadline_at IS NOT NULL
 UNION ALL
SELECT 'slot', s.id, s.event_id, s.title, substr(s.description, 1, 2000), ifnull(s.location || ', ', '') || e.title,
       s.starts_at, s.ends_at, e.timezone, e.is_visible
  FROM schedule_slots s JOIN events e ON e.id = s.event_id WHERE s.is_public = 1
 UNION ALL
SELECT 'task', t.id, t.event_id, iif(t.status = 'completed', '✓ ', '') || t.title, NULL, e.title, t.due_at, t.due_at,
       e.timezone, e.is_visible
  FROM tasks t LEFT JOIN events e ON e.id = t.event_id WHERE t.due_at IS NOT NULL AND t.status <> 'cancelled';

-- INSERT INTO calendar_changes updates the entry of one record: it creates, changes or cancels it.
CREATE VIEW calendar_changes (kind, record_id) AS SELECT kind, record_id FROM calendar_entries;
CREATE TRIGGER calendar_changes_insert INSTEAD OF INSERT ON calendar_changes BEGIN
  UPDATE calendar_entries
     SET is_cancelled = 1, sequence = sequence + 1, updated_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
   WHERE kind = NEW.kind AND record_id = NEW.record_id AND is_cancelled = 0
     AND NOT EXISTS (SELECT 1 FROM calendar_sources s WHERE s.kind = NEW.kind AND s.record_id = NEW.record_id);
  INSERT INTO calendar_entries (kind, record_id, event_id, title, description, location, first_at, last_at, timezone,
    is_visible, created_at, updated_at)
  SELECT s.kind, s.record_id, s.event_id, s.title, s.description, s.location, s.first_at, s.last_at, s.timezone,
         s.is_visible, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
    FROM calendar_sources s WHERE s.kind = NEW.kind AND s.record_id = NEW.record_id
  ON CONFLICT (kind, record_id) DO UPDATE SET
    (event_id, title, description, location, first_at, last_at, timezone, is_visible, is_cancelled) =
      (excluded.event_id, excluded.title, excluded.description, excluded.location, excluded.first_at, excluded.last_at,
       excluded.timezone, excluded.is_visible, 0),
    sequence = sequence + 1, updated_at = excluded.updated_at
   WHERE (event_id, title, description, location, first_at, last_at, timezone, is_visible, is_cancelled) IS NOT
         (excluded.event_id, excluded.title, excluded.description, excluded.location, excluded.first_at,
          excluded.last_at, excluded.timezone, excluded.is_visible, 0);
END;

CREATE TRIGGER calendar_events_insert AFTER INSERT ON events BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('event', NEW.id), ('deadline', NEW.id);
END;
CREATE TRIGGER calendar_events_update AFTER UPDATE ON events BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('event', NEW.id), ('deadline', NEW.id);
END;
CREATE TRIGGER calendar_events_rename AFTER UPDATE OF title, timezone, is_visible ON events
WHEN (OLD.title, OLD.timezone, OLD.is_visible) IS NOT (NEW.title, NEW.timezone, NEW.is_visible) BEGIN
  INSERT INTO calendar_changes (kind, record_id)
  SELECT kind, record_id FROM calendar_entries WHERE event_id = NEW.id AND kind IN ('slot', 'task');
END;
CREATE TRIGGER calendar_events_delete AFTER DELETE ON events BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('event', OLD.id), ('deadline', OLD.id);
END;

CREATE TRIGGER calendar_slots_insert AFTER INSERT ON schedule_slots BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('slot', NEW.id);
END;
CREATE TRIGGER calendar_slots_update AFTER UPDATE ON schedule_slots BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('slot', NEW.id);
END;
CREATE TRIGGER calendar_slots_delete AFTER DELETE ON schedule_slots BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('slot', OLD.id);
END;

CREATE TRIGGER calendar_tasks_insert AFTER INSERT ON tasks BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('task', NEW.id);
END;
CREATE TRIGGER calendar_tasks_update AFTER UPDATE ON tasks BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('task', NEW.id);
END;
-- The entry of a deleted task loses its text, because it can be about a person.
CREATE TRIGGER calendar_tasks_delete AFTER DELETE ON tasks BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('task', OLD.id);
  UPDATE calendar_entries SET title = 'Task', location = NULL WHERE kind = 'task' AND record_id = OLD.id;
END;
