-- Links: who may act for whom without an API key, their secrets, and requests for new ones.

-- columns: own = event_id participant_id application_id name email email_hash language rights station devices expires_at
-- columns: shown = id ref kind event_id participant_id application_id name email language rights station devices expires_at revoked_at ended_by last_used_at mailed_at created_by created_at updated_at

-- name: form_key
-- The key of the tokens in forms, and of hashes of addresses.
SELECT form_key FROM tenant;

-- name: add
INSERT INTO links (kind, ref, {own}, created_by, created_at, updated_at)
VALUES (:kind, :ref, {:own}, :created_by, :now, :stamp);

-- name: get
-- A link, with the event and the end of its life. Without expires_at, a participant's link lives until 30 days after the event and
-- after the last payment, and while an invoice is open; an applicant's until 30 days after the event and 90 after the decision; one
-- for the door until a day after the event. That of an event without a date has no end.
SELECT {l.shown}, e.event_key, e.title AS event_title, e.over_at,
       coalesce(l.expires_at, CASE l.kind
         WHEN 'participant' THEN iif(EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = l.participant_id
           AND i.locked_at IS NOT NULL AND i.open_amount > 0), NULL,
           strftime('%Y-%m-%dT%H:%M:%SZ',
           max(e.over_at, ifnull(
             (SELECT max(p.created_at) FROM payments p JOIN invoices i ON i.id = p.invoice_id
               WHERE i.event_participant_id = l.participant_id), '')), '+30 days'))
         WHEN 'application' THEN strftime('%Y-%m-%dT%H:%M:%SZ',
           max(strftime('%Y-%m-%dT%H:%M:%SZ', e.over_at, '+30 days'),
                                                                    strftime('%Y-%m-%dT%H:%M:%SZ',
                                                                    ifnull(a.decided_at, l.created_at), '+90 days')))
         WHEN 'door' THEN strftime('%Y-%m-%dT%H:%M:%SZ', e.over_at, '+1 day') END) AS ends_at
  FROM links l LEFT JOIN events e ON e.id = l.event_id LEFT JOIN applications a ON a.id = l.application_id
 WHERE l.id = :id;

-- name: session_count
SELECT count(*) FROM sessions WHERE link_id = :id AND ended_at IS NULL;

-- name: list
-- As `get`, with the number of sessions.
SELECT {l.shown}, e.event_key, e.title AS event_title, e.over_at,
       coalesce(l.expires_at, CASE l.kind
         WHEN 'participant' THEN iif(EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = l.participant_id
           AND i.locked_at IS NOT NULL AND i.open_amount > 0), NULL,
           strftime('%Y-%m-%dT%H:%M:%SZ',
           max(e.over_at, ifnull(
             (SELECT max(p.created_at) FROM payments p JOIN invoices i ON i.id = p.invoice_id
               WHERE i.event_participant_id = l.participant_id), '')), '+30 days'))
         WHEN 'application' THEN strftime('%Y-%m-%dT%H:%M:%SZ',
           max(strftime('%Y-%m-%dT%H:%M:%SZ', e.over_at, '+30 days'),
                                                                    strftime('%Y-%m-%dT%H:%M:%SZ',
                                                                    ifnull(a.decided_at, l.created_at), '+90 days')))
         WHEN 'door' THEN strftime('%Y-%m-%dT%H:%M:%SZ', e.over_at, '+1 day') END) AS ends_at,
       (SELECT count(*) FROM sessions s WHERE s.link_id = l.id AND s.ended_at IS NULL) AS session_count
  FROM links l LEFT JOIN events e ON e.id = l.event_id LEFT JOIN applications a ON a.id = l.application_id
 WHERE TRUE
   AND l.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(l.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND l.event_id = :event_id                                       -- when event_id
   AND l.kind = :kind                                               -- when kind
   AND l.participant_id = :participant_id                           -- when participant_id
   AND l.application_id = :application_id                           -- when application_id
   AND l.email = :email                                             -- when email
   AND (l.revoked_at IS NOT NULL) = :is_revoked                     -- when is_revoked
 ORDER BY {sort} {order}, l.id {order}  -- sort: id=l.id created_at=l.id

-- name: every
SELECT id FROM links WHERE TRUE
   AND event_id = :event_id                                         -- when event_id
   AND kind = :kind                                                 -- when kind
 ORDER BY id;

-- name: event_of_participant
SELECT event_id FROM participants WHERE id = :id;

-- name: participant
-- Whom a link of a participant is for, unless the request says so.
SELECT p.event_id, coalesce(nullif(trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, '')), ''),
       c.company_name) AS name, c.email, c.language
  FROM participants p JOIN contacts c ON c.id = p.contact_id WHERE p.id = :id;

