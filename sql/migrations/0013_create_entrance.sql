-- Entrance: scans, visits (check-ins), live figures, and the list of participants that devices download.

-- One row is one visit. The visits of a participant on a day follow from the scans of that day, in whatever order they
-- arrive.
CREATE TABLE check_ins (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id              INTEGER NOT NULL REFERENCES events (id),
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  day                   TEXT NOT NULL,                    -- date in the time zone of the event
  check_in_type         TEXT NOT NULL CHECK (check_in_type IN ('manual', 'scan', 'app')),
  badge_number          TEXT,
  station               TEXT,
  notes                 TEXT,
  client_ref            TEXT,
  checked_in_at         TEXT NOT NULL,
  ends_at               TEXT NOT NULL,                    -- for an open visit, the end of its day
  closed_by             TEXT CHECK (closed_by IN ('check_out', 'force')),      -- force: by a forced check-in
  admin_id              INTEGER REFERENCES admins (id),
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL
) STRICT;
CREATE INDEX check_ins_by_event ON check_ins (event_id);
CREATE INDEX check_ins_by_participant ON check_ins (event_participant_id, day);
CREATE INDEX check_ins_by_station ON check_ins (station);
CREATE INDEX check_ins_by_day ON check_ins (day);
CREATE INDEX check_ins_by_beginning ON check_ins (checked_in_at);
CREATE INDEX check_ins_by_event_and_beginning ON check_ins (event_id, checked_in_at);
CREATE INDEX check_ins_by_end ON check_ins (ends_at);
CREATE INDEX check_ins_by_event_and_end ON check_ins (event_id, ends_at);
CREATE INDEX check_ins_by_update ON check_ins (updated_at);

-- Everything that devices sent, including refused scans.
CREATE TABLE check_in_scans (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id              INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  event_participant_id  INTEGER REFERENCES participants (id) ON DELETE CASCADE,      -- NULL: unknown badge
  day                   TEXT NOT NULL,                    -- date in the time zone of the event
  action                TEXT NOT NULL CHECK (action IN ('check_in', 'check_out')),
  check_in_type         TEXT NOT NULL CHECK (check_in_type IN ('manual', 'scan', 'app')),
  badge_number          TEXT,
  station               TEXT,
  notes                 TEXT,
  client_ref            TEXT UNIQUE,
  scanned_at            TEXT NOT NULL,
  is_live               INTEGER NOT NULL CHECK (is_live IN (0, 1)),      -- sent without a timestamp
  force                 INTEGER NOT NULL CHECK (force IN (0, 1)),
  effect                TEXT CHECK (effect IN ('opened', 'closed', 'repeated')),     -- NULL: refused
  code                  TEXT,                             -- why it was refused
  check_in_id           INTEGER,                          -- the visit it belongs to
  admin_id              INTEGER REFERENCES admins (id),
  taken_back_at         TEXT,
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL
) STRICT;
CREATE INDEX check_in_scans_by_participant ON check_in_scans (event_participant_id, day);
CREATE INDEX check_in_scans_by_event ON check_in_scans (event_id);
-- Lists show only refused scans. Few scans are refused, so that these partial indexes stay small.
CREATE INDEX check_in_refusals ON check_in_scans (id) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_scan ON check_in_scans (scanned_at) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_event ON check_in_scans (event_id) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_code ON check_in_scans (code) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_station ON check_in_scans (station) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_day ON check_in_scans (day) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_badge ON check_in_scans (badge_number) WHERE code IS NOT NULL;
CREATE INDEX check_in_refusals_by_update ON check_in_scans (updated_at) WHERE code IS NOT NULL;

-- Live figures. Triggers update them with each visit, because many stations poll them.

CREATE TABLE check_in_counts (
  event_id    INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  day         TEXT NOT NULL,
  station     TEXT NOT NULL,                              -- '' if none was sent
  hour        TEXT NOT NULL,                              -- UTC timestamp of its beginning
  check_ins   INTEGER NOT NULL DEFAULT 0,
  check_outs  INTEGER NOT NULL DEFAULT 0,
  ends        INTEGER NOT NULL DEFAULT 0,                 -- check-outs and visits closed by force
  PRIMARY KEY (event_id, day, station, hour)
) STRICT, WITHOUT ROWID;

