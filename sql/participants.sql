-- Participants.

-- columns: shown = p.id, p.event_id, e.event_key, p.contact_id, c.customer_number, p.role, p.status, p.is_confirmed,
--   p.category_id, k.category_key, p.badge_name, p.badge_number, p.host_participant_id

-- What lists sort by beside the columns of participants: the name of the contact, the first confirmed booth, and
-- the name of the size that the application wishes.
-- columns: sort_name = (SELECT coalesce(n.company_name_folded, n.last_name_folded) FROM contacts n WHERE n.id = p.contact_id)
-- columns: sort_booth = (SELECT min(n.booth_number_natural) FROM booth_reservations n
--   WHERE n.event_participant_id = p.id AND n.status = 'confirmed')
-- columns: sort_wish = (SELECT fold(w.booth_type_name) FROM applications a JOIN booth_types w ON w.id = a.booth_type_id
--   WHERE a.id = p.application_id)

-- name: get
SELECT {shown},
       EXISTS (SELECT 1 FROM check_ins v WHERE v.event_participant_id = p.id
         AND v.ends_at > strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) AS is_checked_in,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'event_participant' AND v.entity_id = p.id
         ORDER BY d.display_order, d.id)) AS custom_fields,
       p.application_id, p.created_at, p.updated_at
  FROM participants p JOIN events e ON e.id = p.event_id JOIN contacts c ON c.id = p.contact_id
  LEFT JOIN categories k ON k.id = p.category_id
 WHERE p.id = :id;

-- name: list
SELECT {shown},
       EXISTS (SELECT 1 FROM check_ins v WHERE v.event_participant_id = p.id
         AND v.ends_at > strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) AS is_checked_in,
       p.application_id, p.created_at, p.updated_at
  FROM participants p
  LEFT JOIN events e ON e.id = p.event_id
  LEFT JOIN contacts c ON c.id = p.contact_id
  LEFT JOIN categories k ON k.id = p.category_id
 WHERE TRUE
   AND p.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND likelihood(p.updated_at >= :updated_since, 0.0001)                  -- when updated_since
   AND p.event_id = :event_id                          -- when event_id
   AND p.contact_id = :contact_id                      -- when contact_id
   AND likelihood(p.category_id = :category_id, 0.0001)  -- when category_id
   AND p.host_participant_id = :host_participant_id    -- when host_participant_id
   AND p.is_confirmed = :confirmed                     -- when confirmed
   AND p.status = :status                              -- when status
   AND p.role = :role                                  -- when role
   AND p.status IN (SELECT value FROM json_each(:status_in))  -- when status_in
   AND likelihood(p.role IN (SELECT value FROM json_each(:role_in)), 0.0001)  -- when role_in
   AND p.id IN (SELECT id FROM participants WHERE badge_number = :badge_number                             -- when badge_number
                 UNION ALL SELECT event_participant_id FROM badge_aliases WHERE badge_number = :badge_number)  -- when badge_number
   AND p.id IN (SELECT rowid FROM participants_search WHERE participants_search MATCH :search)             -- when search
   AND CASE WHEN p.status <> 'confirmed' THEN 1                                                            -- when ready
            WHEN p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')                                        -- when ready
            THEN (SELECT NOT f.is_ready FROM readiness f WHERE f.id = p.id)                                -- when ready
            ELSE p.id IN (SELECT id FROM unready_guests WHERE TRUE                                         -- when ready
                     AND event_id = :event_id                                                              -- when ready event_id
            ) END <> :ready                                                                                -- when ready
   AND p.status <> 'cancelled'                                                                             -- when lacks
   AND (SELECT CASE :lacks                                                                                 -- when lacks part
                 WHEN 'badge' THEN f.status <> 'confirmed'                                                 -- when lacks part
                 WHEN 'contract' THEN f.has_open_contract                                                  -- when lacks part
                 WHEN 'submissions' THEN f.has_open_submissions                                            -- when lacks part
                 WHEN 'booth' THEN NOT f.is_guest AND NOT f.has_booth                                      -- when lacks part
                 WHEN 'services' THEN NOT f.is_guest AND f.has_open_order                                  -- when lacks part
                 ELSE NOT f.is_guest                                                                       -- when lacks part
                      AND (NOT f.has_booth OR f.has_open_order OR f.has_draft                              -- when lacks part
                           OR :lacks = 'payment' AND f.owes OR f.has_unbilled) END                         -- when lacks part
          FROM readiness f WHERE f.id = p.id)                                                              -- when lacks part
   AND EXISTS (SELECT 1 FROM submission_types t WHERE t.event_id = p.event_id AND t.key = :submission      -- when submission
                  AND t.is_active AND instr(t.roles, '"' || p.role || '"')                                 -- when submission
                  AND NOT EXISTS (SELECT 1 FROM submissions s                                              -- when submission
                                   WHERE s.event_participant_id = p.id AND s.type_id = t.id                -- when submission
                                     AND (s.status = 'approved'                                            -- when submission
                                          OR s.status = 'submitted' AND NOT t.needs_approval)))            -- when submission
   AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')                                                  -- when of_exhibitors
   AND NOT EXISTS (SELECT 1 FROM profiles f                                                                -- when logo
                    WHERE f.participant_id = p.id AND f.logo_document_id IS NOT NULL)                      -- when logo
   AND EXISTS (SELECT 1 FROM contacts n                                                                    -- when address
                WHERE n.id = p.contact_id AND (n.address IS NULL OR n.city IS NULL))                       -- when address
   AND EXISTS (SELECT 1 FROM links l WHERE l.participant_id = p.id AND l.revoked_at IS NULL                -- when has_link
                  AND (l.expires_at IS NULL OR l.expires_at > :now)) = :has_link                           -- when has_link
   AND NOT EXISTS (SELECT 1 FROM contacts n LEFT JOIN profiles f ON f.participant_id = p.id                -- when is_named
                    WHERE n.id = p.contact_id AND n.company_name IS NULL AND n.anonymized_at IS NULL       -- when is_named
                      AND f.display_name IS NULL AND ifnull(f.is_listed, 1) = 1) = :is_named               -- when is_named
   AND EXISTS (SELECT 1 FROM booth_reservations r                                                          -- when is_waitlisted
                WHERE r.event_participant_id = p.id AND r.status = 'waitlisted') = :is_waitlisted          -- when is_waitlisted
   AND p.id IN (SELECT i.event_participant_id FROM invoices i                                              -- when balance
                 WHERE i.open_amount <> 0 AND i.locked_at IS NOT NULL AND i.event_participant_id IS NOT NULL  -- when balance
                   AND CASE :balance WHEN 'open' THEN i.open_amount > 0                                    -- when balance
                                     WHEN 'credit' THEN i.open_amount < 0                                  -- when balance
                                     ELSE i.open_amount > 0 AND i.overdue_from <= :today END)              -- when balance
   AND p.id IN (SELECT t.entity_id FROM json_each(:cf_terms) f CROSS JOIN custom_field_terms t                -- when cf_terms
        ON t.field_id = f.value ->> 0 AND t.term = f.value ->> 1                                            -- when cf_terms
        GROUP BY t.entity_id HAVING count(*) = json_array_length(:cf_terms))                                -- when cf_terms
 ORDER BY {sort} {order} NULLS LAST, p.id {order}  -- sort: id=p.id created_at=p.id name={sort_name} booth_number={sort_booth} wish={sort_wish}

