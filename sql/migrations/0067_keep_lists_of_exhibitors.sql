-- A hold of a booth changes the plan and no list of exhibitors. So pages without a plan are not drawn again for it:
-- `halls` is raised by every change of a booth, `revision` only by those that the lists show.

ALTER TABLE event_revisions ADD COLUMN halls INTEGER NOT NULL DEFAULT 1;

DROP TRIGGER booths_added_on_pages;
CREATE TRIGGER booths_added_on_pages AFTER INSERT ON booths BEGIN
  UPDATE event_revisions SET halls = halls + 1 WHERE event_id = new.event_id;
END;

DROP TRIGGER booths_changed_on_pages;
CREATE TRIGGER booths_changed_on_pages AFTER UPDATE ON booths BEGIN
  UPDATE event_revisions
     SET halls = halls + 1, revision = revision + (old.booth_number IS NOT new.booth_number OR old.plan_id IS NOT new.plan_id)
   WHERE event_id IN (old.event_id, new.event_id);
END;

DROP TRIGGER booths_removed_on_pages;
CREATE TRIGGER booths_removed_on_pages AFTER DELETE ON booths BEGIN
  UPDATE event_revisions SET halls = halls + 1 WHERE event_id = old.event_id;
END;

DROP TRIGGER booth_reservations_added_on_pages;
CREATE TRIGGER booth_reservations_added_on_pages AFTER INSERT ON booth_reservations BEGIN
  UPDATE event_revisions SET halls = halls + 1, revision = revision + (new.status = 'confirmed') WHERE event_id = new.event_id;
END;

DROP TRIGGER booth_reservations_changed_on_pages;
CREATE TRIGGER booth_reservations_changed_on_pages AFTER UPDATE ON booth_reservations BEGIN
  UPDATE event_revisions SET halls = halls + 1, revision = revision + (old.status = 'confirmed' OR new.status = 'confirmed')
   WHERE event_id IN (old.event_id, new.event_id);
END;

DROP TRIGGER booth_reservations_removed_on_pages;
CREATE TRIGGER booth_reservations_removed_on_pages AFTER DELETE ON booth_reservations BEGIN
  UPDATE event_revisions SET halls = halls + 1, revision = revision + (old.status = 'confirmed') WHERE event_id = old.event_id;
END;
