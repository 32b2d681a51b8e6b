-- How far links lead: what decides whether a page or a badge opens, and whom to tell of a further access (domain/access/reach.py).

-- name: opens_own_page
-- A row if an application leads to the page of a participant for somebody who reads the mails of an address.
SELECT 1 FROM participants p JOIN contacts c ON c.id = p.contact_id JOIN applications a ON a.id = :application_id
  JOIN applications m ON m.id = p.made_by
 WHERE p.id = :participant_id AND a.email = :address AND c.email = :address AND a.email_changed_at IS NULL
   AND (m.id = a.id OR m.email = a.email AND m.email_changed_at IS NULL);

-- name: exhibitor
-- The exhibitor, co-exhibitor or sponsor that an application has become at an event; the one that it has made, if there is one.
SELECT p.id FROM applications a JOIN participants p ON p.contact_id = a.contact_id
 WHERE a.id = :application_id AND a.status = 'approved' AND p.event_id = :event_id
   AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND p.status <> 'cancelled'
 ORDER BY p.made_by IS :application_id DESC, p.application_id IS :application_id DESC, p.id LIMIT 1;

-- name: badges
-- The participants whose badges a link of an application gives.
SELECT p.id FROM applications a JOIN application_events x ON x.application_id = a.id
  JOIN participants p ON p.event_id = x.event_id AND p.contact_id = a.contact_id AND p.role = :role
  AND p.status <> 'cancelled'
  JOIN contacts c ON c.id = p.contact_id
 WHERE a.id = :application_id AND a.status = 'approved'
   AND x.event_id = :event_id                                                                 -- when event_id
   AND (:has_right = 1
     OR p.made_by = a.id AND a.email = :address AND (a.email_changed_at IS NULL OR a.email_changed_at < p.created_at)
     OR a.email = :address AND c.email = :address AND a.email_confirmed_at IS NOT NULL
        AND (c.email_unproven_at IS NULL OR c.email_unproven_at < p.created_at))
 ORDER BY p.id;

-- name: closes
-- When the office has revoked a link of an address for a record, if it has made no other one since. For the page of a participant,
-- the application that has made it counts, too.
SELECT l.revoked_at FROM links l WHERE l.email_hash = :email_hash AND l.closes_address = 1
   AND (l.participant_id = :participant_id OR l.application_id = :application_id
     OR l.application_id = (SELECT p.made_by FROM participants p WHERE p.id = :participant_id))
 ORDER BY l.revoked_at DESC LIMIT 1;

-- name: closes_event
-- The same for any record of an event.
SELECT 1 FROM links WHERE email_hash = :email_hash AND closes_address = 1 AND event_id = :event_id LIMIT 1;

-- name: reopen
UPDATE links SET closes_address = 0
 WHERE email_hash = :email_hash AND closes_address = 1 AND kind = :kind
   AND coalesce(participant_id, application_id) = :subject;

-- name: links_of_participant
SELECT id, email, language, revoked_at FROM links WHERE participant_id = :participant_id ORDER BY id;

-- name: has_link
SELECT 1 FROM links WHERE participant_id = :participant_id AND revoked_at IS NULL LIMIT 1;

-- name: links_of_application
SELECT id FROM links WHERE application_id = :application_id AND revoked_at IS NULL ORDER BY id;

-- name: links_of_address
-- The live links of an address for a participant, for its applications, and for what these have made.
SELECT l.id FROM links l
 WHERE l.email_hash = :email_hash AND l.revoked_at IS NULL
   AND (l.participant_id = :participant_id OR l.application_id = :application_id
     OR l.application_id IN (SELECT p.made_by FROM participants p WHERE p.id = :participant_id
                              UNION SELECT p.application_id FROM participants p WHERE p.id = :participant_id)
     OR l.participant_id IN (SELECT p.id FROM participants p WHERE p.made_by = :application_id
                              UNION SELECT p.id FROM participants p WHERE p.application_id = :application_id))
 ORDER BY l.id;

-- name: addresses
-- The e-mail address of the contact of a participant, and those before it for some time.
SELECT c.email, c.language, ifnull(iif(c.email_changed_at > :since, c.email_before, NULL), '[]') AS email_before
  FROM participants p JOIN contacts c ON c.id = p.contact_id WHERE p.id = :participant_id;

-- name: contact_of_event
SELECT contact_email FROM event_pages WHERE event_id = :event_id AND contact_email IS NOT NULL;

-- name: event_of_participant
SELECT e.title, e.timezone, g.contact_email FROM participants p JOIN events e ON e.id = p.event_id
  LEFT JOIN event_pages g ON g.event_id = e.id WHERE p.id = :id;

-- name: event_of_application
-- The titles of all events of an application; time zone and contact are those of the first one.
SELECT group_concat(title, ' · ') AS title, timezone, contact_email
  FROM (SELECT e.title, e.timezone, g.contact_email FROM application_events x JOIN events e ON e.id = x.event_id
          LEFT JOIN event_pages g ON g.event_id = e.id WHERE x.application_id = :id ORDER BY e.id)
HAVING count(*) > 0;

-- name: occasions
-- How often people got a notice about a record since a time: each time, several may have got a mail.
SELECT count(DISTINCT details) FROM mails
 WHERE entity_type = :entity_type AND entity_id = :entity_id AND kind = 'link_notice' AND created_at > :since
   AND details ->> 'notice' = :notice;

-- name: confirm_address
-- Whoever opens the mail to an application's address has confirmed it.
UPDATE applications SET email_confirmed_at = :now WHERE id = :id AND email = :email AND email_confirmed_at IS NULL;

