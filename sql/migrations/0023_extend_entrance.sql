-- The entrance: days that end after midnight.

-- Local time (HH:MM) at which the visits of the day before end.
ALTER TABLE events ADD COLUMN day_ends_at TEXT NOT NULL DEFAULT '06:00';

-- The first day_ends_at after the check-in: the visit ends by then. Visits from one such time to the next are computed
-- together. `day` is the calendar day of the check-in in the time zone of the event.
ALTER TABLE check_ins ADD COLUMN latest_end_at TEXT NOT NULL DEFAULT '';

-- The triggers of the live figures would run for each row that is converted.
DROP TRIGGER check_ins_count_insert;
DROP TRIGGER check_ins_count_delete;
DROP TRIGGER check_ins_count_update;
DROP TRIGGER check_ins_visitors_update;

UPDATE check_ins SET latest_end_at = day_end(checked_in_at, '06:00', (SELECT timezone FROM events WHERE id = event_id));
-- Until now, a visit ended at midnight. Visits of the current day end with it. If the badge was scanned again after
-- midnight, the visit of the evening ended with that scan.
UPDATE check_ins AS k
   SET ends_at = coalesce((SELECT min(n.checked_in_at) FROM check_ins n WHERE n.event_participant_id = k.event_participant_id
                              AND n.latest_end_at = k.latest_end_at AND n.checked_in_at > k.checked_in_at), k.latest_end_at),
       closed_by = (SELECT 'force' FROM check_ins n WHERE n.event_participant_id = k.event_participant_id
                       AND n.latest_end_at = k.latest_end_at AND n.checked_in_at > k.checked_in_at),
       updated_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
 WHERE closed_by IS NULL AND latest_end_at > strftime('%Y-%m-%dT%H:%M:%SZ', 'now');

-- The scans of a participant are read from one end of a day to the next.
DROP INDEX check_in_scans_by_participant;
CREATE INDEX check_in_scans_by_participant ON check_in_scans (event_participant_id, scanned_at);

-- The live figures by the end of the day as well: an evening and the night after it are one day.
DROP TABLE check_in_counts;
CREATE TABLE check_in_counts (
  event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  day            TEXT NOT NULL,                           -- of the check-in
  station        TEXT NOT NULL,                           -- '' if none was sent
  hour           TEXT NOT NULL,                           -- UTC timestamp of its beginning
  latest_end_at  TEXT NOT NULL,
  check_ins      INTEGER NOT NULL DEFAULT 0,
  check_outs     INTEGER NOT NULL DEFAULT 0,
  ends           INTEGER NOT NULL DEFAULT 0,              -- check-outs and visits closed by force
  PRIMARY KEY (event_id, day, station, hour, latest_end_at)
) STRICT, WITHOUT ROWID;
INSERT INTO check_in_counts (event_id, day, station, hour, latest_end_at, check_ins, check_outs, ends)
SELECT event_id, day, station, hour, latest_end_at, sum(i), sum(o), sum(e) FROM (
  SELECT event_id, day, coalesce(station, '') AS station, substr(checked_in_at, 1, 13) || ':00:00Z' AS hour, latest_end_at,
         1 AS i, 0 AS o, 0 AS e FROM check_ins
   UNION ALL SELECT event_id, day, coalesce(station, ''), substr(ends_at, 1, 13) || ':00:00Z', latest_end_at,
         0, closed_by = 'check_out', 1 FROM check_ins WHERE closed_by IS NOT NULL)
 GROUP BY event_id, day, station, hour, latest_end_at;

CREATE TRIGGER check_ins_count_insert AFTER INSERT ON check_ins BEGIN
  INSERT INTO check_in_counts (event_id, day, station, hour, latest_end_at, check_ins, check_outs, ends)
  SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.checked_in_at, 1, 13) || ':00:00Z',
         NEW.latest_end_at, 1, 0, 0
   UNION ALL SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.ends_at, 1, 13) || ':00:00Z',
                    NEW.latest_end_at, 0, NEW.closed_by = 'check_out', 1 WHERE NEW.closed_by IS NOT NULL
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
  INSERT INTO check_in_counts (event_id, day, station, hour, latest_end_at, check_ins, check_outs, ends)
  SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.checked_in_at, 1, 13) || ':00:00Z',
         OLD.latest_end_at, -1, 0, 0
   UNION ALL SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.ends_at, 1, 13) || ':00:00Z',
                    OLD.latest_end_at, 0, -(OLD.closed_by = 'check_out'), -1 WHERE OLD.closed_by IS NOT NULL
  ON CONFLICT DO UPDATE SET check_ins = check_ins + excluded.check_ins, check_outs = check_outs + excluded.check_outs,
                            ends = ends + excluded.ends;
  INSERT INTO check_in_visitors (event_id, day, visitors)
  SELECT OLD.event_id, OLD.day, -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id AND day = OLD.day)
   UNION ALL SELECT OLD.event_id, '', -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id)
  ON CONFLICT DO UPDATE SET visitors = visitors + excluded.visitors;
END;

