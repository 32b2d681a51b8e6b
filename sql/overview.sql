-- The overview of an event: what was reached, what waits for the office, and what comes next. Every statement is about one
-- event, but for bank transactions and mails, which need not belong to one.

-- name: event
SELECT id, event_key, title, timezone, country, place_of_supply, date_from, date_to, over_at, application_deadline,
       is_visible, image_document_id IS NOT NULL AS has_image
  FROM events WHERE id = :event_id;

-- name: booths
-- Booths by status. A reserved booth whose hold has run out is available, unless it has a waiting list.
SELECT status, count(*) AS booths, sum(area) AS area FROM (
  SELECT CASE WHEN b.status = 'reserved' AND b.held_until <= :now AND NOT EXISTS (
                SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted') THEN 'available'
              ELSE b.status END AS status, b.area
    FROM booths b WHERE b.event_id = :event_id)
 GROUP BY status;

-- name: applications_by_status
SELECT a.status, count(*) AS applications FROM application_events x CROSS JOIN applications a ON a.id = x.application_id
 WHERE x.event_id = :event_id GROUP BY a.status;

-- name: applications_by_week
-- `weeks`: [first timestamp, that of the next week] of each week, as JSON.
SELECT (SELECT count(*) FROM applications a INDEXED BY applications_by_creation
          CROSS JOIN application_events x ON x.application_id = a.id AND x.event_id = :event_id
         WHERE a.created_at >= w.value ->> 0 AND a.created_at < w.value ->> 1) AS applications
  FROM json_each(:weeks) w ORDER BY w.key;

-- name: exhibitors
-- How many exhibitors take part and are ready, and for how many a part of the checklist is open or blocked. The rules are those of
-- the view `readiness`, which reads one participant at a time; here each is read once for all, as a set of ids from an index of the
-- event. Whoever changes one changes the other: a test compares them. What is surely not billed has no line at all. The view
-- decides for the few for whom a line does not prove enough: those with a credit note or a cancelled invoice, with something that
-- was cancelled, moved or merged.
WITH unbilled (id) AS MATERIALIZED (
  SELECT p.id FROM participants p INDEXED BY participants_by_event_and_role CROSS JOIN categories k ON k.id = p.category_id
   WHERE p.event_id = :event_id AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
     AND k.base_price > 0 AND NOT EXISTS (SELECT 1 FROM invoice_items l WHERE l.fee_of_participant_id = p.id)
   UNION ALL
  SELECT r.event_participant_id FROM booth_reservations r INDEXED BY booth_reservations_by_event
   WHERE r.event_id = :event_id AND r.status = 'confirmed' AND r.final_price > 0
     AND NOT EXISTS (SELECT 1 FROM invoice_items l WHERE l.booth_reservation_id = r.id AND l.booth_id = r.booth_id)
     AND r.moved_from IS NULL
   UNION ALL
  SELECT o.event_participant_id FROM service_orders o INDEXED BY service_orders_by_event
    CROSS JOIN service_order_items t ON t.service_order_id = o.id
   WHERE o.event_id = :event_id AND o.status IN ('confirmed', 'completed') AND t.status <> 'cancelled' AND t.net > 0
     AND NOT EXISTS (SELECT 1 FROM invoice_items l WHERE l.service_order_id = o.id
                        AND ifnull(l.service_order_item_id, t.id) = t.id)),
doubtful (id) AS MATERIALIZED (
  SELECT i.event_participant_id FROM invoices i INDEXED BY invoices_by_event
   WHERE i.event_id = :event_id AND (i.invoice_type = 'credit_note' OR i.status = 'cancelled' OR i.total < 0)
   UNION ALL
  SELECT i.event_participant_id FROM participants p INDEXED BY participants_by_event_and_status
    CROSS JOIN invoice_items l ON l.fee_of_participant_id = p.id CROSS JOIN invoices i ON i.id = l.invoice_id
   WHERE p.event_id = :event_id AND p.status = 'cancelled'
   UNION ALL
  SELECT event_participant_id FROM badge_aliases
   UNION ALL
  SELECT r.event_participant_id FROM booth_reservations r INDEXED BY booth_reservations_by_event
   WHERE r.event_id = :event_id AND r.status IN ('cancelled', 'expired')
   UNION ALL
  SELECT r.event_participant_id FROM booth_reservations r INDEXED BY booth_reservations_moved
   WHERE r.event_id = :event_id AND r.moved_from IS NOT NULL
   UNION ALL
  SELECT o.event_participant_id FROM service_orders o INDEXED BY service_orders_by_event
   WHERE o.event_id = :event_id AND o.status = 'cancelled'
   UNION ALL
  SELECT o.event_participant_id FROM service_orders o INDEXED BY service_orders_by_event
    CROSS JOIN service_order_items t INDEXED BY service_order_items_cancelled ON t.service_order_id = o.id
   WHERE o.event_id = :event_id AND t.status = 'cancelled'),
required (role, id, needs_approval) AS MATERIALIZED (
  SELECT r.value, t.id, t.needs_approval FROM submission_types t CROSS JOIN json_each(t.roles) r
   WHERE t.event_id = :event_id AND t.is_required AND t.is_active),
facts AS MATERIALIZED (
  SELECT p.status <> 'confirmed' AS badge,
         EXISTS (SELECT 1 FROM open_contracts c WHERE c.event_participant_id = p.id) AS contract,
         EXISTS (SELECT 1 FROM required n
                  WHERE n.role = p.role
                    AND NOT EXISTS (SELECT 1 FROM submissions s INDEXED BY submissions_by_participant
                                     WHERE s.event_participant_id = p.id AND s.type_id = n.id
                                       AND (s.status = 'approved' OR s.status = 'submitted' AND NOT n.needs_approval))
                ) AS submissions,
         p.id NOT IN (SELECT event_participant_id FROM booth_reservations INDEXED BY booth_reservations_by_event
                       WHERE event_id = :event_id AND status = 'confirmed')
           AND (p.role = 'exhibitor'
                OR p.id IN (SELECT event_participant_id FROM booth_reservations INDEXED BY booth_reservations_by_event
                             WHERE event_id = :event_id AND status = 'pending')) AS booth,
         p.id IN (SELECT event_participant_id FROM service_orders INDEXED BY service_orders_by_event
                   WHERE event_id = :event_id AND status IN ('draft', 'submitted')) AS services,
         p.id IN (SELECT event_participant_id FROM invoices INDEXED BY invoices_drafts
                   WHERE status = 'draft' AND event_participant_id IS NOT NULL) AS draft,
         CASE WHEN p.id IN unbilled THEN 1
              WHEN p.id IN doubtful THEN (SELECT f.has_unbilled FROM readiness f WHERE f.id = p.id) ELSE 0 END AS unbilled,
         p.id IN (SELECT event_participant_id FROM invoices INDEXED BY invoices_open
                   WHERE open_amount <> 0 AND open_amount > 0 AND locked_at IS NOT NULL
                     AND status IN ('sent', 'partially_paid') AND event_participant_id IS NOT NULL) AS owes
    FROM participants p INDEXED BY participants_by_event_and_role
   WHERE p.event_id = :event_id AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND p.status <> 'cancelled')
SELECT count(*) AS total,
       ifnull(sum(badge + contract + submissions + booth + services + draft + unbilled + owes = 0), 0) AS ready,
       ifnull(sum(contract), 0) AS contract, ifnull(sum(submissions), 0) AS submissions, ifnull(sum(booth), 0) AS booth,
       ifnull(sum(services), 0) AS services, ifnull(sum(unbilled OR draft OR services OR booth), 0) AS invoice,
       ifnull(sum(owes OR unbilled OR draft OR services OR booth), 0) AS payment, ifnull(sum(badge), 0) AS badge
  FROM facts;

-- name: money
SELECT currency, sum(total) AS invoiced, sum(paid_amount) AS paid, sum(max(open_amount, 0)) AS open,
       sum(iif(overdue_from <= :today AND open_amount > 0, open_amount, 0)) AS overdue,
       sum(max(-open_amount, 0)) AS credit
  FROM invoices INDEXED BY invoices_by_event WHERE event_id = :event_id AND status <> 'draft'
 GROUP BY currency ORDER BY currency;

-- What waits. Each statement returns the number of records, the ids of the first three as JSON and, if it has them, their sum in
-- one currency and the first date or timestamp.

-- name: applications_new
WITH found (id, at) AS MATERIALIZED (
  SELECT a.id, a.created_at FROM applications a INDEXED BY applications_by_status
    CROSS JOIN application_events x ON x.application_id = a.id AND x.event_id = :event_id
   WHERE a.status = 'new')
SELECT count(*) AS count, min(at) AS oldest_at,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at, id LIMIT 3)) AS ids FROM found;