-- name: readdress_application
-- The time is not before that of a participation, also if the clock is.
UPDATE applications
   SET email_changed_at = max(:stamp,
       ifnull((SELECT max(p.created_at) FROM participants p WHERE p.made_by = applications.id), '')),
       email_confirmed_at = NULL
 WHERE id = :id;

-- name: readdress_contact
-- The addresses before stay for 30 days after the last change. A change with the scope `participants` proves the new one.
UPDATE contacts
   SET email_before = iif(:before IS NULL, email_before,
         (SELECT json_group_array(value) FROM (SELECT value FROM json_each(ifnull(iif(email_changed_at > :since,
         email_before, NULL), '[]'))
                                                UNION ALL SELECT :before LIMIT :most))),
       email_changed_at = :stamp,
       email_unproven_at = NULL
 WHERE id = :id;

-- name: doubt_address
-- Participations that exist prove nothing to whoever reads the mails of the address. The time is not before theirs, also if the clock is.
UPDATE contacts SET email_unproven_at = max(:stamp,
  ifnull((SELECT max(p.created_at) FROM participants p WHERE p.contact_id = contacts.id), ''))
 WHERE id = :id;

-- name: is_doubted
SELECT 1 FROM contacts WHERE id = :id AND email_unproven_at IS NOT NULL;

-- name: forget_former_addresses
UPDATE contacts SET email_before = NULL WHERE id IN (
  SELECT id FROM contacts WHERE email_changed_at < :before AND email_before IS NOT NULL LIMIT :size);

-- name: suspect_gap
UPDATE applications SET may_lack_badge = 1 WHERE id = :id;

-- name: suspect_gaps
UPDATE applications SET may_lack_badge = 1 WHERE contact_id = :contact_id;

-- name: scopes_of_merge
-- The scopes that merging a duplicate into a contact needs: for participations that move or meet, and for each kind of record that moves.
-- An application whose link has the right `badges` shows those of the contact that it belongs to afterwards.
SELECT 'participants' WHERE EXISTS (SELECT 1 FROM participants WHERE contact_id = :duplicate_id)
 UNION SELECT 'participants' WHERE EXISTS (
   SELECT 1 FROM applications a JOIN links l ON l.application_id = a.id, json_each(l.rights) r
    WHERE a.contact_id IN (:contact_id, :duplicate_id) AND l.revoked_at IS NULL AND r.value = 'badges')
 UNION SELECT 'invoices' WHERE EXISTS (SELECT 1 FROM invoices WHERE contact_id = :duplicate_id)
 UNION SELECT 'invoices' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN invoices i ON i.event_participant_id = p.id WHERE p.contact_id = :duplicate_id)
 UNION SELECT 'documents'
   WHERE EXISTS (SELECT 1 FROM documents WHERE entity_type = 'contact' AND entity_id = :duplicate_id)
 UNION SELECT 'documents' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN documents d ON d.entity_type = 'event_participant' AND d.entity_id = p.id
    WHERE p.contact_id = :duplicate_id)
 UNION SELECT 'service_orders' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN service_orders o ON o.event_participant_id = p.id
    WHERE p.contact_id = :duplicate_id)
 UNION SELECT 'booths' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN booth_reservations b ON b.event_participant_id = p.id
    WHERE p.contact_id = :duplicate_id)
 UNION SELECT 'submissions' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN submissions s ON s.event_participant_id = p.id WHERE p.contact_id = :duplicate_id)
 UNION SELECT 'links' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN links l ON l.participant_id = p.id WHERE p.contact_id = :duplicate_id
     AND l.revoked_at IS NULL)
 UNION SELECT 'links' WHERE EXISTS (
   SELECT 1 FROM participants p JOIN participants k ON k.event_id = p.event_id AND k.role = p.role
     AND k.contact_id = :contact_id
     JOIN links l ON l.participant_id = k.id WHERE p.contact_id = :duplicate_id AND l.revoked_at IS NULL);

-- name: sides_of_link
-- The participation of a link that belongs to one of two contacts, and the one of the other contact with the same event and role.
SELECT p.id AS participant_id,
       (SELECT k.id FROM participants k WHERE k.event_id = p.event_id AND k.role = p.role AND k.id <> p.id
           AND k.contact_id IN (:contact_id, :duplicate_id)) AS counterpart_id
  FROM links l JOIN participants p ON p.id = l.participant_id
 WHERE l.id = :id AND l.revoked_at IS NULL AND p.contact_id IN (:contact_id, :duplicate_id);

-- name: has_records
-- A row if something of a participant moves when another one takes its place, or its participation does.
SELECT 1 WHERE EXISTS (SELECT 1 FROM invoices WHERE event_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM invoice_items WHERE fee_of_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM booth_reservations WHERE event_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM booth_choices WHERE participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM service_orders WHERE event_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM submissions WHERE event_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM check_ins WHERE event_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM schedule_assignments WHERE event_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM participants WHERE host_participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM profiles WHERE participant_id = :participant_id)
  OR EXISTS (SELECT 1 FROM documents WHERE entity_type = 'event_participant' AND entity_id = :participant_id)
  OR EXISTS (SELECT 1 FROM participants o JOIN participants k ON k.id = :kept_id WHERE o.id = :participant_id
              AND (o.host_participant_id IS NOT NULL OR k.status = 'cancelled' AND o.status <> 'cancelled'));

-- name: forget_maker
UPDATE participants SET made_by = NULL WHERE id = :id;