CREATE TRIGGER check_ins_count_update AFTER UPDATE OF day, station, checked_in_at, ends_at, closed_by ON check_ins BEGIN
  INSERT INTO check_in_counts (event_id, day, station, hour, latest_end_at, check_ins, check_outs, ends)
  SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.checked_in_at, 1, 13) || ':00:00Z',
         OLD.latest_end_at, -1, 0, 0
   UNION ALL SELECT OLD.event_id, OLD.day, coalesce(OLD.station, ''), substr(OLD.ends_at, 1, 13) || ':00:00Z',
                    OLD.latest_end_at, 0, -(OLD.closed_by = 'check_out'), -1 WHERE OLD.closed_by IS NOT NULL
   UNION ALL SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.checked_in_at, 1, 13) || ':00:00Z',
                    NEW.latest_end_at, 1, 0, 0
   UNION ALL SELECT NEW.event_id, NEW.day, coalesce(NEW.station, ''), substr(NEW.ends_at, 1, 13) || ':00:00Z',
                    NEW.latest_end_at, 0, NEW.closed_by = 'check_out', 1 WHERE NEW.closed_by IS NOT NULL
  ON CONFLICT DO UPDATE SET check_ins = check_ins + excluded.check_ins, check_outs = check_outs + excluded.check_outs,
                            ends = ends + excluded.ends;
END;

-- An earlier scan that arrives late can move a visit from the night to the evening before, another calendar day.
CREATE TRIGGER check_ins_visitors_update AFTER UPDATE OF event_participant_id, day ON check_ins
WHEN (OLD.event_participant_id, OLD.day) IS NOT (NEW.event_participant_id, NEW.day) BEGIN
  INSERT INTO check_in_visitors (event_id, day, visitors)
  SELECT OLD.event_id, OLD.day, -1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id AND day = OLD.day)
   UNION ALL SELECT OLD.event_id, '', -1
   WHERE OLD.event_participant_id <> NEW.event_participant_id
     AND NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = OLD.event_participant_id)
   UNION ALL SELECT NEW.event_id, NEW.day, 1
   WHERE NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = NEW.event_participant_id AND day = NEW.day
                                               AND id <> NEW.id)
   UNION ALL SELECT NEW.event_id, '', 1
   WHERE OLD.event_participant_id <> NEW.event_participant_id
     AND NOT EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = NEW.event_participant_id AND id <> NEW.id)
  ON CONFLICT DO UPDATE SET visitors = visitors + excluded.visitors;
END;

-- Further badge numbers of participants. The number of a participant that a merge of contacts removed stays valid as an
-- alias (replaced_at is NULL). When a badge is replaced, its number and its aliases are refused from then on.
CREATE TABLE badge_aliases (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  badge_number          TEXT NOT NULL UNIQUE,             -- never the badge_number of a participant
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id) ON DELETE CASCADE,
  replaced_at           TEXT,
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL
) STRICT;
CREATE INDEX badge_aliases_by_participant ON badge_aliases (event_participant_id);
CREATE TRIGGER check_in_rosters_alias_insert AFTER INSERT ON badge_aliases BEGIN
  UPDATE check_in_rosters SET revision = revision + 1
   WHERE event_id = (SELECT event_id FROM participants WHERE id = NEW.event_participant_id);
END;
CREATE TRIGGER check_in_rosters_alias_update AFTER UPDATE ON badge_aliases BEGIN
  UPDATE check_in_rosters SET revision = revision + 1
   WHERE event_id = (SELECT event_id FROM participants WHERE id = NEW.event_participant_id);
END;

-- Merges of contacts have removed participants whose badges may be printed. The audit entries of the request that
-- merged the contacts still have their numbers.
INSERT OR IGNORE INTO badge_aliases (badge_number, event_participant_id, created_at, updated_at)
SELECT l.old_values ->> '$.badge_number', p.id, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
  FROM audit_log g JOIN audit_log l ON l.request_id = g.request_id
  JOIN merged_contacts m ON m.duplicate_id = g.new_values ->> '$.merged_contact_id'
  JOIN participants p ON p.contact_id = m.contact_id AND p.event_id = l.old_values ->> '$.event_id'
                     AND p.role = l.old_values ->> '$.role'
 WHERE g.entity_type = 'contact' AND g.action = 'merged' AND l.entity_type = 'event_participant' AND l.action = 'deleted'
   AND l.old_values ->> '$.contact_id' = m.duplicate_id
   AND l.old_values ->> '$.badge_number' NOT IN (SELECT badge_number FROM participants);

-- The contact that a subscriber belongs to after a merge, although it has another address. NULL: the oldest contact
-- with the address of the subscriber.
ALTER TABLE newsletter_subscribers ADD COLUMN contact_id INTEGER REFERENCES contacts (id) ON DELETE SET NULL;
CREATE INDEX newsletter_subscribers_by_contact ON newsletter_subscribers (contact_id) WHERE contact_id IS NOT NULL;

-- When the participation was cancelled: a scan that was made before it counts, whenever it arrives.
ALTER TABLE participants ADD COLUMN cancelled_at TEXT;
UPDATE participants
   SET cancelled_at = coalesce((SELECT max(created_at) FROM audit_log WHERE entity_type = 'event_participant'
                                   AND entity_id = participants.id AND action = 'cancelled'), updated_at)
 WHERE status = 'cancelled';
