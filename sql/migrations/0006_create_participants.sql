-- Participants: a contact takes part in an event, in one role.

CREATE TABLE participants (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id        INTEGER NOT NULL REFERENCES events (id),
  contact_id      INTEGER NOT NULL REFERENCES contacts (id),
  role            TEXT NOT NULL CHECK (role IN ('exhibitor', 'co_exhibitor', 'sponsor', 'speaker', 'visitor', 'press', 'staff')),
  status          TEXT NOT NULL DEFAULT 'registered' CHECK (status IN ('registered', 'confirmed', 'cancelled')),
  is_confirmed    INTEGER NOT NULL GENERATED ALWAYS AS (status = 'confirmed') STORED,    -- for its indexes
  category_id     INTEGER REFERENCES categories (id),
  badge_name      TEXT,
  badge_number    TEXT NOT NULL UNIQUE,
  application_id  INTEGER REFERENCES applications (id),
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL,
  UNIQUE (event_id, contact_id, role)
) STRICT;
CREATE INDEX participants_by_event ON participants (event_id);
CREATE INDEX participants_by_contact ON participants (contact_id);
CREATE INDEX participants_by_category ON participants (category_id);
CREATE INDEX participants_by_application ON participants (application_id);
CREATE INDEX participants_by_event_and_status ON participants (event_id, status);
CREATE INDEX participants_by_event_and_confirmation ON participants (event_id, is_confirmed);
CREATE INDEX participants_by_event_and_role ON participants (event_id, role);
CREATE INDEX participants_by_status ON participants (status);
CREATE INDEX participants_by_confirmation ON participants (is_confirmed);
CREATE INDEX participants_by_role ON participants (role);
CREATE INDEX participants_by_update ON participants (updated_at);
