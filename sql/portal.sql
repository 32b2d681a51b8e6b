-- What an exhibitor sees on its own page. Every statement contains :participant_id, so that no record of another one is found.

-- name: participant
SELECT p.id, p.event_id, p.contact_id, p.role, p.status, p.is_confirmed, p.host_participant_id, p.badge_number,
       p.badge_name, c.company_name, c.first_name, c.last_name, c.email, c.invoice_email, c.phone, c.address,
       c.postal_code, c.city, c.country, c.tax_id, c.anonymized_at, k.title AS category
  FROM participants p JOIN contacts c ON c.id = p.contact_id LEFT JOIN categories k ON k.id = p.category_id
 WHERE p.id = :participant_id;

-- Cancelling a participation.

-- name: links_with_address
SELECT id FROM links WHERE participant_id = :participant_id AND kind = 'participant' AND revoked_at IS NULL
   AND email IS NOT NULL
 ORDER BY id;

-- name: booths_held
SELECT booth_number FROM booth_reservations
 WHERE event_participant_id = :participant_id AND (status = 'confirmed' OR status = 'pending' AND expires_at > :now)
 ORDER BY booth_number_natural, id;

-- name: orders_to_cancel
SELECT order_number FROM service_orders
 WHERE event_participant_id = :participant_id AND status IN ('draft', 'submitted') AND order_number IS NOT NULL
 ORDER BY id;

-- name: orders_left
SELECT order_number FROM service_orders
 WHERE event_participant_id = :participant_id AND status = 'confirmed' ORDER BY id;

-- name: types
-- The submission types for the role of the participant, each with its submission. One that is not active stays if there is a submission.
SELECT t.id, t.key, t.title, t.description, t.input, t.allowed_extensions, t.max_size_mb, t.max_length, t.due_at, t.is_required,
       t.needs_approval, t.is_active, s.id AS submission_id, s.status, s.value, s.document_id, s.feedback,
       s.submitted_at, s.revision, s.updated_at, d.filename, d.size
  FROM participants p JOIN submission_types t ON t.event_id = p.event_id
  LEFT JOIN submissions s ON s.type_id = t.id AND s.event_participant_id = p.id
  LEFT JOIN documents d ON d.id = s.document_id
 WHERE p.id = :participant_id AND (t.is_active = 1 OR s.id IS NOT NULL)
   AND (s.id IS NOT NULL OR EXISTS (SELECT 1 FROM json_each(t.roles) r WHERE r.value = p.role))
 ORDER BY t.sort_order, t.id;

-- name: file
-- The file of a submission, or of one of its revisions.
SELECT d.sha256, d.content_type, d.filename FROM submissions s JOIN documents d ON d.id = s.document_id
 WHERE s.event_participant_id = :participant_id AND s.id = :id AND d.sha256 IS NOT NULL;

-- name: revision_file
SELECT r.sha256, r.filename FROM submissions s JOIN submission_revisions r ON r.submission_id = s.id
 WHERE s.event_participant_id = :participant_id AND s.id = :id AND r.revision = :revision AND r.sha256 IS NOT NULL;

-- name: documents_made
-- How many files somebody has sent with a link since a time: each is a document about the participant.
SELECT count(*) FROM documents WHERE entity_type = 'event_participant' AND entity_id = :participant_id
  AND filename IS NOT NULL AND created_at > :since;

-- name: reservations
-- Holds and bought booths, with what they cost.
SELECT r.id, r.status, r.expires_at, r.reserved_at, r.confirmed_at, r.final_price, r.tax_rate, r.is_negotiated,
       r.created_by, b.id AS booth_id, b.booth_number, b.booth_name, b.width, b.depth, b.area, n.plan_key, n.plan_name,
       t.booth_type_name, t.exemption_reason
  FROM booth_reservations r JOIN booths b ON b.id = r.booth_id JOIN plans n ON n.id = b.plan_id LEFT
  JOIN booth_types t ON t.id = b.booth_type_id
 WHERE r.event_participant_id = :participant_id AND (r.status = 'confirmed' OR r.status = 'pending')
 ORDER BY r.id;

-- name: choice
SELECT ends_at, given_back FROM booth_choices WHERE participant_id = :participant_id;

-- name: begin_choice
INSERT INTO booth_choices (participant_id, ends_at) VALUES (:participant_id, :ends_at)
    ON CONFLICT (participant_id) DO UPDATE SET ends_at = excluded.ends_at;

-- name: count_given_back
UPDATE booth_choices SET given_back = given_back + 1 WHERE participant_id = :participant_id;

-- name: expired_holds
-- Holds made with a link that have run out. Those of the office have created_by.
SELECT count(*) FROM booth_reservations
 WHERE event_participant_id = :participant_id AND created_by IS NULL
   AND (status = 'expired' OR status = 'pending' AND expires_at <= :now);