-- name: holds_ending
WITH found (id, at) AS MATERIALIZED (
  SELECT r.id, r.expires_at FROM booth_reservations r INDEXED BY booth_reservations_by_expiry
   WHERE r.status = 'pending' AND r.expires_at > :now AND r.expires_at <= :soon AND r.event_id = :event_id)
SELECT count(*) AS count, min(at) AS oldest_at,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at, id LIMIT 3)) AS ids FROM found;

-- name: submissions
WITH found (id, at) AS MATERIALIZED (
  SELECT s.id, s.created_at FROM submissions s WHERE s.event_id = :event_id AND s.status = 'submitted')
SELECT count(*) AS count, min(at) AS oldest_at,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at, id LIMIT 3)) AS ids FROM found;

-- name: orders
WITH found (id, at) AS MATERIALIZED (
  SELECT o.id, o.created_at FROM service_orders o WHERE o.status = 'submitted' AND +o.event_id = :event_id)
SELECT count(*) AS count, min(at) AS oldest_at,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at, id LIMIT 3)) AS ids FROM found;

-- name: drafts
-- Drafts of the event, and those of no event, which wait on no other page.
WITH of (event_id) AS (VALUES (:event_id), (NULL)),
found (id, amount) AS MATERIALIZED (
  SELECT i.id, iif(i.currency = :currency, i.total, 0)
    FROM of CROSS JOIN invoices i INDEXED BY invoices_by_event ON i.event_id IS of.event_id
   WHERE i.status = 'draft')
