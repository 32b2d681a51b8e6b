-- Drafts of applications: what a form of the public pages has sent, until its address is confirmed.

-- name: form_key
-- The key of the tokens in forms.
SELECT form_key FROM tenant;

-- name: add
INSERT INTO application_drafts (event_id, form, nonce, fields, email, network, language, created_at)
VALUES (:event_id, :form, :nonce, :fields, :email, :network, :language, :now);

-- name: known
SELECT 1 FROM application_drafts WHERE nonce = :nonce;

-- name: get
SELECT id, event_id, form, fields, email, language, application_id, confirmed_at FROM application_drafts WHERE id = :id;

-- name: by_secret
SELECT d.id, d.event_id, d.form, d.fields, d.email, d.language, d.application_id, d.confirmed_at, e.event_key
  FROM link_secrets s JOIN application_drafts d ON d.id = s.draft_id JOIN events e ON e.id = d.event_id
 WHERE s.secret_hash = :secret_hash;

-- name: add_secret
INSERT INTO link_secrets (secret_hash, draft_id, created_at) VALUES (:secret_hash, :draft_id, :now);

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
