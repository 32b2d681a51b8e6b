-- Each contact that is probably a duplicate of an older one, which has the same email, phone or name. Triggers keep the
-- table, because finding the duplicates among a million contacts takes a second. Among the contacts that share a value,
-- all but the oldest are duplicates. So if a contact gets a value, the younger of it and the oldest of the others
-- becomes a duplicate; if it loses the value, the same one is none any more. `eventapi check` compares the table with
-- the contacts.

DROP VIEW contact_duplicates;

CREATE TABLE contact_duplicates (
  id        INTEGER PRIMARY KEY,
  by_email  INTEGER NOT NULL DEFAULT 0 CHECK (by_email IN (0, 1)),
  by_phone  INTEGER NOT NULL DEFAULT 0 CHECK (by_phone IN (0, 1)),
  by_name   INTEGER NOT NULL DEFAULT 0 CHECK (by_name IN (0, 1))
) STRICT;

INSERT INTO contact_duplicates (id, by_email, by_phone, by_name)
SELECT id, max(reason = 'email'), max(reason = 'phone'), max(reason = 'name') FROM (
  SELECT c.id, 'email' AS reason
    FROM (SELECT email, min(id) AS first_id FROM contacts WHERE email IS NOT NULL
           GROUP BY email HAVING count(*) > 1) shared
    JOIN contacts c ON c.email = shared.email AND c.id > shared.first_id
  UNION ALL
  SELECT c.id, 'phone' AS reason
    FROM (SELECT folded_phone, min(id) AS first_id FROM contacts WHERE folded_phone IS NOT NULL
           GROUP BY folded_phone HAVING count(*) > 1) shared
    JOIN contacts c ON c.folded_phone = shared.folded_phone AND c.id > shared.first_id
  UNION ALL
  SELECT c.id, 'name' AS reason
    FROM (SELECT folded_name, min(id) AS first_id FROM contacts WHERE folded_name IS NOT NULL
           GROUP BY folded_name HAVING count(*) > 1) shared
    JOIN contacts c ON c.folded_name = shared.folded_name AND c.id > shared.first_id)
 GROUP BY id;

CREATE TRIGGER contact_duplicates_insert AFTER INSERT ON contacts BEGIN
  INSERT INTO contact_duplicates (id, by_email)
  SELECT max(id, NEW.id), 1 FROM contacts WHERE email = NEW.email AND id <> NEW.id ORDER BY id LIMIT 1
  ON CONFLICT DO UPDATE SET by_email = 1;
  INSERT INTO contact_duplicates (id, by_phone)
  SELECT max(id, NEW.id), 1 FROM contacts WHERE folded_phone = NEW.folded_phone AND id <> NEW.id ORDER BY id LIMIT 1
  ON CONFLICT DO UPDATE SET by_phone = 1;
  INSERT INTO contact_duplicates (id, by_name)
  SELECT max(id, NEW.id), 1 FROM contacts WHERE folded_name = NEW.folded_name AND id <> NEW.id ORDER BY id LIMIT 1
  ON CONFLICT DO UPDATE SET by_name = 1;
END;

CREATE TRIGGER contact_duplicates_email AFTER UPDATE OF email ON contacts
WHEN OLD.email IS NOT NEW.email BEGIN
  UPDATE contact_duplicates SET by_email = 0
   WHERE id = (SELECT max(id, OLD.id) FROM contacts WHERE email = OLD.email AND id <> OLD.id
                ORDER BY id LIMIT 1);
  INSERT INTO contact_duplicates (id, by_email)
  SELECT max(id, NEW.id), 1 FROM contacts WHERE email = NEW.email AND id <> NEW.id ORDER BY id LIMIT 1
  ON CONFLICT DO UPDATE SET by_email = 1;
END;

CREATE TRIGGER contact_duplicates_phone AFTER UPDATE OF folded_phone ON contacts
WHEN OLD.folded_phone IS NOT NEW.folded_phone BEGIN
  UPDATE contact_duplicates SET by_phone = 0
   WHERE id = (SELECT max(id, OLD.id) FROM contacts WHERE folded_phone = OLD.folded_phone AND id <> OLD.id
                ORDER BY id LIMIT 1);
  INSERT INTO contact_duplicates (id, by_phone)
  SELECT max(id, NEW.id), 1 FROM contacts WHERE folded_phone = NEW.folded_phone AND id <> NEW.id ORDER BY id LIMIT 1
  ON CONFLICT DO UPDATE SET by_phone = 1;
