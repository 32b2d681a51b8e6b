-- Schedules: the sessions of an event with their speakers, hosts and attendees.

CREATE TABLE schedule_slots (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id         INTEGER NOT NULL REFERENCES events (id),
  slot_date        TEXT NOT NULL,
  start_time       TEXT NOT NULL,         -- HH:MM in the time zone of the event
  end_time         TEXT NOT NULL,
  starts_at        TEXT NOT NULL,         -- slot_date and start_time as a UTC timestamp
  ends_at          TEXT NOT NULL,
  location         TEXT,
  location_folded  TEXT,                  -- equal for all spellings of one location: finds overlaps by index
  title            TEXT NOT NULL COLLATE NOCASE,
  description      TEXT,
  slot_type        TEXT NOT NULL COLLATE NOCASE,
  is_public        INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  capacity         INTEGER CHECK (capacity >= 0),
  allow_overlap    INTEGER NOT NULL CHECK (allow_overlap IN (0, 1)),
  sort_order       INTEGER NOT NULL,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  CHECK (ends_at > starts_at)
) STRICT;
-- Every list of slots belongs to one event, so that each index for sorting begins with the event.
CREATE INDEX schedule_slots_by_event ON schedule_slots (event_id);
CREATE INDEX schedule_slots_by_time ON schedule_slots (event_id, starts_at);
CREATE INDEX schedule_slots_by_day ON schedule_slots (event_id, slot_date);
CREATE INDEX schedule_slots_by_location ON schedule_slots (event_id, location_folded, starts_at);
CREATE INDEX schedule_slots_by_title ON schedule_slots (event_id, title);
CREATE INDEX schedule_slots_by_type ON schedule_slots (event_id, slot_type);
CREATE INDEX schedule_slots_by_order ON schedule_slots (event_id, sort_order);
CREATE INDEX schedule_slots_by_creation ON schedule_slots (event_id, created_at);
CREATE INDEX schedule_slots_by_update ON schedule_slots (event_id, updated_at);

-- The participants of a slot. The ids keep the order in which the caller listed them.
CREATE TABLE schedule_assignments (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  schedule_slot_id      INTEGER NOT NULL REFERENCES schedule_slots (id) ON DELETE CASCADE,
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  role                  TEXT NOT NULL CHECK (role IN ('speaker', 'host', 'attendee')),
  UNIQUE (schedule_slot_id, event_participant_id, role)
) STRICT;
CREATE INDEX schedule_assignments_by_participant ON schedule_assignments (event_participant_id);
