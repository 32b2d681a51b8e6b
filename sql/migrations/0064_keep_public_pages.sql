-- Public pages are drawn again only if something changes that they show: UPDATE names all columns of a record, and the
-- visitors of an event are on no page unless their profile says so.

DROP TRIGGER contacts_changed_on_pages;
CREATE TRIGGER contacts_changed_on_pages AFTER UPDATE OF company_name, city, country, anonymized_at ON contacts
WHEN old.company_name IS NOT new.company_name OR old.city IS NOT new.city OR old.country IS NOT new.country
  OR old.anonymized_at IS NOT new.anonymized_at BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (SELECT event_id FROM participants WHERE contact_id = new.id);
END;

DROP TRIGGER participants_added_on_pages;
CREATE TRIGGER participants_added_on_pages AFTER INSERT ON participants
WHEN new.role IN ('exhibitor', 'co_exhibitor', 'sponsor') BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = new.event_id;
END;

DROP TRIGGER participants_changed_on_pages;
CREATE TRIGGER participants_changed_on_pages AFTER UPDATE OF event_id, contact_id, role, status, category_id, host_participant_id ON participants
WHEN (old.role IN ('exhibitor', 'co_exhibitor', 'sponsor') OR new.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
      OR EXISTS (SELECT 1 FROM profiles WHERE participant_id = new.id))
 AND (old.event_id IS NOT new.event_id OR old.contact_id IS NOT new.contact_id OR old.role IS NOT new.role OR old.status IS NOT new.status
      OR old.category_id IS NOT new.category_id OR old.host_participant_id IS NOT new.host_participant_id) BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id IN (old.event_id, new.event_id);
END;

DROP TRIGGER participants_removed_on_pages;
CREATE TRIGGER participants_removed_on_pages AFTER DELETE ON participants
WHEN old.role IN ('exhibitor', 'co_exhibitor', 'sponsor') BEGIN
  UPDATE event_revisions SET revision = revision + 1 WHERE event_id = old.event_id;
END;