-- name: application
-- Whom a link of an application is for. One for several events belongs to none.
SELECT (SELECT max(event_id) FROM application_events x WHERE x.application_id = a.id HAVING count(*) = 1) AS event_id,
       coalesce(nullif(trim(coalesce(a.first_name, '') || ' ' || coalesce(a.last_name, '')), ''),
       a.company_name) AS name, a.email, NULL AS language
  FROM applications a WHERE a.id = :id;

-- name: event
SELECT id AS event_id, NULL AS name, NULL AS email, NULL AS language FROM events WHERE id = :id;

-- name: by_ref
SELECT id FROM links WHERE ref = :ref;

-- name: of_person
-- The live link of a person for a record.
SELECT id FROM links
 WHERE kind = :kind AND coalesce(participant_id, application_id) = :subject AND email = :email AND revoked_at IS NULL
   AND kind IN ('participant', 'application');

-- name: of_participant
-- Links with an address and a right, to the page of a participant that is open, if the event gives that right and no feature is
-- disabled that it needs.
SELECT l.id FROM links l JOIN event_pages e ON e.event_id = l.event_id AND e.my_is_open = 1
 WHERE l.participant_id = :participant_id AND l.revoked_at IS NULL AND l.email IS NOT NULL
   AND :right IN (SELECT value FROM json_each(l.rights))
   AND :right IN (SELECT value FROM json_each(e.my_rights))
   AND NOT EXISTS (SELECT 1 FROM flags f WHERE f.enabled = 0 AND f.name IN (SELECT value FROM json_each(:features)))
 ORDER BY l.id;

-- name: change
UPDATE links SET {own = :own}, updated_at = :stamp WHERE id = :id;

-- name: revoke
UPDATE links SET revoked_at = :now, ended_by = :ended_by, updated_at = :stamp,
  closes_address = (:ended_by = 'office' AND email_hash IS NOT NULL AND kind IN ('participant', 'application'))
 WHERE id = :id AND revoked_at IS NULL;

-- name: close
-- The office revokes a link that has ended otherwise.
UPDATE links SET ended_by = 'office',
  closes_address = (email_hash IS NOT NULL AND kind IN ('participant', 'application')), updated_at = :stamp
 WHERE id = :id AND revoked_at IS NOT NULL AND ended_by <> 'office';

-- name: close_again
-- A link is taken back. If the office has revoked the one before it for this address and record, that counts again.
UPDATE links SET closes_address = 1
 WHERE ended_by = 'office' AND id = (
   SELECT max(before.id) FROM links taken JOIN links before ON before.email_hash = taken.email_hash
      AND before.kind = taken.kind AND before.id < taken.id AND before.ended_by IS NOT 'undo'
      AND coalesce(before.participant_id, before.application_id) = coalesce(taken.participant_id, taken.application_id)
    WHERE taken.id = :id AND taken.kind IN ('participant', 'application'));

-- name: use
UPDATE links SET last_used_at = :now WHERE id = :id;

-- name: mark_mailed
UPDATE links SET mailed_at = :now WHERE id = :id;

-- name: blank
-- Forget the person of a link. The hash of one that was revoked stays, so that its address stays closed.
UPDATE links SET name = NULL, email = NULL, email_hash = iif(revoked_at IS NULL, NULL, email_hash), updated_at = :stamp
 WHERE id = :id;

-- name: of_address
-- Live links of an address, of events that are not hidden; the worker looks at the end of their life.
SELECT id FROM links WHERE email_hash = :email_hash AND revoked_at IS NULL AND kind IN ('participant', 'application')
 ORDER BY id;