SELECT count(*) AS count, ifnull(sum(amount), 0) AS amount,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: overdue
-- Overdue invoices of the event, and those of no event.
WITH of (event_id) AS (VALUES (:event_id), (NULL)),
found (id, at, amount) AS MATERIALIZED (
  SELECT i.id, i.due_date, iif(i.currency = :currency, i.open_amount, 0)
    FROM of CROSS JOIN invoices i INDEXED BY invoices_by_event ON i.event_id IS of.event_id
   WHERE i.status IN ('sent', 'partially_paid') AND i.invoice_type = 'invoice'
     AND i.overdue_from <= :today AND i.open_amount > 0)
SELECT count(*) AS count, ifnull(sum(amount), 0) AS amount, min(at) AS oldest_at,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at, id LIMIT 3)) AS ids FROM found;

-- name: unmatched
WITH found (id, at, amount) AS MATERIALIZED (
  SELECT t.id, t.booked_on, iif(t.currency = :currency, abs(t.amount) - t.assigned_amount, 0) FROM bank_transactions t
   WHERE t.status = 'open')
SELECT count(*) AS count, ifnull(sum(amount), 0) AS amount,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at, id LIMIT 3)) AS ids FROM found;

-- name: credit
-- Customers who have paid too much, without what cancelled exhibitors get back.
WITH found (id, amount) AS MATERIALIZED (
  SELECT i.contact_id, sum(iif(i.currency = :currency, -i.open_amount, 0)) FROM invoices i INDEXED BY invoices_overpaid
   WHERE i.open_amount < 0 AND +i.event_id = :event_id
     AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.id = i.event_participant_id AND p.status = 'cancelled')
   GROUP BY i.contact_id)