END;

CREATE TRIGGER contact_duplicates_name AFTER UPDATE OF folded_name ON contacts
WHEN OLD.folded_name IS NOT NEW.folded_name BEGIN
  UPDATE contact_duplicates SET by_name = 0
   WHERE id = (SELECT max(id, OLD.id) FROM contacts WHERE folded_name = OLD.folded_name AND id <> OLD.id
                ORDER BY id LIMIT 1);
  INSERT INTO contact_duplicates (id, by_name)
  SELECT max(id, NEW.id), 1 FROM contacts WHERE folded_name = NEW.folded_name AND id <> NEW.id ORDER BY id LIMIT 1
  ON CONFLICT DO UPDATE SET by_name = 1;
END;

CREATE TRIGGER contact_duplicates_delete AFTER DELETE ON contacts BEGIN
  DELETE FROM contact_duplicates WHERE id = OLD.id;
  UPDATE contact_duplicates SET by_email = 0
   WHERE id = (SELECT max(id, OLD.id) FROM contacts WHERE email = OLD.email AND id <> OLD.id
                ORDER BY id LIMIT 1);
  UPDATE contact_duplicates SET by_phone = 0
   WHERE id = (SELECT max(id, OLD.id) FROM contacts WHERE folded_phone = OLD.folded_phone AND id <> OLD.id
                ORDER BY id LIMIT 1);
  UPDATE contact_duplicates SET by_name = 0
   WHERE id = (SELECT max(id, OLD.id) FROM contacts WHERE folded_name = OLD.folded_name AND id <> OLD.id
                ORDER BY id LIMIT 1);
END;

CREATE TRIGGER contact_duplicates_resolved
AFTER UPDATE ON contact_duplicates WHEN NEW.by_email + NEW.by_phone + NEW.by_name = 0 BEGIN
  DELETE FROM contact_duplicates WHERE id = NEW.id;
END;

-- How many participants each event has, by role, status and category. The totals of lists, `participant_count` and
-- reports are sums of these few rows. Triggers keep them, and `eventapi check` compares them with the participants.

CREATE TABLE participant_counts (
  event_id      INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  role          TEXT NOT NULL,
  status        TEXT NOT NULL,
  category_id   INTEGER NOT NULL,         -- 0 without a category
  participants  INTEGER NOT NULL,
  PRIMARY KEY (event_id, role, status, category_id)
) STRICT, WITHOUT ROWID;

INSERT INTO participant_counts (event_id, role, status, category_id, participants)
SELECT event_id, role, status, coalesce(category_id, 0), count(*) FROM participants GROUP BY 1, 2, 3, 4;

CREATE TRIGGER participant_counts_insert AFTER INSERT ON participants BEGIN
  INSERT INTO participant_counts (event_id, role, status, category_id, participants)
  VALUES (NEW.event_id, NEW.role, NEW.status, coalesce(NEW.category_id, 0), 1)
  ON CONFLICT DO UPDATE SET participants = participants + 1;
END;

CREATE TRIGGER participant_counts_delete AFTER DELETE ON participants BEGIN
  UPDATE participant_counts SET participants = participants - 1
   WHERE event_id = OLD.event_id AND role = OLD.role AND status = OLD.status
     AND category_id = coalesce(OLD.category_id, 0);
END;

CREATE TRIGGER participant_counts_update AFTER UPDATE OF event_id, role, status, category_id ON participants
WHEN (OLD.event_id, OLD.role, OLD.status, OLD.category_id)
     IS NOT (NEW.event_id, NEW.role, NEW.status, NEW.category_id) BEGIN
  UPDATE participant_counts SET participants = participants - 1
   WHERE event_id = OLD.event_id AND role = OLD.role AND status = OLD.status
     AND category_id = coalesce(OLD.category_id, 0);
  INSERT INTO participant_counts (event_id, role, status, category_id, participants)
  VALUES (NEW.event_id, NEW.role, NEW.status, coalesce(NEW.category_id, 0), 1)
  ON CONFLICT DO UPDATE SET participants = participants + 1;
END;