-- name: contacts_of
SELECT p.id AS participant_id, c.id, c.customer_number, c.company_name, c.first_name, c.last_name, c.email, c.phone,
       c.city, c.country
  FROM participants p JOIN contacts c ON c.id = p.contact_id
 WHERE p.id IN (SELECT value FROM json_each(:ids));

-- name: events_of
SELECT p.id AS participant_id, e.id, e.event_key, e.title, e.city, e.country, e.date_from, e.date_to
  FROM participants p JOIN events e ON e.id = p.event_id
 WHERE p.id IN (SELECT value FROM json_each(:ids));

-- name: categories_of
SELECT p.id AS participant_id, k.id, k.category_key, k.title
  FROM participants p JOIN categories k ON k.id = p.category_id
 WHERE p.id IN (SELECT value FROM json_each(:ids));

-- name: booths_of
-- Confirmed booths of participants, and held ones only for keys that may read reservations.
SELECT r.event_participant_id AS participant_id, r.booth_id, r.booth_number, r.status, r.expires_at FROM booth_reservations r
 WHERE r.event_participant_id IN (SELECT value FROM json_each(:ids))
   AND (r.status = 'confirmed' OR :reads_booths AND r.status = 'pending')
 ORDER BY r.booth_number_natural, r.id;

-- name: wishes_of
-- What the applications of participants wish, with the size of a type only for keys that may read types.
SELECT p.id AS participant_id, a.id AS application_id, t.booth_type_key, a.requested_area,
       iif(:reads_booths, t.booth_type_name, NULL) AS booth_type_name,
       iif(:reads_booths, t.usual_width, NULL) AS usual_width,
       iif(:reads_booths, t.usual_depth, NULL) AS usual_depth
  FROM participants p JOIN applications a ON a.id = p.application_id
  LEFT JOIN booth_types t ON t.id = a.booth_type_id
 WHERE p.id IN (SELECT value FROM json_each(:ids)) AND (t.id IS NOT NULL OR a.requested_area IS NOT NULL);