SELECT count(*) AS count, ifnull(sum(amount), 0) AS amount,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY amount DESC, id LIMIT 3)) AS ids FROM found;

-- name: cancelled_paid
-- Exhibitors who have cancelled and are owed money: what was paid too much, and what was paid of invoices with something that is
-- no longer owed.
WITH found (id, amount) AS MATERIALIZED (
  SELECT p.id, sum(iif(i.currency = :currency, iif(i.open_amount < 0, -i.open_amount, i.paid_amount), 0))
    FROM participants p CROSS JOIN invoices i ON i.event_participant_id = p.id
   WHERE p.event_id = :event_id AND p.status = 'cancelled' AND i.invoice_type = 'invoice' AND i.paid_amount > 0
     AND (i.open_amount < 0 OR EXISTS (SELECT 1 FROM billings b WHERE b.invoice_id = i.id AND NOT b.is_claimed))
   GROUP BY p.id)
SELECT count(*) AS count, ifnull(sum(amount), 0) AS amount,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: nameless
-- Exhibitors who would be in the directory if they had a name that may be shown.
WITH found (id) AS MATERIALIZED (
  SELECT p.id FROM participants p INDEXED BY participants_by_event_and_role JOIN contacts c ON c.id = p.contact_id
    LEFT JOIN profiles f ON f.participant_id = p.id
   WHERE p.event_id = :event_id AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND p.status <> 'cancelled'
     AND c.company_name IS NULL AND c.anonymized_at IS NULL AND f.display_name IS NULL AND ifnull(f.is_listed, 1) = 1)