-- name: booths
-- The booths of the active plans of the event that nobody has, with the price that does not depend on a participant.
SELECT b.id, b.booth_number, b.booth_name, b.width, b.depth, b.area, b.price, b.tax_rate,
       CASE WHEN t.exemption_reason IS NULL THEN t.tax_rate ELSE 0 END AS type_tax_rate,
       t.booth_type_key, t.booth_type_name, t.exemption_reason, n.plan_key, n.plan_name
  FROM participants p JOIN plans n ON n.event_id = p.event_id AND n.is_active = 1 JOIN booths b ON b.plan_id = n.id
  LEFT JOIN booth_types t ON t.id = b.booth_type_id
 WHERE p.id = :participant_id AND (b.status = 'available' OR b.status = 'reserved' AND b.held_until <= :now
       AND NOT EXISTS (SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted'))
 ORDER BY n.sort_order, n.id, b.booth_number_natural, b.id;

-- name: wish
-- The size that the application of the participant wishes.
SELECT t.booth_type_key, t.booth_type_name, t.usual_width AS width, t.usual_depth AS depth
  FROM participants p JOIN applications a ON a.id = p.application_id JOIN booth_types t ON t.id = a.booth_type_id
 WHERE p.id = :participant_id;

-- name: booth
-- A booth of the active plans of the event.
SELECT b.id FROM participants p JOIN plans n ON n.event_id = p.event_id AND n.is_active = 1
  JOIN booths b ON b.plan_id = n.id
 WHERE p.id = :participant_id AND b.booth_number = :booth_number ORDER BY n.sort_order, n.id LIMIT 1;

-- name: plans
SELECT n.id, n.plan_key, n.plan_name AS name FROM participants p JOIN plans n ON n.event_id = p.event_id
  AND n.is_active = 1
 WHERE p.id = :participant_id ORDER BY n.sort_order, n.id;

-- name: revision
-- It changes with all that the drawings of the halls show.
SELECT r.revision FROM participants p JOIN event_revisions r ON r.event_id = p.event_id WHERE p.id = :participant_id;

-- name: offers
-- The services that are offered at the event, with the texts of their catalogue.
SELECT s.id, s.service_key, s.service_name, s.short_description, s.unit_label, s.unit, s.specification_label,
       s.specification_placeholder, s.requires_specification, k.category_name
  FROM participants p JOIN service_events x ON x.event_id = p.event_id AND x.is_active = 1
  JOIN services s ON s.id = x.service_id AND s.is_active = 1
  LEFT JOIN service_categories k ON k.id = s.category_id
 WHERE p.id = :participant_id ORDER BY k.sort_order NULLS LAST, k.id, s.sort_order, s.id;

-- name: orders
SELECT id FROM service_orders WHERE event_participant_id = :participant_id ORDER BY id DESC;

-- name: contracts
-- Contracts that were sent to be signed, and the signed ones.
SELECT id FROM documents WHERE entity_type = 'event_participant' AND entity_id = :participant_id AND is_contract = 1
  AND requested_at IS NOT NULL
 ORDER BY id;

-- name: invoices
SELECT id FROM invoices WHERE event_participant_id = :participant_id AND locked_at IS NOT NULL
 ORDER BY issue_date DESC, id DESC;

-- name: staff
SELECT p.id, p.contact_id, p.status, p.badge_number, p.badge_issued_at, p.badge_renamed_at, c.first_name, c.last_name,
       EXISTS (SELECT 1 FROM check_ins k WHERE k.event_participant_id = p.id) AS was_scanned
  FROM participants p JOIN contacts c ON c.id = p.contact_id
 WHERE p.host_participant_id = :participant_id AND p.role = 'staff' AND c.anonymized_at IS NULL
 ORDER BY p.id;

-- name: quotas
-- Free, ordered and used badges of several participants. Issued badges count also once they are removed.
SELECT p.id AS participant_id, ifnull(e.badges_free, 2) AS free,
       (SELECT ifnull(sum(t.quantity), 0) FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
         AND t.status <> 'cancelled'
         WHERE o.event_participant_id = p.id AND t.service_id = e.badge_service_id
         AND o.status IN ('confirmed', 'completed')) AS ordered,
       (SELECT count(*) FROM participants s
         WHERE s.host_participant_id = p.id AND s.role = 'staff'
           AND (s.status <> 'cancelled' OR s.badge_issued_at IS NOT NULL
           OR EXISTS (SELECT 1 FROM check_ins k WHERE k.event_participant_id = s.id))) AS used
  FROM json_each(:participant_id) w JOIN participants p ON p.id = w.value LEFT
  JOIN event_pages e ON e.event_id = p.event_id;

-- name: issue_badge
UPDATE participants SET badge_issued_at = :now, updated_at = :stamp
 WHERE id = :id AND host_participant_id = :participant_id AND badge_issued_at IS NULL;

-- name: mark_renamed
UPDATE participants SET badge_renamed_at = :now, updated_at = :stamp WHERE id = :id
  AND host_participant_id = :participant_id;

-- name: slots
-- The sessions of the participant.
SELECT s.id, s.title, s.slot_date AS date, s.start_time, s.end_time, s.starts_at, s.location, s.description, s.capacity,
       a.role, (SELECT count(*) FROM schedule_assignments x WHERE x.schedule_slot_id = s.id
         AND x.role = 'attendee') AS attendees
  FROM schedule_assignments a JOIN schedule_slots s ON s.id = a.schedule_slot_id
 WHERE a.event_participant_id = :participant_id ORDER BY s.starts_at, s.id;
