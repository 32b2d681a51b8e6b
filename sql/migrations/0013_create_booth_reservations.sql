-- Reservations of booths. That a booth is sold once is decided by the first index.

CREATE TABLE booth_reservations (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  booth_id              INTEGER NOT NULL REFERENCES booths (id),
  event_id              INTEGER NOT NULL REFERENCES events (id),        -- the booth's
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  status                TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'cancelled', 'expired', 'waitlisted')),
  booth_number          TEXT COLLATE NOCASE,          -- the booth's, kept by the triggers: to sort by
  final_price           INTEGER,                      -- minor units; null while waiting in line, unless it was negotiated
  is_negotiated         INTEGER NOT NULL DEFAULT 0 CHECK (is_negotiated IN (0, 1)),       -- given, not computed
  tax_rate              INTEGER,                      -- hundredths of a percent, frozen with the price
  price_breakdown       TEXT,                         -- JSON, frozen with the price
  notes                 TEXT,
  cancellation_reason   TEXT,
  reserved_at           TEXT,
  expires_at            TEXT,                         -- of a pending one
  confirmed_at          TEXT,
  cancelled_at          TEXT,
  created_by            INTEGER REFERENCES admins (id),
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL,
  CHECK ((status = 'pending') <= (expires_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX booth_reservations_live ON booth_reservations (booth_id) WHERE status IN ('pending', 'confirmed');
CREATE UNIQUE INDEX booth_reservations_in_line ON booth_reservations (booth_id, event_participant_id) WHERE status = 'waitlisted';
CREATE INDEX booth_reservations_by_expiry ON booth_reservations (expires_at) WHERE status = 'pending';
CREATE INDEX booth_reservations_by_booth ON booth_reservations (booth_id, status);
CREATE INDEX booth_reservations_by_event ON booth_reservations (event_id);
CREATE INDEX booth_reservations_by_participant ON booth_reservations (event_participant_id);
CREATE INDEX booth_reservations_by_status ON booth_reservations (status);
CREATE INDEX booth_reservations_by_number ON booth_reservations (booth_number);
CREATE INDEX booth_reservations_by_moment ON booth_reservations (reserved_at);
CREATE INDEX booth_reservations_by_price ON booth_reservations (final_price);
CREATE INDEX booth_reservations_by_update ON booth_reservations (updated_at);
CREATE TRIGGER booth_reservations_insert AFTER INSERT ON booth_reservations BEGIN
  UPDATE booth_reservations SET booth_number = (SELECT booth_number FROM booths WHERE id = NEW.booth_id) WHERE id = NEW.id;
END;
CREATE TRIGGER booth_reservations_move AFTER UPDATE OF booth_id ON booth_reservations WHEN NEW.booth_id <> OLD.booth_id BEGIN
  UPDATE booth_reservations SET booth_number = (SELECT booth_number FROM booths WHERE id = NEW.booth_id) WHERE id = NEW.id;
END;
CREATE TRIGGER booth_reservations_follow AFTER UPDATE OF booth_number ON booths BEGIN
  UPDATE booth_reservations SET booth_number = NEW.booth_number WHERE booth_id = NEW.id;
END;