SELECT count(*) AS count, (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: mails_failed
WITH found (id) AS MATERIALIZED (SELECT m.id FROM mails m WHERE m.state IN ('failed', 'uncertain'))
SELECT count(*) AS count, (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: no_link
-- Exhibitors without a link, if their pages are open. Who was revoked lacks nothing; an address that was forgotten since counts as
-- that of the contact.
WITH closed (id) AS MATERIALIZED (
  SELECT k.id FROM links l INDEXED BY links_that_close CROSS JOIN participants k ON k.id = l.participant_id
    JOIN contacts c ON c.id = k.contact_id AND c.email = ifnull(l.email, c.email)
   WHERE l.closes_address = 1
   UNION ALL
  SELECT k.id FROM links l INDEXED BY links_that_close CROSS JOIN participants k ON k.made_by = l.application_id
    JOIN contacts c ON c.id = k.contact_id AND c.email = ifnull(l.email, c.email)
   WHERE l.closes_address = 1),
found (id) AS MATERIALIZED (
  SELECT p.id FROM event_pages g CROSS JOIN participants p INDEXED BY participants_by_event_and_role
    ON p.event_id = g.event_id
   WHERE g.event_id = :event_id AND g.my_is_open = 1 AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
     AND p.status <> 'cancelled'
     AND p.id NOT IN (SELECT l.participant_id FROM links l INDEXED BY links_by_event
                       WHERE l.event_id = :event_id AND l.participant_id IS NOT NULL AND l.revoked_at IS NULL
                         AND (l.expires_at IS NULL OR l.expires_at > :now))
     AND p.id NOT IN (SELECT id FROM closed))
SELECT count(*) AS count, (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: without_page
-- The view is asked about the few exhibitors only who have no link that holds.
WITH without_link (id) AS MATERIALIZED (
  SELECT p.id FROM participants p INDEXED BY participants_by_event_and_role
   WHERE p.event_id = :event_id AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND p.status <> 'cancelled'
     AND p.id NOT IN (SELECT l.participant_id FROM links l INDEXED BY links_by_event
                       WHERE l.event_id = :event_id AND l.participant_id IS NOT NULL AND l.revoked_at IS NULL)),
found (id) AS MATERIALIZED (
  SELECT DISTINCT a.id FROM without_link w CROSS JOIN participants p ON p.id = w.id
    CROSS JOIN applications a ON a.contact_id = p.contact_id
   WHERE EXISTS (SELECT 1 FROM application_gaps g WHERE g.application_id = a.id AND g.participant_id = w.id AND g.lacks = 'page'))
SELECT count(*) AS count, (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: without_badge
WITH found (id) AS MATERIALIZED (
  SELECT DISTINCT application_id FROM application_gaps WHERE lacks = 'badge' AND event_id = :event_id)
SELECT count(*) AS count, (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: to_print
-- Invoices to be printed, and those with a letter to be printed, of the event or of none.
WITH found (id) AS MATERIALIZED (
  SELECT i.id FROM invoices i INDEXED BY invoices_by_delivery
   WHERE i.for_post = 1 AND i.posted_on IS NULL AND ifnull(i.event_id, :event_id) = :event_id
   UNION ALL
  SELECT i.id FROM dunnings d CROSS JOIN invoices i ON i.id = d.invoice_id
   WHERE d.for_post = 1 AND d.posted_on IS NULL AND i.open_amount > 0 AND i.disputed_at IS NULL
     AND ifnull(i.event_id, :event_id) = :event_id)
SELECT count(*) AS count,
       (SELECT json_group_array(id) FROM (SELECT DISTINCT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: mails_waiting
-- Mails that should have left, and confirmations of the forms of this event that wait for their turn. Those have no mail yet.
WITH found (id) AS MATERIALIZED (SELECT m.id FROM mails m WHERE m.state = 'queued' AND m.next_at <= :due),
confirmations (id) AS (
  SELECT d.id FROM application_drafts d WHERE d.mail_base_url IS NOT NULL AND d.event_id = :event_id)
SELECT count(*) + (SELECT count(*) FROM confirmations) AS count,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY id LIMIT 3)) AS ids FROM found;

-- name: tasks
WITH found (id, at) AS MATERIALIZED (
  SELECT t.id, t.due_at FROM tasks t
   WHERE t.event_id = :event_id AND t.status IN ('pending', 'in_progress'))
SELECT count(*) AS count,
       (SELECT json_group_array(id) FROM (SELECT id FROM found ORDER BY at NULLS LAST, id LIMIT 3)) AS ids FROM found;

-- Names of the first records of a code.

-- name: applicants
SELECT a.id, a.company_name, a.first_name, a.last_name FROM applications a WHERE a.id IN (SELECT value FROM json_each(:ids));

-- name: reserved_booths
SELECT r.id, r.booth_number AS name FROM booth_reservations r WHERE r.id IN (SELECT value FROM json_each(:ids));

-- name: submitters
SELECT s.id, c.company_name, c.first_name, c.last_name, c.customer_number AS name
  FROM submissions s JOIN participants p ON p.id = s.event_participant_id JOIN contacts c ON c.id = p.contact_id
 WHERE s.id IN (SELECT value FROM json_each(:ids));

-- name: orderers
SELECT o.id, c.company_name, c.first_name, c.last_name, c.customer_number AS name
  FROM service_orders o JOIN participants p ON p.id = o.event_participant_id JOIN contacts c ON c.id = p.contact_id
 WHERE o.id IN (SELECT value FROM json_each(:ids));

-- name: customers
SELECT i.id, c.company_name, c.first_name, c.last_name, c.customer_number AS name
  FROM invoices i JOIN contacts c ON c.id = i.contact_id
 WHERE i.id IN (SELECT value FROM json_each(:ids));

-- name: parties
SELECT t.id, ifnull(t.party, t.account) AS name FROM bank_transactions t WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: contacts
SELECT c.id, c.company_name, c.first_name, c.last_name, c.customer_number AS name FROM contacts c
 WHERE c.id IN (SELECT value FROM json_each(:ids));

-- name: participants
SELECT p.id, c.company_name, c.first_name, c.last_name, c.customer_number AS name
  FROM participants p JOIN contacts c ON c.id = p.contact_id
 WHERE p.id IN (SELECT value FROM json_each(:ids));

-- name: recipients
-- Mails to colleagues, to doors and to subscribers of the newsletter are left out: contacts:read does not name these. Those to
-- applicants are named to those who read applications, `reads_applications`.
SELECT m.id, m.recipient AS name FROM mails m LEFT JOIN links l ON m.entity_type = 'link' AND l.id = m.entity_id
 WHERE m.id IN (SELECT value FROM json_each(:ids)) AND m.entity_type NOT IN ('admin', 'newsletter_subscriber')
   AND ifnull(l.kind, '') NOT IN ('admin', 'door')
   AND (:reads_applications OR m.entity_type NOT IN ('application', 'application_draft') AND ifnull(l.kind, '') <> 'application');

-- name: titles
SELECT t.id, t.title AS name FROM tasks t WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: setup
-- Which records that make up an event exist.
SELECT EXISTS (SELECT 1 FROM category_events WHERE event_id = :event_id) AS categories,
       EXISTS (SELECT 1 FROM category_events x JOIN categories k ON k.id = x.category_id
                WHERE x.event_id = :event_id AND k.approval = 'automatic'
                  AND k.applicant_visibility = 'selectable') AS automatic_category,
       EXISTS (SELECT 1 FROM booth_types) AS stands,
       EXISTS (SELECT 1 FROM booths WHERE event_id = :event_id) AS halls,
       EXISTS (SELECT 1 FROM service_events WHERE event_id = :event_id) AS services,
       EXISTS (SELECT 1 FROM submission_types WHERE event_id = :event_id) AS submissions,
       EXISTS (SELECT 1 FROM schedule_slots WHERE event_id = :event_id) AS programme,
       EXISTS (SELECT 1 FROM dunning_levels) AS dunning;

-- Dates.

-- name: holds
SELECT r.expires_at FROM booth_reservations r WHERE r.event_id = :event_id AND r.status = 'pending' AND r.expires_at > :now;

-- name: submissions_due
-- For each time at which submissions are due, the number of participants who have not sent one of them.
WITH due (due_at, role, type_id) AS MATERIALIZED (
  SELECT t.due_at, r.value, t.id FROM submission_types t CROSS JOIN json_each(t.roles) r
   WHERE t.event_id = :event_id AND t.is_active AND t.due_at >= :begins),
concerned (due_at, role) AS MATERIALIZED (SELECT DISTINCT due_at, role FROM due)
SELECT due_at, sum(participants) AS participants FROM (
  SELECT n.due_at,
         (SELECT count(*) FROM participants p INDEXED BY participants_by_event_and_role
           WHERE p.event_id = :event_id AND p.role = n.role AND p.status <> 'cancelled'
             AND EXISTS (SELECT 1 FROM due d
                          WHERE d.due_at = n.due_at AND d.role = n.role
                            AND NOT EXISTS (SELECT 1 FROM submissions s INDEXED BY submissions_by_participant
                                             WHERE s.event_participant_id = p.id AND s.type_id = d.type_id
                                               AND +s.status IN ('submitted', 'approved')))) AS participants
    FROM concerned n)
 GROUP BY due_at;

-- name: offers
SELECT x.early_bird_until, x.order_deadline, s.lead_time_days, e.date_from, e.timezone
  FROM service_events x JOIN services s ON s.id = x.service_id JOIN events e ON e.id = x.event_id
 WHERE x.event_id = :event_id AND x.is_active AND s.is_active;

-- name: visitors
SELECT ifnull(sum(participants), 0) FROM participant_counts
 WHERE event_id = :event_id AND role = 'visitor' AND status <> 'cancelled';

-- name: invoices_due
SELECT i.due_date, count(*) AS invoices FROM invoices i INDEXED BY invoices_by_event
 WHERE i.event_id = :event_id AND i.status IN ('sent', 'partially_paid') AND i.invoice_type = 'invoice'
   AND i.due_date >= :today AND i.open_amount > 0
 GROUP BY i.due_date;
