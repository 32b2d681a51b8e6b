-- The pages of an event for the public, the entries of its exhibitors there, and what tells that a page has changed.

CREATE TABLE event_pages (
  event_id          INTEGER PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
  language          TEXT,                         -- of visitors whose browser names none that is available; NULL: the option
  is_public         INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
  show_directory    INTEGER NOT NULL DEFAULT 1 CHECK (show_directory IN (0, 1)),
  show_plan         INTEGER NOT NULL DEFAULT 0 CHECK (show_plan IN (0, 1)),
  show_programme    INTEGER NOT NULL DEFAULT 1 CHECK (show_programme IN (0, 1)),
  is_indexed        INTEGER NOT NULL DEFAULT 1 CHECK (is_indexed IN (0, 1)),
  texts             TEXT NOT NULL DEFAULT '{}',   -- JSON: name -> language -> text
  accent_color      TEXT,
  contact_email     TEXT,
  contact_phone     TEXT,
  embed_origins     TEXT NOT NULL DEFAULT '[]',   -- JSON: origins of web sites that may show the pages in a frame
  created_at        TEXT NOT NULL,
  updated_at        TEXT NOT NULL
) STRICT;

-- How an exhibitor is shown to the public.
CREATE TABLE profiles (
  participant_id  INTEGER PRIMARY KEY REFERENCES participants (id) ON DELETE CASCADE,
  is_listed       INTEGER CHECK (is_listed IN (0, 1)),        -- NULL: as the role says
  locked          INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  display_name    TEXT,
  texts           TEXT NOT NULL DEFAULT '{}',                 -- JSON: language -> text
  products        TEXT NOT NULL DEFAULT '[]',                 -- JSON
  website         TEXT,
  email           TEXT,
  phone           TEXT,
  links           TEXT NOT NULL DEFAULT '[]',                 -- JSON
  logo_document_id INTEGER REFERENCES documents (id) ON DELETE SET NULL,
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL
) STRICT;
CREATE INDEX profiles_by_logo ON profiles (logo_document_id) WHERE logo_document_id IS NOT NULL;

-- The revision of what the public pages of an event show. Only events with a row of event_pages have one, so that the
-- triggers below cost other events one look into this table.
CREATE TABLE event_revisions (
  event_id  INTEGER PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
  revision  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER event_pages_revision AFTER INSERT ON event_pages BEGIN
  INSERT INTO event_revisions (event_id, revision) VALUES (new.event_id, 1);
END;
CREATE TRIGGER event_pages_changed_on_pages AFTER UPDATE ON event_pages BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;
CREATE TRIGGER events_changed_on_pages AFTER UPDATE ON events BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.id;
END;
CREATE TRIGGER plans_added_on_pages AFTER INSERT ON plans BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;
CREATE TRIGGER plans_changed_on_pages AFTER UPDATE ON plans BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (old.event_id, new.event_id);
END;
CREATE TRIGGER plans_removed_on_pages AFTER DELETE ON plans BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = old.event_id;
END;
CREATE TRIGGER booths_added_on_pages AFTER INSERT ON booths BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;
CREATE TRIGGER booths_changed_on_pages AFTER UPDATE ON booths BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (old.event_id, new.event_id);
END;
CREATE TRIGGER booths_removed_on_pages AFTER DELETE ON booths BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = old.event_id;
END;
CREATE TRIGGER booth_reservations_added_on_pages AFTER INSERT ON booth_reservations BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;
CREATE TRIGGER booth_reservations_changed_on_pages AFTER UPDATE ON booth_reservations BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (old.event_id, new.event_id);
END;
CREATE TRIGGER booth_reservations_removed_on_pages AFTER DELETE ON booth_reservations BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = old.event_id;
END;
CREATE TRIGGER participants_added_on_pages AFTER INSERT ON participants BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;
CREATE TRIGGER participants_changed_on_pages AFTER UPDATE OF event_id, contact_id, role, status, category_id, host_participant_id ON participants BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (old.event_id, new.event_id);
END;
CREATE TRIGGER participants_removed_on_pages AFTER DELETE ON participants BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = old.event_id;
END;
CREATE TRIGGER schedule_slots_added_on_pages AFTER INSERT ON schedule_slots BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;
CREATE TRIGGER schedule_slots_changed_on_pages AFTER UPDATE ON schedule_slots BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (old.event_id, new.event_id);
END;
CREATE TRIGGER schedule_slots_removed_on_pages AFTER DELETE ON schedule_slots BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = old.event_id;
END;
CREATE TRIGGER profiles_added_on_pages AFTER INSERT ON profiles BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = (SELECT event_id FROM participants WHERE id = new.participant_id);
END;
CREATE TRIGGER profiles_changed_on_pages AFTER UPDATE ON profiles BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = (SELECT event_id FROM participants WHERE id = new.participant_id);
END;
CREATE TRIGGER profiles_removed_on_pages AFTER DELETE ON profiles BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = (SELECT event_id FROM participants WHERE id = old.participant_id);
END;
CREATE TRIGGER schedule_assignments_added_on_pages AFTER INSERT ON schedule_assignments BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = (SELECT event_id FROM participants WHERE id = new.event_participant_id);
END;
CREATE TRIGGER schedule_assignments_changed_on_pages AFTER UPDATE ON schedule_assignments BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = (SELECT event_id FROM participants WHERE id = new.event_participant_id);
END;
CREATE TRIGGER schedule_assignments_removed_on_pages AFTER DELETE ON schedule_assignments BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = (SELECT event_id FROM participants WHERE id = old.event_participant_id);
END;
CREATE TRIGGER contacts_changed_on_pages AFTER UPDATE OF company_name, city, country, anonymized_at ON contacts BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (SELECT event_id FROM participants WHERE contact_id = new.id);
END;
CREATE TRIGGER categories_changed_on_pages AFTER UPDATE OF title, category_key, is_visible ON categories BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (SELECT event_id FROM event_pages);
END;
CREATE TRIGGER booth_types_changed_on_pages AFTER UPDATE OF booth_type_name, color ON booth_types BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (SELECT event_id FROM event_pages);
END;

INSERT INTO flags (name) VALUES ('pages');