-- name: balances_of
-- Sums of the sent invoices and credit notes of participants, by currency.
SELECT event_participant_id AS participant_id, currency, sum(total) AS invoiced, sum(paid_amount) AS paid,
       sum(open_amount) AS open, sum(iif(open_amount > 0 AND overdue_from <= :today, open_amount, 0)) AS overdue
  FROM invoices
 WHERE event_participant_id IN (SELECT value FROM json_each(:ids)) AND locked_at IS NOT NULL
 GROUP BY event_participant_id, currency ORDER BY event_participant_id, currency;

-- name: ids
-- The ids of all participants of a list.
SELECT p.id FROM participants p WHERE p.id IN (SELECT value FROM json_each(:ids));

-- name: totals
-- Sums of the sent invoices and credit notes of the participants of a list, by currency.
SELECT i.currency, sum(i.total) AS invoiced, sum(max(i.open_amount, 0)) AS open FROM invoices i
 WHERE i.event_participant_id IN (SELECT value FROM json_each(:ids)) AND i.locked_at IS NOT NULL
 GROUP BY i.currency ORDER BY i.currency;

-- name: knows_submission
SELECT 1 FROM submission_types WHERE key = :key LIMIT 1;

-- name: confirmed_orders
SELECT id FROM service_orders WHERE event_participant_id = :id AND status = 'confirmed' ORDER BY id;

-- name: of_contact
SELECT id, event_id FROM participants WHERE contact_id = :contact_id ORDER BY id;

-- name: find
-- The participant with this event, contact and role.
SELECT id FROM participants WHERE event_id = :event_id AND contact_id = :contact_id AND role = :role;

-- name: hosted
-- The participants whose host this one is, and that take part.
SELECT id FROM participants WHERE host_participant_id = :id AND status <> 'cancelled' ORDER BY id;

-- name: host_of
-- How many have this participant as their host, as nouns for the error text.
SELECT 'participant' AS one, 'participants' AS many, count(*) AS count FROM participants
 WHERE host_participant_id = :id;

-- name: host
SELECT id, event_id, role FROM participants WHERE id = :id;

-- name: users
-- What prevents the participant from being deleted, as nouns for the error text.
SELECT 'invoice' AS one, 'invoices' AS many, count(*) AS count FROM invoices WHERE event_participant_id = :id
 UNION ALL SELECT 'hosted participant', 'hosted participants', count(*) FROM participants
   WHERE host_participant_id = :id
 UNION ALL SELECT 'schedule slot', 'schedule slots', count(DISTINCT schedule_slot_id) FROM schedule_assignments
   WHERE event_participant_id = :id
 UNION ALL SELECT 'service order', 'service orders', count(*) FROM service_orders WHERE event_participant_id = :id
 UNION ALL SELECT 'booth reservation', 'booth reservations', count(*) FROM booth_reservations
   WHERE event_participant_id = :id
 UNION ALL SELECT 'submission', 'submissions', count(*) FROM submissions WHERE event_participant_id = :id
 UNION ALL SELECT 'check-in', 'check-ins', count(*) FROM check_ins WHERE event_participant_id = :id
 UNION ALL SELECT 'link', 'links', count(*) FROM links WHERE participant_id = :id
   AND (revoked_at IS NULL OR closes_address = 1)
 ORDER BY many;

-- name: add
INSERT INTO participants (event_id, contact_id, role, status, category_id, badge_name, badge_name_folded, badge_number,
  application_id, made_by, host_participant_id, created_at, updated_at)
VALUES (:event_id, :contact_id, :role, :status, :category_id, :badge_name, fold(:badge_name), :badge_number,
  :application_id, :made_by, :host_participant_id, :now, :stamp);

-- name: change
UPDATE participants SET event_id = :event_id, contact_id = :contact_id, role = :role, category_id = :category_id,
  badge_name = :badge_name, badge_name_folded = fold(:badge_name), application_id = :application_id,
  host_participant_id = :host_participant_id, updated_at = :stamp
 WHERE id = :id;

-- name: move
UPDATE participants SET status = :status, cancelled_at = CASE :status
  WHEN 'cancelled' THEN :now END, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM participants WHERE id = :id;

-- name: wrong_counts
-- Events whose participant_counts differ from their participants. For `eventapi check`.
WITH counted AS (SELECT event_id, role, status, coalesce(category_id, 0), count(*) FROM participants
  GROUP BY 1, 2, 3, 4),
kept AS (SELECT * FROM participant_counts WHERE participants <> 0)
SELECT DISTINCT e.event_key
  FROM (SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
         UNION SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted)) w
  JOIN events e ON e.id = w.event_id
 ORDER BY e.event_key;

-- Erasing the data of a contact, `id`.

-- name: blank
UPDATE participants SET badge_name = NULL, badge_name_folded = NULL, updated_at = :stamp WHERE contact_id = :id
  AND badge_name IS NOT NULL;

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: hosted_to_hand_over
-- Participants whose host the duplicate's participant is.
SELECT id FROM participants WHERE host_participant_id = :id ORDER BY id;

-- name: hand_over_hosted
UPDATE participants SET host_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;
