-- What the public pages of an event show. Only events that everybody may see have pages.

-- name: state
-- What kept pages depend on.
SELECT e.id, p.language, p.show_plan, r.revision, r.revision - r.halls AS lists
  FROM events e JOIN event_pages p ON p.event_id = e.id JOIN event_revisions r ON r.event_id = e.id
 WHERE e.event_key = :event_key AND e.is_visible = 1 AND p.is_public = 1 AND e.date_from IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM flags WHERE name = 'pages' AND enabled = 0);

-- name: show
SELECT e.id, e.event_key, e.title, e.event_word, e.venue, e.address, e.postal_code, e.city, e.country,
       e.date_from, e.date_to, e.timezone, e.opening_hours, e.over_at, e.date_from_at, e.application_deadline_at AS deadline_at,
       p.apply_is_open, p.apply_capacity, p.apply_terms, p.visit_is_open, p.visit_until, p.visit_fields, p.show_prices,
       i.id AS picture_id, i.sha256 AS picture, i.width AS picture_width, i.height AS picture_height,
       p.language, p.show_directory, p.show_plan, p.show_programme, p.is_indexed, p.texts, p.accent_color,
       p.contact_email, p.contact_phone, p.embed_origins, r.revision - r.halls AS lists
  FROM events e JOIN event_pages p ON p.event_id = e.id JOIN event_revisions r ON r.event_id = e.id
  LEFT JOIN documents i ON i.id = e.image_document_id
 WHERE e.event_key = :event_key AND e.is_visible = 1 AND p.is_public = 1 AND e.date_from IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM flags WHERE name = 'pages' AND enabled = 0);

-- name: indexed
-- Keys of the events that search engines may list.
SELECT e.event_key FROM event_pages p JOIN events e ON e.id = p.event_id
 WHERE p.is_public = 1 AND p.is_indexed = 1 AND e.is_visible = 1
   AND NOT EXISTS (SELECT 1 FROM flags WHERE name = 'pages' AND enabled = 0)
 ORDER BY e.event_key;

-- name: next_show
-- The first show after one that is over.
SELECT e.event_key, e.title FROM event_pages p JOIN events e ON e.id = p.event_id
 WHERE p.is_public = 1 AND e.is_visible = 1 AND e.date_from_at > :over_at
 ORDER BY e.date_from_at, e.id LIMIT 1;

-- name: exhibitors
-- Exhibitors whom visitors may see: confirmed, with a company name, and not unlisted. People are never named.
SELECT p.id, p.role, p.host_participant_id, ifnull(f.display_name, c.company_name) AS name, c.city, c.country,
       k.category_key, k.title AS category, f.texts, f.products, f.website, f.email, f.phone, f.links, d.sha256 AS logo,
       d.width AS logo_width, d.height AS logo_height
  FROM participants p JOIN contacts c ON c.id = p.contact_id
  LEFT JOIN categories k ON k.id = p.category_id AND k.is_visible = 1
  LEFT JOIN profiles f ON f.participant_id = p.id
  LEFT JOIN documents d ON d.id = f.logo_document_id
 WHERE p.event_id = :event_id AND p.status = 'confirmed' AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
   AND c.anonymized_at IS NULL AND ifnull(f.display_name, c.company_name) IS NOT NULL AND ifnull(f.is_listed, 1) = 1
 ORDER BY p.id;

-- name: is_category
SELECT 1 FROM category_events x JOIN categories k ON k.id = x.category_id WHERE k.category_key = :category_key
  AND x.event_id = :event_id;

-- name: booths
SELECT r.event_participant_id AS exhibitor_id, b.booth_number, n.plan_key
  FROM booth_reservations r JOIN booths b ON b.id = r.booth_id JOIN plans n ON n.id = b.plan_id AND n.is_active = 1
 WHERE r.event_id = :event_id AND r.status = 'confirmed'
 ORDER BY b.booth_number_natural, b.id;

-- name: held_until
SELECT min(expires_at) FROM booth_reservations WHERE event_id = :event_id AND status = 'pending' AND expires_at > :now;

-- name: plans
SELECT id, plan_key, plan_name AS name FROM plans WHERE event_id = :event_id AND is_active = 1 ORDER BY sort_order, id;

-- name: slots
SELECT id, slot_date AS date, start_time, end_time, location, title, description FROM schedule_slots
 WHERE event_id = :event_id AND is_public = 1
 ORDER BY starts_at, id;

-- name: has_programme
-- A row if an event has public slots.
SELECT 1 FROM schedule_slots WHERE event_id = :event_id AND is_public = 1
   AND NOT EXISTS (SELECT 1 FROM flags WHERE name = 'schedules' AND enabled = 0) LIMIT 1;

-- name: hosts
-- Who speaks in or hosts the public slots: exhibitors, and people who have agreed to be named.
SELECT a.schedule_slot_id AS slot_id, a.event_participant_id AS exhibitor_id,
       CASE WHEN p.role NOT IN ('exhibitor', 'co_exhibitor', 'sponsor') AND p.status = 'confirmed'
         AND f.is_listed = 1 THEN f.display_name END AS speaker
  FROM schedule_slots s JOIN schedule_assignments a ON a.schedule_slot_id = s.id AND a.role IN ('speaker', 'host')
  JOIN participants p ON p.id = a.event_participant_id LEFT JOIN profiles f ON f.participant_id = p.id
 WHERE s.event_id = :event_id AND s.is_public = 1
 ORDER BY a.id;

-- name: logo
-- The logo of a listed exhibitor.
SELECT d.sha256, d.content_type
  FROM participants p JOIN contacts c ON c.id = p.contact_id JOIN profiles f ON f.participant_id = p.id
  JOIN documents d ON d.id = f.logo_document_id
 WHERE p.id = :id AND p.event_id = :event_id AND p.status = 'confirmed'
   AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
   AND c.anonymized_at IS NULL AND ifnull(f.display_name, c.company_name) IS NOT NULL AND ifnull(f.is_listed, 1) = 1
   AND d.sha256 IS NOT NULL;

-- name: picture
SELECT sha256, content_type FROM documents WHERE id = :id AND sha256 IS NOT NULL;
