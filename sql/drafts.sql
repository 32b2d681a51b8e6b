-- Drafts of applications: what a form of the public pages has sent, until its address is confirmed.

-- name: add
INSERT INTO application_drafts (event_id, form, nonce, fields, email, email_hash, network, language, created_at)
VALUES (:event_id, :form, :nonce, :fields, :email, :email_hash, :network, :language, :now);

-- name: known
SELECT 1 FROM application_drafts WHERE nonce = :nonce;

-- name: get
SELECT d.id, d.event_id, d.form, d.fields, d.email, d.language, d.application_id, d.confirmed_at, e.event_key
  FROM application_drafts d JOIN events e ON e.id = d.event_id WHERE d.id = :id;

-- name: made
-- Drafts since a time, or the unconfirmed ones of a network.
SELECT count(*) FROM application_drafts WHERE created_at >= :since
   AND network = :network -- when network
;

-- name: postponed
-- Mails to confirm a draft that wait for their hour, or those of a network.
SELECT count(*) FROM mails m JOIN application_drafts d ON d.id = m.entity_id
 WHERE m.state = 'queued' AND m.next_at > :now AND m.kind = 'application_confirmation'
   AND d.network = :network -- when network
;

-- name: of_address
-- Drafts with an address since a time, also confirmed and corrected ones.
SELECT count(*) FROM application_drafts WHERE email_hash = :email_hash AND created_at >= :since;

-- name: latest
-- The draft of a form, after the corrections of its address.
SELECT id, event_id, form, nonce, fields, email, language, confirmed_at FROM application_drafts
 WHERE nonce IN (:nonce, :nonce || '.1', :nonce || '.2', :nonce || '.3') AND event_id = :event_id AND form = :form ORDER BY id DESC LIMIT 1;

-- name: replace
-- A draft whose address was wrong. The hash of the address stays, since a mail went there.
UPDATE application_drafts SET fields = NULL, email = NULL WHERE id = :id;

-- name: drop_secrets
DELETE FROM link_secrets WHERE draft_id = :id;

-- name: hand_over
-- The secrets of a confirmed draft open the page of the application.
UPDATE link_secrets SET link_id = :link_id, draft_id = NULL, mailed_to = :email, expires_at = :expires_at WHERE draft_id = :id;

-- name: waiting
-- Number of drafts that wait for confirmation.
SELECT count(*) FROM application_drafts WHERE network IS NOT NULL;

-- name: drop_of_largest_network
-- The oldest draft of the network with the most of them.
DELETE FROM application_drafts WHERE id = (
  SELECT min(id) FROM application_drafts WHERE network IS NOT NULL GROUP BY network ORDER BY count(*) DESC, min(id) LIMIT 1);

-- name: confirm
UPDATE application_drafts SET fields = NULL, email = NULL, network = NULL, application_id = :application_id, confirmed_at = :now WHERE id = :id;

-- name: applications
-- Applications of exhibitors that count for the capacity of their form: all but those of visitors.
SELECT count(*) FROM application_events x JOIN applications a ON a.id = x.application_id
 WHERE x.event_id = :event_id AND a.status NOT IN ('rejected', 'withdrawn')
   AND NOT EXISTS (SELECT 1 FROM application_categories c JOIN categories k ON k.id = c.category_id
                    WHERE c.application_id = a.id AND k.approval = 'automatic');

-- name: categories
-- The categories of an event that applicants can choose in a form, with the participants of each that have not cancelled.
SELECT k.id, k.category_key, k.title, k.base_price, k.capacity, u.title AS parent_title,
       (SELECT ifnull(sum(n.participants), 0) FROM participant_counts n
         WHERE n.event_id = x.event_id AND n.category_id = k.id AND n.status <> 'cancelled') AS participants
  FROM category_events x JOIN categories k ON k.id = x.category_id LEFT JOIN categories u ON u.id = k.parent_category_id
 WHERE x.event_id = :event_id AND k.applicant_visibility = 'selectable' AND k.approval = :approval
 ORDER BY u.sort_order NULLS FIRST, u.id, k.sort_order, fold(k.title), k.id;

-- name: registered
-- The application with which an address has registered for an event, and whose participant has not cancelled.
SELECT a.id FROM applications a JOIN application_events x ON x.application_id = a.id
  JOIN application_categories c ON c.application_id = a.id JOIN categories k ON k.id = c.category_id
  JOIN participants p ON p.event_id = x.event_id AND p.contact_id = a.contact_id AND p.role = k.role AND p.status <> 'cancelled'
 WHERE a.email = :email AND a.status = 'approved' AND x.event_id = :event_id AND k.approval = 'automatic' ORDER BY a.id LIMIT 1;

-- name: automatic
-- The categories of an application with their approval, role and key.
SELECT k.id, k.category_key, k.approval, k.role FROM application_categories c JOIN categories k ON k.id = c.category_id WHERE c.application_id = :id;

-- name: drop_old
-- Confirmed drafts after two days, and others after a week.
DELETE FROM application_drafts WHERE id IN (
  SELECT id FROM application_drafts WHERE created_at < :week OR created_at < :two_days AND confirmed_at < :two_days LIMIT :size);
