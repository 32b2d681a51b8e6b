-- Drafts of applications: what a form of the public pages has sent, until its address is confirmed.

-- name: add
INSERT INTO application_drafts (event_id, nonce, fields, email, network, language, created_at)
VALUES (:event_id, :nonce, :fields, :email, :network, :language, :now);

-- name: known
SELECT 1 FROM application_drafts WHERE nonce = :nonce;

-- name: get
SELECT d.id, d.event_id, d.fields, d.email, d.language, d.application_id, d.confirmed_at, e.event_key
  FROM application_drafts d JOIN events e ON e.id = d.event_id WHERE d.id = :id;

-- name: of_network
-- Unconfirmed drafts of a network since a time.
SELECT count(*) FROM application_drafts WHERE network = :network AND created_at >= :since;

-- name: of_address
SELECT count(*) FROM application_drafts WHERE email = :email AND created_at >= :since;

-- name: confirm
UPDATE application_drafts SET fields = NULL, email = NULL, network = NULL, application_id = :application_id, confirmed_at = :now WHERE id = :id;

-- name: applications
-- Applications that count for the capacity of a form.
SELECT count(*) FROM application_events x JOIN applications a ON a.id = x.application_id
 WHERE x.event_id = :event_id AND a.status NOT IN ('rejected', 'withdrawn');

-- name: categories
-- The categories of an event that applicants can choose.
SELECT k.category_key, k.title, u.title AS parent_title
  FROM category_events x JOIN categories k ON k.id = x.category_id LEFT JOIN categories u ON u.id = k.parent_category_id
 WHERE x.event_id = :event_id AND k.applicant_visibility = 'selectable'
 ORDER BY u.sort_order NULLS FIRST, u.id, k.sort_order, fold(k.title), k.id;

-- name: drop_old
-- Confirmed drafts after two days, and others after a week.
DELETE FROM application_drafts WHERE id IN (
  SELECT id FROM application_drafts WHERE created_at < :week OR created_at < :two_days AND confirmed_at < :two_days LIMIT :size);
