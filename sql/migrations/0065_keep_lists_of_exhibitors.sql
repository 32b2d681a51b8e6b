-- A hold of a booth changes the plan, and no list of exhibitors: pages without a plan are not drawn again for it.
-- `halls` counts those changes of `revision` that only plans show.

ALTER TABLE event_revisions ADD COLUMN halls INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER booths_added_on_pages;
CREATE TRIGGER booths_added_on_pages AFTER INSERT ON booths BEGIN
  UPDATE event_revisions SET revision = revision + 1, halls = halls + 1 WHERE event_id = new.event_id;
END;

DROP TRIGGER booths_changed_on_pages;
CREATE TRIGGER booths_changed_on_pages AFTER UPDATE ON booths BEGIN
  UPDATE event_revisions
     SET revision = revision + 1, halls = halls + (old.booth_number IS new.booth_number AND old.plan_id IS new.plan_id)
   WHERE event_id IN (old.event_id, new.event_id);
END;

DROP TRIGGER booths_removed_on_pages;
CREATE TRIGGER booths_removed_on_pages AFTER DELETE ON booths BEGIN
  UPDATE event_revisions SET revision = revision + 1, halls = halls + 1 WHERE event_id = old.event_id;
END;

DROP TRIGGER booth_reservations_added_on_pages;
CREATE TRIGGER booth_reservations_added_on_pages AFTER INSERT ON booth_reservations BEGIN
  UPDATE event_revisions SET revision = revision + 1, halls = halls + (new.status <> 'confirmed') WHERE event_id = new.event_id;
END;

DROP TRIGGER booth_reservations_changed_on_pages;
CREATE TRIGGER booth_reservations_changed_on_pages AFTER UPDATE ON booth_reservations BEGIN
  UPDATE event_revisions
     SET revision = revision + 1,
         halls = halls + NOT ((old.status = 'confirmed') <> (new.status = 'confirmed') OR old.booth_id <> new.booth_id
                              OR old.event_participant_id <> new.event_participant_id OR old.event_id <> new.event_id)
   WHERE event_id IN (old.event_id, new.event_id);
END;

DROP TRIGGER booth_reservations_removed_on_pages;
CREATE TRIGGER booth_reservations_removed_on_pages AFTER DELETE ON booth_reservations BEGIN
  UPDATE event_revisions SET revision = revision + 1, halls = halls + (old.status <> 'confirmed') WHERE event_id = old.event_id;
END;
