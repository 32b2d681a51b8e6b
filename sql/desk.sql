-- What the desk reads beside the lists of the API: shows, contacts of an address, and lists on paper. A page
-- shows no column that the API does not give to the same key. Where the scope of the page does not suffice for a column,
-- its line is there only when the page says that the key has the other scope.

-- name: event
SELECT id, event_key, title, timezone, date_from, date_to, date_from_at, over_at, is_visible, country FROM events
 WHERE event_key = :event;

-- name: event_in_hand
-- The event that is on or comes next, else the last one; one without a date only if there is no other.
SELECT id, event_key, title, timezone, date_from, date_to, date_from_at, over_at, is_visible, country FROM events
 WHERE id = coalesce((SELECT id FROM events WHERE over_at >= :now ORDER BY over_at, id DESC LIMIT 1),
                     (SELECT id FROM events WHERE over_at < :now ORDER BY over_at DESC, id DESC LIMIT 1),
                     (SELECT max(id) FROM events WHERE over_at IS NULL));

-- name: events
-- The events that the head of a page offers: the newest, and the one in hand.
SELECT event_key, title, timezone, date_from, date_to FROM events
 WHERE id IN (SELECT id FROM events ORDER BY over_at IS NULL DESC, over_at DESC, id DESC LIMIT 30) OR id = :id
 ORDER BY over_at IS NULL DESC, over_at DESC, id DESC;

-- name: new_applications
-- The number of applications for an event that nobody has looked at, which the menu shows.
SELECT count(*) FROM application_events x JOIN applications a ON a.id = x.application_id
 WHERE x.event_id = :event_id AND a.status = 'new';

-- name: same_address
-- Contacts with an e-mail address, for an application that fits several.
SELECT id, customer_number, company_name, first_name, last_name, email, city FROM contacts
 WHERE email = :email AND anonymized_at IS NULL ORDER BY id LIMIT 20;

-- name: door_list
-- Everybody with a badge of an event, by name, for a list on paper.
SELECT p.id, p.role, p.status, p.badge_name, p.badge_number, c.company_name, c.first_name,
  c.last_name FROM participants p
  JOIN contacts c ON c.id = p.contact_id
 WHERE p.event_id = :event_id AND p.status <> 'cancelled'
   AND p.role = :role                                       -- when role
 ORDER BY coalesce(c.last_name_folded, c.company_name_folded, ''), p.id LIMIT :size OFFSET :start;

-- name: by_hall
-- Exhibitors by hall and booth, for a list on paper.
SELECT l.plan_name, b.booth_number, b.status, c.company_name, c.first_name, c.last_name, c.phone,
       c.mobile,             -- when contacts
       p.id AS participant_id
  FROM booths b JOIN plans l ON l.id = b.plan_id
  LEFT JOIN booth_reservations r ON r.booth_id = b.id AND r.status = 'confirmed'
  LEFT JOIN participants p ON p.id = r.event_participant_id LEFT JOIN contacts c ON c.id = p.contact_id
 WHERE b.event_id = :event_id ORDER BY l.sort_order, l.plan_name, b.booth_number_natural LIMIT :size;

-- name: gaps_of
-- The pages and badges that an approved application does not lead to, with the contact that they belong to, and the link of the
-- application to its own page.
SELECT g.lacks, g.participant_id, a.email, c.email IS NOT NULL AND c.email <> a.email AS is_other_address,
       c.email AS contact_email, coalesce(c.company_name, c.last_name) AS contact_name,   -- when participants
       (SELECT l.id FROM links l WHERE l.application_id = a.id AND l.email = a.email
         AND l.revoked_at IS NULL) AS link_id
  FROM application_gaps g JOIN applications a ON a.id = g.application_id JOIN participants p ON p.id = g.participant_id
  JOIN contacts c ON c.id = p.contact_id
 WHERE g.application_id = :application_id AND a.email IS NOT NULL ORDER BY g.participant_id;

-- name: participation_of
-- What an application has become, or who takes part already with its contact or its address.
SELECT p.id, p.application_id IS :application_id AS is_own FROM participants p
 WHERE p.contact_id IN (SELECT contact_id FROM applications WHERE id = :application_id
                         UNION SELECT c.id FROM contacts c JOIN applications a ON a.email = c.email
                           WHERE a.id = :application_id)
   AND p.event_id IN (SELECT event_id FROM application_events WHERE application_id = :application_id)
   AND (p.status <> 'cancelled' OR p.application_id = :application_id)
 ORDER BY is_own DESC, p.id LIMIT 1;

-- name: taking_part
-- Which of these applications add no exhibitor, since their contact or their address takes part already.
SELECT a.id FROM applications a
 WHERE a.id IN (SELECT value FROM json_each(:ids))
   AND EXISTS (SELECT 1 FROM participants p
                WHERE p.contact_id IN (SELECT a.contact_id UNION SELECT c.id FROM contacts c WHERE c.email = a.email)
                  AND p.event_id IN (SELECT event_id FROM application_events WHERE application_id = a.id)
                  AND p.status <> 'cancelled')
   AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.application_id = a.id);

-- name: credit_notes_among
-- Which of these documents are credit notes.
SELECT id FROM invoices WHERE id IN (SELECT value FROM json_each(:ids)) AND invoice_type = 'credit_note';