-- name: add_secret
INSERT INTO link_secrets (secret_hash, link_id, draft_id, admin_id, scopes, way, mailed_to, created_at, expires_at)
VALUES (:secret_hash, :link_id, :draft_id, :admin_id, :scopes, :way, :mailed_to, :now, :expires_at);

-- name: secret
SELECT secret_hash, link_id, draft_id, admin_id, scopes, way, mailed_to, created_at, expires_at FROM link_secrets
 WHERE secret_hash = :secret_hash;

-- name: surplus_secrets
-- The oldest secrets of a link beyond the number that it may have.
DELETE FROM link_secrets WHERE link_id = :link_id AND secret_hash NOT IN (
  SELECT secret_hash FROM link_secrets WHERE link_id = :link_id ORDER BY created_at DESC, rowid DESC LIMIT :most);

-- name: surplus_secrets_of_admin
DELETE FROM link_secrets WHERE admin_id = :admin_id AND secret_hash NOT IN (
  SELECT secret_hash FROM link_secrets WHERE admin_id = :admin_id ORDER BY created_at DESC, rowid DESC LIMIT :most);

-- name: use_up_secret
UPDATE link_secrets SET expires_at = :now WHERE secret_hash = :secret_hash;

-- name: drop_secret
DELETE FROM link_secrets WHERE secret_hash = :secret_hash;

-- name: drop_secrets
DELETE FROM link_secrets WHERE link_id = :link_id;

-- name: drop_expired_secrets
-- Secrets that ended 30 days ago: until then, their page offers a new one.
DELETE FROM link_secrets
 WHERE secret_hash IN (SELECT secret_hash FROM link_secrets WHERE expires_at < :before LIMIT :size);

-- name: add_request
INSERT INTO link_requests (email_hash, base_url, created_at) VALUES (:email_hash, :base_url, :now);

-- name: recent_requests
-- Requests of an address since a time.
SELECT count(*) FROM link_requests WHERE email_hash = :email_hash AND created_at > :since AND purpose = 'links';

-- name: waiting_requests
SELECT id, email_hash, base_url FROM link_requests WHERE handled_at IS NULL AND purpose = 'links' ORDER BY id LIMIT :size;

-- name: settle_request
UPDATE link_requests SET handled_at = :now WHERE id = :id;

-- name: drop_requests
DELETE FROM link_requests WHERE id IN (SELECT id FROM link_requests WHERE created_at < :before LIMIT :size);

-- name: ended_links
-- Links that name a person and may have ended some time ago; the end of their life decides.
SELECT id FROM links WHERE revoked_at < :before AND email IS NOT NULL
 UNION SELECT id FROM links WHERE expires_at < :before AND email IS NOT NULL
 UNION SELECT l.id FROM events e JOIN links l ON l.event_id = e.id WHERE e.over_at < :before AND l.expires_at IS NULL
   AND l.email IS NOT NULL;

-- name: mails_of_day
-- Mails of a kind with a link since a time.
SELECT count(*) FROM mails WHERE kind = :kind AND entity_type = 'link' AND entity_id = :id AND created_at > :since;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: drop_mails_of_contact
-- Mails with the links that `drop_of_contact` deletes.
DELETE FROM mails WHERE entity_type = 'link' AND entity_id IN (
  SELECT l.id FROM links l WHERE l.participant_id IN (SELECT p.id FROM participants p WHERE p.contact_id = :id
                                                       UNION SELECT s.id FROM participants p
                                                         JOIN participants s ON s.host_participant_id = p.id
                                                         WHERE p.contact_id = :id)
   UNION SELECT l.id FROM json_each(:pairs) a CROSS JOIN links l ON l.application_id = a.value ->> 1
          WHERE a.value ->> 0 = 'application');

-- name: drop_of_contact
-- Links of the contact, of its applications and of the people at its booth, with their secrets and sessions.
DELETE FROM links WHERE participant_id IN (SELECT p.id FROM participants p WHERE p.contact_id = :id
                                            UNION SELECT s.id FROM participants p
                                              JOIN participants s ON s.host_participant_id = p.id
                                              WHERE p.contact_id = :id)
   OR application_id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'application');

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: to_hand_over
SELECT id FROM links WHERE participant_id = :id ORDER BY id;

-- name: hand_over
UPDATE links SET participant_id = :participant_id, updated_at = :stamp WHERE id = :id;
