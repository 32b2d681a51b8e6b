-- The place of an event: its name, and its street and number.
ALTER TABLE events ADD COLUMN venue TEXT;
ALTER TABLE events ADD COLUMN address TEXT;
ALTER TABLE events ADD COLUMN postal_code TEXT;

-- The calendar shows the place of an event and the speakers of a slot.
ALTER TABLE calendar_entries ADD COLUMN speakers TEXT;         -- JSON list of ids of participants; NULL: none
DROP VIEW calendar_sources;
CREATE VIEW calendar_sources
  (kind, record_id, event_id, title, description, location, first_at, last_at, timezone, is_visible, speakers) AS
SELECT 'event', id, id, title, substr(description, 1, 2000),
       ifnull(venue || ', ', '') || ifnull(address || ', ', '') || ifnull(postal_code || iif(city IS NULL, ', ', ' '), '') ||
       ifnull(city || ', ', '') || country, date_from_at,
       coalesce(date_to_at, iif(length(date_from) = 10, over_at, date_from_at)), timezone, is_visible, NULL
  FROM events WHERE date_from_at IS NOT NULL
 UNION ALL
SELECT 'deadline', id, id, 'Application deadline: ' || title, NULL, NULL, application_deadline_at,
       application_deadline_at, timezone, is_visible, NULL
  FROM events WHERE application_deadline_at IS NOT NULL
 UNION ALL
SELECT 'slot', s.id, s.event_id, s.title, substr(s.description, 1, 2000),
       ifnull(s.location || ', ', '') || e.title || ifnull(', ' || e.venue, ''), s.starts_at, s.ends_at, e.timezone, e.is_visible,
       (SELECT nullif(json_group_array(event_participant_id), '[]')
          FROM (SELECT event_participant_id FROM schedule_assignments
                 WHERE schedule_slot_id = s.id AND role = 'speaker' ORDER BY id))
  FROM schedule_slots s JOIN events e ON e.id = s.event_id WHERE s.is_public = 1
 UNION ALL
SELECT 'task', t.id, t.event_id, iif(t.status = 'completed', '✓ ', '') || t.title, NULL, e.title, t.due_at, t.due_at,
       e.timezone, e.is_visible, NULL
  FROM tasks t LEFT JOIN events e ON e.id = t.event_id WHERE t.due_at IS NOT NULL AND t.status <> 'cancelled';

DROP TRIGGER calendar_changes_insert;
CREATE TRIGGER calendar_changes_insert INSTEAD OF INSERT ON calendar_changes BEGIN
  UPDATE calendar_entries
     SET is_cancelled = 1, sequence = sequence + 1, updated_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
   WHERE kind = NEW.kind AND record_id = NEW.record_id AND is_cancelled = 0
     AND NOT EXISTS (SELECT 1 FROM calendar_sources s WHERE s.kind = NEW.kind AND s.record_id = NEW.record_id);
  INSERT INTO calendar_entries (kind, record_id, event_id, title, description, location, first_at, last_at, timezone,
    is_visible, speakers, created_at, updated_at)
  SELECT s.kind, s.record_id, s.event_id, s.title, s.description, s.location, s.first_at, s.last_at, s.timezone,
         s.is_visible, s.speakers, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
    FROM calendar_sources s WHERE s.kind = NEW.kind AND s.record_id = NEW.record_id
  ON CONFLICT (kind, record_id) DO UPDATE SET
    (event_id, title, description, location, first_at, last_at, timezone, is_visible, speakers, is_cancelled) =
      (excluded.event_id, excluded.title, excluded.description, excluded.location, excluded.first_at, excluded.last_at,
       excluded.timezone, excluded.is_visible, excluded.speakers, 0),
    sequence = sequence + 1, updated_at = excluded.updated_at
   WHERE (event_id, title, description, location, first_at, last_at, timezone, is_visible, speakers, is_cancelled) IS NOT
         (excluded.event_id, excluded.title, excluded.description, excluded.location, excluded.first_at,
          excluded.last_at, excluded.timezone, excluded.is_visible, excluded.speakers, 0);
END;

DROP TRIGGER calendar_events_rename;
CREATE TRIGGER calendar_events_rename AFTER UPDATE OF title, venue, timezone, is_visible ON events
WHEN (OLD.title, OLD.venue, OLD.timezone, OLD.is_visible) IS NOT (NEW.title, NEW.venue, NEW.timezone, NEW.is_visible) BEGIN
  INSERT INTO calendar_changes (kind, record_id)
  SELECT kind, record_id FROM calendar_entries WHERE event_id = NEW.id AND kind IN ('slot', 'task');
END;

CREATE TRIGGER calendar_speakers_insert AFTER INSERT ON schedule_assignments WHEN NEW.role = 'speaker' BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('slot', NEW.schedule_slot_id);
END;
CREATE TRIGGER calendar_speakers_update AFTER UPDATE OF event_participant_id ON schedule_assignments WHEN NEW.role = 'speaker' BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('slot', NEW.schedule_slot_id);
END;
CREATE TRIGGER calendar_speakers_delete AFTER DELETE ON schedule_assignments WHEN OLD.role = 'speaker' BEGIN
  INSERT INTO calendar_changes (kind, record_id) VALUES ('slot', OLD.schedule_slot_id);