-- Number of different participants that visited.
CREATE TABLE check_in_visitors (
  event_id    INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  day         TEXT NOT NULL,                              -- '': the whole event
  visitors    INTEGER NOT NULL,
  PRIMARY KEY (event_id, day)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER check_ins_count_insert AFTER INSERT ON check_ins BEGIN
  INSERT INTO check_in_counts (event_id, day, station, hour, check_ins, check_outs, ends)
  SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.checked_in_at, 1, 13) || ':00:00Z', 1, 0, 0
   UNION ALL SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.ends_at, 1, 13) || ':00:00Z', 0,
                    NEW.closed_by = 'check_out', 1 WHERE NEW.closed_by IS NOT NULL
  ON CONFLICT DO UPDATE SET check_ins = check_ins + excluded.check_ins, check_outs = check_outs + excluded.check_outs,
                            ends = ends + excluded.ends;
  INSERT INTO check_in_visitors (event_id, day, visitors)
  SELECT NEW.event_id, NEW.day, 1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = NEW.event_participant_id AND day = NEW.day
                                               AND id <> NEW.id)
   UNION ALL SELECT NEW.event_id, '', 1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = NEW.event_participant_id AND id <> NEW.id)
  ON CONFLICT DO UPDATE SET visitors = visitors + excluded.visitors;
END;

CREATE TRIGGER check_ins_count_delete AFTER DELETE ON check_ins BEGIN
  INSERT INTO check_in_counts (event_id, day, station, hour, check_ins, check_outs, ends)
  SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.checked_in_at, 1, 13) || ':00:00Z', -1, 0, 0
   UNION ALL SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.ends_at, 1, 13) || ':00:00Z', 0,
                    -(OLD.closed_by = 'check_out'), -1 WHERE OLD.closed_by IS NOT NULL
  ON CONFLICT DO UPDATE SET check_ins = check_ins + excluded.check_ins, check_outs = check_outs + excluded.check_outs,
                            ends = ends + excluded.ends;
  INSERT INTO check_in_visitors (event_id, day, visitors)
  SELECT OLD.event_id, OLD.day, -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id AND day = OLD.day)
   UNION ALL SELECT OLD.event_id, '', -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id)
  ON CONFLICT DO UPDATE SET visitors = visitors + excluded.visitors;
END;

CREATE TRIGGER check_ins_count_update AFTER UPDATE OF station, checked_in_at, ends_at, closed_by ON check_ins BEGIN
  INSERT INTO check_in_counts (event_id, day, station, hour, check_ins, check_outs, ends)
  SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.checked_in_at, 1, 13) || ':00:00Z', -1, 0, 0
   UNION ALL SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.ends_at, 1, 13) || ':00:00Z', 0,
                    -(OLD.closed_by = 'check_out'), -1 WHERE OLD.closed_by IS NOT NULL
   UNION ALL SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.checked_in_at, 1, 13) || ':00:00Z',
                    1, 0, 0
   UNION ALL SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.ends_at, 1, 13) || ':00:00Z', 0,
                    NEW.closed_by = 'check_out', 1 WHERE NEW.closed_by IS NOT NULL
  ON CONFLICT DO UPDATE SET check_ins = check_ins + excluded.check_ins, check_outs = check_outs + excluded.check_outs,
                            ends = ends + excluded.ends;
END;

CREATE TRIGGER check_ins_visitors_update AFTER UPDATE OF event_participant_id ON check_ins BEGIN
  INSERT INTO check_in_visitors (event_id, day, visitors)
  SELECT OLD.event_id, OLD.day, -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id AND day = OLD.day)
   UNION ALL SELECT OLD.event_id, '', -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id)
   UNION ALL SELECT NEW.event_id, NEW.day, 1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = NEW.event_participant_id AND day = NEW.day
                                               AND id <> NEW.id)
   UNION ALL SELECT NEW.event_id, '', 1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = NEW.event_participant_id AND id <> NEW.id)
  ON CONFLICT DO UPDATE SET visitors = visitors + excluded.visitors;
END;

-- The roster of an event: the list of participants that devices download. The badge numbers in it are hashed with the
-- salt. The revision changes with every change of a participant.
CREATE TABLE check_in_rosters (
  event_id  INTEGER PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
  salt      TEXT NOT NULL,
  revision  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TRIGGER check_in_rosters_insert AFTER INSERT ON events BEGIN
  INSERT INTO check_in_rosters (event_id, salt) VALUES (NEW.id, lower(hex(randomblob(16))));
END;
CREATE TRIGGER check_in_rosters_participant_insert AFTER INSERT ON participants BEGIN
  UPDATE check_in_rosters SET revision = revision + 1 WHERE event_id = NEW.event_id;
END;
CREATE TRIGGER check_in_rosters_participant_delete AFTER DELETE ON participants BEGIN
  UPDATE check_in_rosters SET revision = revision + 1 WHERE event_id = OLD.event_id;
END;
CREATE TRIGGER check_in_rosters_participant_update AFTER UPDATE ON participants BEGIN
  UPDATE check_in_rosters SET revision = revision + 1 WHERE event_id IN (OLD.event_id, NEW.event_id);
END;