END;
INSERT INTO calendar_changes (kind, record_id)
SELECT DISTINCT 'slot', schedule_slot_id FROM schedule_assignments WHERE role = 'speaker';

-- Search of participants by the words of the person, the company and the badge. The number of a badge is printed in
-- groups of four characters, so each group is a word.
ALTER TABLE participants ADD COLUMN badge_name_folded TEXT;
UPDATE participants SET badge_name_folded = fold(badge_name) WHERE badge_name IS NOT NULL;
CREATE VIEW participants_searched
  (id, company_name_folded, first_name_folded, last_name_folded, customer_number_folded, badge_name_folded, badge_number) AS
SELECT p.id, c.company_name_folded, c.first_name_folded, c.last_name_folded, c.customer_number_folded, p.badge_name_folded,
       p.badge_number || ' ' || substr(p.badge_number, 5, 4) || ' ' || substr(p.badge_number, 9)
  FROM participants p JOIN contacts c ON c.id = p.contact_id;
CREATE VIRTUAL TABLE participants_search USING fts5 (company_name_folded, first_name_folded, last_name_folded,
  customer_number_folded, badge_name_folded, badge_number, content = 'participants_searched', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER participants_search_insert AFTER INSERT ON participants BEGIN
  INSERT INTO participants_search (rowid, company_name_folded, first_name_folded, last_name_folded, customer_number_folded,
    badge_name_folded, badge_number)
  SELECT * FROM participants_searched WHERE id = NEW.id;
END;
CREATE TRIGGER participants_search_delete BEFORE DELETE ON participants BEGIN
  INSERT INTO participants_search (participants_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    customer_number_folded, badge_name_folded, badge_number)
  SELECT 'delete', * FROM participants_searched WHERE id = OLD.id;
END;
CREATE TRIGGER participants_search_before_update BEFORE UPDATE OF contact_id, badge_name_folded, badge_number ON participants
WHEN (OLD.contact_id, OLD.badge_name_folded, OLD.badge_number) IS NOT (NEW.contact_id, NEW.badge_name_folded, NEW.badge_number) BEGIN
  INSERT INTO participants_search (participants_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    customer_number_folded, badge_name_folded, badge_number)
  SELECT 'delete', * FROM participants_searched WHERE id = OLD.id;
END;
CREATE TRIGGER participants_search_after_update AFTER UPDATE OF contact_id, badge_name_folded, badge_number ON participants
WHEN (OLD.contact_id, OLD.badge_name_folded, OLD.badge_number) IS NOT (NEW.contact_id, NEW.badge_name_folded, NEW.badge_number) BEGIN
  INSERT INTO participants_search (rowid, company_name_folded, first_name_folded, last_name_folded, customer_number_folded,
    badge_name_folded, badge_number)
  SELECT * FROM participants_searched WHERE id = NEW.id;
END;
CREATE TRIGGER participants_search_before_rename
BEFORE UPDATE OF company_name_folded, first_name_folded, last_name_folded, customer_number_folded ON contacts
WHEN (OLD.company_name_folded, OLD.first_name_folded, OLD.last_name_folded, OLD.customer_number_folded) IS NOT
     (NEW.company_name_folded, NEW.first_name_folded, NEW.last_name_folded, NEW.customer_number_folded) BEGIN
  INSERT INTO participants_search (participants_search, rowid, company_name_folded, first_name_folded, last_name_folded,
    customer_number_folded, badge_name_folded, badge_number)
  SELECT 'delete', s.* FROM participants p JOIN participants_searched s ON s.id = p.id WHERE p.contact_id = OLD.id;
END;
CREATE TRIGGER participants_search_after_rename
AFTER UPDATE OF company_name_folded, first_name_folded, last_name_folded, customer_number_folded ON contacts
WHEN (OLD.company_name_folded, OLD.first_name_folded, OLD.last_name_folded, OLD.customer_number_folded) IS NOT
     (NEW.company_name_folded, NEW.first_name_folded, NEW.last_name_folded, NEW.customer_number_folded) BEGIN
  INSERT INTO participants_search (rowid, company_name_folded, first_name_folded, last_name_folded, customer_number_folded,
    badge_name_folded, badge_number)
  SELECT s.* FROM participants p JOIN participants_searched s ON s.id = p.id WHERE p.contact_id = NEW.id;
END;
INSERT INTO participants_search (participants_search) VALUES ('rebuild');

-- A key of a form may send the fields of applications that are editable. Until now it could send all of them.
UPDATE custom_field_definitions SET applicant_visibility = 'editable'
 WHERE entity_type = 'application' AND applicant_visibility = 'hidden';

-- The exhibitor or sponsor with whom a co-exhibitor or a member of staff takes part.
ALTER TABLE participants ADD COLUMN host_participant_id INTEGER REFERENCES participants (id);
CREATE INDEX participants_by_host ON participants (host_participant_id) WHERE host_participant_id IS NOT NULL;
